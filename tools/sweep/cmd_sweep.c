/* planwave sweep: many runs of one scenario with other values: their commands, some of them run, all of them in one
 * file. Which scheduler runs them is open. */
#include "program/progress.h"
#include "sweep/cmd_sweep_list.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };
enum sweep_action { ACTION_LIST, ACTION_STATUS, ACTION_RUN, ACTION_COLLECT };
static const char *const ACTIONS[] = {"list", "status", "run", "collect", NULL};
static const double CHECKPOINT_SECONDS = 600.0;

struct sweep_request {
    enum sweep_action action;
    const char *file, *output;
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    bool force, partial, strict, unfinished;
    int64_t index, chunk; /* index -1: all cases */
    pw_run_options options;
    int verbosity;
    struct progress_view view;
};

static const char HELP[] =
    "usage: planwave sweep list|status|run|collect SWEEP.yaml [OPTIONS]...\n"
    "\n"
    "Runs one scenario many times with other values of its keys, and collects the results.\n"
    "  list     print a command for every case, for GNU parallel, Snakemake or Slurm\n"
    "  run      solve all cases, or some of them; cases that are done are skipped\n"
    "  status   say which cases are done\n"
    "  collect  write all outputs into one HDF5 file with the axes of the sweep, for xarray\n"
    "\n"
    "      --unfinished        list: only the cases that are not done\n"
    "      --index N           run: chunk number N of the cases, counted from 0; default: all cases\n"
    "      --chunk M           run: cases per chunk, default 1\n"
    "+                         Chunk N has the cases N*M to N*M+M-1\n"
    "  -o, --output FILE.h5    collect: name of the file; default: the sweep's name with .h5\n"
    "  -f, --force             run: solve again what is done; collect: replace an existing file\n"
    "+                         run: also replaces outputs of something else\n"
    "      --partial           collect: accept missing outputs (exit status 0)\n"
    "+                         Outputs of something else count as missing\n"
    "      --backend NAME      run, list: auto (default: cuda if a GPU works, else cpu), cuda, cpu, ...\n"
    "+     --devices WHICH     run: GPUs as in planwave run: all, a count (2), or numbers (0,1);\n"
    "+                         default: one\n"
    "+     --device-memory X   run: memory of the GPU to use, e.g. 20GB; default: all that is free. A\n"
    "+                         larger grid is cut into parts, which take turns on the GPU\n"
    "      --threads N         run, list: CPU threads; default: all cores\n"
    "+     --strict            run, list: stop if a material is used outside its ITU-R P.2040 range\n"
    "+     --checkpoint TIME   run: how often to save the state; default 10min\n"
    "+     --time-limit TIME   run: save the state and stop before this time is over, e.g. 1h\n"
    "  -q, --quiet             print errors and warnings only\n"
    "+ -v, --verbose           run: print the values of every case\n"
    "  -h, --help              print this text\n"
    "+\n"
    "+A sweep file has these keys; its paths start in its own folder:\n"
    "+\n"
    "+ scenario: flat.yaml     what is varied\n"
    "+ output: flat-sweep      folder of the outputs; default: the sweep's name without its ending\n"
    "+ precision: single       or double\n"
    "+ set: {KEY: VALUE, ...}  what all cases have; a KEY is written as after --set, e.g. grid.cell\n"
    "+ most_cases: 10000       a sweep with more cases is refused\n"
    "+\n"
    "+And one of these three designs:\n"
    "+\n"
    "+ grid:                                                    every combination, the last axis fastest\n"
    "+   plan.walls.3.thickness: [8 cm, 12 cm]                 values of a key, of any kind\n"
    "+   band: {from: 2 GHz, to: 3 GHz, count: 5, scale: log}   evenly over a range, linear or log\n"
    "+   wall: {keys: [plan.walls.0.material, plan.walls.1.material], values: [brick, concrete]}\n"
    "+                                                          an axis with a name, for several keys\n"
    "+ cases:                                                   a list; other keys are the scenario's\n"
    "+   - {name: thin, plan.walls.3.thickness: 8 cm}          the name becomes that of the output\n"
    "+   - {name: west, transmitters.0.at: [1 m, 7 m]}\n"
    "+ hypercube:                                               a Latin hypercube\n"
    "+   samples: 64\n"
    "+   seed: 1                                                or seeds: [1, 2, 3], a hypercube of each\n"
    "+   keys:\n"
    "+     plan.walls.3.thickness: {from: 6 cm, to: 14 cm}\n"
    "+     loss: {key: plan.walls.3.material.conductivity, from: 1e-3 S/m, to: 0.1 S/m, scale: log}\n"
    "+\n"
    "+A case is done if its output is complete and belongs to the scenario as the sweep describes it now,\n"
    "+pictures and tables included. An output of anything else is refused without --force. Ctrl-C,\n"
    "+SIGTERM and --time-limit save the state of the current case; the same command continues there.\n"
    "+\n"
    "+Exit status: 0 all is done, 3 bad input, 6 interrupted, 7 some cases failed (each is named; the\n"
    "+others were run) or, for collect, some outputs are missing (the file has NaN in their place).\n"
    "\n"
    "examples:\n"
    "  planwave sweep status floorplans/sweeps/walls.yaml\n"
    "+ planwave sweep run floorplans/sweeps/walls.yaml --index 3 --chunk 4\n"
    "  planwave sweep list floorplans/sweeps/walls.yaml | parallel --jobs 2\n"
    "  planwave sweep collect floorplans/sweeps/walls.yaml -o walls.h5\n";

/* ---- run --------------------------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_note(const char *message, void *user)
{
    progress_end(user);
    complain("%s", message);
}

/* "case 3 (case-0003) in 2.1 s: plan.walls.3.thickness=8 cm" */
static void announce(const struct sweep_request *request, const pw_sweep *sweep, int64_t index, const char *what)
{
    pw_sweep_case *of;
    if (request->verbosity < 0 || pw_sweep_case_create(sweep, index, &of, NULL) != PW_OK) {
        return;
    }
    printf("case %lld (%s)%s", (long long)index, of->name, what);
    for (size_t n = 0; n < of->override_count && request->verbosity > 0; n++) {
        printf("%s%s", n > 0 ? ", " : ": ", of->overrides[n]);
    }
    putchar('\n');
    fflush(stdout);
    pw_sweep_case_free(of);
}

/* What has become of the cases of a chunk. */
struct tally {
    int64_t solved, skipped, failed;
    char list[400]; /* the failed ones */
};

static void note_failure(struct tally *tally, int64_t index)
{
    size_t used = strlen(tally->list);
    tally->failed++;
    if (used + 32 < sizeof tally->list) {
        snprintf(tally->list + used, sizeof tally->list - used, "%s%lld", used > 0 ? "," : "", (long long)index);
    } else if (tally->list[used - 1] != '.') {
        snprintf(tally->list + used, sizeof tally->list - used, ",...");
    }
}

/* PW_INTERRUPTED ends the chunk; any other failure is that of this case alone. */
static pw_status run_case(struct sweep_request *request, const pw_sweep *sweep, int64_t index, struct tally *tally)
{
    pw_error error = {{0}};
    char time[32];
    bool skipped = false;
    double started = seconds_now();
    request->view.last_shown = 0.0;
    pw_status status = pw_sweep_run_case(sweep, index, request->strict, &request->options, &skipped, &error);
    progress_end(&request->view);
    if (status == PW_OK) {
        char what[64];
        snprintf(what, sizeof what, skipped ? " was done before" : " in %s",
                 format_seconds(seconds_now() - started, time, sizeof time));
        announce(request, sweep, index, what);
        tally->skipped += skipped;
        tally->solved += !skipped;
        return PW_OK;
    }
    complain("case %lld: %s", (long long)index, error.message);
    if (status == PW_INTERRUPTED) {
        return status;
    }
    note_failure(tally, index);
    return PW_OK;
}

/* A --time-limit is that of the whole call. */
static bool time_is_over(struct sweep_request *request, double limit, double begun)
{
    if (limit <= 0) {
        return false;
    }
    request->options.time_limit = limit - (seconds_now() - begun);
    return request->options.time_limit <= 0;
}

static pw_status run_chunk(struct sweep_request *request, const pw_sweep *sweep, int64_t first, int64_t last)
{
    struct tally tally = {0};
    pw_status status = PW_OK;
    const double limit = request->options.time_limit, begun = seconds_now();
    int64_t index = first;
    for (; index <= last && status == PW_OK; index++) {
        bool stop = progress_interrupted() || time_is_over(request, limit, begun);
        status = stop ? PW_INTERRUPTED : run_case(request, sweep, index, &tally);
    }
    if (status == PW_INTERRUPTED) {
        const long long left = last - index + 2, all = last - first + 1; /* index has passed the case that stopped */
        complain("stopped with %lld of %lld cases to go; the same command goes on", left, all);
    }
    if (request->verbosity >= 0) {
        printf("%lld solved, %lld done before, %lld failed\n", (long long)tally.solved, (long long)tally.skipped,
               (long long)tally.failed);
    }
    if (tally.failed > 0) {
        complain("failed: cases %s", tally.list);
    }
    return status != PW_OK ? status : tally.failed > 0 ? PW_INCOMPLETE : PW_OK;
}

static pw_status run_cases(struct sweep_request *request, const pw_sweep *sweep)
{
    int64_t count = pw_sweep_describe(sweep).case_count, first = 0, last = count - 1;
    if (request->index >= 0) {
        int64_t chunks = (count + request->chunk - 1) / request->chunk;
        if (request->index >= chunks) {
            complain("--index %lld: there are %lld cases, in chunks of %lld: --index goes from 0 to %lld",
                     (long long)request->index, (long long)count, (long long)request->chunk, (long long)(chunks - 1));
            return PW_BAD_INPUT;
        }
        first = request->index * request->chunk;
        last = first + request->chunk - 1 < count - 1 ? first + request->chunk - 1 : count - 1;
    } else {
        pw_status status = sweep_check(sweep);
        PW_TRY(status);
    }
    request->options.progress = progress_show;
    request->options.note = print_note;
    request->options.user = &request->view;
    request->options.force = request->force;
    return run_chunk(request, sweep, first, last);
}

/* ---- collect ----------------------------------------------------------------------------------------------------- */

static pw_status collect_outputs(struct sweep_request *request, const pw_sweep *sweep)
{
    pw_error error = {{0}};
    pw_sweep_collected collected = {0};
    request->output = output_name(request->output, request->file, ".h5", request->derived, sizeof request->derived);
    pw_status status = check_output(request->output, request->force);
    PW_TRY(status);
    const pw_sweep_collect_options options = {
        .force = request->force, .partial = request->partial, .note = warn_user, .monitor = &SWEEP_MONITOR};
    status = pw_sweep_collect(sweep, request->output, &options, &collected, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    if (request->verbosity >= 0) {
        printf("wrote %s: %d datasets over %lld of %lld outputs\n", request->output, collected.dataset_count,
               (long long)collected.present, (long long)pw_sweep_describe(sweep).case_count);
    }
    return collected.missing > 0 && !request->partial ? PW_INCOMPLETE : PW_OK;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

static pw_status execute(struct sweep_request *request)
{
    pw_error error = {{0}};
    pw_sweep *sweep = NULL;
    pw_status status = progress_catch_signals();
    PW_TRY(status);
    status = pw_sweep_load(request->file, &sweep, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    switch (request->action) {
    case ACTION_LIST:
        status = sweep_list(sweep, &request->options, request->strict, request->unfinished);
        break;
    case ACTION_STATUS:
        status = sweep_status(sweep);
        break;
    case ACTION_RUN:
        status = run_cases(request, sweep);
        break;
    case ACTION_COLLECT:
        status = collect_outputs(request, sweep);
        break;
    }
    pw_sweep_free(sweep);
    return status;
}

static pw_status take_action(const struct option_line *line, struct sweep_request *request)
{
    const char *word = line->operands[0];
    for (int a = 0; ACTIONS[a] != NULL; a++) {
        if (strcmp(ACTIONS[a], word) == 0) {
            request->action = (enum sweep_action)a;
            request->file = line->operands[1];
            return PW_OK;
        }
    }
    const char *near = nearest_word(word, ACTIONS, sizeof ACTIONS / sizeof ACTIONS[0] - 1);
    return complain_usage(line->command, "'%s': the first word is list, status, run or collect%s%s%s", word,
                          near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
}

/* Options of another action are a misunderstanding. */
static pw_status check_options(const struct sweep_request *request)
{
    const bool runs = request->action == ACTION_RUN, lists = request->action == ACTION_LIST,
               collects = request->action == ACTION_COLLECT;
    const pw_run_options *options = &request->options;
    const char *wrong =
        (request->index >= 0 || request->chunk != 1) && !runs        ? "--index and --chunk are"
        : (request->output != NULL || request->partial) && !collects ? "--output and --partial are"
        : request->unfinished && !lists                              ? "--unfinished is"
        : request->force && !runs && !collects                       ? "--force is"
        : (options->time_limit > 0 || options->checkpoint_interval != CHECKPOINT_SECONDS) && !runs
            ? "--time-limit and --checkpoint are"
        : (options->compute.threads > 0 || request->strict || strcmp(options->compute.backend, "auto") != 0) && !runs &&
                !lists
            ? "--backend, --threads and --strict are"
        : (options->compute.device_count > 0 || options->compute.device_memory > 0) && !runs
            ? "--devices and --device-memory are"
            : NULL;
    if (wrong != NULL) {
        return complain_usage(&sweep_command, "%s not for '%s'", wrong, ACTIONS[request->action]);
    }
    return request->chunk != 1 && request->index < 0
               ? complain_usage(&sweep_command, "--chunk needs --index: which chunk of the cases")
               : PW_OK;
}

static pw_status sweep_main(int argc, char **argv)
{
    struct sweep_request request = {
        .index = -1, .chunk = 1, .options = {.compute.backend = "auto", .checkpoint_interval = CHECKPOINT_SECONDS}};
    request.view.style = isatty(STDERR_FILENO) ? PROGRESS_TERMINAL : PROGRESS_LINES;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "unfinished", .kind = OPTION_FLAG, .value = &request.unfinished},
        {.name = "index", .kind = OPTION_COUNT, .value = &request.index, .most = 1e9},
        {.name = "chunk", .kind = OPTION_COUNT, .value = &request.chunk, .least = 1, .most = 1e9},
        {.name = "partial", .kind = OPTION_FLAG, .value = &request.partial},
        COMPUTE_OPTIONS(&request.options.compute),
        DEVICE_MEMORY_OPTION(&request.options.compute),
        {.name = "strict", .kind = OPTION_FLAG, .value = &request.strict},
        {.name = "checkpoint", .kind = OPTION_TIME, .value = &request.options.checkpoint_interval},
        {.name = "time-limit", .kind = OPTION_TIME, .value = &request.options.time_limit}};
    struct option_line line =
        OPTION_LINE(&sweep_command, entries, 2, 2, "list, status, run or collect, and SWEEP.yaml");
    pw_status status = option_read(&line);
    if (status != PW_OK || line.help) {
        return status;
    }
    request.verbosity = line.verbosity;
    request.view.style = line.verbosity < 0 ? PROGRESS_NONE : request.view.style;
    status = take_action(&line, &request);
    PW_THEN(status, check_options(&request));
    return status == PW_OK ? execute(&request) : status;
}

const struct command sweep_command = {.name = "sweep",
                                      .summary = "run a scenario with many values, collect the results",
                                      .help = HELP,
                                      .run = sweep_main};
