/* A transformed group of samples (spectra.h) at a vector of nodes, in pieces, so that a user can put loads and
 * prefetches between them. Before including this file define REAL as a vector of SCALAR, CELL(all)(value) as that value
 * in all lanes, and FMA; it includes transform.h. */
#include "problem/spectra/transform.h"

enum { CELL(TAPS) = TRANSFORM_TAPS(SCALAR) };
/* (taps/2 images, bins 0 to 256, taps/2 images): real and imaginary part. */
typedef REAL CELL(bins)[TRANSFORM_SAMPLES + CELL(TAPS) + 1][2];

/* The place of the complex value of samples 32a + 2b and 32a + 2b + 1, windowed, among the 16 values of column b; a is
 * 0..7. */
static inline int CELL(transform_place)(int a)
{
    return (a + 12) % 16;
}

/* The first pass: transform number b of 16, of the values at those places, into z[16 b ..]. */
INLINE void CELL(transform_column)(REAL re[16], REAL im[16], const REAL root[3], const SCALAR *weights, int b,
                                   REAL (*z)[2])
{
    const SCALAR *rotation = weights + TRANSFORM_ROTATIONS + 32 * b;
    CELL(transform_16_ends)(re, im, root);
#pragma GCC unroll 16
    for (int c = 0; c < 16; c++) {
        int at = 4 * (c % 4) + c / 4;
        if (c > 0) {
            CELL(rotate)(&re[at], &im[at], CELL(all)(rotation[2 * c]), CELL(all)(rotation[2 * c + 1]));
        }
        z[c + 16 * b][0] = re[at];
        z[c + 16 * b][1] = im[at];
    }
}

/* The second pass: transform number c of 16, in place; after all of them z[k] is number k of the whole transform. */
INLINE void CELL(transform_row)(const REAL root[3], int c, REAL (*z)[2])
{
    REAL re[16], im[16];
#pragma GCC unroll 16
    for (int b = 0; b < 16; b++) {
        re[b] = z[c + 16 * b][0];
        im[b] = z[c + 16 * b][1];
    }
    CELL(transform_16)(re, im, root);
#pragma GCC unroll 16
    for (int d = 0; d < 16; d++) {
        int at = 4 * (d % 4) + d / 4;
        z[c + 16 * d][0] = re[at];
        z[c + 16 * d][1] = im[at];
    }
}

/* Bins k and 256 - k of the real samples, in place, for k from 0 to 128; bin 128 is its own partner. */
INLINE void CELL(split_pair)(const SCALAR *weights, int k, REAL (*bin)[2])
{
    const SCALAR *split = weights + TRANSFORM_SPLITS + 2 * k;
    REAL *low = bin[k], *high = bin[TRANSFORM_SAMPLES - k], *partner = k == 0 ? low : high;
    REAL low_re = low[0], low_im = low[1], high_re = partner[0], high_im = partner[1];
    CELL(split_bins)(&low_re, &low_im, &high_re, &high_im, CELL(all)(split[0]), CELL(all)(split[1]));
    high[0] = high_re;
    high[1] = high_im;
    low[0] = low_re;
    low[1] = low_im;
}

/* The bins below 0 and above 256, which are complex conjugates of those within. */
INLINE void CELL(image_bins)(REAL (*bin)[2])
{
    for (int k = 1; k <= CELL(TAPS) / 2; k++) {
        bin[-k][0] = bin[k][0];
        bin[-k][1] = -bin[k][1];
        bin[TRANSFORM_SAMPLES + k][0] = bin[TRANSFORM_SAMPLES - k][0];
        bin[TRANSFORM_SAMPLES + k][1] = -bin[TRANSFORM_SAMPLES - k][1];
    }
}

/* The spectrum even + j odd at a frequency: the sum over its bins, `taps` being its row of spectra_weights. */
INLINE void CELL(sum_bins)(REAL (*zero)[2], const SCALAR *taps, REAL *even, REAL *odd)
{
    REAL(*bin)[2] = zero + (int)taps[CELL(TAPS)];
    *even = bin[0][0] * CELL(all)(taps[0]);
    *odd = bin[0][1] * CELL(all)(taps[0]);
#pragma GCC unroll 16
    for (int t = 1; t < CELL(TAPS); t++) {
        *even = FMA(bin[t][0], CELL(all)(taps[t]), *even);
        *odd = FMA(bin[t][1], CELL(all)(taps[t]), *odd);
    }
    *odd = CELL(all)(taps[CELL(TAPS) + 1]) * *odd;
}
