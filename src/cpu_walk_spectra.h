/* Snapshots added to the running spectra: a small matrix product. Included by cpu_walk_body.h, once per precision. */

/* `parts` sums of four vectors of nodes: a small matrix product, all sums in registers. */
INLINE void CELL(add_parts)(SCALAR *sums, const SCALAR *snapshots, const SCALAR *weights, int count, ptrdiff_t pitch,
                            int parts)
{
    REAL sum[4][4];
    for (int p = 0; p < parts; p++) {
        for (int k = 0; k < 4; k++) {
            sum[p][k] = CELL(load)(sums + p * SPAN + k * LANES);
        }
    }
    for (int s = 0; s < count; s++) {
        for (int p = 0; p < parts; p++) {
            REAL weight = weights[s * pitch + p] - (REAL){0};
            for (int k = 0; k < 4; k++) {
                sum[p][k] = CELL(cell_spectrum)(sum[p][k], CELL(load)(snapshots + s * GROUP_PITCH + k * LANES), weight);
            }
        }
    }
    for (int p = 0; p < parts; p++) {
        for (int k = 0; k < 4; k++) {
            CELL(store)(sums + p * SPAN + k * LANES, sum[p][k]);
        }
    }
}

/* Asks for `count` rows of a span. */
INLINE void CELL(fetch)(const SCALAR *from, ptrdiff_t pitch, int count)
{
    for (int n = 0; n < count; n++) {
        for (int k = 0; k < SPAN; k += 64 / (int)sizeof(SCALAR)) {
            __builtin_prefetch(from + n * pitch + k, 0, 3);
        }
    }
}

static void CELL(add_spectra)(const struct cpu_grid *grid, const struct cpu_run *run, const void *weights, int count,
                              int64_t first, int64_t last)
{
    enum { SPANS = GROUP / SPAN };
    const SCALAR *weight = weights;
    int parts = 2 * grid->problem->spectra.frequency_count;
    for (int64_t span = first * SPANS; span < last * SPANS; span++) {
        int64_t next = span + 1 < last * SPANS ? span + 1 : span;
        const SCALAR *snapshots = CELL(snapshot_at)(grid, run, 0, span * SPAN);
        const SCALAR *next_snapshots = CELL(snapshot_at)(grid, run, 0, next * SPAN);
        SCALAR *sums = (SCALAR *)run->sums + span * parts * SPAN;
        for (int p = 0; p < parts; p += p + 4 <= parts ? 4 : 2) {
            int some = p + 4 <= parts ? 4 : 2, from = p * count / parts, to = (p + some) * count / parts;
            CELL(fetch)(sums + ((next - span) * parts + p) * SPAN, SPAN, some);
            CELL(fetch)(next_snapshots + from * GROUP_PITCH, GROUP_PITCH, to - from);
            for (int k = 0; k < SPAN; k += 4 * LANES) {
                if (some == 4) {
                    CELL(add_parts)(sums + p * SPAN + k, snapshots + k, weight + p, count, parts, 4);
                } else {
                    CELL(add_parts)(sums + p * SPAN + k, snapshots + k, weight + p, count, parts, 2);
                }
            }
        }
    }
}
