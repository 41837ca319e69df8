/* Chooses the tiling: tiles for the caches, bands for the threads. There is one way to choose for each variant of the
 * march, since the two keep different values in the first-level cache. */
#include "backend/cpu/cpu_tiling.h"
#include "backend/cpu/cpu_schedule.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Values that a step touches at a node: Ez twice, the increment, ca and cb. */
enum { VALUES_PER_NODE = 5 };

static int64_t cache_size(int name, int64_t otherwise)
{
    long size = sysconf(name);
    return size > 0 ? size : otherwise;
}

static int64_t node_size(const struct cpu_grid *grid)
{
    return VALUES_PER_NODE * (grid->problem->precision == PW_SINGLE ? (int)sizeof(float) : (int)sizeof(double));
}

/* Rows of a tile that load least from memory: per update (rows + levels lag) / (rows levels) of a row, while the rows
 * over the columns in flight fill no more than `room` nodes. */
static void choose_rows(const struct cpu_grid *grid, int64_t room, int levels_most, struct cpu_tiling *tiling)
{
    double least = INFINITY;
    for (int levels = 1; levels <= levels_most; levels++) {
        int64_t rows = (room / (tiling->columns + BLOCK_COLUMNS * levels) - 2 * grid->lag) / 4 * 4;
        rows = rows > 8 ? rows : 8;
        double load = 1.0 / levels + (double)grid->lag / (double)rows;
        if (load < least) {
            least = load;
            tiling->levels = levels;
            tiling->rows = (int)rows;
        }
    }
}

/* Bands for all threads, twice as many as there are so that a late one holds up less; and the most levels up to
 * `wanted` with which they fit. Before levels get fewer than `enough`, fewer bands must do. */
static int choose_bands(const struct cpu_grid *grid, int wanted, int enough, struct cpu_tiling *tiling)
{
    int threads = tiling->threads, levels = wanted, fit = cpu_schedule_bands(grid, grid->ny, levels);
    while (threads > 1 && levels > 1 && fit < 2 * threads && (levels > enough || fit < threads)) {
        fit = cpu_schedule_bands(grid, grid->ny, --levels);
    }
    tiling->bands = threads == 1 ? 1 : fit < 2 * threads ? fit : 2 * threads;
    return levels;
}

/* One tap: a level's piece of a tile in half of the first-level cache, all levels of it in the second. */
static void choose_narrow(const struct cpu_grid *grid, struct cpu_tiling *tiling)
{
    int64_t node = node_size(grid), first = cache_size(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
    int64_t room = cache_size(_SC_LEVEL2_CACHE_SIZE, 256 << 10) * 7 / 10 / node;
    tiling->columns = 128;
    int64_t rows = first * 7 / 8 / (tiling->columns * node) / 4 * 4;
    tiling->rows = rows > 8 ? (int)rows : 8;
    int64_t levels = (room / tiling->rows - tiling->columns) / BLOCK_COLUMNS;
    tiling->levels = choose_bands(grid, levels < 4 ? 4 : levels > 48 ? 48 : (int)levels, 16, tiling);
}

/* Several taps: the rows around a piece in the first-level cache, the rest of the tile in the second. */
static void choose_wide(const struct cpu_grid *grid, struct cpu_tiling *tiling)
{
    int64_t room = cache_size(_SC_LEVEL2_CACHE_SIZE, 256 << 10) * 9 / 10 / node_size(grid);
    tiling->columns = 192;
    choose_rows(grid, room, choose_bands(grid, 16, 4, tiling), tiling);
}

struct cpu_tiling cpu_tiling_choose(const struct cpu_grid *grid, int threads)
{
    static void (*const CHOOSE[CPU_VARIANT_COUNT])(const struct cpu_grid *, struct cpu_tiling *) = {
        [CPU_NARROW] = choose_narrow, [CPU_WIDE] = choose_wide};
    struct cpu_tiling tiling = {.threads = threads};
    CHOOSE[grid->variant](grid, &tiling);
    return tiling;
}

struct cpu_tiling cpu_tiling_simple(const struct cpu_grid *grid)
{
    return (struct cpu_tiling){.levels = 1, .rows = grid->ny, .columns = grid->padded, .threads = 1, .bands = 1};
}

bool cpu_tiling_parse(const char *text, struct cpu_tiling *tiling)
{
    int end = 0, bands = 0;
    int read = sscanf(text, "%dx%dx%d%nx%d%n", &tiling->levels, &tiling->rows, &tiling->columns, &end, &bands, &end);
    tiling->bands = read == 4 ? bands : 2 * tiling->threads;
    return read >= 3 && text[end] == '\0' && tiling->levels > 0 && tiling->levels <= 4096 && tiling->rows > 0 &&
           tiling->rows <= 1 << 24 && tiling->columns > 0 && tiling->columns <= 1 << 24 &&
           tiling->columns % BLOCK_COLUMNS == 0 && tiling->bands > 0 && tiling->bands <= 1 << 16;
}

bool cpu_tiling_fits(const struct cpu_grid *grid)
{
    return grid->nx >= 2 * grid->lag + BLOCK_COLUMNS && grid->ny >= 2 * grid->lag + 2;
}
