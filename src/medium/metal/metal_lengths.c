/* See metal_lengths.h. Metal stands along the lines of nodes; columns are the rows of the plan with x and y exchanged.
 */
#include "medium/metal/metal_lengths.h"

#include "medium/plan_exchanged.h"
#include "medium/scanline.h"

#include <math.h>
#include <stdlib.h>

/* Metal along a line, in cells from its first node, in ascending order. */
struct metal_line {
    struct run_list runs; /* owned */
    double (*piece)[2];   /* (count), owned: begin, end */
    int count, capacity;
};

/* One direction: x, or y by the plan with x and y exchanged. */
struct length_task {
    const struct floorplan *plan;
    struct point origin; /* m, in that plan */
    double cell;
    int along, across;   /* nodes */
    size_t stride, step; /* of arrays, from node to node along and across */
    const float *upright, *edge;
    float *length;
};

static pw_status line_read(const struct length_task *task, int j, struct metal_line *line, pw_error *error)
{
    const double y = task->origin.y + j * task->cell;
    line->count = 0;
    scanline_runs(task->plan, y, y, &line->runs);
    if (line->runs.count > line->capacity) {
        void *more = realloc(line->piece, (size_t)line->runs.count * sizeof *line->piece);
        FAIL_IF(more == NULL, error, PW_NO_RESOURCE, "not enough memory for a line of the plan");
        line->piece = more;
        line->capacity = line->runs.count;
    }
    for (int r = 0; r < line->runs.count; r++) {
        const struct run *run = &line->runs.runs[r];
        const double begin = (run->start - task->origin.x) / task->cell;
        const double end = r + 1 < line->runs.count ? (run[1].start - task->origin.x) / task->cell : INFINITY;
        if (!task->plan->materials[run->material].perfect_conductor) {
            continue;
        }
        if (line->count > 0 && line->piece[line->count - 1][1] == begin) {
            line->piece[line->count - 1][1] = end;
        } else {
            line->piece[line->count][0] = begin;
            line->piece[line->count++][1] = end;
        }
    }
    return PW_OK;
}

/* From the middle of an edge to the metal at the end that is held; less than none where the middle lies in it. No metal
 * within a cell: half a cell. */
static double to_end(double distance)
{
    return fabs(distance) <= 1 ? distance : 0.5;
}

/* A line of edges. */
static void line_measure(const struct length_task *task, int j, const struct metal_line *line)
{
    int next = 0; /* the first piece that ends at the middle or beyond it */
    for (int i = 0; i < task->along; i++) {
        const size_t at = (size_t)j * task->step + (size_t)i * task->stride;
        const float low = task->upright[at], high = i + 1 < task->along ? task->upright[at + task->stride] : 1;
        const double middle = i + 0.5;
        while (next < line->count && line->piece[next][1] < middle) {
            next++;
        }
        const bool inside = next < line->count && line->piece[next][0] <= middle;
        const double after = next < line->count ? line->piece[next][0] - middle : INFINITY;
        const double before = inside     ? middle - line->piece[next][1]
                              : next > 0 ? middle - line->piece[next - 1][1]
                                         : INFINITY;
        const double length = (low == 0 ? to_end(before) : 0.5) + (high == 0 ? to_end(after) : 0.5);
        const bool metal = low == 0 && high == 0 && task->edge[at] == 0;
        task->length[at] = low == METAL_STAIRCASE || high == METAL_STAIRCASE ? METAL_STAIRCASE
                           : metal                                           ? 0
                                                                             : (float)fmax(length, 0);
    }
}

static pw_status direction_measure(const struct length_task *task, pw_error *error)
{
    pw_status status = PW_OK;
#pragma omp parallel
    {
        struct metal_line line = {0};
        pw_error own = {""};
        pw_status made = run_list_create(task->plan, &line.runs, &own);
#pragma omp for schedule(dynamic, 2)
        for (int j = 0; j < task->across; j++) {
            THEN(made, line_read(task, j, &line, &own));
            if (made == PW_OK) {
                line_measure(task, j, &line);
            }
        }
        run_list_free(&line.runs);
        free(line.piece);
#pragma omp critical
        status = made == PW_OK ? status : fail(error, made, "%s", own.message);
    }
    return status;
}

pw_status metal_lengths(const struct floorplan *plan, const struct raster_grid *grid, const struct metal_cells *cells,
                        const float *upright, float *const length[2], pw_error *error)
{
    const size_t nx = (size_t)grid->nx;
    OWNED_BY(plan_exchanged_free) struct floorplan exchanged = {0};
    const struct length_task tasks[2] = {
        {plan, grid->origin, grid->cell, grid->nx, grid->ny, 1, nx, upright, cells->edge[0], length[0]},
        {&exchanged,
         {grid->origin.y, grid->origin.x},
         grid->cell,
         grid->ny,
         grid->nx,
         nx,
         1,
         upright,
         cells->edge[1],
         length[1]}};
    TRY(plan_exchanged_create(plan, &exchanged, error));
    for (int d = 0; d < 2; d++) {
        TRY(direction_measure(&tasks[d], error));
    }
    return PW_OK;
}
