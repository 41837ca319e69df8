/* The floor plan of a scenario: picture with legend, and shapes in drawing order. Leaves out the looking at the
 * picture, which plan/floorplan.c does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/plan/scenario_drawing.h"
#include "scenario/scenario_read.h"

enum { LEGEND_LIMIT = 1000, LAYER_LIMIT = 16, SHAPE_LIMIT = 200000 };

static const pw_range ANY_SIZE = {0, 1e6, true, false}; /* m */

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

static pw_status points_allocate(struct shape *shape, int count, pw_error *error)
{
    shape->points = allocate((size_t)count, sizeof *shape->points, "the points of a shape", error);
    shape->point_count = shape->points != NULL ? count : 0;
    return shape->points != NULL ? PW_OK : PW_NO_RESOURCE;
}

static pw_status ends_read(const struct node *map, struct shape *shape, pw_error *error)
{
    TRY(points_allocate(shape, 2, error));
    TRY(read_point(map, "from", &shape->points[0], error));
    return read_point(map, "to", &shape->points[1], error);
}

/* Corners sorted: the first is the lower left one. */
static pw_status rectangle_read(const struct node *map, struct shape *shape, pw_error *error)
{
    TRY(ends_read(map, shape, error));
    struct point a = shape->points[0], b = shape->points[1];
    NODE_FAIL_IF(a.x == b.x || a.y == b.y, map, error,
                 "has no area: 'from' and 'to' are opposite corners and must differ in x and in y");
    shape->points[0] = (struct point){fmin(a.x, b.x), fmin(a.y, b.y)};
    shape->points[1] = (struct point){fmax(a.x, b.x), fmax(a.y, b.y)};
    return PW_OK;
}

static pw_status polygon_read(const struct node *map, struct shape *shape, pw_error *error)
{
    const struct node *list;
    TRY(read_list(map, "points", PW_POLYGON_LIMIT, &list, error));
    NODE_FAIL_IF(list == NULL || list->count < 3, list != NULL ? list : map, error,
                 "a polygon needs 'points', a list of at least three [x, y]");
    TRY(points_allocate(shape, list->count, error));
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        TRY(node_point(item, &shape->points[item->index], error));
    }
    return PW_OK;
}

static pw_status circle_read(const struct node *map, struct shape *shape, pw_error *error)
{
    const struct node *radius;
    TRY(points_allocate(shape, 1, error));
    TRY(read_point(map, "centre", &shape->points[0], error));
    TRY(read_required(map, "radius", "a length, as in 25 cm", &radius, error));
    return read_quantity(map, "radius", PW_DIMENSION_LENGTH, ANY_SIZE, &shape->radius, error);
}

bool wall_is_stout(const struct shape *shape)
{
    const double thick = 2, stub = 0.5; /* m: no wall is thicker; a short piece of wall may well be thicker than long */
    struct point a = shape->points[0], b = shape->points[1];
    return shape->thickness > thick || (shape->thickness > stub && shape->thickness > hypot(b.x - a.x, b.y - a.y));
}

static pw_status wall_read(const struct node *map, struct shape *shape, pw_error *error)
{
    const struct node *thickness;
    TRY(ends_read(map, shape, error));
    NODE_FAIL_IF(shape->points[0].x == shape->points[1].x && shape->points[0].y == shape->points[1].y, map, error,
                 "has no length: 'from' and 'to' are the ends of its centre line");
    if (has_layers(map)) {
        return layers_thickness(map, shape, error);
    }
    TRY(read_required(map, "thickness", "a length, as in 8 cm", &thickness, error));
    TRY(node_quantity(thickness, PW_DIMENSION_LENGTH, ANY_SIZE, &shape->thickness, error));
    NODE_FAIL_IF(node_is_bare(thickness) && wall_is_stout(shape), thickness, error,
                 "the unit is missing: without one this wall is %s m thick; write %s cm (or %s m, if it is)",
                 thickness->text, thickness->text, thickness->text);
    return PW_OK;
}

/* A rectangle from one height to another. */
static pw_status box_read(const struct node *map, struct shape *shape, pw_error *error)
{
    const char *const ends[] = {"from", "to"};
    double height[2] = {NAN, NAN};
    TRY(points_allocate(shape, 2, error));
    for (int n = 0; n < 2; n++) {
        TRY(read_place(map, ends[n], &shape->points[n], &height[n], error));
        NODE_FAIL_IF(isnan(height[n]), node_find(map, ends[n]), error,
                     "must be a corner [x, y, z], as in [1 m, 2 m, 0 m]");
    }
    struct point a = shape->points[0], b = shape->points[1];
    NODE_FAIL_IF(a.x == b.x || a.y == b.y || height[0] == height[1], map, error,
                 "has no volume: 'from' and 'to' are opposite corners and must differ in x, y and z");
    shape->points[0] = (struct point){fmin(a.x, b.x), fmin(a.y, b.y)};
    shape->points[1] = (struct point){fmax(a.x, b.x), fmax(a.y, b.y)};
    shape->z = (struct height_range){true, fmin(height[0], height[1]), fmax(height[0], height[1]), false};
    return PW_OK;
}

/* The lists of shapes, in the order in which they are drawn. */
static const struct shape_rule {
    const char *list;    /* the key of the list */
    const char *keys[9]; /* of an entry */
    pw_status (*read)(const struct node *map, struct shape *shape, pw_error *error);
} SHAPES[] = {
    [SHAPE_DRAWN] = {"drawn", {"points", "material", "coating", "z", "top"}, polygon_read},
    [SHAPE_RECTANGLE] = {"rectangles", {"from", "to", "material", "coating", "z", "top"}, rectangle_read},
    [SHAPE_POLYGON] = {"polygons", {"points", "material", "coating", "z", "top"}, polygon_read},
    [SHAPE_CIRCLE] = {"circles", {"centre", "radius", "material", "z", "top"}, circle_read},
    [SHAPE_WALL] = {"walls", {"from", "to", "thickness", "material", "coating", "layers", "z", "top"}, wall_read},
    [SHAPE_OPENING] = {"openings", {"from", "to", "material", "coating"}, rectangle_read},
    [SHAPE_BOX] = {"boxes", {"from", "to", "material", "coating"}, box_read},
};
enum { SHAPE_KINDS = sizeof SHAPES / sizeof SHAPES[0] };

/* Of an opening in a plan with heights. */
static const char *const OPENING_KEYS[] = {"from", "to", "material", "coating", "z", "sill", "head", NULL};

const char *shape_list_key(enum shape_kind kind)
{
    return SHAPES[kind].list;
}

/* An opening is of air unless it says something else. */
static pw_status shape_material_read(const struct node *map, struct shape *shape, pw_error *error)
{
    const struct node *material = node_find(map, "material");
    if (shape->kind == SHAPE_OPENING && material == NULL) {
        shape->material = (struct material_choice){.name = "air", .relative_permittivity = 1};
        return PW_OK;
    }
    if (has_layers(map)) {
        return material == NULL ? PW_OK : node_fail(material, error, "the wall has 'layers' too; give one of the two");
    }
    TRY(read_required(map, "material", "a name such as brick, or {relative_permittivity, conductivity}", &material,
                      error));
    return node_coated_material(material, &shape->material, error);
}

/* `shape->kind` and `shape->storey` are set. */
static pw_status shape_read(const struct node *map, const struct plan_choice *plan, struct shape *shape,
                            pw_error *error)
{
    const struct shape_rule *rule = &SHAPES[shape->kind];
    shape->line = map->line;
    TRY(heights_need_storeys(map, plan, error));
    TRY(read_map(map, shape->kind == SHAPE_OPENING && plan->storey_count > 0 ? OPENING_KEYS : rule->keys, error));
    TRY(rule->read(map, shape, error));
    if (shape->kind == SHAPE_BOX) {
        TRY(height_check(node_find(map, "from"), plan, shape->storey, shape->z.low, error));
        TRY(height_check(node_find(map, "to"), plan, shape->storey, shape->z.high, error));
    } else {
        TRY(heights_read(map, plan, shape->storey, &shape->z, error));
    }
    return shape_material_read(map, shape, error);
}

/* The map whose lists are read: the plan's own, or a storey's. */
static const struct node *list_owner(const struct node *plan_map, int storey)
{
    return storey == EVERY_STOREY ? plan_map : storey_node(plan_map, storey);
}

static pw_status shapes_count(const struct node *plan_map, const struct plan_choice *plan, int *total, pw_error *error)
{
    *total = 0;
    for (int storey = EVERY_STOREY; storey < plan->storey_count; storey++) {
        for (int i = 0; i < SHAPE_KINDS; i++) {
            const struct node *list;
            TRY(read_list(list_owner(plan_map, storey), SHAPES[i].list, SHAPE_LIMIT, &list, error));
            NODE_FAIL_IF(i == SHAPE_BOX && list != NULL && list->count > 0 && plan->storey_count == 0, list, error,
                         "have heights, and the plan has none: give plan.storey, as in storey: {height: 2.6 m}");
            for (const struct node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
                *total += shape_room(item);
            }
        }
    }
    return PW_OK;
}

/* ---- drawings --------------------------------------------------------------------------------------------------- */

/* Of the plan and of every storey, `drawn` (1 + storey_count) of them; the first is the plan, where its size is not
 * given. */
static pw_status drawings_read(const struct node *plan_map, const char *folder, struct plan_choice *plan,
                               struct pw_drawing *drawn, pw_error *error)
{
    for (int storey = EVERY_STOREY; storey < plan->storey_count; storey++) {
        const struct node *node = node_find(list_owner(plan_map, storey), "drawing");
        drawn[1 + storey].plan = plan;
        drawn[1 + storey].storey = storey;
        if (node != NULL) {
            TRY(drawing_collect(node, folder, &drawn[1 + storey], error));
            if (plan->width == 0 && plan->image == NULL) {
                plan->width = drawn[1 + storey].width;
                plan->height = drawn[1 + storey].height;
            }
        }
    }
    return PW_OK;
}

/* Moves them into the plan. */
static pw_status drawn_take(struct plan_choice *plan, struct pw_drawing *drawn, pw_error *error)
{
    for (size_t s = 0; s < drawn->count; s++) {
        plan->shapes[plan->shape_count++] = drawn->shapes[s];
        drawn->shapes[s].points = NULL;
        TRY(shape_expand(NULL, plan, error));
    }
    return PW_OK;
}

/* The plan's own lists come first, so that what a storey draws lies over them; then the storeys from below. */
static pw_status lists_read(const struct node *plan_map, struct plan_choice *plan, struct pw_drawing *drawn,
                            pw_error *error)
{
    int total;
    TRY(shapes_count(plan_map, plan, &total, error));
    size_t room = (size_t)total;
    for (int storey = EVERY_STOREY; storey < plan->storey_count; storey++) {
        for (size_t s = 0; s < drawn[1 + storey].count; s++) {
            room += drawn[1 + storey].shapes[s].material.coating > 0 ? 2 : 1;
        }
    }
    NODE_FAIL_IF(room > SHAPE_LIMIT, plan_map, error, "has %zu shapes; at most %d are allowed", room, SHAPE_LIMIT);
    TRY_MADE(plan->shapes = allocate(room, sizeof *plan->shapes, "the shapes of the plan", error));
    for (int storey = EVERY_STOREY; storey < plan->storey_count; storey++) {
        TRY(drawn_take(plan, &drawn[1 + storey], error));
        for (int i = 0; i < SHAPE_KINDS; i++) {
            const struct node *list;
            TRY(read_list(list_owner(plan_map, storey), SHAPES[i].list, SHAPE_LIMIT, &list, error));
            for (const struct node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
                struct shape *shape = &plan->shapes[plan->shape_count++];
                shape->kind = (enum shape_kind)i;
                shape->storey = storey;
                TRY(shape_read(item, plan, shape, error));
                TRY(shape_expand(item, plan, error));
            }
        }
    }
    return PW_OK;
}

/* Also sets the size of a plan whose drawing says it. */
static pw_status shapes_read(const struct node *plan_map, const char *folder, struct plan_choice *plan, pw_error *error)
{
    size_t lists = 1 + (size_t)plan->storey_count;
    struct pw_drawing *drawn = allocate(lists, sizeof *drawn, "the drawings of the plan", error);
    TRY_MADE(drawn);
    pw_status status = drawings_read(plan_map, folder, plan, drawn, error);
    THEN(status, lists_read(plan_map, plan, drawn, error));
    for (size_t n = 0; n < lists; n++) {
        drawing_release(&drawn[n]);
    }
    free(drawn);
    return status;
}

/* ---- picture ---------------------------------------------------------------------------------------------------- */

static bool colour_parse(const char *text, uint8_t colour[3])
{
    if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6) {
        return false;
    }
    unsigned long value = strtoul(text + 1, NULL, 16);
    colour[0] = (uint8_t)(value >> 16);
    colour[1] = (uint8_t)(value >> 8 & 255);
    colour[2] = (uint8_t)(value & 255);
    return true;
}

/* What a colour stands for: a material, a map of a material and its heights, or a list of such layers. */
static pw_status layer_read(const struct node *node, const struct plan_choice *plan, struct legend_entry *entry,
                            pw_error *error)
{
    static const char *const KEYS[] = {"material", "z", "top", NULL};
    const struct node *material;
    if (node->kind != PW_NODE_MAP || node_find(node, "material") == NULL) {
        TRY(heights_need_storeys(node, plan, error));
        return node_material(node, &entry->material, error);
    }
    TRY(read_map(node, KEYS, error));
    TRY(heights_read(node, plan, EVERY_STOREY, &entry->z, error));
    TRY(read_required(node, "material", "a name such as brick, or {relative_permittivity, conductivity}", &material,
                      error));
    return node_material(material, &entry->material, error);
}

static pw_status layers_read(const struct node *node, struct plan_choice *plan, const uint8_t colour[3],
                             pw_error *error)
{
    bool many = node->kind == PW_NODE_LIST;
    NODE_FAIL_IF(many && (node->count == 0 || node->count > LAYER_LIMIT), node, error,
                 "must be a material, or a list of 1 to %d layers {material: M, z: [from, to]}", LAYER_LIMIT);
    for (const struct node *item = many ? node->first : node; item != NULL; item = many ? item->next : NULL) {
        struct legend_entry *entry = &plan->legend[plan->legend_count];
        entry->red = colour[0], entry->green = colour[1], entry->blue = colour[2];
        entry->upper = many && item != node->first;
        TRY(layer_read(item, plan, entry, error));
        NODE_FAIL_IF(many && !entry->z.has_heights && node->count > 1, item, error,
                     "is one of several layers of a colour and needs heights, as in z: [0 m, 90 cm]");
        plan->legend_count++;
    }
    return PW_OK;
}

static pw_status legend_read(const struct node *map, struct plan_choice *plan, pw_error *error)
{
    int room = 0;
    NODE_FAIL_IF(map->kind != PW_NODE_MAP || map->count == 0 || map->count > LEGEND_LIMIT, map, error,
                 "must be a map of 1 to %d colours to materials, as in \"#000000\": brick", LEGEND_LIMIT);
    for (const struct node *item = map->first; item != NULL; item = item->next) {
        room += item->kind == PW_NODE_LIST ? item->count : 1;
    }
    TRY_MADE(plan->legend = allocate((size_t)room, sizeof *plan->legend, "the legend", error));
    for (const struct node *item = map->first; item != NULL; item = item->next) {
        uint8_t colour[3];
        NODE_FAIL_IF(!colour_parse(item->key, colour), item, error,
                     "the key is no colour; write \"#rrggbb\" in quotes, as in \"#3060c0\": concrete");
        for (int i = 0; i < plan->legend_count; i++) {
            const struct legend_entry *other = &plan->legend[i];
            NODE_FAIL_IF(other->red == colour[0] && other->green == colour[1] && other->blue == colour[2], item, error,
                         "this colour is in the legend already");
        }
        TRY(layers_read(item, plan, colour, error));
    }
    return PW_OK;
}

static pw_status image_read(const struct node *map, const char *folder, struct plan_choice *plan, pw_error *error)
{
    const struct node *node = node_find(map, "image");
    if (node == NULL) {
        static const char *const NEEDS_IMAGE[] = {"pixel", "legend", "tolerance"};
        for (int i = 0; i < 3; i++) {
            NODE_FAIL_IF((node = node_find(map, NEEDS_IMAGE[i])) != NULL, node, error,
                         "has a meaning only together with 'image'");
        }
        return PW_OK;
    }
    plan->image_line = node->line;
    TRY(read_text(map, "image", PATH_LENGTH_LIMIT, &plan->image, error));
    NODE_FAIL_IF(plan->image[0] == '\0', node, error, "must be the path of a picture");
    TRY(path_resolve(folder, &plan->image, error));
    TRY(read_required(map, "pixel", "the side of one pixel, as in 2 cm", &node, error));
    TRY(read_quantity(map, "pixel", PW_DIMENSION_LENGTH, (pw_range){1e-6, 1e3, false, false}, &plan->pixel, error));
    int64_t tolerance = 0;
    TRY(read_integer(map, "tolerance", PW_DIMENSION_NUMBER, 0, 255, &tolerance, error));
    plan->tolerance = (int)tolerance;
    TRY(read_required(map, "legend", "a map of colours to materials, as in \"#000000\": brick", &node, error));
    return legend_read(node, plan, error);
}

/* ---- plan ------------------------------------------------------------------------------------------------------- */

/* Whether some drawing may say how large the plan is. */
static bool has_drawing(const struct node *map, const struct plan_choice *plan)
{
    bool found = false;
    for (int storey = EVERY_STOREY; storey < plan->storey_count; storey++) {
        found = found || node_find(list_owner(map, storey), "drawing") != NULL;
    }
    return found;
}

static pw_status size_read(const struct node *map, struct plan_choice *plan, pw_error *error)
{
    const struct node *size = node_find(map, "size");
    if (size == NULL) {
        return plan->image != NULL || has_drawing(map, plan)
                   ? PW_OK
                   : node_fail(map, error, "needs an 'image', a 'drawing' or a 'size', as in [12 m, 8 m]");
    }
    NODE_FAIL_IF(size->kind != PW_NODE_LIST || size->count != 2, size, error,
                 "must be two lengths [width, height], as in [12 m, 8 m]");
    TRY(node_quantity(size->first, PW_DIMENSION_LENGTH, ANY_SIZE, &plan->width, error));
    return node_quantity(size->last, PW_DIMENSION_LENGTH, ANY_SIZE, &plan->height, error);
}

pw_status plan_read(const struct node *map, const char *folder, struct plan_choice *plan, pw_error *error)
{
    static const char *const KEYS[] = {"image",      "pixel",    "legend",  "tolerance", "drawing",  "size",  "drawn",
                                       "rectangles", "polygons", "circles", "walls",     "openings", "boxes", "storey",
                                       "storeys",    "cut",      "over",    "clutter",   NULL};
    TRY(read_map(map, KEYS, error));
    TRY(storeys_read(map, plan, error));
    TRY(cut_read(map, plan, error));
    TRY(clutter_read(map, plan, error));
    TRY(image_read(map, folder, plan, error));
    TRY(size_read(map, plan, error));
    TRY(shapes_read(map, folder, plan, error));
    return over_read(map, plan, error);
}

void plan_release(struct plan_choice *plan)
{
    for (int i = 0; i < plan->shape_count; i++) {
        free(plan->shapes[i].points);
    }
    clutter_release(plan);
    FREE_ALL(plan->shapes, plan->legend, plan->image, plan->storeys);
    *plan = (struct plan_choice){0};
}
