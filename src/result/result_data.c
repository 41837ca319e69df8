/* What readers of a result ask for after opening it: transmitters and receivers by name, time series, spectra, the
 * plan. */
#include "file/hdf5_read.h"
#include "result/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LATTICE_RECEIVER_LIMIT = 1 << 20 };

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

/* A block of the dataset at `path` below the root, checked once more since the handle was closed in between. */
static pw_status read_path(const struct result *result, const char *path, enum element element, int rank,
                           const hsize_t *start, const hsize_t *count, double *out, pw_error *error)
{
    hsize_t extent[3];
    struct hdf5_silence silence = hdf5_silence();
    pw_status status = PW_BAD_INPUT;
    hid_t dataset = hdf5_dataset_open(result->file, path, element, rank, result->file_bytes, extent, error);
    if (dataset >= 0) {
        status = PW_OK;
        for (int r = 0; r < rank; r++) {
            if (count[r] == 0 || start[r] > extent[r] || count[r] > extent[r] - start[r]) {
                status =
                    fail(error, PW_USAGE,
                         "dataset '%s' has %llu elements along dimension %d; %llu from %llu on were asked for", path,
                         (unsigned long long)extent[r], r, (unsigned long long)count[r], (unsigned long long)start[r]);
                break;
            }
        }
        if (status == PW_OK) {
            status = hdf5_block_read(dataset, path, start, count, element == ELEMENT_COMPLEX, out, error);
        }
        H5Dclose(dataset);
    }
    hdf5_restore(silence);
    return hdf5_name_file(error, status, result->path);
}

pw_status result_read_receiver(const struct result *result, int transmitter, int receiver, double *ez, pw_error *error)
{
    const struct result_transmitter *owner = &result->transmitters[transmitter];
    char path[2 * NAME_SIZE + 40];
    if (owner->receivers[receiver].row >= 0) {
        return fail(error, PW_BAD_INPUT,
                    "receiver '%s' was taken from the running spectra: it has no series; record: steps keeps one",
                    owner->receivers[receiver].name);
    }
    snprintf(path, sizeof path, "/transmitters/%s/receivers/%s/ez", owner->name, owner->receivers[receiver].name);
    return read_path(result, path, ELEMENT_REAL, 1, (hsize_t[]){0}, (hsize_t[]){(hsize_t)owner->samples}, ez, error);
}

pw_status result_read_spectra(const struct result *result, int transmitter, int row_first, int row_count,
                              int column_first, int column_count, double *out, pw_error *error)
{
    const struct result_transmitter *owner = &result->transmitters[transmitter];
    if (owner->rows == 0) {
        return fail(
            error, PW_BAD_INPUT,
            "%s: transmitter '%s' has no running spectra; add the key 'spectra' to the scenario and run it again",
            result->path, owner->name);
    }
    if (row_first < 0 || row_count < 1 || column_first < 0 || column_count < 1) {
        return fail(error, PW_USAGE, "spectra of %d rows from %d and %d columns from %d asked for", row_count,
                    row_first, column_count, column_first);
    }
    char path[NAME_SIZE + 40];
    snprintf(path, sizeof path, "/transmitters/%s/spectra/ez", owner->name);
    hsize_t start[3] = {0, (hsize_t)row_first, (hsize_t)column_first};
    hsize_t count[3] = {(hsize_t)result->frequency_count, (hsize_t)row_count, (hsize_t)column_count};
    return read_path(result, path, ELEMENT_COMPLEX, 3, start, count, out, error);
}

pw_status result_read_permittivity(const struct result *result, double *relative_permittivity, pw_error *error)
{
    hsize_t count[2] = {(hsize_t)result->ny, (hsize_t)result->nx};
    return read_path(result, "/plan/relative_permittivity", ELEMENT_REAL, 2, (hsize_t[]){0, 0}, count,
                     relative_permittivity, error);
}

/* Which entries of the palette are metal; the caller frees *metal (count). */
static pw_status read_conductors(const struct result *result, uint8_t **metal, hsize_t *count, pw_error *error)
{
    hid_t dataset =
        hdf5_dataset_open(result->file, "/plan/palette", ELEMENT_OTHER, 1, result->file_bytes, count, error);
    if (dataset < 0) {
        return PW_BAD_INPUT;
    }
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(double));
    H5Tinsert(type, "perfect_conductor", 0, H5T_NATIVE_DOUBLE);
    double *values = allocate((size_t)*count, sizeof *values, "the palette", error);
    *metal = allocate((size_t)*count, 1, "the palette", error);
    pw_status status = values == NULL || *metal == NULL
                           ? PW_NO_RESOURCE
                           : hdf5_block_read_as(dataset, "/plan/palette", (hsize_t[]){0}, count, type, values, error);
    for (hsize_t n = 0; status == PW_OK && n < *count; n++) {
        (*metal)[n] = values[n] != 0;
    }
    free(values);
    H5Tclose(type);
    H5Dclose(dataset);
    return status;
}

/* Looks up every node of /plan/material, a row at a time. */
static pw_status read_metal_nodes(const struct result *result, const uint8_t *conductor, hsize_t count, uint8_t *metal,
                                  pw_error *error)
{
    static const char path[] = "/plan/material";
    hsize_t extent[2], nx = (hsize_t)result->nx, ny = (hsize_t)result->ny;
    hid_t dataset = hdf5_dataset_open(result->file, path, ELEMENT_INTEGER, 2, result->file_bytes, extent, error);
    if (dataset < 0) {
        return PW_BAD_INPUT;
    }
    uint16_t *index = allocate((size_t)(nx * ny), sizeof *index, "the materials of a plan", error);
    pw_status status = index == NULL ? PW_NO_RESOURCE : PW_OK;
    if (status == PW_OK && (extent[0] != ny || extent[1] != nx)) {
        status = fail(error, PW_BAD_INPUT, "dataset '%s' is %llu x %llu, the plan %d x %d", path,
                      (unsigned long long)extent[0], (unsigned long long)extent[1], result->ny, result->nx);
    }
    if (status == PW_OK) {
        status = hdf5_block_read_as(dataset, path, (hsize_t[]){0, 0}, extent, H5T_NATIVE_UINT16, index, error);
    }
    for (size_t n = 0; status == PW_OK && n < (size_t)(nx * ny); n++) {
        metal[n] = index[n] < count && conductor[index[n]];
    }
    free(index);
    H5Dclose(dataset);
    return status;
}

pw_status result_read_metal(const struct result *result, uint8_t *metal, pw_error *error)
{
    struct hdf5_silence silence = hdf5_silence();
    uint8_t *conductor = NULL;
    hsize_t count = 0;
    pw_status status = read_conductors(result, &conductor, &count, error);
    if (status == PW_OK) {
        status = read_metal_nodes(result, conductor, count, metal, error);
    }
    free(conductor);
    hdf5_restore(silence);
    return hdf5_name_file(error, status, result->path);
}

/* ---- receivers of the running spectra ---------------------------------------------------------------------------- */

/* What the file holds of them. */
struct lattice_table {
    hsize_t count;
    char *name;              /* (count, NAME_SIZE), owned */
    double *position, *gain; /* (count, 2), (count), owned */
};

static pw_status read_names(hid_t group, uint64_t file_bytes, struct lattice_table *table, pw_error *error)
{
    hid_t dataset = hdf5_dataset_open(group, "name", ELEMENT_OTHER, 1, file_bytes, &table->count, error);
    if (dataset < 0) {
        return PW_BAD_INPUT;
    }
    hid_t stored = H5Dget_type(dataset), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, NAME_SIZE);
    H5Tset_cset(type, H5Tget_cset(stored));
    bool fixed = H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0;
    pw_status status =
        fixed ? PW_OK : fail(error, PW_BAD_INPUT, "dataset 'receivers/name' does not hold texts of one length");
    if (status == PW_OK) {
        table->name = allocate((size_t)table->count, NAME_SIZE, "the names of receivers", error);
        status = table->name == NULL ? PW_NO_RESOURCE
                                     : hdf5_block_read_as(dataset, "receivers/name", (hsize_t[]){0}, &table->count,
                                                          type, table->name, error);
    }
    for (hsize_t r = 0; status == PW_OK && r < table->count; r++) {
        table->name[(r + 1) * NAME_SIZE - 1] = '\0';
    }
    H5Tclose(type);
    H5Tclose(stored);
    H5Dclose(dataset);
    return status;
}

/* Finite numbers, (count) or (count, 2). */
static pw_status read_numbers(const struct result *result, const char *path, int rank, hsize_t count, double **values,
                              pw_error *error)
{
    const hsize_t extent[2] = {count, 2};
    size_t size = (size_t)count * (rank == 2 ? 2 : 1);
    *values = allocate(size, sizeof **values, "the places of receivers", error);
    if (*values == NULL) {
        return PW_NO_RESOURCE;
    }
    TRY(read_path(result, path, ELEMENT_REAL, rank, (hsize_t[]){0, 0}, extent, *values, error));
    for (size_t n = 0; n < size; n++) {
        if (!isfinite((*values)[n])) {
            return fail(error, PW_BAD_INPUT, "dataset '%s' holds a number that is not finite at %zu", path, n);
        }
    }
    return PW_OK;
}

/* Index of the nearest value of an ascending axis; -1 when `at` lies more than a spacing outside. */
static int axis_nearest(const double *axis, int count, double at)
{
    double spacing = count > 1 ? (axis[count - 1] - axis[0]) / (count - 1) : INFINITY;
    if (count < 1 || !(at >= axis[0] - spacing && at <= axis[count - 1] + spacing)) {
        return -1;
    }
    double index = count > 1 ? round((at - axis[0]) / spacing) : 0.0;
    return (int)fmax(0.0, fmin(count - 1, index));
}

static pw_status lattice_append(struct result_transmitter *transmitter, const struct lattice_table *table,
                                pw_error *error)
{
    size_t before = (size_t)transmitter->receiver_count, count = (size_t)table->count;
    struct result_receiver *all = allocate(before + count, sizeof *all, "receivers", error);
    if (all == NULL) {
        return PW_NO_RESOURCE;
    }
    if (before > 0) {
        memcpy(all, transmitter->receivers, before * sizeof *all);
    }
    free(transmitter->receivers);
    transmitter->receivers = all;
    for (size_t r = 0; r < count; r++) {
        struct result_receiver *receiver = &all[before + r];
        memcpy(receiver->name, table->name + r * NAME_SIZE, NAME_SIZE);
        receiver->asked_x = table->position[2 * r];
        receiver->asked_y = table->position[2 * r + 1];
        receiver->gain = table->gain[r];
        receiver->column = axis_nearest(transmitter->x_axis, transmitter->columns, receiver->asked_x);
        receiver->row = axis_nearest(transmitter->y_axis, transmitter->rows, receiver->asked_y);
        if (receiver->column < 0 || receiver->row < 0) {
            return fail(error, PW_BAD_INPUT, "receiver '%s' at (%g, %g) m lies outside the spectra of '%s'",
                        receiver->name, receiver->asked_x, receiver->asked_y, transmitter->name);
        }
        receiver->x = transmitter->x_axis[receiver->column];
        receiver->y = transmitter->y_axis[receiver->row];
    }
    transmitter->receiver_count = (int)(before + count);
    return PW_OK;
}

pw_status result_read_lattice_receivers(struct result *result, pw_error *error)
{
    if (!hdf5_member_exists(result->file, "receivers")) {
        return PW_OK;
    }
    struct lattice_table table = {0};
    hid_t group = hdf5_group_open(result->file, "receivers", error);
    pw_status status = group < 0 ? PW_BAD_INPUT : read_names(group, result->file_bytes, &table, error);
    H5Gclose(group);
    if (status == PW_OK && table.count > LATTICE_RECEIVER_LIMIT) {
        status = fail(error, PW_BAD_INPUT, "holds %llu receivers; at most %d are read", (unsigned long long)table.count,
                      LATTICE_RECEIVER_LIMIT);
    }
    status =
        status == PW_OK ? read_numbers(result, "receivers/position", 2, table.count, &table.position, error) : status;
    status = status == PW_OK ? read_numbers(result, "receivers/gain", 1, table.count, &table.gain, error) : status;
    for (int t = 0; status == PW_OK && t < result->transmitter_count; t++) {
        status = lattice_append(&result->transmitters[t], &table, error);
    }
    free(table.name);
    free(table.position);
    free(table.gain);
    return status;
}

/* ---- the scenario ------------------------------------------------------------------------------------------------ */

pw_status result_read_scenario(const struct result *result, char **text, pw_error *error)
{
    struct hdf5_silence silence = hdf5_silence();
    pw_status status = hdf5_read_text(result->file, "scenario", text, error);
    hdf5_restore(silence);
    return hdf5_name_file(error, status, result->path);
}
