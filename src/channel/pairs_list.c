/* Finds out who the pairs are (pairs.h): transmitters and places by name or by point, the antennas of the receivers,
 * and the order in which the file is read best. */
#include "channel/pairs.h"
#include "channel/slant/heights.h"

#include <math.h>

#include <stdio.h>
#include <stdlib.h>

/* ---- places ------------------------------------------------------------------------------------------------------ */

static pw_status place_find(const struct pair_list *list, int p, struct place *place, pw_error *error)
{
    const struct result *result = list->result;
    pw_component component = list->options.channel.component;
    int first = list->transmitters[0];
    const pw_place *wanted = list->options.place_count > 0 ? &list->options.places[p] : NULL;
    if (wanted == NULL) {
        return place_of_receiver(result, first, p, component, place, error);
    }
    if (wanted->receiver != NULL) {
        int receiver = result_find_receiver(result, first, wanted->receiver, error);
        return receiver < 0 ? PW_BAD_INPUT : place_of_receiver(result, first, receiver, component, place, error);
    }
    TRY(place_of_point(result, first, (const double[]){wanted->x, wanted->y},
                       wanted->has_height ? wanted->height : list->options.channel.height, component, place, error));
    if (wanted->name != NULL) {
        snprintf(place->name, sizeof place->name, "%s", wanted->name);
    }
    return PW_OK;
}

static pw_status place_resolve(const struct pair_list *list, int p, struct place *place, pw_error *error)
{
    TRY(place_find(list, p, place, error));
    bool own = !isnan(place->height);
    place->height = height_of_receiver(place->height, &list->options.channel);
    TRY(own ? link_height_check(list->result, &list->options.channel, place->name, place->height, error) : PW_OK);
    return PW_OK;
}

/* The components that a place can have as antennas, and all other places too. */
static pw_status places_resolve(struct pair_list *list, pw_error *error)
{
    pw_component component = list->options.channel.component;
    bool kept[3] = {true, true, true};
    for (int p = 0; p < list->place_count; p++) {
        TRY(place_resolve(list, p, &list->places[p], error));
        for (int c = 0; c < 3; c++) {
            bool wanted =
                component == PW_COMPONENT_OWN || (int)result_component(list->result, component) - PW_COMPONENT_EX == c;
            kept[c] = kept[c] && wanted && place_has(&list->places[p], c);
            bool between = list->places[p].part[c].row.count > 1 || list->places[p].part[c].column.count > 1;
            list->margin = between ? SHEET_TAPS - 1 : list->margin;
        }
    }
    for (int c = 0; c < 3; c++) {
        if (kept[c]) {
            list->port[list->port_count++] = c;
        }
    }
    return list->port_count > 0 ? PW_OK
                                : fail(error, PW_BAD_INPUT,
                                       "the places have no component of the field in common: name one, ex, ey or ez");
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
    TRY_MADE(keys);
    for (int p = 0; p < list->place_count; p++) {
        const struct place *place = &list->places[p];
        const struct sheet_place *part = &place->part[list->port[0]];
        int64_t tile =
            ((((int64_t)part->sheet << 20) + part->row.first / PAIR_TILE) << 20) + part->column.first / PAIR_TILE;
        keys[p] = (struct order_key){place->receiver >= 0 ? -1 : tile, p};
    }
    qsort(keys, (size_t)list->place_count, sizeof *keys, key_order);
    for (int p = 0; p < list->place_count; p++) {
        list->order[p] = keys[p].place;
    }
    free(keys);
    return PW_OK;
}

/* Points that have become one though they were asked for at two places. */
static bool same_cell(const struct place *a, const struct place *b)
{
    return a->x == b->x && a->y == b->y && (a->height == b->height || (isnan(a->height) && isnan(b->height)));
}

static int cell_order(const void *a, const void *b)
{
    const struct place *x = *(const struct place *const *)a, *y = *(const struct place *const *)b;
    return x->x != y->x ? (x->x > y->x) - (x->x < y->x) : (x->y > y->y) - (x->y < y->y);
}

static pw_status places_share(struct pair_list *list, pw_error *error)
{
    const struct place **points = allocate((size_t)list->place_count, sizeof *points, "points", error);
    TRY_MADE(points);
    int count = 0;
    for (int p = 0; p < list->place_count; p++) {
        const struct place *place = &list->places[p];
        points[count] = place;
        count += place->receiver < 0;
    }
    qsort(points, (size_t)count, sizeof *points, cell_order);
    for (int n = 0; n < count; n++) {
        bool shared = false;
        for (int m = n > 0 ? n - 1 : 1; m <= n + 1 && m < count; m += 2) {
            shared = shared || (same_cell(points[n], points[m]) &&
                                (points[n]->asked_x != points[m]->asked_x || points[n]->asked_y != points[m]->asked_y));
        }
        list->shared += shared;
    }
    free(points);
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
        TRY(heights_check_transmitter(result, &result->transmitters[index], &list->options.channel, error));
        list->transmitters[t] = index;
    }
    return PW_OK;
}

pw_channel_options pair_taps_options(const pw_channel_options *options)
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
    pw_channel_options options = pair_taps_options(&list->options.channel);
    for (int t = 0; t < list->transmitter_count; t++) {
        const struct result_transmitter *from = &result->transmitters[list->transmitters[t]];
        const struct result_transmitter *first = &result->transmitters[list->transmitters[0]];
        struct channel_band band;
        TRY(channel_band_create(result->dimensions, result->frequency, result->frequency_count, from->spectrum,
                                &options, &band, error));
        double centre = band.centre;
        if (t == 0) {
            list->tap_count = band.tap_count;
            list->centre = centre;
            list->bandwidth = band.spacing * band.frequency_count;
            list->delay_count = list->options.channel.padding * band.tap_count;
        }
        channel_band_free(&band);
        if (centre != list->centre) {
            return fail(error, PW_BAD_INPUT,
                        "transmitter '%s' has its middle at %g GHz, '%s' at %g GHz: write them to a file each",
                        from->name, 1e-9 * centre, first->name, 1e-9 * list->centre);
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
    TRY(pw_channel_options_check(&options->channel, error));
    bool all = options->transmitter_count <= 0;
    list->transmitter_count = all ? result->transmitter_count : options->transmitter_count;
    list->transmitters = allocate((size_t)list->transmitter_count, sizeof *list->transmitters, "transmitters", error);
    TRY_MADE(list->transmitters);
    TRY(transmitters_resolve(list, error));
    list->place_count =
        options->place_count > 0 ? options->place_count : result->transmitters[list->transmitters[0]].receiver_count;
    if (list->place_count == 0) {
        return fail(error, PW_BAD_INPUT, "%s: no receivers in this result; name points instead", result->path);
    }
    list->places = allocate((size_t)list->place_count, sizeof *list->places, "places", error);
    list->order = allocate((size_t)list->place_count, sizeof *list->order, "places", error);
    TRY_MADE(list->places != NULL && list->order != NULL);
    TRY(bands_check(list, error));
    list->response_count = options->frequency_count > 0 ? options->frequency_count : result->frequency_count;
    TRY(places_resolve(list, error));
    TRY(places_share(list, error));
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
