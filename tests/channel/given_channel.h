/* Channels with a wanted transfer function, for tests of what is computed from one. */
#ifndef GIVEN_CHANNEL_H
#define GIVEN_CHANNEL_H

#include "base/numbers/hankel.h"
#include "channel/channel.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double c0 = 299792458.0;

/* 232 frequencies over 600 MHz around 2.4 GHz, as in the example scenario. */
enum { COUNT = 232 };
static const double lowest = 2.1e9, spacing = 600e6 / (COUNT - 1);

static inline double complex reference_field(double frequency, double distance)
{
    double re, im;
    line_current_field(frequency, distance, &re, &im);
    return re + I * im;
}

static uint64_t random_state = 88172645463325252u;

static inline double random_uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* A band with a current of 1 A s at every frequency. */
static inline void band_make(double first, double step, int count, pw_channel_options options,
                             struct channel_band *band)
{
    double *frequency = calloc((size_t)count, sizeof *frequency), *current = calloc(2 * (size_t)count, sizeof *current);
    for (int f = 0; f < count; f++) {
        frequency[f] = first + f * step;
        current[2 * f] = 1.0;
    }
    pw_error error;
    assert_int_equal(channel_band_create(2, frequency, count, current, &options, band, &error), PW_OK);
    free(frequency);
    free(current);
}

/* Gives the channel a wanted transfer function. */
static inline void channel_give(const struct channel_band *band, const double complex *gain, struct channel *channel)
{
    double *ez = calloc(2 * (size_t)band->frequency_count, sizeof *ez);
    for (int f = 0; f < band->frequency_count; f++) {
        double complex field = gain[f] * reference_field(band->frequency[f], 1.0);
        ez[2 * f] = creal(field);
        ez[2 * f + 1] = cimag(field);
    }
    pw_error error;
    assert_int_equal(channel_create(band, channel, &error), PW_OK);
    channel_set_field(band, ez, 1, channel);
    free(ez);
}

/* One path in G: amplitude at delay since emission; G itself is relative to 1 m. */
static inline double complex ray(double frequency, double amplitude, double delay)
{
    return amplitude * cexp(-I * 2.0 * pi * frequency * (delay - 1.0 / c0));
}

static inline pw_channel_options options_make(pw_window window, int padding, pw_spreading spreading)
{
    pw_channel_options options = pw_channel_options_default();
    options.window = window;
    options.padding = padding;
    options.spreading = spreading;
    return options;
}

static inline double decibel(double power)
{
    return 10.0 * log10(power);
}

#endif
