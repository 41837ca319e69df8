/* planwave uncertainty: how sure a map is, given how well materials, walls and places are known. */
#include "uncertainty/planwave_uncertainty.h"

#include "program/map_options.h"
#include "program/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

struct uncertainty_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *scenario, *output;
    struct override_list overrides;
    bool force, first_order;
    pw_spread spreads[PW_SPREADS];
    struct level_list thresholds;
    struct progress_view view;
    pw_uncertainty_options options;
};

static const char HELP[] =
    "usage: planwave uncertainty SCENARIO.yaml --vary WHAT=SPREAD [OPTIONS]...\n"
    "\n"
    "How sure is a map, if materials and walls are not known exactly? planwave solves the scenario with\n"
    "many random draws of them. It maps the P10, the median and the P90 of the mean level at every cell\n"
    "(one draw in ten is below the P10, one in ten above the P90), and the P10 and P90 of a new reading\n"
    "there. A table shows the share of the floor above a threshold, and which spread matters most.\n"
    "\n"
    "      --vary WHAT=SPREAD  what is not known, and how well; once for each, for example\n"
    "                            brick:permittivity=10%  brick:conductivity=50%  brick:thickness=5%\n"
    "                            west:position=20cm      (a transmitter)\n"
    "                            clutter:seed            (another draw of the plan's clutter each time)\n"
    "+                         The draws are log-normal around the scenario's value with this standard\n"
    "+                         deviation, positions normal along x and y. =10%,uniform: all values up to\n"
    "+                         10 % off are equally likely; =20cm,uniform likewise. Thickness applies to\n"
    "+                         `walls:`\n"
    "      --samples N         number of draws, one run each; default 64, at least 8\n"
    "      --first-order       no draws: two runs for each thing that is not known, and straight lines\n"
    "+                         through them. Says how far the map is off such lines\n"
    "+     --seed N            seed of the draws; default 1\n"
    "+     --method METHOD     where quantiles come from: samples; chaos, a polynomial in the drawn\n"
    "+                         values, which needs fewer draws if the map follows it; auto (default):\n"
    "+                         chaos if its leave-one-out error is at most 5 % of the variance\n"
    "      --scatter DB        how much a new reading scatters about the mean level; default 3 dB\n"
    "+                         A standard deviation; 0: not at all. A calibrated scenario has its own,\n"
    "+                         what the calibration left at new places. 3 dB is the shadow fading of\n"
    "+                         3GPP TR 38.901, table 7.4.1-1, indoor office in sight. Its 8 dB out of\n"
    "+                         sight have walls in them.\n"
    "      --threshold LEVEL   e.g. -67dBm; several: -60,-67,-75, or repeat the option\n"
    "      --quantity WHAT     received-power (default), path-gain, path-loss, snr, sinr\n"
    "      --tx NAME           this transmitter only; default: the strongest one at each cell\n"
    "+     --set KEY=VALUE     change a key of the scenario; may be repeated\n"
    "+     --backend NAME      auto (default), cuda, cpu, reference\n"
    "+     --devices WHICH     GPUs: all, a count (2), or numbers (0,1); default: one. Each GPU takes\n"
    "+                         some of the runs. A grid that is too large for one is split over all\n"
    "+     --device-memory X   memory of the GPU to use, e.g. 20GB; default: all that is free. A larger\n"
    "+                         grid is cut into parts, which take turns on the GPU\n"
    "+     --threads N         CPU threads of all runs together; default: all cores\n" MEAN_HELP RECEIVER_HELP
        FLOOR_HELP SPREADING_HELP HEIGHT_HELP
    "  -o, --output FILE.png   name of the pictures; default: the scenario's name with -uncertainty.png\n"
    "+                         Writes FILE-p10.png, FILE-p50.png, FILE-p90.png, FILE-range.png, and of a\n"
    "+                         reading FILE-reading-p10.png and FILE-reading-p90.png, each with .npy, and\n"
    "+                         FILE.csv with everything\n"
    "  -f, --force             replace existing files\n"
    "  -q, --quiet             print neither table nor progress\n"
    "  -h, --help              print this text\n"
    "\n"
    "Use --local-mean. Without it, the powers show how interference fringes move, not what the\n"
    "materials change.\n"
    "+Furniture and people are in the mean by clutter:seed alone, in a reading by --scatter. Walls that\n"
    "+are not where the plan says are not included. In two dimensions, neither is the error of leaving\n"
    "+out the third.\n"
    "\n"
    "example:\n"
    "  planwave uncertainty floorplans/empty_room.yaml --vary brick:conductivity=50% --local-mean\n";

static const char *const METHODS[] = {"auto", "samples", "chaos", NULL};

/* "10%" or "20cm", and perhaps ",uniform". */
static pw_status spread_read(const struct option_line *line, const char *what, char *text, pw_spread *spread)
{
    pw_error error = {{0}};
    size_t length = strlen(what);
    bool position = length > 9 && strcmp(what + length - 9, ":position") == 0;
    char *comma = strchr(text, ','), *end = NULL;
    if (comma != NULL && strcmp(comma, ",uniform") != 0) {
        return complain_usage(line->command, "--vary %s=%s: after the comma there may be 'uniform' alone", what, text);
    }
    spread->uniform = comma != NULL;
    if (comma != NULL) {
        *comma = '\0';
    }
    if (position) {
        return pw_parse_length(text, &spread->width, &error) == PW_OK
                   ? PW_OK
                   : complain_usage(line->command, "--vary %s: %s", what, error.message);
    }
    spread->width = strtod(text, &end) / 100;
    if (end == text || strcmp(end + strspn(end, " "), "%") != 0 || !isfinite(spread->width)) {
        return complain_usage(line->command, "--vary %s=%s: write the spread as a percentage, e.g. 10%%", what, text);
    }
    return PW_OK;
}

static pw_status take_vary(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct uncertainty_request *request = entry->value;
    char *equals = strchr(text, '=');
    if (request->options.spread_count == PW_SPREADS) {
        return complain_usage(line->command, "too many spreads; allowed are %d", PW_SPREADS);
    }
    if (strcmp(text, "clutter:seed") == 0) {
        request->spreads[request->options.spread_count++].parameter = text;
        return PW_OK;
    }
    if (equals == NULL || equals == text || equals[1] == '\0') {
        return complain_usage(line->command, "--vary '%s': write WHAT=SPREAD, e.g. %s", text, "brick:permittivity=10%");
    }
    *equals = '\0'; /* the name is argv's */
    pw_spread *spread = &request->spreads[request->options.spread_count++];
    spread->parameter = text;
    return spread_read(line, text, equals + 1, spread);
}

static pw_status take_seed(const struct option_line *line, const struct option_entry *entry, char *text)
{
    int64_t seed = 0;
    const struct option_entry count = {
        .name = entry->name, .kind = OPTION_COUNT, .value = &seed, .least = 0, .most = 9e15};
    pw_status status = option_argument(line, &count, text);
    *(uint64_t *)entry->value = (uint64_t)seed;
    return status;
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */

static const char *const MIDDLES[] = {"-p10", "-p50", "-p90", "-range", "-reading-p10", "-reading-p90"};

/* Every file that will be written. */
static pw_status check_names(const struct uncertainty_request *request)
{
    char name[PATH_SIZE + 16], stem[PATH_SIZE];
    pw_status status = check_picture(request->output, true, false);
    size_t length = strlen(request->output);
    if (status != PW_OK || length < 5 || length >= PATH_SIZE) {
        return status != PW_OK ? status : complain_usage(&uncertainty_command, "'%s' is no name", request->output);
    }
    snprintf(stem, sizeof stem, "%.*s", (int)length - 4, request->output);
    for (size_t n = 0; n < sizeof MIDDLES / sizeof *MIDDLES && status == PW_OK; n++) {
        snprintf(name, sizeof name, "%s%s%s", stem, MIDDLES[n], request->output + length - 4);
        status = check_picture(name, request->force, true);
    }
    snprintf(name, sizeof name, "%s.csv", stem);
    return status == PW_OK ? check_output(name, request->force) : status;
}

static pw_status solve(struct uncertainty_request *request, const pw_scenario *scenario, FILE *report)
{
    pw_error error = {{0}};
    request->options.monitor = (pw_monitor){progress_part, &request->view};
    request->options.map.note = warn_user;
    pw_status status = pw_uncertainty_write(scenario, &request->options, request->output, report, NULL, &error);
    progress_end(&request->view);
    if (status == PW_INTERRUPTED) {
        complain("interrupted; nothing was written");
        return status;
    }
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    if (report != NULL) {
        int stem = (int)strlen(request->output) - 4;
        fprintf(report, "wrote %.*s-p10%s, -p50, -p90, -range, -reading-p10, -reading-p90, and %.*s.csv\n", stem,
                request->output, request->output + stem, stem, request->output);
    }
    return PW_OK;
}

static pw_status execute(struct uncertainty_request *request, int verbosity)
{
    pw_error error = {{0}};
    PW_OWNED_AS(pw_scenario) *scenario = NULL;
    request->output =
        output_name(request->output, request->scenario, "-uncertainty.png", request->derived, sizeof request->derived);
    PW_TRY(check_names(request));
    PW_TRY(progress_catch_signals());
    const pw_status status =
        pw_scenario_load(request->scenario, request->overrides.texts, request->overrides.count, &scenario, &error);
    return status == PW_OK ? solve(request, scenario, verbosity < 0 ? NULL : stdout) : complain_error(status, &error);
}

static pw_status read_line(int argc, char **argv, struct uncertainty_request *request, struct option_line *read)
{
    pw_uncertainty_options *options = &request->options;
    pw_map_options *map = &options->map;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request->output, &request->force),
        {.name = "vary", .kind = OPTION_TAKEN, .value = request, .take = take_vary},
        {.name = "samples", .kind = OPTION_INTEGER, .value = &options->samples, .least = 8, .most = 100000},
        {.name = "seed", .kind = OPTION_TAKEN, .value = &options->seed, .take = take_seed},
        {.name = "first-order", .kind = OPTION_FLAG, .value = &request->first_order},
        {.name = "method", .kind = OPTION_WORD, .value = &options->method, .words = METHODS},
        {.name = "scatter", .kind = OPTION_TAKEN, .value = &options->scatter, .take = take_decibels},
        {.name = "threshold", .kind = OPTION_TAKEN, .value = &request->thresholds, .letter = 't', .take = take_levels},
        {.name = "quantity", .kind = OPTION_WORD, .value = &map->quantity, .words = QUANTITY_NAMES},
        {.name = "tx", .kind = OPTION_TEXT, .value = &map->transmitter, .once = true},
        {.name = "set", .kind = OPTION_TAKEN, .value = &request->overrides, .take = option_take_override},
        COMPUTE_OPTIONS(&options->compute),
        DEVICE_MEMORY_OPTION(&options->compute),
        FLOOR_OPTION(map),
        SPREADING_OPTION(&map->channel),
        HEIGHT_OPTIONS(&map->channel),
        MEAN_OPTIONS(map),
        RECEIVER_OPTIONS(map)};
    struct option_line line = OPTION_LINE(&uncertainty_command, entries, 1, 1, "SCENARIO.yaml");
    pw_status status = option_read(&line);
    *read = line;
    if (status == PW_OK && !line.help) {
        status = levels_read(&line, "threshold", pw_quantity_unit(map->quantity), &request->thresholds);
        options->thresholds = request->thresholds.values;
        options->threshold_count = request->thresholds.count;
    }
    if (status == PW_OK && request->first_order) {
        const pw_uncertainty_options usual = pw_uncertainty_options_default();
        bool drawn = options->samples != usual.samples || options->method != usual.method;
        options->method = PW_UNCERTAINTY_FIRST_ORDER;
        status = drawn ? complain_usage(&uncertainty_command,
                                        "--first-order draws nothing: leave out --samples and --method")
                       : status;
    }
    if (status == PW_OK && !line.help && options->spread_count == 0) {
        status = complain_usage(&uncertainty_command, "--vary is missing: write what is not known exactly, e.g. %s",
                                "brick:permittivity=10%");
    }
    map->local_mean = map->local_mean || map->mean_width > 0.0;
    return status;
}

static pw_status uncertainty_main(int argc, char **argv)
{
    struct uncertainty_request request = {.thresholds = {.example = "-60,-67,-75", .most = PW_UNCERTAINTY_THRESHOLDS},
                                          .options = pw_uncertainty_options_default()};
    struct option_line line;
    request.options.spreads = request.spreads;
    pw_status status = read_line(argc, argv, &request, &line);
    if (status == PW_OK && !line.help) {
        request.scenario = line.operands[0];
        request.view.style = line.verbosity < 0      ? PROGRESS_NONE
                             : isatty(STDERR_FILENO) ? PROGRESS_TERMINAL
                                                     : PROGRESS_LINES;
        status = execute(&request, line.verbosity);
    }
    free(request.overrides.texts);
    return status;
}

const struct command uncertainty_command = {.name = "uncertainty",
                                            .summary = "how sure a map is, by draws of what is not known",
                                            .help = HELP,
                                            .run = uncertainty_main};
