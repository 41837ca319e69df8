/* Fields that are kept in 16 bits (problem/half.h): what rounding does to a unit of eight, and that all solvers of the
 * CPU keep the same. What it adds to a result: test_half_noise.c. */
#include "problem/half.h"
#include "tests/volume/volume_compare.h"

#include <float.h>

enum { UNITS = 200000 };

/* Values of one unit: some large, some small, some zero. */
static void random_unit_of(unsigned *seed, float value[HALF_UNIT])
{
    const int scale = random_between(seed, -90, 100);
    for (int c = 0; c < HALF_UNIT; c++) {
        const double size = ldexp(2 * random_unit(seed) - 1, scale - random_between(seed, 0, 16));
        value[c] = random_next(seed) % 7 == 0 ? 0 : (float)size;
    }
}

static void round_unit(const float *value, float rounded[HALF_UNIT])
{
    const struct half_unit unit = half_encode(value);
    for (int c = 0; c < HALF_UNIT; c++) {
        rounded[c] = half_decode(&unit, c);
    }
}

static double largest_magnitude(const float *value)
{
    double most = 0;
    for (int c = 0; c < HALF_UNIT; c++) {
        most = fmax(most, fabs((double)value[c]));
    }
    return most;
}

static void test_a_unit_takes_sixteen_bytes(void **unused)
{
    (void)unused;
    assert_int_equal(sizeof(struct half_unit), 2 * HALF_UNIT);
}

/* Within half of 2^-13 of the power of two that is not above the largest, or the next where rounding carries. */
static void test_errors_are_as_small_as_can_be(void **unused)
{
    (void)unused;
    unsigned seed = 1;
    for (int n = 0; n < UNITS; n++) {
        float value[HALF_UNIT], rounded[HALF_UNIT];
        int exponent;
        random_unit_of(&seed, value);
        round_unit(value, rounded);
        const double largest = largest_magnitude(value);
        (void)frexp(largest * (1 + ldexp(1, -15) + ldexp(1, -28)), &exponent);
        for (int c = 0; c < HALF_UNIT; c++) {
            const double error = fabs((double)rounded[c] - (double)value[c]);
            assert_true(error <= ldexp(1, exponent - 15));
            assert_true(error <= ldexp(largest, -14) * (1 + ldexp(1, -14)));
            assert_true(value[c] != 0 || rounded[c] == 0);
        }
    }
}

static void test_what_is_kept_is_kept(void **unused)
{
    (void)unused;
    unsigned seed = 2;
    for (int n = 0; n < UNITS; n++) {
        float value[HALF_UNIT], once[HALF_UNIT], twice[HALF_UNIT];
        random_unit_of(&seed, value);
        round_unit(value, once);
        round_unit(once, twice);
        assert_memory_equal(once, twice, sizeof once);
    }
}

static void test_signs_and_order_stay(void **unused)
{
    (void)unused;
    unsigned seed = 3;
    for (int n = 0; n < UNITS; n++) {
        float value[HALF_UNIT], minus[HALF_UNIT], rounded[HALF_UNIT], mirrored[HALF_UNIT];
        random_unit_of(&seed, value);
        for (int c = 0; c < HALF_UNIT; c++) {
            minus[c] = -value[c];
        }
        round_unit(value, rounded);
        round_unit(minus, mirrored);
        for (int c = 0; c < HALF_UNIT; c++) {
            assert_true(mirrored[c] == -rounded[c]);
            for (int d = 0; d < HALF_UNIT; d++) {
                assert_true(value[c] > value[d] || rounded[c] <= rounded[d]);
            }
        }
    }
}

/* Powers of two, and the largest value just before the next of them, where rounding carries into the exponent. */
static void test_ties_and_carries(void **unused)
{
    (void)unused;
    float value[HALF_UNIT] = {16383.5F, 1, 0.5F, 1.5F, -0.5F, 2.5F, -1, 3}, rounded[HALF_UNIT];
    round_unit(value, rounded); /* steps of 2: 16383.5 becomes 2^14 */
    const float wanted[HALF_UNIT] = {16384, 0, 0, 2, 0, 2, 0, 4};
    assert_memory_equal(rounded, wanted, sizeof wanted);
    value[0] = 16383.25F; /* steps of 1 */
    round_unit(value, rounded);
    const float finer[HALF_UNIT] = {16383, 1, 0, 2, 0, 2, -1, 3};
    assert_memory_equal(rounded, finer, sizeof finer);
}

static void test_the_ends_of_the_range(void **unused)
{
    (void)unused;
    const float tiny[HALF_UNIT] = {FLT_TRUE_MIN, -FLT_MIN, 1e-35F, 0, -0.0F, 1e-36F, 0, 0}, zeros[HALF_UNIT] = {0};
    float rounded[HALF_UNIT];
    struct half_unit unit = half_encode(tiny);
    assert_memory_equal(&unit, zeros, sizeof unit);
    round_unit(tiny, rounded);
    assert_memory_equal(rounded, zeros, sizeof zeros); /* no negative zero either */
    const float bad[] = {INFINITY, -INFINITY, NAN, -NAN, FLT_MAX, 1e36F};
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
        const float value[HALF_UNIT] = {1, bad[b], 0};
        round_unit(value, rounded);
        float row[HALF_UNIT] = {1, bad[b], 0};
        half_round_row(row, HALF_UNIT);
        for (int c = 0; c < HALF_UNIT; c++) {
            assert_true(isnan(rounded[c]) && isnan(row[c]));
        }
    }
    const float large[HALF_UNIT] = {1e35F, 1, -1e35F}, small[HALF_UNIT] = {1e-33F};
    round_unit(large, rounded);
    assert_true(fabsf(rounded[0] / large[0] - 1) < 1e-4F && rounded[1] == 0 && rounded[2] == -rounded[0]);
    round_unit(small, rounded);
    assert_true(fabsf(rounded[0] / small[0] - 1) < 1e-4F);
}

/* A row is rounded as its units are; what is beyond its end counts for nothing and stays. */
static void test_rows_are_made_of_units(void **unused)
{
    (void)unused;
    unsigned seed = 4;
    for (int count = 1; count < 5 * HALF_UNIT; count++) {
        float row[6 * HALF_UNIT], kept[6 * HALF_UNIT];
        for (int u = 0; u < 6; u++) {
            random_unit_of(&seed, row + u * HALF_UNIT);
        }
        memcpy(kept, row, sizeof row);
        half_round_row(kept, count);
        for (int u = 0; u * HALF_UNIT < count; u++) {
            const int places = count - u * HALF_UNIT < HALF_UNIT ? count - u * HALF_UNIT : HALF_UNIT;
            float value[HALF_UNIT] = {0}, rounded[HALF_UNIT];
            memcpy(value, row + u * HALF_UNIT, (size_t)places * sizeof *value);
            round_unit(value, rounded);
            assert_memory_equal(kept + u * HALF_UNIT, rounded, (size_t)places * sizeof *rounded);
        }
        assert_memory_equal(kept + count, row + count, (size_t)(6 * HALF_UNIT - count) * sizeof *row);
    }
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

static struct random_volume_options kept_in_half(enum scheme scheme, unsigned seed)
{
    struct random_volume_options options = volume_usual(scheme, PW_SINGLE);
    options.n[0] = 35, options.n[1] = 27, options.n[2] = 23;
    options.steps = 19;
    options.metal = 300;
    options.half = true;
    options.seed = seed;
    return options;
}

static void test_cpu_is_the_reference(void **unused)
{
    (void)unused;
    const char *const SOLVERS[] = {"avx512-3d", "avx2-3d", "baseline-3d"};
    const struct random_volume_options like = volume_usual(SCHEME_YEE, PW_SINGLE);
    for (int s = 0; s < 3; s++) {
        for (int scheme = 0; volume_solver_works(&like, SOLVERS[s]) && scheme < SCHEME_COUNT; scheme++) {
            struct random_volume_options options = kept_in_half((enum scheme)scheme, 3 + (unsigned)scheme);
            options.tensors = scheme % 2 == 0 ? 20 : 0;
            options.symmetric[0] = options.symmetric[2] = scheme % 3 == 1;
            options.n[0] += scheme;
            options.hard = scheme % 3 == 0;
            compare_with_cpu(&options, SOLVERS[s], 1 + scheme % 3, scheme % 2 == 0 ? 0 : 7, s != 2);
        }
    }
}

/* A run that is saved half way, read and gone on with is the whole one; and what is kept are rounded values. */
static void resumes(const struct backend *backend)
{
    const struct random_volume_options options = kept_in_half(SCHEME_FD4O, 8);
    struct problem problem = random_volume(options);
    struct run_state wanted = volume_solve(backend, &problem, NULL, NULL, 0);
    struct stepper *first = volume_stepper(backend, &problem, NULL);
    volume_advance(first, 11);
    struct run_state half_way = volume_state(&problem, first);
    stepper_destroy(first);
    struct run_state found = volume_solve(backend, &problem, NULL, &half_way, 0);
    assert_same_states(&problem, &wanted, &found);
    const int nx = problem.axis[0].count;
    for (int64_t row = 0; row < problem_nodes(&problem) / nx; row++) {
        for (int c = 0; c < 6; c++) {
            float kept[64];
            for (int i = 0; i < nx; i++) {
                kept[i] = (float)found.field[c][row * nx + i];
            }
            half_round_row(kept, nx);
            for (int i = 0; i < nx; i++) {
                assert_true(kept[i] == (float)found.field[c][row * nx + i]);
            }
        }
    }
    run_state_free(&wanted);
    run_state_free(&half_way);
    run_state_free(&found);
    problem_free(&problem);
}

static void test_resumed_runs_are_whole_ones(void **unused)
{
    (void)unused;
    resumes(&backend_reference);
    resumes(&backend_cpu);
}

/* A field that is no number any more is seen by the watch over the energy. */
static void test_growth_is_seen(void **unused)
{
    (void)unused;
    struct problem problem = random_volume(kept_in_half(SCHEME_YEE, 9));
    struct run_state start;
    pw_error error;
    assert_int_equal(run_state_create(&problem, 0, &start, &error), PW_OK);
    start.field[0][problem_nodes(&problem) / 2] = 1e37;
    const struct backend *const backends[] = {&backend_reference, &backend_cpu};
    for (int b = 0; b < 2; b++) {
        struct stepper *stepper = volume_stepper(backends[b], &problem, NULL);
        double energy = 0;
        assert_int_equal(stepper_load(stepper, 0, &start, &error), PW_OK);
        volume_advance(stepper, 2);
        assert_int_equal(stepper_energy(stepper, 0, &energy, &error), PW_OK);
        assert_true(isnan(energy) || isinf(energy));
        stepper_destroy(stepper);
    }
    run_state_free(&start);
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_unit_takes_sixteen_bytes),
        cmocka_unit_test(test_errors_are_as_small_as_can_be),
        cmocka_unit_test(test_what_is_kept_is_kept),
        cmocka_unit_test(test_signs_and_order_stay),
        cmocka_unit_test(test_ties_and_carries),
        cmocka_unit_test(test_the_ends_of_the_range),
        cmocka_unit_test(test_rows_are_made_of_units),
        cmocka_unit_test(test_cpu_is_the_reference),
        cmocka_unit_test(test_resumed_runs_are_whole_ones),
        cmocka_unit_test(test_growth_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
