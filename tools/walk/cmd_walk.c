/* planwave walk: how channels change while people walk through the floor. */
#include "walk/planwave_walk.h"

#include "program/progress.h"
#include "program/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, NAME_LIMIT = 256 };

struct names {
    const char *name[NAME_LIMIT];
    int count;
};

struct walk_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *scenario, *output, *film;
    char npy[PATH_SIZE], picture[PATH_SIZE];
    struct override_list overrides;
    pw_walk_path *paths; /* (options.person_count), owned */
    struct names transmitters, receivers;
    pw_walk_options options;
    bool force;
};

static const char HELP[] =
    "usage: planwave walk SCENARIO.yaml --path \"X,Y X,Y ...\" [OPTIONS]...\n"
    "\n"
    "How do the channels change while a person walks through the floor? Writes H over time and frequency,\n"
    "blockage and Doppler spectra: everything as FILE.h5, csi (time, subcarrier, rx, tx) as FILE.npy too,\n"
    "and a picture of one link as FILE.png.\n"
    "\n"
    "A person is a cylinder of muscle. The empty floor is solved once from every transmitter and every\n"
    "receiver; after that a pose takes milliseconds. What goes back and forth between a person and the\n"
    "walls is left out: --check says how much. Three dimensions need --method exact.\n"
    "\n"
    "      --path POINTS       where a person walks [m]; repeat it for several. One point: stands there\n"
    "      --speed V           default 1.2m/s\n"
    "      --rate F            poses a second; default 100Hz\n"
    "+     --radius R          of a person; default 15cm\n"
    "+     --height H          of a person in three dimensions; default 1.7m\n"
    "+     --storey NAME       that they walk on, in three dimensions; default: the lowest\n"
    "      --check N           solve N poses with the persons in the plan, on a grid that is fine enough\n"
    "                          for them, and print how far off they are\n"
    "      --method METHOD     cylinder (default); walls: with what walls send back, by runs from points\n"
    "                          along the paths; exact: every pose is a run, which takes long\n"
    "      --subcarriers LIST  at the tones of a signal: wifi6-80, 64x312.5kHz, ... (planwave channel)\n"
    "      --tx NAME           these transmitters only; may be repeated. The picture is of the first link\n"
    "      --rx NAME           these receivers only; may be repeated\n"
    "      --film FILE.gif     an animated picture: the floor, the persons, what they block\n"
    "+     --set KEY=VALUE     change a key of the scenario; may be repeated\n"
    "+     --backend NAME      auto (default), cuda, cpu, reference\n"
    "+     --devices WHICH     GPUs: all, a count (2), or numbers (0,1); default: one\n"
    "+     --threads N         CPU threads; default: all cores\n"
    "  -o, --output FILE.h5    default: the scenario's name with -walk.h5\n"
    "  -f, --force             replace existing files\n"
    "  -q, --quiet             print nothing\n"
    "  -h, --help              print this text\n"
    "\n"
    "example:\n"
    "  planwave walk floorplans/flat.yaml --path \"6.2,8.6 9.2,8.6\" --rx north -o north.h5\n";

static const char *const METHODS[] = {"cylinder", "exact", "walls", NULL};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static pw_status take_path(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct walk_request *request = entry->value;
    pw_error error = {{0}};
    if (request->options.person_count == PW_WALK_PERSONS) {
        return complain_usage(line->command, "too many persons; allowed are %d", PW_WALK_PERSONS);
    }
    return pw_walk_path_parse(text, &request->paths[request->options.person_count++], &error) == PW_OK
               ? PW_OK
               : complain_usage(line->command, "--path '%s': %s", text, error.message);
}

/* "1.2m/s", "4.3 km/h", "1.2". */
static pw_status take_speed(const struct option_line *line, const struct option_entry *entry, char *text)
{
    double *speed = entry->value;
    char *end = NULL;
    *speed = strtod(text, &end);
    const char *unit = end + strspn(end, " ");
    *speed *= strcmp(unit, "km/h") == 0 ? 1 / 3.6 : 1;
    const bool known = *unit == '\0' || strcmp(unit, "m/s") == 0 || strcmp(unit, "km/h") == 0;
    return end != text && known && *speed > 0 && *speed <= 100
               ? PW_OK
               : complain_usage(line->command, "--speed '%s': write 1.2m/s or 4.3km/h, above 0 and at most 100 m/s",
                                text);
}

static pw_status take_name(const struct option_line *line, const struct option_entry *entry,
                           char *text) /* NOLINT(readability-non-const-parameter): the type of option_entry.take */
{
    struct names *names = entry->value;
    if (names->count == NAME_LIMIT) {
        return complain_usage(line->command, "--%s: too many names; allowed are %d", entry->name, NAME_LIMIT);
    }
    names->name[names->count++] = text;
    return PW_OK;
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

static void tell(const char *sentence, void *user)
{
    FILE *report = user;
    if (report != NULL) {
        fprintf(report, "%s\n", sentence);
        fflush(report);
    }
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */

static pw_status tell_all(const struct walk_request *request, const pw_walk *walk, FILE *report, pw_error *error)
{
    const pw_walk_facts facts = pw_walk_describe(walk);
    if (facts.rate < facts.least_rate) {
        complain("warning: Doppler shifts up to %.3g Hz fold at a rate of %.4g Hz: --rate %.0fHz or more",
                 0.5 * facts.least_rate, facts.rate, ceil(facts.least_rate));
    }
    if (report != NULL) {
        pw_walk_print(walk, report);
    }
    PW_TRY(pw_walk_write(walk, request->output, error));
    if (request->film != NULL) {
        PW_TRY(pw_walk_film(walk, request->film, error));
    }
    if (report != NULL) {
        fprintf(report, "wrote %s, %s%s%s and %s\n", request->output, request->npy, request->film != NULL ? ", " : "",
                request->film != NULL ? request->film : "", request->picture);
    }
    return PW_OK;
}

static pw_status solve(struct walk_request *request, int verbosity, pw_error *error)
{
    pw_scenario *scenario = NULL;
    pw_walk *walk = NULL;
    struct work_view view = {.started = progress_seconds(), .silent = verbosity < 0};
    FILE *report = verbosity < 0 ? NULL : stdout;
    pw_walk_options options = request->options;
    options.monitor = (pw_monitor){work_show, &view};
    options.note = tell;
    options.warn = warn_user;
    options.user = report;
    PW_TRY(pw_scenario_load(request->scenario, request->overrides.texts, request->overrides.count, &scenario, error));
    pw_status status = pw_walk_solve(scenario, &options, &walk, error);
    work_end(&view);
    PW_THEN(status, tell_all(request, walk, report, error));
    pw_walk_free(walk);
    pw_scenario_free(scenario);
    return status;
}

static pw_status check_names(struct walk_request *request)
{
    request->output =
        output_name(request->output, request->scenario, "-walk.h5", request->derived, sizeof request->derived);
    const size_t length = strlen(request->output);
    if (length < 4 || length > PATH_SIZE - 8 || strcmp(request->output + length - 3, ".h5") != 0) {
        return complain_usage(&walk_command, "-o '%s': the name must end in .h5", request->output);
    }
    snprintf(request->npy, sizeof request->npy, "%.*s.npy", (int)length - 3, request->output);
    snprintf(request->picture, sizeof request->picture, "%.*s.png", (int)length - 3, request->output);
    const size_t film = request->film != NULL ? strlen(request->film) : 0;
    if (request->film != NULL && (film < 5 || strcmp(request->film + film - 4, ".gif") != 0)) {
        return complain_usage(&walk_command, "--film '%s': the name must end in .gif", request->film);
    }
    pw_status status = check_output(request->output, request->force);
    PW_THEN(status, check_output(request->npy, request->force));
    PW_THEN(status, check_picture(request->picture, request->force, false));
    if (request->film != NULL) {
        PW_THEN(status, check_output(request->film, request->force));
    }
    PW_THEN(status, progress_catch_signals());
    return status;
}

static pw_status execute(struct walk_request *request, int verbosity)
{
    pw_walk_options *options = &request->options;
    pw_error error = {{0}};
    if (options->person_count == 0) {
        return complain_usage(&walk_command, "--path is missing: write where the person walks, e.g. --path '2,3 5,3'");
    }
    if (options->checks > 0 && options->method == PW_WALK_EXACT) {
        return complain_usage(&walk_command, "--method exact solves every pose: there is nothing for --check");
    }
    options->paths = request->paths;
    options->transmitters = request->transmitters.name;
    options->transmitter_count = request->transmitters.count;
    options->receivers = request->receivers.name;
    options->receiver_count = request->receivers.count;
    pw_status status = check_names(request);
    if (status == PW_OK) {
        status = solve(request, verbosity, &error);
        status = status != PW_OK ? complain_error(status, &error) : status;
    }
    return status;
}

static pw_status walk_main(int argc, char **argv)
{
    struct walk_request request = {.options = pw_walk_options_default()};
    pw_walk_options *options = &request.options;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "path", .kind = OPTION_TAKEN, .value = &request, .take = take_path},
        {.name = "speed", .kind = OPTION_TAKEN, .value = &options->speed, .take = take_speed},
        {.name = "rate", .kind = OPTION_FREQUENCY, .value = &options->rate},
        {.name = "radius", .kind = OPTION_LENGTH, .value = &options->radius},
        {.name = "height", .kind = OPTION_LENGTH, .value = &options->height},
        {.name = "storey", .kind = OPTION_TEXT, .value = &options->storey, .once = true},
        {.name = "check", .kind = OPTION_INTEGER, .value = &options->checks, .least = 1, .most = 1000},
        {.name = "method", .kind = OPTION_WORD, .value = &options->method, .words = METHODS},
        {.name = "subcarriers", .kind = OPTION_TEXT, .value = &options->subcarriers, .once = true},
        {.name = "film", .kind = OPTION_OUTPUT, .value = &request.film},
        {.name = "tx", .kind = OPTION_TAKEN, .value = &request.transmitters, .take = take_name},
        {.name = "rx", .kind = OPTION_TAKEN, .value = &request.receivers, .take = take_name},
        {.name = "set", .kind = OPTION_TAKEN, .value = &request.overrides, .take = option_take_override},
        {.name = "backend", .kind = OPTION_BACKEND, .value = &options->compute.backend},
        {.name = "devices", .kind = OPTION_TAKEN, .value = &options->compute, .take = option_take_devices},
        {.name = "threads",
         .kind = OPTION_INTEGER,
         .value = &options->compute.threads,
         .least = 1,
         .most = THREADS_MOST}};
    struct option_line line = OPTION_LINE(&walk_command, entries, 1, 1, "SCENARIO.yaml");
    request.paths = calloc(PW_WALK_PERSONS, sizeof *request.paths);
    pw_status status = request.paths == NULL ? PW_NO_RESOURCE : option_read(&line);
    if (status == PW_OK && !line.help) {
        request.scenario = line.operands[0];
        status = execute(&request, line.verbosity);
    }
    free(request.overrides.texts);
    free(request.paths);
    return status;
}

const struct command walk_command = {
    .name = "walk", .summary = "channels while people walk through the floor", .help = HELP, .run = walk_main};
