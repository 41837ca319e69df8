/* See metal_ends.h. In a plan, Ez stands at nodes and h on the links between them. A link has the weight w = F/A, with
 * A the part of its face and F its mass.
 *
 * First each link near an end gets the weight of the static field there. That field has a stream function v: the flux
 * through the side between the cells of two nodes is the difference of v between the ends of the side. So w = dv/dEz is
 * exact, and what flows into a cell adds up to zero.
 *
 * Then the links between metal and its neighbours are scaled until the grid's own field has no wave that comes from the
 * end by mistake. Within a patch around the end the grid is solved, with the exact local solution outside of it. With A
 * the operator inside, u_p the exact modes and r_p = A u_p, mode p makes S_pq = u_q r_p - r_q A^-1 r_p of mode q. Of a
 * corner S_00 and S_01 are brought to zero, which puts the end at its place along the metal and across it. Of a post
 * S_00, S_01 and S_02 are: its radius and its two coordinates. */
#include "medium/metal/ends/metal_ends.h"

#include "medium/metal/ends/end_levels.h"
#include "medium/metal/ends/metal_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HALF = 2 * REACH_LIMIT,
    LINE = 2 * HALF + 1, /* links of a line that a node may see */
    MODES = 3,
    FAR_MOST = 6, /* cells from an end to the border of its patch */
    SIDE = 2 * FAR_MOST + 1,
    UNKNOWNS = SIDE * SIDE,
    BOX = SIDE + 2 * HALF, /* nodes that rows of unknowns may see */
    LINKS = 64,
    PASSES = 6
};

/* Cells from the end: links with weights of their own, links that are scaled, and the largest patch. */
static const double NEAR = 1.6, SCALED = 1.1, PATCH = 5;
/* k times the radius of a patch: well under the first zero of the local solution, pi. */
static const double PATCH_TURN = 2.4;
/* Where Ez hardly changes along a link, w is drawn towards 1. */
static const double SMOOTH = 0.6;
/* Links of more weight have short differences, and links of less weight are left. */
static const double WIDE_MOST = 1.2, LEAST = 0.2;
/* Openings over this have a field that is not smooth; posts over this radius are round walls. */
static const double OPENING_LEAST = 1.1 * M_PI, RADIUS_MOST = 1;
/* Links that are scaled: by exp of the sum over modes of t shape. */
struct scaled_link {
    float *part;
    double base, shape[MODES];
};

struct ends_task {
    struct metal_volume *cuts;
    struct metal_edges edges; /* owned */
    double polynomial[REACH_LIMIT];
    int reach;
    double turn;                                /* k cell */
    float *upright, *share, *part[2], *mass[2]; /* of the level at hand: of Ez, and of h on links along x and y */
    struct metal_solution *ends;                /* (count), owned */
    int count;
    struct patch *patch; /* owned */
};

/* Around one end. */
struct patch {
    const struct metal_solution *end;
    int modes, count, link_count, corner[2]; /* unknowns; the node at its low corner */
    int node[UNKNOWNS][2];
    int number[SIDE][SIDE]; /* of the unknown at a node; -1: none */
    struct scaled_link link[LINKS];
    double matrix[UNKNOWNS][UNKNOWNS], mode[MODES][UNKNOWNS], rest[MODES][UNKNOWNS], answer[UNKNOWNS];
    double known[MODES][BOX][BOX]; /* modes at nodes; NAN: not asked for yet */
};

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static size_t node_of(const struct ends_task *task, int i, int j)
{
    return (size_t)j * (size_t)task->cuts->nx + (size_t)i;
}

static bool is_inside(const struct ends_task *task, int i, int j)
{
    return i >= 0 && j >= 0 && i < task->cuts->nx && j < task->cuts->ny;
}

static float upright_at(const struct ends_task *task, int i, int j)
{
    return is_inside(task, i, j) ? task->upright[node_of(task, i, j)] : 1;
}

static bool is_nearest(const struct ends_task *task, const struct metal_solution *end, double x, double y)
{
    const double own = end_distance_of(end, x, y);
    bool nearest = true;
    for (int n = 0; n < task->count && nearest; n++) {
        const double other = end_distance_of(&task->ends[n], x, y);
        nearest = &task->ends[n] == end || other > own || (other == own && &task->ends[n] > end);
    }
    return nearest;
}

/* ---- weights of the static field --------------------------------------------------------------------------------- */

/* The weight of the link from node (i, j) on along axis a; 0: none can be told. */
static double link_weight(const struct ends_task *task, const struct metal_solution *end, int a, int i, int j)
{
    const int dx = a == 0, dy = a == 1;
    const float held[2] = {upright_at(task, i, j), upright_at(task, i + dx, j + dy)};
    double u[2], v[2], unused;
    for (int s = 0; s < 2; s++) {
        const double side = s - 0.5;
        end_potential_at(end, i + s * dx, j + s * dy, &u[s], &unused);
        end_potential_at(end, i + 0.5 * dx + side * dy, j + 0.5 * dy + side * dx, &unused, &v[s]);
        if (held[s] == METAL_STAIRCASE || (held[s] != 0 && u[s] <= 0)) {
            return 0;
        }
        u[s] = held[s] == 0 ? 0 : u[s];
    }
    if (held[0] == 0 && held[1] == 0) {
        return 0;
    }
    /* u grows along x as v along y, and along y as -v along x. */
    const double turned = end->form == METAL_POST ? remainder(v[1] - v[0], 2 * M_PI) : v[1] - v[0];
    const double flux = a == 0 ? turned : -turned, step = u[1] - u[0];
    const double smooth = held[0] == 0 || held[1] == 0 ? 0 : SMOOTH * (u[0] + u[1]);
    return 1 + (flux - step) * step / (step * step + smooth * smooth);
}

static void link_take(struct ends_task *task, const struct metal_solution *end, int a, int i, int j)
{
    const int p = i + (a == 0), q = j + (a == 1);
    const double x = 0.5 * (i + p), y = 0.5 * (j + q);
    if (!is_inside(task, i, j) || !is_inside(task, p, q) || end_distance_of(end, x, y) > NEAR ||
        !is_nearest(task, end, x, y)) {
        return;
    }
    const double weight = link_weight(task, end, a, i, j);
    float *part = &task->part[a][node_of(task, i, j)], *mass = &task->mass[a][node_of(task, i, j)];
    if (weight > LEAST && *part > 0) {
        const bool wide = upright_at(task, i, j) != 0 && upright_at(task, p, q) != 0 && weight < WIDE_MOST;
        *part = wide ? 1 : (float)(1 / weight);
        *mass = wide ? (float)weight : 1;
    }
}

static void links_take(struct ends_task *task, const struct metal_solution *end)
{
    const double far = NEAR + 1 + (end->form == METAL_POST ? end->radius : 0);
    for (int j = (int)floor(end->at.y - far); j <= end->at.y + far; j++) {
        for (int i = (int)floor(end->at.x - far); i <= end->at.x + far; i++) {
            link_take(task, end, 0, i, j);
            link_take(task, end, 1, i, j);
        }
    }
}

/* ---- the grid's operator ----------------------------------------------------------------------------------------- */

/* Whether wide differences along axis a go across the node, as in discretize/volume/cut_rows.c. */
static bool is_open(const struct ends_task *task, int a, int i, int j)
{
    const int dx = a == 0, dy = a == 1;
    bool open = true;
    for (int n = -1; n <= 1; n++) {
        const int x = i + n * dx, y = j + n * dy;
        open = open && upright_at(task, x, y) != 0 &&
               (n == 1 || !is_inside(task, x, y) || task->part[a][node_of(task, x, y)] == 1);
    }
    return open;
}

static void smooth_line(const struct ends_task *task, const double open[LINE + 1], double value[LINE])
{
    double sum[LINE], next[LINE];
    for (int f = 0; f < LINE; f++) {
        sum[f] = task->polynomial[task->reach - 1] * value[f];
    }
    for (int m = task->reach - 2; m >= 0; m--) {
        for (int f = 0; f < LINE; f++) {
            next[f] = task->polynomial[m] * value[f];
            next[f] += f > 0 ? open[f] * (sum[f] - sum[f - 1]) : 0;
            next[f] += f + 1 < LINE ? open[f + 1] * (sum[f] - sum[f + 1]) : 0;
        }
        memcpy(sum, next, sizeof sum);
    }
    memcpy(value, sum, sizeof sum);
}

/* The row of the operator along axis a at node (i, j): row[HALF + m] is the factor of the node m further on. */
static void line_row(const struct ends_task *task, int a, int i, int j, double row[LINE + 1])
{
    const int dx = a == 0, dy = a == 1;
    double value[LINE] = {0}, open[LINE + 1];
    for (int n = 0; n <= LINE; n++) {
        open[n] = is_open(task, a, i + (n - HALF) * dx, j + (n - HALF) * dy);
    }
    value[HALF - 1] = 1;
    value[HALF] = -1;
    smooth_line(task, open, value);
    for (int n = 0; n < LINE; n++) {
        const int x = i + (n - HALF) * dx, y = j + (n - HALF) * dy;
        if (is_inside(task, x, y) && value[n] != 0) {
            const double part = task->part[a][node_of(task, x, y)];
            value[n] *= part > 0 ? task->mass[a][node_of(task, x, y)] / part : 0;
        }
    }
    smooth_line(task, open, value);
    for (int n = 0; n <= LINE; n++) {
        row[n] = (n > 0 ? value[n - 1] : 0) - (n < LINE ? value[n] : 0);
    }
}

/* ---- a patch ----------------------------------------------------------------------------------------------------- */

static double mode_at(const struct ends_task *task, struct patch *patch, int p, int i, int j)
{
    double *known = &patch->known[p][j - patch->corner[1] + HALF][i - patch->corner[0] + HALF];
    *known = isnan(*known) ? end_mode_at(patch->end, p, i, j, task->turn) : *known;
    return *known;
}

/* Adds what the row along axis a of unknown u has. */
static void patch_add(const struct ends_task *task, struct patch *patch, int a, int u)
{
    double row[LINE + 1];
    line_row(task, a, patch->node[u][0], patch->node[u][1], row);
    for (int m = -HALF; m <= HALF; m++) {
        const int i = patch->node[u][0] + m * (a == 0), j = patch->node[u][1] + m * (a == 1);
        if (row[HALF + m] == 0 || !is_inside(task, i, j) || upright_at(task, i, j) == 0) {
            continue;
        }
        for (int p = 0; p < patch->modes; p++) {
            patch->rest[p][u] += row[HALF + m] * mode_at(task, patch, p, i, j);
        }
        const int x = i - patch->corner[0], y = j - patch->corner[1];
        if (x >= 0 && y >= 0 && x < SIDE && y < SIDE && patch->number[y][x] >= 0) {
            patch->matrix[u][patch->number[y][x]] += row[HALF + m];
        }
    }
}

static void patch_assemble(const struct ends_task *task, struct patch *patch)
{
    for (int u = 0; u < patch->count; u++) {
        const int i = patch->node[u][0], j = patch->node[u][1];
        const double square = task->turn * task->turn * task->share[node_of(task, i, j)];
        memset(patch->matrix[u], 0, sizeof patch->matrix[u]);
        patch->matrix[u][u] = -square;
        for (int p = 0; p < patch->modes; p++) {
            patch->mode[p][u] = mode_at(task, patch, p, i, j);
            patch->rest[p][u] = -square * patch->mode[p][u];
        }
        patch_add(task, patch, 0, u);
        patch_add(task, patch, 1, u);
    }
}

/* Cholesky's factors in the lower half. False: the matrix is not positive. */
static bool patch_factor(struct patch *patch)
{
    for (int c = 0; c < patch->count; c++) {
        for (int r = c; r < patch->count; r++) {
            double sum = patch->matrix[r][c];
            for (int k = 0; k < c; k++) {
                sum -= patch->matrix[r][k] * patch->matrix[c][k];
            }
            if (r == c && !(sum > 0)) {
                return false;
            }
            patch->matrix[r][c] = r == c ? sqrt(sum) : sum / patch->matrix[c][c];
        }
    }
    return true;
}

static void patch_solve(struct patch *patch, const double *right)
{
    double *x = patch->answer;
    for (int u = 0; u < patch->count; u++) {
        x[u] = right[u];
        for (int k = 0; k < u; k++) {
            x[u] -= patch->matrix[u][k] * x[k];
        }
        x[u] /= patch->matrix[u][u];
    }
    for (int u = patch->count - 1; u >= 0; u--) {
        for (int k = u + 1; k < patch->count; k++) {
            x[u] -= patch->matrix[k][u] * x[k];
        }
        x[u] /= patch->matrix[u][u];
    }
}

/* S_0q with the links scaled by t. */
static bool patch_scatter(const struct ends_task *task, struct patch *patch, const double t[MODES],
                          double scatter[MODES])
{
    for (int l = 0; l < patch->link_count; l++) {
        const struct scaled_link *link = &patch->link[l];
        double power = 0;
        for (int m = 0; m < patch->modes; m++) {
            power += t[m] * link->shape[m];
        }
        *link->part = (float)(link->base * exp(-power));
    }
    patch_assemble(task, patch);
    if (!patch_factor(patch)) {
        return false;
    }
    patch_solve(patch, patch->rest[0]);
    for (int q = 0; q < patch->modes; q++) {
        scatter[q] = 0;
        for (int u = 0; u < patch->count; u++) {
            scatter[q] += patch->mode[q][u] * patch->rest[0][u] - patch->rest[q][u] * patch->answer[u];
        }
    }
    return true;
}

/* A step of Newton's for t; at most by 1/2, and no farther than 1 from 0. */
static void newton_step(int n, double jacobian[MODES][MODES + 1], double t[MODES])
{
    for (int c = 0; c < n; c++) {
        for (int r = 0; r < n; r++) {
            const double factor = r != c && jacobian[c][c] != 0 ? jacobian[r][c] / jacobian[c][c] : 0;
            for (int k = c; k <= n && r != c; k++) {
                jacobian[r][k] -= factor * jacobian[c][k];
            }
        }
    }
    for (int c = 0; c < n; c++) {
        const double step = jacobian[c][c] != 0 ? jacobian[c][n] / jacobian[c][c] : 0;
        t[c] = fmin(fmax(t[c] + fmin(fmax(step, -0.5), 0.5), -1), 1);
    }
}

static void patch_settle(const struct ends_task *task, struct patch *patch)
{
    static const double SMALL = 0.01;
    double t[MODES] = {0}, scatter[MODES] = {0}, moved[MODES] = {0}, jacobian[MODES][MODES + 1];
    for (int pass = 0; pass < PASSES; pass++) {
        bool solved = patch_scatter(task, patch, t, scatter);
        for (int m = 0; m < patch->modes && solved; m++) {
            double beside[MODES];
            memcpy(beside, t, sizeof beside);
            beside[m] += SMALL;
            solved = patch_scatter(task, patch, beside, moved);
            jacobian[m][patch->modes] = -scatter[m];
            for (int q = 0; q < patch->modes; q++) {
                jacobian[q][m] = (moved[q] - scatter[q]) / SMALL;
            }
        }
        if (!solved) {
            memset(t, 0, sizeof t);
            break;
        }
        newton_step(patch->modes, jacobian, t);
    }
    patch_scatter(task, patch, t, scatter);
}

/* The link from node (i, j) on, if it is one to metal. */
static void patch_take_link(const struct ends_task *task, struct patch *patch, int a, int i, int j)
{
    const int p = i + (a == 0), q = j + (a == 1);
    const double x = 0.5 * (i + p), y = 0.5 * (j + q);
    if (!is_inside(task, i, j) || !is_inside(task, p, q) ||
        (upright_at(task, i, j) == 0) == (upright_at(task, p, q) == 0) || end_distance_of(patch->end, x, y) > SCALED ||
        patch->link_count == LINKS || !is_nearest(task, patch->end, x, y) || task->part[a][node_of(task, i, j)] <= 0) {
        return;
    }
    struct scaled_link *link = &patch->link[patch->link_count++];
    float *mass = &task->mass[a][node_of(task, i, j)];
    link->part = &task->part[a][node_of(task, i, j)];
    link->base = *link->part / *mass;
    *mass = 1;
    for (int m = 0; m < patch->modes; m++) {
        link->shape[m] = end_shape_at(patch->end, m, x, y);
    }
}

/* Takes the nodes of a patch; a patch ends before another end. False: it meets a staircase. */
static bool patch_begin(const struct ends_task *task, const struct metal_solution *end, struct patch *patch)
{
    double reach = fmin(PATCH, PATCH_TURN / task->turn);
    for (int n = 0; n < task->count; n++) {
        const double other = end_distance_of(&task->ends[n], end->at.x, end->at.y);
        reach = &task->ends[n] == end ? reach : fmin(reach, fmax(other - 1, 1.5));
    }
    patch->end = end;
    patch->modes = end->form == METAL_POST ? 3 : 2;
    patch->count = 0;
    patch->link_count = 0;
    patch->corner[0] = (int)lround(end->at.x) - FAR_MOST;
    patch->corner[1] = (int)lround(end->at.y) - FAR_MOST;
    for (int n = 0; n < MODES * BOX * BOX; n++) {
        patch->known[n / BOX / BOX][n / BOX % BOX][n % BOX] = NAN;
    }
    for (int n = 0; n < UNKNOWNS; n++) {
        const int i = patch->corner[0] + n % SIDE, j = patch->corner[1] + n / SIDE;
        const float upright = upright_at(task, i, j);
        if (upright == METAL_STAIRCASE) {
            return false;
        }
        const bool unknown = is_inside(task, i, j) && upright != 0 && end_distance_of(end, i, j) <= reach;
        patch->number[n / SIDE][n % SIDE] = unknown ? patch->count : -1;
        if (unknown) {
            patch->node[patch->count][0] = i;
            patch->node[patch->count++][1] = j;
        }
    }
    for (int n = 0; n < UNKNOWNS; n++) {
        patch_take_link(task, patch, 0, patch->corner[0] + n % SIDE, patch->corner[1] + n / SIDE);
        patch_take_link(task, patch, 1, patch->corner[0] + n % SIDE, patch->corner[1] + n / SIDE);
    }
    return true;
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static void ends_find(struct ends_task *task)
{
    const struct metal_edges *edges = &task->edges;
    task->count = 0;
    for (int64_t c = 0; c < edges->corner_count; c++) {
        const struct metal_corner *own = &edges->corners[c];
        if (own->opening > OPENING_LEAST) {
            task->ends[task->count++] = (struct metal_solution){
                .form = METAL_CORNER, .at = own->at, .face = own->face, .opening = own->opening};
        }
    }
    for (int64_t p = 0; p < edges->post_count; p++) {
        const struct metal_post *own = &edges->posts[p];
        if (own->radius < RADIUS_MOST) {
            task->ends[task->count++] =
                (struct metal_solution){.form = METAL_POST, .at = own->at, .radius = own->radius};
        }
    }
}

static pw_status level_settle(struct ends_task *task, pw_error *error)
{
    const size_t most = (size_t)(task->edges.corner_count + task->edges.post_count);
    task->ends = allocate(most, sizeof *task->ends, "ends of metal", error);
    task->patch = allocate(1, sizeof *task->patch, "ends of metal", error);
    TRY_MADE(task->ends != NULL && task->patch != NULL);
    ends_find(task);
    for (int n = 0; n < task->count; n++) {
        links_take(task, &task->ends[n]);
    }
    for (int n = 0; n < task->count; n++) {
        if (patch_begin(task, &task->ends[n], task->patch)) {
            patch_settle(task, task->patch);
        }
    }
    return PW_OK;
}

/* Level k, which has upright edges that no level before it has. */
static pw_status ends_at_level(const struct ends_task *common, const struct building *building,
                               const struct raster_grid *grid, int k, pw_error *error)
{
    const struct metal_volume *cuts = common->cuts;
    const int layer = cuts->edge_layer[2][k], face[2] = {cuts->face_layer[1][k], cuts->face_layer[0][k]};
    struct ends_task task = *common;
    task.upright = cuts->edge[layer];
    task.share = cuts->mass[layer];
    for (int a = 0; a < 2; a++) {
        task.part[a] = cuts->face[face[a]];
        task.mass[a] = cuts->face_mass[face[a]];
    }
    pw_status status = metal_edges_create(&building->bands[cuts->band[k]], grid, &task.edges, error);
    THEN(status, level_settle(&task, error));
    free(task.ends);
    free(task.patch);
    metal_edges_free(&task.edges);
    return status;
}

pw_status metal_ends_settle(struct metal_volume *cuts, const struct building *building, const struct raster_grid *grid,
                            pw_error *error)
{
    struct ends_task task = {.cuts = cuts, .reach = grid->stencil->reach, .turn = grid->wave_number * grid->cell};
    OWNED int *levels = allocate((size_t)cuts->nz, sizeof *levels, "ends of metal", error);
    pw_status status = PW_OK;
    TRY_MADE(levels);
    stencil_polynomial(grid->stencil->difference, task.reach, task.polynomial);
    const int count = end_levels_find(cuts, levels);
#pragma omp parallel for schedule(dynamic, 1) if (end_levels_are_apart(cuts, levels, count))
    for (int n = 0; n < count; n++) {
        pw_error own = {""};
        const pw_status settled = ends_at_level(&task, building, grid, levels[n], &own);
#pragma omp critical
        status = settled == PW_OK || status != PW_OK ? status : fail(error, settled, "%s", own.message);
    }
    return status;
}
