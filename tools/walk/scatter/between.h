/* Waves that go back and forth between persons. */
#ifndef WALK_BETWEEN_H
#define WALK_BETWEEN_H

#include "walk/walk.h"

struct between {
    const struct walk *walk;
    const double complex *answer; /* of a person, by order */
    double k;                     /* rad/m */
    int orders, pose;
};

/* Numbers of work that scatter_between() needs. */
size_t between_work(const struct walk *walk, int orders);

/* Waves around the persons (persons, stations, 2 orders + 1): those of transmitters become what the persons send, with
 * what comes from other persons that they see, as in free space. */
void scatter_between(const struct between *between, double complex *wave, double complex *work);

#endif
