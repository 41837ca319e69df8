/* The noise of fields that are kept in 16 bits (problem/half.h), before the run.
 *
 * In each half step every value is rounded, by 2^-26 0.541/12 of the square of the largest of its unit in the mean:
 * that of a unit whose largest is anywhere between two powers of two. Errors are independent, so that each starts waves
 * of its own, of all wavelengths alike. They ring in the room as long as the signal does, tau steps. At x radians a
 * step the power that they bring to the spectra is, of the signal's there, with |I|^2 = G sum I^2 for the source's
 * current,
 *
 *     2^-26 0.541/12 (3 x^2 tau/(pi S^3) + 16/(9 x^2)) / G
 *
 * The first part is how many waves of the grid there are at x, S being the way of light in a step in cells, and 3 what
 * the largest of a unit is over the mean square; the second the field right at the source, which is rounded most
 * coarsely, as a source of noise. Samples of the spectra that are taken every few steps fold what is at other
 * frequencies into the band, where there are far more waves, which ring longer: all of the run at worst. Two steps fold
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
