/* Drawings as plans: where lines, areas and openings end, what a unit, a turn and a region do, and what is refused.
 * What is at a point is asked of the shapes in their order, as a plan does. */
#include "tests/support/check.h"

#include "drawing/shapes/drawing_choice.h"
#include "plan/outline.h"
#include "scenario/plan/scenario_drawing.h"
#include "scenario/scenario_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A drawing, the words that say what it stands for, and what came of the two. */
struct scene {
    struct drawing drawing;
    struct pw_drawing list;
    struct drawing_place place;
    pw_error error;
};

static void add(struct scene *scene, const char *class, enum element_kind kind, double width, const double *points,
                int count)
{
    struct drawing_element like = {.kind = kind, .width = width};
    int page;
    assert_int_equal(drawing_page_of(&scene->drawing, "ground", &page, NULL), PW_OK);
    assert_int_equal(drawing_class_of(&scene->drawing, class, &like.class_index, NULL), PW_OK);
    assert_int_equal(drawing_begin(&scene->drawing, &like, NULL), PW_OK);
    for (int n = 0; n < count; n++) {
        assert_int_equal(drawing_point_add(&scene->drawing, points[2 * n], points[2 * n + 1], NULL), PW_OK);
    }
    drawing_end(&scene->drawing);
}

#define ADD(scene, class, kind, width, ...)                                                                            \
    do {                                                                                                               \
        const double points_[] = {__VA_ARGS__};                                                                        \
        add(scene, class, kind, width, points_, (int)(sizeof points_ / sizeof points_[0] / 2));                        \
    } while (0)

/* `words`: what stands behind `drawing:`. */
static pw_status shapes_of(struct scene *scene, const char *words)
{
    char text[2000];
    struct tree tree = {0};
    struct drawing_choice choice = {0};
    const struct plan_choice none = {0};
    snprintf(text, sizeof text, "drawing: {file: none, %s}\n", words);
    scene->error.message[0] = '\0';
    drawing_release(&scene->list);
    scene->list.plan = &none;
    scene->list.storey = EVERY_STOREY;
    pw_status status = tree_parse(&tree, "words", text, strlen(text), &scene->error);
    if (status == PW_OK) {
        status = drawing_choice_read(node_find(tree.root, "drawing"), NULL, &scene->list, &choice, &scene->error);
    }
    if (status == PW_OK) {
        status = drawing_to_shapes(&choice, &scene->drawing, &scene->list, &scene->place, &scene->error);
    }
    drawing_choice_free(&choice);
    tree_free(&tree);
    return status;
}

static void made(struct scene *scene, const char *words)
{
    if (shapes_of(scene, words) != PW_OK) {
        fail_msg("%s: %s", words, scene->error.message);
    }
}

static void refused(struct scene *scene, const char *words, const char *because)
{
    assert_int_equal(shapes_of(scene, words), PW_BAD_INPUT);
    if (strstr(scene->error.message, because) == NULL) {
        fail_msg("'%s' is not in: %s", because, scene->error.message);
    }
}

/* The material at a point of the plan, m. */
static const char *at(const struct scene *scene, double x, double y)
{
    const char *found = "air";
    for (size_t s = 0; s < scene->list.count; s++) {
        struct outline outline;
        assert_int_equal(outline_create("test", &scene->list.shapes[s], &outline, NULL), PW_OK);
        found = outline_contains(&outline, x, y) ? scene->list.shapes[s].material.name : found;
        outline_free(&outline);
    }
    return found;
}

static void scene_end(struct scene *scene)
{
    drawing_free(&scene->drawing);
    drawing_release(&scene->list);
}

#define IS(scene, x, y, material) assert_string_equal(at(&(scene), x, y), material)

/* ---- lines ---- */

static void test_corners_are_full_and_ends_are_not_longer(void **unused)
{
    (void)unused;
    struct scene scene = {0};
    ADD(&scene, "W", ELEMENT_LINE, 0.2, 0, 0, 4, 0, 4, 3);
    ADD(&scene, "W", ELEMENT_LINE, 0.2, 4, 3, 2, 3); /* meets the other's end */
    made(&scene, "unit: 1 m, region: [-1, -1, 6, 6], classes: {W: brick}");
    IS(scene, 1 + 4.09, 1 - 0.09, "brick");
    IS(scene, 1 + 4.09, 1 + 3.09, "brick");
    IS(scene, 1 + 4.11, 1 - 0.05, "air");
    IS(scene, 1 - 0.01, 1, "air");
    IS(scene, 1 + 1.99, 1 + 3, "air");
    IS(scene, 1 + 0.01, 1 + 0.09, "brick");
    IS(scene, 1 + 0.01, 1 + 0.11, "air");
    scene_end(&scene);
}

/* A closed line is a ring without an end; a bend that is nearly straight grows by nearly nothing. */
static void test_closed_lines_and_slight_bends(void **unused)
{
    (void)unused;
    struct scene scene = {0};
    ADD(&scene, "W", ELEMENT_LINE, 0, 0, 0, 2, 0, 2, 2, 0, 2, 0, 0);
    made(&scene, "unit: 1 m, region: [-1, -1, 4, 4], classes: {W: {material: brick, thickness: 20 cm}}");
    IS(scene, 1 - 0.09, 1 - 0.09, "brick");
    IS(scene, 2, 2, "air");
    scene_end(&scene);
    double bend = 0.1, reach = 0.1 * tan(bend / 2);
    ADD(&scene, "W", ELEMENT_LINE, 0.2, 0, 0, 1, 0, 1 + cos(bend), sin(bend));
    made(&scene, "unit: 1 m, region: [-1, -1, 4, 4], classes: {W: brick}");
    struct outline outline;
    assert_int_equal(outline_create("test", &scene.list.shapes[0], &outline, NULL), PW_OK);
    assert_true(fabs(outline.high.x - (2 + reach)) < 1e-12);
    outline_free(&outline);
    scene_end(&scene);
}

/* ---- areas ---- */

static void test_areas_have_holes_with_islands(void **unused)
{
    (void)unused;
    struct scene scene = {0};
    static const double RINGS[3][8] = {{0, 0, 9, 0, 9, 9, 0, 9}, {2, 2, 7, 2, 7, 7, 2, 7}, {4, 4, 5, 4, 5, 5, 4, 5}};
    ADD(&scene, "A", ELEMENT_AREA, 0, 0, 0, 9, 0, 9, 9, 0, 9);
    for (int r = 1; r < 3; r++) {
        assert_int_equal(drawing_ring_begin(&scene.drawing, NULL), PW_OK);
        for (int n = 0; n < 4; n++) {
            assert_int_equal(drawing_point_add(&scene.drawing, RINGS[r][2 * n], RINGS[r][2 * n + 1], NULL), PW_OK);
        }
    }
    drawing_end(&scene.drawing);
    made(&scene, "unit: 1 m, region: [0, 0, 9, 9], classes: {A: concrete}");
    assert_int_equal(scene.list.count, 1);
    IS(scene, 1, 1, "concrete");
    IS(scene, 3, 3.1, "air");
    IS(scene, 4.5, 4.6, "concrete");
    IS(scene, 8, 4.5, "concrete");
    scene_end(&scene);
}

static void test_rooms_have_walls_around_them(void **unused)
{
    (void)unused;
    struct scene scene = {0};
    ADD(&scene, "ROOM", ELEMENT_AREA, 0, 0, 0, 4, 0, 4, 3, 0, 3);
    made(&scene, "unit: 1 m, margin: 0 m, classes: {ROOM: {as: rooms, material: wood, thickness: 10 cm}}");
    IS(scene, 2, 0.04, "wood");
    IS(scene, 2, 0.06, "air");
    IS(scene, 3.96, 1.5, "wood");
    IS(scene, 2, 1.5, "air");
    scene_end(&scene);
}

/* ---- openings ---- */

static void test_an_opening_cuts_the_wall_and_holds_a_leaf(void **unused)
{
    (void)unused;
    struct scene scene = {0};
    ADD(&scene, "DOOR", ELEMENT_LINE, 0, 1, 0, 2, 0);
    ADD(&scene, "HATCH", ELEMENT_LINE, 0, 3, 0, 3.5, 0);
    ADD(&scene, "W", ELEMENT_LINE, 0.24, 0, 0, 4, 0);
    made(&scene, "unit: 1 m, region: [0, -1, 4, 1], classes: {W: brick, HATCH: {as: openings}, DOOR: {as: openings, "
                 "material: wood, thickness: 4 cm}}");
    IS(scene, 0.5, 1.1, "brick");
    IS(scene, 1.5, 1.0, "wood");
    IS(scene, 1.5, 1.03, "air");
    IS(scene, 1.5, 1.1199, "air");
    IS(scene, 2.01, 1.1, "brick");
    IS(scene, 3.2, 1, "air");
    scene_end(&scene);
}

/* ---- place ---- */

static void test_scale_turn_and_region(void **unused)
{
    (void)unused;
    struct scene scene = {0};
    ADD(&scene, "A", ELEMENT_AREA, 0, 100, 0, 200, 0, 200, 50, 100, 50);
    made(&scene, "scale: {from: [0, 0], to: [30, 40], length: 1 m}, margin: 0 m, classes: {A: brick}");
    assert_true(fabs(scene.place.unit - 0.02) < 1e-15);
    assert_true(fabs((scene.place.high[0] - scene.place.low[0]) * scene.place.unit - 2) < 1e-12);
    IS(scene, 1.99, 0.99, "brick");
    IS(scene, 2.01, 0.5, "air");
    /* A quarter turn to the left: what was at (200, 0) is at (0, 200). */
    made(&scene, "unit: 1 cm, turn: 90 deg, region: [-60, 90, 10, 210], classes: {A: brick}");
    IS(scene, 0.6 - 0.01, 0.1 + 0.01, "brick");
    IS(scene, 0.1 + 0.01, 0.1 + 0.99, "brick");
    IS(scene, 0.6 + 0.01, 0.5, "air");
    /* The margin is there on all sides. */
    made(&scene, "unit: 1 cm, margin: 50 cm, classes: {A: brick}");
    IS(scene, 0.49, 0.6, "air");
    IS(scene, 0.51, 0.6, "brick");
    scene_end(&scene);
}

static void test_what_lies_outside_the_region_is_left_out(void **unused)
{
    (void)unused;
    struct scene scene = {0};
    ADD(&scene, "A", ELEMENT_AREA, 0, 0, 0, 1, 0, 1, 1);
    ADD(&scene, "A", ELEMENT_AREA, 0, 50, 0, 51, 0, 51, 1);
    made(&scene, "unit: 1 m, region: [0, 0, 10, 10], classes: {A: brick}");
    assert_int_equal(scene.list.count, 1);
    refused(&scene, "unit: 1 m, region: [20, 0, 30, 10], classes: {A: brick}", "calls a wall");
    scene_end(&scene);
}

/* ---- words ---- */

static void test_the_first_pattern_that_fits_decides(void **unused)
{
    (void)unused;
    struct scene scene = {0};
    ADD(&scene, "A-WALL-full", ELEMENT_AREA, 0, 0, 0, 1, 0, 1, 1, 0, 1);
    ADD(&scene, "A-WALL-glaz", ELEMENT_AREA, 0, 2, 0, 3, 0, 3, 1, 2, 1);
    ADD(&scene, "TEXT [old]", ELEMENT_AREA, 0, 4, 0, 5, 0, 5, 1, 4, 1);
    made(&scene, "unit: 1 m, region: [0, 0, 6, 2], classes: {'*GLAZ': glass, a-wall-*: concrete, '*': ignored}");
    IS(scene, 0.5, 0.5, "concrete");
    IS(scene, 2.5, 0.5, "glass");
    IS(scene, 4.5, 0.5, "air");
    /* A name with brackets is itself before it is a pattern. */
    made(&scene, "unit: 1 m, region: [0, 0, 6, 2], classes: {'TEXT [old]': wood, '*': ignored}");
    IS(scene, 4.5, 0.5, "wood");
    scene_end(&scene);
}

static void test_what_is_not_said_is_refused(void **unused)
{
    (void)unused;
    struct scene scene = {0};
    ADD(&scene, "W", ELEMENT_LINE, 0, 0, 0, 4, 0);
    ADD(&scene, "X", ELEMENT_LINE, 0.1, 0, 1, 4, 1);
    refused(&scene, "unit: 1 m, classes: {W: ignored}", "'X'");
    refused(&scene, "unit: 1 m, classes: {W: brick, X: brick}", "thickness");
    refused(&scene, "classes: {W: ignored, X: brick}", "unit");
    refused(&scene, "unit: 1 m, page: upper, classes: {W: ignored, X: brick}", "'ground'");
    refused(&scene, "unit: 1 m, classes: {W: ignored, X: ignored}", "calls a wall");
    refused(&scene, "unit: 1 m, classes: {W: cheese}", "unknown material");
    refused(&scene, "unit: 1 m, scale: {from: [0, 0], to: [1, 0], length: 1 m}", "one of the two");
    refused(&scene, "scale: {from: [1, 1], to: [1, 1], length: 1 m}", "same point");
    refused(&scene, "region: [3, 0, 1, 1]", "x0 < x1");
    refused(&scene, "classes: {W: {as: wals, material: brick}}", "wals");
    refused(&scene, "classes: {W: {as: walls, material: brick, apart: [1 cm, 2 cm]}}", "faces");
    refused(&scene, "picture: {scan: on, speckle: 3}", "speck");
    refused(&scene, "picture: {corners: [[0, 0], [1, 0], [1, 1], [0, 1]]}", "sides");
    made(&scene, "unit: 1 m, page: ground, margin: 0 m, classes: {W: ignored, X: brick}");
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners_are_full_and_ends_are_not_longer),
        cmocka_unit_test(test_closed_lines_and_slight_bends),
        cmocka_unit_test(test_areas_have_holes_with_islands),
        cmocka_unit_test(test_rooms_have_walls_around_them),
        cmocka_unit_test(test_an_opening_cuts_the_wall_and_holds_a_leaf),
        cmocka_unit_test(test_scale_turn_and_region),
        cmocka_unit_test(test_what_lies_outside_the_region_is_left_out),
        cmocka_unit_test(test_the_first_pattern_that_fits_decides),
        cmocka_unit_test(test_what_is_not_said_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
