/* Pieces of a block that takes a tile of columns through several steps (volume_sweep.cu): its shape, its barrier,
 * copies from memory, media, neighbours and what is driven and heard. */
#ifndef SWEEP_PARTS_H
#define SWEEP_PARTS_H

#include "kernels/common/shared_barrier.h"
#include "kernels/volume/quad.h"
#include "kernels/volume/sweep/volume_sweep.h"

enum {
    CELLS = 4,  /* of a thread, beside each other */
    LANES = 16, /* of a tile's row; two rows are a warp */
    WIDTH = CELLS * LANES,
    RING = 2,  /* levels of E from memory */
    HELD = 4,  /* levels whose filter states are in shared memory */
    SEAT = 17, /* quads from one place's states to the next's: four of each level; odd, for the banks' sake */
    TASK = (sizeof(sweep_task) + 15) / 16, /* quads that the task takes */
    NOTHING_NEW = -2,
    LEVELS = 180,         /* most levels that a block sees */
    SWEEP_SHARED = 232448 /* bytes of shared memory */
};

typedef quad<float> four;

/* Quads of shared memory that each thread of a tile has, but for what filters remember: three times E twice, h, then hx
 * and hz for the row above twice, then Ex and Ez after each step but the last twice. */
__host__ __device__ constexpr int sweep_quads(int steps)
{
    return 3 * RING + 3 + 4 + 4 * (steps - 1);
}

/* Rows of a tile in which there are walls of the axes MASK: so many that the shared memory holds what the filters of
 * sixteen layers remember; where several axes have filters, those of any. */
__host__ __device__ constexpr int sweep_rows(int steps, int mask)
{
    return mask == 0                ? 32
           : mask <= 2              ? 24
           : mask == 3 || mask == 4 ? (steps == 2 ? 24 : 22)
           : mask == 5              ? (steps == 2 ? 22 : 20)
                                    : (steps == 2 ? 16 : 14);
}

/* A barrier of the block in two halves: a warp says that it has come, goes on with what needs no other warp, and waits
 * for all. Racecheck gets a plain one. Blocks of `sweep` want more shared memory than devices before sm_90 have, so
 * that those decline it (volume_solver.cu). */
__device__ __forceinline__ void block_barrier(int threads)
{
    asm volatile("barrier.sync 0, %0;" ::"r"(threads) : "memory");
}

__device__ __forceinline__ void barrier_come(uint64_t *barrier, int threads)
{
#ifdef WHOLE_BARRIERS
    block_barrier(threads);
#else
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        shared_barrier_come(barrier);
    }
#endif
}

__device__ __forceinline__ void barrier_wait(uint64_t *barrier, int phase)
{
#ifndef WHOLE_BARRIERS
    shared_barrier_wait(barrier, phase);
    __syncwarp();
#endif
}

/* Asynchronous copies of a quad from memory, zeros where it is not wanted. */
__device__ __forceinline__ void copy_quad(four *to, const float *from, bool wanted)
{
#if SHARED_BARRIERS
    const unsigned address = shared_address(to), bytes = wanted ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
#endif
}

__device__ __forceinline__ void copies_end()
{
#if SHARED_BARRIERS
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ __forceinline__ void await_copies()
{
#if SHARED_BARRIERS
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
}

/* Where a thread is. */
struct sweep_column {
    int i, j;
    bool inside, own;
    int layer_x; /* a bit for each place that is in the layer of x */
    int slot_x, slot_y;
};

/* The derivatives of a curl at a quad. */
struct sweep_curl {
    four first[3], second[3];
};

/* The media of a quad of columns at the level asked for last. */
struct sweep_media {
    int layer[3] = {-1, -1, -1};
    float2 medium[3][CELLS] = {};

    /* Has the first-level cache fetch the indices of a level that begins another layer than the one below. */
    __device__ __forceinline__ void foresee(const device_volume<float> &v, const sweep_column &c, const int4 &low,
                                            const int4 &level) const
    {
#pragma unroll
        for (int a = 0; a < 3; a++) {
            const int own = a == 0 ? level.x : a == 1 ? level.y : level.z;
            if (own != (a == 0 ? low.x : a == 1 ? low.y : low.z) && c.inside) {
                asm volatile("prefetch.global.L1 [%0];" ::"l"(v.index + ((size_t)own * v.n[1] + c.j) * v.width + c.i));
            }
        }
    }

    __device__ __forceinline__ void at(const device_volume<float> &v, const sweep_column &c, const int4 &level)
    {
#pragma unroll
        for (int a = 0; a < 3; a++) {
            const int own = a == 0 ? level.x : a == 1 ? level.y : level.z;
            if (own != layer[a]) { /* the same for all threads */
                layer[a] = own;
                if (c.inside) {
                    const uint16_t *const index = v.index + ((size_t)own * v.n[1] + c.j) * v.width + c.i;
#pragma unroll
                    for (int pair = 0; pair < CELLS / 2; pair++) {
                        const ushort2 n = __ldg((const ushort2 *)index + pair);
                        medium[a][2 * pair] = __ldg(v.coefficients + n.x);
                        medium[a][2 * pair + 1] = __ldg(v.coefficients + n.y);
                    }
                }
            }
        }
    }
};

/* A neighbour's quad, or at a wall the image of the own one. */
__device__ __forceinline__ four neighbour_or_image(const four &neighbour, const four &own, bool wall, bool odd)
{
    four q;
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        const float image = odd ? -own.x[c] : own.x[c];
        q.x[c] = wall ? image : neighbour.x[c];
    }
    return q;
}

/* A neighbour's quad, or at a wall zero. */
__device__ __forceinline__ four neighbour_or_zero(const four &neighbour, bool wall)
{
    four q;
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        q.x[c] = wall ? 0 : neighbour.x[c];
    }
    return q;
}

__device__ __forceinline__ four difference(const four &low, const four &high)
{
    four d;
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        d.x[c] = cell_curl(low.x[c], high.x[c]);
    }
    return d;
}

/* Along x towards the next quad, and from the quad before. */
__device__ __forceinline__ four difference_right(const four &own, int to_wall)
{
    const float next = __shfl_down_sync(~0u, own.x[0], 1, LANES);
    four d;
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        const float high = c + 1 < CELLS ? own.x[c + 1 < CELLS ? c + 1 : c] : next;
        d.x[c] = cell_curl(own.x[c], c + 1 == to_wall ? 0 : high);
    }
    return d;
}

__device__ __forceinline__ four difference_left(const four &own, bool at_wall, bool odd)
{
    const float before = __shfl_up_sync(~0u, own.x[CELLS - 1], 1, LANES);
    const float image = odd ? -own.x[0] : own.x[0];
    four d;
    d.x[0] = cell_curl(at_wall ? image : before, own.x[0]);
#pragma unroll
    for (int c = 1; c < CELLS; c++) {
        d.x[c] = cell_curl(own.x[c - 1], own.x[c]);
    }
    return d;
}

/* Calls take(n, component, c) for the places of the list from `first` on that are at level p: the thread whose own
 * place number c it is. A lane looks at every 32nd; SORTED: places of other levels are only at the list's end. */
template <bool SORTED, typename Take>
__device__ __forceinline__ void at_places(const pass_place *places, int first, int end, const sweep_task &task,
                                          const sweep_column &at, int p, const Take &take)
{
    const int lane = (int)threadIdx.x % 32, top = at.j - lane / LANES, rows = 32 / LANES;
    for (int begin = first; begin < end; begin += 32) {
        pass_place place = {0, 0, 0, -1};
        if (begin + lane < end) {
            place = places[begin + lane];
        }
        unsigned here = __ballot_sync(~0u, place.k == p && place.i >= task.x && place.i < task.x + WIDTH &&
                                               place.j >= top && place.j < top + rows);
        for (; here != 0; here &= here - 1) {
            const int from = __ffs((int)here) - 1, component = __shfl_sync(~0u, place.component, from),
                      i = __shfl_sync(~0u, place.i, from), j = __shfl_sync(~0u, place.j, from);
            if (j == at.j && i / CELLS * CELLS == at.i) {
                take(begin + from, component, i % CELLS);
            }
        }
        if (SORTED && __shfl_sync(~0u, place.k, 31) != p) {
            return;
        }
    }
}

/* What the source adds to E at level p, and what probes hear there. */
template <int S>
__device__ __forceinline__ void sweep_drive(const sweep_pass<float> &pass, const sweep_task &task,
                                            const sweep_column &at, int p, four (&e)[3])
{
    if (p < pass.events.lowest || p > pass.events.highest) {
        return;
    }
    const float drive = (float)pass.source.drive[pass.step + S - 1];
    at_places<false>(pass.events.driven, 0, pass.source.count, task, at, p, [&](int n, int component, int cell) {
        const float weight = pass.source.weights[n];
#pragma unroll
        for (int c = 0; c < 3 * CELLS; c++) {
            if (component == c / CELLS && cell == c % CELLS) {
                cell_dipole(weight, drive, pass.source.hard, &e[c / CELLS].x[c % CELLS]);
            }
        }
    });
}

template <int S>
__device__ __forceinline__ void sweep_hear(const sweep_pass<float> &pass, const sweep_task &task,
                                           const sweep_column &at, int p, int first, const four (&e)[3],
                                           const four (&h)[3])
{
    const pass_events<float> &events = pass.events;
    at_places<true>(events.heard, first, events.heard_count, task, at, p, [&](int n, int component, int cell) {
        float value = 0;
#pragma unroll
        for (int c = 0; c < 3 * CELLS; c++) {
            value = component == c / CELLS && cell == c % CELLS ? e[c / CELLS].x[c % CELLS] : value;
            value = component == 3 + c / CELLS && cell == c % CELLS ? h[c / CELLS].x[c % CELLS] : value;
        }
        if (at.own) {
            events.values[(size_t)(S - 1) * events.heard_count + events.slot[n]] = value;
        }
    });
}

#endif
