/* Solving hand-built three-dimensional problems in tests, and comparing all that a solver hands out; the cpu backend
 * against the reference. */
#ifndef VOLUME_COMPARE_H
#define VOLUME_COMPARE_H

#include <stdio.h>

#include "tests/support/check.h"

#include "tests/volume/random_volume.h"

/* A stepper of this backend at work on run 0, or the test ends. */
static inline struct stepper *volume_stepper(const struct backend *backend, const struct problem *problem,
                                             const struct backend_options *options)
{
    struct stepper *stepper = NULL;
    pw_error error = {{0}};
    if (stepper_create(backend, problem, 0, 1, options, &stepper, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return stepper;
}

static inline void volume_advance(struct stepper *stepper, int64_t steps)
{
    pw_error error;
    assert_int_equal(stepper_advance(stepper, steps, &error), PW_OK);
}

/* Everything there is after the steps so far; free with run_state_free. */
static inline struct run_state volume_state(const struct problem *problem, struct stepper *stepper)
{
    struct run_state state;
    pw_error error;
    assert_int_equal(run_state_create(problem, problem->steps, &state, &error), PW_OK);
    assert_int_equal(stepper_save(stepper, 0, &state, &error), PW_OK);
    return state;
}

/* All steps on this backend, from rest or from `start`, `batch` steps at a time (0: all at once). */
static inline struct run_state volume_solve(const struct backend *backend, const struct problem *problem,
                                            const struct backend_options *options, const struct run_state *start,
                                            int64_t batch)
{
    struct stepper *stepper = volume_stepper(backend, problem, options);
    pw_error error;
    if (start != NULL) {
        assert_int_equal(stepper_load(stepper, 0, start, &error), PW_OK);
    }
    for (int64_t done = start != NULL ? start->step : 0; done < problem->steps;) {
        int64_t some = batch > 0 && batch < problem->steps - done ? batch : problem->steps - done;
        volume_advance(stepper, some);
        done += some;
    }
    struct run_state state = volume_state(problem, stepper);
    stepper_destroy(stepper);
    return state;
}

/* A problem with a bit of everything, no cell like the next. */
static inline struct random_volume_options volume_usual(enum scheme scheme, pw_precision precision)
{
    return (struct random_volume_options){.scheme = scheme,
                                          .precision = precision,
                                          .n = {21, 19, 23},
                                          .absorber = {4, 4, 4},
                                          .palette = 6,
                                          .layers = 5,
                                          .steps = 60,
                                          .sources = 1,
                                          .places = 5,
                                          .probes = 6,
                                          .frequencies = 3,
                                          .every = 2,
                                          .seed = 5};
}

/* All steps of the first source on the reference, from rest. */
static inline struct run_state volume_reference(const struct problem *problem)
{
    return volume_solve(&backend_reference, problem, NULL, NULL, 0);
}

/* What a run finds that is saved after 57 steps: when it goes on at once, in another stepper, and when the first one is
 * put back to there. */
struct volume_runs {
    struct run_state at_once, elsewhere, again;
};
static inline struct volume_runs volume_run_thrice(const struct backend *backend, const struct problem *problem,
                                                   const struct backend_options *options)
{
    struct volume_runs found;
    struct stepper *stepper = volume_stepper(backend, problem, options);
    pw_error error;
    volume_advance(stepper, 17);
    volume_advance(stepper, 40);
    struct run_state saved = volume_state(problem, stepper);
    volume_advance(stepper, problem->steps - 57);
    found.at_once = volume_state(problem, stepper);
    found.elsewhere = volume_solve(backend, problem, options, &saved, 50);
    assert_int_equal(stepper_load(stepper, 0, &saved, &error), PW_OK);
    volume_advance(stepper, problem->steps - 57);
    found.again = volume_state(problem, stepper);
    stepper_destroy(stepper);
    run_state_free(&saved);
    return found;
}

static inline void volume_runs_free(struct volume_runs *found)
{
    run_state_free(&found->at_once);
    run_state_free(&found->elsewhere);
    run_state_free(&found->again);
}

/* Whether bits differ; a zero's sign may where no wave has come. */
static inline bool volume_values_differ(double a, double b)
{
    return memcmp(&a, &b, sizeof a) != 0 && !(a == 0 && b == 0);
}

static inline void assert_same_values(const char *what, const double *a, const double *b, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (volume_values_differ(a[n], b[n])) {
            fail_msg("%s[%zu]: %.17g and %.17g", what, n, a[n], b[n]);
        }
    }
}

/* One of the arrays that two states have. */
struct volume_array {
    char what[16];
    const double *a, *b;
    size_t count;
};
enum { VOLUME_ARRAYS = 21 };

/* All that a solver hands out. */
static inline void volume_arrays_of(const struct problem *problem, const struct run_state *a, const struct run_state *b,
                                    struct volume_array arrays[VOLUME_ARRAYS])
{
    const char *fields[] = {"Ex", "Ey", "Ez", "hx", "hy", "hz"};
    const struct spectra *spectra = &problem->spectra;
    size_t nodes = (size_t)problem_nodes(problem), lattice = (size_t)spectra->rows * (size_t)spectra->columns;
    struct volume_array *next = arrays;
    for (int c = 0; c < 6; c++, next++) {
        *next = (struct volume_array){"", a->field[c], b->field[c], nodes};
        strcpy(next->what, fields[c]);
    }
    for (int x = 0; x < 3; x++) {
        size_t filters = nodes / (size_t)problem->axis[x].count * (size_t)run_state_filters(problem, x);
        for (int q = 0; q < 4; q++, next++) {
            *next = (struct volume_array){"", a->filter[x][q], b->filter[x][q], filters};
            snprintf(next->what, sizeof next->what, "filter[%d][%d]", x, q);
        }
    }
    *next++ = (struct volume_array){"probes", a->probes, b->probes, (size_t)a->step * (size_t)problem->probe_count};
    *next++ = (struct volume_array){"spectra", a->spectra, b->spectra, 2 * (size_t)spectra->frequency_count * lattice};
    *next =
        (struct volume_array){"samples", a->samples, b->samples, (size_t)spectra_waiting(spectra, a->step) * lattice};
}

static inline void assert_same_states(const struct problem *problem, const struct run_state *a,
                                      const struct run_state *b)
{
    struct volume_array arrays[VOLUME_ARRAYS];
    assert_int_equal(a->step, b->step);
    volume_arrays_of(problem, a, b, arrays);
    for (int n = 0; n < VOLUME_ARRAYS; n++) {
        assert_same_values(arrays[n].what, arrays[n].a, arrays[n].b, arrays[n].count);
    }
}

/* The same where a test is to go on: prints what differs of each array, where first and where last, and says whether
 * anything does. */
static inline bool volume_states_differ(const struct problem *problem, const struct run_state *a,
                                        const struct run_state *b)
{
    struct volume_array arrays[VOLUME_ARRAYS];
    const size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    bool differ = a->step != b->step;
    volume_arrays_of(problem, a, b, arrays);
    for (int n = 0; n < VOLUME_ARRAYS; n++) {
        const struct volume_array *own = &arrays[n];
        size_t places = 0, first = 0, last = 0;
        for (size_t p = 0; p < own->count && a->step == b->step; p++) {
            if (volume_values_differ(own->a[p], own->b[p])) {
                first = places++ == 0 ? p : first;
                last = p;
            }
        }
        if (places > 0) {
            printf("    %s: %zu of %zu places differ, from number %zu to %zu", own->what, places, own->count, first,
                   last);
            if (n < 6) {
                printf(", (%zu, %zu, %zu) to (%zu, %zu, %zu)", first % nx, first / nx % ny, first / nx / ny, last % nx,
                       last / nx % ny, last / nx / ny);
            }
            printf("; at the first %.17g and %.17g\n", own->a[first], own->b[first]);
        }
        differ = differ || places > 0;
    }
    fflush(stdout);
    return differ;
}

/* The largest magnitude. */
static inline double largest_of(const double *value, size_t count)
{
    double most = 0;
    for (size_t n = 0; n < count; n++) {
        most = fmax(most, fabs(value[n]));
    }
    return most;
}

/* The largest difference between a and scale*b. */
static inline double largest_difference(const double *a, const double *b, double scale, size_t count)
{
    double most = 0;
    for (size_t n = 0; n < count; n++) {
        most = fmax(most, fabs(a[n] - scale * b[n]));
    }
    return most;
}

/* ---- the cpu backend against the reference ----------------------------------------------------------------------- */

/* Whether this machine has the instructions of a solver for problems like these. */
static inline bool volume_solver_works(const struct random_volume_options *like, const char *solver)
{
    return cpu_solver_works(random_volume((struct random_volume_options){
                                .n = {8, 8, like->flat ? 1 : 8}, .flat = like->flat, .steps = 1, .sources = 1}),
                            solver);
}

/* The solver whose tiles are tested. */
static inline const char *tiled_solver(const struct random_volume_options *like)
{
    return volume_solver_works(like, "avx2-3d") ? "avx2-3d" : "baseline-3d";
}

/* The same bits from a solver of the cpu backend (NULL: its own choice) and the reference. */
static inline void compare_with_cpu(const struct random_volume_options *options, const char *solver, int threads,
                                    int64_t batch, bool random_start)
{
    struct problem problem = random_volume(*options);
    struct backend_options engine = {.threads = threads, .solver = solver};
    struct run_state start = {0};
    pw_error error;
    if (random_start) {
        assert_int_equal(run_state_create(&problem, problem.steps, &start, &error), PW_OK);
        random_volume_start(&problem, &start, 3);
    }
    const struct run_state *from = random_start ? &start : NULL;
    struct run_state wanted = volume_solve(&backend_reference, &problem, NULL, from, 0);
    struct run_state found = volume_solve(&backend_cpu, &problem, &engine, from, batch);
    assert_same_states(&problem, &wanted, &found);
    run_state_free(&start);
    run_state_free(&wanted);
    run_state_free(&found);
    problem_free(&problem);
}

/* The same for every scheme, instruction set and precision of the problems that `make` describes. */
static inline void compare_instruction_sets(struct random_volume_options (*make)(enum scheme, pw_precision))
{
    const char *solvers[] = {"avx512-3d", "avx2-3d", "baseline-3d"};
    const struct random_volume_options like = make(SCHEME_YEE, PW_SINGLE);
    for (int s = 0; s < 3; s++) {
        for (int scheme = 0; volume_solver_works(&like, solvers[s]) && scheme < SCHEME_COUNT; scheme++) {
            for (int precision = 0; precision < 2; precision++) {
                struct random_volume_options options = make((enum scheme)scheme, (pw_precision)precision);
                if (s == 2) { // ten times slower, and the same lines: fewer steps
                    options.steps = (options.steps + 1) / 2;
                } else {
                    compare_with_cpu(&options, solvers[s], 1, 0, true);
                }
                compare_with_cpu(&options, solvers[s], 3, 7, false);
            }
        }
    }
}

#endif
