/* One slab, or wall, with air on both sides: its reflection and transmission by the closed form, and as they are solved
 * in a strip. Leaves out what its faces reflect, which depends on the polarisation and on the medium. */
#ifndef SLAB_H
#define SLAB_H

#include "validation/support/strip.h"

/* Of a wave that falls on the first face: the reflected wave at that face, the transmitted one at the second. */
struct coefficients {
    double complex reflection, transmission;
};

/* All echoes between the faces: the first face reflects `face` of a wave that comes from outside, and `inside` is the
 * wave number across the slab [rad/m] (ITU-R P.2040). */
static inline struct coefficients slab_law(double complex face, double complex inside, double thickness)
{
    double complex turn = cexp(-I * inside * thickness), below = 1 - face * face * turn * turn;
    return (struct coefficients){face * (1 - turn * turn) / below, (1 - face * face) * turn / below};
}

/* As solved, found[f] at each frequency [Hz]: the strip without its wall, then with one of `material`, in braces as a
 * scenario has it. The strip's four receivers stand before the wall, on its faces and behind it. */
void slab_measure(const struct strip *strip, const char *material, const char *backend, int count,
                  const double *frequency, struct coefficients *found);

#endif
