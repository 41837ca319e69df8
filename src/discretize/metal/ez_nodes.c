/* Nodes near metal (ez_task.h): every face, post and corner marks the free nodes within its reach, and the nearest one
 * stays. */
#include "discretize/metal/ez_task.h"

#include <math.h>

static pw_status take_node(struct rows_task *task, int i, int j, struct beside **taken, pw_error *error)
{
    int32_t *slot = &task->slot[ez_node_of(task, i, j)];
    if (*slot == 0) {
        TRY(array_grow(&task->beside, &task->capacity, (size_t)task->count, sizeof *task->beside, "nodes beside metal",
                       error));
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
    node->before = (struct metal_solution){.form = METAL_FACE, .at = foot, .normal = {x / distance, y / distance}};
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
            const int32_t slot = task->slot[ez_node_of(task, i, j)];
            if (distance > reach || distance < 1e-9 || ez_is_held(task, i, j) ||
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
    const int32_t slot = task->slot[ez_node_of(task, i, j)];
    const bool small = post->radius < 1;
    if (distance > reach || distance < 1e-9 || r < 1e-9 || ez_is_held(task, i, j) ||
        (slot > 0 && task->beside[slot - 1].distance <= distance + 1e-9) ||
        (small ? sign < 0 : !round_stands(task, post, from, sign))) {
        return PW_OK;
    }
    struct beside *node = NULL;
    TRY(take_node(task, i, j, &node, error));
    take_face(node, (struct point){post->at.x + post->radius * from.x / r, post->at.y + post->radius * from.y / r},
              distance);
    node->face = post->radius > 2;
    if (sign > 0 || r > EZ_CORNER_REACH) {
        node->solution =
            (struct metal_solution){.form = METAL_POST, .at = post->at, .radius = post->radius, .hole = sign < 0};
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
    const struct node_box box = box_around(task, corner->at, corner->at, EZ_CORNER_REACH);
    for (int j = box.first[1]; j < box.end[1]; j++) {
        for (int i = box.first[0]; i < box.end[0]; i++) {
            const int32_t slot = task->slot[ez_node_of(task, i, j)];
            const double x = i - corner->at.x, y = j - corner->at.y, r = hypot(x, y);
            if (slot == 0 || !(r < EZ_CORNER_REACH) || r < 1e-9) {
                continue;
            }
            struct beside *node = &task->beside[slot - 1];
            const struct metal_solution own = {
                .form = METAL_CORNER, .at = corner->at, .face = corner->face, .opening = corner->opening};
            const struct point here = {i, j};
            const bool nearer =
                node->solution.form != METAL_CORNER || r < hypot(i - node->solution.at.x, j - node->solution.at.y);
            if (nearer && metal_solution_at(&own, here, 0.1) > 0) {
                node->solution = own;
            }
        }
    }
}

pw_status ez_nodes_find(struct rows_task *task, pw_error *error)
{
    const double reach = fmax(2 * task->reach, EZ_CORNER_REACH + 1);
    const struct metal_edges *edges = &task->edges;
    for (int64_t e = 0; e < edges->edge_count; e++) {
        TRY(stamp_edge(task, &edges->edges[e], reach, error));
    }
    for (int64_t p = 0; p < edges->post_count; p++) {
        TRY(stamp_post(task, &edges->posts[p], reach, error));
    }
    return PW_OK;
}

void ez_nodes_take_corners(struct rows_task *task)
{
    for (int64_t c = 0; c < task->edges.corner_count; c++) {
        stamp_corner(task, &task->edges.corners[c]);
    }
}
