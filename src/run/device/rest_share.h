/* How much of a run falls away on devices that leave out what is at rest. */
#ifndef REST_SHARE_H
#define REST_SHARE_H

#include "problem/problem.h"

/* Of all cells in `steps` steps the share that no wave of source number `source` has reached, [0, 1). */
double rest_share(const struct problem *problem, int source, double steps);

#endif
