/* Calibration of a result (calibrate.h), and pw_calibrate_points. */
#include "calibrate/calibrate.h"

#include <math.h>
#include <string.h>

static const double OFFSET_PART = 0.05; /* of the work, when materials are scaled too */

pw_calibration_options pw_calibration_options_default(void)
{
    return (pw_calibration_options){.channel = pw_channel_options_default(), .hold_out = 4, .cell_factor = 1.0};
}

pw_status calibrate_check(const pw_calibration_options *options, pw_error *error)
{
    const pw_powers_options powers = {
        .channel = options->channel, .receiver_gain = options->receiver_gain, .mean_width = options->mean_width};
    TRY(pw_powers_options_check(&powers, error));
    if (options->hold_out == 1 || options->hold_out < 0) {
        return fail(error, PW_USAGE, "every %d-th place held out: allowed are 0 (none), 2 and more", options->hold_out);
    }
    if (options->material_count < 0 || options->material_count > PW_CALIBRATED_MATERIALS) {
        return fail(error, PW_USAGE, "%d materials to scale; allowed are 0 to %d", options->material_count,
                    PW_CALIBRATED_MATERIALS);
    }
    return PW_OK;
}

static void offset_fit(const struct measured *measured, const double *predicted, pw_calibration *calibration)
{
    calibration->fitted_before = measured_score(measured, predicted, 0.0, false);
    calibration->held_before = measured_score(measured, predicted, 0.0, true);
    calibration->offset = -calibration->fitted_before.bias;
    calibration->fitted = measured_score(measured, predicted, calibration->offset, false);
    calibration->held = measured_score(measured, predicted, calibration->offset, true);
    calibration->fitted.bias = 0.0; /* as the fit has it, without the rounding */
    double n = calibration->fitted.count;
    calibration->offset_error = calibration->fitted.rmse / sqrt(n - 1.0); /* s/sqrt(n) with s from n - 1 */
}

/* What the monitor is told by the predictions, and by the re-runs. */
static pw_monitor_part part_of(const pw_calibration_options *options, bool second)
{
    double border = options->material_count > 0 ? OFFSET_PART : 1.0;
    return (pw_monitor_part){&options->monitor, second ? border : 0.0, second ? 1.0 : border};
}

pw_status calibrate_offset(const pw_result *result, const struct measured *measured,
                           const pw_calibration_options *options, double *predicted, pw_calibration *calibration,
                           pw_error *error)
{
    TRY(measured_suffices(measured, 1 + 2 * options->material_count, error));
    pw_monitor_part part = part_of(options, false);
    pw_calibration_options watched = *options;
    watched.monitor = pw_monitor_of_part(&part);
    TRY(measured_predict(measured, result, &watched, predicted, error));
    offset_fit(measured, predicted, calibration);
    return pw_monitor_tell(&watched.monitor, 1.0, error);
}

pw_status calibrate_scales(const pw_result *result, const struct measured *measured,
                           const pw_calibration_options *options, const struct rerun_listener *listener,
                           pw_calibration *calibration, pw_error *error)
{
    size_t length;
    if (options->material_count == 0) {
        return PW_OK;
    }
    if (pw_result_text(result, "plan_source", 0, &length) != NULL) {
        return fail(error, PW_BAD_INPUT,
                    "%s: its plan was given as arrays, so it cannot be run again with other materials",
                    pw_result_path(result));
    }
    pw_monitor_part part = part_of(options, true);
    pw_calibration_options watched = *options;
    watched.monitor = pw_monitor_of_part(&part);
    return calibrate_materials(result, measured, &watched, listener, calibration, error);
}

pw_status pw_calibrate_points(const pw_result *result, const pw_point *points, int count,
                              const pw_calibration_options *options, double *predicted, pw_calibration *calibration,
                              pw_error *error)
{
    pw_calibration_options defaults = pw_calibration_options_default();
    options = options != NULL ? options : &defaults;
    if (result == NULL || points == NULL || predicted == NULL || calibration == NULL) {
        return fail(error, PW_USAGE, "pw_calibrate_points: result, points, predicted and calibration must not be NULL");
    }
    memset(calibration, 0, sizeof *calibration);
    TRY(calibrate_check(options, error));
    struct measured measured;
    TRY(measured_take(points, count, options->hold_out, &measured, error));
    pw_status status = calibrate_offset(result, &measured, options, predicted, calibration, error);
    THEN(status, calibrate_scales(result, &measured, options, NULL, calibration, error));
    measured_free(&measured);
    return status;
}
