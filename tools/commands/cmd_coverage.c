/* planwave coverage: which part of the floor is over which threshold, as a table. */
#include "program/map_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THRESHOLD_LIMIT = 64, AREA_LIMIT = 64 };

struct coverage_request {
    const char *output;
    bool force;
    const char *texts[THRESHOLD_LIMIT]; /* of the thresholds; their unit is known when all options are */
    double thresholds[THRESHOLD_LIMIT];
    double percents[THRESHOLD_LIMIT];
    int percent_count;
    const char *cdf;
    pw_area areas[AREA_LIMIT];
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
    "      --quantity WHAT     received-power (default), path-gain, path-loss, snr, sinr\n"
    "+                         with --percentiles or --cdf every quantity of planwave map but best-server\n"
    "      --percentiles LIST  in place of the table, e.g. 10,50,90: values that so many per cent\n"
    "                          of the floor have at most\n"
    "      --cdf FILE          the whole distribution, as .csv or as a picture (.png, .svg, .pdf)\n"
    "      --tx NAME           this transmitter only (in sinr the others interfere); best: the strongest\n"
    "                          one at each point only\n"
    "      --area NAME=BOX     count this rectangle too, e.g. lab=2,2,8,7 (x0,y0,x1,y1 [m]); repeatable\n" MEAN_HELP
    "  -o, --output FILE.csv   write the table as CSV as well\n"
    "  -f, --force             replace an existing file\n"
    "      --height H          three dimensions: the stored plane nearest to this height [m]; default:\n"
    "                          one table for each plane\n"
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
    "  planwave coverage office.h5 --quantity rms-delay-spread --percentiles 10,50,90 --cdf spread.png\n";

/* One line for each transmitter that is asked for. */
static pw_status print_percentiles(const pw_result *result, const struct coverage_request *request, FILE *report,
                                   pw_error *error)
{
    pw_map_options map = request->options.map;
    bool each = map.transmitter == NULL;
    int count = each ? pw_result_describe(result).transmitter_count : 1;
    for (int t = 0; t < count; t++) {
        pw_transmitter facts = {.name = map.transmitter};
        double values[THRESHOLD_LIMIT];
        pw_percentile_cells cells;
        if (each) {
            PW_TRY(pw_result_transmitter(result, t, &facts, error));
            map.transmitter = facts.name;
        }
        PW_TRY(pw_map_percentiles(result, &map, request->percents, request->percent_count, values, &cells, error));
        if (report == NULL) {
            continue;
        }
        if (t == 0) {
            fprintf(report, "%s [%s] that so many per cent of the floor (%s) have at most\n%-16s",
                    pw_quantity_name(map.quantity), pw_quantity_unit(map.quantity), cells.text, "");
            for (int n = 0; n < request->percent_count; n++) {
                fprintf(report, " %8g %%", request->percents[n]);
            }
            fputc('\n', report);
        }
        fprintf(report, "%-16s", facts.name);
        for (int n = 0; n < request->percent_count; n++) {
            fprintf(report, " %10.4g", values[n]);
        }
        fprintf(report, "   of %lld of %lld cells\n", (long long)cells.defined, (long long)cells.floor);
    }
    return PW_OK;
}

static pw_status distribute(const pw_result *result, const struct coverage_request *request, FILE *report,
                            pw_error *error)
{
    if (request->percent_count > 0) {
        PW_TRY(print_percentiles(result, request, report, error));
    }
    if (request->cdf != NULL) {
        PW_TRY(pw_map_distribution_write(result, &request->options.map, request->cdf, error));
        if (report != NULL) {
            fprintf(report, "wrote %s\n", request->cdf);
        }
    }
    return PW_OK;
}

static pw_status tabulate(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    const struct coverage_request *request = user;
    if (request->percent_count > 0 || request->cdf != NULL) {
        return distribute(result, request, report, error);
    }
    pw_status status = pw_coverage_write(result, &request->options, request->output, report, error);
    if (status == PW_OK && request->output != NULL && report != NULL) {
        fprintf(report, "wrote %s\n", request->output);
    }
    return status;
}

/* Cuts "-60,-67" at the commas; the texts are argv's. */
static pw_status take_thresholds(const struct option_line *line, const struct option_entry *entry, char *texts)
{
    struct coverage_request *request = entry->value;
    if (texts[strspn(texts, ", ")] == '\0') {
        return complain_usage(line->command, "--%s '%s': give one or several, such as -60,-67,-75", entry->name, texts);
    }
    for (char *text = strtok(texts, ","); text != NULL; text = strtok(NULL, ",")) {
        if (request->options.threshold_count == THRESHOLD_LIMIT) {
            return complain_usage(line->command, "too many thresholds; allowed are %d", THRESHOLD_LIMIT);
        }
        request->texts[request->options.threshold_count++] = text;
    }
    return PW_OK;
}

static pw_status take_percentiles(const struct option_line *line, const struct option_entry *entry, char *texts)
{
    struct coverage_request *request = entry->value;
    for (char *text = strtok(texts, ", "); text != NULL; text = strtok(NULL, ", ")) {
        char *end;
        double percent = strtod(text, &end);
        if (*end != '\0' || !(percent >= 0.0 && percent <= 100.0) || request->percent_count == THRESHOLD_LIMIT) {
            return complain_usage(line->command,
                                  "--percentiles '%s': give up to %d numbers from 0 to 100, such as "
                                  "10,50,90",
                                  text, THRESHOLD_LIMIT);
        }
        request->percents[request->percent_count++] = percent;
    }
    return request->percent_count > 0
               ? PW_OK
               : complain_usage(line->command, "--percentiles: give one or several, such as 10,50,90");
}

/* Percentiles take the place of the table, so that nothing which belongs to the table may be asked for. */
static pw_status check_distribution(const struct option_line *line, const struct coverage_request *request)
{
    if (request->percent_count == 0 && request->cdf == NULL) {
        return PW_OK;
    }
    if (request->output != NULL || request->options.threshold_count > 0 || request->options.area_count > 0) {
        return complain_usage(line->command, "--percentiles and --cdf do not go together with --output, --threshold "
                                             "or --area; the file of a distribution is named by --cdf");
    }
    size_t length = request->cdf != NULL ? strlen(request->cdf) : 0;
    bool csv = length > 4 && strcmp(request->cdf + length - 4, ".csv") == 0;
    return request->cdf == NULL ? PW_OK
           : csv                ? check_output(request->cdf, request->force)
                                : check_picture(request->cdf, request->force, false);
}

static pw_status take_area(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct coverage_request *request = entry->value;
    int index = request->options.area_count, used = 0;
    char *equals = strchr(text, '=');
    pw_area area = {NULL, 0.0, 0.0, 0.0, 0.0};
    if (index == AREA_LIMIT) {
        return complain_usage(line->command, "too many areas; allowed are %d", AREA_LIMIT);
    }
    if (equals == NULL || equals == text ||
        sscanf(equals + 1, "%lf ,%lf ,%lf ,%lf %n", &area.x0, &area.y0, &area.x1, &area.y1, &used) != 4 ||
        equals[1 + used] != '\0' || !isfinite(area.x0 + area.y0 + area.x1 + area.y1)) {
        return complain_usage(line->command, "--area '%s': give a name and two corners, such as lab=2,2,8,7", text);
    }
    *equals = '\0'; /* the name is argv's */
    area.name = text;
    request->areas[index] = area;
    request->options.area_count = index + 1;
    return PW_OK;
}

/* The thresholds in the unit of the quantity. */
static pw_status read_thresholds(const struct option_line *line, struct coverage_request *request)
{
    const char *unit = pw_quantity_unit(request->options.map.quantity);
    pw_status status = PW_OK;
    for (int n = 0; n < request->options.threshold_count && status == PW_OK; n++) {
        status = read_level(line, "threshold", request->texts[n], unit, &request->thresholds[n]);
    }
    return status;
}

static pw_status coverage_main(int argc, char **argv)
{
    struct coverage_request request = {.sheet = pw_sheet_choice_default(),
                                       .options = {.map = pw_map_options_default()}};
    pw_map_options *map = &request.options.map;
    map->quantity = PW_RECEIVED_POWER;
    request.options.thresholds = request.thresholds;
    request.options.areas = request.areas;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "threshold", .kind = OPTION_TAKEN, .value = &request, .letter = 't', .take = take_thresholds},
        {.name = "percentiles", .kind = OPTION_TAKEN, .value = &request, .take = take_percentiles},
        {.name = "cdf", .kind = OPTION_OUTPUT, .value = &request.cdf},
        {.name = "quantity", .kind = OPTION_WORD, .value = &map->quantity, .words = QUANTITY_NAMES},
        {.name = "tx", .kind = OPTION_TEXT, .value = &map->transmitter, .once = true},
        {.name = "area", .kind = OPTION_TAKEN, .value = &request, .take = take_area},
        SHEET_OPTIONS(&request.sheet),
        FLOOR_OPTION(map),
        SPREADING_OPTION(&map->channel),
        HEIGHT_OPTIONS(&map->channel),
        MEAN_OPTIONS(map),
        RECEIVER_OPTIONS(map)};
    struct option_line line = OPTION_LINE(&coverage_command, entries, 1, 1, "RESULT.h5");
    pw_status status = option_read(&line);
    if (status == PW_OK && !line.help) {
        status = read_thresholds(&line, &request);
    }
    if (status == PW_OK && !line.help) {
        status = check_distribution(&line, &request);
    }
    if (status != PW_OK || line.help) {
        return status;
    }
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

const struct command coverage_command = {
    .name = "coverage", .summary = "which part of the floor is over a threshold", .help = HELP, .run = coverage_main};
