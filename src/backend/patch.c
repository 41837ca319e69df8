/* The order of the values of a patch, and the copying of them. */
#include "backend/run_memory.h"

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
    }
    for (const struct run_memory *const *memory = RUN_MEMORIES; *memory != NULL; memory++) {
        if ((*memory)->count(problem) > 0 && wants(&walk, (*memory)->array)) {
            (*memory)->visit(problem, patch, visit, context);
        }
    }
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
