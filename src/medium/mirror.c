/* Whether a plan near a plane of symmetry is its own mirror image in what the averaging sees. Outside the plan lie the
 * materials of its edge, so it is where nothing begins or ends across the plane within the weight's reach. */
#include "medium/raster_band.h"

#include <math.h>

/* A face between x = 0 and the reach [cells]. */
static bool line_has_face(const struct raster_grid *grid, const struct run_list *list, double reach)
{
    for (int r = 1; r < list->count; r++) {
        double face = scanline_snap((list->runs[r].start - grid->origin.x) / grid->cell);
        double ramp = list->runs[r].ramp / grid->cell;
        if (face + ramp > 0 && face - ramp < reach) {
            return true;
        }
    }
    return false;
}

/* Goes through the slabs upwards; `lowest` keeps the one at y = 0. */
static bool slabs_have_face(const struct raster_task *task, const bool *symmetric, double reach, struct run_list *runs,
                            struct run_list *lowest)
{
    const struct raster_grid *grid = &task->grid;
    bool found = false, begun = false;
    for (int slab = 1; slab < task->border_count && !found; slab++) {
        double from = task->borders[slab - 1], to = task->borders[slab];
        if (to <= 0) {
            continue;
        }
        struct run_list *list = begun ? runs : lowest;
        scanline_runs(task->plan, grid->origin.y + from * grid->cell, grid->origin.y + to * grid->cell, list);
        found = (symmetric[0] && line_has_face(grid, list, reach)) ||
                (symmetric[1] && begun && from < reach && !run_list_equal(lowest, list));
        begun = true;
    }
    return found;
}

pw_status raster_near_planes(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                             const bool *symmetric, double *reach, pw_error *error)
{
    struct raster_task task;
    struct run_list runs = {0}, lowest = {0};
    pw_status status = raster_task_create(plan, grid, averaging, &task, error);
    THEN(status, run_list_create(plan, &runs, error));
    THEN(status, run_list_create(plan, &lowest, error));
    *reach = 0;
    if (status == PW_OK) {
        double widest = fmax(task.weighted.weight.reach, task.box.weight.reach);
        *reach = slabs_have_face(&task, symmetric, widest, &runs, &lowest) ? widest : 0;
    }
    run_list_free(&runs);
    run_list_free(&lowest);
    raster_task_free(&task);
    return status;
}
