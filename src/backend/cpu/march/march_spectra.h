/* Folded groups of samples added to the running spectra (spectra.h): small matrix products. Included by march_body.h,
 * once per precision. */

/* Sums and differences of a group's pairs for a span of nodes: (group/2, 2, SPAN). */
INLINE void CELL(fold)(const SCALAR *samples, int group, SCALAR *folded)
{
    const SCALAR *late = samples + (group - 1) * PANEL_PITCH;
    for (const SCALAR *early = samples; early < late; early += PANEL_PITCH, late -= PANEL_PITCH, folded += 2 * SPAN) {
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

/* The spectrum of a group about its middle, rotated by the phase of that middle, into the sums at one frequency. */
INLINE void CELL(add_rotated)(SCALAR *sums, REAL even, REAL odd, REAL real, REAL imaginary)
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

/* A group at `some` frequencies: a small matrix product, all sums in registers, then rotated into the spectra. */
INLINE void CELL(add_some)(SCALAR *sums, const SCALAR *folded, const SCALAR *weights, const SCALAR *phases, int pairs,
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
        REAL real = CELL(all)(phases[2 * f]), imaginary = CELL(all)(phases[2 * f + 1]);
        for (int k = 0; k < WIDE; k++) {
            CELL(add_rotated)(sums + 2 * f * SPAN + k * LANES, even[f][k], odd[f][k], real, imaginary);
        }
    }
}

/* Groups of samples of one span of nodes, and what is to be fetched meanwhile. */
struct CELL(batch) {
    int groups, group, frequencies;
    const SCALAR *samples[GROUPS_AT_ONCE];
    const SCALAR *phases; /* (groups, frequencies, 2) */
    ptrdiff_t next;       /* from this span to the next one */
    const SCALAR *far;    /* this span's share of the samples of the next panel, one after the other */
};

/* Asks for row n of the next span, which should be in the second-level cache, and from memory for as much of the next
 * panel: in the order of addresses, which is faster than the order of use. */
INLINE void CELL(fetch_row)(const struct CELL(batch) * batch, int n)
{
    const SCALAR *next = batch->samples[n / batch->group] + batch->next + n % batch->group * PANEL_PITCH;
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
        CELL(fold)(batch->samples[g], batch->group, folded[g]);
    }
    for (int f = 0, some; f < frequencies; f += some, sums += 2 * some * SPAN, weights += 2 * some * pairs) {
        int left = frequencies - f;
        some = left >= SOME ? SOME : left >= 2 ? 2 : 1;
        CELL(fetch_sums)(sums + 2 * SUMS_AHEAD * SPAN, some);
        for (owed += some * batch->groups * batch->group; owed >= frequencies; owed -= frequencies) {
            CELL(fetch_row)(batch, row++);
        }
        for (int g = 0; g < batch->groups; g++) {
            const SCALAR *phases = batch->phases + 2 * (g * frequencies + f);
            for (int k = 0; k < SPAN; k += WIDE * LANES) {
                if (some == SOME) { /* known to the compiler */
                    CELL(add_some)(sums + k, folded[g] + k, weights, phases, pairs, SOME);
                } else if (some == 2) {
                    CELL(add_some)(sums + k, folded[g] + k, weights, phases, pairs, 2);
                } else {
                    CELL(add_some)(sums + k, folded[g] + k, weights, phases, pairs, 1);
                }
            }
        }
    }
}

static void CELL(add_folded)(const struct cpu_grid *grid, const struct cpu_run *run, const struct cpu_groups *groups,
                             int64_t first, int64_t last)
{
    enum { SPANS = PANEL * PATCH / SPAN }; /* of a panel */
    const struct spectra *spectra = &grid->problem->spectra;
    struct CELL(batch) batch = {.group = spectra_group(spectra), .frequencies = spectra->frequency_count};
    int64_t block = (int64_t)grid->sample_slots * PANEL_PITCH; /* samples of a panel */
    for (int64_t n = first * (PATCH / SPAN); n < last * (PATCH / SPAN); n++) {
        SCALAR *sums = (SCALAR *)run->sums + n * 2 * batch.frequencies * SPAN;
        batch.next = cpu_sample_index(grid, 0, (n + 1) * SPAN) - cpu_sample_index(grid, 0, n * SPAN);
        batch.far = (const SCALAR *)run->samples + (n / SPANS + 1) * block + n % SPANS * (block / SPANS);
        for (int done = 0; done < groups->count; done += batch.groups) {
            batch.groups = groups->count - done < GROUPS_AT_ONCE ? groups->count - done : GROUPS_AT_ONCE;
            batch.phases = (const SCALAR *)groups->phases + 2 * done * batch.frequencies;
            for (int g = 0; g < batch.groups; g++) {
                int slot = (groups->first_slot + (done + g) * batch.group) % grid->sample_slots;
                batch.samples[g] = CELL(sample_at)(grid, run, slot, n * SPAN);
            }
            CELL(add_batch)(&batch, sums, groups->weights);
        }
    }
}
