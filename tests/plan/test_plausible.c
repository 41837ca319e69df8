/* Plans that are probably not meant: each kind is told before anything is solved, and its neighbour that is meant is
 * not. Cases from outside: shared/cases/band-2.4MHz. */
#include "tests/support/check.h"
#include "tests/support/sanitized.h"

#include "planwave.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char BODY[] = "band: %s\ngrid: {cell: 2 cm}\ntransmitters: [{name: a, at: [%s]}]\n%s";

struct plan_case {
    const char *plan, *band, *at, *rest;
};

/* PW_OK and whether a warning has `words`, or the error, which then must have them. */
static pw_status set_up(const struct plan_case *tried, const char *words, bool *told, pw_error *error)
{
    char text[2048];
    int length = snprintf(text, sizeof text, "plan:\n  size: [4 m, 3 m]\n  %s\n", tried->plan);
    snprintf(text + length, sizeof text - (size_t)length, BODY, tried->band, tried->at, tried->rest);
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    *told = false;
    pw_status status = pw_scenario_parse("plausible", text, NULL, 0, &scenario, error);
    if (status == PW_OK) {
        status = pw_setup_create(scenario, PW_SINGLE, false, &setup, error);
    }
    for (size_t n = 0; status == PW_OK && n < pw_setup_warning_count(setup); n++) {
        *told = *told || strstr(pw_setup_warning(setup, n), words) != NULL;
    }
    *told = *told || (status != PW_OK && strstr(error->message, words) != NULL);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

static bool warns(const char *plan, const char *at, const char *words)
{
    const struct plan_case tried = {plan, "2.4 GHz", at, ""};
    pw_error error = {""};
    bool told;
    if (set_up(&tried, words, &told, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return told;
}

static const char EMPTY[] = "walls: []", MIDDLE[] = "1, 1";

/* A room with a wall, with cells as planwave chooses them, is refused as smaller than a few of them. */
static void refused_as_small(const char *band, const char *wavelength)
{
    char text[512];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    snprintf(text, sizeof text,
             "plan:\n  size: [4 m, 3 m]\n"
             "  walls: [{from: [2, 0.2], to: [2, 2.5], thickness: 0.1, material: concrete}]\n"
             "band: %s\ntransmitters: [{at: [%s]}]\n",
             band, MIDDLE);
    assert_int_equal(pw_scenario_parse("small", text, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "smaller than 3 cells"));
    assert_non_null(strstr(error.message, wavelength));
    assert_non_null(strstr(error.message, "MHz or GHz"));
    pw_scenario_free(scenario);
}

static void plans_smaller_than_cells_are_refused(void **state)
{
    (void)state;
    refused_as_small("2.4 MHz", "125 m");
}

/* At once, however long the wave is: at 2.4 Hz half of one is 10^10 pixels of the plan. */
static void waves_of_any_length_are_refused_at_once(void **state)
{
    (void)state;
    const clock_t begun = clock();
    refused_as_small("{centre: 2.4 kHz, width: 1 kHz}", "1.25e+05 m");
    refused_as_small("{centre: 2.4 Hz, width: 1 Hz}", "1.25e+08 m");
    assert_true(SANITIZED || (double)(clock() - begun) / CLOCKS_PER_SEC < 10);
}

static void plans_smaller_than_a_wavelength_are_told(void **state)
{
    (void)state;
    pw_error error = {""};
    bool told;
    const struct plan_case small = {EMPTY, "{centre: 60 MHz, width: 20 MHz}", MIDDLE, ""},
                           large = {EMPTY, "{centre: 90 MHz, width: 20 MHz}", MIDDLE, ""};
    assert_int_equal(set_up(&small, "smaller than the wavelength", &told, &error), PW_OK);
    assert_true(told); /* 5 m against 4 m */
    assert_int_equal(set_up(&large, "smaller than the wavelength", &told, &error), PW_OK);
    assert_false(told);
}

static void thick_panes_are_told(void **state)
{
    (void)state;
    assert_true(warns("walls: [{from: [1, 2], to: [3, 2], thickness: 15 cm, material: glass}]", MIDDLE, "15 cm thick"));
    assert_false(warns("walls: [{from: [1, 2], to: [3, 2], thickness: 2.4 cm, material: glass}]", MIDDLE, "thick"));
    assert_false(warns("walls: [{from: [1, 2], to: [3, 2], thickness: 15 cm, material: brick}]", MIDDLE, "thick"));
    assert_true(warns("rectangles: [{from: [1, 2], to: [3, 2.12], material: glass}]", MIDDLE, "12 cm thick"));
}

static void thin_masonry_is_told(void **state)
{
    (void)state;
    static const char WORDS[] = "thicker than 1 cm";
    assert_true(warns("walls: [{from: [2, 0.2], to: [2, 2.5], thickness: 2.4 mm, material: concrete}]", MIDDLE, WORDS));
    assert_true(warns("rectangles: [{from: [2, 0.2], to: [2.001, 2.5], material: brick}]", MIDDLE, WORDS));
    assert_false(
        warns("walls: [{from: [2, 0.2], to: [2, 2.5], thickness: 2.4 cm, material: concrete}]", MIDDLE, WORDS));
    assert_false(warns("walls: [{from: [2, 0.2], to: [2, 2.5], thickness: 2.4 mm, material: glass}]", MIDDLE, WORDS));
}

static void receivers_on_transmitters_are_told(void **state)
{
    (void)state;
    static const char WORDS[] = "less than one cell of 2 cm from transmitter 'a'";
    pw_error error = {""};
    bool told;
    const struct plan_case on = {EMPTY, "2.4 GHz", MIDDLE, "receivers: [{at: [1.01, 1]}]\n"},
                           beside = {EMPTY, "2.4 GHz", MIDDLE, "receivers: [{at: [1.02, 1]}]\n"};
    assert_int_equal(set_up(&on, WORDS, &told, &error), PW_OK);
    assert_true(told);
    assert_int_equal(set_up(&beside, WORDS, &told, &error), PW_OK);
    assert_false(told);
}

static void far_shapes_are_told(void **state)
{
    (void)state;
    assert_true(
        warns("walls: [{from: [1, 2], to: [100, 2], thickness: 8 cm, material: brick}]", MIDDLE, "96 m beyond"));
    assert_false(warns("walls: [{from: [-1, 2], to: [5, 2], thickness: 8 cm, material: brick}]", MIDDLE, "beyond"));
}

static void crossed_polygons_are_told(void **state)
{
    (void)state;
    assert_true(warns("polygons: [{points: [[1, 1.5], [3, 2.5], [3, 1.5], [1, 2.5]], material: brick}]", MIDDLE,
                      "crosses itself at (2 m, 2 m)"));
    assert_false(
        warns("polygons: [{points: [[1, 1.5], [3, 1.5], [3, 2.5], [1, 2.5]], material: brick}]", MIDDLE, "crosses"));
    /* Sides that touch, as around a hole, do not cross. */
    assert_false(warns("polygons: [{points: [[1, 1.5], [3, 1.5], [3, 2.5], [1, 1.5], [1.5, 2.5]], material: brick}]",
                       MIDDLE, "crosses"));
}

/* A wall's face at y = 1.5: 1 cm from the transmitter, with cells of 2 cm; then 5 cm. The way to go is down. */
static void metal_by_a_transmitter_is_told(void **state)
{
    (void)state;
    static const char WALL[] = "walls: [{from: [0.5, 1.55], to: [3, 1.55], thickness: 10 cm, material: metal}]";
    assert_true(warns(WALL, "1.5, 1.49", "is 1 cm from metal"));
    assert_true(warns(WALL, "1.5, 1.49", "Move it 1.2 cm away, to (1.5 m, 1.478 m)"));
    assert_false(warns(WALL, "1.5, 1.45", "from metal"));
    assert_false(warns("walls: [{from: [0.5, 1.55], to: [3, 1.55], thickness: 10 cm, material: brick}]", "1.5, 1.49",
                       "from metal"));
}

static void metal_by_a_receiver_is_told(void **state)
{
    (void)state;
    const struct plan_case tried = {"circles: [{centre: [2, 2], radius: 20 cm, material: metal}]", "2.4 GHz", MIDDLE,
                                    "receivers: [{name: r, at: [2.2095, 2]}]\n"};
    pw_error error = {""};
    bool told;
    assert_int_equal(set_up(&tried, "receiver 'r'", &told, &error), PW_OK);
    assert_true(told);
    assert_int_equal(set_up(&tried, "is 1 cm from metal", &told, &error), PW_OK);
    assert_true(told);
}

/* Where a shape has no extent at all, nothing sensible can come out. */
static void shapes_without_extent_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *words;
    } CASES[] = {{"walls: [{from: [1, 1], to: [1, 1], thickness: 8 cm, material: brick}]", "no length"},
                 {"rectangles: [{from: [1, 1], to: [1, 2], material: brick}]", "no area"}};
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        const struct plan_case tried = {CASES[k].plan, "2.4 GHz", MIDDLE, ""};
        pw_error error = {""};
        bool told;
        assert_int_equal(set_up(&tried, CASES[k].words, &told, &error), PW_BAD_INPUT);
        assert_true(told);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_smaller_than_cells_are_refused),
        cmocka_unit_test(waves_of_any_length_are_refused_at_once),
        cmocka_unit_test(plans_smaller_than_a_wavelength_are_told),
        cmocka_unit_test(thick_panes_are_told),
        cmocka_unit_test(thin_masonry_is_told),
        cmocka_unit_test(receivers_on_transmitters_are_told),
        cmocka_unit_test(far_shapes_are_told),
        cmocka_unit_test(crossed_polygons_are_told),
        cmocka_unit_test(metal_by_a_transmitter_is_told),
        cmocka_unit_test(metal_by_a_receiver_is_told),
        cmocka_unit_test(shapes_without_extent_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
