/* The guard on delays by a receiver's own series (own_decay.h). */
#include "channel/place/own_decay.h"

#include "channel/delay_guard.h"

#include <math.h>
#include <stdlib.h>

/* Windows to an arrival's length. Longer ones know nothing of a field that falls within an arrival, as behind a wall
 * when the run ends soon after. */
static const double PER_ARRIVAL = 4.0;

/* Mean powers of the whole windows of the series, the last of which ends with it; returns how many there are. */
static int looks_fill(const double *series, int64_t samples, int64_t window, double *power)
{
    int count = 0;
    for (int64_t first = samples % window; first + window <= samples; first += window) {
        double sum = 0.0;
        for (int64_t n = first; n < first + window; n++) {
            sum += series[n] * series[n];
        }
        power[count++] = sum / (double)window;
    }
    return count;
}

/* Hands the band the power at the place against its largest. */
static pw_status band_observe(const struct result *result, const struct result_transmitter *from, const double *series,
                              struct channel_band *band, pw_error *error)
{
    double looks[2 * OWN_LOOKS], most = 0.0, length = from->waveform_length;
    double width = length > 0.0 ? fmin(length, channel_resolution(band)) : channel_resolution(band);
    double least = (double)from->samples / OWN_LOOKS, *time = looks + OWN_LOOKS;
    int64_t window = (int64_t)ceil(fmax(width / (PER_ARRIVAL * result->time_step), least));
    int count = looks_fill(series, from->samples, window, looks);
    for (int n = 0; n < count; n++) {
        most = fmax(most, looks[n]);
        time[n] = ((double)(from->samples % window) + ((double)n + 0.5) * (double)window) * result->time_step;
    }
    if (!(most > 0.0)) {
        return PW_OK;
    }
    for (int n = 0; n < count; n++) {
        looks[n] /= most;
    }
    const struct delay_record record = {.end = (double)from->samples * result->time_step - from->waveform_centre,
                                        .pulse_centre = from->waveform_centre,
                                        .pulse_length = from->waveform_length,
                                        .of_place = true,
                                        .count = count,
                                        .time = time,
                                        .energy = looks};
    return channel_band_observe(band, &record, error);
}

pw_status own_band_create(const struct result *result, int transmitter, const struct place *place,
                          const pw_channel_options *options, struct channel_band *band, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    *band = (struct channel_band){0};
    if (place->receiver < 0 || from->energy_count == 0 || result->frequency_count < MINIMUM_FREQUENCIES) {
        return PW_OK;
    }
    double *series = allocate((size_t)from->samples, sizeof *series, "the field at a receiver", error);
    pw_status status = series == NULL ? PW_NO_RESOURCE : place_series(result, transmitter, place, series, error);
    if (status == PW_OK) {
        status = channel_band_create(result->dimensions, result->frequency, result->frequency_count, from->spectrum,
                                     options, band, error);
        status = status == PW_OK && band->tap_count > 0 ? band_observe(result, from, series, band, error) : status;
    }
    free(series);
    if (status != PW_OK) {
        channel_band_free(band);
    }
    return status;
}

void own_band_doubt(const struct channel_band *own, const struct channel *channel, const struct channel_delays *delays,
                    pw_metrics *metrics)
{
    if (!own->observed) {
        return;
    }
    struct delay_doubt doubt = delay_guard(own, channel, delays);
    if (doubt.rms_error > metrics->rms_error) {
        metrics->rms_error = doubt.rms_error;
        metrics->delay_cause = doubt.cause != PW_DELAY_SOUND ? doubt.cause : metrics->delay_cause;
    }
    metrics->mean_error = fmax(metrics->mean_error, doubt.mean_error);
}
