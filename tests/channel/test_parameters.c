/* Large-scale parameters of made-up places whose law is known: exponent, deviation, reach of the shadowing, means,
 * deviations and correlations come back, and as often within their intervals as these say. */
#include "map/parameters/parameters.h"
#include "tests/support/check.h"

#include <math.h>

enum { SIDE = 40, COUNT = SIDE * SIDE, WAVES = 300, REALISATIONS = 12, DRAWS = 100 };
static const double PITCH = 1.25 /* m */, FREQUENCY = 2.4e9;

static const double EXPONENT = 3.2, INTERCEPT = 42, SHADOW = 5, REACH = 3, DELAY_MEAN = -7.7, DELAY_DEVIATION = 0.18,
                    K_MEAN = 6, K_DEVIATION = 4, DELAY_SHADOW = -0.6, DELAY_K = -0.4;

static uint64_t state = 7;
static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* A field of deviation 1 whose correlation is exp(-distance/REACH), as a sum of waves: of the wave number k the
 * distribution is 1 - 1/sqrt(1 + (k REACH)^2). */
static void field_make(double *field)
{
    for (int n = 0; n < COUNT; n++) {
        field[n] = 0;
    }
    for (int w = 0; w < WAVES; w++) {
        const double k = sqrt(1 / pow(1 - uniform(), 2) - 1) / REACH, way = 2 * M_PI * uniform(),
                     phase = 2 * M_PI * uniform(), size = sqrt(-2 * log(uniform()) / WAVES);
        for (int n = 0; n < COUNT; n++) {
            field[n] += size * cos(k * PITCH * (n % SIDE * cos(way) + (double)(n / SIDE) * sin(way)) + phase);
        }
    }
}

static void samples_make(pw_link_sample *samples)
{
    static double shadow[COUNT], delay[COUNT], k[COUNT];
    field_make(shadow);
    field_make(delay);
    field_make(k);
    for (int n = 0; n < COUNT; n++) {
        pw_link_sample *one = &samples[n];
        *one = (pw_link_sample){.x = PITCH * (n % SIDE), .y = PITCH * (double)(n / SIDE), .angle_spread = NAN};
        one->distance = fmax(1, hypot(one->x - 20.1, one->y - 12.7));
        one->path_loss = INTERCEPT + 10 * EXPONENT * log10(one->distance) - SHADOW * shadow[n];
        const double rest = sqrt(1 - DELAY_SHADOW * DELAY_SHADOW - DELAY_K * DELAY_K),
                     lg = DELAY_SHADOW * shadow[n] + DELAY_K * k[n] + rest * delay[n];
        one->delay_spread = pow(10, DELAY_MEAN + DELAY_DEVIATION * lg);
        one->rician_k = K_MEAN + K_DEVIATION * k[n];
    }
}

/* The profile of paths of these amplitudes, at a band of 1 GHz with a Hann window: the law of its shape. */
enum { BINS = 2000 };
static void profile_make(const double (*path)[2], int paths, double *delay, double *power)
{
    enum { FREQUENCIES = 401 };
    for (int n = 0; n < BINS; n++) {
        double re = 0, im = 0;
        delay[n] = 5e-11 * n;
        for (int f = 0; f < FREQUENCIES; f++) {
            const double at = 1e9 * ((double)f / (FREQUENCIES - 1) - 0.5),
                         window = 2 * pow(cos(M_PI * at / 1e9), 2) / (FREQUENCIES - 1);
            for (int p = 0; p < paths; p++) {
                const double phase = 2 * M_PI * (at * (delay[n] - path[p][0]) - 0.37 * p * p);
                re += path[p][1] * window * cos(phase);
                im += path[p][1] * window * sin(phase);
            }
        }
        power[n] = re * re + im * im;
    }
}

/* Three clusters, of three paths, of two and of one; a fourth path is too weak. */
static void test_known_clusters(void **unused)
{
    (void)unused;
    static double delay[BINS], power[BINS];
    static const double PATHS[][2] = {{10e-9, 1},     {14e-9, 0.8},  {19e-9, 0.5},  {32e-9, 0.3},
                                      {36.5e-9, 0.2}, {60e-9, 0.11}, {80e-9, 0.045}};
    double sum = 0, spread = 0;
    for (int first = 0, c = 0; c < 3; first += 3 - c, c++) {
        double w = 0, x = 0, xx = 0;
        for (int n = first; n < first + 3 - c; n++) {
            const double p = PATHS[n][1] * PATHS[n][1], t = 1e9 * PATHS[n][0];
            w += p, x += p * t, xx += p * t * t;
        }
        spread += xx - x * x / w;
        sum += w;
    }
    profile_make(PATHS, 7, delay, power);
    struct time_clusters found = clusters_find(delay, power, BINS, 25, 6e-9);
    assert_int_equal(found.count, 3);
    assert_true(fabs(1e9 * found.spread / sqrt(spread / sum) - 1) < 0.05);
    assert_int_equal(clusters_find(delay, power, BINS, 28, 6e-9).count, 4); /* the weak one: 26.9 dB under the first */
    assert_int_equal(clusters_find(delay, power, BINS, 25, 4.2e-9).count, 5);
    assert_int_equal(clusters_find(delay, power, BINS, 25, 30e-9).count, 1);
    assert_int_equal(clusters_find(delay, power, 0, 25, 6e-9).count, 0);
    profile_make(PATHS, 1, delay, power);
    found = clusters_find(delay, power, BINS, 25, 6e-9);
    assert_int_equal(found.count, 1);
    assert_true(found.spread == 0);
    assert_true(clusters_resolved(3e-9, 6e-9) && !clusters_resolved(3.1e-9, 6e-9));
}

static void test_known_law(void **unused)
{
    (void)unused;
    static pw_link_sample samples[COUNT];
    static const struct {
        pw_large_scale parameter;
        double truth, bias; /* allowed of the mean over all realisations */
    } KNOWN[] = {{PW_LARGE_EXPONENT, EXPONENT, 0.15},
                 {PW_LARGE_INTERCEPT, INTERCEPT, 2},
                 {PW_LARGE_SHADOW, SHADOW, 0.25},
                 {PW_LARGE_REACH, REACH, 0.6},
                 {PW_LARGE_DELAY_MEAN, DELAY_MEAN, 0.02},
                 {PW_LARGE_DELAY_DEVIATION, DELAY_DEVIATION, 0.012},
                 {PW_LARGE_K_MEAN, K_MEAN, 0.5},
                 {PW_LARGE_K_DEVIATION, K_DEVIATION, 0.25},
                 {PW_LARGE_DELAY_SHADOW, DELAY_SHADOW, 0.05},
                 {PW_LARGE_DELAY_K, DELAY_K, 0.08},
                 {PW_LARGE_SHADOW_K, 0, 0.1}};
    enum { KNOWN_COUNT = sizeof KNOWN / sizeof KNOWN[0] };
    double mean[KNOWN_COUNT] = {0};
    int within = 0, inside[KNOWN_COUNT] = {0};
    for (int r = 0; r < REALISATIONS; r++) {
        pw_parameters found;
        samples_make(samples);
        assert_int_equal(pw_parameters_fit(samples, COUNT, FREQUENCY, DRAWS, &found, NULL), PW_OK);
        assert_int_equal(found.samples, COUNT);
        assert_int_equal(found.angle_samples, 0);
        assert_true(isnan(found.estimate[PW_LARGE_ANGLE_MEAN].value));
        for (int p = 0; p < KNOWN_COUNT; p++) {
            const pw_estimate *one = &found.estimate[KNOWN[p].parameter];
            assert_true(one->low <= one->value + 1e-9 + 0.5 * (one->high - one->low));
            mean[p] += one->value / REALISATIONS;
            inside[p] += one->low <= KNOWN[p].truth && KNOWN[p].truth <= one->high;
            within += one->low <= KNOWN[p].truth && KNOWN[p].truth <= one->high;
        }
    }
    for (int p = 0; p < KNOWN_COUNT; p++) {
        print_message("%-24s %8.3f, true %8.3f, within its interval %d of %d\n",
                      pw_large_scale_name((int)KNOWN[p].parameter), mean[p], KNOWN[p].truth, inside[p], REALISATIONS);
        assert_true(fabs(mean[p] - KNOWN[p].truth) < KNOWN[p].bias);
    }
    assert_true(within > 0.85 * REALISATIONS * KNOWN_COUNT);
}

/* Neighbours that say the same are no more places: intervals do not shrink where each place stands there four times. */
static void test_neighbours(void **unused)
{
    (void)unused;
    static pw_link_sample samples[COUNT], copies[4 * COUNT];
    pw_parameters once, often;
    samples_make(samples);
    for (int n = 0; n < 4 * COUNT; n++) {
        copies[n] = samples[n / 4];
    }
    assert_int_equal(pw_parameters_fit(samples, COUNT, FREQUENCY, DRAWS, &once, NULL), PW_OK);
    assert_int_equal(pw_parameters_fit(copies, 4 * COUNT, FREQUENCY, DRAWS, &often, NULL), PW_OK);
    const pw_estimate *a = &once.estimate[PW_LARGE_EXPONENT], *b = &often.estimate[PW_LARGE_EXPONENT];
    assert_true(fabs(a->value - b->value) < 1e-9);
    assert_true(b->high - b->low > 0.7 * (a->high - a->low));
}

/* What cannot be known is not told. */
static void test_too_few(void **unused)
{
    (void)unused;
    pw_link_sample samples[30];
    pw_parameters found;
    for (int n = 0; n < 30; n++) {
        samples[n] = (pw_link_sample){
            .x = n, .distance = 2 + n, .path_loss = 40 + n, .delay_spread = NAN, .angle_spread = NAN, .rician_k = NAN};
    }
    assert_int_equal(pw_parameters_fit(samples, 19, FREQUENCY, DRAWS, &found, NULL), PW_OK);
    assert_true(isnan(found.estimate[PW_LARGE_EXPONENT].value));
    assert_int_equal(pw_parameters_fit(samples, 0, FREQUENCY, DRAWS, &found, NULL), PW_OK);
    assert_int_equal(found.samples, 0);
    assert_int_equal(pw_parameters_fit(samples, 30, FREQUENCY, 0, &found, NULL), PW_OK);
    assert_true(isfinite(found.estimate[PW_LARGE_EXPONENT].value) && isnan(found.estimate[PW_LARGE_EXPONENT].low));
}

/* Free space has the exponent 2, and its loss at 1 m. */
static void test_free_space(void **unused)
{
    (void)unused;
    static pw_link_sample samples[400];
    pw_parameters found;
    const double loss = 20 * log10(4 * M_PI * FREQUENCY / 299792458.0);
    for (int n = 0; n < 400; n++) {
        const double x = 1 + n % 20, y = (double)(n / 20), distance = hypot(x, y);
        samples[n] = (pw_link_sample){.x = x,
                                      .y = y,
                                      .distance = distance,
                                      .path_loss = loss + 20 * log10(distance),
                                      .delay_spread = NAN,
                                      .angle_spread = NAN,
                                      .rician_k = NAN};
    }
    assert_int_equal(pw_parameters_fit(samples, 400, FREQUENCY, DRAWS, &found, NULL), PW_OK);
    assert_true(fabs(found.estimate[PW_LARGE_EXPONENT].value - 2) < 1e-9);
    assert_true(fabs(found.estimate[PW_LARGE_FREE_EXPONENT].value - 2) < 1e-9);
    assert_true(fabs(found.estimate[PW_LARGE_INTERCEPT].value - loss) < 1e-9);
    assert_true(found.estimate[PW_LARGE_SHADOW].value < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_clusters), cmocka_unit_test(test_known_law),
                                       cmocka_unit_test(test_neighbours), cmocka_unit_test(test_too_few),
                                       cmocka_unit_test(test_free_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
