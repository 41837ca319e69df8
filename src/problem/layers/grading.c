/* The conductivity of a layer by depth, which all layered kinds share (absorber.h). */
#include "base/constants.h"
#include "problem/absorber.h"

#include <math.h>

double absorber_conductivity(const struct absorber *absorber, double depth, double cell)
{
    double thickness = absorber->cells * cell;
    double largest = -(absorber->order + 1) * log(absorber->reflection) / (2 * FREE_SPACE_IMPEDANCE * thickness);
    return largest * pow(depth / absorber->cells, absorber->order);
}
