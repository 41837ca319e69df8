/* The designs of a sweep, from YAML to axes: a grid of values, a list of cases. The third is in sweep_hypercube.c. */
#include "sweep/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* "plan_walls_3_thickness": a key as the name of a coordinate. */
static void axis_name_of_key(const char *key, char name[PW_NAME_SIZE])
{
    size_t used = 0;
    for (const char *c = key; *c != '\0' && used < PW_NAME_SIZE - 1; c++) {
        bool letter = isalnum((unsigned char)*c);
        if (letter || (used > 0 && name[used - 1] != '_')) { /* "walls[3].at" has one '_' between two words */
            name[used++] = letter ? *c : '_';
        }
    }
    while (used > 1 && name[used - 1] == '_') {
        used--;
    }
    name[used] = '\0';
}

/* Coordinates stand beside the axes of the results in one group of the collected file. */
static pw_status name_check(const struct sweep *sweep, const pw_node *node, const char *name, pw_error *error)
{
    static const char *const TAKEN[] = {"x",
                                        "y",
                                        "z",
                                        "frequency",
                                        "time",
                                        "case",
                                        "case_name",
                                        "seed",
                                        "ez",
                                        "ex",
                                        "ey",
                                        "hz",
                                        "spectrum",
                                        "power",
                                        "at_x",
                                        "at_y",
                                        "at_z",
                                        "finished",
                                        "output",
                                        "warning_count",
                                        "cell",
                                        "time_step",
                                        "transmitters",
                                        "relative_permittivity",
                                        "receivers",
                                        "plan",
                                        "conductivity",
                                        "spectra",
                                        "summary",
                                        NULL};
    for (int t = 0; TAKEN[t] != NULL; t++) {
        PW_NODE_FAIL_IF(strcmp(TAKEN[t], name) == 0, node, error,
                        "the name '%s' is taken in the collected file; give the axis another: NAME: {key: KEY, "
                        "values: [...]}",
                        name);
    }
    for (int a = 0; a < sweep->axis_count; a++) {
        PW_NODE_FAIL_IF(strcasecmp(sweep->axes[a].name, name) == 0, node, error,
                        "the name '%s' is that of the axis of line %d as well; give one of them another: NAME: "
                        "{key: KEY, values: [...]}",
                        name, sweep->axes[a].line);
    }
    PW_NODE_FAIL_IF(!isalpha((unsigned char)name[0]), node, error, "the name of an axis begins with a letter");
    return PW_OK;
}

pw_status axis_add(struct sweep *sweep, const char *name, const pw_node *node, int64_t value_count,
                   struct sweep_axis **axis, pw_error *error)
{
    TRY(name_check(sweep, node, name, error));
    PW_NODE_FAIL_IF(sweep->axis_count == SWEEP_AXES && sweep->design == SWEEP_GRID, node, error,
                    "a grid has at most %d axes", SWEEP_AXES);
    TRY(array_grow(&sweep->axes, &sweep->axis_room, (size_t)sweep->axis_count, sizeof *sweep->axes,
                   "the axes of a sweep", error));
    *axis = &sweep->axes[sweep->axis_count];
    **axis = (struct sweep_axis){.line = node->line};
    snprintf((*axis)->name, PW_NAME_SIZE, "%s", name);
    (*axis)->values = allocate((size_t)value_count, sizeof *(*axis)->values, "the values of a sweep", error);
    TRY_MADE((*axis)->values);
    (*axis)->value_count = value_count;
    sweep->axis_count++;
    return PW_OK;
}

/* Overrides are applied in the order of the axes: a later one must not set what an earlier one has set a part of. */
static pw_status key_check(const struct sweep *sweep, const pw_node *node, const char *key, pw_error *error)
{
    size_t length = strlen(key);
    for (int a = 0; a < sweep->axis_count; a++) {
        for (int k = 0; k < sweep->axes[a].key_count; k++) {
            const char *other = sweep->axes[a].keys[k];
            if (strncmp(other, key, length) == 0 && strchr(".[", other[length]) != NULL) { /* or the end */
                return pw_node_fail(
                    node, error,
                    "'%.60s' would undo '%.60s' of line %d, which it holds; set a key once, and what is "
                    "a part of another after that",
                    key, other, sweep->axes[a].line);
            }
        }
    }
    return PW_OK;
}

static pw_status axis_add_key(const struct sweep *sweep, struct sweep_axis *axis, const pw_node *node, const char *key,
                              pw_error *error)
{
    TRY(key_check(sweep, node, key, error));
    PW_NODE_FAIL_IF(key[0] == '\0' || strchr(key, '=') != NULL, node, error,
                    "is no key of a scenario; write it as after --set, e.g. grid.cell");
    PW_NODE_FAIL_IF(axis->key_count == SWEEP_KEYS, node, error, "an axis sets at most %d keys", SWEEP_KEYS);
    TRY(array_grow(&axis->keys, &axis->key_room, (size_t)axis->key_count, sizeof *axis->keys, "the keys of a sweep",
                   error));
    char *copy = strdup(key);
    FAIL_IF(copy == NULL, error, PW_NO_RESOURCE, "not enough memory for the keys of a sweep");
    axis->keys[axis->key_count++] = copy;
    return PW_OK;
}

pw_status axis_measure(struct sweep_axis *axis, pw_error *error)
{
    axis->numbers = allocate((size_t)axis->value_count, sizeof *axis->numbers, "the values of a sweep", error);
    TRY_MADE(axis->numbers);
    if (!values_measure(axis->values, axis->value_count, &axis->dimension, axis->numbers)) {
        free(axis->numbers);
        axis->numbers = NULL;
    }
    return PW_OK;
}

/* `key` or `keys` of an axis with a name of its own; without either the name is the key. */
static pw_status keys_read(const struct sweep *sweep, struct sweep_axis *axis, const pw_node *entry, pw_error *error)
{
    const pw_node *key = entry->kind == PW_NODE_MAP ? pw_node_find(entry, "key") : NULL;
    const pw_node *keys = entry->kind == PW_NODE_MAP ? pw_node_find(entry, "keys") : NULL;
    PW_NODE_FAIL_IF(key != NULL && keys != NULL, keys, error, "give either 'key' or 'keys'");
    if (key != NULL) {
        TRY(pw_node_scalar(key, "a key of the scenario", error));
        return axis_add_key(sweep, axis, key, key->text, error);
    }
    if (keys == NULL) {
        return axis_add_key(sweep, axis, entry, entry->key, error);
    }
    PW_NODE_FAIL_IF(keys->kind != PW_NODE_LIST || keys->count == 0, keys, error,
                    "must be a list of keys of the scenario");
    for (const pw_node *item = keys->first; item != NULL; item = item->next) {
        TRY(pw_node_scalar(item, "a key of the scenario", error));
        TRY(axis_add_key(sweep, axis, item, item->text, error));
    }
    return PW_OK;
}

static bool has_own_name(const pw_node *entry)
{
    return entry->kind == PW_NODE_MAP && (pw_node_find(entry, "key") != NULL || pw_node_find(entry, "keys") != NULL);
}

pw_status axis_begin(struct sweep *sweep, const pw_node *entry, int64_t value_count, struct sweep_axis **axis,
                     pw_error *error)
{
    char name[PW_NAME_SIZE];
    bool own = has_own_name(entry);
    axis_name_of_key(entry->key, name);
    PW_NODE_FAIL_IF(own && strcmp(name, entry->key) != 0, entry, error,
                    "the name of an axis is made of letters, digits and '_', at most %d", PW_NAME_SIZE - 1);
    TRY(axis_add(sweep, name, entry, value_count, axis, error));
    return keys_read(sweep, *axis, entry, error);
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

pw_status range_read(const pw_node *entry, struct value_range *range, pw_error *error)
{
    static const char *const SCALES[] = {"linear", "log", NULL};
    const pw_node *from, *to;
    int scale = 0;
    TRY(pw_map_required(entry, "from", "the lower end of the range", &from, error));
    TRY(pw_map_required(entry, "to", "the upper end of the range", &to, error));
    TRY(pw_node_scalar(from, "a quantity", error));
    TRY(pw_node_scalar(to, "a quantity", error));
    TRY(pw_map_choice(entry, "scale", SCALES, &scale, error));
    range->logarithmic = scale == 1;
    double ends[2];
    char *texts[] = {(char *)from->text, (char *)to->text};
    PW_NODE_FAIL_IF(!values_measure(texts, 2, &range->dimension, ends), to, error,
                    "and 'from' = '%.60s' are not two quantities of one kind, as in from: 8 cm, to: 20 cm", from->text);
    range->from = ends[0];
    range->to = ends[1];
    PW_NODE_FAIL_IF(!(range->from < range->to), to, error, "must be over 'from', which is '%.60s'", from->text);
    PW_NODE_FAIL_IF(range->logarithmic && !(range->from > 0), from, error, "must be over zero on a logarithmic scale");
    return PW_OK;
}

pw_status range_value(const struct value_range *range, double part, char **text, pw_error *error)
{
    char digits[64], quantity[PW_QUANTITY_SIZE];
    double value = range->logarithmic ? range->from * pow(range->to / range->from, part)
                                      : range->from + part * (range->to - range->from);
    snprintf(digits, sizeof digits, "%.9g", value);
    *text = strdup(pw_quantity_format(strtod(digits, NULL), range->dimension, quantity));
    return *text != NULL ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for the values of a sweep");
}

pw_status case_count_check(const struct sweep *sweep, const pw_node *node, double count, const char *how,
                           pw_error *error)
{
    if (count <= (double)sweep->most_cases) {
        return PW_OK;
    }
    PW_NODE_FAIL_IF(count > SWEEP_LIMIT, node, error, "makes %s = %.0f cases; more than %d are never made", how, count,
                    SWEEP_LIMIT);
    return pw_node_fail(
        node, error, "makes %s = %.0f cases, and at most %lld are made; if that many are meant, write most_cases: %.0f",
        how, count, (long long)sweep->most_cases, count);
}

/* ---- grid -------------------------------------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static pw_status twins_check(const struct sweep_axis *axis, const pw_node *list, pw_error *error)
{
    size_t count = (size_t)axis->value_count;
    union {
        double *numbers;
        char **texts;
    } sorted = {.numbers = allocate(count, sizeof(union {
                                        double number;
                                        char *text;
                                    }),
                                    "the values of a sweep", error)};
    TRY_MADE(sorted.numbers);
    bool measured = axis->numbers != NULL;
    memcpy(sorted.numbers, measured ? (const void *)axis->numbers : (const void *)axis->values,
           count * (measured ? sizeof(double) : sizeof(char *)));
    qsort(sorted.numbers, count, measured ? sizeof(double) : sizeof(char *),
          measured ? pw_number_order : compare_texts);
    pw_status status = PW_OK;
    for (size_t v = 1; v < count && status == PW_OK; v++) {
        if (measured && sorted.numbers[v] == sorted.numbers[v - 1]) {
            status = pw_node_fail(list, error, "has the value %.12g %s twice", sorted.numbers[v],
                                  dimension_units(axis->dimension));
        } else if (!measured && strcmp(sorted.texts[v], sorted.texts[v - 1]) == 0) {
            status = pw_node_fail(list, error, "has the value %.60s twice", sorted.texts[v]);
        }
    }
    free(sorted.numbers);
    return status;
}

static pw_status listed_values(struct sweep *sweep, const pw_node *entry, const pw_node *list, pw_error *error)
{
    PW_NODE_FAIL_IF(list->kind != PW_NODE_LIST, list, error,
                    "must be a list of values, as in [1 cm, 2 cm], or a range {from: 1 cm, to: 3 cm, count: 5}");
    PW_NODE_FAIL_IF(list->count == 0, list, error, "has no values");
    TRY(case_count_check(sweep, list, list->count, "the axis", error)); /* before twins are looked for */
    struct sweep_axis *axis;
    TRY(axis_begin(sweep, entry, list->count, &axis, error));
    for (const pw_node *item = list->first; item != NULL; item = item->next) {
        TRY(value_write(item, &axis->values[item->index], error));
    }
    TRY(axis_measure(axis, error));
    return twins_check(axis, list, error);
}

static pw_status ranged_values(struct sweep *sweep, const pw_node *entry, pw_error *error)
{
    struct value_range range;
    struct sweep_axis *axis;
    int64_t count = 0;
    TRY(range_read(entry, &range, error));
    PW_NODE_FAIL_IF(pw_node_find(entry, "count") == NULL, entry, error,
                    "the key 'count' is missing: the number of values from 'from' to 'to'");
    TRY(pw_map_integer(entry, "count", PW_DIMENSION_NUMBER, 2, SWEEP_LIMIT, &count, error));
    TRY(case_count_check(sweep, entry, (double)count, "the axis", error));
    TRY(axis_begin(sweep, entry, count, &axis, error));
    for (int64_t v = 0; v < count; v++) {
        TRY(range_value(&range, (double)v / (double)(count - 1), &axis->values[v], error));
    }
    TRY(axis_measure(axis, error));
    return twins_check(axis, entry, error);
}

pw_status grid_axis_read(struct sweep *sweep, const pw_node *entry, pw_error *error)
{
    static const char *const KEYS[] = {"key", "keys", "values", "from", "to", "count", "scale", NULL};
    if (entry->kind != PW_NODE_MAP) {
        return listed_values(sweep, entry, entry, error);
    }
    TRY(pw_map_check(entry, KEYS, error));
    const pw_node *values = pw_node_find(entry, "values");
    if (values == NULL) {
        return ranged_values(sweep, entry, error);
    }
    for (const pw_node *child = entry->first; child != NULL; child = child->next) {
        PW_NODE_FAIL_IF(strcmp(child->key, "values") != 0 && strncmp(child->key, "key", 3) != 0, child, error,
                        "belongs to a range; this axis has 'values'");
    }
    return listed_values(sweep, entry, values, error);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static struct sweep_axis *axis_of_key(struct sweep *sweep, const char *key)
{
    for (int a = 0; a < sweep->axis_count; a++) {
        if (strcmp(sweep->axes[a].keys[0], key) == 0) {
            return &sweep->axes[a];
        }
    }
    return NULL;
}

static pw_status case_read(struct sweep *sweep, const pw_node *item, pw_error *error)
{
    PW_NODE_FAIL_IF(item->kind != PW_NODE_MAP || item->count == 0, item, error,
                    "must be a map of keys of the scenario, as in {name: a, grid.cell: 1 cm}");
    for (const pw_node *child = item->first; child != NULL; child = child->next) {
        if (strcmp(child->key, "name") == 0) {
            char name[PW_NAME_SIZE];
            TRY(pw_map_name(item, "name", name, error));
            sweep->names[item->index] = strdup(name);
            FAIL_IF(sweep->names[item->index] == NULL, error, PW_NO_RESOURCE,
                    "not enough memory for the names of a sweep");
            continue;
        }
        struct sweep_axis *axis = axis_of_key(sweep, child->key);
        if (axis == NULL) {
            char name[PW_NAME_SIZE];
            axis_name_of_key(child->key, name);
            TRY(axis_add(sweep, name, child, sweep->case_count, &axis, error));
            TRY(axis_add_key(sweep, axis, child, child->key, error));
        }
        TRY(value_write(child, &axis->values[item->index], error));
    }
    return PW_OK;
}

pw_status cases_read(struct sweep *sweep, const pw_node *list, pw_error *error)
{
    PW_NODE_FAIL_IF(list->kind != PW_NODE_LIST || list->count == 0, list, error,
                    "must be a list of cases, each a map of keys of the scenario");
    TRY(case_count_check(sweep, list, list->count, "the list", error));
    sweep->case_count = list->count;
    sweep->names = allocate((size_t)list->count, sizeof *sweep->names, "the names of a sweep", error);
    TRY_MADE(sweep->names);
    for (const pw_node *item = list->first; item != NULL; item = item->next) {
        TRY(case_read(sweep, item, error));
    }
    for (int a = 0; a < sweep->axis_count; a++) {
        TRY(axis_measure(&sweep->axes[a], error));
    }
    return PW_OK;
}
