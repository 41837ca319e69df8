/* A transfer function from taps whose delays lie anywhere, as those of slanted paths do. */
#pragma once

/* The frequencies lowest, lowest + spacing, ... [Hz]; delays are turned about `centre`. */
struct sum_axis {
    double lowest, spacing, centre; /* Hz */
    int count;
};

/* response[f] (count, 2) = sum over n of coefficient[n] exp(-j 2 pi (frequency f - centre) delay[n]), for `taps`
 * coefficients (taps, 2) at delays [s]. The same bits on every processor. */
void slanted_sum(const struct sum_axis *axis, int taps, const double *coefficient, const double *delay,
                 double *response);
