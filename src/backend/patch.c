/* The order of the values of a patch, and the copying of them. */
#include "backend/patch.h"
#include "problem/mur/mur.h"

#include <string.h>

struct walk {
    const struct problem *problem;
    const struct patch *patch;
    patch_visit *visit;
    void *context;
};

static bool wants(const struct walk *walk, int array)
{
    return (walk->patch->arrays >> array & 1) != 0;
}

/* The nodes of the box along x, in one row. */
static void visit_row(const struct walk *walk, int array, int j, int k)
{
    struct patch_row row = {.array = array, .i = walk->patch->first[0], .j = j, .k = k, .count = walk->patch->count[0]};
    walk->visit(walk->context, &row);
}

/* Those nodes of the row that have a filter along x: of the low end, then of the high one. */
static void visit_ends(const struct walk *walk, int array, int j, int k)
{
    const struct axis *x = &walk->problem->axis[0];
    const int from = walk->patch->first[0], to = from + walk->patch->count[0];
    const int ends[2][2] = {{0, x->low.cells}, {x->count - x->high.cells, x->count}};
    for (int end = 0; end < 2; end++) {
        int first = from > ends[end][0] ? from : ends[end][0], last = to < ends[end][1] ? to : ends[end][1];
        if (first < last) {
            struct patch_row row = {.array = array, .i = first, .j = j, .k = k, .count = last - first};
            walk->visit(walk->context, &row);
        }
    }
}

/* An array over all nodes of the box (axis -1), or over those that have a filter along the axis. */
static void visit_array(const struct walk *walk, int array, int axis)
{
    const struct patch *patch = walk->patch;
    if (!wants(walk, array)) {
        return;
    }
    for (int k = patch->first[2]; k < patch->first[2] + patch->count[2]; k++) {
        for (int j = patch->first[1]; j < patch->first[1] + patch->count[1]; j++) {
            if (axis == 0) {
                visit_ends(walk, array, j, k);
            } else if (axis < 0 || axis_filter_slot(&walk->problem->axis[axis], axis == 1 ? j : k) >= 0) {
                visit_row(walk, array, j, k);
            }
        }
    }
}

/* The numbers that the nodes on Mur's edges remember. */
static void visit_edges(const struct walk *walk)
{
    const struct mur_plan plan = mur_plan(walk->problem);
    const struct patch *patch = walk->patch;
    for (int side = 0; wants(walk, STATE_EDGES) && side < 4; side++) {
        int axis = side / 2, end = side % 2, along = 1 - axis, edge = end == 0 ? 0 : plan.count[axis] - 1;
        bool inside = edge >= patch->first[axis] && edge < patch->first[axis] + patch->count[axis];
        if (plan.order[axis][end] == 2 && inside) {
            struct patch_row row = {.array = STATE_EDGES,
                                    .i = (int)plan.first[axis][end] + patch->first[along],
                                    .count = patch->count[along]};
            walk->visit(walk->context, &row);
        }
    }
}

/* The first span that ends after the place. */
static int64_t span_after(const struct problem *problem, int64_t place)
{
    int64_t low = 0, high = problem->pole_span_count;
    for (; low < high;) {
        int64_t middle = (low + high) / 2;
        const struct pole_span *span = &problem->pole_spans[middle];
        if (span->place + span->count > place) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* All arrays of one row of nodes in three dimensions: a solver keeps them near each other. */
static void visit_volume_row(const struct walk *walk, int j, int k)
{
    for (int c = 0; c < 6; c++) {
        if (wants(walk, STATE_FIELD + c)) {
            visit_row(walk, STATE_FIELD + c, j, k);
        }
    }
    for (int f = 0; f < 12; f++) {
        const int axis = f / 4;
        if (!wants(walk, STATE_FILTER + f)) {
            continue;
        }
        if (axis == 0) {
            visit_ends(walk, STATE_FILTER + f, j, k);
        } else if (axis_filter_slot(&walk->problem->axis[axis], axis == 1 ? j : k) >= 0) {
            visit_row(walk, STATE_FILTER + f, j, k);
        }
    }
}

static void visit_volume(const struct walk *walk)
{
    const struct patch *patch = walk->patch;
    for (int k = patch->first[2]; k < patch->first[2] + patch->count[2]; k++) {
        for (int j = patch->first[1]; j < patch->first[1] + patch->count[1]; j++) {
            visit_volume_row(walk, j, k);
        }
    }
}

static void visit_pole_row(const struct walk *walk, int component, int j, int k)
{
    const struct problem *problem = walk->problem;
    const struct patch *patch = walk->patch;
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
    const int64_t row_place = component * problem_nodes(problem) + ((int64_t)k * ny + j) * nx;
    const int64_t from = row_place + patch->first[0], to = from + patch->count[0];
    for (int64_t s = span_after(problem, from); s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        if (span->place >= to) {
            return;
        }
        int64_t first = span->place > from ? span->place : from;
        int64_t last = span->place + span->count < to ? span->place + span->count : to;
        int states = pole_medium_states(&problem->pole_media[span->medium]);
        for (int state = 0; state < states; state++) {
            struct patch_row row = {.array = STATE_POLES,
                                    .i = (int)(first - row_place),
                                    .j = j,
                                    .k = k,
                                    .count = (int)(last - first),
                                    .component = component,
                                    .span = span,
                                    .state = state};
            walk->visit(walk->context, &row);
        }
    }
}

static void visit_poles(const struct walk *walk)
{
    const struct patch *patch = walk->patch;
    if (!wants(walk, STATE_POLES) || walk->problem->pole_span_count == 0) {
        return;
    }
    for (int c = 0; c < problem_components(walk->problem); c++) {
        for (int k = patch->first[2]; k < patch->first[2] + patch->count[2]; k++) {
            for (int j = patch->first[1]; j < patch->first[1] + patch->count[1]; j++) {
                visit_pole_row(walk, c, j, k);
            }
        }
    }
}

void patch_walk(const struct problem *problem, const struct patch *patch, patch_visit *visit, void *context)
{
    const struct walk walk = {problem, patch, visit, context};
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        visit_volume(&walk);
    } else {
        visit_array(&walk, STATE_EZ, -1);
        visit_array(&walk, STATE_INCREMENT, -1);
        visit_array(&walk, STATE_X_HALF, 0);
        visit_array(&walk, STATE_X_NODE, 0);
        visit_array(&walk, STATE_Y_HALF, 1);
        visit_array(&walk, STATE_Y_NODE, 1);
        visit_edges(&walk);
    }
    visit_poles(&walk);
}

static void count_row(void *context, const struct patch_row *row)
{
    *(int64_t *)context += row->count;
}

int64_t patch_values(const struct problem *problem, const struct patch *patch)
{
    int64_t count = 0;
    patch_walk(problem, patch, count_row, &count);
    return count;
}

struct copying {
    const struct patch_copy *copy;
    char *values;
};

static void copy_row(void *context, const struct patch_row *row)
{
    struct copying *copying = context;
    const struct patch_copy *copy = copying->copy;
    const size_t size = problem_value_size(copy->problem);
    struct patch_row rest = *row;
    for (int done = 0; done < row->count; done += rest.count) {
        rest.i = row->i + done;
        rest.count = row->count - done;
        void *own = copy->locate(copy->run, &rest);
        size_t bytes = (size_t)rest.count * size;
        memcpy(copy->store ? copying->values : own, copy->store ? own : copying->values, bytes);
        copying->values += bytes;
    }
}

void patch_copy(const struct patch_copy *copy, const struct patch *patch, void *values)
{
    struct copying copying = {copy, values};
    patch_walk(copy->problem, patch, copy_row, &copying);
}
