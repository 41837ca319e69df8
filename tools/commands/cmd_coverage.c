/* planwave coverage: which part of the floor is over which threshold, and how a quantity is distributed over it. */
#include "program/map_options.h"

#include <math.h>
#include <string.h>

struct coverage_request {
    const char *output;
    bool force;
    struct level_list thresholds, percents;
    struct area_list areas;
    const char *cdf;
    bool receivers;
    pw_sheet_choice sheet;
    pw_coverage_options options;
};

static const char HELP[] =
    "usage: planwave coverage RESULT.h5 [OPTIONS]...\n"
    "\n"
    "Prints the share of the floor that reaches each threshold, for every transmitter and for the best\n"
    "of them. The floor is the inside of the building, walls included, if the plan shows where that is.\n"
    "The table states what was counted.\n"
    "\n"
    "      --threshold LEVEL   e.g. -67dBm (received power), 20dB (snr, sinr, path-gain); several:\n"
    "                          -60,-67,-75, or repeat the option. For path-loss, e.g. 90dB: at or below\n"
    "      --percentiles LIST  e.g. 10,50,90, in place of shares: the values that so many per cent of the\n"
    "                          floor are at or under; of any quantity of planwave map but best-server\n"
    "      --cdf FILE          the whole distribution, as .csv or as a picture (.png, .svg, .pdf)\n"
    "      --receivers         percentiles over the receivers of the file, not over the floor\n"
    "      --quantity WHAT     received-power (default), path-gain, path-loss, snr, sinr\n"
    "      --tx NAME           this transmitter only (in sinr the others interfere); best: the strongest\n"
    "                          one at each point only\n"
    "      --area NAME=BOX     count this rectangle too, e.g. lab=2,2,8,7 (x0,y0,x1,y1 [m]); repeatable\n" MEAN_HELP
    "  -o, --output FILE.csv   write the table as CSV as well\n"
    "  -f, --force             replace an existing file\n"
    "      --height H          three dimensions: the stored plane nearest to this height [m]; default:\n"
    "                          one table for each plane (percentiles: the first plane)\n"
    "+     --cut N             three dimensions: vertical cut number N, as planwave info lists them\n"
    "+     --component E       three dimensions: ez, ex, ey, or total (sum of the powers of all stored\n"
    "+                         components); default: ez if it was stored\n" FLOOR_HELP RECEIVER_HELP SPREADING_HELP
        HEIGHT_HELP "  -q, --quiet             print no table\n"
    "  -h, --help              print this text\n"
    "+\n"
    "+Definitions: planwave help metrics.\n"
    "\n"
    "examples:\n"
    "  planwave coverage flat.h5 --threshold -67dBm --local-mean\n"
    "  planwave coverage office.h5 --quantity sinr --threshold 5,10,20 --area lab=2,2,8,7 -o sinr.csv\n"
    "  planwave coverage office.h5 --local-mean --percentiles 10,50,90 --cdf power.png\n";

static pw_status distribute(const pw_result *result, const struct coverage_request *request, FILE *report,
                            pw_error *error)
{
    pw_distributions *distributions = NULL;
    PW_TRY(pw_distributions_create(result, &request->options, request->receivers, &distributions, error));
    pw_status status = pw_distributions_write(distributions, request->percents.values, request->percents.count,
                                              request->output, request->cdf, report, error);
    pw_distributions_free(distributions);
    if (status == PW_OK) {
        tell_written(report, request->cdf);
    }
    return status;
}

static bool wants_distribution(const struct coverage_request *request)
{
    return request->percents.count > 0 || request->cdf != NULL || request->receivers;
}

static pw_status tabulate(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    const struct coverage_request *request = user;
    PW_TRY(wants_distribution(request) ? distribute(result, request, report, error)
                                       : pw_coverage_write(result, &request->options, request->output, report, error));
    tell_written(report, request->output);
    return PW_OK;
}

/* The thresholds in the unit of the quantity, or the percentiles. */
static pw_status read_levels(const struct option_line *line, struct coverage_request *request)
{
    PW_TRY(levels_read(line, "threshold", pw_quantity_unit(request->options.map.quantity), &request->thresholds));
    PW_TRY(levels_read(line, "percentiles", "%", &request->percents));
    for (int n = 0; n < request->percents.count; n++) {
        if (request->percents.values[n] < 0.0 || request->percents.values[n] > 100.0) {
            return complain_usage(line->command, "--percentiles %s: allowed are 0 to 100", request->percents.texts[n]);
        }
    }
    request->options.thresholds = request->thresholds.values;
    request->options.threshold_count = request->thresholds.count;
    return PW_OK;
}

/* What is asked for goes together, and the picture may be written. */
static pw_status check_distribution(const struct option_line *line, const struct coverage_request *request)
{
    if (request->thresholds.count > 0) {
        return complain_usage(line->command, "--threshold does not go together with --%s",
                              request->percents.count > 0 ? "percentiles"
                              : request->cdf != NULL      ? "cdf"
                                                          : "receivers");
    }
    const char *ending = request->cdf != NULL ? strrchr(request->cdf, '.') : NULL;
    if (request->cdf == NULL) {
        return PW_OK;
    }
    return ending != NULL && strcmp(ending, ".csv") == 0 ? check_output(request->cdf, request->force)
                                                         : check_picture(request->cdf, request->force, false);
}

static pw_status coverage_main(int argc, char **argv)
{
    struct coverage_request request = {.thresholds = {.example = "-60,-67,-75", .most = LEVEL_LIMIT},
                                       .percents = {.example = "10,50,90", .most = LEVEL_LIMIT},
                                       .sheet = pw_sheet_choice_default(),
                                       .options = {.map = pw_map_options_default()}};
    pw_map_options *map = &request.options.map;
    map->quantity = PW_RECEIVED_POWER;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "threshold", .kind = OPTION_TAKEN, .value = &request.thresholds, .letter = 't', .take = take_levels},
        {.name = "percentiles", .kind = OPTION_TAKEN, .value = &request.percents, .take = take_levels},
        {.name = "cdf", .kind = OPTION_OUTPUT, .value = &request.cdf},
        {.name = "receivers", .kind = OPTION_FLAG, .value = &request.receivers},
        {.name = "quantity", .kind = OPTION_WORD, .value = &map->quantity, .words = QUANTITY_NAMES},
        {.name = "tx", .kind = OPTION_TEXT, .value = &map->transmitter, .once = true},
        {.name = "area", .kind = OPTION_TAKEN, .value = &request.areas, .take = take_named_area},
        SHEET_OPTIONS(&request.sheet),
        FLOOR_OPTION(map),
        SPREADING_OPTION(&map->channel),
        HEIGHT_OPTIONS(&map->channel),
        MEAN_OPTIONS(map),
        RECEIVER_OPTIONS(map)};
    struct option_line line = OPTION_LINE(&coverage_command, entries, 1, 1, "RESULT.h5");
    pw_status status = option_read(&line);
    if (status == PW_OK && !line.help) {
        status = read_levels(&line, &request);
    }
    if (status == PW_OK && !line.help && wants_distribution(&request)) {
        status = check_distribution(&line, &request);
    }
    if (status != PW_OK || line.help) {
        return status;
    }
    request.options.areas = request.areas.areas;
    request.options.area_count = request.areas.count;
    map->channel.component = request.sheet.component;
    request.sheet.component = PW_COMPONENT_OWN;
    request.options.every_height = isnan(request.sheet.height) && request.sheet.cut == 0;
    map->local_mean = map->local_mean || map->mean_width > 0.0;
    return result_work(&(struct result_task){.result = line.operands[0],
                                             .output = request.output,
                                             .force = request.force,
                                             .verbosity = line.verbosity,
                                             .sheet = &request.sheet,
                                             .work = tabulate,
                                             .request = &request});
}

const struct command coverage_command = {.name = "coverage",
                                         .summary = "which part of the floor is over a threshold, and percentiles",
                                         .help = HELP,
                                         .run = coverage_main};
