/* Partitions: the grid in boxes, and where a march goes on between them. Host only. */
#ifndef BOXES_H
#define BOXES_H

#include <vector>

#include "kernels/common/device.h"
#include "kernels/wide/warp_roles.h"

/* Kinds of boxes beside a march of yee: along the walls of low and high x, along the walls of low and high y, and
 * patches around sources and probes. */
enum border_kind { BORDER_SIDE, BORDER_END, BORDER_PATCH, BORDER_KINDS };

/* A box of wide_border_pass. */
struct wide_pass_box {
    box own, tile;                      /* what it writes, and what the block's patches cover */
    int orders, weights;                /* tables; weights: -1, no source in the tile */
    int filter_threads, region_threads; /* at the barriers of wide_block.h */
};

/* A partition. */
struct box_set {
    std::vector<box> boxes;
    /* The boxes are for yee_border_pass or wide_border_pass, each for one run; else for tile_pass. */
    bool border_in_registers;
    std::vector<box> beside_metal; /* beside such boxes: for tile_pass, and for all runs, where metal is near */
    int x0, x1, y0, y1;            /* output region of the march; empty when no march goes on beside the boxes */
    std::vector<uint8_t> skip;     /* (runs, ny/32, skip_pitch): nodes of the march's region that a box writes */
    int skip_pitch, skip_run_stride;
    std::vector<int> probe_x, probe_y, probe_slot; /* sorted by box */
    int columns, rows;                             /* of the boxes of a grid on the chip */
    /* For wide_border_pass: the boxes again, what their blocks' threads do, and the sources' weights. */
    std::vector<wide_pass_box> pass_boxes;
    std::vector<wide_order> orders; /* (tables, threads) */
    std::vector<float> weights;     /* (tables, nodes of a patch, threads) */
};

/* What a partition depends on. */
struct box_request {
    const struct problem *problem;
    int first, count; /* runs */
    int depth;        /* most steps a pass */
    size_t shared_limit;
    bool border_in_tiles; /* beside a march: boxes in registers would not do */
};

/* Adds a rectangle in pieces of about `length`, halved until every piece fits the shared memory. */
void add_pieces(const box_request &request, int x0, int x1, int y0, int y1, int length, std::vector<box> *boxes);

/* Tells every box the probes that lie in it. */
void place_probes(const struct problem *problem, box_set *set);

/* Tells every box the probes that lie in it, and whether a source may be felt in it within a pass. */
void place_events(const box_request &request, box_set *set);

/* The whole domain in boxes; false when even small ones do not fit the shared memory. */
bool boxes_everywhere(const box_request &request, box_set *set);
bool boxes_everywhere_fit(const box_request &request); /* whether they do */

#endif
