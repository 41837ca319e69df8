/* Dispersive nodes on the device (physics.md section 10): after the update that all nodes get, and after the sources, a
 * small kernel over these nodes alone puts the equation of their medium in its place. Serves the solvers of both
 * formulations in which a step is over when its kernels are. Leaves out: the poles' law and numbers (problem/poles/),
 * the arithmetic (problem/cell.h), and who steps what (engine.h, volume/volume_engine.h).
 *
 * The nodes stand in chunks of 32, a warp's. All of a chunk have as many Debye and as many other poles, so that a warp
 * does not diverge however the media lie, and what they remember stands one number of all 32 after the other:
 *
 *     lane             0        1        2      ...     31
 *     state +   0    before   before   before        before     the field one step ago
 *     state +  32    P of the first Debye pole
 *      ...           P, then J, of each other pole
 *
 * Walls a few cells thick have a medium of their own in each of their columns, so that the spans of the problem
 * (struct pole_span), by which a state is saved, are mostly of one node; chunks are filled across rows and walls. */
#ifndef POLE_NODES_H
#define POLE_NODES_H

#include "kernels/common/device_memory.h"
#include "kernels/poles/pole_answer.h"

extern "C" {
#include "backend/patch.h"
}

enum { POLE_CHUNK = 32 };

/* Beyond the last node of a chunk that is not full. */
static const uint32_t NO_POLE_MEDIUM = UINT32_MAX;

struct pole_chunk {
    size_t first; /* place of its first node in a component's array */
    size_t state; /* of its states */
    int component, relaxations, oscillators;
};
struct pole_node {
    uint32_t beyond; /* places from the chunk's first */
    uint32_t medium;
};
template <typename Real> struct device_pole_medium {
    Real keep, take, half;
    int first; /* of its steps */
};

/* What the kernel sees. */
template <typename Real> struct device_poles {
    const pole_chunk *chunks;
    const pole_node *nodes; /* (count, POLE_CHUNK) */
    int count;              /* of chunks; 0: no node is dispersive */
    const device_pole_medium<Real> *media;
    const device_pole_step<Real> *steps;
    Real *states;      /* (runs, run_states) */
    size_t run_states; /* numbers that a run's nodes remember, unused lanes included */
};

/* The fields of a run; those of the next are `between` values further on. */
template <typename Real> struct pole_fields {
    Real *u[3]; /* of Ex, Ey and Ez; in tm2d the increment stands first */
    Real *e;    /* tm2d: Ez, which gains what the increment does; else NULL */
    size_t between;
};

template <typename Real> struct pole_nodes {
    device_poles<Real> device = {};
    std::vector<pole_chunk> chunks;
    std::vector<uint32_t> slot; /* of each node in the order of the spans: POLE_CHUNK times its chunk, plus its lane */
    std::vector<size_t> first;  /* of each span: the number of its first node in that order */
};

/* How a component lies in its array: node (i, j, k) of a grid of nx by ny by nz stands at k plane + j pitch + i. */
struct pole_layout {
    size_t pitch, plane;
};

/* tm2d: those probes whose node is dispersive; they are recorded again once it has answered. */
struct pole_probes {
    const size_t *place;
    const int *slot; /* in a row of the record */
    int count;
};

/* What the nodes of `runs` runs take on the device, and what they take on the host. */
uint64_t pole_nodes_device_bytes(const struct problem *problem, int runs);
uint64_t pole_nodes_host_bytes(const struct problem *problem);

/* Nodes of `runs` runs at rest. */
template <typename Real>
pw_status pole_nodes_create(const struct problem *problem, const pole_layout &layout, int runs, device_memory *memory,
                            pole_nodes<Real> *poles, pw_error *error);
pw_status pole_probes_create(const struct problem *problem, const pole_layout &layout, device_memory *memory,
                             pole_probes *probes, pw_error *error);

/* Answers the step that was just made, of `runs` runs, the first of which has its fields at `fields` and is number
 * `first`. */
template <typename Real>
pw_status pole_nodes_answer(const device_poles<Real> &poles, const pole_fields<Real> &fields, int first, int runs,
                            cudaStream_t stream, pw_error *error);
template <typename Real>
pw_status pole_probes_record(const pole_probes &probes, const pass<Real> &pass, size_t between, pw_error *error);

/* Where the numbers of a row of a patch (src/backend/patch.h) stand among those of a run; lowers row->count to what
 * stands there one after the other. */
template <typename Real>
size_t pole_nodes_place(const struct problem *problem, const pole_nodes<Real> &poles, struct patch_row *row);

/* What the nodes of a run remember, as struct run_state has it. */
template <typename Real>
pw_status pole_nodes_read(const struct problem *problem, const pole_nodes<Real> &poles, int run, double *states,
                          pw_error *error);
template <typename Real>
pw_status pole_nodes_write(const struct problem *problem, const pole_nodes<Real> &poles, int run, const double *states,
                           pw_error *error);

#endif
