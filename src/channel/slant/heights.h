/* Which heights count for the links of a result in two dimensions, and how outputs say so. A height is a transmitter's
 * or receiver's own, or, where it has none, that of the options; where one of the two ends has neither, the link is
 * level, as it was solved. */
#pragma once

#include "api/channel.h"
#include "base/status.h"
#include "channel/slant/slant.h"
#include "result/result.h"

/* PW_USAGE: heights of the options that are not finite, or for a result in three dimensions, which has its own. */
pw_status heights_check(int dimensions, const pw_channel_options *options, pw_error *error);

/* PW_USAGE: a receiver height of the options that cannot count, since the transmitter has none. */
pw_status heights_check_transmitter(const struct result *result, const struct result_transmitter *from,
                                    const pw_channel_options *options, pw_error *error);

/* m, or NAN. Of a receiver pass its own, NAN where it has none. */
double height_of_transmitter(const struct result_transmitter *from, const pw_channel_options *options);
double height_of_receiver(double own, const pw_channel_options *options);

/* The receiver's end of a link: x and y [m], its height [m], NAN where it is not known, and its antenna. */
struct slant_end {
    double x, y, height;
    struct antenna antenna;
};

/* The link to such an end. Nothing in three dimensions. */
struct slant slant_between(const struct result *result, const struct result_transmitter *from,
                           const struct slant_end *to, const pw_channel_options *options);

/* How powers went from two dimensions to three, heights included: pw_spreading_text, and, where a height counts,
 * whose it is. `transmitter` -1: all of the result; `height` that of the receiver, NAN where it is not known, INFINITY
 * for many with heights of their own. Returns `text`. */
enum { HEIGHTS_TEXT = PW_SPREADING_SIZE };
const char *heights_spreading_text(const struct result *result, int transmitter, double height,
                                   const pw_channel_options *options, char text[HEIGHTS_TEXT]);

/* The same in few words, for pictures: "2D to 3D by delay, 2.6 m to 1.5 m". */
const char *heights_spreading_words(const struct result *result, int transmitter, double height,
                                    const pw_channel_options *options, char text[HEIGHTS_TEXT]);
