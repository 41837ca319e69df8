/* Plan A: the walls as text of a scenario, and the answers from outside, read from validation/reference (physics.md
 * section 8). */
#ifndef PLAN_A_H
#define PLAN_A_H

#include "validation/support/case.h"

enum { PLAN_A_PROBES = 4, PLAN_A_FREQUENCIES = 13, PLAN_A_BANDS = 2 };

/* G = Ez / Ez of free space at 1 m, per band. */
struct plan_a_answer {
    double frequency[PLAN_A_FREQUENCIES]; /* Hz */
    double complex g[PLAN_A_PROBES][PLAN_A_FREQUENCIES];
};

extern const char *const PLAN_A_PROBE[PLAN_A_PROBES];
extern const char *const PLAN_A_BAND[PLAN_A_BANDS];

/* The integral equation's, for band 0 (0.85-1.15 GHz) or 1 (2.1-2.7 GHz). */
struct plan_a_answer plan_a_integral_equation(int band);
/* Meep's, at the frequencies of band 1; cells of 5 mm or 10 mm. */
struct plan_a_answer plan_a_meep(bool fine);

/* The scenario up to and including the probes; free it. `grid` is the inside of the map, as in "scheme: dd4, cell: 2
 * cm". Everything is moved by -shift [m] in x and y, which puts the nodes elsewhere and changes nothing else. */
struct text plan_a_scenario(const char *grid, double band_centre, double band_width, double shift);

/* ||a - b|| / ||b|| over the frequencies of a probe. */
double plan_a_error(const double complex *a, const double complex *b);

#endif
