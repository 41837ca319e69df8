/* Joint fits: regression against closed forms; offsets, slopes and materials that were put into readings come out
 * again, outliers or not; what cannot be told apart is said; files of both forms, and rubbish in them. */
#include "calibrate/joint/regression.h"
#include "tests/calibrate/hall.h"
#include "tests/support/text_solve.h"

/* Two blocks and a wall, and one that no reading feels. */
#define ROOM                                                                                                           \
    "plan:\n"                                                                                                          \
    "  size: [2.4 m, 1.8 m]\n"                                                                                         \
    "  rectangles:\n"                                                                                                  \
    "    - {from: [0.9 m, 0.3 m], to: [1.2 m, 1.5 m], material: %s}\n"                                                 \
    "    - {from: [2.36 m, 0 m], to: [2.4 m, 0.04 m], material: wood}\n"                                               \
    "grid: {scheme: dd4, cell: 3 cm, courant: 0.3}\n"                                                                  \
    "band: {centre: 1 GHz, width: 300 MHz}\n"                                                                          \
    "transmitters: [{name: other, at: [2 m, 1.6 m]}, {name: idle, at: [1.5 m, 0.2 m]},\n"                              \
    "  {name: ap, at: [0.45 m, 0.9 m], power: 17 dBm}]\n"                                                              \
    "spectra: {count: 24, spacing: 2 cells}\n"                                                                         \
    "stop: {after: 40 ns, decay: off}\n"

static void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void offset_readings(pw_reading readings[2 * PLACES], double noise)
{
    for (int n = 0; n < 2 * PLACES; n++) {
        double x = place_x(n), y = place_y(n), wild = n % 12 == 5 ? 25.0 : 0.0;
        readings[n] = (pw_reading){.transmitter = n < PLACES ? "left" : "right",
                                   .x = x,
                                   .y = y,
                                   .height = NAN,
                                   .power = level_at(n >= PLACES, x, y) + (n < PLACES ? -7.3 : 4.1) +
                                            noise * noise_at(n) + (noise > 0.0 ? wild : 0.0)};
    }
}

/* ---- regression ---- */

static void test_regression(void **state)
{
    (void)state;
    /* Quantiles from tables. */
    const double tables[][2] = {{1, 12.706}, {4, 2.776}, {5, 2.571}, {10, 2.228}, {30, 2.042}, {120, 1.980}};
    for (int n = 0; n < 6; n++) {
        assert_true(fabs(student_quantile(tables[n][0]) - tables[n][1]) < 0.004);
    }
    /* y = 2 + 3 t, two of twenty far off: found by Huber's weights as least squares does not find it. */
    double matrix[20][2], target[20], beta[2], scale, covariance[4];
    int cluster[20];
    for (int n = 0; n < 20; n++) {
        matrix[n][0] = 1.0;
        matrix[n][1] = n;
        target[n] = 2.0 + 3.0 * n + 0.1 * noise_at(n) + (n == 4 || n == 17 ? 50.0 : 0.0);
        cluster[n] = n;
    }
    struct regression regression = {
        .rows = 20, .columns = 2, .matrix = &matrix[0][0], .target = target, .huber = 1.345};
    pw_error error = {""};
    assert_int_equal(regression_solve(&regression, beta, &scale, &error), PW_OK);
    assert_true(fabs(beta[0] - 2.0) < 0.1 && fabs(beta[1] - 3.0) < 0.01 && scale < 0.2);
    regression.huber = 0.0;
    assert_int_equal(regression_solve(&regression, beta, &scale, &error), PW_OK);
    assert_true(fabs(beta[0] - 2.0) > 1.0);
    /* Least squares of a mean, every error 1 or -1: the variance is s^2/n; in clusters of two equal errors twice
     * that, s^2 with one degree of freedom less than clusters, as the jackknife has it. */
    for (int n = 0; n < 20; n++) {
        matrix[n][0] = 1.0;
        target[n] = n / 2 % 2 == 0 ? 1.0 : -1.0;
    }
    double ones[20];
    for (int n = 0; n < 20; n++) {
        ones[n] = 1.0;
    }
    regression = (struct regression){.rows = 20, .columns = 1, .matrix = ones, .target = target};
    assert_int_equal(regression_solve(&regression, beta, &scale, &error), PW_OK);
    assert_true(fabs(beta[0]) < 1e-6);
    assert_int_equal(regression_covariance(&regression, beta, scale, cluster, 20, covariance, &error), PW_OK);
    assert_true(fabs(covariance[0] * 20.0 - 20.0 / 19.0) < 1e-6);
    for (int n = 0; n < 20; n++) {
        cluster[n] = n / 2;
    }
    assert_int_equal(regression_covariance(&regression, beta, scale, cluster, 10, covariance, &error), PW_OK);
    assert_true(fabs(covariance[0] * 20.0 - 2.0 * 10.0 / 9.0) < 1e-6);
}

/* ---- offsets, slope, exponent ---- */

static void test_offsets(void **state)
{
    (void)state;
    pw_reading readings[2 * PLACES];
    double calibrated[2 * PLACES];
    pw_error error = {""};
    pw_result *result = result_get(hall_path);
    pw_joint_options options = options_plain();
    pw_joint joint;
    offset_readings(readings, 0.0);
    if (pw_calibrate_joint_readings(result, readings, 2 * PLACES, &options, calibrated, &joint, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(joint.transmitter_count, 2);
    assert_int_equal(joint.cell_count, 2 * PLACES);
    assert_string_equal(joint.transmitters[0].name, "left");
    assert_true(fabs(joint.transmitters[0].offset + 7.3) < 0.01 && fabs(joint.transmitters[1].offset - 4.1) < 0.01);
    assert_true(joint.fitted.rmse < 0.02 && joint.crossed.rmse < 0.02 && joint.fitted.correlation > 0.9999);
    assert_int_equal(joint.fold_count, 8);
    assert_true(fabs(calibrated[3] - readings[3].power) < 0.02);
    /* The second transmitter is a line in lg d, the first is none. */
    assert_true(joint.distance_crossed.rmse > 0.2);
    pw_joint_free(&joint);

    /* One in twelve is 25 dB off; a slope of 0.8 and an exponent of -0.5 are found beside. */
    offset_readings(readings, 0.5);
    for (int n = 0; n < 2 * PLACES; n++) {
        double x = readings[n].x, y = readings[n].y;
        double away = n < PLACES ? hypot(x, y - 0.8) : hypot(x - 4.8, y - 1.6);
        readings[n].power += -0.2 * level_at(n >= PLACES, x, y) - 0.5 * 10.0 * log10(away);
    }
    const char *const levels[] = {"slope", "exponent=-2..2"};
    options.parameters = levels;
    options.parameter_count = 2;
    if (pw_calibrate_joint_readings(result, readings, 2 * PLACES, &options, calibrated, &joint, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(fabs(joint.parameters[0].value - 0.8) < 0.05 && fabs(joint.parameters[1].value + 0.5) < 0.2);
    assert_true(joint.parameters[0].low < 0.8 && joint.parameters[0].high > 0.8);
    assert_true(joint.parameters[1].low < -0.5 && joint.parameters[1].high > -0.5);
    assert_true(joint.parameters[0].high - joint.parameters[0].low < 0.2);
    assert_true(joint.scale < 1.0); /* dB: outliers apart */
    pw_joint_free(&joint);

    /* Of the second transmitter alone slope and exponent are the same thing. */
    for (int n = 0; n < PLACES; n++) {
        readings[n].transmitter = "right";
        readings[n].power = level_at(1, readings[n].x, readings[n].y) + noise_at(n);
    }
    options.offsets = PW_OFFSETS_ONE;
    assert_int_equal(pw_calibrate_joint_readings(result, readings, PLACES, &options, NULL, &joint, &error), PW_OK);
    assert_true(fabs(joint.alike) > 0.99 && joint.alike_first == 0 && joint.alike_other == 1);
    pw_joint_free(&joint);
    pw_result_close(result);
}

/* ---- cells and files ---- */

static void test_files(void **state)
{
    (void)state;
    char residuals[128], line[512];
    FILE *file = fopen(readings_path, "w");
    FILE *score = fopen(score_path, "w");
    fprintf(file, "# a drive\nx,y,note,rssi_left,right\n");
    fprintf(score, "transmitter;x;y;power\n");
    for (int n = 0; n < PLACES; n++) {
        double x = place_x(n), y = place_y(n);
        fprintf(file, "%.3f,%.3f,\"a b\",%.6f,", x, y, level_at(0, x, y) + 1.0);
        fprintf(file, n % 4 == 0 ? "\n" : "%.6f\n", level_at(1, x, y) + 2.0);
        fprintf(score, "right;%.3f;%.3f;%.6f\n", x, y, level_at(1, x, y) + 5.0);
    }
    fclose(file);
    fclose(score);
    pw_result *result = result_get(hall_path);
    pw_joint_options options = options_plain();
    options.gather = 0.4;
    options.mean_of_levels = true;
    pw_joint joint;
    pw_error error = {""};
    snprintf(residuals, sizeof residuals, "%s/residuals.csv", folder);
    const pw_joint_files files = {.measured = readings_path, .score = score_path, .residuals = residuals};
    if (pw_calibrate_joint(result, &files, &options, NULL, &joint, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(joint.reading_count, PLACES + PLACES - PLACES / 4);
    assert_true(joint.cell_count < joint.reading_count && joint.held_count > 0);
    assert_true(fabs(joint.transmitters[0].offset - 1.0) < 0.01 && fabs(joint.transmitters[1].offset - 2.0) < 0.01);
    assert_true(fabs(joint.held.bias + 3.0) < 0.02 && fabs(joint.held.rmse - 3.0) < 0.02);
    int rows = 0;
    file = fopen(residuals, "r");
    while (fgets(line, sizeof line, file) != NULL) {
        rows += strncmp(line, "left,", 5) == 0 || strncmp(line, "right,", 6) == 0;
    }
    fclose(file);
    assert_int_equal(rows, joint.cell_count + joint.held_count);
    pw_joint_free(&joint);
    pw_result_close(result);
}

/* A transmitter that is scored and not fitted has no offset of its own: it is given the mean of the others', and a
 * score by itself. Its readings lie 7 dB over the prediction, those of the one that is fitted 1 dB. */
static void test_strangers(void **state)
{
    (void)state;
    FILE *file = fopen(readings_path, "w"), *score = fopen(score_path, "w");
    fprintf(file, "x,y,left\n");
    fprintf(score, "transmitter,x,y,power\n");
    for (int n = 0; n < PLACES; n++) {
        double x = place_x(n), y = place_y(n);
        fprintf(file, "%.3f,%.3f,%.6f\n", x, y, level_at(0, x, y) + 1.0);
        fprintf(score, "right,%.3f,%.3f,%.6f\n", x, y, level_at(1, x, y) + 7.0);
    }
    fclose(file);
    fclose(score);
    pw_result *result = result_get(hall_path);
    pw_joint_options options = options_plain();
    pw_joint joint;
    pw_error error = {""};
    const pw_joint_files files = {.measured = readings_path, .score = score_path};
    char *text = NULL;
    size_t size;
    FILE *report = open_memstream(&text, &size);
    assert_int_equal(pw_calibrate_joint(result, &files, &options, report, &joint, &error), PW_OK);
    fclose(report);
    assert_int_equal(joint.held.count, 0);
    assert_int_equal(joint.distance_held.count, 0);
    assert_true(joint.strangers.count > 0 && fabs(joint.strangers.rmse - 6.0) < 0.02);
    assert_true(fabs(joint.interval - 1.96 * joint.crossed.rmse) < 1e-12);
    assert_non_null(strstr(text, "transmitters that were not fitted"));
    assert_non_null(strstr(text, "not fitted: the mean of the others' offsets"));
    assert_non_null(strstr(text, "a level at a new place: within 0.0 dB of the fitted one in 19 of 20"));
    free(text);
    pw_joint_free(&joint);
    pw_result_close(result);
}

static void refuse(const char *text, pw_joint_options options, pw_status status, const char *word)
{
    file_write(readings_path, text);
    pw_result *result = result_get(hall_path);
    pw_error error = {""};
    const pw_joint_files files = {.measured = readings_path};
    pw_status got = pw_calibrate_joint(result, &files, &options, NULL, NULL, &error);
    if (got != status || strstr(error.message, word) == NULL) {
        fail_msg("status %d, '%s' does not say '%s'", (int)got, error.message, word);
    }
    pw_result_close(result);
}

static void refuse_parameter(const char *parameter, const char *word)
{
    pw_joint_options options = options_plain();
    options.parameters = &parameter;
    options.parameter_count = 1;
    refuse("x,y,left\n1,1,-40\n", options, PW_BAD_INPUT, word);
}

static void test_refused(void **state)
{
    (void)state;
    pw_joint_options good = options_plain();
    refuse("", good, PW_BAD_INPUT, "no readings");
    refuse("1,2,-40\n", good, PW_BAD_INPUT, ":1: no heading");
    refuse("x,y,nobody\n1,2,-40\n", good, PW_BAD_INPUT, "'left' and others");
    refuse("x,y,x_m,left\n", good, PW_BAD_INPUT, "'x' and 'x_m' would be the same");
    refuse("x,y,transmitter\n", good, PW_BAD_INPUT, "one column power");
    refuse("x,y,transmitter,power,left\n", good, PW_BAD_INPUT, "one column power");
    refuse("x,y,transmitter,power\n1,1,nobody,-40\n", good, PW_BAD_INPUT, ":2: ");
    refuse("x,y,left\n1,1\n", good, PW_BAD_INPUT, ":2: 2 columns where the heading has 3");
    refuse("x,y,left\n1,here,-40\n", good, PW_BAD_INPUT, ":2: y [m] = 'here'");
    refuse("x,y,left\n1,1,4000\n", good, PW_BAD_INPUT, "-300 to 100");
    refuse("x,y,left\n1,1,<4000\n", good, PW_BAD_INPUT, "-300 to 100");
    refuse("x,y,left\n1,1,<-90\n", good, PW_BAD_INPUT, "0 cells of readings over the sensitivity");
    refuse("x,y,left,frequency\n1,1,-40,2 kg\n", good, PW_BAD_INPUT, "frequency = '2 kg'");
    refuse("x,y,left\n1,1,\n", good, PW_BAD_INPUT, "no readings");
    refuse("x,y,left\n1,1,-40\n", good, PW_BAD_INPUT, "1 parameter, offsets included");
    refuse("x,y,left\n1,1,-40\n1,1,-40\n1,1,-40\n1,1,-40\n1,99,-40\n", good, PW_BAD_INPUT, ":6: (1, 99) m is outside");
    refuse_parameter("brick:permittivity", "no material 'brick'");
    refuse_parameter("brick", "'brick' cannot be fitted");
    refuse_parameter("", "is not a parameter");
    refuse_parameter("slope=1", "give a range");
    refuse_parameter("slope=2..1", "from less to more");
    refuse_parameter("slope=0..1", "too wide below");
    refuse_parameter("height=1kg..2", "height=1kg..2");
    const char *const body[] = {"body"};
    pw_joint_options carried = good;
    carried.parameters = body;
    carried.parameter_count = 1;
    refuse("x,y,left\n1,1,-40\n1,1,-41\n1,1,-40\n1,1,-41\n1,1,-40\n1,1,-41\n1,1,-40\n1,1,-41\n1,1,-40\n1,1,-41\n",
           carried, PW_BAD_INPUT, "a column facing");
    refuse("x,y,left,facing\n1,1,-40,900\n", good, PW_BAD_INPUT, "facing [degrees]");
    pw_joint_options bad = good;
    bad.blocks = 0.0;
    refuse("x,y,left\n1,1,-40\n", bad, PW_USAGE, "blocks");
    bad = good;
    bad.sensitivity = -400.0;
    refuse("x,y,left\n1,1,-40\n", bad, PW_USAGE, "sensitivity of -400 dBm");
    const char *const twice[] = {"slope", "slope=0.5..1"};
    bad = good;
    bad.parameters = twice;
    bad.parameter_count = 2;
    refuse("x,y,left\n1,1,-40\n", bad, PW_BAD_INPUT, "twice");
    pw_error error = {""};
    assert_int_equal(pw_calibrate_joint(NULL, NULL, NULL, NULL, NULL, &error), PW_USAGE);
}

/* ---- materials ---- */

static void room_run(const char *material, const char *path)
{
    char text[2048];
    snprintf(text, sizeof text, ROOM, material);
    assert_true(text_solve(text, NULL, 0, PW_SINGLE, "cpu", path));
}

static void within(const pw_fitted *fitted, double truth, double part)
{
    if (!(fitted->low < truth && fitted->high > truth && fabs(fitted->value - truth) < part * truth)) {
        fail_msg("%s: %g (%g to %g), and it was %g", fitted->name, fitted->value, fitted->low, fitted->high, truth);
    }
}

/* "Readings" in a room whose block has other values, each transmitter with an offset of its own and 1 dB of noise. */
static void test_materials(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    char truth_path[96], assumed_path[96], fitted_path[96];
    snprintf(truth_path, sizeof truth_path, "%s/truth.h5", folder);
    snprintf(assumed_path, sizeof assumed_path, "%s/assumed.h5", folder);
    snprintf(fitted_path, sizeof fitted_path, "%s/fitted.yaml", folder);
    room_run("{relative_permittivity: 4.692, conductivity: 0.0476 S/m}", truth_path);
    room_run("brick", assumed_path); /* 3.91 and 0.0238 S/m at 1 GHz */
    pw_reading readings[2 * COUNT];
    double levels[2 * COUNT];
    for (int n = 0; n < 2 * COUNT; n++) {
        readings[n] = (pw_reading){.transmitter = n < COUNT ? "ap" : "other",
                                   .x = 0.3 + 0.03 * ((n * 37) % 61),
                                   .y = 0.24 + 0.06 * ((n * 17) % 23),
                                   .height = NAN};
    }
    pw_error error = {""};
    pw_joint_options options = pw_joint_options_default();
    options.compute.backend = "cpu";
    options.offsets = PW_OFFSETS_NONE;
    options.blocks = 0.4;
    pw_joint joint;
    pw_result *truth = result_get(truth_path), *assumed = result_get(assumed_path);
    assert_int_equal(pw_calibrate_joint_readings(truth, readings, 2 * COUNT, &options, levels, &joint, &error), PW_OK);
    pw_joint_free(&joint);
    FILE *file = fopen(readings_path, "w");
    fprintf(file, "x,y,transmitter,dBm\n");
    for (int n = 0; n < 2 * COUNT; n++) {
        fprintf(file, "%.3f,%.3f,%s,%.6f\n", readings[n].x, readings[n].y, readings[n].transmitter,
                levels[n] + (n < COUNT ? -5.0 : 3.0) + noise_at(n));
    }
    fclose(file);
    const char *const parameters[] = {"brick:permittivity=2..8", "brick:conductivity=1mS/m..0.3", "wood:permittivity"};
    options.parameters = parameters;
    options.parameter_count = 3;
    options.offsets = PW_OFFSETS_EACH;
    const pw_joint_files files = {.measured = readings_path, .fitted = fitted_path};
    if (pw_calibrate_joint(assumed, &files, &options, NULL, &joint, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    within(&joint.parameters[0], 4.692, 0.1);
    within(&joint.parameters[1], 0.0476, 0.4);
    assert_false(joint.parameters[2].felt);
    assert_true(fabs(joint.transmitters[0].offset - 3.0) < 0.5 && fabs(joint.transmitters[1].offset + 5.0) < 0.5);
    assert_true(joint.fitted.rmse < 0.8 && joint.before.rmse > joint.fitted.rmse + 0.1);
    assert_true(joint.crossed.rmse < joint.before.rmse);
    assert_true(joint.runs < 15);

    /* The scenario that was written has these values and offsets. */
    pw_scenario *scenario = NULL;
    if (pw_scenario_load(fitted_path, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    const char *text = strstr(pw_scenario_text(scenario), "relative_permittivity:");
    double permittivity = 0.0;
    assert_non_null(text);
    assert_int_equal(sscanf(text, "relative_permittivity: %lf", &permittivity), 1);
    assert_true(fabs(permittivity - joint.parameters[0].value) < 1e-6 * permittivity);
    text = strstr(pw_scenario_text(scenario), "name: \"ap\"");
    assert_non_null(text);
    double power = 0.0;
    assert_int_equal(sscanf(strstr(text, "power: ") + 7, "%lf", &power), 1);
    assert_true(fabs(power - 17.0 - joint.transmitters[1].offset) < 0.2);
    pw_scenario_free(scenario);
    pw_joint_free(&joint);
    pw_result_close(truth);
    pw_result_close(assumed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(test_regression), cmocka_unit_test(test_offsets), cmocka_unit_test(test_files),
        cmocka_unit_test(test_strangers),  cmocka_unit_test(test_refused), cmocka_unit_test(test_materials),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
