/* Pieces of metal in a plan that hold no node of edges along z. */
#pragma once

#include "medium/raster.h"

/* Holds one node of each, the nearest: `upright` (ny, nx), 0 held. */
pw_status metal_lost_hold(const struct floorplan *plan, const struct raster_grid *grid, const struct metal_cells *cells,
                          float *upright, pw_error *error);
