/* Floor plans: image and shapes to materials (floorplan.h). Averaging over cells is the raster's work, YAML the
 * scenario's. */
#include "plan/floorplan.h"

#include "plan/picture/picture_match.h"
#include "plan/picture/plan_format.h"
#include "plan/plan_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* m: positions that differ by less are the same point, so that rounding decides nothing at a face. */
static const double SAME_PLACE = 1e-9;

enum { MATERIAL_LIMIT = 65535 };

/* ---- materials ---- */

/* Index of the material, added when it is new; a material with the properties of air is air. */
static uint16_t material_add(struct floorplan *plan, const struct material *material)
{
    if (!material->perfect_conductor && material->relative_permittivity == 1 && material->conductivity == 0) {
        return 0;
    }
    for (int m = 1; m < plan->material_count; m++) {
        const struct material *known = &plan->materials[m];
        if (known->perfect_conductor == material->perfect_conductor &&
            known->relative_permittivity == material->relative_permittivity &&
            known->conductivity == material->conductivity && strcmp(known->name, material->name) == 0) {
            return (uint16_t)m;
        }
    }
    plan->materials[plan->material_count] = *material;
    return (uint16_t)plan->material_count++;
}

/* A plan that is being made, and how. */
struct plan_task {
    const struct scenario *scenario;
    const pw_plan *arrays; /* the pixels; NULL: they are the scenario's picture, if it has one */
    bool strict;           /* a material outside its range is an error */
    struct warnings *warnings;
    struct floorplan *plan;
};

static pw_status material_choose(const struct plan_task *task, const struct material_choice *choice, uint16_t *index,
                                 pw_error *error)
{
    const struct scenario *scenario = task->scenario;
    struct material material = {0};
    TRY(material_resolve(choice, scenario->band_centre, task->strict, task->warnings, &material, error));
    if (!material.perfect_conductor &&
        (!(material.relative_permittivity > 0) || !isfinite(material.relative_permittivity) ||
         !(material.conductivity >= 0) || !isfinite(material.conductivity))) {
        return fail(error, PW_BAD_INPUT,
                    "%s: material '%s': relative permittivity %g must be above 0 and conductivity %g S/m not below 0",
                    scenario->file, material.name, material.relative_permittivity, material.conductivity);
    }
    *index = material_add(task->plan, &material);
    return PW_OK;
}

/* ---- image ---- */

static pw_status image_size(const struct scenario *scenario, const struct image *image, struct floorplan *plan,
                            pw_error *error)
{
    const struct plan_choice *choice = &scenario->plan;
    double width = image->width * choice->pixel, height = image->height * choice->pixel;
    if ((choice->width > 0 && fabs(choice->width - width) > 0.5 * choice->pixel) ||
        (choice->height > 0 && fabs(choice->height - height) > 0.5 * choice->pixel)) {
        return fail(error, PW_BAD_INPUT,
                    "%s: plan.size is %g x %g m, but the image '%s' has %d x %d pixels of %g m: %g x %g m; leave size "
                    "out or correct pixel",
                    scenario->file, choice->width, choice->height, choice->image, image->width, image->height,
                    choice->pixel, width, height);
    }
    plan->width = width;
    plan->height = height;
    plan->pixel = choice->pixel;
    plan->pixel_rows = image->height;
    plan->pixel_columns = image->width;
    return PW_OK;
}

static pw_status image_place(const struct scenario *scenario, const struct image *image, struct floorplan *plan,
                             pw_error *error)
{
    struct picture_match match;
    TRY(image_size(scenario, image, plan, error));
    pw_status status = picture_match(scenario, image, &match, error);
    if (status != PW_OK) {
        picture_match_free(&match);
        return status;
    }
    plan->pixels = match.entries;
    plan->mixed = match.mixed;
    plan->inexact = match.inexact;
    return PW_OK;
}

static pw_status image_load(const struct scenario *scenario, struct floorplan *plan, pw_error *error)
{
    const struct plan_choice *choice = &scenario->plan;
    if (choice->legend_count < 1 || !(choice->pixel > 0)) {
        return fail(error, PW_BAD_INPUT, "%s: plan.image '%s' needs a legend and a pixel size above 0", scenario->file,
                    choice->image);
    }
    struct image image = {0};
    TRY(plan_picture_read(choice->image, &image, error));
    pw_status status = image_place(scenario, &image, plan, error);
    image_free(&image);
    return status;
}

static pw_status legend_check(const struct scenario *scenario, pw_error *error)
{
    const struct plan_choice *choice = &scenario->plan;
    for (int e = 1; e < choice->legend_count; e++) {
        const struct legend_entry *entry = &choice->legend[e];
        for (int before = 0; before < e; before++) {
            const struct legend_entry *other = &choice->legend[before];
            if (other->red == entry->red && other->green == entry->green && other->blue == entry->blue) {
                return fail(error, PW_BAD_INPUT, "%s: plan.legend names the colour #%02x%02x%02x twice: %s and %s",
                            scenario->file, entry->red, entry->green, entry->blue, other->material.name,
                            entry->material.name);
            }
        }
    }
    return PW_OK;
}

/* Legend entries in plan->pixels to materials. A legend may know more than the image shows: materials that it does not
 * show are left out, so that nobody is warned of a material that is not there. `entry_material` (legend_count):
 * scratch, zero at first. */
static pw_status legend_resolve(const struct plan_task *task, uint16_t *entry_material, pw_error *error)
{
    const struct plan_choice *choice = &task->scenario->plan;
    struct floorplan *plan = task->plan;
    const size_t count = (size_t)plan->pixel_rows * (size_t)plan->pixel_columns;
    for (size_t p = 0; p < count; p++) {
        entry_material[plan->pixels[p]] = 1;
    }
    for (size_t p = 0; p < plan->mixed.count; p++) {
        entry_material[plan->mixed.list[p].other] = 1;
    }
    for (int e = 0; e < choice->legend_count; e++) {
        const struct legend_entry *entry = &choice->legend[e];
        if (entry_material[e] == 0) {
            continue;
        }
        TRY(material_choose(task, &entry->material, &entry_material[e], error));
        uint32_t *colour = &plan->colours[entry_material[e]];
        if (*colour == COLOUR_UNKNOWN) {
            *colour = (uint32_t)entry->red << 16 | (uint32_t)entry->green << 8 | entry->blue;
        }
    }
    for (size_t p = 0; p < count; p++) {
        plan->pixels[p] = entry_material[plan->pixels[p]];
    }
    for (size_t p = 0; p < plan->mixed.count; p++) {
        plan->mixed.list[p].other = entry_material[plan->mixed.list[p].other];
    }
    return PW_OK;
}

/* ---- shapes ---- */

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

static void outline_circle(const struct shape *shape, struct outline *outline)
{
    outline->centre = shape->points[0];
    outline->radius = shape->radius;
    outline->oblique = true;
    outline->low = (struct point){outline->centre.x - shape->radius, outline->centre.y - shape->radius};
    outline->high = (struct point){outline->centre.x + shape->radius, outline->centre.y + shape->radius};
}

static pw_status outline_create(const struct scenario *scenario, const struct shape *shape, struct outline *outline,
                                pw_error *error)
{
    struct point corners[4];
    const struct point *points = corners;
    int count = 4;
    if (shape->kind == SHAPE_CIRCLE && shape->point_count >= 1 && shape->radius > 0) {
        outline_circle(shape, outline);
        return PW_OK;
    }
    bool pair = shape->point_count == 2;
    if (shape->kind == SHAPE_POLYGON && shape->point_count >= 3) {
        points = shape->points;
        count = shape->point_count;
    } else if (pair && (shape->kind == SHAPE_RECTANGLE || shape->kind == SHAPE_OPENING)) {
        rectangle_corners(shape, corners);
    } else if (!pair || shape->kind != SHAPE_WALL || !(shape->thickness > 0) || !wall_corners(shape, corners)) {
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: a shape without extent: rectangles and walls take two different points, polygons at least "
                    "three, circles a radius and walls a thickness above 0",
                    scenario->file, shape->line);
    }
    outline->points = allocate((size_t)count, sizeof *points, "the outline of a shape", error);
    if (outline->points == NULL) {
        return PW_NO_RESOURCE;
    }
    memcpy(outline->points, points, (size_t)count * sizeof *points);
    outline->point_count = count;
    outline_measure(outline);
    return PW_OK;
}

/* Warns of a wall whose thickness has a unit that is probably mistaken; `number` counts the walls from 0, as --set
 * does.
 */
static void wall_check(const struct plan_task *task, const struct shape *shape, int number)
{
    if (shape->kind == SHAPE_WALL && wall_is_stout(shape)) {
        struct point a = shape->points[0], b = shape->points[1];
        warn(task->warnings, "plan.walls[%d] is %g m thick and %.3g m long: is the unit of its thickness right?",
             number, shape->thickness, hypot(b.x - a.x, b.y - a.y));
    }
}

static pw_status shapes_create(const struct plan_task *task, pw_error *error)
{
    const struct scenario *scenario = task->scenario;
    struct floorplan *plan = task->plan;
    size_t count = (size_t)scenario->plan.shape_count;
    plan->shapes = scenario->plan.shapes;
    plan->shape_count = scenario->plan.shape_count;
    plan->outlines = allocate(count, sizeof *plan->outlines, "the shapes of the plan", error);
    plan->shape_material = allocate(count, sizeof *plan->shape_material, "the shapes of the plan", error);
    if (plan->outlines == NULL || plan->shape_material == NULL) {
        return PW_NO_RESOURCE;
    }
    int walls = 0;
    for (int s = 0; s < plan->shape_count; s++) {
        const struct shape *shape = &plan->shapes[s];
        TRY(outline_create(scenario, shape, &plan->outlines[s], error));
        wall_check(task, shape, walls);
        walls += shape->kind == SHAPE_WALL;
        if (shape->kind != SHAPE_OPENING) {
            TRY(material_choose(task, &shape->material, &plan->shape_material[s], error));
        }
    }
    return PW_OK;
}

/* ---- the plan ---- */

static pw_status plan_fill(const struct plan_task *task, uint16_t *entry_material, pw_error *error)
{
    const struct scenario *scenario = task->scenario;
    struct floorplan *plan = task->plan;
    if (task->arrays != NULL) {
        TRY(plan_arrays_place(scenario, task->arrays, plan, error));
    } else if (scenario->plan.image != NULL) {
        TRY(legend_check(scenario, error));
        TRY(image_load(scenario, plan, error));
        TRY(legend_resolve(task, entry_material, error));
    } else if (!(plan->width > 0) || !(plan->height > 0)) {
        return fail(error, PW_BAD_INPUT, "%s: plan: without an image, size must be above 0 (found %g x %g m)",
                    scenario->file, plan->width, plan->height);
    }
    return shapes_create(task, error);
}

/* `arrays` NULL: the pixels, if there are any, are the scenario's picture. */
static pw_status plan_create(const struct scenario *scenario, const pw_plan *arrays, bool strict,
                             struct warnings *warnings, struct floorplan *plan, pw_error *error)
{
    const struct plan_choice *choice = &scenario->plan;
    *plan = (struct floorplan){.width = choice->width, .height = choice->height, .material_count = 1};
    if ((int64_t)choice->legend_count + choice->shape_count >= MATERIAL_LIMIT) {
        return fail(error, PW_BAD_INPUT, "%s: plan: %d legend colours and %d shapes; at most %d together",
                    scenario->file, choice->legend_count, choice->shape_count, MATERIAL_LIMIT - 1);
    }
    size_t material_count = 1 + (size_t)choice->legend_count + (size_t)choice->shape_count;
    material_count += arrays != NULL ? PW_PLAN_MEDIA : 0;
    plan->materials = allocate(material_count, sizeof *plan->materials, "the materials of the plan", error);
    uint16_t *entry_material = allocate((size_t)choice->legend_count, sizeof *entry_material, "the legend", error);
    pw_status status = PW_NO_RESOURCE;
    plan->colours = allocate(material_count, sizeof *plan->colours, "the colours of the plan", error);
    if (plan->materials != NULL && plan->colours != NULL && entry_material != NULL) {
        memset(plan->colours, 0xff, material_count * sizeof *plan->colours); /* COLOUR_UNKNOWN */
        plan->materials[0] = (struct material){.name = "air", .relative_permittivity = 1};
        const struct plan_task task = {scenario, arrays, strict, warnings, plan};
        status = plan_fill(&task, entry_material, error);
    }
    free(entry_material);
    if (status != PW_OK) {
        floorplan_free(plan);
    }
    return status;
}

pw_status floorplan_create(const struct scenario *scenario, bool strict, struct warnings *warnings,
                           struct floorplan *plan, pw_error *error)
{
    return plan_create(scenario, NULL, strict, warnings, plan, error);
}

pw_status floorplan_create_from_arrays(const struct scenario *scenario, const pw_plan *arrays, bool strict,
                                       struct warnings *warnings, struct floorplan *plan, pw_error *error)
{
    return plan_create(scenario, arrays, strict, warnings, plan, error);
}

void floorplan_free(struct floorplan *plan)
{
    for (int s = 0; s < plan->shape_count && plan->outlines != NULL; s++) {
        free(plan->outlines[s].points);
    }
    free(plan->outlines);
    free(plan->shape_material);
    free(plan->pixels);
    mixed_pixels_free(&plan->mixed);
    colour_tally_free(&plan->inexact);
    free(plan->materials);
    free(plan->colours);
    *plan = (struct floorplan){0};
}

/* Even-odd rule along the ray to the right. */
static bool outline_contains(const struct outline *outline, double x, double y)
{
    if (x < outline->low.x || x > outline->high.x || y < outline->low.y || y > outline->high.y) {
        return false;
    }
    if (outline->point_count == 0) {
        return hypot(x - outline->centre.x, y - outline->centre.y) < outline->radius;
    }
    bool inside = false;
    for (int p = 0; p < outline->point_count; p++) {
        struct point a = outline->points[p], b = outline->points[(p + 1) % outline->point_count];
        if ((a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)) {
            inside = !inside;
        }
    }
    return inside;
}

uint16_t floorplan_material_at(const struct floorplan *plan, double x, double y)
{
    /* A step into the shape that owns a face, but not out of the plan. */
    x = fmin(fmax(x, 0) + SAME_PLACE, plan->width - SAME_PLACE);
    y = fmin(fmax(y, 0) + SAME_PLACE, plan->height - SAME_PLACE);
    for (int s = plan->shape_count - 1; s >= 0; s--) {
        if (outline_contains(&plan->outlines[s], x, y)) {
            return plan->shape_material[s];
        }
    }
    if (plan->pixels == NULL) {
        return 0;
    }
    int column = (int)fmin(fmax(x / plan->pixel, 0), plan->pixel_columns - 1);
    int row = (int)fmin(fmax(y / plan->pixel, 0), plan->pixel_rows - 1);
    const struct mixed_pixel *mixed = mixed_pixel_find(&plan->mixed, row, column);
    if (mixed != NULL && mixed_pixel_is_other(mixed, x / plan->pixel - column, y / plan->pixel - row)) {
        return mixed->other;
    }
    return plan->pixels[(size_t)row * (size_t)plan->pixel_columns + (size_t)column];
}
