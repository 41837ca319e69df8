/* The only time loop: a group of transmitters of a set-up on one backend, advanced in batches, with the stop rule, the
 * NaN watch and progress between batches. */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "api/simulation.h"
#include "backend/backend.h"
#include "discretize/setup.h"

struct simulation {
    const struct setup *setup;     /* borrowed */
    const struct backend *backend; /* borrowed */
    struct stepper *stepper;       /* owned */
    int first, count;              /* transmitters of the group */
    int threads;                   /* 0: all */
    int64_t step;                  /* done */
    double *peak_energy;           /* (count), owned: largest seen */
    double energy_db;              /* of the run with the most left */
    const char *stop_reason;       /* "duration", "decay"; NULL while running */
    double seconds;                /* spent in advance() so far */
    char device[128];
    int64_t pause_every; /* 0, or: after steps pause_every, 2 pause_every, ... of pw_simulation_run() comes a call of
                            pause() */
    pw_status (*pause)(struct simulation *simulation, void *user, pw_error *error);
    void *pause_user;
};

#endif
