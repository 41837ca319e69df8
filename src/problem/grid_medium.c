/* With s the sine of the angle at which a wave meets the wall from air, its wave numbers in the wall are k0 s along it
 * and k0 sqrt(permittivity - s^2) across. The grid has both where its permittivity is the sum of what the scheme makes
 * of their squares (grid_medium.h). */
#include "problem/grid_medium.h"

#include <complex.h>
#include <math.h>

/* Waves that turn or die away by more than this in a cell [rad] are beyond what a stencil tells: those of coarser grids
 * are changed by as much as one of this, so that media that are fitted meet no step. */
static const double MOST_TURN = 2.6;

/* Loss over permittivity of good conductors, which have other waves; from half of it on the change fades. */
static const double GOOD_CONDUCTOR = 1;

/* Media as thin as this are air that a lobe of the averages meets, which sets the time step. */
static const double LEAST_DENSE = 1.2;

/* Loss over permittivity that changes no digit of the rest. A medium without loss is looked at with it, so that it gets
 * the limit of the law. */
static const double NEXT_TO_NONE = 1e-12;

/* Relative: what the inverse may miss by. */
static const double ROUNDING = 1e-15;

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

double grid_medium_share(double permittivity, double loss)
{
    return permittivity < LEAST_DENSE ? 0 : fmin(fmax(2 * (1 - loss / (GOOD_CONDUCTOR * permittivity)), 0), 1);
}

void grid_medium(const struct stencil *stencil, double turn, double *permittivity, double *loss)
{
    const double share = grid_medium_share(*permittivity, *loss);
    if (!(share > 0)) {
        return;
    }
    const double some_loss = fmax(*loss, NEXT_TO_NONE * *permittivity);
    const double complex index = csqrt(*permittivity - GRID_MEDIUM_SINE_SQUARE - I * some_loss);
    const double looked_at = fmin(turn, MOST_TURN / cabs(index));
    const double complex on_grid =
        (grid_square(stencil, looked_at * index) + grid_square(stencil, looked_at * sqrt(GRID_MEDIUM_SINE_SQUARE))) /
        (looked_at * looked_at);
    const double dense = creal(on_grid) / *permittivity, lossy = -cimag(on_grid) / some_loss;
    if (dense > LEAST_CHANGE && lossy > LEAST_CHANGE) {
        *permittivity = fmax(*permittivity * (1 + share * (dense - 1)), 1);
        *loss *= 1 + share * (lossy - 1);
    }
}

/* The law changes media by so little that what it misses by, added over and over, goes to nothing. */
void grid_medium_inverse(const struct stencil *stencil, double turn, double *permittivity, double *loss)
{
    const double wanted[2] = {*permittivity, *loss};
    double missed[2] = {*permittivity, *loss};
    for (int round = 0;
         round < 60 && (fabs(missed[0]) > ROUNDING * wanted[0] || fabs(missed[1]) > ROUNDING * wanted[1]); round++) {
        double found[2] = {*permittivity, *loss};
        grid_medium(stencil, turn, &found[0], &found[1]);
        for (int n = 0; n < 2; n++) {
            missed[n] = wanted[n] - found[n];
        }
        *permittivity += missed[0];
        *loss = fmax(*loss + missed[1], 0);
    }
}
