/* Directions of walls, and small areas that are no walls (marks.h). */
#include "drawing/picture/walls/marks.h"

#include <math.h>
#include <string.h>

/* The box around the first ring of an area, and its area. */
struct ring_size {
    double wide, high, area;
};

static struct ring_size ring_measure(const struct outlines *outlines, const struct outline_ring *ring)
{
    const struct outline_edge *edges = outlines->edges + ring->first_edge;
    double low_x = HUGE_VAL, low_y = HUGE_VAL, high_x = -HUGE_VAL, high_y = -HUGE_VAL, area = 0;
    for (size_t e = 0; e < ring->edges; e++) {
        const struct drawing_point a = edges[e].vertex, b = edges[e + 1 < ring->edges ? e + 1 : 0].vertex;
        low_x = fmin(low_x, a.x), high_x = fmax(high_x, a.x);
        low_y = fmin(low_y, a.y), high_y = fmax(high_y, a.y);
        area += 0.5 * (a.x * b.y - b.x * a.y);
    }
    return (struct ring_size){high_x - low_x, high_y - low_y, fabs(area)};
}

/* An edge's direction, above -pi/4 to pi/4. */
static double edge_angle(const struct outline_edge *edge)
{
    double angle = atan2(edge->along_y, edge->along_x);
    return angle - M_PI_2 * round(angle / M_PI_2);
}

struct directions outlines_directions(const struct outlines *outlines, const bool *is_wall, double longest,
                                      double least)
{
    enum { BINS = 90, NEAR = 2, TAKEN = 5 };         /* of a degree */
    double lengths[BINS] = {0}, offsets[BINS] = {0}; /* from the middle of the degree, weighed by length */
    struct directions found = {{0}, 0};
    for (size_t r = 0; r < outlines->ring_count; r++) {
        const struct outline_ring *ring = &outlines->rings[r];
        const struct ring_size size = ring_measure(outlines, ring);
        const bool taken = is_wall[ring->class_index] && fmax(size.wide, size.high) > longest;
        for (size_t e = ring->first_edge; taken && e < ring->first_edge + ring->edges; e++) {
            const double degrees = (edge_angle(&outlines->edges[e]) + M_PI_4) / M_PI_2 * BINS;
            const double length = outlines->edges[e].fitted ? outlines->edges[e].length : 0;
            const int bin = degrees < BINS ? (int)degrees : BINS - 1;
            lengths[bin] += length;
            offsets[bin] += length * (degrees - bin - 0.5);
        }
    }
    while (found.count < DIRECTIONS_LIMIT) {
        double most = 0, offset = 0;
        int best = 0;
        for (int b = 0; b < BINS; b++) {
            double sum = 0, moment = 0;
            for (int n = -NEAR; n <= NEAR; n++) {
                sum += lengths[(b + n + BINS) % BINS];
                moment += n * lengths[(b + n + BINS) % BINS] + offsets[(b + n + BINS) % BINS];
            }
            if (sum > most) {
                most = sum, best = b, offset = moment / sum;
            }
        }
        if (!(most > least)) {
            break;
        }
        for (int n = -TAKEN; n <= TAKEN; n++) {
            lengths[(best + n + BINS) % BINS] = 0;
        }
        found.angles[found.count++] = (best + 0.5 + offset) / BINS * M_PI_2 - M_PI_4;
    }
    found.count += found.count == 0; /* along rows and columns, where nothing is so long */
    return found;
}

/* The share of a ring's length that runs along no wall. */
static double slanted_share(const struct outlines *outlines, const struct outline_ring *ring,
                            const struct directions *directions)
{
    const double near = 8 * M_PI / 180;
    double slanted = 0, all = 0;
    for (size_t e = ring->first_edge; e < ring->first_edge + ring->edges; e++) {
        const struct outline_edge *edge = &outlines->edges[e];
        bool along = false;
        for (int d = 0; d < directions->count; d++) {
            const double off = edge_angle(edge) - directions->angles[d];
            along = along || fabs(off - M_PI_2 * round(off / M_PI_2)) <= near;
        }
        all += edge->length;
        slanted += along ? 0 : edge->length;
    }
    return all > 0 ? slanted / all : 0;
}

/* The heart of a letter or of an arrow is a tenth as long as what is looked at, 15 cm of 1.5 m: no column is so small.
 */
static bool is_mark(const struct outlines *outlines, const struct outline_ring *ring, double longest,
                    const struct directions *directions)
{
    const double smallest = 0.1, filled = 0.6, slanted = 0.3;
    const struct ring_size size = ring_measure(outlines, ring);
    const double length = fmax(size.wide, size.high);
    return length < smallest * longest || (length <= longest && size.area < filled * size.wide * size.high &&
                                           slanted_share(outlines, ring, directions) > slanted);
}

size_t outlines_drop_marks(struct outlines *outlines, const bool *is_wall, double longest)
{
    const struct directions directions = outlines_directions(outlines, is_wall, longest, longest / 3);
    size_t kept = 0, dropped = 0, last = 0;
    bool drop = false;
    outlines_sort(outlines);
    for (size_t r = 0; r < outlines->ring_count; r++) {
        const struct outline_ring ring = outlines->rings[r];
        const bool outer = r == 0 || ring.component != last;
        drop = outer ? is_wall[ring.class_index] && is_mark(outlines, &ring, longest, &directions) : drop;
        last = ring.component;
        dropped += outer && drop;
        if (!drop) {
            outlines->rings[kept++] = ring;
        }
    }
    outlines->ring_count = kept;
    return dropped;
}
