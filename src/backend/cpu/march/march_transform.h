/* Transformed groups of samples added to the running spectra (spectra.h). Included by march_body.h, once per
 * precision. One vector of nodes goes all the way, samples to sums, before the next: its bins fill most of the
 * first-level cache. */
#include "problem/spectra/transform_group.h"

/* The values that are needed next. They are fetched meanwhile in the order of addresses, evenly, because memory
 * delivers them no faster than this code computes. */
struct CELL(ahead) {
    const SCALAR *samples; /* of the next patch */
    unsigned part;         /* the next 64th of a vector's samples to fetch */
    const SCALAR *sums;    /* of the next span */
};

enum { CELL(PART) = TRANSFORM_SAMPLES * LANES / 64 }; /* values */

INLINE void CELL(fetch_part)(struct CELL(ahead) * ahead)
{
    unsigned first = ahead->part++ * CELL(PART);
    const SCALAR *from = ahead->samples + first / PATCH * PANEL_PITCH + first % PATCH;
    for (int k = 0; k < CELL(PART); k += 64 / (int)sizeof(SCALAR)) {
        __builtin_prefetch(from + k, 0, 2);
    }
}

/* The bins of a group. */
INLINE void CELL(transform_group)(const SCALAR *samples, const SCALAR *weights, struct CELL(ahead) * ahead,
                                  REAL (*zero)[2])
{
    const SCALAR *window = weights + TRANSFORM_WINDOW;
    REAL root[3], re[16], im[16];
    for (int k = 0; k < 3; k++) {
        root[k] = CELL(all)(weights[TRANSFORM_ROOTS + k]);
    }
    for (int b = 0; b < 16; b++) {
        CELL(fetch_part)(ahead);
        CELL(fetch_part)(ahead);
#pragma GCC unroll 8
        for (int a = 0; a < 8; a++) {
            int s = 2 * (16 * a + b), to = CELL(transform_place)(a);
            re[to] = CELL(load)(samples + s * PANEL_PITCH) * CELL(all)(window[s]);
            im[to] = CELL(load)(samples + (s + 1) * PANEL_PITCH) * CELL(all)(window[s + 1]);
        }
        CELL(transform_column)(re, im, root, weights, b, zero);
    }
    for (int c = 0; c < 16; c++) {
        CELL(fetch_part)(ahead);
        CELL(transform_row)(root, c, zero);
    }
    for (int k = 0; k <= TRANSFORM_SAMPLES / 2; k++) {
        if (k % 8 == 7) {
            CELL(fetch_part)(ahead);
        }
        CELL(split_pair)(weights, k, zero);
    }
    CELL(image_bins)(zero);
}

/* All frequencies, each a short sum of bins, turned into the sums. */
INLINE void CELL(add_bins)(SCALAR *sums, REAL (*zero)[2], const SCALAR *taps, const SCALAR *phases, int frequencies,
                           struct CELL(ahead) * ahead)
{
    for (int f = 0; f < frequencies; f++, taps += CELL(TAPS) + 2, phases += 2, sums += 2 * SPAN) {
        REAL even, odd;
        __builtin_prefetch(sums + 4 * 2 * SPAN, 1, 3);
        __builtin_prefetch(sums + 4 * 2 * SPAN + SPAN, 1, 3);
        for (int k = 0; k < 2 * LANES; k += 64 / (int)sizeof(SCALAR)) {
            __builtin_prefetch(ahead->sums + k, 1, 2);
        }
        ahead->sums += 2 * LANES;
        CELL(sum_bins)(zero, taps, &even, &odd);
        CELL(add_rotated)(sums, even, odd, CELL(all)(phases[0]), CELL(all)(phases[1]));
    }
}

static void CELL(add_transformed)(const struct cpu_grid *grid, const struct cpu_run *run,
                                  const struct cpu_groups *groups, int64_t first, int64_t last)
{
    int frequencies = grid->problem->spectra.frequency_count;
    const SCALAR *weights = groups->weights;
    CELL(bins) bins __attribute__((aligned(64)));
    REAL(*zero)[2] = bins + CELL(TAPS) / 2;
    for (int64_t patch = first; patch < last; patch++) {
        SCALAR *sums = (SCALAR *)run->sums + patch * 2 * frequencies * PATCH;
        struct CELL(ahead) ahead = {.samples = CELL(sample_at)(grid, run, groups->first_slot, (patch + 1) * PATCH)};
        for (int n = 0; n < PATCH; n += LANES) {
            const SCALAR *samples = CELL(sample_at)(grid, run, groups->first_slot, patch * PATCH + n);
            SCALAR *span = sums + n / SPAN * 2 * frequencies * SPAN;
            ahead.sums = n % SPAN == 0 ? span + 2 * frequencies * SPAN : ahead.sums;
            CELL(transform_group)(samples, weights, &ahead, zero);
            CELL(add_bins)
            (span + n % SPAN, zero, weights + TRANSFORM_FREQUENCIES, groups->phases, frequencies, &ahead);
        }
    }
}
