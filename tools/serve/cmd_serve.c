/* planwave serve: a live page of a scenario in the browser. */
#include "serve/planwave_serve.h"

#include "program/progress.h"
#include "program/tool.h"

#include <stdlib.h>

extern const struct command serve_command;

static const char HELP[] =
    "usage: planwave serve SCENARIO.yaml [OPTIONS]...\n"
    "\n"
    "Opens a live page in your browser. Drag a transmitter, draw, change or erase a wall, put in a window\n"
    "or a door, and the map follows: first a quick preview, then the result of planwave run and planwave\n"
    "map. You can set the scale, undo, save, and open the report. What planwave import wrote has its\n"
    "drawing under the walls. The scenario must be in two dimensions; a plan with storeys is cut.\n"
    "\n"
    "      --port N            port on 127.0.0.1; default: a free one\n"
    "      --backend NAME      auto (default), cpu, cuda or reference\n"
    "      --devices WHICH     GPUs that share each grid: all, a count (2), numbers (0,1); default: one\n"
    "      --threads N         CPU threads; default: all cores\n"
    "      --memory SIZE       memory that a run may take, e.g. 4GB; default: half of what is free. What\n"
    "                          would need more is refused\n"
    "      --drawing FILE      a scenario of the same plan whose drawing lies under the walls; default:\n"
    "                          SCENARIO itself, if it is as planwave import wrote it\n"
    "      --set KEY=VALUE     change a key of the scenario first, e.g. band=5.2GHz; may be repeated\n"
    "  -q, --quiet             print the address only\n"
    "  -h, --help              print this text\n"
    "\n"
    "Only this machine can open the page, at the printed address (it holds a secret). From another\n"
    "machine: ssh -L 8080:127.0.0.1:8080 HOST, with --port 8080 there. Ctrl-C ends the server; unsaved\n"
    "changes are then written to NAME-unsaved.yaml beside the scenario.\n"
    "\n"
    "example:\n"
    "  planwave serve floorplans/flat.yaml\n";

struct serve_request {
    pw_serve_options options;
    struct override_list overrides;
    int verbosity;
};

static void print_address(const char *address, void *user)
{
    const struct serve_request *request = user;
    printf(request->verbosity < 0 ? "%s\n" : "open %s\nCtrl-C ends the server\n", address);
    fflush(stdout);
}

static void print_note(const char *message, void *user)
{
    (void)user;
    complain("%s", message);
}

static bool keep_serving(void *user)
{
    (void)user;
    return !progress_interrupted();
}

static pw_status serve(struct serve_request *request, const char *path)
{
    pw_error error = {{0}};
    pw_status status = progress_catch_signals();
    PW_TRY(status);
    request->options.overrides = request->overrides.texts;
    request->options.override_count = request->overrides.count;
    request->options.ready = print_address;
    request->options.note = print_note;
    request->options.go_on = keep_serving;
    request->options.user = request;
    status = pw_serve(path, &request->options, &error);
    return status == PW_OK ? PW_OK : complain_error(status, &error);
}

static pw_status serve_main(int argc, char **argv)
{
    struct serve_request request = {.options = {.compute.backend = "auto"}};
    const struct option_entry entries[] = {
        {.name = "port", .kind = OPTION_INTEGER, .value = &request.options.port, .least = 1, .most = 65535},
        COMPUTE_OPTIONS(&request.options.compute),
        {.name = "drawing", .kind = OPTION_TEXT, .value = &request.options.drawing},
        {.name = "memory", .kind = OPTION_TEXT, .value = &request.options.memory},
        {.name = "set", .kind = OPTION_TAKEN, .value = &request.overrides, .take = option_take_override}};
    struct option_line line = OPTION_LINE(&serve_command, entries, 1, 1, "SCENARIO.yaml");
    pw_status status = option_read(&line);
    request.verbosity = line.verbosity;
    if (status == PW_OK && !line.help) {
        status = serve(&request, line.operands[0]);
    }
    free(request.overrides.texts);
    return status;
}

const struct command serve_command = {
    .name = "serve", .summary = "drag transmitters and walls in a browser, live", .help = HELP, .run = serve_main};
