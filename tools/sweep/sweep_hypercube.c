/* A Latin hypercube (McKay, Beckman and Conover, Technometrics 21, 1979): of n samples each key has one in every n-th
 * part of its range, in an order of its own. The same seed makes the same samples on every machine. */
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEED_LIMIT = 1000 };
static const char *const HYPERCUBE[] = {"samples", "seed", "seeds", "keys", NULL};

/* `seed`, a number, or `seeds`, a list: each seed makes a hypercube of its own. */
static pw_status seeds_read(const pw_node *map, int64_t seeds[SEED_LIMIT], int *count, pw_error *error)
{
    const pw_node *seed = pw_node_find(map, "seed"), *list = pw_node_find(map, "seeds");
    seeds[0] = 1;
    *count = 1;
    PW_NODE_FAIL_IF(seed != NULL && list != NULL, list, error, "give either 'seed' or 'seeds'");
    if (list == NULL) {
        return pw_map_integer(map, "seed", PW_DIMENSION_NUMBER, 0, INT32_MAX, &seeds[0], error);
    }
    PW_NODE_FAIL_IF(list->kind != PW_NODE_LIST || list->count == 0 || list->count > SEED_LIMIT, list, error,
                    "must be a list of 1 to %d whole numbers", SEED_LIMIT);
    *count = list->count;
    for (const pw_node *item = list->first; item != NULL; item = item->next) {
        double number;
        TRY(pw_node_quantity(item, PW_DIMENSION_NUMBER, (pw_range){0, INT32_MAX, false, false}, &number, error));
        seeds[item->index] = (int64_t)number;
        PW_NODE_FAIL_IF(number != floor(number), item, error, "must be a whole number");
        for (int s = 0; s < item->index; s++) {
            PW_NODE_FAIL_IF(seeds[s] == seeds[item->index], item, error, "the seed is given twice");
        }
    }
    return PW_OK;
}

/* Samples of one key: sample n lies in part order[n] of the range, anywhere in it. */
static pw_status hypercube_fill(struct sweep_axis *axis, const struct value_range *range, int64_t seed, int key,
                                int64_t first, int64_t samples, pw_error *error)
{
    OWNED int64_t *order = allocate((size_t)samples, sizeof *order, "the order of samples", error);
    TRY_MADE(order);
    uint64_t state = pw_random_hash(pw_random_hash((uint64_t)seed + 1) + (uint64_t)key);
    for (int64_t n = 0; n < samples; n++) { /* Fisher and Yates, from the inside */
        int64_t other = (int64_t)(pw_random_next(&state) % (uint64_t)(n + 1));
        order[n] = order[other];
        order[other] = n;
    }
    for (int64_t n = 0; n < samples; n++) {
        double part = ((double)order[n] + pw_random_unit(pw_random_next(&state))) / (double)samples;
        TRY(range_value(range, part, &axis->values[first + n], error));
    }
    return PW_OK;
}

/* The seed as one more coordinate of the cases, which sets no key. */
static pw_status seed_axis(struct sweep *sweep, const pw_node *map, const int64_t *seeds, int64_t samples,
                           pw_error *error)
{
    struct sweep_axis *axis;
    TRY(axis_add(sweep, "hypercube_seed", map, sweep->case_count, &axis, error));
    for (int64_t c = 0; c < sweep->case_count; c++) {
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)seeds[c / samples]);
        axis->values[c] = strdup(text);
        FAIL_IF(axis->values[c] == NULL, error, PW_NO_RESOURCE, "not enough memory for the values of a sweep");
    }
    return axis_measure(axis, error);
}

static pw_status hypercube_axis(struct sweep *sweep, const pw_node *entry, const int64_t *seeds, int64_t samples,
                                pw_error *error)
{
    static const char *const KEYS[] = {"key", "keys", "from", "to", "scale", NULL};
    struct value_range range;
    struct sweep_axis *axis;
    TRY(pw_map_check(entry, KEYS, error));
    TRY(range_read(entry, &range, error));
    TRY(axis_begin(sweep, entry, sweep->case_count, &axis, error));
    for (int64_t first = 0; first < sweep->case_count; first += samples) {
        TRY(hypercube_fill(axis, &range, seeds[first / samples], entry->index, first, samples, error));
    }
    return axis_measure(axis, error);
}

pw_status hypercube_read(struct sweep *sweep, const pw_node *map, pw_error *error)
{
    int64_t samples = 0, seeds[SEED_LIMIT] = {1};
    int seed_count;
    char how[64];
    const pw_node *keys;
    TRY(pw_map_check(map, HYPERCUBE, error));
    PW_NODE_FAIL_IF(pw_node_find(map, "samples") == NULL, map, error,
                    "the key 'samples' is missing: the number of cases");
    TRY(pw_map_integer(map, "samples", PW_DIMENSION_NUMBER, 1, SWEEP_LIMIT, &samples, error));
    TRY(seeds_read(map, seeds, &seed_count, error));
    snprintf(how, sizeof how, "%lld samples of %d seed%s", (long long)samples, seed_count, seed_count > 1 ? "s" : "");
    TRY(case_count_check(sweep, map, (double)samples * seed_count, how, error));
    sweep->case_count = samples * seed_count;
    TRY(pw_map_required(map, "keys", "what varies, as in keys: {grid.cell: {from: 1 cm, to: 2 cm}}", &keys, error));
    PW_NODE_FAIL_IF(keys->kind != PW_NODE_MAP || keys->count == 0, keys, error,
                    "must be a map of keys of the scenario, each with {from: ..., to: ...}");
    for (const pw_node *entry = keys->first; entry != NULL; entry = entry->next) {
        TRY(hypercube_axis(sweep, entry, seeds, samples, error));
    }
    return seed_count > 1 ? seed_axis(sweep, map, seeds, samples, error) : PW_OK;
}
