/* How the coefficients of the grid depend on a parameter of the plan: the chain rule from a material or a thickness to
 * the discrete equations, by set-ups. With z = exp(j omega dt) the field E at a place obeys (problem.h)
 *
 *     d(z) E - L E = b,    d(z) = (1 - 1/z) (z/cb - ca/cb),
 *
 * where L is the Laplacian in tm2d and minus the double curl in maxwell3d. So a medium enters through the two real
 * numbers 1/cb and ca/cb alone, which are linear in permittivity and conductivity. */
#pragma once

#include "api/study/variants.h"
#include "discretize/setup.h"

/* Of one parameter p: d(1/cb)/d ln p and d(ca/cb)/d ln p, at the places where they are not zero. In tm2d a place is a
 * node. Where a transmitter moves it is b that changes: then `storage` is d(weight/cb)/d ln p of its source. */
struct node_changes {
    int transmitter; /* that moves; -1: the medium changes */
    int64_t count;
    int64_t *place;       /* (count), owned, ascending */
    double *storage;      /* (count), owned: d(1/cb)/d ln p, or d(weight/cb)/d ln p */
    double *conservation; /* (count), owned: d(ca/cb)/d ln p */
    int64_t left_out;     /* places beside metal, of which it is not known */
};

/* The row of the coefficient table of a place of E. */
const double *place_coefficients(const struct problem *problem, int64_t place);

/* `text` is the scenario with everything chosen, `base` its set-up; the parameter is multiplied by 1 + step and 1 -
 * step, in double precision by 1 + 2 step and 1 - 2 step too. PW_BAD_INPUT: the parameter moves the grid, the time step
 * or metal, a transmitter whose nodes differ in phase, or how places beside metal are solved; with `beside_metal` these
 * places are left out. */
pw_status node_changes_find(const struct setup *base, const char *text, const pw_parameter *parameter, double step,
                            bool beside_metal, struct node_changes *changes, pw_error *error);
void node_changes_free(struct node_changes *changes);
