/* Run: every transmitter of a set-up solved and written into one result file, with checkpoints on the way. */
#ifndef PLANWAVE_RUN_H
#define PLANWAVE_RUN_H

#include "api/backend.h"

PW_C_BEGIN

typedef struct pw_progress {
    int transmitter, transmitter_count; /* first of the group that is being solved, of all */
    int transmitters_together;          /* in that group */
    int64_t step, steps;
    double simulated_time; /* s */
    double cells_per_second;
    double energy_db;    /* electric energy against its peak so far */
    double seconds_left; /* of pw_run: until all transmitters are done; of a simulation: until its own are */
} pw_progress;

/* Called every few tenths of a second; a false return ends the run cleanly with PW_INTERRUPTED. */
typedef bool (*pw_progress_function)(const pw_progress *progress, void *user);

typedef struct pw_run_options {
    pw_compute compute;
    bool force;                 /* replace an existing result, and start anew where a checkpoint lies */
    bool resume;                /* go on with the checkpoint of `path`; without one, start at the beginning */
    double checkpoint_interval; /* s between checkpoints; 0: only when the run ends early, and finished transmitters are
                                   not kept apart; negative: none, and what ends early is lost */
    double time_limit; /* s of this call; 0: none. A run that would exceed it stops in time to write a checkpoint */
    pw_progress_function progress;                 /* may be NULL */
    void (*note)(const char *message, void *user); /* told what is no failure: where a run goes on, a damaged
                                                      checkpoint; may be NULL */
    void *user;                                    /* handed to `progress` and `note` */
    const char *frames;   /* folder for pictures of the field on the way, NAME-000000.png, ...; NULL: none */
    int64_t frames_every; /* steps between them; 0: about 240 in all */
    bool quiet;           /* `note` is told what is amiss alone, not where a run goes on */
} pw_run_options;

/* Solves every transmitter and writes `path` (temporary name, sync, rename). On any failure `path` is untouched, and
 * what was computed is kept in `path`.checkpoint, of several devices in `path`.checkpoint-N (PW_INTERRUPTED), or in
 * `path`.finished-N (the result could not be written; and transmitters that others were solved beside) for a call with
 * `resume`, whose result has the same bits as that of an uninterrupted run. A checkpoint of another scenario, version
 * or precision: PW_BAD_INPUT that says which. */
pw_status pw_run(const pw_setup *setup, const pw_run_options *options, const char *path, pw_error *error);

/* How far a run into a file is. */
typedef enum pw_run_state {
    PW_RUN_MISSING, /* no result and no saved state */
    PW_RUN_STARTED, /* no result, but the saved state of a run that was stopped */
    PW_RUN_DONE,    /* a whole result, of this scenario, this precision, and pictures and tables as they are now */
    PW_RUN_OTHER,   /* a result, but of another scenario: *reason says what differs */
    PW_RUN_DAMAGED  /* a file that is no whole result: *reason says why */
} pw_run_state;

/* Tells whether `path` has what this scenario would make, from what its result says that it was asked for; nothing is
 * set up for it. `reason` may be NULL. */
pw_status pw_run_look(const char *path, const pw_scenario *scenario, pw_precision precision, pw_run_state *state,
                      pw_error *reason, pw_error *error);

/* Removes saved states of runs into `path` that its whole result no longer needs: a run that was killed between writing
 * the result and removing them leaves them. */
void pw_run_forget(const char *path);

/* What pictures of the field would add to a run: one is drawn and encoded to see how long that takes. */
typedef struct pw_frames_forecast {
    int64_t count;         /* pictures of all transmitters together, if none ends early */
    int width, height;     /* pixels of one */
    double seconds, bytes; /* of all of them */
} pw_frames_forecast;

/* `every` as pw_run_options.frames_every. */
pw_status pw_forecast_frames(const pw_setup *setup, int64_t every, pw_frames_forecast *forecast, pw_error *error);

PW_C_END

#endif
