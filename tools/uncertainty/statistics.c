/* Statistics over draws (statistics.h). Threads share the cells; what is summed over them is summed in their order, so
 * that the number of threads does not show. */
#include "uncertainty/statistics.h"

#include "uncertainty/readings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GOOD_CHAOS = 0.05;   /* leave-one-out error, of the variance, up to which its quantiles are taken */
static const uint64_t CHAOS_SEED = 4711; /* of the draws that a chaos is asked for */
enum { CHAOS_DRAWS = 1000 };

double quantile_at(const double *values, int count, double p)
{
    double place = fmin(fmax(p * count - 0.5, 0.0), count - 1);
    int below = (int)floor(place), above = below + 1 < count ? below + 1 : below;
    return values[below] + (place - below) * (values[above] - values[below]);
}

double quantile_of(double *values, int count, double p)
{
    qsort(values, (size_t)count, sizeof *values, pw_number_order);
    return quantile_at(values, count, p);
}

/* What the work on cells shares. */
struct statistics {
    const struct draws *draws;
    const float *values; /* (cells, samples) */
    pw_uncertainty *to;
    size_t cells;
    struct chaos chaos;   /* the one that is used; no terms: none */
    double *polynomials;  /* (CHAOS_DRAWS, terms), owned, where quantiles are not the samples' */
    bool straight;        /* first order: the coefficients are slopes */
    double *coefficients; /* (cells, terms), owned; NAN where a cell has no values */
};

/* The samples of a cell as double; false when one has no value. */
static bool cell_take(const struct statistics *statistics, size_t cell, double *values)
{
    int count = statistics->draws->count;
    for (int n = 0; n < count; n++) {
        values[n] = statistics->values[cell * (size_t)count + (size_t)n];
        if (!isfinite(values[n])) {
            return false;
        }
    }
    return true;
}

/* The quantiles of a cell, of its mean and of a reading, from what its mean may be. */
static void quantiles_fill(pw_uncertainty *to, size_t cell, double *values, int count)
{
    to->p10[cell] = quantile_of(values, count, LOW_QUANTILE);
    to->p50[cell] = quantile_at(values, count, 0.5);
    to->p90[cell] = quantile_at(values, count, HIGH_QUANTILE);
    to->reading_p10[cell] = reading_quantile(values, count, to->scatter, LOW_QUANTILE);
    to->reading_p90[cell] = reading_quantile(values, count, to->scatter, HIGH_QUANTILE);
}

static void quantiles_none(pw_uncertainty *to, size_t cell)
{
    to->p10[cell] = to->p50[cell] = to->p90[cell] = to->reading_p10[cell] = to->reading_p90[cell] = NAN;
}

/* Moments and quantiles of the samples of every cell. */
static pw_status samples_fill(const struct statistics *statistics, pw_error *error)
{
    pw_uncertainty *to = statistics->to;
    int count = statistics->draws->count;
    bool there = true;
#pragma omp parallel reduction(&& : there)
    {
        double *values = malloc((size_t)count * sizeof *values);
        there = values != NULL;
#pragma omp for schedule(static)
        for (size_t cell = 0; cell < statistics->cells; cell++) {
            bool good = values != NULL && cell_take(statistics, cell, values);
            double sum = 0.0, squares = 0.0;
            for (int n = 0; good && n < count; n++) {
                sum += values[n];
            }
            for (int n = 0; good && n < count; n++) {
                squares += (values[n] - sum / count) * (values[n] - sum / count);
            }
            to->mean[cell] = good ? sum / count : NAN;
            to->deviation[cell] = good ? sqrt(squares / (count - 1)) : NAN;
            quantiles_none(to, cell);
            if (good) {
                quantiles_fill(to, cell, values, count);
            }
        }
        free(values);
    }
    return there ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for the draws of a cell");
}

/* ---- the chaos --------------------------------------------------------------------------------------------------- */

/* Fits every cell; *loss is the leave-one-out error over the floor, of the variance. */
static pw_status chaos_spread(const struct statistics *statistics, const struct chaos *chaos, double *coefficients,
                              double *loss, pw_error *error)
{
    int count = chaos->samples;
    double *squares = allocate(statistics->cells, sizeof *squares, "errors of a fit", error);
    bool there = true;
    TRY_MADE(squares);
#pragma omp parallel reduction(&& : there)
    {
        double *values = malloc((size_t)count * sizeof *values);
        there = values != NULL;
#pragma omp for schedule(static)
        for (size_t cell = 0; cell < statistics->cells; cell++) {
            double *own = coefficients + cell * (size_t)chaos->terms;
            squares[cell] = own[0] = NAN;
            if (values != NULL && cell_take(statistics, cell, values)) {
                squares[cell] = chaos_fit(chaos, values, own);
            }
        }
        free(values);
    }
    double sum = 0.0, variance = 0.0;
    for (size_t cell = 0; cell < statistics->cells; cell++) {
        if (statistics->to->counted[cell] && !isnan(squares[cell])) {
            sum += squares[cell];
            variance += pow(statistics->to->deviation[cell], 2) * (count - 1);
        }
    }
    free(squares);
    *loss = variance > 0.0 ? sum / variance : 0.0;
    return there ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for the draws of a cell");
}

/* Fits a chaos of `degree` and keeps it when it is better than the one before. */
static pw_status chaos_try(struct statistics *statistics, int degree, pw_error *error)
{
    struct chaos chaos;
    double loss;
    TRY(chaos_create(statistics->draws, degree, &chaos, error));
    double *coefficients =
        allocate(statistics->cells * (size_t)chaos.terms, sizeof *coefficients, "coefficients of a chaos", error);
    pw_status status =
        coefficients != NULL ? chaos_spread(statistics, &chaos, coefficients, &loss, error) : PW_NO_RESOURCE;
    if (status != PW_OK || (statistics->chaos.terms > 0 && loss >= statistics->to->chaos_error)) {
        free(coefficients);
        chaos_free(&chaos);
        return status;
    }
    free(statistics->coefficients);
    chaos_free(&statistics->chaos);
    statistics->chaos = chaos;
    statistics->coefficients = coefficients;
    statistics->to->chaos_error = loss;
    statistics->to->degree = degree;
    statistics->to->terms = chaos.terms;
    return PW_OK;
}

/* The polynomials at draws of their own. */
static pw_status polynomials_fill(struct statistics *statistics, pw_error *error)
{
    size_t terms = (size_t)statistics->chaos.terms, dimensions = (size_t)statistics->draws->dimensions;
    OWNED double *number = allocate(CHAOS_DRAWS * dimensions, sizeof *number, "draws", error);
    statistics->polynomials = allocate(CHAOS_DRAWS * terms, sizeof(double), "polynomials", error);
    TRY_MADE(number != NULL && statistics->polynomials != NULL);
    TRY(draws_fill(statistics->draws, CHAOS_DRAWS, CHAOS_SEED, number, error));
    for (size_t n = 0; n < CHAOS_DRAWS; n++) {
        chaos_polynomials(&statistics->chaos, number + n * dimensions, statistics->polynomials + n * terms);
    }
    return PW_OK;
}

/* By the chaos, in its draw n. */
static double polynomials_at(const struct statistics *statistics, size_t cell, size_t n)
{
    const size_t terms = (size_t)statistics->chaos.terms;
    const double *own = statistics->coefficients + cell * terms, *row = statistics->polynomials + n * terms;
    double value = 0.0;
    for (size_t t = 0; t < terms; t++) {
        value += own[t] * row[t];
    }
    return value;
}

static pw_status chaos_quantiles(struct statistics *statistics, pw_error *error)
{
    pw_uncertainty *to = statistics->to;
    size_t terms = (size_t)statistics->chaos.terms;
    TRY(polynomials_fill(statistics, error));
#pragma omp parallel for schedule(static)
    for (size_t cell = 0; cell < statistics->cells; cell++) {
        double values[CHAOS_DRAWS];
        if (isnan(statistics->coefficients[cell * terms])) {
            continue;
        }
        for (size_t n = 0; n < CHAOS_DRAWS; n++) {
            values[n] = polynomials_at(statistics, cell, n);
        }
        quantiles_fill(to, cell, values, CHAOS_DRAWS);
    }
    return PW_OK;
}

/* Whose a term is: the spreads of its factors. */
static void sensitivity_fill(const struct statistics *statistics, int spreads)
{
    pw_uncertainty *to = statistics->to;
    const struct chaos *chaos = &statistics->chaos;
    double all = 0.0;
    for (size_t cell = 0; cell < statistics->cells; cell++) {
        const double *own = statistics->coefficients + cell * (size_t)chaos->terms;
        for (int t = 1; to->counted[cell] && !isnan(own[0]) && t < chaos->terms; t++) {
            double part = own[t] * own[t];
            int first = statistics->draws->dimension[chaos->first[t]].spread;
            int second = chaos->second[t] >= 0 ? statistics->draws->dimension[chaos->second[t]].spread : first;
            all += part;
            to->sensitivity[first].total += part;
            to->sensitivity[first].alone += first == second ? part : 0.0;
            to->sensitivity[second].total += first != second ? part : 0.0;
        }
    }
    for (int s = 0; s < spreads; s++) {
        to->sensitivity[s].alone = all > 0.0 ? to->sensitivity[s].alone / all : NAN;
        to->sensitivity[s].total = all > 0.0 ? to->sensitivity[s].total / all : NAN;
    }
    to->sensitivity_count = spreads;
}

static pw_status chaos_use(struct statistics *statistics, const pw_uncertainty_options *options, pw_error *error)
{
    const struct draws *draws = statistics->draws;
    bool asked = options->method == PW_UNCERTAINTY_CHAOS, seeds = draws_have_seeds(draws);
    for (int degree = 1; degree <= 2; degree++) {
        if (!seeds && (draws->count >= 2 * chaos_terms(draws->dimensions, degree) || (asked && degree == 1))) {
            TRY(chaos_try(statistics, degree, error));
        }
    }
    if (statistics->chaos.terms == 0) {
        return PW_OK;
    }
    sensitivity_fill(statistics, options->spread_count);
    statistics->to->from_chaos =
        asked || (options->method == PW_UNCERTAINTY_AUTO && statistics->to->chaos_error <= GOOD_CHAOS);
    return statistics->to->from_chaos ? chaos_quantiles(statistics, error) : PW_OK;
}

/* ---- the first order --------------------------------------------------------------------------------------------- */

/* The line of a cell through the scenario as written, into `own` (terms). Returns how far its P10 and P90 are off it:
 * how far the runs are, each dimension with its part in the variance, as it has it in that quantile. */
static double line_fit(const struct statistics *statistics, double nominal, const double *values, double *own)
{
    double variance = 0.0, bend = 0.0;
    own[0] = nominal;
    for (int d = 0; d < statistics->draws->dimensions; d++) {
        const double *step = statistics->draws->number + 2 * (size_t)d * (size_t)statistics->draws->dimensions;
        double rise = (values[2 * d] - values[2 * d + 1]) / 2, at_step[1 + DIMENSION_LIMIT];
        chaos_polynomials(&statistics->chaos, step, at_step);
        own[1 + d] = rise / at_step[1 + d];
        variance += own[1 + d] * own[1 + d];
        bend += own[1 + d] * own[1 + d] * ((values[2 * d] + values[2 * d + 1]) / 2 - nominal);
    }
    return variance > 0.0 ? bend / variance : 0.0;
}

static pw_status lines_fill(struct statistics *statistics, int spreads, pw_error *error)
{
    pw_uncertainty *to = statistics->to;
    double values[2 * DIMENSION_LIMIT] = {0}, bends = 0.0;
    int64_t good_cells = 0;
    TRY(chaos_lines(statistics->draws, &statistics->chaos, error));
    size_t terms = (size_t)statistics->chaos.terms;
    statistics->coefficients = allocate(statistics->cells * terms, sizeof(double), "slopes of a map", error);
    TRY_MADE(statistics->coefficients);
    for (size_t cell = 0; cell < statistics->cells; cell++) {
        double *own = statistics->coefficients + cell * terms, squares = 0.0;
        bool good = cell_take(statistics, cell, values) && isfinite(to->nominal[cell]);
        double bend = good ? line_fit(statistics, to->nominal[cell], values, own) : 0.0;
        for (size_t t = 1; good && t < terms; t++) {
            squares += own[t] * own[t];
        }
        own[0] = to->mean[cell] = good ? to->nominal[cell] : NAN;
        quantiles_none(to, cell);
        to->deviation[cell] = good ? sqrt(squares) : NAN;
        bends += to->counted[cell] ? bend * bend : 0.0;
        good_cells += to->counted[cell] && good;
    }
    to->quantile_error = good_cells > 0 ? sqrt(bends / (double)good_cells) : NAN;
    to->degree = 1;
    to->terms = statistics->chaos.terms;
    to->chaos_error = NAN;
    sensitivity_fill(statistics, spreads);
    return chaos_quantiles(statistics, error);
}

/* ---- over the floor ---------------------------------------------------------------------------------------------- */

/* `scatter` 0: of the floor; else of readings all over the floor. */
static double share_of(const struct statistics *statistics, const double *map, int sample, double threshold, bool falls,
                       double scatter)
{
    double over = 0.0;
    for (size_t cell = 0; cell < statistics->cells; cell++) {
        if (statistics->to->counted[cell]) {
            double value = map != NULL ? map[cell]
                           : statistics->straight
                               ? polynomials_at(statistics, cell, (size_t)sample)
                               : (double)statistics->values[cell * (size_t)statistics->draws->count + (size_t)sample];
            over += isnan(value) ? 0.0 : reading_meets(value, scatter, threshold, falls);
        }
    }
    return over / (double)statistics->to->floor.cells;
}

static pw_status shares_fill(const struct statistics *statistics, const pw_uncertainty_options *options, bool falls,
                             pw_error *error)
{
    pw_uncertainty *to = statistics->to;
    int count = statistics->straight ? CHAOS_DRAWS : statistics->draws->count;
    double *shares = allocate((size_t)count, sizeof *shares, "shares", error);
    TRY_MADE(shares);
    for (int t = 0; t < options->threshold_count; t++) {
        pw_uncertain_share *share = &to->shares[t];
        share->threshold = options->thresholds[t];
        share->nominal = share_of(statistics, to->nominal, 0, share->threshold, falls, 0.0);
        for (int n = 0; n < count; n++) {
            shares[n] = share_of(statistics, NULL, n, share->threshold, falls, 0.0);
            share->readings += share_of(statistics, NULL, n, share->threshold, falls, to->scatter) / count;
        }
        share->p10 = quantile_of(shares, count, LOW_QUANTILE);
        share->p50 = quantile_at(shares, count, 0.5);
        share->p90 = quantile_at(shares, count, HIGH_QUANTILE);
    }
    to->share_count = options->threshold_count;
    free(shares);
    return PW_OK;
}

static void spread_fill(const struct statistics *statistics)
{
    pw_uncertainty *to = statistics->to;
    double squares = 0.0;
    to->cells = 0;
    for (size_t cell = 0; cell < statistics->cells; cell++) {
        if (to->counted[cell] && !isnan(to->deviation[cell])) {
            squares += to->deviation[cell] * to->deviation[cell];
            to->cells++;
        }
    }
    to->spread = to->cells > 0 ? sqrt(squares / (double)to->cells) : NAN;
}

static void error_fill(const struct statistics *statistics)
{
    pw_uncertainty *to = statistics->to;
    /* Of a quantile p of n normal values: sd sqrt(p (1 - p) / n) over the density there. */
    double z = normal_quantile(HIGH_QUANTILE), density = exp(-z * z / 2) / sqrt(2 * M_PI);
    to->quantile_error = to->spread * sqrt(HIGH_QUANTILE * LOW_QUANTILE / statistics->draws->count) / density;
}

pw_status statistics_fill(const struct draws *draws, const float *values, const pw_uncertainty_options *options,
                          bool falls, pw_uncertainty *uncertainty, pw_error *error)
{
    struct statistics statistics = {.draws = draws,
                                    .values = values,
                                    .to = uncertainty,
                                    .straight = options->method == PW_UNCERTAINTY_FIRST_ORDER,
                                    .cells = (size_t)uncertainty->shape.rows * (size_t)uncertainty->shape.columns};
    for (int s = 0; s < options->spread_count; s++) {
        uncertainty->sensitivity[s] = (pw_sensitivity){.parameter = options->spreads[s].parameter};
    }
    pw_status status =
        statistics.straight ? lines_fill(&statistics, options->spread_count, error) : samples_fill(&statistics, error);
    if (status == PW_OK) {
        spread_fill(&statistics);
    }
    if (status == PW_OK && !statistics.straight) {
        error_fill(&statistics);
        status = chaos_use(&statistics, options, error);
    }
    THEN(status, shares_fill(&statistics, options, falls, error));
    chaos_free(&statistics.chaos);
    free(statistics.polynomials);
    free(statistics.coefficients);
    return status;
}
