/* The plain step, in either precision (plain.cu). */
#ifndef PLAIN_H
#define PLAIN_H

#include "kernels/common/device.h"
#include "kernels/metal/metal_nodes.h"

/* A pass of one step; nodes beside metal are stepped after all others. */
template <typename Real>
pw_status plain_step(const device_problem<Real> &problem, const metal_nodes<Real> &metal, const pass<Real> &pass,
                     pw_error *error);

#endif
