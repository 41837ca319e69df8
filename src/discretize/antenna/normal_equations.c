/* Normal equations (normal_equations.h). */
#include "discretize/antenna/normal_equations.h"

#include <math.h>

double sum_of_products(const double *a, const double *b, size_t count)
{
    double sum[4] = {0, 0, 0, 0};
    size_t n = 0;
    for (; n + 4 <= count; n += 4) {
        for (size_t l = 0; l < 4; l++) {
            sum[l] += a[n + l] * b[n + l];
        }
    }
    for (; n < count; n++) {
        sum[0] += a[n] * b[n];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

bool normal_factor(const double *gram, size_t size, double regularisation, double *factor)
{
    double trace = 0;
    for (size_t i = 0; i < size; i++) {
        trace += gram[i * size + i];
    }
    const double mu = regularisation * trace / (double)size;
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double rest =
                gram[i * size + j] + (i == j ? mu : 0) - sum_of_products(factor + i * size, factor + j * size, j);
            if (i == j && !(rest > 0)) {
                return false;
            }
            factor[i * size + j] = i == j ? sqrt(rest) : rest / factor[j * size + j];
        }
    }
    return true;
}

void normal_solve(const double *factor, size_t size, double *x)
{
    for (size_t i = 0; i < size; i++) {
        x[i] = (x[i] - sum_of_products(factor + i * size, x, i)) / factor[i * size + i];
    }
    for (size_t i = size; i-- > 0;) {
        x[i] /= factor[i * size + i];
        for (size_t j = 0; j < i; j++) {
            x[j] -= factor[i * size + j] * x[i];
        }
    }
}
