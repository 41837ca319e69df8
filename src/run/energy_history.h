/* The electric energy of one transmitter's run at every look of the watch: what is left of it when the run ends, and
 * how fast it decays, is what the guards on delay go by. */
#ifndef ENERGY_HISTORY_H
#define ENERGY_HISTORY_H

#include "base/status.h"

struct energy_history {
    int count;
    size_t limit;
    double *step;   /* (limit), owned: steps done at the look */
    double *energy; /* (limit), owned: sum of Ez^2 over the nodes, weighted as stepper_energy does */
};

/* Appends a look; PW_NO_RESOURCE without memory. */
pw_status energy_history_add(struct energy_history *history, int64_t step, double energy, pw_error *error);
void energy_history_free(struct energy_history *history);

#endif
