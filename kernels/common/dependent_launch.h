/* Programmatic dependent launch: kernels of one stream that run side by side where their order does not matter. A
 * kernel allows the next one in the stream to begin (device_trigger_dependent_launch); the next one, launched with
 * launch_dependent, may then begin before the first has ended, and waits for it where it needs its results
 * (device_wait_for_previous). Devices before compute capability 9 run such kernels one after the other. */
#ifndef DEPENDENT_LAUNCH_H
#define DEPENDENT_LAUNCH_H

#include "kernels/common/cuda_check.h"

/* Whether the current device knows dependent launches. */
inline pw_status device_launches_dependent(bool *answer, pw_error *error)
{
    static devices_done asked, able;
    int device = 0, major = 0;
    CUDA_TRY(cudaGetDevice(&device));
    *answer = able.has(device);
    if (!asked.has(device)) {
        CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
        *answer = major >= 9;
        if (*answer) {
            able.add(device);
        }
        asked.add(device);
    }
    return PW_OK;
}

struct launch_shape {
    dim3 blocks;
    int threads;
    size_t shared_bytes;
};

/* Launches a kernel that begins as soon as every block of the one before it in the stream has begun
 * (device_trigger_dependent_launch) and there is room: until device_wait_for_previous the two must not touch the same
 * memory. */
template <auto KERNEL, typename... Given>
pw_status launch_dependent(const char *name, const launch_shape &shape, cudaStream_t stream, pw_error *error,
                           const Given &...arguments)
{
    bool dependent = false;
    TRY(device_launches_dependent(&dependent, error));
    TRY(allow_shared_memory<KERNEL>(error));
    cudaLaunchAttribute serialization = {};
    serialization.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    serialization.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t launch = {};
    launch.gridDim = shape.blocks;
    launch.blockDim = dim3(shape.threads);
    launch.dynamicSmemBytes = shape.shared_bytes;
    launch.stream = stream;
    launch.attrs = &serialization;
    launch.numAttrs = dependent ? 1 : 0;
    (void)cudaLaunchKernelEx(&launch, KERNEL, arguments...);
    CUDA_LAUNCHED(name);
    return PW_OK;
}

#ifdef __CUDACC__
/* The next kernel in the stream may begin once every block of this one has called this or ended. */
__device__ __forceinline__ void device_trigger_dependent_launch()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Returns when the kernel before this one in the stream has ended and its results can be read. */
__device__ __forceinline__ void device_wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#endif

#endif
