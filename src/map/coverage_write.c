/* pw_coverage_write: the shares of coverage.h as a table in per cent, for people and as CSV. */
#include "map/coverage.h"

#include "base/file/atomic_file.h"
#include "channel/slant/heights.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_SIZE = 2 * NAME_SIZE };

struct table {
    const struct result *result;
    const pw_coverage_options *options;
    struct coverage coverage;
    pw_share *shares; /* (part, threshold, column), owned */
};

/* The shares of a part: (threshold, column). */
static const pw_share *part_shares(const struct table *table, int part)
{
    const struct coverage *coverage = &table->coverage;
    return table->shares + (size_t)part * (size_t)coverage->threshold_count * (size_t)coverage->columns;
}

static double per_cent(const pw_share *share)
{
    return 100.0 * (double)share->over / (double)share->cells;
}

static const char *part_name(const struct table *table, int part)
{
    return part == 0 ? table->coverage.floor.text : table->options->areas[part - 1].name;
}

static const char *column_name(const struct table *table, int column)
{
    bool best = table->coverage.best && column == table->coverage.columns - 1;
    return best ? "best server" : table->result->transmitters[table->coverage.first + column].name;
}

/* Of a table of one transmitter its number, else -1. */
static int shown_transmitter(const struct table *table)
{
    return table->coverage.columns == 1 && !map_takes_best(table->result, &table->options->map) ? table->coverage.first
                                                                                                : -1;
}

/* ---- the table for people ---- */

/* Names are told whole: those of real access points differ at their ends. */
static int column_width(const struct table *table)
{
    size_t width = 12;
    for (int column = 0; column < table->coverage.columns; column++) {
        const size_t length = strlen(column_name(table, column));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void part_print(const struct table *table, int part, FILE *report)
{
    const struct coverage *coverage = &table->coverage;
    const pw_share *share = part_shares(table, part);
    char area[PW_NUMBER_SIZE];
    fprintf(report, "%s: %lld cells, %s m2\n  %12s", part_name(table, part), (long long)share->cells,
            pw_number_text(share->square_metres, 3, area), "");
    const int width = column_width(table);
    for (int column = 0; column < coverage->columns; column++) {
        const char *name = column_name(table, column);
        fprintf(report, "  %*s", pw_text_field(name, width), name);
    }
    fputc('\n', report);
    for (int t = 0; t < coverage->threshold_count; t++) {
        char label[LABEL_SIZE];
        snprintf(label, sizeof label, "%s %g %s",
                 pw_quantity_falls(coverage->map.quantity) ? "<=" : ">=", coverage->thresholds[t], coverage->map.unit);
        fprintf(report, "  %12s", label);
        for (int column = 0; column < coverage->columns; column++) {
            fprintf(report, "  %*.1f %%", width - 2, per_cent(share++));
        }
        fputc('\n', report);
    }
}

static void table_print(const struct table *table, FILE *report)
{
    const pw_map_options *options = &table->options->map;
    const struct coverage *coverage = &table->coverage;
    const char *reference = pw_quantity_reference(options->quantity);
    char sheet[MAP_SHEET_TEXT], step[HEIGHTS_TEXT];
    bool volume = table->result->dimensions == 3;
    fprintf(report, "coverage by %s%s%s, %s%s\n", coverage->map.name, reference[0] != '\0' ? " " : "", reference,
            volume ? map_sheet_text(table->result, &coverage->map, sheet) : "2D to 3D ",
            volume ? ""
                   : heights_spreading_text(table->result, shown_transmitter(table), options->channel.receiver_height,
                                            &options->channel, step));
    if (coverage->map.mean_width > 0.0) {
        char width[PW_NUMBER_SIZE];
        pw_number_text(coverage->map.mean_width, 3, width);
        fprintf(report, "local mean of the power over %s m by %s m\n", width, width);
    }
    if (options->quantity != PW_PATH_GAIN && options->quantity != PW_PATH_LOSS) {
        fprintf(report, "receiver %g dBi", options->receiver_gain);
        int shown = map_takes_best(table->result, options) ? table->result->transmitter_count : 1;
        for (int t = coverage->first; t < coverage->first + shown; t++) {
            const struct result_transmitter *from = &table->result->transmitters[t];
            char channel[PW_WIFI_TEXT];
            pw_wifi_channel_text(&from->channel, channel);
            fprintf(report, ", %s %g dBm EIRP%s%s", from->name, from->power, channel[0] != '\0' ? " on channel " : "",
                    channel);
        }
        fputc('\n', report);
    }
    if (options->quantity == PW_SNR || options->quantity == PW_SINR) {
        fprintf(report, "noise %.1f dBm: bandwidth %g MHz, noise figure %g dB\n", coverage->map.noise,
                options->noise_bandwidth * 1e-6, options->noise_figure);
    }
    for (int part = 0; part < coverage->parts; part++) {
        part_print(table, part, report);
    }
}

/* ---- CSV ---- */

static void rows_write(const struct table *table, int part, FILE *file)
{
    const pw_share *share = part_shares(table, part);
    for (int t = 0; t < table->coverage.threshold_count; t++) {
        if (table->result->dimensions == 3) {
            char sheet[MAP_SHEET_TEXT];
            pw_csv_write(file, "\"%s\",", map_sheet_text(table->result, &table->coverage.map, sheet));
        }
        pw_csv_write(file, "\"%s\",%.9g,%.9g", part_name(table, part), share->square_metres, share->threshold);
        for (int column = 0; column < table->coverage.columns; column++) {
            pw_csv_write(file, ",%.4f", per_cent(share++));
        }
        fputc('\n', file);
    }
}

/* What holds for all tables of a file. */
static void head_write(const struct table *table, FILE *file)
{
    const pw_map_options *options = &table->options->map;
    const struct map *map = &table->coverage.map;
    int dimensions = table->result->dimensions;
    char step[HEIGHTS_TEXT];
    fprintf(file, "# planwave %s: share of the floor that is %s thresholds of %s [%s], in per cent of the cells\n",
            PW_VERSION, pw_quantity_falls(map->quantity) ? "at or under" : "at or over", map->name, map->unit);
    fprintf(file, "# from 2D to 3D: %s\n",
            heights_spreading_text(table->result, shown_transmitter(table), options->channel.receiver_height,
                                   &options->channel, step));
    result_write_level_interval(table->result, file);
    fprintf(file, "# side of the local mean %.6g m (0: none); receiver gain %.6g dBi, noise %.6g dBm\n",
            map->mean_width, options->receiver_gain, map->noise);
    fprintf(file, "%sarea,area_m2,threshold_%s", dimensions == 3 ? "plane," : "", map->unit);
    for (int column = 0; column < table->coverage.columns; column++) {
        pw_csv_write(file, ",\"%s\"", column_name(table, column));
    }
    fputc('\n', file);
}

/* ---- the whole ---- */

/* Where the tables go; either may be NULL. */
struct outputs {
    FILE *csv, *report;
    int tables; /* so far */
};

/* The table of the chosen sheet. */
static pw_status table_write(struct table *table, struct outputs *to, pw_error *error)
{
    TRY(coverage_fill(table->result, table->options, &table->coverage, table->shares, error));
    if (to->csv != NULL && to->tables == 0) {
        head_write(table, to->csv);
    }
    for (int part = 0; to->csv != NULL && part < table->coverage.parts; part++) {
        rows_write(table, part, to->csv);
    }
    if (to->report != NULL) {
        fputs(to->tables > 0 ? "\n" : "", to->report);
        table_print(table, to->report);
    }
    to->tables++;
    return PW_OK;
}

static pw_status sheet_write(const struct result *result, const pw_coverage_options *options, struct outputs *to,
                             pw_error *error)
{
    struct table table = {.result = result, .options = options};
    TRY(coverage_prepare(result, options, &table.coverage, error));
    TRY_MADE(table.shares = allocate(coverage_size(&table.coverage), sizeof *table.shares, "a coverage table", error));
    pw_status status = table_write(&table, to, error);
    free(table.shares);
    return status;
}

/* A table for every horizontal plane, of the component that the options ask for. */
static pw_status heights_write(const struct result *result, const pw_coverage_options *options, struct outputs *to,
                               pw_error *error)
{
    OWNED int *sheets = allocate((size_t)pw_result_sheet_count(result) + 1, sizeof *sheets, "heights", error);
    TRY_MADE(sheets);
    int count = result_heights(result, sheets);
    for (int n = 0; n < count; n++) {
        OWNED_BY(result_view_free) struct result view = {0};
        TRY(result_view_create(result, sheets[n], &view, error));
        TRY(sheet_write(&view, options, to, error));
    }
    return count > 0 ? PW_OK : sheet_write(result, options, to, error);
}

pw_status pw_coverage_write(const pw_result *result, const pw_coverage_options *options, const char *csv_path,
                            FILE *report, pw_error *error)
{
    FAIL_IF(result == NULL || options == NULL, error, PW_USAGE, "pw_coverage_write: no %s given",
            result == NULL ? "result" : "options");
    struct coverage coverage; /* bad options make no file */
    TRY(coverage_prepare(result, options, &coverage, error));
    struct outputs to = {.report = report, .csv = csv_path != NULL ? disk_create(csv_path, error) : NULL};
    if (csv_path != NULL && to.csv == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = options->every_height && result->dimensions == 3 ? heights_write(result, options, &to, error)
                                                                        : sheet_write(result, options, &to, error);
    return csv_path != NULL ? disk_conclude(to.csv, csv_path, status, error) : status;
}
