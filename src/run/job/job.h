/* What the parts of the main job share: run.c begins and ends it, spread.c hands out its transmitters to workers, a
 * worker (worker.c) solves one ensemble of them after another. There is one worker, which solves on all that there is,
 * or one for each of several devices, in threads of their own. Ensembles are added to the result in their order,
 * whichever is solved first. "The files are held": pw_hdf5_lock() is, while HDF5 or a function of the caller is at
 * work.
 */
#pragma once

#include "api/run.h"
#include "run/job/checkpoint.h"
#include "run/job/frames.h"
#include "run/write/result_writer.h"

#include <pthread.h>

/* The plan's second cut, where it has one: its result; and how high what differs from the first reaches, (ny, nx) [mm
 * over the lowest floor], 0 where nothing does. Both owned. */
struct job_over {
    char *path; /* NULL: it has none */
    uint16_t *tops;
};

/* Of the name of its result, behind that of the first. */
#define OVER_ENDING ".over"

struct job {
    const struct setup *setup;
    const pw_run_options *options;
    const char *path;
    const struct job_over *over; /* borrowed; NULL: the plan has no second cut */
    struct compute compute;
    struct result_writer *writer; /* NULL once it has failed */
    struct frames *frames;        /* NULL: none */
    struct checkpoint_store *store;
    struct checkpoint found;   /* where to resume; path NULL: nowhere */
    double started;            /* clock */
    int workers;               /* ensembles at a time */
    struct worker *worker;     /* (workers), borrowed, while there are several; NULL with one */
    pthread_mutex_t lock;      /* of what follows; whoever holds the files may take it, not the other way round */
    pthread_cond_t moved;      /* `added`, `broken` or `busy` */
    int busy;                  /* workers in threads of their own that have not ended */
    int next, added;           /* transmitter that is to be taken; that is to be added to the result */
    bool stopped, out_of_time; /* by the caller or by the time limit */
    bool broken;               /* some worker has ended without adding what it took */
    bool unsaved;              /* what a finished transmitter recorded could not be kept; under that of files */
    double longest_save;       /* s */
    double seconds;            /* spent stepping; by several workers, from first to last */
    int64_t steps_done;        /* of the transmitters that this job has solved to their end */
    int transmitters_done;     /* how many those are */
};

struct worker {
    struct job *job;
    int place;                      /* of the chosen devices; -1: all */
    struct checkpoint_store *store; /* of its ensemble; owned where it is not the job's */
    struct checkpoint start;        /* where its ensemble goes on; path NULL: at the beginning */
    struct simulation *simulation;  /* owned; the last one is kept until the result is safe */
    double saved;                   /* clock at its last checkpoint */
    bool has_checkpoint;            /* one that it has written or gone on with is on the disk */
    pw_progress latest;             /* of its ensemble, under the job's lock; steps 0: none yet */
    pw_status status;               /* how it ended */
    pw_error error;
};

/* ---- job.c ---- */

/* What is amiss, for the caller; the files are held. */
__attribute__((format(printf, 2, 3))) void job_tell(const struct job *job, const char *format, ...);
/* Where the run goes on, unless the caller wants it quiet; likewise. */
__attribute__((format(printf, 2, 3))) void job_tell_course(const struct job *job, const char *format, ...);
/* For checkpoint_find: `user` is the job. */
void job_tell_damage(const char *message, void *user);
/* Tells the caller how far the job is, by what this worker is at; the caller may stop the job. */
void job_report(struct job *job, const struct worker *lead);
bool job_stopped(struct job *job);
/* Waits for the job to move on, with the lock held; `own`: in the caller's thread, which goes on telling it how far the
 * others are. */
void job_wait(struct job *job, bool own);
/* Waits until it is this transmitter's turn to be added. False: that will not come. */
bool job_await_turn(struct worker *worker, int first);

/* ---- worker.c ---- */

/* Solves ensembles, from where checkpoints left them, until transmitter `end` has been taken, and adds each to the
 * result when its turn has come. */
pw_status worker_solve(struct worker *worker, int end, pw_error *error);
/* Called when the result cannot be written: saves what the finished ensemble recorded. The failed result is removed
 * first, since it may occupy the space that is needed. */
pw_status worker_rescue(struct worker *worker, pw_status status, pw_error *error);
void worker_free(struct worker *worker);

/* ---- spread.c ---- */

/* Solves all transmitters: with several workers, as many as divide evenly among them, then the others in `last`, which
 * has all devices. */
pw_status job_solve(struct job *job, struct worker *last, pw_error *error);

/* ---- run.c ---- */

/* Solves one plan, with so many ensembles at a time, each on the chosen device of its number; 0: as many as the devices
 * take. `over` NULL: there is no second cut. */
pw_status job_run(const pw_setup *setup, const pw_run_options *options, const char *path, int workers,
                  const struct job_over *over, pw_error *error);

/* ---- over.c ---- */

/* pw_run with so many ensembles at a time: the plan's second cut, where it has one, into a file beside `path`, and then
 * the first. With `resume` a whole second one stays. */
pw_status job_run_in_workers(const pw_setup *setup, const pw_run_options *options, const char *path, int workers,
                             pw_error *error);
