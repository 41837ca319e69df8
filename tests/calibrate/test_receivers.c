/* What joint fits know of receivers: readings below the sensitivity, offsets of devices, and the body of the carrier.
 */
#include "calibrate/joint/regression.h"
#include "tests/calibrate/hall.h"

/* What lies below a limit is only known to. Errors are quantiles of a normal distribution, so that the answers are
 * known: mean and deviation of the whole, which the values over the limit alone miss by the mean of a truncated one. */
static void test_regression_below(void **state)
{
    (void)state;
    enum { ROWS = 400 };
    double ones[ROWS], target[ROWS], beta, scale;
    bool below[ROWS], left_out[ROWS];
    pw_error error = {""};
    for (int n = 0; n < ROWS; n++) { /* the quantile by bisection */
        double low = -5.0, high = 5.0;
        for (int k = 0; k < 60; k++) {
            double middle = 0.5 * (low + high);
            *(0.5 * erfc(-middle / sqrt(2.0)) < (n + 0.5) / ROWS ? &low : &high) = middle;
        }
        double value = 7.0 + 3.0 * low, limit = n % 2 == 0 ? 7.0 : 4.0;
        ones[n] = 1.0;
        left_out[n] = below[n] = value < limit;
        target[n] = fmax(value, limit);
    }
    struct regression regression = {
        .rows = ROWS, .columns = 1, .matrix = ones, .target = target, .left_out = left_out, .huber = 1.345};
    assert_int_equal(regression_solve(&regression, &beta, &scale, &error), PW_OK);
    assert_true(beta > 8.0); /* the rest alone, by 0.29 to 0.8 deviations too high */
    for (int huber = 0; huber < 2; huber++) {
        double variance;
        int cluster[ROWS];
        for (int n = 0; n < ROWS; n++) {
            cluster[n] = n;
        }
        regression = (struct regression){
            .rows = ROWS, .columns = 1, .matrix = ones, .target = target, .huber = huber ? 1.345 : 0.0, .below = below};
        assert_int_equal(regression_solve(&regression, &beta, &scale, &error), PW_OK);
        assert_true(fabs(beta - 7.0) < 0.06 && fabs(scale - 3.0) < 0.06);
        assert_int_equal(regression_covariance(&regression, &beta, scale, cluster, ROWS, &variance, &error), PW_OK);
        /* Fisher's information of a limit at t deviations is l (l + t), l = density / chance; of a value 1. */
        double information = 0.0;
        for (int n = 0; n < ROWS; n++) {
            double t = n % 2 == 0 ? 0.0 : -1.0, chance = 0.5 * erfc(-t / sqrt(2.0));
            double l = exp(-0.5 * t * t) / sqrt(2.0 * M_PI) / chance;
            information += (1.0 - chance) + chance * l * (l + t);
        }
        assert_true(fabs(variance * information / 9.0 - 1.0) < (huber ? 0.15 : 0.05));
    }
    /* The loss of a limit is that of its probability, -ln(chance). */
    assert_true(fabs(below_loss(0.0, 0.0) - log(2.0)) < 2e-3 && below_loss(9.0, 0.0) < 1e-6);
    assert_true(fabs(below_loss(-20.0, 0.0) - below_loss(-19.0, 0.0) - 19.5) < 0.06);
}

/* Readings under -33 dBm are missing. A fit of the rest alone tells offsets too high and a slope too low; one that
 * knows the sensitivity does not. A transmitter of which nothing was received has no offset of its own. */
static void test_sensitivity(void **state)
{
    (void)state;
    enum { MORE = 600 };
    const double limit = -33.0;
    FILE *file = fopen(readings_path, "w"), *score = fopen(score_path, "w");
    fprintf(file, "x,y,left,right\n");
    fprintf(score, "x,y,left\n");
    int missing = 0;
    for (int n = 0; n < MORE; n++) {
        double x = 0.32 + 4.16 * (0.5 + 0.5 * noise_at(5 * n)), y = 0.24 + 2.7 * (0.5 + 0.5 * noise_at(5 * n + 1));
        double noise = noise_at(5 * n + 2) + noise_at(5 * n + 3) + noise_at(5 * n + 4); /* deviation 1 */
        double power = level_at(0, x, y) - 3.0 + 3.0 * noise;
        missing += power < limit;
        fprintf(file, power < limit ? "%.4f,%.4f,,\n" : "%.4f,%.4f,%.6f,\n", x, y, power);
        fprintf(score, "%.4f,%.4f,<-80\n", x, y);
    }
    fclose(file);
    fclose(score);
    assert_true(missing > MORE / 3 && missing < 2 * MORE / 3);
    pw_result *result = result_get(hall_path);
    pw_joint_options options = options_plain();
    const char *const slope[] = {"slope"};
    options.parameters = slope;
    options.parameter_count = 1;
    pw_joint joint;
    pw_error error = {""};
    const pw_joint_files files = {.measured = readings_path, .score = score_path};
    const pw_joint_files alone = {.measured = readings_path};
    assert_int_equal(pw_calibrate_joint(result, &alone, &options, NULL, &joint, &error), PW_OK);
    assert_true(joint.parameters[0].value < 0.8 && joint.parameters[0].high < 1.0);
    pw_joint_free(&joint);
    options.sensitivity = limit;
    if (pw_calibrate_joint(result, &files, &options, NULL, &joint, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(joint.parameters[0].low < 1.0 && joint.parameters[0].high > 1.0);
    assert_true(fabs(joint.parameters[0].value - 1.0) < 0.06 && fabs(joint.scale - 3.0) < 0.3);
    assert_int_equal(joint.below_crossed.count, missing + MORE);
    assert_true(joint.below_crossed.predicted > 3 * missing / 4);
    assert_int_equal(joint.below_held.predicted, 0); /* none is predicted below -80 dBm */
    assert_int_equal(joint.transmitter_count, 2);
    assert_true(fabs(joint.transmitters[1].offset - joint.transmitters[0].offset) < 1e-9);
    assert_int_equal(joint.fitted.count, MORE - missing);
    pw_joint_free(&joint);
    pw_result_close(result);
}

/* Two devices that differ by 2.5 dB, and a carrier who takes up to 6 dB from behind: both come out of a file again. */
static void test_devices_and_body(void **state)
{
    (void)state;
    FILE *file = fopen(readings_path, "w");
    fprintf(file, "x,y,transmitter,power,device,facing\n");
    for (int n = 0; n < 2 * PLACES; n++) {
        double x = place_x(n), y = place_y(n), facing = 180.0 * noise_at(7 * n);
        double dx = n < PLACES ? -x : 4.8 - x, dy = n < PLACES ? 0.8 - y : 1.6 - y;
        double away = atan2(dy, dx) - facing * M_PI / 180.0;
        double power = level_at(n >= PLACES, x, y) + (n % 3 == 0 ? 2.5 : 0.0) - 3.0 * (1.0 - cos(away));
        fprintf(file, "%.4f,%.4f,%s,%.6f,%s,%.4f\n", x, y, n < PLACES ? "left" : "right", power,
                n % 3 == 0 ? "tablet" : "phone", facing);
    }
    fclose(file);
    pw_result *result = result_get(hall_path);
    pw_joint_options options = options_plain();
    const char *const body[] = {"body"};
    pw_joint joint;
    pw_error error = {""};
    options.parameters = body;
    options.parameter_count = 1;
    const pw_joint_files files = {.measured = readings_path};
    if (pw_calibrate_joint(result, &files, &options, NULL, &joint, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(joint.device_count, 2);
    assert_string_equal(joint.devices[0].name, "tablet");
    assert_true(joint.devices[0].offset == 0.0 && fabs(joint.devices[1].offset + 2.5) < 0.01);
    assert_true(fabs(joint.parameters[0].value - 6.0) < 0.02 && joint.fitted.rmse < 0.02);
    assert_true(fabs(joint.transmitters[0].offset - 2.5) < 0.02 && fabs(joint.transmitters[1].offset - 2.5) < 0.02);
    pw_joint_free(&joint);
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regression_below),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_devices_and_body),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
