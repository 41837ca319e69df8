/* Changes of what stands at a point (api/plan/edit.h). A shape of the plan is changed or taken out itself. Over a piece
 * of a net of walls, and of a picture's walls, whose pixels are in a file, another wall is laid. */
#include "api/plan/edit.h"
#include "plan/edit/plan_edit.h"
#include "plan/edit/plan_piece.h"
#include "plan/plan_cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether a shape is met at the height of the plan's cut. */
static bool shape_at(const struct plan_choice *plan, const struct shape *shape, double cut)
{
    if (plan->storey_count == 0) {
        return true;
    }
    struct height_range z = shape_heights(plan, shape);
    return z.low <= cut && cut < z.high;
}

/* The uppermost shape at a point, which is the last one drawn; -1: none. */
static pw_status shape_find(const struct scenario *scenario, struct point at, int *found, pw_error *error)
{
    double cut = 0;
    TRY(floorplan_cut_height(scenario, &cut, error));
    *found = -1;
    for (int n = scenario->plan.shape_count - 1; n >= 0 && *found < 0; n--) {
        const struct shape *shape = &scenario->plan.shapes[n];
        struct outline outline = {0};
        if (shape_at(&scenario->plan, shape, cut)) {
            TRY(outline_create(scenario->file, shape, &outline, error));
            *found = outline_contains(&outline, at.x, at.y) ? n : -1;
            outline_free(&outline);
        }
    }
    return PW_OK;
}

static void shape_remove(struct plan_choice *plan, int index)
{
    free(plan->shapes[index].points);
    plan->shape_count--;
    memmove(&plan->shapes[index], &plan->shapes[index + 1], (size_t)(plan->shape_count - index) * sizeof *plan->shapes);
}

/* ---- what stands there ---- */

/* A polygon that is so much of a piece of wall is that piece; of a net of walls one piece is less. */
static const double WHOLE_PART = 0.8;

static double polygon_area(const struct shape *shape)
{
    double twice = 0;
    for (int n = 0; n < shape->point_count; n++) {
        const struct point a = shape->points[n], b = shape->points[(n + 1) % shape->point_count];
        twice += a.x * b.y - b.x * a.y;
    }
    return 0.5 * fabs(twice);
}

static double piece_area(const struct wall_piece *piece)
{
    return piece->thickness * hypot(piece->to.x - piece->from.x, piece->to.y - piece->from.y);
}

/* The box around points as a wall: its longer side is its line. */
static struct wall_piece points_piece(const struct point *points, int count)
{
    struct point low = points[0], high = points[0];
    for (int n = 1; n < count; n++) {
        low = (struct point){fmin(low.x, points[n].x), fmin(low.y, points[n].y)};
        high = (struct point){fmax(high.x, points[n].x), fmax(high.y, points[n].y)};
    }
    const struct point middle = {0.5 * (low.x + high.x), 0.5 * (low.y + high.y)};
    return high.x - low.x >= high.y - low.y
               ? (struct wall_piece){{low.x, middle.y}, {high.x, middle.y}, high.y - low.y}
               : (struct wall_piece){{middle.x, low.y}, {middle.x, high.y}, high.x - low.x};
}

/* The wall at a point, and the shape that it is; -1: it is a piece of something larger. */
struct found_wall {
    int shape;
    struct wall_piece piece;
};

static struct wall_piece shape_piece(const struct shape *shape)
{
    const struct point *points = shape->points;
    switch (shape->kind) {
    case SHAPE_WALL:
        return (struct wall_piece){points[0], points[1], shape->thickness};
    case SHAPE_CIRCLE:
        return (struct wall_piece){
            {points[0].x - shape->radius, points[0].y}, {points[0].x + shape->radius, points[0].y}, 2 * shape->radius};
    default:
        return points_piece(points, shape->point_count);
    }
}

static pw_status wall_find(const struct scenario *scenario, const struct floorplan *plan, struct point at,
                           struct found_wall *found, pw_error *error)
{
    FAIL_IF(!(at.x >= 0 && at.y >= 0 && at.x <= plan->width && at.y <= plan->height), error, PW_BAD_INPUT,
            "(%.3f, %.3f) m is not on the plan", at.x, at.y);
    TRY(shape_find(scenario, at, &found->shape, error));
    const struct shape *shape = found->shape >= 0 ? &scenario->plan.shapes[found->shape] : NULL;
    if (shape != NULL && shape->kind != SHAPE_POLYGON && shape->kind != SHAPE_DRAWN) {
        found->piece = shape_piece(shape);
        return PW_OK;
    }
    if (material_is_air(&plan->materials[floorplan_material_at(plan, at.x, at.y)])) {
        FAIL_IF(shape == NULL, error, PW_BAD_INPUT, "no wall is there");
        found->piece = points_piece(shape->points, shape->point_count);
        return PW_OK;
    }
    found->piece = wall_piece_at(plan, at);
    if (shape != NULL && piece_area(&found->piece) < WHOLE_PART * polygon_area(shape)) {
        found->shape = -1;
    }
    return PW_OK;
}

/* The nearest point within `near` that is not air; else the point itself. */
static struct point wall_near(const struct floorplan *plan, struct point at, double near)
{
    enum { RINGS = 8, WAYS = 16 };
    for (int ring = 0; ring <= RINGS; ring++) {
        for (int way = 0; way < (ring > 0 ? WAYS : 1); way++) {
            const double angle = 2 * M_PI * way / WAYS, far = near * ring / RINGS;
            const struct point look = {at.x + far * cos(angle), at.y + far * sin(angle)};
            if (!material_is_air(&plan->materials[floorplan_material_at(plan, look.x, look.y)])) {
                return look;
            }
        }
    }
    return at;
}

pw_status pw_scenario_find_wall(const pw_scenario *scenario, const pw_floorplan *plan, double x, double y, double near,
                                pw_wall_piece *piece, pw_error *error)
{
    struct found_wall found = {.shape = -1};
    const struct point at = wall_near(plan, (struct point){x, y}, near);
    TRY(wall_find(scenario, plan, at, &found, error));
    const struct wall_piece *own = &found.piece;
    *piece = (pw_wall_piece){at.x,
                             at.y,
                             {own->from.x, own->from.y, own->to.x, own->to.y},
                             own->thickness,
                             plan->materials[floorplan_material_at(plan, at.x, at.y)].name};
    return PW_OK;
}

/* ---- changing it ---- */

static pw_status piece_lay(struct scenario *scenario, const struct wall_piece *piece, const char *material,
                           pw_error *error)
{
    const double line[] = {piece->from.x, piece->from.y, piece->to.x, piece->to.y};
    return pw_scenario_add_wall(scenario, line, piece->thickness, material, error);
}

pw_status pw_scenario_erase(pw_scenario *scenario, const pw_floorplan *plan, double x, double y, pw_error *error)
{
    struct found_wall found;
    TRY(wall_find(scenario, plan, (struct point){x, y}, &found, error));
    if (found.shape < 0) {
        return piece_lay(scenario, &found.piece, "air", error);
    }
    shape_remove(&scenario->plan, found.shape);
    return PW_OK;
}

pw_status pw_scenario_set_wall(pw_scenario *scenario, const pw_floorplan *plan, double x, double y,
                               const char *material, pw_error *error)
{
    struct found_wall found;
    struct material_choice chosen;
    TRY(wall_find(scenario, plan, (struct point){x, y}, &found, error));
    TRY(plan_material_find(&scenario->plan, material, &chosen, error));
    if (found.shape < 0) {
        return piece_lay(scenario, &found.piece, material, error);
    }
    scenario->plan.shapes[found.shape].material = chosen;
    return PW_OK;
}

/* The part of a piece that is `width` wide about a point, as far as the piece reaches. */
static struct wall_piece piece_part(const struct wall_piece *piece, struct point at, double width)
{
    const double dx = piece->to.x - piece->from.x, dy = piece->to.y - piece->from.y, length = hypot(dx, dy),
                 middle = ((at.x - piece->from.x) * dx + (at.y - piece->from.y) * dy) / length,
                 low = fmax(fmin(middle - 0.5 * width, length - width), 0), high = fmin(low + width, length);
    const struct point way = {dx / length, dy / length}, from = piece->from;
    return (struct wall_piece){
        {from.x + low * way.x, from.y + low * way.y}, {from.x + high * way.x, from.y + high * way.y}, piece->thickness};
}

pw_status pw_scenario_put_opening(pw_scenario *scenario, const pw_floorplan *plan, double x, double y, double width,
                                  double thickness, const char *material, pw_error *error)
{
    struct found_wall found;
    TRY(wall_find(scenario, plan, (struct point){x, y}, &found, error));
    FAIL_IF(material_is_air(&plan->materials[floorplan_material_at(plan, x, y)]), error, PW_BAD_INPUT,
            "there is an opening already");
    struct wall_piece part = piece_part(&found.piece, (struct point){x, y}, width);
    TRY(piece_lay(scenario, &part, "air", error));
    part.thickness = fmin(thickness, part.thickness);
    return strcmp(material, "air") == 0 ? PW_OK : piece_lay(scenario, &part, material, error);
}
