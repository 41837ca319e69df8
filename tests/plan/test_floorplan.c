/* Floor plans: orientation, colours and tolerance, drawing order, faces and edges, and what bad plans get. */
#include "tests/support/check.h"

#include "base/picture/png_image.h"
#include "medium/scanline.h"
#include "plan/floorplan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 8, ROWS = 5 };

static char folder[] = "/tmp/planwave-test-plan-XXXXXX";
static char path[256];

static int folder_make(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/plan.png", folder);
    return 0;
}

static int folder_clear(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static struct material_choice own(const char *name, double permittivity, double conductivity)
{
    struct material_choice choice = {
        .own_values = true, .relative_permittivity = permittivity, .conductivity = conductivity};
    snprintf(choice.name, sizeof choice.name, "%s", name);
    return choice;
}

/* A plan of three colours: black brick, blue plaster, white air. */
struct scene {
    struct scenario scenario;
    struct legend_entry legend[3];
    struct shape shapes[4];
    struct point points[4][4];
    uint8_t rgb[ROWS][COLUMNS][3];
    pw_notes warnings;
    struct floorplan plan;
    pw_error error;
};

static void scene_start(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    memset(scene->rgb, 255, sizeof scene->rgb);
    scene->scenario.file = (char *)(uintptr_t) "test.yaml";
    scene->scenario.band_centre = 2.4e9;
    struct plan_choice *plan = &scene->scenario.plan;
    plan->pixel = 0.1;
    plan->legend = scene->legend;
    plan->legend_count = 3;
    plan->tolerance = 16;
    plan->shapes = scene->shapes;
    scene->legend[0] = (struct legend_entry){.red = 0, .green = 0, .blue = 0, .material = own("brick", 3.9, 0.02)};
    scene->legend[1] =
        (struct legend_entry){.red = 0x30, .green = 0x60, .blue = 0xc0, .material = own("plaster", 2.7, 0.01)};
    scene->legend[2] = (struct legend_entry){.red = 255, .green = 255, .blue = 255, .material = own("air", 1, 0)};
}

static void scene_paint(struct scene *scene, int column, int row, uint8_t red, uint8_t green, uint8_t blue)
{
    const uint8_t rgb[] = {red, green, blue};
    memcpy(scene->rgb[row][column], rgb, 3);
}

static pw_status scene_load(struct scene *scene)
{
    if (scene->scenario.plan.width == 0) {
        scene->scenario.plan.image = path;
        assert_int_equal(png_image_write(path, COLUMNS, ROWS, 3, &scene->rgb[0][0][0], NULL), PW_OK);
    }
    return floorplan_create(&scene->scenario, false, &scene->warnings, &scene->plan, &scene->error);
}

static void scene_end(struct scene *scene)
{
    floorplan_free(&scene->plan);
    warnings_free(&scene->warnings);
}

static double permittivity(const struct scene *scene, double x, double y)
{
    return scene->plan.materials[floorplan_material_at(&scene->plan, x, y)].relative_permittivity;
}

static struct shape *scene_shape(struct scene *scene, enum shape_kind kind, int points, double value)
{
    int s = scene->scenario.plan.shape_count++;
    struct shape *shape = &scene->shapes[s];
    *shape = (struct shape){.kind = kind, .points = scene->points[s], .point_count = points, .line = 10 + s};
    shape->material = own("shape", value, 0);
    return shape;
}

static void image_grows_upwards(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    scene_paint(&scene, 2, 0, 0, 0, 0);          /* top row */
    scene_paint(&scene, 7, 4, 0x30, 0x60, 0xc0); /* bottom right */
    assert_int_equal(scene_load(&scene), PW_OK);
    assert_true(fabs(scene.plan.width - 0.8) < 1e-12 && fabs(scene.plan.height - 0.5) < 1e-12);
    assert_true(permittivity(&scene, 0.25, 0.45) == 3.9);
    assert_true(permittivity(&scene, 0.25, 0.05) == 1);
    assert_true(permittivity(&scene, 0.75, 0.05) == 2.7);
    assert_int_equal(scene.plan.inexact.pixels, 0);
    assert_int_equal(floorplan_material_at(&scene.plan, 0.05, 0.05), 0);
    assert_int_equal(scene.plan.material_count, 3);
    scene_end(&scene);
}

static void edge_runs_on_outside(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    for (int row = 0; row < ROWS; row++) {
        scene_paint(&scene, 7, row, 0, 0, 0);
    }
    assert_int_equal(scene_load(&scene), PW_OK);
    assert_true(permittivity(&scene, 5, 0.2) == 3.9);
    assert_true(permittivity(&scene, 0.8, 100) == 3.9);
    assert_true(permittivity(&scene, -5, -5) == 1);
    /* the lower face belongs to a pixel, the upper one to the next, whatever rounding does */
    assert_true(permittivity(&scene, 0.7, 0.2) == 3.9);
    assert_true(permittivity(&scene, 0.7 - 1e-6, 0.2) == 1);
    assert_true(permittivity(&scene, nextafter(0.7, 0), 0.2) == 3.9);
    scene_end(&scene);
}

static void near_colours_are_matched_and_counted(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    scene_paint(&scene, 1, 1, 10, 16, 3);
    scene_paint(&scene, 2, 1, 0x30 + 5, 0x60 - 9, 0xc0 + 16);
    scene_paint(&scene, 3, 1, 250, 240, 255);
    assert_int_equal(scene_load(&scene), PW_OK);
    assert_int_equal(scene.plan.inexact.pixels, 3);
    assert_true(permittivity(&scene, 0.15, 0.35) == 3.9);
    assert_true(permittivity(&scene, 0.25, 0.35) == 2.7);
    assert_true(permittivity(&scene, 0.35, 0.35) == 1);
    scene_end(&scene);
}

/* The most frequent colour first, each with count, share, nearest entry and first place; the file, the picture and the
 * tolerance that would be needed. */
static void stray_colours_are_listed(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    scene_paint(&scene, 0, 4, 0, 0, 0);
    scene_paint(&scene, 5, 2, 0x30, 0x60, 0xc0 + 17);
    scene_paint(&scene, 1, 3, 255, 0, 0);
    scene_paint(&scene, 2, 3, 255, 0, 0);
    assert_int_equal(scene_load(&scene), PW_BAD_INPUT);
    const char *phrases[] = {"test.yaml",
                             path,
                             "3 pixels",
                             "plan.tolerance is 16",
                             "#ff0000         2 px   5.000 %  nearest #3060c0 plaster",
                             "column 1, row 3",
                             "#3060d1         1 px   2.500 %  nearest #3060c0 plaster",
                             "17 off",
                             "column 5, row 2"};
    const char *before = scene.error.message;
    for (size_t p = 0; p < sizeof phrases / sizeof *phrases; p++) {
        if (strstr(scene.error.message, phrases[p]) == NULL) {
            fail_msg("'%s' is not in: %s", phrases[p], scene.error.message);
        }
    }
    assert_true(strstr(before, "#ff0000") < strstr(before, "#3060d1"));
    assert_null(scene.plan.pixels);
    scene_end(&scene);
}

/* Many colours are too many to list: the rest is counted. */
static void many_stray_colours_are_counted(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    for (int n = 0; n < COLUMNS * ROWS; n++) {
        scene_paint(&scene, n % COLUMNS, n / COLUMNS, 255, (uint8_t)n, 0);
    }
    assert_int_equal(scene_load(&scene), PW_BAD_INPUT);
    assert_non_null(strstr(scene.error.message, "40 pixels"));
    assert_non_null(strstr(scene.error.message, "and 34 px of 34 other colours"));
    scene_end(&scene);
}

/* Length [m] of a material along the line at height y. */
static double length_of(const struct scene *scene, double y, double permittivity_wanted)
{
    struct run_list list;
    double length = 0;
    assert_int_equal(run_list_create(&scene->plan, &list, NULL), PW_OK);
    scanline_runs(&scene->plan, y, y, &list);
    for (int r = 0; r < list.count; r++) {
        double from = r > 0 ? list.runs[r].start : 0, to = r + 1 < list.count ? list.runs[r + 1].start : 0.8;
        bool wanted = scene->plan.materials[list.runs[r].material].relative_permittivity == permittivity_wanted;
        length += wanted ? to - from : 0;
    }
    run_list_free(&list);
    return length;
}

/* The grey between black brick and white air is nearest to the blue of plaster, which is not there: it is divided. 100
 * of 255 are 0.392 of air, to the nearest sixteenth 6/16. */
static void smooth_edges_are_divided(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    scene.scenario.plan.tolerance = 95;
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < 3; column++) {
            scene_paint(&scene, column, row, 0, 0, 0);
        }
        scene_paint(&scene, 3, row, 100, 100, 100);
    }
    assert_int_equal(scene_load(&scene), PW_OK);
    assert_int_equal(scene.plan.material_count, 2); /* no plaster */
    assert_int_equal(scene.plan.inexact.pixels, ROWS);
    assert_int_equal(scene.plan.mixed.count, ROWS);
    for (int row = 0; row < ROWS; row++) {
        assert_true(fabs(length_of(&scene, 0.1 * row + 0.05, 3.9) - (0.3 + 0.1 * 10 / 16)) < 1e-9);
        assert_true(permittivity(&scene, 0.36, 0.1 * row + 0.05) == 3.9);
        assert_true(permittivity(&scene, 0.37, 0.1 * row + 0.05) == 1);
    }
    scene_end(&scene);
}

/* The same upright: the brick lies below (the lower rows of the picture), so that the edge is one of heights. */
static void smooth_edges_are_divided_upright_too(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    scene.scenario.plan.tolerance = 95;
    for (int column = 0; column < COLUMNS; column++) {
        scene_paint(&scene, column, 4, 0, 0, 0);
        scene_paint(&scene, column, 3, 0, 0, 0);
        scene_paint(&scene, column, 2, 155, 155, 155); /* 0.392 of brick */
    }
    assert_int_equal(scene_load(&scene), PW_OK);
    assert_int_equal(scene.plan.material_count, 2);
    double top = 0.2 + 0.1 * 6 / 16;
    assert_true(permittivity(&scene, 0.33, top - 1e-3) == 3.9 && permittivity(&scene, 0.33, top + 1e-3) == 1);
    const struct slab_rows rows = {0, 0.25, 0, 4, 4};
    double *borders = NULL;
    int count = 0;
    bool found = false;
    assert_int_equal(scanline_slabs(&scene.plan, &rows, &borders, &count, NULL), PW_OK);
    for (int b = 0; b < count; b++) {
        found = found || fabs(borders[b] * 0.25 - top) < 1e-6;
    }
    assert_true(found);
    free(borders);
    scene_end(&scene);
}

/* Metal has no share: the pixel is the nearer one's. */
static void smooth_edges_of_metal_are_the_nearer(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    scene.scenario.plan.tolerance = 95;
    scene.legend[0].material = (struct material_choice){.name = "metal", .perfect_conductor = true};
    for (int row = 0; row < ROWS; row++) {
        scene_paint(&scene, 0, row, 0, 0, 0);
        scene_paint(&scene, 1, row, 110, 110, 110);
        scene_paint(&scene, 6, row, 140, 140, 140);
        scene_paint(&scene, 7, row, 0, 0, 0);
    }
    assert_int_equal(scene_load(&scene), PW_OK);
    assert_int_equal(scene.plan.mixed.count, 0);
    assert_true(scene.plan.materials[floorplan_material_at(&scene.plan, 0.15, 0.2)].perfect_conductor);
    assert_false(scene.plan.materials[floorplan_material_at(&scene.plan, 0.65, 0.2)].perfect_conductor);
    scene_end(&scene);
}

/* A pane thinner than a pixel never shows its own colour: 40 % plaster on white is nearer to neither, and is divided.
 */
static void walls_thinner_than_a_pixel_keep_their_share(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    for (int row = 0; row < ROWS; row++) {
        scene_paint(&scene, 4, row, 255 - (uint8_t)(0.4 * (255 - 0x30)), 255 - (uint8_t)(0.4 * (255 - 0x60)),
                    255 - (uint8_t)(0.4 * (255 - 0xc0)));
    }
    assert_int_equal(scene_load(&scene), PW_OK);
    assert_true(fabs(length_of(&scene, 0.25, 2.7) - 0.1 * 6 / 16) < 1e-9);
    assert_true(length_of(&scene, 0.25, 3.9) == 0);
    scene_end(&scene);
}

/* Without a tolerance no colour is taken for another, even if it lies between two. */
static void smooth_edges_need_a_tolerance(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    scene.scenario.plan.tolerance = 0;
    scene_paint(&scene, 3, 3, 0, 0, 0);
    scene_paint(&scene, 4, 3, 100, 100, 100);
    assert_int_equal(scene_load(&scene), PW_BAD_INPUT);
    assert_non_null(strstr(scene.error.message, "smooth edges need one"));
    scene_end(&scene);
}

/* A drawing of a disc, smoothed as drawing programs do: its area comes out to a thousandth, and the third material of
 * the legend, whose colour some of the greys are nearest to, is nowhere. */
static void a_smooth_disc_keeps_its_area(void **state)
{
    (void)state;
    enum { SIDE = 40, FINE = 16 };
    static uint8_t rgb[SIDE][SIDE][3];
    struct scene scene;
    const double centre = 20.3, radius = 13.7;
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
            int inside = 0;
            for (int n = 0; n < FINE * FINE; n++) {
                double x = column + (n % FINE + 0.5) / FINE, y = row + (n / FINE + 0.5) / FINE;
                inside += hypot(x - centre, y - centre) < radius;
            }
            memset(rgb[row][column], (int)lround(255 * (1 - (double)inside / (FINE * FINE))), 3);
        }
    }
    scene_start(&scene);
    scene.scenario.plan.tolerance = 95;
    scene.scenario.plan.image = path;
    assert_int_equal(png_image_write(path, SIDE, SIDE, 3, &rgb[0][0][0], NULL), PW_OK);
    assert_int_equal(floorplan_create(&scene.scenario, false, &scene.warnings, &scene.plan, &scene.error), PW_OK);
    assert_int_equal(scene.plan.material_count, 2);
    double area = 0, part = 0.1 / 32;
    for (int n = 0; n < 32 * SIDE; n++) {
        struct run_list list;
        assert_int_equal(run_list_create(&scene.plan, &list, NULL), PW_OK);
        scanline_runs(&scene.plan, n * part, (n + 1) * part, &list);
        for (int r = 1; r + 1 < list.count; r++) {
            bool brick = scene.plan.materials[list.runs[r].material].relative_permittivity == 3.9;
            area += brick ? (list.runs[r + 1].start - list.runs[r].start) * part : 0;
        }
        run_list_free(&list);
    }
    double expected = M_PI * 0.01 * radius * radius;
    if (!(fabs(area / expected - 1) < 2e-3)) {
        fail_msg("area %g, of the disc %g", area, expected);
    }
    scene_end(&scene);
}

static void later_shapes_lie_over_earlier_ones(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    scene_paint(&scene, 0, 4, 0, 0, 0);
    struct shape *rectangle = scene_shape(&scene, SHAPE_RECTANGLE, 2, 5);
    rectangle->points[0] = (struct point){0.5, 0.4}; /* corners in any order */
    rectangle->points[1] = (struct point){0.1, 0.2};
    struct shape *circle = scene_shape(&scene, SHAPE_CIRCLE, 1, 7);
    circle->points[0] = (struct point){0.5, 0.3};
    circle->radius = 0.1;
    struct shape *opening = scene_shape(&scene, SHAPE_OPENING, 2, 9);
    opening->points[0] = (struct point){0.3, 0};
    opening->points[1] = (struct point){0.35, 0.5};
    struct shape *wall = scene_shape(&scene, SHAPE_WALL, 2, 8);
    wall->points[0] = (struct point){0, 0};
    wall->points[1] = (struct point){0.4, 0.4};
    wall->thickness = 0.02;
    assert_int_equal(scene_load(&scene), PW_OK);
    assert_true(permittivity(&scene, 0.02, 0.09) == 3.9);
    assert_true(permittivity(&scene, 0.15, 0.38) == 5);
    assert_true(permittivity(&scene, 0.45, 0.25) == 7);
    assert_true(permittivity(&scene, 0.58, 0.25) == 7);
    assert_true(permittivity(&scene, 0.32, 0.38) == 1);
    assert_true(permittivity(&scene, 0.325, 0.325) == 8);
    assert_true(permittivity(&scene, 0.25 + 0.0099 / sqrt(2), 0.25 - 0.0099 / sqrt(2)) == 8);
    assert_true(permittivity(&scene, 0.25 + 0.0101 / sqrt(2), 0.25 - 0.0101 / sqrt(2)) == 5);
    scene_end(&scene);
}

static void polygons_fill_by_the_even_odd_rule(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene);
    scene.scenario.plan.width = scene.scenario.plan.height = 1;
    struct shape *polygon = scene_shape(&scene, SHAPE_POLYGON, 4, 4); /* an hourglass */
    polygon->points[0] = (struct point){0.2, 0.2};
    polygon->points[1] = (struct point){0.8, 0.2};
    polygon->points[2] = (struct point){0.2, 0.8};
    polygon->points[3] = (struct point){0.8, 0.8};
    assert_int_equal(scene_load(&scene), PW_OK);
    assert_true(permittivity(&scene, 0.5, 0.3) == 4);
    assert_true(permittivity(&scene, 0.5, 0.7) == 4);
    assert_true(permittivity(&scene, 0.3, 0.5) == 1);
    assert_true(permittivity(&scene, 0.7, 0.5) == 1);
    scene_end(&scene);
}

static void bad_plans_are_refused(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene); /* a size that contradicts the image */
    scene.scenario.plan.height = 3;
    assert_int_equal(scene_load(&scene), PW_BAD_INPUT);
    assert_non_null(strstr(scene.error.message, "plan.size"));
    scene_start(&scene); /* one colour, two materials */
    scene.legend[1].red = scene.legend[1].green = scene.legend[1].blue = 0;
    assert_int_equal(scene_load(&scene), PW_BAD_INPUT);
    assert_non_null(strstr(scene.error.message, "#000000 twice"));
    scene_start(&scene); /* no legend */
    scene.scenario.plan.legend_count = 0;
    assert_int_equal(scene_load(&scene), PW_BAD_INPUT);
    scene_start(&scene); /* a material that is not one */
    scene.legend[0].material.relative_permittivity = NAN;
    assert_int_equal(scene_load(&scene), PW_OK); /* it is not in the image */
    scene_end(&scene);
    scene_paint(&scene, 1, 1, 0, 0, 0);
    assert_int_equal(scene_load(&scene), PW_BAD_INPUT);
    scene_start(&scene); /* no image and no size */
    assert_int_equal(floorplan_create(&scene.scenario, false, &scene.warnings, &scene.plan, &scene.error),
                     PW_BAD_INPUT);
    assert_non_null(strstr(scene.error.message, "size"));
    for (int kind = SHAPE_RECTANGLE; kind <= SHAPE_OPENING; kind++) { /* shapes without extent */
        scene_start(&scene);
        scene_shape(&scene, (enum shape_kind)kind, 1, 2);
        assert_int_equal(scene_load(&scene), PW_BAD_INPUT);
        assert_non_null(strstr(scene.error.message, "test.yaml:10"));
    }
    scene_start(&scene); /* an image that is not there */
    scene.scenario.plan.image = (char *)(uintptr_t) "/nonexistent/plan.png";
    assert_int_equal(floorplan_create(&scene.scenario, false, &scene.warnings, &scene.plan, &scene.error),
                     PW_BAD_INPUT);
    assert_non_null(strstr(scene.error.message, "/nonexistent/plan.png"));
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(image_grows_upwards),
        cmocka_unit_test(edge_runs_on_outside),
        cmocka_unit_test(near_colours_are_matched_and_counted),
        cmocka_unit_test(stray_colours_are_listed),
        cmocka_unit_test(many_stray_colours_are_counted),
        cmocka_unit_test(smooth_edges_are_divided),
        cmocka_unit_test(smooth_edges_are_divided_upright_too),
        cmocka_unit_test(smooth_edges_of_metal_are_the_nearer),
        cmocka_unit_test(walls_thinner_than_a_pixel_keep_their_share),
        cmocka_unit_test(smooth_edges_need_a_tolerance),
        cmocka_unit_test(a_smooth_disc_keeps_its_area),
        cmocka_unit_test(later_shapes_lie_over_earlier_ones),
        cmocka_unit_test(polygons_fill_by_the_even_odd_rule),
        cmocka_unit_test(bad_plans_are_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_clear);
}
