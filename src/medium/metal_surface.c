/* Metal at its place (metal_surface.h): the nodes it changes, and sheets that are made thick enough for the stencil. */
#include "medium/metal_surface.h"

#include "medium/metal/metal_distance.h"
#include "medium/metal/mirror_law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distances looked for along a line [cells]; a surface farther off runs along the line. */
static const double REACH = 12;
static const double SAME = 1e-6; /* cells */

struct mirror_task {
    const struct floorplan *plan;
    const struct raster_grid *grid;
    struct mirror_law law;
    double hold; /* cells: nodes nearer to metal are held at zero */
};

static const int DIRECTION[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

static double distance_from(const struct mirror_task *task, int i, int j, const int *direction, double reach)
{
    const struct metal_view view = {task->plan, task->grid, {i, j}};
    return metal_distance(&view, direction, reach);
}

/* ---- nodes ---- */

static int within(int place, int first, int last)
{
    return place < first ? first : place > last ? last : place;
}

static bool touched_near(const struct raster_grid *grid, const uint8_t *touched, int i, int j)
{
    bool near = touched[(size_t)j * (size_t)grid->nx + (size_t)i];
    for (int d = 0; d < 4 && !near; d++) {
        int x = i + DIRECTION[d][0], y = j + DIRECTION[d][1];
        near = x >= 0 && x < grid->nx && y >= 0 && y < grid->ny && touched[(size_t)y * (size_t)grid->nx + (size_t)x];
    }
    return near;
}

/* Outside of the plan lies what lies at its edge, also where a line aslant would have gone on elsewhere. */
static bool near_metal(const struct mirror_task *task, const uint8_t *touched, int i, int j)
{
    const struct raster_grid *grid = task->grid;
    const int last_x = (int)floor((task->plan->width - grid->origin.x) / grid->cell),
              last_y = (int)floor((task->plan->height - grid->origin.y) / grid->cell);
    const int x = within(within(i, (int)ceil(-grid->origin.x / grid->cell), last_x), 0, grid->nx - 1);
    const int y = within(within(j, (int)ceil(-grid->origin.y / grid->cell), last_y), 0, grid->ny - 1);
    return touched_near(grid, touched, i, j) || ((x != i || y != j) && touched_near(grid, touched, x, y));
}

static bool is_held(const struct mirror_task *task, int i, int j)
{
    for (int d = 0; d < 4; d++) {
        if (distance_from(task, i, j, DIRECTION[d], 1) < task->hold - SAME) {
            return true;
        }
    }
    return false;
}

/* The stiffness that the links of the node to nodes held at zero ask for: k^2 cell^2 times permittivity. */
static double node_stiffness(const struct mirror_task *task, const uint32_t *index, uint32_t conductor, int i, int j)
{
    const struct raster_grid *grid = task->grid;
    double sum = 0;
    for (int d = 0; d < 4; d++) {
        int x = i + DIRECTION[d][0], y = j + DIRECTION[d][1];
        if (x >= 0 && x < grid->nx && y >= 0 && y < grid->ny &&
            index[(size_t)y * (size_t)grid->nx + (size_t)x] == conductor) {
            sum += mirror_stiffness(&task->law, distance_from(task, i, j, DIRECTION[d], REACH));
        }
    }
    return sum;
}

static bool holds(const struct raster_grid *grid, const uint32_t *index, uint32_t conductor, int i, int j)
{
    return i < 0 || i >= grid->nx || j < 0 || j >= grid->ny ||
           index[(size_t)j * (size_t)grid->nx + (size_t)i] == conductor;
}

/* ---- sheets ---- */

/* Held nodes that follow one another on a line across a sheet. */
struct held_run {
    int at[2]; /* the first of them */
    int axis;  /* along which they follow */
    int count;
};

static bool run_holds(const struct raster_grid *grid, const uint32_t *index, uint32_t conductor,
                      const struct held_run *run, int across, int along)
{
    int at[2] = {run->at[0], run->at[1]};
    at[run->axis] += across;
    at[1 - run->axis] += along;
    return holds(grid, index, conductor, at[0], at[1]);
}

/* Whether the run is of a sheet: it goes on to both ends, be it aslant, for as many lines as it is thick, which a post
 * does not. Beyond the grid everything goes on. */
static bool is_sheet(const struct raster_grid *grid, const uint32_t *index, uint32_t conductor,
                     const struct held_run *run)
{
    bool sheet = true;
    for (int along = 1; along <= run->count && sheet; along++) {
        bool before = false, behind = false;
        for (int n = -along; n < run->count + along; n++) {
            before = before || run_holds(grid, index, conductor, run, n, -along);
            behind = behind || run_holds(grid, index, conductor, run, n, along);
        }
        sheet = before && behind;
    }
    return sheet;
}

/* Marks as many nodes before and behind the run as it lacks, each where metal is nearer to the next free one. */
static void run_lengthen(const struct mirror_task *task, const struct held_run *run, int planes, uint8_t *mark)
{
    const int nx = task->grid->nx, count[2] = {nx, task->grid->ny}, axis = run->axis;
    int low[2] = {run->at[0], run->at[1]}, high[2] = {run->at[0], run->at[1]};
    low[axis] -= 1;
    high[axis] += run->count;
    double to_high = low[axis] < 0 ? INFINITY : distance_from(task, low[0], low[1], DIRECTION[2 * axis + 1], REACH);
    double to_low =
        high[axis] >= count[axis] ? INFINITY : distance_from(task, high[0], high[1], DIRECTION[2 * axis], REACH);
    for (int n = run->count; n < planes && (low[axis] >= 0 || high[axis] < count[axis]); n++) {
        const bool before = high[axis] >= count[axis] || (low[axis] >= 0 && to_high < to_low);
        int *at = before ? low : high;
        mark[(size_t)at[1] * (size_t)nx + (size_t)at[0]] = 1;
        at[axis] += before ? -1 : 1;
        *(before ? &to_high : &to_low) += 1;
    }
}

/* Sheets across one axis. */
static void sheets_mark(const struct mirror_task *task, const uint32_t *index, uint32_t conductor, int axis, int planes,
                        uint8_t *mark)
{
    const struct raster_grid *grid = task->grid;
    const int lines = axis == 0 ? grid->ny : grid->nx, places = axis == 0 ? grid->nx : grid->ny;
    for (int line = 0; line < lines; line++) {
        struct held_run run = {.axis = axis};
        for (int n = 0; n <= places; n++) {
            int at[2];
            at[axis] = n;
            at[1 - axis] = line;
            if (n < places && holds(grid, index, conductor, at[0], at[1])) {
                run.at[0] = run.count == 0 ? at[0] : run.at[0];
                run.at[1] = run.count == 0 ? at[1] : run.at[1];
                run.count++;
                continue;
            }
            if (run.count > 0 && run.count < planes && is_sheet(grid, index, conductor, &run)) {
                run_lengthen(task, &run, planes, mark);
            }
            run.count = 0;
        }
    }
}

/* A sheet on fewer rows of nodes than the scheme needs does not shield: fd4o would let a tenth of the field through one
 * row, since its stencil reaches over it. Rows before and behind it are held too, and the mirrors moved back as before
 * any metal. */
static pw_status sheets_thicken(const struct mirror_task *task, uint32_t conductor, uint32_t *index, pw_error *error)
{
    const struct raster_grid *grid = task->grid;
    const int planes = metal_planes(grid->stencil);
    const size_t count = (size_t)grid->nx * (size_t)grid->ny;
    if (planes < 2) {
        return PW_OK;
    }
    uint8_t *mark = allocate(count, sizeof *mark, "sheets of metal", error);
    if (mark == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int axis = 0; axis < 2; axis++) {
        sheets_mark(task, index, conductor, axis, planes, mark);
        for (size_t node = 0; node < count; node++) {
            index[node] = mark[node] ? conductor : index[node];
        }
    }
    free(mark);
    return PW_OK;
}

pw_status mirror_place(const struct floorplan *plan, const struct raster_grid *grid, const uint8_t *touched,
                       struct mixture_table *table, uint32_t *index, pw_error *error)
{
    if (table->conductor < 0 || grid->stencil == NULL || !(grid->wave_number > 0)) {
        return PW_OK;
    }
    struct mirror_task task = {plan, grid, mirror_law_of(grid->stencil, MEAN_TURN * grid->wave_number * grid->cell), 0};
    task.hold = task.law.place - mirror_slack(grid->half_band);
    const uint32_t conductor = (uint32_t)table->conductor;
    const double scale = pow(grid->wave_number * grid->cell, -2);
#pragma omp parallel for schedule(dynamic, 16)
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            uint32_t *node = &index[(size_t)j * (size_t)grid->nx + (size_t)i];
            if (*node != conductor && near_metal(&task, touched, i, j) && is_held(&task, i, j)) {
                *node = conductor;
            }
        }
    }
    TRY(sheets_thicken(&task, conductor, index, error));
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            uint32_t *node = &index[(size_t)j * (size_t)grid->nx + (size_t)i];
            double stiffness = *node == conductor ? 0 : node_stiffness(&task, index, conductor, i, j);
            if (stiffness > SAME && grid->half_band < 0.5) {
                const struct mixture value = table->values[*node];
                TRY(mixture_find(table, value.permittivity + scale * stiffness, value.conductivity, node, error));
            }
        }
    }
    return PW_OK;
}
