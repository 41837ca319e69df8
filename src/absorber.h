/* The absorbing layer (physics.md section 3): Gedney's UPML, PEC backed, in stretched-coordinate form.
 *
 * Dividing the UPML equations by s_x s_y leaves
 *     jw (jw eps_r + sigma/eps0) E = c^2 [ (1/s_x) d_x (1/s_x) d_x + (1/s_y) d_y (1/s_y) d_y ] E,     s = 1 + sigma_layer/(jw eps0),
 * so the layer is two first-order filters 1/s per direction: one on the first difference (half nodes), one on the second (nodes).
 * With the trapezoidal rule in time that is algebraically the same recursion as Gedney's D/B form, with less to store. */
#ifndef ABSORBER_H
#define ABSORBER_H

#include "scenario.h"

/* Trapezoidal filter 1/s at one place: out = gain in + state; state = pole out - gain in. Where sigma = 0: gain = pole = 1. */
struct absorber_filter {
    double gain, pole;
};

/* Fills half[i] (at i+1/2) and node[i] (at i) for i = 0..n-1 of an axis of n cells with `cells` layer cells at both ends. */
void absorber_profile(int n, int cells, double order, double reflection, double cell, double time_step,
                      struct absorber_filter *half, struct absorber_filter *node);

#endif
