/* The plain step, in either precision (plain.cu). */
#ifndef PLAIN_H
#define PLAIN_H

#include "kernels/common/device.h"

/* A pass of one step. */
template <typename Real>
pw_status plain_step(const device_problem<Real> &problem, const pass<Real> &pass, pw_error *error);

#endif
