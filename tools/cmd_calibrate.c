/* planwave calibrate: a result against measured powers. */
#include "map_options.h"

#include <string.h>

enum { OPTION_MEASURED = 256, OPTION_TX, OPTION_HOLD_OUT, OPTION_MATERIALS, OPTION_BACKEND, OPTION_CELLS };

struct calibrate_request {
    const char *result, *measured, *output;
    bool force;
    pw_map_options map; /* what option_map() reads: gain, mean, spreading */
    pw_calibration_options options;
};

static const char HELP[] =
    "usage: planwave calibrate RESULT.h5 --measured POINTS.csv [OPTIONS]...\n\n"
    "Compares a result with measured received powers: bias, RMSE, correlation; fits one global offset, and on request\n"
    "the materials, and says how well that serves points that were held out.\n\n"
    "      --measured FILE     lines x,y,dBm[,frequency]: metres, dBm, Hz or e.g. 2.45 GHz (without: whole band);\n"
    "                          # begins a comment, a first line of names is skipped\n"
    "      --tx NAME           the transmitter that was measured; default: the first\n"
    "      --hold-out N        hold points N, 2N, 3N, ... of the file out of the fit; default 4; 0: none\n"
    "      --mean WIDTH        average predictions over WIDTH by WIDTH; default: a wavelength\n"
    "      --gain DBI          of the receiver, default 0 dBi\n"
    "      --materials A,B     scale permittivity and conductivity of these materials too, by re-runs of the scenario\n"
    "                          (1 + 2 runs a material and up to 3 more, twice), e.g. brick,concrete\n"
    "      --cells FACTOR      of the re-runs: cells FACTOR times as large, for speed; default 1\n"
    "      --backend NAME      of the re-runs: auto (default), cuda, cpu, reference\n"
    "  -o, --output FILE.csv   write measured, predicted and calibrated power point by point\n"
    "  -f, --force             replace an existing file\n"
    "      --spreading MODE    from two dimensions to three: delay (default), distance, none\n"
    "  -q, --quiet             no summary        -v, --verbose        -h, --help\n\n"
    "A fit wants five points for each parameter (the offset is one, a material two) that are not held out; with fewer "
    "it\n"
    "is refused, as are materials that the points do not feel or do not tell apart.\n\n"
    "example:\n"
    "  planwave calibrate flat.h5 --measured walk.csv -o residuals.csv\n";

static const struct option OPTIONS[] = {{"output", required_argument, NULL, 'o'},
                                        {"force", no_argument, NULL, 'f'},
                                        {"measured", required_argument, NULL, OPTION_MEASURED},
                                        {"tx", required_argument, NULL, OPTION_TX},
                                        {"hold-out", required_argument, NULL, OPTION_HOLD_OUT},
                                        {"mean", required_argument, NULL, OPTION_MEAN},
                                        {"gain", required_argument, NULL, OPTION_GAIN},
                                        {"materials", required_argument, NULL, OPTION_MATERIALS},
                                        {"cells", required_argument, NULL, OPTION_CELLS},
                                        {"backend", required_argument, NULL, OPTION_BACKEND},
                                        {"spreading", required_argument, NULL, OPTION_SPREADING},
                                        COMMON_OPTIONS};

static pw_status execute(struct calibrate_request *request, int verbosity)
{
    pw_error error = {{0}};
    pw_result *result = NULL;
    pw_status status = pw_result_open(request->result, &result, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    status = request->output != NULL ? check_output(request->output, request->measured, request->force) : PW_OK;
    if (status == PW_OK && request->output != NULL) {
        status = check_output(request->output, request->result, request->force);
    }
    if (status == PW_OK) {
        status = pw_calibrate(result, request->measured, &request->options, request->output,
                              verbosity < 0 ? NULL : stdout, NULL, &error);
        if (status != PW_OK) {
            complain_error(status, &error);
        } else if (request->output != NULL && verbosity >= 0) {
            printf("wrote %s\n", request->output);
        }
    }
    pw_result_close(result);
    return status;
}

/* Cuts "brick,concrete" at the commas; the texts are argv's. */
static pw_status keep_materials(const struct option_reader *reader, pw_calibration_options *options)
{
    for (char *name = strtok(optarg, ","); name != NULL; name = strtok(NULL, ",")) {
        if (options->material_count == PW_CALIBRATED_MATERIALS) {
            return complain_usage(reader->command, "too many materials; allowed are %d", PW_CALIBRATED_MATERIALS);
        }
        options->materials[options->material_count++] = name;
    }
    return PW_OK;
}

static pw_status read_option(const struct option_reader *reader, int code, struct calibrate_request *request)
{
    pw_calibration_options *options = &request->options;
    long long whole = 0;
    pw_status status = PW_OK;
    switch (code) {
    case 'o':
        request->output = optarg;
        break;
    case 'f':
        request->force = true;
        break;
    case OPTION_MEASURED:
        request->measured = optarg;
        break;
    case OPTION_TX:
        options->transmitter = optarg;
        break;
    case OPTION_HOLD_OUT:
        status = option_integer(reader, "hold-out", 0, 1000000, &whole);
        options->hold_out = (int)whole;
        break;
    case OPTION_MATERIALS:
        status = keep_materials(reader, options);
        break;
    case OPTION_CELLS:
        status = option_real(reader, "cells", 0.1, 10.0, &options->cell_factor);
        break;
    case OPTION_BACKEND:
        status = option_backend(reader, &options->backend);
        break;
    default:
        status = option_map(reader, code, &request->map);
        break;
    }
    return status;
}

static pw_status read_line(struct option_reader *reader, struct calibrate_request *request)
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
    pw_status status = option_operands(reader, 1, 1, "RESULT.h5");
    if (status == PW_OK && request->measured == NULL) {
        status = complain_usage(reader->command, "--measured POINTS.csv is missing");
    }
    request->result = reader->argv[optind];
    request->options.channel = request->map.channel;
    request->options.mean_width = request->map.mean_width;
    request->options.receiver_gain = request->map.receiver_gain;
    return status;
}

static pw_status calibrate_main(int argc, char **argv)
{
    struct option_reader reader = {
        .command = &calibrate_command, .argc = argc, .argv = argv, .short_options = "o:f", .long_options = OPTIONS};
    struct calibrate_request request = {.map = pw_map_options_default(), .options = pw_calibration_options_default()};
    pw_status status = read_line(&reader, &request);
    return status == PW_OK && request.result != NULL ? execute(&request, reader.verbosity) : status;
}

const struct command calibrate_command = {"calibrate", "a result against measured powers", HELP, calibrate_main};
