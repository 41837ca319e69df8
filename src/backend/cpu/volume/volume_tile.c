/* See volume_tile.h. */
#include "backend/cpu/volume/volume_tile.h"

#include "base/patience.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the tiling ---------------------------------------------------------------------------------------------------
 */

static int tile_lag(const struct volume_grid *grid)
{
    return 2 * grid->depth - 1 + (grid->tensor_count > 0 ? 1 : 0);
}

static size_t value_size(const struct volume_grid *grid)
{
    return grid->problem->precision == PW_SINGLE ? sizeof(float) : sizeof(double);
}

/* Bytes that a tile keeps at hand: the planes between its first and its last level. */
static double tile_size(const struct volume_grid *grid, const struct volume_tiling *tiling)
{
    double behind = tiling->levels * tile_lag(grid) + 2 * grid->depth;
    if (grid->flat) { /* three of six rows */
        return 0.5 * (behind + tiling->rows) * (double)grid->pitch * (double)value_size(grid);
    }
    double planes = behind;
    return planes * tiling->rows * (double)grid->pitch * (double)value_size(grid);
}

/* Per cell and step: cells that pass from memory, those at the edges of tiles more than once, and the work that every
 * run of rows begins with. */
static double tile_load(const struct volume_grid *grid, const struct volume_tiling *tiling)
{
    return (1 + (double)tiling->levels * tile_lag(grid) / tiling->rows) / tiling->levels + 1.0 / tiling->rows;
}

struct volume_tiling volume_tiling_choose(const struct volume_grid *grid, int threads)
{
    enum { LEVELS_MOST = 12, ROWS_LEAST = 4, ROWS_MOST = 64 };
    long second = sysconf(_SC_LEVEL2_CACHE_SIZE);
    double room = second > 1 << 20 ? 2.0 * (double)second : 3 << 20;
    struct volume_tiling best = {.levels = 1, .rows = ROWS_LEAST, .threads = threads};
    /* Threads follow each other from tile to tile: there must be tiles for all of them. */
    int rows_most = threads > 1 ? 2 * grid->ny / (3 * threads) : ROWS_MOST;
    for (int rows = ROWS_LEAST; rows <= ROWS_MOST && rows <= rows_most; rows += ROWS_LEAST) {
        for (int levels = 1; levels <= LEVELS_MOST; levels++) {
            struct volume_tiling tiling = {levels, rows, threads};
            if (tile_size(grid, &tiling) <= room && tile_load(grid, &tiling) < tile_load(grid, &best)) {
                best = tiling;
            }
        }
    }
    return best;
}

bool volume_tiling_parse(const char *text, struct volume_tiling *tiling)
{
    int end = 0;
    return sscanf(text, "%dx%d%n", &tiling->levels, &tiling->rows, &end) == 2 && text[end] == '\0' &&
           tiling->levels > 0 && tiling->levels <= 256 && tiling->rows > 0 && tiling->rows <= 1 << 24;
}

/* ---- one tile -----------------------------------------------------------------------------------------------------
 */

/* A job cut into rounds of some levels, each of some tiles; `done` (rounds, tiles) says how many positions along z a
 * tile has left behind. */
struct tiles {
    const struct volume_job *job;
    const struct volume_tiling *tiling;
    int lag, tensors; /* 1 with tensor nodes, else 0 */
    int64_t rounds;
    int tiles; /* of a round, at most */
    atomic_int *done;
    atomic_llong next; /* the next tile to be taken, of all rounds */
};

static int round_levels(const struct tiles *tiles, int64_t round)
{
    int64_t left = tiles->job->steps - round * tiles->tiling->levels;
    return left < tiles->tiling->levels ? (int)left : tiles->tiling->levels;
}

/* Rows that the last level has still to go when h of the first has passed the wall; likewise planes. */
static int overhang(const struct tiles *tiles, int levels)
{
    return (levels - 1) * tiles->lag + tiles->job->grid->depth - 1 + tiles->tensors;
}

static int round_tiles(const struct tiles *tiles, int levels)
{
    return (tiles->job->grid->ny + overhang(tiles, levels) + tiles->tiling->rows - 1) / tiles->tiling->rows;
}

/* Where nothing changes along z there is one plane, and a position is a level. */
static int round_positions(const struct tiles *tiles, int levels)
{
    return tiles->job->grid->flat ? levels : tiles->job->grid->nz + overhang(tiles, levels);
}

/* Waits until a tile has left `positions` positions behind. */
static void wait_for(struct tiles *tiles, int64_t round, int tile, int positions)
{
    atomic_int *done = &tiles->done[round * tiles->tiles + tile];
    for (int look = 0; atomic_load_explicit(done, memory_order_acquire) < positions; look++) {
        patience_wait(look);
    }
}

/* What position z of a tile reads has been made, and what it overwrites is no longer read. */
static void wait_for_neighbours(struct tiles *tiles, int64_t round, int tile, int z)
{
    int levels = round_levels(tiles, round), positions = round_positions(tiles, levels);
    if (tile > 0) {
        wait_for(tiles, round, tile - 1, z + 1 < positions ? z + 1 : positions);
    }
    if (round > 0) {
        int before = round_levels(tiles, round - 1), reads = before * tiles->lag + 1;
        int last = round_tiles(tiles, before) - 1,
            upper = tile + (reads + tiles->tiling->rows - 1) / tiles->tiling->rows;
        int left = z + reads + 1, all = round_positions(tiles, before);
        bool every = left > all || tiles->job->grid->flat;
        wait_for(tiles, round - 1, upper < last ? upper : last, every ? all : left);
    }
}

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* The rows of a tile that begin at `first`, of plane k, as far as there are such. */
static struct volume_rows rows_of(const struct tiles *tiles, struct volume_rows rows, int k, int first)
{
    const struct volume_grid *grid = tiles->job->grid;
    rows.k = k;
    if (k >= 0 && k < grid->nz) {
        rows.j_first = clamp(first, grid->ny);
        rows.j_last = clamp(first + tiles->tiling->rows, grid->ny);
    }
    return rows;
}

/* The slot of the sample that is due after `steps` steps; -1: none. */
static int sample_slot(const struct problem *problem, int64_t steps)
{
    const struct spectra *spectra = &problem->spectra;
    return spectra->frequency_count == 0 || steps % spectra->every != 0
               ? -1
               : (int)((spectra_samples(spectra, steps) - 1) % spectra_group(spectra));
}

/* Level l of a tile at position z. */
static void march_level(const struct tiles *tiles, int64_t round, int tile, int z, int l, void *images)
{
    const struct volume_job *job = tiles->job;
    const struct volume_marcher *marcher = job->marcher;
    const pw_precision precision = job->grid->problem->precision;
    const int depth = job->grid->depth, first = tile * tiles->tiling->rows - l * tiles->lag;
    const int64_t step = job->step + round * tiles->tiling->levels + l;
    const bool flat = job->grid->flat;
    const int k = flat ? 0 : z - l * tiles->lag;
    const struct volume_rows rows = {.step = step,
                                     .tap_slot = (int)(step - job->step),
                                     .sample_slot = sample_slot(job->grid->problem, step + 1),
                                     .images = images};
    const struct volume_rows h = rows_of(tiles, rows, k, first);
    const struct volume_rows e = rows_of(tiles, rows, flat ? 0 : k - depth + 1, first - depth + 1);
    marcher->march[precision](job->grid, job->run, &h, &e);
    if (tiles->tensors) {
        const struct volume_rows last = rows_of(tiles, rows, flat ? 0 : k - depth, first - depth);
        marcher->finish_e[precision](job->grid, job->run, &last);
    }
}

static void march_tile(struct tiles *tiles, int64_t round, int tile, void *images)
{
    int levels = round_levels(tiles, round), positions = round_positions(tiles, levels);
    const bool flat = tiles->job->grid->flat;
    for (int z = 0; z < positions; z++) {
        wait_for_neighbours(tiles, round, tile, z);
        for (int l = flat ? z : 0; l < (flat ? z + 1 : levels); l++) {
            march_level(tiles, round, tile, z, l, images);
        }
        atomic_store_explicit(&tiles->done[round * tiles->tiles + tile], z + 1, memory_order_release);
    }
}

/* ---- all tiles ----------------------------------------------------------------------------------------------------
 */

static void march_tiles(struct tiles *tiles, void *images)
{
    for (;;) {
        int64_t taken = atomic_fetch_add(&tiles->next, 1), round = taken / tiles->tiles;
        int tile = (int)(taken % tiles->tiles);
        if (round >= tiles->rounds) {
            return;
        }
        if (tile < round_tiles(tiles, round_levels(tiles, round))) {
            march_tile(tiles, round, tile, images);
        }
    }
}

/* Grids that are thinner than the stencil: h of all rows, then E of all rows. */
static void march_plainly(const struct volume_job *job, void *images)
{
    const struct volume_grid *grid = job->grid;
    pw_precision precision = grid->problem->precision;
    const struct volume_rows none = {0};
    for (int64_t s = 0; s < job->steps; s++) {
        for (int part = 0; part < (grid->tensor_count > 0 ? 3 : 2); part++) {
            for (int k = 0; k < grid->nz; k++) {
                struct volume_rows rows = {.step = job->step + s,
                                           .k = k,
                                           .j_last = grid->ny,
                                           .tap_slot = (int)s,
                                           .sample_slot = sample_slot(grid->problem, job->step + s + 1),
                                           .images = images};
                if (part == 2) {
                    job->marcher->finish_e[precision](grid, job->run, &rows);
                } else {
                    job->marcher->march[precision](grid, job->run, part == 0 ? &rows : &none,
                                                   part == 1 ? &rows : &none);
                }
            }
        }
    }
}

static bool too_thin(const struct volume_grid *grid)
{
    return grid->ny < 2 * grid->depth + 2 || (grid->nz < 2 * grid->depth + 2 && !grid->flat);
}

pw_status volume_march_job(const struct volume_job *job, const struct volume_tiling *tiling, pw_error *error)
{
    struct tiles tiles = {.job = job,
                          .tiling = tiling,
                          .lag = tile_lag(job->grid),
                          .tensors = job->grid->tensor_count > 0,
                          .rounds = (job->steps + tiling->levels - 1) / tiling->levels};
    int threads = too_thin(job->grid) ? 1 : tiling->threads;
    size_t images = IMAGES * FIELD_ROWS * (size_t)job->grid->stride * value_size(job->grid);
    tiles.tiles = round_tiles(&tiles, tiling->levels);
    tiles.done = allocate((size_t)(tiles.rounds * tiles.tiles), sizeof *tiles.done, "the progress of tiles", error);
    char *scratch = allocate((size_t)threads, images, "images about the walls", error);
    if (tiles.done == NULL || scratch == NULL) {
        FREE_ALL(tiles.done, scratch);
        return PW_NO_RESOURCE;
    }
    if (too_thin(job->grid)) {
        march_plainly(job, scratch);
    } else {
#pragma omp parallel num_threads(threads)
        march_tiles(&tiles, scratch + (size_t)omp_get_thread_num() * images);
    }
    FREE_ALL(tiles.done, scratch);
    return PW_OK;
}
