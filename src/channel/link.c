/* Makes a link out of a result: takes the field at one receiver or cell, turns it into a channel, and hands its numbers
 * to callers. Files of it are written by export/. */
#include "channel/link.h"
#include "channel/delay_guard.h"

#include "base/constants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { PATH_PADDING = 8 };

/* X(f) = dt sum ez[n] exp(-j omega (n+1) dt): sample n was taken at the end of step n. */
void series_transform(const double *ez, int64_t samples, double time_step, const double *omega, int count, double *out)
{
    const int64_t stretch = 256; /* steps over which the phase is turned on before it is taken afresh */
#pragma omp parallel for schedule(static)
    for (int f = 0; f < count; f++) {
        double re = 0.0, im = 0.0, turn_re = cos(omega[f] * time_step), turn_im = -sin(omega[f] * time_step);
        for (int64_t first = 0; first < samples; first += stretch) {
            double phase = fmod(omega[f] * (double)(first + 1) * time_step, 2.0 * pi);
            double phasor_re = cos(phase), phasor_im = -sin(phase);
            for (int64_t n = first; n < samples && n < first + stretch; n++) {
                re += ez[n] * phasor_re;
                im += ez[n] * phasor_im;
                double next = phasor_re * turn_re - phasor_im * turn_im;
                phasor_im = phasor_re * turn_im + phasor_im * turn_re;
                phasor_re = next;
            }
        }
        out[2 * f] = re * time_step;
        out[2 * f + 1] = im * time_step;
    }
}

pw_status link_band_create(const struct result *result, int transmitter, const pw_channel_options *options,
                           struct channel_band *band, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    TRY(channel_band_create(result->frequency, result->frequency_count, from->spectrum, options, band, error));
    struct delay_record record = {.end = (double)from->samples * result->time_step - from->waveform_centre,
                                  .pulse_centre = from->waveform_centre,
                                  .count = from->energy_count,
                                  .time = from->energy_time,
                                  .energy = from->energy};
    pw_status status = channel_band_observe(band, &record, error);
    if (status != PW_OK) {
        channel_band_free(band);
    }
    return status;
}

static pw_status receiver_field(struct channel_link *link, int transmitter, const char *name, double *field,
                                pw_error *error)
{
    const struct result *result = link->result;
    int index = result_find_receiver(result, transmitter, name, error);
    if (index < 0) {
        return PW_BAD_INPUT;
    }
    const struct result_receiver *receiver = &link->transmitter->receivers[index];
    snprintf(link->name, sizeof link->name, "%s", receiver->name);
    link->x = receiver->x;
    link->y = receiver->y;
    link->gain = receiver->gain;
    if (receiver->row >= 0) {
        return result_read_spectra(result, transmitter, receiver->row, 1, receiver->column, 1, field, error);
    }
    int64_t samples = link->transmitter->samples;
    double *ez = allocate((size_t)samples, sizeof *ez, "the field at a receiver", error);
    if (ez == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = result_read_receiver(result, transmitter, index, ez, error);
    if (status == PW_OK) {
        series_transform(ez, samples, result->time_step, result->omega, result->frequency_count, field);
    }
    free(ez);
    return status;
}

/* Index of the nearest of `count` equally spaced values; -1 when `at` is more than a spacing outside. */
static int nearest_index(const double *axis, int count, double at)
{
    double spacing = count > 1 ? (axis[count - 1] - axis[0]) / (count - 1) : INFINITY;
    if (!(at >= axis[0] - spacing && at <= axis[count - 1] + spacing)) {
        return -1;
    }
    double index = count > 1 ? round((at - axis[0]) / spacing) : 0.0;
    return (int)fmax(0.0, fmin(count - 1, index));
}

pw_status link_cell(const struct result *result, int transmitter, const double *at, int *row, int *column,
                    pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    if (from->rows == 0 || from->columns == 0) {
        return fail(error, PW_BAD_INPUT,
                    "%s: no running spectra for transmitter '%s', so only receivers have a channel", result->path,
                    from->name);
    }
    *column = nearest_index(from->x_axis, from->columns, at[0]);
    *row = nearest_index(from->y_axis, from->rows, at[1]);
    if (*column < 0 || *row < 0) {
        return fail(error, PW_BAD_INPUT,
                    "point (%g, %g) m is outside the running spectra: x from %g to %g m, y from %g to %g m", at[0],
                    at[1], from->x_axis[0], from->x_axis[from->columns - 1], from->y_axis[0],
                    from->y_axis[from->rows - 1]);
    }
    return PW_OK;
}

static pw_status point_field(struct channel_link *link, int transmitter, const double *at, double *field,
                             pw_error *error)
{
    int row, column;
    TRY(link_cell(link->result, transmitter, at, &row, &column, error));
    link->x = link->transmitter->x_axis[column];
    link->y = link->transmitter->y_axis[row];
    snprintf(link->name, sizeof link->name, "point (%.3f, %.3f) m", link->x, link->y);
    return result_read_spectra(link->result, transmitter, row, 1, column, 1, field, error);
}

/* Paths, from the same window with finer bins. */
static pw_status link_paths(struct channel_link *link, const double *field, pw_error *error)
{
    pw_channel_options options = link->band.options;
    options.padding = options.padding > PATH_PADDING ? options.padding : PATH_PADDING;
    struct channel_band band;
    struct channel channel;
    TRY(channel_band_create(link->result->frequency, link->result->frequency_count, link->transmitter->spectrum,
                            &options, &band, error));
    pw_status status = channel_create(&band, &channel, error);
    if (status == PW_OK) {
        channel_set_field(&band, field, 1, &channel);
        channel_transform(&band, link->metrics.distance, &channel);
        int found = channel_paths(&band, &channel, link->paths, LINK_PATH_LIMIT);
        link->path_count = found < LINK_PATH_LIMIT ? found : LINK_PATH_LIMIT;
        channel_free(&channel);
    }
    channel_band_free(&band);
    return status;
}

void channel_plain_response(const struct channel_band *band, const struct channel *channel, int f, double *re,
                            double *im)
{
    double phase = -2.0 * pi * band->frequency[f] / SPEED_OF_LIGHT;
    double scale = sqrt(channel->spreading_gain) * SPEED_OF_LIGHT / (4.0 * pi * band->centre);
    double gr = channel->transfer[2 * f], gi = channel->transfer[2 * f + 1];
    *re = scale * (gr * cos(phase) - gi * sin(phase));
    *im = scale * (gr * sin(phase) + gi * cos(phase));
}

void channel_taps_fill(const struct channel_band *band, const struct channel *channel, double *taps, double *delay)
{
    double share = (double)band->usable_count / band->frequency_count; /* masked frequencies stay zero */
    for (int n = 0; n < band->tap_count; n++) {
        delay[n] = channel_delay(band, n);
        channel_coefficient(band, channel, n, delay[n], &taps[2 * n], &taps[2 * n + 1]);
        taps[2 * n] *= share;
        taps[2 * n + 1] *= share;
    }
}

/* Taps without window or padding: their sum is the transfer function again. */
static pw_status link_taps(struct channel_link *link, const double *field, pw_error *error)
{
    pw_channel_options options = link->band.options;
    options.padding = 1;
    options.window = PW_WINDOW_RECT;
    struct channel_band band;
    struct channel channel;
    TRY(channel_band_create(link->result->frequency, link->result->frequency_count, link->transmitter->spectrum,
                            &options, &band, error));
    pw_status status = channel_create(&band, &channel, error);
    size_t count = (size_t)band.tap_count;
    link->taps = allocate(2 * count, sizeof *link->taps, "taps", error);
    link->tap_delay = allocate(count, sizeof *link->tap_delay, "taps", error);
    if (status == PW_OK && (link->taps == NULL || link->tap_delay == NULL)) {
        status = PW_NO_RESOURCE;
        channel_free(&channel);
    }
    if (status == PW_OK) {
        channel_set_field(&band, field, 1, &channel);
        channel_transform(&band, link->metrics.distance, &channel);
        link->tap_count = band.tap_count;
        channel_taps_fill(&band, &channel, link->taps, link->tap_delay);
        channel_free(&channel);
    }
    channel_band_free(&band);
    return status;
}

static pw_status link_evaluate(struct channel_link *link, const double *field, pw_error *error)
{
    TRY(channel_create(&link->band, &link->channel, error));
    double distance = hypot(link->x - link->transmitter->x, link->y - link->transmitter->y);
    channel_set_field(&link->band, field, 1, &link->channel);
    channel_transform(&link->band, distance, &link->channel);
    link->delays = channel_delays(&link->band, &link->channel);
    link->metrics = channel_metrics(&link->band, &link->channel, link->transmitter->power, link->gain);
    link->free_space_1_m = SPEED_OF_LIGHT / (4.0 * pi * link->band.centre);
    TRY(link_paths(link, field, error));
    return link_taps(link, field, error);
}

pw_status link_transmitter_check(const struct result_transmitter *transmitter, pw_error *error)
{
    return transmitter->soft ? PW_OK
                             : fail(error, PW_BAD_INPUT,
                                    "transmitter '%s' is a hard source, which imposes a field; its current is not "
                                    "known, so it has no channel",
                                    transmitter->name);
}

static pw_status link_collect(struct channel_link *link, int transmitter, const char *receiver, const double *at,
                              const pw_channel_options *options, pw_error *error)
{
    const struct result *result = link->result;
    TRY(link_transmitter_check(link->transmitter, error));
    TRY(link_band_create(result, transmitter, options, &link->band, error));
    double *field = allocate(2 * (size_t)result->frequency_count, sizeof *field, "a spectrum", error);
    if (field == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = receiver == NULL && at != NULL ? point_field(link, transmitter, at, field, error)
                                                      : receiver_field(link, transmitter, receiver, field, error);
    if (status == PW_OK) {
        status = link_evaluate(link, field, error);
    }
    free(field);
    return status;
}

pw_status pw_channel_create(const pw_result *result, const char *transmitter, const char *receiver, const double *at,
                            const pw_channel_options *options, pw_channel **channel, pw_error *error)
{
    pw_channel_options defaults = pw_channel_options_default();
    options = options != NULL ? options : &defaults;
    if (result == NULL || channel == NULL) {
        return fail(error, PW_USAGE, "pw_channel_create: no %s given",
                    result == NULL ? "result" : "place for a channel");
    }
    *channel = NULL;
    if (receiver == NULL && at != NULL && !(isfinite(at[0]) && isfinite(at[1]))) {
        return fail(error, PW_USAGE, "point (%g, %g) m: both coordinates must be finite", at[0], at[1]);
    }
    int index = result_find_transmitter(result, transmitter, error);
    if (index < 0) {
        return PW_BAD_INPUT;
    }
    struct channel_link *link = allocate(1, sizeof *link, "a link", error);
    if (link == NULL) {
        return PW_NO_RESOURCE;
    }
    link->result = result;
    link->transmitter = &result->transmitters[index];
    pw_status status = link_collect(link, index, receiver, at, options, error);
    if (status != PW_OK) {
        pw_channel_free(link);
        return status;
    }
    *channel = link;
    return PW_OK;
}

void pw_channel_free(pw_channel *channel)
{
    if (channel == NULL) {
        return;
    }
    channel_free(&channel->channel);
    channel_band_free(&channel->band);
    free(channel->taps);
    free(channel->tap_delay);
    free(channel);
}

/* sum taps exp(-j 2 pi (f - fc) tau): the transfer function with 2D to 3D applied. */
static void taps_sum(const struct channel_link *link, double frequency, double *re, double *im)
{
    *re = *im = 0.0;
    for (int n = 0; n < link->tap_count; n++) {
        double phase = -2.0 * pi * (frequency - link->band.centre) * link->tap_delay[n];
        *re += link->taps[2 * n] * cos(phase) - link->taps[2 * n + 1] * sin(phase);
        *im += link->taps[2 * n] * sin(phase) + link->taps[2 * n + 1] * cos(phase);
    }
}

void link_response(const struct channel_link *link, int f, double *re, double *im)
{
    if (link->tap_count > 0) {
        taps_sum(link, link->band.frequency[f], re, im);
        *re *= link->free_space_1_m;
        *im *= link->free_space_1_m;
    } else {
        channel_plain_response(&link->band, &link->channel, f, re, im);
    }
}

/* ---- numbers for the caller ---- */

pw_channel_facts pw_channel_describe(const pw_channel *channel)
{
    return (pw_channel_facts){.name = channel->name,
                              .x = channel->x,
                              .y = channel->y,
                              .gain = channel->gain,
                              .centre = channel->band.centre,
                              .frequency_count = channel->band.frequency_count,
                              .delay_count = channel->band.tap_count,
                              .delay_step = channel->band.tap_count > 0 ? channel->band.bin : 0.0,
                              .path_count = channel->path_count};
}

pw_metrics pw_channel_metrics(const pw_channel *channel)
{
    return channel->metrics;
}

/* `count` values of a field of the channel, where the caller wants them. */
static void values_copy(double *out, const double *values, int count)
{
    if (out != NULL) {
        memcpy(out, values, (size_t)count * sizeof *out);
    }
}

static void delays_fill(const struct channel_band *band, double *delay)
{
    for (int n = 0; delay != NULL && n < band->tap_count; n++) {
        delay[n] = channel_delay(band, n);
    }
}

static pw_status channel_check(const pw_channel *channel, const char *function, pw_error *error)
{
    return channel != NULL ? PW_OK : fail(error, PW_USAGE, "%s: no channel given", function);
}

pw_status pw_channel_transfer(const pw_channel *channel, double *frequency, double *transfer, pw_error *error)
{
    TRY(channel_check(channel, __func__, error));
    const struct channel_band *band = &channel->band;
    values_copy(frequency, band->frequency, band->frequency_count);
    values_copy(transfer, channel->channel.transfer, 2 * band->frequency_count);
    for (int f = 0; transfer != NULL && f < band->frequency_count; f++) {
        if (!band->usable[f]) {
            transfer[2 * f] = transfer[2 * f + 1] = NAN;
        }
    }
    return PW_OK;
}

pw_status pw_channel_response(const pw_channel *channel, double *frequency, double *response, pw_error *error)
{
    TRY(channel_check(channel, __func__, error));
    const struct channel_band *band = &channel->band;
    values_copy(frequency, band->frequency, band->frequency_count);
    for (int f = 0; response != NULL && f < band->frequency_count; f++) {
        response[2 * f] = response[2 * f + 1] = NAN;
        if (band->usable[f]) {
            link_response(channel, f, &response[2 * f], &response[2 * f + 1]);
        }
    }
    return PW_OK;
}

pw_status pw_channel_impulse(const pw_channel *channel, double *delay, double *impulse, pw_error *error)
{
    TRY(channel_check(channel, __func__, error));
    const struct channel_band *band = &channel->band;
    delays_fill(band, delay);
    for (int n = 0; impulse != NULL && n < band->tap_count; n++) {
        channel_coefficient(band, &channel->channel, n, channel_delay(band, n), &impulse[2 * n], &impulse[2 * n + 1]);
    }
    return PW_OK;
}

pw_status pw_channel_profile(const pw_channel *channel, double *delay, double *power, pw_error *error)
{
    TRY(channel_check(channel, __func__, error));
    delays_fill(&channel->band, delay);
    values_copy(power, channel->channel.power, channel->band.tap_count);
    return PW_OK;
}

pw_status pw_channel_paths(const pw_channel *channel, double *delay, double *amplitude, pw_error *error)
{
    TRY(channel_check(channel, __func__, error));
    for (int n = 0; n < channel->path_count; n++) {
        const struct channel_path *path = &channel->paths[n];
        if (delay != NULL) {
            delay[n] = path->delay;
        }
        if (amplitude != NULL) {
            amplitude[2 * n] = path->re;
            amplitude[2 * n + 1] = path->im;
        }
    }
    return PW_OK;
}
