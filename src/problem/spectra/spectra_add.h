/* Adds a group of samples to the running spectra (spectra.h). Included once per precision: the includer defines REAL,
 * FMA and CELL. The inner loops run along the nodes, so that the compiler can make vectors of them by itself. */

/* The sums even and odd over the pairs of a group at one frequency, for `count` of its `nodes` nodes. */
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

/* The spectrum of the group about its middle, rotated by the phase of that middle, into the sums (count, 2) at one
 * frequency. */
INLINE void CELL(add_rotated)(const REAL *even, const REAL *odd, const double *phases, int count, REAL *sums)
{
    REAL real = (REAL)phases[0], imaginary = (REAL)phases[1];
    for (int n = 0; n < count; n++) {
        sums[2 * n] = CELL(cell_spectrum_real)(sums[2 * n], even[n], odd[n], real, imaginary);
        sums[2 * n + 1] = CELL(cell_spectrum_imaginary)(sums[2 * n + 1], even[n], odd[n], real, imaginary);
    }
}

INLINE void CELL(add_folded)(const struct spectra *spectra, const double *weights, const double *phases,
                             const REAL *samples, size_t nodes, size_t first, size_t last, REAL *sums)
{
    enum { SPAN = 512 };
    REAL even[SPAN], odd[SPAN];
    ptrdiff_t pitch = 2 * (ptrdiff_t)spectra->frequency_count;
    for (; first < last; first += SPAN) {
        int count = last - first < SPAN ? (int)(last - first) : SPAN;
        for (int f = 0; f < spectra->frequency_count; f++) {
            CELL(fold)
            (samples + first, (ptrdiff_t)nodes, count, spectra_group(spectra), weights + 2 * f, pitch, even, odd);
            CELL(add_rotated)(even, odd, phases + 2 * f, count, sums + 2 * ((size_t)f * nodes + first));
        }
    }
}

#include "problem/spectra/spectra_add_wide.h"

FAST_FMA void CELL(spectra_add)(const struct spectra *spectra, const double *weights, const double *phases,
                                const CELL(scalar) * samples, size_t nodes, size_t first, size_t last,
                                CELL(scalar) * sums)
{
    if (spectra_transformed(spectra)) {
        CELL(add_transformed)(spectra, weights, phases, samples, nodes, first, last, sums);
    } else {
        CELL(add_folded)(spectra, weights, phases, samples, nodes, first, last, sums);
    }
}
