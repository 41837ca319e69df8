/* The absorber kind cpml (physics.md section 3): the perfectly matched layer whose stretch is that of a complex shifted
 * frequency, s = kappa + (sigma/eps0) / (alpha + jw) (Kuzuoglu and Mittra 1996; graded as in Roden and Gedney 2000).
 * They convolve with the impulse response of 1/s; here it is the filter that upml has too, by the trapezoidal rule.
 *
 * kappa lets waves that fall off beside a wall fall off faster; alpha lets the layer alone at low frequencies, where
 * its conductivity would reflect them. alpha is the same at every depth: graded down to 0 at the wall, as Roden and
 * Gedney have it, the echo of a metal plate beside the layer is 5 to 12 dB louder. */
#include "base/constants.h"
#include "problem/absorber.h"

#include <math.h>

/* alpha, rad/s. */
static double shift(const struct absorber *absorber, double cell)
{
    return absorber->alpha_in_siemens ? absorber->alpha / FREE_SPACE_PERMITTIVITY
                                      : absorber->alpha * SPEED_OF_LIGHT / (absorber->cells * cell);
}

static struct absorber_filter cpml_filter(const struct absorber *absorber, double depth,
                                          const struct absorber_axis *axis)
{
    double part = depth / absorber->cells, sigma = absorber_conductivity(absorber, depth, axis->cell);
    double kappa = 1 + (absorber->kappa - 1) * pow(part, absorber->order);
    double half_shift = 0.5 * shift(absorber, axis->cell) * axis->time_step;
    double half_loss = 0.5 * sigma * axis->time_step / FREE_SPACE_PERMITTIVITY;
    double whole = kappa * (1 + half_shift) + half_loss;
    return (struct absorber_filter){.gain = (1 + half_shift) / whole,
                                    .pole = (kappa * (1 - half_shift) - half_loss) / whole,
                                    .feed = ((kappa - 1) * (1 - half_shift) - half_loss) / whole};
}

const struct absorber_model absorber_cpml = {
    .name = "cpml",
    .description = "the PML with a complex shifted frequency; kappa and alpha beside the keys of upml",
    .layered = true,
    .usual = {.kind = ABSORBER_CPML, .cells = 16, .order = 4, .kappa = 8},
    .filter = cpml_filter};
