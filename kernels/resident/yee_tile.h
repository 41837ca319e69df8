/* How yee_resident.cu divides a tile among its warps; for host and device. A tile has an axis that goes along the lanes
 * of its warps, two nodes a lane, and one along which the warps are stacked, so that the absorber's filters fall to few
 * warps where they lie across the stack. Beside the walls at low and high x the tiles are turned: their lanes go along
 * y. */
#ifndef SMALL_YEE_TILE_H
#define SMALL_YEE_TILE_H

#include "kernels/common/device.h"

/* Rows of nodes of a warp in no zone, with filters along the lanes, and along the stack: filter states take registers
 * and time. Even, for rows travel two by two. */
constexpr int STACK_ROWS = 8, WALL_ROWS = 6, ZONE_ROWS = 4;
constexpr int TILE_WARPS = 12, TILE_THREADS = 32 * TILE_WARPS;
constexpr int TILE_NODES = 2 * STACK_ROWS; /* of a thread, at most */
constexpr int TILE_HEIGHT = STACK_ROWS * TILE_WARPS;

/* box.kind; box.run is the column of tiles. */
enum {
    TILE_TURNED = 1, /* lanes along y */
    TILE_WALL = 2,   /* filters along the lanes, or the low wall there */
    TILE_SINGLE = 4  /* one node a lane */
};

__host__ __device__ __forceinline__ int tile_lane_nodes(int kind)
{
    return (kind & TILE_SINGLE) != 0 ? 1 : 2;
}

/* Most nodes along the lanes: with one beside them at both ends. */
__host__ __device__ __forceinline__ int tile_width(int kind)
{
    return 32 * tile_lane_nodes(kind) - 2;
}

/* The warps of a stack over nodes s0..s1 of an axis of n: those in the low zone, those in none, and such as have the
 * rows of a zone: those in the high one, or what is left over at an end inside the grid. */
struct tile_stack {
    int low, middle, high, low_rows, size;
    int rows; /* of a warp in no zone */

    __host__ __device__ int warps() const
    {
        return low + middle + high;
    }
    __host__ __device__ bool in_zone(int warp) const
    {
        return warp < low || warp >= low + middle;
    }
    __host__ __device__ int rows_of(int warp) const
    {
        return in_zone(warp) ? ZONE_ROWS : rows;
    }
    __host__ __device__ int start(int warp) const
    {
        return warp < low            ? ZONE_ROWS * warp
               : warp < low + middle ? low_rows + rows * (warp - low)
                                     : low_rows + rows * middle + ZONE_ROWS * (warp - low - middle);
    }
    __host__ __device__ int warp_of(int row) const
    {
        int above = row - low_rows, beyond = above - rows * middle;
        return above < 0 ? row / ZONE_ROWS : beyond < 0 ? low + above / rows : low + middle + beyond / ZONE_ROWS;
    }
};

__host__ __device__ inline tile_stack stack_of(int rows, int s0, int s1, int n, int zone)
{
    int size = s1 - s0, low = zone > s0 ? (zone - s0 + ZONE_ROWS - 1) / ZONE_ROWS : 0;
    low = low * ZONE_ROWS > size ? (size + ZONE_ROWS - 1) / ZONE_ROWS : low;
    int low_rows = low * ZONE_ROWS < size ? low * ZONE_ROWS : size, left = size - low_rows;
    if (s1 < n) { /* whole warps only */
        int middle = left / rows;
        while (middle > 0 && (left - rows * middle) % ZONE_ROWS != 0) {
            middle--;
        }
        return {low, middle, (left - rows * middle + ZONE_ROWS - 1) / ZONE_ROWS, low_rows, size, rows};
    }
    if (zone == 0) {
        return {low, (left + rows - 1) / rows, 0, low_rows, size, rows};
    }
    int free = n - zone - s0 - low_rows, middle = free > 0 ? free / rows : 0;
    return {low, middle, (left - rows * middle + ZONE_ROWS - 1) / ZONE_ROWS, low_rows, size, rows};
}

/* As many rows a warp as the kind of tile prefers, or as it takes. */
__host__ __device__ inline tile_stack make_stack(int kind, int s0, int s1, int n, int zone)
{
    tile_stack stack = stack_of((kind & TILE_WALL) != 0 ? WALL_ROWS : STACK_ROWS, s0, s1, n, zone);
    return stack.warps() <= TILE_WARPS ? stack : stack_of(STACK_ROWS, s0, s1, n, zone);
}

/* Packets of the tiles' edges in L2 (yee_halo.h), one node each: the two edges of every tile across y, node x - x0 of
 * it; then the two sides of every line between columns of tiles, node y. */
constexpr int EDGE_PACKETS = TILE_HEIGHT + 8;

__host__ __device__ __forceinline__ int line_packets(int ny)
{
    return (ny + STACK_ROWS + 1) / 2 * 2;
}

__host__ __device__ __forceinline__ int edge_of(int tile, bool high)
{
    return (2 * tile + (high ? 1 : 0)) * EDGE_PACKETS;
}

/* Of the line beyond column `column`: its last nodes, or the next one's first. */
__host__ __device__ __forceinline__ int line_of(int tiles, int column, bool next, int ny)
{
    return 2 * tiles * EDGE_PACKETS + (2 * column + (next ? 1 : 0)) * line_packets(ny);
}

/* Bytes from the packets of even steps to those of odd ones: a power of two, so that one bit of an address tells them
 * apart. */
__host__ __device__ inline unsigned set_bytes(int ny, int tiles, int columns)
{
    unsigned bytes = 256;
    while (bytes < sizeof(uint2) * (size_t)line_of(tiles, columns, false, ny)) {
        bytes *= 2;
    }
    return bytes;
}

#endif
