/* Where sources and probes are: the node that a flat index means, and the row of the record that a step fills. */
#ifndef EVENTS_H
#define EVENTS_H

#include "kernels/common/device.h"

struct grid_node {
    int x, y;
};

/* Node of flat index `node` in a grid of nx columns (problem.h). */
__host__ __device__ __forceinline__ grid_node node_at(int64_t node, int nx)
{
    return {(int)(node % nx), (int)(node / nx)};
}

/* The record's row, (probe_count), of what the probes of a run show after step number `step`. */
template <typename Real>
__device__ __forceinline__ Real *record_row(const device_events<Real> &events, int run, int64_t step)
{
    return events.record + run * events.record_stride + (size_t)(step - events.record_first) * events.probe_count;
}

#endif
