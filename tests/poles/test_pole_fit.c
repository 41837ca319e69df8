/* Fitting poles: the rows of P.2040 over wide bands, media that are sums of poles, and what was measured, in a CSV;
 * what a scenario makes of them, and what is refused. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "problem/poles/pole_fit.h"
#include "scenario/material_table.h"
#include "scenario/scenario.h"
#include "tests/support/check.h"

static void assert_passive(const struct pole_fit *fit)
{
    assert_true(fit->relative_permittivity >= 1 && fit->conductivity >= 0 && fit->pole_count <= FIT_MOST_POLES);
    for (int p = 0; p < fit->pole_count; p++) {
        const struct pole *pole = &fit->poles[p];
        assert_true(pole->kind == POLE_DRUDE || pole->strength > 0);
        assert_true(pole->kind == POLE_DEBYE ? pole->relaxation > 0 : pole->frequency > 0 && pole->damping > 0);
    }
}

/* Soils are left out: ITU's law of wet ground, a loss that grows with frequency under a falling permittivity, is no
 * passive medium's, and no sum of poles comes near it. */
static void assert_rows_within(double low, double high, double bar)
{
    const struct material_row *row;
    int rows = 0;
    for (size_t i = 0; (row = material_row_listed(i)) != NULL; i++) {
        const double band[2] = {low, high};
        bool covers = material_row_covers(row, 1e-9 * low) && material_row_covers(row, 1e-9 * high);
        struct pole_fit fit;
        pw_error error;
        if (!covers || row->a <= 1 || strstr(row->name, "ground") != NULL) {
            continue;
        }
        assert_int_equal(material_row_fit(row, band, &fit, &error), PW_OK);
        assert_passive(&fit);
        double worst = 0;
        for (int n = 0; n <= 200; n++) { /* between the samples too */
            double frequency = low + (high - low) * n / 200, permittivity, conductivity;
            material_row_evaluate(row, 1e-9 * frequency, &permittivity, &conductivity);
            double loss = conductivity / (2 * M_PI * frequency * FREE_SPACE_PERMITTIVITY);
            struct permittivity found = pole_fit_at(&fit, frequency);
            worst = fmax(worst, hypot(found.real - permittivity, found.loss - loss) / hypot(permittivity, loss));
        }
        assert_true(worst <= 1.02 * fit.error + 1e-9);
        if (worst > bar) {
            fail_msg("%s from %g to %g Hz: %g", row->name, low, high, worst);
        }
        rows++;
    }
    assert_true(rows >= 5);
}

static void test_rows_of_the_table(void **unused)
{
    (void)unused;
    const double lows[] = {1e9, 2e9, 5e9, 20e9};
    for (int b = 0; b < 4; b++) {
        assert_rows_within(lows[b], 2 * lows[b], 0.01);
    }
    assert_rows_within(3.1e9, 10.6e9, 0.03);
}

static void test_a_medium_of_poles_is_found(void **unused)
{
    (void)unused;
    struct permittivity_sample samples[30];
    struct pole_fit fit, given = {.relative_permittivity = 3.2,
                                  .conductivity = 0.01,
                                  .pole_count = 1,
                                  .poles = {{.kind = POLE_DEBYE, .strength = 4, .relaxation = 50e-12}}};
    pw_error error;
    for (int n = 0; n < 30; n++) {
        samples[n].frequency = 1e9 + 0.1e9 * n;
        samples[n].value = pole_fit_at(&given, samples[n].frequency);
    }
    assert_int_equal(pole_fit(samples, 30, 1e-4, &fit, &error), PW_OK);
    assert_passive(&fit);
    assert_true(fit.error < 3e-3);
    assert_int_equal(pole_fit(samples, 1, 1e-4, &fit, &error),
                     PW_OK); /* one frequency: a constant and a conductivity */
    assert_true(fit.pole_count == 0 && fit.error < 1e-6);
}

/* ---- scenarios --------------------------------------------------------------------------------------------------- */

static pw_status parse(const char *material, const char *keys, pw_scenario **scenario, pw_error *error)
{
    char *text = NULL;
    assert_true(asprintf(&text,
                         "plan:\n  size: [2, 2]\n  rectangles: [{from: [1, 0], to: [1.2, 2], material: %s}]\n"
                         "band: {centre: 4 GHz, width: 4 GHz}\ntransmitters: [{name: t, at: [0.5, 1]}]\n%s\n",
                         material, keys) > 0);
    pw_status status = pw_scenario_parse("test", text, NULL, 0, scenario, error);
    free(text);
    return status;
}

static void test_rows_in_a_scenario(void **unused)
{
    (void)unused;
    pw_scenario *scenario = NULL, *again = NULL;
    pw_error error = {{0}};
    assert_int_equal(parse("concrete", "materials: fitted", &scenario, &error), PW_OK);
    const struct material_choice *wall = &scenario->plan.shapes[0].material;
    assert_true(wall->own_values && wall->pole_count > 0 && wall->fit_error > 0 && wall->fit_error < 0.01);
    assert_string_equal(wall->name, "concrete");
    assert_int_equal(pw_scenario_parse("again", scenario->text, NULL, 0, &again, &error), PW_OK);
    assert_true(material_choices_equal(wall, &again->plan.shapes[0].material));
    assert_true(wall->fit_error == again->plan.shapes[0].material.fit_error);
    pw_scenario_free(again);
    pw_scenario_free(scenario);
    assert_int_equal(parse("concrete", "materials: constant", &scenario, &error), PW_OK);
    assert_false(scenario->plan.shapes[0].material.own_values);
    pw_scenario_free(scenario);
    assert_int_equal(parse("metal", "materials: fitted", &scenario, &error), PW_OK);
    assert_true(scenario->plan.shapes[0].material.perfect_conductor);
    pw_scenario_free(scenario);
    scenario = NULL;
    assert_int_equal(parse("floorboard", "materials: fitted", &scenario, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "50 to 100 GHz"));
    assert_int_equal(parse("concrete", "materials: fited", &scenario, &error), PW_BAD_INPUT);
}

/* Without a word on materials: rows are fitted where constant values would be far off, and nowhere else; and what was
 * resolved stays so when it is read again. */
static void test_rows_are_fitted_where_it_matters(void **unused)
{
    (void)unused;
    const char *texts[] = {"", "materials: auto", "materials: constant", "band: {centre: 2.4 GHz, width: 100 MHz}"};
    const bool fitted[] = {true, true, false, false};
    for (int t = 0; t < 4; t++) {
        pw_scenario *scenario = NULL, *again = NULL;
        pw_error error = {{0}};
        const char *own_band = strncmp(texts[t], "band", 4) == 0 ? "band={centre: 2.4 GHz, width: 100 MHz}" : NULL;
        char *text = NULL;
        assert_true(asprintf(&text,
                             "plan:\n  size: [2, 2]\n  rectangles: [{from: [1, 0], to: [1.2, 2], material: concrete}]\n"
                             "band: {centre: 4 GHz, width: 4 GHz}\ntransmitters: [{name: t, at: [0.5, 1]}]\n%s\n",
                             own_band == NULL ? texts[t] : "") > 0);
        assert_int_equal(pw_scenario_parse("test", text, &own_band, own_band != NULL, &scenario, &error), PW_OK);
        assert_true(scenario->plan.shapes[0].material.own_values == fitted[t]);
        assert_int_equal(pw_scenario_parse("again", scenario->text, NULL, 0, &again, &error), PW_OK);
        assert_true(material_choices_equal(&scenario->plan.shapes[0].material, &again->plan.shapes[0].material));
        pw_scenario_free(again);
        pw_scenario_free(scenario);
        free(text);
    }
    pw_scenario *scenario = NULL; /* a row that is not known over the band stays constant */
    pw_error error = {{0}};
    assert_int_equal(parse("floorboard", "", &scenario, &error), PW_OK);
    assert_false(scenario->plan.shapes[0].material.own_values);
    pw_scenario_free(scenario);
}

/* A wall of 10 cm of concrete from 2 to 6 GHz, by the closed form at normal incidence: reflected and transmitted power
 * of the fit are within 0.1 dB of those of the row. */
static void test_a_fitted_wall_by_the_closed_form(void **unused)
{
    (void)unused;
    const double band[2] = {2e9, 6e9};
    const struct material_row *row = material_row_find("concrete", 4);
    struct pole_fit fit;
    pw_error error;
    assert_int_equal(material_row_fit(row, band, &fit, &error), PW_OK);
    for (int n = 0; n <= 100; n++) {
        double frequency = 2e9 + 4e9 * n / 100, real, conductivity, power[2][2];
        material_row_evaluate(row, 1e-9 * frequency, &real, &conductivity);
        struct permittivity at[2] = {{real, conductivity / (2 * M_PI * frequency * FREE_SPACE_PERMITTIVITY)},
                                     pole_fit_at(&fit, frequency)};
        for (int m = 0; m < 2; m++) {
            double complex index = csqrt(at[m].real - I * at[m].loss), face = (1 - index) / (1 + index);
            double complex through = cexp(-I * 2 * M_PI * frequency / SPEED_OF_LIGHT * index * 0.1);
            double complex below = 1 - face * face * through * through;
            power[m][0] = 20 * log10(cabs(face * (1 - through * through) / below));
            power[m][1] = 20 * log10(cabs((1 - face * face) * through / below));
        }
        assert_true(fabs(power[0][0] - power[1][0]) < 0.1 && fabs(power[0][1] - power[1][1]) < 0.1);
    }
}

static const char CSV[] = "/tmp/planwave_test_measured.csv";

static pw_status parse_measured(const char *content, pw_scenario **scenario, pw_error *error)
{
    char *material = NULL;
    FILE *file = fopen(CSV, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    assert_true(asprintf(&material, "{name: wall, measured: %s}", CSV) > 0);
    pw_status status = parse(material, "", scenario, error);
    free(material);
    remove(CSV);
    return status;
}

static void assert_csv_refused(const char *content, const char *part)
{
    pw_scenario *scenario = NULL;
    pw_error error = {{0}};
    assert_int_equal(parse_measured(content, &scenario, &error), PW_BAD_INPUT);
    if (strstr(error.message, part) == NULL) {
        fail_msg("'%s' has not '%s'", error.message, part);
    }
}

static void test_measured(void **unused)
{
    (void)unused;
    pw_scenario *scenario = NULL;
    pw_error error = {{0}};
    assert_int_equal(
        parse_measured("frequency, relative_permittivity, loss\n# dry\n1e9, 5.1, 0.5\n2e9, 5.0, 0.4\n\n4e9, "
                       "4.95, 0.35\n7e9, 4.9, 0.33\n",
                       &scenario, &error),
        PW_OK);
    const struct material_choice *wall = &scenario->plan.shapes[0].material;
    assert_true(wall->own_values && wall->measured == NULL && wall->fit_error < 0.02);
    assert_string_equal(wall->name, "wall");
    pw_scenario_free(scenario);
    assert_int_equal(parse_measured("frequency, relative_permittivity, conductivity\n1e9, 5, 0.02\n7e9, 5, 0.02\n",
                                    &scenario, &error),
                     PW_OK);
    assert_true(fabs(scenario->plan.shapes[0].material.conductivity - 0.02) < 1e-6);
    pw_scenario_free(scenario);
    assert_int_equal(parse_measured("\xef\xbb\xbf"
                                    "frequency, relative_permittivity, conductivity\n1e9, 5, 0.02\n7e9, 5, 0.02\n",
                                    &scenario, &error),
                     PW_OK);
    assert_true(fabs(scenario->plan.shapes[0].material.conductivity - 0.02) < 1e-6);
    pw_scenario_free(scenario);
    char comment[1200];
    snprintf(comment, sizeof comment, "#%*d, 5, 0.1\n1e9, 5, 0.1\n7e9, 5, 0.1\n", 999, 1);
    assert_csv_refused(comment, "line 1");
    assert_csv_refused("", "empty");
    assert_csv_refused("frequency, relative_permittivity, loss\n", "empty");
    assert_csv_refused("1e9, 5, -0.1\n7e9, 5, 0.1\n", "gain");
    assert_csv_refused("1e9, 0.5, 0.1\n7e9, 5, 0.1\n", "at least 1");
    assert_csv_refused("7e9, 5, 0.1\n1e9, 5, 0.1\n", "ascend");
    assert_csv_refused("1e9, 5\n7e9, 5, 0.1\n", "three numbers");
    assert_csv_refused("1e9, 5, x\n", "three numbers");
    assert_csv_refused("1e9, nan, 0.1\n7e9, 5, 0.1\n", "line 1 of the CSV");
    assert_csv_refused("1e9, 5, 0.1\n7e9, 5, inf\n", "line 2 of the CSV");
    assert_csv_refused("1e9, 5, 0.1, 3\n7e9, 5, 0.1\n", "three numbers");
    assert_csv_refused("1e9 5 0.1\n7e9 5 0.1\n", "three numbers");
    assert_csv_refused("4e9, 5, 0.1\n", "cover the band");
    assert_csv_refused("1e9, 5, 0.1\n1e9, 5, 0.1\n7e9, 5, 0.1\n", "ascend");
    assert_csv_refused("0, 5, 0.1\n7e9, 5, 0.1\n", "frequency");
    assert_csv_refused("\x89PNG\r\n\x1a\n\x01\x02", "line 1 of the CSV");
    assert_csv_refused("3e9, 5, 0.1\n5e9, 5, 0.1\n", "cover the band");
    assert_int_equal(parse("{measured: /tmp/planwave_no_such_file.csv}", "", &scenario, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "cannot open"));
    assert_int_equal(parse("{measured: a.csv, conductivity: 1}", "", &scenario, &error), PW_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_the_table),
        cmocka_unit_test(test_a_medium_of_poles_is_found),
        cmocka_unit_test(test_rows_in_a_scenario),
        cmocka_unit_test(test_rows_are_fitted_where_it_matters),
        cmocka_unit_test(test_a_fitted_wall_by_the_closed_form),
        cmocka_unit_test(test_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
