/* The inside of buildings that are painted by hand, whose areas are known: with doors and windows that stand open, with
 * gardens, courtyards, tilted walls, trees and fences; and plans from which no building can be told. */
#include "tests/support/check.h"

#include "map/floor/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double cell = 0.05;

/* A plan of air, width by height metres. */
static struct plan_walls plan_create(double width, double height)
{
    struct plan_walls plan = {.rows = (int)lround(height / cell), .columns = (int)lround(width / cell), .cell = cell};
    plan.wall = calloc((size_t)plan.rows * (size_t)plan.columns, 1);
    plan.permittivity = calloc((size_t)plan.rows * (size_t)plan.columns, sizeof *plan.permittivity);
    assert_non_null(plan.wall);
    assert_non_null(plan.permittivity);
    return plan;
}

/* A bar from (x0, y0) to (x1, y1) [m] of this thickness, ends cut square: of wall, or of air where one stands open. */
static void paint(struct plan_walls *plan, double x0, double y0, double x1, double y1, double thickness, uint8_t wall)
{
    double length = hypot(x1 - x0, y1 - y0), ux = (x1 - x0) / length, uy = (y1 - y0) / length;
    for (int j = 0; j < plan->rows; j++) {
        for (int i = 0; i < plan->columns; i++) {
            double x = (i + 0.5) * cell - x0, y = (j + 0.5) * cell - y0;
            double along = x * ux + y * uy, across = fabs(y * ux - x * uy);
            if (along >= 0.0 && along <= length && across <= 0.5 * thickness) {
                plan->wall[(size_t)j * (size_t)plan->columns + (size_t)i] = wall;
            }
        }
    }
}

/* Walls of a rectangle, 0.3 m thick, whose outer faces are given. */
static void paint_box(struct plan_walls *plan, double x0, double y0, double x1, double y1)
{
    paint(plan, x0, y0 + 0.15, x1, y0 + 0.15, 0.3, WALL_FULL);
    paint(plan, x0, y1 - 0.15, x1, y1 - 0.15, 0.3, WALL_FULL);
    paint(plan, x0 + 0.15, y0, x0 + 0.15, y1, 0.3, WALL_FULL);
    paint(plan, x1 - 0.15, y0, x1 - 0.15, y1, 0.3, WALL_FULL);
}

/* Area inside [m2]; frees the plan. */
static double inside_area(struct plan_walls *plan, pw_floor_kind *kind)
{
    size_t count = (size_t)plan->rows * (size_t)plan->columns, inside = 0;
    uint8_t *mask = calloc(count, 1);
    pw_error error = {""};
    assert_non_null(mask);
    if (inside_find(plan, mask, kind, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    for (size_t n = 0; n < count; n++) {
        inside += mask[n];
    }
    free(mask);
    walls_free(plan);
    return (double)inside * cell * cell;
}

static void check_building(struct plan_walls *plan, double expected)
{
    pw_floor_kind kind;
    double area = inside_area(plan, &kind);
    assert_int_equal(kind, PW_FLOOR_BUILDING);
    if (fabs(area - expected) >= 0.01 * expected) {
        fail_msg("%g m2 inside, not %g", area, expected);
    }
}

static void check_whole(struct plan_walls *plan, pw_floor_kind expected)
{
    pw_floor_kind kind;
    double whole = plan->rows * plan->columns * cell * cell, area = inside_area(plan, &kind);
    assert_int_equal(kind, expected);
    assert_true(fabs(area - whole) < 1e-9 * whole);
}

/* 10 m by 6 m with a door of 1 m, a window of 2 m and an inner door; the garden around it does not count. */
static void test_house(void **state)
{
    (void)state;
    struct plan_walls plan = plan_create(14.0, 11.0);
    paint_box(&plan, 2.0, 3.0, 12.0, 9.0);
    paint(&plan, 6.0, 3.0, 6.0, 9.0, 0.1, WALL_FULL);
    paint(&plan, 4.0, 3.15, 5.0, 3.15, 0.3, 0);
    paint(&plan, 7.0, 8.85, 9.0, 8.85, 0.3, 0);
    paint(&plan, 6.0, 5.0, 6.0, 5.9, 0.1, 0);
    paint(&plan, 8.0, 5.5, 9.0, 5.5, 0.6, WALL_METAL);
    check_building(&plan, 60.0);
}

/* A house of 3 m by 2 m has no room in which the disk turns. */
static void test_hut(void **state)
{
    (void)state;
    struct plan_walls plan = plan_create(8.0, 8.0);
    paint_box(&plan, 2.0, 2.0, 5.0, 4.0);
    paint(&plan, 3.0, 2.15, 3.9, 2.15, 0.3, 0);
    check_building(&plan, 6.0);
}

/* An L with its concave corner to the garden, a tree near a wall and a garden shed. */
static void test_ell_with_garden(void **state)
{
    (void)state;
    struct plan_walls plan = plan_create(20.0, 16.0);
    paint_box(&plan, 2.0, 2.0, 14.0, 7.0);
    paint_box(&plan, 2.0, 6.7, 7.0, 13.0);
    paint(&plan, 3.0, 6.85, 6.0, 6.85, 0.4, 0); /* the wings are one room */
    paint(&plan, 9.0, 2.15, 10.8, 2.15, 0.3, 0);
    paint(&plan, 6.85, 9.0, 6.85, 9.9, 0.3, 0);
    paint(&plan, 10.0, 8.3, 10.6, 8.3, 0.6, WALL_FULL);   /* a tree 1 m from the house */
    paint(&plan, 15.0, 12.0, 16.2, 12.0, 0.3, WALL_FULL); /* a bench */
    check_building(&plan, 12.0 * 5.0 + 5.0 * 6.0);
}

/* Tilted by 30 degrees, with a door. */
static void test_tilted(void **state)
{
    (void)state;
    struct plan_walls plan = plan_create(16.0, 16.0);
    double c = cos(M_PI / 6.0), s = sin(M_PI / 6.0);
    const double corners[4][2] = {{-4.0, -3.0}, {4.0, -3.0}, {4.0, 3.0}, {-4.0, 3.0}};
    for (int k = 0; k < 4; k++) {
        const double *a = corners[k], *b = corners[(k + 1) % 4];
        double ux = (b[0] - a[0]) / hypot(b[0] - a[0], b[1] - a[1]),
               uy = (b[1] - a[1]) / hypot(b[0] - a[0], b[1] - a[1]);
        double x0 = a[0] - 0.1 * ux, y0 = a[1] - 0.1 * uy, x1 = b[0] + 0.1 * ux, y1 = b[1] + 0.1 * uy;
        paint(&plan, 8.0 + c * x0 - s * y0, 8.0 + s * x0 + c * y0, 8.0 + c * x1 - s * y1, 8.0 + s * x1 + c * y1, 0.2,
              WALL_FULL);
    }
    double x0 = -0.5, x1 = 0.5, y = -3.0;
    paint(&plan, 8.0 + c * x0 - s * y, 8.0 + s * x0 + c * y, 8.0 + c * x1 - s * y, 8.0 + s * x1 + c * y, 0.3, 0);
    check_building(&plan, 8.2 * 6.2);
}

/* A courtyard that a passage of 3.5 m opens to the street is outside, one that is closed is inside. */
static void test_courtyards(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        struct plan_walls plan = plan_create(24.0, 24.0);
        paint_box(&plan, 2.0, 2.0, 22.0, 22.0);
        paint_box(&plan, 7.0, 7.0, 17.0, 17.0);
        if (!closed) { /* the passage, with walls on both sides */
            paint(&plan, 12.0, 1.9, 12.0, 7.4, 3.5, 0);
            paint(&plan, 10.1, 2.0, 10.1, 7.3, 0.3, WALL_FULL);
            paint(&plan, 13.9, 2.0, 13.9, 7.3, 0.3, WALL_FULL);
        }
        paint(&plan, 4.0, 2.15, 5.0, 2.15, 0.3, 0);
        paint(&plan, 9.0, 16.85, 10.0, 16.85, 0.3, 0);
        check_building(&plan, closed ? 400.0 : 400.0 - 9.4 * 9.4 - 3.5 * 5.3);
    }
}

/* Two houses count together; what lies between them does not. */
static void test_two_houses(void **state)
{
    (void)state;
    struct plan_walls plan = plan_create(24.0, 10.0);
    paint_box(&plan, 2.0, 2.0, 9.0, 8.0);
    paint_box(&plan, 14.0, 2.0, 22.0, 8.0);
    paint(&plan, 5.0, 2.15, 6.0, 2.15, 0.3, 0);
    paint(&plan, 14.15, 4.0, 14.15, 5.0, 0.3, 0);
    check_building(&plan, 42.0 + 48.0);
}

/* A hall whose gate of 4 m is its only opening. */
static void test_hall_with_gate(void **state)
{
    (void)state;
    struct plan_walls plan = plan_create(40.0, 30.0);
    paint_box(&plan, 4.0, 4.0, 36.0, 26.0);
    paint(&plan, 18.0, 4.15, 22.0, 4.15, 0.3, 0);
    check_building(&plan, 32.0 * 22.0);
}

/* A fence from the rim to the house takes nothing from it and adds nothing; a party wall along the rim neither. */
static void test_rim(void **state)
{
    (void)state;
    struct plan_walls plan = plan_create(16.0, 12.0);
    paint_box(&plan, 3.0, 3.0, 11.0, 9.0);
    paint(&plan, 6.0, 3.15, 7.0, 3.15, 0.3, 0);
    paint(&plan, 11.0, 6.0, 16.0, 6.0, 0.1, WALL_FULL);
    check_building(&plan, 48.0);
    plan = plan_create(16.0, 12.0);
    paint_box(&plan, 0.0, 2.0, 8.0, 9.0);
    paint(&plan, 7.85, 4.0, 7.85, 5.0, 0.3, 0);
    check_building(&plan, 56.0);
    plan = plan_create(10.0, 8.0); /* cut out at its outer faces */
    paint_box(&plan, 0.0, 0.0, 10.0, 8.0);
    paint(&plan, 3.0, 0.15, 4.0, 0.15, 0.3, 0);
    check_building(&plan, 80.0);
}

/* No wall; walls that enclose nothing; a storey cut out of a larger one. */
static void test_no_building(void **state)
{
    (void)state;
    struct plan_walls plan = plan_create(10.0, 8.0);
    check_whole(&plan, PW_FLOOR_EMPTY);
    plan = plan_create(10.0, 8.0);
    paint(&plan, 2.0, 4.0, 8.0, 4.0, 0.2, WALL_FULL);
    check_whole(&plan, PW_FLOOR_OPEN);
    plan = plan_create(20.0, 12.0);
    for (int k = 1; k < 5; k++) {
        paint(&plan, 4.0 * k, 0.0, 4.0 * k, 5.0, 0.1, WALL_FULL);
        paint(&plan, 4.0 * k, 7.0, 4.0 * k, 12.0, 0.1, WALL_FULL);
    }
    paint(&plan, 0.0, 5.0, 20.0, 5.0, 0.1, WALL_FULL);
    paint(&plan, 0.0, 7.0, 20.0, 7.0, 0.1, WALL_FULL);
    check_whole(&plan, PW_FLOOR_CUT);
    /* A plan of 5 um by 4 um holds no room, and needs no memory for rooms of metres. */
    pw_floor_kind kind;
    struct plan_walls film = plan_create(10.0, 8.0);
    paint(&film, 2.0, 0.0, 2.0, 8.0, 0.2, WALL_FULL);
    film.cell = 2.5e-8;
    inside_area(&film, &kind);
    assert_int_equal(kind, PW_FLOOR_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_house),           cmocka_unit_test(test_hut),
        cmocka_unit_test(test_ell_with_garden), cmocka_unit_test(test_tilted),
        cmocka_unit_test(test_courtyards),      cmocka_unit_test(test_two_houses),
        cmocka_unit_test(test_hall_with_gate),  cmocka_unit_test(test_rim),
        cmocka_unit_test(test_no_building),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
