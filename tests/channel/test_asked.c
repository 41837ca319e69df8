/* Frequencies as they are asked for, and places between the cells of the spectra: in free space the closed form, from
 * the record of a receiver and from spectra alike; subcarriers by name against the standards; profiles of all pairs. */
#include "tests/support/check.h"

#include "base/numbers/hankel.h"
#include "channel/asked/asked.h"
#include "channel/delay_guard.h"
#include "channel/pairs.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "tests/channel/free_space_result.h"

static const double c0 = 299792458.0;

/* H of transmitter `left` at a distance [m] as solved, without a step to three dimensions. */
static double complex closed_form(double frequency, double distance)
{
    double re, im, one_re, one_im;
    line_current_field(frequency, distance, &re, &im);
    line_current_field(frequency, 1.0, &one_re, &one_im);
    return c0 / (4.0 * M_PI * 1e9) * (re + I * im) / (one_re + I * one_im) * cexp(-2.0 * M_PI * I * frequency / c0);
}

enum { MOST = 400 };

static void response_get(const pw_place *place, const double *frequency, int count, double complex *out, double *error)
{
    pw_result *result = result_get(result_path);
    static const char *const sender = "left";
    pw_pairs_options options = pw_pairs_options_default();
    options.places = place;
    options.place_count = 1;
    options.transmitters = &sender;
    options.transmitter_count = 1;
    options.channel.spreading = PW_SPREADING_NONE;
    options.frequencies = frequency;
    options.frequency_count = count;
    const pw_pairs pairs = {.response = (double *)out, .error = error};
    pw_error failure = {""};
    if (pw_pairs_compute(result, &options, &pairs, &failure) != PW_OK) {
        fail_msg("%s", failure.message);
    }
    pw_result_close(result);
}

/* The largest error against the closed form, relative. */
static double off_by(const pw_place *place, double distance, const double *frequency, int count, double *told)
{
    double complex response[MOST];
    double worst = 0.0;
    response_get(place, frequency, count, response, told);
    for (int n = 0; n < count; n++) {
        const double complex exact = closed_form(frequency[n], distance);
        worst = fmax(worst, cabs(response[n] - exact) / cabs(exact));
    }
    return worst;
}

/* Between the frequencies of the spectra no worse than at them, by the record and by interpolation. */
static void test_between_frequencies(void **state)
{
    (void)state;
    const pw_place recorded = {.receiver = "probe"}, point = {.x = 2.1, .y = 1.2};
    const double distance = hypot(1.5, 0.3), spacing = 300e6 / 47.0;
    double own[48], between[47], uneven[40];
    for (int n = 0; n < 48; n++) {
        own[n] = 850e6 + n * spacing;
        between[n < 47 ? n : 46] = 850e6 + (fmin(n, 46) + 0.5) * spacing;
    }
    for (int n = 0; n < 40; n++) {
        uneven[n] = 851e6 + 297e6 * (n + 0.3 * sin(7.0 * n)) / 40.0;
    }
    const pw_place *const places[] = {&recorded, &point};
    for (int p = 0; p < 2; p++) {
        double told_own, told, told_uneven;
        const double at_own = off_by(places[p], distance, own, 48, &told_own);
        const double at_between = off_by(places[p], distance, between, 47, &told);
        const double at_uneven = off_by(places[p], distance, uneven, 40, &told_uneven);
        assert_true(at_own < 0.02);
        assert_true(at_between < at_own + 0.003);
        assert_true(at_uneven < at_own + 0.003);
        assert_true(told_own == 0.0 || p == 0); /* the record has a lattice of its own */
        assert_true(told < 0.003 && told_uneven < 0.003);
    }
}

/* At the frequencies of the spectra the response is the one without asking, to the last bit. */
static void test_own_frequencies(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    const pw_place point = {.x = 1.23, .y = 0.77};
    pw_pairs_options options = pw_pairs_options_default();
    options.places = &point;
    options.place_count = 1;
    double plain[2][48][2], asked[2][48][2], frequency[48];
    pw_pairs pairs = {.response = plain[0][0], .frequency = frequency};
    assert_int_equal(pw_pairs_compute(result, &options, &pairs, NULL), PW_OK);
    options.frequencies = frequency;
    options.frequency_count = 48;
    pairs = (pw_pairs){.response = asked[0][0]};
    assert_int_equal(pw_pairs_compute(result, &options, &pairs, NULL), PW_OK);
    assert_memory_equal(plain, asked, sizeof plain);
    pw_result_close(result);
}

/* Points between the cells, which stand 6 cm apart: each has its own field. */
static void test_between_cells(void **state)
{
    (void)state;
    const double frequency[] = {900e6, 1e9, 1.1e9};
    for (int n = 0; n < 12; n++) {
        const pw_place place = {.x = 1.5 + 0.01 * n, .y = 0.93 + 0.013 * n};
        double told;
        assert_true(off_by(&place, hypot(place.x - 0.6, place.y - 0.9), frequency, 3, &told) < 0.02);
    }
}

static void test_refused(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_pairs_options options = pw_pairs_options_default();
    pw_error error = {""};
    double frequency = 1.3e9, response[2][2];
    const pw_pairs pairs = {.response = response[0]};
    options.frequencies = &frequency;
    options.frequency_count = 1;
    assert_int_equal(pw_pairs_compute(result, &options, &pairs, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "1300 MHz is outside"));
    frequency = NAN;
    assert_int_equal(pw_pairs_compute(result, &options, &pairs, &error), PW_BAD_INPUT);
    pw_result_close(result);
}

/* Frequencies 20 MHz apart know nothing in between of a hall that rings for a microsecond. */
static void test_few_frequencies(void **state)
{
    (void)state;
    double frequency[16], spectrum[16][2], at = 1.01e9;
    for (int n = 0; n < 16; n++) {
        frequency[n] = 1e9 + n * 20e6;
        spectrum[n][0] = 1.0;
        spectrum[n][1] = 0.0;
    }
    const pw_channel_options options = pw_channel_options_default();
    const double time[] = {0.0, 1e-6}, energy[] = {1.0, 0.5};
    const struct delay_record record = {.end = 1e-6, .count = 2, .time = time, .energy = energy, .pulse_length = 3e-9};
    struct channel_band band;
    struct asked asked;
    pw_error error = {""};
    assert_int_equal(channel_band_create(2, frequency, 16, spectrum[0], &options, &band, &error), PW_OK);
    assert_int_equal(channel_band_observe(&band, &record, &error), PW_OK);
    assert_int_equal(asked_create(&band, &band, &at, 1, &asked, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "spectra.count: 512 would do"));
    at = 1.02e9; /* one of them */
    assert_int_equal(asked_create(&band, &band, &at, 1, &asked, &error), PW_OK);
    asked_free(&asked);
    channel_band_free(&band);
}

static void grid_check(const char *name, int count, double first, double last)
{
    static double frequency[4096];
    int found;
    pw_error error = {""};
    assert_int_equal(pw_subcarriers(name, 5e9, NULL, &found, &error), PW_OK);
    assert_int_equal(found, count);
    assert_int_equal(pw_subcarriers(name, 5e9, frequency, &found, &error), PW_OK);
    assert_true(fabs(frequency[0] - first) < 1.0 && fabs(frequency[count - 1] - last) < 1.0);
}

/* Counts of tones and resource blocks of the standards. */
static void test_grids(void **state)
{
    (void)state;
    grid_check("64x312.5kHz", 64, 5e9 - 32 * 312.5e3, 5e9 + 31 * 312.5e3);
    grid_check("3x1MHz@2.4GHz", 3, 2.399e9, 2.401e9);
    grid_check("wifi-20", 56, 5e9 - 28 * 312.5e3, 5e9 + 28 * 312.5e3);
    grid_check("wifi-40", 114, 5e9 - 58 * 312.5e3, 5e9 + 58 * 312.5e3);
    grid_check("wifi-80", 242, 5e9 - 122 * 312.5e3, 5e9 + 122 * 312.5e3);
    grid_check("wifi-160", 484, 5e9 - 250 * 312.5e3, 5e9 + 250 * 312.5e3);
    grid_check("wifi6-20", 242, 5e9 - 122 * 78.125e3, 5e9 + 122 * 78.125e3);
    grid_check("wifi6-80", 996, 5e9 - 500 * 78.125e3, 5e9 + 500 * 78.125e3);
    grid_check("wifi6-160", 1992, 5e9 - 1012 * 78.125e3, 5e9 + 1012 * 78.125e3);
    grid_check("wifi7-320", 3984, 5e9 - 2036 * 78.125e3, 5e9 + 2036 * 78.125e3);
    grid_check("nr-100MHz-30kHz@3.5GHz", 3276, 3.5e9 - 1638 * 30e3, 3.5e9 + 1637 * 30e3);
    grid_check("nr-400MHz-120kHz", 3168, 5e9 - 1584 * 120e3, 5e9 + 1583 * 120e3);
    static const char *const wrong[] = {"wifi-30", "",         "64", "64x",        "0x1MHz",
                                        "-3x1MHz", "64x-1MHz", "x",  "2000000x1Hz"};
    pw_error error = {""};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        int count;
        assert_int_equal(pw_subcarriers(wrong[n], 5e9, NULL, &count, &error), PW_USAGE);
        assert_non_null(strstr(error.message, "wifi6-20"));
    }
}

/* A profile of all pairs is that of its channel. */
static void test_profiles(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_pairs_options options = pw_pairs_options_default();
    pw_pairs_shape shape;
    const pw_place point = {.x = 1.23, .y = 0.77};
    options.places = &point;
    options.place_count = 1;
    assert_int_equal(pw_pairs_describe(result, &options, &shape, NULL), PW_OK);
    assert_int_equal(shape.delay_count, 4 * 48);
    double power[2][4 * 48], delay[2][4 * 48], own[4 * 48], own_delay[4 * 48];
    const pw_pairs pairs = {.profile = power[0], .profile_delay = delay[0]};
    assert_int_equal(pw_pairs_compute(result, &options, &pairs, NULL), PW_OK);
    pw_channel *channel = NULL;
    assert_int_equal(pw_channel_create(result, "right", NULL, (const double[]){1.23, 0.77}, NULL, &channel, NULL),
                     PW_OK);
    assert_int_equal(pw_channel_profile(channel, own_delay, own, NULL), PW_OK);
    assert_memory_equal(delay[1], own_delay, sizeof own_delay);
    assert_memory_equal(power[1], own, sizeof own);
    pw_channel_free(channel);
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_frequencies),
        cmocka_unit_test(test_own_frequencies),
        cmocka_unit_test(test_between_cells),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_few_frequencies),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_profiles),
    };
    return cmocka_run_group_tests(tests, run_once, remove_all);
}
