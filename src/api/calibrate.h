/* Calibration: predictions of a result against measured powers. */
#ifndef PLANWAVE_CALIBRATE_H
#define PLANWAVE_CALIBRATE_H

#include "api/channel.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PW_CALIBRATED_MATERIALS = 8 };

/* A measured point. */
typedef struct pw_point {
    double x, y;      /* m */
    double power;     /* dBm, received */
    double frequency; /* Hz: the nearest of the result is predicted; 0: the mean over the band */
    bool has_height;  /* in three dimensions: predicted in the plane nearest to this height [m], and not in that of */
    double height;    /* the options' channel, or else of the chosen sheet */
} pw_point;

typedef struct pw_calibration_options {
    const char *transmitter; /* NULL: the first */
    pw_channel_options
        channel;          /* of the prediction; in three dimensions with the component of the receiver's antenna */
    double receiver_gain; /* dBi */
    double mean_width;    /* m: side of the square over which a prediction is averaged; 0: a wavelength */
    int hold_out;         /* point number n, from 1, is held out of the fit when n is a multiple of this; default
                             4; 0: none */
    const char *materials[PW_CALIBRATED_MATERIALS]; /* (material_count): scale their permittivity and conductivity, by
                                                       re-runs of the result's scenario */
    int material_count;
    double cell_factor;  /* of the re-runs: cells this much larger than the result's; default 1 */
    const char *backend; /* of the re-runs; NULL: auto */
    int threads;         /* of the re-runs; 0: all */
    pw_monitor monitor;  /* told how far the calibration is; default: nobody */
} pw_calibration_options;
pw_calibration_options pw_calibration_options_default(void);

typedef struct pw_calibration_score {
    int count;
    double bias, rmse, correlation; /* dB (predicted - measured), dB, 1 (Pearson's); NAN where not defined */
} pw_calibration_score;

typedef struct pw_calibration {
    double offset, offset_error; /* dB to add to the prediction (least squares), and its standard error */
    pw_calibration_score fitted_before, held_before, fitted, held; /* without and with the offset */
    int material_count;
    double permittivity_scale[PW_CALIBRATED_MATERIALS], conductivity_scale[PW_CALIBRATED_MATERIALS];
    int runs;                                            /* re-runs that it took */
    pw_calibration_score unscaled_fitted, unscaled_held; /* of the first re-run, with its own offset */
    pw_calibration_score scaled_fitted, scaled_held;     /* of the re-run with these scales, with its own offset */
    double scaled_offset;                                /* dB */
} pw_calibration;

/* Predicts the received power at `points` (count) into `predicted` (count) [dBm], fits the global offset and, when
 * asked, the scales of materials. In two dimensions heights are not looked at. NULL options mean the defaults. Re-runs
 * need a folder for temporary files (TMPDIR, else /tmp), which is empty again at the end. PW_BAD_INPUT: a point outside
 * the running spectra, a frequency outside the band, too few points for what is fitted, materials that the points do
 * not feel or do not tell apart, or materials of a plan that was given as arrays. */
pw_status pw_calibrate_points(const pw_result *result, const pw_point *points, int count,
                              const pw_calibration_options *options, double *predicted, pw_calibration *calibration,
                              pw_error *error);

/* Does the same with the points of the CSV `measured_path` (x [m], y [m], in three dimensions z [m], power [dBm] and,
 * if wanted, frequency); writes point by point to `csv_path` (may be NULL) and a summary to `report` (may be NULL), a
 * line after each re-run. `calibration` may be NULL. */
pw_status pw_calibrate(const pw_result *result, const char *measured_path, const pw_calibration_options *options,
                       const char *csv_path, FILE *report, pw_calibration *calibration, pw_error *error);

#ifdef __cplusplus
}
#endif
#endif
