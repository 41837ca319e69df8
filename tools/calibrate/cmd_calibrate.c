/* planwave calibrate: a result against measured powers. */
#include "calibrate/planwave_calibrate.h"

#include "program/map_options.h"

#include <string.h>

struct calibrate_request {
    const char *measured, *output, *residuals, *score;
    bool force, joint;
    pw_calibration_options options;
    pw_joint_options together;
    const char *parameters[PW_JOINT_PARAMETERS + 1];
};

static const char *const OFFSET_WORDS[] = {"each", "one", "none", NULL};

static const char HELP[] =
    "usage: planwave calibrate RESULT.h5 --measured POINTS.csv [OPTIONS]...\n"
    "       planwave calibrate RESULT.h5 --joint --measured READINGS.csv [--fit PARAMETER]... [OPTIONS]...\n"
    "\n"
    "Compares a result with measured received powers (bias, RMSE, correlation) and fits one offset that all points "
    "share.\n"
    "On request it fits the materials too. Points that are held out of the fit tell how well it predicts.\n"
    "With --joint it fits all transmitters together: offsets, materials, wall thickness, the receivers' height.\n"
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
    "      --devices WHICH     GPUs that share each grid: all, so many (2) or their numbers (0,1); default: one\n"
    "      --joint             READINGS.csv has a heading with x, y, if known height (or z) and frequency, and either\n"
    "                          transmitter and power, a line for each reading, or a column for each transmitter with\n"
    "                          its name (rssi_, rss_ or power_ may stand before it), empty where nothing was "
    "received.\n"
    "                          Other columns are passed over. --fit and what follows imply --joint\n"
    "      --fit PARAMETER     fit this as well, again and again: MATERIAL:permittivity, MATERIAL:conductivity,\n"
    "                          MATERIAL:thickness (of walls), height (of receivers without one), slope (of the\n"
    "                          predicted level in dB), exponent (times 10 lg of the distance). A range may follow:\n"
    "                          brick:permittivity=2..8, brick:conductivity=1mS/m..0.3, height=50cm..1.5\n"
    "      --offsets WHICH     each (default; one for each transmitter), one (for all), none\n"
    "      --gather WIDTH      readings of a transmitter in squares of WIDTH are one cell, e.g. 50cm; default: each "
    "is\n"
    "      --mean-levels       a cell's level is the mean of its dB values; default: of its powers\n"
    "      --least N           leave out cells of fewer than N readings; default 1\n"
    "      --blocks WIDTH      hold out squares of WIDTH in turn, and take errors in one for correlated; default 1.5m\n"
    "      --rounds N          at most so many rounds of re-runs; default 4\n"
    "      --score FILE        readings that are not fitted, to be scored with the fitted values\n"
    "      --residuals FILE    write every cell: measured, predicted, fitted, and predicted without its block\n"
    "  -o, --output FILE.csv   write measured, predicted and calibrated power of every point\n"
    "                          with --joint: that of every cell, or into FILE.yaml the scenario with the fitted "
    "values\n"
    "  -f, --force             replace an existing file\n" SPREADING_HELP HEIGHT_HELP
    "  -q, --quiet             print no summary\n"
    "  -h, --help              print this text\n"
    "\n"
    "Outliers count less (Huber's weights). Each parameter has an interval of 95 %; warnings say which ones the "
    "readings\n"
    "cannot tell apart or do not determine. Readings whose place is in a block are predicted by a fit without it, and "
    "a line\n"
    "in the logarithm of distance with two numbers for each transmitter is scored beside.\n"
    "\n"
    "A fit needs at least five points for each parameter, not counting those that are held out. The offset is one "
    "parameter,\n"
    "and each material adds two. planwave refuses a fit with fewer points, and a fit of materials that hardly change "
    "the\n"
    "power at these points or that change it alike.\n"
    "\n"
    "example:\n"
    "  planwave calibrate office.h5 --tx west --measured floorplans/office_walk.csv -o residuals.csv\n"
    "  planwave calibrate office.h5 --measured readings.csv --fit concrete:conductivity --fit slope -o fitted.yaml\n";

/* "file.csv" ends in ".csv". */
static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static pw_status fit_together(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    struct calibrate_request *request = user;
    pw_joint_options *options = &request->together;
    options->channel = request->options.channel;
    options->receiver_gain = request->options.receiver_gain;
    options->mean_width = request->options.mean_width;
    options->cell_factor = request->options.cell_factor;
    options->backend = request->options.backend;
    options->parameters = request->parameters;
    bool table = request->output != NULL && ends_in(request->output, ".csv");
    const pw_joint_files files = {.measured = request->measured,
                                  .score = request->score,
                                  .residuals = table ? request->output : request->residuals,
                                  .fitted = table ? NULL : request->output};
    pw_status status = pw_calibrate_joint(result, &files, options, report, NULL, error);
    const char *const written[] = {request->output, table ? NULL : request->residuals};
    for (int n = 0; n < 2; n++) {
        if (status == PW_OK && written[n] != NULL && report != NULL) {
            fprintf(report, "wrote %s\n", written[n]);
        }
    }
    return status;
}

static pw_status take_parameter(const struct option_line *line, const struct option_entry *entry,
                                char *text) /* NOLINT(readability-non-const-parameter): the type of option_entry.take */
{
    struct calibrate_request *request = entry->value;
    pw_joint_options *options = &request->together;
    if (options->parameter_count == PW_JOINT_PARAMETERS) {
        return complain_usage(line->command, "too many parameters to fit; allowed are %d", PW_JOINT_PARAMETERS);
    }
    request->parameters[options->parameter_count++] = text;
    return PW_OK;
}

/* What goes with one way of fitting alone, and where the joint one writes. */
static pw_status joint_check(struct calibrate_request *request)
{
    const pw_joint_options *given = &request->together, none = pw_joint_options_default();
    const pw_calibration_options *simple = &request->options, plain = pw_calibration_options_default();
    request->joint = request->joint || given->parameter_count > 0 || given->offsets != none.offsets ||
                     given->gather > 0.0 || given->mean_of_levels || given->least_readings != none.least_readings ||
                     given->blocks != none.blocks || given->rounds != none.rounds || request->score != NULL ||
                     request->residuals != NULL;
    if (!request->joint) {
        return PW_OK;
    }
    if (simple->transmitter != NULL || simple->material_count > 0 || simple->hold_out != plain.hold_out) {
        return complain_usage(&calibrate_command, "all transmitters together go without --tx, --materials and "
                                                  "--hold-out: take --fit and --blocks");
    }
    if (request->output != NULL && !ends_in(request->output, ".csv") && !ends_in(request->output, ".yaml")) {
        return complain_usage(&calibrate_command,
                              "--output '%s': .yaml for the fitted scenario, .csv for the residuals", request->output);
    }
    if (request->output != NULL && request->residuals != NULL && ends_in(request->output, ".csv")) {
        return complain_usage(&calibrate_command, "--output FILE.csv and --residuals are the same: give one");
    }
    const char *const read[] = {request->measured, request->score};
    for (int n = 0; request->residuals != NULL && n < 2; n++) {
        pw_status status = read[n] != NULL ? check_output(request->residuals, read[n], request->force) : PW_OK;
        if (status != PW_OK) {
            return status;
        }
    }
    return request->output != NULL && request->score != NULL
               ? check_output(request->output, request->score, request->force)
               : PW_OK;
}

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
    pw_joint_options *together = &request.together;
    *together = pw_joint_options_default();
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "joint", .kind = OPTION_FLAG, .value = &request.joint},
        {.name = "fit", .kind = OPTION_TAKEN, .value = &request, .take = take_parameter},
        {.name = "offsets", .kind = OPTION_WORD, .value = &together->offsets, .words = OFFSET_WORDS},
        {.name = "gather", .kind = OPTION_LENGTH, .value = &together->gather},
        {.name = "mean-levels", .kind = OPTION_FLAG, .value = &together->mean_of_levels},
        {.name = "least", .kind = OPTION_INTEGER, .value = &together->least_readings, .least = 1, .most = 1000000},
        {.name = "blocks", .kind = OPTION_LENGTH, .value = &together->blocks},
        {.name = "rounds", .kind = OPTION_INTEGER, .value = &together->rounds, .least = 1, .most = 100},
        {.name = "score", .kind = OPTION_TEXT, .value = &request.score},
        {.name = "residuals", .kind = OPTION_TEXT, .value = &request.residuals},
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
        {.name = "devices", .kind = OPTION_TAKEN, .take = option_take_devices},
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
    status = joint_check(&request);
    if (status != PW_OK) {
        return status;
    }
    return result_work(&(struct result_task){.result = line.operands[0],
                                             .output = request.output,
                                             .also = request.measured,
                                             .force = request.force,
                                             .verbosity = line.verbosity,
                                             .work = request.joint ? fit_together : compare_points,
                                             .request = &request});
}

const struct command calibrate_command = {
    .name = "calibrate", .summary = "compare a result with measured powers", .help = HELP, .run = calibrate_main};
