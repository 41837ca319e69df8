/* planwave run: the main job. Reads a scenario, says what it will take, solves, writes the result. */
#include "program/animation.h"
#include "program/preflight.h"
#include "program/progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };
static const double CHECKPOINT_SECONDS = 600.0;

struct run_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *scenario, *output;
    struct override_list overrides;
    pw_run_options options;
    pw_precision precision;
    bool dry_run, strict;
    int verbosity;
    struct progress_view view;
};

static const char HELP[] =
    "usage: planwave run SCENARIO.yaml [OPTIONS]...\n"
    "\n"
    "Solves a scenario and writes one HDF5 file. Before it starts, it prints what it will solve, how\n"
    "long that will take and how accurate the result will be.\n"
    "\n"
    "  -o, --output FILE       name of the result; default: the scenario's name with .h5, in this folder\n"
    "  -f, --force             replace an existing result\n"
    "      --dry-run           print the forecast of time and accuracy, and stop\n"
    "      --set KEY=VALUE     change a key of the scenario, e.g. --set 'grid.cell=1 cm'; may be repeated\n"
    "      --backend NAME      auto (default: cuda if a GPU works, else cpu), cuda, cpu, reference\n"
    "      --devices WHICH     GPUs: all, a count (2), or numbers (0,1); default: one\n"
    "+                         Each GPU solves its own transmitters. If there are fewer transmitters than\n"
    "+                         GPUs, or if a grid is too large for one GPU, the GPUs split the grid\n"
    "+     --device-memory X   memory of the GPU to use, e.g. 20GB; default: all that is free. A larger\n"
    "+                         grid is cut into parts, which take turns on the GPU\n"
    "+     --precision WHAT    single (default) or double\n"
    "      --threads N         CPU threads; default: all cores\n"
    "+     --cut AxB           under mpirun: number of parts along x and y (AxBxC: and z), one part for\n"
    "+                         each rank; default: the fastest cut\n"
    "+     --strict            stop if a material is used outside its ITU-R P.2040 frequency range;\n"
    "+                         default: warn\n"
    "+     --frames DIR        write pictures of the field into DIR during the run (PNG), and make a film\n"
    "+                         of them if ffmpeg is installed\n"
    "+     --frames-every N    steps between two pictures; default: about 240 pictures per transmitter\n"
    "+     --progress HOW      auto (default), json (one JSON object per line on stdout), none\n"
    "      --resume            continue from the saved state, if there is one; a whole result stays\n"
    "+     --checkpoint TIME   how often to save the state, e.g. 5min; default 10min; off: never\n"
    "      --time-limit TIME   save the state and stop before this time is over, e.g. 1h\n"
    "  -q, --quiet             print errors and warnings only\n"
    "+ -v, --verbose           print the resolved scenario as well\n"
    "  -h, --help              print this text\n"
    "+\n"
    "+Under mpirun, each rank solves one part of the grid. The result has the same bits as that of one\n"
    "+process.\n"
    "\n"
    "Ctrl-C saves the state and stops. The same command with --resume continues the run, and the result\n"
    "has the same bits as one without a pause.\n"
    "+SIGTERM, SIGUSR1, SIGHUP and SIGXCPU do the same. A second Ctrl-C ends the program at once; then\n"
    "+the last checkpoint is what remains.\n"
    "\n"
    "examples:\n"
    "  planwave run floorplans/flat.yaml -o flat.h5\n"
    "  planwave run floorplans/flat.yaml --set 'grid.cell=1 cm' --dry-run\n"
    "+ planwave run floorplans/flat.yaml --checkpoint 5min --time-limit 1h --resume\n"
    "+ mpirun -n 4 planwave run floorplans/office.yaml -o office.h5\n";

static const char *const STYLES[] = {"none", "auto", "json", NULL}, *const CHECKPOINT_WORDS[] = {"off", NULL};

static pw_status take_progress(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct progress_view *view = entry->value;
    int index = 0;
    const struct option_entry word = {.name = entry->name, .kind = OPTION_WORD, .value = &index, .words = STYLES};
    pw_status status = option_argument(line, &word, text);
    view->style = index == 0 ? PROGRESS_NONE : index == 2 ? PROGRESS_JSON : view->style;
    return status;
}

/* A time, or "off". */
static pw_status take_checkpoint(const struct option_line *line, const struct option_entry *entry, char *text)
{
    if (strcmp(text, "off") == 0) {
        *(double *)entry->value = 0.0;
        return PW_OK;
    }
    const struct option_entry time = {.name = entry->name, .kind = OPTION_TIME, .value = entry->value};
    return option_argument(line, &time, text);
}

static void print_warnings(const pw_setup *setup)
{
    for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
        complain("warning: %s", pw_setup_warning(setup, w));
    }
}

static void print_next(const struct run_request *request, const pw_facts *facts)
{
    char stem[PATH_SIZE];
    derive_name(request->output, "", stem, sizeof stem);
    printf("next:\n  planwave info %s\n", request->output);
    if (facts->frequency_count > 0) {
        printf("  planwave map %s --quantity received-power -o %s-power.png\n", request->output, stem);
    }
    if (facts->receiver_count > 0) {
        printf("  planwave channel %s -o %s-channel\n", request->output, stem);
    } else if (facts->frequency_count > 0) {
        printf("  planwave channel %s --at X,Y -o %s-channel\n", request->output, stem);
    }
}

static void print_end(const struct run_request *request, const pw_facts *facts, double seconds)
{
    struct stat found;
    char size[32], time[32];
    double bytes = stat(request->output, &found) == 0 ? (double)found.st_size : 0.0;
    if (request->view.style == PROGRESS_JSON) {
        printf("{\"event\": \"end\", \"result\": ");
        print_json_text(request->output, stdout);
        printf(", \"bytes\": %.0f, \"seconds\": %.3f}\n", bytes, seconds);
    } else if (request->verbosity >= 0) {
        printf("wrote %s (%s) in %s\n", request->output, format_bytes(bytes, size, sizeof size),
               format_seconds(seconds, time, sizeof time));
        print_next(request, facts);
    }
}

static void print_start(const struct run_request *request, const pw_setup *setup, const pw_facts *facts,
                        const pw_forecast *forecast)
{
    if (request->view.style == PROGRESS_JSON) {
        preflight_print_json(facts, forecast, request->precision, stdout);
        return;
    }
    if (request->verbosity > 0) {
        printf("%s\n", pw_setup_scenario_text(setup));
    }
    if (request->verbosity >= 0) {
        preflight_print(setup, forecast, request->precision, request->verbosity > 0, stdout);
    }
}

/* What --frames will take on top; said before the run, so that nobody is surprised by hundreds of files. `together`:
 * transmitters at a time, by the forecast. */
static pw_status print_frames(const struct run_request *request, const pw_setup *setup, int together)
{
    char bytes[32], seconds[32];
    pw_error error = {{0}};
    pw_frames_forecast frames;
    if (request->options.frames == NULL) {
        return PW_OK;
    }
    pw_status status = pw_forecast_frames(setup, request->options.frames_every, &frames, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    if (request->view.style == PROGRESS_JSON) {
        printf("{\"event\": \"frames\", \"count\": %lld, \"width\": %d, \"height\": %d, \"seconds_predicted\": %.4g, "
               "\"bytes_predicted\": %.4g}\n",
               (long long)frames.count, frames.width, frames.height, frames.seconds, frames.bytes);
    } else if (request->verbosity >= 0) {
        printf("  frames        up to %lld pictures of %d x %d pixels: about %s, and %s more%s\n",
               (long long)frames.count, frames.width, frames.height, format_bytes(frames.bytes, bytes, sizeof bytes),
               format_seconds(frames.seconds, seconds, sizeof seconds),
               together > 1 ? ";\n                for them one transmitter is solved after another, which takes longer "
                              "than is said above"
                            : "");
    }
    fflush(stdout);
    return PW_OK;
}

static void print_note(const char *message, void *user)
{
    progress_end(user);
    complain("%s", message);
}

static pw_status solve(struct run_request *request, const pw_setup *setup, const pw_facts *facts)
{
    pw_error error = {{0}};
    struct timespec start, end;
    request->options.progress = progress_show;
    request->options.note = print_note;
    request->options.user = &request->view;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pw_status status = pw_run(setup, &request->options, request->output, &error);
    clock_gettime(CLOCK_MONOTONIC, &end);
    progress_end(&request->view);
    if (status != PW_OK) {
        complain_error(status, &error);
    } else {
        if (request->options.frames != NULL) {
            animation_make(request->options.frames, request->verbosity < 0 || request->view.style == PROGRESS_JSON);
        }
        print_end(request, facts, (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    }
    return status;
}

/* A signal came while the plan was read. */
static pw_status complain_before_start(void)
{
    complain("interrupted before the first step; nothing was written");
    return PW_INTERRUPTED;
}

static pw_status run_setup(struct run_request *request, const pw_setup *setup)
{
    pw_error error = {{0}};
    pw_forecast forecast;
    pw_facts facts = pw_setup_facts(setup);
    print_warnings(setup);
    pw_status status = pw_forecast_run(setup, &request->options.compute, &forecast, &error);
    if (forecast.backend != NULL) {
        print_start(request, setup, &facts, &forecast);
    }
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    status = print_frames(request, setup, forecast.together);
    PW_TRY(status);
    if (progress_interrupted()) {
        return complain_before_start();
    }
    return request->dry_run ? PW_OK : solve(request, setup, &facts);
}

/* With --resume a whole result is no error: a job's script may say the same command again and again. */
static pw_status look_for_whole(const struct run_request *request, const pw_scenario *scenario, bool *whole)
{
    pw_error error = {{0}}, reason;
    pw_run_state state;
    *whole = false;
    if (!request->options.resume || request->options.force || request->dry_run || request->options.frames != NULL) {
        return PW_OK;
    }
    file_is_continued(request->output);
    pw_status status = pw_run_look(request->output, scenario, request->precision, &state, &reason, &error);
    if (status == PW_OK && (state == PW_RUN_OTHER || state == PW_RUN_DAMAGED)) {
        complain("%s exists and is %s: %s; --force replaces it", request->output,
                 state == PW_RUN_OTHER ? "the result of something else" : "no whole result", reason.message);
        return PW_BAD_INPUT;
    }
    *whole = status == PW_OK && state == PW_RUN_DONE;
    if (*whole) {
        pw_run_forget(request->output);
        if (request->view.style == PROGRESS_JSON) {
            print_end(request, NULL, 0);
        } else if (request->verbosity >= 0) {
            printf("%s is whole already: nothing was left to do\n", request->output);
        }
    }
    return status == PW_OK ? PW_OK : complain_error(status, &error);
}

static bool no_signal_came(void *user)
{
    (void)user;
    return !progress_interrupted();
}

/* The first GPU takes some tenths of a second to be found and opened, and a set-up does not need it. What fails here is
 * told by whoever asks next. */
static void *open_device(void *compute)
{
    pw_compute own = *(const pw_compute *)compute;
    own.device_count = own.device_count > 0 ? own.device_count : 1; /* none: number 0 */
    pw_compute_check(&own, NULL);
    return NULL;
}

static pw_status create_setup(struct run_request *request, const pw_scenario *scenario, pw_setup **setup,
                              pw_error *error)
{
    pw_compute *compute = &request->options.compute;
    pthread_t opener;
    const bool opens = strcmp(compute->backend, "cpu") != 0 && strcmp(compute->backend, "reference") != 0 &&
                       pthread_create(&opener, NULL, open_device, compute) == 0;
    const pw_status status = pw_setup_create(scenario, request->precision, request->strict, setup, error);
    if (opens) {
        pthread_join(opener, NULL);
    }
    tell_fallback(compute->backend);
    return status;
}

static pw_status execute(struct run_request *request)
{
    bool whole = false;
    pw_error error = {{0}};
    PW_OWNED_AS(pw_scenario) *scenario = NULL;
    PW_OWNED_AS(pw_setup) *setup = NULL;
    request->output = output_name(request->output, request->scenario, ".h5", request->derived, sizeof request->derived);
    PW_TRY(progress_catch_signals());
    pw_status status =
        pw_scenario_load(request->scenario, request->overrides.texts, request->overrides.count, &scenario, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    pw_scenario_watch(scenario, no_signal_came, NULL);
    PW_TRY(look_for_whole(request, scenario, &whole));
    if (!request->dry_run && !whole) {
        PW_TRY(check_output(request->output, request->options.force));
    }
    if (request->options.frames != NULL && !request->dry_run) {
        PW_TRY(check_output(request->options.frames, request->options.force || request->options.resume));
    }
    if (whole) {
        return PW_OK;
    }
    status = create_setup(request, scenario, &setup, &error);
    if (status == PW_INTERRUPTED) {
        complain_before_start();
    } else if (status != PW_OK) {
        complain_error(status, &error);
    }
    PW_THEN(status, run_setup(request, setup));
    return status;
}

static pw_status read_line(int argc, char **argv, struct run_request *request)
{
    pw_run_options *options = &request->options;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request->output, &options->force),
        COMPUTE_OPTIONS(&options->compute),
        DEVICE_MEMORY_OPTION(&options->compute),
        {.name = "precision", .kind = OPTION_WORD, .value = &request->precision, .words = PRECISION_WORDS},
        {.name = "set", .kind = OPTION_TAKEN, .value = &request->overrides, .take = option_take_override},
        {.name = "cut", .kind = OPTION_TEXT, .value = &options->compute.cut},
        {.name = "strict", .kind = OPTION_FLAG, .value = &request->strict},
        {.name = "dry-run", .kind = OPTION_FLAG, .value = &request->dry_run},
        {.name = "progress", .kind = OPTION_TAKEN, .value = &request->view, .words = STYLES, .take = take_progress},
        {.name = "frames", .kind = OPTION_OUTPUT, .value = &options->frames},
        {.name = "frames-every", .kind = OPTION_COUNT, .value = &options->frames_every, .least = 1, .most = 1e9},
        {.name = "resume", .kind = OPTION_FLAG, .value = &options->resume},
        {.name = "checkpoint",
         .kind = OPTION_TAKEN,
         .value = &options->checkpoint_interval,
         .words = CHECKPOINT_WORDS,
         .take = take_checkpoint},
        {.name = "time-limit", .kind = OPTION_TIME, .value = &options->time_limit}};
    struct option_line line = OPTION_LINE(&run_command, entries, 1, 1, "SCENARIO.yaml");
    line.falls_back_later = true;
    PW_TRY(option_read(&line));
    if (!line.help) {
        request->scenario = line.operands[0];
        request->verbosity = line.verbosity;
        options->quiet = line.verbosity < 0;
        if (line.verbosity < 0 && request->view.style != PROGRESS_JSON) {
            request->view.style = PROGRESS_NONE;
        }
    }
    return PW_OK;
}

/* Under mpirun rank 0 goes on from here; the others come back when it has ended. */
static pw_status join_ranks(pw_ranks *ranks)
{
    pw_error error = {{0}};
    pw_status status = pw_ranks_begin(ranks, &error);
    if (status == PW_OK && ranks->rank > 0) {
        status = pw_ranks_serve(&error);
    }
    if (status != PW_OK && ranks->rank == 0) {
        complain_error(status, &error);
    }
    return status;
}

static pw_status run_main(int argc, char **argv)
{
    struct run_request request = {.options = {.compute.backend = "auto", .checkpoint_interval = CHECKPOINT_SECONDS}};
    request.view.style = isatty(STDERR_FILENO) ? PROGRESS_TERMINAL : PROGRESS_LINES;
    pw_ranks ranks;
    pw_status status = join_ranks(&ranks);
    if (status != PW_OK || ranks.rank > 0) {
        return status;
    }
    request.options.compute.ranks = &ranks;
    status = read_line(argc, argv, &request);
    if (status == PW_OK && request.scenario != NULL) {
        status = execute(&request);
    }
    free(request.overrides.texts);
    return status;
}

const struct command run_command = {
    .name = "run", .summary = "solve a scenario and write its result", .help = HELP, .run = run_main};
