/* Temporal blocking for the five-point stencil (yee): every warp owns a strip of 128 columns, 4 a lane, and walks along y with DEPTH time
 * levels in registers, each one row behind the last. Neighbours in x come by shuffle, there is no block barrier. Strips overlap by the
 * halo and recompute it; neighbours in y are rows that passed just before. One pass over memory makes DEPTH steps.
 * Leaves out: absorber, walls, sources and probes, which tile.cu does around and inside of the output region. */
#include <cuda_pipeline.h>

#include "device.h"
#include "tuning.h"

namespace
{

/* Rows of four nodes a lane. */
struct row4 {
    float x[4];
};

__device__ __forceinline__ row4 load_row(const float4 *from)
{
    float4 f = *from;
    return {{f.x, f.y, f.z, f.w}};
}

__device__ __forceinline__ void store_row(float *to, const row4 &r)
{
    *(float4 *)to = make_float4(r.x[0], r.x[1], r.x[2], r.x[3]);
}

/* Coefficients of node k of a packed row of four palette entries of 16 bits; SHARED: as byte offsets into shared memory. */
template <bool SHARED> __device__ __forceinline__ float2 coefficients_of(const float2 *palette, uint2 material, int k)
{
    unsigned pair = k < 2 ? material.x : material.y, entry = k % 2 == 0 ? pair & 0xffffu : pair >> 16;
    return SHARED ? *(const float2 *)((const char *)palette + entry) : palette[entry];
}

/* One level: the row `centre` and its increment `v` by one step, given the rows on both sides. */
template <bool SOLID, bool SHARED>
__device__ __forceinline__ void advance_row(float centre2, float air, const float2 *palette, uint2 material,
                                            const row4 &south, const row4 &north, row4 &centre, row4 &v)
{
    float west = __shfl_up_sync(0xffffffffu, centre.x[3], 1), east = __shfl_down_sync(0xffffffffu, centre.x[0], 1);
    row4 lap;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        lap.x[k] = cell_cross(centre2, centre.x[k], k == 0 ? west : centre.x[k - 1], k == 3 ? east : centre.x[k + 1],
                              south.x[k], north.x[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (SOLID) {
            float2 c = coefficients_of<SHARED>(palette, material, k);
            v.x[k] = cell_increment(v.x[k], lap.x[k], c.x, c.y);
        } else { /* retention is one: retention v is v, to the bit */
            v.x[k] = fmaf(air, lap.x[k], v.x[k]);
        }
        centre.x[k] = centre.x[k] + v.x[k];
    }
}

template <int DEPTH> struct walk_levels {
    row4 south[DEPTH], centre[DEPTH], v[DEPTH]; /* of level t: rows r-t-2 and r-t-1, increment of row r-t-1 */
    uint2 material[DEPTH];                      /* of row r-t-1 */

    /* Takes row r of level 0 and hands back row r - DEPTH of level DEPTH. Without SOLID, rows r-1 .. r-DEPTH are all air. */
    template <bool SOLID, bool SHARED>
    __device__ __forceinline__ void take(float centre2, float air, const float2 *palette, row4 &north, row4 &north_v,
                                         uint2 north_material)
    {
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
            row4 next = centre[t], next_v = v[t];
            uint2 here = material[t];
            advance_row<SOLID, SHARED>(centre2, air, palette, here, south[t], north, next, next_v);
            south[t] = centre[t];
            centre[t] = north;
            v[t] = north_v;
            material[t] = north_material;
            north = next;
            north_v = next_v;
            north_material = here;
        }
    }
};

__host__ __device__ constexpr int halo_of(int depth)
{
    return (depth + 3) / 4 * 4;
}

/* Rows on their way from memory, each lane's own: asynchronous copies wait in order, where loads to registers would make one row wait
 * for those issued after it. */
enum {
    TURN = 3,
    SLOTS = 2 * TURN
}; /* rows in one turn of the unrolled loop; a copy is SLOTS - 1 rows ahead of its use */

struct row_slot {
    float4 e[32], v[32];
    uint2 material[32];
};

__device__ __forceinline__ void fetch_row(row_slot *slot, int lane, const float *e, const float *v,
                                          const uint16_t *material, size_t at)
{
    __pipeline_memcpy_async(&slot->e[lane], e + at, 16);
    __pipeline_memcpy_async(&slot->v[lane], v + at, 16);
    __pipeline_memcpy_async(&slot->material[lane], material + at, 8);
    __pipeline_commit();
}

/* A sample of the spectra that falls on a step of the pass: the rows of this strip, without those that a box writes. Rows come in order. */
struct sample_writer {
    const walk_plan &plan;
    int x, next, end; /* the lattice's next row here, and where its rows end */
    unsigned columns; /* bit k: node x + k is on the lattice */
    int skip_row;
    bool skipped;
    float *to; /* first column, next row */

    /* The sample `index` of the pass, in rows low .. high - 1. */
    __device__ sample_writer(const walk_plan &of, int index, int left, int low, int high, bool wanted)
        : plan(of), x(left), columns(0), skip_row(-1), skipped(false)
    {
        const device_spectra &s = plan.spectra;
        int rows_before = max(0, low - s.y0 + s.spacing - 1) / s.spacing;
        next = s.y0 + rows_before * s.spacing;
        end = min(high, s.y0 + s.rows * s.spacing);
        ptrdiff_t column = 0;
#pragma unroll
        for (int k = 3; k >= 0; k--) {
            int i = x + k - s.x0;
            /* beside a lattice of all nodes lies room for the rest of a quad */
            bool on = s.spacing == 1 ? x - s.x0 + s.lead >= 0 && x - s.x0 + s.lead < s.pitch
                                     : i >= 0 && i % s.spacing == 0 && i / s.spacing < s.columns;
            columns |= wanted && on ? 1u << k : 0u;
            column = on ? s.lead + (s.spacing == 1 ? i : i / s.spacing) : column;
        }
        to = plan.samples + blockIdx.y * plan.sample_run_stride + index * s.cells +
             (size_t)(s.first_row + rows_before) * s.pitch + column;
    }

    __device__ __forceinline__ void write(int y, const row4 &row)
    {
        if (y != next || y >= end) {
            return;
        }
        if (y >> 5 != skip_row) {
            skip_row = y >> 5;
            skipped = plan.skip != NULL &&
                      plan.skip[blockIdx.y * plan.skip_run_stride + skip_row * plan.skip_pitch + (x >> 5)] != 0;
        }
        if (!skipped && plan.spectra.spacing == 1) {
            if (columns != 0) { /* not read before the block is full */
                __stcs((float4 *)to, make_float4(row.x[0], row.x[1], row.x[2], row.x[3]));
            }
        } else if (!skipped) {
            float *at = to;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                if ((columns >> k & 1u) != 0) {
                    *at++ = row.x[k];
                }
            }
        }
        next += plan.spectra.spacing;
        to += plan.spectra.pitch;
    }
};

/* SAMPLES: 1, a sample falls on the last step of the pass; 2, on the middle one; 3, on both. */
template <int DEPTH, int WARPS, int BLOCKS, bool SHARED, int SAMPLES>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    yee_walk_kernel(device_problem<float> p, device_fields<float> in, device_fields<float> out, walk_plan plan)
{
    __shared__ row_slot slots[WARPS][SLOTS];
    extern __shared__ float2 shared_palette[];
    if (SHARED) {
        for (int k = threadIdx.x; k < p.palette_count; k += 32 * WARPS) {
            shared_palette[k] = p.palette[k];
        }
        __syncthreads();
    }
    const float2 *palette = SHARED ? shared_palette : p.palette;
    constexpr int HALO = halo_of(DEPTH), COLUMNS = 128 - 2 * HALO;
    int strips = (plan.x1 - plan.x0 + COLUMNS - 1) / COLUMNS, chunks = (plan.y1 - plan.y0 + plan.rows - 1) / plan.rows;
    int task = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (task >= strips * chunks) {
        return;
    }
    int chunk = task / strips, strip = task - chunk * strips;
    int x = min(plan.x0 + strip * COLUMNS, plan.x1 - COLUMNS) - HALO + 4 * lane;
    int y0 = plan.y0 + chunk * plan.rows, y1 = min(y0 + plan.rows, plan.y1);
    bool writes = 4 * lane >= HALO && 4 * lane < 128 - HALO;
    size_t run = (size_t)blockIdx.y * p.cells;
    const float *e_in = in.e + run + x, *v_in = in.v + run + x;
    const uint16_t *material = p.material + x;
    float *e_out = out.e + run + x, *v_out = out.v + run + x;
    float air = p.palette[0].y;

    walk_levels<DEPTH> levels;
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
        levels.south[t] = levels.centre[t] = levels.v[t] = {{0, 0, 0, 0}};
        levels.material[t] = make_uint2(0, 0);
    }
    unsigned solid = 0; /* bit t: row r-t has something else than air in this strip */
    constexpr unsigned UNDERWAY = ((1u << DEPTH) - 1u) << 1;
    int last = y1 + DEPTH - 1, r = y0 - DEPTH, skip_row = -1;
    bool skipped = false;
    row_slot *turn = slots[threadIdx.x / 32], *other = turn + TURN;
    sample_writer on_middle(plan, 0, x, y0, y1, writes), on_last(plan, SAMPLES / 2, x, y0, y1, writes);
#pragma unroll
    for (int k = 0; k < SLOTS - 1; k++) {
        fetch_row(turn + k, lane, e_in, v_in, material, (size_t)min(r + k, last) * p.pitch);
    }
    while (r <= last) {
#pragma unroll
        for (int u = 0; u < TURN; u++, r++) {
            /* into the slot that was read a row ago */
            fetch_row(u == 0 ? other + TURN - 1 : turn + u - 1, lane, e_in, v_in, material,
                      (size_t)min(r + SLOTS - 1, last) * p.pitch);
            __pipeline_wait_prior(SLOTS - 1);
            row4 e = load_row(&turn[u].e[lane]), v = load_row(&turn[u].v[lane]);
            uint2 m = turn[u].material[lane];
            solid = (solid << 1) | (__any_sync(0xffffffffu, (m.x | m.y) != 0) ? 1u : 0u);
            if (SHARED) { /* entries to byte offsets: WALK_PALETTE keeps them within their 16 bits */
                m.x *= (unsigned)sizeof(float2);
                m.y *= (unsigned)sizeof(float2);
            }
            if ((solid & UNDERWAY) != 0) {
                levels.template take<true, SHARED>(p.centre2, air, palette, e, v, m);
            } else {
                levels.template take<false, SHARED>(p.centre2, air, palette, e, v, m);
            }
            if ((SAMPLES & 2) != 0) {
                on_middle.write(r - DEPTH / 2, levels.centre[DEPTH / 2]);
            }
            if ((SAMPLES & 1) != 0) {
                on_last.write(r - DEPTH, e);
            }
            int y = r - DEPTH;
            if (y >= y0 && y < y1 && writes) {
                if (y >> 5 != skip_row) {
                    skip_row = y >> 5;
                    skipped = plan.skip != NULL &&
                              plan.skip[blockIdx.y * plan.skip_run_stride + skip_row * plan.skip_pitch + (x >> 5)] != 0;
                }
                if (!skipped) {
                    size_t at = (size_t)y * p.pitch;
                    store_row(e_out + at, e);
                    store_row(v_out + at, v);
                }
            }
        }
        row_slot *swap = turn;
        turn = other;
        other = swap;
    }
    __pipeline_wait_prior(0);
    device_end_after_previous();
}

template <int DEPTH, int WARPS, int BLOCKS, bool SHARED>
pw_status launch(const device_problem<float> &p, const device_fields<float> &in, const device_fields<float> &out,
                 const walk_plan &plan, cudaStream_t stream, pw_error *error)
{
    constexpr int COLUMNS = 128 - 2 * halo_of(DEPTH);
    int strips = (plan.x1 - plan.x0 + COLUMNS - 1) / COLUMNS, chunks = (plan.y1 - plan.y0 + plan.rows - 1) / plan.rows;
    dim3 blocks((strips * chunks + WARPS - 1) / WARPS, plan.runs);
    size_t bytes = SHARED ? sizeof(float2) * p.palette_count : 0;
    auto run = [&](auto kernel) {
        CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
        return launch_beside(kernel, "yee_walk_kernel", blocks, 32 * WARPS, bytes, stream, error, p, in, out, plan);
    };
    switch (plan.samples_at) {
    case 0:
        return run(yee_walk_kernel<DEPTH, WARPS, BLOCKS, SHARED, 0>);
    case 1:
        return run(yee_walk_kernel<DEPTH, WARPS, BLOCKS, SHARED, 1>);
    case 2:
        return run(yee_walk_kernel<DEPTH, WARPS, BLOCKS, SHARED, (DEPTH > 1 ? 2 : 0)>);
    default:
        return run(yee_walk_kernel<DEPTH, WARPS, BLOCKS, SHARED, (DEPTH > 1 ? 3 : 1)>);
    }
}

template <bool SHARED>
pw_status launch_depth(const device_problem<float> &p, const device_fields<float> &in, const device_fields<float> &out,
                       const walk_plan &plan, int depth, cudaStream_t stream, pw_error *error)
{
    /* Warps a multiprocessor come in fours: 8 leave 255 registers a lane, 12 leave 168, 16 leave 128. */
    switch (depth) {
    case 8:
        return launch<8, 4, 2, SHARED>(p, in, out, plan, stream, error);
    case 6:
        return launch<6, 4, 3, SHARED>(p, in, out, plan, stream, error);
    case 4:
        return launch<4, 4, 4, SHARED>(p, in, out, plan, stream, error);
    case 2:
        return launch<2, 4, 4, SHARED>(p, in, out, plan, stream, error);
    case 1:
        return launch<1, 4, 4, SHARED>(p, in, out, plan, stream, error);
    default:
        return fail(error, PW_USAGE, "no yee walk of depth %d", depth);
    }
}

} // namespace

int yee_walk_depth(int64_t steps, int limit)
{
    static const int depths[] = {8, 6, 4, 2, 1};
    for (int depth : depths) {
        if (depth <= steps && depth <= limit) {
            return depth;
        }
    }
    return 0;
}

/* Bit 0: a sample of the spectra falls on the last step of a pass, bit 1: on the middle one; -1: on another, too. */
static int samples_in(int64_t step, int depth, int64_t every)
{
    int at = 0;
    for (int k = 1; k <= depth; k++) {
        if ((step + k) % every == 0) {
            at |= k == depth ? 1 : 2 * k == depth ? 2 : -1;
        }
    }
    return at;
}

int yee_walk_sampled_depth(int64_t step, int64_t steps, int limit, int64_t every, int *samples_at)
{
    int depth = yee_walk_depth(steps, limit);
    while ((*samples_at = samples_in(step, depth, every)) < 0) {
        depth = yee_walk_depth(depth - 1, limit); /* one step alone always suits */
    }
    return depth;
}

int yee_walk_columns(int depth)
{
    return 128 - 2 * halo_of(depth);
}

int yee_walk_warps(int depth)
{
    return depth == 8 ? 8 : depth == 6 ? 12 : 16;
}

pw_status yee_walk(const device_problem<float> &problem, const device_fields<float> &in,
                   const device_fields<float> &out, const walk_plan &plan, int depth, cudaStream_t stream,
                   pw_error *error)
{
    return problem.palette_count <= WALK_PALETTE ? launch_depth<true>(problem, in, out, plan, depth, stream, error)
                                                 : launch_depth<false>(problem, in, out, plan, depth, stream, error);
}
