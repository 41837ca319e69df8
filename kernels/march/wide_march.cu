/* The wide stencils (fd4, dd2, fd6, fd8, dd3, dd4): a block owns a strip of 512 columns, 4 a thread, and marches along
 * y with the rows that the stencil reaches in a register window, so that neighbours in y cost no memory access.
 * Neighbours in x come from one row in shared memory, read 16 bytes at a time. With DEPTH levels one pass over memory
 * makes DEPTH steps; level t lags RINGS rows behind level t-1 and keeps its increments in shared memory until they are
 * due. Leaves out: absorber, walls, sources and probes (wide_border.cu). */
#include <cuda_pipeline.h>

#include "kernels/common/device.h"
#include "kernels/tuning.h"

namespace
{

constexpr int WIDE_THREADS = 32 * WIDE_WARPS, WIDE_COLUMNS = 4 * WIDE_THREADS;

__host__ __device__ constexpr int wide_halo(int rings, int depth)
{
    return (rings * depth + 3) / 4 * 4;
}

struct quad {
    float x[4];
};

__device__ __forceinline__ quad load_quad(const float *from)
{
    float4 f = *(const float4 *)from;
    return {{f.x, f.y, f.z, f.w}};
}

__device__ __forceinline__ void store_quad(float *to, const quad &q)
{
    *(float4 *)to = make_float4(q.x[0], q.x[1], q.x[2], q.x[3]);
}

/* L Ez of four nodes: `row` is the shared row at the first of them, window[centre] the nodes, window[centre +- m] those
 * around in y. */
template <int RINGS, int HELD>
__device__ __forceinline__ quad cross_of(const device_problem<float> &p, const float *row, const quad (&window)[HELD],
                                         int centre)
{
    constexpr int SIDE = (RINGS + 3) / 4;
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
    for (int m = 2; m <= RINGS; m++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int at = 4 * SIDE + k;
            lap.x[k] = cell_cross_add(lap.x[k], p.ring[m - 1], x[at - m], x[at + m], window[centre - m].x[k],
                                      window[centre + m].x[k]);
        }
    }
    return lap;
}

__device__ __forceinline__ size_t row_of(int y, int last)
{
    return (size_t)min(max(y, 0), last);
}

/* Of a block: the centre rows of an iteration, twice so that one barrier each is enough, and the increments that wait.
 */
template <int RINGS, int DEPTH, int UNROLL> struct wide_memory {
    float rows[2][DEPTH][UNROLL][WIDE_COLUMNS + 2 * wide_halo(RINGS, 1)];
    float e[2][UNROLL][WIDE_COLUMNS],
        v[2][UNROLL][WIDE_COLUMNS]; /* rows on their way from memory, one iteration ahead */
    uint16_t material[2][UNROLL][DEPTH][WIDE_COLUMNS];
    float delayed[DEPTH > 1 ? DEPTH - 1 : 1][DEPTH > 1 ? RINGS + 1 : 1][DEPTH > 1 ? WIDE_COLUMNS : 4];
};

template <int RINGS, int DEPTH, int UNROLL, int BLOCKS, bool SHARED>
__global__ void __launch_bounds__(WIDE_THREADS, BLOCKS)
    wide_march_kernel(device_problem<float> p, device_fields<float> in, device_fields<float> out, march_plan plan)
{
    constexpr int HALO = wide_halo(RINGS, DEPTH), COLUMNS = WIDE_COLUMNS - 2 * HALO, HELD = 2 * RINGS + UNROLL;
    constexpr int GUARD = wide_halo(RINGS, 1), DELAY = RINGS + 1;
    static_assert(UNROLL <= RINGS, "all centre rows of an iteration must be there when it begins");
    typedef wide_memory<RINGS, DEPTH, UNROLL> memory;
    extern __shared__ float4 shared_memory[];
    device_trigger_dependent_launch(); /* the next pass' frame, which waits for this one before it touches a field */
    memory &shared = *(memory *)shared_memory;
    auto &rows = shared.rows;
    auto &delayed = shared.delayed;
    float2 *shared_palette = (float2 *)(&shared + 1);
    if (SHARED) {
        for (int k = threadIdx.x; k < p.palette_count; k += WIDE_THREADS) {
            shared_palette[k] = p.palette[k];
        }
    }
    const float2 *palette = SHARED ? shared_palette : p.palette;
    for (int k = threadIdx.x; k < (int)(sizeof rows / sizeof(float)); k += WIDE_THREADS) {
        (&rows[0][0][0][0])[k] = 0; /* the guards are read at the ends of the strip */
    }
    __syncthreads();
    int own = 4 * threadIdx.x;
    int x = min(plan.x0 + (int)blockIdx.x * COLUMNS, plan.x1 - COLUMNS) - HALO + own;
    int y0 = plan.y0 + blockIdx.y * plan.rows, y1 = min(y0 + plan.rows, plan.y1);
    bool writes = own >= HALO && own < WIDE_COLUMNS - HALO;
    size_t run = (size_t)blockIdx.z * p.cells;
    const float *e_in = in.e + run + x, *v_in = in.v + run + x;
    const uint16_t *material = p.material + x;
    float air = p.palette[0].y;
    int last = y1 - 1 + DEPTH * RINGS;

    quad window[DEPTH][HELD]; /* of level t: rows r - t RINGS - 2 RINGS .. r - t RINGS + UNROLL - 1 */
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            window[t][k] = {{0, 0, 0, 0}};
        }
    }
    /* The first rows come straight into the window: no level has anything to do before they are there. */
    int r = y0 - (DEPTH - 2) * RINGS, parity = 0, slot = 0, skip_row = -1;
#pragma unroll
    for (int k = 0; k < 2 * RINGS; k++) {
        window[0][k] = load_quad(e_in + (size_t)(r - 2 * RINGS + k) * p.pitch);
    }
    bool skipped = false;
    /* Each thread copies and reads its own columns: no barrier, only order. */
    auto fetch = [&](int half, int row) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            __pipeline_memcpy_async(&shared.e[half][u][own], e_in + row_of(row + u, last) * p.pitch, 16);
            __pipeline_memcpy_async(&shared.v[half][u][own], v_in + row_of(row + u - RINGS, last) * p.pitch, 16);
#pragma unroll
            for (int t = 0; t < DEPTH; t++) {
                __pipeline_memcpy_async(&shared.material[half][u][t][own],
                                        material + row_of(row + u - (t + 1) * RINGS, last) * p.pitch, 8);
            }
        }
        __pipeline_commit();
    };
    fetch(0, r);
    for (; r <= last; r += UNROLL) {
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                store_quad(&rows[parity][t][u][GUARD + own], window[t][RINGS + u]);
            }
        }
        fetch(parity ^ 1, r + UNROLL);
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            window[0][2 * RINGS + u] = load_quad(&shared.e[parity][u][own]);
            quad v = load_quad(&shared.v[parity][u][own]);
#pragma unroll
            for (int t = 0; t < DEPTH; t++) {
                int y = r + u - (t + 1) * RINGS;
                uint2 m = *(const uint2 *)&shared.material[parity][u][t][own];
                if (t >
                    0) { /* the increments of level t at row y were made RINGS rows ago; its newest go where they lay */
                    int due = slot + 1 == DELAY ? 0 : slot + 1;
                    quad newest = v;
                    v = load_quad(&delayed[t - 1][due][own]);
                    store_quad(&delayed[t - 1][slot][own], newest);
                }
                quad lap = cross_of<RINGS>(p, &rows[parity][t][u][GUARD + own], window[t], RINGS + u);
                if (!__any_sync(0xffffffffu, (m.x | m.y) != 0)) {
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        v.x[k] = fmaf(air, lap.x[k], v.x[k]);
                    }
                } else {
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        unsigned pair = k < 2 ? m.x : m.y;
                        float2 c = palette[k % 2 == 0 ? pair & 0xffffu : pair >> 16];
                        v.x[k] = cell_increment(v.x[k], lap.x[k], c.x, c.y);
                    }
                }
                quad e;
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    e.x[k] = window[t][RINGS + u].x[k] + v.x[k];
                }
                if (t + 1 < DEPTH) {
                    window[t + 1 < DEPTH ? t + 1 : 0][2 * RINGS + u] = e;
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
                    }
                }
            }
            slot = slot + 1 == DELAY ? 0 : slot + 1;
        }
        parity ^= 1;
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
#pragma unroll
            for (int k = 0; k < 2 * RINGS; k++) {
                window[t][k] = window[t][k + UNROLL];
            }
        }
    }
    __pipeline_wait_prior(0);
    device_end_after_previous();
}

template <int RINGS, int DEPTH, int UNROLL, int BLOCKS>
pw_status launch(const device_problem<float> &p, const device_fields<float> &in, const device_fields<float> &out,
                 const march_plan &plan, cudaStream_t stream, pw_error *error)
{
    constexpr int COLUMNS = WIDE_COLUMNS - 2 * wide_halo(RINGS, DEPTH);
    dim3 blocks((plan.x1 - plan.x0 + COLUMNS - 1) / COLUMNS, (plan.y1 - plan.y0 + plan.rows - 1) / plan.rows,
                plan.runs);
    size_t bytes = sizeof(wide_memory<RINGS, DEPTH, UNROLL>);
    if (p.palette_count <= MARCH_PALETTE) {
        bytes += sizeof(float2) * p.palette_count;
        return launch_beside<wide_march_kernel<RINGS, DEPTH, UNROLL, BLOCKS, true>>(
            "wide_march_kernel", blocks, WIDE_THREADS, bytes, stream, error, p, in, out, plan);
    }
    return launch_beside<wide_march_kernel<RINGS, DEPTH, UNROLL, BLOCKS, false>>(
        "wide_march_kernel", blocks, WIDE_THREADS, bytes, stream, error, p, in, out, plan);
}

} // namespace

int wide_march_depth(int rings, int64_t steps, int limit)
{
    int deepest = rings == 5 ? 4 : rings == 7 ? 3 : 2;
    for (int depth = deepest; depth > 0; depth--) {
        if (depth <= steps && depth <= limit) {
            return depth;
        }
    }
    return 0;
}

int wide_march_columns(int rings, int depth)
{
    return WIDE_COLUMNS - 2 * wide_halo(rings, depth);
}

int wide_march_blocks(int rings, int depth)
{
    return depth > 1 ? (rings == 3 ? 3 : 2) : (rings <= 5 ? 4 : 3);
}

pw_status wide_march(const device_problem<float> &problem, const device_fields<float> &in,
                     const device_fields<float> &out, const march_plan &plan, int depth, cudaStream_t stream,
                     pw_error *error)
{
    switch (100 * problem.rings + 10 * depth + (plan.variant == 1)) {
    case 310:
    case 311:
        return launch<3, 1, 3, 4>(problem, in, out, plan, stream, error);
    case 320:
    case 321:
        return launch<3, 2, 3, 3>(problem, in, out, plan, stream, error);
    case 510:
    case 511:
        return launch<5, 1, 4, 4>(problem, in, out, plan, stream, error);
    case 520:
        return launch<5, 2, 4, 2>(problem, in, out, plan, stream, error);
    case 521:
        return launch<5, 2, 2, 3>(problem, in, out, plan, stream, error);
    case 530:
        return launch<5, 3, 2, 2>(problem, in, out, plan, stream, error);
    case 531:
        return launch<5, 3, 2, 3>(problem, in, out, plan, stream, error);
    case 540:
    case 541:
        return launch<5, 4, 2, 2>(problem, in, out, plan, stream, error);
    case 710:
    case 711:
        return launch<7, 1, 4, 3>(problem, in, out, plan, stream, error);
    case 720:
        return launch<7, 2, 2, 2>(problem, in, out, plan, stream, error);
    case 721:
        return launch<7, 2, 4, 2>(problem, in, out, plan, stream, error);
    case 730:
    case 731:
        return launch<7, 3, 2, 2>(problem, in, out, plan, stream, error);
    case 910:
        return launch<9, 1, 4, 3>(problem, in, out, plan, stream, error);
    case 911:
        return launch<9, 1, 4, 2>(problem, in, out, plan, stream, error);
    case 921:
        return launch<9, 2, 4, 2>(problem, in, out, plan, stream, error);
    case 920:
        return launch<9, 2, 2, 2>(problem, in, out, plan, stream, error);
    default:
        return fail(error, PW_USAGE, "no march of depth %d for %d rings", depth, problem.rings);
    }
}
