/* Tiles of the wide stencils with their nodes in registers: a small grid stays on the chip for a whole batch of steps,
 * one tile a multiprocessor (wide_resident.cu); beside a march they do the frame of absorber and walls and the patches
 * around sources and probes, pass by pass (wide_border.cu). */
#ifndef WIDE_RESIDENT_H
#define WIDE_RESIDENT_H

#include "kernels/resident/yee_resident.h"

/* Divides the grid among at most `processors` blocks; false when it does not suit. */
bool wide_resident_partition(const box_request &request, int processors, box_set *set);

/* Words that plan.packets must have: the blocks' inboxes. */
size_t wide_resident_words(int blocks);

/* Advances one run by `steps`; plan.depth is not used. On return the state is in fields[0] when `steps` is even, else
 * in fields[1]. */
pw_status wide_resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                                const device_events<float> &events, const resident_plan &plan, int64_t step,
                                int64_t steps, cudaStream_t stream, pw_error *error);

/* The boxes of a pass, device. */
struct wide_pass_plan {
    const wide_pass_box *boxes; /* (box_count) */
    int box_count;
    float2 air;                      /* coefficients */
    const struct wide_order *orders; /* (tables, threads) */
    const float *weights;            /* (tables, nodes of a patch, threads) */
};

/* The frame and the patches around the march's region in set->x0..y1, marked in set->skip; false when they do not suit.
 */
bool wide_border_cut(const box_request &request, box_set *set);

/* `steps` <= request.depth steps of the boxes from `in` to `out`, `blocks` boxes at a time. */
pw_status wide_border_pass(const device_problem<float> &problem, const device_fields<float> &in,
                           const device_fields<float> &out, const device_events<float> &events,
                           const wide_pass_plan &plan, int blocks, int64_t step, int steps, cudaStream_t stream,
                           pw_error *error);

/* The wide stencils, with the rings that single precision uses (problem_set_stencil). */
#define BY_WIDE_SCHEME(problem, CALL)                                                                                  \
    switch (10 * (problem).reach + (problem).rings) {                                                                  \
    case 23:                                                                                                           \
        CALL(2, 3);                                                                                                    \
    case 35:                                                                                                           \
        CALL(3, 5);                                                                                                    \
    case 47:                                                                                                           \
        CALL(4, 7);                                                                                                    \
    case 57:                                                                                                           \
        CALL(5, 7);                                                                                                    \
    case 79:                                                                                                           \
        CALL(7, 9);                                                                                                    \
    default:                                                                                                           \
        return fail(error, PW_USAGE, "no block of tiles for a reach of %d with %d rings", (problem).reach,             \
                    (problem).rings);                                                                                  \
    }

#endif
