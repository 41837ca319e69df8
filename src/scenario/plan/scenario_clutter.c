/* `clutter` of a plan: furniture, cupboards and people as an ensemble, of which `seed` says the draw. Where the things
 * stand, plan/clutter/ decides.
 *
 * Densities of the presets, each a share of the floor. Home and office: things take 11 +- 5 % of the room's volume
 * (mean of five bedrooms, four kitchens and three offices; A. Manuja, Total Surface Area in Indoor Environments,
 * Virginia Tech, hdl.handle.net/10919/83384), which is the mean over the heights of the share of a cut. Warehouse:
 * dense clutter covers 40 % of the surface or more, in things of 2 m (3GPP TR 38.901, table 7.2-4, indoor factory).
 * Sizes in homes and offices, the least one of warehouses, and all materials are guesses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario_read.h"

enum { CLUTTER_LIMIT = 64, MATERIAL_LIMIT = 16, PRESET_MATERIALS = 4 };

static const struct preset {
    const char *name;
    double density, least, most;
    const char *materials[PRESET_MATERIALS + 1]; /* each as likely; NULL after the last */
} PRESETS[] = {{"empty", 0.0, 0.4, 1.2, {"wood", NULL}},
               {"home", 0.11, 0.4, 1.2, {"wood", "wood", "wood", "metal", NULL}},
               {"office", 0.11, 0.4, 1.6, {"wood", "wood", "metal", NULL}},
               {"warehouse", 0.40, 0.8, 2.0, {"metal", "wood", NULL}}};
enum { PRESET_COUNT = sizeof PRESETS / sizeof PRESETS[0] };

static const pw_range DENSITIES = {0, 0.9, false, false}, SIZES = {0.05, 20, false, false},
                      HEIGHTS = {0, 100, true, false};

static pw_status preset_take(const struct node *node, struct clutter_choice *clutter, pw_error *error)
{
    const char *names[PRESET_COUNT + 1] = {NULL};
    TRY(node_scalar(node, "a preset: empty, home, office or warehouse", error));
    for (int n = 0; n < PRESET_COUNT; n++) {
        const struct preset *preset = &PRESETS[n];
        names[n] = preset->name;
        if (strcmp(node->text, preset->name) != 0) {
            continue;
        }
        clutter->density = preset->density;
        clutter->least = preset->least;
        clutter->most = preset->most;
        TRY_MADE(clutter->materials = allocate(PRESET_MATERIALS, sizeof *clutter->materials, "clutter", error));
        for (int m = 0; preset->materials[m] != NULL; m++) {
            struct material_choice *material = &clutter->materials[clutter->material_count++];
            snprintf(material->name, sizeof material->name, "%s", preset->materials[m]);
            material->perfect_conductor = strcmp(material->name, "metal") == 0;
        }
        return PW_OK;
    }
    const char *nearest = word_nearest(node->text, names);
    return node_fail(node, error, "is no preset%s%s%s; there are empty, home, office and warehouse",
                     nearest != NULL ? ": did you mean '" : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? "'?" : "");
}

static pw_status materials_take(const struct node *node, struct clutter_choice *clutter, pw_error *error)
{
    const bool many = node->kind == PW_NODE_LIST;
    NODE_FAIL_IF(many && (node->count == 0 || node->count > MATERIAL_LIMIT), node, error,
                 "must be 1 to %d materials, as in [wood, wood, metal]", MATERIAL_LIMIT);
    free(clutter->materials);
    clutter->material_count = 0;
    clutter->materials = allocate(many ? (size_t)node->count : 1, sizeof *clutter->materials, "clutter", error);
    TRY_MADE(clutter->materials);
    for (const struct node *item = many ? node->first : node; item != NULL; item = many ? item->next : NULL) {
        TRY(node_material(item, &clutter->materials[clutter->material_count++], error));
    }
    return PW_OK;
}

static pw_status sizes_take(const struct node *node, struct clutter_choice *clutter, pw_error *error)
{
    NODE_FAIL_IF(node->kind != PW_NODE_LIST || node->count != 2, node, error,
                 "must be the shortest and the longest side of a thing, as in [40 cm, 1.2 m]");
    TRY(node_quantity(node->first, PW_DIMENSION_LENGTH, SIZES, &clutter->least, error));
    TRY(node_quantity(node->last, PW_DIMENSION_LENGTH, SIZES, &clutter->most, error));
    return clutter->least <= clutter->most
               ? PW_OK
               : node_fail(node, error, "the shortest side, %g m, is longer than the longest, %g m", clutter->least,
                           clutter->most);
}

static pw_status area_take(const struct node *map, struct clutter_choice *clutter, pw_error *error)
{
    const struct node *from = node_find(map, "from"), *to = node_find(map, "to");
    NODE_FAIL_IF((from == NULL) != (to == NULL), from != NULL ? from : to, error,
                 "needs the opposite corner too: give both 'from' and 'to'");
    clutter->has_area = from != NULL;
    if (!clutter->has_area) {
        return PW_OK;
    }
    struct point a, b;
    TRY(read_point(map, "from", &a, error));
    TRY(read_point(map, "to", &b, error));
    clutter->from = (struct point){fmin(a.x, b.x), fmin(a.y, b.y)};
    clutter->to = (struct point){fmax(a.x, b.x), fmax(a.y, b.y)};
    return clutter->from.x < clutter->to.x && clutter->from.y < clutter->to.y
               ? PW_OK
               : node_fail(from, error, "'from' and 'to' are opposite corners and must differ in x and in y");
}

static pw_status height_take(const struct node *map, const struct plan_choice *plan, struct clutter_choice *clutter,
                             pw_error *error)
{
    const struct node *height = node_find(map, "height");
    NODE_FAIL_IF(height != NULL && plan->storey_count == 0, height, error,
                 "is a height, and the plan has none: give plan.storey, as in storey: {height: 2.6 m}");
    return read_quantity(map, "height", PW_DIMENSION_LENGTH, HEIGHTS, &clutter->height, error);
}

static pw_status map_take(const struct node *map, const struct plan_choice *plan, struct clutter_choice *clutter,
                          pw_error *error)
{
    static const char *const KEYS[] = {"preset", "density", "size", "materials", "seed", "height", "from", "to", NULL};
    const struct node *node;
    TRY(read_map(map, KEYS, error));
    if ((node = node_find(map, "preset")) != NULL) {
        TRY(preset_take(node, clutter, error));
    } else {
        TRY(read_required(map, "density", "the share of the floor that is covered, as in 11 %; or give a preset", &node,
                          error));
        TRY(read_required(map, "size", "the shortest and the longest side, as in [40 cm, 1.2 m]", &node, error));
        TRY(read_required(map, "materials", "a list of materials, as in [wood, metal]", &node, error));
    }
    TRY(read_quantity(map, "density", PW_DIMENSION_SHARE, DENSITIES, &clutter->density, error));
    if ((node = node_find(map, "size")) != NULL) {
        TRY(sizes_take(node, clutter, error));
    }
    if ((node = node_find(map, "materials")) != NULL) {
        TRY(materials_take(node, clutter, error));
    }
    TRY(read_integer(map, "seed", PW_DIMENSION_NUMBER, 0, INT32_MAX, &clutter->seed, error));
    TRY(height_take(map, plan, clutter, error));
    return area_take(map, clutter, error);
}

pw_status clutter_read(const struct node *plan_map, struct plan_choice *plan, pw_error *error)
{
    const struct node *node = node_find(plan_map, "clutter");
    if (node == NULL || node_is_empty(node)) {
        return PW_OK;
    }
    const bool many = node->kind == PW_NODE_LIST;
    NODE_FAIL_IF(many && node->count > CLUTTER_LIMIT, node, error, "has %d entries; at most %d are allowed",
                 node->count, CLUTTER_LIMIT);
    TRY_MADE(plan->clutter = allocate(many ? (size_t)node->count : 1, sizeof *plan->clutter, "clutter", error));
    for (const struct node *item = many ? node->first : node; item != NULL; item = many ? item->next : NULL) {
        struct clutter_choice *clutter = &plan->clutter[plan->clutter_count++];
        *clutter = (struct clutter_choice){.seed = 1, .height = NAN, .line = item->line};
        TRY(item->kind == PW_NODE_MAP ? map_take(item, plan, clutter, error) : preset_take(item, clutter, error));
    }
    return PW_OK;
}

void clutter_release(struct plan_choice *plan)
{
    for (int n = 0; n < plan->clutter_count; n++) {
        free(plan->clutter[n].materials);
    }
    free(plan->clutter);
}
