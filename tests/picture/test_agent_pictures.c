/* Pictures of flats as estate agents draw them, imported with nothing said but the length of a pixel: of the length of
 * all walls at least 90 % is found within half a wall's thickness, and less than 1 % as much is made up; windows and
 * doors are counted. A pixel is 2 cm. */
#include "tests/picture/picture_scene.h"

#include "import/planwave_import.h"

enum { WALLS = 40, GAPS = 20 };
static const double PIXEL = 0.02, PEN = 1.4;
static const uint8_t GREY[3] = {126, 126, 126}, WINE[3] = {143, 1, 41}, PALE[3] = {250, 232, 236},
                     LIGHT[3] = {190, 190, 190};

struct stretch {
    double x0, y0, x1, y1, thick;
};

/* A flat, and how it is drawn. */
struct flat {
    struct stretch walls[WALLS], gaps[GAPS];
    int wall_count, gap_count;
    const uint8_t *fill, *line; /* of walls; their outline, or NULL */
    const uint8_t *floor;       /* NULL: paper */
    bool tiles, marks, tilted;
    int jpeg; /* quality; 0: PNG */
};

static struct flat flat;

static void wall(double x0, double y0, double x1, double y1, double thick)
{
    flat.walls[flat.wall_count++] = (struct stretch){x0, y0, x1, y1, thick};
}

/* A stretch of a wall, from one share of its length to another, that is a window, or a door with its arc. */
static void gap(double x0, double y0, double x1, double y1, double thick)
{
    flat.gaps[flat.gap_count++] = (struct stretch){x0, y0, x1, y1, thick};
}

static void window_draw(double x0, double y0, double x1, double y1, double thick)
{
    const double length = hypot(x1 - x0, y1 - y0), u = 0.5 * thick * (y1 - y0) / length,
                 v = 0.5 * thick * (x0 - x1) / length;
    gap(x0, y0, x1, y1, thick);
    for (int n = -1; n <= 1; n++) {
        const double part = n * (1 - PEN / thick);
        scene_line(&scene, x0 + part * u, y0 + part * v, x1 + part * u, y1 + part * v, PEN, BLACK, false);
    }
}

/* Hinged at its first end, swinging to the left of the way to the other; with its arc, or as a leaf that stands ajar.
 */
static void door_draw(double x0, double y0, double x1, double y1, double thick, bool arc)
{
    const double length = hypot(x1 - x0, y1 - y0), along = atan2(y1 - y0, x1 - x0),
                 open = along + (arc ? M_PI_2 : M_PI_4);
    gap(x0, y0, x1, y1, thick);
    scene_line(&scene, x0, y0, x0 + length * cos(open), y0 + length * sin(open), PEN, BLACK, false);
    for (int n = 0; arc && n < 16; n++) {
        const double from = along + M_PI_2 * n / 16, to = along + M_PI_2 * (n + 1) / 16;
        scene_line(&scene, x0 + length * cos(from), y0 + length * sin(from), x0 + length * cos(to),
                   y0 + length * sin(to), 1.2, LIGHT, false);
    }
}

static void walls_draw(void)
{
    for (int outline = flat.line != NULL ? 1 : 0; outline >= 0; outline--) { /* outlines of all under the fill of all */
        for (int n = 0; n < flat.wall_count; n++) {
            const struct stretch *own = &flat.walls[n];
            const double length = hypot(own->x1 - own->x0, own->y1 - own->y0),
                         in = flat.line != NULL && !outline ? 1.5 : 0;
            const double u = in * (own->x1 - own->x0) / length, v = in * (own->y1 - own->y0) / length;
            scene_line(&scene, own->x0 + u, own->y0 + v, own->x1 - u, own->y1 - v, own->thick - 2 * in,
                       outline ? flat.line : flat.fill, true);
        }
    }
}

static void arrow_draw(double x, double y, double size)
{
    const struct drawing_point head[] = {{x, y}, {x + size, y + 0.5 * size}, {x, y + size}};
    scene_polygon(&scene, head, 3, BLACK, false);
    scene_box(&scene, x - 0.7 * size, y + 0.35 * size, x, y + 0.65 * size, BLACK, false);
}

static void box_draw(double x, double y, double wide, double high)
{
    scene_line(&scene, x, y, x + wide, y, PEN, BLACK, false);
    scene_line(&scene, x, y + high, x + wide, y + high, PEN, BLACK, false);
    scene_line(&scene, x, y, x, y + high, PEN, BLACK, false);
    scene_line(&scene, x + wide, y, x + wide, y + high, PEN, BLACK, false);
}

/* Eight letters of three strokes each. */
static void word_draw(double x, double y)
{
    for (int n = 0; n < 24; n++) {
        const double left = x + 9 * (n / 3);
        scene_line(&scene, left + 6 * scene_random(&scene), y + 9 * scene_random(&scene),
                   left + 6 * scene_random(&scene), y + 9 * scene_random(&scene) + 0.1, 1.7, BLACK, false);
    }
}

/* A dimension line with a filled arrow at each end. */
static void dimension_draw(double x0, double x1, double y)
{
    const struct drawing_point left[] = {{x0, y}, {x0 + 10, y - 3}, {x0 + 10, y + 3}},
                               right[] = {{x1, y}, {x1 - 10, y - 3}, {x1 - 10, y + 3}};
    scene_line(&scene, x0, y, x1, y, 1, BLACK, false);
    scene_polygon(&scene, left, 3, BLACK, false);
    scene_polygon(&scene, right, 3, BLACK, false);
}

/* Furniture, text, dimension lines, a star that points north, stairs, and an arrow at the entrance. */
static void marks_draw(void)
{
    const double furniture[][4] = {{40, 40, 60, 25},   {115, 70, 40, 30},  {45, 100, 30, 60},  {230, 60, 100, 45},
                                   {260, 130, 60, 60}, {215, 330, 25, 70}, {290, 300, 60, 40}, {420, 60, 60, 45},
                                   {500, 50, 55, 30},  {400, 300, 30, 60}, {470, 380, 50, 30}, {124, 260, 60, 30},
                                   {130, 380, 50, 30}};
    for (size_t n = 0; n < sizeof furniture / sizeof *furniture; n++) {
        box_draw(furniture[n][0], furniture[n][1], furniture[n][2], furniture[n][3]);
        box_draw(furniture[n][0] + 3, furniture[n][1] + 3, furniture[n][2] - 6, furniture[n][3] - 6);
    }
    word_draw(60, 190), word_draw(230, 220), word_draw(230, 235), word_draw(430, 130), word_draw(450, 270),
        word_draw(123, 330);
    dimension_draw(36, 194, 215), dimension_draw(203, 377, 265), dimension_draw(24, 576, 12),
        dimension_draw(383, 564, 340);
    arrow_draw(615, 232, -18);
    for (int n = 0; n < 4; n++) {
        const double a = n * M_PI_2 + 0.4, x = 610, y = 400;
        const struct drawing_point point[] = {{x, y},
                                              {x + 7 * cos(a - 0.7), y + 7 * sin(a - 0.7)},
                                              {x + 24 * cos(a), y + 24 * sin(a)},
                                              {x + 7 * cos(a + 0.7), y + 7 * sin(a + 0.7)}};
        scene_polygon(&scene, point, 4, BLACK, false);
    }
    for (int n = 0; n < 9; n++) { /* stairs between two walls */
        scene_line(&scene, 36, 290 + 12 * n, 112, 290 + 12 * n, 1.2, BLACK, false);
    }
}

/* 12 m x 9 m with a corner at 45 degrees: outer walls of 24 cm, inner ones of 12 cm. */
static void flat_draw(void)
{
    const double outer = 12, inner = 6, cut = 70, c = 1 / sqrt(2);
    scene = (struct scene){.width = 650, .height = 450, .random = 11};
    flat.wall_count = flat.gap_count = 0;
    wall(30, 30, 120, 30, outer), wall(180, 30, 330, 30, outer), wall(400, 30, 576, 30, outer);
    wall(570, 30, 570, 220, outer), wall(570, 265, 570, 350, outer);
    wall(570, 350, 570 - 15 * c, 350 + 15 * c, outer),
        wall(570 - cut + 15 * c, 350 + cut - 15 * c, 570 - cut, 350 + cut, outer);
    wall(570 - cut, 420, 300, 420, outer), wall(240, 420, 24, 420, outer), wall(30, 420, 30, 24, outer);
    wall(200, 36, 200, 140, inner), wall(200, 185, 200, 415, inner);
    wall(30, 240, 115, 240, inner), wall(160, 240, 200, 240, inner);
    wall(380, 36, 380, 290, inner), wall(380, 335, 380, 415, inner), wall(380, 200, 470, 200, inner),
        wall(515, 200, 570, 200, inner);
    wall(115, 240, 115, 415, inner);
    if (flat.floor != NULL) {
        scene_box(&scene, 34, 34, 566, 350, flat.floor, false);
    }
    for (int n = 0; flat.tiles && n < 14; n++) {
        scene_line(&scene, 386, 40 + 11 * n, 560, 40 + 11 * n, 1, LIGHT, false);
        scene_line(&scene, 390 + 12 * n, 40, 390 + 12 * n, 190, 1, LIGHT, false);
    }
    if (flat.marks) {
        marks_draw();
    }
    window_draw(120, 30, 180, 30, outer), window_draw(330, 30, 400, 30, outer), window_draw(240, 420, 300, 420, outer);
    window_draw(570 - 15 * c, 350 + 15 * c, 570 - cut + 15 * c, 350 + cut - 15 * c, outer);
    door_draw(570, 265, 570, 220, outer, true), door_draw(200, 140, 200, 185, inner, true);
    door_draw(160, 240, 115, 240, inner, true), door_draw(470, 200, 515, 200, inner, true);
    door_draw(380, 335, 380, 290, inner, false);
    walls_draw();
    if (flat.tilted) {
        const double a = 2.2 * M_PI / 180, m[8] = {cos(a), -sin(a), 22, sin(a), cos(a), 4};
        scene_move(&scene, m, 675, 475);
        for (int n = 0; n < flat.wall_count + flat.gap_count; n++) {
            struct stretch *own = n < flat.wall_count ? &flat.walls[n] : &flat.gaps[n - flat.wall_count];
            const struct drawing_point from = scene_map(m, (struct drawing_point){own->x0, own->y0}),
                                       to = scene_map(m, (struct drawing_point){own->x1, own->y1});
            *own = (struct stretch){from.x, from.y, to.x, to.y, own->thick};
        }
    }
}

/* ---- what is found ---- */

/* How far a place is from the middle of a stretch, and from its ends where it is beyond them. */
static double distance_to(const struct stretch *own, double x, double y)
{
    const double length = hypot(own->x1 - own->x0, own->y1 - own->y0), u = (own->x1 - own->x0) / length,
                 v = (own->y1 - own->y0) / length;
    const double along = fmin(length, fmax(0, (x - own->x0) * u + (y - own->y0) * v));
    return hypot(x - own->x0 - along * u, y - own->y0 - along * v);
}

/* The share of the walls' length where something is found within half a thickness of the middle. */
static double length_found(const uint16_t *found)
{
    double hit = 0, all = 0;
    for (int n = 0; n < flat.wall_count; n++) {
        const struct stretch *own = &flat.walls[n];
        const double length = hypot(own->x1 - own->x0, own->y1 - own->y0), u = (own->x1 - own->x0) / length,
                     v = (own->y1 - own->y0) / length;
        for (double s = 0.5; s < length; s++, all++) {
            bool near = false;
            for (double off = -0.5 * own->thick; off <= 0.5 * own->thick; off++) {
                const int x = (int)(own->x0 + s * u - off * v), y = (int)(own->y0 + s * v + off * u);
                near = near || (x >= 0 && y >= 0 && x < scene.width && y < scene.height &&
                                found[(size_t)y * (size_t)scene.width + (size_t)x] != 0);
            }
            hit += near;
        }
    }
    return hit / all;
}

/* The length that is made up, as a share of the walls': what is farther than a wall's thickness from the middle of any
 * wall or opening, as walls of 8 pixels. */
static double length_made_up(const uint16_t *found)
{
    double area = 0, all = 0;
    for (int n = 0; n < flat.wall_count; n++) {
        all += hypot(flat.walls[n].x1 - flat.walls[n].x0, flat.walls[n].y1 - flat.walls[n].y0);
    }
    for (int y = 0; y < scene.height; y++) {
        for (int x = 0; x < scene.width; x++) {
            bool true_one = found[(size_t)y * (size_t)scene.width + (size_t)x] == 0;
            for (int n = 0; n < flat.wall_count + flat.gap_count && !true_one; n++) {
                const struct stretch *own = n < flat.wall_count ? &flat.walls[n] : &flat.gaps[n - flat.wall_count];
                true_one = distance_to(own, x + 0.5, y + 0.5) <= own->thick;
            }
            area += !true_one;
        }
    }
    return area / 8 / all;
}

/* The number before these words in the report. */
static int count_of(const char *report, const char *words)
{
    const char *at = strstr(report, words);
    while (at != NULL && at > report && at[-1] != ' ') {
        at--;
    }
    for (at = at != NULL ? at - 1 : NULL; at != NULL && at > report && at[-1] >= '0' && at[-1] <= '9';) {
        at--;
    }
    return at != NULL ? atoi(at) : 0;
}

static void check_import(const char *what, int windows, int doors)
{
    char yaml[sizeof path + 8], report[8000] = "";
    pw_error error = {""};
    flat_draw();
    if (flat.jpeg > 0) {
        uint8_t *pixels = scene_draw(&scene, true);
        scene_write_jpeg(&scene, pixels, flat.jpeg, path);
        free(pixels);
    } else {
        write_png(true);
    }
    const double whole[4] = {0, 0, scene.width, scene.height};
    const pw_import_options options = {.unit = PIXEL, .region = whole};
    FILE *out = fmemopen(report, sizeof report, "w");
    snprintf(yaml, sizeof yaml, "%s.yaml", path);
    if (pw_import(path, &options, yaml, NULL, out, &error) != PW_OK) {
        fail_msg("%s: %s", what, error.message);
    }
    fclose(out);
    static const char *const SOMEWHERE[] = {"transmitters=[{at: [1, 1]}]"};
    pw_scenario *scenario = NULL;
    pw_floorplan *plan = NULL;
    uint16_t *found = calloc((size_t)scene.width * (size_t)scene.height, sizeof *found);
    assert_int_equal(pw_scenario_load(yaml, SOMEWHERE, 1, &scenario, &error), PW_OK);
    assert_int_equal(pw_floorplan_create(scenario, &plan, &error), PW_OK);
    assert_int_equal(pw_floorplan_pixels(plan, PIXEL, 1, scene.width, scene.height, found, &error), PW_OK);
    const double hit = length_found(found), made_up = length_made_up(found);
    print_message("%s: %.1f %% of the walls found, %.1f %% made up, %d windows, %d doors\n", what, 100 * hit,
                  100 * made_up, count_of(report, "windows of"), count_of(report, "doors"));
    if (getenv("SHOW") != NULL) {
        print_message("%s\n", report);
    }
    pw_floorplan_free(plan);
    pw_scenario_free(scenario);
    free(found);
    unlink(yaml);
    assert_true(hit >= 0.9 && made_up <= 0.01);
    assert_int_equal(count_of(report, "windows of"), windows);
    assert_int_equal(count_of(report, "doors"), doors);
}

static void black_walls_with_all_that_agents_draw(void **state)
{
    (void)state;
    flat = (struct flat){.fill = BLACK, .marks = true, .tiles = true};
    check_import("black", 4, 5);
}

static void the_same_as_jpeg(void **state)
{
    (void)state;
    flat = (struct flat){.fill = BLACK, .marks = true, .tiles = true, .jpeg = 60};
    check_import("JPEG", 4, 5);
}

static void grey_walls_with_black_outlines(void **state)
{
    (void)state;
    flat = (struct flat){.fill = GREY, .line = BLACK, .marks = true};
    check_import("grey, outlined", 4, 5);
}

static void coloured_walls_and_floors(void **state)
{
    (void)state;
    flat = (struct flat){.fill = WINE, .floor = PALE, .marks = true};
    check_import("coloured", 4, 5);
}

static void a_tilted_scan(void **state)
{
    (void)state;
    flat = (struct flat){.fill = BLACK, .marks = true, .tilted = true};
    check_import("tilted", 4, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(black_walls_with_all_that_agents_draw),
                                       cmocka_unit_test(the_same_as_jpeg),
                                       cmocka_unit_test(grey_walls_with_black_outlines),
                                       cmocka_unit_test(coloured_walls_and_floors), cmocka_unit_test(a_tilted_scan)};
    return cmocka_run_group_tests(tests, folder_make, folder_clear);
}
