/* Receivers of a scenario that stand for many: grids, lines and files, where they stand, what they are called, and
 * which of them are recorded at every step. */
#include "tests/support/check.h"

#include "scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A scenario with these receivers; NULL with the message when it is refused. */
static pw_scenario *scenario_get(const char *receivers, const char *spectra, pw_error *error)
{
    char text[2048];
    pw_scenario *scenario = NULL;
    snprintf(text, sizeof text,
             "plan: {size: [20 m, 20 m]}\ngrid: {cell: 5 cm}\nband: {centre: 1 GHz, width: 200 MHz}\n"
             "transmitters: [{name: a, at: [1 m, 1 m]}]\nreceivers:\n%s\nspectra: %s\nstop: {after: 50 ns}\n",
             receivers, spectra);
    return pw_scenario_parse("test.yaml", text, NULL, 0, &scenario, error) == PW_OK ? scenario : NULL;
}

static pw_scenario *scenario_good(const char *receivers, const char *spectra)
{
    pw_error error = {""};
    pw_scenario *scenario = scenario_get(receivers, spectra, &error);
    if (scenario == NULL) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static void check_receiver(const struct receiver_choice *receiver, const char *name, double x, double y)
{
    assert_string_equal(receiver->name, name);
    assert_true(fabs(receiver->at.x - x) < 1e-9 && fabs(receiver->at.y - y) < 1e-9);
}

static void test_grid(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_good(
        "  - {name: g, grid: {from: [3 m, 4 m], to: [1 m, 1 m], spacing: 1 m}, gain: 2 dBi}", "{count: 8}");
    assert_int_equal(scenario->receiver_count, 12);
    assert_int_equal(scenario->lattice_receiver_count, 0);
    check_receiver(&scenario->receivers[0], "g_1", 1.0, 1.0);
    check_receiver(&scenario->receivers[2], "g_3", 3.0, 1.0);
    check_receiver(&scenario->receivers[11], "g_12", 3.0, 4.0);
    assert_true(scenario->receivers[5].gain == 2.0);
    pw_scenario_free(scenario);
}

static void test_lines(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_good("  - {from: [0 m, 0 m], to: [3 m, 4 m], count: 6}\n"
                                          "  - {name: b, from: [0 m, 5 m], to: [1 m, 5 m], spacing: 30 cm}",
                                          "off");
    assert_int_equal(scenario->receiver_count, 10);
    check_receiver(&scenario->receivers[0], "rx1_1", 0.0, 0.0);
    check_receiver(&scenario->receivers[5], "rx1_6", 3.0, 4.0);
    check_receiver(&scenario->receivers[1], "rx1_2", 0.6, 0.8);
    check_receiver(&scenario->receivers[9], "b_4", 0.9, 5.0);
    pw_scenario_free(scenario);
}

static void test_file(void **state)
{
    (void)state;
    char path[] = "/tmp/planwave-points-XXXXXX", receivers[256];
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs("x,y,name\n# walked on Monday\n1.5, 2.5, north door\n\n3,4\n5,6,\"desk\"\n", file);
    fclose(file);
    snprintf(receivers, sizeof receivers, "  - {name: w, file: %s}", path);
    pw_scenario *scenario = scenario_good(receivers, "off");
    assert_int_equal(scenario->receiver_count, 3);
    check_receiver(&scenario->receivers[0], "north door", 1.5, 2.5);
    check_receiver(&scenario->receivers[1], "w_2", 3.0, 4.0);
    check_receiver(&scenario->receivers[2], "desk", 5.0, 6.0);
    pw_scenario_free(scenario);
    file = fopen(path, "a");
    assert_non_null(file);
    fputs("7;8\n", file);
    fclose(file);
    pw_error error = {""};
    assert_null(scenario_get(receivers, "off", &error));
    assert_non_null(strstr(error.message, "line 7"));
    unlink(path);
    assert_null(scenario_get(receivers, "off", &error));
    assert_non_null(strstr(error.message, "No such file"));
}

/* Spreadsheets put a byte order mark before the first line; and a line that is too long is none at all. */
static void test_marks_and_long_lines(void **state)
{
    (void)state;
    char path[] = "/tmp/planwave-points-XXXXXX", receivers[256];
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs("\xef\xbb\xbf"
          "1.5,2.5,door\n3,4\n",
          file);
    fclose(file);
    snprintf(receivers, sizeof receivers, "  - {name: w, file: %s}", path);
    pw_scenario *scenario = scenario_good(receivers, "off");
    assert_int_equal(scenario->receiver_count, 2);
    check_receiver(&scenario->receivers[0], "door", 1.5, 2.5);
    pw_scenario_free(scenario);
    file = fopen(path, "a");
    assert_non_null(file);
    fprintf(file, "#%*d,6\n", 1023, 5);
    fclose(file);
    pw_error error = {""};
    assert_null(scenario_get(receivers, "off", &error));
    assert_non_null(strstr(error.message, "line 3"));
    unlink(path);
}

/* More than 200: those that stand for many come from the spectra, where there are any; points are always recorded. */
static void test_record(void **state)
{
    (void)state;
    static const char many[] = "  - {name: p, at: [1 m, 2 m]}\n"
                               "  - {name: g, grid: {from: [1 m, 1 m], to: [18 m, 18 m], spacing: 1 m}}\n"
                               "  - {name: l, from: [1 m, 1 m], to: [2 m, 2 m], count: 5, record: steps}";
    pw_scenario *scenario = scenario_good(many, "{count: 8}");
    assert_int_equal(scenario->receiver_count, 6);
    assert_int_equal(scenario->lattice_receiver_count, 324);
    assert_string_equal(scenario->lattice_receivers[323].name, "g_324");
    /* The resolved text says what was decided, and reads back to the same. */
    pw_scenario *again = NULL;
    assert_int_equal(pw_scenario_parse("again", pw_scenario_text(scenario), NULL, 0, &again, NULL), PW_OK);
    assert_string_equal(pw_scenario_text(again), pw_scenario_text(scenario));
    assert_int_equal(again->lattice_receiver_count, 324);
    pw_scenario_free(again);
    pw_scenario_free(scenario);
    scenario = scenario_good(many, "off");
    assert_int_equal(scenario->receiver_count, 330);
    pw_scenario_free(scenario);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *receivers, *spectra, *message;
    } cases[] = {
        {"  - {name: a, at: [1 m, 1 m], spacing: 1 m}", "off", "unknown key"},
        {"  - {from: [1 m, 1 m], to: [2 m, 1 m]}", "off", "count: N or spacing"},
        {"  - {from: [1 m, 1 m], to: [2 m, 1 m], count: 2, spacing: 1 m}", "off", "count: N or spacing"},
        {"  - {grid: {from: [1 m, 1 m], to: [2 m, 1 m]}}", "off", "spacing"},
        {"  - {grid: {from: [0 m, 0 m], to: [20 m, 20 m], spacing: 1 mm}}", "off", "allowed are 1000000"},
        {"  - {name: a, from: [1 m, 1 m], to: [2 m, 1 m], count: 2}\n  - {name: a_2, at: [1 m, 1 m]}", "off",
         "two receivers of the name 'a_2'"},
        {"  - {name: a, at: [1 m, 1 m], record: spectra}", "off", "spectra are off"},
        {"  - {name: a, at: [1 m, 1 m], record: sometimes}", "off", "auto, steps, spectra"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        pw_error error = {""};
        assert_null(scenario_get(cases[n].receivers, cases[n].spectra, &error));
        if (strstr(error.message, cases[n].message) == NULL) {
            fail_msg("'%s' lacks '%s'", error.message, cases[n].message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),   cmocka_unit_test(test_lines),   cmocka_unit_test(test_file),
        cmocka_unit_test(test_record), cmocka_unit_test(test_refused), cmocka_unit_test(test_marks_and_long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
