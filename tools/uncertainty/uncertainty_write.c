/* pw_uncertainty_write: pictures of the quantiles, their numbers, and the summary; all files or none. */
#include "uncertainty/uncertainty.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double TOLD = 0.5; /* leave-one-out error, of the variance, up to which sensitivities are told */

enum { PICTURES = 6, PATHS = PICTURES + 1 };

struct writing {
    const pw_uncertainty_options *options;
    pw_map_options map; /* of the pictures */
    const char *path;
    FILE *report;                  /* may be NULL */
    char written[PATHS][PATH_MAX]; /* (count): what is to be removed after a failure */
    int count;
    bool numbers; /* what is written now are the numbers of the maps; else their pictures */
};

/* "signal.png" to "signal-p10.png", or with another ending "signal-p10.npy". */
static pw_status name_make(struct writing *writing, const char *middle, const char *ending, pw_error *error)
{
    size_t length = strlen(writing->path);
    bool picture = pw_is_picture(writing->path);
    const char *own = picture ? writing->path + length - 4 : ".png";
    int stem = (int)(picture ? length - 4 : length);
    char *to = writing->written[writing->count];
    FAIL_IF(snprintf(to, PATH_MAX, "%.*s%s%s", stem, writing->path, middle, ending != NULL ? ending : own) >= PATH_MAX,
            error, PW_USAGE, "the name '%.60s...' is too long", writing->path);
    writing->count++;
    return PW_OK;
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* Where the numbers come from; `samples` 0: shortly. */
static const char *source_text(const pw_uncertainty_options *options, int samples, char text[64])
{
    if (options->method == PW_UNCERTAINTY_FIRST_ORDER) {
        snprintf(text, 64, samples > 0 ? "first order, by %d runs" : "by first order", samples + 1);
    } else if (samples > 0) {
        snprintf(text, 64, "%d draws (Latin hypercube, seed %llu)", samples, (unsigned long long)options->seed);
    } else {
        snprintf(text, 64, "of %d draws", options->samples);
    }
    return text;
}

/* P90 - P10 counts decibels from nothing upwards, whatever the quantity. */
static pw_status picture_write(struct writing *writing, const pw_result *result, const pw_map_shape *like,
                               const char *middle, const char *what, const double *values, const double range[2],
                               pw_error *error)
{
    char name[160], from[64];
    snprintf(name, sizeof name, "%s, %s %s", like->name, what, source_text(writing->options, 0, from));
    const pw_map_values map = {.name = name,
                               .unit = strcmp(middle, "-range") == 0 ? "dB" : like->unit,
                               .values = values,
                               .minimum = range[0],
                               .maximum = range[1]};
    TRY(name_make(writing, middle, writing->numbers ? ".npy" : NULL, error));
    const char *path = writing->written[writing->count - 1];
    return pw_map_values_write(result, &writing->map, &map, writing->numbers ? NULL : path,
                               writing->numbers ? path : NULL, error);
}

static pw_status range_of(const struct writing *writing, const pw_result *result, const double *values,
                          const double asked[2], double range[2], pw_error *error)
{
    const pw_map_values map = {.values = values, .minimum = asked[0], .maximum = asked[1]};
    return pw_map_values_range(result, &writing->map, &map, &range[0], &range[1], error);
}

/* The quantiles in the same colours. */
static pw_status pictures_write(struct writing *writing, const pw_result *result, const pw_map_shape *like,
                                const pw_uncertainty *all, double *between, pw_error *error)
{
    const double asked[2] = {writing->options->map.minimum, writing->options->map.maximum}, from_zero[2] = {0.0, NAN};
    double low[2], high[2], range[2];
    size_t cells = (size_t)like->rows * (size_t)like->columns;
    TRY(range_of(writing, result, all->p10, asked, low, error));
    TRY(range_of(writing, result, all->p90, asked, high, error));
    range[0] = fmin(low[0], high[0]);
    range[1] = fmax(low[1], high[1]);
    TRY(picture_write(writing, result, like, "-p10", "P10", all->p10, range, error));
    TRY(picture_write(writing, result, like, "-p50", "median", all->p50, range, error));
    TRY(picture_write(writing, result, like, "-p90", "P90", all->p90, range, error));
    for (size_t cell = 0; cell < cells; cell++) {
        between[cell] = all->p90[cell] - all->p10[cell];
    }
    TRY(range_of(writing, result, between, from_zero, range, error));
    TRY(picture_write(writing, result, like, "-range", "P90 - P10", between, range, error));
    TRY(range_of(writing, result, all->reading_p10, asked, low, error));
    TRY(range_of(writing, result, all->reading_p90, asked, high, error));
    range[0] = fmin(low[0], high[0]);
    range[1] = fmax(low[1], high[1]);
    TRY(picture_write(writing, result, like, "-reading-p10", "P10 of a reading", all->reading_p10, range, error));
    return picture_write(writing, result, like, "-reading-p90", "P90 of a reading", all->reading_p90, range, error);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static void spread_text(const pw_spread *spread, char text[128])
{
    size_t length = strlen(spread->parameter);
    if (strcmp(spread->parameter, "clutter:seed") == 0) {
        snprintf(text, 128, "another draw of the clutter each time");
        return;
    }
    bool position = length > 9 && strcmp(spread->parameter + length - 9, ":position") == 0;
    double width = position ? spread->width : 100 * spread->width;
    const char *unit = position ? " m" : " %";
    if (spread->uniform) {
        snprintf(text, 128, "uniform, at most %g%s off%s", width, unit, position ? " along x and along y" : "");
    } else {
        snprintf(text, 128, "%s, standard deviation %g%s%s", position ? "normal" : "log-normal", width, unit,
                 position ? " along x and along y" : "");
    }
}

static pw_status csv_write(struct writing *writing, const pw_result *result, const pw_map_shape *like,
                           const pw_uncertainty *all, pw_error *error)
{
    const pw_uncertainty_options *options = writing->options;
    TRY(name_make(writing, "", ".csv", error));
    FILE *file = pw_file_create(writing->written[writing->count - 1], error);
    TRY_MADE(file);
    char spread[128], from[64];
    fprintf(file, "# planwave %s: %s [%s], %s\n", PW_VERSION, like->name, like->unit,
            source_text(options, all->samples, from));
    for (int s = 0; s < options->spread_count; s++) {
        spread_text(&options->spreads[s], spread);
        fprintf(file, "# %s: %s\n", options->spreads[s].parameter, spread);
    }
    fprintf(file,
            "# from 2D to 3D: %s\n# quantiles of each cell on its own, of %s\n"
            "# a reading scatters about the mean by %.4g dB (%s)\n"
            "# floor: 1 counts (%s); nan: a draw has no value\n"
            "x_m,y_m,floor,nominal,p10,p50,p90,mean,standard_deviation_dB,reading_p10,reading_p90\n",
            pw_spreading_text(pw_result_describe(result).dimensions, options->map.channel.spreading),
            all->from_chaos                                 ? "a polynomial chaos"
            : options->method == PW_UNCERTAINTY_FIRST_ORDER ? "straight lines"
                                                            : "the draws",
            all->scatter, all->scatter_source, all->floor.text);
    for (int row = 0; row < like->rows; row++) {
        for (int column = 0; column < like->columns; column++) {
            size_t n = (size_t)row * (size_t)like->columns + (size_t)column;
            pw_csv_write(file, "%.6g,%.6g,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n",
                         like->x0 + column * like->pitch_x, like->y0 + row * like->pitch_y, all->counted[n],
                         all->nominal[n], all->p10[n], all->p50[n], all->p90[n], all->mean[n], all->deviation[n],
                         all->reading_p10[n], all->reading_p90[n]);
        }
    }
    return pw_file_finish(file, writing->written[writing->count - 1], error);
}

/* ---- the summary ------------------------------------------------------------------------------------------------- */

static const double STRAIGHT = 0.5; /* dB off straight lines, up to which the first order is not doubted */

static void quantiles_report(const pw_uncertainty_options *options, const pw_uncertainty *all, FILE *report)
{
    char error[PW_NUMBER_SIZE];
    if (options->method == PW_UNCERTAINTY_FIRST_ORDER) {
        fprintf(
            report,
            "  P10, median and P90 are those of straight lines through these runs, which are about %s dB off them\n",
            pw_number_text(all->quantile_error, 2, error));
        if (all->quantile_error > STRAIGHT) {
            fputs("  this map is not straight enough for it: leave out --first-order, or give --local-mean\n", report);
        }
        return;
    }
    if (all->from_chaos) {
        fprintf(report,
                "  P10, median and P90 are those of a polynomial chaos of degree %d (%d polynomials), whose "
                "leave-one-out error\n  is %s %% of the variance\n",
                all->degree, all->terms, pw_number_text(100 * all->chaos_error, 2, error));
        return;
    }
    fprintf(report, "  P10, median and P90 come from %d draws; the standard error of P10 and P90 is about %s dB\n",
            all->samples, pw_number_text(all->quantile_error, 2, error));
}

/* Mean over the floor. */
static double width_of(const pw_uncertainty *all, const double *low, const double *high)
{
    double sum = 0.0;
    for (int64_t n = 0; n < (int64_t)all->shape.rows * all->shape.columns; n++) {
        sum += all->counted[n] && !isnan(low[n]) ? high[n] - low[n] : 0.0;
    }
    return all->cells > 0 ? sum / (double)all->cells : NAN;
}

static bool has_clutter(const pw_uncertainty_options *options)
{
    bool clutter = false;
    for (int s = 0; s < options->spread_count; s++) {
        clutter = clutter || strcmp(options->spreads[s].parameter, "clutter:seed") == 0;
    }
    return clutter;
}

/* The interval of the mean, that of a reading, and what the second one counts twice or not at all. */
static void intervals_report(const pw_uncertainty_options *options, const pw_uncertainty *all, FILE *report)
{
    fprintf(report,
            "  P10 to P90 are %.1f dB apart for the mean level at a place, %.1f dB for a new reading there (over the "
            "floor)\n"
            "  a reading scatters about the mean by %.2g dB (%s)\n",
            width_of(all, all->p10, all->p90), width_of(all, all->reading_p10, all->reading_p90), all->scatter,
            all->scatter_source);
    if (isnan(options->scatter) && strstr(all->scatter_source, "level_interval") != NULL) {
        fputs(
            "  that has the errors of the calibrated materials in it: the interval of a reading is on the wide side\n",
            report);
    } else if (isnan(options->scatter) && has_clutter(options)) {
        fputs("  that stands for furniture too, which clutter:seed draws: the interval of a reading is on the wide "
              "side\n",
              report);
    }
    if (options->map.quantity == PW_SINR && all->scatter > 0) {
        fputs("  in an SINR the interference scatters besides: the interval of a reading is too narrow\n", report);
    }
}

static void sensitivity_report(const pw_uncertainty *all, FILE *report)
{
    if (all->terms == 0) {
        fprintf(report, "  too few draws to tell which spread the variance comes from: give at least %d\n",
                2 * (1 + all->dimensions));
        return;
    }
    if (all->chaos_error > TOLD) {
        fprintf(
            report,
            "  which spread the variance comes from cannot be told: a polynomial chaos of these draws leaves %.0f %% "
            "of it\n  unexplained; --local-mean or more samples help\n",
            100 * fmin(all->chaos_error, 1.0));
        return;
    }
    fprintf(report, "  where the variance comes from%*salone   with others\n", 19, "");
    for (int s = 0; s < all->sensitivity_count; s++) {
        fprintf(report, "    %-*s %7.1f %% %10.1f %%\n", pw_text_field(all->sensitivity[s].parameter, 40),
                all->sensitivity[s].parameter, 100 * all->sensitivity[s].alone, 100 * all->sensitivity[s].total);
    }
    if (!all->from_chaos && !isnan(all->chaos_error)) {
        fprintf(report, "    by a polynomial chaos of degree %d that leaves %.0f %% of the variance unexplained\n",
                all->degree, 100 * all->chaos_error);
    }
}

static void summary_report(const struct writing *writing, const pw_result *result, const pw_map_shape *like,
                           const pw_uncertainty *all)
{
    FILE *report = writing->report;
    const pw_uncertainty_options *options = writing->options;
    char spread[128], from[64];
    fprintf(report, "%s%s%s: %s\n", like->name, like->transmitter < 0 ? " from the strongest transmitter" : "",
            like->mean_width > 0 ? ", local mean" : "", source_text(options, all->samples, from));
    for (int s = 0; s < options->spread_count; s++) {
        spread_text(&options->spreads[s], spread);
        fprintf(report, "  %-*s %s\n", pw_text_field(options->spreads[s].parameter, 26), options->spreads[s].parameter,
                spread);
    }
    fprintf(report, "  counted: %s, %.4g m2 of %.4g m2\n", all->floor.text, all->floor.square_metres,
            all->floor.plan_square_metres);
    fprintf(report, "  standard deviation over the draws %.2f dB (root mean square over the floor)\n", all->spread);
    quantiles_report(options, all, report);
    intervals_report(options, all, report);
    for (int t = 0; t < all->share_count; t++) {
        const pw_uncertain_share *share = &all->shares[t];
        fprintf(report,
                "  at or %s %g %s: %.1f %% of the floor as written; P10 %.1f %%, median %.1f %%, P90 %.1f %%; %.1f %% "
                "of readings\n",
                pw_quantity_falls(options->map.quantity) ? "under" : "over", share->threshold, like->unit,
                100 * share->nominal, 100 * share->p10, 100 * share->p50, 100 * share->p90, 100 * share->readings);
    }
    sensitivity_report(all, report);
    fprintf(report, "  not included in the mean: %swalls that stand elsewhere than drawn%s\n",
            has_clutter(options) ? "" : "furniture, people, ",
            pw_result_describe(result).dimensions == 2 ? ", floor and ceiling and the step from two dimensions to three"
                                                       : "");
}

/* A picture needs gnuplot and a temporary folder; hours of draws do not go with it. */
static pw_status say_kept(const struct writing *writing, pw_status status, pw_error *error)
{
    pw_error first = {""};
    if (error != NULL) {
        first = *error;
    }
    return fail(error, status, "%.600s; the numbers are written, beside '%.300s'", first.message, writing->path);
}

static pw_status all_write(const pw_result *result, const pw_uncertainty *all, void *user, pw_error *error)
{
    struct writing *writing = user;
    pw_map_shape map;
    TRY(pw_map_describe(result, &writing->map, &map, error));
    double *between = allocate((size_t)map.rows * (size_t)map.columns, sizeof *between, "a map of a range", error);
    pw_status status = between != NULL ? csv_write(writing, result, &map, all, error) : PW_NO_RESOURCE;
    writing->numbers = true;
    THEN(status, pictures_write(writing, result, &map, all, between, error));
    for (int n = 0; status != PW_OK && n < writing->count; n++) {
        (void)unlink(writing->written[n]);
    }
    if (status == PW_OK) {
        writing->numbers = false;
        writing->count = 0;
        status = pictures_write(writing, result, &map, all, between, error);
        status = status == PW_OK ? PW_OK : say_kept(writing, status, error);
    }
    free(between);
    if (status == PW_OK && writing->report != NULL) {
        summary_report(writing, result, &map, all);
    }
    return status;
}

pw_status pw_uncertainty_write(const pw_scenario *scenario, const pw_uncertainty_options *options, const char *path,
                               FILE *report, pw_uncertainty *uncertainty, pw_error *error)
{
    pw_uncertainty own;
    FAIL_IF(scenario == NULL || options == NULL || path == NULL || path[0] == '\0', error, PW_USAGE,
            "pw_uncertainty_write: no %s given",
            scenario == NULL  ? "scenario"
            : options == NULL ? "options"
                              : "name for the pictures");
    struct writing *writing = allocate(1, sizeof *writing, "names of files", error);
    TRY_MADE(writing);
    *writing = (struct writing){.options = options, .map = options->map, .path = path, .report = report};
    writing->map.monitor = (pw_monitor){0};
    writing->map.threshold = NAN;
    pw_status status = name_make(writing, "-p10", NULL, error);
    status = status == PW_OK ? pw_picture_try(writing->written[0], error) : status; /* the draws may take hours */
    writing->count = 0;
    if (status == PW_OK) {
        status =
            uncertainty_solve(scenario, options, uncertainty != NULL ? uncertainty : &own, all_write, writing, error);
    }
    if (status == PW_OK && uncertainty == NULL) {
        pw_uncertainty_free(&own);
    }
    free(writing);
    return status;
}
