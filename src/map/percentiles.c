/* Percentiles of a map's values over the floor, and their cumulative distribution as CSV or as a picture. */
#include "base/file/atomic_file.h"
#include "base/picture/plot.h"
#include "map/map_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CDF_STEPS = 200 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between order statistics linear: definition 7 of Hyndman and Fan (1996). */
static double percentile_of(const double *sorted, int64_t count, double percent)
{
    double at = percent / 100.0 * (double)(count - 1);
    int64_t low = (int64_t)floor(at), high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

/* The values on the floor that are defined, to the front of `value`, in order. */
static int64_t floor_sort(double *value, const uint8_t *counted, int64_t cells)
{
    int64_t count = 0;
    for (int64_t n = 0; n < cells; n++) {
        if (counted[n] != 0 && !isnan(value[n])) {
            value[count++] = value[n];
        }
    }
    qsort(value, (size_t)count, sizeof *value, ascending);
    return count;
}

pw_status pw_map_percentiles(const pw_result *result, const pw_map_options *options, const double *percents, int count,
                             double *values, pw_percentile_cells *cells, pw_error *error)
{
    const pw_map_options usual = pw_map_options_default();
    options = options != NULL ? options : &usual;
    for (int n = 0; n < count; n++) {
        if (!(percents[n] >= 0.0 && percents[n] <= 100.0)) {
            return fail(error, PW_USAGE, "percentile %g; allowed are 0 to 100", percents[n]);
        }
    }
    if (options->quantity == PW_BEST_SERVER) {
        return fail(error, PW_USAGE, "the best server is a name and has no percentiles");
    }
    pw_map_shape shape;
    TRY(pw_map_describe(result, options, &shape, error));
    int64_t all = (int64_t)shape.rows * shape.columns;
    double *value = allocate((size_t)all, sizeof *value, "a map", error);
    uint8_t *counted = value == NULL ? NULL : allocate((size_t)all, sizeof *counted, "a floor", error);
    pw_floor floor = {0};
    pw_status status = counted == NULL ? PW_NO_RESOURCE : pw_map_compute(result, options, value, NULL, error);
    if (status == PW_OK) {
        status = pw_map_floor(result, options, counted, &floor, error);
    }
    if (status == PW_OK) {
        int64_t defined = floor_sort(value, counted, all);
        for (int n = 0; n < count; n++) {
            values[n] = defined > 0 ? percentile_of(value, defined, percents[n]) : NAN;
        }
        if (cells != NULL) {
            *cells = (pw_percentile_cells){.floor = floor.cells, .defined = defined, .text = floor.text};
        }
    }
    free(value);
    free(counted);
    return status;
}

/* ---- the distribution of every transmitter ----------------------------------------------------------------------- */

/* Percents down, transmitters across. */
struct distribution {
    int rows, columns, first; /* `first`: transmitter of the first column; -1: the best */
    double percent[CDF_STEPS + 1];
    double *value; /* (columns, rows), owned */
};

static pw_status distribution_fill(const pw_result *result, const pw_map_options *options,
                                   struct distribution *distribution, pw_error *error)
{
    bool best = options->transmitter != NULL && strcmp(options->transmitter, "best") == 0;
    distribution->columns = options->transmitter == NULL ? result->transmitter_count : 1;
    distribution->rows = CDF_STEPS + 1;
    if (options->transmitter != NULL) {
        distribution->first = -1;
        if (!best) {
            TRY(pw_result_find_transmitter(result, options->transmitter, &distribution->first, error));
        }
    }
    for (int n = 0; n <= CDF_STEPS; n++) {
        distribution->percent[n] = 100.0 * n / CDF_STEPS;
    }
    size_t size = (size_t)distribution->columns * (size_t)distribution->rows;
    distribution->value = allocate(size, sizeof(double), "a distribution", error);
    for (int c = 0; distribution->value != NULL && c < distribution->columns; c++) {
        pw_map_options own = *options;
        own.transmitter = best ? "best" : result->transmitters[distribution->first + c].name;
        TRY(pw_map_percentiles(result, &own, distribution->percent, distribution->rows,
                               distribution->value + (size_t)c * (size_t)distribution->rows, NULL, error));
    }
    return distribution->value == NULL ? PW_NO_RESOURCE : PW_OK;
}

static const char *column_name(const struct distribution *distribution, const pw_result *result, int column)
{
    return distribution->first < 0 ? "best server" : result->transmitters[distribution->first + column].name;
}

/* In quotes, quotes doubled (RFC 4180). */
static void field_write(FILE *file, const char *text)
{
    fputs(",\"", file);
    for (const char *c = text; *c != '\0'; c++) {
        fputs(*c == '"' ? "\"" : "", file);
        fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
    }
    fputc('"', file);
}

static pw_status csv_write(const struct distribution *distribution, const pw_result *result,
                           const pw_map_options *options, const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    fprintf(file, "# planwave %s: %s [%s] that so many per cent of the floor have at most\npercent", PW_VERSION,
            pw_quantity_name(options->quantity), pw_quantity_unit(options->quantity));
    for (int c = 0; c < distribution->columns; c++) {
        field_write(file, column_name(distribution, result, c));
    }
    for (int n = 0; n < distribution->rows; n++) {
        fprintf(file, "\n%g", distribution->percent[n]);
        for (int c = 0; c < distribution->columns; c++) {
            fprintf(file, ",%.9g", distribution->value[c * distribution->rows + n]);
        }
    }
    fputc('\n', file);
    return disk_finish(file, path, error);
}

static const char *const COLOURS[] = {"#31688e", "#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#a6761d", "#666666"};

static pw_status picture_write(const struct distribution *distribution, const pw_result *result,
                               const pw_map_options *options, const char *path, pw_error *error)
{
    pw_plot *plot = NULL;
    TRY(pw_plot_open(path, 1000, 700, &plot, error));
    char text[160];
    snprintf(text, sizeof text, "%s [%s] %s", pw_quantity_name(options->quantity), pw_quantity_unit(options->quantity),
             pw_quantity_reference(options->quantity));
    pw_plot_send(plot, "set border 3\nset tics nomirror\nset grid lc rgb '#e2e2e2'\nset key left top\nset xlabel %s\n",
                 pw_plot_quote(plot, text));
    pw_plot_send(plot, "set ylabel 'share of the floor at or under it [%%]'\nset yrange [0:100]\nset ytics 10\n");
    for (int c = 0; c < distribution->columns; c++) {
        double pairs[2 * (CDF_STEPS + 1)];
        for (int n = 0; n < distribution->rows; n++) {
            pairs[2 * n] = distribution->value[c * distribution->rows + n];
            pairs[2 * n + 1] = distribution->percent[n];
        }
        const char *data = pw_plot_data(plot, pairs, sizeof pairs);
        pw_plot_send(plot, "%s%s binary format='%%2float64' using 1:2 with lines lw 2.5 lc rgb '%s' title %s",
                     c == 0 ? "plot " : ", ", data, COLOURS[(size_t)c % (sizeof COLOURS / sizeof *COLOURS)],
                     pw_plot_quote(plot, column_name(distribution, result, c)));
    }
    pw_plot_send(plot, "\n");
    return pw_plot_finish(plot, error);
}

pw_status pw_map_distribution_write(const pw_result *result, const pw_map_options *options, const char *path,
                                    pw_error *error)
{
    if (result == NULL || options == NULL || path == NULL) {
        return fail(error, PW_USAGE, "pw_map_distribution_write: a result, options and a path must be given");
    }
    struct distribution distribution = {.value = NULL};
    size_t length = strlen(path);
    bool csv = length > 4 && strcmp(path + length - 4, ".csv") == 0;
    pw_status status = distribution_fill(result, options, &distribution, error);
    if (status == PW_OK) {
        status = (csv ? csv_write : picture_write)(&distribution, result, options, path, error);
    }
    free(distribution.value);
    return status;
}
