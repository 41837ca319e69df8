/* planwave export: a scenario's plan and its transmitters for other programs. */
#include "import/planwave_import.h"
#include "program/tool.h"

#include <stdlib.h>

struct export_request {
    const char *scenario, *output, *storey;
    struct override_list overrides;
    bool force;
};

static const char HELP[] =
    "usage: planwave export SCENARIO.yaml -o FILE [OPTIONS]...\n"
    "\n"
    "Writes the plan and its transmitters for other programs. The ending of the file name chooses the\n"
    "format: .svg, .geojson, .openintent.json, .csv (access points only). planwave lists what the format\n"
    "cannot hold.\n"
    "+Walls that are pixels of a picture have no outlines: use planwave import to make shapes of them\n"
    "+first. Floors and ceilings are not written.\n"
    "\n"
    "  -o, --output FILE       the file to write\n"
    "  -f, --force             replace an existing file\n"
    "      --storey NAME       write this storey only\n"
    "      --set KEY=VALUE     change a key of the scenario; may be repeated\n"
    "  -q, --quiet             print nothing\n"
    "  -h, --help              print this text\n"
    "\n"
    "examples:\n"
    "  planwave export floorplans/flat_geometry.yaml -o flat.geojson\n"
    "  planwave export floorplans/house.yaml -o house.openintent.json\n"
    "  planwave export floorplans/house.yaml --storey ground -o ground.svg\n";

static void list_formats(FILE *out)
{
    for (size_t f = 0; pw_plan_export_describe(f).name != NULL; f++) {
        pw_plan_export_format format = pw_plan_export_describe(f);
        fprintf(out, "  %-18s %s: %s\n", format.ending, format.name, format.description);
    }
}

static pw_status execute(const struct export_request *request, FILE *report)
{
    pw_error error = {{0}};
    PW_OWNED_AS(pw_scenario) *scenario = NULL;
    PW_TRY(check_output(request->output, request->force));
    pw_status status =
        pw_scenario_load(request->scenario, request->overrides.texts, request->overrides.count, &scenario, &error);
    PW_THEN(status, pw_plan_export(scenario, request->storey, request->output, report, &error));
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    tell_written(report, request->output);
    return PW_OK;
}

static pw_status export_main(int argc, char **argv)
{
    struct export_request request = {0};
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "storey", .kind = OPTION_TEXT, .value = &request.storey},
        {.name = "set", .kind = OPTION_TAKEN, .value = &request.overrides, .take = option_take_override}};
    struct option_line line = OPTION_LINE(&export_command, entries, 1, 1, "SCENARIO.yaml");
    pw_status status = option_read(&line);
    if (status == PW_OK && !line.help && request.output == NULL) {
        status = complain_usage(&export_command, "say where to with -o; the ending says in which format");
    } else if (status == PW_OK && !line.help) {
        request.scenario = line.operands[0];
        status = execute(&request, line.verbosity < 0 ? NULL : stdout);
    }
    free(request.overrides.texts);
    return status;
}

const struct command export_command = {.name = "export",
                                       .summary = "write the plan and its transmitters for other programs",
                                       .help = HELP,
                                       .run = export_main,
                                       .list = list_formats};
