/* A line of nodes across a wall (wall_line.h). A node E(i) of a wave that goes as exp(-j k y sin) along the wall obeys
 *     sum over taps of r(m) E(i+m) + ((k cell)^2 eps(i) - a) E(i) = 0,        a = 4 S(k cell sin)^2
 * with r the Laplacian's taps and S the stencil's symbol. Beyond the nodes there is air. */
#include "discretize/forecast/wall_line.h"

#include "base/constants.h"
#include "medium/raster.h"
#include "problem/grid_medium.h"

#include <math.h>
#include <string.h>

enum {
    NODES_MOST = 160,
    SIZE = NODES_MOST + 2,
    BAND = LAPLACIAN_LIMIT,
    WIDTH = 3 * BAND + 1,
    ANGLES = 5,
    FREQUENCIES = 3,
    PLACES = 4
};

static const double DEGREES[ANGLES] = {0, 15, 30, 45, 60};

/* ---- the line ---- */

/* A row of the banded system begins at column `row` - BAND. Unknown 0 is what goes back, the last what goes on. */
struct banded {
    int size;
    double complex matrix[SIZE][WIDTH], right[SIZE];
};

/* Phase across of the grid's wave, by halving; NAN: none runs. */
static double turn_across(const struct stencil *stencil, double wanted)
{
    double low = 0, high = 2;
    if (!(wanted > 0) || stencil_symbol(stencil, high) < wanted) {
        return NAN;
    }
    for (int n = 0; n < 60; n++) {
        const double middle = 0.5 * (low + high);
        *(stencil_symbol(stencil, middle) < wanted ? &low : &high) = middle;
    }
    return low;
}

static void banded_put(struct banded *banded, int row, int column, double complex weight)
{
    banded->matrix[row][column - row + BAND] += weight;
}

static void rows_swap(struct banded *banded, int a, int b)
{
    const double complex right = banded->right[a];
    banded->right[a] = banded->right[b];
    banded->right[b] = right;
    for (int c = a; c <= a + 2 * BAND && c < banded->size; c++) {
        const double complex keep = banded->matrix[a][c - a + BAND];
        banded->matrix[a][c - a + BAND] = banded->matrix[b][c - b + BAND];
        banded->matrix[b][c - b + BAND] = keep;
    }
}

/* Gauss with the largest pivot of a column; the right side becomes the solution. */
static void banded_solve(struct banded *banded)
{
    for (int p = 0; p < banded->size; p++) {
        const int last = p + BAND < banded->size - 1 ? p + BAND : banded->size - 1;
        int best = p;
        for (int r = p; r <= last; r++) {
            best = cabs(banded->matrix[r][p - r + BAND]) > cabs(banded->matrix[best][p - best + BAND]) ? r : best;
        }
        if (best != p) {
            rows_swap(banded, p, best);
        }
        for (int r = p + 1; r <= last; r++) {
            const double complex factor = banded->matrix[r][p - r + BAND] / banded->matrix[p][BAND];
            for (int c = p; c <= p + 2 * BAND && c < banded->size && factor != 0; c++) {
                banded->matrix[r][c - r + BAND] -= factor * banded->matrix[p][c - p + BAND];
            }
            banded->right[r] -= factor * banded->right[p];
        }
    }
    for (int p = banded->size - 1; p >= 0; p--) {
        for (int c = p + 1; c <= p + 2 * BAND && c < banded->size; c++) {
            banded->right[p] -= banded->matrix[p][c - p + BAND] * banded->right[c];
        }
        banded->right[p] /= banded->matrix[p][BAND];
    }
}

double complex wall_line_through(const struct stencil *stencil, double turn, double sine, int count,
                                 const double complex *permittivity)
{
    const double along = stencil_symbol(stencil, turn * sine), half = 0.5 * turn,
                 phase = turn_across(stencil, sqrt(fmax(half * half - along * along, 0)));
    struct banded line;
    line.size = count + 2;
    if (count > NODES_MOST || isnan(phase)) {
        return NAN;
    }
    for (int row = 0; row < line.size; row++) {
        const int node = row - 1;
        const double complex e = node >= 0 && node < count ? permittivity[node] : 1;
        memset(line.matrix[row], 0, sizeof line.matrix[row]);
        line.right[row] = 0;
        for (int m = 1 - 2 * stencil->reach; m < 2 * stencil->reach; m++) {
            const double complex weight = m == 0 ? stencil->centre + turn * turn * e - 4 * along * along
                                                 : stencil->laplacian[(m < 0 ? -m : m) - 1];
            const int at = node + m;
            if (at < 0) {
                banded_put(&line, row, 0, weight * cexp(I * phase * at));
                line.right[row] -= weight * cexp(-I * phase * at);
            } else if (at >= count) {
                banded_put(&line, row, count + 1, weight * cexp(-I * phase * (at - count)));
            } else {
                banded_put(&line, row, at + 1, weight);
            }
        }
    }
    banded_solve(&line);
    return line.right[line.size - 1];
}

/* ---- the wall ---- */

double complex wall_through(const struct layered_wall *wall, double frequency, double sine)
{
    const double omega = 2 * M_PI * frequency, across = sqrt(1 - sine * sine);
    double complex a = 1, b = 0, c = 0, d = 1;
    for (int l = 0; l < wall->count; l++) {
        const double complex index = csqrt(wall->permittivity[l] -
                                           I * wall->conductivity[l] / (omega * FREE_SPACE_PERMITTIVITY) - sine * sine),
                             turns = omega / SPEED_OF_LIGHT * wall->thickness[l] * index, cosine = ccos(turns),
                             inner = I * csin(turns), a0 = a, c0 = c;
        a = a0 * cosine + b * index * inner;
        b = a0 * inner / index + b * cosine;
        c = c0 * cosine + d * index * inner;
        d = c0 * inner / index + d * cosine;
    }
    return 2 / (a + b * across + c / across + d);
}

double wall_loss(const struct layered_wall *wall, const struct wall_grid *grid)
{
    return -20 * log10(cabs(wall_through(wall, grid->centre, 0)));
}

/* ---- both ---- */

static double wall_thickness(const struct layered_wall *wall)
{
    double sum = 0;
    for (int l = 0; l < wall->count; l++) {
        sum += wall->thickness[l];
    }
    return sum;
}

/* Nodes before and behind the wall that averaging reaches. */
static int margin_of(const struct wall_grid *grid)
{
    return (int)ceil(grid->weight->reach) + 1;
}

/* No average is less (raster.h). */
static double least_of(const struct layered_wall *wall, const struct wall_grid *grid)
{
    double densest = 1;
    for (int l = 0; l < wall->count; l++) {
        densest = fmax(densest, wall->permittivity[l]);
    }
    return fmax(LEAST_PERMITTIVITY, 1 + grid->weight->lobe * (1 - grid->weight->lobe) * (densest - 1));
}

/* The medium at a node, as averaging leaves it (raster.h): permittivity by the weight, conductivity by the cell. The
 * wall begins at `low`, in cells from the node. */
static double complex node_of(const struct layered_wall *wall, const struct wall_grid *grid, double low, double least)
{
    const double turn = 2 * M_PI * grid->centre / SPEED_OF_LIGHT * grid->cell,
                 unit = 2 * M_PI * grid->centre * FREE_SPACE_PERMITTIVITY;
    double more = 0, squares = 0, loss = 0;
    for (int l = 0; l < wall->count; l++) {
        const double high = low + wall->thickness[l] / grid->cell, e = wall->permittivity[l] - 1,
                     box = grid->by_points ? 0 >= low && 0 < high
                                           : fmin(fmax(high + 0.5, 0), 1) - fmin(fmax(low + 0.5, 0), 1),
                     part = grid->by_points ? box
                                            : weight_integral(grid->weight, high) - weight_integral(grid->weight, low);
        more += part * e;
        squares += part * e * e;
        loss += box * wall->conductivity[l] / unit;
        low = high;
    }
    more += grid->variance ? turn * turn / (M_PI * M_PI) * (squares - more * more) : 0;
    double permittivity = fmax(1 + more, least);
    if (!grid->as_drawn) {
        grid_medium(grid->stencil, turn, &permittivity, &loss);
    }
    return permittivity - I * loss;
}

/* Squares of the error [dB] over the angles, and the sum of the errors. */
static void errors_add(const struct layered_wall *wall, const struct wall_grid *grid, double place, double *squares,
                       double *sum)
{
    const int count = (int)ceil(wall_thickness(wall) / grid->cell) + 2 * margin_of(grid) + 1;
    const double least = least_of(wall, grid);
    double complex node[NODES_MOST], there[NODES_MOST];
    if (count > NODES_MOST) {
        return;
    }
    for (int n = 0; n < count; n++) {
        node[n] = node_of(wall, grid, margin_of(grid) + place - n, least);
    }
    for (int a = 0; a < ANGLES; a++) {
        const double sine = sin(DEGREES[a] * M_PI / 180);
        double found = 0, right = 0;
        for (int f = 0; f < FREQUENCIES; f++) {
            const double frequency = grid->centre + 0.5 * (f - 1) * grid->width;
            for (int n = 0; n < count; n++) {
                there[n] = creal(node[n]) + I * cimag(node[n]) * grid->centre / frequency;
            }
            const double turn = 2 * M_PI * frequency / SPEED_OF_LIGHT * grid->cell,
                         field = cabs(wall_line_through(grid->stencil, turn, sine, count, there)),
                         exact = cabs(wall_through(wall, frequency, sine));
            found += field * field;
            right += exact * exact;
        }
        const double error = 10 * log10(found / right);
        *squares += isfinite(error) ? error * error : 0;
        *sum += isfinite(error) ? error : 0;
    }
}

double wall_line_error(const struct layered_wall *wall, const struct wall_grid *grid, double place)
{
    const int places = place < 0 ? PLACES : 1;
    double squares = 0, sum = 0;
    for (int p = 0; p < places; p++) {
        errors_add(wall, grid, place < 0 ? (double)p / PLACES : place, &squares, &sum);
    }
    return copysign(sqrt(squares / (places * ANGLES)), sum);
}
