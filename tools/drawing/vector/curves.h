/* Curves as chains of straight pieces. The chain keeps to the curve within a 2000th part of the curve's own size: of
 * the radius of an arc (half the longer axis of an ellipse), of the longer side of the box around the control points of
 * a Bezier curve or spline. That is 5 mm at a curved wall of 10 m, and 100 pieces to a circle. */
#pragma once

#include "drawing/vector/pen.h"

/* centre + u cos(t) + v sin(t), t from `from` over `sweep` (radians; at most a turn either way). A circle has
 * perpendicular u and v of one length; any image of an ellipse under an affine map is of this form. */
struct curve_arc {
    struct drawing_point centre, u, v;
    double from, sweep;
};

/* Goes on from where the pen is to the arc's beginning, and along the arc. A whole turn is a closed part of its own. */
pw_status curve_arc_add(struct pen *pen, const struct curve_arc *arc, pw_error *error);

/* From where the pen is, along the Bezier curve with these further control points, as many as its degree, 2 or 3. */
pw_status curve_bezier_add(struct pen *pen, const struct drawing_point *control, int degree, pw_error *error);

enum { SPLINE_DEGREE_LIMIT = 9 };

/* A B-spline, rational when it has weights. Knots: count + degree + 1 of them, never falling. */
struct curve_spline {
    const struct drawing_point *control; /* (count) */
    const double *weights;               /* (count), positive, or NULL */
    const double *knots;
    size_t count;
    int degree; /* 1 to SPLINE_DEGREE_LIMIT, less than count */
};

/* Whether the numbers are those of a spline. */
bool curve_spline_is_good(const struct curve_spline *spline);

/* Goes on to the beginning of a good spline and along it, by de Boor's algorithm. */
pw_status curve_spline_add(struct pen *pen, const struct curve_spline *spline, pw_error *error);
