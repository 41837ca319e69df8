/* The CPU solvers of maxwell3d at work: several steps at once over tiles (volume_tile.c), fields in padded rows
 * (volume_state.c). In float the bits are those of the reference backend, for any tile, number of threads and
 * instruction set. A march ends where a group of samples is whole, which is then added to the spectra. */
#include "backend/cpu/volume/volume_engine.h"
#include "backend/cpu/volume/volume_state.h"
#include "backend/cpu/volume/volume_tile.h"
#include "backend/state_patch.h"
#include "problem/spectra/spectra.h"

#include <omp.h>
#include <stdlib.h>

struct engine_run {
    struct volume_run run;
    void *block; /* memory of run, owned */
};

struct volume_engine {
    const struct problem *problem; /* borrowed */
    struct volume_grid grid;
    struct engine_run *runs; /* (count), owned */
    int count;
    const struct volume_marcher *marcher;
    struct volume_tiling tiling;
    int64_t step;             /* done */
    double *weights, *phases; /* of the spectra: spectra_weights; spectra_phases of the group that is added. Owned */
    double *plane_sums;       /* (nz), owned: scratch */
};

/* ---- creation -----------------------------------------------------------------------------------------------------
 */

void volume_engine_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    *host = volume_grid_size(problem) + (uint64_t)runs * volume_run_size(problem);
    *device = 0;
}

void volume_engine_destroy(void *state)
{
    struct volume_engine *engine = state;
    if (engine == NULL) {
        return;
    }
    for (int r = 0; engine->runs != NULL && r < engine->count; r++) {
        free(engine->runs[r].block);
    }
    FREE_ALL(engine->runs, engine->weights, engine->phases, engine->plane_sums);
    volume_grid_destroy(&engine->grid);
    free(engine);
}

static pw_status decide_tiling(struct volume_engine *engine, const struct solver_request *request, pw_error *error)
{
    int threads = request->threads > 0 ? request->threads : omp_get_max_threads();
    engine->tiling = volume_tiling_choose(&engine->grid, threads < 1024 ? threads : 1024);
    return request->detail == NULL || volume_tiling_parse(request->detail, &engine->tiling)
               ? PW_OK
               : fail(error, PW_USAGE,
                      "cpu backend: solver '%s': the detail after the colon is a tile, levels x rows, as in "
                      "avx2-3d:4x16",
                      request->name);
}

static pw_status fill_engine(struct volume_engine *engine, const struct solver_request *request, pw_error *error)
{
    const struct problem *problem = engine->problem;
    TRY(volume_grid_create(problem, &engine->grid, error));
    TRY(decide_tiling(engine, request, error));
    engine->runs = allocate((size_t)engine->count, sizeof *engine->runs, "runs", error);
    engine->weights = allocate(spectra_weight_count(problem), sizeof(double), "weights of the spectra", error);
    engine->phases =
        allocate(2 * (size_t)problem->spectra.frequency_count, sizeof(double), "weights of the spectra", error);
    engine->plane_sums = allocate((size_t)problem->axis[2].count, sizeof(double), "sums of planes", error);
    TRY_MADE(engine->runs != NULL && engine->weights != NULL && engine->phases != NULL && engine->plane_sums != NULL);
    spectra_weights(problem, engine->weights);
    for (int r = 0; r < engine->count; r++) {
        TRY(volume_run_create(&engine->grid, &problem->sources[request->first + r], engine->tiling.threads,
                              &engine->runs[r].run, &engine->runs[r].block, error));
    }
    return PW_OK;
}

pw_status volume_engine_create(const struct solver_request *request, const struct volume_marcher *marcher, void **state,
                               pw_error *error)
{
    struct volume_engine *engine = allocate(1, sizeof *engine, "the cpu backend", error);
    TRY_MADE(engine);
    *engine = (struct volume_engine){.problem = request->problem, .count = request->count, .marcher = marcher};
    pw_status status = fill_engine(engine, request, error);
    if (status != PW_OK) {
        volume_engine_destroy(engine);
        return status;
    }
    *state = engine;
    return PW_OK;
}

/* ---- steps --------------------------------------------------------------------------------------------------------
 */

/* Adds the group of samples that the last step has made whole, if it did. */
static void add_whole_group(struct volume_engine *engine)
{
    const struct problem *problem = engine->problem;
    const struct spectra *spectra = &problem->spectra;
    int group = spectra_group(spectra);
    if (spectra->frequency_count == 0 || engine->step % ((int64_t)spectra->every * group) != 0) {
        return;
    }
    enum { SOME = 1024 };
    size_t points = (size_t)engine->grid.samples.count;
    spectra_phases(problem, spectra_samples(spectra, engine->step) / group - 1, 1, engine->phases);
    for (int r = 0; r < engine->count; r++) {
        const struct volume_run *run = &engine->runs[r].run;
#pragma omp parallel for num_threads(engine->tiling.threads) schedule(dynamic)
        for (size_t first = 0; first < points; first += SOME) {
            size_t last = first + SOME < points ? first + SOME : points;
            if (problem->precision == PW_SINGLE) {
                spectra_add_float(spectra, engine->weights, engine->phases, run->samples, points, first, last,
                                  run->spectra);
            } else {
                spectra_add_double(spectra, engine->weights, engine->phases, run->samples, points, first, last,
                                   run->spectra);
            }
        }
    }
}

/* Where the march that begins now has to end: at most at `end`. */
static int64_t next_stop(const struct volume_engine *engine, int64_t end)
{
    const struct spectra *spectra = &engine->problem->spectra;
    int64_t stop = engine->step + volume_tap_slots(engine->problem);
    if (spectra->frequency_count > 0) {
        int64_t whole = (int64_t)spectra->every * spectra_group(spectra);
        int64_t full = (engine->step / whole + 1) * whole;
        stop = full < stop ? full : stop;
    }
    return stop < end ? stop : end;
}

pw_status volume_engine_advance(void *state, int64_t steps, pw_error *error)
{
    struct volume_engine *engine = state;
    const struct problem *problem = engine->problem;
    TRY(solver_check_advance(problem, engine->step, steps, error));
    for (int64_t end = engine->step + steps; engine->step < end;) {
        int64_t stop = next_stop(engine, end);
        for (int r = 0; r < engine->count; r++) {
            struct volume_job job = {.grid = &engine->grid,
                                     .run = &engine->runs[r].run,
                                     .marcher = engine->marcher,
                                     .step = engine->step,
                                     .steps = stop - engine->step};
            TRY(volume_march_job(&job, &engine->tiling, error));
            volume_sum_probes(&engine->grid, job.run, job.step, job.steps);
        }
        engine->step = stop;
        add_whole_group(engine);
    }
    return PW_OK;
}

/* ---- in and out ---------------------------------------------------------------------------------------------------
 */

pw_status volume_engine_energy(void *state, int run, double *energy, pw_error *error)
{
    struct volume_engine *engine = state;
    (void)error;
    *energy = volume_energy(&engine->grid, &engine->runs[run].run, engine->tiling.threads, engine->plane_sums);
    return PW_OK;
}

pw_status volume_engine_read_field(void *state, int run, double *e, pw_error *error)
{
    struct volume_engine *engine = state;
    struct run_state field = state_of_field(engine->problem, e);
    (void)error;
    volume_exchange(&engine->grid, &engine->runs[run].run, &field, true);
    return PW_OK;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): they are written through `probes` */
pw_status volume_engine_read_probes(void *state, int run, double *values, pw_error *error)
{
    struct volume_engine *engine = state;
    struct run_state probes = {.step = engine->step, .probes = values};
    (void)error;
    volume_exchange(&engine->grid, &engine->runs[run].run, &probes, true);
    return PW_OK;
}

pw_status volume_engine_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    struct volume_engine *engine = state;
    const struct spectra *spectra = &engine->problem->spectra;
    size_t row = 2 * (size_t)spectra->columns, part = (size_t)row_count * row;
    (void)error;
    for (int f = 0; f < spectra->frequency_count; f++) {
        volume_widen(engine->problem, engine->runs[run].run.spectra,
                     ((size_t)f * (size_t)spectra->rows + (size_t)row_first) * row, part, out + (size_t)f * part);
    }
    return PW_OK;
}

pw_status volume_engine_read_samples(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    struct volume_engine *engine = state;
    const struct spectra *spectra = &engine->problem->spectra;
    size_t row = (size_t)spectra->columns, part = (size_t)row_count * row;
    (void)error;
    for (int s = 0; s < spectra_waiting(spectra, engine->step); s++) {
        volume_widen(engine->problem, engine->runs[run].run.samples,
                     ((size_t)s * (size_t)spectra->rows + (size_t)row_first) * row, part, out + (size_t)s * part);
    }
    return PW_OK;
}

pw_status volume_engine_save(void *state, int run, struct run_state *to, pw_error *error)
{
    struct volume_engine *engine = state;
    (void)error;
    to->step = engine->step;
    volume_exchange(&engine->grid, &engine->runs[run].run, to, true);
    return PW_OK;
}

pw_status volume_engine_load(void *state, int run, const struct run_state *from, pw_error *error)
{
    struct volume_engine *engine = state;
    const struct volume_run *own = &engine->runs[run].run;
    TRY(solver_check_load(engine->problem, from, error));
    struct run_state read_only = *from; /* volume_exchange only reads it: `store` is false */
    engine->step = from->step;
    volume_exchange(&engine->grid, own, &read_only, false);
    volume_keep(&engine->grid, own);
    for (int k = 0; k < engine->grid.nz; k++) {
        struct volume_rows rows = {.k = k, .j_last = engine->grid.ny};
        engine->marcher->mirror[engine->problem->precision](&engine->grid, own, &rows);
    }
    return PW_OK;
}

pw_status volume_engine_patch(void *state, int run, const struct patch *patch, void *values, bool store,
                              pw_error *error)
{
    struct volume_engine *engine = state;
    const struct volume_run *own = &engine->runs[run].run;
    (void)error;
    volume_patch(&engine->grid, own, patch, values, store);
    for (int k = patch->first[2]; !store && k < patch->first[2] + patch->count[2]; k++) {
        struct volume_rows rows = {.k = k, .j_first = patch->first[1], .j_last = patch->first[1] + patch->count[1]};
        engine->marcher->mirror[engine->problem->precision](&engine->grid, own, &rows);
    }
    return PW_OK;
}
