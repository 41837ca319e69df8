/* Links that metal lies on, and the differences along the lattice's lines that are left (ez_task.h). */
#include "discretize/metal/ez_task.h"
#include "medium/metal/metal_distance.h"

#include <math.h>
#include <string.h>

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
                task->cut[ez_node_of(task, node->i, node->j)] |= (uint8_t)(1 << a);
            }
        }
    }
}

static bool metal_on_link(const struct rows_task *task, int axis, int i, int j)
{
    return (task->cut[ez_node_of(task, i, j)] >> axis & 1) != 0;
}

/* Openings larger than this [rad] are ends of sheets. */
static const double SHEET_END = 1.7 * M_PI;

static pw_status take_partial(struct rows_task *task, struct partial_link link, pw_error *error)
{
    TRY(array_grow(&task->partial, &task->partial_capacity, (size_t)task->partial_count, sizeof *task->partial,
                   "ends of sheets", error));
    task->partial[task->partial_count++] = link;
    const size_t low = ez_node_of(task, link.i, link.j);
    task->cut[low] |= EZ_PARTIAL;
    if (link.length == 2) {
        task->cut[low + 2 * (link.axis == 0 ? 1 : (size_t)task->nx)] |= EZ_PARTIAL;
    }
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
    if (task->problem->laplacian_taps < 2 || !ez_is_inside(task, i - dx, j - dy) ||
        !ez_is_inside(task, i + dx, j + dy) ||
        !(ez_is_held(task, i, j) || hypot(corner->at.x - i, corner->at.y - j) < AT_END) ||
        ez_is_held(task, i - dx, j - dy) || ez_is_held(task, i + dx, j + dy)) {
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
        if (ez_is_inside(task, i, j) && ez_is_inside(task, x, y) && metal_on_link(task, axis, i, j) &&
            !ez_is_held(task, i, j) && !ez_is_held(task, x, y)) {
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
    const bool some = ez_is_inside(task, i, j) && (task->cut[ez_node_of(task, i, j)] & EZ_PARTIAL) != 0;
    for (int64_t n = 0; some && n < task->partial_count; n++) {
        const struct partial_link *link = &task->partial[n];
        open = link->length == 1 && link->axis == axis && link->i == i && link->j == j ? link->open : open;
    }
    return open;
}

/* The link from node (at) to the next one along the axis: whether it is left out. */
static bool link_cut(const struct rows_task *task, int axis, int i, int j)
{
    const int x = i + (axis == 0), y = j + (axis == 1);
    if (!ez_is_inside(task, i, j) || !ez_is_inside(task, x, y) || !raster_is_clear(task->grid, axis, i, j) ||
        !raster_is_clear(task->grid, axis, x, y)) {
        return false;
    }
    return ez_is_held(task, i, j) || ez_is_held(task, x, y) || metal_on_link(task, axis, i, j);
}

/* Whether the node's row may have terms along the axis. */
bool ez_may_have_terms(const struct rows_task *task, int axis, int i, int j)
{
    const struct raster_grid *grid = task->grid;
    const int n[2] = {i, j}, other = grid->clear_of_edges ? 1 - axis : axis, far = 2 * (task->reach - 1);
    return n[axis] >= grid->clear[axis].first - far && n[axis] < grid->clear[axis].end + far &&
           n[other] >= grid->clear[other].first - far && n[other] < grid->clear[other].end + far;
}

/* Whether rows may change the difference across the link from (i, j) on: those that reach out of where rows may stand
 * stay as they are, since all rows that hold it have to change alike. */
static bool may_change(const struct rows_task *task, int axis, int i, int j)
{
    const int dx = axis == 0, dy = axis == 1, far = task->reach - 1;
    return ez_may_have_terms(task, axis, i - far * dx, j - far * dy) &&
           ez_may_have_terms(task, axis, i + (far + 1) * dx, j + (far + 1) * dy);
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
    const int32_t slot = task->slot[ez_node_of(task, i, j)];
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
    if (!task->weighted || reach == 0 || !may_change(task, axis, i, j)) {
        return 1;
    }
    for (int m = -far; m <= far + 1; m++) { /* all that it is of can have a row */
        if (task->slot[ez_node_of(task, i + m * dx, j + m * dy)] == 0 && !ez_is_held(task, i + m * dx, j + m * dy)) {
            return 1;
        }
    }
    double tangent = 0, excess = 0;
    face_part(beside_at(task, i, j), axis, &tangent, &excess);
    face_part(beside_at(task, i + dx, j + dy), axis, &tangent, &excess);
    return 1 + excess * tangent * tangent;
}

/* Adds what a node and another one on the other side of a held node answer each other; whether there is such a pair. */
static bool add_pairs(const struct rows_task *task, int axis, int i, int j, double out[LINE])
{
    const bool some = (task->cut[ez_node_of(task, i, j)] & EZ_PARTIAL) != 0;
    bool found = false;
    for (int64_t n = 0; some && n < task->partial_count; n++) {
        const struct partial_link *link = &task->partial[n];
        const int apart = axis == 0 ? i - link->i : j - link->j;
        if (link->length == 2 && link->axis == axis && (axis == 0 ? link->j == j : link->i == i) &&
            (apart == 0 || apart == 2)) {
            out[MIDDLE] += link->open;
            out[MIDDLE + 2 - 2 * apart] -= link->open;
            found = true;
        }
    }
    return found;
}

/* The row of G^T G along the axis at node (i, j): out[MIDDLE + m] is the factor of the node m further on. Whether it
 * differs from the usual one. */
bool ez_line_row(const struct rows_task *task, int axis, int i, int j, double out[LINE])
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
    return add_pairs(task, axis, i, j, out) || special;
}

pw_status ez_links_find(struct rows_task *task, pw_error *error)
{
    find_cuts(task);
    for (int64_t c = 0; c < task->edges.corner_count; c++) {
        TRY(find_partial(task, &task->edges.corners[c], error));
    }
    return PW_OK;
}
