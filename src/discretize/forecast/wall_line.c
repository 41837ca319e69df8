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
    PLACES = 4,
    CENTRE = 1
};

static const double DEGREES[ANGLES] = {0, 15, 30, 45, 60};

/* ---- the line ---- */

/* A row of the banded system begins at column `row` - BAND. Unknown 0 is what goes back, the last what goes on. */
struct banded {
    int size;
    double complex matrix[SIZE][WIDTH], right[SIZE];
};

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
                 phase = stencil_phase(stencil, sqrt(fmax(half * half - along * along, 0)));
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

double complex wall_through(const struct layered_wall *wall, const struct wall_grid *grid, int f, double sine)
{
    const double wave_number = 2 * M_PI * wall_frequency(grid, f) / SPEED_OF_LIGHT, across = sqrt(1 - sine * sine);
    double complex a = 1, b = 0, c = 0, d = 1;
    for (int l = 0; l < wall->count; l++) {
        const double complex index = csqrt(wall->permittivity[l][f] - sine * sine),
                             turns = wave_number * wall->thickness[l] * index, cosine = ccos(turns),
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
    return -20 * log10(cabs(wall_through(wall, grid, CENTRE, 0)));
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
        densest = fmax(densest, creal(wall->permittivity[l][CENTRE]));
    }
    return fmax(LEAST_PERMITTIVITY, 1 + grid->weight->lobe * (1 - grid->weight->lobe) * (densest - 1));
}

/* The medium at a node at frequency number f, as averaging leaves it (raster.h): permittivity by the weight, what
 * conducts by the cell. The wall begins at `low`, in cells from the node. */
static double complex node_of(const struct layered_wall *wall, const struct wall_grid *grid, int f, double low)
{
    const double turn = 2 * M_PI * grid->centre / SPEED_OF_LIGHT * grid->cell;
    double more = 0, squares = 0, loss = 0;
    for (int l = 0; l < wall->count; l++) {
        const double high = low + wall->thickness[l] / grid->cell, e = creal(wall->permittivity[l][f]) - 1,
                     box = grid->by_points ? 0 >= low && 0 < high
                                           : fmin(fmax(high + 0.5, 0), 1) - fmin(fmax(low + 0.5, 0), 1),
                     part = grid->by_points ? box
                                            : weight_integral(grid->weight, high) - weight_integral(grid->weight, low);
        more += part * e;
        squares += part * e * e;
        loss -= box * cimag(wall->permittivity[l][f]);
        low = high;
    }
    more += grid->variance ? turn * turn / (M_PI * M_PI) * (squares - more * more) : 0;
    return fmax(1 + more, least_of(wall, grid)) - I * loss;
}

/* The same as it stands on the grid, which is known at the centre: permittivity and conductivity are constants then. */
static double complex node_on_grid(const struct layered_wall *wall, const struct wall_grid *grid, int f, double low)
{
    if (grid->as_drawn) {
        return node_of(wall, grid, f, low);
    }
    const double complex node = node_of(wall, grid, CENTRE, low);
    double permittivity = creal(node), loss = -cimag(node);
    grid_medium(grid->stencil, 2 * M_PI * grid->centre / SPEED_OF_LIGHT * grid->cell, &permittivity, &loss);
    return permittivity - I * loss * grid->centre / wall_frequency(grid, f);
}

/* dB at an angle, of the frequencies from `first` on together. `node`: (WALL_FREQUENCIES, NODES_MOST). */
static double error_at(const struct layered_wall *wall, const struct wall_grid *grid, double sine, int first, int count,
                       double complex node[WALL_FREQUENCIES][NODES_MOST])
{
    double found = 0, right = 0;
    for (int f = first; f < WALL_FREQUENCIES; f++) {
        const double turn = 2 * M_PI * wall_frequency(grid, f) / SPEED_OF_LIGHT * grid->cell,
                     field = cabs(wall_line_through(grid->stencil, turn, sine, count, node[f])),
                     exact = cabs(wall_through(wall, grid, f, sine));
        found += field * field;
        right += exact * exact;
    }
    const double error = 10 * log10(found / right);
    return isfinite(error) ? error : 0;
}

double wall_line_error(const struct layered_wall *wall, const struct wall_grid *grid, double place, bool high_end)
{
    const int places = place < 0 ? PLACES : 1, first = high_end ? WALL_FREQUENCIES - 1 : 0,
              count = (int)ceil(wall_thickness(wall) / grid->cell) + 2 * margin_of(grid) + 1;
    double squares = 0, sum = 0;
    for (int p = 0; p < places && count <= NODES_MOST; p++) {
        double complex node[WALL_FREQUENCIES][NODES_MOST];
        const double from = margin_of(grid) + (place < 0 ? (double)p / PLACES : place);
        for (int n = 0; n < count * WALL_FREQUENCIES; n++) {
            const int f = n / count;
            node[f][n % count] = node_on_grid(wall, grid, f, from - n % count);
        }
        for (int a = 0; a < ANGLES; a++) {
            const double error = error_at(wall, grid, sin(DEGREES[a] * M_PI / 180), first, count, node);
            squares += error * error;
            sum += error;
        }
    }
    return copysign(sqrt(squares / (places * ANGLES)), sum);
}
