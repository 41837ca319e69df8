/* Picture and materials of a plan (plan_parts.h). */
#include "plan/plan_parts.h"

#include "api/plan/picture.h"
#include "plan/picture/picture_match.h"
#include "plan/plan_arrays.h"

#include <math.h>
#include <string.h>

enum { MATERIAL_LIMIT = 65535 };

/* m: heights that differ by less are the same. */
static const double SAME_HEIGHT = 1e-9;

/* ---- heights ---- */

bool height_meets(const struct plan_choice *plan, const struct height_range *range, double z)
{
    return plan->storey_count == 0 || isnan(z) || (range->low <= z + SAME_HEIGHT && z + SAME_HEIGHT < range->high);
}

const struct slab_choice *slab_at(const struct plan_choice *plan, double z, int *index)
{
    for (*index = 0; *index <= plan->storey_count && plan->storey_count > 0; ++*index) {
        bool ceiling = *index == plan->storey_count;
        const struct storey_choice *storey = &plan->storeys[ceiling ? *index - 1 : *index];
        const struct slab_choice *slab = ceiling ? &storey->ceiling : &storey->floor;
        double top = ceiling ? plan_high(plan) : storey_floor(plan, *index);
        const struct height_range range = {true, top - slab->thickness, top, false};
        if (slab->thickness > 0 && height_meets(plan, &range, z)) {
            return slab;
        }
    }
    return NULL;
}

/* ---- materials ---- */

/* Index of the material, added when it is new; a material with the properties of air is air. */
static uint16_t material_add(struct floorplan *plan, const struct material *material)
{
    const struct material_dispersion *dispersion = &material->dispersion;
    if (material_is_air(material)) {
        return 0;
    }
    for (int m = 1; m < plan->material_count; m++) {
        const struct material *known = &plan->materials[m];
        if (known->perfect_conductor == material->perfect_conductor &&
            known->relative_permittivity == material->relative_permittivity &&
            known->conductivity == material->conductivity && strcmp(known->name, material->name) == 0 &&
            poles_equal(known->dispersion.poles, known->dispersion.pole_count, dispersion->poles,
                        dispersion->pole_count)) {
            return (uint16_t)m;
        }
    }
    plan->materials[plan->material_count] = *material;
    return (uint16_t)plan->material_count++;
}

/* Parts that are being made, and how. */
struct parts_task {
    const struct plan_source *source;
    double z;
    struct plan_parts *parts;
};

static pw_status material_choose(const struct parts_task *task, const struct material_choice *choice, uint16_t *index,
                                 pw_error *error)
{
    const struct scenario *scenario = task->source->scenario;
    struct material material = {0};
    TRY(material_resolve(choice, scenario->band_centre, task->source->strict, task->source->warnings, &material,
                         error));
    FAIL_IF(!material.perfect_conductor &&
                (!(material.relative_permittivity > 0) || !isfinite(material.relative_permittivity) ||
                 !(material.conductivity >= 0) || !isfinite(material.conductivity)),
            error, PW_BAD_INPUT,
            "%s: material '%s': relative permittivity %g must be above 0 and conductivity %g S/m not below 0",
            scenario->file, material.name, material.relative_permittivity, material.conductivity);
    *index = material_add(&task->parts->base, &material);
    return PW_OK;
}

/* ---- image ---- */

static pw_status image_size(const struct scenario *scenario, const pw_picture *image, struct floorplan *plan,
                            pw_error *error)
{
    const struct plan_choice *choice = &scenario->plan;
    double width = image->width * choice->pixel, height = image->height * choice->pixel;
    FAIL_IF((choice->width > 0 && fabs(choice->width - width) > 0.5 * choice->pixel) ||
                (choice->height > 0 && fabs(choice->height - height) > 0.5 * choice->pixel),
            error, PW_BAD_INPUT,
            "%s: plan.size is %g x %g m, but the image '%s' has %d x %d pixels of %g m: %g x %g m; leave size "
            "out or correct pixel",
            scenario->file, choice->width, choice->height, choice->image, image->width, image->height, choice->pixel,
            width, height);
    plan->width = width;
    plan->height = height;
    plan->pixel = choice->pixel;
    plan->pixel_rows = image->height;
    plan->pixel_columns = image->width;
    return PW_OK;
}

static pw_status image_place(const struct scenario *scenario, const pw_picture *image, struct floorplan *plan,
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

/* The picture, or why not, with the place in the scenario that names it. */
static pw_status image_read(const struct scenario *scenario, pw_picture *image, pw_error *error)
{
    const pw_status status = pw_picture_read(scenario->plan.image, image, error);
    if (status != PW_BAD_INPUT || error == NULL || scenario->plan.image_line < 1) {
        return status;
    }
    const pw_error told = *error;
    return fail(error, status, "%s:%d: plan.image: %s", scenario->file, scenario->plan.image_line, told.message);
}

static pw_status image_load(const struct scenario *scenario, struct floorplan *plan, pw_error *error)
{
    const struct plan_choice *choice = &scenario->plan;
    FAIL_IF(choice->legend_count < 1 || !(choice->pixel > 0), error, PW_BAD_INPUT,
            "%s: plan.image '%s' needs a legend and a pixel size above 0", scenario->file, choice->image);
    OWNED_BY(pw_picture_free) pw_picture image = {0};
    TRY(image_read(scenario, &image, error));
    return image_place(scenario, &image, plan, error);
}

static pw_status legend_check(const struct scenario *scenario, pw_error *error)
{
    const struct plan_choice *choice = &scenario->plan;
    for (int e = 1; e < choice->legend_count; e++) {
        const struct legend_entry *entry = &choice->legend[e];
        for (int before = 0; before < e; before++) {
            const struct legend_entry *other = &choice->legend[before];
            FAIL_IF(!entry->upper && other->red == entry->red && other->green == entry->green &&
                        other->blue == entry->blue,
                    error, PW_BAD_INPUT, "%s: plan.legend names the colour #%02x%02x%02x twice: %s and %s",
                    scenario->file, entry->red, entry->green, entry->blue, other->material.name, entry->material.name);
        }
    }
    return PW_OK;
}

/* Which entries of the legend the picture shows, all layers of a colour with it; `shown` (legend_count), zero at first.
 */
static void legend_mark(const struct plan_choice *choice, const struct floorplan *base, uint16_t *shown)
{
    const size_t count = (size_t)base->pixel_rows * (size_t)base->pixel_columns;
    for (size_t p = 0; p < count; p++) {
        shown[base->pixels[p]] = 1;
    }
    for (size_t p = 0; p < base->mixed.count; p++) {
        shown[base->mixed.list[p].other] = 1;
    }
    for (int e = 1; e < choice->legend_count; e++) {
        shown[e] = choice->legend[e].upper ? shown[e - 1] : shown[e];
    }
}

/* A legend may know more than the image shows, and a plan more than is met at a height: materials that are not there
 * are left out, so that nobody is warned of them. */
static pw_status legend_resolve(const struct parts_task *task, pw_error *error)
{
    const struct plan_choice *choice = &task->source->scenario->plan;
    struct floorplan *base = &task->parts->base;
    uint16_t *entry_material = task->parts->entry_material;
    legend_mark(choice, base, entry_material);
    for (int e = 0; e < choice->legend_count; e++) {
        const struct legend_entry *entry = &choice->legend[e];
        struct height_range range = legend_heights(choice, entry);
        if (entry_material[e] == 0 || !height_meets(choice, &range, task->z)) {
            continue;
        }
        TRY(material_choose(task, &entry->material, &entry_material[e], error));
        uint32_t *colour = &base->colours[entry_material[e]];
        if (*colour == COLOUR_UNKNOWN) {
            *colour = (uint32_t)entry->red << 16 | (uint32_t)entry->green << 8 | entry->blue;
        }
    }
    task->parts->pixels_are_entries = true;
    return PW_OK;
}

/* ---- shapes and slabs ---- */

/* Warns of a wall whose thickness has a unit that is probably mistaken; `number` counts the walls of its list from 0,
 * as --set does. */
static void wall_check(const struct parts_task *task, const struct shape *shape, int number)
{
    if (shape->kind == SHAPE_WALL && wall_is_stout(shape)) {
        struct point a = shape->points[0], b = shape->points[1];
        char list[64] = "plan";
        if (task->source->scenario->plan.storey_count > 1 && shape->storey != EVERY_STOREY) {
            snprintf(list, sizeof list, "plan.storeys[%d]", shape->storey);
        }
        warn(task->source->warnings, "%s.walls[%d] is %g m thick and only %.3g m long. Check the unit of its thickness",
             list, number, shape->thickness, hypot(b.x - a.x, b.y - a.y));
    }
}

static pw_status shapes_resolve(const struct parts_task *task, pw_error *error)
{
    const struct plan_choice *choice = &task->source->scenario->plan;
    int walls = 0, storey = EVERY_STOREY;
    for (int s = 0; s < choice->shape_count; s++) {
        const struct shape *shape = &choice->shapes[s];
        struct height_range range = shape_heights(choice, shape);
        walls = choice->storey_count > 0 && shape->storey != storey ? 0 : walls;
        storey = shape->storey;
        if (height_meets(choice, &range, task->z)) {
            wall_check(task, shape, walls);
            if (shape->kind != SHAPE_OPENING || choice->storey_count > 0) {
                TRY(material_choose(task, &shape->material, &task->parts->shape_material[s], error));
            }
        }
        walls += shape->kind == SHAPE_WALL;
    }
    return PW_OK;
}

/* A run in two dimensions never meets one: it cuts the plan within a storey. */
static pw_status slabs_resolve(const struct parts_task *task, pw_error *error)
{
    const struct plan_choice *choice = &task->source->scenario->plan;
    for (int s = 0; s <= choice->storey_count && choice->storey_count > 0 && isnan(task->z); s++) {
        const struct slab_choice *slab =
            s < choice->storey_count ? &choice->storeys[s].floor : &choice->storeys[s - 1].ceiling;
        if (slab->thickness > 0) {
            TRY(material_choose(task, &slab->material, &task->parts->slab_material[s], error));
        }
    }
    return PW_OK;
}

/* ---- all of them ---- */

static pw_status parts_fill(const struct parts_task *task, pw_error *error)
{
    const struct scenario *scenario = task->source->scenario;
    struct floorplan *base = &task->parts->base;
    if (task->source->arrays != NULL) {
        TRY(plan_arrays_place(scenario, task->source->arrays, base, error));
    } else if (scenario->plan.image != NULL) {
        TRY(legend_check(scenario, error));
        TRY(image_load(scenario, base, error));
        TRY(legend_resolve(task, error));
    } else if (!(base->width > 0) || !(base->height > 0)) {
        return fail(error, PW_BAD_INPUT, "%s: plan: without an image, size must be above 0 (found %g x %g m)",
                    scenario->file, base->width, base->height);
    }
    TRY(shapes_resolve(task, error));
    return slabs_resolve(task, error);
}

pw_status plan_parts_create(const struct plan_source *source, double z, struct plan_parts *parts, pw_error *error)
{
    const struct scenario *scenario = source->scenario;
    const struct plan_choice *choice = &scenario->plan;
    struct floorplan *base = &parts->base;
    *parts = (struct plan_parts){.scenario = scenario,
                                 .base = {.width = choice->width, .height = choice->height, .material_count = 1}};
    int64_t most = (int64_t)choice->legend_count + choice->shape_count;
    FAIL_IF(most >= MATERIAL_LIMIT, error, PW_BAD_INPUT,
            "%s: plan: %d legend entries and %d shapes; at most %d together", scenario->file, choice->legend_count,
            choice->shape_count, MATERIAL_LIMIT - 1);
    size_t slabs = (size_t)choice->storey_count + 1;
    size_t materials = 1 + (size_t)most + slabs + (source->arrays != NULL ? PW_PLAN_MEDIA : 0);
    base->materials = allocate(materials, sizeof *base->materials, "the materials of the plan", error);
    base->colours = allocate(materials, sizeof *base->colours, "the colours of the plan", error);
    parts->shape_material = allocate((size_t)choice->shape_count, sizeof(uint16_t), "the shapes of the plan", error);
    parts->entry_material = allocate((size_t)choice->legend_count, sizeof(uint16_t), "the legend", error);
    parts->slab_material = allocate(slabs, sizeof(uint16_t), "the slabs of the plan", error);
    pw_status status = PW_NO_RESOURCE;
    if (base->materials != NULL && base->colours != NULL && parts->shape_material != NULL &&
        parts->entry_material != NULL && parts->slab_material != NULL) {
        memset(base->colours, 0xff, materials * sizeof *base->colours); /* COLOUR_UNKNOWN */
        base->materials[0] = (struct material){.name = "air", .relative_permittivity = 1};
        const struct parts_task task = {source, z, parts};
        status = parts_fill(&task, error);
    }
    if (status != PW_OK) {
        plan_parts_free(parts);
    }
    return status;
}

void plan_parts_free(struct plan_parts *parts)
{
    floorplan_free(&parts->base);
    FREE_ALL(parts->shape_material, parts->entry_material, parts->slab_material);
    *parts = (struct plan_parts){0};
}
