/* Plans on which the program was silently wrong, with nothing set but what a user must say: metal that ends between the
 * nodes, a coating thinner than a cell, thick lossy walls, an alarm about delays that was none, MHz written for GHz.
 * The right values are closed forms, or what several schemes and cells converge to. */
#include "tests/support/solve.h"

#include <string.h>
#include <unistd.h>

/* m/s */
static const double LIGHT = 299792458.0;

/* By how much a receiver's field at the band's centre is under that of free space at its distance [dB]. */
static double loss(const struct solved *solved, int receiver, double distance)
{
    const int middle = solved->setup->frequency_count / 2;
    const double k = 2 * M_PI * solved->setup->frequency[middle] / LIGHT;
    double *series = solve_series(solved, 0, receiver);
    const double complex gain = solve_channel(solved, 0, series, middle);
    free(series);
    return -20 * log10(cabs(gain * solve_hankel(k) / solve_hankel(k * distance)));
}

/* A test that is off by more says by how much. */
static void assert_near(const char *what, double found, double right, double tolerance)
{
    if (!(fabs(found - right) <= tolerance)) {
        fail_msg("%s: %.2f dB, right are %.2f +- %.2f dB", what, found, right, tolerance);
    }
}

static double solve_loss(const char *scenario, double distance)
{
    struct solved solved = solve(scenario, PW_SINGLE, "cpu");
    const double found = loss(&solved, 0, distance);
    solve_free(&solved);
    return found;
}

/* fd4o at 10, 7 and 5 mm and yee at 10 mm agree on 48.6 and 31.0 dB. */
static void test_metal_block_end(void **state)
{
    (void)state;
    struct solved solved =
        solve("plan:\n  size: [4 m, 4 m]\n  rectangles: [{from: [1.85, -1], to: [2.15, 2.5], material: metal}]\n"
              "band: {centre: 2.4 GHz, width: 50 MHz}\ntransmitters: [{name: a, at: [0.5, 2]}]\n"
              "receivers: [{name: b, at: [3.5, 1]}, {name: c, at: [3.5, 2.2]}]\nspectra: {count: 3, spacing: 16}\n",
              PW_SINGLE, "cpu");
    const double b = loss(&solved, 0, hypot(3, 1)), c = loss(&solved, 1, hypot(3, 0.2));
    solve_free(&solved);
    assert_near("behind the block", b, 48.6, 1.5);
    assert_near("nearer to its end", c, 31.0, 1);
}

static double coated_glass(const char *coating)
{
    char scenario[1024];
    snprintf(scenario, sizeof scenario,
             "plan:\n  size: [3 m, 4 m]\n  rectangles:\n    - {from: [1.5, -1], to: [1.506, 5], material: glass}\n"
             "    - %s\nband: {centre: 2.4 GHz, width: 100 MHz}\ntransmitters: [{name: a, at: [0.5, 2]}]\n"
             "receivers: [{name: b, at: [2.5, 2]}]\nspectra: {count: 3, spacing: 16}\n",
             coating);
    return solve_loss(scenario, 2);
}

/* 6 mm of glass and 5 ohm a square: transfer matrices over the angular spectrum. */
static void test_coated_glass(void **state)
{
    (void)state;
    assert_near("a coating of 1 mm",
                coated_glass("{from: [1.506, -1], to: [1.507, 5], material: {relative_permittivity: 1, conductivity: "
                             "200 S/m}}"),
                30.15, 0.5);
    assert_near("a coating of 0.1 mm",
                coated_glass("{from: [1.506, -1], to: [1.5061, 5], material: {relative_permittivity: 1, conductivity: "
                             "2000 S/m}}"),
                29.61, 0.5);
}

/* P.2040's concrete, 20 cm, by the angular spectrum of a slab; within 2 % of the decibels. */
static void test_concrete(void **state)
{
    (void)state;
    assert_near("28 GHz",
                solve_loss("plan:\n  size: [0.6 m, 0.4 m]\n  walls: [{from: [0.3, -1], to: [0.3, 1.4], thickness: 20 "
                           "cm, material: concrete}]\nband: {centre: 28 GHz, width: 1 GHz}\ntransmitters: [{name: a, "
                           "at: [0.1, 0.2]}]\nreceivers: [{name: b, at: [0.5, 0.2]}]\nspectra: {count: 3, spacing: "
                           "16}\n",
                           0.4),
                89.52, 0.02 * 89.52);
    assert_near("3.5 GHz",
                solve_loss("plan:\n  size: [3 m, 2 m]\n  walls: [{from: [1.5, -1], to: [1.5, 3], thickness: 20 cm, "
                           "material: concrete}]\nband: {centre: 3.5 GHz, width: 100 MHz}\ntransmitters: [{name: a, "
                           "at: [0.5, 1]}]\nreceivers: [{name: b, at: [2.5, 1]}]\nspectra: {count: 3, spacing: 16}\n",
                           2),
                18.78, 0.02 * 18.78);
}

static void channel_of(const char *scenario, const char *path, pw_metrics *metrics, double *first)
{
    pw_scenario *parsed = NULL;
    pw_setup *setup = NULL;
    pw_channel *channel = NULL;
    pw_error error = {{0}};
    const pw_run_options options = {.compute.backend = "cpu", .force = true};
    pw_status status = pw_scenario_parse("test", scenario, NULL, 0, &parsed, &error);
    status = status == PW_OK ? pw_setup_create(parsed, PW_SINGLE, false, &setup, &error) : status;
    status = status == PW_OK ? pw_run(setup, &options, path, &error) : status;
    if (status != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_result *result = result_get(path);
    assert_int_equal(pw_channel_create(result, NULL, NULL, NULL, NULL, &channel, &error), PW_OK);
    double delay[256], amplitude[512];
    *metrics = pw_channel_metrics(channel);
    assert_true(pw_channel_describe(channel).path_count > 0);
    assert_int_equal(pw_channel_paths(channel, delay, amplitude, &error), PW_OK);
    *first = delay[0];
    pw_channel_free(channel);
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(parsed);
}

/* Free space, 30 m: one path of 100.069 ns, and nothing more to arrive when the run ends. */
static void test_delay_of_one_path(void **state)
{
    (void)state;
    char path[] = "planwave_delay_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    pw_metrics metrics;
    double first;
    channel_of("plan:\n  size: [34 m, 4 m]\nband: {centre: 2.4 GHz, width: 400 MHz}\ntransmitters: [{name: a, at: [2, "
               "2]}]\nreceivers: [{name: b, at: [32, 2]}]\nspectra: {region: [30, 1, 33, 3]}\n",
               path, &metrics, &first);
    unlink(path);
    char note[PW_NOTE_SIZE];
    pw_metrics_note(&metrics, note, sizeof note);
    if (metrics.delay_cause != PW_DELAY_SOUND) {
        fail_msg("an alarm that is none: %s", note);
    }
    if (fabs(first - 30 / LIGHT) > 0.1e-9) {
        fail_msg("first arrival %.3f ns, right are %.3f +- 0.1 ns", 1e9 * first, 1e9 * 30 / LIGHT);
    }
}

/* 2.4 MHz written for 2.4 GHz: refused, or at least told. */
static void test_megahertz(void **state)
{
    (void)state;
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {{0}};
    assert_int_equal(pw_scenario_parse("test",
                                       "plan:\n  size: [4 m, 3 m]\nband: 2.4 MHz\ntransmitters:\n  - {at: [1, "
                                       "1]}\n",
                                       NULL, 0, &scenario, &error),
                     PW_OK);
    bool told = pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) != PW_OK;
    for (size_t n = 0; !told && n < pw_setup_warning_count(setup); n++) {
        told = strstr(pw_setup_warning(setup, n), "wavelength") != NULL;
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    if (!told) {
        fail_msg("a plan of 4 m at a wavelength of 125 m is taken without a word");
    }
}

/* A plate and a wall of metal that leave the plan through the absorber, in three dimensions: a run ends with an error
 * where the energy grows. */
static void test_metal_out_of_a_space(void **state)
{
    (void)state;
    struct solved solved =
        solve("dimensions: 3\nplan:\n  size: [0.164, 0.147]\n  storey: {height: 0.079945}\n  walls:\n"
              "    - {from: [0.00492, -0.6], to: [0.00492, 0.6], thickness: 0.019986, material: brick}\n"
              "    - {from: [-0.6, 0.14259], to: [0.6, 0.14259], thickness: 0.019986, material: brick}\n"
              "    - {from: [0.079163, 0.121263], to: [0.19335, 0.121263], thickness: 0.001066, material: metal}\n"
              "    - {from: [0.109531, 0.021041], to: [0.145122, 0.021041], thickness: 0.002043, material: metal}\n"
              "grid: {cell: 5.62 mm, scheme: fd4o}\nband: {centre: 6 GHz, width: 1.2 GHz}\n"
              "transmitters: [{at: [0.047087, 0.048916, 0.044969]}]\nspectra: off\n"
              "stop: {steps: 3000, decay: off}\nreceivers: [{at: [0.06, 0.06, 0.04]}]\n",
              PW_SINGLE, "cpu");
    solve_free(&solved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_megahertz),         cmocka_unit_test(test_metal_block_end),
        cmocka_unit_test(test_coated_glass),      cmocka_unit_test(test_concrete),
        cmocka_unit_test(test_delay_of_one_path), cmocka_unit_test(test_metal_out_of_a_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
