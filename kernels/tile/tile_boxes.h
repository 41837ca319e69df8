/* Passes over boxes in shared memory (tile.cu), and what their partition must know of them. */
#ifndef TILE_BOXES_H
#define TILE_BOXES_H

#include "kernels/common/boxes.h"
#include "kernels/common/device_memory.h"

/* Boxes on the device, each for all runs. */
struct tile_boxes {
    const box *boxes; /* (count) */
    int count;
    size_t shared_bytes; /* of a block: what the largest needs */
};

/* Nodes that a step reaches: halo of a box for each step of a pass. */
inline int tile_reach(const struct problem *problem)
{
    return 2 * problem->reach - 1;
}

/* Shared memory of a box with a halo of `depth` steps. */
size_t tile_bytes(const struct problem *problem, const box &box, int depth);

pw_status tile_boxes_create(const struct problem *problem, const box_set &set, int depth, device_memory *memory,
                            tile_boxes *boxes, pw_error *error);

/* At most as many steps as the boxes were made for. */
pw_status tile_pass(const device_problem<float> &problem, const pass<float> &pass, const tile_boxes &boxes,
                    pw_error *error);

#endif
