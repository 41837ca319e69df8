/* Resolves and works through all pairs (pairs.h), and hands their numbers to callers. The file of all pairs is written
 * by export/export_pairs.c. */
#include "channel/pairs.h"

#include "base/constants.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { TILE = 8 /* cells a side of the file's chunks */, GROUP = 64 /* pairs in work together */ };

/* ---- places ------------------------------------------------------------------------------------------------------ */

pw_pairs_options pw_pairs_options_default(void)
{
    return (pw_pairs_options){.channel = pw_channel_options_default()};
}

static void place_of_receiver(const struct result_transmitter *from, int receiver, struct pair_place *place)
{
    const struct result_receiver *found = &from->receivers[receiver];
    place->receiver = found->row < 0 ? receiver : -1;
    place->row = found->row;
    place->column = found->column;
    place->x = found->x;
    place->y = found->y;
    place->asked_x = found->asked_x;
    place->asked_y = found->asked_y;
    place->gain = found->gain;
    snprintf(place->name, sizeof place->name, "%s", found->name);
}

static pw_status place_of_point(const struct result *result, int transmitter, const pw_place *wanted,
                                struct pair_place *place, pw_error *error)
{
    double at[2] = {wanted->x, wanted->y};
    TRY(link_cell(result, transmitter, at, &place->row, &place->column, error));
    const struct result_transmitter *from = &result->transmitters[transmitter];
    place->asked_x = wanted->x;
    place->asked_y = wanted->y;
    place->receiver = -1;
    place->x = from->x_axis[place->column];
    place->y = from->y_axis[place->row];
    if (wanted->name != NULL) {
        snprintf(place->name, sizeof place->name, "%s", wanted->name);
    } else {
        snprintf(place->name, sizeof place->name, "point (%.3f, %.3f) m", place->x, place->y);
    }
    return PW_OK;
}

static pw_status places_resolve(struct pair_list *list, pw_error *error)
{
    const struct result *result = list->result;
    int first = list->transmitters[0];
    const struct result_transmitter *from = &result->transmitters[first];
    for (int p = 0; p < list->place_count; p++) {
        struct pair_place *place = &list->places[p];
        const pw_place *wanted = list->options.place_count > 0 ? &list->options.places[p] : NULL;
        place->index = p;
        if (wanted == NULL) {
            place_of_receiver(from, p, place);
        } else if (wanted->receiver == NULL) {
            TRY(place_of_point(result, first, wanted, place, error));
        } else {
            int receiver = result_find_receiver(result, first, wanted->receiver, error);
            if (receiver < 0) {
                return PW_BAD_INPUT;
            }
            place_of_receiver(from, receiver, place);
        }
    }
    return PW_OK;
}

/* Receivers first, then points by tile of the file, so that each tile is read once. */
struct order_key {
    int64_t key;
    int place;
};

static int key_order(const void *a, const void *b)
{
    const struct order_key *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->place > y->place) - (x->place < y->place);
}

static pw_status places_order(struct pair_list *list, pw_error *error)
{
    struct order_key *keys = allocate((size_t)list->place_count, sizeof *keys, "the order of places", error);
    if (keys == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int p = 0; p < list->place_count; p++) {
        const struct pair_place *place = &list->places[p];
        int64_t tile = ((int64_t)(place->row / TILE) << 32) + place->column / TILE;
        keys[p] = (struct order_key){place->receiver >= 0 ? -1 : tile, p};
    }
    qsort(keys, (size_t)list->place_count, sizeof *keys, key_order);
    for (int p = 0; p < list->place_count; p++) {
        list->order[p] = keys[p].place;
    }
    free(keys);
    return PW_OK;
}

/* ---- transmitters ------------------------------------------------------------------------------------------------ */

static pw_status transmitters_resolve(struct pair_list *list, pw_error *error)
{
    const struct result *result = list->result;
    for (int t = 0; t < list->transmitter_count; t++) {
        int index = list->options.transmitter_count > 0
                        ? result_find_transmitter(result, list->options.transmitters[t], error)
                        : t;
        if (index < 0) {
            return PW_BAD_INPUT;
        }
        TRY(link_transmitter_check(&result->transmitters[index], error));
        list->transmitters[t] = index;
    }
    return PW_OK;
}

/* Taps without window or padding: their sum is the response. */
static pw_channel_options taps_options(const pw_channel_options *options)
{
    pw_channel_options taps = *options;
    taps.padding = 1;
    taps.window = PW_WINDOW_RECT;
    return taps;
}

/* All transmitters must have the taps and the carrier of the first, since they share the axes of the arrays. */
static pw_status bands_check(struct pair_list *list, pw_error *error)
{
    const struct result *result = list->result;
    pw_channel_options options = taps_options(&list->options.channel);
    for (int t = 0; t < list->transmitter_count; t++) {
        const struct result_transmitter *from = &result->transmitters[list->transmitters[t]];
        const struct result_transmitter *first = &result->transmitters[list->transmitters[0]];
        struct channel_band band;
        TRY(channel_band_create(result->frequency, result->frequency_count, from->spectrum, &options, &band, error));
        double centre = band.centre;
        if (t == 0) {
            list->tap_count = band.tap_count;
            list->centre = centre;
            list->bandwidth = band.spacing * band.frequency_count;
        }
        channel_band_free(&band);
        if (centre != list->centre) {
            return fail(error, PW_BAD_INPUT,
                        "transmitter '%s' has its middle at %g Hz, '%s' at %g Hz: write them to a file each",
                        from->name, centre, first->name, list->centre);
        }
        if (from->rows != first->rows || from->columns != first->columns ||
            from->receiver_count != first->receiver_count) {
            return fail(error, PW_BAD_INPUT, "transmitter '%s' has other receivers or spectra at other cells than '%s'",
                        from->name, first->name);
        }
    }
    return PW_OK;
}

pw_status pair_list_create(const struct result *result, const pw_pairs_options *options, struct pair_list *list,
                           pw_error *error)
{
    *list = (struct pair_list){.result = result, .options = *options};
    TRY(channel_options_check(&options->channel, error));
    bool all = options->transmitter_count <= 0;
    list->transmitter_count = all ? result->transmitter_count : options->transmitter_count;
    list->transmitters = allocate((size_t)list->transmitter_count, sizeof *list->transmitters, "transmitters", error);
    if (list->transmitters == NULL) {
        return PW_NO_RESOURCE;
    }
    TRY(transmitters_resolve(list, error));
    list->place_count =
        options->place_count > 0 ? options->place_count : result->transmitters[list->transmitters[0]].receiver_count;
    if (list->place_count == 0) {
        return fail(error, PW_BAD_INPUT, "%s: no receivers in this result; name points instead", result->path);
    }
    list->places = allocate((size_t)list->place_count, sizeof *list->places, "places", error);
    list->order = allocate((size_t)list->place_count, sizeof *list->order, "places", error);
    if (list->places == NULL || list->order == NULL) {
        return PW_NO_RESOURCE;
    }
    TRY(bands_check(list, error));
    TRY(places_resolve(list, error));
    return places_order(list, error);
}

void pair_list_free(struct pair_list *list)
{
    free(list->transmitters);
    free(list->places);
    free(list->order);
    list->transmitters = list->order = NULL;
    list->places = NULL;
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */

/* Everything that the pairs of one transmitter in work need. */
struct workshop {
    const struct pair_list *list;
    int position, transmitter;       /* in the list, in the result */
    struct channel_band taps, shown; /* without a window; as the options say */
    struct channel *channels;        /* (threads, 2), owned */
    int threads;
    double *field;               /* (GROUP, frequency_count, 2), owned */
    double *coefficient, *delay; /* (GROUP, tap_count, 2), (GROUP, tap_count), owned */
    double *response;            /* (GROUP, frequency_count, 2), owned */
    pw_metrics metrics[GROUP];
    double *series;                                     /* (samples), owned: Ez at a receiver */
    double *tile;                                       /* (frequency_count, TILE, TILE, 2), owned */
    int tile_row, tile_column, tile_rows, tile_columns; /* what is in it; tile_row -1: nothing */
};

static void workshop_free(struct workshop *shop)
{
    for (int n = 0; shop->channels != NULL && n < 2 * shop->threads; n++) {
        channel_free(&shop->channels[n]);
    }
    free(shop->channels);
    channel_band_free(&shop->taps);
    channel_band_free(&shop->shown);
    free(shop->field);
    free(shop->coefficient);
    free(shop->delay);
    free(shop->response);
    free(shop->series);
    free(shop->tile);
}

static pw_status workshop_fill(struct workshop *shop, pw_error *error)
{
    const struct result *result = shop->list->result;
    const struct result_transmitter *from = &result->transmitters[shop->transmitter];
    pw_channel_options taps = taps_options(&shop->list->options.channel);
    size_t frequencies = (size_t)result->frequency_count, count = (size_t)shop->list->tap_count;
    TRY(channel_band_create(result->frequency, result->frequency_count, from->spectrum, &taps, &shop->taps, error));
    TRY(link_band_create(result, shop->transmitter, &shop->list->options.channel, &shop->shown, error));
    shop->threads = omp_get_max_threads();
    shop->channels = allocate(2 * (size_t)shop->threads, sizeof *shop->channels, "channels", error);
    shop->field = allocate(GROUP * frequencies, 2 * sizeof(double), "fields", error);
    shop->coefficient = allocate(GROUP * count, 2 * sizeof(double), "coefficients", error);
    shop->delay = allocate(GROUP * count, sizeof(double), "delays", error);
    shop->response = allocate(GROUP * frequencies, 2 * sizeof(double), "responses", error);
    shop->series = allocate((size_t)from->samples, sizeof(double), "the field at a receiver", error);
    shop->tile = allocate(frequencies * TILE * TILE, 2 * sizeof(double), "a tile of spectra", error);
    if (shop->channels == NULL || shop->field == NULL || shop->coefficient == NULL || shop->delay == NULL ||
        shop->response == NULL || shop->series == NULL || shop->tile == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int n = 0; n < 2 * shop->threads; n++) {
        TRY(channel_create(n % 2 == 0 ? &shop->taps : &shop->shown, &shop->channels[n], error));
    }
    return PW_OK;
}

/* Brings the tile with a cell into memory. */
static pw_status tile_read(struct workshop *shop, const struct pair_place *place, pw_error *error)
{
    const struct result_transmitter *from = &shop->list->result->transmitters[shop->transmitter];
    int row = place->row / TILE * TILE, column = place->column / TILE * TILE;
    if (shop->tile_row == row && shop->tile_column == column) {
        return PW_OK;
    }
    shop->tile_row = -1;
    shop->tile_rows = from->rows - row < TILE ? from->rows - row : TILE;
    shop->tile_columns = from->columns - column < TILE ? from->columns - column : TILE;
    TRY(result_read_spectra(shop->list->result, shop->transmitter, row, shop->tile_rows, column, shop->tile_columns,
                            shop->tile, error));
    shop->tile_row = row;
    shop->tile_column = column;
    return PW_OK;
}

/* The spectrum at a place into `field` (frequency_count, 2). */
static pw_status field_gather(struct workshop *shop, const struct pair_place *place, double *field, pw_error *error)
{
    const struct result *result = shop->list->result;
    const struct result_transmitter *from = &result->transmitters[shop->transmitter];
    if (place->receiver >= 0) {
        int receiver = place->receiver;
        if (strcmp(from->receivers[receiver].name, place->name) != 0) {
            receiver = result_find_receiver(result, shop->transmitter, place->name, error);
        }
        if (receiver < 0) {
            return PW_BAD_INPUT;
        }
        TRY(result_read_receiver(result, shop->transmitter, receiver, shop->series, error));
        series_transform(shop->series, from->samples, result->time_step, result->omega, result->frequency_count, field);
        return PW_OK;
    }
    TRY(tile_read(shop, place, error));
    size_t plane = (size_t)shop->tile_rows * (size_t)shop->tile_columns;
    size_t cell = (size_t)(place->row - shop->tile_row) * (size_t)shop->tile_columns +
                  (size_t)(place->column - shop->tile_column);
    for (size_t f = 0; f < (size_t)result->frequency_count; f++) {
        memcpy(field + 2 * f, shop->tile + 2 * (f * plane + cell), 2 * sizeof *field);
    }
    return PW_OK;
}

/* H at frequency f from taps at equal distances, the phase turned on from tap to tap. */
static void response_sum(const struct channel_band *band, const double *coefficient, const double *delay, int f,
                         double *response)
{
    double away = -2.0 * pi * (band->frequency[f] - band->centre), re = 0.0, im = 0.0;
    double turn_re = cos(away * band->bin), turn_im = sin(away * band->bin);
    double phasor_re = cos(away * delay[0]), phasor_im = sin(away * delay[0]);
    for (int n = 0; n < band->tap_count; n++) {
        re += coefficient[2 * n] * phasor_re - coefficient[2 * n + 1] * phasor_im;
        im += coefficient[2 * n] * phasor_im + coefficient[2 * n + 1] * phasor_re;
        double next = phasor_re * turn_re - phasor_im * turn_im;
        phasor_im = phasor_re * turn_im + phasor_im * turn_re;
        phasor_re = next;
    }
    response[0] = re;
    response[1] = im;
}

/* Pair n of the group, by one thread. */
static void pair_evaluate(struct workshop *shop, const struct pair_place *place, int n)
{
    const struct result_transmitter *from = &shop->list->result->transmitters[shop->transmitter];
    struct channel *channels = shop->channels + 2 * (size_t)omp_get_thread_num();
    size_t frequencies = (size_t)shop->taps.frequency_count, taps = (size_t)shop->taps.tap_count, at = (size_t)n;
    double distance = hypot(place->x - from->x, place->y - from->y);
    const double *field = shop->field + 2 * at * frequencies;
    double *coefficient = shop->coefficient + 2 * at * taps, *delay = shop->delay + at * taps;
    double *response = shop->response + 2 * at * frequencies;
    channel_set_field(&shop->shown, field, 1, &channels[1]);
    channel_transform(&shop->shown, distance, &channels[1]);
    shop->metrics[n] = channel_metrics(&shop->shown, &channels[1], from->power, place->gain);
    channel_set_field(&shop->taps, field, 1, &channels[0]);
    channel_transform(&shop->taps, distance, &channels[0]);
    channel_taps_fill(&shop->taps, &channels[0], coefficient, delay);
    double free_space = SPEED_OF_LIGHT / (4.0 * pi * shop->taps.centre);
    for (size_t k = 0; k < 2 * taps; k++) {
        coefficient[k] *= free_space;
    }
    for (int f = 0; f < shop->taps.frequency_count; f++) {
        if (!shop->taps.usable[f]) {
            response[2 * f] = response[2 * f + 1] = NAN;
        } else if (taps > 0) {
            response_sum(&shop->taps, coefficient, delay, f, &response[2 * f]);
        } else {
            channel_plain_response(&shop->taps, &channels[0], f, &response[2 * f], &response[2 * f + 1]);
        }
    }
}

/* Places order[first..first+count-1] of one transmitter. */
static pw_status group_do(struct workshop *shop, int first, int count, pair_taker take, void *user, pw_error *error)
{
    const struct pair_list *list = shop->list;
    size_t frequencies = (size_t)shop->taps.frequency_count, taps = (size_t)shop->taps.tap_count;
    for (int n = 0; n < count; n++) {
        TRY(field_gather(shop, &list->places[list->order[first + n]], shop->field + 2 * (size_t)n * frequencies,
                         error));
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(shop->threads)
    for (int n = 0; n < count; n++) {
        pair_evaluate(shop, &list->places[list->order[first + n]], n);
    }
    for (int n = 0; n < count; n++) {
        const struct pair pair = {.place = list->order[first + n],
                                  .transmitter = shop->position,
                                  .coefficient = shop->coefficient + 2 * (size_t)n * taps,
                                  .delay = shop->delay + (size_t)n * taps,
                                  .response = shop->response + 2 * (size_t)n * frequencies,
                                  .metrics = shop->metrics[n]};
        TRY(take(user, &pair, error));
    }
    return PW_OK;
}

static pw_status transmitter_do(const struct pair_list *list, int position, pair_taker take, void *user,
                                pw_error *error)
{
    struct workshop shop = {
        .list = list, .position = position, .transmitter = list->transmitters[position], .tile_row = -1};
    pw_status status = workshop_fill(&shop, error);
    for (int first = 0; status == PW_OK && first < list->place_count; first += GROUP) {
        int count = list->place_count - first < GROUP ? list->place_count - first : GROUP;
        status = group_do(&shop, first, count, take, user, error);
        if (status == PW_OK) {
            double done = (position + (double)(first + count) / list->place_count) / list->transmitter_count;
            status = monitor_tell(&list->options.monitor, done, error);
        }
    }
    workshop_free(&shop);
    return status;
}

pw_status pair_list_each(const struct pair_list *list, pair_taker take, void *user, pw_error *error)
{
    TRY(monitor_tell(&list->options.monitor, 0.0, error));
    for (int t = 0; t < list->transmitter_count; t++) {
        TRY(transmitter_do(list, t, take, user, error));
    }
    return PW_OK;
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

pw_status pw_pairs_describe(const pw_result *result, const pw_pairs_options *options, pw_pairs_shape *shape,
                            pw_error *error)
{
    pw_pairs_options defaults = pw_pairs_options_default();
    struct pair_list list;
    if (result == NULL || shape == NULL) {
        return fail(error, PW_USAGE, "pw_pairs_describe: no %s given", result == NULL ? "result" : "shape");
    }
    pw_status status = pair_list_create(result, options != NULL ? options : &defaults, &list, error);
    if (status == PW_OK) {
        *shape = (pw_pairs_shape){.receiver_count = list.place_count,
                                  .transmitter_count = list.transmitter_count,
                                  .tap_count = list.tap_count,
                                  .frequency_count = result->frequency_count,
                                  .centre = list.centre};
    }
    pair_list_free(&list);
    return status;
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
    size_t at = (size_t)pair->place * (size_t)store->list->transmitter_count + (size_t)pair->transmitter;
    size_t taps = (size_t)store->list->tap_count, frequencies = (size_t)store->list->result->frequency_count;
    (void)error;
    values_store(pairs->coefficient, at, 2 * taps, pair->coefficient);
    values_store(pairs->delay, at, taps, pair->delay);
    values_store(pairs->response, at, 2 * frequencies, pair->response);
    if (pairs->metrics != NULL) {
        pairs->metrics[at] = pair->metrics;
    }
    return PW_OK;
}

pw_status pw_pairs_compute(const pw_result *result, const pw_pairs_options *options, const pw_pairs *pairs,
                           pw_error *error)
{
    pw_pairs_options defaults = pw_pairs_options_default();
    struct pair_list list;
    if (result == NULL || pairs == NULL) {
        return fail(error, PW_USAGE, "pw_pairs_compute: no %s given", result == NULL ? "result" : "buffers");
    }
    pw_status status = pair_list_create(result, options != NULL ? options : &defaults, &list, error);
    if (status == PW_OK) {
        struct store store = {&list, pairs};
        status = pair_list_each(&list, pair_store, &store, error);
        values_store(pairs->frequency, 0, (size_t)result->frequency_count, result->frequency);
        for (int p = 0; pairs->position != NULL && p < list.place_count; p++) {
            values_store(pairs->position, (size_t)p, 2, (double[]){list.places[p].x, list.places[p].y});
        }
    }
    pair_list_free(&list);
    return status;
}
