/* Windows and doors as things: where in a wall they are, from the lines and areas that a class draws for them.
 *
 *   ====+----------+====   a window is drawn by lines along the wall, whether as one, as panes and sills, or as a box;
 *       +----------+       from all that run beside each other there becomes one opening, from end to end
 *
 *   ====o      o====       a door by the arc that it swings along, about its hinge; of the two ends of the arc the one
 *       |   .              that has the wall behind it is where it is closed. A door without an arc is drawn as a
 *       | .                window is, and counts where it stands between two ends of a wall
 *
 * Walls that run through below the opening are found too: it has to replace them. */
#pragma once

#include "drawing/drawing.h"

struct opening {
    int page;
    struct drawing_point from, to; /* along the wall, in the middle of what is drawn */
    double low, high;              /* offsets to the left of that way between which a wall runs through; equal: none */
    bool door;                     /* it has an arc */
};

/* Which walls there are, by class. Lines of a class are walls of this thickness [drawing units],
 * where their own width is 0; areas of a class whose thickness is not negative are walls. */
struct opening_walls {
    const struct drawing *drawing;
    const double *thickness; /* (class_count); negative: no walls */
    const bool *outlined;    /* (class_count): walls run along the outlines of areas, and do not fill them */
};

/* The openings that a class draws. `unit`: m. `doors`: arcs are doors, and the rest counts between walls alone. The
 * caller frees the list. */
pw_status drawing_openings(const struct opening_walls *walls, int class_index, double unit, bool doors,
                           struct opening **openings, size_t *count, pw_error *error);

/* Among thin lines of all kinds those that are windows and doors: a line up to 3 m long from one end of a wall to
 * another, with nothing but air behind it, is a window; an arc, whose closed way runs so, a door. `thin` (class_count):
 * where to look. The caller frees the list. */
pw_status drawing_openings_among(const struct opening_walls *walls, const bool *thin, double unit,
                                 struct opening **openings, size_t *count, pw_error *error);

/* Adds such openings to the drawing as lines of the classes "window gaps" and "door gaps", which drawing_gap_classes
 * makes before, so that lists of classes have them. */
pw_status drawing_gap_classes(struct drawing *drawing, int *windows, int *doors, pw_error *error);
pw_status drawing_gaps_add(struct drawing *drawing, const struct opening_walls *walls, const bool *thin, double unit,
                           pw_error *error);
