/* How a quantity that was looked at now and then has decayed after its largest value: its level at any time, and when
 * it falls below one, going on after the last look as it went in the last third of them. */
#pragma once

#include "base/status.h"

struct decay {
    int count;
    double *time;  /* (count) [s], owned */
    double *level; /* (count), owned: natural logarithm against the largest; zero up to it, then never under what comes
                      later */
    double constant; /* s, of exp(-t/constant) behind the last look; INFINITY: it does not decay */
};

/* `value` (count >= 1), not negative, at ascending times. */
pw_status decay_create(int count, const double *time, const double *value, struct decay *decay, pw_error *error);
void decay_free(struct decay *decay);

/* Natural logarithm of what is left at a time, against the largest. */
double decay_level(const struct decay *decay, double time);
/* The first time from which on the level stays under `level` (< 0); INFINITY: never. */
double decay_time(const struct decay *decay, double level);
