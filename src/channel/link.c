/* Makes a link out of a result: takes the field at one receiver or cell, turns it into a channel, and hands its numbers
 * to callers. Files of it are written by export/. */
#include "channel/link.h"
#include "channel/angles/angles.h"
#include "channel/delay_guard.h"
#include "channel/place/grid_phase.h"
#include "channel/place/own_decay.h"
#include "channel/slant/heights.h"

#include "base/constants.h"

#include <math.h>
#include <string.h>

enum { PATH_PADDING = 8 };

pw_status link_height_check(const struct result *result, const pw_channel_options *options, const char *receiver,
                            double height, pw_error *error)
{
    struct storey storey;
    char whose[NAME_SIZE + 16];
    if (options->spreading != PW_SPREADING_STOREY) {
        return PW_OK;
    }
    TRY(storey_of_result(result, &storey, error));
    snprintf(whose, sizeof whose, "receiver '%s'", receiver);
    return storey_holds(&storey, whose, height, error);
}

pw_status link_band_storey(const struct result *result, int transmitter, struct channel_band *band, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    struct storey storey;
    char whose[NAME_SIZE + 16];
    if (band->options.spreading != PW_SPREADING_STOREY && band->options.spreading != PW_SPREADING_DIFFUSE) {
        return PW_OK;
    }
    TRY(storey_of_result(result, &storey, error));
    if (band->options.spreading == PW_SPREADING_DIFFUSE) {
        return diffuse_create(result, transmitter, &storey, band, &band->diffuse, error);
    }
    snprintf(whose, sizeof whose, "transmitter '%s'", from->name);
    TRY(storey_holds(&storey, whose, height_of_transmitter(from, &band->options), error));
    TRY(storey_holds(&storey, "receivers", band->options.receiver_height, error));
    if (storey_is_open(&storey)) {
        TRY(result_over_read(result, transmitter, error));
        band->over = result;
        band->transmitter = transmitter;
    }
    return channel_band_storey(band, &storey, result->horizontal, error);
}

pw_status link_band_create(const struct result *result, int transmitter, const pw_channel_options *options,
                           struct channel_band *band, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    TRY(heights_check_transmitter(result, from, options, error));
    TRY(channel_band_create(result->dimensions, result->frequency, result->frequency_count, from->spectrum, options,
                            band, error));
    struct delay_record record = {.end = (double)from->samples * result->time_step - from->waveform_centre,
                                  .pulse_centre = from->waveform_centre,
                                  .pulse_length = from->waveform_length,
                                  .count = from->energy_count,
                                  .time = from->energy_time,
                                  .energy = from->energy};
    pw_status status = channel_band_observe(band, &record, error);
    status = status == PW_OK ? link_band_storey(result, transmitter, band, error) : status;
    if (status != PW_OK) {
        channel_band_free(band);
    }
    return status;
}

/* Ez as the pattern of a receiver takes it in. */
static pw_status field_weigh(const struct channel_link *link, int transmitter, double *field, pw_error *error)
{
    const struct place *place = &link->place;
    OWNED_BY(angle_ground_free) struct angle_ground ground = {0};
    TRY(angle_ground_create(link->result, &ground, error));
    return angles_receive(link->result, &ground, transmitter, (const double[]){place->x, place->y}, &place->antenna,
                          place->name, field, error);
}

/* The field that is received: E along the place's direction, the sum of its components. `all` (3, frequency_count, 2)
 * is filled with those that were kept. */
static pw_status field_read(struct channel_link *link, int transmitter, double *all, double *field, pw_error *error)
{
    size_t count = 2 * (size_t)link->result->frequency_count;
    memset(field, 0, count * sizeof *field);
    for (int c = 0; c < 3; c++) {
        double *one = all + (size_t)c * count, share = link->place.along[c];
        if (!place_has(&link->place, c)) {
            continue;
        }
        TRY(link->place.antenna.kind == ANTENNA_PATTERN
                ? field_weigh(link, transmitter, one, error)
                : place_read(link->result, transmitter, &link->place, c, one, error));
        for (size_t n = 0; share != 0.0 && n < count; n++) {
            field[n] += share * one[n];
        }
    }
    return PW_OK;
}

double channel_cross_polar(const struct channel_band *band, struct channel *channel, const double *all,
                           const double *field)
{
    size_t count = 2 * (size_t)band->frequency_count;
    double total = 0.0;
    for (size_t c = 0; c < 3; c++) {
        channel_set_field(band, all + c * count, 1, channel);
        total += channel_mean_gain(band, channel);
    }
    channel_set_field(band, field, 1, channel);
    double own = channel_mean_gain(band, channel);
    return own > 0.0 ? 10.0 * log10(fmax(total - own, 0.0) / own) : NAN; /* -INFINITY: nothing is across it */
}

/* The link's channel in another band of the same frequencies, whose window or bins differ. */
static void link_repeat(const struct channel_link *link, const double *field, const struct channel_band *band,
                        struct channel *channel)
{
    if (link->band.storey != NULL) { /* the way through it is done */
        memcpy(channel->transfer, link->channel.transfer, 2 * (size_t)band->frequency_count * sizeof(double));
    } else {
        channel_set_field(band, field, 1, channel);
    }
    channel_transform(band, link->channel.distance, &link->channel.slant, channel);
}

/* Paths, from the same window with finer bins. */
static pw_status link_paths(struct channel_link *link, const double *field, pw_error *error)
{
    pw_channel_options options = link->band.options;
    options.padding = options.padding > PATH_PADDING ? options.padding : PATH_PADDING;
    OWNED_BY(channel_band_free) struct channel_band band = {0};
    struct channel channel;
    TRY(channel_band_create(link->result->dimensions, link->result->frequency, link->result->frequency_count,
                            link->transmitter->spectrum, &options, &band, error));
    TRY(channel_create(&band, &channel, error));
    link_repeat(link, field, &band, &channel);
    int found = channel_paths(&band, &channel, link->paths, LINK_PATH_LIMIT);
    link->path_count = found < LINK_PATH_LIMIT ? found : LINK_PATH_LIMIT;
    channel_free(&channel);
    return PW_OK;
}

void channel_plain_response(const struct channel_band *band, const struct channel *channel, int f, double *re,
                            double *im)
{
    double phase = -2.0 * M_PI * band->frequency[f] / SPEED_OF_LIGHT;
    double scale = sqrt(channel->spreading_gain) * SPEED_OF_LIGHT / (4.0 * M_PI * band->centre);
    double gr = channel->transfer[2 * f], gi = channel->transfer[2 * f + 1];
    *re = scale * (gr * cos(phase) - gi * sin(phase));
    *im = scale * (gr * sin(phase) + gi * cos(phase));
}

/* Taps without window or padding: their sum is the transfer function again. */
static pw_status link_taps(struct channel_link *link, const double *field, pw_error *error)
{
    pw_channel_options options = link->band.options;
    options.padding = 1;
    options.window = PW_WINDOW_RECT;
    OWNED_BY(channel_band_free) struct channel_band band = {0};
    OWNED_BY(channel_free) struct channel channel = {0};
    TRY(channel_band_create(link->result->dimensions, link->result->frequency, link->result->frequency_count,
                            link->transmitter->spectrum, &options, &band, error));
    TRY(channel_create(&band, &channel, error));
    size_t count = (size_t)band.tap_count;
    link->taps = allocate(2 * count, sizeof *link->taps, "taps", error);
    link->tap_delay = allocate(count, sizeof *link->tap_delay, "taps", error);
    TRY_MADE(link->taps != NULL && link->tap_delay != NULL);
    link_repeat(link, field, &band, &channel);
    link->tap_count = band.tap_count;
    channel_taps_fill(&band, &channel, link->taps, link->tap_delay);
    return PW_OK;
}

static pw_status link_evaluate(struct channel_link *link, const double *all, double *field, pw_error *error)
{
    const struct place *place = &link->place;
    TRY(channel_create(&link->band, &link->channel, error));
    double distance = place_distance(link->result, place, link->transmitter);
    /* Ex, Ey and Hz are none of them across the others. */
    bool complete = !link->result->horizontal && !place->weighed && place_has(place, 0) && place_has(place, 1) &&
                    place_has(place, 2);
    double cross = complete ? channel_cross_polar(&link->band, &link->channel, all, field) : (double)NAN;
    channel_set_field(&link->band, field, 1, &link->channel);
    const struct slant_end to = {place->x, place->y, place->height, place->antenna};
    struct slant slant = slant_between(link->result, link->transmitter, &to, &link->band.options);
    channel_transform(&link->band, distance, &slant, &link->channel);
    link->delays = channel_delays(&link->band, &link->channel);
    link->metrics = channel_metrics(&link->band, &link->channel, link->transmitter->power, place->gain);
    link->metrics.cross_polar_db = cross;
    place_tell(place, &link->metrics);
    struct channel_band own;
    int transmitter = (int)(link->transmitter - link->result->transmitters);
    TRY(own_band_create(link->result, transmitter, place, &link->band.options, &own, error));
    const struct channel_delays solved = channel_delays_solved(&link->band, &link->channel);
    own_band_doubt(&own, &link->channel, &solved, &link->metrics);
    channel_band_free(&own);
    /* Metrics have no absolute delays and are those of maps; all that follows has the grid's phase taken off. */
    const struct grid_phase phase = grid_phase_find(link->result);
    grid_phase_remove(&phase, link->result, link->transmitter, place, 1, field);
    slant.exact = true;
    channel_set_field(&link->band, field, 1, &link->channel);
    channel_transform(&link->band, distance, &slant, &link->channel);
    link->delays = channel_delays(&link->band, &link->channel);
    link->free_space_1_m = SPEED_OF_LIGHT / (4.0 * M_PI * link->band.centre);
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

/* Where the field is taken. */
static pw_status link_place(struct channel_link *link, int transmitter, const char *receiver, const double *at,
                            const pw_channel_options *options, pw_error *error)
{
    pw_component component = options->component;
    if (receiver == NULL && at != NULL) {
        TRY(place_of_point(link->result, transmitter, at, options->height, component, &link->place, error));
    } else {
        int index = result_find_receiver(link->result, transmitter, receiver, error);
        if (index < 0) {
            return PW_BAD_INPUT;
        }
        TRY(place_of_receiver(link->result, transmitter, index, component, &link->place, error));
    }
    link->place.height = height_of_receiver(link->place.height, options);
    return link_height_check(link->result, options, link->place.name, link->place.height, error);
}

/* The place is known. */
static pw_status link_collect(struct channel_link *link, int transmitter, const pw_channel_options *options,
                              pw_error *error)
{
    const struct result *result = link->result;
    TRY(link_band_create(result, transmitter, options, &link->band, error));
    size_t count = 2 * (size_t)result->frequency_count;
    OWNED double *all = allocate(4 * count, sizeof *all, "a spectrum", error);
    TRY_MADE(all);
    double *field = all + 3 * count;
    TRY(field_read(link, transmitter, all, field, error));
    return link_evaluate(link, all, field, error);
}

pw_status pw_channel_create(const pw_result *result, const char *transmitter, const char *receiver, const double *at,
                            const pw_channel_options *options, pw_channel **channel, pw_error *error)
{
    pw_channel_options defaults = pw_channel_options_default();
    options = options != NULL ? options : &defaults;
    FAIL_IF(result == NULL || channel == NULL, error, PW_USAGE, "pw_channel_create: no %s given",
            result == NULL ? "result" : "place for a channel");
    *channel = NULL;
    FAIL_IF(receiver == NULL && at != NULL && !(isfinite(at[0]) && isfinite(at[1])), error, PW_USAGE,
            "point (%g, %g) m: both coordinates must be finite", at[0], at[1]);
    int index = result_find_transmitter(result, transmitter, error);
    if (index < 0) {
        return PW_BAD_INPUT;
    }
    OWNED_AS(pw_channel) *link = allocate(1, sizeof *link, "a link", error);
    TRY_MADE(link);
    link->result = result;
    link->transmitter = &result->transmitters[index];
    TRY(link_transmitter_check(link->transmitter, error));
    TRY(link_place(link, index, receiver, at, options, error));
    TRY(link_collect(link, index, options, error));
    *channel = link;
    link = NULL;
    return PW_OK;
}

void pw_channel_free(pw_channel *channel)
{
    if (channel == NULL) {
        return;
    }
    channel_free(&channel->channel);
    channel_band_free(&channel->band);
    FREE_ALL(channel->taps, channel->tap_delay, channel->angles, channel);
}

PW_RELEASES(pw_channel, pw_channel_free)

/* sum taps exp(-j 2 pi (f - fc) tau): the transfer function with 2D to 3D applied. */
static void taps_sum(const struct channel_link *link, double frequency, double *re, double *im)
{
    *re = *im = 0.0;
    for (int n = 0; n < link->tap_count; n++) {
        double phase = -2.0 * M_PI * (frequency - link->band.centre) * link->tap_delay[n];
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
    return (pw_channel_facts){.name = channel->place.name,
                              .x = channel->place.x,
                              .y = channel->place.y,
                              .height = channel->place.height,
                              .gain = channel->place.gain,
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

static void delays_fill(const struct channel_link *link, double *delay)
{
    for (int n = 0; delay != NULL && n < link->band.tap_count; n++) {
        delay[n] = channel_arrival(&link->channel, channel_delay(&link->band, n));
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
    delays_fill(channel, delay);
    for (int n = 0; impulse != NULL && n < band->tap_count; n++) {
        channel_coefficient(band, &channel->channel, n, channel_delay(band, n), &impulse[2 * n], &impulse[2 * n + 1]);
    }
    return PW_OK;
}

pw_status pw_channel_profile(const pw_channel *channel, double *delay, double *power, pw_error *error)
{
    TRY(channel_check(channel, __func__, error));
    delays_fill(channel, delay);
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
