/* Edges held at zero by metal (volume_metal.h), from the lines of the plan. */
#include "medium/volume/volume_metal.h"

#include <math.h>
#include <string.h>

/* Nodes first <= n < end. */
static struct span span_within(double first, double end, int count)
{
    return (struct span){(int)fmin(fmax(first, 0), count), (int)fmin(fmax(end, 0), count)};
}

/* Nodes within half a cell of [low, high). */
static struct span span_near(double low, double high, int count)
{
    return span_within(ceil(scanline_snap(low) - 0.5), ceil(scanline_snap(high) - 0.5) + 1, count);
}

/* Nodes, moved by `offset`, in [low, high). */
static struct span span_inside(double low, double high, double offset, int count)
{
    return span_within(ceil(scanline_snap(low) - offset), ceil(scanline_snap(high) - offset), count);
}

static void hold(uint8_t *held, struct span rows, struct span columns, int nx)
{
    for (int j = rows.first; j < rows.end && columns.first < columns.end; j++) {
        memset(held + (size_t)j * (size_t)nx + columns.first, 1, (size_t)(columns.end - columns.first));
    }
}

/* A piece of metal from x = left to right in the slab from bottom to top, in cells, y from the first row at hand. */
struct piece {
    double left, right, bottom, top;
    bool oblique;
};

static void piece_hold(const struct piece *piece, bool upright, int rows, int nx, uint8_t *held)
{
    struct span near_rows = span_near(piece->bottom, piece->top, rows);
    struct span near_columns = span_near(piece->left, piece->right, nx);
    if (!upright) {
        hold(held, span_inside(piece->bottom, piece->top, 0.5, rows), near_columns, nx);
    } else if (piece->oblique) {
        hold(held, near_rows, span_inside(piece->left, piece->right, 0, nx), nx);
        hold(held, span_inside(piece->bottom, piece->top, 0, rows), near_columns, nx);
    } else {
        hold(held, near_rows, near_columns, nx);
    }
}

static void slab_hold(const struct volume_side *side, int b, bool upright, const struct piece *slab,
                      struct side_work *work)
{
    const struct raster_grid *grid = &side->tasks->grid;
    const struct run_list *list = &work->bands[b].runs;
    uint8_t *held = work->metal + (size_t)b * BAND_ROWS * (size_t)grid->nx;
    for (int r = 0; r < list->count; r++) {
        const struct run *run = &list->runs[r], *next = r + 1 < list->count ? run + 1 : NULL;
        if (side->plans[b].materials[run->material].perfect_conductor) {
            if (!work->holds[b]) {
                memset(held, 0, BAND_ROWS * (size_t)grid->nx);
                work->holds[b] = true;
            }
            struct piece piece = *slab;
            double ramp = next != NULL ? next->ramp : 0;
            piece.left = (run->start - run->ramp - grid->origin.x) / grid->cell;
            piece.right = next != NULL ? (next->start + ramp - grid->origin.x) / grid->cell : INFINITY;
            piece.oblique = run->ramp > 0 || ramp > 0;
            piece_hold(&piece, upright, work->rows, grid->nx, held);
        }
    }
}

void volume_metal_rows(const struct volume_side *side, bool upright, struct side_work *work)
{
    const struct raster_grid *grid = &side->tasks->grid;
    for (int b = 0; b < side->plan_count; b++) {
        work->holds[b] = false;
        if (!work->used[b] || !side->metal) {
            continue;
        }
        const struct raster_task *task = &side->tasks[b];
        for (int s = 0; s <= task->border_count; s++) {
            double from = s > 0 ? task->borders[s - 1] : -INFINITY;
            double to = s < task->border_count ? task->borders[s] : INFINITY;
            if (to < work->first - 1 || from > work->first + work->rows + 1) {
                continue;
            }
            scanline_runs(task->plan, grid->origin.y + from * grid->cell, grid->origin.y + to * grid->cell,
                          &work->bands[b].runs);
            struct piece slab = {.bottom = from - work->first, .top = to - work->first};
            slab_hold(side, b, upright, &slab, work);
        }
    }
}
