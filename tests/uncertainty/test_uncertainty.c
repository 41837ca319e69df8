/* Uncertainty of a solved plan, from the law: where a power falls steadily with the one thing that is not known, its
 * quantiles are the powers at the quantiles of that thing. And what is refused. */
#include "tests/support/check.h"

#include "uncertainty/planwave_uncertainty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A wall of own material across the room, whose conductivity alone decides what comes through. */
#define ROOM                                                                                                           \
    "plan:\n"                                                                                                          \
    "  size: [2.4 m, 1.2 m]\n"                                                                                         \
    "  walls: [{from: [1.2 m, 0 m], to: [1.2 m, 1.2 m], thickness: 18 cm, material: {name: lossy, "                    \
    "relative_permittivity: 4, conductivity: %g S/m}},\n"                                                              \
    "          {from: [2.35 m, 0 m], to: [2.35 m, 0.2 m], thickness: 6 cm, material: {name: clear, "                   \
    "relative_permittivity: 3}},\n"                                                                                    \
    "          {from: [2.35 m, 0.2 m], to: [2.35 m, 0.4 m], thickness: 6 cm, material: metal}]\n"                      \
    "grid: {scheme: dd4, cell: 3 cm}\n"                                                                                \
    "band: {centre: 1 GHz, width: 300 MHz}\n"                                                                          \
    "transmitters: [{name: ap, at: [0.45 m, 0.6 m], power: 20 dBm}]\n"                                                 \
    "spectra: {count: 12, spacing: 2 cells}\n"                                                                         \
    "stop: {after: 20 ns, decay: off}\n"

static const double CONDUCTIVITY = 0.05;

static char folder[] = "/tmp/planwave-uncertain-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || setenv("TMPDIR", folder, 1) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* which fails unless it is empty */
}

static pw_scenario *room(double conductivity)
{
    char text[2048];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    snprintf(text, sizeof text, ROOM, conductivity);
    if (pw_scenario_parse("room.yaml", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static pw_uncertainty_options options_of(const pw_spread *spreads, int count)
{
    pw_uncertainty_options options = pw_uncertainty_options_default();
    options.spreads = spreads;
    options.spread_count = count;
    options.compute.backend = "cpu";
    options.compute.threads = 2;
    options.map.channel.spreading = PW_SPREADING_NONE;
    return options;
}

/* The map of a run of its own. */
static double *map_at(double conductivity, const pw_map_options *options, pw_map_shape *shape)
{
    char path[128];
    pw_error error = {""};
    pw_scenario *scenario = room(conductivity);
    pw_setup *setup = NULL;
    pw_run_options run = {.compute.backend = "cpu", .force = true};
    snprintf(path, sizeof path, "%s/own.h5", folder);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    assert_int_equal(pw_run(setup, &run, path, &error), PW_OK);
    pw_result *result = result_get(path);
    assert_int_equal(pw_map_describe(result, options, shape, &error), PW_OK);
    double *values = calloc((size_t)shape->rows * (size_t)shape->columns, sizeof *values);
    assert_int_equal(pw_map_compute(result, options, values, NULL, &error), PW_OK);
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    unlink(path);
    return values;
}

/* Standard deviation 40 % of the conductivity's logarithm, quantiles at 1.2816 of it. */
static void test_monotone(void **state)
{
    (void)state;
    const pw_spread spread = {.parameter = "lossy:conductivity", .width = 0.4};
    const double threshold = -35.0;
    pw_scenario *scenario = room(CONDUCTIVITY);
    pw_uncertainty_options options = options_of(&spread, 1);
    pw_uncertainty found;
    pw_map_shape shape;
    pw_error error = {""};
    options.samples = 20;
    options.thresholds = &threshold;
    options.threshold_count = 1;
    double *low = map_at(CONDUCTIVITY * exp(0.4 * 1.28155), &options.map, &shape);
    double *written = map_at(CONDUCTIVITY, &options.map, &shape);
    double *high = map_at(CONDUCTIVITY * exp(-0.4 * 1.28155), &options.map, &shape);
    for (int method = PW_UNCERTAINTY_SAMPLES; method <= PW_UNCERTAINTY_FIRST_ORDER; method++) {
        const bool straight = method == PW_UNCERTAINTY_FIRST_ORDER; /* whose runs are those of the quantiles */
        options.method = (pw_uncertainty_method)method;
        if (pw_uncertainty_compute(scenario, &options, &found, &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
        assert_true(found.shape.rows == shape.rows && found.shape.columns == shape.columns);
        assert_true(found.from_chaos == (method == PW_UNCERTAINTY_CHAOS) && (straight || found.chaos_error < 0.05));
        assert_true(found.samples == (straight ? 2 : 20) && found.quantile_error > 0);
        assert_true(found.dimensions == 1 && fabs(found.sensitivity[0].total - 1.0) < 1e-9);
        int looked_at = 0;
        double over = 0;
        for (int row = 0; row < shape.rows; row++) {
            for (int column = 0; column < shape.columns; column++) {
                size_t cell = (size_t)row * (size_t)shape.columns + (size_t)column;
                assert_true(found.nominal[cell] == written[cell] ||
                            (isnan(found.nominal[cell]) && isnan(written[cell])));
                over += found.counted[cell] && written[cell] >= threshold;
                double x = shape.x0 + column * shape.pitch_x, y = shape.y0 + row * shape.pitch_y;
                if (x > 1.4 && x < 2.1 && y > 0.3 && y < 0.9) { /* behind the wall, 5 to 8 dB between the two */
                    double range = high[cell] - low[cell];
                    assert_true(range > 3.0);
                    const double bend = fabs(low[cell] + high[cell] - 2 * written[cell]) / 2,
                                 near = 0.04 * range + (straight ? bend : 0); /* a line halves what bends */
                    assert_true(fabs(found.p10[cell] - low[cell]) < near);
                    assert_true(fabs(found.p90[cell] - high[cell]) < near);
                    assert_true(fabs(found.p90[cell] - found.p10[cell] - range) < 0.08 * range);
                    assert_true(fabs(found.p50[cell] - written[cell]) < 0.04 * range);
                    looked_at++;
                }
            }
        }
        assert_true(looked_at > 50);
        const pw_uncertain_share *share = &found.shares[0];
        assert_true(fabs(share->nominal - over / (double)found.floor.cells) < 1e-12);
        assert_true(share->p10 <= share->p50 && share->p50 <= share->p90 && share->p10 < share->p90);
        pw_uncertainty_free(&found);
    }
    free(low);
    free(written);
    free(high);
    pw_scenario_free(scenario);
}

/* Where little varies the first order is what the exact derivative says, at any place. */
static void test_derivative(void **state)
{
    (void)state;
    const pw_spread spreads[] = {{.parameter = "lossy:permittivity", .width = 0.01},
                                 {.parameter = "lossy:conductivity", .width = 0.02}};
    const pw_parameter parameters[] = {{PW_PARAMETER_PERMITTIVITY, "lossy"}, {PW_PARAMETER_CONDUCTIVITY, "lossy"}};
    pw_error error = {""};
    pw_scenario *scenario = room(CONDUCTIVITY), *with_receiver = NULL;
    pw_gradients *made = NULL;
    pw_uncertainty found;
    pw_uncertainty_options options = options_of(spreads, 2);
    options.method = PW_UNCERTAINTY_FIRST_ORDER;
    if (pw_uncertainty_compute(scenario, &options, &found, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    const long column = lround((1.83 - found.shape.x0) / found.shape.pitch_x),
               row = lround((0.57 - found.shape.y0) / found.shape.pitch_y);
    const size_t cell = (size_t)row * (size_t)found.shape.columns + (size_t)column;
    char receiver[128];
    const char *override = receiver;
    snprintf(receiver, sizeof receiver, "receivers=[{name: rx, at: [%.6f m, %.6f m]}]",
             found.shape.x0 + (double)column * found.shape.pitch_x, found.shape.y0 + (double)row * found.shape.pitch_y);
    assert_int_equal(pw_scenario_parse("room.yaml", pw_scenario_text(scenario), &override, 1, &with_receiver, &error),
                     PW_OK);
    const pw_gradients_options exact = {.compute = options.compute, .parameters = parameters, .parameter_count = 2};
    if (pw_gradients_solve(with_receiver, &exact, &made, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    const double by_permittivity = 0.01 * pw_gradients_of_level(made, 0, 0, 0).per_relative,
                 by_conductivity = 0.02 * pw_gradients_of_level(made, 0, 0, 1).per_relative,
                 deviation = hypot(by_permittivity, by_conductivity);
    assert_true(fabs(found.deviation[cell] / deviation - 1) < 0.01);
    assert_true(fabs((found.p90[cell] - found.p10[cell]) / (2 * 1.28155 * deviation) - 1) < 0.05);
    pw_gradients_free(made);
    pw_scenario_free(with_receiver);
    pw_uncertainty_free(&found);
    pw_scenario_free(scenario);
}

/* Where the scatter of a reading comes from: what is given, else the calibration, else the table. */
static void test_scatter(void **state)
{
    (void)state;
    const pw_spread spread = {.parameter = "lossy:conductivity", .width = 0.4};
    const double given[] = {NAN, NAN, 2.0, 0.0}, interval[] = {0.0, 9.8, 9.8, 0.0},
                 expected[] = {3.0, 9.8 / 1.959963984540054, 2.0, 0.0};
    const char *const words[] = {"38.901", "calibration", "as given", "as given"};
    for (int n = 0; n < 4; n++) {
        pw_scenario *scenario = room(CONDUCTIVITY);
        pw_uncertainty_options options = options_of(&spread, 1);
        pw_uncertainty found;
        pw_error error = {""};
        options.method = PW_UNCERTAINTY_FIRST_ORDER;
        options.scatter = given[n];
        pw_scenario_set_level_interval(scenario, interval[n]);
        assert_int_equal(pw_uncertainty_compute(scenario, &options, &found, &error), PW_OK);
        assert_true(fabs(found.scatter - expected[n]) < 1e-12);
        assert_non_null(strstr(found.scatter_source, words[n]));
        for (int cell = 0; cell < found.shape.rows * found.shape.columns; cell++) {
            assert_true(isnan(found.deviation[cell]) == isnan(found.reading_p10[cell]));
            if (!isnan(found.deviation[cell])) { /* a line in a normal number */
                const double wide = 2 * 1.28155 * hypot(found.deviation[cell], found.scatter);
                assert_true(fabs(found.reading_p90[cell] - found.reading_p10[cell] - wide) < 0.02 * wide);
            }
        }
        pw_uncertainty_free(&found);
        pw_scenario_free(scenario);
    }
}

/* The number of threads does not show, the seed does. */
static void test_seed(void **state)
{
    (void)state;
    const pw_spread spreads[] = {{.parameter = "lossy:permittivity", .width = 0.1, .uniform = true},
                                 {.parameter = "lossy:thickness", .width = 0.1},
                                 {.parameter = "ap:position", .width = 0.05}};
    pw_scenario *scenario = room(CONDUCTIVITY);
    pw_uncertainty_options options = options_of(spreads, 3);
    pw_uncertainty found[3];
    pw_error error = {""};
    options.samples = 10;
    for (int n = 0; n < 3; n++) {
        options.compute.threads = n == 0 ? 1 : 2;
        options.seed = n == 2 ? 7 : 1;
        if (pw_uncertainty_compute(scenario, &options, &found[n], &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
        assert_true(found[n].dimensions == 4 && found[n].sensitivity_count == 3);
    }
    size_t bytes = sizeof(double) * (size_t)found[0].shape.rows * (size_t)found[0].shape.columns;
    assert_memory_equal(found[0].p10, found[1].p10, bytes);
    assert_memory_equal(found[0].deviation, found[1].deviation, bytes);
    assert_true(found[0].chaos_error == found[1].chaos_error);
    assert_memory_equal(found[0].nominal, found[2].nominal, bytes);
    assert_memory_not_equal(found[0].p10, found[2].p10, bytes);
    for (int n = 0; n < 3; n++) {
        pw_uncertainty_free(&found[n]);
    }
    pw_scenario_free(scenario);
}

static void refuse(const char *parameter, double width, bool uniform, pw_status expected, const char *word)
{
    const pw_spread spreads[] = {{.parameter = parameter, .width = width, .uniform = uniform},
                                 {.parameter = "lossy:thickness", .width = 0.1}};
    pw_scenario *scenario = room(CONDUCTIVITY);
    pw_uncertainty_options options = options_of(spreads, 2);
    pw_uncertainty found;
    pw_error error = {""};
    pw_status status = pw_uncertainty_compute(scenario, &options, &found, &error);
    if (status != expected || strstr(error.message, word) == NULL) {
        fail_msg("%s: status %d, '%s' does not say '%s'", parameter, (int)status, error.message, word);
    }
    pw_scenario_free(scenario);
}

static bool stop(double done, void *user)
{
    (void)user;
    return done <= 0.0;
}

static void test_refused(void **state)
{
    (void)state;
    refuse("brick:permittivity", 0.1, false, PW_BAD_INPUT, "no material 'brick'; it has: lossy, clear, metal");
    refuse("lossy", 0.1, false, PW_BAD_INPUT, "is no parameter");
    refuse("clear:conductivity", 0.1, false, PW_BAD_INPUT, "is 0");
    refuse("metal:permittivity", 0.1, false, PW_BAD_INPUT, "perfect conductor");
    refuse("lossy:permittivity", 0.0, false, PW_USAGE, "above 0");
    refuse("lossy:permittivity", NAN, false, PW_USAGE, "above 0");
    refuse("lossy:permittivity", 1.0, true, PW_USAGE, "up to 95 %");
    refuse("lossy:thickness", 0.1, false, PW_USAGE, "given twice");
    refuse("west:x", 0.1, false, PW_BAD_INPUT, "varied by west:position");
    refuse("east:position", 0.1, false, PW_BAD_INPUT, "no transmitter 'east'");
    refuse("ap:position", 90.0, false, PW_BAD_INPUT, "draw");

    const pw_spread spread = {.parameter = "lossy:conductivity", .width = 0.4};
    pw_scenario *scenario = room(CONDUCTIVITY);
    pw_uncertainty_options good = options_of(&spread, 1), options = good;
    pw_uncertainty found;
    pw_error error = {""};
    options.scatter = -1.0;
    assert_int_equal(pw_uncertainty_compute(scenario, &options, &found, &error), PW_USAGE);
    options = good;
    options.samples = 7;
    assert_int_equal(pw_uncertainty_compute(scenario, &options, &found, &error), PW_USAGE);
    options = good;
    options.map.quantity = PW_BEST_SERVER;
    assert_int_equal(pw_uncertainty_compute(scenario, &options, &found, &error), PW_USAGE);
    options = good;
    options.spread_count = 0;
    assert_int_equal(pw_uncertainty_compute(scenario, &options, &found, &error), PW_USAGE);
    options = good;
    options.map.transmitter = "nobody";
    assert_int_equal(pw_uncertainty_compute(scenario, &options, &found, &error), PW_BAD_INPUT);
    options = good;
    options.monitor.tell = stop;
    assert_int_equal(pw_uncertainty_compute(scenario, &options, &found, &error), PW_INTERRUPTED);
    assert_int_equal(pw_uncertainty_compute(NULL, &good, &found, &error), PW_USAGE);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_monotone), cmocka_unit_test(test_derivative), cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_seed),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
