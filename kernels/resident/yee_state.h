/* Loads and stores the fields, coefficients and filter states of a warp's nodes, for yee_resident.cu: thread `lane`
 * moves the same nodes that it holds in registers (yee_step.h). Leaves out: Ez of other tiles (yee_halo.h). */
#ifndef YEE_STATE_H
#define YEE_STATE_H

#include "kernels/common/opaque_value.h"
#include "kernels/resident/yee_step.h"

/* Index of the filter state of node (x, y) along one axis; -1 when the node has none. */
__device__ __forceinline__ ptrdiff_t state_of(const device_problem<float> &p, bool along_y, int x, int y)
{
    int layer = along_y ? layer_index(y, p.ny, p.layer) : layer_index(x, p.nx, p.layer);
    return layer < 0 ? -1 : along_y ? (ptrdiff_t)layer * p.pitch + x : (ptrdiff_t)y * 2 * p.layer + layer;
}

/* Loads fields and filter states into registers, or stores them (STORE). The opaque values keep the compiler from
 * holding addresses in registers through the steps. */
template <int LANE, int R, bool LANE_FILTERS, bool STACK_FILTERS, bool STORE>
__device__ __forceinline__ void move_nodes(const tile_place &at, bool transposed, const device_problem<float> &p,
                                           const device_fields<float> &f, tile_nodes<LANE, R> &c)
{
    auto move = [](float *memory, float &value) {
        if (STORE) {
            __stcg(memory, value);
        } else {
            value = __ldcg(memory);
        }
    };
    int lane = opaque_value(at.lane), first = opaque_value(at.first), rows = opaque_value(at.rows);
    transposed = opaque_value((int)transposed) != 0;
#pragma unroll
    for (int n = 0; n < R * LANE; n++) {
        int r = n / LANE, k = n % LANE, x = transposed ? first + r : lane + k, y = transposed ? lane + k : first + r;
        if (!at.owns(k) || r >= rows) {
            continue;
        }
        size_t node = (size_t)y * p.pitch + x;
        move(f.e + node, c.e[r][k]);
        move(f.v + node, c.v[r][k]);
        ptrdiff_t side = LANE_FILTERS ? state_of(p, transposed, x, y) : -1,
                  stack = STACK_FILTERS ? state_of(p, !transposed, x, y) : -1;
        if (LANE_FILTERS && side >= 0) {
            move((transposed ? f.y_half : f.x_half) + side, c.lane_half[r][k]);
            move((transposed ? f.y_node : f.x_node) + side, c.lane_node[r][k]);
        }
        if (STACK_FILTERS && stack >= 0) {
            move((transposed ? f.x_half : f.y_half) + stack, c.stack_half[r][k]);
            move((transposed ? f.x_node : f.y_node) + stack, c.stack_node[r][k]);
        }
    }
}

/* Loads everything that a thread holds through the batch. */
template <int LANE, int R, bool LANE_FILTERS, bool STACK_FILTERS>
__device__ __forceinline__ void start_nodes(const tile_place &at, bool transposed, const device_problem<float> &p,
                                            const device_fields<float> &f, tile_nodes<LANE, R> &c)
{
#pragma unroll
    for (int n = 0; n < R * LANE; n++) {
        int r = n / LANE, k = n % LANE, x = transposed ? at.first + r : at.lane + k,
            y = transposed ? at.lane + k : at.first + r;
        float2 medium = make_float2(0, 0); /* nodes beyond the tile stay zero */
        if (at.owns(k) && r < at.rows) {
            medium = __ldg(&p.coefficients[p.coefficient_index[(size_t)y * p.pitch + x]]);
        }
        c.ca[r][k] = medium.x;
        c.cb[r][k] = medium.y;
        c.e[r][k] = c.v[r][k] = 0;
        c.lane_half[r][k] = c.lane_node[r][k] = c.stack_half[r][k] = c.stack_node[r][k] = 0;
    }
    move_nodes<LANE, R, LANE_FILTERS, STACK_FILTERS, false>(at, transposed, p, f, c);
#pragma unroll
    for (int k = 0; k < LANE; k++) {
        int l = at.lane + k, x = transposed ? at.first - 1 : l, y = transposed ? l : at.first - 1;
        c.stack_before[k] = 0;
        c.filter[k] = {{1, 1}, {1, 1}, {0, 0}};
        if (STACK_FILTERS && at.owns(k) && at.first > 0 && state_of(p, !transposed, x, y) >= 0) {
            c.stack_before[k] = __ldcg((transposed ? f.x_half : f.y_half) + state_of(p, !transposed, x, y));
        }
        if (LANE_FILTERS && at.owns(k)) {
            c.filter[k] =
                transposed ? filters_at(p.y_half, p.y_node, l, p.ny) : filters_at(p.x_half, p.x_node, l, p.nx);
        }
    }
}

#endif
