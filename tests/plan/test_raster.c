/* The medium at the nodes, against closed forms: fractions of boxes, areas, the cubic moments that define moment
 * averaging, brute force sampling, mirror symmetry, and the palette's promises. */
#include "tests/support/check.h"

#include "medium/averaging_weight.h"
#include "medium/metal_surface.h"
#include "medium/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES = 16 };

/* A scenario of shapes alone. */
struct scene {
    struct scenario scenario;
    struct shape shapes[SHAPES];
    struct point points[SHAPES][8];
    struct warnings warnings;
    struct floorplan plan;
    struct medium medium;
    pw_error error;
};

static void scene_start(struct scene *scene, double width, double height)
{
    memset(scene, 0, sizeof *scene);
    scene->scenario.file = (char *)(uintptr_t) "test.yaml";
    scene->scenario.band_centre = 2.4e9;
    scene->scenario.band_width = 0.6e9;
    scene->scenario.plan.width = width;
    scene->scenario.plan.height = height;
    scene->scenario.plan.shapes = scene->shapes;
}

static struct shape *scene_add(struct scene *scene, enum shape_kind kind, double permittivity, double conductivity)
{
    int s = scene->scenario.plan.shape_count++;
    struct shape *shape = &scene->shapes[s];
    shape->kind = kind;
    shape->points = scene->points[s];
    shape->point_count = kind == SHAPE_CIRCLE ? 1 : 2;
    shape->material.own_values = true;
    shape->material.relative_permittivity = permittivity;
    shape->material.conductivity = conductivity;
    strcpy(shape->material.name, "wall");
    return shape;
}

static struct shape *scene_rectangle(struct scene *scene, double x0, double y0, double x1, double y1,
                                     double permittivity, double conductivity)
{
    struct shape *shape = scene_add(scene, SHAPE_RECTANGLE, permittivity, conductivity);
    shape->points[0] = (struct point){x0, y0};
    shape->points[1] = (struct point){x1, y1};
    return shape;
}

static struct shape *scene_wall(struct scene *scene, double x0, double y0, double x1, double y1, double thickness,
                                double permittivity)
{
    struct shape *shape = scene_add(scene, SHAPE_WALL, permittivity, 0.01);
    shape->points[0] = (struct point){x0, y0};
    shape->points[1] = (struct point){x1, y1};
    shape->thickness = thickness;
    return shape;
}

static struct raster_grid grid_of(int nx, int ny, double cell, double x, double y)
{
    return (struct raster_grid){.nx = nx, .ny = ny, .cell = cell, .origin = {x, y}};
}

static void scene_raster(struct scene *scene, struct raster_grid grid, enum averaging averaging)
{
    pw_status status = floorplan_create(&scene->scenario, false, &scene->warnings, &scene->plan, &scene->error);
    if (status == PW_OK) {
        status = raster_medium(&scene->plan, &grid, averaging, &scene->medium, &scene->error);
    }
    assert_string_equal(status == PW_OK ? "" : scene->error.message, "");
    assert_true(scene->medium.palette_count <= PALETTE_LIMIT);
    assert_true(scene->medium.palette[0].relative_permittivity == 1 && scene->medium.palette[0].conductivity == 0);
}

static void scene_end(struct scene *scene)
{
    medium_free(&scene->medium);
    floorplan_free(&scene->plan);
    warnings_free(&scene->warnings);
}

static struct medium_entry entry_at(const struct scene *scene, int i, int j)
{
    const struct medium *medium = &scene->medium;
    return medium->palette[medium->index[(size_t)j * (size_t)medium->nx + (size_t)i]];
}

static double permittivity_at(const struct scene *scene, int i, int j)
{
    return entry_at(scene, i, j).relative_permittivity;
}

/* ---- the weight ---- */

static double integral(double x)
{
    struct averaging_weight weight;
    assert_int_equal(weight_moment(&weight, NULL), PW_OK);
    double value = weight_integral(&weight, x);
    weight_free(&weight);
    return value;
}

static void phi_meets_its_refinement_equation(void **state)
{
    (void)state;
    struct averaging_weight weight;
    assert_int_equal(weight_moment(&weight, NULL), PW_OK);
    for (double x = -3.4; x < 3.4; x += 0.0137) {
        double right = 0.5 * (weight_integral(&weight, 2 * x) +
                              9.0 / 16 * (weight_integral(&weight, 2 * x - 1) + weight_integral(&weight, 2 * x + 1)) -
                              1.0 / 16 * (weight_integral(&weight, 2 * x - 3) + weight_integral(&weight, 2 * x + 3)));
        assert_true(fabs(weight_integral(&weight, x) - right) < 1e-9);
        /* even weight */
        assert_true(fabs(weight_integral(&weight, x) + weight_integral(&weight, -x) - 1) < 1e-12);
        /* partition of unity: the integrals of all shifts over [x, x + 1/3] add to 1/3 */
        double sum = 0;
        for (int i = -8; i <= 8; i++) {
            sum += weight_integral(&weight, x + 1.0 / 3 - i) - weight_integral(&weight, x - i);
        }
        assert_true(fabs(sum - 1.0 / 3) < 1e-12);
    }
    weight_free(&weight);
    /* interpolating, so phi is 1 at 0 and phi(1/2) = 9/16, phi(3/2) = -1/16: slopes of the integral */
    double h = 1.0 / 2048;
    assert_true(fabs((integral(0.5 + h) - integral(0.5 - h)) / (2 * h) - 9.0 / 16) < 1e-5);
    assert_true(fabs((integral(1.5 + h) - integral(1.5 - h)) / (2 * h) + 1.0 / 16) < 1e-5);
}

static void mean_of_the_integral_is_its_mean(void **state)
{
    (void)state;
    struct averaging_weight weights[3] = {weight_box()};
    assert_int_equal(weight_moment(&weights[1], NULL), PW_OK);
    assert_int_equal(weight_sinc(&weights[2], NULL), PW_OK);
    for (int w = 0; w < 3; w++) {
        for (double half = 1e-7; half < 10; half *= 7) {
            for (double x = -3.1; x < 3.1; x += 0.21) {
                double sum = 0;
                enum { POINTS = 20000 };
                for (int n = 0; n < POINTS; n++) {
                    sum += weight_integral(&weights[w], x + half * ((2 * n + 1.0) / POINTS - 1));
                }
                assert_true(fabs(sum / POINTS - weight_integral_mean(&weights[w], x, half)) < 1e-7);
            }
        }
    }
    weight_free(&weights[1]);
    weight_free(&weights[2]);
}

/* ---- band-limited averaging ---- */

/* The node sum of eps g equals the integral of eps g for g within the band, wherever the faces lie: what the low pass
 * is for. */
static void low_pass_keeps_waves(void **state)
{
    (void)state;
    for (double offset = 0; offset < 1; offset += 0.17) {
        struct scene scene;
        scene_start(&scene, 4, 1);
        double x0 = 1.6 + 0.05 * offset, x1 = 2.35 + 0.03 * offset;
        scene_rectangle(&scene, x0, -1, x1, 2, 3, 0);
        scene_raster(&scene, grid_of(81, 3, 0.05, 0, 0.3),
                     AVERAGING_BANDLIMITED);            /* wave_number 0: the low pass alone */
        for (double q = 0; q < 0.55 * M_PI; q += 0.2) { /* rad per cell */
            double sum_re = 0, sum_im = 0, k = q / 0.05;
            for (int i = 0; i < 81; i++) {
                sum_re += 0.05 * (permittivity_at(&scene, i, 1) - 1) * cos(k * 0.05 * i);
                sum_im += 0.05 * (permittivity_at(&scene, i, 1) - 1) * sin(k * 0.05 * i);
            }
            double re = q > 0 ? 2 * (sin(k * x1) - sin(k * x0)) / k : 2 * (x1 - x0);
            double im = q > 0 ? -2 * (cos(k * x1) - cos(k * x0)) / k : 0;
            assert_true(hypot(sum_re - re, sum_im - im) < 2e-3);
        }
        scene_end(&scene);
    }
}

/* The second part: each face brings (k0 cell/pi)^2 times the variance under the low pass. For the ideal low pass the
 * variances of a unit step add up to 1/pi^2 cells. Conductivity is the share of the area, whatever the averaging: never
 * under zero. */
static void faces_bring_their_variance(void **state)
{
    (void)state;
    struct scene scene[2];
    double cell = 0.02, k0 = 2 * M_PI * 2.4e9 / 299792458.0, sum[2] = {0, 0}, loss = 0;
    for (int s = 0; s < 2; s++) {
        scene_start(&scene[s], 4, 1);
        scene_rectangle(&scene[s], 1.6, -1, 2.4, 2, 3.5, 0.03);
        struct raster_grid grid = grid_of(201, 3, cell, 0, 0.3);
        grid.wave_number = s * k0;
        scene_raster(&scene[s], grid, AVERAGING_BANDLIMITED);
        loss = 0;
        for (int i = 0; i < 201; i++) {
            struct medium_entry entry = entry_at(&scene[s], i, 1);
            sum[s] += entry.relative_permittivity;
            loss += entry.conductivity * cell;
            assert_true(entry.conductivity >= 0);
        }
        scene_end(&scene[s]);
    }
    double law = 2 * pow(k0 * cell / M_PI, 2) * 2.5 * 2.5 / (M_PI * M_PI);
    assert_true(fabs((sum[1] - sum[0]) / law - 1) < 0.1);
    assert_true(fabs(loss - 0.03 * 0.8) < 1e-9);
}

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

/* ---- metal at its place ---- */

static const enum scheme MIRROR_SCHEMES[] = {SCHEME_YEE, SCHEME_DD2, SCHEME_DD4, SCHEME_FD8};

/* The lowest wave number [rad/cell] of row j of the medium: L E + k^2 permittivity E = 0 on the nodes that are not
 * metal, by inverse iteration. */
static double lowest_wave_number(const struct scene *scene, int j, const struct stencil *stencil)
{
    enum { MOST = 64 };
    int node[MOST], count = 0;
    for (int i = 0; i < scene->medium.nx; i++) {
        if (!entry_at(scene, i, j).perfect_conductor) {
            assert_true(count < MOST);
            node[count++] = i;
        }
    }
    static double matrix[MOST][MOST], inverse[MOST][MOST]; /* Gauss and Jordan: -L is positive, no pivots */
    for (int r = 0; r < count; r++) {
        for (int c = 0; c < count; c++) {
            int m = abs(node[r] - node[c]);
            matrix[r][c] = m == 0 ? -stencil->centre : (m < 2 * stencil->reach ? -stencil->laplacian[m - 1] : 0);
            inverse[r][c] = r == c;
        }
    }
    for (int p = 0; p < count; p++) {
        double pivot = matrix[p][p];
        for (int c = 0; c < count; c++) {
            matrix[p][c] /= pivot;
            inverse[p][c] /= pivot;
        }
        for (int r = 0; r < count; r++) {
            double factor = r == p ? 0 : matrix[r][p];
            for (int c = 0; c < count; c++) {
                matrix[r][c] -= factor * matrix[p][c];
                inverse[r][c] -= factor * inverse[p][c];
            }
        }
    }
    double field[MOST], next[MOST], growth = 0;
    for (int r = 0; r < count; r++) {
        field[r] = 1;
    }
    for (int round = 0; round < 60; round++) {
        growth = 0;
        for (int r = 0; r < count; r++) {
            next[r] = 0;
            for (int c = 0; c < count; c++) {
                next[r] += inverse[r][c] * permittivity_at(scene, node[c], j) * field[c];
            }
            growth = fmax(growth, fabs(next[r]));
        }
        for (int r = 0; r < count; r++) {
            field[r] = next[r] / growth;
        }
    }
    return sqrt(1 / growth);
}

/* A gap of half a wavelength at the band's centre between two metal walls, faces anywhere between the nodes: k width =
 * pi. */
static double resonance_error(enum scheme scheme, double cells, double offset, bool placed)
{
    const double k = 2 * M_PI * 2.4e9 / 299792458, width = M_PI / k, cell = width / cells;
    struct stencil stencil = stencil_get(scheme);
    struct scene scene;
    scene_start(&scene, 60 * cell, 40 * cell);
    double left = (15 + offset) * cell;
    scene_rectangle(&scene, 0, 0, left, 1, 1, 0)->material = (struct material_choice){.name = "metal"};
    scene_rectangle(&scene, left + width, 0, 60 * cell, 1, 1, 0)->material = (struct material_choice){.name = "metal"};
    struct raster_grid grid = grid_of(60, 3, cell, 0, 10 * cell);
    grid.wave_number = k;
    grid.stencil = placed ? &stencil : NULL;
    scene_raster(&scene, grid, AVERAGING_AREA);
    for (int p = 0; p < scene.medium.palette_count; p++) {
        assert_true(scene.medium.palette[p].relative_permittivity >= 1);
    }
    assert_true(scene.medium.largest_permittivity == 1);
    double error = fabs(lowest_wave_number(&scene, 1, &stencil) / cell / k - 1);
    scene_end(&scene);
    return error;
}

static void cavity_between_metal_has_its_resonance(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof MIRROR_SCHEMES / sizeof MIRROR_SCHEMES[0]; s++) {
        double worst[2] = {0}, staircase = 0;
        for (double offset = 0; offset < 1; offset += 0.0625) {
            worst[0] = fmax(worst[0], resonance_error(MIRROR_SCHEMES[s], 10.37, offset, true));
            worst[1] = fmax(worst[1], resonance_error(MIRROR_SCHEMES[s], 20.74, offset, true));
            staircase = fmax(staircase, resonance_error(MIRROR_SCHEMES[s], 20.74, offset, false));
        }
        assert_true(worst[1] < 0.005);
        assert_true(worst[0] > 3 * worst[1]); /* second order */
        assert_true(staircase > 0.02);
    }
}

static void mirror_law_of_yee_is_the_slope(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_YEE);
    struct mirror_law law = mirror_law_of(&stencil);
    assert_true(fabs(law.place - 1) < 1e-12 && fabs(law.compliance - 1) < 1e-12);
    for (double f = 1; f < 9; f += 0.37) {
        assert_true(fabs(mirror_stiffness(&law, f) - (1 - 1 / f)) < 1e-12);
    }
    assert_true(mirror_stiffness(&law, 0.5) == 0);
    assert_true(fabs(mirror_stiffness(&law, INFINITY) - 1) < 1e-12);
}

/* Mean square displacement over a band and all places, by sums. */
static double displacement(double slack, double half_band)
{
    double sum = 0;
    int count = 0;
    for (int p = 0; p < 1000; p++) {
        double place = (p + 0.5) / 1000 - slack; /* of the metal beyond where the mirror stands by itself */
        for (int b = 0; b < 20; b++, count++) {
            double detuning = 2 * half_band * ((b + 0.5) / 10 - 1);
            sum += pow(place < 0 ? place : place * (1 + place) * detuning, 2);
        }
    }
    return sum / count;
}

static void mirror_slack_is_the_best(void **state)
{
    (void)state;
    assert_true(mirror_slack(0) < 1e-9);
    assert_true(mirror_slack(0.5) == 0.5 && mirror_slack(2) == 0.5);
    for (double half_band = 0.05; half_band < 0.45; half_band += 0.1) {
        double slack = mirror_slack(half_band), here = displacement(slack, half_band);
        assert_true(here <= displacement(slack - 0.05, half_band) && here <= displacement(slack + 0.05, half_band));
    }
}

static void thin_metal_is_tight(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_DD4);
    for (int row = 0; row < 8; row++) { /* a foil of a tenth of a cell, anywhere */
        struct scene scene;
        scene_start(&scene, 2, 2);
        double y = 1 + row * 0.0025;
        scene_rectangle(&scene, 0.5, y, 1.5, y + 0.002, 1, 0)->material = (struct material_choice){.name = "metal"};
        struct raster_grid grid = grid_of(101, 101, 0.02, 0, 0);
        grid.wave_number = 50;
        grid.stencil = &stencil;
        scene_raster(&scene, grid, AVERAGING_MOMENT);
        for (int i = 26; i < 75; i++) {
            assert_true(entry_at(&scene, i, 50).perfect_conductor || entry_at(&scene, i, 51).perfect_conductor);
        }
        assert_true(permittivity_at(&scene, 50, 40) == 1 && permittivity_at(&scene, 50, 60) == 1);
        scene_end(&scene);
    }
}

static void mirrored_metal_gives_mirrored_medium(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_DD4);
    struct scene scene;
    scene_start(&scene, 2, 2);
    struct shape *post = scene_add(&scene, SHAPE_CIRCLE, 1, 0);
    post->points[0] = (struct point){1, 1};
    post->radius = 0.3137;
    post->material = (struct material_choice){.name = "metal"};
    struct raster_grid grid = grid_of(101, 101, 0.02, 0, 0);
    grid.wave_number = 50;
    grid.half_band = 0.1;
    grid.stencil = &stencil;
    scene_raster(&scene, grid, AVERAGING_BANDLIMITED);
    int raised = 0;
    for (int j = 0; j <= 100; j++) {
        for (int i = 0; i <= 100; i++) {
            struct medium_entry here = entry_at(&scene, i, j), there = entry_at(&scene, j, 100 - i);
            assert_true(here.perfect_conductor == there.perfect_conductor);
            assert_true(fabs(here.relative_permittivity - there.relative_permittivity) < 1e-4);
            raised += here.relative_permittivity > 1;
        }
    }
    assert_true(raised > 60 && raised < 200); /* one ring of nodes, 99 cells round */
    scene_end(&scene);
}

/* Faces on rows of nodes: shapes own their lower and left faces only, which must not show. */
static void metal_on_nodes_is_symmetric(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_DD4);
    struct scene scene;
    scene_start(&scene, 2, 2);
    scene_rectangle(&scene, 0.8, 0.9, 1.2, 1.1, 1, 0)->material = (struct material_choice){.name = "metal"};
    struct raster_grid grid = grid_of(101, 101, 0.02, 0, 0);
    grid.wave_number = 50;
    grid.half_band = 0.1;
    grid.stencil = &stencil;
    scene_raster(&scene, grid, AVERAGING_MOMENT);
    for (int j = 0; j <= 100; j++) {
        for (int i = 0; i <= 100; i++) {
            struct medium_entry here = entry_at(&scene, i, j);
            for (int flip = 1; flip < 4; flip++) {
                struct medium_entry there = entry_at(&scene, flip & 1 ? 100 - i : i, flip & 2 ? 100 - j : j);
                assert_true(here.perfect_conductor == there.perfect_conductor);
                assert_true(fabs(here.relative_permittivity - there.relative_permittivity) < 1e-4);
            }
        }
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

static void too_strong_a_contrast_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, 1, 1);
    scene_rectangle(&scene, 0.4, 0.4, 0.6, 0.6, 80, 0);
    struct raster_grid grid = grid_of(50, 50, 0.02, 0, 0);
    assert_int_equal(floorplan_create(&scene.scenario, false, &scene.warnings, &scene.plan, &scene.error), PW_OK);
    assert_int_equal(raster_medium(&scene.plan, &grid, AVERAGING_MOMENT, &scene.medium, &scene.error), PW_BAD_INPUT);
    assert_non_null(strstr(scene.error.message, "must be above 0"));
    assert_non_null(strstr(scene.error.message, " m is -"));
    assert_int_equal(raster_medium(&scene.plan, &grid, AVERAGING_AREA, &scene.medium, &scene.error), PW_OK);
    scene_end(&scene);
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
        cmocka_unit_test(phi_meets_its_refinement_equation),
        cmocka_unit_test(mean_of_the_integral_is_its_mean),
        cmocka_unit_test(low_pass_keeps_waves),
        cmocka_unit_test(faces_bring_their_variance),
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
        cmocka_unit_test(cavity_between_metal_has_its_resonance),
        cmocka_unit_test(mirror_law_of_yee_is_the_slope),
        cmocka_unit_test(mirror_slack_is_the_best),
        cmocka_unit_test(thin_metal_is_tight),
        cmocka_unit_test(mirrored_metal_gives_mirrored_medium),
        cmocka_unit_test(metal_on_nodes_is_symmetric),
        cmocka_unit_test(many_values_are_joined_within_the_error),
        cmocka_unit_test(too_strong_a_contrast_is_refused),
        cmocka_unit_test(impossible_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
