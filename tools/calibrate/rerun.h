/* Re-runs: the scenario of a result solved again with other materials, on the same or on larger cells, with spectra
 * around the measured points only; and the powers that it then predicts. */
#pragma once

#include "calibrate/measured.h"

#include <math.h>

/* Told after each re-run its number, from 1, and the RMSE [dB] over the fitted points with the best offset. */
struct rerun_listener {
    void (*told)(int run, double rmse, void *user); /* NULL: nobody */
    void *user;
};

/* The rectangle around measured points [m]: begins as EXTENT_NONE and takes in one set after another. */
struct extent {
    double x0, y0, x1, y1;
};
#define EXTENT_NONE                                                                                                    \
    {                                                                                                                  \
        INFINITY, INFINITY, -INFINITY, -INFINITY                                                                       \
    }
void extent_add(struct extent *extent, const struct measured *measured);

/* Prepares a scenario for a re-run on cells `cell_factor` times as large: its time step is open again, and spectra are
 * kept there alone, with two wavelengths and `mean_width` [m] around. `time_step` [s] was that of the result. */
void rerun_prepare(pw_scenario *scenario, const struct extent *extent, double mean_width, double cell_factor,
                   double time_step);

/* What the re-runs of one calibration share. */
struct rerun {
    const pw_result *result;
    const struct measured *measured;
    const pw_calibration_options *options; /* its monitor counts the re-runs */
    const struct rerun_listener *listener; /* may be NULL */
    int parameters;                        /* 2 per material: permittivity, conductivity */
    int runs, most_runs;                   /* so far; at most */
};

/* Solves with the materials' permittivities and conductivities scaled by exp(logs) (parameters) and predicts at every
 * point into predicted (count). PW_BAD_INPUT: a material that the plan does not have, or a perfect conductor. */
pw_status rerun_predict(struct rerun *rerun, const double *logs, double *predicted, pw_error *error);

/* RMSE over the fitted points with the best offset. */
double rerun_error(const struct measured *measured, const double *predicted);
