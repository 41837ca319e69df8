/* Gradients of the channel against central differences of whole solves, to fourth order in the change: for every kind
 * of parameter, schemes, averagings and absorbers, with walls that run into the absorber, metal beside them, stations
 * between nodes and in a wall. */
#include "tests/study/gradient_plans.h"

#include "discretize/setup.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* H of all links, (link, frequency), of a solve of `text` with the parameter multiplied by `factor`. */
static void solve(const char *text, pw_precision precision, const pw_parameter *parameter, double factor,
                  double complex *h)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_simulation *simulation = NULL;
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("room.yaml", text, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_parameter_scale(scenario, parameter, factor, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, precision, false, &setup, &error), PW_OK);
    const pw_facts facts = pw_setup_facts(setup);
    assert_int_equal(
        pw_simulation_create(setup, &(pw_compute){.backend = "cpu", .threads = 1}, 0, 2, &simulation, &error), PW_OK);
    assert_int_equal(pw_simulation_run(simulation, NULL, NULL, &error), PW_OK);
    const size_t steps = (size_t)pw_simulation_step(simulation);
    double *series = calloc(2 * steps, sizeof *series);
    for (int t = 0; t < 2; t++) {
        double current[2 * FREQUENCIES];
        assert_int_equal(pw_simulation_source_spectrum(simulation, t, current, &error), PW_OK);
        assert_int_equal(pw_simulation_receivers(simulation, t, series, &error), PW_OK);
        for (int r = 0; r < 2; r++) {
            for (int f = 0; f < FREQUENCIES; f++) {
                const double omega = setup->omega[f], dt = facts.time_step;
                double complex sum = 0;
                for (size_t n = 0; n < steps; n++) {
                    sum += series[(size_t)r * steps + n] * cexp(-I * omega * (double)(n + 1) * dt);
                }
                h[(2 * t + r) * FREQUENCIES + f] = sum * dt / (current[2 * f] + I * current[2 * f + 1]);
            }
        }
    }
    free(series);
    pw_simulation_free(simulation);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

/* Largest error of the gradients of a parameter, relative to the largest of its link. */
static double worst_of(const pw_gradients *made, int p, const char *text, pw_precision precision, double step)
{
    double complex h[4][LINKS * FREQUENCIES];
    static const double factor[4] = {1, -1, 0.5, -0.5};
    const pw_parameter parameter = pw_gradients_parameter(made, p, NULL);
    double worst = 0;
    for (int k = 0; k < 4; k++) {
        solve(text, precision, &parameter, 1 + factor[k] * step, h[k]);
    }
    for (int link = 0; link < LINKS; link++) {
        const double *gradient = pw_gradients_of_response(made, link / 2, link % 2, p);
        double error = 0, size = 0;
        for (int f = 0; f < FREQUENCIES; f++) {
            const int at = link * FREQUENCIES + f;
            const double complex whole = (h[0][at] - h[1][at]) / (2 * step), half = (h[2][at] - h[3][at]) / step,
                                 right = (4 * half - whole) / 3, got = gradient[2 * f] + I * gradient[2 * f + 1];
            error = fmax(error, cabs(got - right));
            size = fmax(size, cabs(right));
        }
        assert_true(size > 0 || error == 0); /* of a transmitter that stays where it is */
        worst = fmax(worst, size > 0 ? error / size : 0);
    }
    return worst;
}

static void check_some(const char *plan, const char *grid, const char *const *names, int parameter_count,
                       pw_precision precision, double step, double most)
{
    pw_scenario *scenario = scenario_of(plan, grid);
    pw_setup *setup = NULL;
    pw_gradients *made = NULL;
    pw_error error = {""};
    pw_parameter parameters[PARAMETER_COUNT];
    for (int p = 0; p < parameter_count; p++) {
        assert_int_equal(pw_parameter_parse(names[p], &parameters[p], &error), PW_OK);
    }
    const pw_gradients_options options = {.compute = {.backend = "cpu", .threads = 1},
                                          .precision = precision,
                                          .parameters = parameters,
                                          .parameter_count = parameter_count};
    if (pw_gradients_solve(scenario, &options, &made, &error) != PW_OK) {
        fail_msg("%s: %s", grid, error.message);
    }
    assert_int_equal(pw_setup_create(scenario, precision, false, &setup, &error), PW_OK);
    for (int p = 0; p < parameter_count; p++) {
        const double worst = worst_of(made, p, pw_setup_scenario_text(setup), precision, step);
        print_message("%-36s %-26s %.1e\n", grid, names[p], worst);
        assert_true(worst < most);
    }
    pw_setup_free(setup);
    pw_gradients_free(made);
    pw_scenario_free(scenario);
}

static void check(const char *plan, const char *grid, int parameter_count, pw_precision precision, double step,
                  double most)
{
    check_some(plan, grid, PARAMETERS, parameter_count, precision, step, most);
}

static void test_coatings(void **state)
{
    (void)state;
    static const char UPRIGHT[] =
        "grid: {scheme: fd4o, cell: 2.5 cm, courant: 0.3}\n"
        "receivers: [{name: open, at: [0.83 m, 0.52 m]}, {name: near, at: [0.56 m, 0.3 m]}]\n",
                      FLAT[] = "polarisation: horizontal\ngrid: {scheme: fd4o, cell: 2.5 cm, courant: 0.3}\n"
                               "receivers: [{name: open, at: [0.83 m, 0.52 m], polarisation: y},\n"
                               "  {name: near, at: [0.58 m, 0.3 m], polarisation: x}]\n";
    /* What nodes beside a layer hold is the minimum of a fit, which follows the resistance as smoothly as the rest. */
    check_some(PANES, UPRIGHT, COATINGS, 2, PW_DOUBLE, 1e-3, 1e-6);
    check_some(PANES, FLAT, COATINGS, 2, PW_DOUBLE, 1e-3, 1e-6);
}

static void test_double(void **state)
{
    (void)state;
    check(ROOM, "scheme: yee, averaging: area", 4, PW_DOUBLE, 1e-3, 1e-6);
    check(ROOM, "scheme: dd4, averaging: moment", 4, PW_DOUBLE, 1e-3, 1e-6);
    check(ROOM, "scheme: fd4o", PARAMETER_COUNT, PW_DOUBLE, 1e-3, 1e-6);
}

static void test_horizontal(void **state)
{
    (void)state;
    check(LAYER, "scheme: fd4o", PARAMETER_COUNT, PW_DOUBLE, 1e-3, 1e-6);
}

static void test_volume(void **state)
{
    (void)state;
    check_some(SPACE, "scheme: yee, absorber: {kind: cpml, cells: 6}", IN_SPACE, 4, PW_DOUBLE, 1e-3, 1e-6);
}

static void test_single(void **state)
{
    (void)state;
    check(ROOM, "scheme: fd4o", PARAMETER_COUNT, PW_SINGLE, 2e-2, 1e-3);
}

/* The gradients of one link, from b to a receiver at `x`, and how many runs it took. */
static int link_solve(double x, double complex gradient[FREQUENCIES])
{
    char text[4096], receiver[128];
    const char *override = receiver;
    const pw_parameter parameter = {PW_PARAMETER_PERMITTIVITY, "brick"};
    const pw_gradients_options options = {.compute = {.backend = "cpu", .threads = 1},
                                          .precision = PW_DOUBLE,
                                          .parameters = &parameter,
                                          .parameter_count = 1};
    pw_scenario *scenario = NULL;
    pw_gradients *made = NULL;
    pw_error error = {""};
    snprintf(text, sizeof text, ROOM, "scheme: fd4o"); /* NOLINT(clang-diagnostic-format-nonliteral) */
    snprintf(receiver, sizeof receiver, "receivers=[{name: at_a, at: [%.9f m, 0.4 m]}]", x);
    assert_int_equal(pw_scenario_parse("room.yaml", text, &override, 1, &scenario, &error), PW_OK);
    assert_int_equal(pw_gradients_solve(scenario, &options, &made, &error), PW_OK);
    const int runs = pw_gradients_describe(made).runs;
    const double *found = pw_gradients_of_response(made, 1, 0, 0);
    for (int f = 0; f < FREQUENCIES; f++) {
        gradient[f] = found[2 * f] + I * found[2 * f + 1];
    }
    pw_gradients_free(made);
    pw_scenario_free(scenario);
    return runs;
}

/* A receiver where a transmitter stands needs no run of its own, and has the same gradients as one a hair beside it. */
static void test_shared(void **state)
{
    (void)state;
    double complex shared[FREQUENCIES], own[FREQUENCIES];
    assert_int_equal(link_solve(0.21, shared), 2);
    assert_int_equal(link_solve(0.21 + 1e-7, own), 3);
    for (int f = 0; f < FREQUENCIES; f++) {
        assert_true(cabs(shared[f] / own[f] - 1) < 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_double), cmocka_unit_test(test_horizontal),
                                       cmocka_unit_test(test_volume), cmocka_unit_test(test_single),
                                       cmocka_unit_test(test_shared), cmocka_unit_test(test_coatings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
