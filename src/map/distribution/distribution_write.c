/* Percentiles of distributions as a table for people, and as CSV (pw_distributions_write). */
#include "map/distribution/distribution.h"

#include "base/file/atomic_file.h"

#include <string.h>

enum { CDF_STEPS = 200 };

static const double usual_percents[] = {5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0};

/* ---- the table for people ---- */

static void part_print(const pw_distributions *distributions, int part, const double *percents, int count, FILE *report)
{
    int columns = distributions->coverage.columns;
    const pw_distribution *first = &distributions->distributions[(size_t)part * (size_t)columns];
    fprintf(report, "%s", distributions->names[part]);
    if (!distributions->receivers) {
        fprintf(report, ": %lld cells", (long long)first->cells);
    }
    fprintf(report, "\n  %12s", "");
    size_t longest = 12; /* names are told whole: those of real access points differ at their ends */
    for (int column = 0; column < columns; column++) {
        const size_t length = strlen(distribution_column(distributions, (size_t)column));
        longest = length > longest ? length : longest;
    }
    const int width = (int)longest;
    for (int column = 0; column < columns; column++) {
        const char *name = distribution_column(distributions, (size_t)column);
        fprintf(report, "  %*s", pw_text_field(name, width), name);
    }
    fprintf(report, "\n  %12s", "counted");
    for (int column = 0; column < columns; column++) {
        fprintf(report, "  %*lld", width, (long long)first[column].count);
    }
    for (int p = 0; p < count; p++) {
        fprintf(report, "\n  %10g %%", percents[p]);
        for (int column = 0; column < columns; column++) {
            fprintf(report, "  %*.2f", width, pw_distribution_percentile(&first[column], percents[p]));
        }
    }
    fputc('\n', report);
}

static void table_print(const pw_distributions *distributions, const double *percents, int count, FILE *report)
{
    const struct map *map = &distributions->coverage.map;
    const char *reference = pw_quantity_reference(map->quantity);
    char sheet[MAP_SHEET_TEXT];
    bool plane = distributions->result->dimensions == 3 && !distributions->receivers;
    fprintf(report, "percentiles of %s [%s]%s%s over the %s%s%s: that share is at or under the value\n", map->name,
            map->unit, reference[0] != '\0' ? " " : "", reference, distributions->receivers ? "receivers" : "floor",
            plane ? ", " : "", plane ? map_sheet_text(distributions->result, map, sheet) : "");
    if (map->mean_width > 0.0) {
        char width[PW_NUMBER_SIZE];
        pw_number_text(map->mean_width, 3, width);
        fprintf(report, "local mean of the power over %s m by %s m\n", width, width);
    }
    for (int part = 0; part < distributions->coverage.parts; part++) {
        part_print(distributions, part, percents, count, report);
    }
}

/* ---- CSV ---- */

static pw_status csv_write(const pw_distributions *distributions, const double *percents, int count, const char *path,
                           pw_error *error)
{
    const struct map *map = &distributions->coverage.map;
    char name[CURVE_NAME];
    FILE *file = disk_create(path, error);
    TRY_MADE(file);
    fprintf(file, "# planwave %s: %s [%s] that so many per cent of the places are at or under; %s\n", PW_VERSION,
            map->name, map->unit, distributions->names[0]);
    fprintf(file, "# places without a value are not counted; side of the local mean %.6g m (0: none)\npercent",
            map->mean_width);
    for (size_t n = 0; n < distributions->count; n++) {
        pw_csv_write(file, ",\"%s\"", distribution_name(distributions, n, name));
    }
    fputc('\n', file);
    for (int p = 0; p < count; p++) {
        fprintf(file, "%.9g", percents[p]);
        for (size_t n = 0; n < distributions->count; n++) {
            pw_csv_write(file, ",% .9g", pw_distribution_percentile(&distributions->distributions[n], percents[p]));
        }
        fputc('\n', file);
    }
    return disk_conclude(file, path, PW_OK, error);
}

static pw_status cdf_write(const pw_distributions *distributions, const char *path, pw_error *error)
{
    const char *ending = strrchr(path, '.');
    if (ending == NULL || strcmp(ending, ".csv") != 0) {
        return distribution_plot(distributions, path, error);
    }
    double steps[CDF_STEPS + 1];
    for (int n = 0; n <= CDF_STEPS; n++) {
        steps[n] = 100.0 * n / CDF_STEPS;
    }
    return csv_write(distributions, steps, CDF_STEPS + 1, path, error);
}

/* ---- the whole ---- */

pw_status pw_distributions_write(const pw_distributions *distributions, const double *percents, int percent_count,
                                 const char *csv_path, const char *cdf_path, FILE *report, pw_error *error)
{
    FAIL_IF(distributions == NULL, error, PW_USAGE, "pw_distributions_write: no distributions given");
    if (percents == NULL || percent_count == 0) {
        percents = usual_percents;
        percent_count = sizeof usual_percents / sizeof *usual_percents;
    }
    for (int p = 0; p < percent_count; p++) {
        FAIL_IF(!(percents[p] >= 0.0 && percents[p] <= 100.0), error, PW_USAGE, "percentile %g: allowed are 0 to 100",
                percents[p]);
    }
    if (csv_path != NULL) {
        TRY(csv_write(distributions, percents, percent_count, csv_path, error));
    }
    if (cdf_path != NULL) {
        TRY(cdf_write(distributions, cdf_path, error));
    }
    if (report != NULL) {
        table_print(distributions, percents, percent_count, report);
    }
    return PW_OK;
}
