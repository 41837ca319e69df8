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
        {"dimensions: 3\ntransmitters: [{at: [1, 1], antenna: a.msi}]", "two dimensions"},
        {"dimensions: 3\ntransmitters: [{at: [1, 1], antenna: isotropic}]", "hertzian, half-wave"},
        {"polarisation: horizontal\ntransmitters: [{at: [1, 1], antenna: a.msi}]", "vertical polarisation"},
        {"dimensions: 3\ntransmitters: [{at: [1, 1]}]\nreceivers: [{at: [1, 2], antenna: half-wave}]", "component"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, begin, end);
}
