/* Nodes beside metal of a march (metal/metal_quads.h). A thread adds the rows of its own quad, after the quad's step
 * and before anything reads it: the increments gain the cross of weights times Ez before the step, of which the march
 * has all at hand, since a row reaches no farther than the stencil. Weights come from memory, at every level of the
 * march anew; those of one row soon lie in the first-level cache. A lane whose quad has no row leaves that out. Leaves
 * out: which rows are under way. */
#ifndef MARCH_METAL_H
#define MARCH_METAL_H

#include "kernels/common/quad.h"
#include "kernels/march/march.h"
#include "kernels/march/march_poles.h"

/* A march that steps nodes beside metal; beside those of march_poles.h, and not together with dispersive ones. */
enum { METAL_ROWS = ANY_POLES + 1 };

/* What a kernel is told: whether it steps dispersive nodes, and whether nodes beside metal. */
__host__ __device__ constexpr bool has_poles(int special)
{
    return special == DEBYE_POLES || special == ANY_POLES;
}

/* Adds a term to each node of a quad that has it. */
__device__ __forceinline__ void add_terms(quad &v, const float4 &weight, const quad &there)
{
    const float w[4] = {weight.x, weight.y, weight.z, weight.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v.x[k] = w[k] != 0 ? cell_term(v.x[k], w[k], there.x[k]) : v.x[k];
    }
}

struct march_metal {
    const device_metal_quads &q;
    const int &x; /* the lane's first column */

    __device__ __forceinline__ const pole_group *group(int y) const
    {
        return q.groups + (size_t)y * q.group_pitch + (x >> 7);
    }

    /* As march_poles has them: the group of the lane's quad in row y; asking ahead brings it into the first-level
     * cache. */
    __device__ __forceinline__ uint2 ask(int y) const
    {
        return __ldg((const uint2 *)group(y));
    }
    __device__ __forceinline__ void ask_ahead(int y) const
    {
        asm volatile("prefetch.global.L1 [%0];" ::"l"(group(y)));
    }
    /* Whether the quad has a row. */
    __device__ __forceinline__ unsigned fetch(int, uint2 group_of_row) const
    {
        return group_of_row.x >> (x >> 2 & 31) & 1u;
    }
    __device__ __forceinline__ void store(bool, int) const
    {
    }

    /* The weights of the lane's quad in row y, which has some. */
    template <int TAPS> __device__ __forceinline__ const float4 *weights(int y) const
    {
        const uint2 of = ask(y);
        const unsigned number = of.y + __popc(of.x & ((1u << (x >> 2 & 31)) - 1));
        return q.weights + (size_t)number * (4 * TAPS + 1);
    }

    /* One Laplacian tap: row y with its neighbours before the step; `v` and the new field have been made. For all lanes
     * of a warp together; `due`: this one's quad has rows. */
    __device__ __forceinline__ void add_near(bool due, int y, const quad &south, const quad &centre, const quad &north,
                                             quad &v, quad &e) const
    {
        const float west = __shfl_up_sync(0xffffffffu, centre.x[3], 1),
                    east = __shfl_down_sync(0xffffffffu, centre.x[0], 1);
        if (due) {
            const float4 *const w = weights<1>(y);
            const float4 of_west = __ldg(w), of_east = __ldg(w + 1), of_south = __ldg(w + 2), of_north = __ldg(w + 3),
                         own = __ldg(w + 4);
            add_terms(v, of_west, {{west, centre.x[0], centre.x[1], centre.x[2]}});
            add_terms(v, of_east, {{centre.x[1], centre.x[2], centre.x[3], east}});
            add_terms(v, of_south, south);
            add_terms(v, of_north, north);
            add_terms(v, own, centre);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                e.x[k] = centre.x[k] + v.x[k];
            }
        }
    }

    /* Several taps: Ez before the step along x from shared memory, `row` being the quad there, and along y from the
     * window; before the new field is made. */
    template <int TAPS, int HELD>
    __device__ __forceinline__ void add_far(int y, const float *row, const quad (&window)[HELD], int centre,
                                            quad &v) const
    {
        constexpr int SIDE = (TAPS + 3) / 4;
        const float4 *const w = weights<TAPS>(y);
        float there[4 * (2 * SIDE + 1)];
#pragma unroll
        for (int s = 0; s < 2 * SIDE + 1; s++) {
            const quad read = load_quad(row + 4 * (s - SIDE));
#pragma unroll
            for (int k = 0; k < 4; k++) {
                there[4 * s + k] = read.x[k];
            }
        }
#pragma unroll
        for (int m = -TAPS; m <= TAPS; m++) {
            const int at = 4 * SIDE + m;
            if (m != 0) {
                add_terms(v, __ldg(w + TAPS + m - (m > 0)), {{there[at], there[at + 1], there[at + 2], there[at + 3]}});
            }
        }
#pragma unroll
        for (int m = -TAPS; m <= TAPS; m++) {
            if (m != 0) {
                add_terms(v, __ldg(w + 3 * TAPS + m - (m > 0)), window[centre + m]);
            }
        }
        add_terms(v, __ldg(w + 4 * TAPS), window[centre]);
    }
};

/* What a kernel steps beside plain nodes; `memory`: as march_poles has it. */
template <int SPECIAL>
__device__ __forceinline__ auto special_nodes(const march_plan &plan, char *memory, const int &column, unsigned run)
{
    if constexpr (SPECIAL == METAL_ROWS) {
        return march_metal{plan.metal, column};
    } else {
        return march_poles<SPECIAL>(plan.poles, memory, column, run);
    }
}

#endif
