/* How yee_resident.cu divides a tile among its warps, and where the tiles' halo slots lie; for host and device. The
 * lanes of a warp go along one axis of the tile, two nodes a lane, and the warps are stacked along the other axis.
 * Where the absorber region lies across the stack, its filters therefore fall to few warps. Beside the walls at low and
 * high x the tiles are transposed: their lanes go along y and their warps are stacked along x.
 *
 * A tile that is not transposed, of 61 columns from l0 on and of rows s0..s1; `h` is the node of a neighbouring tile:
 *
 *             lane 0    lane 1    lane 2          lane 30   lane 31
 *           [ h   0 ] [ 1   2 ] [ 3   4 ]  ...  [ 59  60 ] [ h   - ]   column l0 + ..., held by a lane's two registers
 *           +---------------------------------------------------------+ s0
 *   warp 0  |  REGION_ROWS rows in the low absorber region            |   tile_stack.low warps
 *   warp 1  |  REGION_ROWS rows                                       |
 *           +---------------------------------------------------------+
 *   warp 2  |  STACK_ROWS (WALL_ROWS) rows outside the regions of     |   tile_stack.middle warps
 *   warp 3  |  the stack's axis                                       |
 *    ...    |                                                         |
 *           +---------------------------------------------------------+
 *   warp 11 |  REGION_ROWS rows in the high absorber region           |   tile_stack.high warps
 *           +---------------------------------------------------------+ s1
 *
 * Leaves out: the choice of the tiles (yee_partition.cu). */
#ifndef YEE_TILE_H
#define YEE_TILE_H

#include "kernels/common/device.h"

/* Rows of a warp outside every absorber region, of a warp with filters along its lanes, and of a warp with filters
 * along the stack: filter states take registers and time. All are even because rows are exchanged two by two. */
constexpr int STACK_ROWS = 8, WALL_ROWS = 6, REGION_ROWS = 4;
constexpr int TILE_WARPS = 12, TILE_THREADS = 32 * TILE_WARPS;
constexpr int TILE_NODES = 2 * STACK_ROWS; /* most nodes of a thread */
constexpr int TILE_HEIGHT = STACK_ROWS * TILE_WARPS;

/* Bits of box.kind. box.run is the column of tiles. */
enum {
    TILE_TRANSPOSED = 1, /* lanes along y */
    TILE_WALL = 2,       /* the lanes have filters, or begin at the low wall */
    TILE_SINGLE = 4      /* one node a lane */
};

__host__ __device__ __forceinline__ int tile_lane_nodes(int kind)
{
    return (kind & TILE_SINGLE) != 0 ? 1 : 2;
}

/* Most nodes along the lanes: the outermost two belong to the neighbouring tiles. */
__host__ __device__ __forceinline__ int tile_width(int kind)
{
    return 32 * tile_lane_nodes(kind) - 2;
}

/* The warps of a stack over nodes s0..s1 of an axis of n nodes: `low` warps in the low absorber region, `middle` warps
 * in no region, and `high` warps of REGION_ROWS rows in the high region, or with the rows that are left over at an end
 * inside the grid. */
struct tile_stack {
    int low, middle, high, low_rows, size;
    int rows; /* of a warp in no absorber region */

    __host__ __device__ int warps() const
    {
        return low + middle + high;
    }
    __host__ __device__ bool in_region(int warp) const
    {
        return warp < low || warp >= low + middle;
    }
    __host__ __device__ int rows_of(int warp) const
    {
        return in_region(warp) ? REGION_ROWS : rows;
    }
    __host__ __device__ int start(int warp) const
    {
        return warp < low            ? REGION_ROWS * warp
               : warp < low + middle ? low_rows + rows * (warp - low)
                                     : low_rows + rows * middle + REGION_ROWS * (warp - low - middle);
    }
    __host__ __device__ int warp_of(int row) const
    {
        int above = row - low_rows, beyond = above - rows * middle;
        return above < 0 ? row / REGION_ROWS : beyond < 0 ? low + above / rows : low + middle + beyond / REGION_ROWS;
    }
};

__host__ __device__ inline tile_stack stack_of(int rows, int s0, int s1, int n, int region)
{
    int size = s1 - s0, low = region > s0 ? (region - s0 + REGION_ROWS - 1) / REGION_ROWS : 0;
    low = low * REGION_ROWS > size ? (size + REGION_ROWS - 1) / REGION_ROWS : low;
    int low_rows = low * REGION_ROWS < size ? low * REGION_ROWS : size, left = size - low_rows;
    if (s1 < n) { /* the tile must end with a whole warp */
        int middle = left / rows;
        while (middle > 0 && (left - rows * middle) % REGION_ROWS != 0) {
            middle--;
        }
        return {low, middle, (left - rows * middle + REGION_ROWS - 1) / REGION_ROWS, low_rows, size, rows};
    }
    if (region == 0) {
        return {low, (left + rows - 1) / rows, 0, low_rows, size, rows};
    }
    int free = n - region - s0 - low_rows, middle = free > 0 ? free / rows : 0;
    return {low, middle, (left - rows * middle + REGION_ROWS - 1) / REGION_ROWS, low_rows, size, rows};
}

/* The stack with as many rows a warp as the kind of tile prefers; with STACK_ROWS rows where the block would need too
 * many warps. */
__host__ __device__ inline tile_stack make_stack(int kind, int s0, int s1, int n, int region)
{
    tile_stack stack = stack_of((kind & TILE_WALL) != 0 ? WALL_ROWS : STACK_ROWS, s0, s1, n, region);
    return stack.warps() <= TILE_WARPS ? stack : stack_of(STACK_ROWS, s0, s1, n, region);
}

/* The halo buffer (yee_halo.h) lies in global memory and stays in L2. It has one slot a node, and two parts of equal
 * size, for even and for odd steps. Each part begins with the slots of the tiles' edges and ends with those of the
 * lines between columns of tiles:
 *
 *     tile 0: low edge | high edge | tile 1: low edge | high edge | ...    EDGE_SLOTS each, slot x - x0: edges across y
 *     line 0: last nodes of column 0 | first nodes of column 1 | line 1...   line_slots each, slot y: edges across x */
constexpr int EDGE_SLOTS = TILE_HEIGHT + 8;

__host__ __device__ __forceinline__ int line_slots(int ny)
{
    return (ny + STACK_ROWS + 1) / 2 * 2;
}

__host__ __device__ __forceinline__ int first_edge_slot(int tile, bool high)
{
    return (2 * tile + (high ? 1 : 0)) * EDGE_SLOTS;
}

/* First slot of the line behind column `column`: of the last nodes of that column, or of the first nodes of the next
 * one. */
__host__ __device__ __forceinline__ int first_line_slot(int tiles, int column, bool next, int ny)
{
    return 2 * tiles * EDGE_SLOTS + (2 * column + (next ? 1 : 0)) * line_slots(ny);
}

/* Bytes from a slot of even steps to the same slot of odd steps: a power of two, so that one bit of an address tells
 * the two apart. */
__host__ __device__ inline unsigned halo_parity_bytes(int ny, int tiles, int columns)
{
    unsigned bytes = 256;
    while (bytes < sizeof(uint2) * (size_t)first_line_slot(tiles, columns, false, ny)) {
        bytes *= 2;
    }
    return bytes;
}

#endif
