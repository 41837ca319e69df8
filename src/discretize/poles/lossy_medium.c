/* Lossy media on the grid of a set-up (setup.h); the law is problem/lossy_law.h. */
#include "base/constants.h"
#include "discretize/setup.h"
#include "problem/lossy_law.h"

#include <math.h>

void setup_lossy_medium(const struct setup *setup, double *permittivity, double *conductivity)
{
    const struct floorplan *plan = &setup->building.bands[0];
    const double omega = 2 * M_PI * setup->scenario->band_centre, unit = omega * FREE_SPACE_PERMITTIVITY;
    if (*conductivity > 0 && !materials_have_poles(plan->materials, plan->material_count)) {
        double loss = *conductivity / unit;
        const double before = loss;
        lossy_law(&setup->stencil, omega * setup->problem.axis[0].spacing / SPEED_OF_LIGHT, permittivity, &loss);
        *conductivity *= loss / before;
    }
}
