/* planwave calibrate: a result against measured powers. */
#include "calibrate/planwave_calibrate.h"

#include "program/map_options.h"
#include "program/progress.h"

#include <math.h>
#include <string.h>

struct calibrate_request {
    const char *measured, *output, *residuals, *score;
    bool force, joint;
    pw_calibration_options options;
    pw_joint_options together;
    const char *parameters[PW_JOINT_PARAMETERS + 1];
    struct work_view progress; /* of the runs; a signal ends it, and leaves none of their files */
};

static const char *const OFFSET_WORDS[] = {"each", "one", "none", NULL};

static const char HELP[] =
    "usage: planwave calibrate RESULT.h5 --measured POINTS.csv [OPTIONS]...\n"
    "\n"
    "Compares a result with measured received powers (bias, RMSE, correlation) and fits one offset for\n"
    "all points. --fit and --joint fit materials, walls and all transmitters together. Some points are\n"
    "held out of the fit; they show how well the fit predicts.\n"
    "\n"
    "      --measured FILE     lines x,y,dBm[,frequency]: metres, dBm, and Hz or a unit (2.45 GHz)\n"
    "+                         Without a frequency, a power is that of the whole band. Lines that begin\n"
    "+                         with # and a first line of names are skipped. In three dimensions:\n"
    "+                         x,y,z,dBm[,frequency] under the heading x,y,z,dBm; each point is predicted\n"
    "+                         in the stored plane nearest to its height\n"
    "      --tx NAME           the transmitter that was measured; default: the first\n"
    "  -o, --output FILE.csv   measured, predicted and calibrated power of every point\n"
    "+                         With --joint: of every cell. FILE.yaml: the scenario with fitted values\n"
    "  -f, --force             replace an existing file\n"
    "      --gain DBI          gain of the receiver; default 0 dBi\n"
    "      --mean WIDTH        average the predicted power over a square; default: one wavelength\n"
    "      --hold-out N        hold every N-th place, a square of 1.5 m, out; default 4; 0: none\n"
    "      --materials A,B     fit these materials too, e.g. brick,concrete; solves the scenario again\n"
    "+                         twice: once, two times for each material, and up to three more times\n"
    "+     --cells FACTOR      use cells FACTOR times as large in these runs, to save time; default 1\n"
    "+     --backend NAME      backend of these runs: auto (default), cuda, cpu, reference\n"
    "+     --devices WHICH     GPUs that share each grid: all, a count (2), numbers (0,1); default: one\n"
    "+     --height H          three dimensions: height of points without one [m]; default: that of the\n"
    "+                         first stored plane\n"
    "+     --component E       three dimensions: field component at the antenna, ex, ey or ez; default ez\n"
    "      --joint             fit all transmitters; FILE has a heading: x,y,transmitter,power\n"
    "+                         One line per reading; or x, y and one column per transmitter with its name\n"
    "+                         (rssi_, rss_ or power_ may stand before it), empty where nothing was\n"
    "+                         received. Optional columns: height (or z), frequency, device (each gets\n"
    "+                         an offset), facing (degrees from x to y: where the carrier looks). Others are\n"
    "+                         ignored. --fit and the options after it imply --joint\n"
    "      --fit PARAMETER     fit this too, e.g. brick:permittivity or concrete:conductivity; repeatable\n"
    "+                         MATERIAL:permittivity, MATERIAL:conductivity, MATERIAL:thickness (of\n"
    "+                         walls), coating:resistance, height (of receivers without one), slope (of\n"
    "+                         the predicted level in dB), exponent (of the distance), body (dB that the\n"
    "+                         carrier takes from behind; needs the column facing). A range may follow:\n"
    "+                         brick:permittivity=2..8, brick:conductivity=1mS/m..0.3, height=50cm..1.5\n"
    "      --fit walls:WHAT    permittivity or conductivity of each wall by itself, near its material\n"
    "+                         walls:permittivity, walls:conductivity or walls:thickness: a factor on what the\n"
    "+                         material is, for each wall, rectangle, polygon and circle of the plan. Prior:\n"
    "+                         log-normal about 1, two walls of three within a factor of 1.25 (conductivity\n"
    "+                         2); walls:permittivity=1.1 for another. Told is how much of the prior's\n"
    "+                         variance the readings took away. One wall alone: walls[3]:permittivity\n"
    "+     --coarse FACTOR     fit on cells FACTOR times as large, and check and correct it by re-runs;\n"
    "+                         0: up to 2, as the band allows; default 1: all runs are re-runs\n"
    "+     --offsets WHICH     each (default; one per transmitter), one (for all), none\n"
    "      --gather WIDTH      average the readings of a transmitter over squares of WIDTH, e.g. 50cm\n"
    "+     --mean-levels       average readings in dB; default: average the powers\n"
    "+     --least N           skip squares with fewer than N readings; default 1\n"
    "      --sensitivity DBM   weakest power that the receiver reports, e.g. -95dBm\n"
    "+                         An empty field is less than that, and so is a reading that is not over it.\n"
    "+                         Such readings say how much power there is at most. In FILE, <-95 says the\n"
    "+                         same of one reading\n"
    "+     --blocks WIDTH      hold out squares of WIDTH in turn; errors within one square are treated as\n"
    "+                         correlated; default 1.5m\n"
    "+     --rounds N          largest number of rounds of new runs; default 8\n"
    "+     --score FILE        readings that are not fitted, only scored with the fitted values\n"
    "+     --residuals FILE    write every cell: measured, predicted, fitted, predicted without its "
    "block\n" SPREADING_HELP HEIGHT_HELP "  -q, --quiet             print no summary\n"
    "  -h, --help              print this text\n"
    "+\n"
    "+Outliers count less (Huber's weights). Each parameter gets a 95 % interval. Warnings say which\n"
    "+parameters the readings cannot tell apart or cannot determine. A straight line in the logarithm of\n"
    "+the distance, with two numbers per transmitter, is scored for comparison.\n"
    "+\n"
    "+A fit needs at least five points per parameter, without those that are held out. The offset is one\n"
    "+parameter, and each material adds two. planwave refuses a fit with fewer points. It also refuses to\n"
    "+fit materials that hardly change the power at these points, or that change it in the same way.\n"
    "\n"
    "examples:\n"
    "  planwave calibrate office.h5 --tx west --measured floorplans/office_walk.csv -o residuals.csv\n"
    "  planwave calibrate office.h5 --measured readings.csv --fit concrete:conductivity -o fitted.yaml\n";

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
    options->compute = request->options.compute;
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
                     given->blocks != none.blocks || !isnan(given->sensitivity) || given->rounds != none.rounds ||
                     given->response_cells != none.response_cells || request->score != NULL ||
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
    return request->residuals != NULL ? check_output(request->residuals, request->force) : PW_OK;
}

static pw_status compare_points(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    const struct calibrate_request *request = user;
    PW_TRY(pw_calibrate(result, request->measured, &request->options, request->output, report, NULL, error));
    if (request->output != NULL && report != NULL) {
        fprintf(report, "wrote %s\n", request->output);
    }
    return PW_OK;
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
        {.name = "sensitivity", .kind = OPTION_TAKEN, .value = &together->sensitivity, .take = take_received},
        {.name = "blocks", .kind = OPTION_LENGTH, .value = &together->blocks},
        {.name = "rounds", .kind = OPTION_INTEGER, .value = &together->rounds, .least = 1, .most = 100},
        {.name = "coarse", .kind = OPTION_REAL, .value = &together->response_cells, .most = 4},
        {.name = "score", .kind = OPTION_TEXT, .value = &request.score},
        {.name = "residuals", .kind = OPTION_OUTPUT, .value = &request.residuals},
        {.name = "measured", .kind = OPTION_TEXT, .value = &request.measured},
        {.name = "tx", .kind = OPTION_TEXT, .value = &options->transmitter, .once = true},
        {.name = "height", .kind = OPTION_TAKEN, .value = &options->channel.height, .take = take_height},
        {.name = "component", .kind = OPTION_WORD, .value = &options->channel.component, .words = COMPONENT_WORDS},
        {.name = "hold-out", .kind = OPTION_INTEGER, .value = &options->hold_out, .most = 1000000},
        {.name = "mean", .kind = OPTION_LENGTH, .value = &options->mean_width},
        {.name = "gain", .kind = OPTION_TAKEN, .value = &options->receiver_gain, .take = take_gain},
        {.name = "materials", .kind = OPTION_TAKEN, .value = options, .take = take_materials},
        {.name = "cells", .kind = OPTION_REAL, .value = &options->cell_factor, .least = 0.1, .most = 10},
        {.name = "backend", .kind = OPTION_BACKEND, .value = &options->compute.backend},
        {.name = "devices", .kind = OPTION_TAKEN, .value = &options->compute, .take = option_take_devices},
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
    request.progress = (struct work_view){.started = progress_seconds(), .silent = line.verbosity < 0};
    options->monitor = together->monitor = (pw_monitor){work_show, &request.progress};
    status = progress_catch_signals();
    PW_THEN(status, result_work(&(struct result_task){.result = line.operands[0],
                                                      .output = request.output,
                                                      .force = request.force,
                                                      .verbosity = line.verbosity,
                                                      .work = request.joint ? fit_together : compare_points,
                                                      .request = &request}));
    work_end(&request.progress);
    return status;
}

const struct command calibrate_command = {
    .name = "calibrate", .summary = "compare a result with measured powers", .help = HELP, .run = calibrate_main};
