/* How large the blocks of wide_resident.cu and wide_border.cu are, and where its memory lies; for host and device. */
#ifndef SMALL_WIDE_SHAPE_H
#define SMALL_WIDE_SHAPE_H

#include "kernels/common/device.h"

constexpr int PATCH_ROWS = 3, MARGIN_X = 12, MARGIN_Y = 9;

/* A block: a tile of at most QUADS x GROUPS patches, and WARPS warps to hold them and the zones' filters. */
template <int QUADS, int GROUPS, int WARPS> struct wide_shape {
    static constexpr int quads = QUADS, groups = GROUPS, warps = WARPS, threads = 32 * WARPS;
    static constexpr int width = 4 * quads, height = PATCH_ROWS * groups;
    /* An odd number of quads, and so is that of three rows: patches above each other fall on different banks. */
    static constexpr int pitch = (width + 2 * MARGIN_X) / 8 * 8 + 4;
    static constexpr int field = pitch * (height + 2 * MARGIN_Y), origin = MARGIN_Y * pitch + MARGIN_X;
    /* Fields: Ez twice, first differences in x and in y, filtered second difference in y; that in x waits where the new
     * Ez will go. */
    static constexpr int to_gx = 2 * field, to_gy = 3 * field, to_lap_y = 4 * field;
    static constexpr int inbox = 2 * MARGIN_Y * groups + 2 * MARGIN_Y / PATCH_ROWS * 4 * quads; /* packets */
    static constexpr int slots = (inbox + threads - 1) / threads;
    static constexpr size_t shared_bytes =
        sizeof(float) * 5 * (size_t)field + sizeof(float4) * (width + height) + sizeof(unsigned) * threads;
    /* In L2, of a block: packets of both parities, then weights of sources. */
    static constexpr size_t outside_bytes = sizeof(float4) * 2 * inbox + sizeof(float) * 4 * PATCH_ROWS * threads;
};

/* 64 x 84 nodes; 128 registers a thread. */
typedef wide_shape<16, 28, 16> wide_tile;

/* The same for a box beside a march: as wide as is good along a wall in x, as high as along one in y. */
typedef wide_shape<20, 28, 16> wide_pass_tile;

#endif
