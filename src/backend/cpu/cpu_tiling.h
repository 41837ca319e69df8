/* The tiling of a run of the CPU solvers: how many steps, rows and columns a tile has, and into how many bands the grid
 * is cut for the threads. cpu_tile.c marches the tiles, cpu_schedule.c the bands. */
#pragma once

#include "backend/cpu/march/cpu_march.h"
#include "base/status.h"

/* A tile is `levels` steps of `rows` rows, marched from left to right in pieces of `columns` columns. The grid is cut
 * along y into at most `bands` bands for `threads` threads (cpu_schedule.h). */
struct cpu_tiling {
    int levels, rows, columns, threads, bands;
};

/* One step at a time over the whole grid, on one thread. */
struct cpu_tiling cpu_tiling_simple(const struct cpu_grid *grid);

/* The tiling that suits the grid, the caches of this machine and the number of threads. */
struct cpu_tiling cpu_tiling_choose(const struct cpu_grid *grid, int threads);

/* Reads "LEVELSxROWSxCOLUMNS" or "LEVELSxROWSxCOLUMNSxBANDS" over the values of *tiling; false when it is neither or a
 * number is out of range. Without bands, there are two for each thread. */
bool cpu_tiling_parse(const char *text, struct cpu_tiling *tiling);

/* Tiles are wrong on a grid so small that images of images occur: there the simple tiling alone is right. */
bool cpu_tiling_fits(const struct cpu_grid *grid);
