/* The reference backend: the oracle of every other one. Plain loops (tm2d: reference_run.h; maxwell3d:
 * volume_run.h), one thread, float or double, to be read beside problem.h and physics.md. It leaves speed to the
 * compiler: hardware fused multiply-add and vectors where there are any.
 *
 * This file holds what does not depend on the precision; everything that does stands in a table of functions, one for
 * float and one for double. */
#include "backend/backend.h"
#include "backend/reference/reference.h"
#include "backend/state_patch.h"
#include "base/fast_fma.h"
#include "problem/image.h"
#include "problem/physics/physics.h"
#include "problem/spectra/spectra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where filters stand in the stencil of a node (physics.md section 3): nodes 0..low-1 and high..count-1 of an axis. */
struct absorber_regions {
    int low, high;
};

/* The regions of an axis, `margin` nodes wider; nowhere do they overlap. */
static struct absorber_regions absorber_regions_widen(const struct absorber_regions *regions, int margin, int count)
{
    struct absorber_regions wide = {regions->low > 0 ? regions->low + margin : 0,
                                    regions->high < count ? regions->high - margin : count};
    wide.low = wide.low < count ? wide.low : count;
    wide.high = wide.high > wide.low ? wide.high : wide.low;
    return wide;
}

/* A stencil of this reach sees the filters of an absorber from `reach` nodes away. Without absorber there are none. */
static struct absorber_regions absorber_regions(const struct axis *axis, int reach)
{
    struct absorber_regions layers = {axis->low.cells, axis->count - axis->high.cells};
    return absorber_regions_widen(&layers, reach, axis->count);
}

static bool absorber_regions_empty(const struct absorber_regions *regions, int count)
{
    return regions->low == 0 && regions->high == count;
}

#define TEMPLATE "backend/reference/reference_run.h"
#include "problem/precisions.h"

/* With ghosts around Ez, gx and gy. */
static uint64_t tm2d_values(const struct problem *problem)
{
    uint64_t ghosts = 4 * (uint64_t)problem->reach, nx = (uint64_t)problem->axis[0].count,
             ny = (uint64_t)problem->axis[1].count;
    return 3 * (nx + ghosts) * (ny + ghosts) + 5 * nx * ny + 2 * nx + (uint64_t)run_memory_numbers(problem);
}

static const struct reference_formulation TM2D = {
    .functions = {[PW_SINGLE] = &FUNCTIONS_float, [PW_DOUBLE] = &FUNCTIONS_double}, .field_values = tm2d_values};

static const struct reference_formulation *formulation_of(const struct problem *problem)
{
    return problem->formulation == FORMULATION_MAXWELL3D ? &reference_volume : &TM2D;
}

struct reference {
    const struct problem *problem;         /* borrowed */
    const struct run_functions *functions; /* of the problem's precision */
    char *runs;                            /* (count, functions->run_size), owned */
    int count;
    int64_t step;             /* done */
    double *weights, *phases; /* of the spectra: spectra_weights; spectra_phases of the group that is added. Owned */
};

static void *run_at(const struct reference *reference, int run)
{
    return reference->runs + (size_t)run * reference->functions->run_size;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void reference_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    const struct spectra *spectra = &problem->spectra;
    uint64_t lattice = (uint64_t)spectra->rows * (uint64_t)spectra->columns;
    uint64_t values =
        formulation_of(problem)->field_values(problem) + (uint64_t)problem->steps * (uint64_t)problem->probe_count +
        (spectra->frequency_count > 0 ? 2 * (uint64_t)spectra->frequency_count + (uint64_t)spectra_group(spectra) : 0) *
            lattice;
    *host = (uint64_t)runs * values * problem_value_size(problem);
    *device = 0;
}

static void reference_destroy(void *state)
{
    struct reference *reference = state;
    if (reference == NULL) {
        return;
    }
    for (int r = 0; reference->runs != NULL && r < reference->count; r++) {
        reference->functions->destroy(run_at(reference, r));
    }
    FREE_ALL(reference->runs, reference->weights, reference->phases, reference);
}

static pw_status create_runs(struct reference *reference, int first, pw_error *error)
{
    const struct problem *problem = reference->problem;
    size_t frequencies = (size_t)problem->spectra.frequency_count;
    reference->runs = allocate((size_t)reference->count, reference->functions->run_size, "runs", error);
    reference->weights = allocate(spectra_weight_count(problem), sizeof(double), "spectra weights", error);
    reference->phases = allocate(2 * frequencies, sizeof(double), "spectra weights", error);
    TRY_MADE(reference->runs != NULL && reference->weights != NULL && reference->phases != NULL);
    spectra_weights(problem, reference->weights);
    for (int r = 0; r < reference->count; r++) {
        TRY(reference->functions->create(run_at(reference, r), problem, &problem->sources[first + r], error));
    }
    return PW_OK;
}

static pw_status reference_create(const struct solver_request *request, void **state, pw_error *error)
{
    struct reference *reference = allocate(1, sizeof *reference, "the reference backend", error);
    TRY_MADE(reference);
    *reference =
        (struct reference){.problem = request->problem,
                           .functions = formulation_of(request->problem)->functions[request->problem->precision],
                           .count = request->count};
    pw_status status = create_runs(reference, request->first, error);
    if (status != PW_OK) {
        reference_destroy(reference);
        return status;
    }
    *state = reference;
    return PW_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Adds the group of samples that the last step has made whole, if it did. */
static void add_group(struct reference *reference)
{
    const struct problem *problem = reference->problem;
    const struct spectra *spectra = &problem->spectra;
    int group = spectra_group(spectra);
    if (spectra->frequency_count == 0 || reference->step % (spectra->every * group) != 0) {
        return;
    }
    spectra_phases(problem, spectra_samples(spectra, reference->step) / group - 1, 1, reference->phases);
    for (int r = 0; r < reference->count; r++) {
        reference->functions->add_group(run_at(reference, r), reference->weights, reference->phases);
    }
}

static pw_status reference_advance(void *state, int64_t steps, pw_error *error)
{
    struct reference *reference = state;
    TRY(solver_check_advance(reference->problem, reference->step, steps, error));
    for (int64_t end = reference->step + steps; reference->step < end;) {
        for (int r = 0; r < reference->count; r++) {
            reference->functions->step(run_at(reference, r), reference->step);
        }
        reference->step++;
        add_group(reference);
    }
    return PW_OK;
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

static pw_status reference_energy(void *state, int run, double *energy, pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    *energy = reference->functions->energy(run_at(reference, run));
    return PW_OK;
}

static void exchange_fields(const struct reference *reference, int run, struct run_state *state, bool store)
{
    const struct patch_copy copy = {reference->problem, reference->functions->locate, run_at(reference, run), store};
    state_exchange(&copy, state);
}

static pw_status reference_read_field(void *state, int run, double *ez, pw_error *error)
{
    struct reference *reference = state;
    struct run_state field = state_of_field(reference->problem, ez);
    (void)error;
    exchange_fields(reference, run, &field, true);
    return PW_OK;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): they are written through `probes` */
static pw_status reference_read_probes(void *state, int run, double *ez, pw_error *error)
{
    struct reference *reference = state;
    struct run_state probes = {.step = reference->step, .probes = ez};
    (void)error;
    reference->functions->exchange_records(run_at(reference, run), &probes, true);
    return PW_OK;
}

static pw_status reference_read_spectra(void *state, int run, int row_first, int row_count, double *out,
                                        pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    reference->functions->read_spectra(run_at(reference, run), row_first, row_count, out);
    return PW_OK;
}

static pw_status reference_read_samples(void *state, int run, int row_first, int row_count, double *out,
                                        pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    reference->functions->read_samples(run_at(reference, run), reference->step, row_first, row_count, out);
    return PW_OK;
}

static pw_status reference_save(void *state, int run, struct run_state *to, pw_error *error)
{
    struct reference *reference = state;
    (void)error;
    to->step = reference->step;
    exchange_fields(reference, run, to, true);
    reference->functions->exchange_records(run_at(reference, run), to, true);
    return PW_OK;
}

static pw_status reference_load(void *state, int run, const struct run_state *from, pw_error *error)
{
    struct reference *reference = state;
    struct run_state read_only = *from; /* it is only read: `store` is false */
    TRY(solver_check_load(reference->problem, from, error));
    reference->step = from->step;
    exchange_fields(reference, run, &read_only, false);
    if (reference->functions->keep != NULL) {
        reference->functions->keep(run_at(reference, run));
    }
    reference->functions->exchange_records(run_at(reference, run), &read_only, false);
    return PW_OK;
}

static pw_status reference_patch(void *state, int run, const struct patch *patch, void *values, bool store,
                                 pw_error *error)
{
    struct reference *reference = state;
    const struct patch_copy copy = {reference->problem, reference->functions->locate, run_at(reference, run), store};
    (void)error;
    patch_copy(&copy, patch, values);
    return PW_OK;
}

/* ---- the solver and the backend ---------------------------------------------------------------------------------- */

static pw_status tm2d_applicable(const struct solver_request *request, pw_error *error)
{
    return solver_takes_tm2d(request->problem, error);
}

static pw_status maxwell3d_applicable(const struct solver_request *request, pw_error *error)
{
    return solver_takes_maxwell3d(request->problem, error);
}

static double reference_cost(const struct solver_request *request)
{
    double nanoseconds = request->problem->formulation == FORMULATION_MAXWELL3D ? 10 : 3;
    return nanoseconds * request->count * (double)problem_nodes(request->problem);
}

static pw_status reference_probe(char *device, size_t size, pw_error *error)
{
    (void)error;
    snprintf(device, size, "one core, plain loops");
    return PW_OK;
}

static int reference_ensemble(const struct problem *problem)
{
    (void)problem;
    return 1;
}

#define REFERENCE_FUNCTIONS                                                                                            \
    .cost = reference_cost, .memory = reference_memory, .create = reference_create, .advance = reference_advance,      \
    .energy = reference_energy, .read_field = reference_read_field, .read_probes = reference_read_probes,              \
    .read_spectra = reference_read_spectra, .read_samples = reference_read_samples, .save = reference_save,            \
    .load = reference_load, .patch = reference_patch, .rows_by_patch = true, .destroy = reference_destroy

static const struct physics
    *const TM2D_TAKES[] = {&physics_metal, &physics_poles, &physics_phases, &physics_planes, &physics_mur, NULL},
           *const MAXWELL3D_TAKES[] = {
               &physics_tensors, &physics_metal, &physics_poles, &physics_phases, &physics_planes, &physics_half, NULL};

static const struct solver SOLVER_TM2D = {.name = "tm2d",
                                          .description = "plain loops over Ez, one thread",
                                          .takes = TM2D_TAKES,
                                          .applicable = tm2d_applicable,
                                          REFERENCE_FUNCTIONS};
static const struct solver SOLVER_MAXWELL3D = {.name = "maxwell3d",
                                               .description =
                                                   "plain loops over E and h in three dimensions, one thread",
                                               .formulation = FORMULATION_MAXWELL3D,
                                               .takes = MAXWELL3D_TAKES,
                                               .applicable = maxwell3d_applicable,
                                               REFERENCE_FUNCTIONS};

static const struct solver *const SOLVERS[] = {&SOLVER_TM2D, &SOLVER_MAXWELL3D, NULL};

const struct backend backend_reference = {
    .name = "reference",
    .description = "plain scalar loops, the oracle of the others",
    .probe = reference_probe,
    .solvers = SOLVERS,
    .ensemble = reference_ensemble,
};
