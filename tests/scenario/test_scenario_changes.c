/* Changes of a scenario through the interface: which transmitters stay and in which order, their power, the size of the
 * cells, where spectra are kept; and the scenario as text for a file elsewhere. */
#include "tests/support/check.h"

#include "scenario/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pw_scenario *scenario_make(void)
{
    static const char text[] = "plan: {size: [20 m, 10 m]}\ngrid: {cell: 5 cm}\nband: {centre: 1 GHz, width: 200 MHz}\n"
                               "transmitters: [{name: a, at: [1 m, 1 m]}, {name: b, at: [2 m, 1 m], power: 7 dBm},\n"
                               "  {name: c, at: [3 m, 1 m], waveform: {kind: samples, file: pulse.csv}}]\n"
                               "spectra: {count: 8, spacing: 6 cells}\nstop: {after: 50 ns}\n";
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("test.yaml", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static void transmitters_are_kept(void **state)
{
    (void)state;
    pw_error error = {""};
    pw_scenario *scenario = scenario_make();
    static const int twice[] = {1, 1}, absent[] = {3}, kept[] = {1, 0};
    assert_int_equal(pw_scenario_keep_transmitters(scenario, twice, 2, &error), PW_USAGE);
    assert_int_equal(pw_scenario_keep_transmitters(scenario, absent, 1, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "transmitter 3"));
    assert_int_equal(pw_scenario_keep_transmitters(scenario, kept, 0, &error), PW_USAGE);
    assert_int_equal(pw_scenario_describe(scenario).transmitter_count, 3);
    assert_int_equal(pw_scenario_keep_transmitters(scenario, kept, 2, &error), PW_OK);
    assert_int_equal(pw_scenario_describe(scenario).transmitter_count, 2);
    assert_string_equal(pw_scenario_describe_transmitter(scenario, 0).name, "b");
    assert_string_equal(pw_scenario_describe_transmitter(scenario, 1).name, "a");
    assert_int_equal(pw_scenario_find_transmitter(scenario, "c"), -1);
    pw_scenario_add_power(scenario, 0, -2.5);
    assert_true(fabs(pw_scenario_describe_transmitter(scenario, 0).power - 4.5) < 1e-12);
    pw_scenario_free(scenario); /* the pulse of `c` is gone with it: the sanitizers see */
}

/* Antennas of one array stand as they stood to each other, wherever the array is moved to. Without one of them there is
 * no array left. */
static void an_array_is_whole_or_none(void **state)
{
    (void)state;
    static const char text[] = "plan: {size: [9 m, 9 m]}\ngrid: {cell: 5 cm}\nband: {centre: 1 GHz, width: 200 MHz}\n"
                               "transmitters: [{name: alone, at: [1 m, 1 m]},\n"
                               "  {name: row, at: [4 m, 4 m], antenna: {array: ula, elements: 3, spacing: 10 cm}}]\n";
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("test.yaml", text, NULL, 0, &scenario, &error), PW_OK);
    const int second = pw_scenario_find_transmitter(scenario, "row.2");
    pw_scenario_place_transmitter(scenario, second, 6, 3);
    for (int n = -1; n <= 1; n++) {
        const pw_scenario_transmitter one = pw_scenario_describe_transmitter(scenario, second + n);
        assert_true(fabs(fabs(one.x - 6) - 0.1 * abs(n)) < 1e-12 && one.y == 3);
    }
    assert_true(pw_scenario_describe_transmitter(scenario, 0).x == 1);
    assert_int_equal(pw_scenario_keep_transmitters(scenario, (const int[]){3, 1, 2}, 3, &error), PW_OK);
    assert_true(scenario->transmitters[0].port.number == 3 && scenario->transmitters[1].port.number == 1);
    assert_int_equal(pw_scenario_keep_transmitters(scenario, (const int[]){0, 2}, 2, &error), PW_OK);
    assert_true(scenario->transmitters[0].port.number == 0 && scenario->transmitters[1].port.number == 0);
    pw_scenario_free(scenario);
}

static void cells_and_spectra_change(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_make();
    pw_scenario_scale_cell(scenario, 1.6);
    assert_true(fabs(scenario->grid.cell - 0.08) < 1e-12);
    assert_int_equal(scenario->spectra.spacing, 3); /* 24 cm, and not 32 cm, where 30 cm were */
    pw_scenario_confine_spectra(scenario, -1, 2, 30, 4);
    assert_true(scenario->spectra.has_region);
    assert_true(scenario->spectra.from.x == 0 && scenario->spectra.from.y == 2);
    assert_true(scenario->spectra.to.x == 20 && scenario->spectra.to.y == 4);
    pw_scenario_free(scenario);
}

static void text_has_the_changes(void **state)
{
    (void)state;
    char *text = NULL;
    static const int kept[] = {1};
    pw_scenario *scenario = scenario_make(), *again = NULL;
    assert_int_equal(pw_scenario_keep_transmitters(scenario, kept, 1, NULL), PW_OK);
    pw_scenario_move_transmitter(scenario, 0, 0.5, 0);
    assert_int_equal(pw_scenario_write(scenario, "elsewhere.yaml", &text, NULL), PW_OK);
    assert_int_equal(pw_scenario_parse("elsewhere.yaml", text, NULL, 0, &again, NULL), PW_OK);
    pw_scenario_transmitter only = pw_scenario_describe_transmitter(again, 0);
    assert_int_equal(pw_scenario_describe(again).transmitter_count, 1);
    assert_true(fabs(only.x - 2.5) < 1e-12 && only.power == 7);
    free(text);
    pw_scenario_free(again);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transmitters_are_kept),
        cmocka_unit_test(an_array_is_whole_or_none),
        cmocka_unit_test(cells_and_spectra_change),
        cmocka_unit_test(text_has_the_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
