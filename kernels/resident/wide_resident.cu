/* The wide stencils on a grid that stays on the chip. A block keeps one tile for a whole batch of steps; a thread keeps
 * one patch of it in registers, either its fields and coefficient indices or the filter states of a patch in an
 * absorber region.
 *
 * Thread mapping: block b has tile plan.boxes[b]. Thread t has the role and the patch find_task(roles, t), that is
 * columns x0 + 4 quad ... + 3 and rows y0 + PATCH_ROWS group ... + 2 (warp_roles.h).
 *
 * One step of two neighbouring tiles; every tile has Ez in shared memory twice, before (F) and after (G) the step:
 *
 *        tile A: shared memory            L2              tile B: shared memory
 *      F +------------------+----+   halo slots of B   F +----+------------------+
 *        | Ez[n] of A       |halo|                       |halo| Ez[n] of B       |
 *        +------------------+----+   halo slots of A     +----+------------------+
 *               | read: patch and TAPS nodes around it        |
 *               v                                             v
 *         registers: Ez[n+1] ------> send ---> slots of B
 *               |             slots of A <---------- send <-- registers: Ez[n+1]
 *               v share                                       v share
 *      G +------------------+----+                     G +----+------------------+
 *        | Ez[n+1] of A     |halo| <- receive  receive ->|halo| Ez[n+1] of B     |
 *        +------------------+----+                       +----+------------------+
 *        barrier of the block; F and G change roles      barrier of the block
 *
 * A tile holds the absorber regions that it touches, and all that their filters reach, within itself and its halo
 * (wide_partition.cu); so nothing but Ez is exchanged. Leaves out: the steps of a block (wide_block.h), the arithmetic
 * (wide_step.h, wide_filter.h), the halo exchange (wide_halo.h), and yee (yee_resident.cu). */
#include "kernels/resident/wide_resident.h"

#include "kernels/common/cooperative_launch.h"
#include "kernels/common/events.h"
#include "kernels/common/lattice.h"
#include "kernels/resident/wide_halo.h"
#include "kernels/wide/wide_stencils.h"

namespace
{

/* What the kernel is given. */
struct batch_arguments {
    const device_problem<float> &problem;
    const device_fields<float> &from, &to;
    const device_events<float> &events;
    const resident_plan &plan;
};

/* The sample of the spectra after `steps` steps. */
template <typename Shape>
__device__ __noinline__ void sample(const box &own, const resident_plan &plan, const float *field, int64_t steps)
{
    const device_spectra &s = plan.spectra;
    float *to = plan.samples + (size_t)(steps / s.every - 1 - plan.sample_first) * s.cells;
    visit_lattice(s, own.x0, own.x1, own.y0, own.y1, (int)threadIdx.x, Shape::threads,
                  [&](int x, int y, size_t at) { to[at] = field[(y - own.y0) * Shape::pitch + x - own.x0]; });
}

/* Ends a step after a warp's own work: receives the halo, meets the block, and records. */
template <typename Shape>
__device__ __forceinline__ void end_step(float *fields, unsigned n, const halo_exchange &x, const wide_batch &w,
                                         const device_events<float> &events, const resident_plan &plan)
{
    float *field = field_after<Shape>(fields, n);
    if (n < w.steps) {
        halo_receive<Shape>(x, w, field, n);
    }
    __syncthreads();
    if (w.own.probe_count > 0) {
        record_probes<Shape>(w.own, w.tile, events, field + Shape::origin, w.first_step + n);
    }
    if (w.every > 0 && (w.phase + n) % w.every == 0) {
        sample<Shape>(w.own, plan, field + Shape::origin, w.first_step + n);
    }
}

/* Loads the patch. */
__device__ __forceinline__ void start_patch(wide_place &at, const device_problem<float> &p,
                                            const device_fields<float> &from, wide_patch &c)
{
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        unsigned index = 0;
        float e = 0, v = 0;
        if (at.has(k)) {
            size_t n = (size_t)(at.y() + k / 4) * p.pitch + at.x() + k % 4;
            index = p.coefficient_index[n];
            e = __ldcg(from.e + n);
            v = __ldcg(from.v + n);
        }
        c.index_pairs[k / 2] = k % 2 == 0 ? index : c.index_pairs[k / 2] | index << 16;
        c.e[k / 4][k % 4] = e;
        c.v[k / 4][k % 4] = v;
    }
    detect_air(at, c);
}

/* Loads the halo before the first step. */
template <typename Shape>
__device__ __forceinline__ void start_halo(const halo_exchange &x, const wide_batch &w, const device_problem<float> &p,
                                           const device_fields<float> &from, float *field)
{
    for (int i = 0; i < Shape::slots_per_thread; i++) {
        int at = (int)x.target(i), x0 = at % Shape::pitch - MARGIN_X + w.own.x0,
            y0 = at / Shape::pitch - MARGIN_Y + w.own.y0;
        for (int r = 0; at != (int)NO_TARGET && r < PATCH_ROWS; r++) {
            if (y0 + r < p.ny && x0 < p.nx) {
                field[at + r * Shape::pitch] = __ldcg(from.e + (size_t)(y0 + r) * p.pitch + x0);
            }
        }
    }
}

/* The whole batch of a warp that owns patches, in absorber regions or not. Warps of all roles pass the same barriers.
 */
template <typename Shape, int TAPS>
__device__ void run_owner(wide_place &at, float *fields, const halo_exchange &x, unsigned driven, bool region,
                          const wide_batch &w, const batch_arguments &batch)
{
    const device_problem<float> &p = batch.problem;
    constexpr int P = Shape::pitch;
    wide_patch c;
    start_patch(at, p, batch.from, c);
    share_patch<P>(at, p, at.base, w.depth, c.e);
    start_halo<Shape>(x, w, p, batch.from, fields);
    bool near_source = __any_sync(0xffffffffu, driven != 0);
    __syncthreads();
    for (unsigned n = 1; n <= w.steps; n++) {
        step_patch<Shape, TAPS>(at, driven, near_source, region, w, p, n, c);
        if (n < w.steps) {
            halo_send<Shape>(x, w, c, n);
        }
        share_patch<P>(at, p, field_after<Shape>(at.base, n), w.depth, c.e);
        end_step<Shape>(fields, n, x, w, batch.events, batch.plan);
    }
    store_patch(at, at.bits, p, batch.to, c);
}

/* The whole batch of a warp that filters patches. */
template <typename Shape, int REACH, bool ALONG_Y>
__device__ void run_filter(const wide_place &at, const filter_pair *filters, float *fields, const halo_exchange &x,
                           const wide_batch &w, const batch_arguments &batch)
{
    const device_problem<float> &p = batch.problem;
    wide_states s;
    move_states<false, ALONG_Y>(at, at.bits, p, batch.from, s);
    start_halo<Shape>(x, w, p, batch.from, fields);
    bool seconds = (ALONG_Y ? at.region_y() : at.region_x()) != 0;
    __syncthreads();
    for (unsigned n = 1; n <= w.steps; n++) {
        step_filters<Shape, REACH, ALONG_Y>(at, at.on(), seconds, filters, w, p, n, s);
        end_step<Shape>(fields, n, x, w, batch.events, batch.plan);
    }
    move_states<true, ALONG_Y>(at, at.bits, p, batch.to, s);
}

/* The whole batch of a warp without patches: it receives and records. */
template <typename Shape>
__device__ void run_idle(float *fields, const halo_exchange &x, const wide_batch &w, const batch_arguments &batch)
{
    const device_problem<float> &p = batch.problem;
    start_halo<Shape>(x, w, p, batch.from, fields);
    __syncthreads();
    for (unsigned n = 1; n <= w.steps; n++) {
        wait_for_filters(w, false);
        end_step<Shape>(fields, n, x, w, batch.events, batch.plan);
    }
}

/* Clears the block's shared memory and fetches the filters. */
template <typename Shape>
__device__ void prepare(const wide_memory<Shape> &m, const box &b, const device_problem<float> &p)
{
    for (int k = (int)threadIdx.x; k < 5 * Shape::field; k += Shape::threads) {
        m.fields[k] = 0;
    }
    fetch_filters<Shape>(m, b, p);
    m.driven[threadIdx.x] = 0;
}

/* Gives the sources' weights to the threads that own their nodes; returns the thread's driven nodes, a bit each.
 * `owner`, (groups, quads), uses a field that is not in use yet. */
template <typename Shape>
__device__ unsigned place_sources(const wide_memory<Shape> &m, const box &b, const device_problem<float> &p,
                                  const device_source &source, const wide_task &task, float *weights)
{
    int *owner = (int *)(m.fields + Shape::to_gx);
    if (task.on && task.role == OWNS) {
        owner[task.group * Shape::quads + task.quad] = (int)threadIdx.x;
    }
    __syncthreads();
    for (int k = (int)threadIdx.x; k < source.count; k += Shape::threads) {
        grid_node node = node_at(source.node[k], p.nx);
        int x = node.x, y = node.y;
        if (x < b.x0 || x >= b.x1 || y < b.y0 || y >= b.y1) {
            continue;
        }
        int thread = owner[(y - b.y0) / PATCH_ROWS * Shape::quads + (x - b.x0) / 4];
        int bit = (y - b.y0) % PATCH_ROWS * 4 + (x - b.x0) % 4;
        weights[bit * Shape::threads + thread] = (float)source.weight[k];
        atomicOr(m.driven + thread, 1u << bit);
    }
    __syncthreads();
    if (task.on && task.role == OWNS) {
        owner[task.group * Shape::quads + task.quad] = 0;
    }
    __syncthreads();
    return task.role == OWNS ? m.driven[threadIdx.x] : 0u;
}

/* Block: tile plan.boxes[blockIdx.x]. Thread: role and patch find_task(roles, threadIdx.x). */
template <typename Shape, int REACH, int TAPS>
__global__ void __launch_bounds__(Shape::threads, 1)
    wide_resident_kernel(const __grid_constant__ device_problem<float> p,
                         const __grid_constant__ device_fields<float> from,
                         const __grid_constant__ device_fields<float> to,
                         const __grid_constant__ device_events<float> events,
                         const __grid_constant__ resident_plan plan, int64_t step, int64_t steps)
{
    extern __shared__ float4 shared_memory[];
    __shared__ wide_batch w;
    wide_memory<Shape> memory(shared_memory);
    if (threadIdx.x == 0) {
        fill_batch<Shape, REACH, TAPS, true>(&w, p, events, plan, step, steps);
    }
    __syncthreads();
    const box b = w.own;
    prepare<Shape>(memory, b, p);
    wide_task task =
        find_task(assign_warp_roles(make_axis(b.x0, b.x1, p.nx, 4, p.absorber_region, REACH),
                                    make_axis(b.y0, b.y1, p.ny, PATCH_ROWS, p.absorber_region, REACH), Shape::warps),
                  (int)threadIdx.x);
    __syncthreads();
    unsigned driven = place_sources<Shape>(memory, b, p, *events.sources, task, w.source_weights);
    wide_place at = place_patch<Shape>(
        memory, b, task, place_bits(task, b, p.nx, p.ny, p.absorber_region, image_depth(task, p.layer, REACH, TAPS)));
    halo_exchange x = make_halo_exchange<Shape, TAPS>(b, p, at, task);
    bool owns = task.role == OWNS, region = __any_sync(0xffffffffu, task.on && owns && task.kind != OUTSIDE);
    bool filters = task.role == FILTERS_X || task.role == FILTERS_Y;
    int filter_threads = __syncthreads_count(filters), region_threads = __syncthreads_count(filters || region);
    if (threadIdx.x == 0) {
        w.filter_threads = filter_threads;
        w.region_threads = region_threads;
    }
    const batch_arguments batch = {p, from, to, events, plan};
    if (task.role == FILTERS_X) {
        run_filter<Shape, REACH, false>(at, memory.x_filters + 4 * task.quad, memory.fields, x, w, batch);
    } else if (task.role == FILTERS_Y) {
        run_filter<Shape, REACH, true>(at, memory.y_filters + PATCH_ROWS * task.group, memory.fields, x, w, batch);
    } else if (owns) {
        run_owner<Shape, TAPS>(at, memory.fields, x, driven, region, w, batch);
    } else {
        run_idle<Shape>(memory.fields, x, w, batch);
    }
}

} // namespace

pw_status wide_resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                                const device_events<float> &events, const resident_plan &plan, int64_t step,
                                int64_t steps, cudaStream_t stream, pw_error *error)
{
    typedef wide_tile Shape;
    if (steps == 0) {
        return PW_OK;
    }
    int blocks = plan.columns * plan.rows;
    /* No slot of an earlier batch may pass for one of this batch. */
    CUDA_TRY(cudaMemsetAsync(plan.halo_buffer, 0, sizeof(float4) * 2 * Shape::halo_slots * blocks, stream));
#define LAUNCH(REACH, TAPS)                                                                                            \
    if (problem.reach == REACH && problem.laplacian_taps == TAPS) {                                                    \
        return launch_cooperative<wide_resident_kernel<Shape, REACH, TAPS>>(                                           \
            {dim3(blocks), Shape::threads, Shape::shared_bytes}, stream, error, problem, fields[0], fields[steps % 2], \
            events, plan, step, steps);                                                                                \
    }
    WIDE_STENCILS(LAUNCH)
#undef LAUNCH
    return wide_stencil_missing(problem, error);
}
