/* u = (4 pi/A) sum over m of J_v(k r<) H_v(k r>) sin(v phi) sin(v phi0), v = m pi/A, for air of angle A; with cosines,
 * half of the first, for Hz. The orders v have a few fractional parts; those with the same one follow from each other
 * by their recurrence: J downwards (Miller), Y upwards. */
#include "validation/support/metal/half_plane.h"

#include <math.h>
#include <string.h>

enum { ORDERS = 420 };

/* J_(f+n)(x) for n = 0 .. ORDERS - 1, 0 <= f < 1: downwards, to the sum of (f + 2i) Gamma(f + i)/i! J_(f+2i), which is
 * (x/2)^f. */
static void bessel_down(double f, double x, double *j)
{
    const int top = ORDERS + 60;
    double above = 0, here = 1e-300, sum = 0, gamma = f > 0 ? exp(lgamma(f + top / 2) - lgamma(top / 2 + 1.0)) : 0;
    for (int n = top; n >= 0; n--) {
        if (n < ORDERS) {
            j[n] = here;
        }
        if (n % 2 == 0) {
            sum += (f > 0 ? (f + n) * gamma : n > 0 ? 2 : 1) * here;
            gamma *= n > 0 ? 0.5 * n / (f + n / 2 - 1) : 1;
        }
        const double below = 2 * (f + n) / x * here - above;
        above = here;
        here = below;
        if (fabs(here) > 1e250) {
            for (int m = n; m < ORDERS; m++) {
                j[m] *= 1e-250;
            }
            above *= 1e-250, here *= 1e-250, sum *= 1e-250;
        }
    }
    const double scale = pow(x / 2, f) / sum;
    for (int n = 0; n < ORDERS; n++) {
        j[n] *= scale;
    }
}

/* Y_(f+n)(x), upwards. */
static void bessel_up(double f, double x, const double *j, double *y)
{
    if (f > 0) {
        double other[ORDERS];
        bessel_down(1 - f, x, other);
        const double minus = 2 * (1 - f) / x * other[0] - other[1]; /* J_(-f) */
        const double minus_one = -2 * f / x * minus - other[0];     /* J_(-f-1) */
        y[0] = (j[0] * cos(f * M_PI) - minus) / sin(f * M_PI);
        y[1] = (j[1] * cos((f + 1) * M_PI) - minus_one) / sin((f + 1) * M_PI);
    } else {
        y[0] = y0(x);
        y[1] = y1(x);
    }
    for (int n = 1; n + 1 < ORDERS; n++) {
        y[n + 1] = 2 * (f + n) / x * y[n] - y[n - 1];
    }
}

/* The terms of the orders f, f + 1, ... that are multiples of `step`. */
static double complex orders_from(double f, double step, const double distance[2], const double angle[2],
                                  bool horizontal)
{
    double near[ORDERS], j[ORDERS], y[ORDERS];
    double complex sum = 0;
    bessel_down(f, distance[0], near);
    bessel_down(f, distance[1], j);
    bessel_up(f, distance[1], j, y);
    for (int n = 0; n < ORDERS; n++) {
        const double order = f + n, at = order * angle[0], source = order * angle[1];
        const double complex term = near[n] * (j[n] - I * y[n]);
        if (order > distance[1] && cabs(term) < 1e-9) {
            return sum;
        }
        if (fabs(order / step - round(order / step)) < 1e-6) {
            sum += (order < 1e-9 ? 0.5 : 1) * term * (horizontal ? cos(at) * cos(source) : sin(at) * sin(source));
        }
    }
    return NAN;
}

double complex wedge_field(double k, int numerator, int denominator, struct polar at, struct polar source,
                           bool horizontal)
{
    const double step = 0.5 * denominator / numerator, angle[2] = {at.angle, source.angle};
    const double distance[2] = {k * fmin(at.distance, source.distance), k * fmax(at.distance, source.distance)};
    double complex sum = 0;
    /* Every fractional part once: those of whole numbers of 1/(2 numerator) that a multiple of the step has. */
    for (int part = 0; part < 2 * numerator; part++) {
        bool there = false;
        for (int m = 0; m < 2 * numerator; m++) {
            there = there || (m * denominator) % (2 * numerator) == part;
        }
        sum += there ? orders_from(0.5 * part / numerator, step, distance, angle, horizontal) : 0;
    }
    return 2.0 * denominator / numerator * sum;
}
