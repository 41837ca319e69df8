/* Nodes beside metal by quads, four along x, for a march (march/march_metal.h): a quad is kept if one of its nodes has
 * a row, and quads are numbered along x, then along y, as those of dispersive nodes are (poles/pole_quads.h). The rows
 * of a quad are a cross of weights, four of each place, in the order in which they are added:
 *
 *     west .. east, then south .. north, without the node: 4 taps places;  then the node itself
 *
 * 0 stands where a node has no such term. Leaves out: rows of another form or order, which a march declines. */
#ifndef METAL_QUADS_H
#define METAL_QUADS_H

#include "kernels/common/device_memory.h"

/* On the device; count 0: there are none. */
struct device_metal_quads {
    const pole_group *groups; /* (ny, group_pitch) */
    int group_pitch, count;
    const float4 *weights; /* (count, 4 taps + 1) */
};

/* Whether all rows have that form, and quads can be numbered so. */
bool metal_quads_suit(const struct problem *problem);

uint64_t metal_quads_device_bytes(const struct problem *problem);

pw_status metal_quads_create(const struct problem *problem, device_memory *memory, device_metal_quads *quads,
                             pw_error *error);

#endif
