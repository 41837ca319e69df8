/* The weights of the running spectra, and the addition of one group of samples in plain loops. The reference backend
 * adds its groups with it, and spectra_waiting.c the samples that still wait for the rest of their group. */
#include "problem/spectra/spectra.h"

#include <math.h>
#include <string.h>

#include "base/fast_fma.h"

#define TEMPLATE "problem/spectra/spectra_add.h"
#include "problem/precisions.h"

/* Writes scale (cos, -sin)(phase); returns the address after it. */
static double *phasor(double phase, double scale, double *out)
{
    *out++ = scale * cos(phase);
    *out++ = -scale * sin(phase);
    return out;
}

/* Writes scale (cos, -sin)(omega time) of every frequency; returns the address after them. */
static double *phasors(const struct spectra *spectra, double time, double scale, double *out)
{
    for (int f = 0; f < spectra->frequency_count; f++) {
        out = phasor(fmod(spectra->omega[f] * time, 2 * M_PI), scale, out);
    }
    return out;
}

/* ---- weights of transformed groups ------------------------------------------------------------------------------- */

enum { PADDED = 2 * TRANSFORM_SAMPLES };

/* Modified Bessel function of the first kind, order zero: its series, all terms of which are positive. */
static double bessel_i0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

/* The Kaiser-Bessel function over `taps` bins, for twice as many bins as samples; x in bins. */
static double shape_parameter(int taps)
{
    return 2.3 * taps;
}

static double bump(double x, int taps)
{
    double inside = 1 - 4 * x * x / ((double)taps * taps);
    return inside > 0 ? bessel_i0(shape_parameter(taps) * sqrt(inside)) : 0;
}

/* Fourier transform of the bump at n samples from the middle of the group. */
static double bump_transform(double n, int taps)
{
    double b = shape_parameter(taps), w = M_PI * taps * n / PADDED, root = sqrt(b * b - w * w);
    return taps * sinh(root) / root;
}

/* Bins and weights of a frequency whose phase advances by `phase` from sample to sample. */
static double *frequency_taps(double phase, int taps, double *out)
{
    double angle = fmod(phase, 2 * M_PI), mirrored = angle > M_PI ? 2 * M_PI - angle : angle;
    double bin = mirrored * PADDED / (2 * M_PI), first = ceil(bin - 0.5 * taps);
    for (int t = 0; t < taps; t++) {
        *out++ = bump(bin - (first + t), taps) / bump_transform(0, taps);
    }
    *out++ = first;
    *out++ = angle > M_PI ? -1 : 1;
    return out;
}

static void transform_weights(const struct problem *problem, double *out)
{
    const struct spectra *spectra = &problem->spectra;
    int taps = spectra_taps(problem->precision);
    for (int s = 0; s < TRANSFORM_SAMPLES; s++) { /* 0.5: split_bins leaves a factor of two */
        *out++ = 0.5 * bump_transform(0, taps) / bump_transform(s - TRANSFORM_SAMPLES / 2, taps);
    }
    for (int b = 0; b < 16; b++) {
        for (int c = 0; c < 16; c++) {
            out = phasor(2 * M_PI * b * c / TRANSFORM_SAMPLES, 1, out);
        }
    }
    for (int k = 0; k <= TRANSFORM_SAMPLES / 2; k++) {
        out = phasor(2 * M_PI * k / PADDED, 1, out);
    }
    *out++ = sqrt(0.5);
    *out++ = cos(M_PI / 8);
    *out++ = sin(M_PI / 8);
    for (int k = TRANSFORM_ROOTS + 3; k < TRANSFORM_FREQUENCIES; k++) {
        *out++ = 0;
    }
    for (int f = 0; f < spectra->frequency_count; f++) {
        out = frequency_taps(spectra->omega[f] * spectra->every * problem->time_step, taps, out);
    }
}

/* ---- weights of both kinds --------------------------------------------------------------------------------------- */

size_t spectra_weight_count(const struct problem *problem)
{
    const struct spectra *spectra = &problem->spectra;
    size_t frequencies = (size_t)spectra->frequency_count;
    return spectra_transformed(spectra)
               ? TRANSFORM_FREQUENCIES + frequencies * (size_t)(spectra_taps(problem->precision) + 2)
               : frequencies * (size_t)spectra_group(spectra);
}

void spectra_weights(const struct problem *problem, double *out)
{
    const struct spectra *spectra = &problem->spectra;
    int group = spectra_group(spectra);
    if (spectra_transformed(spectra)) {
        transform_weights(problem, out);
        return;
    }
    for (int p = 0; p < group / 2; p++) {
        out = phasors(spectra, 0.5 * (group - 1 - 2 * p) * spectra->every * problem->time_step, 1, out);
    }
}

void spectra_phases(const struct problem *problem, int64_t first, int64_t count, double *out)
{
    const struct spectra *spectra = &problem->spectra;
    double interval = spectra->every * problem->time_step;
    int group = spectra_group(spectra);
    double middle = spectra_transformed(spectra) ? TRANSFORM_SAMPLES / 2 : 0.5 * (group - 1);
    for (int64_t g = first; g < first + count; g++) {
        out = phasors(spectra, ((double)(g * group) + middle + 1) * interval, interval, out);
    }
}
