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

bool door_arc_of(const struct drawing *drawing, const struct drawing_element *element, struct door_arc *arc)
{
    enum { FEWEST = 5 };
    const struct drawing_ring *ring = &drawing->rings[element->first_ring];
    const struct drawing_point *points = drawing->points + ring->first;
    if (element->kind != ELEMENT_LINE || ring->count < FEWEST ||
        !circle_through(points[0], points[ring->count / 2], points[ring->count - 1], &arc->hinge)) {
        return false;
    }
    arc->ends[0] = points[0], arc->ends[1] = points[ring->count - 1];
    arc->radius = hypot(points[0].x - arc->hinge.x, points[0].y - arc->hinge.y);
    double swept = 0, direction = 0;
    for (size_t n = 0; n < ring->count; n++) {
        double x = points[n].x - arc->hinge.x, y = points[n].y - arc->hinge.y;
        if (fabs(hypot(x, y) - arc->radius) > ROUND * arc->radius) {
            return false;
        }
        if (n > 0) {
            double u = points[n - 1].x - arc->hinge.x, v = points[n - 1].y - arc->hinge.y;
            double step = atan2(u * y - v * x, u * x + v * y);
            if (step * direction < 0) {
                return false;
            }
            direction = step;
            swept += fabs(step) * 180 / M_PI;
        }
    }
    return swept >= LEAST && swept <= MOST;
}
