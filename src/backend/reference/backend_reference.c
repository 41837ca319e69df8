/* The reference backend: the oracle of every other one. Plain loops (reference_run.h), one thread, float or double, to
 * be read beside problem.h and physics.md. It leaves speed to the compiler: hardware fused multiply-add and vectors
 * where there are any. */
#include "backend/backend.h"
#include "base/fast_fma.h"
#include "spectra/spectra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE "backend/reference/reference_run.h"
#include "problem/precisions.h"

struct reference {
    const struct problem *problem;
    int count;
    double *weights, *turn; /* of the spectra: spectra_weights, and of the group at hand */
    struct run_float *single_runs;
    struct run_double *double_runs; /* one of the two is NULL */
};

static pw_status reference_probe(char *device, size_t size, pw_error *error)
{
    (void)error;
    snprintf(device, size, "one core, plain loops");
    return PW_OK;
}

static void reference_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    const struct spectra *spectra = &problem->spectra;
    uint64_t lattice = (uint64_t)spectra->rows * (uint64_t)spectra->columns;
    uint64_t ghosts = 4 * (uint64_t)problem->reach, nx = (uint64_t)problem->axis[0].count,
             ny = (uint64_t)problem->axis[1].count;
    uint64_t values =
        3 * (nx + ghosts) * (ny + ghosts) + 5 * nx * ny + 2 * nx +
        (uint64_t)problem->steps * (uint64_t)problem->probe_count +
        (spectra->frequency_count > 0 ? 2 * (uint64_t)spectra->frequency_count + (uint64_t)spectra_group(spectra) : 0) *
            lattice;
    *host = (uint64_t)runs * values * (problem->precision == PW_SINGLE ? sizeof(float) : sizeof(double));
    *device = 0;
}

static int reference_group(const struct problem *problem)
{
    (void)problem;
    return 1;
}

static void reference_destroy(void *state)
{
    struct reference *reference = state;
    if (reference == NULL) {
        return;
    }
    for (int r = 0; r < reference->count; r++) {
        if (reference->single_runs != NULL) {
            run_free_float(&reference->single_runs[r]);
        } else if (reference->double_runs != NULL) {
            run_free_double(&reference->double_runs[r]);
        }
    }
    free(reference->single_runs);
    free(reference->double_runs);
    free(reference->weights);
    free(reference->turn);
    free(reference);
}

static pw_status create_runs(struct reference *reference, int first, pw_error *error)
{
    const struct problem *problem = reference->problem;
    bool single = problem->precision == PW_SINGLE;
    size_t count = (size_t)reference->count;
    size_t frequencies = (size_t)problem->spectra.frequency_count;
    void *runs = allocate(count, single ? sizeof(struct run_float) : sizeof(struct run_double), "runs", error);
    *(single ? (void **)&reference->single_runs : (void **)&reference->double_runs) = runs;
    reference->weights = allocate(spectra_weight_count(problem), sizeof(double), "spectra weights", error);
    reference->turn = allocate(2 * frequencies, sizeof(double), "spectra weights", error);
    if (runs == NULL || reference->weights == NULL || reference->turn == NULL) {
        return PW_NO_RESOURCE;
    }
    spectra_weights(problem, reference->weights);
    for (int r = 0; r < reference->count; r++) {
        const struct source *source = &problem->sources[first + r];
        TRY(single ? run_create_float(&reference->single_runs[r], problem, source, error)
                   : run_create_double(&reference->double_runs[r], problem, source, error));
    }
    return PW_OK;
}

static pw_status reference_applicable(const struct solver_request *request, pw_error *error)
{
    return solver_takes_plain_tm2d(request->problem, error);
}

static double reference_cost(const struct solver_request *request)
{
    return 3.0 * request->count * request->problem->axis[0].count * request->problem->axis[1].count;
}

static pw_status reference_create(const struct solver_request *request, void **state, pw_error *error)
{
    struct reference *reference = allocate(1, sizeof *reference, "the reference backend", error);
    if (reference == NULL) {
        return PW_NO_RESOURCE;
    }
    *reference = (struct reference){.problem = request->problem, .count = request->count};
    pw_status status = create_runs(reference, request->first, error);
    if (status != PW_OK) {
        reference_destroy(reference);
        return status;
    }
    *state = reference;
    return PW_OK;
}

/* Adds the group of samples that step number `step` has made whole, if it did. */
static void add_group(struct reference *reference, int64_t step)
{
    const struct problem *problem = reference->problem;
    const struct spectra *spectra = &problem->spectra;
    size_t nodes = (size_t)spectra->rows * (size_t)spectra->columns;
    if (spectra->frequency_count == 0 || step % (spectra->every * spectra_group(spectra)) != 0) {
        return;
    }
    spectra_phases(problem, spectra_samples(spectra, step) / spectra_group(spectra) - 1, 1, reference->turn);
    for (int r = 0; r < reference->count; r++) {
        if (reference->single_runs != NULL) {
            const struct run_float *run = &reference->single_runs[r];
            spectra_add_float(spectra, reference->weights, reference->turn, run->samples, nodes, 0, nodes,
                              run->spectra);
        } else {
            const struct run_double *run = &reference->double_runs[r];
            spectra_add_double(spectra, reference->weights, reference->turn, run->samples, nodes, 0, nodes,
                               run->spectra);
        }
    }
}

static pw_status reference_advance(void *state, int64_t steps, pw_error *error)
{
    struct reference *reference = state;
    const struct problem *problem = reference->problem;
    int64_t step = reference->single_runs != NULL ? reference->single_runs[0].step : reference->double_runs[0].step;
    if (steps < 0 || step + steps > problem->steps) {
        return fail(error, PW_USAGE, "cannot advance %lld steps from step %lld: the problem has %lld", (long long)steps,
                    (long long)step, (long long)problem->steps);
    }
    for (int64_t s = 0; s < steps; s++, step++) {
        for (int r = 0; r < reference->count; r++) {
            if (reference->single_runs != NULL) {
                run_step_float(&reference->single_runs[r]);
            } else {
                run_step_double(&reference->double_runs[r]);
            }
        }
        add_group(reference, step + 1);
    }
    return PW_OK;
}

static pw_status reference_energy(void *state, int run, double *energy, pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    *energy = reference->single_runs != NULL ? run_energy_float(&reference->single_runs[run])
                                             : run_energy_double(&reference->double_runs[run]);
    return PW_OK;
}

static pw_status reference_read_field(void *state, int run, double *ez, pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    if (reference->single_runs != NULL) {
        run_field_float(&reference->single_runs[run], ez);
    } else {
        run_field_double(&reference->double_runs[run], ez);
    }
    return PW_OK;
}

static pw_status reference_read_probes(void *state, int run, double *ez, pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    int probes = reference->problem->probe_count;
    if (reference->single_runs != NULL) {
        const struct run_float *own = &reference->single_runs[run];
        for (int64_t k = 0; k < own->step * probes; k++) {
            ez[k] = (double)own->probes[k];
        }
    } else {
        const struct run_double *own = &reference->double_runs[run];
        memcpy(ez, own->probes, (size_t)(own->step * probes) * sizeof *ez);
    }
    return PW_OK;
}

static pw_status reference_read_spectra(void *state, int run, int row_first, int row_count, double *out,
                                        pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    if (reference->single_runs != NULL) {
        run_spectra_float(&reference->single_runs[run], row_first, row_count, out);
    } else {
        run_spectra_double(&reference->double_runs[run], row_first, row_count, out);
    }
    return PW_OK;
}

static pw_status reference_read_samples(void *state, int run, int row_first, int row_count, double *out,
                                        pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    if (reference->single_runs != NULL) {
        run_samples_float(&reference->single_runs[run], row_first, row_count, out);
    } else {
        run_samples_double(&reference->double_runs[run], row_first, row_count, out);
    }
    return PW_OK;
}

static pw_status reference_save(void *state, int run, struct run_state *snapshot, pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    if (reference->single_runs != NULL) {
        snapshot->step = reference->single_runs[run].step;
        run_exchange_float(&reference->single_runs[run], snapshot, true);
    } else {
        snapshot->step = reference->double_runs[run].step;
        run_exchange_double(&reference->double_runs[run], snapshot, true);
    }
    return PW_OK;
}

static pw_status reference_load(void *state, int run, const struct run_state *snapshot, pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    struct run_state from = *snapshot; /* read only: `store` is false */
    if (reference->single_runs != NULL) {
        reference->single_runs[run].step = snapshot->step;
        run_exchange_float(&reference->single_runs[run], &from, false);
    } else {
        reference->double_runs[run].step = snapshot->step;
        run_exchange_double(&reference->double_runs[run], &from, false);
    }
    return PW_OK;
}

static const struct solver SOLVER_TM2D = {
    .name = "tm2d",
    .description = "plain loops over Ez, one thread",
    .applicable = reference_applicable,
    .cost = reference_cost,
    .memory = reference_memory,
    .create = reference_create,
    .advance = reference_advance,
    .energy = reference_energy,
    .read_field = reference_read_field,
    .read_probes = reference_read_probes,
    .read_spectra = reference_read_spectra,
    .read_samples = reference_read_samples,
    .save = reference_save,
    .load = reference_load,
    .destroy = reference_destroy,
};

static const struct solver *const SOLVERS[] = {&SOLVER_TM2D, NULL};

const struct backend backend_reference = {
    .name = "reference",
    .description = "plain scalar loops, the oracle of the others",
    .probe = reference_probe,
    .solvers = SOLVERS,
    .group = reference_group,
};
