/* From the text of a scenario to struct scenario: loading, overrides, the order in which the parts are read, defaults
 * filled in, the end. The parts have files of their own; with them this is the only room that knows YAML. Leaves out
 * what needs the plan or the time step: positions inside the plan, the Courant limit, Nyquist. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/atomic_file.h"
#include "base/file/folder.h"
#include "scenario/antenna/antenna_choice.h"
#include "scenario/scenario_read.h"

static const pw_range LEVEL_INTERVALS = {0, 100, true, false}; /* dB */

enum { FILE_LIMIT = 4 << 20 /* bytes */, TITLE_LIMIT = 1000 };

/* Default title: the file's name without folder and ending. */
static pw_status title_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    const char *name = strrchr(scenario->file, '/');
    name = name != NULL ? name + 1 : scenario->file;
    const char *dot = strrchr(name, '.');
    scenario->title = strndup(name, dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name));
    FAIL_IF(scenario->title == NULL, error, PW_NO_RESOURCE, "not enough memory for the title");
    return read_text(root, "title", TITLE_LIMIT, &scenario->title, error);
}

/* Three dimensions need heights. */
static pw_status dimensions_read(const struct node *root, const struct node *plan, struct scenario *scenario,
                                 pw_error *error)
{
    int64_t dimensions = 2;
    TRY(read_integer(root, "dimensions", PW_DIMENSION_NUMBER, 2, 3, &dimensions, error));
    scenario->dimensions = (int)dimensions;
    NODE_FAIL_IF(dimensions == 3 && scenario->plan.storey_count == 0, plan, error,
                 "three dimensions need heights: give plan.storey, as in storey: {height: 2.6 m, floor: "
                 "{material: concrete, thickness: 20 cm}, ceiling: {material: concrete, thickness: 20 cm}}");
    return PW_OK;
}

static pw_status field_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const NAMES[] = {"vertical", "horizontal", NULL};
    const struct node *node = node_find(root, "polarisation");
    int word = 0;
    TRY(read_choice(root, "polarisation", NAMES, &word, error));
    scenario->horizontal = word == 1;
    return node == NULL || scenario->dimensions == 2
               ? PW_OK
               : node_fail(node, error,
                           "three dimensions have all components: give the polarisation of each transmitter and "
                           "receiver, or dimensions: 2");
}

static pw_status scenario_read(const struct node *root, const char *folder, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"title",        "dimensions",   "accuracy",       "plan",    "grid", "band",
                                       "warp",         "transmitters", "receivers",      "spectra", "stop", "materials",
                                       "polarisation", "antennas",     "level_interval", NULL};
    static const char *const MATERIALS[] = {"auto", "constant", "fitted", NULL}; /* enum material_mode */
    int materials = 0;
    const struct node *plan;
    TRY(read_map(root, KEYS, error));
    TRY(title_read(root, scenario, error));
    TRY(read_quantity(root, "level_interval", PW_DIMENSION_RATIO, LEVEL_INTERVALS, &scenario->level_interval, error));
    TRY(read_required(root, "plan", "a picture or a size with shapes", &plan, error));
    TRY(plan_read(plan, folder, &scenario->plan, error));
    TRY(dimensions_read(root, plan, scenario, error));
    TRY(field_read(root, scenario, error));
    TRY(band_read(root, scenario, error));
    TRY(read_choice(root, "materials", MATERIALS, &materials, error));
    scenario->material_mode = (enum material_mode)materials;
    TRY(materials_fit(scenario, folder, error));
    TRY(accuracy_read(root, &scenario->accuracy, error));
    TRY(grid_read(root, scenario, error));
    TRY(antennas_read(root, folder, scenario, error));
    TRY(transmitters_read(root, folder, scenario, error));
    TRY(spectra_read(root, scenario, error));
    TRY(receivers_read(root, folder, scenario, error));
    TRY(stop_read(root, &scenario->stop, error));
    return scenario_write(scenario, &scenario->text, error);
}

/* What a scenario is made from. */
struct scenario_source {
    const char *name, *text; /* name: of the file, for messages */
    size_t length;           /* of the text, bytes */
    const char *folder;      /* of relative paths; NULL: the working folder */
    const char *const *overrides;
    size_t override_count;
};

static pw_status scenario_compose(struct scenario *scenario, const struct scenario_source *source, pw_error *error)
{
    OWNED_BY(tree_free) struct tree tree = {0};
    TRY(tree_parse(&tree, scenario->file, source->text, source->length, error));
    for (size_t i = 0; i < source->override_count; i++) {
        TRY(tree_override(&tree, source->overrides[i], error));
    }
    return scenario_read(tree.root, source->folder, scenario, error);
}

static pw_status scenario_create(const struct scenario_source *source, pw_scenario **scenario, pw_error *error)
{
    pw_plain_numbers numbers;
    OWNED_AS(pw_scenario) *made = allocate(1, sizeof *made, "a scenario", error);
    TRY_MADE(made);
    made->file = strdup(source->name);
    FAIL_IF(made->file == NULL, error, PW_NO_RESOURCE, "not enough memory for a scenario");
    TRY(pw_plain_numbers_begin(&numbers, error));
    const pw_status status = scenario_compose(made, source, error);
    pw_plain_numbers_end(&numbers);
    TRY(status);
    *scenario = made;
    made = NULL;
    return PW_OK;
}

pw_status pw_scenario_parse(const char *name, const char *text, const char *const *overrides, size_t override_count,
                            pw_scenario **scenario, pw_error *error)
{
    FAIL_IF(name == NULL || text == NULL || scenario == NULL || (overrides == NULL && override_count > 0), error,
            PW_USAGE, "pw_scenario_parse: name, text, scenario and overrides must not be NULL");
    *scenario = NULL;
    struct scenario_source source = {name, text, strlen(text), NULL, overrides, override_count};
    return scenario_create(&source, scenario, error);
}

/* "flat.yml" and "flat" where there is flat.yaml. */
static pw_status open_fail(const char *path, const char *what, int reason, pw_error *error)
{
    static const char *const ENDINGS[] = {".yaml", ".yml"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const int stem = (int)(dot != NULL && dot > (slash != NULL ? slash : path) ? dot - path : (int64_t)strlen(path));
    char near[PATH_MAX];
    for (int n = 0; reason == ENOENT && n < 2; n++) {
        FAIL_IF(snprintf(near, sizeof near, "%.*s%s", stem, path, ENDINGS[n]) < PATH_MAX && access(near, F_OK) == 0,
                error, PW_BAD_INPUT, "cannot read the %s '%s': %s; did you mean '%s'?", what, path, strerror(reason),
                near);
    }
    return fail(error, PW_BAD_INPUT, "cannot read the %s '%s': %s", what, path, strerror(reason));
}

pw_status yaml_file_read(const char *path, const char *what, char **text, size_t *length, pw_error *error)
{
    TRY(input_file_look(path, error));
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return open_fail(path, what, errno, error);
    }
    return input_file_load(file, path, FILE_LIMIT, text, length, error);
}

pw_status pw_scenario_load(const char *path, const char *const *overrides, size_t override_count,
                           pw_scenario **scenario, pw_error *error)
{
    FAIL_IF(path == NULL || scenario == NULL || (overrides == NULL && override_count > 0), error, PW_USAGE,
            "pw_scenario_load: path, scenario and overrides must not be NULL");
    *scenario = NULL;
    OWNED char *text = NULL;
    size_t length = 0;
    TRY(yaml_file_read(path, "scenario", &text, &length, error));
    OWNED char *folder = strchr(path, '/') != NULL ? path_folder(path, error) : NULL;
    TRY_MADE(folder != NULL || strchr(path, '/') == NULL);
    struct scenario_source source = {path, text, length, folder, overrides, override_count};
    return scenario_create(&source, scenario, error);
}

const char *pw_scenario_text(const pw_scenario *scenario)
{
    return scenario->text;
}

void pw_scenario_free(pw_scenario *scenario)
{
    if (scenario == NULL) {
        return;
    }
    plan_release(&scenario->plan);
    for (int i = 0; i < scenario->transmitter_count; i++) {
        free(scenario->transmitters[i].waveform.file);
    }
    free(scenario->transmitters);
    receivers_release(scenario);
    antennas_release(scenario);
    FREE_ALL(scenario->file, scenario->title, scenario->text, scenario);
}

PW_RELEASES(pw_scenario, pw_scenario_free)
