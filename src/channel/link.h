/* A link: the channel from one transmitter of a result to a receiver or to a cell with running spectra, with everything
 * that is reported about it. Its files are in export/. */
#ifndef LINK_H
#define LINK_H

#include "channel/channel.h"
#include "result/result.h"

enum { LINK_PATH_LIMIT = 256, LINK_NAME_SIZE = 2 * NAME_SIZE };

struct channel_link {
    const struct result *result;                  /* borrowed */
    const struct result_transmitter *transmitter; /* borrowed */
    char name[LINK_NAME_SIZE];                    /* of the receiver, or "point (x, y) m" */
    double x, y;                                  /* m, where the field was taken */
    double gain;                                  /* dBi */
    struct channel_band band;                     /* owned */
    struct channel channel;                       /* owned */
    struct channel_delays delays;
    pw_metrics metrics;
    struct channel_path paths[LINK_PATH_LIMIT]; /* from the chosen window, padded eightfold at least */
    int path_count;
    double *taps; /* (tap_count, 2), owned: one tap a bin, no window, 2D to 3D applied: sum to the transfer function */
    double *tap_delay;     /* (tap_count) [s], owned */
    int tap_count;         /* 0: too few frequencies */
    double free_space_1_m; /* c/(4 pi fc 1 m), in amplitude */
};

/* The band of a transmitter's channels, with what its run knows for the guard on delays. PW_BAD_INPUT as
 * channel_band_create. */
pw_status link_band_create(const struct result *result, int transmitter, const pw_channel_options *options,
                           struct channel_band *band, pw_error *error);

#endif
