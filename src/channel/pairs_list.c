/* Finds out who the pairs are (pairs.h): transmitters and places by name or by point, the antennas of the receivers,
 * and the order in which the file is read best. */
#include "channel/pairs.h"
#include "channel/slant/heights.h"

#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Receiver of a result, or a point. */
static pw_status place_find(const struct pair_list *list, const pw_place *wanted, int receiver, struct place *place,
                            pw_error *error)
{
    const struct result *result = list->result;
    pw_component component = list->options.channel.component;
    int first = list->transmitters[0];
    if (receiver >= 0) {
        return place_of_receiver(result, first, receiver, component, place, error);
    }
    TRY(place_of_point(result, first, (const double[]){wanted->x, wanted->y},
                       wanted->has_height ? wanted->height : list->options.channel.height, component, place, error));
    if (wanted->name != NULL) {
        snprintf(place->name, sizeof place->name, "%s", wanted->name);
    }
    return PW_OK;
}

static pw_status place_add(struct pair_list *list, size_t *room, const pw_place *wanted, int receiver, pw_error *error)
{
    TRY(array_grow(&list->places, room, (size_t)list->place_count, sizeof *list->places, "places", error));
    struct place *place = &list->places[list->place_count];
    TRY(place_find(list, wanted, receiver, place, error));
    list->place_count++;
    bool own = !isnan(place->height);
    place->height = height_of_receiver(place->height, &list->options.channel);
    list->own =
        list->own || place->weighed || (place->port.number > 0 && list->options.channel.component == PW_COMPONENT_OWN);
    return own ? link_height_check(list->result, &list->options.channel, place->name, place->height, error) : PW_OK;
}

/* The first antenna of a station of that name, in a list with `stride` bytes from port to port; -1: there is none. */
static int station_first(const pw_port *first, size_t stride, int count, const char *name)
{
    for (int n = 0; name != NULL && n < count; n++) {
        const pw_port *port = (const pw_port *)(const void *)((const char *)first + (size_t)n * stride);
        if (port->number == 1 && strcmp(port->station, name) == 0) {
            return n;
        }
    }
    return -1;
}

static int station_size(const pw_port *port)
{
    return port->shape[0] * port->shape[1] * port->shape[2];
}

/* What was asked for: a point, a receiver, or all antennas of a station. */
static pw_status place_ask(struct pair_list *list, size_t *room, const pw_place *wanted, pw_error *error)
{
    const struct result_transmitter *from = &list->result->transmitters[list->transmitters[0]];
    if (wanted->receiver == NULL) {
        return place_add(list, room, wanted, -1, error);
    }
    int first = from->receiver_count > 0 ? station_first(&from->receivers->port, sizeof *from->receivers,
                                                         from->receiver_count, wanted->receiver)
                                         : -1;
    int count = first >= 0 ? station_size(&from->receivers[first].port) : 1;
    first = first >= 0 ? first : result_find_receiver(list->result, list->transmitters[0], wanted->receiver, error);
    if (first < 0 || count > from->receiver_count - first) {
        return first < 0 ? PW_BAD_INPUT
                         : fail(error, PW_BAD_INPUT, "%s: antennas of the station '%s' are missing", list->result->path,
                                wanted->receiver);
    }
    for (int n = 0; n < count; n++) {
        TRY(place_add(list, room, wanted, first + n, error));
    }
    return PW_OK;
}

static pw_status places_find(struct pair_list *list, pw_error *error)
{
    const struct result_transmitter *from = &list->result->transmitters[list->transmitters[0]];
    size_t room = 0;
    for (int p = 0; p < list->options.place_count; p++) {
        TRY(place_ask(list, &room, &list->options.places[p], error));
    }
    for (int r = 0; list->options.place_count <= 0 && r < from->receiver_count; r++) {
        TRY(place_add(list, &room, NULL, r, error));
    }
    return list->place_count > 0
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s: no receivers in this result; name points instead", list->result->path);
}

/* How many stand together as one station each; 0: not all alike. */
static int ports_together(const pw_port *first, size_t stride, int count)
{
    int together = 0;
    for (int n = 0; n < count;) {
        const pw_port *port = (const pw_port *)(const void *)((const char *)first + (size_t)n * stride);
        int size = port->number == 1 ? station_size(port) : port->number == 0 ? 1 : count + 1;
        for (int p = 1; p < size && n + size <= count; p++) {
            const pw_port *next = (const pw_port *)(const void *)((const char *)port + (size_t)p * stride);
            size = next->number == p + 1 && strcmp(next->station, port->station) == 0 ? size : count + 1;
        }
        if (n + size > count || (together > 0 && size != together)) {
            return 0;
        }
        together = size;
        n += size;
    }
    return together;
}

/* The components that a place can have as antennas, and all other places too. */
static pw_status places_resolve(struct pair_list *list, pw_error *error)
{
    pw_component component = list->options.channel.component;
    bool kept[3] = {true, true, true};
    for (int p = 0; p < list->place_count; p++) {
        for (int c = 0; c < 3; c++) {
            bool wanted =
                component == PW_COMPONENT_OWN || (int)result_component(list->result, component) - PW_COMPONENT_EX == c;
            kept[c] = kept[c] && wanted && place_has(&list->places[p], c);
            bool between = list->places[p].part[c].row.count > 1 || list->places[p].part[c].column.count > 1;
            list->margin = between ? SHEET_TAPS - 1 : list->margin;
        }
    }
    for (int c = 0; c < 3 && !list->own; c++) {
        if (kept[c]) {
            list->port[list->port_count++] = c;
        }
    }
    list->port_count = list->own ? 1 : list->port_count;
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
        const int64_t most = 1 << 20; /* tiles along a side */
        int64_t tile = (part->sheet * most + part->row.first / PAIR_TILE) * most + part->column.first / PAIR_TILE;
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

static pw_status transmitter_add(struct pair_list *list, size_t *room, int index, pw_error *error)
{
    const struct result *result = list->result;
    TRY(link_transmitter_check(&result->transmitters[index], error));
    TRY(heights_check_transmitter(result, &result->transmitters[index], &list->options.channel, error));
    TRY(array_grow(&list->transmitters, room, (size_t)list->transmitter_count, sizeof *list->transmitters,
                   "transmitters", error));
    list->transmitters[list->transmitter_count++] = index;
    return PW_OK;
}

static pw_status transmitters_resolve(struct pair_list *list, pw_error *error)
{
    const struct result *result = list->result;
    const struct result_transmitter *all = result->transmitters;
    size_t room = 0;
    for (int t = 0; t < list->options.transmitter_count; t++) {
        const char *name = list->options.transmitters[t];
        int first = station_first(&all->port, sizeof *all, result->transmitter_count, name);
        int count = first >= 0 ? station_size(&all[first].port) : 1;
        first = first >= 0 ? first : result_find_transmitter(result, name, error);
        if (first < 0 || count > result->transmitter_count - first) {
            return first < 0
                       ? PW_BAD_INPUT
                       : fail(error, PW_BAD_INPUT, "%s: antennas of the station '%s' are missing", result->path, name);
        }
        for (int n = 0; n < count; n++) {
            TRY(transmitter_add(list, &room, first + n, error));
        }
    }
    for (int t = 0; list->options.transmitter_count <= 0 && t < result->transmitter_count; t++) {
        TRY(transmitter_add(list, &room, t, error));
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
        FAIL_IF(centre != list->centre, error, PW_BAD_INPUT,
                "transmitter '%s' has its middle at %g GHz, '%s' at %g GHz: write them to a file each", from->name,
                1e-9 * centre, first->name, 1e-9 * list->centre);
        FAIL_IF(from->rows != first->rows || from->columns != first->columns ||
                    from->receiver_count != first->receiver_count,
                error, PW_BAD_INPUT, "transmitter '%s' has other receivers or spectra at other cells than '%s'",
                from->name, first->name);
    }
    return PW_OK;
}

/* How antennas stand together as stations. */
static pw_status stations_find(struct pair_list *list, pw_error *error)
{
    pw_port *port = allocate((size_t)list->transmitter_count, sizeof *port, "transmitters", error);
    TRY_MADE(port);
    for (int t = 0; t < list->transmitter_count; t++) {
        port[t] = list->result->transmitters[list->transmitters[t]].port;
    }
    list->transmitter_ports = ports_together(port, sizeof *port, list->transmitter_count);
    list->place_ports = ports_together(&list->places->port, sizeof *list->places, list->place_count);
    free(port);
    return PW_OK;
}

pw_status pair_list_create(const struct result *result, const pw_pairs_options *options, struct pair_list *list,
                           pw_error *error)
{
    *list = (struct pair_list){.result = result, .options = *options};
    TRY(pw_channel_options_check(&options->channel, error));
    TRY(transmitters_resolve(list, error));
    TRY(bands_check(list, error));
    list->response_count = options->frequency_count > 0 ? options->frequency_count : result->frequency_count;
    TRY(places_find(list, error));
    TRY_MADE(list->order = allocate((size_t)list->place_count, sizeof *list->order, "places", error));
    TRY(places_resolve(list, error));
    TRY(stations_find(list, error));
    TRY(places_share(list, error));
    return places_order(list, error);
}

pw_status pair_list_whole(const struct pair_list *list, pw_error *error)
{
    return list->place_ports > 0 && list->transmitter_ports > 0
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "%s: the %s have different numbers of antennas, or not all antennas of a station are among them: "
                      "choose stations of equal arrays",
                      list->result->path, list->place_ports == 0 ? "receivers" : "transmitters");
}

void pair_list_free(struct pair_list *list)
{
    FREE_ALL(list->transmitters, list->places, list->order);
    list->transmitters = list->order = NULL;
    list->places = NULL;
}
