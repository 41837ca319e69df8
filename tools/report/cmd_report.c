/* planwave report: one page to explore a result with, in any browser. */
#include "report/planwave_report.h"

#include "program/map_options.h"
#include "program/progress.h"

#include <string.h>

enum { PATH_SIZE = 4096 };

struct report_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *output;
    bool force;
    pw_report_options options;
};

static const char HELP[] =
    "usage: planwave report RESULT.h5 [OPTIONS]...\n"
    "\n"
    "Writes one HTML page that needs no network. Pan and zoom the maps, see the delay profile under the\n"
    "mouse, pin points and compare them, see which part of the floor is above a threshold.\n"
    "\n"
    "      --tx NAME           show this transmitter only; default: all\n"
    "  -o, --output FILE.html  name of the page; default: the result's name with .html\n"
    "  -f, --force             replace an existing file\n"
    "      --sensitivity       solve which walls decide at each receiver, and let them glow: one run for\n"
    "                          each transmitter and receiver\n"
    "      --max-size MB       reduce the detail until the page is no larger than this; default 20\n" CHANNEL_HELP
    "  -q, --quiet             print no summary\n"
    "  -h, --help              print this text\n"
    "\n"
    "examples:\n"
    "  planwave report flat.h5 -o flat.html\n"
    "  planwave report office.h5 --tx west --max-size 5\n";

static pw_status write_page(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    const struct report_request *request = user;
    struct work_view view = {.started = progress_seconds(), .silent = report == NULL};
    pw_report_options options = request->options;
    if (options.sensitivity) {
        options.monitor = (pw_monitor){work_show, &view};
    }
    const pw_status status = pw_report_write(result, &options, request->output, report, error);
    work_end(&view);
    return status;
}

static pw_status report_main(int argc, char **argv)
{
    struct report_request request = {.options = pw_report_options_default()};
    double megabytes = 1e-6 * (double)request.options.maximum_bytes;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "tx", .kind = OPTION_TEXT, .value = &request.options.transmitter, .once = true},
        {.name = "max-size", .kind = OPTION_REAL, .value = &megabytes, .least = 0.01, .most = 1000},
        {.name = "sensitivity", .kind = OPTION_FLAG, .value = &request.options.sensitivity},
        CHANNEL_OPTIONS(&request.options.channel)};
    struct option_line line = OPTION_LINE(&report_command, entries, 1, 1, "RESULT.h5");
    pw_status status = option_read(&line);
    if (status != PW_OK || line.help) {
        return status;
    }
    request.options.maximum_bytes = (uint64_t)(1e6 * megabytes);
    request.output = output_name(request.output, line.operands[0], ".html", request.derived, sizeof request.derived);
    return result_work(&(struct result_task){.result = line.operands[0],
                                             .output = request.output,
                                             .force = request.force,
                                             .verbosity = line.verbosity,
                                             .work = write_page,
                                             .request = &request});
}

const struct command report_command = {
    .name = "report", .summary = "make a page to explore a result in a browser", .help = HELP, .run = report_main};
