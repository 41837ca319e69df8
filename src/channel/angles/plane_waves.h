/* The field around a place as plane waves. In a disc of air without sources every field is
 *
 *     E(r, phi) = sum over n of c_n J_n(kr) exp(jnphi)
 *
 * (cylindrical harmonics of the Helmholtz equation, J_n Bessel functions), and a wave of amplitude a that arrives from
 * azimuth alpha, E = a exp(jkr cos(phi - alpha)) with the time dependence exp(+jwt), has c_n = j^n a exp(-jn alpha)
 * (Jacobi and Anger: Abramowitz and Stegun 9.1.41). So the c_n that fit samples in the disc, of |n| up to the order,
 * tell amplitudes by azimuth, as a circular array of that radius does; and any antenna that takes in g(alpha) takes in
 * sum g_n j^n c_-n, g_n being its Fourier coefficients. Numbers alone: no result, no wall. */
#pragma once

#include "base/status.h"

enum { ORDER_LIMIT = 64 };

/* Samples of a disc around the place: m, from it. */
struct disc {
    int count;
    double *x, *y; /* (count) */
};

/* The highest order whose harmonics reach into a disc of that radius [m]. */
int plane_waves_order(double wave_number, double radius);

/* Fits `harmonics` (2 order + 1, re/im), c_n at n + order, to `field` (disc.count, re/im): least squares with a
 * Tikhonov term of 1e-6 of the mean square, which keeps down what the disc hardly sees. *residual: root mean square of
 * what the fit misses over that of the field. PW_BAD_INPUT: fewer samples than harmonics; PW_NO_RESOURCE: no memory. */
pw_status plane_waves_fit(const struct disc *disc, double wave_number, int order, const double *field,
                          double *harmonics, double *residual, pw_error *error);

/* `amplitude` (count, re/im) that arrives from azimuth 2 pi n/count [rad, counterclockwise from x]: harmonics weighed
 * by cos^2, so that side lobes lie 31 dB under the main lobe; a single wave has its own amplitude at its peak. */
void plane_waves_spectrum(const double *harmonics, int order, int count, double *amplitude);

/* Width of a single wave's peak, 3 dB down [rad]. */
double plane_waves_beam_width(int order);

/* What an antenna takes in whose amplitude at azimuth 2 pi n/count is `pattern` (count), with the phase of the place.
 */
void plane_waves_receive(const double *harmonics, int order, const double *pattern, int count, double *re, double *im);
