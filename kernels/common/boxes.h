/* Cutting the domain into the boxes of tile.cu, yee_border.cu and wide_border.cu, and the output region of the register
 * marches. Host only. */
#ifndef BOXES_H
#define BOXES_H

#include <vector>

#include "kernels/common/device.h"
#include "kernels/wide/warp_roles.h"

/* Kinds of blocks that do what a march of yee leaves out: along the low and high x walls, along those of y, and
 * patches.
 */
enum border_kind { BORDER_SIDE, BORDER_END, BORDER_PATCH, BORDER_KINDS };

/* A box of wide_border_pass. */
struct wide_pass_box {
    box own, tile;       /* what it writes, and what the block's patches cover */
    int orders, weights; /* tables; weights: -1, no source in the tile */
    int filters, zone;   /* threads that meet: all filters; these and owners in zones */
};

struct box_set {
    std::vector<box> boxes;
    bool framed; /* the boxes are for yee_border_pass or wide_border_pass, each for one run; else for tile_pass */
    int x0, x1, y0, y1;        /* output region of the march; empty when no march goes on beside the boxes */
    std::vector<uint8_t> skip; /* (runs, ny/32, skip_pitch): nodes of the march's region that a box writes */
    int skip_pitch, skip_run_stride;
    std::vector<int> probe_x, probe_y, probe_slot; /* sorted by box */
    int columns, rows;                             /* of the boxes of a small grid */
    /* For wide_border_pass: the boxes again, what their blocks' threads do, and the sources' weights. */
    std::vector<wide_pass_box> pass_boxes;
    std::vector<wide_order> orders; /* (tables, threads) */
    std::vector<float> weights;     /* (tables, nodes of a patch, threads) */
};

/* What the boxes depend on. */
struct box_request {
    const struct problem *problem;
    int first, count; /* runs */
    int depth;        /* most steps a pass */
    size_t shared_limit;
};

/* Tells every box the probes that lie in it. */
void place_probes(const struct problem *problem, box_set *set);

/* Frame and patches around a march whose output region is at least `columns` wide; false when the grid is too small for
 * it. */
bool boxes_around_march(const box_request &request, int columns, box_set *set);

/* The whole domain in boxes; false when even small ones do not fit the shared memory. */
bool boxes_everywhere(const box_request &request, box_set *set);

#endif
