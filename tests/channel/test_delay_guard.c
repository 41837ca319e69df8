/* The guard on delays against closed forms: a single path, two paths of which one comes after the end of the run or of
 * the period, an exponential tail that is cut off or folds, a field that does not decay; the envelope of a decay; and
 * excess delays that are never negative. Solved plans are in validation/closed_form/delay_guard.c, but for one here. */
#include "tests/support/check.h"

#include "channel/delay_guard.h"
#include "problem/spectra/decay.h"
#include "tests/channel/given_channel.h"
#include "tests/support/delay_plans.h"

/* Looks at an energy that falls with a time constant, or stays. */
enum { LOOKS = 200 };
struct looks {
    double time[LOOKS], energy[LOOKS];
};

static void looks_make(double constant, double last, struct looks *looks)
{
    for (int n = 0; n < LOOKS; n++) {
        looks->time[n] = (n + 1.0) * last / LOOKS;
        looks->energy[n] = exp(-looks->time[n] / constant);
    }
}

/* Spread, mean and doubt of `gain` over `count` frequencies, for a run that saw delays up to `end`. */
static struct delay_doubt doubt_of(int count, double step, double complex (*gain)(double), double distance, double end,
                                   double constant, struct channel_delays *delays)
{
    struct channel_band band;
    struct channel channel;
    struct looks looks;
    pw_error error;
    double complex *values = calloc((size_t)count, sizeof *values);
    band_make(2e9, step, count, options_make(PW_WINDOW_HANN, 4, PW_SPREADING_NONE), &band);
    looks_make(constant, end, &looks);
    struct delay_record record = {.end = end, .count = LOOKS, .time = looks.time, .energy = looks.energy};
    assert_int_equal(channel_band_observe(&band, &record, &error), PW_OK);
    for (int f = 0; f < count; f++) {
        values[f] = gain(band.frequency[f]);
    }
    channel_give(&band, values, &channel);
    channel_transform(&band, distance, NULL, &channel);
    *delays = channel_delays(&band, &channel);
    struct delay_doubt doubt = delay_guard(&band, &channel, delays);
    channel_free(&channel);
    channel_band_free(&band);
    free(values);
    return doubt;
}

static double complex one_path(double frequency)
{
    return ray(frequency, 1.0, 20e-9);
}

static double complex two_paths(double frequency)
{
    return ray(frequency, 1.0, 20e-9) + ray(frequency, 0.5, 320e-9);
}

/* A single path is right as soon as nothing is left in the plan, whatever the period; it is small, and its mean excess
 * is not under zero. */
static void test_single_path(void **state)
{
    (void)state;
    struct channel_delays delays;
    for (int count = 17; count <= 257; count = 2 * count - 1) {
        struct delay_doubt doubt = doubt_of(count, 80e6 / (count - 1), one_path, 6.0, 400e-9, 5e-9, &delays);
        assert_true(doubt.rms_error <= DELAY_ERROR_LIMIT);
        assert_true(doubt.mean_error <= DELAY_ERROR_LIMIT);
        assert_int_equal(doubt.cause, PW_DELAY_SOUND);
        assert_true(delays.rms_spread < 1.0 / 80e6);
        assert_true(delays.mean_excess >= 0.0);
    }
}

/* 40 MHz and a run that ends 95 ns after the first path, not four bins: no late part of the profile to go by. Where
 * -59 or -46 dB of the energy are left at its end, ten times that at once is under the profile's threshold, and the
 * path is right, whatever was left a bin before; at -41 dB it is not. */
static void test_narrow_band(void **state)
{
    (void)state;
    struct channel_delays delays;
    struct delay_doubt doubt = {0};
    for (double constant = 7e-9; constant < 10e-9; constant += 2e-9) {
        doubt = doubt_of(16, 40e6 / 15, one_path, 6.0, 115e-9, constant, &delays);
        assert_true(doubt.rms_error <= DELAY_ERROR_LIMIT);
    }
    doubt = doubt_of(16, 40e6 / 15, one_path, 6.0, 115e-9, 10e-9, &delays);
    assert_true(doubt.rms_error > DELAY_ERROR_LIMIT);
    assert_int_equal(doubt.cause, PW_DELAY_RUN_SHORT);
}

/* An echo of -6 dB at 300 ns after the first path: seen whole it is right (spread 2/5 of 300 ns); one period of 200 ns
 * folds it to 100 ns, and then the energy that is left after a period gives it away. */
static void test_echo_after_the_period(void **state)
{
    (void)state;
    struct channel_delays delays;
    struct delay_doubt doubt = doubt_of(129, 80e6 / 128, two_paths, 6.0, 3e-6, 60e-9, &delays);
    assert_true(fabs(delays.rms_spread / 120e-9 - 1.0) < 0.03);
    assert_true(doubt.rms_error <= DELAY_ERROR_LIMIT);
    doubt = doubt_of(17, 80e6 / 16, two_paths, 6.0, 3e-6, 60e-9, &delays);
    assert_true(delays.rms_spread < 60e-9);
    assert_true(doubt.rms_error > DELAY_ERROR_LIMIT);
    assert_int_equal(doubt.cause, PW_DELAY_SPECTRA_FEW);
    /* A run of 150 ns has one path to show, and as much energy left. */
    doubt = doubt_of(129, 80e6 / 128, one_path, 6.0, 150e-9, 60e-9, &delays);
    assert_true(doubt.rms_error > DELAY_ERROR_LIMIT);
    assert_int_equal(doubt.cause, PW_DELAY_RUN_SHORT);
}

static double tail_constant, tail_end; /* s, of diffuse() */

/* Echoes every 2 ns with random phases, their power falling with tail_constant, up to tail_end after the first. */
static double complex diffuse(double frequency)
{
    uint64_t random = 88172645463325252u;
    double complex sum = 0.0;
    for (double delay = 0.0; delay < tail_end; delay += 2e-9) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        double phase = 2.0 * M_PI * (double)(random >> 11) / 9007199254740992.0;
        sum += ray(frequency, exp(-0.5 * delay / tail_constant), 20e-9 + delay) * cexp(I * phase);
    }
    return sum;
}

/* An exponential tail of 50 ns: seen to -60 dB it is right, cut or folded at -9 dB it is not. */
static void test_exponential_tail(void **state)
{
    (void)state;
    struct channel_delays delays;
    tail_constant = 50e-9;
    tail_end = 1e-6;
    struct delay_doubt doubt = doubt_of(257, 200e6 / 256, diffuse, 6.0, 1.02e-6, tail_constant, &delays);
    assert_true(doubt.rms_error <= DELAY_ERROR_LIMIT);
    double whole = delays.rms_spread;
    doubt = doubt_of(21, 200e6 / 20, diffuse, 6.0, 1.02e-6, tail_constant, &delays);
    assert_true(fabs(delays.rms_spread / whole - 1.0) > DELAY_ERROR_LIMIT);
    assert_true(doubt.rms_error > DELAY_ERROR_LIMIT);
    tail_end = 100e-9;
    doubt = doubt_of(257, 200e6 / 256, diffuse, 6.0, 120e-9, tail_constant, &delays);
    assert_true(fabs(delays.rms_spread / whole - 1.0) > DELAY_ERROR_LIMIT);
    assert_true(doubt.rms_error > DELAY_ERROR_LIMIT);
    assert_int_equal(doubt.cause, PW_DELAY_RUN_SHORT);
}

/* The closed metal room of the issue: whatever run and count, nothing there may be shown. */
static void test_metal_room(void **state)
{
    (void)state;
    static const int counts[] = {9, 33, 65, 257};
    struct delay_plan room = delay_plans[1];
    room.cell = 0.05;
    room.end = 800e-9;
    struct delay_solved solved = delay_plan_solve(&room, "cpu");
    struct delay_answer answers[DELAY_RECEIVERS];
    for (int c = 0; c < 4; c++) {
        for (int stop = 1; stop <= 2; stop++) {
            assert_true(delay_answers(&solved.series, 400e-9 * stop, counts[c], PW_SPREADING_DELAY, answers));
            for (int r = 0; r < solved.series.receivers; r++) {
                assert_true(answers[r].doubt.rms_error > DELAY_ERROR_LIMIT);
            }
        }
    }
    delay_solved_free(&solved);
}

/* An envelope never lies under what comes later, goes on as it went, and tells when it falls below a level. */
static void test_decay(void **state)
{
    (void)state;
    double time[40], value[40];
    pw_error error;
    struct decay decay;
    for (int n = 0; n < 40; n++) {
        time[n] = n * 1e-9;
        value[n] = 3.0 * exp(-time[n] / 10e-9) * (n == 5 ? 0.1 : 1.0);
    }
    assert_int_equal(decay_create(40, time, value, &decay, &error), PW_OK);
    assert_true(fabs(decay.constant / 10e-9 - 1.0) < 1e-9);
    assert_true(fabs(decay_level(&decay, 5e-9) + 0.6) < 1e-9);
    assert_true(fabs(decay_level(&decay, 20.5e-9) + 2.05) < 1e-9);
    assert_true(fabs(decay_level(&decay, 100e-9) + 10.0) < 1e-9);
    assert_true(fabs(decay_time(&decay, -2.05) / 20.5e-9 - 1.0) < 1e-9);
    assert_true(fabs(decay_time(&decay, -10.0) / 100e-9 - 1.0) < 1e-9);
    decay_free(&decay);
    for (int n = 0; n < 40; n++) {
        value[n] = 2.0;
    }
    assert_int_equal(decay_create(40, time, value, &decay, &error), PW_OK);
    assert_true(isinf(decay.constant) && isinf(decay_time(&decay, -3.0)));
    assert_true(decay_level(&decay, 1.0) == 0.0);
    decay_free(&decay);
}

/* What users read: nothing, the resolution, or what is wrong and what to set. */
static void test_note(void **state)
{
    (void)state;
    char text[PW_NOTE_SIZE];
    pw_metrics metrics = {.rms_delay_spread = 20e-9, .delay_resolution = 5.1e-9};
    assert_int_equal(pw_metrics_note(&metrics, text, sizeof text), 0);
    metrics.rms_delay_spread = 3e-9;
    assert_true(pw_metrics_note(&metrics, text, sizeof text) > 0);
    assert_non_null(strstr(text, "below the resolution of 5.1 ns"));
    metrics.delay_cause = PW_DELAY_SPECTRA_FEW;
    metrics.rms_error = INFINITY;
    assert_true(pw_metrics_note(&metrics, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "spectra.count"));
    metrics.delay_cause = PW_DELAY_RUN_SHORT;
    metrics.rms_error = 0.4;
    assert_true(pw_metrics_note(&metrics, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "stop.after"));
}

/* Whether a run of a room warns of powers when it ends so. */
static bool warns_of_powers(const char *stop, const char *rest, const char *words)
{
    char text[1024];
    snprintf(text, sizeof text,
             "plan: {size: [6, 3], walls: [{from: [3, -1], to: [3, 2], thickness: 0.1, material: brick}]}\n"
             "band: {centre: 1 GHz, width: 100 MHz}\ngrid: {cell: 4 cm}\ntransmitters: [{name: far, at: [1, 1]%s}]\n"
             "receivers: [{at: [5, 2]}]\nspectra: {count: 3}\nstop: {%s}\n",
             rest, stop);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    pw_notes warnings = {0};
    pw_error error;
    power_warn(solved.simulation, 0, &warnings);
    assert_int_equal(delay_warn(solved.simulation, 0, &warnings, &error), PW_OK);
    bool told = false;
    for (size_t n = 0; n < warnings.count; n++) {
        assert_non_null(strstr(warnings.text[n], "'far'"));
        told = told || (strstr(warnings.text[n], "powers") != NULL && strstr(warnings.text[n], words) != NULL);
    }
    warnings_free(&warnings);
    solve_free(&solved);
    return told;
}

/* A pulse that is cut off, a field on its way when the run ends, and a few frequencies do not keep a run from saying
 * that its powers are not right. */
static void test_powers_of_short_runs(void **state)
{
    (void)state;
    assert_true(warns_of_powers("steps: 1", "", "before its pulse was over"));
    assert_true(warns_of_powers("after: 15 ns", "", "before its pulse was over"));
    assert_true(
        warns_of_powers("after: 44 ns, decay: off", ", waveform: {width: 6.83 ns}", "Later echoes are missing"));
    assert_false(warns_of_powers("after: 150 ns, decay: off", "", ""));
    assert_false(warns_of_powers("decay: -50 dB", "", ""));
    assert_false(warns_of_powers("after: 50 ns", ", waveform: {kind: sinusoid}", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_path),
        cmocka_unit_test(test_narrow_band),
        cmocka_unit_test(test_echo_after_the_period),
        cmocka_unit_test(test_exponential_tail),
        cmocka_unit_test(test_metal_room),
        cmocka_unit_test(test_decay),
        cmocka_unit_test(test_note),
        cmocka_unit_test(test_powers_of_short_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
