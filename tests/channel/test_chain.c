/* The whole chain, from the fields in a result file to what is written about them: rays of known delays and powers
 * through impulse response, metrics, maps, coverage and every export, read back as a user would. Expected numbers are
 * closed forms. */
#include "tests/support/check.h"

#include "channel/channel_words.h"
#include "map/map.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/channel/table_read.h"
#include "tests/support/ray_result.h"

static const double c0 = 299792458.0;
/* 232 frequencies over 600 MHz: the bin is 1/(232 spacings). */
static const double bin = 231.0 / (232.0 * 600e6);
static const double second_excess = 51.53e-9; /* s: two rays, the second this much later */
static const double decay_bins = 12.0;        /* exponential profile */

#define ROOM                                                                                                           \
    "plan: {size: [4.8 m, 1.6 m]}\n"                                                                                   \
    "grid: {scheme: fd8, cell: 2 cm}\n"                                                                                \
    "band: {centre: 2.4 GHz, width: 600 MHz}\n"                                                                        \
    "transmitters:\n"                                                                                                  \
    "  - {name: left, at: [0 m, 0.8 m], power: 20 dBm}\n"                                                              \
    "  - {name: right, at: [4.8 m, 0.8 m], power: 14 dBm}\n"                                                           \
    "receivers: [{name: probe, at: [2.4 m, 0.8 m]}]\n"                                                                 \
    "spectra: {count: 232, spacing: 8 cells}\n"                                                                        \
    "stop: {after: 20 ns, decay: off}\n"

static char folder[] = "/tmp/planwave-chain-XXXXXX";
static char two_path[64], exponential_path[64], slope_path[64];

static double complex two_rays(int run, double x, double y, double distance, double frequency)
{
    (void)run, (void)x, (void)y;
    return ray_one(frequency, 0.5, distance / c0) - ray_one(frequency, 0.2, distance / c0 + second_excess);
}

/* Taps on the bins of the axis, power exp(-n/12), alternating signs so that the band sees no slow phase. */
static double complex exponential(int run, double x, double y, double distance, double frequency)
{
    (void)run, (void)x, (void)y, (void)distance;
    double complex sum = 0;
    for (int n = 0; n < 160; n++) {
        sum += ray_one(frequency, exp(-0.5 * n / decay_bins) * (n * n % 3 == 1 ? -1 : 1), (n + 20) * bin);
    }
    return sum;
}

/* One ray whose power falls by 10 dB a metre along x, away from its transmitter. */
static double complex slope(int run, double x, double y, double distance, double frequency)
{
    (void)y;
    double metres = run == 0 ? x : 4.8 - x;
    return ray_one(frequency, pow(10.0, -0.5 * metres), distance / c0);
}

static int make_all(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(two_path, sizeof two_path, "%s/two.h5", folder);
    snprintf(exponential_path, sizeof exponential_path, "%s/exponential.h5", folder);
    snprintf(slope_path, sizeof slope_path, "%s/slope.h5", folder);
    ray_result_make(ROOM, two_rays, two_path);
    ray_result_make(ROOM, exponential, exponential_path);
    ray_result_make(ROOM, slope, slope_path);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    return folder_delete(folder);
}

static pw_channel_options options_plain(pw_window window, int padding)
{
    pw_channel_options options = pw_channel_options_default();
    options.spreading = PW_SPREADING_NONE;
    options.window = window;
    options.padding = padding;
    return options;
}

/* Writes the channel at (x, 0.8 m) from the left into the folder `name`, whose full path goes to `directory`. */
static pw_metrics channel_make(const char *result_path, double x, pw_channel_options options, const char *name,
                               char directory[128])
{
    pw_result *result = result_get(result_path);
    pw_metrics metrics;
    pw_error error = {""};
    snprintf(directory, 128, "%s/%s", folder, name);
    const double at[2] = {x, 0.8};
    if (pw_channel_write(result, "left", NULL, at, &options, directory, &metrics, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_result_close(result);
    return metrics;
}

/* Delays within a tenth of a bin, powers within 0.1 dB: in the paths, in the delay line, in the metrics. */
static void test_two_rays(void **state)
{
    (void)state;
    char directory[128];
    pw_metrics metrics = channel_make(two_path, 2.4, options_plain(PW_WINDOW_HANN, 8), "two", directory);
    const double first = 2.4 / c0, power[2] = {0.25, 0.04}, delay[2] = {first, first + second_excess};
    double total = power[0] + power[1];
    assert_true(fabs(metrics.path_gain_db - 10.0 * log10(total)) < 0.1);
    assert_true(fabs(metrics.maximum_excess_delay - second_excess) < 0.1 * bin);
    assert_true(fabs(metrics.mean_excess_delay - power[1] / total * second_excess) < 0.1 * bin);
    /* The window adds its own variance, bin^2/3 for Hann, to that of two Dirac pulses. */
    double spread = sqrt(power[0] * power[1]) / total * second_excess;
    assert_true(fabs(metrics.rms_delay_spread / hypot(spread, bin / sqrt(3.0)) - 1.0) < 0.01);

    int rows;
    double *taps = table_read(directory, "tapped_delay_line.csv", 3, &rows);
    assert_int_equal(rows, 2);
    for (int n = 0; n < 2; n++) {
        assert_true(taps[3 * n] == n + 1);
        assert_true(fabs(taps[3 * n + 1] - (delay[n] - delay[0])) < 0.1 * bin);
        assert_true(fabs(taps[3 * n + 2] - 10.0 * log10(power[n] / total)) < 0.1);
    }
    free(taps);

    char path[256];
    snprintf(path, sizeof path, "%s/cir.h5", directory);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t a = H5Dopen2(file, "paths/a", H5P_DEFAULT), tau = H5Dopen2(file, "paths/tau", H5P_DEFAULT);
    hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
    H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "i", sizeof(double), H5T_NATIVE_DOUBLE);
    hid_t space = H5Dget_space(tau);
    assert_int_equal(H5Sget_simple_extent_npoints(space), 2);
    double coefficient[2][2], found[2], unit = c0 / (4.0 * M_PI * 2.4e9);
    assert_true(H5Dread(a, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, coefficient) >= 0);
    assert_true(H5Dread(tau, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    for (int n = 0; n < 2; n++) {
        assert_true(fabs(found[n] - delay[n]) < 0.1 * bin);
        double level = 20.0 * log10(hypot(coefficient[n][0], coefficient[n][1]) / unit);
        assert_true(fabs(level - 10.0 * log10(power[n])) < 0.1);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(a);
    H5Dclose(tau);
    H5Fclose(file);
}

/* Padding moves no metric by more than a hundredth of a bin or of a decibel; a window changes delays by its own width
 * alone. */
static void test_stability(void **state)
{
    (void)state;
    char directory[128];
    pw_metrics reference = channel_make(two_path, 1.28, options_plain(PW_WINDOW_HANN, 4), "stable", directory);
    for (int padding = 8; padding <= 32; padding *= 2) {
        pw_metrics metrics = channel_make(two_path, 1.28, options_plain(PW_WINDOW_HANN, padding), "stable", directory);
        assert_true(fabs(metrics.path_gain_db - reference.path_gain_db) < 0.01);
        assert_true(fabs(metrics.rms_delay_spread - reference.rms_delay_spread) < 0.02 * bin);
        assert_true(fabs(metrics.mean_excess_delay - reference.mean_excess_delay) < 0.02 * bin);
        assert_true(fabs(metrics.maximum_excess_delay - reference.maximum_excess_delay) < 0.05 * bin);
    }
    pw_channel_options kaiser = options_plain(PW_WINDOW_KAISER, 4);
    kaiser.kaiser_beta = 8.0;
    pw_metrics metrics = channel_make(two_path, 1.28, kaiser, "stable", directory);
    assert_true(fabs(metrics.path_gain_db - reference.path_gain_db) < 0.01);
    assert_true(fabs(metrics.rms_delay_spread / reference.rms_delay_spread - 1.0) < 0.02);
    assert_true(fabs(metrics.maximum_excess_delay - reference.maximum_excess_delay) < 0.1 * bin);
}

/* Every cell of a map of the exponential profile has the spread of the geometric series, within 1 %. */
static void test_exponential(void **state)
{
    (void)state;
    pw_result *result = result_get(exponential_path);
    pw_map_options options = pw_map_options_default();
    options.quantity = PW_RMS_DELAY_SPREAD;
    options.channel = options_plain(PW_WINDOW_RECT, 1);
    options.channel.threshold_db = 55.0;
    options.channel.noise_margin_db = 0.0;
    struct map map;
    pw_error error = {""};
    assert_int_equal(map_compute(result, &options, &map, &error), PW_OK);
    /* Geometric series of ratio q = exp(-1/12): variance q/(1-q)^2, in bins. */
    double q = exp(-1.0 / decay_bins), expected = sqrt(q) / (1.0 - q) * bin * 1e9;
    for (int n = 0; n < map.rows * map.columns; n++) {
        assert_true(fabs(map.value[n] / expected - 1.0) < 0.01);
    }
    map_free(&map);
    pw_result_close(result);
}

/* ---- exports, read back ---- */

static void test_csv_round_trip(void **state)
{
    (void)state;
    char directory[128];
    pw_channel_options options = options_plain(PW_WINDOW_HANN, 4);
    pw_metrics metrics = channel_make(two_path, 2.4, options, "csv", directory);
    int rows;
    double *transfer = table_read(directory, "transfer_function.csv", 5, &rows), gain = 0.0;
    assert_int_equal(rows, 232);
    for (int f = 0; f < rows; f++) {
        const double *row = transfer + 5 * f;
        double complex expected =
            two_rays(0, 0, 0, 2.4, row[0]) * cexp(I * 2.0 * M_PI * row[0] / c0); /* relative to 1 m */
        assert_true(fabs(row[0] - (2.1e9 + 600e6 * f / 231.0)) < 0.01);
        assert_true(cabs(row[1] + I * row[2] - expected) < 1e-5);
        assert_true(fabs(row[3] - 20.0 * log10(cabs(expected))) < 1e-3 && row[4] == 1.0);
        gain += (row[1] * row[1] + row[2] * row[2]) / rows;
    }
    assert_true(fabs(10.0 * log10(gain) - metrics.path_gain_db) < 1e-4);
    free(transfer);

    int taps;
    double *impulse = table_read(directory, "impulse_response.csv", 4, &taps);
    assert_int_equal(taps, 4 * 232);
    double *profile = table_read(directory, "power_delay_profile.csv", 5, &rows), sum = 0, moment = 0, second = 0;
    assert_int_equal(rows, taps);
    for (int n = 0; n < taps; n++) {
        double power = impulse[4 * n + 1] * impulse[4 * n + 1] + impulse[4 * n + 2] * impulse[4 * n + 2];
        assert_true(fabs(power - profile[5 * n + 2]) < 1e-7);
        assert_true(fabs(impulse[4 * n] - profile[5 * n]) < 1e-16 * 1e3);
        double weight = profile[5 * n + 4] > 0.5 ? profile[5 * n + 2] : 0.0;
        sum += weight;
        moment += weight * profile[5 * n + 1];
        second += weight * profile[5 * n + 1] * profile[5 * n + 1];
    }
    /* The metrics follow from the profile by their definition (ITU-R P.1407). */
    assert_true(fabs(moment / sum - metrics.mean_excess_delay) < 1e-13);
    assert_true(fabs(sqrt(second / sum - moment * moment / sum / sum) - metrics.rms_delay_spread) < 1e-13);
    free(impulse);
    free(profile);
}

/* Touchstone, and the sum over the dense (a, tau) taps, are the same two rays with the loss of free space. */
static void test_touchstone_and_taps(void **state)
{
    (void)state;
    char directory[128], path[256];
    channel_make(two_path, 3.36, options_plain(PW_WINDOW_HANN, 4), "sparam", directory);
    int rows;
    double *s = table_read(directory, "channel.s2p", 9, &rows);
    assert_int_equal(rows, 232);
    snprintf(path, sizeof path, "%s/cir.h5", directory);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t a = H5Dopen2(file, "taps/a", H5P_DEFAULT), tau = H5Dopen2(file, "taps/tau", H5P_DEFAULT);
    hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double)), space = H5Dget_space(a);
    H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "i", sizeof(double), H5T_NATIVE_DOUBLE);
    hsize_t extent[7];
    assert_int_equal(H5Sget_simple_extent_dims(space, extent, NULL), 7);
    assert_int_equal(extent[5], 232);
    double complex coefficient[232];
    double delay[232];
    assert_true(H5Dread(a, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, coefficient) >= 0);
    assert_true(H5Dread(tau, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, delay) >= 0);
    for (int f = 0; f < rows; f++) {
        double frequency = s[9 * f];
        double complex s21 = s[9 * f + 3] + I * s[9 * f + 4], sum = 0;
        double complex expected = two_rays(0, 0, 0, 3.36, frequency);
        for (int n = 0; n < 232; n++) {
            sum += coefficient[n] * cexp(-I * 2.0 * M_PI * (frequency - 2.4e9) * delay[n]);
        }
        assert_true(cabs(s21 * (4.0 * M_PI * frequency / c0) - expected) < 1e-4);
        assert_true(cabs(sum * (4.0 * M_PI * 2.4e9 / c0) - expected) < 1e-3); /* delays in single precision */
        assert_true(s[9 * f + 1] == 0.0 && s[9 * f + 3] == s[9 * f + 5] && s[9 * f + 4] == s[9 * f + 6]);
    }
    free(s);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(a);
    H5Dclose(tau);
    H5Fclose(file);
}

/* A name that ends in .svg or .pdf is a picture of that kind, and nothing else is written. */
static void test_pictures_by_ending(void **state)
{
    (void)state;
    static const char *const heads[][2] = {{"plot.svg", "<?xml"}, {"plot.pdf", "%PDF-"}, {"plot.PNG", "\x89PNG\r"}};
    for (int n = 0; n < 3; n++) {
        char path[128], head[5];
        struct stat found;
        channel_make(two_path, 2.4, options_plain(PW_WINDOW_HANN, 4), heads[n][0], path);
        assert_int_equal(stat(path, &found), 0);
        assert_true(S_ISREG(found.st_mode));
        FILE *file = fopen(path, "rb");
        assert_int_equal(fread(head, 1, 5, file), 5);
        assert_memory_equal(head, heads[n][1], 5);
        fclose(file);
    }
}

/* ---- several transmitters ---- */

/* dBm at x from transmitter t: EIRP + free space at 1 m + gain - 10 dB a metre. */
static double level_at(int t, double x, double gain)
{
    return (t == 0 ? 20.0 - 10.0 * x : 14.0 - 10.0 * (4.8 - x)) + gain + 20.0 * log10(c0 / (4.0 * M_PI * 2.4e9));
}

static void test_snr_and_sinr(void **state)
{
    (void)state;
    pw_result *result = result_get(slope_path);
    pw_map_options options = pw_map_options_default();
    options.channel.spreading = PW_SPREADING_NONE;
    options.receiver_gain = 3.0;
    options.noise_figure = 9.0;
    options.noise_bandwidth = 1e6;
    double noise = -173.975 + 60.0 + 9.0; /* k 290 K = -173.975 dBm/Hz */
    static const struct {
        int left, right;
        double overlap;
    } channels[] = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {1, 4, 0.25}, {1, 6, 0}};
    for (int k = 0; k < 15; k++) {
        const int t = k % 3 - 1;
        struct map snr, sinr;
        for (int side = 0; side < 2; side++) {
            const int number = side == 0 ? channels[k / 3].left : channels[k / 3].right;
            result->transmitters[side].channel = (pw_wifi_channel){0};
            if (number > 0) {
                assert_int_equal(pw_wifi_channel_find(2.4e9, number, 20e6, &result->transmitters[side].channel, NULL),
                                 PW_OK);
            }
        }
        options.transmitter = t < 0 ? NULL : t == 0 ? "left" : "right";
        options.quantity = PW_SNR;
        assert_int_equal(map_compute(result, &options, &snr, NULL), PW_OK);
        options.quantity = PW_SINR;
        assert_int_equal(map_compute(result, &options, &sinr, NULL), PW_OK);
        assert_true(fabs(snr.noise - noise) < 0.001);
        for (int n = 0; n < snr.rows * snr.columns; n++) {
            double x = snr.x0 + n % snr.columns * snr.pitch_x;
            double left = level_at(0, x, 3.0), right = level_at(1, x, 3.0);
            double own = t < 0 ? fmax(left, right) : t == 0 ? left : right;
            double other = own == left ? right : left;
            assert_true(fabs(snr.value[n] - (own - noise)) < 0.01);
            double against = 10.0 * log10(channels[k / 3].overlap * pow(10.0, other / 10.0) + pow(10.0, noise / 10.0));
            assert_true(fabs(sinr.value[n] - (own - against)) < 0.01);
        }
        map_free(&snr);
        map_free(&sinr);
    }
    pw_result_close(result);
}

/* The level falls along x alone, so a share is a count of columns. */
static void test_coverage_table(void **state)
{
    (void)state;
    pw_result *result = result_get(slope_path);
    char csv[128], line[512], report_text[4096] = "";
    snprintf(csv, sizeof csv, "%s/table.csv", folder);
    double at_1_m = 20.0 * log10(c0 / (4.0 * M_PI * 2.4e9));
    const double thresholds[2] = {at_1_m + 9.99, at_1_m + 9.99 - 20.0}; /* left: x <= 1 m, x <= 3 m */
    const pw_area area = {"half, \"west\"", 2.39, 1.6, 0.0, 0.0};
    pw_coverage_options options = {.map = pw_map_options_default(),
                                   .thresholds = thresholds,
                                   .threshold_count = 2,
                                   .areas = &area,
                                   .area_count = 1};
    options.map.quantity = PW_RECEIVED_POWER;
    options.map.channel.spreading = PW_SPREADING_NONE;
    FILE *report = fmemopen(report_text, sizeof report_text, "w");
    pw_error error = {""};
    assert_int_equal(pw_coverage_write(result, &options, csv, report, &error), PW_OK);
    fclose(report);
    assert_non_null(strstr(report_text, "best server"));
    assert_non_null(strstr(report_text, "whole plan (it has no walls)"));

    FILE *file = fopen(csv, "r");
    int rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        double size, threshold, share[3];
        const char *numbers = strstr(line, "\",");
        if (line[0] != '"' ||
            sscanf(numbers + 2, "%lf,%lf,%lf,%lf,%lf", &size, &threshold, &share[0], &share[1], &share[2]) != 5) {
            continue;
        }
        bool half = strstr(line, "half, \"\"west\"\"") != NULL;
        int columns = half ? 15 : 31, left = 0, right = 0, best = 0; /* every 16 cm from 0 to 4.8 m; to 2.24 m */
        for (int c = 0; c < columns; c++) {
            bool from_left = level_at(0, 0.16 * c, 0.0) >= threshold,
                 from_right = level_at(1, 0.16 * c, 0.0) >= threshold;
            left += from_left;
            right += from_right;
            best += from_left || from_right;
        }
        assert_true(fabs(size - (half ? columns * 11 * 0.16 * 0.16 : 4.8 * 1.6)) < 1e-6);
        assert_true(fabs(share[0] - 100.0 * left / columns) < 1e-3);
        assert_true(fabs(share[1] - 100.0 * right / columns) < 1e-3);
        assert_true(fabs(share[2] - 100.0 * best / columns) < 1e-3);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 4);
    pw_result_close(result);
}

/* A local mean over a chosen width: the mean of 10 dB a metre over three cells of 16 cm, as powers. */
static void test_mean_width(void **state)
{
    (void)state;
    pw_result *result = result_get(slope_path);
    pw_map_options options = pw_map_options_default();
    options.channel.spreading = PW_SPREADING_NONE;
    options.local_mean = true;
    options.mean_width = 0.48;
    struct map map;
    assert_int_equal(map_compute(result, &options, &map, NULL), PW_OK);
    assert_true(map.mean_width == 0.48);
    double step = pow(10.0, 0.16), raise = 10.0 * log10((step + 1.0 + 1.0 / step) / 3.0);
    int middle = 5 * map.columns + 10;
    assert_true(fabs(map.value[middle] - (-10.0 * 1.6 + raise)) < 0.01);
    map_free(&map);
    pw_result_close(result);
}

static void refuse(pw_coverage_options options, const char *word)
{
    pw_result *result = result_get(slope_path);
    pw_error error = {""};
    assert_int_equal(pw_coverage_write(result, &options, NULL, NULL, &error), PW_USAGE);
    if (strstr(error.message, word) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, word);
    }
    pw_result_close(result);
}

static void test_misuse(void **state)
{
    (void)state;
    pw_coverage_options good = {.map = pw_map_options_default()}, options = good;
    good.map.quantity = options.map.quantity = PW_RECEIVED_POWER;
    options.map.quantity = PW_K_FACTOR;
    refuse(options, "Rician K");
    options = good;
    options.map.noise_bandwidth = 0.0;
    refuse(options, "bandwidth");
    options = good;
    options.map.noise_figure = -1.0;
    refuse(options, "noise figure");
    options = good;
    options.map.receiver_gain = NAN;
    refuse(options, "gain");
    options = good;
    options.map.mean_width = -0.5;
    refuse(options, "local mean");
    options = good;
    options.map.size = 7;
    refuse(options, "pixels");
    const double endless = INFINITY;
    options = good;
    options.thresholds = &endless;
    options.threshold_count = 1;
    refuse(options, "finite");
    const pw_area nowhere = {"moon", 90.0, 90.0, 91.0, 91.0};
    options = good;
    options.areas = &nowhere;
    options.area_count = 1;
    refuse(options, "moon");
    pw_error error = {""};
    assert_int_equal(pw_coverage_write(NULL, &good, NULL, NULL, &error), PW_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_rays),
        cmocka_unit_test(test_stability),
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_csv_round_trip),
        cmocka_unit_test(test_touchstone_and_taps),
        cmocka_unit_test(test_pictures_by_ending),
        cmocka_unit_test(test_snr_and_sinr),
        cmocka_unit_test(test_coverage_table),
        cmocka_unit_test(test_mean_width),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
