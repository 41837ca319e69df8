/* How large the blocks of wide_resident.cu and wide_border.cu are, and how their shared memory is laid out; for host
 * and device. A patch is 4 columns (a quad) by PATCH_ROWS rows of nodes and belongs to one thread. A tile is at most
 * `quads` by `groups` patches, surrounded in shared memory by a margin for the halo and for the images beyond walls:
 *
 *      |<- MARGIN_X ->|<------- 4 quads ------->|<- MARGIN_X ->|
 *    --+--------------+-------------------------+--------------+
 *      |              |          halo           |              |  MARGIN_Y
 *    --+--------------+-----+-----+-----+-------+--------------+
 *      |              |patch|patch|     |       |              |  PATCH_ROWS
 *      |     halo     +-----+-----+     |       |     halo     |
 *      |              |patch|     |     |       |              |  ... `groups` times
 *    --+--------------+-----+-----+-----+-------+--------------+
 *      |              |          halo           |              |  MARGIN_Y */
#ifndef WIDE_SHAPE_H
#define WIDE_SHAPE_H

#include "kernels/common/device.h"

constexpr int PATCH_ROWS = 3, MARGIN_X = 12, MARGIN_Y = 9;

/* A block: a tile of at most QUADS x GROUPS patches, and WARPS warps to own them and to filter those in absorber
 * regions. */
template <int QUADS, int GROUPS, int WARPS> struct wide_shape {
    static constexpr int quads = QUADS, groups = GROUPS, warps = WARPS, threads = 32 * WARPS;
    static constexpr int width = 4 * quads, height = PATCH_ROWS * groups;
    /* The pitch is an odd number of quads, and so are three rows: patches above each other fall on different banks. */
    static constexpr int pitch = (width + 2 * MARGIN_X) / 8 * 8 + 4;
    static constexpr int field = pitch * (height + 2 * MARGIN_Y), origin = MARGIN_Y * pitch + MARGIN_X;
    /* Five fields: Ez before and after a step, the filtered first differences in x and in y, and the filtered second
     * difference in y. The one in x waits where the new Ez will go. */
    static constexpr int to_gx = 2 * field, to_gy = 3 * field, to_lap_y = 4 * field;
    static constexpr int halo_slots =
        2 * MARGIN_Y * groups +
        2 * MARGIN_Y / PATCH_ROWS * 4 * quads; /* slots of the block in each part of the halo buffer */
    static constexpr int slots_per_thread = (halo_slots + threads - 1) / threads;
    static constexpr size_t shared_bytes =
        sizeof(float) * 5 * (size_t)field + sizeof(filter_pair) * (width + height) + sizeof(unsigned) * threads;
    static_assert(sizeof(filter_pair) * (width + height) % sizeof(float4) == 0, "the fields behind are read by quads");
    /* Global memory of a block: halo slots of both parities, then the weights of sources. */
    static constexpr size_t global_bytes = sizeof(float4) * 2 * halo_slots + sizeof(float) * 4 * PATCH_ROWS * threads;
};

/* 64 x 84 nodes; 128 registers a thread. */
typedef wide_shape<16, 28, 16> wide_tile;

/* The block of a box beside a march: as wide as is good along a wall in x, as high as is good along a wall in y. */
typedef wide_shape<20, 28, 16> wide_pass_tile;

#endif
