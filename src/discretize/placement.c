/* Lagrange weights for positions between nodes. */
#include "discretize/placement.h"

#include <math.h>

/* Taps along one axis: first node and weights; returns how many. */
static int axis_weights(double x, int n, int *first, double *weight)
{
    double nearest = round(x);
    if (fabs(x - nearest) < 1e-6 || n < 3) {
        *first = (int)fmin(fmax(nearest, 0), n - 1);
        weight[0] = 1;
        return 1;
    }
    int taps = n < PLACEMENT_TAPS ? n : PLACEMENT_TAPS;
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
    int x_taps = axis_weights(x, nx, &x_first, x_weight), y_taps = axis_weights(y, ny, &y_first, y_weight);
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
