/* The field of a Hertzian dipole in free space, in closed form. */
#ifndef DIPOLE_H
#define DIPOLE_H

#include <complex.h>
#include <math.h>

static const double speed = 299792458.0, impedance = 376.730313668;

/* E of a dipole of 1 A m along unit vector p at the origin, at r: Balanis, Antenna Theory, 4.2, for any direction. */
static double complex dipole_component(const double p[3], const double r[3], int component, double frequency)
{
    double k = 2 * M_PI * frequency / speed, d = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double along = (p[0] * r[0] + p[1] * r[1] + p[2] * r[2]) / d;
    double complex near = 1 / (I * k * d) - 1 / (k * d * k * d);
    double complex unit = -I * k * impedance * cexp(-I * k * d) / (4 * M_PI * d);
    double radial = r[component] / d * along;
    return unit * ((p[component] - radial) + near * (p[component] - 3 * radial));
}

#endif
