/* Responses at any frequencies of receivers that were recorded at every step (asked.h): the sums over their record, and
 * over the current of the transmitter, at a lattice that holds the frequencies asked for. */
#pragma once

#include "channel/asked/asked.h"
#include "channel/place/grid_phase.h"
#include "channel/place/place.h"

struct recorded {
    struct result at; /* the result at the lattice: its frequencies and the transmitter's spectrum are owned */
    int transmitter;
    struct channel_band band;
    struct channel channel;
    struct asked asked;
    struct grid_phase phase;
    double centre;                         /* Hz: of the band of the run's spectra */
    double *field, *taps, *delay, *values; /* (frequency_count, 2) but for `delay`, owned: of one place */
};

/* `observed` is the band of the run's spectra, with the options that count. */
pw_status recorded_create(const struct result *result, int transmitter, const struct channel_band *observed,
                          const double *frequency, int count, struct recorded *recorded, pw_error *error);
void recorded_free(struct recorded *recorded);

/* H of component c at a recorded place, (count, 2). */
pw_status recorded_response(struct recorded *recorded, const struct place *place, int c, double *out, pw_error *error);
