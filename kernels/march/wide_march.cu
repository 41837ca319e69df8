/* The march of the wide stencils (fd4, dd2, fd6, fd8, dd3, dd4). Block (s, c, r) takes strip s of 512 columns and chunk
 * c of `rows` rows of run r; thread t of it owns columns x + 4 t .. x + 4 t + 3 and marches along y with the rows that
 * the stencil reaches in a register window, so that neighbours in y cost no memory access. Neighbours in x come from
 * one row in shared memory, 16 bytes at a time. With DEPTH levels one pass over memory makes DEPTH steps; level t lags
 * TAPS rows behind level t-1:
 *
 *        time level        0           1           2 = DEPTH         (TAPS = 3, one row at a time)
 *       y  row r           N                                 comes from memory
 *       ^  row r-1         W                                 W: the window of a level, 2 TAPS rows in registers
 *       |  row r-2         W
 *       |  row r-3         C           N                     C: the centre row, in registers and in shared memory;
 *       |  row r-4         W           W                     from it and the window comes row N of the next level
 *       |  row r-5         W           W
 *       |  row r-6         W           C           E         E: goes to memory, two steps further
 *       |  row r-7                     W
 *
 * UNROLL rows come at a time; the increments of a level wait in shared memory for TAPS rows until they are due. Strips
 * and chunks overlap and recompute what they share. Leaves out: absorber, walls, sources and probes, which a border
 * does beside the march (march_border.cu), and dispersive nodes (march_poles.h). */
#include <cuda_pipeline.h>

#include <algorithm>

#include "kernels/common/dependent_launch.h"
#include "kernels/common/quad.h"
#include "kernels/march/march.h"
#include "kernels/march/march_metal.h"
#include "kernels/tuning.h"

namespace
{

constexpr int WIDE_THREADS = 32 * WIDE_WARPS, WIDE_COLUMNS = 4 * WIDE_THREADS;

__host__ __device__ constexpr int wide_halo(int taps, int depth)
{
    return (taps * depth + 3) / 4 * 4;
}

/* L Ez of four nodes: `row` is the shared row at the first of them, window[centre] the nodes, window[centre +- m]
 * their neighbours in y. */
template <int TAPS, int HELD>
__device__ __forceinline__ quad cross_of(const device_problem<float> &p, const float *row, const quad (&window)[HELD],
                                         int centre)
{
    constexpr int SIDE = (TAPS + 3) / 4;
    float x[4 * (2 * SIDE + 1)];
#pragma unroll
    for (int q = 0; q < 2 * SIDE + 1; q++) {
        quad read = q == SIDE ? window[centre] : load_quad(row + 4 * (q - SIDE));
#pragma unroll
        for (int k = 0; k < 4; k++) {
            x[4 * q + k] = read.x[k];
        }
    }
    quad lap;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int at = 4 * SIDE + k;
        lap.x[k] = cell_cross(p.centre2, x[at], x[at - 1], x[at + 1], window[centre - 1].x[k], window[centre + 1].x[k]);
    }
#pragma unroll
    for (int m = 2; m <= TAPS; m++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int at = 4 * SIDE + k;
            lap.x[k] = cell_cross_add(lap.x[k], p.laplacian[m - 1], x[at - m], x[at + m], window[centre - m].x[k],
                                      window[centre + m].x[k]);
        }
    }
    return lap;
}

__device__ __forceinline__ size_t row_of(int y, int last)
{
    return (size_t)min(max(y, 0), last);
}

/* Shared memory of a block: the centre rows of an iteration, twice so that one barrier an iteration is enough, and the
 * increments that wait. */
template <int TAPS, int DEPTH, int UNROLL> struct wide_memory {
    float rows[2][DEPTH][UNROLL][WIDE_COLUMNS + 2 * wide_halo(TAPS, 1)];
    float e[2][UNROLL][WIDE_COLUMNS],
        v[2][UNROLL][WIDE_COLUMNS]; /* rows on their way from memory, one iteration ahead */
    uint16_t indices[2][UNROLL][DEPTH][WIDE_COLUMNS];
    float delayed[DEPTH > 1 ? DEPTH - 1 : 1][DEPTH > 1 ? TAPS + 1 : 1][DEPTH > 1 ? WIDE_COLUMNS : 4];
};

/* Rows of what poles remember: those under way and those of the next iteration; whole iterations. */
__host__ __device__ constexpr int pole_ring(int taps, int depth, int unroll)
{
    return ((depth - 1) * taps + 3 * unroll - 1) / unroll * unroll;
}

/* Where it begins, behind the coefficients. */
__host__ __device__ __forceinline__ size_t pole_memory(size_t memory, int coefficient_count)
{
    return (memory + sizeof(float2) * coefficient_count + 15) / 16 * 16;
}

/* ---- the phases of the march, in the order in which the kernel calls them ---- */

/* The table of coefficients, into shared memory. */
__device__ __forceinline__ void coefficients_load(const device_problem<float> &p, float2 *shared_coefficients)
{
    for (int k = threadIdx.x; k < p.coefficient_count; k += WIDE_THREADS) {
        shared_coefficients[k] = p.coefficients[k];
    }
}

/* The guards of the rows, which are read at the ends of the strip, hold nothing. */
template <typename Memory> __device__ __forceinline__ void guards_clear(Memory &rows)
{
    for (int k = threadIdx.x; k < (int)(sizeof rows / sizeof(float)); k += WIDE_THREADS) {
        (&rows[0][0][0][0])[k] = 0;
    }
}

/* Asks which quads of the iteration that begins with row y have special nodes (march_metal.h, march_poles.h). */
template <int SPECIAL, int TAPS, int UNROLL, typename Special>
__device__ __forceinline__ void groups_ask(const Special &special, int y, int last, uint2 (&coming)[UNROLL])
{
    if constexpr (SPECIAL != NO_POLES) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            coming[u] = special.ask((int)row_of(y + u - TAPS, last));
        }
    }
}

/* Asks for what those nodes remember, which comes into the ring from `place` on, and adds them to `kept`. */
template <int SPECIAL, int UNROLL, typename Special>
__device__ __forceinline__ void special_fetch(const Special &special, int place, const uint2 (&coming)[UNROLL],
                                              unsigned &kept)
{
    if constexpr (SPECIAL != NO_POLES) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            kept = (kept << 1) | special.fetch(place + u, coming[u]);
        }
    }
}

/* The centre rows of an iteration, for the neighbours in x. */
template <int TAPS, int UNROLL, int DEPTH, int HELD, int LENGTH>
__device__ __forceinline__ void centres_store(const quad (&window)[DEPTH][HELD], float (&rows)[DEPTH][UNROLL][LENGTH],
                                              int at)
{
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            store_quad(&rows[t][u][at], window[t][TAPS + u]);
        }
    }
}

/* The increments that a level has just made wait for the one behind it; those that were made TAPS rows ago are due. */
template <int DELAY, int COLUMNS>
__device__ __forceinline__ quad increments_pass(float (&delayed)[DELAY][COLUMNS], int slot, int own, const quad &newest)
{
    int due = slot + 1 == DELAY ? 0 : slot + 1;
    const quad v = load_quad(&delayed[due][own]);
    store_quad(&delayed[slot][own], newest);
    return v;
}

template <int TAPS, int DEPTH, int UNROLL, int BLOCKS, bool SHARED, int SPECIAL>
__global__ void __launch_bounds__(WIDE_THREADS, BLOCKS)
    wide_march_kernel(device_problem<float> p, device_fields<float> in, device_fields<float> out, march_plan plan)
{
    constexpr int HALO = wide_halo(TAPS, DEPTH), COLUMNS = WIDE_COLUMNS - 2 * HALO, HELD = 2 * TAPS + UNROLL;
    constexpr int GUARD = wide_halo(TAPS, 1), DELAY = TAPS + 1;
    static_assert(UNROLL <= TAPS, "all centre rows of an iteration must be there when it begins");
    typedef wide_memory<TAPS, DEPTH, UNROLL> memory;
    extern __shared__ float4 shared_memory[];
    device_trigger_dependent_launch(); /* the next pass' border, which waits for this one before it touches a field */
    memory &shared = *(memory *)shared_memory;
    auto &rows = shared.rows;
    auto &delayed = shared.delayed;
    float2 *shared_coefficients = (float2 *)(&shared + 1);
    if (SHARED) {
        coefficients_load(p, shared_coefficients);
    }
    const float2 *table = SHARED ? shared_coefficients : p.coefficients;
    guards_clear(rows);
    __syncthreads();
    int own = 4 * threadIdx.x;
    int x = min(plan.x0 + (int)blockIdx.x * COLUMNS, plan.x1 - COLUMNS) - HALO + own;
    int y0 = plan.y0 + blockIdx.y * plan.rows, y1 = min(y0 + plan.rows, plan.y1);
    bool writes = own >= HALO && own < WIDE_COLUMNS - HALO;
    size_t run = (size_t)blockIdx.z * p.cells;
    const float *e_in = in.e + run + x, *v_in = in.v + run + x;
    const uint16_t *indices = p.coefficient_index + x;
    float air = p.coefficients[0].y;
    int last = y1 - 1 + DEPTH * TAPS;

    quad window[DEPTH][HELD]; /* of level t: rows r - t TAPS - 2 TAPS .. r - t TAPS + UNROLL - 1 */
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            window[t][k] = {{0, 0, 0, 0}};
        }
    }
    /* The first rows come straight into the window: no level has anything to do before they are there. */
    int r = y0 - (DEPTH - 2) * TAPS, parity = 0, slot = 0, skip_row = -1;
#pragma unroll
    for (int k = 0; k < 2 * TAPS; k++) {
        window[0][k] = load_quad(e_in + (size_t)(r - 2 * TAPS + k) * p.pitch);
    }
    bool skipped = false;
    /* Each thread copies and reads its own columns: no barrier, only order. */
    auto fetch = [&](int half, int row) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            __pipeline_memcpy_async(&shared.e[half][u][own], e_in + row_of(row + u, last) * p.pitch, 16);
            __pipeline_memcpy_async(&shared.v[half][u][own], v_in + row_of(row + u - TAPS, last) * p.pitch, 16);
#pragma unroll
            for (int t = 0; t < DEPTH; t++) {
                __pipeline_memcpy_async(&shared.indices[half][u][t][own],
                                        indices + row_of(row + u - (t + 1) * TAPS, last) * p.pitch, 8);
            }
        }
        __pipeline_commit();
    };
    /* Row r - TAPS of an iteration, the first of level 0, is in place `ring` of the poles' rows. */
    constexpr int RING = pole_ring(TAPS, DEPTH, UNROLL);
    const auto special =
        special_nodes<SPECIAL>(plan,
                               (char *)shared_memory + pole_memory(sizeof(memory), p.coefficient_count) +
                                   threadIdx.x / 32 * pole_warp_bytes(RING, plan.poles.planes),
                               x, blockIdx.z);
    constexpr bool KEEP = TAPS < 9; /* numbers of media; else there are not enough registers */
    pole_media media;
    uint2 coming[UNROLL]; /* groups of the rows that level 0 takes in the next iteration but one */
    unsigned kept = 0;    /* bit k: this thread's quad has special nodes in row r - TAPS + 2 UNROLL - 1 - k */
    int ring = 0;
    groups_ask<SPECIAL, TAPS>(special, r, last, coming);
    special_fetch<SPECIAL>(special, 0, coming, kept);
    fetch(0, r);
    groups_ask<SPECIAL, TAPS>(special, r + UNROLL, last, coming);
    for (; r <= last; r += UNROLL) {
        centres_store<TAPS, UNROLL>(window, rows[parity], GUARD + own);
        const int following = ring + UNROLL == RING ? 0 : ring + UNROLL;
        special_fetch<SPECIAL>(special, following, coming, kept);
        fetch(parity ^ 1, r + UNROLL);
        groups_ask<SPECIAL, TAPS>(special, r + 2 * UNROLL, last, coming);
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            window[0][2 * TAPS + u] = load_quad(&shared.e[parity][u][own]);
            quad v = load_quad(&shared.v[parity][u][own]);
#pragma unroll
            for (int t = 0; t < DEPTH; t++) {
                int y = r + u - (t + 1) * TAPS;
                uint2 m = *(const uint2 *)&shared.indices[parity][u][t][own];
                if (t > 0) {
                    v = increments_pass(delayed[t - 1], slot, own, v);
                }
                int place = ring + u - t * TAPS;
                place = place < 0 ? place + RING : place;
                const bool apart = SPECIAL != NO_POLES && (kept >> (2 * UNROLL - 1 - u + t * TAPS) & 1u) != 0;
                const quad before = v;
                pole_media anew;
                quad state;
                if constexpr (has_poles(SPECIAL)) {
                    special.template prepare<KEEP>(apart, place, before, KEEP ? media : anew, state);
                }
                quad lap = cross_of<TAPS>(p, &rows[parity][t][u][GUARD + own], window[t], TAPS + u);
                if (!__any_sync(0xffffffffu, (m.x | m.y) != 0)) {
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        v.x[k] = fmaf(air, lap.x[k], v.x[k]);
                    }
                } else {
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        unsigned pair = k < 2 ? m.x : m.y;
                        float2 c = table[k % 2 == 0 ? pair & 0xffffu : pair >> 16];
                        v.x[k] = cell_increment(v.x[k], lap.x[k], c.x, c.y);
                    }
                }
                if constexpr (SPECIAL == METAL_ROWS) {
                    if (apart) {
                        special.template add_far<TAPS>(y, &rows[parity][t][u][GUARD + own], window[t], TAPS + u, v);
                    }
                }
                quad e;
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    e.x[k] = window[t][TAPS + u].x[k] + v.x[k];
                }
                if constexpr (has_poles(SPECIAL)) {
                    special.template finish<KEEP>(apart, place, before, KEEP ? media : anew, state, v, e);
                }
                if (t + 1 < DEPTH) {
                    window[t + 1 < DEPTH ? t + 1 : 0][2 * TAPS + u] = e;
                } else if (y >= y0 && y < y1 && writes) {
                    if (y >> 5 != skip_row) {
                        skip_row = y >> 5;
                        skipped =
                            plan.skip != NULL &&
                            plan.skip[blockIdx.z * plan.skip_run_stride + skip_row * plan.skip_pitch + (x >> 5)] != 0;
                    }
                    if (!skipped) {
                        size_t at = run + (size_t)y * p.pitch + x;
                        store_quad(out.e + at, e);
                        store_quad(out.v + at, v);
                        special.store(apart, place);
                    }
                }
            }
            slot = slot + 1 == DELAY ? 0 : slot + 1;
        }
        parity ^= 1;
        ring = following;
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
#pragma unroll
            for (int k = 0; k < 2 * TAPS; k++) {
                window[t][k] = window[t][k + UNROLL];
            }
        }
    }
    __pipeline_wait_prior(0);
    device_wait_for_previous();
}

/* Shared memory of a block with dispersive nodes. */
template <int TAPS, int DEPTH, int UNROLL> size_t pole_bytes(int coefficient_count, int planes)
{
    return pole_memory(sizeof(wide_memory<TAPS, DEPTH, UNROLL>), coefficient_count) +
           WIDE_WARPS * pole_warp_bytes(pole_ring(TAPS, DEPTH, UNROLL), planes);
}

/* Without dispersive nodes: the coefficients in shared memory where they find room. */
template <int TAPS, int DEPTH, int UNROLL, int BLOCKS, int SPECIAL>
pw_status launch_special(const device_problem<float> &p, const pass<float> &pass, const march_plan &plan, dim3 blocks,
                         pw_error *error)
{
    const size_t bytes = sizeof(wide_memory<TAPS, DEPTH, UNROLL>);
    if (p.coefficient_count <= MARCH_COEFFICIENTS) {
        const launch_shape shape = {blocks, WIDE_THREADS, bytes + sizeof(float2) * p.coefficient_count};
        return launch_dependent<wide_march_kernel<TAPS, DEPTH, UNROLL, BLOCKS, true, SPECIAL>>(
            "wide_march_kernel", shape, pass.stream, error, p, pass.in, pass.out, plan);
    }
    return launch_dependent<wide_march_kernel<TAPS, DEPTH, UNROLL, BLOCKS, false, SPECIAL>>(
        "wide_march_kernel", {blocks, WIDE_THREADS, bytes}, pass.stream, error, p, pass.in, pass.out, plan);
}

template <int TAPS, int DEPTH, int UNROLL, int BLOCKS>
pw_status launch(const device_problem<float> &p, const pass<float> &pass, const march_plan &plan, pw_error *error)
{
    constexpr int COLUMNS = WIDE_COLUMNS - 2 * wide_halo(TAPS, DEPTH);
    dim3 blocks((plan.x1 - plan.x0 + COLUMNS - 1) / COLUMNS, (plan.y1 - plan.y0 + plan.rows - 1) / plan.rows,
                plan.runs);
    if (plan.poles.count > 0) { /* with coefficients in shared memory: pole_bytes, march_solver.cu */
        const size_t bytes = pole_bytes<TAPS, DEPTH, UNROLL>(p.coefficient_count, plan.poles.planes);
        const launch_shape shape = {blocks, WIDE_THREADS, bytes};
        return plan.poles.debye ? launch_dependent<wide_march_kernel<TAPS, DEPTH, UNROLL, BLOCKS, true, DEBYE_POLES>>(
                                      "wide_march_kernel", shape, pass.stream, error, p, pass.in, pass.out, plan)
                                : launch_dependent<wide_march_kernel<TAPS, DEPTH, UNROLL, BLOCKS, true, ANY_POLES>>(
                                      "wide_march_kernel", shape, pass.stream, error, p, pass.in, pass.out, plan);
    }
    return plan.metal.count > 0 ? launch_special<TAPS, DEPTH, UNROLL, BLOCKS, METAL_ROWS>(p, pass, plan, blocks, error)
                                : launch_special<TAPS, DEPTH, UNROLL, BLOCKS, NO_POLES>(p, pass, plan, blocks, error);
}

/* CASE(taps, depth, rows at a time, blocks a multiprocessor) for every depth that there is. */
#define WIDE_DEPTHS(CASE)                                                                                              \
    CASE(3, 1, 3, 4)                                                                                                   \
    CASE(3, 2, 3, 3)                                                                                                   \
    CASE(3, 3, 2, 3)                                                                                                   \
    CASE(3, 4, 2, 2)                                                                                                   \
    CASE(5, 1, 4, 4)                                                                                                   \
    CASE(5, 2, 4, 2)                                                                                                   \
    CASE(5, 3, 2, 2)                                                                                                   \
    CASE(5, 4, 2, 2)                                                                                                   \
    CASE(7, 1, 4, 3)                                                                                                   \
    CASE(7, 2, 2, 2)                                                                                                   \
    CASE(7, 3, 2, 2)                                                                                                   \
    CASE(9, 1, 4, 3)                                                                                                   \
    CASE(9, 2, 2, 2)

pw_status wide_launch(const device_problem<float> &p, const pass<float> &pass, const march_plan &plan, pw_error *error)
{
#define LAUNCH(TAPS, DEPTH, UNROLL, BLOCKS)                                                                            \
    case 10 * TAPS + DEPTH:                                                                                            \
        return launch<TAPS, DEPTH, UNROLL, BLOCKS>(p, pass, plan, error);
    switch (10 * p.laplacian_taps + pass.steps) {
        WIDE_DEPTHS(LAUNCH)
    default:
        return fail(error, PW_USAGE, "no march of depth %d for %d Laplacian taps", pass.steps, p.laplacian_taps);
    }
#undef LAUNCH
}

/* ---- what the solver asks ---------------------------------------------------------------------------------------- */

int wide_depth(int taps, int64_t steps, int limit)
{
    int deepest = taps == 9 ? 2 : taps == 3 || taps == 5 ? 4 : taps == 7 ? 3 : 0;
    return (int)std::max<int64_t>(0, std::min<int64_t>(deepest, std::min<int64_t>(steps, limit)));
}

/* Passes end on samples. */
int wide_sampled_depth(int taps, int64_t step, int64_t steps, int limit, int64_t every)
{
    return wide_depth(taps, std::min(steps, every - step % every), limit);
}

int wide_columns(int taps, int depth)
{
    return WIDE_COLUMNS - 2 * wide_halo(taps, depth);
}

int wide_tasks(int taps, int depth)
{
    return depth > 1 ? (taps == 3 && depth < 4 ? 3 : 2) : (taps <= 5 ? 4 : 3); /* blocks */
}

int wide_recomputed(int taps, int depth)
{
    return 2 * (depth - 1) * taps + 4;
}

int wide_deepest_that_pays(int taps, double cells)
{
    return taps == 3 && cells < MARCH_DEEP_CELLS ? 2 : 0;
}

int wide_deepest_with_poles(int taps)
{
    return taps <= 5 ? 3 : taps == 7 ? 2 : 0;
}

double wide_relative_cost(int taps, int depth)
{
    if (taps == 5) {
        return depth == 4 ? 1.0 : depth == 3 ? 1.05 : depth == 2 ? 1.25 : 2.7;
    }
    if (taps == 3) {
        return depth == 4 ? 1.0 : depth == 3 ? 1.15 : depth == 2 ? 1.57 : 2.9;
    }
    return depth == 3 ? 1.0 : depth == 2 ? 1.05 : 1.8;
}

size_t wide_pole_bytes(int taps, int depth, int coefficient_count, int planes)
{
#define BYTES(TAPS, DEPTH, UNROLL, BLOCKS)                                                                             \
    case 10 * TAPS + DEPTH:                                                                                            \
        return pole_bytes<TAPS, DEPTH, UNROLL>(coefficient_count, planes);
    switch (10 * taps + depth) {
        WIDE_DEPTHS(BYTES)
    default:
        return SIZE_MAX;
    }
#undef BYTES
}

double wide_node_ps(int taps)
{
    return MARCH_NODE_WIDE_PS + taps * MARCH_TAP_PS;
}

} // namespace

const struct march_kernel wide_march = {
    .depth = wide_depth,
    .sampled_depth = wide_sampled_depth,
    .samples_in_the_middle = false,
    .columns = wide_columns,
    .tasks = wide_tasks,
    .recomputed = wide_recomputed,
    .relative_cost = wide_relative_cost,
    .deepest_that_pays = wide_deepest_that_pays,
    .node_ps = wide_node_ps,
    .pole_bytes = wide_pole_bytes,
    .deepest_with_poles = wide_deepest_with_poles,
    .gains_together = false,
    .border = &wide_border,
    .launch = wide_launch,
};
