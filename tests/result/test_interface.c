/* What bindings of other languages ask the library: who it is, its materials, and the walls of a result as they were
 * solved. */
#include "tests/support/check.h"

#include "planwave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char scenario_text[] =
    "plan:\n"
    "  size: [2 m, 1.5 m]\n"
    "  rectangles:\n"
    "    - {from: [1 m, 0.3 m], to: [1.1 m, 1.2 m], material: {relative_permittivity: 4, conductivity: 0 S/m}}\n"
    "    - {from: [1.5 m, 0.6 m], to: [1.7 m, 0.8 m], material: metal}\n"
    "grid: {scheme: dd4, cell: 2 cm}\n"
    "band: {centre: 1 GHz, width: 300 MHz}\n"
    "transmitters: [{name: left, at: [0.4 m, 0.7 m], power: 20 dBm}]\n"
    "spectra: {count: 8, spacing: 2 cells}\n"
    "stop: {after: 3 ns, decay: off}\n";

static void test_identity(void **state)
{
    (void)state;
    assert_string_equal(pw_version(), PW_VERSION);
    assert_int_equal(strlen(pw_interface()), 64);
    assert_int_equal(strspn(pw_interface(), "0123456789abcdef"), 64);
}

/* Rows of Recommendation ITU-R P.2040-4, table 3: sigma = c f^d, f in GHz. */
static void test_materials(void **state)
{
    (void)state;
    int glasses = 0, conductors = 0;
    size_t count = 0;
    for (pw_material m = pw_material_describe(0, 2e9); m.name != NULL; m = pw_material_describe(++count, 2e9)) {
        assert_true(m.lowest < m.highest);
        assert_int_equal(m.covers, m.lowest <= 2e9 && 2e9 <= m.highest);
        conductors += m.perfect_conductor;
        if (strcmp(m.name, "glass") == 0 && glasses++ == 0) {
            assert_true(fabs(m.relative_permittivity - 6.31) < 1e-12);
            assert_true(fabs(m.conductivity - 0.0036 * pow(2.0, 1.3394)) < 1e-12);
        }
    }
    assert_true(count > 10);
    assert_int_equal(glasses, 2);
    assert_int_equal(conductors, 1);
    assert_null(pw_material_describe(SIZE_MAX, 2e9).name);
    assert_true(isnan(pw_material_describe(0, 0.0).conductivity));
    assert_false(pw_material_describe(0, -1.0).covers);
}

static pw_result *solve_room(char path[32])
{
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    const pw_run_options options = {.compute.backend = "cpu"};
    strcpy(path, "interface-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(unlink(path), 0);
    if (pw_scenario_parse("room", scenario_text, NULL, 0, &scenario, &error) != PW_OK ||
        pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) != PW_OK ||
        pw_run(setup, &options, path, &error) != PW_OK || pw_result_open(path, &result, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return result;
}

/* The wall of 10 cm is 5 nodes of 2 cm wide and the metal 10, each within a node; between them is air. */
static void check_walls(const pw_map_shape *shape, const uint8_t *walls, const float *permittivity)
{
    const double at[2] = {0.75, 0.7}; /* m: two rows through both */
    for (int line = 0; line < 2; line++) {
        size_t row = (size_t)lround((at[line] - shape->y0) / shape->pitch_y) * (size_t)shape->columns;
        int wall = 0, metal = 0;
        for (int column = 0; column < shape->columns; column++) {
            double x = shape->x0 + column * shape->pitch_x;
            size_t node = row + (size_t)column;
            if (walls[node] == PW_WALL_METAL) {
                assert_true(x > 1.47 && x < 1.73);
                metal++;
            } else if (walls[node] > 0) {
                bool beside_metal = x > 1.47 && x < 1.73; /* a node that metal fills in part */
                assert_true(beside_metal || (x > 0.97 && x < 1.13));
                assert_true(walls[node] <= PW_WALL_FULL && permittivity[node] > 1.1F);
                wall += !beside_metal;
            }
        }
        assert_true(wall >= 4 && wall <= 7);
        assert_true(metal >= 8 && metal <= 12);
    }
}

static void test_walls(void **state)
{
    (void)state;
    char path[32];
    pw_error error = {{0}};
    pw_map_shape shape, again;
    pw_result *result = solve_room(path);
    assert_int_equal(pw_map_walls(result, &shape, NULL, NULL, &error), PW_OK);
    assert_int_equal(shape.rows, 75);
    assert_int_equal(shape.columns, 100);
    size_t count = (size_t)shape.rows * (size_t)shape.columns;
    uint8_t *walls = malloc(count);
    float *permittivity = malloc(count * sizeof *permittivity);
    assert_non_null(walls);
    assert_non_null(permittivity);
    assert_int_equal(pw_map_walls(result, &again, walls, permittivity, &error), PW_OK);
    assert_memory_equal(&shape, &again, sizeof shape);
    check_walls(&shape, walls, permittivity);
    assert_int_equal(pw_map_walls(NULL, &shape, walls, NULL, &error), PW_USAGE);
    assert_int_equal(pw_map_walls(result, NULL, walls, NULL, &error), PW_USAGE);
    free(walls);
    free(permittivity);
    pw_result_close(result);
    assert_int_equal(unlink(path), 0);
}

/* A table of permittivity 4 from z = 0.4 m to 0.8 m: every level of the medium is that of its own height. */
static void test_medium_in_space(void **state)
{
    (void)state;
    static const char text[] = "dimensions: 3\n"
                               "plan:\n"
                               "  size: [0.8 m, 0.6 m]\n"
                               "  storey: {height: 1 m}\n"
                               "  boxes:\n"
                               "    - {from: [0.4, 0.2, 0.4], to: [0.6, 0.4, 0.8], material: {relative_permittivity: "
                               "4, conductivity: 0.1 S/m}}\n"
                               "band: {centre: 1 GHz, width: 300 MHz}\n"
                               "grid: {scheme: yee, cell: 4 cm, averaging: point}\n"
                               "transmitters: [{name: ap, at: [0.2, 0.3, 0.5], polarisation: vertical}]\n"
                               "stop: {after: 3 ns, decay: off}\n";
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    if (pw_scenario_parse("table", text, NULL, 0, &scenario, &error) != PW_OK ||
        pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    const pw_facts facts = pw_setup_facts(setup);
    const size_t plane = (size_t)facts.nx * (size_t)facts.ny, count = plane * (size_t)facts.nz;
    double *permittivity = malloc(count * sizeof *permittivity), *conductivity = malloc(count * sizeof *conductivity);
    assert_non_null(permittivity);
    assert_non_null(conductivity);
    memset(permittivity, 0xff, count * sizeof *permittivity); /* NANs, which no level may keep */
    assert_int_equal(pw_setup_medium(setup, permittivity, conductivity, NULL, &error), PW_OK);
    int inside = 0;
    for (size_t n = 0; n < count; n++) {
        /* Nodes of Ez stand half a cell over the level's corner; those within 2 cm of a face may be on either side. */
        double z = facts.origin_z + ((double)(n / plane) + 0.5) * facts.cell - 0.6;
        double y = facts.origin_y + (double)(n % plane / (size_t)facts.nx) * facts.cell - 0.3;
        double x = facts.origin_x + (double)(n % (size_t)facts.nx) * facts.cell - 0.5;
        double beyond = fmax(fabs(z) - 0.2, fmax(fabs(y) - 0.1, fabs(x) - 0.1)); /* m from the faces, inside negative */
        if (fabs(beyond) > 0.021) {
            assert_true(fabs(permittivity[n] - (beyond < 0 ? 4 : 1)) < 1e-12);
            assert_true(fabs(conductivity[n] - (beyond < 0 ? 0.1 : 0)) < 1e-12);
            inside += beyond < 0;
        }
    }
    assert_true(inside >= 50);
    free(permittivity);
    free(conductivity);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_medium_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
