/* Thin lossy layers aslant in horizontal polarisation (raster.h): they lie at their place between the nodes, as metal
 * does, and let through what their resistance leaves (physics.md section 1). Along the way of a sheet from edge to
 * edge, the faces on its two sides get the areas that it leaves them, and its edges its own length. */

#include "medium/sheet/sheet_ask.h"

#include <math.h>

/* The part of an edge that the sheet crosses: next to nothing, and not held. */
static const float CROSSED = 1e-6F;

struct cell_task {
    struct sheet_ask ask;
    struct metal_cells *cells;
    int a; /* the axis that the sheet lies across */
};

static size_t cell_at(const struct cell_task *task, int across, int line)
{
    const int i = task->a == 0 ? across : line, j = task->a == 0 ? line : across;
    return (size_t)j * (size_t)task->cells->nx + (size_t)i;
}

/* Without metal all faces and edges are whole; those of the staircase are held or free. */
static pw_status cells_begin(const struct raster_grid *grid, struct metal_cells *cells, pw_error *error)
{
    const size_t faces = (size_t)grid->nx * (size_t)grid->ny;
    if (cells->leak == NULL) {
        cells->leak = allocate(faces, sizeof *cells->leak, "thin layers", error);
        TRY(cells->leak != NULL ? PW_OK : PW_NO_RESOURCE);
    }
    if (cells->edge[0] != NULL) {
        return PW_OK;
    }
    cells->nx = grid->nx;
    cells->ny = grid->ny;
    cells->edge[0] = allocate(faces, sizeof *cells->edge[0], "thin layers", error);
    cells->edge[1] = allocate(faces, sizeof *cells->edge[1], "thin layers", error);
    cells->area = allocate(faces, sizeof *cells->area, "thin layers", error);
    cells->split = allocate(faces, sizeof *cells->split, "thin layers", error);
    TRY_MADE(cells->edge[0] != NULL && cells->edge[1] != NULL && cells->area != NULL && cells->split != NULL);
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            const size_t at = (size_t)j * (size_t)grid->nx + (size_t)i;
            const bool cut = metal_cells_cut(cells, i, j);
            cells->edge[0][at] = cut && (j == 0 || metal_cells_cut(cells, i, j - 1)) ? 1 : METAL_STAIRCASE;
            cells->edge[1][at] = cut && (i == 0 || metal_cells_cut(cells, i - 1, j)) ? 1 : METAL_STAIRCASE;
            cells->area[at] = 1;
        }
    }
    return PW_OK;
}

/* Where the sheet crosses a line `at` cells along it, in cells; NAN: it does not. */
static double crossing(const struct cell_task *task, double at)
{
    const struct raster_grid *grid = task->ask.view.grid;
    struct point place;
    int beyond = 0;
    const double origin = task->a == 0 ? grid->origin.y : grid->origin.x;
    if (!sheet_meets(&task->ask.view, task->a == 0, origin + at * grid->cell, &place, &beyond)) {
        return NAN;
    }
    return task->a == 0 ? (place.x - grid->origin.x) / grid->cell : (place.y - grid->origin.y) / grid->cell;
}

static int nearest_to(double cells)
{
    return (int)floor(cells + 0.5 + 1e-9);
}

/* An edge of component c that is whole so far. */
static void edge_set(struct cell_task *task, int c, int across, int line, double part)
{
    float *edge = &task->cells->edge[c][cell_at(task, across, line)];
    *edge = *edge == 1 ? (float)part : *edge;
}

/* The faces between two lines of nodes, and the edge between them that the sheet takes, `longer` than a whole one. */
static void faces_set(struct cell_task *task, int line, double at, double longer)
{
    struct metal_cells *cells = task->cells;
    const int r = nearest_to(at), along = 1 - task->a;
    const size_t edge = cell_at(task, r, line);
    if (cells->edge[along][edge] == 1) {
        cells->area[cell_at(task, r - 1, line)] += (float)(at - r);
        cells->area[edge] -= (float)(at - r);
        cells->edge[along][edge] = (float)longer;
        cells->leak[edge] |= (uint8_t)(1U << along);
    }
}

/* The edges across the sheet on a line of nodes. */
static void crossed_set(struct cell_task *task, int line, double before, double at, double next)
{
    const int one = nearest_to(before), other = nearest_to(next), low = one < other ? one : other,
              high = one < other ? other : one;
    for (int across = low; across < high; across++) {
        edge_set(task, task->a, across, line, CROSSED);
        task->cells->leak[cell_at(task, across, line)] |= (uint8_t)(1U << task->a);
    }
    edge_set(task, task->a, low - 1, line, fmax(at - (low - 1), 0.1));
    edge_set(task, task->a, high, line, fmax(high + 1 - at, 0.1));
}

static pw_status sheet_set(struct cell_task *task, const struct sheet *sheet, pw_error *error)
{
    const struct profile_view *view = &task->ask.view;
    bool across_x = false;
    TRY(sheet_ask_turn(&task->ask, sheet, &across_x, error));
    task->a = across_x ? 0 : 1;
    const struct metal_cells *cells = task->cells;
    const double straight = view->pitch / view->grid->cell;
    if (straight > 1 - 1e-9) {
        return PW_OK;
    }
    TRY(cells_begin(view->grid, task->cells, error));
    const int b = 1 - task->a;
    for (int line = cells->first[b]; line < cells->end[b]; line++) {
        const double before = line > cells->first[b] ? crossing(task, line - 0.5) : NAN, at = crossing(task, line),
                     next = crossing(task, line + 0.5);
        const int low = cells->first[task->a] + 2, high = cells->end[task->a] - 3;
        const bool inside = next > low && next < high;
        if (inside) {
            faces_set(task, line, next, 1 / straight);
        }
        if (inside && before > low && before < high && isfinite(at)) {
            crossed_set(task, line, before, at, next);
        }
    }
    return PW_OK;
}

pw_status sheet_cells_place(const struct floorplan *plan, const struct raster_grid *grid, struct metal_cells *cells,
                            pw_error *error)
{
    struct cell_task task = {.ask.view = {.plan = plan, .grid = grid}, .cells = cells};
    pw_status status = sheet_ask_create(&task.ask, error);
    for (int s = 0; s < plan->shape_count && status == PW_OK; s++) {
        struct sheet sheet;
        if (task.ask.is_sheet[s] && sheet_of_shape(plan, s, grid->wave_number, grid->cell, &sheet)) {
            status = sheet_set(&task, &sheet, error);
        }
    }
    sheet_ask_free(&task.ask);
    return status;
}
