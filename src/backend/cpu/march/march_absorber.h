/* Nodes in the absorber regions, where filters stand between the two differences. First the gradients: the filtered
 * first differences of Ez at half nodes. Then the second differences of the nodes, made of the gradients. Included by
 * march_body.h, once per precision. */

/* Difference between the values above and below a point: low[-l stride], high[l stride] stand l + 1/2 from it. */
INLINE REAL CELL(difference)(const struct CELL(march) * march, const SCALAR *low, const SCALAR *high, ptrdiff_t stride)
{
    const struct CELL(stencil) *stencil = march->stencil;
    REAL sum = CELL(cell_difference)(stencil->difference[0], CELL(load)(low), CELL(load)(high));
    for (int l = 1; l < march->reach; l++) {
        sum = CELL(cell_difference_add)(sum, stencil->difference[l], CELL(load)(low - l * stride),
                                        CELL(load)(high + l * stride));
    }
    return sum;
}

INLINE REAL CELL(filter)(REAL in, REAL gain, REAL pole, REAL feed, SCALAR *state)
{
    REAL memory = CELL(load)(state), out = CELL(cell_filter)(in, gain, pole, feed, &memory);
    CELL(store)(state, memory);
    return out;
}

/* Gradients along y at the half rows that the block decides, in the y regions: the half rows that its own rows and the
 * rows before it read. */
INLINE void CELL(gradients_y)(const struct CELL(march) * march)
{
    const struct cpu_grid *grid = march->grid;
    const struct cpu_run *run = march->run;
    const struct cpu_block *block = march->block;
    const struct problem *problem = grid->problem;
    int reach = march->reach;
    int keep = grid->gradient_rows / 2, ny = grid->ny;
    int first = block->row_first == 0 ? 0 : block->row_first + reach - 1;
    int last = block->row_last == ny ? ny : block->row_last + reach - 1;
    last = last < ny ? last : ny;
    for (int h = first; h < last; h++) {
        if (h >= keep && h < ny - keep && grid->gradient_rows < ny) {
            h = ny - keep - 1; /* on to the other region */
            continue;
        }
        const SCALAR *before = (const SCALAR *)run->ez[march->step & 1] + h * grid->stride;
        SCALAR *gradient = (SCALAR *)run->y_gradient + cpu_gradient_row(grid, h) * grid->stride;
        int row = cpu_layer_row(problem, h);
        SCALAR *state = row < 0 ? NULL : (SCALAR *)run->y_half + row * grid->stride;
        const struct absorber_filter *filter = &problem->axis[1].half[h];
        REAL gain = CELL(spread)(filter->gain), pole = CELL(spread)(filter->pole), feed = CELL(spread)(filter->feed);
        for (int i = block->column_first; i < block->column_last; i += LANES) {
            REAL g = CELL(difference)(march, before + i, before + i + grid->stride, grid->stride);
            CELL(store)(gradient + i, state == NULL ? g : CELL(filter)(g, gain, pole, feed, state + i));
        }
    }
}

/* Gradients along x at the half nodes that the block decides, in one x region. Their images about a wall are written as
 * soon as the originals are there. */
INLINE void CELL(gradients_x)(const struct CELL(march) * march, int s)
{
    const struct cpu_grid *grid = march->grid;
    const struct cpu_run *run = march->run;
    const struct cpu_block *block = march->block;
    const struct cpu_side *side = &grid->side[s];
    const SCALAR *half_gain = side->half_gain, *half_pole = side->half_pole, *half_feed = side->half_feed;
    int origin = side->first - GRADIENT_SHIFT;
    int first = block->column_first == 0 ? -GRADIENT_SHIFT : block->column_first + GRADIENT_SHIFT;
    int last = block->column_last + GRADIENT_SHIFT;
    first = first > origin ? first : origin;
    last = last < side->last + GRADIENT_SHIFT ? last : side->last + GRADIENT_SHIFT;
    for (int j = block->row_first; first < last && j < block->row_last; j++) {
        const SCALAR *before = (const SCALAR *)run->ez[march->step & 1] + j * grid->stride;
        SCALAR *gradient = (SCALAR *)run->x_gradient[s] + (ptrdiff_t)j * side->width - origin;
        SCALAR *state = (SCALAR *)run->x_half[s] + (ptrdiff_t)j * side->width - origin;
        for (int h = first; h < last; h += LANES) {
            REAL g = CELL(difference)(march, before + h, before + h + 1, 1);
            CELL(store)
            (gradient + h, CELL(filter)(g, CELL(load)(half_gain + h - origin), CELL(load)(half_pole + h - origin),
                                        CELL(load)(half_feed + h - origin), state + h));
        }
        for (int m = 1; origin < 0 && block->column_first == 0 && m <= march->reach; m++) {
            gradient[-m] = gradient[cpu_fold_half(-m, grid->nx)];
        }
        for (int m = 0; last >= grid->nx && m < march->reach && grid->nx + m < side->last + GRADIENT_SHIFT; m++) {
            gradient[grid->nx + m] = gradient[cpu_fold_half(grid->nx + m, grid->nx)];
        }
    }
}

/* L Ez along one axis, outside the absorber region of that axis. */
INLINE REAL CELL(line)(const struct CELL(march) * march, const SCALAR *at, ptrdiff_t stride)
{
    const struct CELL(stencil) *stencil = march->stencil;
    REAL sum = CELL(cell_line)(stencil->centre, CELL(load)(at), CELL(load)(at - stride), CELL(load)(at + stride));
    for (int m = 2; m <= march->taps; m++) {
        sum = CELL(cell_line_add)(sum, stencil->tap[m - 1], CELL(load)(at - m * stride), CELL(load)(at + m * stride));
    }
    return sum;
}

/* L Ez along both axes. */
INLINE REAL CELL(cross)(const struct CELL(march) * march, const SCALAR *at, ptrdiff_t stride)
{
    const struct CELL(stencil) *stencil = march->stencil;
    REAL sum = CELL(cell_cross)(stencil->centre2, CELL(load)(at), CELL(load)(at - 1), CELL(load)(at + 1),
                                CELL(load)(at - stride), CELL(load)(at + stride));
    for (int m = 2; m <= march->taps; m++) {
        sum = CELL(cell_cross_add)(sum, stencil->tap[m - 1], CELL(load)(at - m), CELL(load)(at + m),
                                   CELL(load)(at - m * stride), CELL(load)(at + m * stride));
    }
    return sum;
}

/* Second difference along x in an x region, from the gradients of the row. */
INLINE REAL CELL(region_x)(const struct CELL(march) * march, int s, int j, int i)
{
    const struct cpu_run *run = march->run;
    const struct cpu_side *side = &march->grid->side[s];
    const SCALAR *gradient =
        (const SCALAR *)run->x_gradient[s] + (ptrdiff_t)j * side->width + i - side->first + GRADIENT_SHIFT;
    SCALAR *state = (SCALAR *)run->x_node[s] + (ptrdiff_t)j * (side->last - side->first) + i - side->first;
    REAL gain = CELL(load)((const SCALAR *)side->node_gain + i - side->first);
    REAL pole = CELL(load)((const SCALAR *)side->node_pole + i - side->first);
    REAL feed = CELL(load)((const SCALAR *)side->node_feed + i - side->first);
    return CELL(filter)(CELL(difference)(march, gradient - 1, gradient, 1), gain, pole, feed, state);
}

/* Where a row of a y region finds the gradients below and above it, images included, and its filter. */
struct CELL(row_gradients) {
    const SCALAR *low[REACH_LIMIT], *high[REACH_LIMIT];
    SCALAR *state; /* NULL: no filter */
    REAL gain, pole, feed;
};

static void CELL(find_gradients)(const struct cpu_grid *grid, const struct cpu_run *run, int j,
                                 struct CELL(row_gradients) * gradients)
{
    const struct problem *problem = grid->problem;
    const SCALAR *gradient = run->y_gradient;
    int row = cpu_layer_row(problem, j);
    for (int l = 0; l < problem->reach; l++) {
        gradients->low[l] = gradient + cpu_gradient_row(grid, j - 1 - l) * grid->stride;
        gradients->high[l] = gradient + cpu_gradient_row(grid, j + l) * grid->stride;
    }
    gradients->state = row < 0 ? NULL : (SCALAR *)run->y_node + row * grid->stride;
    gradients->gain = CELL(spread)(problem->axis[1].node[j].gain);
    gradients->pole = CELL(spread)(problem->axis[1].node[j].pole);
    gradients->feed = CELL(spread)(problem->axis[1].node[j].feed);
}

/* Second difference along y in a y region. */
INLINE REAL CELL(region_y)(const struct CELL(march) * march, const struct CELL(row_gradients) * gradients, int i)
{
    const struct CELL(stencil) *stencil = march->stencil;
    REAL sum = CELL(cell_difference)(stencil->difference[0], CELL(load)(gradients->low[0] + i),
                                     CELL(load)(gradients->high[0] + i));
    for (int l = 1; l < march->reach; l++) {
        sum = CELL(cell_difference_add)(sum, stencil->difference[l], CELL(load)(gradients->low[l] + i),
                                        CELL(load)(gradients->high[l] + i));
    }
    return gradients->state == NULL
               ? sum
               : CELL(filter)(sum, gradients->gain, gradients->pole, gradients->feed, gradients->state + i);
}

/* Nodes of row j in columns first..last-1 of x region s, outside the y regions. */
INLINE void CELL(march_side)(const struct CELL(march) * march, int j, int first, int last, int s)
{
    const struct cpu_grid *grid = march->grid;
    struct CELL(arrays) arrays = CELL(step_arrays)(grid, march->run, march->step);
    for (int i = first; i < last; i += LANES) {
        ptrdiff_t n = j * grid->stride + i;
        REAL sum = CELL(region_x)(march, s, j, i) + CELL(line)(march, arrays.before + n, arrays.stride);
        if (i + LANES > grid->region && i < grid->nx - grid->region) { /* not all lanes are in the region */
            CELL(mask) in_region;
            memcpy(&in_region, (const INTEGER *)grid->side[s].mask + i - grid->side[s].first, sizeof in_region);
            sum = CELL(choose)(in_region, sum, CELL(cross)(march, arrays.before + n, arrays.stride));
        }
        CELL(finish)(&arrays, n, CELL(load)(arrays.before + n), sum);
    }
}

/* Nodes of row j of a y region in columns first..last-1; s: the x region they may be in, -1: none. */
INLINE void CELL(march_edge)(const struct CELL(march) * march, const struct CELL(row_gradients) * gradients, int j,
                             int first, int last, int s)
{
    const struct cpu_grid *grid = march->grid;
    struct CELL(arrays) arrays = CELL(step_arrays)(grid, march->run, march->step);
    for (int i = first; i < last; i += LANES) {
        ptrdiff_t n = j * grid->stride + i;
        REAL x = CELL(line)(march, arrays.before + n, 1);
        if (s >= 0) {
            CELL(mask) in_region;
            memcpy(&in_region, (const INTEGER *)grid->side[s].mask + i - grid->side[s].first, sizeof in_region);
            x = CELL(choose)(in_region, CELL(region_x)(march, s, j, i), x);
        }
        CELL(finish)(&arrays, n, CELL(load)(arrays.before + n), x + CELL(region_y)(march, gradients, i));
    }
}

/* Row j through the y regions, from side to side of the block. */
INLINE void CELL(march_row)(const struct CELL(march) * march, int j)
{
    const struct cpu_grid *grid = march->grid;
    const struct cpu_block *block = march->block;
    int column = block->column_first;
    struct CELL(row_gradients) gradients;
    CELL(find_gradients)(grid, march->run, j, &gradients);
    for (int s = 0; s <= grid->side_count && column < block->column_last; s++) {
        int first = s < grid->side_count ? grid->side[s].first : grid->padded;
        int last = s < grid->side_count ? grid->side[s].last : grid->padded;
        first = first < block->column_last ? first : block->column_last;
        last = last < block->column_last ? last : block->column_last;
        if (column < first) {
            CELL(march_edge)(march, &gradients, j, column, first, -1);
            column = first;
        }
        if (column < last) {
            CELL(march_edge)(march, &gradients, j, column, last, s);
            column = last;
        }
    }
}

/* Rows outside the y regions: x regions at the sides, open nodes between them. */
INLINE void CELL(march_rows)(const struct CELL(march) * march, const struct cpu_block *block)
{
    const struct cpu_grid *grid = march->grid;
    struct cpu_block open = *block;
    for (int s = 0; s < grid->side_count; s++) {
        const struct cpu_side *side = &grid->side[s];
        int first = block->column_first > side->first ? block->column_first : side->first;
        int last = block->column_last < side->last ? block->column_last : side->last;
        for (int j = block->row_first; first < last && j < block->row_last; j++) {
            CELL(march_side)(march, j, first, last, s);
        }
        if (side->first == 0) {
            open.column_first = open.column_first > side->last ? open.column_first : side->last;
        }
        if (side->last == grid->padded) {
            open.column_last = open.column_last < side->first ? open.column_last : side->first;
        }
    }
    if (open.column_first < open.column_last && open.row_first < open.row_last) {
        march->march_open(grid, march->stencil, march->run, march->step, &open);
    }
}
