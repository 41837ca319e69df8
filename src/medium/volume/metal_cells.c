/* Parts of edges and faces outside of metal (medium/raster.h): edges from lines along the nodes, faces from averages
 * over boxes, and the pieces of faces with thin metal from lines across them. Columns are the rows of the plan with x
 * and y exchanged. */
#include "medium/metal_pieces.h"
#include "medium/plan_exchanged.h"
#include "medium/scanline.h"
#include "medium/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Less than this of an edge or a face is none of it, and so near to all of it is all. */
static const double NONE = 1e-3;

void metal_cells_free(struct metal_cells *cells)
{
    free(cells->edge[0]);
    free(cells->edge[1]);
    free(cells->area);
    free(cells->leak);
    free(cells->beside);
    free(cells->split);
    free(cells->links);
    *cells = (struct metal_cells){0};
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* What stands along a line of cells: parts outside of metal, where metal stands in each, and whether it begins and ends
 * inside. */
struct line {
    float *part;     /* (count), owned */
    uint64_t *marks; /* (count), owned: metal_pieces.h */
    uint8_t *thin;   /* (count), owned */
    int count;
    struct run_list runs; /* owned */
};

static pw_status line_create(const struct floorplan *plan, int count, struct line *line, pw_error *error)
{
    *line = (struct line){.count = count};
    line->part = allocate((size_t)count, sizeof *line->part, "a line of the plan", error);
    line->marks = allocate((size_t)count, sizeof *line->marks, "a line of the plan", error);
    line->thin = allocate((size_t)count, sizeof *line->thin, "a line of the plan", error);
    return line->part != NULL && line->marks != NULL && line->thin != NULL ? run_list_create(plan, &line->runs, error)
                                                                           : PW_NO_RESOURCE;
}

static void line_free(struct line *line)
{
    free(line->part);
    free(line->marks);
    free(line->thin);
    run_list_free(&line->runs);
}

/* Marks of a cell with metal from `low` to `high`, 0 to 1: at least one. */
static uint64_t marks_of(double low, double high)
{
    int first = (int)floor(low * MARKS + 1e-6), last = (int)ceil(high * MARKS - 1e-6);
    first = first < MARKS - 1 ? first : MARKS - 1;
    last = last > first ? last : first + 1;
    const uint64_t below = last >= MARKS ? ~UINT64_C(0) : (UINT64_C(1) << last) - 1;
    return below & ~((UINT64_C(1) << first) - 1);
}

/* Metal from place `low` to `high` [cells]. */
static void line_cover(struct line *line, double low, double high)
{
    const int first = (int)fmax(floor(low), 0), last = (int)fmin(ceil(high), line->count);
    for (int i = first; i < last; i++) {
        line->part[i] -= (float)(fmin(high, i + 1) - fmax(low, i));
        line->marks[i] |= marks_of(fmax(low - i, 0), fmin(high - i, 1));
        line->thin[i] |= low > i && high < i + 1;
    }
}

/* The line at y [m]; x = origin stands before its first cell. */
static void line_read(const struct floorplan *plan, double y, double origin, double cell, struct line *line)
{
    for (int i = 0; i < line->count; i++) {
        line->part[i] = 1;
        line->marks[i] = 0;
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
    int direction;
    int along, across;   /* cells */
    size_t stride, step; /* of arrays, from cell to cell along and across */
    float *edge;
};

/* A line along the cells of row j: line 0 along its edges, which are also the last line of the row before. First, which
 * faces have metal; then, where it stands in them. */
static void line_take(const struct edge_lines *lines, int j, int l, const struct line *line, bool mark,
                      struct metal_lattice *lattice)
{
    for (int i = 0; i < lines->along; i++) {
        const size_t at = (size_t)j * lines->step + (size_t)i * lines->stride;
        for (int before = 0; before < (l == 0 && j > 0 ? 2 : 1) && line->marks[i] != 0; before++) {
            int32_t *index = &lattice->index[at - (size_t)before * lines->step];
            if (mark && *index >= 0) {
                struct metal_marks *marks = &lattice->marks[*index];
                marks->line[lines->direction][before == 1 ? PIECE_LINES + 1 : l] = line->marks[i];
                marks->thin = marks->thin || line->thin[i] != 0;
            } else if (!mark) {
                *index = 0;
            }
        }
        if (l == 0) {
            lines->edge[at] = snapped(line->part[i]);
        }
    }
}

static pw_status direction_read(const struct edge_lines *lines, double cell, bool mark, struct metal_lattice *lattice,
                                pw_error *error)
{
    struct line line;
    pw_status status = line_create(lines->plan, lines->along, &line, error);
    for (int j = 0; j < lines->across && status == PW_OK; j++) {
        for (int l = 0; l <= PIECE_LINES; l++) {
            const double place = l == 0 ? j : j + (l - 0.5) / PIECE_LINES;
            line_read(lines->plan, lines->origin.y + place * cell, lines->origin.x, cell, &line);
            line_take(lines, j, l, &line, mark, lattice);
        }
    }
    line_free(&line);
    return status;
}

/* Which faces are cut, and not those of a staircase. */
static bool is_cut(const struct metal_cells *cells, int i, int j)
{
    return i >= cells->first[0] && i < cells->end[0] && j >= cells->first[1] && j < cells->end[1];
}

/* Rooms for the marks of all faces that have metal and some air. */
static pw_status lattice_allocate(const struct metal_cells *cells, struct metal_lattice *lattice, pw_error *error)
{
    const size_t faces = (size_t)cells->nx * (size_t)cells->ny;
    lattice->count = 0;
    for (size_t n = 0; n < faces; n++) {
        const int i = (int)(n % (size_t)cells->nx), j = (int)(n / (size_t)cells->nx);
        const bool some = lattice->index[n] >= 0 && cells->area[n] > 0 && is_cut(cells, i, j);
        lattice->index[n] = some ? (int32_t)lattice->count++ : -1;
    }
    lattice->marks = allocate((size_t)lattice->count, sizeof *lattice->marks, "metal", error);
    return lattice->marks != NULL ? PW_OK : PW_NO_RESOURCE;
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

/* An edge belongs to the faces on both sides: where one is of the staircase the edge is, and no field goes along the
 * edge of a face that is all metal. */
static void edges_settle(struct metal_cells *cells)
{
    for (int j = 0; j < cells->ny; j++) {
        for (int i = 0; i < cells->nx; i++) {
            const size_t at = (size_t)j * (size_t)cells->nx + (size_t)i;
            for (int c = 0; c < 2; c++) {
                const int di = c == 0 ? 0 : 1, dj = 1 - di;
                const size_t before = at - (c == 0 ? (size_t)cells->nx : 1);
                const bool first = c == 0 ? j == 0 : i == 0; /* on the wall of the grid */
                if (!is_cut(cells, i, j) || (!first && !is_cut(cells, i - di, j - dj))) {
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
            *area = is_cut(cells, i, j) ? *area : 1;
        }
    }
}

static pw_status cells_read(const struct floorplan *plan, const struct floorplan *exchanged,
                            const struct raster_grid *grid, struct metal_lattice *lattice, struct metal_cells *cells,
                            pw_error *error)
{
    const size_t nx = (size_t)grid->nx, faces = nx * (size_t)grid->ny;
    const struct edge_lines all_lines[2] = {
        {plan, grid->origin, 0, grid->nx, grid->ny, 1, nx, cells->edge[0]},
        {exchanged, {grid->origin.y, grid->origin.x}, 1, grid->ny, grid->nx, nx, 1, cells->edge[1]}};
    TRY(areas_read(plan, grid, cells->area, error));
    memset(lattice->index, -1, faces * sizeof *lattice->index);
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < 2; d++) {
            TRY(direction_read(&all_lines[d], grid->cell, pass == 1, lattice, error));
        }
        if (pass == 0) {
            TRY(lattice_allocate(cells, lattice, error));
        }
    }
    edges_settle(cells);
    return metal_pieces_settle(lattice, cells, error);
}

pw_status metal_cells_create(const struct floorplan *plan, const struct raster_grid *grid, struct metal_cells *cells,
                             pw_error *error)
{
    const size_t faces = (size_t)grid->nx * (size_t)grid->ny;
    struct floorplan exchanged;
    struct metal_lattice lattice = {0};
    cells->nx = grid->nx;
    cells->ny = grid->ny;
    cells->edge[0] = allocate(faces, sizeof *cells->edge[0], "metal", error);
    cells->edge[1] = allocate(faces, sizeof *cells->edge[1], "metal", error);
    cells->area = allocate(faces, sizeof *cells->area, "metal", error);
    lattice.index = allocate(faces, sizeof *lattice.index, "metal", error);
    pw_status status = cells->edge[0] != NULL && cells->edge[1] != NULL && cells->area != NULL && lattice.index != NULL
                           ? PW_OK
                           : PW_NO_RESOURCE;
    if (status == PW_OK) {
        status = plan_exchanged_create(plan, &exchanged, error);
        status = status == PW_OK ? cells_read(plan, &exchanged, grid, &lattice, cells, error) : status;
        plan_exchanged_free(&exchanged);
    }
    free(lattice.index);
    free(lattice.marks);
    return status;
}
