/* Gedney's uniaxial perfectly matched layer: polynomial grading of the layer conductivity, and the trapezoidal filter
 * that follows (derived in absorber.h). */
#include "problem/absorber_upml.h"

#include <math.h>

#include "base/constants.h"

static const double SHIFT = 0.05; /* alpha in units of c/D, absorber.h */

/* sigma(d) = sigma_max (d/D)^m, sigma_max = -(m+1) ln R(0) / (2 eta0 D); (alpha + jw) / (alpha + sigma/eps0 + jw) by
 * the trapezoidal rule. */
struct absorber_filter upml_filter(const struct absorber *absorber, double depth, double cell, double time_step)
{
    double thickness = absorber->cells * cell;
    double largest = -(absorber->order + 1) * log(absorber->reflection) / (2 * FREE_SPACE_IMPEDANCE * thickness);
    double sigma = largest * pow(depth / absorber->cells, absorber->order);
    double half_loss = 0.5 * sigma * time_step / FREE_SPACE_PERMITTIVITY;
    double half_shift = 0.5 * SHIFT * SPEED_OF_LIGHT / thickness * time_step;
    return (struct absorber_filter){.gain = (1 + half_shift) / (1 + half_shift + half_loss),
                                    .pole = (1 - half_shift - half_loss) / (1 + half_shift + half_loss)};
}
