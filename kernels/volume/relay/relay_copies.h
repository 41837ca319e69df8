/* What blocks of a relay tell each other and themselves: copies of boxes that complete on barriers, and words in
 * memory. Blocks want more shared memory than devices before sm_90 have, so that those decline (volume_solver.cu). */
#ifndef RELAY_COPIES_H
#define RELAY_COPIES_H

#include "kernels/common/shared_barrier.h"
#include "kernels/volume/quad.h"
#include "kernels/volume/relay/relay.h"

#if SHARED_BARRIERS && RELAY_BUILT
#define RELAY_RUNS 1
#else
#define RELAY_RUNS 0
#endif

/* Comes to a barrier, which waits for so many bytes of copies too. */
__device__ __forceinline__ void shared_barrier_expect(uint64_t *barrier, unsigned bytes)
{
#if RELAY_RUNS
    asm volatile("{ .reg .b64 token; mbarrier.arrive.expect_tx.shared::cta.b64 token, [%0], %1; }" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
#endif
}

/* How long the second-level cache keeps what a copy or a store brings there, against all else. */
typedef uint64_t cache_policy;

__device__ __forceinline__ cache_policy policy_keep()
{
    cache_policy policy = 0;
#if RELAY_RUNS
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

__device__ __forceinline__ cache_policy policy_drop()
{
    cache_policy policy = 0;
#if RELAY_RUNS
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

__device__ __forceinline__ void store_quad_for(float *to, const quad<float> &value, cache_policy policy)
{
#if RELAY_RUNS
    asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "f"(value.x[0]),
                 "f"(value.x[1]), "f"(value.x[2]), "f"(value.x[3]), "l"(policy)
                 : "memory");
#endif
}

/* A box of one level, whose first place is (i, j, k) of the map: what lies outside of it comes as zeros. */
__device__ __forceinline__ void copy_box(void *to, const CUtensorMap *map, int i, int j, int k, uint64_t *barrier,
                                         cache_policy policy)
{
#if RELAY_RUNS
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
                 "l"(map), "r"(i), "r"(j), "r"(k), "r"(shared_address(barrier)), "l"(policy)
                 : "memory");
#endif
}

/* After barriers have been made: copies begun from here on find them. */
__device__ __forceinline__ void fence_barriers()
{
#if RELAY_RUNS
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

/* After a word has told that there is something in memory: copies begun from here on find it. */
__device__ __forceinline__ void fence_copies()
{
#if RELAY_RUNS
    asm volatile("fence.proxy.async.global;" ::: "memory");
#endif
}

/* After a thread has written to shared memory where a copy will: it comes after that. */
__device__ __forceinline__ void fence_shared()
{
#if RELAY_RUNS
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* A word that another block writes. What it tells of is read by copies alone, which see the second-level cache, so that
 * the first-level cache need not be emptied as an acquiring load does. */
__device__ __forceinline__ unsigned word_read(const unsigned *at)
{
    unsigned value = 0;
#if RELAY_RUNS
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
#endif
    return value;
}

/* After all that this thread has seen written. */
__device__ __forceinline__ void word_write(unsigned *at, unsigned value)
{
#if RELAY_RUNS
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
#endif
}

/* The least value of the warp's. */
__device__ __forceinline__ int warp_least(int value)
{
#if RELAY_RUNS
    value = __reduce_min_sync(0xffffffffu, value);
#endif
    return value;
}

#endif
