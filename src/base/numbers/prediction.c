/* Best linear interpolation (prediction.h). */
#include "base/numbers/prediction.h"

#include <math.h>

/* Added to the power of each point, as if it were known so well: numbers of files are floats, and a covariance of many
 * points to a correlation length is singular within rounding. */
static const double NOISE = 1e-8;

struct prediction prediction_make(int count, const double complex *covariance)
{
    struct prediction made = {.count = count, .power = creal(covariance[0])};
    for (int row = 0; row < count; row++) {
        for (int column = 0; column <= row; column++) {
            /* Weights w obey sum w_i covariance(i - j) = toward_j: row j, column i. */
            double complex sum = row == column ? made.power * (1.0 + NOISE) : conj(covariance[row - column]);
            for (int k = 0; k < column; k++) {
                sum -= made.factor[row * count + k] * conj(made.factor[column * count + k]);
            }
            made.factor[row * count + column] = row == column ? sqrt(fmax(creal(sum), NOISE * NOISE * made.power))
                                                              : sum / made.factor[column * count + column];
        }
    }
    return made;
}

double prediction_weights(const struct prediction *prediction, const double complex *toward, double complex *weight)
{
    const int count = prediction->count;
    const double complex *factor = prediction->factor;
    double known = 0.0;
    for (int row = 0; row < count; row++) {
        double complex sum = toward[row];
        for (int k = 0; k < row; k++) {
            sum -= factor[row * count + k] * weight[k];
        }
        weight[row] = sum / factor[row * count + row];
        known += creal(weight[row]) * creal(weight[row]) + cimag(weight[row]) * cimag(weight[row]);
    }
    for (int row = count - 1; row >= 0; row--) {
        double complex sum = weight[row];
        for (int k = row + 1; k < count; k++) {
            sum -= conj(factor[k * count + row]) * weight[k];
        }
        weight[row] = sum / factor[row * count + row];
    }
    return fmin(fmax(1.0 - known / prediction->power, 0.0), 1.0);
}
