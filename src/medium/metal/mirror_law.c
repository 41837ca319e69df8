/* The one-dimensional law of a stencil before metal (mirror_law.h). */
#include "medium/metal/mirror_law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 3 * LAPLACIAN_LIMIT
}; /* free nodes of the one-dimensional problem; beyond them the field is straight to 1e-12 */

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

/* Of a wave that turns by `turn` a cell, cos or sin (turn p) at nodes -p from LINE - 1 on: the force at node 0 that it
 * asks for, and Ez there. */
static void solve_wave(const struct stencil *stencil, double turn, bool cosine, double *force, double *field)
{
    const int taps = 2 * stencil->reach - 1;
    const double square = pow(2 * stencil_symbol(stencil, turn), 2); /* k^2 cell^2 of the waves that the grid carries */
    double matrix[LINE + 1][LINE + 1] = {{0}}, right[LINE + 1] = {0};
    for (int p = 0; p < LINE; p++) {
        for (int q = p - taps < 0 ? 0 : p - taps; q <= p + taps; q++) {
            const double weight = q == p ? stencil->centre + square : stencil->laplacian[abs(q - p) - 1];
            if (q < LINE - 1) {
                matrix[p][q] += weight;
            } else {
                right[p] -= weight * (cosine ? cos(turn * q) : sin(turn * q));
            }
        }
    }
    matrix[0][LINE - 1] = 1;
    solve_dense(LINE, matrix, right);
    *force = right[LINE - 1];
    *field = right[0];
}

struct mirror_law mirror_law_of(const struct stencil *stencil, double turn)
{
    double field[LINE + 1];
    struct mirror_law law = {.turn = turn};
    for (int n = 0; n < 2; n++) {
        solve_wave(stencil, turn, n == 1, &law.force[n], &law.field[n]);
    }
    solve_static(stencil, 1, 0, field);
    law.place = field[LINE];
    solve_static(stencil, 0, 1, field);
    law.compliance = field[0];
    return law;
}

double mirror_stiffness(const struct mirror_law *law, double distance)
{
    if (!(distance > law->place)) {
        return 0;
    }
    const double still = (1 - 1 / (1 + distance - law->place)) / law->compliance;
    if (law->turn == 0) {
        return still;
    }
    const double phase = fmin(law->turn * distance, M_PI_2), c = cos(phase), s = sin(phase);
    const double moving = (c * law->force[0] + s * law->force[1]) / (c * law->field[0] + s * law->field[1]);
    return fmax(moving, still);
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

int metal_planes(const struct stencil *stencil)
{
    static const double most = 0.003;
    const int taps = 2 * stencil->reach - 1;
    int planes = 0;
    double through = INFINITY;
    while (through > most) {
        through = 0;
        planes++;
        for (int m = planes + 1; m <= taps; m++) {
            through += (m - planes) * fabs(stencil->laplacian[m - 1] / stencil->laplacian[0]);
        }
    }
    return planes;
}
