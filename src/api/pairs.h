/* Channels of many pairs: from every transmitter to every receiver or point that is named, as arrays and as one HDF5
 * file in the (a, tau) shapes of Sionna. Memory stays bounded: pairs are worked through in groups. */
#ifndef PLANWAVE_PAIRS_H
#define PLANWAVE_PAIRS_H

#include "api/channel.h"

#include <stdbool.h>

PW_C_BEGIN

/* Where a channel ends: a receiver of the result, or a point. The field of a point is interpolated between the cells
 * with running spectra where these stand at most a quarter of a wavelength apart, and else is that of the nearest. */
typedef struct pw_place {
    const char *receiver; /* NULL: the point */
    double x, y;          /* m: the point */
    const char *name;     /* of the point in files; NULL: "point (x, y) m" */
    bool has_height; /* in three dimensions: the point is taken in the plane nearest to this height [m], and not in */
    double height;   /* that of the chosen sheet; in two: how high it is, in place of options.receiver_height */
} pw_place;

typedef struct pw_pairs_options {
    /* (transmitter_count); none: all of the result. The name of a station stands for all of its antennas, here and in
     * places. */
    const char *const *transmitters;
    int transmitter_count;
    const pw_place *places; /* (place_count); none: all receivers of the result */
    int place_count;
    /* Where H is wanted (frequency_count) [Hz], within those that were solved; none: at those of the spectra. Receivers
     * that were recorded at every step have it as the sum over their record, others as the best interpolation between
     * the spectra, which is refused where it would be off by more than a tenth. */
    const double *frequencies;
    int frequency_count;
    pw_channel_options channel; /* window and thresholds are those of the metrics; taps have no window */
    bool profiles;              /* files: the power-delay profiles as well */
    bool batch;         /* files: a leading axis of one for the batch, as Sionna's PHY has it; else as Paths.cir() */
    pw_monitor monitor; /* told how far it is; default: nobody */
} pw_pairs_options;
pw_pairs_options pw_pairs_options_default(void);

enum { PW_PAIRS_NOTE = 320 };
typedef struct pw_pairs_shape {
    int receiver_count, transmitter_count; /* places are the receivers, in the order asked for */
    int tap_count;                         /* 0: the band has too few frequencies for delays */
    int frequency_count;                   /* of H */
    double centre;                         /* Hz: the carrier of the coefficients */
    /* Antennas of a receiver: one of Ez in two dimensions; in three one for each component that was kept at all places,
     * or that which the options name; PW_COMPONENT_OWN where receivers are antennas of arrays. */
    int port_count;
    pw_component port[3];
    /* Receivers, and transmitters, that are antennas of one station: 4 of arrays of 4, which stand one after the other;
     * 1: each is a station on its own; 0: some stations have more than others, or are not here whole. */
    int receiver_ports, transmitter_ports;
    int delay_count;          /* of the profiles, windowed and padded as the options say; 0 as tap_count */
    char note[PW_PAIRS_NOTE]; /* that several points are one, with what would tell them apart; empty: they are not */
} pw_pairs_shape;

/* PW_BAD_INPUT: a transmitter or receiver that is not there, a hard source, a point outside the running spectra, or
 * transmitters that differ in band or cells. NULL options mean the defaults, here and below. */
pw_status pw_pairs_describe(const pw_result *result, const pw_pairs_options *options, pw_pairs_shape *shape,
                            pw_error *error);

/* Buffers of the caller; any may be NULL. */
typedef struct pw_pairs {
    double *frequency;   /* (frequency_count) [Hz] */
    double *position;    /* (receiver_count, 2) [m]: where the field was taken */
    double *height;      /* (receiver_count) [m]: its height, in two dimensions NAN unless it was given */
    double *coefficient; /* a (receiver_count, port_count, transmitter_count, tap_count, re/im), between isotropic
                            antennas */
    double *delay;       /* tau (receiver_count, transmitter_count, tap_count) [s], since emission */
    double *response;    /* H (receiver_count, port_count, transmitter_count, frequency_count, re/im) = sum a
                            exp(-j 2 pi (f - centre) tau), as plots show it; NAN where masked */
    double *error;       /* (receiver_count, transmitter_count): estimated relative error of H, rms, where frequencies
                            were asked for; 0 at those of the spectra */
    double *profile_delay, *profile; /* (receiver_count, transmitter_count, delay_count): as pw_channel_profile has
                                        them, [s] and linear, relative to free space at 1 m */
    pw_metrics *metrics; /* (receiver_count, transmitter_count): of what each receiver takes in by its polarisation */
} pw_pairs;

/* Fills the buffers. For very many pairs call it with some places at a time. */
pw_status pw_pairs_compute(const pw_result *result, const pw_pairs_options *options, const pw_pairs *pairs,
                           pw_error *error);

/* Writes all pairs as HDF5 to `path`, and their metrics as CSV, a line a pair, to `csv_path` (may be NULL); both files
 * or none. Prints the metrics of the first pairs to `report` (may be NULL). */
pw_status pw_pairs_write(const pw_result *result, const pw_pairs_options *options, const char *path,
                         const char *csv_path, FILE *report, pw_error *error);

/* Writes the channel of one transmitting and one receiving station as a multiport, Touchstone 1: ports are the antennas
 * of the transmitter, then those of the receiver. PW_BAD_INPUT: several stations, or a name that does not end in .sNp
 * with their number of antennas. */
pw_status pw_pairs_write_touchstone(const pw_result *result, const pw_pairs_options *options, const char *path,
                                    pw_error *error);
/* Writes H alone: a `path` that ends in .npy as complex64 (receiver, port, transmitter, frequency), of one port
 * (receiver, transmitter, frequency); else as CSV, a line a frequency. */
pw_status pw_pairs_write_response(const pw_result *result, const pw_pairs_options *options, const char *path,
                                  pw_error *error);

/* ---- frequencies of signals ---- */

/* Subcarriers about `centre` [Hz], or about what follows an @: "64x312.5kHz", "wifi6-80", "nr-100MHz-30kHz@3.5GHz".
 * Fills `frequency` (count; may be NULL, to count them). PW_USAGE: none are called so. */
pw_status pw_subcarriers(const char *text, double centre, double *frequency, int *count, pw_error *error);
/* The names, for help. */
const char *pw_subcarriers_names(void);

PW_C_END

#endif
