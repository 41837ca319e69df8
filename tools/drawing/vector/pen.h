/* The way of a pen: parts of points, open or closed, as vector formats draw them, before they become elements of a
 * drawing. SVG draws a path once as an area and once as a line, and only its end tells which. */
#pragma once

#include "drawing/drawing.h"

struct pen_part {
    size_t first, count; /* of the points */
    bool closed;
};

/* Starts as zeros; arrays are owned. */
struct pen {
    struct drawing_point *points;
    struct pen_part *parts;
    size_t point_count, part_count, point_room, part_room;
    bool lifted; /* the next line begins a part where it ends */
};

void pen_free(struct pen *pen);
void pen_clear(struct pen *pen); /* keeps the memory */

/* The pen goes to a point without and with ink; a line without a part begins one. Not finite numbers are PW_BAD_INPUT.
 */
pw_status pen_move(struct pen *pen, struct drawing_point to, pw_error *error);
pw_status pen_line(struct pen *pen, struct drawing_point to, pw_error *error);
/* Back to where the part began. What is drawn next without a move begins there. */
void pen_close(struct pen *pen);
/* The next line does not go on from here: where it goes to, a part begins. */
void pen_lift(struct pen *pen);
/* Where the pen is; (0, 0) before its first move. */
struct drawing_point pen_at(const struct pen *pen);

/* Every part as a line; a closed one ends where it began. Only `width`, class and page of `like` are looked at. */
pw_status pen_draw_lines(const struct pen *pen, const struct drawing_element *like, struct drawing *drawing,
                         pw_error *error);

/* The parts as the rings of one area by the even-odd rule. */
pw_status pen_draw_area(const struct pen *pen, const struct drawing_element *like, struct drawing *drawing,
                        pw_error *error);

/* The parts filled by the non-zero rule, as areas by the even-odd rule: parts that lie wholly inside others count their
 * windings and become holes, or are left out where the winding does not change between zero and not zero; parts that
 * cross each other become areas of their own, whose union is what the non-zero rule fills when they turn the same way.
 * A single part that crosses itself stays as it is: what it winds around twice is then empty. `work` is the number of
 * comparisons that may still be made; when it is used up, the even-odd rule is taken and the drawing tells so. */
pw_status pen_draw_nonzero(const struct pen *pen, const struct drawing_element *like, double *work,
                           struct drawing *drawing, pw_error *error);

/* Takes the newest class back when nothing was drawn in it after all; true when it is gone. */
bool class_drop_empty(struct drawing *drawing, int index);
