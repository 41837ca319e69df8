/* Places beside metal within a relay's step (relay_metal.h). The warp that copies finds out which rows a level of the
 * tile has, and has them fetched. Where it has some, the threads that step put what they have moved on in the place of
 * what it was in shared memory; all of them together add the level's rows there, each another one; and each takes back
 * its own quad. All that rows look at lies in the tile's boxes, since they reach no farther than the stencil. */
#ifndef RELAY_ROWS_H
#define RELAY_ROWS_H

#include "kernels/volume/relay/relay_tile.h"
#include "kernels/volume/volume_curl.h"

static_assert(RELAY_SHIFT % METAL_COLUMNS == 0 && RELAY_WIDTH == 2 * METAL_COLUMNS, "a tile is two groups wide");

/* For the warp that copies: where the rows of both groups of columns begin and end, one number in each of its first
 * four lanes, at level k of a tile whose first place is (i, j). */
template <int REACH, int SET>
__device__ __forceinline__ int metal_bound(const device_volume<float> &v, const relay_metal &metal, int i, int j, int k)
{
    const int lane = threadIdx.x % 32, group = i / METAL_COLUMNS + (lane >> 1);
    if (lane >= 4 || group < 0 || group >= metal.groups) {
        return 0;
    }
    const int *const first =
        metal.first + ((size_t)((SET == 0 ? v.n[2] : 0) + k) * metal.groups + group) * (size_t)v.n[1];
    return __ldg(first + (lane % 2 == 0 ? max(j, 0) : min(j + relay_tile<REACH>::rows, v.n[1])));
}

/* Hands the bounds on to the threads that step. */
__device__ __forceinline__ void hand_bounds_on(int bound, int *to)
{
    const int lane = threadIdx.x % 32;
    if (lane < 4) {
        to[lane] = bound;
    }
    __syncwarp();
}

/* Brings what the rows within the bounds are made of into the first-level cache. */
template <int REACH> __device__ __forceinline__ void ask_metal_rows(const relay_metal &metal, int bound)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int g = 0; g < 4; g += 2) {
        const int begin = __shfl_sync(0xffffffffu, bound, g), end = __shfl_sync(0xffffffffu, bound, g + 1);
        for (int line = begin * REACH / 8 + lane; begin < end && line <= (end * REACH - 1) / 8; line += 32) {
            ask_near(metal.weights + 8 * (size_t)line);
        }
        for (int line = begin / 32 + lane; begin < end && line <= (end - 1) / 32; line += 32) {
            ask_near(metal.place + 32 * (size_t)line);
        }
    }
}

/* All threads that step meet. */
template <int REACH> __device__ __forceinline__ void meet_to_step()
{
    asm volatile("bar.sync 1, %0;" ::"n"(relay_tile<REACH>::threads) : "memory");
}

/* What rows look at in a turn, and what they change: rings of levels of x and y, in which `slot` is the lowest that is
 * wanted, a level of z, and what has been moved on. */
struct metal_levels {
    const float *x, *y, *z;
    float *moved;
    int slot;
};

/* Adds the rows within `bounds` to what has been moved on in a tile whose first row is j. DEPTH: levels of the rings of
 * x and y, which a relay and one over fields in 16 bits have more or fewer of. */
template <int REACH, int SET, int DEPTH>
__device__ __forceinline__ void add_metal_rows(const relay_metal &metal, const int4 &bounds, const metal_levels &ring,
                                               int j)
{
    typedef relay_tile<REACH> shape;
    constexpr int centre = REACH - 1 + (SET == 3 ? 1 : 0);
    static_assert(DEPTH >= 2 * REACH, "a row looks at as many levels");
    const auto wrapped = [](int s) { return s < DEPTH ? s : s - DEPTH; };
    const int left = bounds.y - bounds.x, count = left + bounds.w - bounds.z;
    for (int t = (int)threadIdx.x; t < count; t += shape::threads) {
        const int n = t < left ? bounds.x + t : bounds.z + t - left;
        float weight[4 * REACH];
#pragma unroll
        for (int q = 0; q < REACH; q++) {
            const float4 own = __ldg(metal.weights + (size_t)n * REACH + q);
            weight[4 * q] = own.x, weight[4 * q + 1] = own.y, weight[4 * q + 2] = own.z, weight[4 * q + 3] = own.w;
        }
        const unsigned place = __ldg(metal.place + n);
        const int c = place % 4, column = (t < left ? 0 : METAL_COLUMNS) + place / 4 % METAL_COLUMNS,
                  row = (int)(place / (4 * METAL_COLUMNS)) - j, seat = row * RELAY_WIDTH + column,
                  seat_x = seat + centre * RELAY_WIDTH, seat_y = row * shape::pitch + RELAY_MARGIN + column;
        float *const to = ring.moved + c * shape::bare + seat;
        float value = *to;
        const float *const x = ring.x + wrapped(ring.slot + centre) * shape::x + seat_x,
                           *const y = ring.y + wrapped(ring.slot + centre) * shape::y + seat_y,
                           *const z = ring.z + seat_y + centre * shape::pitch;
        const auto add = [&](int m, const float *there) {
            value = weight[m] != 0 ? cell_term(value, weight[m], *there) : value;
        };
#pragma unroll
        for (int m = 0; m < 2 * REACH; m++) {
            const int level = wrapped(ring.slot + m);
            add(m, c == 0   ? ring.y + level * shape::y + seat_y
                   : c == 1 ? ring.x + level * shape::x + seat_x
                            : x + (m - centre) * RELAY_WIDTH);
        }
#pragma unroll
        for (int m = 0; m < 2 * REACH; m++) {
            add(2 * REACH + m, c == 0 ? z + (m - centre) * shape::pitch : (c == 1 ? z : y) + (m - centre));
        }
        *to = value;
    }
}

#endif
