/* Every CUDA call is checked here: a failure becomes PW_NO_RESOURCE with the call named. Leaves out: deciding what to
 * do about it. */
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <exception>

#include "base/status.h"

/* For functions that return pw_status and have a pw_error *error at hand. */
#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        cudaError_t cuda_status_ = (call);                                                                             \
        if (cuda_status_ != cudaSuccess) {                                                                             \
            (void)cudaGetLastError();                                                                                  \
            return fail(error, PW_NO_RESOURCE, "CUDA: %s failed at %s:%d: %s", #call, __FILE__, __LINE__,              \
                        cudaGetErrorString(cuda_status_));                                                             \
        }                                                                                                              \
    } while (0)

/* After a launch, with the kernel's name. */
#define CUDA_LAUNCHED(name)                                                                                            \
    do {                                                                                                               \
        cudaError_t cuda_status_ = cudaGetLastError();                                                                 \
        if (cuda_status_ != cudaSuccess) {                                                                             \
            return fail(error, PW_NO_RESOURCE, "CUDA: launch of %s failed: %s", name,                                  \
                        cudaGetErrorString(cuda_status_));                                                             \
        }                                                                                                              \
    } while (0)

/* Devices for which something has been done: once each, by whichever thread comes first. What fails, or is done beyond
 * the 64th, is done again. */
struct devices_done {
    std::atomic<uint64_t> mask{0};

    bool has(int device) const
    {
        return device < 64 && (mask.load(std::memory_order_acquire) >> device & 1) != 0;
    }
    void add(int device)
    {
        mask.fetch_or(device < 64 ? (uint64_t)1 << device : 0, std::memory_order_release);
    }
};

/* Lets blocks of a kernel have all the shared memory that there is. Always all: the limit belongs to the process, and
 * other threads launch the kernel for other problems. */
template <auto KERNEL> pw_status allow_shared_memory(pw_error *error)
{
    static devices_done allowed;
    int device = 0, most = 0;
    cudaFuncAttributes own = {};
    CUDA_TRY(cudaGetDevice(&device));
    if (!allowed.has(device)) {
        CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        CUDA_TRY(cudaFuncGetAttributes(&own, KERNEL));
        CUDA_TRY(
            cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, most - (int)own.sharedSizeBytes));
        allowed.add(device);
    }
    return PW_OK;
}

/* Does `action`, whose vectors may find no room on the host: C cannot pass an exception on. */
template <typename Action> pw_status cuda_guard(const Action &action, pw_error *error)
{
    try {
        return action();
    } catch (const std::exception &reason) {
        return fail(error, PW_NO_RESOURCE, "not enough memory on the host for the CUDA backend: %s", reason.what());
    }
}

#endif
