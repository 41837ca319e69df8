/* Groups of snapshots added to the running spectra (spectra.h): small matrix products. Included by cpu_walk_body.h, once per precision. */

/* Sums and differences of a group's pairs for a span of nodes: (group/2, 2, SPAN). */
INLINE void CELL(fold)(const SCALAR *snapshots, int group, SCALAR *folded)
{
    const SCALAR *late = snapshots + (group - 1) * GROUP_PITCH;
    for (const SCALAR *early = snapshots; early < late; early += GROUP_PITCH, late -= GROUP_PITCH, folded += 2 * SPAN) {
        for (int k = 0; k < SPAN; k += LANES) {
            REAL before = CELL(load)(early + k), after = CELL(load)(late + k);
            CELL(store)(folded + k, before + after);
            CELL(store)(folded + SPAN + k, after - before);
        }
    }
}

/* `some` frequencies, four vectors of nodes: a small matrix product, all sums in registers, then their turn into the spectra. */
INLINE void CELL(add_some)(SCALAR *sums, const SCALAR *folded, const SCALAR *weights, const SCALAR *turns, int pairs,
                           ptrdiff_t pitch, int some)
{
    REAL even[2][4], odd[2][4];
    for (int p = 0; p < pairs; p++, weights += pitch, folded += 2 * SPAN) {
        for (int f = 0; f < some; f++) {
            REAL cosine = weights[2 * f] - (REAL){0}, sine = weights[2 * f + 1] - (REAL){0};
            for (int k = 0; k < 4; k++) {
                REAL sum = CELL(load)(folded + k * LANES), difference = CELL(load)(folded + SPAN + k * LANES);
                even[f][k] = p == 0 ? CELL(cell_pair)(sum, cosine) : CELL(cell_pair_add)(even[f][k], sum, cosine);
                odd[f][k] =
                    p == 0 ? CELL(cell_pair)(difference, sine) : CELL(cell_pair_add)(odd[f][k], difference, sine);
            }
        }
    }
    for (int f = 0; f < some; f++) {
        REAL real = turns[2 * f] - (REAL){0}, imaginary = turns[2 * f + 1] - (REAL){0};
        for (int k = 0; k < 4; k++) {
            SCALAR *to = sums + 2 * f * SPAN + k * LANES;
            CELL(store)(to, CELL(cell_spectrum_real)(CELL(load)(to), even[f][k], odd[f][k], real, imaginary));
            CELL(store)
            (to + SPAN, CELL(cell_spectrum_imaginary)(CELL(load)(to + SPAN), even[f][k], odd[f][k], real, imaginary));
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

/* Snapshots `place` and the group after it, of one span; on the way asks for the snapshots and the sums at `next` and `next_sums`. */
INLINE void CELL(add_group)(const struct spectra *spectra, const SCALAR *snapshots, const SCALAR *next, SCALAR *sums,
                            const SCALAR *next_sums, const SCALAR *weights, const SCALAR *turns)
{
    int group = spectra_group(spectra), frequencies = spectra->frequency_count;
    SCALAR folded[32 * SPAN] __attribute__((aligned(64)));
    CELL(fold)(snapshots, group, folded);
    for (int f = 0; f < frequencies; f += 2) {
        int some = f + 2 <= frequencies ? 2 : 1, from = f * group / frequencies, to = (f + some) * group / frequencies;
        CELL(fetch)(next_sums + 2 * f * SPAN, SPAN, 2 * some);
        CELL(fetch)(next + from * GROUP_PITCH, GROUP_PITCH, to - from);
        for (int k = 0; k < SPAN; k += 4 * LANES) {
            if (some == 2) {
                CELL(add_some)
                (sums + 2 * f * SPAN + k, folded + k, weights + 2 * f, turns + 2 * f, group / 2, 2 * frequencies, 2);
            } else {
                CELL(add_some)
                (sums + 2 * f * SPAN + k, folded + k, weights + 2 * f, turns + 2 * f, group / 2, 2 * frequencies, 1);
            }
        }
    }
}

static void CELL(add_spectra)(const struct cpu_grid *grid, const struct cpu_run *run, const struct cpu_groups *groups,
                              int64_t first, int64_t last)
{
    enum { SPANS = GROUP / SPAN };
    const struct spectra *spectra = &grid->problem->spectra;
    int parts = 2 * spectra->frequency_count, samples = spectra_group(spectra);
    for (int64_t span = first * SPANS; span < last * SPANS; span++) {
        SCALAR *sums = (SCALAR *)run->sums + span * parts * SPAN;
        for (int g = 0; g < groups->count; g++) {
            int64_t next = g + 1 < groups->count || span + 1 == last * SPANS ? span : span + 1;
            int place = (groups->place + g * samples) % grid->snapshot_limit;
            int next_place = (groups->place + (g + 1) % groups->count * samples) % grid->snapshot_limit;
            CELL(add_group)
            (spectra, CELL(snapshot_at)(grid, run, place, span * SPAN),
             CELL(snapshot_at)(grid, run, next_place, next * SPAN), sums, sums + (next - span) * parts * SPAN,
             groups->weights, (const SCALAR *)groups->turns + g * parts);
        }
    }
}
