/* A wall of another thickness (wall_thickness.h). Without this a wall that grows would stand as a sliver before its own
 * doors, and one that shrinks would part from the walls that met its face. Leaves out shapes that are no walls: what a
 * rectangle or a polygon should do then is not known. */
#include "run/study/wall_thickness.h"

#include <math.h>

static const double TOUCH = 1e-3; /* m: closer than this, two faces are the same */

/* A wall along x or y, which reaches over `from` to `to`, and its two faces before and after. */
struct band {
    double from, to;
    double face[2], new_face[2];
    bool along_y;
};

static double *coordinate(struct point *point, bool y)
{
    return y ? &point->y : &point->x;
}

/* The centre line stays, but for a wall that touches the edge of the plan, and so continues through it: there the other
 * face alone moves. */
static void faces_place(const struct plan_choice *plan, double across, double before, double after, struct band *band)
{
    double size = band->along_y ? plan->width : plan->height, grown = (after - before) / 2;
    for (int side = 0; side < 2; side++) {
        band->face[side] = across + (side == 0 ? -before : before) / 2;
        band->new_face[side] = band->face[side] + (side == 0 ? -grown : grown);
    }
    bool low = band->face[0] <= TOUCH, high = size > 0 && band->face[1] >= size - TOUCH;
    if (low != high) {
        double moved = low ? grown : -grown;
        band->new_face[0] += moved;
        band->new_face[1] += moved;
    }
}

/* False for a wall that is tilted. */
static bool band_of(const struct plan_choice *plan, const struct shape *wall, double thickness, struct band *band)
{
    struct point a = wall->points[0], b = wall->points[1];
    bool along_x = fabs(a.y - b.y) <= 1e-9, along_y = fabs(a.x - b.x) <= 1e-9;
    *band = (struct band){.along_y = along_y};
    band->from = along_y ? fmin(a.y, b.y) : fmin(a.x, b.x);
    band->to = along_y ? fmax(a.y, b.y) : fmax(a.x, b.x);
    faces_place(plan, along_y ? a.x : a.y, wall->thickness, thickness, band);
    return along_x || along_y;
}

/* Moves a face of an opening: one that lay in the wall's face follows it, another moves when the wall would stand
 * before it. */
static void face_follow(double *face, const struct band *band, int side)
{
    double beyond = band->new_face[side] - *face;
    if (fabs(*face - band->face[side]) <= TOUCH || (side == 0 ? beyond < 0 : beyond > 0)) {
        *face = band->new_face[side];
    }
}

static void opening_follow(struct shape *opening, const struct band *band)
{
    struct point *a = &opening->points[0], *b = &opening->points[1];
    double *low = coordinate(a, !band->along_y), *high = coordinate(b, !band->along_y);
    if (*low > *high) {
        double *lower = high;
        high = low;
        low = lower;
    }
    double from = *coordinate(a, band->along_y), to = *coordinate(b, band->along_y);
    bool beside = fmax(from, to) <= band->from || fmin(from, to) >= band->to;
    bool through = *low <= band->face[0] + TOUCH && *high >= band->face[1] - TOUCH;
    if (!beside && through) {
        face_follow(low, band, 0);
        face_follow(high, band, 1);
    }
}

/* An end of another wall that lay in a face of this one. */
static void end_follow(struct point *end, const struct band *band)
{
    double along = *coordinate(end, band->along_y), *across = coordinate(end, !band->along_y);
    for (int side = 0; along >= band->from - TOUCH && along <= band->to + TOUCH && side < 2; side++) {
        if (fabs(*across - band->face[side]) <= TOUCH) {
            *across = band->new_face[side];
            return;
        }
    }
}

/* Whether an opening lies, with its middle, in a tilted wall. */
static bool is_in_tilted(const struct shape *opening, const struct shape *wall)
{
    struct point a = wall->points[0], b = wall->points[1];
    double x = (opening->points[0].x + opening->points[1].x) / 2 - a.x;
    double y = (opening->points[0].y + opening->points[1].y) / 2 - a.y;
    double length = hypot(b.x - a.x, b.y - a.y);
    double along = (x * (b.x - a.x) + y * (b.y - a.y)) / length, off = (x * (b.y - a.y) - y * (b.x - a.x)) / length;
    return along >= 0 && along <= length && fabs(off) <= wall->thickness / 2;
}

static bool share_storey(const struct shape *a, const struct shape *b)
{
    return a->storey == b->storey || a->storey == EVERY_STOREY || b->storey == EVERY_STOREY;
}

pw_status wall_set_thickness(struct plan_choice *plan, int index, double thickness, const char *file, pw_error *error)
{
    struct shape *wall = &plan->shapes[index];
    struct band band;
    bool level = band_of(plan, wall, thickness, &band);
    for (int n = 0; n < plan->shape_count; n++) {
        struct shape *other = &plan->shapes[n];
        if (n == index || !share_storey(wall, other)) {
            continue;
        }
        if (other->kind == SHAPE_OPENING && level) {
            opening_follow(other, &band);
        } else if (other->kind == SHAPE_OPENING && is_in_tilted(other, wall)) {
            return fail(error, PW_BAD_INPUT,
                        "%s:%d: this wall runs neither along x nor along y, and the opening of line %d lies in it: its "
                        "thickness cannot be varied",
                        file, wall->line, other->line);
        } else if (other->kind == SHAPE_WALL && level) {
            end_follow(&other->points[0], &band);
            end_follow(&other->points[1], &band);
        }
    }
    if (level) {
        for (int p = 0; p < 2; p++) {
            *coordinate(&wall->points[p], !band.along_y) = (band.new_face[0] + band.new_face[1]) / 2;
        }
    }
    wall->thickness = thickness;
    return PW_OK;
}
