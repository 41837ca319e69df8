/* The rows beside metal of Ez (ez_rows.h). On the lines of the lattice the difference across metal is left out, the
 * differences beside it are shorter, so that none steps over metal, and L = -G^T G with what is left: symmetric, so
 * that energy is conserved and reciprocity holds. A difference along a face counts as much as the volumes M of its two
 * nodes. Then W and M of each node follow from the local solution there; the share M is raised where the row would
 * otherwise be stiffer than any of the free grid, so that the time step stays what it is. */
#include "discretize/metal/ez_rows.h"

#include "discretize/metal/ez_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The wave numbers at which a row is exact, over that of the band's centre: waves meet faces aslant. */
static const double TURNS[2] = {0.45, 1};
/* A local solution is looked at no farther than this [rad] from metal: it vanishes again at 3.1 or more. */
static const double FIRST_ZERO = 2.4;
/* Bounds of the share of volume and of the stiffness. */
static const double LEAST_SHARE = 0.3, MOST_SHARE = 8, LEAST_STIFFNESS = -0.3;

void ez_rows_clear(const struct setup *setup, struct raster_grid *grid)
{
    const struct problem *problem = &setup->problem;
    if (setup->scenario->grid.averaging == AVERAGING_POINT) {
        return;
    }
    grid->clear_of_edges = absorber_has(&setup->scenario->grid.absorber, ABSORBER_MUR, 2);
    for (int a = 0; a < 2; a++) {
        const int least = 2 * problem->reach + 1, low = setup_absorber_cells(setup, a, 0) + problem->reach,
                  high = setup_absorber_cells(setup, a, 1) + problem->reach;
        const int far = 2 * (problem->reach - 1); /* from a link that is cut to the ends of differences across it */
        grid->clear[a].first = (low > least ? low : least) + far + 1; /* node n - i is the mirror of node i */
        grid->clear[a].end = problem->axis[a].count - (high > least ? high : least) - far;
    }
}

/* ---- numbers of a node ---------------------------------------------------------------------------------------------
 */

/* (G^T G u)/u at the node, u its local solution. */
static double row_on_solution(const struct beside *node, const struct metal_solution *solution, double lines[2][LINE],
                              double turn)
{
    double sum = 0;
    for (int a = 0; a < 2; a++) {
        for (int m = -MIDDLE; m <= MIDDLE; m++) {
            if (lines[a][MIDDLE + m] != 0) {
                const struct point there = {node->i + (a == 0 ? m : 0), node->j + (a == 1 ? m : 0)};
                sum += lines[a][MIDDLE + m] * metal_solution_at(solution, there, turn);
            }
        }
    }
    return sum / metal_solution_at(solution, (struct point){node->i, node->j}, turn);
}

static double row_size(double lines[2][LINE])
{
    double sum = 0;
    for (int a = 0; a < 2; a++) {
        for (int m = 0; m < LINE; m++) {
            sum += m == MIDDLE ? 0 : fabs(lines[a][m]);
        }
    }
    return sum + lines[0][MIDDLE] + lines[1][MIDDLE];
}

/* Whether rows may change all of the node's differences, so that it may have a share of volume. */
static bool is_clear(const struct rows_task *task, const struct beside *node)
{
    return ez_may_have_terms(task, 0, node->i, node->j) && ez_may_have_terms(task, 1, node->i, node->j);
}

/* How far the node stands from where its local solution vanishes [cells]. */
static double from_metal(const struct beside *node, const struct metal_solution *solution)
{
    const double r = hypot(node->i - solution->at.x, node->j - solution->at.y);
    return solution->form == METAL_CORNER ? r : node->distance;
}

/* W and M: exact for the local solution at both wave numbers, within the bounds; then at the larger one alone. */
static void fit_node(const struct rows_task *task, struct beside *node, const struct metal_solution *solution,
                     double lines[2][LINE])
{
    const struct medium *medium = &task->setup->medium;
    const double index = sqrt(medium->palette[medium->index[ez_node_of(task, node->i, node->j)]].relative_permittivity);
    const double most_turn = fmin(index * task->turn, FIRST_ZERO / from_metal(node, solution));
    const struct metal_solution far = {
        .form = METAL_WAVE, .at = {node->i, node->j}, .normal = {solution->normal[0], solution->normal[1]}};
    const bool is_far = solution->form == METAL_FACE && index * task->turn * node->distance > FIRST_ZERO;
    double force[2], square[2];
    for (int f = 0; f < 2; f++) {
        const double turn = TURNS[f] * (is_far ? index * task->turn : most_turn);
        force[f] = row_on_solution(node, is_far ? &far : solution, lines, turn);
        square[f] = turn * turn;
    }
    const double size = row_size(lines);
    if (!is_clear(task, node)) { /* in the absorber: nothing negative, or what its filters hold back may grow */
        node->share = 1;
        node->stiffness = fmin(fmax(square[1] - force[1], 0), task->most - size);
        return;
    }
    const double fitted = (force[1] - force[0]) / (square[1] - square[0]);
    double share = fmin(fmax(fitted, LEAST_SHARE), MOST_SHARE);
    if (size + square[1] * share - force[1] > task->most * share) {
        share = (size - force[1]) / (task->most - square[1]);
    }
    node->stiffness = fmax(square[1] * share - force[1], LEAST_STIFFNESS);
    node->share = fmax(share, (size + node->stiffness) / task->most);
}

/* ---- the passes ----------------------------------------------------------------------------------------------------
 */

static bool may_have_row(const struct rows_task *task, const struct beside *node)
{
    return ez_may_have_terms(task, 0, node->i, node->j) || ez_may_have_terms(task, 1, node->i, node->j);
}

/* Nodes that have a row because differences along faces count otherwise there. */
static void find_weighted_rows(struct rows_task *task)
{
    task->weighted = true;
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t n = 0; n < task->count; n++) {
        struct beside *node = &task->beside[n];
        double line[LINE];
        for (int a = 0; a < 2 && !node->row && may_have_row(task, node); a++) {
            node->row = ez_line_row(task, a, node->i, node->j, line);
        }
    }
}

/* Nodes whose usual row would differ beside metal; at faces their shares, without weights along faces. */
static void find_rows(struct rows_task *task)
{
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t n = 0; n < task->count; n++) {
        struct beside *node = &task->beside[n];
        double lines[2][LINE];
        if (!may_have_row(task, node)) {
            continue;
        }
        bool special = ez_line_row(task, 0, node->i, node->j, lines[0]);
        special = ez_line_row(task, 1, node->i, node->j, lines[1]) || special;
        node->row = special ||
                    (is_clear(task, node) && (node->solution.form == METAL_CORNER ||
                                              (node->solution.form == METAL_POST && node->distance < EZ_CORNER_REACH)));
        node->face = node->face || (special && node->solution.form == METAL_FACE);
        if (special && node->face) {
            fit_node(task, node, &node->before, lines);
            node->face_share = node->share;
        }
    }
}

struct row_sums {
    int count;
    struct metal_term term[2 * LINE];
};

/* What the usual L Ez of the problem takes of the node m further on. */
static double usual_tap(const struct problem *problem, int m)
{
    const int far = abs(m);
    return far == 0 ? problem->centre : far <= problem->laplacian_taps ? problem->laplacian[far - 1] : 0;
}

static void make_row(const struct rows_task *task, const struct beside *node, double lines[2][LINE],
                     struct row_sums *row)
{
    const struct problem *problem = task->problem;
    const size_t here = ez_node_of(task, node->i, node->j);
    const double cb = problem_coefficient(problem, problem->coefficient_index[here])[COEFFICIENT_CB];
    const double factor = -1 / (node->share * task->scale);
    double centre = factor * node->stiffness;
    row->count = 0;
    for (int a = 0; a < 2; a++) {
        if (!ez_may_have_terms(task, a, node->i, node->j)) {
            continue;
        }
        for (int m = -problem->laplacian_taps; m <= problem->laplacian_taps; m++) {
            const double weight = factor * lines[a][MIDDLE + m] - usual_tap(problem, m);
            const int i = node->i + (a == 0 ? m : 0), j = node->j + (a == 1 ? m : 0);
            if (m == 0) {
                centre += weight;
            } else if (fabs(weight) > 1e-13 && ez_is_inside(task, i, j)) {
                row->term[row->count++] = (struct metal_term){(int64_t)ez_node_of(task, i, j), cb * weight};
            }
        }
    }
    row->term[row->count++] = (struct metal_term){(int64_t)here, cb * centre};
}

static int compare_nodes(const void *a, const void *b)
{
    const struct beside *x = a, *y = b;
    return x->j != y->j ? (x->j > y->j) - (x->j < y->j) : (x->i > y->i) - (x->i < y->i);
}

/* In the order of the nodes; numbers in `slot` follow. */
static void sort_nodes(struct rows_task *task)
{
    qsort(task->beside, (size_t)task->count, sizeof *task->beside, compare_nodes);
    for (int64_t n = 0; n < task->count; n++) {
        task->slot[ez_node_of(task, task->beside[n].i, task->beside[n].j)] = (int32_t)(n + 1);
    }
}

static pw_status allocate_rows(struct rows_task *task, int64_t count, pw_error *error)
{
    struct problem *problem = task->problem;
    struct ez_shares *shares = &task->setup->shares;
    const size_t terms = (size_t)count * (4 * (size_t)problem->laplacian_taps + 1);
    problem->metal_rows = allocate((size_t)count, sizeof *problem->metal_rows, "rows beside metal", error);
    problem->metal_terms = allocate(terms, sizeof *problem->metal_terms, "rows beside metal", error);
    shares->node = allocate((size_t)count, sizeof *shares->node, "rows beside metal", error);
    shares->share = allocate((size_t)count, sizeof *shares->share, "rows beside metal", error);
    return problem->metal_rows == NULL || problem->metal_terms == NULL || shares->node == NULL || shares->share == NULL
               ? PW_NO_RESOURCE
               : PW_OK;
}

static void add_row(struct rows_task *task, struct beside *node)
{
    struct problem *problem = task->problem;
    struct ez_shares *shares = &task->setup->shares;
    double lines[2][LINE];
    struct row_sums row;
    ez_line_row(task, 0, node->i, node->j, lines[0]);
    ez_line_row(task, 1, node->i, node->j, lines[1]);
    fit_node(task, node, &node->solution, lines);
    make_row(task, node, lines, &row);
    const int64_t place = (int64_t)ez_node_of(task, node->i, node->j);
    problem->metal_rows[problem->metal_row_count++] =
        (struct metal_row){.place = place, .first = problem->metal_term_count, .count = row.count};
    memcpy(problem->metal_terms + problem->metal_term_count, row.term, (size_t)row.count * sizeof *row.term);
    problem->metal_term_count += row.count;
    shares->node[shares->count] = place;
    shares->share[shares->count++] = node->share;
}

static pw_status add_rows(struct rows_task *task, pw_error *error)
{
    int64_t count = 0;
    for (int64_t n = 0; n < task->count; n++) {
        count += task->beside[n].row;
    }
    if (count == 0) {
        return PW_OK;
    }
    TRY(allocate_rows(task, count, error));
    for (int64_t n = 0; n < task->count; n++) {
        if (task->beside[n].row) {
            add_row(task, &task->beside[n]);
        }
    }
    return PW_OK;
}

static pw_status make_rows(struct rows_task *task, pw_error *error)
{
    const struct setup *setup = task->setup;
    const size_t nodes = (size_t)task->nx * (size_t)task->ny;
    TRY(metal_edges_create(&setup->plan, task->grid, &task->edges, error));
    task->slot = allocate(nodes, sizeof *task->slot, "the nodes beside metal", error);
    task->cut = allocate(nodes, sizeof *task->cut, "the links that metal cuts", error);
    TRY_MADE(task->slot != NULL && task->cut != NULL);
    TRY(ez_nodes_find(task, error));
    sort_nodes(task);
    ez_nodes_take_corners(task);
    TRY(ez_links_find(task, error));
    find_rows(task);
    find_weighted_rows(task);
    return add_rows(task, error);
}

pw_status ez_rows_create(struct setup *setup, const struct raster_grid *grid, pw_error *error)
{
    struct problem *problem = &setup->problem;
    if (grid->clear[0].end <= 0 || !floorplan_has_metal(&setup->plan)) {
        return PW_OK;
    }
    struct rows_task task = {.setup = setup,
                             .problem = problem,
                             .grid = grid,
                             .nx = grid->nx,
                             .ny = grid->ny,
                             .reach = problem->reach,
                             .scale = setup->stencil.laplacian[0],
                             .turn = grid->wave_number * grid->cell,
                             .most = 8 * pow(setup->stencil.courant_limit, -2)};
    for (int l = 0; l < problem->reach; l++) {
        task.tap[l] = setup->stencil.difference[l];
    }
    const pw_status status = make_rows(&task, error);
    metal_edges_free(&task.edges);
    FREE_ALL(task.slot, task.cut, task.partial, task.beside);
    return status;
}

double ez_share(const struct ez_shares *shares, int64_t node)
{
    int64_t low = 0, high = shares->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (shares->node[middle] < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < shares->count && shares->node[low] == node ? shares->share[low] : 1;
}

void ez_shares_free(struct ez_shares *shares)
{
    FREE_ALL(shares->node, shares->share);
    *shares = (struct ez_shares){0};
}
