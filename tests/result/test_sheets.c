/* Results in three dimensions: their sheets, receivers with three components and the plan in the plane of the chosen
 * sheet come back as they were written, and a sheet that is not there is refused with a list of those that are. */
#include "tests/result/result_files.h"

#include "tests/result/volume_made.h"

/* Anything that tells run, component, place and frequency apart. */
static double complex any_field(int run, int component, const double at[3], double frequency)
{
    return (1 + run + 10 * component + at[0] + 0.1 * at[1] - I * at[2]) * (frequency / 1e9);
}

static int volume_write(void **state)
{
    struct volume_made made;
    pw_error error = {""};
    if (folder_create(state) != 0) {
        return -1;
    }
    volume_made_create(&made, PW_DOUBLE, any_field);
    pw_status status = volume_made_write(&made, path, &error);
    if (status != PW_OK) {
        print_error("%s\n", error.message);
    }
    volume_made_free(&made);
    return status == PW_OK ? 0 : -1;
}

static void facts_come_back(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    pw_result_facts facts = pw_result_describe(result);
    assert_int_equal(facts.dimensions, 3);
    assert_int_equal(facts.nz, VOLUME_NZ);
    assert_true(fabs(facts.origin_z + VOLUME_LAYER * volume_cell) < 1e-12);
    const struct result_transmitter *desk = &result->transmitters[1];
    assert_true(desk->height == 0.75 && desk->polarisation[0] == 1 && desk->polarisation[2] == 0);
    assert_string_equal(desk->antenna_word, "half_wave");
    assert_string_equal(result->transmitters[0].antenna_word, "hertzian");
    const struct result_receiver *aslant = &desk->receivers[1];
    assert_true(aslant->x == 2.0 && aslant->y == 2.0 && aslant->height == 1.5);
    assert_true(aslant->polarisation[0] == 0.6 && aslant->polarisation[2] == 0.8);
    pw_result_close(result);
}

static void receivers_have_three_components(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    double one[VOLUME_STEPS], along[VOLUME_STEPS];
    pw_error error;
    for (int run = 0; run < 2; run++) {
        assert_int_equal(pw_result_series(result, run, 1, along, &error), PW_OK);
        for (int c = 0; c < 3; c++) {
            assert_int_equal(pw_result_series_of(result, run, 1, (pw_component)(PW_COMPONENT_EX + c), one, &error),
                             PW_OK);
            for (int n = 0; n < VOLUME_STEPS; n++) {
                assert_true(one[n] == volume_probe(run, n, 3 + c));
            }
        }
        for (int n = 0; n < VOLUME_STEPS; n++) {
            assert_true(fabs(along[n] - 0.6 * volume_probe(run, n, 3) - 0.8 * volume_probe(run, n, 5)) < 1e-15);
        }
    }
    assert_int_equal(pw_result_series_of(result, 0, 0, PW_COMPONENT_TOTAL, one, &error), PW_USAGE);
    pw_result_close(result);
}

/* Every point of every sheet, at its place. */
static void sheets_come_back(void **state)
{
    (void)state;
    struct volume_made made;
    pw_error error;
    pw_result *result = open_made(path);
    volume_made_create(&made, PW_DOUBLE, any_field);
    assert_int_equal(pw_result_sheet_count(result), VOLUME_SHEETS);
    assert_int_equal(pw_result_sheet_chosen(result), 2); /* the first horizontal one of Ez */
    for (int s = 0; s < VOLUME_SHEETS; s++) {
        pw_sheet sheet;
        assert_int_equal(pw_result_sheet_choose(result, s, &error), PW_OK);
        assert_int_equal(pw_result_sheet_describe(result, s, &sheet, &error), PW_OK);
        assert_int_equal(sheet.component, PW_COMPONENT_EX + (int)made.sheets[s].component);
        assert_true(sheet.asked == made.sheets[s].asked && sheet.position == made.sheets[s].position);
        int rows = sheet.rows, columns = sheet.columns;
        size_t points = (size_t)rows * (size_t)columns;
        double *block = calloc(points * VOLUME_FREQUENCIES, 2 * sizeof *block);
        double x[64], y[64];
        assert_int_equal(pw_result_spectra_axes(result, 1, x, y, &error), PW_OK);
        assert_int_equal(pw_result_spectra(result, 1, &(pw_block){0, rows, 0, columns}, block, &error), PW_OK);
        for (size_t n = 0; n < points; n++) {
            double at[3], u = x[n % (size_t)columns], v = y[n / (size_t)columns];
            int component = volume_point(&made, made.sheets[s].first_point + (int64_t)n, at);
            assert_true(fabs(u - at[sheet.normal == 0 ? 1 : 0]) + fabs(v - at[sheet.normal == 2 ? 1 : 2]) < 1e-12);
            for (size_t f = 0; f < VOLUME_FREQUENCIES; f++) {
                const double *current = result->transmitters[1].spectrum + 2 * f;
                double complex expected =
                    (current[0] + I * current[1]) * any_field(1, component, at, made.setup.frequency[f]);
                double complex found = block[2 * (f * points + n)] + I * block[2 * (f * points + n) + 1];
                assert_true(cabs(found - expected) <= 1e-12 * cabs(expected));
            }
        }
        free(block);
    }
    assert_int_equal(pw_result_sheet_choose(result, VOLUME_SHEETS, &error), PW_USAGE);
    volume_made_free(&made);
    pw_result_close(result);
}

/* The walls of the sheet's own height; of a cut those along it, slabs included. */
static void the_plan_is_that_of_the_sheet(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    pw_error error;
    double *map = calloc((size_t)VOLUME_NX * VOLUME_NY, sizeof *map);
    uint8_t *metal = calloc((size_t)VOLUME_NX * VOLUME_NY, 1);
    assert_int_equal(pw_result_permittivity(result, map, &error), PW_OK);
    assert_true(map[5 * VOLUME_NX + 20] > 3.9 && map[5 * VOLUME_NX + 21] == 1);
    assert_int_equal(pw_result_sheet_choose(result, 4, &error), PW_OK); /* at y = 1.4 m */
    pw_face face = pw_result_face(result);
    assert_int_equal(face.rows, VOLUME_NZ);
    assert_int_equal(face.columns, VOLUME_NX);
    assert_true(fabs(face.row_first - (-VOLUME_LAYER + 0.5) * volume_cell) < 1e-12);
    assert_int_equal(pw_result_permittivity(result, map, &error), PW_OK);
    assert_int_equal(result_read_metal(result, metal, &error), PW_OK);
    for (int k = 0; k < VOLUME_NZ; k++) {
        bool slab = k < VOLUME_LAYER + 2, lid = k >= 26;
        assert_true((map[k * VOLUME_NX + 3] > 3.9) == slab);
        assert_true((map[k * VOLUME_NX + 20] > 3.9) == !lid);
        assert_int_equal(metal[k * VOLUME_NX + 7], lid);
    }
    assert_int_equal(pw_result_sheet_choose(result, 6, &error), PW_OK); /* at x = 2.0 m, where i = 26 */
    assert_int_equal(pw_result_face(result).columns, VOLUME_NY);
    assert_int_equal(pw_result_permittivity(result, map, &error), PW_OK);
    assert_true(map[15 * VOLUME_NY + 20] == 1 && map[2 * VOLUME_NY + 20] > 3.9);
    free(map);
    free(metal);
    pw_result_close(result);
}

static int found_by(const pw_result *result, double height, int cut, pw_component component)
{
    pw_sheet_choice choice = {.height = height, .cut = cut, .component = component};
    int sheet = -1;
    pw_error error;
    return pw_result_sheet_find(result, &choice, &sheet, &error) == PW_OK ? sheet : -1;
}

static void missing(const pw_result *result, pw_sheet_choice choice, const char *said)
{
    int sheet;
    pw_error error = {""};
    assert_int_not_equal(pw_result_sheet_find(result, &choice, &sheet, &error), PW_OK);
    if (strstr(error.message, said) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, said);
    }
}

static void sheets_are_found_by_height(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    assert_int_equal(found_by(result, 1.1, 0, PW_COMPONENT_OWN), 2);
    assert_int_equal(found_by(result, 1.1, 0, PW_COMPONENT_EY), 1);
    assert_int_equal(found_by(result, 1.7, 0, PW_COMPONENT_TOTAL), 3);
    assert_int_equal(found_by(result, NAN, 0, PW_COMPONENT_EX), 0);
    assert_int_equal(found_by(result, NAN, 1, PW_COMPONENT_OWN), 4);
    assert_int_equal(found_by(result, NAN, 1, PW_COMPONENT_EX), 5);
    assert_int_equal(found_by(result, NAN, 2, PW_COMPONENT_OWN), 6);
    missing(result, (pw_sheet_choice){.height = 2.4}, "heights: 1 m, 1.6 m");
    missing(result, (pw_sheet_choice){.height = NAN, .cut = 3}, "1 (y = 1.4 m), 2 (x = 2 m)");
    missing(result, (pw_sheet_choice){.height = 1.6, .component = PW_COMPONENT_EX}, "kept: ez");
    missing(result, (pw_sheet_choice){.height = 1.6, .cut = 1}, "has no height");
    pw_result_close(result);
}

static void receivers_of_the_spectra_take_the_nearest_sheet(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    pw_error error;
    const struct result_receiver *seat = &result->transmitters[0].receivers[2];
    assert_string_equal(seat->name, "seat_1");
    assert_true(seat->row >= 0 && seat->sheet[0] == 0 && seat->sheet[1] == 1 && seat->sheet[2] == 2);
    double field[VOLUME_STEPS];
    const struct sheet_place place = result_sheet_place(result, &result->transmitters[0], seat->sheet[0],
                                                        (const double[]){seat->asked_x, seat->asked_y});
    assert_int_equal(result_read_place(result, 0, &place, field, &error), PW_OK);
    const double at[3] = {2.05, 1.4, 1.0}; /* Ex stands half a cell further, and there are two nearest ones */
    const double *current = result->transmitters[0].spectrum;
    double complex expected = (current[0] + I * current[1]) * any_field(0, 0, at, result->frequency[0]);
    assert_true(cabs(field[0] + I * field[1] - expected) < 0.011 * cabs(expected));
    assert_int_not_equal(pw_result_series(result, 0, 2, field, &error), PW_OK);
    pw_result_close(result);
}

static void a_flat_result_has_neither_heights_nor_cuts(void **state)
{
    (void)state;
    write_made(PW_SINGLE, other);
    pw_result *result = open_made(other);
    assert_int_equal(pw_result_describe(result).dimensions, 2);
    assert_int_equal(pw_result_sheet_count(result), 1);
    assert_int_equal(found_by(result, NAN, 0, PW_COMPONENT_EZ), 0);
    missing(result, (pw_sheet_choice){.height = 1.0}, "two dimensions");
    missing(result, (pw_sheet_choice){.height = NAN, .component = PW_COMPONENT_EX}, "two dimensions");
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_come_back),
        cmocka_unit_test(receivers_have_three_components),
        cmocka_unit_test(sheets_come_back),
        cmocka_unit_test(the_plan_is_that_of_the_sheet),
        cmocka_unit_test(sheets_are_found_by_height),
        cmocka_unit_test(receivers_of_the_spectra_take_the_nearest_sheet),
        cmocka_unit_test(a_flat_result_has_neither_heights_nor_cuts),
    };
    return cmocka_run_group_tests(tests, volume_write, folder_remove);
}
