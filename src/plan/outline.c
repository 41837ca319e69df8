/* Outlines of shapes (outline.h): what they are drawn from, and what lies inside. */
#include "plan/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* m: positions that differ by less are the same point. */
static const double SAME_PLACE = 1e-9;
static const double ROUNDING = 1e-12; /* m */
/* Tangent of the angle between the two halves of a straight side. */
static const double STRAIGHT = 1e-6;

/* Corners of a wall: the centre line moved by half the thickness to both sides. */
static bool wall_corners(const struct shape *shape, struct point corners[4])
{
    struct point a = shape->points[0], b = shape->points[1];
    double length = hypot(b.x - a.x, b.y - a.y);
    if (!(length > 0)) {
        return false;
    }
    double across_x = -(b.y - a.y) / length * shape->thickness / 2;
    double across_y = (b.x - a.x) / length * shape->thickness / 2;
    corners[0] = (struct point){a.x + across_x, a.y + across_y};
    corners[1] = (struct point){b.x + across_x, b.y + across_y};
    corners[2] = (struct point){b.x - across_x, b.y - across_y};
    corners[3] = (struct point){a.x - across_x, a.y - across_y};
    return true;
}

static void rectangle_corners(const struct shape *shape, struct point corners[4])
{
    struct point a = shape->points[0], b = shape->points[1];
    corners[0] = (struct point){fmin(a.x, b.x), fmin(a.y, b.y)};
    corners[1] = (struct point){fmax(a.x, b.x), fmin(a.y, b.y)};
    corners[2] = (struct point){fmax(a.x, b.x), fmax(a.y, b.y)};
    corners[3] = (struct point){fmin(a.x, b.x), fmax(a.y, b.y)};
}

/* Bounding box, and whether some side is oblique. */
static void outline_measure(struct outline *outline)
{
    outline->low = outline->high = outline->points[0];
    for (int p = 0; p < outline->point_count; p++) {
        struct point a = outline->points[p], b = outline->points[(p + 1) % outline->point_count];
        outline->low = (struct point){fmin(outline->low.x, a.x), fmin(outline->low.y, a.y)};
        outline->high = (struct point){fmax(outline->high.x, a.x), fmax(outline->high.y, a.y)};
        outline->oblique |= fabs(a.x - b.x) > SAME_PLACE && fabs(a.y - b.y) > SAME_PLACE;
    }
}

/* The slice that a height lies in; rounding takes the same way for sides and for points that are asked about. */
static int slice_of(const struct outline *outline, double y)
{
    double part = (y - outline->low.y) / (outline->high.y - outline->low.y);
    return (int)fmin(fmax(part * outline->slice_count, 0), outline->slice_count - 1);
}

/* Counts the sides of every slice into start[n + 1], or with `sides` puts them down from start[n] on. */
static void slices_fill(struct outline *outline)
{
    for (int p = 0; p < outline->point_count; p++) {
        double a = outline->points[p].y, b = outline->points[(p + 1) % outline->point_count].y;
        int first = slice_of(outline, fmin(a, b)), last = slice_of(outline, fmax(a, b));
        for (int n = first; n <= last; n++) {
            if (outline->sides != NULL) {
                outline->sides[outline->start[n]] = p;
            }
            outline->start[outline->sides != NULL ? n : n + 1]++;
        }
    }
}

/* Many points are asked about, and a large outline has thousands of sides, of which a line crosses a few. */
static pw_status outline_slice(struct outline *outline, pw_error *error)
{
    enum { FEW = 24, MOST_SLICES = 1024, MOST_SIDES = 64 }; /* MOST_SIDES: in the slices for each of the outline */
    if (outline->point_count <= FEW || !(outline->high.y > outline->low.y)) {
        return PW_OK;
    }
    outline->slice_count = outline->point_count < MOST_SLICES ? outline->point_count : MOST_SLICES;
    TRY_MADE(outline->start = allocate((size_t)outline->slice_count + 1, sizeof *outline->start, "an outline", error));
    slices_fill(outline);
    int64_t total = 0;
    for (int n = 0; n < outline->slice_count; n++) {
        total += outline->start[n + 1];
    }
    if (total > (int64_t)MOST_SIDES * outline->point_count) { /* sides that all go from end to end */
        free(outline->start);
        outline->start = NULL;
        outline->slice_count = 0;
        return PW_OK;
    }
    for (int n = 0; n < outline->slice_count; n++) {
        outline->start[n + 1] += outline->start[n];
    }
    TRY_MADE(outline->sides = allocate((size_t)total, sizeof *outline->sides, "an outline", error));
    slices_fill(outline); /* which moves every start to its end, where the next one begins */
    memmove(outline->start + 1, outline->start, (size_t)outline->slice_count * sizeof *outline->start);
    outline->start[0] = 0;
    return PW_OK;
}

static void outline_circle(const struct shape *shape, struct outline *outline)
{
    outline->centre = shape->points[0];
    outline->radius = shape->radius;
    outline->oblique = true;
    outline->low = (struct point){outline->centre.x - shape->radius, outline->centre.y - shape->radius};
    outline->high = (struct point){outline->centre.x + shape->radius, outline->centre.y + shape->radius};
}

pw_status outline_create(const char *file, const struct shape *shape, struct outline *outline, pw_error *error)
{
    struct point corners[4];
    const struct point *points = corners;
    int count = 4;
    *outline = (struct outline){0};
    if (shape->kind == SHAPE_CIRCLE && shape->point_count >= 1 && shape->radius > 0) {
        outline_circle(shape, outline);
        return PW_OK;
    }
    bool pair = shape->point_count == 2;
    if ((shape->kind == SHAPE_POLYGON || shape->kind == SHAPE_DRAWN) && shape->point_count >= 3) {
        points = shape->points;
        count = shape->point_count;
    } else if (pair && (shape->kind == SHAPE_RECTANGLE || shape->kind == SHAPE_OPENING || shape->kind == SHAPE_BOX)) {
        rectangle_corners(shape, corners);
    } else if (!pair || shape->kind != SHAPE_WALL || !(shape->thickness > 0) || !wall_corners(shape, corners)) {
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: a shape without extent: rectangles and walls take two different points, polygons at least "
                    "three, circles a radius and walls a thickness above 0",
                    file, shape->line);
    }
    TRY_MADE(outline->points = allocate((size_t)count, sizeof *points, "the outline of a shape", error));
    memcpy(outline->points, points, (size_t)count * sizeof *points);
    outline->point_count = count;
    outline_measure(outline);
    pw_status status = outline_slice(outline, error);
    if (status != PW_OK) {
        outline_free(outline);
    }
    return status;
}

void outline_free(struct outline *outline)
{
    FREE_ALL(outline->points, outline->start, outline->sides);
    *outline = (struct outline){0};
}

/* A foil may be a tenth of a nanometre thick: no more than rounding is between them. */
static bool is_same(struct point a, struct point b)
{
    return hypot(b.x - a.x, b.y - a.y) <= ROUNDING;
}

/* Whether b lies on the way from a to c. */
static bool is_on_side(struct point a, struct point b, struct point c)
{
    const double ux = b.x - a.x, uy = b.y - a.y, vx = c.x - b.x, vy = c.y - b.y;
    return fabs(ux * vy - uy * vx) <= STRAIGHT * (ux * vx + uy * vy);
}

bool outline_four(const struct point *points, int count, struct point corner[4])
{
    enum { MOST = 6 }; /* of which two may go where the outline closes */
    struct point kept[MOST];
    int first = 0, last = -1;
    for (int p = 0; p < count; p++) {
        if (last >= 0 && is_same(kept[last], points[p])) {
            continue;
        }
        last -= last >= 1 && is_on_side(kept[last - 1], kept[last], points[p]);
        if (last + 1 == MOST) {
            return false;
        }
        kept[++last] = points[p];
    }
    last -= last > first && is_same(kept[last], kept[first]);
    last -= last > first + 1 && is_on_side(kept[last - 1], kept[last], kept[first]);
    first += last > first + 1 && is_on_side(kept[last], kept[first], kept[first + 1]);
    if (last - first + 1 != 4) {
        return false;
    }
    memcpy(corner, kept + first, 4 * sizeof *corner);
    return true;
}

/* Even-odd rule along the ray to the right. */
bool outline_contains(const struct outline *outline, double x, double y)
{
    if (x < outline->low.x || x > outline->high.x || y < outline->low.y || y > outline->high.y) {
        return false;
    }
    if (outline->point_count == 0) {
        return hypot(x - outline->centre.x, y - outline->centre.y) < outline->radius;
    }
    bool inside = false, sliced = outline->slice_count > 0;
    const int slice = sliced ? slice_of(outline, y) : 0;
    const int first = sliced ? outline->start[slice] : 0,
              end = sliced ? outline->start[slice + 1] : outline->point_count;
    for (int s = first; s < end; s++) {
        const int p = sliced ? outline->sides[s] : s;
        struct point a = outline->points[p], b = outline->points[(p + 1) % outline->point_count];
        if ((a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)) {
            inside = !inside;
        }
    }
    return inside;
}

bool outlines_equal(const struct outline *a, const struct outline *b)
{
    if (a->point_count != b->point_count) {
        return false;
    }
    if (a->point_count == 0) {
        return a->centre.x == b->centre.x && a->centre.y == b->centre.y && a->radius == b->radius;
    }
    for (int p = 0; p < a->point_count; p++) {
        if (a->points[p].x != b->points[p].x || a->points[p].y != b->points[p].y) {
            return false;
        }
    }
    return true;
}
