/* Floor plans at a height: what of picture, shapes and slabs is met there (plan_cut.h). The looking at pictures
 * and materials is for plan_parts.c. */
#include "plan/plan_cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* m: positions that differ by less are the same point, so that rounding decides nothing at a face. */
static const double SAME_PLACE = 1e-9;

enum { NOTHING = 65535 }; /* where a picture has nothing at a height, so that a slab shows; no index of a material */

/* m over the lowest floor: where a plan is cut when neither it nor the first transmitter says. */
static const double USUAL_CUT = 1.2;

/* ---- pixels ---- */

/* What entry e of the legend is at height z: the last of its layers that is met. Plain air is nothing, so that it does
 * not cut the slabs. */
static uint16_t entry_at(const struct plan_parts *parts, int e, double z)
{
    const struct plan_choice *choice = &parts->scenario->plan;
    uint16_t found = NOTHING;
    if (choice->storey_count == 0) {
        return parts->entry_material[e];
    }
    do {
        const struct legend_entry *entry = &choice->legend[e];
        struct height_range range = legend_heights(choice, entry);
        if (height_meets(choice, &range, z) && (range.has_heights || parts->entry_material[e] != 0)) {
            found = parts->entry_material[e];
        }
        e++;
    } while (e < choice->legend_count && choice->legend[e].upper);
    return found;
}

/* What shows where a picture has nothing: the slab, where there is one. */
struct ground {
    const struct slab_choice *slab; /* NULL: air */
    uint16_t material;
    double pixel; /* m */
};

static uint16_t ground_at(const struct ground *ground, int row, int column)
{
    const struct slab_choice *slab = ground->slab;
    double x = (column + 0.5) * ground->pixel, y = (row + 0.5) * ground->pixel;
    bool beside = slab == NULL ||
                  (slab->has_area && (x < slab->from.x || x >= slab->to.x || y < slab->from.y || y >= slab->to.y));
    return beside ? 0 : ground->material;
}

/* Copies the pixels, and those of two materials, of the parts; `met` (legend_count) is what each entry is. */
static void pixels_fill(const struct plan_parts *parts, const uint16_t *met, const struct ground *ground,
                        struct floorplan *plan)
{
    const struct floorplan *base = &parts->base;
    size_t p = 0;
    for (int row = 0; row < base->pixel_rows; row++) {
        for (int column = 0; column < base->pixel_columns; column++, p++) {
            uint16_t material = parts->pixels_are_entries ? met[base->pixels[p]] : base->pixels[p];
            plan->pixels[p] = material == NOTHING ? ground_at(ground, row, column) : material;
        }
        for (size_t m = base->mixed.start != NULL ? base->mixed.start[row] : 0;
             base->mixed.start != NULL && m < base->mixed.start[row + 1]; m++) {
            struct mixed_pixel *mixed = &plan->mixed.list[m];
            *mixed = base->mixed.list[m];
            mixed->other = met[mixed->other] == NOTHING ? ground_at(ground, row, mixed->column) : met[mixed->other];
        }
    }
}

static pw_status mixed_allocate(const struct mixed_pixels *from, int rows, struct mixed_pixels *to, pw_error *error)
{
    if (from->start == NULL) {
        return PW_OK;
    }
    to->list = allocate(from->count, sizeof *to->list, "the edges of the plan", error);
    to->start = allocate((size_t)rows + 1, sizeof *to->start, "the rows of the plan", error);
    TRY_MADE(to->list != NULL && to->start != NULL);
    memcpy(to->start, from->start, ((size_t)rows + 1) * sizeof *to->start);
    to->count = to->capacity = from->count;
    return PW_OK;
}

static pw_status pixels_create(const struct plan_parts *parts, double z, struct floorplan *plan, pw_error *error)
{
    const struct floorplan *base = &parts->base;
    const struct plan_choice *choice = &parts->scenario->plan;
    if (base->pixels == NULL) {
        return PW_OK;
    }
    int slab = 0;
    struct ground ground = {.slab = slab_at(choice, z, &slab), .pixel = base->pixel};
    ground.material = ground.slab != NULL ? parts->slab_material[slab] : 0;
    plan->pixel = base->pixel;
    plan->pixel_rows = base->pixel_rows;
    plan->pixel_columns = base->pixel_columns;
    plan->pixels = allocate((size_t)base->pixel_rows * (size_t)base->pixel_columns, sizeof *plan->pixels,
                            "the pixels of the plan", error);
    OWNED uint16_t *met = allocate((size_t)choice->legend_count, sizeof *met, "the legend", error);
    TRY(plan->pixels != NULL && met != NULL ? mixed_allocate(&base->mixed, base->pixel_rows, &plan->mixed, error)
                                            : PW_NO_RESOURCE);
    for (int e = 0; e < choice->legend_count && parts->pixels_are_entries; e++) {
        met[e] = entry_at(parts, e, z);
    }
    pixels_fill(parts, met, &ground, plan);
    return PW_OK;
}

/* ---- shapes ---- */

static pw_status shape_add(struct floorplan *plan, const char *file, const struct shape *shape, uint16_t material,
                           pw_error *error)
{
    TRY(outline_create(file, shape, &plan->outlines[plan->shape_count], error));
    plan->shape_material[plan->shape_count++] = material;
    return PW_OK;
}

/* The slab as a rectangle under everything else. Over a picture the pixels show it. */
static pw_status slab_add(const struct plan_parts *parts, double z, struct floorplan *plan, pw_error *error)
{
    int index = 0;
    const struct slab_choice *slab = slab_at(&parts->scenario->plan, z, &index);
    if (slab == NULL || plan->pixels != NULL) {
        return PW_OK;
    }
    struct point corners[2] = {{0, 0}, {plan->width, plan->height}};
    if (slab->has_area) {
        corners[0] = slab->from, corners[1] = slab->to;
    }
    const struct shape rectangle = {.kind = SHAPE_RECTANGLE, .points = corners, .point_count = 2};
    return shape_add(plan, parts->scenario->file, &rectangle, parts->slab_material[index], error);
}

static pw_status shapes_create(const struct plan_parts *parts, double z, struct floorplan *plan, pw_error *error)
{
    const struct plan_choice *choice = &parts->scenario->plan;
    size_t count = (size_t)choice->shape_count + 1;
    plan->outlines = allocate(count, sizeof *plan->outlines, "the shapes of the plan", error);
    plan->shape_material = allocate(count, sizeof *plan->shape_material, "the shapes of the plan", error);
    TRY_MADE(plan->outlines != NULL && plan->shape_material != NULL);
    TRY(slab_add(parts, z, plan, error));
    for (int s = 0; s < choice->shape_count; s++) {
        struct height_range range = shape_heights(choice, &choice->shapes[s]);
        if (height_meets(choice, &range, z)) {
            TRY(shape_add(plan, parts->scenario->file, &choice->shapes[s], parts->shape_material[s], error));
        }
    }
    return PW_OK;
}

/* ---- the plan ---- */

static pw_status materials_copy(const struct floorplan *base, struct floorplan *plan, pw_error *error)
{
    size_t count = (size_t)base->material_count;
    plan->materials = allocate(count, sizeof *plan->materials, "the materials of the plan", error);
    plan->colours = allocate(count, sizeof *plan->colours, "the colours of the plan", error);
    TRY_MADE(plan->materials != NULL && plan->colours != NULL);
    memcpy(plan->materials, base->materials, count * sizeof *plan->materials);
    memcpy(plan->colours, base->colours, count * sizeof *plan->colours);
    plan->material_count = base->material_count;
    return PW_OK;
}

pw_status floorplan_at(const struct plan_parts *parts, double z, struct floorplan *plan, pw_error *error)
{
    *plan = (struct floorplan){.width = parts->base.width, .height = parts->base.height};
    pw_status status = materials_copy(&parts->base, plan, error);
    THEN(status, pixels_create(parts, z, plan, error));
    THEN(status, shapes_create(parts, z, plan, error));
    if (status != PW_OK) {
        floorplan_free(plan);
    }
    return status;
}

/* The height within a storey that is nearest to z. */
static double nearest_room(const struct plan_choice *plan, double z)
{
    const double inside = 1e-3; /* of the storey's height, under its ceiling */
    double nearest = INFINITY, found = z;
    for (int s = 0; s < plan->storey_count; s++) {
        double floor = storey_floor(plan, s), top = floor + plan->storeys[s].height * (1 - inside);
        double within = fmin(fmax(z, floor), top);
        found = fabs(within - z) < nearest ? within : found;
        nearest = fmin(nearest, fabs(within - z));
    }
    return found;
}

pw_status floorplan_cut_height(const struct scenario *scenario, double *height, pw_error *error)
{
    const struct plan_choice *plan = &scenario->plan;
    *height = plan->cut;
    if (plan->storey_count == 0 || !isnan(plan->cut)) {
        return PW_OK;
    }
    const struct transmitter_choice *first = scenario->transmitter_count > 0 ? scenario->transmitters : NULL;
    bool told = first != NULL && !isnan(first->height);
    double wanted = told ? first->height : fmin(USUAL_CUT, 0.5 * plan->storeys[0].height);
    *height = nearest_room(plan, wanted);
    FAIL_IF(scenario->dimensions != 3 && told && fabs(*height - wanted) > SAME_PLACE, error, PW_BAD_INPUT,
            "%s:%d: the transmitter '%s' is at %g m, in a slab or outside the storeys. A run in two dimensions "
            "cuts the plan at this height. Set plan.cut to the height of the cut, e.g. %g m",
            scenario->file, first->line, first->name, first->height, *height);
    return PW_OK;
}

/* Where a thing ends, or begins, that one of two cuts alone meets; -INFINITY: they agree on it. */
static double step_between(const struct plan_choice *plan, const struct height_range *range, double cut, double over)
{
    const bool under = height_meets(plan, range, cut), above = height_meets(plan, range, over);
    return under == above ? -INFINITY : under ? range->high : range->low;
}

pw_status floorplan_over(const struct scenario *scenario, struct plan_over *over, pw_error *error)
{
    const struct plan_choice *plan = &scenario->plan;
    double cut = NAN;
    *over = (struct plan_over){NAN, NAN};
    if (scenario->dimensions == 3 || isnan(plan->over)) {
        return PW_OK;
    }
    TRY(floorplan_cut_height(scenario, &cut, error));
    const int storey = storey_at(plan, cut);
    FAIL_IF(storey != storey_at(plan, plan->over) || plan->over <= cut, error, PW_BAD_INPUT,
            "%s: plan.over is %g m, and the plan is cut at %g m: allowed is more than that, in the same storey; "
            "plan.cut lowers the cut",
            scenario->file, plan->over, cut);
    double from = -INFINITY;
    for (int s = 0; s < plan->shape_count; s++) {
        const struct height_range range = shape_heights(plan, &plan->shapes[s]);
        from = fmax(from, step_between(plan, &range, cut, plan->over));
    }
    for (int e = 0; e < plan->legend_count; e++) {
        const struct height_range range = legend_heights(plan, &plan->legend[e]);
        from = fmax(from, step_between(plan, &range, cut, plan->over));
    }
    for (int c = 0; c < plan->clutter_count; c++) {
        const struct height_range range = {true, 0, plan->clutter[c].height, false};
        from = fmax(from, isnan(range.high) ? -INFINITY : step_between(plan, &range, cut, plan->over));
    }
    FAIL_IF(from == -INFINITY, error, PW_BAD_INPUT,
            "%s: plan.over is %g m, where the plan is the same as at its cut, %g m: nothing ends between them",
            scenario->file, plan->over, cut);
    *over = (struct plan_over){plan->over, from};
    return PW_OK;
}

static bool outline_near(const struct outline *outline, struct point at, double near)
{
    return outline_contains(outline, at.x, at.y) || outline_contains(outline, at.x - near, at.y) ||
           outline_contains(outline, at.x + near, at.y) || outline_contains(outline, at.x, at.y - near) ||
           outline_contains(outline, at.x, at.y + near);
}

pw_status floorplan_tops(const struct scenario *scenario, const struct point *at, size_t count, double near,
                         uint16_t *tops, pw_error *error)
{
    const struct plan_choice *plan = &scenario->plan;
    double cut;
    TRY(floorplan_cut_height(scenario, &cut, error));
    for (int s = 0; s < plan->shape_count; s++) {
        const struct height_range range = shape_heights(plan, &plan->shapes[s]);
        const double step = step_between(plan, &range, cut, plan->over);
        struct outline outline = {0};
        if (step == -INFINITY) {
            continue;
        }
        TRY(outline_create(scenario->file, &plan->shapes[s], &outline, error));
        const uint16_t top = (uint16_t)fmin(fmax(round(1e3 * step), 1), UINT16_MAX);
        for (size_t n = 0; n < count; n++) {
            tops[n] = top > tops[n] && outline_near(&outline, at[n], near) ? top : tops[n];
        }
        outline_free(&outline);
    }
    return PW_OK;
}
