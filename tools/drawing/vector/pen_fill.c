/* Areas filled by the non-zero rule, told by the even-odd rule (pen_draw_nonzero of pen.h). */
#include "drawing/vector/pen.h"

#include <math.h>

enum { LOOKED_AT = 24 }; /* points of a part that are looked for in another */

/* What is known of a part. */
struct fill_ring {
    struct drawing_point low, high;
    double area; /* signed: positive is anticlockwise */
    int outside; /* the winding number just outside of it */
    bool kept, hole;
    size_t within; /* of a hole: the smallest part around it that begins an area */
};

static const struct drawing_point *ring_points(const struct pen *pen, size_t ring)
{
    return pen->points + pen->parts[ring].first;
}

static struct fill_ring ring_measure(const struct pen *pen, size_t ring)
{
    const struct drawing_point *points = ring_points(pen, ring);
    size_t count = pen->parts[ring].count;
    struct fill_ring found = {.low = {HUGE_VAL, HUGE_VAL}, .high = {-HUGE_VAL, -HUGE_VAL}};
    for (size_t n = 0; n < count; n++) {
        struct drawing_point a = points[n], b = points[(n + 1) % count], o = points[0];
        found.low = (struct drawing_point){fmin(found.low.x, a.x), fmin(found.low.y, a.y)};
        found.high = (struct drawing_point){fmax(found.high.x, a.x), fmax(found.high.y, a.y)};
        found.area += 0.5 * ((a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y));
    }
    return found;
}

/* 1 inside, 0 outside, -1 on the outline, to a small part of the drawing's size. */
static int point_place(struct drawing_point p, const struct drawing_point *points, size_t count, double tolerance)
{
    bool inside = false;
    for (size_t n = 0; n < count; n++) {
        struct drawing_point a = points[n], b = points[(n + 1) % count];
        double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
        double along = square > 0 ? fmin(1, fmax(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / square)) : 0;
        if (hypot(a.x + along * dx - p.x, a.y + along * dy - p.y) <= tolerance) {
            return -1;
        }
        if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + dx * (p.y - a.y) / dy) {
            inside = !inside;
        }
    }
    return inside ? 1 : 0;
}

/* Whether part `b` lies within part `a`, touching its outline at most. */
static bool ring_contains(const struct pen *pen, const struct fill_ring *rings, size_t a, size_t b, double *work)
{
    const struct fill_ring *outer = &rings[a], *inner = &rings[b];
    double size = fmax(outer->high.x - outer->low.x, outer->high.y - outer->low.y), tolerance = 1e-7 * size;
    if (inner->low.x < outer->low.x - tolerance || inner->low.y < outer->low.y - tolerance ||
        inner->high.x > outer->high.x + tolerance || inner->high.y > outer->high.y + tolerance ||
        fabs(inner->area) >= fabs(outer->area)) {
        return false;
    }
    const struct drawing_point *points = ring_points(pen, b);
    size_t count = pen->parts[b].count, step = count / LOOKED_AT + 1;
    for (size_t n = 0; n < count; n += step) {
        struct drawing_point p = points[n], q = points[(n + 1) % count];
        p = (struct drawing_point){(p.x + q.x) / 2, (p.y + q.y) / 2}; /* corners touch outlines more often */
        *work -= (double)pen->parts[a].count;
        if (point_place(p, ring_points(pen, a), pen->parts[a].count, tolerance) == 0) {
            return false;
        }
    }
    return true;
}

static int ring_turn(const struct fill_ring *ring)
{
    return ring->area > 0 ? 1 : ring->area < 0 ? -1 : 0;
}

/* The windings of all parts, and what becomes of each. False: there is too much to do. */
static bool rings_wind(const struct pen *pen, struct fill_ring *rings, double *work)
{
    for (size_t b = 0; b < pen->part_count; b++) {
        for (size_t a = 0; a < pen->part_count; a++) {
            *work -= 1;
            if (*work < 0) {
                return false;
            }
            rings[b].outside += a != b && ring_contains(pen, rings, a, b, work) ? ring_turn(&rings[a]) : 0;
        }
        int inside = rings[b].outside + ring_turn(&rings[b]);
        rings[b].kept = (rings[b].outside == 0) != (inside == 0);
        rings[b].hole = rings[b].kept && inside == 0;
    }
    for (size_t b = 0; b < pen->part_count; b++) {
        rings[b].within = b;
        for (size_t a = 0; rings[b].hole && a < pen->part_count; a++) {
            bool smaller = rings[b].within == b || fabs(rings[a].area) < fabs(rings[rings[b].within].area);
            if (a != b && rings[a].kept && !rings[a].hole && smaller && ring_contains(pen, rings, a, b, work)) {
                rings[b].within = a;
            }
        }
    }
    return *work >= 0;
}

static pw_status ring_add(const struct pen *pen, size_t ring, struct drawing *drawing, pw_error *error)
{
    for (size_t n = 0; n < pen->parts[ring].count; n++) {
        struct drawing_point point = ring_points(pen, ring)[n];
        TRY(drawing_point_add(drawing, point.x, point.y, error));
    }
    return PW_OK;
}

/* A part that begins an area, and the holes in it. */
static pw_status area_add(const struct pen *pen, const struct fill_ring *rings, const struct drawing_element *area,
                          size_t outer, struct drawing *drawing, pw_error *error)
{
    TRY(drawing_begin(drawing, area, error));
    TRY(ring_add(pen, outer, drawing, error));
    for (size_t h = 0; h < pen->part_count; h++) {
        if (rings[h].hole && rings[h].within == outer) {
            TRY(drawing_ring_begin(drawing, error));
            TRY(ring_add(pen, h, drawing, error));
        }
    }
    return PW_OK;
}

pw_status pen_draw_nonzero(const struct pen *pen, const struct drawing_element *like, double *work,
                           struct drawing *drawing, pw_error *error)
{
    if (pen->part_count <= 1) {
        return pen_draw_area(pen, like, drawing, error);
    }
    OWNED struct fill_ring *rings = allocate(pen->part_count, sizeof *rings, "outlines of an area", error);
    TRY_MADE(rings);
    for (size_t r = 0; r < pen->part_count; r++) {
        rings[r] = ring_measure(pen, r);
    }
    *work -= (double)pen->part_count * (double)pen->part_count; /* of the holes that are looked for below */
    if (!rings_wind(pen, rings, work)) {
        TRY(drawing_omit(drawing, "non-zero rule of very many outlines", error));
        return pen_draw_area(pen, like, drawing, error);
    }
    struct drawing_element area = *like;
    area.kind = ELEMENT_AREA;
    for (size_t r = 0; r < pen->part_count; r++) {
        if (rings[r].kept && !rings[r].hole) {
            TRY(area_add(pen, rings, &area, r, drawing, error));
        }
    }
    drawing_end(drawing);
    return PW_OK;
}
