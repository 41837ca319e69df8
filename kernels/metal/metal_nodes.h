/* Nodes of Ez that have a row beside metal (problem/problem.h) on the device. Solvers that keep the fields before and
 * after a step apart step them in a kernel of their own (metal_nodes_step); boxes in shared memory step those of the
 * box and its halo (tile/tile_metal.h). Other solvers decline them. */
#ifndef METAL_NODES_H
#define METAL_NODES_H

#include <vector>

#include "kernels/common/device_memory.h"

/* A node and its terms, first .. first + count - 1. */
struct metal_node {
    int x, y, first, count;
};

/* Ez so many columns and rows from the node. */
template <typename Real> struct metal_apart {
    int16_t dx, dy;
    Real weight;
};

template <typename Real> struct metal_nodes {
    const metal_node *nodes;        /* (count), on the device */
    const metal_apart<Real> *terms; /* of all nodes, on the device; NULL without metal */
    int count;
};

/* The nodes on the host, ascending. */
std::vector<metal_node> metal_nodes_list(const struct problem *problem);

uint64_t metal_nodes_device_bytes(const struct problem *problem);

template <typename Real>
pw_status metal_nodes_create(const struct problem *problem, device_memory *memory, metal_nodes<Real> *metal,
                             pw_error *error);

/* In the pass of one step whose kernel has advanced all nodes as if there were no metal, before its sources. */
template <typename Real>
pw_status metal_nodes_step(const device_problem<Real> &problem, const metal_nodes<Real> &metal, const pass<Real> &pass,
                           pw_error *error);

#endif
