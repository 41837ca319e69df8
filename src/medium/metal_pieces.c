/* See metal_pieces.h. Every length and area counts: a face's mass is its area with what joined it, and the flux between
 * two faces goes through all the edge between their pieces. Where two faces that do not touch along an edge of the grid
 * share a piece's edge, their difference is the sum of the differences along a path on that side of the metal, so that
 * every link stays a difference of two faces: no energy is made, and a constant field stays constant. */
#include "medium/metal_pieces.h"

#include "medium/face_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a row of faces between which all its marks are: first .. end - 1. */
struct marked_row {
    int first, end;
};

struct piece_task {
    const struct metal_lattice *lattice;
    struct metal_cells *cells;
    struct face_pieces *faces; /* (lattice count), owned */
    float *whole[2];           /* the edges' parts outside of metal, owned: in rows with marks, and those after them */
    struct marked_row *rows;   /* (ny), owned */
    size_t link_capacity;
};

/* Part of an edge: the pieces on its two sides. */
struct segment {
    int64_t low, high; /* faces that own them */
    double length;
};

static size_t cell_of(const struct metal_cells *cells, int i, int j)
{
    return (size_t)j * (size_t)cells->nx + (size_t)i;
}

/* Most faces have no marks: only where some are anything is looked at. */
static void rows_find(const struct piece_task *task)
{
    const int nx = task->cells->nx;
#pragma omp parallel for schedule(static)
    for (int j = 0; j < task->cells->ny; j++) {
        const int32_t *index = task->lattice->index + cell_of(task->cells, 0, j);
        struct marked_row row = {nx, 0};
        for (int i = 0; i < nx; i++) {
            row.first = index[i] >= 0 && i < row.first ? i : row.first;
            row.end = index[i] >= 0 ? i + 1 : row.end;
        }
        task->rows[j] = row;
    }
}

/* Columns of row j where a face or the one before it along axis a has marks. */
static struct marked_row row_with_before(const struct piece_task *task, int a, int j)
{
    struct marked_row row = task->rows[j];
    if (a == 0) {
        row.end += row.end > 0 && row.end < task->cells->nx ? 1 : 0;
        row.first = row.first < 1 ? 1 : row.first;
    } else {
        const struct marked_row before = task->rows[j - 1];
        row.first = before.first < row.first ? before.first : row.first;
        row.end = before.end > row.end ? before.end : row.end;
    }
    return row;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* The piece of a face at point `point` of its low or high edge across axis a; NO_PIECE: metal. */
static int piece_at(const struct piece_task *task, int i, int j, int a, bool high, int point)
{
    const size_t cell = cell_of(task->cells, i, j);
    const int32_t index = task->lattice->index[cell];
    if (index < 0 || !task->faces[index].thin) {
        return 0;
    }
    const struct metal_marks *marks = &task->lattice->marks[index];
    const int last = PIECE_LINES - 1, inner = high ? last : 0;
    const bool blocked = high ? is_blocked(marks->line[a][point + 1], place_of(last), MARKS)
                              : is_blocked(marks->line[a][point + 1], 0, place_of(0));
    return blocked ? NO_PIECE
                   : task->faces[index].label[a == 0 ? point * PIECE_LINES + inner : inner * PIECE_LINES + point];
}

static int64_t *owner_of(const struct piece_task *task, int i, int j, int piece)
{
    const int32_t index = task->lattice->index[cell_of(task->cells, i, j)];
    return index < 0 || piece >= PIECES ? NULL : &task->faces[index].owner[piece];
}

/* The edge across axis a between face (i, j) and the one before it: its parts by the pieces on both sides. */
struct edge_parts {
    int low[PIECES * PIECES], high[PIECES * PIECES];
    double length[PIECES * PIECES];
    int count;
};

static void parts_add(struct edge_parts *parts, int low, int high, double length)
{
    int n = 0;
    while (n < parts->count && (parts->low[n] != low || parts->high[n] != high)) {
        n++;
    }
    if (n == PIECES * PIECES) {
        return;
    }
    if (n == parts->count) {
        parts->low[n] = low;
        parts->high[n] = high;
        parts->length[n] = 0;
        parts->count++;
    }
    parts->length[n] += length;
}

static struct edge_parts edge_read(const struct piece_task *task, int a, int i, int j)
{
    struct edge_parts parts = {.count = 0};
    const int bi = i - (a == 0), bj = j - (a == 1);
    const size_t cell = cell_of(task->cells, i, j), before = cell_of(task->cells, bi, bj);
    const int32_t high = task->lattice->index[cell], low = task->lattice->index[before];
    const uint64_t line = high >= 0  ? task->lattice->marks[high].line[1 - a][0]
                          : low >= 0 ? task->lattice->marks[low].line[1 - a][PIECE_LINES + 1]
                                     : 0;
    double sum = 0;
    if ((high < 0 || !task->faces[high].thin) && (low < 0 || !task->faces[low].thin)) {
        parts_add(&parts, 0, 0, task->whole[1 - a][cell]);
        return parts;
    }
    for (int p = 0; p < MARKS;) {
        int end = p, points = 0;
        while (end < MARKS && !(line >> end & 1)) {
            points += end % STEP == STEP / 2;
            end++;
        }
        for (int point = (p + STEP / 2 - 1) / STEP; point * STEP + STEP / 2 < end && points > 0; point++) {
            const int l = piece_at(task, bi, bj, a, true, point), h = piece_at(task, i, j, a, false, point);
            if (l < PIECES && h < PIECES) {
                parts_add(&parts, l, h, (double)(end - p) / points);
                sum += (double)(end - p) / points;
            }
        }
        p = end + 1;
    }
    for (int n = 0; n < parts.count; n++) {
        parts.length[n] *= task->whole[1 - a][cell] / sum;
    }
    return parts;
}

/* ---- joining ----------------------------------------------------------------------------------------------------- */

/* The best face for a piece without one: across the longest part of its edges. */
struct joining {
    int64_t owner;
    double length;
};

static void joining_consider(const struct piece_task *task, int i, int j, int piece, int a, bool high,
                             struct joining *best)
{
    const int ni = i + (a == 0 ? (high ? 1 : -1) : 0), nj = j + (a == 1 ? (high ? 1 : -1) : 0);
    if (!metal_cells_cut(task->cells, ni, nj) || task->cells->area[cell_of(task->cells, ni, nj)] <= 0) {
        return;
    }
    const struct edge_parts parts = edge_read(task, a, high ? ni : i, high ? nj : j);
    for (int n = 0; n < parts.count; n++) {
        const int own = high ? parts.low[n] : parts.high[n], other = high ? parts.high[n] : parts.low[n];
        const int64_t *there = owner_of(task, ni, nj, other);
        const int64_t owner = there == NULL ? (int64_t)cell_of(task->cells, ni, nj) : *there;
        /* One cell away at most: that is as far as sums of a row may look. */
        const bool near =
            owner >= 0 && llabs(owner % task->cells->nx - i) <= 1 && llabs(owner / task->cells->nx - j) <= 1;
        if (own == piece && near && parts.length[n] > best->length) {
            *best = (struct joining){owner, parts.length[n]};
        }
    }
}

/* Every piece that is no face joins one; twice, since a piece may join by way of another one. */
static void pieces_join(const struct piece_task *task)
{
    const struct metal_cells *cells = task->cells;
    for (int round = 0; round < 2; round++) {
        for (int j = 0; j < cells->ny; j++) {
            for (int i = task->rows[j].first; i < task->rows[j].end; i++) {
                const int32_t index = task->lattice->index[cell_of(cells, i, j)];
                for (int n = 0; index >= 0 && n < task->faces[index].count; n++) {
                    struct joining best = {-1, 0};
                    for (int s = 0; s < 4 && task->faces[index].owner[n] < 0; s++) {
                        joining_consider(task, i, j, n, s / 2, s % 2 == 1, &best);
                    }
                    task->faces[index].owner[n] = best.owner >= 0 ? best.owner : task->faces[index].owner[n];
                }
            }
        }
    }
}

static void areas_join(const struct piece_task *task)
{
    const struct metal_cells *cells = task->cells;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < cells->ny; j++) {
            for (int i = task->rows[j].first; i < task->rows[j].end; i++) {
                const size_t cell = cell_of(cells, i, j);
                const int32_t index = task->lattice->index[cell];
                if (index < 0 || task->faces[index].count < 2) {
                    continue;
                }
                const struct face_pieces *face = &task->faces[index];
                for (int n = 0; n < face->count; n++) {
                    if (pass == 0) {
                        cells->split[cell] = 1;
                        cells->area[cell] -= face->owner[n] == (int64_t)cell ? 0 : (float)face->area[n];
                    } else if (face->owner[n] >= 0 && face->owner[n] != (int64_t)cell) {
                        cells->split[face->owner[n]] = 1;
                        cells->area[face->owner[n]] += (float)face->area[n];
                    }
                }
            }
        }
    }
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

/* The edge between two faces that touch: its component, which axis is crossed, and where it begins; false: they do not
 * touch. */
static bool edge_between(const struct metal_cells *cells, int64_t low, int64_t high, int *component, int64_t *at)
{
    const int64_t first = low < high ? low : high, second = low < high ? high : low;
    *at = second;
    *component = second - first == 1 ? 1 : 0;
    return (second - first == 1 && second % cells->nx > 0) || second - first == cells->nx;
}

static pw_status link_add(struct piece_task *task, const struct metal_link *link, pw_error *error)
{
    struct metal_cells *cells = task->cells;
    TRY(array_grow(&cells->links, &task->link_capacity, (size_t)cells->link_count, sizeof *cells->links,
                   "faces at sheets", error));
    cells->links[cells->link_count++] = *link;
    return PW_OK;
}

/* A link between faces one step away along both axes, by way of a third face. */
static pw_status link_corner(struct piece_task *task, int64_t low, int64_t high, double length, pw_error *error)
{
    const struct metal_cells *cells = task->cells;
    const int64_t nx = cells->nx, ways[2] = {low / nx * nx + high % nx, high / nx * nx + low % nx};
    int64_t best = -1;
    double width = 0;
    for (int w = 0; w < 2; w++) {
        int c[2];
        int64_t at[2];
        if (edge_between(cells, low, ways[w], &c[0], &at[0]) && edge_between(cells, ways[w], high, &c[1], &at[1])) {
            const double open = fmin(cells->edge[c[0]][at[0]], cells->edge[c[1]][at[1]]);
            best = open > width ? ways[w] : best;
            width = fmax(open, width);
        }
    }
    if (best < 0) {
        return PW_OK; /* no way on this side of the metal */
    }
    struct metal_link link = {.face = {low, best, high}, .length = (float)length};
    cells->split[low] = 1;
    cells->split[high] = 1;
    cells->split[best] = 1;
    return link_add(task, &link, error);
}

/* One edge: its parts to the edges between the faces that own the pieces, or to links. */
static pw_status edge_settle(struct piece_task *task, int a, int i, int j, bool corners, pw_error *error)
{
    struct metal_cells *cells = task->cells;
    const struct edge_parts parts = edge_read(task, a, i, j);
    for (int n = 0; n < parts.count; n++) {
        const int bi = i - (a == 0), bj = j - (a == 1);
        const int64_t *low = owner_of(task, bi, bj, parts.low[n]), *high = owner_of(task, i, j, parts.high[n]);
        const int64_t from = low != NULL ? *low : (int64_t)cell_of(cells, bi, bj),
                      to = high != NULL ? *high : (int64_t)cell_of(cells, i, j);
        int component;
        int64_t at;
        if (from < 0 || to < 0 || from == to) {
            continue;
        }
        const bool touch = edge_between(cells, from, to, &component, &at);
        if (touch && !corners) {
            cells->edge[component][at] += (float)parts.length[n];
        } else if (!touch && corners && llabs(from % cells->nx - to % cells->nx) == 1 &&
                   llabs(from / cells->nx - to / cells->nx) == 1) {
            TRY(link_corner(task, from, to, parts.length[n], error));
        }
    }
    return PW_OK;
}

/* Whether the faces on both sides of the edge that is differenced along axis a at (i, j) are cut, and one is in pieces.
 */
static bool is_settled(const struct piece_task *task, int a, int i, int j)
{
    const size_t cell = cell_of(task->cells, i, j), before = cell_of(task->cells, i - (a == 0), j - (a == 1));
    return (task->lattice->index[cell] >= 0 || task->lattice->index[before] >= 0) &&
           metal_cells_cut(task->cells, i, j) && metal_cells_cut(task->cells, i - (a == 0), j - (a == 1));
}

/* Edges whose faces on both sides are wanted and hold metal are settled by the pieces. */
static pw_status edges_settle(struct piece_task *task, bool corners, pw_error *error)
{
    struct metal_cells *cells = task->cells;
    for (int a = 0; a < 2; a++) {
        for (int j = a == 1; j < cells->ny; j++) {
            const struct marked_row row = row_with_before(task, a, j);
            for (int i = row.first; i < row.end; i++) {
                if (is_settled(task, a, i, j)) {
                    TRY(edge_settle(task, a, i, j, corners, error));
                }
            }
        }
    }
    return PW_OK;
}

/* The parts of edges that the pieces settle anew. */
static void edges_clear(const struct piece_task *task)
{
    struct metal_cells *cells = task->cells;
    for (int a = 0; a < 2; a++) {
        for (int j = a == 1; j < cells->ny; j++) {
            const struct marked_row row = row_with_before(task, a, j);
            for (int i = row.first; i < row.end; i++) {
                if (is_settled(task, a, i, j)) {
                    cells->edge[1 - a][cell_of(cells, i, j)] = 0;
                }
            }
        }
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* The pieces of every face, and the parts of edges as they are before. */
static void faces_read(const struct piece_task *task)
{
    const struct metal_cells *cells = task->cells;
#pragma omp parallel for schedule(dynamic, 4)
    for (int j = 0; j < cells->ny; j++) {
        const struct marked_row row = task->rows[j];
        const bool after = j > 0 && task->rows[j - 1].end > 0;
        for (int i = row.first; i < row.end; i++) {
            const size_t n = cell_of(cells, i, j);
            const int32_t index = task->lattice->index[n];
            if (index >= 0) {
                face_pieces_read(&task->lattice->marks[index], cells->area[n], (int64_t)n, &task->faces[index]);
            }
        }
        for (int c = 0; c < 2 && (row.end > 0 || after); c++) {
            const size_t first = cell_of(cells, 0, j);
            memcpy(task->whole[c] + first, cells->edge[c] + first, (size_t)cells->nx * sizeof *task->whole[c]);
        }
    }
}

static pw_status settle(struct piece_task *task, pw_error *error)
{
    rows_find(task);
    faces_read(task);
    pieces_join(task);
    areas_join(task);
    edges_clear(task);
    TRY(edges_settle(task, false, error));
    return edges_settle(task, true, error);
}

pw_status metal_pieces_settle(const struct metal_lattice *lattice, struct metal_cells *cells, pw_error *error)
{
    const size_t faces = (size_t)cells->nx * (size_t)cells->ny;
    struct piece_task task = {.lattice = lattice, .cells = cells};
    task.faces = allocate((size_t)lattice->count, sizeof *task.faces, "metal", error);
    task.whole[0] = allocate(faces, sizeof *task.whole[0], "metal", error);
    task.whole[1] = allocate(faces, sizeof *task.whole[1], "metal", error);
    task.rows = allocate((size_t)cells->ny, sizeof *task.rows, "metal", error);
    cells->split = allocate(faces, sizeof *cells->split, "metal", error);
    pw_status status = task.faces != NULL && task.whole[0] != NULL && task.whole[1] != NULL && task.rows != NULL &&
                               cells->split != NULL
                           ? settle(&task, error)
                           : PW_NO_RESOURCE;
    FREE_ALL(task.faces, task.whole[0], task.whole[1], task.rows);
    return status;
}
