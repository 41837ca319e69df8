/* The cpu backend: several steps at once over tiles that stay in cache (cpu_tile.c), with the widest vectors that the
 * processor has (cpu_march.c), on OpenMP threads; fields in padded rows (cpu_state.c). In float the bits are those of
 * the reference backend, for any tile, number of threads and instruction set. Spectra are gathered as snapshots and
 * added a block at a time.
 *
 * Solvers: avx512, avx2 and baseline each force an instruction set, and simple takes one step at a time over the whole
 * grid on one thread. The detail after the name sets the tile: "avx2:4x16x64" is 4 levels, 16 rows and 64 columns (a
 * multiple of 16); a fourth number sets the number of bands, as far as so many fit. */
#include "backend/backend.h"
#include "backend/cpu/cpu_schedule.h"
#include "backend/cpu/cpu_state.h"
#include "spectra/spectra.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cpu_own {
    struct cpu_run run;
    void *block; /* memory of run, owned */
    struct cpu_window window;
};

struct cpu_engine {
    const struct problem *problem; /* borrowed */
    struct cpu_grid grid;
    void *grid_block;    /* memory of grid, owned */
    struct cpu_own *own; /* (count), owned */
    int count;
    const struct cpu_marcher *marcher;
    struct cpu_plan plan;
    int64_t step, added; /* steps done; samples of the spectra added so far, whole groups */
    void *weights;       /* of the spectra (spectra_weights), in the precision of the problem, owned */
    double *exact;       /* turns of the groups at hand, owned */
    void *turns;         /* the same in the precision of the problem, owned */
    double *row_sums;    /* (ny), owned */
};

/* ---- choosing -------------------------------------------------------------------------------------------------- */

enum instruction_set { SET_AVX512, SET_AVX2, SET_BASELINE, SET_COUNT };

static const struct cpu_marcher *const MARCHERS[SET_COUNT] = {&cpu_march_avx512, &cpu_march_avx2, &cpu_march_baseline};

static bool set_works(enum instruction_set set)
{
    if (set == SET_AVX512) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    }
    return set == SET_BASELINE || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
}

static enum instruction_set best_set(void)
{
    return set_works(SET_AVX512) ? SET_AVX512 : set_works(SET_AVX2) ? SET_AVX2 : SET_BASELINE;
}

static int64_t cache_size(int name, int64_t otherwise)
{
    long size = sysconf(name);
    return size > 0 ? size : otherwise;
}

/* Rows of a tile that load least from memory: per update (rows + levels lag) / (rows levels) of a row, while the rows
 * over the columns in flight fill no more than `room` nodes. */
static void choose_rows(const struct cpu_grid *grid, int64_t room, int levels_most, struct cpu_plan *plan)
{
    double least = INFINITY;
    for (int levels = 1; levels <= levels_most; levels++) {
        int64_t rows = (room / (plan->columns + BLOCK_COLUMNS * levels) - 2 * grid->lag) / 4 * 4;
        rows = rows > 8 ? rows : 8;
        double load = 1.0 / levels + (double)grid->lag / (double)rows;
        if (load < least) {
            least = load;
            plan->levels = levels;
            plan->rows = (int)rows;
        }
    }
}

/* Bands for all threads, twice as many as there are so that a late one holds up less; and the most levels up to
 * `wanted` with which they fit. Before levels get fewer than `enough`, fewer bands must do. */
static int choose_bands(const struct cpu_grid *grid, int wanted, int enough, struct cpu_plan *plan)
{
    int threads = plan->threads, levels = wanted, fit = cpu_schedule_bands(grid, grid->ny, levels);
    while (threads > 1 && levels > 1 && fit < 2 * threads && (levels > enough || fit < threads)) {
        fit = cpu_schedule_bands(grid, grid->ny, --levels);
    }
    plan->bands = threads == 1 ? 1 : fit < 2 * threads ? fit : 2 * threads;
    return levels;
}

/* Tiles for the caches, five values a node. One ring: a level's piece of a tile in half of the first-level cache, all
 * levels of it in the second. More: rows around a piece in the first, the rest in the second. */
static struct cpu_plan choose_plan(const struct cpu_grid *grid, int threads)
{
    int64_t node = 5 * (grid->problem->precision == PW_SINGLE ? (int)sizeof(float) : (int)sizeof(double));
    int64_t first = cache_size(_SC_LEVEL1_DCACHE_SIZE, 32 << 10), second = cache_size(_SC_LEVEL2_CACHE_SIZE, 256 << 10);
    struct cpu_plan plan = {.threads = threads};
    int64_t room = second * 7 / 10 / node;
    if (grid->problem->laplacian_taps > 1) {
        plan.columns = 192;
        choose_rows(grid, second * 9 / 10 / node, choose_bands(grid, 16, 4, &plan), &plan);
        return plan;
    }
    plan.columns = 128;
    int64_t rows = first * 7 / 8 / (plan.columns * node) / 4 * 4;
    plan.rows = rows > 8 ? (int)rows : 8;
    int64_t levels = (room / plan.rows - plan.columns) / BLOCK_COLUMNS;
    plan.levels = choose_bands(grid, levels < 4 ? 4 : levels > 48 ? 48 : (int)levels, 16, &plan);
    return plan;
}

static bool parse_tile(const char *text, struct cpu_plan *plan)
{
    int end = 0, bands = 0;
    int read = sscanf(text, "%dx%dx%d%nx%d%n", &plan->levels, &plan->rows, &plan->columns, &end, &bands, &end);
    plan->bands = read == 4 ? bands : 2 * plan->threads;
    return read >= 3 && text[end] == '\0' && plan->levels > 0 && plan->levels <= 4096 && plan->rows > 0 &&
           plan->rows <= 1 << 24 && plan->columns > 0 && plan->columns <= 1 << 24 &&
           plan->columns % BLOCK_COLUMNS == 0 && plan->bands > 0 && plan->bands <= 1 << 16;
}

static int thread_count(const struct solver_request *request)
{
    int threads = request->threads > 0 ? request->threads : omp_get_max_threads();
    return threads < 1024 ? threads : 1024;
}

/* One step at a time over the whole grid, on one thread. */
static struct cpu_plan simple_plan(const struct cpu_grid *grid)
{
    return (struct cpu_plan){.levels = 1, .rows = grid->ny, .columns = grid->padded, .threads = 1, .bands = 1};
}

/* The tile that `detail` names, or the one that suits the caches. */
static pw_status decide_plan(const struct cpu_grid *grid, const struct solver_request *request, bool simple,
                             struct cpu_plan *plan, pw_error *error)
{
    *plan = simple ? simple_plan(grid) : choose_plan(grid, thread_count(request));
    if (request->detail != NULL && (simple || !parse_tile(request->detail, plan))) {
        return fail(
            error, PW_USAGE,
            "cpu backend: solver '%s': the detail after the colon is a tile, levels x rows x columns with columns "
            "a multiple of %d, and x bands if you like, as in avx2:4x16x64; simple has no tiles",
            request->name, BLOCK_COLUMNS);
    }
    /* On a grid so small that images of images occur, the plain order alone is right. */
    if (grid->nx < 2 * grid->lag + BLOCK_COLUMNS || grid->ny < 2 * grid->lag + 2) {
        *plan = simple_plan(grid);
    }
    return PW_OK;
}

/* ---- the table's functions --------------------------------------------------------------------------------------- */

static pw_status cpu_probe(char *device, size_t size, pw_error *error)
{
    (void)error;
    enum instruction_set set = best_set();
    const char *label[] = {"AVX-512", "AVX2+FMA", "no AVX2+FMA: slow"};
    int threads = omp_get_max_threads();
    snprintf(device, size, "%d thread%s, %s", threads, threads == 1 ? "" : "s", label[set]);
    return PW_OK;
}

static void cpu_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    *host = cpu_grid_size(problem) + (uint64_t)runs * cpu_run_size(problem);
    *device = 0;
}

static int cpu_group(const struct problem *problem)
{
    (void)problem;
    return 1; /* all threads work on one run */
}

static void cpu_destroy(void *state)
{
    struct cpu_engine *engine = state;
    if (engine == NULL) {
        return;
    }
    for (int r = 0; engine->own != NULL && r < engine->count; r++) {
        free(engine->own[r].block);
    }
    free(engine->own);
    free(engine->grid_block);
    free(engine->weights);
    free(engine->exact);
    free(engine->turns);
    free(engine->row_sums);
    free(engine);
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

/* Those of folded groups by frequency, as the product goes through them. */
static void fill_weights(struct cpu_engine *engine)
{
    const struct problem *problem = engine->problem;
    size_t group = (size_t)spectra_group(&problem->spectra), frequencies = (size_t)problem->spectra.frequency_count;
    size_t pairs = spectra_transformed(&problem->spectra) ? 0 : group / 2;
    double *by_pair = engine->turns; /* large enough, and not yet in use */
    spectra_weights(problem, pairs > 0 ? by_pair : engine->exact);
    for (size_t p = 0; p < pairs; p++) {
        for (size_t f = 0; f < frequencies; f++) {
            memcpy(engine->exact + 2 * (f * pairs + p), by_pair + 2 * (p * frequencies + f), 2 * sizeof *by_pair);
        }
    }
    cpu_round_values(problem, engine->exact, spectra_weight_count(problem), engine->weights);
}

static pw_status fill_engine(struct cpu_engine *engine, const struct solver_request *request, bool simple,
                             pw_error *error)
{
    const struct problem *problem = engine->problem;
    int threads = thread_count(request);
    TRY(cpu_grid_create(problem, threads, &engine->grid, &engine->grid_block, error));
    TRY(decide_plan(&engine->grid, request, simple, &engine->plan, error));
    size_t weights = spectra_weight_count(problem);
    engine->own = allocate((size_t)engine->count, sizeof *engine->own, "runs", error);
    engine->weights = allocate(weights, sizeof(double), "weights of the spectra", error);
    engine->exact = allocate(weights, sizeof(double), "weights of the spectra", error);
    engine->turns = allocate(weights, sizeof(double), "weights of the spectra", error);
    engine->row_sums = allocate((size_t)problem->axis[1].count, sizeof(double), "row sums", error);
    if (engine->own == NULL || engine->weights == NULL || engine->exact == NULL || engine->turns == NULL ||
        engine->row_sums == NULL) {
        return PW_NO_RESOURCE;
    }
    fill_weights(engine);
    for (int r = 0; r < engine->count; r++) {
        const struct source *source = &problem->sources[request->first + r];
        TRY(cpu_run_create(&engine->grid, source, threads, &engine->own[r].run, &engine->own[r].block, error));
        engine->own[r].window = source_window(source, problem->axis[0].count);
    }
    return PW_OK;
}

static pw_status create_engine(const struct solver_request *request, enum instruction_set set, bool simple,
                               void **state, pw_error *error)
{
    struct cpu_engine *engine = allocate(1, sizeof *engine, "the cpu backend", error);
    if (engine == NULL) {
        return PW_NO_RESOURCE;
    }
    *engine = (struct cpu_engine){.problem = request->problem, .count = request->count, .marcher = MARCHERS[set]};
    pw_status status = fill_engine(engine, request, simple, error);
    if (status != PW_OK) {
        cpu_destroy(engine);
        return status;
    }
    *state = engine;
    return PW_OK;
}

/* Adds the groups of snapshots that are whole. Groups go in order of time, so when this happens changes no bit. */
static void add_snapshots(struct cpu_engine *engine)
{
    const struct problem *problem = engine->problem;
    const struct spectra *spectra = &problem->spectra;
    int group = spectra_group(spectra), count = (int)(spectra_samples(spectra, engine->step) - engine->added) / group;
    if (count <= 0) {
        return;
    }
    spectra_phases(problem, engine->added / group, count, engine->exact);
    cpu_round_values(problem, engine->exact, 2 * (size_t)count * (size_t)spectra->frequency_count, engine->turns);
    struct cpu_groups groups = {.place = (int)(engine->added % engine->grid.snapshot_limit),
                                .count = count,
                                .weights = engine->weights,
                                .turns = engine->turns};
    int64_t places = engine->grid.group_count, some = 16;
    for (int r = 0; r < engine->count; r++) {
#pragma omp parallel for num_threads(engine->plan.threads) schedule(dynamic)
        for (int64_t first = 0; first < places; first += some) {
            int64_t last = first + some < places ? first + some : places;
            engine->marcher->add_spectra[problem->precision](&engine->grid, &engine->own[r].run, &groups, first, last);
        }
    }
    engine->added += (int64_t)count * group;
}

static pw_status cpu_advance(void *state, int64_t steps, pw_error *error)
{
    struct cpu_engine *engine = state;
    const struct problem *problem = engine->problem;
    const struct spectra *spectra = &problem->spectra;
    if (steps < 0 || engine->step + steps > problem->steps) {
        return fail(error, PW_USAGE, "cannot advance %lld steps from step %lld: the problem has %lld", (long long)steps,
                    (long long)engine->step, (long long)problem->steps);
    }
    for (int64_t end = engine->step + steps; engine->step < end;) {
        int64_t stop = end;
        if (spectra->frequency_count > 0) {
            int64_t full = (engine->added + engine->grid.snapshot_limit) * spectra->every;
            stop = full < end ? full : end;
        }
        for (int r = 0; r < engine->count; r++) {
            struct cpu_job job = {.grid = &engine->grid,
                                  .run = &engine->own[r].run,
                                  .marcher = engine->marcher,
                                  .window = engine->own[r].window,
                                  .step = engine->step,
                                  .steps = stop - engine->step};
            TRY(cpu_schedule_advance(&job, &engine->plan, error));
        }
        engine->step = stop;
        if (spectra_samples(spectra, stop) - engine->added == engine->grid.snapshot_limit) {
            add_snapshots(engine);
        }
    }
    return PW_OK;
}

static pw_status cpu_energy(void *state, int run, double *energy, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    *energy =
        cpu_run_energy(&engine->grid, &engine->own[run].run, engine->step, engine->plan.threads, engine->row_sums);
    return PW_OK;
}

static pw_status cpu_read_field(void *state, int run, double *ez, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    cpu_run_field(&engine->grid, &engine->own[run].run, engine->step, engine->plan.threads, ez);
    return PW_OK;
}

static pw_status cpu_read_probes(void *state, int run, double *ez, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    cpu_run_probes(&engine->grid, &engine->own[run].run, engine->step, ez);
    return PW_OK;
}

static pw_status cpu_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    add_snapshots(engine);
    cpu_run_spectra(&engine->grid, &engine->own[run].run, row_first, row_count, engine->plan.threads, out);
    return PW_OK;
}

static pw_status cpu_read_samples(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    cpu_run_samples(&engine->grid, &engine->own[run].run, engine->step, row_first, row_count, engine->plan.threads,
                    out);
    return PW_OK;
}

static pw_status cpu_save(void *state, int run, struct run_state *snapshot, pw_error *error)
{
    struct cpu_engine *engine = state;
    (void)error;
    add_snapshots(engine);
    snapshot->step = engine->step;
    cpu_run_exchange(&engine->grid, &engine->own[run].run, engine->step, snapshot, true);
    return PW_OK;
}

/* Whatever was loaded may be anywhere: the window is the whole grid from here on. */
static pw_status cpu_load(void *state, int run, const struct run_state *snapshot, pw_error *error)
{
    struct cpu_engine *engine = state;
    const struct problem *problem = engine->problem;
    if (snapshot->step < 0 || snapshot->step > problem->steps) {
        return fail(error, PW_USAGE, "a snapshot at step %lld of a problem of %lld steps", (long long)snapshot->step,
                    (long long)problem->steps);
    }
    struct cpu_own *own = &engine->own[run];
    struct run_state from = *snapshot; /* read only: `store` is false */
    struct cpu_block all = {.row_last = engine->grid.ny, .column_last = engine->grid.padded};
    engine->step = snapshot->step;
    engine->added =
        spectra_samples(&problem->spectra, snapshot->step) - spectra_waiting(&problem->spectra, snapshot->step);
    cpu_run_exchange(&engine->grid, &own->run, snapshot->step, &from, false);
    engine->marcher->mirror[problem->precision](&engine->grid, &own->run, snapshot->step - 1, &all);
    own->window = (struct cpu_window){snapshot->step, 0, engine->grid.ny, 0, engine->grid.nx};
    return PW_OK;
}

/* ---- the solvers ------------------------------------------------------------------------------------------------- */

static pw_status suits_set(const struct solver_request *request, enum instruction_set set, const char *extension,
                           pw_error *error)
{
    TRY(solver_takes_plain_tm2d(request->problem, error));
    return set_works(set) ? PW_OK : fail(error, PW_NO_RESOURCE, "this processor has no %s", extension);
}

static double cells_of(const struct solver_request *request)
{
    return (double)request->count * request->problem->axis[0].count * request->problem->axis[1].count;
}

static pw_status avx512_applicable(const struct solver_request *request, pw_error *error)
{
    return suits_set(request, SET_AVX512, "AVX-512", error);
}

static double avx512_cost(const struct solver_request *request)
{
    return 0.2 * cells_of(request);
}

static pw_status avx512_create(const struct solver_request *request, void **state, pw_error *error)
{
    return create_engine(request, SET_AVX512, false, state, error);
}

static pw_status avx2_applicable(const struct solver_request *request, pw_error *error)
{
    return suits_set(request, SET_AVX2, "AVX2 with FMA", error);
}

static double avx2_cost(const struct solver_request *request)
{
    return 0.4 * cells_of(request);
}

static pw_status avx2_create(const struct solver_request *request, void **state, pw_error *error)
{
    return create_engine(request, SET_AVX2, false, state, error);
}

static pw_status baseline_applicable(const struct solver_request *request, pw_error *error)
{
    return suits_set(request, SET_BASELINE, "the baseline vectors", error);
}

static double baseline_cost(const struct solver_request *request)
{
    return 4 * cells_of(request);
}

static pw_status baseline_create(const struct solver_request *request, void **state, pw_error *error)
{
    return create_engine(request, SET_BASELINE, false, state, error);
}

static double simple_cost(const struct solver_request *request)
{
    return 10 * cells_of(request);
}

static pw_status simple_create(const struct solver_request *request, void **state, pw_error *error)
{
    return create_engine(request, best_set(), true, state, error);
}

#define CPU_SOLVER(word, what, suits)                                                                                  \
    {                                                                                                                  \
        .name = #word, .description = what, .applicable = suits, .cost = word##_cost, .memory = cpu_memory,            \
        .create = word##_create, .advance = cpu_advance, .energy = cpu_energy, .read_field = cpu_read_field,           \
        .read_probes = cpu_read_probes, .read_spectra = cpu_read_spectra, .read_samples = cpu_read_samples,            \
        .save = cpu_save, .load = cpu_load, .destroy = cpu_destroy                                                     \
    }

static const struct solver SOLVER_AVX512 = CPU_SOLVER(avx512, "tiles in cache, vectors of AVX-512", avx512_applicable);
static const struct solver SOLVER_AVX2 = CPU_SOLVER(avx2, "tiles in cache, vectors of AVX2", avx2_applicable);
static const struct solver SOLVER_BASELINE =
    CPU_SOLVER(baseline, "tiles in cache, vectors that every processor has", baseline_applicable);
static const struct solver SOLVER_SIMPLE =
    CPU_SOLVER(simple, "one step at a time over the whole grid, one thread", baseline_applicable);

static const struct solver *const SOLVERS[] = {&SOLVER_AVX512, &SOLVER_AVX2, &SOLVER_BASELINE, &SOLVER_SIMPLE, NULL};

const struct backend backend_cpu = {
    .name = "cpu",
    .description = "tiles of several steps in cache, vectors and threads",
    .probe = cpu_probe,
    .solvers = SOLVERS,
    .group = cpu_group,
};
