/* The tuned scheme against figures from outside, and its law: over the band, in every direction, the wave speed is off
 * by no more than the fit promises; and the fit beats the untuned taps. */
#include <math.h>

#include "problem/stencil.h"
#include "tests/support/check.h"

/* Largest |v/c - 1| over directions, at one frequency with `cells` cells a wavelength and exact time stepping. */
static double worst_speed_error(const struct stencil *stencil, double cells, int dimensions)
{
    double phase = 2 * M_PI / cells, worst = 0;
    for (int a = 0; a <= 90; a++) {
        for (int e = 0; e <= (dimensions == 3 ? 90 : 0); e++) {
            double azimuth = a * M_PI / 180, height = sin(e * M_PI / 180), across = sqrt(1 - height * height), sum = 0;
            double direction[3] = {across * cos(azimuth), across * sin(azimuth), height};
            for (int i = 0; i < 3; i++) {
                double part = 2 * stencil_symbol(stencil, phase * direction[i]) / phase;
                sum += part * part;
            }
            worst = fmax(worst, fabs(sqrt(sum) - 1));
        }
    }
    return worst;
}

/* Taps and errors of an independent fit: 1.1301359, -0.0434237 and 1.5e-5 for 12 cells, 1.1323921, -0.0442252
 * and 3.1e-5 for 10, three dimensions, one frequency. */
static void test_taps_of_an_independent_fit(void **state)
{
    (void)state;
    const struct {
        double cells, tap[2], error;
    } CASES[] = {{12, {1.1301359, -0.0434237}, 1.5e-5}, {10, {1.1323921, -0.0442252}, 3.15e-5}};
    for (int c = 0; c < 2; c++) {
        struct stencil fitted = stencil_get(SCHEME_FD4O, &(struct stencil_band){CASES[c].cells, 0, 3});
        double worst = worst_speed_error(&fitted, CASES[c].cells, 3);
        print_message("%g cells: %.7f %.7f, worst error %.2e\n", CASES[c].cells, fitted.difference[0],
                      fitted.difference[1], worst);
        assert_true(fabs(fitted.difference[0] - CASES[c].tap[0]) < 2e-6);
        assert_true(fabs(fitted.difference[1] - CASES[c].tap[1]) < 1e-6);
        assert_true(worst < CASES[c].error);
    }
}

/* The same source: 4.3e-5 over a band of +-5 %, 8e-5 over +-10 %, at 12 cells in three dimensions. */
static void test_error_over_a_band(void **state)
{
    (void)state;
    const double HALVES[] = {0.05, 0.1}, LIMITS[] = {4.3e-5, 8e-5};
    for (int c = 0; c < 2; c++) {
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            struct stencil fitted = stencil_get(SCHEME_FD4O, &(struct stencil_band){12, 2 * HALVES[c], dimensions});
            double worst = 0;
            for (int f = -4; f <= 4; f++) {
                worst = fmax(worst, worst_speed_error(&fitted, 12 / (1 + HALVES[c] * f / 4), dimensions));
            }
            print_message("%d dimensions, +-%g %%: %.2e\n", dimensions, 100 * HALVES[c], worst);
            assert_true(worst < LIMITS[c]);
        }
    }
}

/* For any band that a plan may have: no worse than the taps of fd4 at its worst frequency. */
static void test_beats_fd4_over_every_band(void **state)
{
    (void)state;
    struct stencil plain = stencil_get(SCHEME_FD4, &STENCIL_USUAL_BAND);
    for (double cells = 5; cells < 100; cells *= 1.5) {
        for (double width = 0; width < 0.7; width += 0.2) {
            struct stencil fitted = stencil_get(SCHEME_FD4O, &(struct stencil_band){cells, width, 2});
            double tuned = 0, untuned = 0;
            for (int f = -2; f <= 2; f++) {
                double there = cells / (1 + 0.25 * width * f);
                tuned = fmax(tuned, worst_speed_error(&fitted, there, 2));
                untuned = fmax(untuned, worst_speed_error(&plain, there, 2));
            }
            assert_true(tuned < untuned);
            assert_true(fitted.courant_limit > 0.8);
        }
    }
}

/* What the scheme has for k^2, by its law. */
static double operator_of(const struct stencil *stencil, double cell, double k, double angle)
{
    return pow(2 * stencil_symbol(stencil, k * cos(angle) * cell) / cell, 2) +
           pow(2 * stencil_symbol(stencil, k * sin(angle) * cell) / cell, 2);
}

/* The wave number solves the dispersion relation to the last digits, and it is the smallest that does: no longer wave
 * has that frequency. Where there is none, the operator stays below up to the shortest wave. */
static void test_wave_number_is_the_first_root(void **state)
{
    (void)state;
    const double cell = 0.02, light = 299792458;
    int found = 0, none = 0;
    for (int s = 0; s < SCHEME_COUNT; s++) {
        for (double cells = 2.05; cells < 60; cells *= 1.07) {
            const struct stencil stencil = stencil_get((enum scheme)s, &(struct stencil_band){cells, 0.1, 2});
            const double omega = 2 * M_PI * light / (cells * cell),
                         step = cells * cell < 0.3 ? 0 : 0.5 * cell / light, /* s; 0: exact */
                temporal = step > 0 ? 2 * sin(0.5 * omega * step) / (light * step) : omega / light;
            for (int a = 0; a <= 4; a++) {
                const double angle = a * M_PI / 16, k = stencil_wave_number(&stencil, cell, step, omega, angle);
                const double last = isfinite(k) ? k * (1 - 1e-12) : M_PI / (1.06 * cell);
                for (int n = 0; n <= 100; n++) {
                    assert_true(operator_of(&stencil, cell, last * n / 100, angle) < temporal * temporal);
                }
                if (isfinite(k)) {
                    assert_true(operator_of(&stencil, cell, k * (1 + 1e-12), angle) > temporal * temporal);
                }
                found += isfinite(k);
                none += !isfinite(k);
            }
        }
    }
    print_message("%d wave numbers, %d beyond cut-off\n", found, none);
    assert_true(found > 1000 && none > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taps_of_an_independent_fit), cmocka_unit_test(test_error_over_a_band),
        cmocka_unit_test(test_beats_fd4_over_every_band), cmocka_unit_test(test_wave_number_is_the_first_root)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
