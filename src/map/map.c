/* Computes maps, into arrays of their own and into the caller's, and their statistics (map.h). Leaves pictures to
 * map_plot.c and other files to map_write.c. */
#include "map/map.h"

#include "map/map_plane.h"
#include "map/map_servers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the numbers ---- */

/* The values of a map that sets transmitters against each other or against noise. */
static pw_status servers_fill(const struct result *result, const pw_map_options *options, struct map *map,
                              pw_error *error)
{
    struct map_servers servers;
    TRY(map_servers_create(result, options, map, &servers, error));
    for (size_t n = 0; n < (size_t)map->rows * (size_t)map->columns; n++) {
        if (map->quantity == PW_BEST_SERVER) {
            int best = map_servers_best(&servers, n);
            map->value[n] = best < 0 ? (double)NAN : best;
            if (map->power != NULL) {
                map->power[n] = best < 0 ? NAN : servers.level[best][n];
            }
        } else {
            map->value[n] = map_servers_level(&servers, map->quantity, map->transmitter, n);
        }
    }
    map_servers_free(&servers);
    return PW_OK;
}

/* Fills value, and power where it is not NULL. */
static pw_status map_fill(const struct result *result, const pw_map_options *options, struct map *map, pw_error *error)
{
    return quantity_kind(map->quantity)->servers
               ? servers_fill(result, options, map, error)
               : map_plane(result, options, map, map->transmitter, &options->monitor, map->value, error);
}

pw_status map_compute(const struct result *result, const pw_map_options *options, struct map *map, pw_error *error)
{
    TRY(map_prepare(result, options, map, error));
    size_t count = (size_t)map->rows * (size_t)map->columns;
    bool servers = map->quantity == PW_BEST_SERVER;
    map->value = allocate(count, sizeof *map->value, "a map", error);
    map->power = servers ? allocate(count, sizeof *map->power, "a map", error) : NULL;
    map->mark = quantity_kind(map->quantity)->delay ? allocate(count, sizeof *map->mark, "a map", error) : NULL;
    bool there = map->value != NULL && (map->power != NULL || !servers) &&
                 (map->mark != NULL || !quantity_kind(map->quantity)->delay);
    pw_status status = there ? map_fill(result, options, map, error) : PW_NO_RESOURCE;
    if (status != PW_OK) {
        map_free(map);
    }
    return status;
}

void map_free(struct map *map)
{
    free(map->value);
    free(map->power);
    free(map->mark);
    map->mark = NULL;
    map->value = map->power = NULL;
}

pw_status pw_map_describe(const pw_result *result, const pw_map_options *options, pw_map_shape *shape, pw_error *error)
{
    pw_map_options defaults = pw_map_options_default();
    struct map map;
    if (result == NULL || shape == NULL) {
        return fail(error, PW_USAGE, "pw_map_describe: no %s given", result == NULL ? "result" : "shape");
    }
    TRY(map_prepare(result, options != NULL ? options : &defaults, &map, error));
    *shape = (pw_map_shape){.rows = map.rows,
                            .columns = map.columns,
                            .x0 = map.x0,
                            .y0 = map.y0,
                            .pitch_x = map.pitch_x,
                            .pitch_y = map.pitch_y};
    return PW_OK;
}

pw_status pw_map_compute(const pw_result *result, const pw_map_options *options, double *values, double *power,
                         pw_error *error)
{
    pw_map_options defaults = pw_map_options_default();
    struct map map;
    options = options != NULL ? options : &defaults;
    if (result == NULL || values == NULL) {
        return fail(error, PW_USAGE, "pw_map_compute: no %s given", result == NULL ? "result" : "buffer");
    }
    TRY(map_prepare(result, options, &map, error));
    map.value = values;
    map.power = power;
    return map_fill(result, options, &map, error);
}

/* ---- statistics ---- */

static int value_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The finite values in ascending order; the caller frees them. NULL with a message when there is no memory. */
static double *values_sorted(const double *values, int64_t count, int64_t *finite, pw_error *error)
{
    double *sorted = allocate((size_t)count, sizeof *sorted, "a summary", error);
    *finite = 0;
    for (int64_t n = 0; sorted != NULL && n < count; n++) {
        if (isfinite(values[n])) {
            sorted[(*finite)++] = values[n];
        }
    }
    if (sorted != NULL) {
        qsort(sorted, (size_t)*finite, sizeof *sorted, value_order);
    }
    return sorted;
}

pw_status map_summarise(const double *values, int64_t count, double threshold, struct map_summary *summary,
                        pw_error *error)
{
    int64_t finite, over = 0;
    double *sorted = values_sorted(values, count, &finite, error);
    if (sorted == NULL) {
        return PW_NO_RESOURCE;
    }
    *summary = (struct map_summary){.count = finite, .minimum = NAN, .median = NAN, .maximum = NAN, .share = NAN};
    if (finite > 0) {
        for (int64_t n = 0; n < finite; n++) {
            over += sorted[n] >= threshold;
        }
        summary->minimum = sorted[0];
        summary->median = 0.5 * (sorted[(finite - 1) / 2] + sorted[finite / 2]);
        summary->maximum = sorted[finite - 1];
        summary->share = (double)over / (double)finite;
    }
    free(sorted);
    return PW_OK;
}

/* 1, 2 or 5 times a power of ten that divides `span` into about eight. */
static double round_step(double span)
{
    double decade = pow(10.0, floor(log10(span / 8.0))), parts = span / 8.0 / decade;
    return decade * (parts < 1.5 ? 1.0 : parts < 3.5 ? 2.0 : parts < 7.5 ? 5.0 : 10.0);
}

void map_range(const struct map *map, const pw_map_options *options, double *low, double *high)
{
    int64_t count = (int64_t)map->rows * map->columns, finite;
    double *sorted = values_sorted(map->value, count, &finite, NULL);
    bool delay = quantity_kind(map->quantity)->excess;
    *low = 0.0;
    *high = 1.0;
    if (sorted != NULL && finite > 0) {
        /* The darkest corners and the cells beside the transmitter would leave few colours for the rest. */
        double least = delay ? fmin(0.0, sorted[finite / 50]) : sorted[finite / 50];
        double most = sorted[(int64_t)(0.998 * (double)(finite - 1))];
        double step = delay ? (most - least > 0.0 ? round_step(most - least) : 1.0) : 5.0;
        *low = step * floor(least / step);
        *high = step * ceil(most / step);
        if (!(*high > *low)) {
            *high = *low + step;
        }
    }
    free(sorted);
    if (!isnan(options->minimum)) {
        *low = options->minimum;
        *high = *high > *low ? *high : *low + 1.0;
    }
    if (!isnan(options->maximum)) {
        *high = options->maximum;
        *low = *low < *high ? *low : *high - 1.0;
    }
}
