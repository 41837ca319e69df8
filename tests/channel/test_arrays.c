/* Arrays from the scenario to what their channels carry: in free space the channel between two arrays of four, 3 m
 * apart, is that of the Hankel function, where plane waves are far off; singular values and capacities against closed
 * forms and, of random channels, their statistics. */
#include "tests/support/check.h"
#include "tests/support/text_solve.h"

#include "map/map.h"
#include "planwave.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double c0 = 299792458.0;
enum { ELEMENTS = 4, NEAR = 2, FREQUENCIES = 12 };

static char folder[] = "/tmp/planwave-arrays-XXXXXX";
static char result_path[64];

static const char scenario_text[] =
    "title: Two arrays\n"
    "plan: {size: [4 m, 2 m]}\n"
    "grid: {scheme: fd4o, cell: 1.25 cm}\n"
    "band: {centre: 1.2 GHz, width: 200 MHz}\n"
    "transmitters:\n"
    "  - {name: ap, at: [0.5 m, 1 m], power: 20 dBm,\n"
    "     antenna: {array: ula, elements: 4, spacing: 1 wavelength, bearing: 90 deg}}\n"
    "receivers:\n"
    "  - {name: user, at: [3.5 m, 1 m], antenna: {array: ula, elements: 4, bearing: 250 deg}}\n"
    "  - {name: near, at: [3 m, 1.203 m], antenna: {array: ula, elements: 2, spacing: 2 cm, bearing: 20 deg}}\n"
    "spectra: {count: 12, spacing: 8 cells}\n"
    "stop: {after: 35 ns, decay: off}\n";

static int run_once(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(result_path, sizeof result_path, "%s/free.h5", folder);
    return text_solve(scenario_text, NULL, 0, PW_DOUBLE, "cpu", result_path) ? 0 : -1;
}

static int remove_all(void **state)
{
    (void)state;
    return folder_delete(folder);
}

static pw_result *result_open(void)
{
    pw_result *result = NULL;
    pw_error error = {""};
    if (pw_result_open(result_path, &result, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return result;
}

/* Where element n of four stands, counted from the left as seen from the front. */
static void element_at(double x, double y, double bearing, double pitch, int count, int n, double at[2])
{
    const double aside = (0.5 * (count - 1) - n) * pitch;
    at[0] = x + aside * cos(bearing);
    at[1] = y - aside * sin(bearing);
}

/* Between isotropic antennas, in two dimensions, the delay of the reference at 1 m given back. */
static double complex law(double frequency, double distance)
{
    const double k = 2 * M_PI * frequency / c0;
    return c0 / (4 * M_PI * 1.2e9) * (j0(k * distance) - I * y0(k * distance)) / (j0(k) - I * y0(k)) * cexp(-I * k);
}

static pw_pairs_options pairs_of(const char *const *transmitter, const pw_place *place)
{
    pw_pairs_options options = pw_pairs_options_default();
    options.channel.spreading = PW_SPREADING_NONE;
    options.transmitters = transmitter;
    options.transmitter_count = 1;
    options.places = place;
    options.place_count = 1;
    return options;
}

static void test_near_field(void **state)
{
    (void)state;
    static const char *const ap[] = {"ap"};
    static const pw_place user = {.receiver = "user"};
    pw_result *result = result_open();
    const pw_pairs_options options = pairs_of(ap, &user);
    pw_pairs_shape shape;
    static double complex found[ELEMENTS][ELEMENTS][FREQUENCIES];
    double frequency[FREQUENCIES], position[ELEMENTS][2];
    pw_error error = {""};
    assert_int_equal(pw_pairs_describe(result, &options, &shape, &error), PW_OK);
    assert_int_equal(shape.receiver_count, ELEMENTS);
    assert_int_equal(shape.transmitter_count, ELEMENTS);
    assert_int_equal(shape.receiver_ports, ELEMENTS);
    assert_int_equal(shape.transmitter_ports, ELEMENTS);
    const pw_pairs pairs = {.frequency = frequency, .position = position[0], .response = (double *)found};
    assert_int_equal(pw_pairs_compute(result, &options, &pairs, &error), PW_OK);
    const double wave = c0 / 1.2e9;
    double off = 0, plane_off = 0, all = 0;
    for (int r = 0; r < ELEMENTS; r++) {
        double at[2], from[2];
        element_at(3.5, 1, 250 * M_PI / 180, 0.5 * wave, ELEMENTS, r, at);
        assert_true(hypot(at[0] - position[r][0], at[1] - position[r][1]) < 1e-12);
        for (int t = 0; t < ELEMENTS; t++) {
            element_at(0.5, 1, M_PI / 2, wave, ELEMENTS, t, from);
            for (int f = 0; f < FREQUENCIES; f++) {
                const double complex true_one = law(frequency[f], hypot(at[0] - from[0], at[1] - from[1]));
                const double complex plane = law(frequency[f], 3 + (at[0] - 3.5) - (from[0] - 0.5));
                off += pow(cabs(found[r][t][f] - true_one), 2);
                plane_off += pow(cabs(plane - true_one), 2);
                all += pow(cabs(true_one), 2);
                assert_true(cabs(found[r][t][f] / true_one - 1) < 0.01);
            }
        }
    }
    print_message("H is off by %.3f %%, the plane-wave model by %.1f %%\n", 100 * sqrt(off / all),
                  100 * sqrt(plane_off / all));
    assert_true(sqrt(off / all) < 0.005);
    assert_true(sqrt(plane_off / all) > 0.2);
    pw_result_close(result);
}

/* Antennas that stand closer together than the points of the spectra are still two channels. */
static void test_two_close_antennas(void **state)
{
    (void)state;
    static const char *const ap[] = {"ap"};
    static const pw_place near = {.receiver = "near"};
    pw_result *result = result_open();
    const pw_pairs_options options = pairs_of(ap, &near);
    static double complex found[NEAR][ELEMENTS][FREQUENCIES];
    double frequency[FREQUENCIES];
    pw_error error = {""};
    const pw_pairs pairs = {.frequency = frequency, .response = (double *)found};
    assert_int_equal(pw_pairs_compute(result, &options, &pairs, &error), PW_OK);
    for (int t = 0; t < ELEMENTS; t++) {
        double from[2], at[NEAR][2];
        element_at(0.5, 1, M_PI / 2, c0 / 1.2e9, ELEMENTS, t, from);
        for (int n = 0; n < NEAR; n++) {
            element_at(3, 1.203, 20 * M_PI / 180, 0.02, NEAR, n, at[n]);
        }
        for (int f = 0; f < FREQUENCIES; f++) {
            const double complex ratio = law(frequency[f], hypot(at[1][0] - from[0], at[1][1] - from[1])) /
                                         law(frequency[f], hypot(at[0][0] - from[0], at[0][1] - from[1]));
            assert_true(cabs(ratio - 1) > 0.3); /* they differ much more than the error */
            assert_true(cabs(found[1][t][f] / found[0][t][f] / ratio - 1) < 0.005);
        }
    }
    pw_result_close(result);
}

/* The table of a link is what the library's functions say of its H; stations of two sizes do not fit together. */
static void test_table(void **state)
{
    (void)state;
    static const char *const ap[] = {"ap"};
    static const pw_place user = {.receiver = "user"};
    pw_result *result = result_open();
    pw_mimo_options options = pw_mimo_options_default();
    pw_error error = {""};
    char csv[96], line[1024], last[1024] = "";
    snprintf(csv, sizeof csv, "%s/mimo.csv", folder);
    const pw_mimo_files files = {.csv = csv};
    assert_int_equal(pw_mimo_write(result, &options, &files, NULL, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "different numbers of antennas"));
    assert_int_equal(access(csv, F_OK), -1);
    options.pairs = pairs_of(ap, &user);
    options.snr = 20;
    if (pw_mimo_write(result, &options, &files, NULL, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    FILE *file = fopen(csv, "r");
    while (fgets(line, sizeof line, file) != NULL) {
        memcpy(last, line, sizeof last);
    }
    fclose(file);
    double complex found[ELEMENTS][ELEMENTS][FREQUENCIES];
    const pw_pairs pairs = {.response = (double *)found};
    assert_int_equal(pw_pairs_compute(result, &options.pairs, &pairs, &error), PW_OK);
    const pw_mimo_channel channel = {.response = (const double *)found,
                                     .receivers = ELEMENTS,
                                     .transmitters = ELEMENTS,
                                     .frequency_count = FREQUENCIES,
                                     .receiver_shape = {1, ELEMENTS, 1},
                                     .transmitter_shape = {1, ELEMENTS, 1}};
    pw_mimo_metrics metrics;
    assert_int_equal(pw_mimo_read(&channel, NAN, &options, &metrics, NULL, &error), PW_OK);
    double x, y, distance, gain, snr, rank, condition, capacity, water;
    int sent, taken;
    assert_int_equal(sscanf(last, "\"ap\",\"user\",%lf,%lf,%lf,%d,%d,%lf,%lf,%lf,%lf,%lf,%lf", &x, &y, &distance, &sent,
                            &taken, &gain, &snr, &rank, &condition, &capacity, &water),
                     11);
    assert_true(fabs(x - 3.5) < 1e-9 && fabs(y - 1) < 1e-9 && fabs(distance - 3) < 1e-5);
    assert_true(sent == ELEMENTS && taken == ELEMENTS && fabs(snr - 20) < 1e-9);
    assert_true(fabs(gain - metrics.gain_db) < 1e-3 && fabs(rank - metrics.rank) < 1e-4);
    assert_true(fabs(capacity - metrics.capacity) < 1e-4 && fabs(water - metrics.water_capacity) < 1e-4);
    assert_true(metrics.water_capacity >= metrics.capacity && metrics.rank >= 1 && metrics.rank <= ELEMENTS);
    pw_result_close(result);
}

/* With one station alone nothing interferes, however many antennas it has. */
static void test_antennas_of_a_station_do_not_interfere(void **state)
{
    (void)state;
    pw_result *result = result_open();
    struct map map[2];
    pw_error error = {""};
    for (int n = 0; n < 2; n++) {
        pw_map_options options = pw_map_options_default();
        options.quantity = n == 0 ? PW_SNR : PW_SINR;
        if (map_compute(result, &options, &map[n], &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
    }
    for (int n = 0; n < map[0].rows * map[0].columns; n++) {
        assert_true(fabs(map[0].value[n] - map[1].value[n]) < 1e-9);
    }
    map_free(&map[0]);
    map_free(&map[1]);
    pw_result_close(result);
}

/* ---- closed forms ------------------------------------------------------------------------------------------------ */

/* U diag(values) V^H of DFT matrices, so that the singular values are known. */
static void test_known_singular_values(void **state)
{
    (void)state;
    enum { ROWS = 5, COLUMNS = 3 };
    static const double values[COLUMNS] = {3, 1, 1e-9};
    double complex matrix[ROWS][COLUMNS], transposed[COLUMNS][ROWS];
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) {
            matrix[r][c] = 0;
            for (int s = 0; s < COLUMNS; s++) {
                matrix[r][c] += values[s] * cexp(2 * M_PI * I * (r * s / (double)ROWS - c * s / (double)COLUMNS)) /
                                sqrt(ROWS * COLUMNS);
            }
            transposed[c][r] = matrix[r][c];
        }
    }
    for (int way = 0; way < 2; way++) {
        double found[COLUMNS];
        const double *of = way == 0 ? (const double *)matrix : (const double *)transposed;
        assert_int_equal(
            pw_mimo_singular_values(of, 1, way == 0 ? ROWS : COLUMNS, way == 0 ? COLUMNS : ROWS, found, NULL), PW_OK);
        for (int s = 0; s < COLUMNS; s++) {
            assert_true(fabs(found[s] - values[s]) < 1e-14);
        }
    }
    assert_true(fabs(pw_mimo_capacity(values, COLUMNS, 4, 8, false) - (log2(1 + 2 * 9) + log2(1 + 2 * 1))) < 1e-12);
    matrix[4][1] = NAN;
    pw_error error = {""};
    double found[COLUMNS];
    assert_int_equal(pw_mimo_singular_values((const double *)matrix, 1, ROWS, COLUMNS, found, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "row 5 and column 2"));
}

/* Noise of streams 1/9 and 1: 4 of power stand at (4 + 1/9 + 1)/2, 0.5 all goes to the first. */
static void test_water_filling(void **state)
{
    (void)state;
    static const double values[] = {3, 1, 0};
    const double level = (1 + (1.0 / 9 + 1) / 4) / 2;
    const double both = log2(4 * 9 * level) + log2(4 * level);
    assert_true(fabs(pw_mimo_capacity(values, 3, 3, 4, true) - both) < 1e-12);
    assert_true(fabs(pw_mimo_capacity(values, 3, 3, 0.5, true) - log2(1 + 0.5 * 9)) < 1e-12);
    assert_true(pw_mimo_capacity(values, 3, 3, 4, true) > pw_mimo_capacity(values, 3, 3, 4, false));
    assert_true(pw_mimo_capacity((const double[]){0, 0}, 2, 2, 10, true) == 0);
}

/* One of a standard normal distribution, by Box and Muller. */
static double complex normal(uint64_t *seed)
{
    double u[2];
    for (int n = 0; n < 2; n++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        u[n] = ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
    }
    return sqrt(-log(u[0])) * cexp(2 * M_PI * I * u[1]);
}

/* Rayleigh channels without correlation: 4 x 4 at 20 dB carry 22.14 bit/s/Hz in the mean (Telatar 1999, his integral
 * over Laguerre polynomials, evaluated apart from this code), with a standard deviation under 1.7; 1 x 1 5.88. No beam
 * is better than another, and correlations are as small as so many samples let them be. */
static void test_independent(void **state)
{
    (void)state;
    enum { SAMPLES = 4000 };
    double complex(*h)[ELEMENTS][SAMPLES] = malloc(ELEMENTS * sizeof *h);
    uint64_t seed = 7;
    double single = 0;
    for (int n = 0; n < ELEMENTS * ELEMENTS * SAMPLES; n++) {
        ((double complex *)h)[n] = normal(&seed);
    }
    const pw_mimo_channel channel = {.response = (const double *)h,
                                     .receivers = ELEMENTS,
                                     .transmitters = ELEMENTS,
                                     .frequency_count = SAMPLES,
                                     .receiver_shape = {1, 2, 2},
                                     .transmitter_shape = {2, 1, 2}};
    pw_mimo_options options = pw_mimo_options_default();
    pw_mimo_metrics metrics;
    options.snr = 20;
    assert_int_equal(pw_mimo_read(&channel, NAN, &options, &metrics, NULL, NULL), PW_OK);
    for (int n = 0; n < SAMPLES; n++) {
        single += pw_mimo_capacity((const double[]){cabs(h[0][0][n])}, 1, 1, 100, false) / SAMPLES;
    }
    print_message("capacity %.3f, single %.3f, beam %.3f dB, correlation %.4f, cross-polar %.3f dB\n", metrics.capacity,
                  single, metrics.transmitter_beam_db, metrics.transmitter_correlation, metrics.cross_polar_db);
    assert_true(fabs(single - 5.884) < 4 * 1.7 / sqrt(SAMPLES)); /* e^(1/snr) E1(1/snr)/ln 2 */
    assert_true(fabs(metrics.capacity - 22.139) < 4 * 1.7 / sqrt(SAMPLES));
    assert_true(fabs(metrics.gain_db) < 0.1 && fabs(metrics.cross_polar_db) < 0.2);
    assert_true(metrics.transmitter_beam_db < 0.2 && metrics.receiver_correlation < 3 / sqrt(4 * SAMPLES));
    free(h);
}

/* One wave: rank 1, and the beam that matches it gains all elements at both ends. */
static void test_one_wave(void **state)
{
    (void)state;
    enum { SENT = 8 };
    double complex h[ELEMENTS][SENT];
    for (int r = 0; r < ELEMENTS; r++) {
        for (int t = 0; t < SENT; t++) { /* rows 2, columns 4: beam 1 down, beam 3 across */
            h[r][t] = cexp(-2 * M_PI * I * (t % 2 / 2.0 + t / 2 * 3 / 4.0)) * cexp(2 * M_PI * I * r / 4.0);
        }
    }
    const pw_mimo_channel channel = {.response = (const double *)h,
                                     .receivers = ELEMENTS,
                                     .transmitters = SENT,
                                     .frequency_count = 1,
                                     .receiver_shape = {1, 4, 1},
                                     .transmitter_shape = {2, 4, 1}};
    pw_mimo_options options = pw_mimo_options_default();
    pw_mimo_metrics metrics;
    double values[ELEMENTS];
    assert_int_equal(pw_mimo_read(&channel, 10, &options, &metrics, values, NULL), PW_OK);
    assert_true(fabs(values[0] - sqrt(ELEMENTS * SENT)) < 1e-12 && values[1] < 1e-12);
    assert_true(metrics.rank == 1 && fabs(metrics.snr_db - 10) < 1e-9);
    assert_true(fabs(metrics.capacity - log2(1 + 10.0 / SENT * ELEMENTS * SENT)) < 1e-9);
    assert_true(fabs(metrics.water_capacity - log2(1 + 10.0 * ELEMENTS * SENT)) < 1e-9);
    assert_true(fabs(metrics.transmitter_beam_db - 10 * log10(SENT)) < 1e-9);
    assert_true(fabs(metrics.receiver_beam_db - 10 * log10(ELEMENTS)) < 1e-9);
    assert_true(fabs(metrics.transmitter_correlation - 1) < 1e-9 && isnan(metrics.cross_polar_db));
}

/* Two polarisations at both ends, 20 dB apart; arrays that face each other see slants mirrored, which changes nothing.
 */
static void test_cross_polar(void **state)
{
    (void)state;
    enum { PORTS = 4 };
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        double complex h[PORTS][PORTS];
        for (int r = 0; r < PORTS; r++) {
            for (int t = 0; t < PORTS; t++) {
                h[r][t] = ((r / 2 == t / 2) != mirrored ? 1 : 0.1) * cexp(I * (double)(r + 3 * t));
            }
        }
        const pw_mimo_channel channel = {.response = (const double *)h,
                                         .receivers = PORTS,
                                         .transmitters = PORTS,
                                         .frequency_count = 1,
                                         .receiver_shape = {1, 2, 2},
                                         .transmitter_shape = {2, 1, 2}};
        pw_mimo_options options = pw_mimo_options_default();
        pw_mimo_metrics metrics;
        assert_int_equal(pw_mimo_read(&channel, 10, &options, &metrics, NULL, NULL), PW_OK);
        assert_true(fabs(metrics.cross_polar_db - 20) < 1e-9);
        assert_true(fabs(metrics.transmitter_correlation - 1) < 1e-9);
    }
    const pw_mimo_channel wrong = {.response = (const double[8]){0},
                                   .receivers = 2,
                                   .transmitters = 2,
                                   .frequency_count = 1,
                                   .receiver_shape = {1, 2, 1},
                                   .transmitter_shape = {1, 3, 1}};
    pw_mimo_options options = pw_mimo_options_default();
    pw_mimo_metrics metrics;
    pw_error error = {""};
    assert_int_equal(pw_mimo_read(&wrong, 10, &options, &metrics, NULL, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "2 transmitter antennas [1, 3, 1]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_singular_values),
                                       cmocka_unit_test(test_water_filling),
                                       cmocka_unit_test(test_independent),
                                       cmocka_unit_test(test_one_wave),
                                       cmocka_unit_test(test_cross_polar),
                                       cmocka_unit_test(test_near_field),
                                       cmocka_unit_test(test_two_close_antennas),
                                       cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_antennas_of_a_station_do_not_interfere)};
    return cmocka_run_group_tests(tests, run_once, remove_all);
}
