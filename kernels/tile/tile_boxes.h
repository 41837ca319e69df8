/* Passes over boxes in shared memory (tile.cu), and what their partition must know of them. */
#ifndef TILE_BOXES_H
#define TILE_BOXES_H

#include "kernels/common/boxes.h"
#include "kernels/common/device_memory.h"
#include "kernels/metal/metal_nodes.h"
#include "kernels/poles/pole_quads.h"

/* A dispersive node of a box or of its halo. */
struct tile_pole {
    uint32_t place; /* in a plane of the states (pole_quads.h) */
    int16_t dx, dy; /* from the box's first node; < 0: in the halo */
    uint16_t medium;
};

/* Those that the boxes step, each with what it remembers between the steps of a pass: plane 0 is the increment with
 * which the step begins, the others are its poles'. */
struct tile_poles {
    const tile_pole *nodes; /* (count), box by box */
    const int *first;       /* (boxes + 1): of each box; NULL: no box steps such nodes */
    int count;
    float *scratch; /* (runs, 1 + planes, count) */
};

/* Nodes beside metal that the boxes step (tile_metal.h). */
struct tile_metal {
    const metal_node *nodes; /* box by box */
    const int *first;        /* (boxes + 1): of each box; NULL: no box steps such nodes */
    const metal_apart<float> *terms;
};

/* Boxes on the device, each for all runs. */
struct tile_boxes {
    const box *boxes; /* (count) */
    int count;
    size_t shared_bytes; /* of a block: what the largest needs */
    bool beside;         /* with metal: they go on beside the kernel before them, a border in registers */
    tile_poles poles;
    tile_metal metal;
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

/* Boxes for `runs` runs that step their dispersive nodes, too. */
pw_status tile_boxes_take_poles(const struct problem *problem, const box_set &set, int depth, int runs,
                                const pole_quads &quads, device_memory *memory, tile_boxes *boxes, pw_error *error);

/* Boxes that step nodes beside metal; not together with dispersive nodes. */
pw_status tile_boxes_take_metal(const struct problem *problem, const box_set &set, int depth,
                                const metal_nodes<float> &metal, device_memory *memory, tile_boxes *boxes,
                                pw_error *error);

/* At most as many steps as the boxes were made for. */
pw_status tile_pass(const device_problem<float> &problem, const pass<float> &pass, const tile_boxes &boxes,
                    pw_error *error);

#endif
