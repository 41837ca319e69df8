/* The absorber kind berenger (physics.md section 3): the split field of Berenger 1994, with exponential time stepping
 * as in papers 000 and 002.
 *
 * Ez = Ezx + Ezy, each with the difference and the conductivity of one axis. Along x, and likewise along y:
 *     Ezx[n+1] = p Ezx[n] + q K d_x hy,
 *     hy[n+1/2] = p hy[n-1/2] + q K d_x Ez,
 *     p = exp(-sigma dt/eps0),
 *     q = (1 - p)/(sigma dt/eps0).
 * Of these, too, the changes over a step are the differences of Ez behind two filters,
 *     q (1 - 1/z)/(1 - p/z),
 * so that nothing is split in what is stored (tests/boundary/test_layers.c). The pole of the filter is not shifted off
 * zero frequency, so that nothing takes static fields away. */
#include "base/constants.h"
#include "problem/absorber.h"

#include <math.h>

static struct absorber_filter berenger_filter(const struct absorber *absorber, double depth,
                                              const struct absorber_axis *axis)
{
    double loss = absorber_conductivity(absorber, depth, axis->cell) * axis->time_step / FREE_SPACE_PERMITTIVITY;
    double pole = exp(-loss), gain = loss > 0 ? -expm1(-loss) / loss : 1;
    return (struct absorber_filter){.gain = gain, .pole = pole, .feed = pole - gain};
}

const struct absorber_model absorber_berenger = {
    .name = "berenger",
    .description = "Berenger's split-field PML with exponential time stepping, two dimensions only; keys as for upml",
    .layered = true,
    .planar = true,
    /* exp(-16), of any number of cells: the depth that it is compared at. */
    .usual = {.kind = ABSORBER_BERENGER, .cells = 16, .order = 4, .reflection = 1.1253517471925912e-07},
    .filter = berenger_filter};
