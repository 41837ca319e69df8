/* See metal_patch.h. */
#include "discretize/volume/metal_patch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells from the end within which the field does not count. Weight of w_p against S_pq. */
static const double UNSEEN = 1, FIELD_WEIGHT = 0.3;

/* As in metal_rows.c. */
static bool is_open(const struct tips_task *task, int a, int i, int j)
{
    const int bi = i - (a == 0), bj = j - (a == 1);
    if (!patch_is_inside(task, i, j) || !patch_is_inside(task, bi, bj)) {
        return true;
    }
    const uint8_t *plain = task->faces.plain;
    return plain[patch_node(task, i, j)] && plain[patch_node(task, bi, bj)] &&
           task->cells->edge[1 - a][patch_node(task, i, j)] == 1;
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

static double mode_at(const struct tips_task *task, const struct metal_patch *patch, int mode, int i, int j)
{
    const struct metal_solution *end = patch->end;
    const size_t n = patch_node(task, i, j);
    const float *ex = task->cells->edge[0], *ey = task->cells->edge[1];
    const double x = i + 0.5 - end->at.x, y = j + 0.5 - end->at.y, r = hypot(x, y);
    double dx = fmin(ey[n + 1], 1) - fmin(ey[n], 1), dy = fmin(ex[n + (size_t)task->cells->nx], 1) - fmin(ex[n], 1);
    const double px = x + 0.02 * dx - 1e-6, py = y + 0.02 * dy - 2e-6;
    double from = fmod(atan2(py, px) - end->face, 2 * M_PI);
    from += from < 0 ? 2 * M_PI : 0;
    from -= from > 0.5 * end->opening + M_PI ? 2 * M_PI : 0;
    const double order = mode * M_PI / end->opening;
    return metal_bessel(order, patch->turn * r) / tgamma(order + 1) * cos(order * from);
}

/* ---- fluxes ------------------------------------------------------------------------------------------------------ */

static void flux_add(struct patch_flux *flux, int i, int j, double weight)
{
    int n = 0;
    while (n < flux->count && (flux->face[n][0] != i || flux->face[n][1] != j)) {
        n++;
    }
    if (n == flux->count) {
        flux->face[n][0] = i;
        flux->face[n][1] = j;
        flux->weight[n] = 0;
        flux->count++;
    }
    flux->weight[n] += weight;
}

/* The difference along axis a across the edge at node (i, j). */
static void flux_difference(const struct tips_task *task, int a, int i, int j, double weight, struct patch_flux *flux)
{
    double value[WINDOW] = {0}, open[WINDOW + 1];
    value[REACH_LIMIT] = 1;
    value[REACH_LIMIT - 1] = -1;
    for (int w = 0; w <= WINDOW; w++) {
        const int m = w - REACH_LIMIT;
        open[w] = is_open(task, a, i + m * (a == 0), j + m * (a == 1)) ? 1 : 0;
    }
    metal_line_smooth(task->list, open, value);
    for (int w = 0; w < WINDOW; w++) {
        const int m = w - REACH_LIMIT;
        if (fabs(value[w]) > ROUNDING) {
            flux_add(flux, i + m * (a == 0), j + m * (a == 1), weight * task->setup->stencil.difference[0] * value[w]);
        }
    }
}

static bool flux_meets(const struct metal_patch *patch, const struct patch_flux *flux)
{
    bool meets = false;
    for (int n = 0; n < flux->count; n++) {
        const int x = flux->face[n][0] - patch->corner[0], y = flux->face[n][1] - patch->corner[1];
        meets = meets || (x >= 0 && y >= 0 && x < SIDE && y < SIDE && patch->number[y][x] >= 0);
    }
    return meets;
}

static void fluxes_take(const struct tips_task *task, struct metal_patch *patch)
{
    const int far = FAR_MOST + REACH_LIMIT;
    const int ci = patch->corner[0] + FAR_MOST, cj = patch->corner[1] + FAR_MOST;
    patch->flux_count = 0;
    for (int a = 0; a < 2; a++) {
        for (int j = cj - far; j <= cj + far; j++) {
            for (int i = ci - far; i <= ci + far; i++) {
                if (!patch_is_inside(task, i, j) || patch->flux_count == FLUXES) {
                    continue;
                }
                float *length = &task->cells->edge[1 - a][patch_node(task, i, j)];
                struct patch_flux *flux = &patch->flux[patch->flux_count];
                *flux = (struct patch_flux){.length = length, .at = {i + 0.5 * (a == 1), j + 0.5 * (a == 0)}};
                flux->closed = !is_open(task, a, i, j);
                if (*length > 0) {
                    flux_difference(task, a, i, j, 1, flux);
                    patch->flux_count += flux_meets(patch, flux);
                }
            }
        }
    }
    for (int64_t l = 0; l < task->cells->link_count && patch->flux_count < FLUXES; l++) {
        struct metal_link *link = &task->cells->links[l];
        struct patch_flux *flux = &patch->flux[patch->flux_count];
        *flux = (struct patch_flux){.link = true, .ends = {link->face[0], link->face[2]}};
        float *length = &link->length;
        flux->length = length;
        for (int s = 0; s < 2; s++) {
            const int64_t from = link->face[s], to = link->face[s + 1], high = from > to ? from : to;
            const int nx = task->cells->nx;
            flux_difference(task, llabs(to - from) == 1 ? 0 : 1, (int)(high % nx), (int)(high / nx), to > from ? 1 : -1,
                            flux);
        }
        const int nx = task->cells->nx;
        flux->at[0] = 0.5 * (double)(link->face[0] % nx + link->face[2] % nx) + 0.5;
        flux->at[1] = 0.5 * (double)(link->face[0] / nx + link->face[2] / nx) + 0.5;
        patch->flux_count += flux_meets(patch, flux);
    }
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

static int unknown_of(const struct metal_patch *patch, const int face[2])
{
    const int x = face[0] - patch->corner[0], y = face[1] - patch->corner[1];
    return x >= 0 && y >= 0 && x < SIDE && y < SIDE ? patch->number[y][x] : -1;
}

/* Cells from the end to the middle of a face. */
static double patch_radius_of(const struct metal_patch *patch, const int face[2])
{
    return hypot(face[0] + 0.5 - patch->end->at.x, face[1] + 0.5 - patch->end->at.y);
}

static void assemble(const struct tips_task *task, struct metal_patch *patch)
{
    const double square = patch->turn * patch->turn;
    for (int u = 0; u < patch->count; u++) {
        memset(patch->matrix[u], 0, sizeof patch->matrix[u]);
        const double mass = square * task->cells->area[patch_node(task, patch->face[u][0], patch->face[u][1])];
        patch->matrix[u][u] = -mass;
        for (int p = 0; p < MODES; p++) {
            patch->rest[p][u] = -mass * patch->mode[p][u];
        }
    }
    for (int f = 0; f < patch->flux_count; f++) {
        const struct patch_flux *flux = &patch->flux[f];
        for (int m = 0; m < flux->count; m++) {
            const int u = unknown_of(patch, flux->face[m]);
            if (u < 0) {
                continue;
            }
            const double weight = *flux->length * flux->weight[m];
            for (int p = 0; p < MODES; p++) {
                patch->rest[p][u] += weight * patch->gap[p][f];
            }
            for (int n = 0; n < flux->count; n++) {
                const int v = unknown_of(patch, flux->face[n]);
                if (v >= 0) {
                    patch->matrix[u][v] += weight * flux->weight[n];
                } else {
                    const double near = patch_radius_of(patch, flux->face[m]),
                                 far = patch_radius_of(patch, flux->face[n]);
                    patch->matrix[u][u] +=
                        weight * flux->weight[n] * sqrt(near / far) * cexp(-I * patch->turn * (far - near));
                }
            }
        }
    }
}

/* Solves matrix x = rest for all modes by elimination (symmetric, need not be positive); x into field. */
static bool solve_all(struct metal_patch *patch, int sides)
{
    const int n = patch->count;
    for (int c = 0; c < n; c++) {
        if (cabs(patch->matrix[c][c]) < 1e-9) {
            return false;
        }
        for (int r = c + 1; r < n; r++) {
            const double complex factor = patch->matrix[r][c] / patch->matrix[c][c];
            if (factor == 0) {
                continue;
            }
            for (int k = c; k < n; k++) {
                patch->matrix[r][k] -= factor * patch->matrix[c][k];
            }
            for (int p = 0; p < sides; p++) {
                patch->field[p][r] -= factor * patch->field[p][c];
            }
        }
    }
    for (int p = 0; p < sides; p++) {
        for (int r = n - 1; r >= 0; r--) {
            for (int k = r + 1; k < n; k++) {
                patch->field[p][r] -= patch->matrix[r][k] * patch->field[p][k];
            }
            patch->field[p][r] /= patch->matrix[r][r];
        }
    }
    return true;
}

static void observe(struct metal_patch *patch, double weight, double complex value, const double complex *row)
{
    patch->sum += weight * creal(value * conj(value));
    for (int n = 0; n < patch->number_count; n++) {
        patch->slope[n] += weight * creal(conj(value) * row[n]);
        for (int m = 0; m <= n; m++) {
            patch->hessian[n][m] += weight * creal(conj(row[m]) * row[n]);
        }
    }
}

/* S_pq, the field w_p that the grid makes of its own, and how numbers change them. */
bool patch_scatter(const struct tips_task *task, struct metal_patch *patch)
{
    assemble(task, patch);
    const int sides = MODES + patch->number_count;
    for (int p = 0; p < MODES; p++) {
        for (int u = 0; u < patch->count; u++) {
            patch->field[p][u] = patch->rest[p][u];
        }
    }
    for (int n = 0; n < patch->number_count; n++) {
        const struct patch_number *number = &patch->numbers[n];
        double complex *side = patch->field[MODES + n];
        memset(side, 0, sizeof patch->field[0]);
        if (number->flux < 0) {
            side[number->unknown] = 1;
        } else {
            const struct patch_flux *flux = &patch->flux[number->flux];
            for (int m = 0; m < flux->count; m++) {
                const int u = unknown_of(patch, flux->face[m]);
                if (u >= 0) {
                    side[u] += flux->weight[m];
                }
            }
        }
    }
    if (!solve_all(patch, sides)) {
        return false;
    }
    patch->sum = 0;
    memset(patch->hessian, 0, sizeof patch->hessian);
    memset(patch->slope, 0, sizeof patch->slope);
    for (int n = 0; n < patch->number_count; n++) {
        const struct patch_number *number = &patch->numbers[n];
        const double factor = *number->value * (number->flux < 0 ? -patch->turn * patch->turn : 1);
        for (int p = 0; p < MODES; p++) {
            double complex change = 0;
            if (number->flux < 0) {
                change = patch->mode[p][number->unknown] - patch->field[p][number->unknown];
            } else {
                const struct patch_flux *flux = &patch->flux[number->flux];
                change = patch->gap[p][number->flux];
                for (int m = 0; m < flux->count; m++) {
                    const int u = unknown_of(patch, flux->face[m]);
                    change -= u >= 0 ? flux->weight[m] * patch->field[p][u] : 0;
                }
            }
            patch->change[p][n] = change;
        }
        for (int u = 0; u < patch->count; u++) {
            patch->field[MODES + n][u] *= factor;
        }
    }
    double complex row[NUMBERS] = {0};
    for (int p = 0; p < MODES; p++) {
        for (int q = 0; q <= p; q++) {
            double complex sum = 0;
            for (int u = 0; u < patch->count; u++) {
                sum += patch->mode[q][u] * patch->rest[p][u] - patch->rest[q][u] * patch->field[p][u];
            }
            for (int n = 0; n < patch->number_count; n++) {
                const struct patch_number *number = &patch->numbers[n];
                const double factor = *number->value * (number->flux < 0 ? -patch->turn * patch->turn : 1);
                row[n] = factor * patch->change[p][n] * patch->change[q][n];
            }
            observe(patch, 1, sum, row);
        }
        for (int u = 0; u < patch->count; u++) {
            for (int n = 0; n < patch->number_count; n++) {
                row[n] = patch->field[MODES + n][u] * patch->change[p][n];
            }
            observe(patch, FIELD_WEIGHT * patch->weight[u], patch->field[p][u], row);
        }
    }
    return true;
}

/* ---- the patch --------------------------------------------------------------------------------------------------- */

static void modes_take(const struct tips_task *task, struct metal_patch *patch)
{
    for (int u = 0; u < patch->count; u++) {
        patch->weight[u] = patch_radius_of(patch, patch->face[u]) < UNSEEN ? 0 : 1;
        for (int p = 0; p < MODES; p++) {
            patch->mode[p][u] = mode_at(task, patch, p, patch->face[u][0], patch->face[u][1]);
        }
    }
    for (int f = 0; f < patch->flux_count; f++) {
        const struct patch_flux *flux = &patch->flux[f];
        for (int p = 0; p < MODES; p++) {
            patch->gap[p][f] = 0;
            for (int m = 0; m < flux->count; m++) {
                patch->gap[p][f] += flux->weight[m] * mode_at(task, patch, p, flux->face[m][0], flux->face[m][1]);
            }
        }
    }
}

void patch_begin(const struct tips_task *task, double reach, struct metal_patch *patch)
{
    const struct metal_solution *end = patch->end;
    patch->count = patch->number_count = 0;
    patch->corner[0] = (int)floor(end->at.x) - FAR_MOST;
    patch->corner[1] = (int)floor(end->at.y) - FAR_MOST;
    for (int n = 0; n < UNKNOWNS; n++) {
        const int face[2] = {patch->corner[0] + n % SIDE, patch->corner[1] + n / SIDE};
        const bool unknown =
            patch_radius_of(patch, face) <= reach && task->cells->area[patch_node(task, face[0], face[1])] > 0;
        patch->number[n / SIDE][n % SIDE] = unknown ? patch->count : -1;
        if (unknown) {
            memcpy(patch->face[patch->count++], face, sizeof face);
        }
    }
    fluxes_take(task, patch);
    modes_take(task, patch);
}
