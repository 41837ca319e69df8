/* Heights of a link in two dimensions (physics.md section 6): what a difference in height makes of an arrival that went
 * L metres over the plan. In a building whose walls are upright, and which has neither floor nor ceiling, every path
 * over the plan is the shadow of one that rises evenly from end to end. So
 *
 *     its length is sqrt(L^2 + rise^2), at both ends it makes the angle atan(rise/L) with the plan, and its power is
 * that of the plan times L^2/(L^2 + rise^2), once the plan's 1/L has become 1/L^2, times what both antennas send and
 * take in at that angle.
 *
 * What walls reflect and let through stays that of waves along the plan. */
#pragma once

#include "scenario/antenna/antenna.h"

#include <stdbool.h>

/* Of a link. All zero: as solved, nothing is done. */
struct slant {
    double rise; /* m: height of the receiver less that of the transmitter; 0 too where one of them is not known */
    double heights[2]; /* m over the lowest floor: transmitter, receiver; NAN where not known */
    double along[2];   /* of unit length: from the transmitter to the receiver over the plan; looked at by patterns */
    double place[2];   /* m: x and y of the receiver */
    bool exact;        /* the grid's phase was taken off the field (place/grid_phase.h) */
    double crossing;   /* share of the way, 0 to 1, at which it passes what is lower than the storey; 0: not known */
    double top;        /* m over the lowest floor, of what it passes there; 0: not known */
    struct antenna departure, arrival;
};

/* Whether anything differs from what was solved. */
bool slant_counts(const struct slant *slant);

/* Whether slant_power is the same function of the length. */
bool slant_equals(const struct slant *a, const struct slant *b);

/* Power of an arrival over `length` [m] of the plan against one without a rise; 0 < length. Echoes are taken to leave
 * and arrive in the direction of the straight line. */
double slant_power(const struct slant *slant, double length);

/* F(L) = slant_power(L)/max(L, d0), d0 = wavelength/(2 pi): what spreading by distance and heights make of the power of
 * an arrival over L metres of the plan. 1/m */
double slant_spread(const struct slant *slant, double length, double frequency);

/* Delay [s] of what arrived after `delay` over the plan, where the direct path has `distance` [m]. What the window
 * spreads to before the direct path moves with that path's own slope, so that order is kept. */
double slant_delay(const struct slant *slant, double distance, double delay);

/* m: the straight line. */
double slant_distance(const struct slant *slant, double distance);
