/* The march of yee: several steps in one pass over memory, everything in registers. Warp w of the grid takes task w: a
 * strip of 128 columns and `rows` rows of one run (blockIdx.y). Lane l owns columns x + 4 l .. x + 4 l + 3 of the
 * strip, neighbours in x come by shuffle. The warp marches along y, and each of DEPTH time levels lags one row behind
 * the one before it:
 *
 *        time level   0     1     2     3     4 = DEPTH
 *       y  row r      N                              comes from memory, where it was asked for six rows ago
 *       ^  row r-1    C     N                        N, C, S: the new row of a level, its centre and the row to the
 *       |  row r-2    S     C     N                  south, from which level t makes the row N of level t + 1
 *       |  row r-3          S     C     N
 *       |  row r-4                S     C     E      E: goes to memory, four steps further
 *                                                    next, r becomes r + 1, and the slant moves up
 *
 * Strips overlap by a halo of DEPTH columns on either side, rounded up to whole quads, and recompute it; tasks above
 * each other recompute rows, too. There is no block barrier. Leaves out: absorber, walls, sources and probes, which
 * a border does beside the march (march_border.cu), samples on the middle step (yee_march_sample.h), dispersive nodes
 * (march_poles.h) and nodes beside metal (march_metal.h). */
#include <cuda_pipeline.h>

#include <type_traits>

#include "kernels/common/dependent_launch.h"
#include "kernels/common/opaque_value.h"
#include "kernels/march/yee_march_levels.h"
#include "kernels/march/yee_march_sample.h"
#include "kernels/tuning.h"

namespace
{

__host__ __device__ constexpr int halo_of(int depth)
{
    return (depth + 3) / 4 * 4;
}

/* Rows on their way from memory, each lane's own: asynchronous copies wait in order, where loads to registers would
 * make one row wait for loads issued after it. */
enum {
    ROUND = 3,  /* rows in one round of the unrolled loop */
    ROUNDS = 3, /* on their way or being stepped */
    SLOTS = ROUND * ROUNDS,
    YEE_WARPS = 4 /* of a block */
};

/* Rows of what poles remember: those under way, and those of the round that comes; whole rounds. */
__host__ __device__ constexpr int pole_ring(int depth)
{
    return (depth + 2 * ROUND - 1) / ROUND * ROUND;
}

/* Where it begins in a block's dynamic shared memory, behind the coefficients. */
__host__ __device__ __forceinline__ size_t pole_memory(int coefficient_count)
{
    return (sizeof(float2) * coefficient_count + 15) / 16 * 16;
}

struct row_slot {
    float4 e[32], v[32];
    uint2 indices[32];
};

/* Where a lane's quads of a row are. */
struct row_place {
    const float *e, *v;
    const uint16_t *indices;

    __device__ __forceinline__ void fetch(row_slot *slot, int lane) const
    {
        __pipeline_memcpy_async(&slot->e[lane], e, 16);
        __pipeline_memcpy_async(&slot->v[lane], v, 16);
        __pipeline_memcpy_async(&slot->indices[lane], indices, 8);
    }

    __device__ __forceinline__ void move(int elements)
    {
        e += elements;
        v += elements;
        indices += elements;
    }
};

/* The rows of a round that have come, as a lane reads them. */
struct round_rows {
    const row_slot *rows;
    int lane;
    unsigned first_entry, entry_size; /* entry m of the coefficients is at first_entry + entry_size m */

    __device__ __forceinline__ quad e(int u) const
    {
        return load_quad(&rows[u].e[lane].x);
    }
    __device__ __forceinline__ quad v(int u) const
    {
        return load_quad(&rows[u].v[lane].x);
    }
    __device__ __forceinline__ uint2 entries(int u) const
    {
        const uint2 m = rows[u].indices[lane];
        return make_uint2(first_entry + entry_size * m.x, first_entry + entry_size * m.y);
    }
};

/* ---- the phases of the march, in the order in which the kernel calls them ---- */

/* The table of coefficients, into shared memory. */
template <int WARPS> __device__ __forceinline__ void load_coefficients(const device_problem<float> &p, float2 *shared)
{
    for (int k = threadIdx.x; k < p.coefficient_count; k += 32 * WARPS) {
        shared[k] = p.coefficients[k];
    }
    __syncthreads();
}

/* Before the first row: levels that hold nothing. */
template <int DEPTH> __device__ __forceinline__ void clear(march_levels<DEPTH> &levels, unsigned first_entry)
{
#pragma unroll
    for (int t = 0; t < DEPTH; t++) {
        levels.south[t] = levels.centre[t] = levels.v[t] = {{0, 0, 0, 0}};
        levels.indices[t] = make_uint2(first_entry, first_entry);
    }
}

/* Asks for what special nodes of the round that begins with row r remember, and which quads of the round after it have
 * such nodes. Answers `kept`, moved on by a round. */
template <int SPECIAL, typename Special>
__device__ __forceinline__ unsigned fetch_special(const Special &special, int ring, int r, int last, unsigned kept)
{
    if constexpr (SPECIAL != NO_POLES) {
#pragma unroll
        for (int u = 0; u < ROUND; u++) {
            /* Behind the last row there is none to ask for weights. */
            const bool there = has_poles(SPECIAL) || r + u <= last;
            kept = (kept << 1) | (there ? special.fetch(ring + u, special.ask(min(r + u, last))) : 0);
            special.ask_ahead(min(r + ROUND + u, last));
        }
    }
    if constexpr (has_poles(SPECIAL)) {
        __pipeline_commit();
    }
    return kept;
}

/* Looks which rows of a round are all air, and where the coefficients of each node are. */
__device__ __forceinline__ void look_up(const row_slot *round, int lane, unsigned first_entry, unsigned entry_size,
                                        unsigned &solid, uint2 (&indices)[ROUND])
{
#pragma unroll
    for (int u = 0; u < ROUND; u++) {
        uint2 m = round[u].indices[lane];
        solid = (solid << 1) | (__any_sync(0xffffffffu, (m.x | m.y) != 0) ? 1u : 0u);
        indices[u] =
            make_uint2(opaque_value(first_entry + entry_size * m.x), opaque_value(first_entry + entry_size * m.y));
    }
}

/* Steps a round of plain rows. They are one block of instructions, in which levels that move along the registers need
 * few copies. */
template <bool SOLID, bool SHARED, int DEPTH, typename Finish>
__device__ __forceinline__ void step_plain(march_levels<DEPTH> &levels, const device_problem<float> &p, float air,
                                           const row_slot *round, int lane, const uint2 (&indices)[ROUND],
                                           Finish finish_row)
{
#pragma unroll
    for (int u = 0; u < ROUND; u++) {
        quad e = load_quad(&round[u].e[lane].x), v = load_quad(&round[u].v[lane].x);
        levels.template take<SOLID, SHARED>(p.centre2, air, p.coefficients, e, v, indices[u]);
        finish_row(u, e, v, false, 0);
    }
}

/* Steps a round, if it is `apart`, with nodes beside metal, row after row: unrolled it would be too long for the cache
 * of instructions. */
template <bool SHARED, int DEPTH, typename Special, typename Finish>
__device__ __forceinline__ void step_metal(march_levels<DEPTH> &levels, const device_problem<float> &p,
                                           const round_rows &round, const Special &special, bool apart, unsigned kept,
                                           int r, const Finish &finish_row)
{
#pragma unroll 1
    for (int u = 0; apart && u < ROUND; u++) {
        const uint2 entries = round.entries(u);
        quad e = round.e(u), v = round.v(u);
        levels.template take_metal<SHARED>(p.centre2, p.coefficients, e, v, entries, special, kept >> (ROUND - u),
                                           r + u);
        finish_row(u, e, v, false, 0);
    }
}

template <int DEPTH, int WARPS, int BLOCKS, bool SHARED, int SAMPLE, int SPECIAL>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    yee_march_kernel(device_problem<float> p, device_fields<float> in, device_fields<float> out, march_plan plan)
{
    device_trigger_dependent_launch(); /* the next pass' border, which waits for this one before it touches a field */
    __shared__ row_slot slots[WARPS][SLOTS];
    extern __shared__ float2 shared_coefficients[];
    if (SHARED) {
        load_coefficients<WARPS>(p, shared_coefficients);
    }
    /* Entries become addresses in their 16 bits; 1 kB is the system's. */
    static_assert(sizeof slots + sizeof(float2) * MARCH_COEFFICIENTS + 1024 <= 65536, "the coefficients lie too high");
    unsigned entry_size = SHARED ? sizeof(float2) : 1,
             first_entry =
                 SHARED ? opaque_value(0x10001u * (unsigned)__cvta_generic_to_shared(shared_coefficients)) : 0;
    constexpr int HALO = halo_of(DEPTH), COLUMNS = 128 - 2 * HALO;
    int strips = (plan.x1 - plan.x0 + COLUMNS - 1) / COLUMNS, chunks = (plan.y1 - plan.y0 + plan.rows - 1) / plan.rows;
    int task = blockIdx.x * WARPS + threadIdx.x / 32, lane = opaque_value(threadIdx.x % 32);
    if (task >= strips * chunks) {
        return;
    }
    int chunk = task / strips, strip = task - chunk * strips;
    int x = min(plan.x0 + strip * COLUMNS, plan.x1 - COLUMNS) - HALO + 4 * lane;
    int y0 = plan.y0 + chunk * plan.rows, y1 = min(y0 + plan.rows, plan.y1);
    bool writes = 4 * lane >= HALO && 4 * lane < 128 - HALO;
    float air = p.coefficients[0].y;

    march_levels<DEPTH> levels;
    clear(levels, first_entry);
    unsigned solid = 0; /* bit t: row r-t has something else than air in this strip of 128 columns */
    constexpr unsigned UNDERWAY = ((1u << (DEPTH + ROUND - 1)) - 1u) << 1; /* of a round that ends with row r */
    int last = y1 + DEPTH - 1, r = y0 - DEPTH;                             /* rows read */
    size_t run = (size_t)blockIdx.y * p.cells, from = (size_t)r * p.pitch + x;
    row_place in_place = {in.e + run + from, in.v + run + from, p.coefficient_index + from};
    ptrdiff_t to = (ptrdiff_t)(run + from) - (ptrdiff_t)DEPTH * p.pitch;
    float *e_out = out.e + to, *v_out = out.v + to; /* of row r - DEPTH, whether it is written or not */
    unsigned rows = writes ? y1 - y0 : 0;           /* from y0 on */
    /* Rows of a sample are this far ahead of rows of the fields. The map of patches is asked at every 32nd row. */
    constexpr int AHEAD = SAMPLE != NO_SAMPLE ? DEPTH - DEPTH / 2 : 0;
    bool left = patched(plan, x, y0);
    unsigned open = left ? 0 : rows;
    int look = (y0 & -32) + 32 + DEPTH - AHEAD; /* row read at which to ask next */
    int changes = y0 - 1;                       /* from which on what was answered holds for the sample */
    middle_sample<SAMPLE> sample(plan, x, r - DEPTH + AHEAD, y0, y1, writes);
    sample.leave(left);
    row_slot *round = slots[threadIdx.x / 32], *end = round + SLOTS, *spare = round;
    auto fetch_round = [&](int first) {
#pragma unroll
        for (int u = 0; u < ROUND; u++) {
            in_place.fetch(spare + u, lane);
            in_place.move(first + u < last ? p.pitch : 0);
        }
        __pipeline_commit();
        spare = spare + ROUND == end ? end - SLOTS : spare + ROUND;
    };
#pragma unroll
    for (int k = 0; k < ROUNDS - 1; k++) {
        fetch_round(r + k * ROUND);
    }
    constexpr int RING = pole_ring(DEPTH);
    const auto special = special_nodes<SPECIAL>(plan,
                                                (char *)shared_coefficients + pole_memory(p.coefficient_count) +
                                                    threadIdx.x / 32 * pole_warp_bytes(RING, plan.poles.planes),
                                                x, blockIdx.y);
    unsigned kept = 0; /* as `solid`: this lane's quad of row r-t has special nodes */
    int ring = 0;      /* where row r is in the ring of the poles */
    for (; r <= last; r += ROUND) {
        kept = fetch_special<SPECIAL>(special, ring, r, last, kept);
        fetch_round(r + (ROUNDS - 1) * ROUND); /* into the slots of the round before */
        /* The round's own poles may come later: its rows are stepped from the second on. */
        __pipeline_wait_prior(has_poles(SPECIAL) ? ROUNDS : ROUNDS - 1);
        uint2 indices[ROUND];
        look_up(round, lane, first_entry, entry_size, solid, indices);
        if (r + ROUND > look) {
            left = look - DEPTH + AHEAD < y1 && patched(plan, x, look - DEPTH + AHEAD);
            changes = look;
            look += 32;
        }
        auto finish_row = [&](int u, const quad &e, const quad &v, bool stored, int slot) {
            if (r + u == changes) {
                sample.leave(left);
            }
            open = r + u == changes + AHEAD ? (left ? 0 : rows) : open;
            sample.take(r + u - DEPTH + AHEAD, levels.centre[DEPTH / 2], plan.spectra);
            if ((unsigned)(r + u - DEPTH - y0) < open) {
                store_quad(e_out, e);
                store_quad(v_out, v);
                special.store(stored, slot);
            }
            e_out += p.pitch;
            v_out += p.pitch;
        };
        auto step_rows = [&](auto among_walls) {
            step_plain<decltype(among_walls)::value, SHARED>(levels, p, air, round, lane, indices, finish_row);
        };
        bool apart = false; /* a row of the round has special nodes in this strip */
        if constexpr (SPECIAL != NO_POLES) {
            apart = __any_sync(0xffffffffu, (kept & UNDERWAY) != 0);
        }
        if constexpr (SPECIAL == METAL_ROWS) {
            step_metal<SHARED>(levels, p, {round, lane, first_entry, entry_size}, special, apart, kept, r, finish_row);
        }
        if constexpr (has_poles(SPECIAL)) {
            pole_media media;
#pragma unroll 1
            for (int u = 0; apart && u < ROUND; u++) {
                if (u == 1) {
                    __pipeline_wait_prior(1);
                }
                auto slot_of = [&](int t) {
                    int slot = ring + u - 1 - t;
                    return slot < 0 ? slot + RING : slot;
                };
                const unsigned due = kept >> (ROUND - u);
                const round_rows here = {round, lane, first_entry, entry_size};
                const uint2 entries = here.entries(u);
                quad e = here.e(u), v = here.v(u);
                levels.template take_poles<SHARED>(p.centre2, p.coefficients, e, v, entries, special, due, slot_of,
                                                   media);
                finish_row(u, e, v, (due >> (DEPTH - 1) & 1u) != 0, slot_of(DEPTH - 1));
            }
        }
        if (!apart) {
            if ((solid & UNDERWAY) != 0) {
                step_rows(std::true_type());
            } else {
                step_rows(std::false_type());
            }
        }
        round = round + ROUND == end ? end - SLOTS : round + ROUND;
        if constexpr (has_poles(SPECIAL)) {
            ring = ring + ROUND == RING ? 0 : ring + ROUND;
        }
    }
    __pipeline_wait_prior(0);
    device_wait_for_previous();
}

template <int DEPTH, int WARPS, int BLOCKS, bool SHARED, int SAMPLE, int SPECIAL = NO_POLES>
pw_status launch_sample(const device_problem<float> &p, const pass<float> &pass, const march_plan &plan,
                        pw_error *error)
{
    constexpr int COLUMNS = 128 - 2 * halo_of(DEPTH);
    int strips = (plan.x1 - plan.x0 + COLUMNS - 1) / COLUMNS, chunks = (plan.y1 - plan.y0 + plan.rows - 1) / plan.rows;
    dim3 blocks((strips * chunks + WARPS - 1) / WARPS, plan.runs);
    size_t bytes = SHARED ? sizeof(float2) * p.coefficient_count : 0;
    if (has_poles(SPECIAL)) {
        bytes = pole_memory(p.coefficient_count) + WARPS * pole_warp_bytes(pole_ring(DEPTH), plan.poles.planes);
    }
    return launch_dependent<yee_march_kernel<DEPTH, WARPS, BLOCKS, SHARED, SAMPLE, SPECIAL>>(
        "yee_march_kernel", {blocks, 32 * WARPS, bytes}, pass.stream, error, p, pass.in, pass.out, plan);
}

template <int DEPTH, int WARPS, int BLOCKS, bool SHARED>
pw_status launch(const device_problem<float> &p, const pass<float> &pass, const march_plan &plan, pw_error *error)
{
    constexpr int QUADS = DEPTH > 1 ? QUAD_SAMPLE : NO_SAMPLE,
                  POINTS = DEPTH > 1 ? POINT_SAMPLE : NO_SAMPLE; /* one step has no middle */
    if (plan.poles.count >
        0) { /* with coefficients in shared memory and samples on last steps: pole_bytes, march_solver.cu */
        return plan.poles.debye
                   ? launch_sample<DEPTH, WARPS, BLOCKS, true, NO_SAMPLE, DEBYE_POLES>(p, pass, plan, error)
                   : launch_sample<DEPTH, WARPS, BLOCKS, true, NO_SAMPLE, ANY_POLES>(p, pass, plan, error);
    }
    if (plan.metal.count > 0) { /* samples likewise */
        return launch_sample<DEPTH, WARPS, BLOCKS, SHARED, NO_SAMPLE, METAL_ROWS>(p, pass, plan, error);
    }
    if (plan.samples == NULL) {
        return launch_sample<DEPTH, WARPS, BLOCKS, SHARED, NO_SAMPLE>(p, pass, plan, error);
    }
    return plan.spectra.spacing == 1 ? launch_sample<DEPTH, WARPS, BLOCKS, SHARED, QUADS>(p, pass, plan, error)
                                     : launch_sample<DEPTH, WARPS, BLOCKS, SHARED, POINTS>(p, pass, plan, error);
}

template <bool SHARED>
pw_status launch_depth(const device_problem<float> &p, const pass<float> &pass, const march_plan &plan, pw_error *error)
{
    /* Warps a multiprocessor come in fours: 8 leave 255 registers a lane, 16 leave 128. */
    switch (pass.steps) {
    case 8:
        return launch<8, YEE_WARPS, 2, SHARED>(p, pass, plan, error);
    case 6:
        return launch<6, YEE_WARPS, 2, SHARED>(p, pass, plan, error);
    case 4:
        return launch<4, YEE_WARPS, 2, SHARED>(p, pass, plan, error);
    case 2:
        return launch<2, YEE_WARPS, 4, SHARED>(p, pass, plan, error);
    case 1:
        return launch<1, YEE_WARPS, 4, SHARED>(p, pass, plan, error);
    default:
        return fail(error, PW_USAGE, "no yee march of depth %d", pass.steps);
    }
}

pw_status yee_launch(const device_problem<float> &p, const pass<float> &pass, const march_plan &plan, pw_error *error)
{
    return p.coefficient_count <= MARCH_COEFFICIENTS ? launch_depth<true>(p, pass, plan, error)
                                                     : launch_depth<false>(p, pass, plan, error);
}

/* ---- what the solver asks ---------------------------------------------------------------------------------------- */

int yee_depth(int taps, int64_t steps, int limit)
{
    static const int depths[] = {8, 6, 4, 2, 1};
    for (int depth : depths) {
        if (taps == 1 && depth <= steps && depth <= limit) {
            return depth;
        }
    }
    return 0;
}

/* Whether samples of the spectra fall on the middle and last steps of a pass alone. */
bool samples_suit(int64_t step, int depth, int64_t every)
{
    for (int k = 1; k < depth; k++) {
        if ((step + k) % every == 0 && 2 * k != depth) {
            return false;
        }
    }
    return true;
}

int yee_sampled_depth(int taps, int64_t step, int64_t steps, int limit, int64_t every)
{
    int depth = yee_depth(taps, steps, limit);
    while (!samples_suit(step, depth, every)) {
        depth = yee_depth(taps, depth - 1, limit); /* one step alone always suits */
    }
    return depth;
}

int yee_columns(int, int depth)
{
    return 128 - 2 * halo_of(depth);
}

int yee_tasks(int, int depth)
{
    return depth >= 4 ? 8 : 16; /* warps */
}

int yee_recomputed(int, int depth)
{
    return depth + 6;
}

int yee_deepest_that_pays(int, double)
{
    return 0;
}

int yee_deepest_with_poles(int)
{
    return 8;
}

double yee_relative_cost(int, int depth)
{
    return depth == 8 ? 1.0 : depth == 6 ? 1.18 : depth == 4 ? 1.49 : 7.4 / depth;
}

/* Dispersive nodes are stepped by kernels that hold the coefficients in shared memory. */
size_t yee_pole_bytes(int, int depth, int coefficient_count, int planes)
{
    return sizeof(row_slot) * SLOTS * YEE_WARPS + pole_memory(coefficient_count) +
           YEE_WARPS * pole_warp_bytes(pole_ring(depth), planes);
}

double yee_node_ps(int)
{
    return MARCH_NODE_PS;
}

} // namespace

const struct march_kernel yee_march = {
    .depth = yee_depth,
    .sampled_depth = yee_sampled_depth,
    .samples_in_the_middle = true,
    .columns = yee_columns,
    .tasks = yee_tasks,
    .recomputed = yee_recomputed,
    .relative_cost = yee_relative_cost,
    .deepest_that_pays = yee_deepest_that_pays,
    .node_ps = yee_node_ps,
    .pole_bytes = yee_pole_bytes,
    .deepest_with_poles = yee_deepest_with_poles,
    .gains_together = true,
    .border = &yee_border,
    .launch = yee_launch,
};
