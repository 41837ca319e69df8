/* GeoJSON: features become lines and areas of classes that a person recognises, degrees become metres (lengths of a
 * degree on the WGS 84 ellipsoid from tables), levels become pages, doors openings in their walls; and what is damaged
 * is told with file, line or path. Files are written here by hand, after RFC 7946 and Simple Indoor Tagging. */
#include "tests/drawing/drawing_file.h"

#include "drawing/json/feature/tangent_plane.h"

#define FEATURE(properties, geometry) "{\"type\":\"Feature\",\"properties\":" properties ",\"geometry\":" geometry "}"
#define COLLECTION(crs, features)     "{\"type\":\"FeatureCollection\"," crs "\"features\":[" features "]}"
#define LOCAL                         "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"local\"}},"
#define LINE(points)                  "{\"type\":\"LineString\",\"coordinates\":[" points "]}"
#define AREA(points)                  "{\"type\":\"Polygon\",\"coordinates\":[[" points "]]}"
#define POINT(point)                  "{\"type\":\"Point\",\"coordinates\":" point "}"

#define HOLED                                                                                                          \
    "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[1,1],[2,1],[2,2],[1,1]]],"                                         \
    "[[[3,1],[4,1],[4,3],[3,3],[3,1]],[[3.2,1.2],[3.4,1.2],[3.4,1.4],[3.2,1.2]]]]}"
#define ROOM                                                                                                           \
    FEATURE("{\"indoor\":\"wall\",\"material\":\"brick\",\"thickness\":0.24}", LINE("[0,0],[5,0],[5,4]"))              \
    "," FEATURE("{\"Layer\":\"A-FURN\"}", HOLED) "," FEATURE("null", "null") "," FEATURE("{\"amenity\":\"toilets\"}",  \
                                                                                         POINT("[1,1]"))

static void test_lines_and_areas(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made("plan.geojson", COLLECTION(LOCAL, ROOM));
    assert_int_equal(drawing.element_count, 3);
    assert_int_equal(drawing.page_count, 1);
    assert_true(drawing.unit == 1);
    assert_non_null(strstr(drawing.unit_from, "local"));
    const struct drawing_class *wall = class_get(&drawing, "indoor=wall material=brick");
    assert_int_equal(wall->use, CLASS_WALLS);
    assert_string_equal(wall->material, "brick");
    assert_int_equal(wall->lines, 1);
    assert_true(isnan(wall->low) && isnan(wall->high));
    const struct drawing_element *line = &drawing.elements[0];
    assert_int_equal(line->kind, ELEMENT_LINE);
    assert_true(line->width == 0.24);
    assert_int_equal(drawing.rings[line->first_ring].count, 3);
    assert_true(drawing.points[2].x == 5 && drawing.points[2].y == 4);
    const struct drawing_class *furniture = class_get(&drawing, "layer=A-FURN");
    assert_int_equal(furniture->use, CLASS_OPEN);
    assert_int_equal(furniture->areas, 2);
    assert_int_equal(drawing.elements[2].rings, 2); /* a hole */
    assert_int_equal(drawing.rings[drawing.elements[2].first_ring].count, 4);
    assert_int_equal(omissions_of(&drawing, "points"), 1);
    assert_int_equal(omissions_of(&drawing, "features without a place"), 1);
    drawing_free(&drawing);
}

#define CLOSED                                                                                                         \
    FEATURE("{\"indoor\":\"wall\"}", AREA("[0,0],[10,0],[10,8],[0,8],[0,0]"))                                          \
    "," FEATURE("{\"indoor\":\"wall\"}", AREA("[0,0],[10,0],[10,0.3],[0,0.3],[0,0]")) "," FEATURE(                     \
        "{\"indoor\":\"wall\",\"area\":\"yes\"}",                                                                      \
        AREA("[1,1],[4,1],[4,4],[1,4],[1,1]")) "," FEATURE("{\"indoor\":\"room\"}",                                    \
                                                           AREA("[0,0],[10,0],[10,8],[0,8],[0,0]"))

/* A closed wall that a program made an area is one around what it surrounds; a thin area is a wall drawn with its
 * thickness, and one that is said to be an area is filled. */
static void test_closed_walls(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made("closed.geojson", COLLECTION(LOCAL, CLOSED));
    static const enum element_kind KINDS[] = {ELEMENT_LINE, ELEMENT_AREA, ELEMENT_AREA, ELEMENT_AREA};
    assert_int_equal(drawing.element_count, 4);
    for (int e = 0; e < 4; e++) {
        assert_int_equal(drawing.elements[e].kind, KINDS[e]);
    }
    assert_int_equal(drawing.rings[drawing.elements[0].first_ring].count, 5); /* closed */
    drawing_free(&drawing);
}

/* Every kind of geometry, bare and in collections. */
static void test_bare_geometries(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made(
        "bare.json",
        "\xef\xbb\xbf{\"type\":\"GeometryCollection\",\"geometries\":[" LINE(
            "[200,0],[210,0]") ","
                               "{\"type\":\"MultiLineString\",\"coordinates\":[[[200,1],[210,1]],[[200,2],[210,2]]]},"
                               "{\"type\":\"MultiPoint\",\"coordinates\":[[200,3],[210,3,7]]},"
                               "{\"type\":\"GeometryCollection\",\"geometries\":[" AREA(
                                   "[200,4],[210,4],[210,9],[200,4]") "]}]}");
    assert_int_equal(drawing.element_count, 4);
    assert_int_equal(omissions_of(&drawing, "points"), 2);
    assert_string_equal(drawing.classes[0].name, "no class");
    assert_true(drawing.unit == 1); /* 210 degrees there are none */
    assert_non_null(strstr(drawing.unit_from, "too large for degrees"));
    drawing_free(&drawing);
    drawing = drawing_made("none.geojson", "{\"type\":\"Polygon\",\"coordinates\":[]}");
    assert_int_equal(drawing.element_count, 0); /* and no class that has it */
    assert_int_equal(drawing.classes[0].areas, 0);
    drawing_free(&drawing);
    drawing = drawing_made("one.geojson", LINE("[8.0,47.0],[8.001,47.0]"));
    assert_int_equal(drawing.element_count, 1);
    drawing_free(&drawing);
}

/* Length of a degree in m on the WGS 84 ellipsoid at latitudes 0, 15, ... 75 (table of the article "Geographic
 * coordinate system" of Wikipedia, in km to three digits): along the meridian, and along the parallel. */
static void test_degrees_become_metres(void **state)
{
    (void)state;
    static const double TABLE[][3] = {{0, 110.574, 111.320}, {15, 110.649, 107.551}, {30, 110.852, 96.486},
                                      {45, 111.132, 78.847}, {60, 111.412, 55.800},  {75, 111.618, 28.902}};
    for (size_t n = 0; n < sizeof TABLE / sizeof TABLE[0]; n++) {
        struct tangent_plane plane = tangent_plane_at(-71.3, TABLE[n][0]);
        struct drawing_point north = tangent_plane_point(&plane, -71.3, TABLE[n][0] + 0.001);
        struct drawing_point east = tangent_plane_point(&plane, -71.299, TABLE[n][0]);
        assert_near(north.y, TABLE[n][1], 0.0006);
        assert_near(north.x, 0, 1e-6);
        assert_near(east.x, TABLE[n][2], 0.0006);
        assert_near(east.y, 0, 0.003); /* a parallel curves */
    }
    struct drawing drawing =
        drawing_made("map.geojson", COLLECTION("", FEATURE("{}", LINE("[8.0,44.9995],[8.0,45.0005],[8.001,45.0005]"))));
    const struct drawing_point *points = drawing.points;
    assert_true(drawing.unit == 1);
    assert_string_equal(drawing.unit_from, "longitude and latitude");
    assert_near(hypot(points[1].x - points[0].x, points[1].y - points[0].y), 111.132, 0.0006);
    assert_near(hypot(points[2].x - points[1].x, points[2].y - points[1].y), 78.847, 0.002);
    assert_near(points[0].y + points[1].y, 0, 0.001); /* about the middle */
    drawing_free(&drawing);
}

/* The same line in the projection of web maps, whose metres are 1 / cos(latitude) too long; in UTM, whose are metres.
 */
static void test_reference_systems(void **state)
{
    (void)state;
    struct drawing drawing =
        drawing_made("web.geojson",
                     COLLECTION("\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"urn:ogc:def:crs:EPSG::3857\"}},",
                                FEATURE("{}", LINE("[1113194.9,8399737.9],[1113294.9,8399737.9]"))));
    /* 60 degrees north: radius of the parallel over the equator's is cos b / sqrt(1 - e^2 sin^2 b). */
    assert_near(hypot(drawing.points[1].x - drawing.points[0].x, drawing.points[1].y - drawing.points[0].y),
                100 * 0.5 / sqrt(1 - 0.00669437999 * 0.75), 1e-4);
    assert_true(drawing.unit == 1);
    drawing_free(&drawing);
    drawing =
        drawing_made("utm.geojson", COLLECTION("\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:25832\"}},",
                                               FEATURE("{}", LINE("[456000,5428000],[456010,5428000]"))));
    assert_true(drawing.points[0].x == 456000 && drawing.points[1].x == 456010);
    assert_non_null(strstr(drawing.unit_from, "EPSG:25832"));
    drawing_free(&drawing);
    /* Somebody's own metres, 12 by 8, without a word: no degrees of a floor, and no unit. */
    drawing = drawing_made("own.geojson", COLLECTION("", FEATURE("{}", LINE("[0,0],[12,0],[12,8]"))));
    assert_true(drawing.unit == 0 && drawing.points[1].x == 12);
    drawing_free(&drawing);
}

#define INDOOR                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               \
    COLLECTION(LOCAL, FEATURE(                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               \
                          "{\"building\":\"yes\",\"height\":\"12\"}", AREA(                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                          "[0,0],[20,0],[20,10],[0,10],[0,0]")) "," FEATURE("{\"indoor\":\"room\",\"level\":\"0;1\",\"name\":\"A\"}", AREA("[0,0],[5,0],[5,5],[0,5],[0,0]")) "," FEATURE("{\"indoor\":\"corridor\",\"level\":\"-1-2\"}", AREA("[5,0],[20,0],[20,2],[5,2],[5,0]")) "," FEATURE("{\"indoor\":\"wall\",\"level\":2,\"height\":\"2.1 m\",\"min_height\":0.5}", LINE("[6,3],[9,3]")) "," FEATURE("{\"indoor\":\"level\",\"level\":\"1\",\"height\":3.2}", AREA("[0,0],[20,0],[20,10],[0,0]")) "," FEATURE("{\"door\":\"hinged\",\"level\":\"0\",\"width\":\"1.2\"}", POINT("[2.5,5.1]")) "," FEATURE("{\"entrance\":\"main\",\"level\":\"0\"}",                                                                                                                                                                                                                   \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                POINT(                                                                                                                                                                                                                                                       \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "[20,8]")) "," FEATURE("{\"door\":\"yes\",\"level\":\"0\"}", POINT("[12,5]")) "," FEATURE("{\"highway\":\"footway\"}", LINE("[-3,0],[0,0]")) "," FEATURE("{\"type\":\"Access Point\",\"name\":\"ap 1\",\"level\":\"1\",\"height\":2.5,\"power_dbm\":20," \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             "\"frequency_hz\":5.2e9}",                                                                      \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             POINT(                                                                                          \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "[3,3]")))

static void test_indoor_levels(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made("indoor.geojson", INDOOR);
    assert_int_equal(drawing.page_count, 4);
    static const char *const PAGES[] = {"-1", "0", "1", "2"};
    for (int p = 0; p < 4; p++) {
        assert_string_equal(drawing.pages[p].name, PAGES[p]);
    }
    assert_true(drawing.pages[2].height == 3.2 && isnan(drawing.pages[1].height));
    const struct drawing_class *building = class_get(&drawing, "building=yes");
    assert_int_equal(building->areas, 4); /* of all levels */
    assert_int_equal(building->use, CLASS_OUTLINES);
    assert_true(isnan(building->high));
    assert_int_equal(class_get(&drawing, "indoor=room")->areas, 2);
    assert_int_equal(class_get(&drawing, "indoor=room")->use, CLASS_OUTLINES);
    assert_int_equal(class_get(&drawing, "indoor=corridor")->areas, 4);
    assert_int_equal(class_get(&drawing, "indoor=corridor")->use, CLASS_IGNORED);
    const struct drawing_class *wall = class_get(&drawing, "indoor=wall min_height=0.5 height=2.1");
    assert_true(wall->low == 0.5 && wall->high == 2.1);
    assert_int_equal(omissions_of(&drawing, "features that are on no level"), 1);
    drawing_free(&drawing);
}

#define HOUSE AREA("[0,0],[9,0],[9,8],[0,0]")

/* A map of equal houses, each with its own properties, and what becomes of each. */
struct house {
    const char *properties, *name;
    enum class_use use;
};

static void check_houses(const struct house *houses, size_t count)
{
    char features[8192];
    size_t used =
        (size_t)snprintf(features, sizeof features, "{\"type\":\"FeatureCollection\"," LOCAL "\"features\":[");
    for (size_t n = 0; n < count; n++) {
        used += (size_t)snprintf(features + used, sizeof features - used, "%s" FEATURE("{%s}", HOUSE), n > 0 ? "," : "",
                                 houses[n].properties);
    }
    snprintf(features + used, sizeof features - used, "]}");
    struct drawing drawing = drawing_made("houses.geojson", features);
    for (size_t n = 0; n < count; n++) {
        assert_int_equal(class_get(&drawing, houses[n].name)->use, houses[n].use);
    }
    drawing_free(&drawing);
}

/* What stands open is mapped as a building and has no walls; others of the same name have theirs. A part of a building
 * that begins above the ground has no walls on it. */
static void test_roofs_have_no_walls(void **state)
{
    (void)state;
    static const struct house HOUSES[] = {
        {"\"building\":\"roof\"", "building=roof", CLASS_IGNORED},
        {"\"building\":\"carport\"", "building=carport", CLASS_IGNORED},
        {"\"building:part\":\"roof\"", "building:part=roof", CLASS_IGNORED},
        {"\"building\":\"yes\"", "building=yes", CLASS_OUTLINES},
        {"\"building\":\"yes\",\"wall\":\"no\"", "building=yes wall=no", CLASS_IGNORED},
        {"\"indoor\":\"room\",\"wall\":false", "indoor=room wall=no", CLASS_IGNORED},
        {"\"building\":\"yes\",\"location\":\"underground\"", "building=yes location=underground", CLASS_IGNORED},
        {"\"building\":\"roof;yes\"", "building=roof;yes", CLASS_IGNORED},
        {"\"building\":\"tent\"", "building=tent", CLASS_IGNORED},
        {"\"building\":\"proposed\"", "building=proposed", CLASS_IGNORED},
        {"\"building\":\"yes\",\"parking\":\"carports\"", "building=yes parking=carports", CLASS_IGNORED},
        {"\"building:part\":\"yes\",\"min_height\":\"8\"", "building:part=yes min_height=8", CLASS_IGNORED},
        {"\"building\":\"yes\",\"building:min_level\":\"3\"", "building=yes building:min_level=3", CLASS_IGNORED},
        {"\"building:part\":\"yes\",\"min_level\":\"3\"", "building:part=yes min_level=3", CLASS_IGNORED},
        {"\"building:part\":\"yes\",\"min_level\":\"-1\"", "building:part=yes", CLASS_OUTLINES},
        {"\"building:part\":\"yes\",\"min_height\":\"0\"", "building:part=yes", CLASS_OUTLINES},
        {"\"building\":\"house\",\"building:min_level\":\"0\"", "building=house", CLASS_OUTLINES}};
    check_houses(HOUSES, sizeof HOUSES / sizeof HOUSES[0]);
}

static void test_doors_and_access_points(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made("indoor.geojson", INDOOR);
    assert_int_equal(class_get(&drawing, "door=hinged")->use, CLASS_OPENINGS);
    const struct drawing_element *doors = &drawing.elements[drawing.element_count - 2];
    assert_int_equal(doors->page, 1);
    const struct drawing_point *ends = drawing.points + drawing.rings[doors->first_ring].first;
    assert_near(fabs(ends[0].x - ends[1].x), 1.2, 1e-12); /* on the room's upper side */
    assert_near(ends[0].x + ends[1].x, 5, 1e-12);
    assert_true(ends[0].y == 5 && ends[1].y == 5);
    ends = drawing.points + drawing.rings[doors[1].first_ring].first; /* on the building's right side */
    assert_near(fabs(ends[0].y - ends[1].y), 0.9, 1e-12);
    assert_true(ends[0].x == 20 && ends[1].x == 20);
    assert_int_equal(omissions_of(&drawing, "doors that lie on no wall"), 1);
    assert_int_equal(drawing.radio_count, 1);
    const struct drawing_radio *radio = &drawing.radios[0];
    assert_string_equal(radio->name, "ap 1");
    assert_true(radio->page == 2 && radio->at.x == 3 && radio->height == 2.5 && radio->power == 20 &&
                radio->frequency == 5.2e9);
    drawing_free(&drawing);
}

static void test_level_lists(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made(
        "levels.geojson",
        COLLECTION(LOCAL, FEATURE("{\"level\":\" 3 ; 0.5;-2--1\",\"repeat_on\":\"10-11\"}",
                                  LINE("[0,0],[5,0]")) "," FEATURE("{\"level\":\"EG\"}", LINE("[0,0],[5,0]"))));
    static const char *const PAGES[] = {"-2", "-1", "0.5", "3", "10", "11", "EG"};
    assert_int_equal(drawing.page_count, 7);
    for (int p = 0; p < 7; p++) {
        assert_string_equal(drawing.pages[p].name, PAGES[p]);
    }
    assert_int_equal(drawing.element_count, 7);
    drawing_free(&drawing);
    drawing_refused("many.geojson", COLLECTION(LOCAL, FEATURE("{\"level\":\"0-150;1000-1150\"}", LINE("[0,0],[5,0]"))),
                    "more than 200 levels");
}

/* Names of classes stay whole letters on one line, whatever a file says. */
static void test_long_names(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made(
        "long.geojson",
        COLLECTION(LOCAL, FEATURE("{\"layer\":\"a\\nb\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                                  "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                                  "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                                  "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}",
                                  LINE("[0,0],[5,0]"))));
    const char *name = drawing.classes[0].name;
    assert_int_equal(strncmp(name, "layer=a b\xc3\xa4", 11), 0);
    assert_int_equal(strlen(name), 6 + 3 + 60); /* whole letters of two bytes, not 63 bytes */
    drawing_free(&drawing);
}

static void test_bad_files(void **state)
{
    (void)state;
    drawing_refused("bad.geojson", "{\"type\":\"FeatureCollection\",\n \"features\":[{]}", "line 2, column 15");
    drawing_refused("bad.geojson", "{\"type\":\"FeatureCollection\",\"features\":7}", "features is not a list");
    drawing_refused("bad.geojson", "{\"type\":\"FeatureCollection\",\"features\":[7]}", "features[0] is not an object");
    drawing_refused("bad.geojson", "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Wall\"}]}",
                    "features[0].type is not \"Feature\"");
    drawing_refused("bad.geojson", COLLECTION("", FEATURE("{}", "{\"type\":\"Circle\",\"coordinates\":[1,2]}")),
                    "features[0].geometry.type is none of the geometries");
    drawing_refused("bad.geojson", COLLECTION("", FEATURE("{}", LINE("[0,0],[1,\\\"2\\\"]"))), "line 1");
    drawing_refused("bad.geojson", COLLECTION("", FEATURE("{}", LINE("[0,0],[1]"))),
                    "features[0].geometry.coordinates[1] is not a list of two numbers");
    drawing_refused("bad.geojson", COLLECTION("", FEATURE("{}", AREA("[0,0],7"))),
                    "features[0].geometry.coordinates[0][1] is not a list of two numbers");
    drawing_refused("bad.geojson", COLLECTION("", FEATURE("{}", POINT("[1e999,0]"))), "line 1");
    drawing_refused("bad.geojson", COLLECTION("\"crs\":7,", FEATURE("{}", POINT("[1,0]"))), "crs is not an object");
    drawing_refused("bad.geojson", "{}", "type is none of the geometries");
    drawing_refused("bad.geojson", "[1, 2]", "is not a");
    char *deep = malloc(400001);
    assert_non_null(deep);
    memset(deep, '[', 400000);
    memcpy(deep, "{\"coordinates\":", 15);
    deep[400000] = '\0';
    drawing_refused("deep.geojson", deep, "more than 64 deep");
    free(deep);
}

/* A text of a few megabytes that would take gigabytes in memory is refused before. */
static void test_bombs(void **state)
{
    (void)state;
    size_t size = 12000000;
    char *bomb = malloc(size + 1);
    assert_non_null(bomb);
    for (size_t n = 0; n < size; n += 3) {
        memcpy(bomb + n, "{},", 3);
    }
    memcpy(bomb, "{\"features\":[", 13);
    bomb[size] = '\0';
    drawing_refused("bomb.geojson", bomb, "too large");
    free(bomb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_and_areas),     cmocka_unit_test(test_closed_walls),
        cmocka_unit_test(test_bare_geometries),     cmocka_unit_test(test_degrees_become_metres),
        cmocka_unit_test(test_reference_systems),   cmocka_unit_test(test_indoor_levels),
        cmocka_unit_test(test_roofs_have_no_walls), cmocka_unit_test(test_doors_and_access_points),
        cmocka_unit_test(test_level_lists),         cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_bad_files),           cmocka_unit_test(test_bombs),
    };
    return cmocka_run_group_tests(tests, drawing_folder_make, drawing_folder_clear);
}
