/* Straight walls of shapes (wall_pieces.h). Every wall meets every opening that is drawn after it. */
#include "export/wall_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHORTEST = 1e-6; /* m: what is less is nothing */

void wall_pieces_free(struct wall_pieces *walls)
{
    free(walls->pieces);
    *walls = (struct wall_pieces){0};
}

static pw_status piece_add(struct wall_pieces *walls, const struct wall_piece *piece, pw_error *error)
{
    double length = hypot(piece->to.x - piece->from.x, piece->to.y - piece->from.y);
    if (length < SHORTEST || (!piece->whole && piece->high - piece->low < SHORTEST)) {
        return PW_OK;
    }
    TRY(array_grow(&walls->pieces, &walls->room, walls->count, sizeof *walls->pieces, "walls", error));
    walls->pieces[walls->count++] = *piece;
    return PW_OK;
}

static struct point middle_of(struct point a, struct point b)
{
    return (struct point){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

/* The centre line of a rectangle, whichever way it stands, along its longer sides, or of a wall along its own. False
 * for other shapes. */
static bool centre_line(const struct exported_shape *shape, struct wall_piece *piece)
{
    const pw_shape *own = &shape->shape;
    if (own->kind == PW_SHAPE_WALL) {
        piece->from = (struct point){own->line[0], own->line[1]};
        piece->to = (struct point){own->line[2], own->line[3]};
        piece->thickness = own->thickness;
        return true;
    }
    if (own->corner_count != 4) {
        return false;
    }
    const struct point c[] = {corner_of(own, 0), corner_of(own, 1), corner_of(own, 2), corner_of(own, 3)};
    double ax = c[1].x - c[0].x, ay = c[1].y - c[0].y, bx = c[2].x - c[1].x, by = c[2].y - c[1].y;
    double a = hypot(ax, ay), b = hypot(bx, by);
    double skew = hypot(c[0].x + c[2].x - c[1].x - c[3].x, c[0].y + c[2].y - c[1].y - c[3].y);
    if (skew > SHORTEST || fabs(ax * bx + ay * by) > SHORTEST * fmax(a, b)) {
        return false;
    }
    piece->thickness = fmin(a, b);
    piece->from = a >= b ? middle_of(c[0], c[3]) : middle_of(c[0], c[1]);
    piece->to = a >= b ? middle_of(c[1], c[2]) : middle_of(c[3], c[2]);
    return true;
}

/* ---- openings ---- */

static struct point point_along(const struct wall_piece *piece, double share)
{
    return (struct point){piece->from.x + share * (piece->to.x - piece->from.x),
                          piece->from.y + share * (piece->to.y - piece->from.y)};
}

/* Where the centre line meets the sides of an outline, as shares of it in rising order, its ends included. */
static size_t crossings_find(const struct wall_piece *piece, const pw_shape *opening, double *shares)
{
    double dx = piece->to.x - piece->from.x, dy = piece->to.y - piece->from.y;
    size_t found = 0;
    shares[found++] = 0;
    shares[found++] = 1;
    for (int c = 0; c < opening->corner_count; c++) {
        struct point a = corner_of(opening, c), b = corner_of(opening, (c + 1) % opening->corner_count);
        double ex = b.x - a.x, ey = b.y - a.y, area = dx * ey - dy * ex;
        double share = ((a.x - piece->from.x) * ey - (a.y - piece->from.y) * ex) / area;
        double along = ((a.x - piece->from.x) * dy - (a.y - piece->from.y) * dx) / area;
        if (share > 0 && share < 1 && along >= 0 && along <= 1) { /* none of it for parallels, which divide by 0 */
            shares[found++] = share;
        }
    }
    qsort(shares, found, sizeof *shares, pw_number_order);
    return found;
}

/* What is left of a piece over and under an opening. What fills the opening is a wall of its own. */
static pw_status piece_open(struct wall_pieces *walls, const struct wall_piece *piece, const struct storey_part *part,
                            double ceiling, pw_error *error)
{
    double low = piece->whole ? 0 : piece->low, high = piece->whole ? ceiling : piece->high;
    double from = fmax(part->low, low), to = fmin(part->high, high);
    if (part->whole) {
        return PW_OK;
    }
    if (to - from < SHORTEST) {
        return piece_add(walls, piece, error); /* it passes over or under */
    }
    struct wall_piece under = *piece, over = *piece;
    under.whole = over.whole = false;
    under.low = low;
    under.high = from;
    over.low = to;
    over.high = high;
    TRY(piece_add(walls, &under, error));
    return piece_add(walls, &over, error);
}

/* Whether a point lies in a shape, by the even-odd rule. */
static bool shape_holds(const pw_shape *shape, double x, double y)
{
    bool inside = false;
    for (int n = 0; n < shape->corner_count; n++) {
        struct point a = corner_of(shape, n), b = corner_of(shape, (n + 1) % shape->corner_count);
        if ((a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)) {
            inside = !inside;
        }
    }
    return inside;
}

/* Whether an opening reaches through the wall at a point of its centre line; a pane within a thicker wall does not. */
static bool opens_at(const pw_shape *opening, const struct wall_piece *piece, struct point middle)
{
    double dx = piece->to.x - piece->from.x, dy = piece->to.y - piece->from.y, length = hypot(dx, dy);
    double x = -dy / length * 0.45 * piece->thickness, y = dx / length * 0.45 * piece->thickness;
    return shape_holds(opening, middle.x, middle.y) && shape_holds(opening, middle.x + x, middle.y + y) &&
           shape_holds(opening, middle.x - x, middle.y - y);
}

/* Adds a piece, cut by one opening. */
static pw_status piece_cut(struct wall_pieces *walls, const struct wall_piece *piece, const struct storey_part *part,
                           double ceiling, const struct exported_shape *opening, pw_error *error)
{
    OWNED double *shares =
        allocate((size_t)opening->shape.corner_count + 2, sizeof *shares, "crossings of a wall", error);
    TRY_MADE(shares);
    size_t found = crossings_find(piece, &opening->shape, shares);
    for (size_t n = 1; n < found; n++) {
        struct wall_piece span = *piece;
        struct point middle = point_along(piece, (shares[n - 1] + shares[n]) / 2);
        span.from = point_along(piece, shares[n - 1]);
        span.to = point_along(piece, shares[n]);
        TRY(opens_at(&opening->shape, piece, middle) ? piece_open(walls, &span, part, ceiling, error)
                                                     : piece_add(walls, &span, error));
    }
    return PW_OK;
}

static bool boxes_meet(const struct exported_shape *a, const struct exported_shape *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y;
}

/* A wall with all openings that are drawn after it. */
static pw_status wall_add(const struct exported_plan *plan, size_t index, int storey, const struct wall_piece *whole,
                          struct wall_pieces *walls, pw_error *error)
{
    double ceiling = plan->facts.storey_count > 0 ? pw_scenario_describe_storey(plan->whole, storey).height : HUGE_VAL;
    struct wall_pieces pieces = {0};
    pw_status status = piece_add(&pieces, whole, error);
    for (size_t s = index + 1; status == PW_OK && s < plan->count; s++) {
        const struct exported_shape *opening = &plan->shapes[s];
        struct storey_part part;
        if (!opening->opening || !boxes_meet(opening, &plan->shapes[index]) ||
            !storey_part_of(plan, &opening->shape, storey, &part)) {
            continue;
        }
        struct wall_pieces cut = {0};
        for (size_t p = 0; status == PW_OK && p < pieces.count; p++) {
            status = piece_cut(&cut, &pieces.pieces[p], &part, ceiling, opening, error);
        }
        wall_pieces_free(&pieces);
        pieces = cut;
    }
    for (size_t p = 0; status == PW_OK && p < pieces.count; p++) {
        status = piece_add(walls, &pieces.pieces[p], error);
    }
    wall_pieces_free(&pieces);
    return status;
}

pw_status wall_pieces_make(const struct exported_plan *plan, int storey, struct wall_pieces *walls, pw_error *error)
{
    for (size_t s = 0; s < plan->count; s++) {
        const struct exported_shape *shape = &plan->shapes[s];
        struct storey_part part;
        if (shape->shape.air || !storey_part_of(plan, &shape->shape, storey, &part)) {
            continue;
        }
        struct wall_piece piece = {.low = part.low, .high = part.high, .whole = part.whole, .material = shape};
        if (!centre_line(shape, &piece)) {
            walls->others++;
            continue;
        }
        TRY(wall_add(plan, s, storey, &piece, walls, error));
    }
    return PW_OK;
}
