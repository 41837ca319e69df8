/* Barriers in shared memory, of devices from sm_90 on: a phase is complete when so many have come as the barrier was
 * made for, and the bytes that they expect of copies have too. For earlier devices they need only compile. */
#ifndef SHARED_BARRIER_H
#define SHARED_BARRIER_H

#include <cstdint>

#if __CUDA_ARCH__ >= 900
#define SHARED_BARRIERS 1
#else
#define SHARED_BARRIERS 0
#endif

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

/* The same, and expects so many bytes of copies. */
__device__ __forceinline__ void shared_barrier_expect(uint64_t *barrier, unsigned bytes)
{
#if SHARED_BARRIERS
    asm volatile("{ .reg .b64 token; mbarrier.arrive.expect_tx.shared::cta.b64 token, [%0], %1; }" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
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

#endif
