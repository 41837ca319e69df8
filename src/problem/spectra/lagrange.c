/* Weights of Lagrange interpolation (lagrange.h). */
#include "problem/spectra/lagrange.h"

#include <math.h>

int lagrange_weights(double x, int n, int most, int *first, double *weight)
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
