/* Angles of arrival and departure on a plan in two dimensions: power by azimuth, from the running spectra around a
 * place (plane_waves.h). The disc that is looked at is the largest of air and without a transmitter, of at most four
 * wavelengths and so small that waves from the transmitter are plane in it; a spacing of the spectra of half a
 * wavelength or more cannot tell opposite directions apart, so frequencies for which it is too coarse are left out.
 * Where there is no such disc, there are no angles, and the reason is told. */
#pragma once

#include "api/channel.h"
#include "base/status.h"
#include "channel/channel.h"
#include "result/result.h"

enum { ANGLE_COUNT = 360, ANGLE_PEAKS = 16, ANGLE_REASON = 240 };

/* A peak of the spectrum. */
struct angle_peak {
    double azimuth; /* rad, counterclockwise from x */
    double power;   /* relative to free space at 1 m, as the spectrum */
};

struct angle_spectrum {
    char reason[ANGLE_REASON]; /* why there is none; "" where there is one */
    double radius;             /* m, of the disc */
    double beam_width;         /* rad, 3 dB down, at the middle of the band */
    double highest;            /* Hz: of the frequencies that the spacing of the spectra is fine enough for */
    int used, usable;          /* frequencies, of those that were looked at */
    double residual;           /* what plane waves do not explain of the field in the disc, mean over the band */
    double power[ANGLE_COUNT]; /* at azimuth n degrees: mean over the band; a single path of power P peaks at P */
    struct angle_peak peaks[ANGLE_PEAKS]; /* by power, at most 20 dB under the first */
    int peak_count;
};

/* Relative residual from which on a spectrum is said to be doubtful. */
static const double ANGLE_DOUBT = 0.1;

/* What does not change from place to place: where the plan is not air. `solid` (rows, columns) of result->face, owned.
 */
struct angle_ground {
    uint8_t *solid;
};
pw_status angle_ground_create(const struct result *result, struct angle_ground *ground, pw_error *error);
void angle_ground_free(struct angle_ground *ground);

/* Arrivals at (x, y) [m] from a transmitter; `factor` is the link's from two dimensions to three. */
pw_status angles_of_arrival(const struct result *result, const struct angle_ground *ground, int transmitter,
                            const double at[2], const struct channel_band *band, double factor,
                            struct angle_spectrum *spectrum, pw_error *error);

/* Departures from the transmitter towards (x, y): by reciprocity arrivals at the transmitter of what a transmitter of
 * the result sends that stands at (x, y), where there is one. */
pw_status angles_of_departure(const struct result *result, const struct angle_ground *ground, int transmitter,
                              const double at[2], const pw_channel_options *options, double factor,
                              struct angle_spectrum *spectrum, pw_error *error);

/* The field that an antenna's azimuth cut takes in at (x, y), (frequency_count, 2) [V/m s]: every plane wave around the
 * place weighed by its amplitude towards where it comes from; the cut's phase is taken as even. PW_BAD_INPUT: no such
 * disc, with the reason and the receiver's `name`. */
pw_status angles_receive(const struct result *result, const struct angle_ground *ground, int transmitter,
                         const double at[2], const struct antenna *antenna, const char *name, double *field,
                         pw_error *error);
