/* Running problems of boundary tests on any solver, and comparing what is left of a run. */
#ifndef BOUNDARY_RUNS_H
#define BOUNDARY_RUNS_H

#include "tests/support/check.h"

#include "problem/mur/mur.h"
#include "tests/support/random_problem.h"

/* A solver of a backend; NULL lets the backend choose. */
struct boundary_solver {
    const struct backend *backend;
    const char *name;
};

static const struct boundary_solver BOUNDARY_REFERENCE = {&backend_reference, NULL};

/* The fast solver on a small grid; that it has the bits of the reference is a test of each boundary. */
static const struct boundary_solver BOUNDARY_FAST = {&backend_cpu, "simple"};

/* The state after all steps of the problem, stopped once in the middle: saved there and loaded into a new solver.
 * PW_NO_RESOURCE where this machine lacks the solver's instructions. */
static pw_status boundary_run(const struct problem *problem, struct boundary_solver solver, struct run_state *end,
                              pw_error *error)
{
    struct backend_options options = {.threads = 2, .solver = solver.name};
    int64_t parts[2] = {problem->steps / 3, problem->steps - problem->steps / 3};
    pw_status status = run_state_create(problem, problem->steps, end, error);
    for (int part = 0; part < 2 && status == PW_OK; part++) {
        struct stepper *stepper = NULL;
        status = stepper_create(solver.backend, problem, 0, 1, &options, &stepper, error);
        if (status == PW_OK) {
            status = part == 1 ? stepper_load(stepper, 0, end, error) : PW_OK;
            status = status == PW_OK ? stepper_advance(stepper, parts[part], error) : status;
            status = status == PW_OK ? stepper_save(stepper, 0, end, error) : status;
            stepper_destroy(stepper);
        }
    }
    if (status != PW_OK) {
        run_state_free(end);
    }
    return status;
}

/* Whether both say the same, up to the sign of zero. */
static bool boundary_same(const char *what, const double *a, const double *b, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (!(a[n] == b[n])) {
            printf("%s[%zu]: %.17g and %.17g\n", what, n, a[n], b[n]);
            return false;
        }
    }
    return true;
}

/* Fields, filter states, probes and spectra of two runs of one problem. */
static bool boundary_same_states(const struct problem *problem, const struct run_state *a, const struct run_state *b)
{
    size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count,
           x_filters = (size_t)run_state_filters(problem, 0), y_filters = (size_t)run_state_filters(problem, 1);
    const struct spectra *spectra = &problem->spectra;
    return boundary_same("ez", a->ez, b->ez, nx * ny) &&
           boundary_same("increment", a->increment, b->increment, nx * ny) &&
           boundary_same("x_half", a->x_half, b->x_half, ny * x_filters) &&
           boundary_same("x_node", a->x_node, b->x_node, ny * x_filters) &&
           boundary_same("y_half", a->y_half, b->y_half, y_filters * nx) &&
           boundary_same("y_node", a->y_node, b->y_node, y_filters * nx) &&
           boundary_same("edges", a->edges, b->edges, (size_t)mur_memory(problem)) &&
           boundary_same("probes", a->probes, b->probes, (size_t)problem->steps * (size_t)problem->probe_count) &&
           boundary_same("spectra", a->spectra, b->spectra,
                         2 * (size_t)spectra->frequency_count * (size_t)spectra->rows * (size_t)spectra->columns);
}

/* Runs the problem on the reference and on each solver of the cpu backend that takes it on this machine: the same bits.
 * `simple` has to. */
static void boundary_check_solvers(const struct problem *problem)
{
    static const char *const SOLVERS[] = {"simple", "baseline:3x8x16x2", "avx2:5x24x32x3", "avx512"};
    struct run_state expected;
    pw_error error = {{0}};
    assert_int_equal(boundary_run(problem, BOUNDARY_REFERENCE, &expected, &error), PW_OK);
    for (size_t s = 0; s < sizeof SOLVERS / sizeof SOLVERS[0]; s++) {
        struct run_state state;
        pw_status status = boundary_run(problem, (struct boundary_solver){&backend_cpu, SOLVERS[s]}, &state, &error);
        if (status == PW_OK) {
            if (!boundary_same_states(problem, &expected, &state)) {
                fail_msg("solver %s is not the reference", SOLVERS[s]);
            }
            run_state_free(&state);
        } else if (s == 0 || status == PW_BAD_INPUT) {
            fail_msg("solver %s: %s", SOLVERS[s], error.message);
        }
    }
    run_state_free(&expected);
}

#endif
