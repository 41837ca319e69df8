/* What the workers of a job share (job.h): what its caller is told, and who waits for whom. */
#include "run/job/job.h"

#include "api/hdf5.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static const double REPORT_SECONDS = 0.3;

/* ---- what the caller is told ------------------------------------------------------------------------------------- */

static void note(const struct job *job, const char *format, va_list arguments)
{
    char message[1100];
    vsnprintf(message, sizeof message, format, arguments);
    if (job->options->note != NULL) {
        job->options->note(message, job->options->user);
    }
}

void job_tell(const struct job *job, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(job, format, arguments);
    va_end(arguments);
}

void job_tell_course(const struct job *job, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!job->options->quiet) {
        note(job, format, arguments);
    }
    va_end(arguments);
}

void job_tell_damage(const char *message, void *user)
{
    job_tell(user, "%s; this file is ignored", message);
}

/* Seconds that the transmitters which nobody has taken yet will take, at the speed that this worker tells. Where runs
 * stop by decay they are taken to be as long as those that are done. The lock is held. */
static double later_seconds(const struct job *job, const struct worker *lead)
{
    const struct problem *problem = &job->setup->problem;
    const double cells = (double)problem_nodes(problem), steps = job->transmitters_done > 0
                                                                     ? (double)job->steps_done / job->transmitters_done
                                                                     : (double)problem->steps;
    const int later = problem->source_count - job->next;
    const double rate = lead->latest.cells_per_second;
    return later > 0 && rate > 0 ? later * steps * cells / rate / job->workers : 0;
}

/* How far all are, by what this worker is at. The lock is held. */
static pw_progress whole_progress(const struct job *job, const struct worker *lead)
{
    pw_progress whole = lead->latest;
    whole.seconds_left += later_seconds(job, lead);
    if (job->worker != NULL) {
        whole.transmitter = job->added;
        whole.transmitters_together = job->next - job->added;
        whole.cells_per_second = 0;
        for (int s = 0; s < job->workers; s++) {
            whole.cells_per_second += job->worker[s].latest.cells_per_second;
        }
    }
    return whole;
}

/* A worker does not wait for another one that is writing: there will be a next time. */
static void report(struct job *job, const pw_progress *whole)
{
    if (job->options->progress == NULL || !pw_hdf5_lock(0)) {
        return;
    }
    const bool go_on = job->options->progress(whole, job->options->user);
    pw_hdf5_unlock();
    pthread_mutex_lock(&job->lock);
    job->stopped = job->stopped || !go_on;
    pthread_mutex_unlock(&job->lock);
}

void job_report(struct job *job, const struct worker *lead)
{
    pthread_mutex_lock(&job->lock);
    const pw_progress whole = whole_progress(job, lead);
    pthread_mutex_unlock(&job->lock);
    report(job, &whole);
}

bool job_stopped(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    const bool stopped = job->stopped;
    pthread_mutex_unlock(&job->lock);
    return stopped;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

void job_wait(struct job *job, bool own)
{
    if (!own) {
        pthread_cond_wait(&job->moved, &job->lock);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const double end = (double)until.tv_nsec * 1e-9 + REPORT_SECONDS;
    until.tv_sec += (time_t)end;
    until.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
    if (pthread_cond_timedwait(&job->moved, &job->lock, &until) == 0) {
        return;
    }
    const struct worker *lead = NULL; /* the one that is solving the first of the transmitters */
    for (int s = 1; s < job->workers; s++) {
        const pw_progress *latest = &job->worker[s].latest;
        if (latest->steps > 0 && latest->transmitter >= job->added &&
            (lead == NULL || latest->transmitter < lead->latest.transmitter)) {
            lead = &job->worker[s];
        }
    }
    if (lead != NULL) {
        const pw_progress whole = whole_progress(job, lead);
        pthread_mutex_unlock(&job->lock);
        report(job, &whole);
        pthread_mutex_lock(&job->lock);
    }
}

bool job_await_turn(struct worker *worker, int first)
{
    struct job *job = worker->job;
    pthread_mutex_lock(&job->lock);
    while (job->added != first && !job->broken) {
        job_wait(job, worker->place <= 0);
    }
    const bool turn = !job->broken;
    pthread_mutex_unlock(&job->lock);
    return turn;
}
