/* The rows beside metal of Ez (ez_rows.h). On the lines of the lattice the difference across metal is left out, the
 * differences beside it are shorter, so that none steps over metal, and L = -G^T G with what is left: symmetric, so
 * that energy is conserved and reciprocity holds. A difference along a face counts as much as the volumes M of its two
 * nodes. Then W and M of each node follow from the local solution there; the share M is raised where the row would
 * otherwise be stiffer than any of the free grid, so that the time step stays what it is. */
#include "discretize/metal/ez_rows.h"

#include "discretize/metal/ez_solution.h"
#include "discretize/setup.h"
#include "medium/metal/metal_distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 2 * (2 * REACH_LIMIT - 1) + 1, /* nodes of a line that a row may see */
    MIDDLE = LINE / 2
};

/* The wave numbers at which a row is exact, over that of the band's centre: waves meet faces aslant. */
static const double TURNS[2] = {0.45, 1};
/* A local solution is looked at no farther than this [rad] from metal: it vanishes again at 3.1 or more. */
static const double FIRST_ZERO = 2.4;
/* Cells around a corner, an end or a post whose nodes take their numbers from it. */
static const double CORNER_REACH = 2.5;
/* Bounds of the share of volume and of the stiffness. */
static const double LEAST_SHARE = 0.3, MOST_SHARE = 8, LEAST_STIFFNESS = -0.3;

/* A node near metal. */
struct beside {
    int i, j;
    bool row;                            /* its row differs from the usual one */
    bool face;                           /* it stands before the face, not aside of it */
    double distance;                     /* cells, to the face */
    struct ez_solution solution, before; /* what its numbers come from; the face's alone */
    double stiffness, share, face_share; /* W, M; M of the face alone */
};

/* Two nodes on both sides of a sheet near its end, neighbours or with a held node between them, and what they answer
 * each other all the same: the part of the face between them that the sheet leaves open, over their distance. */
struct partial_link {
    int axis, i, j, length;
    double open;
};

struct rows_task {
    struct setup *setup;
    struct problem *problem;
    const struct raster_grid *grid;
    struct metal_edges edges; /* owned */
    int nx, ny, reach;
    double tap[REACH_LIMIT], scale; /* of the first difference in cells; what the problem divides its square by */
    double turn;                    /* k0 cell at the band's centre */
    double most;                    /* the stiffest row of the free grid */
    int32_t *slot;                  /* (ny, nx), owned: number of the node in `beside` + 1; 0: none */
    uint8_t *cut;                   /* (ny, nx), owned: 1 << axis: metal lies on the link to the next node */
    struct partial_link *partial;   /* (partial_count), owned: of such links, those that pass near the end of a sheet */
    int64_t partial_count, partial_capacity;
    struct beside *beside; /* (count), owned */
    int64_t count, capacity;
    double weight; /* how much of M counts in differences along faces: 0 or 1 */
};

static size_t node_of(const struct rows_task *task, int i, int j)
{
    return (size_t)j * (size_t)task->nx + (size_t)i;
}

static bool is_held(const struct rows_task *task, int i, int j)
{
    const struct medium *medium = &task->setup->medium;
    return medium->palette[medium->index[node_of(task, i, j)]].perfect_conductor;
}

static bool is_inside(const struct rows_task *task, int i, int j)
{
    return i >= 0 && j >= 0 && i < task->nx && j < task->ny;
}

/* ---- where rows may stand ------------------------------------------------------------------------------------------
 */

void ez_rows_clear(const struct setup *setup, struct raster_grid *grid)
{
    const struct problem *problem = &setup->problem;
    if (setup_is_volume(setup) || setup->scenario->grid.averaging == AVERAGING_POINT) {
        return;
    }
    for (int a = 0; a < 2; a++) {
        const int least = 2 * problem->reach + 1, low = setup_absorber_cells(setup, a, 0) + problem->reach,
                  high = setup_absorber_cells(setup, a, 1) + problem->reach;
        const int far = 2 * (problem->reach - 1); /* from a link that is cut to the ends of differences across it */
        grid->clear[a].first = (low > least ? low : least) + far;
        grid->clear[a].end = problem->axis[a].count - (high > least ? high : least) - far;
    }
}

/* ---- nodes near metal ----------------------------------------------------------------------------------------------
 */

static pw_status take_node(struct rows_task *task, int i, int j, struct beside **taken, pw_error *error)
{
    int32_t *slot = &task->slot[node_of(task, i, j)];
    if (*slot == 0) {
        if (task->count == task->capacity) {
            const int64_t wanted = 1024 + 2 * task->capacity;
            struct beside *grown = realloc(task->beside, (size_t)wanted * sizeof *grown);
            if (grown == NULL) {
                return fail(error, PW_NO_RESOURCE, "not enough memory for the nodes beside metal");
            }
            task->beside = grown;
            task->capacity = wanted;
        }
        task->beside[task->count] = (struct beside){.i = i, .j = j, .distance = INFINITY, .share = 1, .face_share = 1};
        *slot = (int32_t)++task->count;
    }
    *taken = &task->beside[*slot - 1];
    return PW_OK;
}

/* Nodes within `reach` of a box of the grid. */
struct node_box {
    int first[2], end[2];
};

static struct node_box box_around(const struct rows_task *task, struct point low, struct point high, double reach)
{
    struct node_box box;
    const double least[2] = {low.x, low.y}, most[2] = {high.x, high.y};
    const int count[2] = {task->nx, task->ny};
    for (int a = 0; a < 2; a++) {
        box.first[a] = (int)fmin(fmax(ceil(least[a] - reach), 0), count[a]);
        box.end[a] = (int)fmin(fmax(floor(most[a] + reach) + 1, 0), count[a]);
    }
    return box;
}

static void take_face(struct beside *node, struct point foot, double distance)
{
    const double x = node->i - foot.x, y = node->j - foot.y;
    node->distance = distance;
    node->face = true;
    node->before = (struct ez_solution){.form = EZ_FACE, .at = foot, .normal = {x / distance, y / distance}};
    node->solution = node->before;
}

static pw_status stamp_edge(struct rows_task *task, const struct metal_edge *edge, double reach, pw_error *error)
{
    const struct point low = {fmin(edge->a.x, edge->b.x), fmin(edge->a.y, edge->b.y)},
                       high = {fmax(edge->a.x, edge->b.x), fmax(edge->a.y, edge->b.y)};
    const struct node_box box = box_around(task, low, high, reach);
    for (int j = box.first[1]; j < box.end[1]; j++) {
        for (int i = box.first[0]; i < box.end[0]; i++) {
            struct point foot;
            const struct point from = {i, j};
            const double x = edge->b.x - edge->a.x, y = edge->b.y - edge->a.y;
            const double part = fmin(fmax(((i - edge->a.x) * x + (j - edge->a.y) * y) / (x * x + y * y), 0), 1);
            const double distance = hypot(i - edge->a.x - part * x, j - edge->a.y - part * y);
            const int32_t slot = task->slot[node_of(task, i, j)];
            if (distance > reach || distance < 1e-9 || is_held(task, i, j) ||
                (slot > 0 && task->beside[slot - 1].distance <= distance + 1e-9) ||
                !metal_edge_foot(&task->edges, edge, from, &foot)) {
                continue;
            }
            struct beside *node = NULL;
            TRY(take_node(task, i, j, &node, error));
            take_face(node, foot, distance);
            node->face = part > 0 && part < 1;
        }
    }
    return PW_OK;
}

/* Whether metal begins at a round of the plan towards its middle (sign 1), or away from it (-1), seen from (x, y). */
static bool round_stands(const struct rows_task *task, const struct metal_post *post, struct point from, double sign)
{
    const double r = hypot(from.x, from.y), metal = (post->radius - sign * 1e-4) / r,
                 open = (post->radius + sign * 1e-4) / r;
    return metal_edges_inside(&task->edges, (struct point){post->at.x + metal * from.x, post->at.y + metal * from.y}) &&
           !metal_edges_inside(&task->edges, (struct point){post->at.x + open * from.x, post->at.y + open * from.y});
}

/* Node (i, j) near a post, or in a round hole of metal. */
static pw_status stamp_round_node(struct rows_task *task, const struct metal_post *post, int i, int j, double reach,
                                  pw_error *error)
{
    const struct point from = {i - post->at.x, j - post->at.y};
    const double r = hypot(from.x, from.y), sign = r > post->radius ? 1 : -1, distance = sign * (r - post->radius);
    const int32_t slot = task->slot[node_of(task, i, j)];
    const bool small = post->radius < 1;
    if (distance > reach || distance < 1e-9 || r < 1e-9 || is_held(task, i, j) ||
        (slot > 0 && task->beside[slot - 1].distance <= distance + 1e-9) ||
        (small ? sign < 0 : !round_stands(task, post, from, sign))) {
        return PW_OK;
    }
    struct beside *node = NULL;
    TRY(take_node(task, i, j, &node, error));
    take_face(node, (struct point){post->at.x + post->radius * from.x / r, post->at.y + post->radius * from.y / r},
              distance);
    node->face = post->radius > 2;
    if (sign > 0 || r > CORNER_REACH) {
        node->solution =
            (struct ez_solution){.form = EZ_POST, .at = post->at, .radius = post->radius, .hole = sign < 0};
    }
    return PW_OK;
}

static pw_status stamp_post(struct rows_task *task, const struct metal_post *post, double reach, pw_error *error)
{
    const struct node_box box = box_around(task, post->at, post->at, reach + post->radius);
    for (int j = box.first[1]; j < box.end[1]; j++) {
        for (int i = box.first[0]; i < box.end[0]; i++) {
            TRY(stamp_round_node(task, post, i, j, reach, error));
        }
    }
    return PW_OK;
}

/* A node near a corner takes its solution from the nearest one, in whose free angle it lies. */
static void stamp_corner(struct rows_task *task, const struct metal_corner *corner)
{
    const struct node_box box = box_around(task, corner->at, corner->at, CORNER_REACH);
    for (int j = box.first[1]; j < box.end[1]; j++) {
        for (int i = box.first[0]; i < box.end[0]; i++) {
            const int32_t slot = task->slot[node_of(task, i, j)];
            const double x = i - corner->at.x, y = j - corner->at.y, r = hypot(x, y);
            if (slot == 0 || !(r < CORNER_REACH) || r < 1e-9) {
                continue;
            }
            struct beside *node = &task->beside[slot - 1];
            const struct ez_solution own = {
                .form = EZ_CORNER, .at = corner->at, .face = corner->face, .opening = corner->opening};
            const struct point here = {i, j};
            const bool nearer =
                node->solution.form != EZ_CORNER || r < hypot(i - node->solution.at.x, j - node->solution.at.y);
            if (nearer && ez_solution_at(&own, here, 0.1) > 0) {
                node->solution = own;
            }
        }
    }
}

static pw_status find_nodes(struct rows_task *task, pw_error *error)
{
    const double reach = fmax(2 * task->reach, CORNER_REACH + 1);
    const struct metal_edges *edges = &task->edges;
    for (int64_t e = 0; e < edges->edge_count; e++) {
        TRY(stamp_edge(task, &edges->edges[e], reach, error));
    }
    for (int64_t p = 0; p < edges->post_count; p++) {
        TRY(stamp_post(task, &edges->posts[p], reach, error));
    }
    return PW_OK;
}

/* ---- the lattice's lines -------------------------------------------------------------------------------------------
 */

/* Links that metal lies on, between two free nodes. */
static void find_cuts(struct rows_task *task)
{
    static const int ahead[2][2] = {{1, 0}, {0, 1}};
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t n = 0; n < task->count; n++) {
        const struct beside *node = &task->beside[n];
        const struct metal_view view = {&task->setup->plan, task->grid, {node->i, node->j}};
        for (int a = 0; a < 2 && node->distance <= 1; a++) {
            if (metal_distance(&view, ahead[a], 1) < 1) {
                task->cut[node_of(task, node->i, node->j)] |= (uint8_t)(1 << a);
            }
        }
    }
}

/* Openings larger than this [rad] are ends of sheets. */
static const double SHEET_END = 1.7 * M_PI;

static pw_status take_partial(struct rows_task *task, struct partial_link link, pw_error *error)
{
    if (task->partial_count == task->partial_capacity) {
        const int64_t wanted = 64 + 2 * task->partial_capacity;
        struct partial_link *grown = realloc(task->partial, (size_t)wanted * sizeof *grown);
        if (grown == NULL) {
            return fail(error, PW_NO_RESOURCE, "not enough memory for the ends of sheets");
        }
        task->partial = grown;
        task->partial_capacity = wanted;
    }
    task->partial[task->partial_count++] = link;
    return PW_OK;
}

/* The part of the links beside this one, up to half a cell aside, that no metal crosses. */
static double open_part(const struct rows_task *task, int axis, int i, int j, int length)
{
    enum { BESIDE = 64 };
    static const int ahead[2][2] = {{1, 0}, {0, 1}};
    int open = 0;
    for (int n = 0; n < BESIDE; n++) {
        const double aside = (n + 0.5) / BESIDE - 0.5;
        const struct metal_view view = {
            &task->setup->plan, task->grid, {i + (axis == 1 ? aside : 0), j + (axis == 0 ? aside : 0)}};
        open += metal_distance(&view, ahead[axis], length) >= length;
    }
    return (double)open / (BESIDE * length);
}

/* So near to an end [cells] a node hardly moves, as if it were held. */
static const double AT_END = 0.1;

/* The nodes on both sides of one that the sheet holds less than half a cell from its end. */
static pw_status find_partial_pair(struct rows_task *task, const struct metal_corner *corner, int axis, pw_error *error)
{
    const int dx = axis == 0, dy = axis == 1, i = (int)lround(corner->at.x), j = (int)lround(corner->at.y);
    if (task->problem->laplacian_taps < 2 || !is_inside(task, i - dx, j - dy) || !is_inside(task, i + dx, j + dy) ||
        !(is_held(task, i, j) || hypot(corner->at.x - i, corner->at.y - j) < AT_END) || is_held(task, i - dx, j - dy) ||
        is_held(task, i + dx, j + dy)) {
        return PW_OK;
    }
    return take_partial(task, (struct partial_link){axis, i - dx, j - dy, 2, open_part(task, axis, i - dx, j - dy, 2)},
                        error);
}

/* Links that a sheet crosses less than half a cell from its end. */
static pw_status find_partial(struct rows_task *task, const struct metal_corner *corner, pw_error *error)
{
    if (corner->opening < SHEET_END) {
        return PW_OK;
    }
    for (int axis = 0; axis < 2; axis++) {
        const double along = axis == 0 ? corner->at.x : corner->at.y, across = axis == 0 ? corner->at.y : corner->at.x;
        const int n = (int)floor(along), m = (int)lround(across), i = axis == 0 ? n : m, j = axis == 0 ? m : n;
        const int x = i + (axis == 0), y = j + (axis == 1);
        if (is_inside(task, i, j) && is_inside(task, x, y) && (task->cut[node_of(task, i, j)] >> axis & 1) != 0 &&
            !is_held(task, i, j) && !is_held(task, x, y)) {
            TRY(take_partial(task, (struct partial_link){axis, i, j, 1, open_part(task, axis, i, j, 1)}, error));
        }
        TRY(find_partial_pair(task, corner, axis, error));
    }
    return PW_OK;
}

/* How much of a link that is left out stays all the same. */
static double link_open(const struct rows_task *task, int axis, int i, int j)
{
    double open = 0;
    for (int64_t n = 0; n < task->partial_count; n++) {
        const struct partial_link *link = &task->partial[n];
        open = link->length == 1 && link->axis == axis && link->i == i && link->j == j ? link->open : open;
    }
    return open;
}

/* The link from node (at) to the next one along the axis: whether it is left out. */
static bool link_cut(const struct rows_task *task, int axis, int i, int j)
{
    const int x = i + (axis == 0), y = j + (axis == 1);
    if (!is_inside(task, i, j) || !is_inside(task, x, y) || !raster_is_clear(task->grid, axis, i, j) ||
        !raster_is_clear(task->grid, axis, x, y)) {
        return false;
    }
    return is_held(task, i, j) || is_held(task, x, y) || (task->cut[node_of(task, i, j)] >> axis & 1) != 0;
}

/* Whether the node's row may have terms along the axis. */
static bool may_have_terms(const struct rows_task *task, int axis, int i, int j)
{
    const int n = axis == 0 ? i : j, far = 2 * (task->reach - 1);
    return n >= task->grid->clear[axis].first - far && n < task->grid->clear[axis].end + far;
}

/* Whether rows may change the difference across the link from (i, j) on: those that reach out of where rows may stand
 * stay as they are, since all rows that hold it have to change alike. */
static bool may_change(const struct rows_task *task, int axis, int i, int j)
{
    const int dx = axis == 0, dy = axis == 1, far = task->reach - 1;
    return may_have_terms(task, axis, i - far * dx, j - far * dy) &&
           may_have_terms(task, axis, i + (far + 1) * dx, j + (far + 1) * dy);
}

/* How far the difference across the link from (i, j) on reaches: as far as the scheme's, or up to the next link that is
 * left out; 0: it is left out itself. */
static int difference_reach(const struct rows_task *task, int axis, int i, int j)
{
    const int dx = axis == 0, dy = axis == 1;
    if (!may_change(task, axis, i, j)) {
        return task->reach;
    }
    int reach = 0;
    while (reach < task->reach && !link_cut(task, axis, i - reach * dx, j - reach * dy) &&
           !link_cut(task, axis, i + reach * dx, j + reach * dy)) {
        reach++;
    }
    return reach;
}

/* Taps of a difference of that reach: the scheme's own, or those of the shortest difference of the order 2 reach. */
static const double *difference_taps(const struct rows_task *task, int *reach)
{
    static const double shorter[4][4] = {{1},
                                         {9.0 / 8, -1.0 / 24},
                                         {75.0 / 64, -25.0 / 384, 3.0 / 640},
                                         {1225.0 / 1024, -245.0 / 3072, 49.0 / 5120, -5.0 / 7168}};
    if (*reach == task->reach) {
        return task->tap;
    }
    *reach = *reach < 4 ? *reach : 4;
    return shorter[*reach - 1];
}

static const struct beside *beside_at(const struct rows_task *task, int i, int j)
{
    const int32_t slot = task->slot[node_of(task, i, j)];
    return slot > 0 ? &task->beside[slot - 1] : NULL;
}

/* Along the axis, how much of a face's tangent lies, and the excess of its node's share. */
static void face_part(const struct beside *node, int axis, double *tangent, double *excess)
{
    if (node != NULL && node->face) {
        *tangent += 0.5 * fabs(node->before.normal[1 - axis]);
        *excess += 0.5 * (node->face_share - 1);
    }
}

/* What a difference counts: along a face as much as the volumes of its nodes. */
static double difference_weight(const struct rows_task *task, int axis, int i, int j, int reach)
{
    const int dx = axis == 0, dy = axis == 1, far = reach - 1;
    if (task->weight == 0 || reach == 0 || !may_change(task, axis, i, j)) {
        return 1;
    }
    for (int m = -far; m <= far + 1; m++) { /* all that it is of can have a row */
        if (task->slot[node_of(task, i + m * dx, j + m * dy)] == 0 && !is_held(task, i + m * dx, j + m * dy)) {
            return 1;
        }
    }
    double tangent = 0, excess = 0;
    face_part(beside_at(task, i, j), axis, &tangent, &excess);
    face_part(beside_at(task, i + dx, j + dy), axis, &tangent, &excess);
    return 1 + task->weight * excess * tangent * tangent;
}

/* The row of G^T G along the axis at node (i, j): out[MIDDLE + m] is the factor of the node m further on. Whether it
 * differs from the usual one. */
static bool line_row(const struct rows_task *task, int axis, int i, int j, double out[LINE])
{
    bool special = false;
    memset(out, 0, LINE * sizeof *out);
    for (int h = -task->reach; h < task->reach; h++) {
        const int x = i + h * (axis == 0), y = j + h * (axis == 1), own = h >= 0 ? h : -1 - h;
        int reach = difference_reach(task, axis, x, y);
        const double weight = reach == 0 ? link_open(task, axis, x, y) : difference_weight(task, axis, x, y, reach);
        special = special || reach != task->reach || weight != 1;
        reach = reach > 0 ? reach : 1;
        const double *tap = difference_taps(task, &reach), sign = h >= 0 ? -1 : 1;
        for (int l = 0; l < reach && own < reach && weight != 0; l++) {
            out[MIDDLE + h - l] -= weight * sign * tap[own] * tap[l];
            out[MIDDLE + h + 1 + l] += weight * sign * tap[own] * tap[l];
        }
    }
    for (int64_t n = 0; n < task->partial_count; n++) {
        const struct partial_link *link = &task->partial[n];
        const int apart = axis == 0 ? i - link->i : j - link->j;
        if (link->length == 2 && link->axis == axis && (axis == 0 ? link->j == j : link->i == i) &&
            (apart == 0 || apart == 2)) {
            out[MIDDLE] += link->open;
            out[MIDDLE + 2 - 2 * apart] -= link->open;
            special = true;
        }
    }
    return special;
}

/* ---- numbers of a node ---------------------------------------------------------------------------------------------
 */

/* (G^T G u)/u at the node, u its local solution. */
static double row_on_solution(const struct beside *node, const struct ez_solution *solution, double lines[2][LINE],
                              double turn)
{
    double sum = 0;
    for (int a = 0; a < 2; a++) {
        for (int m = -MIDDLE; m <= MIDDLE; m++) {
            if (lines[a][MIDDLE + m] != 0) {
                const struct point there = {node->i + (a == 0 ? m : 0), node->j + (a == 1 ? m : 0)};
                sum += lines[a][MIDDLE + m] * ez_solution_at(solution, there, turn);
            }
        }
    }
    return sum / ez_solution_at(solution, (struct point){node->i, node->j}, turn);
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
    return may_have_terms(task, 0, node->i, node->j) && may_have_terms(task, 1, node->i, node->j);
}

/* How far the node stands from where its local solution vanishes [cells]. */
static double from_metal(const struct beside *node, const struct ez_solution *solution)
{
    const double r = hypot(node->i - solution->at.x, node->j - solution->at.y);
    return solution->form == EZ_CORNER ? r : node->distance;
}

/* W and M: exact for the local solution at both wave numbers, within the bounds; then at the larger one alone. */
static void fit_node(const struct rows_task *task, struct beside *node, const struct ez_solution *solution,
                     double lines[2][LINE])
{
    const struct medium *medium = &task->setup->medium;
    const double index = sqrt(medium->palette[medium->index[node_of(task, node->i, node->j)]].relative_permittivity);
    const double most_turn = fmin(index * task->turn, FIRST_ZERO / from_metal(node, solution));
    const struct ez_solution far = {
        .form = EZ_WAVE, .at = {node->i, node->j}, .normal = {solution->normal[0], solution->normal[1]}};
    const bool is_far = solution->form == EZ_FACE && index * task->turn * node->distance > FIRST_ZERO;
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
    return may_have_terms(task, 0, node->i, node->j) || may_have_terms(task, 1, node->i, node->j);
}

/* Nodes that have a row because differences along faces count otherwise there. */
static void find_weighted_rows(struct rows_task *task)
{
    task->weight = 1;
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t n = 0; n < task->count; n++) {
        struct beside *node = &task->beside[n];
        double line[LINE];
        for (int a = 0; a < 2 && !node->row && may_have_row(task, node); a++) {
            node->row = line_row(task, a, node->i, node->j, line);
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
        bool special = line_row(task, 0, node->i, node->j, lines[0]);
        special = line_row(task, 1, node->i, node->j, lines[1]) || special;
        node->row =
            special || (is_clear(task, node) && (node->solution.form == EZ_CORNER ||
                                                 (node->solution.form == EZ_POST && node->distance < CORNER_REACH)));
        node->face = node->face || (special && node->solution.form == EZ_FACE);
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
    const size_t here = node_of(task, node->i, node->j);
    const double cb = problem_coefficient(problem, problem->coefficient_index[here])[COEFFICIENT_CB];
    const double factor = -1 / (node->share * task->scale);
    double centre = factor * node->stiffness;
    row->count = 0;
    for (int a = 0; a < 2; a++) {
        if (!may_have_terms(task, a, node->i, node->j)) {
            continue;
        }
        for (int m = -problem->laplacian_taps; m <= problem->laplacian_taps; m++) {
            const double weight = factor * lines[a][MIDDLE + m] - usual_tap(problem, m);
            const int i = node->i + (a == 0 ? m : 0), j = node->j + (a == 1 ? m : 0);
            if (m == 0) {
                centre += weight;
            } else if (fabs(weight) > 1e-13 && is_inside(task, i, j)) {
                row->term[row->count++] = (struct metal_term){(int64_t)node_of(task, i, j), cb * weight};
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
        task->slot[node_of(task, task->beside[n].i, task->beside[n].j)] = (int32_t)(n + 1);
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
    line_row(task, 0, node->i, node->j, lines[0]);
    line_row(task, 1, node->i, node->j, lines[1]);
    fit_node(task, node, &node->solution, lines);
    make_row(task, node, lines, &row);
    const int64_t place = (int64_t)node_of(task, node->i, node->j);
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
    if (task->slot == NULL || task->cut == NULL) {
        return PW_NO_RESOURCE;
    }
    TRY(find_nodes(task, error));
    sort_nodes(task);
    find_cuts(task);
    for (int64_t c = 0; c < task->edges.corner_count; c++) {
        stamp_corner(task, &task->edges.corners[c]);
        TRY(find_partial(task, &task->edges.corners[c], error));
    }
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
    free(task.slot);
    free(task.cut);
    free(task.partial);
    free(task.beside);
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
    free(shares->node);
    free(shares->share);
    *shares = (struct ez_shares){0};
}
