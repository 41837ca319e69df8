/* See metal_tips.h. Around the end of a sheet, h is a sum of J_(n/2)(k r) cos(n phi/2). Its first four terms are the
 * modes u_p. With A the grid's operator on a patch around the end, r_p = A u_p is what a mode leaves, and w_p = -A^-1
 * r_p is the field that the grid makes of its own; at the border of the patch it goes on outwards as a wave of wave
 * number k. S_pq = r_q (u_p + w_p) is how much of mode q comes out of the end by mistake.
 *
 * The lengths of the edges and links near the end that have short differences, and the areas of the faces there that
 * are not plain, are chosen so that all S_pq and w_p are as small as they may be, and the numbers not far from what
 * they were: least squares of the numbers' logarithms, by Gauss and Newton. Lengths and areas stay positive, so the
 * energy that is kept stays a sum of squares. Areas are no less than the time step asks for. An end whose sum of
 * squares does not fall by half is left as it was. */
#include "discretize/volume/metal_tips.h"

#include "discretize/volume/metal_flat.h"
#include "discretize/volume/metal_patch.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 8, HALVES = 5 };

/* Openings over this are ends of sheets. Sheets that are turned by more than ALONG [rad] against the grid are left:
 * their ends get better at some places in a cell and worse at others. */
static const double OPENING_LEAST = 1.9 * M_PI, ALONG = 0.02;
/* Cells from the end: the largest patch, the smallest that is of use, numbers that are chosen, faces that are plain no
 * longer. k times the radius of a patch. */
static const double PATCH_MOST = 6, PATCH_LEAST = 2.5, CHOSEN = 2.1, CHANGED = 1.1, PATCH_TURN = 5;
/* Weight of the numbers' logarithms against S_pq. A logarithm is at most LOGARITHM_MOST. */
static const double NUMBER_WEIGHT = 1e-3, LOGARITHM_MOST = 1.5, STEP_MOST = 0.5;
/* Waves so short against a cell have no patch. */
static const double TURN_MOST = 1.3;

/* How far the field around the end is that of the end alone: not as far as other corners, or as other metal, which lies
 * off the sheet. */
static double reach_of(const struct tips_task *task, const struct metal_solution *end, double turn)
{
    double reach = fmin(PATCH_MOST, PATCH_TURN / turn);
    for (int64_t n = 0; n < task->edges.corner_count; n++) {
        const double other = hypot(task->edges.corners[n].at.x - end->at.x, task->edges.corners[n].at.y - end->at.y);
        reach = other > 0.1 ? fmin(reach, other - 1.5) : reach;
    }
    for (int n = 0; n < UNKNOWNS; n++) {
        const int i = (int)floor(end->at.x) - FAR_MOST + n % SIDE, j = (int)floor(end->at.y) - FAR_MOST + n / SIDE;
        const double x = i + 0.5 - end->at.x, y = j + 0.5 - end->at.y, r = hypot(x, y);
        const bool wanted = i >= task->cells->first[0] && j >= task->cells->first[1] && i < task->cells->end[0] &&
                            j < task->cells->end[1];
        const bool beside = fabs(y * cos(end->face) - x * sin(end->face)) < 1.6;
        if (!wanted || (!task->faces.plain[patch_node(task, i, j)] && !beside)) {
            reach = fmin(reach, r - 2);
        }
    }
    return reach;
}

/* The permittivity around an end; 0: it is not the same everywhere. */
static double permittivity_at(const struct tips_task *task, const struct metal_solution *end)
{
    const struct problem *problem = &task->setup->problem;
    double low = INFINITY, high = 0;
    for (int n = 0; n < 2 * UNKNOWNS; n++) {
        const int i = (int)floor(end->at.x) - FAR_MOST + n / 2 % SIDE,
                  j = (int)floor(end->at.y) - FAR_MOST + n / 2 / SIDE;
        if (patch_is_inside(task, i, j) && task->cells->edge[n % 2][patch_node(task, i, j)] > 0 &&
            hypot(i - end->at.x, j - end->at.y) < CHOSEN + 2) {
            const uint16_t entry = problem_coefficient_at(problem, n % 2, i, j, 0);
            const double own =
                problem_coefficient(problem, 0)[COEFFICIENT_CB] / problem_coefficient(problem, entry)[COEFFICIENT_CB];
            low = fmin(low, own);
            high = fmax(high, own);
        }
    }
    return high > 0 && high < 1.02 * low ? low : 0;
}

static void numbers_take(const struct tips_task *task, struct metal_patch *patch)
{
    for (int f = 0; f < patch->flux_count && patch->number_count < NUMBERS; f++) {
        const struct patch_flux *flux = &patch->flux[f];
        if (hypot(flux->at[0] - patch->end->at.x, flux->at[1] - patch->end->at.y) < CHOSEN &&
            (flux->link || flux->closed)) {
            patch->numbers[patch->number_count++] =
                (struct patch_number){.value = flux->length, .base = *flux->length, .flux = f};
        }
    }
    for (int u = 0; u < patch->count && patch->number_count < NUMBERS; u++) {
        const int i = patch->face[u][0], j = patch->face[u][1];
        if (hypot(i + 0.5 - patch->end->at.x, j + 0.5 - patch->end->at.y) < CHOSEN &&
            !task->faces.plain[patch_node(task, i, j)]) {
            float *const area = &task->cells->area[patch_node(task, i, j)];
            patch->numbers[patch->number_count++] =
                (struct patch_number){.value = area, .base = *area, .flux = -1, .unknown = u};
        }
    }
}

/* One step: x of the numbers' logarithms. */
static void gauss_step(struct metal_patch *patch, double x[NUMBERS])
{
    double(*const m)[NUMBERS + 1] = patch->step;
    const int count = patch->number_count;
    for (int r = 0; r < count; r++) {
        m[r][count] = -patch->slope[r] - NUMBER_WEIGHT * x[r];
        for (int c = 0; c < count; c++) {
            m[r][c] = (c <= r ? patch->hessian[r][c] : patch->hessian[c][r]) + (r == c ? NUMBER_WEIGHT : 0);
        }
    }
    for (int c = 0; c < count; c++) {
        for (int r = 0; r < count; r++) {
            const double factor = r == c ? 0 : m[r][c] / m[c][c];
            for (int k = c; k <= count && factor != 0; k++) {
                m[r][k] -= factor * m[c][k];
            }
        }
    }
    for (int n = 0; n < count; n++) {
        const double step = m[n][count] / m[n][n];
        x[n] = fmin(fmax(x[n] + fmin(fmax(step, -STEP_MOST), STEP_MOST), -LOGARITHM_MOST), LOGARITHM_MOST);
    }
}

/* Numbers by x; areas are no less than the time step asks for. */
static void numbers_set(const struct tips_task *task, struct metal_patch *patch, const double x[NUMBERS])
{
    for (int n = 0; n < patch->number_count; n++) {
        *patch->numbers[n].value = (float)(patch->numbers[n].base * exp(x[n]));
    }
    for (int k = 0; k < patch->number_count; k++) {
        if (patch->numbers[k].flux < 0) {
            const int *face = patch->face[patch->numbers[k].unknown];
            const size_t n = patch_node(task, face[0], face[1]);
            const float *ex = task->cells->edge[0], *ey = task->cells->edge[1];
            double sum = ex[n] + ex[n + (size_t)task->cells->nx] + ey[n] + ey[n + 1];
            for (int f = 0; f < patch->flux_count; f++) {
                sum += patch->flux[f].link &&
                               (patch->flux[f].ends[0] == (int64_t)n || patch->flux[f].ends[1] == (int64_t)n)
                           ? *patch->flux[f].length
                           : 0;
            }
            *patch->numbers[k].value = fmaxf(*patch->numbers[k].value, (float)(1.0001 * sum / (4 * task->limit)));
        }
    }
}

static double target(const struct metal_patch *patch, const double x[NUMBERS])
{
    double sum = patch->sum;
    for (int n = 0; n < patch->number_count; n++) {
        sum += NUMBER_WEIGHT * x[n] * x[n];
    }
    return sum;
}

static bool tip_choose(const struct tips_task *task, struct metal_patch *patch, double before)
{
    double x[NUMBERS] = {0}, tried[NUMBERS];
    if (!patch_scatter(task, patch)) {
        return false;
    }
    double best = target(patch, x);
    for (int pass = 0; pass < PASSES; pass++) {
        memcpy(tried, x, sizeof x);
        gauss_step(patch, tried);
        bool better = false;
        for (int half = 0; half < HALVES && !better; half++) {
            numbers_set(task, patch, tried);
            const double now = patch_scatter(task, patch) ? target(patch, tried) : INFINITY;
            better = now < best * (1 - 1e-4);
            best = better ? now : best;
            for (int n = 0; n < patch->number_count && !better; n++) {
                tried[n] = 0.5 * (tried[n] + x[n]);
            }
        }
        if (!better) {
            break;
        }
        memcpy(x, tried, sizeof x);
    }
    numbers_set(task, patch, x);
    return best < 0.5 * before;
}

/* Faces about the end are plain no longer, and edges there have short differences. */
static void tip_change(const struct tips_task *task, const struct metal_solution *end)
{
    for (int j = (int)end->at.y - 3; j <= (int)end->at.y + 3; j++) {
        for (int i = (int)end->at.x - 3; i <= (int)end->at.x + 3; i++) {
            const double x = i - end->at.x, y = j - end->at.y;
            if (hypot(x + 0.5, y + 0.5) < CHANGED) {
                task->faces.plain[patch_node(task, i, j)] = 0;
            }
            for (int a = 0; a < 2; a++) {
                if (hypot(x + 0.5 * (a == 1), y + 0.5 * (a == 0)) < CHANGED &&
                    task->cells->edge[1 - a][patch_node(task, i, j)] > 0) {
                    task->faces.plain[patch_node(task, i, j)] = 0;
                    task->faces.plain[patch_node(task, i - (a == 0), j - (a == 1))] = 0;
                }
            }
        }
    }
}

/* Takes what was chosen, or, if `good` is false, what was there. */
static void tip_end(const struct tips_task *task, struct metal_patch *patch, bool good)
{
    for (int n = 0; n < patch->number_count && !good; n++) {
        *patch->numbers[n].value = (float)patch->numbers[n].base;
    }
    for (int n = 0; n < UNKNOWNS; n++) {
        const size_t face = patch_node(task, patch->corner[0] + n % SIDE, patch->corner[1] + n / SIDE);
        if (!good) {
            task->faces.plain[face] = patch->plain[n];
        } else if (!task->faces.plain[face] && patch->plain[n]) {
            task->cells->split[face] = 1;
        }
    }
}

static void tip_settle(const struct tips_task *task, const struct metal_corner *corner)
{
    struct metal_patch *patch = task->patch;
    const struct metal_solution end = {
        .form = METAL_CORNER, .at = corner->at, .face = corner->face, .opening = corner->opening};
    for (int n = 0; n < 2; n++) {
        const double at = n == 0 ? end.at.x : end.at.y;
        if (at < FAR_MOST + 2 || at > (n == 0 ? task->cells->nx : task->cells->ny) - FAR_MOST - 3) {
            return;
        }
    }
    patch->end = &end;
    patch->turn = task->turn * sqrt(permittivity_at(task, &end));
    const double reach = patch->turn > 0 && patch->turn < TURN_MOST ? reach_of(task, &end, patch->turn) : 0;
    if (reach < PATCH_LEAST) {
        return;
    }
    patch_begin(task, reach, patch);
    for (int n = 0; n < UNKNOWNS; n++) {
        patch->plain[n] = task->faces.plain[patch_node(task, patch->corner[0] + n % SIDE, patch->corner[1] + n / SIDE)];
    }
    const double before = patch_scatter(task, patch) ? patch->sum : INFINITY;
    tip_change(task, &end);
    patch_begin(task, reach, patch);
    numbers_take(task, patch);
    tip_end(task, patch, tip_choose(task, patch, before));
    patch->end = NULL;
}

static bool is_along(const struct metal_corner *corner)
{
    return fabs(remainder(corner->face + 0.5 * (corner->opening - 2 * M_PI), 0.5 * M_PI)) < ALONG;
}

/* At the band's centre, as the time stepping has it. */
static double turn_of(const struct setup *setup)
{
    const double omega = 2 * M_PI * setup->scenario->band_centre, dt = setup->problem.time_step,
                 cell = setup->problem.axis[0].spacing;
    return setup->scenario->spectra.warp ? omega * cell / PW_SPEED_OF_LIGHT
                                         : 2 * sin(0.5 * omega * dt) * cell / (PW_SPEED_OF_LIGHT * dt);
}

/* Whether the scheme has the wave's speed at the band's centre. Numbers of an end cannot make up for that. */
static bool is_exact(const struct tips_task *task)
{
    return fabs(2 * stencil_symbol(&task->setup->stencil, task->turn) / task->turn - 1) < 0.005;
}

static pw_status tips_settle(struct tips_task *task, const struct raster_grid *grid, pw_error *error)
{
    if (!is_exact(task)) {
        return PW_OK;
    }
    TRY(metal_edges_create(&task->setup->plan, grid, &task->edges, error));
    TRY(metal_flat_settle(task->setup, task->list, &task->edges, task->turn, task->limit, error));
    TRY(metal_faces_create(task->cells, task->limit, &task->faces, error));
    task->patch = allocate(1, sizeof *task->patch, "ends of metal", error);
    TRY_MADE(task->patch);
    for (int64_t c = 0; c < task->edges.corner_count; c++) {
        if (task->edges.corners[c].opening > OPENING_LEAST && is_along(&task->edges.corners[c])) {
            tip_settle(task, &task->edges.corners[c]);
        }
    }
    return PW_OK;
}

pw_status metal_tips_settle(struct setup *setup, const struct metal_list *list, double limit, pw_error *error)
{
    const struct raster_grid grid = {.nx = setup->metal.nx,
                                     .ny = setup->metal.ny,
                                     .cell = setup->problem.axis[0].spacing,
                                     .origin = setup->origin,
                                     .wave_number = turn_of(setup) / setup->problem.axis[0].spacing,
                                     .stencil = &setup->stencil};
    struct tips_task task = {
        .setup = setup, .cells = &setup->metal, .list = list, .limit = limit, .turn = turn_of(setup)};
    const pw_status status = floorplan_has_metal(&setup->plan) ? tips_settle(&task, &grid, error) : PW_OK;
    free(task.patch);
    metal_faces_free(&task.faces);
    metal_edges_free(&task.edges);
    return status;
}
