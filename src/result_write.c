/* Writes a result file: the plan, frequencies and root attributes first, then each finished transmitter, then timing. Everything goes
 * to a temporary name in the same folder; only a complete, synced file gets the final name. Two runs of one scenario differ in
 * /timing and in the attribute `created` alone. */
#include "result.h"
#include "result_disk.h"
#include "result_hdf5.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum {
    PLAN_CHUNK = 256, /* nodes, a side */
    SPECTRA_TILE = 8, /* cells, a side */
    SPECTRA_CHUNK = 1 << 20, /* bytes of a chunk, as long as one cell fits */
    BLOCK_ELEMENTS = 1 << 24, /* doubles of a block of spectra held in memory, as long as one row fits */
};

struct result_writer {
    char *path, *temporary; /* owned */
    const struct setup *setup; /* borrowed */
    struct disk_note note; /* the first write that failed */
    hid_t driver, file;
    hid_t transmitters; /* the group */
    hid_t spectra_type; /* complex of the run's precision */
    int added;
    int64_t steps; /* done, of the transmitter with the most */
    double cell_updates; /* of all transmitters */
    double seconds_write; /* so far */
    char stop_reason[64]; /* joined with " and " where transmitters differ */
    char backend[64], device[128];
    FILE *summary; /* into summary_text */
    char *summary_text; /* owned; "name<tab>value<newline>" for every text of the root */
    size_t summary_size;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- plan and frequencies ---------------------------------------------------------------------------------------- */

/* An axis: first + n step. It becomes a dimension scale when it is attached. */
static pw_status write_axis(hid_t parent, const char *name, const char *units, const char *long_name, int64_t count,
                            double first, double step, pw_error *error)
{
    double *values = allocate((size_t)count, sizeof *values, "an axis", error);
    if (values == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int64_t n = 0; n < count; n++) {
        values[n] = first + (double)n * step;
    }
    struct layout layout = {.name = name,
                            .units = units,
                            .long_name = long_name,
                            .type = H5T_IEEE_F64LE,
                            .rank = 1,
                            .extent = {(hsize_t)count}};
    pw_status status = hdf5_dataset_write(parent, &layout, H5T_NATIVE_DOUBLE, values, error);
    free(values);
    return status;
}

/* (ny, nx) on the nodes, with the axes attached; H5I_INVALID_HID with a message on failure. */
static hid_t create_map(hid_t plan, const struct medium *medium, const char *name, const char *units,
                        const char *long_name, hid_t type, pw_error *error)
{
    hsize_t ny = (hsize_t)medium->ny, nx = (hsize_t)medium->nx;
    struct layout layout = {.name = name,
                            .units = units,
                            .long_name = long_name,
                            .type = type,
                            .rank = 2,
                            .extent = {ny, nx},
                            .chunk = {ny < PLAN_CHUNK ? ny : PLAN_CHUNK, nx < PLAN_CHUNK ? nx : PLAN_CHUNK},
                            .compress = true};
    hid_t map = hdf5_dataset_create(plan, &layout, error);
    if (map >= 0 && (hdf5_scale_attach(map, 0, plan, "y", error) != PW_OK ||
                     hdf5_scale_attach(map, 1, plan, "x", error) != PW_OK)) {
        H5Dclose(map);
        return H5I_INVALID_HID;
    }
    return map;
}

static pw_status close_map(hid_t map, pw_status status, pw_error *error)
{
    if (H5Dclose(map) < 0 && status == PW_OK) {
        return hdf5_fail(error, PW_NO_RESOURCE, "cannot close a map of the plan");
    }
    return status;
}

static double permittivity_of(const struct medium_entry *entry)
{
    return entry->relative_permittivity;
}

static double conductivity_of(const struct medium_entry *entry)
{
    return entry->conductivity;
}

/* A property of the medium at every node, float32, a band of chunk rows at a time. */
static pw_status write_property(hid_t plan, const struct medium *medium, const char *name, const char *units,
                                const char *long_name, double (*property)(const struct medium_entry *), pw_error *error)
{
    size_t nx = (size_t)medium->nx;
    float *values = allocate(PLAN_CHUNK * nx, sizeof *values, "a map of the plan", error);
    if (values == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = PW_NO_RESOURCE;
    hid_t map = create_map(plan, medium, name, units, long_name, H5T_IEEE_F32LE, error);
    if (map >= 0) {
        status = PW_OK;
        for (int first = 0; status == PW_OK && first < medium->ny; first += PLAN_CHUNK) {
            int rows = medium->ny - first < PLAN_CHUNK ? medium->ny - first : PLAN_CHUNK;
            for (size_t n = 0; n < (size_t)rows * nx; n++) {
                values[n] = (float)property(&medium->palette[medium->index[(size_t)first * nx + n]]);
            }
            status = hdf5_block_write(map, (hsize_t[]){(hsize_t)first, 0}, (hsize_t[]){(hsize_t)rows, nx},
                                      H5T_NATIVE_FLOAT, values, error);
        }
        status = close_map(map, status, error);
    }
    free(values);
    return status;
}

static pw_status write_material(hid_t plan, const struct medium *medium, pw_error *error)
{
    hid_t map = create_map(plan, medium, "material", "1", "index into the palette", H5T_STD_U16LE, error);
    if (map < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = hdf5_block_write(map, (hsize_t[]){0, 0}, (hsize_t[]){(hsize_t)medium->ny, (hsize_t)medium->nx},
                                        H5T_NATIVE_UINT16, medium->index, error);
    return close_map(map, status, error);
}

struct palette_row {
    double relative_permittivity, conductivity, perfect_conductor;
};

static pw_status write_palette(hid_t plan, const struct medium *medium, pw_error *error)
{
    size_t count = (size_t)medium->palette_count;
    struct palette_row *rows = allocate(count, sizeof *rows, "the palette", error);
    if (rows == NULL) {
        return PW_NO_RESOURCE;
    }
    for (size_t n = 0; n < count; n++) {
        const struct medium_entry *entry = &medium->palette[n];
        rows[n] = (struct palette_row){entry->relative_permittivity, entry->conductivity, entry->perfect_conductor};
    }
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *rows);
    H5Tinsert(type, "relative_permittivity", HOFFSET(struct palette_row, relative_permittivity), H5T_IEEE_F64LE);
    H5Tinsert(type, "conductivity", HOFFSET(struct palette_row, conductivity), H5T_IEEE_F64LE);
    H5Tinsert(type, "perfect_conductor", HOFFSET(struct palette_row, perfect_conductor), H5T_IEEE_F64LE);
    struct layout layout = {.name = "palette",
                            .units = "1, S/m, 1",
                            .type = type,
                            .rank = 1,
                            .extent = {count},
                            .long_name =
                                "relative permittivity, conductivity and whether a perfect conductor, per material"};
    hid_t memory = H5Tget_native_type(type, H5T_DIR_DEFAULT);
    pw_status status = hdf5_dataset_write(plan, &layout, memory, rows, error);
    H5Tclose(memory);
    H5Tclose(type);
    free(rows);
    return status;
}

static pw_status write_plan_members(hid_t plan, const struct setup *setup, pw_error *error)
{
    const struct medium *medium = &setup->medium;
    double cell = setup->problem.cell;
    TRY(write_axis(plan, "x", "m", "x of the node in the plan", medium->nx, setup->origin.x, cell, error));
    TRY(write_axis(plan, "y", "m", "y of the node in the plan", medium->ny, setup->origin.y, cell, error));
    TRY(write_property(plan, medium, "relative_permittivity", "1",
                       "relative permittivity at the Ez node, absorber included", permittivity_of, error));
    TRY(write_property(plan, medium, "conductivity", "S/m", "conductivity at the Ez node, absorber included",
                       conductivity_of, error));
    TRY(write_material(plan, medium, error));
    return write_palette(plan, medium, error);
}

static pw_status write_plan(hid_t file, const struct setup *setup, pw_error *error)
{
    hid_t plan = hdf5_group_create(file, "plan", error);
    if (plan < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = write_plan_members(plan, setup, error);
    H5Gclose(plan);
    return status;
}

/* What was asked for, and where the transforms were evaluated (the same without warping). */
static pw_status write_frequencies(hid_t file, const struct setup *setup, pw_error *error)
{
    if (setup->frequency_count == 0) {
        return PW_OK;
    }
    size_t count = (size_t)setup->frequency_count;
    struct layout layout = {.name = "frequency",
                            .units = "Hz",
                            .long_name = "frequency",
                            .type = H5T_IEEE_F64LE,
                            .rank = 1,
                            .extent = {count}};
    TRY(hdf5_dataset_write(file, &layout, H5T_NATIVE_DOUBLE, setup->frequency, error));
    double *evaluated = allocate(count, sizeof *evaluated, "frequencies", error);
    if (evaluated == NULL) {
        return PW_NO_RESOURCE;
    }
    for (size_t n = 0; n < count; n++) {
        evaluated[n] = setup->omega[n] / 6.283185307179586476925286766559;
    }
    layout.name = "warped_frequency";
    layout.long_name =
        "frequency at which the transforms were evaluated, so that time stepping is exact at `frequency`";
    pw_status status = hdf5_dataset_write(file, &layout, H5T_NATIVE_DOUBLE, evaluated, error);
    free(evaluated);
    TRY(status);
    hid_t dataset = H5Dopen2(file, "warped_frequency", H5P_DEFAULT);
    status = hdf5_scale_attach(dataset, 0, file, "frequency", error);
    H5Dclose(dataset);
    return status;
}

/* ---- root attributes --------------------------------------------------------------------------------------------- */

/* A text for people, of variable length as every HDF5 tool likes it, and once more for the summary that planwave itself reads: fixed
 * length has a checksum, whereas HDF5 crashes on damage in the heap of the other kind. */
static pw_status write_note(struct result_writer *writer, const char *name, const char *text, pw_error *error)
{
    fprintf(writer->summary, "%s\t", name);
    for (const char *c = text; *c != '\0'; c++) {
        fputc(*c == '\n' || *c == '\t' ? ' ' : *c, writer->summary);
    }
    fputc('\n', writer->summary);
    return hdf5_write_text(writer->file, name, text, error);
}

static const char *averaging_name(enum averaging averaging)
{
    static const char *const names[] = {"point", "area", "moment"};
    return names[averaging];
}

static pw_status write_provenance(struct result_writer *writer, pw_error *error)
{
    const struct setup *setup = writer->setup;
    hid_t file = writer->file;
    const struct scenario *scenario = setup->scenario;
    char created[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    TRY(write_note(writer, "program", RESULT_PROGRAM, error));
    TRY(hdf5_write_integer(file, "format_version", RESULT_FORMAT_VERSION, error));
    TRY(write_note(writer, "version", PW_VERSION, error));
    TRY(write_note(writer, "commit", pw_commit(), error));
    TRY(write_note(writer, "created", created, error));
    TRY(write_note(writer, "title", scenario->title != NULL ? scenario->title : "", error));
    TRY(hdf5_write_text(file, "scenario", scenario->text != NULL ? scenario->text : "", error));
    TRY(write_note(writer, "material_revision", RESULT_MATERIAL_REVISION, error));
    TRY(write_note(writer, "time_convention", RESULT_TIME_CONVENTION, error));
    for (size_t n = 0; n < setup->warnings.count; n++) {
        fprintf(writer->summary, "warning\t%s\n", setup->warnings.text[n]);
    }
    return hdf5_write_texts(file, "warnings", setup->warnings.text, setup->warnings.count, error);
}

static pw_status write_numerics(struct result_writer *writer, pw_error *error)
{
    const struct setup *setup = writer->setup;
    hid_t file = writer->file;
    const struct scenario *scenario = setup->scenario;
    const struct problem *problem = &setup->problem;
    TRY(write_note(writer, "scheme", scheme_name(scenario->grid.scheme), error));
    TRY(write_note(writer, "averaging", averaging_name(scenario->grid.averaging), error));
    TRY(write_note(writer, "absorber", scenario->grid.absorber == ABSORBER_UPML ? "upml" : "pec", error));
    TRY(hdf5_write_integer(file, "absorber_cells", problem->layer, error));
    TRY(write_note(writer, "precision", problem->precision == PW_DOUBLE ? "double" : "single", error));
    TRY(hdf5_write_number(file, "courant", scenario->grid.courant, error));
    TRY(hdf5_write_number(file, "dx", problem->cell, error));
    TRY(hdf5_write_number(file, "dt", problem->time_step, error));
    TRY(hdf5_write_numbers(file, "origin", (double[]){setup->origin.x, setup->origin.y}, 2, error));
    TRY(hdf5_write_integer(file, "steps_asked", problem->steps, error));
    TRY(hdf5_write_integer(file, "spectra_every", problem->spectra.every, error));
    TRY(write_note(writer, "warp", scenario->spectra.warp ? "on" : "off", error));
    TRY(hdf5_write_number(file, "conductivity_compensation", setup->sigma_compensation, error));
    TRY(hdf5_write_number(file, "band_centre", scenario->band_centre, error));
    return hdf5_write_number(file, "band_width", scenario->band_width, error);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* Names become HDF5 links. */
static pw_status check_name(const char *kind, const char *name, pw_error *error)
{
    if (name[0] == '\0' || strcmp(name, ".") == 0 || strchr(name, '/') != NULL) {
        return fail(error, PW_BAD_INPUT, "%s '%s' cannot be named in a result: no '/', not empty, not '.'", kind, name);
    }
    return PW_OK;
}

static pw_status check_names(const struct scenario *scenario, pw_error *error)
{
    for (int t = 0; t < scenario->transmitter_count; t++) {
        TRY(check_name("transmitter", scenario->transmitters[t].name, error));
    }
    for (int r = 0; r < scenario->receiver_count; r++) {
        TRY(check_name("receiver", scenario->receivers[r].name, error));
    }
    return PW_OK;
}

/* Bytes of the spectra and of the time series at most; what else there is, is small or compressed. */
static double expected_bytes(const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    const struct spectra *spectra = &problem->spectra;
    double complex_size = problem->precision == PW_DOUBLE ? 16 : 8;
    double one = complex_size * spectra->frequency_count * spectra->rows * spectra->columns +
                 8.0 * (double)problem->steps * (3 + setup->scenario->receiver_count);
    return one * problem->source_count + 65536;
}

/* Better said before the run than after it. */
static pw_status check_space(const struct setup *setup, const char *folder, pw_error *error)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0) {
        return fail(error, PW_NO_RESOURCE, "cannot write into the folder '%s': %s", folder, strerror(errno));
    }
    double needed = expected_bytes(setup), left = (double)disk.f_bavail * (double)disk.f_frsize;
    if (needed > left) {
        return fail(error, PW_NO_RESOURCE, "the result takes %.1f MB, but '%s' has %.1f MB left", needed * 1e-6, folder,
                    left * 1e-6);
    }
    return PW_OK;
}

static pw_status check_target(const char *path, bool force, const struct setup *setup, pw_error *error)
{
    struct stat target;
    if (stat(path, &target) == 0) {
        if (S_ISDIR(target.st_mode)) {
            return fail(error, PW_BAD_INPUT, "'%s' is a folder, not a name for a result", path);
        }
        if (!force) {
            return fail(error, PW_BAD_INPUT, "'%s' exists already; --force replaces it", path);
        }
    }
    char *copy = strdup(path);
    if (copy == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for a path");
    }
    pw_status status = check_space(setup, dirname(copy), error);
    free(copy);
    return status;
}

/* Format of HDF5 1.8: its metadata carries checksums, and every reader of the last ten years knows it. */
static hid_t create_file(const char *path, struct disk_note *note, hid_t *driver, pw_error *error)
{
    hid_t access_list = H5Pcreate(H5P_FILE_ACCESS), create_list = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = H5I_INVALID_HID;
    *driver = access_list < 0 ? H5I_INVALID_HID : disk_driver(access_list, note);
    if (*driver < 0 || create_list < 0 || H5Pset_libver_bounds(access_list, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
        H5Pset_fclose_degree(access_list, H5F_CLOSE_STRONG) < 0 ||
        H5Pset_link_creation_order(create_list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) < 0 ||
        H5Pset_obj_track_times(create_list, false) < 0 ||
        (file = H5Fcreate(path, H5F_ACC_TRUNC, create_list, access_list)) < 0) {
        if (note->failure != 0) {
            fail(error, PW_NO_RESOURCE, "cannot create the file: %s", strerror(note->failure));
        } else {
            hdf5_fail(error, PW_NO_RESOURCE, "cannot create the file");
        }
    }
    H5Pclose(create_list);
    H5Pclose(access_list);
    return file;
}

static void writer_free(struct result_writer *writer)
{
    if (writer->summary != NULL) {
        fclose(writer->summary);
    }
    free(writer->summary_text);
    free(writer->path);
    free(writer->temporary);
    free(writer);
}

static struct result_writer *writer_allocate(const char *path, const struct setup *setup, pw_error *error)
{
    struct result_writer *writer = allocate(1, sizeof *writer, "a result writer", error);
    if (writer == NULL) {
        return NULL;
    }
    writer->setup = setup;
    writer->driver = writer->file = writer->transmitters = writer->spectra_type = H5I_INVALID_HID;
    writer->path = strdup(path);
    writer->summary = open_memstream(&writer->summary_text, &writer->summary_size);
    int length = asprintf(&writer->temporary, "%s.partial-%ld", path, (long)getpid());
    if (length < 0) {
        writer->temporary = NULL;
    }
    if (writer->path == NULL || writer->summary == NULL || writer->temporary == NULL) {
        writer_free(writer);
        fail(error, PW_NO_RESOURCE, "not enough memory for a result writer");
        return NULL;
    }
    return writer;
}

/* A write that the disk refused weighs more than what became of it. */
static pw_status check_note(const struct result_writer *writer, pw_status status, pw_error *error)
{
    if (writer->note.failure == 0) {
        return status;
    }
    return fail(error, PW_NO_RESOURCE, "cannot %s: %s", writer->note.call, strerror(writer->note.failure));
}

static pw_status writer_begin(struct result_writer *writer, pw_error *error)
{
    const struct setup *setup = writer->setup;
    writer->file = create_file(writer->temporary, &writer->note, &writer->driver, error);
    if (writer->file < 0) {
        return PW_NO_RESOURCE;
    }
    writer->spectra_type = hdf5_complex_type(setup->problem.precision == PW_DOUBLE ? H5T_IEEE_F64LE : H5T_IEEE_F32LE);
    TRY(write_provenance(writer, error));
    TRY(write_numerics(writer, error));
    TRY(write_plan(writer->file, setup, error));
    TRY(write_frequencies(writer->file, setup, error));
    writer->transmitters = hdf5_group_create(writer->file, "transmitters", error);
    return writer->transmitters < 0 ? PW_NO_RESOURCE : PW_OK;
}

pw_status result_create(const char *path, bool force, const struct setup *setup, struct result_writer **writer,
                        pw_error *error)
{
    *writer = NULL;
    TRY(check_names(setup->scenario, error));
    TRY(check_target(path, force, setup, error));
    struct result_writer *made = writer_allocate(path, setup, error);
    if (made == NULL) {
        return PW_NO_RESOURCE;
    }
    struct hdf5_silence silence = hdf5_silence();
    double start = seconds_now();
    pw_status status = check_note(made, writer_begin(made, error), error);
    status = hdf5_name_file(error, status, made->temporary);
    hdf5_restore(silence);
    made->seconds_write = seconds_now() - start;
    if (status != PW_OK) {
        result_abandon(made);
        return status;
    }
    *writer = made;
    return PW_OK;
}

/* ---- transmitters ------------------------------------------------------------------------------------------------ */

/* A time series over the steps with its axis attached, and the interval and the first time as attributes. */
static pw_status write_series(hid_t group, const struct layout *layout, const double *values, hid_t axis_group,
                              const char *axis, double interval, double first, pw_error *error)
{
    hid_t dataset = hdf5_dataset_create(group, layout, error);
    if (dataset < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = hdf5_block_write(dataset, (hsize_t[]){0}, layout->extent, H5T_NATIVE_DOUBLE, values, error);
    if (status == PW_OK) {
        status = hdf5_write_number(dataset, "sample_interval", interval, error);
    }
    if (status == PW_OK) {
        status = hdf5_write_number(dataset, "first_sample_time", first, error);
    }
    if (status == PW_OK) {
        status = hdf5_scale_attach(dataset, 0, axis_group, axis, error);
    }
    if (H5Dclose(dataset) < 0 && status == PW_OK) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close dataset '%s'", layout->name);
    }
    return status;
}

static pw_status write_transmitter_attributes(hid_t group, const struct transmitter_choice *choice,
                                              const struct simulation *simulation, pw_error *error)
{
    bool line = choice->to.x != choice->at.x || choice->to.y != choice->at.y;
    TRY(hdf5_write_numbers(group, "position", (double[]){choice->at.x, choice->at.y}, 2, error));
    if (line) {
        TRY(hdf5_write_numbers(group, "position_to", (double[]){choice->to.x, choice->to.y}, 2, error));
    }
    TRY(hdf5_write_number(group, "power", choice->power, error));
    TRY(hdf5_write_text(group, "power_units", "dBm", error));
    TRY(hdf5_write_text(group, "source", choice->source == SOURCE_HARD ? "hard" : "soft", error));
    TRY(hdf5_write_text(group, "shape", line ? "line" : "point", error));
    TRY(hdf5_write_integer(group, "hard", choice->source == SOURCE_HARD, error));
    TRY(hdf5_write_integer(group, "sampled_at_step_end", choice->sampled_at_step_end, error));
    TRY(hdf5_write_integer(group, "steps_done", simulation->step, error));
    return hdf5_write_text(group, "stop_reason",
                           simulation->stop_reason != NULL ? simulation->stop_reason : "not finished", error);
}

/* What drives the transmitter: a current for a soft source, a field for a hard one. */
static pw_status write_drive(hid_t group, const struct source *source, const struct simulation *simulation, int run,
                             pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    double dt = problem->time_step, first = source->sampled_at_step_end ? dt : 0.5 * dt;
    TRY(write_axis(group, "waveform_time", "s", "time of the sample of the waveform", simulation->step, first, dt,
                   error));
    struct layout waveform = {.name = "waveform",
                              .units = source->hard ? "V/m" : "A",
                              .long_name = source->hard ? "imposed electric field" : "line current",
                              .type = H5T_IEEE_F64LE,
                              .rank = 1,
                              .extent = {(hsize_t)simulation->step}};
    TRY(write_series(group, &waveform, source->current, group, "waveform_time", dt, first, error));
    int count = simulation->setup->frequency_count;
    if (count == 0) {
        return PW_OK;
    }
    double *spectrum = allocate(2 * (size_t)count, sizeof *spectrum, "a spectrum", error);
    if (spectrum == NULL) {
        return PW_NO_RESOURCE;
    }
    hid_t type = hdf5_complex_type(H5T_IEEE_F64LE), memory = hdf5_complex_type(H5T_NATIVE_DOUBLE);
    struct layout layout = {.name = "spectrum",
                            .units = source->hard ? "V/m s" : "A s",
                            .long_name = "Fourier transform of the waveform",
                            .type = type,
                            .rank = 1,
                            .extent = {(hsize_t)count}};
    pw_status status = pw_simulation_source_spectrum(simulation, run, spectrum, error);
    if (status == PW_OK) {
        status = hdf5_dataset_write(group, &layout, memory, spectrum, error);
    }
    H5Tclose(memory);
    H5Tclose(type);
    free(spectrum);
    return status;
}

static pw_status attach_frequency(hid_t file, hid_t group, const char *name, unsigned dimension, pw_error *error)
{
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    pw_status status = hdf5_scale_attach(dataset, dimension, file, "frequency", error);
    H5Dclose(dataset);
    return status;
}

static pw_status write_receiver(hid_t transmitter, hid_t receivers, const struct receiver_choice *choice,
                                const struct simulation *simulation, const double *ez, pw_error *error)
{
    double dt = simulation->setup->problem.time_step;
    hid_t group = hdf5_group_create(receivers, choice->name, error);
    if (group < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = hdf5_write_numbers(group, "position", (double[]){choice->at.x, choice->at.y}, 2, error);
    if (status == PW_OK) {
        status = hdf5_write_number(group, "gain", choice->gain, error);
    }
    if (status == PW_OK) {
        status = hdf5_write_text(group, "gain_units", "dBi", error);
    }
    struct layout layout = {.name = "ez",
                            .units = "V/m",
                            .long_name = "electric field at the receiver",
                            .type = H5T_IEEE_F64LE,
                            .rank = 1,
                            .extent = {(hsize_t)simulation->step}};
    if (status == PW_OK) {
        status = write_series(group, &layout, ez, transmitter, "time", dt, dt, error);
    }
    H5Gclose(group);
    return status;
}

static pw_status write_receivers(hid_t group, const struct simulation *simulation, int run, pw_error *error)
{
    const struct scenario *scenario = simulation->setup->scenario;
    double dt = simulation->setup->problem.time_step;
    TRY(write_axis(group, "time", "s", "time of the sample of Ez", simulation->step, dt, dt, error));
    hid_t receivers = hdf5_group_create(group, "receivers", error);
    if (receivers < 0) {
        return PW_NO_RESOURCE;
    }
    double *ez = allocate((size_t)simulation->step, sizeof *ez, "the field at a receiver", error);
    pw_status status = ez == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int r = 0; status == PW_OK && r < scenario->receiver_count; r++) {
        status = pw_simulation_receiver(simulation, run, r, ez, error);
        if (status == PW_OK) {
            status = write_receiver(group, receivers, &scenario->receivers[r], simulation, ez, error);
        }
    }
    free(ez);
    H5Gclose(receivers);
    return status;
}

/* ---- spectra ----------------------------------------------------------------------------------------------------- */

/* All frequencies of a square of cells: one cell's spectrum is one read. The square shrinks until a chunk is about a megabyte. */
static void choose_tile(const struct spectra *spectra, size_t element, hsize_t *rows, hsize_t *columns)
{
    hsize_t tile = SPECTRA_TILE;
    while (tile > 1 && (hsize_t)spectra->frequency_count * tile * tile * element > SPECTRA_CHUNK) {
        tile /= 2;
    }
    *rows = (hsize_t)spectra->rows < tile ? (hsize_t)spectra->rows : tile;
    *columns = (hsize_t)spectra->columns < tile ? (hsize_t)spectra->columns : tile;
}

/* Doubles to the run's own precision, in place: exact, since that is what the backend holds. */
static void narrow(double *values, size_t count)
{
    float *narrowed = (float *)values;
    for (size_t n = 0; n < count; n++) {
        float value = (float)values[n];
        memcpy(&narrowed[n], &value, sizeof value);
    }
}

/* Whole rows of tiles at a time, as many as fit into the block. */
static pw_status copy_spectra(hid_t dataset, hid_t memory_type, hsize_t tile_rows, const struct simulation *simulation,
                              int run, pw_error *error)
{
    const struct spectra *spectra = &simulation->setup->problem.spectra;
    bool single = simulation->setup->problem.precision == PW_SINGLE;
    size_t row = 2 * (size_t)spectra->frequency_count * (size_t)spectra->columns;
    hsize_t fit = BLOCK_ELEMENTS / row;
    hsize_t step = fit < tile_rows ? (fit > 0 ? fit : 1) : fit / tile_rows * tile_rows;
    int block = step > (hsize_t)spectra->rows ? spectra->rows : (int)step;
    double *values = allocate(row * (size_t)block, sizeof *values, "a block of spectra", error);
    pw_status status = values == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int first = 0; status == PW_OK && first < spectra->rows; first += block) {
        int rows = spectra->rows - first < block ? spectra->rows - first : block;
        hsize_t start[3] = {0, (hsize_t)first, 0};
        hsize_t count[3] = {(hsize_t)spectra->frequency_count, (hsize_t)rows, (hsize_t)spectra->columns};
        status = pw_simulation_spectra(simulation, run, first, rows, values, error);
        if (status == PW_OK) {
            if (single) {
                narrow(values, row * (size_t)rows);
            }
            status = hdf5_block_write(dataset, start, count, memory_type, values, error);
        }
    }
    free(values);
    return status;
}

static pw_status write_spectra_members(hid_t file, hid_t group, hid_t type, const struct simulation *simulation,
                                       int run, pw_error *error)
{
    const struct setup *setup = simulation->setup;
    const struct spectra *spectra = &setup->problem.spectra;
    double cell = setup->problem.cell, pitch = spectra->spacing * cell;
    TRY(write_axis(group, "x", "m", "x of the cell in the plan", spectra->columns, setup->origin.x + spectra->x0 * cell,
                   pitch, error));
    TRY(write_axis(group, "y", "m", "y of the cell in the plan", spectra->rows, setup->origin.y + spectra->y0 * cell,
                   pitch, error));
    struct layout layout = {
        .name = "ez",
        .units = "V/m s",
        .long_name = "Fourier transform of the electric field",
        .type = type,
        .rank = 3,
        .extent = {(hsize_t)spectra->frequency_count, (hsize_t)spectra->rows, (hsize_t)spectra->columns},
        .chunk = {(hsize_t)spectra->frequency_count}};
    choose_tile(spectra, H5Tget_size(type), &layout.chunk[1], &layout.chunk[2]);
    hid_t dataset = hdf5_dataset_create(group, &layout, error);
    if (dataset < 0) {
        return PW_NO_RESOURCE;
    }
    hid_t memory = hdf5_complex_type(setup->problem.precision == PW_DOUBLE ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT);
    pw_status status = copy_spectra(dataset, memory, layout.chunk[1], simulation, run, error);
    H5Tclose(memory);
    if (status == PW_OK && (hdf5_scale_attach(dataset, 0, file, "frequency", error) != PW_OK ||
                            hdf5_scale_attach(dataset, 1, group, "y", error) != PW_OK ||
                            hdf5_scale_attach(dataset, 2, group, "x", error) != PW_OK)) {
        status = PW_NO_RESOURCE;
    }
    if (H5Dclose(dataset) < 0 && status == PW_OK) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close the spectra");
    }
    return status;
}

static pw_status write_spectra(const struct result_writer *writer, hid_t transmitter,
                               const struct simulation *simulation, int run, pw_error *error)
{
    const struct spectra *spectra = &simulation->setup->problem.spectra;
    if (spectra->frequency_count == 0 || spectra->rows == 0 || spectra->columns == 0) {
        return PW_OK;
    }
    hid_t group = hdf5_group_create(transmitter, "spectra", error);
    if (group < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = write_spectra_members(writer->file, group, writer->spectra_type, simulation, run, error);
    H5Gclose(group);
    return status;
}

/* ---- adding and committing --------------------------------------------------------------------------------------- */

static pw_status write_transmitter(struct result_writer *writer, hid_t group, const struct simulation *simulation,
                                   int run, pw_error *error)
{
    const struct setup *setup = writer->setup;
    int t = simulation->first + run;
    TRY(write_transmitter_attributes(group, &setup->scenario->transmitters[t], simulation, error));
    TRY(write_drive(group, &setup->problem.sources[t], simulation, run, error));
    if (setup->frequency_count > 0) {
        TRY(attach_frequency(writer->file, group, "spectrum", 0, error));
    }
    if (setup->scenario->receiver_count > 0) {
        TRY(write_receivers(group, simulation, run, error));
    }
    return write_spectra(writer, group, simulation, run, error);
}

/* Reasons of several groups, each once. */
static void note_stop_reason(struct result_writer *writer, const char *reason)
{
    size_t used = strlen(writer->stop_reason);
    if (strstr(writer->stop_reason, reason) == NULL) {
        snprintf(writer->stop_reason + used, sizeof writer->stop_reason - used, "%s%s", used > 0 ? " and " : "",
                 reason);
    }
}

static pw_status add_all(struct result_writer *writer, const struct simulation *simulation, pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    if (simulation->step < 1) {
        return fail(error, PW_USAGE, "a simulation without a step has no result");
    }
    for (int run = 0; run < simulation->count; run++) {
        const char *name = simulation->setup->scenario->transmitters[simulation->first + run].name;
        hid_t group = hdf5_group_create(writer->transmitters, name, error);
        if (group < 0) {
            return PW_NO_RESOURCE;
        }
        pw_status status = write_transmitter(writer, group, simulation, run, error);
        H5Gclose(group);
        TRY(check_note(writer, status, error));
        writer->added++;
        writer->cell_updates += (double)simulation->step * problem->nx * problem->ny;
    }
    writer->steps = simulation->step > writer->steps ? simulation->step : writer->steps;
    note_stop_reason(writer, simulation->stop_reason != NULL ? simulation->stop_reason : "not finished");
    snprintf(writer->backend, sizeof writer->backend, "%s", simulation->backend->name);
    snprintf(writer->device, sizeof writer->device, "%s", simulation->device);
    return PW_OK;
}

pw_status result_add(struct result_writer *writer, const struct simulation *simulation, pw_error *error)
{
    assert(simulation->setup == writer->setup);
    struct hdf5_silence silence = hdf5_silence();
    double start = seconds_now();
    pw_status status = check_note(writer, add_all(writer, simulation, error), error);
    status = hdf5_name_file(error, status, writer->temporary);
    writer->seconds_write += seconds_now() - start;
    hdf5_restore(silence);
    return status;
}

static pw_status write_scalar(hid_t group, const char *name, const char *units, const char *long_name, double value,
                              pw_error *error)
{
    struct layout layout = {.name = name, .units = units, .long_name = long_name, .type = H5T_IEEE_F64LE};
    return hdf5_dataset_write(group, &layout, H5T_NATIVE_DOUBLE, &value, error);
}

static pw_status write_timing_members(const struct result_writer *writer, hid_t group, double seconds_setup,
                                      double seconds_solve, pw_error *error)
{
    /* Ez and its increment are read and written, the palette index is read. */
    double cell_bytes = 4 * (writer->setup->problem.precision == PW_DOUBLE ? 8 : 4) + 2;
    struct rusage usage;
    double peak = getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
    TRY(write_scalar(group, "setup", "s", "seconds spent before the first step", seconds_setup, error));
    TRY(write_scalar(group, "solve", "s", "seconds spent stepping", seconds_solve, error));
    TRY(write_scalar(group, "write", "s", "seconds spent writing this file", writer->seconds_write, error));
    TRY(write_scalar(group, "cell_updates", "1", "cell updates of all transmitters, absorber included",
                     writer->cell_updates, error));
    TRY(write_scalar(group, "cell_updates_per_second", "1/s", "cell updates per second of stepping",
                     seconds_solve > 0 ? writer->cell_updates / seconds_solve : 0, error));
    TRY(write_scalar(group, "bytes_moved", "B",
                     "bytes that one step at a time would move for the fields, without spectra",
                     writer->cell_updates * cell_bytes, error));
    return write_scalar(group, "peak_memory", "B", "peak resident memory of the process, without device memory", peak,
                        error);
}

static pw_status write_end(struct result_writer *writer, double seconds_setup, double seconds_solve, pw_error *error)
{
    if (writer->added != writer->setup->scenario->transmitter_count) {
        return fail(error, PW_USAGE, "result of %d transmitters committed with %d",
                    writer->setup->scenario->transmitter_count, writer->added);
    }
    TRY(write_note(writer, "backend", writer->backend, error));
    TRY(write_note(writer, "device", writer->device, error));
    TRY(hdf5_write_integer(writer->file, "steps_done", writer->steps, error));
    TRY(write_note(writer, "stop_reason", writer->stop_reason, error));
    bool noted = ferror(writer->summary) == 0 && fflush(writer->summary) == 0;
    if (!noted) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for the summary");
    }
    TRY(hdf5_write_fixed_text(writer->file, "summary", writer->summary_text, error));
    hid_t group = hdf5_group_create(writer->file, "timing", error);
    if (group < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = write_timing_members(writer, group, seconds_setup, seconds_solve, error);
    H5Gclose(group);
    TRY(status);
    return H5Fflush(writer->file, H5F_SCOPE_GLOBAL) < 0 ? hdf5_fail(error, PW_NO_RESOURCE, "cannot flush") : PW_OK;
}

/* Closes everything that is open; false when HDF5 could not. */
static bool close_file(struct result_writer *writer)
{
    bool good = true;
    if (writer->spectra_type >= 0) {
        good = H5Tclose(writer->spectra_type) >= 0 && good;
    }
    if (writer->transmitters >= 0) {
        good = H5Gclose(writer->transmitters) >= 0 && good;
    }
    if (writer->file >= 0) {
        good = H5Fclose(writer->file) >= 0 && good;
    }
    if (writer->driver >= 0) {
        good = H5FDunregister(writer->driver) >= 0 && good;
    }
    writer->driver = writer->file = writer->transmitters = writer->spectra_type = H5I_INVALID_HID;
    return good;
}

/* fsync of a file or of a folder. */
static pw_status sync_path(const char *path, int flags, pw_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (descriptor < 0 || fsync(descriptor) != 0) {
        pw_status status = fail(error, PW_NO_RESOURCE, "cannot sync '%s': %s", path, strerror(errno));
        if (descriptor >= 0) {
            close(descriptor);
        }
        return status;
    }
    return close(descriptor) == 0 ? PW_OK : fail(error, PW_NO_RESOURCE, "cannot close '%s': %s", path, strerror(errno));
}

static pw_status publish(const struct result_writer *writer, pw_error *error)
{
    TRY(sync_path(writer->temporary, 0, error));
    if (rename(writer->temporary, writer->path) != 0) {
        return fail(error, PW_NO_RESOURCE, "cannot rename '%s' to '%s': %s", writer->temporary, writer->path,
                    strerror(errno));
    }
    char *copy = strdup(writer->path);
    if (copy == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for a path");
    }
    pw_status status = sync_path(dirname(copy), O_DIRECTORY, error);
    free(copy);
    return status;
}

pw_status result_commit(struct result_writer *writer, double seconds_setup, double seconds_solve, pw_error *error)
{
    struct hdf5_silence silence = hdf5_silence();
    pw_status status = write_end(writer, seconds_setup, seconds_solve, error);
    if (status == PW_OK && !close_file(writer)) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close the file");
    }
    status = check_note(writer, status, error);
    status = hdf5_name_file(error, status, writer->temporary);
    if (status == PW_OK) {
        status = publish(writer, error);
    }
    hdf5_restore(silence);
    if (status != PW_OK) {
        result_abandon(writer);
        return status;
    }
    writer_free(writer);
    return PW_OK;
}

void result_abandon(struct result_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    struct hdf5_silence silence = hdf5_silence();
    close_file(writer);
    hdf5_restore(silence);
    unlink(writer->temporary);
    writer_free(writer);
}
