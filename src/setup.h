/* The deciding: from a scenario to a problem. Chooses the time step, places nodes, rasterizes the medium, compensates conductivity for
 * the warp, turns positions into weighted nodes, waveforms into tables, and checks what only now can be checked. */
#ifndef SETUP_H
#define SETUP_H

#include "problem.h"
#include "raster.h"
#include "warnings.h"
#include "waveform.h"

/* A position between nodes: Ez there = sum of weight * Ez(node); Lagrange interpolation over 8 nodes along each axis on which the
 * position is not a node. Sources use the same weights, so that reciprocity holds exactly. */
struct stencil_point {
    int count;           /* 1, 8 or 64 */
    int64_t node[64];
    double weight[64];
    int probe[64];       /* receivers: where the nodes stand in problem.probe_node */
};

struct setup {
    const struct scenario *scenario; /* borrowed */
    struct floorplan plan;           /* owned */
    struct medium medium;            /* owned; (ny, nx) of the problem, absorber included */
    struct problem problem;          /* owned */
    struct warnings warnings;        /* owned */
    struct stencil_point *receivers; /* (receiver_count), owned */
    struct point origin;             /* m, plan coordinates of node (0, 0) */
    double sigma_compensation;       /* factor applied to conductivities, 1/cos(w dt/2) at the band centre, or 1 */
};

#endif
