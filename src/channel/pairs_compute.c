/* The numbers of all pairs for callers (api/pairs.h). */
#include "channel/pairs.h"

#include "base/constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pw_pairs_options pw_pairs_options_default(void)
{
    return (pw_pairs_options){.channel = pw_channel_options_default()};
}

pw_status pw_pairs_describe(const pw_result *result, const pw_pairs_options *options, pw_pairs_shape *shape,
                            pw_error *error)
{
    pw_pairs_options defaults = pw_pairs_options_default();
    OWNED_BY(pair_list_free) struct pair_list list = {0};
    FAIL_IF(result == NULL || shape == NULL, error, PW_USAGE, "pw_pairs_describe: no %s given",
            result == NULL ? "result" : "shape");
    TRY(pair_list_create(result, options != NULL ? options : &defaults, &list, error));
    *shape = (pw_pairs_shape){.receiver_count = list.place_count,
                              .transmitter_count = list.transmitter_count,
                              .tap_count = list.tap_count,
                              .frequency_count = list.response_count,
                              .delay_count = list.delay_count,
                              .centre = list.centre,
                              .port_count = list.port_count,
                              .receiver_ports = list.place_ports,
                              .transmitter_ports = list.transmitter_ports};
    for (int p = 0; p < list.port_count; p++) {
        shape->port[p] =
            list.own ? PW_COMPONENT_OWN : result_component(result, (pw_component)(PW_COMPONENT_EX + list.port[p]));
    }
    if (list.shared > 0) {
        const double quarter = SPEED_OF_LIGHT / (4.0 * result->frequency[result->frequency_count - 1]);
        snprintf(shape->note, sizeof shape->note,
                 "%d of %d points are taken at a cell at which another one is taken too, and have its channel: the "
                 "spectra stand too far apart to interpolate between them. spectra.spacing: %d cells tells them apart",
                 list.shared, list.place_count, (int)fmax(1.0, floor(quarter / result->cell + 1e-9)));
    }
    return PW_OK;
}

/* What pair_store needs. */
struct store {
    const struct pair_list *list;
    const pw_pairs *pairs;
};

static void values_store(double *all, size_t pair, size_t count, const double *values)
{
    if (all != NULL && count > 0) {
        memcpy(all + pair * count, values, count * sizeof *all);
    }
}

static pw_status pair_store(void *user, const struct pair *pair, pw_error *error)
{
    const struct store *store = user;
    const pw_pairs *pairs = store->pairs;
    size_t transmitters = (size_t)store->list->transmitter_count, ports = (size_t)store->list->port_count;
    size_t at = (size_t)pair->place * transmitters + (size_t)pair->transmitter;
    size_t taps = (size_t)store->list->tap_count, frequencies = (size_t)store->list->response_count;
    size_t delays = store->list->options.profiles ? (size_t)store->list->delay_count : 0;
    (void)error;
    values_store(pairs->profile, at, delays, pair->profile);
    values_store(pairs->profile_delay, at, delays, pair->profile_delay);
    values_store(pairs->error, at, 1, &pair->error);
    values_store(pairs->delay, at, taps, pair->delay);
    for (size_t p = 0; p < ports; p++) {
        size_t port = ((size_t)pair->place * ports + p) * transmitters + (size_t)pair->transmitter;
        values_store(pairs->coefficient, port, 2 * taps, pair->coefficient + 2 * p * taps);
        values_store(pairs->response, port, 2 * frequencies, pair->response + 2 * p * frequencies);
    }
    if (pairs->metrics != NULL) {
        pairs->metrics[at] = pair->metrics;
    }
    return PW_OK;
}

pw_status pw_pairs_compute(const pw_result *result, const pw_pairs_options *options, const pw_pairs *pairs,
                           pw_error *error)
{
    pw_pairs_options defaults = pw_pairs_options_default();
    OWNED_BY(pair_list_free) struct pair_list list = {0};
    FAIL_IF(result == NULL || pairs == NULL, error, PW_USAGE, "pw_pairs_compute: no %s given",
            result == NULL ? "result" : "buffers");
    TRY(pair_list_create(result, options != NULL ? options : &defaults, &list, error));
    struct store store = {&list, pairs};
    list.no_response = pairs->response == NULL;
    list.options.profiles = pairs->profile != NULL || pairs->profile_delay != NULL;
    list.metrics_alone = pairs->response == NULL && pairs->coefficient == NULL && pairs->delay == NULL;
    TRY(pair_list_each(&list, pair_store, &store, error));
    values_store(pairs->frequency, 0, (size_t)list.response_count,
                 list.options.frequency_count > 0 ? list.options.frequencies : result->frequency);
    for (int p = 0; pairs->position != NULL && p < list.place_count; p++) {
        values_store(pairs->position, (size_t)p, 2, (double[]){list.places[p].x, list.places[p].y});
    }
    for (int p = 0; p < list.place_count; p++) {
        values_store(pairs->height, (size_t)p, 1, &list.places[p].height);
    }
    return PW_OK;
}
