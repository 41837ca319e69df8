/* A line source beside a half plane of metal: the exact field in closed form (Carslaw 1899, Macdonald 1915). */
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

#endif
