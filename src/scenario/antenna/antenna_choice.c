/* Antennas of a scenario (antenna_choice.h). Leaves out how patterns are read from files and what they do to a field.
 */
#include "scenario/antenna/antenna_choice.h"

#include "scenario/antenna/antenna_array.h"
#include "scenario/antenna/antenna_field.h"
#include "scenario/antenna/antenna_list.h"
#include "scenario/text/text_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Words of a scenario, in the order of enum antenna_kind. */
static const char *const WORDS[] = {"isotropic", "hertzian", "half-wave", NULL};

/* ---- of a terminal ----------------------------------------------------------------------------------------------- */

/* The antenna that a terminal has when nothing is said. */
static struct antenna antenna_default(const struct scenario *scenario)
{
    return (struct antenna){.kind = scenario->dimensions == 3 ? ANTENNA_HERTZIAN : ANTENNA_ISOTROPIC};
}

/* `map` has the key `key`, whose value is the name of a pattern of the scenario, of a closed form, or a file. */
static pw_status pattern_choose(const struct node *map, const char *key, const char *folder, struct scenario *scenario,
                                struct antenna *antenna, pw_error *error)
{
    const struct node *node = node_find(map, key);
    char *path = NULL;
    pw_error reason;
    TRY(node_scalar(node, "the name of an antenna of this scenario, or a file (.msi, .pln, .ffs, .ffe)", error));
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

/* The value of `key`: a word, or the name of a pattern or of its file. */
static pw_status antenna_read_word(const struct node *map, const char *key, const char *folder,
                                   struct scenario *scenario, struct antenna *antenna, pw_error *error)
{
    const struct node *node = node_find(map, key);
    if (node != NULL && node->kind == PW_NODE_SCALAR &&
        (pattern_file_named(node->text) || antenna_form_named(node->text) != FORM_CUTS ||
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
        TRY(read_required(node, "pattern",
                          "a file (.msi, .pln, .ffs, .ffe), a form as tr38901, or the name of one of the antennas",
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
    NODE_FAIL_IF(scenario->dimensions == 3 && antenna->kind == ANTENNA_PATTERN && polarisation != NULL, polarisation,
                 error,
                 "a pattern has its own: leave it out, or turn it by slant, as in antenna: {pattern: %s, slant: "
                 "45 deg}",
                 antenna->pattern->name);
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
    NODE_FAIL_IF(node_find(map, "to") != NULL, node, error,
                 "an antenna with a pattern stands at a point: leave out 'to'");
    NODE_FAIL_IF(transmitter->source == SOURCE_HARD, node, error, "a pattern needs currents: allowed is source: soft");
    for (int a = 0; a < 2; a++) {
        NODE_FAIL_IF(scenario->grid.symmetric[a], node, error,
                     "a pattern has no mirror image in general: leave out grid.symmetry, or the pattern");
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
    NODE_FAIL_IF(node_find(map, "power") != NULL, conducted, error,
                 "either power, which is EIRP, or conducted_power, which enters the antenna: not both");
    NODE_FAIL_IF(node_find(map, "antenna") == NULL, conducted, error,
                 "needs the antenna, whose gain makes it an EIRP: give antenna, or power, which is EIRP");
    const double gain = antenna_gain(&transmitter->antenna);
    NODE_FAIL_IF(isnan(gain), conducted, error,
                 "the pattern '%s' has no GAIN, so the EIRP is unknown: give power, which is "
                 "EIRP",
                 transmitter->antenna.pattern->name);
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
    NODE_FAIL_IF(own != NULL && isnan(gain) && node_find(map, "gain") == NULL, own, error,
                 "the pattern '%s' has no GAIN: give the receiver's gain, as in gain: 8 dBi",
                 entry->antenna.pattern->name);
    entry->gain = own != NULL ? gain : 0;
    return read_quantity(map, "gain", PW_DIMENSION_GAIN, (pw_range){-200, 200, false, false}, &entry->gain, error);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

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
