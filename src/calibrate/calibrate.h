/* Calibration: predictions against measured received powers. Points from a CSV, predictions at them, statistics and the
 * global offset are in calibrate.c; the scaling of materials by re-runs in calibrate_materials.c.
 *
 * Prediction    received power [dBm] by `delay`, `distance` or `none` as asked for, averaged (as power) over a square
 * around the point; with a frequency, of that frequency alone (the nearest of the result), else of the whole band.
 * Hold-out      point number n of the file, from 1, is held out of every fit when n is a multiple of hold_out.
 * Offset        mean of measured - predicted over the fitted points: the least-squares estimate. Its standard error is
 * s/sqrt(n). Bias          mean of predicted - measured.  RMSE: root of the mean of its square.  Correlation:
 * Pearson's. What bears    FITTED_PER_PARAMETER fitted points for each parameter, and HELD_LEAST held out. */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "channel/channel.h"
#include "result/result.h"

enum { FITTED_PER_PARAMETER = 5, HELD_LEAST = 2, POINT_LIMIT = 100000 };

struct measured_point {
    double x, y;      /* m */
    double power;     /* dBm */
    double frequency; /* Hz; 0: the whole band */
    int line;         /* of the file */
    bool held;        /* out of the fit */
};

struct measured {
    const char *path;              /* borrowed */
    struct measured_point *points; /* (count), owned */
    int count, fitted;             /* all; those that are not held out */
};

/* Reads lines "x,y,dBm[,frequency]"; '#' begins a comment, a first line that is no number is a header. PW_BAD_INPUT
 * with file and line. */
pw_status measured_read(const char *path, int hold_out, struct measured *measured, pw_error *error);
void measured_free(struct measured *measured);

/* PW_BAD_INPUT when `parameters` are more than the points bear. */
pw_status measured_bears(const struct measured *measured, int parameters, pw_error *error);

/* Predicted power [dBm] at every point into predicted (count). PW_BAD_INPUT: a point outside the running spectra, a
 * frequency outside the band, or no field at a point. */
pw_status measured_predict(const struct measured *measured, const struct result *result,
                           const pw_calibration_options *options, double *predicted, pw_error *error);

/* Over the fitted or over the held-out points, `offset` [dB] added to the prediction. */
pw_calibration_score measured_score(const struct measured *measured, const double *predicted, double offset, bool held);

/* Scales of materials by re-runs of the result's scenario; fills scales, runs and the coarse scores of `calibration`.
 */
pw_status calibrate_materials(const struct result *result, const struct measured *measured,
                              const pw_calibration_options *options, pw_calibration *calibration, void *report,
                              pw_error *error);

#endif
