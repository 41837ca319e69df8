/* Parts of edges and faces outside of metal (medium/raster.h): edges from lines along the nodes, faces from averages
 * over boxes, and where metal is too thin from lines across the faces. Columns are the rows of the plan with x and y
 * exchanged. */
#include "medium/scanline.h"
#include "medium/shares.h"
#include "medium/volume/plan_exchanged.h"

#include <math.h>
#include <stdlib.h>

enum {
    LINES = 4,      /* across a face in either direction, beside those along its edges */
    FEWEST_THIN = 2 /* lines that see metal with air on both sides, for a face to be taken for a thin one */
};

/* Less than this of an edge or a face is none of it, and so near to all of it is all. */
static const double NONE = 1e-3;

void metal_cells_free(struct metal_cells *cells)
{
    free(cells->edge[0]);
    free(cells->edge[1]);
    free(cells->area);
    free(cells->beside);
    *cells = (struct metal_cells){0};
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* What stands along a line of cells: parts outside of metal, and whether metal begins and ends inside. */
struct line {
    float *part;   /* (count), owned */
    uint8_t *thin; /* (count), owned */
    int count;
    struct run_list runs; /* owned */
};

static pw_status line_create(const struct floorplan *plan, int count, struct line *line, pw_error *error)
{
    *line = (struct line){.count = count};
    line->part = allocate((size_t)count, sizeof *line->part, "a line of the plan", error);
    line->thin = allocate((size_t)count, sizeof *line->thin, "a line of the plan", error);
    return line->part != NULL && line->thin != NULL ? run_list_create(plan, &line->runs, error) : PW_NO_RESOURCE;
}

static void line_free(struct line *line)
{
    free(line->part);
    free(line->thin);
    run_list_free(&line->runs);
}

/* Metal from place `low` to `high` [cells]. */
static void line_cover(struct line *line, double low, double high)
{
    const int first = (int)fmax(floor(low), 0), last = (int)fmin(ceil(high), line->count);
    for (int i = first; i < last; i++) {
        line->part[i] -= (float)(fmin(high, i + 1) - fmax(low, i));
        line->thin[i] |= low > i + NONE && high < i + 1 - NONE;
    }
}

/* The line at y [m]; x = origin stands before its first cell. */
static void line_read(const struct floorplan *plan, double y, double origin, double cell, struct line *line)
{
    for (int i = 0; i < line->count; i++) {
        line->part[i] = 1;
        line->thin[i] = 0;
    }
    scanline_runs(plan, y, y, &line->runs);
    for (int r = 0; r < line->runs.count;) {
        int end = r + 1;
        if (plan->materials[line->runs.runs[r].material].perfect_conductor) {
            while (end < line->runs.count && plan->materials[line->runs.runs[end].material].perfect_conductor) {
                end++;
            }
            line_cover(line, (line->runs.runs[r].start - origin) / cell,
                       end < line->runs.count ? (line->runs.runs[end].start - origin) / cell : INFINITY);
        }
        r = end;
    }
}

/* ---- edges and faces ----------------------------------------------------------------------------------------------
 */

static float snapped(double part)
{
    return part < NONE ? 0 : part > 1 - NONE ? 1 : (float)part;
}

/* One direction: x, or y by the plan with x and y exchanged. */
struct edge_lines {
    const struct floorplan *plan;
    struct point origin; /* m, in that plan */
    int along, across;   /* cells */
    size_t stride, step; /* of arrays, from cell to cell along and across */
    float *edge;
};

/* The edges of row j, and which faces of the rows beside it see thin metal on this or another line of row j: lines of
 * one direction are counted in `thin`. */
static void row_read(const struct edge_lines *lines, double cell, int j, struct line *line, uint8_t *thin)
{
    for (int l = 0; l <= LINES; l++) {
        const double place = l == 0 ? j : j + (l - 0.5) / LINES;
        line_read(lines->plan, lines->origin.y + place * cell, lines->origin.x, cell, line);
        for (int i = 0; i < lines->along; i++) {
            const size_t at = (size_t)j * lines->step + (size_t)i * lines->stride;
            if (l == 0) {
                lines->edge[at] = snapped(line->part[i]);
            }
            thin[at] = (uint8_t)(thin[at] + line->thin[i]);
            if (l == 0 && j > 0) {
                thin[at - lines->step] = (uint8_t)(thin[at - lines->step] + line->thin[i]);
            }
        }
    }
}

/* All edges of one direction; faces with thin metal become true. */
static pw_status direction_read(const struct edge_lines *lines, double cell, size_t faces, bool *is_thin,
                                pw_error *error)
{
    struct line line;
    uint8_t *thin = allocate(faces, sizeof *thin, "metal", error);
    pw_status status = thin != NULL ? PW_OK : PW_NO_RESOURCE;
    if (status == PW_OK) {
        status = line_create(lines->plan, lines->along, &line, error);
        for (int j = 0; j < lines->across && status == PW_OK; j++) {
            row_read(lines, cell, j, &line, thin);
        }
        for (size_t n = 0; n < faces && status == PW_OK; n++) {
            is_thin[n] = is_thin[n] || thin[n] >= FEWEST_THIN;
        }
        line_free(&line);
    }
    free(thin);
    return status;
}

/* Faces by averages over boxes around their middles. */
static pw_status areas_read(const struct floorplan *plan, const struct raster_grid *grid, float *area, pw_error *error)
{
    const size_t faces = (size_t)grid->nx * (size_t)grid->ny;
    struct raster_grid middles = *grid;
    middles.origin.x += 0.5 * grid->cell;
    middles.origin.y += 0.5 * grid->cell;
    double *share = allocate(faces, sizeof *share, "metal", error);
    bool *marked = allocate((size_t)plan->material_count, sizeof *marked, "metal", error);
    pw_status status = share != NULL && marked != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int m = 0; m < plan->material_count && status == PW_OK; m++) {
        marked[m] = plan->materials[m].perfect_conductor;
    }
    status = status == PW_OK ? shares_of_marked(plan, &middles, marked, share, error) : status;
    for (size_t n = 0; n < faces && status == PW_OK; n++) {
        area[n] = snapped(1 - share[n]);
    }
    free(share);
    free(marked);
    return status;
}

/* Which faces are cut, and not those of a staircase. */
static bool is_cut(const struct metal_cells *cells, const bool *thin, int i, int j)
{
    return i >= cells->first[0] && i < cells->end[0] && j >= cells->first[1] && j < cells->end[1] &&
           !thin[(size_t)j * (size_t)cells->nx + (size_t)i];
}

/* An edge belongs to the faces on both sides: where one is of the staircase the edge is, and no field goes along the
 * edge of a face that is all metal. */
static void edges_settle(struct metal_cells *cells, const bool *thin)
{
    for (int j = 0; j < cells->ny; j++) {
        for (int i = 0; i < cells->nx; i++) {
            const size_t at = (size_t)j * (size_t)cells->nx + (size_t)i;
            for (int c = 0; c < 2; c++) {
                const int di = c == 0 ? 0 : 1, dj = 1 - di;
                const size_t before = at - (c == 0 ? (size_t)cells->nx : 1);
                const bool first = c == 0 ? j == 0 : i == 0; /* on the wall of the grid */
                if (!is_cut(cells, thin, i, j) || (!first && !is_cut(cells, thin, i - di, j - dj))) {
                    cells->edge[c][at] = METAL_STAIRCASE;
                } else if (cells->area[at] == 0 || (!first && cells->area[before] == 0)) {
                    cells->edge[c][at] = 0;
                }
            }
        }
    }
    for (int j = 0; j < cells->ny; j++) {
        for (int i = 0; i < cells->nx; i++) {
            float *area = &cells->area[(size_t)j * (size_t)cells->nx + (size_t)i];
            const bool cut = is_cut(cells, thin, i, j);
            const bool wanted = i >= cells->first[0] && i < cells->end[0] && j >= cells->first[1] && j < cells->end[1];
            cells->thin += wanted && !cut && *area < 1;
            *area = cut ? *area : 1;
        }
    }
}

static pw_status cells_read(const struct floorplan *plan, const struct floorplan *exchanged,
                            const struct raster_grid *grid, bool *thin, struct metal_cells *cells, pw_error *error)
{
    const size_t nx = (size_t)grid->nx, faces = nx * (size_t)grid->ny;
    const struct edge_lines all_lines[2] = {
        {plan, grid->origin, grid->nx, grid->ny, 1, nx, cells->edge[0]},
        {exchanged, {grid->origin.y, grid->origin.x}, grid->ny, grid->nx, nx, 1, cells->edge[1]}};
    TRY(areas_read(plan, grid, cells->area, error));
    for (int d = 0; d < 2; d++) {
        TRY(direction_read(&all_lines[d], grid->cell, faces, thin, error));
    }
    edges_settle(cells, thin);
    return PW_OK;
}

pw_status metal_cells_create(const struct floorplan *plan, const struct raster_grid *grid, struct metal_cells *cells,
                             pw_error *error)
{
    const size_t faces = (size_t)grid->nx * (size_t)grid->ny;
    struct floorplan exchanged;
    cells->nx = grid->nx;
    cells->ny = grid->ny;
    cells->edge[0] = allocate(faces, sizeof *cells->edge[0], "metal", error);
    cells->edge[1] = allocate(faces, sizeof *cells->edge[1], "metal", error);
    cells->area = allocate(faces, sizeof *cells->area, "metal", error);
    bool *thin = allocate(faces, sizeof *thin, "metal", error);
    pw_status status = cells->edge[0] != NULL && cells->edge[1] != NULL && cells->area != NULL && thin != NULL
                           ? PW_OK
                           : PW_NO_RESOURCE;
    if (status == PW_OK) {
        status = plan_exchanged_create(plan, &exchanged, error);
        status = status == PW_OK ? cells_read(plan, &exchanged, grid, thin, cells, error) : status;
        plan_exchanged_free(&exchanged);
    }
    free(thin);
    return status;
}
