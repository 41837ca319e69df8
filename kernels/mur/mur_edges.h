/* Edges that obey Mur's condition on the device (problem/mur/mur.h, physics.md section 3): after a step that treats the
 * outermost nodes as it does all others, two small kernels over the nodes near the edges, and no others, put in their
 * place what the condition asks for. Serves solvers that keep the fields before and after a step apart, one step a
 * pass. No source and no dispersive node is there (solver_takes_clear_edges), and nothing that is recorded. Leaves out:
 * the arithmetic (backend/mur_nodes.h). */
#ifndef MUR_EDGES_H
#define MUR_EDGES_H

#include "kernels/common/device_memory.h"

extern "C" {
#include "problem/mur/mur.h"
}

template <typename Real> struct mur_edges {
    const struct mur_plan *plan;  /* on the device; NULL without such edges */
    const struct mur_rate *rates; /* (coefficient_count), on the device */
    Real *memory;                 /* (runs, run_memory): what the edges remember */
    size_t run_memory;
    int near, outermost; /* nodes of the two kernels */
};

uint64_t mur_edges_device_bytes(const struct problem *problem, int runs);

/* Edges of `runs` runs at rest. */
template <typename Real>
pw_status mur_edges_create(const struct problem *problem, int runs, device_memory *memory, mur_edges<Real> *edges,
                           pw_error *error);

/* The nodes near the edges in the pass of one step whose kernels have been launched. */
template <typename Real>
pw_status mur_edges_step(const device_problem<Real> &problem, const mur_edges<Real> &edges, const pass<Real> &pass,
                         pw_error *error);

#endif
