/* The tapped delay line of a link: each tap gathers what the power-delay profile holds between two of its minima, so
 * that no power over the threshold is lost and the window does not widen the line as it widens the profile. Phases and
 * fading of the taps are left to the link simulator. */
#pragma once

#include "channel/link.h"

struct channel_tap {
    double delay; /* s, since emission: centroid of the power */
    double power; /* linear; all taps together: 1 */
};

/* Taps of the profile over the threshold, by delay; returns how many there are, of which at most `limit` are stored. */
int channel_taps(const struct channel_link *link, struct channel_tap *taps, int limit);
