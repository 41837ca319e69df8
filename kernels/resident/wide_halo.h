/* The exchange between blocks of wide_resident.cu: at every step a patch at the border of its tile goes straight from
 * registers into the neighbours' inboxes in L2, in packets of three values and the number of the step. A reader knows
 * by itself when a packet has come, and no flags are needed. Two inboxes in turn are enough: who sends for step n + 2
 * has had the packets of step n + 1, which their sender sent after it had read those of step n. Leaves out: which
 * threads have patches (warp_roles.h). */
#ifndef SMALL_WIDE_PACKET_H
#define SMALL_WIDE_PACKET_H

#include "kernels/wide/wide_block.h"

/* Inbox of a block: packets of 3 values in y and a tag. West and east: (RINGS columns, groups); south and north:
 * (groups of the halo, 4 columns of a patch, quads), so that a warp writes and reads them in a row. */
template <typename Shape, int TAPS> struct halo_layout {
    static constexpr int deep = (TAPS + PATCH_ROWS - 1) / PATCH_ROWS; /* groups of rows */
    static constexpr int west = 0, east = TAPS * Shape::groups, south = 2 * east, side = deep * 4 * Shape::quads,
                         north = south + side, end = north + side;
    static_assert(end <= Shape::halo_slots, "room for the deepest halo");
};

/* What a block knows for the whole batch. */
struct wide_batch : wide_block {
    float4 *halo;       /* of all blocks, for steps of even tags */
    int stride;            /* packets of all blocks */
    int to[4];             /* packet of the first patch in the inboxes to the west, east, south and north */
    unsigned every, phase; /* steps between samples, 0: none; steps since the last one when the batch begins */
    float *source_weights;
};

/* Where a thread sends its columns, and what it receives. Bits: 0..3 which columns to the west, 4..7 to the east, 8 all
 * to the south, 9 to the north; the patch's quad from 10 on, its group from 18 on. */
struct halo_exchange {
    unsigned bits;
    unsigned targets; /* of the received packets in the field, 16 bits each; NOWHERE: none */

    __device__ __forceinline__ bool sends(int bit) const
    {
        return (bits >> bit & 1u) != 0;
    }
};

constexpr unsigned NO_TARGET = 0xffffu;

/* 16 bytes at once, past L1: a tag vouches for the values beside it. */
__device__ __forceinline__ void halo_store(float4 *to, float a, float b, float c, unsigned arrival)
{
    asm volatile("{ .reg .b128 t; .reg .b64 l, h; mov.b64 l, {%1, %2}; mov.b64 h, {%3, %4}; mov.b128 t, {l, h};"
                 " st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(to),
                 "r"(__float_as_uint(a)), "r"(__float_as_uint(b)), "r"(__float_as_uint(c)), "r"(arrival)
                 : "memory");
}

/* Two packets, both under way at once. */
__device__ __forceinline__ void halo_load_pair(const float4 *first, const float4 *second, uint4 (&got)[2])
{
    asm volatile("{ .reg .b128 t, u; .reg .b64 l, h;"
                 " ld.relaxed.gpu.global.b128 t, [%8]; ld.relaxed.gpu.global.b128 u, [%9];"
                 " mov.b128 {l, h}, t; mov.b64 {%0, %1}, l; mov.b64 {%2, %3}, h;"
                 " mov.b128 {l, h}, u; mov.b64 {%4, %5}, l; mov.b64 {%6, %7}, h; }"
                 : "=r"(got[0].x), "=r"(got[0].y), "=r"(got[0].z), "=r"(got[0].w), "=r"(got[1].x), "=r"(got[1].y),
                   "=r"(got[1].z), "=r"(got[1].w)
                 : "l"(first), "l"(second)
                 : "memory");
}

template <typename Shape>
__device__ __forceinline__ void halo_send(const halo_exchange &x, const wide_batch &w, const wide_patch &c, unsigned arrival)
{
    if ((x.bits & 0x3ffu) == 0) {
        return;
    }
    int quad = (int)(x.bits >> 10 & 0xffu), group = (int)(x.bits >> 18);
    int along_x = 4 * quad * Shape::groups + group, along_y = 4 * group * Shape::quads + quad;
    float4 *halo = w.halo + (arrival & 1u) * w.stride;
    float4 *west = halo + w.to[0] + along_x, *east = halo + w.to[1] + along_x,
           *south = halo + w.to[2] + along_y, *north = halo + w.to[3] + along_y;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (x.sends(k)) {
            halo_store(west + k * Shape::groups, c.e[0][k], c.e[1][k], c.e[2][k], arrival);
        }
        if (x.sends(4 + k)) {
            halo_store(east + k * Shape::groups, c.e[0][k], c.e[1][k], c.e[2][k], arrival);
        }
    }
    if (x.sends(8)) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            halo_store(south + k * Shape::quads, c.e[0][k], c.e[1][k], c.e[2][k], arrival);
        }
    }
    if (x.sends(9)) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            halo_store(north + k * Shape::quads, c.e[0][k], c.e[1][k], c.e[2][k], arrival);
        }
    }
}

/* Waits for this thread's packets of step `tag` and puts them into the halo of `field` (its first element). */
template <typename Shape>
__device__ __forceinline__ void halo_receive(const halo_exchange &x, const wide_batch &w, float *field, unsigned arrival)
{
    static_assert(Shape::slots_per_thread == 2, "a thread has room for two places");
    unsigned waiting = ((x.targets & NO_TARGET) != NO_TARGET ? 1u : 0u) | (x.targets >> 16 != NO_TARGET ? 2u : 0u);
    const float4 *halo_own = w.halo + (arrival & 1u) * w.stride + (int)blockIdx.x * Shape::halo_slots + (int)threadIdx.x;
    while (waiting != 0) { /* what is not awaited is read all the same */
        uint4 got[2];
        halo_load_pair(halo_own, halo_own + Shape::threads, got);
        unsigned come = waiting & ((got[0].w == arrival ? 1u : 0u) | (got[1].w == arrival ? 2u : 0u));
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if ((come >> i & 1u) != 0) {
                float *to = field + (x.targets >> 16 * i & NO_TARGET);
                to[0] = __uint_as_float(got[i].x);
                to[Shape::pitch] = __uint_as_float(got[i].y);
                to[2 * Shape::pitch] = __uint_as_float(got[i].z);
            }
        }
        waiting ^= come;
    }
}

/* Of packet k of the block's inbox: where it goes in the field, NOWHERE when nothing comes. */
template <typename Shape, int TAPS>
__device__ unsigned halo_target(const box &b, const device_problem<float> &p, int k)
{
    typedef halo_layout<Shape, TAPS> layout;
    int quads = (b.x1 - b.x0 + 3) / 4, height = b.y1 - b.y0, groups = (height + PATCH_ROWS - 1) / PATCH_ROWS;
    if (k < layout::south) {
        bool east = k >= layout::east;
        int column = (k - (east ? layout::east : 0)) / Shape::groups, group = k % Shape::groups;
        bool comes = group < groups && (east ? b.x1 < p.nx : b.x0 > 0);
        int x = (east ? b.x1 - b.x0 : -TAPS) + column;
        return comes ? (unsigned)(Shape::origin + PATCH_ROWS * group * Shape::pitch + x) : NO_TARGET;
    }
    bool north = k >= layout::north;
    int i = k - (north ? layout::north : layout::south), quad = i % Shape::quads, column = i / Shape::quads % 4,
        group = i / Shape::quads / 4;
    bool comes = k < layout::end && quad < quads && (north ? b.y1 < p.ny : b.y0 > 0);
    int row = PATCH_ROWS * group + (north ? height : -PATCH_ROWS * layout::deep);
    return comes ? (unsigned)(Shape::origin + row * Shape::pitch + 4 * quad + column) : NO_TARGET;
}

template <typename Shape, int TAPS>
__device__ halo_exchange make_halo_exchange(const box &b, const device_problem<float> &p, const wide_place &at,
                                  const wide_task &task)
{
    typedef halo_layout<Shape, TAPS> layout;
    halo_exchange x;
    int groups = (b.y1 - b.y0 + PATCH_ROWS - 1) / PATCH_ROWS;
    bool owns = at.on() && task.role == OWNS;
    x.bits = (unsigned)task.quad << 10 | (unsigned)task.group << 18;
    for (int k = 0; owns && k < 4; k++) {
        x.bits |= b.x0 > 0 && at.x() + k < b.x0 + TAPS ? 1u << k : 0u;
        x.bits |= b.x1 < p.nx && at.x() + k >= b.x1 - TAPS ? 16u << k : 0u;
    }
    x.bits |= owns && b.y0 > 0 && task.group < layout::deep ? 1u << 8 : 0u;
    x.bits |= owns && b.y1 < p.ny && task.group >= groups - layout::deep ? 1u << 9 : 0u;
    x.targets = 0;
    for (int i = 0; i < Shape::slots_per_thread; i++) {
        x.targets |= halo_target<Shape, TAPS>(b, p, (int)threadIdx.x + i * Shape::threads) << 16 * i;
    }
    return x;
}

#endif
