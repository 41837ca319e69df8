/* Maps and the files of a link, on results of real runs in free space, where the field is the Hankel function and every
 * number that is written has a closed form; and what they do with bad input. */
#include "tests/support/check.h"

#include "base/numbers/hankel.h"
#include "channel/channel_words.h"
#include "map/map.h"
#include "map/map_plane.h"

#include <complex.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/channel/free_space_result.h"

static const double pi = 3.14159265358979323846;
static const double c0 = 299792458.0;

static double cell_distance(const struct map *map, const pw_result *result, int transmitter, int row, int column)
{
    return hypot(map->x0 + column * map->pitch_x - result->transmitters[transmitter].x,
                 map->y0 + row * map->pitch_y - result->transmitters[transmitter].y);
}

/* Mean over the band of |H0(k r)/H0(k 1 m)|^2. */
static double free_space_gain(const pw_result *result, double distance)
{
    double sum = 0.0;
    for (int f = 0; f < result->frequency_count; f++) {
        double re, im, re1, im1;
        line_current_field(result->frequency[f], distance, &re, &im);
        line_current_field(result->frequency[f], 1.0, &re1, &im1);
        sum += (re * re + im * im) / (re1 * re1 + im1 * im1);
    }
    return 10.0 * log10(sum / result->frequency_count);
}

/* Every cell of the floor, but the ones beside the transmitter, within 0.1 dB of the Hankel function. */
static void test_path_gain_map(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_map_options options = pw_map_options_default();
    options.transmitter = "left";
    options.channel.spreading = PW_SPREADING_NONE;
    struct map map = map_get(result, options);
    /* 60 mm cells over 2.4 m by 1.8 m, both edges included. */
    assert_int_equal(map.columns, 41);
    assert_int_equal(map.rows, 31);
    assert_true(fabs(map.x0) < 1e-9 && fabs(map.y0) < 1e-9);
    for (int row = 0; row < map.rows; row++) {
        for (int column = 0; column < map.columns; column++) {
            double distance = cell_distance(&map, result, 0, row, column),
                   value = map.value[row * map.columns + column];
            if (distance > 0.15) {
                assert_true(fabs(value - free_space_gain(result, distance)) < 0.1);
            }
        }
    }
    map_free(&map);
    pw_result_close(result);
}

/* Received power is what Friis says, in both ways from 2D to 3D. */
static void test_received_power_map(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    for (int mode = PW_SPREADING_DISTANCE; mode <= PW_SPREADING_DELAY; mode++) {
        pw_map_options options = pw_map_options_default();
        options.quantity = PW_RECEIVED_POWER;
        options.transmitter = "right";
        options.channel.spreading = (pw_spreading)mode;
        struct map map = map_get(result, options);
        for (int row = 0; row < map.rows; row++) {
            for (int column = 0; column < map.columns; column++) {
                double distance = cell_distance(&map, result, 1, row, column);
                double friis = 20.0 + 20.0 * log10(c0 / (4.0 * pi * 1e9 * distance));
                /* By delay a single path nearer than a bin (1 m here) has part of the window before the emission. */
                if (distance > (mode == PW_SPREADING_DELAY ? 1.0 : 0.3)) {
                    assert_true(fabs(map.value[row * map.columns + column] - friis) <
                                (mode == PW_SPREADING_DELAY ? 0.5 : 0.15));
                }
            }
        }
        map_free(&map);
    }
    pw_result_close(result);
}

/* Map and channel are the same computation: equal at the same cell, to rounding. */
static void test_map_agrees_with_channel(void **state)
{
    (void)state;
    static const pw_quantity quantities[] = {PW_PATH_GAIN, PW_RECEIVED_POWER, PW_RMS_DELAY_SPREAD, PW_MEAN_DELAY,
                                             PW_K_FACTOR};
    pw_result *result = result_get(result_path);
    char directory[64];
    snprintf(directory, sizeof directory, "%s/cell", folder);
    const double at[2] = {1.5, 0.3}; /* a cell of the spectra: between them values are interpolated */
    pw_metrics metrics;
    pw_error error = {""};
    assert_int_equal(pw_channel_write(result, "left", NULL, at, NULL, directory, &metrics, &error), PW_OK);
    assert_true(fabs(metrics.distance - hypot(0.9, 0.6)) < 1e-9);
    const double expected[] = {metrics.path_gain_db, metrics.received_power_dbm, metrics.rms_delay_spread * 1e9,
                               metrics.mean_excess_delay * 1e9, metrics.rician_k_db};
    for (int q = 0; q < 5; q++) {
        pw_map_options options = pw_map_options_default();
        options.quantity = quantities[q];
        options.transmitter = "left";
        struct map map = map_get(result, options);
        assert_true(fabs(map.value[5 * map.columns + 25] - expected[q]) <= 1e-9 * fabs(expected[q]));
        map_free(&map);
    }
    pw_result_close(result);
}

/* Equal transmitters: the nearer one serves. */
static void test_best_server(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_map_options options = pw_map_options_default();
    options.quantity = PW_BEST_SERVER;
    struct map map = map_get(result, options);
    for (int row = 0; row < map.rows; row++) {
        for (int column = 0; column < map.columns; column++) {
            double left = cell_distance(&map, result, 0, row, column),
                   right = cell_distance(&map, result, 1, row, column);
            if (fabs(left - right) > 0.1) {
                assert_int_equal((int)map.value[row * map.columns + column], left < right ? 0 : 1);
            }
        }
    }
    map_free(&map);
    pw_result_close(result);
}

static void test_box_mean(void **state)
{
    (void)state;
    double flat[20], spike[49] = {0}, hole[9] = {1, 1, 1, 1, NAN, 1, 1, 1, 10};
    for (int n = 0; n < 20; n++) {
        flat[n] = 3.5;
    }
    assert_int_equal(map_box_mean(flat, 4, 5, 2.7, 3.1, NULL), PW_OK);
    for (int n = 0; n < 20; n++) {
        assert_true(fabs(flat[n] - 3.5) < 1e-14);
    }
    /* A box of two cells by three: shares 1/4, 1/2, 1/4 along x, thirds along y. */
    spike[3 * 7 + 3] = 12.0;
    assert_int_equal(map_box_mean(spike, 7, 7, 2.0, 3.0, NULL), PW_OK);
    assert_true(fabs(spike[3 * 7 + 3] - 2.0) < 1e-12);
    assert_true(fabs(spike[2 * 7 + 2] - 1.0) < 1e-12 && fabs(spike[4 * 7 + 4] - 1.0) < 1e-12);
    assert_true(spike[3 * 7 + 5] == 0.0 && spike[1 * 7 + 3] == 0.0);
    assert_int_equal(map_box_mean(hole, 3, 3, 3.0, 3.0, NULL), PW_OK);
    assert_true(isnan(hole[4]));
    assert_true(fabs(hole[0] - 1.0) < 1e-14 && fabs(hole[8] - 4.0) < 1e-14);
    /* A box under a cell changes nothing. */
    double small[2] = {1.0, 5.0};
    assert_int_equal(map_box_mean(small, 1, 2, 0.3, 0.3, NULL), PW_OK);
    assert_true(small[0] == 1.0 && small[1] == 5.0);
}

static void test_summary(void **state)
{
    (void)state;
    double values[] = {-70.0, NAN, -50.0, -60.0, -90.0, INFINITY};
    struct map_summary summary;
    assert_int_equal(map_summarise(values, 6, -60.0, false, &summary, NULL), PW_OK);
    assert_int_equal(summary.count, 4);
    assert_true(summary.minimum == -90.0 && summary.median == -65.0 && summary.maximum == -50.0 &&
                summary.share == 0.5);
    assert_int_equal(map_summarise(values, 6, -60.0, true, &summary, NULL), PW_OK);
    assert_true(summary.share == 0.75); /* at or under */
    assert_int_equal(map_summarise(values + 1, 1, NAN, false, &summary, NULL), PW_OK);
    assert_int_equal(summary.count, 0);
    assert_true(isnan(summary.median));
}

static void test_range(void **state)
{
    (void)state;
    double values[1001];
    for (int n = 0; n < 1001; n++) {
        values[n] = -83.0 + 0.05 * n; /* to -33 */
    }
    struct map map = {.quantity = PW_RECEIVED_POWER, .rows = 1, .columns = 1001, .value = values};
    pw_map_options options = pw_map_options_default();
    double low, high;
    map_range(&map, &options, &low, &high);
    assert_true(low == -85.0 && high == -30.0);
    options.minimum = -100.0;
    options.maximum = -20.0;
    map_range(&map, &options, &low, &high);
    assert_true(low == -100.0 && high == -20.0);
    values[0] = NAN;
    map.columns = 1;
    options = pw_map_options_default();
    map_range(&map, &options, &low, &high);
    assert_true(high > low);
    map.columns = 1001;
    for (int n = 0; n < map.columns; n++) {
        values[n] = -1.0 - 0.01 * n; /* no label says -0 */
    }
    map_range(&map, &options, &low, &high);
    assert_true(low < -5.0 && high == 0.0 && !signbit(high));
}

/* The .npy file, read as its format says, holds the values; the CSV has one line a cell; the picture is one. */
static void test_map_files(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    char png[64], npy[64], csv[64], line[256];
    snprintf(png, sizeof png, "%s/map.png", folder);
    snprintf(npy, sizeof npy, "%s/map.npy", folder);
    snprintf(csv, sizeof csv, "%s/map.csv", folder);
    pw_map_options options = pw_map_options_default();
    options.transmitter = "left";
    options.threshold = -6.0;
    options.local_mean = true;
    pw_error error = {""};
    FILE *report = tmpfile();
    assert_int_equal(pw_map_write(result, &options, png, report, &error), PW_OK);
    rewind(report);
    assert_non_null(fgets(line, sizeof line, report));
    assert_non_null(strstr(line, "path gain relative to free space at 1 m from left"));
    assert_non_null(fgets(line, sizeof line, report));
    assert_non_null(strstr(line, "whole plan (it has no walls), 4.32 m2 of 4.32 m2"));
    fclose(report);
    struct map map = map_get(result, options);

    unsigned char head[128];
    FILE *file = fopen(npy, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    assert_memory_equal(head, "\x93NUMPY\x01\x00", 8);
    assert_int_equal(10 + head[8] + 256 * head[9], 128);
    assert_int_equal(head[127], '\n');
    assert_non_null(memmem(head, 128, "'descr': '<f4', 'fortran_order': False, 'shape': (31, 41), }", 60));
    for (int n = 0; n < 31 * 41; n++) {
        float value;
        assert_int_equal(fread(&value, sizeof value, 1, file), 1);
        assert_true(value == (float)map.value[n]);
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);

    int lines = 0;
    file = fopen(csv, "r");
    while (fgets(line, sizeof line, file) != NULL) {
        double x, y, value;
        if (sscanf(line, "%lf,%lf,%lf", &x, &y, &value) == 3) {
            assert_true(fabs(value - map.value[lines]) < 1e-4);
            assert_true(fabs(x - 0.06 * (lines % 41)) < 1e-6 && fabs(y - 0.06 * (lines / 41)) < 1e-6);
            lines++;
        }
    }
    assert_int_equal(lines, 31 * 41);
    fclose(file);

    file = fopen(png, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, 8, file), 8);
    assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
    fclose(file);
    map_free(&map);
    pw_result_close(result);
}

/* One free-space link through all its files: Touchstone and (a, tau) say Friis and the time of flight. */
static void test_link_files(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    char directory[64], path[128], line[256];
    snprintf(directory, sizeof directory, "%s/deep/link", folder);
    pw_metrics metrics;
    pw_error error = {""};
    pw_channel_options options = pw_channel_options_default();
    options.spreading = PW_SPREADING_DISTANCE;
    const double r = hypot(1.5, 0.3);
    assert_int_equal(pw_channel_write(result, "left", "probe", NULL, &options, directory, &metrics, &error), PW_OK);
    assert_true(fabs(metrics.distance - r) < 1e-9);
    assert_true(fabs(metrics.received_power_dbm - (22.0 + 20.0 * log10(c0 / (4.0 * pi * 1e9 * r)))) < 0.1);
    assert_true(metrics.maximum_excess_delay == 0.0);

    snprintf(path, sizeof path, "%s/channel.s2p", directory);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        double f, v[8];
        if (line[0] == '!' || line[0] == '#') {
            continue;
        }
        assert_int_equal(
            sscanf(line, "%lf %lf %lf %lf %lf %lf %lf %lf %lf", &f, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7),
            9);
        double complex s21 = v[2] + I * v[3], expected = c0 / (4.0 * pi * f * r) * cexp(-I * 2.0 * pi * f * r / c0);
        assert_true(v[0] == 0.0 && v[1] == 0.0 && v[6] == 0.0 && v[7] == 0.0);
        assert_true(v[2] == v[4] && v[3] == v[5]);
        assert_true(cabs(s21 / expected - 1.0) < 0.02);
        count++;
    }
    assert_int_equal(count, 48);
    fclose(file);

    snprintf(path, sizeof path, "%s/cir.h5", directory);
    hid_t h5 = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(h5 >= 0);
    hid_t a = H5Dopen2(h5, "paths/a", H5P_DEFAULT), tau = H5Dopen2(h5, "paths/tau", H5P_DEFAULT);
    hid_t space = H5Dget_space(a), tau_space = H5Dget_space(tau);
    hsize_t extent[8], tau_extent[8];
    assert_int_equal(H5Sget_simple_extent_dims(space, extent, NULL), 7);
    assert_int_equal(H5Sget_simple_extent_dims(tau_space, tau_extent, NULL), 4);
    for (int n = 0; n < 7; n++) {
        assert_int_equal(extent[n], 1); /* one path */
    }
    struct {
        float r, i;
    } coefficient;
    float delay;
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof coefficient);
    H5Tinsert(type, "r", 0, H5T_NATIVE_FLOAT);
    H5Tinsert(type, "i", sizeof(float), H5T_NATIVE_FLOAT);
    assert_true(H5Dread(a, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &coefficient) >= 0);
    assert_true(H5Dread(tau, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &delay) >= 0);
    double complex found = coefficient.r + I * coefficient.i;
    double complex expected = c0 / (4.0 * pi * 1e9 * r) * cexp(-I * 2.0 * pi * 1e9 * r / c0);
    assert_true(fabs(delay - r / c0) < 0.1 / 306e6);
    assert_true(cabs(found / expected - 1.0) < 0.05);
    H5Tclose(type);
    H5Sclose(space);
    H5Sclose(tau_space);
    H5Dclose(a);
    H5Dclose(tau);
    H5Fclose(h5);
    static const char *const names[] = {"transfer_function.csv", "impulse_response.csv", "power_delay_profile.csv",
                                        "metrics.csv", "channel.png"};
    for (int n = 0; n < 5; n++) {
        struct stat found_file;
        snprintf(path, sizeof path, "%s/%s", directory, names[n]);
        assert_int_equal(stat(path, &found_file), 0);
        assert_true(found_file.st_size > 100);
    }
    pw_result_close(result);
}

/* The field that a receiver recorded and that the running spectra hold at its place give the same channel. */
static void test_receiver_agrees_with_cell(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    char directory[64];
    snprintf(directory, sizeof directory, "%s/same", folder);
    pw_metrics receiver, cell;
    const double at[2] = {2.1, 1.2};
    assert_int_equal(pw_channel_write(result, NULL, "probe", NULL, NULL, directory, &receiver, NULL), PW_OK);
    assert_int_equal(pw_channel_write(result, NULL, NULL, at, NULL, directory, &cell, NULL), PW_OK);
    assert_true(fabs(receiver.path_gain_db - cell.path_gain_db) < 0.001);
    assert_true(fabs(receiver.received_power_dbm - cell.received_power_dbm - 2.0) < 0.001);
    assert_true(fabs(receiver.rms_delay_spread / cell.rms_delay_spread - 1.0) < 0.001);
    pw_result_close(result);
}

static void refuse_map(const pw_result *result, pw_map_options options, const char *path, pw_status status,
                       const char *word)
{
    pw_error error = {""};
    assert_int_equal(pw_map_write(result, &options, path, NULL, &error), status);
    if (strstr(error.message, word) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, word);
    }
}

static void test_maps_refused(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    char png[64];
    snprintf(png, sizeof png, "%s/refused.png", folder);
    pw_map_options options = pw_map_options_default();
    options.transmitter = "nobody";
    refuse_map(result, options, png, PW_BAD_INPUT, "left");
    options = pw_map_options_default();
    options.quantity = PW_RMS_DELAY_SPREAD;
    options.local_mean = true;
    refuse_map(result, options, png, PW_USAGE, "local mean");
    options = pw_map_options_default();
    options.quantity = PW_BEST_SERVER;
    options.transmitter = "left";
    refuse_map(result, options, png, PW_USAGE, "best-server");
    options.quantity = (pw_quantity)17;
    refuse_map(result, options, png, PW_USAGE, "17");
    options = pw_map_options_default();
    options.minimum = 3.0;
    options.maximum = 3.0;
    refuse_map(result, options, png, PW_USAGE, "range");
    options = pw_map_options_default();
    options.channel.padding = 0;
    refuse_map(result, options, png, PW_USAGE, "padding");
    options = pw_map_options_default();
    refuse_map(result, options, "", PW_USAGE, "picture");
    refuse_map(result, options, "/nowhere/at/all.png", PW_NO_RESOURCE, "/nowhere/at/all");
    refuse_map(NULL, options, png, PW_USAGE, "result");
    struct stat found;
    assert_int_not_equal(stat(png, &found), 0);
    pw_result_close(result);
}

static void refuse_channel(const pw_result *result, const char *transmitter, const char *receiver, const double *at,
                           const char *directory, pw_status status, const char *word)
{
    pw_error error = {""};
    assert_int_equal(pw_channel_write(result, transmitter, receiver, at, NULL, directory, NULL, &error), status);
    if (strstr(error.message, word) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, word);
    }
}

static void test_channels_refused(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    char directory[64];
    snprintf(directory, sizeof directory, "%s/refused", folder);
    const double outside[2] = {9.0, 1.0}, broken[2] = {NAN, 1.0};
    refuse_channel(result, "nobody", "probe", NULL, directory, PW_BAD_INPUT, "nobody");
    refuse_channel(result, NULL, "nobody", NULL, directory, PW_BAD_INPUT, "probe");
    refuse_channel(result, NULL, NULL, outside, directory, PW_BAD_INPUT, "outside");
    refuse_channel(result, NULL, NULL, broken, directory, PW_USAGE, "finite");
    refuse_channel(result, NULL, "probe", NULL, result_path, PW_BAD_INPUT, "not a folder");
    refuse_channel(result, NULL, "probe", NULL, "", PW_USAGE, "folder");
    refuse_channel(result, NULL, "probe", NULL, "/proc/nowhere", PW_NO_RESOURCE, "/proc/nowhere");
    refuse_channel(NULL, NULL, "probe", NULL, directory, PW_USAGE, "result");
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_gain_map),
        cmocka_unit_test(test_received_power_map),
        cmocka_unit_test(test_map_agrees_with_channel),
        cmocka_unit_test(test_best_server),
        cmocka_unit_test(test_box_mean),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_map_files),
        cmocka_unit_test(test_link_files),
        cmocka_unit_test(test_receiver_agrees_with_cell),
        cmocka_unit_test(test_maps_refused),
        cmocka_unit_test(test_channels_refused),
    };
    return cmocka_run_group_tests(tests, run_once, remove_all);
}
