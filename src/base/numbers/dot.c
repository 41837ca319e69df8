/* Sums of products (dot.h). Sixteen run side by side, since each addition waits for the one before. */
#include "base/numbers/dot.h"

enum { LANES = 8, STEP = 2 * LANES };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

static inline __attribute__((always_inline)) void add_up(const double *a, const double *b, const double *with,
                                                         size_t count, double *sum)
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

static void add_up_plain(const double *a, const double *b, const double *with, size_t count, double *sum)
{
    add_up(a, b, with, count, sum);
}

__attribute__((target("avx2"))) static void add_up_avx2(const double *a, const double *b, const double *with,
                                                        size_t count, double *sum)
{
    add_up(a, b, with, count, sum);
}

__attribute__((target("avx512f"))) static void add_up_avx512(const double *a, const double *b, const double *with,
                                                             size_t count, double *sum)
{
    add_up(a, b, with, count, sum);
}

void dot_pair(const double *a, const double *b, const double *with, size_t count, double sum[2])
{
    if (__builtin_cpu_supports("avx512f")) {
        add_up_avx512(a, b, with, count, sum);
    } else if (__builtin_cpu_supports("avx2")) {
        add_up_avx2(a, b, with, count, sum);
    } else {
        add_up_plain(a, b, with, count, sum);
    }
}
