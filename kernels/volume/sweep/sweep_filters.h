/* The absorber's filters in a pass of several steps (volume_sweep.cu). */
#ifndef SWEEP_FILTERS_H
#define SWEEP_FILTERS_H

#include "kernels/volume/sweep/sweep_parts.h"

/* Where in a tile an axis has layers: places from `begin` to `end` of which those before `low` and from `high` on are
 * in one; of them the tile has `count`. */
struct sweep_layer {
    int begin, low, high, end;

    __host__ __device__ sweep_layer(int n, int low_cells, int high_cells, int from, int size)
        : begin(from), low(low_cells), high(n - high_cells), end(from + size < n ? from + size : n)
    {
        low = low < begin ? begin : low > end ? end : low;
        high = high < low ? low : high > end ? end : high;
    }
    __host__ __device__ int count() const
    {
        return low - begin + end - high;
    }
    /* Which of them place i is. */
    __host__ __device__ int slot(int i) const
    {
        return i < low ? i - begin : low - begin + i - high;
    }
};

/* Of x, in quads. */
__host__ __device__ inline sweep_layer layer_of_quads(const device_volume<float> &v, int x)
{
    const int quads = (v.n[0] + CELLS - 1) / CELLS;
    return sweep_layer(quads, (v.low[0] + CELLS - 1) / CELLS, quads - (v.n[0] - v.high[0]) / CELLS, x / CELLS, LANES);
}

/* The filters of a tile's columns, rows and levels: gains, poles and feeds of half places and nodes. */
struct sweep_profiles {
    four x[2][3][LANES];
    float y[2][3][32];
};

/* Bytes of shared memory that a tile's block takes in passes of so many steps, with so many levels. */
__host__ __device__ inline size_t sweep_bytes(const device_volume<float> &v, const sweep_task &task, int steps,
                                              int levels)
{
    const int rows = (task.rows + 1) / 2 * 2;
    size_t quads = (size_t)LANES * sweep_rows(steps, task.walls) * sweep_quads(steps) + levels + 1 + TASK;
    if (task.walls != 0) {
        quads += sizeof(sweep_profiles) / sizeof(four);
    }
    if ((task.walls & 1) != 0) {
        quads += layer_of_quads(v, task.x).count() * rows * SEAT;
    }
    if ((task.walls & 2) != 0) {
        quads += sweep_layer(v.n[1], v.low[1], v.high[1], task.y, rows).count() * LANES * SEAT;
    }
    if ((task.walls & 4) != 0) {
        quads += LANES * rows * SEAT + 2 * levels;
    }
    return quads * sizeof(four);
}

/* What filters remember is in shared memory from the level's coming until it goes to memory after the last step, each
 * step changing it in place: four levels by turns, of each two derivatives of h and two of E. Along an axis stand those
 * of the next component and of the next but one, in cyclic order (solver.h). */
template <int MASK> struct sweep_filters {
    const sweep_profiles *profiles;
    const four *level_profiles; /* half places and nodes of each level from `bottom` on */
    int bottom;
    four *seat[3]; /* of the thread's places, by axis */

    __device__ __forceinline__ sweep_filters(const device_volume<float> &v, const sweep_task &task,
                                             const sweep_column &at, four *shared, int lowest, int levels, int threads)
        : profiles((const sweep_profiles *)shared), level_profiles(shared + sizeof(sweep_profiles) / sizeof(four)),
          bottom(lowest)
    {
        const int t = (int)threadIdx.x, row = t / LANES, rows = threads / LANES;
        four *free = shared + sizeof(sweep_profiles) / sizeof(four) + ((MASK & 4) != 0 ? 2 * levels : 0);
        sweep_profiles *const table = (sweep_profiles *)shared;
        if ((MASK & 1) != 0) {
            const sweep_layer quads = layer_of_quads(v, task.x);
            seat[0] = free + (row * quads.count() + quads.slot(at.i / CELLS)) * SEAT;
            free += rows * quads.count() * SEAT;
            for (int n = t; n < 2 * WIDTH; n += threads) {
                const int set = n / WIDTH, i = n % WIDTH;
                if (task.x + i < v.n[0]) {
                    const device_filter<float> own = (set == 0 ? v.half : v.node)[0][task.x + i];
                    table->x[set][0][i / CELLS].x[i % CELLS] = own.gain;
                    table->x[set][1][i / CELLS].x[i % CELLS] = own.pole;
                    table->x[set][2][i / CELLS].x[i % CELLS] = own.feed;
                }
            }
        }
        if ((MASK & 2) != 0) {
            const sweep_layer all(v.n[1], v.low[1], v.high[1], task.y, rows);
            seat[1] = free + (all.slot(at.j) * LANES + t % LANES) * SEAT;
            free += all.count() * LANES * SEAT;
            for (int n = t; n < 2 * rows; n += threads) {
                const int set = n / rows, j = task.y + n % rows;
                if (j < v.n[1]) {
                    const device_filter<float> own = (set == 0 ? v.half : v.node)[1][j];
                    table->y[set][0][n % rows] = own.gain;
                    table->y[set][1][n % rows] = own.pole;
                    table->y[set][2][n % rows] = own.feed;
                }
            }
        }
        if ((MASK & 4) != 0) {
            seat[2] = free + t * SEAT;
            for (int n = t; n < 2 * levels; n += threads) {
                const device_filter<float> own =
                    (n % 2 == 0 ? v.half : v.node)[2][min(max(bottom + n / 2, 0), v.n[2] - 1)];
                shared[sizeof(sweep_profiles) / sizeof(four) + n] = {{own.gain, own.pole, own.feed, 0}};
            }
        }
    }

    __device__ __forceinline__ bool stands(const device_volume<float> &v, const sweep_column &at, int a, int p) const
    {
        return (MASK >> a & 1) != 0 && at.inside && ((MASK & 4) == 0 || (p >= 0 && p < v.n[2])) &&
               (a == 0   ? at.layer_x != 0
                : a == 1 ? at.slot_y >= 0
                         : filter_slot(v, 2, p) >= 0);
    }

    __device__ __forceinline__ size_t place(const device_volume<float> &v, const sweep_column &at, int a, int p) const
    {
        return a == 0   ? ((size_t)p * v.n[1] + at.j) * v.filters_x + at.slot_x
               : a == 1 ? ((size_t)p * (v.low[1] + v.high[1]) + at.slot_y) * v.width + at.i
                        : ((size_t)filter_slot(v, 2, p) * v.n[1] + at.j) * v.width + at.i;
    }

    __device__ __forceinline__ four *state(int a, int p) const
    {
        return seat[a] + (p & (HELD - 1)) * 4;
    }

    /* Asks for those of level p, by asynchronous copies. */
    __device__ __forceinline__ void fetch(const device_volume<float> &v, const sweep_pass<float> &pass,
                                          const sweep_column &at, int p) const
    {
#pragma unroll
        for (int a = 0; a < 3; a++) {
            if (stands(v, at, a, p)) {
                const size_t from = place(v, at, a, p);
#pragma unroll
                for (int d = 0; d < 4; d++) {
                    copy_quad(state(a, p) + d, pass.in.filter[a][d] + from, true);
                }
            }
        }
    }

    /* The derivatives of the set SET, h (0) or E (1), at level p; after the LAST step the states go to memory. */
    template <int SET, bool LAST>
    __device__ __forceinline__ void apply(const device_volume<float> &v, const sweep_pass<float> &pass,
                                          const sweep_column &at, int p, bool own, sweep_curl &d) const
    {
#pragma unroll
        for (int a = 0; a < 3; a++) {
            if (!stands(v, at, a, p)) {
                continue;
            }
            four *const held = state(a, p) + 2 * SET;
            four kept[2] = {held[0], held[1]}, number[3]; /* gain, pole, feed */
            const four level = a == 2 ? level_profiles[2 * (p - bottom) + SET] : four{};
#pragma unroll
            for (int n = 0; n < 3; n++) {
                if (a == 0) {
                    number[n] = profiles->x[SET][n][threadIdx.x % LANES];
                }
#pragma unroll
                for (int c = 0; c < CELLS && a > 0; c++) {
                    number[n].x[c] = a == 1 ? profiles->y[SET][n][threadIdx.x / LANES] : level.x[n];
                }
            }
            four &first = d.first[(a + 2) % 3], &second = d.second[(a + 1) % 3];
#pragma unroll
            for (int c = 0; c < CELLS; c++) {
                const device_filter<float> filter = {number[0].x[c], number[1].x[c], number[2].x[c]};
                if (a > 0 || (at.layer_x >> c & 1) != 0) {
                    first.x[c] = cell_filter(first.x[c], filter, &kept[0].x[c]);
                    second.x[c] = cell_filter(second.x[c], filter, &kept[1].x[c]);
                }
            }
#pragma unroll
            for (int q = 0; q < 2; q++) {
                if (!LAST) {
                    held[q] = kept[q];
                } else if (own) {
                    store_quad(pass.out.filter[a][2 * SET + q] + place(v, at, a, p), kept[q]);
                }
            }
        }
    }
};

template <> struct sweep_filters<0> {
    template <typename... Given> __device__ __forceinline__ explicit sweep_filters(Given &&...)
    {
    }
    template <typename... Given> __device__ __forceinline__ void fetch(Given &&...) const
    {
    }
    template <int SET, bool LAST, typename... Given> __device__ __forceinline__ void apply(Given &&...) const
    {
    }
};

#endif
