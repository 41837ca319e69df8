/* What a finished run has to say about its length and its frequencies: that it ended before its pulse did, that so much
 * of the field was still on its way that powers lack it, that the field still rang, which delays feel first, or that
 * delay profiles repeat before the field has decayed. What that does to a point is for the guard on delays in the room
 * `channel`. */
#pragma once

#include "base/warnings.h"
#include "run/simulation.h"

/* When the waveform of a run has its energy [s]: what is sent then arrives at the end of the run with the largest delay
 * that the run can tell. And how long it is: 1/(band width) of the Gaussian with this root mean square of time, whose
 * spectrum is 10 dB down at the edges of the band. Both 0 for a waveform of zeros. */
struct pulse_time {
    double centre, length;
};
struct pulse_time simulation_pulse_time(const struct simulation *simulation, int run);

/* Adds what keeps powers from being right: a pulse that was cut off, a field that was on its way. Nothing about sources
 * that last, or that have no channel. */
void power_warn(const struct simulation *simulation, int run, pw_notes *warnings);

/* Adds what keeps delays from being right; nothing about sources that last, or that have no channel. */
pw_status delay_warn(const struct simulation *simulation, int run, pw_notes *warnings, pw_error *error);
