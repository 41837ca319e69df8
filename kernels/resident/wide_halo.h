/* The halo exchange between the blocks of wide_resident.cu, once a step. The words are those of yee_halo.h:
 *
 *   halo buffer   global memory that stays in L2, in two parts: one for even and one for odd steps (their parity). Here
 *                 every block has its own slots, which its four neighbours fill
 *   slot          16 bytes of it: Ez of three nodes above each other (a column of a patch) and their arrival number,
 *                 written by one store
 *   arrival       the number of the step after which Ez had these values; a receiver polls until it is its own step's
 *   send          store the columns of a patch that neighbours need into their slots, straight from registers
 *   receive       poll the block's own slots and put their values into the halo of the field in shared memory
 *
 * What a tile sends after a step, for TAPS = 3: all that lies within TAPS of its edges.
 *
 *                       north: `deep` groups of rows
 *                    +------------------------------------+
 *     west:          |nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn|   east:
 *     TAPS columns   |www                              eee|   TAPS columns
 *                    |www          stays here          eee|   (w and e also beside n and s)
 *                    |www                              eee|
 *                    |ssssssssssssssssssssssssssssssssssss|
 *                    +------------------------------------+
 *                       south: `deep` groups of rows
 *
 *     owner of a patch:  step n | send n ----> neighbours' slots (parity n) | share      || barrier
 *     every thread:               receive n <-- own slots (parity n) -> halo in shared memory || barrier | step n + 1
 *
 * Corners are not exchanged: the cross of a stencil does not reach them. Two parts are enough: a block that sends step
 * n + 2 has received the slots of step n + 1, which their sender sent after it had read those of step n. Before a batch
 * the buffer is cleared, so that no slot of an earlier batch passes for one of this. Leaves out: which threads have
 * patches (warp_roles.h). */
#ifndef WIDE_HALO_H
#define WIDE_HALO_H

#include "kernels/resident/wide_resident.h"
#include "kernels/wide/wide_block.h"

/* The slots of a block in one part of the halo buffer. West and east: (TAPS columns, groups); south and north: (groups
 * of the halo, 4 columns of a patch, quads), so that a warp writes and reads neighbouring slots. */
template <typename Shape, int TAPS> struct halo_layout {
    static constexpr int deep = (TAPS + PATCH_ROWS - 1) / PATCH_ROWS; /* groups of rows that cover TAPS rows */
    static constexpr int west = 0, east = TAPS * Shape::groups, south = 2 * east, side = deep * 4 * Shape::quads,
                         north = south + side, end = north + side;
    static_assert(end <= Shape::halo_slots, "room for the deepest halo");
};

/* What a block knows for the whole batch, in shared memory. */
struct wide_batch : wide_block {
    float4 *halo;     /* the halo buffer: the slots of all blocks, for even steps */
    int parity_slots; /* slots of all blocks: from the even part of the halo buffer to the odd one */
    int neighbour[4]; /* slot of the first patch in the slots of the neighbours to the west, east, south and north */
    unsigned every, phase; /* steps between samples, 0: none; steps since the last sample when the batch begins */
    float *source_weights;
};

/* One thread fills in what the block knows. WEIGHTS: the sources' weights lie behind the halo buffer. */
template <typename Shape, int REACH, int TAPS, bool WEIGHTS>
__device__ void fill_batch(wide_batch *w, const device_problem<float> &p, const device_events<float> &events,
                           const resident_plan &plan, int64_t step, int64_t steps)
{
    typedef halo_layout<Shape, TAPS> layout;
    const box b = plan.boxes[blockIdx.x];
    int me = (int)blockIdx.x, groups = (b.y1 - b.y0 + PATCH_ROWS - 1) / PATCH_ROWS;
    w->own = w->tile = b;
    w->halo = (float4 *)plan.halo_buffer;
    w->parity_slots = plan.columns * plan.rows * Shape::halo_slots;
    w->neighbour[0] = (me - 1) * Shape::halo_slots + layout::east;
    w->neighbour[1] = (me + 1) * Shape::halo_slots + layout::west + (b.x0 - b.x1 + TAPS) * Shape::groups;
    w->neighbour[2] = (me - plan.columns) * Shape::halo_slots + layout::north;
    w->neighbour[3] =
        (me + plan.columns) * Shape::halo_slots + layout::south + (layout::deep - groups) * 4 * Shape::quads;
    w->depth = p.layer > 0 ? REACH - 1 : TAPS;
    w->every = plan.samples != NULL ? (unsigned)plan.spectra.every : 0u;
    w->phase = w->every > 0 ? (unsigned)(step % w->every) : 0u;
    w->steps = (unsigned)steps;
    w->air = p.coefficients[0];
    w->drive = events.sources->drive;
    if (WEIGHTS) {
        w->source_weights = (float *)(w->halo + 2 * w->parity_slots) + (size_t)me * 4 * PATCH_ROWS * Shape::threads;
        w->weights = w->source_weights;
    }
    w->hard = events.sources->hard;
    w->first_step = step;
}

constexpr unsigned NO_TARGET = 0xffffu;

/* halo_exchange.bits: the lowest bit of each field.
 *
 *     bit     field
 *     0..3    column k goes to the west
 *     4..7    column k goes to the east
 *     8       the patch goes to the south
 *     9       the patch goes to the north
 *     10..17  quad of the patch
 *     18..    group of the patch */
enum { SEND_WEST = 0, SEND_EAST = 4, SEND_SOUTH = 8, SEND_NORTH = 9, SEND_QUAD = 10, SEND_GROUP = 18 };
constexpr unsigned SENDS_ANYTHING = 0x3ffu;

/* Where a thread sends its columns, and what it receives. */
struct halo_exchange {
    unsigned bits;    /* SEND_... */
    unsigned targets; /* where the values of the thread's two slots go in the field, 16 bits each; or NO_TARGET */

    __device__ __forceinline__ bool sends(int bit) const
    {
        return (bits >> bit & 1u) != 0;
    }
    __device__ __forceinline__ int quad() const
    {
        return (int)(bits >> SEND_QUAD & 0xffu);
    }
    __device__ __forceinline__ int group() const
    {
        return (int)(bits >> SEND_GROUP);
    }
    /* Of the thread's slot i. */
    __device__ __forceinline__ unsigned target(int i) const
    {
        return targets >> 16 * i & NO_TARGET;
    }
};

/* One store of 16 bytes, past L1: the arrival number vouches for the values beside it. */
__device__ __forceinline__ void halo_store(float4 *to, float a, float b, float c, unsigned arrival)
{
    asm volatile("{ .reg .b128 t; .reg .b64 l, h; mov.b64 l, {%1, %2}; mov.b64 h, {%3, %4}; mov.b128 t, {l, h};"
                 " st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(to),
                 "r"(__float_as_uint(a)), "r"(__float_as_uint(b)), "r"(__float_as_uint(c)), "r"(arrival)
                 : "memory");
}

/* One slot. */
__device__ __forceinline__ void halo_load(const float4 *from, uint4 &got)
{
    asm volatile("{ .reg .b128 t; .reg .b64 l, h; ld.relaxed.gpu.global.b128 t, [%4];"
                 " mov.b128 {l, h}, t; mov.b64 {%0, %1}, l; mov.b64 {%2, %3}, h; }"
                 : "=r"(got.x), "=r"(got.y), "=r"(got.z), "=r"(got.w)
                 : "l"(from)
                 : "memory");
}

/* Two slots, both loads under way at once. */
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
__device__ __forceinline__ void halo_send(const halo_exchange &x, const wide_batch &w, const wide_patch &c,
                                          unsigned arrival)
{
    if ((x.bits & SENDS_ANYTHING) == 0) {
        return;
    }
    int quad = x.quad(), group = x.group();
    int along_x = 4 * quad * Shape::groups + group, along_y = 4 * group * Shape::quads + quad;
    float4 *halo = w.halo + (arrival & 1u) * w.parity_slots;
    float4 *west = halo + w.neighbour[0] + along_x, *east = halo + w.neighbour[1] + along_x,
           *south = halo + w.neighbour[2] + along_y, *north = halo + w.neighbour[3] + along_y;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (x.sends(SEND_WEST + k)) {
            halo_store(west + k * Shape::groups, c.e[0][k], c.e[1][k], c.e[2][k], arrival);
        }
        if (x.sends(SEND_EAST + k)) {
            halo_store(east + k * Shape::groups, c.e[0][k], c.e[1][k], c.e[2][k], arrival);
        }
    }
    if (x.sends(SEND_SOUTH)) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            halo_store(south + k * Shape::quads, c.e[0][k], c.e[1][k], c.e[2][k], arrival);
        }
    }
    if (x.sends(SEND_NORTH)) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            halo_store(north + k * Shape::quads, c.e[0][k], c.e[1][k], c.e[2][k], arrival);
        }
    }
}

/* Polls this thread's slots until the values of step `arrival` are there, and puts them into the halo of `field` (its
 * first element). */
template <typename Shape>
__device__ __forceinline__ void halo_receive(const halo_exchange &x, const wide_batch &w, float *field,
                                             unsigned arrival)
{
    static_assert(Shape::slots_per_thread == 2, "a thread has two slots");
    unsigned waiting = (x.target(0) != NO_TARGET ? 1u : 0u) | (x.targets >> 16 != NO_TARGET ? 2u : 0u);
    const float4 *own_slots =
        w.halo + (arrival & 1u) * w.parity_slots + (int)blockIdx.x * Shape::halo_slots + (int)threadIdx.x;
    while (waiting != 0) { /* slots that are not awaited are loaded all the same */
        uint4 got[2];
        halo_load_pair(own_slots, own_slots + Shape::threads, got);
        unsigned arrived = waiting & ((got[0].w == arrival ? 1u : 0u) | (got[1].w == arrival ? 2u : 0u));
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if ((arrived >> i & 1u) != 0) {
                float *to = field + x.target(i);
                to[0] = __uint_as_float(got[i].x);
                to[Shape::pitch] = __uint_as_float(got[i].y);
                to[2 * Shape::pitch] = __uint_as_float(got[i].z);
            }
        }
        waiting ^= arrived;
    }
}

/* Where the values of slot k of the block go in the field; NO_TARGET when nothing comes. */
template <typename Shape, int TAPS> __device__ unsigned halo_target(const box &b, const device_problem<float> &p, int k)
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
    x.bits = (unsigned)task.quad << SEND_QUAD | (unsigned)task.group << SEND_GROUP;
    for (int k = 0; owns && k < 4; k++) {
        x.bits |= b.x0 > 0 && at.x() + k < b.x0 + TAPS ? 1u << (SEND_WEST + k) : 0u;
        x.bits |= b.x1 < p.nx && at.x() + k >= b.x1 - TAPS ? 1u << (SEND_EAST + k) : 0u;
    }
    x.bits |= owns && b.y0 > 0 && task.group < layout::deep ? 1u << SEND_SOUTH : 0u;
    x.bits |= owns && b.y1 < p.ny && task.group >= groups - layout::deep ? 1u << SEND_NORTH : 0u;
    x.targets = 0;
    for (int i = 0; i < Shape::slots_per_thread; i++) {
        x.targets |= halo_target<Shape, TAPS>(b, p, (int)threadIdx.x + i * Shape::threads) << 16 * i;
    }
    return x;
}

#endif
