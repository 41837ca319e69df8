/* The field of a line source around metal by an integral equation for the current on it: electric field, Galerkin's
 * method; along z (Ez, vertical) constant on each element, around (Hz, horizontal) linear, with elements that shrink
 * towards ends and corners. */
#ifndef CURRENTS_H
#define CURRENTS_H

#include <complex.h>

#include "validation/support/metal/contour.h"

struct currents;

/* `density`: elements a wavelength between the corners. Free it. */
struct currents *currents_create(const struct contour *contour, double k, bool horizontal, double density);
void currents_free(struct currents *currents);

/* The current for a source there, whose field alone is H0^(2)(k |r - r0|). */
void currents_solve(struct currents *currents, struct spot source);

/* What the metal adds to the field of the source. */
double complex currents_scattered(const struct currents *currents, struct spot at);

int currents_unknowns(const struct currents *currents);

#endif
