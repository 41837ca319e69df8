/* How thick the strokes of a picture are: walls are thick, and text, dimension lines, arcs of doors, furniture and
 * tiles are drawn with a pen. */
#pragma once

#include "drawing/picture/plane.h"

enum { WIDTHS_LIMIT = 256 };

/* Pixels that belong to strokes of each width; what is wider is counted at the last. */
struct stroke_widths {
    double pixels[WIDTHS_LIMIT];
};

/* Adds those of a plane. The width at a pixel is the shorter one of the runs along its row and its column. */
pw_status stroke_widths_add(const struct plane *plane, struct stroke_widths *widths, pw_error *error);

/* The least width of strokes that are walls, where those of a pen are at most so wide; 0 where strokes are of one kind.
 */
int stroke_widths_part(const struct stroke_widths *widths, double widest_pen);
