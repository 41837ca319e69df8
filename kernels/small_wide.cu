/* Small grids of the wide stencils stay on the chip: a block keeps a tile, every thread a patch of it with its fields and materials in
 * registers for the whole batch of steps, or the filter states of a patch in a zone. Ez goes through shared memory, twice, so that a step
 * away from the absorber needs one barrier, and at every step to the four neighbours (small_wide_packet.h). A tile's zones and
 * all that they reach lie within the tile and its halo (small_wide_cut.cu), so that nothing but Ez is exchanged.
 * Leaves out: the arithmetic (small_wide_step.h, small_wide_filter.h), yee (small_yee.cu). */
#include "small_wide.h"

#include "small_wide_filter.h"
#include "small_wide_packet.h"

namespace
{

/* Probes after `steps` steps; `field` is the box's corner. */
template <typename Shape>
__device__ __noinline__ void record_probes(const box &b, const device_events<float> &events, const float *field,
                                           int64_t steps)
{
    float *row = events.record + (size_t)(steps - 1 - events.record_first) * events.probe_count;
    for (int k = b.probe_first + (int)threadIdx.x; k < b.probe_first + b.probe_count; k += Shape::threads) {
        row[events.probe_slot[k]] = field[(events.probe_y[k] - b.y0) * Shape::pitch + events.probe_x[k] - b.x0];
    }
}

/* The sample of the spectra after `steps` steps. */
template <typename Shape>
__device__ __noinline__ void sample(const box &own, const small_plan &plan, const float *field, int64_t steps)
{
    const device_spectra &s = plan.spectra;
    float *to = plan.samples + (size_t)(steps / s.every - 1 - plan.sample_first) * s.cells;
    for (int y = own.y0 + (int)threadIdx.x / 32; y < own.y1; y += Shape::threads / 32) {
        for (int x = own.x0 + (int)threadIdx.x % 32; x < own.x1; x += 32) {
            ptrdiff_t at = s.place(x, y);
            if (at >= 0) {
                to[at] = field[(y - own.y0) * Shape::pitch + x - own.x0];
            }
        }
    }
}

enum { BARRIER_FILTERS = 1, BARRIER_ZONE = 2 };

__device__ __forceinline__ void meet(int barrier, int threads)
{
    __syncwarp();
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/* Ez of the step whose packets have `tag` = 1, 2, ..., or what it makes; `base` is in the first field. */
template <typename Shape> __device__ __forceinline__ float *old_of(float *base, unsigned tag)
{
    return base + ((tag & 1u) != 0 ? 0 : Shape::field);
}

template <typename Shape> __device__ __forceinline__ float *new_of(float *base, unsigned tag)
{
    return base + ((tag & 1u) != 0 ? Shape::field : 0);
}

/* After a warp's own work of a step: what comes in, and the step's end. */
template <typename Shape>
__device__ __forceinline__ void end_step(float *fields, unsigned tag, const exchange &x, const wide_block &w,
                                         const device_events<float> &events, const small_plan &plan)
{
    float *field = new_of<Shape>(fields, tag);
    if (tag < w.tags) {
        receive<Shape>(x, w, field, tag);
    }
    __syncthreads();
    if (w.own.probe_count > 0) {
        record_probes<Shape>(w.own, events, field + Shape::origin, w.step + tag);
    }
    if (w.every > 0 && (w.phase + tag) % w.every == 0) {
        sample<Shape>(w.own, plan, field + Shape::origin, w.step + tag);
    }
}

/* Sources on the patch: bits of driven nodes. */
template <typename Shape>
__device__ __forceinline__ void drive_patch(unsigned driven, const wide_block &w, float amplitude, wide_patch &c)
{
    const float *weights = w.weights + threadIdx.x;
    bool hard = w.hard;
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        if ((driven >> k & 1u) != 0) {
            cell_source(weights[k * Shape::threads], amplitude, hard, &c.v[k / 4][k % 4], &c.e[k / 4][k % 4]);
        }
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
    unsigned solid = 0;
#pragma unroll
    for (int k = 0; k < 2 * PATCH_ROWS; k++) {
        solid |= c.materials[k];
    }
    at.bits |= __any_sync(0xffffffffu, solid != 0) ? 0u : 1u << 24;
}

__device__ __forceinline__ void store_patch(const wide_place &at, const device_problem<float> &p,
                                            const device_fields<float> &to, const wide_patch &c)
{
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        if (at.has(k)) {
            size_t n = (size_t)(at.y() + k / 4) * p.pitch + at.x() + k % 4;
            __stcg(to.e + n, c.e[k / 4][k % 4]);
            __stcg(to.v + n, c.v[k / 4][k % 4]);
        }
    }
}

/* Filter states of a patch, from memory or back. */
template <bool STORE, bool ALONG_Y>
__device__ __forceinline__ void move_states(const wide_place &at, const device_problem<float> &p,
                                            const device_fields<float> &f, wide_states &s)
{
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        int x = at.x() + k % 4, y = at.y() + k / 4,
            layer = ALONG_Y ? layer_index(y, p.ny, p.layer) : layer_index(x, p.nx, p.layer);
        float &half = s.half[k / 4][k % 4], &node = s.node[k / 4][k % 4];
        if (!STORE) {
            half = node = 0;
        }
        if (!at.has(k) || layer < 0) {
            continue;
        }
        size_t n = ALONG_Y ? (size_t)layer * p.pitch + x : (size_t)y * 2 * p.layer + layer;
        float *halves = (ALONG_Y ? f.y_half : f.x_half) + n, *nodes = (ALONG_Y ? f.y_node : f.x_node) + n;
        if (STORE) {
            __stcg(halves, half);
            __stcg(nodes, node);
        } else {
            half = __ldcg(halves);
            node = __ldcg(nodes);
        }
    }
}

/* The halo before the first step. */
template <typename Shape>
__device__ __forceinline__ void start_halo(const exchange &x, const wide_block &w, const device_problem<float> &p,
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
                            const wide_block &w, const device_problem<float> &p, const device_fields<float> &from,
                            const device_fields<float> &to, const device_events<float> &events, const small_plan &plan)
{
    constexpr int P = Shape::pitch;
    wide_patch c;
    start_patch(at, p, from, c);
    share_patch<P>(at, p, at.base, w.depth, c.e);
    start_halo<Shape>(x, w, p, from, fields);
    bool near_source = __any_sync(0xffffffffu, driven != 0);
    __syncthreads();
    for (unsigned tag = 1; tag <= w.tags; tag++) {
        const float *now = old_of<Shape>(at.base, tag);
        float amplitude = 0, lap[PATCH_ROWS][4];
        if (near_source) {
            amplitude = (float)__ldg(w.drive + w.step + tag - 1);
        }
        if (!at.whole()) { /* columns and rows beyond the wall are images */
#pragma unroll
            for (int r = 0; r < PATCH_ROWS; r++) {
                get_quad(c.e[r], now + r * P);
            }
        }
        if ((nodes_in_x(at) | nodes_in_y(at)) != 0xfffu) {
            patch_cross<RINGS, P>(p, now, c.e, lap);
        }
        if (zone) {
            patch_unfiltered<RINGS, P>(at, p, now, c.e, lap);
            meet(BARRIER_ZONE, w.zone);
            add_filtered<P>(at, new_of<Shape>(at.base, tag), at.base + Shape::to_lap_y, lap);
        }
        advance_patch(p, at.in_air(), w.air, lap, c);
        if (near_source) {
            drive_patch<Shape>(driven, w, amplitude, c);
        }
        if (tag < w.tags) {
            send_patch<Shape>(x, w, c, tag);
        }
        share_patch<P>(at, p, new_of<Shape>(at.base, tag), w.depth, c.e);
        end_step<Shape>(fields, tag, x, w, events, plan);
    }
    store_patch(at, p, to, c);
}

/* The same of a warp that filters. */
template <typename Shape, int REACH, bool ALONG_Y>
__device__ void filter_patches(const wide_place &at, const float4 *filters, float *fields, const exchange &x,
                               const wide_block &w, const device_problem<float> &p, const device_fields<float> &from,
                               const device_fields<float> &to, const device_events<float> &events,
                               const small_plan &plan)
{
    constexpr int P = Shape::pitch;
    wide_states s;
    move_states<false, ALONG_Y>(at, p, from, s);
    start_halo<Shape>(x, w, p, from, fields);
    bool seconds = at.on() && (ALONG_Y ? at.zone_y() : at.zone_x()) != 0;
    __syncthreads();
    for (unsigned tag = 1; tag <= w.tags; tag++) {
        const float *now = old_of<Shape>(at.base, tag);
        if (at.on()) {
            if (ALONG_Y) {
                patch_halves_y<REACH, P>(at, p, filters, now, at.base + Shape::to_gy, s);
            } else {
                patch_halves_x<REACH, P>(at, p, filters, now, at.base + Shape::to_gx, s);
            }
        }
        meet(BARRIER_FILTERS, w.filters);
        if (seconds) {
            if (ALONG_Y) {
                patch_seconds_y<REACH, P>(at, p, filters, at.base + Shape::to_gy, at.base + Shape::to_lap_y, s);
            } else {
                patch_seconds_x<REACH, P>(at, p, filters, at.base + Shape::to_gx, new_of<Shape>(at.base, tag), s);
            }
        }
        meet(BARRIER_ZONE, w.zone); /* arriving alone would do, but racecheck does not follow it */
        end_step<Shape>(fields, tag, x, w, events, plan);
    }
    move_states<true, ALONG_Y>(at, p, to, s);
}

/* The same of a warp without patches: it receives and records. */
template <typename Shape>
__device__ void wait_idle(float *fields, const exchange &x, const wide_block &w, const device_problem<float> &p,
                          const device_fields<float> &from, const device_events<float> &events, const small_plan &plan)
{
    start_halo<Shape>(x, w, p, from, fields);
    __syncthreads();
    for (unsigned tag = 1; tag <= w.tags; tag++) {
        end_step<Shape>(fields, tag, x, w, events, plan);
    }
}

/* ---- setting up ----------------------------------------------------------------------------------------------------- */

/* Memory of a block. */
template <typename Shape> struct wide_memory {
    float4 *x_filters, *y_filters;
    float *fields;
    unsigned *driven;

    __device__ explicit wide_memory(float4 *memory)
    {
        x_filters = memory;
        y_filters = x_filters + Shape::width;
        fields = (float *)(y_filters + Shape::height);
        driven = (unsigned *)(fields + 5 * Shape::field);
    }
};

__device__ __forceinline__ float4 filters_at(const float2 *half, const float2 *node, int i, int n)
{
    return i < n ? make_float4(half[i].x, half[i].y, node[i].x, node[i].y) : make_float4(1, 1, 1, 1);
}

/* Clears the block's memory and fetches the filters. */
template <typename Shape>
__device__ void prepare(const wide_memory<Shape> &m, const box &b, const device_problem<float> &p)
{
    for (int k = (int)threadIdx.x; k < 5 * Shape::field; k += Shape::threads) {
        m.fields[k] = 0;
    }
    for (int k = (int)threadIdx.x; k < Shape::width; k += Shape::threads) {
        m.x_filters[k] = filters_at(p.x_half, p.x_node, b.x0 + k, p.nx);
    }
    for (int k = (int)threadIdx.x; k < Shape::height; k += Shape::threads) {
        m.y_filters[k] = filters_at(p.y_half, p.y_node, b.y0 + k, p.ny);
    }
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

template <typename Shape>
__device__ wide_place place_patch(const wide_memory<Shape> &m, const box &b, const device_problem<float> &p,
                                  const wide_item &item, int depth)
{
    wide_place at;
    int x = b.x0 + 4 * item.quad, y = b.y0 + PATCH_ROWS * item.group;
    at.corner = (unsigned)x | (unsigned)y << 16;
    at.bits = 0;
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        at.bits |= item.on && x + k % 4 < b.x1 && y + k / 4 < b.y1 ? 1u << k : 0u;
    }
    if (item.on) {
        for (int k = 0; p.zone > 0 && k < 4; k++) {
            at.bits |= x + k < p.zone || x + k >= p.nx - p.zone ? 1u << (12 + k) : 0u;
        }
        for (int r = 0; p.zone > 0 && r < PATCH_ROWS; r++) {
            at.bits |= y + r < p.zone || y + r >= p.ny - p.zone ? 1u << (16 + r) : 0u;
        }
        at.bits |= (x <= depth ? 1u << 20 : 0u) | (p.nx - x - 4 < depth ? 2u << 20 : 0u) |
                   (y <= depth ? 4u << 20 : 0u) | (p.ny - y - PATCH_ROWS < depth ? 8u << 20 : 0u);
    }
    at.base = m.fields + Shape::origin + PATCH_ROWS * item.group * Shape::pitch + 4 * item.quad;
    return at;
}

/* One thread tells the block. */
template <typename Shape, int REACH, int RINGS>
__device__ void fill_block(wide_block *w, const device_problem<float> &p, const device_events<float> &events,
                           const small_plan &plan, int64_t step, int64_t steps)
{
    typedef inbox_layout<Shape, RINGS> layout;
    const box b = plan.boxes[blockIdx.x];
    int me = (int)blockIdx.x, groups = (b.y1 - b.y0 + PATCH_ROWS - 1) / PATCH_ROWS;
    w->own = b;
    w->inboxes = (float4 *)plan.flags;
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
    w->weights = (float *)(w->inboxes + 2 * w->stride) + (size_t)me * 4 * PATCH_ROWS * Shape::threads;
    w->hard = events.sources->hard;
    w->step = step;
}

template <typename Shape, int REACH, int RINGS>
__global__ void __launch_bounds__(Shape::threads, 1)
    wide_kernel(const __grid_constant__ device_problem<float> p, const __grid_constant__ device_fields<float> from,
                const __grid_constant__ device_fields<float> to, const __grid_constant__ device_events<float> events,
                const __grid_constant__ small_plan plan, int64_t step, int64_t steps)
{
    extern __shared__ float4 shared_memory[];
    __shared__ wide_block w;
    wide_memory<Shape> memory(shared_memory);
    if (threadIdx.x == 0) {
        fill_block<Shape, REACH, RINGS>(&w, p, events, plan, step, steps);
    }
    __syncthreads();
    const box b = w.own;
    prepare<Shape>(memory, b, p);
    wide_item item = find_item(make_roster(make_axis(b.x0, b.x1, p.nx, 4, p.zone, REACH),
                                           make_axis(b.y0, b.y1, p.ny, PATCH_ROWS, p.zone, REACH), Shape::warps));
    __syncthreads();
    unsigned driven = place_sources<Shape>(memory, b, p, *events.sources, item, w.weights);
    wide_place at = place_patch<Shape>(memory, b, p, item, item.role == OWNS ? w.depth : REACH);
    exchange x = plan_exchange<Shape, RINGS>(b, p, at, item);
    bool owns = item.role == OWNS, filters = item.role == FILTERS_X || item.role == FILTERS_Y,
         zone = __any_sync(0xffffffffu, item.on && owns && item.kind != OUTSIDE);
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
                      const device_events<float> &events, const small_plan &plan, int64_t step, int64_t steps,
                      cudaStream_t stream, pw_error *error)
{
    device_problem<float> p = problem;
    device_fields<float> from = fields[0], to = fields[steps % 2];
    device_events<float> e = events;
    small_plan r = plan;
    void *arguments[] = {&p, &from, &to, &e, &r, &step, &steps};
    int blocks = plan.columns * plan.rows;
    const void *kernel = (const void *)wide_kernel<Shape, REACH, RINGS>;
    CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)Shape::shared_bytes));
    /* No packet of an earlier batch may pass for one of this. */
    CUDA_TRY(cudaMemsetAsync(plan.flags, 0, sizeof(float4) * 2 * Shape::inbox * blocks, stream));
    /* Cooperative: all blocks run at once, or the launch fails; they wait for each other. */
    CUDA_TRY(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(Shape::threads), arguments, Shape::shared_bytes,
                                         stream));
    return PW_OK;
}

} // namespace

pw_status wide_small_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                             const device_events<float> &events, const small_plan &plan, int64_t step, int64_t steps,
                             cudaStream_t stream, pw_error *error)
{
    if (steps == 0) {
        return PW_OK;
    }
#define LAUNCH(reach, rings)                                                                                           \
    launch_wide<wide_tile, reach, rings>(problem, fields, events, plan, step, steps, stream, error)
    switch (10 * problem.reach + problem.rings) {
    case 23:
        return LAUNCH(2, 3);
    case 35:
        return LAUNCH(3, 5);
    case 47:
        return LAUNCH(4, 7);
    case 57:
        return LAUNCH(5, 7);
    case 79:
        return LAUNCH(7, 9);
    default:
        return fail(error, PW_USAGE, "no small kernel for a reach of %d with %d rings", problem.reach, problem.rings);
    }
#undef LAUNCH
}
