/* Adds a transformed group, some nodes at a time, as vectors of the compiler's own: from here on REAL is a vector. Included by spectra_add.h. */
typedef REAL CELL(scalar);
enum { CELL(SOME) = 64 / sizeof(CELL(scalar)), CELL(TAPS) = sizeof(CELL(scalar)) == sizeof(float) ? 8 : 16 };
typedef CELL(scalar) CELL(wide) __attribute__((vector_size(64)));

/* Compilers make one instruction of it where there is one. */
INLINE CELL(wide) CELL(fma_wide)(CELL(wide) a, CELL(wide) b, CELL(wide) c)
{
    for (int n = 0; n < CELL(SOME); n++) {
        c[n] = FMA(a[n], b[n], c[n]);
    }
    return c;
}

#undef REAL
#undef FMA
#define REAL         CELL(wide)
#define FMA(a, b, c) CELL(fma_wide)(a, b, c)
#include "transform.h"

INLINE REAL CELL(all)(CELL(scalar) value)
{
    return value - (REAL){0};
}

INLINE REAL CELL(load_some)(const CELL(scalar) * from, int count)
{
    REAL value = {0};
    memcpy(&value, from, count == CELL(SOME) ? sizeof value : (size_t)count * sizeof *from);
    return value;
}

/* The transform of a group: bins -taps/2 to 256 + taps/2, of which those below 0 and above 256 are images. */
typedef REAL CELL(bins)[TRANSFORM_SAMPLES + TRANSFORM_TAPS_MOST + 1][2];

INLINE void CELL(transform_group)(const CELL(scalar) * samples, ptrdiff_t nodes, int count,
                                  const CELL(scalar) * weights, REAL (*zero)[2])
{
    const CELL(scalar) *window = weights + TRANSFORM_WINDOW, *roots = weights + TRANSFORM_ROOTS;
    const REAL root[3] = {CELL(all)(roots[0]), CELL(all)(roots[1]), CELL(all)(roots[2])};
    REAL columns[16][2][16];
    for (int b = 0; b < 16; b++) {
        REAL re[16] = {{0}}, im[16] = {{0}};
        const CELL(scalar) *rotation = weights + TRANSFORM_ROTATIONS + 32 * b;
        for (int a = 0; a < 8; a++) {
            int s = 2 * (16 * a + b);
            re[(a + 12) % 16] = CELL(load_some)(samples + s * nodes, count) * window[s];
            im[(a + 12) % 16] = CELL(load_some)(samples + (s + 1) * nodes, count) * window[s + 1];
        }
        CELL(transform_16_ends)(re, im, root);
        for (int c = 0; c < 16; c++) {
            int at = 4 * (c % 4) + c / 4;
            if (c > 0) {
                CELL(rotate)(&re[at], &im[at], CELL(all)(rotation[2 * c]), CELL(all)(rotation[2 * c + 1]));
            }
            columns[c][0][b] = re[at];
            columns[c][1][b] = im[at];
        }
    }
    for (int c = 0; c < 16; c++) {
        CELL(transform_16)(columns[c][0], columns[c][1], root);
        for (int d = 0; d < 16; d++) {
            zero[c + 16 * d][0] = columns[c][0][4 * (d % 4) + d / 4];
            zero[c + 16 * d][1] = columns[c][1][4 * (d % 4) + d / 4];
        }
    }
    zero[TRANSFORM_SAMPLES][0] = zero[0][0];
    zero[TRANSFORM_SAMPLES][1] = zero[0][1];
    for (int k = 0; k <= TRANSFORM_SAMPLES / 2; k++) {
        const CELL(scalar) *split = weights + TRANSFORM_SPLITS + 2 * k;
        REAL low[2] = {zero[k][0], zero[k][1]};
        REAL high[2] = {zero[TRANSFORM_SAMPLES - k][0], zero[TRANSFORM_SAMPLES - k][1]};
        CELL(split_bins)(&low[0], &low[1], &high[0], &high[1], CELL(all)(split[0]), CELL(all)(split[1]));
        memcpy(zero[TRANSFORM_SAMPLES - k], high, sizeof high);
        memcpy(zero[k], low, sizeof low);
    }
    for (int k = 1; k <= CELL(TAPS) / 2; k++) {
        zero[-k][0] = zero[k][0];
        zero[-k][1] = -zero[k][1];
        zero[TRANSFORM_SAMPLES + k][0] = zero[TRANSFORM_SAMPLES - k][0];
        zero[TRANSFORM_SAMPLES + k][1] = -zero[TRANSFORM_SAMPLES - k][1];
    }
}

INLINE void CELL(add_transformed)(const struct spectra *spectra, const double *weights, const double *turn,
                                  const CELL(scalar) * samples, size_t nodes, size_t first, size_t last,
                                  CELL(scalar) * sums)
{
    CELL(scalar) own[TRANSFORM_FREQUENCIES], even[CELL(SOME)], odd[CELL(SOME)];
    CELL(bins) bins;
    for (int k = 0; k < TRANSFORM_FREQUENCIES; k++) {
        own[k] = (CELL(scalar))weights[k];
    }
    for (; first < last; first += CELL(SOME)) {
        int count = last - first < CELL(SOME) ? (int)(last - first) : CELL(SOME);
        const double *taps = weights + TRANSFORM_FREQUENCIES;
        CELL(transform_group)(samples + first, (ptrdiff_t)nodes, count, own, bins + CELL(TAPS) / 2);
        for (int f = 0; f < spectra->frequency_count; f++, taps += CELL(TAPS) + 2) {
            REAL(*bin)[2] = bins + CELL(TAPS) / 2 + (int)taps[CELL(TAPS)], sum[2];
            for (int part = 0; part < 2; part++) {
                sum[part] = bin[0][part] * (CELL(scalar))taps[0];
                for (int t = 1; t < CELL(TAPS); t++) {
                    sum[part] = FMA(bin[t][part], CELL(all)((CELL(scalar))taps[t]), sum[part]);
                }
            }
            sum[1] *= (CELL(scalar))taps[CELL(TAPS) + 1];
            memcpy(even, &sum[0], sizeof even);
            memcpy(odd, &sum[1], sizeof odd);
            CELL(turn_in)(even, odd, turn + 2 * f, count, sums + 2 * ((size_t)f * nodes + first));
        }
    }
}
