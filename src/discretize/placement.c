/* Lagrange weights for positions between nodes. */
#include "discretize/placement.h"

#include <math.h>
#include <stdlib.h>

/* Weights of Lagrange interpolation: of the `most` points nearest to x, of points 0 .. n - 1 that are one apart;
 * returns how many there are: one where x is a point (within a millionth), fewer than `most` where n is smaller. *first
 * is the first of them; `weight` has room for `most`. */
static int lagrange_weights(double x, int n, int most, int *first, double *weight)
{
    double nearest = round(x);
    if (fabs(x - nearest) < 1e-6 || n < 3) {
        *first = (int)fmin(fmax(nearest, 0), n - 1);
        weight[0] = 1;
        return 1;
    }
    int taps = n < most ? n : most;
    *first = (int)fmin(fmax(floor(x) - taps / 2 + 1, 0), n - taps);
    for (int k = 0; k < taps; k++) {
        weight[k] = 1;
        for (int m = 0; m < taps; m++) {
            if (m != k) {
                weight[k] *= (x - (*first + m)) / (k - m);
            }
        }
    }
    return taps;
}

struct placement placement_at(double x, double y, int nx, int ny)
{
    struct placement placement = {0};
    double x_weight[PLACEMENT_TAPS], y_weight[PLACEMENT_TAPS];
    int x_first, y_first;
    int x_taps = lagrange_weights(x, nx, PLACEMENT_TAPS, &x_first, x_weight);
    int y_taps = lagrange_weights(y, ny, PLACEMENT_TAPS, &y_first, y_weight);
    for (int b = 0; b < y_taps; b++) {
        for (int a = 0; a < x_taps; a++) {
            placement.node[placement.count] = (int64_t)(y_first + b) * nx + x_first + a;
            placement.weight[placement.count++] = x_weight[a] * y_weight[b];
        }
    }
    return placement;
}

struct placement placement_nearest(double x, double y, int nx, int ny, double *distance)
{
    double i = fmin(fmax(round(x), 0), nx - 1), j = fmin(fmax(round(y), 0), ny - 1);
    *distance = hypot(x - i, y - j);
    return (struct placement){.count = 1, .node = {(int64_t)j * nx + (int64_t)i}, .weight = {1}};
}

struct volume_placement volume_placement_at(const double position[3], const struct axis axis[3])
{
    struct volume_placement placement = {0};
    double weight[3][PLACEMENT_TAPS];
    const int most = axis[2].uniform ? PLACEMENT_TAPS : VOLUME_TAPS;
    int first[3], taps[3];
    for (int a = 0; a < 3; a++) {
        taps[a] = lagrange_weights(position[a], axis[a].count, most, &first[a], weight[a]);
    }
    for (int k = 0; k < taps[2]; k++) {
        for (int j = 0; j < taps[1]; j++) {
            int64_t row = ((int64_t)(first[2] + k) * axis[1].count + first[1] + j) * axis[0].count + first[0];
            for (int i = 0; i < taps[0]; i++) {
                placement.node[placement.count] = row + i;
                placement.weight[placement.count++] = weight[0][i] * weight[1][j] * weight[2][k];
            }
        }
    }
    return placement;
}

static int compare_places(const void *a, const void *b)
{
    int64_t left = ((const struct weighted_place *)a)->place, right = ((const struct weighted_place *)b)->place;
    return left < right ? -1 : left > right;
}

int64_t weighted_places_merge(struct weighted_place *places, int64_t count)
{
    qsort(places, (size_t)count, sizeof *places, compare_places);
    int64_t merged = 0;
    for (int64_t k = 0; k < count; k++) {
        if (merged > 0 && places[merged - 1].place == places[k].place) {
            places[merged - 1].weight += places[k].weight;
        } else {
            places[merged++] = places[k];
        }
    }
    return merged;
}
