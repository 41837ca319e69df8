/* Ends of the grid with absorbers of their own (grid.absorber.sides): a metal wall at one side against the image that
 * it makes, in two dimensions and in three; the grid, the text of the scenario and the facts that follow from the
 * sides. */
#include "tests/support/solve.h"

#include <string.h>

/* ---- against the image ---- */

/* Ez (in three dimensions) of receivers over time with a source at x = 1.5 m of a plan that goes from `left` m to 2.5
 * m, and with its image's (sign -1) subtracted where the plan has no wall at x = 0. */
static void series(const char *form, const char *scheme, bool wall, double *values, int steps)
{
    char text[2048];
    double left = wall ? 0 : 2.5, at[] = {left + 1.5, left - 1.5};
    snprintf(text, sizeof text,
             "%s\n"
             "plan: {size: [%g, 2]%s}\n"
             "grid: {scheme: %s, cell: 5 cm, courant: 0.4, absorber: {kind: cpml, cells: 9%s}}\n"
             "band: {centre: 1 GHz, width: 0.5 GHz}\n"
             "spectra: off\n"
             "transmitters: [{name: a, at: [%g, 0.9]}, {name: b, at: [%g, 0.9]}]\n"
             "receivers: [{name: r, at: [%g, 1.2]}]\n"
             "stop: {steps: %d}\n",
             form, left + 2.5, form[0] == '\0' ? "" : ", storey: {height: 2 m, floor: none, ceiling: none}", scheme,
             wall ? ", sides: {x_low: pec}" : "", at[0], wall ? at[0] : at[1], left + 0.6, steps);
    struct solved solved = solve(text, PW_DOUBLE, "cpu");
    double *image = calloc((size_t)steps, sizeof *image);
    assert_int_equal(pw_simulation_receiver(solved.simulation, 0, 0, values, NULL), PW_OK);
    assert_int_equal(pw_simulation_receiver(solved.simulation, 1, 0, image, NULL), PW_OK);
    for (int n = 0; n < steps; n++) {
        values[n] -= wall ? 0 : image[n];
    }
    free(image);
    solve_free(&solved);
}

static void compare_with_image(const char *form, const char *scheme)
{
    enum { STEPS = 400 };
    double wall[STEPS], image[STEPS], worst = 0, peak = 0;
    series(form, scheme, true, wall, STEPS);
    series(form, scheme, false, image, STEPS);
    for (int n = 0; n < STEPS; n++) {
        worst = fmax(worst, fabs(wall[n] - image[n]));
        peak = fmax(peak, fabs(image[n]));
    }
    print_message("%s %s: %.2g of the peak apart\n", form, scheme, worst / peak);
    assert_true(peak > 0 && worst < 1e-11 * peak);
}

static void test_a_wall_is_the_image(void **unused)
{
    (void)unused;
    compare_with_image("", "yee");
    compare_with_image("", "fd6");
    compare_with_image("", "dd4");
    compare_with_image("dimensions: 3", "fd4");
}

/* ---- what follows from the sides ---- */

static const char *const PLAIN = "plan: {size: [2, 1.5]}\n"
                                 "grid: {scheme: yee, cell: 2 cm}\n"
                                 "band: {centre: 1 GHz, width: 0.2 GHz}\n"
                                 "transmitters: [{name: t, at: [1, 1]}]\n";

static pw_scenario *parse(const char *override)
{
    pw_scenario *scenario = NULL;
    pw_error error = {{0}};
    if (pw_scenario_parse("flat", PLAIN, &override, 1, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

/* The text written back has this line, and reads to the same text. */
static void check_text(const char *override, const char *line)
{
    pw_scenario *scenario = parse(override), *again = NULL;
    const char *text = pw_scenario_text(scenario);
    if (strstr(text, line) == NULL) {
        fail_msg("%s: no '%s' in\n%s", override, line, text);
    }
    assert_int_equal(pw_scenario_parse("flat", text, NULL, 0, &again, NULL), PW_OK);
    assert_string_equal(pw_scenario_text(again), text);
    pw_scenario_free(again);
    pw_scenario_free(scenario);
}

static void test_what_is_written_back(void **unused)
{
    (void)unused;
    check_text("grid.absorber={kind: cpml, cells: 8, order: 3, reflection: 1e-8, kappa: 7, alpha: 0.05 S/m}",
               "  absorber: {kind: cpml, cells: 8, order: 3, reflection: 1e-8, kappa: 7, alpha: 0.05 S/m}\n");
    check_text("grid.absorber={kind: cpml, reflection: 1e-8, alpha: 0.3}", "reflection: 1e-8, kappa: 3, alpha: 0.3}\n");
    check_text("grid.absorber={kind: berenger, cells: 8, order: 3, reflection: 1e-8}",
               "  absorber: {kind: berenger, cells: 8, order: 3, reflection: 1e-8}\n");
    check_text("grid.absorber={cells: 8, order: 3, reflection: 1e-8, sides: {y_high: pec, x_low: berenger}}",
               "  absorber: {kind: upml, cells: 8, order: 3, reflection: 1e-8, sides: {x_low: berenger, y_high: pec}}");
    check_text("grid.absorber={kind: pec, sides: {x_low: cpml}}", "  absorber: {kind: pec, cells: ");
    /* Sides that are all alike are the kind of all; the third axis is none of two dimensions. */
    check_text("grid.absorber={sides: {x_low: pec, x_high: pec, y_low: pec, y_high: none}}",
               "  absorber: {kind: pec}\n");
    check_text("grid.absorber={kind: upml, cells: 8, order: 3, reflection: 1e-8, sides: {x_low: upml}}",
               "  absorber: {kind: upml, cells: 8, order: 3, reflection: 1e-8}\n");
}

static void test_the_grid(void **unused)
{
    (void)unused;
    pw_scenario *scenario = parse("grid.absorber={cells: 8, sides: {x_low: pec, y_high: pec}}");
    pw_setup *setup = NULL;
    pw_error error = {{0}};
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    pw_facts facts = pw_setup_facts(setup);
    assert_true(facts.nx == 100 + 8 && facts.ny == 75 + 8 && facts.absorber_cells == 8);
    assert_true(facts.absorber_low[0] == 0 && facts.absorber_high[0] == 8 && facts.absorber_low[1] == 8 &&
                facts.absorber_high[1] == 0);
    assert_true(facts.origin_x == 0 && fabs(facts.origin_y + 0.16) < 1e-15);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    /* Nothing is left between the layers that a side without one still takes room for. */
    scenario = parse("grid.absorber={cells: 75, sides: {y_high: pec}}");
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "grid.absorber.cells: 75"));
    assert_non_null(strstr(error.message, "allowed is up to 74"));
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_wall_is_the_image),
                                       cmocka_unit_test(test_what_is_written_back), cmocka_unit_test(test_the_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
