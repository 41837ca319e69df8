/* Parts of edges and faces outside of metal (medium/raster.h): edges from lines along the nodes, faces from averages
 * over boxes, and the pieces of faces with thin metal from lines across them. Columns are the rows of the plan with x
 * and y exchanged. */
#include "medium/metal_pieces.h"
#include "medium/plan_exchanged.h"
#include "medium/scanline.h"
#include "medium/shares.h"
#include "medium/volume/cell_line.h"

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
    for (int n = 0; n < 4; n++) {
        free(cells->runs_on[n / 2][n % 2]);
    }
    *cells = (struct metal_cells){0};
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

/* Line l along the cells of row j; the last one is line 0 of the next row. First, which faces have metal; then, where
 * it stands in them. */
static void line_take(const struct edge_lines *lines, int j, int l, const struct cell_line *line, bool mark,
                      struct metal_lattice *lattice)
{
    for (int i = line->first; i < line->end; i++) {
        const size_t at = (size_t)j * lines->step + (size_t)i * lines->stride;
        int32_t *index = &lattice->index[at];
        if (line->marks[i] != 0 && mark && *index >= 0) {
            struct metal_marks *marks = &lattice->marks[*index];
            marks->line[lines->direction][l] = line->marks[i];
            marks->thin = marks->thin || line->thin[i] != 0;
        } else if (line->marks[i] != 0 && !mark) {
            *index = 0;
        }
    }
    for (int i = 0; i < lines->along && l == 0 && !mark; i++) {
        lines->edge[(size_t)j * lines->step + (size_t)i * lines->stride] = snapped(line->part[i]);
    }
}

/* Whether some face of row j has marks. */
static bool row_is_marked(const struct edge_lines *lines, int j, const struct metal_lattice *lattice)
{
    bool some = false;
    for (int i = 0; i < lines->along && !some; i++) {
        some = lattice->index[(size_t)j * lines->step + (size_t)i * lines->stride] >= 0;
    }
    return some;
}

static pw_status direction_read(const struct edge_lines *lines, double cell, bool mark, struct metal_lattice *lattice,
                                pw_error *error)
{
    pw_status status = PW_OK;
#pragma omp parallel
    {
        struct cell_line line;
        pw_error own = {""};
        const bool made = cell_line_create(lines->plan, lines->along, &line, &own) == PW_OK;
#pragma omp for schedule(dynamic, 2)
        for (int j = 0; j < lines->across; j++) {
            const bool wanted = made && (!mark || row_is_marked(lines, j, lattice));
            for (int l = 0; wanted && l <= PIECE_LINES + (j + 1 < lines->across ? 1 : 0); l++) {
                const double place = l == 0 ? j : l > PIECE_LINES ? j + 1 : j + (l - 0.5) / PIECE_LINES;
                cell_line_read(lines->plan, lines->origin.y + place * cell, lines->origin.x, cell, &line);
                line_take(lines, j, l, &line, mark, lattice);
            }
        }
        cell_line_free(&line);
#pragma omp critical
        status = made ? status : fail(error, PW_NO_RESOURCE, "%s", own.message);
    }
    return status;
}

/* Of a face of a line along axis a. */
static size_t place_of(const struct metal_cells *cells, int a, int at, int line)
{
    return (size_t)(a == 0 ? line : at) * (size_t)cells->nx + (size_t)(a == 0 ? at : line);
}

/* Rooms for the marks of all faces that have metal and some air. */
static pw_status lattice_allocate(const struct metal_cells *cells, struct metal_lattice *lattice, pw_error *error)
{
    lattice->count = 0;
    for (int j = 0; j < cells->ny; j++) {
        int32_t *index = lattice->index + place_of(cells, 0, 0, j);
        for (int i = 0; i < cells->nx; i++) {
            const bool some =
                index[i] >= 0 && cells->area[place_of(cells, 0, i, j)] > 0 && metal_cells_cut(cells, i, j);
            index[i] = some ? (int32_t)lattice->count++ : -1;
        }
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
    OWNED double *share = allocate(faces, sizeof *share, "metal", error);
    OWNED bool *marked = allocate((size_t)plan->material_count, sizeof *marked, "metal", error);
    TRY_MADE(share != NULL && marked != NULL);
    for (int m = 0; m < plan->material_count; m++) {
        marked[m] = plan->materials[m].perfect_conductor;
    }
    TRY(shares_of_marked(plan, &middles, marked, share, error));
#pragma omp parallel for schedule(static)
    for (size_t n = 0; n < faces; n++) {
        area[n] = snapped(1 - share[n]);
    }
    return PW_OK;
}

/* An edge belongs to the faces on both sides: where one is of the staircase the edge is, and no field goes along the
 * edge of a face that is all metal. */
static void edges_settle(struct metal_cells *cells)
{
#pragma omp parallel for schedule(static)
    for (int j = 0; j < cells->ny; j++) {
        for (int i = 0; i < cells->nx; i++) {
            const size_t at = (size_t)j * (size_t)cells->nx + (size_t)i;
            for (int c = 0; c < 2; c++) {
                const int di = c == 0 ? 0 : 1, dj = 1 - di;
                const size_t before = at - (c == 0 ? (size_t)cells->nx : 1);
                const bool first = c == 0 ? j == 0 : i == 0; /* on the wall of the grid */
                if (!metal_cells_cut(cells, i, j) || (!first && !metal_cells_cut(cells, i - di, j - dj))) {
                    cells->edge[c][at] = METAL_STAIRCASE;
                } else if (cells->area[at] == 0 || (!first && cells->area[before] == 0)) {
                    cells->edge[c][at] = 0;
                }
            }
        }
    }
#pragma omp parallel for schedule(static)
    for (int j = 0; j < cells->ny; j++) {
        for (int i = 0; i < cells->nx; i++) {
            float *area = &cells->area[(size_t)j * (size_t)cells->nx + (size_t)i];
            *area = metal_cells_cut(cells, i, j) ? *area : 1;
        }
    }
}

/* ---- beyond the faces wanted --------------------------------------------------------------------------------------
 * There lies the absorber, whose filters rows of places beside metal do not have. Metal that runs on unchanged along
 * axis a needs none of them: what it changes are the differences across it, and those along a stay the usual ones where
 * edges across the metal have the part that their face has. */

/* Lines around one that does not run on whose faces are none of the cut either. */
enum { RUNS_APART = 4 };

/* Whether metal is the same in two faces of a line along axis a. */
static bool is_same(const struct metal_cells *cells, const struct metal_lattice *lattice, int a, size_t one,
                    size_t other)
{
    const int32_t m = lattice->index[one], n = lattice->index[other];
    const struct metal_marks *marks = lattice->marks;
    return fabsf(cells->area[one] - cells->area[other]) < NONE &&
           fabsf(cells->edge[a][one] - cells->edge[a][other]) < NONE && (m < 0) == (n < 0) &&
           (m < 0 || memcmp(marks[m].line, marks[n].line, sizeof marks[m].line) == 0);
}

/* Lines that run on at one end of axis a. */
static void find_runs(struct metal_cells *cells, const struct metal_lattice *lattice, int a, int end)
{
    const int lines = a == 0 ? cells->ny : cells->nx, along = a == 0 ? cells->nx : cells->ny;
    const int from = end == 0 ? 1 : cells->end[a] - 1, to = end == 0 ? cells->first[a] : along - 2;
    uint8_t *runs = cells->runs_on[a][end];
    for (int line = 0; line < lines; line++) {
        for (int at = from; at < to && runs[line] == 1; at++) {
            if (!is_same(cells, lattice, a, place_of(cells, a, at, line), place_of(cells, a, at + 1, line))) {
                runs[line] = 2;
            }
        }
    }
    for (int line = 0; line < lines; line++) {
        for (int near = line - RUNS_APART; near <= line + RUNS_APART && runs[line] == 2; near++) {
            if (near >= 0 && near < lines && runs[near] == 1) {
                runs[near] = 0;
            }
        }
    }
    for (int line = 0; line < lines; line++) {
        runs[line] = runs[line] == 1;
    }
}

/* To begin with, all lines run on. */
static pw_status runs_begin(struct metal_cells *cells, pw_error *error)
{
    for (int n = 0; n < 4; n++) {
        const size_t lines = (size_t)(n / 2 == 0 ? cells->ny : cells->nx);
        uint8_t *runs = cells->runs_on[n / 2][n % 2] = allocate(lines, 1, "metal", error);
        TRY_MADE(runs);
        memset(runs, 1, lines);
    }
    return PW_OK;
}

static void runs_settle(struct metal_cells *cells, struct metal_lattice *lattice)
{
    for (int n = 0; n < 4; n++) {
        find_runs(cells, lattice, n / 2, n % 2);
    }
    for (int j = 0; j < cells->ny; j++) {
        for (int i = 0; i < cells->nx; i++) {
            int32_t *index = &lattice->index[(size_t)j * (size_t)cells->nx + (size_t)i];
            *index = metal_cells_cut(cells, i, j) ? *index : -1;
        }
    }
}

/* Whether a face lies along flat metal, with the faces before and after it along axis a. */
static bool is_flat(const struct metal_cells *cells, int a, int i, int j)
{
    const size_t own = (size_t)j * (size_t)cells->nx + (size_t)i, along = a == 0 ? 1 : (size_t)cells->nx;
    const float area = cells->area[own];
    bool flat = true;
    for (int n = -1; n <= 2 && flat; n++) {
        const size_t at = n < 0 ? own - along : own + (size_t)n * along;
        flat = metal_cells_cut(cells, i + n * (a == 0), j + n * (a == 1)) &&
               fabsf(cells->edge[1 - a][at] - area) < NONE && (n == 2 || fabsf(cells->area[at] - area) < NONE);
    }
    return flat;
}

/* Whether a face along metal is too small for the time step, and flat or one that can borrow from none. */
static bool is_small(const struct metal_cells *cells, int a, int i, int j)
{
    const size_t own = (size_t)j * (size_t)cells->nx + (size_t)i, step = a == 0 ? (size_t)cells->nx : 1;
    const float low = cells->edge[a][own], high = cells->edge[a][own + step];
    return metal_cells_cut(cells, i, j) && cells->area[own] > 0 && (low > 0) != (high > 0) &&
           low + high > 2 * cells->limit * cells->area[own] &&
           (metal_cells_runs(cells, i, j) == a || is_flat(cells, a, i, j));
}

/* Whether the faces that join lead along axis a to where metal runs on. In blocks, whose corners are near, joining is
 * no gain. */
static bool leads_out(const struct metal_cells *cells, const uint8_t *joins, int a, int i, int j)
{
    bool out = false;
    for (int step = -1; step <= 1 && !out; step += 2) {
        int at[2] = {i, j};
        while (!out && joins[(size_t)at[1] * (size_t)cells->nx + (size_t)at[0]] == 1 + a) {
            out = metal_cells_runs(cells, at[0], at[1]) == a;
            at[a] += step;
        }
    }
    return out;
}

/* A small face along flat metal joins the face beyond its one free edge, which is held then: flat metal has a law for
 * such faces, but none for faces that borrow. joins: 1 + axis of those that do. */
static void face_join(struct metal_cells *cells, const uint8_t *joins, size_t own)
{
    const int a = joins[own] - 1;
    const size_t step = a == 0 ? (size_t)cells->nx : 1, along = a == 0 ? 1 : (size_t)cells->nx;
    float *low = &cells->edge[a][own], *high = &cells->edge[a][own + step], *across = cells->edge[1 - a];
    const size_t next = *low > 0 ? own - step : own + step;
    cells->area[next] += cells->area[own];
    cells->split[next] = 1;
    cells->area[own] = *low = *high = 0;
    across[next] += joins[own - along] == joins[own] ? across[own] : 0;
    across[own] = 0;
    across[own + along] = joins[own + along] == joins[own] ? across[own + along] : 0;
}

static pw_status faces_join(struct metal_cells *cells, pw_error *error)
{
    uint8_t *joins = allocate((size_t)cells->nx * (size_t)cells->ny, sizeof *joins, "metal", error);
    TRY_MADE(joins);
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 2; j < cells->ny - 2; j++) {
            for (int i = 2; i < cells->nx - 2; i++) {
                const size_t own = (size_t)j * (size_t)cells->nx + (size_t)i;
                if (pass == 0) {
                    joins[own] = is_small(cells, 0, i, j) ? 1 : is_small(cells, 1, i, j) ? 2 : 0;
                } else if (joins[own] > 0 && !leads_out(cells, joins, joins[own] - 1, i, j)) {
                    joins[own] = 0;
                } else if (joins[own] > 0) {
                    face_join(cells, joins, own);
                }
            }
        }
    }
    free(joins);
    return PW_OK;
}

/* ---- slivers ------------------------------------------------------------------------------------------------------
 */

/* The part of a face between a sheet and its low or high border across axis b, where it is so thin that no piece of air
 * is told there; 0: there is none. */
static double sliver_of(const struct metal_cells *cells, const struct metal_lattice *lattice, size_t face, int b,
                        int side)
{
    const int32_t index = lattice->index[face];
    if (index < 0) {
        return 0;
    }
    const uint64_t *line = lattice->marks[index].line[b], metal = line[1];
    for (int l = 2; l <= PIECE_LINES; l++) {
        if (line[l] != metal) {
            return 0;
        }
    }
    if (metal == 0 || cells->area[face] <= 0) {
        return 0;
    }
    const int count = side == 0 ? __builtin_ctzll(metal) : __builtin_clzll(metal),
              beyond = side == 0 ? __builtin_clzll(metal) : __builtin_ctzll(metal), step = MARKS / PIECE_LINES;
    const bool told = side == 0 ? count > step / 2 : count >= step / 2;
    return told || beyond < step ? 0 : (double)count / (count + beyond);
}

/* A sliver joins the face on its side of the sheet. */
static void slivers_join(struct metal_cells *cells, const struct metal_lattice *lattice)
{
    for (int64_t n = 0; n < 4 * (int64_t)cells->nx * cells->ny; n++) {
        const int b = (int)(n % 4 / 2), side = (int)(n % 2), i = (int)(n / 4 % cells->nx), j = (int)(n / 4 / cells->nx),
                  out = side == 0 ? -1 : 1;
        const size_t own = (size_t)n / 4, step = b == 0 ? 1 : (size_t)cells->nx, along = b == 0 ? (size_t)cells->nx : 1,
                     next = side == 0 ? own - step : own + step;
        const double part = sliver_of(cells, lattice, own, b, side);
        if (!(part > 0) || i < 1 || j < 1 || !metal_cells_cut(cells, i, j) ||
            !metal_cells_cut(cells, i + out * (b == 0), j + out * (b == 1)) || cells->area[next] <= 0 ||
            cells->edge[1 - b][side == 0 ? own : next] != 0) {
            continue;
        }
        cells->area[own] -= (float)part;
        cells->area[next] += (float)part;
        cells->split[own] = cells->split[next] = 1;
        if (sliver_of(cells, lattice, own - along, b, side) == part) {
            cells->edge[b][own] -= (float)part;
            cells->edge[b][next] += (float)part;
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
    TRY(cells->limit > 0 ? runs_begin(cells, error) : PW_OK);
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
    if (cells->limit > 0) {
        runs_settle(cells, lattice);
    }
    edges_settle(cells);
    TRY(metal_pieces_settle(lattice, cells, error));
    if (!(cells->limit > 0)) {
        return PW_OK;
    }
    slivers_join(cells, lattice);
    return faces_join(cells, error);
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
        THEN(status, cells_read(plan, &exchanged, grid, &lattice, cells, error));
        plan_exchanged_free(&exchanged);
    }
    free(lattice.index);
    free(lattice.marks);
    return status;
}
