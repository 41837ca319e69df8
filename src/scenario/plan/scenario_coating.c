/* Coatings and layers: a sheet on a face of a shape, and the layers of a wall, become shapes of their own, so that
 * everything after sees plain walls, rectangles and polygons. A sheet of resistance R is a film 0.01 mm thin with the
 * conductivity 1/(R thickness), inside of the face. */
#include "scenario/material_table.h"
#include "scenario/scenario_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const FILM_NAME = "coating ";
enum { WALL_LAYERS = 32, OF_A_LAYER = 3 };

/* Faces, seen along a wall from `from` to `to`; an upright rectangle runs upwards, a lying one to the right. */
enum side { SIDE_LEFT, SIDE_RIGHT, SIDE_BOTH };

struct coating {
    double resistance; /* ohm per square; 0: none */
    int side;
};

bool has_layers(const struct node *map)
{
    return map != NULL && node_find(map, "layers") != NULL;
}

int shape_room(const struct node *map)
{
    double resistance;
    const struct node *layers = node_find(map, "layers"), *material = node_find(map, "material");
    if (layers != NULL && layers->kind == PW_NODE_LIST) {
        return 1 + OF_A_LAYER * layers->count;
    }
    bool coated = node_find(map, "coating") != NULL;
    if (material != NULL) {
        coated = coated || (material->kind == PW_NODE_MAP && node_find(material, "coating") != NULL) ||
                 (material->kind == PW_NODE_SCALAR && material_coated(material->text, &resistance) != NULL);
    }
    return coated ? OF_A_LAYER : 1;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static pw_status coating_read(const struct node *map, const struct material_choice *material, struct coating *coating,
                              pw_error *error)
{
    static const char *const KEYS[] = {"resistance", "side", NULL}, *const SIDES[] = {"left", "right", "both", NULL};
    const struct node *node = map != NULL ? node_find(map, "coating") : NULL, *resistance = node;
    *coating = (struct coating){material->coating, SIDE_LEFT};
    if (node == NULL) {
        return PW_OK;
    }
    NODE_FAIL_IF(material->perfect_conductor, node, error, "metal lets nothing through: a coating changes nothing");
    if (node->kind == PW_NODE_MAP) {
        TRY(read_map(node, KEYS, error));
        TRY(read_choice(node, "side", SIDES, &coating->side, error));
        resistance = node_find(node, "resistance");
    }
    if (resistance == NULL) {
        return material->coating > 0 ? PW_OK : node_fail(node, error, "needs 'resistance', as in 5 ohm (per square)");
    }
    NODE_FAIL_IF(material->coating > 0, resistance, error,
                 "the material has a coating of %g ohm already; give the material without", material->coating);
    return node_quantity(resistance, PW_DIMENSION_RESISTANCE, SHEET_RESISTANCES, &coating->resistance, error);
}

/* ---- films ------------------------------------------------------------------------------------------------------- */

static void film_material(const struct coating *coating, struct material_choice *material)
{
    *material = (struct material_choice){
        .own_values = true, .relative_permittivity = 1, .conductivity = 1 / (coating->resistance * FILM_THICKNESS)};
    material_describe(material, material->name); /* as when it is read back: the same bytes, behind the name too */
    snprintf(material->name, sizeof material->name, "%s%.4g ohm", FILM_NAME, coating->resistance);
}

bool material_is_film(const struct material_choice *choice)
{
    return choice->own_values && choice->conductivity > 0 && strncmp(choice->name, FILM_NAME, strlen(FILM_NAME)) == 0;
}

/* A new last shape of the plan that is like `like`, with room for points. */
static pw_status shape_append(struct plan_choice *plan, struct shape like, int points, struct shape **made,
                              pw_error *error)
{
    *made = &plan->shapes[plan->shape_count];
    TRY_MADE(like.points = allocate((size_t)points, sizeof *like.points, "the points of a shape", error));
    like.point_count = points;
    **made = like;
    plan->shape_count++;
    return PW_OK;
}

/* Part of a wall: a strip that begins `from_left` under its left face. */
static pw_status strip_append(struct plan_choice *plan, const struct shape *wall, double from_left, double thickness,
                              struct shape **made, pw_error *error)
{
    const struct point a = wall->points[0], b = wall->points[1];
    const double length = hypot(b.x - a.x, b.y - a.y), off = 0.5 * (wall->thickness - thickness) - from_left,
                 x = -off * (b.y - a.y) / length, y = off * (b.x - a.x) / length;
    TRY(shape_append(plan, *wall, 2, made, error));
    (*made)->thickness = thickness;
    (*made)->points[0] = (struct point){a.x + x, a.y + y};
    (*made)->points[1] = (struct point){b.x + x, b.y + y};
    return PW_OK;
}

static pw_status rectangle_film(struct plan_choice *plan, const struct shape *shape, bool left, struct shape **made,
                                pw_error *error)
{
    const struct point low = shape->points[0], high = shape->points[1];
    const bool upright = high.y - low.y >= high.x - low.x;
    TRY(shape_append(plan, *shape, 2, made, error));
    struct point *to = (*made)->points;
    to[0] = low, to[1] = high;
    if (upright) {
        *(left ? &to[1].x : &to[0].x) = left ? low.x + FILM_THICKNESS : high.x - FILM_THICKNESS;
    } else {
        *(left ? &to[0].y : &to[1].y) = left ? high.y - FILM_THICKNESS : low.y + FILM_THICKNESS;
    }
    return PW_OK;
}

/* Along the longest side of the polygon, inside. */
static pw_status polygon_film(struct plan_choice *plan, const struct shape *shape, struct shape **made, pw_error *error)
{
    int longest = 0;
    double length = 0, area = 0;
    for (int p = 0; p < shape->point_count; p++) {
        const struct point a = shape->points[p], b = shape->points[(p + 1) % shape->point_count];
        area += a.x * b.y - b.x * a.y;
        longest = hypot(b.x - a.x, b.y - a.y) > length ? p : longest;
        length = fmax(length, hypot(b.x - a.x, b.y - a.y));
    }
    const struct point a = shape->points[longest], b = shape->points[(longest + 1) % shape->point_count];
    const double in = area > 0 ? FILM_THICKNESS / length : -FILM_THICKNESS / length, x = -in * (b.y - a.y),
                 y = in * (b.x - a.x);
    TRY(shape_append(plan, *shape, 4, made, error));
    const struct point corners[4] = {a, b, {b.x + x, b.y + y}, {a.x + x, a.y + y}};
    memcpy((*made)->points, corners, sizeof corners);
    return PW_OK;
}

/* `shape` is a copy, since the plan's list of shapes grows. */
static pw_status film_append(const struct node *map, struct plan_choice *plan, const struct shape shape,
                             const struct coating *coating, bool left, pw_error *error)
{
    struct shape *made = NULL;
    NODE_FAIL_IF(shape.kind == SHAPE_CIRCLE, map, error, "a circle takes no coating: draw what is round as a polygon");
    if (shape.kind == SHAPE_WALL) {
        TRY(strip_append(plan, &shape, left ? 0 : shape.thickness - FILM_THICKNESS, FILM_THICKNESS, &made, error));
    } else if (shape.kind == SHAPE_POLYGON || shape.kind == SHAPE_DRAWN) {
        TRY(polygon_film(plan, &shape, &made, error));
    } else {
        TRY(rectangle_film(plan, &shape, left, &made, error));
    }
    film_material(coating, &made->material);
    return PW_OK;
}

/* Films on the plan's shape number `index`, behind its last one. */
static pw_status shape_coat(const struct node *map, struct plan_choice *plan, int index, pw_error *error)
{
    struct coating coating;
    TRY(coating_read(map, &plan->shapes[index].material, &coating, error));
    plan->shapes[index].material.coating = 0;
    if (coating.resistance == 0) {
        return PW_OK;
    }
    const struct shape shape = plan->shapes[index];
    NODE_FAIL_IF(shape.kind == SHAPE_WALL && shape.thickness <= 2 * FILM_THICKNESS, map, error,
                 "is too thin for a coating; allowed are at least %g mm", 2e3 * FILM_THICKNESS);
    if (coating.side != SIDE_RIGHT) {
        TRY(film_append(map, plan, shape, &coating, true, error));
    }
    return coating.side == SIDE_LEFT ? PW_OK : film_append(map, plan, shape, &coating, false, error);
}

/* ---- layers ------------------------------------------------------------------------------------------------------ */

static pw_status layer_thickness(const struct node *layer, double *thickness, pw_error *error)
{
    static const char *const KEYS[] = {"material", "thickness", "coating", NULL};
    const struct node *node;
    NODE_FAIL_IF(layer->kind != PW_NODE_MAP, layer, error,
                 "must be a map, as in {material: plasterboard, thickness: 12.5 mm}");
    TRY(read_map(layer, KEYS, error));
    TRY(read_required(layer, "thickness", "a length, as in 12.5 mm", &node, error));
    TRY(node_quantity(node, PW_DIMENSION_LENGTH, (pw_range){0, 10, true, false}, thickness, error));
    NODE_FAIL_IF(node_is_bare(node) && *thickness > 0.5, node, error,
                 "the unit is missing: without one this layer is %s m thick; write %s mm", node->text, node->text);
    return PW_OK;
}

pw_status layers_thickness(const struct node *map, struct shape *shape, pw_error *error)
{
    const struct node *list, *given = node_find(map, "thickness");
    double thickness = 0, one;
    TRY(read_list(map, "layers", WALL_LAYERS, &list, error));
    NODE_FAIL_IF(list == NULL || list->count == 0, map, error,
                 "'layers' must be a list of 1 to %d layers {material: M, thickness: T}", WALL_LAYERS);
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        TRY(layer_thickness(item, &one, error));
        thickness += one;
    }
    shape->thickness = thickness;
    if (given != NULL) {
        TRY(node_quantity(given, PW_DIMENSION_LENGTH, (pw_range){0, 1e6, true, false}, &one, error));
        NODE_FAIL_IF(fabs(one - thickness) > 1e-3 * thickness, given, error,
                     "the layers are %g mm thick together; leave 'thickness' out, or correct it", 1e3 * thickness);
    }
    return PW_OK;
}

/* The wall that is the plan's last shape becomes its layers, the first of them on the left. */
static pw_status wall_divide(const struct node *map, struct plan_choice *plan, pw_error *error)
{
    const struct shape wall = plan->shapes[--plan->shape_count];
    double from_left = 0;
    pw_status status = PW_OK;
    if (node_find(map, "coating") != NULL) {
        status = node_fail(node_find(map, "coating"), error, "the wall has layers: give the layer its coating");
    }
    for (const struct node *item = node_find(map, "layers")->first; item != NULL && status == PW_OK;
         item = item->next) {
        struct shape *made = NULL;
        const struct node *material;
        double thickness = 0;
        status = layer_thickness(item, &thickness, error);
        status =
            status == PW_OK ? read_required(item, "material", "a name such as plasterboard", &material, error) : status;
        THEN(status, strip_append(plan, &wall, from_left, thickness, &made, error));
        THEN(status, node_coated_material(material, &made->material, error));
        THEN(status, shape_coat(item, plan, plan->shape_count - 1, error));
        from_left += thickness;
    }
    free(wall.points);
    return status;
}

pw_status shape_expand(const struct node *map, struct plan_choice *plan, pw_error *error)
{
    return has_layers(map) ? wall_divide(map, plan, error) : shape_coat(map, plan, plan->shape_count - 1, error);
}
