/* Scans and photographs of plans that are known: noise, turned sheets, perspective, uneven light, furniture and text,
 * walls drawn as two lines; what is dropped and closed on request; and pictures that are noise, or options that are
 * wrong. */
#include "tests/picture/picture_scene.h"

static const struct picture_options WALLS_OF_SCAN = {
    .scan = true, .thinnest = 4, .speck = 14, .deskew = true, .straight = true};

static void write_noisy(double deviation, int quality)
{
    uint8_t *pixels = scene_draw(&scene, true);
    scene_add_noise(&scene, pixels, deviation);
    if (quality > 0) {
        scene_write_jpeg(&scene, pixels, quality, path);
    } else {
        assert_int_equal(png_image_write(path, scene.width, scene.height, 3, pixels, NULL), PW_OK);
    }
    free(pixels);
}

/* Turns the scene by this angle about the middle, onto a sheet of another size. */
static void scene_turn(double degrees, int width, int height)
{
    double c = cos(degrees * M_PI / 180), s = sin(degrees * M_PI / 180), x = 0.5 * scene.width, y = 0.5 * scene.height;
    const double turn[8] = {c, -s, 0.5 * width - c * x + s * y, s, c, 0.5 * height - s * x - c * y, 0, 0};
    scene_move(&scene, turn, width, height);
}

static void turned_scans_come_back(void **state)
{
    (void)state;
    const double turns[] = {0, 1.5, -3};
    for (size_t n = 0; n < 3; n++) {
        scene_flat(&scene, 0.4);
        scene_furnish(&scene);
        scene_turn(turns[n], 660, 520);
        write_noisy(14, n == 2 ? 60 : 0);
        struct drawing drawing;
        read_drawing(&WALLS_OF_SCAN, &drawing);
        scene_turn(-turns[n], drawing.picture.width, drawing.picture.height);
        assert_drawing(&drawing, "ink", 0.9, 0.05);
        assert_non_null(strstr(drawing.note, turns[n] != 0 ? "turned by" : "not turned"));
        drawing_free(&drawing);
    }
}

static void photographs_come_back(void **state)
{
    (void)state;
    static struct scene flat;
    const double view[8] = {1.25, 0.12, 60, -0.08, 1.1, 120, 2.5e-4, 4e-4};
    struct picture_options options = WALLS_OF_SCAN;
    options.deskew = false;
    options.local = true;
    options.has_corners = true;
    scene_flat(&scene, 0.4);
    scene_furnish(&scene);
    flat = scene;
    const struct drawing_point sheet[4] = {{0, 0}, {600, 0}, {600, 450}, {0, 450}};
    for (int n = 0; n < 4; n++) {
        options.corner[n] = scene_map(view, sheet[n]);
    }
    options.sides[0] = 600;
    options.sides[1] = 450;
    scene_move(&scene, view, 800, 640);
    uint8_t *pixels = scene_draw(&scene, true);
    scene_add_noise(&scene, pixels, 6);
    scene_shade(&scene, pixels);
    scene_write_jpeg(&scene, pixels, 70, path);
    free(pixels);
    scene = flat;
    assert_walls(&options, "ink", 0.85, 0.05);
}

/* Light that one threshold for all is wrong for, and a threshold that is given. */
static void thresholds_follow_the_paper_on_request(void **state)
{
    (void)state;
    scene_flat(&scene, 0);
    uint8_t *pixels = scene_draw(&scene, true);
    scene_shade(&scene, pixels);
    scene_shade(&scene, pixels);
    assert_int_equal(png_image_write(path, scene.width, scene.height, 3, pixels, NULL), PW_OK);
    free(pixels);
    assert_walls(&(struct picture_options){.scan = true, .local = true}, "ink", 0.97, 0);
    struct drawing drawing;
    read_drawing(&(struct picture_options){.scan = true, .threshold = 120}, &drawing);
    assert_true(scene_compare(&scene, &drawing, "ink").overlap < 0.8); /* the dark corner is taken for ink */
    assert_non_null(strstr(drawing.note, "darker than 120"));
    drawing_free(&drawing);
}

static void coloured_marks_are_left_out(void **state)
{
    (void)state;
    scene_flat(&scene, 0);
    scene_box(&scene, 230, 60, 330, 100, RED, false);
    scene_box(&scene, 420, 250, 520, 290, (const uint8_t[]){30, 30, 150}, false);
    write_png(false);
    assert_walls(&(struct picture_options){.scan = true}, "ink", 0.97, 0);
}

/* Boxes of 60 x width. */
static void widths_are_bounds(void **state)
{
    (void)state;
    for (int tilted = 0; tilted < 2; tilted++) {
        for (int width = 2; width <= 12; width++) {
            scene = (struct scene){.width = 100, .height = 60};
            double y = 20 + 0.5 * (width % 2); /* whole rows */
            scene_line(&scene, 15, y, 85, y + 25 * tilted, width, BLACK, false);
            write_png(true);
            struct drawing drawing;
            read_drawing(&(struct picture_options){.thinnest = 5, .thickest = 9}, &drawing);
            bool kept = drawing.element_count > 0;
            bool near = tilted && (abs(width - 5) <= 1 || abs(width - 9) <= 1); /* good to a pixel */
            assert_true(near || kept == (width >= 5 && width <= 9));
            drawing_free(&drawing);
        }
    }
}

/* Strokes along the rim of the picture are as thick as what is seen of them; corners, where they are thicker, are
 * specks. */
static void widths_count_up_to_the_rim(void **state)
{
    (void)state;
    for (int width = 2; width <= 12; width++) {
        scene = (struct scene){.width = 100, .height = 60};
        scene_box(&scene, 0, 0, 100, width, BLACK, false);
        scene_box(&scene, 0, 0, width, 60, BLACK, false);
        scene_box(&scene, 100 - width, 0, 100, 60, BLACK, false);
        scene_box(&scene, 0, 60 - width, 100, 60, BLACK, false);
        write_png(false);
        struct drawing drawing;
        read_drawing(&(struct picture_options){.thinnest = 5, .thickest = 9, .speck = 10}, &drawing);
        assert_int_equal(drawing.element_count, width >= 5 && width <= 9);
        drawing_free(&drawing);
    }
}

/* The four doors of the flat, 45 pixels wide; rooms are wider or as narrow as walls nowhere. */
static void doors_are_closed_on_request(void **state)
{
    (void)state;
    const double doors[][4] = {{200, 149, 206, 196}, {119, 240, 166, 246}, {380, 299, 386, 346}, {469, 200, 516, 206}};
    scene_flat(&scene, 0);
    scene.count -= 2; /* the tilted wall, whose end is as near to a wall as a door is wide, and the thick column */
    write_png(false);
    for (size_t n = 0; n < 4; n++) {
        scene_box(&scene, doors[n][0], doors[n][1], doors[n][2], doors[n][3], BLACK, true);
    }
    struct drawing drawing;
    read_drawing(&(struct picture_options){.gap = 46, .thickest = 12, .straight = true}, &drawing);
    assert_drawing(&drawing, NULL, 0.98, 0);
    assert_non_null(strstr(drawing.note, "4 gaps"));
    drawing_free(&drawing);
    read_drawing(&(struct picture_options){.gap = 44, .straight = true}, &drawing);
    assert_non_null(strstr(drawing.note, "0 gaps"));
    drawing_free(&drawing);
}

/* Walls drawn as their two faces, thin lines that furniture has, too. */
static void walls_of_two_lines_are_filled(void **state)
{
    (void)state;
    scene_flat(&scene, 0.3);
    int walls = scene.count;
    for (int s = 0; s < walls - 2; s++) { /* boxes: the two last are the tilted wall and the column */
        const struct drawing_point *corners = scene.shapes[s].corners;
        scene_box(&scene, corners[0].x + 1.5, corners[0].y + 1.5, corners[2].x - 1.5, corners[2].y - 1.5, WHITE, false);
    }
    scene_furnish(&scene);
    write_png(true);
    const struct picture_options options = {.scan = true, .hollow = 8, .thinnest = 4, .speck = 14, .straight = true};
    assert_walls(&options, "ink", 0.8, 0.3);
}

/* The walls of floorplans/flat.png [m], as draw.py has them, at so many pixels a metre around this place. */
static void scene_of_shipped_flat(double scale, double x0, double y0, int width, int height)
{
    static const double WALLS[][4] = {
        {1.2, 1.2, 7.2, 1.28},    {8.1, 1.2, 14.16, 1.28},    {1.2, 14.08, 14.16, 14.16}, {1.2, 1.2, 1.28, 7.3},
        {1.2, 8.2, 1.28, 14.16},  {14.08, 1.2, 14.16, 14.16}, {1.2, 6.0, 5.2, 6.08},      {6.1, 6.0, 10.4, 6.08},
        {11.3, 6.0, 14.16, 6.08}, {1.2, 9.2, 3.6, 9.28},      {4.5, 9.2, 9.0, 9.28},      {9.9, 9.2, 14.16, 9.28},
        {5.6, 1.2, 5.66, 6.0},    {10.0, 1.2, 10.06, 6.0},    {4.9, 9.28, 4.96, 14.16},   {9.3, 9.28, 9.36, 14.16}};
    scene = (struct scene){.width = width, .height = height};
    for (size_t n = 0; n < sizeof WALLS / sizeof *WALLS; n++) {
        const double *wall = WALLS[n];
        scene_box(&scene, x0 + scale * wall[0], y0 + scale * wall[1], x0 + scale * wall[2], y0 + scale * wall[3], BLACK,
                  true);
    }
}

/* What is shipped as examples: a scan of 64 pixels a metre about the middle of the flat, and a photograph whose frame
 * is that of 15.36 m. Walls are 4 and 5 pixels thick. */
static void shipped_examples_come_back(void **state)
{
    (void)state;
    const struct picture_options scan = {.scan = true, .deskew = true, .thinnest = 3, .speck = 16, .straight = true};
    const struct picture_options photo = {.scan = true,
                                          .local = true,
                                          .has_corners = true,
                                          .corner = {{205, 120}, {1490, 80}, {1290, 1140}, {345, 1105}},
                                          .sides = {1229, 1229},
                                          .thinnest = 4,
                                          .speck = 20,
                                          .straight = true};
    for (int n = 0; n < 2; n++) {
        pw_error error = {""};
        struct drawing drawing = {0};
        const char *name = n == 0 ? "floorplans/flat_scan.png" : "floorplans/flat_photo.jpg";
        if (drawing_read(name, n == 0 ? &scan : &photo, &drawing, &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
        int width = drawing.picture.width, height = drawing.picture.height;
        double scale = n == 0 ? 64 : 1229 / 15.36;
        double middle = n == 0 ? 7.68 * 64 : 1229 / 2.0;
        scene_of_shipped_flat(scale, 0.5 * width - middle, 0.5 * height - middle, width, height);
        assert_drawing(&drawing, "ink", 0.8, 0);
        drawing_free(&drawing);
    }
}

/* ---- what is refused ---- */

static void assert_refused(const struct picture_options *options, const char *phrase)
{
    struct drawing drawing = {0};
    pw_error error = {""};
    assert_int_equal(drawing_read(path, options, &drawing, &error), PW_BAD_INPUT);
    if (strstr(error.message, path) == NULL || strstr(error.message, phrase) == NULL) {
        fail_msg("'%s' is not in: %s", phrase, error.message);
    }
    drawing_free(&drawing);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    scene = (struct scene){.width = 60, .height = 40};
    scene_box(&scene, 10, 10, 50, 30, BLACK, true);
    write_png(false);
    assert_refused(&(struct picture_options){.threshold = 256}, "256; 0 to 255");
    assert_refused(&(struct picture_options){.tolerance = -1}, "-1; 0 to 255");
    assert_refused(&(struct picture_options){.speck = 1e9}, "0 to 1000");
    assert_refused(&(struct picture_options){.gap = NAN}, "0 to 1000");
    assert_refused(&(struct picture_options){.thinnest = 5, .thickest = 4}, "at least 5 and at most 4");
    struct picture_options options = {.has_corners = true, .corner = {{0, 0}, {60, 0}, {0, 40}, {60, 40}}};
    options.sides[0] = options.sides[1] = 50;
    assert_refused(&options, "lower left, lower right");
    options.corner[2] = (struct drawing_point){60, 40};
    options.corner[3] = (struct drawing_point){0, 40};
    options.sides[0] = 0;
    assert_refused(&options, "0 x 50 pixels");
    options.sides[0] = options.sides[1] = 30000;
    assert_refused(&options, "30000 x 30000");
}

/* Noise is refused with what may help; so much of it as makes no great number of outlines is told as colours. */
static void noise_is_refused(void **state)
{
    (void)state;
    for (int side = 64; side <= 1408; side *= 22) {
        uint8_t *pixels = malloc(3 * (size_t)side * (size_t)side);
        assert_non_null(pixels);
        for (int n = 0; n < 3 * side * side; n++) {
            pixels[n] = (uint8_t)(256 * scene_random(&scene));
        }
        assert_int_equal(png_image_write(path, side, side, 3, pixels, NULL), PW_OK);
        free(pixels);
        if (side > 64) {
            assert_refused(NULL, "noise");
        } else {
            struct drawing drawing;
            read_drawing(NULL, &drawing);
            assert_true(drawing.class_count > 0);
            drawing_free(&drawing);
        }
    }
}

static void one_colour_is_paper(void **state)
{
    (void)state;
    for (int side = 1; side <= 3; side++) {
        scene = (struct scene){.width = side, .height = 1};
        write_png(false);
        struct drawing drawing;
        const struct picture_options all = {.deskew = true, .speck = 3, .thinnest = 3, .thickest = 9, .gap = 5};
        for (int scan = 0; scan < 2; scan++) {
            struct picture_options options = all;
            options.scan = options.local = scan;
            read_drawing(&options, &drawing);
            assert_int_equal(drawing.element_count, 0);
            assert_int_equal(drawing.class_count, 1);
            drawing_free(&drawing);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turned_scans_come_back),
        cmocka_unit_test(photographs_come_back),
        cmocka_unit_test(thresholds_follow_the_paper_on_request),
        cmocka_unit_test(coloured_marks_are_left_out),
        cmocka_unit_test(widths_are_bounds),
        cmocka_unit_test(widths_count_up_to_the_rim),
        cmocka_unit_test(doors_are_closed_on_request),
        cmocka_unit_test(walls_of_two_lines_are_filled),
        cmocka_unit_test(shipped_examples_come_back),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(noise_is_refused),
        cmocka_unit_test(one_colour_is_paper),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_clear);
}
