/* Uncertainty by few draws against brute force: a floor of two rooms whose brick and concrete are known by and large.
 * Brute force shares nothing with `planwave uncertainty` but the solver: its materials are written into the scenario as
 * values of their own, with plain normal numbers (Box and Muller), a run and a file each. */
#include "validation/support/case.h"

#include "base/numbers/splitmix.h"
#include "uncertainty/statistics.h"

#include <unistd.h>

enum { SPREADS = 4, MOST_RUNS = 500 };

static const double WIDTHS[SPREADS] = {0.15, 0.4, 0.15, 0.4};
/* P.2040-4 at 1 GHz: what `brick` and `concrete` are. */
static const double VALUES[SPREADS] = {3.91, 0.0238, 5.24, 0.0462};
static const double THRESHOLD = -30; /* dBm */

#define FLOOR                                                                                                          \
    "plan:\n"                                                                                                          \
    "  size: [6 m, 4 m]\n"                                                                                             \
    "  walls:\n"                                                                                                       \
    "  - {from: [0.5 m, 0.6 m], to: [5.5 m, 0.6 m], thickness: 20 cm, material: %s}\n"                                 \
    "  - {from: [0.5 m, 3.4 m], to: [5.5 m, 3.4 m], thickness: 20 cm, material: %s}\n"                                 \
    "  - {from: [0.6 m, 0.5 m], to: [0.6 m, 3.5 m], thickness: 20 cm, material: %s}\n"                                 \
    "  - {from: [5.4 m, 0.5 m], to: [5.4 m, 3.5 m], thickness: 20 cm, material: %s}\n"                                 \
    "  - {from: [3 m, 0.7 m], to: [3 m, 3.3 m], thickness: 24 cm, material: %s}\n"                                     \
    "  openings: [{from: [2.8 m, 2.4 m], to: [3.2 m, 3.2 m]}]\n"                                                       \
    "grid: {scheme: fd4o, cell: 4 cm}\n"                                                                               \
    "band: {centre: 1 GHz, width: 200 MHz}\n"                                                                          \
    "transmitters: [{name: west, at: [1.5 m, 1.5 m], power: 20 dBm}]\n"                                                \
    "spectra: {count: 24, spacing: 4 cells}\n"                                                                         \
    "stop: {after: 60 ns, decay: off}\n"

static pw_map_options map_options(void)
{
    pw_map_options options = pw_map_options_default();
    options.quantity = PW_RECEIVED_POWER;
    options.local_mean = true;
    return options;
}

static pw_scenario *floor_of(const char *concrete, const char *brick)
{
    char text[4096];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    snprintf(text, sizeof text, FLOOR, concrete, concrete, concrete, concrete, brick);
    SOLVE_CHECK(pw_scenario_parse("floor", text, NULL, 0, &scenario, &error), &error);
    return scenario;
}

static double normal(uint64_t *state)
{
    double u = 1.0 - splitmix_unit(splitmix_next(state)), v = splitmix_unit(splitmix_next(state));
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * v);
}

/* The map of one set of values (SPREADS), into `values` (cells). */
static void run_own(const struct validation *validation, const double *value, size_t cells, double *values)
{
    char brick[128], concrete[128], path[512];
    pw_error error = {""};
    pw_map_options options = map_options();
    pw_run_options run = {.compute.backend = validation->backend, .force = true};
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    pw_map_shape shape;
    snprintf(brick, sizeof brick, "{relative_permittivity: %.12g, conductivity: %.12g S/m}", value[0], value[1]);
    snprintf(concrete, sizeof concrete, "{relative_permittivity: %.12g, conductivity: %.12g S/m}", value[2], value[3]);
    snprintf(path, sizeof path, "%s/spreads.h5", validation->folder);
    pw_scenario *scenario = floor_of(concrete, brick);
    SOLVE_CHECK(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), &error);
    SOLVE_CHECK(pw_run(setup, &run, path, &error), &error);
    SOLVE_CHECK(pw_result_open(path, &result, &error), &error);
    SOLVE_CHECK(pw_map_describe(result, &options, &shape, &error), &error);
    if ((size_t)shape.rows * (size_t)shape.columns != cells) {
        case_require(PW_NUMERICAL, "the maps are not of one size");
    }
    SOLVE_CHECK(pw_map_compute(result, &options, values, NULL, &error), &error);
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    unlink(path);
}

static pw_uncertainty few_draws(const struct validation *validation, int samples, pw_uncertainty_method method,
                                int without)
{
    static const char *const NAMES[SPREADS] = {"brick:permittivity", "brick:conductivity", "concrete:permittivity",
                                               "concrete:conductivity"};
    pw_spread spreads[SPREADS];
    pw_error error = {""};
    pw_uncertainty found;
    pw_uncertainty_options options = pw_uncertainty_options_default();
    options.map = map_options();
    options.compute.backend = validation->backend;
    options.samples = samples;
    options.method = method;
    options.spreads = spreads;
    options.thresholds = &THRESHOLD;
    options.threshold_count = 1;
    for (int s = 0; s < SPREADS; s++) {
        if (s != without) {
            spreads[options.spread_count++] = (pw_spread){.parameter = NAMES[s], .width = WIDTHS[s]};
        }
    }
    pw_scenario *scenario = floor_of("concrete", "brick");
    SOLVE_CHECK(pw_uncertainty_compute(scenario, &options, &found, &error), &error);
    pw_scenario_free(scenario);
    return found;
}

/* What brute force says: values (cells, runs), and the quantiles of each cell. */
struct brute {
    int runs;
    size_t cells;
    double *values, *p10, *p90;
    double spread; /* dB */
    double share[3];
};

static struct brute brute_force(const struct validation *validation, int runs, const pw_uncertainty *like)
{
    struct brute brute = {.runs = runs, .cells = (size_t)like->shape.rows * (size_t)like->shape.columns};
    double *map = calloc(brute.cells, sizeof *map), *shares = calloc((size_t)runs, sizeof *shares), squares = 0;
    uint64_t state = 20261123;
    brute.values = calloc(brute.cells * (size_t)runs, sizeof(double));
    brute.p10 = calloc(brute.cells, sizeof(double));
    brute.p90 = calloc(brute.cells, sizeof(double));
    for (int n = 0; n < runs; n++) {
        double value[SPREADS];
        for (int s = 0; s < SPREADS; s++) {
            value[s] = VALUES[s] * exp(WIDTHS[s] * normal(&state));
            value[s] = s % 2 == 0 ? fmax(1.0, value[s]) : value[s];
        }
        run_own(validation, value, brute.cells, map);
        for (size_t cell = 0; cell < brute.cells; cell++) {
            brute.values[cell * (size_t)runs + (size_t)n] = map[cell];
            shares[n] += like->counted[cell] && map[cell] >= THRESHOLD;
        }
        shares[n] /= (double)like->floor.cells;
    }
    for (size_t cell = 0; cell < brute.cells; cell++) {
        double *own = brute.values + cell * (size_t)runs, sum = 0, own_squares = 0;
        for (int n = 0; n < runs; n++) {
            sum += own[n];
        }
        for (int n = 0; n < runs; n++) {
            own_squares += pow(own[n] - sum / runs, 2) / (runs - 1);
        }
        squares += like->counted[cell] ? own_squares : 0.0;
        brute.p10[cell] = quantile_of(own, runs, 0.1);
        brute.p90[cell] = quantile_of(own, runs, 0.9);
    }
    brute.spread = sqrt(squares / (double)like->floor.cells);
    for (int q = 0; q < 3; q++) {
        brute.share[q] = quantile_of(shares, runs, q == 0 ? 0.1 : q == 1 ? 0.5 : 0.9);
    }
    free(map);
    free(shares);
    return brute;
}

/* Root mean square over the floor of the difference of both quantiles, of the spread. */
static double difference(const struct brute *brute, const pw_uncertainty *found)
{
    double squares = 0;
    for (size_t cell = 0; cell < brute->cells; cell++) {
        if (found->counted[cell]) {
            squares += pow(found->p10[cell] - brute->p10[cell], 2) + pow(found->p90[cell] - brute->p90[cell], 2);
        }
    }
    return sqrt(squares / 2 / (double)found->floor.cells) / brute->spread;
}

static void compare(struct validation *validation, const struct brute *brute, const pw_uncertainty *found,
                    const char *name)
{
    /* Both have a standard error; three of them together. */
    double error = 1.71 * sqrt(1.0 / brute->runs + (found->from_chaos ? 0.0 : 1.0 / found->samples));
    case_figure(validation, found->chaos_error, "%s: leave-one-out error of the chaos, of the variance", name);
    case_gate(validation, fabs(found->spread / brute->spread - 1), 3 / sqrt(2.0 * brute->runs) + 0.05,
              "%s: standard deviation over the draws beside brute force's %.2f dB", name, brute->spread);
    case_gate(validation, difference(brute, found), 2 * error,
              "%s: P10 and P90, root mean square off brute force's over the floor [of the standard deviation]", name);
    const pw_uncertain_share *share = &found->shares[0];
    const double quantiles[3] = {share->p10, share->p50, share->p90};
    for (int q = 0; q < 3; q++) {
        case_gate(validation, fabs(quantiles[q] - brute->share[q]),
                  2 * error * 0.5 * (brute->share[2] - brute->share[0]) / 1.28 + 0.005,
                  "%s: share of the floor over %g dBm, %s, beside brute force's %.3f", name, THRESHOLD,
                  q == 0   ? "P10"
                  : q == 1 ? "median"
                           : "P90",
                  brute->share[q]);
    }
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "spreads", "How sure a map is",
        "Two rooms, the permittivities of brick and concrete known to 15 %, their conductivities to 40 %: "
        "quantiles and sensitivities by few draws and by first order against brute force with draws of its own.");
    int runs = validation.quick ? 60 : MOST_RUNS;
    pw_uncertainty chaos = few_draws(&validation, 48, PW_UNCERTAINTY_CHAOS, -1);
    pw_uncertainty samples = few_draws(&validation, 64, PW_UNCERTAINTY_SAMPLES, -1);
    pw_uncertainty lines = few_draws(&validation, 64, PW_UNCERTAINTY_FIRST_ORDER, -1);
    struct brute brute = brute_force(&validation, runs, &chaos);
    case_figure(&validation, brute.spread, "brute force, %d runs: standard deviation [dB]", runs);
    compare(&validation, &brute, &chaos, "chaos of 48 draws");
    compare(&validation, &brute, &samples, "64 draws");
    case_gate(&validation, difference(&brute, &lines) * brute.spread, hypot(0.5, 1.71 / sqrt(runs) * brute.spread),
              "first order, %d runs: P10 and P90, root mean square off brute force's over the floor [dB]",
              lines.samples + 1);
    case_figure(&validation, lines.quantile_error, "  and what it says of that itself [dB]");
    /* What goes when one is known, which is its total index where little is done together. */
    for (int s = 0; !validation.quick && s < SPREADS; s++) {
        pw_uncertainty fixed = few_draws(&validation, 64, PW_UNCERTAINTY_SAMPLES, s);
        double without = 1 - pow(fixed.spread / samples.spread, 2);
        case_gate(&validation, fabs(chaos.sensitivity[s].total - without), 0.08,
                  "%s: its part in the variance, %.3f, beside what goes without it", chaos.sensitivity[s].parameter,
                  chaos.sensitivity[s].total);
        pw_uncertainty_free(&fixed);
    }
    pw_uncertainty_free(&chaos);
    pw_uncertainty_free(&samples);
    pw_uncertainty_free(&lines);
    free(brute.values);
    free(brute.p10);
    free(brute.p90);
    return case_end(&validation);
}
