/* Adds the samples that wait for the rest of their group to sums that were read. The addition is that of spectra.c, in
 * the run's precision, so the sums get the bits that a solver would have made of the same group. */
#include "problem/spectra/spectra_waiting.h"

#include "base/numbers/narrow.h"

#include <stdlib.h>

/* One group of samples (group, nodes) to the sums (frequency_count, nodes, 2), some nodes to each thread. */
static void add_group(const struct problem *problem, const double *weights, const double *phases, int threads,
                      size_t nodes, double *samples, double *sums)
{
    const struct spectra *spectra = &problem->spectra;
    size_t values = 2 * (size_t)spectra->frequency_count * nodes;
    bool single = problem->precision == PW_SINGLE;
    if (single) {
        narrow_values(samples, (size_t)spectra_group(spectra) * nodes);
        narrow_values(sums, values);
    }
    const size_t some = 1024;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t first = 0; first < nodes; first += some) {
        size_t last = nodes - first < some ? nodes : first + some;
        if (single) {
            spectra_add_float(spectra, weights, phases, (float *)samples, nodes, first, last, (float *)sums);
        } else {
            spectra_add_double(spectra, weights, phases, samples, nodes, first, last, sums);
        }
    }
    if (single) {
        widen_values(sums, values);
    }
}

pw_status spectra_add_waiting(const struct problem *problem, int64_t step, int threads, size_t nodes, double *samples,
                              double *sums, pw_error *error)
{
    const struct spectra *spectra = &problem->spectra;
    size_t count = spectra_weight_count(problem);
    if (nodes == 0 || spectra_waiting(spectra, step) == 0) {
        return PW_OK;
    }
    double *weights =
        allocate(count + 2 * (size_t)spectra->frequency_count, sizeof *weights, "weights of the spectra", error);
    TRY_MADE(weights);
    double *phases = weights + count;
    spectra_weights(problem, weights);
    spectra_phases(problem, spectra_samples(spectra, step) / spectra_group(spectra), 1, phases);
    add_group(problem, weights, phases, threads, nodes, samples, sums);
    free(weights);
    return PW_OK;
}
