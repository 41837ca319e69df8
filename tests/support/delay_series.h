/* The field at many receivers over a long run, and from it the delays that a shorter run with fewer frequencies would
 * have reported, each with the guard's doubt: for the tests of the guard on delays and for validation/. */
#ifndef DELAY_SERIES_H
#define DELAY_SERIES_H

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/delay_guard.h"

enum { DELAY_DECIMATION = 4 }; /* of the series: the band lies far below the frequency that is left */

struct delay_series {
    int receivers;
    int64_t samples;  /* after decimation */
    double interval;  /* s, between samples */
    float *ez;        /* (receivers, samples), owned */
    double *distance; /* (receivers) [m], owned */
    double band_low, band_width;
    int64_t current_samples;
    double current_interval;
    const double *current; /* (current_samples) [A], borrowed: sample n at (n + 1/2) intervals */
    double pulse_centre;   /* s */
    int looks;
    const double *look_time, *look_energy; /* borrowed; against the largest */
};

/* What one receiver would have reported. */
struct delay_answer {
    double rms, mean, resolution; /* s */
    struct delay_doubt doubt;
};

static inline double delay_series_end(const struct delay_series *series)
{
    return (double)series->samples * series->interval;
}

/* Fields of all receivers at one frequency: sum of Ez exp(-j w t) over the samples up to `count`. */
static inline void delay_field(const struct delay_series *series, int64_t count, double frequency, double complex *out)
{
    float *wave = malloc(2 * (size_t)count * sizeof *wave);
    for (int64_t n = 0; n < count; n++) {
        double phase = 2.0 * M_PI * fmod(frequency * series->interval * ((double)n + 1.0 / DELAY_DECIMATION), 1.0);
        wave[n] = (float)cos(phase);
        wave[count + n] = (float)-sin(phase);
    }
    for (int r = 0; r < series->receivers; r++) {
        const float *ez = series->ez + (size_t)r * (size_t)series->samples;
        double re = 0.0, im = 0.0;
#pragma omp simd reduction(+ : re, im)
        for (int64_t n = 0; n < count; n++) {
            re += (double)(ez[n] * wave[n]);
            im += (double)(ez[n] * wave[count + n]);
        }
        out[r] = (re + I * im) * series->interval;
    }
    free(wave);
}

static inline double complex delay_current(const struct delay_series *series, double frequency, double end)
{
    double complex sum = 0.0;
    for (int64_t n = 0; n < series->current_samples && (double)n * series->current_interval < end; n++) {
        sum += series->current[n] * cexp(-2.0 * I * M_PI * frequency * ((double)n + 0.5) * series->current_interval);
    }
    return sum * series->current_interval;
}

/* The delays of a run that ends at `end` [s] with `count` frequencies: answers (receivers). False: no band. */
static inline bool delay_answers(const struct delay_series *series, double end, int count, pw_spreading mode,
                                 struct delay_answer *answers)
{
    int64_t samples = (int64_t)fmin((double)series->samples, round(end / series->interval));
    size_t receivers = (size_t)series->receivers, frequencies = (size_t)count;
    double complex *field = malloc(receivers * frequencies * sizeof *field);
    double complex *source = malloc(frequencies * sizeof *source);
    double *frequency = malloc(frequencies * sizeof *frequency);
#pragma omp parallel for schedule(dynamic)
    for (int f = 0; f < count; f++) {
        frequency[f] = series->band_low + series->band_width * f / (count - 1.0);
        source[f] = delay_current(series, frequency[f], end);
        delay_field(series, samples, frequency[f], field + (size_t)f * receivers);
    }
    int looks = 0;
    while (looks < series->looks && series->look_time[looks] <= end * (1.0 + 1e-9)) {
        looks++;
    }
    struct delay_record record = {.end = (double)samples * series->interval - series->pulse_centre,
                                  .pulse_centre = series->pulse_centre,
                                  .count = looks,
                                  .time = series->look_time,
                                  .energy = series->look_energy};
    struct channel_band band;
    struct channel channel;
    pw_error error;
    pw_channel_options options = pw_channel_options_default();
    options.spreading = mode;
    bool made = channel_band_create(2, frequency, count, (const double *)source, &options, &band, &error) == PW_OK &&
                channel_band_observe(&band, &record, &error) == PW_OK &&
                channel_create(&band, &channel, &error) == PW_OK;
    for (int r = 0; made && r < series->receivers; r++) {
        channel_set_field(&band, (const double *)(field + r), receivers, &channel);
        channel_transform(&band, series->distance[r], NULL, &channel);
        struct channel_delays delays = channel_delays(&band, &channel);
        answers[r] = (struct delay_answer){.rms = delays.rms_spread,
                                           .mean = delays.mean_excess,
                                           .resolution = channel_resolution(&band),
                                           .doubt = delay_guard(&band, &channel, &delays)};
    }
    if (made) {
        channel_free(&channel);
        channel_band_free(&band);
    }
    free(frequency);
    free(source);
    free(field);
    return made;
}

/* How a run of that length and that many frequencies does against converged spreads. */
struct delay_score {
    double flagged, wrong, missed, needless; /* shares: over the limit by the guard; over 10 % wrong; wrong and not
                                                flagged; flagged and less than 3 % wrong */
    double largest;                          /* relative error among those not flagged */
    double median;                           /* s, of the spreads as reported */
};

static inline int delay_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* `converged` (receivers) [s]; NAN where no run is long enough, so that everything has to be flagged there. */
static inline struct delay_score delay_score(const struct delay_series *series, double end, int count,
                                             pw_spreading mode, const double *converged)
{
    struct delay_answer *answers = calloc((size_t)series->receivers, sizeof *answers);
    double *sorted = calloc((size_t)series->receivers, sizeof *sorted);
    struct delay_score score = {0};
    bool made = delay_answers(series, end, count, mode, answers);
    for (int r = 0; made && r < series->receivers; r++) {
        double share = 1.0 / series->receivers, error = fabs(answers[r].rms / converged[r] - 1.0);
        /* Nothing is claimed of a spread below the resolution but that it is small. */
        bool small = answers[r].rms < answers[r].resolution && converged[r] < answers[r].resolution;
        error = isnan(error) ? INFINITY : small ? 0.0 : error;
        bool flagged = !(answers[r].doubt.rms_error <= DELAY_ERROR_LIMIT);
        score.flagged += flagged ? share : 0.0;
        score.wrong += error > 0.1 ? share : 0.0;
        score.missed += error > 0.1 && !flagged ? share : 0.0;
        score.needless += fabs(answers[r].rms / converged[r] - 1.0) < 0.03 && flagged ? share : 0.0;
        score.largest = flagged ? score.largest : fmax(score.largest, error);
        sorted[r] = isnan(answers[r].rms) ? 0.0 : answers[r].rms;
    }
    qsort(sorted, (size_t)series->receivers, sizeof *sorted, delay_ascending);
    score.median = sorted[series->receivers / 2];
    free(sorted);
    free(answers);
    return score;
}

#endif
