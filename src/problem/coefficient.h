/* Rows of the coefficient table (problem.h): what a step takes of a medium that does not depend on frequency. Poles of
 * media that do are beside it (poles/pole.h). */
#pragma once

#include "base/status.h"

/* Columns of the table. */
enum { COEFFICIENT_CA, COEFFICIENT_CB, COEFFICIENT_WIDTH };

/* A medium at a node, after averaging. */
struct plain_medium {
    double relative_permittivity; /* of infinitely high frequency where there are poles; above 0 */
    double conductivity;          /* S/m, >= 0; already compensated for the warp of time stepping, if it is to be */
};

/* What of the grid and the scheme enters the coefficients. */
struct coefficient_step {
    double time_step;     /* s */
    double cell;          /* m */
    double laplacian_tap; /* the scheme's laplacian(1), stencil.h, by which the stepped stencil is divided */
};

/* Fills a row (physics.md section 1; the formulas of ca and cb are derived in problem.h). */
void coefficient_fill(const struct plain_medium *medium, const struct coefficient_step *step,
                      double row[COEFFICIENT_WIDTH]);

/* Ez [V/m] that a node gains when the current of a soft source through it grows by 1 A. */
double coefficient_source_weight(const struct plain_medium *medium, const struct coefficient_step *step);
