/* Walls between their faces: areas are those of the plan that the lines were drawn from, rooms are closed but for their
 * doors, and nothing that has no partner is lost. Lengths are millimetres, walls 5 to 45 cm. */
#include "drawing/parallel_walls.h"
#include "tests/drawing/vector_check.h"
#include "tests/support/sanitized.h"

static const double NEAREST = 50, FARTHEST = 450;

/* A turn about the origin, so that nothing lies along an axis. */
static double turn_cosine = 1, turn_sine;

static void turn_by(double degrees)
{
    turn_cosine = cos(degrees * M_PI / 180);
    turn_sine = sin(degrees * M_PI / 180);
}

static int class_make(struct drawing *drawing)
{
    int index = 0, page = 0;
    pw_error error;
    assert_int_equal(drawing_page_of(drawing, "", &page, &error), PW_OK);
    assert_int_equal(drawing_class_of(drawing, "A-WALL", &index, &error), PW_OK);
    return index;
}

static void line_draw(struct drawing *drawing, size_t count, const double (*points)[2])
{
    pw_error error;
    struct drawing_element line = {.kind = ELEMENT_LINE, .class_index = class_make(drawing)};
    assert_int_equal(drawing_begin(drawing, &line, &error), PW_OK);
    for (size_t n = 0; n < count; n++) {
        double x = points[n][0], y = points[n][1];
        assert_int_equal(
            drawing_point_add(drawing, turn_cosine * x - turn_sine * y, turn_sine * x + turn_cosine * y, &error),
            PW_OK);
    }
    drawing_end(drawing);
}

#define LINE(drawing, ...)                                                                                             \
    do {                                                                                                               \
        const double points_[][2] = {__VA_ARGS__};                                                                     \
        line_draw(drawing, sizeof points_ / sizeof points_[0], points_);                                               \
    } while (0)

static void rectangle_draw(struct drawing *drawing, double x0, double y0, double x1, double y1)
{
    LINE(drawing, {x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0});
}

static void join(struct drawing *drawing)
{
    pw_error error = {""};
    if (drawing_join_faces(drawing, 0, NEAREST, FARTHEST, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    size_t lines = 0, areas = 0;
    for (size_t e = 0; e < drawing->element_count; e++) {
        lines += drawing->elements[e].kind == ELEMENT_LINE ? 1 : 0;
        areas += drawing->elements[e].kind == ELEMENT_AREA ? 1 : 0;
    }
    assert_int_equal(lines, drawing->classes[0].lines);
    assert_int_equal(areas, drawing->classes[0].areas);
}

static bool filled(const struct drawing *drawing, double x, double y)
{
    double u = turn_cosine * x - turn_sine * y, v = turn_sine * x + turn_cosine * y;
    struct drawing one = *drawing;
    for (size_t e = 0; e < drawing->element_count; e++) { /* areas lie over each other: any of them will do */
        one.elements = drawing->elements + e;
        one.element_count = 1;
        if (point_is_filled(&one, u, v)) {
            return true;
        }
    }
    return false;
}

/* A grid over [0, width] x [0, height] with a margin, which walls and what is shut by `shut` divide. */
enum { SIDE = 140 };

struct flood {
    double low, step;
    bool wall[SIDE][SIDE], wet[SIDE][SIDE];
};

static struct flood *flood_make(const struct drawing *drawing, double size, const double shut[4])
{
    struct flood *flood = calloc(1, sizeof *flood);
    flood->low = -0.1 * size;
    flood->step = 1.2 * size / SIDE;
    for (int r = 0; r < SIDE; r++) {
        for (int c = 0; c < SIDE; c++) {
            double x = flood->low + (c + 0.5) * flood->step, y = flood->low + (r + 0.5) * flood->step;
            bool door = shut != NULL && x > shut[0] && x < shut[2] && y > shut[1] && y < shut[3];
            flood->wall[r][c] = door || filled(drawing, x, y);
        }
    }
    return flood;
}

/* Whether water from one point gets to the other. */
static bool flood_runs(struct flood *flood, double x0, double y0, double x1, double y1)
{
    int c0 = (int)((x0 - flood->low) / flood->step), r0 = (int)((y0 - flood->low) / flood->step);
    int c1 = (int)((x1 - flood->low) / flood->step), r1 = (int)((y1 - flood->low) / flood->step);
    memset(flood->wet, 0, sizeof flood->wet);
    assert_false(flood->wall[r0][c0] || flood->wall[r1][c1]);
    flood->wet[r0][c0] = true;
    for (bool more = true; more;) {
        more = false;
        for (int r = 0; r < SIDE; r++) {
            for (int c = 0; c < SIDE; c++) {
                if (flood->wet[r][c] || flood->wall[r][c]) {
                    continue;
                }
                /* Across corners too, so that a hole of no width would be found. */
                for (int k = 0; k < 9 && !flood->wet[r][c]; k++) {
                    int rr = r + k / 3 - 1, cc = c + k % 3 - 1;
                    flood->wet[r][c] = rr >= 0 && rr < SIDE && cc >= 0 && cc < SIDE && flood->wet[rr][cc];
                }
                more = more || flood->wet[r][c];
            }
        }
    }
    return flood->wet[r1][c1];
}

static void test_two_and_more(void **state)
{
    (void)state;
    turn_by(0);
    struct drawing drawing = {0};
    LINE(&drawing, {0, 0}, {5000, 0});
    LINE(&drawing, {5000, 240}, {0, 240}); /* the other way */
    join(&drawing);
    assert_int_equal(drawing.element_count, 1);
    assert_int_equal(drawing.classes[0].use, CLASS_WALLS);
    box_check(&drawing, &drawing.elements[0], (double[]){0, 0, 5000, 240});
    assert_near(ring_area(&drawing, drawing.elements[0].first_ring), 5000 * 240.0, 1e-6);
    drawing_free(&drawing);

    LINE(&drawing, {0, 0}, {5000, 0}); /* three: the nearest two, and one line */
    LINE(&drawing, {0, 300}, {5000, 300});
    LINE(&drawing, {0, 400}, {5000, 400});
    join(&drawing);
    assert_int_equal(drawing.element_count, 2);
    box_check(&drawing, element_of(&drawing, "A-WALL", 0), (double[]){0, 0, 5000, 0});
    box_check(&drawing, element_of(&drawing, "A-WALL", 1), (double[]){0, 300, 5000, 400});
    drawing_free(&drawing);

    for (int n = 0; n < 4; n++) { /* two walls of 10 cm, 30 cm between them */
        const double at[] = {0, 100, 400, 500};
        LINE(&drawing, {0, at[n]}, {5000, at[n]});
    }
    join(&drawing);
    assert_int_equal(drawing.element_count, 2);
    assert_false(filled(&drawing, 2500, 250));
    assert_true(filled(&drawing, 2500, 50) && filled(&drawing, 2500, 450));
    drawing_free(&drawing);
}

/* Too near, too far, not beside each other, not parallel, on other pages, wide lines: nothing changes. */
static void test_no_pairs(void **state)
{
    (void)state;
    turn_by(0);
    struct drawing drawing = {0};
    pw_error error;
    int page = 0;
    LINE(&drawing, {0, 0}, {5000, 0}, {5000, 5000});
    LINE(&drawing, {0, 40}, {4000, 40});
    LINE(&drawing, {0, 1000}, {4000, 1000});
    LINE(&drawing, {9000, 200}, {9500, 200});
    LINE(&drawing, {0, 2000}, {3000, 2000});
    LINE(&drawing, {0, 2200}, {3000, 2500});
    LINE(&drawing, {0, 3000}, {3000, 3000});
    LINE(&drawing, {0, 3200}, {3000, 3200});
    drawing.elements[7].width = 200;
    LINE(&drawing, {0, 4000}, {3000, 4000});
    LINE(&drawing, {0, 4200}, {3000, 4200});
    assert_int_equal(drawing_page_of(&drawing, "upstairs", &page, &error), PW_OK);
    drawing.elements[9].page = page;
    struct drawing_element before[10];
    assert_int_equal(drawing.element_count, 10);
    memcpy(before, drawing.elements, sizeof before);
    join(&drawing);
    assert_int_equal(drawing.element_count, 10);
    assert_memory_equal(before, drawing.elements, sizeof before);
    assert_int_equal(drawing.classes[0].use, CLASS_OPEN);
    drawing_free(&drawing);
    join(&(struct drawing){.classes = &(struct drawing_class){.lines = 0}, .class_count = 1}); /* no lines at all */
}

/* Faces in pieces, with a piece that sticks out, and a line that has nothing to do with it. */
static void test_pieces(void **state)
{
    (void)state;
    turn_by(0);
    struct drawing drawing = {0};
    LINE(&drawing, {0, 0}, {1000, 0}, {2000, 0}, {6000, 0});
    LINE(&drawing, {0, 200}, {1500, 200});
    LINE(&drawing, {1500, 200}, {3000, 200});
    LINE(&drawing, {0, 5000}, {700, 5500}, {900, 6000});
    join(&drawing);
    for (double x = 50; x < 2960; x += 100) {
        assert_true(filled(&drawing, x, 100));
    }
    assert_false(filled(&drawing, 3500, 100));
    assert_int_equal(drawing.classes[0].lines, 2);
    box_check(&drawing, element_of(&drawing, "A-WALL", 0), (double[]){0, 5000, 900, 6000}); /* as it was */
    const struct drawing_element *rest = &drawing.elements[drawing.element_count - 1];
    box_check(&drawing, rest, (double[]){3000, 0, 6000, 0});
    drawing_free(&drawing);
}

/* A room of 4 m x 3 m within walls of 24 cm, a door of 90 cm in the south; turned by an angle. */
static void room_draw(struct drawing *drawing)
{
    LINE(drawing, {1500, 240}, {240, 240}, {240, 3240}, {4240, 3240}, {4240, 240}, {2400, 240});
    LINE(drawing, {1500, 0}, {0, 0}, {0, 3480}, {4480, 3480}, {4480, 0}, {2400, 0});
    LINE(drawing, {1500, 0}, {1500, 240}); /* what closes the wall at the door */
    LINE(drawing, {2400, 0}, {2400, 240});
}

static void test_room(void **state)
{
    (void)state;
    for (int angle = 0; angle < 90; angle += 23) {
        turn_by(angle);
        struct drawing drawing = {0};
        room_draw(&drawing);
        join(&drawing);
        assert_int_equal(drawing.classes[0].lines, 0);
        const double corners[4][2] = {{10, 10}, {4470, 10}, {4470, 3470}, {10, 3470}};
        for (int n = 0; n < 4; n++) {
            assert_true(filled(&drawing, corners[n][0], corners[n][1]));
        }
        assert_false(filled(&drawing, 1950, 120) || filled(&drawing, 1510, 120) || filled(&drawing, 2390, 120));
        assert_true(filled(&drawing, 1490, 120) && filled(&drawing, 2410, 120));
        struct flood *open = flood_make(&drawing, 4480, NULL);
        assert_true(flood_runs(open, 2000, 1500, -200, -200));
        struct flood *shut = flood_make(&drawing, 4480, (double[]){1400, 0, 2500, 240});
        assert_false(flood_runs(shut, 2000, 1500, -200, -200));
        for (double x = -95; x < 4600; x += 47) { /* never on a face */
            for (double y = -95; y < 3600; y += 47) {
                bool outer = x > 0 && x < 4480 && y > 0 && y<3480, inner = x> 240 && x < 4240 && y > 240 && y < 3240;
                bool door = x > 1500 && x < 2400 && y < 240;
                assert_true(filled(&drawing, x, y) == (outer && !inner && !door));
            }
        }
        free(open);
        free(shut);
        drawing_free(&drawing);
    }
}

/* Two rooms with a partition of 10 cm: at its upper end the wall's face is broken, at its lower end the partition runs
 * up to the face. */
static void test_junctions(void **state)
{
    (void)state;
    turn_by(7);
    struct drawing drawing = {0};
    rectangle_draw(&drawing, 0, 0, 6000, 4000);
    LINE(&drawing, {2900, 3800}, {200, 3800}, {200, 200}, {5800, 200}, {5800, 3800}, {3000, 3800});
    LINE(&drawing, {2900, 200}, {2900, 3800});
    LINE(&drawing, {3000, 3800}, {3000, 200});
    join(&drawing);
    assert_int_equal(drawing.classes[0].lines, 0);
    assert_true(filled(&drawing, 2950, 3900) && filled(&drawing, 2950, 3801) && filled(&drawing, 2950, 201));
    struct flood *flood = flood_make(&drawing, 6000, NULL);
    assert_false(flood_runs(flood, 1000, 1000, 5000, 1000));
    assert_false(flood_runs(flood, 1000, 1000, -300, -300));
    free(flood);
    drawing_free(&drawing);
}

/* Four rooms, each drawn by its own outline: where their walls cross no face runs through. */
static void test_crossing(void **state)
{
    (void)state;
    turn_by(31);
    struct drawing drawing = {0};
    rectangle_draw(&drawing, 0, 0, 6000, 6000);
    for (int n = 0; n < 4; n++) {
        double x = n % 2 == 0 ? 300 : 3075, y = n / 2 == 0 ? 300 : 3060;
        rectangle_draw(&drawing, x, y, n % 2 == 0 ? 2925 : 5700, n / 2 == 0 ? 2940 : 5700);
    }
    join(&drawing);
    assert_int_equal(drawing.classes[0].lines, 0);
    assert_true(filled(&drawing, 3000, 3000) && filled(&drawing, 2930, 2945) && filled(&drawing, 3070, 3055));
    assert_true(filled(&drawing, 3000, 5850) && filled(&drawing, 150, 3000));
    struct flood *flood = flood_make(&drawing, 6000, NULL);
    assert_false(flood_runs(flood, 1000, 1000, 5000, 5000));
    assert_false(flood_runs(flood, 1000, 1000, 5000, 1000));
    assert_false(flood_runs(flood, 1000, 5000, -300, -300));
    free(flood);
    drawing_free(&drawing);
}

/* A room with corners of 120 degrees, and a round one whose faces are chords. */
static void test_other_corners(void **state)
{
    (void)state;
    turn_by(0);
    for (int sides = 6; sides <= 100; sides += 94) {
        struct drawing drawing = {0};
        for (int face = 0; face < 2; face++) {
            double points[101][2], radius = face == 0 ? 2000 : 2000 - 200 / cos(M_PI / sides);
            for (int n = 0; n <= sides; n++) {
                double angle = 2 * M_PI * (n % sides) / sides + 0.1;
                points[n][0] = 2500 + radius * cos(angle);
                points[n][1] = 2500 + radius * sin(angle);
            }
            line_draw(&drawing, (size_t)sides + 1, points);
        }
        join(&drawing);
        assert_int_equal(drawing.classes[0].lines, 0);
        struct flood *flood = flood_make(&drawing, 5000, NULL);
        assert_false(flood_runs(flood, 2500, 2500, -300, -300));
        free(flood);
        for (int n = 0; n < 360; n++) { /* walls are where they are drawn, and nowhere else */
            double angle = n * M_PI / 180, apothem = 2000 * cos(M_PI / sides);
            assert_false(filled(&drawing, 2500 + 2001 * cos(angle), 2500 + 2001 * sin(angle)));
            assert_true(filled(&drawing, 2500 + (apothem - 1) * cos(angle), 2500 + (apothem - 1) * sin(angle)) ||
                        sides == 6);
            assert_false(filled(&drawing, 2500 + (apothem - 201) * cos(angle), 2500 + (apothem - 201) * sin(angle)));
        }
        drawing_free(&drawing);
    }
}

/* A wall between a door and a corner that is shorter than thick, and one whose outer face sticks out far. */
static void test_short_pieces(void **state)
{
    (void)state;
    turn_by(0);
    struct drawing drawing = {0};
    rectangle_draw(&drawing, 0, 0, 300, 300); /* a pillar is solid */
    LINE(&drawing, {0, 2000}, {3000, 2000});
    LINE(&drawing, {0, 2200}, {1000, 2200});
    join(&drawing);
    assert_true(filled(&drawing, 150, 150) && filled(&drawing, 500, 2100));
    assert_false(filled(&drawing, 1100, 2100)); /* two metres of face alone are no wall */
    assert_int_equal(drawing.classes[0].lines, 1);
    drawing_free(&drawing);
}

static void test_limits(void **state)
{
    (void)state;
    turn_by(0);
    struct drawing drawing = {0};
    pw_error error = {""};
    const int count = SANITIZED ? 8000 : 40000;
    for (int n = 0; n < count; n++) { /* all within one wall's thickness */
        LINE(&drawing, {0, 0.01 * n}, {5000, 0.01 * n + 1});
    }
    pw_status status = drawing_join_faces(&drawing, 0, NEAREST, FARTHEST, &error);
    assert_true(status == PW_OK || (status == PW_BAD_INPUT && strstr(error.message, "so near each other") != NULL));
    drawing_free(&drawing);
    LINE(&drawing, {0, 0}, {1, 1});
    assert_int_equal(drawing_join_faces(&drawing, 0, 0, 3, &error), PW_BAD_INPUT);
    assert_int_equal(drawing_join_faces(&drawing, 0, 3, 2, &error), PW_BAD_INPUT);
    assert_int_equal(drawing_join_faces(&drawing, 0, 3, HUGE_VAL, &error), PW_BAD_INPUT);
    drawing_free(&drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_and_more),  cmocka_unit_test(test_no_pairs),     cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_room),          cmocka_unit_test(test_junctions),    cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_other_corners), cmocka_unit_test(test_short_pieces), cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
