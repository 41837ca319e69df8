/* Free-space waves of a line current, from the C library's Bessel functions. Only real, positive arguments. */
#include "hankel.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double speed_of_light = 299792458.0; /* m/s */
static const double impedance = 376.730313668;    /* ohm; mu0 = impedance / speed_of_light */

void hankel_h0_2(double x, double *re, double *im)
{
    if (!(x > 0.0)) {
        *re = *im = NAN;
        return;
    }
    *re = j0(x);
    *im = -y0(x);
}

void line_current_field(double frequency, double distance, double *re, double *im)
{
    if (!(frequency > 0.0)) {
        *re = *im = NAN;
        return;
    }
    double k = 2.0 * pi * frequency / speed_of_light;
    hankel_h0_2(k * distance, re, im);
    *re *= -0.25 * k * impedance; /* w mu0 = k eta0 */
    *im *= -0.25 * k * impedance;
}
