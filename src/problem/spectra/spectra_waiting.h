/* The end of running spectra that are read in the middle of a group of samples (spectra.h): the samples that wait for
 * the rest of their group are added as a group whose missing samples are zero. The state of the run stays as it is. */
#pragma once

#include "problem/spectra/spectra.h"

/* Adds to `sums` (frequency_count, nodes, 2) the samples that wait after `step` steps, on at most `threads` threads.
 * `samples` has room for (spectra_group, nodes) and holds the waiting samples first; what stands behind them is
 * overwritten. Both hold values of the run's precision, exactly. */
pw_status spectra_add_waiting(const struct problem *problem, int64_t step, int threads, size_t nodes, double *samples,
                              double *sums, pw_error *error);
