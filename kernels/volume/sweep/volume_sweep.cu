/* Several steps of yee in three dimensions in one pass over memory. A block owns a tile of columns and goes up through
 * the levels; thread t owns a quad of columns. When level k of E comes from memory, step s of the pass moves level
 * k - s on, h and then E, so that between two levels every step has one level of E and h behind it:
 *
 *        z ^   k      E from memory, k - 1 h from memory      (asynchronous copies, a level ahead)
 *          |   k-1    h, E after step 1                       Ex and Ez for the neighbours along y in shared memory,
 *          |   k-2    h, E after step 2, to memory            the rest in registers
 *
 * Neighbours along x are lanes of the warp; those along y meet in shared memory: a barrier a step and level, between h
 * and E. Around what a block owns it computes a margin, as wide as there are steps, whose values its neighbours compute
 * too, so the pass goes from one set of fields to another. A margin ends at the walls of the grid, whose images are
 * taken where they are read (problem/image.h). In the absorber each derivative passes its filter, whose states stay in
 * shared memory from level to level (sweep_filters.h). */
#include "kernels/common/dependent_launch.h"
#include "kernels/volume/sweep/sweep_filters.h"

namespace
{

/* A block at work. MASK: the axes whose walls, or the absorber beside them, are in its tile. */
template <int STEPS, int MASK> struct sweep_block {
    static constexpr int THREADS = LANES * sweep_rows(STEPS, MASK);
    const device_volume<float> &v;
    const sweep_pass<float> &pass;
    const sweep_task &task; /* in shared memory: registers are dear */
    four *shared;
    const int4 *levels; /* from level `bottom` on */
    uint64_t *barrier;
    const sweep_filters<MASK> filters;
    int bottom;
    sweep_column at;
    int t, active, above, below, to_wall; /* `active`: threads of the block */
    size_t place;                         /* of the column, in a level */
    sweep_media media;
    four behind[STEPS][3]; /* h after step s + 1, a level under the one that step moves next */
    four middle[STEPS];    /* Ey after step s, of that level */

    /* E of levels k - 1 and k from memory, which stay in the place of their level's parity. */
    __device__ __forceinline__ four *ring(int parity, int c) const
    {
        return shared + (c * RING + parity) * THREADS;
    }
    /* h from memory, which the thread alone reads, before the next is asked for. */
    __device__ __forceinline__ four *held(int c) const
    {
        return shared + (3 * RING + c) * THREADS;
    }
    __device__ __forceinline__ four *turned(int parity, int which) const /* hx, hz for the row above */
    {
        return shared + (3 * RING + 3 + parity * 2 + which) * THREADS;
    }
    __device__ __forceinline__ four *risen(int s, int parity, int which) const /* Ex, Ez after step s */
    {
        return shared + (3 * RING + 7 + ((s - 1) * 2 + parity) * 2 + which) * THREADS;
    }

    /* E of level k + 1, h of level k and what its filters remember. */
    __device__ __forceinline__ void fetch(int k) const
    {
        const bool e = MASK == 0 || (at.inside && ((MASK & 4) == 0 || k + 1 < v.n[2])),
                   h = MASK == 0 || (at.inside && ((MASK & 4) == 0 || (k >= 0 && k < v.n[2])));
        const size_t from = (size_t)k * v.plane + place, next = e ? from + v.plane : 0;
#pragma unroll
        for (int c = 0; c < 3; c++) {
            copy_quad(ring((k + 1) & 1, c) + t, pass.in.field[c] + next, e);
            copy_quad(held(c) + t, pass.in.field[3 + c] + (h ? from : 0), h);
        }
        filters.fetch(v, pass, at, k);
        copies_end();
    }

    /* What the steps of one turn of the march share. */
    struct turn {
        int k;          /* the level of E that has come */
        int parity;     /* of k */
        four next[3];   /* E of the level over the one that a step moves, after the step before */
        four before[3]; /* h of the level that it moves */
    };

    __device__ __forceinline__ bool writes(int p) const
    {
        return at.own && p >= task.z0 && p < task.z1;
    }

    /* h at level k - S in step S, from E, which is handed out too. */
    template <int S> __device__ __forceinline__ void magnetic(turn &now, four (&e)[3], four (&h)[3])
    {
        const int p = now.k - S;
        const four *const x = S == 1 ? ring(now.parity ^ 1, 0) : risen(S > 1 ? S - 1 : 1, now.parity ^ 1, 0);
        const four *const z = S == 1 ? ring(now.parity ^ 1, 2) : risen(S > 1 ? S - 1 : 1, now.parity ^ 1, 1);
        e[0] = x[t];
        e[1] = S == 1 ? ring(now.parity ^ 1, 1)[t] : middle[S > 1 ? S - 2 : 0];
        e[2] = z[t];
        const bool top = (MASK & 4) != 0 && p + 1 >= v.n[2], side = (MASK & 2) != 0 && at.j + 1 >= v.n[1];
        const four over_z = z[above], over_x = x[above];
        sweep_curl d;
        d.first[0] = difference(e[2], neighbour_or_zero(over_z, side));
        d.second[2] = difference(e[0], neighbour_or_zero(over_x, side));
        d.second[0] = difference(e[1], neighbour_or_zero(now.next[1], top));
        d.first[1] = difference(e[0], neighbour_or_zero(now.next[0], top));
        d.second[1] = difference_right(e[2], (MASK & 1) != 0 ? to_wall : -1);
        d.first[2] = difference_right(e[1], (MASK & 1) != 0 ? to_wall : -1);
        filters.template apply<0, S == STEPS>(v, pass, at, p, writes(p), d);
#pragma unroll
        for (int c = 0; c < 3; c++) {
#pragma unroll
            for (int q = 0; q < CELLS; q++) {
                h[c].x[q] = cell_magnetic(now.before[c].x[q], d.first[c].x[q], d.second[c].x[q]);
            }
        }
    }

    /* The curl of h there, but for what comes from the row below, before the barrier; then with it. */
    template <int S, bool QUIET>
    __device__ __forceinline__ void turn_h(const turn &now, const four (&h)[3], sweep_curl &d)
    {
        const int p = now.k - S, place = buffer(now.k, S);
        const bool ground = (MASK & 4) != 0 && p <= 0, front = (MASK & 2) != 0 && at.j == 0,
                   left = (MASK & 1) != 0 && at.i == 0;
        if (!QUIET) {
            media.at(v, at, levels[p - bottom]);
        }
        d.second[0] = difference(neighbour_or_image(behind[S - 1][1], h[1], ground, v.symmetric[2]), h[1]);
        d.first[1] = difference(neighbour_or_image(behind[S - 1][0], h[0], ground, v.symmetric[2]), h[0]);
        d.second[1] = difference_left(h[2], left, v.symmetric[0]);
        d.first[2] = difference_left(h[1], left, v.symmetric[0]);
        barrier_wait(barrier, point(now.k, S));
        if (S == 1) { /* no thread reads level k - 1 any more */
            fetch(now.k);
        }
        const four under_x = turned(place, 0)[below], under_z = turned(place, 1)[below];
        d.first[0] = difference(neighbour_or_image(under_z, h[2], front, v.symmetric[1]), h[2]);
        d.second[2] = difference(neighbour_or_image(under_x, h[0], front, v.symmetric[1]), h[0]);
        filters.template apply<1, S == STEPS>(v, pass, at, p, writes(p), d);
    }

    /* Barriers are numbered from zero; h for the rows above is in two places by turns. */
    __device__ __forceinline__ int point(int k, int s) const
    {
        return (k - bottom - STEPS) * STEPS + s - 1;
    }
    __device__ __forceinline__ int buffer(int k, int s) const
    {
        return point(k, s) & 1;
    }

    /* Step S at level k - S: `next` is E of the level over it before the step, and becomes E after it. */
    template <int S, bool QUIET> __device__ __forceinline__ void step(turn &now)
    {
        const int p = now.k - S;
        four e[3], h[3];
        magnetic<S>(now, e, h);
        turned(buffer(now.k, S), 0)[t] = h[0];
        turned(buffer(now.k, S), 1)[t] = h[2];
        if (S > 1) {
            middle[S > 1 ? S - 2 : 0] = now.next[1]; /* for the next level */
        }
        barrier_come(barrier, active);
        sweep_curl d;
        turn_h<S, QUIET>(now, h, d);
#pragma unroll
        for (int c = 0; c < 3; c++) {
            now.before[c] = behind[S - 1][c]; /* what the next step of the pass begins with, a level lower */
            behind[S - 1][c] = h[c];
#pragma unroll
            for (int q = 0; q < CELLS; q++) {
                now.next[c].x[q] = cell_increment(e[c].x[q], d.first[c].x[q] - d.second[c].x[q], media.medium[c][q].x,
                                                  media.medium[c][q].y);
            }
        }
        if (!QUIET) {
            sweep_drive<S>(pass, task, at, p, now.next);
            const int heard = levels[p - bottom].w;
            if (heard >= 0 && p >= task.z0 && p < task.z1) {
                sweep_hear<S>(pass, task, at, p, heard, now.next, h);
            }
        }
        hand_on<S>(now, p, h);
    }

    /* E and h after step S: to the next step, or to memory. */
    template <int S> __device__ __forceinline__ void hand_on(const turn &now, int p, const four (&h)[3])
    {
        if constexpr (S < STEPS) {
            risen(S, now.parity, 0)[t] = now.next[0];
            risen(S, now.parity, 1)[t] = now.next[2];
        } else if (writes(p)) {
            const size_t to = (size_t)p * v.plane + place;
#pragma unroll
            for (int c = 0; c < 3; c++) {
                store_quad(pass.out.field[c] + to, now.next[c]);
                store_quad(pass.out.field[3 + c] + to, h[c]);
            }
        }
    }

    /* All steps. QUIET: in all of them the media are those of the turn before, and nothing is driven or heard. */
    template <bool QUIET> __device__ __forceinline__ void steps(turn &now)
    {
        if (!QUIET) {
            media.foresee(v, at, levels[now.k - 1 - bottom], levels[now.k - bottom]);
        }
#pragma unroll
        for (int c = 0; c < 3; c++) {
            now.next[c] = c < 2 ? ring(now.parity, c)[t] : four{};
            now.before[c] = held(c)[t];
        }
        step<1, QUIET>(now);
        step<2, QUIET>(now);
        if constexpr (STEPS > 2) {
            step<3, QUIET>(now);
        }
    }

    __device__ __forceinline__ void go()
    {
        const int first = max(task.z0 - STEPS, 0), end = task.z1 + STEPS;
        turn now = {first, first & 1, {}, {}};
        fetch(first - 1);
        for (; now.k < end; now.k++) {
            now.parity = now.k & 1;
            await_copies();
            if (levels[now.k - bottom].w == NOTHING_NEW) {
                steps<true>(now);
            } else {
                steps<false>(now);
            }
        }
    }
};

/* Level n of a block's table: layers of Ex, Ey and Ez; where its places begin in the list of what is heard, or that
 * there are none, or that neither does anything else happen in the turn in which its E comes (sweep_block::steps). */
template <int STEPS>
__device__ __forceinline__ int4 level_of(const device_volume<float> &v, const sweep_pass<float> &pass, int bottom,
                                         int n)
{
    int4 level = pass.levels[min(max(bottom + n, 0), v.n[2] - 1)];
    bool same = n > STEPS && level.w < 0;
    for (int s = 1; s <= STEPS + 1; s++) {
        const int p = bottom + n - s;
        const int4 low = pass.levels[min(max(p, 0), v.n[2] - 1)];
        same = same && low.x == level.x && low.y == level.y && low.z == level.z && low.w < 0 &&
               (p < pass.events.lowest || p > pass.events.highest);
    }
    level.w = same ? NOTHING_NEW : level.w;
    return level;
}

__device__ __forceinline__ sweep_column column_of(const device_volume<float> &v, const sweep_task &task, int i, int j)
{
    sweep_column at = {i, j, i < v.n[0] && j < v.n[1], false, 0, 0, filter_slot(v, 1, j)};
    at.own = at.inside && i >= task.x0 && i < task.x1 && j >= task.y0 && j < task.y1;
    at.slot_x = i < v.low[0] ? i : v.high_x + i - (v.n[0] - v.high[0]);
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        at.layer_x |= i + c < v.n[0] && filter_slot(v, 0, i + c) >= 0 ? 1 << c : 0;
    }
    return at;
}

template <int STEPS, int MASK>
__device__ __forceinline__ void sweep(const device_volume<float> &v, const sweep_pass<float> &pass,
                                      const sweep_task &given, four *shared)
{
    const sweep_task task = given;
    const int t = (int)threadIdx.x, row = t / LANES, i = task.x + CELLS * (t % LANES), j = task.y + row,
              active = (task.rows * LANES + 31) / 32 * 32;
    if (t >= active) {
        return;
    }
    const sweep_column at = column_of(v, task, i, j);
    const int first = max(task.z0 - STEPS, 0), bottom = first - STEPS, count = task.z1 + STEPS - bottom;
    int4 *const levels = (int4 *)(shared + LANES * sweep_rows(STEPS, MASK) * sweep_quads(STEPS));
    uint64_t *const barrier = (uint64_t *)(levels + count);
    for (int n = t; n < count; n += active) {
        levels[n] = level_of<STEPS>(v, pass, bottom, n);
    }
    if (t == 0) {
        shared_barrier_create(barrier, active / 32);
    }
    if (t == 0) {
        *(sweep_task *)(levels + count + 1) = task;
    }
    const sweep_filters<MASK> filters(v, task, at, (four *)(levels + count + 1 + TASK), bottom, count, active);
    block_barrier(active);
    sweep_block<STEPS, MASK> block = {
        v, pass, *(const sweep_task *)(levels + count + 1), shared, levels, barrier, filters, bottom, at, t, active};
    block.above = t + LANES < active ? t + LANES : t;
    block.below = row > 0 ? t - LANES : t;
    block.to_wall = v.n[0] - i;
    block.place = at.inside ? (size_t)j * v.pitch + i : 0;
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        block.middle[s] = {};
#pragma unroll
        for (int c = 0; c < 3; c++) {
            block.behind[s][c] = {};
        }
    }
    block.go();
}

/* Whether all columns that a tile owns are at rest: no longer and wider than a brick, it meets four at most. */
__device__ __forceinline__ bool rests(const device_rest &rest, const sweep_task &task)
{
    return is_at_rest(rest, task.x0, task.y0) && is_at_rest(rest, task.x1 - 1, task.y0) &&
           is_at_rest(rest, task.x0, task.y1 - 1) && is_at_rest(rest, task.x1 - 1, task.y1 - 1);
}

/* Threads of a block: with walls fewer, each of which needs more registers. Warps without rows leave at once. */
template <bool WALLS> constexpr int threads_of = LANES *(WALLS ? 24 : 32);

/* The tasks of one kind (volume_sweep.h) from number `first` on. A kernel of the next kind begins when all blocks of
 * this one have begun; it has a block more, which waits for this one's end, so that it ends last. */
template <int STEPS>
__global__ void __launch_bounds__(threads_of<true>, 1)
    sweep_walls(const __grid_constant__ device_volume<float> v, const __grid_constant__ sweep_pass<float> pass,
                int first)
{
    extern __shared__ four shared[];
    device_trigger_dependent_launch();
    if (first > 0 && blockIdx.x == gridDim.x - 1) {
        return device_wait_for_previous();
    }
    const sweep_task &task = pass.tasks[first + blockIdx.x];
    if (rests(pass.rest, task)) {
        return;
    }
    switch (task.walls) {
    case 1:
        return sweep<STEPS, 1>(v, pass, task, shared);
    case 2:
        return sweep<STEPS, 2>(v, pass, task, shared);
    case 3:
        return sweep<STEPS, 3>(v, pass, task, shared);
    case 4:
        return sweep<STEPS, 4>(v, pass, task, shared);
    case 5:
        return sweep<STEPS, 5>(v, pass, task, shared);
    default:
        return sweep<STEPS, 7>(v, pass, task, shared);
    }
}

template <int STEPS>
__global__ void __launch_bounds__(threads_of<false>, 1)
    sweep_inner(const __grid_constant__ device_volume<float> v, const __grid_constant__ sweep_pass<float> pass,
                int first)
{
    extern __shared__ four shared[];
    device_trigger_dependent_launch();
    if (first > 0 && blockIdx.x == gridDim.x - 1) {
        return device_wait_for_previous();
    }
    const sweep_task &task = pass.tasks[first + blockIdx.x];
    if (!rests(pass.rest, task)) {
        sweep<STEPS, 0>(v, pass, task, shared);
    }
}

/* After everything before it in the stream. */
template <auto KERNEL>
pw_status launch_first(const launch_shape &shape, cudaStream_t stream, pw_error *error,
                       const device_volume<float> &volume, const sweep_pass<float> &pass)
{
    TRY(allow_shared_memory<KERNEL>(error));
    KERNEL<<<shape.blocks, shape.threads, shape.shared_bytes, stream>>>(volume, pass, 0);
    CUDA_LAUNCHED("sweep");
    return PW_OK;
}

/* Long tasks first, small ones last, so that the multiprocessors end together. */
template <int STEPS>
pw_status launch_sweep(const device_volume<float> &volume, const sweep_pass<float> &pass, cudaStream_t stream,
                       pw_error *error)
{
    const size_t bytes = sizeof(four) * (threads_of<false> * sweep_quads(STEPS) + LEVELS + 1 + TASK);
    const launch_shape walls = {dim3(1), threads_of<true>, SWEEP_SHARED}, inner = {dim3(1), threads_of<false>, bytes};
    int first = 0;
    for (int kind = 0; kind < SWEEP_KINDS; kind++) {
        launch_shape shape = kind == SWEEP_INNER ? inner : walls;
        shape.blocks = dim3(pass.task_count[kind] + (first > 0 ? 1 : 0));
        if (pass.task_count[kind] == 0) {
            continue;
        }
        if (first == 0) {
            TRY(kind == SWEEP_INNER ? launch_first<sweep_inner<STEPS>>(shape, stream, error, volume, pass)
                                    : launch_first<sweep_walls<STEPS>>(shape, stream, error, volume, pass));
        } else {
            TRY(kind == SWEEP_INNER
                    ? launch_dependent<sweep_inner<STEPS>>("sweep_inner", shape, stream, error, volume, pass, first)
                    : launch_dependent<sweep_walls<STEPS>>("sweep_walls", shape, stream, error, volume, pass, first));
        }
        first += pass.task_count[kind];
    }
    return PW_OK;
}

} // namespace

pw_status volume_sweep(const device_volume<float> &volume, int steps, const sweep_pass<float> &pass,
                       cudaStream_t stream, pw_error *error)
{
    switch (steps) {
    case 2:
        return launch_sweep<2>(volume, pass, stream, error);
    case 3:
        return launch_sweep<3>(volume, pass, stream, error);
    default:
        return fail(error, PW_USAGE, "no kernel for %d steps a pass in three dimensions", steps);
    }
}
