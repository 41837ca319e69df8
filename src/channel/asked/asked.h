/* The response of links at frequencies as they were asked for, such as the subcarriers of a signal.
 *
 * - A receiver that was recorded at every step has its field at any frequency: recorded.h takes the sum over its record
 *   at a lattice of its own that the frequencies asked for lie on, so fine that nothing folds.
 * - All else has its field at the frequencies of the running spectra alone. In between, the response is the sum of what
 *   arrives by delay, and fields in a building have about the power at each delay that is left in the grid then. With
 *   that as the prior the best linear interpolation follows (base/numbers/prediction.h), and with it what it is off
 *   by. Frequencies too far apart for the delays are refused with the number that would do. */
#pragma once

#include "channel/channel.h"

#include <complex.h>

struct asked {
    int count, points;      /* frequencies; of the lattice that each is taken from */
    int *first;             /* (count), owned: of those points */
    double complex *weight; /* (count, points), owned */
    double error;           /* relative, rms over the frequencies and over such channels */
};

/* `frequency` (count) [Hz] between those of `lattice` that are not masked; how the energy decays is known by
 * `observed`, the band of the run's spectra. PW_BAD_INPUT: one outside them, or too few of them for the delays. */
pw_status asked_create(const struct channel_band *lattice, const struct channel_band *observed, const double *frequency,
                       int count, struct asked *asked, pw_error *error);
void asked_free(struct asked *asked);

/* Whether all of them lie within those of the band that are not masked, first ends[0] and last ends[1]. */
pw_status asked_check(const struct channel_band *band, const double *frequency, int count, int ends[2],
                      pw_error *error);

/* From the response at the lattice, (frequency_count, 2), to `out` (count, 2). */
void asked_take(const struct asked *asked, const double *response, double *out);
