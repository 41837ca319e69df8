/* planwave import: a drawing or a picture becomes a scenario; and what a change of a plan did. */
#include "import/planwave_import.h"
#include "program/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, TRANSMITTER_LIMIT = 256 };

struct import_request {
    char derived[PATH_SIZE], overlay_derived[PATH_SIZE];
    const char *file, *output, *overlay;
    bool force, difference;
    pw_import_options options;
    struct override_list classes, pictures;
    double region[4], transmitters[TRANSMITTER_LIMIT][2];
    const char *words[TRANSMITTER_LIMIT]; /* of transmitters */
};

static const char HELP[] =
    "usage: planwave import FILE [OPTIONS]...\n"
    "       planwave import --diff BEFORE.yaml AFTER.yaml [-o CHANGES.png]\n"
    "\n"
    "Turns a floor plan (DXF, SVG, PDF, GeoJSON, IMDF, Ekahau, OpenIntent, PNG, JPEG, TIFF,\n"
    "GIF, BMP) into a scenario. Every guess is marked in the scenario, where you can change it.\n"
    "A picture shows what planwave understood on top of your drawing. What it could not interpret\n"
    "is skipped and counted.\n"
    "\n"
    "  -o, --output FILE.yaml  name of the scenario; default: the file's name with .yaml, in this folder\n"
    "  -f, --force             replace existing files\n"
    "      --unit LENGTH       length of one drawing unit, or of one pixel, e.g. 1mm\n"
    "      --scale X,Y,X,Y=L   or: two points of the drawing and their distance, e.g. 10,20,410,20=8.4m;\n"
    "                          of a sheet of paper (PDF, SVG) its scale, e.g. 1:50\n"
    "      --tx X,Y[,KEY=V]    an access point at X,Y [m from the lower left corner], with keys of a\n"
    "                          transmitter, e.g. 7,7,name=west,channel=6; may be repeated\n"
    "      --frequency F       centre of the band; default: that of the file's access points or 2.45GHz\n"
    "      --class NAME=WHAT   meaning of a layer or colour: a material, or ignored; may be repeated\n"
    "+                         WHAT may be words of a scenario, e.g. '{as: faces, material: brick}'.\n"
    "+                         NAME may contain * and ?\n"
    "      --wall MATERIAL     material of walls about which nothing is known; default brick\n"
    "      --windows WHAT      glass (default), single, double or triple glazing, open, or a material\n"
    "      --doors WHAT        open (default), or a material\n"
    "      --picture KEY=V     how to read a picture, e.g. scan=on for a scan; may be repeated\n"
    "+                         The keys are those of plan.drawing in planwave help scenario\n"
    "      --page NAME         the floor to take from a file with several floors\n"
    "+     --turn DEGREES      turn the drawing counterclockwise\n"
    "+     --region X,Y,X,Y    part of the drawing that becomes the plan: lower left and upper right\n"
    "+                         corner in drawing units; default: all walls and 1 m around them\n"
    "+     --overlay FILE.png  name of the picture; default: the scenario's name with -import.png\n"
    "+     --diff              compare two scenarios: print a table, and draw the changes with -o\n"
    "  -q, --quiet             print no table\n"
    "  -h, --help              print this text\n"
    "\n"
    "examples:\n"
    "  planwave import floorplans/flat.dxf -o flat.yaml --tx 7,7 --tx 12,3\n"
    "  planwave import scan.png -o office.yaml --unit 2.5cm --picture scan=on --wall concrete\n"
    "+ planwave import --diff office.yaml changed.yaml -o changes.png\n";

/* `count` numbers with commas between them; *rest is what stands behind them. */
static bool numbers_read(char *text, int count, double *values, char **rest)
{
    *rest = text;
    for (int n = 0; n < count; n++) {
        char *end = NULL;
        values[n] = strtod(*rest, &end);
        if (end == *rest || !isfinite(values[n]) || (n + 1 < count && *end != ',')) {
            return false;
        }
        *rest = n + 1 < count ? end + 1 : end;
    }
    return true;
}

static pw_status take_scale(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct import_request *request = entry->value;
    double points[4], length = 0;
    char *rest = NULL;
    pw_error error = {{0}};
    if (strncmp(text, "1:", 2) == 0 && numbers_read(text + 2, 1, &request->options.sheet, &rest) && *rest == '\0' &&
        request->options.sheet > 0) {
        return PW_OK;
    }
    if (!numbers_read(text, 4, points, &rest) || *rest != '=' || pw_parse_length(rest + 1, &length, &error) != PW_OK ||
        !(length > 0) || !(hypot(points[2] - points[0], points[3] - points[1]) > 0)) {
        return complain_usage(line->command,
                              "--scale '%s': write two points of the drawing that differ and a length, as in "
                              "10,20,410,20=8.4m, or of a sheet of paper its scale, as in 1:50",
                              text);
    }
    request->options.unit = length / hypot(points[2] - points[0], points[3] - points[1]);
    return PW_OK;
}

static pw_status take_region(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct import_request *request = entry->value;
    double *region = request->region;
    char *rest = NULL;
    if (!numbers_read(text, 4, region, &rest) || *rest != '\0' || !(region[0] < region[2] && region[1] < region[3])) {
        return complain_usage(line->command,
                              "--region '%s': write X0,Y0,X1,Y1 in units of the drawing, the lower left corner first",
                              text);
    }
    request->options.region = region;
    return PW_OK;
}

static pw_status take_transmitter(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct import_request *request = entry->value;
    char *rest = NULL;
    size_t count = request->options.transmitter_count;
    if (count == TRANSMITTER_LIMIT) {
        return complain_usage(line->command, "too many --tx: at most %d are allowed", TRANSMITTER_LIMIT);
    }
    bool place = numbers_read(text, 2, request->transmitters[count], &rest);
    if (!place || !(*rest == '\0' || (*rest == ',' && strchr(rest, '=') != NULL))) {
        return complain_usage(
            line->command,
            "--tx '%s': write X,Y in metres of the plan, as in 4.2,3, and behind it what else is known, "
            "as in 4.2,3,name=west,power=20dBm",
            text);
    }
    request->words[count] = rest;
    request->options.transmitters = request->transmitters[0];
    request->options.transmitter_words = request->words;
    request->options.transmitter_count++;
    return PW_OK;
}

static pw_status import_file(struct import_request *request, int verbosity)
{
    pw_error error = {{0}};
    request->output = output_name(request->output, request->file, ".yaml", request->derived, sizeof request->derived);
    if (request->overlay == NULL) {
        size_t stem = strlen(request->output);
        stem -= stem > 5 && strcmp(request->output + stem - 5, ".yaml") == 0 ? 5 : 0;
        snprintf(request->overlay_derived, sizeof request->overlay_derived, "%.*s-import.png", (int)stem,
                 request->output);
        request->overlay = request->overlay_derived;
    }
    pw_status status = check_output(request->output, request->force);
    PW_THEN(status, check_picture(request->overlay, request->force, false));
    PW_TRY(status);
    request->options.note = warn_user;
    request->options.classes = request->classes.texts;
    request->options.class_count = request->classes.count;
    request->options.pictures = request->pictures.texts;
    request->options.picture_count = request->pictures.count;
    status = pw_import(request->file, &request->options, request->output, request->overlay,
                       verbosity < 0 ? NULL : stdout, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    if (verbosity >= 0) {
        printf("wrote %s\nwrote %s\nput it right by hand, and place access points: planwave serve %s\n",
               request->output, request->overlay, request->output);
    }
    return PW_OK;
}

static pw_status compare_plans(const struct import_request *request, char **files, int verbosity)
{
    /* The plans alone are compared: a scenario without transmitters will do. */
    static const char *const SOMEWHERE[] = {"transmitters=[{at: [0, 0]}]"};
    pw_error error = {{0}};
    pw_scenario *plans[2] = {NULL, NULL};
    pw_status status = request->output != NULL ? check_picture(request->output, request->force, false) : PW_OK;
    PW_TRY(status);
    for (int n = 0; n < 2 && status == PW_OK; n++) {
        status = pw_scenario_load(files[n], SOMEWHERE, 1, &plans[n], &error);
    }
    if (status == PW_OK) {
        status = pw_plan_difference(plans[0], plans[1], request->output, verbosity < 0 ? NULL : stdout, &error);
    }
    if (status == PW_OK) {
        tell_written(verbosity < 0 ? NULL : stdout, request->output);
    }
    pw_scenario_free(plans[0]);
    pw_scenario_free(plans[1]);
    return status == PW_OK ? PW_OK : complain_error(status, &error);
}

static pw_status import_or_compare(struct import_request *request, const struct option_line *line)
{
    bool second = line->argc - (int)(line->operands - line->argv) == 2;
    if (second != request->difference) {
        return complain_usage(&import_command, request->difference
                                                   ? "--diff wants two scenarios, BEFORE.yaml AFTER.yaml"
                                                   : "one file is imported at a time");
    }
    if (request->difference) {
        return compare_plans(request, line->operands, line->verbosity);
    }
    request->file = line->operands[0];
    return import_file(request, line->verbosity);
}

static pw_status import_main(int argc, char **argv)
{
    struct import_request request = {0};
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "overlay", .kind = OPTION_OUTPUT, .value = &request.overlay},
        {.name = "unit", .kind = OPTION_LENGTH, .value = &request.options.unit},
        {.name = "scale", .kind = OPTION_TAKEN, .value = &request, .take = take_scale},
        {.name = "page", .kind = OPTION_TEXT, .value = &request.options.page},
        {.name = "turn", .kind = OPTION_REAL, .value = &request.options.turn, .least = -360, .most = 360},
        {.name = "region", .kind = OPTION_TAKEN, .value = &request, .take = take_region},
        {.name = "class", .kind = OPTION_TAKEN, .value = &request.classes, .take = option_take_override},
        {.name = "wall", .kind = OPTION_TEXT, .value = &request.options.wall},
        {.name = "windows", .kind = OPTION_TEXT, .value = &request.options.windows},
        {.name = "doors", .kind = OPTION_TEXT, .value = &request.options.doors},
        {.name = "picture", .kind = OPTION_TAKEN, .value = &request.pictures, .take = option_take_override},
        {.name = "frequency", .kind = OPTION_FREQUENCY, .value = &request.options.frequency},
        {.name = "tx", .kind = OPTION_TAKEN, .value = &request, .take = take_transmitter},
        {.name = "diff", .kind = OPTION_FLAG, .value = &request.difference}};
    struct option_line line = OPTION_LINE(&import_command, entries, 1, 2, "FILE");
    pw_status status = option_read(&line);
    if (status == PW_OK && !line.help) {
        status = import_or_compare(&request, &line);
    }
    PW_FREE_ALL(request.classes.texts, request.pictures.texts);
    return status;
}

static void list_formats(FILE *out)
{
    fprintf(out, "\nformats:\n");
    for (size_t n = 0; pw_choice_describe(PW_DRAWING_FORMATS, n).name != NULL; n++) {
        pw_choice format = pw_choice_describe(PW_DRAWING_FORMATS, n);
        fprintf(out, "  %-14s %s\n", format.name, format.description);
    }
}

const struct command import_command = {.name = "import",
                                       .summary = "turn a drawing or a picture of a floor into a scenario",
                                       .help = HELP,
                                       .run = import_main,
                                       .list = list_formats};
