/* Time clusters of a power-delay profile (parameters.h). */
#include "map/parameters/parameters.h"

#include <math.h>

bool clusters_resolved(double resolution, double gap)
{
    return CLUSTER_PEAKS_APART * resolution <= gap * (1 + 1e-9);
}

/* A group of paths that is being gathered. */
struct cluster {
    double first, last;          /* s: delays of its first and of its last path */
    double power, delay, square; /* sums of P, P tau and P tau^2, delays since its first path */
};

/* Its power times the variance of its delays. */
static double variance_sum(const struct cluster *cluster)
{
    return cluster->power > 0 ? fmax(0, cluster->square - cluster->delay * cluster->delay / cluster->power) : 0;
}

struct time_clusters clusters_find(const double *delay, const double *power, int count, double depth, double gap)
{
    double most = 0, sum = 0, spread = 0;
    struct cluster cluster = {0};
    struct time_clusters found = {0, NAN};
    for (int n = 0; n < count; n++) {
        most = fmax(most, power[n]);
    }
    const double least = most * pow(10, -0.1 * depth);
    for (int n = 1; n + 1 < count; n++) {
        if (!(power[n] > least && power[n] > power[n - 1] && power[n] >= power[n + 1])) {
            continue;
        }
        if (found.count == 0 || delay[n] - cluster.last > gap) {
            spread += variance_sum(&cluster);
            cluster = (struct cluster){.first = delay[n]};
            found.count++;
        }
        const double since = delay[n] - cluster.first;
        cluster.power += power[n];
        cluster.delay += power[n] * since;
        cluster.square += power[n] * since * since;
        cluster.last = delay[n];
        sum += power[n];
    }
    spread += variance_sum(&cluster);
    found.spread = found.count > 0 ? sqrt(spread / sum) : (double)NAN;
    return found;
}
