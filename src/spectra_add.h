/* Adds a group of samples to the running spectra, included once per precision (REAL, FMA and CELL are defined by the includer). Plain loops
 * along the nodes, which a compiler can turn into vectors by itself. */

/* Sums over the pairs of a group at one frequency, for `count` nodes of `nodes`. */
INLINE void CELL(fold)(const REAL *samples, ptrdiff_t nodes, int count, int group, const double *weights,
                       ptrdiff_t pitch, REAL *even, REAL *odd)
{
    for (ptrdiff_t p = 0; p < group / 2; p++) {
        const REAL *early = samples + p * nodes, *late = samples + (group - 1 - p) * nodes;
        REAL cosine = (REAL)weights[p * pitch], sine = (REAL)weights[p * pitch + 1];
        for (int n = 0; n < count; n++) {
            REAL sum = early[n] + late[n], difference = late[n] - early[n];
            even[n] = p == 0 ? CELL(cell_pair)(sum, cosine) : CELL(cell_pair_add)(even[n], sum, cosine);
            odd[n] = p == 0 ? CELL(cell_pair)(difference, sine) : CELL(cell_pair_add)(odd[n], difference, sine);
        }
    }
}

FAST_FMA void CELL(spectra_add)(const struct spectra *spectra, const double *weights, const double *turn,
                                const REAL *samples, size_t nodes, int first, int last, REAL *sums)
{
    enum { SOME = 512 };
    REAL even[SOME], odd[SOME];
    ptrdiff_t pitch = 2 * (ptrdiff_t)spectra->frequency_count;
    for (size_t begun = 0; begun < nodes; begun += SOME) {
        int count = nodes - begun < SOME ? (int)(nodes - begun) : SOME;
        for (int f = first; f < last; f++) {
            REAL turn_real = (REAL)turn[2 * f], turn_imaginary = (REAL)turn[2 * f + 1];
            REAL *out = sums + 2 * ((size_t)f * nodes + begun);
            CELL(fold)
            (samples + begun, (ptrdiff_t)nodes, count, spectra_group(spectra), weights + 2 * f, pitch, even, odd);
            for (int n = 0; n < count; n++) {
                out[2 * n] = CELL(cell_spectrum_real)(out[2 * n], even[n], odd[n], turn_real, turn_imaginary);
                out[2 * n + 1] =
                    CELL(cell_spectrum_imaginary)(out[2 * n + 1], even[n], odd[n], turn_real, turn_imaginary);
            }
        }
    }
}
