/* Dispersion models: how a medium answers the field, and what one step of it needs. A model is a file of its own
 * (dispersion_plain.c) with one struct dispersion_model, a value of enum dispersion_kind and a line in the table of
 * dispersion.c. It fills a medium's row of the coefficient table (problem.h). Leaves out the stepping with that row:
 * the plain two columns are in cell.h, and a solver takes more columns only when its `applicable` says so. */
#ifndef DISPERSION_H
#define DISPERSION_H

#include "base/status.h"

enum dispersion_kind { DISPERSION_PLAIN };

/* Columns of the coefficient table that every model fills. A model with more keeps these and appends its own. */
enum { COEFFICIENT_CA, COEFFICIENT_CB, COEFFICIENT_PLAIN_WIDTH };

/* A medium at a node, after averaging. */
struct dispersive_medium {
    enum dispersion_kind kind;
    double relative_permittivity; /* of infinitely high frequency where there are poles; above 0 */
    double conductivity;          /* S/m, >= 0; already compensated for the warp of time stepping, if it is to be */
};

/* What of the grid and the scheme enters the coefficients. */
struct dispersion_step {
    double time_step;     /* s */
    double cell;          /* m */
    double laplacian_tap; /* the scheme's laplacian(1), stencil.h, by which the stepped stencil is divided */
};

struct dispersion_model {
    const char *name;        /* for help texts and messages */
    const char *description; /* a clause */
    enum dispersion_kind kind;
    int width; /* numbers in a row of the coefficient table */
    /* Fills row (width). */
    void (*fill)(const struct dispersive_medium *medium, const struct dispersion_step *step, double *row);
    /* Ez [V/m] that a node gains when the current of a soft source through it grows by 1 A. */
    double (*source_weight)(const struct dispersive_medium *medium, const struct dispersion_step *step);
};

extern const struct dispersion_model dispersion_plain;

const struct dispersion_model *dispersion_model(enum dispersion_kind kind);

/* The table in the order in which help texts and messages list it; NULL after its end. */
const struct dispersion_model *dispersion_listed(size_t index);

#endif
