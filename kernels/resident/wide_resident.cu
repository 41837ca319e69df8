/* Small grids of the wide stencils stay on the chip: a block keeps a tile, every thread a patch of it with its fields
 * and materials in registers for the whole batch of steps, or the filter states of a patch in a zone. Ez goes through
 * shared memory, twice, so that a step away from the absorber needs one barrier, and at every step to the four
 * neighbours (wide_halo.h). A tile's zones and all that they reach lie within the tile and its halo
 * (wide_partition.cu), so that nothing but Ez is exchanged. Leaves out: the arithmetic (wide_step.h, wide_filter.h),
 * yee (yee_resident.cu). */
#include "kernels/resident/wide_resident.h"

#include "kernels/common/lattice.h"
#include "kernels/resident/wide_halo.h"

namespace
{

/* The sample of the spectra after `steps` steps. */
template <typename Shape>
__device__ __noinline__ void sample(const box &own, const resident_plan &plan, const float *field, int64_t steps)
{
    const device_spectra &s = plan.spectra;
    float *to = plan.samples + (size_t)(steps / s.every - 1 - plan.sample_first) * s.cells;
    visit_lattice(s, own.x0, own.x1, own.y0, own.y1, (int)threadIdx.x, Shape::threads,
                  [&](int x, int y, size_t at) { to[at] = field[(y - own.y0) * Shape::pitch + x - own.x0]; });
}

/* After a warp's own work of a step: what comes in, and the step's end. */
template <typename Shape>
__device__ __forceinline__ void end_step(float *fields, unsigned tag, const exchange &x, const wide_batch &w,
                                         const device_events<float> &events, const resident_plan &plan)
{
    float *field = new_of<Shape>(fields, tag);
    if (tag < w.tags) {
        receive<Shape>(x, w, field, tag);
    }
    __syncthreads();
    if (w.own.probe_count > 0) {
        record_probes<Shape>(w.own, w.tile, events, field + Shape::origin, w.step + tag);
    }
    if (w.every > 0 && (w.phase + tag) % w.every == 0) {
        sample<Shape>(w.own, plan, field + Shape::origin, w.step + tag);
    }
}

__device__ __forceinline__ void start_patch(wide_place &at, const device_problem<float> &p,
                                            const device_fields<float> &from, wide_patch &c)
{
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        unsigned material = 0;
        float e = 0, v = 0;
        if (at.has(k)) {
            size_t n = (size_t)(at.y() + k / 4) * p.pitch + at.x() + k % 4;
            material = p.material[n];
            e = __ldcg(from.e + n);
            v = __ldcg(from.v + n);
        }
        c.materials[k / 2] = k % 2 == 0 ? material : c.materials[k / 2] | material << 16;
        c.e[k / 4][k % 4] = e;
        c.v[k / 4][k % 4] = v;
    }
    look_for_air(at, c);
}

/* The halo before the first step. */
template <typename Shape>
__device__ __forceinline__ void start_halo(const exchange &x, const wide_batch &w, const device_problem<float> &p,
                                           const device_fields<float> &from, float *field)
{
    for (int i = 0; i < Shape::slots; i++) {
        int at = (int)(x.places >> 16 * i & NOWHERE), x0 = at % Shape::pitch - MARGIN_X + w.own.x0,
            y0 = at / Shape::pitch - MARGIN_Y + w.own.y0;
        for (int r = 0; at != (int)NOWHERE && r < PATCH_ROWS; r++) {
            if (y0 + r < p.ny && x0 < p.nx) {
                field[at + r * Shape::pitch] = __ldcg(from.e + (size_t)(y0 + r) * p.pitch + x0);
            }
        }
    }
}

/* The whole batch of a warp that owns patches, in zones or not. Every role passes the same barriers of the block. */
template <typename Shape, int RINGS>
__device__ void own_patches(wide_place &at, float *fields, const exchange &x, unsigned driven, bool zone,
                            const wide_batch &w, const device_problem<float> &p, const device_fields<float> &from,
                            const device_fields<float> &to, const device_events<float> &events,
                            const resident_plan &plan)
{
    constexpr int P = Shape::pitch;
    wide_patch c;
    start_patch(at, p, from, c);
    share_patch<P>(at, p, at.base, w.depth, c.e);
    start_halo<Shape>(x, w, p, from, fields);
    bool near_source = __any_sync(0xffffffffu, driven != 0);
    __syncthreads();
    for (unsigned tag = 1; tag <= w.tags; tag++) {
        step_patch<Shape, RINGS>(at, driven, near_source, zone, w, p, tag, c);
        if (tag < w.tags) {
            send_patch<Shape>(x, w, c, tag);
        }
        share_patch<P>(at, p, new_of<Shape>(at.base, tag), w.depth, c.e);
        end_step<Shape>(fields, tag, x, w, events, plan);
    }
    store_patch(at, at.bits, p, to, c);
}

/* The same of a warp that filters. */
template <typename Shape, int REACH, bool ALONG_Y>
__device__ void filter_patches(const wide_place &at, const float4 *filters, float *fields, const exchange &x,
                               const wide_batch &w, const device_problem<float> &p, const device_fields<float> &from,
                               const device_fields<float> &to, const device_events<float> &events,
                               const resident_plan &plan)
{
    wide_states s;
    move_states<false, ALONG_Y>(at, at.bits, p, from, s);
    start_halo<Shape>(x, w, p, from, fields);
    bool seconds = (ALONG_Y ? at.zone_y() : at.zone_x()) != 0;
    __syncthreads();
    for (unsigned tag = 1; tag <= w.tags; tag++) {
        step_filters<Shape, REACH, ALONG_Y>(at, at.on(), seconds, filters, w, p, tag, s);
        end_step<Shape>(fields, tag, x, w, events, plan);
    }
    move_states<true, ALONG_Y>(at, at.bits, p, to, s);
}

/* The same of a warp without patches: it receives and records. */
template <typename Shape>
__device__ void wait_idle(float *fields, const exchange &x, const wide_batch &w, const device_problem<float> &p,
                          const device_fields<float> &from, const device_events<float> &events,
                          const resident_plan &plan)
{
    start_halo<Shape>(x, w, p, from, fields);
    __syncthreads();
    for (unsigned tag = 1; tag <= w.tags; tag++) {
        await_filters(w, false);
        end_step<Shape>(fields, tag, x, w, events, plan);
    }
}

/* ---- setting up -----------------------------------------------------------------------------------------------------
 */

/* Clears the block's memory and fetches the filters. */
template <typename Shape>
__device__ void prepare(const wide_memory<Shape> &m, const box &b, const device_problem<float> &p)
{
    for (int k = (int)threadIdx.x; k < 5 * Shape::field; k += Shape::threads) {
        m.fields[k] = 0;
    }
    fetch_filters<Shape>(m, b, p);
    m.driven[threadIdx.x] = 0;
}

/* Gives the sources' weights to the threads that own their nodes. `owner`: (groups, quads), room for it. */
template <typename Shape>
__device__ unsigned place_sources(const wide_memory<Shape> &m, const box &b, const device_problem<float> &p,
                                  const device_source &source, const wide_item &item, float *weights)
{
    int *owner = (int *)(m.fields + Shape::to_gx); /* not in use yet */
    if (item.on && item.role == OWNS) {
        owner[item.group * Shape::quads + item.quad] = (int)threadIdx.x;
    }
    __syncthreads();
    for (int k = (int)threadIdx.x; k < source.count; k += Shape::threads) {
        int x = (int)(source.node[k] % p.nx), y = (int)(source.node[k] / p.nx);
        if (x < b.x0 || x >= b.x1 || y < b.y0 || y >= b.y1) {
            continue;
        }
        int thread = owner[(y - b.y0) / PATCH_ROWS * Shape::quads + (x - b.x0) / 4];
        int bit = (y - b.y0) % PATCH_ROWS * 4 + (x - b.x0) % 4;
        weights[bit * Shape::threads + thread] = (float)source.weight[k];
        atomicOr(m.driven + thread, 1u << bit);
    }
    __syncthreads();
    if (item.on && item.role == OWNS) {
        owner[item.group * Shape::quads + item.quad] = 0;
    }
    __syncthreads();
    return item.role == OWNS ? m.driven[threadIdx.x] : 0u;
}

/* One thread tells the block. */
template <typename Shape, int REACH, int RINGS>
__device__ void fill_block(wide_batch *w, const device_problem<float> &p, const device_events<float> &events,
                           const resident_plan &plan, int64_t step, int64_t steps)
{
    typedef inbox_layout<Shape, RINGS> layout;
    const box b = plan.boxes[blockIdx.x];
    int me = (int)blockIdx.x, groups = (b.y1 - b.y0 + PATCH_ROWS - 1) / PATCH_ROWS;
    w->own = w->tile = b;
    w->inboxes = (float4 *)plan.packets;
    w->stride = plan.columns * plan.rows * Shape::inbox;
    w->to[0] = (me - 1) * Shape::inbox + layout::east;
    w->to[1] = (me + 1) * Shape::inbox + layout::west + (b.x0 - b.x1 + RINGS) * Shape::groups;
    w->to[2] = (me - plan.columns) * Shape::inbox + layout::north;
    w->to[3] = (me + plan.columns) * Shape::inbox + layout::south + (layout::deep - groups) * 4 * Shape::quads;
    w->depth = p.layer > 0 ? REACH - 1 : RINGS;
    w->every = plan.samples != NULL ? (unsigned)plan.spectra.every : 0u;
    w->phase = w->every > 0 ? (unsigned)(step % w->every) : 0u;
    w->tags = (unsigned)steps;
    w->air = p.palette[0];
    w->drive = events.sources->drive;
    w->source_weights = (float *)(w->inboxes + 2 * w->stride) + (size_t)me * 4 * PATCH_ROWS * Shape::threads;
    w->weights = w->source_weights;
    w->hard = events.sources->hard;
    w->step = step;
}

template <typename Shape, int REACH, int RINGS>
__global__ void __launch_bounds__(Shape::threads, 1)
    wide_kernel(const __grid_constant__ device_problem<float> p, const __grid_constant__ device_fields<float> from,
                const __grid_constant__ device_fields<float> to, const __grid_constant__ device_events<float> events,
                const __grid_constant__ resident_plan plan, int64_t step, int64_t steps)
{
    extern __shared__ float4 shared_memory[];
    __shared__ wide_batch w;
    wide_memory<Shape> memory(shared_memory);
    if (threadIdx.x == 0) {
        fill_block<Shape, REACH, RINGS>(&w, p, events, plan, step, steps);
    }
    __syncthreads();
    const box b = w.own;
    prepare<Shape>(memory, b, p);
    wide_item item = find_item(make_roster(make_axis(b.x0, b.x1, p.nx, 4, p.zone, REACH),
                                           make_axis(b.y0, b.y1, p.ny, PATCH_ROWS, p.zone, REACH), Shape::warps),
                               (int)threadIdx.x);
    __syncthreads();
    unsigned driven = place_sources<Shape>(memory, b, p, *events.sources, item, w.source_weights);
    wide_place at = place_patch<Shape>(
        memory, b, item, place_bits(item, b, p.nx, p.ny, p.zone, image_depth(item, p.layer, REACH, RINGS)));
    exchange x = plan_exchange<Shape, RINGS>(b, p, at, item);
    bool owns = item.role == OWNS, zone = __any_sync(0xffffffffu, item.on && owns && item.kind != OUTSIDE);
    bool filters = item.role == FILTERS_X || item.role == FILTERS_Y;
    int filter_threads = __syncthreads_count(filters), zone_threads = __syncthreads_count(filters || zone);
    if (threadIdx.x == 0) {
        w.filters = filter_threads;
        w.zone = zone_threads;
    }
    if (item.role == FILTERS_X) {
        filter_patches<Shape, REACH, false>(at, memory.x_filters + 4 * item.quad, memory.fields, x, w, p, from, to,
                                            events, plan);
    } else if (item.role == FILTERS_Y) {
        filter_patches<Shape, REACH, true>(at, memory.y_filters + PATCH_ROWS * item.group, memory.fields, x, w, p, from,
                                           to, events, plan);
    } else if (owns) {
        own_patches<Shape, RINGS>(at, memory.fields, x, driven, zone, w, p, from, to, events, plan);
    } else {
        wait_idle<Shape>(memory.fields, x, w, p, from, events, plan);
    }
}

template <typename Shape, int REACH, int RINGS>
pw_status launch_wide(const device_problem<float> &problem, const device_fields<float> fields[2],
                      const device_events<float> &events, const resident_plan &plan, int64_t step, int64_t steps,
                      cudaStream_t stream, pw_error *error)
{
    device_problem<float> p = problem;
    device_fields<float> from = fields[0], to = fields[steps % 2];
    device_events<float> e = events;
    resident_plan r = plan;
    void *arguments[] = {&p, &from, &to, &e, &r, &step, &steps};
    int blocks = plan.columns * plan.rows;
    const void *kernel = (const void *)wide_kernel<Shape, REACH, RINGS>;
    TRY((allow_shared_memory<wide_kernel<Shape, REACH, RINGS>>(error)));
    /* No packet of an earlier batch may pass for one of this. */
    CUDA_TRY(cudaMemsetAsync(plan.packets, 0, sizeof(float4) * 2 * Shape::inbox * blocks, stream));
    /* Cooperative: all blocks run at once, or the launch fails; they wait for each other. */
    CUDA_TRY(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(Shape::threads), arguments, Shape::shared_bytes,
                                         stream));
    return PW_OK;
}

} // namespace

pw_status wide_resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                                const device_events<float> &events, const resident_plan &plan, int64_t step,
                                int64_t steps, cudaStream_t stream, pw_error *error)
{
    if (steps == 0) {
        return PW_OK;
    }
#define LAUNCH(reach, rings)                                                                                           \
    return launch_wide<wide_tile, reach, rings>(problem, fields, events, plan, step, steps, stream, error)
    BY_WIDE_SCHEME(problem, LAUNCH)
#undef LAUNCH
}
