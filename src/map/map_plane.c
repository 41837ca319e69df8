/* One transmitter's plane of a map. Spectra are read by bands of whole tiles; within a band the threads share the rows,
 * each with a channel of its own. */
#include "map/map_plane.h"

#include "channel/delay_guard.h"
#include "channel/link.h"
#include "channel/slant/heights.h"

#include "base/constants.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILE_ROWS = 8,           /* of the file's chunks */
    GATHER_CELLS = 16,       /* cells brought into order together: a cache line of the spectra serves four of them */
    BAND_ELEMENTS = 8 << 20, /* doubles of spectra in memory, as long as one row fits */
};

/* What the threads of one map share. */
struct survey {
    const struct result *result;
    const pw_map_options *options;
    const struct map *map;
    const struct map_sheet *sheet; /* that is read */
    struct channel_band band;
    struct channel *channels; /* (threads) */
    double *gather;           /* (threads, GATHER_CELLS, frequency_count, 2) */
    int threads;
};

static void survey_free(struct survey *survey)
{
    for (int t = 0; survey->channels != NULL && t < survey->threads; t++) {
        channel_free(&survey->channels[t]);
    }
    FREE_ALL(survey->channels, survey->gather);
    channel_band_free(&survey->band);
    survey->channels = NULL;
    survey->gather = NULL;
}

static pw_status survey_create(struct survey *survey, int transmitter, pw_error *error)
{
    const struct result *result = survey->result;
    const struct result_transmitter *from = &result->transmitters[transmitter];
    FAIL_IF(!from->soft, error, PW_BAD_INPUT,
            "transmitter '%s' is a hard source, which imposes a field; its current is not known, so it has no channel",
            from->name);
    TRY(link_band_create(result, transmitter, &survey->options->channel, &survey->band, error));
    if (!quantity_kind(survey->options->quantity)->power && survey->band.usable_count < MINIMUM_FREQUENCIES) {
        int usable = survey->band.usable_count;
        channel_band_free(&survey->band);
        return fail(
            error, PW_BAD_INPUT,
            "%s: a map of delays or of K needs %d frequencies at least, this has %d; run with spectra.count over that",
            result->path, MINIMUM_FREQUENCIES, usable);
    }
    survey->threads = omp_get_max_threads();
    size_t threads = (size_t)survey->threads, frequencies = (size_t)result->frequency_count;
    survey->channels = allocate(threads, sizeof *survey->channels, "channels", error);
    survey->gather = allocate(threads * GATHER_CELLS * frequencies, 2 * sizeof(double), "spectra of some cells", error);
    pw_status status = survey->channels == NULL || survey->gather == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int t = 0; status == PW_OK && t < survey->threads; t++) {
        status = channel_create(&survey->band, &survey->channels[t], error);
    }
    if (status != PW_OK) {
        survey_free(survey);
    }
    return status;
}

/* A delay in ns, or NAN where the guard finds that it may be over 10 % wrong. */
static double delay_value(const struct survey *survey, struct channel *channel, uint8_t *mark)
{
    struct channel_delays delays = channel_delays(&survey->band, channel);
    struct channel_delays solved = channel->late.gain > 0.0 ? channel_delays_solved(&survey->band, channel) : delays;
    struct delay_doubt doubt = delay_guard(&survey->band, channel, &solved);
    pw_quantity quantity = survey->options->quantity;
    double error = quantity == PW_MEAN_DELAY ? doubt.mean_error : doubt.rms_error;
    const double delay = quantity == PW_RMS_DELAY_SPREAD ? delays.rms_spread
                         : quantity == PW_MEAN_DELAY     ? delays.mean_excess
                                                         : delays.maximum_excess;
    bool small = delay < channel_resolution(&survey->band);
    if (error > DELAY_ERROR_LIMIT) {
        *mark = doubt.cause == PW_DELAY_RUN_SHORT ? MAP_MARK_RUN_SHORT : MAP_MARK_SPECTRA_FEW;
        return NAN;
    }
    *mark = small ? MAP_MARK_SMALL : MAP_MARK_NONE;
    return 1e9 * delay;
}

/* One cell; powers stay linear, so that they can be averaged. */
static double cell_value(const struct survey *survey, const double *field, double distance, const struct slant *slant,
                         struct channel *channel, uint8_t *mark)
{
    const struct channel_band *band = &survey->band;
    channel_set_field(band, field, 1, channel);
    const bool through = band->storey != NULL || band->diffuse != NULL;
    if (through) { /* K and coherence too are those with floor and ceiling */
        channel_transform(band, distance, slant, channel);
    }
    switch (survey->options->quantity) {
    case PW_K_FACTOR:
        return 10.0 * log10(channel_rician_k(band, channel));
    case PW_COHERENCE_50:
        return 1e-6 * channel_coherence_bandwidth(band, channel, 0.5);
    case PW_COHERENCE_90:
        return 1e-6 * channel_coherence_bandwidth(band, channel, 0.9);
    default:
        break;
    }
    if (!through) {
        channel_transform(band, distance, slant, channel);
    }
    return quantity_kind(survey->options->quantity)->delay ? delay_value(survey, channel, mark)
                                                           : channel_path_gain(band, channel);
}

/* The cells column..column+count-1 of a row: their spectra, which lie `columns` apart in `spectra`, are brought
 * together first. */
static void cells_compute(const struct survey *survey, const struct result_transmitter *from, const double *spectra,
                          size_t plane, int row, int column, double *out)
{
    const struct map *map = survey->map;
    const struct result_sheet *sheet = &from->sheets[survey->sheet->sheet];
    int thread = omp_get_thread_num(), frequencies = survey->band.frequency_count;
    int count = map->columns - column < GATHER_CELLS ? map->columns - column : GATHER_CELLS;
    double *gather = survey->gather + (size_t)thread * GATHER_CELLS * 2 * (size_t)frequencies;
    for (int f = 0; f < frequencies; f++) {
        const double *line = spectra + 2 * (plane * (size_t)f + (size_t)column);
        for (int c = 0; c < count; c++) {
            memcpy(gather + 2 * ((size_t)c * (size_t)frequencies + (size_t)f), line + 2 * c, 2 * sizeof(double));
        }
    }
    for (int c = 0; c < count; c++) {
        double x = sheet->column_axis[survey->sheet->column_first + column + c];
        double y = sheet->row_axis[survey->sheet->row_first + row];
        size_t at = (size_t)row * (size_t)map->columns + (size_t)(column + c);
        uint8_t mark = MAP_MARK_NONE;
        const pw_channel_options *options = &survey->options->channel;
        const struct slant_end to = {.x = x, .y = y, .height = options->receiver_height};
        const struct slant slant = slant_between(survey->result, from, &to, options);
        out[column + c] =
            cell_value(survey, gather + 2 * (size_t)c * (size_t)frequencies,
                       result_distance(survey->result, from, x, y), &slant, &survey->channels[thread], &mark);
        if (map->mark != NULL) {
            map->mark[at] = mark;
        }
    }
}

/* Rows of a band: whole tiles of the file, as many as BAND_ELEMENTS hold. */
static int band_rows(const struct map *map, int frequencies)
{
    int64_t row = 2 * (int64_t)frequencies * map->columns, fit = BAND_ELEMENTS / row;
    fit = fit > TILE_ROWS ? fit / TILE_ROWS * TILE_ROWS : fit;
    fit = fit < 1 ? 1 : fit;
    return fit < map->rows ? (int)fit : map->rows;
}

/* Spectra of some rows of the map in memory, from its first column on. */
struct rows {
    const double *values;
    size_t columns; /* from one row to the next */
    size_t plane;   /* from one frequency to the next */
    int first, count;
};

/* All threads share the rows. */
static void rows_compute(const struct survey *survey, const struct result_transmitter *from, const struct rows *rows,
                         double *plane)
{
    const int map_columns = survey->map->columns, blocks = (map_columns + GATHER_CELLS - 1) / GATHER_CELLS;
#pragma omp parallel for schedule(dynamic, 4) num_threads(survey->threads)
    for (int task = 0; task < rows->count * blocks; task++) {
        int row = task / blocks, column = task % blocks * GATHER_CELLS;
        cells_compute(survey, from, rows->values + 2 * (size_t)row * rows->columns, rows->plane, rows->first + row,
                      column, plane + (size_t)(rows->first + row) * (size_t)map_columns);
    }
}

/* From the file, in bands. */
static pw_status bands_compute(struct survey *survey, int transmitter, const pw_monitor *monitor, double *plane,
                               pw_error *error)
{
    const struct result *result = survey->result;
    const struct map *map = survey->map;
    int step = band_rows(map, result->frequency_count);
    size_t row_size = (size_t)map->columns;
    OWNED double *spectra = allocate((size_t)step * row_size * (size_t)result->frequency_count, 2 * sizeof(double),
                                     "a band of spectra", error);
    TRY_MADE(spectra);
    int count;
    for (int first = 0; first < map->rows; first += count) {
        /* Up to the next edge of a tile, where there is one. */
        const pw_block block = {survey->sheet->row_first + first, 0, survey->sheet->column_first, map->columns};
        count = step > TILE_ROWS ? step - block.row_first % TILE_ROWS : step;
        count = map->rows - first < count ? map->rows - first : count;
        TRY(result_read_sheet(result, transmitter, survey->sheet->sheet,
                              &(pw_block){block.row_first, count, block.column_first, block.column_count}, spectra,
                              error));
        const struct rows rows = {spectra, row_size, (size_t)count * row_size, first, count};
        rows_compute(survey, &result->transmitters[transmitter], &rows, plane);
        TRY(monitor_tell(monitor, (double)(first + count) / map->rows, error));
    }
    return PW_OK;
}

/* Fills plane (rows, columns) for one transmitter from one sheet. */
static pw_status sheet_compute(struct survey *survey, int transmitter, const pw_monitor *monitor, double *plane,
                               pw_error *error)
{
    const struct result_transmitter *from = &survey->result->transmitters[transmitter];
    const struct result_sheet *sheet = &from->sheets[survey->sheet->sheet];
    TRY(monitor_tell(monitor, 0.0, error));
    if (sheet->values == NULL) {
        return bands_compute(survey, transmitter, monitor, plane, error);
    }
    size_t columns = (size_t)sheet->columns,
           first = (size_t)survey->sheet->row_first * columns + (size_t)survey->sheet->column_first;
    rows_compute(survey, from,
                 &(struct rows){.values = sheet->values + 2 * first,
                                .columns = columns,
                                .plane = (size_t)sheet->rows * columns,
                                .count = survey->map->rows},
                 plane);
    return monitor_tell(monitor, 1.0, error);
}

/* Fills plane (rows, columns) for one transmitter; of several sheets it has the sum of their powers. */
static pw_status plane_compute(struct survey *survey, int transmitter, const pw_monitor *monitor, double *plane,
                               pw_error *error)
{
    const struct map *map = survey->map;
    survey->sheet = &map->sheets[0];
    TRY(sheet_compute(survey, transmitter, monitor, plane, error));
    size_t count = (size_t)map->rows * (size_t)map->columns;
    OWNED double *other = map->sheet_count > 1 ? allocate(count, sizeof *other, "a map", error) : NULL;
    TRY_MADE(map->sheet_count <= 1 || other != NULL);
    for (int n = 1; n < map->sheet_count; n++) {
        survey->sheet = &map->sheets[n];
        TRY(sheet_compute(survey, transmitter, monitor, other, error));
        for (size_t k = 0; k < count; k++) {
            /* A component that has no field at all is not defined, but the sum of the others is. */
            plane[k] = isnan(plane[k]) ? other[k] : isnan(other[k]) ? plane[k] : plane[k] + other[k];
        }
    }
    return PW_OK;
}

/* One axis of the mean: line (count, stride) into sums of what is defined and of its weight. */
static void box_line(const double *sum, const double *weight, int count, size_t stride, double half, double *sum_out,
                     double *weight_out)
{
    int reach = (int)ceil(half - 0.5);
    for (int n = 0; n < count; n++) {
        double s = 0.0, w = 0.0;
        for (int m = -reach; m <= reach; m++) {
            if (n + m < 0 || n + m >= count) {
                continue;
            }
            double share = fmin(1.0, half + 0.5 - abs(m)); /* overlap of the cell with the box */
            s += share * sum[(size_t)(n + m) * stride];
            w += share * weight[(size_t)(n + m) * stride];
        }
        sum_out[(size_t)n * stride] = s;
        weight_out[(size_t)n * stride] = w;
    }
}

pw_status map_box_mean(double *plane, int rows, int columns, double width_x, double width_y, pw_error *error)
{
    size_t count = (size_t)rows * (size_t)columns;
    double *buffer = allocate(4 * count, sizeof *buffer, "a local mean", error);
    TRY_MADE(buffer);
    double *sum = buffer, *weight = buffer + count, *sum_x = buffer + 2 * count, *weight_x = buffer + 3 * count;
    for (size_t n = 0; n < count; n++) {
        sum[n] = isnan(plane[n]) ? 0.0 : plane[n];
        weight[n] = isnan(plane[n]) ? 0.0 : 1.0;
    }
    double half_x = fmax(0.5, 0.5 * width_x), half_y = fmax(0.5, 0.5 * width_y);
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; row++) {
        size_t at = (size_t)row * (size_t)columns;
        box_line(sum + at, weight + at, columns, 1, half_x, sum_x + at, weight_x + at);
    }
#pragma omp parallel for schedule(static)
    for (int column = 0; column < columns; column++) {
        box_line(sum_x + column, weight_x + column, rows, (size_t)columns, half_y, sum + column, weight + column);
    }
    for (size_t n = 0; n < count; n++) {
        plane[n] = isnan(plane[n]) ? NAN : sum[n] / weight[n];
    }
    free(buffer);
    return PW_OK;
}

double map_mean_width(const pw_map_options *options, double centre)
{
    return !options->local_mean ? 0.0 : options->mean_width > 0.0 ? options->mean_width : SPEED_OF_LIGHT / centre;
}

pw_status map_plane(const struct result *result, const pw_map_options *options, struct map *map, int transmitter,
                    const pw_monitor *monitor, double *plane, pw_error *error)
{
    struct survey survey = {.result = result, .options = options, .map = map};
    TRY(survey_create(&survey, transmitter, error));
    pw_status status = plane_compute(&survey, transmitter, monitor, plane, error);
    map->centre = survey.band.centre;
    map->resolution = channel_resolution(&survey.band);
    map->mean_width = map_mean_width(options, map->centre);
    double budget = 0.0;
    if (map->quantity == PW_PATH_LOSS) {
        budget = channel_link_budget(&survey.band, 0.0, 0.0);
    } else if (map->quantity != PW_PATH_GAIN) {
        budget = channel_link_budget(&survey.band, result->transmitters[transmitter].power, options->receiver_gain);
    }
    survey_free(&survey);
    TRY(status);
    if (!quantity_kind(map->quantity)->power) {
        return PW_OK;
    }
    if (map->mean_width > 0.0) {
        /* Twice the floor reaches from everywhere to everywhere. */
        double cells_x = fmin(map->mean_width / map->pitch_x, 2.0 * map->columns);
        double cells_y = fmin(map->mean_width / map->pitch_y, 2.0 * map->rows);
        TRY(map_box_mean(plane, map->rows, map->columns, cells_x, cells_y, error));
    }
    for (size_t n = 0; n < (size_t)map->rows * (size_t)map->columns; n++) {
        plane[n] = budget + 10.0 * log10(plane[n]);
        plane[n] = map->quantity == PW_PATH_LOSS ? -plane[n] : plane[n];
    }
    return PW_OK;
}
