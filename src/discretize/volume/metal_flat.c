/* See metal_flat.h. The middle of a face lies d cells from flat metal, its area is d + 1/2, and so are its edges across
 * the metal; that is right for long waves. There differences are short, so that a wave along the metal is slower than
 * elsewhere: at 6.5 cells a wavelength the row of faces guides a wave of its own. So three numbers of the face are
 * chosen anew at the band's centre: its area, its two edges across the metal, and the edge on its free side.
 *
 * A wave along the metal, constant across it, is to have the speed that it has elsewhere: this is the ratio of the
 * edges to the area. What cos(q d) leaves of the equations across, for waves that meet the metal at 20 and at 60
 * degrees, is to make no other wave: with A the operator of the first faces, u = cos(q d) and r = A u, S = u r - r A^-1
 * r is to be zero. q times S is by how much the phase of the reflected wave is off. */
#include "discretize/volume/metal_flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ANGLES = 2, FIRST = REACH_LIMIT + 2, FACES = FIRST + REACH_LIMIT + 1, PASSES = 20 };

/* Of the wave to the normal of the metal. */
static const double ANGLE[ANGLES] = {20 * M_PI / 180, 60 * M_PI / 180};
/* An edge that is so much longer or shorter than the area belongs to no flat metal; cells. */
static const double FLAT = 0.002;
/* Areas for which the numbers are chosen, and the longest waves for which they need not be. */
static const double AREA_LEAST = 0.3, AREA_MOST = 1.55, TURN_MOST = 1.3;

/* Corners of metal, but for ends of sheets: how far from pi their openings are at least, their largest opening, and the
 * cells from them within which nothing is changed. Nearer to them (2.5 cells) large blocks would be better, and a box
 * of sheets with a resonance worse. */
static const double CORNER_LEAST = 0.1, CORNER_MOST = 1.9 * M_PI, CORNER_FAR = 8;

struct flat_numbers {
    double area, free, across; /* in units of d + 1/2, 1, d + 1/2 */
};

struct flat_task {
    struct setup *setup;
    struct metal_cells *cells;
    const struct metal_list *list;
    const struct metal_edges *edges;
    double turn, limit;
    struct flat_known {
        double turn, d;
        bool good;
        struct flat_numbers numbers;
    } known[8]; /* the last that were chosen: along a wall they are the same ones */
    int next;
    uint8_t *flat;                /* (ny, nx), owned: 1 + 2 axis + side of a face along flat metal */
    struct flat_numbers *numbers; /* (ny, nx), owned */
};

/* ---- one dimension ----------------------------------------------------------------------------------------------- */

/* A wave before metal. */
struct flat_wave {
    double across, square, along; /* q; squares of the symbols: across, and of the short difference along */
    double total;                 /* square of k as time steps have it */
};

static struct flat_wave wave_at(const struct flat_task *task, double turn, double angle)
{
    const struct stencil *stencil = &task->setup->stencil;
    const double direction[3] = {cos(angle), sin(angle), 0};
    const double wave = stencil_wave_number_along(stencil, 1, turn, direction);
    const double first = stencil->difference[0] * task->list->polynomial[0];
    const double across = wave * direction[0], symbol = 2 * stencil_symbol(stencil, across);
    const double along = 2 * first * sin(0.5 * wave * direction[1]);
    return (struct flat_wave){across, symbol * symbol, along * along, turn * turn};
}

/* The scheme's difference between faces f - 1 and f of a line whose first face is beside metal; row[FACES]. */
static void difference(const struct flat_task *task, int f, double row[FACES])
{
    double value[WINDOW] = {0}, open[WINDOW + 1];
    for (int w = 0; w <= WINDOW; w++) {
        open[w] = f - REACH_LIMIT + w >= 2 ? 1 : 0;
    }
    value[REACH_LIMIT] = 1;
    value[REACH_LIMIT - 1] = -1;
    metal_line_smooth(task->list, open, value);
    memset(row, 0, FACES * sizeof *row);
    for (int w = 0; w < WINDOW; w++) {
        const int at = f - REACH_LIMIT + w;
        if (at >= 0 && at < FACES) {
            row[at] = value[w] * task->setup->stencil.difference[0];
        }
    }
}

/* Solves matrix x = right; false: it is singular. */
static bool solve(double matrix[FIRST][FIRST], double right[FIRST])
{
    for (int c = 0; c < FIRST; c++) {
        if (fabs(matrix[c][c]) < 1e-9) {
            return false;
        }
        for (int r = 0; r < FIRST; r++) {
            const double factor = r == c ? 0 : matrix[r][c] / matrix[c][c];
            for (int k = c; k < FIRST && factor != 0; k++) {
                matrix[r][k] -= factor * matrix[c][k];
            }
            right[r] -= factor * right[c];
        }
    }
    for (int c = 0; c < FIRST; c++) {
        right[c] /= matrix[c][c];
    }
    return true;
}

/* S over q, of metal d cells from the first face. NAN: it cannot be told. */
static double phase_of(const struct flat_task *task, const struct flat_wave *wave, double d,
                       const struct flat_numbers *numbers)
{
    double matrix[FIRST][FIRST] = {{0}}, rest[FIRST] = {0}, answer[FIRST], u[FACES], sum = 0;
    for (int f = 0; f < FACES; f++) {
        u[f] = cos(wave->across * (d + f));
    }
    for (int f = 1; f < FIRST + REACH_LIMIT; f++) {
        double row[FACES], flux = 0;
        difference(task, f, row);
        for (int n = 0; n < FACES; n++) {
            flux += row[n] * u[n];
        }
        const double length = f == 1 ? numbers->free : 1;
        for (int n = 0; n < FIRST; n++) {
            rest[n] += length * row[n] * flux;
            for (int m = 0; m < FIRST; m++) {
                matrix[n][m] += length * row[n] * row[m];
            }
        }
    }
    for (int n = 0; n < FIRST; n++) {
        const double square =
            n == 0 ? (d + 0.5) * (numbers->area * wave->total - numbers->across * wave->along) : wave->square;
        matrix[n][n] -= square;
        rest[n] -= square * u[n];
        answer[n] = rest[n];
    }
    if (!solve(matrix, answer)) {
        return NAN;
    }
    for (int n = 0; n < FIRST; n++) {
        sum += (u[n] - answer[n]) * rest[n];
    }
    return sum / wave->across;
}

/* Newton's steps. False: none that are of use. */
static bool choose(const struct flat_task *task, double turn, double d, struct flat_numbers *numbers)
{
    static const double SMALL = 1e-4, STEP = 0.1;
    const struct flat_wave along = wave_at(task, turn, 0.5 * M_PI);
    const double ratio = along.total / along.along;
    struct flat_wave wave[ANGLES];
    double off[ANGLES];
    for (int a = 0; a < ANGLES; a++) {
        wave[a] = wave_at(task, turn, ANGLE[a]);
    }
    *numbers = (struct flat_numbers){ratio, 1.28 - 0.3 * fmax(d, 0), ratio * ratio};
    for (int pass = 0; pass < PASSES; pass++) {
        double slope[ANGLES][2];
        for (int a = 0; a < ANGLES; a++) {
            const struct flat_numbers area = {numbers->area + SMALL, numbers->free, ratio * (numbers->area + SMALL)},
                                      edge = {numbers->area, numbers->free + SMALL, numbers->across};
            off[a] = phase_of(task, &wave[a], d, numbers);
            slope[a][0] = (phase_of(task, &wave[a], d, &area) - off[a]) / SMALL;
            slope[a][1] = (phase_of(task, &wave[a], d, &edge) - off[a]) / SMALL;
        }
        const double det = slope[0][0] * slope[1][1] - slope[0][1] * slope[1][0];
        const double area = (off[1] * slope[0][1] - off[0] * slope[1][1]) / det,
                     edge = (off[0] * slope[1][0] - off[1] * slope[0][0]) / det;
        if (!isfinite(area) || !isfinite(edge)) {
            return false;
        }
        numbers->area += fmin(fmax(area, -STEP), STEP);
        numbers->free += fmin(fmax(edge, -STEP), STEP);
        numbers->across = ratio * numbers->area;
    }
    return fabs(off[0]) < 1e-3 && fabs(off[1]) < 1e-3 && numbers->area > 0.8 && numbers->area < 1.3 &&
           numbers->free > 0.7 && numbers->free < 1.6;
}

static bool choose_once(struct flat_task *task, double turn, double d, struct flat_numbers *numbers)
{
    for (int n = 0; n < 8; n++) {
        if (task->known[n].turn == turn && task->known[n].d == d) {
            *numbers = task->known[n].numbers;
            return task->known[n].good;
        }
    }
    const bool good = choose(task, turn, d, numbers);
    task->known[task->next++ % 8] = (struct flat_known){turn, d, good, *numbers};
    return good;
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

static size_t node_of(const struct flat_task *task, int i, int j)
{
    return (size_t)j * (size_t)task->cells->nx + (size_t)i;
}

/* The edge across axis a on a side of a face. */
static float *edge_at(const struct flat_task *task, int a, int i, int j, int side)
{
    return &task->cells->edge[1 - a][node_of(task, i + (a == 0 ? side : 0), j + (a == 1 ? side : 0))];
}

static double permittivity_at(const struct flat_task *task, int a, int i, int j, int side)
{
    const struct problem *problem = &task->setup->problem;
    const uint16_t entry = problem_coefficient_at(problem, 1 - a, i + (a == 0 ? side : 0), j + (a == 1 ? side : 0), 0);
    return problem_coefficient(problem, 0)[COEFFICIENT_CB] / problem_coefficient(problem, entry)[COEFFICIENT_CB];
}

/* Whether a face lies along flat metal on a side across axis a. */
static bool is_flat(const struct flat_task *task, int a, int i, int j, int side)
{
    const double area = task->cells->area[node_of(task, i, j)];
    const int out = side == 1 ? -1 : 1;
    const size_t next = node_of(task, i + (a == 0 ? out : 0), j + (a == 1 ? out : 0));
    return area > AREA_LEAST && area < AREA_MOST && *edge_at(task, a, i, j, side) == 0 &&
           *edge_at(task, a, i, j, 1 - side) == 1 && fabs(*edge_at(task, 1 - a, i, j, 0) - area) < FLAT &&
           fabs(*edge_at(task, 1 - a, i, j, 1) - area) < FLAT && task->cells->area[next] == 1 &&
           !task->cells->split[next];
}

static bool is_linked(const struct flat_task *task, int64_t face)
{
    bool linked = false;
    for (int64_t l = 0; l < task->cells->link_count && !linked; l++) {
        const int64_t *of = task->cells->links[l].face;
        linked = of[0] == face || of[1] == face || of[2] == face;
    }
    return linked;
}

/* Corners have no numbers of their own: near them those of flat metal may be worse than none. */
static bool is_near_corner(const struct flat_task *task, int i, int j)
{
    bool near = false;
    for (int64_t c = 0; c < task->edges->corner_count && !near; c++) {
        const struct metal_corner *own = &task->edges->corners[c];
        near = fabs(own->opening - M_PI) > CORNER_LEAST && own->opening < CORNER_MOST &&
               hypot(own->at.x - i - 0.5, own->at.y - j - 0.5) < CORNER_FAR;
    }
    return near;
}

static void face_find(struct flat_task *task, int i, int j)
{
    const size_t n = node_of(task, i, j);
    for (int way = 0; way < 4; way++) {
        const int a = way / 2, side = way % 2;
        if (!is_flat(task, a, i, j, side) || is_linked(task, (int64_t)n) || is_near_corner(task, i, j)) {
            continue;
        }
        const double area = task->cells->area[n], permittivity = permittivity_at(task, a, i, j, 1 - side),
                     turn = task->turn * sqrt(permittivity);
        struct flat_numbers *numbers = &task->numbers[n];
        const double other[2] = {permittivity_at(task, 1 - a, i, j, 0), permittivity_at(task, 1 - a, i, j, 1)};
        if (turn < TURN_MOST && fabs(other[0] - permittivity) < 0.05 * permittivity &&
            fabs(other[1] - permittivity) < 0.05 * permittivity && choose_once(task, turn, area - 0.5, numbers) &&
            2 * area * numbers->across + numbers->free <= 4 * task->limit * area * numbers->area) {
            task->flat[n] = (uint8_t)(1 + way);
        }
    }
}

static void face_take(const struct flat_task *task, int i, int j)
{
    const size_t n = node_of(task, i, j);
    const int way = task->flat[n] - 1, a = way / 2, side = way % 2;
    if (way < 0) {
        return;
    }
    const struct flat_numbers *numbers = &task->numbers[n];
    const size_t after = a == 0 ? n + (size_t)task->cells->nx : n + 1;
    task->cells->area[n] *= (float)numbers->area;
    task->cells->split[n] = 1;
    *edge_at(task, a, i, j, 1 - side) *= (float)numbers->free;
    if (task->flat[after] == task->flat[n]) {
        *edge_at(task, 1 - a, i, j, 1) *= (float)numbers->across;
    }
}

pw_status metal_flat_settle(struct setup *setup, const struct metal_list *list, const struct metal_edges *edges,
                            double turn, double limit, pw_error *error)
{
    struct flat_task task = {
        .setup = setup, .cells = &setup->metal, .list = list, .edges = edges, .turn = turn, .limit = limit};
    const struct metal_cells *cells = &setup->metal;
    const size_t faces = (size_t)cells->nx * (size_t)cells->ny;
    task.flat = allocate(faces, sizeof *task.flat, "flat metal", error);
    task.numbers = allocate(faces, sizeof *task.numbers, "flat metal", error);
    pw_status status = task.flat != NULL && task.numbers != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int pass = 0; pass < 2 && status == PW_OK; pass++) {
        for (int j = 1; j < cells->ny - 1; j++) {
            for (int i = 1; i < cells->nx - 1; i++) {
                if (metal_cells_cut(cells, i, j)) {
                    pass == 0 ? face_find(&task, i, j) : face_take(&task, i, j);
                }
            }
        }
    }
    free(task.flat);
    free(task.numbers);
    return status;
}
