/* The conductivity that a lossy medium has on the grid (setup.h). A grid wave is slower to die away, or faster, than
 * the wave: its attenuation follows the group velocity of the scheme, which is further off than the wave number. In 20
 * cm of concrete at 28 GHz that is 5 dB of 90. So the conductivity is the one with which a grid wave along an axis, as
 * walls are crossed, has the attenuation of the wave at the band's centre. The permittivity stays, and with it phases
 * and what faces reflect. */
#include "base/constants.h"
#include "discretize/setup.h"

#include <complex.h>
#include <math.h>

/* Waves that turn or die away by more than this in a cell [rad] are beyond what a stencil tells. Media whose loss is
 * over their permittivity are good conductors, or films that have a law of their own (medium/sheet). */
static const double MOST_TURN = 2;

/* 4 S(x)^2 of a complex wave number times a cell: what the scheme makes of x^2. */
static double complex grid_square(const struct stencil *stencil, double complex x)
{
    double complex sum = 0;
    for (int l = 0; l < stencil->reach; l++) {
        sum += stencil->difference[l] * csin((l + 0.5) * x);
    }
    return 4 * sum * sum;
}

/* Media with poles have what is left without them, which tells no attenuation. */
static bool has_poles(const struct setup *setup)
{
    const struct floorplan *plan = setup_is_3d(setup) ? &setup->building.bands[0] : &setup->plan;
    bool poles = false;
    for (int m = 0; m < plan->material_count && !poles; m++) {
        poles = plan->materials[m].dispersion.pole_count > 0;
    }
    return poles;
}

/* What the conductivity of a medium is multiplied by, so that waves are attenuated on the grid as they are in it: with
 * x = k cell = u - jv of the wave, the grid's wave has the same v where Re 4 S(u' - jv)^2 = k0^2 cell^2 permittivity,
 * and its loss is -Im 4 S(u' - jv)^2. */
double setup_loss_factor(const struct setup *setup, double permittivity, double conductivity)
{
    const double omega = 2 * M_PI * setup->scenario->band_centre, cell = setup->problem.axis[0].spacing,
                 turn = omega * cell / SPEED_OF_LIGHT, loss = conductivity / (omega * FREE_SPACE_PERMITTIVITY);
    const double complex x = turn * csqrt(permittivity - I * loss);
    if (!(loss > 0) || loss > permittivity || !(cabs(x) < MOST_TURN) || has_poles(setup)) {
        return 1;
    }
    const double v = -cimag(x), wanted = turn * turn * permittivity, step = 1e-4;
    double u = creal(x);
    for (int round = 0; round < 30; round++) { /* Newton */
        const double off = creal(grid_square(&setup->stencil, u - I * v)) - wanted;
        const double slope = (creal(grid_square(&setup->stencil, u + step - I * v)) -
                              creal(grid_square(&setup->stencil, u - step - I * v))) /
                             (2 * step);
        const double next = u - off / slope;
        if (!(slope > 0) || !(next > 0 && next < M_PI)) {
            return 1;
        }
        if (fabs(next - u) < 1e-12) {
            break;
        }
        u = next;
    }
    const double factor = -cimag(grid_square(&setup->stencil, u - I * v)) / (turn * turn * loss);
    return factor > 0.5 && factor < 2 ? factor : 1;
}
