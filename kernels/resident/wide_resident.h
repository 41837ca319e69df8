/* The wide stencils with their nodes in registers. A grid that fits stays on the chip for a whole batch of steps, one
 * tile a multiprocessor (wide_resident.cu). Beside a march, the same blocks step the border of absorber and walls and
 * the patches around sources and probes, pass by pass (wide_border.cu). */
#ifndef WIDE_RESIDENT_H
#define WIDE_RESIDENT_H

#include "kernels/resident/yee_resident.h"

/* Divides the grid among at most `processors` blocks; false when the grid or the stencil does not suit them. */
bool wide_resident_partition(const box_request &request, int processors, box_set *set);

/* Size of plan.halo_buffer in words of 4 bytes. */
size_t wide_resident_words(int blocks);

/* Advances one run by `steps`; plan.depth is not used. On return the state is in fields[0] when `steps` is even, else
 * in fields[1]. */
pw_status wide_resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                                const device_events<float> &events, const resident_plan &plan, int64_t step,
                                int64_t steps, cudaStream_t stream, pw_error *error);

/* The boxes of a pass; all arrays lie on the device. */
struct wide_pass_plan {
    const wide_pass_box *boxes; /* (box_count) */
    int box_count;
    float2 air;                      /* ca and cb of air */
    const struct wide_order *orders; /* (tables, threads) */
    const float *weights;            /* (tables, nodes of a patch, threads), of sources */
};

/* Divides the border and the patches around the march's region set->x0..y1 into boxes, and marks the patches in
 * set->skip; false when the grid or the stencil does not suit the blocks. */
bool wide_border_cut(const box_request &request, box_set *set);

/* Makes a pass of at most box_request.depth steps of all boxes; `blocks` boxes are under way at a time. */
pw_status wide_border_pass(const device_problem<float> &problem, const pass<float> &pass, const wide_pass_plan &plan,
                           int blocks, pw_error *error);

#endif
