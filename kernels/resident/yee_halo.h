/* The halo exchange between the tiles of yee_resident.cu, once a step. The words:
 *
 *   halo buffer   global memory that stays in L2, in two parts: one for even and one for odd steps (their parity)
 *   slot          8 bytes of it for one node on the edge of a tile: Ez and its arrival number, written by one store
 *   arrival       the number of the step that begins with this Ez; a receiver polls until it finds that of its own step
 *   send          store the warp's own edge nodes into their slots, straight from registers
 *   receive       poll the slots of the nodes beyond the edge, straight into registers
 *
 * Two steps on both sides of an edge. A2 and B2 are Ez of the edge nodes with which step 2 begins:
 *
 *     tile A                     slots of A's edge     slots of B's edge                     tile B
 *                                  odd     even          odd     even
 *     step 1: receive B1 <------------------------------- B1
 *                                  A1 ------------------------------------> step 1: receive A1
 *             send A2 -------------------> A2                    B2 <--------------- send B2
 *     step 2: receive B2 <-------------------------------------- B2
 *                                          A2 ----------------------------> step 2: receive A2
 *             send A3 -----------> A3                     B3 <---------------------- send B3
 *
 * There are no flags and no barrier between tiles; a thread waits for the neighbours of its own warp alone. Two parts
 * are enough: a tile that sends A3 has received B2, which tile B computed from A1; so A1 is no longer needed. Before a
 * batch the buffer is cleared, so that no slot of an earlier batch passes for one of this. Leaves out: where the slots
 * lie (yee_tile.h, yee_place.h). */
#ifndef YEE_HALO_H
#define YEE_HALO_H

#include "kernels/resident/yee_step.h"

/* tile_halo.bits: the thread receives nodes at a side of the tile, it sends nodes at a side, and the warp's end of the
 * stack is the low one. */
constexpr unsigned HALO_RECEIVES = 1, HALO_SENDS = 2, HALO_LOW_END = 4;

/* A thread's slots, in the part of the halo buffer that is received next. A warp at an end of the stack exchanges all
 * its nodes there, one by one; a warp has at most one such end. At the sides it exchanges the first and the last node
 * of every row, two rows at once. */
struct tile_halo {
    uint2 *side, *end;                  /* slots of the nodes beyond the edges, which the thread receives */
    int side_step, end_step;            /* from the slots beyond an edge to those before it, which the thread sends */
    unsigned bits;                      /* HALO_... */
    unsigned pair_mask[STACK_ROWS / 2]; /* all ones where the thread receives rows 2i and 2i + 1, else 0 */

    __device__ __forceinline__ bool receives() const
    {
        return (bits & HALO_RECEIVES) != 0;
    }
    __device__ __forceinline__ bool sends() const
    {
        return (bits & HALO_SENDS) != 0;
    }
    __device__ __forceinline__ bool low_end() const
    {
        return (bits & HALO_LOW_END) != 0;
    }
};

/* What the last loads found in the slots beside the rows and beyond the end: Ez and its arrival number. */
template <int LANE, int R> struct halo_arrivals {
    float beside[R], end[LANE];
    unsigned beside_arrival[R], end_arrival[LANE];
};

__device__ __forceinline__ uint2 *other_parity(uint2 *slots, unsigned parity_bytes)
{
    return (uint2 *)((uintptr_t)slots ^ parity_bytes);
}

__device__ __forceinline__ void halo_store(uint2 *to, bool wanted, float e, unsigned arrival)
{
    asm volatile("{ .reg .pred p; .reg .b64 t; setp.ne.u32 p, %3, 0; mov.b64 t, {%1, %2};"
                 " @p st.relaxed.gpu.global.b64 [%0], t; }" ::"l"(to),
                 "f"(e), "r"(arrival), "r"((unsigned)wanted)
                 : "memory");
}

__device__ __forceinline__ void halo_store_pair(uint2 *to, bool wanted, float first, float second, unsigned arrival)
{
    asm volatile("{ .reg .pred p; .reg .b64 t, u; setp.ne.u32 p, %4, 0; mov.b64 t, {%1, %3}; mov.b64 u, {%2, %3};"
                 " @p st.relaxed.gpu.global.v2.b64 [%0], {t, u}; }" ::"l"(to),
                 "f"(first), "f"(second), "r"(arrival), "r"((unsigned)wanted)
                 : "memory");
}

/* A load without a branch: what is loaded for a thread that does not want it is never used. */
__device__ __forceinline__ void halo_load(const uint2 *from, bool wanted, float *e, unsigned *arrival)
{
    asm volatile("{ .reg .pred p; .reg .b64 t; setp.ne.u32 p, %3, 0; @p ld.relaxed.gpu.global.b64 t, [%2];"
                 " mov.b64 {%0, %1}, t; }"
                 : "=f"(*e), "=r"(*arrival)
                 : "l"(from), "r"((unsigned)wanted)
                 : "memory");
}

/* Two neighbouring slots at once; each of them is consistent by itself. */
__device__ __forceinline__ void halo_load_pair(const uint2 *from, bool wanted, float *first, float *second,
                                               unsigned *arrival)
{
    asm volatile("{ .reg .pred p; .reg .b64 t, u; setp.ne.u32 p, %5, 0; @p ld.relaxed.gpu.global.v2.b64 {t, u}, [%4];"
                 " mov.b64 {%0, %2}, t; mov.b64 {%1, %3}, u; }"
                 : "=f"(*first), "=f"(*second), "=r"(arrival[0]), "=r"(arrival[1])
                 : "l"(from), "r"((unsigned)wanted)
                 : "memory");
}

/* Loads all slots of the warp once, without waiting for them. ENDS: the warp has an end of the stack. */
template <bool ENDS, int LANE, int R>
__device__ __forceinline__ void halo_load_all(const tile_halo &halo, const tile_place &at,
                                              halo_arrivals<LANE, R> &arrived)
{
#pragma unroll
    for (int r = 0; r < R; r += 2) {
        halo_load_pair(halo.side + r, halo.receives(), &arrived.beside[r], &arrived.beside[r + 1],
                       arrived.beside_arrival + r);
    }
#pragma unroll
    for (int k = 0; ENDS && k < LANE; k++) {
        halo_load(halo.end + k, at.owns(k), &arrived.end[k], &arrived.end_arrival[k]);
    }
}

/* Whether some slot of the warp has not arrived yet. */
template <bool ENDS, int LANE, int R>
__device__ __forceinline__ bool halo_pending(const tile_halo &halo, const tile_place &at,
                                             const halo_arrivals<LANE, R> &arrived, unsigned arrival)
{
    unsigned missing = 0;
#pragma unroll
    for (int r = 0; r < R; r += 2) {
        missing |=
            ((arrived.beside_arrival[r] ^ arrival) | (arrived.beside_arrival[r + 1] ^ arrival)) & halo.pair_mask[r / 2];
    }
#pragma unroll
    for (int k = 0; ENDS && k < LANE; k++) {
        missing |= at.owns(k) ? arrived.end_arrival[k] ^ arrival : 0u;
    }
    return __any_sync(0xffffffffu, missing != 0);
}

/* Polls until all slots, loaded once already, have arrived. Values from beside the rows go into the first node of their
 * lanes. */
template <bool ENDS, int LANE, int R>
__device__ __forceinline__ void halo_receive(const tile_halo &halo, const tile_place &at,
                                             halo_arrivals<LANE, R> &arrived, tile_nodes<LANE, R> &c, unsigned arrival)
{
    while (halo_pending<ENDS>(halo, at, arrived, arrival)) {
        halo_load_all<ENDS>(halo, at, arrived);
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
        c.e[r][0] = halo.receives() ? arrived.beside[r] : c.e[r][0];
    }
#pragma unroll
    for (int k = 0; k < LANE; k++) {
        c.before[k] = ENDS && halo.low_end() && at.owns(k) ? arrived.end[k] : c.before[k];
        c.after[k] = ENDS && !halo.low_end() && at.owns(k) ? arrived.end[k] : c.after[k];
    }
}

/* Sends Ez at the sides of the warp, into the other part of the halo buffer. */
template <int LANE, int R>
__device__ __forceinline__ void halo_send_side(const tile_halo &halo, const tile_nodes<LANE, R> &c,
                                               unsigned parity_bytes, unsigned arrival)
{
    uint2 *to = other_parity(halo.side, parity_bytes) + halo.side_step;
#pragma unroll
    for (int r = 0; r < R; r += 2) {
        halo_store_pair(to + r, halo.sends(), c.e[r][LANE - 1], c.e[r + 1][LANE - 1], arrival);
    }
}

/* Sends Ez at the warp's end of the stack. */
template <int LANE, int R>
__device__ __forceinline__ void halo_send_end(const tile_halo &halo, const tile_place &at, const tile_nodes<LANE, R> &c,
                                              unsigned parity_bytes, unsigned arrival)
{
    uint2 *to = other_parity(halo.end, parity_bytes) + halo.end_step;
#pragma unroll
    for (int k = 0; k < LANE; k++) {
        halo_store(to + k, at.sends(k), halo.low_end() ? c.e[0][k] : c.e[R - 1][k], arrival);
    }
}

/* Makes the other part of the halo buffer the one that is received next. */
template <bool ENDS> __device__ __forceinline__ void halo_switch_parity(tile_halo &halo, unsigned parity_bytes)
{
    halo.side = other_parity(halo.side, parity_bytes);
    halo.end = ENDS ? other_parity(halo.end, parity_bytes) : halo.end;
}

#endif
