/* See volume_state.h. Nothing here is on the path of a step. */
#include "backend/cpu/volume/volume_state.h"
#include "backend/cpu/cpu_arena.h"
#include "backend/cpu/volume/volume_events.h"
#include "backend/cpu/volume/volume_media.h"
#include "backend/state_patch.h"
#include "problem/half.h"

#include <math.h>
#include <stdlib.h>

/* What depends on the precision. */
struct value_functions {
    size_t size;
    void (*exchange)(void *values, size_t first, double *canonical, size_t count, bool store);
    void (*fill_profile)(const struct absorber_filter *filter, int nx, int padded, void *profile);
    double (*row_energy)(const void *fields, ptrdiff_t first, int count);
    void (*sum_probe)(const struct probe *probe, const void *tapped, int64_t first, void *probes, int64_t to);
};

#define TEMPLATE "backend/cpu/volume/volume_values.h"
#include "problem/precisions.h"

static const struct value_functions *values_of(const struct problem *problem)
{
    return problem->precision == PW_SINGLE ? &VALUES_float : &VALUES_double;
}

/* ---- grid ---------------------------------------------------------------------------------------------------------
 */

static int round_up(int value)
{
    return (value + COLUMN_BLOCK - 1) / COLUMN_BLOCK * COLUMN_BLOCK;
}

/* Geometry alone. An odd number of cache lines from row to row and from plane to plane keeps neighbours out of each
 * other's place in the caches. */
static void shape_grid(const struct problem *problem, struct volume_grid *grid)
{
    const struct axis *x = &problem->axis[0];
    *grid = (struct volume_grid){.problem = problem,
                                 .nx = x->count,
                                 .ny = problem->axis[1].count,
                                 .nz = problem->axis[2].count,
                                 .reach = problem->reach,
                                 .depth = problem_depth(problem),
                                 .flat = problem->axis[2].uniform,
                                 .padded = round_up(x->count)};
    grid->stride = grid->padded + COLUMN_BLOCK;
    grid->stride += grid->stride / COLUMN_BLOCK % 2 == 0 ? COLUMN_BLOCK : 0;
    grid->pitch = 6 * grid->stride;
    grid->plane = grid->ny * grid->pitch + COLUMN_BLOCK;
    grid->x_low = round_up(x->low.cells);
    grid->x_high = x->high.cells > 0 ? (x->count - x->high.cells) / COLUMN_BLOCK * COLUMN_BLOCK : grid->padded;
    if (grid->x_high < grid->x_low) { /* the sides meet */
        grid->x_low = grid->x_high = grid->padded;
    }
    grid->x_width = grid->x_low + grid->padded - grid->x_high;
    for (int g = 0; g < 2 * grid->reach; g++) {
        struct volume_images *images = &grid->x_images[g % 2];
        images->low[g / 2] = image_of(-1 - g / 2, grid->nx, g % 2, x->low.symmetric);
        images->high[g / 2] = image_of(grid->nx + g / 2, grid->nx, g % 2, x->low.symmetric);
    }
}

static pw_status create_profiles(struct volume_grid *grid, pw_error *error)
{
    const struct value_functions *values = values_of(grid->problem);
    const struct axis *x = &grid->problem->axis[0];
    for (int which = 0; which < 2; which++) {
        const char *what = "the absorber of the cpu backend";
        TRY_MADE(grid->x_profile[which] = allocate(3 * (size_t)grid->padded, values->size, what, error));
        values->fill_profile(which == 0 ? x->half : x->node, grid->nx, grid->padded, grid->x_profile[which]);
    }
    return PW_OK;
}

pw_status volume_grid_create(const struct problem *problem, struct volume_grid *grid, pw_error *error)
{
    shape_grid(problem, grid);
    grid->zeros =
        allocate(FIELD_ROWS * (size_t)grid->stride, values_of(problem)->size, "the walls of the cpu backend", error);
    TRY_MADE(grid->zeros);
    TRY(create_profiles(grid, error));
    TRY(volume_media_create(problem, grid, error));
    return volume_events_create(problem, grid, error);
}

void volume_grid_destroy(struct volume_grid *grid)
{
    for (int which = 0; which < 2; which++) {
        free(grid->x_profile[which]);
    }
    FREE_ALL(grid->zeros, grid->pool, grid->blocks);
    volume_events_destroy(grid);
}

uint64_t volume_grid_size(const struct problem *problem)
{
    struct volume_grid grid;
    shape_grid(problem, &grid);
    uint64_t blocks = (uint64_t)problem->layer_count * (uint64_t)grid.ny * (uint64_t)(grid.padded / COLUMN_BLOCK);
    uint64_t pool = problem->coefficient_index != NULL ? (uint64_t)volume_media_count(problem) : blocks;
    uint64_t taps = (uint64_t)(volume_probe_taps(problem) + volume_sample_taps(problem));
    return blocks * sizeof(uint32_t) + pool * 2 * COLUMN_BLOCK * values_of(problem)->size +
           (uint64_t)grid.nz * (uint64_t)grid.ny +
           pole_groups_size(problem, 3 * (uint64_t)grid.nz * (uint64_t)grid.ny) +
           taps * (sizeof(int64_t) + sizeof(int32_t)) +
           4 * (uint64_t)problem->tensor_count * sizeof(struct volume_tensor) +
           (uint64_t)problem->metal_term_count * sizeof(ptrdiff_t);
}

/* ---- runs ---------------------------------------------------------------------------------------------------------
 */

int volume_tap_slots(const struct problem *problem)
{
    enum { VALUES = 1 << 20, MOST = 256, LEAST = 16 };
    int64_t taps = volume_probe_taps(problem), slots = taps > 0 ? VALUES / taps : MOST;
    return slots > MOST ? MOST : slots < LEAST ? LEAST : (int)slots;
}

static void carve_run(const struct volume_grid *grid, struct volume_run *run, struct cpu_arena *arena)
{
    const struct problem *problem = grid->problem;
    const struct spectra *spectra = &problem->spectra;
    size_t size = values_of(problem)->size, ny = (size_t)grid->ny, nz = (size_t)grid->nz;
    size_t padded = (size_t)grid->padded, points = (size_t)volume_sample_taps(problem);
    run->fields = arena_carve(arena, nz * (size_t)grid->plane + 2 * COLUMN_BLOCK, size, COLUMN_BLOCK);
    run->filter_x = arena_carve(arena, nz * ny * 4 * (size_t)grid->x_width, size, 0);
    run->filter_y = arena_carve(arena, nz * (size_t)run_state_filters(problem, 1) * 4 * padded, size, 0);
    run->filter_z = arena_carve(arena, (size_t)run_state_filters(problem, 2) * ny * 4 * padded, size, 0);
    run->tapped = arena_carve(arena, (size_t)volume_tap_slots(problem) * (size_t)volume_probe_taps(problem), size, 0);
    run->samples = arena_carve(arena, points > 0 ? (size_t)spectra_group(spectra) * points : 0, size, 0);
    run->spectra = arena_carve(arena, 2 * (size_t)spectra->frequency_count * points, size, 0);
    run->poles = arena_carve(arena, (size_t)pole_groups_states(problem), size, 0);
    run->probes = arena_carve(arena, (size_t)problem->steps * (size_t)problem->probe_count, size, 0);
}

uint64_t volume_run_size(const struct problem *problem)
{
    struct volume_grid grid;
    struct volume_run run;
    struct cpu_arena arena = {0};
    shape_grid(problem, &grid);
    carve_run(&grid, &run, &arena);
    return arena.used;
}

pw_status volume_run_create(const struct volume_grid *grid, const struct source *source, int threads,
                            struct volume_run *run, void **block, pw_error *error)
{
    struct cpu_arena arena = {0};
    TRY(arena_create_block(volume_run_size(grid->problem), threads, block, error));
    arena.base = *block;
    carve_run(grid, run, &arena);
    run->source = source;
    return PW_OK;
}

/* ---- in and out ---------------------------------------------------------------------------------------------------
 */

static size_t row_index(const struct volume_grid *grid, int component, int j, int k)
{
    return (size_t)(k * grid->plane + j * grid->pitch + component * grid->stride);
}

double volume_energy(const struct volume_grid *grid, const struct volume_run *run, int threads, double *plane_sums)
{
    double energy = 0;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int k = 0; k < grid->nz; k++) {
        plane_sums[k] = 0;
        for (int row = 0; row < 3 * grid->ny; row++) {
            plane_sums[k] += values_of(grid->problem)
                                 ->row_energy(run->fields, (ptrdiff_t)row_index(grid, row % 3, row / 3, k), grid->nx);
        }
    }
    for (int k = 0; k < grid->nz; k++) {
        energy += plane_sums[k];
    }
    return energy;
}

void volume_widen(const struct problem *problem, const void *values, size_t first, size_t count, double *out)
{
    values_of(problem)->exchange((void *)values, first, out, count, true);
}

void volume_sum_probes(const struct volume_grid *grid, const struct volume_run *run, int64_t step, int64_t steps)
{
    const struct problem *problem = grid->problem;
    for (int64_t s = 0; s < steps; s++) {
        int64_t tap = s * grid->probes.count;
        for (int p = 0; p < problem->probe_count; p++) {
            const struct probe *probe = &problem->probes[p];
            values_of(problem)->sum_probe(probe, run->tapped, tap, run->probes, (step + s) * problem->probe_count + p);
            tap += probe->count > 0 ? probe->count : 1;
        }
    }
}

/* ---- fields, filters and poles --------------------------------------------------------------------------------------
 */

struct located {
    const struct volume_grid *grid;
    const struct volume_run *run;
};

/* Where column i stands among those that pass the filters along x. */
static int x_filter_column(const struct volume_grid *grid, int i)
{
    return i < grid->x_low ? i : grid->x_low + i - grid->x_high;
}

/* The four filters of a block of columns stand side by side. */
static void *locate_filter(const struct located *located, struct patch_row *row)
{
    const struct volume_grid *grid = located->grid;
    const struct problem *problem = grid->problem;
    const int axis = (row->array - STATE_FILTER) / 4, q = (row->array - STATE_FILTER) % 4;
    const size_t ny = (size_t)grid->ny, j = (size_t)row->j, k = (size_t)row->k;
    size_t line = k * ny + j, width = (size_t)grid->x_width;
    int first = x_filter_column(grid, row->i);
    char *states = located->run->filter_x;
    if (axis > 0) {
        const size_t slot = (size_t)axis_filter_slot(&problem->axis[axis], axis == 1 ? row->j : row->k);
        line = axis == 1 ? k * (size_t)run_state_filters(problem, 1) + slot : slot * ny + j;
        width = (size_t)grid->padded;
        first = row->i;
        states = axis == 1 ? located->run->filter_y : located->run->filter_z;
    }
    const int column = first % COLUMN_BLOCK, room = COLUMN_BLOCK - column;
    row->count = row->count < room ? row->count : room;
    return states + (line * width * 4 + (size_t)(first - column) * 4 + (size_t)(q * COLUMN_BLOCK + column)) *
                        values_of(problem)->size;
}

static void *locate(void *context, struct patch_row *row)
{
    const struct located *located = context;
    const struct volume_grid *grid = located->grid;
    const size_t size = values_of(grid->problem)->size;
    if (row->array == STATE_POLES) {
        return (char *)located->run->poles + (size_t)pole_groups_place(grid->problem, &grid->poles, row) * size;
    }
    if (row->array < STATE_FILTER) {
        size_t place = row_index(grid, row->array - STATE_FIELD, row->j, row->k) + (size_t)row->i;
        return (char *)located->run->fields + place * size;
    }
    return locate_filter(located, row);
}

void volume_patch(const struct volume_grid *grid, const struct volume_run *run, const struct patch *patch, void *values,
                  bool store)
{
    struct located located = {grid, run};
    const struct patch_copy copy = {grid->problem, locate, &located, store};
    patch_copy(&copy, patch, values);
}

void volume_keep(const struct volume_grid *grid, const struct volume_run *run)
{
    for (int64_t row = 0; row < 6 * (int64_t)grid->ny * grid->nz && grid->problem->half; row++) {
        const int64_t record = row / 6;
        float *first = (float *)run->fields + record / grid->ny * grid->plane + record % grid->ny * grid->pitch +
                       row % 6 * grid->stride;
        half_round_row(first, grid->nx);
    }
}

void volume_exchange(const struct volume_grid *grid, const struct volume_run *run, struct run_state *state, bool store)
{
    const struct problem *problem = grid->problem;
    const struct value_functions *values = values_of(problem);
    const size_t points = (size_t)grid->samples.count;
    struct located located = {grid, run};
    const struct patch_copy copy = {problem, locate, &located, store};
    state_exchange(&copy, state);
    values->exchange(run->spectra, 0, state->spectra, 2 * (size_t)problem->spectra.frequency_count * points, store);
    values->exchange(run->samples, 0, state->samples, (size_t)spectra_waiting(&problem->spectra, state->step) * points,
                     store);
    values->exchange(run->probes, 0, state->probes, (size_t)state->step * (size_t)problem->probe_count, store);
}
