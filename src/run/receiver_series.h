/* What receivers recorded, where keeping every node beside them for every step would take too much memory: the nodes'
 * values become the receivers' a few steps at a time, by the same sums as afterwards. A problem says so by probe_slots.
 */
#ifndef RECEIVER_SERIES_H
#define RECEIVER_SERIES_H

#include "base/status.h"

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

#endif
