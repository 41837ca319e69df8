/* Nodes that metal holds (metal_hold.h). */
#include "medium/metal/metal_hold.h"

#include "medium/metal/metal_distance.h"
#include "medium/raster_band.h"

static const int DIRECTION[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

struct hold_task {
    const struct floorplan *plan;
    const struct raster_grid *grid;
    const uint8_t *touched;
};

static enum metal_touch touch_at(const struct hold_task *task, int i, int j)
{
    const struct raster_grid *grid = task->grid;
    return i < 0 || j < 0 || i >= grid->nx || j >= grid->ny
               ? METAL_NONE
               : (enum metal_touch)task->touched[(size_t)j * (size_t)grid->nx + (size_t)i];
}

static double distance_from(const struct hold_task *task, int i, int j, const int direction[2], double reach)
{
    const struct metal_view view = {task->plan, task->grid, {i, j}};
    return metal_distance(&view, direction, reach);
}

/* By what stands on the link to the next node in direction d. */
static bool link_holds(const struct hold_task *task, int i, int j, int d)
{
    const struct raster_grid *grid = task->grid;
    const int axis = d / 2, x = i + DIRECTION[d][0], y = j + DIRECTION[d][1];
    if (touch_at(task, i, j) == METAL_NONE && touch_at(task, x, y) == METAL_NONE) {
        return false;
    }
    if (raster_is_clear(grid, axis, i, j)) {
        const double close = raster_is_clear(grid, 1 - axis, i, j) ? METAL_CLOSE : METAL_CLOSE_ABSORBER;
        return distance_from(task, i, j, DIRECTION[d], close) <= close;
    }
    const double distance = distance_from(task, i, j, DIRECTION[d], 1);
    return distance <= 0.5 || (distance < 1 && touch_at(task, x, y) < METAL_HALF);
}

static bool is_held(const struct hold_task *task, int i, int j)
{
    bool held = false;
    for (int d = 0; d < 4 && !held; d++) {
        held = link_holds(task, i, j, d);
    }
    return held;
}

void metal_hold(const struct floorplan *plan, const struct raster_grid *grid, const uint8_t *touched,
                uint32_t conductor, uint32_t *index)
{
    const struct hold_task task = {plan, grid, touched};
#pragma omp parallel for schedule(dynamic, 16)
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            uint32_t *node = &index[(size_t)j * (size_t)grid->nx + (size_t)i];
            if (*node != conductor && is_held(&task, i, j)) {
                *node = conductor;
            }
        }
    }
}
