/* Buildings: what is at a point, against a plain look at the scenario's shapes; the bands and their borders; pictures
 * extruded by their legend; stairs; and the cut that a run in two dimensions sees. */
#include "tests/support/check.h"

#include "base/picture/png_image.h"
#include "plan/building.h"
#include "plan/plan_cut.h"
#include "tests/plan/shipped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scene {
    pw_scenario *scenario;
    struct building building;
    pw_notes warnings;
};

static void scene_start(struct scene *scene, const char *text, const char *set)
{
    pw_error error = {""};
    *scene = (struct scene){0};
    if (pw_scenario_parse("house.yaml", text, &set, set != NULL, &scene->scenario, &error) != PW_OK ||
        building_create(scene->scenario, false, &scene->warnings, &scene->building, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

static void scene_end(struct scene *scene)
{
    building_free(&scene->building);
    warnings_free(&scene->warnings);
    pw_scenario_free(scene->scenario);
}

static const char *name_at(const struct scene *scene, double x, double y, double z)
{
    return scene->building.bands[0].materials[building_material_at(&scene->building, x, y, z)].name;
}

/* ---- against a plain look at the shapes ------------------------------------------------------------------------- */

static const char HOUSE[] =
    "dimensions: 3\n"
    "plan:\n"
    "  size: [10 m, 8 m]\n"
    "  walls: [{from: [1 m, 1 m], to: [9 m, 1 m], thickness: 30 cm, material: brick},\n"
    "          {from: [1 m, 1 m], to: [4 m, 7 m], thickness: 24 cm, material: concrete, z: [-20 cm, 4 m]}]\n"
    "  circles: [{centre: [5 m, 5 m], radius: 80 cm, material: metal, z: [-10 cm, 2 m]}]\n"
    "  polygons: [{points: [[6, 2], [9, 3], [7, 6]], material: wood, z: [1 m, 3.1 m]}]\n"
    "  storeys:\n"
    "    - name: ground\n"
    "      height: 2.6 m\n"
    "      floor: {material: concrete, thickness: 20 cm}\n"
    "      openings:\n"
    "        - {from: [3 m, 0.8 m], to: [4 m, 1.2 m], sill: 90 cm, head: 2.1 m, material: glass}\n"
    "        - {from: [5 m, 0.8 m], to: [6 m, 1.2 m], head: 2 m}\n"
    "    - name: upper\n"
    "      height: 2.4 m\n"
    "      floor: {material: wood, thickness: 30 cm, from: [1 m, 1 m], to: [9 m, 7 m]}\n"
    "      ceiling: {material: plasterboard, thickness: 10 cm}\n"
    "      boxes: [{from: [6, 5, 0.75], to: [7.5, 6, 0.7], material: chipboard}]\n"
    "      openings: [{from: [7 m, 3 m], to: [8 m, 6 m], z: [-30 cm, 0 m]}]\n"
    "band: 2 GHz\n"
    "transmitters: [{at: [2 m, 3 m]}]\n";

/* Inside a closed polygon, by the sum of the angles that its sides are seen under. */
static bool inside_polygon(const struct point *points, int count, double x, double y)
{
    double turn = 0;
    for (int p = 0; p < count; p++) {
        struct point a = points[p], b = points[(p + 1) % count];
        double cross = (a.x - x) * (b.y - y) - (a.y - y) * (b.x - x),
               dot = (a.x - x) * (b.x - x) + (a.y - y) * (b.y - y);
        turn += atan2(cross, dot);
    }
    return fabs(turn) > 3;
}

static bool inside_shape(const struct shape *shape, double x, double y)
{
    const struct point *p = shape->points;
    if (shape->kind == SHAPE_POLYGON) {
        return inside_polygon(p, shape->point_count, x, y);
    }
    if (shape->kind == SHAPE_CIRCLE) {
        return hypot(x - p[0].x, y - p[0].y) < shape->radius;
    }
    if (shape->kind == SHAPE_WALL) {
        double length = hypot(p[1].x - p[0].x, p[1].y - p[0].y);
        double ux = (p[1].x - p[0].x) / length, uy = (p[1].y - p[0].y) / length;
        double along = (x - p[0].x) * ux + (y - p[0].y) * uy, across = (y - p[0].y) * ux - (x - p[0].x) * uy;
        return along > 0 && along < length && fabs(across) < shape->thickness / 2;
    }
    return x > p[0].x && x < p[1].x && y > p[0].y && y < p[1].y;
}

/* The name of the material, by the rules of the manual: slabs, the plan's shapes, the storeys' shapes. */
static const char *looked_up(const struct plan_choice *plan, double x, double y, double z)
{
    const double floors[] = {0, 2.9}, heights[] = {2.6, 2.4};
    const char *name = "air";
    if (z > -0.2 && z < 0) {
        name = "concrete";
    } else if (z > 2.6 && z < 2.9 && x > 1 && x < 9 && y > 1 && y < 7) {
        name = "wood";
    } else if (z > 5.3 && z < 5.4) {
        name = "plasterboard";
    }
    for (int s = 0; s < plan->shape_count; s++) {
        const struct shape *shape = &plan->shapes[s];
        double floor = shape->storey < 0 ? 0 : floors[shape->storey], low = floor,
               high = shape->storey < 0 ? 5.3 : floor + heights[shape->storey];
        if (shape->z.has_heights) {
            low = floor + shape->z.low;
            high = floor + shape->z.high;
        }
        if (z > low && z < high && inside_shape(shape, x, y)) {
            name = shape->material.name;
        }
    }
    return name;
}

static uint32_t random_state = 12345;
static double random_between(double low, double high)
{
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (random_state >> 8) / 16777216.0;
}

static void every_point_has_the_material_of_its_shape(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, HOUSE, NULL);
    int found[8] = {0};
    for (int n = 0; n < 200000; n++) {
        double x = random_between(0, 10), y = random_between(0, 8), z = random_between(-0.5, 5.8);
        const char *wanted = looked_up(&scene.scenario->plan, x, y, z), *got = name_at(&scene, x, y, z);
        if (strcmp(wanted, got) != 0) {
            fail_msg("at (%g, %g, %g) m: %s, not %s", x, y, z, got, wanted);
        }
        found[building_material_at(&scene.building, x, y, z)]++;
    }
    for (int m = 0; m < scene.building.bands[0].material_count; m++) {
        assert_true(found[m] > 10); /* every material was met */
    }
    scene_end(&scene);
}

static void borders_are_where_something_changes(void **state)
{
    (void)state;
    static const double WANTED[] = {-0.2, -0.1, 0, 0.9, 1, 2, 2.1, 2.6, 2.9, 3.1, 3.6, 3.65, 4, 5.3, 5.4};
    struct scene scene;
    scene_start(&scene, HOUSE, NULL);
    const struct building *building = &scene.building;
    assert_int_equal(building->band_count, sizeof WANTED / sizeof *WANTED + 1);
    for (int n = 0; n + 1 < building->band_count; n++) {
        assert_true(fabs(building->borders[n] - WANTED[n]) < 1e-12);
        assert_int_equal(building_band_at(building, WANTED[n]), n + 1); /* a border belongs to the band over it */
        assert_int_equal(building_band_at(building, WANTED[n] - 1e-6), n);
    }
    assert_true(building->low == -0.2 && fabs(building->high - 5.4) < 1e-12);
    assert_int_equal(building->bands[0].shape_count, 0); /* the air outside */
    assert_int_equal(building->bands[building->band_count - 1].shape_count, 0);
    for (int n = 1; n < building->band_count; n++) {
        assert_int_equal(building->bands[n].material_count, building->bands[0].material_count);
    }
    scene_end(&scene);
}

/* A wall in two pieces one over the other, of the same material, is one band; a hall without slabs is but air. */
static void same_bands_are_joined(void **state)
{
    (void)state;
    static const char PIECES[] = "dimensions: 3\n"
                                 "plan:\n"
                                 "  size: [4 m, 3 m]\n"
                                 "  storey: {height: 3 m}\n"
                                 "  walls: [{from: [1, 1], to: [3, 1], thickness: 0.1, material: brick, z: [0, 1]},\n"
                                 "          {from: [1, 1], to: [3, 1], thickness: 0.1, material: brick, z: [1, 2]}]\n"
                                 "band: 2 GHz\n"
                                 "transmitters: [{at: [2, 2, 1]}]\n";
    struct scene scene;
    scene_start(&scene, PIECES, NULL);
    assert_int_equal(scene.building.band_count, 3);
    assert_true(scene.building.borders[0] == 0 && scene.building.borders[1] == 2);
    scene_end(&scene);
    scene_start(&scene, PIECES, "plan.walls=[]");
    assert_int_equal(scene.building.band_count, 1);
    assert_int_equal(building_band_at(&scene.building, 1), 0);
    assert_true(scene.building.low == 0 && scene.building.high == 3);
    scene_end(&scene);
}

static void stairs_go_through_the_floor(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, HOUSE, NULL);
    assert_string_equal(name_at(&scene, 7.5, 4, 2.7), "air");
    assert_string_equal(name_at(&scene, 8.5, 4.5, 2.7), "wood");
    assert_string_equal(name_at(&scene, 0.5, 4, 2.7), "air"); /* beside the part that the slab covers */
    /* The outer wall runs through the slab, and stands on the lowest one. */
    assert_string_equal(name_at(&scene, 8, 1, 2.7), "brick");
    assert_string_equal(name_at(&scene, 8, 1, -0.1), "concrete");
    /* A window and a door of the ground floor do not reach the upper one. */
    assert_string_equal(name_at(&scene, 3.5, 1, 1.5), "glass");
    assert_string_equal(name_at(&scene, 3.5, 1, 0.5), "brick");
    assert_string_equal(name_at(&scene, 3.5, 1, 4.4), "brick");
    assert_string_equal(name_at(&scene, 5.5, 1, 0.1), "air");
    assert_string_equal(name_at(&scene, 5.5, 1, 2.2), "brick");
    scene_end(&scene);
}

/* ---- pictures --------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 8, ROWS = 6 };

/* Pixels of 1 m: a brick wall on the left, then a window, a table, a hatch in the ceiling, and white. */
static void picture_write(const char *path)
{
    static const uint8_t COLOURS[5][3] = {{0, 0, 0}, {0, 0, 255}, {0, 255, 0}, {255, 0, 255}, {255, 255, 255}};
    uint8_t rgb[ROWS][COLUMNS][3];
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            memcpy(rgb[row][column], COLOURS[column < 4 ? column : 4], 3);
        }
    }
    /* An edge between brick and white, a quarter brick. */
    memset(rgb[0][7], 0, 3);
    memset(rgb[0][6], 191, 3);
    pw_error error = {""};
    if (png_image_write(path, COLUMNS, ROWS, 3, rgb[0][0], &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

static void pictures_are_extruded_by_their_legend(void **state)
{
    (void)state;
    char path[] = "/tmp/planwave-building-XXXXXX", text[1600];
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    picture_write(path);
    snprintf(text, sizeof text,
             "dimensions: 3\n"
             "plan:\n"
             "  image: %s\n"
             "  pixel: 1 m\n"
             "  tolerance: 16\n"
             "  storeys:\n"
             "    - {name: a, height: 2.5 m, floor: {material: concrete, thickness: 0.2}}\n"
             "    - {name: b, height: 2.3 m, floor: {material: wood, thickness: 0.3, from: [0, 0], to: [5 m, 6 m]}}\n"
             "  legend:\n"
             "    \"#000000\": brick\n"
             "    \"#0000ff\": [{material: brick, z: [0 m, 0.9 m]}, {material: glass, z: [0.9 m, 2 m]},\n"
             "                  {material: brick, z: [2 m, 5.1 m]}]\n"
             "    \"#00ff00\": {material: chipboard, z: [0 m, 75 cm]}\n"
             "    \"#ff00ff\": {material: air, z: [2.5 m, 2.8 m]}\n"
             "    \"#ffffff\": air\n"
             "  circles: [{centre: [4.5, 4.5], radius: 0.3, material: metal}]\n"
             "band: 2 GHz\n"
             "transmitters: [{at: [6, 3, 1]}]\n",
             path);
    static const struct {
        double x, z;
        const char *name;
    } WANTED[] = {
        {0.5, -0.1, "concrete"}, {0.5, 0.1, "brick"},     {0.5, 2.7, "brick"}, {0.5, 5, "brick"},   {0.5, 5.2, "air"},
        {1.5, 0.5, "brick"},     {1.5, 1.5, "glass"},     {1.5, 2.3, "brick"}, {1.5, 2.7, "brick"}, {1.5, 5, "brick"},
        {2.5, -0.1, "concrete"}, {2.5, 0.7, "chipboard"}, {2.5, 0.8, "air"},   {2.5, 2.7, "wood"},  {2.5, 3, "air"},
        {3.5, -0.1, "concrete"}, {3.5, 1, "air"},         {3.5, 2.7, "air"},   {3.5, 3, "air"},     {4.5, 2.6, "wood"},
        {5.5, 2.6, "air"},       {5.5, -0.1, "concrete"}, {5.5, -0.3, "air"},
    };
    struct scene scene;
    scene_start(&scene, text, NULL);
    for (size_t n = 0; n < sizeof WANTED / sizeof *WANTED; n++) {
        const char *got = name_at(&scene, WANTED[n].x, 2.5, WANTED[n].z);
        if (strcmp(got, WANTED[n].name) != 0) {
            fail_msg("at x = %g m, z = %g m: %s, not %s", WANTED[n].x, WANTED[n].z, got, WANTED[n].name);
        }
    }
    assert_string_equal(name_at(&scene, 4.5, 4.5, 2.7), "metal"); /* shapes lie over the picture, through the slab */
    /* The right quarter of the pixel at the edge is brick, the rest what is there at its height. */
    assert_string_equal(name_at(&scene, 6.9, 5.5, 1), "brick");
    assert_string_equal(name_at(&scene, 6.6, 5.5, 1), "air");
    assert_string_equal(name_at(&scene, 6.9, 5.5, -0.1), "concrete");
    assert_string_equal(name_at(&scene, 6.6, 5.5, -0.1), "concrete");
    scene_end(&scene);
    unlink(path);
}

/* ---- the cut ---------------------------------------------------------------------------------------------------- */

static double cut_height(const char *set, pw_error *error)
{
    pw_scenario *scenario = NULL;
    double height = -1;
    assert_int_equal(pw_scenario_parse("house.yaml", HOUSE, (const char *[]){"dimensions=2", set}, 2, &scenario, error),
                     PW_OK);
    if (floorplan_cut_height(scenario, &height, error) != PW_OK) {
        height = NAN;
    }
    pw_scenario_free(scenario);
    return height;
}

static void a_flat_run_cuts_the_building(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double height;
    } CUTS[] = {{"plan.cut=auto", 1.2},
                {"plan.cut=0.5 m", 0.5},
                {"transmitters.0.height=2 m", 2},
                {"transmitters.0.height=3 m", 3},
                {"plan.cut=4.9 m", 4.9}};
    pw_error error = {""};
    struct scene house;
    scene_start(&house, HOUSE, NULL);
    for (size_t n = 0; n < sizeof CUTS / sizeof *CUTS; n++) {
        assert_true(cut_height(CUTS[n].set, &error) == CUTS[n].height);
        struct floorplan plan;
        pw_notes warnings = {0};
        pw_scenario *scenario = NULL;
        assert_int_equal(
            pw_scenario_parse("x", HOUSE, (const char *[]){"dimensions=2", CUTS[n].set}, 2, &scenario, &error), PW_OK);
        assert_int_equal(floorplan_create(scenario, false, &warnings, &plan, &error), PW_OK);
        for (int p = 0; p < 5000; p++) {
            double x = random_between(0, 10), y = random_between(0, 8);
            assert_string_equal(plan.materials[floorplan_material_at(&plan, x, y)].name,
                                name_at(&house, x, y, CUTS[n].height));
        }
        floorplan_free(&plan);
        warnings_free(&warnings);
        pw_scenario_free(scenario);
    }
    scene_end(&house);
    assert_true(isnan(cut_height("transmitters.0.height=2.7 m", &error)));
    assert_non_null(strstr(error.message, "house.yaml:22: the transmitter 'tx1' is at 2.7 m, in a slab"));
    assert_non_null(strstr(error.message, "Set plan.cut"));
}

/* Materials that the cut does not meet are no materials of a flat run. */
static void a_cut_knows_only_what_it_meets(void **state)
{
    (void)state;
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    struct floorplan plan;
    pw_notes warnings = {0};
    assert_int_equal(
        pw_scenario_parse("x", HOUSE, (const char *[]){"dimensions=2", "plan.cut=2.3 m"}, 2, &scenario, &error), PW_OK);
    assert_int_equal(floorplan_create(scenario, false, &warnings, &plan, &error), PW_OK);
    assert_int_equal(plan.material_count, 4); /* air, wood, brick, concrete */
    assert_int_equal(plan.shape_count, 3);
    floorplan_free(&plan);
    warnings_free(&warnings);
    pw_scenario_free(scenario);
}

static void a_plan_without_storeys_is_no_building(void **state)
{
    (void)state;
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    pw_notes warnings = {0};
    struct building building;
    assert_int_equal(pw_scenario_parse("a.yaml", "plan: {size: [4, 3]}\nband: 1 GHz\ntransmitters: [{at: [1, 1]}]\n",
                                       NULL, 0, &scenario, &error),
                     PW_OK);
    assert_int_equal(building_create(scenario, false, &warnings, &building, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "a.yaml: the plan has no heights; give plan.storey"));
    pw_scenario_free(scenario);
}

/* ---- the plans of floorplans/ ------------------------------------------------------------------------------------ */

/* In three dimensions nobody stands in a wall, a slab or a piece of furniture. */
static void shipped_plans_are_buildings(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"flat", "office", "flat_3d", "office_3d", "house", "hall"};
    for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; n++) {
        pw_scenario *scenario = shipped(NAMES[n], "dimensions=3");
        pw_error error = {""};
        struct scene scene = {.scenario = scenario};
        assert_int_equal(building_create(scenario, false, &scene.warnings, &scene.building, &error), PW_OK);
        assert_true(scene.building.band_count > 4);
        for (int t = 0; t < scenario->transmitter_count; t++) {
            const struct transmitter_choice *at = &scenario->transmitters[t];
            assert_string_equal(name_at(&scene, at->at.x, at->at.y, at->height), "air");
        }
        for (int r = 0; r < scenario->receiver_count; r++) {
            const struct receiver_choice *at = &scenario->receivers[r];
            assert_string_equal(name_at(&scene, at->at.x, at->at.y, at->height), "air");
        }
        scene_end(&scene);
    }
}

/* The flat with heights, cut for a flat run, is the flat without: flat_geometry.yaml has none. */
static void the_flat_is_as_flat_as_before(void **state)
{
    (void)state;
    pw_scenario *with = shipped("flat", NULL), *without = shipped("flat_geometry", NULL);
    pw_error error = {""};
    pw_notes warnings = {0};
    struct floorplan cut, plain;
    assert_int_equal(floorplan_create(with, false, &warnings, &cut, &error), PW_OK);
    assert_int_equal(floorplan_create(without, false, &warnings, &plain, &error), PW_OK);
    assert_int_equal(cut.material_count, plain.material_count);
    for (int n = 0; n < 100000; n++) {
        double x = random_between(0, 15.36), y = random_between(0, 15.36);
        assert_int_equal(floorplan_material_at(&cut, x, y), floorplan_material_at(&plain, x, y));
    }
    floorplan_free(&cut);
    floorplan_free(&plain);
    warnings_free(&warnings);
    pw_scenario_free(with);
    pw_scenario_free(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_has_the_material_of_its_shape),
        cmocka_unit_test(borders_are_where_something_changes),
        cmocka_unit_test(same_bands_are_joined),
        cmocka_unit_test(stairs_go_through_the_floor),
        cmocka_unit_test(pictures_are_extruded_by_their_legend),
        cmocka_unit_test(a_flat_run_cuts_the_building),
        cmocka_unit_test(a_cut_knows_only_what_it_meets),
        cmocka_unit_test(a_plan_without_storeys_is_no_building),
        cmocka_unit_test(shipped_plans_are_buildings),
        cmocka_unit_test(the_flat_is_as_flat_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
