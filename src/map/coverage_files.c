/* pw_map_write: computes a map and writes its picture, CSV and .npy, and the summary. */
#include "channel/export/channel_files.h"
#include "draw/plot.h"
#include "file/atomic_file.h"
#include "map/coverage.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

pw_status coverage_summarise(const double *values, int64_t count, double threshold, struct coverage_summary *summary,
                             pw_error *error)
{
    int64_t finite, over = 0;
    double *sorted = values_sorted(values, count, &finite, error);
    if (sorted == NULL) {
        return PW_NO_RESOURCE;
    }
    *summary = (struct coverage_summary){.count = finite, .minimum = NAN, .median = NAN, .maximum = NAN, .share = NAN};
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

void coverage_range(const struct coverage *map, const pw_map_options *options, double *low, double *high)
{
    int64_t count = (int64_t)map->rows * map->columns, finite;
    double *sorted = values_sorted(map->value, count, &finite, NULL);
    bool delay = coverage_kind(map->quantity)->excess;
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

static void csv_header(FILE *file, const struct coverage *map, const struct result *result,
                       const pw_map_options *options)
{
    fprintf(file, "# planwave %s: %s", PW_VERSION, map->name);
    if (map->unit[0] != '\0') {
        fprintf(file, " [%s]", map->unit);
    }
    fprintf(file, " of %s\n# ", result->path);
    for (int t = 0; t < result->transmitter_count; t++) {
        const struct result_transmitter *from = &result->transmitters[t];
        if (map->transmitter < 0 || map->transmitter == t) {
            fprintf(file, "transmitter %d: %s at (%.6g, %.6g) m, EIRP %.6g dBm; ", t, from->name, from->x, from->y,
                    from->power);
        }
    }
    fprintf(file, "middle of the band %.9g Hz\n# from 2D to 3D: %s\n", map->centre,
            channel_spreading_text(options->channel.spreading));
    if (map->mean_width > 0.0) {
        fprintf(file, "# local mean of the power over %.6g m by %.6g m\n", map->mean_width, map->mean_width);
    }
    if (coverage_kind(map->quantity)->power && map->quantity != PW_PATH_GAIN) {
        fprintf(file, "# receiver: gain %.6g dBi", options->receiver_gain);
        if (map->quantity == PW_SNR || map->quantity == PW_SINR) {
            fprintf(file, ", noise %.6g dBm (k 290 K over %.9g Hz, noise figure %.6g dB)", map->noise,
                    options->noise_bandwidth, options->noise_figure);
        }
        fprintf(file, "\n");
    }
    fprintf(file, "# nan: not defined\n");
}

pw_status coverage_write_csv(const struct coverage *map, const struct result *result, const pw_map_options *options,
                             const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    csv_header(file, map, result, options);
    fprintf(file, "x_m,y_m,%s\n", coverage_kind(map->quantity)->column);
    for (int row = 0; row < map->rows; row++) {
        for (int column = 0; column < map->columns; column++) {
            size_t n = (size_t)row * (size_t)map->columns + (size_t)column;
            fprintf(file, "%.6g,%.6g,%.6g", map->x0 + column * map->pitch_x, map->y0 + row * map->pitch_y,
                    map->value[n]);
            if (map->power != NULL) {
                fprintf(file, ",%.6g", map->power[n]);
            }
            fputc('\n', file);
        }
    }
    return disk_finish(file, path, error);
}

pw_status coverage_write_npy(const struct coverage *map, const char *path, pw_error *error)
{
    char header[128], text[118];
    int length = snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", map->rows,
                          map->columns);
    /* Magic, version 1.0, length of the text, little-endian; blanks and a line feed up to a multiple of 64 bytes. */
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(header + 10, ' ', sizeof header - 11);
    memcpy(header + 10, text, (size_t)length);
    header[127] = '\n';
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    fwrite(header, 1, sizeof header, file);
    for (size_t n = 0; n < (size_t)map->rows * (size_t)map->columns; n++) {
        float value = (float)map->value[n];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        const unsigned char bytes[4] = {(unsigned char)bits, (unsigned char)(bits >> 8), (unsigned char)(bits >> 16),
                                        (unsigned char)(bits >> 24)};
        fwrite(bytes, 1, sizeof bytes, file);
    }
    return disk_finish(file, path, error);
}

static void servers_report(const struct coverage *map, const struct result *result, FILE *report)
{
    int64_t count = (int64_t)map->rows * map->columns;
    for (int t = 0; t < result->transmitter_count; t++) {
        int64_t own = 0;
        for (int64_t n = 0; n < count; n++) {
            own += map->value[n] == t;
        }
        fprintf(report, "  %-24s serves %5.1f %% of the floor\n", result->transmitters[t].name,
                100.0 * (double)own / (double)count);
    }
}

static void summary_report(const struct coverage *map, const struct coverage_summary *summary,
                           const struct result *result, const pw_map_options *options, FILE *report)
{
    const char *unit = map->quantity == PW_BEST_SERVER ? "dBm" : map->unit;
    int64_t count = (int64_t)map->rows * map->columns;
    fprintf(report, "%s%s%s%s: %d x %d cells of %.3g m\n", map->name, map->transmitter < 0 ? "" : " from ",
            map->transmitter < 0 ? "" : result->transmitters[map->transmitter].name,
            map->mean_width > 0.0 ? ", local mean" : "", map->columns, map->rows, map->pitch_x);
    if (map->quantity == PW_SNR || map->quantity == PW_SINR) {
        fprintf(report, "  noise %.1f dBm: bandwidth %g MHz, noise figure %g dB\n", map->noise,
                options->noise_bandwidth * 1e-6, options->noise_figure);
    }
    if (map->quantity == PW_BEST_SERVER) {
        servers_report(map, result, report);
    }
    fprintf(report, "  minimum %.4g %s, median %.4g %s, maximum %.4g %s\n", summary->minimum, unit, summary->median,
            unit, summary->maximum, unit);
    if (summary->count < count) {
        fprintf(report, "  not defined in %.1f %% of the floor\n",
                100.0 * (double)(count - summary->count) / (double)count);
    }
    if (!isnan(options->threshold)) {
        fprintf(report, "  at or over %g %s: %.1f %% of the floor\n", options->threshold, unit,
                100.0 * summary->share * (double)summary->count / (double)count);
    }
}

/* `path` with the ending of a picture replaced by `suffix`, or with `suffix` added. */
static pw_status sibling_path(const char *path, const char *suffix, char sibling[PATH_MAX], pw_error *error)
{
    size_t length = strlen(path);
    if (plot_is_picture(path)) {
        length -= 4;
    }
    if (length + strlen(suffix) >= PATH_MAX) {
        return fail(error, PW_USAGE, "the name '%.60s...' is too long", path);
    }
    memcpy(sibling, path, length);
    strcpy(sibling + length, suffix);
    return PW_OK;
}

static pw_status files_write(const struct coverage *map, const struct result *result, const pw_map_options *options,
                             const char *path, pw_error *error)
{
    char csv[PATH_MAX], npy[PATH_MAX];
    TRY(sibling_path(path, ".csv", csv, error));
    TRY(sibling_path(path, ".npy", npy, error));
    TRY(coverage_write_csv(map, result, options, csv, error));
    pw_status status = coverage_write_npy(map, npy, error);
    if (status == PW_OK) {
        status = coverage_write_plot(map, result, options, path, error);
        if (status != PW_OK) {
            (void)unlink(npy);
        }
    }
    if (status != PW_OK) {
        (void)unlink(csv); /* all three or none */
    }
    return status;
}

pw_status pw_map_write(const pw_result *result, const pw_map_options *options, const char *path, void *report,
                       pw_error *error)
{
    pw_map_options defaults = pw_map_options_default();
    options = options != NULL ? options : &defaults;
    if (result == NULL || path == NULL || path[0] == '\0') {
        return fail(error, PW_USAGE, "pw_map_write: no %s given", result == NULL ? "result" : "name for the picture");
    }
    struct coverage map;
    TRY(coverage_compute(result, options, &map, error));
    struct coverage_summary summary;
    const double *values = map.quantity == PW_BEST_SERVER ? map.power : map.value;
    pw_status status = coverage_summarise(values, (int64_t)map.rows * map.columns, options->threshold, &summary, error);
    if (status == PW_OK) {
        status = files_write(&map, result, options, path, error);
    }
    if (status == PW_OK && report != NULL) {
        summary_report(&map, &summary, result, options, report);
    }
    coverage_free(&map);
    return status;
}
