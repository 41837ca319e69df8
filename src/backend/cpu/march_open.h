/* Nodes away from the absorber: strips of the grid by vectors, the stencil's rings known to the compiler. Included by
 * march_body.h, once per precision. */

/* New increment and new Ez of one vector of nodes. */
INLINE void CELL(finish)(ptrdiff_t n, REAL e, REAL lap, const SCALAR *ca, const SCALAR *cb, SCALAR *increment,
                         SCALAR *after)
{
    REAL v = CELL(cell_increment)(CELL(load)(increment + n), lap, CELL(load)(ca + n), CELL(load)(cb + n));
    CELL(store)(increment + n, v);
    CELL(store)(after + n, e + v);
}

/* A strip of `vectors` vectors, rows top to bottom. One ring: the rows above and below stay in registers. */
INLINE void CELL(strip_narrow)(const struct CELL(pattern) * pattern, const struct cpu_block *block, ptrdiff_t stride,
                               int column, int vectors, const SCALAR *before, SCALAR *after, SCALAR *increment,
                               const SCALAR *ca, const SCALAR *cb)
{
    ptrdiff_t n = block->row_first * stride + column;
    REAL south[4], here[4], north[4];
    for (int k = 0; k < vectors; k++) {
        south[k] = CELL(load)(before + n - stride + k * LANES);
        here[k] = CELL(load)(before + n + k * LANES);
    }
    for (int j = block->row_first; j < block->row_last; j++, n += stride) {
        for (int k = 0; k < vectors; k++) {
            ptrdiff_t m = n + k * LANES;
            north[k] = CELL(load)(before + m + stride);
            REAL lap = CELL(cell_cross)(pattern->centre2, here[k], CELL(load)(before + m - 1),
                                        CELL(load)(before + m + 1), south[k], north[k]);
            CELL(finish)(m, here[k], lap, ca, cb, increment, after);
            south[k] = here[k];
            here[k] = north[k];
        }
    }
}

/* `rows` rows (at most four) of one vector of columns at once: going from ring to ring, the rows above and below move
 * on by one in registers, and only two new ones are read for all of them. `rows` and `rings` are known to the compiler;
 * macros because shifts need literal distances. */
INLINE void CELL(strip_wide)(const struct CELL(pattern) * pattern, int rings, int rows, ptrdiff_t stride, ptrdiff_t n,
                             const SCALAR *before, SCALAR *after, SCALAR *increment, const SCALAR *ca, const SCALAR *cb)
{
    const SCALAR *at = before + n;
    REAL south[4], north[4], here[4], last[4], next[4], lap[4];
    for (int r = 0; r < rows; r++) {
        here[r] = CELL(load)(at + r * stride);
        last[r] = CELL(load)(at + r * stride - LANES);
        next[r] = CELL(load)(at + r * stride + LANES);
        south[r] = CELL(load)(at + (r - 1) * stride);
        north[r] = CELL(load)(at + (r + 1) * stride);
    }
    for (int r = 0; r < rows; r++) {
        lap[r] = CELL(cell_cross)(pattern->centre2, here[r], CELL(west)(at + r * stride, here[r], last[r], 1),
                                  CELL(east)(at + r * stride, here[r], next[r], 1), south[r], north[r]);
    }
#define RING(m)                                                                                                        \
    if (m <= rings) {                                                                                                  \
        for (int r = rows - 1; r > 0; r--) {                                                                           \
            south[r] = south[r - 1];                                                                                   \
            north[rows - 1 - r] = north[rows - r];                                                                     \
        }                                                                                                              \
        south[0] = CELL(load)(at - m * stride);                                                                        \
        north[rows - 1] = CELL(load)(at + (rows - 1 + m) * stride);                                                    \
        for (int r = 0; r < rows; r++) {                                                                               \
            lap[r] =                                                                                                   \
                CELL(cell_cross_add)(lap[r], pattern->ring[m - 1], CELL(west)(at + r * stride, here[r], last[r], m),   \
                                     CELL(east)(at + r * stride, here[r], next[r], m), south[r], north[r]);            \
        }                                                                                                              \
    }
    RING(2)
    RING(3)
    RING(4)
    RING(5)
    RING(6)
    RING(7)
    RING(8)
    RING(9)
    RING(10)
    RING(11)
    RING(12)
    RING(13)
#undef RING
    for (int r = 0; r < rows; r++) {
        CELL(finish)(n + r * stride, here[r], lap[r], ca, cb, increment, after);
    }
}

/* Asks for what the march needs next: the block's rows, `ahead` columns further on. */
static void CELL(fetch_ahead)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step,
                              const struct cpu_block *block)
{
    enum { PER_LINE = 64 / sizeof(SCALAR) };
    int first = block->column_first + block->ahead, last = block->column_last + block->ahead;
    last = last < grid->padded ? last : grid->padded;
    for (int j = block->row_first; j < block->row_last; j++) {
        for (int i = first; i < last; i += PER_LINE) {
            ptrdiff_t n = j * grid->stride + i;
            __builtin_prefetch((const SCALAR *)run->ez[step & 1] + n, 0, FETCH_LEVEL);
            __builtin_prefetch((const SCALAR *)run->ez[(step + 1) & 1] + n, 1, FETCH_LEVEL);
            __builtin_prefetch((const SCALAR *)run->increment + n, 1, FETCH_LEVEL);
            __builtin_prefetch((const SCALAR *)grid->ca + n, 0, FETCH_LEVEL);
            __builtin_prefetch((const SCALAR *)grid->cb + n, 0, FETCH_LEVEL);
        }
    }
}

INLINE void CELL(strips)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, const struct cpu_run *run,
                         int64_t step, const struct cpu_block *block, int rings)
{
    const SCALAR *before = run->ez[step & 1], *ca = grid->ca, *cb = grid->cb;
    SCALAR *after = run->ez[(step + 1) & 1], *increment = run->increment;
    ptrdiff_t stride = grid->stride;
    int column = block->column_first;
    for (; rings == 1 && column + 4 * LANES <= block->column_last; column += 4 * LANES) {
        CELL(strip_narrow)(pattern, block, stride, column, 4, before, after, increment, ca, cb);
    }
    for (; rings == 1 && column + 2 * LANES <= block->column_last; column += 2 * LANES) {
        CELL(strip_narrow)(pattern, block, stride, column, 2, before, after, increment, ca, cb);
    }
    for (; rings == 1 && column < block->column_last; column += LANES) {
        CELL(strip_narrow)(pattern, block, stride, column, 1, before, after, increment, ca, cb);
    }
    /* Rows in fours, each from left to right: the rows around them stay in the first-level cache. */
    int j = block->row_first;
    for (; rings > 1 && j + 4 <= block->row_last; j += 4) {
        for (ptrdiff_t n = j * stride + column; n < j * stride + block->column_last; n += LANES) {
            CELL(strip_wide)(pattern, rings, 4, stride, n, before, after, increment, ca, cb);
        }
    }
    for (; rings > 1 && j < block->row_last; j++) {
        for (ptrdiff_t n = j * stride + column; n < j * stride + block->column_last; n += LANES) {
            CELL(strip_wide)(pattern, rings, 1, stride, n, before, after, increment, ca, cb);
        }
    }
}

/* The number of rings known to the compiler, so that the loops over them unroll. */
static void CELL(march_open)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern,
                             const struct cpu_run *run, int64_t step, const struct cpu_block *block)
{
#ifdef __SANITIZE_ADDRESS__ /* one variant: with a check at every access, thirteen would take the compiler minutes */
    CELL(strips)(grid, pattern, run, step, block, grid->problem->laplacian_taps);
#else
    switch (grid->problem->laplacian_taps) {
#define RINGS(count)                                                                                                   \
    case count:                                                                                                        \
        CELL(strips)(grid, pattern, run, step, block, count);                                                          \
        break;
        RINGS(1)
        RINGS(2)
        RINGS(3)
        RINGS(4)
        RINGS(5)
        RINGS(6)
        RINGS(7)
        RINGS(8)
        RINGS(9)
        RINGS(10)
        RINGS(11)
        RINGS(12)
        RINGS(13)
#undef RINGS
    default:
        break;
    }
#endif
}
