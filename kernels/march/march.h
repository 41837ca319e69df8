/* Register marches: what yee_march.cu and wide_march.cu offer to the solver (march_solver.cu). A march steps the output
 * region of a grid, where there is neither absorber nor wall; a border goes on beside it and does the rest. */
#ifndef MARCH_H
#define MARCH_H

#include "kernels/common/boxes.h"
#include "kernels/common/device_memory.h"
#include "kernels/metal/metal_quads.h"
#include "kernels/resident/wide_resident.h"
#include "kernels/tile/tile_boxes.h"

/* Where a march works: output rows and columns, divided into tasks. */
struct march_plan {
    int x0, x1, y0, y1; /* output region; x0 and x1 multiples of 4 */
    int rows;           /* per task */
    int runs;
    const uint8_t *skip; /* (runs, ny/32, skip_pitch) 1 where a box writes instead; NULL: nowhere */
    int skip_pitch, skip_run_stride;
    device_spectra spectra;
    float *
        samples; /* yee: (runs, ..., cells), the sample of the spectra that falls on the middle step; NULL: none does */
    size_t sample_run_stride;
    device_pole_quads poles;  /* that the march steps; count 0: none */
    device_metal_quads metal; /* likewise; not both */
};

/* What the boxes of a border hold on the device. */
struct border_boxes {
    const box *boxes; /* (count) */
    int count;
    tile_boxes tiles;    /* of tile_border */
    wide_pass_plan wide; /* of wide_border */
};

/* What goes on beside a march: absorber and walls, and patches around sources and probes. */
struct march_border {
    /* Boxes around the output region of `set`; false when they do not suit. */
    bool (*partition)(const box_request &request, box_set *set);
    pw_status (*create)(const struct problem *problem, const box_set &set, int depth, device_memory *memory,
                        border_boxes *boxes, pw_error *error);
    /* Time of a box in a pass, by the model of tuning.h; 0: not known, all boxes begin at once. */
    double (*box_ns)(int depth, double cells);
    /* `blocks` boxes at a time; `sampled` says where the samples of the spectra go that fall into the pass. */
    pw_status (*pass)(const device_problem<float> &problem, const pass<float> &pass, const border_boxes &boxes,
                      const resident_plan &sampled, int blocks, pw_error *error);
};

/* Nodes in registers, for yee and for the wide stencils; and boxes in shared memory, where registers do not suffice. */
extern const struct march_border yee_border, wide_border, tile_border;

/* A march for some stencils. A depth is how many steps a pass over memory makes; `taps` are the Laplacian's,
 * problem.laplacian_taps. */
struct march_kernel {
    /* The largest depth that is offered, at most `steps` and at most `limit`; 0: none, the stencil is another's. */
    int (*depth)(int taps, int64_t steps, int limit);
    /* The same for a pass after `step` steps of a run whose samples of the spectra are due every `every` steps: they
     * fall where the kernel can take them. */
    int (*sampled_depth)(int taps, int64_t step, int64_t steps, int limit, int64_t every);
    bool samples_in_the_middle; /* samples may fall on the middle step of a pass, too, and not only on its last */

    int (*columns)(int taps, int depth);    /* narrowest output region; of a task */
    int (*tasks)(int taps, int depth);      /* that a multiprocessor works on at once */
    int (*recomputed)(int taps, int depth); /* rows that a task steps beside its own */

    /* Time of a step in a pass of this depth against one in the best, on a large grid (validation/performance.md). */
    double (*relative_cost)(int taps, int depth);
    /* Deeper passes do not pay on a grid of so many cells, where their border takes too much of the time; 0: they do.
     */
    int (*deepest_that_pays)(int taps, double cells);
    double (*node_ps)(int taps); /* of a node and step on one multiprocessor, in the best depth */
    /* Shared memory of a block that steps dispersive nodes, too, whose poles remember up to `planes` numbers. */
    size_t (*pole_bytes)(int taps, int depth, int coefficient_count, int planes);
    int (*deepest_with_poles)(int taps); /* deeper passes with dispersive nodes are slower; 0: so are all */

    /* Whether several runs together, with a border in registers, may be faster than one after another on the chip. */
    bool gains_together;
    const struct march_border *border; /* preferred */

    pw_status (*launch)(const device_problem<float> &problem, const pass<float> &pass, const march_plan &plan,
                        pw_error *error);
};

extern const struct march_kernel yee_march, wide_march;

/* Divides the grid between a march with passes of request.depth steps and a border; false when the grid is too small.
 */
bool boxes_around_march(const box_request &request, const march_kernel &march, box_set *set);

/* march_partition.cu, for the borders. */
bool yee_border_partition(const box_request &request, box_set *set);
bool wide_border_partition(const box_request &request, box_set *set);
bool tile_border_partition(const box_request &request, box_set *set);

#endif
