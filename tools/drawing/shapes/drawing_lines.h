/* Lines of a drawing as walls: each straight piece is a rectangle of the line's width, longer by half of that width
 * where pieces meet, so that corners are full. Leaves out which lines are walls (drawing_shapes.c). */
#pragma once

#include "drawing/shapes/drawing_choice.h"

/* The ends of all chains that are walls, m; sorted by x with line_ends_sort before they are asked for. */
struct line_ends {
    struct drawing_point *points; /* owned by whom they belong to */
    size_t count;
};
void line_ends_sort(struct line_ends *ends);

/* A chain of points in metres. */
struct chain {
    const struct drawing_point *points; /* (count) */
    int count;
    bool closed; /* from the last point on to the first */
    double thickness;
};

/* Adds the rectangles of a chain. */
pw_status chain_draw(pw_drawing *shapes, int substance, const struct line_ends *ends, const struct chain *chain,
                     pw_error *error);
