/* Half-wave dipoles at both ends in three dimensions: Friis between two of them, the closed form of their fields, and
 * reciprocity, a tilted one included. */
#include "tests/support/check.h"
#include "tests/support/text_solve.h"

#include "planwave.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double c0 = 299792458.0;
enum { FREQUENCIES = 3 };
#define DISTANCE 0.9 /* m: three wavelengths */

static char folder[] = "/tmp/planwave-half-wave-XXXXXX";
static char result_path[64];

static const char scenario_text[] =
    "dimensions: 3\n"
    "plan: {size: [1.23 m, 0.5 m], storey: {height: 0.5 m}}\n"
    "grid: {scheme: fd4o, cell: 2.6 cm, absorber: {kind: upml, cells: 9}}\n"
    "band: {centre: 1 GHz, width: 300 MHz}\n"
    "transmitters:\n"
    "  - {name: a, at: [0.16, 0.247, 0.253], antenna: half-wave, power: 20 dBm}\n"
    "  - {name: b, at: [1.06, 0.247, 0.253], antenna: half-wave, power: 20 dBm, polarisation: [0, 0.6, 0.8]}\n"
    "receivers:\n"
    "  - {name: at a, at: [0.16, 0.247, 0.253], antenna: half-wave}\n"
    "  - {name: at b, at: [1.06, 0.247, 0.253], antenna: half-wave, polarisation: [0, 0.6, 0.8]}\n"
    "  - {name: upright, at: [1.06, 0.247, 0.253], antenna: half-wave}\n"
    "  - {name: point, at: [1.06, 0.247, 0.253]}\n"
    "spectra: {count: 3, heights: [0.25 m], spacing: 8 cells}\n"
    "stop: {after: 20 ns, decay: off}\n";

static int run_once(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(result_path, sizeof result_path, "%s/pair.h5", folder);
    return text_solve(scenario_text, NULL, 0, PW_DOUBLE, "cpu", result_path) ? 0 : -1;
}

static int remove_all(void **state)
{
    (void)state;
    return folder_delete(folder);
}

/* H along the receiver's own polarisation, and its metrics. */
static pw_metrics link_read(const char *from, const char *to, double complex h[FREQUENCIES])
{
    pw_result *result = NULL;
    pw_channel *channel = NULL;
    pw_error error = {""};
    if (pw_result_open(result_path, &result, &error) != PW_OK ||
        pw_channel_create(result, from, to, NULL, NULL, &channel, &error) != PW_OK ||
        pw_channel_response(channel, NULL, (double *)h, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    const pw_metrics metrics = pw_channel_metrics(channel);
    pw_channel_free(channel);
    pw_result_close(result);
    return metrics;
}

/* e^(-jkd)/d of two points, between sinusoidal currents of half a wavelength side by side: the field of one is that of
 * its two ends (Balanis, Antenna Theory, section 8.6), weighed by the current of the other. */
static double complex side_by_side(double k)
{
    enum { STEPS = 400 };
    const double quarter = 0.5 * M_PI / k;
    double complex sum = 0;
    double weight = 0;
    for (int n = 0; n <= STEPS; n++) {
        const double z = quarter * (2.0 * n / STEPS - 1), share = sin(M_PI * n / STEPS);
        const double low = hypot(DISTANCE, z - quarter), high = hypot(DISTANCE, z + quarter);
        sum += share * 0.5 * (cexp(-I * k * low) / low + cexp(-I * k * high) / high);
        weight += share;
    }
    return sum / weight;
}

static void test_friis(void **state)
{
    (void)state;
    double complex h[FREQUENCIES], point[FREQUENCIES];
    const pw_metrics metrics = link_read("a", "upright", h);
    link_read("a", "point", point);
    const double k = 2 * M_PI * 1e9 / c0, friis = c0 / (4 * M_PI * 1e9 * DISTANCE);
    const double complex law = c0 / (4 * M_PI * 1e9) * side_by_side(k);
    const double off = 20 * log10(cabs(h[1]) / friis);
    print_message("a half-wave pair is %.3f dB off Friis, %.3f %% off the closed form; a point %.3f dB\n", off,
                  100 * cabs(h[1] / law - 1), 20 * log10(cabs(point[1]) / friis));
    assert_true(fabs(off) < 0.1);
    assert_true(cabs(h[1] / law - 1) < 0.005);
    /* EIRP, path, and the gain of the receiver, which it has by its antenna */
    assert_true(fabs(metrics.received_power_dbm - (20 - metrics.path_loss_db + 2.151)) < 0.01);
}

static void test_reciprocity(void **state)
{
    (void)state;
    double complex there[FREQUENCIES], back[FREQUENCIES];
    link_read("a", "at b", there);
    link_read("b", "at a", back);
    for (int f = 0; f < FREQUENCIES; f++) {
        assert_true(cabs(there[f]) > 0.01 && cabs(there[f] / back[f] - 1) < 1e-5);
    }
}

/* One that is not recorded takes in points of a plane, and patterns have no phase. */
static void test_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[][2] = {{"antenna: half-wave, record: spectra", "takes in the field along it"},
                                           {"antenna: isotropic", "allowed in three dimensions"}};
    for (int n = 0; n < 2; n++) {
        char text[512];
        pw_scenario *scenario = NULL;
        pw_error error = {""};
        snprintf(text, sizeof text,
                 "dimensions: 3\nplan: {size: [2, 2], storey: {height: 2 m}}\nband: 1 GHz\n"
                 "transmitters: [{at: [1, 1, 1]}]\nreceivers: [{at: [1, 1.5, 1], %s}]\n",
                 TEXTS[n][0]);
        assert_int_equal(pw_scenario_parse("test", text, NULL, 0, &scenario, &error), PW_BAD_INPUT);
        if (strstr(error.message, TEXTS[n][1]) == NULL) {
            fail_msg("'%s' does not say '%s'", error.message, TEXTS[n][1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_friis), cmocka_unit_test(test_reciprocity),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, run_once, remove_all);
}
