/* With s the sine of the angle at which a wave meets the wall from air, its wave numbers in the wall are k0 s along it
 * and k0 sqrt(permittivity - s^2) across. The grid has both where its permittivity is the sum of what the scheme makes
 * of their squares (lossy_law.h). */
#include "problem/lossy/lossy_law.h"

#include <complex.h>
#include <math.h>

/* Waves that turn or die away by more than this in a cell [rad] are beyond what a stencil tells. */
static const double MOST_TURN = 2.6;

/* Media as thin as this are air that a lobe of the averages meets, which sets the time step. */
static const double LEAST_DENSE = 1.2;

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
    const double complex across = turn * csqrt(*permittivity - LOSSY_SINE_SQUARE - I * *loss);
    if (!(*loss > 0) || *loss > *permittivity || *permittivity < LEAST_DENSE || !(cabs(across) < MOST_TURN)) {
        return;
    }
    const double complex on_grid =
        (grid_square(stencil, across) + grid_square(stencil, turn * sqrt(LOSSY_SINE_SQUARE))) / (turn * turn);
    const double dense = creal(on_grid) / *permittivity, lossy = -cimag(on_grid) / *loss;
    if (dense > 0.5 && dense < 2 && lossy > 0.5 && lossy < 2) {
        *permittivity *= dense;
        *loss *= lossy;
    }
}

/* The law changes media by so little that what it misses by, added over and over, goes to nothing. */
void lossy_law_inverse(const struct stencil *stencil, double turn, double *permittivity, double *loss)
{
    const double wanted[2] = {*permittivity, *loss};
    for (int round = 0; round < 20; round++) {
        double found[2] = {*permittivity, *loss};
        lossy_law(stencil, turn, &found[0], &found[1]);
        *permittivity += wanted[0] - found[0];
        *loss = fmax(*loss + wanted[1] - found[1], 0);
    }
}
