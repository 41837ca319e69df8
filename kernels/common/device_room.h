/* How much memory the device has free, and how many runs step together in it. Leaves out: what a run takes
 * (engine_create.cu, volume/volume_layout.h). */
#ifndef DEVICE_ROOM_H
#define DEVICE_ROOM_H

#include <algorithm>

#include "kernels/common/cuda_check.h"

extern "C" {
#include "problem/problem.h"
}

/* Free bytes on the device; 0 when nobody can tell. */
inline uint64_t device_bytes_free()
{
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return available;
}

/* Bytes of shared memory that a block of the device may have; more than any wants when nobody can tell. */
inline size_t device_shared_limit()
{
    int device = 0, most = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return SIZE_MAX;
    }
    return (size_t)most;
}

/* How many runs of the problem, each of `run_bytes`, are best advanced together: as many as fit, but no more than have
 * `useful_cells` cells between them, which fill the device, and never more than a thousand. */
inline int device_ensemble(const struct problem *problem, uint64_t run_bytes, double useful_cells)
{
    const double fit = 0.9 * (double)device_bytes_free() / (double)run_bytes,
                 useful = useful_cells / (double)problem_nodes(problem);
    return std::max(1, std::min((int)std::min(1000.0, std::min(fit, useful)), problem->source_count));
}

#endif
