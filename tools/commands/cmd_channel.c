/* planwave channel: the radio channel from a transmitter to a receiver or to any point, as files and as a table of
 * metrics. */
#include "tools/tool.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };

struct channel_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *output, *transmitter, *receiver;
    double at[2]; /* m; NAN: not given */
    bool force;
    pw_channel_options options;
};

static const char HELP[] =
    "usage: planwave channel RESULT.h5 [--rx NAME | --at X,Y] [OPTIONS]...\n\n"
    "Writes the channel into a folder, as the files that are listed below, and prints its metrics.\n\n"
    "      --tx NAME           transmitter; default: the first\n"
    "      --rx NAME           receiver; default: the first\n"
    "      --at X,Y            instead of a receiver: any point with running spectra [m]\n"
    "  -o, --output DIR        default: the result's name with -channel, in this folder; a name that ends in .png,\n"
    "                          .svg or .pdf: the plot alone\n"
    "  -f, --force             write into a folder that is not empty\n" CHANNEL_HELP
    "  -q, --quiet             no table        -v, --verbose        -h, --help\n\n"
    "examples:\n"
    "  planwave channel flat.h5 --rx bedroom -o bedroom\n"
    "  planwave channel flat.h5 --at 3.2,4.5 -o desk\n";

static void print_metric(FILE *report, const char *name, double value, const char *format, double scale)
{
    fprintf(report, "  %-28s ", name);
    if (isnan(value)) {
        fprintf(report, "not defined\n");
    } else {
        fprintf(report, format, value * scale);
        fputc('\n', report);
    }
}

static void print_metrics(FILE *report, const pw_metrics *metrics)
{
    print_metric(report, "distance", metrics->distance, "%.2f m", 1.0);
    print_metric(report, "path gain", metrics->path_gain_db, "%.2f dB", 1.0);
    print_metric(report, "received power", metrics->received_power_dbm, "%.2f dBm", 1.0);
    print_metric(report, "mean excess delay", metrics->mean_excess_delay, "%.2f ns", 1e9);
    print_metric(report, "rms delay spread", metrics->rms_delay_spread, "%.2f ns", 1e9);
    print_metric(report, "maximum excess delay", metrics->maximum_excess_delay, "%.2f ns", 1e9);
    if (metrics->rms_delay_spread < metrics->delay_resolution) {
        fprintf(report, "  %-28s below the resolution of %.2g ns\n", "", metrics->delay_resolution * 1e9);
    }
    print_metric(report, "Rician K", metrics->rician_k_db, "%.2f dB", 1.0);
    print_metric(report, "coherence bandwidth at 0.5", metrics->coherence_bandwidth_50, "%.2f MHz", 1e-6);
    print_metric(report, "coherence bandwidth at 0.9", metrics->coherence_bandwidth_90, "%.2f MHz", 1e-6);
}

static pw_status write_channel(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    const struct channel_request *request = user;
    pw_metrics metrics;
    pw_status status =
        pw_channel_write(result, request->transmitter, request->receiver, isnan(request->at[0]) ? NULL : request->at,
                         &request->options, request->output, &metrics, error);
    char note[PW_NOTE_SIZE];
    if (status == PW_OK && metrics.delay_cause != PW_DELAY_SOUND && pw_metrics_note(&metrics, note, sizeof note) > 0) {
        complain("warning: %s", note);
    }
    if (status == PW_OK && report != NULL) {
        struct stat made;
        bool folder = stat(request->output, &made) == 0 && S_ISDIR(made.st_mode);
        print_metrics(report, &metrics);
        fprintf(report, "wrote %s%s\n", request->output, folder ? "/" : "");
    }
    return status;
}

static pw_status channel_main(int argc, char **argv)
{
    struct channel_request request = {.at = {NAN, NAN}, .options = pw_channel_options_default()};
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "tx", .kind = OPTION_TEXT, .value = &request.transmitter},
        {.name = "rx", .kind = OPTION_TEXT, .value = &request.receiver},
        {.name = "at", .kind = OPTION_TAKEN, .value = request.at, .take = option_take_pair},
        CHANNEL_OPTIONS(&request.options)};
    struct option_line line = OPTION_LINE(&channel_command, entries, 1, 1, "RESULT.h5");
    pw_status status = option_read(&line);
    if (status != PW_OK || line.help) {
        return status;
    }
    if (request.receiver != NULL && !isnan(request.at[0])) {
        return complain_usage(&channel_command, "give --rx or --at, not both");
    }
    request.output = output_name(request.output, line.operands[0], "-channel", request.derived, sizeof request.derived);
    return result_work(&(struct result_task){.result = line.operands[0],
                                             .output = request.output,
                                             .force = request.force,
                                             .verbosity = line.verbosity,
                                             .work = write_channel,
                                             .request = &request});
}

static void list_files(FILE *out)
{
    fputs("\nfiles:\n", out);
    for (size_t n = 0; n < pw_export_count(); n++) {
        pw_export_info info = pw_export_describe(n);
        fprintf(out, "  %-26s%s\n", info.file, info.description);
    }
}

const struct command channel_command = {.name = "channel",
                                        .summary = "impulse response, delay profile, metrics at a point",
                                        .help = HELP,
                                        .run = channel_main,
                                        .list = list_files};
