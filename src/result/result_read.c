/* Reads a result file, trusting nothing: it must be HDF5, ours, of a known format, and every rank, type and extent must
 * fit the others and the size of the file before memory is taken for it. Text, timing and warnings are left to info.c.
 */
#include "file/hdf5_read.h"
#include "result/result.h"
#include "result/result_format.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NODES_LIMIT = 1 << 20, MEMBER_LIMIT = 1 << 16 };

static const double two_pi = 6.283185307179586476925286766559;

/* What the readers of members need: the result under construction and the size of its file. */
struct reading {
    struct result *result;
    uint64_t file_bytes;
};

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
    if (value == NULL) {
        return fail(error, PW_BAD_INPUT, "has no '%s' in its summary", name);
    }
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
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(error, PW_BAD_INPUT, "cannot open: %s", strerror(errno));
    }
    size_t got = fread(found, 1, sizeof found, file);
    int bad = fstat(fileno(file), &facts);
    fclose(file);
    if (bad != 0 || !S_ISREG(facts.st_mode)) {
        return fail(error, PW_BAD_INPUT, "is not a file");
    }
    if (got != sizeof found || memcmp(found, signature, sizeof found) != 0) {
        return fail(error, PW_BAD_INPUT, "is not an HDF5 file, so not a result of planwave");
    }
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
    if (!ours) {
        return fail(error, PW_BAD_INPUT,
                    "is HDF5, but not a result of planwave (no attribute summary with program " RESULT_PROGRAM ")");
    }
    int64_t version;
    TRY(hdf5_read_integer(file, "format_version", 0, 1 << 20, &version, error));
    if (version != RESULT_FORMAT_VERSION) {
        return fail(error, PW_BAD_INPUT, "has format version %lld; this planwave reads version %d", (long long)version,
                    RESULT_FORMAT_VERSION);
    }
    return PW_OK;
}

pw_status result_file_open(const char *path, hid_t *file, uint64_t *file_bytes, pw_error *error)
{
    TRY(check_signature(path, file_bytes, error));
    hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access_list, H5F_CLOSE_STRONG);
    *file = H5Fopen(path, H5F_ACC_RDONLY, access_list);
    if (*file < 0) {
        hdf5_fail(error, PW_BAD_INPUT, "is damaged or truncated");
        H5Pclose(access_list);
        return PW_BAD_INPUT;
    }
    H5Pclose(access_list);
    pw_status status = check_ours(*file, error);
    if (status != PW_OK) {
        H5Fclose(*file);
        *file = H5I_INVALID_HID;
    }
    return status;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* A one-dimensional dataset that is read whole. */
struct line {
    const char *name;
    bool is_complex;  /* pairs of doubles */
    hsize_t expected; /* elements; 0: any number of 1..NODES_LIMIT */
};

/* Finite doubles into memory that the caller frees; *length elements. */
static pw_status read_line(const struct reading *reading, hid_t parent, struct line line, double **values,
                           hsize_t *length, pw_error *error)
{
    hsize_t extent[1];
    hid_t dataset = hdf5_dataset_open(parent, line.name, line.is_complex ? ELEMENT_COMPLEX : ELEMENT_REAL, 1,
                                      reading->file_bytes, extent, error);
    if (dataset < 0) {
        return PW_BAD_INPUT;
    }
    pw_status status = PW_OK;
    size_t count = (line.is_complex ? 2 : 1) * (size_t)extent[0];
    hsize_t most = line.expected > 0 ? line.expected : NODES_LIMIT;
    if (line.expected > 0 ? extent[0] != most : extent[0] > most) {
        status = fail(error, PW_BAD_INPUT, "dataset '%s' has %llu elements, not %s%llu", line.name,
                      (unsigned long long)extent[0], line.expected > 0 ? "" : "at most ", (unsigned long long)most);
    } else if ((*values = allocate(count, sizeof **values, line.name, error)) == NULL) {
        status = PW_NO_RESOURCE;
    } else {
        status = hdf5_block_read(dataset, line.name, (hsize_t[]){0}, extent, line.is_complex, *values, error);
        for (size_t n = 0; status == PW_OK && n < count; n++) {
            if (!isfinite((*values)[n])) {
                status =
                    fail(error, PW_BAD_INPUT, "dataset '%s' holds a number that is not finite at %zu", line.name, n);
            }
        }
    }
    *length = extent[0];
    H5Dclose(dataset);
    return status;
}

/* Extents alone. */
static pw_status read_length(const struct reading *reading, hid_t parent, const char *name, int rank,
                             enum element element, hsize_t *extent, pw_error *error)
{
    hid_t dataset = hdf5_dataset_open(parent, name, element, rank, reading->file_bytes, extent, error);
    if (dataset < 0) {
        return PW_BAD_INPUT;
    }
    H5Dclose(dataset);
    return PW_OK;
}

static pw_status read_plan(const struct reading *reading, pw_error *error)
{
    struct result *result = reading->result;
    hid_t plan = hdf5_group_open(result->file, "plan", error);
    if (plan < 0) {
        return PW_BAD_INPUT;
    }
    hsize_t nx = 0, ny = 0, extent[2] = {0, 0};
    pw_status status = read_length(reading, plan, "x", 1, ELEMENT_REAL, &nx, error);
    if (status == PW_OK) {
        status = read_length(reading, plan, "y", 1, ELEMENT_REAL, &ny, error);
    }
    if (status == PW_OK) {
        status = read_length(reading, plan, "relative_permittivity", 2, ELEMENT_REAL, extent, error);
    }
    if (status == PW_OK && (nx > NODES_LIMIT || ny > NODES_LIMIT || extent[0] != ny || extent[1] != nx)) {
        status = fail(error, PW_BAD_INPUT, "the plan is %llu x %llu, its axes %llu x %llu (at most %d)",
                      (unsigned long long)extent[0], (unsigned long long)extent[1], (unsigned long long)ny,
                      (unsigned long long)nx, NODES_LIMIT);
    }
    result->nx = (int)nx;
    result->ny = (int)ny;
    H5Gclose(plan);
    return status;
}

static pw_status positive(const char *name, double value, pw_error *error)
{
    return value > 0 ? PW_OK : fail(error, PW_BAD_INPUT, "attribute '%s' is %g, not positive", name, value);
}

static pw_status read_root(const struct reading *reading, pw_error *error)
{
    struct result *result = reading->result;
    hid_t file = result->file;
    double origin[2];
    int64_t layer;
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
    TRY(read_plan(reading, error));
    int shorter = result->nx < result->ny ? result->nx : result->ny;
    TRY(hdf5_read_integer(file, "absorber_cells", 0, (shorter - 1) / 2, &layer, error));
    result->layer = (int)layer;
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
    TRY(read_line(reading, result->file, (struct line){"frequency", false, 0}, &result->frequency, &count, error));
    TRY(read_line(reading, result->file, (struct line){"warped_frequency", false, count}, &result->omega, &count,
                  error));
    for (hsize_t n = 0; n < count; n++) {
        if (n > 0 && !(result->frequency[n] > result->frequency[n - 1])) {
            return fail(error, PW_BAD_INPUT, "dataset 'frequency' does not ascend at %llu", (unsigned long long)n);
        }
        result->omega[n] *= two_pi;
    }
    result->frequency_count = (int)count;
    return PW_OK;
}

/* ---- transmitters ------------------------------------------------------------------------------------------------ */

static pw_status read_receiver_members(const struct reading *reading, hid_t group, int64_t samples,
                                       struct result_receiver *receiver, pw_error *error)
{
    double position[2];
    hsize_t length;
    TRY(hdf5_read_numbers(group, "position", position, 2, error));
    TRY(hdf5_read_numbers(group, "gain", &receiver->gain, 0, error));
    TRY(read_length(reading, group, "ez", 1, ELEMENT_REAL, &length, error));
    if (length != (hsize_t)samples) {
        return fail(error, PW_BAD_INPUT, "receiver '%s' has %llu samples, its transmitter %lld", receiver->name,
                    (unsigned long long)length, (long long)samples);
    }
    receiver->x = receiver->asked_x = position[0];
    receiver->y = receiver->asked_y = position[1];
    receiver->row = receiver->column = -1;
    return PW_OK;
}

static pw_status read_receiver_list(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                                    pw_error *error)
{
    char(*names)[NAME_SIZE] = NULL;
    int count;
    TRY(hdf5_group_names(group, MEMBER_LIMIT, &names, &count, error));
    transmitter->receivers = allocate((size_t)count, sizeof *transmitter->receivers, "receivers", error);
    pw_status status = transmitter->receivers == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int r = 0; status == PW_OK && r < count; r++) {
        struct result_receiver *receiver = &transmitter->receivers[r];
        memcpy(receiver->name, names[r], NAME_SIZE);
        hid_t member = hdf5_group_open(group, names[r], error);
        status =
            member < 0 ? PW_BAD_INPUT : read_receiver_members(reading, member, transmitter->samples, receiver, error);
        H5Gclose(member);
    }
    transmitter->receiver_count = count;
    free(names);
    return status;
}

static pw_status read_receivers(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                                pw_error *error)
{
    if (!hdf5_member_exists(group, "receivers")) {
        return PW_OK;
    }
    hid_t receivers = hdf5_group_open(group, "receivers", error);
    if (receivers < 0) {
        return PW_BAD_INPUT;
    }
    pw_status status = read_receiver_list(reading, receivers, transmitter, error);
    H5Gclose(receivers);
    return status;
}

static pw_status read_spectra_members(const struct reading *reading, hid_t group,
                                      struct result_transmitter *transmitter, pw_error *error)
{
    const struct result *result = reading->result;
    hsize_t rows, columns, extent[3];
    TRY(read_line(reading, group, (struct line){"x", false, 0}, &transmitter->x_axis, &columns, error));
    TRY(read_line(reading, group, (struct line){"y", false, 0}, &transmitter->y_axis, &rows, error));
    TRY(read_length(reading, group, "ez", 3, ELEMENT_COMPLEX, extent, error));
    if (extent[0] != (hsize_t)result->frequency_count || extent[1] != rows || extent[2] != columns) {
        return fail(error, PW_BAD_INPUT, "spectra of '%s' are %llu x %llu x %llu, their axes %d x %llu x %llu",
                    transmitter->name, (unsigned long long)extent[0], (unsigned long long)extent[1],
                    (unsigned long long)extent[2], result->frequency_count, (unsigned long long)rows,
                    (unsigned long long)columns);
    }
    transmitter->rows = (int)rows;
    transmitter->columns = (int)columns;
    return PW_OK;
}

static pw_status read_spectra_axes(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                                   pw_error *error)
{
    if (!hdf5_member_exists(group, "spectra")) {
        return PW_OK;
    }
    hid_t spectra = hdf5_group_open(group, "spectra", error);
    if (spectra < 0) {
        return PW_BAD_INPUT;
    }
    pw_status status = read_spectra_members(reading, spectra, transmitter, error);
    H5Gclose(spectra);
    return status;
}

static pw_status read_source(hid_t group, struct result_transmitter *transmitter, pw_error *error)
{
    int64_t hard, at_end;
    TRY(hdf5_read_integer(group, "hard", 0, 1, &hard, error));
    TRY(hdf5_read_integer(group, "sampled_at_step_end", 0, 1, &at_end, error));
    transmitter->soft = hard == 0;
    transmitter->sampled_at_step_end = at_end == 1;
    return PW_OK;
}

static pw_status read_energy(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                             pw_error *error)
{
    if (hdf5_attribute_exists(group, "waveform_centre")) {
        TRY(hdf5_read_numbers(group, "waveform_centre", &transmitter->waveform_centre, 0, error));
    }
    if (!hdf5_member_exists(group, "energy")) {
        return PW_OK;
    }
    hsize_t length;
    TRY(read_line(reading, group, (struct line){"energy_time", false, 0}, &transmitter->energy_time, &length, error));
    TRY(read_line(reading, group, (struct line){"energy", false, length}, &transmitter->energy, &length, error));
    for (hsize_t n = 0; n < length; n++) {
        if (!(transmitter->energy[n] >= 0 && transmitter->energy[n] <= 1) ||
            (n > 0 && !(transmitter->energy_time[n] > transmitter->energy_time[n - 1]))) {
            return fail(error, PW_BAD_INPUT, "the energy of transmitter '%s' is %g at %g s, look %llu",
                        transmitter->name, transmitter->energy[n], transmitter->energy_time[n], (unsigned long long)n);
        }
    }
    transmitter->energy_count = (int)length;
    return PW_OK;
}

static pw_status read_transmitter(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                                  pw_error *error)
{
    double position[2];
    hsize_t length, count = (hsize_t)reading->result->frequency_count;
    TRY(hdf5_read_numbers(group, "position", position, 2, error));
    transmitter->x = position[0];
    transmitter->y = position[1];
    TRY(hdf5_read_numbers(group, "power", &transmitter->power, 0, error));
    TRY(read_source(group, transmitter, error));
    TRY(read_length(reading, group, "waveform", 1, ELEMENT_REAL, &length, error));
    transmitter->samples = (int64_t)length;
    if (count > 0) {
        TRY(read_line(reading, group, (struct line){"spectrum", true, count}, &transmitter->spectrum, &length, error));
    }
    TRY(read_energy(reading, group, transmitter, error));
    TRY(read_receivers(reading, group, transmitter, error));
    return read_spectra_axes(reading, group, transmitter, error);
}

static pw_status read_transmitter_list(const struct reading *reading, hid_t group, pw_error *error)
{
    struct result *result = reading->result;
    char(*names)[NAME_SIZE] = NULL;
    int count;
    TRY(hdf5_group_names(group, MEMBER_LIMIT, &names, &count, error));
    result->transmitters = allocate((size_t)count, sizeof *result->transmitters, "transmitters", error);
    pw_status status = result->transmitters == NULL ? PW_NO_RESOURCE : PW_OK;
    result->transmitter_count = result->transmitters == NULL ? 0 : count;
    for (int t = 0; status == PW_OK && t < count; t++) {
        memcpy(result->transmitters[t].name, names[t], NAME_SIZE);
        hid_t member = hdf5_group_open(group, names[t], error);
        status = member < 0 ? PW_BAD_INPUT : read_transmitter(reading, member, &result->transmitters[t], error);
        H5Gclose(member);
    }
    free(names);
    if (status == PW_OK && count == 0) {
        return fail(error, PW_BAD_INPUT, "holds no transmitter");
    }
    return status;
}

static pw_status read_transmitters(const struct reading *reading, pw_error *error)
{
    hid_t group = hdf5_group_open(reading->result->file, "transmitters", error);
    if (group < 0) {
        return PW_BAD_INPUT;
    }
    pw_status status = read_transmitter_list(reading, group, error);
    H5Gclose(group);
    return status;
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
    TRY(read_transmitters(&reading, error));
    return result_read_lattice_receivers(result, error);
}

pw_status pw_result_open(const char *path, pw_result **result, pw_error *error)
{
    *result = NULL;
    struct result *made = allocate(1, sizeof *made, "a result", error);
    if (made == NULL) {
        return PW_NO_RESOURCE;
    }
    made->file = H5I_INVALID_HID;
    made->path = strdup(path);
    struct hdf5_silence silence = hdf5_silence();
    pw_status status = made->path == NULL ? fail(error, PW_NO_RESOURCE, "not enough memory for a path") : PW_OK;
    if (status == PW_OK) {
        status = hdf5_name_file(error, open_members(made, path, error), path);
    }
    hdf5_restore(silence);
    if (status != PW_OK) {
        pw_result_close(made);
        return status;
    }
    *result = made;
    return PW_OK;
}

void pw_result_close(pw_result *result)
{
    if (result == NULL) {
        return;
    }
    for (int t = 0; t < result->transmitter_count; t++) {
        free(result->transmitters[t].spectrum);
        free(result->transmitters[t].receivers);
        free(result->transmitters[t].energy_time);
        free(result->transmitters[t].energy);
        free(result->transmitters[t].x_axis);
        free(result->transmitters[t].y_axis);
    }
    struct hdf5_silence silence = hdf5_silence();
    if (result->file >= 0) {
        H5Fclose(result->file);
    }
    hdf5_restore(silence);
    free(result->transmitters);
    free(result->frequency);
    free(result->omega);
    free(result->summary);
    free(result->title);
    free(result->scheme);
    free(result->path);
    free(result);
}
