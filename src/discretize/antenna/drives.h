/* Currents of one waveform that differ in phase (physics.md section 12): in phase, a quarter of a period ahead, and
 * over wide bands the same two times a function that rises with frequency, all made by differences in time. Sources are
 * driven so, and what receivers take in is shaped so. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct setup;
struct source;
struct waveform;

/* Frequency n of `count` over the band [Hz], both edges included; of one the centre. */
double drive_frequency(const struct setup *setup, int n, int count);

/* What the terms are at these frequencies, a quarter of a period aside: (frequencies, ARRAY_TERMS). */
void drive_basis(const struct setup *setup, int frequencies, double *basis);

/* Fills the further drives of a source, once its first drive is there. */
pw_status drive_tabulate(const struct setup *setup, struct source *source, const struct waveform *waveform,
                         pw_error *error);

/* What the probes of a receiver, one a term, took in at every step: value[step * stride + term]. */
struct drive_series {
    const double *value;
    size_t stride;
    int64_t steps;
};
/* What the receiver takes in at a step: the sum of its terms. */
double drive_received(const struct setup *setup, const struct drive_series *series, int terms, int64_t step);
