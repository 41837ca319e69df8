/* A line of nodes across a wall (open_line.h). A node E(i) of a wave that goes as exp(-j k y sin) along the wall obeys
 *     sum over taps of r(m) E(i+m) + ((k cell)^2 eps(i) - a) E(i) = 0,        a = 4 S(k cell sin)^2
 * r the Laplacian's taps and S the stencil's symbol. The staggered grid has E and H. With q = k cell they obey
 *     (q eps - a/q) E + D^T H = 0        D E + q H = 0                         of E along the sheet
 *     q eps E + D^T H = 0                D E + (q - a/(q eps_n)) H = 0         of H along it, eps_n that of E across
 * D is the difference of the scheme. Beside the sheet its wide parts do not cross the sheet's node
 * (discretize/volume/metal_lines.h). */
#include "medium/sheet/open_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double LINE_ANGLE[LINE_ANGLES] = {0, 0.2618, 0.5236, 0.7854, 1.0472, 1.2217}; /* 0 to 70 degrees */

/* The staggered line has two unknowns a node, and half the pad. */
enum {
    RIGHT_SIDES = 2 + LINE_PLACES,
    PAD = 4 * REACH_LIMIT,
    SIZE = 2 * LAW_WINDOW + 2 * PAD + 2,
    TAPS = 2 * REACH_LIMIT,
};

struct line_system {
    int pad, nodes; /* free nodes before the window; all that are unknowns, of the staggered line E and H in turn */
    int place[LINE_PLACES]; /* the law's among the unknowns */
    int places;
    double turn;
    double complex matrix[SIZE][SIZE], right[SIZE][RIGHT_SIDES];
};

/* Unknown `nodes` is the wave that leaves to the left, `nodes` + 1 the one to the right; the waves that come are known.
 */
static void put(struct line_system *system, int row, int node, double complex weight)
{
    const double complex phase = cexp(I * system->turn * (node - system->pad));
    if (node < 0) {
        system->matrix[row][system->nodes] += weight * phase;
        system->right[row][0] -= weight / phase;
    } else if (node >= system->nodes) {
        system->matrix[row][system->nodes + 1] += weight / phase;
        system->right[row][1] -= weight * phase;
    } else {
        system->matrix[row][node] += weight;
    }
}

static void system_fill(const struct sheet_question *question, double along, struct line_system *system)
{
    const struct stencil *stencil = question->stencil;
    const double square = question->turn * question->turn;
    system->pad = 4 * stencil->reach;
    system->nodes = LAW_WINDOW + 2 * system->pad;
    system->places = LAW_NODES;
    for (int n = 0; n < LAW_NODES; n++) {
        system->place[n] = system->pad + LAW_BEFORE - 1 + n;
    }
    for (int row = 0; row < system->nodes + 2; row++) {
        const int node = row - 1, window = node - system->pad;
        double complex permittivity = 1;
        if (window >= 0 && window < LAW_WINDOW) {
            permittivity = question->permittivity[window] - I * question->loss[window];
        }
        put(system, row, node, stencil->centre + square * permittivity - 4 * along * along);
        for (int m = 1; m < 2 * stencil->reach; m++) {
            put(system, row, node - m, stencil->laplacian[m - 1]);
            put(system, row, node + m, stencil->laplacian[m - 1]);
        }
        const int law = window - (LAW_BEFORE - 1);
        if (law >= 0 && law < LAW_NODES) {
            system->right[row][2 + law] = -1;
        }
    }
}

/* ---- the staggered line ------------------------------------------------------------------------------------------ */

/* Whether no wide part of a difference crosses a node, `window` of the question: a sheet's. */
static bool is_closed(const struct sheet_question *question, int window)
{
    bool closed = window == LAW_BEFORE;
    for (int n = 0; n < question->closed_count; n++) {
        closed = closed || window == question->closed[n];
    }
    return closed;
}

/* What H at place node + 1/2 has of E at nodes node + 1 - REACH_LIMIT .. node + REACH_LIMIT; `pad` nodes stand before
 * the window. */
static void difference_find(const struct sheet_question *question, int pad, int node, double tap[TAPS])
{
    const struct stencil *stencil = question->stencil;
    enum { AROUND = 2 * REACH_LIMIT + 1 }; /* places of H, from node - REACH_LIMIT on */
    double polynomial[REACH_LIMIT], sum[AROUND] = {0}, next[AROUND];
    stencil_polynomial(stencil->difference, stencil->reach, polynomial);
    sum[REACH_LIMIT] = polynomial[stencil->reach - 1];
    for (int m = stencil->reach - 2; m >= 0; m--) {
        for (int w = 0; w < AROUND; w++) {
            const int left = node - REACH_LIMIT + w; /* the node before the place */
            const double low = w > 0 ? sum[w - 1] : 0, high = w + 1 < AROUND ? sum[w + 1] : 0;
            next[w] = (is_closed(question, left - pad) ? 0 : sum[w] - low) +
                      (is_closed(question, left + 1 - pad) ? 0 : sum[w] - high) +
                      (w == REACH_LIMIT ? polynomial[m] : 0);
        }
        memcpy(sum, next, sizeof sum);
    }
    for (int t = 0; t < TAPS; t++) {
        tap[t] = sum[t] - sum[t + 1];
    }
}

/* As put(), of unknown `at`: E of node at/2, or H of the place behind it, whose waves have `admittance` times E. */
static void put_staggered(struct line_system *system, int row, int at, double complex admittance, double complex weight)
{
    const bool magnetic = at % 2 != 0;
    const double complex phase = cexp(0.5 * I * system->turn * (at - 2 * system->pad)),
                         right = magnetic ? admittance : 1, left = magnetic ? -admittance : 1;
    if (at < 0) {
        system->matrix[row][system->nodes] += weight * left * phase;
        system->right[row][0] -= weight * right / phase;
    } else if (at >= system->nodes) {
        system->matrix[row][system->nodes + 1] += weight * right / phase;
        system->right[row][1] -= weight * left * phase;
    } else {
        system->matrix[row][at] += weight;
    }
}

static double complex window_value(const double *real, const double *loss, int n)
{
    return n >= 0 && n < LAW_WINDOW ? real[n] - I * loss[n] : 1;
}

static void staggered_fill(const struct sheet_question *question, enum line_fields fields, double along,
                           struct line_system *system)
{
    const struct stencil *stencil = question->stencil;
    const double turn = question->turn, square = 4 * along * along;
    const double own = fields == LINE_MAGNETIC ? turn - square / turn : turn;
    const double complex admittance = 2 * I * stencil_symbol(stencil, system->turn) / own;
    system->pad = 2 * stencil->reach;
    system->nodes = 2 * (LAW_WINDOW + 2 * system->pad) - 1;
    system->places = LINE_PLACES;
    const int centre = system->pad + LAW_BEFORE,
              place[LINE_PLACES] = {2 * centre - 2, 2 * centre, 2 * centre + 2, 2 * centre - 1, 2 * centre + 1};
    memcpy(system->place, place, sizeof place);
    for (int row = 0; row < system->nodes + 2; row++) {
        const int at = row - 1, node = at < 0 ? -1 : at / 2, window = node - system->pad;
        double tap[TAPS];
        if (at % 2 == 0) {
            const double complex permittivity = window_value(question->permittivity, question->loss, window);
            put_staggered(system, row, at, admittance,
                          turn * permittivity - (fields == LINE_ELECTRIC ? square / turn : 0));
            for (int h = node - stencil->reach; h < node + stencil->reach; h++) {
                difference_find(question, system->pad, h, tap);
                put_staggered(system, row, 2 * h + 1, admittance, tap[node - h - 1 + REACH_LIMIT]);
            }
        } else {
            const double complex normal = window_value(question->normal, question->normal_loss, window);
            put_staggered(system, row, at, admittance, turn - (fields == LINE_MAGNETIC ? square / (turn * normal) : 0));
            difference_find(question, system->pad, node, tap);
            for (int t = 0; t < TAPS; t++) {
                put_staggered(system, row, 2 * (node + 1 - REACH_LIMIT + t), admittance, tap[t]);
            }
        }
        for (int n = 0; n < LINE_PLACES; n++) {
            system->right[row][2 + n] = at == place[n] ? -1 : 0;
        }
    }
}

/* ---- solution ---------------------------------------------------------------------------------------------------- */

static void rows_swap(struct line_system *system, int a, int b)
{
    for (int c = 0; c < system->nodes + 2; c++) {
        const double complex keep = system->matrix[a][c];
        system->matrix[a][c] = system->matrix[b][c];
        system->matrix[b][c] = keep;
    }
    for (int c = 0; c < RIGHT_SIDES; c++) {
        const double complex keep = system->right[a][c];
        system->right[a][c] = system->right[b][c];
        system->right[b][c] = keep;
    }
}

/* Elimination with the largest pivot of a column; the right sides become the solutions. */
static void system_solve(struct line_system *system)
{
    const int size = system->nodes + 2;
    for (int p = 0; p < size; p++) {
        int largest = p;
        for (int r = p + 1; r < size; r++) {
            largest = cabs(system->matrix[r][p]) > cabs(system->matrix[largest][p]) ? r : largest;
        }
        rows_swap(system, p, largest);
        for (int r = 0; r < size; r++) {
            const double complex factor = system->matrix[r][p] / system->matrix[p][p];
            if (r == p || factor == 0) {
                continue;
            }
            for (int c = p; c < size; c++) {
                system->matrix[r][c] -= factor * system->matrix[p][c];
            }
            for (int c = 0; c < RIGHT_SIDES; c++) {
                system->right[r][c] -= factor * system->right[p][c];
            }
        }
    }
    for (int p = 0; p < size; p++) {
        for (int c = 0; c < RIGHT_SIDES; c++) {
            system->right[p][c] /= system->matrix[p][p];
        }
    }
}

static void solutions_take(const struct line_system *system, struct open_line *line)
{
    for (int s = 0; s < 2 + system->places; s++) {
        const double complex left = system->right[system->nodes][s], right = system->right[system->nodes + 1][s];
        *(s < 2 ? &line->left[s] : &line->source_left[s - 2]) = left;
        *(s < 2 ? &line->right[s] : &line->source_right[s - 2]) = right;
        for (int n = 0; n < system->places; n++) {
            *(s < 2 ? &line->field[s][n] : &line->source_field[s - 2][n]) = system->right[system->place[n]][s];
        }
    }
}

pw_status open_line_create(const struct sheet_question *question, enum line_fields fields, double angle,
                           struct open_line *line, pw_error *error)
{
    const double along = stencil_symbol(question->stencil, question->turn * sin(angle)), half = 0.5 * question->turn;
    const double turn = stencil_phase(question->stencil, sqrt(fmax(0, half * half - along * along)));
    FAIL_IF(!isfinite(turn), error, PW_BAD_INPUT, "waves do not run on this grid: take smaller cells");
    struct line_system *system = allocate(1, sizeof *system, "the law of thin layers", error);
    TRY_MADE(system);
    system->turn = turn;
    if (fields == LINE_LEVEL) {
        system_fill(question, along, system);
    } else {
        staggered_fill(question, fields, along, system);
    }
    system_solve(system);
    *line = (struct open_line){.turn = turn, .along = 4 * along * along, .places = system->places};
    solutions_take(system, line);
    free(system);
    return PW_OK;
}

/* What is added acts as sources: field = field without + sum of source fields times added times field. */
struct line_waves open_line_waves(const struct open_line *line, const double complex *added)
{
    const int places = line->places;
    double complex matrix[LINE_PLACES][LINE_PLACES], field[LINE_PLACES][2];
    for (int n = 0; n < places; n++) {
        for (int m = 0; m < places; m++) {
            matrix[n][m] = (n == m) - line->source_field[m][n] * added[m];
        }
        field[n][0] = line->field[0][n];
        field[n][1] = line->field[1][n];
    }
    for (int p = 0; p < places; p++) {
        for (int r = 0; r < places; r++) {
            const double complex factor = r == p ? 0 : matrix[r][p] / matrix[p][p];
            for (int c = p; c < places && r != p; c++) {
                matrix[r][c] -= factor * matrix[p][c];
            }
            field[r][0] -= factor * field[p][0];
            field[r][1] -= factor * field[p][1];
        }
    }
    struct line_waves waves = {line->right[0], line->left[0], line->right[1]};
    for (int n = 0; n < places; n++) {
        const double complex of_left = added[n] * field[n][0] / matrix[n][n],
                             of_right = added[n] * field[n][1] / matrix[n][n];
        waves.through += line->source_right[n] * of_left;
        waves.back += line->source_left[n] * of_left;
        waves.behind += line->source_right[n] * of_right;
    }
    return waves;
}
