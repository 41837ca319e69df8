/* Windows and doors as things: boxes and lines of a window become one opening from end to end in the middle of its
 * wall, doors are closed where their wall is, whatever hand they have and whichever way they open. Lengths are
 * millimetres. */
#include "drawing/openings.h"
#include "tests/drawing/vector_check.h"

#include <math.h>

enum { WALLS, THINGS, CLASSES };

/* A wall of 200 mm along x from 0 to 6000, between y = 0 and 200, with a gap from `from` to `to`. */
static void wall_make(struct drawing *drawing, double from, double to)
{
    static const char *const NAMES[CLASSES] = {"A-WALL", "A-THING"};
    pw_error error;
    int index = 0;
    assert_int_equal(drawing_page_of(drawing, "", &index, &error), PW_OK);
    for (int c = 0; c < CLASSES; c++) {
        assert_int_equal(drawing_class_of(drawing, NAMES[c], &index, &error), PW_OK);
    }
    const double ends[2][2] = {{0, from}, {to, 6000}};
    for (int n = 0; n < 2; n++) {
        const double box[4][2] = {{ends[n][0], 0}, {ends[n][1], 0}, {ends[n][1], 200}, {ends[n][0], 200}};
        struct drawing_element area = {.kind = ELEMENT_AREA, .class_index = WALLS};
        assert_int_equal(drawing_begin(drawing, &area, &error), PW_OK);
        for (int corner = 0; corner < 4; corner++) {
            assert_int_equal(drawing_point_add(drawing, box[corner][0], box[corner][1], &error), PW_OK);
        }
    }
    drawing_end(drawing);
}

static void line_make(struct drawing *drawing, size_t count, const double (*points)[2])
{
    pw_error error;
    struct drawing_element line = {.kind = ELEMENT_LINE, .class_index = THINGS};
    assert_int_equal(drawing_begin(drawing, &line, &error), PW_OK);
    for (size_t n = 0; n < count; n++) {
        assert_int_equal(drawing_point_add(drawing, points[n][0], points[n][1], &error), PW_OK);
    }
    drawing_end(drawing);
}

/* A leaf from the hinge, and the quarter circle from its end on. */
static void door_make(struct drawing *drawing, double x, double y, double radius, double from, double sweep, bool chain)
{
    enum { PIECES = 24 };
    double points[PIECES + 2][2] = {{x, y}};
    for (int n = 0; n <= PIECES; n++) {
        double angle = (from + sweep * n / PIECES) * M_PI / 180;
        points[n + 1][0] = x + radius * cos(angle), points[n + 1][1] = y + radius * sin(angle);
    }
    if (chain) {
        line_make(drawing, PIECES + 2, (const double(*)[2])points);
    } else {
        line_make(drawing, 2, (const double(*)[2])points);
        line_make(drawing, PIECES + 1, (const double(*)[2])(points + 1));
    }
}

static size_t openings_of(const struct drawing *drawing, bool doors, struct opening **openings)
{
    static const double thickness[CLASSES] = {0, -1};
    static const bool outlined[CLASSES] = {false, false};
    const struct opening_walls walls = {drawing, thickness, outlined};
    size_t count = 0;
    pw_error error;
    assert_int_equal(drawing_openings(&walls, THINGS, 1e-3, doors, openings, &count, &error), PW_OK);
    return count;
}

/* The opening spans x from 2000 to 3000 in the middle of the wall. */
static void check_span(const struct opening *opening, double low, double high)
{
    assert_near(fmin(opening->from.x, opening->to.x), 2000, 1);
    assert_near(fmax(opening->from.x, opening->to.x), 3000, 1);
    assert_near(opening->from.y, 100, 10);
    assert_near(opening->to.y, 100, 10);
    assert_near(opening->low, low, 10);
    assert_near(opening->high, high, 10);
}

static void test_windows(void **state)
{
    (void)state;
    static const double sills[3][2][2] = {
        {{2000, 0}, {3000, 0}}, {{2000, 200}, {3000, 200}}, {{2000, 100}, {3000, 100}}};
    static const double jamb[2][2] = {{2000, 0}, {2000, 200}},
                        box[5][2] = {{2000, 60}, {3000, 60}, {3000, 140}, {2000, 140}, {2000, 60}};
    static const double far[2][2] = {{4000, 100}, {5000, 100}};
    struct opening *openings = NULL;
    struct drawing drawing = {0};
    wall_make(&drawing, 2000, 3000);
    for (int n = 0; n < 3; n++) {
        line_make(&drawing, 2, sills[n]);
    }
    line_make(&drawing, 2, jamb);
    line_make(&drawing, 5, box);
    assert_int_equal(openings_of(&drawing, false, &openings), 1);
    check_span(&openings[0], 0, 0);
    free(openings);
    line_make(&drawing, 2, far); /* another, over which the wall runs through */
    assert_int_equal(openings_of(&drawing, false, &openings), 2);
    assert_near(openings[1].high - openings[1].low, 200, 15);
    free(openings);
    drawing_free(&drawing);
}

static void test_doors_of_all_hands(void **state)
{
    (void)state;
    /* Hinges at either jamb, on the faces and in the middle of the wall; from the open end, turning to the closed one.
     */
    static const double DOORS[][5] = {{2000, 200, 1000, 90, -90}, {3000, 200, 1000, 90, 90},
                                      {2000, 0, 1000, -90, 90},   {3000, 0, 1000, -90, -90},
                                      {2000, 100, 1000, 0, 90},   {3000, 100, 1000, 180, 90}};
    for (size_t n = 0; n < 2 * sizeof DOORS / sizeof DOORS[0]; n++) {
        const double *door = DOORS[n / 2];
        struct opening *openings = NULL;
        struct drawing drawing = {0};
        wall_make(&drawing, 2000, 3000);
        door_make(&drawing, door[0], door[1], door[2], door[3], door[4], n % 2 == 0);
        assert_int_equal(openings_of(&drawing, true, &openings), 1);
        check_span(&openings[0], 0, 0);
        free(openings);
        drawing_free(&drawing);
    }
}

/* In a class of windows and doors together the leaf of a door is no pane. */
static void test_a_door_among_windows(void **state)
{
    (void)state;
    static const double pane[2][2] = {{2000, 100}, {3000, 100}};
    struct opening *openings = NULL;
    struct drawing drawing = {0};
    wall_make(&drawing, 2000, 3000);
    line_make(&drawing, 2, pane);
    door_make(&drawing, 5000, 200, 900, 90, -90, false);
    assert_int_equal(openings_of(&drawing, false, &openings), 1);
    check_span(&openings[0], 0, 0);
    free(openings);
    drawing_free(&drawing);
}

/* Without an arc, what stands between two ends of a wall is a door, and a line elsewhere is none. */
static void test_sliding_doors(void **state)
{
    (void)state;
    static const double leaf[2][2] = {{2000, 100}, {3000, 100}}, open[2][2] = {{3500, 600}, {4400, 600}};
    struct opening *openings = NULL;
    struct drawing drawing = {0};
    wall_make(&drawing, 2000, 3000);
    line_make(&drawing, 2, leaf);
    line_make(&drawing, 2, open);
    assert_int_equal(openings_of(&drawing, true, &openings), 1);
    check_span(&openings[0], 0, 0);
    free(openings);
    drawing_free(&drawing);
}

/* Among lines of all kinds windows are those that fill a gap; a dimension, a line from wall to wall across a room, and
 * furniture before the gap are none. */
static void test_gaps_among_lines(void **state)
{
    (void)state;
    static const double thickness[CLASSES] = {0, -1};
    static const bool outlined[CLASSES] = {false, false}, thin[CLASSES] = {false, true};
    static const double panes[2][2][2] = {{{2000, 5}, {3000, 5}}, {{2000, 195}, {3000, 195}}},
                        others[3][2][2] = {
                            {{2000, 400}, {3000, 400}}, {{500, 200}, {500, 1500}}, {{100, 100}, {900, 100}}};
    struct opening *openings = NULL;
    struct drawing drawing = {0};
    size_t count = 0;
    pw_error error;
    wall_make(&drawing, 2000, 3000);
    for (int n = 0; n < 5; n++) {
        line_make(&drawing, 2, n < 2 ? panes[n] : others[n - 2]);
    }
    const struct opening_walls walls = {&drawing, thickness, outlined};
    assert_int_equal(drawing_openings_among(&walls, thin, 1e-3, &openings, &count, &error), PW_OK);
    assert_int_equal(count, 1);
    assert_false(openings[0].door);
    check_span(&openings[0], 0, 0);
    free(openings);
    drawing_free(&drawing);
    for (int n = 0; n < 2; n++) { /* a door with its leaf, and a threshold; and the same away from the gap */
        wall_make(&drawing, 2000, 3000);
        line_make(&drawing, 2, panes[0]);
        door_make(&drawing, n == 0 ? 2000 : 4000, 200, 1000, 90, -90, true);
        assert_int_equal(drawing_openings_among(&walls, thin, 1e-3, &openings, &count, &error), PW_OK);
        assert_int_equal(count, 1);
        assert_int_equal(openings[0].door, n == 0);
        check_span(&openings[0], 0, 0);
        free(openings);
        drawing_free(&drawing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_doors_of_all_hands),
                                       cmocka_unit_test(test_a_door_among_windows),
                                       cmocka_unit_test(test_sliding_doors), cmocka_unit_test(test_gaps_among_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
