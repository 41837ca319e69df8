/* Heights of a link in two dimensions (physics.md section 6): what a difference in height makes of an arrival that went
 * L metres in the plan. In a building whose walls are upright, and which has neither floor nor ceiling, every path over
 * the plan is the shadow of one that rises evenly from end to end, so
 *
 *     its length is sqrt(L^2 + rise^2), at both ends it makes the angle atan(rise/L) with the plan, and its power is that
 *     of the plan times L^2/(L^2 + rise^2), once the plan's 1/L has become 1/L^2, times the patterns of both antennas.
 *
 * What walls reflect and let through is that of waves along the plan, not of waves at that angle. */
#ifndef SLANT_H
#define SLANT_H

#include <stdbool.h>

/* How an antenna sends or takes in over the angle to the horizon: power against that of the direction that its EIRP or
 * gain is given for. `elevation` [rad] is positive upwards, as seen from the antenna. NULL `gain`: alike at all angles. */
struct elevation_pattern {
    double (*gain)(const void *antenna, double elevation);
    const void *antenna; /* borrowed; handed to `gain` */
};

/* Patterns of vertical dipoles: cos^2 of the elevation of a short one, (cos(pi/2 sin e)/cos e)^2 of half a wavelength
 * (Balanis, Antenna Theory, 4.2 and 4.6). `antenna` is not looked at. */
double elevation_hertzian(const void *antenna, double elevation);
double elevation_half_wave(const void *antenna, double elevation);

/* Of a link. All zero: as solved, nothing is done. */
struct slant {
    double rise; /* m: height of the receiver less that of the transmitter; 0 too where one of them is not known */
    struct elevation_pattern departure, arrival;
};

/* Whether anything differs from what was solved. */
bool slant_counts(const struct slant *slant);

/* Power of an arrival over `length` [m] in the plan against one without a rise, 0 to 1; 0 < length. */
double slant_power(const struct slant *slant, double length);

/* Delay [s] of what arrived after `delay` in the plan, where the direct path has `distance` [m]. What the window spreads
 * to before the direct path moves with that path's own slope, so that order is kept. */
double slant_delay(const struct slant *slant, double distance, double delay);

/* m: the straight line. */
double slant_distance(const struct slant *slant, double distance);

#endif
