/* How long edges of the lattice are to the metal at their ends, for the upright faces that stand on them. */
#pragma once

#include "medium/raster.h"

/* Of each edge along x into length[0] and along y into length[1], (ny, nx) each: 0 where all of it is metal; half a
 * cell to an end that is free, and to one that is held the distance from the edge's middle to metal, at most a cell; 1
 * where neither is held. METAL_STAIRCASE: one of its ends is of the staircase. `upright`: (ny, nx), of the nodes: 0
 * held, else free or METAL_STAIRCASE. */
pw_status metal_lengths(const struct floorplan *plan, const struct raster_grid *grid, const struct metal_cells *cells,
                        const float *upright, float *const length[2], pw_error *error);
