/* Nodes away from the absorber: strips of the grid by vectors, with the number of Laplacian taps known to the compiler.
 * Included by march_body.h, once per precision. */

/* The arrays of one step, node (0, 0) of each. A local of the function that loops, so that the compiler keeps every
 * pointer in a register. */
struct CELL(arrays) {
    const SCALAR *before;      /* Ez at level `step` */
    SCALAR *after, *increment; /* Ez at level `step` + 1; v, in place */
    const SCALAR *ca, *cb;
    ptrdiff_t stride;
};

INLINE struct CELL(arrays) CELL(step_arrays)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step)
{
    return (struct CELL(arrays)){.before = run->ez[step & 1],
                                 .after = run->ez[(step + 1) & 1],
                                 .increment = run->increment,
                                 .ca = grid->ca,
                                 .cb = grid->cb,
                                 .stride = grid->stride};
}

/* New increment and new Ez of one vector of nodes: e is Ez at level `step`, laplacian is L of it. */
INLINE void CELL(finish)(const struct CELL(arrays) * arrays, ptrdiff_t n, REAL e, REAL laplacian)
{
    REAL v = CELL(cell_increment)(CELL(load)(arrays->increment + n), laplacian, CELL(load)(arrays->ca + n),
                                  CELL(load)(arrays->cb + n));
    CELL(store)(arrays->increment + n, v);
    CELL(store)(arrays->after + n, e + v);
}

/* One tap: a strip of `vectors` vectors, rows top to bottom. The rows above and below stay in registers. */
INLINE void CELL(strip_narrow)(const struct CELL(stencil) * stencil, const struct CELL(arrays) * arrays,
                               const struct cpu_block *block, int column, int vectors)
{
    const SCALAR *before = arrays->before;
    ptrdiff_t stride = arrays->stride, n = block->row_first * stride + column;
    REAL south[4], here[4], north[4];
    for (int k = 0; k < vectors; k++) {
        south[k] = CELL(load)(before + n - stride + k * LANES);
        here[k] = CELL(load)(before + n + k * LANES);
    }
    for (int j = block->row_first; j < block->row_last; j++, n += stride) {
        for (int k = 0; k < vectors; k++) {
            ptrdiff_t m = n + k * LANES;
            north[k] = CELL(load)(before + m + stride);
            REAL laplacian = CELL(cell_cross)(stencil->centre2, here[k], CELL(load)(before + m - 1),
                                              CELL(load)(before + m + 1), south[k], north[k]);
            CELL(finish)(arrays, m, here[k], laplacian);
            south[k] = here[k];
            here[k] = north[k];
        }
    }
}

/* Several taps: `rows` rows (at most four) of one vector of columns at once. Going from tap to tap, the rows above and
 * below move on by one in registers, and only two new rows are read for all of them. `rows` and `taps` are known to the
 * compiler; ADD_TAP is a macro because the shifts of a vector need literal distances. */
INLINE void CELL(strip_wide)(const struct CELL(stencil) * stencil, const struct CELL(arrays) * arrays, int taps,
                             int rows, ptrdiff_t n)
{
    ptrdiff_t stride = arrays->stride;
    const SCALAR *at = arrays->before + n;
    REAL south[4], north[4], here[4], last[4], next[4], sum[4];
    for (int r = 0; r < rows; r++) {
        here[r] = CELL(load)(at + r * stride);
        last[r] = CELL(load)(at + r * stride - LANES);
        next[r] = CELL(load)(at + r * stride + LANES);
        south[r] = CELL(load)(at + (r - 1) * stride);
        north[r] = CELL(load)(at + (r + 1) * stride);
    }
    for (int r = 0; r < rows; r++) {
        sum[r] = CELL(cell_cross)(stencil->centre2, here[r], CELL(west)(at + r * stride, here[r], last[r], 1),
                                  CELL(east)(at + r * stride, here[r], next[r], 1), south[r], north[r]);
    }
#define ADD_TAP(m)                                                                                                     \
    if (m <= taps) {                                                                                                   \
        for (int r = rows - 1; r > 0; r--) {                                                                           \
            south[r] = south[r - 1];                                                                                   \
            north[rows - 1 - r] = north[rows - r];                                                                     \
        }                                                                                                              \
        south[0] = CELL(load)(at - m * stride);                                                                        \
        north[rows - 1] = CELL(load)(at + (rows - 1 + m) * stride);                                                    \
        for (int r = 0; r < rows; r++) {                                                                               \
            sum[r] =                                                                                                   \
                CELL(cell_cross_add)(sum[r], stencil->tap[m - 1], CELL(west)(at + r * stride, here[r], last[r], m),    \
                                     CELL(east)(at + r * stride, here[r], next[r], m), south[r], north[r]);            \
        }                                                                                                              \
    }
    ADD_TAP(2)
    ADD_TAP(3)
    ADD_TAP(4)
    ADD_TAP(5)
    ADD_TAP(6)
    ADD_TAP(7)
    ADD_TAP(8)
    ADD_TAP(9)
    ADD_TAP(10)
    ADD_TAP(11)
    ADD_TAP(12)
    ADD_TAP(13)
#undef ADD_TAP
    for (int r = 0; r < rows; r++) {
        CELL(finish)(arrays, n + r * stride, here[r], sum[r]);
    }
}

/* Asks the memory for the values that the march reads next: the block's rows, `ahead` columns further on. */
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

/* The open nodes of a block with one tap. */
static void CELL(march_open_narrow)(const struct cpu_grid *grid, const struct CELL(stencil) * stencil,
                                    const struct cpu_run *run, int64_t step, const struct cpu_block *block)
{
    struct CELL(arrays) arrays = CELL(step_arrays)(grid, run, step);
    int column = block->column_first;
    for (; column + 4 * LANES <= block->column_last; column += 4 * LANES) {
        CELL(strip_narrow)(stencil, &arrays, block, column, 4);
    }
    for (; column + 2 * LANES <= block->column_last; column += 2 * LANES) {
        CELL(strip_narrow)(stencil, &arrays, block, column, 2);
    }
    for (; column < block->column_last; column += LANES) {
        CELL(strip_narrow)(stencil, &arrays, block, column, 1);
    }
}

/* The open nodes of a block with `taps` taps, rows in fours, each four from left to right: the rows around them stay in
 * the first-level cache. */
INLINE void CELL(strips_wide)(const struct cpu_grid *grid, const struct CELL(stencil) * stencil,
                              const struct cpu_run *run, int64_t step, const struct cpu_block *block, int taps)
{
    struct CELL(arrays) arrays = CELL(step_arrays)(grid, run, step);
    ptrdiff_t stride = grid->stride;
    int j = block->row_first, column = block->column_first;
    for (; j + 4 <= block->row_last; j += 4) {
        for (ptrdiff_t n = j * stride + column; n < j * stride + block->column_last; n += LANES) {
            CELL(strip_wide)(stencil, &arrays, taps, 4, n);
        }
    }
    for (; j < block->row_last; j++) {
        for (ptrdiff_t n = j * stride + column; n < j * stride + block->column_last; n += LANES) {
            CELL(strip_wide)(stencil, &arrays, taps, 1, n);
        }
    }
}

/* The same with the number of taps known to the compiler, so that the loops over them unroll. */
static void CELL(march_open_wide)(const struct cpu_grid *grid, const struct CELL(stencil) * stencil,
                                  const struct cpu_run *run, int64_t step, const struct cpu_block *block)
{
#ifdef __SANITIZE_ADDRESS__ /* one variant: with a check at every access, twelve would take the compiler minutes */
    CELL(strips_wide)(grid, stencil, run, step, block, grid->problem->laplacian_taps);
#else
    switch (grid->problem->laplacian_taps) {
#define WITH_TAPS(count)                                                                                               \
    case count:                                                                                                        \
        CELL(strips_wide)(grid, stencil, run, step, block, count);                                                     \
        break;
        WITH_TAPS(2)
        WITH_TAPS(3)
        WITH_TAPS(4)
        WITH_TAPS(5)
        WITH_TAPS(6)
        WITH_TAPS(7)
        WITH_TAPS(8)
        WITH_TAPS(9)
        WITH_TAPS(10)
        WITH_TAPS(11)
        WITH_TAPS(12)
        WITH_TAPS(13)
#undef WITH_TAPS
    default:
        break;
    }
#endif
}
