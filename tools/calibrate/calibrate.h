/* Calibration of a result: the global offset, and scales of materials by re-runs. Computes only; calibrate_write.c puts
 * it into words and files. */
#pragma once

#include "calibrate/materials.h"

/* PW_USAGE: options out of their range. */
pw_status calibrate_check(const pw_calibration_options *options, pw_error *error);

/* Predicts at every point into predicted (count) and fits the offset; fills the first half of `calibration`.
 * PW_BAD_INPUT: too few points for the offset and the materials asked for, or a point without a prediction. */
pw_status calibrate_offset(const pw_result *result, const struct measured *measured,
                           const pw_calibration_options *options, double *predicted, pw_calibration *calibration,
                           pw_error *error);

/* Fits the scales of the materials asked for, if any; fills the second half of `calibration`. */
pw_status calibrate_scales(const pw_result *result, const struct measured *measured,
                           const pw_calibration_options *options, const struct rerun_listener *listener,
                           pw_calibration *calibration, pw_error *error);
