/* Running spectra: how samples of Ez become sums over time (physics.md section 5),
 *
 *     X(f) = every dt  sum over s of Ez(t_s) exp(-j omega t_s),    t_s = (s+1) every dt.
 *
 * Samples are collected in groups of `group` samples (spectra_group). The spectrum of a group about its middle t_g is
 * even + j odd at every frequency; it is rotated by the phase of the middle and added:
 *
 *     X(f) += every dt exp(-j omega t_g) (even + j odd).
 *
 * A group of 8, 16 or 32 samples is folded, which halves the multiply-adds: samples p and group-1-p make pair p, which
 * lies tau_p = (group-1-2p)/2 every dt before and after t_g, and
 *
 *     even = sum over p of (early + late) cos(omega tau_p),    odd = sum over p of (late - early) (-sin(omega tau_p)).
 *
 * Pairs are added from the outermost to the innermost.
 *
 * A group of 256 samples, for many frequencies, is transformed: it is multiplied by a window, padded with as many zeros
 * and taken through a fast Fourier transform (transform.h); t_g is sample 128. The spectrum at a frequency is a short
 * sum over the bins around it, 8 of the 257 in single precision and 16 in double, with the weights of a Kaiser-Bessel
 * function; the window divides by the transform of that function (a nonuniform transform of type 2: Dutt and Rokhlin
 * 1993; Jackson et al. 1991 for the function). The error of this interpolation is 6e-8 of the sums in single precision
 * (root mean square; less than their rounding) and less than 1e-14 in double. A transformed group takes some 30
 * operations a sample and 20, in double 40, a frequency; a folded group of 32 samples takes 36 a frequency.
 *
 * Groups go in order of time, each multiply-add as in cell.h: so all solvers give the same bits, whatever number of
 * groups they add at once. Solvers add whole groups only. The samples that wait for the rest of their group are part of
 * a run's state; whoever reads the spectra adds them as a group whose missing samples are zero (spectra_waiting.h). */
#pragma once

#include "problem/problem.h"

PW_C_BEGIN

/* Weights of a transformed group, in this order. */
enum {
    TRANSFORM_SAMPLES = 256,
    TRANSFORM_WINDOW = 0,                                           /* (256): window of the samples */
    TRANSFORM_ROTATIONS = TRANSFORM_WINDOW + TRANSFORM_SAMPLES,     /* (16, 16, 2): (cos, -sin)(2 pi b c/256) */
    TRANSFORM_SPLITS = TRANSFORM_ROTATIONS + 2 * TRANSFORM_SAMPLES, /* (129, 2): (cos, -sin)(2 pi k/512) */
    TRANSFORM_ROOTS = TRANSFORM_SPLITS + TRANSFORM_SAMPLES + 2,     /* (4): cos(pi/4), cos(pi/8), sin(pi/8), 0 */
    /* Then for each frequency: the weights of spectra_taps bins; the number of the first of those bins, from -taps/2 to
     * 256 - taps/2; and 1, or -1 where odd is minus the sum. */
    TRANSFORM_FREQUENCIES = (TRANSFORM_ROOTS + 4 + 15) / 16 * 16,
};

/* How many bins are summed for one frequency, by the type of a value. */
#define TRANSFORM_TAPS(type) (sizeof(type) == sizeof(float) ? 8 : 16)

static inline int spectra_taps(pw_precision precision)
{
    return precision == PW_SINGLE ? TRANSFORM_TAPS(float) : TRANSFORM_TAPS(double);
}

static inline bool spectra_transformed(const struct spectra *spectra)
{
    return spectra_group(spectra) == TRANSFORM_SAMPLES;
}

/* How many values spectra_weights writes. */
size_t spectra_weight_count(const struct problem *problem);

/* The weights that are the same for every group. Of folded groups: out (group/2, frequency_count, 2) =
 * (cos, -sin)(omega tau_p); of transformed groups: the table above. */
void spectra_weights(const struct problem *problem, double *out);

/* The phase factors of groups first..first+count-1: out (count, frequency_count, 2) = every dt (cos, -sin)(omega t_g).
 * Always from the index in double, never by recurrence. */
void spectra_phases(const struct problem *problem, int64_t first, int64_t count, double *out);

/* Adds a group at the nodes first..last-1: samples (group, nodes) to sums (frequency_count, nodes, 2). `phases` is the
 * group's row of spectra_phases. Weights and phases are rounded to the precision first. */
void spectra_add_float(const struct spectra *spectra, const double *weights, const double *phases, const float *samples,
                       size_t nodes, size_t first, size_t last, float *sums);
void spectra_add_double(const struct spectra *spectra, const double *weights, const double *phases,
                        const double *samples, size_t nodes, size_t first, size_t last, double *sums);

PW_C_END
