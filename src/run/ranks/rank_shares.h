/* Where the time of a run on several ranks went. */
#ifndef RANK_SHARES_H
#define RANK_SHARES_H

#include "run/simulation.h"

struct rank_shares {
    int busiest;                          /* the rank that stepped and packed longest, whose shares these are: */
    double stepping, packing, travelling; /* of the sum of the three; travelling is waiting for others, too */
};

/* False when the simulation has no other ranks, or when they do not answer. */
bool rank_shares_read(const struct simulation *simulation, struct rank_shares *shares);

#endif
