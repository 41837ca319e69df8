/* The medium that stands on the grid for one of the plan. A grid wave has another length than the wave, and dies away
 * faster or slower: the attenuation errs as the scheme's group velocity does, which is further off than the wave
 * number. In 20 cm of concrete at 28 GHz that is 5 dB of 90; behind 10 cm of permittivity 7 without loss the waves that
 * go to and fro between the faces meet in another phase, at 3.5 GHz 3 dB off. So the grid gets the complex permittivity
 * with which its wave in the wall is the wave at the band's centre, for walls along an axis
 * (validation/lossy_walls.md).
 *
 * `turn` is the phase of a wave in air from node to node [rad], `loss` conductivity over (omega epsilon_0). */
#pragma once

#include "problem/stencil.h"

/* The square of the sine at which waves meet a wall from air, for which the grid is right: over 0 to 60 degrees the
 * worst walls are best with it. */
static const double GRID_MEDIUM_SINE_SQUARE = 0.36;

/* Air and good conductors stay as they are. A medium without loss stays without, and none becomes thinner than air. */
void grid_medium(const struct stencil *stencil, double turn, double *permittivity, double *loss);

/* How much of the change a medium gets: 0 of air and good conductors, 1 of most others. */
double grid_medium_share(double permittivity, double loss);

/* The medium that grid_medium() makes this of. */
void grid_medium_inverse(const struct stencil *stencil, double turn, double *permittivity, double *loss);
