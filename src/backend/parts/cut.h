/* How a grid is cut into parts. Each part owns a box of nodes and steps a larger one, that box and an overlap on every
 * cut side, as a problem of its own that ends at walls there. What these walls do wrong comes `creep` nodes nearer with
 * each step. After `depth` steps it has not reached the nodes that the part owns, and the overlap is given the values
 * of those who own it:
 *
 *      first        valid                own                          own_end
 *        |  margin    |  rim + depth creep  |        owned nodes          |  likewise on the other side
 *        +------------+---------------------+-----------------------------+---
 *        wall         what is exchanged begins here
 *
 * In tm2d solvers take absorbers that are equally thick on every side, so that a cut side has one too, of filters that
 * change nothing: the margin. It is never exchanged, and counts as wrong from the first step. The rim holds what cannot
 * be taken over because it reaches beyond the part: rows beside metal, tensor nodes. */
#pragma once

#include "problem/physics/part.h"

struct cut {
    int grid[3], parts[3]; /* nodes; parts along x, y, z */
    int depth;             /* steps from exchange to exchange */
    int creep, margin, rim;
    int least; /* nodes of a part along an axis that is cut, overlaps included, if the grid has so many */
    int low_nodes[3], high_nodes[3]; /* of an absorber at the ends of each axis: a part has all of them or none */
    double stepped; /* reckoned time over that of a run which steps everything: the wave comes later to some places */
};

/* What a cut is to be; 0 leaves a number open. */
struct cut_request {
    int count;    /* parts in all */
    int parts[3]; /* along x, y, z */
    int depth;
    bool gpus;    /* each part is stepped by a GPU, whose costs choose the depth */
    double steps; /* about how long the run is: GPUs leave out what is at rest; 0: nothing is */
};

enum { CUT_ENERGY_COLUMNS = 16 }; /* cuts across x stand at multiples of it (energy_order.h) */

/* PW_USAGE with the numbers when the grid cannot be cut so. */
pw_status cut_choose(const struct problem *problem, const struct cut_request *request, struct cut *cut,
                     pw_error *error);

static inline int cut_count(const struct cut *cut)
{
    return cut->parts[0] * cut->parts[1] * cut->parts[2];
}

/* Part p, x fastest. */
struct part_box cut_box(const struct cut *cut, int p);

/* Nodes that a part steps, and values that it is sent, in fields of one number a node. */
int64_t part_box_nodes(const struct part_box *box);

/* The nodes that two boxes share: false when there are none. */
bool boxes_meet(const int first[3], const int end[3], const int other_first[3], const int other_end[3], int shared[3],
                int shared_end[3]);
