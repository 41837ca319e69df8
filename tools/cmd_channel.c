/* planwave channel: the radio channel from a transmitter to a receiver or to any point, as files and as a table of metrics. */
#include "tool.h"

#include <math.h>
#include <string.h>

enum { OPTION_TX = 256, OPTION_RX, OPTION_AT };
enum { PATH_SIZE = 4096 };

struct channel_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *result, *output, *transmitter, *receiver;
    double at[2]; /* m */
    bool has_at, force;
    pw_channel_options options;
};

static const char HELP[] =
    "usage: planwave channel RESULT.h5 [--rx NAME | --at X,Y] [OPTIONS]...\n\n"
    "Writes transfer function, impulse response, power-delay profile and metrics as CSV, a plot "
    "as PNG, Touchstone, and\n"
    "HDF5 in the (a, tau) layout, into a folder; prints the metrics.\n\n"
    "      --tx NAME           transmitter; default: the first\n"
    "      --rx NAME           receiver; default: the first\n"
    "      --at X,Y            any point of the running spectra instead [m]\n"
    "  -o, --output DIR        default: the result's name with -channel, in this folder; a name that ends in .png,\n"
    "                          .svg or .pdf: the plot alone\n"
    "  -f, --force             write into a folder that is not empty\n" CHANNEL_HELP
    "  -q, --quiet             no table        -v, --verbose        -h, --help\n\n"
    "examples:\n"
    "  planwave channel flat.h5 --rx bedroom -o bedroom\n"
    "  planwave channel flat.h5 --at 3.2,4.5 -o desk\n";

static const struct option OPTIONS[] = {{"output", required_argument, NULL, 'o'},
                                        {"force", no_argument, NULL, 'f'},
                                        {"tx", required_argument, NULL, OPTION_TX},
                                        {"rx", required_argument, NULL, OPTION_RX},
                                        {"at", required_argument, NULL, OPTION_AT},
                                        CHANNEL_OPTIONS,
                                        COMMON_OPTIONS};

static void print_metric(const char *name, double value, const char *format, double scale)
{
    printf("  %-28s ", name);
    if (isnan(value)) {
        printf("not defined\n");
    } else {
        printf(format, value * scale);
        putchar('\n');
    }
}

static void print_metrics(const pw_metrics *metrics)
{
    print_metric("distance", metrics->distance, "%.2f m", 1.0);
    print_metric("path gain", metrics->path_gain_db, "%.2f dB", 1.0);
    print_metric("received power", metrics->received_power_dbm, "%.2f dBm", 1.0);
    print_metric("mean excess delay", metrics->mean_excess_delay, "%.2f ns", 1e9);
    print_metric("rms delay spread", metrics->rms_delay_spread, "%.2f ns", 1e9);
    print_metric("maximum excess delay", metrics->maximum_excess_delay, "%.2f ns", 1e9);
    print_metric("Rician K", metrics->rician_k_db, "%.2f dB", 1.0);
    print_metric("coherence bandwidth at 0.5", metrics->coherence_bandwidth_50, "%.2f MHz", 1e-6);
    print_metric("coherence bandwidth at 0.9", metrics->coherence_bandwidth_90, "%.2f MHz", 1e-6);
}

static pw_status execute(struct channel_request *request, int verbosity)
{
    pw_error error = {{0}};
    pw_result *result = NULL;
    pw_metrics metrics;
    if (request->output == NULL) {
        derive_name(request->result, "-channel", request->derived, sizeof request->derived);
        request->output = request->derived;
    }
    pw_status status = pw_result_open(request->result, &result, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    status = check_output(request->output, request->result, request->force);
    if (status == PW_OK) {
        status = pw_channel_write(result, request->transmitter, request->receiver, request->has_at ? request->at : NULL,
                                  &request->options, request->output, &metrics, &error);
        if (status != PW_OK) {
            complain_error(status, &error);
        } else if (verbosity >= 0) {
            print_metrics(&metrics);
            printf("wrote %s/\n", request->output);
        }
    }
    pw_result_close(result);
    return status;
}

static pw_status read_option(const struct option_reader *reader, int code, struct channel_request *request)
{
    switch (code) {
    case 'o':
        request->output = optarg;
        return PW_OK;
    case 'f':
        request->force = true;
        return PW_OK;
    case OPTION_TX:
        request->transmitter = optarg;
        return PW_OK;
    case OPTION_RX:
        request->receiver = optarg;
        return PW_OK;
    case OPTION_AT:
        request->has_at = true;
        return option_pair(reader, "at", request->at);
    default:
        return option_channel(reader, code, &request->options);
    }
}

static pw_status read_line(struct option_reader *reader, struct channel_request *request)
{
    for (int code = option_next(reader); code != OPTION_END; code = option_next(reader)) {
        if (code == OPTION_STOP) {
            return reader->status;
        }
        pw_status status = read_option(reader, code, request);
        if (status != PW_OK) {
            return status;
        }
    }
    if (request->receiver != NULL && request->has_at) {
        return complain_usage(reader->command, "give --rx or --at, not both");
    }
    request->result = reader->argv[optind];
    return option_operands(reader, 1, 1, "RESULT.h5");
}

static pw_status channel_main(int argc, char **argv)
{
    struct option_reader reader = {
        .command = &channel_command, .argc = argc, .argv = argv, .short_options = "o:f", .long_options = OPTIONS};
    struct channel_request request = {.options = pw_channel_options_default()};
    pw_status status = read_line(&reader, &request);
    return status == PW_OK && request.result != NULL ? execute(&request, reader.verbosity) : status;
}

const struct command channel_command = {"channel", "impulse response, delay profile, metrics at a point", HELP,
                                        channel_main};
