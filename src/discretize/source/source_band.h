/* The pulse of a transmitter against the band as it is evaluated (physics.md section 4). Sums over time are taken at
 * warped frequencies, which lie above those of the band: a pulse has to have its energy there. */
#pragma once

#include "discretize/setup.h"

/* Hz. */
struct source_band {
    double centre, width;
};

/* The band as evaluated with this time step; 0: none is known yet, and the band is taken as it was asked for. */
struct source_band source_band_evaluated(const struct scenario *scenario, double time_step);

/* The width [Hz] over which every transmitter sends, at least: that of the band, or more where the pulses are
 * planwave's own. */
double source_band_sent(const struct scenario *scenario);

/* The waveform of a transmitter: what the scenario leaves open follows from the band as evaluated. */
pw_status source_waveform(const struct scenario *scenario, int transmitter, double time_step, struct waveform *waveform,
                          pw_error *error);

/* Says where a pulse was made wider than the band; PW_BAD_INPUT where a pulse is 30 dB under its peak somewhere in the
 * band as evaluated, but a warning where there are no running spectra. After the time step is known. */
pw_status source_check(struct setup *setup, int transmitter, const struct waveform *waveform, pw_error *error);

/* Puts off the end by decay until the wave of this transmitter has passed the farthest corner of the plan: an open plan
 * falls silent while the front is still on its way, and a receiver in that corner would hear half a pulse. */
void source_extend_crossing(struct setup *setup, int transmitter, const struct waveform *waveform);
