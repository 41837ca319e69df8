/* Fields, medium and filter states of a warp's rows, from memory into registers and back, for yee_resident.cu. */
#ifndef SMALL_YEE_STATE_H
#define SMALL_YEE_STATE_H

#include "kernels/resident/yee_step.h"

__device__ __forceinline__ float4 filters_at(const float2 *half, const float2 *node, int i, int n)
{
    return i >= 0 && i < n ? make_float4(half[i].x, half[i].y, node[i].x, node[i].y) : make_float4(1, 1, 1, 1);
}

/* A filter state of node (l, s) along one axis: where it lies, -1 when the node has none. */
__device__ __forceinline__ ptrdiff_t state_of(const device_problem<float> &p, bool along_y, int x, int y)
{
    int layer = along_y ? layer_index(y, p.ny, p.layer) : layer_index(x, p.nx, p.layer);
    return layer < 0 ? -1 : along_y ? (ptrdiff_t)layer * p.pitch + x : (ptrdiff_t)y * 2 * p.layer + layer;
}

/* The same value, but the compiler cannot know: keeps it from holding what is derived from it in registers through the
 * steps. */
__device__ __forceinline__ int fresh(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

/* Fields and states from memory or back. */
template <int LANE, int R, bool LZ, bool SZ, bool STORE>
__device__ __forceinline__ void move_nodes(const tile_place &at, bool turned, const device_problem<float> &p,
                                           const device_fields<float> &f, tile_nodes<LANE, R> &c)
{
    auto move = [](float *memory, float &value) {
        if (STORE) {
            __stcg(memory, value);
        } else {
            value = __ldcg(memory);
        }
    };
    int lane = fresh(at.lane), first = fresh(at.first), rows = fresh(at.rows);
    turned = fresh(turned) != 0;
#pragma unroll
    for (int n = 0; n < R * LANE; n++) {
        int r = n / LANE, k = n % LANE, x = turned ? first + r : lane + k, y = turned ? lane + k : first + r;
        if (!at.owns(k) || r >= rows) {
            continue;
        }
        size_t node = (size_t)y * p.pitch + x;
        move(f.e + node, c.e[r][k]);
        move(f.v + node, c.v[r][k]);
        ptrdiff_t side = LZ ? state_of(p, turned, x, y) : -1, stack = SZ ? state_of(p, !turned, x, y) : -1;
        if (LZ && side >= 0) {
            move((turned ? f.y_half : f.x_half) + side, c.lane_half[r][k]);
            move((turned ? f.y_node : f.x_node) + side, c.lane_node[r][k]);
        }
        if (SZ && stack >= 0) {
            move((turned ? f.x_half : f.y_half) + stack, c.stack_half[r][k]);
            move((turned ? f.x_node : f.y_node) + stack, c.stack_node[r][k]);
        }
    }
}

template <int LANE, int R, bool LZ, bool SZ>
__device__ __forceinline__ void start_nodes(const tile_place &at, bool turned, const device_problem<float> &p,
                                            const device_fields<float> &f, tile_nodes<LANE, R> &c)
{
#pragma unroll
    for (int n = 0; n < R * LANE; n++) {
        int r = n / LANE, k = n % LANE, x = turned ? at.first + r : at.lane + k,
            y = turned ? at.lane + k : at.first + r;
        float2 medium = make_float2(0, 0); /* nodes beyond the tile stay zero */
        if (at.owns(k) && r < at.rows) {
            medium = __ldg(&p.coefficients[p.coefficient_index[(size_t)y * p.pitch + x]]);
        }
        c.ca[r][k] = medium.x;
        c.cb[r][k] = medium.y;
        c.e[r][k] = c.v[r][k] = 0;
        c.lane_half[r][k] = c.lane_node[r][k] = c.stack_half[r][k] = c.stack_node[r][k] = 0;
    }
    move_nodes<LANE, R, LZ, SZ, false>(at, turned, p, f, c);
#pragma unroll
    for (int k = 0; k < LANE; k++) {
        int l = at.lane + k, x = turned ? at.first - 1 : l, y = turned ? l : at.first - 1;
        c.stack_before[k] = 0;
        c.filter[k] = make_float4(1, 1, 1, 1);
        if (SZ && at.owns(k) && at.first > 0 && state_of(p, !turned, x, y) >= 0) {
            c.stack_before[k] = __ldcg((turned ? f.x_half : f.y_half) + state_of(p, !turned, x, y));
        }
        if (LZ && at.owns(k)) {
            c.filter[k] = turned ? filters_at(p.y_half, p.y_node, l, p.ny) : filters_at(p.x_half, p.x_node, l, p.nx);
        }
    }
}

#endif
