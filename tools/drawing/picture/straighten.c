/* Outlines of straight edges (outline.h). The points of a ring are split where they leave the chord by more than a
 * tolerance (Douglas and Peucker, 1973), a line is fitted to the points of each edge by least squares of the distances
 * from it, and corners are where neighbouring lines meet: so an edge lies where its pixels say together, and a corner
 * that the pixels round off is sharp again. Where that would change the area, the tolerance is halved: thin strokes
 * would vanish. */
#include "drawing/picture/outline.h"

#include <math.h>
#include <stdlib.h>

static const double TOLERANCE = 0.7; /* pixels: steps of a tilted edge without shades deviate by a half */
static const double LEAST_TOLERANCE = 0.1;
static const double NEAR_AXIS = 0.035;  /* rad, two degrees */
static const double CORNER_REACH = 2.0; /* pixels from where the outline turns to where its lines meet */
static const double SHORT_EDGE = 2.0;   /* pixels: one that may be no more than a rounded corner */
static const size_t FEW_POINTS = 16;    /* of an edge, where one that stands out would turn it */
static const double WORK_LIMIT = 2e10;  /* distances of points from chords, of a whole picture: half a minute */

struct ring_split {
    const struct drawing_point *points;
    size_t count;
    size_t *vertices; /* (vertex_count) indices of points, ascending */
    size_t vertex_count;
    size_t *stack; /* pairs of indices whose chord is to be looked at */
    double work;
};

static double distance_squared(struct drawing_point a, struct drawing_point b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

static size_t farthest_from(const struct drawing_point *points, size_t count, struct drawing_point from)
{
    size_t best = 0;
    for (size_t n = 1; n < count; n++) {
        if (distance_squared(points[n], from) > distance_squared(points[best], from)) {
            best = n;
        }
    }
    return best;
}

static struct drawing_point ring_point(const struct ring_split *split, size_t n)
{
    return split->points[n < split->count ? n : n - split->count];
}

/* The point between `from` and `to` that is farthest from their chord, and its distance. */
static size_t chord_farthest(struct ring_split *split, size_t from, size_t to, double *distance)
{
    struct drawing_point a = ring_point(split, from), b = ring_point(split, to);
    double x = b.x - a.x, y = b.y - a.y, squared = x * x + y * y, most = -1;
    size_t best = from;
    for (size_t n = from + 1; n < to; n++) {
        struct drawing_point p = ring_point(split, n);
        double along = squared > 0 ? ((p.x - a.x) * x + (p.y - a.y) * y) / squared : 0;
        along = fmin(1, fmax(0, along));
        double off = distance_squared(p, (struct drawing_point){a.x + along * x, a.y + along * y});
        if (off > most) {
            most = off;
            best = n;
        }
    }
    split->work += (double)(to - from);
    *distance = sqrt(fmax(0, most));
    return best;
}

static int index_order(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Vertices of the ring so that no point is farther than the tolerance from its edge. False when that takes more work
 * than drawings do. */
static bool ring_vertices(struct ring_split *split, double tolerance)
{
    const struct drawing_point *points = split->points;
    size_t first = farthest_from(points, split->count, points[0]);
    size_t other = farthest_from(points, split->count, points[first]);
    size_t low = first < other ? first : other, high = first < other ? other : first, depth = 0;
    split->vertex_count = 0;
    split->vertices[split->vertex_count++] = low;
    split->vertices[split->vertex_count++] = high;
    split->stack[depth++] = low;
    split->stack[depth++] = high;
    split->stack[depth++] = high;
    split->stack[depth++] = low + split->count;
    while (depth > 0) {
        size_t to = split->stack[--depth], from = split->stack[--depth];
        double distance = 0;
        size_t middle = to - from > 1 ? chord_farthest(split, from, to, &distance) : from;
        if (distance > tolerance) {
            split->vertices[split->vertex_count++] = middle < split->count ? middle : middle - split->count;
            split->stack[depth++] = from;
            split->stack[depth++] = middle;
            split->stack[depth++] = middle;
            split->stack[depth++] = to;
        }
        if (split->work > WORK_LIMIT) {
            return false;
        }
    }
    qsort(split->vertices, split->vertex_count, sizeof *split->vertices, index_order);
    return true;
}

static double edge_off(const struct outline_edge *edge, struct drawing_point point)
{
    return fabs((point.y - edge->centre.y) * edge->along_x - (point.x - edge->centre.x) * edge->along_y);
}

/* Fits the line to points [low, high] of the ring that are at most `most` off the line that it was. */
static void line_fit(const struct ring_split *split, size_t low, size_t high, double most, struct outline_edge *edge)
{
    struct drawing_point a = edge->vertex; /* sums are taken from here, so that no digits are lost in the squares */
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (size_t p = low; p <= high; p++) {
        struct drawing_point point = ring_point(split, p);
        double u = point.x - a.x, v = point.y - a.y;
        if (edge_off(edge, point) <= most) {
            n++;
            x += u;
            y += v;
            xx += u * u;
            xy += u * v;
            yy += v * v;
        }
    }
    if (n < 3) {
        return;
    }
    x /= n;
    y /= n;
    double angle = 0.5 * atan2(2 * (xy / n - x * y), xx / n - x * x - (yy / n - y * y));
    double c = cos(angle), s = sin(angle), sign = c * edge->along_x + s * edge->along_y < 0 ? -1 : 1;
    edge->centre = (struct drawing_point){a.x + x, a.y + y};
    edge->along_x = sign * c;
    edge->along_y = sign * s;
    edge->fitted = true;
}

/* Of the lines through two of points [low, high], the one with the least sum of distances: a few points that stand out
 * do not turn it. */
static void line_robust(const struct ring_split *split, size_t low, size_t high, struct outline_edge *edge)
{
    struct outline_edge best = *edge;
    double least = HUGE_VAL;
    for (size_t p = low; p < high; p++) {
        for (size_t q = p + 1; q <= high; q++) {
            struct drawing_point a = ring_point(split, p), b = ring_point(split, q);
            double length = sqrt(distance_squared(a, b)), sum = 0;
            struct outline_edge line = *edge;
            line.centre = a;
            line.along_x = (b.x - a.x) / length;
            line.along_y = (b.y - a.y) / length;
            for (size_t n = low; n <= high && length > 0; n++) {
                sum += edge_off(&line, ring_point(split, n));
            }
            if (length > 0 && sum < least) {
                least = sum;
                best = line;
            }
        }
    }
    double sign = best.along_x * edge->along_x + best.along_y * edge->along_y < 0 ? -1 : 1;
    edge->centre = best.centre;
    edge->along_x = sign * best.along_x;
    edge->along_y = sign * best.along_y;
}

/* The line through points [from, to] of the ring with the least squares of distances. Those next to a corner are
 * rounded off by it and left out, and so are, in a second round, those that stand out. */
static struct outline_edge edge_fit(const struct ring_split *split, size_t from, size_t to)
{
    struct drawing_point a = ring_point(split, from), b = ring_point(split, to);
    double length = sqrt(distance_squared(a, b)), squares = 0;
    struct outline_edge edge = {.vertex = a,
                                .centre = {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)},
                                .along_x = length > 0 ? (b.x - a.x) / length : 1,
                                .along_y = length > 0 ? (b.y - a.y) / length : 0,
                                .length = length};
    if (to - from < 4) {
        return edge;
    }
    if (to - from <= FEW_POINTS) {
        line_robust(split, from + 1, to - 1, &edge);
    } else {
        line_fit(split, from + 1, to - 1, HUGE_VAL, &edge);
    }
    for (size_t p = from + 1; p < to; p++) {
        double off = edge_off(&edge, ring_point(split, p));
        squares += off * off;
    }
    line_fit(split, from + 1, to - 1, 1.5 * sqrt(squares / (double)(to - from - 1)) + 0.02, &edge);
    return edge;
}

static struct drawing_point edge_project(const struct outline_edge *edge, struct drawing_point point)
{
    double along = (point.x - edge->centre.x) * edge->along_x + (point.y - edge->centre.y) * edge->along_y;
    return (struct drawing_point){edge->centre.x + along * edge->along_x, edge->centre.y + along * edge->along_y};
}

/* Whether two lines meet near the vertex, and where. */
static bool lines_meet(const struct outline_edge *before, const struct outline_edge *after, struct drawing_point vertex,
                       struct drawing_point *corner)
{
    double cross = before->along_x * after->along_y - before->along_y * after->along_x;
    if (!before->fitted || !after->fitted || fabs(cross) < 0.02) {
        return false;
    }
    double x = after->centre.x - before->centre.x, y = after->centre.y - before->centre.y;
    double along = (x * after->along_y - y * after->along_x) / cross;
    *corner =
        (struct drawing_point){before->centre.x + along * before->along_x, before->centre.y + along * before->along_y};
    return distance_squared(*corner, vertex) < CORNER_REACH * CORNER_REACH;
}

/* Where two edges that follow each other meet: one point, or two where they run beside each other. */
static int corner_points(const struct outline_edge *before, const struct outline_edge *after,
                         struct drawing_point corner[2])
{
    struct drawing_point vertex = after->vertex;
    struct drawing_point on_before = before->fitted ? edge_project(before, vertex) : vertex;
    struct drawing_point on_after = after->fitted ? edge_project(after, vertex) : vertex;
    if (!before->fitted || !after->fitted) {
        corner[0] = before->fitted ? on_before : on_after;
        return 1;
    }
    if (lines_meet(before, after, vertex, &corner[0])) {
        return 1;
    }
    corner[0] = on_before;
    corner[1] = on_after;
    if (distance_squared(on_before, on_after) < 0.25) {
        corner[0] = (struct drawing_point){0.5 * (on_before.x + on_after.x), 0.5 * (on_before.y + on_after.y)};
        return 1;
    }
    return 2;
}

/* Twice the area of the ring with its corners. */
static double edges_area(const struct outline_edge *edges, size_t count)
{
    struct drawing_point last = {0, 0}, first = {0, 0}, corner[2];
    double area = 0;
    for (size_t e = 0; e < count; e++) {
        int corners = corner_points(&edges[e > 0 ? e - 1 : count - 1], &edges[e], corner);
        for (int c = 0; c < corners; c++) {
            if (e == 0 && c == 0) {
                first = corner[c];
            } else {
                area += last.x * corner[c].y - last.y * corner[c].x;
            }
            last = corner[c];
        }
    }
    return area + last.x * first.y - last.y * first.x;
}

static double points_area(const struct drawing_point *points, size_t count)
{
    double area = 0;
    for (size_t n = 0; n < count; n++) {
        struct drawing_point a = points[n], b = points[n + 1 < count ? n + 1 : 0];
        area += a.x * b.y - a.y * b.x;
    }
    return area;
}

/* Drops edges that cut off a corner between two lines which meet near by. */
static size_t corners_sharpen(struct outline_edge *edges, size_t count)
{
    size_t kept = 0;
    for (size_t e = 0; e < count; e++) {
        const struct outline_edge *before = &edges[e > 0 ? e - 1 : count - 1],
                                  *after = &edges[e + 1 < count ? e + 1 : 0];
        struct drawing_point corner;
        bool cut = count > 3 && !edges[e].fitted && edges[e].length < SHORT_EDGE &&
                   fabs(before->along_x * after->along_y - before->along_y * after->along_x) > 0.3 &&
                   lines_meet(before, after, edges[e].vertex, &corner) &&
                   distance_squared(corner, after->vertex) < CORNER_REACH * CORNER_REACH;
        edges[kept] = edges[e];
        kept += !cut; /* the edge before is looked at as it was: it is fitted, and not dropped */
    }
    return kept;
}

/* Adds the edges of a ring whose vertices are known; *true_to says whether they enclose what the points do. */
static pw_status edges_add(struct outlines *outlines, const struct ring_split *split, bool *true_to, pw_error *error)
{
    struct outline_ring *ring = &outlines->rings[outlines->ring_count - 1];
    outlines->edge_count = ring->first_edge;
    for (size_t v = 0; v < split->vertex_count; v++) {
        bool last = v + 1 == split->vertex_count;
        size_t to = last ? split->vertices[0] + split->count : split->vertices[v + 1];
        TRY(outlines_room(outlines, error));
        outlines->edges[outlines->edge_count++] = edge_fit(split, split->vertices[v], to);
    }
    ring->edges = corners_sharpen(outlines->edges + ring->first_edge, outlines->edge_count - ring->first_edge);
    outlines->edge_count = ring->first_edge + ring->edges;
    double wanted = points_area(split->points, split->count);
    double off = edges_area(outlines->edges + ring->first_edge, ring->edges) - wanted;
    *true_to = ring->edges >= 3 && fabs(off) <= 0.05 * fabs(wanted) + 1;
    return PW_OK;
}

pw_status outline_straighten(struct outlines *outlines, const struct drawing_point *points, size_t count,
                             pw_error *error)
{
    struct ring_split split = {.points = points, .count = count, .work = outlines->work};
    split.vertices = allocate(count + 2, sizeof *split.vertices, "the corners of an outline", error);
    split.stack = allocate(2 * count + 8, sizeof *split.stack, "the corners of an outline", error);
    pw_status status = split.vertices != NULL && split.stack != NULL ? PW_OK : PW_NO_RESOURCE;
    bool true_to = false;
    double tolerance = TOLERANCE;
    while (status == PW_OK && !true_to && tolerance >= LEAST_TOLERANCE) {
        status =
            ring_vertices(&split, tolerance) ? edges_add(outlines, &split, &true_to, error) : outlines_noise(error);
        tolerance *= 0.5;
    }
    outlines->work = split.work;
    PW_FREE_ALL(split.vertices, split.stack);
    return status;
}

/* ---- directions, and drawing ---- */

/* The direction [rad, above -pi/4 to pi/4] that most of the length of all edges has, or is at right angles to; edges of
 * a picture whose walls run along its rows and columns have 0. */
static double outlines_direction(const struct outlines *outlines)
{
    enum { BINS = 900 }; /* of a tenth of a degree */
    double lengths[BINS] = {0}, smooth = -1;
    int best = 0;
    for (size_t e = 0; e < outlines->edge_count; e++) {
        const struct outline_edge *edge = &outlines->edges[e];
        if (edge->fitted && edge->length > 8) {
            double angle = fmod(atan2(edge->along_y, edge->along_x) + 2 * M_PI, M_PI_2);
            lengths[(int)(angle / M_PI_2 * BINS) % BINS] += edge->length;
        }
    }
    for (int b = 0; b < BINS; b++) {
        double sum = 0;
        for (int n = -5; n <= 5; n++) {
            sum += lengths[(b + n + BINS) % BINS];
        }
        if (sum > smooth) {
            smooth = sum;
            best = b;
        }
    }
    double offset = 0;
    for (int n = -5; n <= 5; n++) {
        offset += n * lengths[(best + n + BINS) % BINS];
    }
    double angle = (best + 0.5 + (smooth > 0 ? offset / smooth : 0)) / BINS * M_PI_2;
    angle -= angle > M_PI_4 ? M_PI_2 : 0;
    return fabs(angle) < 0.1 * NEAR_AXIS || smooth <= 0 ? 0 : angle;
}

/* Sets the direction of an edge that has nearly the picture's. A short edge is known less well. */
static void edge_snap(struct outline_edge *edge, double direction)
{
    double angle = atan2(edge->along_y, edge->along_x) - direction;
    double nearest = M_PI_2 * round(angle / M_PI_2);
    double allowed = fmax(NEAR_AXIS, fmin(0.35, 0.7 / fmax(1, edge->length)));
    if (edge->length >= 3 && fabs(angle - nearest) <= allowed) {
        edge->along_x = cos(nearest + direction);
        edge->along_y = sin(nearest + direction);
        edge->fitted = true;
    }
}

/* Joins edges that follow each other in one direction with less than a pixel between them: steps of one wall. */
static size_t edges_join(struct outline_edge *edges, size_t count)
{
    size_t kept = 0;
    for (size_t e = 0; e < count; e++) {
        struct outline_edge *last = kept > 0 ? &edges[kept - 1] : NULL;
        const struct outline_edge *edge = &edges[e];
        bool beside = last != NULL && last->fitted && edge->fitted &&
                      last->along_x * edge->along_x + last->along_y * edge->along_y > 1 - 1e-9 &&
                      distance_squared(edge_project(last, edge->centre), edge->centre) < 1;
        if (!beside) {
            edges[kept++] = *edge;
            continue;
        }
        double whole = last->length + edge->length, share = whole > 0 ? edge->length / whole : 0;
        last->centre = (struct drawing_point){last->centre.x + share * (edge->centre.x - last->centre.x),
                                              last->centre.y + share * (edge->centre.y - last->centre.y)};
        last->length = whole;
    }
    return kept;
}

static int ring_order(const void *a, const void *b)
{
    const struct outline_ring *x = a, *y = b;
    if (x->component != y->component) {
        return x->component < y->component ? -1 : 1;
    }
    return x->first_edge < y->first_edge ? -1 : x->first_edge > y->first_edge;
}

static pw_status ring_draw(const struct outline_edge *edges, size_t count, struct drawing *drawing, pw_error *error)
{
    for (size_t e = 0; e < count; e++) {
        struct drawing_point corner[2];
        int corners = corner_points(&edges[e > 0 ? e - 1 : count - 1], &edges[e], corner);
        for (int c = 0; c < corners; c++) {
            TRY(drawing_point_add(drawing, corner[c].x, corner[c].y, error));
        }
    }
    return PW_OK;
}

void outlines_sort(struct outlines *outlines)
{
    if (outlines->ring_count > 0) {
        qsort(outlines->rings, outlines->ring_count, sizeof *outlines->rings, ring_order);
    }
}

pw_status outlines_draw(struct outlines *outlines, bool straight, struct drawing *drawing, pw_error *error)
{
    double direction = straight ? outlines_direction(outlines) : 0;
    outlines_sort(outlines);
    for (size_t r = 0; r < outlines->ring_count; r++) {
        struct outline_ring *ring = &outlines->rings[r];
        struct outline_edge *edges = outlines->edges + ring->first_edge;
        for (size_t e = 0; straight && e < ring->edges; e++) {
            edge_snap(&edges[e], direction);
        }
        size_t count = straight ? edges_join(edges, ring->edges) : ring->edges;
        if (r == 0 || ring->component != ring[-1].component) {
            const struct drawing_element like = {.kind = ELEMENT_AREA, .class_index = ring->class_index};
            TRY(drawing_begin(drawing, &like, error));
        } else {
            TRY(drawing_ring_begin(drawing, error));
        }
        TRY(ring_draw(edges, count, drawing, error));
    }
    drawing_end(drawing);
    return PW_OK;
}
