/* Scales of permittivity and conductivity of named materials, fitted to measured points by re-runs of the result's own
 * scenario on the same or larger cells. The offset is fitted with every run, so that the scales explain differences
 * between places and not the level.
 *
 * One run per parameter gives the sensitivities; a damped Gauss-Newton step in the logarithms of the scales follows,
 * inside bounds, and is halved until the fitted points gain by it. Two such rounds at most. */
#pragma once

#include "calibrate/rerun.h"

/* Fills scales, runs and the scores of the re-runs. PW_BAD_INPUT: materials that the points do not feel or do not tell
 * apart. */
pw_status calibrate_materials(const pw_result *result, const struct measured *measured,
                              const pw_calibration_options *options, const struct rerun_listener *listener,
                              pw_calibration *calibration, pw_error *error);
