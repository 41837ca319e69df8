/* From the text of a scenario to struct scenario: band, grid, transmitters, receivers, spectra and stop rule, defaults
 * filled in. With scenario_tree (libyaml), scenario_read (values), scenario_plan and scenario_text it is the only room
 * that knows YAML. Leaves out what needs the plan or the time step: positions inside the plan, the Courant limit,
 * Nyquist. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "problem/stencil.h"
#include "scenario/scenario_read.h"

enum {
    FILE_LIMIT = 4 << 20, /* bytes */
    TITLE_LIMIT = 1000,
    TRANSMITTER_LIMIT = 1000,
    RECEIVER_LIMIT = 10000,
    FREQUENCY_LIMIT = 100000,
};

static const double FREQUENCY_HIGH = 1e13; /* Hz */

const char *const WAVEFORM_NAMES[] = {"gaussian", "modulated-gaussian", "ricker",  "differentiated-gaussian",
                                      "sinusoid", "constant",           "samples", NULL};
const char *const AVERAGING_NAMES[] = {"point", "area", "moment", "bandlimited", NULL};

/* ---- band ------------------------------------------------------------------------------------------------------- */

static pw_status band_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"centre", "width", NULL};
    const struct node *band, *centre, *width;
    TRY(read_required(root, "band", "the frequencies wanted, as in {centre: 2.4 GHz, width: 600 MHz}", &band, error));
    TRY(read_map(band, KEYS, error));
    TRY(read_required(band, "centre", "a frequency, as in 2.4 GHz", &centre, error));
    TRY(read_required(band, "width", "a frequency, as in 600 MHz", &width, error));
    struct range positive = {0, FREQUENCY_HIGH, true, false};
    TRY(node_quantity(centre, DIMENSION_FREQUENCY, positive, &scenario->band_centre, error));
    TRY(node_quantity(width, DIMENSION_FREQUENCY, positive, &scenario->band_width, error));
    if (!(scenario->band_centre - 0.5 * scenario->band_width > 0)) {
        char limit[QUANTITY_SIZE];
        return node_fail(width, error,
                         "the lower band edge must lie above 0 Hz: with this centre the width must be below %s",
                         quantity_format(2 * scenario->band_centre, DIMENSION_FREQUENCY, limit));
    }
    return PW_OK;
}

/* ---- grid ------------------------------------------------------------------------------------------------------- */

static pw_status cell_read(const struct node *map, const struct scenario *scenario, double *cell, pw_error *error)
{
    const struct node *length = node_find(map, "cell"), *density = node_find(map, "cells_per_wavelength");
    if (length != NULL && density != NULL) {
        /* One of them may stem from --set: it wins over the file. */
        if ((length->line > 0) == (density->line > 0)) {
            return node_fail(density, error, "'cell' is given too; give one of the two");
        }
        *(length->line > 0 ? &length : &density) = NULL;
    }
    if (length != NULL) {
        return node_quantity(length, DIMENSION_LENGTH, (struct range){1e-9, 1e3, false, false}, cell, error);
    }
    if (density == NULL) {
        return node_fail(map, error,
                         "the key 'cell' is missing: the side of a cell, as in 2 cm (or cells_per_wavelength: 10)");
    }
    double cells = 0;
    TRY(node_quantity(density, DIMENSION_NUMBER, (struct range){2, 1e4, true, false}, &cells, error));
    *cell = SPEED_OF_LIGHT / ((scenario->band_centre + 0.5 * scenario->band_width) * cells);
    return PW_OK;
}

static pw_status absorber_read(const struct node *map, struct grid_choice *grid, pw_error *error)
{
    static const char *const KEYS[] = {"kind", "cells", "order", "reflection", NULL};
    const char *kinds[ABSORBER_KIND_COUNT + 2] = {NULL};
    TRY(read_map(map, KEYS, error));
    for (int k = 0; k < ABSORBER_KIND_COUNT; k++) {
        kinds[k] = absorber_model((enum absorber_kind)k)->name;
    }
    kinds[ABSORBER_KIND_COUNT] = "none"; /* another word for pec: nothing absorbs */
    int kind = (int)grid->absorber.kind;
    TRY(read_choice(map, "kind", kinds, &kind, error));
    grid->absorber.kind = kind < ABSORBER_KIND_COUNT ? (enum absorber_kind)kind : ABSORBER_PEC;
    if (!absorber_model(grid->absorber.kind)->layered) {
        grid->absorber.cells = 0;
        int64_t cells = 0;
        return read_integer(map, "cells", DIMENSION_CELLS, 0, 0, &cells, error);
    }
    int64_t cells = grid->absorber.cells;
    TRY(read_integer(map, "cells", DIMENSION_CELLS, 1, 1000, &cells, error));
    grid->absorber.cells = (int)cells;
    TRY(read_quantity(map, "order", DIMENSION_NUMBER, (struct range){1, 10, false, false}, &grid->absorber.order,
                      error));
    return read_quantity(map, "reflection", DIMENSION_NUMBER, (struct range){0, 1, true, true},
                         &grid->absorber.reflection, error);
}

static pw_status scheme_read(const struct node *map, enum scheme *scheme, pw_error *error)
{
    const char *names[SCHEME_COUNT + 1] = {NULL};
    for (int i = 0; i < SCHEME_COUNT; i++) {
        names[i] = scheme_name((enum scheme)i);
    }
    int index = (int)*scheme;
    TRY(read_choice(map, "scheme", names, &index, error));
    *scheme = (enum scheme)index;
    return PW_OK;
}

static pw_status grid_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"scheme",  "averaging", "cell", "cells_per_wavelength",
                                       "courant", "absorber",  NULL};
    struct grid_choice *grid = &scenario->grid;
    *grid = (struct grid_choice){.scheme = SCHEME_DD4, .courant = 0.5, .absorber = {ABSORBER_UPML, 16, 4, exp(-16)}};
    const struct node *map;
    TRY(read_required(root, "grid", "at least the cell, as in {cell: 2 cm}", &map, error));
    TRY(read_map(map, KEYS, error));
    TRY(scheme_read(map, &grid->scheme, error));
    int averaging = grid->scheme == SCHEME_YEE ? AVERAGING_AREA : AVERAGING_MOMENT;
    TRY(read_choice(map, "averaging", AVERAGING_NAMES, &averaging, error));
    grid->averaging = (enum averaging)averaging;
    TRY(cell_read(map, scenario, &grid->cell, error));
    TRY(read_quantity(map, "courant", DIMENSION_NUMBER, (struct range){0, 1, true, false}, &grid->courant, error));
    const struct node *absorber = node_find(map, "absorber");
    return absorber != NULL ? absorber_read(absorber, grid, error) : PW_OK;
}

/* ---- transmitters ----------------------------------------------------------------------------------------------- */

/* Keys that have a meaning for a kind of waveform. */
static pw_status waveform_keys(const struct node *map, enum waveform_kind kind, pw_error *error)
{
    static const char *const GAUSSIAN[] = {"kind", "amplitude", "width", "delay", NULL};
    static const char *const MODULATED[] = {"kind", "amplitude", "frequency", "width", "delay", NULL};
    static const char *const RICKER[] = {"kind", "amplitude", "frequency", "delay", NULL};
    static const char *const SINUSOID[] = {"kind", "amplitude", "frequency", "ramp", "delay", NULL};
    static const char *const CONSTANT[] = {"kind", "amplitude", "ramp", "delay", NULL};
    static const char *const SAMPLES[] = {"kind", "amplitude", "file", NULL};
    static const char *const *const KEYS[] = {GAUSSIAN, MODULATED, RICKER, MODULATED, SINUSOID, CONSTANT, SAMPLES};
    pw_error reason;
    if (read_map(map, KEYS[kind], &reason) == PW_OK) {
        return PW_OK;
    }
    return fail(error, PW_BAD_INPUT, "%.900s (for kind: %s)", reason.message, WAVEFORM_NAMES[kind]);
}

/* A time, or the word auto, which stands for the value already there. */
static pw_status read_time_or_auto(const struct node *map, const char *key, struct range range, double *value,
                                   pw_error *error)
{
    const struct node *node = node_find(map, key);
    if (node == NULL || node_is_word(node, "auto")) {
        return PW_OK;
    }
    return node_quantity(node, DIMENSION_TIME, range, value, error);
}

static pw_status waveform_read(const struct node *map, const char *folder, const struct scenario *scenario,
                               struct waveform_choice *waveform, pw_error *error)
{
    static const char *const KEYS[] = {"kind", "frequency", "width", "delay", "ramp", "amplitude", "file", NULL};
    TRY(read_map(map, KEYS, error));
    int kind = WAVEFORM_MODULATED_GAUSSIAN;
    TRY(read_choice(map, "kind", WAVEFORM_NAMES, &kind, error));
    waveform->kind = (enum waveform_kind)kind;
    TRY(waveform_keys(map, waveform->kind, error));
    TRY(read_quantity(map, "amplitude", DIMENSION_NUMBER, (struct range){-1e12, 1e12, false, false},
                      &waveform->amplitude, error));
    if (waveform->amplitude == 0) {
        return node_fail(node_find(map, "amplitude"), error,
                         "a source of amplitude zero sends nothing; allowed: any other number");
    }
    if (kind == WAVEFORM_SAMPLES) {
        const struct node *file;
        TRY(read_required(map, "file", "the path of a CSV: time [s], current [A]", &file, error));
        TRY(read_text(map, "file", 4096, &waveform->file, error));
        return waveform->file[0] == '\0' ? node_fail(file, error, "must be the path of a CSV")
                                         : path_resolve(folder, &waveform->file, error);
    }
    TRY(read_quantity(map, "frequency", DIMENSION_FREQUENCY, (struct range){0, FREQUENCY_HIGH, true, false},
                      &waveform->frequency, error));
    bool lasting = kind == WAVEFORM_SINUSOID || kind == WAVEFORM_CONSTANT;
    if (lasting) {
        waveform->delay = 0;
        waveform->ramp = 10 / (kind == WAVEFORM_SINUSOID ? waveform->frequency : scenario->band_centre);
    }
    TRY(read_time_or_auto(map, "width", (struct range){0, 1, true, false}, &waveform->width, error));
    TRY(read_time_or_auto(map, "delay", (struct range){0, 1, false, false}, &waveform->delay, error));
    return read_quantity(map, "ramp", DIMENSION_TIME, (struct range){0, 1, false, false}, &waveform->ramp, error);
}

static pw_status transmitter_read(const struct node *map, const char *folder, const struct scenario *scenario,
                                  struct transmitter_choice *transmitter, pw_error *error)
{
    static const char *const KEYS[] = {"name", "at", "to", "power", "source", "sampled_at", "waveform", NULL};
    static const char *const SOURCES[] = {"soft", "hard", NULL};
    static const char *const SAMPLED[] = {"midpoint", "end", NULL};
    TRY(read_map(map, KEYS, error));
    TRY(read_name(map, "name", transmitter->name, error));
    TRY(read_point(map, "at", &transmitter->at, error));
    transmitter->to = transmitter->at;
    if (node_find(map, "to") != NULL) {
        TRY(read_point(map, "to", &transmitter->to, error));
    }
    TRY(read_quantity(map, "power", DIMENSION_POWER, (struct range){-200, 200, false, false}, &transmitter->power,
                      error));
    int source = SOURCE_SOFT, sampled = 0;
    TRY(read_choice(map, "source", SOURCES, &source, error));
    TRY(read_choice(map, "sampled_at", SAMPLED, &sampled, error));
    transmitter->source = (enum source_kind)source;
    transmitter->sampled_at_step_end = sampled == 1;
    const struct node *waveform = node_find(map, "waveform");
    return waveform != NULL ? waveform_read(waveform, folder, scenario, &transmitter->waveform, error) : PW_OK;
}

static pw_status transmitters_read(const struct node *root, const char *folder, struct scenario *scenario,
                                   pw_error *error)
{
    const struct node *list;
    TRY(read_list(root, "transmitters", TRANSMITTER_LIMIT, &list, error));
    if (list == NULL || list->count == 0) {
        return node_fail(list != NULL ? list : root, error,
                         "the list 'transmitters' needs at least one entry, as in - {name: ap1, at: [1 m, 2 m]}");
    }
    scenario->transmitters = allocate((size_t)list->count, sizeof *scenario->transmitters, "transmitters", error);
    if (scenario->transmitters == NULL) {
        return PW_NO_RESOURCE;
    }
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        struct transmitter_choice *transmitter = &scenario->transmitters[scenario->transmitter_count++];
        transmitter->power = 20;
        transmitter->line = item->line;
        transmitter->waveform = (struct waveform_choice){
            .kind = WAVEFORM_MODULATED_GAUSSIAN, .amplitude = 1, .frequency = scenario->band_centre, .delay = NAN};
        snprintf(transmitter->name, sizeof transmitter->name, "tx%d", item->index + 1);
        TRY(transmitter_read(item, folder, scenario, transmitter, error));
        for (int i = 0; i < item->index; i++) {
            if (strcmp(scenario->transmitters[i].name, transmitter->name) == 0) {
                return node_fail(item, error, "a second transmitter of the name '%s'; names must differ",
                                 transmitter->name);
            }
        }
    }
    return PW_OK;
}

/* ---- receivers -------------------------------------------------------------------------------------------------- */

static int name_compare(const void *a, const void *b)
{
    const struct receiver_choice *const *first = a, *const *second = b;
    return strcmp((*first)->name, (*second)->name);
}

/* Sorting finds twins among many receivers quickly. */
static pw_status receivers_distinct(const struct node *list, const struct scenario *scenario, pw_error *error)
{
    int count = scenario->receiver_count;
    const struct receiver_choice **sorted = allocate((size_t)count, sizeof *sorted, "receiver names", error);
    if (sorted == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int i = 0; i < count; i++) {
        sorted[i] = &scenario->receivers[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, name_compare);
    pw_status status = PW_OK;
    for (int i = 1; i < count && status == PW_OK; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0) {
            status = node_fail(list, error, "has two receivers of the name '%s' (lines %d and %d); names must differ",
                               sorted[i]->name, sorted[i - 1]->line, sorted[i]->line);
        }
    }
    free(sorted);
    return status;
}

static pw_status receivers_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"name", "at", "gain", NULL};
    const struct node *list;
    TRY(read_list(root, "receivers", RECEIVER_LIMIT, &list, error));
    int count = list != NULL ? list->count : 0;
    scenario->receivers = allocate((size_t)count, sizeof *scenario->receivers, "receivers", error);
    if (scenario->receivers == NULL) {
        return PW_NO_RESOURCE;
    }
    for (const struct node *item = count > 0 ? list->first : NULL; item != NULL; item = item->next) {
        struct receiver_choice *receiver = &scenario->receivers[scenario->receiver_count++];
        receiver->line = item->line;
        snprintf(receiver->name, sizeof receiver->name, "rx%d", item->index + 1);
        TRY(read_map(item, KEYS, error));
        TRY(read_name(item, "name", receiver->name, error));
        TRY(read_point(item, "at", &receiver->at, error));
        TRY(read_quantity(item, "gain", DIMENSION_GAIN, (struct range){-200, 200, false, false}, &receiver->gain,
                          error));
    }
    return count > 1 ? receivers_distinct(list, scenario, error) : PW_OK;
}

/* ---- spectra and stop rule -------------------------------------------------------------------------------------- */

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

static pw_status spectra_read(const struct node *root, struct spectra_choice *spectra, pw_error *error)
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

static pw_status stop_read(const struct node *root, struct stop_choice *stop, pw_error *error)
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

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* Default title: the file's name without folder and ending. */
static pw_status title_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    const char *name = strrchr(scenario->file, '/');
    name = name != NULL ? name + 1 : scenario->file;
    const char *dot = strrchr(name, '.');
    scenario->title = strndup(name, dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name));
    if (scenario->title == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for the title");
    }
    return read_text(root, "title", TITLE_LIMIT, &scenario->title, error);
}

static pw_status scenario_read(const struct node *root, const char *folder, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"title",        "plan",      "grid",    "band", "warp",
                                       "transmitters", "receivers", "spectra", "stop", NULL};
    const struct node *plan;
    TRY(read_map(root, KEYS, error));
    TRY(title_read(root, scenario, error));
    TRY(read_required(root, "plan", "a picture or a size with shapes", &plan, error));
    TRY(plan_read(plan, folder, &scenario->plan, error));
    TRY(band_read(root, scenario, error));
    TRY(grid_read(root, scenario, error));
    TRY(transmitters_read(root, folder, scenario, error));
    TRY(receivers_read(root, scenario, error));
    TRY(spectra_read(root, &scenario->spectra, error));
    TRY(stop_read(root, &scenario->stop, error));
    return scenario_write(scenario, &scenario->text, error);
}

static pw_status scenario_compose(struct scenario *scenario, const char *text, size_t length, const char *folder,
                                  const char *const *overrides, size_t override_count, pw_error *error)
{
    struct tree tree = {0};
    pw_status status = tree_parse(&tree, scenario->file, text, length, error);
    for (size_t i = 0; i < override_count && status == PW_OK; i++) {
        status = tree_override(&tree, overrides[i], error);
    }
    if (status == PW_OK) {
        status = scenario_read(tree.root, folder, scenario, error);
    }
    tree_free(&tree);
    return status;
}

/* Numbers have a decimal point whatever the locale of the program that uses this library. */
static pw_status scenario_create(const char *name, const char *text, size_t length, const char *folder,
                                 const char *const *overrides, size_t override_count, pw_scenario **scenario,
                                 pw_error *error)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    struct scenario *made = allocate(1, sizeof *made, "a scenario", error);
    if (made == NULL || plain == (locale_t)0 || (made->file = strdup(name)) == NULL) {
        pw_scenario_free(made);
        if (plain != (locale_t)0) {
            freelocale(plain);
        }
        return fail(error, PW_NO_RESOURCE, "not enough memory for a scenario");
    }
    locale_t before = uselocale(plain);
    pw_status status = scenario_compose(made, text, length, folder, overrides, override_count, error);
    uselocale(before);
    freelocale(plain);
    if (status != PW_OK) {
        pw_scenario_free(made);
        return status;
    }
    *scenario = made;
    return PW_OK;
}

pw_status pw_scenario_parse(const char *name, const char *text, const char *const *overrides, size_t override_count,
                            pw_scenario **scenario, pw_error *error)
{
    if (name == NULL || text == NULL || scenario == NULL || (overrides == NULL && override_count > 0)) {
        return fail(error, PW_USAGE, "pw_scenario_parse: name, text, scenario and overrides must not be NULL");
    }
    *scenario = NULL;
    return scenario_create(name, text, strlen(text), NULL, overrides, override_count, scenario, error);
}

/* The whole file, at most FILE_LIMIT bytes. */
static pw_status file_read(const char *path, char **text, size_t *length, pw_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(error, PW_BAD_INPUT, "cannot read the scenario '%s': %s", path, strerror(errno));
    }
    char *buffer = allocate(FILE_LIMIT + 1, 1, "the scenario file", error);
    if (buffer == NULL) {
        fclose(file);
        return PW_NO_RESOURCE;
    }
    *length = fread(buffer, 1, FILE_LIMIT + 1, file);
    int reason = ferror(file) ? errno : 0;
    fclose(file);
    if (reason != 0 || *length > FILE_LIMIT) {
        free(buffer);
        return reason != 0
                   ? fail(error, PW_BAD_INPUT, "cannot read the scenario '%s': %s", path, strerror(reason))
                   : fail(error, PW_BAD_INPUT, "the scenario '%s' is larger than %d MiB", path, FILE_LIMIT >> 20);
    }
    *text = buffer;
    return PW_OK;
}

pw_status pw_scenario_load(const char *path, const char *const *overrides, size_t override_count,
                           pw_scenario **scenario, pw_error *error)
{
    if (path == NULL || scenario == NULL || (overrides == NULL && override_count > 0)) {
        return fail(error, PW_USAGE, "pw_scenario_load: path, scenario and overrides must not be NULL");
    }
    *scenario = NULL;
    char *text = NULL, *folder = NULL;
    size_t length = 0;
    TRY(file_read(path, &text, &length, error));
    const char *slash = strrchr(path, '/');
    if (slash != NULL) {
        folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    }
    pw_status status = slash != NULL && folder == NULL
                           ? fail(error, PW_NO_RESOURCE, "not enough memory for the path of the scenario")
                           : scenario_create(path, text, length, folder, overrides, override_count, scenario, error);
    free(folder);
    free(text);
    return status;
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
    free(scenario->receivers);
    free(scenario->file);
    free(scenario->title);
    free(scenario->text);
    free(scenario);
}
