/* Fields around a corner, an end or a thin post of metal: those that vanish on it, one after the other. */
#pragma once

#include "medium/metal/ends/metal_solution.h"

/* Cells from a corner, or from the surface of a post. */
double end_distance_of(const struct metal_solution *end, double x, double y);

/* The static field u that grows the slowest, and its stream function v. */
void end_potential_at(const struct metal_solution *end, double x, double y, double *u, double *v);

/* Of a corner J of order (mode + 1) pi/opening; of a post those of 1, cos and sin. `turn`: k cell. */
double end_mode_at(const struct metal_solution *end, int mode, double x, double y, double turn);

/* What a link to metal there is scaled by for a mode. */
double end_shape_at(const struct metal_solution *end, int mode, double x, double y);
