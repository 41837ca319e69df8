/* Metal at its place (metal_surface.h): the one-dimensional law of a stencil, distances to metal along the links, and
 * the nodes they change. Leaves out the leakage of wide stencils through sheets that are thinner than their reach. */
#include "medium/metal_surface.h"

#include "medium/scanline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 3 * LAPLACIAN_LIMIT
}; /* free nodes of the one-dimensional problem; beyond them the field is straight to 1e-12 */

/* Distances looked for along a line [cells]; a surface farther off runs along the line. */
static const double REACH = 12;
/* The first cell is searched in steps of this [cells], the rest in steps of CLOSE: thinner metal may be missed. */
static const double FINE = 1.0 / 32, CLOSE = 0.25;
static const double SAME = 1e-6; /* cells */

/* ---- the law ---- */

/* Solves matrix x = right (n unknowns, row by row) in place, with pivoting. */
static void solve_dense(int n, double matrix[LINE + 1][LINE + 1], double *right)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++) {
            pivot = fabs(matrix[r][c]) > fabs(matrix[pivot][c]) ? r : pivot;
        }
        for (int k = 0; k < n; k++) {
            double swap = matrix[c][k];
            matrix[c][k] = matrix[pivot][k];
            matrix[pivot][k] = swap;
        }
        double swap = right[c];
        right[c] = right[pivot];
        right[pivot] = swap;
        for (int r = c + 1; r < n; r++) {
            double factor = matrix[r][c] / matrix[c][c];
            for (int k = c; k < n; k++) {
                matrix[r][k] -= factor * matrix[c][k];
            }
            right[r] -= factor * right[c];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; k < n; k++) {
            right[r] -= matrix[r][k] * right[k];
        }
        right[r] /= matrix[r][r];
    }
}

/* Static field of a half-line: Ez at node -p is right[p] for p < LINE and slope p + right[LINE] beyond; a force at node
 * 0. */
static void solve_static(const struct stencil *stencil, double slope, double force, double right[LINE + 1])
{
    const int taps = 2 * stencil->reach - 1;
    double matrix[LINE + 1][LINE + 1] = {{0}};
    memset(right, 0, (LINE + 1) * sizeof *right);
    for (int p = 0; p < LINE; p++) {
        for (int q = p - taps < 0 ? 0 : p - taps; q <= p + taps; q++) {
            double weight = q == p ? stencil->centre : stencil->laplacian[abs(q - p) - 1];
            if (q < LINE) {
                matrix[p][q] += weight;
            } else {
                matrix[p][LINE] += weight;
                right[p] -= weight * slope * q;
            }
        }
    }
    right[0] -= force;
    matrix[LINE][LINE - 1] = 1;
    matrix[LINE][LINE] = -1;
    right[LINE] = slope * (LINE - 1);
    solve_dense(LINE + 1, matrix, right);
}

struct mirror_law mirror_law_of(const struct stencil *stencil)
{
    double field[LINE + 1];
    struct mirror_law law;
    solve_static(stencil, 1, 0, field);
    law.place = field[LINE];
    solve_static(stencil, 0, 1, field);
    law.compliance = field[0];
    return law;
}

double mirror_stiffness(const struct mirror_law *law, double distance)
{
    return distance > law->place ? (1 - 1 / (1 + distance - law->place)) / law->compliance : 0;
}

double mirror_slack(double half_band)
{
    if (half_band >= 0.5) {
        return 0.5;
    }
    /* d/dw of int_0^w u^2 du + (2 half_band)^2/3 int_0^(1-w) (t (1 + t))^2 dt; the left side grows, the right one
     * falls. */
    double low = 0, high = 0.5;
    while (high - low > 1e-12) {
        double slack = 0.5 * (low + high);
        if (slack < 2 / sqrt(3) * half_band * (1 - slack) * (2 - slack)) {
            low = slack;
        } else {
            high = slack;
        }
    }
    return low;
}

/* ---- distances ---- */

struct mirror_task {
    const struct floorplan *plan;
    const struct raster_grid *grid;
    struct mirror_law law;
    double hold; /* cells: nodes nearer to metal are held at zero */
};

static const int DIRECTION[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

static bool is_metal(const struct mirror_task *task, double i, double j)
{
    double x = task->grid->origin.x + i * task->grid->cell, y = task->grid->origin.y + j * task->grid->cell;
    return task->plan->materials[floorplan_material_at(task->plan, x, y)].perfect_conductor;
}

/* At `along` cells from node (i, j) in the direction; looked for on both sides of the line, so that a line along a face
 * finds it whoever owns the face. */
static bool metal_at(const struct mirror_task *task, int i, int j, const int *direction, double along)
{
    double x = i + direction[0] * along, y = j + direction[1] * along;
    double aside_x = direction[0] == 0 ? SAME / 8 : 0, aside_y = SAME / 8 - aside_x;
    return is_metal(task, x + aside_x, y + aside_y) || is_metal(task, x - aside_x, y - aside_y);
}

/* Cells from the node to metal in the direction, INFINITY when there is none within `reach`. */
static double metal_distance(const struct mirror_task *task, int i, int j, const int *direction, double reach)
{
    double low = 0, high = 0;
    while (!metal_at(task, i, j, direction, high)) {
        if (high >= reach) {
            return INFINITY;
        }
        low = high;
        high += high < 1 ? FINE : CLOSE;
    }
    while (high - low > SAME / 8) {
        double middle = 0.5 * (low + high);
        if (metal_at(task, i, j, direction, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return scanline_snap(nearbyint(high / SAME) * SAME);
}

/* ---- nodes ---- */

static bool near_metal(const struct raster_grid *grid, const uint8_t *touched, int i, int j)
{
    bool near = touched[(size_t)j * (size_t)grid->nx + (size_t)i];
    for (int d = 0; d < 4 && !near; d++) {
        int x = i + DIRECTION[d][0], y = j + DIRECTION[d][1];
        near = x >= 0 && x < grid->nx && y >= 0 && y < grid->ny && touched[(size_t)y * (size_t)grid->nx + (size_t)x];
    }
    return near;
}

static bool is_held(const struct mirror_task *task, int i, int j)
{
    for (int d = 0; d < 4; d++) {
        if (metal_distance(task, i, j, DIRECTION[d], 1) < task->hold - SAME) {
            return true;
        }
    }
    return false;
}

/* The stiffness that the links of the node to nodes held at zero ask for: k^2 cell^2 times permittivity. */
static double node_stiffness(const struct mirror_task *task, const uint32_t *index, uint32_t conductor, int i, int j)
{
    const struct raster_grid *grid = task->grid;
    double sum = 0;
    for (int d = 0; d < 4; d++) {
        int x = i + DIRECTION[d][0], y = j + DIRECTION[d][1];
        if (x >= 0 && x < grid->nx && y >= 0 && y < grid->ny &&
            index[(size_t)y * (size_t)grid->nx + (size_t)x] == conductor) {
            sum += mirror_stiffness(&task->law, metal_distance(task, i, j, DIRECTION[d], REACH));
        }
    }
    return sum;
}

pw_status mirror_place(const struct floorplan *plan, const struct raster_grid *grid, const uint8_t *touched,
                       struct mixture_table *table, uint32_t *index, pw_error *error)
{
    if (table->conductor < 0 || grid->stencil == NULL || !(grid->wave_number > 0)) {
        return PW_OK;
    }
    struct mirror_task task = {plan, grid, mirror_law_of(grid->stencil), 0};
    task.hold = task.law.place - mirror_slack(grid->half_band);
    const uint32_t conductor = (uint32_t)table->conductor;
    const double scale = pow(grid->wave_number * grid->cell, -2);
#pragma omp parallel for schedule(dynamic, 16)
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            uint32_t *node = &index[(size_t)j * (size_t)grid->nx + (size_t)i];
            if (*node != conductor && near_metal(grid, touched, i, j) && is_held(&task, i, j)) {
                *node = conductor;
            }
        }
    }
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            uint32_t *node = &index[(size_t)j * (size_t)grid->nx + (size_t)i];
            double stiffness = *node == conductor ? 0 : node_stiffness(&task, index, conductor, i, j);
            if (stiffness > SAME && grid->half_band < 0.5) {
                const struct mixture value = table->values[*node];
                TRY(mixture_find(table, value.permittivity + scale * stiffness, value.conductivity, node, error));
            }
        }
    }
    return PW_OK;
}
