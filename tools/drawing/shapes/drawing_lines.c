/* Lines as walls (drawing_lines.h). */
#include "drawing/shapes/drawing_lines.h"

#include <math.h>
#include <stdlib.h>

static const double SAME_PLACE = 1e-3; /* m: ends of lines that are nearer to each other meet */

static int by_x(const void *a, const void *b)
{
    double x = ((const struct drawing_point *)a)->x, y = ((const struct drawing_point *)b)->x;
    return (x > y) - (x < y);
}

void line_ends_sort(struct line_ends *ends)
{
    qsort(ends->points, ends->count, sizeof *ends->points, by_x);
}

/* Whether another end than the one at this place lies there too. */
static bool ends_meet(const struct line_ends *ends, struct drawing_point at)
{
    size_t low = 0, high = ends->count;
    int found = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ends->points[middle].x < at.x - SAME_PLACE) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < ends->count && ends->points[low].x <= at.x + SAME_PLACE && found < 2; low++) {
        found += fabs(ends->points[low].y - at.y) <= SAME_PLACE;
    }
    return found > 1;
}

/* By how much a piece goes on beyond a point where the chain turns, so that the corner is full: half a thickness at a
 * right angle, less where it turns less. */
static double corner_length(struct drawing_point before, struct drawing_point at, struct drawing_point after,
                            double thickness)
{
    double ax = at.x - before.x, ay = at.y - before.y, bx = after.x - at.x, by = after.y - at.y;
    double turn = fabs(atan2(ax * by - ay * bx, ax * bx + ay * by));
    return 0.5 * thickness * fmin(tan(fmin(turn, M_PI / 2) / 2), 1);
}

/* How much longer the piece from point n on is at its beginning (side 0) or end (side 1). */
static double piece_longer(const struct line_ends *ends, const struct chain *chain, int n, int side)
{
    int at = n + side, last = chain->count - 1;
    const struct drawing_point *p = chain->points;
    if (!chain->closed && (at == 0 || at == last)) {
        return ends_meet(ends, p[at]) ? 0.5 * chain->thickness : 0;
    }
    int count = chain->count;
    return corner_length(p[(at + count - 1) % count], p[at % count], p[(at + 1) % count], chain->thickness);
}

pw_status chain_draw(pw_drawing *shapes, int substance, const struct line_ends *ends, const struct chain *chain,
                     pw_error *error)
{
    int pieces = chain->closed ? chain->count : chain->count - 1;
    for (int n = 0; n < pieces; n++) {
        struct drawing_point a = chain->points[n], b = chain->points[(n + 1) % chain->count];
        double length = hypot(b.x - a.x, b.y - a.y);
        if (!(length > 0)) {
            continue;
        }
        double ux = (b.x - a.x) / length, uy = (b.y - a.y) / length, half = 0.5 * chain->thickness;
        double before = piece_longer(ends, chain, n, 0), after = piece_longer(ends, chain, n, 1);
        a = (struct drawing_point){a.x - ux * before, a.y - uy * before};
        b = (struct drawing_point){b.x + ux * after, b.y + uy * after};
        const double corners[] = {a.x + uy * half, a.y - ux * half, b.x + uy * half, b.y - ux * half,
                                  b.x - uy * half, b.y + ux * half, a.x - uy * half, a.y + ux * half};
        TRY(pw_drawing_add(shapes, substance, corners, 4, error));
    }
    return PW_OK;
}
