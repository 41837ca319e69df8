/* Patterns of a scenario (antenna_list.h). Leaves out terminals (antenna_choice.c) and files themselves. */
#include "scenario/antenna/antenna_list.h"

#include "scenario/antenna/antenna_choice.h"
#include "scenario/antenna/antenna_field.h"
#include "scenario/antenna/field_file.h"
#include "scenario/antenna/planet_file.h"
#include "scenario/text/text_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ANTENNA_LIMIT = 1000, CUT_TEXT_LIMIT = 1 << 17, VALUES_TEXT_LIMIT = 1 << 19, LEAST_CUT = 8 };

/* ---- patterns of the scenario ------------------------------------------------------------------------------------ */

const struct antenna_pattern *pattern_find(const struct scenario *scenario, const char *name)
{
    for (int n = 0; n < scenario->pattern_count; n++) {
        if (strcmp(scenario->patterns[n]->name, name) == 0) {
            return scenario->patterns[n];
        }
    }
    return NULL;
}

/* Takes over what `pattern` owns, also when it fails. NULL: no memory. */
static const struct antenna_pattern *pattern_add(struct scenario *scenario, struct antenna_pattern *pattern,
                                                 pw_error *error)
{
    struct antenna_pattern *added = NULL;
    if (array_grow(&scenario->patterns, &scenario->pattern_room, (size_t)scenario->pattern_count,
                   sizeof(struct antenna_pattern *), "antennas", error) == PW_OK) {
        added = allocate(1, sizeof *added, "an antenna", error);
    }
    if (added == NULL) {
        antenna_pattern_free(pattern);
        return NULL;
    }
    *added = *pattern;
    scenario->patterns[scenario->pattern_count++] = added;
    return added;
}

/* The file's name without folder and ending, where the pattern has no name. */
static void pattern_name_by_file(struct antenna_pattern *pattern, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    snprintf(pattern->name, sizeof pattern->name, "%.*s", (int)(dot != NULL ? dot - name : (ptrdiff_t)strlen(name)),
             name);
    if (!name_is_good(pattern->name)) {
        snprintf(pattern->name, sizeof pattern->name, "antenna");
    }
}

/* "Sector", then "Sector 2", "Sector 3", ... */
static void number_name(char name[NAME_SIZE], int number)
{
    char digits[16], *end = name + strlen(name);
    const int length = snprintf(digits, sizeof digits, " %d", number);
    if (number > 2) {
        end = strrchr(name, ' ');
    }
    end = end < name + NAME_SIZE - length ? end : name + NAME_SIZE - 1 - length;
    memcpy(end, digits, (size_t)length + 1);
}

/* x, -x, ... in the order of struct field_axes. */
static const char *const AXES[] = {"x", "y", "z", "-x", "-y", "-z", NULL};
static const struct field_axes USUAL_AXES = {0, 2};

static pw_status any_file_read(const char *path, const struct field_axes *axes, double centre,
                               struct antenna_pattern *pattern, pw_error *error)
{
    return field_file_named(path) ? field_file_read(path, axes, centre, pattern, error)
                                  : planet_file_read(path, pattern, error);
}

/* The file of an antenna, with the keys that say how its axes lie. */
static pw_status file_read_turned(const struct node *map, const char *path, const struct scenario *scenario,
                                  struct antenna_pattern *pattern, pw_error *error)
{
    struct field_axes axes = USUAL_AXES;
    const struct node *ahead = node_find(map, "ahead"), *up = node_find(map, "up");
    TRY(read_choice(map, "ahead", AXES, &axes.ahead, error));
    axes.up = axes.ahead % 3 == 2 ? 0 : 2;
    TRY(read_choice(map, "up", AXES, &axes.up, error));
    NODE_FAIL_IF((ahead != NULL || up != NULL) && !field_file_named(path), ahead != NULL ? ahead : up, error,
                 "is for fields (.ffs, .ffe): cuts look straight ahead");
    return axes.ahead % 3 != axes.up % 3
               ? any_file_read(path, &axes, scenario->band_centre, pattern, error)
               : node_fail(ahead != NULL ? ahead : up, error, "must be across: ahead is %s, up %s", AXES[axes.ahead],
                           AXES[axes.up]);
}

/* A pattern of a file has its own name, with a number behind it where another pattern has that already. */
const struct antenna_pattern *pattern_of_file(struct scenario *scenario, const char *path, pw_status *status,
                                              pw_error *error)
{
    struct antenna_pattern pattern;
    *status = any_file_read(path, &USUAL_AXES, scenario->band_centre, &pattern, error);
    if (*status != PW_OK) {
        return NULL;
    }
    if (!name_is_good(pattern.name)) {
        pattern_name_by_file(&pattern, path);
    }
    for (int n = 2;; n++) {
        const struct antenna_pattern *twin = pattern_find(scenario, pattern.name);
        if (twin != NULL && antenna_patterns_equal(twin, &pattern)) {
            antenna_pattern_free(&pattern);
            return twin;
        }
        if (twin == NULL) {
            const struct antenna_pattern *added = pattern_add(scenario, &pattern, error);
            *status = added == NULL ? PW_NO_RESOURCE : PW_OK;
            return added;
        }
        number_name(pattern.name, n);
    }
}

/* Losses [dB] at equal steps once around, as text. */
static pw_status cut_read_losses(const struct node *map, const char *key, struct antenna_cut *cut, pw_error *error)
{
    const struct node *node;
    char *text = NULL, *next;
    TRY(read_required(map, key, "losses in dB at equal steps, as in \"0 0.5 2 ...\", or give a file", &node, error));
    TRY(read_text(map, key, CUT_TEXT_LIMIT, &text, error));
    cut->level = allocate(CUT_LIMIT, sizeof *cut->level, "an antenna's pattern", error);
    pw_status status = cut->level != NULL ? PW_OK : PW_NO_RESOURCE;
    for (char *at = text; status == PW_OK; at = next) {
        double loss = strtod(at, &next);
        if (next == at) {
            at += strspn(at, " \t\r\n,");
            if (*at != '\0' || cut->count < LEAST_CUT) {
                status = *at != '\0' ? fail(error, PW_BAD_INPUT, "%s:%d: %s: '%.20s' is not a loss in dB", node->source,
                                            node->line, key, at)
                                     : fail(error, PW_BAD_INPUT, "%s:%d: %s has %d losses; allowed are %d to %d",
                                            node->source, node->line, key, cut->count, LEAST_CUT, CUT_LIMIT);
            }
            break;
        }
        next += *next == ',';
        if (!(loss >= 0 && loss <= 300) || cut->count == CUT_LIMIT) {
            status = cut->count == CUT_LIMIT
                         ? fail(error, PW_BAD_INPUT, "%s:%d: %s has more than %d losses", node->source, node->line, key,
                                CUT_LIMIT)
                         : fail(error, PW_BAD_INPUT, "%s:%d: %s: loss %d is %g dB; allowed are 0 to 300 dB",
                                node->source, node->line, key, cut->count + 1, loss);
            break;
        }
        cut->level[cut->count++] = 0 - loss;
    }
    free(text);
    return status;
}

static pw_status pattern_read_values(const struct node *map, struct antenna_pattern *pattern, pw_error *error)
{
    char *make = NULL;
    TRY(read_text(map, "make", NAME_SIZE - 1, &make, error));
    snprintf(pattern->make, sizeof pattern->make, "%s", make != NULL ? make : "");
    free(make);
    TRY(read_quantity(map, "frequency", PW_DIMENSION_FREQUENCY, FREQUENCIES, &pattern->frequency, error));
    TRY(read_quantity(map, "gain", PW_DIMENSION_GAIN, (pw_range){-200, 200, false, false}, &pattern->gain, error));
    TRY(read_quantity(map, "electrical_tilt", PW_DIMENSION_ANGLE, (pw_range){-M_PI, M_PI, false, false},
                      &pattern->electrical_tilt, error));
    TRY(cut_read_losses(map, "horizontal", &pattern->azimuth, error));
    return cut_read_losses(map, "vertical", &pattern->elevation, error);
}

/* One width for both cuts, or [azimuth, elevation]. */
static pw_status width_read(const struct node *map, double width[2], pw_error *error)
{
    static const pw_range WIDTHS = {5 * M_PI / 180, 2 * M_PI, false, false};
    const struct node *node = node_find(map, "beam_width");
    if (node != NULL && node->kind == PW_NODE_LIST) {
        NODE_FAIL_IF(node->count != 2, node, error,
                     "must be one width, or those in azimuth and in elevation, as in [65 deg, 10 "
                     "deg]");
        TRY(node_quantity(node->first, PW_DIMENSION_ANGLE, WIDTHS, &width[0], error));
        return node_quantity(node->last, PW_DIMENSION_ANGLE, WIDTHS, &width[1], error);
    }
    TRY(read_quantity(map, "beam_width", PW_DIMENSION_ANGLE, WIDTHS, &width[0], error));
    width[1] = width[0];
    return PW_OK;
}

/* A field as this program writes it (field_file.h). */
static pw_status values_read(const struct node *map, struct antenna_pattern *pattern, pw_error *error)
{
    const struct node *node;
    char *text = NULL;
    int count = 0;
    TRY(read_required(map, "values", "those that a resolved scenario has, or give a file (.ffs, .ffe) in place of form",
                      &node, error));
    TRY(read_text(map, "values", VALUES_TEXT_LIMIT, &text, error));
    int *numbers = allocate(FIELD_NUMBERS, sizeof *numbers, "an antenna's field", error);
    for (char *at = text, *end; numbers != NULL && count < FIELD_NUMBERS; at = end) {
        const long value = strtol(at, &end, 10);
        if (end == at || labs(value) > 2 * FIELD_UNIT) {
            break;
        }
        numbers[count++] = (int)value;
    }
    pw_status status = numbers == NULL ? PW_NO_RESOURCE
                       : count == FIELD_NUMBERS
                           ? field_of_numbers(numbers, pattern, error)
                           : node_fail(node, error, "has %d whole numbers up to %d; allowed are %d", count,
                                       2 * FIELD_UNIT, FIELD_NUMBERS);
    free(numbers);
    free(text);
    return status;
}

static pw_status form_read(const struct node *map, struct antenna_pattern *pattern, pw_error *error)
{
    int form = pattern->form;
    TRY(read_choice(map, "form", ANTENNA_FORMS + 1, &form, error));
    pattern->form = (enum antenna_form)(form + 1);
    TRY(read_quantity(map, "gain", PW_DIMENSION_GAIN, (pw_range){-200, 200, false, false}, &pattern->gain, error));
    TRY(read_quantity(map, "frequency", PW_DIMENSION_FREQUENCY, FREQUENCIES, &pattern->frequency, error));
    if (pattern->form == FORM_FIELD) {
        return values_read(map, pattern, error);
    }
    const struct node *width = node_find(map, "beam_width"), *ratio = node_find(map, "front_to_back");
    if (pattern->form != FORM_SECTOR && (width != NULL || ratio != NULL)) {
        return node_fail(width != NULL ? width : ratio, error, "is for form: sector; '%s' has its own",
                         ANTENNA_FORMS[pattern->form]);
    }
    TRY(width_read(map, pattern->width, error));
    TRY(read_quantity(map, "front_to_back", PW_DIMENSION_GAIN, (pw_range){3, 100, false, false}, &pattern->floor,
                      error));
    return antenna_form_fill(pattern, error);
}

static pw_status pattern_read(const struct node *map, const char *folder, const struct scenario *scenario,
                              struct antenna_pattern *pattern, pw_error *error)
{
    static const char *const KEYS[] = {"name",       "file",     "make", "frequency", "gain", "electrical_tilt",
                                       "horizontal", "vertical", NULL};
    static const char *const FILE_KEYS[] = {"name", "file", "ahead", "up", NULL};
    static const char *const FORM_KEYS[] = {"name", "form",      "beam_width", "front_to_back",
                                            "gain", "frequency", "values",     NULL};
    const struct node *name;
    const bool of_file = node_find(map, "file") != NULL, of_form = node_find(map, "form") != NULL;
    char own[NAME_SIZE];
    OWNED char *path = NULL;
    TRY(read_map(map, of_form ? FORM_KEYS : of_file ? FILE_KEYS : KEYS, error));
    TRY(read_required(map, "name", "what transmitters call it in pattern: NAME", &name, error));
    TRY(read_name(map, "name", own, error));
    if (of_file) {
        TRY(read_text(map, "file", PATH_LENGTH_LIMIT, &path, error));
        TRY(path_resolve(folder, &path, error));
        TRY(file_read_turned(map, path, scenario, pattern, error));
    } else {
        TRY(of_form ? form_read(map, pattern, error) : pattern_read_values(map, pattern, error));
    }
    snprintf(pattern->name, sizeof pattern->name, "%s", own);
    return pattern_find(scenario, own) == NULL
               ? PW_OK
               : node_fail(name, error, "a second antenna of the name '%s'; names must differ", own);
}

pw_status antennas_read(const struct node *root, const char *folder, struct scenario *scenario, pw_error *error)
{
    const struct node *list;
    TRY(read_list(root, "antennas", ANTENNA_LIMIT, &list, error));
    for (const struct node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        struct antenna_pattern pattern = {.gain = NAN, .electrical_tilt = NAN};
        pw_status status = pattern_read(item, folder, scenario, &pattern, error);
        if (status != PW_OK) {
            antenna_pattern_free(&pattern);
            return status;
        }
        TRY_MADE(pattern_add(scenario, &pattern, error));
    }
    return PW_OK;
}

void antennas_release(struct scenario *scenario)
{
    for (int n = 0; n < scenario->pattern_count; n++) {
        antenna_pattern_free(scenario->patterns[n]);
        free(scenario->patterns[n]);
    }
    free(scenario->patterns);
}

/* A closed form that is not in the list is added to it under its own name. NULL: no memory. */
const struct antenna_pattern *pattern_of_form(struct scenario *scenario, const char *name, pw_error *error)
{
    struct antenna_pattern pattern = {.gain = NAN, .electrical_tilt = NAN, .form = antenna_form_named(name)};
    snprintf(pattern.name, sizeof pattern.name, "%s", name);
    return antenna_form_fill(&pattern, error) == PW_OK ? pattern_add(scenario, &pattern, error) : NULL;
}

bool pattern_file_named(const char *text)
{
    const char *dot = strrchr(text, '.');
    return field_file_named(text) || (dot != NULL && (strcasecmp(dot, ".msi") == 0 || strcasecmp(dot, ".pln") == 0));
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void cut_write(FILE *out, const char *key, const struct antenna_cut *cut)
{
    fprintf(out, "    %s: \"", key);
    for (int n = 0; n < cut->count; n++) {
        write_quantity(out, n == 0 ? "" : n % 24 == 0 ? "\n      " : " ", 0 - cut->level[n], PW_DIMENSION_NUMBER);
    }
    fputs("\"\n", out);
}

/* Without memory nothing is written, which the reader tells. */
static void values_write(FILE *out, const struct antenna_pattern *pattern)
{
    int *numbers = NULL;
    pw_error error;
    if (field_to_numbers(pattern, &numbers, &error) != PW_OK) {
        return;
    }
    fputs("    values: \"", out);
    for (int n = 0; n < FIELD_NUMBERS; n++) {
        fprintf(out, "%s%d", n == 0 ? "" : n % 24 == 0 ? "\n      " : " ", numbers[n]);
    }
    fputs("\"\n", out);
    free(numbers);
}

static void form_write(FILE *out, const struct antenna_pattern *pattern)
{
    fprintf(out, "    form: %s\n", ANTENNA_FORMS[pattern->form]);
    if (pattern->form == FORM_FIELD) {
        values_write(out, pattern);
    }
    if (pattern->form == FORM_SECTOR) {
        write_quantity(out, "    beam_width: [", pattern->width[0], PW_DIMENSION_ANGLE);
        write_quantity(out, ", ", pattern->width[1], PW_DIMENSION_ANGLE);
        write_quantity(out, "]\n    front_to_back: ", pattern->floor, PW_DIMENSION_GAIN);
        fputc('\n', out);
    }
}

void antennas_write(FILE *out, const struct scenario *scenario)
{
    fputs(scenario->pattern_count > 0 ? "antennas:\n" : "", out);
    for (int n = 0; n < scenario->pattern_count; n++) {
        const struct antenna_pattern *pattern = scenario->patterns[n];
        fputs("  - name: ", out);
        write_quoted(out, pattern->name);
        if (pattern->make[0] != '\0') {
            fputs("\n    make: ", out);
            write_quoted(out, pattern->make);
        }
        if (pattern->frequency > 0) {
            write_quantity(out, "\n    frequency: ", pattern->frequency, PW_DIMENSION_FREQUENCY);
        }
        if (!isnan(pattern->gain)) {
            write_quantity(out, "\n    gain: ", pattern->gain, PW_DIMENSION_GAIN);
        }
        if (!isnan(pattern->electrical_tilt)) {
            write_quantity(out, "\n    electrical_tilt: ", pattern->electrical_tilt, PW_DIMENSION_ANGLE);
        }
        fputc('\n', out);
        if (pattern->form != FORM_CUTS) {
            form_write(out, pattern);
            continue;
        }
        cut_write(out, "horizontal", &pattern->azimuth);
        cut_write(out, "vertical", &pattern->elevation);
    }
}
