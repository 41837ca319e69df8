/* Transformed groups of snapshots added to the running spectra (spectra.h). Included by cpu_walk_body.h, once per precision. One vector of
 * nodes goes all the way, samples to sums, before the next: its bins fill most of the first-level cache. */
#include "transform.h"

enum { CELL(TAPS) = sizeof(SCALAR) == sizeof(float) ? 8 : 16 };
/* (taps/2 images, bins 0 to 256, taps/2 images): real and imaginary part. */
typedef REAL CELL(bins)[TRANSFORM_SAMPLES + CELL(TAPS) + 1][2];

/* What comes next, asked of memory meanwhile in the order of addresses, evenly: it delivers no faster than all this computes. */
struct CELL(ahead) {
    const SCALAR *snapshots; /* of the next group of nodes */
    unsigned part;           /* what is next of them, a 64th of a vector's samples */
    const SCALAR *sums;      /* of the next span */
};

enum { CELL(PART) = TRANSFORM_SAMPLES * LANES / 64 }; /* values */

INLINE void CELL(fetch_part)(struct CELL(ahead) * ahead)
{
    unsigned first = ahead->part++ * CELL(PART);
    const SCALAR *from = ahead->snapshots + first / GROUP * SHELF_PITCH + first % GROUP;
    for (int k = 0; k < CELL(PART); k += 64 / (int)sizeof(SCALAR)) {
        __builtin_prefetch(from + k, 0, 2);
    }
}

/* The transform Z of a group, windowed and padded: number k of it into z[k]. */
INLINE void CELL(transform_group)(const SCALAR *snapshots, const SCALAR *weights, struct CELL(ahead) * ahead,
                                  REAL (*z)[2])
{
    const SCALAR *window = weights + TRANSFORM_WINDOW, *rotation = weights + TRANSFORM_ROTATIONS;
    REAL root[3], re[16], im[16];
    for (int k = 0; k < 3; k++) {
        root[k] = CELL(all)(weights[TRANSFORM_ROOTS + k]);
    }
    for (int b = 0; b < 16; b++, rotation += 32) {
        CELL(fetch_part)(ahead);
        CELL(fetch_part)(ahead);
#pragma GCC unroll 8
        for (int a = 0; a < 8; a++) {
            int s = 2 * (16 * a + b);
            re[(a + 12) % 16] = CELL(load)(snapshots + s * SHELF_PITCH) * CELL(all)(window[s]);
            im[(a + 12) % 16] = CELL(load)(snapshots + (s + 1) * SHELF_PITCH) * CELL(all)(window[s + 1]);
        }
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
    for (int c = 0; c < 16; c++) {
        CELL(fetch_part)(ahead);
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
}

/* The spectrum of the real samples out of Z, in place, and its images around. */
INLINE void CELL(split_group)(const SCALAR *weights, struct CELL(ahead) * ahead, REAL (*bin)[2])
{
    const SCALAR *split = weights + TRANSFORM_SPLITS;
    bin[TRANSFORM_SAMPLES][0] = bin[0][0];
    bin[TRANSFORM_SAMPLES][1] = bin[0][1];
    for (int k = 0; k <= TRANSFORM_SAMPLES / 2; k++, split += 2) {
        REAL *low = bin[k], *high = bin[TRANSFORM_SAMPLES - k];
        REAL low_re = low[0], low_im = low[1], high_re = high[0], high_im = high[1];
        if (k % 8 == 7) {
            CELL(fetch_part)(ahead);
        }
        CELL(split_bins)(&low_re, &low_im, &high_re, &high_im, CELL(all)(split[0]), CELL(all)(split[1]));
        high[0] = high_re;
        high[1] = high_im;
        low[0] = low_re; /* the middle one is both: low counts */
        low[1] = low_im;
    }
    for (int k = 1; k <= CELL(TAPS) / 2; k++) {
        bin[-k][0] = bin[k][0];
        bin[-k][1] = -bin[k][1];
        bin[TRANSFORM_SAMPLES + k][0] = bin[TRANSFORM_SAMPLES - k][0];
        bin[TRANSFORM_SAMPLES + k][1] = -bin[TRANSFORM_SAMPLES - k][1];
    }
}

/* All frequencies, each a short sum of bins, turned into the sums. */
INLINE void CELL(add_bins)(SCALAR *sums, REAL (*zero)[2], const SCALAR *taps, const SCALAR *turns, int frequencies,
                           struct CELL(ahead) * ahead)
{
    for (int f = 0; f < frequencies; f++, taps += CELL(TAPS) + 2, turns += 2, sums += 2 * SPAN) {
        REAL(*bin)[2] = zero + (int)taps[CELL(TAPS)];
        REAL even = CELL(cell_pair)(bin[0][0], CELL(all)(taps[0]));
        REAL odd = CELL(cell_pair)(bin[0][1], CELL(all)(taps[0]));
        __builtin_prefetch(sums + 4 * 2 * SPAN, 1, 3);
        __builtin_prefetch(sums + 4 * 2 * SPAN + SPAN, 1, 3);
        for (int k = 0; k < 2 * LANES; k += 64 / (int)sizeof(SCALAR)) {
            __builtin_prefetch(ahead->sums + k, 1, 2);
        }
        ahead->sums += 2 * LANES;
#pragma GCC unroll 16
        for (int t = 1; t < CELL(TAPS); t++) {
            even = CELL(cell_pair_add)(even, bin[t][0], CELL(all)(taps[t]));
            odd = CELL(cell_pair_add)(odd, bin[t][1], CELL(all)(taps[t]));
        }
        odd = CELL(all)(taps[CELL(TAPS) + 1]) * odd;
        CELL(turn_in)(sums, even, odd, CELL(all)(turns[0]), CELL(all)(turns[1]));
    }
}

static void CELL(add_transformed)(const struct cpu_grid *grid, const struct cpu_run *run,
                                  const struct cpu_groups *groups, int64_t first, int64_t last)
{
    int frequencies = grid->problem->spectra.frequency_count;
    const SCALAR *weights = groups->weights;
    CELL(bins) bins __attribute__((aligned(64)));
    REAL(*zero)[2] = bins + CELL(TAPS) / 2;
    for (int64_t group = first; group < last; group++) {
        SCALAR *sums = (SCALAR *)run->sums + group * 2 * frequencies * GROUP;
        struct CELL(ahead) ahead = {.snapshots = CELL(snapshot_at)(grid, run, groups->place, (group + 1) * GROUP)};
        for (int n = 0; n < GROUP; n += LANES) {
            const SCALAR *snapshots = CELL(snapshot_at)(grid, run, groups->place, group * GROUP + n);
            SCALAR *span = sums + n / SPAN * 2 * frequencies * SPAN;
            ahead.sums = n % SPAN == 0 ? span + 2 * frequencies * SPAN : ahead.sums;
            CELL(transform_group)(snapshots, weights, &ahead, zero);
            CELL(split_group)(weights, &ahead, zero);
            CELL(add_bins)
            (span + n % SPAN, zero, weights + TRANSFORM_FREQUENCIES, groups->turns, frequencies, &ahead);
        }
    }
}
