/* Shares of volume beside metal (metal_mass.h). Edges along flat metal have the share of metal_law.h. Then shares are
 * raised until no time step of the scheme is too long.
 *
 * C has the signs of the edges around a face, l are the parts of edges, M their shares, A the parts of faces over the
 * masses of faces. The grid is a sum over cubes, each with half of its faces and a quarter of its edges. So a bound
 * that holds in every cube holds in the grid: no eigenvalue of A^-1/2 C (l/M) C^T A^-1/2 is over 6 limit. Faces without
 * metal have wide differences, which are steeper by 1/limit. A cube of such faces has 6 limit. */
#include "medium/metal/metal_mass.h"

#include "medium/metal/ends/metal_ends.h"
#include "medium/metal/metal_beside.h"
#include "medium/metal/metal_law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACES = 6, EDGES = 12, PASSES = 200, ROTATIONS = 30 };

/* A cube that is not bounded yet. */
struct loose_cube {
    int i, j, k;
    bool bounded;
};

/* An edge of a cube: its component and its node, from that of the cube. */
struct cube_edge {
    int component, offset[3];
};

struct mass_task {
    struct metal_volume *cuts;
    double limit;
    int reach;
    double smooth[REACH_LIMIT]; /* what h at a face is of itself and of the faces beside it, absolute, of all: 1 */
    float **raised;             /* (edge_layers) of (ny, nx), owned: what the pass at hand makes of masses of cubes */
    struct cube_edge edges[EDGES]; /* of any cube */
    int signs[FACES][EDGES];
    struct loose_cube *loose; /* (count), owned */
    int64_t count;
};

/* Along a wall cubes are like the one before; a thread's own. */
struct last_cube {
    double matrix[FACES][EDGES], norm, shares[EDGES];
};

/* Edge n of a cube: four of each component. */
static struct cube_edge cube_edge_of(int n)
{
    struct cube_edge edge = {.component = n / 4};
    edge.offset[(edge.component + 1) % 3] = n & 1;
    edge.offset[(edge.component + 2) % 3] = n >> 1 & 1;
    return edge;
}

/* The sign of an edge around face f of a cube, which stands across axis f/2 at its low or its high side; 0: another
 * face's. */
static int sign_of(int f, const struct cube_edge *edge)
{
    const int across = f / 2, side = f % 2;
    if (edge->component == across || edge->offset[across] != side) {
        return 0;
    }
    const int next = (across + 1) % 3, other = 3 - across - edge->component;
    const int sign = edge->offset[other] == 0 ? 1 : -1;
    return edge->component == next ? sign : -sign;
}

/* ---- a cube ------------------------------------------------------------------------------------------------------ */

/* Mass of a face with wide differences: the mean over the faces that its h is of, by what it is of them. */
static double mean_mass(const struct mass_task *task, int d, const int at[3])
{
    double most = 0;
    for (int n = 1; n <= 2; n++) {
        const int a = (d + n) % 3;
        double sum = 0;
        for (int m = 1 - task->reach; m < task->reach; m++) {
            int face[3] = {at[0], at[1], at[2]};
            face[a] += m;
            sum += task->smooth[m < 0 ? -m : m] * metal_face_mass_at(task->cuts, d, face[0], face[1], face[2]);
        }
        most = fmax(most, sum);
    }
    return most;
}

/* Rows of A^-1/2 C (l/M)^1/2. False: a cube of air, of metal alone, or as in air. */
static bool cube_read(const struct mass_task *task, const struct loose_cube *at, double matrix[FACES][EDGES])
{
    const struct metal_volume *cuts = task->cuts;
    double root[EDGES], face[FACES];
    bool cut = false, some = false, special = false, whole[EDGES];
    for (int n = 0; n < EDGES; n++) {
        const struct cube_edge *edge = &task->edges[n];
        const int i = at->i + edge->offset[0], j = at->j + edge->offset[1], k = at->k + edge->offset[2];
        const double part = metal_edge_at(cuts, edge->component, i, j, k),
                     mass = metal_mass_at(cuts, edge->component, i, j, k);
        const bool wall = i == cuts->nx || j == cuts->ny || k == cuts->nz; /* of the grid: E is zero there */
        whole[n] = part == 1 || part == METAL_STAIRCASE;
        cut = cut || part != 1 || mass != 1;
        special = special || !whole[n] || mass != 1;
        some = some || part != 0;
        root[n] = wall ? 0 : (part == METAL_STAIRCASE ? 1 : part) / mass;
    }
    for (int f = 0; f < FACES && some; f++) {
        const int at_face[3] = {at->i + (f == 1), at->j + (f == 3), at->k + (f == 5)};
        const double area = metal_face_at(cuts, f / 2, at_face[0], at_face[1], at_face[2]),
                     mass = metal_face_mass_at(cuts, f / 2, at_face[0], at_face[1], at_face[2]);
        bool plain = area == 1;
        for (int n = 0; n < EDGES; n++) {
            plain = plain && (whole[n] || task->signs[f][n] == 0);
        }
        const double mean = plain ? mean_mass(task, f / 2, at_face) : 0;
        face[f] = plain ? 1 / (task->limit * mean) : area / mass;
        cut = cut || area / mass != 1;
        special = special || fabs(mean - 1) > 1e-12;
    }
    for (int f = 0; f < FACES && cut && some && special; f++) {
        for (int n = 0; n < EDGES; n++) {
            matrix[f][n] = face[f] > 0 && task->signs[f][n] != 0 ? task->signs[f][n] * sqrt(root[n] / face[f]) : 0;
        }
    }
    return cut && some && special;
}

/* Turns rows p and q of a symmetric matrix, and of the vectors, so that their common entry is zero. */
static void rotate(double a[FACES][FACES], double vectors[FACES][FACES], int p, int q)
{
    const double theta = 0.5 * atan2(2 * a[p][q], a[q][q] - a[p][p]), c = cos(theta), s = sin(theta);
    for (int n = 0; n < FACES; n++) {
        const double x = a[p][n], y = a[q][n], u = vectors[p][n], v = vectors[q][n];
        a[p][n] = c * x - s * y;
        a[q][n] = s * x + c * y;
        vectors[p][n] = c * u - s * v;
        vectors[q][n] = s * u + c * v;
    }
    for (int n = 0; n < FACES; n++) {
        const double x = a[n][p], y = a[n][q];
        a[n][p] = c * x - s * y;
        a[n][q] = s * x + c * y;
    }
}

/* The largest eigenvalue of the cube, and how much of it each edge has: the square of its part of the mode. Where sums
 * of rows show that it is at most `enough`, 0. */
static double cube_norm(double matrix[FACES][EDGES], double enough, double shares[EDGES])
{
    double a[FACES][FACES] = {{0}}, vectors[FACES][FACES] = {{0}}, bound = 0;
    for (int f = 0; f < FACES; f++) {
        double sum = 0;
        vectors[f][f] = 1;
        for (int g = 0; g < FACES; g++) {
            for (int n = 0; n < EDGES; n++) {
                a[f][g] += matrix[f][n] * matrix[g][n];
            }
            sum += fabs(a[f][g]);
        }
        bound = fmax(bound, sum);
    }
    int best = 0;
    if (bound <= enough) {
        return 0;
    }
    for (int sweep = 0; sweep < ROTATIONS; sweep++) {
        double left = 0;
        for (int p = 0; p < FACES; p++) {
            for (int q = p + 1; q < FACES; q++) {
                left = fmax(left, fabs(a[p][q]));
                rotate(a, vectors, p, q);
            }
        }
        if (left < 1e-12 * bound) {
            break;
        }
    }
    for (int f = 1; f < FACES; f++) {
        best = a[f][f] > a[best][best] ? f : best;
    }
    for (int n = 0; n < EDGES; n++) {
        double mode = 0;
        for (int f = 0; f < FACES; f++) {
            mode += vectors[best][f] * matrix[f][n];
        }
        shares[n] = mode * mode;
    }
    return a[best][best];
}

/* ---- all cubes --------------------------------------------------------------------------------------------------- */

/* Whether a node is no farther along an axis from the places that metal may cut than masses count. */
static bool is_near(const struct mass_task *task, int a, int at)
{
    const int far = task->reach + 2;
    return at >= task->cuts->first[a] - far && at < task->cuts->end[a] + far;
}

/* Cubes of row j of level k that are beside metal: how many, and where there is room for them, which. */
static int64_t row_list(const struct mass_task *task, const uint8_t *beside, int j, int k, struct loose_cube *cubes)
{
    const int nx = task->cuts->nx;
    int64_t count = 0;
    for (int i = 0; i < nx && beside != NULL && is_near(task, 1, j); i++) {
        if (beside[(size_t)j * (size_t)nx + (size_t)i] != 0 && is_near(task, 0, i)) {
            if (cubes != NULL) {
                cubes[count] = (struct loose_cube){i, j, k, false};
            }
            count++;
        }
    }
    return count;
}

/* Of all levels, row by row. first (rows of all levels + 1) is work space: how many cubes are before each row. */
static pw_status rows_list(struct mass_task *task, uint8_t *const *beside, int64_t *first, pw_error *error)
{
    const int ny = task->cuts->ny;
    const int64_t rows = (int64_t)task->cuts->nz * ny;
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t n = 0; n < rows; n++) {
        first[n + 1] = row_list(task, beside[n / ny], (int)(n % ny), (int)(n / ny), NULL);
    }
    for (int64_t n = 0; n < rows; n++) {
        first[n + 1] += first[n];
    }
    task->count = first[rows];
    task->loose = allocate((size_t)task->count, sizeof *task->loose, "cells beside metal", error);
    TRY_MADE(task->loose);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t n = 0; n < rows; n++) {
        if (first[n + 1] > first[n]) {
            row_list(task, beside[n / ny], (int)(n % ny), (int)(n / ny), task->loose + first[n]);
        }
    }
    return PW_OK;
}

/* All cubes beside metal; of levels that look alike those of one. */
static pw_status cubes_list(struct mass_task *task, pw_error *error)
{
    const struct metal_volume *cuts = task->cuts;
    OWNED bool *wanted = metal_levels_apart(cuts, -1, 1, error);
    OWNED int64_t *first = allocate((size_t)cuts->nz * (size_t)cuts->ny + 1, sizeof *first, "metal", error);
    uint8_t **beside = allocate((size_t)cuts->nz, sizeof *beside, "metal", error);
    pw_status status = wanted != NULL && first != NULL && beside != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int k = 0; k < cuts->nz && status == PW_OK; k++) {
        wanted[k] = wanted[k] && is_near(task, 2, k);
    }
    THEN(status, metal_beside_find(cuts, wanted, true, beside, error));
    THEN(status, rows_list(task, beside, first, error));
    metal_beside_free(cuts, beside);
    return status;
}

/* The layer and the place of edge n of a cube. False: it has no mass that may change. */
static bool edge_place(const struct mass_task *task, const struct loose_cube *at, int n, int *layer, size_t *place)
{
    const struct metal_volume *cuts = task->cuts;
    const struct cube_edge *edge = &task->edges[n];
    const int i = at->i + edge->offset[0], j = at->j + edge->offset[1], k = at->k + edge->offset[2];
    *layer = k < cuts->nz ? cuts->edge_layer[edge->component][k] : 0;
    *place = (size_t)j * (size_t)cuts->nx + (size_t)i;
    return *layer > 0 && i < cuts->nx && j < cuts->ny;
}

/* Raises the shares of a cube by what it is over the bound, most where its mode is strongest. False: it is bounded. */
static bool cube_raise(const struct mass_task *task, const struct loose_cube *at, struct last_cube *last)
{
    double matrix[FACES][EDGES], most = 0;
    if (!cube_read(task, at, matrix)) {
        return false;
    }
    if (memcmp(matrix, last->matrix, sizeof matrix) != 0) {
        memcpy(last->matrix, matrix, sizeof matrix);
        last->norm = cube_norm(matrix, 6 * task->limit, last->shares);
    }
    const double over = last->norm / (6 * task->limit), *shares = last->shares;
    if (over <= 1 + 1e-9) {
        return false;
    }
    for (int n = 0; n < EDGES; n++) {
        most = fmax(most, shares[n]);
    }
    for (int n = 0; n < EDGES; n++) {
        int layer;
        size_t place;
        if (edge_place(task, at, n, &layer, &place)) {
            float own = task->cuts->mass[layer][place] * (float)(1 + (over - 1 + 1e-6) * shares[n] / most);
            float *raised = &task->raised[layer][place], seen;
            __atomic_load(raised, &seen, __ATOMIC_RELAXED);
            while (seen < own &&
                   !__atomic_compare_exchange(raised, &seen, &own, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            } /* the larger one stays, whichever thread comes first */
        }
    }
    return true;
}

/* Passes over the cubes that are not bounded: all see the shares that the pass before has left, so that a mirrored plan
 * has mirrored shares, and threads may take them in any order. */
static void cubes_settle(struct mass_task *task)
{
    struct metal_volume *cuts = task->cuts;
#pragma omp parallel for schedule(static)
    for (int64_t n = 0; n < task->count; n++) {
        for (int e = 0; e < EDGES; e++) {
            int layer;
            size_t place;
            if (edge_place(task, &task->loose[n], e, &layer, &place)) { /* other cubes have the edge too */
                __atomic_store(&task->raised[layer][place], &cuts->mass[layer][place], __ATOMIC_RELAXED);
            }
        }
    }
    for (int pass = 0; pass < PASSES && task->count > 0; pass++) {
        int64_t left = 0;
#pragma omp parallel
        {
            struct last_cube last = {{{0}}, 0, {0}};
#pragma omp for schedule(static)
            for (int64_t n = 0; n < task->count; n++) {
                task->loose[n].bounded = !cube_raise(task, &task->loose[n], &last);
            }
        }
        for (int64_t n = 0; n < task->count; n++) {
            for (int e = 0; e < EDGES && !task->loose[n].bounded; e++) {
                int layer;
                size_t place;
                if (edge_place(task, &task->loose[n], e, &layer, &place)) {
                    cuts->mass[layer][place] = task->raised[layer][place];
                }
            }
            if (!task->loose[n].bounded) {
                task->loose[left++] = task->loose[n];
            }
        }
        task->count = left;
    }
}

pw_status metal_mass_settle(struct metal_volume *cuts, const struct building *building, const struct raster_grid *grid,
                            pw_error *error)
{
    const struct stencil *stencil = grid->stencil;
    const struct metal_wall wall = metal_wall_of(stencil, MEAN_TURN * grid->wave_number * grid->cell);
    const double steepness = stencil->courant_limit * stencil->courant_limit * stencil->second_moment;
    struct mass_task task = {.cuts = cuts, .limit = 1 / steepness};
    const size_t nodes = (size_t)cuts->nx * (size_t)cuts->ny;
    pw_status status = PW_OK;
    double part = 0, sum = 0;
    task.reach = stencil->reach;
    for (int l = stencil->reach - 1; l >= 0; l--) {
        part += stencil->difference[l];
        task.smooth[l] = fabs(part);
        sum += (l > 0 ? 2 : 1) * task.smooth[l];
    }
    for (int l = 0; l < stencil->reach; l++) {
        task.smooth[l] /= sum;
    }
    for (int n = 0; n < EDGES; n++) {
        task.edges[n] = cube_edge_of(n);
        for (int f = 0; f < FACES; f++) {
            task.signs[f][n] = sign_of(f, &task.edges[n]);
        }
    }
    TRY(metal_law_settle(cuts, &wall, error));
    TRY(metal_ends_settle(cuts, building, grid, error));
    task.raised = allocate((size_t)cuts->edge_layers, sizeof *task.raised, "metal", error);
    status = task.raised != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int l = 1; l < cuts->edge_layers && status == PW_OK; l++) {
        task.raised[l] = allocate(nodes, sizeof(float), "metal", error);
        status = task.raised[l] != NULL ? PW_OK : PW_NO_RESOURCE;
    }
    THEN(status, cubes_list(&task, error));
    if (status == PW_OK) {
        cubes_settle(&task);
    }
    for (int l = 1; l < cuts->edge_layers && task.raised != NULL; l++) {
        free(task.raised[l]);
    }
    free(task.raised);
    free(task.loose);
    return status;
}
