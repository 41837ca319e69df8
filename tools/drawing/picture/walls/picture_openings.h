/* Windows and doors of a picture: gaps between the ends of walls in which thin lines run from end to end are windows,
 * and those with the arc of a door beside them are doors. Other gaps are what they are. */
#pragma once

#include "drawing/drawing.h"
#include "drawing/picture/plane.h"
#include "drawing/picture/walls/marks.h"

/* Adds lines along such gaps of up to `length` pixels to the drawing, of the classes "window gaps" and "door gaps".
 * `directions`: of the walls; they are looked for along these alone. */
pw_status picture_openings_add(struct drawing *drawing, const struct plane *walls, double length,
                               const struct directions *directions, pw_error *error);
