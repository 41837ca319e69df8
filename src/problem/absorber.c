/* Profiles of the absorbing layer: polynomial grading of the layer conductivity and the trapezoidal filters that
 * follow. */
#include "problem/absorber.h"
#include "base/constants.h"

#include <math.h>

static const double SHIFT = 0.05; /* alpha in units of c/D, absorber.h */

/* sigma(d) = sigma_max (d/D)^m, sigma_max = -(m+1) ln R(0) / (2 eta0 D); (alpha + jw) / (alpha + sigma/eps0 + jw) by
 * the trapezoidal rule. */
static struct absorber_filter filter_at(double depth, int cells, double order, double reflection, double cell,
                                        double time_step)
{
    struct absorber_filter filter = {1, 1};
    if (depth > 0) {
        double thickness = cells * cell;
        double largest = -(order + 1) * log(reflection) / (2 * FREE_SPACE_IMPEDANCE * thickness);
        double sigma = largest * pow(depth / cells, order);
        double half_loss = 0.5 * sigma * time_step / FREE_SPACE_PERMITTIVITY;
        double half_shift = 0.5 * SHIFT * SPEED_OF_LIGHT / thickness * time_step;
        filter.gain = (1 + half_shift) / (1 + half_shift + half_loss);
        filter.pole = (1 - half_shift - half_loss) / (1 + half_shift + half_loss);
    }
    return filter;
}

void absorber_profile(int n, int cells, double order, double reflection, double cell, double time_step,
                      struct absorber_filter *half, struct absorber_filter *node)
{
    for (int i = 0; i < n; i++) {
        /* Depth in cells; the layer begins at nodes `cells` and n - cells and ends on the PEC walls at nodes 0 and n.
         */
        double node_depth = fmax(cells - i, i - (n - cells));
        double half_depth = fmax(cells - (i + 0.5), (i + 0.5) - (n - cells));
        bool layer = cells > 0;
        half[i] = filter_at(layer ? half_depth : 0, cells, order, reflection, cell, time_step);
        node[i] = filter_at(layer ? node_depth : 0, cells, order, reflection, cell, time_step);
    }
}
