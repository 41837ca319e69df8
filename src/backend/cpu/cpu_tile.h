/* A part of the grid marched through several steps at once, by one thread, over tiles that stay in cache. */
#pragma once

#include "backend/cpu/cpu_tiling.h"

/* Rows and columns outside of which everything is exactly zero at level `step`: the wave has not come there yet. */
struct cpu_window {
    int64_t step;
    int row_first, row_last, column_first, column_last;
};

/* The job: one run of a grid from level `step` on, `steps` steps. */
struct cpu_job {
    const struct cpu_grid *grid;
    const struct cpu_run *run;
    const struct cpu_marcher *marcher;
    struct cpu_window window;
    int64_t step, steps;
};

/* Steps step..step+levels-1; at the l-th of them rows low + l low_slope .. high + l high_slope - 1. The rows beyond its
 * own that such a part reads must already have been marched to the level that it reads, and not further. So the slopes
 * (rows per level) are +lag where the neighbour comes after the part, -lag where the neighbour came before it, 0 at a
 * wall. */
struct cpu_part {
    int64_t step;
    int levels, low, high, low_slope, high_slope;
};

void cpu_part_march(const struct cpu_job *job, const struct cpu_tiling *tiling, const struct cpu_part *part);

/* The part of the block that may be other than zero after `step`; false when there is none. */
bool cpu_window_clip(const struct cpu_grid *grid, const struct cpu_window *window, int64_t step,
                     struct cpu_block *block);
