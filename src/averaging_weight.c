/* Weights of material averaging (averaging_weight.h). */
#include "averaging_weight.h"

#include <math.h>
#include <stdlib.h>

/* phi has no closed form; between the points of the tables cubic Hermite interpolation is good to 1e-10. */
enum { REACH = 3, LEVELS = 11, UNIT = 1 << LEVELS, TABLE_SIZE = 2 * REACH * UNIT + 1 };

/* Integrals at x = -2..2 and double integrals at x = -2..3, from the refinement equation at the integers:
 * Phi(n) = 1/2 sum_k c(k) Phi(2n - k), Psi(n) = 1/4 sum_k c(k) Psi(2n - k), with Phi(n) + Phi(-n) = 1, Psi(n) - Psi(-n) = n. */
static const double ONCE_AT_INTEGER[] = {0, 1.0 / 720, -2.0 / 45, 0.5, 47.0 / 45, 719.0 / 720, 1};
static const double TWICE_AT_INTEGER[] = {0, 1.0 / 3600, -4.0 / 225, 71.0 / 600, 221.0 / 225, 7201.0 / 3600, 3};

struct averaging_weight weight_box(void)
{
    return (struct averaging_weight){.reach = 0.5};
}

/* Table value at position p (units of 1/UNIT from -REACH); outside: zero on the left, `right(x)` beyond the support. */
static double table_at(const double *table, int p, int integrals)
{
    if (p <= 0) {
        return 0;
    }
    if (p >= TABLE_SIZE - 1) {
        double x = (double)(p - REACH * UNIT) / UNIT;
        return integrals == 0 ? 0 : (integrals == 1 ? 1 : x);
    }
    return table[p];
}

/* Fills the dyadic points level by level from those at the integers; `integrals` times integrated, each a factor 1/2. */
static void table_refine(double *table, int integrals)
{
    const double factor = integrals == 0 ? 1 : (integrals == 1 ? 0.5 : 0.25);
    for (int stride = UNIT / 2; stride >= 1; stride /= 2) {
        for (int p = stride; p < TABLE_SIZE - 1; p += 2 * stride) {
            int doubled = 2 * (p - REACH * UNIT) + REACH * UNIT; /* 2x */
            table[p] =
                factor *
                (table_at(table, doubled, integrals) +
                 9.0 / 16 * (table_at(table, doubled - UNIT, integrals) + table_at(table, doubled + UNIT, integrals)) -
                 1.0 / 16 *
                     (table_at(table, doubled - 3 * UNIT, integrals) + table_at(table, doubled + 3 * UNIT, integrals)));
        }
    }
}

pw_status weight_moment(struct averaging_weight *weight, pw_error *error)
{
    *weight = (struct averaging_weight){.reach = REACH};
    weight->value = allocate(TABLE_SIZE, sizeof *weight->value, "the averaging weight", error);
    weight->once = allocate(TABLE_SIZE, sizeof *weight->once, "the averaging weight", error);
    weight->twice = allocate(TABLE_SIZE, sizeof *weight->twice, "the averaging weight", error);
    if (weight->value == NULL || weight->once == NULL || weight->twice == NULL) {
        weight_free(weight);
        return PW_NO_RESOURCE;
    }
    for (int n = 0; n <= 2 * REACH; n++) {
        weight->value[n * UNIT] = n == REACH;
        weight->once[n * UNIT] = ONCE_AT_INTEGER[n];
        weight->twice[n * UNIT] = TWICE_AT_INTEGER[n];
    }
    table_refine(weight->value, 0);
    table_refine(weight->once, 1);
    table_refine(weight->twice, 2);
    return PW_OK;
}

void weight_free(struct averaging_weight *weight)
{
    free(weight->value);
    free(weight->once);
    free(weight->twice);
    *weight = (struct averaging_weight){0};
}

/* Cubic Hermite interpolation of a table and of its derivative's table at x inside the support. */
static double table_interpolate(const double *table, const double *slope, double x)
{
    double position = (x + REACH) * UNIT;
    int p = (int)position;
    if (p >= TABLE_SIZE - 1) {
        p = TABLE_SIZE - 2;
    }
    double t = position - p;
    if (t == 0) {
        return table[p];
    }
    double difference = table[p + 1] - table[p];
    double left = slope[p] / UNIT - difference, right = difference - slope[p + 1] / UNIT;
    return table[p] + t * (difference + (1 - t) * (left * (1 - t) + right * t));
}

double weight_integral(const struct averaging_weight *weight, double x)
{
    if (x <= -weight->reach) {
        return 0;
    }
    if (x >= weight->reach) {
        return 1;
    }
    return weight->value == NULL ? x + 0.5 : table_interpolate(weight->once, weight->value, x);
}

/* Integral of weight_integral from -infinity. */
static double weight_integral_twice(const struct averaging_weight *weight, double x)
{
    if (x <= -weight->reach) {
        return 0;
    }
    if (x >= weight->reach) {
        return x;
    }
    return weight->value == NULL ? 0.5 * (x + 0.5) * (x + 0.5) : table_interpolate(weight->twice, weight->once, x);
}

double weight_integral_mean(const struct averaging_weight *weight, double x, double half)
{
    if (half < 1e-5) { /* the quotient would lose digits */
        return weight_integral(weight, x);
    }
    return (weight_integral_twice(weight, x + half) - weight_integral_twice(weight, x - half)) / (2 * half);
}
