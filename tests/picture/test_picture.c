/* Pictures of plans that are known come back as areas: the walls of clean drawings by at least 0.98 of intersection
 * over union, with furniture, text and JPEG by at least 0.8, of scans and photographs by at least 0.6 (in truth by
 * more, as the tests ask). The order of magnitude of false walls is counted, a pixel being 2 cm. */
#include "tests/picture/picture_scene.h"

static const char *const WALL = "#141414";

static void clean_drawings_come_back(void **state)
{
    (void)state;
    const double offs[] = {0, 0.125, 0.375, 0.625};
    for (size_t n = 0; n < 4; n++) {
        for (int straight = 0; straight < 2; straight++) {
            scene_flat(&scene, offs[n]);
            write_png(true);
            assert_walls(&(struct picture_options){.straight = straight}, WALL, 0.985, 0);
        }
    }
    scene_flat(&scene, 0);
    write_png(false);
    assert_walls(NULL, WALL, 0.98, 0);
    assert_walls(&(struct picture_options){.straight = true}, WALL, 0.98, 0);
}

/* Each colour by itself, also where two meet; a pane of three pixels in a wall. */
static void colours_come_apart(void **state)
{
    (void)state;
    for (int colour = 0; colour < 2; colour++) {
        scene_flat(&scene, 0.3);
        scene_box(&scene, 100, 30.3, 160, 40.3, WHITE, false);
        for (int s = 0; s < scene.count; s++) {
            scene.shapes[s].wall = false;
        }
        scene_box(&scene, 100, 33.7, 160, 36.7, BLUE, colour == 0);
        scene_box(&scene, 430, 300, 490.5, 360.4, BLUE, colour == 0);
        scene_box(&scene, 490.5, 300, 520, 360.4, RED, colour == 1);
        write_png(true);
        assert_walls(NULL, colour == 0 ? "#3b9ed8" : "#c82828", 0.98, 0);
    }
}

/* Areas are true to a tenth of a percent where the picture has shades, and holes are rings of the areas around them. */
static void areas_are_exact(void **state)
{
    (void)state;
    scene = (struct scene){.width = 200, .height = 150};
    scene_box(&scene, 20.3, 30.6, 170.8, 120.2, BLACK, true);
    scene_box(&scene, 40.1, 50.4, 150.7, 100.9, WHITE, false);
    write_png(true);
    struct drawing drawing;
    read_drawing(NULL, &drawing);
    assert_int_equal(drawing.class_count, 2);
    assert_string_equal(drawing.classes[0].name, "#ffffff");
    assert_int_equal(drawing.classes[0].use, CLASS_IGNORED);
    assert_int_equal(drawing.classes[0].areas, 0);
    assert_string_equal(drawing.classes[1].name, WALL);
    assert_int_equal(drawing.classes[1].use, CLASS_OPEN);
    assert_int_equal(drawing.element_count, 1);
    assert_int_equal(drawing.elements[0].rings, 2);
    const double wanted[2] = {150.5 * 89.6, 110.6 * 50.5};
    for (int r = 0; r < 2; r++) {
        const struct drawing_ring *ring = &drawing.rings[r];
        double area = 0;
        assert_int_equal(ring->count, 4);
        for (size_t n = 0; n < 4; n++) {
            struct drawing_point a = drawing.points[ring->first + n], b = drawing.points[ring->first + (n + 1) % 4];
            area += 0.5 * (a.x * b.y - a.y * b.x);
        }
        assert_true(fabs(fabs(area) - wanted[r]) < 2e-3 * wanted[r]);
    }
    assert_int_equal(drawing.picture.width, 200);
    assert_true(drawing.unit == 0);
    drawing_free(&drawing);
}

static void furniture_and_text_are_dropped(void **state)
{
    (void)state;
    const struct picture_options options = {.thinnest = 4, .speck = 12, .straight = true};
    scene_flat(&scene, 0.4);
    scene_furnish(&scene);
    write_png(true);
    assert_walls(&options, WALL, 0.92, 0.1);
    uint8_t *pixels = scene_draw(&scene, true);
    scene_write_jpeg(&scene, pixels, 60, path);
    free(pixels);
    assert_walls(&options, NULL, 0.85, 0.1);
}

static void jpeg_keeps_colours_together(void **state)
{
    (void)state;
    scene_flat(&scene, 0.4);
    uint8_t *pixels = scene_draw(&scene, true);
    scene_write_jpeg(&scene, pixels, 60, path);
    free(pixels);
    struct drawing drawing;
    read_drawing(NULL, &drawing);
    assert_int_equal(drawing.class_count, 2);
    struct scene_score score = scene_compare(&scene, &drawing, drawing.classes[1].name);
    print_message("%s: %.4f\n", drawing.classes[1].name, score.overlap);
    assert_true(score.overlap >= 0.96 && score.false_walls == 0);
    drawing_free(&drawing);
}

/* Lines thinner than a pixel, wherever they fall between pixels, keep their place and about their width. Of one line
 * alone nobody could tell that it is not grey. */
static void thin_lines_are_kept(void **state)
{
    (void)state;
    enum { LINES = 4 };
    const double offs[LINES] = {0.125, 0.25, 0.75, 0.875};
    for (int down = 0; down < 2; down++) {
        scene = (struct scene){.width = 130, .height = 130};
        scene_box(&scene, 80, 80, 120, 120, BLACK, true);
        for (int n = 0; n < LINES; n++) {
            double at = 10 + 12 * n + offs[n];
            scene_line(&scene, down ? at : 10, down ? 10 : at, down ? at : 60, down ? 60 : at, 0.75, BLACK, true);
        }
        write_png(true);
        struct drawing drawing;
        read_drawing(NULL, &drawing);
        assert_int_equal(drawing.class_count, 2);
        assert_int_equal(drawing.element_count, LINES + 1);
        for (size_t e = 0; e < drawing.element_count; e++) {
            struct drawing_point low, high;
            drawing_element_box(&drawing, &drawing.elements[e], &low, &high);
            double from = down ? low.x : low.y, to = down ? high.x : high.y;
            if (to - from < 30) {
                int n = (int)((from + to) / 2 - 4) / 12;
                assert_true(fabs((from + to) / 2 - (10 + 12 * n + offs[n])) < 0.15);
                assert_true(to - from > 0.6 && to - from < 1.05);
            }
        }
        drawing_free(&drawing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_drawings_come_back),
        cmocka_unit_test(colours_come_apart),
        cmocka_unit_test(areas_are_exact),
        cmocka_unit_test(furniture_and_text_are_dropped),
        cmocka_unit_test(jpeg_keeps_colours_together),
        cmocka_unit_test(thin_lines_are_kept),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_clear);
}
