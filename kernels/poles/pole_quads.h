/* Dispersive nodes of two dimensions where a pass makes several steps (march/, tile/): what their poles remember is
 * read where the pass begins, kept by each block for itself on the way, because blocks recompute each other's halos,
 * and written by the node's owner at the end. There are two copies of it, as of the fields. Nodes come by quads, four
 * along x, and a quad is kept if one of its nodes is dispersive; quads are numbered along x, then along y, so that
 * those of a warp's row lie beside each other:
 *
 *     group (y, g)      32 quads of row y: a bit for each that is kept, and the number of the first of them
 *     medium            of each node of a quad; 0: none, whose numbers leave everything as it is
 *     states            (runs, planes, quads, 4): plane m holds number m of every node's poles
 *
 * The field one step before is not kept: it is the increment with which the step begins. Leaves out: passes of one
 * step (pole_nodes.h), double precision and three dimensions. */
#ifndef POLE_QUADS_H
#define POLE_QUADS_H

#include "kernels/common/device_memory.h"
#include "kernels/poles/pole_answer.h"

extern "C" {
#include "backend/patch.h"
}

/* Numbers of a medium; those of its first pole stand here once more. */
struct alignas(16) pole_numbers {
    float keep, take, half;
    short relaxations, oscillators;
    float field, polarisation, current;
    int first; /* of its steps */
};

struct pole_quads {
    device_pole_quads device = {}; /* but for `in` and `out` */
    float *states[2] = {};         /* states[now] belong to fields[now] of the engine */
    std::vector<pole_group> groups;
    std::vector<uint16_t> media;
};

/* Whether the media are few enough to be numbered so. */
bool pole_quads_suit(const struct problem *problem);

/* Numbers that the poles of a node remember, the most of all media. */
int pole_planes(const struct problem *problem);

uint64_t pole_quads_device_bytes(const struct problem *problem, int runs);
uint64_t pole_quads_host_bytes(const struct problem *problem);

/* At rest. */
pw_status pole_quads_create(const struct problem *problem, int pitch, int runs, device_memory *memory,
                            pole_quads *quads, pw_error *error);

/* What the nodes of a run remember, as struct run_state has it; `now`: which copy; `v`: the run's increments on the
 * device. Writing fails where a state's field of one step before is not that increment. */
pw_status pole_quads_read(const struct problem *problem, const pole_quads &quads, int run, int now, const float *v,
                          double *states, pw_error *error);
pw_status pole_quads_write(const struct problem *problem, const pole_quads &quads, int run, int now, const float *v,
                           const double *states, pw_error *error);

/* Calls action(span, number of the node in its span, x, y) for every dispersive node, in order. */
template <typename Action> void for_every_pole_node(const struct problem *problem, const Action &action)
{
    const int64_t nx = problem->axis[0].count;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        const int x = (int)(span->place % nx), y = (int)(span->place / nx);
        for (int n = 0; n < span->count; n++) {
            action(*span, n, x + n, y);
        }
    }
}

/* The quad's number, on the host; it is kept. */
inline size_t pole_quad_number(const pole_quads &quads, int x, int y)
{
    const pole_group &group = quads.groups[(size_t)y * quads.device.group_pitch + x / 128];
    const unsigned before = group.quads & ((1u << x / 4 % 32) - 1);
    return group.first + (size_t)__builtin_popcount(before);
}

/* Where the numbers of a row of a patch (src/backend/patch.h) stand among the states of a run, which they do one after
 * the other. Not of the field one step before (state 0): that is the increment. */
inline size_t pole_quads_place(const pole_quads &quads, const struct patch_row *row)
{
    return (size_t)(row->state - 1) * 4 * (size_t)quads.device.count + 4 * pole_quad_number(quads, row->i, row->j) +
           (size_t)(row->i % 4);
}

#endif
