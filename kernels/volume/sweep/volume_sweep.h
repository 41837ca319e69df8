/* Several steps of yee in three dimensions in one pass over memory: what a pass is, and how it is divided among blocks.
 * Leaves out: the kernel (volume_sweep.cu). */
#ifndef VOLUME_SWEEP_H
#define VOLUME_SWEEP_H

#include <vector>

#include "kernels/volume/pass_events.h"

/* A tile of columns that a block takes up through some levels. It begins at column (x, y) and owns those of
 * [x0, x1) x [y0, y1) and the levels [z0, z1), which nobody else writes; the margin around is computed for its own use.
 */
struct sweep_task {
    int x, y, x0, x1, y0, y1, z0, z1;
    int rows;  /* from y on that it has */
    int walls; /* bit a: a wall of axis a, or the absorber beside it, is in the tile */
};

/* Tasks by when they begin: with walls of x or y; without walls; short ones, with walls of z. */
enum { SWEEP_WALLS, SWEEP_INNER, SWEEP_SHORT, SWEEP_KINDS };

static inline int sweep_kind(const sweep_task &task)
{
    return (task.walls & 4) != 0 ? SWEEP_SHORT : task.walls == 0 ? SWEEP_INNER : SWEEP_WALLS;
}

/* Steps number `step` and what follows, from the fields `in` to the fields `out`. */
template <typename Real> struct sweep_pass {
    volume_fields<Real> in, out;
    device_rest rest;
    device_dipole<Real> source;
    pass_events<Real> events;
    const int4 *levels; /* (n[2]): layers of Ex, Ey, Ez; where the level's places begin in `heard`, -1: it has none */
    const sweep_task *tasks;
    int task_count[SWEEP_KINDS]; /* of each kind; the list has one kind after the other */
    int64_t step;
};

/* Passes have 2 to so many steps. Rows begin by so many places after a sector of memory begins, so that what a tile
 * owns of them begins and ends with sectors: sectors that two blocks write in part are read and written twice. */
enum { SWEEP_STEPS = 3, SWEEP_SHIFT = 4 };

/* Whether layers along z of so many cells are not too deep for the slabs of levels. */
bool sweep_divides(int layer);

/* The tiles of a grid for passes of so many steps, those in the absorber first. */
std::vector<sweep_task> sweep_tasks(const device_volume<float> &v, int steps);

/* The pass of one run. */
pw_status volume_sweep(const device_volume<float> &volume, int steps, const sweep_pass<float> &pass,
                       cudaStream_t stream, pw_error *error);

#endif
