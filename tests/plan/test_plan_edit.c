/* Edits of a plan through the interface (api/plan/edit.h, api/scenario.h): what is drawn, erased or changed stands in
 * the text of the scenario, and what does not fit is refused. */
#include "tests/support/check.h"
#include "tests/support/sanitized.h"

#include "planwave.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ROOM[] = "plan:\n"
                           "  size: [3 m, 2 m]\n"
                           "  walls: [{from: [1 m, 0 m], to: [1 m, 1.5 m], thickness: 10 cm, material: brick}]\n"
                           "  openings: [{from: [0.9 m, 0.5 m], to: [1.1 m, 1 m]}]\n"
                           "band: {centre: 1.2 GHz, width: 200 MHz}\n"
                           "transmitters:\n"
                           "  - {name: a, at: [0.3 m, 0.5 m], power: 17 dBm}\n"
                           "  - {name: line, at: [2 m, 0.5 m], to: [2 m, 1 m]}\n";

static pw_scenario *room(void)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("room", ROOM, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

/* Of the last shape, which lies uppermost, after the scenario's text was read again. */
static pw_shape_kind top_shape(pw_scenario *scenario, const char *material)
{
    char *text = NULL;
    pw_scenario *again = NULL;
    pw_shape shape = {0};
    pw_error error = {""};
    if (pw_scenario_write(scenario, NULL, &text, &error) != PW_OK ||
        pw_scenario_parse("again", text, NULL, 0, &again, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    const int count = pw_scenario_describe_plan(again).shape_count;
    assert_int_equal(pw_scenario_describe_shape(again, count - 1, &shape, NULL), PW_OK);
    const pw_shape_kind kind = shape.kind;
    assert_string_equal(shape.material, material);
    pw_shape_free(&shape);
    pw_scenario_free(again);
    free(text);
    return kind;
}

static void test_walls(void **state)
{
    (void)state;
    pw_scenario *scenario = room();
    pw_error error = {""};
    assert_int_equal(pw_scenario_add_wall(scenario, (const double[]){1.8, 0, 1.8, 2}, 0.2, "concrete", &error), PW_OK);
    assert_int_equal(pw_scenario_describe_plan(scenario).shape_count, 3);
    /* over the opening: an opening of its own material, thickness to both sides */
    assert_int_equal(pw_scenario_add_wall(scenario, (const double[]){1, 0.6, 1, 0.8}, 0.2, "wood", &error), PW_OK);
    assert_int_equal(top_shape(scenario, "wood"), PW_SHAPE_OPENING);
    static const struct {
        double line[4];
        const char *material, *says;
    } WRONG[] = {{{1, 1, 1, 1}, "brick", "apart"},
                 {{0.8, 0.4, 1.2, 1}, "brick", "erase the opening"},
                 {{2.5, 0, 2.5, 1}, "cheese", "'cheese'"}};
    for (size_t n = 0; n < sizeof WRONG / sizeof WRONG[0]; n++) {
        assert_int_equal(pw_scenario_add_wall(scenario, WRONG[n].line, 0.1, WRONG[n].material, &error), PW_BAD_INPUT);
        assert_non_null(strstr(error.message, WRONG[n].says));
    }
    pw_scenario_free(scenario);
}

static void test_circles(void **state)
{
    (void)state;
    static const char MUSCLE[] =
        "{name: muscle, relative_permittivity: 4, conductivity: 0.9 S/m, poles: [{kind: debye, "
        "strength: 49, relaxation_time: 7 ps}]}";
    pw_scenario *scenario = room();
    pw_error error = {""};
    pw_shape shape = {0};
    assert_int_equal(pw_scenario_add_circle(scenario, 2.5, 1.5, 0.15, MUSCLE, &error), PW_OK);
    assert_int_equal(pw_scenario_describe_plan(scenario).shape_count, 3);
    assert_int_equal(pw_scenario_describe_shape(scenario, 0, &shape, &error), PW_OK); /* circles lie under walls */
    assert_int_equal(shape.kind, PW_SHAPE_CIRCLE);
    assert_string_equal(shape.material, "muscle");
    pw_shape_free(&shape);
    static const struct {
        double x, radius;
        const char *material, *says;
    } WRONG[] = {{2.5, 0, "brick", "above 0"},
                 {2.5, NAN, "brick", "above 0"},
                 {2.5, 0.1, "cheese", "unknown material"},
                 {2.5, 0.1, "{relative_permittivity: 0.5}", "out of range"},
                 {2.5, 0.1, "{measured: table.csv}", "belongs into the scenario"},
                 {2.5, 0.1, "brick\nx: 1", "the material of a circle"},
                 {1.2, 0.15, "brick", "meets an opening"}};
    for (size_t n = 0; n < sizeof WRONG / sizeof WRONG[0]; n++) {
        assert_int_equal(pw_scenario_add_circle(scenario, WRONG[n].x, 0.7, WRONG[n].radius, WRONG[n].material, &error),
                         PW_BAD_INPUT);
        assert_non_null(strstr(error.message, WRONG[n].says));
    }
    assert_int_equal(pw_scenario_add_cylinder(scenario, 2.5, 1.5, 0.15, 0, 1.7, "brick", &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "needs storeys"));
    pw_scenario_free(scenario);
}

/* An upright cylinder is a circle with heights, as a scenario has it. */
static void test_cylinders(void **state)
{
    (void)state;
    static const char TEXT[] = "dimensions: 3\n"
                               "plan: {size: [2 m, 2 m], storey: {height: 2 m}}\n"
                               "band: {centre: 1 GHz, width: 100 MHz}\n"
                               "transmitters: [{name: a, at: [0.5, 0.5, 1]}]\n";
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("room", TEXT, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_scenario_add_cylinder(scenario, 1, 1, 0.15, 1.7, 0, "brick", &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "from 1.7 to 0 m"));
    assert_int_equal(pw_scenario_add_cylinder(scenario, 1, 1, 0, 0, 1.7, "brick", &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_add_cylinder(scenario, 1, 1, 0.15, 0, 1.7, "brick", &error), PW_OK);
    char *text = NULL;
    pw_setup *setup = NULL;
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    text = strstr(pw_setup_scenario_text(setup), "circles:");
    assert_non_null(text);
    assert_non_null(strstr(text, "z: [0 m, 1.7 m]"));
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

static void test_erases_from_the_top(void **state)
{
    (void)state;
    pw_scenario *scenario = room();
    pw_floorplan *plan = NULL;
    pw_error error = {""};
    assert_int_equal(pw_floorplan_create(scenario, &plan, &error), PW_OK);
    assert_true(pw_floorplan_describe(plan).pixel == 0);
    for (int left = 1; left >= 0; left--) { /* the opening, then the wall under it */
        assert_int_equal(pw_scenario_erase(scenario, plan, 1, 0.75, &error), PW_OK);
        assert_int_equal(pw_scenario_describe_plan(scenario).shape_count, left);
    }
    assert_int_equal(pw_scenario_erase(scenario, plan, 1, 0.75, &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_erase(scenario, plan, 4, 0.75, &error), PW_BAD_INPUT);
    pw_floorplan_free(plan);
    pw_scenario_free(scenario);
}

/* ---- what stands at a point ---------------------------------------------------------------------------------------
 */

/* Four walls of 20 cm that are one polygon with a hole, as pictures and drawings give them; one at 30 degrees, 2 m long
 * and 24 cm thick, that meets nothing. */
static const char NET[] =
    "plan:\n"
    "  size: [8 m, 4 m]\n"
    "  polygons:\n"
    "    - {points: [[0.5 m, 0.5 m], [4.5 m, 0.5 m], [4.5 m, 3.5 m], [0.5 m, 3.5 m], [0.5 m, 0.5 m], [0.7 m, 0.7 m],\n"
    "                [0.7 m, 3.3 m], [4.3 m, 3.3 m], [4.3 m, 0.7 m], [0.7 m, 0.7 m]], material: brick}\n"
    "    - {points: [[5.06 m, 0.8960769515 m], [6.792050808 m, 1.896076952 m], [6.672050808 m, 2.103923048 m],\n"
    "                [4.94 m, 1.103923048 m]], material: wood}\n"
    "band: {centre: 1.2 GHz, width: 200 MHz}\n"
    "transmitters: [{name: a, at: [2 m, 2 m]}]\n"
    "receivers: [{name: b, at: [3 m, 2 m]}]\n";

struct net {
    pw_scenario *scenario;
    pw_floorplan *plan;
};

static void net_look(struct net *net)
{
    pw_error error = {""};
    pw_floorplan_free(net->plan);
    if (pw_floorplan_create(net->scenario, &net->plan, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

static struct net net_open(void)
{
    struct net net = {0};
    pw_error error = {""};
    if (pw_scenario_parse("net", NET, NULL, 0, &net.scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    net_look(&net);
    return net;
}

static void net_close(struct net *net)
{
    pw_floorplan_free(net->plan);
    pw_scenario_free(net->scenario);
}

/* The area of a material [m^2]. */
static double area_of(struct net *net, const char *material)
{
    double areas[8], area = 0;
    net_look(net);
    const int count = pw_floorplan_describe(net->plan).material_count;
    assert_true(count <= 8);
    assert_int_equal(pw_floorplan_areas(net->plan, 0.005, areas, NULL), PW_OK);
    for (int m = 0; m < count; m++) {
        area += strcmp(pw_floorplan_describe_material(net->plan, m).name, material) == 0 ? areas[m] : 0;
    }
    return area;
}

static void test_finds_pieces_of_walls(void **state)
{
    (void)state;
    const double slope = sqrt(3) / 2;
    const struct {
        double x, y, line[4], thickness;
    } EXPECTED[] = {{1.3, 0.55, {0.7, 0.6, 4.3, 0.6}, 0.2},
                    {0.69, 2, {0.6, 0.7, 0.6, 3.3}, 0.2},
                    {5.9, 1.47, {5, 1, 5 + 2 * slope, 2}, 0.24},
                    {2.5, 0.48, {0.7, 0.6, 4.3, 0.6}, 0.2},        /* 2 cm beside it */
                    {5.1, 0.935, {5, 1, 5 + 2 * slope, 2}, 0.24}}; /* at a corner */
    struct net net = net_open();
    pw_error error = {""};
    for (size_t n = 0; n < sizeof EXPECTED / sizeof EXPECTED[0]; n++) {
        pw_wall_piece piece;
        assert_int_equal(
            pw_scenario_find_wall(net.scenario, net.plan, EXPECTED[n].x, EXPECTED[n].y, 0.05, &piece, &error), PW_OK);
        const bool turned =
            fabs(piece.line[0] - EXPECTED[n].line[0]) + fabs(piece.line[1] - EXPECTED[n].line[1]) > 1e-3;
        for (int c = 0; c < 4; c++) {
            assert_true(fabs(piece.line[c] - EXPECTED[n].line[turned ? (c + 2) % 4 : c]) < 1e-4);
        }
        assert_true(fabs(piece.thickness - EXPECTED[n].thickness) < 1e-4);
    }
    pw_wall_piece none;
    assert_int_equal(pw_scenario_find_wall(net.scenario, net.plan, 2, 2, 0.05, &none, &error), PW_BAD_INPUT);
    net_close(&net);
}

/* Of the net a piece, of what is a shape of its own the shape. */
static void test_changes_pieces_of_walls(void **state)
{
    (void)state;
    struct net net = net_open();
    pw_error error = {""};
    const double net_area = 4 * 3 - 3.6 * 2.6;
    assert_int_equal(pw_scenario_set_wall(net.scenario, net.plan, 2, 0.6, "concrete", &error), PW_OK);
    assert_true(fabs(area_of(&net, "concrete") - 3.6 * 0.2) < 1e-3);
    assert_true(fabs(area_of(&net, "brick") - (net_area - 3.6 * 0.2)) < 1e-3);
    assert_int_equal(pw_scenario_erase(net.scenario, net.plan, 0.6, 2, &error), PW_OK);
    /* the corner at the concrete is its now */
    assert_true(fabs(area_of(&net, "brick") - (net_area - 3.6 * 0.2 - 2.8 * 0.2)) < 1e-3);
    const int before = pw_scenario_describe_plan(net.scenario).shape_count;
    assert_int_equal(pw_scenario_set_wall(net.scenario, net.plan, 5.9, 1.47, "glass", &error), PW_OK);
    assert_int_equal(pw_scenario_describe_plan(net.scenario).shape_count, before);
    assert_true(area_of(&net, "wood") == 0 && fabs(area_of(&net, "glass") - 2 * 0.24) < 1e-2);
    assert_int_equal(pw_scenario_set_wall(net.scenario, net.plan, 5.9, 1.47, "cheese", &error), PW_BAD_INPUT);
    net_close(&net);
}

static void test_puts_windows_and_doors(void **state)
{
    (void)state;
    struct net net = net_open();
    pw_error error = {""};
    assert_int_equal(pw_scenario_put_opening(net.scenario, net.plan, 2, 0.52, 1.2, 0.02, "glass", &error), PW_OK);
    assert_true(fabs(area_of(&net, "glass") - 1.2 * 0.02) < 1e-3);
    assert_true(fabs(area_of(&net, "brick") - (4 * 3 - 3.6 * 2.6 - 1.2 * 0.2)) < 1e-3);
    assert_int_equal(pw_scenario_put_opening(net.scenario, net.plan, 5.9, 1.47, 0.9, 0.04, "air", &error), PW_OK);
    assert_true(fabs(area_of(&net, "wood") - (2 - 0.9) * 0.24) < 1e-2);
    /* wider than what is left of the wall beside the window: all of that */
    assert_int_equal(pw_scenario_put_opening(net.scenario, net.plan, 1, 0.6, 5, 0.04, "air", &error), PW_OK);
    assert_true(fabs(area_of(&net, "brick") - (4 * 3 - 3.6 * 2.6 - 1.2 * 0.2 - 0.7 * 0.2)) < 2e-3);
    assert_int_equal(pw_scenario_put_opening(net.scenario, net.plan, 1, 0.6, 5, 0.04, "air", &error), PW_BAD_INPUT);
    net_close(&net);
}

static void test_scales_a_plan(void **state)
{
    (void)state;
    struct net net = net_open();
    pw_error error = {""};
    const double brick = area_of(&net, "brick");
    assert_int_equal(pw_scenario_scale_plan(net.scenario, 1.5, &error), PW_OK);
    assert_true(fabs(area_of(&net, "brick") - 1.5 * 1.5 * brick) < 5e-3);
    const pw_floorplan_facts plan = pw_floorplan_describe(net.plan);
    assert_true(plan.width == 12 && plan.height == 6);
    assert_true(pw_scenario_describe_transmitter(net.scenario, 0).x == 3);
    assert_true(pw_scenario_describe_receiver(net.scenario, 0).x == 4.5);
    assert_int_equal(top_shape(net.scenario, "wood"), PW_SHAPE_POLYGON);
    assert_int_equal(pw_scenario_scale_plan(net.scenario, 0, &error), PW_BAD_INPUT);
    net_close(&net);
}

static void test_materials(void **state)
{
    (void)state;
    pw_scenario *scenario = room();
    pw_error error = {""};
    pw_shape shape;
    assert_int_equal(pw_scenario_set_material(scenario, "brick", 4.5, 0.25, &error), PW_OK);
    assert_int_equal(pw_scenario_describe_shape(scenario, 0, &shape, &error), PW_OK);
    assert_true(shape.relative_permittivity == 4.5 && shape.conductivity == 0.25 && shape.own_values);
    pw_shape_free(&shape);
    assert_int_equal(pw_scenario_set_material(scenario, "wood", 2, 0, &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_set_material(scenario, "air", 2, 0, &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_set_material(scenario, "brick", 0.5, 0, &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_set_material(scenario, "brick", 2, -1, &error), PW_BAD_INPUT);
    pw_scenario_free(scenario);
}

static void test_transmitters_and_band(void **state)
{
    (void)state;
    pw_scenario *scenario = room();
    pw_error error = {""};
    const int line = pw_scenario_find_transmitter(scenario, "line");
    pw_scenario_place_transmitter(scenario, line, 2.3, 0.7);
    pw_scenario_transmitter moved = pw_scenario_describe_transmitter(scenario, line);
    assert_true(moved.x == 2.3 && moved.y == 0.7 && moved.to_x == 2.3 && fabs(moved.to_y - 1.2) < 1e-12);
    assert_int_equal(pw_scenario_add_transmitter(scenario, 0, "b", 0.1, 0.2, &error), PW_OK);
    const pw_scenario_transmitter added = pw_scenario_describe_transmitter(scenario, 2);
    assert_string_equal(added.name, "b");
    assert_true(added.x == 0.1 && added.to_x == 0.1 && added.power == 17);
    assert_int_equal(pw_scenario_add_transmitter(scenario, 0, "b", 0.1, 0.2, &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_add_transmitter(scenario, 0, "a/b", 0.1, 0.2, &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_set_band(scenario, 5e9, 400e6, &error), PW_OK);
    assert_true(pw_scenario_describe(scenario).band_centre == 5e9);
    assert_int_equal(pw_scenario_set_band(scenario, 5e9, 11e9, &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_set_band(scenario, 5e9, 0, &error), PW_BAD_INPUT);
    pw_scenario_free(scenario);
}

/* Bytes that this process holds. */
static double resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static bool no_more(void *user)
{
    ++*(int *)user;
    return false;
}

/* How large a run will be is told before its medium is made: about what the forecast of the whole set-up says. A limit
 * is kept, and a set-up that nobody wants ends. */
static void test_measures_and_stops(void **state)
{
    (void)state;
    pw_scenario *scenario = room();
    pw_setup *setup = NULL;
    pw_forecast forecast;
    pw_setup_size size;
    pw_error error = {""};
    int asked = 0;
    const double before = resident();
    assert_int_equal(pw_scenario_set_band(scenario, 20e9, 400e6, &error), PW_OK);
    assert_int_equal(pw_setup_measure(scenario, &size, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    const pw_facts facts = pw_setup_facts(setup);
    assert_int_equal(size.nodes, (int64_t)facts.nx * facts.ny);
    if (!SANITIZED) { /* freed memory stays with the sanitizer, and with it the solver is tried for minutes */
        assert_int_equal(pw_forecast_run(setup, &(pw_compute){.backend = "cpu", .threads = 1}, &forecast, &error),
                         PW_OK);
        const double said = (double)forecast.host_bytes - before; /* it begins with what the process holds */
        print_message("measured %.1f MB, forecast %.1f MB\n", 1e-6 * size.bytes, 1e-6 * said);
        assert_true(fabs(size.bytes / said - 1) < 0.3);
    }
    pw_setup_free(setup);
    assert_int_equal(pw_memory_limit("1MB", &error), PW_OK);
    assert_int_equal(pw_setup_measure(scenario, &size, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "allowed"));
    assert_int_equal(pw_memory_limit("much", &error), PW_USAGE);
    assert_int_equal(pw_memory_limit(NULL, &error), PW_OK);
    pw_scenario_watch(scenario, no_more, &asked);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_INTERRUPTED);
    assert_true(asked > 0);
    pw_scenario_free(scenario);
}

static bool twice(void *user)
{
    return ++*(int *)user <= 2;
}

/* Also while the walls of a building are averaged, which takes the longest in three dimensions. */
static void test_stops_in_a_building(void **state)
{
    (void)state;
    static const char text[] =
        "dimensions: 3\n"
        "plan: {size: [2 m, 2 m], storey: {height: 2 m}, walls: [{from: [1 m, 0 m], to: [1 m, 1 m], "
        "thickness: 10 cm, material: brick}]}\n"
        "grid: {cell: 8 cm}\n"
        "band: {centre: 500 MHz, width: 100 MHz}\n"
        "transmitters: [{at: [0.5 m, 0.5 m, 1 m]}]\n";
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {""};
    int asked = 0;
    assert_int_equal(pw_scenario_parse("test", text, NULL, 0, &scenario, &error), PW_OK);
    pw_scenario_watch(scenario, twice, &asked);
    omp_set_num_threads(1); /* the thread that asks has work, however little there is */
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_INTERRUPTED);
    assert_non_null(strstr(error.message, "walls were averaged"));
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_circles),
        cmocka_unit_test(test_cylinders),
        cmocka_unit_test(test_erases_from_the_top),
        cmocka_unit_test(test_finds_pieces_of_walls),
        cmocka_unit_test(test_changes_pieces_of_walls),
        cmocka_unit_test(test_puts_windows_and_doors),
        cmocka_unit_test(test_scales_a_plan),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_transmitters_and_band),
        cmocka_unit_test(test_measures_and_stops),
        cmocka_unit_test(test_stops_in_a_building),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
