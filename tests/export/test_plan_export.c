/* Export of plans: what is written is read back by the formats of drawings and has walls where the plan has them, doors
 * and windows cut out; heights, storeys and access points come back; what a format cannot hold is refused or told. */
#include "tests/drawing/drawing_file.h"

#include "import/planwave_import.h"
#include "plan/floorplan.h"
#include "scenario/scenario.h"

#define BAND "\nband: {centre: 2.412 GHz, width: 100 MHz}\n"
/* Outer walls as rectangles, an oblique one, glass, a door through the oblique wall and one through an outer wall.
 */
static const char FLAT[] =
    "title: A flat\nplan:\n  size: [10 m, 8 m]\n  rectangles:\n"
    "    - {from: [1 m, 1 m], to: [9 m, 1.24 m], material: brick}\n"
    "    - {from: [1 m, 6.76 m], to: [9 m, 7 m], material: brick}\n"
    "    - {from: [1 m, 1 m], to: [1.24 m, 7 m], material: brick}\n"
    "    - {from: [8.76 m, 1 m], to: [9 m, 7 m], material: brick}\n"
    "  walls:\n"
    "    - {from: [4 m, 1.2 m], to: [5.5 m, 6.8 m], thickness: 10 cm, material: plasterboard}\n"
    "    - {from: [6 m, 4 m], to: [8 m, 4 m], thickness: 2 cm, material: glass}\n"
    "  openings:\n"
    "    - {from: [4.4 m, 3 m], to: [5 m, 3.9 m]}\n"
    "    - {from: [6 m, 0.9 m], to: [7.5 m, 1.3 m]}\n" BAND
    "transmitters:\n  - {name: ap1, at: [2.5 m, 3.5 m], power: 17 dBm}\n  - {name: ap 2, at: [7 m, 5 m]}\n";

static const char HOUSE[] =
    "dimensions: 3\nplan:\n  size: [10 m, 8 m]\n"
    "  rectangles: [{from: [1 m, 1 m], to: [1.3 m, 7 m], material: concrete}]\n"
    "  storeys:\n"
    "    - name: ground\n      height: 2.5 m\n      floor: {material: concrete, thickness: 20 cm}\n"
    "      walls: [{from: [2 m, 2 m], to: [8 m, 2 m], thickness: 20 cm, material: brick}]\n"
    "      openings:\n"
    "        - {from: [4 m, 1.8 m], to: [5 m, 2.2 m], sill: 0.9 m, head: 2.1 m}\n"
    "        - {from: [4 m, 1.99 m], to: [5 m, 2.01 m], sill: 0.9 m, head: 2.1 m, material: glass}\n"
    "        - {from: [6 m, 1.8 m], to: [7 m, 2.2 m], head: 2 m}\n"
    "    - name: upper\n      height: 2.3 m\n      floor: {material: concrete, thickness: 30 cm}\n"
    "      walls: [{from: [2 m, 5 m], to: [8 m, 5 m], thickness: 10 cm, material: wood}]\n" BAND
    "transmitters:\n  - {name: up, at: [3 m, 3 m, 4.3 m]}\n";

static pw_scenario *scenario_made(const char *text)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("test", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static void export_to(const pw_scenario *scenario, const char *storey, const char *name, char path[256])
{
    pw_error error = {""};
    drawing_file_path(name, path);
    if (pw_plan_export(scenario, storey, path, NULL, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

/* ---- what is where in a drawing ---- */

static double line_distance(struct drawing_point a, struct drawing_point b, double x, double y, bool *beside)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    double along = ((x - a.x) * dx + (y - a.y) * dy) / length;
    *beside = along > 0 && along < length;
    return fabs((x - a.x) * dy - (y - a.y) * dx) / length;
}

static bool area_holds(const struct drawing *drawing, const struct drawing_element *element, double x, double y)
{
    bool inside = false;
    const struct drawing_ring *ring = &drawing->rings[element->first_ring];
    const struct drawing_point *points = drawing->points + ring->first;
    for (size_t n = 0, last = ring->count - 1; n < ring->count; last = n++) {
        if ((points[n].y > y) != (points[last].y > y) &&
            x < points[n].x + (y - points[n].y) * (points[last].x - points[n].x) / (points[last].y - points[n].y)) {
            inside = !inside;
        }
    }
    return inside;
}

/* The class that lies at a point, "" where none does: the last that was drawn, opened where an opening is. */
static const char *class_at(const struct drawing *drawing, double x, double y)
{
    const char *found = "";
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        const char *name = drawing->classes[element->class_index].name;
        bool here = false;
        if (element->kind == ELEMENT_LINE) {
            const struct drawing_point *ends = drawing->points + drawing->rings[element->first_ring].first;
            here = line_distance(ends[0], ends[1], x, y, &here) < element->width / 2 && here;
        } else {
            here = area_holds(drawing, element, x, y);
        }
        if (here && strcmp(name, "indoor=area") != 0) {
            found = strcmp(name, "opening") == 0 || strcmp(name, "indoor=opening") == 0 ? "" : name;
        }
    }
    return found;
}

/* At points of a grid that lie on no face the drawing has a wall of a material where the plan has it, at all but a
 * few. */
static void check_same_walls(const pw_scenario *scenario, const struct drawing *drawing, size_t few)
{
    struct floorplan plan = {0};
    pw_notes warnings = {0};
    pw_error error = {""};
    assert_int_equal(floorplan_create(scenario, false, &warnings, &plan, &error), PW_OK);
    size_t walls = 0, others = 0;
    for (double y = 0.0137; y < 8; y += 0.0371) {
        for (double x = 0.0113; x < 10; x += 0.0371) {
            uint16_t material = floorplan_material_at(&plan, x, y);
            const char *wanted = plan.materials[material].name, *found = class_at(drawing, x, y);
            walls += material != 0;
            others += material == 0 ? found[0] != '\0' : strstr(found, wanted) == NULL;
            if (others > few) {
                fail_msg("at %g, %g there is '%s' in place of '%s'", x, y, found, wanted);
            }
        }
    }
    assert_true(walls > 3000);
    floorplan_free(&plan);
    warnings_free(&warnings);
}

static void test_walls_come_back(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"flat.geojson", "flat.openintent.json", "flat.svg"};
    pw_scenario *scenario = scenario_made(FLAT);
    for (int n = 0; n < 3; n++) {
        char path[256];
        export_to(scenario, NULL, NAMES[n], path);
        struct drawing drawing = drawing_taken(path);
        /* Straight walls end at right angles, which the door through the oblique wall does not: 15 degrees off, over
         * half of 10 cm, are four triangles of 3 cm2. */
        check_same_walls(scenario, &drawing, n == 1 ? 4 : 0);
        if (n < 2) {
            assert_true(drawing.unit == 1);
            assert_int_equal(drawing.radio_count, 2);
            assert_string_equal(drawing.radios[0].name, "ap1");
            assert_true(drawing.radios[0].at.x == 2.5 && drawing.radios[0].power == 17);
            assert_near(drawing.radios[0].frequency, 2.412e9, 1);
        }
        drawing_free(&drawing);
    }
    pw_scenario_free(scenario);
}

/* The flat as programs that plan networks keep it (floorplans/designs.py) has walls where the flat has them. */
static void test_shipped_designs(void **state)
{
    (void)state;
    static const char *const FILES[] = {"floorplans/flat.esx", "floorplans/flat.openintent.json"};
    pw_scenario *scenario = NULL;
    struct floorplan plan = {0};
    pw_notes warnings = {0};
    pw_error error = {""};
    assert_int_equal(pw_scenario_load("floorplans/flat_geometry.yaml", NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(floorplan_create(scenario, false, &warnings, &plan, &error), PW_OK);
    for (int f = 0; f < 2; f++) {
        struct drawing drawing = {0};
        const struct picture_options picture = {0};
        size_t common = 0, either = 0;
        assert_int_equal(drawing_read(FILES[f], &picture, &drawing, &error), PW_OK);
        for (double y = 0.0137; y < 15.36; y += 0.0371) {
            for (double x = 0.0113; x < 15.36; x += 0.0371) {
                bool wall = floorplan_material_at(&plan, x, y) != 0, found = class_at(&drawing, x, y)[0] != '\0';
                common += wall && found;
                either += wall || found;
            }
        }
        assert_true(either > 4000);
        assert_int_equal(common, either);
        assert_int_equal(drawing.radio_count, 2);
        assert_int_equal(drawing.class_count, 3);
        drawing_free(&drawing);
    }
    floorplan_free(&plan);
    warnings_free(&warnings);
    pw_scenario_free(scenario);
}

/* Losses of walls are those of slabs (ITU-R P.2040-4): glass of 2 cm, eps_r 6.31, at 2.412 GHz by the closed form. */
static void test_losses(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_made(FLAT);
    char path[256];
    export_to(scenario, NULL, "flat.openintent.json", path);
    struct drawing drawing = drawing_taken(path);
    const struct drawing_class *glass = class_get(&drawing, "glass 2 cm");
    double phase = 2 * M_PI * 2.412e9 / 299792458.0 * sqrt(6.31) * 0.02;
    double face = (sqrt(6.31) - 1) / (sqrt(6.31) + 1), r2 = face * face;
    /* without loss: 1 / (1 + 4 r^2 sin^2(phase) / (1 - r^2)^2) */
    double lossless = 10 * log10(1 + 4 * r2 * sin(phase) * sin(phase) / ((1 - r2) * (1 - r2)));
    assert_near(glass->loss, lossless, 0.35); /* the glass's own loss is a few tenths of a dB */
    assert_true(glass->loss > lossless);
    assert_string_equal(glass->material, "glass");
    drawing_free(&drawing);
    pw_scenario_free(scenario);
}

static void test_storeys_and_heights(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_made(HOUSE);
    char path[256];
    export_to(scenario, NULL, "house.openintent.json", path);
    struct drawing drawing = drawing_taken(path);
    assert_int_equal(drawing.page_count, 2);
    assert_string_equal(drawing.pages[1].name, "upper");
    assert_near(drawing.pages[1].height, 2.3, 1e-9);
    /* Under and over the window, over the door. */
    const struct drawing_class *sill = class_get(&drawing, "brick 20 cm from 0 to 0.9 m");
    assert_near(sill->high, 0.9, 1e-9);
    assert_int_equal(class_get(&drawing, "brick 20 cm from 2.1 to 2.5 m")->lines, 1);
    assert_int_equal(class_get(&drawing, "brick 20 cm from 2 to 2.5 m")->lines, 1);
    assert_int_equal(class_get(&drawing, "brick 20 cm")->lines, 3);
    assert_int_equal(class_get(&drawing, "glass 2 cm from 0.9 to 2.1 m")->lines, 1); /* a pane in the hole */
    assert_int_equal(class_get(&drawing, "concrete 30 cm")->lines, 2);               /* through both storeys */
    assert_int_equal(drawing.radio_count, 1);
    assert_int_equal(drawing.radios[0].page, 1);
    assert_near(drawing.radios[0].height, 1.5, 1e-9); /* 4.3 m less 2.5 m and 30 cm */
    drawing_free(&drawing);
    export_to(scenario, NULL, "house.geojson", path);
    drawing = drawing_taken(path);
    assert_int_equal(drawing.page_count, 2);
    const struct drawing_class *door = class_get(&drawing, "indoor=opening min_height=0 height=2");
    assert_true(door->low == 0 && door->high == 2 && door->use == CLASS_OPENINGS);
    assert_int_equal(class_get(&drawing, "indoor=wall material=concrete")->areas, 2);
    drawing_free(&drawing);
    export_to(scenario, "upper", "upper.svg", path);
    drawing = drawing_taken(path);
    assert_int_equal(class_get(&drawing, "wall-wood")->areas, 1);
    assert_int_equal(drawing.element_count, 2);
    drawing_free(&drawing);
    pw_scenario_free(scenario);
}

static void check_text(const char *path, const char *wanted)
{
    char text[2000] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    assert_string_equal(text, wanted);
}

static void test_access_points_as_table(void **state)
{
    (void)state;
    char path[256];
    pw_scenario *scenario = scenario_made(FLAT);
    export_to(scenario, NULL, "aps.csv", path);
    check_text(path, "Name,Floor,X [m],Y [m],Height [m],Power [dBm],Frequency [MHz],Channel\n"
                     "ap1,\"A flat\",2.5,3.5,,17,2412,1\nap 2,\"A flat\",7,5,,20,2412,1\n");
    pw_scenario_free(scenario);
    scenario = scenario_made(HOUSE);
    export_to(scenario, NULL, "aps.csv", path);
    check_text(path, "Name,Floor,X [m],Y [m],Height [m],Power [dBm],Frequency [MHz],Channel\n"
                     "up,\"upper\",3,3,1.5,20,2412,1\n");
    export_to(scenario, "ground", "aps.csv", path);
    check_text(path, "Name,Floor,X [m],Y [m],Height [m],Power [dBm],Frequency [MHz],Channel\n");
    pw_scenario_free(scenario);
}

static void refused(const pw_scenario *scenario, const char *storey, const char *name, const char *words)
{
    char path[256];
    pw_error error = {""};
    drawing_file_path(name, path);
    assert_int_equal(pw_plan_export(scenario, storey, path, NULL, &error), PW_BAD_INPUT);
    if (strstr(error.message, words) == NULL || access(path, F_OK) == 0) {
        fail_msg("\"%s\" in place of \"%s\"", error.message, words);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_made(HOUSE);
    refused(scenario, NULL, "house.svg", "--storey 'ground'");
    refused(scenario, "attic", "house.geojson", "there is no storey 'attic'; there are 'ground', 'upper'");
    refused(scenario, NULL, "house.dwg", ".svg, .geojson, .openintent.json and .csv");
    pw_scenario_free(scenario);
    scenario = scenario_made("plan: {image: none.png, pixel: 1 cm, legend: {'#000000': brick}}" BAND
                             "transmitters: [{name: a, at: [1 m, 1 m]}]\n");
    refused(scenario, NULL, "picture.geojson", "pixels of '");
    char path[256];
    export_to(scenario, NULL, "picture.csv", path); /* access points are no pixels */
    unlink(path);
    pw_scenario_free(scenario);
}

/* What OpenIntent cannot hold is told. */
static void test_report(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_made("plan:\n  size: [10 m, 8 m]\n  circles: [{centre: [3 m, 3 m], radius: 20 cm, "
                                          "material: concrete}]\nband: {centre: 900 MHz, width: 100 MHz}\n"
                                          "transmitters: [{name: a, at: [1 m, 1 m]}]\n");
    char path[256], *text = NULL;
    size_t size = 0;
    pw_error error = {""};
    FILE *report = open_memstream(&text, &size);
    drawing_file_path("column.openintent.json", path);
    assert_int_equal(pw_plan_export(scenario, NULL, path, report, &error), PW_OK);
    fclose(report);
    assert_non_null(strstr(text, "1 shape that is no straight wall"));
    assert_non_null(strstr(text, "900 MHz lies in none of Wi-Fi"));
    free(text);
    unlink(path);
    /* As an area it keeps its size: a polygon of as many square metres. */
    export_to(scenario, NULL, "column.geojson", path);
    struct drawing drawing = drawing_taken(path);
    const struct drawing_ring *ring = &drawing.rings[drawing.elements[1].first_ring];
    double area = 0;
    for (size_t n = 0; n < ring->count; n++) {
        struct drawing_point a = drawing.points[ring->first + n],
                             b = drawing.points[ring->first + (n + 1) % ring->count];
        area += (a.x * b.y - a.y * b.x) / 2;
    }
    assert_near(area, M_PI * 0.04, 1e-8);
    drawing_free(&drawing);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls_come_back),
        cmocka_unit_test(test_shipped_designs),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_storeys_and_heights),
        cmocka_unit_test(test_access_points_as_table),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(tests, drawing_folder_make, drawing_folder_clear);
}
