/* A link: the channel from one transmitter of a result to a receiver or to a cell with running spectra, with everything
 * that is reported about it. Its files are in export/. */
#pragma once

#include "channel/channel.h"
#include "channel/place/place.h"
#include "result/result.h"

enum { LINK_PATH_LIMIT = 256, LINK_NAME_SIZE = PLACE_NAME_SIZE };

struct channel_link {
    const struct result *result;                  /* borrowed */
    const struct result_transmitter *transmitter; /* borrowed */
    struct place place;                           /* where the field was taken, and which component */
    struct channel_band band;                     /* owned */
    struct channel channel;                       /* owned */
    struct channel_delays delays;
    pw_metrics metrics;
    struct channel_path paths[LINK_PATH_LIMIT]; /* from the chosen window, padded eightfold at least */
    int path_count;
    double *taps; /* (tap_count, 2), owned: one tap a bin, no window, 2D to 3D applied: sum to the transfer function */
    double *tap_delay;          /* (tap_count) [s], owned */
    int tap_count;              /* 0: too few frequencies */
    double free_space_1_m;      /* c/(4 pi fc 1 m), in amplitude */
    struct link_angles *angles; /* owned: NULL until somebody keeps them (angles/link_angles.h) */
};

/* The band of a transmitter's channels, with what its run knows for the guard on delays. PW_BAD_INPUT as
 * channel_band_create. */
pw_status link_band_create(const struct result *result, int transmitter, const pw_channel_options *options,
                           struct channel_band *band, pw_error *error);

/* With PW_SPREADING_STOREY gives a band the storey of the result, with PW_SPREADING_DIFFUSE the scattered waves, else
 * does nothing. PW_USAGE: with a storey, the transmitter's height, or that of the options, is not in it. */
pw_status link_band_storey(const struct result *result, int transmitter, struct channel_band *band, pw_error *error);

/* PW_USAGE: with PW_SPREADING_STOREY, a receiver of a height [m] that is not in the storey. */
pw_status link_height_check(const struct result *result, const pw_channel_options *options, const char *receiver,
                            double height, pw_error *error);

/* PW_BAD_INPUT for a hard source. */
pw_status link_transmitter_check(const struct result_transmitter *transmitter, pw_error *error);

/* The power across the field that is received over that in it [dB]: `all` (3, frequency_count, 2) and `field`
 * (frequency_count, 2); leaves the transfer function of `field` in the channel. */
double channel_cross_polar(const struct channel_band *band, struct channel *channel, const double *all,
                           const double *field);

/* The sum of channel_taps_fill() at frequency f (index), where there are too few frequencies for taps: one factor for
 * the spreading, the delay of the 1 m reference given back. Between isotropic antennas. */
void channel_plain_response(const struct channel_band *band, const struct channel *channel, int f, double *re,
                            double *im);

/* H at frequency f (index) between isotropic antennas, spread from two dimensions to three, as plots and exports of all
 * pairs have it: c/(4 pi fc 1 m) times the channel relative to free space at 1 m. It is the sum of a exp(-j 2 pi (f -
 * fc) tau) over the taps where there are any. */
void link_response(const struct channel_link *link, int f, double *re, double *im);
