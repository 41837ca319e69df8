/* Arrays of antennas, and ports of stations (antenna_array.h). Leaves out the elements themselves (antenna_choice.c).
 */
#include "scenario/antenna/antenna_array.h"

#include "base/constants.h"
#include "scenario/text/text_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT_LIMIT = 1024 };
static const char *const KINDS[] = {"ula", "upa", NULL};
static const char *const POLARISATIONS[] = {"own", "cross", "vh", NULL}; /* in the order of enum array_polarisation */
static const double HALF_WAVELENGTH = 0.5, PITCH_LIMIT = 100;            /* wavelengths; m */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

const struct node *antenna_array_node(const struct node *map)
{
    const struct node *node = node_find(map, "antenna");
    return node != NULL && node->kind == PW_NODE_MAP && node_find(node, "array") != NULL ? node : NULL;
}

/* One number for a ula, two for a upa. */
static pw_status elements_read(const struct node *map, struct antenna_array *array, pw_error *error)
{
    const struct node *node;
    const pw_range range = {1, ELEMENT_LIMIT, false, false};
    double number[2] = {1, 1};
    TRY(read_required(map, "elements", array->upright ? "rows and columns, as in [2, 4]" : "how many, as in 4", &node,
                      error));
    if (node->kind == PW_NODE_LIST && node->count == (array->upright ? 2 : 1)) {
        for (const struct node *item = node->first; item != NULL; item = item->next) {
            TRY(node_quantity(item, PW_DIMENSION_NUMBER, range, &number[array->upright ? item->index : 1], error));
        }
    } else if (node->kind == PW_NODE_SCALAR && !array->upright) {
        TRY(node_quantity(node, PW_DIMENSION_NUMBER, range, &number[1], error));
    } else {
        return node_fail(node, error,
                         array->upright ? "must be rows and columns, as in [2, 4]" : "must be one number, as in 4");
    }
    array->rows = (int)number[0];
    array->columns = (int)number[1];
    return number[0] == floor(number[0]) && number[1] == floor(number[1]) && number[0] * number[1] <= ELEMENT_LIMIT
               ? PW_OK
               : node_fail(node, error, "must be whole numbers, of %d elements at most", ELEMENT_LIMIT);
}

/* A length, or a number of wavelengths in air at the band's centre. */
static pw_status pitch_read(const struct node *node, const struct scenario *scenario, double *pitch, pw_error *error)
{
    TRY(node_scalar(node, "a distance", error));
    char *unit;
    const double number = strtod(node->text, &unit);
    unit += strspn(unit, " ");
    if (unit != node->text && (strcmp(unit, "wavelengths") == 0 || strcmp(unit, "wavelength") == 0)) {
        *pitch = number * SPEED_OF_LIGHT / scenario->band_centre;
    } else {
        TRY(node_quantity(node, PW_DIMENSION_LENGTH, (pw_range){-PITCH_LIMIT, PITCH_LIMIT, false, false}, pitch,
                          error));
    }
    return *pitch > 0 && *pitch <= PITCH_LIMIT
               ? PW_OK
               : node_fail(node, error, "must be a distance over 0 and up to %g m, as in 0.5 wavelengths or 6 cm",
                           PITCH_LIMIT);
}

static pw_status spacing_read(const struct node *map, const struct scenario *scenario, struct antenna_array *array,
                              pw_error *error)
{
    const struct node *node = node_find(map, "spacing");
    array->pitch[0] = array->pitch[1] = HALF_WAVELENGTH * SPEED_OF_LIGHT / scenario->band_centre;
    if (node != NULL && node->kind == PW_NODE_LIST && array->upright && node->count == 2) {
        TRY(pitch_read(node->first, scenario, &array->pitch[0], error));
        return pitch_read(node->last, scenario, &array->pitch[1], error);
    }
    if (node != NULL) {
        TRY(pitch_read(node, scenario, &array->pitch[0], error));
        array->pitch[1] = array->pitch[0];
    }
    return PW_OK;
}

/* What two dimensions cannot hold. */
static pw_status dimensions_check(const struct node *map, const struct scenario *scenario,
                                  const struct antenna_array *array, pw_error *error)
{
    if (scenario->dimensions == 3) {
        return PW_OK;
    }
    if (array->rows > 1) {
        return node_fail(node_find(map, "elements"), error,
                         "%d rows stand over each other, and two dimensions have no heights; allowed: one row, or "
                         "dimensions: 3",
                         array->rows);
    }
    if (array->polarisation != ARRAY_OWN) {
        return node_fail(node_find(map, "polarisation"), error,
                         "two polarisations of an element need dimensions: 3; allowed in two: own");
    }
    return array->roll == 0 ? PW_OK
                            : node_fail(node_find(map, "roll"), error, "must be 0 in two dimensions, or dimensions: 3");
}

pw_status antenna_array_read(const struct node *node, const struct scenario *scenario, struct antenna_array *array,
                             pw_error *error)
{
    static const char *const KEYS[] = {"array",    "elements", "spacing",      "element", "bearing",
                                       "downtilt", "roll",     "polarisation", NULL};
    int kind = 0, polarisation = ARRAY_OWN;
    TRY(read_map(node, KEYS, error));
    TRY(read_choice(node, "array", KINDS, &kind, error));
    *array = (struct antenna_array){.upright = kind == 1};
    TRY(elements_read(node, array, error));
    TRY(spacing_read(node, scenario, array, error));
    TRY(read_choice(node, "polarisation", POLARISATIONS, &polarisation, error));
    array->polarisation = (enum array_polarisation)polarisation;
    TRY(read_angle(node, "bearing", 2 * M_PI, &array->bearing, error));
    TRY(read_angle(node, "downtilt", 0.5 * M_PI, &array->downtilt, error));
    TRY(read_angle(node, "roll", M_PI, &array->roll, error));
    return dimensions_check(node, scenario, array, error);
}

/* ---- ports ------------------------------------------------------------------------------------------------------- */

static int polarisation_count(const struct antenna_array *array)
{
    return array->polarisation == ARRAY_OWN ? 1 : 2;
}

int antenna_array_count(const struct antenna_array *array)
{
    return array->rows > 0 ? array->rows * array->columns * polarisation_count(array) : 1;
}

/* What points right and up in the array's plane, as seen from behind. */
static void axes_find(const struct antenna_array *array, double right[3], double up[3])
{
    const double east = sin(array->bearing), north = cos(array->bearing);
    const double level[3] = {north, -east, 0},
                 rising[3] = {east * sin(array->downtilt), north * sin(array->downtilt), cos(array->downtilt)};
    for (int a = 0; a < 3; a++) {
        right[a] = cos(array->roll) * level[a] - sin(array->roll) * rising[a];
        up[a] = cos(array->roll) * rising[a] + sin(array->roll) * level[a];
    }
}

/* Of unit length, `slant` clockwise from up as seen from behind. */
static struct direction slanted(const double right[3], const double up[3], double slant)
{
    double part[3];
    for (int a = 0; a < 3; a++) {
        part[a] = cos(slant) * up[a] + sin(slant) * right[a];
        part[a] = fabs(part[a]) < 1e-15 ? 0 : part[a];
    }
    return (struct direction){part[0], part[1], part[2]};
}

void antenna_array_place(const struct antenna_array *array, int number, const struct array_terminal *terminal)
{
    static const double SLANT[][2] = {{0, 0}, {-M_PI_4, M_PI_4}, {0, M_PI_2}};
    const int n = number - 1, elements = array->rows * array->columns;
    double right[3], up[3], offset[3];
    axes_find(array, right, up);
    const double above = (0.5 * (array->rows - 1) - n % array->rows) * array->pitch[0];
    /* Left from the front is right from behind. */
    const double aside = (0.5 * (array->columns - 1) - n / array->rows % array->columns) * array->pitch[1];
    for (int a = 0; a < 3; a++) {
        offset[a] = above * up[a] + aside * right[a];
    }
    terminal->at->x += offset[0];
    terminal->at->y += offset[1];
    if (offset[2] != 0) {
        *terminal->height = (isnan(*terminal->height) ? TERMINAL_HEIGHT : *terminal->height) + offset[2];
    }
    if (array->polarisation != ARRAY_OWN) {
        terminal->antenna->slant = SLANT[array->polarisation][n / elements];
        *terminal->polarisation = slanted(right, up, terminal->antenna->slant);
    }
    *terminal->port = (pw_port){.number = number, .shape = {array->rows, array->columns, polarisation_count(array)}};
    memcpy(terminal->port->station, terminal->name, NAME_SIZE);
    const size_t length = strlen(terminal->name);
    snprintf(terminal->name + length, NAME_SIZE - length, ".%d", number);
}

/* ---- the key `port` ---------------------------------------------------------------------------------------------- */

static const pw_port *port_of(const struct port_list *ports, int n)
{
    return (const pw_port *)(const void *)(ports->port + (size_t)n * ports->stride);
}

/* "ap1.3" is antenna 3 of ap1. */
static bool station_name(const char *name, int number, char station[NAME_SIZE])
{
    char ending[16];
    const size_t length = strlen(name), tail = (size_t)snprintf(ending, sizeof ending, ".%d", number);
    if (length <= tail || strcmp(name + length - tail, ending) != 0) {
        return false;
    }
    snprintf(station, NAME_SIZE, "%.*s", (int)(length - tail), name);
    return name_is_good(station);
}

static pw_status shape_read(const struct node *shape, int counts[3], pw_error *error)
{
    NODE_FAIL_IF(shape->kind != PW_NODE_LIST || shape->count != 3, shape, error,
                 "must be rows, columns and polarisations, as in [1, 4, 1]");
    for (const struct node *item = shape->first; item != NULL; item = item->next) {
        double count = 0;
        TRY(node_quantity(item, PW_DIMENSION_NUMBER, (pw_range){1, item->index == 2 ? 2 : ELEMENT_LIMIT, false, false},
                          &count, error));
        NODE_FAIL_IF(count != floor(count), item, error, "must be a whole number");
        counts[item->index] = (int)count;
    }
    return PW_OK;
}

pw_status port_read(const struct node *map, const char *name, pw_port *port, pw_error *error)
{
    static const char *const KEYS[] = {"number", "array", NULL};
    const struct node *node = node_find(map, "port"), *found, *shape;
    int64_t number = 0;
    *port = (pw_port){0};
    if (node == NULL) {
        return PW_OK;
    }
    TRY(read_map(node, KEYS, error));
    TRY(read_required(node, "number", "which antenna of its station it is, from 1", &found, error));
    TRY(read_integer(node, "number", PW_DIMENSION_NUMBER, 1, 2 * ELEMENT_LIMIT, &number, error));
    TRY(read_required(node, "array", "rows, columns and polarisations, as in [1, 4, 1]", &shape, error));
    TRY(shape_read(shape, port->shape, error));
    port->number = (int)number;
    const int64_t all = (int64_t)port->shape[0] * port->shape[1] * port->shape[2];
    NODE_FAIL_IF(number > all, found, error, "is not among the %lld antennas of the array", (long long)all);
    return station_name(name, port->number, port->station)
               ? PW_OK
               : node_fail(found, error, "antenna %d of a station 'ap' has the name 'ap.%d'; this one is '%s'",
                           port->number, port->number, name);
}

pw_status receiver_array_check(const struct node *map, const struct scenario *scenario,
                               const struct receiver_entry *entry, pw_error *error)
{
    if (entry->record == RECORD_SPECTRA && scenario->dimensions == 3 && entry->antenna.kind == ANTENNA_PATTERN) {
        return node_fail(node_find(map, "record"), error,
                         "keeps the field of points, and a pattern weighs it all around; allowed: steps");
    }
    NODE_FAIL_IF(entry->port.number > 0 && (entry->kind != RECEIVER_POINT || entry->array.rows > 0),
                 node_find(map, "port"), error, "is for one point, without an array of its own");
    if (entry->array.rows > 0 && entry->record == RECORD_SPECTRA) {
        return node_fail(node_find(map, "record"), error,
                         "spectra are kept at points that stand further apart than the antennas of an array; allowed "
                         "with an array: steps");
    }
    if (entry->antenna.kind == ANTENNA_HALF_WAVE && entry->record == RECORD_SPECTRA && scenario->dimensions == 3) {
        return node_fail(node_find(map, "record"), error,
                         "spectra are kept at points, and a half-wave dipole takes in the field along it; allowed with "
                         "it: steps");
    }
    return PW_OK;
}

void port_write(FILE *out, const char *before, const pw_port *port)
{
    if (port->number > 0) {
        fprintf(out, "%sport: {number: %d, array: [%d, %d, %d]}", before, port->number, port->shape[0], port->shape[1],
                port->shape[2]);
    }
}

/* The antennas of the station that begins with entry n are all there. */
static pw_status station_whole(const struct node *list, const struct port_list *ports, int n, int all, pw_error *error)
{
    const pw_port *first = port_of(ports, n);
    for (int p = 0; p < all; p++) {
        const pw_port *port = n + p < ports->count ? port_of(ports, n + p) : NULL;
        NODE_FAIL_IF(port == NULL || strcmp(port->station, first->station) != 0 || port->number != p + 1 ||
                         memcmp(port->shape, first->shape, sizeof port->shape) != 0,
                     list, error,
                     "the station '%s' of %d antennas lacks antenna %d: antennas 1 to %d stand one after the "
                     "other",
                     first->station, all, p + 1, all);
    }
    return PW_OK;
}

static int names_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `sorted` (count): names of all terminals. */
static pw_status stations_check(const struct node *list, const struct port_list *ports, const char **sorted,
                                pw_error *error)
{
    for (int n = 0; n < ports->count; n++) {
        const pw_port *first = port_of(ports, n);
        const int all = first->shape[0] * first->shape[1] * first->shape[2];
        const char *station = first->station;
        if (first->number == 0) {
            continue;
        }
        TRY(station_whole(list, ports, n, all, error));
        if (bsearch(&station, sorted, (size_t)ports->count, sizeof *sorted, names_compare) != NULL) {
            return node_fail(list, error,
                             "has the name '%s' for a station of %d antennas and for one of its own; names must differ",
                             station, all);
        }
        n += all - 1;
    }
    return PW_OK;
}

pw_status ports_check(const struct node *list, const struct port_list *ports, pw_error *error)
{
    OWNED const char **sorted = allocate((size_t)ports->count, sizeof *sorted, "names", error);
    TRY_MADE(sorted);
    for (int n = 0; n < ports->count; n++) {
        sorted[n] = ports->name + (size_t)n * ports->stride;
    }
    qsort(sorted, (size_t)ports->count, sizeof *sorted, names_compare);
    return stations_check(list, ports, sorted, error);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

void antenna_array_write(FILE *out, const struct antenna_array *array)
{
    fprintf(out, array->upright ? "array: upa, elements: [%d, " : "array: ula, elements: ", array->rows);
    fprintf(out, array->upright ? "%d], " : "%d, ", array->columns);
    write_quantity(out, array->upright ? "spacing: [" : "spacing: ", array->pitch[0], PW_DIMENSION_LENGTH);
    if (array->upright) {
        write_quantity(out, ", ", array->pitch[1], PW_DIMENSION_LENGTH);
    }
    fprintf(out, "%s, polarisation: %s", array->upright ? "]" : "", POLARISATIONS[array->polarisation]);
    write_quantity(out, ", bearing: ", array->bearing, PW_DIMENSION_ANGLE);
    write_quantity(out, ", downtilt: ", array->downtilt, PW_DIMENSION_ANGLE);
    write_quantity(out, ", roll: ", array->roll, PW_DIMENSION_ANGLE);
}
