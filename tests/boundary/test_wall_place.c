/* Metal walls at the ends of the grid stand where the plan ends, whatever the cell: one at a high end against the image
 * that it makes, a closed box of metal in three dimensions by its lowest mode, and what is said where cells that were
 * asked for do not divide the plan. */
#include "tests/support/sanitized.h"
#include "tests/support/solve.h"

#include <complex.h>
#include <string.h>

/* ---- the image of a wall at a high end ---- */

enum { STEPS = SANITIZED ? 120 : 500 };

/* Ez of a receiver over time, of transmitter t. */
static void series(const struct solved *solved, int t, double *values)
{
    assert_int_equal(pw_simulation_receiver(solved->simulation, t, 0, values, NULL), PW_OK);
}

/* A wall at y = 3 m, on cells that are chosen, against its image in a plan twice as high on the same cells: no
 * difference but for roundings would be left where receivers stand on nodes; these stand between them. */
static void test_a_high_wall_stands_at_the_end(void **unused)
{
    (void)unused;
    static double wall[STEPS], source[STEPS], image[STEPS];
    char text[1024], steps[32];
    snprintf(steps, sizeof steps, "%d", STEPS);
    const char *form = "band: 900 MHz\nspectra: off\nreceivers: [{name: r, at: [3.2, 1.9]}]\n";
    snprintf(text, sizeof text,
             "plan: {size: [4, 3]}\ngrid: {absorber: {sides: {y_high: pec}}}\n%s"
             "transmitters: [{name: a, at: [1, 1.1]}]\nstop: {steps: %s}\n",
             form, steps);
    struct solved solved = solve(text, PW_DOUBLE, "cpu");
    const double cell = pw_setup_facts(solved.setup).cell, courant = pw_setup_facts(solved.setup).courant;
    series(&solved, 0, wall);
    solve_free(&solved);
    assert_true(fabs(3 / cell - round(3 / cell)) < 1e-3);
    snprintf(text, sizeof text,
             "plan: {size: [4, 6]}\ngrid: {cell: %.17g, courant: %.17g}\n%s"
             "transmitters: [{name: a, at: [1, 1.1]}, {name: b, at: [1, 4.9]}]\nstop: {steps: %s}\n",
             cell, courant, form, steps);
    solved = solve(text, PW_DOUBLE, "cpu");
    series(&solved, 0, source);
    series(&solved, 1, image);
    solve_free(&solved);
    double worst = 0, peak = 0;
    for (int n = 0; n < STEPS; n++) {
        worst = fmax(worst, fabs(wall[n] - (source[n] - image[n])));
        peak = fmax(peak, fabs(source[n]));
    }
    print_message("high wall: %.2g of the peak apart\n", worst / peak);
    assert_true(peak > 0 && worst < 1e-9 * peak);
}

/* ---- a closed box ---- */

/* Metal all around 1 m x 0.8 m x 0.6 m: the mode (1, 1, 1) rings at c/2 sqrt(1 + 1/0.8^2 + 1/0.6^2) = 346.4 MHz, and no
 * other between 313 and 353 MHz. */
static void test_a_closed_box_has_its_mode(void **unused)
{
    (void)unused;
    enum { LOOKS = 61 };
    const double right = 0.5 * 299792458.0 * sqrt(1 + 1 / 0.64 + 1 / 0.36), low = 320e6, high = 350e6;
    struct solved solved = solve("dimensions: 3\n"
                                 "plan: {size: [1 m, 0.8 m], storey: {height: 0.6 m}}\n"
                                 "grid: {cell: 5 cm, absorber: {kind: pec}}\n"
                                 "band: {centre: 340 MHz, width: 100 MHz}\nspectra: off\n"
                                 "transmitters: [{name: a, at: [0.21, 0.17, 0.11]}]\n"
                                 "receivers: [{name: r, at: [0.74, 0.61, 0.48]}]\nstop: {after: 400 ns, decay: off}\n",
                                 PW_DOUBLE, "cpu");
    const pw_facts facts = pw_setup_facts(solved.setup);
    const int steps = (int)facts.steps;
    double *values = calloc((size_t)steps, sizeof *values), most = 0, rings = 0;
    assert_true(facts.nx == 20 && facts.ny == 16 && facts.nz == 12);
    series(&solved, 0, values);
    for (int k = 0; k < LOOKS; k++) {
        const double frequency = low + (high - low) * k / (LOOKS - 1), dt = facts.time_step;
        const double omega = 2 / dt * asin(M_PI * frequency * dt); /* at which time stepping is exact */
        double complex sum = 0;
        for (int n = 0; n < steps; n++) {
            sum += values[n] * (1 - cos(2 * M_PI * n / steps)) * cexp(-I * omega * n * dt);
        }
        if (cabs(sum) > most) {
            most = cabs(sum);
            rings = frequency;
        }
    }
    free(values);
    solve_free(&solved);
    print_message("box: rings at %.1f MHz, right %.1f\n", 1e-6 * rings, 1e-6 * right);
    assert_true(fabs(rings - right) < 1e6);
}

/* ---- cells that were asked for ---- */

static const char *warning_of(const char *override, char *text, size_t size)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {{0}};
    text[0] = '\0';
    assert_int_equal(pw_scenario_parse("walls",
                                       "plan: {size: [4.13 m, 2.97 m]}\nband: 900 MHz\n"
                                       "transmitters: [{name: a, at: [1, 1.1]}]\n",
                                       &override, 1, &scenario, &error),
                     PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
        if (strstr(pw_setup_warning(setup, w), "metal wall at") != NULL) {
            snprintf(text, size, "%s", pw_setup_warning(setup, w));
        }
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return text;
}

static void test_walls_off_their_places_are_told(void **unused)
{
    (void)unused;
    char text[512];
    warning_of("grid={cell: 5 cm, absorber: {sides: {y_high: pec}}}", text, sizeof text);
    assert_non_null(strstr(text, "y_high stands 3 cm beyond"));
    assert_non_null(strstr(text, "Set grid.cell: 4.95 cm"));
    assert_string_equal(warning_of("grid={cell: 4.95 cm, absorber: {sides: {y_high: pec}}}", text, sizeof text), "");
    assert_string_equal(warning_of("grid={cell: 5 cm, absorber: {sides: {y_low: pec}}}", text, sizeof text), "");
    assert_string_equal(warning_of("grid={cell: 5 cm}", text, sizeof text), "");
    assert_string_equal(warning_of("grid={absorber: {kind: pec}}", text, sizeof text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_high_wall_stands_at_the_end),
                                       cmocka_unit_test(test_a_closed_box_has_its_mode),
                                       cmocka_unit_test(test_walls_off_their_places_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
