/* The noise of fields that are kept in 16 bits (problem/half.h), before the run.
 *
 * The law is in physics.md section 9. Rounding errors start waves of all wavelengths, which ring in the room as long as
 * the signal does, and few of which are in the band. Samples of the spectra that are taken every few steps fold in what
 * is at other frequencies, where there are far more waves, which ring longer: all of the run at worst. Two steps fold
 * in hardly any. */
#pragma once

#include "discretize/setup.h"

/* Most steps between samples of the spectra that `auto` takes. */
enum { HALF_NOISE_EVERY = 2 };

/* dB of the mean power of the field in the room, no less than it will be: at the band's worst frequency, with a factor
 * of four over the law. Signals and transport must be there. */
double half_noise(const struct setup *setup);

/* Tells it. Nothing where fields are kept as they are computed. */
void half_noise_tell(struct setup *setup);
