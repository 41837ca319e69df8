/* The document of a session (document.h). */
#include "serve/document/document.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Cells times steps of all transmitters: a day at 10^9 a second. */
static const double WORK_MOST = 86400e9;

/* ---- the current version ----------------------------------------------------------------------------------------- */

const char *document_text(const struct document *document)
{
    return document->versions[document->version];
}

int document_transmitter(const struct document *document, const char *name)
{
    int found = pw_scenario_find_transmitter(document->scenario, name);
    return found >= 0 ? found : 0;
}

bool document_is_saved(const struct document *document)
{
    return strcmp(document_text(document), document->saved) == 0;
}

/* Makes *scenario the current one, with the plan that it draws if that may be another, and takes it over. */
static pw_status scenario_take(struct document *document, pw_scenario **scenario, bool draw, pw_error *error)
{
    if (draw) {
        pw_floorplan *plan = NULL;
        TRY(pw_floorplan_create(*scenario, &plan, error));
        pw_floorplan_free(document->plan);
        document->plan = plan;
        document->plan_revision++;
    }
    pw_scenario_free(document->scenario);
    document->scenario = *scenario;
    *scenario = NULL;
    document->revision++;
    return PW_OK;
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

static void versions_forget(struct document *document, int first, int count)
{
    for (int n = first; n < first + count; n++) {
        free(document->versions[n]);
    }
    memmove(&document->versions[first], &document->versions[first + count],
            (size_t)(document->version_count - first - count) * sizeof *document->versions);
    document->version_count -= count;
}

/* The oldest go when there are too many, or too long ones. */
static void versions_trim(struct document *document)
{
    size_t bytes = 0;
    int keep = 0;
    for (int n = document->version_count - 1; n >= 0; n--) {
        bytes += strlen(document->versions[n]);
        keep += keep == 0 || (bytes <= VERSION_BYTES && keep < VERSIONS_MOST);
    }
    int drop = document->version_count - keep;
    versions_forget(document, 0, drop);
    document->version -= drop;
}

/* Puts `text` after the current version, or in its place; takes it over. There is room: VERSIONS_MOST + 1. */
static void version_add(struct document *document, char *text, bool replace)
{
    int at = replace ? document->version : document->version + 1;
    versions_forget(document, at, document->version_count - at);
    document->versions[at] = text;
    document->version = at;
    document->version_count = at + 1;
    versions_trim(document);
}

/* A drag that ends where it began is no step of undo. */
static void drag_forget(struct document *document)
{
    int last = document->version;
    if (last > 0 && strcmp(document->versions[last], document->versions[last - 1]) == 0) {
        versions_forget(document, last, 1);
        document->version--;
    }
}

static pw_status version_go(struct document *document, int step, pw_error *error)
{
    int to = document->version + step;
    OWNED_AS(pw_scenario) *scenario = NULL;
    FAIL_IF(to < 0 || to >= document->version_count, error, PW_BAD_INPUT, "there is nothing to %s",
            step < 0 ? "undo" : "redo");
    TRY(pw_scenario_parse(document->file, document->versions[to], NULL, 0, &scenario, error));
    TRY(scenario_take(document, &scenario, true, error));
    document->version = to;
    document->dragging = false;
    return PW_OK;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* Of the plan as it was, conductors left out, and of what the message brings. */
static double largest_permittivity(const struct document *document, const struct message *message)
{
    const int count = pw_floorplan_describe(document->plan).material_count;
    const char *known = message->material[0] != '\0' ? pw_material_canonical(message->material) : NULL;
    double largest = message->kind == MESSAGE_MATERIAL ? message->relative_permittivity : 1;
    if (known != NULL) {
        const double centre = pw_scenario_describe(document->scenario).band_centre;
        largest = fmax(largest, pw_material_at(known, centre).relative_permittivity);
    }
    for (int m = 0; m < count; m++) {
        const pw_floorplan_material one = pw_floorplan_describe_material(document->plan, m);
        largest = one.perfect_conductor ? largest : fmax(largest, one.relative_permittivity);
    }
    return largest;
}

/* Whether even a grid of 40 cells to the slowest wavelength, finer than any that is chosen, is small: then nobody need
 * wait for a closer look. */
static bool is_small(const struct document *document, const pw_scenario *scenario, const struct message *message)
{
    const pw_scenario_facts facts = pw_scenario_describe(scenario);
    const pw_floorplan_facts plan = pw_floorplan_describe(document->plan);
    const double upper = facts.band_centre + 0.5 * facts.band_width,
                 cells = 40 * upper * sqrt(largest_permittivity(document, message)) / PW_SPEED_OF_LIGHT, rim = 100;
    const double nodes = (plan.width * cells + rim) * (plan.height * cells + rim);
    return nodes * facts.transmitter_count < 2e8 && 80 * nodes < 0.5 * (double)pw_memory_available();
}

/* What a run of the scenario would take is forecast before it is taken: by a grid of another band, or in another
 * material, or by more transmitters. Where a transmitter stands does not matter. */
static pw_status check_size(const pw_scenario *scenario, pw_error *error)
{
    pw_setup_size size;
    pw_error reason = {""};
    const pw_status status = pw_setup_measure(scenario, &size, &reason);
    FAIL_IF(status != PW_OK, error, status, "%.950s%s", reason.message,
            status == PW_NO_RESOURCE ? "; --memory allows more" : "");
    const double work = (double)size.nodes * (double)size.steps * pw_scenario_describe(scenario).transmitter_count;
    return work <= WORK_MOST ? PW_OK
                             : fail(error, PW_NO_RESOURCE,
                                    "a run of this has %.2g cells and %.2g steps, and would take days; take a lower "
                                    "frequency or a smaller plan",
                                    (double)size.nodes, (double)size.steps);
}

static pw_status check_change(const struct document *document, const pw_scenario *scenario,
                              const struct message *message, pw_error *error)
{
    const bool as_large = message->kind == MESSAGE_MOVE || message->kind == MESSAGE_REMOVE ||
                          message->kind == MESSAGE_ERASE || message->kind == MESSAGE_POWER;
    const bool small = message->kind != MESSAGE_SCALE && is_small(document, scenario, message);
    return as_large || small ? PW_OK : check_size(scenario, error);
}

/* The text that a message makes of the current one. */
static pw_status text_change(const struct document *document, const struct message *message, char **text,
                             pw_error *error)
{
    OWNED_AS(pw_scenario) *scenario = NULL;
    TRY(pw_scenario_parse(document->file, document_text(document), NULL, 0, &scenario, error));
    TRY(edit_apply(scenario, document->plan, message, error));
    return pw_scenario_write(scenario, NULL, text, error);
}

pw_status document_apply(struct document *document, const struct message *message, pw_error *error)
{
    OWNED char *text = NULL;
    OWNED_AS(pw_scenario) *scenario = NULL;
    if (message->kind == MESSAGE_UNDO || message->kind == MESSAGE_REDO) {
        return version_go(document, message->kind == MESSAGE_UNDO ? -1 : 1, error);
    }
    TRY(text_change(document, message, &text, error));
    TRY(pw_scenario_parse(document->file, text, NULL, 0, &scenario, error));
    TRY(check_change(document, scenario, message, error));
    TRY(scenario_take(document, &scenario, edit_changes_plan(message->kind), error));
    bool dragged = document->dragging && message->kind == MESSAGE_MOVE;
    version_add(document, text, dragged);
    text = NULL;
    if (dragged && !message->drag) {
        drag_forget(document);
    }
    document->dragging = message->kind == MESSAGE_MOVE && message->drag;
    return PW_OK;
}

/* ---- opening, closing -------------------------------------------------------------------------------------------- */

/* A live page shows maps of a floor. */
static pw_status check_maps(const pw_scenario *scenario, pw_error *error)
{
    const pw_scenario_facts facts = pw_scenario_describe(scenario);
    FAIL_IF(facts.dimensions != 2, error, PW_BAD_INPUT,
            "%s: dimensions: 3: a live page shows plans in two dimensions; --set dimensions=2 solves the cut of "
            "this plan at plan.cut, or at the height of the first transmitter",
            facts.file);
    return facts.spectra
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "%s: 'spectra' is off, and the maps of a live page need them; --set spectra=on takes them",
                      facts.file);
}

static pw_status names_take(struct document *document, const char *path, pw_error *error)
{
    document->file = realpath(path, NULL);
    FAIL_IF(document->file == NULL, error, PW_BAD_INPUT, "cannot read the scenario '%s': %s", path, strerror(errno));
    document->folder = strdup(document->file);
    document->versions = allocate(VERSIONS_MOST + 2, sizeof *document->versions, "the document", error);
    FAIL_IF(document->folder == NULL || document->versions == NULL, error, PW_NO_RESOURCE,
            "not enough memory for the document");
    char *slash = strrchr(document->folder, '/');
    slash[slash == document->folder ? 1 : 0] = '\0';
    return PW_OK;
}

/* Whether the file has no transmitters yet, as planwave import writes it where no --tx is given. */
static bool file_lacks_transmitters(const char *path)
{
    OWNED_AS(pw_document) *read = NULL;
    return pw_document_read(path, "scenario", &read, NULL) == PW_OK &&
           pw_node_find(pw_document_root(read), "transmitters") == NULL;
}

/* A first one in the middle of the plan, from where it is dragged. */
static pw_status first_transmitter_place(pw_scenario **scenario, pw_error *error)
{
    OWNED_AS(pw_floorplan) *plan = NULL;
    OWNED char *text = NULL;
    TRY(pw_floorplan_create(*scenario, &plan, error));
    const pw_floorplan_facts facts = pw_floorplan_describe(plan);
    pw_scenario_place_transmitter(*scenario, 0, 0.5 * facts.width, 0.5 * facts.height);
    TRY(pw_scenario_write(*scenario, NULL, &text, error));
    pw_scenario *placed = NULL;
    TRY(pw_scenario_parse(pw_scenario_describe(*scenario).file, text, NULL, 0, &placed, error));
    pw_scenario_free(*scenario);
    *scenario = placed;
    return PW_OK;
}

static pw_status scenario_open(const struct document *document, const char *const *overrides, size_t override_count,
                               pw_scenario **scenario, pw_error *error)
{
    static const char FIRST[] = "transmitters=[{name: ap1, at: [0 m, 0 m]}]";
    if (!file_lacks_transmitters(document->file)) {
        return pw_scenario_load(document->file, overrides, override_count, scenario, error);
    }
    OWNED const char **all = allocate(override_count + 1, sizeof *all, "a first transmitter", error);
    TRY_MADE(all);
    all[0] = FIRST;
    for (size_t n = 0; n < override_count; n++) {
        all[n + 1] = overrides[n];
    }
    TRY(pw_scenario_load(document->file, all, override_count + 1, scenario, error));
    return first_transmitter_place(scenario, error);
}

static pw_status document_read(struct document *document, const char *const *overrides, size_t override_count,
                               pw_error *error)
{
    OWNED_AS(pw_scenario) *scenario = NULL;
    TRY(scenario_open(document, overrides, override_count, &scenario, error));
    document->versions[0] = strdup(pw_scenario_text(scenario));
    document->saved = strdup(pw_scenario_text(scenario));
    document->version_count = 1;
    TRY(check_maps(scenario, error));
    TRY(check_size(scenario, error));
    FAIL_IF(document->versions[0] == NULL || document->saved == NULL, error, PW_NO_RESOURCE,
            "not enough memory for the document");
    return scenario_take(document, &scenario, true, error);
}

pw_status document_open(struct document *document, const char *path, const char *const *overrides,
                        size_t override_count, pw_error *error)
{
    *document = (struct document){0};
    pw_status status = names_take(document, path, error);
    THEN(status, document_read(document, overrides, override_count, error));
    if (status != PW_OK) {
        document_close(document);
    }
    return status;
}

void document_close(struct document *document)
{
    for (int n = 0; n < document->version_count; n++) {
        free(document->versions[n]);
    }
    PW_FREE_ALL(document->versions, document->file, document->folder, document->saved);
    pw_scenario_free(document->scenario);
    pw_floorplan_free(document->plan);
    *document = (struct document){0};
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

pw_status document_portable_text(struct document *document, char **text, pw_error *error)
{
    OWNED_AS(pw_scenario) *scenario = NULL;
    TRY(pw_scenario_parse(document->file, document_text(document), NULL, 0, &scenario, error));
    /* Where a picture is gone, what was changed can be kept all the same, with whole paths. */
    return pw_scenario_write(scenario, document->file, text, NULL) == PW_OK
               ? PW_OK
               : pw_scenario_write(scenario, NULL, text, error);
}

bool document_may_be_called(const char *name)
{
    size_t length = strlen(name);
    const char *dot = strrchr(name, '.');
    bool good = length > 5 && length < FILE_NAME_SIZE && name[0] != '.' && name[0] != '-' && dot != NULL &&
                dot != name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    for (size_t n = 0; n < length; n++) {
        good = good && (unsigned char)name[n] >= ' ' && name[n] != '/' && name[n] != '\\' && name[n] != 0x7f;
    }
    return good;
}

static pw_status check_name(const char *name, pw_error *error)
{
    return document_may_be_called(name)
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "the name must be that of a file without folders, at most %d bytes, that ends in .yaml or .yml "
                      "and begins with neither a dot nor a dash",
                      FILE_NAME_SIZE - 1);
}

/* A link of that name is not followed: the new file takes its place, or is refused as any other file that is there. */
static pw_status text_save(const char *path, const char *text, bool overwrite, pw_error *error)
{
    FAIL_IF(!overwrite && faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0, error, PW_BAD_INPUT,
            "'%s' is there already", strrchr(path, '/') + 1);
    FILE *file = pw_file_create(path, error);
    TRY_MADE(file);
    fputs(text, file);
    return pw_file_finish(file, path, error);
}

static pw_status path_of(const struct document *document, const char *name, char path[PATH_MAX], pw_error *error)
{
    return snprintf(path, PATH_MAX, "%s/%s", document->folder, name) < PATH_MAX
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "the name is too long");
}

pw_status document_write(struct document *document, const char *name, bool overwrite, pw_error *error)
{
    char path[PATH_MAX];
    OWNED char *text = NULL;
    TRY(check_name(name, error));
    TRY(path_of(document, name, path, error));
    TRY(document_portable_text(document, &text, error));
    return text_save(path, text, overwrite, error);
}

void document_remove(const struct document *document, const char *name)
{
    char path[PATH_MAX];
    if (name[0] != '\0' && path_of(document, name, path, NULL) == PW_OK) {
        (void)unlink(path);
    }
}

pw_status document_save(struct document *document, const char *name, bool overwrite, pw_error *error)
{
    char *saved = strdup(document_text(document));
    pw_status status = saved != NULL ? document_write(document, name, overwrite, error)
                                     : fail(error, PW_NO_RESOURCE, "not enough memory to save");
    if (status != PW_OK) {
        free(saved);
        return status;
    }
    free(document->saved);
    document->saved = saved;
    return PW_OK;
}
