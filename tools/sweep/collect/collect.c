/* What the collected file holds. It is laid out as a result is, with the dimensions of the sweep in front:
 *
 *     /                          scales and coordinates of the sweep, frequency, output, finished, warning_count, cell,
 * time_step /plan                      relative_permittivity, where all outputs have the same nodes /transmitters/NAME
 * power, at_x, at_y, spectrum, time /spectra[/SHEET]      ez, ... with x and y of the points; and all of the above
 * again, as links /receivers/NAME       ez, ... over time
 *
 * so that a reader which opens one group, as xarray does, has everything that belongs to it. */
#include "sweep/collect/store.h"
#include "sweep/collect/survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct collector {
    const struct sweep *sweep;
    const struct survey *survey;
    const char *path;
    hid_t outputs; /* the output that stands for all, for what datasets are made of */
    struct store store;
};

/* ---- the root ---------------------------------------------------------------------------------------------------- */

static pw_status attributes_write(const struct collector *collector, hid_t file, pw_error *error)
{
    const struct survey *survey = collector->survey;
    TRY(pw_hdf5_write_text(file, "program", "planwave", error));
    TRY(pw_hdf5_write_text(file, "kind", "sweep", error));
    TRY(pw_hdf5_write_text(file, "version", PW_VERSION, error));
    TRY(pw_hdf5_write_text(file, "commit", pw_commit(), error));
    TRY(pw_hdf5_write_text(file, "title", survey->facts.title, error));
    TRY(pw_hdf5_write_text(file, "time_convention", "exp(+jwt)", error));
    TRY(pw_hdf5_write_integer(file, "cases", survey->count, error));
    return pw_hdf5_write_integer(file, "missing", survey->count - survey->present, error);
}

/* The outputs as they are called from the collected file. */
static pw_status outputs_write(struct collector *collector, hid_t file, pw_error *error)
{
    const size_t count = (size_t)collector->survey->count;
    char **paths = allocate(count, sizeof *paths, "the names of outputs", error);
    pw_status status = paths != NULL ? PW_OK : PW_NO_RESOURCE;
    for (size_t c = 0; c < count && status == PW_OK; c++) {
        pw_sweep_case *of;
        status = pw_sweep_case_create(collector->sweep, (int64_t)c, &of, error);
        if (status == PW_OK && asprintf(&paths[c], "%s%s.h5", collector->store.folder, of->name) < 0) {
            paths[c] = NULL;
            status = fail(error, PW_NO_RESOURCE, "not enough memory for the names of outputs");
        }
        pw_sweep_case_free(of);
    }
    const struct label label = {"output", "", "file of the case, from this file", false};
    THEN(status, store_texts(&collector->store, file, &label, paths, error));
    for (size_t c = 0; paths != NULL && c < count; c++) {
        free(paths[c]);
    }
    free(paths);
    return status;
}

static pw_status frequencies_write(const struct survey *survey, hid_t file, pw_error *error)
{
    const struct label label = {"frequency", "Hz", "frequency of the spectra", true};
    const int count = survey->facts.frequency_count;
    OWNED double *frequency = allocate((size_t)count, sizeof *frequency, "the frequencies of the outputs", error);
    TRY_MADE(frequency);
    TRY(pw_result_frequencies(survey->reference, frequency, error));
    return count > 0 ? store_scale(file, &label, frequency, (hsize_t)count, error) : PW_OK;
}

static pw_status root_write(struct collector *collector, hid_t file, pw_error *error)
{
    const struct survey *survey = collector->survey;
    struct store *store = &collector->store;
    TRY(attributes_write(collector, file, error));
    TRY(frequencies_write(survey, file, error));
    TRY(outputs_write(collector, file, error));
    OWNED int *finished = allocate((size_t)survey->count, sizeof *finished, "the facts of the outputs", error);
    TRY_MADE(finished);
    for (int64_t c = 0; c < survey->count; c++) {
        finished[c] = survey->there[c];
    }
    TRY(store_integers(store, file,
                       &(struct label){"finished", "1", "1 where the output was there when it was collected", false},
                       finished, error));
    TRY(store_integers(store, file,
                       &(struct label){"warning_count", "1", "warnings that the output carries; -1: no output", false},
                       survey->warnings, error));
    TRY(store_numbers(store, file, &(struct label){"cell", "m", "size of the cells", false}, survey->cell, error));
    return store_numbers(store, file, &(struct label){"time_step", "s", "time step", false}, survey->time_step, error);
}

/* ---- datasets of the outputs ------------------------------------------------------------------------------------- */

/* Adds what the reference says of the dataset: the type of its elements, its units, its long name. */
static pw_status dataset_collect(struct collector *collector, hid_t group, struct virtual_dataset *wanted,
                                 pw_error *error)
{
    const char *path = collector->survey->reference_case->output;
    OWNED char *units = NULL;
    OWNED char *long_name = NULL;
    pw_error reason = {{0}};
    OWNED_ID hid_t dataset = H5Dopen2(collector->outputs, wanted->source, H5P_DEFAULT);
    wanted->type = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
    pw_status status = wanted->type >= 0 ? pw_hdf5_read_text(dataset, "units", &units, &reason)
                                         : pw_hdf5_fail(&reason, PW_BAD_INPUT, "cannot open '%s'", wanted->source);
    THEN(status, pw_hdf5_read_text(dataset, "long_name", &long_name, &reason));
    if (status != PW_OK) {
        fail(error, status, "%s: %s", path, reason.message);
    } else {
        wanted->label = (struct label){wanted->label.name, units, long_name, false};
        status = store_virtual(&collector->store, group, wanted, error);
    }
    H5Tclose(wanted->type);
    return status;
}

/* What a group that is opened by itself needs of its transmitter. */
static pw_status transmitter_link(hid_t transmitter, hid_t group, pw_error *error)
{
    static const char *const NAMES[] = {"power", "at_x", "at_y", "at_z", "spectrum"};
    for (size_t n = 0; n < sizeof NAMES / sizeof NAMES[0]; n++) {
        if (H5Lexists(transmitter, NAMES[n], H5P_DEFAULT) > 0 &&
            H5Lcreate_hard(transmitter, NAMES[n], group, NAMES[n], H5P_DEFAULT, H5P_DEFAULT) < 0) {
            return pw_hdf5_fail(error, PW_NO_RESOURCE, "cannot link '%s'", NAMES[n]);
        }
    }
    return PW_OK;
}

/* "ex", ...: what a component is called in the outputs. */
static const char *component_word(pw_component component)
{
    static const char *const WORDS[] = {
        [PW_COMPONENT_EX] = "ex", [PW_COMPONENT_EY] = "ey", [PW_COMPONENT_EZ] = "ez", [PW_COMPONENT_HZ] = "hz"};
    return WORDS[component];
}

/* Whether there are several components of the field, on sheets and at receivers. */
static bool is_vector(const struct survey *survey)
{
    return survey->facts.dimensions == 3 || survey->facts.horizontal;
}

/* Dimensions of a sheet: the one that runs along its rows, and the one up its columns. */
struct sheet_axes {
    const char *across, *up;
};

static pw_status axes_write(const struct survey *survey, hid_t group, int t, const struct sheet_axes *axes,
                            pw_error *error)
{
    pw_transmitter facts;
    TRY(pw_result_transmitter(survey->reference, t, &facts, error));
    const size_t columns = (size_t)facts.spectra_columns, rows = (size_t)facts.spectra_rows;
    OWNED double *across = allocate(columns + rows, sizeof *across, "the axes of spectra", error);
    TRY_MADE(across);
    double *up = across + columns;
    TRY(pw_result_spectra_axes(survey->reference, t, across, up, error));
    TRY(store_scale(group, &(struct label){axes->across, "m", "place of the points", true}, across, columns, error));
    return store_scale(group, &(struct label){axes->up, "m", "place of the points", true}, up, rows, error);
}

/* The spectra of one sheet into `group`; `folder` is that group in the outputs. */
static pw_status sheet_collect(struct collector *collector, hid_t transmitter, hid_t group, const char *folder, int t,
                               int sheet, pw_error *error)
{
    const struct survey *survey = collector->survey;
    pw_sheet facts;
    char source[600];
    TRY(pw_result_sheet_choose(survey->reference, sheet, error));
    TRY(pw_result_sheet_describe(survey->reference, sheet, &facts, error));
    const char *component = component_word(facts.component);
    const struct sheet_axes axes = {facts.normal == 0 ? "y" : "x", facts.normal == 2 ? "y" : "z"};
    snprintf(source, sizeof source, "%s/%s", folder, component);
    TRY(store_link_shared(&collector->store, group, error));
    TRY(transmitter_link(transmitter, group, error));
    TRY(axes_write(survey, group, t, &axes, error));
    struct virtual_dataset wanted = {
        .label = {.name = component},
        .source = source,
        .rank = 3,
        .extent = {(hsize_t)survey->facts.frequency_count, (hsize_t)facts.rows, (hsize_t)facts.columns},
        .dimension = {"frequency", axes.up, axes.across}};
    return dataset_collect(collector, group, &wanted, error);
}

static pw_status spectra_collect(struct collector *collector, hid_t transmitter, int t, pw_error *error)
{
    const struct survey *survey = collector->survey;
    const int count = pw_result_sheet_count(survey->reference);
    const char *name = survey->transmitters[t].like.name;
    char folder[400];
    if (count == 0) {
        return PW_OK;
    }
    OWNED_ID hid_t spectra = pw_hdf5_group_create(transmitter, "spectra", error);
    TRY_MADE(spectra >= 0);
    snprintf(folder, sizeof folder, "/transmitters/%s/spectra", name);
    if (!is_vector(survey)) {
        return sheet_collect(collector, transmitter, spectra, folder, t, 0, error);
    }
    for (int s = 0; s < count; s++) {
        pw_sheet sheet;
        TRY(pw_result_sheet_describe(survey->reference, s, &sheet, error));
        snprintf(folder, sizeof folder, "/transmitters/%s/spectra/%s", name, sheet.name);
        OWNED_ID hid_t group = pw_hdf5_group_create(spectra, sheet.name, error);
        TRY_MADE(group >= 0);
        TRY(sheet_collect(collector, transmitter, group, folder, t, s, error));
    }
    return PW_OK;
}

/* ---- receivers --------------------------------------------------------------------------------------------------- */

static pw_status series_collect(struct collector *collector, hid_t group, int t, const char *receiver, hsize_t longest,
                                pw_error *error)
{
    const struct survey *survey = collector->survey;
    const pw_component components[3] = {PW_COMPONENT_EX, PW_COMPONENT_EY,
                                        survey->facts.horizontal ? PW_COMPONENT_HZ : PW_COMPONENT_EZ};
    TRY(store_link_shared(&collector->store, group, error));
    for (int c = is_vector(survey) ? 0 : 2; c < 3; c++) {
        char source[400];
        const char *word = component_word(components[c]);
        snprintf(source, sizeof source, "/transmitters/%s/receivers/%s/%s", survey->transmitters[t].like.name, receiver,
                 word);
        struct virtual_dataset wanted = {.label = {.name = word},
                                         .source = source,
                                         .rank = 1,
                                         .extent = {longest},
                                         .length = survey->transmitters[t].samples,
                                         .dimension = {"time"}};
        TRY(dataset_collect(collector, group, &wanted, error));
    }
    return PW_OK;
}

/* Sample n of the series stands at (n + 1) time steps. */
static pw_status time_write(const struct survey *survey, hid_t transmitter, hsize_t longest, pw_error *error)
{
    OWNED double *time = allocate((size_t)longest, sizeof *time, "the times of samples", error);
    TRY_MADE(time);
    for (hsize_t n = 0; n < longest; n++) {
        time[n] = (double)(n + 1) * survey->facts.time_step;
    }
    return store_scale(transmitter, &(struct label){"time", "s", "time of the sample", true}, time, longest, error);
}

static pw_status receiver_collect(struct collector *collector, hid_t transmitter, hid_t receivers, int t, int r,
                                  hsize_t longest, pw_error *error)
{
    pw_receiver of;
    TRY(pw_result_receiver(collector->survey->reference, t, r, &of, error));
    OWNED_ID hid_t group = pw_hdf5_group_create(receivers, of.name, error);
    TRY_MADE(group >= 0);
    return H5Lcreate_hard(transmitter, "time", group, "time", H5P_DEFAULT, H5P_DEFAULT) >= 0
               ? series_collect(collector, group, t, of.name, longest, error)
               : pw_hdf5_fail(error, PW_NO_RESOURCE, "cannot link 'time'");
}

static bool receiver_collected(const struct survey *survey, int t, int r)
{
    pw_receiver of;
    return survey->same_steps && survey->transmitters[t].receiver_everywhere[r] &&
           pw_result_receiver(survey->reference, t, r, &of, NULL) == PW_OK && of.recorded;
}

static pw_status receivers_collect(struct collector *collector, hid_t transmitter, int t, pw_error *error)
{
    const struct survey *survey = collector->survey;
    const int count = survey->transmitters[t].like.receiver_count;
    int wanted = 0;
    int64_t longest = 0;
    for (int r = 0; r < count; r++) {
        wanted += receiver_collected(survey, t, r);
    }
    for (int64_t c = 0; c < survey->count; c++) {
        int64_t samples = survey->transmitters[t].samples[c];
        longest = samples > longest ? samples : longest;
    }
    if (wanted == 0 || longest == 0) {
        return PW_OK;
    }
    TRY(time_write(survey, transmitter, (hsize_t)longest, error));
    OWNED_ID hid_t receivers = pw_hdf5_group_create(transmitter, "receivers", error);
    TRY(receivers >= 0 ? PW_OK : PW_NO_RESOURCE);
    for (int r = 0; r < count; r++) {
        TRY(receiver_collected(survey, t, r)
                ? receiver_collect(collector, transmitter, receivers, t, r, (hsize_t)longest, error)
                : PW_OK);
    }
    return PW_OK;
}

/* ---- transmitters ------------------------------------------------------------------------------------------------ */

static pw_status transmitter_members(struct collector *collector, hid_t group, int t, pw_error *error)
{
    const struct survey *survey = collector->survey;
    const struct survey_transmitter *facts = &survey->transmitters[t];
    struct store *store = &collector->store;
    char source[200];
    TRY(store_link_shared(store, group, error));
    TRY(store_numbers(store, group, &(struct label){"power", "dBm", "power of the transmitter, EIRP", false},
                      facts->power, error));
    TRY(store_numbers(store, group, &(struct label){"at_x", "m", "place of the transmitter", false}, facts->x, error));
    TRY(store_numbers(store, group, &(struct label){"at_y", "m", "place of the transmitter", false}, facts->y, error));
    if (survey->facts.dimensions == 3) {
        TRY(store_numbers(store, group, &(struct label){"at_z", "m", "height of the transmitter", false}, facts->height,
                          error));
    }
    snprintf(source, sizeof source, "/transmitters/%s/spectrum", facts->like.name);
    if (survey->facts.frequency_count > 0) {
        struct virtual_dataset wanted = {.label = {.name = "spectrum"},
                                         .source = source,
                                         .rank = 1,
                                         .extent = {(hsize_t)survey->facts.frequency_count},
                                         .dimension = {"frequency"}};
        TRY(dataset_collect(collector, group, &wanted, error));
    }
    TRY(spectra_collect(collector, group, t, error));
    return receivers_collect(collector, group, t, error);
}

static pw_status transmitters_collect(struct collector *collector, hid_t file, pw_error *error)
{
    const struct survey *survey = collector->survey;
    OWNED_ID hid_t all = pw_hdf5_group_create(file, "transmitters", error);
    TRY(all >= 0 ? PW_OK : PW_NO_RESOURCE);
    for (int t = 0; t < survey->facts.transmitter_count; t++) {
        OWNED_ID hid_t group = pw_hdf5_group_create(all, survey->transmitters[t].like.name, error);
        TRY(group >= 0 ? transmitter_members(collector, group, t, error) : PW_NO_RESOURCE);
    }
    return PW_OK;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static pw_status plan_members(struct collector *collector, hid_t group, pw_error *error)
{
    const pw_result_facts *reference = &collector->survey->facts;
    OWNED double *axis = allocate((size_t)(reference->ny > reference->nx ? reference->ny : reference->nx), sizeof *axis,
                                  "the axes of the plan", error);
    TRY_MADE(axis);
    TRY(store_link_shared(&collector->store, group, error));
    for (int a = 0; a < 2; a++) {
        int count = a == 0 ? reference->nx : reference->ny;
        for (int n = 0; n < count; n++) {
            axis[n] = (a == 0 ? reference->origin_x : reference->origin_y) + n * reference->cell;
        }
        TRY(store_scale(group, &(struct label){a == 0 ? "x" : "y", "m", "place of the nodes", true}, axis,
                        (hsize_t)count, error));
    }
    struct virtual_dataset wanted = {.label = {.name = "relative_permittivity"},
                                     .source = "/plan/relative_permittivity",
                                     .rank = 2,
                                     .extent = {(hsize_t)reference->ny, (hsize_t)reference->nx},
                                     .dimension = {"y", "x"}};
    return dataset_collect(collector, group, &wanted, error);
}

static pw_status plan_collect(struct collector *collector, hid_t file, pw_error *error)
{
    if (collector->survey->facts.dimensions == 3 || !collector->survey->same_plan) {
        return PW_OK;
    }
    OWNED_ID hid_t group = pw_hdf5_group_create(file, "plan", error);
    return group >= 0 ? plan_members(collector, group, error) : PW_NO_RESOURCE;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static pw_status members_write(int64_t file, const void *user, pw_error *error)
{
    struct collector *collector = *(struct collector *const *)user;
    pw_status status =
        store_begin(&collector->store, collector->sweep, collector->path, collector->survey->there, file, error);
    THEN(status, root_write(collector, file, error));
    THEN(status, plan_collect(collector, file, error));
    THEN(status, transmitters_collect(collector, file, error));
    store_end(&collector->store);
    return status;
}

/* The reference is open as a result too, and HDF5 wants both to be closed alike. */
static pw_status file_write(struct collector *collector, pw_error *error)
{
    const char *output = collector->survey->reference_case->output;
    OWNED_ID hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access_list, H5F_CLOSE_STRONG);
    collector->outputs = H5Fopen(output, H5F_ACC_RDONLY, access_list);
    if (collector->outputs < 0) {
        return pw_hdf5_fail(error, PW_BAD_INPUT, "%s: cannot be opened", output);
    }
    pw_status status = pw_hdf5_write_file(collector->path, members_write, &collector, error);
    H5Fclose(collector->outputs);
    return status;
}

pw_status pw_sweep_collect(const pw_sweep *sweep, const char *path, const pw_sweep_collect_options *options,
                           pw_sweep_collected *collected, pw_error *error)
{
    static const pw_sweep_collect_options plain;
    OWNED_BY(survey_free) struct survey survey = {0};
    struct stat found;
    options = options != NULL ? options : &plain;
    FAIL_IF(!options->force && stat(path, &found) == 0, error, PW_BAD_INPUT, "'%s' exists already", path);
    struct collector collector = {.sweep = sweep, .survey = &survey, .path = path};
    TRY(survey_make(sweep, options, &survey, error));
    survey_tell(&survey, options);
    TRY(file_write(&collector, error));
    *collected = (pw_sweep_collected){survey.present, survey.count - survey.present, survey.warned,
                                      collector.store.virtual_count};
    return PW_OK;
}
