/* Bessel functions of every order and their slopes, for series of waves around a post. */
#ifndef BESSEL_H
#define BESSEL_H

#include <complex.h>
#include <math.h>

/* H_n^(2): a wave that goes outwards. */
static inline double complex hankel(int n, double x)
{
    return jn(n, x) - I * yn(n, x);
}

/* d/dx from the recurrence. */
static inline double jn_slope(int n, double x)
{
    return n == 0 ? -j1(x) : jn(n - 1, x) - n / x * jn(n, x);
}

static inline double complex hankel_slope(int n, double x)
{
    return n == 0 ? -hankel(1, x) : hankel(n - 1, x) - n / x * hankel(n, x);
}

#endif
