/* One problem on the reference and on solvers of the CUDA backend, compared value by value: single precision must agree
 * bit for bit, double within 1e-13 of the largest value. For the tests of tests/solver/test_gpu*.c. */
#ifndef GPU_COMPARE_H
#define GPU_COMPARE_H

#include "tests/support/random_rooms.h" /* before cmocka, which has a macro fail() */

#include "tests/support/check.h"
#include "tests/support/gpu/gpu_works.h"

/* Everything one run hands back. */
struct outcome {
    struct run_state state;
    double *spectra;
    double energy;
};

static inline void outcome_free(struct outcome *o)
{
    run_state_free(&o->state);
    free(o->spectra);
}

static inline size_t spectrum_values(const struct problem *p)
{
    return 2 * (size_t)p->spectra.frequency_count * (size_t)p->spectra.rows * (size_t)p->spectra.columns;
}

static inline void collect(const struct problem *p, struct stepper *state, int run, struct outcome *o)
{
    pw_error error = {0};
    if (run_state_create(p, p->steps, &o->state, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    if (stepper_save(state, run, &o->state, &error) != PW_OK ||
        stepper_energy(state, run, &o->energy, &error) != PW_OK) {
        fail_msg("%s: %s", state->solver->name, error.message);
    }
    o->spectra = random_array(spectrum_values(p), sizeof(double));
    if (p->spectra.frequency_count > 0 &&
        stepper_read_spectra(state, run, 0, p->spectra.rows, o->spectra, &error) != PW_OK) {
        fail_msg("%s: %s", state->solver->name, error.message);
    }
}

/* Steps in three unequal advances, so that passes of every length occur, and looks at the spectra on the way, which
 * must change nothing. PW_USAGE when the solver does not suit the grid. */
static inline pw_status solve(const struct backend *backend, const struct problem *p, const char *solver, int runs,
                              struct outcome *outcomes)
{
    pw_error error = {0};
    struct backend_options options = {.solver = solver};
    struct stepper *state = NULL;
    pw_status status = stepper_create(backend, p, 0, runs, &options, &state, &error);
    if (status == PW_USAGE && solver != NULL) {
        return status;
    }
    if (status != PW_OK) {
        fail_msg("%s %s: %s", backend->name, solver != NULL ? solver : "auto", error.message);
    }
    for (int r = 0; r < runs; r++) {
        struct run_state start;
        if (run_state_create(p, 0, &start, &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
        random_fields(p, 77 + (uint64_t)r, &start);
        if (stepper_load(state, r, &start, &error) != PW_OK) {
            fail_msg("%s: %s", backend->name, error.message);
        }
        run_state_free(&start);
    }
    int64_t parts[3] = {p->steps / 7, p->steps / 2, 0};
    parts[2] = p->steps - parts[0] - parts[1];
    for (int k = 0; k < 3; k++) {
        if (stepper_advance(state, parts[k], &error) != PW_OK) {
            fail_msg("%s %s: %s", backend->name, solver != NULL ? solver : "auto", error.message);
        }
        if (k == 0 && p->spectra.frequency_count > 0) {
            double *early = random_array(spectrum_values(p), sizeof *early);
            assert_int_equal(stepper_read_spectra(state, 0, 0, p->spectra.rows, early, &error), PW_OK);
            free(early);
        }
    }
    for (int r = 0; r < runs; r++) {
        collect(p, state, r, &outcomes[r]);
    }
    stepper_destroy(state);
    return PW_OK;
}

struct comparison {
    const char *label;
    double allowed; /* relative to the largest value; 0: the same bits (zeros of either sign are equal) */
    int failures;
};

static inline void compare(struct comparison *c, const char *what, size_t row, const double *got, const double *wanted,
                           size_t count)
{
    double scale = 0;
    for (size_t k = 0; k < count; k++) {
        scale = fmax(scale, fabs(wanted[k]));
    }
    size_t wrong = 0, first = 0;
    for (size_t k = 0; k < count; k++) {
        bool same = c->allowed > 0 ? fabs(got[k] - wanted[k]) <= c->allowed * scale : got[k] == wanted[k];
        if (!same) {
            first = wrong == 0 ? k : first;
            wrong++;
        }
    }
    if (wrong > 0) {
        c->failures++;
        printf("    %s: %s: %zu of %zu differ, first [%zu][%zu]: %.9g, wanted %.9g\n", c->label, what, wrong, count,
               first / row, first % row, got[first], wanted[first]);
    }
}

static inline void compare_outcomes(struct comparison *c, const struct problem *p, const struct outcome *got,
                                    const struct outcome *wanted)
{
    size_t nx = (size_t)p->axis[0].count, ny = (size_t)p->axis[1].count, x_filters = (size_t)run_state_filters(p, 0),
           y_filters = (size_t)run_state_filters(p, 1);
    compare(c, "Ez", nx, got->state.ez, wanted->state.ez, nx * ny);
    compare(c, "increment", nx, got->state.increment, wanted->state.increment, nx * ny);
    if (problem_layer(p) > 0) {
        compare(c, "x_half", x_filters, got->state.x_half, wanted->state.x_half, x_filters * ny);
        compare(c, "x_node", x_filters, got->state.x_node, wanted->state.x_node, x_filters * ny);
        compare(c, "y_half", nx, got->state.y_half, wanted->state.y_half, y_filters * nx);
        compare(c, "y_node", nx, got->state.y_node, wanted->state.y_node, y_filters * nx);
    }
    compare(c, "edges", 1, got->state.edges, wanted->state.edges, (size_t)mur_memory(p));
    if (p->probe_count > 0) {
        compare(c, "probes", (size_t)p->probe_count, got->state.probes, wanted->state.probes,
                (size_t)p->steps * (size_t)p->probe_count);
    }
    if (p->spectra.frequency_count > 0) {
        const struct spectra *s = &p->spectra;
        compare(c, "spectra", 2 * (size_t)s->columns, got->spectra, wanted->spectra, spectrum_values(p));
        compare(c, "samples", (size_t)s->columns, got->state.samples, wanted->state.samples,
                (size_t)spectra_waiting(s, p->steps) * (size_t)s->rows * (size_t)s->columns);
    }
    struct comparison loose = *c;
    loose.allowed = 1e-12;
    compare(&loose, "energy", 1, &got->energy, &wanted->energy, 1);
    c->failures = loose.failures;
}

static int cases_run, cases_unsuited;

/* One problem on the reference and on all the named solvers. */
static inline int check_solvers(const struct random_options *o, const char *const *solvers, int solver_count)
{
    struct problem p;
    random_problem(o, &p);
    struct outcome *wanted = random_array((size_t)o->runs, sizeof *wanted),
                   *got = random_array((size_t)o->runs, sizeof *got);
    solve(&backend_reference, &p, NULL, o->runs, wanted);
    int failures = 0;
    for (int k = 0; k < solver_count; k++) {
        if (solve(&backend_cuda, &p, solvers[k], o->runs, got) != PW_OK) {
            cases_unsuited++;
            continue;
        }
        cases_run++;
        char label[160];
        snprintf(label, sizeof label, "%s %d x %d, layer %d, planes %d%d, materials %d, solver %s",
                 scheme_name(o->scheme), o->nx, o->ny, o->layer, o->symmetric[0], o->symmetric[1], (int)o->materials,
                 solvers[k] != NULL ? solvers[k] : "auto");
        struct comparison c = {.label = label, .allowed = o->precision == PW_DOUBLE ? 1e-13 : 0};
        for (int r = 0; r < o->runs; r++) {
            compare_outcomes(&c, &p, &got[r], &wanted[r]);
            outcome_free(&got[r]);
        }
        failures += c.failures;
    }
    for (int r = 0; r < o->runs; r++) {
        outcome_free(&wanted[r]);
    }
    free(wanted);
    free(got);
    problem_free(&p);
    return failures;
}

static inline struct random_options usual(enum scheme scheme, int nx, int ny, int layer)
{
    return (struct random_options){.scheme = scheme,
                                   .nx = nx,
                                   .ny = ny,
                                   .layer = layer,
                                   .steps = 45,
                                   .runs = 1,
                                   .materials = MATERIALS_RANDOM,
                                   .palette_count = 11,
                                   .source_nodes = nx * ny < 50 ? 1 : 9,
                                   .probes = 5,
                                   .frequencies = 3,
                                   .spacing = 3,
                                   .every = 5,
                                   .seed = (uint64_t)(1000 * (int)scheme + nx + 7 * ny)};
}

/* As many frequencies as are transformed, and steps for a whole group. */
static inline void transform_spectra(struct random_options *o)
{
    o->frequencies = 70;
    o->every = 1;
    o->steps = 300;
}

/* The scheme that a test is run for. */
static inline enum scheme scheme_of(void **state)
{
    return *(const enum scheme *)*state;
}

/* Tests that are run for every scheme; with arguments, for the scheme argv[1], and of those the one called argv[2]. */
struct scheme_test {
    const char *name;
    void (*run)(void **);
};

enum { SCHEME_TEST_LIMIT = 12 };

/* Adds them to `tests` and returns how many they are; (SCHEME_TEST_LIMIT SCHEME_COUNT) have room. */
static inline int add_scheme_tests(const struct scheme_test *kinds, int kind_count, int argc, char **argv,
                                   struct CMUnitTest *tests)
{
    static enum scheme schemes[SCHEME_COUNT];
    static char names[SCHEME_TEST_LIMIT * SCHEME_COUNT][64];
    int count = 0;
    for (int s = 0; s < SCHEME_COUNT; s++) {
        schemes[s] = (enum scheme)s;
        for (int k = 0; k < kind_count; k++) {
            if ((argc > 1 && strcmp(argv[1], scheme_name(schemes[s])) != 0) ||
                (argc > 2 && strcmp(argv[2], kinds[k].name) != 0)) {
                continue;
            }
            snprintf(names[count], sizeof names[count], "%s: %s", scheme_name(schemes[s]), kinds[k].name);
            tests[count] =
                (struct CMUnitTest){.name = names[count], .test_func = kinds[k].run, .initial_state = &schemes[s]};
            count++;
        }
    }
    return count;
}

/* Runs a group's tests; returns how many failed. */
static inline int run_group(const char *group, const struct CMUnitTest *tests, int count)
{
    int failed = _cmocka_run_group_tests(group, tests, (size_t)count, NULL, NULL);
    printf("%d comparisons with the reference, %d solvers did not suit their grid\n", cases_run, cases_unsuited);
    return failed;
}

/* The whole of a program that has no other tests than these. */
static inline int run_scheme_tests(const char *group, const struct scheme_test *kinds, int kind_count, int argc,
                                   char **argv)
{
    struct CMUnitTest tests[SCHEME_TEST_LIMIT * SCHEME_COUNT];
    return gpu_works() ? run_group(group, tests, add_scheme_tests(kinds, kind_count, argc, argv, tests)) : 0;
}

#endif
