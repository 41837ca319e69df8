/* The CPU engine's inner loops in one precision, included twice by cpu_walk.c with REAL a vector, SCALAR its element and INTEGER an
 * integer of the same size. Order of work in a block: slopes of the absorber zones it decides, nodes beside and away from the
 * zones, sources, probes and snapshot, images about the walls. */

typedef SCALAR CELL(unaligned) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(SCALAR)), may_alias));
typedef INTEGER CELL(mask) __attribute__((vector_size(VECTOR_BYTES)));

#define LANES ((int)(VECTOR_BYTES / sizeof(SCALAR)))

/* The stencil, every coefficient in all lanes. */
struct CELL(pattern) {
    REAL centre, centre2, ring[RING_LIMIT], difference[REACH_LIMIT];
};

INLINE REAL CELL(load)(const SCALAR *from)
{
    return (REAL) * (const CELL(unaligned) *)from;
}

INLINE void CELL(store)(SCALAR *to, REAL value)
{
    *(CELL(unaligned) *)to = (CELL(unaligned))value;
}

INLINE REAL CELL(spread)(double value)
{
    return (SCALAR)value - (REAL){0};
}

INLINE REAL CELL(choose)(CELL(mask) mask, REAL yes, REAL no)
{
    return (REAL)((mask & (CELL(mask))yes) | (~mask & (CELL(mask))no));
}

static void CELL(fill_pattern)(const struct problem *problem, struct CELL(pattern) * pattern)
{
    pattern->centre = CELL(spread)(problem->centre);
    pattern->centre2 = CELL(spread)(2 * problem->centre);
    for (int m = 0; m < problem->ring_count; m++) {
        pattern->ring[m] = CELL(spread)(problem->ring[m]);
    }
    for (int l = 0; l < problem->reach; l++) {
        pattern->difference[l] = CELL(spread)(problem->difference[l]);
    }
}

/* ---- away from the absorber ------------------------------------------------------------------------------------- */

/* New increment and new Ez of one vector of nodes. */
INLINE void CELL(finish)(ptrdiff_t n, REAL e, REAL lap, const SCALAR *retention, const SCALAR *coupling,
                         SCALAR *increment, SCALAR *after)
{
    REAL v = CELL(cell_increment)(CELL(load)(increment + n), lap, CELL(load)(retention + n), CELL(load)(coupling + n));
    CELL(store)(increment + n, v);
    CELL(store)(after + n, e + v);
}

/* A strip of `vectors` vectors, rows top to bottom. One ring: the rows above and below stay in registers. */
INLINE void CELL(strip_narrow)(const struct CELL(pattern) * pattern, const struct cpu_block *block, ptrdiff_t stride,
                               int column, int vectors, const SCALAR *before, SCALAR *after, SCALAR *increment,
                               const SCALAR *retention, const SCALAR *coupling)
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
            CELL(finish)(m, here[k], lap, retention, coupling, increment, after);
            south[k] = here[k];
            here[k] = north[k];
        }
    }
}

/* `rows` rows (at most four) of one vector of columns at once: going from ring to ring, the rows above and below move on by one in
 * registers, and only two new ones are read for all of them. `rows` and `rings` are known to the compiler; macros because shifts need
 * literal distances. */
INLINE void CELL(strip_wide)(const struct CELL(pattern) * pattern, int rings, int rows, ptrdiff_t stride, ptrdiff_t n,
                             const SCALAR *before, SCALAR *after, SCALAR *increment, const SCALAR *retention,
                             const SCALAR *coupling)
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
        CELL(finish)(n + r * stride, here[r], lap[r], retention, coupling, increment, after);
    }
}

/* Asks for what the walk needs next: the block's rows, `ahead` columns further on. */
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
            __builtin_prefetch((const SCALAR *)grid->retention + n, 0, FETCH_LEVEL);
            __builtin_prefetch((const SCALAR *)grid->coupling + n, 0, FETCH_LEVEL);
        }
    }
}

INLINE void CELL(strips)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, const struct cpu_run *run,
                         int64_t step, const struct cpu_block *block, int rings)
{
    const SCALAR *before = run->ez[step & 1], *retention = grid->retention, *coupling = grid->coupling;
    SCALAR *after = run->ez[(step + 1) & 1], *increment = run->increment;
    ptrdiff_t stride = grid->stride;
    int column = block->column_first;
    for (; rings == 1 && column + 4 * LANES <= block->column_last; column += 4 * LANES) {
        CELL(strip_narrow)(pattern, block, stride, column, 4, before, after, increment, retention, coupling);
    }
    for (; rings == 1 && column + 2 * LANES <= block->column_last; column += 2 * LANES) {
        CELL(strip_narrow)(pattern, block, stride, column, 2, before, after, increment, retention, coupling);
    }
    for (; rings == 1 && column < block->column_last; column += LANES) {
        CELL(strip_narrow)(pattern, block, stride, column, 1, before, after, increment, retention, coupling);
    }
    /* Rows in fours, each from left to right: the rows around them stay in the first-level cache. */
    int j = block->row_first;
    for (; rings > 1 && j + 4 <= block->row_last; j += 4) {
        for (ptrdiff_t n = j * stride + column; n < j * stride + block->column_last; n += LANES) {
            CELL(strip_wide)(pattern, rings, 4, stride, n, before, after, increment, retention, coupling);
        }
    }
    for (; rings > 1 && j < block->row_last; j++) {
        for (ptrdiff_t n = j * stride + column; n < j * stride + block->column_last; n += LANES) {
            CELL(strip_wide)(pattern, rings, 1, stride, n, before, after, increment, retention, coupling);
        }
    }
}

/* The number of rings known to the compiler, so that the loops over them unroll. */
static void CELL(walk_open)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern,
                            const struct cpu_run *run, int64_t step, const struct cpu_block *block)
{
#ifdef __SANITIZE_ADDRESS__ /* one variant: with a check at every access, thirteen would take the compiler minutes */
    CELL(strips)(grid, pattern, run, step, block, grid->problem->ring_count);
#else
    switch (grid->problem->ring_count) {
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

/* ---- beside the absorber ---------------------------------------------------------------------------------------- */

/* Difference between the values above and below a point: low[-l stride], high[l stride] stand l + 1/2 from it. */
INLINE REAL CELL(difference)(const struct CELL(pattern) * pattern, int reach, const SCALAR *low, const SCALAR *high,
                             ptrdiff_t stride)
{
    REAL sum = CELL(cell_difference)(pattern->difference[0], CELL(load)(low), CELL(load)(high));
    for (int l = 1; l < reach; l++) {
        sum = CELL(cell_difference_add)(sum, pattern->difference[l], CELL(load)(low - l * stride),
                                        CELL(load)(high + l * stride));
    }
    return sum;
}

INLINE REAL CELL(filter)(REAL in, REAL gain, REAL pole, SCALAR *state)
{
    REAL kept = CELL(load)(state), out = CELL(cell_filter)(in, gain, pole, &kept);
    CELL(store)(state, kept);
    return out;
}

/* Half rows that the block decides, in the y zones: those its own rows and the rows before it look at. */
INLINE void CELL(slopes_y)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach,
                           const struct cpu_run *run, int64_t step, const struct cpu_block *block)
{
    const struct problem *problem = grid->problem;
    int keep = grid->slope_rows / 2, ny = grid->ny;
    int first = block->row_first == 0 ? 0 : block->row_first + reach - 1;
    int last = block->row_last == ny ? ny : block->row_last + reach - 1;
    last = last < ny ? last : ny;
    for (int h = first; h < last; h++) {
        if (h >= keep && h < ny - keep && grid->slope_rows < ny) {
            h = ny - keep - 1; /* on to the other zone */
            continue;
        }
        const SCALAR *before = (const SCALAR *)run->ez[step & 1] + h * grid->stride;
        SCALAR *slope = (SCALAR *)run->y_slope + cpu_slope_row(grid, h) * grid->stride;
        int row = cpu_layer_row(problem, h);
        SCALAR *state = row < 0 ? NULL : (SCALAR *)run->y_half + row * grid->stride;
        REAL gain = CELL(spread)(problem->y_half[h].gain), pole = CELL(spread)(problem->y_half[h].pole);
        for (int i = block->column_first; i < block->column_last; i += LANES) {
            REAL g = CELL(difference)(pattern, reach, before + i, before + i + grid->stride, grid->stride);
            CELL(store)(slope + i, state == NULL ? g : CELL(filter)(g, gain, pole, state + i));
        }
    }
}

/* Half nodes that the block decides, in one x zone; images about a wall follow as soon as they can. */
INLINE void CELL(slopes_x)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach,
                           const struct cpu_run *run, int64_t step, const struct cpu_block *block, int s)
{
    const struct cpu_side *side = &grid->side[s];
    const SCALAR *half_gain = side->half_gain, *half_pole = side->half_pole;
    int origin = side->first - SLOPE_SHIFT;
    int first = block->column_first == 0 ? -SLOPE_SHIFT : block->column_first + SLOPE_SHIFT;
    int last = block->column_last + SLOPE_SHIFT;
    first = first > origin ? first : origin;
    last = last < side->last + SLOPE_SHIFT ? last : side->last + SLOPE_SHIFT;
    for (int j = block->row_first; first < last && j < block->row_last; j++) {
        const SCALAR *before = (const SCALAR *)run->ez[step & 1] + j * grid->stride;
        SCALAR *slope = (SCALAR *)run->x_slope[s] + (ptrdiff_t)j * side->width - origin;
        SCALAR *state = (SCALAR *)run->x_half[s] + (ptrdiff_t)j * side->width - origin;
        for (int h = first; h < last; h += LANES) {
            REAL g = CELL(difference)(pattern, reach, before + h, before + h + 1, 1);
            CELL(store)
            (slope + h,
             CELL(filter)(g, CELL(load)(half_gain + h - origin), CELL(load)(half_pole + h - origin), state + h));
        }
        for (int m = 1; origin < 0 && block->column_first == 0 && m <= reach; m++) {
            slope[-m] = slope[cpu_fold_half(-m, grid->nx)];
        }
        for (int m = 0; last >= grid->nx && m < reach && grid->nx + m < side->last + SLOPE_SHIFT; m++) {
            slope[grid->nx + m] = slope[cpu_fold_half(grid->nx + m, grid->nx)];
        }
    }
}

/* L Ez along one axis away from its zone. */
INLINE REAL CELL(line)(const struct CELL(pattern) * pattern, int rings, const SCALAR *at, ptrdiff_t stride)
{
    REAL lap = CELL(cell_line)(pattern->centre, CELL(load)(at), CELL(load)(at - stride), CELL(load)(at + stride));
    for (int m = 2; m <= rings; m++) {
        lap = CELL(cell_line_add)(lap, pattern->ring[m - 1], CELL(load)(at - m * stride), CELL(load)(at + m * stride));
    }
    return lap;
}

INLINE REAL CELL(cross)(const struct CELL(pattern) * pattern, int rings, const SCALAR *at, ptrdiff_t stride)
{
    REAL lap = CELL(cell_cross)(pattern->centre2, CELL(load)(at), CELL(load)(at - 1), CELL(load)(at + 1),
                                CELL(load)(at - stride), CELL(load)(at + stride));
    for (int m = 2; m <= rings; m++) {
        lap = CELL(cell_cross_add)(lap, pattern->ring[m - 1], CELL(load)(at - m), CELL(load)(at + m),
                                   CELL(load)(at - m * stride), CELL(load)(at + m * stride));
    }
    return lap;
}

/* Second difference along x in an x zone, from the slopes of the row. */
INLINE REAL CELL(zone_x)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach,
                         const struct cpu_run *run, int s, int j, int i)
{
    const struct cpu_side *side = &grid->side[s];
    const SCALAR *slope = (const SCALAR *)run->x_slope[s] + (ptrdiff_t)j * side->width + i - side->first + SLOPE_SHIFT;
    SCALAR *state = (SCALAR *)run->x_node[s] + (ptrdiff_t)j * (side->last - side->first) + i - side->first;
    REAL gain = CELL(load)((const SCALAR *)side->node_gain + i - side->first);
    REAL pole = CELL(load)((const SCALAR *)side->node_pole + i - side->first);
    return CELL(filter)(CELL(difference)(pattern, reach, slope - 1, slope, 1), gain, pole, state);
}

/* Where a row of a y zone finds the slopes below and above it, images included, and its filter. */
struct CELL(row_slopes) {
    const SCALAR *low[REACH_LIMIT], *high[REACH_LIMIT];
    SCALAR *state; /* NULL: no filter */
    REAL gain, pole;
};

static void CELL(find_slopes)(const struct cpu_grid *grid, const struct cpu_run *run, int j,
                              struct CELL(row_slopes) * slopes)
{
    const struct problem *problem = grid->problem;
    const SCALAR *slope = run->y_slope;
    int row = cpu_layer_row(problem, j);
    for (int l = 0; l < problem->reach; l++) {
        slopes->low[l] = slope + cpu_slope_row(grid, j - 1 - l) * grid->stride;
        slopes->high[l] = slope + cpu_slope_row(grid, j + l) * grid->stride;
    }
    slopes->state = row < 0 ? NULL : (SCALAR *)run->y_node + row * grid->stride;
    slopes->gain = CELL(spread)(problem->y_node[j].gain);
    slopes->pole = CELL(spread)(problem->y_node[j].pole);
}

/* Second difference along y in a y zone. */
INLINE REAL CELL(zone_y)(const struct CELL(pattern) * pattern, int reach, const struct CELL(row_slopes) * slopes, int i)
{
    REAL sum =
        CELL(cell_difference)(pattern->difference[0], CELL(load)(slopes->low[0] + i), CELL(load)(slopes->high[0] + i));
    for (int l = 1; l < reach; l++) {
        sum = CELL(cell_difference_add)(sum, pattern->difference[l], CELL(load)(slopes->low[l] + i),
                                        CELL(load)(slopes->high[l] + i));
    }
    return slopes->state == NULL ? sum : CELL(filter)(sum, slopes->gain, slopes->pole, slopes->state + i);
}

/* Nodes of row j in columns first..last-1 of x zone s, outside the y zones. */
INLINE void CELL(walk_side)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
                            const struct cpu_run *run, int64_t step, int j, int first, int last, int s)
{
    const SCALAR *before = run->ez[step & 1];
    for (int i = first; i < last; i += LANES) {
        ptrdiff_t n = j * grid->stride + i;
        REAL lap =
            CELL(zone_x)(grid, pattern, reach, run, s, j, i) + CELL(line)(pattern, rings, before + n, grid->stride);
        if (i + LANES > grid->zone && i < grid->nx - grid->zone) { /* not all lanes are in the zone */
            CELL(mask) in_zone;
            memcpy(&in_zone, (const INTEGER *)grid->side[s].mask + i - grid->side[s].first, sizeof in_zone);
            lap = CELL(choose)(in_zone, lap, CELL(cross)(pattern, rings, before + n, grid->stride));
        }
        CELL(finish)
        (n, CELL(load)(before + n), lap, grid->retention, grid->coupling, run->increment, run->ez[(step + 1) & 1]);
    }
}

/* Nodes of row j of a y zone in columns first..last-1; s: the x zone they may be in, -1: none. */
INLINE void CELL(walk_edge)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
                            const struct CELL(row_slopes) * slopes, const struct cpu_run *run, int64_t step, int j,
                            int first, int last, int s)
{
    const SCALAR *before = run->ez[step & 1];
    for (int i = first; i < last; i += LANES) {
        ptrdiff_t n = j * grid->stride + i;
        REAL x = CELL(line)(pattern, rings, before + n, 1);
        if (s >= 0) {
            CELL(mask) in_zone;
            memcpy(&in_zone, (const INTEGER *)grid->side[s].mask + i - grid->side[s].first, sizeof in_zone);
            x = CELL(choose)(in_zone, CELL(zone_x)(grid, pattern, reach, run, s, j, i), x);
        }
        CELL(finish)
        (n, CELL(load)(before + n), x + CELL(zone_y)(pattern, reach, slopes, i), grid->retention, grid->coupling,
         run->increment, run->ez[(step + 1) & 1]);
    }
}

/* Row j through the y zones, from side to side of the block. */
INLINE void CELL(walk_row)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
                           const struct cpu_run *run, int64_t step, int j, const struct cpu_block *block)
{
    int column = block->column_first;
    struct CELL(row_slopes) slopes;
    CELL(find_slopes)(grid, run, j, &slopes);
    for (int s = 0; s <= grid->side_count && column < block->column_last; s++) {
        int first = s < grid->side_count ? grid->side[s].first : grid->padded;
        int last = s < grid->side_count ? grid->side[s].last : grid->padded;
        first = first < block->column_last ? first : block->column_last;
        last = last < block->column_last ? last : block->column_last;
        if (column < first) {
            CELL(walk_edge)(grid, pattern, reach, rings, &slopes, run, step, j, column, first, -1);
            column = first;
        }
        if (column < last) {
            CELL(walk_edge)(grid, pattern, reach, rings, &slopes, run, step, j, column, last, s);
            column = last;
        }
    }
}

/* Rows outside the y zones: x zones at the sides, open nodes between them. */
INLINE void CELL(walk_rows)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
                            const struct cpu_run *run, int64_t step, const struct cpu_block *block)
{
    struct cpu_block open = *block;
    for (int s = 0; s < grid->side_count; s++) {
        const struct cpu_side *side = &grid->side[s];
        int first = block->column_first > side->first ? block->column_first : side->first;
        int last = block->column_last < side->last ? block->column_last : side->last;
        for (int j = block->row_first; first < last && j < block->row_last; j++) {
            CELL(walk_side)(grid, pattern, reach, rings, run, step, j, first, last, s);
        }
        if (side->first == 0) {
            open.column_first = open.column_first > side->last ? open.column_first : side->last;
        }
        if (side->last == grid->padded) {
            open.column_last = open.column_last < side->first ? open.column_last : side->first;
        }
    }
    if (open.column_first < open.column_last && open.row_first < open.row_last) {
        CELL(walk_open)(grid, pattern, run, step, &open);
    }
}

/* All of a block: the zones it touches, then the open nodes. */
INLINE void CELL(walk_block)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
                             const struct cpu_run *run, int64_t step, const struct cpu_block *block)
{
    struct cpu_block rows = *block;
    CELL(slopes_y)(grid, pattern, reach, run, step, block);
    for (int s = 0; s < grid->side_count; s++) {
        CELL(slopes_x)(grid, pattern, reach, run, step, block, s);
    }
    while (rows.row_first < rows.row_last && problem_in_zone(grid->problem, rows.row_first, grid->ny)) {
        CELL(walk_row)(grid, pattern, reach, rings, run, step, rows.row_first++, block);
    }
    while (rows.row_first < rows.row_last && problem_in_zone(grid->problem, rows.row_last - 1, grid->ny)) {
        CELL(walk_row)(grid, pattern, reach, rings, run, step, --rows.row_last, block);
    }
    CELL(walk_rows)(grid, pattern, reach, rings, run, step, &rows);
}

/* ---- what happens after the nodes have been advanced ------------------------------------------------------------ */

static void CELL(drive)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step,
                        const struct cpu_block *block)
{
    const struct source *source = run->source;
    int64_t nx = grid->nx, end = block->row_last * nx;
    for (int64_t s = lower_bound(source->node, source->count, block->row_first * nx);
         s < source->count && source->node[s] < end; s++) {
        int64_t i = source->node[s] % nx, n = source->node[s] / nx * grid->stride + i;
        if (i >= block->column_first && i < block->column_last) {
            NODE(cell_source)
            ((SCALAR)source->weight[s], (SCALAR)source->drive[step], source->hard, (SCALAR *)run->increment + n,
             (SCALAR *)run->ez[(step + 1) & 1] + n);
        }
    }
}

INLINE SCALAR *CELL(snapshot_at)(const struct cpu_grid *grid, const struct cpu_run *run, int snapshot, int64_t place)
{
    return (SCALAR *)run->snapshots + (place / GROUP * grid->snapshot_limit + snapshot) * GROUP + place % GROUP;
}

/* A node in every column: whole blocks, past the caches, since they are read much later. */
static void CELL(take_all)(const struct cpu_grid *grid, const struct cpu_run *run, int snapshot,
                           const struct cpu_block *block, const SCALAR *after)
{
    const struct spectra *spectra = &grid->problem->spectra;
    int origin = spectra->x0 - grid->lattice_shift, end = origin + grid->lattice_pitch;
    int first = block->column_first > origin ? block->column_first : origin;
    int last = block->column_last < end ? block->column_last : end;
    int row = block->row_first > spectra->y0 ? block->row_first - spectra->y0 : 0;
    int row_last = block->row_last - spectra->y0 < spectra->rows ? block->row_last - spectra->y0 : spectra->rows;
    for (; row < row_last; row++) {
        const SCALAR *from = after + (spectra->y0 + row) * grid->stride;
        int64_t place = (int64_t)row * grid->lattice_pitch - origin;
        for (int i = first; i < last; i += BLOCK_COLUMNS) {
            SCALAR *to = CELL(snapshot_at)(grid, run, snapshot, place + i);
            for (int k = 0; k < BLOCK_COLUMNS; k += LANES) {
                CELL(stream)(to + k, CELL(load)(from + i + k));
            }
        }
    }
}

/* A node in every few columns. */
static void CELL(take_some)(const struct cpu_grid *grid, const struct cpu_run *run, int snapshot,
                            const struct cpu_block *block, const SCALAR *after)
{
    const struct spectra *spectra = &grid->problem->spectra;
    int spacing = spectra->spacing, x0 = spectra->x0, y0 = spectra->y0;
    int row = block->row_first > y0 ? (block->row_first - y0 + spacing - 1) / spacing : 0;
    int first = block->column_first > x0 ? (block->column_first - x0 + spacing - 1) / spacing : 0;
    int last = block->column_last > x0 ? (block->column_last - x0 + spacing - 1) / spacing : 0;
    last = last < spectra->columns ? last : spectra->columns;
    for (; row < spectra->rows && y0 + row * spacing < block->row_last; row++) {
        const SCALAR *from = after + (y0 + row * spacing) * grid->stride + x0;
        for (int c = first; c < last; c++) {
            *CELL(snapshot_at)(grid, run, snapshot, (int64_t)row * grid->lattice_pitch + c) = from[c * spacing];
        }
    }
}

static void CELL(record)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int snapshot,
                         const struct cpu_block *block)
{
    const struct problem *problem = grid->problem;
    const SCALAR *after = run->ez[(step + 1) & 1];
    int64_t nx = grid->nx, end = block->row_last * nx;
    for (int64_t p = lower_bound(grid->probe_node, problem->probe_count, block->row_first * nx);
         p < problem->probe_count && grid->probe_node[p] < end; p++) {
        int64_t i = grid->probe_node[p] % nx, j = grid->probe_node[p] / nx;
        if (i >= block->column_first && i < block->column_last) {
            ((SCALAR *)run->probes)[step * problem->probe_count + grid->probe_place[p]] = after[j * grid->stride + i];
        }
    }
    if (snapshot >= 0) {
        (problem->spectra.spacing == 1 ? CELL(take_all) : CELL(take_some))(grid, run, snapshot, block, after);
    }
}

/* Image of Ez at node i of an axis of n cells: the node and the sign; sign 0 on the walls. */
static int CELL(image)(int i, int n, SCALAR *sign)
{
    int k = ((i % (2 * n)) + 2 * n) % (2 * n);
    *sign = (SCALAR)(k == 0 || k == n ? 0 : k < n ? 1 : -1);
    return k < n ? k : k == n ? 0 : 2 * n - k;
}

/* Ghosts of the new level whose originals the block holds: at the right wall with the last block, else as they come. */
static void CELL(mirror)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step,
                         const struct cpu_block *block)
{
    SCALAR *after = run->ez[(step + 1) & 1], sign;
    bool right = block->column_last == grid->padded;
    for (int g = 1; block->column_first <= grid->lag && g <= grid->lag; g++) {
        int west = CELL(image)(-g, grid->nx, &sign);
        if (west >= block->column_first && west < block->column_last) {
            for (int j = block->row_first; j < block->row_last; j++) {
                after[j * grid->stride - g] = sign == 0 ? 0 : sign * after[j * grid->stride + west];
            }
        }
    }
    for (int g = 0; right && g <= grid->lag; g++) {
        int east = CELL(image)(grid->nx + g, grid->nx, &sign);
        for (int j = block->row_first; j < block->row_last; j++) {
            SCALAR *line = after + j * grid->stride;
            line[grid->nx + g] = sign == 0 ? 0 : sign * line[east];
        }
    }
    if (block->row_first > grid->lag && block->row_last < grid->ny - grid->lag) {
        return;
    }
    for (int g = -grid->lag; g <= grid->ny + grid->lag; g = g == -1 ? grid->ny : g + 1) {
        int j = CELL(image)(g, grid->ny, &sign);
        if (sign != 0 && j >= block->row_first && j < block->row_last) {
            for (int i = block->column_first; i < block->column_last; i++) {
                after[g * grid->stride + i] = sign * after[j * grid->stride + i];
            }
        }
    }
}

/* ---- the two entries of the table -------------------------------------------------------------------------------- */

static void CELL(advance_block)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int snapshot,
                                const struct cpu_block *block)
{
    const struct problem *problem = grid->problem;
    struct CELL(pattern) pattern;
    CELL(fill_pattern)(problem, &pattern);
    if (block->ahead > 0) {
        CELL(fetch_ahead)(grid, run, step, block);
    }
    if (grid->zone == 0) {
        CELL(walk_open)(grid, &pattern, run, step, block);
    } else if (problem->reach == 1) { /* known to the compiler: the loops over taps and rings vanish */
        CELL(walk_block)(grid, &pattern, 1, 1, run, step, block);
    } else {
        CELL(walk_block)(grid, &pattern, problem->reach, problem->ring_count, run, step, block);
    }
    CELL(drive)(grid, run, step, block);
    CELL(record)(grid, run, step, snapshot, block);
    CELL(mirror)(grid, run, step, block);
}

/* `parts` sums of four vectors of nodes: a small matrix product, all sums in registers. */
INLINE void CELL(add_parts)(SCALAR *sums, const SCALAR *snapshots, const SCALAR *weights, int count, ptrdiff_t pitch,
                            int parts)
{
    REAL sum[4][4];
    for (int p = 0; p < parts; p++) {
        for (int k = 0; k < 4; k++) {
            sum[p][k] = CELL(load)(sums + p * GROUP + k * LANES);
        }
    }
    for (int s = 0; s < count; s++) {
        for (int p = 0; p < parts; p++) {
            REAL weight = weights[s * pitch + p] - (REAL){0};
            for (int k = 0; k < 4; k++) {
                sum[p][k] = CELL(cell_spectrum)(sum[p][k], CELL(load)(snapshots + s * GROUP + k * LANES), weight);
            }
        }
    }
    for (int p = 0; p < parts; p++) {
        for (int k = 0; k < 4; k++) {
            CELL(store)(sums + p * GROUP + k * LANES, sum[p][k]);
        }
    }
}

INLINE void CELL(fetch)(const SCALAR *from, int count)
{
    for (int k = 0; k < count; k += 64 / (int)sizeof(SCALAR)) {
        __builtin_prefetch(from + k, 0, 3);
    }
}

static void CELL(add_spectra)(const struct cpu_grid *grid, const struct cpu_run *run, const void *weights, int count,
                              int64_t first, int64_t last)
{
    const SCALAR *weight = weights;
    int parts = 2 * grid->problem->spectra.frequency_count;
    for (int64_t group = first; group < last; group++) {
        const SCALAR *snapshots = (const SCALAR *)run->snapshots + group * grid->snapshot_limit * GROUP;
        SCALAR *sums = (SCALAR *)run->sums + group * parts * GROUP;
        for (int p = 0; p < parts; p += p + 4 <= parts ? 4 : 2) {
            if (group + 1 < last) { /* the next group's share */
                CELL(fetch)(sums + (parts + p) * GROUP, 4 * GROUP);
                int from = p * count / parts, to = (p + 4) * count / parts;
                CELL(fetch)(snapshots + (grid->snapshot_limit + from) * GROUP, (to - from) * GROUP);
            }
            for (int k = 0; k < GROUP; k += 4 * LANES) {
                if (p + 4 <= parts) {
                    CELL(add_parts)(sums + p * GROUP + k, snapshots + k, weight + p, count, parts, 4);
                } else {
                    CELL(add_parts)(sums + p * GROUP + k, snapshots + k, weight + p, count, parts, 2);
                }
            }
        }
    }
}

#undef LANES
