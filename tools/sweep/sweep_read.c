/* sweep.yaml to a sweep: which scenario, where the outputs go, what all cases have, and the design, which is read in
 * sweep_axis.c. */
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LENGTH_LIMIT = 4096 };

static const char *const KEYS[] = {"scenario", "output",    "precision",  "set", "grid",
                                   "cases",    "hypercube", "most_cases", NULL};

static void texts_free(char **texts, int64_t count)
{
    for (int64_t n = 0; texts != NULL && n < count; n++) {
        free(texts[n]);
    }
    free(texts);
}

void pw_sweep_free(pw_sweep *sweep)
{
    if (sweep == NULL) {
        return;
    }
    for (int a = 0; a < sweep->axis_count; a++) {
        texts_free(sweep->axes[a].keys, sweep->axes[a].key_count);
        texts_free(sweep->axes[a].values, sweep->axes[a].value_count);
        free(sweep->axes[a].numbers);
    }
    texts_free(sweep->names, sweep->names != NULL ? sweep->case_count : 0);
    texts_free(sweep->fixed, sweep->fixed_count);
    PW_FREE_ALL(sweep->axes, sweep->file, sweep->scenario, sweep->folder, sweep);
}

/* `path` behind `folder`, unless it is absolute or there is none; replaces *path, which is owned. */
static pw_status path_resolve(const char *folder, char **path, pw_error *error)
{
    if (folder == NULL || (*path)[0] == '/') {
        return PW_OK;
    }
    char *joined;
    FAIL_IF(asprintf(&joined, "%s/%s", folder, *path) < 0, error, PW_NO_RESOURCE, "not enough memory for a path");
    free(*path);
    *path = joined;
    return PW_OK;
}

/* `scenario` and `output`. The outputs of study.yaml go to the folder study beside it. */
static pw_status paths_read(const pw_node *root, const char *folder, struct sweep *sweep, pw_error *error)
{
    const pw_node *scenario;
    TRY(pw_map_required(root, "scenario", "the scenario that is varied, e.g. scenario: flat.yaml", &scenario, error));
    TRY(pw_map_text(root, "scenario", PATH_LENGTH_LIMIT, &sweep->scenario, error));
    TRY(path_resolve(folder, &sweep->scenario, error));
    const char *name = strrchr(sweep->file, '/');
    name = name != NULL ? name + 1 : sweep->file;
    const char *dot = strrchr(name, '.');
    const pw_node *output = pw_node_find(root, "output");
    FAIL_IF(output == NULL && (dot == NULL || dot == name), error, PW_BAD_INPUT,
            "%s: the name has no ending such as .yaml to leave out for the folder of the outputs; write output: "
            "FOLDER",
            sweep->file);
    sweep->folder = output == NULL ? strndup(name, (size_t)(dot - name)) : NULL;
    TRY(pw_map_text(root, "output", PATH_LENGTH_LIMIT, &sweep->folder, error));
    FAIL_IF(sweep->folder == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
    for (size_t last = strlen(sweep->folder); last > 1 && sweep->folder[last - 1] == '/'; last--) {
        sweep->folder[last - 1] = '\0';
    }
    return path_resolve(folder, &sweep->folder, error);
}

/* `set`: what all cases have. */
static pw_status fixed_read(const pw_node *root, struct sweep *sweep, pw_error *error)
{
    const pw_node *map = pw_node_find(root, "set");
    if (map == NULL || pw_node_is_empty(map)) {
        return PW_OK;
    }
    PW_NODE_FAIL_IF(map->kind != PW_NODE_MAP, map, error,
                    "must be a map of keys of the scenario, as in set: {grid.cell: 1 cm}");
    for (const pw_node *entry = map->first; entry != NULL; entry = entry->next) {
        char *value;
        TRY(value_write(entry, &value, error));
        pw_status status = array_grow(&sweep->fixed, &sweep->fixed_room, (size_t)sweep->fixed_count,
                                      sizeof *sweep->fixed, "the keys of a sweep", error);
        size_t size = strlen(entry->key) + strlen(value) + 2;
        char *assignment = status == PW_OK ? allocate(size, 1, "a key of a sweep", error) : NULL;
        if (assignment != NULL) {
            snprintf(assignment, size, "%s=%s", entry->key, value);
            sweep->fixed[sweep->fixed_count++] = assignment;
        }
        free(value);
        TRY_MADE(assignment);
    }
    return PW_OK;
}

static pw_status grid_read_axes(struct sweep *sweep, const pw_node *map, pw_error *error)
{
    char how[400] = "";
    double count = 1;
    PW_NODE_FAIL_IF(map->kind != PW_NODE_MAP || map->count == 0, map, error,
                    "must be a map of keys of the scenario, each with a list of values");
    for (const pw_node *entry = map->first; entry != NULL; entry = entry->next) {
        TRY(grid_axis_read(sweep, entry, error));
        int64_t values = sweep->axes[sweep->axis_count - 1].value_count;
        size_t used = strlen(how);
        snprintf(how + used, sizeof how - used, "%s%lld", used > 0 ? " x " : "", (long long)values);
        count *= (double)values;
    }
    TRY(case_count_check(sweep, map, count, how, error));
    sweep->case_count = (int64_t)count;
    return PW_OK;
}

static pw_status design_read(const pw_node *root, struct sweep *sweep, pw_error *error)
{
    static const char *const DESIGNS[] = {"grid", "cases", "hypercube"}; /* enum sweep_design */
    const pw_node *design = NULL;
    for (int d = 0; d < 3; d++) {
        const pw_node *found = pw_node_find(root, DESIGNS[d]);
        PW_NODE_FAIL_IF(found != NULL && design != NULL, found, error,
                        "a sweep has one of 'grid', 'cases' and 'hypercube', and this one has '%s' too", design->key);
        if (found != NULL) {
            design = found;
            sweep->design = (enum sweep_design)d;
        }
    }
    PW_NODE_FAIL_IF(design == NULL, root, error,
                    "says nothing of what is to be varied: give 'grid', 'cases' or 'hypercube' (planwave help sweep)");
    PW_NODE_FAIL_IF(pw_node_is_empty(design), design, error, "has no value");
    return sweep->design == SWEEP_GRID    ? grid_read_axes(sweep, design, error)
           : sweep->design == SWEEP_CASES ? cases_read(sweep, design, error)
                                          : hypercube_read(sweep, design, error);
}

static int compare_names(const void *a, const void *b)
{
    return strcasecmp(*(char *const *)a, *(char *const *)b);
}

/* Cases without a name are case-0000 and so on; no two outputs may be one file, on no file system. */
static pw_status names_complete(struct sweep *sweep, pw_error *error)
{
    if (sweep->names == NULL) {
        return PW_OK;
    }
    size_t count = (size_t)sweep->case_count;
    for (size_t c = 0; c < count; c++) {
        char name[PW_NAME_SIZE];
        snprintf(name, sizeof name, "case-%04zu", c);
        sweep->names[c] = sweep->names[c] != NULL ? sweep->names[c] : strdup(name);
        FAIL_IF(sweep->names[c] == NULL, error, PW_NO_RESOURCE, "not enough memory for the names of a sweep");
    }
    OWNED char **sorted = allocate(count, sizeof *sorted, "the names of a sweep", error);
    TRY_MADE(sorted);
    memcpy(sorted, sweep->names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t c = 1; c < count; c++) {
        FAIL_IF(strcasecmp(sorted[c], sorted[c - 1]) == 0, error, PW_BAD_INPUT,
                "%s: two cases have the name '%s', so they would have one output", sweep->file, sorted[c]);
    }
    return PW_OK;
}

/* `folder` is that of the sweep, NULL: the working folder. */
static pw_status members_read(const pw_node *root, const char *folder, struct sweep *sweep, pw_error *error)
{
    static const char *const PRECISIONS[] = {"single", "double", NULL}; /* pw_precision */
    int precision = 0;
    TRY(pw_map_check(root, KEYS, error));
    TRY(paths_read(root, folder, sweep, error));
    TRY(pw_map_choice(root, "precision", PRECISIONS, &precision, error));
    sweep->precision = (pw_precision)precision;
    TRY(pw_map_integer(root, "most_cases", PW_DIMENSION_NUMBER, 1, SWEEP_LIMIT, &sweep->most_cases, error));
    TRY(fixed_read(root, sweep, error));
    TRY(design_read(root, sweep, error));
    return names_complete(sweep, error);
}

static pw_status sweep_read(struct sweep *sweep, pw_error *error)
{
    const char *slash = strrchr(sweep->file, '/');
    char *folder =
        slash != NULL ? strndup(sweep->file, slash == sweep->file ? 1 : (size_t)(slash - sweep->file)) : NULL;
    OWNED_AS(pw_document) *document = NULL;
    pw_plain_numbers numbers;
    FAIL_IF(slash != NULL && folder == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
    pw_status status = pw_document_read(sweep->file, "sweep", &document, error);
    THEN(status, pw_plain_numbers_begin(&numbers, error));
    if (status == PW_OK) {
        status = members_read(pw_document_root(document), folder, sweep, error);
        pw_plain_numbers_end(&numbers);
    }
    free(folder);
    return status;
}

pw_status pw_sweep_load(const char *path, pw_sweep **sweep, pw_error *error)
{
    FAIL_IF(path == NULL || sweep == NULL, error, PW_USAGE, "pw_sweep_load: path and sweep must not be NULL");
    *sweep = NULL;
    struct sweep *made = allocate(1, sizeof *made, "a sweep", error);
    TRY_MADE(made);
    made->most_cases = SWEEP_MOST;
    made->file = strdup(path);
    pw_status status =
        made->file != NULL ? sweep_read(made, error) : fail(error, PW_NO_RESOURCE, "not enough memory for a sweep");
    if (status != PW_OK) {
        pw_sweep_free(made);
        return status;
    }
    *sweep = made;
    return PW_OK;
}
