/* planwave report: one page to explore a result with, in any browser. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_TX = 256, OPTION_MAX_SIZE };
enum { PATH_SIZE = 4096 };

struct report_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *result, *output;
    bool force;
    pw_report_options options;
};

static const char HELP[] =
    "usage: planwave report RESULT.h5 [OPTIONS]...\n\n"
    "Writes one HTML page that needs no network: maps to pan and zoom, the delay profile under the mouse, points to "
    "pin and\n"
    "compare, coverage over a threshold.\n\n"
    "      --tx NAME           this transmitter only; default: all\n"
    "  -o, --output FILE.html  default: the result's name, in this folder\n"
    "  -f, --force             replace an existing file\n"
    "      --max-size MB       leave out detail until the page is no larger, default 20\n" CHANNEL_HELP
    "  -q, --quiet             no summary      -v, --verbose        -h, --help\n\n"
    "examples:\n"
    "  planwave report flat.h5 -o flat.html\n"
    "  planwave report office.h5 --tx ap2 --max-size 5\n";

static const struct option OPTIONS[] = {{"output", required_argument, NULL, 'o'},
                                        {"force", no_argument, NULL, 'f'},
                                        {"tx", required_argument, NULL, OPTION_TX},
                                        {"max-size", required_argument, NULL, OPTION_MAX_SIZE},
                                        CHANNEL_OPTIONS,
                                        COMMON_OPTIONS};

static pw_status execute(struct report_request *request, int verbosity)
{
    pw_error error = {{0}};
    pw_result *result = NULL;
    if (request->output == NULL) {
        derive_name(request->result, ".html", request->derived, sizeof request->derived);
        request->output = request->derived;
    }
    pw_status status = pw_result_open(request->result, &result, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    status = check_output(request->output, request->result, request->force);
    if (status == PW_OK) {
        status = pw_report_write(result, &request->options, request->output, verbosity < 0 ? NULL : stdout, &error);
        if (status != PW_OK) {
            complain_error(status, &error);
        }
    }
    pw_result_close(result);
    return status;
}

static pw_status read_option(const struct option_reader *reader, int code, struct report_request *request)
{
    double megabytes = 0.0;
    pw_status status = PW_OK;
    switch (code) {
    case 'o':
        request->output = optarg;
        break;
    case 'f':
        request->force = true;
        break;
    case OPTION_TX:
        request->options.transmitter = optarg;
        break;
    case OPTION_MAX_SIZE:
        status = option_real(reader, "max-size", 0.01, 1000.0, &megabytes);
        request->options.maximum_bytes = (uint64_t)(1e6 * megabytes);
        break;
    default:
        status = option_channel(reader, code, &request->options.channel);
        break;
    }
    return status;
}

static pw_status read_line(struct option_reader *reader, struct report_request *request)
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

static pw_status report_main(int argc, char **argv)
{
    struct option_reader reader = {
        .command = &report_command, .argc = argc, .argv = argv, .short_options = "o:f", .long_options = OPTIONS};
    struct report_request request = {.options = pw_report_options_default()};
    pw_status status = read_line(&reader, &request);
    return status == PW_OK && request.result != NULL ? execute(&request, reader.verbosity) : status;
}

const struct command report_command = {"report", "one page to explore a result in a browser", HELP, report_main};
