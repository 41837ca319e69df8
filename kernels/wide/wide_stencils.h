/* The wide stencils for which kernels are compiled: the one list of them. A partition function refuses every other
 * stencil (wide_stencil_is_compiled), so that a plainer solver takes it; a new scheme of yet another shape needs a line
 * here. Leaves out: yee, which has kernels of its own. */
#ifndef WIDE_STENCILS_H
#define WIDE_STENCILS_H

#include "kernels/common/device.h"

/* CALL(reach, Laplacian taps) for each, with the taps that single precision uses (problem_set_stencil). */
#define WIDE_STENCILS(CALL) CALL(2, 3) CALL(3, 5) CALL(4, 7) CALL(5, 7) CALL(7, 9)

inline bool wide_stencil_is_compiled(const struct problem *p)
{
#define IS_THIS(REACH, TAPS) || (p->reach == REACH && p->laplacian_taps == TAPS)
    return false WIDE_STENCILS(IS_THIS);
#undef IS_THIS
}

inline pw_status wide_stencil_missing(const device_problem<float> &p, pw_error *error)
{
    return fail(error, PW_USAGE, "no wide kernel for a reach of %d with %d Laplacian taps", p.reach, p.laplacian_taps);
}

#endif
