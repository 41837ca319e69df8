/* See state_patch.h. */
#include "backend/state_patch.h"

#include <string.h>

struct copying {
    const struct problem *problem;
    struct run_state *state;
    char *values;
    bool store;
};

/* Place of node (i, j, k) in an array that has only the filters along `axis` of that axis. */
static size_t filter_place(const struct problem *problem, int axis, const struct patch_row *row)
{
    size_t at[3] = {(size_t)row->i, (size_t)row->j, (size_t)row->k};
    size_t extent[2] = {(size_t)problem->axis[0].count, (size_t)problem->axis[1].count};
    at[axis] = (size_t)axis_filter_slot(&problem->axis[axis], (int)at[axis]);
    if (axis < 2) {
        extent[axis] = (size_t)run_state_filters(problem, axis);
    }
    return (at[2] * extent[1] + at[1]) * extent[0] + at[0];
}

static size_t node_place(const struct problem *problem, const struct patch_row *row)
{
    const size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    return ((size_t)row->k * ny + (size_t)row->j) * nx + (size_t)row->i;
}

static double *from_place(double *array, size_t place)
{
    return array != NULL ? array + place : NULL;
}

static double *locate_plane(const struct copying *copying, const struct patch_row *row)
{
    const struct problem *problem = copying->problem;
    struct run_state *state = copying->state;
    switch (row->array) {
    case STATE_EZ:
        return from_place(state->ez, node_place(problem, row));
    case STATE_INCREMENT:
        return from_place(state->increment, node_place(problem, row));
    case STATE_X_HALF:
        return from_place(state->x_half, filter_place(problem, 0, row));
    case STATE_X_NODE:
        return from_place(state->x_node, filter_place(problem, 0, row));
    case STATE_Y_HALF:
        return from_place(state->y_half, filter_place(problem, 1, row));
    case STATE_Y_NODE:
        return from_place(state->y_node, filter_place(problem, 1, row));
    default:
        return from_place(state->edges, (size_t)row->i);
    }
}

static double *locate(const struct copying *copying, const struct patch_row *row)
{
    const struct problem *problem = copying->problem;
    struct run_state *state = copying->state;
    if (row->array == STATE_POLES) {
        int64_t place = row->component * problem_nodes(problem) + (int64_t)node_place(problem, row);
        return from_place(state->poles, (size_t)(row->span->state + (int64_t)row->state * row->span->count + place -
                                                 row->span->place));
    }
    if (problem->formulation != FORMULATION_MAXWELL3D) {
        return locate_plane(copying, row);
    }
    if (row->array < STATE_FILTER) {
        return from_place(state->field[row->array - STATE_FIELD], node_place(problem, row));
    }
    const int axis = (row->array - STATE_FILTER) / 4;
    return from_place(state->filter[axis][(row->array - STATE_FILTER) % 4], filter_place(problem, axis, row));
}

static void copy_row(void *context, const struct patch_row *row)
{
    struct copying *copying = context;
    const bool single = copying->problem->precision == PW_SINGLE;
    double *own = locate(copying, row);
    for (int n = 0; n < row->count; n++) {
        void *value = copying->values;
        copying->values += problem_value_size(copying->problem);
        if (copying->store && single) {
            *(float *)value = own != NULL ? (float)own[n] : 0;
        } else if (copying->store) {
            *(double *)value = own != NULL ? own[n] : 0;
        } else if (own != NULL) {
            own[n] = single ? (double)*(const float *)value : *(const double *)value;
        }
    }
}

void state_patch(const struct problem *problem, struct run_state *state, const struct patch *patch, void *values,
                 bool store)
{
    struct copying copying = {problem, state, values, store};
    patch_walk(problem, patch, copy_row, &copying);
}
