/* Narrow bands (physics.md section 4): the pulse stands where the band is evaluated and is wide enough to be over soon;
 * a Wi-Fi channel comes out as it does of a wide run on the same cells, in no more steps; a pulse that misses the band
 * is refused. The whole table is validation/narrow_bands. */
#include "tests/support/solve.h"

#include <string.h>

#include "discretize/source/source_band.h"

static const char ROOM[] =
    "plan: {size: [4, 3], walls: [{from: [2, 0.5], to: [2, 2], thickness: 0.12, material: brick}]}\n"
    "band: {centre: 2.4 GHz, width: %s}\n%sgrid: {cell: 1.5 cm}\n"
    "transmitters: [{name: t, at: [1, 1]%s}]\nreceivers: [{at: [3, 1.3]}]\nspectra: {count: %d, region: [2.9, 1, 3.1, "
    "1.5]}\n";

static struct solved room(const char *width, const char *rest, int count)
{
    char text[1024];
    snprintf(text, sizeof text, ROOM, width, rest, "", count);
    return solve(text, PW_SINGLE, "cpu");
}

/* 20 MHz at 11 frequencies and 200 MHz at 101: each second megahertz. */
static void wifi_channel(const char *rest)
{
    struct solved narrow = room("20 MHz", rest, 11), wide = room("200 MHz", rest, 101);
    double *at_narrow = solve_series(&narrow, 0, 0), *at_wide = solve_series(&wide, 0, 0), error = 0, norm = 0;
    double spectrum[22], peak = 0;
    pw_error message = {""};
    assert_int_equal(pw_simulation_source_spectrum(narrow.simulation, 0, spectrum, &message), PW_OK);
    for (int f = 0; f < 11; f++) {
        double complex expected = solve_channel(&wide, 0, at_wide, f + 45);
        error += pow(cabs(solve_channel(&narrow, 0, at_narrow, f) - expected), 2);
        norm += pow(cabs(expected), 2);
        peak = fmax(peak, hypot(spectrum[2 * f], spectrum[2 * f + 1]));
    }
    assert_true(sqrt(error / norm) < 0.01);
    for (int f = 0; f < 11; f++) {
        assert_true(hypot(spectrum[2 * f], spectrum[2 * f + 1]) > 0.1 * peak);
    }
    assert_true(narrow.simulation->step <= wide.simulation->step + narrow.setup->problem.watch_every);
    free(at_narrow);
    free(at_wide);
    solve_free(&narrow);
    solve_free(&wide);
}

static void a_channel_of_20_megahertz(void **state)
{
    (void)state;
    wifi_channel("");
    wifi_channel("polarisation: horizontal\n");
}

/* `told_wider`: how often a pulse wider than the band is told of. */
static pw_status set_up(const char *width, const char *waveform, int told_wider, pw_error *error)
{
    char text[1024];
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    snprintf(text, sizeof text, ROOM, width, "", waveform, 16);
    pw_status status = pw_scenario_parse("pulse", text, NULL, 0, &scenario, error);
    status = status != PW_OK ? status : pw_setup_create(scenario, PW_SINGLE, false, &setup, error);
    int told = 0;
    for (size_t n = 0; status == PW_OK && n < pw_setup_choice_count(setup); n++) {
        told += strstr(pw_setup_choice(setup, n), "the pulse is") != NULL;
    }
    assert_true(status != PW_OK || told == told_wider);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

/* 68 ns are a band of 10 MHz at 2.4 GHz, and the band is evaluated some 18 MHz higher; 20 times shorter it is wide
 * enough. A carrier of one's own makes the pulse wider until it fills the band. */
static void pulses_that_miss_the_band(void **state)
{
    (void)state;
    pw_error error = {""};
    assert_int_equal(set_up("10 MHz", ", waveform: {width: 68 ns}", 0, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "'t'"));
    assert_non_null(strstr(error.message, "dB below its peak"));
    assert_non_null(strstr(error.message, "Leave out 'width'"));
    assert_int_equal(set_up("10 MHz", ", waveform: {width: 3.4 ns}", 0, &error), PW_OK);
    assert_int_equal(set_up("10 MHz", "", 1, &error), PW_OK);
    assert_int_equal(set_up("400 MHz", "", 0, &error), PW_OK);
    assert_int_equal(set_up("400 MHz", ", waveform: {frequency: 2.2 GHz}", 1, &error), PW_OK);
    assert_int_equal(set_up("20 MHz", ", waveform: {kind: gaussian, width: 1 ns}", 0, &error), PW_BAD_INPUT);
    assert_int_equal(set_up("20 MHz", ", waveform: {kind: ricker}", 0, &error), PW_OK);
}

/* Three transmitters of one pulse and one of another are two lines. */
static void wide_pulses_are_told_once(void **state)
{
    (void)state;
    pw_error error = {""};
    assert_int_equal(set_up("10 MHz",
                            "}, {name: u, at: [1, 2]}, {name: v, at: [1, 1.5], waveform: {frequency: 2.41 GHz}}, "
                            "{name: w, at: [1, 2.5]",
                            2, &error),
                     PW_OK);
}

/* The middle of the pulse is the middle of the band as evaluated, (2/dt) asin(w dt/2). */
static void the_pulse_follows_the_frequencies(void **state)
{
    (void)state;
    struct scenario scenario = {.band_centre = 2.4e9, .band_width = 400e6, .spectra.warp = true};
    const double step = 4e-11, low = asin(M_PI * 2.2e9 * step) / (M_PI * step),
                 high = asin(M_PI * 2.6e9 * step) / (M_PI * step);
    struct source_band band = source_band_evaluated(&scenario, step);
    assert_true(fabs(band.centre / (0.5 * (low + high)) - 1) < 1e-12);
    assert_true(fabs(band.width / (high - low) - 1) < 1e-12);
    scenario.spectra.warp = false;
    band = source_band_evaluated(&scenario, step);
    assert_true(band.centre == 2.4e9 && fabs(band.width / 400e6 - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_channel_of_20_megahertz),
        cmocka_unit_test(pulses_that_miss_the_band),
        cmocka_unit_test(wide_pulses_are_told_once),
        cmocka_unit_test(the_pulse_follows_the_frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
