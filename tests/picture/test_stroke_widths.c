/* Where pens end and walls begin: walls of two thicknesses beside text and furniture of thin lines are parted from
 * these, and where all strokes are of one kind nothing is. */
#include "tests/support/check.h"

#include "drawing/picture/stroke_widths.h"

#include <string.h>

enum { WIDE = 600, HIGH = 400 };

static void box_draw(struct plane *plane, int x, int y, int width, int height)
{
    for (int row = y; row < y + height; row++) {
        memset(plane->cover + (size_t)row * WIDE + x, 255, (size_t)width);
    }
}

/* The outline of a room, of lines so thick. */
static void room_draw(struct plane *plane, int x, int y, int width, int height, int thick)
{
    box_draw(plane, x, y, width, thick);
    box_draw(plane, x, y + height - thick, width, thick);
    box_draw(plane, x, y, thick, height);
    box_draw(plane, x + width - thick, y, thick, height);
}

static int part_of(int outer, int inner, int pen)
{
    struct plane plane = {0};
    struct stroke_widths widths = {{0}};
    pw_error error;
    assert_int_equal(plane_make(&plane, WIDE, HIGH, &error), PW_OK);
    if (outer > 0) {
        room_draw(&plane, 20, 20, 560, 360, outer);
    }
    if (inner > 0) {
        box_draw(&plane, 300, 20, inner, 360);
        box_draw(&plane, 20, 200, 560, inner);
    }
    for (int n = 0; pen > 0 && n < 12; n++) { /* furniture, and strokes of letters */
        room_draw(&plane, 50 + 40 * n, 60, 30, 60, pen);
        box_draw(&plane, 50 + 40 * n, 300, 12, pen);
        box_draw(&plane, 50 + 40 * n, 300, pen, 18);
    }
    assert_int_equal(stroke_widths_add(&plane, &widths, &error), PW_OK);
    plane_free(&plane);
    return stroke_widths_part(&widths, 4);
}

static void test_pens_are_parted_from_walls(void **state)
{
    (void)state;
    static const int CASES[][3] = {{12, 6, 1}, {12, 6, 2}, {20, 10, 3}, {9, 5, 2}, {30, 8, 2}};
    for (size_t n = 0; n < sizeof CASES / sizeof CASES[0]; n++) {
        int part = part_of(CASES[n][0], CASES[n][1], CASES[n][2]);
        assert_in_range(part, CASES[n][2] + 1, CASES[n][1]);
    }
}

static void test_one_kind_is_left_alone(void **state)
{
    (void)state;
    assert_int_equal(part_of(12, 6, 0), 0); /* walls alone: the thin ones are walls too */
    assert_int_equal(part_of(4, 3, 0), 0);
    assert_int_equal(part_of(0, 0, 2), 0); /* a drawing of thin lines */
    assert_int_equal(part_of(2, 2, 2), 0); /* whose walls are drawn so too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pens_are_parted_from_walls),
                                       cmocka_unit_test(test_one_kind_is_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
