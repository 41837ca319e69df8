/* Adds a transformed group of samples, one vector of nodes at a time, with the compiler's own vectors: from here on
 * REAL is a vector of LANES nodes and SCALAR one value of it. Included by spectra_add.h. */
typedef REAL CELL(scalar);
enum { CELL(LANES) = 64 / sizeof(CELL(scalar)) };
typedef CELL(scalar) CELL(wide) __attribute__((vector_size(64)));

/* Compilers turn this loop into one instruction where the processor has one. */
INLINE CELL(wide) CELL(fma_wide)(CELL(wide) a, CELL(wide) b, CELL(wide) c)
{
    for (int n = 0; n < CELL(LANES); n++) {
        c[n] = FMA(a[n], b[n], c[n]);
    }
    return c;
}

INLINE CELL(wide) CELL(all)(CELL(scalar) value)
{
    return value - (CELL(wide)){0};
}

#undef REAL
#undef FMA
#define REAL         CELL(wide)
#define SCALAR       CELL(scalar)
#define FMA(a, b, c) CELL(fma_wide)(a, b, c)
#include "problem/spectra/transform_group.h"

INLINE REAL CELL(load_lanes)(const CELL(scalar) * from, int count)
{
    REAL value = {0};
    memcpy(&value, from, count == CELL(LANES) ? sizeof value : (size_t)count * sizeof *from);
    return value;
}

/* The bins of a group at `count` nodes, around `zero`, the place of bin 0. */
INLINE void CELL(transform_group)(const SCALAR *samples, ptrdiff_t nodes, int count, const SCALAR *weights,
                                  REAL (*zero)[2])
{
    const SCALAR *window = weights + TRANSFORM_WINDOW, *roots = weights + TRANSFORM_ROOTS;
    const REAL root[3] = {CELL(all)(roots[0]), CELL(all)(roots[1]), CELL(all)(roots[2])};
    for (int b = 0; b < 16; b++) {
        REAL re[16] = {{0}}, im[16] = {{0}};
        for (int a = 0; a < 8; a++) {
            int s = 2 * (16 * a + b), to = CELL(transform_place)(a);
            re[to] = CELL(load_lanes)(samples + s * nodes, count) * CELL(all)(window[s]);
            im[to] = CELL(load_lanes)(samples + (s + 1) * nodes, count) * CELL(all)(window[s + 1]);
        }
        CELL(transform_column)(re, im, root, weights, b, zero);
    }
    for (int c = 0; c < 16; c++) {
        CELL(transform_row)(root, c, zero);
    }
    for (int k = 0; k <= TRANSFORM_SAMPLES / 2; k++) {
        CELL(split_pair)(weights, k, zero);
    }
    CELL(image_bins)(zero);
}

INLINE void CELL(add_transformed)(const struct spectra *spectra, const double *weights, const double *phases,
                                  const SCALAR *samples, size_t nodes, size_t first, size_t last, SCALAR *sums)
{
    SCALAR own[TRANSFORM_FREQUENCIES], taps[CELL(TAPS) + 2], even[CELL(LANES)], odd[CELL(LANES)];
    CELL(bins) bins;
    REAL(*zero)[2] = bins + CELL(TAPS) / 2;
    for (int k = 0; k < TRANSFORM_FREQUENCIES; k++) {
        own[k] = (SCALAR)weights[k];
    }
    for (; first < last; first += CELL(LANES)) {
        int count = last - first < CELL(LANES) ? (int)(last - first) : CELL(LANES);
        const double *exact = weights + TRANSFORM_FREQUENCIES;
        CELL(transform_group)(samples + first, (ptrdiff_t)nodes, count, own, zero);
        for (int f = 0; f < spectra->frequency_count; f++) {
            for (int t = 0; t < CELL(TAPS) + 2; t++) {
                taps[t] = (SCALAR)*exact++;
            }
            REAL sum[2];
            CELL(sum_bins)(zero, taps, &sum[0], &sum[1]);
            memcpy(even, &sum[0], sizeof even);
            memcpy(odd, &sum[1], sizeof odd);
            CELL(add_rotated)(even, odd, phases + 2 * f, count, sums + 2 * ((size_t)f * nodes + first));
        }
    }
}
#undef SCALAR
