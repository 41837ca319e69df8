/* One step of yee in registers, for yee_resident.cu. A warp has R rows of 32 LANE nodes (LANE = 1 or 2 nodes a lane);
 * thread `lane` holds nodes (r, k) of row r < R and column LANE lane + k. The caller hands in Ez of the rows before and
 * after the warp's own. Everything that needs no value from another tile is computed early, while the halo slots are
 * still under way; values from beside the tile arrive in the first node of a lane and are needed by the last. The order
 * of the operations is that of cell.h. Sums do not depend on the order of their terms, so the bits are the same whether
 * lanes go along x or y. Leaves out: where the neighbours' values come from (yee_resident.cu, yee_halo.h). */
#ifndef YEE_STEP_H
#define YEE_STEP_H

#include "kernels/resident/yee_tile.h"

/* tile_place.bits: the lowest bit of each field.
 *
 *     bit    field
 *     0..1   column k lies in the tile
 *     2..3   column k lies in an absorber region
 *     4      the thread holds the node on the low wall
 *     5..6   column k is sent at the ends of the stack: it lies in the tile, or on the high wall, whose zero the
 *            neighbour loads as the second half of a pair
 *     7      the last column is beside another tile, whose value arrives late
 *     8..15  row r lies in an absorber region */
enum {
    PLACE_OWNED = 0,
    PLACE_REGION_COLUMN = 2,
    PLACE_ON_WALL = 4,
    PLACE_SENT = 5,
    PLACE_BESIDE = 7,
    PLACE_REGION_ROW = 8
};

/* What a thread knows of its place for the whole batch. Rows lie along the stack, columns along the lanes. */
struct tile_place {
    int lane, first; /* node of its first column and row, on the axis of the lanes and on that of the stack */
    int rows;        /* rows of the warp that lie in the tile */
    unsigned bits;   /* PLACE_..., below */
    const filter_pair *filters; /* along the stack; element 0 belongs to the row before the first */

    __device__ __forceinline__ bool owns(int k) const
    {
        return (bits >> (PLACE_OWNED + k) & 1u) != 0;
    }
    __device__ __forceinline__ bool region_column(int k) const
    {
        return (bits >> (PLACE_REGION_COLUMN + k) & 1u) != 0;
    }
    __device__ __forceinline__ bool on_wall() const
    {
        return (bits >> PLACE_ON_WALL & 1u) != 0;
    }
    __device__ __forceinline__ bool sends(int k) const
    {
        return (bits >> (PLACE_SENT + k) & 1u) != 0;
    }
    __device__ __forceinline__ bool beside() const
    {
        return (bits >> PLACE_BESIDE & 1u) != 0;
    }
    __device__ __forceinline__ bool region_row(int r) const
    {
        return (bits >> (PLACE_REGION_ROW + r) & 1u) != 0;
    }
};

/* Nodes of a thread as [row][column], and their filter states. Members that a warp does not use cost no registers. */
template <int LANE, int R> struct tile_nodes {
    float e[R][LANE], v[R][LANE], ca[R][LANE], cb[R][LANE];
    float lane_half[R][LANE], lane_node[R][LANE], stack_half[R][LANE], stack_node[R][LANE];
    float stack_before[LANE];        /* stack_half of the row before the first */
    filter_pair filter[LANE];        /* along the lanes */
    float before[LANE], after[LANE]; /* Ez of the rows beyond */
    /* Of this step: filtered first differences along the lanes and along the stack; along the stack, the sum of both
     * neighbours and the filtered second difference. */
    float half[R][LANE], across[R][LANE], sum[R][LANE], filtered[R][LANE];
};

/* Which rows of a warp a function computes: those between the first and the last, these two, or all. */
enum { INNER_ROWS = 1, OUTER_ROWS = 2, ALL_ROWS = 3 };

template <int ROWS, int R> __device__ __forceinline__ constexpr bool has_row(int r)
{
    return (ROWS & (r == 0 || r == R - 1 ? OUTER_ROWS : INNER_ROWS)) != 0;
}

/* Filtered first differences along the lanes. */
template <int LANE, int R>
__device__ __forceinline__ void difference_lanes(const device_problem<float> &p, tile_nodes<LANE, R> &c)
{
#pragma unroll
    for (int r = 0; r < R; r++) {
        float down = __shfl_down_sync(0xffffffffu, c.e[r][0], 1);
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            float east = k < LANE - 1 ? c.e[r][k < LANE - 1 ? k + 1 : k] : down;
            c.half[r][k] =
                cell_filter_half(cell_difference(p.difference[0], c.e[r][k], east), c.filter[k], &c.lane_half[r][k]);
        }
    }
}

/* Filtered first differences along the stack of column K. The difference after the last row is computed with the
 * OUTER_ROWS, and so is the one before the first row, which is returned. */
template <int K, int ROWS, int LANE, int R>
__device__ __forceinline__ float difference_stack(const device_problem<float> &p, const tile_place &at,
                                                  tile_nodes<LANE, R> &c)
{
    const float a = p.difference[0];
#pragma unroll
    for (int r = 0; r < R; r++) {
        if ((ROWS & (r == R - 1 ? OUTER_ROWS : INNER_ROWS)) != 0) {
            filter_pair f = at.filters[r + 1];
            float north = r < R - 1 ? c.e[r < R - 1 ? r + 1 : r][K] : c.after[K];
            c.across[r][K] = cell_filter_half(cell_difference(a, c.e[r][K], north), f, &c.stack_half[r][K]);
        }
    }
    if ((ROWS & OUTER_ROWS) == 0) {
        return 0;
    }
    filter_pair f = at.filters[0];
    float before = cell_filter_half(cell_difference(a, c.before[K], c.e[0][K]), f, &c.stack_before[K]);
    return at.first == 0 ? c.across[0][K] : before; /* even about the wall */
}

template <int K, int LANE, int R> __device__ __forceinline__ float2 lane_neighbours(const tile_nodes<LANE, R> &c, int r)
{
    float west = K > 0 ? c.e[r][K > 0 ? K - 1 : K] : __shfl_up_sync(0xffffffffu, c.e[r][LANE - 1], 1);
    float east = K < LANE - 1 ? c.e[r][K < LANE - 1 ? K + 1 : K] : __shfl_down_sync(0xffffffffu, c.e[r][0], 1);
    return make_float2(west, east);
}

/* L Ez of a node (cell.h). `along` is its filtered second difference along the lanes, used when the column lies in an
 * absorber region there (`in_lane`). */
template <int K, bool LANE_FILTERS, bool STACK_FILTERS, int LANE, int R>
__device__ __forceinline__ float laplacian(const device_problem<float> &p, const tile_place &at,
                                           const tile_nodes<LANE, R> &c, int r, float2 beside, bool in_lane,
                                           float along)
{
    float e = c.e[r][K], lap = cell_line(p.centre2, e, beside.x + beside.y, c.sum[r][K]); /* cell_cross, sums apart */
    if (LANE_FILTERS || STACK_FILTERS) {
        bool in_stack = STACK_FILTERS && at.region_row(r);
        along = LANE_FILTERS && in_lane ? along : cell_line(p.centre, e, beside.x, beside.y);
        float across = in_stack ? c.filtered[r][K] : fmaf(p.centre, e, c.sum[r][K]); /* cell_line */
        lap = in_lane || in_stack ? along + across : lap;
    }
    return lap;
}

/* All that needs no value from another tile: everything along the stack, and the new increments. Without LANE_FILTERS
 * the last column of every lane is left for advance_late; with them, which take shuffles of their own, only the nodes
 * beside other tiles are: the partition keeps these outside the absorber regions. LANE_FILTERS, STACK_FILTERS: some
 * nodes of the warp lie in an absorber region along the lanes, along the stack. */
template <int K, int ROWS, bool LANE_FILTERS, bool STACK_FILTERS, int LANE, int R>
__device__ __forceinline__ void advance_early(const device_problem<float> &p, const tile_place &at,
                                              tile_nodes<LANE, R> &c)
{
    float g_before = STACK_FILTERS ? difference_stack<K, ROWS>(p, at, c) : 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (!has_row<ROWS, R>(r)) {
            continue;
        }
        c.sum[r][K] = (r > 0 ? c.e[r > 0 ? r - 1 : r][K] : c.before[K]) +
                      (r < R - 1 ? c.e[r < R - 1 ? r + 1 : r][K] : c.after[K]);
        if (STACK_FILTERS) {
            filter_pair f = at.filters[r + 1];
            float g_south = r > 0 ? c.across[r > 0 ? r - 1 : r][K] : g_before;
            c.filtered[r][K] =
                cell_filter_node(cell_difference(p.difference[0], g_south, c.across[r][K]), f, &c.stack_node[r][K]);
        }
        if (!LANE_FILTERS && K == LANE - 1) {
            continue;
        }
        float along = 0;
        if (LANE_FILTERS) {
            float g = c.half[r][K],
                  g_west = K > 0 ? c.half[r][K > 0 ? K - 1 : K] : __shfl_up_sync(0xffffffffu, c.half[r][LANE - 1], 1);
            g_west = K == LANE - 1 && at.on_wall() ? g : g_west; /* even about the wall */
            along = cell_filter_node(cell_difference(p.difference[0], g_west, g), c.filter[K], &c.lane_node[r][K]);
        }
        float lap = laplacian<K, LANE_FILTERS, STACK_FILTERS>(p, at, c, r, lane_neighbours<K>(c, r),
                                                              LANE_FILTERS && at.region_column(K), along);
        float v = cell_increment(c.v[r][K], lap, c.ca[r][K], c.cb[r][K]);
        c.v[r][K] = LANE_FILTERS && K == LANE - 1 && at.beside() ? c.v[r][K] : v;
    }
}

/* The increments that advance_early left, once the neighbours' nodes have arrived. */
template <int ROWS, bool LANE_FILTERS, bool STACK_FILTERS, int LANE, int R>
__device__ __forceinline__ void advance_late(const device_problem<float> &p, const tile_place &at,
                                             tile_nodes<LANE, R> &c)
{
    constexpr int K = LANE - 1;
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (!has_row<ROWS, R>(r)) {
            continue;
        }
        float lap = laplacian<K, false, STACK_FILTERS>(p, at, c, r, lane_neighbours<K>(c, r), false, 0.0f);
        float v = cell_increment(c.v[r][K], lap, c.ca[r][K], c.cb[r][K]);
        c.v[r][K] = !LANE_FILTERS || at.beside() ? v : c.v[r][K];
    }
}

/* Adds the increments to Ez. */
template <int ROWS, int LANE, int R> __device__ __forceinline__ void add_increments(tile_nodes<LANE, R> &c)
{
#pragma unroll
    for (int n = 0; n < R * LANE; n++) {
        if (has_row<ROWS, R>(n / LANE)) {
            c.e[n / LANE][n % LANE] = c.e[n / LANE][n % LANE] + c.v[n / LANE][n % LANE];
        }
    }
}

/* Adds the sources: `driven` has a bit for each of the thread's nodes, whose weights lie TILE_THREADS apart. */
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
