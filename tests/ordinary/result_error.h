/* How far one result is from a finer one of the same plan: of the field, of powers, of delay spreads. */
#ifndef RESULT_ERROR_H
#define RESULT_ERROR_H

#include "planwave.h"

struct result_error {
    double field;        /* root mean square over patches of 8 x 8 points of |difference| / |field| */
    double field_median; /* median over the patches */
    double local_mean;   /* dB, root mean square error of the mean power over a wavelength */
    double point;        /* dB, of the power at a point, mean over the band */
    double local_mean_usual, point_usual, delay_usual; /* two thirds of the points are within this */
    double delay;                                      /* s, of the RMS delay spread */
    double spread;                                     /* s, median RMS delay spread, for comparison */
    int patches;
};

/* `coarse` and `fine`: results with the same frequencies and the same points with running spectra (half the cell, twice
 * the spacing in cells). PW_BAD_INPUT when the points are others. */
pw_status result_error(const char *coarse, const char *fine, struct result_error *found, pw_error *error);

#endif
