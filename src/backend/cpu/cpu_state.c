/* Memory of the CPU solvers: the padded arrays of cpu_march.h, carved out of one block per grid and one per run, and
 * the ways in and out. Nothing here is on the path of a step. */
#include "backend/cpu/cpu_state.h"
#include "backend/cpu/cpu_arena.h"
#include "backend/cpu/cpu_lattice.h"
#include "backend/state_patch.h"
#include "problem/spectra/spectra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double value_at(const struct problem *problem, const void *values, ptrdiff_t n)
{
    return problem->precision == PW_SINGLE ? (double)((const float *)values)[n] : ((const double *)values)[n];
}

static void set_value(const struct problem *problem, void *values, ptrdiff_t n, double value)
{
    if (problem->precision == PW_SINGLE) {
        ((float *)values)[n] = (float)value;
    } else {
        ((double *)values)[n] = value;
    }
}

void cpu_round_values(const struct problem *problem, const double *from, size_t count, void *to)
{
    for (size_t n = 0; n < count; n++) {
        set_value(problem, to, (ptrdiff_t)n, from[n]);
    }
}

/* ---- grid -------------------------------------------------------------------------------------------------------- */

static void shape_sides(struct cpu_grid *grid)
{
    int first_last = cpu_round_up(grid->low_region),
        last_first = cpu_round_up(grid->nx - grid->region + 1) - BLOCK_COLUMNS;
    if (grid->region == 0) {
        return;
    }
    if (first_last + BLOCK_COLUMNS >= last_first) { /* the x regions meet */
        grid->side_count = 1;
        grid->side[0] = (struct cpu_side){.first = 0, .last = grid->padded};
    } else if (grid->problem->axis[0].low.symmetric) {
        grid->side_count = 1;
        grid->side[0] = (struct cpu_side){.first = last_first, .last = grid->padded};
    } else {
        grid->side_count = 2;
        grid->side[0] = (struct cpu_side){.first = 0, .last = first_last};
        grid->side[1] = (struct cpu_side){.first = last_first, .last = grid->padded};
    }
    for (int s = 0; s < grid->side_count; s++) {
        grid->side[s].width = grid->side[s].last - grid->side[s].first + 2 * GRADIENT_SHIFT;
    }
}

/* The geometry alone: no arrays. */
static void cpu_grid_shape(const struct problem *problem, struct cpu_grid *grid)
{
    *grid = (struct cpu_grid){.problem = problem,
                              .variant = problem->reach == 1 ? CPU_NARROW : CPU_WIDE,
                              .nx = problem->axis[0].count,
                              .ny = problem->axis[1].count,
                              .padded = cpu_round_up(problem->axis[0].count)};
    int elements_per_line = ARENA_LINE / (int)problem_value_size(problem);
    int rows = 2 * (problem_layer(problem) + 2 * problem->reach);
    grid->region = problem_layer(problem) > 0 ? problem_layer(problem) + problem->reach : 0;
    grid->low_region = problem->axis[0].low.cells > 0 ? grid->region : 0;
    grid->lag = grid->region > 0 ? 2 * problem->reach - 1 : problem->laplacian_taps;
    grid->stride = LEFT_PAD + grid->padded + RIGHT_PAD;
    /* An odd number of cache lines spreads the rows over all sets of a cache. */
    grid->stride += grid->stride / elements_per_line % 2 == 0 ? elements_per_line : 0;
    grid->gradient_rows = grid->region == 0 ? 0 : rows < grid->ny ? rows : grid->ny;
    grid->mur = mur_plan(problem);
    grid->probe_slots = grid->problem->probe_slots > 0 ? grid->problem->probe_slots : grid->problem->steps;
    cpu_lattice_shape(grid);
    shape_sides(grid);
}

static void carve_grid(struct cpu_grid *grid, struct cpu_arena *arena)
{
    const struct problem *problem = grid->problem;
    size_t size = problem_value_size(problem), area = (size_t)grid->ny * (size_t)grid->stride;
    grid->ca = arena_carve(arena, area, size, LEFT_PAD);
    grid->cb = arena_carve(arena, area, size, LEFT_PAD);
    for (int s = 0; s < grid->side_count; s++) {
        struct cpu_side *side = &grid->side[s];
        size_t width = (size_t)side->width, nodes = (size_t)(side->last - side->first);
        side->half_gain = arena_carve(arena, width, size, 0);
        side->half_pole = arena_carve(arena, width, size, 0);
        side->half_feed = arena_carve(arena, width, size, 0);
        side->node_gain = arena_carve(arena, nodes, size, 0);
        side->node_pole = arena_carve(arena, nodes, size, 0);
        side->node_feed = arena_carve(arena, nodes, size, 0);
        side->mask = arena_carve(arena, nodes, size, 0);
    }
    grid->probe_node = arena_carve(arena, (size_t)problem->probe_count, sizeof(int64_t), 0);
    grid->probe_place = arena_carve(arena, (size_t)problem->probe_count, sizeof(int), 0);
    const size_t terms = (size_t)problem->metal_term_count;
    grid->metal_first = arena_carve(arena, terms > 0 ? (size_t)grid->ny + 1 : 0, sizeof *grid->metal_first, 0);
    grid->metal_apart = arena_carve(arena, terms, sizeof *grid->metal_apart, 0);
    grid->metal_weight = arena_carve(arena, terms, size, 0);
    grid->mur_rates = arena_carve(arena, problem_has_mur(problem) ? (size_t)problem->coefficient_count : 0,
                                  sizeof *grid->mur_rates, 0);
    if (problem->spectra.wanted != NULL) {
        const size_t rows = ((size_t)problem->spectra.rows + PATCH_ROWS - 1) / PATCH_ROWS;
        grid->patch_number = arena_carve(arena, rows * (size_t)grid->patch_columns, sizeof *grid->patch_number, 0);
    }
}

static void fill_side(const struct problem *problem, struct cpu_side *side)
{
    for (int k = 0; k < side->width; k++) {
        int h = side->first - GRADIENT_SHIFT + k;
        bool inside = h >= 0 && h < problem->axis[0].count;
        set_value(problem, side->half_gain, k, inside ? problem->axis[0].half[h].gain : 1);
        set_value(problem, side->half_pole, k, inside ? problem->axis[0].half[h].pole : 1);
        set_value(problem, side->half_feed, k, inside ? problem->axis[0].half[h].feed : 0);
    }
    for (int k = 0; k < side->last - side->first; k++) {
        int i = side->first + k;
        bool inside = i < problem->axis[0].count,
             in_region = inside && problem_in_absorber_region(problem, &problem->axis[0], i);
        set_value(problem, side->node_gain, k, inside ? problem->axis[0].node[i].gain : 1);
        set_value(problem, side->node_pole, k, inside ? problem->axis[0].node[i].pole : 1);
        set_value(problem, side->node_feed, k, inside ? problem->axis[0].node[i].feed : 0);
        if (problem->precision == PW_SINGLE) {
            ((int32_t *)side->mask)[k] = in_region ? -1 : 0;
        } else {
            ((int64_t *)side->mask)[k] = in_region ? -1 : 0;
        }
    }
}

static void fill_coefficients(struct cpu_grid *grid, int threads)
{
    const struct problem *problem = grid->problem;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int j = 0; j < grid->ny; j++) {
        const uint16_t *index = problem->coefficient_index + (ptrdiff_t)j * grid->nx;
        for (int i = 0; i < grid->nx; i++) {
            ptrdiff_t n = j * grid->stride + i;
            /* Nodes near a one-way edge keep their increment in the march: cpu_engine.c makes it. */
            bool waits = mur_takes(&grid->mur, i, j);
            set_value(problem, grid->ca, n, waits ? 1 : problem_coefficient(problem, index[i])[COEFFICIENT_CA]);
            set_value(problem, grid->cb, n, waits ? 0 : problem_coefficient(problem, index[i])[COEFFICIENT_CB]);
        }
    }
}

static void fill_metal(struct cpu_grid *grid)
{
    const struct problem *problem = grid->problem;
    const int64_t nx = grid->nx;
    int64_t next = 0;
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        const struct metal_row *row = &problem->metal_rows[r];
        const int64_t i = row->place % nx, j = row->place / nx;
        for (; next <= j; next++) {
            grid->metal_first[next] = r;
        }
        for (int64_t t = row->first; t < row->first + row->count; t++) {
            const int64_t there = problem->metal_terms[t].place;
            grid->metal_apart[t] = (int32_t)((there / nx - j) * grid->stride + there % nx - i);
            set_value(problem, grid->metal_weight, t, problem->metal_terms[t].weight);
        }
    }
    for (; problem->metal_row_count > 0 && next <= grid->ny; next++) {
        grid->metal_first[next] = problem->metal_row_count;
    }
}

struct placed_probe {
    int64_t node;
    int place;
};

static int by_node(const void *a, const void *b)
{
    int64_t left = ((const struct placed_probe *)a)->node, right = ((const struct placed_probe *)b)->node;
    return (left > right) - (left < right);
}

static pw_status sort_probes(struct cpu_grid *grid, pw_error *error)
{
    size_t count = (size_t)grid->problem->probe_count;
    struct placed_probe *probes = allocate(count + 1, sizeof *probes, "the list of probes", error);
    TRY_MADE(probes);
    for (size_t p = 0; p < count; p++) {
        probes[p] = (struct placed_probe){grid->problem->probes[p].node, (int)p};
    }
    qsort(probes, count, sizeof *probes, by_node);
    for (size_t p = 0; p < count; p++) {
        grid->probe_node[p] = probes[p].node;
        grid->probe_place[p] = probes[p].place;
    }
    free(probes);
    return PW_OK;
}

static size_t grid_block_size(const struct problem *problem)
{
    struct cpu_grid grid;
    struct cpu_arena arena = {0};
    cpu_grid_shape(problem, &grid);
    carve_grid(&grid, &arena);
    return arena.used;
}

static int column_blocks(const struct cpu_grid *grid)
{
    return grid->padded / BLOCK_COLUMNS;
}

uint64_t cpu_grid_size(const struct problem *problem)
{
    struct cpu_grid grid;
    cpu_grid_shape(problem, &grid);
    return grid_block_size(problem) + pole_groups_size(problem, (uint64_t)grid.ny * (uint64_t)column_blocks(&grid));
}

pw_status cpu_grid_create(const struct problem *problem, int threads, struct cpu_grid *grid, void **block,
                          pw_error *error)
{
    struct cpu_arena arena = {0};
    TRY(arena_create_block(grid_block_size(problem), threads, block, error));
    arena.base = *block;
    cpu_grid_shape(problem, grid);
    carve_grid(grid, &arena);
    fill_coefficients(grid, threads);
    fill_metal(grid);
    if (grid->patch_number != NULL) {
        cpu_lattice_number(grid, grid->patch_number);
    }
    if (problem_has_mur(problem)) {
        mur_rates(problem, grid->mur_rates);
    }
    for (int s = 0; s < grid->side_count; s++) {
        fill_side(problem, &grid->side[s]);
    }
    TRY(pole_groups_create(problem, BLOCK_COLUMNS, column_blocks(grid), &grid->poles, error));
    return sort_probes(grid, error);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void carve_run(const struct cpu_grid *grid, struct cpu_run *run, struct cpu_arena *arena)
{
    const struct problem *problem = grid->problem;
    const struct spectra *spectra = &problem->spectra;
    size_t size = problem_value_size(problem), stride = (size_t)grid->stride, ny = (size_t)grid->ny;
    size_t ghosts = (size_t)grid->lag, patches = (size_t)grid->patch_count;
    size_t panels = (patches + PANEL - 1) / PANEL, layers = (size_t)run_state_filters(problem, 1);
    for (int parity = 0; parity < 2; parity++) {
        run->ez[parity] = arena_carve(arena, (ny + 2 * ghosts + 1) * stride, size, ghosts * stride + LEFT_PAD);
    }
    run->increment = arena_carve(arena, ny * stride, size, LEFT_PAD);
    for (int s = 0; s < grid->side_count; s++) {
        size_t width = (size_t)grid->side[s].width, nodes = width - 2 * GRADIENT_SHIFT;
        run->x_gradient[s] = arena_carve(arena, ny * width, size, 0);
        run->x_half[s] = arena_carve(arena, ny * width, size, 0);
        run->x_node[s] = arena_carve(arena, ny * nodes, size, 0);
    }
    run->y_gradient = arena_carve(arena, (size_t)grid->gradient_rows * stride, size, LEFT_PAD);
    run->y_half = arena_carve(arena, layers * stride, size, LEFT_PAD);
    run->y_node = arena_carve(arena, layers * stride, size, LEFT_PAD);
    run->poles = arena_carve(arena, (size_t)pole_groups_states(problem), size, 0);
    run->edges = arena_carve(arena, (size_t)grid->mur.memory, size, 0);
    run->probes = arena_carve(arena, (size_t)grid->probe_slots * (size_t)problem->probe_count, size, 0);
    run->samples = arena_carve(arena, panels * (size_t)grid->sample_slots * PANEL_PITCH, size, 0);
    run->sums = arena_carve(arena, patches * PATCH * 2 * (size_t)spectra->frequency_count, size, 0);
}

uint64_t cpu_run_size(const struct problem *problem)
{
    struct cpu_grid grid;
    struct cpu_run run = {0};
    struct cpu_arena arena = {0};
    cpu_grid_shape(problem, &grid);
    carve_run(&grid, &run, &arena);
    return arena.used;
}

pw_status cpu_run_create(const struct cpu_grid *grid, const struct source *source, int threads, struct cpu_run *run,
                         void **block, pw_error *error)
{
    struct cpu_arena arena = {0};
    TRY(arena_create_block(cpu_run_size(grid->problem), threads, block, error));
    arena.base = *block;
    *run = (struct cpu_run){.source = source};
    carve_run(grid, run, &arena);
    return PW_OK;
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

void cpu_run_field(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int threads, double *ez)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            ez[(ptrdiff_t)j * grid->nx + i] = value_at(grid->problem, run->ez[step & 1], j * grid->stride + i);
        }
    }
}

void cpu_run_probes(const struct cpu_grid *grid, const struct cpu_run *run, int64_t first, int64_t count, double *ez)
{
    const ptrdiff_t probes = grid->problem->probe_count;
    for (int64_t s = 0; s < count; s++) {
        const ptrdiff_t row = (ptrdiff_t)((first + s) % grid->probe_slots) * probes;
        for (ptrdiff_t p = 0; p < probes; p++) {
            *ez++ = value_at(grid->problem, run->probes, row + p);
        }
    }
}

#define TEMPLATE "backend/energy_order.h"
#include "problem/precisions.h"

double cpu_run_energy(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int threads,
                      double *row_sums)
{
    const void *ez = run->ez[step & 1];
    bool single = grid->problem->precision == PW_SINGLE;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int j = 0; j < grid->ny; j++) {
        row_sums[j] = single ? energy_row_float((const float *)ez + j * grid->stride, grid->nx)
                             : energy_row_double((const double *)ez + j * grid->stride, grid->nx);
    }
    double sum = 0; /* row by row: the same for any number of threads */
    for (int j = 0; j < grid->ny; j++) {
        sum += row_sums[j];
    }
    return sum;
}

/* Where the sum of a part (0: real, 1: imaginary) at frequency f of a place stands. */
static ptrdiff_t sum_index(const struct cpu_grid *grid, int f, int part, int64_t place)
{
    return ((place / SPAN * grid->problem->spectra.frequency_count + f) * 2 + part) * SPAN + place % SPAN;
}

static int64_t lattice_place(const struct cpu_grid *grid, ptrdiff_t n)
{
    const struct spectra *spectra = &grid->problem->spectra;
    return cpu_lattice_place(grid, (int)(n / spectra->columns), (int)(n % spectra->columns));
}

enum { PIECE = 256 }; /* nodes that are found once for all frequencies, or for all samples */

/* Where lattice nodes first.. stand among the sums at frequency 0, or among the samples in slot 0; -1: nowhere. */
static void find_nodes(const struct cpu_grid *grid, ptrdiff_t first, ptrdiff_t count, bool sums, ptrdiff_t at[PIECE])
{
    for (ptrdiff_t n = 0; n < count; n++) {
        const int64_t place = lattice_place(grid, first + n);
        at[n] = place < 0 ? -1 : sums ? sum_index(grid, 0, 0, place) : cpu_sample_index(grid, 0, place);
    }
}

/* Values that stand `offset` after those places, to every `step`-th of `to`. */
static void read_nodes(const struct problem *problem, const void *values, const ptrdiff_t at[PIECE], ptrdiff_t count,
                       ptrdiff_t offset, int step, double *to)
{
    for (ptrdiff_t n = 0; n < count; n++, to += step) {
        *to = at[n] < 0 ? 0 : value_at(problem, values, at[n] + offset);
    }
}

void cpu_run_spectra(const struct cpu_grid *grid, const struct cpu_run *run, int row_first, int row_count, int threads,
                     double *out)
{
    const struct spectra *spectra = &grid->problem->spectra;
    const ptrdiff_t first = (ptrdiff_t)row_first * spectra->columns, count = (ptrdiff_t)row_count * spectra->columns;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (ptrdiff_t n = 0; n < count; n += PIECE) {
        ptrdiff_t at[PIECE], some = count - n < PIECE ? count - n : PIECE;
        find_nodes(grid, first + n, some, true, at);
        for (ptrdiff_t k = 0; k < 2 * (ptrdiff_t)spectra->frequency_count; k++) { /* real and imaginary parts in turn */
            read_nodes(grid->problem, run->sums, at, some, k * SPAN, 2, out + 2 * (k / 2 * count + n) + k % 2);
        }
    }
}

void cpu_run_samples(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int row_first, int row_count,
                     int threads, double *out)
{
    const struct spectra *spectra = &grid->problem->spectra;
    const ptrdiff_t first = (ptrdiff_t)row_first * spectra->columns, count = (ptrdiff_t)row_count * spectra->columns;
    const int64_t waiting = spectra_waiting(spectra, step), oldest = spectra_samples(spectra, step) - waiting;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (ptrdiff_t n = 0; n < count; n += PIECE) {
        ptrdiff_t at[PIECE], some = count - n < PIECE ? count - n : PIECE;
        find_nodes(grid, first + n, some, false, at);
        for (int64_t k = 0; k < waiting; k++) {
            const ptrdiff_t slot = (ptrdiff_t)((oldest + k) % grid->sample_slots);
            read_nodes(grid->problem, run->samples, at, some, slot * PANEL_PITCH, 1, out + k * count + n);
        }
    }
}

static void exchange(const struct problem *problem, void *own, ptrdiff_t n, double *canonical, bool store)
{
    if (store) {
        *canonical = value_at(problem, own, n);
    } else {
        set_value(problem, own, n, *canonical);
    }
}

struct located {
    const struct cpu_grid *grid;
    const struct cpu_run *run;
    int64_t step;
};

/* Value n of an array of the run. */
static void *value_of(const struct cpu_grid *grid, const void *array, ptrdiff_t n)
{
    return (char *)(uintptr_t)array + n * (ptrdiff_t)problem_value_size(grid->problem);
}

/* A filter along x: at the low end on the first side, at the high end on the last, which may be the same. */
static void *locate_x_filter(const struct located *located, const struct patch_row *row)
{
    const struct cpu_grid *grid = located->grid;
    const struct cpu_run *run = located->run;
    const int s = row->i < grid->problem->axis[0].low.cells ? 0 : grid->side_count - 1;
    const struct cpu_side *side = &grid->side[s];
    const ptrdiff_t column = row->i - side->first;
    return row->array == STATE_X_HALF ? value_of(grid, run->x_half[s], row->j * side->width + column + GRADIENT_SHIFT)
                                      : value_of(grid, run->x_node[s], row->j * (side->last - side->first) + column);
}

static void *locate(void *context, struct patch_row *row)
{
    const struct located *located = context;
    const struct cpu_grid *grid = located->grid;
    const struct cpu_run *run = located->run;
    const ptrdiff_t stride = grid->stride, slot = axis_filter_slot(&grid->problem->axis[1], row->j);
    switch (row->array) {
    case STATE_EZ:
        return value_of(grid, run->ez[located->step & 1], row->j * stride + row->i);
    case STATE_INCREMENT:
        return value_of(grid, run->increment, row->j * stride + row->i);
    case STATE_Y_HALF:
        return value_of(grid, run->y_half, slot * stride + row->i);
    case STATE_Y_NODE:
        return value_of(grid, run->y_node, slot * stride + row->i);
    case STATE_EDGES:
        return value_of(grid, run->edges, row->i);
    case STATE_POLES:
        return value_of(grid, run->poles, pole_groups_place(grid->problem, &grid->poles, row));
    default:
        return locate_x_filter(located, row);
    }
}

void cpu_run_patch(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, const struct patch *patch,
                   void *values, bool store)
{
    struct located located = {grid, run, step};
    const struct patch_copy copy = {grid->problem, locate, &located, store};
    patch_copy(&copy, patch, values);
}

void cpu_run_exchange(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, struct run_state *state,
                      bool store)
{
    const struct problem *problem = grid->problem;
    const struct spectra *spectra = &problem->spectra;
    ptrdiff_t nodes = (ptrdiff_t)spectra->rows * spectra->columns;
    struct located located = {grid, run, step};
    state_exchange(&(const struct patch_copy){problem, locate, &located, store}, state);
    for (int p = 0; state->spectra != NULL && p < 2 * spectra->frequency_count; p++) {
        for (ptrdiff_t n = 0; n < nodes; n++) {
            const int64_t place = lattice_place(grid, n);
            if (place >= 0) {
                exchange(problem, run->sums, sum_index(grid, p / 2, p % 2, place),
                         &state->spectra[((p / 2) * nodes + n) * 2 + p % 2], store);
            }
        }
    }
    int64_t taken = spectra_samples(spectra, step), waiting = spectra_waiting(spectra, step);
    for (int64_t k = 0; state->samples != NULL && k < waiting; k++) {
        const int slot = (int)((taken - waiting + k) % grid->sample_slots);
        for (ptrdiff_t n = 0; n < nodes; n++) {
            const int64_t place = lattice_place(grid, n);
            if (place >= 0) {
                exchange(problem, run->samples, cpu_sample_index(grid, slot, place), &state->samples[k * nodes + n],
                         store);
            }
        }
    }
    for (ptrdiff_t n = 0; state->probes != NULL && n < step * problem->probe_count; n++) {
        exchange(problem, run->probes, n, &state->probes[n], store);
    }
}
