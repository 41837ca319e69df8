/* Hands a job's transmitters out to its seats (job.h), each of which keeps to a device of its own, and says how far
 * they are. Nothing of a device is touched by another thread than that of its seat. */
#include "backend/devices/devices.h"
#include "base/clock.h"
#include "base/memory.h"
#include "job/job.h"

#include <stdlib.h>

/* ---- seats ------------------------------------------------------------------------------------------------------- */

struct share {
    struct seat *seat;
    int end;
    pthread_t thread;
    bool there;
};

/* All of a seat's work, in its thread. */
static void *sit(void *user)
{
    struct share *share = user;
    struct seat *seat = share->seat;
    struct job *job = seat->job;
    devices_keep_to(seat->place);
    const struct devices *own = devices_chosen();
    if (job->backend->devices != NULL && own->count > 0) { /* what asks the device asks this one, from the beginning */
        seat->status = job->backend->devices->select(own->number[0], &seat->error);
    }
    seat->status = seat->status == PW_OK ? seat_solve(seat, share->end, &seat->error) : seat->status;
    seat_free(seat);
    devices_keep_to(-1);
    pthread_mutex_lock(&job->lock);
    seat->latest = (pw_progress){0};
    job->broken = job->broken || seat->status != PW_OK;
    job->stopped = job->stopped || seat->status != PW_OK;
    job->busy -= seat->place > 0;
    pthread_cond_broadcast(&job->moved);
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

/* A failure says more than that others were interrupted by it; of interruptions the first counts. */
static pw_status outcome(const struct job *job, pw_error *error)
{
    const struct seat *worst = &job->seat[0];
    for (int s = 1; s < job->seats; s++) {
        const struct seat *seat = &job->seat[s];
        const bool fails = seat->status != PW_OK && seat->status != PW_INTERRUPTED,
                   worse = worst->status == PW_OK || worst->status == PW_INTERRUPTED;
        worst = (fails && worse) || (worst->status == PW_OK && seat->status != PW_OK) ? seat : worst;
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
    struct seat *seats = allocate((size_t)job->seats, sizeof *seats, "the seats of a job", error);
    struct share *shares = allocate((size_t)job->seats, sizeof *shares, "the seats of a job", error);
    if (seats == NULL || shares == NULL) {
        free(seats);
        free(shares);
        return PW_NO_RESOURCE;
    }
    job->seat = seats;
    for (int s = 0; s < job->seats; s++) {
        seats[s] = (struct seat){.job = job, .place = s, .store = job->store, .saved = started};
        shares[s] = (struct share){.seat = &seats[s], .end = end};
    }
    for (int s = 1; s < job->seats; s++) { /* one without a thread stays empty */
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
    for (int s = 1; s < job->seats; s++) {
        if (shares[s].there) {
            pthread_join(shares[s].thread, NULL);
        }
    }
    const pw_status status = outcome(job, error);
    job->seat = NULL;
    job->seats = 1;
    job->seconds += clock_seconds() - started;
    free(seats);
    free(shares);
    return status;
}

pw_status job_solve(struct job *job, struct seat *last, pw_error *error)
{
    const int count = job->setup->problem.source_count;
    if (job->seats > 1) {
        TRY(solve_spread(job, count - count % job->seats, error));
    }
    *last = (struct seat){.job = job, .place = -1, .store = job->store, .saved = clock_seconds()};
    return seat_solve(last, count, error);
}
