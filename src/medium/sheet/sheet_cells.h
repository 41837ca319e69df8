/* Thin lossy layers aslant in horizontal polarisation: they lie at their place between the nodes, as metal does, and let
 * through what their resistance leaves (physics.md section 11). Along the way of a sheet from edge to edge, the faces
 * on its two sides get the areas that it leaves them, and its edges its own length. */
#ifndef SHEET_CELLS_H
#define SHEET_CELLS_H

#include "medium/raster.h"

/* Into cells->edge, area and leak; without metal these are made first. `first` and `end` are there. */
pw_status sheet_cells_place(const struct floorplan *plan, const struct raster_grid *grid, struct metal_cells *cells,
                            pw_error *error);

#endif
