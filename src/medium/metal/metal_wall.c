/* The law of an edge along flat metal (metal_wall.h), from the one-dimensional grid before the metal. Node 0 is held.
 * The metal is s cells before node 1. S has the differences of neighbours. A has the parts of faces: s of the first
 * face, 1 of the others. P is the polynomial of metal_lines.h without the differences beside metal. Waves obey S^T P
 * A^-1 P S E = m z p(z)^2 E,    z = 4 sin^2(turn/2), where m is 1 but at node 1. Far away E is to be sin(turn d), d
 * cells from the metal: that asks for one m. */
#include "medium/metal/metal_wall.h"

#include <math.h>
#include <string.h>

/* Nodes whose E is not sin(turn d) yet: what a wide difference leaves dies away by at least a half from one to the
 * next. */
enum { UNKNOWN = 32, LINE = UNKNOWN + 2 * REACH_LIMIT + 2 };

/* Solves matrix x = right (n unknowns, row by row) in place, with pivoting. */
static void solve_dense(int n, double matrix[UNKNOWN + 1][UNKNOWN + 1], double *right)
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

/* P on the values of faces: no difference across nodes 0 and 1. */
static void smooth(const double *polynomial, int reach, double value[LINE])
{
    double sum[LINE], next[LINE];
    for (int f = 0; f < LINE; f++) {
        sum[f] = polynomial[reach - 1] * value[f];
    }
    for (int m = reach - 2; m >= 0; m--) {
        for (int f = 0; f < LINE; f++) {
            next[f] = polynomial[m] * value[f];
            next[f] += f > 1 ? sum[f] - sum[f - 1] : 0;
            next[f] += f > 0 && f + 1 < LINE ? sum[f] - sum[f + 1] : 0;
        }
        memcpy(sum, next, sizeof sum);
    }
    memcpy(value, sum, sizeof sum);
}

/* S^T P A^-1 P S of E at nodes 0..LINE, E[0] = 0: at nodes 1..UNKNOWN + 1. */
static void operate(const double *polynomial, int reach, double s, const double e[LINE + 1], double out[UNKNOWN + 2])
{
    double face[LINE];
    for (int f = 0; f < LINE; f++) {
        face[f] = e[f + 1] - e[f];
    }
    smooth(polynomial, reach, face);
    face[0] /= s;
    smooth(polynomial, reach, face);
    for (int n = 1; n <= UNKNOWN + 1; n++) {
        out[n] = face[n - 1] - face[n];
    }
}

static double share_of(const struct stencil *stencil, const double *polynomial, double turn, double s)
{
    static const double SMALL = 1e-6;
    double matrix[UNKNOWN + 1][UNKNOWN + 1], right[UNKNOWN + 1], e[LINE + 1] = {0}, out[UNKNOWN + 2];
    const double z = 4 * pow(sin(0.5 * turn), 2);
    double p = 0;
    for (int m = stencil->reach - 1; m >= 0; m--) {
        p = p * z + polynomial[m];
    }
    for (int n = UNKNOWN + 1; n <= LINE; n++) {
        e[n] = sin(turn * (s + n - 1));
    }
    operate(polynomial, stencil->reach, s, e, out);
    for (int n = 1; n <= UNKNOWN + 1; n++) {
        right[n - 1] = z * p * p * (n > UNKNOWN ? e[n] : 0) - out[n];
    }
    for (int u = 1; u <= UNKNOWN; u++) {
        memset(e, 0, sizeof e);
        e[u] = 1;
        operate(polynomial, stencil->reach, s, e, out);
        for (int n = 1; n <= UNKNOWN + 1; n++) {
            matrix[n - 1][u - 1] = out[n] - (n == u ? z * p * p : 0);
        }
    }
    for (int n = 1; n <= UNKNOWN + 1; n++) { /* what the share adds at node 1 */
        matrix[n - 1][UNKNOWN] = n == 1 ? -1 : 0;
    }
    solve_dense(UNKNOWN + 1, matrix, right);
    return fabs(right[0]) > SMALL ? right[UNKNOWN] / (z * p * p * right[0]) : 0;
}

struct metal_wall metal_wall_of(const struct stencil *stencil, double turn)
{
    struct metal_wall wall = {.turn = turn};
    double polynomial[REACH_LIMIT];
    stencil_polynomial(stencil->difference, stencil->reach, polynomial);
#pragma omp parallel for schedule(static)
    for (int n = 0; n < WALL_PLACES; n++) {
        wall.share[n] = share_of(stencil, polynomial, turn, WALL_FAR * (n + 1) / WALL_PLACES);
    }
    return wall;
}

/* Under the first place as there, times the distance of that place over this one: the share grows as 1/s. */
double metal_wall_share(const struct metal_wall *wall, double distance)
{
    const double place = distance / WALL_FAR * WALL_PLACES - 1;
    if (place < 0) {
        return (wall->share[0] + 1) / (place + 1) - 1;
    }
    const int low = place < WALL_PLACES - 2 ? (int)place : WALL_PLACES - 2;
    const double part = fmin(place - low, 1);
    return (1 - part) * wall->share[low] + part * wall->share[low + 1];
}
