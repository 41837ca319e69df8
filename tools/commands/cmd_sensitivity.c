/* planwave sensitivity: how the power of a link changes with materials and walls, and which wall decides. */
#include "program/tool.h"

#include "program/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, PARAMETER_LIMIT = 64 };

struct sensitivity_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *scenario, *output, *walls, *transmitter, *receiver;
    struct override_list overrides;
    pw_parameter parameters[PARAMETER_LIMIT];
    pw_gradients_options options;
    int precision;
    bool force, check;
};

static const char HELP[] =
    "usage: planwave sensitivity SCENARIO.yaml [OPTIONS]...\n"
    "\n"
    "How much does the power of a link change if a wall is not what the plan says? Prints, for every\n"
    "transmitter and receiver, how many dB the received power changes when a parameter grows by 10 %,\n"
    "and per unit. Lists and draws which walls decide.\n"
    "\n"
    "One run for each place of a transmitter or receiver gives all derivatives exactly. The scenario\n"
    "needs receivers. In two dimensions powers are those of planwave channel --spreading distance.\n"
    "\n"
    "      --vary WHAT         brick:permittivity, brick:conductivity or brick:thickness; may be\n"
    "                          repeated. Default: permittivity and conductivity of every material\n"
    "                          One wall: walls[3]:permittivity. A place: ap:x or ap:y of transmitter ap.\n"
    "+                         Sheets: coating:resistance, where nodes follow it smoothly\n"
    "      --tx NAME           the link that is drawn; default: the first transmitter\n"
    "      --rx NAME           and its receiver; default: the first\n"
    "      --check             compare with two more runs per parameter, with 1 % more and less of it\n"
    "+                         (in double precision 0.1 %)\n"
    "+     --set KEY=VALUE     change a key of the scenario; may be repeated\n"
    "+     --precision WHICH   single (default) or double\n"
    "+     --backend NAME      auto (default), cuda, cpu, reference\n"
    "+     --devices WHICH     GPUs: all, a count (2), or numbers (0,1); default: one\n"
    "+     --threads N         CPU threads; default: all cores\n"
    "      --walls FILE.csv    write what each wall alone does: a line a link and a piece of wall\n"
    "  -o, --output FILE       .png, .svg or .pdf; default: the scenario's name with -sensitivity.png\n"
    "+                         The table is written beside it as .csv\n"
    "  -f, --force             replace existing files\n"
    "  -q, --quiet             print nothing\n"
    "  -h, --help              print this text\n"
    "\n"
    "example:\n"
    "  planwave sensitivity floorplans/empty_room.yaml --vary brick:permittivity --rx middle\n";

static pw_status take_parameter(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct sensitivity_request *request = entry->value;
    pw_error error = {{0}};
    if (request->options.parameter_count == PARAMETER_LIMIT) {
        return complain_usage(line->command, "too many parameters; allowed are %d", PARAMETER_LIMIT);
    }
    return pw_parameter_parse(text, &request->parameters[request->options.parameter_count++], &error) == PW_OK
               ? PW_OK
               : complain_usage(line->command, "--vary: %s", error.message);
}

/* ---- what was found, as a table ---------------------------------------------------------------------------------- */

/* The unit in which a change is told: a centimetre of a wall is more than any wall's metre. */
static double told_unit(pw_parameter_kind kind, const char **name)
{
    static const char *const NAMES[PW_PARAMETER_KIND_COUNT] = {"1", "0.01 S/m", "cm", "ohm", "cm", "cm"};
    *name = NAMES[kind];
    return kind == PW_PARAMETER_PERMITTIVITY || kind == PW_PARAMETER_RESISTANCE ? 1 : 0.01;
}

static void row_print(const pw_gradients *made, int t, int r, int p, const double *checked, FILE *out)
{
    char name[PW_PARAMETER_TEXT_SIZE], value[PW_NUMBER_SIZE], change[PW_NUMBER_SIZE], one[PW_NUMBER_SIZE];
    pw_parameter_range range;
    const pw_parameter parameter = pw_gradients_parameter(made, p, &range);
    const pw_gradients_level level = pw_gradients_of_level(made, t, r, p);
    const char *unit;
    const double per = told_unit(parameter.kind, &unit);
    fprintf(out, "  %-36s %8s %-4s %8s dB", pw_parameter_text(&parameter, name), pw_number_text(range.low, 3, value),
            strcmp(pw_parameter_unit(parameter.kind), "1") == 0 ? "" : pw_parameter_unit(parameter.kind),
            parameter.kind < PW_PARAMETER_X ? pw_number_text(0.1 * level.per_relative, 3, change) : "-");
    if (isnan(level.per_unit)) {
        fprintf(out, "   several values, up to %s", pw_number_text(range.high, 3, one));
    } else {
        fprintf(out, "%8s dB per %s", pw_number_text(level.per_unit * per, 3, one), unit);
    }
    if (checked != NULL && parameter.kind < PW_PARAMETER_X) {
        fprintf(out, "   two runs: %s dB", pw_number_text(0.1 * checked[p], 3, one));
    } else if (checked != NULL) {
        fprintf(out, "   two runs: %s dB per %s", pw_number_text(checked[p] / range.low * per, 3, one), unit);
    }
    fputc('\n', out);
}

/* `checked`: (link, parameter), or NULL. */
static void table_print(const pw_scenario *scenario, const pw_gradients *made, const double *checked, FILE *out)
{
    const pw_gradients_facts facts = pw_gradients_describe(made);
    fprintf(out, "%d runs, %lld values of the walls, %d frequencies\n", facts.runs, (long long)facts.nodes,
            facts.frequencies);
    if (facts.left_out > 0) {
        fprintf(out, "%lld nodes beside metal are left out; --vary refuses such materials\n",
                (long long)facts.left_out);
    }
    for (int t = 0; t < facts.transmitters; t++) {
        for (int r = 0; r < facts.receivers; r++) {
            fprintf(out, "%s to %s: the received power changes by, with 10 %% more of\n",
                    pw_scenario_describe_transmitter(scenario, t).name,
                    pw_scenario_describe_receiver(scenario, r).name);
            for (int p = 0; p < facts.parameters; p++) {
                const int link = t * facts.receivers + r;
                row_print(made, t, r, p, checked != NULL ? checked + (size_t)link * (size_t)facts.parameters : NULL,
                          out);
            }
        }
    }
}

static void table_rows(const pw_scenario *scenario, const pw_gradients *made, FILE *file)
{
    const pw_gradients_facts facts = pw_gradients_describe(made);
    fputs("transmitter,receiver,parameter,low,high,unit,dB per relative change,dB per unit\n", file);
    for (int link = 0; link < facts.transmitters * facts.receivers; link++) {
        const int t = link / facts.receivers, r = link % facts.receivers;
        for (int p = 0; p < facts.parameters; p++) {
            char name[PW_PARAMETER_TEXT_SIZE];
            pw_parameter_range range;
            const pw_parameter parameter = pw_gradients_parameter(made, p, &range);
            const pw_gradients_level level = pw_gradients_of_level(made, t, r, p);
            pw_csv_write(file, "%s,%s,%s,%.9g,%.9g,%s,%.9g,%.9g\n", pw_scenario_describe_transmitter(scenario, t).name,
                         pw_scenario_describe_receiver(scenario, r).name, pw_parameter_text(&parameter, name),
                         range.low, range.high, pw_parameter_unit(parameter.kind), level.per_relative, level.per_unit);
        }
    }
}

/* ---- wall by wall ------------------------------------------------------------------------------------------------ */

enum { WALLS_TOLD = 10, WALLS_MOST = 512 };

static void walls_print(const pw_gradients_wall *walls, int count, FILE *out)
{
    for (int n = 0; n < count; n++) {
        const pw_gradients_wall *wall = &walls[n];
        char change[PW_NUMBER_SIZE], centimetre[PW_NUMBER_SIZE], thickness[PW_NUMBER_SIZE], place[64];
        snprintf(place, sizeof place, "(%.2f, %.2f) to (%.2f, %.2f) m", wall->line[0], wall->line[1], wall->line[2],
                 wall->line[3]);
        fprintf(out, "  %-*s %5s cm  %-36s", pw_text_field(wall->material, 24), wall->material,
                pw_number_text(100 * wall->thickness, 3, thickness), place);
        if (!isnan(wall->per_relative)) {
            fprintf(out, " %8s dB", pw_number_text(0.1 * wall->per_relative, 3, change));
        }
        if (!isnan(wall->per_metre)) {
            fprintf(out, " %8s dB per cm", pw_number_text(0.01 * wall->per_metre, 3, centimetre));
        }
        fputc('\n', out);
    }
}

/* The first ten walls of the link that is drawn. */
static pw_status walls_tell(const pw_scenario *scenario, const pw_gradients *made, int t, int r, FILE *out,
                            pw_error *error)
{
    pw_gradients_wall walls[WALLS_TOLD];
    int count = 0;
    PW_TRY(pw_gradients_walls(made, t, r, WALLS_TOLD, walls, &count, error));
    fprintf(out, "%s to %s: walls that decide, each with 10 %% more permittivity and conductivity, or 1 cm thicker\n",
            pw_scenario_describe_transmitter(scenario, t).name, pw_scenario_describe_receiver(scenario, r).name);
    walls_print(walls, count, out);
    return PW_OK;
}

static pw_status walls_rows(const pw_scenario *scenario, const pw_gradients *made, FILE *file, pw_error *error)
{
    const pw_gradients_facts facts = pw_gradients_describe(made);
    pw_gradients_wall *walls = pw_allocate(WALLS_MOST, sizeof *walls, "walls", error);
    pw_status status = walls == NULL ? PW_NO_RESOURCE : PW_OK;
    fputs("transmitter,receiver,material,thickness_m,x0_m,y0_m,x1_m,y1_m,dB per relative change,dB per metre\n", file);
    for (int link = 0; status == PW_OK && link < facts.transmitters * facts.receivers; link++) {
        const int t = link / facts.receivers, r = link % facts.receivers;
        int count = 0;
        status = pw_gradients_walls(made, t, r, WALLS_MOST, walls, &count, error);
        for (int n = 0; n < count; n++) {
            const pw_gradients_wall *wall = &walls[n];
            pw_csv_write(file, "%s,%s,%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
                         pw_scenario_describe_transmitter(scenario, t).name,
                         pw_scenario_describe_receiver(scenario, r).name, wall->material, wall->thickness,
                         wall->line[0], wall->line[1], wall->line[2], wall->line[3], wall->per_relative,
                         wall->per_metre);
        }
    }
    free(walls);
    return status;
}

static pw_status walls_write(const char *path, const pw_scenario *scenario, const pw_gradients *made, pw_error *error)
{
    FILE *file = pw_file_create(path, error);
    PW_TRY_MADE(file);
    return pw_file_conclude(file, path, walls_rows(scenario, made, file, error), error);
}

/* ---- which wall decides, as a picture ---------------------------------------------------------------------------- */

/* Where the colours end: the greatest values stand at single nodes, and one value in a hundred is beyond. */
static double colour_end(const double *map, size_t nodes, double *sizes)
{
    size_t count = 0;
    for (size_t n = 0; n < nodes; n++) {
        if (map[n] != 0) {
            sizes[count++] = fabs(map[n]);
        }
    }
    qsort(sizes, count, sizeof *sizes, pw_number_order);
    return count > 0 ? sizes[count - 1 - count / 100] : 1;
}

static void picture_send(pw_plot *plot, const pw_scenario *scenario, const pw_gradients_facts *facts, int t, int r,
                         const char *data, double end)
{
    const pw_scenario_transmitter from = pw_scenario_describe_transmitter(scenario, t);
    const pw_scenario_receiver to = pw_scenario_describe_receiver(scenario, r);
    char title[256];
    snprintf(title, sizeof title, "Which wall decides: %.60s to %.60s", from.name, to.name);
    pw_plot_send(plot, "set title %s\n", pw_plot_quote(plot, title));
    pw_plot_send(plot, "set size ratio -1\nset xlabel 'x [m]'\nset ylabel 'y [m]'\nset tics out nomirror\n"
                       "set border 3\nset key off\n");
    pw_plot_send(plot, "set cblabel 'change of the received power with 10 %% more of everything [dB/m²]' offset 1.5\n");
    pw_plot_send(plot, "set palette defined (-1 '#2166ac', -0.5 '#67a9cf', 0 '#e6e6e6', 0.5 '#ef8a62', 1 '#b2182b')\n");
    pw_plot_send(plot, "set cbrange [%.9g:%.9g]\n", -end, end);
    pw_plot_send(plot, "set xrange [0:%.9g]\nset yrange [0:%.9g]\n", facts->plan_width, facts->plan_height);
    pw_plot_send(plot, "set arrow from %.9g,%.9g to %.9g,%.9g nohead front lc rgb '#555555' dt 3\n", from.x, from.y,
                 to.x, to.y);
    pw_plot_send(plot, "set label %s at %.9g,%.9g point pt 9 ps 1.6 lc rgb 'black' offset 1,0.6 front\n",
                 pw_plot_quote(plot, from.name), from.x, from.y);
    pw_plot_send(plot, "set label %s at %.9g,%.9g point pt 7 ps 1.2 lc rgb 'black' offset 1,0.6 front\n",
                 pw_plot_quote(plot, to.name), to.x, to.y);
    pw_plot_send(plot,
                 "plot %s binary array=(%d,%d) format='%%float64' origin=(%.9g,%.9g) dx=%.9g dy=%.9g "
                 "using ($1==0?NaN:$1) with image\n",
                 data, facts->nx, facts->ny, facts->origin_x, facts->origin_y, facts->cell, facts->cell);
}

/* The mean over the walls within a quarter of a wavelength: what neighbours take from each other goes. `mean` (ny, nx).
 */
static void smooth(const double *map, const pw_gradients_facts *facts, double wavelength, double *mean)
{
    const int reach = (int)lround(0.25 * wavelength / facts->cell);
    for (int j = 0; j < facts->ny; j++) {
        for (int i = 0; i < facts->nx; i++) {
            const size_t at = (size_t)j * (size_t)facts->nx + (size_t)i;
            double sum = 0;
            int count = 0;
            for (int y = j - reach; map[at] != 0 && y <= j + reach; y++) {
                for (int x = i - reach; x <= i + reach; x++) {
                    const bool inside = x >= 0 && y >= 0 && x < facts->nx && y < facts->ny;
                    const double value = inside ? map[(size_t)y * (size_t)facts->nx + (size_t)x] : 0;
                    sum += value;
                    count += value != 0;
                }
            }
            mean[at] = count > 0 ? 0.1 * sum / count : 0; /* of 10 % */
        }
    }
}

static pw_status picture_write(const struct sensitivity_request *request, const pw_scenario *scenario,
                               const pw_gradients *made, int t, int r, pw_error *error)
{
    const pw_gradients_facts facts = pw_gradients_describe(made);
    const size_t nodes = (size_t)facts.nx * (size_t)facts.ny;
    pw_plot *plot = NULL;
    PW_OWNED double *map = pw_allocate(3 * nodes, sizeof *map, "the map of the walls", error);
    PW_TRY_MADE(map);
    PW_TRY(pw_gradients_map(made, t, r, 0, facts.parameters, map, error));
    double *mean = map + nodes;
    smooth(map, &facts, PW_SPEED_OF_LIGHT / pw_scenario_describe(scenario).band_centre, mean);
    const double longer = fmax(facts.plan_width, facts.plan_height);
    const int width = 240 + (int)(900 * facts.plan_width / longer),
              height = 140 + (int)(900 * facts.plan_height / longer);
    PW_TRY(pw_plot_open(request->output, width, height, &plot, error));
    const double end = colour_end(mean, nodes, mean + nodes);
    picture_send(plot, scenario, &facts, t, r, pw_plot_data(plot, mean, nodes * sizeof *mean), end);
    return pw_plot_finish(plot, error);
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */

static pw_status find_link(const struct sensitivity_request *request, const pw_scenario *scenario, int *t, int *r,
                           pw_error *error)
{
    const int receivers = pw_scenario_describe(scenario).receiver_count;
    *t = request->transmitter != NULL ? pw_scenario_find_transmitter(scenario, request->transmitter) : 0;
    PW_FAIL_IF(*t < 0, error, PW_USAGE, "--tx '%s': the scenario has no such transmitter. The first is '%s'",
               request->transmitter, pw_scenario_describe_transmitter(scenario, 0).name);
    *r = 0;
    while (request->receiver != NULL && *r < receivers &&
           strcmp(pw_scenario_describe_receiver(scenario, *r).name, request->receiver) != 0) {
        ++*r;
    }
    PW_FAIL_IF(request->receiver != NULL && *r == receivers, error, PW_USAGE,
               "--rx '%s': the scenario has no such receiver%s%s%s", request->receiver,
               receivers > 0 ? ". The first is '" : "",
               receivers > 0 ? pw_scenario_describe_receiver(scenario, 0).name : "", receivers > 0 ? "'" : "");
    return PW_OK;
}

/* (link, parameter), which the caller frees. */
static pw_status check_all(const struct sensitivity_request *request, const pw_gradients *made, double **checked,
                           pw_error *error)
{
    const pw_gradients_facts facts = pw_gradients_describe(made);
    const int links = facts.transmitters * facts.receivers;
    double *one = pw_allocate((size_t)links, sizeof *one, "what two runs say", error);
    *checked = pw_allocate((size_t)links * (size_t)facts.parameters, sizeof **checked, "what two runs say", error);
    const double step = request->options.precision == PW_DOUBLE ? 1e-3 : 1e-2; /* as much as rounding asks for */
    pw_status status = one == NULL || *checked == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int p = 0; status == PW_OK && p < facts.parameters; p++) {
        status = pw_gradients_check(made, &request->options.compute, p, step, one, error);
        for (int link = 0; link < links; link++) {
            (*checked)[(size_t)link * (size_t)facts.parameters + (size_t)p] = one[link];
        }
    }
    free(one);
    return status;
}

static pw_status write_all(const struct sensitivity_request *request, const pw_scenario *scenario,
                           const pw_gradients *made, const int link[2], const char *csv, FILE *report, pw_error *error)
{
    double *checked = NULL;
    if (request->check) {
        pw_status status = check_all(request, made, &checked, error);
        if (status != PW_OK) {
            free(checked);
            return status;
        }
    }
    if (report != NULL) {
        table_print(scenario, made, checked, report);
    }
    free(checked);
    if (report != NULL) {
        PW_TRY(walls_tell(scenario, made, link[0], link[1], report, error));
    }
    FILE *file = pw_file_create(csv, error);
    PW_TRY_MADE(file);
    table_rows(scenario, made, file);
    PW_TRY(pw_file_finish(file, csv, error));
    PW_TRY(picture_write(request, scenario, made, link[0], link[1], error));
    if (request->walls != NULL) {
        PW_TRY(walls_write(request->walls, scenario, made, error));
    }
    if (report != NULL) {
        fprintf(report, "wrote %s and %s%s%s\n", request->output, csv, request->walls != NULL ? " and " : "",
                request->walls != NULL ? request->walls : "");
    }
    return PW_OK;
}

static pw_status solve(const struct sensitivity_request *request, const char *csv, int verbosity, pw_error *error)
{
    PW_OWNED_AS(pw_scenario) *scenario = NULL;
    PW_OWNED_AS(pw_gradients) *made = NULL;
    struct work_view view = {.started = progress_seconds(), .silent = verbosity < 0};
    int link[2] = {0, 0};
    pw_gradients_options options = request->options;
    options.monitor = (pw_monitor){work_show, &view};
    PW_TRY(pw_scenario_load(request->scenario, request->overrides.texts, request->overrides.count, &scenario, error));
    PW_TRY(find_link(request, scenario, &link[0], &link[1], error));
    const pw_status status = pw_gradients_solve(scenario, &options, &made, error);
    work_end(&view);
    PW_TRY(status);
    return write_all(request, scenario, made, link, csv, verbosity < 0 ? NULL : stdout, error);
}

static pw_status sensitivity_main(int argc, char **argv)
{
    struct sensitivity_request request = {0};
    pw_compute *compute = &request.options.compute;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "vary", .kind = OPTION_TAKEN, .value = &request, .take = take_parameter},
        {.name = "tx", .kind = OPTION_TEXT, .value = &request.transmitter, .once = true},
        {.name = "rx", .kind = OPTION_TEXT, .value = &request.receiver, .once = true},
        {.name = "walls", .kind = OPTION_OUTPUT, .value = &request.walls},
        {.name = "check", .kind = OPTION_FLAG, .value = &request.check},
        {.name = "set", .kind = OPTION_TAKEN, .value = &request.overrides, .take = option_take_override},
        {.name = "precision", .kind = OPTION_WORD, .value = &request.precision, .words = PRECISION_WORDS},
        COMPUTE_OPTIONS(compute)};
    struct option_line line = OPTION_LINE(&sensitivity_command, entries, 1, 1, "SCENARIO.yaml");
    pw_error error = {{0}};
    char csv[PATH_SIZE + 8];
    pw_status status = option_read(&line);
    if (status == PW_OK && !line.help) {
        request.scenario = line.operands[0];
        request.options.parameters = request.parameters;
        request.options.precision = (pw_precision)request.precision;
        request.output =
            output_name(request.output, request.scenario, "-sensitivity.png", request.derived, sizeof request.derived);
        status = check_picture(request.output, request.force, false);
    }
    if (status == PW_OK && !line.help) {
        snprintf(csv, sizeof csv, "%.*s.csv", (int)strlen(request.output) - 4, request.output);
        status = check_output(csv, request.force);
    }
    if (status == PW_OK && !line.help) {
        status = progress_catch_signals();
    }
    if (status == PW_OK && !line.help) {
        status = solve(&request, csv, line.verbosity, &error);
        status = status != PW_OK ? complain_error(status, &error) : status;
    }
    free(request.overrides.texts);
    return status;
}

const struct command sensitivity_command = {.name = "sensitivity",
                                            .summary = "how a link changes with each material and wall",
                                            .help = HELP,
                                            .run = sensitivity_main};
