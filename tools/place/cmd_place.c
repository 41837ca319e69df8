/* planwave place: where do the access points go? */
#include "place/planwave_place.h"

#include "program/map_options.h"
#include "program/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_LIMIT = 256, TEXT_SIZE = 64 };

struct place_request {
    const char *scenario, *output, *picture, *json, *levels, *levels_from;
    bool force, dry_run, slide;
    struct override_list overrides;
    pw_siting_options options;
    pw_site listed[LISTED_LIMIT];
    pw_siting_area areas[PW_SITING_AREAS];
    pw_siting_need need;
    int verbosity;
    const char *channels[PW_SITING_CHANNELS];
    char channel_texts[PW_SITING_CHANNELS][PW_SITING_CHANNEL_TEXT];
    bool channels_counted; /* so many, and no names */
    int channel_count;
    double noise_figure, noise_bandwidth;
    struct work_view progress;
};

static const char HELP[] =
    "usage: planwave place PLAN.yaml [OPTIONS]...\n"
    "\n"
    "Where do the access points go? planwave runs one simulation per candidate position, or one per\n"
    "demand point if there are fewer of those. It then chooses the fewest candidates that meet the need,\n"
    "or the best N. New access points are like the first transmitter of the plan (power, height).\n"
    "\n"
    "      --candidates WHAT   grid:2m (default): every 2 m inside the building; 3,4;7,4: these points;\n"
    "                          FILE.csv with lines x,y\n"
    "+                         grid:2m@2,2,9,14: in the box x0,y0,x1,y1 only. A CSV with a heading may\n"
    "+                         have the columns x,y,z,name\n"
    "      --demand WHAT       where a signal is wanted: grid:0.5m (default) or FILE.csv: x,y[,weight]\n"
    "+                         A CSV with a heading may have the columns x,y,z,weight\n"
    "      --area NAME=BOX     demand in this rectangle only: x0,y0,x1,y1[:weight] [m]; may be repeated\n"
    "+                         inside[:weight] is the whole inside of the building (default). Where areas\n"
    "+                         overlap, the last one counts. A weight is that of each demand point\n"
    "      --need LEVEL:SHARE  level that a share of the demand must reach; default -67dBm:95%\n"
    "+     --second LEVEL      level of the second strongest access point, e.g. -75dBm or -75dBm:90%; the\n"
    "+                         share is that of --need unless given\n"
    "      --best N            place N access points as well as possible\n"
    "+                         First the most demand at the level of --need, then at that of --second,\n"
    "+                         then the highest mean level\n"
    "      --slide             then slide each access point to where it does more; takes more simulations\n"
    "+                         At most half the distance between candidates, and never into a wall. What\n"
    "+                         is worse than where it began is not taken\n"
    "      --most N            never place more than N\n"
    "      --channels LIST     assign channels with least interference: 1,6,11, or a count such as 3\n"
    "+                         They are written into the plan of -o. A count takes channels of Wi-Fi in\n"
    "+                         the band of the plan that do not overlap: 1, 6, 11; 36, 40, 44, ...\n"
    "+     --tx NAME           the transmitter that the access points are like; default: the first\n"
    "+     --send WHO          who transmits in the simulations: auto (default), candidates, places.\n"
    "+                         places uses reciprocity and needs antennas without directions\n"
    "+     --height H          height of the demand points over the lowest floor [m]; default 1.5 if the\n"
    "+                         access points have a height\n"
    "+     --mean WIDTH        average levels over WIDTH by WIDTH; default: one wavelength\n"
    "+     --gain DBI          gain of the receiver; default 0 dBi\n" SPREADING_HELP
    "+     --noise-figure DB   noise figure of the receiver; default 7 dB (with --channels)\n"
    "+     --bandwidth HZ      noise bandwidth of the receiver; default 20 MHz (with --channels)\n"
    "+     --search TIME       time for the proof that the answer is the best; default 30 s\n"
    "+     --accurate          run as long and with as many frequencies as planwave run; default: only\n"
    "+                         what levels need\n"
    "+     --set KEY=VALUE     change a key of the plan; may be repeated\n"
    "+     --backend NAME      auto (default), cuda, cpu, reference\n"
    "+     --devices WHICH     GPUs: all, a count (2), or numbers (0,1); default: one. Each GPU takes\n"
    "+                         some of the runs. A grid that is too large for one is split over all\n"
    "+     --threads N         CPU threads; default: all cores\n"
    "      --dry-run           say how many simulations are needed and how long they take, and stop\n"
    "  -o, --output FILE.yaml  write the plan with the chosen access points, ready for planwave run\n"
    "      --map FILE.png      solve the answer and draw the strongest level (PNG, SVG or PDF)\n"
    "+     --json FILE         write the answer as JSON\n"
    "      --levels FILE.csv   write the level of every candidate at every demand point\n"
    "      --from-levels FILE  read these levels instead of simulating again, e.g. for another --need\n"
    "  -f, --force             replace existing files\n"
    "  -q, --quiet             print no table\n"
    "  -h, --help              print this text\n"
    "+\n"
    "+Exit status 1: these candidates do not meet the need, or the search ended before it was met. The\n"
    "+answer is then the best one found, and the files are written.\n"
    "\n"
    "examples:\n"
    "  planwave place flat.yaml --candidates grid:2m --need -67dBm:95% -o answer.yaml\n"
    "  planwave place office.yaml --best 3 --channels 1,6,11 --map answer.png\n"
    "+ planwave place office.yaml --best 3 --area all=inside --area lab=2,2,8,7:5 --map answer.png\n";

static const char *const SENDERS[] = {"auto", "candidates", "places", NULL};

/* ---- options ---- */

static bool is_file(const char *text)
{
    return strchr(text, '.') != NULL && strspn(text, "0123456789+-.eE,; ") != strlen(text);
}

/* "grid:2m", and behind an @ a box where `box` is not NULL. */
static pw_status take_grid(const struct option_line *line, const char *name, const char *text, double *spacing,
                           double *box)
{
    char length[TEXT_SIZE];
    pw_error error = {""};
    const char *at = strchr(text, '@');
    int used = 0;
    snprintf(length, sizeof length, "%.*s", (int)(at != NULL ? at - text : TEXT_SIZE - 1), text);
    if (pw_parse_length(length, spacing, &error) != PW_OK || !(*spacing > 0.0)) {
        return complain_usage(line->command, "--%s: 'grid:%s' needs a spacing, such as grid:2m", name, text);
    }
    if (at == NULL) {
        return PW_OK;
    }
    if (box == NULL || sscanf(at + 1, "%lf ,%lf ,%lf ,%lf %n", &box[0], &box[1], &box[2], &box[3], &used) != 4 ||
        at[1 + used] != '\0') {
        return complain_usage(line->command, "--%s: 'grid:%s': %s", name, text,
                              box == NULL ? "a box is given by --area here"
                                          : "a box has four numbers, such as grid:2m@2,2,9,14");
    }
    return PW_OK;
}

static pw_status take_candidates(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct place_request *request = entry->value;
    pw_siting_options *options = &request->options;
    options->candidates = NULL;
    options->candidate_path = NULL;
    options->has_candidate_box = false;
    if (strncmp(text, "grid:", 5) == 0) {
        options->has_candidate_box = strchr(text, '@') != NULL;
        return take_grid(line, entry->name, text + 5, &options->candidate_spacing, options->candidate_box);
    }
    if (is_file(text)) {
        options->candidate_path = text;
        return PW_OK;
    }
    options->candidates = request->listed;
    options->candidate_count = 0;
    for (char *point = strtok(text, ";"); point != NULL; point = strtok(NULL, ";")) {
        pw_place place;
        if (options->candidate_count == LISTED_LIMIT || !point_take(point + strspn(point, " "), &place)) {
            return complain_usage(line->command,
                                  "--candidates '%s': give grid:2m, a file, or up to %d points x,y or x,y,z with ; "
                                  "between them",
                                  point, LISTED_LIMIT);
        }
        request->listed[options->candidate_count++] =
            (pw_site){place.x, place.y, place.has_height ? place.height : (double)NAN, 1.0, NULL};
    }
    return options->candidate_count > 0
               ? PW_OK
               : complain_usage(line->command, "--candidates: give grid:2m, a file, or points such as '3,4;7,4'");
}

static pw_status take_demand(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct place_request *request = entry->value;
    request->options.place_path = NULL;
    if (strncmp(text, "grid:", 5) == 0) {
        return take_grid(line, entry->name, text + 5, &request->options.place_spacing, NULL);
    }
    if (!is_file(text)) {
        return complain_usage(line->command, "--demand '%s': give grid:0.5m or a CSV of points", text);
    }
    request->options.place_path = text;
    return PW_OK;
}

static pw_status take_area(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct place_request *request = entry->value;
    pw_siting_area area = {.weight = 1.0};
    char *equals = strchr(text, '='), *colon = equals != NULL ? strchr(equals, ':') : NULL, *end = NULL;
    int used = 0;
    if (request->options.area_count == PW_SITING_AREAS) {
        return complain_usage(line->command, "too many areas; allowed are %d", PW_SITING_AREAS);
    }
    if (colon != NULL) {
        *colon = '\0';
        area.weight = strtod(colon + 1, &end);
    }
    area.inside = equals != NULL && strcmp(equals + 1, "inside") == 0;
    bool box = equals != NULL &&
               sscanf(equals + 1, "%lf ,%lf ,%lf ,%lf %n", &area.x0, &area.y0, &area.x1, &area.y1, &used) == 4 &&
               equals[1 + used] == '\0' && isfinite(area.x0 + area.y0 + area.x1 + area.y1);
    if (equals == NULL || equals == text || !(area.inside || box) ||
        (colon != NULL && (end == colon + 1 || *end != '\0' || !(area.weight > 0.0) || !isfinite(area.weight)))) {
        return complain_usage(line->command,
                              "--area '%s%s%s': write NAME=x0,y0,x1,y1 or NAME=inside, with a weight above 0 if you "
                              "like, e.g. lab=2,2,8,7:5",
                              text, colon != NULL ? ":" : "", colon != NULL ? colon + 1 : "");
    }
    *equals = '\0'; /* the name is argv's */
    area.name = text;
    request->areas[request->options.area_count++] = area;
    return PW_OK;
}

/* "-67dBm:95%"; the share may be left out where `share` says so by NULL of `given`. */
static pw_status take_level(const struct option_line *line, const char *name, char *text, double *level, double *share,
                            bool *has_share)
{
    char *colon = strchr(text, ':'), *end = NULL;
    *has_share = colon != NULL;
    if (colon != NULL) {
        *colon = '\0';
        *share = strtod(colon + 1, &end) / 100.0;
        end += strspn(end, " ");
        if (end == colon + 1 || strcmp(end, "%") != 0 || !(*share > 0.0 && *share <= 1.0)) {
            return complain_usage(line->command,
                                  "--%s '%s:%s': the share is in per cent, over 0 and at most 100, such as "
                                  "-67dBm:95%%",
                                  name, text, colon + 1);
        }
    }
    return read_level(line, name, text, "dBm", level);
}

static pw_status take_need(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct place_request *request = entry->value;
    bool has_share;
    return take_level(line, entry->name, text, &request->need.level, &request->need.share, &has_share);
}

static pw_status take_second(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct place_request *request = entry->value;
    bool has_share;
    pw_status status =
        take_level(line, entry->name, text, &request->need.second_level, &request->need.second_share, &has_share);
    request->need.has_second = true;
    request->need.second_share = has_share ? request->need.second_share : 0.0; /* that of --need, once it is known */
    return status;
}

static pw_status take_channels(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct place_request *request = entry->value;
    char *end;
    long count = strtol(text, &end, 10);
    request->channel_count = 0;
    request->channels_counted = *end == '\0' && end != text;
    if (request->channels_counted) {
        request->channel_count = count >= 1 && count <= PW_SITING_CHANNELS ? (int)count : 0;
    } else {
        for (char *name = strtok(text, ", "); name != NULL; name = strtok(NULL, ", ")) {
            if (request->channel_count == PW_SITING_CHANNELS) {
                return complain_usage(line->command, "too many channels; allowed are %d", PW_SITING_CHANNELS);
            }
            snprintf(request->channel_texts[request->channel_count++], PW_SITING_CHANNEL_TEXT, "%s", name);
        }
    }
    for (int n = 0; n < request->channel_count; n++) {
        request->channels[n] = request->channel_texts[n];
    }
    return request->channel_count > 0
               ? PW_OK
               : complain_usage(line->command,
                                "--channels: write names, e.g. 1,6,11, or a number of channels from 1 to %d",
                                PW_SITING_CHANNELS);
}

/* ---- work ---- */

static void print_points(const struct place_request *request, const pw_siting *siting)
{
    pw_siting_facts facts = pw_siting_describe(siting);
    printf("%d candidates, %d places%s%s; ", facts.candidate_count, facts.place_count,
           facts.floor[0] != '\0' ? ": " : "", facts.floor);
    if (request->levels_from != NULL) {
        printf("levels of %s\n", request->levels_from);
    } else {
        printf("%d runs of %d x %d%s cells: %s\n", facts.runs, facts.setup.nx, facts.setup.ny,
               facts.setup.dimensions == 3 ? " x ..." : "", facts.why);
    }
}

/* Notes from number `told` on; returns how many there are. */
static int notes_tell(const pw_siting *siting, int told)
{
    int count = pw_siting_describe(siting).note_count;
    for (int n = told; n < count; n++) {
        complain("warning: %s", pw_siting_note(siting, n));
    }
    return count;
}

static pw_status dry_run(const struct place_request *request, const pw_siting *siting, pw_error *error)
{
    double seconds = 0.0;
    char text[32];
    print_points(request, siting);
    PW_TRY(pw_siting_forecast(siting, &seconds, error));
    printf("stepping takes about %s on this machine, as tried out just now; nothing was run\n",
           format_seconds(seconds, text, sizeof text));
    return PW_OK;
}

/* The levels, by runs or from a file. */
static pw_status levels_get(struct place_request *request, pw_siting *siting, pw_error *error)
{
    char text[32];
    double started = progress_seconds();
    if (request->levels_from != NULL) {
        return pw_siting_levels_read(siting, request->levels_from, error);
    }
    pw_status status = pw_siting_solve(siting, error);
    if (status == PW_OK && request->verbosity >= 0) {
        printf("solved in %s\n", format_seconds(progress_seconds() - started, text, sizeof text));
    }
    return status == PW_OK && request->levels != NULL ? pw_siting_levels_write(siting, request->levels, error) : status;
}

static pw_status files_write(const struct place_request *request, const pw_siting *siting, const pw_siting_story *story,
                             pw_error *error)
{
    FILE *report = request->verbosity < 0 ? NULL : stdout;
    pw_status status =
        request->output != NULL ? pw_siting_scenario_write(siting, story, request->output, error) : PW_OK;
    if (status == PW_OK && request->json != NULL) {
        status = pw_siting_json_write(siting, story, request->json, error);
    }
    if (status == PW_OK && request->picture != NULL) {
        status = pw_siting_picture_write(siting, story, request->picture, NULL, error);
    }
    if (status == PW_OK) {
        tell_written(report, request->levels_from == NULL ? request->levels : NULL);
        tell_written(report, request->output);
        tell_written(report, request->json);
        tell_written(report, request->picture);
    }
    return status;
}

static pw_status answer_find(struct place_request *request, pw_siting *siting, pw_error *error)
{
    pw_siting_answer answer;
    pw_siting_channels channels;
    pw_siting_story story = {.need = &request->need, .answer = &answer};
    pw_status status = pw_siting_choose(siting, &request->need, &answer, error);
    if (status == PW_OK && request->slide) {
        status = pw_siting_slide(siting, &request->need, &answer, request->verbosity < 0 ? NULL : stdout, NULL, error);
    }
    if (status == PW_OK && request->channel_count > 0) {
        status = pw_siting_assign(siting, &answer, request->channel_count, request->noise_bandwidth,
                                  request->noise_figure, &channels, error);
        story.channels = &channels;
        story.channel_names = request->channels;
        story.channel_count = request->channel_count;
    }
    if (status == PW_OK && request->verbosity >= 0) {
        status = pw_siting_report(siting, &story, stdout, error);
        fflush(stdout);
    }
    if (status == PW_OK && !answer.met) {
        complain("the need is not met: what was found is the best with these candidates, not what was asked for");
    }
    PW_THEN(status, files_write(request, siting, &story, error));
    return status == PW_OK && !answer.met ? PW_DIFFERENT : status;
}

/* Before anything is solved. */
static pw_status channels_name(struct place_request *request, const pw_siting *siting, pw_error *error)
{
    const int count = request->channel_count;
    return count == 0                  ? PW_OK
           : request->channels_counted ? pw_siting_name_channels(siting, count, request->channel_texts, error)
                                       : pw_siting_check_channels(siting, request->channels, count, error);
}

static pw_status siting_work(struct place_request *request, pw_siting *siting, pw_error *error)
{
    int told = notes_tell(siting, 0);
    pw_status status = channels_name(request, siting, error);
    if (status != PW_OK || request->dry_run) {
        return status != PW_OK ? status : dry_run(request, siting, error);
    }
    if (request->verbosity >= 0) {
        print_points(request, siting);
        fflush(stdout);
    }
    request->progress.started = progress_seconds();
    status = levels_get(request, siting, error);
    work_end(&request->progress);
    request->progress.silent = true;
    (void)notes_tell(siting, told);
    return status == PW_OK ? answer_find(request, siting, error) : status;
}

/* Every name that is to be written. */
static pw_status check_files(const struct place_request *request)
{
    const char *const written[] = {request->output, request->json, request->levels};
    for (size_t n = 0; n < sizeof written / sizeof written[0]; n++) {
        PW_TRY(written[n] != NULL ? check_output(written[n], request->force) : PW_OK);
    }
    if (request->picture != NULL) {
        PW_TRY(check_picture(request->picture, request->force, true));
    }
    return PW_OK;
}

static pw_status place_work(struct place_request *request)
{
    pw_error error = {""};
    PW_OWNED_AS(pw_scenario) *scenario = NULL;
    PW_OWNED_AS(pw_siting) *siting = NULL;
    PW_TRY(check_files(request));
    PW_TRY(progress_catch_signals());
    request->progress.silent = request->verbosity < 0;
    request->options.monitor = (pw_monitor){work_show, &request->progress};
    request->need.monitor = request->options.monitor;
    request->options.areas = request->areas;
    if (request->need.has_second && request->need.second_share == 0.0) {
        request->need.second_share = request->need.share;
    }
    pw_status status =
        pw_scenario_load(request->scenario, request->overrides.texts, request->overrides.count, &scenario, &error);
    PW_THEN(status, pw_siting_create(scenario, &request->options, &siting, &error));
    PW_THEN(status, siting_work(request, siting, &error));
    work_end(&request->progress);
    if (status != PW_OK && error.message[0] != '\0') {
        complain_error(status, &error);
    }
    return status;
}

static pw_status place_main(int argc, char **argv)
{
    struct place_request request = {.options = pw_siting_options_default(),
                                    .need = pw_siting_need_default(),
                                    .noise_figure = pw_map_options_default().noise_figure,
                                    .noise_bandwidth = pw_map_options_default().noise_bandwidth};
    pw_siting_options *options = &request.options;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "candidates", .kind = OPTION_TAKEN, .value = &request, .take = take_candidates},
        {.name = "demand", .kind = OPTION_TAKEN, .value = &request, .take = take_demand},
        {.name = "area", .kind = OPTION_TAKEN, .value = &request, .take = take_area},
        {.name = "need", .kind = OPTION_TAKEN, .value = &request, .take = take_need},
        {.name = "second", .kind = OPTION_TAKEN, .value = &request, .take = take_second},
        {.name = "best", .kind = OPTION_INTEGER, .value = &request.need.best, .least = 1, .most = PW_SITING_MOST},
        {.name = "most", .kind = OPTION_INTEGER, .value = &request.need.most, .least = 1, .most = PW_SITING_MOST},
        {.name = "channels", .kind = OPTION_TAKEN, .value = &request, .take = take_channels},
        {.name = "tx", .kind = OPTION_TEXT, .value = &options->model, .once = true},
        {.name = "send", .kind = OPTION_WORD, .value = &options->runs, .words = SENDERS},
        {.name = "height", .kind = OPTION_TAKEN, .value = &options->place_height, .take = take_height},
        {.name = "mean", .kind = OPTION_LENGTH, .value = &options->mean_width},
        {.name = "gain", .kind = OPTION_TAKEN, .value = &options->receiver_gain, .take = take_gain},
        SPREADING_OPTION(options),
        {.name = "noise-figure", .kind = OPTION_TAKEN, .value = &request.noise_figure, .take = take_decibels},
        {.name = "bandwidth", .kind = OPTION_FREQUENCY, .value = &request.noise_bandwidth},
        {.name = "search", .kind = OPTION_TIME, .value = &request.need.search_time},
        {.name = "accurate", .kind = OPTION_FLAG, .value = &options->keep_accuracy},
        {.name = "set", .kind = OPTION_TAKEN, .value = &request.overrides, .take = option_take_override},
        COMPUTE_OPTIONS(&options->compute),
        {.name = "slide", .kind = OPTION_FLAG, .value = &request.slide},
        {.name = "dry-run", .kind = OPTION_FLAG, .value = &request.dry_run},
        {.name = "map", .kind = OPTION_OUTPUT, .value = &request.picture},
        {.name = "json", .kind = OPTION_OUTPUT, .value = &request.json},
        {.name = "levels", .kind = OPTION_OUTPUT, .value = &request.levels},
        {.name = "from-levels", .kind = OPTION_TEXT, .value = &request.levels_from}};
    struct option_line line = OPTION_LINE(&place_command, entries, 1, 1, "PLAN.yaml");
    pw_status status = option_read(&line);
    if (status == PW_OK && !line.help) {
        request.scenario = line.operands[0];
        request.verbosity = line.verbosity;
        status = place_work(&request);
    }
    free(request.overrides.texts);
    return status;
}

const struct command place_command = {
    .name = "place", .summary = "where the access points go", .help = HELP, .run = place_main};
