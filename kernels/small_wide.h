/* Small grids of the wide stencils: one tile a multiprocessor with its nodes in registers for a whole batch of steps (small_wide.cu). */
#ifndef SMALL_WIDE_H
#define SMALL_WIDE_H

#include "small_yee.h"

/* Divides the grid among at most `processors` blocks; false when it does not suit. *cost: estimated cycles a step of the busiest
 * block. There is one variant, 0. */
bool wide_small_cut(const box_request &request, int processors, int variant, box_set *set, double *cost);

/* Words that plan.flags must have: the blocks' inboxes. */
size_t wide_small_words(int blocks);

/* Advances one run by `steps`; plan.depth is not used. On return the state is in fields[0] when `steps` is even, else in fields[1]. */
pw_status wide_small_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                             const device_events<float> &events, const small_plan &plan, int64_t step, int64_t steps,
                             cudaStream_t stream, pw_error *error);

#endif
