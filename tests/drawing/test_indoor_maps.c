/* Indoor maps: IMDF archives (written here after OGC 20-094) and OpenStreetMap's XML with Simple Indoor Tagging become
 * pages, rooms, walls and openings in metres; archives and files that are not right are refused by name. */
#include "tests/drawing/drawing_zip.h"

/* 48 degrees north: 111.2 km and 74.6 km to a degree, so that 1e-5 degrees are 1.112 m north and 0.746 m east. */
#define SQUARE "[[[11.0,48.0],[11.0001,48.0],[11.0001,48.0001],[11.0,48.0001],[11.0,48.0]]]"
#define LEVEL(id, ordinal, name)                                                                                       \
    "{\"id\":\"" id "\",\"type\":\"Feature\",\"feature_type\":\"level\",\"geometry\":{\"type\":\"Polygon\","           \
    "\"coordinates\":" SQUARE "},\"properties\":{\"category\":\"unspecified\",\"ordinal\":" ordinal                    \
    ",\"name\":{\"en\":\"Level " name "\"},\"short_name\":{\"en\":\"" name "\"}}}"
#define UNIT(category, level)                                                                                          \
    "{\"id\":\"u\",\"type\":\"Feature\",\"feature_type\":\"unit\",\"geometry\":{\"type\":\"Polygon\","                 \
    "\"coordinates\":" SQUARE "},\"properties\":{\"category\":\"" category "\",\"level_id\":\"" level                  \
    "\",\"name\":null}}"
#define LIST(features) "{\"type\":\"FeatureCollection\",\"features\":[" features "]}"

static const struct zip_text VENUE[] = {
    {"manifest.json", "{\"version\":\"1.0.0\",\"language\":\"en\"}"},
    {"level.geojson", LIST(LEVEL("l1", "1", "U") "," LEVEL("l0", "0", "G") "," LEVEL("l2", "1", "U"))},
    {"unit.geojson",
     LIST(UNIT("room", "l0") "," UNIT("walkway", "l0") "," UNIT("brick", "l1") "," UNIT("room", "nowhere"))},
    {"fixture.geojson", LIST("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":" SQUARE
                             "},\"properties\":{\"category\":\"wall\",\"level_id\":\"l0\"}}")},
    {"opening.geojson",
     LIST(
         "{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[11.00002,48.0],[11.00003,48.0]]"
         "},\"properties\":{\"category\":\"pedestrian\",\"level_id\":\"l0\",\"door\":{\"type\":\"door\",\"material\":"
         "\"glass\"}}}")},
    {NULL, NULL}};

static void test_imdf(void **state)
{
    (void)state;
    struct drawing drawing = drawing_zipped("venue.zip", VENUE);
    assert_true(drawing.unit == 1);
    assert_int_equal(drawing.page_count, 3);
    assert_string_equal(drawing.pages[0].name, "G");
    assert_string_equal(drawing.pages[1].name, "U");
    assert_string_equal(drawing.pages[2].name, "U (2)"); /* of another building */
    static const struct {
        const char *name, *material;
        enum class_use use;
    } CLASSES[] = {{"unit=room", "", CLASS_OUTLINES},
                   {"unit=walkway", "", CLASS_IGNORED},
                   {"unit=brick", "brick", CLASS_WALLS},
                   {"fixture=wall", "", CLASS_WALLS},
                   {"opening=pedestrian material=glass", "glass", CLASS_OPENINGS}};
    assert_int_equal(drawing.class_count, 5);
    assert_int_equal(drawing.element_count, 5);
    for (int c = 0; c < 5; c++) {
        assert_string_equal(drawing.classes[c].name, CLASSES[c].name);
        assert_string_equal(drawing.classes[c].material, CLASSES[c].material);
        assert_int_equal(drawing.classes[c].use, CLASSES[c].use);
        assert_int_equal(drawing.elements[c].page, c == 2);
    }
    struct drawing_point low, high;
    drawing_element_box(&drawing, &drawing.elements[0], &low, &high);
    assert_near(high.x - low.x, 7.463, 0.003); /* cos(48 deg) of 111.32 km, on the ellipsoid 74.63 km to a degree */
    assert_near(high.y - low.y, 11.120, 0.003);
    assert_int_equal(omissions_of(&drawing, "features that are on no level"), 1);
    drawing_free(&drawing);
}

static void test_bad_imdf(void **state)
{
    (void)state;
    static const struct zip_text NO_LEVELS[] = {{"unit.geojson", LIST(UNIT("room", "l0"))}, {NULL, NULL}};
    zip_refused("bad.zip", NO_LEVELS, "has no levels");
    static const struct zip_text BAD_LEVEL[] = {{"level.geojson", LIST("{\"properties\":{\"ordinal\":\"one\"}}")},
                                                {NULL, NULL}};
    zip_refused("bad.zip", BAD_LEVEL, "features[0].properties.ordinal is not a number");
    static const struct zip_text BAD_UNIT[] = {
        {"level.geojson", LIST(LEVEL("l0", "0", "G"))}, {"unit.geojson", LIST("{\"properties\":[]}")}, {NULL, NULL}};
    zip_refused("bad.zip", BAD_UNIT, "unit.geojson in '");
    zip_refused("bad.zip", BAD_UNIT, "features[0].properties is not an object");
}

#define NODE(id, lat, lon) "<node id='" id "' lat='" lat "' lon='" lon "'/>\n"
#define TAG(key, value)    "<tag k='" key "' v='" value "'/>"
#define ND(id)             "<nd ref='" id "'/>"
#define WAY(id, nodes)     "<way id='" id "'>" nodes "</way>\n"
#define MEMBER(id)         "<member type='way' ref='" id "' role='outer'/>"
#define OSM(content)       "<?xml version='1.0' encoding='UTF-8'?>\n<osm version='0.6'>\n" content "</osm>\n"
#define CORNERS                                                                                                        \
    NODE("1", "48.0", "11.0")                                                                                          \
    NODE("2", "48.0", "11.0001")                                                                                       \
    NODE("3", "48.0001", "11.0001") NODE("4", "48.0001", "11.0") NODE("5", "48.00005", "11.0")
#define RING ND("1") ND("2") ND("3") ND("4") ND("1")

static void test_osm(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made(
        "house.osm",
        OSM(CORNERS "<node id='6' lat='48.00003' lon='11.0'>" TAG("door", "yes") TAG("level", "0") TAG(
            "width",
            "1.1") "</node>\n"
                   "<node id='7' lat='48.00003' lon='11.0'>" TAG(
                       "amenity",
                       "toilets") "</node>\n"
                                  "<node id='8' action='delete' lat='0' lon='0'/>\n" WAY(
                                      "10", RING TAG("indoor", "room") TAG("level", "0") TAG("material", "brick"))
                                      WAY("11", RING TAG("indoor", "wall") TAG("level", "0;1"))
                                          WAY("12", ND("1") ND("3") TAG("indoor", "wall") TAG("level", "1"))
                                              WAY("13", ND("1") ND("3") TAG("highway", "footway")) WAY(
                                                  "14", ND("1") ND("99") TAG("indoor", "wall")
                                                            TAG("level", "0")) WAY("20", ND("1") ND("2") ND("3"))
                                                  WAY("21", ND("1") ND("4") ND("3")) "<relation id='30'>" MEMBER("20")
                                                      MEMBER("21") TAG("type", "multipolygon")
                                                          TAG("building", "yes") "</relation>\n"
                                                                                 "<relation id='31'>" MEMBER("20")
                                                                                     TAG("type", "multipolygon")
                                                                                         TAG("building",
                                                                                             "yes") "</relation>\n"));
    assert_int_equal(drawing.page_count, 2);
    assert_int_equal(drawing.element_count, 7); /* room, wall twice, wall, building twice, door */
    assert_int_equal(class_get(&drawing, "indoor=room material=brick")->areas, 1);
    assert_int_equal(drawing.elements[0].kind, ELEMENT_AREA);
    assert_int_equal(drawing.elements[1].kind, ELEMENT_LINE); /* closed, and yet a wall */
    assert_int_equal(drawing.rings[drawing.elements[1].first_ring].count, 5);
    const struct drawing_element *building = &drawing.elements[4], *door = &drawing.elements[6];
    assert_int_equal(building->kind, ELEMENT_AREA);
    assert_int_equal(drawing.rings[building->first_ring].count, 4); /* of two ways, one turned around */
    assert_string_equal(drawing.classes[door->class_index].name, "door=yes");
    const struct drawing_point *ends = drawing.points + drawing.rings[door->first_ring].first;
    assert_near(hypot(ends[1].x - ends[0].x, ends[1].y - ends[0].y), 1.1, 1e-9);
    assert_int_equal(omissions_of(&drawing, "points"), 1);
    assert_int_equal(omissions_of(&drawing, "ways that are no part of a building"), 1);
    assert_int_equal(omissions_of(&drawing, "ways whose nodes are not in the file"), 1);
    assert_int_equal(omissions_of(&drawing, "multipolygons whose rings do not close"), 1);
    drawing_free(&drawing);
}

static void test_bad_osm(void **state)
{
    (void)state;
    drawing_refused("bad.osm", "<osm>\n<node id='1' lat='48' lon='11'>\n</osm>", "line 3, column");
    drawing_refused("bad.osm", OSM("<node id='1' lat='x' lon='11'/>"), "line 3: a node has no lon and lat");
    drawing_refused("bad.osm", OSM("<node id='1' lat='nan' lon='11'/>"), "line 3: a node has no lon and lat");
    drawing_refused("bad.osm",
                    "<!DOCTYPE osm [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]><osm><node id='&b;'/></osm>",
                    "a map with entities is not read");
    drawing_refused("cut.osm", "<osm version='0.6'><node", "unclosed token");
}

/* A long way that many relations name again and again does not take memory and time without end. */
static void test_many_rings(void **state)
{
    (void)state;
    enum { NODES = 20000, MEMBERS = 400 };
    size_t size = (size_t)NODES * 80 + (size_t)MEMBERS * 40 + 1000, used = 0;
    char *text = malloc(size);
    assert_non_null(text);
    used += (size_t)snprintf(text, size, "<osm>");
    for (int n = 0; n < NODES; n++) {
        used += (size_t)snprintf(text + used, size - used, "<node id='%d' lat='%.7f' lon='11'/>", n, 48 + 1e-7 * n);
    }
    used += (size_t)snprintf(text + used, size - used, "<way id='1'>");
    for (int n = 0; n <= NODES; n++) {
        used += (size_t)snprintf(text + used, size - used, "<nd ref='%d'/>", n % NODES);
    }
    used += (size_t)snprintf(text + used, size - used, "</way><relation id='1'>");
    for (int n = 0; n < MEMBERS; n++) {
        used += (size_t)snprintf(text + used, size - used, "<member type='way' ref='1'/>");
    }
    (void)snprintf(text + used, size - used, "%s%s</relation></osm>", TAG("type", "multipolygon"),
                   TAG("indoor", "room"));
    drawing_refused("rings.osm", text, "the ways of relations have more than");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_imdf),    cmocka_unit_test(test_bad_imdf),   cmocka_unit_test(test_osm),
        cmocka_unit_test(test_bad_osm), cmocka_unit_test(test_many_rings),
    };
    return cmocka_run_group_tests(tests, drawing_folder_make, drawing_folder_clear);
}
