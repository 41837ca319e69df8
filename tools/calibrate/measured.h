/* Calibration: predictions against measured received powers. This part holds the points: reading them from a CSV,
 * predicting at them, and scoring predictions against them.
 *
 * Hold-out      Points in one square of MEASURED_PLACE metres are one place, since their errors are alike. Places are
 * numbered from 1 as points come to them, and place n is held out of every fit when n is a multiple of hold_out. Bias
 * Mean of predicted - measured. RMSE: root of the mean of its square. Correlation: Pearson's. Offset        Mean of
 * measured - predicted over the fitted points: the least-squares estimate. Its standard error is s/sqrt(n), s being the
 * standard deviation of the n differences. Enough        A fit wants FITTED_PER_PARAMETER fitted points for each
 * parameter, and HELD_LEAST held out if any. */
#pragma once

#include "calibrate/planwave_calibrate.h"
#include "tools/ground.h"

enum { FITTED_PER_PARAMETER = 5, HELD_LEAST = 2, POINT_LIMIT = 100000 };
#define MEASURED_PLACE 1.5 /* m: errors of two drives through one flat are alike over 1 m (validation/measured) */

struct measured_point {
    double x, y;      /* m */
    double height;    /* m, in three dimensions; NAN: that of the chosen sheet */
    double power;     /* dBm */
    double frequency; /* Hz; 0: the whole band */
    int line;         /* of the file; of points in memory the number, from 1 */
    int place;        /* from 1 */
    bool held;        /* out of the fit */
};

struct measured {
    const char *path;              /* what messages call the points, borrowed */
    struct measured_point *points; /* (count), owned */
    int count, fitted;             /* all; those that are not held out */
    int places, places_held;
    bool has_heights; /* the points say how high they are */
};

/* Reads lines "x,y,dBm[,frequency]", or "x,y,z,dBm[,frequency]" where a header calls the third column z or height; '#'
 * begins a comment, a first line that is no number is a header. PW_BAD_INPUT with file and line. */
pw_status measured_read(const char *path, int hold_out, struct measured *measured, pw_error *error);

/* Takes `count` points of the caller. PW_BAD_INPUT with the number of a point that cannot be used. */
pw_status measured_take(const pw_point *points, int count, int hold_out, struct measured *measured, pw_error *error);

void measured_free(struct measured *measured);

/* PW_BAD_INPUT when the points are too few for a fit of `parameters`. */
pw_status measured_suffices(const struct measured *measured, int parameters, pw_error *error);

/* Predicted power [dBm] at every point into predicted (count), as pw_channel_powers has it, with file and line of a
 * point that cannot be predicted. */
pw_status measured_predict(const struct measured *measured, const pw_result *result,
                           const pw_calibration_options *options, double *predicted, pw_error *error);

/* Over the fitted or over the held-out points, `offset` [dB] added to the prediction. */
pw_calibration_score measured_score(const struct measured *measured, const double *predicted, double offset, bool held);
