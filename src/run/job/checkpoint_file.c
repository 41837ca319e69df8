/* One checkpoint file: its attributes, its runs. The block in front is made in checkpoint_seal.c; which file counts is
 * decided in checkpoint.c; arrays are written and read in checkpoint_part.c. */
#include "base/file/atomic_file.h"
#include "base/file/hdf5_file.h"
#include "base/file/hdf5_read.h"
#include "base/file/hdf5_write.h"
#include "problem/physics/physics.h"
#include "run/job/checkpoint.h"
#include "run/job/checkpoint_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* The verdict on a file whose reading ended with this status. */
static enum checkpoint_verdict verdict_of(pw_status status)
{
    return status == PW_OK ? CHECKPOINT_GOOD : status == PW_NO_RESOURCE ? CHECKPOINT_NO_MEMORY : CHECKPOINT_DAMAGED;
}

/* Of everything that decides a run's bits. The scenario's text names pictures and waveforms but does not tell their
 * content, so the arrays made from them are mixed in as well: all are read, so it is made when there is a file. */
static uint64_t fingerprint_of(const struct setup *setup)
{
    const char *text = setup->scenario->text;
    const uint32_t words = (uint32_t)crc32(0, (const unsigned char *)text, (uInt)strlen(text));
    return (uint64_t)words << 32 | problem_checksum(&setup->problem);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static pw_status write_root(hid_t file, const struct checkpoint_store *store, const struct simulation *simulation,
                            int first_run, int count, bool finished, pw_error *error)
{
    const struct setup *setup = store->setup;
    char fingerprint[32];
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)fingerprint_of(store->setup));
    TRY(hdf5_write_fixed_text(file, "program", CHECKPOINT_MAGIC, error));
    TRY(hdf5_write_fixed_text(file, "version", PW_VERSION, error));
    TRY(hdf5_write_fixed_text(file, "commit", pw_commit(), error));
    TRY(hdf5_write_fixed_text(file, "backend", simulation->compute.backend->name, error));
    TRY(hdf5_write_fixed_text(file, "precision", setup->problem.precision == PW_DOUBLE ? "double" : "single", error));
    TRY(hdf5_write_fixed_text(file, "fingerprint", fingerprint, error));
    TRY(hdf5_write_integer(file, "first", simulation->first + first_run, error));
    TRY(hdf5_write_integer(file, "count", count, error));
    TRY(hdf5_write_integer(file, "step", simulation->step, error));
    TRY(hdf5_write_number(file, "seconds", simulation->seconds, error));
    TRY(hdf5_write_fixed_text(file, "stop_reason", finished ? simulation->stop_reason : "", error));
    /* A dataset, since an attribute may hold 64 kB at most in this format. */
    const char *text = setup->scenario->text;
    struct layout layout = {.name = "scenario",
                            .units = "",
                            .long_name = "resolved scenario",
                            .type = H5T_NATIVE_UCHAR,
                            .rank = 1,
                            .extent = {strlen(text)}};
    return hdf5_dataset_write(file, &layout, H5T_NATIVE_UCHAR, text, error);
}

/* Arrays for the state of one run, without its spectra, which are written row by row; `lean`: for what its receivers
 * recorded alone. */
static pw_status state_without_spectra(const struct problem *problem, int64_t step, bool lean, struct run_state *state,
                                       pw_error *error)
{
    if (!lean) {
        struct problem fields = *problem;
        fields.spectra.frequency_count = 0;
        return run_state_create(&fields, step, state, error);
    }
    size_t probes = (size_t)step * (size_t)problem->probe_count;
    *state = (struct run_state){.step = step};
    if (probes == 0 || problem->probe_slots > 0) {
        return PW_OK;
    }
    state->probes = allocate(probes, sizeof(double), "a checkpoint", error);
    return state->probes != NULL ? PW_OK : PW_NO_RESOURCE;
}

/* Copies the receivers' series between the simulation and a state (`store`), in which it then is an array of its own.
 */
static pw_status series_exchange(const struct simulation *simulation, int run, struct run_state *state, bool store,
                                 pw_error *error)
{
    struct receiver_series *series = simulation->series;
    if (series == NULL) {
        return PW_OK;
    }
    const size_t values = (size_t)state->step * (size_t)simulation->setup->scenario->receiver_count;
    if (!store) {
        memcpy(series->value[run], state->series, values * sizeof(double));
        series->steps = state->step;
        return PW_OK;
    }
    TRY(receiver_series_take(simulation, error));
    TRY_MADE(state->series = allocate(values, sizeof(double), "a checkpoint", error));
    memcpy(state->series, series->value[run], values * sizeof(double));
    return PW_OK;
}

static pw_status write_run(hid_t file, const struct simulation *simulation, int run, const char *name, bool finished,
                           pw_error *error)
{
    OWNED_BY(run_state_free) struct run_state state = {0};
    const struct problem *problem = &simulation->setup->problem;
    const bool lean = finished || stepper_has_rows(simulation->stepper, true);
    TRY(state_without_spectra(problem, simulation->step, lean, &state, error));
    if (!lean) {
        TRY(stepper_save(simulation->stepper, run, &state, error));
    } else if (state.probes != NULL) {
        TRY(stepper_read_probes(simulation->stepper, run, state.probes, error));
    }
    TRY(series_exchange(simulation, run, &state, true, error));
    OWNED_ID hid_t group = hdf5_group_create(file, name, error);
    TRY_MADE(group >= 0);
    struct part parts[PART_LIMIT];
    int count = checkpoint_parts_list(simulation->setup, &state, finished, parts);
    TRY(hdf5_write_number(group, "peak_energy", simulation->peak_energy[run], error));
    TRY(checkpoint_history_write(group, &simulation->history[run], error));
    for (int p = 0; p < count; p++) {
        TRY(checkpoint_part_write(group, &parts[p], simulation, run, error));
    }
    return PW_OK;
}

struct written {
    const struct checkpoint_store *store;
    const struct simulation *simulation;
    int first_run, count;
    bool finished;
};

static pw_status write_all(hid_t file, const void *user, pw_error *error)
{
    const struct written *w = user;
    TRY(write_root(file, w->store, w->simulation, w->first_run, w->count, w->finished, error));
    for (int r = 0; r < w->count; r++) {
        char name[32];
        snprintf(name, sizeof name, "run-%d", r);
        TRY(write_run(file, w->simulation, w->first_run + r, name, w->finished, error));
    }
    return PW_OK;
}

static pw_status write_temporary(const char *temporary, const struct written *written, pw_error *error)
{
    TRY(disk_file_write(temporary, CHECKPOINT_BLOCK, write_all, written, error));
    return checkpoint_seal(temporary, error);
}

pw_status checkpoint_file_write(const struct checkpoint_store *store, const char *path,
                                const struct simulation *simulation, int first_run, int count, bool finished,
                                pw_error *error)
{
    disk_remove_stale(path);
    char *temporary = disk_temporary_name(path);
    FAIL_IF(temporary == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
    struct written written = {store, simulation, first_run, count, finished};
    pw_status status = hdf5_name_file(error, write_temporary(temporary, &written, error), temporary);
    /* The older generation is replaced only when the new file is whole; until the last rename a run resumes from it.
     */
    if (status == PW_OK && path == store->newest && !store->newest_is_bad && rename(path, store->older) != 0 &&
        errno != ENOENT) {
        status = fail(error, PW_NO_RESOURCE, "cannot rename '%s': %s", path, strerror(errno));
    }
    THEN(status, disk_publish(temporary, path, error));
    if (status != PW_OK) {
        unlink(temporary);
    }
    free(temporary);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static pw_status open_hdf5(const char *path, hid_t *file, pw_error *error)
{
    OWNED_ID hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    *file = list >= 0 && H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) >= 0 ? H5Fopen(path, H5F_ACC_RDONLY, list)
                                                                           : H5I_INVALID_HID;
    return *file < 0 ? hdf5_fail(error, PW_BAD_INPUT, "cannot open as HDF5") : PW_OK;
}

/* Writes the first line in which two texts differ: "line 12 is 'cell: 0.01 m' there, 'cell: 0.02 m' here". */
static void describe_difference(const char *there, const char *here, char *text, size_t size)
{
    int line = 1;
    const char *start = there, *own = here, *c = there, *d = here;
    for (; *c != '\0' && *c == *d; c++, d++) {
        if (*c == '\n') {
            line++;
            start = c + 1;
            own = d + 1;
        }
    }
    snprintf(text, size, "line %d of the resolved scenario is '%.*s' there and '%.*s' here", line,
             (int)strcspn(start, "\n") < 80 ? (int)strcspn(start, "\n") : 80, start,
             (int)strcspn(own, "\n") < 80 ? (int)strcspn(own, "\n") : 80, own);
}

/* Compares one text of the root with what this run expects. */
static enum checkpoint_verdict check_text(hid_t file, const char *name, const char *expected, pw_error *error)
{
    OWNED char *text = NULL;
    pw_status status = hdf5_read_text(file, name, &text, error);
    if (status != PW_OK) {
        return verdict_of(status);
    }
    if (strcmp(text, expected) == 0) {
        return CHECKPOINT_GOOD;
    }
    fail(error, PW_BAD_INPUT, "is of %s '%.64s', this run of '%s'", name, text, expected);
    return CHECKPOINT_REFUSED;
}

static pw_status read_scenario(hid_t file, uint64_t file_bytes, char **text, pw_error *error)
{
    hsize_t extent[1] = {0}, start[1] = {0};
    OWNED_ID hid_t dataset = hdf5_dataset_open(file, "scenario", ELEMENT_INTEGER, 1, file_bytes, extent, error);
    TRY_OPEN(dataset);
    TRY_MADE(*text = allocate((size_t)extent[0] + 1, 1, "a scenario", error));
    return hdf5_block_read_as(dataset, "scenario", start, extent, H5T_NATIVE_UCHAR, *text, error);
}

static enum checkpoint_verdict check_scenario(hid_t file, const struct checkpoint_store *store, uint64_t file_bytes,
                                              pw_error *error)
{
    OWNED char *text = NULL;
    char difference[400], fingerprint[32];
    pw_status status = read_scenario(file, file_bytes, &text, error);
    if (status != PW_OK) {
        return verdict_of(status);
    }
    bool same = strcmp(text, store->setup->scenario->text) == 0;
    describe_difference(text, store->setup->scenario->text, difference, sizeof difference);
    if (!same) {
        fail(error, PW_BAD_INPUT, "is of another scenario: %s", difference);
        return CHECKPOINT_REFUSED;
    }
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)fingerprint_of(store->setup));
    enum checkpoint_verdict verdict = check_text(file, "fingerprint", fingerprint, error);
    if (verdict == CHECKPOINT_REFUSED) {
        fail(error, PW_BAD_INPUT, "is of another plan: same scenario text, but its image or its waveform changed");
    }
    return verdict;
}

static pw_status read_numbers(hid_t file, const struct checkpoint_store *store, struct checkpoint *found,
                              pw_error *error)
{
    int64_t first = 0, count = 0, sources = store->setup->problem.source_count;
    char *reason = NULL;
    TRY(hdf5_read_integer(file, "first", 0, sources - 1, &first, error));
    TRY(hdf5_read_integer(file, "count", 1, sources - first, &count, error));
    TRY(hdf5_read_integer(file, "step", 0, store->setup->problem.steps, &found->step, error));
    TRY(hdf5_read_numbers(file, "seconds", &found->seconds, 0, error));
    TRY(hdf5_read_text(file, "stop_reason", &reason, error));
    found->first = (int)first;
    found->count = (int)count;
    snprintf(found->stop_reason, sizeof found->stop_reason, "%s", reason);
    free(reason);
    FAIL_IF(found->stop_reason[0] != '\0' && strcmp(found->stop_reason, "decay") != 0 &&
                strcmp(found->stop_reason, "duration") != 0,
            error, PW_BAD_INPUT, "has the unknown stop reason '%s'", found->stop_reason);
    return PW_OK;
}

static enum checkpoint_verdict check_root(hid_t file, const struct checkpoint_store *store, uint64_t file_bytes,
                                          struct checkpoint *found, pw_error *error)
{
    enum checkpoint_verdict verdict = check_text(file, "program", CHECKPOINT_MAGIC, error);
    verdict = verdict == CHECKPOINT_GOOD ? check_text(file, "version", PW_VERSION, error) : verdict;
    verdict =
        verdict == CHECKPOINT_GOOD
            ? check_text(file, "precision", store->setup->problem.precision == PW_DOUBLE ? "double" : "single", error)
            : verdict;
    verdict = verdict == CHECKPOINT_GOOD ? check_scenario(file, store, file_bytes, error) : verdict;
    return verdict == CHECKPOINT_GOOD ? verdict_of(read_numbers(file, store, found, error)) : verdict;
}

enum checkpoint_verdict checkpoint_file_check(const struct checkpoint_store *store, const char *path,
                                              struct checkpoint *found, pw_error *error)
{
    *found = (struct checkpoint){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (descriptor < 0 && errno == ENOENT) {
        return CHECKPOINT_ABSENT;
    }
    if (descriptor < 0 || fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
        fail(error, PW_BAD_INPUT, "'%s' cannot be read: %s", path, descriptor < 0 ? strerror(errno) : "not a file");
        if (descriptor >= 0) {
            close(descriptor);
        }
        return CHECKPOINT_DAMAGED;
    }
    enum checkpoint_verdict verdict = checkpoint_seal_check(descriptor, error);
    close(descriptor);
    if (verdict == CHECKPOINT_GOOD) {
        HDF5_SILENCE;
        OWNED_ID hid_t file = H5I_INVALID_HID;
        verdict = open_hdf5(path, &file, error) != PW_OK
                      ? CHECKPOINT_DAMAGED
                      : check_root(file, store, (uint64_t)info.st_size, found, error);
    }
    if (verdict != CHECKPOINT_GOOD && error != NULL) {
        pw_error inner = *error;
        fail(error, PW_BAD_INPUT, "checkpoint '%.300s' %.600s", path, inner.message);
    }
    return verdict;
}

/* Arrays to read a run's state into; of a solver that takes it in pieces, only for what it recorded. */
static pw_status state_to_load(const struct simulation *simulation, int64_t step, bool pieces, struct run_state *state,
                               pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    TRY(pieces ? run_state_records(problem, step, state, error) : run_state_create(problem, step, state, error));
    state->step = step;
    if (simulation->series != NULL) {
        const size_t values = (size_t)step * (size_t)simulation->setup->scenario->receiver_count;
        TRY_MADE(state->series = allocate(values, sizeof(double), "a checkpoint", error));
    }
    return PW_OK;
}

static bool is_record(const struct part *part)
{
    return part->number < 0;
}

/* What the run recorded first, then what is put into it in pieces. */
static pw_status load_parts(hid_t group, uint64_t file_bytes, const struct simulation *simulation, int run,
                            const struct run_state *state, bool finished, pw_error *error)
{
    struct part parts[PART_LIMIT];
    const bool pieces = stepper_has_rows(simulation->stepper, false);
    const int count = checkpoint_parts_list(simulation->setup, state, finished, parts);
    for (int p = 0; p < count; p++) {
        if (is_record(&parts[p]) || !pieces) {
            TRY(checkpoint_part_read(group, &parts[p], simulation, run, file_bytes, error));
        }
    }
    TRY(stepper_load(simulation->stepper, run, state, error));
    for (int p = 0; p < count && pieces; p++) {
        if (!is_record(&parts[p])) {
            TRY(checkpoint_part_read(group, &parts[p], simulation, run, file_bytes, error));
        }
    }
    return PW_OK;
}

static pw_status load_run(hid_t file, uint64_t file_bytes, struct simulation *simulation, int run, int64_t step,
                          bool finished, pw_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "run-%d", run);
    OWNED_BY(run_state_free) struct run_state state = {0};
    TRY(state_to_load(simulation, step, stepper_has_rows(simulation->stepper, false), &state, error));
    OWNED_ID hid_t group = hdf5_group_open(file, name, error);
    TRY_OPEN(group);
    TRY(hdf5_read_numbers(group, "peak_energy", &simulation->peak_energy[run], 0, error));
    TRY(checkpoint_history_read(group, file_bytes, &simulation->history[run], error));
    TRY(load_parts(group, file_bytes, simulation, run, &state, finished, error));
    return series_exchange(simulation, run, &state, false, error);
}

static pw_status load_all(hid_t file, uint64_t file_bytes, const struct checkpoint *found,
                          struct simulation *simulation, pw_error *error)
{
    FAIL_IF(found->first != simulation->first || found->count != simulation->count || simulation->step != 0, error,
            PW_BAD_INPUT, "holds transmitters %d..%d, not %d..%d", found->first, found->first + found->count - 1,
            simulation->first, simulation->first + simulation->count - 1);
    bool finished = found->stop_reason[0] != '\0';
    for (int run = 0; run < found->count; run++) {
        TRY(load_run(file, file_bytes, simulation, run, found->step, finished, error));
    }
    simulation->step = found->step;
    simulation->seconds = found->seconds;
    simulation->stop_reason = !finished ? NULL : strcmp(found->stop_reason, "decay") == 0 ? "decay" : "duration";
    return PW_OK;
}

pw_status checkpoint_file_load(const struct checkpoint_store *store, const char *path, struct simulation *simulation,
                               pw_error *error)
{
    struct checkpoint found;
    enum checkpoint_verdict verdict = checkpoint_file_check(store, path, &found, error);
    if (verdict != CHECKPOINT_GOOD) {
        return verdict == CHECKPOINT_ABSENT      ? fail(error, PW_BAD_INPUT, "checkpoint '%s' is not there", path)
               : verdict == CHECKPOINT_NO_MEMORY ? PW_NO_RESOURCE
                                                 : PW_BAD_INPUT;
    }
    struct stat info;
    uint64_t file_bytes = stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
    HDF5_SILENCE;
    OWNED_ID hid_t file = H5I_INVALID_HID;
    pw_status status = open_hdf5(path, &file, error);
    THEN(status, load_all(file, file_bytes, &found, simulation, error));
    return hdf5_name_file(error, status, path);
}
