/* The absorber kind upml (physics.md section 3): Gedney's uniaxial perfectly matched layer, PEC backed, in
 * stretched-coordinate form.
 *
 * Dividing the UPML equations by s_x s_y leaves
 *     jw (jw eps_r + sigma/eps0) E = c^2 [ (1/s_x) d_x (1/s_x) d_x + (1/s_y) d_y (1/s_y) d_y ] E,
 * so the layer is two first-order filters 1/s per direction: one on the first difference (half nodes), one on the
 * second (nodes). With the trapezoidal rule in time that is algebraically the same recursion as Gedney's D/B form, with
 * less to store (tests/solver/test_reference.c).
 *
 * The pole of s is shifted off zero frequency (Kuzuoglu and Mittra 1996): s = 1 + (sigma_layer/eps0) / (alpha + jw),
 * alpha = 0.05 c/D for a layer of thickness D, far under any band of use (10 MHz for 16 cells of 2 cm). Without the
 * shift the layer has no restoring force on constant fields, and what rounding leaves there grows linearly with time:
 * in single precision to 4e-3 of the peak after 64 000 steps of dd4. With it nothing grows. */
#include "base/constants.h"
#include "problem/absorber.h"

static const double SHIFT = 0.05; /* alpha in units of c/D */

/* (alpha + jw) / (alpha + sigma/eps0 + jw) by the trapezoidal rule. What goes in beside the output is gain - 1 of the
 * gain that the run has: it knows no other. */
static struct absorber_filter upml_filter(const struct absorber *absorber, double depth,
                                          const struct absorber_axis *axis)
{
    double thickness = absorber->cells * axis->cell, sigma = absorber_conductivity(absorber, depth, axis->cell);
    double half_loss = 0.5 * sigma * axis->time_step / FREE_SPACE_PERMITTIVITY;
    double half_shift = 0.5 * SHIFT * SPEED_OF_LIGHT / thickness * axis->time_step;
    double gain = (1 + half_shift) / (1 + half_shift + half_loss);
    return (struct absorber_filter){.gain = gain,
                                    .pole = (1 - half_shift - half_loss) / (1 + half_shift + half_loss),
                                    .feed = (axis->precision == PW_SINGLE ? (float)gain : gain) - 1};
}

const struct absorber_model absorber_upml = {
    .name = "upml",
    .description =
        "Gedney's uniaxial PML, unless given 16 cells, order 4, reflection exp(-6 cells), of 10 cells exp(-37.5)",
    .layered = true,
    .usual = {.kind = ABSORBER_UPML, .cells = 16, .order = 4},
    .filter = upml_filter};
