/* planwave map: one quantity over the whole floor, as a picture and as numbers. */
#include "tool.h"

enum { OPTION_QUANTITY = 256, OPTION_TX, OPTION_LOCAL_MEAN, OPTION_COLOURS, OPTION_RANGE, OPTION_COVERAGE };
enum { PATH_SIZE = 4096, NAME_SIZE = 128 };

static const char *const QUANTITIES[] = {
    "path-gain", "received-power", "rms-delay-spread", "mean-delay", "k-factor", "best-server", NULL};

struct map_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *result, *output;
    bool force;
    pw_map_options options;
};

static const char HELP[] =
    "usage: planwave map RESULT.h5 [OPTIONS]...\n\n"
    "Draws a map over the whole floor, walls on top, and writes the same numbers as .csv and .npy beside it.\n\n"
    "      --quantity WHAT     path-gain (default), received-power, rms-delay-spread, mean-delay, k-factor, "
    "best-server\n"
    "      --tx NAME           transmitter; default: the first, or all where the quantity needs all\n"
    "  -o, --output FILE.png   default: the result's name and the quantity, in this folder\n"
    "  -f, --force             replace existing files\n"
    "      --local-mean        average the power over a wavelength by a wavelength, as a moving receiver does\n"
    "      --coverage VALUE    also say which part of the floor is above VALUE, in the unit of the map\n"
    "      --range MIN,MAX     of the colours\n"
    "      --colours NAME      viridis (default) or turbo\n" CHANNEL_HELP
    "  -q, --quiet             no summary        -v, --verbose        -h, --help\n\n"
    "examples:\n"
    "  planwave map flat.h5 --quantity received-power --local-mean --coverage -67 -o coverage.png\n"
    "  planwave map flat.h5 --quantity rms-delay-spread -o spread.png\n";

static const struct option OPTIONS[] = {{"output", required_argument, NULL, 'o'},
                                        {"force", no_argument, NULL, 'f'},
                                        {"quantity", required_argument, NULL, OPTION_QUANTITY},
                                        {"tx", required_argument, NULL, OPTION_TX},
                                        {"local-mean", no_argument, NULL, OPTION_LOCAL_MEAN},
                                        {"coverage", required_argument, NULL, OPTION_COVERAGE},
                                        {"range", required_argument, NULL, OPTION_RANGE},
                                        {"colours", required_argument, NULL, OPTION_COLOURS},
                                        CHANNEL_OPTIONS,
                                        COMMON_OPTIONS};

static pw_status execute(struct map_request *request, int verbosity)
{
    char suffix[NAME_SIZE];
    pw_error error = {{0}};
    pw_result *result = NULL;
    if (request->output == NULL) {
        snprintf(suffix, sizeof suffix, "-%s.png", QUANTITIES[request->options.quantity]);
        derive_name(request->result, suffix, request->derived, sizeof request->derived);
        request->output = request->derived;
    }
    pw_status status = pw_result_open(request->result, &result, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    status = check_picture(request->output, request->result, request->force, true);
    if (status == PW_OK) {
        status = pw_map_write(result, &request->options, request->output, verbosity < 0 ? NULL : stdout, &error);
        if (status != PW_OK) {
            complain_error(status, &error);
        } else if (verbosity >= 0) {
            printf("wrote %s, and the numbers as .csv and .npy beside it\n", request->output);
        }
    }
    pw_result_close(result);
    return status;
}

static pw_status read_range(const struct option_reader *reader, pw_map_options *options)
{
    double range[2] = {0.0, 0.0};
    pw_status status = option_pair(reader, "range", range);
    if (status == PW_OK && range[0] >= range[1]) {
        return complain_usage(reader->command, "--range '%s': the first must be less than the second", optarg);
    }
    options->minimum = range[0];
    options->maximum = range[1];
    return status;
}

static pw_status read_option(const struct option_reader *reader, int code, struct map_request *request)
{
    static const char *const COLOURS[] = {"viridis", "turbo", NULL};
    pw_map_options *options = &request->options;
    int index = 0;
    pw_status status = PW_OK;
    switch (code) {
    case 'o':
        request->output = optarg;
        break;
    case 'f':
        request->force = true;
        break;
    case OPTION_QUANTITY:
        status = option_word(reader, "quantity", QUANTITIES, &index);
        options->quantity = (pw_quantity)index;
        break;
    case OPTION_TX:
        options->transmitter = optarg;
        break;
    case OPTION_LOCAL_MEAN:
        options->local_mean = true;
        break;
    case OPTION_COLOURS:
        status = option_word(reader, "colours", COLOURS, &index);
        options->turbo = index == 1;
        break;
    case OPTION_RANGE:
        status = read_range(reader, options);
        break;
    case OPTION_COVERAGE:
        status = option_real(reader, "coverage", -1e9, 1e9, &options->threshold);
        break;
    default:
        status = option_channel(reader, code, &options->channel);
        break;
    }
    return status;
}

static pw_status read_line(struct option_reader *reader, struct map_request *request)
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
    request->result = reader->argv[optind];
    return option_operands(reader, 1, 1, "RESULT.h5");
}

static pw_status map_main(int argc, char **argv)
{
    struct option_reader reader = {
        .command = &map_command, .argc = argc, .argv = argv, .short_options = "o:f", .long_options = OPTIONS};
    struct map_request request = {.options = pw_map_options_default()};
    pw_status status = read_line(&reader, &request);
    return status == PW_OK && request.result != NULL ? execute(&request, reader.verbosity) : status;
}

const struct command map_command = {"map", "a quantity over the whole floor", HELP, map_main};
