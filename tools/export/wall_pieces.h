/* Shapes as straight walls: a centre line with a thickness, cut where openings lie, with what is left of the wall over
 * and under them. Formats of planning programs know nothing else. */
#pragma once

#include "export/exported_plan.h"

struct wall_piece {
    struct point from, to; /* m */
    double thickness;      /* m */
    double low, high;      /* m over the floor; `whole`: from the floor to the ceiling */
    bool whole;
    const struct exported_shape *material; /* whose it is */
};

struct wall_pieces {
    struct wall_piece *pieces; /* (count), owned */
    size_t count, room;
    size_t others; /* shapes that are no straight walls, as columns that are round */
};

/* The walls of a storey. */
pw_status wall_pieces_make(const struct exported_plan *plan, int storey, struct wall_pieces *walls, pw_error *error);
void wall_pieces_free(struct wall_pieces *walls);
