/* Waves that go back and forth between persons, and between persons and walls. */
#pragma once

#include "walk/walk.h"

struct between {
    const struct walk *walk;
    const double complex *answer; /* of a person, by order */
    double k;                     /* rad/m */
    int orders, pose;
    const double complex *returned; /* from walls (around.h); NULL: nothing */
};

/* Numbers of work that scatter_between() needs. */
size_t between_work(const struct walk *walk, int orders);

/* Waves around the persons (persons, stations, 2 orders + 1): those of transmitters become what the persons send, with
 * what comes from other persons, as in free space: from those that they see, or, where walls send something back, from
 * all. */
void scatter_between(const struct between *between, double complex *wave, double complex *work);
