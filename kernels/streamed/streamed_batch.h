/* The beginning and the end of a batch of streamed.cu: the state comes from the fields, and goes back to them. Leaves
 * out: the steps. */
#ifndef STREAMED_BATCH_H
#define STREAMED_BATCH_H

#include "kernels/common/events.h"
#include "kernels/streamed/streamed_tile.h"

namespace streamed
{

/* Ez of the tile and all around it; zeros beyond the walls. */
template <typename Shape>
__device__ void load_field(const streamed_tile<Shape> &t, const box &b, const device_problem<float> &p, const float *e)
{
    int cells = (int)(t.layout.gx / sizeof(float));
    for (int k = (int)threadIdx.x; k < cells; k += THREADS) {
        int x = b.x0 - Shape::before + k % Shape::pitch, y = b.y0 - Shape::below + k / Shape::pitch;
        bool inside = x >= 0 && x < p.nx && x < b.x1 + Shape::beyond && y >= 0 && y < p.ny;
        t.field()[k] = inside ? __ldcg(e + (size_t)y * p.pitch + x) : 0.0f;
    }
}

/* Clears the filtered differences, and fetches the filters. */
template <typename Shape>
__device__ void prepare_filters(const streamed_tile<Shape> &t, const box &b, const device_problem<float> &p)
{
    int first = (int)(t.layout.gx / sizeof(float)), end = (int)(t.layout.x_filters / sizeof(float));
    for (int k = first + (int)threadIdx.x; k < end; k += THREADS) {
        t.field()[k] = 0;
    }
    for (int k = (int)threadIdx.x; k < 4 * t.quads; k += THREADS) {
        ((filter_pair *)(block_memory() + t.layout.x_filters))[k] = filters_at(p.x_half, p.x_node, b.x0 + k, p.nx);
    }
    for (int k = (int)threadIdx.x; k < PATCH_ROWS * t.groups; k += THREADS) {
        ((filter_pair *)(block_memory() + t.layout.y_filters))[k] = filters_at(p.y_half, p.y_node, b.y0 + k, p.ny);
    }
}

/* Brings the owned patches into the block's store, and writes their words. */
template <typename Shape> __device__ void start_patches(const block_work<Shape> &work)
{
    const device_problem<float> &p = work.problem;
    const streamed_tile<Shape> &t = work.t;
    const box b = work.w.own;
    patch_walk at_patch(t);
    for (int round = 0; round < t.layout.rounds; round++, at_patch.next(t)) {
        int k = round * THREADS + (int)threadIdx.x;
        bool on = k < t.layout.patches;
        int quad = on ? at_patch.quad : 0, group = on ? at_patch.group : 0;
        wide_task task = {OWNS, quad, group, OUTSIDE, on};
        wide_place at = place_at(
            t, b, quad, group,
            place_bits(task, b, p.nx, p.ny, p.absorber_region, image_depth(task, p.layer, Shape::reach, Shape::taps)));
        if (p.absorber_region == 0) { /* nodes beyond a wall would be in one */
            at.bits &= ~(0xfu << PLACE_REGION_X | 7u << PLACE_REGION_Y);
        }
        wide_patch c = {};
#pragma unroll
        for (int n = 0; n < 4 * PATCH_ROWS; n++) {
            if (at.has(n)) {
                size_t node = (size_t)(at.y() + n / 4) * p.pitch + at.x() + n % 4;
                c.v[n / 4][n % 4] = __ldcg(work.from.v + node);
                c.index_pairs[n / 2] |= (unsigned)p.coefficient_index[node] << 16 * (n % 2);
            }
        }
        detect_air(at, c);
        save_rows(t.store->increments, round, c.v);
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            __stcg(t.store->indices + (round * PATCH_ROWS + r) * THREADS + threadIdx.x,
                   make_uint2(c.index_pairs[2 * r], c.index_pairs[2 * r + 1]));
        }
        __stcg(t.store->driven + k, 0u);
        unsigned sent = (b.x0 > 0 && quad < Shape::aside ? 1u << WORD_WEST : 0u) |
                        (b.x1 < p.nx && quad >= t.quads - Shape::aside ? 1u << WORD_EAST : 0u) |
                        (b.y0 > 0 && group < Shape::deep ? 1u << WORD_SOUTH : 0u) |
                        (b.y1 < p.ny && group >= t.groups - Shape::deep ? 1u << WORD_NORTH : 0u);
        t.words()[k] = at.bits | (on ? sent : 0u);
    }
}

/* Brings the filters' states into the block's store, and writes the words of their patches. */
template <typename Shape> __device__ void start_filters(const block_work<Shape> &work)
{
    const device_problem<float> &p = work.problem;
    const streamed_tile<Shape> &t = work.t;
    const box b = work.w.own;
    wide_axis x = make_axis(b.x0, b.x1, p.nx, 4, p.absorber_region, Shape::reach),
              y = make_axis(b.y0, b.y1, p.ny, PATCH_ROWS, p.absorber_region, Shape::reach);
    for (int f = (int)threadIdx.x, round = 0; f < t.layout.filters; f += THREADS, round++) {
        bool along_y = f >= t.layout.filters_x;
        wide_task task = {along_y ? FILTERS_Y : FILTERS_X, 0, 0, OUTSIDE, true};
        if (along_y) {
            int u = (f - t.layout.filters_x) / x.size;
            task.quad = (f - t.layout.filters_x) % x.size;
            task.group = u < y.low ? u : y.high + u - y.low;
        } else {
            int u = f % x.filtered();
            task.quad = u < x.low ? u : x.high + u - x.low;
            task.group = f / x.filtered();
            task.on = task.group < y.size;
        }
        wide_place at = place_at(
            t, b, task.quad, task.group,
            place_bits(task, b, p.nx, p.ny, p.absorber_region, image_depth(task, p.layer, Shape::reach, Shape::taps)));
        wide_states s;
        if (along_y) {
            move_states<false, true>(at, at.bits, p, work.from, s);
        } else {
            move_states<false, false>(at, at.bits, p, work.from, s);
        }
        save_states(t, false, f, round, s.half);
        save_states(t, true, f, round, s.node);
        t.filter_words()[f] =
            make_uint2(at.bits, (unsigned)task.quad << FILTER_QUAD | (unsigned)task.group << FILTER_GROUP |
                                    (along_y ? 1u << FILTER_ALONG_Y : 0u) | (task.on ? 1u << FILTER_ON : 0u));
    }
}

/* Marks the patches with sources, and puts the weights where their threads find them. */
template <typename Shape> __device__ void start_sources(const block_work<Shape> &work)
{
    const streamed_tile<Shape> &t = work.t;
    const box b = work.w.own;
    const device_source &source = *work.events.sources;
    for (int k = (int)threadIdx.x; k < source.count; k += THREADS) {
        grid_node node = node_at(source.node[k], work.problem.nx);
        if (node.x < b.x0 || node.x >= b.x1 || node.y < b.y0 || node.y >= b.y1) {
            continue;
        }
        int quad = (node.x - b.x0) / 4, group = (node.y - b.y0) / PATCH_ROWS;
        int patch = t.layout.along_y ? quad * t.groups + group : group * t.quads + quad;
        int bit = (node.y - b.y0) % PATCH_ROWS * 4 + (node.x - b.x0) % 4;
        atomicOr(t.words() + patch, 1u << WORD_DRIVEN);
        atomicOr(t.store->driven + patch, 1u << bit);
        __stcg(t.store->weights + (size_t)(patch / THREADS * 4 * PATCH_ROWS + bit) * THREADS + patch % THREADS,
               (float)source.weight[k]);
    }
}

/* The images beyond the walls, before the first step. */
template <typename Shape> __device__ void start_images(const block_work<Shape> &work)
{
    patch_walk at_patch(work.t);
    for (int round = 0; round < work.t.layout.rounds; round++, at_patch.next(work.t)) {
        wide_place at =
            place_at(work.t, work.w.own, at_patch.quad, at_patch.group, work.t.words()[round * THREADS + threadIdx.x]);
        if (at.on() && at.walls() != 0) {
            float e[PATCH_ROWS][4];
#pragma unroll
            for (int r = 0; r < PATCH_ROWS; r++) {
                get_quad(e[r], at.base + r * Shape::pitch);
            }
            share_images<Shape::pitch>(at, work.problem, at.base, work.w.depth, e);
        }
    }
}

/* Writes the state back. */
template <typename Shape> __device__ void end_batch(const block_work<Shape> &work)
{
    const streamed_tile<Shape> &t = work.t;
    patch_walk at_patch(t);
    for (int round = 0; round < t.layout.rounds; round++, at_patch.next(t)) {
        wide_place at =
            place_at(t, work.w.own, at_patch.quad, at_patch.group, t.words()[round * THREADS + threadIdx.x]);
        if (at.on()) {
            wide_patch c;
            load_rows(t.store->increments, round, c.v);
#pragma unroll
            for (int r = 0; r < PATCH_ROWS; r++) {
                get_quad(c.e[r], at.base + r * Shape::pitch);
            }
            store_patch(at, at.bits, work.problem, work.to, c);
        }
    }
    for (int f = (int)threadIdx.x, round = 0; f < t.layout.filters; f += THREADS, round++) {
        uint2 word = t.filter_words()[f];
        wide_place at = place_at(t, work.w.own, (int)(word.y >> FILTER_QUAD & 0xffu),
                                 (int)(word.y >> FILTER_GROUP & 0xffu), word.x);
        wide_states s;
        load_states(t, false, f, round, s.half);
        load_states(t, true, f, round, s.node);
        if ((word.y >> FILTER_ALONG_Y & 1u) != 0) {
            move_states<true, true>(at, at.bits, work.problem, work.to, s);
        } else {
            move_states<true, false>(at, at.bits, work.problem, work.to, s);
        }
    }
}

} // namespace streamed

#endif
