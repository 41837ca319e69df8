/* Projects of Ekahau: walls by type with thickness, loss and heights, floors in metres with y upwards, access points
 * with their radios; and archives that are damaged, hostile or incomplete. The archives are written here by libzip,
 * their members after what other programs' documentation shows of them (format_esx.c). */
#include "tests/drawing/drawing_zip.h"

#define FLOORS                                                                                                         \
    "{\"floorPlans\":[{\"name\":\"Ground\",\"width\":1000.0,\"height\":800.0,\"metersPerUnit\":0.02,"                  \
    "\"imageId\":\"img\",\"id\":\"f0\",\"status\":\"CREATED\"},"                                                       \
    "{\"name\":\"Upper\",\"width\":500,\"height\":400,\"metersPerUnit\":0.05,\"id\":\"f1\"}]}"
#define BUILDING                                                                                                       \
    "{\"buildingFloors\":[{\"floorPlanId\":\"f1\",\"buildingId\":\"b\",\"floorNumber\":2,\"height\":2.4,"              \
    "\"thickness\":0.3},{\"floorPlanId\":\"f0\",\"buildingId\":\"b\",\"floorNumber\":1,\"height\":2.5,"                \
    "\"thickness\":0.5}]}"
#define BAND(name, factor)                                                                                             \
    "{\"band\":\"" name "\",\"attenuationFactor\":" factor ",\"reflectionCoefficient\":0.5,"                           \
    "\"diffractionCoefficient\":17.0}"
#define TYPES                                                                                                          \
    "{\"wallTypes\":[{\"name\":\"Wall, Concrete\",\"key\":\"Concrete\",\"color\":\"#8E8E8E\","                         \
    "\"propagationProperties\":[" BAND("FIVE", "24.0") "," BAND(                                                       \
        "TWO", "24.0") "],"                                                                                            \
                       "\"thickness\":0.5,\"lowerEdge\":0.0,\"id\":\"c\"},"                                            \
                       "{\"name\":\"Window, "                                                                          \
                       "Thick\",\"key\":\"ThickWindow\",\"color\":\"#ADE1FF\",\"propagationProperties\":[" BAND(       \
                           "TWO",                                                                                      \
                           "200.0") "," BAND("SIX",                                                                    \
                                             "300.0") "],"                                                             \
                                                      "\"thickness\":0.015,\"lowerEdge\":0.9,\"upperEdge\":2.1,"       \
                                                      "\"id\":\"w\"},"                                                 \
                                                      "{\"name\":\"Never drawn\",\"thickness\":0.1,\"id\":\"n\"}]}"
#define AT(floor, x, y)        "{\"floorPlanId\":\"" floor "\",\"coord\":{\"x\":" x ",\"y\":" y "}}"
#define POINT(id, floor, x, y) "{\"location\":" AT(floor, x, y) ",\"id\":\"" id "\"}"
#define POINTS                                                                                                         \
    "{\"wallPoints\":[" POINT("a", "f0", "100", "700") "," POINT("b", "f0", "600", "700") "," POINT(                   \
        "c", "f0", "600", "200.5") "," POINT("d", "f1", "100", "300") "," POINT("e", "f1", "100", "100") "]}"
#define WALL(a, b, type)                                                                                               \
    "{\"wallPoints\":[\"" a "\",\"" b "\"],\"wallTypeId\":\"" type "\",\"originType\":\"WALL_TOOL\"}"
#define WALLS                                                                                                          \
    "{\"wallSegments\":[" WALL("a", "b", "c") "," WALL("b", "c", "w") "," WALL("d", "e", "c") "," WALL(                \
        "a", "d", "c") "," WALL("a", "nobody", "c") "," WALL("b", "a", "gone") "]}"
#define ACCESS_POINTS                                                                                                  \
    "{\"accessPoints\":[{\"name\":\"AP-1\",\"location\":" AT(                                                          \
        "f0", "500", "400") ",\"id\":\"ap1\"},"                                                                        \
                            "{\"name\":\"AP-2\",\"location\":" AT(                                                     \
                                "f1", "20", "30") ",\"id\":\"ap2\"},"                                                  \
                                                  "{\"name\":\"found in a survey\",\"id\":\"ap3\"}]}"
#define RADIOS                                                                                                         \
    "{\"simulatedRadios\":[{\"accessPointId\":\"ap1\",\"transmitPower\":0.0,\"antennaHeight\":2.4,"                    \
    "\"radioTechnology\":\"BLUETOOTH\",\"enabled\":true,\"id\":\"r0\"},"                                               \
    "{\"accessPointId\":\"ap1\",\"transmitPower\":8.5,\"channel\":[11],\"antennaHeight\":2.4,\"antennaTypeId\":\"t\"," \
    "\"antennaDirection\":0,\"antennaTilt\":-10,"                                                                      \
    "\"radioTechnology\":\"IEEE802_11\",\"enabled\":true,\"id\":\"r1\"},"                                              \
    "{\"accessPointId\":\"ap1\",\"transmitPower\":14,\"channel\":[36],\"radioTechnology\":\"IEEE802_11\"},"            \
    "{\"accessPointId\":\"ap2\",\"transmitPower\":17,\"enabled\":false},"                                              \
    "{\"accessPointId\":\"ap2\",\"transmitPower\":16,\"channelByCenterFrequencyDefinedNarrowChannels\":[5180,5200]}]}"

static const struct zip_text PROJECT[] = {
    {"floorPlans.json", FLOORS},      {"buildingFloors.json", BUILDING}, {"wallTypes.json", TYPES},
    {"wallPoints.json", POINTS},      {"wallSegments.json", WALLS},      {"accessPoints.json", ACCESS_POINTS},
    {"simulatedRadios.json", RADIOS}, {"image-img", "no picture"},       {NULL, NULL}};

static void test_walls(void **state)
{
    (void)state;
    struct drawing drawing = drawing_zipped("plan.esx", PROJECT);
    assert_true(drawing.unit == 1);
    assert_int_equal(drawing.element_count, 4);
    assert_int_equal(drawing.class_count, 3); /* what nothing is drawn with is none */
    const struct drawing_class *concrete = &drawing.classes[0], *window = &drawing.classes[1];
    assert_string_equal(concrete->name, "Wall, Concrete");
    assert_string_equal(concrete->material, "Concrete");
    assert_int_equal(concrete->use, CLASS_WALLS);
    assert_near(concrete->loss, 12, 1e-12); /* 24 dB/m through 0.5 m */
    assert_near(concrete->loss_at, 2.44e9, 1);
    assert_true(concrete->thickness == 0.5 && concrete->low == 0 && isnan(concrete->high));
    assert_true(concrete->colour[0] == 0x8e && concrete->colour[2] == 0x8e);
    assert_near(window->loss, 3, 1e-12);
    assert_true(window->low == 0.9 && window->high == 2.1);
    assert_int_equal(omissions_of(&drawing, "losses of types of walls in higher bands"), 1);
    assert_string_equal(drawing.classes[2].name, "no type of wall");
    static const double ENDS[4][4] = {
        {2, 2, 12, 2}, {12, 2, 12, 11.99}, {5, 5, 5, 15}, {12, 2, 2, 2}}; /* m, y from the plan's lower edge */
    for (size_t n = 0; n < 4; n++) {
        const struct drawing_point *ends = drawing.points + drawing.rings[drawing.elements[n].first_ring].first;
        assert_near(ends[0].x, ENDS[n][0], 1e-12);
        assert_near(ends[0].y, ENDS[n][1], 1e-12);
        assert_near(ends[1].x, ENDS[n][2], 1e-12);
        assert_near(ends[1].y, ENDS[n][3], 1e-12);
        assert_int_equal(drawing.elements[n].page, n == 2);
    }
    assert_true(drawing.elements[1].width == 0.015);
    assert_int_equal(omissions_of(&drawing, "walls without two ends on a plan that has a scale"), 2);
    assert_int_equal(omissions_of(&drawing, "pictures of floors"), 1);
    drawing_free(&drawing);
}

static void test_floors_and_access_points(void **state)
{
    (void)state;
    struct drawing drawing = drawing_zipped("plan.esx", PROJECT);
    assert_int_equal(drawing.page_count, 2);
    assert_string_equal(drawing.pages[0].name, "Ground");
    assert_true(drawing.pages[0].height == 2.5 && drawing.pages[0].elevation == 0);
    assert_true(drawing.pages[1].height == 2.4 && drawing.pages[1].elevation == 3);
    assert_int_equal(drawing.radio_count, 2);
    const struct drawing_radio *first = &drawing.radios[0], *second = &drawing.radios[1];
    assert_string_equal(first->name, "AP-1");
    assert_near(first->at.x, 10, 1e-12);
    assert_near(first->at.y, 8, 1e-12);
    assert_true(first->page == 0 && first->height == 2.4 && first->power == 8.5);
    assert_near(first->frequency, 2.462e9, 1); /* channel 11 */
    assert_true(second->page == 1 && isnan(second->height) && second->power == 16);
    assert_near(second->frequency, 5.19e9, 1);
    assert_int_equal(omissions_of(&drawing, "further radios of access points"), 1);
    assert_int_equal(omissions_of(&drawing, "types of antennas"), 1);
    assert_int_equal(omissions_of(&drawing, "tilts of antennas"), 1);
    assert_int_equal(omissions_of(&drawing, "directions of antennas"), 0); /* to the north */
    assert_int_equal(omissions_of(&drawing, "coefficients of reflection"), 2);
    assert_int_equal(omissions_of(&drawing, "access points that are on no plan"), 1);
    drawing_free(&drawing);
}

/* Projects that lack most members are read as far as they go; without a scale in units of the picture. */
static void test_incomplete(void **state)
{
    (void)state;
    static const struct zip_text BARE[] = {
        {"project/floorPlans.json", "{\"floorPlans\":[{\"id\":\"f0\",\"height\":100},{\"id\":\"f2\"}]}"},
        {"project/wallPoints.json",
         "{\"wallPoints\":[" POINT("a", "f0", "10", "70") "," POINT("b", "f0", "60", "70") "]}"},
        {"project/wallSegments.json", "{\"wallSegments\":[{\"wallPoints\":[{\"id\":\"a\"},{\"id\":\"b\"}]}]}"},
        {NULL, NULL}};
    struct drawing drawing = drawing_zipped("renamed.zip", BARE);
    assert_true(drawing.unit == 0 && drawing.element_count == 1);
    assert_true(drawing.points[0].x == 10 && drawing.points[0].y == 30 && drawing.elements[0].width == 0);
    assert_string_equal(drawing.pages[1].name, "floor (2)");
    drawing_free(&drawing);
}

static void test_bad_projects(void **state)
{
    (void)state;
    static const struct zip_text EMPTY[] = {{"version", "2.0"}, {NULL, NULL}};
    zip_refused("empty.esx", EMPTY, "no floorPlans.json");
    static const struct zip_text SYNTAX[] = {{"floorPlans.json", "{\"floorPlans\":\n[}"}, {NULL, NULL}};
    zip_refused("bad.esx", SYNTAX, "floorPlans.json in '");
    zip_refused("bad.esx", SYNTAX, "line 2, column 2");
    static const struct zip_text TYPE[] = {{"floorPlans.json", "{\"floorPlans\":[{\"id\":\"f\",\"height\":\"10\"}]}"},
                                           {NULL, NULL}};
    zip_refused("bad.esx", TYPE, "floorPlans[0].height is not a number");
    static const struct zip_text PLACE[] = {
        {"floorPlans.json", FLOORS},
        {"wallPoints.json", "{\"wallPoints\":[{\"id\":\"a\",\"location\":{\"coord\":[1,2]}}]}"},
        {"wallSegments.json", "{\"wallSegments\":[" WALL("a", "a", "c") "]}"},
        {NULL, NULL}};
    zip_refused("bad.esx", PLACE, "wallPoints[0].location.coord is not an object");
    static const struct zip_text NONE[] = {{"floorPlans.json", "{}"}, {NULL, NULL}};
    zip_refused("bad.esx", NONE, "there are no floor plans");
    drawing_refused("cut.esx", "PK\3\4 and nothing more", "zip archive");
    drawing_refused("no.zip", "PK\3\4 and nothing more", "is not a");
}

/* A few kilobytes that unpack to 80 MB; and an archive whose bytes are damaged. */
static void test_hostile_archives(void **state)
{
    (void)state;
    size_t size = (size_t)80 << 20;
    char *blanks = malloc(size + 1);
    assert_non_null(blanks);
    memset(blanks, ' ', size);
    blanks[size] = '\0';
    const struct zip_text bomb[] = {{"floorPlans.json", blanks}, {NULL, NULL}};
    zip_refused("bomb.esx", bomb, "unpacks to more than 64 MiB");
    free(blanks);
    char path[256];
    zip_write("damaged.esx", PROJECT, path);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 60, SEEK_SET), 0);
    assert_true(fputs("damage", file) >= 0);
    assert_int_equal(fclose(file), 0);
    drawing_not_taken(path, "is damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_floors_and_access_points),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_bad_projects),
        cmocka_unit_test(test_hostile_archives),
    };
    return cmocka_run_group_tests(tests, drawing_folder_make, drawing_folder_clear);
}
