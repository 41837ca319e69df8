/* Writes a result file: the plan, frequencies and root attributes first, then each finished transmitter, then timing.
 * Everything goes to a temporary name in the same folder; only a complete, synced file gets the final name. Two runs of
 * one scenario differ in /timing and in the attribute `created` alone. */
#include "base/file/atomic_file.h"
#include "base/file/folder.h"
#include "base/file/hdf5_file.h"
#include "base/memory.h"
#include "discretize/formulation.h"
#include "result/antenna/result_antenna.h"
#include "result/result_format.h"
#include "run/delay_warning.h"
#include "run/write/result_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

struct result_writer {
    char *path, *temporary;    /* owned */
    const struct setup *setup; /* borrowed */
    struct disk_note note;     /* the first write that failed */
    hid_t driver, file;
    hid_t transmitters; /* the group */
    int added;
    int64_t steps;        /* done, of the transmitter with the most */
    double cell_updates;  /* of all transmitters */
    double seconds_write; /* so far */
    char stop_reason[64]; /* joined with " and " where transmitters differ */
    pw_notes doubts;      /* of the runs, about powers, owned */
    pw_notes warnings;    /* of the runs, about the rest, owned */
    char backend[64], device[128];
    FILE *summary;      /* into summary_text */
    char *summary_text; /* owned; "name<tab>value<newline>" for every text of the root */
    size_t summary_size;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
/* ---- root attributes --------------------------------------------------------------------------------------------- */

/* A text for people, of variable length as every HDF5 tool likes it, and once more for the summary that planwave itself
 * reads: fixed length has a checksum, whereas HDF5 crashes on damage in the heap of the other kind. */
static pw_status write_note(struct result_writer *writer, const char *name, const char *text, pw_error *error)
{
    fprintf(writer->summary, "%s\t", name);
    for (const char *c = text; *c != '\0'; c++) {
        fputc(*c == '\n' || *c == '\t' ? ' ' : *c, writer->summary);
    }
    fputc('\n', writer->summary);
    return hdf5_write_text(writer->file, name, text, error);
}

/* What the user asked for, before anything was chosen, and the files that it names: by these a result is known again.
 */
static pw_status write_asked(struct result_writer *writer, pw_error *error)
{
    const struct scenario *asked = writer->setup->asked;
    if (asked == NULL || asked->text == NULL) { /* made without a scenario of text */
        return PW_OK;
    }
    OWNED char *files = NULL;
    TRY(scenario_files_write(asked, &files, error));
    TRY(hdf5_write_text(writer->file, RESULT_SCENARIO_ASKED, asked->text, error));
    return hdf5_write_text(writer->file, RESULT_SCENARIO_FILES, files, error);
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
    TRY(write_asked(writer, error));
    if (setup->from_arrays) {
        TRY(write_note(writer, RESULT_PLAN_SOURCE, "arrays", error));
    }
    TRY(write_note(writer, "material_revision", RESULT_MATERIAL_REVISION, error));
    return write_note(writer, "time_convention", RESULT_TIME_CONVENTION, error);
}

/* What the set-up had to say, then what the runs have. What is said about powers stands in the summary a second time,
 * for whoever shows them. */
static pw_status write_warnings(struct result_writer *writer, pw_error *error)
{
    const pw_notes *parts[] = {&writer->setup->warnings, &writer->doubts, &writer->warnings};
    size_t count = parts[0]->count + parts[1]->count + parts[2]->count, at = 0;
    OWNED char **texts = allocate(count, sizeof *texts, "warnings", error);
    TRY_MADE(texts);
    for (int part = 0; part < 3; part++) {
        for (size_t n = 0; n < parts[part]->count; n++) {
            texts[at++] = parts[part]->text[n];
            fprintf(writer->summary, "warning\t%s\n", parts[part]->text[n]);
        }
    }
    for (size_t n = 0; n < writer->doubts.count; n++) {
        fprintf(writer->summary, "doubt\t%s\n", writer->doubts.text[n]);
    }
    return hdf5_write_texts(writer->file, "warnings", texts, count, error);
}

/* The kind and its cells; where ends differ, also "cpml, x_low pec" and the cells of each. */
static pw_status write_absorber(struct result_writer *writer, pw_error *error)
{
    const struct setup *setup = writer->setup;
    const struct absorber *absorber = &setup->scenario->grid.absorber;
    const int dimensions = setup->scenario->dimensions;
    char text[200];
    int used = snprintf(text, sizeof text, "%s", absorber_model(absorber->kind)->name);
    double cells[2][3] = {{0}};
    for (int s = 0; s < 2 * dimensions; s++) {
        enum absorber_kind kind = absorber_kind_at(absorber, s / 2, s % 2);
        cells[s % 2][s / 2] = setup_absorber_cells(setup, s / 2, s % 2);
        used += kind == absorber->kind ? 0
                                       : snprintf(text + used, sizeof text - (size_t)used, ", %s %s", ABSORBER_SIDES[s],
                                                  absorber_model(kind)->name);
    }
    TRY(write_note(writer, "absorber", text, error));
    TRY(hdf5_write_integer(writer->file, "absorber_cells", absorber->cells, error));
    const bool *symmetric = setup->scenario->grid.symmetric;
    if (absorber->by_side || dimensions == 3 || symmetric[0] || symmetric[1]) {
        TRY(hdf5_write_numbers(writer->file, "absorber_cells_low", cells[0], 3, error));
    }
    return absorber->by_side ? hdf5_write_numbers(writer->file, "absorber_cells_high", cells[1], 3, error) : PW_OK;
}

static pw_status write_numerics(struct result_writer *writer, pw_error *error)
{
    const struct setup *setup = writer->setup;
    hid_t file = writer->file;
    const struct scenario *scenario = setup->scenario;
    const struct problem *problem = &setup->problem;
    TRY(write_note(writer, "scheme", scheme_name(scenario->grid.scheme), error));
    char depths[FORECAST_TEXT];
    TRY(write_note(writer, "forecast", forecast_by_depth(setup->error.local_mean_by_depth, "dB", depths), error));
    TRY(hdf5_write_numbers(file, "forecast_local_mean", setup->error.local_mean_by_depth, FORECAST_DEPTHS, error));
    TRY(hdf5_write_numbers(file, "forecast_field", setup->error.field_by_depth, FORECAST_DEPTHS, error));
    TRY(write_note(writer, "averaging", averaging_rule(scenario->grid.averaging)->name, error));
    TRY(write_absorber(writer, error));
    TRY(write_note(writer, "precision", problem->precision == PW_DOUBLE ? "double" : "single", error));
    TRY(hdf5_write_number(file, "courant", scenario->grid.courant, error));
    TRY(hdf5_write_number(file, "dx", problem->axis[0].spacing, error));
    TRY(hdf5_write_number(file, "dt", problem->time_step, error));
    TRY(hdf5_write_numbers(file, "origin", (double[]){setup->origin.x, setup->origin.y}, 2, error));
    if (setup_is_3d(setup)) {
        TRY(hdf5_write_integer(file, "dimensions", 3, error));
        TRY(hdf5_write_integer(file, "nz", problem->axis[2].count, error));
        TRY(hdf5_write_number(file, "origin_z", setup->origin_z, error));
    }
    if (scenario->horizontal) {
        TRY(write_note(writer, "polarisation", "horizontal", error));
    }
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
    FAIL_IF(name[0] == '\0' || strcmp(name, ".") == 0 || strchr(name, '/') != NULL, error, PW_BAD_INPUT,
            "%s '%s' cannot be a name in a result: it must not be empty, '.', or contain '/'", kind, name);
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
                 8.0 * (double)problem->steps * (3 + setup->formulation->components * setup->scenario->receiver_count);
    return one * problem->source_count * (scenario_has_over(setup->scenario) ? 2 : 1) + 65536;
}

/* Better said before the run than after it. */
static pw_status check_space(const struct setup *setup, const char *folder, pw_error *error)
{
    struct statvfs disk;
    FAIL_IF(statvfs(folder, &disk) != 0, error, PW_NO_RESOURCE, "cannot write into the folder '%s': %s", folder,
            strerror(errno));
    double needed = expected_bytes(setup), left = (double)disk.f_bavail * (double)disk.f_frsize;
    FAIL_IF(needed > left, error, PW_NO_RESOURCE,
            "the result takes %.1f MB, but the disk of '%s' has only %.1f MB left", needed * 1e-6, folder, left * 1e-6);
    return PW_OK;
}

static pw_status check_target(const char *path, bool force, const struct setup *setup, pw_error *error)
{
    struct stat target;
    if (stat(path, &target) == 0) {
        FAIL_IF(S_ISDIR(target.st_mode), error, PW_BAD_INPUT, "'%s' is a folder, not a name for a result", path);
        FAIL_IF(!force, error, PW_BAD_INPUT, "'%s' exists already; --force replaces it", path);
    }
    OWNED char *folder = path_folder(path, error);
    TRY_MADE(folder);
    return check_space(setup, folder, error);
}

static void writer_free(struct result_writer *writer)
{
    if (writer->summary != NULL) {
        fclose(writer->summary);
    }
    free(writer->summary_text);
    warnings_free(&writer->doubts);
    warnings_free(&writer->warnings);
    FREE_ALL(writer->path, writer->temporary, writer);
}

static struct result_writer *writer_allocate(const char *path, const struct setup *setup, pw_error *error)
{
    struct result_writer *writer = allocate(1, sizeof *writer, "a result writer", error);
    if (writer == NULL) {
        return NULL;
    }
    writer->setup = setup;
    writer->driver = writer->file = writer->transmitters = H5I_INVALID_HID;
    writer->path = strdup(path);
    writer->summary = open_memstream(&writer->summary_text, &writer->summary_size);
    writer->temporary = disk_temporary_name(path);
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
    writer->file = disk_file_create(writer->temporary, 0, DISK_FORMAT_1_8, &writer->note, &writer->driver, error);
    TRY_MADE(writer->file >= 0);
    TRY(write_provenance(writer, error));
    TRY(write_numerics(writer, error));
    TRY(result_write_over(writer->file, setup->scenario, error));
    TRY(result_write_patterns(writer->file, setup->scenario, error));
    TRY(result_write_plan(writer->file, setup, error));
    TRY(result_write_frequencies(writer->file, setup, error));
    TRY(result_write_lattice_receivers(writer->file, setup, error));
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
    TRY_MADE(made);
    disk_remove_stale(path);
    HDF5_SILENCE;
    double start = seconds_now();
    pw_status status = check_note(made, writer_begin(made, error), error);
    status = hdf5_name_file(error, status, made->temporary);
    made->seconds_write = seconds_now() - start;
    if (status != PW_OK) {
        result_abandon(made);
        return status;
    }
    *writer = made;
    return PW_OK;
}
/* ---- adding and committing --------------------------------------------------------------------------------------- */

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
    FAIL_IF(simulation->step < 1, error, PW_USAGE, "a simulation without a step has no result");
    for (int run = 0; run < simulation->count; run++) {
        const char *name = simulation->setup->scenario->transmitters[simulation->first + run].name;
        OWNED_ID hid_t group = hdf5_group_create(writer->transmitters, name, error);
        TRY_MADE(group >= 0);
        TRY(check_note(writer, result_write_transmitter(writer->file, group, simulation, run, error), error));
        power_warn(simulation, run, &writer->doubts);
        TRY(delay_warn(simulation, run, &writer->warnings, error));
        writer->added++;
        writer->cell_updates += (double)simulation->step * (double)problem_nodes(problem);
    }
    writer->steps = simulation->step > writer->steps ? simulation->step : writer->steps;
    note_stop_reason(writer, simulation->stop_reason != NULL ? simulation->stop_reason : "not finished");
    snprintf(writer->backend, sizeof writer->backend, "%s", simulation->compute.backend->name);
    snprintf(writer->device, sizeof writer->device, "%s", simulation->device);
    return PW_OK;
}

pw_status result_add(struct result_writer *writer, const struct simulation *simulation, pw_error *error)
{
    assert(simulation->setup == writer->setup);
    HDF5_SILENCE;
    double start = seconds_now();
    pw_status status = check_note(writer, add_all(writer, simulation, error), error);
    status = hdf5_name_file(error, status, writer->temporary);
    writer->seconds_write += seconds_now() - start;
    return status;
}

static pw_status write_scalar(hid_t group, const char *name, const char *units, const char *long_name, double value,
                              pw_error *error)
{
    struct layout layout = {.name = name, .units = units, .long_name = long_name, .type = H5T_IEEE_F64LE};
    return hdf5_dataset_write(group, &layout, H5T_NATIVE_DOUBLE, &value, error);
}

static pw_status write_timing(const struct result_writer *writer, double seconds_setup, double seconds_solve,
                              pw_error *error)
{
    OWNED_ID hid_t group = hdf5_group_create(writer->file, "timing", error);
    TRY_MADE(group >= 0);
    /* Ez and its increment are read and written, the palette index is read; of E and H in three dimensions three times
     * as much, of Ex, Ey and Hz half of that. */
    double cell_bytes =
        writer->setup->formulation->moved * (4 * (writer->setup->problem.precision == PW_DOUBLE ? 8 : 4) + 2);
    double peak = (double)memory_peak(); /* getrusage() would count what the parent held before exec() */
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
    FAIL_IF(writer->added != writer->setup->scenario->transmitter_count, error, PW_USAGE,
            "result of %d transmitters committed with %d", writer->setup->scenario->transmitter_count, writer->added);
    TRY(write_note(writer, "backend", writer->backend, error));
    TRY(write_note(writer, "device", writer->device, error));
    TRY(hdf5_write_integer(writer->file, "steps_done", writer->steps, error));
    TRY(write_note(writer, "stop_reason", writer->stop_reason, error));
    TRY(write_warnings(writer, error));
    bool noted = ferror(writer->summary) == 0 && fflush(writer->summary) == 0;
    FAIL_IF(!noted, error, PW_NO_RESOURCE, "not enough memory for the summary");
    TRY(hdf5_write_fixed_text(writer->file, "summary", writer->summary_text, error));
    TRY(write_timing(writer, seconds_setup, seconds_solve, error));
    return H5Fflush(writer->file, H5F_SCOPE_GLOBAL) < 0 ? hdf5_fail(error, PW_NO_RESOURCE, "cannot flush") : PW_OK;
}

/* Closes everything that is open; false when HDF5 could not. */
static bool close_file(struct result_writer *writer)
{
    bool good = true;
    if (writer->transmitters >= 0) {
        good = H5Gclose(writer->transmitters) >= 0 && good;
    }
    if (writer->file >= 0) {
        good = H5Fclose(writer->file) >= 0 && good;
    }
    if (writer->driver >= 0) {
        good = H5FDunregister(writer->driver) >= 0 && good;
    }
    writer->driver = writer->file = writer->transmitters = H5I_INVALID_HID;
    return good;
}

pw_status result_take_over(struct result_writer *writer, const char *path, const uint16_t *tops, pw_error *error)
{
    HDF5_SILENCE;
    pw_status status = result_copy_over(writer->transmitters, writer->setup->scenario, path, error);
    THEN(status, result_write_step(writer->file, &writer->setup->medium, tops, error));
    status = check_note(writer, status, error);
    status = hdf5_name_file(error, status, writer->temporary);
    return status;
}

pw_status result_commit(struct result_writer *writer, double seconds_setup, double seconds_solve, pw_error *error)
{
    HDF5_SILENCE;
    pw_status status = write_end(writer, seconds_setup, seconds_solve, error);
    if (status == PW_OK && !close_file(writer)) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close the file");
    }
    status = check_note(writer, status, error);
    status = hdf5_name_file(error, status, writer->temporary);
    THEN(status, disk_publish(writer->temporary, writer->path, error));
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
    HDF5_SILENCE;
    close_file(writer);
    unlink(writer->temporary);
    writer_free(writer);
}
