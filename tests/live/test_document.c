/* The document of a live session on the flat, whose walls are pixels of a picture: erasing, drawing, changing
 * materials, and what is saved. */
#include "tests/support/check.h"

#include "serve/planwave_serve.h"

#include "serve/document/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void open_flat(struct document *document)
{
    pw_error error = {""};
    if (document_open(document, "floorplans/flat.yaml", NULL, 0, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

static pw_status apply(struct document *document, struct message message)
{
    pw_error error = {""};
    pw_status status = document_apply(document, &message, &error);
    assert_true(status == PW_OK || error.message[0] != '\0');
    return status;
}

/* Of the middle of a square of 1 cm. */
static pw_floorplan_material material_at(const struct document *document, double x, double y)
{
    enum { WIDTH = 1600, HEIGHT = 1600 };
    static uint16_t pixels[WIDTH * HEIGHT];
    assert_int_equal(pw_floorplan_pixels(document->plan, 0.01, 1, WIDTH, HEIGHT, pixels, NULL), PW_OK);
    return pw_floorplan_describe_material(document->plan, pixels[(int)(100 * y) * WIDTH + (int)(100 * x)]);
}

static bool is_air(const struct document *document, double x, double y)
{
    return strcmp(material_at(document, x, y).name, "air") == 0;
}

/* The wall along x = 1.2 to 1.28 m reaches from the corner at y = 1.2 m to the wall at y = 6 m. */
static void test_erases_a_piece_of_wall(void **state)
{
    (void)state;
    struct document document;
    open_flat(&document);
    assert_false(is_air(&document, 1.24, 5));
    assert_int_equal(apply(&document, (struct message){.kind = MESSAGE_ERASE, .at = {1.24, 5}}), PW_OK);
    assert_true(is_air(&document, 1.24, 5));
    assert_true(is_air(&document, 1.24, 2));
    assert_false(is_air(&document, 5, 1.24));  /* the wall round the corner */
    assert_false(is_air(&document, 2, 6.04));  /* the wall that met it */
    assert_false(is_air(&document, 1.24, 10)); /* and its own other side */
    assert_int_equal(apply(&document, (struct message){.kind = MESSAGE_ERASE, .at = {3, 3}}), PW_BAD_INPUT);
    assert_int_equal(apply(&document, (struct message){.kind = MESSAGE_UNDO}), PW_OK);
    assert_false(is_air(&document, 1.24, 5));
    document_close(&document);
}

static void test_draws(void **state)
{
    (void)state;
    struct document document;
    struct message wall = {
        .kind = MESSAGE_WALL, .from = {3, 3}, .to = {5, 3}, .thickness = 0.2, .material = "concrete"};
    struct message door = {.kind = MESSAGE_WALL, .from = {3.8, 3}, .to = {4.2, 3}, .thickness = 0.3, .material = "air"};
    open_flat(&document);
    assert_int_equal(apply(&document, wall), PW_OK);
    assert_string_equal(material_at(&document, 4, 3.05).name, "concrete");
    assert_int_equal(apply(&document, door), PW_OK);
    assert_true(is_air(&document, 4, 3.05));
    assert_string_equal(material_at(&document, 3.4, 3.05).name, "concrete");
    assert_int_equal(apply(&document, (struct message){.kind = MESSAGE_ERASE, .at = {4, 3}}), PW_OK); /* the door */
    assert_string_equal(material_at(&document, 4, 3.05).name, "concrete");
    assert_int_equal(document.version, 3);
    document_close(&document);
}

/* A material by what it is called, and by its new name again. */
static void test_changes_materials(void **state)
{
    (void)state;
    struct document document;
    struct message change = {.kind = MESSAGE_MATERIAL, .relative_permittivity = 5, .conductivity = 0.01};
    open_flat(&document);
    for (int n = 0; n < 2; n++) {
        snprintf(change.name, sizeof change.name, "%s", material_at(&document, 1.24, 5).name);
        change.relative_permittivity += 1;
        assert_int_equal(apply(&document, change), PW_OK);
        assert_true(material_at(&document, 1.24, 5).relative_permittivity == change.relative_permittivity);
        assert_true(material_at(&document, 1.24, 5).conductivity == 0.01);
    }
    snprintf(change.name, sizeof change.name, "metal");
    assert_int_equal(apply(&document, change), PW_BAD_INPUT);
    document_close(&document);
}

/* A drag is one version, and what is saved names the picture as the original does. */
static void test_drags_and_saves(void **state)
{
    (void)state;
    struct document document;
    char *text = NULL;
    open_flat(&document);
    assert_true(document_is_saved(&document));
    for (int n = 0; n < 9; n++) {
        struct message move = {.kind = MESSAGE_MOVE, .transmitter = "ap1", .at = {4 + 0.1 * n, 5}, .drag = n < 8};
        assert_int_equal(apply(&document, move), PW_OK);
    }
    assert_int_equal(document.version_count, 2);
    assert_false(document_is_saved(&document));
    assert_int_equal(document_portable_text(&document, &text, NULL), PW_OK);
    assert_non_null(strstr(text, "image: \"flat.png\""));
    free(text);
    document_close(&document);
}

/* A drag that is given up ends where it began, and leaves nothing to undo. */
static void test_forgets_a_drag_given_up(void **state)
{
    (void)state;
    struct document document;
    open_flat(&document);
    struct message move = {.kind = MESSAGE_MOVE, .transmitter = "ap1", .at = {4, 5}, .drag = true};
    const pw_scenario_transmitter ap1 =
        pw_scenario_describe_transmitter(document.scenario, document_transmitter(&document, "ap1"));
    struct place from = {ap1.x, ap1.y};
    assert_int_equal(apply(&document, move), PW_OK);
    move.at = from; /* over where it began, and on */
    assert_int_equal(apply(&document, move), PW_OK);
    move.at = (struct place){4, 5.5};
    assert_int_equal(apply(&document, move), PW_OK);
    assert_int_equal(document.version_count, 2);
    move.at = from;
    move.drag = false;
    assert_int_equal(apply(&document, move), PW_OK);
    assert_int_equal(document.version_count, 1);
    assert_int_equal(document.version, 0);
    assert_true(document_is_saved(&document));
    assert_int_equal(apply(&document, (struct message){.kind = MESSAGE_UNDO}), PW_BAD_INPUT);
    document_close(&document);
}

/* A power that was asked for is the one that the text says, digit by digit. */
static void test_changes_powers(void **state)
{
    (void)state;
    struct document document;
    open_flat(&document);
    struct message power = {.kind = MESSAGE_POWER, .transmitter = "ap1", .power = 17.3};
    assert_int_equal(apply(&document, power), PW_OK);
    assert_non_null(strstr(document_text(&document), "17.3 dBm"));
    assert_int_equal(document.plan_revision, 1); /* the plan is the same */
    snprintf(power.transmitter, sizeof power.transmitter, "nobody");
    assert_int_equal(apply(&document, power), PW_BAD_INPUT);
    document_close(&document);
}

/* Channel and name are in the text, and undone one by one; the band decides which channels there are. */
static void test_changes_stations(void **state)
{
    (void)state;
    struct document document;
    open_flat(&document);
    struct message tune = {.kind = MESSAGE_TUNE, .transmitter = "ap1", .number = 36, .width = NAN};
    struct message rename = {.kind = MESSAGE_RENAME, .transmitter = "ap1", .name = "lobby"};
    struct message band = {.kind = MESSAGE_BAND, .centre = 2.45e9, .width = 1e8};
    assert_int_equal(apply(&document, tune), PW_BAD_INPUT);
    tune.number = 6;
    if (apply(&document, band) == PW_OK) {
        assert_int_equal(apply(&document, tune), PW_OK);
        assert_non_null(strstr(document_text(&document), "channel: {band: 2.4 GHz, number: 6, width: 20 MHz}"));
        tune.number = 0;
        assert_int_equal(apply(&document, tune), PW_OK);
        assert_null(strstr(document_text(&document), "channel:"));
    }
    assert_int_equal(apply(&document, rename), PW_OK);
    assert_non_null(strstr(document_text(&document), "lobby"));
    assert_int_equal(apply(&document, (struct message){.kind = MESSAGE_UNDO}), PW_OK);
    assert_null(strstr(document_text(&document), "lobby"));
    snprintf(rename.name, sizeof rename.name, "best");
    assert_int_equal(apply(&document, rename), PW_BAD_INPUT);
    document_close(&document);
}

static const char STOREYS[] =
    "plan:\n"
    "  size: [3 m, 2 m]\n"
    "  storeys:\n"
    "    - {height: 2.5 m, walls: [{from: [1 m, 0 m], to: [1 m, 2 m], thickness: 10 cm, material: brick}]}\n"
    "    - {height: 2.5 m, walls: [{from: [2 m, 0 m], to: [2 m, 2 m], thickness: 10 cm, material: brick}]}\n"
    "band: {centre: 1.2 GHz, width: 300 MHz}\n"
    "grid: {cell: 4 cm}\n"
    "transmitters:\n"
    "  - {name: low, at: [0.5 m, 0.5 m], height: 1 m}\n"
    "  - {name: high, at: [0.5 m, 1.5 m], height: 4 m}\n"
    "stop: {after: 60 ns}\n";

/* A plan with storeys is cut at the height of its first transmitter: without that one at another height, and after undo
 * where it was. */
static void test_cuts_storeys_anew(void **state)
{
    (void)state;
    struct document document;
    char path[] = "/tmp/test-document-XXXXXX";
    pw_error error = {""};
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(STOREYS, file);
    fclose(file);
    if (document_open(&document, path, NULL, 0, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_false(is_air(&document, 1, 1));
    assert_true(is_air(&document, 2, 1));
    assert_int_equal(apply(&document, (struct message){.kind = MESSAGE_REMOVE, .transmitter = "low"}), PW_OK);
    assert_true(is_air(&document, 1, 1));
    assert_false(is_air(&document, 2, 1));
    assert_int_equal(document.plan_revision, 2);
    assert_int_equal(apply(&document, (struct message){.kind = MESSAGE_UNDO}), PW_OK);
    assert_false(is_air(&document, 1, 1));
    /* A cell of its own makes a run of any band small, but not its previews. */
    assert_int_equal(apply(&document, (struct message){.kind = MESSAGE_BAND, .centre = 1e12, .width = 1e8}),
                     PW_BAD_INPUT);
    document_close(&document);
    (void)unlink(path);
}

/* Wherever it is moved to: a point has no far end, which an antenna with a pattern must not have. */
static void test_points_stay_points(void **state)
{
    (void)state;
    struct document document;
    pw_error error = {""};
    assert_int_equal(document_open(&document, "floorplans/panels.yaml", NULL, 0, &error), PW_OK);
    for (int n = 0; n < 30; n++) {
        struct message move = {.kind = MESSAGE_MOVE, .at = {3 + 0.0377 * n, 4.8 - 0.0311 * n}, .drag = true};
        snprintf(move.transmitter, sizeof move.transmitter, "%s", n % 2 == 0 ? "along" : "plain");
        assert_int_equal(apply(&document, move), PW_OK);
        const pw_scenario_transmitter moved =
            pw_scenario_describe_transmitter(document.scenario, document_transmitter(&document, move.transmitter));
        assert_true(moved.x == move.at.x && moved.y == move.at.y);
        assert_true(moved.to_x == moved.x && moved.to_y == moved.y);
    }
    struct message add = {.kind = MESSAGE_ADD, .at = {3.31, 4.7}, .name = "new", .like = "along"};
    assert_int_equal(apply(&document, add), PW_OK);
    document_close(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_erases_a_piece_of_wall),  cmocka_unit_test(test_draws),
        cmocka_unit_test(test_changes_materials),       cmocka_unit_test(test_drags_and_saves),
        cmocka_unit_test(test_forgets_a_drag_given_up), cmocka_unit_test(test_cuts_storeys_anew),
        cmocka_unit_test(test_points_stay_points),      cmocka_unit_test(test_changes_powers),
        cmocka_unit_test(test_changes_stations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
