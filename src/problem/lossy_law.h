/* The medium that stands on the grid for a lossy one. A grid wave has another length than the wave, and dies away
 * faster or slower: the attenuation errs as the scheme's group velocity does, which is further off than the wave
 * number. In 20 cm of concrete at 28 GHz that is 5 dB of 90. So the grid gets the complex permittivity with which its
 * wave in the wall is the wave at the band's centre, for walls along an axis (validation/lossy_walls.md).
 *
 * `turn` is the phase of a wave in air from node to node [rad], `loss` conductivity over (omega epsilon_0). */
#pragma once

#include "problem/stencil.h"

/* The square of the sine at which waves meet a wall from air, for which the grid is right: over 0 to 60 degrees the
 * worst walls are best with it. */
static const double LOSSY_SINE_SQUARE = 0.36;

/* Air, media without loss and good conductors stay as they are. */
void lossy_law(const struct stencil *stencil, double turn, double *permittivity, double *loss);

/* The medium that lossy_law() makes this of. */
void lossy_law_inverse(const struct stencil *stencil, double turn, double *permittivity, double *loss);
