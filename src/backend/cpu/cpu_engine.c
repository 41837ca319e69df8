/* The CPU solvers at work: several steps at once over tiles that stay in cache (cpu_tile.c), on OpenMP threads
 * (cpu_schedule.c); fields in padded rows (cpu_state.c). In float the bits are those of the reference backend, for any
 * tile, number of threads and instruction set. Samples of the spectra wait in slots and are added a few groups at a
 * time. */
#include "backend/cpu/cpu_engine.h"
#include "backend/cpu/cpu_schedule.h"
#include "backend/cpu/cpu_state.h"
#include "base/fast_fma.h"
#include "problem/mur/mur.h"
#include "problem/spectra/spectra.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* A run, its memory, and how far its wave can have come. */
struct engine_run {
    struct cpu_run run;
    void *block; /* memory of run, owned */
    struct cpu_window window;
};

struct cpu_engine {
    const struct problem *problem; /* borrowed */
    struct cpu_grid grid;
    void *grid_block;        /* memory of grid, owned */
    struct engine_run *runs; /* (count), owned */
    int count;
    const struct cpu_marcher *marcher;
    struct cpu_tiling tiling;
    int64_t step, added;  /* steps done; samples of the spectra added so far, whole groups */
    void *weights;        /* of the spectra (spectra_weights), in the precision of the problem, owned */
    double *exact_phases; /* phase factors of the groups that are added, owned */
    void *phases;         /* the same in the precision of the problem, owned */
    double *row_sums;     /* (ny), owned: scratch */
};

/* ---- creation ---------------------------------------------------------------------------------------------------- */

void cpu_engine_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    *host = cpu_grid_size(problem) + (uint64_t)runs * cpu_run_size(problem);
    *device = 0;
}

void cpu_engine_destroy(void *state)
{
    struct cpu_engine *engine = state;
    if (engine == NULL) {
        return;
    }
    for (int r = 0; engine->runs != NULL && r < engine->count; r++) {
        free(engine->runs[r].block);
    }
    free(engine->runs);
    pole_groups_free(&engine->grid.poles);
    FREE_ALL(engine->grid_block, engine->weights, engine->exact_phases, engine->phases, engine->row_sums, engine);
}

static int thread_count(const struct solver_request *request)
{
    int threads = request->threads > 0 ? request->threads : omp_get_max_threads();
    return threads < 1024 ? threads : 1024;
}

/* The tiling that the request's detail names, or the one that suits the caches. */
static pw_status decide_tiling(const struct cpu_grid *grid, const struct solver_request *request, bool simple,
                               struct cpu_tiling *tiling, pw_error *error)
{
    *tiling = simple ? cpu_tiling_simple(grid) : cpu_tiling_choose(grid, thread_count(request));
    FAIL_IF(request->detail != NULL && (simple || !cpu_tiling_parse(request->detail, tiling)), error, PW_USAGE,
            "cpu backend: solver '%s': the detail after the colon is a tile, levels x rows x columns with columns "
            "a multiple of %d, and x bands if you like, as in avx2:4x16x64; simple has no tiles",
            request->name, BLOCK_COLUMNS);
    if (!cpu_tiling_fits(grid)) {
        *tiling = cpu_tiling_simple(grid);
    }
    return PW_OK;
}

/* Nodes that a source drives: where a run at rest begins. */
static struct cpu_window source_window(const struct source *source, int nx)
{
    struct cpu_window window = {.row_first = INT32_MAX, .column_first = INT32_MAX};
    for (int64_t s = 0; s < source->count; s++) {
        int i = (int)(source->node[s] % nx), j = (int)(source->node[s] / nx);
        window.row_first = j < window.row_first ? j : window.row_first;
        window.row_last = j + 1 > window.row_last ? j + 1 : window.row_last;
        window.column_first = i < window.column_first ? i : window.column_first;
        window.column_last = i + 1 > window.column_last ? i + 1 : window.column_last;
    }
    return window;
}

/* The weights of folded groups are put in order of frequency, as the product reads them. */
static void fill_weights(struct cpu_engine *engine)
{
    const struct problem *problem = engine->problem;
    size_t group = (size_t)spectra_group(&problem->spectra), frequencies = (size_t)problem->spectra.frequency_count;
    size_t pairs = spectra_transformed(&problem->spectra) ? 0 : group / 2;
    double *exact = engine->exact_phases, *by_pair = engine->phases; /* large enough, and not yet in use */
    spectra_weights(problem, pairs > 0 ? by_pair : exact);
    for (size_t p = 0; p < pairs; p++) {
        for (size_t f = 0; f < frequencies; f++) {
            memcpy(exact + 2 * (f * pairs + p), by_pair + 2 * (p * frequencies + f), 2 * sizeof *by_pair);
        }
    }
    cpu_round_values(problem, exact, spectra_weight_count(problem), engine->weights);
}

static pw_status fill_engine(struct cpu_engine *engine, const struct solver_request *request, bool simple,
                             pw_error *error)
{
    const struct problem *problem = engine->problem;
    int threads = thread_count(request);
    TRY(cpu_grid_create(problem, threads, &engine->grid, &engine->grid_block, error));
    TRY(decide_tiling(&engine->grid, request, simple, &engine->tiling, error));
    size_t weights = spectra_weight_count(problem);
    engine->runs = allocate((size_t)engine->count, sizeof *engine->runs, "runs", error);
    engine->weights = allocate(weights, sizeof(double), "weights of the spectra", error);
    engine->exact_phases = allocate(weights, sizeof(double), "weights of the spectra", error);
    engine->phases = allocate(weights, sizeof(double), "weights of the spectra", error);
    engine->row_sums = allocate((size_t)problem->axis[1].count, sizeof(double), "row sums", error);
    TRY_MADE(engine->runs != NULL && engine->weights != NULL && engine->exact_phases != NULL &&
             engine->phases != NULL && engine->row_sums != NULL);
    fill_weights(engine);
    for (int r = 0; r < engine->count; r++) {
        const struct source *source = &problem->sources[request->first + r];
        TRY(cpu_run_create(&engine->grid, source, threads, &engine->runs[r].run, &engine->runs[r].block, error));
        engine->runs[r].window = source_window(source, problem->axis[0].count);
    }
    return PW_OK;
}

pw_status cpu_engine_create(const struct solver_request *request, const struct cpu_marcher *marcher, bool simple,
                            void **state, pw_error *error)
{
    struct cpu_engine *engine = allocate(1, sizeof *engine, "the cpu backend", error);
    TRY_MADE(engine);
    *engine = (struct cpu_engine){.problem = request->problem, .count = request->count, .marcher = marcher};
    pw_status status = fill_engine(engine, request, simple, error);
    if (status != PW_OK) {
        cpu_engine_destroy(engine);
        return status;
    }
    *state = engine;
    return PW_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Adds the groups of samples that are whole. Groups go in order of time, so when this happens changes no bit. */
static void add_whole_groups(struct cpu_engine *engine)
{
    const struct problem *problem = engine->problem;
    const struct spectra *spectra = &problem->spectra;
    int group = spectra_group(spectra), count = (int)(spectra_samples(spectra, engine->step) - engine->added) / group;
    if (count <= 0) {
        return;
    }
    spectra_phases(problem, engine->added / group, count, engine->exact_phases);
    cpu_round_values(problem, engine->exact_phases, 2 * (size_t)count * (size_t)spectra->frequency_count,
                     engine->phases);
    struct cpu_groups groups = {.first_slot = (int)(engine->added % engine->grid.sample_slots),
                                .count = count,
                                .weights = engine->weights,
                                .phases = engine->phases};
    int64_t patches = engine->grid.patch_count, some = 16;
    for (int r = 0; r < engine->count; r++) {
#pragma omp parallel for num_threads(engine->tiling.threads) schedule(dynamic)
        for (int64_t first = 0; first < patches; first += some) {
            int64_t last = first + some < patches ? first + some : patches;
            engine->marcher->add_spectra[problem->precision](&engine->grid, &engine->runs[r].run, &groups, first, last);
        }
    }
    engine->added += (int64_t)count * group;
}

/* Nodes near edges that obey Mur's condition (problem/mur/mur.h), of which the march has left the increments as they
 * were: the arithmetic is that of the reference. No source, probe or point of the spectra is here
 * (solver_takes_clear_edges). */
#define TEMPLATE "backend/cpu/cpu_mur_step.h"
#include "problem/precisions.h"

/* One step at a time, with the nodes near one-way edges after each. */
static pw_status advance_with_edges(struct cpu_job *job, const struct cpu_tiling *tiling, pw_error *error)
{
    const int64_t end = job->step + job->steps;
    for (job->steps = 1; job->step < end; job->step++) {
        TRY(cpu_schedule_advance(job, tiling, error));
        (job->grid->problem->precision == PW_SINGLE ? mur_step_nodes_float : mur_step_nodes_double)(job->grid, job->run,
                                                                                                    job->step);
    }
    return PW_OK;
}

pw_status cpu_engine_advance(void *state, int64_t steps, pw_error *error)
{
    struct cpu_engine *engine = state;
    const struct problem *problem = engine->problem;
    const struct spectra *spectra = &problem->spectra;
    TRY(solver_check_advance(problem, engine->step, steps, error));
    for (int64_t end = engine->step + steps; engine->step < end;) {
        int64_t stop = end;
        if (spectra->frequency_count > 0) {
            int64_t full = (engine->added + engine->grid.sample_slots) * spectra->every;
            stop = full < end ? full : end;
        }
        for (int r = 0; r < engine->count; r++) {
            struct cpu_job job = {.grid = &engine->grid,
                                  .run = &engine->runs[r].run,
                                  .marcher = engine->marcher,
                                  .window = engine->runs[r].window,
                                  .step = engine->step,
                                  .steps = stop - engine->step};
            TRY(problem_has_mur(problem) ? advance_with_edges(&job, &engine->tiling, error)
                                         : cpu_schedule_advance(&job, &engine->tiling, error));
        }
        engine->step = stop;
        if (spectra_samples(spectra, stop) - engine->added == engine->grid.sample_slots) {
            add_whole_groups(engine);
        }
    }
    return PW_OK;
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

pw_status cpu_engine_energy(void *state, int run, double *energy, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    *energy =
        cpu_run_energy(&engine->grid, &engine->runs[run].run, engine->step, engine->tiling.threads, engine->row_sums);
    return PW_OK;
}

pw_status cpu_engine_read_field(void *state, int run, double *ez, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    cpu_run_field(&engine->grid, &engine->runs[run].run, engine->step, engine->tiling.threads, ez);
    return PW_OK;
}

pw_status cpu_engine_read_probes(void *state, int run, double *ez, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    cpu_run_probes(&engine->grid, &engine->runs[run].run, 0, engine->step, ez);
    return PW_OK;
}

pw_status cpu_engine_take_probes(void *state, int run, int64_t first, int64_t count, double *ez, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    cpu_run_probes(&engine->grid, &engine->runs[run].run, first, count, ez);
    return PW_OK;
}

pw_status cpu_engine_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    add_whole_groups(engine);
    cpu_run_spectra(&engine->grid, &engine->runs[run].run, row_first, row_count, engine->tiling.threads, out);
    return PW_OK;
}

pw_status cpu_engine_read_samples(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    cpu_run_samples(&engine->grid, &engine->runs[run].run, engine->step, row_first, row_count, engine->tiling.threads,
                    out);
    return PW_OK;
}

pw_status cpu_engine_save(void *state, int run, struct run_state *to, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    add_whole_groups(engine);
    to->step = engine->step;
    cpu_run_exchange(&engine->grid, &engine->runs[run].run, engine->step, to, true);
    return PW_OK;
}

/* A loaded wave may be anywhere: the window is the whole grid from here on. */
pw_status cpu_engine_load(void *state, int run, const struct run_state *from, pw_error *error)
{
    struct cpu_engine *engine = state;
    const struct problem *problem = engine->problem;
    TRY(solver_check_load(problem, from, error));
    struct engine_run *own = &engine->runs[run];
    struct run_state read_only = *from; /* cpu_run_exchange only reads it: `store` is false */
    struct cpu_block all = {.row_last = engine->grid.ny, .column_last = engine->grid.padded};
    engine->step = from->step;
    engine->added = spectra_samples(&problem->spectra, from->step) - spectra_waiting(&problem->spectra, from->step);
    cpu_run_exchange(&engine->grid, &own->run, from->step, &read_only, false);
    engine->marcher->mirror[problem->precision](&engine->grid, &own->run, from->step - 1, &all);
    own->window = (struct cpu_window){from->step, 0, engine->grid.ny, 0, engine->grid.nx};
    return PW_OK;
}

static bool all_zero(const void *bytes, size_t size)
{
    const char *byte = bytes;
    return size == 0 || (byte[0] == 0 && memcmp(byte, byte + 1, size - 1) == 0);
}

/* What is put into a run may be anywhere, as with what is loaded. */
pw_status cpu_engine_patch(void *state, int run, const struct patch *patch, void *values, bool store, pw_error *error)
{
    struct cpu_engine *engine = state;
    struct engine_run *own = &engine->runs[run];
    const struct problem *problem = engine->problem;
    (void)error;
    cpu_run_patch(&engine->grid, &own->run, engine->step, patch, values, store);
    if (!store && !all_zero(values, (size_t)patch_values(problem, patch) * problem_value_size(problem))) {
        struct cpu_block all = {.row_last = engine->grid.ny, .column_last = engine->grid.padded};
        engine->marcher->mirror[problem->precision](&engine->grid, &own->run, engine->step - 1, &all);
        own->window = (struct cpu_window){engine->step, 0, engine->grid.ny, 0, engine->grid.nx};
    }
    return PW_OK;
}
