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

/* Whether the current device lets kernels begin beside others. */
inline pw_status device_launches_beside(bool *answer, pw_error *error)
{
    static devices_done asked, beside;
    int device = 0, major = 0;
    CUDA_TRY(cudaGetDevice(&device));
    *answer = beside.has(device);
    if (!asked.has(device)) {
        CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
        *answer = major >= 9;
        if (*answer) {
            beside.add(device);
        }
        asked.add(device);
    }
    return PW_OK;
}

/* Launches a kernel that begins as soon as every block of the one before it in the stream has begun
 * (device_trigger_dependent_launch) and there is room: they run side by side and must not touch the same memory. It
 * ends after the other (device_end_after_previous). Devices before compute capability 9 run them one after the other.
 */
template <auto KERNEL, typename... Given>
pw_status launch_beside(const char *name, dim3 blocks, int threads, size_t shared_bytes, cudaStream_t stream,
                        pw_error *error, const Given &...arguments)
{
    bool beside_others = false;
    TRY(device_launches_beside(&beside_others, error));
    TRY(allow_shared_memory<KERNEL>(error));
    cudaLaunchAttribute beside = {};
    beside.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    beside.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t launch = {};
    launch.gridDim = blocks;
    launch.blockDim = dim3(threads);
    launch.dynamicSmemBytes = shared_bytes;
    launch.stream = stream;
    launch.attrs = &beside;
    launch.numAttrs = beside_others ? 1 : 0;
    (void)cudaLaunchKernelEx(&launch, KERNEL, arguments...);
    CUDA_LAUNCHED(name);
    return PW_OK;
}

#ifdef __CUDACC__
__device__ __forceinline__ void device_trigger_dependent_launch()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ __forceinline__ void device_end_after_previous()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#endif

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
