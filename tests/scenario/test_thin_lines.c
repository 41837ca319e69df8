/* What is too thin for cells, as lines: the middles of panes and sheets, less the openings in them, at the height that
 * is asked for; by hand. */
#include "tests/support/check.h"

#include "scenario/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pw_scenario *scenario_of(const char *plan)
{
    char text[1200];
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    snprintf(text, sizeof text, "plan: {size: [20 m, 10 m], %s}\nband: 1 GHz\ntransmitters: [{at: [1 m, 1 m]}]\n",
             plan);
    if (pw_scenario_parse("test.yaml", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

/* Either way round. */
static bool is_line(const pw_thin_line *line, double x0, double y0, double x1, double y1)
{
    const double there = fmax(hypot(line->x0 - x0, line->y0 - y0), hypot(line->x1 - x1, line->y1 - y1));
    const double back = fmax(hypot(line->x0 - x1, line->y0 - y1), hypot(line->x1 - x0, line->y1 - y0));
    return fmin(there, back) < 0.02;
}

static void panes_are_lines(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_of(
        "walls: [{from: [1 m, 2 m], to: [9 m, 2 m], thickness: 6 mm, material: glass},\n"
        "  {from: [1 m, 5 m], to: [9 m, 8 m], thickness: 1 mm, material: metal},\n"
        "  {from: [1 m, 9 m], to: [9 m, 9 m], thickness: 24 cm, material: brick}],\n"
        " rectangles: [{from: [12 m, 1 m], to: [12.01 m, 4 m], material: glass}],\n"
        " polygons: [{points: [[14 m, 1 m], [18 m, 5 m], [18.01 m, 4.99 m], [14.01 m, 0.99 m]], material: wood}],\n"
        " openings: [{from: [4 m, 1.9 m], to: [5 m, 2.1 m]}]");
    pw_thin_line *lines = NULL;
    size_t count = 0;
    assert_int_equal(pw_scenario_thin_lines(scenario, 0.04, NAN, &lines, &count, NULL), PW_OK);
    assert_int_equal(count, 5); /* the first pane is parted by a door */
    bool seen[5] = {false};
    for (size_t n = 0; n < count; n++) {
        seen[0] = seen[0] || (is_line(&lines[n], 1, 2, 4, 2) && strcmp(lines[n].material, "glass") == 0);
        seen[1] = seen[1] || is_line(&lines[n], 5, 2, 9, 2);
        seen[2] = seen[2] || (is_line(&lines[n], 1, 5, 9, 8) && lines[n].perfect_conductor);
        seen[3] = seen[3] || is_line(&lines[n], 12.005, 1, 12.005, 4);
        seen[4] = seen[4] || is_line(&lines[n], 14, 1, 18, 5);
    }
    for (int n = 0; n < 5; n++) {
        assert_true(seen[n]);
    }
    free(lines);
    assert_int_equal(pw_scenario_thin_lines(scenario, 0.0005, NAN, &lines, &count, NULL), PW_OK);
    assert_int_equal(count, 0);
    free(lines);
    pw_scenario_free(scenario);
}

static void heights_decide(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_of("storey: {height: 3 m}, walls: [{from: [1 m, 2 m], to: [9 m, 2 m], thickness: "
                                        "6 mm, material: glass, z: [1 m, 2 m]}]");
    pw_thin_line *lines = NULL;
    size_t count = 0;
    for (int n = 0; n < 2; n++) {
        assert_int_equal(pw_scenario_thin_lines(scenario, 0.04, n == 0 ? 0.5 : 1.5, &lines, &count, NULL), PW_OK);
        assert_int_equal(count, n);
        free(lines);
    }
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(panes_are_lines), cmocka_unit_test(heights_decide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
