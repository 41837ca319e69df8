/* Predicted powers at measured points: received power [dBm], spread to three dimensions as asked for, averaged (as
 * power) over a level square around the point, in three dimensions in the nearest plane; with a frequency that of the
 * nearest one of the result, else of the whole band. */
#ifndef PREDICTION_H
#define PREDICTION_H

#include "calibrate/measured.h"
#include "channel/channel.h"
#include "result/result.h"

/* In three dimensions with the height and the component of the chosen sheet, where the caller names none. */
pw_channel_options prediction_channel(const struct result *result, const pw_channel_options *asked);

/* Predicted power [dBm] at every point into predicted (count). PW_BAD_INPUT: a point outside the running spectra, a
 * frequency outside the band, or no field at a point. */
pw_status measured_predict(const struct measured *measured, const struct result *result,
                           const pw_calibration_options *options, double *predicted, pw_error *error);

#endif
