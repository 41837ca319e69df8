/* Erasing (api/plan/edit.h): a shape of the plan is taken out; over a wall of the plan's picture, whose pixels are in a
 * file, a rectangle of air is laid that reaches from one junction or end of the wall to the next. */
#include "api/plan/edit.h"
#include "plan/plan_cut.h"
#include "plan/plan_edit.h"

#include <stdio.h>
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

/* ---- pictures ---- */

/* Pixels of one material in a row or a column, both ends included. */
struct stretch {
    int first, last;
};

/* The pixel at `along` on an axis and `across` on the other. */
static uint16_t pixel_at(const struct floorplan *plan, bool upright, int along, int across)
{
    size_t row = (size_t)(upright ? along : across), column = (size_t)(upright ? across : along);
    return plan->pixels[row * (size_t)plan->pixel_columns + column];
}

/* The stretch through (along, across) in the direction of `upright`. */
static struct stretch stretch_find(const struct floorplan *plan, bool upright, int along, int across)
{
    int last = (upright ? plan->pixel_rows : plan->pixel_columns) - 1;
    uint16_t material = pixel_at(plan, upright, along, across);
    struct stretch found = {along, along};
    while (found.first > 0 && pixel_at(plan, upright, found.first - 1, across) == material) {
        found.first--;
    }
    while (found.last < last && pixel_at(plan, upright, found.last + 1, across) == material) {
        found.last++;
    }
    return found;
}

static int length(struct stretch stretch)
{
    return stretch.last - stretch.first + 1;
}

/* How far along the wall is as thick as at the point, within a half: to junctions and ends. */
static struct stretch piece_find(const struct floorplan *plan, bool upright, int along, int across, int thickness)
{
    struct stretch whole = stretch_find(plan, upright, along, across), piece = {along, along};
    int most = thickness + thickness / 2 + 1;
    while (piece.first > whole.first && length(stretch_find(plan, !upright, across, piece.first - 1)) <= most) {
        piece.first--;
    }
    while (piece.last < whole.last && length(stretch_find(plan, !upright, across, piece.last + 1)) <= most) {
        piece.last++;
    }
    return piece;
}

static pw_status air_lay(struct scenario *scenario, const struct floorplan *plan, struct stretch x, struct stretch y,
                         pw_error *error)
{
    struct shape air = {.kind = SHAPE_RECTANGLE, .storey = EVERY_STOREY, .point_count = 2};
    snprintf(air.material.name, sizeof air.material.name, "air");
    air.points = allocate(2, sizeof *air.points, "a shape", error);
    TRY_MADE(air.points);
    air.points[0] = (struct point){x.first * plan->pixel, y.first * plan->pixel};
    air.points[1] = (struct point){(x.last + 1) * plan->pixel, (y.last + 1) * plan->pixel};
    return shape_add(&scenario->plan, &air, error);
}

static pw_status picture_erase(struct scenario *scenario, const struct floorplan *plan, struct point at,
                               pw_error *error)
{
    int column = (int)(at.x / plan->pixel), row = (int)(at.y / plan->pixel);
    column = column < plan->pixel_columns ? column : plan->pixel_columns - 1;
    row = row < plan->pixel_rows ? row : plan->pixel_rows - 1;
    if (material_is_air(&plan->materials[pixel_at(plan, false, column, row)])) {
        return fail(error, PW_BAD_INPUT, "nothing is there to erase");
    }
    struct stretch x = stretch_find(plan, false, column, row), y = stretch_find(plan, true, row, column);
    if (length(x) >= length(y)) {
        x = piece_find(plan, false, column, row, length(y));
    } else {
        y = piece_find(plan, true, row, column, length(x));
    }
    return air_lay(scenario, plan, x, y, error);
}

pw_status pw_scenario_erase(pw_scenario *scenario, const pw_floorplan *plan, double x, double y, pw_error *error)
{
    int found;
    if (!(x >= 0 && y >= 0 && x <= plan->width && y <= plan->height)) {
        return fail(error, PW_BAD_INPUT, "(%.3f, %.3f) m is not on the plan", x, y);
    }
    TRY(shape_find(scenario, (struct point){x, y}, &found, error));
    if (found >= 0) {
        shape_remove(&scenario->plan, found);
        return PW_OK;
    }
    return plan->pixels != NULL ? picture_erase(scenario, plan, (struct point){x, y}, error)
                                : fail(error, PW_BAD_INPUT, "nothing is there to erase");
}
