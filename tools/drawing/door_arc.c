/* Recognises quarter circles (door_arc.h). */
#include "drawing/door_arc.h"

#include <math.h>

static const double LEAST = 60, MOST = 105, ROUND = 0.02; /* degrees; deviation from the circle by the radius */

/* The centre of the circle through three points; false where they lie on a line. */
static bool circle_through(struct drawing_point a, struct drawing_point b, struct drawing_point c,
                           struct drawing_point *centre)
{
    double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y, d = 2 * (bx * cy - by * cx);
    double bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    if (!(fabs(d) > 1e-9 * (bb + cc))) {
        return false;
    }
    *centre = (struct drawing_point){a.x + (cy * bb - by * cc) / d, a.y + (bx * cc - cx * bb) / d};
    return true;
}

/* The angle by which a chain turns at its point n, radians. */
static double turn_at(const struct drawing_point *points, size_t n)
{
    double ax = points[n].x - points[n - 1].x, ay = points[n].y - points[n - 1].y, bx = points[n + 1].x - points[n].x,
           by = points[n + 1].y - points[n].y;
    return atan2(ax * by - ay * bx, ax * bx + ay * by);
}

/* The last point of the run from `first` on whose turns are small and all to one side. */
static size_t run_end(const struct drawing_point *points, size_t first, size_t count)
{
    const double sharpest = 0.5;
    size_t last = first + 1;
    double side = 0;
    while (last + 1 < count) {
        double turn = turn_at(points, last);
        if (!(fabs(turn) > 0) || fabs(turn) > sharpest || turn * side < 0) {
            break;
        }
        side = turn;
        last++;
    }
    return last;
}

/* Whether the points are those of an arc. */
static bool run_is_arc(const struct drawing_point *points, size_t count, struct door_arc *arc)
{
    double swept = 0;
    if (!circle_through(points[0], points[count / 2], points[count - 1], &arc->hinge)) {
        return false;
    }
    arc->ends[0] = points[0], arc->ends[1] = points[count - 1];
    arc->radius = hypot(points[0].x - arc->hinge.x, points[0].y - arc->hinge.y);
    for (size_t n = 0; n < count; n++) {
        double x = points[n].x - arc->hinge.x, y = points[n].y - arc->hinge.y;
        if (fabs(hypot(x, y) - arc->radius) > ROUND * arc->radius) {
            return false;
        }
        if (n > 0) {
            double u = points[n - 1].x - arc->hinge.x, v = points[n - 1].y - arc->hinge.y;
            swept += fabs(atan2(u * y - v * x, u * x + v * y)) * 180 / M_PI;
        }
    }
    return swept >= LEAST && swept <= MOST;
}

bool door_arc_next(const struct drawing *drawing, const struct drawing_element *element, size_t *at,
                   struct door_arc *arc)
{
    enum { FEWEST = 4 };
    const struct drawing_ring *ring = &drawing->rings[element->first_ring];
    const struct drawing_point *points = drawing->points + ring->first;
    while (*at + FEWEST <= ring->count) {
        size_t first = *at, last = run_end(points, first, ring->count);
        *at = last;
        if (last - first + 1 >= FEWEST && run_is_arc(points + first, last - first + 1, arc)) {
            return true;
        }
    }
    return false;
}
