/* Solving a scenario written in a test, and reading its channels; for the tests of physics and for validation/, which
 * defines SOLVE_CHECK(status, error) to do without cmocka. */
#ifndef SOLVE_H
#define SOLVE_H

#include <complex.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/simulation.h"

#ifndef SOLVE_CHECK
#include "tests/support/check.h"
#define SOLVE_CHECK(status, error)                                                                                     \
    do {                                                                                                               \
        pw_status solve_status_ = (status);                                                                            \
        if (solve_status_ != PW_OK) {                                                                                  \
            print_error("%s\n", (error)->message);                                                                     \
        }                                                                                                              \
        assert_int_equal(solve_status_, PW_OK);                                                                        \
    } while (0)
#endif

struct solved {
    pw_scenario *scenario;
    pw_setup *setup;
    pw_simulation *simulation;
};

/* Threads for the cpu engine: all of them (0), but one where solves go side by side. */
static inline int solve_threads(void)
{
    return omp_in_parallel() ? 1 : 0;
}

static inline struct solved solve_prepare(const char *text, pw_precision precision, const char *backend)
{
    struct solved solved = {0};
    pw_error error = {{0}};
    pw_status status = pw_scenario_parse("test", text, NULL, 0, &solved.scenario, &error);
    status = status != PW_OK ? status : pw_setup_create(solved.scenario, precision, false, &solved.setup, &error);
    status = status != PW_OK
                 ? status
                 : pw_simulation_create(solved.setup, &(pw_compute){.backend = backend, .threads = solve_threads()}, 0,
                                        solved.setup->problem.source_count, &solved.simulation, &error);
    SOLVE_CHECK(status, &error);
    return solved;
}

static inline struct solved solve(const char *text, pw_precision precision, const char *backend)
{
    struct solved solved = solve_prepare(text, precision, backend);
    pw_error error = {{0}};
    pw_status status = pw_simulation_run(solved.simulation, NULL, NULL, &error);
    SOLVE_CHECK(status, &error);
    return solved;
}

static inline void solve_free(struct solved *solved)
{
    pw_simulation_free(solved->simulation);
    pw_setup_free(solved->setup);
    pw_scenario_free(solved->scenario);
}

/* H0^(2)(x) */
static inline double complex solve_hankel(double x)
{
    return j0(x) - I * y0(x);
}

/* The recorded series of a receiver; free it. */
static inline double *solve_series(const struct solved *solved, int run, int receiver)
{
    double *ez = calloc((size_t)solved->simulation->step + 1, sizeof(double));
    pw_error error = {{0}};
    SOLVE_CHECK(pw_simulation_receiver(solved->simulation, run, receiver, ez, &error), &error);
    return ez;
}

/* G(f) of a receiver (physics.md section 6) at frequency index f, from its series. */
static inline double complex solve_channel(const struct solved *solved, int run, const double *ez, int f)
{
    const struct setup *setup = solved->setup;
    double *spectrum = calloc(2 * (size_t)setup->frequency_count, sizeof(double));
    double dt = setup->problem.time_step, omega = setup->omega[f];
    pw_error error = {{0}};
    SOLVE_CHECK(pw_simulation_source_spectrum(solved->simulation, run, spectrum, &error), &error);
    double complex current = spectrum[2 * f] + I * spectrum[2 * f + 1], field = 0;
    for (int64_t n = 0; n < solved->simulation->step; n++) {
        field += ez[n] * cexp(-I * fmod(omega * (double)(n + 1) * dt, 2 * M_PI)) * dt;
    }
    free(spectrum);
    double w = 2 * M_PI * setup->frequency[f];
    double complex free_space = -w * 4e-7 * M_PI / 4 * solve_hankel(w / 299792458.0);
    return field / current / free_space;
}

#endif
