/* planwave coverage: which part of the floor is over which threshold, as a table. */
#include "map_options.h"

#include <math.h>
#include <string.h>

enum { OPTION_QUANTITY = 256, OPTION_TX, OPTION_AREA };
enum { THRESHOLD_LIMIT = 64, AREA_LIMIT = 64 };

struct coverage_request {
    const char *result, *output;
    bool force;
    const char *texts[THRESHOLD_LIMIT]; /* of the thresholds; their unit is known when all options are */
    double thresholds[THRESHOLD_LIMIT];
    pw_area areas[AREA_LIMIT];
    pw_coverage_options options;
};

static const char HELP[] =
    "usage: planwave coverage RESULT.h5 [OPTIONS]...\n\n"
    "Prints which part of the floor is at or over each threshold: for every transmitter, and for the best of them.\n\n"
    "      --threshold LEVEL   e.g. -67dBm (received power), 20dB (snr, sinr, path-gain); several: -60,-67,-75 or\n"
    "                          one option each; default: customary ones\n"
    "      --quantity WHAT     received-power (default), snr, sinr, path-gain\n"
    "      --tx NAME           this transmitter only; in sinr the others interfere\n"
    "      --area NAME=X0,Y0,X1,Y1  count this rectangle [m] too, a room for instance; may be repeated\n"
    "  -o, --output FILE.csv   write the table as CSV as well\n"
    "  -f, --force             replace an existing file\n" MEAN_HELP RECEIVER_HELP
    "      --spreading MODE    from two dimensions to three: delay (default), distance, none\n"
    "  -q, --quiet             no table        -v, --verbose        -h, --help\n\n"
    "Shares are of the cells inside the plan, walls included. Definitions: planwave help metrics.\n\n"
    "examples:\n"
    "  planwave coverage flat.h5 --threshold -67dBm --local-mean\n"
    "  planwave coverage office.h5 --quantity sinr --threshold 5,10,20 --area lab=2,2,8,7 -o sinr.csv\n";

static const struct option OPTIONS[] = {{"output", required_argument, NULL, 'o'},
                                        {"force", no_argument, NULL, 'f'},
                                        {"threshold", required_argument, NULL, 't'},
                                        {"quantity", required_argument, NULL, OPTION_QUANTITY},
                                        {"tx", required_argument, NULL, OPTION_TX},
                                        {"area", required_argument, NULL, OPTION_AREA},
                                        {"spreading", required_argument, NULL, OPTION_SPREADING},
                                        MEAN_OPTIONS,
                                        RECEIVER_OPTIONS,
                                        COMMON_OPTIONS};

static pw_status execute(struct coverage_request *request, int verbosity)
{
    pw_error error = {{0}};
    pw_result *result = NULL;
    pw_status status = pw_result_open(request->result, &result, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    status = request->output != NULL ? check_output(request->output, request->result, request->force) : PW_OK;
    if (status == PW_OK) {
        status = pw_coverage_write(result, &request->options, request->output, verbosity < 0 ? NULL : stdout, &error);
        if (status != PW_OK) {
            complain_error(status, &error);
        } else if (request->output != NULL && verbosity >= 0) {
            printf("wrote %s\n", request->output);
        }
    }
    pw_result_close(result);
    return status;
}

/* Cuts "-60,-67" at the commas; the texts are argv's. */
static pw_status keep_thresholds(const struct option_reader *reader, struct coverage_request *request)
{
    for (char *text = strtok(optarg, ","); text != NULL; text = strtok(NULL, ",")) {
        if (request->options.threshold_count == THRESHOLD_LIMIT) {
            return complain_usage(reader->command, "too many thresholds; allowed are %d", THRESHOLD_LIMIT);
        }
        request->texts[request->options.threshold_count++] = text;
    }
    return PW_OK;
}

static pw_status keep_area(const struct option_reader *reader, struct coverage_request *request)
{
    int index = request->options.area_count, used = 0;
    char *equals = strchr(optarg, '=');
    pw_area area = {NULL, 0.0, 0.0, 0.0, 0.0};
    if (index == AREA_LIMIT) {
        return complain_usage(reader->command, "too many areas; allowed are %d", AREA_LIMIT);
    }
    if (equals == NULL || equals == optarg ||
        sscanf(equals + 1, "%lf ,%lf ,%lf ,%lf %n", &area.x0, &area.y0, &area.x1, &area.y1, &used) != 4 ||
        equals[1 + used] != '\0' || !isfinite(area.x0 + area.y0 + area.x1 + area.y1)) {
        return complain_usage(reader->command, "--area '%s': give a name and two corners, such as lab=2,2,8,7", optarg);
    }
    *equals = '\0'; /* the name is argv's */
    area.name = optarg;
    request->areas[index] = area;
    request->options.area_count = index + 1;
    return PW_OK;
}

static pw_status read_option(const struct option_reader *reader, int code, struct coverage_request *request)
{
    pw_map_options *map = &request->options.map;
    int index = 0;
    pw_status status = PW_OK;
    switch (code) {
    case 'o':
        request->output = optarg;
        break;
    case 'f':
        request->force = true;
        break;
    case 't':
        status = keep_thresholds(reader, request);
        break;
    case OPTION_QUANTITY:
        status = option_word(reader, "quantity", QUANTITY_NAMES, &index);
        map->quantity = (pw_quantity)index;
        break;
    case OPTION_TX:
        map->transmitter = optarg;
        break;
    case OPTION_AREA:
        status = keep_area(reader, request);
        break;
    default:
        status = option_map(reader, code, map);
        break;
    }
    return status;
}

static pw_status read_line(struct option_reader *reader, struct coverage_request *request)
{
    pw_coverage_options *options = &request->options;
    for (int code = option_next(reader); code != OPTION_END; code = option_next(reader)) {
        if (code == OPTION_STOP) {
            return reader->status;
        }
        pw_status status = read_option(reader, code, request);
        if (status != PW_OK) {
            return status;
        }
    }
    for (int n = 0; n < options->threshold_count; n++) {
        pw_status status = read_level(reader, "threshold", request->texts[n], pw_quantity_unit(options->map.quantity),
                                      &request->thresholds[n]);
        if (status != PW_OK) {
            return status;
        }
    }
    request->result = reader->argv[optind];
    return option_operands(reader, 1, 1, "RESULT.h5");
}

static pw_status coverage_main(int argc, char **argv)
{
    struct option_reader reader = {
        .command = &coverage_command, .argc = argc, .argv = argv, .short_options = "o:ft:", .long_options = OPTIONS};
    struct coverage_request request = {.options = {.map = pw_map_options_default()}};
    request.options.map.quantity = PW_RECEIVED_POWER;
    request.options.thresholds = request.thresholds;
    request.options.areas = request.areas;
    pw_status status = read_line(&reader, &request);
    return status == PW_OK && request.result != NULL ? execute(&request, reader.verbosity) : status;
}

const struct command coverage_command = {"coverage", "which part of the floor is over which threshold", HELP,
                                         coverage_main};
