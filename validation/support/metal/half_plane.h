/* A line source beside a half plane of metal, in closed form (Carslaw 1899, Macdonald 1915), and beside a wedge of
 * metal, by the series of Bessel functions of fractional order: exact fields. */
#ifndef HALF_PLANE_H
#define HALF_PLANE_H

#include <complex.h>
#include <stdbool.h>

/* A place from the end of the half plane: how far, and the angle from its metal, 0 to 2 pi. */
struct polar {
    double distance, angle;
};

/* The field over that of the source alone being H0^(2)(k |r - r0|). `horizontal`: Hz, whose slope is zero on metal;
 * else Ez, which is zero there. Not at the source. */
double complex half_plane_field(double k, struct polar at, struct polar source, bool horizontal);

/* The same beside a wedge; the air takes the angle 2 pi times numerator/denominator, from one face to the other. NAN
 * where both are nearly as far from the edge: there the series does not end. */
double complex wedge_field(double k, int numerator, int denominator, struct polar at, struct polar source,
                           bool horizontal);

#endif
