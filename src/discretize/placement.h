/* Positions between nodes, as weighted nodes: one set of weights for transmitters and receivers, so that reciprocity
 * holds exactly. */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include "scenario/scenario.h"

enum { PLACEMENT_TAPS = 8, PLACEMENT_LIMIT = PLACEMENT_TAPS * PLACEMENT_TAPS };

/* Ez at the position = sum of weight * Ez(node): Lagrange interpolation over 8 nodes along each axis on which the
 * position is not a node (nearer than a millionth of a cell), fewer where the grid is smaller. At 6 cells a wavelength
 * it is good to 2e-3, at 12 to 1e-5. */
struct placement {
    int count; /* 1, 8 or 64 */
    int64_t node[PLACEMENT_LIMIT];
    double weight[PLACEMENT_LIMIT];
};

/* (x, y) in cells from node (0, 0) of an nx by ny grid. */
struct placement placement_at(double x, double y, int nx, int ny);

/* The nearest node alone; *distance in cells. */
struct placement placement_nearest(double x, double y, int nx, int ny, double *distance);

#endif
