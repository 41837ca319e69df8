/* Calibration: offsets and errors that were put into measurements come out again, materials that were changed are found
 * by re-runs, and what the points do not bear is refused. */
#include "tests/support/check.h"
#include "tests/support/text_solve.h"

#include "calibrate/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/ray_result.h"

static const double c0 = 299792458.0;

/* For the offset: rays of a known level, 10 dB a metre along x. */
#define CORRIDOR                                                                                                       \
    "plan: {size: [4.8 m, 1.6 m]}\n"                                                                                   \
    "grid: {scheme: dd4, cell: 2 cm}\n"                                                                                \
    "band: {centre: 2.4 GHz, width: 600 MHz}\n"                                                                        \
    "transmitters: [{name: left, at: [0 m, 0.8 m], power: 20 dBm}]\n"                                                  \
    "spectra: {count: 61, spacing: 4 cells}\n"                                                                         \
    "stop: {after: 20 ns, decay: off}\n"

/* For materials: a block of brick between the transmitter and half of the room. */
#define ROOM                                                                                                           \
    "plan:\n"                                                                                                          \
    "  size: [2.4 m, 1.8 m]\n"                                                                                         \
    "  rectangles: [{from: [0.9 m, 0.3 m], to: [1.2 m, 1.5 m], material: %s}]\n"                                       \
    "grid: {scheme: dd4, cell: 3 cm, courant: 0.3}\n"                                                                  \
    "band: {centre: 1 GHz, width: 300 MHz}\n"                                                                          \
    "transmitters: [{name: other, at: [2 m, 1.6 m]}, {name: ap, at: [0.45 m, 0.9 m], power: 20 dBm}]\n"                \
    "receivers: [{name: probe, at: [2.1 m, 1.2 m]}]\n"                                                                 \
    "spectra: {count: 24, spacing: 2 cells}\n"                                                                         \
    "stop: {after: 40 ns, decay: off}\n"

static char folder[] = "/tmp/planwave-calibrate-XXXXXX";
static char corridor_path[80], points_path[80];

static double complex slope(int run, double x, double y, double distance, double frequency)
{
    (void)run, (void)y;
    return ray_one(frequency, pow(10.0, -0.5 * x), distance / c0);
}

static int make_all(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(corridor_path, sizeof corridor_path, "%s/corridor.h5", folder);
    snprintf(points_path, sizeof points_path, "%s/points.csv", folder);
    ray_result_make(CORRIDOR, slope, corridor_path);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    return folder_delete(folder);
}

static pw_calibration_options options_plain(void)
{
    pw_calibration_options options = pw_calibration_options_default();
    options.channel.spreading = PW_SPREADING_NONE;
    options.mean_width = 0.08; /* a cell: on a node no averaging */
    return options;
}

/* dBm at x: EIRP + free space at 1 m - 10 dB a metre. */
static double level_at(double x, double frequency)
{
    return 20.0 - 10.0 * x + 20.0 * log10(c0 / (4.0 * M_PI * frequency));
}

static void points_write(const char *text)
{
    FILE *file = fopen(points_path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Twelve points in three squares of 1.5 m, 7.3 dB under the prediction, those to be fitted 1 dB more or less in turn,
 * those of the third square, which is held out, 2 dB more. */
static void test_offset(void **state)
{
    (void)state;
    FILE *file = fopen(points_path, "w");
    fprintf(file, "# a walk\nx_m,y_m,power_dBm\n");
    for (int n = 1; n <= 12; n++) {
        double x = 0.32 * n, own = n > 9 ? 2.0 : n % 2 == 0 ? 1.0 : -1.0;
        fprintf(file, "%.2f , 0.80,%.6f\n%s", x, level_at(x, 2.4e9) - 7.3 + own, n == 5 ? "\n" : "");
    }
    fclose(file);
    pw_result *result = result_get(corridor_path);
    pw_calibration_options options = options_plain();
    pw_calibration found;
    pw_error error = {""};
    char csv[96], line[256];
    snprintf(csv, sizeof csv, "%s/residuals.csv", folder);
    options.hold_out = 3;
    if (pw_calibrate(result, points_path, &options, csv, NULL, &found, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    /* Nine fitted points: five of -1 and four of +1, so the mean is -1/9. */
    double mean = -1.0 / 9.0;
    assert_int_equal(found.fitted.count, 9);
    assert_int_equal(found.held.count, 3);
    assert_true(fabs(found.offset - (-7.3 + mean)) < 1e-3);
    assert_true(fabs(found.fitted_before.bias - (7.3 - mean)) < 1e-3);
    double scatter = sqrt(1.0 - mean * mean);
    assert_true(fabs(found.fitted.rmse - scatter) < 1e-3);
    assert_true(fabs(found.offset_error - scatter / sqrt(8.0)) < 1e-3);
    assert_true(fabs(found.held_before.bias - 5.3) < 1e-3 && fabs(found.held_before.rmse - 5.3) < 1e-3);
    assert_true(fabs(found.held.bias - (mean - 2.0)) < 1e-3);
    assert_true(found.held.correlation > 0.9999 && found.fitted.correlation > 0.99);

    int rows = 0, fitted = 0;
    file = fopen(csv, "r");
    while (fgets(line, sizeof line, file) != NULL) {
        double x, y, measured, predicted, calibrated, off;
        int used;
        if (sscanf(line, "%lf,%lf,,%lf,%lf,%lf,%lf,%d", &x, &y, &measured, &predicted, &calibrated, &off, &used) == 7) {
            assert_true(fabs(predicted - level_at(x, 2.4e9)) < 0.01);
            assert_true(fabs(calibrated - predicted - found.offset) < 1e-5 && fabs(calibrated - measured - off) < 1e-4);
            rows++;
            fitted += used;
        }
    }
    fclose(file);
    assert_int_equal(rows, 12);
    assert_int_equal(fitted, 9);
    pw_result_close(result);
}

/* Points between the cells and at single frequencies; units of frequency as everywhere. */
static void test_frequency_and_place(void **state)
{
    (void)state;
    points_write("1.6;0.8;0;2.2 GHz\n1.6\t0.8\t0\t2600000000\n1.62,0.83,0\n2.4,0.8,0,\n3,1,0\n");
    struct measured measured;
    double predicted[5];
    pw_result *result = result_get(corridor_path);
    pw_calibration_options options = options_plain();
    pw_error error = {""};
    if (measured_read(points_path, 0, &measured, &error) != PW_OK ||
        measured_predict(&measured, result, &options, predicted, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(measured.count, 5);
    assert_true(fabs(predicted[0] - level_at(1.6, 2.2e9)) < 0.01);
    assert_true(fabs(predicted[1] - level_at(1.6, 2.6e9)) < 0.01);
    /* Between cells of 8 cm the power is interpolated along x: a quarter of the next cell. */
    double step = pow(10.0, -0.08);
    assert_true(fabs(predicted[2] - (level_at(1.6, 2.4e9) + 10.0 * log10(0.75 + 0.25 * step))) < 0.01);
    assert_true(fabs(predicted[3] - level_at(2.4, 2.4e9)) < 0.01);
    measured_free(&measured);
    pw_result_close(result);
}

/* Powers at points against a channel each, at cells of the spectra; and which point is at fault. */
static void test_powers(void **state)
{
    (void)state;
    static const pw_channel_point points[] = {{1.6, 0.8, NAN, 0}, {2.4, 0.96, NAN, 0}, {1.6, 9.0, NAN, 0}};
    pw_result *result = result_get(corridor_path);
    pw_powers_options options = pw_powers_options_default();
    pw_error error = {""};
    double powers[3];
    int failed = 0;
    options.mean_width = 0.08;
    assert_int_equal(pw_channel_powers(result, NULL, points, 2, &options, powers, &failed, &error), PW_OK);
    assert_int_equal(failed, -1);
    for (int n = 0; n < 2; n++) {
        pw_channel *channel;
        const double at[2] = {points[n].x, points[n].y};
        assert_int_equal(pw_channel_create(result, NULL, NULL, at, &options.channel, &channel, &error), PW_OK);
        assert_true(fabs(powers[n] - pw_channel_metrics(channel).received_power_dbm) < 1e-6);
        pw_channel_free(channel);
    }
    assert_int_equal(pw_channel_powers(result, NULL, points, 3, &options, powers, &failed, &error), PW_BAD_INPUT);
    assert_int_equal(failed, 2);
    assert_non_null(strstr(error.message, "outside the running spectra"));
    assert_int_equal(pw_channel_powers(result, "none", points, 3, &options, powers, &failed, &error), PW_BAD_INPUT);
    assert_int_equal(failed, -1);
    pw_result_close(result);
}

static void refuse(const char *points, pw_calibration_options options, pw_status status, const char *word)
{
    points_write(points);
    pw_result *result = result_get(corridor_path);
    pw_error error = {""};
    pw_status got = pw_calibrate(result, points_path, &options, NULL, NULL, NULL, &error);
    if (got != status || strstr(error.message, word) == NULL) {
        fail_msg("status %d, '%s' does not say '%s'", (int)got, error.message, word);
    }
    pw_result_close(result);
}

static void test_refused(void **state)
{
    (void)state;
    static const char six[] = "1,.8,-30\n1.1,.8,-30\n1.2,.8,-30\n1.3,.8,-30\n1.4,.8,-30\n1.5,.8,-30\n";
    pw_calibration_options good = options_plain(), options = good;
    refuse("", good, PW_BAD_INPUT, "no points");
    refuse("# only words\nx,y,dBm\n", good, PW_BAD_INPUT, "no points");
    refuse("1,2\n", good, PW_BAD_INPUT, ":1: fewer than three");
    refuse("1,2,3,4,5\n", good, PW_BAD_INPUT, "more than four");
    refuse("x,y,dBm\n1,.8,-30\n1,here,-30\n", good, PW_BAD_INPUT, ":3: y [m] = 'here'");
    refuse("1,.8,nan\n", good, PW_BAD_INPUT, "not a number");
    refuse("1,.8,4000\n", good, PW_BAD_INPUT, "4000 dBm");
    refuse("1,.8,-30,2.4 kg\n", good, PW_BAD_INPUT, "frequency = '2.4 kg'");
    /* Few points: for the offset, for hold-out, for a material. */
    refuse("1,.8,-30\n1.1,.8,-30\n1.2,.8,-30\n1.3,.8,-30\n", good, PW_BAD_INPUT, "1 parameter cannot be fitted to 4");
    options.hold_out = 2;
    refuse(six, options, PW_BAD_INPUT, "only 1 of 6");
    options.hold_out = 0;
    options.materials[0] = "brick";
    options.material_count = 1;
    refuse(six, options, PW_BAD_INPUT, "3 parameters cannot be fitted to 6");
    options = good;
    options.hold_out = 0;
    char outside[256];
    snprintf(outside, sizeof outside, "%s9,.8,-30\n", six);
    refuse(outside, options, PW_BAD_INPUT, ":7: (9, 0.8) m is outside");
    snprintf(outside, sizeof outside, "%s1,.8,-30,5.8 GHz\n", six);
    refuse(outside, options, PW_BAD_INPUT, ":7: 5.8e+09 Hz is not in the band");
    options.hold_out = 1;
    refuse(six, options, PW_USAGE, "held out");
    options = good;
    options.receiver_gain = INFINITY;
    refuse(six, options, PW_USAGE, "gain");
    options = good;
    options.transmitter = "nobody";
    options.hold_out = 0;
    refuse(six, options, PW_BAD_INPUT, "nobody");
    pw_error error = {""};
    assert_int_equal(pw_calibrate(NULL, points_path, NULL, NULL, NULL, NULL, &error), PW_USAGE);
    pw_result *result = result_get(corridor_path);
    assert_int_equal(pw_calibrate(result, "/nowhere.csv", NULL, NULL, NULL, NULL, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "/nowhere.csv"));
    pw_result_close(result);
}

/* ---- materials ---- */

static void room_run(const char *material, const char *path)
{
    char text[2048];
    snprintf(text, sizeof text, ROOM, material);
    assert_true(text_solve(text, NULL, 0, PW_SINGLE, "cpu", path));
}

/* "Measurements" from a room whose block has 1.2 times the permittivity and 2 times the conductivity of what the result
 * assumed, 5 dB lower in level: the re-runs find all three. */
static void test_materials(void **state)
{
    (void)state;
    char truth_path[96], assumed_path[96];
    snprintf(truth_path, sizeof truth_path, "%s/truth.h5", folder);
    snprintf(assumed_path, sizeof assumed_path, "%s/assumed.h5", folder);
    room_run("{relative_permittivity: 4.692, conductivity: 0.0476 S/m}", truth_path);
    room_run("brick", assumed_path); /* 3.91 and 0.0238 S/m at 1 GHz */
    FILE *file = fopen(points_path, "w");
    for (int n = 0; n < 60; n++) {
        fprintf(file, "%.3f,%.3f,0\n", 0.3 + 0.03 * ((n * 37) % 61), 0.24 + 0.06 * ((n * 17) % 23));
    }
    fclose(file);
    struct measured measured;
    double powers[60];
    pw_error error = {""};
    pw_calibration_options options = pw_calibration_options_default();
    options.transmitter = "ap";
    options.compute.backend = "cpu";
    options.cell_factor = 1.0;
    options.hold_out = 2; /* the room is four squares of 1.5 m */
    options.materials[0] = "brick";
    options.material_count = 1;
    pw_result *truth = result_get(truth_path), *assumed = result_get(assumed_path);
    assert_int_equal(measured_read(points_path, 0, &measured, &error), PW_OK);
    assert_int_equal(measured_predict(&measured, truth, &options, powers, &error), PW_OK);
    file = fopen(points_path, "w");
    for (int n = 0; n < 60; n++) {
        fprintf(file, "%.3f,%.3f,%.6f\n", measured.points[n].x, measured.points[n].y, powers[n] - 5.0);
    }
    fclose(file);
    measured_free(&measured);
    pw_calibration found;
    if (pw_calibrate(assumed, points_path, &options, NULL, NULL, &found, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(found.fitted.rmse > 0.3); /* the offset alone does not explain it */
    assert_true(found.scaled_fitted.rmse < 0.2 * found.fitted.rmse);
    assert_true(found.scaled_held.rmse < 0.3 * found.held.rmse);
    assert_true(fabs(found.permittivity_scale[0] - 1.2) < 0.03);
    assert_true(fabs(found.conductivity_scale[0] - 2.0) < 0.3);
    assert_true(fabs(found.scaled_offset + 5.0) < 0.1);
    assert_true(found.runs <= 12);

    options.materials[0] = "vinyl";
    assert_int_equal(pw_calibrate(assumed, points_path, &options, NULL, NULL, NULL, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "no material 'vinyl'"));
    pw_result_close(truth);
    pw_result_close(assumed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offset),  cmocka_unit_test(test_frequency_and_place), cmocka_unit_test(test_powers),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_materials),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
