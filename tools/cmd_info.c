/* planwave info: what is in a result, what this build and machine can do, what a material is worth at a frequency. */
#include "tool.h"

enum { OPTION_BACKENDS = 256, OPTION_MATERIALS, OPTION_FREQUENCY, OPTION_JSON };

struct info_request {
    bool backends, materials, json;
    double frequency; /* Hz */
};

static const char HELP[] =
    "usage: planwave info RESULT.h5 [--json]\n"
    "       planwave info --backends\n"
    "       planwave info --materials [--frequency F]\n\n"
    "      --backends        what this build and machine can run on, and why not\n"
    "      --materials       ITU-R P.2040-3: permittivity and conductivity of building materials\n"
    "      --frequency F     for --materials, with unit; default 2.4 GHz\n"
    "      --json            for scripts, with RESULT.h5\n"
    "  -h, --help\n\n"
    "examples:\n"
    "  planwave info flat.h5\n"
    "  planwave info --materials --frequency 5.8GHz\n";

static const struct option OPTIONS[] = {{"backends", no_argument, NULL, OPTION_BACKENDS},
                                        {"materials", no_argument, NULL, OPTION_MATERIALS},
                                        {"frequency", required_argument, NULL, OPTION_FREQUENCY},
                                        {"json", no_argument, NULL, OPTION_JSON},
                                        COMMON_OPTIONS};

static pw_status print_backends(void)
{
    for (size_t b = 0; b < pw_backend_count(); b++) {
        pw_backend_info info = pw_backend_describe(b);
        printf("%-10s %s\n%-10s %s%s\n", info.name, info.description, "",
               info.available ? "" : "not available: ", info.device);
    }
    return PW_OK;
}

static pw_status print_materials(double frequency)
{
    pw_error error = {{0}};
    pw_status status = pw_materials_print(frequency, stdout, &error);
    return status == PW_OK ? status : complain_error(status, &error);
}

static pw_status print_result(const char *path, bool json)
{
    pw_error error = {{0}};
    pw_result *result = NULL;
    pw_status status = pw_result_open(path, &result, &error);
    if (status == PW_OK) {
        status = pw_result_print(result, json, stdout, &error);
        pw_result_close(result);
    }
    return status == PW_OK ? status : complain_error(status, &error);
}

static pw_status read_frequency(const struct option_reader *reader, double *frequency)
{
    pw_error error = {{0}};
    if (pw_parse_frequency(optarg, frequency, &error) != PW_OK) {
        return complain_usage(reader->command, "--frequency: %s", error.message);
    }
    return PW_OK;
}

static pw_status read_options(struct option_reader *reader, struct info_request *request)
{
    for (int code = option_next(reader); code != OPTION_END; code = option_next(reader)) {
        pw_status status = PW_OK;
        switch (code) {
        case OPTION_STOP:
            return reader->status;
        case OPTION_BACKENDS:
            request->backends = true;
            break;
        case OPTION_MATERIALS:
            request->materials = true;
            break;
        case OPTION_FREQUENCY:
            status = read_frequency(reader, &request->frequency);
            break;
        default:
            request->json = true;
            break;
        }
        if (status != PW_OK) {
            return status;
        }
    }
    return PW_OK;
}

static pw_status info_main(int argc, char **argv)
{
    struct option_reader reader = {
        .command = &info_command, .argc = argc, .argv = argv, .short_options = "", .long_options = OPTIONS};
    struct info_request request = {.frequency = 2.4e9};
    pw_status status = read_options(&reader, &request);
    if (status != PW_OK || reader.stopped) {
        return status; /* an error, or help */
    }
    if (request.backends) {
        status = option_operands(&reader, 0, 0, "");
        return status == PW_OK ? print_backends() : status;
    }
    if (request.materials) {
        status = option_operands(&reader, 0, 0, "");
        return status == PW_OK ? print_materials(request.frequency) : status;
    }
    status = option_operands(&reader, 1, 1, "RESULT.h5, --backends or --materials");
    return status == PW_OK ? print_result(argv[optind], request.json) : status;
}

const struct command info_command = {"info", "what is in a result, what this machine can do, materials", HELP,
                                     info_main};
