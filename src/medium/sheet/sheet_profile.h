/* The wall around a sheet, along a line across it: its layers, and what averaging makes of them at nodes. */
#pragma once

#include "medium/averaging_weight.h"
#include "medium/raster.h"
#include "medium/sheet/sheet_find.h"
#include "medium/sheet/sheet_law.h"

/* What does not change from place to place along a sheet. */
struct profile_view {
    const struct floorplan *plan;
    const struct raster_grid *grid;
    enum sheet_fields fields;
    enum averaging averaging;
    const struct averaging_weight *weight; /* of permittivity */
    const bool *is_sheet;                  /* (shape_count): shapes whose loss is the law's */
    const struct sheet *sheet;
    struct point normal; /* of unit length, towards growing x (or y) */
    double pitch;        /* m: distance of nodes across the sheet */
    int *near;           /* (near_count), owned: shapes that may lie in a window around the sheet */
    int near_count;
};

pw_status profile_view_create(struct profile_view *view, pw_error *error);
void profile_view_free(struct profile_view *view);

/* The question at a place of the sheet's centre line that lies `past` [0, 1) of the distance of nodes behind a node. */
void profile_question(const struct profile_view *view, struct point place, double past,
                      struct sheet_question *question);

/* The same of layers over one another, bottom first, in distances of nodes; the first begins `start` behind node 0.
 * `lossless`: layers whose loss is the law's. */
struct profile_stack {
    struct wall_layer layers[LAW_LAYERS];
    bool lossless[LAW_LAYERS];
    int count;
    double start;
};
void profile_stack_question(const struct profile_view *view, const struct profile_stack *stack,
                            struct sheet_question *question);
