/* Ends of the grid with absorbers of their own (grid.absorber.sides): a metal or a magnetic wall at one side against
 * the image that it makes, beside layers and beside Mur's condition, in two dimensions and in three; the grid, the text
 * of the scenario and the facts that follow from the sides; and what is refused. */
#include "tests/support/sanitized.h"
#include "tests/support/solve.h"

#include <string.h>

/* ---- against the image ---- */

/* A scenario's first line, the kind of the ends that absorb, the wall at x = 0, and the sign of its images. */
struct half {
    const char *form, *kind, *wall;
    double sign;
};

/* Ez (in three dimensions) of receivers over time with a source at x = 1.5 m of a plan that goes from `left` m to 2.5
 * m, and with its image's added where the plan has no wall at x = 0. */
static void series(const struct half *half, const char *scheme, bool wall, double *values, int steps)
{
    char text[2048];
    char sides[32];
    double left = wall ? 0 : 2.5, at[] = {left + 1.5, left - 1.5};
    snprintf(sides, sizeof sides, ", sides: {x_low: %s}", half->wall);
    snprintf(text, sizeof text,
             "%s\n"
             "plan: {size: [%g, 2]%s}\n"
             "grid: {scheme: %s, cell: 5 cm, courant: 0.4, absorber: {kind: %s, cells: 17%s}}\n"
             "band: {centre: 1 GHz, width: 0.5 GHz}\n"
             "spectra: off\n"
             "transmitters: [{name: a, at: [%g, 0.9]}, {name: b, at: [%g, 0.9]}]\n"
             "receivers: [{name: r, at: [%g, 1.2]}]\n"
             "stop: {steps: %d}\n",
             half->form, left + 2.5,
             half->form[0] == '\0' ? "" : ", storey: {height: 1.7 m, floor: none, ceiling: none}", scheme, half->kind,
             wall ? sides : "", at[0], wall ? at[0] : at[1], left + 0.6, steps);
    struct solved solved = solve(text, PW_DOUBLE, "cpu");
    double *image = calloc((size_t)steps, sizeof *image);
    assert_int_equal(pw_simulation_receiver(solved.simulation, 0, 0, values, NULL), PW_OK);
    assert_int_equal(pw_simulation_receiver(solved.simulation, 1, 0, image, NULL), PW_OK);
    for (int n = 0; n < steps; n++) {
        values[n] += wall ? 0 : half->sign * image[n];
    }
    free(image);
    solve_free(&solved);
}

static void compare_with_image(struct half half, const char *scheme)
{
    enum { STEPS = SANITIZED ? 120 : 240 };
    double wall[STEPS], image[STEPS], worst = 0, peak = 0;
    series(&half, scheme, true, wall, STEPS);
    series(&half, scheme, false, image, STEPS);
    for (int n = 0; n < STEPS; n++) {
        worst = fmax(worst, fabs(wall[n] - image[n]));
        peak = fmax(peak, fabs(image[n]));
    }
    print_message("%s %s %s %s: %.2g of the peak apart\n", half.form, half.kind, half.wall, scheme, worst / peak);
    assert_true(peak > 0 && worst < 1e-11 * peak);
}

static void test_a_wall_is_the_image(void **unused)
{
    (void)unused;
    compare_with_image((struct half){"", "cpml", "pec", -1}, "yee");
    compare_with_image((struct half){"", "cpml", "pec", -1}, "fd6");
    compare_with_image((struct half){"", "cpml", "pec", -1}, "dd4");
    compare_with_image((struct half){"dimensions: 3", "cpml", "pec", -1}, "fd4");
    compare_with_image((struct half){"", "cpml", "pmc", 1}, "dd4");
    if (!SANITIZED) { /* the half of this test's time, on the lines of the wall of metal */
        compare_with_image((struct half){"dimensions: 3", "cpml", "pmc", 1}, "fd4");
    }
    compare_with_image((struct half){"", "mur", "pec", -1}, "yee");
    compare_with_image((struct half){"", "mur", "pmc", 1}, "fd6");
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
    check_text("grid.absorber={kind: cpml, reflection: 1e-8, alpha: 0.3}", "reflection: 1e-8, kappa: 8, alpha: 0.3}\n");
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

static void test_mur_and_pmc_are_written_back(void **unused)
{
    (void)unused;
    check_text("grid.absorber={kind: mur, sides: {x_low: pec}}",
               "  absorber: {kind: mur, cells: 20, order: 2, sides: {x_low: pec}}\n");
    check_text("grid.absorber={kind: pec, cells: 9, order: 1, sides: {y_high: mur}}",
               "  absorber: {kind: pec, cells: 9, order: 1, sides: {y_high: mur}}\n");
    check_text("grid.absorber={kind: pec, sides: {x_low: mur, x_high: mur, y_low: mur, y_high: mur}}",
               "  absorber: {kind: mur, cells: 20, order: 2}\n");
    check_text("grid.absorber={sides: {y_low: pmc}}", "  symmetry: [y]\n");
    check_text("grid={symmetry: [y], absorber: {kind: mur, sides: {x_low: pmc, y_low: pmc}}}", "  symmetry: [x, y]\n");
    check_text("grid.absorber={kind: mur, sides: {x_low: pmc, y_low: pec}}",
               "  absorber: {kind: mur, cells: 20, order: 2, sides: {y_low: pec}}\n");
    /* A kind that no end is left for lends nothing to the others. */
    check_text("grid.absorber={kind: mur, cells: 8, reflection: 1e-8, sides: {x_low: pmc, x_high: upml, y_low: upml, "
               "y_high: upml}}",
               "  absorber: {kind: upml, cells: 8, order: 4, reflection: 1e-8}\n");
}

static void test_what_is_refused(void **unused)
{
    (void)unused;
    static const char *const REFUSED[][3] = {
        {"grid.absorber={sides: {x_high: pmc}}", "grid.absorber.sides.x_high", "mirror the plan along x"},
        {"grid.absorber={kind: pmc}", "grid.absorber.kind", "give it in sides, as in sides: {x_low: pmc}"},
        {"grid.absorber={sides: {z_low: pmc}}", "grid.absorber.sides.z_low", "give dimensions: 3"},
        {"grid={symmetry: [x], absorber: {sides: {x_low: pec}}}", "sides.x_low", "a plane of symmetry already"},
        {"grid.absorber={sides: {x_high: mur}}", "grid.absorber.sides.x_high", "not with layers"},
        {"grid.absorber={kind: mur, sides: {y_low: berenger}}", "grid.absorber.sides.y_low", "not with layers"},
        {"grid.absorber={kind: mur, sides: {y_low: pec}, reflection: 1e-8}", "grid.absorber.reflection", "order"},
        {"grid.absorber={sides: {y_low: tar}}", "grid.absorber.sides.y_low", "pmc"}};
    for (size_t k = 0; k < sizeof REFUSED / sizeof REFUSED[0]; k++) {
        pw_scenario *scenario = NULL;
        pw_error error = {{0}};
        assert_int_equal(pw_scenario_parse("flat", PLAIN, &REFUSED[k][0], 1, &scenario, &error), PW_BAD_INPUT);
        for (int part = 1; part < 3; part++) {
            if (strstr(error.message, REFUSED[k][part]) == NULL) {
                fail_msg("%s: no '%s' in '%s'", REFUSED[k][0], REFUSED[k][part], error.message);
            }
        }
    }
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
                                       cmocka_unit_test(test_what_is_written_back),
                                       cmocka_unit_test(test_mur_and_pmc_are_written_back),
                                       cmocka_unit_test(test_what_is_refused), cmocka_unit_test(test_the_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
