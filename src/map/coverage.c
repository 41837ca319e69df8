/* Counts the cells over thresholds (coverage.h), and hands the shares to callers. Tables are written by
 * coverage_write.c. */
#include "map/coverage.h"

#include "map/map.h"
#include "map/map_servers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THRESHOLD_LIMIT = 64 };

static const double usual_powers[] = {-50.0, -60.0, -67.0, -70.0, -75.0, -80.0, -85.0, -90.0}; /* dBm */
static const double usual_ratios[] = {40.0, 30.0, 25.0, 20.0, 15.0, 10.0, 5.0, 0.0};           /* dB */
static const double usual_losses[] = {40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0};       /* dB */
static const double usual_gains[] = {0.0, -10.0, -20.0, -30.0, -40.0, -50.0, -60.0, -70.0};    /* dB */

static void thresholds_choose(const pw_coverage_options *options, struct coverage *coverage)
{
    pw_quantity quantity = options->map.quantity;
    coverage->thresholds = options->thresholds;
    coverage->threshold_count = options->threshold_count;
    if (coverage->thresholds == NULL || coverage->threshold_count == 0) {
        coverage->thresholds = quantity == PW_PATH_GAIN        ? usual_gains
                               : quantity == PW_PATH_LOSS      ? usual_losses
                               : quantity == PW_RECEIVED_POWER ? usual_powers
                                                               : usual_ratios;
        coverage->threshold_count = sizeof usual_powers / sizeof *usual_powers;
    }
}

static pw_status options_check(const pw_coverage_options *options, pw_error *error)
{
    pw_quantity quantity = options->map.quantity;
    FAIL_IF(quantity != PW_PATH_GAIN && quantity != PW_PATH_LOSS && quantity != PW_RECEIVED_POWER &&
                quantity != PW_SNR && quantity != PW_SINR,
            error, PW_USAGE,
            "coverage cannot be counted by %s; allowed: path-gain, path-loss, received-power, snr, sinr",
            pw_quantity_name(quantity));
    FAIL_IF(options->threshold_count > THRESHOLD_LIMIT, error, PW_USAGE, "%d thresholds; allowed are %d",
            options->threshold_count, THRESHOLD_LIMIT);
    for (int n = 0; n < options->threshold_count; n++) {
        FAIL_IF(!isfinite(options->thresholds[n]), error, PW_USAGE, "threshold %g: it must be finite",
                options->thresholds[n]);
    }
    return PW_OK;
}

bool coverage_holds(const struct coverage *coverage, const pw_area *area, size_t n)
{
    const struct map *map = &coverage->map;
    if (area == NULL) {
        return coverage->counted[n];
    }
    double x = map->x0 + (double)(n % (size_t)map->columns) * map->pitch_x;
    double y = map->y0 + (double)(n / (size_t)map->columns) * map->pitch_y;
    return x >= fmin(area->x0, area->x1) && x <= fmax(area->x0, area->x1) && y >= fmin(area->y0, area->y1) &&
           y <= fmax(area->y0, area->y1);
}

/* The cells of an area (NULL: the floor), and how many of them meet each threshold in a column. */
static int64_t cells_count(const struct coverage *coverage, const struct map_servers *servers, const pw_area *area,
                           int transmitter, int64_t over[THRESHOLD_LIMIT])
{
    size_t count = (size_t)coverage->map.rows * (size_t)coverage->map.columns;
    int64_t cells = 0;
    memset(over, 0, THRESHOLD_LIMIT * sizeof *over);
    for (size_t n = 0; n < count; n++) {
        if (coverage_holds(coverage, area, n)) {
            double level = map_servers_level(servers, coverage->map.quantity, transmitter, n);
            for (int t = 0; t < coverage->threshold_count; t++) {
                over[t] += servers->falls ? level <= coverage->thresholds[t] : level >= coverage->thresholds[t];
            }
            cells++;
        }
    }
    return cells;
}

/* The shares (threshold, column) of an area; returns its cells. */
static int64_t area_fill(const struct coverage *coverage, const struct map_servers *servers, const pw_area *area,
                         int index, pw_share *shares)
{
    int64_t over[THRESHOLD_LIMIT], cells = 0;
    for (int column = 0; column < coverage->columns; column++) {
        int transmitter = coverage_transmitter(coverage, column);
        cells = cells_count(coverage, servers, area, transmitter, over);
        for (int t = 0; t < coverage->threshold_count; t++) {
            shares[t * coverage->columns + column] = (pw_share){
                .area = index,
                .transmitter = transmitter,
                .threshold = coverage->thresholds[t],
                .cells = cells,
                .over = over[t],
                .square_metres = area == NULL ? coverage->floor.square_metres
                                              : (double)cells * coverage->map.pitch_x * coverage->map.pitch_y,
                .fraction = (double)over[t] / (double)cells};
        }
    }
    return cells;
}

static pw_status parts_fill(const struct coverage *coverage, const struct map_servers *servers,
                            const pw_coverage_options *options, pw_share *shares, pw_error *error)
{
    size_t part_size = (size_t)coverage->threshold_count * (size_t)coverage->columns;
    for (int part = 0; part < coverage->parts; part++) {
        const pw_area *area = part == 0 ? NULL : &options->areas[part - 1];
        int64_t cells = area_fill(coverage, servers, area, part - 1, shares + (size_t)part * part_size);
        if (area != NULL && cells == 0) {
            return coverage_area_empty(area, error);
        }
    }
    return PW_OK;
}

pw_status coverage_area_empty(const pw_area *area, pw_error *error)
{
    return fail(error, PW_USAGE, "area '%s' from (%g, %g) m to (%g, %g) m: no cell of the map lies in it", area->name,
                area->x0, area->y0, area->x1, area->y1);
}

void coverage_columns(const struct result *result, const pw_coverage_options *options, struct coverage *coverage)
{
    coverage->parts = 1 + options->area_count;
    bool best = map_takes_best(result, &options->map), all = best && options->map.transmitter == NULL;
    coverage->first = best ? 0 : coverage->map.transmitter;
    coverage->best = best;
    coverage->columns = all ? result->transmitter_count + 1 : 1;
}

int coverage_transmitter(const struct coverage *coverage, int column)
{
    return coverage->best && column == coverage->columns - 1 ? -1 : coverage->first + column;
}

pw_status coverage_prepare(const struct result *result, const pw_coverage_options *options, struct coverage *coverage,
                           pw_error *error)
{
    *coverage = (struct coverage){0};
    TRY(options_check(options, error));
    thresholds_choose(options, coverage);
    TRY(map_prepare(result, &options->map, &coverage->map, error));
    coverage_columns(result, options, coverage);
    return PW_OK;
}

size_t coverage_size(const struct coverage *coverage)
{
    return (size_t)coverage->parts * (size_t)coverage->threshold_count * (size_t)coverage->columns;
}

pw_status coverage_fill(const struct result *result, const pw_coverage_options *options, struct coverage *coverage,
                        pw_share *shares, pw_error *error)
{
    struct map_servers servers;
    size_t count = (size_t)coverage->map.rows * (size_t)coverage->map.columns;
    TRY_MADE(coverage->counted = allocate(count, 1, "the floor of a plan", error));
    pw_status status =
        map_count_floor(result, &options->map, &coverage->map, coverage->counted, &coverage->floor, error);
    THEN(status, map_servers_create(result, &options->map, &coverage->map, &servers, error));
    if (status == PW_OK) {
        status = parts_fill(coverage, &servers, options, shares, error);
        map_servers_free(&servers);
    }
    free(coverage->counted);
    coverage->counted = NULL;
    return status;
}

pw_status pw_coverage_count(const pw_result *result, const pw_coverage_options *options, size_t *count, pw_error *error)
{
    struct coverage coverage;
    FAIL_IF(result == NULL || options == NULL || count == NULL, error, PW_USAGE,
            "pw_coverage_count: result, options and count must not be NULL");
    TRY(coverage_prepare(result, options, &coverage, error));
    *count = coverage_size(&coverage);
    return PW_OK;
}

pw_status pw_coverage_compute(const pw_result *result, const pw_coverage_options *options, pw_share *shares,
                              pw_error *error)
{
    struct coverage coverage;
    FAIL_IF(result == NULL || options == NULL || shares == NULL, error, PW_USAGE,
            "pw_coverage_compute: result, options and shares must not be NULL");
    TRY(coverage_prepare(result, options, &coverage, error));
    return coverage_fill(result, options, &coverage, shares, error);
}
