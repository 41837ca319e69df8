/* Antennas of a scenario (antenna_choice.h). Leaves out how patterns are read from files and what they do to a field.
 */
#include "scenario/antenna/antenna_choice.h"

#include "scenario/antenna/antenna_array.h"
#include "scenario/antenna/antenna_field.h"
#include "scenario/antenna/planet_file.h"
#include "scenario/text/text_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ANTENNA_LIMIT = 1000, CUT_TEXT_LIMIT = 1 << 17, LEAST_CUT = 8 };

/* Words of a scenario, in the order of enum antenna_kind. */
static const char *const WORDS[] = {"isotropic", "hertzian", "half-wave", NULL};

/* ---- patterns of the scenario ------------------------------------------------------------------------------------ */

static const struct antenna_pattern *pattern_find(const struct scenario *scenario, const char *name)
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

/* A pattern of a file has its own name, with a number behind it where another pattern has that already. */
static const struct antenna_pattern *pattern_of_file(struct scenario *scenario, const char *path, pw_status *status,
                                                     pw_error *error)
{
    struct antenna_pattern pattern;
    *status = planet_file_read(path, &pattern, error);
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
        if (node->count != 2) {
            return node_fail(node, error,
                             "must be one width, or those in azimuth and in elevation, as in [65 deg, 10 "
                             "deg]");
        }
        TRY(node_quantity(node->first, PW_DIMENSION_ANGLE, WIDTHS, &width[0], error));
        return node_quantity(node->last, PW_DIMENSION_ANGLE, WIDTHS, &width[1], error);
    }
    TRY(read_quantity(map, "beam_width", PW_DIMENSION_ANGLE, WIDTHS, &width[0], error));
    width[1] = width[0];
    return PW_OK;
}

static pw_status form_read(const struct node *map, struct antenna_pattern *pattern, pw_error *error)
{
    int form = pattern->form;
    TRY(read_choice(map, "form", ANTENNA_FORMS + 1, &form, error));
    pattern->form = (enum antenna_form)(form + 1);
    if (pattern->form >= FORM_FIELD) {
        return node_fail(node_find(map, "form"), error, "needs the file of a field: give file in its place");
    }
    const struct node *width = node_find(map, "beam_width"), *ratio = node_find(map, "front_to_back");
    if (pattern->form != FORM_SECTOR && (width != NULL || ratio != NULL)) {
        return node_fail(width != NULL ? width : ratio, error, "is for form: sector; '%s' has its own",
                         ANTENNA_FORMS[pattern->form]);
    }
    TRY(width_read(map, pattern->width, error));
    TRY(read_quantity(map, "front_to_back", PW_DIMENSION_GAIN, (pw_range){3, 100, false, false}, &pattern->floor,
                      error));
    TRY(read_quantity(map, "gain", PW_DIMENSION_GAIN, (pw_range){-200, 200, false, false}, &pattern->gain, error));
    return antenna_form_fill(pattern, error);
}

static pw_status pattern_read(const struct node *map, const char *folder, const struct scenario *scenario,
                              struct antenna_pattern *pattern, pw_error *error)
{
    static const char *const KEYS[] = {"name",       "file",     "make", "frequency", "gain", "electrical_tilt",
                                       "horizontal", "vertical", NULL};
    static const char *const FILE_KEYS[] = {"name", "file", NULL};
    static const char *const FORM_KEYS[] = {"name", "form", "beam_width", "front_to_back", "gain", NULL};
    const struct node *name;
    const bool of_file = node_find(map, "file") != NULL, of_form = node_find(map, "form") != NULL;
    char own[NAME_SIZE], *path = NULL;
    TRY(read_map(map, of_form ? FORM_KEYS : of_file ? FILE_KEYS : KEYS, error));
    TRY(read_required(map, "name", "what transmitters call it in pattern: NAME", &name, error));
    TRY(read_name(map, "name", own, error));
    if (of_file) {
        pw_status status = read_text(map, "file", PATH_LENGTH_LIMIT, &path, error);
        THEN(status, path_resolve(folder, &path, error));
        THEN(status, planet_file_read(path, pattern, error));
        free(path);
        TRY(status);
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

/* ---- of a terminal ----------------------------------------------------------------------------------------------- */

struct antenna antenna_default(const struct scenario *scenario)
{
    return (struct antenna){.kind = scenario->dimensions == 3 ? ANTENNA_HERTZIAN : ANTENNA_ISOTROPIC};
}

/* A closed form that is not in the list is added to it under its own name. NULL: no memory. */
static const struct antenna_pattern *pattern_of_form(struct scenario *scenario, const char *name, pw_error *error)
{
    struct antenna_pattern pattern = {.gain = NAN, .electrical_tilt = NAN, .form = antenna_form_named(name)};
    snprintf(pattern.name, sizeof pattern.name, "%s", name);
    return antenna_form_fill(&pattern, error) == PW_OK ? pattern_add(scenario, &pattern, error) : NULL;
}

/* `map` has the key `key`, whose value is the name of a pattern of the scenario, of a closed form, or a file. */
static pw_status pattern_choose(const struct node *map, const char *key, const char *folder, struct scenario *scenario,
                                struct antenna *antenna, pw_error *error)
{
    const struct node *node = node_find(map, key);
    char *path = NULL;
    pw_error reason;
    TRY(node_scalar(node, "the name of an antenna of this scenario, or a file (.msi, .pln)", error));
    antenna->kind = ANTENNA_PATTERN;
    antenna->pattern = pattern_find(scenario, node->text);
    if (antenna->pattern != NULL) {
        return PW_OK;
    }
    if (antenna_form_named(node->text) != FORM_CUTS) {
        antenna->pattern = pattern_of_form(scenario, node->text, error);
        return antenna->pattern != NULL ? PW_OK : PW_NO_RESOURCE;
    }
    TRY(read_text(map, key, PATH_LENGTH_LIMIT, &path, error));
    pw_status status = path_resolve(folder, &path, error);
    if (status == PW_OK) {
        antenna->pattern = pattern_of_file(scenario, path, &status, &reason);
        status = status == PW_OK          ? PW_OK
                 : status == PW_BAD_INPUT ? node_fail_quoting(node, &reason, error)
                                          : fail(error, status, "%s", reason.message);
    }
    free(path);
    return status;
}

static bool names_file(const char *text)
{
    const char *dot = strrchr(text, '.');
    return dot != NULL && (strcasecmp(dot, ".msi") == 0 || strcasecmp(dot, ".pln") == 0);
}

/* The value of `key`: a word, or the name of a pattern or of its file. */
static pw_status antenna_read_word(const struct node *map, const char *key, const char *folder,
                                   struct scenario *scenario, struct antenna *antenna, pw_error *error)
{
    const struct node *node = node_find(map, key);
    if (node != NULL && node->kind == PW_NODE_SCALAR &&
        (names_file(node->text) || antenna_form_named(node->text) != FORM_CUTS ||
         pattern_find(scenario, node->text) != NULL)) {
        return pattern_choose(map, key, folder, scenario, antenna, error);
    }
    int word = (int)antenna->kind;
    TRY(read_choice(map, key, WORDS, &word, error));
    antenna->kind = (enum antenna_kind)word;
    return PW_OK;
}

static pw_status antenna_read_any(const struct node *map, const char *folder, struct scenario *scenario,
                                  struct antenna *antenna, pw_error *error)
{
    static const char *const KEYS[] = {"pattern", "bearing", "downtilt", "roll", "slant", NULL};
    const struct node *node = node_find(map, "antenna"), *pattern;
    const bool array = antenna_array_node(map) != NULL;
    if (array || node->kind == PW_NODE_SCALAR) {
        TRY(antenna_read_word(array ? node : map, array ? "element" : "antenna", folder, scenario, antenna, error));
        if (!array || antenna->kind != ANTENNA_PATTERN) {
            return PW_OK;
        }
    } else {
        TRY(read_map(node, KEYS, error));
        TRY(read_required(node, "pattern", "a file (.msi, .pln), a form as tr38901, or the name of one of the antennas",
                          &pattern, error));
        TRY(pattern_choose(node, "pattern", folder, scenario, antenna, error));
        TRY(read_angle(node, "slant", M_PI, &antenna->slant, error));
    }
    TRY(read_angle(node, "bearing", 2 * M_PI, &antenna->bearing, error));
    TRY(read_angle(node, "downtilt", 0.5 * M_PI, &antenna->downtilt, error));
    TRY(read_angle(node, "roll", M_PI, &antenna->roll, error));
    return scenario->dimensions == 3 || (antenna->roll == 0 && antenna->slant == 0)
               ? PW_OK
               : node_fail(node_find(node, antenna->roll != 0 ? "roll" : "slant"), error,
                           "must be 0 in two dimensions, or dimensions: 3");
}

void antenna_polarise(const struct scenario *scenario, const struct antenna *antenna, struct direction *polarisation)
{
    double along[3];
    if (scenario->dimensions == 3 && antenna->kind == ANTENNA_PATTERN) {
        antenna_main_direction(antenna, along);
        *polarisation = (struct direction){along[0], along[1], along[2]};
    }
}

pw_status antenna_read(const struct node *map, const char *folder, struct scenario *scenario, struct antenna *antenna,
                       pw_error *error)
{
    const struct node *node = node_find(map, "antenna");
    *antenna = antenna_default(scenario);
    if (node == NULL) {
        return PW_OK;
    }
    TRY(antenna_read_any(map, folder, scenario, antenna, error));
    const struct node *polarisation = node_find(map, "polarisation");
    if (scenario->dimensions == 3 && antenna->kind == ANTENNA_PATTERN && polarisation != NULL) {
        return node_fail(
            polarisation, error,
            "a pattern has its own: leave it out, or turn it by slant, as in antenna: {pattern: %s, slant: "
            "45 deg}",
            antenna->pattern->name);
    }
    if (scenario->dimensions == 3 && antenna->kind == ANTENNA_ISOTROPIC) {
        return node_fail(node, error,
                         "no current sends alike in all directions of space; allowed in three dimensions: hertzian, "
                         "half-wave");
    }
    if (scenario->horizontal && antenna->kind != ANTENNA_ISOTROPIC && antenna->kind != ANTENNA_HERTZIAN) {
        return node_fail(node, error,
                         "half-wave is for three dimensions or vertical polarisation, a pattern for the latter; with "
                         "polarisation: horizontal a "
                         "transmitter is a line of short dipoles, or with polarisation: loop of small loops");
    }
    if (scenario->horizontal) {
        antenna->kind = ANTENNA_ISOTROPIC;
    }
    return PW_OK;
}

/* ---- what goes with it ------------------------------------------------------------------------------------------- */

pw_status antenna_check_transmitter(const struct node *map, const struct scenario *scenario,
                                    const struct transmitter_choice *transmitter, pw_error *error)
{
    const struct node *node = node_find(map, "antenna");
    if (transmitter->antenna.kind != ANTENNA_PATTERN) {
        return PW_OK;
    }
    if (node_find(map, "to") != NULL) {
        return node_fail(node, error, "an antenna with a pattern stands at a point: leave out 'to'");
    }
    if (transmitter->source == SOURCE_HARD) {
        return node_fail(node, error, "a pattern needs currents: allowed is source: soft");
    }
    for (int a = 0; a < 2; a++) {
        if (scenario->grid.symmetric[a]) {
            return node_fail(node, error,
                             "a pattern has no mirror image in general: leave out grid.symmetry, or the pattern");
        }
    }
    return PW_OK;
}

pw_status transmitter_power_read(const struct node *map, struct transmitter_choice *transmitter, pw_error *error)
{
    static const pw_range POWERS = {-200, 200, false, false};
    const struct node *conducted = node_find(map, "conducted_power");

    TRY(read_quantity(map, "power", PW_DIMENSION_POWER, POWERS, &transmitter->power, error));
    if (conducted == NULL) {
        return PW_OK;
    }
    if (node_find(map, "power") != NULL) {
        return node_fail(conducted, error,
                         "either power, which is EIRP, or conducted_power, which enters the antenna: not both");
    }
    if (node_find(map, "antenna") == NULL) {
        return node_fail(conducted, error,
                         "needs the antenna, whose gain makes it an EIRP: give antenna, or power, which is EIRP");
    }
    const double gain = antenna_gain(&transmitter->antenna);
    if (isnan(gain)) {
        return node_fail(conducted, error,
                         "the pattern '%s' has no GAIN, so the EIRP is unknown: give power, which is "
                         "EIRP",
                         transmitter->antenna.pattern->name);
    }
    TRY(read_quantity(map, "conducted_power", PW_DIMENSION_POWER, POWERS, &transmitter->conducted, error));
    transmitter->has_conducted = true;
    transmitter->power = transmitter->conducted + gain;
    return PW_OK;
}

pw_status receiver_antenna_read(const struct node *map, const char *folder, struct scenario *scenario,
                                struct receiver_entry *entry, pw_error *error)
{
    const struct node *node = node_find(map, "antenna");
    entry->antenna = antenna_default(scenario);
    const struct node *array = antenna_array_node(map);
    const struct node *own = array != NULL ? node_find(array, "element") : node;
    entry->array = (struct antenna_array){0};
    TRY(array != NULL ? antenna_array_read(array, scenario, &entry->array, error) : PW_OK);
    if (own != NULL && scenario->horizontal) {
        return node_fail(own, error,
                         "with polarisation: horizontal a receiver takes in one component of the field: give "
                         "polarisation and gain; its antenna is for vertical polarisation");
    }
    TRY(antenna_read(map, folder, scenario, &entry->antenna, error));
    const double gain = antenna_gain(&entry->antenna);
    if (own != NULL && isnan(gain) && node_find(map, "gain") == NULL) {
        return node_fail(own, error, "the pattern '%s' has no GAIN: give the receiver's gain, as in gain: 8 dBi",
                         entry->antenna.pattern->name);
    }
    entry->gain = own != NULL ? gain : 0;
    return read_quantity(map, "gain", PW_DIMENSION_GAIN, (pw_range){-200, 200, false, false}, &entry->gain, error);
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

static void form_write(FILE *out, const struct antenna_pattern *pattern)
{
    fprintf(out, "\n    form: %s\n", ANTENNA_FORMS[pattern->form]);
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
        if (pattern->form != FORM_CUTS) {
            form_write(out, pattern);
            continue;
        }
        if (!isnan(pattern->electrical_tilt)) {
            write_quantity(out, "\n    electrical_tilt: ", pattern->electrical_tilt, PW_DIMENSION_ANGLE);
        }
        fputc('\n', out);
        cut_write(out, "horizontal", &pattern->azimuth);
        cut_write(out, "vertical", &pattern->elevation);
    }
}

/* The kind or the pattern alone. */
static void antenna_write_word(FILE *out, const struct antenna *antenna)
{
    if (antenna->kind == ANTENNA_PATTERN) {
        write_quoted(out, antenna->pattern->name);
    } else {
        fputs(WORDS[antenna->kind], out);
    }
}

void antenna_write(FILE *out, const char *before, const struct scenario *scenario, const struct antenna *antenna,
                   const struct antenna_array *array)
{
    const bool usual = antenna->kind == antenna_default(scenario).kind;
    if (array != NULL && array->rows > 0) {
        fprintf(out, "%santenna: {", before);
        antenna_array_write(out, array);
        if (!usual) {
            fputs(", element: ", out);
            antenna_write_word(out, antenna);
        }
        fputc('}', out);
    } else if (antenna->kind == ANTENNA_PATTERN) {
        fprintf(out, "%santenna: {pattern: ", before);
        antenna_write_word(out, antenna);
        write_quantity(out, ", bearing: ", antenna->bearing, PW_DIMENSION_ANGLE);
        write_quantity(out, ", downtilt: ", antenna->downtilt, PW_DIMENSION_ANGLE);
        if (antenna->roll != 0 || antenna->slant != 0) {
            write_quantity(out, ", roll: ", antenna->roll, PW_DIMENSION_ANGLE);
            write_quantity(out, ", slant: ", antenna->slant, PW_DIMENSION_ANGLE);
        }
        fputc('}', out);
    } else if (scenario->dimensions == 3 || !usual) {
        fprintf(out, "%santenna: ", before);
        antenna_write_word(out, antenna);
    }
}
