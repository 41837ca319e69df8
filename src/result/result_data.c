/* What readers of a result ask for after opening it: transmitters and receivers by name, time series, spectra, the
 * plan. */
#include "result/result_reading.h"

#include "scenario/scenario.h"
#include "scenario/scenario_read.h"
#include "scenario/scenario_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *result_component_word(const struct result *result, int component)
{
    return component_word(result->horizontal, component);
}

const char *result_component_symbol(const struct result *result, int component)
{
    static const char *const symbols[3] = {"Ex", "Ey", "Ez"};
    return result->horizontal && component == 2 ? "Hz" : symbols[component];
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* Name of entry `index` of a list; the two lists differ in the type of their entries only. */
typedef const char *(*name_at)(const void *list, int index);

static const char *transmitter_name(const void *list, int index)
{
    return ((const struct result_transmitter *)list)[index].name;
}

static const char *receiver_name(const void *list, int index)
{
    return ((const struct result_receiver *)list)[index].name;
}

static int find_name(const char *kind, const void *list, int count, name_at at, const char *name, pw_error *error)
{
    if (count > 0 && name == NULL) {
        return 0;
    }
    for (int n = 0; n < count; n++) {
        if (strcmp(at(list, n), name) == 0) {
            return n;
        }
    }
    char known[600] = "";
    for (int n = 0; n < count; n++) {
        size_t used = strlen(known);
        if (used + NAME_SIZE + 8 > sizeof known) {
            snprintf(known + used, sizeof known - used, ", ...");
            break;
        }
        snprintf(known + used, sizeof known - used, "%s%s", n > 0 ? ", " : "", at(list, n));
    }
    fail(error, PW_BAD_INPUT, "no %s '%s' in this result; it has: %s", kind, name != NULL ? name : "",
         count > 0 ? known : "none");
    return -1;
}

int result_find_transmitter(const struct result *result, const char *name, pw_error *error)
{
    return find_name("transmitter", result->transmitters, result->transmitter_count, transmitter_name, name, error);
}

int result_find_receiver(const struct result *result, int transmitter, const char *name, pw_error *error)
{
    const struct result_transmitter *owner = &result->transmitters[transmitter];
    return find_name("receiver", owner->receivers, owner->receiver_count, receiver_name, name, error);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

static pw_status read_checked(hid_t dataset, const struct stored *what, const hsize_t *extent, const hsize_t *start,
                              const hsize_t *count, void *out, pw_error *error)
{
    for (int r = 0; r < what->rank; r++) {
        FAIL_IF(count[r] == 0 || start[r] > extent[r] || count[r] > extent[r] - start[r], error, PW_USAGE,
                "dataset '%s' has %llu elements along dimension %d; %llu from %llu on were asked for", what->path,
                (unsigned long long)extent[r], r, (unsigned long long)count[r], (unsigned long long)start[r]);
    }
    return what->as_index
               ? hdf5_block_read_as(dataset, what->path, start, count, H5T_NATIVE_UINT16, out, error)
               : hdf5_block_read(dataset, what->path, start, count, what->element == ELEMENT_COMPLEX, out, error);
}

pw_status reading_stored(const struct result *result, const struct stored *what, const hsize_t *start,
                         const hsize_t *count, void *out, pw_error *error)
{
    hsize_t extent[3];
    HDF5_SILENCE;
    OWNED_ID hid_t dataset =
        hdf5_dataset_open(result->file, what->path, what->element, what->rank, result->file_bytes, extent, error);
    const pw_status status = dataset < 0 ? PW_BAD_INPUT : read_checked(dataset, what, extent, start, count, out, error);
    return hdf5_name_file(error, status, result->path);
}

pw_status result_read_receiver_component(const struct result *result, int transmitter, int receiver, int component,
                                         double *e, pw_error *error)
{
    const struct result_transmitter *owner = &result->transmitters[transmitter];
    char path[2 * NAME_SIZE + 40];
    FAIL_IF(owner->receivers[receiver].row >= 0, error, PW_BAD_INPUT,
            "receiver '%s' was taken from the running spectra: it has no series; record: steps keeps one",
            owner->receivers[receiver].name);
    FAIL_IF(!result_is_vector(result) && component != 2, error, PW_BAD_INPUT,
            "%s: was solved in two dimensions: it has Ez alone", result->path);
    snprintf(path, sizeof path, "/transmitters/%s/receivers/%s/%s", owner->name, owner->receivers[receiver].name,
             result_component_word(result, component));
    const struct stored what = {path, ELEMENT_REAL, 1, false};
    return reading_stored(result, &what, (hsize_t[]){0}, (hsize_t[]){(hsize_t)owner->samples}, e, error);
}

pw_status result_read_receiver(const struct result *result, int transmitter, int receiver, double *ez, pw_error *error)
{
    if (!result_is_vector(result)) {
        return result_read_receiver_component(result, transmitter, receiver, 2, ez, error);
    }
    const struct result_transmitter *owner = &result->transmitters[transmitter];
    size_t samples = (size_t)owner->samples;
    OWNED double *one = allocate(samples, sizeof *one, "the field at a receiver", error);
    TRY_MADE(one);
    memset(ez, 0, samples * sizeof *ez);
    for (int c = 0; c < 3; c++) {
        double share = owner->receivers[receiver].polarisation[c];
        TRY(result_read_receiver_component(result, transmitter, receiver, c, one, error));
        for (size_t n = 0; n < samples; n++) {
            ez[n] += share * one[n];
        }
    }
    return PW_OK;
}

/* Of a result in memory. */
static pw_status copy_block(const struct result *result, const struct result_sheet *sheet, const pw_block *block,
                            double *out, pw_error *error)
{
    FAIL_IF(block->row_count > sheet->rows - block->row_first ||
                block->column_count > sheet->columns - block->column_first,
            error, PW_USAGE, "spectra of %d rows from %d and %d columns from %d asked for, of %d x %d",
            block->row_count, block->row_first, block->column_count, block->column_first, sheet->rows, sheet->columns);
    const size_t line = 2 * (size_t)block->column_count;
    for (int f = 0; f < result->frequency_count; f++) {
        for (int row = 0; row < block->row_count; row++, out += line) {
            size_t at = (size_t)f * (size_t)sheet->rows + (size_t)(block->row_first + row);
            memcpy(out, sheet->values + 2 * (at * (size_t)sheet->columns + (size_t)block->column_first),
                   line * sizeof *out);
        }
    }
    return PW_OK;
}

pw_status result_read_sheet(const struct result *result, int transmitter, int sheet, const pw_block *block, double *out,
                            pw_error *error)
{
    const struct result_transmitter *owner = &result->transmitters[transmitter];
    FAIL_IF(sheet < 0 || sheet >= owner->sheet_count, error, PW_BAD_INPUT,
            "%s: transmitter '%s' has no running spectra; add the key 'spectra' to the scenario and run it again",
            result->path, owner->name);
    FAIL_IF(block->row_first < 0 || block->row_count < 1 || block->column_first < 0 || block->column_count < 1, error,
            PW_USAGE, "spectra of %d rows from %d and %d columns from %d asked for", block->row_count, block->row_first,
            block->column_count, block->column_first);
    const struct result_sheet *from = &owner->sheets[sheet];
    if (from->values != NULL) {
        return copy_block(result, from, block, out, error);
    }
    char path[2 * NAME_SIZE + 40];
    snprintf(path, sizeof path, "/transmitters/%s/spectra/%s%s%s", owner->name, from->name,
             from->name[0] != '\0' ? "/" : "", result_component_word(result, from->component));
    hsize_t start[3] = {0, (hsize_t)block->row_first, (hsize_t)block->column_first};
    hsize_t count[3] = {(hsize_t)result->frequency_count, (hsize_t)block->row_count, (hsize_t)block->column_count};
    const struct stored what = {path, ELEMENT_COMPLEX, 3, false};
    return reading_stored(result, &what, start, count, out, error);
}

pw_status result_read_over(const struct result *result, int transmitter, const pw_block *block, double *out,
                           pw_error *error)
{
    char path[NAME_SIZE + 40];
    snprintf(path, sizeof path, "/transmitters/%s/spectra/over/ez", result->transmitters[transmitter].name);
    hsize_t start[3] = {0, (hsize_t)block->row_first, (hsize_t)block->column_first};
    hsize_t count[3] = {(hsize_t)result->frequency_count, (hsize_t)block->row_count, (hsize_t)block->column_count};
    return reading_stored(result, &(struct stored){path, ELEMENT_COMPLEX, 3, false}, start, count, out, error);
}

pw_status result_read_step(const struct result *result, uint16_t *tops, pw_error *error)
{
    const struct stored map = {"/plan/over", ELEMENT_INTEGER, 2, true};
    const hsize_t start[2] = {0, 0}, count[2] = {(hsize_t)result->ny, (hsize_t)result->nx};
    return reading_stored(result, &map, start, count, tops, error);
}

pw_status result_read_spectra(const struct result *result, int transmitter, int row_first, int row_count,
                              int column_first, int column_count, double *out, pw_error *error)
{
    const pw_block block = {row_first, row_count, column_first, column_count};
    return result_read_sheet(result, transmitter, result->sheet, &block, out, error);
}

/* ---- the plane of the chosen sheet ------------------------------------------------------------------------------- */

/* Level of Ez that is nearest to a height [m]. */
static int level_at(const struct result *result, double height)
{
    double level = floor((height - result->origin_z) / result->cell); /* Ez stands half a cell higher */
    return (int)fmax(0.0, fmin(result->nz - 1, level + 1e-6));
}

/* One line of every plane of a map, spread over the levels. */
static pw_status read_cut(const struct result *result, const struct stored *map, const struct result_sheet *sheet,
                          char *out, pw_error *error)
{
    bool along_x = sheet->normal == 1;
    double first = along_x ? result->origin_y : result->origin_x;
    int across = along_x ? result->ny : result->nx, planes = 0;
    hsize_t line = (hsize_t)fmax(0.0, fmin(across - 1, round((sheet->position - first) / result->cell)));
    for (int k = 0; k < result->nz; k++) {
        planes = result->level[k] >= planes ? result->level[k] + 1 : planes;
    }
    hsize_t width = (hsize_t)result->face.columns;
    size_t bytes = (size_t)width * (map->as_index ? sizeof(uint16_t) : sizeof(double));
    OWNED char *lines = allocate((size_t)planes, bytes, "a cut through the plan", error);
    TRY_MADE(lines);
    const hsize_t start[3] = {0, along_x ? line : 0, along_x ? 0 : line};
    const hsize_t count[3] = {(hsize_t)planes, along_x ? 1 : width, along_x ? width : 1};
    TRY(reading_stored(result, map, start, count, lines, error));
    for (int k = 0; k < result->nz; k++) {
        memcpy(out + (size_t)k * bytes, lines + (size_t)result->level[k] * bytes, bytes);
    }
    return PW_OK;
}

/* A map of /plan, (ny, nx) or (planes, ny, nx), in the face of the chosen sheet. */
static pw_status read_face(const struct result *result, struct stored map, void *out, pw_error *error)
{
    const struct result_transmitter *first = &result->transmitters[0];
    const struct result_sheet *sheet = result->sheet < first->sheet_count ? &first->sheets[result->sheet] : NULL;
    hsize_t start[3] = {0, 0, 0}, count[3] = {1, (hsize_t)result->ny, (hsize_t)result->nx};
    if (result->dimensions == 2) {
        map.rank = 2;
        return reading_stored(result, &map, start + 1, count + 1, out, error);
    }
    map.rank = 3;
    if (sheet != NULL && sheet->normal < 2) {
        return read_cut(result, &map, sheet, out, error);
    }
    /* Without spectra the plane of the first transmitter. */
    start[0] = (hsize_t)result->level[level_at(result, sheet != NULL ? sheet->position : first->height)];
    return reading_stored(result, &map, start, count, out, error);
}

pw_status result_read_permittivity(const struct result *result, double *relative_permittivity, pw_error *error)
{
    const struct stored map = {.path = "/plan/relative_permittivity", .element = ELEMENT_REAL};
    return read_face(result, map, relative_permittivity, error);
}

pw_status result_read_conductivity(const struct result *result, double *conductivity, pw_error *error)
{
    const struct stored map = {.path = "/plan/conductivity", .element = ELEMENT_REAL};
    return read_face(result, map, conductivity, error);
}

/* Which entries of the palette are metal; the caller frees *metal (count). */
static pw_status read_conductors(const struct result *result, uint8_t **metal, hsize_t *count, pw_error *error)
{
    OWNED_ID hid_t dataset =
        hdf5_dataset_open(result->file, "/plan/palette", ELEMENT_OTHER, 1, result->file_bytes, count, error);
    TRY_OPEN(dataset);
    OWNED_ID hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(double));
    H5Tinsert(type, "perfect_conductor", 0, H5T_NATIVE_DOUBLE);
    OWNED double *values = allocate((size_t)*count, sizeof *values, "the palette", error);
    *metal = allocate((size_t)*count, 1, "the palette", error);
    TRY_MADE(values != NULL && *metal != NULL);
    TRY(hdf5_block_read_as(dataset, "/plan/palette", (hsize_t[]){0}, count, type, values, error));
    for (hsize_t n = 0; n < *count; n++) {
        (*metal)[n] = values[n] != 0;
    }
    return PW_OK;
}

/* Looks up every node of /plan/material in the face. */
static pw_status read_metal_nodes(const struct result *result, const uint8_t *conductor, hsize_t count, uint8_t *metal,
                                  pw_error *error)
{
    const struct stored map = {.path = "/plan/material", .element = ELEMENT_INTEGER, .as_index = true};
    size_t nodes = (size_t)result->face.rows * (size_t)result->face.columns;
    OWNED uint16_t *index = allocate(nodes, sizeof *index, "the materials of a plan", error);
    TRY_MADE(index);
    TRY(read_face(result, map, index, error));
    for (size_t n = 0; n < nodes; n++) {
        metal[n] = index[n] < count && conductor[index[n]];
    }
    return PW_OK;
}

pw_status result_read_metal(const struct result *result, uint8_t *metal, pw_error *error)
{
    HDF5_SILENCE;
    OWNED uint8_t *conductor = NULL;
    hsize_t count = 0;
    pw_status status = read_conductors(result, &conductor, &count, error);
    THEN(status, read_metal_nodes(result, conductor, count, metal, error));
    return hdf5_name_file(error, status, result->path);
}

/* ---- the scenario ------------------------------------------------------------------------------------------------ */

pw_status result_read_scenario(const struct result *result, char **text, pw_error *error)
{
    HDF5_SILENCE;
    return hdf5_name_file(error, hdf5_read_text(result->file, "scenario", text, error), result->path);
}

INTERFACE_NAME(pw_result_scenario, result_read_scenario);

double result_level_interval(const struct result *result)
{
    OWNED char *text = NULL;
    double interval = 0.0;
    OWNED_BY(tree_free) struct tree tree = {NULL};
    if (result_read_scenario(result, &text, NULL) == PW_OK && strstr(text, "level_interval") != NULL &&
        tree_parse(&tree, result->path, text, strlen(text), NULL) == PW_OK) {
        const struct node *node = node_find(tree.root, "level_interval");
        if (node != NULL &&
            node_quantity(node, PW_DIMENSION_RATIO, (pw_range){0, 100, true, false}, &interval, NULL) != PW_OK) {
            interval = 0.0;
        }
    }
    return interval;
}

INTERFACE_NAME(pw_result_level_interval, result_level_interval);

void result_write_level_interval(const struct result *result, FILE *file)
{
    double interval = result_level_interval(result);
    if (interval > 0.0) {
        fprintf(file, "# calibrated: 19 of 20 measured levels lie within %.3g dB of the prediction\n", interval);
    }
}
