/* Where metal begins along a line of the lattice. */
#pragma once

#include "medium/raster.h"

/* A place of the lattice over a floor plan; borrowed. */
struct metal_view {
    const struct floorplan *plan;
    const struct raster_grid *grid;
    struct point from; /* cells from node (0, 0) */
};

/* Cells from there to metal in the direction, one of +-x or +-y; INFINITY when there is none within `reach`. */
double metal_distance(const struct metal_view *view, const int direction[2], double reach);
