/* Walls that are drawn by their two faces: lines that run beside each other become one filled area each.
 *
 * Which lines belong together: two straight pieces less than four degrees apart in direction, `nearest` to `farthest`
 * from each other all along the stretch where they run beside each other. Every stretch of a line is the face of one
 * wall at most, and the nearest pairs are taken first: of three parallel lines the two that are nearest have the
 * material between them, and the third is left over; of four, two walls with a gap between them.
 *
 * What happens at ends: where one face goes on beyond the end of the other, to its own end or to the next stretch that
 * is paired on the same side, the wall goes on with it when that is no further than `farthest` (at the line's end also
 * than two and a half times the wall's thickness). So the outer face closes a corner, and the face that runs through a
 * T junction fills it. Two walls in one line whose ends are no further apart than `farthest` are joined as well, which
 * fills the middle of a crossing, and closes openings narrower than that. Doors, where both faces end, stay open.
 *
 * Lines alone do not tell on which side of them the material is: steps of a stair, and shafts narrower than `farthest`,
 * are filled when they are drawn in the class of the walls.
 *
 * What is not a face: pieces that lie along or within a wall that was found, as the short lines that close a wall's end
 * at a door, are part of it. All other pieces without a partner stay lines of the class; a line that has no partner
 * anywhere stays the element it was. Lines with a width of `nearest` or more are walls already and stay, as do areas.
 */
#pragma once

#include "drawing/drawing.h"

/* Pairs the lines of a class, whose walls are `nearest` to `farthest` thick, in units of the drawing. The class has use
 * CLASS_WALLS afterwards when any wall was found; else nothing changes. PW_BAD_INPUT when so many lines lie beside each
 * other that it would take minutes. */
pw_status drawing_join_faces(struct drawing *drawing, int class_index, double nearest, double farthest,
                             pw_error *error);
