/* Poles of dispersive media (pole.h): their law in frequency, and the numbers of a step by the trapezoidal rule. */
#include "problem/poles/pole.h"

#include <math.h>

bool poles_equal(const struct pole *a, int a_count, const struct pole *b, int b_count)
{
    bool equal = a_count == b_count;
    for (int p = 0; equal && p < a_count; p++) {
        equal = a[p].kind == b[p].kind && a[p].strength == b[p].strength && a[p].relaxation == b[p].relaxation &&
                a[p].frequency == b[p].frequency && a[p].damping == b[p].damping;
    }
    return equal;
}

/* numerator/(real + j imaginary) as real - j loss. */
static struct permittivity quotient(double numerator, double real, double imaginary)
{
    double square = real * real + imaginary * imaginary;
    return (struct permittivity){numerator * real / square, numerator * imaginary / square};
}

struct permittivity pole_at(const struct pole *pole, double frequency)
{
    double square = pole->frequency * pole->frequency, damping = frequency * pole->damping;
    switch (pole->kind) {
    case POLE_LORENTZ:
        return quotient(pole->strength * square, square - frequency * frequency, damping);
    case POLE_DRUDE:
        return quotient(square, -frequency * frequency, damping);
    case POLE_DEBYE:
    default:
        return quotient(pole->strength, 1, (2 * M_PI) * frequency * pole->relaxation);
    }
}

double pole_frequency(const struct pole *pole)
{
    return pole->kind == POLE_DEBYE ? 1 / ((2 * M_PI) * pole->relaxation) : pole->frequency;
}

struct pole pole_shifted(const struct pole *pole, double factor)
{
    struct pole shifted = *pole;
    shifted.relaxation /= factor;
    shifted.frequency *= factor;
    shifted.damping *= factor;
    return shifted;
}

/* relaxation dP/dt = strength E - P over one step: P grows by field (E before + E after) - polarisation P. */
static struct pole_step relaxation_step(const struct pole *pole, double share, double dt)
{
    double rate = dt / (pole->relaxation + 0.5 * dt);
    return (struct pole_step){0.5 * share * pole->strength * rate, rate, 0};
}

/* dP/dt = J, dJ/dt = strength w0^2 E - w0^2 P - damping J (Drude: w0 = 0 but for E's factor), J in units of P a step:
 * the mean current of the step is J + change, change = field (E before + E after) - polarisation P - current J. */
static struct pole_step oscillator_step(const struct pole *pole, double share, double dt)
{
    double w = (2 * M_PI) * pole->frequency * dt, damping = (2 * M_PI) * pole->damping * dt;
    double restoring = pole->kind == POLE_DRUDE ? 0 : w * w, strength = pole->kind == POLE_DRUDE ? 1 : pole->strength;
    double denominator = 2 + damping + 0.5 * restoring;
    return (struct pole_step){0.5 * share * strength * w * w / denominator, restoring / denominator,
                              (damping + 0.5 * restoring) / denominator};
}

struct pole_step pole_step_of(const struct pole *pole, double share, double time_step)
{
    return pole->kind == POLE_DEBYE ? relaxation_step(pole, share, time_step) : oscillator_step(pole, share, time_step);
}

/* (own.after + h) u = own.before u0 - h u0 + curl - memory, h the sum of the steps' field; and the usual update has
 * made row.after u' = row.before u0 + curl. */
void pole_medium_close(struct pole_medium *medium, const struct pole_step *steps, struct pole_balance row,
                       struct pole_balance own)
{
    double field = 0;
    for (int p = 0; p < medium->relaxations + medium->oscillators; p++) {
        field += steps[p].field;
    }
    medium->take = 1 / (own.after + field);
    medium->keep = row.after * medium->take;
    medium->half = field + row.before - own.before;
}
