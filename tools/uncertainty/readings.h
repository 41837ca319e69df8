/* Readings about the draws: each draw is the mean level at a place, and a reading scatters about that mean as a normal
 * number of decibels does. So a reading is distributed as the mixture of normal distributions about the draws, and its
 * quantiles are that mixture's: nothing more is drawn. */
#pragma once

#include <stdbool.h>

/* The level under which a reading lies with probability `p` in (0, 1). `values` (count): sorted draws; `scatter`: the
 * standard deviation, 0: the quantile of the draws (statistics.h). */
double reading_quantile(const double *values, int count, double scatter, double p);

/* Probability that a reading is at or over `threshold` where the mean is `value`; `falls`: at or under it. */
double reading_meets(double value, double scatter, double threshold, bool falls);

/* Scatter where nobody has measured: shadow fading of indoor links in sight, 3GPP TR 38.901, table 7.4.1-1 (InH-Office,
 * LOS). The table's 8 dB of links without sight have the walls in them, and the plan has those. */
extern const double READING_SCATTER;
