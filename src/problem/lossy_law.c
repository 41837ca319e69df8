/* With s the sine of the angle at which a wave meets the wall from air, its wave numbers in the wall are k0 s along it
 * and k0 sqrt(permittivity - s^2) across. The grid has both where its permittivity is the sum of what the scheme makes
 * of their squares (lossy_law.h). */
#include "problem/lossy_law.h"

#include <complex.h>
#include <math.h>

/* Waves that turn or die away by more than this in a cell [rad] are beyond what a stencil tells: those of coarser grids
 * are changed by as much as one of this, so that media that are fitted meet no step. */
static const double MOST_TURN = 2.6;

/* Loss over permittivity of good conductors, which have other waves; from half of it on the law fades. */
static const double GOOD_CONDUCTOR = 1;

/* Media as thin as this are air that a lobe of the averages meets, which sets the time step. */
static const double LEAST_DENSE = 1.2;

/* Nothing is taken to less than this of itself. */
static const double LEAST_CHANGE = 0.1;

/* (2 S(x/2))^2 of a complex wave number times a cell: what the scheme makes of x^2. */
static double complex grid_square(const struct stencil *stencil, double complex x)
{
    double complex sum = 0;
    for (int l = 0; l < stencil->reach; l++) {
        sum += stencil->difference[l] * csin((l + 0.5) * x);
    }
    return 4 * sum * sum;
}

void lossy_law(const struct stencil *stencil, double turn, double *permittivity, double *loss)
{
    const double fading = fmin(2 * (1 - *loss / (GOOD_CONDUCTOR * *permittivity)), 1);
    if (!(*loss > 0) || !(fading > 0) || *permittivity < LEAST_DENSE) {
        return;
    }
    const double complex index = csqrt(*permittivity - LOSSY_SINE_SQUARE - I * *loss);
    const double looked_at = fmin(turn, MOST_TURN / cabs(index));
    const double complex on_grid =
        (grid_square(stencil, looked_at * index) + grid_square(stencil, looked_at * sqrt(LOSSY_SINE_SQUARE))) /
        (looked_at * looked_at);
    const double dense = creal(on_grid) / *permittivity, lossy = -cimag(on_grid) / *loss;
    if (dense > LEAST_CHANGE && lossy > LEAST_CHANGE) {
        *permittivity *= 1 + fading * (dense - 1);
        *loss *= 1 + fading * (lossy - 1);
    }
}

/* The law changes media by so little that what it misses by, added over and over, goes to nothing. */
void lossy_law_inverse(const struct stencil *stencil, double turn, double *permittivity, double *loss)
{
    const double wanted[2] = {*permittivity, *loss};
    for (int round = 0; round < 60; round++) {
        double found[2] = {*permittivity, *loss};
        lossy_law(stencil, turn, &found[0], &found[1]);
        *permittivity += wanted[0] - found[0];
        *loss = fmax(*loss + wanted[1] - found[1], 0);
    }
}
