/* What a march of a wide stencil leaves out, pass by pass: the border of absorber and walls and the patches around
 * sources and probes. A block takes a box with a halo as wide as the steps of the pass reach, holds it as the blocks of
 * wide_resident.cu hold a tile, steps it alone, and writes back what the box owns.
 *
 * Thread mapping: block b takes boxes b, b + gridDim.x, ... Thread t has the role and the patch that the host has put
 * into plan.orders for the box (wide_border_tables.cu): columns tile.x0 + 4 quad ... + 3, rows tile.y0 + PATCH_ROWS
 * group ... + 2.
 *
 * A pass of 3 steps over a box, in one dimension:
 *
 *     loaded         |--------halo--------|======== own ========|--------halo--------|
 *     step 1                |-------------|=====================|-------------|
 *     step 2                       |------|=====================|------|
 *     step 3                              |=====================|
 *     stored                              |=====================|
 *
 * Each step needs TAPS nodes less on either side than the step before; cells outside hold garbage and are never read by
 * what is still needed. Warps whose patches are not needed any more rest (wide_order.beside).
 *
 * At a wall the tile ends with the wall, and images take the place of the halo. Of the first box of a block, everything
 * that no pass changes is fetched before the previous pass has ended (launch_dependent). Leaves out: how the border is
 * divided into boxes and which thread has which patch (wide_border_tables.cu), a block's step (wide_block.h), and yee.
 */
#include <cuda_pipeline.h>

#include "kernels/common/dependent_launch.h"
#include "kernels/resident/wide_resident.h"
#include "kernels/wide/wide_block.h"
#include "kernels/wide/wide_stencils.h"

namespace
{

typedef wide_pass_tile Shape;

/* What a pass works on: of all runs, or of the run of a box. */
struct pass_arguments {
    const device_problem<float> &problem;
    const device_fields<float> &in, &out;
    const device_events<float> &events;
};

/* Starts to fetch Ez of the tile and all around it, row by row; zeros beyond the walls, in both fields. */
__device__ __forceinline__ void fetch_field(const box &tile, const device_problem<float> &p, const float *e,
                                            float *field)
{
    static_assert(Shape::width + 2 * MARGIN_X <= 4 * 32, "a quad a lane");
    int quad = (int)threadIdx.x % 32, rows = tile.y1 - tile.y0 + 2 * MARGIN_Y;
    int x = tile.x0 - MARGIN_X + 4 * quad;
    if (x >= tile.x1 + MARGIN_X) {
        return;
    }
    bool whole = x >= 0 && x + 4 <= p.nx;
    for (int row = (int)threadIdx.x / 32; row < rows; row += Shape::warps) {
        int y = tile.y0 - MARGIN_Y + row;
        float *to = field + row * Shape::pitch + 4 * quad;
        const float *from = e + (ptrdiff_t)y * p.pitch + x;
        *(float4 *)(to + Shape::field) = make_float4(0, 0, 0, 0);
        if (whole && y >= 0 && y < p.ny) {
            __pipeline_memcpy_async(to, from, 16);
        } else {
            for (int i = 0; i < 4; i++) {
                to[i] = y >= 0 && y < p.ny && x + i >= 0 && x + i < p.nx ? __ldcg(from + i) : 0.0f;
            }
        }
    }
    __pipeline_commit();
}

/* Fetches the increments and coefficient indices of a patch; rows of memory have room for whole quads. */
__device__ __forceinline__ void fetch_patch(const wide_place &at, const device_problem<float> &p, const float *v,
                                            wide_patch &c)
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        float4 row = make_float4(0, 0, 0, 0);
        uint2 index = make_uint2(0, 0);
        if (at.on() && at.y() + r < p.ny) {
            size_t n = (size_t)(at.y() + r) * p.pitch + at.x();
            row = __ldcg((const float4 *)(v + n));
            index = __ldg((const uint2 *)(p.coefficient_index + n));
        }
        c.v[r][0] = row.x;
        c.v[r][1] = row.y;
        c.v[r][2] = row.z;
        c.v[r][3] = row.w;
        c.index_pairs[2 * r] = index.x;
        c.index_pairs[2 * r + 1] = index.y;
    }
}

/* What a thread does in a pass (wide_order). */
struct pass_work {
    unsigned driven, owned; /* a bit for each node of the patch */
    unsigned last;          /* step after which the warp is not needed */
};

__device__ __forceinline__ void end_step(float *fields, unsigned n, const wide_block &w,
                                         const device_events<float> &events)
{
    __syncthreads();
    if (w.own.probe_count > 0) {
        record_probes<Shape>(w.own, w.tile, events, field_after<Shape>(fields, n) + Shape::origin, w.first_step + n);
    }
}

/* The pass of a warp that owns patches, in absorber regions or not. Warps of all roles pass the same barriers. */
template <int TAPS>
__device__ void run_owner(wide_place &at, const pass_work &work, bool region, float *fields, const wide_block &w,
                          const pass_arguments &pass)
{
    const device_problem<float> &p = pass.problem;
    constexpr int P = Shape::pitch;
    wide_patch c;
    fetch_patch(at, p, pass.in.v, c);
    __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        get_quad(c.e[r], at.base + r * P);
    }
    if (at.walls() != 0) {
        share_images<P>(at, p, at.base, w.depth, c.e);
    }
    detect_air(at, c);
    bool near_source = __any_sync(0xffffffffu, work.driven != 0);
    __syncthreads();
    for (unsigned n = 1; n <= w.steps; n++) {
        if (n <= work.last) {
            step_patch<Shape, TAPS>(at, work.driven, near_source, region, w, p, n, c);
            share_patch<P>(at, p, field_after<Shape>(at.base, n), w.depth, c.e);
        } else {
            wait_for_filters(w, region);
        }
        end_step(fields, n, w, pass.events);
    }
    store_patch(at, work.owned, p, pass.out, c);
}

/* The pass of a warp that filters patches. */
template <int REACH, bool ALONG_Y>
__device__ void run_filter(const wide_place &at, const pass_work &work, const filter_pair *filters, float *fields,
                           const wide_block &w, const pass_arguments &pass)
{
    const device_problem<float> &p = pass.problem;
    wide_states s;
    move_states<false, ALONG_Y>(at, at.bits, p, pass.in, s);
    bool seconds = (ALONG_Y ? at.region_y() : at.region_x()) != 0;
    __pipeline_wait_prior(0);
    __syncthreads();
    __syncthreads(); /* the images are written */
    for (unsigned n = 1; n <= w.steps; n++) {
        step_filters<Shape, REACH, ALONG_Y>(at, at.on() && n <= work.last, seconds, filters, w, p, n, s);
        end_step(fields, n, w, pass.events);
    }
    move_states<true, ALONG_Y>(at, work.owned, p, pass.out, s);
}

/* The pass of a warp without patches. */
__device__ void run_idle(float *fields, const wide_block &w, const device_events<float> &events)
{
    __pipeline_wait_prior(0);
    __syncthreads();
    __syncthreads();
    for (unsigned n = 1; n <= w.steps; n++) {
        wait_for_filters(w, false);
        end_step(fields, n, w, events);
    }
}

/* Starts to fetch the filters at node i of an axis. */
__device__ __forceinline__ void fetch_filters_at(filter_pair *to, const device_filter<float> *half,
                                                 const device_filter<float> *node, int i, int n)
{
    if (i < n) {
        __pipeline_memcpy_async(&to->half, &half[i].gain, sizeof to->half);
        __pipeline_memcpy_async(&to->node, &node[i].gain, sizeof to->node);
        __pipeline_memcpy_async(&to->feed.x, &half[i].feed, sizeof to->feed.x);
        __pipeline_memcpy_async(&to->feed.y, &node[i].feed, sizeof to->feed.y);
    } else {
        *to = {{1, 1}, {1, 1}, {0, 0}};
    }
}

/* Starts to fetch the filters of the tile. */
__device__ __forceinline__ void fetch_profiles(const wide_memory<Shape> &m, const box &tile,
                                               const device_problem<float> &p)
{
    static_assert(Shape::width + Shape::height <= Shape::threads, "one a thread");
    int k = (int)threadIdx.x;
    if (k < Shape::width) {
        fetch_filters_at(m.x_filters + k, p.x_half, p.x_node, tile.x0 + k, p.nx);
    } else if (k < Shape::width + Shape::height) {
        k -= Shape::width;
        fetch_filters_at(m.y_filters + k, p.y_half, p.y_node, tile.y0 + k, p.ny);
    }
}

/* Starts to fetch box n into shared memory. */
__device__ __forceinline__ void fetch_box(wide_pass_box *to, const wide_pass_plan &plan, int n)
{
    static_assert(sizeof *to % sizeof(int) == 0, "in words");
    int k = (int)threadIdx.x;
    if (n < plan.box_count && k < (int)(sizeof *to / sizeof(int))) {
        __pipeline_memcpy_async((int *)to + k, (const int *)(plan.boxes + n) + k, sizeof(int));
    }
}

template <int REACH, int TAPS>
__device__ __forceinline__ void fill_block(wide_block *w, const wide_pass_box &b, const device_problem<float> &p,
                                           const device_events<float> &events, const wide_pass_plan &plan, int64_t step,
                                           int steps)
{
    w->own = b.own;
    w->tile = b.tile;
    w->filter_threads = b.filter_threads;
    w->region_threads = b.region_threads;
    w->depth = p.layer > 0 ? REACH - 1 : TAPS;
    w->steps = (unsigned)steps;
    w->air = plan.air;
    w->first_step = step;
    if (b.weights >= 0) {
        const device_source &source = events.sources[b.own.run];
        w->drive = source.drive;
        w->weights = plan.weights + (size_t)b.weights * 4 * PATCH_ROWS * Shape::threads;
        w->hard = source.hard;
    }
}

/* The work of a block on a box. `first`: the previous pass may still be under way. */
template <int REACH, int TAPS>
__device__ __forceinline__ void run_box(const wide_pass_box &b, bool first, wide_block *shared,
                                        const pass_arguments &all, const wide_pass_plan &plan, int64_t step, int steps)
{
    const device_problem<float> &p = all.problem;
    const device_events<float> &events = all.events;
    extern __shared__ float4 shared_memory[];
    wide_memory<Shape> memory(shared_memory);
    const wide_block &w = *shared;
    const box tile = b.tile;
    int run = b.own.run;
    const device_fields<float> from = run_fields(p, all.in, run), to = run_fields(p, all.out, run);
    const uint4 order = __ldg((const uint4 *)(plan.orders + (size_t)b.orders * Shape::threads) + threadIdx.x);
    fetch_profiles(memory, tile, p);
    if (threadIdx.x == 0) {
        fill_block<REACH, TAPS>(shared, b, p, events, plan, step, steps);
    }
    if (first) {
        device_wait_for_previous();
        device_trigger_dependent_launch();
    }
    fetch_field(tile, p, from.e, memory.fields);
    wide_task task = unpack_task(order.x);
    wide_place at = place_patch<Shape>(memory, tile, task, order.y);
    pass_work work = {order.x >> ORDER_DRIVEN, order.z, (unsigned)max(steps - (int)order.w, 0)};
    bool region = __any_sync(0xffffffffu, task.on && task.role == OWNS && task.kind != OUTSIDE);
    const pass_arguments pass = {p, from, to, events};
    if (task.role == FILTERS_X) {
        run_filter<REACH, false>(at, work, memory.x_filters + 4 * task.quad, memory.fields, w, pass);
    } else if (task.role == FILTERS_Y) {
        run_filter<REACH, true>(at, work, memory.y_filters + PATCH_ROWS * task.group, memory.fields, w, pass);
    } else if (task.role == OWNS) {
        run_owner<TAPS>(at, work, region, memory.fields, w, pass);
    } else {
        run_idle(memory.fields, w, events);
    }
}

/* Block: boxes blockIdx.x, blockIdx.x + gridDim.x, ... Thread: role and patch as plan.orders says. */
template <int REACH, int TAPS>
__global__ void __launch_bounds__(Shape::threads, 1)
    wide_border_kernel(const __grid_constant__ device_problem<float> p, const __grid_constant__ device_fields<float> in,
                       const __grid_constant__ device_fields<float> out,
                       const __grid_constant__ device_events<float> events, const __grid_constant__ wide_pass_plan plan,
                       int64_t step, int steps)
{
    __shared__ wide_block w;
    __shared__ wide_pass_box boxes[2];               /* the current one and the next one */
    const pass_arguments all = {p, in, out, events}; /* of all runs */
    int current = 0;
    fetch_box(boxes, plan, (int)blockIdx.x);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int n = (int)blockIdx.x; n < plan.box_count; n += (int)gridDim.x) {
        __syncthreads(); /* the probes of the previous box may still be read */
        fetch_box(boxes + (current ^ 1), plan, n + (int)gridDim.x);
        run_box<REACH, TAPS>(boxes[current], n == (int)blockIdx.x, &w, all, plan, step, steps);
        current ^= 1;
    }
}

} // namespace

pw_status wide_border_pass(const device_problem<float> &problem, const pass<float> &pass, const wide_pass_plan &plan,
                           int blocks, pw_error *error)
{
#define LAUNCH(REACH, TAPS)                                                                                            \
    if (problem.reach == REACH && problem.laplacian_taps == TAPS) {                                                    \
        return launch_dependent<wide_border_kernel<REACH, TAPS>>(                                                      \
            "wide_border_kernel", {dim3(blocks), Shape::threads, Shape::shared_bytes}, pass.stream, error, problem,    \
            pass.in, pass.out, pass.events, plan, pass.step, pass.steps);                                              \
    }
    WIDE_STENCILS(LAUNCH)
#undef LAUNCH
    return wide_stencil_missing(problem, error);
}
