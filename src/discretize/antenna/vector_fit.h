/* Currents of short dipoles along the axes, each at its own place, that together radiate a wanted complex field over
 * the sphere: least squares with a Tikhonov term, as in two dimensions (array_fit.h), where the phase is free by the
 * same variable exchange. Numbers alone: where the dipoles stand is for vector_array.c. */
#pragma once

#include <complex.h>

#include "base/status.h"
#include "discretize/antenna/array_fit.h"

struct vector_question {
    int count;             /* dipoles */
    const double (*at)[3]; /* (count) m, from the antenna */
    const int *axis;       /* (count) along which each points */
    int terms;             /* 2 or ARRAY_TERMS */
    int directions;        /* as many of equal shares of the sphere */
    const double (*direction)[3];
    const double complex (*wanted)[3]; /* (directions) across the direction; 1 where the antenna sends most */
    bool phase_free;
    int frequencies;
    const double *wave_number; /* (frequencies, directions) rad/m */
    const double *basis;       /* (frequencies, ARRAY_TERMS) */
    int centre;                /* the frequency whose currents are told */
};

struct vector_system;

struct vector_answer {
    double *weight;               /* (terms, count), owned */
    struct vector_system *system; /* the equations they solve, owned; NULL: not kept */
    /* dB: as of struct array_answer, of the power in both polarisations */
    double error_centre, error, exceeded;
    double turned;  /* degrees: polarisation, and phase where that is wanted, off at most, where it is -15 dB or more */
    double current; /* sum of the currents' amplitudes at the centre, over that of the dipole that sends as much */
};

/* Point n of `count` that share the sphere alike. */
void vector_direction(int n, int count, double direction[3]);

/* PW_NO_RESOURCE: no memory. */
pw_status vector_fit(const struct vector_question *question, struct vector_answer *answer, pw_error *error);

void vector_answer_free(struct vector_answer *answer);

/* Weights (terms, count) of the same dipoles, all moved by `move` [m] against the antenna, that radiate what those of
 * an answer do: one more solution of its equations. */
void vector_move(const struct vector_question *question, const struct vector_answer *found, const double move[3],
                 double *weight);

/* The deviation of currents that are given, as in the answer, which holds their weights. */
pw_status vector_check(const struct vector_question *question, struct vector_answer *answer, pw_error *error);
