/* A step of yee in registers, for yee_resident.cu: a warp's rows, one or two nodes a lane, with what lies beyond them
 * handed in. All that needs nothing from beside the tile is done early, while packets are under way; what they bring
 * goes to the last column of a lane. Order of operations: cell.h; sums do not depend on the order of their terms, so
 * that it does not matter whether lanes go along x or y. Leaves out: where the neighbours' values come from. */
#ifndef SMALL_YEE_STEP_H
#define SMALL_YEE_STEP_H

#include "kernels/resident/yee_tile.h"

/* What a thread knows of its place for the whole batch. */
struct tile_place {
    int lane, first; /* node of its first column and row, on the axis of the lanes and on that of the stack */
    int rows;        /* of the warp, in the tile */
    unsigned bits;   /* columns in the tile; << 2: in a zone; << 4: the low wall's node; << 5: columns posted; << 7: the
                        last column is   beside another tile; << 8: rows in a zone */
    const float4 *filters; /* (gain, pole) of half node, node along the stack; element 0 is before the first row */

    __device__ __forceinline__ bool owns(int k) const
    {
        return (bits >> k & 1u) != 0;
    }
    __device__ __forceinline__ bool zone_column(int k) const
    {
        return (bits >> (2 + k) & 1u) != 0;
    }
    __device__ __forceinline__ bool on_wall() const
    {
        return (bits >> 4 & 1u) != 0;
    }
    /* Those in the tile and the one on the high wall, which a neighbour takes for half of a pair. */
    __device__ __forceinline__ bool posts(int k) const
    {
        return (bits >> (5 + k) & 1u) != 0;
    }
    __device__ __forceinline__ bool beside() const
    {
        return (bits >> 7 & 1u) != 0;
    }
    __device__ __forceinline__ bool zone_row(int r) const
    {
        return (bits >> (8 + r) & 1u) != 0;
    }
};

/* Nodes of a thread, (row, column), and their filter states; what a warp has no use for costs nothing. */
template <int LANE, int R> struct tile_nodes {
    float e[R][LANE], v[R][LANE], ca[R][LANE], cb[R][LANE];
    float lane_half[R][LANE], lane_node[R][LANE], stack_half[R][LANE], stack_node[R][LANE];
    float stack_before[LANE];        /* stack_half of the row before the first */
    float4 filter[LANE];             /* along the lanes: (gain, pole) of half node, node */
    float before[LANE], after[LANE]; /* Ez of the rows beyond */
    float half[R][LANE],
        across[R][LANE]; /* of this step: filtered first differences along the lanes and along the stack */
    float sum[R][LANE],
        filtered[R][LANE]; /* and of the nodes along the stack: both neighbours, filtered second difference */
};

/* Rows between the warp's first and last, these two, and all. */
enum { INNER = 1, OUTER = 2, ALL = 3 };

template <int ROWS, int R> __device__ __forceinline__ constexpr bool has_row(int r)
{
    return (ROWS & (r == 0 || r == R - 1 ? OUTER : INNER)) != 0;
}

/* Filtered first differences along the lanes. */
template <int LANE, int R>
__device__ __forceinline__ void lane_halves(const device_problem<float> &p, tile_nodes<LANE, R> &c)
{
#pragma unroll
    for (int r = 0; r < R; r++) {
        float down = __shfl_down_sync(0xffffffffu, c.e[r][0], 1);
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            float east = k < LANE - 1 ? c.e[r][k < LANE - 1 ? k + 1 : k] : down;
            c.half[r][k] = cell_filter(cell_difference(p.difference[0], c.e[r][k], east), c.filter[k].x, c.filter[k].y,
                                       &c.lane_half[r][k]);
        }
    }
}

/* The same along the stack, of column K; those before the first row and after the last with the OUTER ones. Returns the
 * former. */
template <int K, int ROWS, int LANE, int R>
__device__ __forceinline__ float stack_halves(const device_problem<float> &p, const tile_place &at,
                                              tile_nodes<LANE, R> &c)
{
    const float a = p.difference[0];
#pragma unroll
    for (int r = 0; r < R; r++) {
        if ((ROWS & (r == R - 1 ? OUTER : INNER)) != 0) {
            float4 f = at.filters[r + 1];
            float north = r < R - 1 ? c.e[r < R - 1 ? r + 1 : r][K] : c.after[K];
            c.across[r][K] = cell_filter(cell_difference(a, c.e[r][K], north), f.x, f.y, &c.stack_half[r][K]);
        }
    }
    if ((ROWS & OUTER) == 0) {
        return 0;
    }
    float4 f = at.filters[0];
    float before = cell_filter(cell_difference(a, c.before[K], c.e[0][K]), f.x, f.y, &c.stack_before[K]);
    return at.first == 0 ? c.across[0][K] : before; /* even about the wall */
}

template <int K, int LANE, int R> __device__ __forceinline__ float2 lane_neighbours(const tile_nodes<LANE, R> &c, int r)
{
    float west = K > 0 ? c.e[r][K > 0 ? K - 1 : K] : __shfl_up_sync(0xffffffffu, c.e[r][LANE - 1], 1);
    float east = K < LANE - 1 ? c.e[r][K < LANE - 1 ? K + 1 : K] : __shfl_down_sync(0xffffffffu, c.e[r][0], 1);
    return make_float2(west, east);
}

/* L Ez of a node; `along`: its second difference along the lanes when `in_lane`, a zone there. */
template <int K, bool LZ, bool SZ, int LANE, int R>
__device__ __forceinline__ float laplacian(const device_problem<float> &p, const tile_place &at,
                                           const tile_nodes<LANE, R> &c, int r, float2 beside, bool in_lane,
                                           float along)
{
    float e = c.e[r][K], lap = cell_line(p.centre2, e, beside.x + beside.y, c.sum[r][K]); /* cell_cross, sums apart */
    if (LZ || SZ) {
        bool in_stack = SZ && at.zone_row(r);
        along = LZ && in_lane ? along : cell_line(p.centre, e, beside.x, beside.y);
        float across = in_stack ? c.filtered[r][K] : fmaf(p.centre, e, c.sum[r][K]); /* cell_line */
        lap = in_lane || in_stack ? along + across : lap;
    }
    return lap;
}

/* What needs nothing from beside the tile: all along the stack, and new increments but for the last column, or, LZ, its
 * nodes beside other tiles, whose cut leaves them outside the zones. LZ, SZ: some nodes lie in a zone along the lanes,
 * along the stack. */
template <int K, int ROWS, bool LZ, bool SZ, int LANE, int R>
__device__ __forceinline__ void advance_early(const device_problem<float> &p, const tile_place &at,
                                              tile_nodes<LANE, R> &c)
{
    float g_before = SZ ? stack_halves<K, ROWS>(p, at, c) : 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (!has_row<ROWS, R>(r)) {
            continue;
        }
        c.sum[r][K] = (r > 0 ? c.e[r > 0 ? r - 1 : r][K] : c.before[K]) +
                      (r < R - 1 ? c.e[r < R - 1 ? r + 1 : r][K] : c.after[K]);
        if (SZ) {
            float4 f = at.filters[r + 1];
            float g_south = r > 0 ? c.across[r > 0 ? r - 1 : r][K] : g_before;
            c.filtered[r][K] =
                cell_filter(cell_difference(p.difference[0], g_south, c.across[r][K]), f.z, f.w, &c.stack_node[r][K]);
        }
        if (!LZ && K == LANE - 1) {
            continue;
        }
        float along = 0;
        if (LZ) {
            float g = c.half[r][K],
                  g_west = K > 0 ? c.half[r][K > 0 ? K - 1 : K] : __shfl_up_sync(0xffffffffu, c.half[r][LANE - 1], 1);
            g_west = K == LANE - 1 && at.on_wall() ? g : g_west; /* even about the wall */
            along = cell_filter(cell_difference(p.difference[0], g_west, g), c.filter[K].z, c.filter[K].w,
                                &c.lane_node[r][K]);
        }
        float lap = laplacian<K, LZ, SZ>(p, at, c, r, lane_neighbours<K>(c, r), LZ && at.zone_column(K), along);
        float v = cell_increment(c.v[r][K], lap, c.ca[r][K], c.cb[r][K]);
        c.v[r][K] = LZ && K == LANE - 1 && at.beside() ? c.v[r][K] : v;
    }
}

/* The rest of the increments. */
template <int ROWS, bool LZ, bool SZ, int LANE, int R>
__device__ __forceinline__ void advance_late(const device_problem<float> &p, const tile_place &at,
                                             tile_nodes<LANE, R> &c)
{
    constexpr int K = LANE - 1;
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (!has_row<ROWS, R>(r)) {
            continue;
        }
        float lap = laplacian<K, false, SZ>(p, at, c, r, lane_neighbours<K>(c, r), false, 0.0f);
        float v = cell_increment(c.v[r][K], lap, c.ca[r][K], c.cb[r][K]);
        c.v[r][K] = !LZ || at.beside() ? v : c.v[r][K];
    }
}

/* Ez grows by its increments. */
template <int ROWS, int LANE, int R> __device__ __forceinline__ void settle(tile_nodes<LANE, R> &c)
{
#pragma unroll
    for (int n = 0; n < R * LANE; n++) {
        if (has_row<ROWS, R>(n / LANE)) {
            c.e[n / LANE][n % LANE] = c.e[n / LANE][n % LANE] + c.v[n / LANE][n % LANE];
        }
    }
}

/* What drives it then: bits of a thread's driven nodes, weights at node TILE_THREADS. */
template <int ROWS, int LANE, int R>
__device__ __forceinline__ void drive_nodes(tile_nodes<LANE, R> &c, unsigned driven, const float *weights,
                                            float amplitude, bool hard)
{
#pragma unroll
    for (int n = 0; n < R * LANE; n++) {
        if (has_row<ROWS, R>(n / LANE) && (driven >> n & 1u) != 0) {
            cell_source(weights[n * TILE_THREADS], amplitude, hard, &c.v[n / LANE][n % LANE], &c.e[n / LANE][n % LANE]);
        }
    }
}

#endif
