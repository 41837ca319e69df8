/* The channel's definitions against closed forms: Hankel functions against tables, free space, two rays, spreading, and
 * what it does with bad input. Metrics of many paths are in test_channel_metrics.c. Nothing here was taken from the
 * program's own output. */
#include "tests/support/check.h"

#include "base/picture/colormap.h"
#include "tests/channel/given_channel.h"

/* Abramowitz and Stegun, table 9.1: J0 and Y0. */
static void test_hankel_table(void **state)
{
    (void)state;
    static const double table[][3] = {
        {0.1, 0.99750156206604, -1.53423865135037},  {0.5, 0.93846980724081, -0.44451873350671},
        {1.0, 0.76519768655797, 0.08825696421568},   {2.0, 0.22389077914124, 0.51037567264975},
        {5.0, -0.17759677131434, -0.30851762524903}, {10.0, -0.24593576445135, 0.05567116728360},
    };
    for (size_t n = 0; n < sizeof table / sizeof *table; n++) {
        double re, im;
        hankel_h0_2(table[n][0], &re, &im);
        assert_true(fabs(re - table[n][1]) < 2e-14);
        assert_true(fabs(im + table[n][2]) < 2e-13);
    }
    double re, im;
    hankel_h0_2(0.0, &re, &im);
    assert_true(isnan(re) && isnan(im));
    line_current_field(-1.0, 1.0, &re, &im);
    assert_true(isnan(re));
}

/* Far field: |H| = eta0 k / 4 sqrt(2/(pi k r)). */
static void test_line_current_far_field(void **state)
{
    (void)state;
    double frequency = 2.4e9, k = 2.0 * pi * frequency / c0, r = 50.0;
    double far = 376.730313668 * k / 4.0 * sqrt(2.0 / (pi * k * r));
    assert_true(fabs(cabs(reference_field(frequency, r)) / far - 1.0) < 1e-6);
}

/* Free space at r: G = H0(kr)/H0(k 1 m), |G|^2 close to 1/r in 2D, and close to 1/r^2 once spread to 3D, whichever way.
 */
static void test_free_space(void **state)
{
    (void)state;
    static const double exponent[] = {-1.0, -2.0, -2.0}, tolerance[] = {0.01, 0.01, 0.1}; /* dB */
    static const double distances[] = {1.0, 2.56, 4.7, 11.3, 40.0};
    for (int n = 0; n < 15; n++) {
        pw_spreading mode = (pw_spreading)(n % 3);
        double r = distances[n / 3], mean = 0.0;
        struct channel_band band;
        struct channel channel;
        band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_HANN, 8, mode), &band);
        double complex gain[COUNT];
        for (int f = 0; f < COUNT; f++) {
            gain[f] = reference_field(band.frequency[f], r) / reference_field(band.frequency[f], 1.0);
            mean += creal(gain[f] * conj(gain[f])) / COUNT;
        }
        channel_give(&band, gain, &channel);
        channel_transform(&band, r, NULL, &channel);
        pw_metrics metrics = channel_metrics(&band, &channel, 20.0, 3.0);
        if (mode == PW_SPREADING_NONE) {
            assert_true(fabs(metrics.path_gain_db - decibel(mean)) < 1e-9);
        }
        assert_true(fabs(metrics.path_gain_db - decibel(pow(r, exponent[mode]))) < tolerance[mode]);
        /* Friis at the middle of the band: the full free-space loss at r. */
        if (exponent[mode] == -2.0) {
            double friis = 20.0 + 3.0 + 20.0 * log10(c0 / (4.0 * pi * 2.4e9 * r));
            assert_true(fabs(metrics.received_power_dbm - friis) < tolerance[mode]);
        }
        /* The direct path arrives when light does. */
        struct channel_delays delays = channel_delays(&band, &channel);
        assert_true(fabs(delays.first_arrival - r / c0) < 0.1 / (COUNT * spacing));
        assert_true(metrics.maximum_excess_delay == 0.0);
        assert_true(metrics.distance == r);
        channel_free(&channel);
        channel_band_free(&band);
    }
}

/* A flat channel has a tap of power 1 whatever the window: the windows have a mean amplitude of one. */
static void test_window_normalisation(void **state)
{
    (void)state;
    for (int w = PW_WINDOW_HANN; w <= PW_WINDOW_KAISER; w++) {
        for (int padding = 1; padding <= 8; padding *= 8) {
            struct channel_band band;
            struct channel channel;
            band_make(lowest, spacing, COUNT, options_make((pw_window)w, padding, PW_SPREADING_NONE), &band);
            double complex gain[COUNT];
            for (int f = 0; f < COUNT; f++) {
                gain[f] = ray(band.frequency[f], 1.0, 40.0 / (COUNT * spacing));
            }
            channel_give(&band, gain, &channel);
            channel_transform(&band, 10.0, NULL, &channel);
            struct channel_delays delays = channel_delays(&band, &channel);
            assert_true(fabs(delays.peak - 1.0) < 1e-9);
            assert_true(fabs(channel_path_gain(&band, &channel) - 1.0) < 1e-9);
            channel_free(&channel);
            channel_band_free(&band);
        }
    }
}

/* Two rays between the bins: delays within a tenth of a bin, powers within 0.1 dB, and the metrics of two Dirac pulses.
 */
static void test_two_rays(void **state)
{
    (void)state;
    const double bin = 1.0 / (COUNT * spacing), delay[2] = {20.37e-9, 71.9e-9}, amplitude[2] = {0.5, 0.2};
    struct channel_band band;
    struct channel channel;
    band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_HANN, 8, PW_SPREADING_NONE), &band);
    double complex gain[COUNT];
    for (int f = 0; f < COUNT; f++) {
        gain[f] = ray(band.frequency[f], amplitude[0], delay[0]) - ray(band.frequency[f], amplitude[1], delay[1]);
    }
    channel_give(&band, gain, &channel);
    channel_transform(&band, delay[0] * c0, NULL, &channel);
    struct channel_path paths[8];
    assert_int_equal(channel_paths(&band, &channel, paths, 8), 2);
    for (int p = 0; p < 2; p++) {
        assert_true(fabs(paths[p].delay - delay[p]) < 0.1 * bin);
        double power = paths[p].re * paths[p].re + paths[p].im * paths[p].im;
        assert_true(fabs(decibel(power) - 2.0 * decibel(amplitude[p])) < 0.1);
        /* Baseband phase: -2 pi fc tau, and half a turn for the second. */
        double complex expected = cexp(-I * 2.0 * pi * band.centre * delay[p]) * (p == 0 ? 1.0 : -1.0);
        double complex found = (paths[p].re + I * paths[p].im) / sqrt(power);
        assert_true(cabs(found - expected) < 0.02);
    }
    pw_metrics metrics = channel_metrics(&band, &channel, 0.0, 0.0);
    double p0 = 0.25, p1 = 0.04, apart = delay[1] - delay[0], total = p0 + p1;
    double spread = sqrt(p0 * p1) / total * apart, window = bin / sqrt(3.0);
    assert_true(fabs(metrics.mean_excess_delay - p1 / total * apart) < 0.1 * bin);
    assert_true(fabs(metrics.maximum_excess_delay - apart) < 0.1 * bin);
    assert_true(fabs(metrics.rms_delay_spread / hypot(spread, window) - 1.0) < 0.01);
    assert_true(fabs(metrics.path_gain_db - decibel(total)) < 0.1);
    channel_free(&channel);
    channel_band_free(&band);
}

/* Spreading by delay acts on each echo by its own length: 1 m/(c tau) in power. */
static void test_spreading_by_delay(void **state)
{
    (void)state;
    const double bin = 1.0 / (COUNT * spacing), delay[2] = {12 * bin, 60 * bin};
    struct channel_band band;
    struct channel channel;
    band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_HANN, 1, PW_SPREADING_DELAY), &band);
    double complex gain[COUNT];
    for (int f = 0; f < COUNT; f++) {
        gain[f] = ray(band.frequency[f], 1.0, delay[0]) + ray(band.frequency[f], 1.0, delay[1]);
    }
    channel_give(&band, gain, &channel);
    channel_transform(&band, delay[0] * c0, NULL, &channel);
    for (int p = 0; p < 2; p++) {
        int tap = (int)lround(delay[p] / band.bin) + band.guard;
        assert_true(fabs(channel_delay(&band, tap) - delay[p]) < 1e-15);
        assert_true(fabs(channel.power[tap] * c0 * delay[p] - 1.0) < 1e-9);
    }
    /* Hann puts a quarter of the peak's power on the bins beside it; those before the direct path count at d (d + b)/(d
     * + 2 b). */
    double expected = (1.0 + 0.25 * 14.0 / 13.0 + 0.25 * 12.0 / 13.0) / (c0 * delay[0]) +
                      (1.0 + 0.25 * 60.0 / 59.0 + 0.25 * 60.0 / 61.0) / (c0 * delay[1]);
    double mean = 0.0;
    for (int f = 0; f < COUNT; f++) {
        mean += creal(gain[f] * conj(gain[f])) / COUNT;
    }
    assert_true(fabs(channel_path_gain(&band, &channel) / (mean * expected / 3.0) - 1.0) < 1e-9);
    channel_free(&channel);
    channel_band_free(&band);
}

/* Close to the transmitter, and at it, the spreading stays finite and nothing turns up at the far end of the axis. */
static void test_near_transmitter(void **state)
{
    (void)state;
    static const double distances[] = {0.0, 0.1, 0.6};
    for (int d = 0; d < 3; d++) {
        struct channel_band band;
        struct channel channel;
        band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_HANN, 4, PW_SPREADING_DELAY), &band);
        double complex gain[COUNT];
        for (int f = 0; f < COUNT; f++) {
            gain[f] = ray(band.frequency[f], 1.0, distances[d] / c0);
        }
        channel_give(&band, gain, &channel);
        channel_transform(&band, distances[d], NULL, &channel);
        pw_metrics metrics = channel_metrics(&band, &channel, 0.0, 0.0);
        assert_true(isfinite(metrics.path_gain_db));
        assert_true(metrics.rms_delay_spread < 0.7 / (COUNT * spacing));
        assert_true(metrics.maximum_excess_delay == 0.0);
        channel_free(&channel);
        channel_band_free(&band);
    }
}

/* Frequencies without current are masked: whatever stands there does not count, and nothing is amplified. */
static void test_masked_bins(void **state)
{
    (void)state;
    double frequency[COUNT], current[2 * COUNT] = {0}, ez[2 * COUNT];
    for (int f = 0; f < COUNT; f++) {
        frequency[f] = lowest + f * spacing;
        current[2 * f] = f < 30 ? 0.5e-2 : 1.0; /* -46 dB at the lower end */
        double complex field = f < 30 ? NAN : 0.5 * current[2 * f] * reference_field(frequency[f], 1.0);
        ez[2 * f] = creal(field);
        ez[2 * f + 1] = cimag(field);
    }
    pw_channel_options options = options_make(PW_WINDOW_HANN, 4, PW_SPREADING_NONE);
    struct channel_band band;
    struct channel channel;
    assert_int_equal(channel_band_create(2, frequency, COUNT, current, &options, &band, NULL), PW_OK);
    assert_int_equal(band.usable_count, COUNT - 30);
    assert_int_equal(channel_create(&band, &channel, NULL), PW_OK);
    channel_set_field(&band, ez, 1, &channel);
    channel_transform(&band, 1.0, NULL, &channel);
    assert_true(fabs(channel_path_gain(&band, &channel) - 0.25) < 1e-12);
    assert_true(fabs(channel_delays(&band, &channel).peak - 0.25) < 0.01);
    channel_free(&channel);
    channel_band_free(&band);
}

/* Few frequencies: a path gain, no delays, no crash. */
static void test_single_frequency(void **state)
{
    (void)state;
    struct channel_band band;
    struct channel channel;
    band_make(2.4e9, 1.0, 1, options_make(PW_WINDOW_HANN, 4, PW_SPREADING_DELAY), &band);
    double complex gain[1] = {0.1};
    channel_give(&band, gain, &channel);
    channel_transform(&band, 5.0, NULL, &channel);
    pw_metrics metrics = channel_metrics(&band, &channel, 20.0, 0.0);
    assert_true(fabs(metrics.path_gain_db - decibel(0.01 / 5.0)) < 1e-9);
    assert_true(isnan(metrics.rms_delay_spread) && isnan(metrics.rician_k_db) && isnan(metrics.coherence_bandwidth_50));
    channel_free(&channel);
    channel_band_free(&band);
}

/* No field at all, and fields that are not numbers. */
static void test_dead_and_broken_fields(void **state)
{
    (void)state;
    static const double values[] = {0.0, NAN, INFINITY};
    for (int v = 0; v < 3; v++) {
        struct channel_band band;
        struct channel channel;
        band_make(lowest, spacing, COUNT, pw_channel_options_default(), &band);
        double complex gain[COUNT];
        for (int f = 0; f < COUNT; f++) {
            gain[f] = values[v];
        }
        channel_give(&band, gain, &channel);
        channel_transform(&band, 5.0, NULL, &channel);
        pw_metrics metrics = channel_metrics(&band, &channel, 20.0, 0.0);
        assert_true(isnan(metrics.path_gain_db) && isnan(metrics.rms_delay_spread) && isnan(metrics.rician_k_db));
        assert_int_equal(channel_paths(&band, &channel, NULL, 0), 0);
        channel_free(&channel);
        channel_band_free(&band);
    }
}

/* A chirp over the band is as flat in delay as in frequency: all of it is floor, and its delays mean nothing. */
static void test_nothing_over_the_floor(void **state)
{
    (void)state;
    struct channel_band band;
    struct channel channel;
    band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_RECT, 1, PW_SPREADING_NONE), &band);
    double complex gain[COUNT];
    for (int f = 0; f < COUNT; f++) {
        gain[f] = cexp(I * pi * f * f / COUNT) * cexp(I * 2.0 * pi * band.frequency[f] / c0);
    }
    channel_give(&band, gain, &channel);
    channel_transform(&band, 5.0, NULL, &channel);
    pw_metrics metrics = channel_metrics(&band, &channel, 20.0, 0.0);
    struct channel_delays delays = channel_delays(&band, &channel);
    assert_true(fabs(delays.noise_floor / delays.peak - 1.0) < 1e-6);
    assert_true(isnan(metrics.rms_delay_spread) && isnan(metrics.mean_excess_delay) &&
                isnan(metrics.maximum_excess_delay));
    assert_true(fabs(metrics.path_gain_db) < 1e-9);
    channel_free(&channel);
    channel_band_free(&band);
}

static void refuse(pw_channel_options options, const char *word)
{
    pw_error error = {""};
    assert_int_equal(pw_channel_options_check(&options, &error), PW_USAGE);
    assert_non_null(strstr(error.message, word));
}

static void test_options_refused(void **state)
{
    (void)state;
    pw_channel_options options = pw_channel_options_default();
    assert_int_equal(pw_channel_options_check(&options, NULL), PW_OK);
    options.padding = 0;
    refuse(options, "padding");
    options.padding = 65;
    refuse(options, "64");
    options = pw_channel_options_default();
    options.threshold_db = 0.0;
    refuse(options, "threshold");
    options.threshold_db = NAN;
    refuse(options, "threshold");
    options = pw_channel_options_default();
    options.noise_margin_db = -1.0;
    refuse(options, "noise");
    options = pw_channel_options_default();
    options.window = PW_WINDOW_KAISER;
    options.kaiser_beta = -2.0;
    refuse(options, "Kaiser");
    options.window = (pw_window)7;
    refuse(options, "window");
    options = pw_channel_options_default();
    options.spreading = (pw_spreading)-1;
    refuse(options, "spreading");
}

static void test_frequencies_refused(void **state)
{
    (void)state;
    pw_channel_options options = pw_channel_options_default();
    struct channel_band band;
    pw_error error = {""};
    double uneven[3] = {1e9, 1.1e9, 1.3e9}, falling[2] = {2e9, 1e9}, good[2] = {1e9, 2e9};
    double current[6] = {1, 0, 1, 0, 1, 0}, none[6] = {0};
    assert_int_equal(channel_band_create(2, uneven, 3, current, &options, &band, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "equal spacing"));
    assert_int_equal(channel_band_create(2, falling, 2, current, &options, &band, &error), PW_BAD_INPUT);
    assert_int_equal(channel_band_create(2, good, 0, current, &options, &band, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "spectra.count"));
    assert_int_equal(channel_band_create(2, good, 2, none, &options, &band, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "current"));
}

/* Ends and shape of the published tables; luminance of viridis rises all the way. */
static void test_colours(void **state)
{
    (void)state;
    pw_colour low_end = colormap_at(PW_COLORMAP_VIRIDIS, -1.0), high_end = colormap_at(PW_COLORMAP_VIRIDIS, 2.0);
    assert_true(low_end.red == 0x44 && low_end.green == 0x01 && low_end.blue == 0x54);
    assert_true(high_end.red == 0xfd && high_end.green == 0xe7 && high_end.blue == 0x25);
    pw_colour turbo = colormap_at(PW_COLORMAP_TURBO, 0.0), none = colormap_at(PW_COLORMAP_VIRIDIS, NAN);
    assert_true(turbo.red == 0x30 && turbo.green == 0x12 && turbo.blue == 0x3b);
    assert_true(none.red == 128 && none.green == 128 && none.blue == 128);
    double before = -1.0;
    for (int n = 0; n < PW_COLORMAP_SIZE; n += 5) {
        pw_colour colour = pw_colormap_entry(PW_COLORMAP_VIRIDIS, n);
        double luminance =
            0.2126 * pow(colour.red, 2.2) + 0.7152 * pow(colour.green, 2.2) + 0.0722 * pow(colour.blue, 2.2);
        assert_true(luminance > before);
        before = luminance;
    }
    assert_true(pw_colormap_category(8).red == pw_colormap_category(0).red &&
                pw_colormap_category(-1).red == pw_colormap_category(7).red);
}

static void test_help_names_what_is_reported(void **state)
{
    (void)state;
    static const char *const words[] = {"Mean excess delay",
                                        "RMS delay spread",
                                        "Rician K",
                                        "Coherence bandwidth",
                                        "30 dB",
                                        "6 dB",
                                        "Hann",
                                        "P.1407",
                                        "noise floor",
                                        "Friis",
                                        "Maximum excess",
                                        "Path gain",
                                        "Received power",
                                        "SNR",
                                        "SINR",
                                        "Best server",
                                        "Local mean",
                                        "290 K",
                                        "Tapped delay line",
                                        "Touchstone",
                                        "Hold-out"};
    for (size_t n = 0; n < sizeof words / sizeof *words; n++) {
        assert_non_null(strcasestr(pw_channel_help(), words[n]));
    }
}

/* Largest error of a response by delay against the sum over paths of an amplitude each at its length [m], which have
 * 1/sqrt(length) of that in the plane and 1/length in space, with `rise` that of the slanted path; carriers turn as in
 * the plane. Relative to the largest amplitude in space. */
static double response_error(double width, int count, int paths, const double *length, const double *amplitude,
                             double rise)
{
    enum { MOST = 256 };
    struct channel_band band;
    struct channel channel;
    double complex gain[MOST];
    double taps[2 * MOST], delay[MOST], worst = 0.0, largest = 0.0;
    band_make(2.4e9 - 0.5 * width, width / (count - 1), count, options_make(PW_WINDOW_RECT, 1, PW_SPREADING_DELAY),
              &band);
    for (int f = 0; f < count; f++) {
        gain[f] = 0.0;
        for (int p = 0; p < paths; p++) {
            gain[f] += ray(band.frequency[f], amplitude[p] / sqrt(length[p]), length[p] / c0);
        }
    }
    channel_give(&band, gain, &channel);
    const struct slant slant = {.rise = rise, .exact = true};
    channel_transform(&band, length[0], &slant, &channel);
    channel_taps_fill(&band, &channel, taps, delay);
    for (int f = 0; f < count; f++) {
        double complex sum = 0.0, right = 0.0;
        for (int n = 0; n < band.tap_count; n++) {
            sum += (taps[2 * n] + I * taps[2 * n + 1]) *
                   cexp(-2.0 * I * pi * (band.frequency[f] - band.centre) * delay[n]);
        }
        for (int p = 0; p < paths; p++) {
            double space = hypot(length[p], rise);
            right += amplitude[p] / space * cexp(-2.0 * I * pi * band.centre * length[p] / c0) *
                     cexp(-2.0 * I * pi * (band.frequency[f] - band.centre) * space / c0);
        }
        worst = fmax(worst, cabs(sum - right));
        largest = fmax(largest, cabs(right));
    }
    channel_free(&channel);
    channel_band_free(&band);
    return worst / largest;
}

/* Free space is Friis's at every frequency of the band, also where the band does not tell the path's delay from zero;
 * an echo beside it is nearly. */
static void test_response_of_free_space(void **state)
{
    (void)state;
    static const double lengths[] = {0.3, 0.5, 1.0, 2.0, 3.3, 7.0, 30.0}, widths[] = {20e6, 100e6, 400e6, 1e9},
                        one = 1.0;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
            assert_true(response_error(widths[w], 128, 1, &lengths[n], &one, 0.0) < 1e-9);
            assert_true(response_error(widths[w], 128, 1, &lengths[n], &one, -1.5) < 1e-9);
        }
    }
    static const double amplitude[] = {1.0, 0.8}, far[] = {3.0, 12.0};
    assert_true(response_error(400e6, 128, 2, far, amplitude, 0.0) < 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_response_of_free_space),
        cmocka_unit_test(test_hankel_table),
        cmocka_unit_test(test_line_current_far_field),
        cmocka_unit_test(test_free_space),
        cmocka_unit_test(test_window_normalisation),
        cmocka_unit_test(test_two_rays),
        cmocka_unit_test(test_spreading_by_delay),
        cmocka_unit_test(test_near_transmitter),
        cmocka_unit_test(test_masked_bins),
        cmocka_unit_test(test_single_frequency),
        cmocka_unit_test(test_dead_and_broken_fields),
        cmocka_unit_test(test_nothing_over_the_floor),
        cmocka_unit_test(test_options_refused),
        cmocka_unit_test(test_frequencies_refused),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_help_names_what_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
