/* Temporal blocking for the five-point stencil (yee): every warp owns a strip of 128 columns, 4 a lane, and marches
 * along y with DEPTH time levels in registers, each one row behind the last. Neighbours in x come by shuffle, there is
 * no block barrier. Strips overlap by the halo and recompute it; neighbours in y are rows that passed just before. One
 * pass over memory makes DEPTH steps. Leaves out: absorber, walls, sources and probes, which tile.cu does around and
 * inside of the output region. */
#include <cuda_pipeline.h>

#include <type_traits>

#include "kernels/common/device.h"
#include "kernels/tuning.h"

namespace
{

/* The same value, but the compiler cannot know: it holds it instead of deriving it anew in every row. */
__device__ __forceinline__ unsigned kept(unsigned value)
{
    asm volatile("" : "+r"(value));
    return value;
}

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

/* Coefficients of node k of a packed row of four palette entries of 16 bits; SHARED: their addresses in shared memory.
 */
template <bool SHARED> __device__ __forceinline__ float2 coefficients_of(const float2 *palette, uint2 material, int k)
{
    unsigned pair = k < 2 ? material.x : material.y, entry = k % 2 == 0 ? pair & 0xffffu : pair >> 16;
    if (!SHARED) {
        return palette[entry];
    }
    float2 c;
    asm("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(c.x), "=f"(c.y) : "r"(entry));
    return c;
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
        } else { /* ca is one: ca v is v, to the bit */
            v.x[k] = fmaf(air, lap.x[k], v.x[k]);
        }
        centre.x[k] = centre.x[k] + v.x[k];
    }
}

template <int DEPTH> struct march_levels {
    row4 south[DEPTH], centre[DEPTH], v[DEPTH]; /* of level t: rows r-t-2 and r-t-1, increment of row r-t-1 */
    uint2 material[DEPTH];                      /* of row r-t-1 */

    /* Takes row r of level 0 and hands back row r - DEPTH of level DEPTH. Without SOLID, rows r-1 .. r-DEPTH are all
     * air. */
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

/* Rows on their way from memory, each lane's own: asynchronous copies wait in order, where loads to registers would
 * make one row wait for those issued after it. */
enum {
    TURN = 3,  /* rows in one turn of the unrolled loop */
    TURNS = 3, /* on their way or being stepped */
    SLOTS = TURN * TURNS
};

struct row_slot {
    float4 e[32], v[32];
    uint2 material[32];
};

/* Where a lane's quads of a row are. */
struct row_place {
    const float *e, *v;
    const uint16_t *material;

    __device__ __forceinline__ void fetch(row_slot *slot, int lane) const
    {
        __pipeline_memcpy_async(&slot->e[lane], e, 16);
        __pipeline_memcpy_async(&slot->v[lane], v, 16);
        __pipeline_memcpy_async(&slot->material[lane], material, 8);
    }

    __device__ __forceinline__ void move(int elements)
    {
        e += elements;
        v += elements;
        material += elements;
    }
};

/* A sample of the spectra on the middle step of a pass; those on the last step are in Ez then. */
enum {
    NO_SAMPLE,
    QUAD_SAMPLE, /* of a lattice of all nodes */
    POINT_SAMPLE /* of any other */
};

/* Its nodes in a lane's columns and a task's rows, `low` to `high` - 1. Rows come in order from `from` on, which may
 * lie below `low`; leave(): whether a box writes the next ones here instead. */
template <int SAMPLE> struct middle_sample {
    __device__ middle_sample(const march_plan &, int, int, int, int, bool)
    {
    }
    __device__ __forceinline__ void leave(bool)
    {
    }
    __device__ __forceinline__ void take(int, const row4 &, const device_spectra &)
    {
    }
};

template <> struct middle_sample<QUAD_SAMPLE> {
    int first;
    unsigned rows; /* from `first` on */
    unsigned open; /* as many unless they are left */
    float *to;     /* this lane's quad of the next row */

    __device__ middle_sample(const march_plan &plan, int x, int from, int low, int high, bool wanted)
    {
        const device_spectra &s = plan.spectra;
        int column = x - s.x0 + s.lead; /* beside the lattice lies room for the rest of a quad */
        bool on = wanted && column >= 0 && column < s.pitch;
        first = max(low, s.y0);
        open = rows = on ? (unsigned)max(0, min(high, s.y0 + s.rows) - first) : 0;
        to = plan.samples + blockIdx.y * plan.sample_run_stride + (ptrdiff_t)(s.first_row + from - s.y0) * s.pitch +
             column;
    }

    __device__ __forceinline__ void leave(bool left)
    {
        open = left ? 0 : rows;
    }

    __device__ __forceinline__ void take(int y, const row4 &row, const device_spectra &s)
    {
        if ((unsigned)(y - first) < open) { /* not read before the block is full */
            __stcs((float4 *)to, make_float4(row.x[0], row.x[1], row.x[2], row.x[3]));
        }
        to += s.pitch;
    }
};

template <> struct middle_sample<POINT_SAMPLE> {
    int next, end;    /* the lattice's next row, and where its rows end */
    unsigned columns; /* bit k: node x + k is on the lattice and this lane's to write */
    unsigned open;    /* the same unless they are left */
    float *to;        /* first of them, next row */

    __device__ middle_sample(const march_plan &plan, int x, int, int low, int high, bool wanted) : columns(0)
    {
        const device_spectra &s = plan.spectra;
        int before = max(0, low - s.y0 + s.spacing - 1) / s.spacing, column = 0;
        next = s.y0 + before * s.spacing;
        end = min(high, s.y0 + s.rows * s.spacing);
#pragma unroll
        for (int k = 3; k >= 0; k--) {
            int i = x + k - s.x0;
            bool on = wanted && i >= 0 && i % s.spacing == 0 && i / s.spacing < s.columns;
            columns |= on ? 1u << k : 0u;
            column = on ? i / s.spacing : column;
        }
        open = columns;
        to = plan.samples + blockIdx.y * plan.sample_run_stride + (size_t)(s.first_row + before) * s.pitch + s.lead +
             column;
    }

    __device__ __forceinline__ void leave(bool left)
    {
        open = left ? 0 : columns;
    }

    __device__ __forceinline__ void take(int y, const row4 &row, const device_spectra &s)
    {
        if (y != next || y >= end) {
            return;
        }
        float *at = to;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if ((open >> k & 1u) != 0) {
                *at++ = row.x[k];
            }
        }
        next += s.spacing;
        to += s.pitch;
    }
};

/* Whether a box writes the 32 rows around row y here instead. */
__device__ __forceinline__ bool patched(const march_plan &plan, int x, int y)
{
    return plan.skip != NULL &&
           plan.skip[blockIdx.y * plan.skip_run_stride + (y >> 5) * plan.skip_pitch + (x >> 5)] != 0;
}

template <int DEPTH, int WARPS, int BLOCKS, bool SHARED, int SAMPLE>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    yee_march_kernel(device_problem<float> p, device_fields<float> in, device_fields<float> out, march_plan plan)
{
    device_trigger_dependent_launch(); /* the next pass' frame, which waits for this one before it touches a field */
    __shared__ row_slot slots[WARPS][SLOTS];
    extern __shared__ float2 shared_palette[];
    if (SHARED) {
        for (int k = threadIdx.x; k < p.palette_count; k += 32 * WARPS) {
            shared_palette[k] = p.palette[k];
        }
        __syncthreads();
    }
    /* Entries become addresses in their 16 bits; 1 kB is the system's. */
    static_assert(sizeof slots + sizeof(float2) * MARCH_PALETTE + 1024 <= 65536, "the palette lies too high");
    unsigned entry_size = SHARED ? sizeof(float2) : 1,
             first_entry = SHARED ? kept(0x10001u * (unsigned)__cvta_generic_to_shared(shared_palette)) : 0;
    constexpr int HALO = halo_of(DEPTH), COLUMNS = 128 - 2 * HALO;
    int strips = (plan.x1 - plan.x0 + COLUMNS - 1) / COLUMNS, chunks = (plan.y1 - plan.y0 + plan.rows - 1) / plan.rows;
    int task = blockIdx.x * WARPS + threadIdx.x / 32, lane = kept(threadIdx.x % 32);
    if (task >= strips * chunks) {
        return;
    }
    int chunk = task / strips, strip = task - chunk * strips;
    int x = min(plan.x0 + strip * COLUMNS, plan.x1 - COLUMNS) - HALO + 4 * lane;
    int y0 = plan.y0 + chunk * plan.rows, y1 = min(y0 + plan.rows, plan.y1);
    bool writes = 4 * lane >= HALO && 4 * lane < 128 - HALO;
    float air = p.palette[0].y;

    march_levels<DEPTH> levels;
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
        levels.south[t] = levels.centre[t] = levels.v[t] = {{0, 0, 0, 0}};
        levels.material[t] = make_uint2(first_entry, first_entry);
    }
    unsigned solid = 0; /* bit t: row r-t has something else than air in this strip */
    constexpr unsigned UNDERWAY = ((1u << (DEPTH + TURN - 1)) - 1u) << 1; /* of a turn that ends with row r */
    int last = y1 + DEPTH - 1, r = y0 - DEPTH;                            /* rows read */
    size_t run = (size_t)blockIdx.y * p.cells, from = (size_t)r * p.pitch + x;
    row_place in_place = {in.e + run + from, in.v + run + from, p.material + from};
    ptrdiff_t to = (ptrdiff_t)(run + from) - (ptrdiff_t)DEPTH * p.pitch;
    float *e_out = out.e + to, *v_out = out.v + to; /* of row r - DEPTH, whether it is written or not */
    unsigned rows = writes ? y1 - y0 : 0;           /* from y0 on */
    /* Rows of a sample are this far ahead of those of the fields. The map of patches is asked at every 32nd of them. */
    constexpr int AHEAD = SAMPLE != NO_SAMPLE ? DEPTH - DEPTH / 2 : 0;
    bool left = patched(plan, x, y0);
    unsigned open = left ? 0 : rows;
    int look = (y0 & -32) + 32 + DEPTH - AHEAD; /* row read at which to ask next */
    int changes = y0 - 1;                       /* from which on what was answered holds for the sample */
    middle_sample<SAMPLE> sample(plan, x, r - DEPTH + AHEAD, y0, y1, writes);
    sample.leave(left);
    row_slot *turn = slots[threadIdx.x / 32], *end = turn + SLOTS, *spare = turn;
    auto fetch_turn = [&](int first) {
#pragma unroll
        for (int u = 0; u < TURN; u++) {
            in_place.fetch(spare + u, lane);
            in_place.move(first + u < last ? p.pitch : 0);
        }
        __pipeline_commit();
        spare = spare + TURN == end ? end - SLOTS : spare + TURN;
    };
#pragma unroll
    for (int k = 0; k < TURNS - 1; k++) {
        fetch_turn(r + k * TURN);
    }
    for (; r <= last; r += TURN) {
        fetch_turn(r + (TURNS - 1) * TURN); /* into the slots of the turn before */
        __pipeline_wait_prior(TURNS - 1);
        uint2 material[TURN];
#pragma unroll
        for (int u = 0; u < TURN; u++) {
            uint2 m = turn[u].material[lane];
            solid = (solid << 1) | (__any_sync(0xffffffffu, (m.x | m.y) != 0) ? 1u : 0u);
            material[u] = make_uint2(kept(first_entry + entry_size * m.x), kept(first_entry + entry_size * m.y));
        }
        if (r + TURN > look) {
            left = look - DEPTH + AHEAD < y1 && patched(plan, x, look - DEPTH + AHEAD);
            changes = look;
            look += 32;
        }
        /* All rows of a turn alike: then they are one block of instructions, in which levels that move along the
         * registers need few copies. */
        auto step_rows = [&](auto among_walls) {
#pragma unroll
            for (int u = 0; u < TURN; u++) {
                row4 e = load_row(&turn[u].e[lane]), v = load_row(&turn[u].v[lane]);
                levels.template take<decltype(among_walls)::value, SHARED>(p.centre2, air, p.palette, e, v,
                                                                           material[u]);
                if (r + u == changes) {
                    sample.leave(left);
                }
                open = r + u == changes + AHEAD ? (left ? 0 : rows) : open;
                sample.take(r + u - DEPTH + AHEAD, levels.centre[DEPTH / 2], plan.spectra);
                if ((unsigned)(r + u - DEPTH - y0) < open) {
                    store_row(e_out, e);
                    store_row(v_out, v);
                }
                e_out += p.pitch;
                v_out += p.pitch;
            }
        };
        if ((solid & UNDERWAY) != 0) {
            step_rows(std::true_type());
        } else {
            step_rows(std::false_type());
        }
        turn = turn + TURN == end ? end - SLOTS : turn + TURN;
    }
    __pipeline_wait_prior(0);
    device_end_after_previous();
}

template <int DEPTH, int WARPS, int BLOCKS, bool SHARED, int SAMPLE>
pw_status launch_sample(const device_problem<float> &p, const device_fields<float> &in, const device_fields<float> &out,
                        const march_plan &plan, cudaStream_t stream, pw_error *error)
{
    constexpr int COLUMNS = 128 - 2 * halo_of(DEPTH);
    int strips = (plan.x1 - plan.x0 + COLUMNS - 1) / COLUMNS, chunks = (plan.y1 - plan.y0 + plan.rows - 1) / plan.rows;
    dim3 blocks((strips * chunks + WARPS - 1) / WARPS, plan.runs);
    size_t bytes = SHARED ? sizeof(float2) * p.palette_count : 0;
    return launch_beside<yee_march_kernel<DEPTH, WARPS, BLOCKS, SHARED, SAMPLE>>(
        "yee_march_kernel", blocks, 32 * WARPS, bytes, stream, error, p, in, out, plan);
}

template <int DEPTH, int WARPS, int BLOCKS, bool SHARED>
pw_status launch(const device_problem<float> &p, const device_fields<float> &in, const device_fields<float> &out,
                 const march_plan &plan, cudaStream_t stream, pw_error *error)
{
    constexpr int QUADS = DEPTH > 1 ? QUAD_SAMPLE : NO_SAMPLE,
                  POINTS = DEPTH > 1 ? POINT_SAMPLE : NO_SAMPLE; /* one step has no middle */
    if (plan.samples == NULL) {
        return launch_sample<DEPTH, WARPS, BLOCKS, SHARED, NO_SAMPLE>(p, in, out, plan, stream, error);
    }
    return plan.spectra.spacing == 1
               ? launch_sample<DEPTH, WARPS, BLOCKS, SHARED, QUADS>(p, in, out, plan, stream, error)
               : launch_sample<DEPTH, WARPS, BLOCKS, SHARED, POINTS>(p, in, out, plan, stream, error);
}

template <bool SHARED>
pw_status launch_depth(const device_problem<float> &p, const device_fields<float> &in, const device_fields<float> &out,
                       const march_plan &plan, int depth, cudaStream_t stream, pw_error *error)
{
    /* Warps a multiprocessor come in fours: 8 leave 255 registers a lane, 16 leave 128. */
    switch (depth) {
    case 8:
        return launch<8, 4, 2, SHARED>(p, in, out, plan, stream, error);
    case 6:
        return launch<6, 4, 2, SHARED>(p, in, out, plan, stream, error);
    case 4:
        return launch<4, 4, 2, SHARED>(p, in, out, plan, stream, error);
    case 2:
        return launch<2, 4, 4, SHARED>(p, in, out, plan, stream, error);
    case 1:
        return launch<1, 4, 4, SHARED>(p, in, out, plan, stream, error);
    default:
        return fail(error, PW_USAGE, "no yee march of depth %d", depth);
    }
}

} // namespace

int yee_march_depth(int64_t steps, int limit)
{
    static const int depths[] = {8, 6, 4, 2, 1};
    for (int depth : depths) {
        if (depth <= steps && depth <= limit) {
            return depth;
        }
    }
    return 0;
}

/* Whether samples of the spectra fall on the middle and last steps of a pass alone. */
static bool samples_suit(int64_t step, int depth, int64_t every)
{
    for (int k = 1; k < depth; k++) {
        if ((step + k) % every == 0 && 2 * k != depth) {
            return false;
        }
    }
    return true;
}

int yee_march_sampled_depth(int64_t step, int64_t steps, int limit, int64_t every)
{
    int depth = yee_march_depth(steps, limit);
    while (!samples_suit(step, depth, every)) {
        depth = yee_march_depth(depth - 1, limit); /* one step alone always suits */
    }
    return depth;
}

int yee_march_columns(int depth)
{
    return 128 - 2 * halo_of(depth);
}

int yee_march_warps(int depth)
{
    return depth >= 4 ? 8 : 16;
}

pw_status yee_march(const device_problem<float> &problem, const device_fields<float> &in,
                    const device_fields<float> &out, const march_plan &plan, int depth, cudaStream_t stream,
                    pw_error *error)
{
    return problem.palette_count <= MARCH_PALETTE ? launch_depth<true>(problem, in, out, plan, depth, stream, error)
                                                  : launch_depth<false>(problem, in, out, plan, depth, stream, error);
}
