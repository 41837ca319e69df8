/* Windows and doors in the gaps of walls of a picture: thin lines from jamb to jamb are a window, an arc beside the gap
 * is a door of either hand, and what has neither, or has no ends of walls, is nothing. A pixel is 2 cm, a wall 10
 * pixels. */
#include "tests/support/check.h"

#include "drawing/picture/walls/picture_openings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct directions ALONG_ROWS = {{0}, 1};

enum { WIDE = 400, HIGH = 300, TOP = 100, WALL = 10, LEFT = 150, RIGHT = 200, LENGTH = 150 };

struct scene {
    struct drawing drawing;
    struct plane walls;
};

static void scene_make(struct scene *scene)
{
    pw_error error;
    int page = 0;
    *scene = (struct scene){0};
    assert_int_equal(plane_make(&scene->walls, WIDE, HIGH, &error), PW_OK);
    scene->drawing.picture.width = WIDE;
    scene->drawing.picture.height = HIGH;
    scene->drawing.picture.rgb = malloc(3 * WIDE * HIGH);
    memset(scene->drawing.picture.rgb, 255, 3 * WIDE * HIGH);
    assert_int_equal(drawing_page_of(&scene->drawing, "", &page, &error), PW_OK);
}

static void dot(struct scene *scene, int x, int y, uint8_t grey, bool wall)
{
    memset(scene->drawing.picture.rgb + 3 * ((size_t)y * WIDE + (size_t)x), grey, 3);
    if (wall) {
        scene->walls.cover[(size_t)y * WIDE + (size_t)x] = 255;
    }
}

static void box(struct scene *scene, int x0, int y0, int x1, int y1, uint8_t grey, bool wall)
{
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            dot(scene, x, y, grey, wall);
        }
    }
}

/* A wall with a gap from LEFT to RIGHT. */
static void wall_draw(struct scene *scene)
{
    box(scene, 20, TOP, LEFT, TOP + WALL, 0, true);
    box(scene, RIGHT, TOP, 380, TOP + WALL, 0, true);
}

/* The quarter circle of a door about a jamb, to a side of the wall. */
static void arc_draw(struct scene *scene, bool right, bool below)
{
    const double radius = RIGHT - LEFT;
    for (int n = 0; n <= 600; n++) {
        double angle = n * M_PI / 1200, along = radius * cos(angle), away = radius * sin(angle);
        double y = below ? TOP + WALL + away : TOP - away;
        for (int thick = 0; thick < 2; thick++) {
            dot(scene, (int)(right ? RIGHT - along : LEFT + along) + thick, (int)y, 120, false);
        }
    }
}

/* What is found: no class, "window gaps" or "door gaps"; a line in the middle of the gap. */
static void check_found(struct scene *scene, const char *name)
{
    pw_error error;
    const struct drawing *drawing = &scene->drawing;
    assert_int_equal(picture_openings_add(&scene->drawing, &scene->walls, LENGTH, &ALONG_ROWS, &error), PW_OK);
    assert_int_equal(drawing->class_count, name != NULL);
    if (name != NULL) {
        assert_string_equal(drawing->classes[0].name, name);
        assert_int_equal(drawing->element_count, 1);
        assert_true(drawing->points[0].x == LEFT && drawing->points[1].x == RIGHT);
        assert_true(drawing->points[0].y == HIGH - TOP - WALL / 2);
    }
    drawing_free(&scene->drawing);
    plane_free(&scene->walls);
}

static void test_windows(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene);
    wall_draw(&scene);
    box(&scene, LEFT, TOP + 4, RIGHT, TOP + 5, 150, false); /* a pane, drawn in grey */
    check_found(&scene, "window gaps");
    scene_make(&scene);
    wall_draw(&scene);
    box(&scene, LEFT, TOP, RIGHT, TOP + WALL, 230, false); /* a box that is filled lightly stands for panes too */
    box(&scene, LEFT, TOP, RIGHT, TOP + 1, 0, false);
    box(&scene, LEFT, TOP + WALL - 1, RIGHT, TOP + WALL, 0, false);
    check_found(&scene, "window gaps");
}

static void test_doors(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct scene scene;
        scene_make(&scene);
        wall_draw(&scene);
        box(&scene, LEFT, TOP, RIGHT, TOP + 1, 150, false); /* a threshold makes no window of it */
        arc_draw(&scene, n % 2 != 0, n / 2 != 0);
        check_found(&scene, "door gaps");
    }
}

static void test_what_is_neither(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene); /* an open passage */
    wall_draw(&scene);
    check_found(&scene, NULL);
    scene_make(&scene); /* a floor of tiles through the passage and on both sides of it */
    box(&scene, 20, 20, 380, 280, 180, false);
    box(&scene, 0, 0, WIDE, 15, 255, false);
    memset(scene.drawing.picture.rgb, 255, 3 * WIDE * HIGH / 2);
    memset(scene.drawing.picture.rgb + (size_t)3 * WIDE * 150, 255, 3 * WIDE * HIGH / 2);
    box(&scene, LEFT, TOP - 40, RIGHT, TOP + 50, 180, false);
    wall_draw(&scene);
    check_found(&scene, NULL);
    scene_make(&scene); /* a line across a room, between walls that pass by */
    box(&scene, LEFT - WALL, 20, LEFT, 280, 0, true);
    box(&scene, RIGHT, 20, RIGHT + WALL, 280, 0, true);
    box(&scene, LEFT, TOP + 4, RIGHT, TOP + 5, 150, false);
    check_found(&scene, NULL);
}

/* How many openings a class has. */
static int count_of(const struct drawing *drawing, const char *name)
{
    int count = 0;
    for (size_t e = 0; e < drawing->element_count; e++) {
        count += strcmp(drawing->classes[drawing->elements[e].class_index].name, name) == 0;
    }
    return count;
}

/* A house of two rooms, with a window in each and a gap with a line through it between them: in a thin wall that is a
 * sliding door, in one as thick as the outer ones it stays a window, as those to a terrace are. */
static void test_lines_inside_of_a_building(void **state)
{
    (void)state;
    for (int thick = 5; thick <= WALL; thick += 5) {
        struct scene scene;
        pw_error error;
        scene_make(&scene);
        box(&scene, 40, 40, 360, 40 + WALL, 0, true);
        box(&scene, 40, 250, 100, 250 + WALL, 0, true);
        box(&scene, 150, 250, 250, 250 + WALL, 0, true);
        box(&scene, 300, 250, 360, 250 + WALL, 0, true);
        box(&scene, 40, 40, 40 + WALL, 260, 0, true);
        box(&scene, 350, 40, 360, 260, 0, true);
        box(&scene, 200, 50, 200 + thick, 130, 0, true);
        box(&scene, 200, 180, 200 + thick, 250, 0, true);
        box(&scene, 100, 254, 150, 256, 150, false);
        box(&scene, 250, 254, 300, 256, 150, false);
        box(&scene, 202, 130, 203, 180, 150, false);
        assert_int_equal(picture_openings_add(&scene.drawing, &scene.walls, LENGTH, &ALONG_ROWS, &error), PW_OK);
        assert_int_equal(count_of(&scene.drawing, "window gaps"), thick < WALL ? 2 : 3);
        assert_int_equal(count_of(&scene.drawing, "door gaps"), thick < WALL ? 1 : 0);
        drawing_free(&scene.drawing);
        plane_free(&scene.walls);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_doors),
                                       cmocka_unit_test(test_lines_inside_of_a_building),
                                       cmocka_unit_test(test_what_is_neither)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
