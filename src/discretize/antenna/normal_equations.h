/* The normal equations of a fit of currents: a Gram matrix that may be singular, made regular on its diagonal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The sum of products, in four sums whose order does not depend on the machine. */
double sum_of_products(const double *a, const double *b, size_t count);

/* Cholesky's factor of gram + mu, mu a share `regularisation` of the mean of its diagonal. gram and factor: (size,
 * size), lower triangles. False: there is none. */
bool normal_factor(const double *gram, size_t size, double regularisation, double *factor);

/* Solves (gram + mu) x = right in place: x has the right side before, the solution afterwards. */
void normal_solve(const double *factor, size_t size, double *x);
