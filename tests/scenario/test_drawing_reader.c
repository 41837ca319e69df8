/* The key `drawing` of a scenario, read by whom the library is told to ask: without a reader it is refused, and what a
 * reader draws becomes shapes of the plan. */
#include "tests/support/check.h"

#include "planwave.h"

#include <string.h>

#define REST "band: {centre: 2.4 GHz, width: 100 MHz}\ntransmitters: [{at: [0.5, 0.5]}]\n"

static pw_choice one_format(size_t index)
{
    return index == 0 ? (pw_choice){"boxes", "a box for each material", false} : (pw_choice){0};
}

/* A plan of 4 m by 3 m with a box of what the key `material` says. */
static pw_status box_read(const pw_node *map, const char *folder, pw_drawing *drawing, pw_error *error)
{
    static const double CORNERS[] = {1, 1, 3, 1, 3, 2, 1, 2};
    int substance = -1;
    assert_null(folder);
    PW_TRY(pw_map_check(map, (const char *const[]){"material", "z", NULL}, error));
    pw_drawing_set_size(drawing, 4, 3);
    PW_TRY(pw_drawing_substance(drawing, map, pw_node_find(map, "material"), &substance, error));
    assert_int_equal(pw_drawing_add(drawing, substance + 1, CORNERS, 4, NULL), PW_USAGE);
    assert_int_equal(pw_drawing_add(drawing, substance, CORNERS, 2, NULL), PW_USAGE);
    PW_TRY(pw_drawing_add(drawing, substance, CORNERS, 4, error));
    assert_int_equal(pw_drawing_shape_count(drawing), 1);
    return PW_OK;
}

static const pw_drawing_reader BOXES = {.format = one_format, .read = box_read};

static pw_scenario *scenario_of(const char *text)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("test.yaml", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static void refused(const char *text, const char *because)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("test.yaml", text, NULL, 0, &scenario, &error), PW_BAD_INPUT);
    if (strstr(error.message, because) == NULL || strstr(error.message, "test.yaml:1: plan") == NULL) {
        fail_msg("'%s' is not in: %s", because, error.message);
    }
}

static void without_a_reader_it_is_refused(void **state)
{
    (void)state;
    pw_drawings_use(NULL);
    refused("plan: {drawing: {file: a.dxf}}\n" REST, "without its readers of drawings");
    assert_null(pw_choice_describe(PW_DRAWING_FORMATS, 0).name);
}

static void what_a_reader_draws_is_the_plan(void **state)
{
    (void)state;
    pw_drawings_use(&BOXES);
    assert_string_equal(pw_choice_describe(PW_DRAWING_FORMATS, 0).name, "boxes");
    assert_null(pw_choice_describe(PW_DRAWING_FORMATS, 1).name);
    pw_scenario *scenario = scenario_of("plan: {drawing: {material: brick}, circles: [{centre: [2, 2], radius: 10 cm, "
                                        "material: wood}]}\n" REST);
    pw_plan_facts plan = pw_scenario_describe_plan(scenario);
    assert_true(plan.width == 4 && plan.height == 3 && plan.shape_count == 2 && plan.storey_count == 0);
    pw_shape shape;
    assert_int_equal(pw_scenario_describe_shape(scenario, 0, &shape, NULL), PW_OK);
    assert_int_equal(shape.kind, PW_SHAPE_DRAWN);
    assert_string_equal(shape.material, "brick");
    assert_int_equal(shape.corner_count, 4);
    assert_true(shape.corners[2] == 3 && shape.corners[3] == 1 && !shape.air && !shape.own_values);
    assert_true(shape.relative_permittivity == pw_material_at("brick", 2.4e9).relative_permittivity);
    pw_shape_free(&shape);
    assert_int_equal(pw_scenario_describe_shape(scenario, 1, &shape, NULL), PW_OK);
    assert_int_equal(shape.kind, PW_SHAPE_CIRCLE);
    assert_int_equal(shape.corner_count, 64);
    pw_shape_free(&shape);
    pw_scenario_free(scenario);
    refused("plan: {drawing: {material: brik}}\n" REST, "brik");
    refused("plan: {drawing: {colour: red}}\n" REST, "colour");
    refused("plan: {drawing: {z: [1, 2]}}\n" REST, "z");
}

/* What stands where, without a grid: a box of 2 m^2 of brick, with a hole of its own in a corner. */
static void the_plan_is_looked_at(void **state)
{
    (void)state;
    enum { WIDTH = 8, HEIGHT = 6, MATERIALS = 4 };
    pw_drawings_use(&BOXES);
    pw_scenario *scenario =
        scenario_of("plan: {drawing: {material: brick}, openings: [{from: [1, 1], to: [1.5, 1.5]}]}\n" REST);
    pw_floorplan *plan = NULL;
    double areas[MATERIALS];
    uint16_t materials[WIDTH * HEIGHT];
    assert_int_equal(pw_floorplan_create(scenario, &plan, NULL), PW_OK);
    pw_scenario_free(scenario);
    pw_floorplan_facts facts = pw_floorplan_describe(plan);
    assert_true(facts.width == 4 && facts.height == 3 && facts.material_count <= MATERIALS);
    assert_int_equal(pw_floorplan_areas(plan, 0.1, areas, NULL), PW_OK);
    assert_int_equal(pw_floorplan_pixels(plan, 0.5, 1, WIDTH, HEIGHT, materials, NULL), PW_OK);
    int brick = 0;
    for (int n = 0; n < WIDTH * HEIGHT; n++) {
        brick += strcmp(pw_floorplan_describe_material(plan, materials[n]).name, "brick") == 0;
    }
    assert_int_equal(brick, 7);
    for (int m = 1; m < facts.material_count; m++) {
        bool of_brick = strcmp(pw_floorplan_describe_material(plan, m).name, "brick") == 0;
        assert_true(!of_brick || (areas[m] > 1.75 - 1e-9 && areas[m] < 1.75 + 1e-9));
    }
    pw_floorplan_free(plan);
    pw_floorplan_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_reader_it_is_refused),
        cmocka_unit_test(what_a_reader_draws_is_the_plan),
        cmocka_unit_test(the_plan_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
