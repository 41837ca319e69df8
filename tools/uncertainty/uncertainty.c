/* Uncertainty of a prediction (uncertainty.h): options, solving, and the arrays. What is made of the draws is in
 * statistics.c; files are written by uncertainty_write.c. */
#include "uncertainty/uncertainty.h"

#include "uncertainty/readings.h"
#include "uncertainty/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SAMPLES = 8, MOST_SAMPLES = 100000 };
static const double MOST_SCATTER = 40;                      /* dB */
static const double NINETEEN_OF_TWENTY = 1.959963984540054; /* standard deviations of a normal distribution */

pw_uncertainty_options pw_uncertainty_options_default(void)
{
    pw_uncertainty_options options = {.samples = 64, .seed = 1, .map = pw_map_options_default(), .scatter = NAN};
    options.map.quantity = PW_RECEIVED_POWER;
    return options;
}

static pw_status options_check(const pw_uncertainty_options *options, pw_error *error)
{
    pw_quantity quantity = options->map.quantity;
    if (quantity != PW_PATH_GAIN && quantity != PW_PATH_LOSS && quantity != PW_RECEIVED_POWER && quantity != PW_SNR &&
        quantity != PW_SINR) {
        return fail(error, PW_USAGE,
                    "the uncertainty of %s is not computed; allowed: path-gain, path-loss, "
                    "received-power, snr, sinr",
                    pw_quantity_name(quantity));
    }
    if (options->method != PW_UNCERTAINTY_FIRST_ORDER &&
        (options->samples < LEAST_SAMPLES || options->samples > MOST_SAMPLES)) {
        return fail(error, PW_USAGE, "%d samples; allowed are %d to %d", options->samples, LEAST_SAMPLES, MOST_SAMPLES);
    }
    if (!isnan(options->scatter) && !(options->scatter >= 0 && options->scatter <= MOST_SCATTER)) {
        return fail(error, PW_USAGE, "a scatter of %g dB; allowed are 0 to %g dB", options->scatter, MOST_SCATTER);
    }
    if (options->threshold_count < 0 || options->threshold_count > PW_UNCERTAINTY_THRESHOLDS) {
        return fail(error, PW_USAGE, "%d thresholds; allowed are 0 to %d", options->threshold_count,
                    PW_UNCERTAINTY_THRESHOLDS);
    }
    for (int t = 0; t < options->threshold_count; t++) {
        FAIL_IF(!isfinite(options->thresholds[t]), error, PW_USAGE, "threshold %g: it must be finite",
                options->thresholds[t]);
    }
    return PW_OK;
}

/* A calibration's own residuals at new places, before what is usual. */
static void scatter_choose(const pw_scenario *scenario, const pw_uncertainty_options *options, pw_uncertainty *to)
{
    const double interval = pw_scenario_level_interval(scenario);
    if (!isnan(options->scatter)) {
        to->scatter = options->scatter;
        to->scatter_source = "as given";
    } else if (interval > 0) {
        to->scatter = interval / NINETEEN_OF_TWENTY;
        to->scatter_source = "what the calibration left at new places, level_interval / 1.96";
    } else {
        to->scatter = READING_SCATTER;
        to->scatter_source = "assumed: shadow fading in sight, 3GPP TR 38.901, table 7.4.1-1, indoor office";
    }
}

struct estimate {
    const pw_scenario *scenario;
    const pw_uncertainty_options *options;
    pw_map_options map; /* of every draw */
    struct draws draws;
    char *text;       /* owned: the scenario with everything chosen */
    double time_step; /* s, of the scenario as written */
    float *values;    /* (cells, samples), owned */
    double *draw;     /* (cells), owned: of one draw */
    size_t cells;
    int taken, first; /* draws that have come, in any order; the number of the first */
    pw_uncertainty *to;
    uncertainty_finish finish;
    void *user;
};

/* What the scenario as written is solved with. */
static pw_status scenario_choose(struct estimate *estimate, pw_error *error)
{
    pw_setup *setup = NULL;
    TRY(pw_setup_create(estimate->scenario, PW_SINGLE, false, &setup, error));
    const pw_map_options *map = &estimate->options->map;
    for (size_t n = 0; map->note != NULL && n < pw_setup_warning_count(setup); n++) {
        map->note(pw_setup_warning(setup, n), map->note_user);
    }
    pw_facts facts = pw_setup_facts(setup);
    estimate->time_step = facts.time_step;
    estimate->text = strdup(pw_setup_scenario_text(setup));
    pw_setup_free(setup);
    FAIL_IF(estimate->text == NULL, error, PW_NO_RESOURCE, "not enough memory for the text of a scenario");
    return facts.frequency_count > 0 && facts.spectra_rows > 0
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s: 'spectra' is off, and a map needs them",
                      pw_scenario_describe(estimate->scenario).file);
}

static pw_status draw_change(pw_scenario *scenario, int index, void *user, pw_error *error)
{
    const struct estimate *estimate = user;
    const double *number = estimate->draws.number + (size_t)index * (size_t)estimate->draws.dimensions;
    pw_scenario_open_steps(scenario, estimate->time_step);
    return draw_apply(&estimate->draws, number, scenario, error);
}

/* The arrays, once the first result says how large they are. */
static pw_status arrays_create(struct estimate *estimate, const pw_map_shape *shape, pw_error *error)
{
    pw_uncertainty *to = estimate->to;
    size_t cells = (size_t)shape->rows * (size_t)shape->columns;
    double **arrays[] = {&to->nominal,   &to->p10,         &to->p50,         &to->p90,       &to->mean,
                         &to->deviation, &to->reading_p10, &to->reading_p90, &estimate->draw};
    to->shape = *shape;
    estimate->cells = cells;
    for (size_t n = 0; n < sizeof arrays / sizeof *arrays; n++) {
        *arrays[n] = allocate(cells, sizeof(double), "maps of an uncertainty", error);
        TRY_MADE(*arrays[n]);
    }
    TRY(pw_memory_check((double)cells * estimate->draws.count * sizeof *estimate->values, "what is kept of the draws",
                        "take fewer samples or a wider spectra.spacing", error));
    to->counted = allocate(cells, 1, "the floor of a map", error);
    estimate->values =
        allocate(cells * (size_t)estimate->draws.count, sizeof *estimate->values, "the draws of all cells", error);
    return to->counted != NULL && estimate->values != NULL ? PW_OK : PW_NO_RESOURCE;
}

static pw_status map_take(struct estimate *estimate, const pw_result *result, double *values, pw_error *error)
{
    pw_map_shape shape;
    const pw_map_shape *first = &estimate->to->shape;
    TRY(pw_map_describe(result, &estimate->map, &shape, error));
    if (estimate->draw == NULL) {
        TRY(arrays_create(estimate, &shape, error));
    }
    FAIL_IF(shape.rows != first->rows || shape.columns != first->columns, error, PW_BAD_INPUT,
            "a draw has a map of %d x %d cells, another one of %d x %d", shape.columns, shape.rows, first->columns,
            first->rows);
    return pw_map_compute(result, &estimate->map, values != NULL ? values : estimate->draw, NULL, error);
}

/* Ends it after two draws of the same map, bit by bit: what is to vary is nowhere in the plan, such as a material of
 * the legend that no pixel has. Steps of the first order change one thing each, and two of them may well be the same.
 */
static pw_status change_check(const struct estimate *estimate, int second, pw_error *error)
{
    const size_t draws = (size_t)estimate->draws.count;
    if (estimate->options->method == PW_UNCERTAINTY_FIRST_ORDER && estimate->draws.dimensions > 1) {
        return PW_OK;
    }
    for (size_t cell = 0; cell < estimate->cells; cell++) {
        const float *value = estimate->values + cell * draws;
        if (memcmp(value + estimate->first, value + second, sizeof *value) != 0) {
            return PW_OK;
        }
    }
    return fail(error, PW_BAD_INPUT, "what is to vary changes nothing on the map: is any of it in the plan?");
}

static pw_status draw_take(const pw_result *result, int index, void *user, pw_error *error)
{
    struct estimate *estimate = user;
    TRY(map_take(estimate, result, NULL, error));
    for (size_t cell = 0; cell < estimate->cells; cell++) {
        estimate->values[cell * (size_t)estimate->draws.count + (size_t)index] = (float)estimate->draw[cell];
    }
    estimate->taken++;
    if (estimate->taken == 2) {
        return change_check(estimate, index, error);
    }
    estimate->first = estimate->taken == 1 ? index : estimate->first;
    return PW_OK;
}

/* The last to be solved is the scenario as written, and then the numbers are complete. */
static pw_status nominal_take(const pw_result *result, int index, void *user, pw_error *error)
{
    (void)index;
    struct estimate *estimate = user;
    pw_uncertainty *to = estimate->to;
    TRY(map_take(estimate, result, to->nominal, error));
    TRY(pw_map_floor(result, &estimate->map, to->counted, &to->floor, error));
    bool falls = pw_quantity_falls(estimate->map.quantity);
    TRY(statistics_fill(&estimate->draws, estimate->values, estimate->options, falls, to, error));
    return estimate->finish != NULL ? estimate->finish(result, to, estimate->user, error) : PW_OK;
}

static pw_status all_solve(struct estimate *estimate, pw_error *error)
{
    static const char *const without[] = {"receivers=[]"}; /* maps have every point; clutter keeps receivers free */
    const pw_uncertainty_options *options = estimate->options;
    double border = estimate->draws.count / (estimate->draws.count + 1.0);
    struct pw_monitor_part draws_part = {&options->monitor, 0.0, border}, last_part = {&options->monitor, border, 1.0};
    pw_variants variants = {.name = pw_scenario_describe(estimate->scenario).file,
                            .text = estimate->text,
                            .overrides = without,
                            .override_count = pw_scenario_clutter_count(estimate->scenario) == 0,
                            .noun = "draw",
                            .count = estimate->draws.count,
                            .change = draw_change,
                            .take = draw_take,
                            .user = estimate};
    pw_variants_options how = {.compute = options->compute, .monitor = pw_monitor_of_part(&draws_part)};
    TRY(pw_variants_solve(&variants, &how, error));
    variants.noun = "run";
    variants.count = 1;
    variants.change = NULL;
    variants.take = nominal_take;
    how.monitor = pw_monitor_of_part(&last_part);
    return pw_variants_solve(&variants, &how, error);
}

pw_status uncertainty_solve(const pw_scenario *scenario, const pw_uncertainty_options *options,
                            pw_uncertainty *uncertainty, uncertainty_finish finish, void *user, pw_error *error)
{
    struct estimate estimate = {.scenario = scenario,
                                .options = options,
                                .map = options->map,
                                .to = uncertainty,
                                .finish = finish,
                                .user = user};
    memset(uncertainty, 0, sizeof *uncertainty);
    estimate.map.monitor = (pw_monitor){0};
    estimate.map.threshold = estimate.map.minimum = estimate.map.maximum = NAN;
    TRY(options_check(options, error));
    scatter_choose(scenario, options, uncertainty);
    pw_status status = draws_create(scenario, options->spreads, options->spread_count,
                                    options->method == PW_UNCERTAINTY_FIRST_ORDER ? 0 : options->samples, options->seed,
                                    &estimate.draws, error);
    if (status == PW_OK && (options->method == PW_UNCERTAINTY_CHAOS || options->method == PW_UNCERTAINTY_FIRST_ORDER) &&
        draws_have_seeds(&estimate.draws)) {
        status = fail(error, PW_USAGE,
                      "clutter:seed is no value that a line or a polynomial follows: take the method samples");
    }
    uncertainty->samples = estimate.draws.count;
    uncertainty->dimensions = estimate.draws.dimensions;
    THEN(status, scenario_choose(&estimate, error));
    THEN(status, all_solve(&estimate, error));
    free(estimate.text);
    free(estimate.values);
    free(estimate.draw);
    draws_free(&estimate.draws);
    if (status != PW_OK) {
        pw_uncertainty_free(uncertainty);
    }
    return status;
}

pw_status pw_uncertainty_compute(const pw_scenario *scenario, const pw_uncertainty_options *options,
                                 pw_uncertainty *uncertainty, pw_error *error)
{
    FAIL_IF(scenario == NULL || options == NULL || uncertainty == NULL, error, PW_USAGE,
            "pw_uncertainty_compute: scenario, options and uncertainty must not be NULL");
    return uncertainty_solve(scenario, options, uncertainty, NULL, NULL, error);
}

void pw_uncertainty_free(pw_uncertainty *uncertainty)
{
    free(uncertainty->nominal);
    free(uncertainty->p10);
    free(uncertainty->p50);
    free(uncertainty->p90);
    free(uncertainty->mean);
    free(uncertainty->deviation);
    free(uncertainty->reading_p10);
    free(uncertainty->reading_p90);
    free(uncertainty->counted);
    memset(uncertainty, 0, sizeof *uncertainty);
}
