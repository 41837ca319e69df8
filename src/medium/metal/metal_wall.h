/* The share of volume of an edge along flat metal (physics.md section 9). */
#pragma once

#include "problem/stencil.h"

enum { WALL_PLACES = 64 };

struct metal_wall {
    double turn;
    double share[WALL_PLACES]; /* at distances (n + 1)/WALL_PLACES times WALL_FAR */
};

/* Of the wave number, what counts along the normal in the mean of its square over all angles of incidence, cos^2 times
 * weighted: (3/4)^(1/2). */
static const double MEAN_TURN = 0.866;

/* Cells that metal is from the last free edge at most. */
static const double WALL_FAR = 1.6;

/* `turn`: k cell of the wave that is to be reflected as the metal does. */
struct metal_wall metal_wall_of(const struct stencil *stencil, double turn);

/* What metal `distance` cells away adds to the share of the edge, which is 1 elsewhere. */
double metal_wall_share(const struct metal_wall *wall, double distance);
