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

/* The values of an array in one row of nodes. */
static void visit_line(const struct walk *walk, int array, int j, int k)
{
    const int axis = state_array_axis(walk->problem, array);
    if (axis == 0) {
        visit_ends(walk, array, j, k);
    } else if (axis < 0 || axis_filter_slot(&walk->problem->axis[axis], axis == 1 ? j : k) >= 0) {
        visit_row(walk, array, j, k);
    }
}

/* The wanted ones of the arrays first .. end-1, of one row of nodes after the other. */
static void visit_arrays(const struct walk *walk, int first, int end)
{
    const struct patch *patch = walk->patch;
    for (int k = patch->first[2]; k < patch->first[2] + patch->count[2]; k++) {
        for (int j = patch->first[1]; j < patch->first[1] + patch->count[1]; j++) {
            for (int array = first; array < end; array++) {
                if (wants(walk, array)) {
                    visit_line(walk, array, j, k);
                }
            }
        }
    }
}

void patch_walk(const struct problem *problem, const struct patch *patch, patch_visit *visit, void *context)
{
    const struct walk walk = {problem, patch, visit, context};
    const int count = state_array_count(problem);
    /* In three dimensions all arrays of a row together, as solvers keep them near each other; in two one by one. */
    const int together = problem->formulation == FORMULATION_MAXWELL3D ? count : 1;
    for (int array = 0; array < count; array += together) {
        visit_arrays(&walk, array, array + together);
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
