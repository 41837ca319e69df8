/* What the poles of one dispersive node do in a step (physics.md section 10), for every kernel that steps such nodes:
 * their part of what the node answers, and what they remember afterwards. A node's numbers stand `stride` apart, those
 * of its Debye poles first. Leaves out: the arithmetic of one pole (problem/cell.h). */
#ifndef POLE_ANSWER_H
#define POLE_ANSWER_H

#include "kernels/common/device.h"

template <typename Real> struct device_pole_step {
    Real field, polarisation, current;
};

/* The poles of a medium: Debye poles, then the others. */
template <typename Real> struct pole_law {
    const device_pole_step<Real> *steps;
    int relaxations, oscillators;
};

/* `history` with what the poles remember. */
template <typename Real>
__device__ __forceinline__ Real pole_history(const pole_law<Real> &law, Real history, const Real *state, size_t stride)
{
#pragma unroll 1 /* long loops of kernels that step many rows would leave the instruction cache */
    for (int r = 0; r < law.relaxations; r++, state += stride) {
        history = cell_relaxation_history(history, law.steps[r].polarisation, *state);
    }
#pragma unroll 1
    for (int o = 0; o < law.oscillators; o++, state += 2 * stride) {
        const device_pole_step<Real> step = law.steps[law.relaxations + o];
        history = cell_oscillator_history(history, step.polarisation, step.current, *state, state[stride]);
    }
    return history;
}

/* What the poles remember after the step, `sum` being the field before and after it; from one place to another or to
 * the same. */
template <typename Real>
__device__ __forceinline__ void pole_remember(const pole_law<Real> &law, Real sum, const Real *from, size_t from_stride,
                                              Real *to, size_t to_stride)
{
#pragma unroll 1
    for (int r = 0; r < law.relaxations; r++, from += from_stride, to += to_stride) {
        *to = cell_relaxation(sum, law.steps[r].field, law.steps[r].polarisation, *from);
    }
#pragma unroll 1
    for (int o = 0; o < law.oscillators; o++, from += 2 * from_stride, to += 2 * to_stride) {
        const device_pole_step<Real> step = law.steps[law.relaxations + o];
        const Real rate[3] = {step.field, step.polarisation, step.current}, polarisation = *from,
                   current = from[from_stride], change = cell_oscillator_change(sum, rate, polarisation, current);
        *to = polarisation + (current + change);
        to[to_stride] = current + (change + change);
    }
}

#endif
