/* The only time loop: an ensemble of a set-up's transmitters on one backend, advanced some steps at a time, with the
 * stop rule, the watch for values that are not finite, and progress in between. */
#pragma once

#include "api/simulation.h"
#include "backend/compute.h"
#include "discretize/setup.h"
#include "run/receiver_series.h"

/* The electric energy of one transmitter's run at every look of the watch: what is left of it when the run ends, and
 * how fast it decays, is what the guards on delay go by. */
struct energy_history {
    int count;
    size_t limit;
    double *step;   /* (limit), owned: steps done at the look */
    double *energy; /* (limit), owned: sum of Ez^2 over the nodes, weighted as stepper_energy does */
};

/* Appends a look; PW_NO_RESOURCE without memory. */
pw_status energy_history_add(struct energy_history *history, int64_t step, double energy, pw_error *error);
void energy_history_free(struct energy_history *history);

struct simulation {
    const struct setup *setup;      /* borrowed */
    struct compute compute;         /* what it is computed on */
    struct stepper *stepper;        /* owned */
    int first, count;               /* transmitters of the ensemble */
    int64_t step;                   /* done */
    struct receiver_series *series; /* owned: of receivers whose nodes are not kept; NULL: they are */
    double *peak_energy;            /* (count), owned: largest seen */
    struct energy_history *history; /* (count), owned: every look at the energy; NULL where nobody steps */
    double energy_db;               /* energy over its peak, of the run that has the most left */
    const char *stop_reason;        /* "duration", "decay"; NULL while running */
    double seconds;                 /* spent stepping so far */
    int turn_steps;                 /* of a turn, where parts take turns on a device; else 0 */
    char device[128];
    int64_t pause_every; /* pw_simulation_run calls pause() after steps pause_every, 2 pause_every, ...; 0: never */
    pw_status (*pause)(struct simulation *simulation, void *user, pw_error *error);
    void *pause_user;
};

/* pw_simulation_create on what has been read already. */
pw_status simulation_create(const struct setup *setup, const struct compute *compute, int first, int count,
                            struct simulation **simulation, pw_error *error);

/* As pw_simulation_spectra, of chosen points alone: `point` (count) counts from the first of these rows, row after row,
 * ascending; NULL: all. `spectra` has room for all, and holds (frequency, count, re/im). */
pw_status simulation_spectra_at(const struct simulation *simulation, int run, int row_first, int row_count,
                                const size_t *point, size_t count, double *spectra, pw_error *error);
