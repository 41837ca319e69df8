/* Tissue and how a cylinder of it scatters (person.h). */
#include "walk/scatter/person.h"

#include <math.h>
#include <stdio.h>

static const double EPSILON = 8.8541878128e-12;
static const double INFINITE = 4;           /* relative permittivity at infinitely high frequency */
static const double RELAXATION = 7.234e-12; /* s: of the dispersion that acts at gigahertz */

double complex muscle_permittivity(double frequency)
{
    static const struct dispersion {
        double strength, relaxation, spread;
    } DISPERSIONS[] = {{50, 7.234e-12, 0.1}, {7000, 353.678e-9, 0.1}, {1.2e6, 318.310e-6, 0.1}, {2.5e7, 2.274e-3, 0}};
    const double omega = 2 * M_PI * frequency;
    double complex sum = INFINITE + 0.2 / (I * omega * EPSILON);
    for (size_t n = 0; n < sizeof DISPERSIONS / sizeof *DISPERSIONS; n++) {
        const struct dispersion *one = &DISPERSIONS[n];
        sum += one->strength / (1 + cpow(I * omega * one->relaxation, 1 - one->spread));
    }
    return sum;
}

void muscle_material(double low, double high, char material[MATERIAL_SIZE], double *off)
{
    enum { SAMPLES = 33 };
    double strength = 0, conductivity = 0;
    /* Least squares: the real parts want a strength, the imaginary parts what is left a conductivity. */
    double pole_square = 0, loss_square = 0;
    for (int n = 0; n < SAMPLES; n++) {
        const double omega = 2 * M_PI * (low + (high - low) * n / (SAMPLES - 1));
        const double real = creal(1 / (1 + I * omega * RELAXATION));
        strength += real * (creal(muscle_permittivity(omega / (2 * M_PI))) - INFINITE);
        pole_square += real * real;
    }
    strength /= pole_square;
    for (int n = 0; n < SAMPLES; n++) {
        const double omega = 2 * M_PI * (low + (high - low) * n / (SAMPLES - 1));
        const double complex pole = strength / (1 + I * omega * RELAXATION);
        conductivity += (cimag(pole) - cimag(muscle_permittivity(omega / (2 * M_PI)))) / (omega * EPSILON);
        loss_square += pow(omega * EPSILON, -2);
    }
    conductivity /= loss_square;
    *off = 0;
    for (int n = 0; n < SAMPLES; n++) {
        const double omega = 2 * M_PI * (low + (high - low) * n / (SAMPLES - 1));
        const double complex fitted =
            INFINITE + strength / (1 + I * omega * RELAXATION) + conductivity / (I * omega * EPSILON);
        *off = fmax(*off, cabs(fitted / muscle_permittivity(omega / (2 * M_PI)) - 1));
    }
    snprintf(material, MATERIAL_SIZE,
             "{name: muscle, relative_permittivity: %.9g, conductivity: %.9g S/m, poles: [{kind: debye, strength: "
             "%.9g, relaxation_time: %.9g ps}]}",
             INFINITE, conductivity, strength, RELAXATION * 1e12);
}

/* ---- the cylinder ------------------------------------------------------------------------------------------------ */

static double complex hankel(int m, double x)
{
    return jn(m, x) - I * yn(m, x);
}

/* J_m'(z)/J_m(z) for m = 0 ... orders, from J_{m+1}/J_m, which is found from far above downwards. */
static void slopes_inside(double complex z, int orders, double complex *slope)
{
    double complex ratio = 0;
    for (int m = orders + (int)cabs(z) + 40; m >= 0; m--) {
        if (m <= orders) {
            slope[m] = m / z - ratio;
        }
        if (m > 0) {
            ratio = 1 / (2 * m / z - ratio);
        }
    }
}

/* d/dx of J_m or H_m from two neighbours. */
static double complex slope_of(int m, double x, double complex lower, double complex own)
{
    return lower - m / x * own;
}

void cylinder_response(const struct cylinder *cylinder, double k, int orders, double complex *response)
{
    const double x = k * cylinder->radius;
    const double complex index = csqrt(cylinder->permittivity);
    /* E and its slope go through the face as they are; H does, and its slope over the permittivity. */
    const double complex steeper = cylinder->across ? 1 / index : index;
    slopes_inside(index * x, orders, response);
    for (int m = 0; m <= orders; m++) {
        const double j = jn(m, x), lower = m > 0 ? jn(m - 1, x) : -jn(1, x);
        const double complex h = hankel(m, x), h_lower = m > 0 ? hankel(m - 1, x) : -hankel(1, x);
        response[m] = -(steeper * response[m] * j - slope_of(m, x, lower, j)) /
                      (steeper * response[m] * h - slope_of(m, x, h_lower, h));
    }
}
