/* Places of the whole grid, and of a part of it. */
#ifndef PART_PLACE_H
#define PART_PLACE_H

#include "backend/parts/cut.h"

/* Node (i, j, k) of a place or node number, and its component. */
struct node_at {
    int component, at[3];
};

static inline struct node_at node_of(const struct problem *problem, int64_t place)
{
    const int64_t nodes = problem_nodes(problem), nx = problem->axis[0].count, ny = problem->axis[1].count;
    const int64_t node = place % nodes;
    return (struct node_at){(int)(place / nodes), {(int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny)}};
}

/* The number of a place of the whole grid in a part. */
static inline int64_t place_in_part(const struct problem *part, const struct part_box *box, const struct node_at *node)
{
    const int64_t nx = part->axis[0].count, ny = part->axis[1].count;
    const int64_t i = node->at[0] - box->first[0], j = node->at[1] - box->first[1], k = node->at[2] - box->first[2];
    return node->component * problem_nodes(part) + (k * ny + j) * nx + i;
}

static inline bool node_in(const struct node_at *node, const int first[3], const int end[3])
{
    for (int a = 0; a < 3; a++) {
        if (node->at[a] < first[a] || node->at[a] >= end[a]) {
            return false;
        }
    }
    return true;
}

#endif
