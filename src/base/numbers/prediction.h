/* The best linear interpolation of a random function from equally spaced points of it, where its covariance is known
 * (Wiener's; kriging): the mean square error over all such functions is as small as it can be, and is told. */
#pragma once

#include <complex.h>

enum { PREDICTION_MOST = 24 };

struct prediction {
    int count;                                                /* points */
    double power;                                             /* the covariance at no distance */
    double complex factor[PREDICTION_MOST * PREDICTION_MOST]; /* of Cholesky, below the diagonal and on it */
};

/* For points 0 .. count - 1: covariance[m] is the mean of f(x + m) conj f(x), m from 0 on, [0] real and positive. */
struct prediction prediction_make(int count, const double complex *covariance);

/* Weights (count) of the points for the place whose covariance with point j, the mean of f(place) conj f(j), is
 * toward[j]. Returns the mean square error against the power, of 0 to 1. */
double prediction_weights(const struct prediction *prediction, const double complex *toward, double complex *weight);
