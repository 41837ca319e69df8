/* What receivers recorded, where keeping every node beside them for every step would take too much memory: the nodes'
 * values become the receivers' a few steps at a time, by the same sums as afterwards. A problem says so by probe_slots.
 */
#pragma once

#include "base/status.h"

struct setup;
struct simulation;

struct receiver_series {
    double **value; /* (runs), owned: (step, receiver) each */
    int runs;
    int64_t steps; /* that they hold */
};

/* NULL with PW_OK: the problem's nodes are kept. */
pw_status receiver_series_create(const struct simulation *simulation, struct receiver_series **series, pw_error *error);
void receiver_series_free(struct receiver_series *series);

/* Up to the step at which the simulation is. */
pw_status receiver_series_take(const struct simulation *simulation, pw_error *error);
/* How many steps there may be until the next one is due, at least 1. */
int64_t receiver_series_room(const struct simulation *simulation);

/* What a receiver takes in at a step, from the probes of that step: Ez, or in three dimensions the component along its
 * polarisation. */
double receiver_value(const struct setup *setup, int receiver, const double *probes);
/* Component c (0..2: x, y, z) of E at a receiver, from the probes of one step. Where there is Ez alone the receiver's
 * placement weights it; else that is empty, and each probe is such a sum already. */
double receiver_component(const struct setup *setup, int receiver, int c, const double *probes);
