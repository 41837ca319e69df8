/* What a block of streamed.cu knows of its tile: where its patches stand, where what they need lies in shared memory,
 * and the part of the state that is kept in global memory. Leaves out: the layout (streamed.h) and the step
 * (streamed.cu). */
#ifndef STREAMED_TILE_H
#define STREAMED_TILE_H

#include "kernels/common/shared_barrier.h"
#include "kernels/resident/wide_halo.h"
#include "kernels/streamed/streamed.h"

namespace streamed
{

constexpr int THREADS = STREAMED_THREADS;

/* compute-sanitizer's racecheck follows barriers of whole blocks alone. */
#ifdef WHOLE_BARRIERS
#define WAIT_APART 0
#else
#define WAIT_APART SHARED_BARRIERS
#endif

/* A word about a patch: wide_place.bits, and: it has a source; it is sent to the neighbour in the west, east, south,
 * north. */
enum { WORD_DRIVEN = 25, WORD_WEST = 26, WORD_EAST = 27, WORD_SOUTH = 28, WORD_NORTH = 29 };

/* The second word about a patch that is filtered. */
enum { FILTER_QUAD = 0, FILTER_GROUP = 8, FILTER_ALONG_Y = 16, FILTER_ON = 17 };

/* The shared memory of the block. Its address is never kept in memory: loads through such a pointer would be generic.
 */
__device__ __forceinline__ char *block_memory()
{
    extern __shared__ float4 shared_memory[];
    return (char *)shared_memory;
}

/* What a block knows of its tile, in shared memory. */
template <typename Shape> struct streamed_tile {
    streamed_layout layout;
    int quads, groups;
    int quad_step, group_step; /* from a patch to the one that many patches further as there are threads */
    streamed_store *store;

    __device__ __forceinline__ float *field() const
    {
        return (float *)block_memory();
    }
    __device__ __forceinline__ unsigned *words() const
    {
        return (unsigned *)(block_memory() + layout.words);
    }
    __device__ __forceinline__ uint2 *filter_words() const
    {
        return (uint2 *)(block_memory() + layout.filter_words);
    }
    /* Row of the states at the half nodes, or at the nodes, of filtered patch f. */
    __device__ __forceinline__ float *state_row(bool node, int f, int row) const
    {
        return (float *)(block_memory() + layout.states) + 4 * (((node ? PATCH_ROWS : 0) + row) * layout.filters + f);
    }
    /* Filtered differences of a patch at a wall. */
    __device__ __forceinline__ float *of_x(size_t from, int quad, int group) const
    {
        return (float *)(block_memory() + from) + PATCH_ROWS * group * Shape::zone_pitch +
               4 * (quad - layout.first_quad + Shape::zone_margin);
    }
    __device__ __forceinline__ float *of_y(size_t from, int quad, int group) const
    {
        return (float *)(block_memory() + from) + PATCH_ROWS * (group - layout.first_group) * Shape::pitch +
               Shape::before + 4 * quad;
    }
};

/* What the kernel is given, and what the block knows. */
template <typename Shape> struct block_work {
    const device_problem<float> &problem;
    const device_fields<float> &from, &to;
    const device_events<float> &events;
    const resident_plan &plan;
    const streamed_tile<Shape> &t;
    const wide_batch &w;
    uint64_t *crossed; /* all have taken from the field what they need for a round */
};

/* Waits come later than the work that they are for: what a warp does between them overlaps what others still read. */
__device__ __forceinline__ void come(uint64_t *barrier)
{
#if WAIT_APART
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        shared_barrier_come(barrier);
    }
#endif
}

__device__ __forceinline__ void wait_for_all(uint64_t *barrier, unsigned phase)
{
#if WAIT_APART
    shared_barrier_wait(barrier, (int)(phase & 1u));
#else
    __syncthreads();
#endif
}

/* Where a patch stands in the tile; goes from round to round. */
struct patch_walk {
    int quad, group;

    template <typename Shape> __device__ __forceinline__ explicit patch_walk(const streamed_tile<Shape> &t)
    {
        int length = t.layout.along_y ? t.groups : t.quads, line = (int)threadIdx.x / length,
            at = (int)threadIdx.x % length;
        quad = t.layout.along_y ? line : at;
        group = t.layout.along_y ? at : line;
    }

    template <typename Shape> __device__ __forceinline__ void next(const streamed_tile<Shape> &t)
    {
        quad += t.quad_step;
        group += t.group_step;
        if (t.layout.along_y ? group >= t.groups : quad >= t.quads) {
            quad += t.layout.along_y ? 1 : -t.quads;
            group += t.layout.along_y ? -t.groups : 1;
        }
    }
};

template <typename Shape>
__device__ __forceinline__ wide_place place_at(const streamed_tile<Shape> &t, const box &b, int quad, int group,
                                               unsigned bits)
{
    wide_place at;
    at.corner = wide_place::corner_of(b.x0 + 4 * quad, b.y0 + PATCH_ROWS * group);
    at.bits = bits;
    at.base = t.field() + Shape::origin + PATCH_ROWS * group * Shape::pitch + 4 * quad;
    return at;
}

/* Three quads of a thread in a round, of the state that is in global memory. */
__device__ __forceinline__ void load_rows(const float4 *from, int round, float (&rows)[PATCH_ROWS][4])
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        float4 row = __ldcg(from + (round * PATCH_ROWS + r) * THREADS + threadIdx.x);
        rows[r][0] = row.x;
        rows[r][1] = row.y;
        rows[r][2] = row.z;
        rows[r][3] = row.w;
    }
}

__device__ __forceinline__ void save_rows(float4 *to, int round, const float (&rows)[PATCH_ROWS][4])
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        __stcg(to + (round * PATCH_ROWS + r) * THREADS + threadIdx.x,
               make_float4(rows[r][0], rows[r][1], rows[r][2], rows[r][3]));
    }
}

__device__ __forceinline__ void load_indices(const streamed_store *s, int round, unsigned (&pairs)[2 * PATCH_ROWS])
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        uint2 pair = __ldcg(s->indices + (round * PATCH_ROWS + r) * THREADS + threadIdx.x);
        pairs[2 * r] = pair.x;
        pairs[2 * r + 1] = pair.y;
    }
}

/* Filter states of a thread: on the chip where there is room. */
template <typename Shape>
__device__ __forceinline__ void load_states(const streamed_tile<Shape> &t, bool node, int f, int round,
                                            float (&state)[PATCH_ROWS][4])
{
    if (t.layout.states_stay) {
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            get_quad(state[r], t.state_row(node, f, r));
        }
    } else {
        load_rows(node ? t.store->node : t.store->half, round, state);
    }
}

template <typename Shape>
__device__ __forceinline__ void save_states(const streamed_tile<Shape> &t, bool node, int f, int round,
                                            const float (&state)[PATCH_ROWS][4])
{
    if (t.layout.states_stay) {
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            put_quad(t.state_row(node, f, r), state[r]);
        }
    } else {
        save_rows(node ? t.store->node : t.store->half, round, state);
    }
}

/* What a thread receives of the halo (wide_halo.h): where the values of its slots go in the field, 16 bits each, or
 * NO_TARGET. */
template <typename Shape> struct halo_inbox {
    static constexpr int SLOTS = Shape::slots_per_thread;
    unsigned pairs[(SLOTS + 1) / 2];

    __device__ __forceinline__ explicit halo_inbox(const block_work<Shape> &work)
    {
#pragma unroll
        for (int i = 0; i < SLOTS; i++) {
            unsigned target =
                halo_target<Shape, Shape::taps>(work.w.own, work.problem, (int)threadIdx.x + i * Shape::threads);
            pairs[i / 2] = i % 2 == 0 ? target : pairs[i / 2] | target << 16;
        }
    }

    /* Polls the slots until the values of step `arrival` are there. Those that are not awaited are loaded all the same.
     */
    __device__ __forceinline__ void receive(const block_work<Shape> &work, unsigned arrival) const
    {
        const wide_batch &w = work.w;
        const float4 *slots =
            w.halo + (arrival & 1u) * w.parity_slots + (int)blockIdx.x * Shape::halo_slots + (int)threadIdx.x;
        unsigned waiting = 0;
#pragma unroll
        for (int i = 0; i < SLOTS; i++) {
            waiting |= target(i) != NO_TARGET ? 1u << i : 0u;
        }
        while (waiting != 0) {
            uint4 got[SLOTS];
#pragma unroll
            for (int i = 0; i < SLOTS; i++) {
                halo_load(slots + i * Shape::threads, got[i]);
            }
#pragma unroll
            for (int i = 0; i < SLOTS; i++) {
                if ((waiting >> i & 1u) != 0 && got[i].w == arrival) {
                    float *to = work.t.field() + target(i);
                    to[0] = __uint_as_float(got[i].x);
                    to[Shape::pitch] = __uint_as_float(got[i].y);
                    to[2 * Shape::pitch] = __uint_as_float(got[i].z);
                    waiting ^= 1u << i;
                }
            }
        }
    }

  private:
    __device__ __forceinline__ unsigned target(int i) const
    {
        return pairs[i / 2] >> 16 * (i % 2) & NO_TARGET;
    }
};

/* The increments of a round's patch, and its indices where the warp has more than air. */
template <typename Shape>
__device__ __forceinline__ void fetch_round(const streamed_tile<Shape> &t, int round, unsigned word, wide_patch &c)
{
    load_rows(t.store->increments, round, c.v);
    if ((word >> PLACE_IN_AIR & 1u) == 0) {
        load_indices(t.store, round, c.index_pairs);
    }
}

} // namespace streamed

#endif
