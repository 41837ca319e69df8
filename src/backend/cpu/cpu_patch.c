/* See cpu_patch.h. */
#include "backend/cpu/cpu_patch.h"

struct located {
    const struct cpu_grid *grid;
    const struct cpu_run *run;
    int64_t step;
};

/* Value n of an array of the run. */
static void *value_of(const struct cpu_grid *grid, const void *array, ptrdiff_t n)
{
    return (char *)(uintptr_t)array + n * (ptrdiff_t)problem_value_size(grid->problem);
}

/* A filter along x: at the low end on the first side, at the high end on the last, which may be the same. */
static void *locate_x_filter(const struct located *located, const struct patch_row *row)
{
    const struct cpu_grid *grid = located->grid;
    const struct cpu_run *run = located->run;
    const int s = row->i < grid->problem->axis[0].low.cells ? 0 : grid->side_count - 1;
    const struct cpu_side *side = &grid->side[s];
    const ptrdiff_t column = row->i - side->first;
    return row->array == STATE_X_HALF ? value_of(grid, run->x_half[s], row->j * side->width + column + GRADIENT_SHIFT)
                                      : value_of(grid, run->x_node[s], row->j * (side->last - side->first) + column);
}

static void *locate(void *context, struct patch_row *row)
{
    const struct located *located = context;
    const struct cpu_grid *grid = located->grid;
    const struct cpu_run *run = located->run;
    const ptrdiff_t stride = grid->stride, slot = axis_filter_slot(&grid->problem->axis[1], row->j);
    switch (row->array) {
    case STATE_EZ:
        return value_of(grid, run->ez[located->step & 1], row->j * stride + row->i);
    case STATE_INCREMENT:
        return value_of(grid, run->increment, row->j * stride + row->i);
    case STATE_Y_HALF:
        return value_of(grid, run->y_half, slot * stride + row->i);
    case STATE_Y_NODE:
        return value_of(grid, run->y_node, slot * stride + row->i);
    case STATE_EDGES:
        return value_of(grid, run->edges, row->i);
    case STATE_POLES:
        return value_of(grid, run->poles, pole_groups_place(grid->problem, &grid->poles, row));
    default:
        return locate_x_filter(located, row);
    }
}

void cpu_run_patch(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, const struct patch *patch,
                   void *values, bool store)
{
    struct located located = {grid, run, step};
    const struct patch_copy copy = {grid->problem, locate, &located, store};
    patch_copy(&copy, patch, values);
}
