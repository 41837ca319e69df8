/* Polynomial chaos: a quantity as a polynomial of total degree 1 or 2 in the numbers that are drawn, orthonormal for
 * their distribution (Hermite for normal, Legendre for uniform ones; D. Xiu, G. E. Karniadakis, SIAM J. Sci. Comput.
 * 24, 619, 2002), fitted by least squares. The same draws serve every cell of a map, so that what depends on them alone
 * is made once.
 *
 * Leave-one-out   The error at each sample of the fit to all the others is its residual over 1 - its leverage
 *                 (G. Blatman, B. Sudret, J. Comput. Phys. 230, 2345, 2011), without fitting again.
 * Variance        The polynomials being orthonormal it is the sum of squares of the coefficients but the first; the
 *                 terms that one spread is in are its part (Sobol's indices). */
#pragma once

#include "uncertainty/draws.h"

struct chaos {
    int dimensions, samples, degree, terms;
    bool uniform[DIMENSION_LIMIT];
    int *first, *second; /* (terms), owned: dimensions of a term's factors, -1 for none; the same twice: degree 2 */
    double *projector;   /* (terms, samples), owned: coefficients = projector values */
    double *design;      /* (samples, terms), owned */
    double *leverage;    /* (samples), owned */
};

/* Polynomials of that degree in so many dimensions. */
int chaos_terms(int dimensions, int degree);

/* PW_USAGE: fewer than two samples for each polynomial. Free with chaos_free. */
pw_status chaos_create(const struct draws *draws, int degree, struct chaos *chaos, pw_error *error);
void chaos_free(struct chaos *chaos);

/* The polynomials of degree 1 alone, for coefficients that come from elsewhere. */
pw_status chaos_lines(const struct draws *draws, struct chaos *chaos, pw_error *error);

/* Fits `values` (samples); fills `coefficients` (terms), and returns the sum of squares of the leave-one-out errors. */
double chaos_fit(const struct chaos *chaos, const double *values, double *coefficients);

/* The polynomials at `number` (dimensions), into `out` (terms). */
void chaos_polynomials(const struct chaos *chaos, const double *number, double *out);
