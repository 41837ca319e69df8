/* The depth of an absorber by its cells, and grazing waves (absorber_depth.h). */
#include "problem/layers/absorber_depth.h"

#include <math.h>

/* A wave at the angle theta leaves the layer with R(0)^cos(theta), so that R(0) should be as small as it can be; but
 * the steeper the conductivity rises from cell to cell, the more the grid reflects of waves that fall in
 * perpendicularly. -ln R(0) = 6 cells (cells/16) up to 16 cells, and 6 cells from there on, keeps those under -100 dB
 * from 10 cells on at 15 cells a wavelength. No smaller than exp(-600), which is still a number. */
static double usual_reflection(int cells)
{
    return exp(-fmin(6.0 * cells * fmin(cells / 16.0, 1), 600));
}

/* cpml: alpha in units of c/D. A larger one takes more of what falls off beside a wall, and reflects more far under the
 * band. 10 cells need 0.5 beside a metal plate (validation/volume/peers.c); from 16 on this keeps what travels within
 * 3 dB of upml at every angle (validation/boundary/absorber_kinds.c). */
static double usual_shift(int cells)
{
    return 5.0 / cells;
}

struct absorber absorber_usual(const struct absorber_model *model, int cells)
{
    struct absorber usual = model->usual;
    if (model->layered) {
        usual.cells = cells;
        usual.reflection = usual.reflection > 0 ? usual.reflection : usual_reflection(cells);
        usual.alpha = usual.kappa > 0 ? usual_shift(cells) : 0;
    }
    return usual;
}

/* The layer mirrors the source at the complex distance width + 2 D - j b, k b = -ln R(0); where the way along is far
 * longer, that leaves exp(-k b (width + 2 D) / length) of the image, and there is one on either side. Against the
 * discrete layer and solved strips from 0.5 to 47 % it is right within a tenth (validation/boundary/strip.c). */
double absorber_grazing_error(const struct absorber *absorber, double cell, double width, double length)
{
    if (!absorber_model(absorber->kind)->layered) {
        return 0;
    }
    return 2 * exp(log(absorber->reflection) * (width + 2 * absorber->cells * cell) / hypot(length, width));
}
