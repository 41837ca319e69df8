/* sweep.yaml to a sweep: which scenario, where the outputs go, what all cases have, and the design, which is read in
 * sweep_axis.c. */
#include "scenario/scenario_read.h"
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    free(sweep->axes);
    free(sweep->file);
    free(sweep->scenario);
    free(sweep->folder);
    free(sweep);
}

/* `scenario` and `output`. The outputs of study.yaml go to the folder study beside it. */
static pw_status paths_read(const struct node *root, const char *folder, struct sweep *sweep, pw_error *error)
{
    const struct node *scenario;
    TRY(read_required(root, "scenario", "the scenario that is varied, e.g. scenario: flat.yaml", &scenario, error));
    TRY(read_text(root, "scenario", PATH_LENGTH_LIMIT, &sweep->scenario, error));
    TRY(path_resolve(folder, &sweep->scenario, error));
    const char *name = strrchr(sweep->file, '/');
    name = name != NULL ? name + 1 : sweep->file;
    const char *dot = strrchr(name, '.');
    const struct node *output = node_find(root, "output");
    if (output == NULL && (dot == NULL || dot == name)) {
        return fail(
            error, PW_BAD_INPUT,
            "%s: the name has no ending such as .yaml to leave out for the folder of the outputs; write output: "
            "FOLDER",
            sweep->file);
    }
    sweep->folder = output == NULL ? strndup(name, (size_t)(dot - name)) : NULL;
    TRY(read_text(root, "output", PATH_LENGTH_LIMIT, &sweep->folder, error));
    if (sweep->folder == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for a path");
    }
    for (size_t last = strlen(sweep->folder); last > 1 && sweep->folder[last - 1] == '/'; last--) {
        sweep->folder[last - 1] = '\0';
    }
    return path_resolve(folder, &sweep->folder, error);
}

/* `set`: what all cases have. */
static pw_status fixed_read(const struct node *root, struct sweep *sweep, pw_error *error)
{
    const struct node *map = node_find(root, "set");
    if (map == NULL || node_is_empty(map)) {
        return PW_OK;
    }
    if (map->kind != NODE_MAP) {
        return node_fail(map, error, "must be a map of keys of the scenario, as in set: {grid.cell: 1 cm}");
    }
    for (const struct node *entry = map->first; entry != NULL; entry = entry->next) {
        char *value;
        TRY(value_write(entry, &value, error));
        char **fixed = array_with_room(sweep->fixed, &sweep->fixed_room, (size_t)sweep->fixed_count, sizeof *fixed,
                                       "the keys of a sweep", error);
        size_t size = strlen(entry->key) + strlen(value) + 2;
        char *assignment = fixed != NULL ? allocate(size, 1, "a key of a sweep", error) : NULL;
        sweep->fixed = fixed != NULL ? fixed : sweep->fixed;
        if (assignment != NULL) {
            snprintf(assignment, size, "%s=%s", entry->key, value);
            sweep->fixed[sweep->fixed_count++] = assignment;
        }
        free(value);
        if (assignment == NULL) {
            return PW_NO_RESOURCE;
        }
    }
    return PW_OK;
}

static pw_status grid_read_axes(struct sweep *sweep, const struct node *map, pw_error *error)
{
    char how[400] = "";
    double count = 1;
    if (map->kind != NODE_MAP || map->count == 0) {
        return node_fail(map, error, "must be a map of keys of the scenario, each with a list of values");
    }
    for (const struct node *entry = map->first; entry != NULL; entry = entry->next) {
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

static pw_status design_read(const struct node *root, struct sweep *sweep, pw_error *error)
{
    static const char *const DESIGNS[] = {"grid", "cases", "hypercube"}; /* enum sweep_design */
    const struct node *design = NULL;
    for (int d = 0; d < 3; d++) {
        const struct node *found = node_find(root, DESIGNS[d]);
        if (found != NULL && design != NULL) {
            return node_fail(found, error,
                             "a sweep has one of 'grid', 'cases' and 'hypercube', and this one has '%s' too",
                             design->key);
        }
        if (found != NULL) {
            design = found;
            sweep->design = (enum sweep_design)d;
        }
    }
    if (design == NULL) {
        return node_fail(
            root, error,
            "says nothing of what is to be varied: give 'grid', 'cases' or 'hypercube' (planwave help sweep)");
    }
    if (node_is_empty(design)) {
        return node_fail(design, error, "has no value");
    }
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
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "case-%04zu", c);
        sweep->names[c] = sweep->names[c] != NULL ? sweep->names[c] : strdup(name);
        if (sweep->names[c] == NULL) {
            return fail(error, PW_NO_RESOURCE, "not enough memory for the names of a sweep");
        }
    }
    char **sorted = allocate(count, sizeof *sorted, "the names of a sweep", error);
    if (sorted == NULL) {
        return PW_NO_RESOURCE;
    }
    memcpy(sorted, sweep->names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_names);
    pw_status status = PW_OK;
    for (size_t c = 1; c < count && status == PW_OK; c++) {
        if (strcasecmp(sorted[c], sorted[c - 1]) == 0) {
            status = fail(error, PW_BAD_INPUT, "%s: two cases have the name '%s', so they would have one output",
                          sweep->file, sorted[c]);
        }
    }
    free(sorted);
    return status;
}

static pw_status sweep_read(const struct node *root, const char *folder, struct sweep *sweep, pw_error *error)
{
    static const char *const PRECISIONS[] = {"single", "double", NULL}; /* pw_precision */
    int precision = 0;
    TRY(read_map(root, KEYS, error));
    TRY(paths_read(root, folder, sweep, error));
    TRY(read_choice(root, "precision", PRECISIONS, &precision, error));
    sweep->precision = (pw_precision)precision;
    TRY(read_integer(root, "most_cases", PW_DIMENSION_NUMBER, 1, SWEEP_LIMIT, &sweep->most_cases, error));
    TRY(fixed_read(root, sweep, error));
    TRY(design_read(root, sweep, error));
    return names_complete(sweep, error);
}

static pw_status sweep_parse(struct sweep *sweep, const char *text, size_t length, pw_error *error)
{
    struct tree tree = {0};
    struct plain_numbers numbers;
    const char *slash = strrchr(sweep->file, '/');
    char *folder =
        slash != NULL ? strndup(sweep->file, slash == sweep->file ? 1 : (size_t)(slash - sweep->file)) : NULL;
    if (slash != NULL && folder == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for a path");
    }
    pw_status status = plain_numbers_begin(&numbers, error);
    if (status == PW_OK) {
        status = tree_parse(&tree, sweep->file, text, length, error);
        status = status == PW_OK ? sweep_read(tree.root, folder, sweep, error) : status;
        plain_numbers_end(&numbers);
    }
    tree_free(&tree);
    free(folder);
    return status;
}

pw_status pw_sweep_load(const char *path, pw_sweep **sweep, pw_error *error)
{
    if (path == NULL || sweep == NULL) {
        return fail(error, PW_USAGE, "pw_sweep_load: path and sweep must not be NULL");
    }
    *sweep = NULL;
    char *text = NULL;
    size_t length = 0;
    TRY(yaml_file_read(path, "sweep", &text, &length, error));
    struct sweep *made = allocate(1, sizeof *made, "a sweep", error);
    pw_status status = made != NULL ? PW_OK : PW_NO_RESOURCE;
    if (status == PW_OK) {
        made->most_cases = SWEEP_MOST;
        made->file = strdup(path);
        status = made->file != NULL ? sweep_parse(made, text, length, error)
                                    : fail(error, PW_NO_RESOURCE, "not enough memory for a sweep");
    }
    free(text);
    if (status != PW_OK) {
        pw_sweep_free(made);
        return status;
    }
    *sweep = made;
    return PW_OK;
}
