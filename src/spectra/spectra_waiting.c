/* Adds the samples of a group that is not whole yet, when the spectra of a run are read. The run itself keeps these
 * samples as they are, so reading changes nothing. */
#include "spectra/spectra.h"

#include <omp.h>
#include <stdlib.h>

#include "base/narrow.h"

enum { SPAN = 1024 }; /* nodes that a thread adds at a time */

struct group {
    const struct spectra *spectra;
    const double *weights, *rotation;
    double *samples; /* (group, nodes) */
    double *sums;    /* (frequency_count, nodes, 2) */
    size_t nodes;
};

/* Adds the group in single precision: both arrays hold floats meanwhile. */
static void add_single(const struct group *group, size_t first, size_t last)
{
    spectra_add_float(group->spectra, group->weights, group->rotation, (float *)group->samples, group->nodes, first,
                      last, (float *)group->sums);
}

static void add_double(const struct group *group, size_t first, size_t last)
{
    spectra_add_double(group->spectra, group->weights, group->rotation, group->samples, group->nodes, first, last,
                       group->sums);
}

static void add_threaded(const struct group *group, bool single, int threads)
{
    size_t values = 2 * (size_t)group->spectra->frequency_count * group->nodes;
    if (single) {
        narrow_values(group->samples, (size_t)spectra_group(group->spectra) * group->nodes);
        narrow_values(group->sums, values);
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t first = 0; first < group->nodes; first += SPAN) {
        size_t last = group->nodes - first < SPAN ? group->nodes : first + SPAN;
        (single ? add_single : add_double)(group, first, last);
    }
    if (single) {
        widen_values(group->sums, values);
    }
}

pw_status spectra_add_waiting(const struct problem *problem, int64_t steps, double *samples, size_t nodes, int threads,
                              double *sums, pw_error *error)
{
    const struct spectra *spectra = &problem->spectra;
    if (nodes == 0 || spectra_waiting(spectra, steps) == 0) {
        return PW_OK;
    }
    size_t count = spectra_weight_count(problem), rotation = 2 * (size_t)spectra->frequency_count;
    double *weights = allocate(count + rotation, sizeof *weights, "weights of the spectra", error);
    if (weights == NULL) {
        return PW_NO_RESOURCE;
    }
    spectra_weights(problem, weights);
    spectra_turns(problem, spectra_samples(spectra, steps) / spectra_group(spectra), 1, weights + count);
    const struct group group = {.spectra = spectra,
                                .weights = weights,
                                .rotation = weights + count,
                                .samples = samples,
                                .sums = sums,
                                .nodes = nodes};
    add_threaded(&group, problem->precision == PW_SINGLE, threads > 0 ? threads : omp_get_max_threads());
    free(weights);
    return PW_OK;
}
