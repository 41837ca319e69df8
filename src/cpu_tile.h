/* The order in which the CPU engine walks the grid: several steps at once over tiles that stay in cache, on several threads. */
#ifndef CPU_TILE_H
#define CPU_TILE_H

#include "cpu_walk.h"
#include "status.h"

/* Shape of a tile: `levels` steps of `rows` rows, walked from left to right in pieces of `columns` columns. */
struct cpu_plan {
    int levels, rows, columns, threads;
};

/* Rows and columns outside of which everything is exactly zero at level `step`: the wave has not come there yet. */
struct cpu_window {
    int64_t step;
    int row_first, row_last, column_first, column_last;
};

/* The job: one run of a grid from level `step` on, `steps` steps. Snapshots: sample number first_sample goes to place 0. */
struct cpu_job {
    const struct cpu_grid *grid;
    const struct cpu_run *run;
    const struct cpu_walker *walker;
    struct cpu_window window;
    int64_t step, steps, first_sample;
};

pw_status cpu_tile_advance(const struct cpu_job *job, const struct cpu_plan *plan, pw_error *error);

/* The part of the block that may be other than zero after `step`; false when there is none. */
bool cpu_window_clip(const struct cpu_grid *grid, const struct cpu_window *window, int64_t step,
                     struct cpu_block *block);

#endif
