/* Sums of products (dot.h). Sixteen run side by side, since each addition waits for the one before. */
#include "base/numbers/dot.h"

#include "base/fast_fma.h"

enum { LANES = 8, STEP = 2 * LANES };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

FAST_VECTORS void dot_pair(const double *a, const double *b, const double *with, size_t count, double sum[2])
{
    lanes first[2] = {{0.0}, {0.0}}, second[2] = {{0.0}, {0.0}};
    size_t n = 0;
    for (; n + STEP <= count; n += STEP) {
        const lanes *left = (const lanes *)(a + n), *right = (const lanes *)(b + n), *by = (const lanes *)(with + n);
        first[0] += left[0] * by[0];
        first[1] += left[1] * by[1];
        second[0] += right[0] * by[0];
        second[1] += right[1] * by[1];
    }
    first[0] += first[1];
    second[0] += second[1];
    sum[0] = sum[1] = 0.0;
    for (int k = 0; k < LANES; k++) {
        sum[0] += first[0][k];
        sum[1] += second[0][k];
    }
    for (; n < count; n++) {
        sum[0] += a[n] * with[n];
        sum[1] += b[n] * with[n];
    }
}
