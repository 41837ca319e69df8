/* The time levels of a march of yee (yee_march.cu): what a lane holds of each in registers, and their steps when a row
 * comes. Leaves out: where rows come from and go to. */
#ifndef YEE_MARCH_LEVELS_H
#define YEE_MARCH_LEVELS_H

#include "kernels/common/quad.h"
#include "kernels/march/march_metal.h"

/* Coefficients of node k of a quad. `indices` packs four indices into the table of coefficients, 16 bits each: nodes 0
 * and 1 in the low and high half of x, 2 and 3 in y. SHARED: they are addresses in shared memory instead. */
template <bool SHARED> __device__ __forceinline__ float2 coefficients_of(const float2 *table, uint2 indices, int k)
{
    unsigned pair = k < 2 ? indices.x : indices.y, entry = k % 2 == 0 ? pair & 0xffffu : pair >> 16;
    if (!SHARED) {
        return table[entry];
    }
    float2 c;
    asm("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(c.x), "=f"(c.y) : "r"(entry));
    return c;
}

/* One level: the row `centre` and its increment `v` by one step, given the rows on both sides. */
template <bool SOLID, bool SHARED>
__device__ __forceinline__ void advance_row(float centre2, float air, const float2 *table, uint2 indices,
                                            const quad &south, const quad &north, quad &centre, quad &v)
{
    float west = __shfl_up_sync(0xffffffffu, centre.x[3], 1), east = __shfl_down_sync(0xffffffffu, centre.x[0], 1);
    quad lap;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        lap.x[k] = cell_cross(centre2, centre.x[k], k == 0 ? west : centre.x[k - 1], k == 3 ? east : centre.x[k + 1],
                              south.x[k], north.x[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (SOLID) {
            float2 c = coefficients_of<SHARED>(table, indices, k);
            v.x[k] = cell_increment(v.x[k], lap.x[k], c.x, c.y);
        } else { /* ca is one: ca v is v, to the bit */
            v.x[k] = fmaf(air, lap.x[k], v.x[k]);
        }
        centre.x[k] = centre.x[k] + v.x[k];
    }
}

template <int DEPTH> struct march_levels {
    quad south[DEPTH], centre[DEPTH], v[DEPTH]; /* of level t: rows r-t-2 and r-t-1, increment of row r-t-1 */
    uint2 indices[DEPTH];                       /* of row r-t-1 */

    /* Takes row r of level 0 and hands back row r - DEPTH of level DEPTH. Without SOLID, rows r-1 .. r-DEPTH are all
     * air. */
    template <bool SOLID, bool SHARED>
    __device__ __forceinline__ void take(float centre2, float air, const float2 *table, quad &north, quad &north_v,
                                         uint2 north_indices)
    {
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
            quad next = centre[t], next_v = v[t];
            uint2 here = indices[t];
            advance_row<SOLID, SHARED>(centre2, air, table, here, south[t], north, next, next_v);
            south[t] = centre[t];
            centre[t] = north;
            v[t] = north_v;
            indices[t] = north_indices;
            north = next;
            north_v = next_v;
            north_indices = here;
        }
    }

    /* The same with dispersive nodes: bit t of `kept` says that this lane's quad of row r-t-1 has such, and slot_of(t)
     * is that row's place in the ring. */
    template <bool SHARED, typename Poles, typename Slot>
    __device__ __forceinline__ void take_poles(float centre2, const float2 *table, quad &north, quad &north_v,
                                               uint2 north_indices, const Poles &poles, unsigned kept,
                                               const Slot &slot_of, pole_media &last)
    {
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
            const bool due = (kept >> t & 1u) != 0;
            const int slot = slot_of(t);
            quad state;
            poles.template prepare<true>(due, slot, v[t], last, state);
            quad next = centre[t], next_v = v[t];
            uint2 here = indices[t];
            advance_row<true, SHARED>(centre2, 0, table, here, south[t], north, next, next_v);
            poles.template finish<true>(due, slot, v[t], last, state, next_v, next);
            south[t] = centre[t];
            centre[t] = north;
            v[t] = north_v;
            indices[t] = north_indices;
            north = next;
            north_v = next_v;
            north_indices = here;
        }
    }

    /* The same with nodes beside metal; row r comes. */
    template <bool SHARED>
    __device__ __forceinline__ void take_metal(float centre2, const float2 *table, quad &north, quad &north_v,
                                               uint2 north_indices, const march_metal &metal, unsigned kept, int r)
    {
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
            quad next = centre[t], next_v = v[t];
            uint2 here = indices[t];
            advance_row<true, SHARED>(centre2, 0, table, here, south[t], north, next, next_v);
            metal.add_near((kept >> t & 1u) != 0, r - t - 1, south[t], centre[t], north, next_v, next);
            south[t] = centre[t];
            centre[t] = north;
            v[t] = north_v;
            indices[t] = north_indices;
            north = next;
            north_v = next_v;
            north_indices = here;
        }
    }
};

#endif
