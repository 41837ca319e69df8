/* Metrics of many paths against closed forms: an exponential profile, a Rician set, the coherence bandwidth of two
 * rays, and that padding moves none of them. Nothing here was taken from the program's own output. */
#include "tests/support/check.h"

#include "tests/channel/given_channel.h"

/* Exponential profile on the bins, random phases, no window: the spread of the geometric series cut at the threshold.
 */
static void test_exponential_profile(void **state)
{
    (void)state;
    const double bin = 1.0 / (COUNT * spacing), decay = 12.0; /* bins */
    pw_channel_options options = options_make(PW_WINDOW_RECT, 1, PW_SPREADING_NONE);
    options.threshold_db = 60.0;
    options.noise_margin_db = 0.0;
    struct channel_band band;
    struct channel channel;
    band_make(lowest, spacing, COUNT, options, &band);
    double complex gain[COUNT] = {0};
    for (int tap = 0; tap < 220; tap++) {
        double complex phase = cexp(I * 2.0 * pi * random_uniform());
        for (int f = 0; f < COUNT; f++) {
            gain[f] += phase * ray(band.frequency[f], exp(-0.5 * tap / decay), (tap + 3) * bin);
        }
    }
    channel_give(&band, gain, &channel);
    channel_transform(&band, 3 * bin * c0, NULL, &channel);
    struct channel_delays delays = channel_delays(&band, &channel);
    assert_true(fabs(delays.rms_spread / (decay * bin) - 1.0) < 0.01);
    /* mean of a geometric series with ratio q: q/(1-q) */
    double q = exp(-1.0 / decay);
    assert_true(fabs(delays.mean_excess / (q / (1.0 - q) * bin) - 1.0) < 0.01);
    /* Last quarter of 232 taps, from tap 174 on; its median lies between taps 202 and 203 of the axis, which starts 4
     * bins early. */
    assert_true(fabs(decibel(delays.noise_floor / delays.peak) - decibel(exp(-(203.0 - 7.0) / decay))) < 1.0);
    channel_free(&channel);
    channel_band_free(&band);
}

/* The same profile under the default threshold: the variance of an exponential cut at x = ln 1000 is known too. */
static void test_exponential_cut_at_threshold(void **state)
{
    (void)state;
    const double bin = 1.0 / (COUNT * spacing), decay = 12.0, x = log(1000.0);
    struct channel_band band;
    struct channel channel;
    band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_RECT, 1, PW_SPREADING_NONE), &band);
    double complex gain[COUNT] = {0};
    for (int tap = 0; tap < 220; tap++) {
        for (int f = 0; f < COUNT; f++) {
            gain[f] += ray(band.frequency[f], exp(-0.5 * tap / decay), (tap + 3) * bin);
        }
    }
    channel_give(&band, gain, &channel);
    channel_transform(&band, 3 * bin * c0, NULL, &channel);
    struct channel_delays delays = channel_delays(&band, &channel);
    double variance = 1.0 - x * x * exp(-x) / pow(1.0 - exp(-x), 2.0);
    assert_true(fabs(delays.rms_spread / (decay * bin * sqrt(variance)) - 1.0) < 0.01);
    assert_true(fabs(decibel(delays.threshold / delays.peak) + 30.0) < 1e-9);
    channel_free(&channel);
    channel_band_free(&band);
}

/* Rician set: a steady part and a scattered one whose amplitudes and phases run through the quantiles of their
 * distributions. */
static void test_rician_k(void **state)
{
    (void)state;
    enum { AMPLITUDES = 8000, PHASES = 5, SET = AMPLITUDES * PHASES };
    static const double wanted[] = {0.5, 3.0, 20.0};
    double complex *gain = calloc(SET, sizeof *gain);
    for (int w = 0; w < 3; w++) {
        struct channel_band band;
        struct channel channel;
        band_make(1e9, 1e5, SET, options_make(PW_WINDOW_HANN, 1, PW_SPREADING_NONE), &band);
        for (int n = 0; n < SET; n++) {
            double amplitude = sqrt(-log((n / PHASES + 0.5) / AMPLITUDES));
            gain[n] = sqrt(wanted[w]) + amplitude * cexp(I * 2.0 * pi * (n % PHASES) / PHASES);
        }
        channel_give(&band, gain, &channel);
        assert_true(fabs(channel_rician_k(&band, &channel) / wanted[w] - 1.0) < 0.01);
        channel_free(&channel);
        channel_band_free(&band);
    }
    free(gain);
}

/* Fading deeper than Rayleigh's has no K. */
static void test_rician_undefined(void **state)
{
    (void)state;
    struct channel_band band;
    struct channel channel;
    band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_HANN, 1, PW_SPREADING_NONE), &band);
    double complex gain[COUNT] = {0};
    gain[5] = 1.0;
    channel_give(&band, gain, &channel);
    assert_true(isnan(channel_rician_k(&band, &channel)));
    channel_free(&channel);
    channel_band_free(&band);
}

/* Two rays of powers 1 and b: |R(D)| = |1 + b exp(-j 2 pi D tau)|/(1+b), so cos(2 pi D tau) = (level^2 (1+b)^2 - 1 -
 * b^2)/(2b). */
static void test_coherence_bandwidth(void **state)
{
    (void)state;
    const double delay = 150e-9, b = 0.81;
    static const double level[] = {0.5, 0.9};
    struct channel_band band;
    struct channel channel;
    enum { MANY = 4001 };
    double complex *gain = calloc(MANY, sizeof *gain);
    band_make(2e9, 0.2e6, MANY, options_make(PW_WINDOW_HANN, 1, PW_SPREADING_NONE), &band);
    for (int f = 0; f < MANY; f++) {
        gain[f] = ray(band.frequency[f], 1.0, 30e-9) + ray(band.frequency[f], 0.9, 30e-9 + delay);
    }
    channel_give(&band, gain, &channel);
    for (int n = 0; n < 2; n++) {
        double cosine = (level[n] * level[n] * (1.0 + b) * (1.0 + b) - 1.0 - b * b) / (2.0 * b);
        double expected = acos(cosine) / (2.0 * pi * delay);
        double found = channel_coherence_bandwidth(&band, &channel, level[n]);
        assert_true(fabs(found / expected - 1.0) < 0.01);
    }
    /* One ray never loses coherence. */
    for (int f = 0; f < MANY; f++) {
        gain[f] = 1.0;
    }
    channel_free(&channel);
    channel_give(&band, gain, &channel);
    assert_true(isnan(channel_coherence_bandwidth(&band, &channel, 0.5)));
    free(gain);
    channel_free(&channel);
    channel_band_free(&band);
}

/* The definition, term by term, over pairs of frequencies that the current has both. */
static double correlation_by_definition(const struct channel_band *band, const double complex *gain, int shift)
{
    double complex sum = 0.0;
    double low = 0.0, high = 0.0;
    for (int f = 0; f + shift < band->frequency_count; f++) {
        if (band->usable[f] && band->usable[f + shift]) {
            sum += conj(gain[f]) * gain[f + shift];
            low += pow(cabs(gain[f]), 2);
            high += pow(cabs(gain[f + shift]), 2);
        }
    }
    return cabs(sum) / sqrt(low * high);
}

/* Coherence bandwidths of a current without its edges, and of one with gaps, against the definition; both levels at
 * once are those one by one. */
static void test_coherence_of_masked_bands(void **state)
{
    (void)state;
    for (int gaps = 0; gaps < 2; gaps++) {
        double frequency[COUNT], current[2 * COUNT] = {0};
        double complex gain[COUNT];
        for (int f = 0; f < COUNT; f++) {
            bool masked = f < 11 || f >= COUNT - 17 || (gaps == 1 && f % 9 == 4);
            frequency[f] = lowest + f * spacing;
            current[2 * f] = masked ? 0.0 : 1.0;
            gain[f] = ray(frequency[f], 1.0, 20e-9) + (0.3 + 0.6 * f / COUNT) * ray(frequency[f], 1.0, 41e-9);
        }
        struct channel_band band;
        struct channel channel;
        pw_channel_options options = options_make(PW_WINDOW_HANN, 1, PW_SPREADING_NONE);
        assert_int_equal(channel_band_create(2, frequency, COUNT, current, &options, &band, NULL), PW_OK);
        channel_give(&band, gain, &channel);
        double both[2];
        channel_coherence_bandwidths(&band, &channel, (const double[]){0.95, 0.8}, both);
        for (int n = 0; n < 2; n++) {
            double level = n == 0 ? 0.95 : 0.8, before = 1.0, now = 1.0;
            int shift = 0;
            while (now > level) {
                before = now;
                now = correlation_by_definition(&band, gain, ++shift);
            }
            double expected = (shift - 1 + (before - level) / (before - now)) * spacing;
            assert_true(fabs(both[n] / expected - 1.0) < 1e-9);
            assert_true(channel_coherence_bandwidth(&band, &channel, level) == both[n]);
        }
        channel_free(&channel);
        channel_band_free(&band);
    }
}

/* The metrics hardly move with the zero padding: dense echoes, Hann, 3D. */
static void test_padding_stability(void **state)
{
    (void)state;
    static const int paddings[] = {1, 2, 4, 8, 16};
    double complex gain[COUNT] = {0};
    for (int path = 0; path < 60; path++) {
        double delay = path == 0 ? 20e-9 : 20e-9 + 120e-9 * random_uniform();
        double amplitude = path == 0 ? 1.0 : 0.3 * exp(-(delay - 20e-9) / 60e-9);
        double complex phase = cexp(I * 2.0 * pi * random_uniform());
        for (int f = 0; f < COUNT; f++) {
            gain[f] += phase * ray(lowest + f * spacing, amplitude, delay);
        }
    }
    pw_metrics first = {0};
    for (int p = 0; p < 5; p++) {
        struct channel_band band;
        struct channel channel;
        band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_HANN, paddings[p], PW_SPREADING_DELAY), &band);
        channel_give(&band, gain, &channel);
        channel_transform(&band, 20e-9 * c0, NULL, &channel);
        pw_metrics metrics = channel_metrics(&band, &channel, 0.0, 0.0);
        first = p == 0 ? metrics : first;
        assert_true(fabs(metrics.path_gain_db - first.path_gain_db) < 0.05);
        assert_true(fabs(metrics.rms_delay_spread / first.rms_delay_spread - 1.0) < 0.03);
        assert_true(fabs(metrics.mean_excess_delay - first.mean_excess_delay) < 0.3 / (COUNT * spacing));
        assert_true(metrics.rician_k_db == first.rician_k_db);
        channel_free(&channel);
        channel_band_free(&band);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential_profile),
        cmocka_unit_test(test_exponential_cut_at_threshold),
        cmocka_unit_test(test_rician_k),
        cmocka_unit_test(test_rician_undefined),
        cmocka_unit_test(test_coherence_bandwidth),
        cmocka_unit_test(test_coherence_of_masked_bands),
        cmocka_unit_test(test_padding_stability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
