/* Draws, polynomial chaos and statistics against what is known in closed form. */
#include "tests/support/check.h"

#include "uncertainty/planwave_uncertainty.h"

#include "uncertainty/readings.h"
#include "uncertainty/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two cells that are asked about, whose maps lie in `maps` (7). */
static pw_uncertainty two_cells(double (*maps)[2], double *nominal, uint8_t *counted)
{
    return (pw_uncertainty){.shape = {.rows = 1, .columns = 2},
                            .nominal = nominal,
                            .p10 = maps[0],
                            .p50 = maps[1],
                            .p90 = maps[2],
                            .mean = maps[3],
                            .deviation = maps[4],
                            .reading_p10 = maps[5],
                            .reading_p90 = maps[6],
                            .counted = counted,
                            .floor = {.cells = 2}};
}

/* Draws of so many numbers, the first `normal` of them normal and the others uniform; a spread each. */
static struct draws draws_of(int dimensions, int normal, int count, uint64_t seed)
{
    struct draws draws = {.dimensions = dimensions, .count = count};
    pw_error error = {""};
    for (int d = 0; d < dimensions; d++) {
        draws.dimension[d] = (struct dimension){.spread = d, .uniform = d >= normal};
    }
    draws.number = calloc((size_t)count * (size_t)dimensions, sizeof(double));
    assert_int_equal(draws_fill(&draws, count, seed, draws.number, &error), PW_OK);
    return draws;
}

/* Abramowitz and Stegun, table 26.1 and 26.5. */
static void test_normal(void **state)
{
    (void)state;
    assert_true(fabs(normal_quantile(0.5)) < 1e-12);
    assert_true(fabs(normal_quantile(0.9) - 1.2815515655446004) < 1e-12);
    assert_true(fabs(normal_quantile(0.025) + 1.959963984540054) < 1e-12);
    assert_true(fabs(normal_quantile(1e-6) + 4.753424308822899) < 1e-9);
}

static void test_quantiles(void **state)
{
    (void)state;
    double values[] = {30, 10, 50, 20, 40};
    assert_true(quantile_of(values, 5, 0.5) == 30.0);
    assert_true(fabs(quantile_of(values, 5, 0.1) - 10.0) < 1e-12); /* the middle of the first fifth */
    assert_true(fabs(quantile_of(values, 5, 0.4) - 25.0) < 1e-12);
    assert_true(quantile_of(values, 5, 0.01) == 10.0 && quantile_of(values, 5, 0.999) == 50.0);
}

/* One draw in each of the equally likely parts, of every number; the seed decides. */
static void test_latin_hypercube(void **state)
{
    (void)state;
    enum { COUNT = 37 };
    struct draws draws = draws_of(4, 2, COUNT, 5), again = draws_of(4, 2, COUNT, 5), other = draws_of(4, 2, COUNT, 6);
    for (int d = 0; d < 4; d++) {
        bool taken[COUNT] = {false};
        for (int n = 0; n < COUNT; n++) {
            double number = draws.number[n * 4 + d];
            double p = d < 2 ? 0.5 * erfc(-number / sqrt(2.0)) : 0.5 * (number + 1);
            int part = (int)floor(p * COUNT);
            assert_true(part >= 0 && part < COUNT && !taken[part]);
            taken[part] = true;
        }
    }
    assert_memory_equal(draws.number, again.number, sizeof(double) * COUNT * 4);
    assert_memory_not_equal(draws.number, other.number, sizeof(double) * COUNT * 4);
    /* Not the same order twice. */
    int alike = 0;
    for (int n = 1; n < COUNT; n++) {
        alike += (draws.number[n * 4] > draws.number[n * 4 - 4]) == (draws.number[n * 4 + 1] > draws.number[n * 4 - 3]);
    }
    assert_true(alike > 8 && alike < 28);
    draws_free(&draws);
    draws_free(&again);
    draws_free(&other);
}

/* a, b normal, c uniform. In orthonormal polynomials: 2 + 3 a - 0.5 b + 0.4 sqrt(2) (a^2 - 1)/sqrt(2) + 0.6 a b
 * + 1/sqrt(3) (sqrt(3) c) + 2 / (3 sqrt(5)) (sqrt(5) (3 c^2 - 1)/2) + 1/3. */
static double polynomial(const double *x)
{
    return 2.0 + 3.0 * x[0] - 0.5 * x[1] + 0.4 * (x[0] * x[0] - 1) + 0.6 * x[0] * x[1] + x[2] + x[2] * x[2];
}

static void test_exact(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    struct draws draws = draws_of(3, 2, COUNT, 1);
    struct chaos chaos;
    double values[COUNT], found[10];
    pw_error error = {""};
    for (int n = 0; n < COUNT; n++) {
        values[n] = polynomial(draws.number + 3 * n);
    }
    assert_int_equal(chaos_terms(3, 2), 10);
    assert_int_equal(chaos_create(&draws, 2, &chaos, &error), PW_OK);
    assert_true(chaos_fit(&chaos, values, found) < 1e-18);
    /* 1, a, b, c, aa, ab, ac, bb, bc, cc */
    const double expected[10] = {2.0 + 1.0 / 3,      3.0, -0.5, 1 / sqrt(3.0), 0.4 * sqrt(2.0), 0.6, 0, 0, 0,
                                 2 / (3 * sqrt(5.0))};
    for (int t = 0; t < 10; t++) {
        assert_true(fabs(found[t] - expected[t]) < 1e-9);
    }
    chaos_free(&chaos);
    draws.count = 19;
    assert_int_equal(chaos_create(&draws, 2, &chaos, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "at least 20 samples"));
    draws_free(&draws);
}

/* The error at a sample of the fit without it, by making that fit. */
static void test_leave_one_out(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    struct draws draws = draws_of(2, 1, COUNT, 3);
    struct chaos all, without;
    double values[COUNT], found[3], sum = 0.0;
    pw_error error = {""};
    for (int n = 0; n < COUNT; n++) {
        values[n] = exp(draws.number[2 * n]) + draws.number[2 * n + 1];
    }
    assert_int_equal(chaos_create(&draws, 1, &all, &error), PW_OK);
    double quick = chaos_fit(&all, values, found);
    for (int left = 0; left < COUNT; left++) {
        struct draws fewer = draws_of(2, 1, COUNT - 1, 3);
        double others[COUNT], row[3], guess = 0.0;
        for (int n = 0, to = 0; n < COUNT; n++) {
            if (n != left) {
                memcpy(fewer.number + 2 * to, draws.number + 2 * n, 2 * sizeof(double));
                others[to++] = values[n];
            }
        }
        assert_int_equal(chaos_create(&fewer, 1, &without, &error), PW_OK);
        chaos_fit(&without, others, found);
        chaos_polynomials(&without, draws.number + 2 * left, row);
        for (int t = 0; t < 3; t++) {
            guess += found[t] * row[t];
        }
        sum += (values[left] - guess) * (values[left] - guess);
        chaos_free(&without);
        draws_free(&fewer);
    }
    assert_true(fabs(quick - sum) < 1e-9 * sum);
    chaos_free(&all);
    draws_free(&draws);
}

/* Of one mean: a normal distribution. Of two means far apart: half of the readings lie about each. Of normal means: the
 * variances add. */
static void test_reading(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    static double normal[COUNT];
    const double one = -60, two[] = {-90, -50};
    assert_true(fabs(reading_quantile(&one, 1, 3, 0.1) - (-60 - 3 * 1.2815515655446004)) < 1e-5);
    assert_true(fabs(reading_quantile(&one, 1, 3, 0.9) - (-60 + 3 * 1.2815515655446004)) < 1e-5);
    assert_true(reading_quantile(&one, 1, 0, 0.9) == -60 && reading_quantile(two, 2, 0, 0.5) == -70);
    assert_true(fabs(reading_quantile(two, 2, 2, 0.25) + 90) < 1e-5);
    assert_true(fabs(reading_quantile(two, 2, 2, 0.1) - (-90 + 2 * normal_quantile(0.2))) < 1e-5);
    for (int n = 0; n < COUNT; n++) {
        normal[n] = -70 + 4 * normal_quantile((n + 0.5) / COUNT);
    }
    assert_true(fabs(reading_quantile(normal, COUNT, 3, 0.1) - (-70 - 5 * 1.2815515655446004)) < 2e-3);
    assert_true(fabs(reading_quantile(normal, COUNT, 3, 0.975) - (-70 + 5 * 1.959963984540054)) < 5e-3);
    assert_true(fabs(reading_meets(-60, 3, -60, false) - 0.5) < 1e-12);
    assert_true(fabs(reading_meets(-60, 3, -63, false) - 0.841344746068543) < 1e-12);
    assert_true(fabs(reading_meets(60, 3, 63, true) - 0.841344746068543) < 1e-12);
    assert_true(reading_meets(-60, 0, -60, false) == 1 && reading_meets(-60, 0, -59, false) == 0);
}

/* What a scatter widens: of a normal number of deviation 1 with a scatter of 0.75 it is 1.25. All methods. */
static void test_scatter(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    struct draws draws = draws_of(1, 1, COUNT, 1);
    const pw_spread spread = {.parameter = "a"};
    const double threshold = 0.5;
    pw_uncertainty_options options = pw_uncertainty_options_default();
    options.spreads = &spread;
    options.spread_count = 1;
    options.thresholds = &threshold;
    options.threshold_count = 1;
    for (int method = PW_UNCERTAINTY_SAMPLES; method <= PW_UNCERTAINTY_FIRST_ORDER; method++) {
        double maps[7][2], nominal[2] = {0.0, 0.0};
        uint8_t counted[2] = {1, 1};
        pw_uncertainty found = two_cells(maps, nominal, counted);
        float values[2 * COUNT];
        pw_error error = {""};
        found.scatter = 0.75;
        options.method = (pw_uncertainty_method)method;
        if (method == PW_UNCERTAINTY_FIRST_ORDER) {
            draws.count = 2;
            draws_step(&draws);
        }
        for (int n = 0; n < draws.count; n++) {
            values[n] = values[draws.count + n] = (float)draws.number[n];
        }
        values[draws.count] = NAN; /* the other cell */
        assert_int_equal(statistics_fill(&draws, values, &options, false, &found, &error), PW_OK);
        assert_true(fabs(found.p90[0] - 1.28155) < 0.02 && fabs(found.reading_p90[0] - 1.25 * 1.28155) < 0.02);
        assert_true(fabs(found.reading_p10[0] + 1.25 * 1.28155) < 0.02);
        assert_true(isnan(found.reading_p10[1]) && isnan(found.reading_p90[1]));
        /* Readings of the first cell are over 0.4 of 1.25 in 34 %. The other cell lacks a draw: it has none in first
         * order, and of samples all but one. */
        const double half = 0.5 * 0.344578258389676,
                     one = reading_meets(draws.number[0], 0.75, threshold, false) / COUNT;
        const double there = method == PW_UNCERTAINTY_FIRST_ORDER ? half : 2 * half - 0.5 * one;
        assert_true(fabs(found.shares[0].readings - there) < 2e-3);
    }
    draws_free(&draws);
}

/* A map of two cells: the polynomial, and a cell without a value. */
static void test_statistics(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    struct draws draws = draws_of(3, 2, COUNT, 1);
    const pw_spread spreads[3] = {{.parameter = "a"}, {.parameter = "b"}, {.parameter = "c"}};
    const double thresholds[2] = {2.0, 1e9};
    pw_uncertainty_options options = pw_uncertainty_options_default();
    options.spreads = spreads;
    options.spread_count = 3;
    options.thresholds = thresholds;
    options.threshold_count = 2;
    double maps[7][2], nominal[2] = {3.0, 3.0};
    uint8_t counted[2] = {1, 1};
    pw_uncertainty found = two_cells(maps, nominal, counted);
    float values[2 * COUNT];
    pw_error error = {""};
    int over = 0;
    for (int n = 0; n < COUNT; n++) {
        values[n] = (float)polynomial(draws.number + 3 * n);
        values[COUNT + n] = n == 7 ? NAN : 1.0F;
        over += values[n] >= 2.0F;
    }
    assert_int_equal(statistics_fill(&draws, values, &options, false, &found, &error), PW_OK);
    assert_true(found.from_chaos && found.degree == 2 && found.chaos_error < 1e-9 && found.cells == 1);
    /* Sobol's indices by the coefficients above. */
    double a = 9 + 0.32, b = 0.25, c = 1.0 / 3 + 4.0 / 45, ab = 0.36, variance = a + b + c + ab;
    assert_true(fabs(found.sensitivity[0].alone - a / variance) < 1e-5);
    assert_true(fabs(found.sensitivity[0].total - (a + ab) / variance) < 1e-5);
    assert_true(fabs(found.sensitivity[1].alone - b / variance) < 1e-5);
    assert_true(fabs(found.sensitivity[1].total - (b + ab) / variance) < 1e-5);
    assert_true(fabs(found.sensitivity[2].alone - c / variance) < 1e-5);
    assert_true(fabs(found.deviation[0] - sqrt(variance)) < 0.05 * sqrt(variance));
    assert_true(fabs(found.mean[0] - (2 + 1.0 / 3)) < 0.15);
    assert_true(isnan(found.p10[1]) && isnan(found.mean[1]));
    /* Half of the floor has no value in a draw, and meets no threshold there. */
    assert_true(fabs(found.shares[0].nominal - 1.0) < 1e-12 && found.shares[1].p90 == 0.0);
    assert_true(found.shares[0].p50 == (over > COUNT / 2 ? 0.5 : 0.0));

    /* One normal number: the quantiles are its own, and so they are by samples. */
    for (int n = 0; n < COUNT; n++) {
        values[n] = (float)draws.number[3 * n];
    }
    for (int method = PW_UNCERTAINTY_SAMPLES; method <= PW_UNCERTAINTY_CHAOS; method++) {
        options.method = (pw_uncertainty_method)method;
        memset(found.sensitivity, 0, sizeof found.sensitivity);
        assert_int_equal(statistics_fill(&draws, values, &options, false, &found, &error), PW_OK);
        assert_true(found.from_chaos == (method == PW_UNCERTAINTY_CHAOS));
        assert_true(fabs(found.p10[0] + 1.28155) < 0.02 && fabs(found.p90[0] - 1.28155) < 0.02);
        assert_true(fabs(found.p50[0]) < 0.02);
    }
    draws_free(&draws);
}

/* 1 + 3 a - 0.5 b + 2 c + 0.4 (a^2 - 1): the slopes are found whatever bends, and what bends is told. */
static void test_first_order(void **state)
{
    (void)state;
    struct draws draws = draws_of(3, 2, 6, 1);
    const pw_spread spreads[3] = {{.parameter = "a"}, {.parameter = "b"}, {.parameter = "c"}};
    const double threshold = 1.0;
    pw_uncertainty_options options = pw_uncertainty_options_default();
    options.method = PW_UNCERTAINTY_FIRST_ORDER;
    options.spreads = spreads;
    options.spread_count = 3;
    options.thresholds = &threshold;
    options.threshold_count = 1;
    double maps[7][2], nominal[2] = {1.0, 1.0};
    uint8_t counted[2] = {1, 1};
    pw_uncertainty found = two_cells(maps, nominal, counted);
    float values[2 * 6];
    pw_error error = {""};
    draws_step(&draws);
    for (int n = 0; n < 6; n++) {
        const double *x = draws.number + (size_t)3 * (size_t)n;
        values[n] = (float)(1.0 + 3.0 * x[0] - 0.5 * x[1] + 2.0 * x[2] + 0.4 * x[0] * x[0]);
        values[6 + n] = n == 4 ? NAN : 1.0F;
    }
    assert_int_equal(statistics_fill(&draws, values, &options, false, &found, &error), PW_OK);
    const double variance = 9 + 0.25 + 4.0 / 3; /* of a uniform number from -1 to 1: a third */
    assert_true(fabs(found.deviation[0] - sqrt(variance)) < 1e-5 && fabs(found.spread - sqrt(variance)) < 1e-5);
    assert_true(fabs(found.sensitivity[0].alone - 9 / variance) < 1e-5);
    assert_true(fabs(found.sensitivity[2].total - 4.0 / 3 / variance) < 1e-5);
    assert_true(fabs(found.quantile_error - 9 / variance * 0.4 * 1.28155 * 1.28155) < 1e-4);
    assert_true(fabs(found.p50[0] - 1.0) < 0.1 && fabs(found.p90[0] - found.p50[0] - 1.28 * sqrt(variance)) < 0.2);
    assert_true(isnan(found.p10[1]) && isnan(found.deviation[1]) && !found.from_chaos);
    assert_true(found.shares[0].p90 == 0.5 && found.shares[0].p10 == 0.0); /* a cell of two has no value */
    draws_free(&draws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal),          cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_latin_hypercube), cmocka_unit_test(test_exact),
        cmocka_unit_test(test_leave_one_out),   cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_first_order),     cmocka_unit_test(test_reading),
        cmocka_unit_test(test_scatter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
