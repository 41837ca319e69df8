/* The main job: solves every transmitter of a set-up, in ensembles as large as the backend likes, into one result file.
 * It leaves a checkpoint whenever it ends early, and resumes from one. Whatever has been computed is on disk before the
 * memory that holds it is freed. */
#include "api/run.h"
#include "base/clock.h"
#include "job/checkpoint.h"
#include "job/frames.h"
#include "result/result.h"
#include "result/result_writer.h"
#include "run/delay_warning.h"
#include "run/ranks/rank_shares.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct job {
    const struct setup *setup;
    const pw_run_options *options;
    const char *path;
    const struct backend *backend;
    struct result_writer *writer; /* NULL once it has failed */
    struct frames *frames;        /* NULL: none */
    struct checkpoint_store *store;
    struct checkpoint found;       /* where to resume; path NULL: nowhere */
    struct simulation *simulation; /* of the present ensemble; the last one is kept until the result is safe */
    double started, saved;         /* clock at the start of the job, and at its last checkpoint */
    double longest_save;           /* s */
    double seconds;                /* spent stepping in all ensembles before this one */
    int64_t steps_done;            /* of the transmitters that this job has solved to their end */
    int transmitters_done;         /* how many those are */
    bool stopped, out_of_time;     /* by the caller or by the time limit */
    bool has_checkpoint;           /* a checkpoint of this job is on the disk */
};

static void note(const struct job *job, const char *format, va_list arguments)
{
    char message[1100];
    vsnprintf(message, sizeof message, format, arguments);
    if (job->options->note != NULL) {
        job->options->note(message, job->options->user);
    }
}

/* What is amiss. */
__attribute__((format(printf, 2, 3))) static void tell(const struct job *job, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(job, format, arguments);
    va_end(arguments);
}

/* Where the run goes on, unless the caller wants it quiet. */
__attribute__((format(printf, 2, 3))) static void tell_course(const struct job *job, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!job->options->quiet) {
        note(job, format, arguments);
    }
    va_end(arguments);
}

static void tell_damage(const char *message, void *user)
{
    tell(user, "%s; this file is ignored", message);
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* Writes a checkpoint and notes how long that took. The caller decides what a failure means. */
static pw_status save(struct job *job, pw_error *error)
{
    double start = clock_seconds();
    pw_status status = checkpoint_write(job->store, job->simulation, error);
    job->saved = clock_seconds();
    if (status == PW_OK) {
        double took = job->saved - start;
        job->longest_save = took > job->longest_save ? took : job->longest_save;
        job->has_checkpoint = true;
    }
    return status;
}

/* Seconds to keep free before the time limit: twice the longest save so far; before the first save, twice the time of
 * writing at 200 MB/s. */
static double reserve(const struct job *job)
{
    double guess = checkpoint_bytes(job->setup, job->simulation->count) / 200e6;
    return 0.3 + 2 * (job->longest_save > 0 ? job->longest_save : guess);
}

/* Seconds that the transmitters after this ensemble will take, at the speed of this one. Where runs stop by decay they
 * are taken to be as long as those that are done. */
static double later_seconds(const struct job *job, const pw_progress *progress)
{
    const struct problem *problem = &job->setup->problem;
    double cells = (double)problem_nodes(problem);
    double steps =
        job->transmitters_done > 0 ? (double)job->steps_done / job->transmitters_done : (double)problem->steps;
    int later = problem->source_count - progress->transmitter - progress->transmitters_together;
    const struct simulation *now = job->simulation; /* its mean speed: that of the moment changes as a wave spreads */
    const double rate = now->seconds > 0 ? now->count * cells * (double)now->step / now->seconds : 0;
    return later > 0 && rate > 0 ? later * steps * cells / rate : 0.0;
}

/* The progress function of the simulation: calls the caller's, watches the time limit, saves a checkpoint when one is
 * due. */
static bool job_watch(const pw_progress *progress, void *user)
{
    struct job *job = user;
    const pw_run_options *options = job->options;
    pw_error error;
    double now = clock_seconds();
    pw_progress whole = *progress;
    whole.seconds_left += later_seconds(job, progress);
    if (options->progress != NULL && !options->progress(&whole, options->user)) {
        job->stopped = true;
    } else if (options->time_limit > 0 && now - job->started > options->time_limit - reserve(job)) {
        job->stopped = job->out_of_time = true;
    } else if (options->checkpoint_interval > 0 && now - job->saved >= options->checkpoint_interval &&
               progress->step < progress->steps && save(job, &error) != PW_OK) {
        tell(job, "the state could not be saved at step %lld: %s; the run continues", (long long)progress->step,
             error.message);
    }
    return !job->stopped;
}

/* Saves an ensemble that is not finished, and says why the run ends early and how to resume it. */
static pw_status stop(struct job *job, pw_error *error)
{
    const char *why = job->out_of_time ? "the time limit" : "an interruption";
    struct simulation *simulation = job->simulation;
    if (simulation->stop_reason == NULL) {
        pw_error inner;
        if (save(job, &inner) != PW_OK) {
            return fail(error, PW_NO_RESOURCE, "stopped by %s at step %lld, and no checkpoint could be written: %s%s",
                        why, (long long)simulation->step, inner.message,
                        job->has_checkpoint ? "; an earlier one is kept, and --resume continues from it" : "");
        }
    }
    return fail(error, PW_INTERRUPTED,
                "stopped by %s at step %lld of %lld of transmitter %d of %d: the state is saved, and --resume "
                "continues from there",
                why, (long long)simulation->step, (long long)job->setup->problem.steps, simulation->first + 1,
                job->setup->problem.source_count);
}

/* Called when the result cannot be written: saves what the finished ensemble recorded. The failed result is removed
 * first, since it may occupy the space that is needed. */
static pw_status rescue(struct job *job, pw_status status, pw_error *error)
{
    pw_error inner, first = {""};
    if (error != NULL) {
        first = *error;
    }
    result_abandon(job->writer);
    job->writer = NULL;
    if (checkpoint_write_finished(job->store, job->simulation, &inner) == PW_OK) {
        return fail(error, status, "%.700s; what was computed is saved; when the cause is removed, --resume continues",
                    first.message);
    }
    return fail(error, status, "%.450s; and what was computed could not be saved: %.450s", first.message,
                inner.message);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

static void drop_simulation(struct job *job)
{
    if (job->simulation != NULL) {
        job->seconds += job->simulation->seconds;
        pw_simulation_free(job->simulation);
        job->simulation = NULL;
    }
}

static pw_status prepare_ensemble(struct job *job, int first, int count, pw_error *error)
{
    drop_simulation(job);
    return pw_simulation_create(job->setup, job->backend->name, job->options->threads, first, count, &job->simulation,
                                error);
}

/* What the runs of the ensemble say about powers and delays, for the user now; the result holds it too. */
static void tell_doubts(struct job *job)
{
    struct warnings warnings = {0};
    pw_error error;
    for (int run = 0; run < job->simulation->count; run++) {
        power_warn(job->simulation, run, &warnings);
        (void)delay_warn(job->simulation, run, &warnings, &error); /* the result fails for the same reason */
    }
    for (size_t n = 0; n < warnings.count; n++) {
        tell(job, "warning: %s", warnings.text[n]);
    }
    warnings_free(&warnings);
}

static void tell_shares(const struct job *job)
{
    struct rank_shares shares;
    if (rank_shares_read(job->simulation, &shares)) {
        tell_course(job,
                    "rank %d was busiest: %.0f %% of the time it stepped, %.1f %% it packed what is exchanged, "
                    "%.1f %% it waited for others",
                    shares.busiest, 100 * shares.stepping, 100 * shares.packing, 100 * shares.travelling);
    }
}

static pw_status add_ensemble(struct job *job, pw_error *error)
{
    tell_doubts(job);
    pw_status status = result_add(job->writer, job->simulation, error);
    return status == PW_OK ? PW_OK : rescue(job, status, error);
}

/* Solves transmitters first .. first+count-1, from where a checkpoint left them, and appends them to the result. */
static pw_status solve_ensemble(struct job *job, int first, int count, pw_error *error)
{
    TRY(prepare_ensemble(job, first, count, error));
    if (job->found.path != NULL && job->found.first == first) {
        TRY(checkpoint_load(job->store, &job->found, job->simulation, error));
        job->has_checkpoint = true;
        tell_course(job, "continuing with transmitter %d of %d at step %lld of %lld", first + 1,
                    job->setup->problem.source_count, (long long)job->found.step, (long long)job->setup->problem.steps);
    }
    if (job->frames != NULL) {
        frames_attach(job->frames, job->simulation);
    }
    pw_status status = pw_simulation_run(job->simulation, job_watch, job, error);
    if (status == PW_INTERRUPTED) {
        return stop(job, error);
    }
    if (status == PW_NO_RESOURCE && job->has_checkpoint && error != NULL) {
        pw_error reason = *error;
        fail(error, status, "%.900s; an earlier checkpoint is kept, and --resume continues from it", reason.message);
    }
    TRY(status);
    tell_shares(job);
    job->steps_done += job->simulation->step * count;
    job->transmitters_done += count;
    TRY(add_ensemble(job, error));
    pw_error inner;
    bool more = first + count < job->setup->problem.source_count;
    if (more && (job->options->checkpoint_interval > 0 || job->stopped)) {
        if (checkpoint_write_finished(job->store, job->simulation, &inner) != PW_OK) {
            tell(job, "transmitter %d is solved, but could not be saved for --resume: %s; the run continues", first + 1,
                 inner.message);
        }
    }
    return more && job->stopped ? stop(job, error) : PW_OK;
}

static pw_status restore_finished(struct job *job, int transmitter, pw_error *error)
{
    TRY(prepare_ensemble(job, transmitter, 1, error));
    TRY(checkpoint_load_finished(job->store, transmitter, job->simulation, error));
    tell_course(job, "transmitter %d of %d was solved before", transmitter + 1, job->setup->problem.source_count);
    return add_ensemble(job, error);
}

static pw_status is_finished(struct job *job, int transmitter, bool *finished, pw_error *error)
{
    *finished = false;
    return job->options->resume ? checkpoint_find_finished(job->store, transmitter, tell_damage, job, finished, error)
                                : PW_OK;
}

/* How many transmitters from `first` on are solved together: as many as the backend likes, up to one that is finished
 * or with which the checkpoint begins; the transmitters of the checkpoint stay together. */
static pw_status choose_ensemble(struct job *job, int first, int *count, pw_error *error)
{
    const struct checkpoint *found = &job->found;
    const struct problem *problem = &job->setup->problem;
    /* An ensemble stops as one. With a stop by decay each transmitter runs alone, or the step at which it stops would
     * depend on the backend. */
    int total = problem->source_count, together = problem->decay > 0 ? 1 : job->backend->ensemble(problem);
    if (found->path != NULL && found->first == first) {
        *count = found->count;
        return PW_OK;
    }
    bool finished = false;
    for (*count = 1; *count < together && first + *count < total; ++*count) {
        TRY(is_finished(job, first + *count, &finished, error));
        if (finished || (found->path != NULL && found->first == first + *count)) {
            break;
        }
    }
    return PW_OK;
}

static pw_status solve_all(struct job *job, pw_error *error)
{
    for (int first = 0, count = 1; first < job->setup->problem.source_count; first += count) {
        bool finished = false;
        TRY(is_finished(job, first, &finished, error));
        if (finished) {
            count = 1;
            TRY(restore_finished(job, first, error));
        } else {
            TRY(choose_ensemble(job, first, &count, error));
            TRY(solve_ensemble(job, first, count, error));
        }
    }
    return PW_OK;
}

/* ---- the job ----------------------------------------------------------------------------------------------------- */

/* A checkpoint of an earlier job is either resumed or, when the caller says so, overwritten; otherwise it is a failure.
 */
static pw_status look_for_checkpoint(struct job *job, pw_error *error)
{
    if (job->options->resume) {
        TRY(checkpoint_find(job->store, tell_damage, job, &job->found, error));
        if (!checkpoint_exists(job->store)) {
            tell_course(job, "there is no saved state: starting at the beginning");
        }
        return PW_OK;
    }
    if (checkpoint_exists(job->store) && !job->options->force) {
        return fail(
            error, PW_BAD_INPUT,
            "'%s' holds the state of an interrupted run: --resume continues it, --force starts at the beginning",
            job->store->newest);
    }
    return PW_OK;
}

static pw_status run_job(struct job *job, pw_error *error)
{
    TRY(checkpoint_store_create(job->path, job->setup, &job->store, error));
    TRY(look_for_checkpoint(job, error));
    TRY(result_create(job->path, job->options->force, job->setup, &job->writer, error));
    if (!job->options->resume) {
        checkpoint_remove(job->path, job->setup->problem.source_count);
    }
    double created = clock_seconds() - job->started;
    TRY(solve_all(job, error));
    double seconds = job->seconds + job->simulation->seconds;
    struct result_writer *writer = job->writer;
    job->writer = NULL;
    pw_status status = result_commit(writer, created, seconds, error);
    if (status != PW_OK) {
        return rescue(job, status, error);
    }
    checkpoint_remove(job->path, job->setup->problem.source_count);
    return PW_OK;
}

/* A run whose result would hold no field anywhere is a mistake. */
static pw_status check_kept(const pw_setup *setup, const pw_run_options *options, pw_error *error)
{
    pw_facts facts = pw_setup_facts(setup);
    return facts.receiver_count > 0 || facts.frequency_count > 0 || options->frames != NULL
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "%s: nothing of this run would be kept: 'spectra' is off and there are no receivers; leave "
                      "'spectra' out, or add 'receivers'",
                      setup->scenario->file);
}

pw_status pw_run(const pw_setup *setup, const pw_run_options *options, const char *path, pw_error *error)
{
    double now = clock_seconds();
    struct job job = {.setup = setup, .options = options, .path = path, .started = now, .saved = now};
    job.backend = backend_find_for(options->backend != NULL ? options->backend : "auto", &setup->problem, error);
    if (job.backend == NULL) {
        return PW_NO_RESOURCE;
    }
    TRY(check_kept(setup, options, error));
    pw_status status = options->frames != NULL
                           ? frames_create(setup, options->frames, options->frames_every, &job.frames, error)
                           : PW_OK;
    if (status == PW_OK) {
        status = run_job(&job, error);
    }
    result_abandon(job.writer);
    pw_simulation_free(job.simulation);
    frames_free(job.frames);
    checkpoint_store_free(job.store);
    return status;
}
