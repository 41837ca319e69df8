/* The loss of a slab, and the conductivity that gives it (wall_loss.h), by bisection: the loss grows with it. */
#include "import/wall_loss.h"

#include <complex.h>
#include <math.h>

#include "ground.h"

double slab_loss(double permittivity, double conductivity, double thickness, double frequency)
{
    const double omega = 2 * M_PI * frequency;
    const double complex eta = permittivity - I * conductivity / (omega * PW_FREE_SPACE_PERMITTIVITY);
    const double complex index = csqrt(eta), face = (1 - index) / (1 + index);
    const double complex phase = cexp(-I * (omega / PW_SPEED_OF_LIGHT) * thickness * index);
    return -20 * log10(cabs((1 - face * face) * phase / (1 - face * face * phase * phase)));
}

double conductivity_for_loss(double permittivity, double thickness, double frequency, double loss)
{
    double low = 0, high = 1e-3;
    if (!(loss > slab_loss(permittivity, 0, thickness, frequency))) {
        return 0;
    }
    while (slab_loss(permittivity, high, thickness, frequency) < loss && high < 1e6) {
        high *= 2;
    }
    for (int n = 0; n < 60; n++) {
        double middle = 0.5 * (low + high);
        *(slab_loss(permittivity, middle, thickness, frequency) < loss ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}
