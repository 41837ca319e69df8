/* How large the blocks of yee_border.cu are; for host and device. */
#ifndef YEE_BORDER_SHAPE_H
#define YEE_BORDER_SHAPE_H

#include "kernels/resident/yee_resident.h"

/* A block: WIDE warps of 32 columns side by side, HIGH of them above each other, ROWS nodes a thread. */
template <int WIDE, int HIGH, int ROWS> struct block_shape {
    static constexpr int wide = WIDE, rows = ROWS;
    static constexpr int threads = 32 * WIDE * HIGH, width = 32 * WIDE, height = HIGH * ROWS;
    static constexpr int pitch = width + 2,
                         field = pitch * (height + 2); /* floats of one Ez field, with a margin of one node */
    static constexpr size_t shared_bytes = sizeof(filter_pair) * (height + 1) +
                                           sizeof(float) * (2 * field + (size_t)ROWS * threads) +
                                           sizeof(unsigned) * threads;
};

/* The blocks beside a march, by border_kind: with few enough threads to leave each its registers, and with equally many
 * in all kinds. */
typedef block_shape<1, 16, 7> side_shape;
typedef block_shape<4, 4, 8> end_shape;
typedef block_shape<2, 8, 6> patch_shape;
constexpr int BORDER_THREADS = side_shape::threads;
static_assert(end_shape::threads == BORDER_THREADS && patch_shape::threads == BORDER_THREADS,
              "one launch for all kinds");

#endif
