/* Thin lossy layers, solved, against the closed form: a line source before a wall of layers, the transfer matrix summed
 * over the angular spectrum. What they let through is right wherever they lie between the nodes. */
#include "tests/medium/coated_pane.h"

static const char CELL[] = "grid: {cell: 0.0153}\n";

static double error_told(const struct pane *pane, double off, double degrees, double aside)
{
    double right = 0;
    const double error = loss_error(pane, off, degrees, aside, &right);
    print_message("%g mm, %g ohm, %+.1f mm off a node, %g degrees: %.2f dB, right %.2f\n", pane->millimetres[0],
                  pane->resistance, 1e3 * off, degrees, right + error, right);
    return error;
}

static void test_coated_panes_at_any_place(void **state)
{
    (void)state;
    static const double sheets[] = {1, 5, 15, 50, 377}; /* ohm */
    for (int r = 0; r < 5; r++) {
        const struct pane thin = {1, {6}, 0, sheets[r], false, false}, thick = {1, {24}, 0, sheets[r], false, false};
        assert_true(fabs(error_told(&thin, 0.0021 * r, 0, 0)) < 0.5);
        assert_true(fabs(error_told(&thick, 0.008 - 0.003 * r, 0, 0)) < 0.5);
    }
}

static void test_double_panes(void **state)
{
    (void)state;
    const struct pane inside = {3, {4, 16, 4}, 0, 5, false, false}, strong = {3, {4, 16, 4}, 0, 2.5, false, false};
    assert_true(fabs(error_told(&inside, 0.005, 0, 0)) < 0.5);
    assert_true(fabs(error_told(&strong, 0, 0, 2)) < 0.5); /* at 45 degrees */
}

/* Two coated faces, half a cell to two and a half apart. Each was fitted as if it stood alone, and what came through
 * was up to 27 dB too much. */
static void test_faces_that_are_both_coated(void **state)
{
    (void)state;
    static const double gaps[] = {8, 16, 36}, sheets[] = {5, 15, 50}; /* mm, ohm */
    for (int horizontal = 0; horizontal < 2; horizontal++) {
        for (int n = 0; n < 9; n++) {
            const struct pane pane = {3, {4, gaps[n % 3], 4}, 0, sheets[n / 3], horizontal == 1, true};
            double right = 0;
            const double error = loss_error(&pane, 0.0017 * n, 0, n % 2 == 1 ? 2 : 0, &right);
            print_message("%s, 4-%g-4 mm, twice %g ohm: %.2f dB, right %.2f\n", horizontal ? "horizontal" : "vertical",
                          gaps[n % 3], sheets[n / 3], right + error, right);
            assert_true(fabs(error) < (right < 40 ? 0.5 : 1.5));
        }
    }
    const struct pane pane = {3, {4, 16, 4}, 0, 15, false, true};
    const struct pane_view view = {.off = 0.004, .space = true, .along = 1};
    double right = 0;
    const double error = view_error(&pane, &view, &right);
    print_message("three dimensions: %.2f dB, right %.2f\n", right + error, right);
    assert_true(fabs(error) < 1.5);
}

/* Whether a set-up says that sheets so far apart [cm] do not know each other. */
static bool strangers_told(int apart)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "plan: {size: [3, 2], walls: [{from: [1.5, 0], to: [1.5, 2], layers: [{material: glass, thickness: 4 mm, "
        "coating: 15 ohm}, {material: air, thickness: %d cm}, {material: glass, thickness: 4 mm, coating: {resistance: "
        "15 ohm, side: right}}]}]}\nband: 2.4 GHz\n%stransmitters: [{at: [0.5, 1]}]\n",
        apart, CELL);
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {{0}};
    bool told = false;
    assert_int_equal(pw_scenario_parse("apart", text, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
        told = told || strstr(pw_setup_warning(setup, w), "not fitted to each other") != NULL;
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return told;
}

static void test_faces_too_far_apart_are_told(void **state)
{
    (void)state;
    assert_true(strangers_told(16));
    assert_false(strangers_told(5));
}

static void test_horizontal_polarisation(void **state)
{
    (void)state;
    static const double sheets[] = {1, 5, 50, 377}; /* ohm */
    for (int r = 0; r < 4; r++) {
        const struct pane thin = {1, {6}, 0, sheets[r], true, false}, thick = {1, {24}, 0, sheets[r], true, false};
        assert_true(fabs(error_told(&thin, 0.0041 * r, 0, 0)) < 0.5);
        assert_true(fabs(error_told(&thick, 0.008 - 0.003 * r, 0, 2)) < 0.5); /* at 45 degrees */
    }
    const struct pane inside = {3, {4, 16, 4}, 0, 5, true, false};
    assert_true(fabs(error_told(&inside, 0.005, 0, 0)) < 0.5);
    assert_true(fabs(error_told(&inside, 0.009, 0, 4.7)) < 0.5); /* at 67 degrees */
}

/* The field at the centre, of a plan of one metre. */
static double complex field_between(const char *plan)
{
    char text[2048];
    snprintf(text, sizeof text,
             "plan: {size: [3, 1]%s}\nband: {centre: %g, width: %g}\npolarisation: horizontal\n%s"
             "transmitters: [{at: [0.5, 0.5]}]\nreceivers: [{at: [2.5, 0.5]}]\nspectra: {count: %d}\n",
             plan, CENTRE, BAND, CELL, FREQUENCIES);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    double *series = solve_series(&solved, 0, 0);
    const double complex field = solve_channel(&solved, 0, series, FREQUENCIES / 2);
    free(series);
    solve_free(&solved);
    return field;
}

/* A wall goes on in the absorber, also where the plan is narrow; there waves came around a strong sheet. And what
 * passes has the right phase, which was 30 degrees off. */
static void test_walls_go_on_beside_the_plan(void **state)
{
    (void)state;
    static const double sheets[] = {1, 5, 50}; /* ohm */
    const struct pane_view view = {.off = 0.004};
    const double complex open = field_between("");
    for (int r = 0; r < 3; r++) {
        const struct pane pane = {1, {6}, 0, sheets[r], true, false};
        char wall[1024];
        double complex with, without;
        exact_fields(&pane, CENTRE, 2, 0, &with, &without);
        pane_plan(&pane, &view, wall, sizeof wall);
        const double complex error = field_between(wall) / open / (with / without);
        print_message("%g ohm in a narrow plan: %.2f dB, %.1f degrees off\n", sheets[r], 20 * log10(cabs(error)),
                      carg(error) * 180 / M_PI);
        assert_true(fabs(20 * log10(cabs(error))) < 1.5);
        assert_true(fabs(carg(error)) < 0.35);
    }
}

/* E across the sheet and along it, and E along it alone (coated_pane.h). */
static void test_three_dimensions(void **state)
{
    (void)state;
    for (int along = 0; along < 2; along++) {
        const struct pane pane = {1, {6}, 0, along == 0 ? 5 : 15, false, false};
        const struct pane_view view = {.off = 0.004, .aside = along == 0 ? 0 : 0.5, .space = true, .along = along};
        double right = 0;
        const double error = view_error(&pane, &view, &right);
        print_message("three dimensions, dipole along %c, %g ohm: %.2f dB, right %.2f\n", "xy"[along], pane.resistance,
                      right + error, right);
        assert_true(fabs(error) < 0.5);
    }
    double right = 0;
    const double error = flat_error(6, 5, 0.004, 2, 0, &right);
    print_message("a ceiling of coated glass, 5 ohm: %.2f dB, right %.2f\n", right + error, right);
    assert_true(fabs(error) < 0.5);
}

static void test_turned_panes(void **state)
{
    (void)state;
    static const double turns[] = {3, 10, 30, 45}; /* degrees */
    for (int t = 0; t < 4; t++) {
        const struct pane strong = {1, {6}, 0, 5, false, false}, weak = {1, {6}, 0, 50, false, false};
        assert_true(fabs(error_told(&strong, 0.004, turns[t], 0)) < 1.2);
        assert_true(fabs(error_told(&weak, 0.004, turns[t], 0)) < (turns[t] < 5 ? 1.5 : 0.5));
        const struct pane flat = {1, {6}, 0, 5, true, false}; /* horizontal polarisation */
        assert_true(fabs(error_told(&flat, 0.004, turns[t], 0)) < 2.5);
    }
}

/* A layer of 1 mm and 200 S/m, and foil of the same resistance: the case that let 12 dB too much through. A polygon is
 * the same layer, also where its first point closes it, a point stands twice, or one lies on a side. */
static void test_layers_drawn_by_hand(void **state)
{
    (void)state;
    static const double thickness[] = {1e-3, 1e-5}, right[] = {30.15, 29.64}; /* m, dB: the transfer matrix */
    static const char *const outlines[] = {
        ", {from: [%.9g, -1], to: [%.9g, 5]",
        "], polygons: [{points: [[%1$.9g, -1], [%2$.9g, -1], [%2$.9g, 5], [%1$.9g, 5], [%1$.9g, -1]]",
        "], polygons: [{points: [[%1$.9g, -1], [%2$.9g, -1], [%2$.9g, 1.7], [%2$.9g, 5], [%2$.9g, 5], [%1$.9g, 5]]"};
    for (int n = 0; n < 4; n++) {
        char plan[512], layer[256];
        const int t = n == 1, outline = n > 1 ? n - 1 : 0;
        const double from[2] = {0.5, 2}, to[2] = {2.5, 2};
        snprintf(layer, sizeof layer, outlines[outline], /* NOLINT(clang-diagnostic-format-nonliteral) */
                 t == 0 ? 1.506 : 1.506 - thickness[t], t == 0 ? 1.506 + thickness[t] : 1.506);
        snprintf(plan, sizeof plan,
                 ", rectangles: [{from: [1.5, -1], to: [1.506, 5], material: glass}%s, "
                 "material: {relative_permittivity: 1, conductivity: %.9g S/m}}]",
                 layer, 0.2 / thickness[t]);
        const double found =
            10 * log10(solved_power("", CELL, "", 4.5, from, to) / solved_power(plan, CELL, "", 4.5, from, to));
        print_message("%g mm, outline %d: %.2f dB, right %.2f\n", 1e3 * thickness[t], outline, found, right[t]);
        assert_true(fabs(found - right[t]) < 0.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coated_panes_at_any_place),  cmocka_unit_test(test_double_panes),
        cmocka_unit_test(test_faces_that_are_both_coated), cmocka_unit_test(test_faces_too_far_apart_are_told),
        cmocka_unit_test(test_horizontal_polarisation),    cmocka_unit_test(test_walls_go_on_beside_the_plan),
        cmocka_unit_test(test_three_dimensions),           cmocka_unit_test(test_turned_panes),
        cmocka_unit_test(test_layers_drawn_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
