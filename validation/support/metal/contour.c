/* Distances to metal and lines of sight (contour.h), side by side of every line. */
#include "validation/support/metal/contour.h"

#include <math.h>
#include <string.h>

struct polyline *contour_add(struct contour *contour, bool closed, int count, const struct spot *points)
{
    struct polyline *line = &contour->line[contour->count++];
    line->count = count;
    line->closed = closed;
    memcpy(line->point, points, (size_t)count * sizeof *points);
    return line;
}

static int sides(const struct polyline *line)
{
    return line->closed ? line->count : line->count - 1;
}

static double to_side(struct spot a, struct spot b, struct spot p)
{
    const double dx = b.x - a.x, dy = b.y - a.y;
    double share = ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy);
    share = fmin(fmax(share, 0), 1);
    return hypot(p.x - a.x - share * dx, p.y - a.y - share * dy);
}

/* Whether a line from p to the right crosses this side. */
static bool crosses_right(struct spot a, struct spot b, struct spot p)
{
    return (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x);
}

double contour_distance(const struct contour *contour, struct spot p)
{
    double least = INFINITY;
    bool inside = false;
    for (int n = 0; n < contour->count; n++) {
        const struct polyline *line = &contour->line[n];
        for (int s = 0; s < sides(line); s++) {
            const struct spot a = line->point[s], b = line->point[(s + 1) % line->count];
            least = fmin(least, to_side(a, b, p));
            inside = inside != (line->closed && crosses_right(a, b, p));
        }
    }
    return inside ? -least : least;
}

/* Twice the area of the triangle, with its sign. */
static double turn(struct spot a, struct spot b, struct spot c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

bool contour_hides(const struct contour *contour, struct spot a, struct spot b)
{
    bool hidden = false;
    for (int n = 0; n < contour->count; n++) {
        const struct polyline *line = &contour->line[n];
        for (int s = 0; s < sides(line); s++) {
            const struct spot p = line->point[s], q = line->point[(s + 1) % line->count];
            hidden = hidden || (turn(a, b, p) * turn(a, b, q) < 0 && turn(p, q, a) * turn(p, q, b) < 0);
        }
    }
    return hidden;
}
