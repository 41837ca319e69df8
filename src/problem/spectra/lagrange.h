/* Lagrange interpolation on equally spaced points. */
#ifndef LAGRANGE_H
#define LAGRANGE_H

/* Weights of the `most` points nearest to x, of points 0 .. n - 1 that are one apart; returns how many there are: one
 * where x is a point (within a millionth), fewer than `most` where n is smaller. *first is the first of them; `weight`
 * has room for `most`. */
int lagrange_weights(double x, int n, int most, int *first, double *weight);

#endif
