/* What a march of a wide stencil leaves out, pass by pass: the frame of absorber and walls and the patches around
 * sources and probes. A block takes a box with a halo of as many nodes as the steps of the pass reach, holds it as
 * blocks of wide_resident.cu hold a tile, and writes what the box owns. Of the halo a step makes what later steps need;
 * what lies beyond is wrong and not looked at again. Of the first box of a block all that no pass changes is there
 * before the pass before has ended (launch_beside). Leaves out: how boxes are cut and who has which patch
 * (wide_border_tables.cu), and yee. */
#include <cuda_pipeline.h>

#include "kernels/resident/wide_resident.h"
#include "kernels/wide/wide_block.h"

namespace
{

typedef wide_pass_tile Shape;

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

/* Increments and materials of a patch; rows have room for whole quads. */
__device__ __forceinline__ void fetch_patch(const wide_place &at, const device_problem<float> &p, const float *v,
                                            wide_patch &c)
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        float4 row = make_float4(0, 0, 0, 0);
        uint2 material = make_uint2(0, 0);
        if (at.on() && at.y() + r < p.ny) {
            size_t n = (size_t)(at.y() + r) * p.pitch + at.x();
            row = __ldcg((const float4 *)(v + n));
            material = __ldg((const uint2 *)(p.material + n));
        }
        c.v[r][0] = row.x;
        c.v[r][1] = row.y;
        c.v[r][2] = row.z;
        c.v[r][3] = row.w;
        c.materials[2 * r] = material.x;
        c.materials[2 * r + 1] = material.y;
    }
}

/* What a thread does in a pass: wide_order. */
struct pass_work {
    unsigned driven, owned; /* bits of nodes */
    unsigned last;          /* step after which the warp is not needed */
};

__device__ __forceinline__ void end_step(float *fields, unsigned tag, const wide_block &w,
                                         const device_events<float> &events)
{
    __syncthreads();
    if (w.own.probe_count > 0) {
        record_probes<Shape>(w.own, w.tile, events, new_of<Shape>(fields, tag) + Shape::origin, w.step + tag);
    }
}

/* A warp that owns patches, in zones or not. Every role passes the same barriers of the block. */
template <int RINGS>
__device__ void pass_patches(wide_place &at, const pass_work &work, bool zone, float *fields, const wide_block &w,
                             const device_problem<float> &p, const device_fields<float> &in,
                             const device_fields<float> &out, const device_events<float> &events)
{
    constexpr int P = Shape::pitch;
    wide_patch c;
    fetch_patch(at, p, in.v, c);
    __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        get_quad(c.e[r], at.base + r * P);
    }
    if (at.walls() != 0) {
        share_images<P>(at, p, at.base, w.depth, c.e);
    }
    look_for_air(at, c);
    bool near_source = __any_sync(0xffffffffu, work.driven != 0);
    __syncthreads();
    for (unsigned tag = 1; tag <= w.tags; tag++) {
        if (tag <= work.last) {
            step_patch<Shape, RINGS>(at, work.driven, near_source, zone, w, p, tag, c);
            share_patch<P>(at, p, new_of<Shape>(at.base, tag), w.depth, c.e);
        } else {
            await_filters(w, zone);
        }
        end_step(fields, tag, w, events);
    }
    store_patch(at, work.owned, p, out, c);
}

/* A warp that filters. */
template <int REACH, bool ALONG_Y>
__device__ void pass_filters(const wide_place &at, const pass_work &work, const float4 *filters, float *fields,
                             const wide_block &w, const device_problem<float> &p, const device_fields<float> &in,
                             const device_fields<float> &out, const device_events<float> &events)
{
    wide_states s;
    move_states<false, ALONG_Y>(at, at.bits, p, in, s);
    bool seconds = (ALONG_Y ? at.zone_y() : at.zone_x()) != 0;
    __pipeline_wait_prior(0);
    __syncthreads();
    __syncthreads(); /* the images are there */
    for (unsigned tag = 1; tag <= w.tags; tag++) {
        step_filters<Shape, REACH, ALONG_Y>(at, at.on() && tag <= work.last, seconds, filters, w, p, tag, s);
        end_step(fields, tag, w, events);
    }
    move_states<true, ALONG_Y>(at, work.owned, p, out, s);
}

__device__ void pass_idle(float *fields, const wide_block &w, const device_events<float> &events)
{
    __pipeline_wait_prior(0);
    __syncthreads();
    __syncthreads();
    for (unsigned tag = 1; tag <= w.tags; tag++) {
        await_filters(w, false);
        end_step(fields, tag, w, events);
    }
}

__device__ __forceinline__ void fetch_filters_at(float4 *to, const float2 *half, const float2 *node, int i, int n)
{
    if (i < n) {
        __pipeline_memcpy_async(to, half + i, sizeof *half);
        __pipeline_memcpy_async((float2 *)to + 1, node + i, sizeof *node);
    } else {
        *to = make_float4(1, 1, 1, 1);
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

/* Starts to fetch a box into shared memory. */
__device__ __forceinline__ void fetch_box(wide_pass_box *to, const wide_pass_plan &plan, int n)
{
    static_assert(sizeof *to % sizeof(int) == 0, "in words");
    int k = (int)threadIdx.x;
    if (n < plan.box_count && k < (int)(sizeof *to / sizeof(int))) {
        __pipeline_memcpy_async((int *)to + k, (const int *)(plan.boxes + n) + k, sizeof(int));
    }
}

template <int REACH, int RINGS>
__device__ __forceinline__ void fill_block(wide_block *w, const wide_pass_box &b, const device_problem<float> &p,
                                           const device_events<float> &events, const wide_pass_plan &plan, int64_t step,
                                           int steps)
{
    w->own = b.own;
    w->tile = b.tile;
    w->filters = b.filters;
    w->zone = b.zone;
    w->depth = p.layer > 0 ? REACH - 1 : RINGS;
    w->tags = (unsigned)steps;
    w->air = plan.air;
    w->step = step;
    if (b.weights >= 0) {
        const device_source &source = events.sources[b.own.run];
        w->drive = source.drive;
        w->weights = plan.weights + (size_t)b.weights * 4 * PATCH_ROWS * Shape::threads;
        w->hard = source.hard;
    }
}

/* `first`: the pass before may still be under way. */
template <int REACH, int RINGS>
__device__ __forceinline__ void run_box(const wide_pass_box &b, bool first, wide_block *shared,
                                        const device_problem<float> &p, const device_fields<float> &in,
                                        const device_fields<float> &out, const device_events<float> &events,
                                        const wide_pass_plan &plan, int64_t step, int steps)
{
    extern __shared__ float4 shared_memory[];
    wide_memory<Shape> memory(shared_memory);
    const wide_block &w = *shared;
    const box tile = b.tile;
    int run = b.own.run;
    const device_fields<float> from = run_fields(p, in, run), to = run_fields(p, out, run);
    const uint4 told = __ldg((const uint4 *)(plan.orders + (size_t)b.orders * Shape::threads) + threadIdx.x);
    fetch_profiles(memory, tile, p);
    if (threadIdx.x == 0) {
        fill_block<REACH, RINGS>(shared, b, p, events, plan, step, steps);
    }
    if (first) {
        device_end_after_previous();
        device_trigger_dependent_launch();
    }
    fetch_field(tile, p, from.e, memory.fields);
    wide_item item = unpack_item(told.x);
    wide_place at = place_patch<Shape>(memory, tile, item, told.y);
    pass_work work = {told.x >> 16, told.z, (unsigned)max(steps - (int)told.w, 0)};
    bool zone = __any_sync(0xffffffffu, item.on && item.role == OWNS && item.kind != OUTSIDE);
    if (item.role == FILTERS_X) {
        pass_filters<REACH, false>(at, work, memory.x_filters + 4 * item.quad, memory.fields, w, p, from, to, events);
    } else if (item.role == FILTERS_Y) {
        pass_filters<REACH, true>(at, work, memory.y_filters + PATCH_ROWS * item.group, memory.fields, w, p, from, to,
                                  events);
    } else if (item.role == OWNS) {
        pass_patches<RINGS>(at, work, zone, memory.fields, w, p, from, to, events);
    } else {
        pass_idle(memory.fields, w, events);
    }
}

/* Blocks share the boxes. */
template <int REACH, int RINGS>
__global__ void __launch_bounds__(Shape::threads, 1)
    wide_frame_kernel(const __grid_constant__ device_problem<float> p, const __grid_constant__ device_fields<float> in,
                      const __grid_constant__ device_fields<float> out,
                      const __grid_constant__ device_events<float> events, const __grid_constant__ wide_pass_plan plan,
                      int64_t step, int steps)
{
    __shared__ wide_block w;
    __shared__ wide_pass_box boxes[2]; /* this and the next */
    int turn = 0;
    fetch_box(boxes, plan, (int)blockIdx.x);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int n = (int)blockIdx.x; n < plan.box_count; n += (int)gridDim.x) {
        __syncthreads(); /* of the box before, probes may still be read */
        fetch_box(boxes + (turn ^ 1), plan, n + (int)gridDim.x);
        run_box<REACH, RINGS>(boxes[turn], n == (int)blockIdx.x, &w, p, in, out, events, plan, step, steps);
        turn ^= 1;
    }
}

template <int REACH, int RINGS>
pw_status launch_pass(const device_problem<float> &p, const device_fields<float> &in, const device_fields<float> &out,
                      const device_events<float> &events, const wide_pass_plan &plan, int blocks, int64_t step,
                      int steps, cudaStream_t stream, pw_error *error)
{
    return launch_beside<wide_frame_kernel<REACH, RINGS>>("wide_frame_kernel", dim3(blocks), Shape::threads,
                                                          Shape::shared_bytes, stream, error, p, in, out, events, plan,
                                                          step, steps);
}

} // namespace

pw_status wide_border_pass(const device_problem<float> &problem, const device_fields<float> &in,
                           const device_fields<float> &out, const device_events<float> &events,
                           const wide_pass_plan &plan, int blocks, int64_t step, int steps, cudaStream_t stream,
                           pw_error *error)
{
#define LAUNCH(reach, rings)                                                                                           \
    return launch_pass<reach, rings>(problem, in, out, events, plan, blocks, step, steps, stream, error)
    BY_WIDE_SCHEME(problem, LAUNCH)
#undef LAUNCH
}
