/* Arcs that doors swing along: about a quarter of a circle, drawn as a chain of points. */
#pragma once

#include "drawing/drawing.h"

struct door_arc {
    struct drawing_point hinge, ends[2]; /* the leaf is open at one of the ends, and closed at the other */
    double radius;                       /* the door's width, in drawing units */
};

/* The next such arc of an element from its point *at on, which goes behind it: points on a circle, all to one side,
 * through 60 to 105 degrees, alone or in one chain with the leaf. Begin with 0. */
bool door_arc_next(const struct drawing *drawing, const struct drawing_element *element, size_t *at,
                   struct door_arc *arc);
