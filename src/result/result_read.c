/* Reads a result file, trusting nothing: it must be HDF5, ours, of a known format, and every rank, type and extent must
 * fit the others and the size of the file before memory is taken for it. Text, timing and warnings are left to info.c.
 */
#include "base/file/atomic_file.h"
#include "result/antenna/result_antenna.h"
#include "result/result_reading.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double two_pi = 6.283185307179586476925286766559;

/* ---- the summary ------------------------------------------------------------------------------------------------- */

const char *summary_find(const char *summary, const char *name, size_t *length)
{
    size_t size = strlen(name);
    while (summary != NULL && *summary != '\0') {
        const char *end = strchrnul(summary, '\n');
        if ((size_t)(end - summary) > size && strncmp(summary, name, size) == 0 && summary[size] == '\t') {
            *length = (size_t)(end - summary) - size - 1;
            return summary + size + 1;
        }
        summary = *end == '\0' ? end : end + 1;
    }
    *length = 0;
    return NULL;
}

static pw_status summary_copy(const struct result *result, const char *name, char **text, pw_error *error)
{
    size_t length;
    const char *value = summary_find(result->summary, name, &length);
    FAIL_IF(value == NULL, error, PW_BAD_INPUT, "has no '%s' in its summary", name);
    *text = strndup(value, length);
    return *text != NULL ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for a text");
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* The signature at the very start, where planwave puts it. */
static pw_status check_signature(const char *path, uint64_t *file_bytes, pw_error *error)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char found[8] = {0};
    struct stat facts;
    TRY(input_file_look(path, error));
    FILE *file = fopen(path, "rb");
    FAIL_IF(file == NULL, error, PW_BAD_INPUT, "cannot open: %s", strerror(errno));
    size_t got = fread(found, 1, sizeof found, file);
    int bad = fstat(fileno(file), &facts);
    fclose(file);
    FAIL_IF(bad != 0 || !S_ISREG(facts.st_mode), error, PW_BAD_INPUT, "is not a file");
    FAIL_IF(got != sizeof found || memcmp(found, signature, sizeof found) != 0, error, PW_BAD_INPUT,
            "is not an HDF5 file, so not a result of planwave");
    *file_bytes = (uint64_t)facts.st_size;
    return PW_OK;
}

static pw_status check_ours(hid_t file, pw_error *error)
{
    char *summary = NULL;
    const char *program = "";
    size_t length = 0;
    if (hdf5_attribute_exists(file, "summary")) {
        pw_status status = hdf5_read_text(file, "summary", &summary, error);
        if (status == PW_NO_RESOURCE) {
            return status;
        }
        program = status == PW_OK ? summary_find(summary, "program", &length) : NULL;
    }
    bool ours = program != NULL && length == strlen(RESULT_PROGRAM) && strncmp(program, RESULT_PROGRAM, length) == 0;
    free(summary);
    FAIL_IF(!ours, error, PW_BAD_INPUT,
            "is HDF5, but not a result of planwave (no attribute summary with program " RESULT_PROGRAM ")");
    int64_t version;
    TRY(hdf5_read_integer(file, "format_version", 0, 1 << 20, &version, error));
    FAIL_IF(version != RESULT_FORMAT_VERSION, error, PW_BAD_INPUT,
            "has format version %lld; this planwave reads version %d", (long long)version, RESULT_FORMAT_VERSION);
    return PW_OK;
}

pw_status result_file_open(const char *path, hid_t *file, uint64_t *file_bytes, pw_error *error)
{
    TRY(check_signature(path, file_bytes, error));
    OWNED_ID hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access_list, H5F_CLOSE_STRONG);
    *file = H5Fopen(path, H5F_ACC_RDONLY, access_list);
    if (*file < 0) {
        return hdf5_fail(error, PW_BAD_INPUT, "is damaged or truncated");
    }
    pw_status status = check_ours(*file, error);
    if (status != PW_OK) {
        H5Fclose(*file);
        *file = H5I_INVALID_HID;
    }
    return status;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* The plane of the maps that each level of z has. */
static pw_status read_levels(const struct reading *reading, hid_t plan, hsize_t planes, pw_error *error)
{
    struct result *result = reading->result;
    hsize_t extent[1];
    OWNED_ID hid_t dataset = hdf5_dataset_open(plan, "level", ELEMENT_INTEGER, 1, reading->file_bytes, extent, error);
    TRY_OPEN(dataset);
    FAIL_IF(extent[0] != (hsize_t)result->nz, error, PW_BAD_INPUT, "dataset 'level' has %llu elements, not %d",
            (unsigned long long)extent[0], result->nz);
    TRY_MADE(result->level = allocate((size_t)result->nz, sizeof *result->level, "levels", error));
    TRY(hdf5_block_read_as(dataset, "level", (hsize_t[]){0}, extent, H5T_NATIVE_INT, result->level, error));
    for (int k = 0; k < result->nz; k++) {
        FAIL_IF(result->level[k] < 0 || (hsize_t)result->level[k] >= planes, error, PW_BAD_INPUT,
                "level %d of the plan has plane %d; there are %llu", k, result->level[k], (unsigned long long)planes);
    }
    return PW_OK;
}

static pw_status read_plan(const struct reading *reading, pw_error *error)
{
    struct result *result = reading->result;
    bool volume = result->dimensions == 3;
    hsize_t nx = 0, ny = 0, extent[3] = {0, 0, 0}, *plane = volume ? extent + 1 : extent;
    OWNED_ID hid_t plan = hdf5_group_open(result->file, "plan", error);
    TRY_OPEN(plan);
    TRY(reading_length(reading, plan, "x", 1, ELEMENT_REAL, &nx, error));
    TRY(reading_length(reading, plan, "y", 1, ELEMENT_REAL, &ny, error));
    TRY(reading_length(reading, plan, "relative_permittivity", volume ? 3 : 2, ELEMENT_REAL, extent, error));
    FAIL_IF(nx > NODES_LIMIT || ny > NODES_LIMIT || plane[0] != ny || plane[1] != nx, error, PW_BAD_INPUT,
            "the plan is %llu x %llu, its axes %llu x %llu (at most %d)", (unsigned long long)plane[0],
            (unsigned long long)plane[1], (unsigned long long)ny, (unsigned long long)nx, NODES_LIMIT);
    result->nx = (int)nx;
    result->ny = (int)ny;
    return volume ? read_levels(reading, plan, extent[0], error) : PW_OK;
}

/* Files in two dimensions say nothing of them. */
static pw_status read_dimensions(struct result *result, pw_error *error)
{
    int64_t dimensions = 2, nz = 1;
    if (hdf5_attribute_exists(result->file, "dimensions")) {
        TRY(hdf5_read_integer(result->file, "dimensions", 2, 3, &dimensions, error));
    }
    if (dimensions == 3) {
        TRY(hdf5_read_integer(result->file, "nz", 1, NODES_LIMIT, &nz, error));
        TRY(hdf5_read_numbers(result->file, "origin_z", &result->origin_z, 0, error));
    }
    result->dimensions = (int)dimensions;
    result->horizontal = dimensions == 2 && hdf5_attribute_exists(result->file, "polarisation");
    result->nz = (int)nz;
    return PW_OK;
}

static pw_status positive(const char *name, double value, pw_error *error)
{
    return value > 0 ? PW_OK : fail(error, PW_BAD_INPUT, "attribute '%s' is %g, not positive", name, value);
}

/* Absorber cells at the low or the high ends of the axes. Files without walls at single sides do not name the high
 * ends, nor those in two dimensions and older ones in three the low ends: all ends are alike then. */
static pw_status read_ends(const struct result *result, const char *name, int ends[3], pw_error *error)
{
    double cells[3] = {result->layer, result->layer, result->dimensions == 3 ? result->layer : 0};
    if (hdf5_attribute_exists(result->file, name)) {
        TRY(hdf5_read_numbers(result->file, name, cells, 3, error));
    }
    for (int a = 0; a < 3; a++) {
        FAIL_IF(cells[a] != 0 && cells[a] != result->layer, error, PW_BAD_INPUT,
                "attribute '%s' has %g: allowed are 0 and %d", name, cells[a], result->layer);
        ends[a] = (int)cells[a];
    }
    return PW_OK;
}

static pw_status read_absorber(struct result *result, pw_error *error)
{
    const int count[3] = {result->nx, result->ny, result->nz};
    int64_t layer;
    TRY(hdf5_read_integer(result->file, "absorber_cells", 0, INT_MAX / 2, &layer, error));
    result->layer = (int)layer;
    TRY(read_ends(result, "absorber_cells_low", result->low, error));
    TRY(read_ends(result, "absorber_cells_high", result->high, error));
    for (int a = 0; a < 3; a++) {
        FAIL_IF(result->low[a] + result->high[a] >= count[a], error, PW_BAD_INPUT,
                "attribute 'absorber_cells' is %d: along %c the absorber leaves nothing of %d cells", result->layer,
                "xyz"[a], count[a]);
    }
    return PW_OK;
}

static pw_status read_root(const struct reading *reading, pw_error *error)
{
    struct result *result = reading->result;
    hid_t file = result->file;
    double origin[2];
    TRY(hdf5_read_text(file, "summary", &result->summary, error));
    TRY(summary_copy(result, "title", &result->title, error));
    TRY(summary_copy(result, "scheme", &result->scheme, error));
    TRY(hdf5_read_numbers(file, "dx", &result->cell, 0, error));
    TRY(positive("dx", result->cell, error));
    TRY(hdf5_read_numbers(file, "dt", &result->time_step, 0, error));
    TRY(positive("dt", result->time_step, error));
    TRY(hdf5_read_numbers(file, "origin", origin, 2, error));
    TRY(hdf5_read_numbers(file, "band_centre", &result->band_centre, 0, error));
    TRY(hdf5_read_numbers(file, "band_width", &result->band_width, 0, error));
    TRY(read_dimensions(result, error));
    TRY(read_plan(reading, error));
    TRY(read_absorber(result, error));
    result->over_height = result->over_from = NAN;
    if (hdf5_attribute_exists(file, "over_from")) {
        TRY(hdf5_read_numbers(file, "over_height", &result->over_height, 0, error));
        TRY(hdf5_read_numbers(file, "over_from", &result->over_from, 0, error));
        TRY_MADE(result->step = allocate(1, sizeof *result->step, "where two cuts differ", error));
    }
    result->origin_x = origin[0];
    result->origin_y = origin[1];
    return PW_OK;
}

static pw_status read_frequencies(const struct reading *reading, pw_error *error)
{
    struct result *result = reading->result;
    if (!hdf5_member_exists(result->file, "frequency")) {
        return PW_OK;
    }
    hsize_t count;
    TRY(reading_line(reading, result->file, (struct line){"frequency", false, 0}, &result->frequency, &count, error));
    TRY(reading_line(reading, result->file, (struct line){"warped_frequency", false, count}, &result->omega, &count,
                     error));
    for (hsize_t n = 0; n < count; n++) {
        FAIL_IF(n > 0 && !(result->frequency[n] > result->frequency[n - 1]), error, PW_BAD_INPUT,
                "dataset 'frequency' does not ascend at %llu", (unsigned long long)n);
        result->omega[n] *= two_pi;
    }
    result->frequency_count = (int)count;
    return PW_OK;
}

/* ---- the handle -------------------------------------------------------------------------------------------------- */

static pw_status open_members(struct result *result, const char *path, pw_error *error)
{
    struct reading reading = {.result = result};
    hid_t file = H5I_INVALID_HID;
    pw_status status = result_file_open(path, &file, &reading.file_bytes, error);
    result->file = file;
    TRY(status);
    result->file_bytes = reading.file_bytes;
    TRY(read_root(&reading, error));
    TRY(read_frequencies(&reading, error));
    TRY(result_read_patterns(&reading, error));
    TRY(reading_transmitters(&reading, error));
    TRY(result_sheets_begin(result, error));
    return result_read_lattice_receivers(result, error);
}

pw_status pw_result_open(const char *path, pw_result **result, pw_error *error)
{
    *result = NULL;
    OWNED_AS(pw_result) *made = allocate(1, sizeof *made, "a result", error);
    TRY_MADE(made);
    made->file = H5I_INVALID_HID;
    made->path = strdup(path);
    FAIL_IF(made->path == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
    HDF5_SILENCE;
    TRY(hdf5_name_file(error, open_members(made, path, error), path));
    *result = made;
    made = NULL;
    return PW_OK;
}

void pw_result_close(pw_result *result)
{
    if (result == NULL) {
        return;
    }
    for (int t = 0; t < result->transmitter_count; t++) {
        FREE_ALL(result->transmitters[t].spectrum, result->transmitters[t].receivers,
                 result->transmitters[t].energy_time, result->transmitters[t].energy);
        result_sheets_free(&result->transmitters[t]);
        result_over_free(&result->transmitters[t]);
    }
    if (result->file >= 0) {
        HDF5_SILENCE;
        H5Fclose(result->file);
    }
    free(result->transmitters);
    result_patterns_free(result);
    FREE_ALL(result->level, result->frequency, result->omega);
    if (result->step != NULL) {
        FREE_ALL(result->step->tops, result->step);
    }
    FREE_ALL(result->summary, result->title, result->scheme, result->path, result);
}

PW_RELEASES(pw_result, pw_result_close)
