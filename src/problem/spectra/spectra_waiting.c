/* Adds the samples that wait for the rest of their group to sums that were read. The addition is that of spectra.c, in
 * the run's precision, so the sums get the bits that a solver would have made of the same group. */
#include "problem/spectra/spectra_waiting.h"

#include <omp.h>

#include <stdlib.h>
#include <string.h>

/* Nodes that a thread takes at a time: what it works on stays in its cache. */
enum { SOME = 128 };

/* What is added to what: samples (waiting, nodes) to the sums (frequency_count, nodes, 2). In double precision zeros
 * stand behind the samples, up to a whole group. */
struct addition {
    const struct spectra *spectra;
    const double *weights, *phases, *samples;
    double *sums;
    size_t nodes, waiting;
};

/* Values that a thread of a run in single precision needs for its copies. */
static size_t copied_values(const struct spectra *spectra)
{
    return SOME * ((size_t)spectra_group(spectra) + 2 * (size_t)spectra->frequency_count);
}

/* The nodes first..last-1, through copies in single precision; all values of the sums came from floats. */
static void add_narrowed(const struct addition *addition, size_t first, size_t last, float *copies)
{
    const struct spectra *spectra = addition->spectra;
    const size_t count = last - first, group = (size_t)spectra_group(spectra),
                 frequencies = (size_t)spectra->frequency_count;
    float *samples = copies, *sums = copies + group * count;
    for (size_t k = 0; k < addition->waiting; k++) {
        for (size_t n = 0; n < count; n++) {
            samples[k * count + n] = (float)addition->samples[k * addition->nodes + first + n];
        }
    }
    memset(samples + addition->waiting * count, 0, (group - addition->waiting) * count * sizeof *samples);
    for (size_t f = 0; f < frequencies; f++) {
        for (size_t n = 0; n < 2 * count; n++) {
            sums[2 * f * count + n] = (float)addition->sums[2 * (f * addition->nodes + first) + n];
        }
    }
    spectra_add_float(spectra, addition->weights, addition->phases, samples, count, 0, count, sums);
    for (size_t f = 0; f < frequencies; f++) {
        for (size_t n = 0; n < 2 * count; n++) {
            addition->sums[2 * (f * addition->nodes + first) + n] = (double)sums[2 * f * count + n];
        }
    }
}

/* `copies` (threads, copied_values) for single precision; NULL for double. */
static void add_group(const struct addition *addition, int threads, float *copies)
{
    const size_t nodes = addition->nodes;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (nodes > SOME)
    for (size_t first = 0; first < nodes; first += SOME) {
        const size_t last = nodes - first < SOME ? nodes : first + SOME;
        if (copies != NULL) {
            add_narrowed(addition, first, last,
                         copies + (size_t)omp_get_thread_num() * copied_values(addition->spectra));
        } else {
            spectra_add_double(addition->spectra, addition->weights, addition->phases, addition->samples, nodes, first,
                               last, addition->sums);
        }
    }
}

pw_status spectra_add_waiting(const struct problem *problem, int64_t step, int threads, size_t nodes, double *samples,
                              double *sums, pw_error *error)
{
    const struct spectra *spectra = &problem->spectra;
    const bool single = problem->precision == PW_SINGLE;
    const size_t count = spectra_weight_count(problem), waiting = (size_t)spectra_waiting(spectra, step);
    if (nodes == 0 || waiting == 0) {
        return PW_OK;
    }
    OWNED double *weights =
        allocate(count + 2 * (size_t)spectra->frequency_count, sizeof *weights, "weights of the spectra", error);
    TRY_MADE(weights);
    OWNED float *copies = single ? malloc((size_t)threads * copied_values(spectra) * sizeof *copies) : NULL;
    FAIL_IF(single && copies == NULL, error, PW_NO_RESOURCE, "not enough memory for samples of the spectra");
    double *phases = weights + count;
    spectra_weights(problem, weights);
    spectra_phases(problem, spectra_samples(spectra, step) / spectra_group(spectra), 1, phases);
    if (!single) {
        memset(samples + waiting * nodes, 0, ((size_t)spectra_group(spectra) - waiting) * nodes * sizeof *samples);
    }
    add_group(&(struct addition){spectra, weights, phases, samples, sums, nodes, waiting}, threads, copies);
    return PW_OK;
}
