/* The straight piece of wall at a point of a plan, of pixels or of shapes: from one junction, opening or end to the
 * next. It is felt for as a hand would, by asking what is where, so that a net of walls that is one polygon, or many
 * that overlap, has the pieces that a person sees. */
#pragma once

#include "plan/floorplan.h"

struct wall_piece {
    struct point from, to; /* m: the ends of its centre line */
    double thickness;      /* m */
};

/* `at` must lie in a material that is not air. */
struct wall_piece wall_piece_at(const struct floorplan *plan, struct point at);
