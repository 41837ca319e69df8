/* What a scenario says of the running spectra (`spectra`, `warp`) and of the end of the run (`stop`). Leaves out the
 * interval of samples that goes with `every: auto`, which needs the time step and the waveforms. */
#include <math.h>

#include "scenario/scenario_read.h"

enum { FREQUENCY_LIMIT = 100000 };

static pw_status region_read(const struct node *map, struct spectra_choice *spectra, pw_error *error)
{
    const struct node *node = node_find(map, "region");
    if (node == NULL) {
        return PW_OK;
    }
    NODE_FAIL_IF(node->kind != PW_NODE_LIST || node->count != 4, node, error,
                 "must be four lengths [x0, y0, x1, y1], two opposite corners");
    double edge[4] = {0};
    for (const struct node *item = node->first; item != NULL; item = item->next) {
        TRY(node_quantity(item, PW_DIMENSION_LENGTH, (pw_range){-1e6, 1e6, false, false}, &edge[item->index], error));
    }
    spectra->has_region = true;
    spectra->from = (struct point){fmin(edge[0], edge[2]), fmin(edge[1], edge[3])};
    spectra->to = (struct point){fmax(edge[0], edge[2]), fmax(edge[1], edge[3])};
    return PW_OK;
}

/* `warp` may stand at the top or within spectra; both must agree. */
static pw_status warp_read(const struct node *root, const struct node *map, bool *warp, pw_error *error)
{
    bool inner = *warp;
    TRY(read_switch(root, "warp", warp, error));
    if (map == NULL || map->kind != PW_NODE_MAP || node_find(map, "warp") == NULL) {
        return PW_OK;
    }
    const struct node *outer_node = node_find(root, "warp"), *inner_node = node_find(map, "warp");
    TRY(read_switch(map, "warp", &inner, error));
    bool overridden = outer_node != NULL && (outer_node->line > 0) != (inner_node->line > 0);
    NODE_FAIL_IF(outer_node != NULL && inner != *warp && !overridden, inner_node, error,
                 "contradicts 'warp' at the top level; give one of the two");
    if (outer_node == NULL || inner_node->line == 0) {
        *warp = inner;
    }
    return PW_OK;
}

/* ---- planes, cuts and components of three dimensions ------------------------------------------------------------- */

/* A list that must not be empty: what is chosen where it is left out is not what `[]` says. */
static pw_status read_some(const struct node *map, const char *key, int limit, const struct node **list,
                           pw_error *error)
{
    TRY(read_list(map, key, limit, list, error));
    return *list != NULL && (*list)->count == 0
               ? node_fail(*list, error, "is empty: give at least one, or leave it out for the default")
               : PW_OK;
}

static pw_status planes_read(const struct node *map, const struct plan_choice *plan, struct spectra_choice *spectra,
                             pw_error *error)
{
    const struct node *list;
    TRY(read_some(map, "heights", HEIGHT_LIMIT, &list, error));
    for (const struct node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        double height;
        TRY(node_quantity(item, PW_DIMENSION_LENGTH, (pw_range){-1e6, 1e6, false, false}, &height, error));
        TRY(plan->storey_count > 0 ? height_check(item, plan, EVERY_STOREY, height, error) : PW_OK);
        for (int n = 0; n < spectra->height_count; n++) {
            NODE_FAIL_IF(spectra->heights[n] == height, item, error, "this height is in the list already");
        }
        spectra->heights[spectra->height_count++] = height;
    }
    return PW_OK;
}

static pw_status cuts_read(const struct node *map, struct spectra_choice *spectra, pw_error *error)
{
    static const char *const KEYS[] = {"from", "to", NULL};
    const struct node *list;
    TRY(read_list(map, "cuts", HEIGHT_LIMIT, &list, error));
    for (const struct node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        struct cut_choice *cut = &spectra->cuts[spectra->cut_count];
        TRY(read_map(item, KEYS, error));
        TRY(read_point(item, "from", &cut->from, error));
        TRY(read_point(item, "to", &cut->to, error));
        NODE_FAIL_IF((cut->from.x == cut->to.x) == (cut->from.y == cut->to.y), item, error,
                     "lies along neither axis: 'from' and 'to' must differ in x or in y, and not in both");
        spectra->cut_count++;
    }
    return PW_OK;
}

static pw_status components_read(const struct node *map, const struct scenario *scenario,
                                 struct spectra_choice *spectra, pw_error *error)
{
    const struct node *list;
    const bool horizontal = scenario->horizontal;
    TRY(read_some(map, "components", 3, &list, error));
    if (list == NULL) {
        return PW_OK;
    }
    spectra->components[2] = spectra->components_open = false;
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        int component = 0;
        while (component < 3 && !node_is_word(item, component_word(horizontal, component))) {
            component++;
        }
        NODE_FAIL_IF(component == 3, item, error, "is no component; allowed: ex, ey, %s",
                     component_word(horizontal, 2));
        spectra->components[component] = true;
    }
    return scenario->dimensions == 3 || horizontal || spectra->components[2]
               ? PW_OK
               : node_fail(list, error,
                           "a run in two dimensions has ez alone; give dimensions: 3, or polarisation: horizontal");
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

pw_status spectra_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"count", "spacing", "region", "every",      "aliasing",
                                       "warp",  "heights", "cuts",   "components", NULL};
    struct spectra_choice *spectra = &scenario->spectra;
    *spectra = (struct spectra_choice){
        .enabled = true, .aliasing = 80, .warp = true, .components = {[2] = true}, .components_open = true};
    const struct node *map = node_find(root, "spectra");
    TRY(warp_read(root, map, &spectra->warp, error));
    spectra->enabled = map == NULL || !node_is_word(map, "off");
    if (map == NULL || !spectra->enabled || node_is_word(map, "on") || node_is_word(map, "auto")) {
        return PW_OK;
    }
    TRY(read_map(map, KEYS, error));
    int64_t count = 0, spacing = 0, every = 0;
    TRY(read_open_integer(map, "count", PW_DIMENSION_NUMBER, (int64_t[]){1, FREQUENCY_LIMIT}, &count, error));
    TRY(read_open_integer(map, "spacing", PW_DIMENSION_CELLS, (int64_t[]){1, 10000}, &spacing, error));
    TRY(read_open_integer(map, "every", PW_DIMENSION_NUMBER, (int64_t[]){0, 1000000}, &every, error));
    spectra->count = (int)count;
    spectra->spacing = (int)spacing;
    spectra->every = (int)every;
    TRY(read_quantity(map, "aliasing", PW_DIMENSION_RATIO, (pw_range){10, 200, false, false}, &spectra->aliasing,
                      error));
    TRY(planes_read(map, &scenario->plan, spectra, error));
    TRY(cuts_read(map, spectra, error));
    TRY(components_read(map, scenario, spectra, error));
    return region_read(map, spectra, error);
}

pw_status stop_read(const struct node *root, struct stop_choice *stop, pw_error *error)
{
    static const char *const KEYS[] = {"after", "steps", "decay", NULL};
    static const struct node NOTHING = {.kind = PW_NODE_MAP};
    const struct node *map = node_find(root, "stop");
    map = map != NULL && !node_is_word(map, "auto") ? map : &NOTHING;
    TRY(read_map(map, KEYS, error));
    const struct node *after = node_find(map, "after"), *decay = node_find(map, "decay");
    if (after != NULL && !node_is_word(after, "auto")) {
        TRY(node_quantity(after, PW_DIMENSION_TIME, (pw_range){0, 1, true, false}, &stop->after, error));
    }
    TRY(read_integer(map, "steps", PW_DIMENSION_NUMBER, 1, 1000000000000, &stop->steps, error));
    stop->decay_open = decay == NULL || node_is_word(decay, "auto");
    if (stop->decay_open || node_is_word(decay, "off")) {
        return PW_OK;
    }
    return node_quantity(decay, PW_DIMENSION_RATIO, (pw_range){-300, 0, false, false}, &stop->decay, error);
}
