/* Running spectra: how samples of Ez become sums over time,
 *
 *     X(f) = every dt  sum over s of Ez(t_s) exp(-j omega t_s),    t_s = (s+1) every dt.
 *
 * Samples come in groups of `group` (spectra_group), and a group is folded about its middle t_g, which halves the multiply-adds: pair p
 * is the samples p and group-1-p, before and after t_g by tau_p = (group-1-2p)/2 every dt, and
 *
 *     even = sum over p of (early + late) cos(omega tau_p),    odd = sum over p of (late - early) (-sin(omega tau_p)),
 *     X(f) += every dt exp(-j omega t_g) (even + j odd).
 *
 * Pairs go from the outermost to the innermost, groups in order of time, each multiply-add as in cell.h: so all engines give the same bits,
 * whatever number of groups they add at once. Engines add whole groups only. The samples that wait for the rest of theirs are part of a
 * run's state; whoever reads the spectra adds them as a group whose missing samples are zero. */
#ifndef SPECTRA_H
#define SPECTRA_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The same for every group: out (group/2, frequency_count, 2) = (cos, -sin)(omega tau_p). */
void spectra_weights(const struct problem *problem, double *out);

/* Of groups first..first+count-1: out (count, frequency_count, 2) = every dt (cos, -sin)(omega t_g). Always from the index in double,
 * never by recurrence. */
void spectra_turns(const struct problem *problem, int64_t first, int64_t count, double *out);

/* Adds a group: samples (group, nodes) to sums (frequency_count, nodes, 2), of frequencies first..last-1. `turn`: its row of
 * spectra_turns. Weights are rounded to the precision first. */
void spectra_add_float(const struct spectra *spectra, const double *weights, const double *turn, const float *samples,
                       size_t nodes, int first, int last, float *sums);
void spectra_add_double(const struct spectra *spectra, const double *weights, const double *turn, const double *samples,
                        size_t nodes, int first, int last, double *sums);

#ifdef __cplusplus
}
#endif
#endif
