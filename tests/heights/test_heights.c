/* Heights in two dimensions against the law: an empty hall in three dimensions, whose field is known in closed form,
 * and two rays over it. How they get there from a scenario, and what outputs say, is in test_heights.sh. */
#include "tests/support/check.h"

#include "channel/slant/slanted_sum.h"
#include "tests/channel/given_channel.h"

static const double HEIGHTS[] = {0.5, 1.0, 2.5}, DISTANCES[] = {0.3, 0.5, 1.0, 1.5, 2.0, 3.7, 10.0, 40.0};

static void wave_give(const struct channel_band *band, double distance, struct channel *channel)
{
    double complex gain[COUNT];
    for (int f = 0; f < COUNT; f++) {
        gain[f] = reference_field(band->frequency[f], distance) / reference_field(band->frequency[f], 1.0);
    }
    channel_give(band, gain, channel);
}

static struct slant slant_made(double rise, enum antenna_kind kind)
{
    return (struct slant){.rise = rise, .along = {1.0, 0.0}, .departure = {.kind = kind}, .arrival = {.kind = kind}};
}

/* Balanis, Antenna Theory: power of a vertical dipole at an elevation against its broadside. */
static double dipole_power(enum antenna_kind kind, double sine)
{
    double cosine = sqrt(1.0 - sine * sine);
    double field = kind == ANTENNA_ISOTROPIC ? 1.0 : kind == ANTENNA_HERTZIAN ? cosine : cos(0.5 * pi * sine) / cosine;
    return field * field;
}

/* Friis: free space over the straight line, and both patterns at its elevation; with wide bands and narrow ones. A
 * direct path more than 30 dB under the antenna's broadside is not asked for: the bins behind it weigh more than it. */
static void test_empty_hall(void **state)
{
    (void)state;
    for (int n = 0; n < 3 * 2 * 2 * 3 * 8; n++) {
        enum antenna_kind kind = (enum antenna_kind)(n % 3);
        pw_spreading mode = n / 3 % 2 == 0 ? PW_SPREADING_DISTANCE : PW_SPREADING_DELAY;
        double width = n / 6 % 2 == 0 ? 600e6 : 80e6, rise = HEIGHTS[n / 12 % 3], distance = DISTANCES[n / 36];
        double sine = rise / hypot(distance, rise), pattern = pow(dipole_power(kind, sine), 2);
        struct channel_band band;
        struct channel channel;
        band_make(2.4e9 - 0.5 * width, width / (COUNT - 1), COUNT, options_make(PW_WINDOW_HANN, 4, mode), &band);
        wave_give(&band, distance, &channel);
        const struct slant up = slant_made(rise, kind), down = slant_made(-rise, kind);
        channel_transform(&band, distance, &up, &channel);
        pw_metrics metrics = channel_metrics(&band, &channel, 0.0, 0.0);
        double expected = decibel(pattern) - 20.0 * log10(hypot(distance, rise));
        if (decibel(pattern) > -30.0) {
            assert_true(fabs(metrics.path_gain_db - expected) < 0.02);
        }
        assert_true(fabs(metrics.distance - hypot(distance, rise)) < 1e-12);
        /* Both ways are the same. */
        channel_transform(&band, distance, &down, &channel);
        assert_true(channel_metrics(&band, &channel, 0.0, 0.0).path_gain_db == metrics.path_gain_db);
        channel_free(&channel);
        channel_band_free(&band);
    }
}

/* Two rays over the plan, of 6 and 15 m: powers 1/L^2 become those of the slanted paths, delays too. */
static void test_two_rays(void **state)
{
    (void)state;
    const double length[2] = {6.0, 15.0}, rise = 3.0;
    struct channel_band band;
    struct channel channel;
    band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_HANN, 8, PW_SPREADING_DELAY), &band);
    double complex gain[COUNT];
    for (int f = 0; f < COUNT; f++) {
        gain[f] = ray(band.frequency[f], sqrt(1.0 / length[0]), length[0] / c0) +
                  ray(band.frequency[f], sqrt(1.0 / length[1]), length[1] / c0);
    }
    channel_give(&band, gain, &channel);
    const struct slant slant = slant_made(rise, ANTENNA_HERTZIAN);
    channel_transform(&band, length[0], &slant, &channel);
    struct channel_path paths[8];
    assert_int_equal(channel_paths(&band, &channel, paths, 8), 2);
    double power[2], delay[2];
    for (int p = 0; p < 2; p++) {
        double slanted = hypot(length[p], rise), pattern = pow(length[p] / slanted, 4);
        power[p] = pattern / (slanted * slanted);
        delay[p] = slanted / c0;
        assert_true(fabs(paths[p].delay - delay[p]) < 0.02e-9);
        /* The peak of the direct path has the factor of a bin to its left or its right: within 1.5 dB of its own. */
        double found = paths[p].re * paths[p].re + paths[p].im * paths[p].im;
        assert_true(fabs(decibel(found / power[p])) < (p == 0 ? 1.5 : 0.02));
    }
    pw_metrics metrics = channel_metrics(&band, &channel, 0.0, 0.0);
    double total = power[0] + power[1], mean = (power[1] * (delay[1] - delay[0])) / total;
    double spread = sqrt(power[0] * power[1]) / total * (delay[1] - delay[0]);
    assert_true(fabs(metrics.path_gain_db - decibel(total)) < 0.03);
    assert_true(fabs(metrics.maximum_excess_delay - (delay[1] - delay[0])) < 0.04e-9);
    assert_true(fabs(metrics.mean_excess_delay - mean) < 0.3e-9);
    double window = 0.58 / (COUNT * spacing);
    assert_true(fabs(metrics.rms_delay_spread / hypot(spread, window) - 1.0) < 0.03);
    channel_free(&channel);
    channel_band_free(&band);
}

/* A link without a rise has the bits of one whose heights nobody knows, dipoles or not; and `none` knows no heights. */
static void test_level(void **state)
{
    (void)state;
    for (int n = 0; n < 3; n++) {
        struct channel_band band;
        struct channel plain, level;
        band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_HANN, 4, (pw_spreading)n), &band);
        wave_give(&band, 3.0, &plain);
        wave_give(&band, 3.0, &level);
        const struct slant slant = slant_made(n == PW_SPREADING_NONE ? 1.0 : 0.0, ANTENNA_HALF_WAVE);
        channel_transform(&band, 3.0, NULL, &plain);
        channel_transform(&band, 3.0, &slant, &level);
        assert_memory_equal(plain.power, level.power, (size_t)band.tap_count * sizeof *plain.power);
        pw_metrics a = channel_metrics(&band, &plain, 0.0, 0.0), b = channel_metrics(&band, &level, 0.0, 0.0);
        assert_true(a.path_gain_db == b.path_gain_db && a.rms_delay_spread == b.rms_delay_spread);
        assert_true(a.distance == b.distance);
        channel_free(&plain);
        channel_free(&level);
        channel_band_free(&band);
    }
}

/* Delays keep their order, and no bin lies before the straight line's less the window. */
static void test_delays(void **state)
{
    (void)state;
    for (int n = 0; n < 24; n++) {
        const struct slant slant = slant_made(HEIGHTS[n % 3], ANTENNA_ISOTROPIC);
        double distance = DISTANCES[n / 3], direct = distance / c0, before = -INFINITY;
        for (double delay = -20e-9; delay < 200e-9; delay += 0.1e-9) {
            double slanted = slant_delay(&slant, distance, delay);
            assert_true(slanted > before);
            assert_true(delay < direct || fabs(slanted - hypot(delay, slant.rise / c0)) < 1e-18);
            before = slanted;
        }
    }
}

/* The response of taps at any delays against the sum as it is written, term by term; fewer frequencies than are summed
 * side by side, more than a block of them, and odd numbers of both. */
static void test_slanted_sum(void **state)
{
    (void)state;
    static const int counts[][2] = {{1, 1}, {7, 2}, {232, 231}, {513, 40}, {1300, 3}};
    for (int n = 0; n < 5; n++) {
        const struct sum_axis axis = {2.1e9, 2.6e6, 2.4e9, counts[n][0]};
        int taps = counts[n][1];
        double *coefficient = calloc(2 * (size_t)taps, sizeof *coefficient),
               *delay = calloc((size_t)taps, sizeof *delay);
        double *response = calloc(2 * (size_t)axis.count + 1, sizeof *response), size = 0.0;
        for (int t = 0; t < taps; t++) {
            coefficient[2 * t] = random_uniform() - 0.5;
            coefficient[2 * t + 1] = random_uniform() - 0.5;
            delay[t] = 400e-9 * (random_uniform() - 0.1);
            size += hypot(coefficient[2 * t], coefficient[2 * t + 1]);
        }
        response[2 * axis.count] = -7.0;
        slanted_sum(&axis, taps, coefficient, delay, response);
        for (int f = 0; f < axis.count; f++) {
            double complex expected = 0.0;
            for (int t = 0; t < taps; t++) {
                expected += (coefficient[2 * t] + I * coefficient[2 * t + 1]) *
                            cexp(-2.0 * pi * I * (axis.lowest + f * axis.spacing - axis.centre) * delay[t]);
            }
            assert_true(cabs(response[2 * f] + I * response[2 * f + 1] - expected) < 1e-12 * size);
        }
        assert_true(response[2 * axis.count] == -7.0);
        free(coefficient);
        free(delay);
        free(response);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_hall), cmocka_unit_test(test_two_rays),    cmocka_unit_test(test_level),
        cmocka_unit_test(test_delays),     cmocka_unit_test(test_slanted_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
