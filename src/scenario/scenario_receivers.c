/* The list `receivers` of a scenario: points, lines, grids, and files of points, and which of them are recorded at
 * every step. Leaves out whether a receiver lies inside the plan. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/atomic_file.h"
#include "base/status.h"
#include "scenario/antenna/antenna_array.h"
#include "scenario/antenna/antenna_choice.h"
#include "scenario/scenario_read.h"

enum { ENTRY_LIMIT = 10000, RECEIVER_LIMIT = 1000000, LINE_SIZE = 1024 };
static const pw_range SPACINGS = {0, 1e6, true, false};                  /* m */
static const char *const RECORDS[] = {"auto", "steps", "spectra", NULL}; /* in the order of enum receiver_record */

const char *receiver_record_name(enum receiver_record record)
{
    return RECORDS[record];
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static pw_status grid_read_points(const struct node *map, struct receiver_entry *entry, pw_error *error)
{
    static const char *const KEYS[] = {"from", "to", "spacing", NULL};
    const struct node *grid = node_find(map, "grid"), *spacing;
    TRY(read_map(grid, KEYS, error));
    TRY(read_place(grid, "from", &entry->from, &entry->height, error));
    TRY(read_place(grid, "to", &entry->to, &entry->to_height, error));
    NODE_FAIL_IF(entry->height != entry->to_height && !isnan(entry->height) && !isnan(entry->to_height), grid, error,
                 "a grid is level: 'from' and 'to' must have the same z");
    TRY(read_required(grid, "spacing", "the distance of neighbours, as in 50 cm", &spacing, error));
    return read_quantity(grid, "spacing", PW_DIMENSION_LENGTH, SPACINGS, &entry->spacing, error);
}

static pw_status line_read_points(const struct node *map, struct receiver_entry *entry, pw_error *error)
{
    const struct node *count = node_find(map, "count"), *spacing = node_find(map, "spacing");
    int64_t points = 0;
    TRY(read_place(map, "from", &entry->from, &entry->height, error));
    TRY(read_place(map, "to", &entry->to, &entry->to_height, error));
    NODE_FAIL_IF((count == NULL) == (spacing == NULL), map, error,
                 "a line of receivers needs either count: N or spacing: LENGTH");
    TRY(read_integer(map, "count", PW_DIMENSION_NUMBER, 1, RECEIVER_LIMIT, &points, error));
    entry->count = (int)points;
    return read_quantity(map, "spacing", PW_DIMENSION_LENGTH, SPACINGS, &entry->spacing, error);
}

static pw_status file_read_path(const struct node *map, const char *folder, struct receiver_entry *entry,
                                pw_error *error)
{
    TRY(read_text(map, "file", PATH_LENGTH_LIMIT, &entry->file, error));
    return entry->file[0] == '\0'
               ? node_fail(node_find(map, "file"), error, "must be the path of a CSV: x, y [m], name")
               : path_resolve(folder, &entry->file, error);
}

/* Where the receivers of an entry stand, and from NAN how high. */
static pw_status places_read(const struct node *map, const char *folder, struct receiver_entry *entry, pw_error *error)
{
    entry->height = entry->to_height = NAN;
    switch (entry->kind) {
    case RECEIVER_GRID:
        return grid_read_points(map, entry, error);
    case RECEIVER_LINE:
        return line_read_points(map, entry, error);
    case RECEIVER_FILE:
        return file_read_path(map, folder, entry, error);
    case RECEIVER_POINT:
        break;
    }
    TRY(read_place(map, "at", &entry->from, &entry->height, error));
    entry->to = entry->from;
    entry->to_height = entry->height;
    return PW_OK;
}

/* The heights of a file's points count from its storey, which the entry keeps. */
static pw_status entry_height_read(const struct node *map, const struct plan_choice *plan, struct receiver_entry *entry,
                                   pw_error *error)
{
    entry->storey = EVERY_STOREY;
    TRY(terminal_height_read(map, plan, &entry->height, &entry->to_height, error));
    if (entry->kind == RECEIVER_FILE) {
        TRY(read_storey(map, plan, &entry->storey, error));
        TRY(read_quantity(map, "height", PW_DIMENSION_LENGTH, (pw_range){-1e6, 1e6, false, false}, &entry->height,
                          error));
        if (entry->storey != EVERY_STOREY && node_find(map, "height") == NULL) {
            entry->height -= storey_floor(plan, entry->storey);
        }
        entry->to_height = entry->height;
    }
    return PW_OK;
}

/* In the order of enum receiver_kind: the keys that say where the receivers are; the first says which kind it is. */
static const char *const PLACE_KEYS[][5] = {{"at"}, {"from", "to", "count", "spacing"}, {"grid"}, {"file"}};
static const char *const OTHER_KEYS[] = {"name",   "gain",         "record",  "height",
                                         "storey", "polarisation", "antenna", "port"};
enum { PLACE_KEY_LIMIT = 4, OTHER_KEY_COUNT = sizeof OTHER_KEYS / sizeof *OTHER_KEYS, KIND_COUNT = RECEIVER_FILE + 1 };

/* Fails on a key that no kind takes, or that this one does not. */
static pw_status entry_keys(const struct node *map, int first_kind, int last_kind, pw_error *error)
{
    const char *keys[KIND_COUNT * PLACE_KEY_LIMIT + OTHER_KEY_COUNT + 1] = {NULL};
    int count = 0;
    for (int kind = first_kind; kind <= last_kind; kind++) {
        for (int k = 0; k < PLACE_KEY_LIMIT && PLACE_KEYS[kind][k] != NULL; k++) {
            keys[count++] = PLACE_KEYS[kind][k];
        }
    }
    memcpy(keys + count, OTHER_KEYS, sizeof OTHER_KEYS);
    return read_map(map, keys, error);
}

static pw_status entry_read(const struct node *map, const char *folder, struct scenario *scenario,
                            struct receiver_entry *entry, pw_error *error)
{
    TRY(entry_keys(map, RECEIVER_POINT, RECEIVER_FILE, error));
    entry->kind = node_find(map, "grid") != NULL   ? RECEIVER_GRID
                  : node_find(map, "file") != NULL ? RECEIVER_FILE
                  : node_find(map, "from") != NULL ? RECEIVER_LINE
                                                   : RECEIVER_POINT;
    TRY(entry_keys(map, (int)entry->kind, (int)entry->kind, error));
    TRY(read_station_name(map, entry->name, error));
    TRY(receiver_antenna_read(map, folder, scenario, entry, error));
    int record = RECORD_AUTO;
    TRY(read_choice(map, "record", RECORDS, &record, error));
    entry->record = (enum receiver_record)record;
    TRY(places_read(map, folder, entry, error));
    TRY(port_read(map, entry->name, &entry->port, error));
    TRY(receiver_array_check(map, scenario, entry, error));
    TRY(entry_height_read(map, &scenario->plan, entry, error));
    TRY(polarisation_read(map, scenario, &entry->polarisation, error));
    antenna_polarise(scenario, &entry->antenna, &entry->polarisation);
    return PW_OK;
}

/* ---- the receivers of an entry ----------------------------------------------------------------------------------- */

/* Receivers under construction, all entries together. */
struct expansion {
    const struct scenario *scenario;
    struct receiver_choice *all; /* (count), owned */
    int *entry;                  /* (count), owned: which entry each is of */
    int count;
    size_t all_room, entry_room;
};

/* A receiver of an entry. `number` counts from 1 within the entry; 0: the entry is this receiver alone. `name` NULL: by
 * the entry. */
struct new_receiver {
    struct point at;
    double height; /* m over the lowest floor, or NAN */
    int number;
    const char *name;
};

/* `antenna` of the entry's array, from 1; 0: it has none. */
static pw_status receiver_add_one(struct expansion *made, int index, const struct new_receiver *added, int antenna,
                                  pw_error *error)
{
    int number = added->number;
    const char *name = added->name;
    const struct receiver_entry *entry = &made->scenario->receiver_entries[index];
    const size_t count = (size_t)made->count;
    TRY(array_grow(&made->all, &made->all_room, count, sizeof *made->all, "receivers", error));
    TRY(array_grow(&made->entry, &made->entry_room, count, sizeof *made->entry, "receivers", error));
    FAIL_IF(made->count == RECEIVER_LIMIT, error, PW_BAD_INPUT, "%s:%d: receivers: more than %d; allowed is up to that",
            made->scenario->file, entry->line, RECEIVER_LIMIT);
    struct receiver_choice *receiver = &made->all[made->count];
    *receiver = (struct receiver_choice){.at = added->at,
                                         .height = added->height,
                                         .polarisation = entry->polarisation,
                                         .gain = entry->gain,
                                         .antenna = entry->antenna,
                                         .port = entry->port,
                                         .line = entry->line};
    int length = name != NULL  ? snprintf(receiver->name, sizeof receiver->name, "%s", name)
                 : number == 0 ? snprintf(receiver->name, sizeof receiver->name, "%s", entry->name)
                               : snprintf(receiver->name, sizeof receiver->name, "%s_%d", entry->name, number);
    FAIL_IF(length < 0 || (size_t)length + (antenna > 0 ? ARRAY_NAME_ROOM : 0) >= sizeof receiver->name, error,
            PW_BAD_INPUT, "%s:%d: receivers: the name '%s' with a number behind it is too long", made->scenario->file,
            entry->line, entry->name);
    if (antenna > 0) {
        antenna_array_place(&entry->array, antenna,
                            &(struct array_terminal){receiver->name, &receiver->port, &receiver->at, &receiver->height,
                                                     &receiver->polarisation, &receiver->antenna});
    }
    made->entry[made->count++] = index;
    return PW_OK;
}

static pw_status receiver_add(struct expansion *made, int index, const struct new_receiver *added, pw_error *error)
{
    const struct antenna_array *array = &made->scenario->receiver_entries[index].array;
    for (int n = 1; n <= antenna_array_count(array); n++) {
        TRY(receiver_add_one(made, index, added, array->rows > 0 ? n : 0, error));
    }
    return PW_OK;
}

static pw_status line_expand(struct expansion *made, int index, pw_error *error)
{
    const struct receiver_entry *entry = &made->scenario->receiver_entries[index];
    double dx = entry->to.x - entry->from.x, dy = entry->to.y - entry->from.y, dz = entry->to_height - entry->height,
           length = isnan(dz) ? hypot(dx, dy) : hypot(hypot(dx, dy), dz);
    double count = entry->count > 0 ? entry->count : floor(length / entry->spacing + 1e-6) + 1;
    double step = entry->count > 1 ? 1.0 / (entry->count - 1) : length > 0 ? entry->spacing / length : 0;
    FAIL_IF(count > RECEIVER_LIMIT, error, PW_BAD_INPUT, "%s:%d: receivers: a line of %.0f; allowed are %d",
            made->scenario->file, entry->line, count, RECEIVER_LIMIT);
    for (int n = 0; n < (int)count; n++) {
        struct new_receiver added = {
            {entry->from.x + n * step * dx, entry->from.y + n * step * dy}, entry->height + n * step * dz, n + 1, NULL};
        TRY(receiver_add(made, index, &added, error));
    }
    return PW_OK;
}

/* Row by row from the lower left corner. */
static pw_status grid_expand(struct expansion *made, int index, pw_error *error)
{
    const struct receiver_entry *entry = &made->scenario->receiver_entries[index];
    double columns = floor(fabs(entry->to.x - entry->from.x) / entry->spacing + 1e-6) + 1;
    double rows = floor(fabs(entry->to.y - entry->from.y) / entry->spacing + 1e-6) + 1;
    struct point corner = {fmin(entry->from.x, entry->to.x), fmin(entry->from.y, entry->to.y)};
    FAIL_IF(columns * rows > RECEIVER_LIMIT, error, PW_BAD_INPUT,
            "%s:%d: receivers: a grid of %.0f x %.0f; allowed are %d in all", made->scenario->file, entry->line,
            columns, rows, RECEIVER_LIMIT);
    for (int n = 0; n < (int)(columns * rows); n++) {
        int row = n / (int)columns, column = n % (int)columns;
        struct new_receiver added = {
            {corner.x + column * entry->spacing, corner.y + row * entry->spacing}, entry->height, n + 1, NULL};
        TRY(receiver_add(made, index, &added, error));
    }
    return PW_OK;
}

/* A name fit for a result: as read_name has it; else NULL. */
static const char *name_check(char *name)
{
    name += strspn(name, " \t\"");
    size_t length = strcspn(name, ",\"\r\n");
    while (length > 0 && (name[length - 1] == ' ' || name[length - 1] == '\t')) {
        length--;
    }
    name[length] = '\0';
    return name_is_good(name) ? name : NULL;
}

/* A file of points while it is read. */
struct csv {
    int entry;        /* whose file it is */
    int line;         /* its number, from 1 */
    int points;       /* so far */
    bool has_heights; /* the heading says that the third column is z */
};

/* A heading before the first point, as x,y,name: passed over, but for whether its third column is called z or height.
 */
static bool csv_heading(struct csv *csv, const char *text)
{
    if (csv->points > 0 || text[0] == '-' || strchr(text, ',') == NULL || (text[0] >= '0' && text[0] <= '9')) {
        return false;
    }
    const char *third = strchr(strchr(text, ',') + 1, ',');
    csv->has_heights = third != NULL && title_is_height(third + 1);
    return true;
}

/* A height in the third column: where the heading says so, where a name follows in the fourth, and in three dimensions
 * wherever it is a number. `used` is the place behind y, and moves behind z. */
static bool csv_height(const struct expansion *made, const struct csv *csv, const char *text, int *used, double *height)
{
    int more = 0;
    double z;
    if (text[*used] != ',' || sscanf(text + *used, ",%lf %n", &z, &more) != 1 || !isfinite(z)) {
        return false;
    }
    char after = text[*used + more];
    if ((after != '\0' && after != ',') || (after == '\0' && !csv->has_heights && made->scenario->dimensions != 3)) {
        return false;
    }
    *used += more;
    *height = z;
    return true;
}

/* A height of the file, m over its storey's floor, to one over the lowest floor. */
static pw_status csv_height_place(const struct expansion *made, const struct csv *csv, double *height, pw_error *error)
{
    const struct receiver_entry *entry = &made->scenario->receiver_entries[csv->entry];
    const struct plan_choice *plan = &made->scenario->plan;
    double floor = entry->storey != EVERY_STOREY ? storey_floor(plan, entry->storey) : 0;
    *height += floor;
    FAIL_IF(plan->storey_count > 0 && (*height < plan_low(plan) || *height > plan_high(plan)), error, PW_BAD_INPUT,
            "%s:%d: receivers: line %d of '%s' is %g m over the lowest floor, outside the plan's storeys; "
            "allowed is %g m to %g m",
            made->scenario->file, entry->line, csv->line, entry->file, *height, plan_low(plan), plan_high(plan));
    return PW_OK;
}

/* One line of a CSV: x,y or x,y,name or x,y,z or x,y,z,name; comments, blank lines and one heading are passed over. */
static pw_status csv_line(struct expansion *made, struct csv *csv, char *text, pw_error *error)
{
    const struct receiver_entry *entry = &made->scenario->receiver_entries[csv->entry];
    struct new_receiver added = {.height = entry->height};
    int used = 0;
    text = pw_line_begin(text);
    bool numbers =
        sscanf(text, "%lf ,%lf %n", &added.at.x, &added.at.y, &used) == 2 && isfinite(added.at.x + added.at.y);
    if (text[0] == '\0' || text[0] == '#' || (!numbers && csv_heading(csv, text))) {
        return PW_OK;
    }
    if (numbers) {
        csv_height(made, csv, text, &used, &added.height);
    }
    bool named = numbers && text[used] == ',';
    added.name = named ? name_check(text + used + 1) : NULL;
    FAIL_IF(!numbers || (!named && text[used] != '\0') || (named && added.name == NULL), error, PW_BAD_INPUT,
            "%s:%d: receivers: line %d of '%s' is not a point: a line is x,y or x,y,name, or x,y,z,name, x, y "
            "and z in metres",
            made->scenario->file, entry->line, csv->line, entry->file);
    const char *reason = named ? name_reserved(added.name) : NULL;
    FAIL_IF(reason != NULL, error, PW_BAD_INPUT, "%s:%d: receivers: line %d of '%s': '%s' is no name for a station: %s",
            made->scenario->file, entry->line, csv->line, entry->file, added.name, reason);
    TRY(csv_height_place(made, csv, &added.height, error));
    added.number = ++csv->points;
    return receiver_add(made, csv->entry, &added, error);
}

static pw_status file_expand(struct expansion *made, int index, pw_error *error)
{
    const struct receiver_entry *entry = &made->scenario->receiver_entries[index];
    TRY(input_file_look(entry->file, error));
    FILE *file = fopen(entry->file, "re");
    FAIL_IF(file == NULL, error, PW_BAD_INPUT, "%s:%d: receivers: cannot read '%s': %s", made->scenario->file,
            entry->line, entry->file, strerror(errno));
    char text[LINE_SIZE];
    pw_status status = PW_OK;
    struct csv csv = {.entry = index, .line = 1};
    for (; status == PW_OK && fgets(text, sizeof text, file) != NULL; csv.line++) {
        status = pw_line_is_whole(text, file)
                     ? csv_line(made, &csv, text, error)
                     : fail(error, PW_BAD_INPUT, "%s:%d: receivers: line %d of '%s' is longer than %d letters",
                            made->scenario->file, entry->line, csv.line, entry->file, LINE_SIZE - 2);
    }
    (void)fclose(file);
    FAIL_IF(status == PW_OK && csv.points == 0, error, PW_BAD_INPUT, "%s:%d: receivers: no points in '%s'",
            made->scenario->file, entry->line, entry->file);
    return status;
}

static pw_status entry_expand(struct expansion *made, int index, pw_error *error)
{
    const struct receiver_entry *entry = &made->scenario->receiver_entries[index];
    switch (entry->kind) {
    case RECEIVER_LINE:
        return line_expand(made, index, error);
    case RECEIVER_GRID:
        return grid_expand(made, index, error);
    case RECEIVER_FILE:
        return file_expand(made, index, error);
    case RECEIVER_POINT:
        break;
    }
    return receiver_add(made, index, &(struct new_receiver){entry->from, entry->height, 0, NULL}, error);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static int name_compare(const void *a, const void *b)
{
    const struct receiver_choice *const *first = a, *const *second = b;
    return strcmp((*first)->name, (*second)->name);
}

/* Sorting finds twins among many receivers quickly. */
static pw_status receivers_distinct(const struct node *list, const struct expansion *made, pw_error *error)
{
    OWNED const struct receiver_choice **sorted =
        allocate((size_t)made->count, sizeof *sorted, "receiver names", error);
    TRY_MADE(sorted);
    for (int i = 0; i < made->count; i++) {
        sorted[i] = &made->all[i];
    }
    qsort(sorted, (size_t)made->count, sizeof *sorted, name_compare);
    for (int i = 1; i < made->count; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0) {
            int first = sorted[i - 1]->line, second = sorted[i]->line;
            return node_fail(list, error, "has two receivers of the name '%s' (lines %d and %d); names must differ",
                             sorted[i]->name, first < second ? first : second, first < second ? second : first);
        }
    }
    const struct port_list ports = {(const char *)&made->all->port, made->all->name, sizeof *made->all, made->count};
    return ports_check(list, &ports, error);
}

/* Decides what is kept of an entry, so that a resolved scenario says it. */
static pw_status record_decide(struct receiver_entry *entry, const struct scenario *scenario, int count,
                               pw_error *error)
{
    if (entry->record == RECORD_AUTO) {
        const bool at_points =
            entry->array.rows == 0 && (scenario->dimensions == 2 || entry->antenna.kind == ANTENNA_HERTZIAN);
        bool many = entry->kind != RECEIVER_POINT && at_points && count > RECORDED_LIMIT && scenario->spectra.enabled;
        entry->record = many ? RECORD_SPECTRA : RECORD_STEPS;
    }
    FAIL_IF(entry->record == RECORD_SPECTRA && !scenario->spectra.enabled, error, PW_BAD_INPUT,
            "%s:%d: receivers: record: spectra needs running spectra, and spectra are off", scenario->file,
            entry->line);
    return PW_OK;
}

/* Parts the receivers into those that are recorded and those of the spectra, each in the order of the list. */
static pw_status receivers_part(const struct expansion *made, struct scenario *scenario, pw_error *error)
{
    for (int e = 0; e < scenario->receiver_entry_count; e++) {
        TRY(record_decide(&scenario->receiver_entries[e], scenario, made->count, error));
    }
    scenario->receivers = allocate((size_t)made->count, sizeof *scenario->receivers, "receivers", error);
    scenario->lattice_receivers = allocate((size_t)made->count, sizeof *scenario->receivers, "receivers", error);
    TRY_MADE(scenario->receivers != NULL && scenario->lattice_receivers != NULL);
    for (int n = 0; n < made->count; n++) {
        if (scenario->receiver_entries[made->entry[n]].record == RECORD_SPECTRA) {
            scenario->lattice_receivers[scenario->lattice_receiver_count++] = made->all[n];
        } else {
            scenario->receivers[scenario->receiver_count++] = made->all[n];
        }
    }
    return PW_OK;
}

pw_status receivers_read(const struct node *root, const char *folder, struct scenario *scenario, pw_error *error)
{
    const struct node *list;
    TRY(read_list(root, "receivers", ENTRY_LIMIT, &list, error));
    int count = list != NULL ? list->count : 0;
    scenario->receiver_entries = allocate((size_t)count, sizeof *scenario->receiver_entries, "receivers", error);
    TRY_MADE(scenario->receiver_entries);
    for (const struct node *item = count > 0 ? list->first : NULL; item != NULL; item = item->next) {
        struct receiver_entry *entry = &scenario->receiver_entries[scenario->receiver_entry_count++];
        entry->line = item->line;
        snprintf(entry->name, sizeof entry->name, "rx%d", item->index + 1);
        TRY(entry_read(item, folder, scenario, entry, error));
    }
    struct expansion made = {.scenario = scenario};
    pw_status status = PW_OK;
    for (int e = 0; e < count && status == PW_OK; e++) {
        status = entry_expand(&made, e, error);
    }
    status = status == PW_OK && made.count > 0 ? receivers_distinct(list, &made, error) : status;
    THEN(status, receivers_part(&made, scenario, error));
    FREE_ALL(made.all, made.entry);
    return status;
}

void receivers_release(struct scenario *scenario)
{
    for (int e = 0; e < scenario->receiver_entry_count; e++) {
        free(scenario->receiver_entries[e].file);
    }
    FREE_ALL(scenario->receiver_entries, scenario->receivers, scenario->lattice_receivers);
}
