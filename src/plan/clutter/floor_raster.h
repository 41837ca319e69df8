/* The free floor of a storey as a raster: which squares of it things may stand in. */
#pragma once

#include "plan/plan_parts.h"

enum { FREE, EDGE, TAKEN, OUTSIDE }; /* EDGE: a side of a wall runs through it, its middle is free */

struct raster {
    double step; /* m */
    int columns, rows;
    uint8_t *squares; /* (rows, columns), owned */
};

static inline uint8_t *square_at(const struct raster *raster, int row, int column)
{
    return &raster->squares[(size_t)row * (size_t)raster->columns + (size_t)column];
}

/* What of a storey is free for things of `height` [m]; EVERY_STOREY of a plan without heights. Free squares outside the
 * building are OUTSIDE, where it has an inside. The caller frees raster->squares. */
pw_status raster_create(const struct plan_parts *parts, int storey, double height, struct raster *raster,
                        pw_error *error);

/* m2 of free floor within the area of a clutter. */
double raster_free_area(const struct raster *raster, const struct clutter_choice *clutter);
