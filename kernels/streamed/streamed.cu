/* The wide stencils on a grid of which Ez alone stays on the chip: what a tile of wide_resident.cu keeps in registers,
 * increments, coefficient indices and the filters' states, goes through the second-level cache at every step, so that
 * tiles are several times as large.
 *
 * Thread mapping: block b has tile plan.boxes[b]. Its patches of 4 x 3 nodes are numbered line by line; thread t takes
 * patches t, t + 512, t + 1024, ..., one a round. One step of a tile, `|` the barrier of the block:
 *
 *     filtered patches   first differences | their Laplacian |
 *     round 0                                                  cross, increments, send |
 *     round 1                                                         cross, increments, send | write round 0
 *     round 2                                                                cross, increments, send | write round 1
 *
 * A warp comes to the barrier of a round after its cross, and waits there after its increments.
 *
 * Ez is there once. A patch reads no further than a line to either side, which is less than a round, so the new Ez of a
 * round waits in registers until all have computed the next one. The halo of the next step is written last. Leaves
 * out: a block's memory (streamed_tile.h), a batch's beginning and end (streamed_batch.h), the arithmetic (wide_step.h,
 * wide_filter.h), the halo exchange (wide_halo.h), and the partition (streamed_partition.cu). */
#include "kernels/common/cooperative_launch.h"
#include "kernels/common/lattice.h"
#include "kernels/streamed/streamed_batch.h"

using namespace streamed;

namespace
{

/* Where a patch that is filtered stands. */
struct filter_place {
    wide_place at;
    int quad, group;
    bool on, along_y;

    template <typename Shape>
    __device__ __forceinline__ filter_place(const streamed_tile<Shape> &t, const box &own, int f)
    {
        uint2 word = t.filter_words()[f];
        quad = (int)(word.y >> FILTER_QUAD & 0xffu);
        group = (int)(word.y >> FILTER_GROUP & 0xffu);
        on = (word.y >> FILTER_ON & 1u) != 0;
        along_y = (word.y >> FILTER_ALONG_Y & 1u) != 0;
        at = place_at(t, own, quad, group, word.x);
    }
};

/* The filtered first differences of a patch. */
template <typename Shape> __device__ __forceinline__ void filter_first(const block_work<Shape> &work, int f, int round)
{
    const device_problem<float> &p = work.problem;
    const streamed_tile<Shape> &t = work.t;
    filter_place place(t, work.w.own, f);
    if (!place.on) {
        return;
    }
    wide_states s;
    load_states(t, false, f, round, s.half);
    if (place.along_y) {
        const filter_pair *filters =
            (const filter_pair *)(block_memory() + t.layout.y_filters) + PATCH_ROWS * place.group;
        float *g = t.of_y(t.layout.gy, place.quad, place.group) + Shape::below * Shape::pitch;
        first_differences_y<Shape::reach, Shape::pitch>(place.at, p, filters, place.at.base, g, s);
    } else {
        const filter_pair *filters = (const filter_pair *)(block_memory() + t.layout.x_filters) + 4 * place.quad;
        float *g = t.of_x(t.layout.gx, place.quad, place.group);
        first_differences_x<Shape::reach, Shape::pitch, Shape::zone_pitch>(place.at, p, filters, place.at.base, g, s);
    }
    save_states(t, false, f, round, s.half);
}

/* From them the Laplacian of the patch's nodes in the absorber region: the filtered second difference along this axis
 * and the other axis' own; where both are filtered, the one along y alone is left to be added. */
template <typename Shape> __device__ __forceinline__ void filter_second(const block_work<Shape> &work, int f, int round)
{
    const device_problem<float> &p = work.problem;
    const streamed_tile<Shape> &t = work.t;
    filter_place place(t, work.w.own, f);
    const wide_place &at = place.at;
    if (!place.on || (place.along_y ? at.region_y() : at.region_x()) == 0) {
        return;
    }
    wide_states s;
    float d[PATCH_ROWS][4], e[PATCH_ROWS][4], line[PATCH_ROWS][4];
    load_states(t, true, f, round, s.node);
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        get_quad(e[r], at.base + r * Shape::pitch);
    }
    unsigned in_x = region_nodes_x(at);
    if (place.along_y) {
        const filter_pair *filters =
            (const filter_pair *)(block_memory() + t.layout.y_filters) + PATCH_ROWS * place.group;
        column_difference<Shape::reach, 1, Shape::pitch>(
            p, t.of_y(t.layout.gy, place.quad, place.group) + Shape::below * Shape::pitch, d);
        filter_rows<1>(filters, d, s.node);
        patch_line_x<Shape::taps, Shape::pitch>(p, at.base, e, line);
    } else {
        const filter_pair *filters = (const filter_pair *)(block_memory() + t.layout.x_filters) + 4 * place.quad;
        const float *g = t.of_x(t.layout.gx, place.quad, place.group);
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            row_difference<Shape::reach, 1>(p, g + r * Shape::zone_pitch, d[r]);
        }
        filter_columns<1>(filters, d, s.node);
        patch_line_y<Shape::taps, Shape::pitch>(p, at.base, e, line);
    }
    unsigned alone = place.along_y ? ~in_x : ~region_nodes_y(at);
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        float other = (alone >> k & 1u) != 0 ? line[k / 4][k % 4] : 0.0f;
        d[k / 4][k % 4] = (alone >> k & 1u) != 0 || !place.along_y ? other + d[k / 4][k % 4] : d[k / 4][k % 4];
    }
    if (place.along_y) {
        store_rows<Shape::pitch>(at, t.of_y(t.layout.lap_y, place.quad, place.group), d);
    } else {
        store_rows<Shape::zone_pitch>(at, t.of_x(t.layout.lap_x, place.quad, place.group), d);
    }
    save_states(t, true, f, round, s.node);
}

/* Takes the Laplacian of a patch's nodes in the absorber region from what the filters have left. */
template <typename Shape>
__device__ __forceinline__ void take_filtered(const streamed_tile<Shape> &t, const wide_place &at, int quad, int group,
                                              float (&lap)[PATCH_ROWS][4])
{
    unsigned in_x = region_nodes_x(at), in_y = region_nodes_y(at);
    float d[PATCH_ROWS][4];
    if (in_x != 0) {
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            get_quad(d[r], t.of_x(t.layout.lap_x, quad, group) + r * Shape::zone_pitch);
        }
        replace_nodes(in_x, d, lap);
    }
    if (in_y != 0) {
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            get_quad(d[r], t.of_y(t.layout.lap_y, quad, group) + r * Shape::pitch);
        }
#pragma unroll
        for (int k = 0; k < 4 * PATCH_ROWS; k++) {
            d[k / 4][k % 4] = (in_x >> k & 1u) != 0 ? lap[k / 4][k % 4] + d[k / 4][k % 4] : d[k / 4][k % 4];
        }
        replace_nodes(in_y, d, lap);
    }
}

/* Ez of a patch and its Laplacian. */
template <typename Shape>
__device__ __forceinline__ void cross_patch(const block_work<Shape> &work, const wide_place &at, int quad, int group,
                                            wide_patch &c, float (&lap)[PATCH_ROWS][4])
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        get_quad(c.e[r], at.base + r * Shape::pitch);
    }
    if ((region_nodes_x(at) | region_nodes_y(at)) != ALL_NODES) {
        patch_cross<Shape::taps, Shape::pitch>(work.problem, at.base, c.e, lap);
    }
    if ((at.region_x() | at.region_y()) != 0) {
        take_filtered(work.t, at, quad, group, lap);
    }
}

/* The new increments and the new Ez of a patch, whose increments have come; Ez is not yet written to shared memory. */
template <typename Shape>
__device__ __forceinline__ void advance_patch_at(const block_work<Shape> &work, const wide_place &at, int round,
                                                 unsigned word, unsigned n, const float (&lap)[PATCH_ROWS][4],
                                                 wide_patch &c)
{
    const wide_batch &w = work.w;
    advance_patch(work.problem, at.in_air(), w.air, lap, c);
    if ((word >> WORD_DRIVEN & 1u) != 0) {
        float amplitude = (float)__ldg(w.drive + w.first_step + n - 1);
        unsigned driven = __ldcg(work.t.store->driven + round * THREADS + threadIdx.x);
        const float *weights = work.t.store->weights + (size_t)round * 4 * PATCH_ROWS * THREADS + threadIdx.x;
#pragma unroll
        for (int k = 0; k < 4 * PATCH_ROWS; k++) {
            if ((driven >> k & 1u) != 0) {
                cell_source(__ldcg(weights + k * THREADS), amplitude, w.hard, &c.v[k / 4][k % 4], &c.e[k / 4][k % 4]);
            }
        }
    }
}

/* Sends what the neighbours need of a patch. A tile is too large for a patch to lie at two opposite edges. */
template <typename Shape>
__device__ __forceinline__ void send_patch(const streamed_tile<Shape> &t, const wide_batch &w, int quad, int group,
                                           unsigned word, const wide_patch &c, unsigned n)
{
    float4 *halo = w.halo + (n & 1u) * w.parity_slots;
    if ((word >> WORD_WEST & 3u) != 0) {
        bool west = (word >> WORD_WEST & 1u) != 0;
        int column = west ? 4 * quad : 4 * (quad - t.quads) + Shape::taps; /* of those that are sent */
        float4 *to = halo + w.neighbour[west ? 0 : 1] + 4 * quad * Shape::groups + group;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if ((unsigned)(column + k) < (unsigned)Shape::taps) {
                halo_store(to + k * Shape::groups, c.e[0][k], c.e[1][k], c.e[2][k], n);
            }
        }
    }
    if ((word >> WORD_SOUTH & 3u) != 0) {
        float4 *to = halo + w.neighbour[(word >> WORD_SOUTH & 1u) != 0 ? 2 : 3] + 4 * group * Shape::quads + quad;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            halo_store(to + k * Shape::quads, c.e[0][k], c.e[1][k], c.e[2][k], n);
        }
    }
}

/* Writes a patch's new Ez into shared memory. */
template <typename Shape>
__device__ __forceinline__ void write_patch(const wide_place &at, const device_problem<float> &p, int depth,
                                            const float (&e)[PATCH_ROWS][4])
{
    if ((at.bits & (ALL_NODES | 0xfu << PLACE_WALLS)) == ALL_NODES) {
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            put_quad(at.base + r * Shape::pitch, e[r]);
        }
    } else if (at.on()) {
        share_patch<Shape::pitch>(at, p, at.base, depth, e);
    }
}

/* All rounds of a step. Increments and indices are asked for in the round that needs them: asked for one round ahead,
 * they take registers from the loads of Ez, and a step takes longer. */
template <typename Shape> __device__ __forceinline__ void step_rounds(const block_work<Shape> &work, unsigned n)
{
    const streamed_tile<Shape> &t = work.t;
    const wide_batch &w = work.w;
    wide_place before; /* of the round before, whose Ez waits */
    before.bits = 0;
    float waiting[PATCH_ROWS][4];
    patch_walk at_patch(t);
    unsigned word = t.words()[threadIdx.x];
    int rounds = t.layout.rounds;
    for (int round = 0; round < rounds; round++, at_patch.next(t)) {
        wide_patch c;
        fetch_round(t, round, word, c);
        wide_place at = place_at(t, w.own, at_patch.quad, at_patch.group, word & (1u << WORD_DRIVEN) - 1);
        unsigned coming = round + 1 < rounds ? t.words()[(round + 1) * THREADS + threadIdx.x] : 0;
        float lap[PATCH_ROWS][4];
        if (at.on()) {
            cross_patch(work, at, at_patch.quad, at_patch.group, c, lap);
        }
        come(work.crossed);
        if (at.on()) {
            advance_patch_at(work, at, round, word, n, lap, c);
            if (n < w.steps) {
                send_patch(t, w, at_patch.quad, at_patch.group, word, c, n);
            }
            save_rows(t.store->increments, round, c.v);
        }
        wait_for_all(work.crossed, (n - 1) * (unsigned)rounds + (unsigned)round);
        write_patch<Shape>(before, work.problem, w.depth, waiting);
#pragma unroll
        for (int k = 0; k < 4 * PATCH_ROWS; k++) {
            waiting[k / 4][k % 4] = c.e[k / 4][k % 4];
        }
        before = at;
        word = coming;
    }
    write_patch<Shape>(before, work.problem, w.depth, waiting);
}

/* One step of the block. */
template <typename Shape>
__device__ __forceinline__ void step_block(const block_work<Shape> &work, const halo_inbox<Shape> &inbox, unsigned n)
{
    const streamed_tile<Shape> &t = work.t;
    const wide_batch &w = work.w;
    int filters = t.layout.filters;
    if (filters > 0) {
        for (int f = (int)threadIdx.x, round = 0; f < filters; f += THREADS, round++) {
            filter_first(work, f, round);
        }
        __syncthreads();
        for (int f = (int)threadIdx.x, round = 0; f < filters; f += THREADS, round++) {
            filter_second(work, f, round);
        }
        __syncthreads();
    }
    step_rounds(work, n);
    if (n < w.steps) {
        inbox.receive(work, n);
    }
    __syncthreads();
    if (w.own.probe_count > 0) {
        record_probes<Shape>(w.own, w.tile, work.events, t.field() + Shape::origin, w.first_step + n);
    }
    if (w.every > 0 && (w.phase + n) % w.every == 0) {
        const device_spectra &s = work.plan.spectra;
        int64_t row = (w.first_step + n) / s.every - 1 - work.plan.sample_first;
        sample_box<Shape::pitch, THREADS>(s, w.own, t.field() + Shape::origin, w.own.x0, w.own.y0,
                                          work.plan.samples + (size_t)row * s.cells);
    }
}

/* Block: tile plan.boxes[blockIdx.x]. */
template <typename Shape>
__global__ void __launch_bounds__(THREADS, 1)
    streamed_kernel(const __grid_constant__ device_problem<float> p, const __grid_constant__ device_fields<float> from,
                    const __grid_constant__ device_fields<float> to,
                    const __grid_constant__ device_events<float> events, const __grid_constant__ resident_plan plan,
                    size_t shared_bytes, int64_t step, int64_t steps)
{
    __shared__ wide_batch w;
    __shared__ streamed_tile<Shape> t;
    __shared__ uint64_t crossed;
    if (threadIdx.x == 0) {
#if WAIT_APART
        shared_barrier_create(&crossed, THREADS / 32);
#endif
        fill_batch<Shape, Shape::reach, Shape::taps, false>(&w, p, events, plan, step, steps);
        const box b = w.own;
        wide_axis x = make_axis(b.x0, b.x1, p.nx, 4, p.absorber_region, Shape::reach),
                  y = make_axis(b.y0, b.y1, p.ny, PATCH_ROWS, p.absorber_region, Shape::reach);
        t.layout = lay_out_streamed<Shape>(x, y, shared_bytes);
        t.quads = x.size;
        t.groups = y.size;
        t.quad_step = t.layout.along_y ? THREADS / t.groups : THREADS % t.quads;
        t.group_step = t.layout.along_y ? THREADS % t.groups : THREADS / t.quads;
        t.store = (streamed_store *)(w.halo + 2 * w.parity_slots) + blockIdx.x;
    }
    __syncthreads();
    const block_work<Shape> work = {p, from, to, events, plan, t, w, &crossed};
    load_field(t, w.own, p, from.e);
    prepare_filters(t, w.own, p);
    start_patches(work);
    start_filters(work);
    __syncthreads();
    start_sources(work);
    start_images(work);
    const halo_inbox<Shape> inbox(work);
    __syncthreads();
    for (unsigned n = 1; n <= w.steps; n++) {
        step_block(work, inbox, n);
    }
    end_batch(work);
}

} // namespace

namespace
{

/* Slots of a block's halo, of one parity. */
int halo_slots_of(int reach, int taps)
{
#define SLOTS(REACH, TAPS)                                                                                             \
    if (reach == REACH && taps == TAPS) {                                                                              \
        return streamed_shape<REACH, TAPS>::halo_slots;                                                                \
    }
    WIDE_STENCILS(SLOTS)
#undef SLOTS
    return 0;
}

} // namespace

size_t streamed_words(const struct problem *problem, int blocks)
{
    int slots = halo_slots_of(problem->reach, problem->laplacian_taps);
    return blocks * (sizeof(float4) * 2 * slots + sizeof(streamed_store)) / sizeof(unsigned);
}

pw_status streamed_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                           const device_events<float> &events, const resident_plan &plan, size_t shared_bytes,
                           int64_t step, int64_t steps, cudaStream_t stream, pw_error *error)
{
    if (steps == 0) {
        return PW_OK;
    }
    int blocks = plan.columns * plan.rows, slots = halo_slots_of(problem.reach, problem.laplacian_taps);
    /* No slot of an earlier batch may pass for one of this batch. */
    CUDA_TRY(cudaMemsetAsync(plan.halo_buffer, 0, sizeof(float4) * 2 * slots * blocks, stream));
#define LAUNCH(REACH, TAPS)                                                                                            \
    if (problem.reach == REACH && problem.laplacian_taps == TAPS) {                                                    \
        return launch_cooperative<streamed_kernel<streamed_shape<REACH, TAPS>>>(                                       \
            {dim3(blocks), THREADS, shared_bytes}, stream, error, problem, fields[0], fields[steps % 2], events, plan, \
            shared_bytes, step, steps);                                                                                \
    }
    WIDE_STENCILS(LAUNCH)
#undef LAUNCH
    return wide_stencil_missing(problem, error);
}
