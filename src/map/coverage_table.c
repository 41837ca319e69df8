/* pw_coverage_write: which part of the floor, and of named parts of it, is over which threshold; as a table for people
 * and as CSV. Cells are counted; walls belong to the floor. */
#include "channel/export/channel_files.h"
#include "file/atomic_file.h"
#include "map/coverage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_SIZE = 2 * NAME_SIZE, THRESHOLD_LIMIT = 64 };

/* What is counted where: a column per transmitter asked for, and with several a last one, the best of them. */
struct table {
    const struct result *result;
    const pw_coverage_options *options;
    struct coverage map;
    struct coverage_servers servers;
    int first, columns; /* transmitters first .. ; the last column is the best server when `best` */
    bool best;
    const double *thresholds;
    int threshold_count;
    /* Part 0 is the whole floor, then the areas. */
    double *shares;   /* (part, threshold, column) in per cent, owned */
    size_t part_size; /* threshold_count x columns */
    int64_t *cells;   /* (part), owned */
};

static const double usual_powers[] = {-50.0, -60.0, -67.0, -70.0, -75.0, -80.0, -85.0, -90.0}; /* dBm */
static const double usual_ratios[] = {40.0, 30.0, 25.0, 20.0, 15.0, 10.0, 5.0, 0.0};           /* dB */
static const double usual_gains[] = {0.0, -10.0, -20.0, -30.0, -40.0, -50.0, -60.0, -70.0};    /* dB */

static void thresholds_choose(struct table *table)
{
    pw_quantity quantity = table->options->map.quantity;
    table->thresholds = table->options->thresholds;
    table->threshold_count = table->options->threshold_count;
    if (table->thresholds == NULL || table->threshold_count == 0) {
        table->thresholds = quantity == PW_PATH_GAIN        ? usual_gains
                            : quantity == PW_RECEIVED_POWER ? usual_powers
                                                            : usual_ratios;
        table->threshold_count = sizeof usual_powers / sizeof *usual_powers;
    }
}

static pw_status options_check(const pw_coverage_options *options, pw_error *error)
{
    pw_quantity quantity = options->map.quantity;
    if (quantity != PW_PATH_GAIN && quantity != PW_RECEIVED_POWER && quantity != PW_SNR && quantity != PW_SINR) {
        return fail(error, PW_USAGE, "coverage by %s is not counted; allowed: path-gain, received-power, snr, sinr",
                    pw_quantity_name(quantity));
    }
    if (options->threshold_count > THRESHOLD_LIMIT) {
        return fail(error, PW_USAGE, "%d thresholds; allowed are %d", options->threshold_count, THRESHOLD_LIMIT);
    }
    for (int n = 0; n < options->threshold_count; n++) {
        if (!isfinite(options->thresholds[n])) {
            return fail(error, PW_USAGE, "threshold %g: it must be finite", options->thresholds[n]);
        }
    }
    return PW_OK;
}

static bool area_holds(const pw_area *area, const struct coverage *map, size_t n)
{
    double x = map->x0 + (double)(n % (size_t)map->columns) * map->pitch_x;
    double y = map->y0 + (double)(n / (size_t)map->columns) * map->pitch_y;
    return area == NULL || (x >= fmin(area->x0, area->x1) && x <= fmax(area->x0, area->x1) &&
                            y >= fmin(area->y0, area->y1) && y <= fmax(area->y0, area->y1));
}

/* Cells of an area (NULL: the floor), and how many are at or over each threshold in a column. */
static int64_t area_count(const struct table *table, const pw_area *area, int column, int64_t over[THRESHOLD_LIMIT])
{
    size_t count = (size_t)table->map.rows * (size_t)table->map.columns;
    int transmitter = table->best && column == table->columns - 1 ? -1 : table->first + column;
    int64_t cells = 0;
    memset(over, 0, THRESHOLD_LIMIT * sizeof *over);
    for (size_t n = 0; n < count; n++) {
        if (area_holds(area, &table->map, n)) {
            double level = coverage_level(&table->servers, table->options->map.quantity, transmitter, n);
            for (int row = 0; row < table->threshold_count; row++) {
                over[row] += level >= table->thresholds[row];
            }
            cells++;
        }
    }
    return cells;
}

/* Shares in per cent, (threshold, column), of an area; returns its cells. */
static int64_t area_shares(const struct table *table, const pw_area *area, double *shares)
{
    int64_t over[THRESHOLD_LIMIT], cells = 0;
    for (int column = 0; column < table->columns; column++) {
        cells = area_count(table, area, column, over);
        for (int row = 0; row < table->threshold_count; row++) {
            shares[row * table->columns + column] = 100.0 * (double)over[row] / (double)cells;
        }
    }
    return cells;
}

static const char *part_name(const struct table *table, int part)
{
    return part == 0 ? "whole floor" : table->options->areas[part - 1].name;
}

static void column_name(const struct table *table, int column, char name[LABEL_SIZE])
{
    bool best = table->best && column == table->columns - 1;
    snprintf(name, LABEL_SIZE, "%s", best ? "best server" : table->result->transmitters[table->first + column].name);
}

/* ---- the table for people ---- */

static void area_print(const struct table *table, int part, FILE *report)
{
    const double *shares = table->shares + (size_t)part * table->part_size;
    fprintf(report, "%s: %lld cells, %.4g m2\n  %12s", part_name(table, part), (long long)table->cells[part],
            (double)table->cells[part] * table->map.pitch_x * table->map.pitch_y, "");
    for (int column = 0; column < table->columns; column++) {
        char name[LABEL_SIZE];
        column_name(table, column, name);
        fprintf(report, "  %12.12s", name);
    }
    fputc('\n', report);
    for (int row = 0; row < table->threshold_count; row++) {
        char label[LABEL_SIZE];
        snprintf(label, sizeof label, ">= %g %s", table->thresholds[row], table->map.unit);
        fprintf(report, "  %12s", label);
        for (int column = 0; column < table->columns; column++) {
            fprintf(report, "  %10.1f %%", shares[row * table->columns + column]);
        }
        fputc('\n', report);
    }
}

static void table_print(const struct table *table, FILE *report)
{
    const pw_map_options *options = &table->options->map;
    fprintf(report, "coverage by %s, 2D to 3D %s\n", table->map.name,
            channel_spreading_text(options->channel.spreading));
    if (table->map.mean_width > 0.0) {
        fprintf(report, "local mean of the power over %.4g m by %.4g m\n", table->map.mean_width,
                table->map.mean_width);
    }
    if (options->quantity != PW_PATH_GAIN) {
        fprintf(report, "receiver %g dBi", options->receiver_gain);
        for (int t = table->first; t < table->first + table->columns - table->best; t++) {
            fprintf(report, ", %s %g dBm EIRP", table->result->transmitters[t].name,
                    table->result->transmitters[t].power);
        }
        fputc('\n', report);
    }
    if (options->quantity == PW_SNR || options->quantity == PW_SINR) {
        fprintf(report, "noise %.1f dBm: bandwidth %g MHz, noise figure %g dB\n", table->map.noise,
                options->noise_bandwidth * 1e-6, options->noise_figure);
    }
    for (int part = 0; part <= table->options->area_count; part++) {
        area_print(table, part, report);
    }
}

/* ---- CSV ---- */

/* A field in quotes, quotes doubled (RFC 4180), with what follows. */
static void field_write(FILE *file, const char *text, const char *after)
{
    fputc('"', file);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"') {
            fputc('"', file);
        }
        fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
    }
    fprintf(file, "\"%s", after);
}

static void rows_write(const struct table *table, int part, FILE *file)
{
    const double *shares = table->shares + (size_t)part * table->part_size;
    for (int row = 0; row < table->threshold_count; row++) {
        field_write(file, part_name(table, part), ",");
        fprintf(file, "%.9g,%.9g", (double)table->cells[part] * table->map.pitch_x * table->map.pitch_y,
                table->thresholds[row]);
        for (int column = 0; column < table->columns; column++) {
            fprintf(file, ",%.4f", shares[row * table->columns + column]);
        }
        fputc('\n', file);
    }
}

static pw_status csv_write(const struct table *table, const char *path, pw_error *error)
{
    const pw_map_options *options = &table->options->map;
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    fprintf(file, "# planwave %s: share of the floor over thresholds of %s [%s], in per cent of the cells\n",
            PW_VERSION, table->map.name, table->map.unit);
    fprintf(file, "# from 2D to 3D: %s\n", channel_spreading_text(options->channel.spreading));
    fprintf(file, "# side of the local mean %.6g m (0: none); receiver gain %.6g dBi, noise %.6g dBm\n",
            table->map.mean_width, options->receiver_gain, table->map.noise);
    fprintf(file, "area,area_m2,threshold_%s", table->map.unit);
    for (int column = 0; column < table->columns; column++) {
        char name[LABEL_SIZE];
        column_name(table, column, name);
        fputc(',', file);
        field_write(file, name, "");
    }
    fputc('\n', file);
    for (int part = 0; part <= table->options->area_count; part++) {
        rows_write(table, part, file);
    }
    return disk_finish(file, path, error);
}

/* ---- the whole ---- */

static pw_status table_fill(struct table *table, pw_error *error)
{
    const pw_coverage_options *options = table->options;
    size_t parts = (size_t)options->area_count + 1;
    table->part_size = (size_t)table->threshold_count * (size_t)table->columns;
    table->shares = allocate(parts * table->part_size, sizeof *table->shares, "a coverage table", error);
    table->cells = allocate(parts, sizeof *table->cells, "a coverage table", error);
    if (table->shares == NULL || table->cells == NULL) {
        return PW_NO_RESOURCE;
    }
    for (size_t part = 0; part < parts; part++) {
        const pw_area *area = part == 0 ? NULL : &options->areas[part - 1];
        table->cells[part] = area_shares(table, area, table->shares + part * table->part_size);
        if (area != NULL && table->cells[part] == 0) {
            return fail(error, PW_USAGE, "area '%s' from (%g, %g) m to (%g, %g) m: no cell of the map lies in it",
                        area->name, area->x0, area->y0, area->x1, area->y1);
        }
    }
    return PW_OK;
}

static pw_status table_write(struct table *table, const char *csv_path, FILE *report, pw_error *error)
{
    TRY(table_fill(table, error));
    if (csv_path != NULL) {
        TRY(csv_write(table, csv_path, error));
    }
    if (report != NULL) {
        table_print(table, report);
    }
    return PW_OK;
}

pw_status pw_coverage_write(const pw_result *result, const pw_coverage_options *options, const char *csv_path,
                            void *report, pw_error *error)
{
    if (result == NULL || options == NULL) {
        return fail(error, PW_USAGE, "pw_coverage_write: no %s given", result == NULL ? "result" : "options");
    }
    TRY(options_check(options, error));
    struct table table = {.result = result, .options = options};
    thresholds_choose(&table);
    pw_status status = coverage_prepare(result, &options->map, &table.map, error);
    if (status == PW_OK) {
        bool one = options->map.transmitter != NULL || result->transmitter_count == 1;
        int named = table.map.transmitter < 0 ? 0 : table.map.transmitter;
        table.first = one ? named : 0;
        table.best = !one;
        table.columns = one ? 1 : result->transmitter_count + 1;
        status = coverage_servers_create(result, &options->map, &table.map, &table.servers, error);
    }
    if (status == PW_OK) {
        status = table_write(&table, csv_path, report, error);
        coverage_servers_free(&table.servers);
    }
    free(table.shares);
    free(table.cells);
    coverage_free(&table.map);
    return status;
}
