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
    if (node->kind != NODE_LIST || node->count != 4) {
        return node_fail(node, error, "must be four lengths [x0, y0, x1, y1], two opposite corners");
    }
    double edge[4] = {0};
    for (const struct node *item = node->first; item != NULL; item = item->next) {
        TRY(node_quantity(item, DIMENSION_LENGTH, (struct range){-1e6, 1e6, false, false}, &edge[item->index], error));
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
    if (map == NULL || map->kind != NODE_MAP || node_find(map, "warp") == NULL) {
        return PW_OK;
    }
    const struct node *outer_node = node_find(root, "warp"), *inner_node = node_find(map, "warp");
    TRY(read_switch(map, "warp", &inner, error));
    bool overridden = outer_node != NULL && (outer_node->line > 0) != (inner_node->line > 0);
    if (outer_node != NULL && inner != *warp && !overridden) {
        return node_fail(inner_node, error, "contradicts 'warp' at the top level; give one of the two");
    }
    if (outer_node == NULL || inner_node->line == 0) {
        *warp = inner;
    }
    return PW_OK;
}

pw_status spectra_read(const struct node *root, struct spectra_choice *spectra, pw_error *error)
{
    static const char *const KEYS[] = {"count", "spacing", "region", "every", "aliasing", "warp", NULL};
    *spectra = (struct spectra_choice){.count = 64, .spacing = 4, .aliasing = 80, .warp = true};
    const struct node *map = node_find(root, "spectra");
    TRY(warp_read(root, map, &spectra->warp, error));
    if (map == NULL || node_is_word(map, "off")) {
        return PW_OK;
    }
    TRY(read_map(map, KEYS, error));
    spectra->enabled = true;
    int64_t count = spectra->count, spacing = spectra->spacing, every = 0;
    TRY(read_integer(map, "count", DIMENSION_NUMBER, 1, FREQUENCY_LIMIT, &count, error));
    TRY(read_integer(map, "spacing", DIMENSION_CELLS, 1, 10000, &spacing, error));
    const struct node *node = node_find(map, "every");
    if (node != NULL && !node_is_word(node, "auto")) {
        TRY(read_integer(map, "every", DIMENSION_NUMBER, 0, 1000000, &every, error));
    }
    spectra->count = (int)count;
    spectra->spacing = (int)spacing;
    spectra->every = (int)every;
    TRY(read_quantity(map, "aliasing", DIMENSION_RATIO, (struct range){10, 200, false, false}, &spectra->aliasing,
                      error));
    return region_read(map, spectra, error);
}

pw_status stop_read(const struct node *root, struct stop_choice *stop, pw_error *error)
{
    static const char *const KEYS[] = {"after", "steps", "decay", NULL};
    const struct node *map;
    TRY(read_required(root, "stop", "when to end, as in {after: 300 ns, decay: -60 dB}", &map, error));
    TRY(read_map(map, KEYS, error));
    TRY(read_quantity(map, "after", DIMENSION_TIME, (struct range){0, 1, true, false}, &stop->after, error));
    TRY(read_integer(map, "steps", DIMENSION_NUMBER, 1, 1000000000000, &stop->steps, error));
    if (!(stop->after > 0) && stop->steps == 0) {
        return node_fail(map, error, "needs 'after' (a time) or 'steps' (a number), so that the run is sure to end");
    }
    const struct node *decay = node_find(map, "decay");
    if (decay == NULL || node_is_word(decay, "off")) {
        return PW_OK;
    }
    return node_quantity(decay, DIMENSION_RATIO, (struct range){-300, 0, false, false}, &stop->decay, error);
}
