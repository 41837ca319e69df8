/* Spectra of E at a list of places (problem.h; in tm2d nodes), of a run from each station. A station is a transmitter,
 * or a receiver that sends what the first transmitter sends, by the weights with which it hears: then reciprocity holds
 * for the discrete equations. */
#pragma once

#include "backend/compute.h"
#include "discretize/setup.h"

/* Whose spectra are those of a station: its own run's, or of a transmitter that drives the same places in the same
 * proportion, times a factor. */
struct station_run {
    int run; /* in order of the stations that have one of their own */
    double factor;
};

struct station_spectra {
    int stations, runs, frequencies;
    int64_t places;
    struct station_run *of; /* (stations), owned */
    bool single;            /* kept in single precision */
    void *value;            /* (runs, places, frequencies, re/im), owned: float or double [V/m s] */
    double *heard;   /* (transmitters, receivers, frequencies, re/im), owned: the field at the receivers [V/m s] */
    double *current; /* (transmitters, frequencies, re/im), owned: [A s] */
    double *sent;    /* (transmitters, frequencies, re/im), owned: what stands on the right when it sends, per weight */
    double *driven;  /* (frequencies, re/im), owned: what stands on the right of the equations (node_changes.h) when a
                        receiver sends, per weight [A s] */
};

/* Adds a source for every receiver to the problem, behind those of the transmitters. */
pw_status stations_add_receivers(struct setup *setup, pw_error *error);

/* Solves every source of the problem, one after the other, but for receivers that stand where a transmitter does.
 * `place` (places) ascending; the running spectra become theirs. Without places the transmitters
 * alone, for what the receivers hear. */
pw_status stations_solve(struct setup *setup, const struct compute *compute, const int64_t *place, int64_t places,
                         const pw_monitor *monitor, struct station_spectra *spectra, pw_error *error);

/* E of a station at a place of the list, at `count` frequencies from `first` on. */
static inline void station_values(const struct station_spectra *spectra, int station, int64_t slot, int first,
                                  int count, double *re, double *im)
{
    const struct station_run *of = &spectra->of[station];
    const size_t at =
        2 * (((size_t)of->run * (size_t)spectra->places + (size_t)slot) * (size_t)spectra->frequencies + (size_t)first);
    const void *value = spectra->value;
    for (int k = 0; k < count; k++) {
        const size_t n = at + 2 * (size_t)k;
        re[k] = of->factor * (spectra->single ? (double)((const float *)value)[n] : ((const double *)value)[n]);
        im[k] = of->factor * (spectra->single ? (double)((const float *)value)[n + 1] : ((const double *)value)[n + 1]);
    }
}

void station_spectra_free(struct station_spectra *spectra);
