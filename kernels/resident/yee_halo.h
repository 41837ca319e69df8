/* The exchange between tiles of yee_resident.cu: at every step the nodes at a tile's edges go straight from registers
 * to L2, each with the number of its step, and the warps beyond the edge ask for those that they need, straight into
 * registers. No flags, and no thread waits for more than its warp's own neighbours. Two sets of packets in turn are
 * enough: who posts step n + 2 of a node has had step n + 1 of the node across the edge, which was made from its own
 * step n. Leaves out: where the packets lie (yee_tile.h). */
#ifndef SMALL_YEE_POST_H
#define SMALL_YEE_POST_H

#include "kernels/resident/yee_step.h"

/* A thread's packets, in the set that is next to be asked for. A warp at an end of the stack exchanges all its nodes
 * there, one by one; it is at one end at most. Of every row the first and the last node go, rows two by two. */
struct tile_mail {
    uint2 *side, *end;       /* beyond the edges: what is asked for */
    int side_step, end_step; /* from what lies beyond an edge to what lies before it */
    unsigned bits;           /* 1 the thread asks for a side's, 2 posts one's; 4 the warp's end is the low one */
    unsigned wanted[STACK_ROWS / 2]; /* all bits where two rows have nodes that the thread asks for, else none */

    __device__ __forceinline__ bool asks() const
    {
        return (bits & 1u) != 0;
    }
    __device__ __forceinline__ bool posts() const
    {
        return (bits & 2u) != 0;
    }
    __device__ __forceinline__ bool low_end() const
    {
        return (bits & 4u) != 0;
    }
};

/* What has come: Ez and the number of its packet, beside the rows and beyond the end. */
template <int LANE, int R> struct tile_news {
    float beside[R], end[LANE];
    unsigned beside_number[R], end_number[LANE];
};

__device__ __forceinline__ uint2 *other_set(uint2 *packets, unsigned set_bytes)
{
    return (uint2 *)((uintptr_t)packets ^ set_bytes);
}

__device__ __forceinline__ void post_node(uint2 *to, bool wanted, float e, unsigned number)
{
    asm volatile("{ .reg .pred p; .reg .b64 t; setp.ne.u32 p, %3, 0; mov.b64 t, {%1, %2};"
                 " @p st.relaxed.gpu.global.b64 [%0], t; }" ::"l"(to),
                 "f"(e), "r"(number), "r"((unsigned)wanted)
                 : "memory");
}

__device__ __forceinline__ void post_pair(uint2 *to, bool wanted, float first, float second, unsigned number)
{
    asm volatile("{ .reg .pred p; .reg .b64 t, u; setp.ne.u32 p, %4, 0; mov.b64 t, {%1, %3}; mov.b64 u, {%2, %3};"
                 " @p st.relaxed.gpu.global.v2.b64 [%0], {t, u}; }" ::"l"(to),
                 "f"(first), "f"(second), "r"(number), "r"((unsigned)wanted)
                 : "memory");
}

/* Without a branch: what a thread does not ask for it does not look at. */
__device__ __forceinline__ void ask_node(const uint2 *from, bool wanted, float *e, unsigned *number)
{
    asm volatile("{ .reg .pred p; .reg .b64 t; setp.ne.u32 p, %3, 0; @p ld.relaxed.gpu.global.b64 t, [%2];"
                 " mov.b64 {%0, %1}, t; }"
                 : "=f"(*e), "=r"(*number)
                 : "l"(from), "r"((unsigned)wanted)
                 : "memory");
}

/* Each half is whole by itself. */
__device__ __forceinline__ void ask_pair(const uint2 *from, bool wanted, float *first, float *second, unsigned *number)
{
    asm volatile("{ .reg .pred p; .reg .b64 t, u; setp.ne.u32 p, %5, 0; @p ld.relaxed.gpu.global.v2.b64 {t, u}, [%4];"
                 " mov.b64 {%0, %2}, t; mov.b64 {%1, %3}, u; }"
                 : "=f"(*first), "=f"(*second), "=r"(number[0]), "=r"(number[1])
                 : "l"(from), "r"((unsigned)wanted)
                 : "memory");
}

/* Asks for all packets of the warp at once. ENDS: the warp has an end. */
template <bool ENDS, int LANE, int R>
__device__ __forceinline__ void ask(const tile_mail &mail, const tile_place &at, tile_news<LANE, R> &news)
{
#pragma unroll
    for (int r = 0; r < R; r += 2) {
        ask_pair(mail.side + r, mail.asks(), &news.beside[r], &news.beside[r + 1], news.beside_number + r);
    }
#pragma unroll
    for (int k = 0; ENDS && k < LANE; k++) {
        ask_node(mail.end + k, at.owns(k), &news.end[k], &news.end_number[k]);
    }
}

/* Whether the warp still waits for some of the packets `number`. */
template <bool ENDS, int LANE, int R>
__device__ __forceinline__ bool waits(const tile_mail &mail, const tile_place &at, const tile_news<LANE, R> &news,
                                      unsigned number)
{
    unsigned missing = 0;
#pragma unroll
    for (int r = 0; r < R; r += 2) {
        missing |= ((news.beside_number[r] ^ number) | (news.beside_number[r + 1] ^ number)) & mail.wanted[r / 2];
    }
#pragma unroll
    for (int k = 0; ENDS && k < LANE; k++) {
        missing |= at.owns(k) ? news.end_number[k] ^ number : 0u;
    }
    return __any_sync(0xffffffffu, missing != 0);
}

/* Waits for the packets `number`, asked for once already: what lies beside the rows goes into the first node of the
 * lanes there. */
template <bool ENDS, int LANE, int R>
__device__ __forceinline__ void await(const tile_mail &mail, const tile_place &at, tile_news<LANE, R> &news,
                                      tile_nodes<LANE, R> &c, unsigned number)
{
    while (waits<ENDS>(mail, at, news, number)) {
        ask<ENDS>(mail, at, news);
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
        c.e[r][0] = mail.asks() ? news.beside[r] : c.e[r][0];
    }
#pragma unroll
    for (int k = 0; k < LANE; k++) {
        c.before[k] = ENDS && mail.low_end() && at.owns(k) ? news.end[k] : c.before[k];
        c.after[k] = ENDS && !mail.low_end() && at.owns(k) ? news.end[k] : c.after[k];
    }
}

/* Ez at a warp's edges, into the set that is asked for after the next. */
template <int LANE, int R>
__device__ __forceinline__ void post_side(const tile_mail &mail, const tile_nodes<LANE, R> &c, unsigned set_bytes,
                                          unsigned number)
{
    uint2 *to = other_set(mail.side, set_bytes) + mail.side_step;
#pragma unroll
    for (int r = 0; r < R; r += 2) {
        post_pair(to + r, mail.posts(), c.e[r][LANE - 1], c.e[r + 1][LANE - 1], number);
    }
}

template <int LANE, int R>
__device__ __forceinline__ void post_end(const tile_mail &mail, const tile_place &at, const tile_nodes<LANE, R> &c,
                                         unsigned set_bytes, unsigned number)
{
    uint2 *to = other_set(mail.end, set_bytes) + mail.end_step;
#pragma unroll
    for (int k = 0; k < LANE; k++) {
        post_node(to + k, at.posts(k), mail.low_end() ? c.e[0][k] : c.e[R - 1][k], number);
    }
}

/* The other set of packets. */
template <bool ENDS> __device__ __forceinline__ void turn_over(tile_mail &mail, unsigned set)
{
    mail.side = other_set(mail.side, set);
    mail.end = ENDS ? other_set(mail.end, set) : mail.end;
}

#endif
