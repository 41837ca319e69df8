/* Nodes beside and in the absorber, where filters stand between the two differences: filtered slopes first, then the
 * nodes' second differences from them. Included by march_body.h, once per precision. */

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
        REAL gain = CELL(spread)(problem->axis[1].half[h].gain), pole = CELL(spread)(problem->axis[1].half[h].pole);
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
    slopes->gain = CELL(spread)(problem->axis[1].node[j].gain);
    slopes->pole = CELL(spread)(problem->axis[1].node[j].pole);
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
INLINE void CELL(march_side)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
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
        (n, CELL(load)(before + n), lap, grid->ca, grid->cb, run->increment, run->ez[(step + 1) & 1]);
    }
}

/* Nodes of row j of a y zone in columns first..last-1; s: the x zone they may be in, -1: none. */
INLINE void CELL(march_edge)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
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
        (n, CELL(load)(before + n), x + CELL(zone_y)(pattern, reach, slopes, i), grid->ca, grid->cb, run->increment,
         run->ez[(step + 1) & 1]);
    }
}

/* Row j through the y zones, from side to side of the block. */
INLINE void CELL(march_row)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
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
            CELL(march_edge)(grid, pattern, reach, rings, &slopes, run, step, j, column, first, -1);
            column = first;
        }
        if (column < last) {
            CELL(march_edge)(grid, pattern, reach, rings, &slopes, run, step, j, column, last, s);
            column = last;
        }
    }
}

/* Rows outside the y zones: x zones at the sides, open nodes between them. */
INLINE void CELL(march_rows)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
                             const struct cpu_run *run, int64_t step, const struct cpu_block *block)
{
    struct cpu_block open = *block;
    for (int s = 0; s < grid->side_count; s++) {
        const struct cpu_side *side = &grid->side[s];
        int first = block->column_first > side->first ? block->column_first : side->first;
        int last = block->column_last < side->last ? block->column_last : side->last;
        for (int j = block->row_first; first < last && j < block->row_last; j++) {
            CELL(march_side)(grid, pattern, reach, rings, run, step, j, first, last, s);
        }
        if (side->first == 0) {
            open.column_first = open.column_first > side->last ? open.column_first : side->last;
        }
        if (side->last == grid->padded) {
            open.column_last = open.column_last < side->first ? open.column_last : side->first;
        }
    }
    if (open.column_first < open.column_last && open.row_first < open.row_last) {
        CELL(march_open)(grid, pattern, run, step, &open);
    }
}
