/* What a block of a relay has in shared memory. Leaves out: what it does with it (relay.cu). */
#ifndef RELAY_TILE_H
#define RELAY_TILE_H

#include "kernels/volume/relay/relay.h"

enum { TOLD_TURNS = 8 }; /* turns by which warps that step may be ahead of the one that tells */

constexpr int relay_lines(int values) /* in whole lines of shared memory */
{
    return (values + 31) / 32 * 32;
}

/* What a block has in shared memory. Of the three components of the field that is differenced the first is so along y
 * and z, the second along x and z, the third along x and y, and so are their boxes. */
template <int REACH> struct relay_tile {
    static constexpr int lanes = RELAY_WIDTH / 4, rows = relay_rows(REACH), threads = lanes * rows;
    static constexpr int pitch = RELAY_WIDTH + 2 * RELAY_MARGIN, high = rows + 2 * REACH - 1;
    static constexpr int x = relay_lines(RELAY_WIDTH * high), y = relay_lines(pitch * rows),
                         z = relay_lines(pitch * high), bare = RELAY_WIDTH * rows;
    static constexpr int stages =
        REACH <= 2 ? 3 : 2; /* levels of z and of what is moved on: all but one are copied ahead */
    static constexpr int depth = 2 * REACH - 1 + stages; /* levels of x and y */
    static constexpr int values = depth * (x + y) + stages * (z + 3 * bare);
    static constexpr size_t shared = 4 * (size_t)(values + 4 * stages) + 8 * (stages + TOLD_TURNS + 3);
    static constexpr unsigned column_bytes = 4u * (RELAY_WIDTH * high + pitch * rows),
                              level_bytes = 4u * (pitch * high + 3 * bare);
    static_assert(shared <= RELAY_SHARED, "more shared memory than a block may have");
};

struct relay_rings {
    float *x, *y, *z, *moved;
    int *bounds;     /* (stages, 4): rows beside metal of a turn (relay_rows.h) */
    uint64_t *full;  /* (stages): the boxes of a turn have come */
    uint64_t *done;  /* (TOLD_TURNS): all warps have stepped a turn */
    uint64_t *begun; /* the levels below the first turn's have come */
    int *told;       /* turns that others know of */
};

#endif
