/* The absorbing layer (physics.md section 3): Gedney's UPML, PEC backed, in stretched-coordinate form.
 *
 * Dividing the UPML equations by s_x s_y leaves
 *     jw (jw eps_r + sigma/eps0) E = c^2 [ (1/s_x) d_x (1/s_x) d_x + (1/s_y) d_y (1/s_y) d_y ] E,
 * so the layer is two first-order filters 1/s per direction: one on the first difference (half nodes), one on the
 * second (nodes). With the trapezoidal rule in time that is algebraically the same recursion as Gedney's D/B form, with
 * less to store (tests/test_reference.c).
 *
 * The pole of s is shifted off zero frequency (Kuzuoglu and Mittra 1996): s = 1 + (sigma_layer/eps0) / (alpha + jw),
 * alpha = 0.05 c/D for a layer of thickness D, far under any band of use (10 MHz for 16 cells of 2 cm). Without the
 * shift the layer has no restoring force on constant fields, and what rounding leaves there grows linearly with time:
 * in single precision to 4e-3 of the peak after 64 000 steps of dd4. With it nothing grows. */
#ifndef ABSORBER_H
#define ABSORBER_H

#include "scenario/scenario.h"

/* Filter 1/s at one place: out = gain in + state, next state = pole (out - in) + (gain - 1) in. Where sigma = 0: gain =
 * pole = 1. */
struct absorber_filter {
    double gain, pole;
};

/* Fills half[i] (at i+1/2) and node[i] (at i) for i = 0..n-1 of an axis of n cells with `cells` layer cells at both
 * ends. */
void absorber_profile(int n, int cells, double order, double reflection, double cell, double time_step,
                      struct absorber_filter *half, struct absorber_filter *node);

#endif
