/* planwave run: the main job. Reads a scenario, says what it will take, solves, writes the result. */
#include "animation.h"
#include "preflight.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    OPTION_BACKEND = 256,
    OPTION_PRECISION,
    OPTION_SET,
    OPTION_DRY_RUN,
    OPTION_STRICT,
    OPTION_THREADS,
    OPTION_PROGRESS,
    OPTION_RESUME,
    OPTION_CHECKPOINT,
    OPTION_TIME_LIMIT,
    OPTION_FRAMES,
    OPTION_FRAMES_EVERY
};
enum { PATH_SIZE = 4096 };
static const double CHECKPOINT_SECONDS = 600.0;

struct run_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *scenario, *output;
    const char **overrides; /* (override_count), owned; the texts are argv's */
    size_t override_count;
    pw_run_options options;
    pw_precision precision;
    bool dry_run, strict;
    int verbosity;
    struct progress_view view;
};

static const char HELP[] =
    "usage: planwave run SCENARIO.yaml [OPTIONS]...\n\n"
    "Solves a scenario and writes one HDF5 file. First it prints cells, steps, memory, time and accuracy to expect.\n\n"
    "  -o, --output FILE     the result; default: the scenario's name with .h5, in this folder\n"
    "  -f, --force           replace an existing result\n"
    "      --backend NAME    auto (default: cuda where it works, else cpu), cuda, cpu, reference\n"
    "      --precision WHAT  single (default) or double\n"
    "      --threads N       on the CPU; default: all\n"
    "      --set KEY=VALUE   change the scenario, e.g. --set 'grid.cell=1 cm'; may be repeated\n"
    "      --strict          a material outside its ITU-R P.2040 range is an error, not a warning\n"
    "      --dry-run         stop after the first table\n"
    "      --frames DIR      pictures of the field on the way, as PNG, and a film of them where ffmpeg is\n"
    "      --frames-every N  steps between them; default: about 240 in all\n"
    "      --progress HOW    auto (default), json (everything on stdout is JSON, one object a line), none\n"
    "      --checkpoint TIME how often the state is saved beside the result, e.g. 10min (default), or off\n"
    "      --time-limit TIME stop in time to save the state within, e.g. 1h\n"
    "      --resume          go on with the saved state; without one, start at the beginning\n"
    "  -q, --quiet           errors and warnings only      -v, --verbose  also the resolved scenario\n"
    "  -h, --help\n\n"
    "Ctrl-C (or SIGTERM) saves the state and ends the run; the same command with --resume goes on with it, to the "
    "same\n"
    "bits. A second Ctrl-C ends the program at once, with what was saved before.\n\n"
    "examples:\n"
    "  planwave run floorplans/flat.yaml -o flat.h5\n"
    "  planwave run floorplans/flat.yaml --checkpoint 5min --time-limit 1h --resume\n"
    "  planwave run floorplans/flat.yaml --set 'grid.cell=1 cm' --dry-run\n";

static const struct option OPTIONS[] = {{"output", required_argument, NULL, 'o'},
                                        {"force", no_argument, NULL, 'f'},
                                        {"backend", required_argument, NULL, OPTION_BACKEND},
                                        {"precision", required_argument, NULL, OPTION_PRECISION},
                                        {"threads", required_argument, NULL, OPTION_THREADS},
                                        {"set", required_argument, NULL, OPTION_SET},
                                        {"strict", no_argument, NULL, OPTION_STRICT},
                                        {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
                                        {"progress", required_argument, NULL, OPTION_PROGRESS},
                                        {"frames", required_argument, NULL, OPTION_FRAMES},
                                        {"frames-every", required_argument, NULL, OPTION_FRAMES_EVERY},
                                        {"resume", no_argument, NULL, OPTION_RESUME},
                                        {"checkpoint", required_argument, NULL, OPTION_CHECKPOINT},
                                        {"time-limit", required_argument, NULL, OPTION_TIME_LIMIT},
                                        COMMON_OPTIONS};

static pw_status read_progress(const struct option_reader *reader, struct run_request *request)
{
    static const char *const STYLES[] = {"none", "auto", "json", NULL};
    int index = 0;
    pw_status status = option_word(reader, "progress", STYLES, &index);
    request->view.style = index == 0 ? PROGRESS_NONE : index == 2 ? PROGRESS_JSON : request->view.style;
    return status;
}

/* A time over zero, with a unit or in seconds. */
static pw_status read_time(const struct option_reader *reader, const char *name, double *seconds)
{
    pw_error error = {{0}};
    if (pw_parse_time(optarg, seconds, &error) != PW_OK) {
        return complain_usage(reader->command, "--%s: %s", name, error.message);
    }
    return *seconds > 0.0 ? PW_OK
                          : complain_usage(reader->command, "--%s '%s': allowed are times over zero", name, optarg);
}

static pw_status read_checkpoint(const struct option_reader *reader, double *interval)
{
    if (strcmp(optarg, "off") == 0) {
        *interval = 0.0;
        return PW_OK;
    }
    return read_time(reader, "checkpoint", interval);
}

static pw_status read_option(const struct option_reader *reader, int code, struct run_request *request)
{
    static const char *const PRECISIONS[] = {"single", "double", NULL};
    long long whole = 0;
    int index = 0;
    pw_status status = PW_OK;
    switch (code) {
    case 'o':
        request->output = optarg;
        break;
    case 'f':
        request->options.force = true;
        break;
    case OPTION_BACKEND:
        status = option_backend(reader, &request->options.backend);
        break;
    case OPTION_PRECISION:
        status = option_word(reader, "precision", PRECISIONS, &index);
        request->precision = index == 1 ? PW_DOUBLE : PW_SINGLE;
        break;
    case OPTION_THREADS:
        status = option_integer(reader, "threads", 1, 4096, &whole);
        request->options.threads = (int)whole;
        break;
    case OPTION_SET:
        request->overrides[request->override_count++] = optarg;
        break;
    case OPTION_STRICT:
        request->strict = true;
        break;
    case OPTION_DRY_RUN:
        request->dry_run = true;
        break;
    case OPTION_FRAMES:
        request->options.frames = optarg;
        break;
    case OPTION_FRAMES_EVERY:
        status = option_integer(reader, "frames-every", 1, 1000000000, &whole);
        request->options.frames_every = whole;
        break;
    case OPTION_RESUME:
        request->options.resume = true;
        break;
    case OPTION_CHECKPOINT:
        status = read_checkpoint(reader, &request->options.checkpoint_interval);
        break;
    case OPTION_TIME_LIMIT:
        status = read_time(reader, "time-limit", &request->options.time_limit);
        break;
    default:
        status = read_progress(reader, request);
        break;
    }
    return status;
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

static void print_start(const struct run_request *request, const pw_scenario *scenario, const pw_facts *facts,
                        const pw_forecast *forecast)
{
    if (request->view.style == PROGRESS_JSON) {
        preflight_print_json(facts, forecast, request->precision, stdout);
        return;
    }
    if (request->verbosity > 0) {
        printf("%s\n", pw_scenario_text(scenario));
    }
    if (request->verbosity >= 0) {
        preflight_print(facts, forecast, request->precision, stdout);
    }
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

static pw_status run_setup(struct run_request *request, const pw_scenario *scenario, const pw_setup *setup)
{
    pw_error error = {{0}};
    pw_forecast forecast;
    pw_facts facts = pw_setup_facts(setup);
    print_warnings(setup);
    pw_status status = pw_forecast_run(setup, request->options.backend, request->options.threads, &forecast, &error);
    if (forecast.backend != NULL) {
        print_start(request, scenario, &facts, &forecast);
    }
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    if (progress_interrupted()) {
        return complain_before_start();
    }
    return request->dry_run ? PW_OK : solve(request, setup, &facts);
}

static pw_status execute(struct run_request *request)
{
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    if (request->output == NULL) {
        derive_name(request->scenario, ".h5", request->derived, sizeof request->derived);
        request->output = request->derived;
    }
    pw_status status = progress_catch_signals();
    if (status != PW_OK) {
        return status;
    }
    status = pw_scenario_load(request->scenario, request->overrides, request->override_count, &scenario, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    status = request->dry_run ? PW_OK : check_output(request->output, request->scenario, request->options.force);
    if (status == PW_OK && request->options.frames != NULL && !request->dry_run) {
        status =
            check_output(request->options.frames, request->scenario, request->options.force || request->options.resume);
    }
    if (status == PW_OK) {
        status = pw_setup_create(scenario, request->precision, request->strict, &setup, &error);
        if (status != PW_OK) {
            complain_error(status, &error);
        } else {
            status = run_setup(request, scenario, setup);
            pw_setup_free(setup);
        }
    }
    pw_scenario_free(scenario);
    return status;
}

static pw_status read_line(struct option_reader *reader, struct run_request *request)
{
    for (int code = option_next(reader); code != OPTION_END; code = option_next(reader)) {
        if (code == OPTION_STOP) {
            return reader->status;
        }
        pw_status status = read_option(reader, code, request);
        if (status != PW_OK) {
            return status;
        }
    }
    pw_status status = option_operands(reader, 1, 1, "SCENARIO.yaml");
    request->scenario = reader->argv[optind];
    request->verbosity = reader->verbosity;
    if (reader->verbosity < 0 && request->view.style != PROGRESS_JSON) {
        request->view.style = PROGRESS_NONE;
    }
    return status;
}

static pw_status run_main(int argc, char **argv)
{
    struct option_reader reader = {
        .command = &run_command, .argc = argc, .argv = argv, .short_options = "o:f", .long_options = OPTIONS};
    struct run_request request = {.options = {.backend = "auto", .checkpoint_interval = CHECKPOINT_SECONDS}};
    request.view.style = isatty(STDERR_FILENO) ? PROGRESS_TERMINAL : PROGRESS_LINES;
    request.overrides = calloc((size_t)argc, sizeof *request.overrides);
    if (request.overrides == NULL) {
        complain("not enough memory for %d arguments", argc);
        return PW_NO_RESOURCE;
    }
    pw_status status = read_line(&reader, &request);
    if (status == PW_OK && request.scenario != NULL) {
        status = execute(&request);
    }
    free(request.overrides);
    return status;
}

const struct command run_command = {"run", "solve a scenario, write its result", HELP, run_main};
