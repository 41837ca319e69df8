/* Clutter: covers the share that was asked for, stands in nothing and on nobody, inside the building; the same seed
 * draws the same things in two dimensions and three, with and without receivers; the presets; and what is refused. */
#include "tests/support/check.h"

#include "plan/building.h"
#include "plan/floorplan.h"
#include "scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two rooms of a house of 6 m by 5 m with doors of 80 cm, in a plan of 8 m by 7 m. Within the walls: 5.6 m by 4.6 m
 * less the wall between. */
#define HOUSE                                                                                                          \
    "plan:\n"                                                                                                          \
    "  size: [8 m, 7 m]\n"                                                                                             \
    "  walls:\n"                                                                                                       \
    "    - {from: [1 m, 1.1 m], to: [7 m, 1.1 m], thickness: 20 cm, material: brick}\n"                                \
    "    - {from: [1 m, 5.9 m], to: [7 m, 5.9 m], thickness: 20 cm, material: brick}\n"                                \
    "    - {from: [1.1 m, 1 m], to: [1.1 m, 6 m], thickness: 20 cm, material: brick}\n"                                \
    "    - {from: [6.9 m, 1 m], to: [6.9 m, 6 m], thickness: 20 cm, material: brick}\n"                                \
    "    - {from: [4 m, 1 m], to: [4 m, 6 m], thickness: 1 cm, material: wood}\n"                                      \
    "  openings:\n"                                                                                                    \
    "    - {from: [3.9 m, 2 m], to: [4.1 m, 2.8 m]}\n"                                                                 \
    "    - {from: [2 m, 0.9 m], to: [2.8 m, 1.3 m]}\n"
#define REST                                                                                                           \
    "band: {centre: 2.4 GHz, width: 100 MHz}\n"                                                                        \
    "transmitters: [{at: [2 m, 4 m]}, {name: b, at: [5.5 m, 2.5 m]}]\n"                                                \
    "receivers: [{at: [3 m, 2 m]}, {name: rest, grid: {from: [1 m, 1 m], to: [7 m, 6 m], spacing: 0.5 m}}]\n"

static pw_scenario *scenario_of(const char *clutter)
{
    char text[4096];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    snprintf(text, sizeof text, HOUSE "  clutter: %s\n" REST, clutter);
    if (pw_scenario_parse("house", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static void plan_of(const pw_scenario *scenario, struct floorplan *plan)
{
    pw_error error = {""};
    pw_notes warnings = {0};
    if (floorplan_create(scenario, false, &warnings, plan, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    warnings_free(&warnings);
}

static void plan_read(const char *clutter, struct floorplan *plan)
{
    pw_scenario *scenario = scenario_of(clutter);
    plan_of(scenario, plan);
    pw_scenario_free(scenario);
}

enum { HOUSE_SHAPES = 7 };
static const double INSIDE = 5.6 * 4.6 - 0.01 * (4.6 - 0.8);

static double side(const struct outline *thing, bool y)
{
    return y ? thing->high.y - thing->low.y : thing->high.x - thing->low.x;
}

static double gap(const struct outline *thing, double x, double y)
{
    double dx = fmax(0.0, fmax(thing->low.x - x, x - thing->high.x));
    double dy = fmax(0.0, fmax(thing->low.y - y, y - thing->high.y));
    return hypot(dx, dy);
}

static void thing_check(const struct floorplan *plan, const struct floorplan *empty, int s)
{
    const struct outline *thing = &plan->outlines[s];
    assert_true(thing->low.x > 1.2 && thing->low.y > 1.2 && thing->high.x < 6.8 && thing->high.y < 5.8);
    assert_true(thing->low.x > 4.005 || thing->high.x < 3.995 || (thing->low.y > 2.0 && thing->high.y < 2.8));
    for (int row = 0; row <= 20; row++) {
        for (int column = 0; column <= 20; column++) {
            double x = thing->low.x + side(thing, false) * column / 20.0,
                   y = thing->low.y + side(thing, true) * row / 20.0;
            assert_int_equal(floorplan_material_at(empty, x, y), 0);
        }
    }
    for (int other = HOUSE_SHAPES; other < s; other++) {
        const struct outline *before = &plan->outlines[other];
        assert_true(thing->low.x >= before->high.x || thing->high.x <= before->low.x ||
                    thing->low.y >= before->high.y || thing->high.y <= before->low.y);
    }
    assert_true(gap(thing, 2, 4) >= 0.3 && gap(thing, 5.5, 2.5) >= 0.3 && gap(thing, 3, 2) >= 0.3);
}

static void test_law(void **state)
{
    (void)state;
    static const double SHARES[] = {0.05, 0.11, 0.3};
    struct floorplan empty, plan;
    plan_read("empty", &empty);
    assert_int_equal(empty.shape_count, HOUSE_SHAPES);
    for (int n = 0; n < 3; n++) {
        double covered = 0.0;
        const int seeds = 6;
        for (int seed = 0; seed < seeds; seed++) {
            char text[160];
            snprintf(text, sizeof text, "{density: %g, size: [20 cm, 60 cm], materials: [wood, metal], seed: %d}",
                     SHARES[n], seed);
            plan_read(text, &plan);
            for (int s = HOUSE_SHAPES; s < plan.shape_count; s++) {
                const struct outline *thing = &plan.outlines[s];
                assert_true(side(thing, false) >= 0.2 - 1e-9 && side(thing, true) >= 0.2 - 1e-9);
                assert_true(side(thing, false) <= 0.6 + 1e-9 && side(thing, true) <= 0.6 + 1e-9);
                thing_check(&plan, &empty, s);
                covered += side(thing, false) * side(thing, true) / seeds;
            }
            floorplan_free(&plan);
        }
        /* Half the smallest thing, 0.02 m2, and squares of 4 cm along 24 m of walls. */
        assert_true(fabs(covered - SHARES[n] * INSIDE) < 0.02 + SHARES[n] * 24.0 * 0.02);
    }
    floorplan_free(&empty);
}

static bool same_things(const struct floorplan *a, const struct floorplan *b)
{
    bool same = a->shape_count == b->shape_count;
    for (int s = 0; same && s < a->shape_count; s++) {
        same = outlines_equal(&a->outlines[s], &b->outlines[s]) &&
               strcmp(a->materials[a->shape_material[s]].name, b->materials[b->shape_material[s]].name) == 0;
    }
    return same;
}

/* Of a scenario, of its own text, and after the seed was set: the same; of another seed others. A moved transmitter and
 * receivers that are left out move nothing but what they keep free. */
static void test_same(void **state)
{
    (void)state;
    struct floorplan first, again, other;
    pw_error error = {""};
    pw_scenario *scenario = scenario_of("{preset: home, seed: 5}"), *copy = NULL;
    plan_of(scenario, &first);
    if (pw_scenario_parse("copy", pw_scenario_text(scenario), NULL, 0, &copy, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    plan_of(copy, &again);
    assert_true(first.shape_count > HOUSE_SHAPES + 2 && same_things(&first, &again));
    floorplan_free(&again);
    pw_scenario_set_clutter_seed(copy, 6);
    plan_of(copy, &other);
    assert_false(same_things(&first, &other));
    floorplan_free(&other);
    pw_scenario_set_clutter_seed(copy, 5);
    pw_scenario_move_transmitter(copy, 0, 0.2, 0.1);
    plan_of(copy, &again);
    int kept = 0;
    for (int s = HOUSE_SHAPES; s < first.shape_count; s++) {
        for (int t = HOUSE_SHAPES; t < again.shape_count; t++) {
            kept += outlines_equal(&first.outlines[s], &again.outlines[t]);
        }
    }
    assert_true(kept >= first.shape_count - HOUSE_SHAPES - 3);
    floorplan_free(&again);
    floorplan_free(&first);
    pw_scenario_free(copy);
    pw_scenario_free(scenario);
}

/* In three dimensions things reach up to their height, and stand where the cut of two dimensions has them. */
static void test_heights(void **state)
{
    (void)state;
    static const char *const sets[] = {"plan.storey={height: 2.5 m}", "plan.cut=1 m"};
    char text[4096];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    snprintf(text, sizeof text, HOUSE "  clutter: {preset: office, size: [30 cm, 60 cm], height: 1.4 m}\n" REST);
    assert_int_equal(pw_scenario_parse("house", text, NULL, 0, &scenario, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "is a height, and the plan has none"));
    if (pw_scenario_parse("house", text, sets, 2, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    struct building building;
    struct floorplan cut;
    pw_notes warnings = {0};
    plan_of(scenario, &cut);
    assert_int_equal(building_create(scenario, false, &warnings, &building, &error), PW_OK);
    warnings_free(&warnings);
    assert_true(cut.shape_count > HOUSE_SHAPES + 2);
    for (int s = HOUSE_SHAPES; s < cut.shape_count; s++) {
        double x = 0.5 * (cut.outlines[s].low.x + cut.outlines[s].high.x);
        double y = 0.5 * (cut.outlines[s].low.y + cut.outlines[s].high.y);
        assert_true(building_material_at(&building, x, y, 1.39) != 0 &&
                    building_material_at(&building, x, y, 1.41) == 0);
    }
    building_free(&building);
    floorplan_free(&cut);
    pw_scenario_free(scenario);
}

static void refuse(const char *clutter, const char *word)
{
    char text[4096];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    struct floorplan plan = {0};
    pw_notes warnings = {0};
    snprintf(text, sizeof text, HOUSE "  clutter: %s\n" REST, clutter);
    pw_status status = pw_scenario_parse("house", text, NULL, 0, &scenario, &error);
    if (status == PW_OK) {
        status = floorplan_create(scenario, false, &warnings, &plan, &error);
    }
    if (status != PW_BAD_INPUT || strstr(error.message, word) == NULL) {
        fail_msg("%s: '%s' does not say '%s'", clutter, error.message, word);
    }
    warnings_free(&warnings);
    pw_scenario_free(scenario);
}

static void test_refused(void **state)
{
    (void)state;
    refuse("hom", "did you mean 'home'?");
    refuse("{preset: castle}", "there are empty, home, office and warehouse");
    refuse("{density: 11 %}", "'size' is missing");
    refuse("{preset: home, density: 110 %}", "density");
    refuse("{preset: home, size: [1 m, 50 cm]}", "the shortest side, 1 m, is longer than the longest, 0.5 m");
    refuse("{preset: home, size: 1 m}", "[40 cm, 1.2 m]");
    refuse("{preset: home, materials: []}", "1 to 16 materials");
    refuse("{preset: home, from: [1 m, 1 m]}", "the opposite corner too");
    refuse("{preset: home, seed: -1}", "seed");
    refuse("{preset: home, sed: 1}", "did you mean 'seed'");
    refuse("{density: 85 %, size: [30 cm, 60 cm], materials: wood}", "clutter of 85 % does not fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_heights),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
