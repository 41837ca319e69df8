/* OpenIntent: walls with what wall_materials say of them, floors with heights, access points, of versions 1 and 2 of
 * the schema; units of metres, feet and pixels; and documents that are not right. */
#include "tests/drawing/drawing_file.h"

#define WALL(type, x0, y0, x1, y1, more)                                                                               \
    "{\"wall_type\":\"" type "\",\"start_point\":{\"x\":" x0 ",\"y\":" y0 "},\"end_point\":{\"x\":" x1 ",\"y\":" y1    \
    "}" more "}"
#define PLAN(name, dimensions, walls)                                                                                  \
    "{\"name\":\"" name "\",\"dimensions\":[" dimensions "],\"wall_segments\":[" walls "]"
#define METRES                "{\"length\":10,\"width\":20,\"height\":2.7,\"unit\":\"meters\"}"
#define PIXELS                "{\"length\":500,\"width\":1000,\"unit\":\"pixels\"}"
#define FEET                  "{\"length\":30,\"width\":60,\"height\":10,\"unit\":\"feet\"}"
#define DOCUMENT(plans, rest) "{\"openintent_version\":\"2.0.0\",\"floorplans\":[" plans "]" rest "}"
#define MATERIALS                                                                                                      \
    ",\"wall_materials\":[{\"name\":\"Brick 24\",\"itu_material_type\":\"brick\",\"rf_properties\":"                   \
    "{\"attenuation_flat\":9},\"thickness_m\":0.24,\"bottom_height\":0,\"top_height\":2.5,"                            \
    "\"display_color\":\"#AC7400\"},{\"name\":\"Glass\",\"rf_properties\":{\"attenuation_per_m\":200},"                \
    "\"thickness_m\":0.01}]"

static void test_materials(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made(
        "plan.openintent.json",
        DOCUMENT(PLAN("ground", METRES,
                      WALL("Brick 24", "1", "2", "9", "2", "") "," WALL("Glass", "9", "2", "9", "8.5", "") "," WALL(
                          "drywall", "1", "2", "1", "8",
                          ",\"thickness\":0.1,\"height\":2.7") "," WALL("drywall", "3", "2", "3", "8",
                                                                        ",\"thickness\":0.15,\"height\":2."
                                                                        "7") "," WALL("drywall", "5", "2", "5", "8",
                                                                                      ",\"thickness\":0.1,"
                                                                                      "\"height\":1.2,"
                                                                                      "\"bottom_height\":"
                                                                                      "0.2")) ",\"coverage"
                                                                                              "_areas\":[{"
                                                                                              "}],\"holes_"
                                                                                              "in_floor\":"
                                                                                              "[{},{}]}",
                 MATERIALS));
    assert_true(drawing.unit == 1);
    assert_int_equal(drawing.class_count, 4);
    const struct drawing_class *brick = &drawing.classes[0], *glass = &drawing.classes[1];
    assert_string_equal(brick->name, "Brick 24");
    assert_string_equal(brick->material, "brick");
    assert_int_equal(brick->use, CLASS_WALLS);
    assert_true(brick->thickness == 0.24 && brick->loss == 9 && brick->loss_at == 0);
    assert_true(brick->low == 0 && brick->high == 2.5 && brick->colour[0] == 0xac && brick->colour[1] == 0x74);
    assert_near(glass->loss, 2, 1e-12); /* 200 dB/m through 1 cm */
    assert_true(isnan(glass->high));
    assert_string_equal(drawing.classes[2].name, "drywall");
    assert_true(drawing.classes[2].high == 2.7 && drawing.classes[2].lines == 2);
    assert_string_equal(drawing.classes[3].name, "drywall from 0.2 to 1.2 m");
    assert_true(drawing.classes[3].low == 0.2 && drawing.classes[3].high == 1.2);
    assert_true(drawing.elements[3].width == 0.15);
    assert_true(drawing.points[3].x == 9 && drawing.points[3].y == 8.5);
    assert_true(drawing.pages[0].height == 2.7);
    assert_int_equal(omissions_of(&drawing, "areas of coverage"), 1);
    assert_int_equal(omissions_of(&drawing, "holes in floors"), 2);
    drawing_free(&drawing);
}

/* Walls in pixels of a plan that says how wide it is; in feet; and on one that says nothing. */
static void test_units(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made(
        "plan.json", DOCUMENT(PLAN("a", PIXELS "," METRES, WALL("w", "100", "200", "600", "200", "")) "}," PLAN(
                                  "a", FEET,
                                  WALL("w", "10", "10", "20", "10",
                                       "")) "}," PLAN("b", PIXELS,
                                                      WALL("w", "10", "10", "20", "10",
                                                           "")) "}," PLAN("c", METRES "," PIXELS,
                                                                          WALL("w", "10", "10", "20", "10", "")) "}",
                              ""));
    assert_int_equal(drawing.page_count, 4);
    assert_string_equal(drawing.pages[1].name, "a (2)");
    assert_near(drawing.pages[1].height, 3.048, 1e-12);
    assert_int_equal(drawing.element_count, 3);
    static const double WIDTHS[3][2] = {{2, 12}, {3.048, 6.096}, {10, 20}};
    for (size_t n = 0; n < 3; n++) {
        assert_near(drawing.points[2 * n].x, WIDTHS[n][0], 1e-12);
        assert_near(drawing.points[2 * n + 1].x, WIDTHS[n][1], 1e-12);
    }
    assert_int_equal(omissions_of(&drawing, "walls on a plan without a scale"), 1);
    drawing_free(&drawing);
    drawing = drawing_made("plan.json", DOCUMENT(PLAN("b", PIXELS, WALL("w", "10", "10", "20", "10", "")) "}", ""));
    assert_true(drawing.unit == 0 && drawing.points[1].x == 20);
    drawing_free(&drawing);
}

static void test_access_points(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made(
        "plan.json",
        DOCUMENT(PLAN("a", METRES "," PIXELS, "") "}",
                 ",\"accesspoints\":[{\"name\":\"one\",\"floorplan_name\":\"a\",\"azimuth\":90,\"dot11_radios\":["
                 "{\"id\":0,\"radio_function\":\"MONITORING\",\"band\":\"FREQ_5GHZ\"},"
                 "{\"id\":1,\"band\":\"FREQ_6GHZ\",\"channel\":5,\"transmit_power\":14,\"transmit_eirp\":17.5},"
                 "{\"id\":2,\"band\":\"FREQ_2.4GHZ\",\"channel\":1,\"transmit_power\":8}],"
                 "\"coordinates\":[{\"coordinate_xyz\":{\"x\":100,\"y\":50,\"z\":1,\"unit\":\"pixels\"}},"
                 "{\"coordinate_lat_long\":{\"latitude\":1,\"longitude\":2}},"
                 "{\"coordinate_xyz\":{\"x\":2.5,\"y\":1.5,\"z\":2.4,\"unit\":\"meters\"}}]},"
                 "{\"name\":\"two\",\"coordinate_xyz\":{\"x\":100,\"y\":50,\"z\":120,\"unit\":\"pixels\"}},"
                 "{\"name\":\"three\",\"floorplan_name\":\"elsewhere\"}]"));
    assert_int_equal(drawing.radio_count, 2);
    assert_int_equal(omissions_of(&drawing, "directions of antennas"), 1);
    const struct drawing_radio *one = &drawing.radios[0], *two = &drawing.radios[1];
    assert_string_equal(one->name, "one");
    assert_true(one->at.x == 2.5 && one->at.y == 1.5 && one->height == 2.4 && one->power == 17.5);
    assert_near(one->frequency, 5.975e9, 1);
    assert_near(two->at.x, 2, 1e-12);
    assert_true(isnan(two->height) && isnan(two->power) && isnan(two->frequency));
    assert_int_equal(omissions_of(&drawing, "further radios of access points"), 1);
    assert_int_equal(omissions_of(&drawing, "access points that are on no plan"), 1);
    drawing_free(&drawing);
}

static void test_bad_documents(void **state)
{
    (void)state;
    drawing_refused("bad.json", "{\"floorplans\":[]}", "floorplans has no floor plan");
    drawing_refused("bad.json", "{\"floorplans\":{}}", "floorplans is not a list");
    drawing_refused("bad.json", "{\"floorplans\":[{\"name\":\"a\"},7]}", "floorplans[1] is not an object");
    drawing_refused("bad.json", DOCUMENT(PLAN("a", METRES, WALL("w", "1", "\"2\"", "3", "4", "")) "}", ""),
                    "floorplans[0].wall_segments[0].start_point.y is not a number");
    drawing_refused("bad.json", DOCUMENT(PLAN("a", METRES, "{\"wall_type\":\"w\"}") "}", ""),
                    "floorplans[0].wall_segments[0].start_point has no x and y");
    drawing_refused("bad.json", DOCUMENT(PLAN("a", "{\"unit\":\"miles\"}", "") "}", ""),
                    "floorplans[0].dimensions[0].unit is none of meters, feet and pixels");
    drawing_refused("bad.json", DOCUMENT(PLAN("a", METRES, "") "}", ",\"wall_materials\":[[]]"),
                    "wall_materials[0] is not an object");
    drawing_refused("bad.json", "{\"floorplans\":\n\n[}", "line 3, column 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_access_points),
        cmocka_unit_test(test_bad_documents),
    };
    return cmocka_run_group_tests(tests, drawing_folder_make, drawing_folder_clear);
}
