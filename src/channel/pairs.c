/* Works through all pairs (pairs.h). Who they are is found out by pairs_list.c, their numbers are handed to callers by
 * pairs_compute.c, and their file is written by export/export_pairs.c. */
#include "channel/pairs.h"
#include "channel/angles/angles.h"
#include "channel/asked/recorded.h"
#include "channel/place/grid_phase.h"
#include "channel/place/own_decay.h"
#include "channel/slant/heights.h"
#include "channel/slant/slanted_sum.h"

#include "base/constants.h"

#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = PAIR_TILE, TILE_MOST = TILE + SHEET_TAPS - 1, GROUP = 64 /* pairs in work together */ };

/* ---- the work ---------------------------------------------------------------------------------------------------- */

/* Everything that the pairs of one transmitter in work need. */
struct workshop {
    const struct pair_list *list;
    int position, transmitter;       /* in the list, in the result */
    struct channel_band taps, shown; /* without a window; as the options say */
    struct channel *channels;        /* (threads, 2), owned */
    int threads;
    double *all;                     /* (GROUP, 3, frequency_count, 2), owned: Ex, Ey, Ez where they are needed */
    double *field;                   /* (GROUP, frequency_count, 2), owned: what the place takes in */
    double *coefficient, *delay;     /* (GROUP, port_count, tap_count, 2), (GROUP, tap_count), owned */
    double *response;                /* (GROUP, port_count, frequency_count, 2), owned */
    double *profile, *profile_delay; /* (GROUP, delay_count), owned; NULL: nobody wants them */
    struct asked asked;              /* where frequencies are asked for */
    struct recorded *recorded;       /* owned; NULL until a recorded receiver is met */
    double *wide; /* (port_count + 1, response_count, 2), owned: of one pair, at those frequencies; the last for work */
    struct channel_band own[GROUP]; /* owned: of receivers that were recorded, by their own decay */
    pw_metrics metrics[GROUP];
    struct tile {
        double *values; /* (frequency_count, rows, columns, 2), owned, with room for TILE_MOST of each */
        int sheet, row, column, rows, columns; /* what is in it; row -1: nothing */
    } tile[3];                                 /* a component each */
    struct grid_phase phase;
    struct angle_ground ground; /* read for receivers with a pattern */
};

static void workshop_free(struct workshop *shop)
{
    angle_ground_free(&shop->ground);
    for (int n = 0; shop->channels != NULL && n < 2 * shop->threads; n++) {
        channel_free(&shop->channels[n]);
    }
    for (int n = 0; n < GROUP; n++) {
        channel_band_free(&shop->own[n]);
    }
    free(shop->channels);
    channel_band_free(&shop->taps);
    channel_band_free(&shop->shown);
    FREE_ALL(shop->all, shop->field, shop->coefficient, shop->delay, shop->response, shop->profile, shop->profile_delay,
             shop->wide);
    asked_free(&shop->asked);
    if (shop->recorded != NULL) {
        recorded_free(shop->recorded);
        free(shop->recorded);
    }
    for (int c = 0; c < 3; c++) {
        free(shop->tile[c].values);
    }
}

/* What frequencies that are asked for and profiles need. */
static pw_status wishes_fill(struct workshop *shop, pw_error *error)
{
    const struct pair_list *list = shop->list;
    const pw_pairs_options *options = &list->options;
    size_t delays = GROUP * (size_t)list->delay_count, ports = (size_t)list->port_count;
    if (options->profiles) {
        shop->profile = allocate(delays, sizeof(double), "profiles", error);
        shop->profile_delay = allocate(delays, sizeof(double), "profiles", error);
        TRY_MADE(shop->profile != NULL && shop->profile_delay != NULL);
    }
    if (options->frequency_count > 0 && !list->no_response) {
        shop->wide = allocate((ports + 1) * (size_t)list->response_count, 2 * sizeof(double), "responses", error);
        TRY_MADE(shop->wide);
    }
    return PW_OK;
}

static pw_status workshop_fill(struct workshop *shop, pw_error *error)
{
    const struct result *result = shop->list->result;
    const struct result_transmitter *from = &result->transmitters[shop->transmitter];
    pw_channel_options taps = pair_taps_options(&shop->list->options.channel);
    size_t frequencies = (size_t)result->frequency_count, count = (size_t)shop->list->tap_count;
    size_t ports = (size_t)shop->list->port_count;
    TRY(channel_band_create(result->dimensions, result->frequency, result->frequency_count, from->spectrum, &taps,
                            &shop->taps, error));
    TRY(link_band_storey(result, shop->transmitter, &shop->taps, error));
    TRY(link_band_create(result, shop->transmitter, &shop->list->options.channel, &shop->shown, error));
    shop->phase = grid_phase_find(result);
    shop->threads = omp_get_max_threads();
    shop->channels = allocate(2 * (size_t)shop->threads, sizeof *shop->channels, "channels", error);
    shop->all = allocate(GROUP * frequencies, 6 * sizeof(double), "fields", error);
    shop->field = allocate(GROUP * frequencies, 2 * sizeof(double), "fields", error);
    shop->coefficient = allocate(GROUP * ports * count, 2 * sizeof(double), "coefficients", error);
    shop->delay = allocate(GROUP * count, sizeof(double), "delays", error);
    shop->response = allocate(GROUP * ports * frequencies, 2 * sizeof(double), "responses", error);
    TRY_MADE(shop->channels != NULL && shop->all != NULL && shop->field != NULL && shop->coefficient != NULL &&
             shop->delay != NULL && shop->response != NULL);
    for (int c = 0; c < 3; c++) {
        shop->tile[c].row = -1;
        if (result_is_vector(result) || c == 2) {
            shop->tile[c].values =
                allocate(frequencies * TILE_MOST * TILE_MOST, 2 * sizeof(double), "a tile of spectra", error);
            TRY_MADE(shop->tile[c].values);
        }
    }
    TRY(wishes_fill(shop, error));
    for (int n = 0; n < 2 * shop->threads; n++) {
        TRY(channel_create(n % 2 == 0 ? &shop->taps : &shop->shown, &shop->channels[n], error));
    }
    return PW_OK;
}

/* Brings the tile with the points of a place into memory. */
static pw_status tile_read(struct workshop *shop, const struct sheet_place *part, struct tile *tile, pw_error *error)
{
    const struct result_transmitter *from = &shop->list->result->transmitters[shop->transmitter];
    const struct result_sheet *sheet = &from->sheets[part->sheet];
    int row = part->row.first / TILE * TILE, column = part->column.first / TILE * TILE,
        side = TILE + shop->list->margin;
    if (tile->sheet == part->sheet && tile->row == row && tile->column == column) {
        return PW_OK;
    }
    tile->row = -1;
    tile->rows = sheet->rows - row < side ? sheet->rows - row : side;
    tile->columns = sheet->columns - column < side ? sheet->columns - column : side;
    const pw_block block = {row, tile->rows, column, tile->columns};
    TRY(result_read_sheet(shop->list->result, shop->transmitter, part->sheet, &block, tile->values, error));
    tile->sheet = part->sheet;
    tile->row = row;
    tile->column = column;
    return PW_OK;
}

/* Component c at a place into `field` (frequency_count, 2). */
static pw_status component_gather(struct workshop *shop, const struct place *place, int c, double *field,
                                  pw_error *error)
{
    const struct result *result = shop->list->result;
    const struct sheet_place *part = &place->part[c];
    struct tile *tile = &shop->tile[c];
    if (place->antenna.kind == ANTENNA_PATTERN) {
        TRY(shop->ground.solid == NULL ? angle_ground_create(result, &shop->ground, error) : PW_OK);
        return angles_receive(result, &shop->ground, shop->transmitter, (const double[]){place->x, place->y},
                              &place->antenna, place->name, field, error);
    }
    if (place->receiver >= 0) {
        return place_read(result, shop->transmitter, place, c, field, error);
    }
    TRY(tile_read(shop, part, tile, error));
    size_t columns = (size_t)tile->columns, plane = (size_t)tile->rows * columns;
    size_t at = (size_t)(part->row.first - tile->row) * columns + (size_t)(part->column.first - tile->column);
    sheet_place_sum(part, tile->values + 2 * at, columns, plane, (size_t)result->frequency_count, field);
    return PW_OK;
}

/* Place n of the group: the components that are ports or are taken in, and what is taken in. */
static pw_status field_gather(struct workshop *shop, const struct place *place, int n, pw_error *error)
{
    const struct pair_list *list = shop->list;
    size_t count = 2 * (size_t)list->result->frequency_count;
    double *all = shop->all + 3 * (size_t)n * count, *field = shop->field + (size_t)n * count;
    memset(field, 0, count * sizeof *field);
    for (int c = 0; c < 3; c++) {
        bool port = false;
        for (int p = 0; p < list->port_count; p++) {
            port = port || (list->port[p] == c && !list->own);
        }
        if (!port && place->along[c] == 0.0) {
            continue;
        }
        double *one = all + (size_t)c * count;
        TRY(component_gather(shop, place, c, one, error));
        for (size_t k = 0; place->along[c] != 0.0 && k < count; k++) {
            field[k] += place->along[c] * one[k];
        }
        grid_phase_remove(&shop->phase, list->result, &list->result->transmitters[shop->transmitter], place, 1, one);
    }
    for (size_t k = 0; list->own && k < count; k++) {
        double sum = 0.0;
        for (size_t c = 0; c < 3; c++) {
            sum += place->along[c] != 0.0 ? place->along[c] * all[c * count + k] : 0.0;
        }
        all[k] = sum; /* port 0 */
    }
    return PW_OK;
}

/* H at all frequencies from taps without padding at equal distances, by one Fourier transform: with f = f0 + k spacing
 * and delay n = delay 0 + n bin, spacing bin = 1/N, the sum over n of a exp(-j 2 pi (f - centre) delay) is exp(-j 2
 * pi k spacing delay 0) sum [a exp(-j 2 pi (f0 - centre) delay)] exp(-j 2 pi k n / N). The plan of the band has
 * the other sign in the exponent, hence the conjugates. */
static void response_transform(const struct channel_band *band, struct channel *channel, const double *coefficient,
                               const double *delay, double *response)
{
    int count = band->tap_count;
    double away = -2.0 * M_PI * (band->frequency[0] - band->centre), along = -2.0 * M_PI * band->spacing * delay[0];
    double phasor_re = cos(away * delay[0]), phasor_im = sin(away * delay[0]);
    double turn_re = cos(away * band->bin), turn_im = sin(away * band->bin);
    for (int n = 0; n < count; n++) {
        double re = coefficient[2 * n], im = coefficient[2 * n + 1];
        channel->padded[2 * n] = re * phasor_re - im * phasor_im;
        channel->padded[2 * n + 1] = -(re * phasor_im + im * phasor_re);
        double next = phasor_re * turn_re - phasor_im * turn_im;
        phasor_im = phasor_re * turn_im + phasor_im * turn_re;
        phasor_re = next;
    }
    fftw_execute_dft(band->plan, (fftw_complex *)channel->padded, (fftw_complex *)channel->circular);
    phasor_re = 1.0;
    phasor_im = 0.0;
    turn_re = cos(along);
    turn_im = sin(along);
    for (int k = 0; k < count; k++) {
        double re = channel->circular[2 * k], im = -channel->circular[2 * k + 1];
        response[2 * k] = re * phasor_re - im * phasor_im;
        response[2 * k + 1] = re * phasor_im + im * phasor_re;
        double next = phasor_re * turn_re - phasor_im * turn_im;
        phasor_im = phasor_re * turn_im + phasor_im * turn_re;
        phasor_re = next;
    }
}

/* Fills the response from the coefficients, and NAN where it is masked. */
static void response_fill(const struct channel_band *band, struct channel *channel, const double *coefficient,
                          const double *delay, double *response)
{
    if (band->tap_count > 0 && channel->slant.rise != 0.0) {
        const struct sum_axis axis = {band->frequency[0], band->spacing, band->centre, band->frequency_count};
        slanted_sum(&axis, band->tap_count, coefficient, delay, response);
    } else if (band->tap_count > 0) {
        response_transform(band, channel, coefficient, delay, response);
    }
    for (int f = 0; f < band->frequency_count; f++) {
        if (!band->usable[f]) {
            response[2 * f] = response[2 * f + 1] = NAN;
        } else if (band->tap_count == 0) {
            channel_plain_response(band, channel, f, &response[2 * f], &response[2 * f + 1]);
        }
    }
}

/* Coefficients and response of one field: taps without a window, over the path that `shown` has. */
static void port_evaluate(const struct channel_band *band, struct channel *channel, const double *field,
                          const struct channel *shown, double *coefficient, double *delay, double *response)
{
    struct slant ends = shown->ends;
    ends.exact = true;
    channel_set_field(band, field, 1, channel);
    channel_transform(band, shown->over_plan, &ends, channel);
    channel_taps_fill(band, channel, coefficient, delay);
    double free_space = SPEED_OF_LIGHT / (4.0 * M_PI * band->centre);
    for (int k = 0; k < 2 * band->tap_count; k++) {
        coefficient[k] *= free_space;
    }
    if (response != NULL) {
        response_fill(band, channel, coefficient, delay, response);
    }
}

/* The profile of pair n, whose channel was transformed: the same without the grid's phase, as a link has it. */
static void profile_fill(struct workshop *shop, const struct place *place, int n, struct channel *channel)
{
    const size_t delays = (size_t)shop->list->delay_count;
    double *field = shop->field + 2 * (size_t)n * (size_t)shop->taps.frequency_count;
    struct slant ends = channel->ends;
    ends.exact = true;
    grid_phase_remove(&shop->phase, shop->list->result, &shop->list->result->transmitters[shop->transmitter], place, 1,
                      field);
    channel_set_field(&shop->shown, field, 1, channel);
    channel_transform(&shop->shown, channel->over_plan, &ends, channel);
    memcpy(shop->profile + (size_t)n * delays, channel->power, delays * sizeof(double));
    for (size_t k = 0; k < delays; k++) {
        shop->profile_delay[(size_t)n * delays + k] = channel_arrival(channel, channel_delay(&shop->shown, (int)k));
    }
}

/* Pair n of the group, by one thread. */
static void pair_evaluate(struct workshop *shop, const struct place *place, int n)
{
    const struct pair_list *list = shop->list;
    const struct result_transmitter *from = &list->result->transmitters[shop->transmitter];
    struct channel *channels = shop->channels + 2 * (size_t)omp_get_thread_num();
    size_t frequencies = (size_t)shop->taps.frequency_count, taps = (size_t)shop->taps.tap_count, at = (size_t)n;
    double distance = place_distance(list->result, place, from), cross = NAN;
    const struct slant_end to = {place->x, place->y, place->height, place->antenna};
    const struct slant slant = slant_between(list->result, from, &to, &list->options.channel);
    const double *all = shop->all + 6 * at * frequencies, *field = shop->field + 2 * at * frequencies;
    if (list->port_count == 3 && !list->result->horizontal && !place->weighed) {
        cross = channel_cross_polar(&shop->shown, &channels[1], all, field);
    }
    channel_set_field(&shop->shown, field, 1, &channels[1]);
    channel_transform(&shop->shown, distance, &slant, &channels[1]);
    shop->metrics[n] = channel_metrics(&shop->shown, &channels[1], from->power, place->gain);
    shop->metrics[n].cross_polar_db = cross;
    place_tell(place, &shop->metrics[n]);
    if (shop->own[n].observed) {
        struct channel_delays delays = channel_delays_solved(&shop->shown, &channels[1]);
        own_band_doubt(&shop->own[n], &channels[1], &delays, &shop->metrics[n]);
    }
    if (shop->profile != NULL) {
        profile_fill(shop, place, n, &channels[1]);
    }
    for (int p = 0; p < list->port_count && !list->metrics_alone; p++) {
        size_t port = at * (size_t)list->port_count + (size_t)p;
        port_evaluate(&shop->taps, &channels[0], all + 2 * (size_t)list->port[p] * frequencies, &channels[1],
                      shop->coefficient + 2 * port * taps, shop->delay + at * taps,
                      list->no_response ? NULL : shop->response + 2 * port * frequencies);
    }
}

/* What port p of a recorded receiver hears: a component, or where ports are antennas of their own the sum of them. */
static pw_status port_recorded(struct workshop *shop, const struct place *place, int p, double *out, pw_error *error)
{
    const struct pair_list *list = shop->list;
    const size_t count = 2 * (size_t)list->response_count;
    double *one = shop->wide + (size_t)list->port_count * count;
    if (!list->own) {
        return recorded_response(shop->recorded, place, list->port[p], out, error);
    }
    memset(out, 0, count * sizeof *out);
    for (int c = 0; c < 3; c++) {
        if (place->along[c] == 0.0) {
            continue;
        }
        TRY(recorded_response(shop->recorded, place, c, one, error));
        for (size_t k = 0; k < count; k++) {
            out[k] += place->along[c] * one[k];
        }
    }
    return PW_OK;
}

/* The response of pair n of the group at the frequencies that are asked for; its error goes to *told. */
static pw_status response_asked(struct workshop *shop, const struct place *place, int n, double *told, pw_error *error)
{
    const struct pair_list *list = shop->list;
    const pw_pairs_options *options = &list->options;
    const size_t frequencies = (size_t)shop->taps.frequency_count;
    const bool recorded = place->receiver >= 0 && place->antenna.kind != ANTENNA_PATTERN;
    if (recorded && shop->recorded == NULL) {
        TRY_MADE(shop->recorded = allocate(1, sizeof *shop->recorded, "a recorded field", error));
        TRY(recorded_create(list->result, shop->transmitter, &shop->shown, options->frequencies,
                            options->frequency_count, shop->recorded, error));
    } else if (!recorded && shop->asked.count == 0) {
        TRY(asked_create(&shop->taps, &shop->shown, options->frequencies, options->frequency_count, &shop->asked,
                         error));
    }
    *told = recorded ? shop->recorded->asked.error : shop->asked.error;
    for (int p = 0; p < list->port_count; p++) {
        double *out = shop->wide + 2 * (size_t)p * (size_t)list->response_count;
        if (recorded) {
            TRY(port_recorded(shop, place, p, out, error));
        } else {
            const size_t port = (size_t)n * (size_t)list->port_count + (size_t)p;
            asked_take(&shop->asked, shop->response + 2 * port * frequencies, out);
        }
    }
    return PW_OK;
}

/* Places order[first..first+count-1] of one transmitter. */
static pw_status group_do(struct workshop *shop, int first, int count, pair_taker take, void *user, pw_error *error)
{
    const struct pair_list *list = shop->list;
    size_t frequencies = (size_t)shop->taps.frequency_count, taps = (size_t)shop->taps.tap_count;
    size_t ports = (size_t)list->port_count;
    for (int n = 0; n < count; n++) {
        const struct place *place = &list->places[list->order[first + n]];
        channel_band_free(&shop->own[n]);
        TRY(field_gather(shop, place, n, error));
        TRY(own_band_create(list->result, shop->transmitter, place, &list->options.channel, &shop->own[n], error));
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(shop->threads)
    for (int n = 0; n < count; n++) {
        pair_evaluate(shop, &list->places[list->order[first + n]], n);
    }
    for (int n = 0; n < count; n++) {
        const size_t profile = shop->profile != NULL ? (size_t)n * (size_t)list->delay_count : 0;
        struct pair pair = {.place = list->order[first + n],
                            .transmitter = shop->position,
                            .coefficient = shop->coefficient + 2 * (size_t)n * ports * taps,
                            .delay = shop->delay + (size_t)n * taps,
                            .response = shop->response + 2 * (size_t)n * ports * frequencies,
                            .profile = shop->profile + profile,
                            .profile_delay = shop->profile_delay + profile,
                            .metrics = shop->metrics[n]};
        if (shop->wide != NULL) {
            TRY(response_asked(shop, &list->places[pair.place], n, &pair.error, error));
            pair.response = shop->wide;
        }
        TRY(take(user, &pair, error));
    }
    return PW_OK;
}

static pw_status transmitter_do(const struct pair_list *list, int position, pair_taker take, void *user,
                                pw_error *error)
{
    OWNED_BY(workshop_free)
    struct workshop shop = {.list = list, .position = position, .transmitter = list->transmitters[position]};
    TRY(workshop_fill(&shop, error));
    for (int first = 0; first < list->place_count; first += GROUP) {
        int count = list->place_count - first < GROUP ? list->place_count - first : GROUP;
        TRY(group_do(&shop, first, count, take, user, error));
        double done = (position + (double)(first + count) / list->place_count) / list->transmitter_count;
        TRY(monitor_tell(&list->options.monitor, done, error));
    }
    return PW_OK;
}

pw_status pair_list_each(const struct pair_list *list, pair_taker take, void *user, pw_error *error)
{
    TRY(monitor_tell(&list->options.monitor, 0.0, error));
    for (int t = 0; t < list->transmitter_count; t++) {
        TRY(transmitter_do(list, t, take, user, error));
    }
    return PW_OK;
}
