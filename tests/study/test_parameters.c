/* Parameters of a study by name: read, looked up and scaled; walls of another thickness keep their doors and their
 * junctions. */
#include "tests/support/check.h"

#include "api/study/variants.h"
#include "scenario/scenario.h"

#include <math.h>
#include <string.h>

/* Two walls of brick of different thickness, one of them along the edge of the plan, a wall of concrete that ends at
 * the first one's face, a door as thick as that wall and a passage wider than it. */
#define HOME                                                                                                           \
    "plan:\n"                                                                                                          \
    "  size: [6 m, 4 m]\n"                                                                                             \
    "  walls:\n"                                                                                                       \
    "  - {from: [0 m, 2 m], to: [6 m, 2 m], thickness: 20 cm, material: brick}\n"                                      \
    "  - {from: [0.15 m, 0 m], to: [0.15 m, 4 m], thickness: 30 cm, material: brick}\n"                                \
    "  - {from: [3 m, 2.1 m], to: [3 m, 4 m], thickness: 10 cm, material: concrete}\n"                                 \
    "  - {from: [4 m, 0 m], to: [5 m, 1 m], thickness: 10 cm, material: wood}\n"                                       \
    "  openings:\n"                                                                                                    \
    "  - {from: [1 m, 1.9 m], to: [1.9 m, 2.1 m]}\n"                                                                   \
    "  - {from: [5 m, 2.15 m], to: [5.5 m, 1.7 m]}\n"                                                                  \
    "  - {from: [4.3 m, 0.3 m], to: [4.7 m, 0.7 m]}\n"                                                                 \
    "  rectangles: [{from: [2 m, 0.5 m], to: [2.5 m, 1 m], material: {name: stone, relative_permittivity: 7}}]\n"      \
    "  circles: [{centre: [5 m, 3 m], radius: 0.2 m, material: metal}]\n"                                              \
    "band: 1 GHz\n"                                                                                                    \
    "transmitters: [{name: ap, at: [1 m, 1 m]}]\n"

static pw_scenario *home(void)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("home.yaml", HOME, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static pw_parameter parameter(const char *text)
{
    pw_parameter made;
    pw_error error = {""};
    if (pw_parameter_parse(text, &made, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return made;
}

static void test_words(void **state)
{
    (void)state;
    pw_parameter made = parameter("brick:permittivity");
    assert_true(made.kind == PW_PARAMETER_PERMITTIVITY);
    assert_string_equal(made.name, "brick");
    assert_true(parameter("ceiling board:conductivity").kind == PW_PARAMETER_CONDUCTIVITY);
    assert_true(parameter("brick:thickness").kind == PW_PARAMETER_THICKNESS);
    static const char *const bad[] = {"",
                                      "brick",
                                      ":permittivity",
                                      "brick:",
                                      "brick:epsilon",
                                      "brick:permittivity ",
                                      "a name that is much too long for a material of any kind, to be sure:thickness"};
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        pw_error error = {""};
        assert_int_equal(pw_parameter_parse(bad[n], &made, &error), PW_BAD_INPUT);
        assert_non_null(strstr(error.message, "MATERIAL:permittivity"));
    }
}

static pw_parameter_range look(const pw_scenario *scenario, const char *text)
{
    pw_parameter made = parameter(text);
    pw_parameter_range range;
    pw_error error = {""};
    if (pw_parameter_look(scenario, &made, &range, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return range;
}

static void scale(pw_scenario *scenario, const char *text, double factor)
{
    pw_parameter made = parameter(text);
    pw_error error = {""};
    if (pw_parameter_scale(scenario, &made, factor, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

/* Recommendation ITU-R P.2040-4 at 1 GHz: brick 3.91 and 0.0238 S/m. */
static void test_materials(void **state)
{
    (void)state;
    pw_scenario *scenario = home();
    pw_parameter_range range = look(scenario, "brick:permittivity");
    assert_true(range.places == 2 && fabs(range.low - 3.91) < 1e-9 && range.high == range.low);
    scale(scenario, "brick:permittivity", 1.2);
    scale(scenario, "brick:conductivity", 2.0);
    range = look(scenario, "brick:permittivity");
    assert_true(fabs(range.low - 1.2 * 3.91) < 1e-9 && fabs(range.high - 1.2 * 3.91) < 1e-9);
    assert_true(fabs(look(scenario, "brick:conductivity").low - 2.0 * 0.0238) < 1e-9);
    scale(scenario, "stone:permittivity", 0.01);
    assert_true(look(scenario, "stone:permittivity").low == 1.0);
    assert_true(fabs(look(scenario, "concrete:permittivity").low - 5.24) < 1e-9); /* nothing else has changed */
    pw_scenario_free(scenario);
}

static void near(struct point point, double x, double y)
{
    if (!(fabs(point.x - x) < 1e-9 && fabs(point.y - y) < 1e-9)) {
        fail_msg("(%g, %g) should be (%g, %g)", point.x, point.y, x, y);
    }
}

/* Shapes stand in the order of their lists: rectangle, circle, walls, openings. */
enum { LEVEL_WALL = 2, EDGE_WALL, SHORT_WALL, TILTED_WALL, DOOR, PASSAGE };

static void test_thickness(void **state)
{
    (void)state;
    static const double FACTORS[] = {1.5, 0.5, 4.0};
    for (int n = 0; n < 3; n++) {
        pw_scenario *scenario = home();
        const struct shape *shapes = scenario->plan.shapes;
        pw_parameter_range range = look(scenario, "brick:thickness");
        assert_true(range.places == 2 && fabs(range.low - 0.2) < 1e-12 && fabs(range.high - 0.3) < 1e-12);
        scale(scenario, "brick:thickness", FACTORS[n]);
        double half = 0.1 * FACTORS[n];
        assert_true(fabs(shapes[LEVEL_WALL].thickness - 2 * half) < 1e-12);
        near(shapes[LEVEL_WALL].points[0], 0, 2);
        /* The door is as thick as its wall; the passage is only ever made larger. */
        near(shapes[DOOR].points[0], 1, 2 - half);
        near(shapes[DOOR].points[1], 1.9, 2 + half);
        near(shapes[PASSAGE].points[0], 5, fmin(1.7, 2 - half));
        near(shapes[PASSAGE].points[1], 5.5, fmax(2.15, 2 + half));
        /* The wall at the edge grows inwards; the one of concrete still begins at the face. */
        assert_true(fabs(shapes[EDGE_WALL].thickness - 0.3 * FACTORS[n]) < 1e-12);
        near(shapes[EDGE_WALL].points[0], 0.15 * FACTORS[n], 0);
        near(shapes[SHORT_WALL].points[0], 3, 2 + half);
        near(shapes[SHORT_WALL].points[1], 3, 4);
        assert_true(fabs(shapes[SHORT_WALL].thickness - 0.1) < 1e-12);
        pw_scenario_free(scenario);
    }
}

static void refuse(const char *text, const char *word)
{
    pw_scenario *scenario = home();
    pw_parameter made = parameter(text);
    pw_error error = {""};
    pw_status status = pw_parameter_scale(scenario, &made, 1.1, &error);
    if (status != PW_BAD_INPUT || strstr(error.message, word) == NULL) {
        fail_msg("%s: status %d, '%s' does not say '%s'", text, (int)status, error.message, word);
    }
    pw_scenario_free(scenario);
}

static void test_refused(void **state)
{
    (void)state;
    refuse("glass:permittivity", "no material 'glass'");
    refuse("metal:conductivity", "perfect conductor");
    refuse("stone:thickness", "no walls");
    refuse("metal:thickness", "no walls");
    refuse("wood:thickness", "home.yaml:7");
}

/* One wall alone, as --set numbers it; a list of all; coatings by their resistance; places of transmitters. */
static void test_walls(void **state)
{
    (void)state;
    pw_scenario *scenario = home();
    pw_parameter_range range = look(scenario, "walls[1]:permittivity");
    assert_true(range.places == 1 && fabs(range.low - 3.91) < 1e-9);
    assert_string_equal(range.material, "brick");
    assert_true(fabs(range.x - 0.15) < 1e-9 && fabs(range.y - 2) < 1e-9);
    scale(scenario, "walls[1]:permittivity", 1.2);
    assert_true(fabs(look(scenario, "walls[1]:permittivity").low - 1.2 * 3.91) < 1e-9);
    assert_true(fabs(look(scenario, "walls[0]:permittivity").low - 3.91) < 1e-9);
    scale(scenario, "walls[2]:thickness", 2);
    assert_true(fabs(look(scenario, "concrete:thickness").low - 0.2) < 1e-9);
    assert_true(fabs(look(scenario, "brick:thickness").high - 0.3) < 1e-9);
    scale(scenario, "rectangles[0]:permittivity", 0.5);
    assert_true(fabs(look(scenario, "stone:permittivity").low - 3.5) < 1e-9);

    /* Openings, the circle of metal, and for conductivity the stone, which has none, are no walls that could change. */
    char names[8][PW_NAME_SIZE];
    assert_int_equal(pw_parameter_walls(scenario, PW_PARAMETER_PERMITTIVITY, names, 8), 5);
    assert_string_equal(names[0], "rectangles[0]");
    assert_string_equal(names[4], "walls[3]");
    assert_int_equal(pw_parameter_walls(scenario, PW_PARAMETER_CONDUCTIVITY, NULL, 0), 4);
    assert_int_equal(pw_parameter_walls(scenario, PW_PARAMETER_THICKNESS, NULL, 0), 4);

    assert_true(fabs(look(scenario, "ap:x").low - 1) < 1e-12);
    scale(scenario, "ap:y", 1.5);
    assert_true(fabs(look(scenario, "ap:y").low - 1.5) < 1e-12 && fabs(look(scenario, "ap:x").low - 1) < 1e-12);

    static const char *const bad[][2] = {{"walls[4]:permittivity", "there is no 'walls[4]'"},
                                         {"walls[1]x:permittivity", "no material"},
                                         {"circles[0]:permittivity", "perfect conductor"},
                                         {"nobody:x", "no transmitter 'nobody'"},
                                         {"coating:resistance", "the plan has no 'coating'"}};
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        pw_parameter made = parameter(bad[n][0]);
        pw_error error = {""};
        assert_int_equal(pw_parameter_look(scenario, &made, &range, &error), PW_BAD_INPUT);
        assert_non_null(strstr(error.message, bad[n][1]));
    }
    pw_scenario_free(scenario);
}

/* A pane of 5 ohm and one of 8: each by its name, both by "coating"; and after the scenario was written and read. */
static void test_coatings(void **state)
{
    (void)state;
    static const char PANES[] =
        "plan:\n"
        "  size: [3 m, 2 m]\n"
        "  walls:\n"
        "  - {from: [1 m, 0 m], to: [1 m, 2 m], thickness: 6 mm, material: glass, coating: 5 ohm}\n"
        "  - {from: [2 m, 0 m], to: [2 m, 2 m], thickness: 6 mm, material: glass, coating: 8 ohm}\n"
        "band: 1 GHz\n"
        "transmitters: [{name: ap, at: [0.5 m, 1 m]}]\n";
    pw_scenario *scenario = NULL, *again = NULL;
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("panes.yaml", PANES, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_scenario_parse("panes.yaml", pw_scenario_text(scenario), NULL, 0, &again, &error), PW_OK);
    assert_true(look(again, "coating:resistance").places == 2);
    assert_true(fabs(look(again, "coating 5 ohm:resistance").low - 5) < 1e-9);
    scale(again, "coating 8 ohm:resistance", 1.5);
    assert_true(fabs(look(again, "coating:resistance").high - 12) < 1e-9);
    assert_true(fabs(look(again, "coating:resistance").low - 5) < 1e-9);
    pw_scenario_free(again);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls),     cmocka_unit_test(test_coatings),  cmocka_unit_test(test_words),
        cmocka_unit_test(test_materials), cmocka_unit_test(test_thickness), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
