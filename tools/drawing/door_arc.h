/* Arcs that doors swing along: about a quarter of a circle, drawn as a chain of points. */
#ifndef DOOR_ARC_H
#define DOOR_ARC_H

#include "drawing/drawing.h"

struct door_arc {
    struct drawing_point hinge, ends[2]; /* the leaf is open at one of the ends, and closed at the other */
    double radius;                       /* the door's width, in drawing units */
};

/* Whether a line is such an arc: its points on a circle, all to one side, through 60 to 105 degrees. */
bool door_arc_of(const struct drawing *drawing, const struct drawing_element *element, struct door_arc *arc);

#endif
