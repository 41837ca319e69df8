/* What the blocks of wide_resident.cu and wide_border.cu have in common: their shared memory, and one step of a patch
 * and of its filters. A step, from left to right; `|` is a barrier of the warps beside it, `||` the barrier of the
 * block:
 *
 *     owner outside regions    cross ................................ new Ez | send, share  ||
 *     owner in a region        cross, other axis .................. | add filtered, new Ez  ||
 *     filter of x or y         first differences | second differences |                     ||
 *                                                ^                    ^
 *                                   BARRIER_FILTERS                   BARRIER_REGION
 *
 * So a step away from the absorber needs one barrier. Leaves out: the arithmetic (wide_step.h, wide_filter.h), which
 * thread has which patch (warp_roles.h), and where halos come from (wide_halo.h, wide_border.cu). */
#ifndef WIDE_BLOCK_H
#define WIDE_BLOCK_H

#include "kernels/wide/warp_roles.h"
#include "kernels/wide/wide_filter.h"

/* What a block knows of its work; in shared memory, because registers are dear. */
struct wide_block {
    box own, tile;                      /* what the block answers for, and what its patches cover */
    int depth;                          /* depth of the images that are read beyond walls */
    unsigned steps;                     /* of the batch or of the pass */
    int filter_threads, region_threads; /* threads at BARRIER_FILTERS, all that filter, and at BARRIER_REGION, these and
                                           owners in absorber regions */
    float2 air;
    const double *drive;
    const float *weights; /* of sources: node k of a patch is element k Shape::threads + thread */
    bool hard;
    int64_t first_step; /* steps taken before this batch */
};

/* The shared memory of a block. */
template <typename Shape> struct wide_memory {
    filter_pair *x_filters, *y_filters;
    float *fields;
    unsigned *driven;

    __device__ explicit wide_memory(float4 *memory)
    {
        x_filters = (filter_pair *)memory;
        y_filters = x_filters + Shape::width;
        fields = (float *)(y_filters + Shape::height);
        driven = (unsigned *)(fields + 5 * Shape::field);
    }
};

template <typename Shape>
__device__ __forceinline__ void fetch_filters(const wide_memory<Shape> &m, const box &tile,
                                              const device_problem<float> &p)
{
    for (int k = (int)threadIdx.x; k < Shape::width; k += Shape::threads) {
        m.x_filters[k] = filters_at(p.x_half, p.x_node, tile.x0 + k, p.nx);
    }
    for (int k = (int)threadIdx.x; k < Shape::height; k += Shape::threads) {
        m.y_filters[k] = filters_at(p.y_half, p.y_node, tile.y0 + k, p.ny);
    }
}

template <typename Shape>
__device__ __forceinline__ wide_place place_patch(const wide_memory<Shape> &m, const box &tile, const wide_task &task,
                                                  unsigned bits)
{
    wide_place at;
    at.corner = wide_place::corner_of(tile.x0 + 4 * task.quad, tile.y0 + PATCH_ROWS * task.group);
    at.bits = bits;
    at.base = m.fields + Shape::origin + PATCH_ROWS * task.group * Shape::pitch + 4 * task.quad;
    return at;
}

/* The barriers of the warps that need them: those that filter among themselves, then with the owners in absorber
 * regions. compute-sanitizer's racecheck does not follow two barriers of parts of a block (validation/performance.md);
 * compiled with WHOLE_BARRIERS, for that tool alone, they are barriers of the whole block. */
enum { BARRIER_FILTERS = 1, BARRIER_REGION = 2 };

__device__ __forceinline__ void barrier_sync(int barrier, int threads)
{
#ifdef WHOLE_BARRIERS
    __syncthreads();
#else
    __syncwarp();
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
#endif
}

/* What the other warps do while the filters work; `region`: the warp needs the filters' results. */
__device__ __forceinline__ void wait_for_filters(const wide_block &w, bool region)
{
#ifdef WHOLE_BARRIERS
    if (w.filter_threads > 0) {
        __syncthreads();
        __syncthreads();
    }
#else
    if (region) {
        barrier_sync(BARRIER_REGION, w.region_threads);
    }
#endif
}

/* Ez before and after step n = 1, 2, ... of the batch; `base` lies in the first field. The two fields change roles at
 * every step. */
template <typename Shape> __device__ __forceinline__ float *field_before(float *base, unsigned n)
{
    return base + ((n & 1u) != 0 ? 0 : Shape::field);
}

template <typename Shape> __device__ __forceinline__ float *field_after(float *base, unsigned n)
{
    return base + ((n & 1u) != 0 ? Shape::field : 0);
}

/* Records the probes after `steps` steps; `field` is Ez of the tile's first node. */
template <typename Shape>
__device__ __noinline__ void record_probes(const box &own, const box &tile, const device_events<float> &events,
                                           const float *field, int64_t steps)
{
    float *row =
        events.record + own.run * events.record_stride + (size_t)(steps - 1 - events.record_first) * events.probe_count;
    for (int k = own.probe_first + (int)threadIdx.x; k < own.probe_first + own.probe_count; k += Shape::threads) {
        row[events.probe_slot[k]] = field[(events.probe_y[k] - tile.y0) * Shape::pitch + events.probe_x[k] - tile.x0];
    }
}

/* Adds the sources on the patch: `driven` has a bit for each node. */
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

/* One step of a patch, not yet written to shared memory. `region`, `near_source`: some patch of the warp lies in an
 * absorber region, or has a driven node. */
template <typename Shape, int TAPS>
__device__ __forceinline__ void step_patch(const wide_place &at, unsigned driven, bool near_source, bool region,
                                           const wide_block &w, const device_problem<float> &p, unsigned n,
                                           wide_patch &c)
{
    constexpr int P = Shape::pitch;
    const float *now = field_before<Shape>(at.base, n);
    float amplitude = 0, lap[PATCH_ROWS][4];
    if (near_source) {
        amplitude = (float)__ldg(w.drive + w.first_step + n - 1);
    }
    if (!at.whole()) { /* columns and rows beyond the tile are images or halo */
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            get_quad(c.e[r], now + r * P);
        }
    }
    if ((region_nodes_x(at) | region_nodes_y(at)) != ALL_NODES) {
        patch_cross<TAPS, P>(p, now, c.e, lap);
    }
    if (region) {
        patch_unfiltered<TAPS, P>(at, p, now, c.e, lap);
        wait_for_filters(w, true);
        add_filtered<P>(at, field_after<Shape>(at.base, n), at.base + Shape::to_lap_y, lap);
    } else {
        wait_for_filters(w, false);
    }
    advance_patch(p, at.in_air(), w.air, lap, c);
    if (near_source) {
        drive_patch<Shape>(driven, w, amplitude, c);
    }
}

/* One step of a patch's filters along one axis. `has_region`: the patch has nodes in an absorber region of that axis.
 */
template <typename Shape, int REACH, bool ALONG_Y>
__device__ __forceinline__ void step_filters(const wide_place &at, bool on, bool has_region, const filter_pair *filters,
                                             const wide_block &w, const device_problem<float> &p, unsigned n,
                                             wide_states &s)
{
    constexpr int P = Shape::pitch;
    const float *now = field_before<Shape>(at.base, n);
    if (on) {
        if (ALONG_Y) {
            first_differences_y<REACH, P>(at, p, filters, now, at.base + Shape::to_gy, s);
        } else {
            first_differences_x<REACH, P>(at, p, filters, now, at.base + Shape::to_gx, s);
        }
    }
    barrier_sync(BARRIER_FILTERS, w.filter_threads);
    if (on && has_region) {
        if (ALONG_Y) {
            second_differences_y<REACH, P>(at, p, filters, at.base + Shape::to_gy, at.base + Shape::to_lap_y, s);
        } else {
            second_differences_x<REACH, P>(at, p, filters, at.base + Shape::to_gx, field_after<Shape>(at.base, n), s);
        }
    }
    barrier_sync(BARRIER_REGION, w.region_threads);
}

/* Loads the filter states of a patch's `nodes`, or stores them (STORE). */
template <bool STORE, bool ALONG_Y>
__device__ __forceinline__ void move_states(const wide_place &at, unsigned nodes, const device_problem<float> &p,
                                            const device_fields<float> &f, wide_states &s)
{
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        int x = at.x() + k % 4, y = at.y() + k / 4,
            layer = ALONG_Y ? layer_index(y, p.ny, p.layer) : layer_index(x, p.nx, p.layer);
        float &half = s.half[k / 4][k % 4], &node = s.node[k / 4][k % 4];
        bool wanted = (nodes >> k & 1u) != 0 && layer >= 0;
        ptrdiff_t n = ALONG_Y ? (ptrdiff_t)layer * p.pitch + x : (ptrdiff_t)y * 2 * p.layer + layer;
        float *half_at = (ALONG_Y ? f.y_half : f.x_half) + n, *node_at = (ALONG_Y ? f.y_node : f.x_node) + n;
        if (!STORE) {
            half = node = 0;
            fetch_if(&half, half_at, wanted);
            fetch_if(&node, node_at, wanted);
        } else if (wanted) {
            __stcg(half_at, half);
            __stcg(node_at, node);
        }
    }
}

/* Finds out whether all nodes of the warp are air, once their coefficient indices are loaded. */
__device__ __forceinline__ void detect_air(wide_place &at, const wide_patch &c)
{
    unsigned solid = 0;
#pragma unroll
    for (int k = 0; k < 2 * PATCH_ROWS; k++) {
        solid |= c.index_pairs[k];
    }
    at.bits |= __any_sync(0xffffffffu, solid != 0) ? 0u : 1u << PLACE_IN_AIR;
}

/* Stores the patch's `nodes`, whole rows at once. */
__device__ __forceinline__ void store_patch(const wide_place &at, unsigned nodes, const device_problem<float> &p,
                                            const device_fields<float> &to, const wide_patch &c)
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        size_t n = (size_t)(at.y() + r) * p.pitch + at.x();
        if ((nodes >> 4 * r & 0xfu) == 0xfu) {
            __stcg((float4 *)(to.e + n), make_float4(c.e[r][0], c.e[r][1], c.e[r][2], c.e[r][3]));
            __stcg((float4 *)(to.v + n), make_float4(c.v[r][0], c.v[r][1], c.v[r][2], c.v[r][3]));
        } else {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                if ((nodes >> (4 * r + k) & 1u) != 0) {
                    __stcg(to.e + n + k, c.e[r][k]);
                    __stcg(to.v + n + k, c.v[r][k]);
                }
            }
        }
    }
}

#endif
