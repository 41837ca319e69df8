/* Barriers in shared memory, of devices from sm_90 on: a phase is complete when so many have come as the barrier was
 * made for. For earlier devices they need only compile, and so they do nothing where what was compiled for an earlier
 * one is translated for a later: solvers ask device_has_shared_barriers. */
#ifndef SHARED_BARRIER_H
#define SHARED_BARRIER_H

#include <cstdint>

#if __CUDA_ARCH__ >= 900
#define SHARED_BARRIERS 1
#else
#define SHARED_BARRIERS 0
#endif

/* Whether what runs on the device was compiled with them. */
inline bool device_has_shared_barriers()
{
    static const int compiled[] = {__CUDA_ARCH_LIST__};
    int device = 0, major = 0, minor = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return true; /* who creates an engine then says what fails */
    }
    bool has = false;
    for (const int arch : compiled) {
        has = has || (arch >= 900 && arch <= 100 * major + 10 * minor);
    }
    return has;
}

__device__ __forceinline__ unsigned shared_address(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

__device__ __forceinline__ void shared_barrier_create(uint64_t *barrier, int count)
{
#if SHARED_BARRIERS
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
#else
    __trap();
#endif
}

__device__ __forceinline__ void shared_barrier_come(uint64_t *barrier)
{
#if SHARED_BARRIERS
    asm volatile("{ .reg .b64 token; mbarrier.arrive.shared::cta.b64 token, [%0]; }" ::"r"(shared_address(barrier))
                 : "memory");
#endif
}

/* Waits for phase number `phase`, the one that goes on or the one before, to be complete. */
__device__ __forceinline__ void shared_barrier_wait(uint64_t *barrier, int phase)
{
#if SHARED_BARRIERS
    asm volatile("{ .reg .pred all; again_%=: mbarrier.try_wait.parity.shared::cta.b64 all, [%0], %1; "
                 "@!all bra again_%=; }" ::"r"(shared_address(barrier)),
                 "r"(phase & 1)
                 : "memory");
#endif
}

/* Whether it is; all lanes of a warp get one answer. */
__device__ __forceinline__ bool shared_barrier_test(uint64_t *barrier, int phase)
{
    int complete = 0;
#if SHARED_BARRIERS
    asm volatile("{ .reg .pred all; mbarrier.test_wait.parity.shared::cta.b64 all, [%1], %2; selp.s32 %0, 1, 0, all; }"
                 : "=r"(complete)
                 : "r"(shared_address(barrier)), "r"(phase & 1)
                 : "memory");
#endif
    return __all_sync(0xffffffffu, complete != 0);
}

#endif
