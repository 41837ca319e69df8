/* The surface of metal (metal_edges.h). */
#include "medium/metal/metal_edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A piece that fits into so many cells is a post. Corners as near to each other as MERGED are one: both corners of a
 * thin sheet's end. Around a corner metal is looked for on a circle of AROUND cells; an angle within FLAT of pi is no
 * corner. */
static const double POST = 1.5, MERGED = 0.7, AROUND = 0.5, FLAT = 0.2;
/* From a face to its two sides; how far faces run on outside of the plan, beyond any absorber [cells]. */
static const double ASIDE = 1e-4, RUNS_ON = 4096;

void metal_edges_free(struct metal_edges *edges)
{
    free(edges->edges);
    free(edges->corners);
    free(edges->posts);
    *edges = (struct metal_edges){0};
}

bool metal_edges_inside(const struct metal_edges *edges, struct point at)
{
    const struct raster_grid *grid = edges->grid;
    return edges->plan
        ->materials[floorplan_material_at(edges->plan, grid->origin.x + at.x * grid->cell,
                                          grid->origin.y + at.y * grid->cell)]
        .perfect_conductor;
}

static pw_status append_edge(struct metal_edges *edges, struct point a, struct point b, pw_error *error)
{
    if (hypot(b.x - a.x, b.y - a.y) < 1e-9) {
        return PW_OK;
    }
    TRY(array_grow(&edges->edges, &edges->edge_capacity, (size_t)edges->edge_count, sizeof *edges->edges,
                   "the surface of metal", error));
    edges->edges[edges->edge_count++] = (struct metal_edge){a, b};
    return PW_OK;
}

/* Outside of the plan lies what lies at its edge: a face runs on from there, straight outwards. */
static pw_status run_on(struct metal_edges *edges, struct point at, const double low[2], const double high[2],
                        pw_error *error)
{
    const double place[2] = {at.x, at.y};
    for (int a = 0; a < 2; a++) {
        const double out = fabs(place[a] - low[a]) < 1e-6 ? -RUNS_ON : fabs(place[a] - high[a]) < 1e-6 ? RUNS_ON : 0;
        if (out != 0) {
            TRY(append_edge(edges, at, (struct point){at.x + (a == 0 ? out : 0), at.y + (a == 1 ? out : 0)}, error));
        }
    }
    return PW_OK;
}

/* The part of a side that lies on the plan, and where it meets the plan's edge what runs on from there. */
static pw_status add_edge(struct metal_edges *edges, struct point a, struct point b, pw_error *error)
{
    const struct raster_grid *grid = edges->grid;
    const double from[2] = {a.x, a.y}, along[2] = {b.x - a.x, b.y - a.y};
    const double low[2] = {-grid->origin.x / grid->cell, -grid->origin.y / grid->cell};
    const double high[2] = {low[0] + edges->plan->width / grid->cell, low[1] + edges->plan->height / grid->cell};
    double first = 0, last = 1;
    for (int c = 0; c < 2; c++) {
        if (along[c] == 0) {
            last = from[c] < low[c] - 1e-6 || from[c] > high[c] + 1e-6 ? -1 : last;
            continue;
        }
        const double one = (low[c] - from[c]) / along[c], other = (high[c] - from[c]) / along[c];
        first = fmax(first, fmin(one, other));
        last = fmin(last, fmax(one, other));
    }
    if (first > last) {
        return PW_OK;
    }
    const struct point begin = {a.x + first * along[0], a.y + first * along[1]},
                       end = {a.x + last * along[0], a.y + last * along[1]};
    TRY(append_edge(edges, begin, end, error));
    TRY(run_on(edges, begin, low, high, error));
    return run_on(edges, end, low, high, error);
}

static pw_status add_post(struct metal_edges *edges, struct point at, double radius, pw_error *error)
{
    TRY(array_grow(&edges->posts, &edges->post_capacity, (size_t)edges->post_count, sizeof *edges->posts,
                   "the surface of metal", error));
    edges->posts[edges->post_count++] = (struct metal_post){at, radius};
    return PW_OK;
}

static struct point in_cells(const struct metal_edges *edges, struct point at)
{
    const struct raster_grid *grid = edges->grid;
    return (struct point){(at.x - grid->origin.x) / grid->cell, (at.y - grid->origin.y) / grid->cell};
}

bool metal_edge_foot(const struct metal_edges *edges, const struct metal_edge *edge, struct point from,
                     struct point *foot)
{
    const double x = edge->b.x - edge->a.x, y = edge->b.y - edge->a.y, length = hypot(x, y);
    const double part = ((from.x - edge->a.x) * x + (from.y - edge->a.y) * y) / (length * length);
    const double inner = fmin(ASIDE / length, 0.5), on = fmin(fmax(part, inner), 1 - inner);
    const double side = (from.x - edge->a.x) * -y + (from.y - edge->a.y) * x, sign = side < 0 ? -1 : 1;
    const double nx = -y / length * ASIDE * sign, ny = x / length * ASIDE * sign;
    const struct point at = {edge->a.x + on * x, edge->a.y + on * y};
    *foot = (struct point){edge->a.x + fmin(fmax(part, 0), 1) * x, edge->a.y + fmin(fmax(part, 0), 1) * y};
    const bool near = metal_edges_inside(edges, (struct point){at.x + nx, at.y + ny}),
               far = metal_edges_inside(edges, (struct point){at.x - nx, at.y - ny});
    return (far && !near) || (near && !far && fabs(side) < ASIDE * length);
}

/* ---- corners ----------------------------------------------------------------------------------------------------- */

enum { CROSSINGS = 64 };

/* Where edges cross the circle around a place: angles, ascending. */
static int circle_crossings(const struct metal_edges *edges, struct point at, double radius, double angle[CROSSINGS])
{
    int count = 0;
    for (int64_t e = 0; e < edges->edge_count; e++) {
        const struct metal_edge *edge = &edges->edges[e];
        const double ax = edge->a.x - at.x, ay = edge->a.y - at.y, x = edge->b.x - edge->a.x, y = edge->b.y - edge->a.y;
        const double a = x * x + y * y, b = ax * x + ay * y, c = ax * ax + ay * ay - radius * radius;
        const double root = b * b - a * c;
        for (int sign = -1; sign <= 1 && root > 0; sign += 2) {
            const double t = (-b + sign * sqrt(root)) / a;
            if (t >= 0 && t <= 1 && count < CROSSINGS) {
                const double phi = atan2(ay + t * y, ax + t * x);
                angle[count++] = phi < 0 ? phi + 2 * M_PI : phi;
            }
        }
    }
    qsort(angle, (size_t)count, sizeof *angle, pw_number_order);
    return count;
}

static bool metal_towards(const struct metal_edges *edges, struct point at, double radius, double angle)
{
    return metal_edges_inside(edges, (struct point){at.x + radius * cos(angle), at.y + radius * sin(angle)});
}

static pw_status add_corner(struct metal_edges *edges, struct point at, double face, double opening, pw_error *error)
{
    TRY(array_grow(&edges->corners, &edges->corner_capacity, (size_t)edges->corner_count, sizeof *edges->corners,
                   "the surface of metal", error));
    edges->corners[edges->corner_count++] = (struct metal_corner){at, fmod(face, 2 * M_PI), opening};
    return PW_OK;
}

/* The free angles around a place where sides of metal meet, each a corner. */
static pw_status find_corners(struct metal_edges *edges, struct point at, pw_error *error)
{
    double angle[CROSSINGS + 1];
    const int count = circle_crossings(edges, at, AROUND, angle);
    if (count < 2) {
        return PW_OK;
    }
    angle[count] = angle[0] + 2 * M_PI;
    bool metal[CROSSINGS];
    int first = -1; /* an arc of metal */
    for (int n = 0; n < count; n++) {
        metal[n] = metal_towards(edges, at, AROUND, 0.5 * (angle[n] + angle[n + 1]));
        first = metal[n] ? n : first;
    }
    int arcs = 0;
    for (int n = 1; first >= 0 && n <= count; n++) { /* from that arc once around */
        const int arc = (first + n) % count;
        const double face = angle[arc];
        double opening = 0;
        for (; n <= count && !metal[(first + n) % count]; n++) {
            opening += angle[(first + n) % count + 1] - angle[(first + n) % count];
        }
        if (opening > 1e-3 && (fabs(opening - M_PI) > FLAT || arcs > 0)) {
            TRY(add_corner(edges, at, face, opening, error));
        }
        arcs += opening > 1e-3;
    }
    return PW_OK;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static bool is_alone(const struct metal_edges *edges, struct point at, double radius)
{
    bool alone = true;
    for (int n = 0; n < 32 && alone; n++) {
        alone = !metal_towards(edges, at, radius, n * M_PI / 16);
    }
    return alone;
}

/* A piece of metal that stands in a cell or so by itself; its radius is that of the round post with the same field at
 * some distance: a quarter of a strip's width, 0.59 of half a square's side, a circle's own. */
static pw_status take_post(struct metal_edges *edges, const struct outline *outline, bool *taken, pw_error *error)
{
    const struct point low = in_cells(edges, outline->low), high = in_cells(edges, outline->high);
    const struct point middle = {0.5 * (low.x + high.x), 0.5 * (low.y + high.y)};
    const double size = hypot(high.x - low.x, high.y - low.y);
    *taken = size < POST && metal_edges_inside(edges, middle) && is_alone(edges, middle, 0.5 * size + 0.1);
    if (!*taken) {
        return PW_OK;
    }
    double area = 0, round = 0;
    for (int p = 0; p < outline->point_count; p++) {
        const struct point a = in_cells(edges, outline->points[p]),
                           b = in_cells(edges, outline->points[(p + 1) % outline->point_count]);
        area += 0.5 * (a.x * b.y - b.x * a.y);
        round += hypot(b.x - a.x, b.y - a.y);
    }
    const double quotient = 4 * M_PI * fabs(area) / (round * round); /* 1: a circle, 0: a strip */
    return add_post(edges, middle, round * (0.125 + (0.5 / M_PI - 0.125) * quotient * quotient), error);
}

static pw_status take_outline(struct metal_edges *edges, const struct outline *outline, bool metal, pw_error *error)
{
    bool taken = false;
    if (outline->point_count == 0) {
        return add_post(edges, in_cells(edges, outline->centre), outline->radius / edges->grid->cell, error);
    }
    if (metal) {
        TRY(take_post(edges, outline, &taken, error));
    }
    for (int p = 0; p < outline->point_count && !(metal && taken); p++) {
        TRY(add_edge(edges, in_cells(edges, outline->points[p]),
                     in_cells(edges, outline->points[(p + 1) % outline->point_count]), error));
    }
    return PW_OK;
}

/* ---- pixels ------------------------------------------------------------------------------------------------------ */

/* The sides between pixels of metal and others, along one line between two rows (or columns) of pixels. */
static pw_status take_pixel_line(struct metal_edges *edges, int axis, int line, pw_error *error)
{
    const struct floorplan *plan = edges->plan;
    const int lines = axis == 0 ? plan->pixel_rows : plan->pixel_columns,
              count = axis == 0 ? plan->pixel_columns : plan->pixel_rows;
    const ptrdiff_t columns = plan->pixel_columns, along = axis == 0 ? 1 : columns, across = axis == 0 ? columns : 1;
    const uint16_t *above = line < lines ? plan->pixels + line * across : NULL,
                   *below = line > 0 ? plan->pixels + (line - 1) * across : NULL;
    int begin = -1, kind = 0;
    for (int n = 0; n <= count; n++) {
        int now = 0;
        if (n < count && (above == NULL || below == NULL || above[n * along] != below[n * along])) {
            const bool under = below != NULL && plan->materials[below[n * along]].perfect_conductor,
                       over = above != NULL && plan->materials[above[n * along]].perfect_conductor;
            now = under == over ? 0 : under ? 1 : 2;
        }
        if (now != kind && kind != 0) {
            const double from = begin * plan->pixel, to = n * plan->pixel, at = line * plan->pixel;
            const struct point a = axis == 0 ? (struct point){from, at} : (struct point){at, from},
                               b = axis == 0 ? (struct point){to, at} : (struct point){at, to};
            TRY(add_edge(edges, in_cells(edges, a), in_cells(edges, b), error));
        }
        begin = now != kind ? n : begin;
        kind = now;
    }
    return PW_OK;
}

/* Adds rows and columns of pixels that have the material. */
static void mark_lines(const struct floorplan *plan, int material, uint8_t *rows, uint8_t *columns)
{
    const size_t count = (size_t)plan->pixel_columns;
    for (int row = 0; row < plan->pixel_rows; row++) {
        const uint16_t *pixels = plan->pixels + (size_t)row * count;
        uint8_t some = 0;
#pragma omp simd reduction(| : some)
        for (size_t column = 0; column < count; column++) {
            const uint8_t own = pixels[column] == material;
            columns[column] |= own;
            some |= own;
        }
        rows[row] |= some;
    }
}

static pw_status take_pixels(struct metal_edges *edges, pw_error *error)
{
    const struct floorplan *plan = edges->plan;
    const int counts[2] = {plan->pixel_rows, plan->pixel_columns};
    if (plan->pixels == NULL) {
        return PW_OK;
    }
    OWNED uint8_t *rows = allocate((size_t)counts[0], sizeof *rows, "the edges of metal", error);
    OWNED uint8_t *columns = allocate((size_t)counts[1], sizeof *columns, "the edges of metal", error);
    TRY_MADE(rows != NULL && columns != NULL);
    for (int m = 0; m < plan->material_count; m++) {
        if (plan->materials[m].perfect_conductor) {
            mark_lines(plan, m, rows, columns);
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        const uint8_t *marked = axis == 0 ? rows : columns;
        for (int line = 0; line <= counts[axis]; line++) { /* most have no metal on either side */
            if ((line > 0 && marked[line - 1] != 0) || (line < counts[axis] && marked[line] != 0)) {
                TRY(take_pixel_line(edges, axis, line, error));
            }
        }
    }
    return PW_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Inside of the plan, a cell from its edge: there a face runs on and has no end. */
static bool on_plan(const struct metal_edges *edges, struct point at)
{
    const struct raster_grid *grid = edges->grid;
    const double x = at.x + grid->origin.x / grid->cell, y = at.y + grid->origin.y / grid->cell;
    return x > 1 && y > 1 && x < edges->plan->width / grid->cell - 1 && y < edges->plan->height / grid->cell - 1;
}

/* Ends of edges, those near to each other as one. Corners of pixels whose sides are shorter than a cell are none: they
 * are how a picture draws a line aslant. */
static pw_status find_all_corners(struct metal_edges *edges, pw_error *error)
{
    const int64_t count = edges->edge_count;
    for (int64_t e = 0; e < count; e++) {
        const struct metal_edge *own = &edges->edges[e];
        for (int end = 0; end < 2; end++) {
            struct point at = end == 0 ? own->a : own->b, sum = at;
            int merged = 1;
            bool later = false;
            for (int64_t o = 0; o < count && !later; o++) {
                for (int other = 0; other < 2 && !later; other++) {
                    const struct point there = other == 0 ? edges->edges[o].a : edges->edges[o].b;
                    if ((o == e && other == end) || fabs(there.x - at.x) > MERGED ||
                        hypot(there.x - at.x, there.y - at.y) > MERGED) {
                        continue;
                    }
                    later = o < e || (o == e && other < end);
                    sum = (struct point){sum.x + there.x, sum.y + there.y};
                    merged++;
                }
            }
            if (!later && on_plan(edges, at)) {
                TRY(find_corners(edges, (struct point){sum.x / merged, sum.y / merged}, error));
            }
        }
    }
    return PW_OK;
}

/* Whether a shape of another material may lie over metal that was drawn before it, as a door in a wall does; `pixels`:
 * the picture has metal somewhere. */
static bool cuts_metal(const struct floorplan *plan, int shape, bool pixels)
{
    const struct outline *own = &plan->outlines[shape];
    bool cuts = pixels;
    for (int n = 0; n < shape && !cuts; n++) {
        const struct outline *before = &plan->outlines[n];
        cuts = plan->materials[plan->shape_material[n]].perfect_conductor && before->low.x < own->high.x &&
               own->low.x < before->high.x && before->low.y < own->high.y && own->low.y < before->high.y;
    }
    return cuts;
}

pw_status metal_edges_create(const struct floorplan *plan, const struct raster_grid *grid, struct metal_edges *edges,
                             pw_error *error)
{
    *edges = (struct metal_edges){.plan = plan, .grid = grid};
    TRY(take_pixels(edges, error));
    const bool pixels = edges->edge_count > 0;
    for (int n = 0; n < plan->shape_count; n++) {
        const bool metal = plan->materials[plan->shape_material[n]].perfect_conductor;
        if (metal || cuts_metal(plan, n, pixels)) {
            TRY(take_outline(edges, &plan->outlines[n], metal, error));
        }
    }
    return find_all_corners(edges, error);
}
