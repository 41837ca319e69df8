/* pw_calibrate_joint and pw_calibrate_joint_readings: checks, reading, fitting and writing of joint fits. */
#include "calibrate/calibrate.h"
#include "calibrate/joint/joint.h"
#include "calibrate/joint/readings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pw_joint_options pw_joint_options_default(void)
{
    return (pw_joint_options){.channel = pw_channel_options_default(),
                              .least_readings = 1,
                              .blocks = 1.5,
                              .huber = 1.345,
                              .cell_factor = 1.0,
                              .response_cells = 1.0,
                              .rounds = 8,
                              .sensitivity = NAN};
}

void pw_joint_free(pw_joint *joint)
{
    free(joint->transmitters);
    joint->transmitters = NULL;
    joint->transmitter_count = 0;
}

static pw_status options_check(const pw_joint_options *options, pw_error *error)
{
    pw_calibration_options simple = pw_calibration_options_default();
    simple.channel = options->channel;
    simple.receiver_gain = options->receiver_gain;
    simple.mean_width = options->mean_width;
    TRY(calibrate_check(&simple, error));
    const struct {
        const char *what;
        double value, least, most;
    } numbers[] = {{"gathering readings over", options->gather, 0.0, 1e4},
                   {"blocks of", options->blocks, 1e-3, 1e6},
                   {"Huber's constant", options->huber, 0.0, 1e6},
                   {"cells of re-runs times", options->cell_factor, 0.1, 10.0},
                   {"cells of responses times", options->response_cells, 0.0, 4.0},
                   {"readings of a cell:", options->least_readings, 1, 1e6},
                   {"rounds:", options->rounds, 1, 100}};
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        if (!(numbers[n].value >= numbers[n].least && numbers[n].value <= numbers[n].most)) {
            return fail(error, PW_USAGE, "%s %g: allowed are %g to %g", numbers[n].what, numbers[n].value,
                        numbers[n].least, numbers[n].most);
        }
    }
    if (!isnan(options->sensitivity) && !(options->sensitivity >= -300.0 && options->sensitivity <= 100.0)) {
        return fail(error, PW_USAGE, "sensitivity of %g dBm: allowed are -300 to 100 dBm", options->sensitivity);
    }
    if (options->offsets < PW_OFFSETS_EACH || options->offsets > PW_OFFSETS_NONE) {
        return fail(error, PW_USAGE, "offsets: each, one or none");
    }
    return PW_OK;
}

pw_status pw_calibrate_joint_readings(const pw_result *result, const pw_reading *readings, int count,
                                      const pw_joint_options *options, double *calibrated, pw_joint *joint,
                                      pw_error *error)
{
    pw_joint_options defaults = pw_joint_options_default();
    options = options != NULL ? options : &defaults;
    if (result == NULL || readings == NULL || joint == NULL || count < 1) {
        return fail(error, PW_USAGE, "pw_calibrate_joint_readings: a result, readings and where to are needed");
    }
    memset(joint, 0, sizeof *joint);
    TRY(options_check(options, error));
    struct joint_fit work = {0};
    const struct readings given = {
        .path = "measured readings", .readings = (pw_reading *)(uintptr_t)readings, .count = count}; /* only read */
    pw_status status = joint_fit(result, &given, options, NULL, &work, joint, error);
    for (int n = 0; status == PW_OK && calibrated != NULL && n < count; n++) {
        int cell = work.cells.of_reading[n];
        calibrated[n] = cell >= 0 ? work.values[cell] : (double)NAN;
    }
    joint_close(&work);
    if (status != PW_OK) {
        pw_joint_free(joint);
    }
    return status;
}

static pw_status files_fit(const pw_result *result, const pw_joint_files *files, const struct readings *readings,
                           const pw_joint_options *options, FILE *report, pw_joint *joint, pw_error *error)
{
    OWNED_BY(joint_close) struct joint_fit work = {0};
    TRY(joint_fit(result, readings, options, report, &work, joint, error));
    if (report != NULL) {
        joint_print(&work, joint, files->measured, report);
    }
    /* Last, so that a failure leaves nothing behind. */
    if (files->residuals != NULL) {
        TRY(joint_write_residuals(&work, joint, files->residuals, error));
    }
    if (files->fitted != NULL) {
        TRY(joint_write_scenario(&work, joint, files->fitted, error));
    }
    return PW_OK;
}

pw_status pw_calibrate_joint(const pw_result *result, const pw_joint_files *files, const pw_joint_options *options,
                             FILE *report, pw_joint *joint, pw_error *error)
{
    pw_joint_options defaults = pw_joint_options_default();
    pw_joint own = {0};
    options = options != NULL ? options : &defaults;
    if (result == NULL || files == NULL || files->measured == NULL) {
        return fail(error, PW_USAGE, "pw_calibrate_joint: no %s given",
                    result == NULL ? "result" : "measured readings");
    }
    pw_joint *found = joint != NULL ? joint : &own;
    memset(found, 0, sizeof *found);
    TRY(options_check(options, error));
    struct readings readings = {0};
    pw_status status = readings_read(files->measured, result, false, options->sensitivity, &readings, error);
    if (status == PW_OK && files->score != NULL) {
        status = readings_read(files->score, result, true, options->sensitivity, &readings, error);
    }
    THEN(status, files_fit(result, files, &readings, options, report, found, error));
    readings_free(&readings);
    if (status != PW_OK || joint == NULL) {
        pw_joint_free(found);
    }
    return status;
}
