/* Statistics over draws at every cell of a map (uncertainty.h): quantiles, moments, shares of the floor, and the part
 * that each spread has in the variance. */
#pragma once

#include "uncertainty/chaos.h"

/* Where the quantiles lie. */
static const double LOW_QUANTILE = 0.1, HIGH_QUANTILE = 0.9;

/* Sorts `values` and interpolates between order statistics, number k of n being the quantile (k - 1/2) / n, which is
 * the middle of its part in a Latin hypercube (R. J. Hyndman, Y. Fan, Am. Stat. 50, 361, 1996, type 5). */
double quantile_of(double *values, int count, double p);
/* Of values that are sorted. */
double quantile_at(const double *values, int count, double p);

/* Fills everything of `uncertainty` that comes from values (cells, samples): its arrays but `nominal`, which is there
 * as `counted` and `scatter` are. `falls`: less is better. PW_USAGE: a chaos was asked for, and the samples are too
 * few. */
pw_status statistics_fill(const struct draws *draws, const float *values, const pw_uncertainty_options *options,
                          bool falls, pw_uncertainty *uncertainty, pw_error *error);
