/* A line source beside a wedge of metal: the series of Bessel functions of fractional order. */
#ifndef WEDGE_H
#define WEDGE_H

#include "validation/support/metal/half_plane.h"

/* As half_plane_field(); the air takes the angle 2 pi times numerator/denominator, from one face to the other. Poor
 * where both are nearly as far from the edge: then the series does not end, and the value is NAN. */
double complex wedge_field(double k, int numerator, int denominator, struct polar at, struct polar source,
                           bool horizontal);

#endif
