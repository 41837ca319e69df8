/* What is thinner than pictures can show, as lines (api/plan/plan.h): a pane between two nodes of a grid is on none. */
#include "api/plan/plan.h"
#include "scenario/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 4, LOOKS = 4096 /* along one line */ };

struct thin_list {
    const struct plan_choice *plan;
    double height; /* m; NAN: of a plan without heights */
    pw_thin_line *lines;
    size_t count, room;
};

/* ---- shapes ---- */

/* The corners of a shape: its own, or in `made` those of a wall or between two corners. A circle has none. */
static const struct point *corners_of(const struct shape *shape, struct point made[CORNERS], int *count)
{
    const struct point *at = shape->points;
    *count = shape->kind == SHAPE_CIRCLE ? 0 : CORNERS;
    if (shape->kind == SHAPE_WALL) {
        const double dx = at[1].x - at[0].x, dy = at[1].y - at[0].y, half = 0.5 * shape->thickness / hypot(dx, dy);
        memcpy(made,
               (struct point[]){{at[0].x - half * dy, at[0].y + half * dx},
                                {at[1].x - half * dy, at[1].y + half * dx},
                                {at[1].x + half * dy, at[1].y - half * dx},
                                {at[0].x + half * dy, at[0].y - half * dx}},
               CORNERS * sizeof *made);
    } else if (shape->kind == SHAPE_POLYGON || shape->kind == SHAPE_DRAWN) {
        *count = shape->point_count;
        return shape->points;
    } else if (*count > 0) {
        memcpy(made, (struct point[]){at[0], {at[1].x, at[0].y}, at[1], {at[0].x, at[1].y}}, CORNERS * sizeof *made);
    }
    return made;
}

static bool covers(const struct shape *shape, double x, double y)
{
    struct point made[CORNERS];
    int count;
    bool in = false;
    if (shape->kind == SHAPE_CIRCLE) {
        return hypot(x - shape->points[0].x, y - shape->points[0].y) < shape->radius;
    }
    const struct point *at = corners_of(shape, made, &count);
    for (int a = 0, b = count - 1; a < count; b = a++) {
        if ((at[a].y > y) != (at[b].y > y) && x < at[a].x + (y - at[a].y) / (at[b].y - at[a].y) * (at[b].x - at[a].x)) {
            in = !in;
        }
    }
    return in;
}

static bool is_met(const struct thin_list *list, const struct shape *shape)
{
    const struct height_range range = shape_heights(list->plan, shape);
    return list->plan->storey_count == 0 || isnan(list->height) ||
           (list->height >= range.low && list->height < range.high);
}

static bool is_air(const struct material_choice *material)
{
    return material->own_values ? material->relative_permittivity == 1 && material->conductivity == 0 &&
                                      material->pole_count == 0 && !material->perfect_conductor
                                : strcmp(material->name, "air") == 0;
}

/* Twice the area over the perimeter: what a long shape is thick, and no shape is thicker than twice that. */
static double thickness_of(const struct shape *shape)
{
    struct point made[CORNERS];
    int count;
    double area = 0, perimeter = 0;
    const struct point *at = corners_of(shape, made, &count);
    for (int a = 0, b = count - 1; a < count; b = a++) {
        area += 0.5 * (at[b].x * at[a].y - at[a].x * at[b].y);
        perimeter += hypot(at[a].x - at[b].x, at[a].y - at[b].y);
    }
    return shape->kind == SHAPE_WALL ? shape->thickness : perimeter > 0 ? 2 * fabs(area) / perimeter : INFINITY;
}

/* ---- lines ---- */

static bool is_seen(const struct thin_list *list, int shape, double x, double y)
{
    bool seen = true;
    for (int s = shape + 1; s < list->plan->shape_count && seen; s++) {
        seen = !(covers(&list->plan->shapes[s], x, y) && is_met(list, &list->plan->shapes[s]));
    }
    return seen;
}

static pw_status line_keep(struct thin_list *list, int shape, struct point from, struct point to, pw_error *error)
{
    const struct material_choice *material = &list->plan->shapes[shape].material;
    TRY(array_grow(&list->lines, &list->room, list->count, sizeof *list->lines, "thin walls of a plan", error));
    list->lines[list->count++] =
        (pw_thin_line){from.x, from.y,         to.x,
                       to.y,   material->name, material->perfect_conductor || strcmp(material->name, "metal") == 0};
    return PW_OK;
}

/* The parts of a line over which nothing lies that was drawn later, such as an opening. */
static pw_status line_take(struct thin_list *list, int shape, struct point from, struct point to, double step,
                           pw_error *error)
{
    const int looks = (int)fmin(fmax(ceil(hypot(to.x - from.x, to.y - from.y) / step), 1), LOOKS);
    struct point begin = from, here = from;
    bool was = false;
    for (int n = 0; n <= looks; n++) {
        const double part = (n + 0.5) / looks;
        const bool seen =
            n < looks && is_seen(list, shape, from.x + part * (to.x - from.x), from.y + part * (to.y - from.y));
        here =
            (struct point){from.x + (double)n / looks * (to.x - from.x), from.y + (double)n / looks * (to.y - from.y)};
        if (was && !seen) {
            TRY(line_keep(list, shape, begin, here, error));
        }
        begin = seen && !was ? here : begin;
        was = seen;
    }
    return PW_OK;
}

static struct point middle_of(struct point a, struct point b)
{
    return (struct point){0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
}

/* Of four corners the line between the two short sides, of more the outline. */
static pw_status shape_take(struct thin_list *list, int shape, double step, pw_error *error)
{
    struct point made[CORNERS];
    int count;
    const struct point *at = corners_of(&list->plan->shapes[shape], made, &count);
    if (count == CORNERS) {
        const bool first = hypot(at[1].x - at[0].x, at[1].y - at[0].y) < hypot(at[2].x - at[1].x, at[2].y - at[1].y);
        return first ? line_take(list, shape, middle_of(at[0], at[1]), middle_of(at[2], at[3]), step, error)
                     : line_take(list, shape, middle_of(at[1], at[2]), middle_of(at[3], at[0]), step, error);
    }
    for (int a = 0, b = count - 1; a < count; b = a++) {
        TRY(line_take(list, shape, at[b], at[a], step, error));
    }
    return PW_OK;
}

pw_status pw_scenario_thin_lines(const pw_scenario *scenario, double most, double height, pw_thin_line **lines,
                                 size_t *count, pw_error *error)
{
    struct thin_list list = {.plan = &scenario->plan, .height = height};
    pw_status status = PW_OK;
    if (isnan(height)) { /* where a run in two dimensions cuts the plan */
        list.height = isnan(scenario->plan.cut) ? scenario->transmitters[0].height : scenario->plan.cut;
    }
    for (int s = 0; s < scenario->plan.shape_count && status == PW_OK; s++) {
        const struct shape *shape = &scenario->plan.shapes[s];
        if (!is_air(&shape->material) && is_met(&list, shape) && thickness_of(shape) < most) {
            status = shape_take(&list, s, 0.25 * most, error);
        }
    }
    if (status != PW_OK) {
        free(list.lines);
        list = (struct thin_list){0};
    }
    *lines = list.lines;
    *count = list.count;
    return status;
}
