/* Weights of the running spectra, and a group added in plain loops: by the reference backend, and for samples that wait when a run is read. */
#include "spectra.h"

#include <math.h>

#include "fast_fma.h"

#define TEMPLATE "spectra_add.h"
#include "precisions.h"

/* scale (cos, -sin)(omega time) of every frequency; the place after them. */
static double *phases(const struct spectra *spectra, double time, double scale, double *out)
{
    for (int f = 0; f < spectra->frequency_count; f++) {
        double phase = fmod(spectra->omega[f] * time, 2 * M_PI);
        *out++ = scale * cos(phase);
        *out++ = -scale * sin(phase);
    }
    return out;
}

void spectra_weights(const struct problem *problem, double *out)
{
    const struct spectra *spectra = &problem->spectra;
    int group = spectra_group(spectra);
    for (int p = 0; p < group / 2; p++) {
        out = phases(spectra, 0.5 * (group - 1 - 2 * p) * spectra->every * problem->time_step, 1, out);
    }
}

void spectra_turns(const struct problem *problem, int64_t first, int64_t count, double *out)
{
    const struct spectra *spectra = &problem->spectra;
    double interval = spectra->every * problem->time_step;
    int group = spectra_group(spectra);
    for (int64_t g = first; g < first + count; g++) {
        out = phases(spectra, ((double)(g * group) + 0.5 * (group + 1)) * interval, interval, out);
    }
}
