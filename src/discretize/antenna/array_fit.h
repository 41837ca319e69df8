/* Currents of an array of parallel line currents that radiate a wanted pattern: regularised least squares (a Tikhonov
 * term, so that currents stay small and the array is not super-directive beyond measure), the phase of the pattern left
 * free and found by the variable exchange of Kassakian (dissertation, Berkeley 2006; the Gerchberg-Saxton iteration).
 * Numbers alone: where the currents stand and what is done with them is for array.c. */
#pragma once

#include "base/status.h"

/* Each current is (sum over even r of weight[r] basis[r] + j sum over odd r) times the reference current. */
enum { ARRAY_TERMS = 4 };

struct array_question {
    int count;            /* currents */
    const double *x, *y;  /* (count) m, from the antenna */
    int terms;            /* 2 or ARRAY_TERMS */
    int angles;           /* directions 2 pi n/angles, counterclockwise from x */
    const double *wanted; /* (angles) amplitude, 1 where the antenna sends most */
    int frequencies;
    const double *wave_number; /* (frequencies, angles) rad/m */
    const double *basis;       /* (frequencies, ARRAY_TERMS) */
    int centre;                /* the frequency whose currents are told */
};

struct array_answer {
    double *weight; /* (terms, count), owned */
    /* dB: the largest deviation from the wanted pattern at the centre and over all frequencies, where that is -15 dB or
     * more; and by how much it is exceeded at most where it is less (of -40 dB, if it is less still). */
    double error_centre, error, exceeded;
    double current; /* sum of the currents' amplitudes at the centre, over the current that alone sends as much */
};

/* PW_NO_RESOURCE: no memory. */
pw_status array_fit(const struct array_question *question, struct array_answer *answer, pw_error *error);

/* The deviation of currents that are given, as in the answer, which holds their weights. */
pw_status array_check(const struct array_question *question, struct array_answer *answer, pw_error *error);
