/* How much of a run falls away on devices that leave out what is at rest. */
#pragma once

#include "problem/problem.h"

/* Of all cells in `steps` steps the share that no wave of source number `source` has reached, [0, 1). */
double rest_share(const struct problem *problem, int source, double steps);
