/* Free-space waves of a line current, from the C library's Bessel functions, and of a dipole. Arguments are real and
 * positive. */
#include "base/numbers/hankel.h"
#include "base/constants.h"

#include <math.h>

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
    double k = 2.0 * M_PI * frequency / SPEED_OF_LIGHT;
    hankel_h0_2(k * distance, re, im);
    *re *= -0.25 * k * FREE_SPACE_IMPEDANCE; /* w mu0 = k eta0 */
    *im *= -0.25 * k * FREE_SPACE_IMPEDANCE;
}

void dipole_far_field(double frequency, double distance, double *re, double *im)
{
    if (!(frequency > 0.0 && distance > 0.0)) {
        *re = *im = NAN;
        return;
    }
    double k = 2.0 * M_PI * frequency / SPEED_OF_LIGHT, amplitude = k * FREE_SPACE_IMPEDANCE / (4.0 * M_PI * distance);
    *re = -amplitude * sin(k * distance); /* -j exp(-jx) = -sin x - j cos x */
    *im = -amplitude * cos(k * distance);
}
