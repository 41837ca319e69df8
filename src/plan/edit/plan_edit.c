/* Walls that are drawn, materials that get other values, and plans whose scale was a guess (api/plan/edit.h). Every
 * change is one that the text of a scenario can say; what stands at a point is changed in plan_walls.c. */
#include "plan/edit/plan_edit.h"

#include "api/plan/edit.h"
#include "scenario/material_table.h"
#include "scenario/scenario_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* m: the ends of a wall are further apart. */
static const double SHORTEST_WALL = 1e-4;

/* Adds a shape to the plan, behind others of its kind; takes over its points, on failure too. */
static pw_status shape_add(struct plan_choice *plan, const struct shape *shape, pw_error *error)
{
    struct shape *grown = realloc(plan->shapes, (size_t)(plan->shape_count + 1) * sizeof *grown);
    if (grown == NULL) {
        free(shape->points);
        return fail(error, PW_NO_RESOURCE, "not enough memory for a shape");
    }
    int at = plan->shape_count++;
    plan->shapes = grown;
    for (; at > 0 && grown[at - 1].kind > shape->kind; at--) {
        grown[at] = grown[at - 1];
    }
    grown[at] = *shape;
    return PW_OK;
}

/* ---- walls ------------------------------------------------------------------------------------------------------- */

/* Openings lie over walls: where one is met, a wall can only be drawn as an opening of its own material, which is a
 * rectangle along the axes. */
static bool meets_opening(const struct plan_choice *plan, const struct shape *shape)
{
    const struct point *from = &shape->points[0], *to = &shape->points[shape->point_count - 1];
    double reach = 0.5 * shape->thickness + shape->radius;
    double left = fmin(from->x, to->x) - reach;
    double right = fmax(from->x, to->x) + reach;
    double low = fmin(from->y, to->y) - reach;
    double high = fmax(from->y, to->y) + reach;
    bool met = false;
    for (int n = 0; n < plan->shape_count; n++) {
        const struct shape *other = &plan->shapes[n];
        met = met || (other->kind == SHAPE_OPENING && fmin(other->points[0].x, other->points[1].x) < right &&
                      fmax(other->points[0].x, other->points[1].x) > left &&
                      fmin(other->points[0].y, other->points[1].y) < high &&
                      fmax(other->points[0].y, other->points[1].y) > low);
    }
    return met;
}

static pw_status wall_over_opening(struct shape *wall, pw_error *error)
{
    struct point *from = &wall->points[0], *to = &wall->points[1];
    double half = 0.5 * wall->thickness;
    FAIL_IF(from->x != to->x && from->y != to->y, error, PW_BAD_INPUT,
            "an opening lies there, and over openings walls must be level or upright: erase the opening first");
    bool upright = from->x == to->x;
    struct point low = {fmin(from->x, to->x) - (upright ? half : 0), fmin(from->y, to->y) - (upright ? 0 : half)};
    struct point high = {fmax(from->x, to->x) + (upright ? half : 0), fmax(from->y, to->y) + (upright ? 0 : half)};
    *from = low;
    *to = high;
    wall->kind = SHAPE_OPENING;
    wall->thickness = 0;
    return PW_OK;
}

pw_status plan_material_find(const struct plan_choice *plan, const char *name, struct material_choice *material,
                             pw_error *error)
{
    for (int n = 0; n < plan->legend_count; n++) {
        if (strcmp(plan->legend[n].material.name, name) == 0) {
            *material = plan->legend[n].material;
            return PW_OK;
        }
    }
    for (int n = 0; n < plan->shape_count; n++) {
        if (strcmp(plan->shapes[n].material.name, name) == 0) {
            *material = plan->shapes[n].material;
            return PW_OK;
        }
    }
    FAIL_IF(!material_known(name), error, PW_BAD_INPUT,
            "'%s' is neither a material of this plan nor one of " MATERIAL_REVISION, name);
    *material = (struct material_choice){0};
    snprintf(material->name, sizeof material->name, "%s", material_canonical(name));
    return PW_OK;
}

pw_status pw_scenario_add_wall(pw_scenario *scenario, const double line[4], double thickness, const char *material,
                               pw_error *error)
{
    struct shape wall = {.kind = SHAPE_WALL, .thickness = thickness, .storey = EVERY_STOREY, .point_count = 2};
    FAIL_IF(!(hypot(line[2] - line[0], line[3] - line[1]) >= SHORTEST_WALL), error, PW_BAD_INPUT,
            "a wall needs two ends that are apart");
    TRY(plan_material_find(&scenario->plan, material, &wall.material, error));
    TRY_MADE(wall.points = allocate(2, sizeof *wall.points, "a wall", error));
    wall.points[0] = (struct point){line[0], line[1]};
    wall.points[1] = (struct point){line[2], line[3]};
    pw_status status = meets_opening(&scenario->plan, &wall) ? wall_over_opening(&wall, error) : PW_OK;
    if (status != PW_OK) {
        free(wall.points);
        return status;
    }
    return shape_add(&scenario->plan, &wall, error);
}

/* ---- circles ----------------------------------------------------------------------------------------------------- */

/* The material that a scenario would say so. */
static pw_status material_of_text(const char *text, struct material_choice *material, pw_error *error)
{
    static const char *const KEYS[] = {"material", NULL};
    OWNED_BY(tree_free) struct tree tree = {0};
    const size_t size = strlen(text) + sizeof "material: ";
    OWNED char *line = allocate(size, 1, "a material", error);
    TRY_MADE(line);
    snprintf(line, size, "material: %s", text);
    TRY(tree_parse(&tree, "the material of a circle", line, strlen(line), error));
    TRY(read_map(tree.root, KEYS, error));
    const struct node *node = node_find(tree.root, "material");
    TRY(node_material(node, material, error));
    NODE_FAIL_IF(material->measured != NULL, node, error, "is a table, which belongs into the scenario");
    return PW_OK;
}

static pw_status circle_add(pw_scenario *scenario, double x, double y, double radius, struct height_range z,
                            const char *material, pw_error *error)
{
    struct shape circle = {.kind = SHAPE_CIRCLE, .z = z, .radius = radius, .storey = EVERY_STOREY, .point_count = 1};
    FAIL_IF(!(radius > 0 && isfinite(radius) && isfinite(x) && isfinite(y)), error, PW_BAD_INPUT,
            "a circle of radius %g m around (%g, %g) m: the radius must be above 0", radius, x, y);
    TRY(material_of_text(material, &circle.material, error));
    TRY_MADE(circle.points = allocate(1, sizeof *circle.points, "a circle", error));
    circle.points[0] = (struct point){x, y};
    if (meets_opening(&scenario->plan, &circle)) {
        free(circle.points);
        return fail(error, PW_BAD_INPUT,
                    "a circle of radius %g m around (%g, %g) m meets an opening of the plan, which would lie over it",
                    radius, x, y);
    }
    return shape_add(&scenario->plan, &circle, error);
}

pw_status pw_scenario_add_circle(pw_scenario *scenario, double x, double y, double radius, const char *material,
                                 pw_error *error)
{
    return circle_add(scenario, x, y, radius, (struct height_range){0}, material, error);
}

pw_status pw_scenario_add_cylinder(pw_scenario *scenario, double x, double y, double radius, double low, double high,
                                   const char *material, pw_error *error)
{
    FAIL_IF(scenario->plan.storey_count == 0, error, PW_BAD_INPUT, "the plan has no heights: a cylinder needs storeys");
    FAIL_IF(!(low < high && isfinite(low) && isfinite(high)), error, PW_BAD_INPUT,
            "a cylinder from %g to %g m: the first must be the lower", low, high);
    return circle_add(scenario, x, y, radius, (struct height_range){.has_heights = true, .low = low, .high = high},
                      material, error);
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

/* A material's new values, and in how many places of the plan it was found. */
struct new_values {
    const char *name;
    double relative_permittivity, conductivity;
    int places;
};

/* Changes one place of the plan, where it has the material. What had the name that its values gave it gets the name of
 * its new ones. */
static pw_status choice_change(struct material_choice *choice, struct new_values *values, pw_error *error)
{
    char described[NAME_SIZE];
    if (strcmp(choice->name, values->name) != 0) {
        return PW_OK;
    }
    FAIL_IF(choice->perfect_conductor || choice->pole_count > 0 || strcmp(choice->name, "air") == 0, error,
            PW_BAD_INPUT, "'%s' is air, a conductor or a material with poles, and stays as it is", values->name);
    material_describe(choice, described);
    bool unnamed = choice->own_values && strcmp(described, choice->name) == 0;
    choice->own_values = true;
    choice->relative_permittivity = values->relative_permittivity;
    choice->conductivity = values->conductivity;
    if (unnamed) {
        material_describe(choice, choice->name);
    }
    values->places++;
    return PW_OK;
}

pw_status pw_scenario_set_material(pw_scenario *scenario, const char *material, double relative_permittivity,
                                   double conductivity, pw_error *error)
{
    struct plan_choice *plan = &scenario->plan;
    struct new_values values = {material, relative_permittivity, conductivity, 0};
    FAIL_IF(!(relative_permittivity >= 1 && relative_permittivity < HUGE_VAL && conductivity >= 0 &&
              conductivity < HUGE_VAL),
            error, PW_BAD_INPUT, "relative permittivity %g must be at least 1, and conductivity %g S/m not below 0",
            relative_permittivity, conductivity);
    for (int n = 0; n < plan->legend_count; n++) {
        TRY(choice_change(&plan->legend[n].material, &values, error));
    }
    for (int n = 0; n < plan->shape_count; n++) {
        TRY(choice_change(&plan->shapes[n].material, &values, error));
    }
    for (int n = 0; n < plan->storey_count; n++) {
        TRY(choice_change(&plan->storeys[n].floor.material, &values, error));
        TRY(choice_change(&plan->storeys[n].ceiling.material, &values, error));
    }
    return values.places > 0 ? PW_OK : fail(error, PW_BAD_INPUT, "the plan has no material '%s'", material);
}

/* ---- scale --------------------------------------------------------------------------------------------------------
 */

static void points_scale(struct point *points, int count, double factor)
{
    for (int n = 0; n < count; n++) {
        points[n].x *= factor;
        points[n].y *= factor;
    }
}

static void slab_scale(struct slab_choice *slab, double factor)
{
    points_scale(&slab->from, 1, factor);
    points_scale(&slab->to, 1, factor);
}

static void plan_scale(struct plan_choice *plan, double factor)
{
    plan->width *= factor;
    plan->height *= factor;
    plan->pixel *= factor;
    for (int n = 0; n < plan->shape_count; n++) {
        struct shape *shape = &plan->shapes[n];
        points_scale(shape->points, shape->point_count, factor);
        shape->radius *= factor;
        shape->thickness *= factor;
    }
    for (int s = 0; s < plan->storey_count; s++) {
        slab_scale(&plan->storeys[s].floor, factor);
        slab_scale(&plan->storeys[s].ceiling, factor);
    }
}

static void spectra_scale(struct spectra_choice *spectra, double factor)
{
    points_scale(&spectra->from, 1, factor);
    points_scale(&spectra->to, 1, factor);
    for (int n = 0; n < spectra->cut_count; n++) {
        points_scale(&spectra->cuts[n].from, 1, factor);
        points_scale(&spectra->cuts[n].to, 1, factor);
    }
}

pw_status pw_scenario_scale_plan(pw_scenario *scenario, double factor, pw_error *error)
{
    FAIL_IF(!(factor > 0 && factor < HUGE_VAL), error, PW_BAD_INPUT,
            "a plan is scaled by a factor above 0, and not by %g", factor);
    for (int n = 0; n < scenario->receiver_entry_count; n++) {
        struct receiver_entry *entry = &scenario->receiver_entries[n];
        FAIL_IF(entry->kind == RECEIVER_FILE, error, PW_BAD_INPUT,
                "the receivers of '%s' would keep their places on a plan that is scaled", entry->file);
        points_scale(&entry->from, 1, factor);
        points_scale(&entry->to, 1, factor);
        entry->spacing *= factor;
    }
    for (int n = 0; n < scenario->transmitter_count; n++) {
        points_scale(&scenario->transmitters[n].at, 1, factor);
        points_scale(&scenario->transmitters[n].to, 1, factor);
    }
    for (int n = 0; n < scenario->receiver_count; n++) {
        points_scale(&scenario->receivers[n].at, 1, factor);
    }
    for (int n = 0; n < scenario->lattice_receiver_count; n++) {
        points_scale(&scenario->lattice_receivers[n].at, 1, factor);
    }
    plan_scale(&scenario->plan, factor);
    spectra_scale(&scenario->spectra, factor);
    return PW_OK;
}
