/* The order in which the CPU engine walks the grid. Steps are taken in slabs of several levels. A slab is cut along y into tiles that
 * lean to the left of the time axis, each level `lag` rows lower than the one before, so that a tile needs only the tile before it in
 * its own slab and, of the slab before, a few tiles ahead. Threads take slabs in turn and follow each other through the grid, so that
 * what one leaves in the shared cache the next one picks up. Inside a tile the walk goes from left to right, the levels again leaning,
 * by BLOCK_COLUMNS a level: the rows of a tile over a few hundred columns are all that has to stay in cache, however wide the grid.
 * Any such order gives the same bits (cpu_walk.h). */
#include "cpu_tile.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* One slab: its steps and how many of its tiles are done. On a cache line of its own. */
struct slab {
    int64_t step;
    int levels, tiles;
    atomic_int done;
    char rest[64 - 4 * sizeof(int64_t)];
};

static int ceil_divide(int a, int b)
{
    return (a + b - 1) / b;
}

bool cpu_window_clip(const struct cpu_grid *grid, const struct cpu_window *window, int64_t step,
                     struct cpu_block *block)
{
    /* One lag more than the front has moved, and whole blocks: then the slopes of an absorber zone, which a block decides a little
     * ahead of its nodes, are zero outside too. */
    int64_t grown = (step + 1 - window->step + 1) * grid->lag;
    int64_t row_first = window->row_first - grown, row_last = window->row_last + grown;
    int64_t column_first = window->column_first - grown - BLOCK_COLUMNS, column_last = window->column_last + grown;
    column_first = column_first <= 0 ? 0 : column_first / BLOCK_COLUMNS * BLOCK_COLUMNS;
    column_last = (column_last / BLOCK_COLUMNS + 1) * BLOCK_COLUMNS;
    block->row_first = row_first > block->row_first ? (int)row_first : block->row_first;
    block->row_last = row_last < block->row_last ? (int)row_last : block->row_last;
    block->column_first = column_first > block->column_first ? (int)column_first : block->column_first;
    block->column_last = column_last < block->column_last ? (int)column_last : block->column_last;
    return block->row_first < block->row_last && block->column_first < block->column_last;
}

static int snapshot_place(const struct cpu_job *job, int64_t step)
{
    const struct spectra *spectra = &job->grid->problem->spectra;
    if (spectra->frequency_count == 0 || (step + 1) % spectra->every != 0) {
        return -1;
    }
    return (int)((step + 1) / spectra->every - 1 - job->first_sample);
}

static void advance_tile(const struct cpu_job *job, const struct cpu_plan *plan, const struct slab *slab, int tile)
{
    const struct cpu_grid *grid = job->grid;
    int pieces = ceil_divide(grid->padded + (slab->levels - 1) * BLOCK_COLUMNS, plan->columns);
    for (int piece = 0; piece < pieces; piece++) {
        for (int level = 0; level < slab->levels; level++) {
            int row = tile * plan->rows - level * grid->lag, column = piece * plan->columns - level * BLOCK_COLUMNS;
            int row_last = row + plan->rows, column_last = column + plan->columns;
            struct cpu_block block = {.row_first = row > 0 ? row : 0,
                                      .row_last = row_last < grid->ny ? row_last : grid->ny,
                                      .column_first = column > 0 ? column : 0,
                                      .column_last = column_last < grid->padded ? column_last : grid->padded,
                                      .ahead = level == 0 ? plan->columns : 0};
            int64_t step = slab->step + level;
            if (block.row_first < block.row_last && block.column_first < block.column_last &&
                cpu_window_clip(grid, &job->window, step, &block)) {
                job->walker->advance[grid->problem->precision](grid, job->run, step, snapshot_place(job, step), &block);
            }
        }
    }
}

/* Until `count` tiles of the slab are done: busy at first, then politely. */
static void wait_for(struct slab *slab, int count)
{
    count = count < slab->tiles ? count : slab->tiles;
    for (int tries = 0; atomic_load_explicit(&slab->done, memory_order_acquire) < count; tries++) {
        if (tries < 1000) {
            __builtin_ia32_pause();
        } else {
            sched_yield();
        }
    }
}

static void advance_slab(const struct cpu_job *job, const struct cpu_plan *plan, struct slab *slab, struct slab *before)
{
    for (int tile = 0; tile < slab->tiles; tile++) {
        if (before != NULL) {
            wait_for(before, tile + 1 + ceil_divide(before->levels * job->grid->lag, plan->rows));
        }
        advance_tile(job, plan, slab, tile);
        __builtin_ia32_sfence(); /* snapshots are stored past the caches */
        atomic_store_explicit(&slab->done, tile + 1, memory_order_release);
    }
}

/* Slabs of nearly equal length, as many as keep all threads busy to the end. */
static int64_t cut_slabs(const struct cpu_job *job, const struct cpu_plan *plan, struct slab *slabs)
{
    int64_t count = (job->steps + plan->levels - 1) / plan->levels;
    count = (count + plan->threads - 1) / plan->threads * plan->threads;
    count = count < job->steps ? count : job->steps;
    for (int64_t q = 0; slabs != NULL && q < count; q++) {
        int64_t first = job->steps * q / count, last = job->steps * (q + 1) / count;
        slabs[q].step = job->step + first;
        slabs[q].levels = (int)(last - first);
        slabs[q].tiles = ceil_divide(job->grid->ny + (slabs[q].levels - 1) * job->grid->lag, plan->rows);
        atomic_init(&slabs[q].done, 0);
    }
    return count;
}

pw_status cpu_tile_advance(const struct cpu_job *job, const struct cpu_plan *plan, pw_error *error)
{
    int64_t count = cut_slabs(job, plan, NULL);
    struct slab *slabs = allocate((size_t)count, sizeof *slabs, "the list of slabs", error);
    if (slabs == NULL) {
        return PW_NO_RESOURCE;
    }
    cut_slabs(job, plan, slabs);
    atomic_long next = 0;
    int threads = count < plan->threads ? (int)count : plan->threads;
#pragma omp parallel num_threads(threads)
    {
        /* In order: whoever waits does so for a slab that a thread already works on. */
        for (int64_t q = atomic_fetch_add(&next, 1); q < count; q = atomic_fetch_add(&next, 1)) {
            advance_slab(job, plan, &slabs[q], q > 0 ? &slabs[q - 1] : NULL);
        }
    }
    free(slabs);
    return PW_OK;
}
