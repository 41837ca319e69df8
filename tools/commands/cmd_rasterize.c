/* planwave rasterize: a picture of what the solver will see, and a table of what it is made of. */
#include "program/tool.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

struct rasterize_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *scenario, *output;
    struct override_list overrides;
    pw_view view;
    bool force, strict;
};

static const char HELP[] =
    "usage: planwave rasterize SCENARIO.yaml [OPTIONS]...\n"
    "\n"
    "Draws the plan as the solver will see it, with legend and scale bar. Prints the area of each\n"
    "material, and the colours of the picture that are not in the legend. In three dimensions it draws\n"
    "every storey from above without its ceiling, and prints volumes.\n"
    "\n"
    "  -o, --output FILE.png   name of the picture; default: the scenario's name with -plan.png\n"
    "  -f, --force             replace an existing picture\n"
    "      --height Z          three dimensions: draw the horizontal cut at this height over the lowest\n"
    "                          floor, e.g. 1.2m\n"
    "      --cut x=X           three dimensions: draw the vertical cut at this x (or y=Y), e.g. x=4.5m\n"
    "      --set KEY=VALUE     change a key of the scenario; may be repeated\n"
    "      --strict            stop if a material is used outside its ITU-R P.2040 frequency range;\n"
    "                          default: warn\n"
    "  -q, --quiet             print no table\n"
    "  -h, --help              print this text\n"
    "\n"
    "examples:\n"
    "  planwave rasterize floorplans/flat.yaml -o plan.png\n"
    "  planwave rasterize floorplans/house.yaml --cut x=6.3m -o stair.png\n";

/* A length behind an option, and the axis that it cuts. */
static pw_status take_position(const struct option_line *line, const struct option_entry *entry, const char *text,
                               pw_view_kind kind)
{
    pw_error error = {{0}};
    pw_view *view = entry->value;
    if (view->kind != PW_VIEW_USUAL) {
        return complain_usage(line->command, "--%s: there is one cut in a picture; give --height or --cut once",
                              entry->name);
    }
    view->kind = kind;
    if (pw_parse_length(text, &view->position, &error) != PW_OK) {
        return complain_usage(line->command, "--%s: %s", entry->name, error.message);
    }
    return PW_OK;
}

static pw_status take_view_height(const struct option_line *line, const struct option_entry *entry, char *text)
{
    return take_position(line, entry, text, PW_VIEW_HEIGHT);
}

static pw_status take_cut(const struct option_line *line, const struct option_entry *entry, char *text)
{
    bool x = strncmp(text, "x=", 2) == 0;
    if (!x && strncmp(text, "y=", 2) != 0) {
        return complain_usage(line->command, "--cut '%s': write x=LENGTH or y=LENGTH, as in x=4.5m", text);
    }
    return take_position(line, entry, text + 2, x ? PW_VIEW_X : PW_VIEW_Y);
}

static pw_status draw(const struct rasterize_request *request, const pw_scenario *scenario, FILE *report)
{
    pw_error error = {{0}};
    PW_OWNED_AS(pw_setup) *setup = NULL;
    pw_status status = pw_setup_create(scenario, PW_SINGLE, request->strict, &setup, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
        complain("warning: %s", pw_setup_warning(setup, w));
    }
    status = pw_rasterize_view(setup, request->view, request->output, report, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    tell_written(report, request->output);
    return PW_OK;
}

static pw_status execute(struct rasterize_request *request, int verbosity)
{
    pw_error error = {{0}};
    PW_OWNED_AS(pw_scenario) *scenario = NULL;
    request->output =
        output_name(request->output, request->scenario, "-plan.png", request->derived, sizeof request->derived);
    PW_TRY(check_picture(request->output, request->force, false));
    const pw_status status =
        pw_scenario_load(request->scenario, request->overrides.texts, request->overrides.count, &scenario, &error);
    return status == PW_OK ? draw(request, scenario, verbosity < 0 ? NULL : stdout) : complain_error(status, &error);
}

static pw_status rasterize_main(int argc, char **argv)
{
    struct rasterize_request request = {0};
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "height", .kind = OPTION_TAKEN, .value = &request.view, .take = take_view_height},
        {.name = "cut", .kind = OPTION_TAKEN, .value = &request.view, .take = take_cut},
        {.name = "set", .kind = OPTION_TAKEN, .value = &request.overrides, .take = option_take_override},
        {.name = "strict", .kind = OPTION_FLAG, .value = &request.strict}};
    struct option_line line = OPTION_LINE(&rasterize_command, entries, 1, 1, "SCENARIO.yaml");
    pw_status status = option_read(&line);
    if (status == PW_OK && !line.help) {
        request.scenario = line.operands[0];
        status = execute(&request, line.verbosity);
    }
    free(request.overrides.texts);
    return status;
}

const struct command rasterize_command = {
    .name = "rasterize", .summary = "draw the plan as the solver will see it", .help = HELP, .run = rasterize_main};
