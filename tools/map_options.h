/* What `map`, `coverage` and `calibrate` share: quantities by name, levels with their unit, the receiver, the local mean. */
#ifndef MAP_OPTIONS_H
#define MAP_OPTIONS_H

#include "tool.h"

enum { OPTION_LOCAL_MEAN = 1100, OPTION_MEAN, OPTION_GAIN, OPTION_NOISE_FIGURE, OPTION_BANDWIDTH };
#define MEAN_OPTIONS                                                                                                   \
    {"local-mean", no_argument, NULL, OPTION_LOCAL_MEAN},                                                              \
    {                                                                                                                  \
        "mean", required_argument, NULL, OPTION_MEAN                                                                   \
    }
#define RECEIVER_OPTIONS                                                                                               \
    {"gain", required_argument, NULL, OPTION_GAIN}, {"noise-figure", required_argument, NULL, OPTION_NOISE_FIGURE},    \
    {                                                                                                                  \
        "bandwidth", required_argument, NULL, OPTION_BANDWIDTH                                                         \
    }
#define MEAN_HELP                                                                                                      \
    "      --local-mean        average the power over a wavelength by a wavelength, as a moving receiver does\n"       \
    "      --mean WIDTH        the same over WIDTH by WIDTH, e.g. 0.5m\n"
#define RECEIVER_HELP                                                                                                  \
    "      --gain DBI          of the receiver, default 0 dBi\n"                                                       \
    "      --noise-figure DB   of the receiver, default 7 dB (snr, sinr)\n"                                            \
    "      --bandwidth HZ      over which it takes in noise, default 20 MHz (snr, sinr)\n"

/* Names of all quantities in the order of pw_quantity, NULL terminated. */
extern const char *const QUANTITY_NAMES[];

/* "-67", "-67dBm", "-67 dBm": a finite number, and behind it nothing or `unit`; another unit is an error that says which is meant. */
pw_status read_level(const struct option_reader *reader, const char *name, const char *text, const char *unit,
                     double *value);

/* Takes one of the options above; others go on to option_channel(). */
pw_status option_map(const struct option_reader *reader, int code, pw_map_options *options);

#endif
