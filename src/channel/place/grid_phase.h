/* What the grid adds to the phase of the direct path. A scheme has waves of a slightly other length than those in air,
 * by direction and frequency, which over 30 m turns the field by some tenths of a radian and moves arrivals by some
 * tenths of a nanosecond. How much is known exactly for the straight line. It is taken off the field of a link as a
 * factor of magnitude one, so that powers and everything between paths stay as solved (physics.md section 6). */
#pragma once

#include "channel/place/place.h"
#include "problem/stencil.h"

struct grid_phase {
    bool known; /* the result names a scheme of this version */
    struct stencil stencil;
};

struct grid_phase grid_phase_find(const struct result *result);

/* Turns `count` fields (count, frequency_count, 2) at a place back. */
void grid_phase_remove(const struct grid_phase *phase, const struct result *result,
                       const struct result_transmitter *from, const struct place *place, int count, double *fields);
