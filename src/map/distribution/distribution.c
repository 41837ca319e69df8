/* Gathers the values (distribution.h) from maps, or from the channels of the receivers, and puts them in order. */
#include "map/distribution/distribution.h"

#include "api/pairs.h"
#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- over the floor ---- */

/* Puts the values of a map that lie in a part behind *used, in order. */
static void part_gather(pw_distributions *all, const pw_area *area, const double *map, pw_distribution *one,
                        size_t *used)
{
    size_t cells = (size_t)all->coverage.map.rows * (size_t)all->coverage.map.columns;
    double *values = all->values + *used;
    for (size_t n = 0; n < cells; n++) {
        if (coverage_holds(&all->coverage, area, n)) {
            one->cells++;
            if (isfinite(map[n])) {
                values[one->count++] = map[n];
            }
        }
    }
    qsort(values, (size_t)one->count, sizeof *values, pw_number_order);
    one->values = values;
    *used += (size_t)one->count;
}

/* One map for each column, and its values for each part. */
static pw_status floor_gather(const pw_coverage_options *options, pw_distributions *all, pw_error *error)
{
    struct coverage *coverage = &all->coverage;
    pw_map_options one = options->map;
    size_t used = 0;
    for (int column = 0; column < coverage->columns; column++) {
        int transmitter = coverage_transmitter(coverage, column);
        struct map map;
        one.transmitter = transmitter < 0 ? "best" : all->result->transmitters[transmitter].name;
        TRY(map_compute(all->result, &one, &map, error));
        coverage->map.mean_width = map.mean_width;
        for (int part = 0; part < coverage->parts; part++) {
            const pw_area *area = part == 0 ? NULL : &options->areas[part - 1];
            pw_distribution *here = &all->distributions[part * coverage->columns + column];
            *here = (pw_distribution){.area = part - 1, .transmitter = transmitter};
            part_gather(all, area, map.value, here, &used);
            if (here->cells == 0) {
                map_free(&map);
                return coverage_area_empty(area, error);
            }
        }
        map_free(&map);
    }
    return PW_OK;
}

static pw_status floor_create(const pw_coverage_options *options, pw_distributions *all, pw_error *error)
{
    struct coverage *coverage = &all->coverage;
    size_t cells = (size_t)coverage->map.rows * (size_t)coverage->map.columns;
    coverage->counted = allocate(cells, 1, "the floor of a plan", error);
    all->values = allocate(cells * all->count, sizeof *all->values, "a distribution", error);
    pw_status status = coverage->counted == NULL || all->values == NULL ? PW_NO_RESOURCE : PW_OK;
    THEN(status,
         map_count_floor(all->result, &options->map, &coverage->map, coverage->counted, &coverage->floor, error));
    THEN(status, floor_gather(options, all, error));
    free(coverage->counted);
    coverage->counted = NULL;
    for (int part = 0; status == PW_OK && part < coverage->parts; part++) {
        snprintf(all->names[part], sizeof *all->names, "%s",
                 part == 0 ? coverage->floor.text : options->areas[part - 1].name);
    }
    return status;
}

/* ---- over receivers ---- */

static double metric_value(const pw_metrics *metrics, pw_quantity quantity, double noise)
{
    switch (quantity) {
    case PW_PATH_GAIN:
        return metrics->path_gain_db;
    case PW_PATH_LOSS:
        return metrics->path_loss_db;
    case PW_RECEIVED_POWER:
        return metrics->received_power_dbm;
    case PW_SNR:
        return metrics->received_power_dbm - noise;
    case PW_RMS_DELAY_SPREAD:
        return metrics->rms_delay_spread * 1e9;
    case PW_MEAN_DELAY:
        return metrics->mean_excess_delay * 1e9;
    case PW_MAXIMUM_DELAY:
        return metrics->maximum_excess_delay * 1e9;
    case PW_K_FACTOR:
        return metrics->rician_k_db;
    case PW_COHERENCE_50:
        return metrics->coherence_bandwidth_50 * 1e-6;
    case PW_COHERENCE_90:
        return metrics->coherence_bandwidth_90 * 1e-6;
    default:
        return NAN;
    }
}

static bool doubtful(const pw_metrics *metrics, pw_quantity quantity)
{
    return quantity_kind(quantity)->delay && metrics->delay_cause != PW_DELAY_SOUND;
}

/* The transmitter with the best level at one receiver, as on maps. */
static int strongest(const pw_distributions *all, const pw_metrics *metrics)
{
    bool gain = all->coverage.map.quantity == PW_PATH_GAIN || all->coverage.map.quantity == PW_PATH_LOSS;
    double best = -INFINITY;
    int chosen = 0;
    for (int t = 0; t < all->result->transmitter_count; t++) {
        double level = gain ? metrics[t].path_gain_db : metrics[t].received_power_dbm;
        if (level > best) {
            best = level;
            chosen = t;
        }
    }
    return chosen;
}

/* Of the transmitters' metrics at one receiver that of `transmitter`, or (-1) of the strongest. */
static double receiver_value(const pw_distributions *all, const pw_metrics *metrics, int transmitter)
{
    const struct map *map = &all->coverage.map;
    int chosen = transmitter >= 0 ? transmitter : strongest(all, metrics);
    if (doubtful(&metrics[chosen], map->quantity)) {
        return NAN;
    }
    if (map->quantity != PW_SINR) {
        return metric_value(&metrics[chosen], map->quantity, map->noise);
    }
    double against = pow(10.0, 0.1 * map->noise); /* mW */
    for (int t = 0; t < all->result->transmitter_count; t++) {
        double other = metrics[t].received_power_dbm;
        against += t != chosen && !isnan(other) ? pow(10.0, 0.1 * other) : 0.0;
    }
    return metrics[chosen].received_power_dbm - 10.0 * log10(against);
}

static pw_status receivers_create(const pw_coverage_options *options, pw_distributions *all, pw_error *error)
{
    int transmitters = all->result->transmitter_count, receivers = all->result->transmitters[0].receiver_count;
    pw_pairs_options pairs = pw_pairs_options_default();
    pairs.channel = options->map.channel;
    pairs.monitor = options->map.monitor;
    FAIL_IF(receivers == 0, error, PW_BAD_INPUT, "the file has no receivers, so nothing is distributed over them");
    pw_metrics *metrics = allocate((size_t)receivers * (size_t)transmitters, sizeof *metrics, "metrics", error);
    all->values = allocate((size_t)receivers * all->count, sizeof *all->values, "a distribution", error);
    pw_status status = metrics == NULL || all->values == NULL ? PW_NO_RESOURCE : PW_OK;
    THEN(status, pw_pairs_compute(all->result, &pairs, &(pw_pairs){.metrics = metrics}, error));
    for (int column = 0; status == PW_OK && column < all->coverage.columns; column++) {
        double *values = all->values + (size_t)column * (size_t)receivers;
        pw_distribution *one = &all->distributions[column];
        *one = (pw_distribution){.area = -1,
                                 .transmitter = coverage_transmitter(&all->coverage, column),
                                 .cells = receivers,
                                 .values = values};
        for (int r = 0; r < receivers; r++) {
            double value = receiver_value(all, metrics + (size_t)r * (size_t)transmitters, one->transmitter);
            if (isfinite(value)) {
                values[one->count++] = value;
            }
        }
        qsort(values, (size_t)one->count, sizeof *values, pw_number_order);
    }
    snprintf(all->names[0], sizeof *all->names, "receivers");
    free(metrics);
    return status;
}

/* ---- the whole ---- */

const char *distribution_column(const pw_distributions *distributions, size_t index)
{
    int transmitter = distributions->distributions[index].transmitter;
    return transmitter < 0 ? "best server" : distributions->result->transmitters[transmitter].name;
}

const char *distribution_name(const pw_distributions *distributions, size_t index, char name[CURVE_NAME])
{
    size_t part = index / (size_t)distributions->coverage.columns;
    const char *column = distribution_column(distributions, index);
    if (part == 0) {
        snprintf(name, CURVE_NAME, "%s", column);
    } else {
        snprintf(name, CURVE_NAME, "%.*s: %s", 2 * NAME_SIZE, distributions->names[part], column);
    }
    return name;
}

void pw_distributions_free(pw_distributions *distributions)
{
    if (distributions != NULL) {
        FREE_ALL(distributions->names, distributions->values, distributions->distributions, distributions);
    }
}

static pw_status options_check(const pw_coverage_options *options, bool receivers, pw_error *error)
{
    FAIL_IF(options->map.quantity == PW_BEST_SERVER, error, PW_USAGE,
            "the best server is a name and has no distribution; its power has: received-power");
    FAIL_IF(receivers && options->area_count > 0, error, PW_USAGE,
            "areas are parts of the floor; a distribution over receivers has none");
    FAIL_IF(receivers && options->map.local_mean, error, PW_USAGE,
            "a local mean is of the floor; a distribution over receivers has none");
    return PW_OK;
}

pw_status pw_distributions_create(const pw_result *result, const pw_coverage_options *options, bool receivers,
                                  pw_distributions **distributions, pw_error *error)
{
    FAIL_IF(result == NULL || options == NULL || distributions == NULL, error, PW_USAGE,
            "pw_distributions_create: result, options and distributions must not be NULL");
    *distributions = NULL;
    TRY(options_check(options, receivers, error));
    pw_distributions *all = allocate(1, sizeof *all, "a distribution", error);
    TRY_MADE(all);
    *all = (pw_distributions){.result = result, .options = options->map, .receivers = receivers};
    struct map *map = &all->coverage.map;
    pw_status status =
        receivers ? map_begin(result, &options->map, map, error) : map_prepare(result, &options->map, map, error);
    if (status == PW_OK) {
        coverage_columns(result, options, &all->coverage);
        all->count = (size_t)all->coverage.parts * (size_t)all->coverage.columns;
        all->distributions = allocate(all->count, sizeof *all->distributions, "a distribution", error);
        all->names = allocate((size_t)all->coverage.parts, sizeof *all->names, "names of areas", error);
        status = all->distributions == NULL || all->names == NULL ? PW_NO_RESOURCE : PW_OK;
    }
    THEN(status, receivers ? receivers_create(options, all, error) : floor_create(options, all, error));
    if (status != PW_OK) {
        pw_distributions_free(all);
        return status;
    }
    *distributions = all;
    return PW_OK;
}

size_t pw_distributions_count(const pw_distributions *distributions)
{
    return distributions != NULL ? distributions->count : 0;
}

const pw_distribution *pw_distributions_at(const pw_distributions *distributions, size_t index)
{
    return index < pw_distributions_count(distributions) ? &distributions->distributions[index] : NULL;
}

double pw_distribution_percentile(const pw_distribution *distribution, double percent)
{
    if (distribution == NULL || distribution->count == 0 || !(percent >= 0.0 && percent <= 100.0)) {
        return NAN;
    }
    double place = 0.01 * percent * (double)(distribution->count - 1);
    int64_t under = (int64_t)place;
    int64_t over = under + 1 < distribution->count ? under + 1 : under;
    double low = distribution->values[under], high = distribution->values[over];
    return low + (place - (double)under) * (high - low);
}
