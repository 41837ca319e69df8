/* Large-scale parameters (api/parameters.h): what the files of this folder share. */
#pragma once

#include "api/parameters.h"
#include "base/status.h"

/* Time clusters, by the method of Samimi and Rappaport (IEEE Trans. Microw. Theory Techn. 64, 2016, 2207): paths are
 * the peaks of the profile within `depth` [dB] of the strongest; a cluster ends where none comes for longer than `gap`
 * [s]. Delays rise. */
struct time_clusters {
    int count;
    double spread; /* s: rms of the delays of paths about the mean of their own cluster, by power; NAN: no clusters */
};
struct time_clusters clusters_find(const double *delay, const double *power, int count, double depth, double gap);
/* Peaks of a Hann window come this many 1/bandwidth apart; they must within `gap`, or every peak would be a cluster. */
static const double CLUSTER_PEAKS_APART = 2;
bool clusters_resolved(double resolution, double gap);

/* How products of shadowing depend on distance: sums over pairs of places, by bins of their distance, of the block of
 * the first of them. */
enum { REACH_BINS = 48 };
struct reach_sums {
    double square; /* of all places */
    double places; /* that is of */
    double product[REACH_BINS], distance[REACH_BINS], pairs[REACH_BINS];
};

/* Adds the sums of `shadow` (count) by blocks: sums (blocks); `block` (count) is that of each place. Pairs up to `far`
 * [m] count. Of many places every so manieth is taken. */
void reach_gather(const pw_link_sample *samples, const double *shadow, const int *block, int count, double far,
                  struct reach_sums *sums);
/* m: the exponential nearest to the sums of these blocks, each `weight` (blocks) times; NAN: none. */
double reach_fit(const struct reach_sums *sums, const double *weight, int blocks, double far);

/* Which squares of side `side` the places lie in, each transmitter by itself: `block` (count), numbers from 0 on.
 * Returns how many there are; 0: no memory. */
int blocks_find(const pw_link_sample *samples, int count, double side, int *block);

/* All but the reach, each sample `weight` of its block times; `shadow` (count, may be NULL) becomes SF [dB]. */
void large_scale_estimate(const pw_link_sample *samples, const int *block, const double *weight, int count,
                          double free_loss, double value[PW_LARGE_COUNT], double *shadow);
