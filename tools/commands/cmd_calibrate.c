/* planwave calibrate: a result against measured powers. */
#include "tools/map_options.h"

#include <string.h>

struct calibrate_request {
    const char *measured, *output;
    bool force;
    pw_calibration_options options;
};

static const char HELP[] =
    "usage: planwave calibrate RESULT.h5 --measured POINTS.csv [OPTIONS]...\n"
    "\n"
    "Compares a result with measured received powers (bias, RMSE, correlation) and fits one offset that all points "
    "share.\n"
    "On request it fits the materials too. Points that are held out of the fit tell how well it predicts.\n"
    "\n"
    "      --measured FILE     a line for each point: x,y,dBm[,frequency], in metres, dBm, and Hz or with a unit, such "
    "as\n"
    "                          2.45 GHz; without a frequency: the whole band. A line that begins with # is a comment, "
    "and a\n"
    "                          first line of names is skipped\n"
    "                          In three dimensions x,y,z,dBm[,frequency] under a heading x,y,z,dBm: each point is\n"
    "                          predicted in the plane of spectra nearest to its height\n"
    "      --height H          three dimensions: the height of points without one [m]; default: the first plane's\n"
    "      --component E       three dimensions: what the antenna takes in, ex, ey or ez; default ez\n"
    "      --tx NAME           the transmitter that was measured; default: the first\n"
    "      --hold-out N        hold points N, 2N, 3N, ... of the file out of the fit; default 4; 0: none\n"
    "      --mean WIDTH        average the predicted power over WIDTH by WIDTH; default: a wavelength\n"
    "      --gain DBI          gain of the receiver, default 0 dBi\n"
    "      --materials A,B     fit permittivity and conductivity of these materials too, e.g. brick,concrete; solves "
    "the\n"
    "                          scenario again, twice: once, twice for each material, and up to three times more\n"
    "      --cells FACTOR      make the cells of these runs FACTOR times as large, to save time; default 1\n"
    "      --backend NAME      backend of these runs: auto (default), cuda, cpu, reference\n"
    "  -o, --output FILE.csv   write measured, predicted and calibrated power of every point\n"
    "  -f, --force             replace an existing file\n" SPREADING_HELP HEIGHT_HELP
    "  -q, --quiet             print no summary\n"
    "  -h, --help              print this text\n"
    "\n"
    "A fit needs at least five points for each parameter, not counting those that are held out. The offset is one "
    "parameter,\n"
    "and each material adds two. planwave refuses a fit with fewer points, and a fit of materials that hardly change "
    "the\n"
    "power at these points or that change it alike.\n"
    "\n"
    "example:\n"
    "  planwave calibrate office.h5 --tx west --measured floorplans/office_walk.csv -o residuals.csv\n";

static pw_status compare_points(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    const struct calibrate_request *request = user;
    pw_status status = pw_calibrate(result, request->measured, &request->options, request->output, report, NULL, error);
    if (status == PW_OK && request->output != NULL && report != NULL) {
        fprintf(report, "wrote %s\n", request->output);
    }
    return status;
}

/* Cuts "brick,concrete" at the commas; the texts are argv's. */
static pw_status take_materials(const struct option_line *line, const struct option_entry *entry, char *text)
{
    pw_calibration_options *options = entry->value;
    if (text[strspn(text, ", ")] == '\0') {
        return complain_usage(line->command, "--%s '%s': give one or several, such as brick,concrete", entry->name,
                              text);
    }
    for (char *name = strtok(text, ","); name != NULL; name = strtok(NULL, ",")) {
        if (options->material_count == PW_CALIBRATED_MATERIALS) {
            return complain_usage(line->command, "too many materials; allowed are %d", PW_CALIBRATED_MATERIALS);
        }
        options->materials[options->material_count++] = name;
    }
    return PW_OK;
}

static pw_status calibrate_main(int argc, char **argv)
{
    struct calibrate_request request = {.options = pw_calibration_options_default()};
    pw_calibration_options *options = &request.options;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "measured", .kind = OPTION_TEXT, .value = &request.measured},
        {.name = "tx", .kind = OPTION_TEXT, .value = &options->transmitter},
        {.name = "height", .kind = OPTION_TAKEN, .value = &options->channel.height, .take = take_height},
        {.name = "component", .kind = OPTION_WORD, .value = &options->channel.component, .words = COMPONENT_WORDS},
        {.name = "hold-out", .kind = OPTION_INTEGER, .value = &options->hold_out, .most = 1000000},
        {.name = "mean", .kind = OPTION_LENGTH, .value = &options->mean_width},
        {.name = "gain", .kind = OPTION_TAKEN, .value = &options->receiver_gain, .take = take_gain},
        {.name = "materials", .kind = OPTION_TAKEN, .value = options, .take = take_materials},
        {.name = "cells", .kind = OPTION_REAL, .value = &options->cell_factor, .least = 0.1, .most = 10},
        {.name = "backend", .kind = OPTION_BACKEND, .value = &options->backend},
        SPREADING_OPTION(&options->channel),
        HEIGHT_OPTIONS(&options->channel)};
    struct option_line line = OPTION_LINE(&calibrate_command, entries, 1, 1, "RESULT.h5");
    pw_status status = option_read(&line);
    if (status != PW_OK || line.help) {
        return status;
    }
    if (request.measured == NULL) {
        return complain_usage(&calibrate_command, "--measured POINTS.csv is missing");
    }
    return result_work(&(struct result_task){.result = line.operands[0],
                                             .output = request.output,
                                             .also = request.measured,
                                             .force = request.force,
                                             .verbosity = line.verbosity,
                                             .work = compare_points,
                                             .request = &request});
}

const struct command calibrate_command = {
    .name = "calibrate", .summary = "compare a result with measured powers", .help = HELP, .run = calibrate_main};
