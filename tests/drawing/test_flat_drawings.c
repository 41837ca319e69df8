/* floorplans/flat.dxf and flat.svg give the walls of the flat that they were drawn from, everywhere: double lines
 * joined into walls, and areas. Furniture, doors and texts are in other classes. */
#include "drawing/parallel_walls.h"
#include "tests/drawing/vector_check.h"

/* The flat of floorplans/flat_geometry.yaml, in metres: walls, then what is open in them. */
static const double WALLS[][4] = {{1.2, 1.2, 14.16, 1.28},    {1.2, 14.08, 14.16, 14.16}, {1.2, 1.2, 1.28, 14.16},
                                  {14.08, 1.2, 14.16, 14.16}, {1.2, 6, 5.2, 6.08},        {6.1, 6, 10.4, 6.08},
                                  {11.3, 6, 14.16, 6.08},     {1.2, 9.2, 3.6, 9.28},      {4.5, 9.2, 9, 9.28},
                                  {9.9, 9.2, 14.16, 9.28},    {5.6, 1.2, 5.66, 6},        {10, 1.2, 10.06, 6},
                                  {4.9, 9.28, 4.96, 14.16},   {9.3, 9.28, 9.36, 14.16}};
static const double OPENINGS[][4] = {{7.2, 1.2, 8.1, 1.28}, {1.2, 7.3, 1.28, 8.2}};

static bool is_in(const double (*boxes)[4], size_t count, double x, double y)
{
    for (size_t b = 0; b < count; b++) {
        if (x > boxes[b][0] && x < boxes[b][2] && y > boxes[b][1] && y < boxes[b][3]) {
            return true;
        }
    }
    return false;
}

static bool is_wall(double x, double y)
{
    return is_in(WALLS, sizeof WALLS / sizeof WALLS[0], x, y) &&
           !is_in(OPENINGS, sizeof OPENINGS / sizeof OPENINGS[0], x, y);
}

/* Looks at points that lie on no face, 3.7 cm apart. */
static void walls_check(const struct drawing *drawing, const char *name, double unit)
{
    size_t both = 0, either = 0;
    struct drawing one = *drawing;
    const struct drawing_class *walls = class_named(drawing, name);
    assert_non_null(walls);
    for (double y = 0.011; y < 15.36; y += 0.037) {
        for (double x = 0.013; x < 15.36; x += 0.037) {
            bool found = false, wanted = is_wall(x, y);
            for (size_t e = 0; e < drawing->element_count && !found; e++) {
                one.elements = drawing->elements + e;
                one.element_count = 1;
                found =
                    &drawing->classes[one.elements->class_index] == walls && point_is_filled(&one, x / unit, y / unit);
            }
            both += found && wanted ? 1 : 0;
            either += found || wanted ? 1 : 0;
        }
    }
    print_message("%s: intersection over union %.4f of %zu points in walls\n", name, (double)both / (double)either,
                  either);
    assert_true(either > 4000 && both == either);
}

static struct drawing shipped(const char *path)
{
    struct drawing drawing = {0};
    pw_error error = {""};
    if (drawing_read(path, &(struct picture_options){0}, &drawing, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return drawing;
}

static void test_dxf(void **state)
{
    (void)state;
    struct drawing drawing = shipped("floorplans/flat.dxf");
    pw_error error = {""};
    assert_true(drawing.unit == 1e-3);
    assert_int_equal(omissions_of(&drawing, "TEXT"), 10);
    for (size_t c = 0; c < drawing.class_count; c++) {
        if (strcmp(drawing.classes[c].name, "A-WALL") == 0) {
            assert_int_equal(drawing_join_faces(&drawing, (int)c, 50, 450, &error), PW_OK);
            assert_int_equal(drawing.classes[c].lines, 0);
        }
    }
    assert_true(class_named(&drawing, "A-DOOR")->lines == 10 && class_named(&drawing, "A-FURN")->lines > 30);
    walls_check(&drawing, "A-WALL", 1e-3);
    drawing_free(&drawing);
}

static void test_svg(void **state)
{
    (void)state;
    struct drawing drawing = shipped("floorplans/flat.svg");
    assert_int_equal(omissions_of(&drawing, "text"), 7);
    assert_true(class_named(&drawing, "Doors")->lines == 5 && class_named(&drawing, "Furniture fill")->areas > 20);
    walls_check(&drawing, "Walls", 1e-2);
    drawing_free(&drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dxf), cmocka_unit_test(test_svg)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
