/* Hands a job's transmitters out to its workers (job.h), each of which keeps to a device of its own, and says how far
 * they are. Nothing of a device is touched by another thread than that of its worker. */
#include "base/clock.h"
#include "run/job/job.h"

/* ---- workers -------------------------------------------------------------------------------------------------------
 */

struct share {
    struct worker *worker;
    int end;
    pthread_t thread;
    bool there;
};

/* All of a worker's work, in its thread. */
static void *sit(void *user)
{
    struct share *share = user;
    struct worker *worker = share->worker;
    struct job *job = worker->job;
    const struct compute own = compute_at(&job->compute, worker->place);
    worker->status = compute_select(&own, &worker->error); /* what asks the device asks this one, from the beginning */
    worker->status = worker->status == PW_OK ? worker_solve(worker, share->end, &worker->error) : worker->status;
    worker_free(worker);
    pthread_mutex_lock(&job->lock);
    worker->latest = (pw_progress){0};
    job->broken = job->broken || worker->status != PW_OK;
    job->stopped = job->stopped || worker->status != PW_OK;
    job->busy -= worker->place > 0;
    pthread_cond_broadcast(&job->moved);
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

/* A failure says more than that others were interrupted by it; of interruptions the first counts. */
static pw_status outcome(const struct job *job, pw_error *error)
{
    const struct worker *worst = &job->worker[0];
    for (int s = 1; s < job->workers; s++) {
        const struct worker *worker = &job->worker[s];
        const bool fails = worker->status != PW_OK && worker->status != PW_INTERRUPTED,
                   worse = worst->status == PW_OK || worst->status == PW_INTERRUPTED;
        worst = (fails && worse) || (worst->status == PW_OK && worker->status != PW_OK) ? worker : worst;
    }
    if (worst->status != PW_OK && error != NULL) {
        *error = worst->error;
    }
    return worst->status;
}

/* Transmitters before `end`, several at a time. */
static pw_status solve_spread(struct job *job, int end, pw_error *error)
{
    const double started = clock_seconds();
    struct worker *workers = allocate((size_t)job->workers, sizeof *workers, "the workers of a job", error);
    struct share *shares = allocate((size_t)job->workers, sizeof *shares, "the workers of a job", error);
    if (workers == NULL || shares == NULL) {
        FREE_ALL(workers, shares);
        return PW_NO_RESOURCE;
    }
    job->worker = workers;
    for (int s = 0; s < job->workers; s++) {
        workers[s] = (struct worker){.job = job, .place = s, .store = job->store, .saved = started};
        shares[s] = (struct share){.worker = &workers[s], .end = end};
    }
    for (int s = 1; s < job->workers; s++) { /* one without a thread stays empty */
        pthread_mutex_lock(&job->lock);
        job->busy++;
        pthread_mutex_unlock(&job->lock);
        shares[s].there = pthread_create(&shares[s].thread, NULL, sit, &shares[s]) == 0;
        if (!shares[s].there) {
            pthread_mutex_lock(&job->lock);
            job->busy--;
            pthread_mutex_unlock(&job->lock);
        }
    }
    sit(&shares[0]);
    pthread_mutex_lock(&job->lock);
    while (job->busy > 0) {
        job_wait(job, true);
    }
    pthread_mutex_unlock(&job->lock);
    for (int s = 1; s < job->workers; s++) {
        if (shares[s].there) {
            pthread_join(shares[s].thread, NULL);
        }
    }
    const pw_status status = outcome(job, error);
    job->worker = NULL;
    job->workers = 1;
    job->seconds += clock_seconds() - started;
    FREE_ALL(workers, shares);
    return status;
}

pw_status job_solve(struct job *job, struct worker *last, pw_error *error)
{
    const int count = job->setup->problem.source_count;
    if (job->workers > 1) {
        TRY(solve_spread(job, count - count % job->workers, error));
    }
    *last = (struct worker){.job = job, .place = -1, .store = job->store, .saved = clock_seconds()};
    return worker_solve(last, count, error);
}
