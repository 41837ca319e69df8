/* Cells of readings (cells.h): readings are sorted by cell, and within it by place. */
#include "calibrate/joint/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_LEAST = 4 };
static const double PLACES = 0.25; /* side of the squares that are one place, in wavelengths */

/* A reading with all that sorts it: station, held, cell, place, number. */
struct sorted {
    int transmitter, held, device;
    double frequency;
    int64_t cell[2], place[3];
    int number;
};

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_cells(const struct sorted *a, const struct sorted *b)
{
    int by = order(a->transmitter, b->transmitter);
    by = by != 0 ? by : order(a->held, b->held);
    by = by != 0 ? by : order(a->device, b->device);
    by = by != 0 ? by : (a->frequency > b->frequency) - (a->frequency < b->frequency);
    by = by != 0 ? by : order(a->cell[1], b->cell[1]);
    return by != 0 ? by : order(a->cell[0], b->cell[0]);
}

static int compare_places(const struct sorted *a, const struct sorted *b)
{
    int by = compare_cells(a, b);
    for (int n = 0; n < 3; n++) {
        by = by != 0 ? by : order(a->place[n], b->place[n]);
    }
    return by;
}

static int compare_all(const void *a, const void *b)
{
    const struct sorted *first = a, *second = b;
    int by = compare_places(first, second);
    return by != 0 ? by : order(first->number, second->number);
}

void cells_free(struct cells *cells)
{
    for (int s = 0; cells->stations != NULL && s < cells->station_count; s++) {
        measured_free(&cells->stations[s].places);
        free(cells->stations[s].cell);
        free(cells->stations[s].weight);
    }
    free(cells->stations);
    free(cells->of_reading);
    free(cells->devices);
    free(cells->cells);
    *cells = (struct cells){0};
}

static pw_status reading_check(const pw_reading *reading, const char *path, int line, pw_error *error)
{
    bool good = isfinite(reading->x) && isfinite(reading->y) && !isinf(reading->height) && reading->power >= -300.0 &&
                reading->power <= 100.0 && reading->frequency >= 0.0 && isfinite(reading->frequency);
    return good ? PW_OK
                : fail(error, PW_BAD_INPUT,
                       "%s:%d: (%g, %g) m, %g dBm, %g Hz: finite positions, powers from -300 to 100 dBm and "
                       "frequencies of 0 (whole band) or more are allowed",
                       path, line, reading->x, reading->y, reading->power, reading->frequency);
}

static int line_of(const struct readings *readings, int number)
{
    return readings->lines != NULL ? readings->lines[number] : number + 1;
}

/* Devices count in the order in which the readings name them first. */
static int device_find(struct cells *cells, const char *name)
{
    name = name != NULL ? name : "";
    for (int d = 0; d < cells->device_count; d++) {
        if (strcmp(cells->devices[d], name) == 0) {
            return d;
        }
    }
    if (cells->device_count == PW_JOINT_DEVICES) {
        return -1;
    }
    cells->devices[cells->device_count] = name;
    return cells->device_count++;
}

static pw_status device_take(struct cells *cells, const char *name, const char *path, int line, int *device,
                             pw_error *error)
{
    *device = device_find(cells, name);
    return *device >= 0 ? PW_OK
                        : fail(error, PW_BAD_INPUT, "%s:%d: the device '%.40s' is one too many; allowed are %d", path,
                               line, name, PW_JOINT_DEVICES);
}

static pw_status sorted_fill(const pw_result *result, const struct readings *readings, const pw_joint_options *options,
                             struct cells *cells, struct sorted *sorted, pw_error *error)
{
    int count = readings->count;
    double place = PLACES * PW_SPEED_OF_LIGHT / pw_result_describe(result).band_centre;
    for (int n = 0; n < count; n++) {
        const pw_reading *from = &readings->readings[n];
        TRY(reading_check(from, readings->path, line_of(readings, n), error));
        int transmitter, device;
        TRY(pw_result_find_transmitter(result, from->transmitter, &transmitter, error));
        TRY(device_take(cells, from->device, readings->path, line_of(readings, n), &device, error));
        cells->facing = cells->facing && !isnan(from->facing);
        bool gathered = options->gather > 0.0;
        double height = isnan(from->height) ? -1e6 : from->height;
        sorted[n] = (struct sorted){
            .transmitter = transmitter,
            .device = device,
            .held = from->held,
            .frequency = from->frequency,
            .cell = {gathered ? (int64_t)floor(from->x / options->gather) : n,
                     gathered ? (int64_t)floor(from->y / options->gather) : 0},
            .place = {(int64_t)floor(from->y / place), (int64_t)floor(from->x / place), (int64_t)floor(height / place)},
            .number = n};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_all);
    return PW_OK;
}

/* ---- from sorted readings to cells and places ---- */

static int run_length(const struct sorted *sorted, int count,
                      int (*compare)(const struct sorted *, const struct sorted *))
{
    int length = 1;
    while (length < count && compare(&sorted[0], &sorted[length]) == 0) {
        length++;
    }
    return length;
}

/* Whether a reading is a limit alone, and which [dBm]. */
static bool is_below(const struct cells *cells, const pw_reading *reading, double *limit)
{
    bool weak = !reading->below && reading->power <= cells->sensitivity; /* false: not known */
    *limit = weak ? cells->sensitivity : reading->power;
    return weak || reading->below;
}

/* Half of 1 - cos of the angle between where the carrier faces and where the transmitter is. */
static double shade_of(const pw_reading *reading, const struct station *station)
{
    const double dx = station->x - reading->x, dy = station->y - reading->y, away = hypot(dx, dy);
    const double cosine = dx * cos(reading->facing * M_PI / 180) + dy * sin(reading->facing * M_PI / 180);
    return away > 0.0 ? 0.5 * (1.0 - cosine / away) : 0.5;
}

/* Readings that were too weak count with their limits. Where they are most, the cell's level is a limit too. */
static void cell_fill(struct cells *cells, const struct sorted *sorted, int count, const pw_reading *readings,
                      int station)
{
    struct cell cell = {.station = station,
                        .held = sorted[0].held != 0,
                        .readings = count,
                        .device = sorted[0].device,
                        .frequency = sorted[0].frequency,
                        .fold = -1};
    double sum = 0.0, power;
    int below = 0;
    for (int n = 0; n < count; n++) {
        const pw_reading *reading = &readings[sorted[n].number];
        below += is_below(cells, reading, &power);
        cell.shade += cells->facing ? shade_of(reading, &cells->stations[station]) / count : 0.0;
        cell.x += reading->x / count;
        cell.y += reading->y / count;
        sum += (cells->mean_of_levels ? power : pow(10.0, 0.1 * power)) / count;
        cells->of_reading[sorted[n].number] = cells->count;
    }
    cell.level = cells->mean_of_levels ? sum : 10.0 * log10(sum);
    cell.below = 2 * below > count;
    cells->fitted += !cell.held;
    cells->below += cell.below && !cell.held;
    cells->readings += cell.held ? 0 : count;
    cells->cells[cells->count++] = cell;
}

/* The readings of one place: their mean position, and the number of the first for messages. */
static void place_add(struct station *station, const struct sorted *sorted, int count, const struct readings *readings,
                      int cell)
{
    struct measured_point point = {.frequency = sorted[0].frequency,
                                   .height = readings->readings[sorted[0].number].height,
                                   .line = line_of(readings, sorted[0].number)};
    for (int n = 0; n < count; n++) {
        point.x += readings->readings[sorted[n].number].x / count;
        point.y += readings->readings[sorted[n].number].y / count;
    }
    int at = station->places.count++;
    station->places.has_heights = station->places.has_heights || !isnan(point.height);
    station->places.points[at] = point;
    station->cell[at] = cell;
    station->weight[at] = count;
}

static pw_status station_fill(struct cells *cells, const struct sorted *sorted, int count,
                              const struct readings *readings, int least, pw_error *error)
{
    struct station *station = &cells->stations[cells->station_count - 1];
    station->places.points = allocate((size_t)count, sizeof *station->places.points, "places of readings", error);
    station->cell = allocate((size_t)count, sizeof *station->cell, "places of readings", error);
    station->weight = allocate((size_t)count, sizeof *station->weight, "places of readings", error);
    TRY_MADE(station->places.points != NULL && station->cell != NULL && station->weight != NULL);
    int together;
    for (int first = 0; first < count; first += together) {
        together = run_length(&sorted[first], count - first, compare_cells);
        if (together < least) {
            continue;
        }
        int cell = cells->count, same;
        cell_fill(cells, &sorted[first], together, readings->readings, cells->station_count - 1);
        for (int n = first; n < first + together; n += same) {
            same = run_length(&sorted[n], first + together - n, compare_places);
            place_add(station, &sorted[n], same, readings, cell);
        }
    }
    return PW_OK;
}

/* ---- blocks ---- */

struct block {
    int64_t x, y;
    int cell;
};

static int compare_blocks(const void *a, const void *b)
{
    const struct block *first = a, *second = b;
    int by = order(first->y, second->y);
    by = by != 0 ? by : order(first->x, second->x);
    return by != 0 ? by : order(first->cell, second->cell);
}

/* Blocks of the fitted cells get numbers and are dealt to folds in an order that chance made once and for all. */
static pw_status blocks_make(struct cells *cells, double side, pw_error *error)
{
    struct block *blocks = allocate((size_t)cells->count, 2 * sizeof *blocks, "blocks of cells", error);
    TRY_MADE(blocks);
    int fitted = 0;
    for (int n = 0; n < cells->count; n++) {
        if (!cells->cells[n].held) {
            blocks[fitted++] =
                (struct block){(int64_t)floor(cells->cells[n].x / side), (int64_t)floor(cells->cells[n].y / side), n};
        }
    }
    qsort(blocks, (size_t)fitted, sizeof *blocks, compare_blocks);
    for (int n = 0; n < fitted; n++) {
        bool fresh = n == 0 || blocks[n].x != blocks[n - 1].x || blocks[n].y != blocks[n - 1].y;
        cells->block_count += fresh;
        cells->cells[blocks[n].cell].block = cells->block_count - 1;
    }
    struct block *drawn = blocks + cells->count;
    for (int b = 0; b < cells->block_count; b++) {
        drawn[b] = (struct block){(int64_t)(pw_random_hash((uint64_t)b * 0x9e3779b97f4a7c15u) >> 1), 0, b};
    }
    qsort(drawn, (size_t)cells->block_count, sizeof *drawn, compare_blocks);
    cells->fold_count = cells->block_count < BLOCKS_LEAST ? 0
                        : cells->block_count < FOLDS_MOST ? cells->block_count
                                                          : FOLDS_MOST;
    for (int n = 0; n < fitted && cells->fold_count > 0; n++) {
        struct cell *cell = &cells->cells[blocks[n].cell];
        int rank = 0;
        while (drawn[rank].cell != cell->block) {
            rank++;
        }
        cell->fold = rank % cells->fold_count;
    }
    for (int n = 0; n < fitted; n++) {
        const struct cell *cell = &cells->cells[blocks[n].cell];
        struct station *station = &cells->stations[cell->station];
        station->received += !cell->below;
        if (cell->fold >= 0) {
            station->received_of_fold[cell->fold] += !cell->below;
        }
    }
    free(blocks);
    return PW_OK;
}

pw_status cells_make(const pw_result *result, const struct readings *readings, const pw_joint_options *options,
                     struct cells *cells, pw_error *error)
{
    int count = readings->count;
    *cells =
        (struct cells){.mean_of_levels = options->mean_of_levels, .sensitivity = options->sensitivity, .facing = true};
    struct sorted *sorted = allocate((size_t)count, sizeof *sorted, "measured readings", error);
    cells->cells = allocate((size_t)count, sizeof *cells->cells, "cells of readings", error);
    cells->of_reading = allocate((size_t)count, sizeof *cells->of_reading, "cells of readings", error);
    cells->stations = allocate((size_t)pw_result_describe(result).transmitter_count, sizeof *cells->stations,
                               "transmitters of readings", error);
    cells->devices = allocate(PW_JOINT_DEVICES, sizeof *cells->devices, "devices of readings", error);
    bool room = cells->devices != NULL && sorted != NULL && cells->cells != NULL && cells->of_reading != NULL &&
                cells->stations != NULL;
    pw_status status = room ? sorted_fill(result, readings, options, cells, sorted, error) : PW_NO_RESOURCE;
    for (int n = 0; status == PW_OK && n < count; n++) {
        cells->of_reading[n] = -1;
    }
    int together;
    for (int first = 0; status == PW_OK && first < count; first += together) {
        together = 1;
        while (first + together < count && sorted[first + together].transmitter == sorted[first].transmitter) {
            together++;
        }
        struct station *station = &cells->stations[cells->station_count++];
        pw_transmitter facts;
        station->places.path = readings->path;
        status = pw_result_transmitter(result, sorted[first].transmitter, &facts, error);
        if (status == PW_OK) {
            snprintf(station->name, sizeof station->name, "%s", facts.name);
            station->x = facts.x;
            station->y = facts.y;
            status = station_fill(cells, &sorted[first], together, readings, options->least_readings, error);
        }
    }
    THEN(status, blocks_make(cells, options->blocks, error));
    free(sorted);
    if (status != PW_OK) {
        cells_free(cells);
    }
    return status;
}

/* ---- predictions and scores ---- */

static double distance_to(const pw_transmitter *from, const struct measured_point *point,
                          const pw_channel_options *channel)
{
    double rise = (isnan(point->height) ? channel->receiver_height : point->height) -
                  (isnan(from->height) ? channel->transmitter_height : from->height);
    return hypot(hypot(point->x - from->x, point->y - from->y), isnan(rise) ? 0.0 : rise);
}

static pw_status station_predict(const struct cells *cells, const struct station *station, const pw_result *result,
                                 const pw_calibration_options *options, double *levels, double *distances,
                                 pw_error *error)
{
    int transmitter;
    pw_transmitter from;
    TRY(pw_result_find_transmitter(result, station->name, &transmitter, error));
    TRY(pw_result_transmitter(result, transmitter, &from, error));
    OWNED double *predicted = allocate((size_t)station->places.count, sizeof *predicted, "predictions", error);
    TRY_MADE(predicted);
    TRY(measured_predict(&station->places, result, options, predicted, error));
    for (int n = 0; n < station->places.count; n++) {
        int cell = station->cell[n];
        double share = station->weight[n] / cells->cells[cell].readings;
        double away = distance_to(&from, &station->places.points[n], &options->channel);
        levels[cell] += share * (cells->mean_of_levels ? predicted[n] : pow(10.0, 0.1 * predicted[n]));
        distances[cell] += share * 10.0 * log10(fmax(away, PW_SPEED_OF_LIGHT / pw_result_describe(result).band_centre));
    }
    return PW_OK;
}

pw_status cells_predict(const struct cells *cells, const pw_result *result, const pw_joint_options *options,
                        double height, double *levels, double *distances, pw_error *error)
{
    memset(levels, 0, (size_t)cells->count * sizeof *levels);
    memset(distances, 0, (size_t)cells->count * sizeof *distances);
    for (int s = 0; s < cells->station_count; s++) {
        const struct station *station = &cells->stations[s];
        pw_calibration_options one = pw_calibration_options_default();
        one.channel = options->channel;
        one.receiver_gain = options->receiver_gain;
        one.mean_width = options->mean_width;
        one.transmitter = station->name;
        one.channel.receiver_height = isnan(height) ? options->channel.receiver_height : height;
        TRY(station_predict(cells, station, result, &one, levels, distances, error));
    }
    for (int n = 0; n < cells->count && !cells->mean_of_levels; n++) {
        levels[n] = 10.0 * log10(levels[n]);
    }
    return PW_OK;
}

bool cells_station_fitted(const struct cells *cells, int station, int fold)
{
    const struct station *one = &cells->stations[station];
    return one->received > (fold >= 0 ? one->received_of_fold[fold] : 0);
}

pw_joint_below cells_below(const struct cells *cells, const double *values, bool held)
{
    pw_joint_below found = {0, 0};
    for (int n = 0; n < cells->count; n++) {
        const struct cell *cell = &cells->cells[n];
        bool counts = cell->below && cell->held == held && !isnan(values[n]);
        found.count += counts;
        found.predicted += counts && values[n] <= cell->level;
    }
    return found;
}

pw_calibration_score cells_score(const struct cells *cells, const double *values, bool held, int station)
{
    double count = 0, v = 0, m = 0, square = 0, vv = 0, mm = 0, vm = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < cells->count; n++) {
            const struct cell *cell = &cells->cells[n];
            if (cell->held != held || cell->below || (station >= 0 && cell->station != station) || isnan(values[n])) {
                continue;
            }
            if (pass == 0) {
                count++;
                v += values[n];
                m += cell->level;
                square += (values[n] - cell->level) * (values[n] - cell->level);
            } else {
                vv += (values[n] - v / count) * (values[n] - v / count);
                mm += (cell->level - m / count) * (cell->level - m / count);
                vm += (values[n] - v / count) * (cell->level - m / count);
            }
        }
    }
    return (pw_calibration_score){
        .count = (int)count,
        .bias = count > 0 ? (v - m) / count : NAN,
        .rmse = count > 0 ? sqrt(square / count) : NAN,
        .correlation = count > 2 && vv > 0.0 && mm > 0.0 ? vm / sqrt(vv * mm) : NAN,
    };
}
