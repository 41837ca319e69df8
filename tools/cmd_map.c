/* planwave map: one quantity over the whole floor, as a picture and as numbers. */
#include "map_options.h"

#include <string.h>
#include <strings.h>

enum { OPTION_QUANTITY = 256, OPTION_TX, OPTION_COLOURS, OPTION_RANGE, OPTION_COVERAGE, OPTION_SIZE };
enum { PATH_SIZE = 4096, NAME_SIZE = 128 };

struct map_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *result, *output;
    const char *coverage; /* text of the coverage threshold; its unit is known when all options are */
    bool force;
    pw_map_options options;
};

static const char HELP[] =
    "usage: planwave map RESULT.h5 [OPTIONS]...\n\n"
    "Draws a map over the whole floor, walls on top, and writes the same numbers as .csv and .npy beside it.\n\n"
    "      --quantity WHAT     path-gain (default), received-power, snr, sinr, best-server; rms-delay-spread,\n"
    "                          mean-delay, maximum-delay, k-factor, coherence-50, coherence-90\n"
    "      --tx NAME           transmitter; default: the first, or all where the quantity sets them against each\n"
    "                          other (best-server, snr, sinr: the strongest serves, in sinr the others interfere)\n"
    "  -o, --output FILE       .png, .svg or .pdf; default: the result's name and the quantity, in this folder\n"
    "  -f, --force             replace existing files\n" MEAN_HELP RECEIVER_HELP
    "      --coverage LEVEL    say which part of the floor is over LEVEL, e.g. -67dBm, and draw its border\n"
    "      --range MIN,MAX     of the colours\n"
    "      --colours NAME      viridis (default) or turbo\n"
    "      --size PIXELS       of the map's longer side, default 1040\n" CHANNEL_HELP
    "  -q, --quiet             no summary        -v, --verbose        -h, --help\n\n"
    "examples:\n"
    "  planwave map flat.h5 --quantity received-power --local-mean --coverage -67dBm -o coverage.png\n"
    "  planwave map flat.h5 --quantity rms-delay-spread -o spread.pdf\n";

static const struct option OPTIONS[] = {{"output", required_argument, NULL, 'o'},
                                        {"force", no_argument, NULL, 'f'},
                                        {"quantity", required_argument, NULL, OPTION_QUANTITY},
                                        {"tx", required_argument, NULL, OPTION_TX},
                                        {"coverage", required_argument, NULL, OPTION_COVERAGE},
                                        {"range", required_argument, NULL, OPTION_RANGE},
                                        {"colours", required_argument, NULL, OPTION_COLOURS},
                                        {"size", required_argument, NULL, OPTION_SIZE},
                                        MEAN_OPTIONS,
                                        RECEIVER_OPTIONS,
                                        CHANNEL_OPTIONS,
                                        COMMON_OPTIONS};

static pw_status execute(struct map_request *request, int verbosity)
{
    char suffix[NAME_SIZE];
    pw_error error = {{0}};
    pw_result *result = NULL;
    if (request->output == NULL) {
        snprintf(suffix, sizeof suffix, "-%s.png", QUANTITY_NAMES[request->options.quantity]);
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
    long long pixels = 0;
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
        status = option_word(reader, "quantity", QUANTITY_NAMES, &index);
        options->quantity = (pw_quantity)index;
        break;
    case OPTION_TX:
        options->transmitter = optarg;
        break;
    case OPTION_COLOURS:
        status = option_word(reader, "colours", COLOURS, &index);
        options->turbo = index == 1;
        break;
    case OPTION_RANGE:
        status = read_range(reader, options);
        break;
    case OPTION_COVERAGE:
        request->coverage = optarg;
        break;
    case OPTION_SIZE:
        status = option_integer(reader, "size", 100, 12000, &pixels);
        options->size = (int)pixels;
        break;
    case OPTION_THRESHOLD: /* in dBm it can only be one of coverage */
        if (strlen(optarg) > 3 && strcasecmp(optarg + strlen(optarg) - 3, "dBm") == 0) {
            request->coverage = optarg;
            break;
        }
        status = option_map(reader, code, options);
        break;
    default:
        status = option_map(reader, code, options);
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
    if (request->coverage != NULL) {
        pw_status status = read_level(reader, "coverage", request->coverage,
                                      pw_quantity_unit(request->options.quantity), &request->options.threshold);
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
