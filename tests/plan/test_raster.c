/* The medium at the nodes, against closed forms: fractions of boxes, areas, the cubic moments that define moment
 * averaging, brute force sampling, mirror symmetry, and the palette's promises. */
#include "tests/support/shape_scene.h"

#include <math.h>
#include <stdlib.h>

/* ---- aligned walls ---- */

static void box_fractions_are_exact(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 2, 2);
    scene_rectangle(&scene, 1.005, 0.5, 1.075, 1.5, 3.0, 0.02); /* of a 2 cm grid: 0.25, 1, 1, 1, 0.25 */
    scene_raster(&scene, grid_of(101, 101, 0.02, 0, 0), AVERAGING_AREA);
    const double fraction[] = {0, 0.25, 1, 1, 1, 0.25, 0};
    for (int n = 0; n < 7; n++) {
        struct medium_entry entry = entry_at(&scene, 49 + n, 50);
        assert_true(fabs(entry.relative_permittivity - (1 + 2 * fraction[n])) < 1e-11);
        assert_true(fabs(entry.conductivity - 0.02 * fraction[n]) < 1e-12);
    }
    assert_true(fabs(permittivity_at(&scene, 52, 25) - 2) < 1e-11);    /* half a cell of the lower end */
    assert_true(fabs(permittivity_at(&scene, 50, 25) - 1.25) < 1e-11); /* corner: 1/4 times 1/2 */
    assert_int_equal(permittivity_at(&scene, 20, 20) == 1, 1);
    scene_end(&scene);
}

static void half_cell_offset_moves_the_fractions(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 2, 2);
    scene_rectangle(&scene, 1.0, -1, 1.08, 3, 3.0,
                    0); /* faces on nodes: 1/2, 1, 1, 1, 1/2; between nodes: 1, 1, 1, 1 */
    scene_raster(&scene, grid_of(101, 20, 0.02, 0, 0), AVERAGING_AREA);
    assert_true(fabs(permittivity_at(&scene, 50, 3) - 2) < 1e-11);
    assert_true(fabs(permittivity_at(&scene, 54, 3) - 2) < 1e-11);
    scene_end(&scene);
    scene_start(&scene, 2, 2);
    scene_rectangle(&scene, 1.0, -1, 1.08, 3, 3.0, 0);
    scene_raster(&scene, grid_of(101, 20, 0.02, 0.01, 0), AVERAGING_AREA);
    for (int i = 48; i <= 55; i++) {
        assert_true(permittivity_at(&scene, i, 3) == (i >= 50 && i <= 53 ? 3.0 : 1.0));
    }
    scene_end(&scene);
}

static void point_sampling_keeps_whole_cells(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 15.36, 15.36);
    scene_rectangle(&scene, 1.2, 1.2, 14.16, 1.28, 2.89, 0.002);
    scene_rectangle(&scene, 5.6, 1.2, 5.66, 6.0, 2.89, 0.002);
    scene_raster(&scene, grid_of(800, 800, 0.02, -0.32, -0.32), AVERAGING_POINT);
    int across = 0, along = 0;
    for (int n = 0; n < 800; n++) {
        across += permittivity_at(&scene, 100, n) > 2;
        along += permittivity_at(&scene, n, 200) > 2;
    }
    assert_int_equal(across, 4);
    assert_int_equal(along, 3);
    scene_end(&scene);
}

/* Sum over nodes of (eps - 1) x^a y^b cell^2 about (x0, y0). */
static double moment_sum(const struct scene *scene, struct raster_grid grid, double x0, double y0, int a, int b)
{
    double sum = 0;
    for (int j = 0; j < grid.ny; j++) {
        for (int i = 0; i < grid.nx; i++) {
            double x = grid.origin.x + i * grid.cell - x0, y = grid.origin.y + j * grid.cell - y0;
            sum += (permittivity_at(scene, i, j) - 1) * pow(x, a) * pow(y, b) * grid.cell * grid.cell;
        }
    }
    return sum;
}

static double power_integral(double low, double high, int power)
{
    return (pow(high, power + 1) - pow(low, power + 1)) / (power + 1);
}

static void moment_averaging_keeps_cubic_moments(void **state)
{
    (void)state;
    const double offsets[] = {0, 0.01, 0.0031, 0.0123, 0.0177};
    for (int n = 0; n < 5; n++) {
        double x0 = 0.5 + offsets[n], x1 = x0 + 0.073, y0 = 0.31 + offsets[4 - n], y1 = y0 + 0.5;
        struct scene scene;
        scene_start(&scene, 1, 1.2);
        scene_rectangle(&scene, x0, y0, x1, y1, 2.89, 0.002);
        struct raster_grid grid = grid_of(60, 70, 0.02, -0.05, -0.07);
        scene_raster(&scene, grid, AVERAGING_MOMENT);
        for (int a = 0; a <= 3; a++) {
            for (int b = 0; b <= 3; b++) {
                double exact = 1.89 * power_integral(x0 - 0.4, x1 - 0.4, a) * power_integral(y0, y1, b);
                assert_true(fabs(moment_sum(&scene, grid, 0.4, 0, a, b) / exact - 1) < 1e-8);
            }
        }
        scene_end(&scene);
    }
}

static void faces_on_fractions_of_a_cell_share_entries(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 15.36, 15.36);
    for (int n = 0; n < 10; n++) { /* the same wall at ten places a whole number of cells apart */
        scene_rectangle(&scene, 1.2 + 1.3 * n, -1, 1.28 + 1.3 * n, 20, 2.89, 0.002);
    }
    scene_raster(&scene, grid_of(800, 800, 0.02, -0.32, -0.32), AVERAGING_MOMENT);
    /* nine nodes of one profile and its mirror image, wall and air: at most 1 + 1 + 2*5 values */
    assert_true(scene.medium.palette_count <= 12);
    assert_true(scene.medium.quantisation_error == 0);
    scene_end(&scene);
}

/* ---- oblique walls ---- */

static void rotated_wall_keeps_its_area(void **state)
{
    (void)state;
    const enum averaging kinds[] = {AVERAGING_AREA, AVERAGING_MOMENT};
    for (int k = 0; k < 2; k++) {
        for (double angle = 0; angle < 3.2; angle += 0.131) {
            struct scene scene;
            scene_start(&scene, 2, 2);
            double dx = 0.35 * cos(angle), dy = 0.35 * sin(angle);
            scene_wall(&scene, 1 - dx, 1.013 - dy, 1 + dx, 1.013 + dy, 0.077, 2.89);
            struct raster_grid grid = grid_of(101, 101, 0.02, 0, 0);
            scene_raster(&scene, grid, kinds[k]);
            assert_true(fabs(moment_sum(&scene, grid, 0, 0, 0, 0) / (1.89 * 0.7 * 0.077) - 1) < 1e-6);
            /* its centre and its second moment, (L^2 cos^2 + t^2 sin^2)/12; the box keeps the latter only on average,
             * with a twelfth of a cell squared added */
            assert_true(fabs(moment_sum(&scene, grid, 1, 1.013, 1, 0)) < 1e-7);
            double box = kinds[k] == AVERAGING_AREA ? 0.02 * 0.02 / 12 : 0;
            double second = (0.49 * cos(angle) * cos(angle) + 0.077 * 0.077 * sin(angle) * sin(angle)) / 12 + box;
            assert_true(fabs(moment_sum(&scene, grid, 1, 0, 2, 0) / (1.89 * 0.7 * 0.077) - second) <
                        (kinds[k] == AVERAGING_AREA ? 1e-4 : 1e-6));
            scene_end(&scene);
        }
    }
}

static void circle_keeps_its_area(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 2, 2);
    struct shape *circle = scene_add(&scene, SHAPE_CIRCLE, 4, 0);
    circle->points[0] = (struct point){1.003, 0.991};
    circle->radius = 0.25;
    struct raster_grid grid = grid_of(101, 101, 0.02, 0, 0);
    scene_raster(&scene, grid, AVERAGING_MOMENT);
    double area = acos(-1) * 0.0625;
    assert_true(fabs(moment_sum(&scene, grid, 0, 0, 0, 0) / (3 * area) - 1) < 1e-5);
    assert_true(fabs(moment_sum(&scene, grid, 1.003, 0, 2, 0) / (3 * area * 0.0625 / 4) - 1) < 1e-4);
    scene_end(&scene);
}

/* Oblique, shallow and crossing shapes against 200 x 200 samples of the plan in every box. */
static void boxes_agree_with_brute_force(void **state)
{
    (void)state;
    enum { SAMPLES = 200 };
    struct scene scene;
    scene_start(&scene, 1, 1);
    scene_wall(&scene, 0.1, 0.2, 0.9, 0.75, 0.06, 3);
    scene_wall(&scene, 0.05, 0.5, 0.95, 0.503, 0.05, 5);
    scene_rectangle(&scene, 0.62, 0.1, 0.69, 0.9, 2, 0.1);
    struct shape *circle = scene_add(&scene, SHAPE_CIRCLE, 4, 0);
    circle->points[0] = (struct point){0.3, 0.6};
    circle->radius = 0.17;
    struct shape *opening = scene_add(&scene, SHAPE_OPENING, 0, 0);
    opening->points[0] = (struct point){0.25, 0.3};
    opening->points[1] = (struct point){0.35, 0.6};
    struct shape *polygon = scene_add(&scene, SHAPE_POLYGON, 6, 0);
    polygon->point_count = 5; /* a pentagram: empty inside by the even-odd rule */
    for (int p = 0; p < 5; p++) {
        double angle = 0.3 + p * 4 * acos(-1) / 5;
        polygon->points[p] = (struct point){0.8 + 0.15 * cos(angle), 0.25 + 0.15 * sin(angle)};
    }
    const double cell = 0.03;
    struct raster_grid grid = grid_of(34, 34, cell, 0.005, 0.007);
    scene_raster(&scene, grid, AVERAGING_AREA);
    double worst = 0;
    for (int j = 0; j < grid.ny; j++) {
        for (int i = 0; i < grid.nx; i++) {
            double sum = 0;
            for (int n = 0; n < SAMPLES * SAMPLES; n++) {
                double x = grid.origin.x + cell * (i + (n % SAMPLES + 0.5) / SAMPLES - 0.5);
                double y = grid.origin.y + cell * (j + (n / SAMPLES + 0.5) / SAMPLES - 0.5);
                sum += scene.plan.materials[floorplan_material_at(&scene.plan, x, y)].relative_permittivity;
            }
            worst = fmax(worst, fabs(sum / SAMPLES / SAMPLES - permittivity_at(&scene, i, j)));
        }
    }
    assert_true(worst < 0.02); /* of contrasts up to 5: half a sample along a face, faces that cross in a slab */
    scene_end(&scene);
}

/* ---- laws ---- */

static void mirrored_plan_gives_mirrored_medium(void **state)
{
    (void)state;
    const enum averaging kinds[] = {AVERAGING_AREA, AVERAGING_MOMENT};
    for (int k = 0; k < 2; k++) {
        struct scene scene[3];
        for (int m = 0; m < 3; m++) { /* as it is, mirrored in x, mirrored in y */
            scene_start(&scene[m], 2, 2);
            double sx = m == 1 ? -1 : 1, sy = m == 2 ? -1 : 1;
            scene_wall(&scene[m], 1 + sx * -0.6, 1 + sy * 0.1, 1 + sx * 0.55, 1 + sy * 0.83, 0.07, 2.89);
            scene_rectangle(&scene[m], 1 + sx * 0.3, 1 + sy * -0.7, 1 + sx * 0.361, 1 + sy * 0.2, 5, 0.01);
            scene_raster(&scene[m], grid_of(101, 101, 0.02, 0, 0), kinds[k]);
        }
        for (int j = 0; j <= 100; j++) {
            for (int i = 0; i <= 100; i++) {
                double value = permittivity_at(&scene[0], i, j);
                assert_true(fabs(value - permittivity_at(&scene[1], 100 - i, j)) < 1e-10);
                assert_true(fabs(value - permittivity_at(&scene[2], i, 100 - j)) < 1e-10);
            }
        }
        for (int m = 0; m < 3; m++) {
            scene_end(&scene[m]);
        }
    }
}

static void materials_run_on_outside(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 1, 1);
    scene_rectangle(&scene, 0, 0.4, 1, 0.5, 3, 0);     /* to both side edges */
    scene_rectangle(&scene, 0.2, 0.9, 0.3, 1.0, 5, 0); /* to the upper edge */
    scene_rectangle(&scene, 0, 0, 0.1, 0.1, 7, 0);     /* the lower left corner */
    scene_raster(&scene, grid_of(141, 141, 0.01, -0.2, -0.2), AVERAGING_MOMENT);
    assert_true(permittivity_at(&scene, 0, 65) == 3);
    assert_true(permittivity_at(&scene, 140, 65) == 3);
    assert_true(permittivity_at(&scene, 45, 140) == 5);
    assert_true(permittivity_at(&scene, 0, 0) == 7);
    assert_true(permittivity_at(&scene, 140, 0) == 1);
    assert_true(permittivity_at(&scene, 100, 140) == 1);
    scene_end(&scene);
}

static void conductor_takes_nodes_at_half_a_box(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 2, 2);
    struct shape *metal = scene_rectangle(&scene, 1.0, 0.5, 1.049, 1.5, 1, 0); /* boxes: 0.5, 1, 0.95, 0 */
    metal->material = (struct material_choice){.name = "metal"};
    scene_rectangle(&scene, 0.9, 0.5, 1.0, 1.5, 3, 0);
    scene_raster(&scene, grid_of(101, 101, 0.02, 0, 0), AVERAGING_AREA);
    assert_false(entry_at(&scene, 49, 50).perfect_conductor);
    assert_true(entry_at(&scene, 49, 50).relative_permittivity == 3);
    assert_true(entry_at(&scene, 50, 50).perfect_conductor);
    assert_true(entry_at(&scene, 52, 50).perfect_conductor);
    assert_false(entry_at(&scene, 53, 50).perfect_conductor);
    assert_true(entry_at(&scene, 53, 50).relative_permittivity == 1);
    assert_false(entry_at(&scene, 51, 20).perfect_conductor);
    scene_end(&scene);
    scene_start(&scene, 2, 2);
    scene_rectangle(&scene, 1.01, 0.5, 1.05, 1.5, 1, 0)->material = (struct material_choice){.name = "metal"};
    scene_raster(&scene, grid_of(101, 101, 0.02, 0, 0), AVERAGING_MOMENT);
    for (int i = 0; i <= 100; i++) {
        assert_int_equal(entry_at(&scene, i, 50).perfect_conductor, i == 51 || i == 52);
        assert_true(entry_at(&scene, i, 50).relative_permittivity == 1);
    }
    scene_end(&scene);
}

/* ---- palette ---- */

static void many_values_are_joined_within_the_error(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 20, 20);
    const double materials[] = {2.89, 5.24, 6.31, 1.99, 3.91, 2.73};
    double area = 0;
    for (int w = 0; w < 12; w++) {
        double angle = 0.1 + 0.013 * w, x = 2 + 1.4 * w;
        scene_wall(&scene, x, 2, x + 14 * sin(angle) / 5, 2 + 14 * cos(angle), 0.1, materials[w % 6]);
        scene.shapes[w].material.conductivity = 0.001 * w;
        double length = 14 * hypot(sin(angle) / 5, cos(angle));
        area += length * 0.1 * (materials[w % 6] - 1);
    }
    struct raster_grid grid = grid_of(1000, 1000, 0.02, 0, 0);
    scene_raster(&scene, grid, AVERAGING_MOMENT);
    assert_true(scene.medium.palette_count > PALETTE_LIMIT / 2);
    assert_true(scene.medium.quantisation_error > 0 && scene.medium.quantisation_error < 0.02);
    assert_true(fabs(moment_sum(&scene, grid, 0, 0, 0, 0) / area - 1) < 1e-6);
    scene_end(&scene);
}

/* ---- misuse ---- */

/* Weights with negative lobes would take permittivity under zero beside this block; it is raised there, by little: as a
 * block that is wider by a tenth of a cell on each side would be. */
static void beside_a_strong_contrast_permittivity_is_raised(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 1, 1);
    scene_rectangle(&scene, 0.4, 0.4, 0.6, 0.6, 80, 0);
    struct raster_grid grid = grid_of(50, 50, 0.02, 0, 0);
    assert_int_equal(floorplan_create(&scene.scenario, false, &scene.warnings, &scene.plan, &scene.error), PW_OK);
    assert_int_equal(raster_medium(&scene.plan, &grid, AVERAGING_MOMENT, &scene.medium, &scene.error), PW_OK);
    const struct medium *medium = &scene.medium;
    double excess = 0, least = 80;
    for (size_t n = 0; n < 50 * 50; n++) {
        excess += (medium->palette[medium->index[n]].relative_permittivity - 1) * 0.02 * 0.02;
        least = fmin(least, medium->palette[medium->index[n]].relative_permittivity);
    }
    assert_true(medium->raised_nodes > 20 && fabs(least / LEAST_PERMITTIVITY - 1) < 1e-3);
    assert_true(excess / (79 * 0.2 * 0.2) > 1 && excess / (79 * 0.2 * 0.2) < 1.04);
    scene_end(&scene);
}

/* Least relative permittivity of a scene, and the mean of all nodes over what the areas say. */
static double least_of(struct scene *scene, int cells, double area, double *excess)
{
    const double cell = 1.0 / cells, permittivity = 5.24;
    struct raster_grid grid = grid_of(cells, cells, cell, 0, 0); /* faces stand on nodes */
    double least = permittivity;
    assert_int_equal(floorplan_create(&scene->scenario, false, &scene->warnings, &scene->plan, &scene->error), PW_OK);
    assert_int_equal(raster_medium(&scene->plan, &grid, AVERAGING_MOMENT, &scene->medium, &scene->error), PW_OK);
    *excess = 0;
    for (int n = 0; n < cells * cells; n++) {
        const double here = scene->medium.palette[scene->medium.index[n]].relative_permittivity;
        least = fmin(least, here);
        *excess += (here - 1) * cell * cell / ((permittivity - 1) * area);
    }
    return least;
}

/* A face takes up to 2/45 of the step from the nodes before it, the end of a wall as much times 1 + 2/45, and nothing
 * is changed there; a corner of a room would take twice as much, and the time step is not for corners to decide. What
 * the walls gain is less than a twentieth of a cell for each corner. */
static void corners_of_rooms_take_no_more_than_faces(void **state)
{
    (void)state;
    const double step = 5.24 - 1, lobe = 2 / 45.0, end = 1 - lobe * (1 + lobe) * step;
    for (int corners = 0; corners <= 4; corners += 4) {
        struct scene scene;
        double excess;
        scene_start(&scene, 1, 1);
        scene_rectangle(&scene, 0.2, 0.2, 0.8, 0.3, 5.24, 0);
        scene_rectangle(&scene, 0.2, 0.7, 0.8, 0.8, 5.24, 0);
        if (corners > 0) {
            scene_rectangle(&scene, 0.2, 0.3, 0.3, 0.7, 5.24, 0);
            scene_rectangle(&scene, 0.7, 0.3, 0.8, 0.7, 5.24, 0);
        }
        const double area = corners > 0 ? 0.6 * 0.6 - 0.4 * 0.4 : 2 * 0.6 * 0.1,
                     least = least_of(&scene, 60, area, &excess);
        print_message("%d corners: least permittivity %.4f, %ld nodes raised\n", corners, least,
                      (long)scene.medium.raised_nodes);
        assert_true(fabs(least - end) < 1e-5);
        assert_int_equal(scene.medium.raised_nodes, corners);
        assert_true(fabs(excess - 1) < 1e-6 + corners * 0.05 / 3600 / area);
        scene_end(&scene);
    }
}

static void impossible_grids_are_refused(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 1, 1);
    assert_int_equal(floorplan_create(&scene.scenario, false, &scene.warnings, &scene.plan, &scene.error), PW_OK);
    struct raster_grid grids[] = {grid_of(0, 5, 0.02, 0, 0), grid_of(5, -1, 0.02, 0, 0), grid_of(5, 5, 0, 0, 0),
                                  grid_of(5, 5, NAN, 0, 0), grid_of(5, 5, 0.02, NAN, 0)};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        assert_int_equal(raster_medium(&scene.plan, &grids[g], AVERAGING_AREA, &scene.medium, &scene.error),
                         PW_BAD_INPUT);
        assert_null(scene.medium.index);
    }
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_fractions_are_exact),
        cmocka_unit_test(half_cell_offset_moves_the_fractions),
        cmocka_unit_test(point_sampling_keeps_whole_cells),
        cmocka_unit_test(moment_averaging_keeps_cubic_moments),
        cmocka_unit_test(faces_on_fractions_of_a_cell_share_entries),
        cmocka_unit_test(rotated_wall_keeps_its_area),
        cmocka_unit_test(circle_keeps_its_area),
        cmocka_unit_test(boxes_agree_with_brute_force),
        cmocka_unit_test(mirrored_plan_gives_mirrored_medium),
        cmocka_unit_test(materials_run_on_outside),
        cmocka_unit_test(conductor_takes_nodes_at_half_a_box),
        cmocka_unit_test(many_values_are_joined_within_the_error),
        cmocka_unit_test(beside_a_strong_contrast_permittivity_is_raised),
        cmocka_unit_test(corners_of_rooms_take_no_more_than_faces),
        cmocka_unit_test(impossible_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
