/* The main job: solves every transmitter of a set-up into one result file. It leaves a checkpoint whenever it ends
 * early, and resumes from one. */
#include "api/run.h"
#include "api/hdf5.h"

#include "base/clock.h"
#include "run/job/job.h"

#include <math.h>
#include <unistd.h>

/* A checkpoint of an earlier job is either resumed or, when the caller says so, overwritten; otherwise it is a failure.
 */
static pw_status look_for_checkpoint(struct job *job, pw_error *error)
{
    FAIL_IF(job->options->resume && checkpoint_of_more(job->path, job->setup->problem.source_count), error,
            PW_BAD_INPUT, "beside '%s' lies the state of a run of more transmitters: --force starts at the beginning",
            job->path);
    if (job->options->resume) {
        TRY(checkpoint_find(job->store, job_tell_damage, job, &job->found, error));
        if (!checkpoint_exists(job->path, job->setup->problem.source_count)) {
            job_tell_course(job, "there is no saved state: starting at the beginning");
        }
        return PW_OK;
    }
    if (checkpoint_exists(job->path, job->setup->problem.source_count) && !job->options->force) {
        const bool one = access(job->store->newest, F_OK) == 0;
        return fail(
            error, PW_BAD_INPUT,
            "%s '%s' %s the state of an interrupted run: --resume continues it, --force starts at the beginning",
            one ? "file" : "beside", one ? job->store->newest : job->path, one ? "holds" : "lies");
    }
    return PW_OK;
}

/* The files are held. */
static pw_status begin_result(struct job *job, struct worker *last, pw_error *error)
{
    TRY(checkpoint_store_create(job->path, job->setup, &job->store, error));
    last->store = job->store;
    TRY(look_for_checkpoint(job, error));
    TRY(result_create(job->path, job->options->force, job->setup, &job->writer, error));
    if (!job->options->resume) {
        checkpoint_remove(job->path, job->setup->problem.source_count);
    }
    return PW_OK;
}

/* The files are held. */
static pw_status end_result(struct job *job, struct worker *last, double created, pw_error *error)
{
    double seconds = job->seconds + (last->simulation != NULL ? last->simulation->seconds : 0);
    struct result_writer *writer = job->writer;
    pw_status status = job->over != NULL ? result_take_over(writer, job->over->path, job->over->tops, error) : PW_OK;
    job->writer = NULL;
    if (status != PW_OK) {
        result_abandon(writer);
        return worker_rescue(last, status, error);
    }
    status = result_commit(writer, created, seconds, error);
    if (status != PW_OK) {
        return worker_rescue(last, status, error);
    }
    checkpoint_remove(job->path, job->setup->problem.source_count);
    if (job->over != NULL) {
        unlink(job->over->path);
    }
    return PW_OK;
}

static pw_status run_job(struct job *job, struct worker *last, pw_error *error)
{
    pw_hdf5_lock(INFINITY);
    pw_status status = begin_result(job, last, error);
    pw_hdf5_unlock();
    TRY(status);
    double created = clock_seconds() - job->started;
    TRY(job_solve(job, last, error));
    pw_hdf5_lock(INFINITY);
    status = end_result(job, last, created, error);
    pw_hdf5_unlock();
    return status;
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

pw_status job_run(const pw_setup *setup, const pw_run_options *options, const char *path, int workers,
                  const struct job_over *over, pw_error *error)
{
    struct job job = {.setup = setup,
                      .options = options,
                      .path = path,
                      .over = over,
                      .started = clock_seconds(),
                      .workers = workers > 0 ? workers : 1};
    struct worker last = {.job = &job, .place = -1};
    TRY(compute_read(&options->compute, &setup->problem, &job.compute, error));
    if (workers == 0 && options->frames == NULL) { /* which are drawn of one transmitter after another */
        TRY(compute_spread(&job.compute, &setup->problem, &job.workers, error));
    }
    TRY(check_kept(setup, options, error));
    pw_status status = options->frames != NULL
                           ? frames_create(setup, options->frames, options->frames_every, &job.frames, error)
                           : PW_OK;
    pthread_mutex_init(&job.lock, NULL);
    pthread_cond_init(&job.moved, NULL);
    THEN(status, run_job(&job, &last, error));
    pw_hdf5_lock(INFINITY);
    result_abandon(job.writer);
    pw_hdf5_unlock();
    worker_free(&last);
    pthread_cond_destroy(&job.moved);
    pthread_mutex_destroy(&job.lock);
    frames_free(job.frames);
    checkpoint_store_free(job.store);
    return status;
}
