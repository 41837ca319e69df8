/* Predicted powers at measured points: received power [dBm], spread to three dimensions as asked for, averaged (as
 * power) over a square around the point; with a frequency that of the nearest one of the result, else of the whole
 * band. */
#ifndef PREDICTION_H
#define PREDICTION_H

#include "calibrate/measured.h"
#include "channel/channel.h"
#include "result/result.h"

/* Predicted power [dBm] at every point into predicted (count). PW_BAD_INPUT: a point outside the running spectra, a
 * frequency outside the band, or no field at a point. */
pw_status measured_predict(const struct measured *measured, const struct result *result,
                           const pw_calibration_options *options, double *predicted, pw_error *error);

#endif
