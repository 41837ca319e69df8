/* Which walls decide a link: the share of one wall among several of a material is what changing that wall alone does,
 * by central differences of whole solves; of its medium and of its thickness. */
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A wall of each kind, of which the first is varied: as "brick", or with values of its own. */
#define ROOM                                                                                                           \
    "plan:\n"                                                                                                          \
    "  size: [1.4 m, 1.1 m]\n"                                                                                         \
    "  walls:\n"                                                                                                       \
    "    - {from: [0.727 m, 0.1 m], to: [0.727 m, 0.7 m], thickness: %.9g m, material: %s}\n"                          \
    "    - {from: [0.2 m, 0.9 m], to: [1.2 m, 0.9 m], thickness: 7 cm, material: brick}\n"                             \
    "    - {from: [0.4 m, 0.13 m], to: [0.4 m, 0.3 m], thickness: 8 cm, material: concrete}\n"                         \
    "grid: {scheme: fd4o, cell: 2.5 cm, courant: 0.3}\n"                                                               \
    "band: {centre: 1 GHz, width: 400 MHz}\n"                                                                          \
    "transmitters: [{name: a, at: [0.21 m, 0.4 m]}]\n"                                                                 \
    "receivers: [{name: open, at: [1.03 m, 0.52 m]}]\n"                                                                \
    "spectra: {count: 5, spacing: 2 cells}\n"                                                                          \
    "stop: {after: 60 ns, decay: off}\n"

static const double THICKNESS = 0.09;
static const char *const PARAMETERS[] = {"brick:permittivity", "brick:conductivity", "concrete:permittivity",
                                         "concrete:conductivity", "brick:thickness"};
enum { PARAMETER_COUNT = sizeof PARAMETERS / sizeof *PARAMETERS };

static bool wanted = true;

static bool is_wanted(void *user)
{
    (void)user;
    return wanted;
}

/* With the first wall so thick, and its medium `factor` times brick; 0: brick by name. */
static pw_gradients *solve(double thickness, double factor)
{
    const pw_material brick = pw_material_at("brick", 1e9);
    char text[4096], medium[128] = "brick";
    pw_scenario *scenario = NULL;
    pw_gradients *made = NULL;
    pw_parameter parameters[PARAMETER_COUNT];
    pw_error error = {""};
    for (int p = 0; p < PARAMETER_COUNT; p++) {
        assert_int_equal(pw_parameter_parse(PARAMETERS[p], &parameters[p], &error), PW_OK);
    }
    if (factor > 0) {
        snprintf(medium, sizeof medium, "{relative_permittivity: %.12g, conductivity: %.12g S/m}",
                 factor * brick.relative_permittivity, factor * brick.conductivity);
    }
    snprintf(text, sizeof text, ROOM, thickness, medium);
    const pw_gradients_options options = {.compute = {.backend = "cpu", .threads = 1},
                                          .precision = PW_DOUBLE,
                                          .parameters = parameters,
                                          .parameter_count = PARAMETER_COUNT};
    if (pw_scenario_parse("room.yaml", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_scenario_watch(scenario, is_wanted, NULL);
    if (pw_gradients_solve(scenario, &options, &made, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_scenario_free(scenario);
    return made;
}

static double level(double thickness, double factor)
{
    pw_gradients *made = solve(thickness, factor);
    const double *h = pw_gradients_response(made, 0, 0);
    double power = 0;
    for (int f = 0; f < 2 * pw_gradients_describe(made).frequencies; f++) {
        power += h[f] * h[f];
    }
    pw_gradients_free(made);
    return 10 * log10(power);
}

static void test_one_wall(void **state)
{
    (void)state;
    const double step = 1e-3, metre = 1e-4;
    pw_gradients *made = solve(THICKNESS, 0);
    pw_gradients_wall walls[8];
    pw_error error = {""};
    int count = 0, at = -1;
    assert_int_equal(pw_gradients_walls(made, 0, 0, 8, walls, &count, &error), PW_OK);
    assert_int_equal(count, 3);
    double sum[2] = {0, 0};
    for (int n = 0; n < count; n++) {
        assert_true(n == 0 || fabs(walls[n].per_relative) <= fabs(walls[n - 1].per_relative));
        at = fabs(walls[n].line[0] - 0.727) < 1e-6 ? n : at;
        sum[0] += walls[n].per_relative;
        assert_int_equal(isnan(walls[n].per_metre), strcmp(walls[n].material, "concrete") == 0);
        sum[1] += isnan(walls[n].per_metre) ? 0 : walls[n].per_metre * walls[n].thickness;
    }
    assert_true(at >= 0);
    assert_string_equal(walls[at].material, "brick");
    assert_true(fabs(walls[at].thickness - THICKNESS) < 1e-9);
    const double medium = (level(THICKNESS, 1 + step) - level(THICKNESS, 1 - step)) / (2 * step),
                 thicker = (level(THICKNESS + metre, 0) - level(THICKNESS - metre, 0)) / (2 * metre);
    print_message("medium %.6f, by two runs %.6f; thickness %.4f dB/m, by two runs %.4f\n", walls[at].per_relative,
                  medium, walls[at].per_metre, thicker);
    assert_true(fabs(walls[at].per_relative - medium) < 2e-3 * fabs(medium));
    assert_true(fabs(walls[at].per_metre - thicker) < 2e-3 * fabs(thicker));
    /* All together they are what the materials do. */
    double whole[2] = {0, 0};
    for (int p = 0; p < PARAMETER_COUNT; p++) {
        whole[p == PARAMETER_COUNT - 1] += pw_gradients_of_level(made, 0, 0, p).per_relative;
    }
    assert_true(fabs(sum[0] - whole[0]) < 1e-2 * fabs(whole[0]));
    assert_true(fabs(sum[1] - whole[1]) < 1e-2 * fabs(whole[1]));
    pw_gradients_free(made);
}

/* Fewer may be asked for: the strongest come. */
static void test_limit(void **state)
{
    (void)state;
    pw_gradients *made = solve(THICKNESS, 0);
    pw_gradients_wall all[8], one;
    int count = 0;
    assert_int_equal(pw_gradients_walls(made, 0, 0, 8, all, &count, NULL), PW_OK);
    assert_int_equal(pw_gradients_walls(made, 0, 0, 1, &one, &count, NULL), PW_OK);
    assert_int_equal(count, 1);
    assert_true(one.per_relative == all[0].per_relative);
    pw_gradients_free(made);
}

/* Whoever waits may stop waiting after the runs, too: sums over all nodes take their time. */
static void test_watched(void **state)
{
    (void)state;
    pw_gradients_wall walls[PARAMETER_COUNT];
    pw_error error = {""};
    int count;
    pw_gradients *made = solve(THICKNESS, 0);
    const pw_gradients_facts facts = pw_gradients_describe(made);
    double *map = calloc((size_t)facts.nx * (size_t)facts.ny, sizeof *map);
    wanted = false;
    assert_int_equal(pw_gradients_map(made, 0, 0, 0, 1, map, &error), PW_INTERRUPTED);
    assert_int_equal(pw_gradients_walls(made, 0, 0, PARAMETER_COUNT, walls, &count, &error), PW_INTERRUPTED);
    wanted = true;
    assert_int_equal(pw_gradients_walls(made, 0, 0, PARAMETER_COUNT, walls, &count, &error), PW_OK);
    free(map);
    pw_gradients_free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_wall), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_watched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
