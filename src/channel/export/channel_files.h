/* One link, from a transmitter to a point, and the files that planwave writes about it. For channel_point.c, which
 * collects a link from a result, and the writers channel_files.c, channel_taps.c, channel_hdf5.c and channel_plot.c. */
#ifndef CHANNEL_FILES_H
#define CHANNEL_FILES_H

#include "channel/channel.h"
#include "result/result.h"

#include <stdio.h>

enum { PATH_LIMIT = 256, LINK_NAME_SIZE = 2 * NAME_SIZE };

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
    struct channel_path paths[PATH_LIMIT]; /* from the chosen window, padded eightfold at least */
    int path_count;
    double *taps; /* (tap_count, 2), owned: one tap a bin, no window, 2D to 3D applied: sum to the transfer function */
    double *tap_delay;     /* (tap_count) [s], owned */
    int tap_count;         /* 0: too few frequencies */
    double free_space_1_m; /* c/(4 pi fc 1 m), in amplitude */
};

/* A tap of a delay line: what lies between two minima of the PDP. */
struct channel_tap {
    double delay; /* s, since emission: centroid of the power */
    double power; /* linear; all taps together: 1 */
};
/* Taps of the PDP over the threshold, by delay; returns how many there are, of which at most `limit` are stored. */
int channel_taps(const struct channel_link *link, struct channel_tap *taps, int limit);

/* What every text file about a link opens with; `mark` begins a comment. */
void channel_text_head(FILE *file, const char *mark, const struct channel_link *link, const char *what);

/* "delay", "distance", "none" and what they mean, for headers. */
const char *channel_spreading_text(pw_spreading spreading);
const char *channel_window_name(pw_window window);

/* Each writes one file; PW_NO_RESOURCE when it cannot be written. */
pw_status channel_write_transfer(const struct channel_link *link, const char *path, pw_error *error);
pw_status channel_write_impulse(const struct channel_link *link, const char *path, pw_error *error);
pw_status channel_write_profile(const struct channel_link *link, const char *path, pw_error *error);
pw_status channel_write_tapped_delay_line(const struct channel_link *link, const char *path, pw_error *error);
pw_status channel_write_metrics(const struct channel_link *link, const char *path, pw_error *error);
pw_status channel_write_touchstone(const struct channel_link *link, const char *path, pw_error *error);
pw_status channel_write_hdf5(const struct channel_link *link, const char *path, pw_error *error);
pw_status channel_write_plot(const struct channel_link *link, const char *path, pw_error *error);

#endif
