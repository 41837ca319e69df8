/* The view of a building in three dimensions, against a plain walk along each ray in small steps. */
#include "tests/support/check.h"

#include "discretize/picture/space_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The materials in colours of one channel, so that it can be told from the shaded picture. */
enum { RED = 0xff0000, GREEN = 0x00ff00, BLUE = 0x0000ff };

static const char ROOM[] =
    "dimensions: 3\n"
    "plan:\n"
    "  size: [4 m, 3 m]\n"
    "  storey: {height: 2.5 m, floor: {material: brick, thickness: 20 cm, from: [0.3, 0.3], to: [3.7, 2.8]},\n"
    "           ceiling: {material: brick, thickness: 20 cm}}\n"
    "  walls: [{from: [0.5, 0.5], to: [3.5, 0.5], thickness: 12 cm, material: concrete},\n"
    "          {from: [0.5, 1], to: [1.4, 2.6], thickness: 10 cm, material: concrete, z: [0, 2]}]\n"
    "  circles: [{centre: [2.8, 1.8], radius: 0.25, material: concrete}]\n"
    "  openings: [{from: [2, 0.4], to: [2.6, 0.6], sill: 0.9, head: 2}]\n"
    "  boxes: [{from: [1.8, 1, 0.7], to: [2.4, 2, 0.75], material: wood}]\n"
    "band: 2 GHz\n"
    "transmitters: [{at: [2, 1.5, 1]}]\n";

struct scene {
    pw_scenario *scenario;
    struct building building;
    pw_notes warnings;
    struct solid solid;
    struct space_image image;
    uint32_t colours[256];
    bool glass[256];
};

static void scene_start(struct scene *scene, const char *see_through)
{
    pw_error error = {""};
    memset(scene, 0, sizeof *scene);
    if (pw_scenario_parse("room.yaml", ROOM, NULL, 0, &scene->scenario, &error) != PW_OK ||
        building_create(scene->scenario, false, &scene->warnings, &scene->building, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    const struct floorplan *any = &scene->building.bands[0];
    for (int m = 1; m < any->material_count; m++) {
        const char *name = any->materials[m].name;
        scene->colours[solid_number(m)] = strcmp(name, "concrete") == 0 ? GREEN
                                          : strcmp(name, "wood") == 0   ? BLUE
                                                                        : RED;
        scene->glass[solid_number(m)] = see_through != NULL && strcmp(name, see_through) == 0;
    }
    const struct space_look look = {scene->colours, scene->glass};
    scene->image.pixel = 0.01;
    assert_int_equal(solid_create(&scene->building, -0.2, 0, 2.5, 0.005, &scene->solid, &error), PW_OK);
    assert_int_equal(space_view_render(&scene->solid, &look, &scene->image, &error), PW_OK);
}

static void scene_end(struct scene *scene)
{
    free(scene->image.rgb);
    solid_free(&scene->solid);
    building_free(&scene->building);
    warnings_free(&scene->warnings);
    pw_scenario_free(scene->scenario);
}

/* What is seen at (u, v), under the ceiling: the first material from above; 0 for nothing. */
static int walked(const struct scene *scene, double u, double v, const char *passed)
{
    const struct projection p = projection_usual();
    const struct floorplan *any = &scene->building.bands[0];
    for (double z = 2.5 - 1e-4; z > -0.2; z -= 0.004) {
        double away = (v - z * p.cos_rise) / p.sin_rise;
        double x = u * p.cos_turn - away * p.sin_turn, y = u * p.sin_turn + away * p.cos_turn;
        int m =
            x > 0 && y > 0 && x < any->width && y < any->height ? building_material_at(&scene->building, x, y, z) : 0;
        if (m != 0 && (passed == NULL || strcmp(any->materials[m].name, passed) != 0)) {
            return m;
        }
    }
    return 0;
}

/* The channel that is strongest in a pixel, as a colour of one channel; 0 for white. */
static uint32_t channel_of(const struct space_image *image, int column, int row)
{
    const uint8_t *rgb = image->rgb + 3 * ((size_t)row * (size_t)image->columns + (size_t)column);
    if (rgb[0] == 255 && rgb[1] == 255 && rgb[2] == 255) {
        return 0;
    }
    int best = rgb[0] >= rgb[1] && rgb[0] >= rgb[2] ? 0 : rgb[1] >= rgb[2] ? 1 : 2;
    return 0xffu << (16 - 8 * best);
}

/* Far enough from the end of a face, where there are lines, each pixel shows what its ray meets first. */
static void rays_meet_what_is_nearest(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, NULL);
    const struct space_image *image = &scene.image;
    int checked = 0, seen[256] = {0};
    for (int row = 3; row < image->rows - 3; row += 8) {
        for (int column = 3; column < image->columns - 3; column += 8) {
            double u = image->corner.x + (column + 0.5) * image->pixel,
                   v = image->corner.y + (row + 0.5) * image->pixel;
            int m = walked(&scene, u, v, NULL);
            bool inside = true;
            for (int n = 0; n < 4 && inside; n++) {
                double off = 2.5 * image->pixel;
                inside = walked(&scene, u + (n & 1 ? off : -off), v + (n & 2 ? off : -off), NULL) == m;
            }
            if (inside) {
                uint32_t wanted = m > 0 ? scene.colours[solid_number(m)] : 0;
                /* A line between two faces of one material is dark, and has its channel still. */
                assert_int_equal(channel_of(image, column, row), wanted);
                checked++;
                seen[m]++;
            }
        }
    }
    assert_true(checked > 800);
    for (int m = 0; m < scene.building.bands[0].material_count; m++) {
        assert_true(seen[m] > 8);
    }
    scene_end(&scene);
}

/* The cut under the ceiling has the colours of the legend; what stands under it is lighter or darker. */
static void the_cut_is_in_the_colours_of_the_legend(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, NULL);
    const struct projection p = projection_usual();
    struct point top = project(&p, 1.2, 0.5, 2.5), side = project(&p, 1.2, 0.44, 1.2);
    const struct point places[] = {top, side};
    for (int n = 0; n < 2; n++) {
        int column = (int)((places[n].x - scene.image.corner.x) / scene.image.pixel),
            row = (int)((places[n].y - scene.image.corner.y) / scene.image.pixel);
        const uint8_t *rgb = scene.image.rgb + 3 * ((size_t)row * (size_t)scene.image.columns + (size_t)column);
        if (n == 0) {
            assert_true(rgb[0] == 0 && rgb[1] == 255 && rgb[2] == 0);
        } else {
            assert_true(rgb[0] > 20 && rgb[1] > 150 && rgb[1] < 250);
        }
    }
    scene_end(&scene);
}

/* A pane tints what is behind it and hides nothing. */
static void panes_are_seen_through(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, "wood");
    const struct projection p = projection_usual();
    struct point table = project(&p, 2.1, 1.9, 0.75);
    int column = (int)((table.x - scene.image.corner.x) / scene.image.pixel),
        row = (int)((table.y - scene.image.corner.y) / scene.image.pixel);
    int seen = walked(&scene, table.x, table.y, NULL);
    assert_string_equal(scene.building.bands[0].materials[seen].name, "wood");
    const uint8_t *rgb = scene.image.rgb + 3 * ((size_t)row * (size_t)scene.image.columns + (size_t)column);
    assert_true(rgb[0] > rgb[1] && rgb[2] > rgb[1] + 20); /* a red floor under a blue pane */
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_what_is_nearest),
        cmocka_unit_test(the_cut_is_in_the_colours_of_the_legend),
        cmocka_unit_test(panes_are_seen_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
