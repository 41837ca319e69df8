/* Arcs, Bezier curves and B-splines as straight pieces (curves.h). */
#include "drawing/vector/curves.h"

#include <math.h>

static const double ERROR_SHARE = 1.0 / 2000; /* of the curve's size */

static struct drawing_point arc_point(const struct curve_arc *arc, double t)
{
    double c = cos(t), s = sin(t);
    return (struct drawing_point){arc->centre.x + arc->u.x * c + arc->v.x * s,
                                  arc->centre.y + arc->u.y * c + arc->v.y * s};
}

pw_status curve_arc_add(struct pen *pen, const struct curve_arc *arc, pw_error *error)
{
    /* A chord over the angle a is off by r (1 - cos(a/2)). */
    double widest = 2 * acos(1 - ERROR_SHARE), turn = 2 * M_PI;
    FAIL_IF(!isfinite(arc->sweep) || !isfinite(arc->from), error, PW_BAD_INPUT,
            "an angle of an arc is not a finite number");
    double sweep = fmax(-turn, fmin(turn, arc->sweep));
    bool whole = fabs(sweep) >= turn * (1 - 1e-9);
    int pieces = (int)fmax(1, ceil(fabs(sweep) / widest));
    struct drawing_point begin = arc_point(arc, arc->from), at = pen_at(pen);
    double size = hypot(arc->u.x, arc->u.y) + hypot(arc->v.x, arc->v.y);
    if (whole) {
        TRY(pen_move(pen, begin, error));
    } else if (pen->part_count == 0 || pen->lifted || !(hypot(begin.x - at.x, begin.y - at.y) <= 1e-9 * size)) {
        TRY(pen_line(pen, begin, error));
    }
    for (int n = 1; n < pieces + (whole ? 0 : 1); n++) {
        TRY(pen_line(pen, arc_point(arc, arc->from + sweep * n / pieces), error));
    }
    if (whole) {
        pen_close(pen);
    }
    return PW_OK;
}

static double box_side(const struct drawing_point *points, size_t count)
{
    struct drawing_point low = points[0], high = points[0];
    for (size_t n = 1; n < count; n++) {
        low = (struct drawing_point){fmin(low.x, points[n].x), fmin(low.y, points[n].y)};
        high = (struct drawing_point){fmax(high.x, points[n].x), fmax(high.y, points[n].y)};
    }
    return fmax(high.x - low.x, high.y - low.y);
}

static struct drawing_point between(struct drawing_point a, struct drawing_point b, double t)
{
    return (struct drawing_point){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

/* The pieces are as many as Wang's bound wants: n^2 = d (d - 1)/8 (largest second difference)/(error). */
pw_status curve_bezier_add(struct pen *pen, const struct drawing_point *control, int degree, pw_error *error)
{
    struct drawing_point points[4] = {pen_at(pen)};
    double second = 0;
    for (int n = 1; n <= degree; n++) {
        points[n] = control[n - 1];
    }
    for (int n = 0; n + 2 <= degree; n++) {
        second = fmax(second, hypot(points[n].x - 2 * points[n + 1].x + points[n + 2].x,
                                    points[n].y - 2 * points[n + 1].y + points[n + 2].y));
    }
    double off = ERROR_SHARE * box_side(points, (size_t)degree + 1);
    double wanted = off > 0 ? sqrt(degree * (degree - 1) / 8.0 * second / off) : 1;
    int pieces = wanted >= 1 && wanted < 1000 ? (int)ceil(wanted) : 1;
    for (int n = 1; n < pieces; n++) {
        struct drawing_point p[4] = {points[0], points[1], points[2], points[3]};
        for (int level = degree; level > 0; level--) {
            for (int k = 0; k < level; k++) {
                p[k] = between(p[k], p[k + 1], (double)n / pieces);
            }
        }
        TRY(pen_line(pen, p[0], error));
    }
    return pen_line(pen, points[degree], error);
}

bool curve_spline_is_good(const struct curve_spline *spline)
{
    if (spline->degree < 1 || spline->degree > SPLINE_DEGREE_LIMIT || spline->count <= (size_t)spline->degree) {
        return false;
    }
    size_t knots = spline->count + (size_t)spline->degree + 1;
    for (size_t n = 0; n < knots; n++) {
        if (!isfinite(spline->knots[n]) || (n > 0 && spline->knots[n] < spline->knots[n - 1])) {
            return false;
        }
    }
    for (size_t n = 0; n < spline->count; n++) {
        if (spline->weights != NULL && !(isfinite(spline->weights[n]) && spline->weights[n] > 0)) {
            return false;
        }
    }
    return spline->knots[spline->count] > spline->knots[spline->degree];
}

/* De Boor's algorithm in homogeneous coordinates, for t between the knots `span` and span + 1. */
static struct drawing_point spline_point(const struct curve_spline *spline, size_t span, double t)
{
    int degree = spline->degree;
    double x[SPLINE_DEGREE_LIMIT + 1], y[SPLINE_DEGREE_LIMIT + 1], w[SPLINE_DEGREE_LIMIT + 1];
    for (int k = 0; k <= degree; k++) {
        size_t from = span - (size_t)degree + (size_t)k;
        w[k] = spline->weights == NULL ? 1 : spline->weights[from];
        x[k] = spline->control[from].x * w[k];
        y[k] = spline->control[from].y * w[k];
    }
    for (int level = 1; level <= degree; level++) {
        for (int k = degree; k >= level; k--) {
            double low = spline->knots[span - (size_t)degree + (size_t)k];
            double high = spline->knots[span + 1 + (size_t)(k - level)];
            double share = high > low ? (t - low) / (high - low) : 0;
            x[k] = x[k - 1] + (x[k] - x[k - 1]) * share;
            y[k] = y[k - 1] + (y[k] - y[k - 1]) * share;
            w[k] = w[k - 1] + (w[k] - w[k - 1]) * share;
        }
    }
    return (struct drawing_point){x[degree] / w[degree], y[degree] / w[degree]};
}

static double distance_from_chord(struct drawing_point p, struct drawing_point a, struct drawing_point b)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    return length > 0 ? fabs((p.x - a.x) * dy - (p.y - a.y) * dx) / length : hypot(p.x - a.x, p.y - a.y);
}

/* A piece of a span between two knots, and how often the span was halved to it. */
struct spline_piece {
    double from, to;
    struct drawing_point begin, end;
    int halvings;
};

/* Halves a span until the middle of each piece is near its chord; at least twice, for curves with a turning point. */
static pw_status span_add(struct pen *pen, const struct curve_spline *spline, size_t span, double off, pw_error *error)
{
    enum { MOST = 7 };
    struct spline_piece stack[MOST + 2];
    int depth = 0;
    double from = spline->knots[span], to = spline->knots[span + 1];
    stack[depth++] =
        (struct spline_piece){from, to, spline_point(spline, span, from), spline_point(spline, span, to), 0};
    while (depth > 0) {
        struct spline_piece piece = stack[--depth];
        double t = (piece.from + piece.to) / 2;
        struct drawing_point middle = spline_point(spline, span, t);
        bool near = piece.halvings >= 2 && distance_from_chord(middle, piece.begin, piece.end) <= off;
        if (near || piece.halvings >= MOST || spline->degree == 1) {
            TRY(pen_line(pen, piece.end, error));
            continue;
        }
        stack[depth++] = (struct spline_piece){t, piece.to, middle, piece.end, piece.halvings + 1};
        stack[depth++] = (struct spline_piece){piece.from, t, piece.begin, middle, piece.halvings + 1};
    }
    return PW_OK;
}

pw_status curve_spline_add(struct pen *pen, const struct curve_spline *spline, pw_error *error)
{
    double off = ERROR_SHARE * box_side(spline->control, spline->count);
    bool begun = false;
    for (size_t span = (size_t)spline->degree; span < spline->count; span++) {
        if (spline->knots[span + 1] > spline->knots[span]) {
            if (!begun) {
                TRY(pen_line(pen, spline_point(spline, span, spline->knots[span]), error));
                begun = true;
            }
            TRY(span_add(pen, spline, span, off, error));
        }
    }
    return PW_OK;
}
