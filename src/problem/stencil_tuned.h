/* Taps that are fitted to a band. */
#pragma once

#include "problem/stencil.h"

/* Fits the two taps of a first difference of reach 2 so that the largest error of the wave speed, over all directions
 * and over the band, is the smallest. Tuned schemes of order (2,4) are known (Zygiridis and Tsiboukis 2004): the fit
 * gives up the exact long-wave limit sum (2l+1) a(l) = 1, which no wave in the band feels. */
void stencil_tune_two_taps(double *tap, const struct stencil_band *band);
