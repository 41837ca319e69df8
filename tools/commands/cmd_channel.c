/* planwave channel: the radio channel from a transmitter to a receiver or to any point, as files and as a table of
 * metrics; of several transmitters, receivers and points all pairs in one file. */
#include "commands/channel_request.h"
#include "program/map_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char HELP[] =
    "usage: planwave channel RESULT.h5 [--tx NAME]... [--rx NAME | --at X,Y[,Z]]... [OPTIONS]...\n"
    "\n"
    "Writes the channel between a transmitter and a receiver into a folder: impulse response, delay\n"
    "profile, transfer function, angles (CSV, pictures, Touchstone), and prints delay spread and other\n"
    "metrics. For several pairs it writes one HDF5 file and a CSV table of the metrics.\n"
    "\n"
    "      --tx NAME           transmitter, or all; may be repeated. Default: the first for one pair,\n"
    "                          all for several\n"
    "      --rx NAME           receiver, or all; may be repeated. Default: the first\n"
    "      --at X,Y[,Z]        a point of the plan instead [m]\n"
    "+                         Its field is interpolated between the stored cells. If these stand more\n"
    "+                         than a quarter of a wavelength apart, the nearest one is used\n"
    "      --grid BOX,STEP     all points of a grid: x0,y0,x1,y1,step [m]\n"
    "      --at-file FILE      points of a CSV file\n"
    "+                         with lines x,y or x,y,name or x,y,z,name [m]; under a heading also x,y,z\n"
    "  -o, --output NAME       a folder, a picture (.png, .svg, .pdf), a file of pairs (.h5), or of two\n"
    "                          arrays a Touchstone file (.sNp, N antennas in all)\n"
    "+                         Default: RESULT-channel for one pair, RESULT-channels.h5 for several. A\n"
    "+                         folder for several pairs gets channels.h5, channels.csv and, for up to 16\n"
    "+                         pairs, one folder each\n"
    "      --subcarriers WHAT  H at these frequencies, e.g. 64x312.5kHz, wifi-20, nr-100MHz-30kHz\n"
    "+                         Names: wifi-20, -40, -80, -160 (802.11n, ac); wifi6-20 to wifi6-160 (ax);\n"
    "+                         wifi7-320 (be); nr-WIDTHMHz-SPACINGkHz (5G). @FREQUENCY behind it: their\n"
    "+                         middle, as in wifi-20@5.18GHz; default: that of the band. Exact sums for\n"
    "+                         receivers with record: steps; else interpolated, and the error is said.\n"
    "+                         -o FILE.npy or FILE.csv: H alone\n"
    "      --profiles          .h5: the power-delay profile of every pair as well\n"
    "  -f, --force             replace existing files\n" SHEET_HELP
    "+     --component E       three dimensions: field component ex, ey or ez. Default: along the\n"
    "+                         polarisation of the receiver; for a point, the component of the plane; in\n"
    "+                         .h5, all stored components, as separate antennas\n"
    "+     --batch             .h5: add a leading batch axis of length one, as Sionna's PHY expects.\n"
    "+                         Default: the shapes of Sionna RT's Paths.cir(): a (rx, rx antenna, tx, tx\n"
    "+                         antenna, path, 1), tau (rx, tx, path); of arrays tau has the axes of a.\n"
    "+                         In three dimensions the antennas of a receiver without an array are the\n"
    "+                         stored components\n" CHANNEL_HELP "  -q, --quiet             print no table\n"
    "  -h, --help              print this text\n"
    "\n"
    "examples:\n"
    "  planwave channel flat.h5 --rx north -o north\n"
    "  planwave channel flat.h5 --at 3.2,4.5 -o desk\n"
    "  planwave channel office.h5 --rx all -o office-channels.h5\n"
    "+ planwave channel flat3d.h5 --at 3.2,4.5,1.5 --component ex -o across\n"
    "+ planwave channel office.h5 --rx all --subcarriers wifi6-20 -o office.npy\n"
    "+ planwave channel office.h5 --tx west --tx east --grid 2,2,34,18,0.5 -o grid.h5\n"
    "+\n"
    "+Files and tables state the cell that was used for a point. The HDF5 file of several pairs holds a,\n"
    "+tau, the transfer functions H (rx, rx antenna, tx, tx antenna, frequency), names and positions. The\n"
    "+name of a station stands for all its antennas; one of them is NAME.1, NAME.2, ...\n";

static void print_metric(FILE *report, const char *name, double value, const char *format, double scale)
{
    fprintf(report, "  %-29s ", name);
    if (isnan(value)) {
        fprintf(report, "not defined\n");
    } else {
        double shown = value * scale;
        fprintf(report, format, fabs(shown) < 0.005 ? 0.0 : shown); /* two digits: no -0.00 */
        fputc('\n', report);
    }
}

/* Below the resolution alike everywhere: "< 9.7 ns". */
static void print_delay(FILE *report, const char *name, double delay, const pw_metrics *metrics)
{
    char text[PW_NUMBER_SIZE];
    fprintf(report, "  %-29s %s\n", name, pw_delay_text(delay, metrics->delay_resolution, text));
}

/* Of no field, as in metal, nothing is over half the band. */
static void print_coherence(FILE *report, const char *name, double bandwidth, const pw_metrics *metrics)
{
    char text[PW_NUMBER_SIZE];
    pw_coherence_text(bandwidth, isnan(metrics->path_gain_db) ? 0 : metrics->delay_resolution, text);
    fprintf(report, "  %-29s %s%s\n", name, text, text[0] == '>' ? ", half the band" : "");
}

static void print_metrics(FILE *report, const pw_metrics *metrics)
{
    if (!isnan(metrics->height)) {
        fprintf(report, "  %-29s (%.3f, %.3f, %.3f) m\n", "the field is that of", metrics->x, metrics->y,
                metrics->height);
    }
    print_metric(report, "distance", metrics->distance, "%.2f m", 1.0);
    print_metric(report, "path loss (isotropic)", metrics->path_loss_db, "%.2f dB", 1.0);
    print_metric(report, "path gain Pr - Pt (isotropic)", -metrics->path_loss_db, "%.2f dB", 1.0);
    print_metric(report, "gain over free space at 1 m", metrics->path_gain_db, "%.2f dB", 1.0);
    if (isinf(metrics->cross_polar_db)) {
        fprintf(report, "  %-29s nothing across it\n", "cross-polar ratio");
    } else if (!isnan(metrics->cross_polar_db)) {
        print_metric(report, "cross-polar ratio", metrics->cross_polar_db, "%.2f dB", 1.0);
    }
    print_metric(report, "received power", metrics->received_power_dbm, "%.2f dBm", 1.0);
    print_delay(report, "mean excess delay", metrics->mean_excess_delay, metrics);
    print_delay(report, "rms delay spread", metrics->rms_delay_spread, metrics);
    print_delay(report, "maximum excess delay", metrics->maximum_excess_delay, metrics);
    const double least =
        fmin(fmin(metrics->mean_excess_delay, metrics->rms_delay_spread), metrics->maximum_excess_delay);
    char wider[PW_WIDER_SIZE];
    if (least < metrics->delay_resolution) {
        fprintf(report, "  %-29s < is the resolution: %s\n", "", pw_wider_text(metrics->delay_resolution, wider));
    }
    print_metric(report, "Rician K", metrics->rician_k_db, "%.2f dB", 1.0);
    print_coherence(report, "coherence bandwidth at 0.5", metrics->coherence_bandwidth_50, metrics);
    print_coherence(report, "coherence bandwidth at 0.9", metrics->coherence_bandwidth_90, metrics);
}

/* ---- writing ---- */

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static pw_status write_channel(const pw_result *result, const struct channel_request *request, FILE *report,
                               pw_error *error)
{
    const pw_place *place = request->place_count > 0 ? request->places : NULL;
    const char *transmitter = request->transmitter_count > 0 ? request->transmitters[0] : NULL;
    const double at[2] = {place != NULL ? place->x : 0.0, place != NULL ? place->y : 0.0};
    pw_metrics metrics;
    PW_TRY(pw_channel_write(result, transmitter, place != NULL ? place->receiver : NULL,
                            place != NULL && place->receiver == NULL ? at : NULL, &request->options, request->output,
                            &metrics, error));
    char note[PW_NOTE_SIZE];
    if (metrics.delay_cause != PW_DELAY_SOUND && pw_metrics_note(&metrics, note, sizeof note) > 0) {
        complain("warning: %s", note);
    }
    if (report != NULL) {
        struct stat made;
        bool folder = stat(request->output, &made) == 0 && S_ISDIR(made.st_mode);
        print_metrics(report, &metrics);
        fprintf(report, "wrote %s%s\n", request->output, folder ? "/" : "");
    }
    return PW_OK;
}

/* All receivers of the result behind those that were named. */
static pw_status add_all_receivers(const pw_result *result, struct channel_request *request, pw_error *error)
{
    pw_transmitter from;
    PW_TRY(pw_result_transmitter(result, 0, &from, error));
    for (int r = 0; r < from.receiver_count; r++) {
        pw_receiver receiver;
        PW_TRY(pw_result_receiver(result, 0, r, &receiver, error));
        PW_TRY(channel_add_place(request, (pw_place){.receiver = receiver.name}));
    }
    return PW_OK;
}

/* A folder for every pair: transmitter-receiver, or transmitter-1, -2 for points. */
static pw_status write_folders(const pw_result *result, const struct channel_request *request,
                               const pw_pairs_options *options, const pw_pairs_shape *shape, pw_error *error)
{
    pw_status status = PW_OK;
    for (int t = 0; status == PW_OK && t < shape->transmitter_count; t++) {
        pw_transmitter from;
        const char *name = options->transmitter_count > 0 ? options->transmitters[t] : NULL;
        if (name == NULL) {
            status = pw_result_transmitter(result, t, &from, error);
            name = status == PW_OK ? from.name : "";
        }
        for (int p = 0; status == PW_OK && p < shape->receiver_count; p++) {
            const pw_place *place = &options->places[p];
            char folder[PATH_SIZE], point[32];
            snprintf(point, sizeof point, "point%d", p + 1);
            const char *to = place->receiver != NULL ? place->receiver : place->name != NULL ? place->name : point;
            if (snprintf(folder, sizeof folder, "%s/%s-%s", request->output, name, to) >= PATH_SIZE) {
                complain("the folder's name '%.60s...' is too long", request->output);
                return PW_USAGE;
            }
            pw_channel_options own = request->options;
            own.height = place->has_height ? place->height : (double)NAN;
            status = pw_channel_write(result, name, place->receiver,
                                      place->receiver == NULL ? (const double[]){place->x, place->y} : NULL, &own,
                                      folder, NULL, error);
        }
    }
    return status;
}

static pw_pairs_options pairs_options(const struct channel_request *request)
{
    pw_pairs_options options = pw_pairs_options_default();
    options.transmitters = request->transmitters;
    options.transmitter_count = request->all_transmitters ? 0 : request->transmitter_count;
    options.places = request->places;
    options.place_count = request->place_count;
    options.channel = request->options;
    options.batch = request->batch;
    options.profiles = request->profiles;
    return options;
}

/* Fills the frequencies that are asked for. */
static pw_status find_frequencies(struct channel_request *request, double centre, pw_error *error)
{
    int count;
    if (request->subcarriers == NULL) {
        return PW_OK;
    }
    PW_TRY(pw_subcarriers(request->subcarriers, centre, NULL, &count, error));
    request->frequencies = calloc((size_t)count, sizeof *request->frequencies);
    if (request->frequencies == NULL) {
        return channel_no_memory();
    }
    return pw_subcarriers(request->subcarriers, centre, request->frequencies, &request->frequency_count, error);
}

/* The pairs that are asked for, and their shape. */
static pw_status describe_pairs(const pw_result *result, struct channel_request *request, pw_pairs_options *options,
                                pw_pairs_shape *shape, pw_error *error)
{
    pw_status status =
        request->all_receivers || request->place_count == 0 ? add_all_receivers(result, request, error) : PW_OK;
    *options = pairs_options(request);
    PW_THEN(status, pw_pairs_describe(result, options, shape, error));
    PW_THEN(status, find_frequencies(request, shape->centre, error));
    options->frequencies = request->frequencies;
    options->frequency_count = request->frequency_count;
    PW_TRY(status);
    shape->frequency_count = request->frequency_count > 0 ? request->frequency_count : shape->frequency_count;
    if (shape->note[0] != '\0') {
        complain("warning: %s", shape->note);
    }
    return PW_OK;
}

/* H of all pairs alone. */
static pw_status write_response(const pw_result *result, struct channel_request *request, FILE *report, pw_error *error)
{
    pw_pairs_options options;
    pw_pairs_shape shape;
    PW_TRY(describe_pairs(result, request, &options, &shape, error));
    PW_TRY(pw_pairs_write_response(result, &options, request->output, error));
    if (report != NULL) {
        fprintf(report, "wrote %s: H of %d receivers, %d transmitters and %d frequencies\n", request->output,
                shape.receiver_count, shape.transmitter_count, shape.frequency_count);
    }
    return PW_OK;
}

static pw_status write_pairs(const pw_result *result, struct channel_request *request, FILE *report, pw_error *error)
{
    pw_pairs_options options;
    pw_pairs_shape shape;
    char path[PATH_SIZE], csv[PATH_SIZE];
    bool single = ends_in(request->output, ".h5");
    int stem = (int)strlen(request->output) - (single ? 3 : 0);
    const char *in_folder = single ? "" : "/channels";
    if (snprintf(path, sizeof path, "%.*s%s.h5", stem, request->output, in_folder) >= PATH_SIZE ||
        snprintf(csv, sizeof csv, "%.*s%s.csv", stem, request->output, in_folder) >= PATH_SIZE) {
        complain("the name '%.60s...' is too long", request->output);
        return PW_USAGE;
    }
    pw_status status = check_output(csv, request->force);
    PW_THEN(status, describe_pairs(result, request, &options, &shape, error));
    int made = 0;
    if (status == PW_OK && !single) {
        status = pw_folder_make(request->output, &made, error);
    }
    if (status == PW_OK && !single && (int64_t)shape.receiver_count * shape.transmitter_count <= FOLDER_LIMIT) {
        status = write_folders(result, request, &options, &shape, error);
    }
    PW_THEN(status, pw_pairs_write(result, &options, path, csv, report, error));
    pw_folder_unmake(request->output, status == PW_OK ? 0 : made);
    if (status == PW_OK && report != NULL) {
        fprintf(report,
                "wrote %s: a and tau of %d receivers, %d transmitters and %d taps, H of %d frequencies; and %s\n", path,
                shape.receiver_count, shape.transmitter_count, shape.tap_count, shape.frequency_count, csv);
    }
    return status;
}

/* "NAME.s8p", of any number. */
static bool names_multiport(const char *name)
{
    const char *dot = name != NULL ? strrchr(name, '.') : NULL;
    int count, used = 0;
    return dot != NULL && sscanf(dot, ".s%dp%n", &count, &used) == 1 && used > 0 && dot[used] == '\0';
}

static pw_status write_request(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    struct channel_request *request = user;
    if (names_multiport(request->output)) {
        pw_pairs_options options = pairs_options(request);
        PW_TRY(pw_pairs_write_touchstone(result, &options, request->output, error));
        tell_written(report, request->output);
        return PW_OK;
    }
    const bool alone = ends_in(request->output, ".npy") || ends_in(request->output, ".csv");
    return !request->many ? write_channel(result, request, report, error)
           : alone        ? write_response(result, request, report, error)
                          : write_pairs(result, request, report, error);
}

/* The tables of one channel in a folder, none of which may be what is read. */
static pw_status check_folder(const struct channel_request *request)
{
    char path[PATH_SIZE + 64];
    for (size_t n = 0; n < pw_export_count(); n++) {
        snprintf(path, sizeof path, "%s/%s", request->output, pw_export_describe(n).file);
        PW_TRY(file_will_be_written(path));
    }
    return PW_OK;
}

static pw_status channel_do(struct channel_request *request, const struct option_line *line)
{
    bool picture = request->output != NULL && (ends_in(request->output, ".png") || ends_in(request->output, ".svg") ||
                                               ends_in(request->output, ".pdf"));
    request->many = request->many || request->all_receivers || request->all_transmitters ||
                    request->transmitter_count > 1 || request->place_count > 1 || request->subcarriers != NULL ||
                    request->profiles ||
                    (request->output != NULL && (ends_in(request->output, ".h5") || ends_in(request->output, ".npy") ||
                                                 ends_in(request->output, ".csv") || names_multiport(request->output)));
    if (request->many && picture) {
        return complain_usage(&channel_command, "-o '%s': a picture shows one channel, and several are asked for",
                              request->output);
    }
    for (int p = 0; p < request->place_count; p++) {
        const pw_place *place = &request->places[p];
        if (place->has_height && (request->sheet.cut > 0 || !isnan(request->sheet.height))) {
            return complain_usage(&channel_command,
                                  "--at %g,%g,%g has a height: --height and --cut are for points without", place->x,
                                  place->y, place->height);
        }
        request->options.height = place->has_height && !request->many ? place->height : (double)NAN;
    }
    request->options.component = request->sheet.component;
    request->sheet.component = PW_COMPONENT_OWN; /* the plane is that of its Ez, or of what was kept */
    request->output = output_name(request->output, line->operands[0], request->many ? "-channels.h5" : "-channel",
                                  request->derived, sizeof request->derived);
    if (!request->many && !picture) {
        pw_status status = check_folder(request);
        PW_TRY(status);
    }
    return result_work(&(struct result_task){.result = line->operands[0],
                                             .output = request->output,
                                             .force = request->force,
                                             .verbosity = line->verbosity,
                                             .sheet = &request->sheet,
                                             .work = write_request,
                                             .request = request});
}

static pw_status channel_main(int argc, char **argv)
{
    PW_OWNED_BY(channel_request_free)
    struct channel_request request = {.sheet = pw_sheet_choice_default(), .options = pw_channel_options_default()};
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "tx", .kind = OPTION_TAKEN, .value = &request, .take = channel_take_transmitter},
        {.name = "rx", .kind = OPTION_TAKEN, .value = &request, .take = channel_take_receiver},
        {.name = "at", .kind = OPTION_TAKEN, .value = &request, .take = channel_take_point},
        {.name = "at-file", .kind = OPTION_TAKEN, .value = &request, .take = channel_take_file},
        {.name = "grid", .kind = OPTION_TAKEN, .value = &request, .take = channel_take_grid},
        SHEET_OPTIONS(&request.sheet),
        {.name = "batch", .kind = OPTION_FLAG, .value = &request.batch},
        {.name = "profiles", .kind = OPTION_FLAG, .value = &request.profiles},
        {.name = "subcarriers", .kind = OPTION_TEXT, .value = &request.subcarriers, .once = true},
        CHANNEL_OPTIONS(&request.options)};
    struct option_line line = OPTION_LINE(&channel_command, entries, 1, 1, "RESULT.h5");
    PW_TRY(option_read(&line));
    if (!line.help) {
        PW_TRY(channel_do(&request, &line));
    }
    return PW_OK;
}

static void list_files(FILE *out)
{
    fputs("\nfiles:\n", out);
    for (size_t n = 0; n < pw_export_count(); n++) {
        pw_export_info info = pw_export_describe(n);
        fprintf(out, "  %-26s%s\n", info.file, info.description);
    }
}

const struct command channel_command = {
    .name = "channel",
    .summary = "the channel at one place or at many: impulse response, delay profile, metrics",
    .help = HELP,
    .run = channel_main,
    .list = list_files};
