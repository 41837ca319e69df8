/* Scenarios: every key to its value, defaults, overrides, the text that reads back, files. What is refused is in
 * test_scenario_refusals.c. */
#include "tests/support/check.h"
#include "tests/support/scenario_texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenario/scenario.h"

static pw_scenario *parse(const char *text, const char *set)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("dir/flat.yaml", text, set != NULL ? &set : NULL, set != NULL, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static void every_key_reaches_its_place(void **state)
{
    (void)state;
    pw_scenario *s = parse(FULL, NULL);
    assert_string_equal(s->file, "dir/flat.yaml");
    assert_string_equal(s->title, "Flat, access point in the corridor");
    assert_true(s->band_centre == 2.4e9 && s->band_width == 600e6);
    assert_string_equal(s->plan.image, "flat.png");
    assert_true(s->plan.pixel == 0.02 && s->plan.tolerance == 3 && s->plan.width == 15.36 && s->plan.height == 12);
    assert_int_equal(s->plan.legend_count, 3);
    assert_int_equal(s->plan.legend[1].red, 0x30);
    assert_int_equal(s->plan.legend[1].green, 0x60);
    assert_int_equal(s->plan.legend[1].blue, 0xc0);
    assert_true(s->plan.legend[1].material.own_values && s->plan.legend[1].material.relative_permittivity == 2.89 &&
                s->plan.legend[1].material.conductivity == 0.002);
    assert_false(s->plan.legend[0].material.own_values);
    assert_string_equal(s->plan.legend[0].material.name, "brick");
    assert_true(s->grid.scheme == SCHEME_DD3 && s->grid.cell == 0.02 && s->grid.courant == 0.25 &&
                s->grid.averaging == AVERAGING_AREA);
    assert_true(s->grid.absorber.kind == ABSORBER_UPML && s->grid.absorber.cells == 10 && s->grid.absorber.order == 3 &&
                s->grid.absorber.reflection == 1.125e-7);
    assert_true(s->spectra.enabled && s->spectra.count == 232 && s->spectra.spacing == 4 && s->spectra.every == 8 &&
                s->spectra.aliasing == 60 && !s->spectra.warp && s->spectra.has_region);
    assert_true(s->spectra.from.x == 1 && s->spectra.from.y == 2 && s->spectra.to.x == 3 && s->spectra.to.y == 4);
    assert_true(s->stop.after == 386.44e-9 && s->stop.steps == 4096 && s->stop.decay == -60);
    assert_int_equal(s->receiver_count, 2);
    assert_string_equal(s->receivers[1].name, "far away");
    assert_true(s->receivers[0].at.y == 10.24 && s->receivers[0].gain == 0 && s->receivers[1].gain == 3);
    pw_scenario_free(s);
}

static void transmitters_are_read(void **state)
{
    (void)state;
    pw_scenario *s = parse(FULL, NULL);
    assert_int_equal(s->transmitter_count, 3);
    const struct transmitter_choice *first = &s->transmitters[0], *second = &s->transmitters[1],
                                    *third = &s->transmitters[2];
    assert_true(first->power == 17 && first->to.x == 7.68 && first->source == SOURCE_SOFT &&
                !first->sampled_at_step_end);
    assert_true(first->waveform.kind == WAVEFORM_MODULATED_GAUSSIAN && first->waveform.frequency == 2.4e9 &&
                first->waveform.amplitude == 1 && first->waveform.width == 0 && isnan(first->waveform.delay));
    assert_string_equal(second->name, "line.2");
    assert_int_equal(second->line, 25);
    assert_true(fabs(second->power - 20) < 1e-12 && second->to.x == 2 && second->to.y == 1 &&
                second->source == SOURCE_HARD && second->sampled_at_step_end);
    assert_true(second->waveform.kind == WAVEFORM_GAUSSIAN && second->waveform.width == 0.5e-9 &&
                second->waveform.delay == 1.5e-9 && second->waveform.amplitude == 2);
    assert_string_equal(third->name, "tx3");
    assert_true(third->power == 20 && third->waveform.kind == WAVEFORM_SAMPLES);
    assert_string_equal(third->waveform.file, "pulse.csv");
    pw_scenario_free(s);
}

/* Lists are drawn in the order of the manual, whatever their order in the file. */
static void shapes_come_in_drawing_order(void **state)
{
    (void)state;
    pw_scenario *s = parse(FULL, NULL);
    assert_int_equal(s->plan.shape_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(s->plan.shapes[i].kind, SHAPE_RECTANGLE + i);
    }
    const struct shape *shapes = s->plan.shapes;
    assert_true(shapes[0].points[0].x == 1.2 && shapes[0].points[1].y == 1.28);
    assert_int_equal(shapes[1].point_count, 3);
    assert_true(shapes[1].points[2].x == 3 && shapes[1].points[2].y == 4);
    assert_true(shapes[2].radius == 0.25 && shapes[2].points[0].y == 5.6);
    assert_string_equal(shapes[2].material.name, "ceiling board");
    assert_true(shapes[3].thickness == 0.08 && shapes[3].material.perfect_conductor);
    assert_string_equal(shapes[4].material.name, "air");
    assert_true(shapes[4].points[0].y == 1.2 && shapes[4].points[1].y == 1.28); /* corners sorted */
    assert_int_equal(shapes[4].line, 11);
    pw_scenario_free(s);
}

/* What came from a drawing lies under all that is written, and is written back as it was. */
static void drawn_shapes_come_first(void **state)
{
    (void)state;
    pw_scenario *s = parse("plan:\n  size: [3 m, 3 m]\n  rectangles: [{from: [0, 0], to: [1, 1], material: wood}]\n"
                           "  drawn: [{points: [[0, 0], [2, 0], [2, 2]], material: brick}]\n"
                           "band: 1 GHz\ntransmitters: [{at: [1, 2]}]\n",
                           NULL);
    assert_int_equal(s->plan.shapes[0].kind, SHAPE_DRAWN);
    assert_string_equal(s->plan.shapes[0].material.name, "brick");
    assert_int_equal(s->plan.shapes[1].kind, SHAPE_RECTANGLE);
    pw_scenario *again = parse(pw_scenario_text(s), NULL);
    assert_string_equal(pw_scenario_text(again), pw_scenario_text(s));
    pw_scenario_free(again);
    pw_scenario_free(s);
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    pw_scenario *s = parse(SMALL, NULL);
    assert_string_equal(s->title, "flat");
    assert_true(s->grid.scheme_open && s->grid.averaging_open && s->grid.courant == 0 && s->accuracy.decibels == 1);
    assert_true(s->grid.absorber.kind == ABSORBER_UPML && s->grid.absorber.cells == 16 && s->grid.absorber.order == 4 &&
                fabs(log(s->grid.absorber.reflection) + 96) < 1e-9);
    assert_true(s->spectra.enabled && s->spectra.count == 0 && s->spectra.spacing == 0);
    assert_true(s->spectra.warp && s->receiver_count == 0 && s->plan.image == NULL);
    assert_true(s->transmitters[0].power == 20 && s->stop.steps == 0 && s->stop.decay_open);
    assert_string_equal(s->transmitters[0].name, "tx1");
    pw_scenario_free(s);
    s = parse(SMALL, "grid.scheme=yee");
    assert_true(s->grid.averaging == AVERAGING_AREA);
    pw_scenario_free(s);
    s = parse(SMALL, "grid.absorber={kind: none}");
    assert_true(s->grid.absorber.kind == ABSORBER_PEC && s->grid.absorber.cells == 0);
    pw_scenario_free(s);
    s = parse(SMALL, "spectra={}");
    assert_true(s->spectra.enabled && s->spectra.every == 0 && s->spectra.aliasing == 80 && s->spectra.warp);
    pw_scenario_free(s);
}

static void cells_per_wavelength_give_the_cell(void **state)
{
    (void)state;
    pw_scenario *s = parse(SMALL, "grid.cells_per_wavelength=6"); /* wins over the cell of the file */
    assert_true(s->grid.cells_per_wavelength == 6 && s->grid.cell == 0);
    pw_scenario_free(s);
}

static void overrides_reach_into_lists(void **state)
{
    (void)state;
    const char *set[] = {"transmitters.ap1.power=10 dBm",
                         "transmitters.line.2.at=[1.5, 1]",
                         "receivers.0.at=[1,2]",
                         "grid.scheme=fd6",
                         "spectra.warp=on",
                         "title=a=b",
                         "receivers.far away.gain=0",
                         "plan.walls.0.thickness=1 cm",
                         "stop.decay=off"};
    pw_scenario *s = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("x", FULL, set, sizeof set / sizeof set[0], &s, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(s->transmitters[0].power == 10 && s->transmitters[1].at.x == 1.5 && s->receivers[0].at.y == 2);
    assert_true(s->grid.scheme == SCHEME_FD6 && s->spectra.warp && s->receivers[1].gain == 0);
    assert_true(s->plan.shapes[3].thickness == 0.01 && s->stop.decay == 0);
    assert_string_equal(s->title, "a=b");
    pw_scenario_free(s);
}

/* The paths that messages print are paths that --set takes: lists with indices in brackets. */
static void overrides_take_the_paths_of_messages(void **state)
{
    (void)state;
    static const char *const SET[] = {"plan.walls[0].thickness=12 cm", "transmitters[1].at[0]=1.5 m",
                                      "plan.polygons[0].points[2][1]=4.5 m", "receivers[0].name=there"};
    pw_scenario *s = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("x", FULL, SET, sizeof SET / sizeof SET[0], &s, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(s->transmitters[1].at.x == 1.5);
    assert_string_equal(s->receivers[0].name, "there");
    int walls = 0, polygons = 0;
    for (int i = 0; i < s->plan.shape_count; i++) {
        const struct shape *shape = &s->plan.shapes[i];
        if (shape->kind == SHAPE_WALL) {
            walls++;
            assert_true(shape->thickness == 0.12);
        } else if (shape->kind == SHAPE_POLYGON) {
            polygons++;
            assert_true(shape->points[2].y == 4.5);
        }
    }
    assert_true(walls == 1 && polygons == 1);
    pw_scenario_free(s);
}

static void reads_back(const char *text, const char *set)
{
    pw_scenario *first = parse(text, set), *second = parse(pw_scenario_text(first), NULL);
    assert_string_equal(pw_scenario_text(first), pw_scenario_text(second));
    assert_true(first->grid.cell == second->grid.cell && first->stop.after == second->stop.after);
    assert_true(first->grid.absorber.reflection == second->grid.absorber.reflection);
    assert_int_equal(first->plan.shape_count, second->plan.shape_count);
    for (int i = 0; i < first->plan.shape_count; i++) {
        const struct shape *a = &first->plan.shapes[i], *b = &second->plan.shapes[i];
        assert_int_equal(a->point_count, b->point_count);
        assert_memory_equal(a->points, b->points, (size_t)a->point_count * sizeof *a->points);
        assert_true(a->kind == b->kind && a->radius == b->radius && a->thickness == b->thickness);
        assert_memory_equal(&a->material, &b->material, sizeof a->material);
    }
    for (int i = 0; i < first->transmitter_count; i++) {
        const struct transmitter_choice *a = &first->transmitters[i], *b = &second->transmitters[i];
        assert_true(a->power == b->power && a->to.x == b->to.x && a->waveform.kind == b->waveform.kind);
        assert_true(a->waveform.ramp == b->waveform.ramp && a->waveform.width == b->waveform.width);
    }
    pw_scenario_free(first);
    pw_scenario_free(second);
}

static void resolved_text_reads_back(void **state)
{
    (void)state;
    static const char *const SETS[] = {
        "grid.cells_per_wavelength=7.3",
        "spectra=off",
        "warp=off",
        "grid.absorber={kind: pec}",
        "transmitters.0.waveform={kind: ricker}",
        "transmitters.0.waveform={kind: sinusoid, frequency: 2.41 GHz}",
        "transmitters.0.waveform={kind: constant, ramp: 3 ns}",
        "transmitters.0.waveform={kind: differentiated-gaussian, width: 0.1 ns}",
        "transmitters.0.at=[0.1, 0.30000000000000004]",
        "transmitters.0.power=123 mW",
        "title=\"quote \\\" backslash \\\\ tab \\t line \\n nel \\x85 separator \\u2028 euro \xe2\x82\xac\"",
        "title=\"\"",
        "plan.rectangles=[{from: [0, 0], to: [1, 1], material: {name: my wall, relative_permittivity: 3}}]",
        "plan.walls=[{from: [0, 0], to: [1, 3], thickness: 6 mm, material: low-e glass}]",
        "plan.walls=[{from: [0, 0], to: [1, 3], layers: [{material: brick, thickness: 10 cm}, {material: {"
        "relative_permittivity: 1.1}, thickness: 8 cm}, {material: foil, thickness: 0.1 mm}]}]",
    };
    reads_back(FULL, NULL);
    reads_back(SMALL, NULL);
    for (size_t i = 0; i < sizeof SETS / sizeof SETS[0]; i++) {
        reads_back(SMALL, SETS[i]);
        reads_back(FULL, SETS[i]);
    }
}

/* A wall of layers runs upwards, so that its first layer is on the left, at lower x. */
static void walls_of_layers_become_walls(void **state)
{
    (void)state;
    pw_scenario *s =
        parse("plan: {size: [4, 4], walls: [{from: [2, 0], to: [2, 4], layers: [{material: glass, thickness: 4 "
              "mm}, {material: air, thickness: 16 mm}, {material: glass, thickness: 4 mm, coating: 5 ohm}]}]}\n"
              "band: 2.4 GHz\ntransmitters: [{at: [1, 1]}]\n",
              NULL);
    static const double thickness[] = {4e-3, 16e-3, 4e-3, 1e-5}, middle[] = {1.99, 2, 2.01, 2.008005};
    static const char *const names[] = {"glass", "air", "glass", "coating 5 ohm"};
    assert_int_equal(s->plan.shape_count, 4);
    for (int n = 0; n < 4; n++) {
        const struct shape *wall = &s->plan.shapes[n];
        assert_int_equal(wall->kind, SHAPE_WALL);
        assert_true(fabs(wall->thickness - thickness[n]) < 1e-12 && fabs(wall->points[0].x - middle[n]) < 1e-12 &&
                    fabs(wall->points[1].x - middle[n]) < 1e-12);
        assert_string_equal(wall->material.name, names[n]);
    }
    assert_true(fabs(s->plan.shapes[3].material.conductivity * 1e-5 * 5 - 1) < 1e-12);
    pw_scenario_free(s);
}

/* Left of a wall, low x of an upright rectangle, upper face of a lying one, the longest side of a polygon. */
static void coatings_lie_inside_of_faces(void **state)
{
    (void)state;
    pw_scenario *s = parse(
        "plan: {size: [9, 9], rectangles: [{from: [1, 1], to: [1.01, 3], material: low-e glass}, {from: [2, 1], to: "
        "[4, "
        "1.01], material: glass, coating: {resistance: 15 ohm, side: both}}], polygons: [{points: [[5, 5], [5.01, 5], "
        "[5.01, 7], [5, 7]], material: {relative_permittivity: 6, coating: 2 ohm}}]}\n"
        "band: 2.4 GHz\ntransmitters: [{at: [8, 8]}]\n",
        NULL);
    assert_int_equal(s->plan.shape_count, 7);
    const struct shape *shapes = s->plan.shapes;
    assert_string_equal(shapes[0].material.name, "glass");
    assert_true(shapes[1].points[0].x == 1 && fabs(shapes[1].points[1].x - 1.00001) < 1e-12);
    assert_true(fabs(shapes[1].material.conductivity - 1 / 5e-5) < 1e-6);
    assert_true(shapes[3].points[1].y == 1.01 && fabs(shapes[3].points[0].y - 1.00999) < 1e-12);
    assert_true(shapes[4].points[0].y == 1 && fabs(shapes[4].points[1].y - 1.00001) < 1e-12);
    assert_string_equal(shapes[6].material.name, "coating 2 ohm");
    for (int p = 0; p < 4; p++) { /* inside of the right face, which is the first of the two longest */
        assert_true(shapes[6].points[p].x <= 5.01 && shapes[6].points[p].x > 5.0099);
    }
    pw_scenario_free(s);
}

static void warp_has_two_places(void **state)
{
    (void)state;
    pw_scenario *s = parse(FULL, "warp=on"); /* the file says off, within spectra */
    assert_true(s->spectra.warp);
    pw_scenario_free(s);
    s = parse(SMALL, "warp=off");
    assert_false(s->spectra.warp);
    pw_scenario_free(s);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void files_resolve_their_paths(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_scenario_XXXXXX", path[64], expected[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(FULL, file);
    assert_int_equal(fclose(file), 0);
    pw_scenario *s = NULL;
    pw_error error = {""};
    assert_int_equal(pw_scenario_load(path, NULL, 0, &s, &error), PW_OK);
    snprintf(expected, sizeof expected, "%s/flat.png", folder);
    assert_string_equal(s->plan.image, expected);
    snprintf(expected, sizeof expected, "%s/pulse.csv", folder);
    assert_string_equal(s->transmitters[2].waveform.file, expected);
    pw_scenario_free(s);
    const char *set = "plan.image=/abs/x.png";
    assert_int_equal(pw_scenario_load(path, &set, 1, &s, &error), PW_OK);
    assert_string_equal(s->plan.image, "/abs/x.png");
    pw_scenario_free(s);

    assert_int_equal(truncate(path, 5 << 20), 0);
    assert_int_equal(pw_scenario_load(path, NULL, 0, &s, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "larger than 4 MiB"));
    assert_null(s);
    unlink(path);
    assert_int_equal(pw_scenario_load(path, NULL, 0, &s, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(pw_scenario_load(folder, NULL, 0, &s, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, folder));
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_reaches_its_place),  cmocka_unit_test(transmitters_are_read),
        cmocka_unit_test(shapes_come_in_drawing_order), cmocka_unit_test(drawn_shapes_come_first),
        cmocka_unit_test(defaults_are_filled_in),       cmocka_unit_test(cells_per_wavelength_give_the_cell),
        cmocka_unit_test(overrides_reach_into_lists),   cmocka_unit_test(overrides_take_the_paths_of_messages),
        cmocka_unit_test(resolved_text_reads_back),     cmocka_unit_test(walls_of_layers_become_walls),
        cmocka_unit_test(coatings_lie_inside_of_faces), cmocka_unit_test(warp_has_two_places),
        cmocka_unit_test(files_resolve_their_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
