/* Poles of a dispersive medium (physics.md section 10): what of its permittivity depends on frequency,
 *     eps(w) = relative_permittivity + sum of the poles + conductivity/(j w eps0)
 * and what one step of a node that has them needs. The poles are stepped by the trapezoidal rule, so that a medium that
 * is passive stays so at every time step that it allows without its poles. Leaves out which nodes have them
 * (problem.h) and the arithmetic of a step (cell.h). */
#pragma once

#include "base/status.h"

#include <stdbool.h>

enum pole_kind {
    POLE_DEBYE,   /* strength/(1 + j w relaxation) */
    POLE_LORENTZ, /* strength f0^2/(f0^2 - f^2 + j f damping), f0 = frequency */
    POLE_DRUDE,   /* -fp^2/(f^2 - j f damping), fp = frequency */
    POLE_KINDS
};

enum { POLE_LIMIT = 16 }; /* of one medium */

struct pole {
    enum pole_kind kind;
    double strength;   /* Debye, Lorentz: the permittivity that it adds far below its frequency, > 0 */
    double relaxation; /* s, > 0: Debye */
    double frequency;  /* Hz, > 0: resonance of a Lorentz pole, plasma frequency of a Drude pole */
    double damping;    /* Hz, >= 0: Lorentz, Drude; the damping constant in 1/s is 2 pi times this */
};

struct permittivity {
    double real, loss; /* eps = real - j loss */
};

bool poles_equal(const struct pole *a, int a_count, const struct pole *b, int b_count);

/* What the pole adds at a frequency [Hz]. */
struct permittivity pole_at(const struct pole *pole, double frequency);

/* The frequency [Hz] at which the pole acts: 1/(2 pi relaxation), resonance, plasma frequency. */
double pole_frequency(const struct pole *pole);

/* The pole with all its frequencies higher by `factor`. */
struct pole pole_shifted(const struct pole *pole, double factor);

/* One pole in one step: of what it answers to the sum of the field before and after, of its polarisation and, for
 * Lorentz and Drude, of its current (cell.h). */
struct pole_step {
    double field, polarisation, current;
};

/* A medium at a node: after the usual update by ca and cb,
 *     u = keep u - take (half * u one step before + what its poles remember) */
struct pole_medium {
    double keep, take, half;
    int first;                    /* of its steps: the Debye poles, then the others */
    int relaxations, oscillators; /* how many of each */
};

/* One step of the pole, its strength times `share`. */
struct pole_step pole_step_of(const struct pole *pole, double share, double time_step);

/* eps_r (1 + a) and eps_r (1 - a), a the loss of half a step: by what the field after and before a step is multiplied.
 */
struct pole_balance {
    double after, before;
};

/* Fills keep, take and half when the steps are there: `row` is that of the node's ca and cb, `own` that of its medium
 * without poles. */
void pole_medium_close(struct pole_medium *medium, const struct pole_step *steps, struct pole_balance row,
                       struct pole_balance own);

/* Numbers that a node of the medium remembers: its field one step before; a polarisation per Debye pole; polarisation
 * and current per other pole. */
static inline int pole_medium_states(const struct pole_medium *medium)
{
    return 1 + medium->relaxations + 2 * medium->oscillators;
}
