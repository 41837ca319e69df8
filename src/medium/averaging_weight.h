/* The one-dimensional weights by which a medium is averaged around a node (physics.md section 1), as integrals, so that
 * a face is placed exactly wherever it lies between the nodes. The two-dimensional weight is their product.
 *
 *     box     1 on (-1/2, 1/2)
 *     moment  phi, the Deslauriers-Dubuc interpolating function of order 3: phi(x) = sum_k c(k) phi(2x - k),
 *             c(0) = 1, c(+-1) = 9/16, c(+-3) = -1/16, support (-3, 3)
 *     sinc    sinc(x) sinc(x/8), support (-8, 8): the ideal low pass of the grid, windowed after Lanczos;
 *             for band-limited averaging */
#pragma once

#include "base/status.h"

struct averaging_weight {
    double reach;  /* cells: zero from here on */
    double lobe;   /* least value of its integral: what a face leaves of the step beside it; 0 for the box */
    double *value; /* the weight on a dyadic lattice of (-reach, reach), owned; NULL for the box */
    double *once;  /* the same integrated once from -reach, owned */
    double *twice; /* and twice, owned */
};

struct averaging_weight weight_box(void);
/* Tables of phi by the cascade: exact at dyadic points up to rounding. */
pw_status weight_moment(struct averaging_weight *weight, pw_error *error);
pw_status weight_sinc(struct averaging_weight *weight, pw_error *error);
void weight_free(struct averaging_weight *weight);

/* Integral of the weight from -infinity to x [cells]: 0 for x <= -reach, 1 for x >= reach. */
double weight_integral(const struct averaging_weight *weight, double x);

/* Mean of the weight itself over [x - half, x + half], half >= 0 [cells]. */
double weight_mean(const struct averaging_weight *weight, double x, double half);

/* Mean of weight_integral over [x - half, x + half], half >= 0 [cells]. */
double weight_integral_mean(const struct averaging_weight *weight, double x, double half);
