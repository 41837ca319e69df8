/* planwave parameters: large-scale parameters of a floor, as 3GPP TR 38.901 has them for its scenarios. */
#include "program/map_options.h"

#include "program/progress.h"

#include <math.h>
#include <string.h>

struct parameters_request {
    const char *output;
    bool force;
    struct area_list areas;
    pw_sheet_choice sheet;
    pw_parameters_options options;
};

static const char HELP[] =
    "usage: planwave parameters RESULT.h5 [-o FILE.csv] [OPTIONS]...\n"
    "\n"
    "Prints what a link-level or system-level simulator needs of a building, with and without line of\n"
    "sight: path-loss exponent, shadow fading and its correlation distance, delay spread, azimuth\n"
    "spread of arrival and Rician K with their means, deviations and correlations, as 3GPP TR 38.901\n"
    "defines them (tables 7.4.1-1 and 7.5-6), and time clusters. Every number has an interval of 95 %.\n"
    "\n"
    "      --tx NAME           links from this transmitter; default: from all of them together\n"
    "      --area NAME=BOX     a room besides the floor, e.g. lab=2,2,8,7 (x0,y0,x1,y1 [m]); repeatable\n"
    "  -o, --output FILE       write the table: .csv, or .json\n"
    "  -f, --force             replace an existing file\n" SHEET_HELP
    "      --least-distance D  leave out places nearer to the transmitter; default 1m\n"
    "+     --component E       three dimensions: ez, ex, ey, or total (sum of the powers of all stored\n"
    "+                         components)\n"
    "+     --angles N          places of each transmitter of which azimuth spread and clusters are taken;\n"
    "+                         default 200, 0: none\n"
    "+     --cluster-gap T     a cluster ends where no path comes for longer; default 6ns\n"
    "+     --cluster-depth DB  paths are peaks of the profile so near to the strongest; default 25dB\n"
    "+     --draws N           of the bootstrap behind the intervals; default 200, 0: no intervals\n" CHANNEL_HELP
    "  -q, --quiet             print no table\n"
    "  -h, --help              print this text\n"
    "\n"
    "example:\n"
    "  planwave parameters office.h5 --area lab=2,2,8,7 -o office-parameters.csv\n"
    "+\n"
    "+Places are the cells of the floor that are air, a wavelength apart. Line of sight: no wall on\n"
    "+the straight line. Path loss is that of local means, PL = PL(1 m) + 10 n lg(d/1 m) by least\n"
    "+squares; close_in is the same with PL(1 m) of free space. Shadow fading (SF) is positive where more\n"
    "+is received. Its correlation is exp(-d/correlation distance). Delay and azimuth spreads are told as\n"
    "+lg(DS/1 s) and lg(ASA/1 degree). Intervals come from a bootstrap of whole squares of the floor,\n"
    "+because neighbours are not independent. Time clusters: Samimi and Rappaport (2016), with the 6 ns\n"
    "+that Ju et al. (2021) take indoors and the 25 dB of TR 38.901, 7.5, step 6. Peaks must come apart\n"
    "+within the gap: 2/bandwidth at most, 333 MHz for 6 ns.\n";

static void row_print(const char *name, const pw_parameters_row *rows, int parameter, FILE *out)
{
    fprintf(out, "    %-34s", name);
    for (int n = 0; n < 2; n++) {
        const pw_estimate *one = &rows[n].parameters.estimate[parameter];
        char value[PW_NUMBER_SIZE], low[PW_NUMBER_SIZE], high[PW_NUMBER_SIZE], range[2 * PW_NUMBER_SIZE + 8] = "";
        if (!isnan(one->low)) {
            snprintf(range, sizeof range, "(%s to %s)", pw_number_text(one->low, 3, low),
                     pw_number_text(one->high, 3, high));
        }
        fprintf(out, " %8s %-18s", isnan(one->value) ? "-" : pw_number_text(one->value, 3, value), range);
    }
    fputc('\n', out);
}

static void area_print(const char *area, const pw_parameters_options *options, const pw_parameters_row *rows, FILE *out)
{
    static const char *const WORDS[PW_LARGE_COUNT] = {[PW_LARGE_EXPONENT] = "path-loss exponent",
                                                      [PW_LARGE_INTERCEPT] = "path loss at 1 m [dB]",
                                                      [PW_LARGE_SHADOW] = "shadow fading, std [dB]",
                                                      [PW_LARGE_REACH] = "its correlation distance [m]",
                                                      [PW_LARGE_FREE_EXPONENT] = "exponent, 1 m as in free space",
                                                      [PW_LARGE_FREE_SHADOW] = "and std [dB]",
                                                      [PW_LARGE_DELAY_MEAN] = "lg(DS/1 s), mean",
                                                      [PW_LARGE_DELAY_DEVIATION] = "lg(DS/1 s), std",
                                                      [PW_LARGE_ANGLE_MEAN] = "lg(ASA/1 deg), mean",
                                                      [PW_LARGE_ANGLE_DEVIATION] = "lg(ASA/1 deg), std",
                                                      [PW_LARGE_K_MEAN] = "K, mean [dB]",
                                                      [PW_LARGE_K_DEVIATION] = "K, std [dB]",
                                                      [PW_LARGE_CLUSTERS_MEAN] = "time clusters, mean",
                                                      [PW_LARGE_CLUSTERS_DEVIATION] = "time clusters, std",
                                                      [PW_LARGE_CLUSTER_SPREAD] = "their rms delay spread [ns]",
                                                      [PW_LARGE_ANGLE_DELAY] = "correlation of ASA and DS",
                                                      [PW_LARGE_ANGLE_SHADOW] = "of ASA and SF",
                                                      [PW_LARGE_DELAY_SHADOW] = "of DS and SF",
                                                      [PW_LARGE_DELAY_K] = "of DS and K",
                                                      [PW_LARGE_ANGLE_K] = "of ASA and K",
                                                      [PW_LARGE_SHADOW_K] = "of SF and K"};
    fprintf(out, "  %-36s %8s %-18s %8s\n", area, "LOS", "(95 %)", "NLOS");
    fprintf(out, "    %-34s %8d %-18s %8d\n", "places", rows[0].parameters.samples, "", rows[1].parameters.samples);
    for (int p = 0; p < PW_LARGE_COUNT; p++) {
        row_print(WORDS[p], rows, p, out);
    }
    if (rows[0].parameters.cluster_samples + rows[1].parameters.cluster_samples == 0 && options->angle_places > 0) {
        fprintf(out, "    time clusters are not told: a band.width of %.0f MHz would resolve paths %g ns apart\n",
                2e-6 / options->cluster_gap, 1e9 * options->cluster_gap);
    }
    for (int n = 0; n < 2; n++) {
        const pw_parameters *found = &rows[n].parameters;
        if (found->unresolved > 0.1 * found->delay_samples) {
            fprintf(
                out,
                "    %.0f %% of the delay spreads %s are below what the band resolves: a wider band.width tells more\n",
                100.0 * found->unresolved / found->delay_samples, rows[n].sight ? "with sight" : "without sight");
        }
    }
}

static pw_status parameters_do(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    struct parameters_request *request = user;
    struct work_view view = {.started = progress_seconds(), .silent = report == NULL};
    pw_parameters_row rows[2 * (1 + AREA_LIMIT)];
    pw_parameters_options options = request->options;
    options.areas = request->areas.areas;
    options.area_count = request->areas.count;
    options.monitor = (pw_monitor){work_show, &view};
    pw_status status = pw_parameters_read(result, &options, rows, error);
    work_end(&view);
    for (int a = 0; status == PW_OK && report != NULL && a <= options.area_count; a++) {
        area_print(a == 0 ? "the floor" : options.areas[a - 1].name, &options, rows + 2 * (size_t)a, report);
    }
    if (status == PW_OK && request->output != NULL) {
        status = pw_parameters_write(result, &options, rows, request->output, error);
    }
    if (status == PW_OK) {
        tell_written(report, request->output);
    }
    return status;
}

static pw_status parameters_main(int argc, char **argv)
{
    struct parameters_request request = {.sheet = pw_sheet_choice_default(),
                                         .options = pw_parameters_options_default()};
    pw_parameters_options *options = &request.options;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "tx", .kind = OPTION_TEXT, .value = &options->transmitter, .once = true},
        {.name = "area", .kind = OPTION_TAKEN, .value = &request.areas, .take = take_named_area},
        {.name = "least-distance", .kind = OPTION_LENGTH, .value = &options->least_distance},
        {.name = "angles", .kind = OPTION_INTEGER, .value = &options->angle_places, .most = 100000},
        {.name = "cluster-gap", .kind = OPTION_TIME, .value = &options->cluster_gap},
        {.name = "cluster-depth", .kind = OPTION_TAKEN, .value = &options->cluster_depth, .take = take_decibels},
        {.name = "draws", .kind = OPTION_INTEGER, .value = &options->draws, .most = 10000},
        SHEET_OPTIONS(&request.sheet),
        CHANNEL_OPTIONS(&options->channel)};
    struct option_line line = OPTION_LINE(&parameters_command, entries, 1, 1, "RESULT.h5");
    pw_status status = option_read(&line);
    if (status != PW_OK || line.help) {
        return status;
    }
    options->channel.component = request.sheet.component;
    request.sheet.component = PW_COMPONENT_OWN;
    return result_work(&(struct result_task){.result = line.operands[0],
                                             .output = request.output,
                                             .force = request.force,
                                             .verbosity = line.verbosity,
                                             .sheet = &request.sheet,
                                             .work = parameters_do,
                                             .request = &request});
}

const struct command parameters_command = {.name = "parameters",
                                           .summary = "path loss, shadowing and spreads as TR 38.901 has them",
                                           .help = HELP,
                                           .run = parameters_main};
