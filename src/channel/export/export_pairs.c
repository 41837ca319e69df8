/* The file of all pairs: complex coefficients and delays in the shapes of Sionna RT's Paths.cir(),
 * - a: (num_rx, num_rx_ant, num_tx, num_tx_ant, num_paths, num_time_steps), complex64,
 * - tau: (num_rx, num_tx, num_paths), float32 [s]; with arrays, each of whose antennas was solved on its own, (num_rx,
 *   num_rx_ant, num_tx, num_tx_ant, num_paths),
 *
 * or with one more axis in front, as Sionna's PHY has a batch; with the transfer function H (num_rx, num_rx_ant,
 * num_tx, num_tx_ant, F) that they sum to, and who stands where. In three dimensions the antennas of a receiver that is
 * no array are the components of E that were kept, its polarisations. Pairs are written as they are computed, so memory
 * does not grow with their number. */
#include "channel/export/export_pairs_ends.h"

#include "base/file/atomic_file.h"
#include "base/file/hdf5_file.h"
#include "base/file/hdf5_write.h"
#include "channel/slant/heights.h"
#include "result/result_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANK_LIMIT = 7, REPORTED_PAIRS = 20 };

/* A dataset of floats to which pairs are written one by one. */
struct pair_dataset {
    hid_t dataset, memory_type;
    int rank;
    /* Stations and their antennas; an axis of antennas that is the station's: there is none. */
    int place_axis, port_axis, transmitter_axis, sent_axis, value_axis;
    hsize_t extent[RANK_LIMIT];
};

/* What is written, and where pair_write puts it. */
struct pairs_file {
    const struct pair_list *list;
    FILE *csv, *report; /* NULL: none */
    struct pair_dataset a, tau, response;
    struct pair_dataset profile, profile_delay; /* where they are wanted */
    float *values;                              /* (2 x the longest of taps, delays and frequencies), owned */
    double error;                               /* the largest of the responses, relative */
    pw_metrics *metrics;                        /* (place_count), owned: of the transmitter in work */
    int waiting;                                /* places whose metrics are there */
    bool has_heights;                           /* two dimensions: some link has a height at both ends */
    int64_t told;
};

/* Whether heights took part in the step from two dimensions to three. */
static bool heights_count(const struct pair_list *list)
{
    bool sent = false, taken = false;
    for (int t = 0; t < list->transmitter_count; t++) {
        const struct result_transmitter *from = &list->result->transmitters[list->transmitters[t]];
        sent = sent || !isnan(height_of_transmitter(from, &list->options.channel));
    }
    for (int p = 0; p < list->place_count; p++) {
        taken = taken || !isnan(list->places[p].height);
    }
    return list->result->dimensions == 2 && list->options.channel.spreading != PW_SPREADING_NONE && sent && taken;
}

static pw_status dataset_open(hid_t file, const struct layout *about, bool is_complex, struct pair_dataset *made,
                              pw_error *error)
{
    const hid_t real = H5T_IEEE_F32LE, native = H5T_NATIVE_FLOAT;
    struct layout layout = *about;
    layout.type = is_complex ? hdf5_complex_type(real) : H5Tcopy(real);
    layout.rank = made->rank;
    memcpy(layout.extent, made->extent, sizeof made->extent);
    layout.at_once = true;
    made->memory_type = is_complex ? hdf5_complex_type(native) : H5Tcopy(native);
    made->dataset = hdf5_dataset_create(file, &layout, error);
    H5Tclose(layout.type);
    return made->dataset >= 0 ? PW_OK : PW_NO_RESOURCE;
}

static pw_status dataset_close(struct pair_dataset *made, pw_status status, pw_error *error)
{
    if (made->dataset > 0 && H5Dclose(made->dataset) < 0 && status == PW_OK) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close a dataset");
    }
    if (made->memory_type > 0) {
        H5Tclose(made->memory_type);
    }
    return status;
}

static pw_status values_write(const struct pair_list *list, const struct pair_dataset *to, const struct pair *pair,
                              int port, const float *values, pw_error *error)
{
    hsize_t start[RANK_LIMIT] = {0}, count[RANK_LIMIT];
    for (int axis = 0; axis < to->rank; axis++) {
        count[axis] = 1;
    }
    start[to->port_axis] = (hsize_t)(pair->place % list->place_ports) * (hsize_t)list->port_count + (hsize_t)port;
    start[to->sent_axis] = (hsize_t)(pair->transmitter % list->transmitter_ports);
    start[to->place_axis] = (hsize_t)(pair->place / list->place_ports);
    start[to->transmitter_axis] = (hsize_t)(pair->transmitter / list->transmitter_ports);
    count[to->value_axis] = to->extent[to->value_axis];
    return count[to->value_axis] == 0 ? PW_OK
                                      : hdf5_block_write(to->dataset, start, count, to->memory_type, values, error);
}

static void narrowed(const double *values, size_t count, float *out)
{
    for (size_t n = 0; n < count; n++) {
        out[n] = (float)values[n];
    }
}

/* ---- metrics as text ---- */

static void csv_head(const struct pairs_file *to)
{
    char step[HEIGHTS_TEXT];
    fprintf(to->csv, "# planwave %s: metrics of all pairs of %s\n# from 2D to 3D: %s\n", PW_VERSION,
            to->list->result->path,
            heights_spreading_text(to->list->result, -1, to->has_heights ? (double)INFINITY : (double)NAN,
                                   &to->list->options.channel, step));
    fprintf(to->csv,
            "# path loss between isotropic antennas; nan: not defined. Formulas: planwave help metrics\n"
            "transmitter,receiver,x_m,y_m,distance_m,path_loss_dB,received_power_dBm,mean_excess_delay_ns,"
            "rms_delay_spread_ns,maximum_excess_delay_ns,rician_k_dB,%s"
            "delay_note\n",
            to->list->result->dimensions == 3 ? "height_m,cross_polar_dB,"
            : to->has_heights                 ? "transmitter_height_m,height_m,"
                                              : "");
}

static void metrics_tell(struct pairs_file *to, int transmitter, int p)
{
    const struct place *place = &to->list->places[p];
    const char *from = to->list->result->transmitters[to->list->transmitters[transmitter]].name;
    const pw_metrics *m = &to->metrics[p];
    char note[PW_NOTE_SIZE];
    int width = to->list->result->dimensions == 3 ? 34 : 26; /* of the names of points */
    (void)pw_metrics_note(m, note, sizeof note);
    if (to->csv != NULL) {
        pw_csv_write(to->csv, "\"%s\",\"%s\",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,", from, place->name,
                     place->x, place->y, m->distance, m->path_loss_db, m->received_power_dbm,
                     1e9 * m->mean_excess_delay, 1e9 * m->rms_delay_spread, 1e9 * m->maximum_excess_delay,
                     m->rician_k_db);
        if (to->list->result->dimensions == 3) {
            pw_csv_write(to->csv, "%.6g,%.6g,", place->height, m->cross_polar_db);
        } else if (to->has_heights) {
            const struct result_transmitter *sender =
                &to->list->result->transmitters[to->list->transmitters[transmitter]];
            pw_csv_write(to->csv, "%.6g,%.6g,", height_of_transmitter(sender, &to->list->options.channel),
                         place->height);
        }
        pw_csv_write(to->csv, "\"%s\"\n", note);
    }
    if (to->report != NULL && to->told == 0) {
        fprintf(to->report, "  %-14s %-*s %10s %12s %14s %12s\n", "from", width, "to", "distance", "path loss",
                "received", "RMS spread");
    }
    if (to->report != NULL && to->told < REPORTED_PAIRS) {
        const int from_field = pw_text_field(from, 14), field = pw_text_field(place->name, width);
        fprintf(to->report, "  %-*.*s %-*.*s %8.2f m %9.2f dB %10.2f dBm %9.2f ns%s\n", from_field, from_field, from,
                field, field, place->name, m->distance, m->path_loss_db, m->received_power_dbm,
                1e9 * m->rms_delay_spread,
                m->delay_cause != PW_DELAY_SOUND            ? ", may be over 10 % wrong"
                : m->rms_delay_spread < m->delay_resolution ? ", below the resolution"
                                                            : "");
    }
    to->told++;
}

/* Keeps the metrics of a pair until those of its transmitter are complete, and then tells them in order. */
static void metrics_keep(struct pairs_file *to, const struct pair *pair)
{
    to->metrics[pair->place] = pair->metrics;
    if (++to->waiting == to->list->place_count) {
        for (int p = 0; p < to->list->place_count; p++) {
            metrics_tell(to, pair->transmitter, p);
        }
        to->waiting = 0;
    }
}

/* How far points are from the cells at which they are taken. */
static void moves_tell(const struct pairs_file *to)
{
    double farthest = 0.0;
    for (int p = 0; p < to->list->place_count; p++) {
        const struct place *place = &to->list->places[p];
        farthest = fmax(farthest, hypot(place->x - place->asked_x, place->y - place->asked_y));
    }
    if (farthest > 1e-6) {
        char away[PW_NUMBER_SIZE];
        fprintf(to->report, "  points are taken at the nearest cell with running spectra, up to %s cm away\n",
                pw_number_text(100.0 * farthest, 2, away));
    }
}

/* What the responses at frequencies between those of the spectra are off by. */
static void error_tell(const struct pairs_file *to)
{
    if (to->list->options.frequency_count > 0) {
        fprintf(to->report, "  H at %d frequencies as asked for: estimated error at most %.2g %%\n",
                to->list->response_count, 100.0 * to->error);
    }
}

static pw_status pair_write(void *user, const struct pair *pair, pw_error *error)
{
    struct pairs_file *to = user;
    size_t taps = (size_t)to->list->tap_count, frequencies = (size_t)to->list->response_count;
    size_t delays = (size_t)to->list->delay_count;
    metrics_keep(to, pair);
    to->error = fmax(to->error, pair->error);
    const int delay_ports = to->tau.port_axis > to->tau.place_axis ? to->list->port_count : 1;
    for (int port = 0; port < delay_ports; port++) {
        narrowed(pair->delay, taps, to->values);
        TRY(values_write(to->list, &to->tau, pair, port, to->values, error));
        if (to->list->options.profiles) {
            narrowed(pair->profile, delays, to->values);
            TRY(values_write(to->list, &to->profile, pair, port, to->values, error));
            narrowed(pair->profile_delay, delays, to->values);
            TRY(values_write(to->list, &to->profile_delay, pair, port, to->values, error));
        }
    }
    for (int port = 0; port < to->list->port_count; port++) {
        narrowed(pair->coefficient + 2 * (size_t)port * taps, 2 * taps, to->values);
        TRY(values_write(to->list, &to->a, pair, port, to->values, error));
        narrowed(pair->response + 2 * (size_t)port * frequencies, 2 * frequencies, to->values);
        TRY(values_write(to->list, &to->response, pair, port, to->values, error));
    }
    return PW_OK;
}

/* ---- what stands beside the pairs ---- */

static pw_status attributes_write(const struct pair_list *list, hid_t file, pw_error *error)
{
    TRY(hdf5_write_text(file, "program", RESULT_PROGRAM, error));
    TRY(hdf5_write_text(file, "version", PW_VERSION, error));
    TRY(hdf5_write_text(file, "title", list->result->title != NULL ? list->result->title : "", error));
    TRY(hdf5_write_text(file, "result", list->result->path, error));
    TRY(hdf5_write_number(file, "carrier_frequency", list->centre, error));
    TRY(hdf5_write_number(file, "sampling_bandwidth", list->bandwidth, error));
    TRY(hdf5_write_text(file, "time_convention", RESULT_TIME_CONVENTION, error));
    if (result_is_vector(list->result) && !list->own) {
        char letters[3][3], *names[3];
        for (int p = 0; p < list->port_count; p++) {
            snprintf(letters[p], sizeof letters[p], "%s", result_component_word(list->result, list->port[p]));
            names[p] = letters[p];
        }
        TRY(hdf5_write_texts(file, "rx_polarisations", names, (size_t)list->port_count, error));
    }
    char step[HEIGHTS_TEXT];
    TRY(hdf5_write_text(file, "spreading",
                        heights_spreading_text(list->result, -1, heights_count(list) ? (double)INFINITY : (double)NAN,
                                               &list->options.channel, step),
                        error));
    return hdf5_write_text(file, "normalisation",
                           "|a|^2 and |H|^2 are path gains between isotropic antennas, free-space loss included, as "
                           "the plots show them; H(f) "
                           "= sum a exp(-j 2 pi (f - carrier_frequency) tau). One tap a bin of 1/sampling_bandwidth, "
                           "without window: the first "
                           "few delays may be negative, where the band limit spreads the direct path",
                           error);
}

/* ---- the file ---- */

/* Shapes of the datasets; with a batch one axis in front of `a` and `tau`. */
static void shapes_set(struct pairs_file *to)
{
    const struct pair_list *list = to->list;
    const int lead = list->options.batch ? 1 : 0;
    const hsize_t antennas = (hsize_t)list->place_ports * (hsize_t)list->port_count,
                  sent = (hsize_t)list->transmitter_ports;
    const hsize_t receivers = (hsize_t)(list->place_count / list->place_ports);
    const hsize_t transmitters = (hsize_t)list->transmitter_count / sent;
    const hsize_t taps = (hsize_t)list->tap_count, frequencies = (hsize_t)list->response_count;
    to->a = (struct pair_dataset){.rank = 6 + lead,
                                  .place_axis = lead,
                                  .port_axis = 1 + lead,
                                  .transmitter_axis = 2 + lead,
                                  .sent_axis = 3 + lead,
                                  .value_axis = 4 + lead,
                                  .extent = {1, receivers, antennas, transmitters, sent, taps, 1}};
    to->response = (struct pair_dataset){.rank = 5,
                                         .port_axis = 1,
                                         .transmitter_axis = 2,
                                         .sent_axis = 3,
                                         .value_axis = 4,
                                         .extent = {receivers, antennas, transmitters, sent, frequencies}};
    to->tau = (struct pair_dataset){.rank = 3 + lead,
                                    .place_axis = lead,
                                    .port_axis = lead,
                                    .transmitter_axis = 1 + lead,
                                    .sent_axis = 1 + lead,
                                    .value_axis = 2 + lead,
                                    .extent = {1, receivers, transmitters, taps}};
    if (list->place_ports > 1 || sent > 1) {
        to->tau = (struct pair_dataset){.rank = 5 + lead,
                                        .place_axis = lead,
                                        .port_axis = 1 + lead,
                                        .transmitter_axis = 2 + lead,
                                        .sent_axis = 3 + lead,
                                        .value_axis = 4 + lead,
                                        .extent = {1, receivers, antennas, transmitters, sent, taps}};
    }
    if (lead == 0) {
        memmove(to->a.extent, to->a.extent + 1, (RANK_LIMIT - 1) * sizeof *to->a.extent);
        memmove(to->tau.extent, to->tau.extent + 1, (RANK_LIMIT - 1) * sizeof *to->tau.extent);
    }
    to->profile = to->tau; /* bins in place of taps */
    to->profile.extent[to->profile.value_axis] = (hsize_t)list->delay_count;
    to->profile_delay = to->profile;
}

static pw_status datasets_fill(struct pairs_file *to, hid_t file, pw_error *error)
{
    bool batch = to->list->options.batch;
    const struct layout a = {.name = "a",
                             .units = "1",
                             .long_name =
                                 batch ? "path coefficient (batch, rx, rx antenna, tx, tx antenna, path, time step)"
                                       : "path coefficient (rx, rx antenna, tx, tx antenna, path, time step)"};
    const bool arrays = to->tau.port_axis > to->tau.place_axis;
    const struct layout tau = {.name = "tau",
                               .units = "s",
                               .long_name = batch && arrays
                                                ? "delay since emission (batch, rx, rx antenna, tx, tx antenna, path)"
                                            : arrays ? "delay since emission (rx, rx antenna, tx, tx antenna, path)"
                                            : batch  ? "delay since emission (batch, rx, tx, path)"
                                                     : "delay since emission (rx, tx, path)"};
    const struct layout response = {.name = "H",
                                    .units = "1",
                                    .long_name =
                                        "transfer function (rx, rx antenna, tx, tx antenna, frequency) between "
                                        "isotropic antennas"};
    TRY(dataset_open(file, &a, true, &to->a, error));
    TRY(dataset_open(file, &tau, false, &to->tau, error));
    TRY(dataset_open(file, &response, true, &to->response, error));
    TRY(hdf5_scale_attach(to->response.dataset, (unsigned)to->response.value_axis, file, "frequency", error));
    if (to->list->options.profiles) {
        const struct layout profile = {.name = "profile",
                                       .units = "1",
                                       .long_name =
                                           "power-delay profile (rx, tx, delay), relative to free space at 1 m"};
        const struct layout delay = {.name = "profile_delay",
                                     .units = "s",
                                     .long_name = "delays of the profiles since emission (rx, tx, delay)"};
        TRY(dataset_open(file, &profile, false, &to->profile, error));
        TRY(dataset_open(file, &delay, false, &to->profile_delay, error));
    }
    TRY(pair_list_each(to->list, pair_write, to, error));
    return to->list->options.frequency_count == 0
               ? PW_OK
               : hdf5_write_number(to->response.dataset, "estimated_relative_error", to->error, error);
}

static pw_status members_write(hid_t file, const void *user, pw_error *error)
{
    struct pairs_file to = *(const struct pairs_file *)user;
    const struct result *result = to.list->result;
    const bool asked = to.list->options.frequency_count > 0;
    const double *frequencies = asked ? to.list->options.frequencies : result->frequency;
    int longest = to.list->tap_count > to.list->response_count ? to.list->tap_count : to.list->response_count;
    longest = longest > to.list->delay_count ? longest : to.list->delay_count;
    const struct layout frequency = {.name = "frequency",
                                     .units = "Hz",
                                     .long_name = "frequency",
                                     .rank = 1,
                                     .extent = {(hsize_t)to.list->response_count}};
    TRY(attributes_write(to.list, file, error));
    TRY(pairs_receivers_write(to.list, file, error));
    TRY(pairs_transmitters_write(to.list, file, error));
    TRY(pairs_numbers_write(file, &frequency, frequencies, error));
    shapes_set(&to);
    to.values = allocate(2 * (size_t)longest, sizeof *to.values, "a channel", error);
    to.metrics = allocate((size_t)to.list->place_count, sizeof *to.metrics, "the metrics of places", error);
    pw_status status = to.values == NULL || to.metrics == NULL ? PW_NO_RESOURCE : datasets_fill(&to, file, error);
    status = dataset_close(&to.a, status, error);
    status = dataset_close(&to.tau, status, error);
    status = dataset_close(&to.response, status, error);
    status = dataset_close(&to.profile, status, error);
    status = dataset_close(&to.profile_delay, status, error);
    FREE_ALL(to.values, to.metrics);
    if (status == PW_OK && to.report != NULL && to.told > REPORTED_PAIRS) {
        fprintf(to.report, "  ... and %lld more pairs\n", (long long)(to.told - REPORTED_PAIRS));
    }
    if (status == PW_OK && to.report != NULL) {
        moves_tell(&to);
        error_tell(&to);
    }
    return status;
}

static pw_status files_write(const struct pair_list *list, const char *path, const char *csv_path, FILE *report,
                             pw_error *error)
{
    struct pairs_file to = {.list = list, .report = report, .has_heights = heights_count(list)};
    if (csv_path != NULL) {
        to.csv = disk_create(csv_path, error);
        TRY_MADE(to.csv);
        csv_head(&to);
    }
    pw_status status = disk_file_publish(path, DISK_FORMAT_1_8, disk_rename, members_write, &to, error);
    if (csv_path == NULL) {
        return status;
    }
    pw_error csv_error = {""};
    pw_status csv_status = disk_conclude(to.csv, csv_path, status, &csv_error);
    if (status == PW_OK && csv_status != PW_OK) {
        (void)unlink(path); /* both files or none */
        return fail(error, csv_status, "%s", csv_error.message);
    }
    return status;
}

pw_status pw_pairs_write(const pw_result *result, const pw_pairs_options *options, const char *path,
                         const char *csv_path, FILE *report, pw_error *error)
{
    pw_pairs_options defaults = pw_pairs_options_default();
    OWNED_BY(pair_list_free) struct pair_list list = {0};
    FAIL_IF(result == NULL || path == NULL || path[0] == '\0', error, PW_USAGE, "pw_pairs_write: no %s given",
            result == NULL ? "result" : "name for the file");
    TRY(pair_list_create(result, options != NULL ? options : &defaults, &list, error));
    TRY(pair_list_whole(&list, error));
    return files_write(&list, path, csv_path, report, error);
}
