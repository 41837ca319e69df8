/* Weights of material averaging (averaging_weight.h). */
#include "medium/averaging_weight.h"

#include <math.h>

/* phi has no closed form; between the points of the tables cubic Hermite interpolation is good to 1e-10. */
enum { REACH = 3, SINC_REACH = 8, LEVELS = 11, UNIT = 1 << LEVELS, TABLE_SIZE = 2 * REACH * UNIT + 1 };

/* Integrals at x = -2..2 and double integrals at x = -2..3, from the refinement equation at the integers:
 * Phi(n) = 1/2 sum_k c(k) Phi(2n - k), Psi(n) = 1/4 sum_k c(k) Psi(2n - k), with Phi(n) + Phi(-n) = 1, Psi(n) - Psi(-n)
 * = n. */
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

/* Fills the dyadic points level by level from those at the integers; `integrals` times integrated, each a factor 1/2.
 */
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

static pw_status tables_create(struct averaging_weight *weight, int reach, pw_error *error)
{
    size_t size = 2 * (size_t)reach * UNIT + 1;
    *weight = (struct averaging_weight){.reach = reach};
    weight->value = allocate(size, sizeof *weight->value, "the averaging weight", error);
    weight->once = allocate(size, sizeof *weight->once, "the averaging weight", error);
    weight->twice = allocate(size, sizeof *weight->twice, "the averaging weight", error);
    if (weight->value == NULL || weight->once == NULL || weight->twice == NULL) {
        weight_free(weight);
        return PW_NO_RESOURCE;
    }
    return PW_OK;
}

static void lobe_find(struct averaging_weight *weight)
{
    const int last = 2 * (int)weight->reach * UNIT;
    for (int p = 0; p <= last; p++) {
        weight->lobe = fmin(weight->lobe, weight->once[p]);
    }
}

static double sinc(double x)
{
    return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x);
}

pw_status weight_sinc(struct averaging_weight *weight, pw_error *error)
{
    TRY(tables_create(weight, SINC_REACH, error));
    const int last = 2 * SINC_REACH * UNIT;
    for (int p = 0; p <= last; p++) {
        double x = (double)(p - SINC_REACH * UNIT) / UNIT;
        weight->value[p] = sinc(x) * sinc(x / SINC_REACH);
    }
    /* Integrals by the trapezoidal rule with its end correction: the integrand is smooth on the scale of 1/UNIT. */
    for (int p = 1; p <= last; p++) {
        weight->once[p] = weight->once[p - 1] + 0.5 * (weight->value[p - 1] + weight->value[p]) / UNIT;
    }
    double whole = weight->once[last];
    for (int p = 0; p <= last; p++) {
        weight->value[p] /= whole;
        weight->once[p] /= whole;
    }
    for (int p = 1; p <= last; p++) {
        double end = (weight->value[p - 1] - weight->value[p]) / (12.0 * UNIT);
        weight->twice[p] = weight->twice[p - 1] + (0.5 * (weight->once[p - 1] + weight->once[p]) + end) / UNIT;
    }
    lobe_find(weight);
    return PW_OK;
}

pw_status weight_moment(struct averaging_weight *weight, pw_error *error)
{
    TRY(tables_create(weight, REACH, error));
    for (int n = 0; n <= 2 * REACH; n++) {
        weight->value[n * UNIT] = n == REACH;
        weight->once[n * UNIT] = ONCE_AT_INTEGER[n];
        weight->twice[n * UNIT] = TWICE_AT_INTEGER[n];
    }
    table_refine(weight->value, 0);
    table_refine(weight->once, 1);
    table_refine(weight->twice, 2);
    lobe_find(weight);
    return PW_OK;
}

void weight_free(struct averaging_weight *weight)
{
    FREE_ALL(weight->value, weight->once, weight->twice);
    *weight = (struct averaging_weight){0};
}

/* Cubic Hermite interpolation of a table and of its derivative's table at x inside the support (-reach, reach). */
static double table_interpolate(double reach, const double *table, const double *slope, double x)
{
    double position = (x + reach) * UNIT;
    int p = (int)position, last = (int)(2 * reach) * UNIT;
    if (p >= last) {
        p = last - 1;
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
    return weight->value == NULL ? x + 0.5 : table_interpolate(weight->reach, weight->once, weight->value, x);
}

double weight_mean(const struct averaging_weight *weight, double x, double half)
{
    if (half >= 1e-5) { /* or the quotient would lose digits */
        return (weight_integral(weight, x + half) - weight_integral(weight, x - half)) / (2 * half);
    }
    if (fabs(x) >= weight->reach) {
        return 0;
    }
    if (weight->value == NULL) {
        return 1;
    }
    double position = (x + weight->reach) * UNIT;
    int p = (int)position, last = (int)(2 * weight->reach) * UNIT;
    p = p < last ? p : last - 1;
    return weight->value[p] + (position - p) * (weight->value[p + 1] - weight->value[p]);
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
    return weight->value == NULL ? 0.5 * (x + 0.5) * (x + 0.5)
                                 : table_interpolate(weight->reach, weight->twice, weight->once, x);
}

double weight_integral_mean(const struct averaging_weight *weight, double x, double half)
{
    if (half < 1e-5) { /* the quotient would lose digits */
        return weight_integral(weight, x);
    }
    return (weight_integral_twice(weight, x + half) - weight_integral_twice(weight, x - half)) / (2 * half);
}
