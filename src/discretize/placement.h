/* Positions between nodes, as weighted nodes: one set of weights for transmitters and receivers, so that reciprocity
 * holds exactly. */
#pragma once

#include "problem/problem.h"
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

/* Three dimensions: the same with 6 nodes an axis (with 8 where nothing changes along z), good to 1e-4 at 12 cells a
 * wavelength; (x, y, z) in cells from the first place of the component. */
enum { VOLUME_TAPS = 6, VOLUME_PLACEMENT_LIMIT = VOLUME_TAPS * VOLUME_TAPS * VOLUME_TAPS };
struct volume_placement {
    int count;
    int64_t node[VOLUME_PLACEMENT_LIMIT]; /* ascending */
    double weight[VOLUME_PLACEMENT_LIMIT];
};
struct volume_placement volume_placement_at(const double position[3], const struct axis axis[3]);

/* A node, or in three dimensions a place (problem.h), of something that is spread over several. */
struct weighted_place {
    int64_t place;
    double weight;
};

/* Sorts by place and adds up repeated ones; returns how many are left. */
int64_t weighted_places_merge(struct weighted_place *places, int64_t count);
