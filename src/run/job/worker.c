/* One worker of a job (job.h): ensembles of transmitters, as large as the backend likes, each watched, saved and added
 * to the result. Whatever has been computed is on disk before the memory that holds it is freed. */
#include "api/hdf5.h"
#include "backend/parts/parted.h"
#include "base/clock.h"
#include "run/delay_warning.h"
#include "run/job/job.h"

#include <math.h>

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* Writes a checkpoint and notes how long that took. The caller decides what a failure means, and holds the files. */
static pw_status save(struct worker *worker, pw_error *error)
{
    struct job *job = worker->job;
    double start = clock_seconds();
    pw_status status = checkpoint_write(worker->store, worker->simulation, error);
    worker->saved = clock_seconds();
    if (status == PW_OK) {
        double took = worker->saved - start;
        pthread_mutex_lock(&job->lock);
        job->longest_save = took > job->longest_save ? took : job->longest_save;
        pthread_mutex_unlock(&job->lock);
        worker->has_checkpoint = true;
    }
    return status;
}

/* Seconds to keep free before the time limit: for each worker twice the longest save so far; before the first save,
 * twice the time of writing at 200 MB/s. */
static double reserve(const struct worker *worker)
{
    const struct job *job = worker->job;
    double guess = checkpoint_bytes(job->setup, worker->simulation->count) / 200e6;
    return 0.3 + 2 * job->workers * (job->longest_save > 0 ? job->longest_save : guess);
}

/* The progress function of the simulation: tells the caller, watches the time limit, saves a checkpoint when one is
 * due. */
static bool worker_watch(const pw_progress *progress, void *user)
{
    struct worker *worker = user;
    struct job *job = worker->job;
    const pw_run_options *options = job->options;
    pthread_mutex_lock(&job->lock);
    worker->latest = *progress;
    pthread_mutex_unlock(&job->lock);
    if (worker->place <= 0) {
        job_report(job, worker);
    }
    pthread_mutex_lock(&job->lock);
    const double now = clock_seconds();
    if (!job->stopped && options->time_limit > 0 && now - job->started > options->time_limit - reserve(worker)) {
        job->stopped = job->out_of_time = true;
    }
    const bool stopped = job->stopped, due = options->checkpoint_interval > 0 &&
                                             now - worker->saved >= options->checkpoint_interval &&
                                             progress->step < progress->steps;
    pthread_mutex_unlock(&job->lock);
    if (!stopped && due) {
        pw_error error;
        pw_hdf5_lock(INFINITY);
        if (save(worker, &error) != PW_OK) {
            job_tell(job, "the state could not be saved at step %lld: %s; the run continues", (long long)progress->step,
                     error.message);
        }
        pw_hdf5_unlock();
    }
    return !stopped;
}

/* Saves an ensemble that is not finished, and says why the run ends early and how to resume it. The files are held. */
static pw_status stop(struct worker *worker, pw_error *error)
{
    struct job *job = worker->job;
    struct simulation *simulation = worker->simulation;
    pthread_mutex_lock(&job->lock);
    const char *why = job->out_of_time ? "the time limit" : "an interruption";
    pthread_mutex_unlock(&job->lock);
    FAIL_IF(job->options->checkpoint_interval < 0, error, PW_INTERRUPTED, "stopped by %s at step %lld; nothing is kept",
            why, (long long)simulation->step);
    if (simulation->stop_reason == NULL) {
        pw_error inner;
        FAIL_IF(save(worker, &inner) != PW_OK, error, PW_NO_RESOURCE,
                "stopped by %s at step %lld, and no checkpoint could be written: %s%s", why,
                (long long)simulation->step, inner.message,
                worker->has_checkpoint ? "; an earlier one is kept, and --resume continues from it" : "");
    }
    FAIL_IF(job->unsaved, error, PW_NO_RESOURCE,
            "stopped by %s at step %lld, and what finished transmitters recorded could not all be saved", why,
            (long long)simulation->step);
    return fail(error, PW_INTERRUPTED,
                "stopped by %s at step %lld of %lld of transmitter %d of %d: the state is saved, and --resume "
                "continues from there",
                why, (long long)simulation->step, (long long)job->setup->problem.steps, simulation->first + 1,
                job->setup->problem.source_count);
}

pw_status worker_rescue(struct worker *worker, pw_status status, pw_error *error)
{
    struct job *job = worker->job;
    pw_error inner, first = {""};
    if (error != NULL) {
        first = *error;
    }
    result_abandon(job->writer);
    job->writer = NULL;
    FAIL_IF(worker->simulation == NULL && job->unsaved, error, status,
            "%.700s; and not all that was computed could be saved", first.message);
    FAIL_IF(worker->simulation == NULL || checkpoint_write_finished(job->store, worker->simulation, &inner) == PW_OK,
            error, status, "%.700s; what was computed is saved; when the cause is removed, --resume continues",
            first.message);
    return fail(error, status, "%.450s; and what was computed could not be saved: %.450s", first.message,
                inner.message);
}

/* ---- one ensemble ------------------------------------------------------------------------------------------------ */

static void drop_store(struct worker *worker)
{
    if (worker->store != worker->job->store) {
        checkpoint_store_free(worker->store);
    }
    worker->store = worker->job->store;
}

static void drop_simulation(struct worker *worker)
{
    if (worker->simulation != NULL) {
        if (worker->job->workers == 1) {
            worker->job->seconds += worker->simulation->seconds;
        }
        pw_simulation_free(worker->simulation);
        worker->simulation = NULL;
    }
}

void worker_free(struct worker *worker)
{
    drop_simulation(worker);
    drop_store(worker);
}

static pw_status prepare_ensemble(struct worker *worker, int first, int count, pw_error *error)
{
    const struct job *job = worker->job;
    drop_simulation(worker);
    const struct compute own = compute_at(&job->compute, worker->place);
    return simulation_create(job->setup, &own, first, count, &worker->simulation, error);
}

/* What the runs of the ensemble say about powers and delays, for the user now; the result holds it too. */
static void tell_doubts(const struct worker *worker)
{
    pw_notes warnings = {0};
    pw_error error;
    for (int run = 0; run < worker->simulation->count; run++) {
        power_warn(worker->simulation, run, &warnings);
        (void)delay_warn(worker->simulation, run, &warnings, &error); /* the result fails for the same reason */
    }
    for (size_t n = 0; n < warnings.count; n++) {
        job_tell(worker->job, "warning: %s", warnings.text[n]);
    }
    warnings_free(&warnings);
}

/* Where the time of a run on several ranks went. */
struct rank_shares {
    int busiest;                          /* the rank that stepped and packed longest, whose shares these are: */
    double stepping, packing, travelling; /* of the sum of the three; travelling is waiting for others, too */
};

/* False when the simulation has no other ranks, or when they do not answer. */
static bool rank_shares_read(const struct simulation *simulation, struct rank_shares *shares)
{
    const struct cut *cut = parted_cut(simulation->stepper);
    double longest = 0;
    for (int p = 0; cut != NULL && p < cut_count(cut); p++) {
        struct part_clock clock;
        if (parted_clock(simulation->stepper, p, &clock, NULL) != PW_OK) {
            return false;
        }
        const double busy = clock.stepping + clock.packing, all = busy + clock.travelling;
        if (busy > longest) {
            longest = busy;
            *shares = (struct rank_shares){p, clock.stepping / all, clock.packing / all, clock.travelling / all};
        }
    }
    return longest > 0;
}

static void tell_shares(const struct worker *worker)
{
    struct rank_shares shares = {0};
    if (!rank_shares_read(worker->simulation, &shares)) {
        return;
    }
    pw_hdf5_lock(INFINITY);
    job_tell_course(worker->job,
                    "rank %d was busiest: %.0f %% of the time it stepped, %.1f %% it packed what is exchanged, %.1f %% "
                    "it waited for others",
                    shares.busiest, 100 * shares.stepping, 100 * shares.packing, 100 * shares.travelling);
    pw_hdf5_unlock();
}

/* Keeps what finished transmitters recorded for a later call. The files are held. */
static void keep(const struct worker *worker)
{
    struct job *job = worker->job;
    pw_error error;
    if (checkpoint_write_finished(job->store, worker->simulation, &error) != PW_OK) {
        job->unsaved = true;
        job_tell(job, "transmitter %d is solved, but could not be saved for --resume: %s; the run continues",
                 worker->simulation->first + 1, error.message);
    }
}

/* Appends the ensemble to the result when those before it are there. What was solved anew is kept for a later call
 * where others are solved meanwhile, which may end the job; else if there are others and the caller wants it. */
static pw_status add_in_turn(struct worker *worker, bool anew, pw_error *error)
{
    struct job *job = worker->job;
    const struct simulation *simulation = worker->simulation;
    const int end = simulation->first + simulation->count;
    const bool beside = job->workers > 1, more = end < job->setup->problem.source_count;
    pw_status status = PW_OK;
    pthread_mutex_lock(&job->lock);
    worker->latest.cells_per_second = 0;
    pthread_mutex_unlock(&job->lock);
    if (anew && beside) {
        pw_hdf5_lock(INFINITY);
        keep(worker);
        pw_hdf5_unlock();
    }
    const bool turn = job_await_turn(worker, simulation->first);
    pw_hdf5_lock(INFINITY);
    if (turn) {
        tell_doubts(worker);
        status = result_add(job->writer, simulation, error);
        status = status == PW_OK ? PW_OK : worker_rescue(worker, status, error);
    }
    const bool stopped = job_stopped(job);
    if (status == PW_OK && anew && !beside && more &&
        (job->options->checkpoint_interval > 0 || (stopped && job->options->checkpoint_interval == 0))) {
        keep(worker);
    }
    if (status == PW_OK && (!turn || (more && stopped))) {
        status = stop(worker, error);
    }
    pw_hdf5_unlock();
    if (status == PW_OK) {
        pthread_mutex_lock(&job->lock);
        job->added = end;
        pthread_cond_broadcast(&job->moved);
        pthread_mutex_unlock(&job->lock);
    }
    return status;
}

/* Of what was stepped before, as if it had been stepped in this worker beside others. */
static void count_loaded(const struct worker *worker)
{
    struct job *job = worker->job;
    pthread_mutex_lock(&job->lock);
    job->seconds += job->workers > 1 ? worker->simulation->seconds / job->workers : 0;
    pthread_mutex_unlock(&job->lock);
}

static pw_status load_start(struct worker *worker, pw_error *error)
{
    struct job *job = worker->job;
    const struct checkpoint *start = &worker->start;
    pw_hdf5_lock(INFINITY);
    pw_status status = checkpoint_load(worker->store, start, worker->simulation, error);
    if (status == PW_OK) {
        worker->has_checkpoint = true;
        count_loaded(worker);
        job_tell_course(job, "continuing with transmitter %d of %d at step %lld of %lld", start->first + 1,
                        job->setup->problem.source_count, (long long)start->step, (long long)job->setup->problem.steps);
    }
    pw_hdf5_unlock();
    return status;
}

/* Solves transmitters first .. first+count-1, from where a checkpoint left them. */
static pw_status solve_ensemble(struct worker *worker, int first, int count, pw_error *error)
{
    struct job *job = worker->job;
    TRY(prepare_ensemble(worker, first, count, error));
    if (worker->start.path != NULL) {
        TRY(load_start(worker, error));
    }
    if (job->frames != NULL) {
        frames_attach(job->frames, worker->simulation);
    }
    pw_status status = pw_simulation_run(worker->simulation, worker_watch, worker, error);
    if (status == PW_INTERRUPTED) {
        pw_hdf5_lock(INFINITY);
        status = stop(worker, error);
        pw_hdf5_unlock();
        return status;
    }
    if (status == PW_NO_RESOURCE && worker->has_checkpoint && error != NULL) {
        pw_error reason = *error;
        fail(error, status, "%.900s; an earlier checkpoint is kept, and --resume continues from it", reason.message);
    }
    TRY(status);
    tell_shares(worker);
    pthread_mutex_lock(&job->lock);
    job->steps_done += worker->simulation->step * count;
    job->transmitters_done += count;
    pthread_mutex_unlock(&job->lock);
    return add_in_turn(worker, true, error);
}

static pw_status restore_finished(struct worker *worker, int transmitter, pw_error *error)
{
    struct job *job = worker->job;
    TRY(prepare_ensemble(worker, transmitter, 1, error));
    pw_hdf5_lock(INFINITY);
    pw_status status = checkpoint_load_finished(job->store, transmitter, worker->simulation, error);
    if (status == PW_OK) {
        count_loaded(worker);
        job_tell_course(job, "transmitter %d of %d was solved before", transmitter + 1,
                        job->setup->problem.source_count);
    }
    pw_hdf5_unlock();
    TRY(status);
    return add_in_turn(worker, false, error);
}

/* ---- which ensemble ---------------------------------------------------------------------------------------------- */

static pw_status is_finished(const struct job *job, int transmitter, bool *finished, pw_error *error)
{
    *finished = false;
    return job->options->resume
               ? checkpoint_find_finished(job->store, transmitter, job_tell_damage, (void *)job, finished, error)
               : PW_OK;
}

/* Where the ensemble that begins with transmitter `first` goes on: in the job's checkpoint or in its own, the one that
 * is further on. A worker among several saves it to its own. */
static pw_status find_start(struct worker *worker, int first, pw_error *error)
{
    struct job *job = worker->job;
    struct checkpoint_store *own = NULL;
    drop_store(worker);
    worker->start = (struct checkpoint){0};
    TRY(checkpoint_store_apart(job->store, first, &own, error));
    pw_status status = job->options->resume ? checkpoint_find(own, job_tell_damage, job, &worker->start, error) : PW_OK;
    const bool here = job->found.path != NULL && job->found.first == first;
    if (here && (worker->start.path == NULL || worker->start.step < job->found.step)) {
        worker->start = job->found;
    }
    if (status != PW_OK ||
        (job->workers == 1 && (worker->start.path == NULL || worker->start.path == job->found.path))) {
        checkpoint_store_free(own);
    } else {
        worker->store = own;
    }
    return status;
}

/* How many transmitters from `first` on are solved together: as many as the backend likes and other workers leave, up
 * to one that is finished or with which a checkpoint begins; the transmitters of a checkpoint stay together. */
static pw_status choose_ensemble(struct worker *worker, int first, int end, int *count, pw_error *error)
{
    const struct job *job = worker->job;
    const struct problem *problem = &job->setup->problem;
    const int liked = backend_ensemble(job->compute.backend, problem), left = end - first,
              share = job->workers > 1 && end / job->workers < left ? end / job->workers : left,
              together = liked < share ? liked : share;
    if (worker->start.path != NULL) {
        *count = worker->start.count;
        return PW_OK;
    }
    bool finished = false;
    for (*count = 1; *count < together; ++*count) {
        TRY(is_finished(job, first + *count, &finished, error));
        if (finished || checkpoint_begins(job->store, first + *count) ||
            (job->found.path != NULL && job->found.first == first + *count)) {
            break;
        }
    }
    return PW_OK;
}

/* Takes the next ensemble; *count 0: there is none before `end`. */
static pw_status take(struct worker *worker, int end, int *first, int *count, bool *finished, pw_error *error)
{
    struct job *job = worker->job;
    pw_status status = PW_OK;
    *count = 0;
    pw_hdf5_lock(INFINITY);
    pthread_mutex_lock(&job->lock);
    *first = job->next;
    const bool none = job->next >= end || job->broken;
    pthread_mutex_unlock(&job->lock);
    if (!none) {
        status = is_finished(job, *first, finished, error);
        if (status == PW_OK && *finished) {
            *count = 1;
        } else if (status == PW_OK) {
            status = find_start(worker, *first, error);
            THEN(status, choose_ensemble(worker, *first, end, count, error));
        }
        pthread_mutex_lock(&job->lock);
        job->next += *count;
        worker->latest = (pw_progress){0};
        pthread_mutex_unlock(&job->lock);
    }
    pw_hdf5_unlock();
    return status;
}

pw_status worker_solve(struct worker *worker, int end, pw_error *error)
{
    for (int first = 0, count = 1; count > 0;) {
        bool finished = false;
        TRY(take(worker, end, &first, &count, &finished, error));
        if (count > 0 && finished) {
            TRY(restore_finished(worker, first, error));
        } else if (count > 0) {
            TRY(solve_ensemble(worker, first, count, error));
        }
    }
    return PW_OK;
}
