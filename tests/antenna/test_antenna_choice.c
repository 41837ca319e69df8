/* The keys of a scenario about antennas: read, refused, and written back so that they read to the same. */
#include "scenario/scenario.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/planwave-antennas-XXXXXX";

#define PLAN "plan: {size: [20 m, 20 m], storey: {height: 3 m}}\nband: 2.4 GHz\nspectra: off\n"

static pw_scenario *scenario_get(const char *text, pw_error *error)
{
    char path[64], whole[4096];
    pw_scenario *scenario = NULL;
    snprintf(path, sizeof path, "%s/test.yaml", folder);
    snprintf(whole, sizeof whole, "%s%s", PLAN, text);
    FILE *file = fopen(path, "w");
    fputs(whole, file);
    fclose(file);
    return pw_scenario_load(path, NULL, 0, &scenario, error) == PW_OK ? scenario : NULL;
}

static pw_scenario *scenario_good(const char *text)
{
    pw_error error = {""};
    pw_scenario *scenario = scenario_get(text, &error);
    if (scenario == NULL) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static void refuse(const char *text, const char *reason)
{
    pw_error error = {""};
    pw_scenario *scenario = scenario_get(text, &error);
    assert_null(scenario);
    if (strstr(error.message, reason) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, reason);
    }
}

static void write_sector(const char *name, double gain)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    fprintf(file, "NAME Sector\nGAIN %g dBi\nHORIZONTAL 36\n", gain);
    for (int n = 0; n < 36; n++) {
        fprintf(file, "%d %g\n", 10 * n, n < 18 ? n : 36 - n + 0.1);
    }
    fprintf(file, "VERTICAL 36\n");
    for (int n = 0; n < 36; n++) {
        fprintf(file, "%d %g\n", 10 * n, n < 18 ? 2.0 * n : 2.0 * (36 - n));
    }
    fclose(file);
}

static void test_round_trip(void **state)
{
    (void)state;
    pw_scenario *scenario =
        scenario_good("antennas: [{name: panel, file: a.msi}]\n"
                      "transmitters:\n"
                      "  - {name: a, at: [1, 1], antenna: {pattern: panel, bearing: 30 deg, downtilt: 6 deg}}\n"
                      "  - {name: b, at: [2, 1], antenna: a.msi, conducted_power: 10 dBm}\n"
                      "  - {name: c, at: [3, 1], antenna: {pattern: b.pln, bearing: -45 deg}, power: 25 dBm}\n"
                      "  - {name: d, at: [4, 1], antenna: half-wave}\n"
                      "  - {name: e, at: [5, 1]}\n"
                      "receivers:\n"
                      "  - {name: r, at: [6, 6], antenna: {pattern: a.msi, bearing: 90 deg}}\n"
                      "  - {name: s, at: [6, 7], antenna: half-wave, gain: 1 dBi}\n"
                      "  - {name: g, grid: {from: [1, 1], to: [3, 3], spacing: 1 m}, antenna: panel}\n");
    const struct transmitter_choice *t = scenario->transmitters;
    assert_int_equal(scenario->pattern_count, 3); /* panel, Sector, Sector 2; a.msi twice is one */
    assert_string_equal(scenario->patterns[1]->name, "Sector");
    assert_string_equal(scenario->patterns[2]->name, "Sector 2");
    assert_true(t[0].antenna.pattern == scenario->patterns[0] && t[1].antenna.pattern == scenario->patterns[1]);
    assert_true(fabs(t[0].antenna.bearing - M_PI / 6) < 1e-15 && fabs(t[0].antenna.downtilt - M_PI / 30) < 1e-15);
    assert_true(t[0].power == 20 && !t[0].has_conducted);
    assert_true(t[1].power == 22 && t[1].conducted == 10);
    assert_true(t[3].antenna.kind == ANTENNA_HALF_WAVE && t[4].antenna.kind == ANTENNA_ISOTROPIC);
    assert_true(scenario->receivers[0].gain == 12 && scenario->receivers[0].antenna.pattern == scenario->patterns[1]);
    assert_true(scenario->receivers[1].gain == 1 && scenario->receivers[1].antenna.kind == ANTENNA_HALF_WAVE);
    assert_true(scenario->receivers[10].antenna.pattern == scenario->patterns[0]);
    pw_error error = {""};
    pw_scenario *again = NULL;
    if (pw_scenario_parse("again", pw_scenario_text(scenario), NULL, 0, &again, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(pw_scenario_text(again), pw_scenario_text(scenario));
    assert_int_equal(again->pattern_count, 3);
    for (int n = 0; n < 3; n++) {
        assert_true(antenna_patterns_equal(again->patterns[n], scenario->patterns[n]));
    }
    assert_true(again->transmitters[1].power == 22 && again->transmitters[0].antenna.bearing == t[0].antenna.bearing);
    pw_scenario_free(again);
    pw_scenario_free(scenario);
}

/* Closed forms by their names, of the list and without it, turned, and as elements of arrays. */
static void test_forms(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_good(
        "dimensions: 3\nantennas: [{name: wide, form: sector, beam_width: [80 deg, 50 deg], front_to_back: 25 dB, "
        "gain: "
        "7 dBi}]\ntransmitters:\n"
        "  - {name: a, at: [1, 1], antenna: tr38901, conducted_power: 10 dBm}\n"
        "  - {name: b, at: [2, 1], antenna: {pattern: wide, bearing: 90 deg, downtilt: 5 deg, slant: 45 deg}}\n"
        "  - {name: c, at: [5, 5], antenna: {array: ula, elements: 2, polarisation: cross, element: patch, roll: 30 "
        "deg}}\n"
        "receivers:\n"
        "  - {name: r, at: [6, 6], antenna: {pattern: tr38901, bearing: 90 deg, roll: 90 deg}}\n");
    const struct transmitter_choice *t = scenario->transmitters;
    assert_int_equal(scenario->pattern_count, 3);
    assert_true(t[0].power == 18 && t[0].antenna.pattern->form == FORM_TR38901);
    assert_true(fabs(t[1].antenna.slant - M_PI_4) < 1e-15 && t[1].antenna.pattern->gain == 7);
    /* it looks east: what is clockwise from up as seen from behind leans to the south */
    assert_true(t[1].polarisation.y < -0.7 && t[1].polarisation.z > 0.7);
    assert_true(t[2].antenna.slant < 0 && t[5].antenna.slant > 0 && fabs(t[2].antenna.roll - M_PI / 6) < 1e-15);
    assert_true(scenario->receivers[0].polarisation.y < -1 + 1e-12 && scenario->receivers[0].gain == 8);
    /* directivities: 10 lg of the peak over the mean */
    assert_true(fabs(t[2].antenna.pattern->gain - 8.0) < 1);
    pw_error error = {""};
    pw_scenario *again = NULL;
    if (pw_scenario_parse("again", pw_scenario_text(scenario), NULL, 0, &again, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(pw_scenario_text(again), pw_scenario_text(scenario));
    for (int n = 0; n < 3; n++) {
        assert_true(antenna_patterns_equal(again->patterns[n], scenario->patterns[n]));
    }
    assert_true(fabs(again->transmitters[2].polarisation.x - t[2].polarisation.x) < 1e-12);
    pw_scenario_free(again);
    pw_scenario_free(scenario);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } CASES[] = {
        {"transmitters: [{at: [1, 1], antenna: c.msi}]", "c.msi"},
        {"transmitters: [{at: [1, 1], antenna: dipole}]", "half-wave"},
        {"transmitters: [{at: [1, 1], antenna: {bearing: 3 deg}}]", "pattern"},
        {"transmitters: [{at: [1, 1], antenna: {pattern: a.msi, bearing: 30}}]", "as in 30 deg"},
        {"transmitters: [{at: [1, 1], antenna: {pattern: a.msi, downtilt: 95 deg}}]", "from -90 deg to 90 deg"},
        {"transmitters: [{at: [1, 1], antenna: {pattern: a.msi, azimuth: 3 deg}}]", "azimuth"},
        {"transmitters: [{at: [1, 1], antenna: a.msi, power: 1 W, conducted_power: 1 W}]", "not both"},
        {"transmitters: [{at: [1, 1], conducted_power: 1 W}]", "needs the antenna"},
        {"transmitters: [{at: [1, 1], to: [1, 2], antenna: a.msi}]", "at a point"},
        {"transmitters: [{at: [1, 1], antenna: a.msi, source: hard}]", "soft"},
        {"grid: {symmetry: [x]}\ntransmitters: [{at: [1, 1], antenna: a.msi}]", "symmetry"},
        {"dimensions: 3\ntransmitters: [{at: [1, 1], antenna: a.msi, polarisation: x}]", "slant: 45 deg"},
        {"transmitters: [{at: [1, 1], antenna: {pattern: tr38901, slant: 45 deg}}]", "must be 0 in two dimensions"},
        {"antennas: [{name: p, form: patch, beam_width: 60 deg}]\ntransmitters: [{at: [1, 1]}]", "form: sector"},
        {"antennas: [{name: p, form: sector, beam_width: 1 deg}]\ntransmitters: [{at: [1, 1]}]", "out of range"},
        {"antennas: [{name: p, form: horn}]\ntransmitters: [{at: [1, 1]}]", "tr38901"},
        {"dimensions: 3\ntransmitters: [{at: [1, 1], antenna: isotropic}]", "hertzian, half-wave"},
        {"polarisation: horizontal\ntransmitters: [{at: [1, 1], antenna: a.msi}]", "vertical polarisation"},
        {"dimensions: 3\ntransmitters: [{at: [1, 1]}]\nreceivers: [{at: [1, 2], antenna: a.msi, record: spectra}]",
         "allowed: steps"},
        {"polarisation: horizontal\ntransmitters: [{at: [1, 1]}]\nreceivers: [{at: [1, 2], antenna: half-wave}]",
         "one component"},
        {"antennas: [{name: p}]\ntransmitters: [{at: [1, 1]}]", "horizontal"},
        {"antennas: [{name: p, horizontal: \"0 1\", vertical: \"0\"}]\ntransmitters: [{at: [1, 1]}]", "2 losses"},
        {"antennas: [{name: p, horizontal: \"0 1 x\", vertical: \"0\"}]\ntransmitters: [{at: [1, 1]}]", "'x' is not"},
        {"antennas: [{name: p, horizontal: \"0 -1\", vertical: \"0\"}]\ntransmitters: [{at: [1, 1]}]", "-1 dB"},
        {"antennas: [{name: p, file: a.msi}, {name: p, file: a.msi}]\ntransmitters: [{at: [1, 1]}]", "names must"},
        {"antennas: [{name: p, file: a.msi, gain: 3 dBi}]\ntransmitters: [{at: [1, 1]}]", "gain"},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        refuse(CASES[c].text, CASES[c].reason);
    }
}

static int begin(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    write_sector("a.msi", 12);
    write_sector("b.pln", 11);
    return 0;
}

static int end(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"a.msi", "b.pln", "test.yaml"};
    char path[64];
    for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; n++) {
        snprintf(path, sizeof path, "%s/%s", folder, NAMES[n]);
        unlink(path);
    }
    return rmdir(folder);
}

/* ---- arrays ---- */

static void place_check(const struct transmitter_choice *t, double x, double y, double height)
{
    if (!(fabs(t->at.x - x) < 1e-12 && fabs(t->at.y - y) < 1e-12 && fabs(t->height - height) < 1e-12)) {
        fail_msg("'%s' stands at (%g, %g, %g), not at (%g, %g, %g)", t->name, t->at.x, t->at.y, t->height, x, y,
                 height);
    }
}

/* Seen from the front columns count from the left and rows from the top; power is shared; and it reads back the same.
 */
static void test_arrays(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_good(
        "dimensions: 3\n"
        "transmitters:\n"
        "  - {name: u, at: [5, 5, 1.5], power: 20 dBm, antenna: {array: upa, elements: [2, 3], spacing: [4 cm, 10 "
        "cm]}}\n"
        "  - {name: x, at: [8, 5, 2], antenna: {array: ula, elements: 2, spacing: 20 cm, polarisation: cross,\n"
        "     element: half-wave, bearing: 90 deg, downtilt: 30 deg}}\n"
        "  - {name: single, at: [9, 9, 1]}\n"
        "receivers:\n"
        "  - {name: r, at: [12, 5, 1.5], antenna: {array: ula, elements: 2, spacing: 1 wavelength, bearing: 270 deg}}\n"
        "  - {name: line, from: [1, 1, 1], to: [3, 1, 1], count: 2, antenna: {array: upa, elements: [2, 1]}}\n");
    const struct transmitter_choice *t = scenario->transmitters;
    assert_int_equal(scenario->transmitter_count, 6 + 4 + 1);
    assert_string_equal(t[0].name, "u.1");
    assert_string_equal(t[3].port.station, "u");
    assert_true(t[3].port.number == 4 && t[3].port.shape[0] == 2 && t[3].port.shape[1] == 3 && t[3].port.shape[2] == 1);
    place_check(&t[0], 5.1, 5, 1.52); /* it looks north: the left one, seen from the front, stands in the east */
    place_check(&t[1], 5.1, 5, 1.48);
    place_check(&t[2], 5, 5, 1.52);
    place_check(&t[5], 4.9, 5, 1.48);
    assert_true(fabs(t[0].power - (20 - 10 * log10(6))) < 1e-12);
    place_check(&t[6], 8, 4.9, 2); /* it looks east: the left one stands in the south */
    place_check(&t[7], 8, 5.1, 2);
    place_check(&t[8], 8, 4.9, 2);
    const double down = 30 * M_PI / 180, up[3] = {sin(down), 0, cos(down)}, right[3] = {0, -1, 0};
    const struct direction *minus = &t[6].polarisation, *plus = &t[9].polarisation;
    assert_true(fabs(minus->x - up[0] * M_SQRT1_2) < 1e-12 && fabs(minus->y + right[1] * M_SQRT1_2) < 1e-12 &&
                fabs(minus->z - up[2] * M_SQRT1_2) < 1e-12);
    assert_true(fabs(plus->y - right[1] * M_SQRT1_2) < 1e-12 && t[6].antenna.kind == ANTENNA_HALF_WAVE);
    assert_int_equal(t[10].port.number, 0);
    const struct receiver_choice *r = scenario->receivers;
    assert_int_equal(scenario->receiver_count, 2 + 4);
    assert_string_equal(r[2].name, "line_1.1");
    assert_true(fabs(fabs(r[1].at.y - r[0].at.y) - 299792458.0 / 2.4e9) < 1e-12 && r[1].at.y < r[0].at.y);
    assert_true(r[2].height > r[3].height && r[5].at.x == 3);
    char *text = NULL, *again = NULL;
    pw_error error = {""};
    pw_scenario *other = NULL;
    assert_int_equal(scenario_write(scenario, &text, &error), PW_OK);
    if (pw_scenario_parse("again", text, NULL, 0, &other, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(scenario_write(other, &again, &error), PW_OK);
    assert_string_equal(text, again);
    assert_int_equal(other->receiver_count, scenario->receiver_count);
    free(text);
    free(again);
    pw_scenario_free(other);
    pw_scenario_free(scenario);
}

static void test_arrays_refused(void **state)
{
    (void)state;
#define AP(antenna) "transmitters: [{name: a, at: [1, 1], antenna: {" antenna "}}]\n"
    refuse(AP("array: upa, elements: [2, 2]"), "2 rows stand over each other, and two dimensions have no heights");
    refuse(AP("array: upa, elements: 4"), "rows and columns, as in [2, 4]");
    refuse(AP("array: ula"), "elements");
    refuse(AP("array: ula, elements: 2.5"), "whole numbers");
    refuse(AP("array: ula, elements: 4000"), "1024");
    refuse(AP("array: ula, elements: 1001"), "its 1001 antennas make 1001 transmitters in all; allowed are 1000");
    refuse(AP("array: ula, elements: 4, spacing: 0 cm"), "a distance over 0");
    refuse(AP("array: ula, elements: 4, spacing: 1 furlong"), "spacing");
    refuse(AP("array: ring, elements: 4"), "ula");
    refuse(AP("array: ula, elements: 4, polarisation: cross"), "need dimensions: 3");
    refuse(AP("array: ula, elements: 4, element: nowhere.msi"), "nowhere.msi");
    refuse(AP("array: ula, elements: 4, bearing: 30"), "deg");
    refuse("transmitters: [{name: a, at: [1, 1], to: [2, 1], antenna: {array: ula, elements: 2}}]\n", "leave out 'to'");
    refuse("transmitters: [{name: a, at: [1, 1], antenna: {array: ula, elements: 2}}, {name: a, at: [2, 2]}]\n",
           "has the name 'a'");
    refuse("transmitters: [{name: a.2, at: [1, 1], port: {number: 2, array: [1, 2, 1]}}]\n", "lacks antenna 1");
    refuse("transmitters: [{name: b, at: [1, 1], port: {number: 1, array: [1, 2, 1]}}]\n", "has the name 'ap.1'");
    refuse("transmitters: [{name: b.3, at: [1, 1], port: {number: 3, array: [1, 2, 1]}}]\n",
           "not among the 2 antennas");
    refuse("transmitters: [{at: [1, 1]}]\n"
           "receivers: [{name: r, at: [1, 1], record: spectra, antenna: {array: ula, elements: 2}}]\n",
           "further apart than the antennas");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_arrays),
                                       cmocka_unit_test(test_arrays_refused)};
    return cmocka_run_group_tests(tests, begin, end);
}
