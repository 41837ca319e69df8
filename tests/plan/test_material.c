/* Building materials against values computed outside (MATLAB's buildingMaterialPermittivity documentation prints
 * P.2040-4 at 9 GHz; the rest by hand from table 3), ranges, names, and misuse. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/material.h"

static struct material resolve(const char *name, double frequency, pw_notes *warnings)
{
    struct material_choice choice = {0};
    struct material material;
    pw_error error = {""};
    snprintf(choice.name, sizeof choice.name, "%s", name);
    if (material_resolve(&choice, frequency, false, warnings, &material, &error) != PW_OK) {
        fail_msg("%s: %s", name, error.message);
    }
    return material;
}

static void near(const char *name, double frequency, double permittivity, double conductivity, double relative)
{
    pw_notes warnings = {0};
    struct material material = resolve(name, frequency, &warnings);
    if (fabs(material.relative_permittivity / permittivity - 1) > relative ||
        fabs(material.conductivity / conductivity - 1) > relative) {
        fail_msg("%s at %g Hz: %.6f, %.6f S/m, not %.6f, %.6f", name, frequency, material.relative_permittivity,
                 material.conductivity, permittivity, conductivity);
    }
    assert_false(material.perfect_conductor);
    warnings_free(&warnings);
}

static void table_at_nine_gigahertz(void **state)
{
    (void)state;
    near("concrete", 9e9, 5.24, 0.257662, 1e-5); /* 0.0462 * 9^0.7822 */
    near("brick", 9e9, 3.91, 0.033827, 2e-5);
    near("plasterboard", 9e9, 2.73, 0.066978, 2e-5);
    near("wood", 9e9, 1.99, 0.049528, 2e-5);
    near("glass", 9e9, 6.31, 0.068299, 2e-5);
    near("plywood", 9e9, 2.71, 0.33, 1e-12);
    near("marble", 9e9, 7.074, 0.042091, 2e-5);
}

/* The exponents vanish at 1 GHz, and a power of ten is a shift of the logarithm. */
static void table_at_round_frequencies(void **state)
{
    (void)state;
    near("chipboard", 1e9, 2.58, 0.0217, 1e-14);
    near("wet ground", 1e9, 30, 0.15, 1e-14);
    near("wet ground", 10e9, 30 * 0.398107170553497, 0.15 * 19.9526231496888, 1e-12); /* 10^-0.4, 10^1.3 */
    near("medium dry ground", 10e9, 15 * 0.794328234724281, 0.035 * 42.6579518801593, 1e-12);
    near("floorboard", 100e9, 3.66, 0.0044 * 504.6612975635282, 1e-12); /* 100^1.3515 */
}

static void high_band_row_by_frequency(void **state)
{
    (void)state;
    near("glass", 300e9, 5.79, 0.0004 * pow(300, 1.658), 1e-12);
    near("ceiling board", 300e9, 1.52, 0.0029 * pow(300, 1.029), 1e-12);
    pw_notes warnings = {0};
    assert_true(resolve("glass", 110e9, &warnings).relative_permittivity == 6.31);
    assert_true(resolve("glass", 200e9, &warnings).relative_permittivity == 5.79);
    assert_int_equal(warnings.count, 2);
    warnings_free(&warnings);
}

static void names_are_forgiving(void **state)
{
    (void)state;
    assert_string_equal(material_canonical("Ceiling_Board"), "ceiling board");
    assert_string_equal(material_canonical("very-dry ground"), "very dry ground");
    assert_string_equal(material_canonical("vacuum"), "air");
    assert_string_equal(material_canonical("PEC"), "metal");
    assert_true(material_known("glass"));
    assert_false(material_known("bricks"));
    assert_false(material_known("bric"));
    assert_false(material_known(""));
    char names[400];
    assert_non_null(strstr(material_names(names, sizeof names), "plasterboard"));
    assert_non_null(strstr(names, "wet ground"));
    char tiny[8];
    assert_true(strlen(material_names(tiny, sizeof tiny)) < sizeof tiny);
}

/* The words of builders lead to a row of the table, and are no aliases of it. */
static void common_names_are_hints(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {{"drywall", "plasterboard"},
                                           {"Gypsum", "plasterboard"},
                                           {"sheetrock", "plasterboard"},
                                           {"steel", "metal"},
                                           {"aluminium", "metal"},
                                           {"aluminum", "metal"},
                                           {"timber", "wood"},
                                           {"tile", "ceiling board"},
                                           {"OSB", "chipboard"},
                                           {"parquet", "floorboard"},
                                           {"window", "glass"},
                                           {"stone", "marble"},
                                           {"masonry", "brick"},
                                           {"cement", "concrete"},
                                           {"soil", "medium dry ground"},
                                           {"sand", "very dry ground"},
                                           {"mud", "wet ground"},
                                           {"ply", "plywood"},
                                           {"void", "air"}};
    for (size_t n = 0; n < sizeof CASES / sizeof CASES[0]; n++) {
        assert_false(material_known(CASES[n][0]));
        assert_string_equal(material_meant(CASES[n][0]), CASES[n][1]);
        assert_true(material_known(CASES[n][1]));
    }
    assert_null(material_meant("unobtainium"));
    const char *names[MATERIAL_NAMES_LIMIT + 1];
    material_name_list(names);
    for (int n = 0; names[n] != NULL; n++) {
        assert_null(material_meant(names[n])); /* a known name needs no hint */
    }
}

static void metal_and_air_have_no_range(void **state)
{
    (void)state;
    pw_notes warnings = {0};
    struct material metal = resolve("metal", 1e5, &warnings), air = resolve("air", 300e9, &warnings);
    assert_true(metal.perfect_conductor && metal.conductivity == 0 && metal.relative_permittivity == 1);
    assert_true(!air.perfect_conductor && air.conductivity == 0 && air.relative_permittivity == 1);
    assert_int_equal(warnings.count, 0);
}

static void outside_the_range(void **state)
{
    (void)state;
    pw_notes warnings = {0};
    resolve("floorboard", 2.4e9, &warnings);
    resolve("floorboard", 2.4e9, &warnings);
    assert_int_equal(warnings.count, 1); /* once */
    assert_non_null(strstr(warnings.text[0], "floorboard"));
    assert_non_null(strstr(warnings.text[0], "50 to 100 GHz"));
    warnings_free(&warnings);
    struct material_choice choice = {.name = "floorboard"};
    struct material material;
    pw_error error;
    assert_int_equal(material_resolve(&choice, 2.4e9, true, &warnings, &material, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "50 to 100 GHz"));
    assert_int_equal(material_resolve(&choice, 60e9, true, &warnings, &material, &error), PW_OK);
    assert_int_equal(warnings.count, 0);
}

static void own_values(void **state)
{
    (void)state;
    struct material_choice choice = {
        .name = "x", .own_values = true, .relative_permittivity = 2.89, .conductivity = 0.002};
    struct material material;
    pw_error error;
    assert_int_equal(material_resolve(&choice, 2.4e9, true, NULL, &material, &error), PW_OK);
    assert_true(material.relative_permittivity == 2.89 && material.conductivity == 0.002);
    choice.relative_permittivity = 0.5;
    assert_int_equal(material_resolve(&choice, 2.4e9, true, NULL, &material, &error), PW_BAD_INPUT);
    choice.relative_permittivity = NAN;
    assert_int_equal(material_resolve(&choice, 2.4e9, true, NULL, &material, &error), PW_BAD_INPUT);
    choice = (struct material_choice){.name = "unobtainium"};
    assert_int_equal(material_resolve(&choice, 2.4e9, false, NULL, &material, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "unobtainium"));
    assert_non_null(strstr(error.message, "plasterboard"));
    choice = (struct material_choice){.name = "brick"};
    assert_int_equal(material_resolve(&choice, 0, false, NULL, &material, &error), PW_BAD_INPUT);
    assert_int_equal(material_resolve(&choice, NAN, false, NULL, &material, &error), PW_BAD_INPUT);
}

enum { TABLE_SIZE = 1 << 14 };

static void print_table(double frequency, char text[TABLE_SIZE])
{
    FILE *stream = fmemopen(text, TABLE_SIZE, "w");
    assert_non_null(stream);
    assert_int_equal(pw_materials_print(frequency, stream, NULL), PW_OK);
    assert_int_equal(fclose(stream), 0);
}

static void table_is_printed(void **state)
{
    (void)state;
    char text[TABLE_SIZE];
    print_table(9e9, text);
    const char *row = strstr(text, "plasterboard");
    double permittivity, conductivity, loss, depth;
    assert_non_null(row);
    assert_int_equal(sscanf(row, "plasterboard %lf %lf %lf %lf", &permittivity, &conductivity, &loss, &depth), 4);
    /* tan delta = 0.066978/(2 pi 9e9 eps0 2.73); depth = c/(w Im sqrt(eps)), by complex arithmetic */
    assert_true(fabs(conductivity / 0.066978 - 1) < 1e-3);
    assert_true(fabs(loss / 0.0490000 - 1) < 1e-3);
    assert_true(fabs(depth / 0.131003 - 1) < 3e-3);
    row = strstr(text, "floorboard");
    assert_non_null(row);
    const char *mark = strstr(row, "outside"), *end = strchr(row, '\n');
    assert_true(mark != NULL && mark < end);
    pw_error error;
    assert_int_equal(pw_materials_print(-1, stdout, &error), PW_USAGE);
    assert_int_equal(pw_materials_print(1e9, NULL, &error), PW_USAGE);
    FILE *full = fopen("/dev/full", "w");
    if (full != NULL) {
        assert_int_equal(pw_materials_print(1e9, full, &error), PW_NO_RESOURCE);
        fclose(full);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_at_nine_gigahertz),    cmocka_unit_test(table_at_round_frequencies),
        cmocka_unit_test(high_band_row_by_frequency), cmocka_unit_test(names_are_forgiving),
        cmocka_unit_test(common_names_are_hints),     cmocka_unit_test(metal_and_air_have_no_range),
        cmocka_unit_test(outside_the_range),          cmocka_unit_test(own_values),
        cmocka_unit_test(table_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
