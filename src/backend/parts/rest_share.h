/* How much of a run falls away on devices that leave out what is at rest, of the whole grid and of a part of it. */
#pragma once

#include "problem/problem.h"

/* Of all cells in `steps` steps the share that no wave of source number `source` has reached, [0, 1). */
double rest_share(const struct problem *problem, int source, double steps);

/* Of the cells of columns first .. end - 1 along x and y the share that a wave of the source has reached, in the middle
 * of each of `slices` equal stretches of `steps` steps, to share[slice]. */
void reached_share(const struct problem *problem, int source, const int first[2], const int end[2], double steps,
                   int slices, double *share);
