/* Folded groups of snapshots added to the running spectra (spectra.h): small matrix products. Included by march_body.h,
 * once per precision. */

/* Sums and differences of a group's pairs for a span of nodes: (group/2, 2, SPAN). */
INLINE void CELL(fold)(const SCALAR *snapshots, int group, SCALAR *folded)
{
    const SCALAR *late = snapshots + (group - 1) * SHELF_PITCH;
    for (const SCALAR *early = snapshots; early < late; early += SHELF_PITCH, late -= SHELF_PITCH, folded += 2 * SPAN) {
        for (int k = 0; k < SPAN; k += LANES) {
            REAL before = CELL(load)(early + k), after = CELL(load)(late + k);
            CELL(store)(folded + k, before + after);
            CELL(store)(folded + SPAN + k, after - before);
        }
    }
}

/* One value in all lanes. */
INLINE REAL CELL(all)(SCALAR value)
{
    return value - (REAL){0};
}

/* The spectrum of a group about its middle into the sums at one frequency. */
INLINE void CELL(turn_in)(SCALAR *sums, REAL even, REAL odd, REAL real, REAL imaginary)
{
    REAL sum_real = CELL(load)(sums), sum_imaginary = CELL(load)(sums + SPAN);
    CELL(store)(sums, CELL(cell_spectrum_real)(sum_real, even, odd, real, imaginary));
    CELL(store)(sums + SPAN, CELL(cell_spectrum_imaginary)(sum_imaginary, even, odd, real, imaginary));
}

/* Sums += pairs times their weights, `some` frequencies and WIDE vectors of nodes; the weights of two frequencies are
 * `pitch` apart. */
INLINE void CELL(add_pair)(REAL sums[][WIDE], const SCALAR *pair, const SCALAR *weights, int pitch, int some,
                           bool first)
{
    REAL value[WIDE];
    for (int k = 0; k < WIDE; k++) {
        value[k] = CELL(load)(pair + k * LANES);
    }
    for (int f = 0; f < some; f++) {
        REAL weight = CELL(all)(weights[f * pitch]);
        for (int k = 0; k < WIDE; k++) {
            sums[f][k] = first ? CELL(cell_pair)(value[k], weight) : CELL(cell_pair_add)(sums[f][k], value[k], weight);
        }
    }
}

/* A group at `some` frequencies: a small matrix product, all sums in registers, then their turn into the spectra. */
INLINE void CELL(add_some)(SCALAR *sums, const SCALAR *folded, const SCALAR *weights, const SCALAR *turns, int pairs,
                           int some)
{
    REAL even[SOME][WIDE], odd[SOME][WIDE];
    CELL(add_pair)(even, folded, weights, 2 * pairs, some, true);
    CELL(add_pair)(odd, folded + SPAN, weights + 1, 2 * pairs, some, true);
    for (int p = 1; p < pairs; p++) {
        folded += 2 * SPAN;
        weights += 2;
        CELL(add_pair)(even, folded, weights, 2 * pairs, some, false);
        CELL(add_pair)(odd, folded + SPAN, weights + 1, 2 * pairs, some, false);
    }
    for (int f = 0; f < some; f++) {
        REAL real = CELL(all)(turns[2 * f]), imaginary = CELL(all)(turns[2 * f + 1]);
        for (int k = 0; k < WIDE; k++) {
            CELL(turn_in)(sums + 2 * f * SPAN + k * LANES, even[f][k], odd[f][k], real, imaginary);
        }
    }
}

/* Groups of snapshots of one span of nodes, and what is to be fetched meanwhile. */
struct CELL(batch) {
    int groups, group, frequencies;
    const SCALAR *snapshots[GROUPS_AT_ONCE];
    const SCALAR *turns; /* (groups, frequencies, 2) */
    ptrdiff_t next;      /* from this span to the next one */
    const SCALAR *far;   /* this span's share of the snapshots of the next shelf, one after the other */
};

/* Asks for row n of the next span, which should be in the second-level cache, and from memory for as much of the next
 * shelf: in the order of addresses, which is faster than the order of use. */
INLINE void CELL(fetch_row)(const struct CELL(batch) * batch, int n)
{
    const SCALAR *next = batch->snapshots[n / batch->group] + batch->next + n % batch->group * SHELF_PITCH;
    for (int k = 0; k < SPAN; k += 64 / (int)sizeof(SCALAR)) {
        __builtin_prefetch(next + k, 0, 3);
        __builtin_prefetch(batch->far + n * SPAN + k, 0, 2);
    }
}

INLINE void CELL(fetch_sums)(const SCALAR *sums, int frequencies)
{
    for (int k = 0; k < 2 * frequencies * SPAN; k += 64 / (int)sizeof(SCALAR)) {
        __builtin_prefetch(sums + k, 1, 3);
    }
}

/* All frequencies of a span. */
INLINE void CELL(add_batch)(const struct CELL(batch) * batch, SCALAR *sums, const SCALAR *weights)
{
    SCALAR folded[GROUPS_AT_ONCE][FOLDED_SAMPLES_MOST * SPAN] __attribute__((aligned(64)));
    int pairs = batch->group / 2, frequencies = batch->frequencies, owed = 0, row = 0;
    for (int g = 0; g < batch->groups; g++) {
        CELL(fold)(batch->snapshots[g], batch->group, folded[g]);
    }
    for (int f = 0, some; f < frequencies; f += some, sums += 2 * some * SPAN, weights += 2 * some * pairs) {
        int left = frequencies - f;
        some = left >= SOME ? SOME : left >= 2 ? 2 : 1;
        CELL(fetch_sums)(sums + 2 * SUMS_AHEAD * SPAN, some);
        for (owed += some * batch->groups * batch->group; owed >= frequencies; owed -= frequencies) {
            CELL(fetch_row)(batch, row++);
        }
        for (int g = 0; g < batch->groups; g++) {
            const SCALAR *turns = batch->turns + 2 * (g * frequencies + f);
            for (int k = 0; k < SPAN; k += WIDE * LANES) {
                if (some == SOME) { /* known to the compiler */
                    CELL(add_some)(sums + k, folded[g] + k, weights, turns, pairs, SOME);
                } else if (some == 2) {
                    CELL(add_some)(sums + k, folded[g] + k, weights, turns, pairs, 2);
                } else {
                    CELL(add_some)(sums + k, folded[g] + k, weights, turns, pairs, 1);
                }
            }
        }
    }
}

static void CELL(add_folded)(const struct cpu_grid *grid, const struct cpu_run *run, const struct cpu_groups *groups,
                             int64_t first, int64_t last)
{
    enum { SPANS = SHELF * GROUP / SPAN }; /* of a shelf */
    const struct spectra *spectra = &grid->problem->spectra;
    struct CELL(batch) batch = {.group = spectra_group(spectra), .frequencies = spectra->frequency_count};
    int64_t block = (int64_t)grid->snapshot_limit * SHELF_PITCH; /* snapshots of a shelf */
    for (int64_t n = first * (GROUP / SPAN); n < last * (GROUP / SPAN); n++) {
        SCALAR *sums = (SCALAR *)run->sums + n * 2 * batch.frequencies * SPAN;
        batch.next = cpu_snapshot_place(grid, 0, (n + 1) * SPAN) - cpu_snapshot_place(grid, 0, n * SPAN);
        batch.far = (const SCALAR *)run->snapshots + (n / SPANS + 1) * block + n % SPANS * (block / SPANS);
        for (int done = 0; done < groups->count; done += batch.groups) {
            batch.groups = groups->count - done < GROUPS_AT_ONCE ? groups->count - done : GROUPS_AT_ONCE;
            batch.turns = (const SCALAR *)groups->turns + 2 * done * batch.frequencies;
            for (int g = 0; g < batch.groups; g++) {
                int place = (groups->place + (done + g) * batch.group) % grid->snapshot_limit;
                batch.snapshots[g] = CELL(snapshot_at)(grid, run, place, n * SPAN);
            }
            CELL(add_batch)(&batch, sums, groups->weights);
        }
    }
}
