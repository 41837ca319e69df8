/* pw_calibrate: reads measured points, has them calibrated (calibrate.h), prints the summary and writes the points. */
#include "calibrate/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void score_print(FILE *report, const char *what, pw_calibration_score score)
{
    fprintf(report, "  %-22s %5d points   bias %7.2f dB   RMSE %6.2f dB   correlation %6.3f\n", what, score.count,
            score.bias, score.rmse, score.correlation);
}

static void offset_print(const struct measured *measured, const pw_calibration_options *options,
                         const pw_calibration *calibration, FILE *report)
{
    fprintf(report, "%d measured points of %s; ", measured->count, measured->path);
    if (measured->fitted < measured->count) {
        fprintf(report, "held out: %d of %d places, squares of %g m\n", measured->places_held, measured->places,
                MEASURED_PLACE);
    } else {
        fprintf(report, "none held out%s: what follows is how well the fit describes its own points\n",
                options->hold_out > measured->places ? ", since there are too few places" : "");
    }
    fprintf(report, "as predicted\n");
    score_print(report, "points to be fitted", calibration->fitted_before);
    if (calibration->held_before.count > 0) {
        score_print(report, "places held out", calibration->held_before);
    }
    fprintf(report, "with a global offset of %.2f dB (standard error %.2f dB)\n", calibration->offset,
            calibration->offset_error);
    score_print(report, "fitted points", calibration->fitted);
    if (calibration->held.count > 0) {
        score_print(report, "places held out", calibration->held);
    }
}

static void scales_print(const pw_calibration_options *options, const pw_calibration *calibration, FILE *report)
{
    const pw_calibration_score *before = &calibration->unscaled_fitted, *held_before = &calibration->unscaled_held;
    fprintf(report, "materials, by %d re-runs", calibration->runs);
    if (options->cell_factor != 1.0) {
        fprintf(report, " on cells %g times as large", options->cell_factor);
    }
    fputc('\n', report);
    for (int m = 0; m < calibration->material_count; m++) {
        fprintf(report, "  %-22s permittivity x %.3f   conductivity x %.3f\n", options->materials[m],
                calibration->permittivity_scale[m], calibration->conductivity_scale[m]);
    }
    fprintf(report, "  fitted points: RMSE %.2f -> %.2f dB", before->rmse, calibration->scaled_fitted.rmse);
    if (held_before->count > 0) {
        fprintf(report, "; held out: %.2f -> %.2f dB", held_before->rmse, calibration->scaled_held.rmse);
    }
    fprintf(report, ", offset %.2f dB\n", calibration->scaled_offset);
    if (held_before->count > 0 && !(calibration->scaled_held.rmse < held_before->rmse)) {
        fprintf(report, "  the points that were held out are not predicted better: keep the materials as they are\n");
    }
}

/* Re-runs may take long: a line after each says how far they are. */
static void rerun_print(int run, double rmse, void *report)
{
    fprintf(report, "  re-run %d: RMSE %.2f dB over the fitted points\n", run, rmse);
    (void)fflush(report); /* a failure shows at the end */
}

static pw_status csv_write(const pw_result *result, const struct measured *measured, const double *predicted,
                           const pw_calibration_options *options, const pw_calibration *calibration, const char *path,
                           pw_error *error)
{
    char step[PW_SPREADING_SIZE];
    int transmitter;
    TRY(pw_result_find_transmitter(result, options->transmitter, &transmitter, error));
    FILE *file = pw_file_create(path, error);
    TRY_MADE(file);
    fprintf(file,
            "# planwave %s: predicted received power against %s\n"
            "# from 2D to 3D: %s; receiver gain %.6g dBi\n"
            "# offset %.6f dB, to be added to predictions; fitted: 0 held out, 1 used in the fit\n"
            "x_m,y_m,%sfrequency_Hz,measured_dBm,predicted_dBm,calibrated_dBm,error_dB,fitted\n",
            PW_VERSION, measured->path,
            pw_channel_spreading_text(result, transmitter,
                                      measured->has_heights ? (double)INFINITY : options->channel.receiver_height,
                                      &options->channel, step),
            options->receiver_gain, calibration->offset, measured->has_heights ? "z_m," : "");
    for (int n = 0; n < measured->count; n++) {
        const struct measured_point *point = &measured->points[n];
        double calibrated = predicted[n] + calibration->offset;
        pw_csv_write(file, "%.9g,%.9g,", point->x, point->y);
        if (measured->has_heights) {
            pw_csv_write(file, "% .9g,", point->height);
        }
        pw_csv_write(file, "% .12g,%.6g,%.6f,%.6f,%.6f,%d\n", point->frequency > 0.0 ? point->frequency : (double)NAN,
                     point->power, predicted[n], calibrated, calibrated - point->power, !point->held);
    }
    return pw_file_finish(file, path, error);
}

static pw_status measured_write(const pw_result *result, const struct measured *measured,
                                const pw_calibration_options *options, const char *csv_path, FILE *report,
                                pw_calibration *calibration, pw_error *error)
{
    OWNED double *predicted = allocate((size_t)measured->count, sizeof *predicted, "predictions", error);
    TRY_MADE(predicted);
    struct rerun_listener listener = {.told = report != NULL ? rerun_print : NULL, .user = report};
    TRY(calibrate_offset(result, measured, options, predicted, calibration, error));
    if (report != NULL) {
        offset_print(measured, options, calibration, report);
    }
    TRY(calibrate_scales(result, measured, options, &listener, calibration, error));
    if (report != NULL && options->material_count > 0) {
        scales_print(options, calibration, report);
    }
    /* Last, so that a failure leaves nothing behind. */
    return csv_path != NULL ? csv_write(result, measured, predicted, options, calibration, csv_path, error) : PW_OK;
}

pw_status pw_calibrate(const pw_result *result, const char *measured_path, const pw_calibration_options *options,
                       const char *csv_path, FILE *report, pw_calibration *calibration, pw_error *error)
{
    pw_calibration_options defaults = pw_calibration_options_default();
    pw_calibration unused;
    options = options != NULL ? options : &defaults;
    calibration = calibration != NULL ? calibration : &unused;
    memset(calibration, 0, sizeof *calibration);
    if (result == NULL || measured_path == NULL) {
        return fail(error, PW_USAGE, "pw_calibrate: no %s given", result == NULL ? "result" : "measured points");
    }
    TRY(calibrate_check(options, error));
    struct measured measured;
    TRY(measured_read(measured_path, options->hold_out, &measured, error));
    pw_status status = measured_write(result, &measured, options, csv_path, report, calibration, error);
    measured_free(&measured);
    return status;
}
