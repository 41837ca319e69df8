/* Source waveforms (physics.md section 4), always evaluated in double. */
#pragma once

#include "scenario/scenario.h"

struct waveform {
    struct waveform_choice choice; /* width, delay resolved; `file` borrowed */
    double *time, *value;          /* (samples), owned: WAVEFORM_SAMPLES */
    int64_t samples;
    double end;           /* s: after this it contributes less than 1e-12 of its peak; INFINITY for lasting ones */
    double spectrum_peak; /* of pulses */
};

/* Resolves defaults from the band and reads a CSV of samples. */
pw_status waveform_create(const struct waveform_choice *choice, double band_centre, double band_width,
                          struct waveform *waveform, pw_error *error);
void waveform_free(struct waveform *waveform);
double waveform_at(const struct waveform *waveform, double time);
/* Upper bound of |spectrum(f)| over its peak, in dB (<= 0); -0.0 where nothing is known (samples, constant). */
double waveform_spectrum_db(const struct waveform *waveform, double frequency);

/* Part of waveform_create and waveform_at (waveform_samples.c): fills time, value and samples from the file at `path`;
 * the value at `time`, of amplitude 1. */
pw_status waveform_samples_read(const char *path, struct waveform *waveform, pw_error *error);
double waveform_samples_at(const struct waveform *waveform, double time);
