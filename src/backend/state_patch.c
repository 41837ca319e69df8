/* See state_patch.h. */
#include "backend/state_patch.h"
#include "backend/backend.h"
#include "backend/run_memory.h"

#include <string.h>

struct copying {
    const struct problem *problem;
    struct run_state *state;       /* a whole state, or */
    const struct state_rows *rows; /* a stretch of one array */
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

/* Place of the first value of a row in its array. */
static int64_t place_of(const struct problem *problem, const struct patch_row *row)
{
    const struct run_memory *memory = run_memory_of(problem, row->array);
    if (memory != NULL) {
        return memory->place(problem, row);
    }
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        return (int64_t)(row->array < STATE_FILTER ? node_place(problem, row)
                                                   : filter_place(problem, (row->array - STATE_FILTER) / 4, row));
    }
    switch (row->array) {
    case STATE_EZ:
    case STATE_INCREMENT:
        return (int64_t)node_place(problem, row);
    case STATE_X_HALF:
    case STATE_X_NODE:
        return (int64_t)filter_place(problem, 0, row);
    default:
        return (int64_t)filter_place(problem, 1, row);
    }
}

static double *array_of(const struct problem *problem, struct run_state *state, int array)
{
    const struct run_memory *memory = run_memory_of(problem, array);
    if (memory != NULL) {
        return *run_memory_in(memory, state);
    }
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        return array < STATE_FILTER ? state->field[array - STATE_FIELD]
                                    : state->filter[(array - STATE_FILTER) / 4][(array - STATE_FILTER) % 4];
    }
    double *const arrays[] = {state->ez, state->increment, state->x_half, state->x_node, state->y_half, state->y_node};
    return arrays[array];
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void exchange_value(bool single, void *own, int n, double *canonical, bool store)
{
    if (store) {
        *canonical = single ? (double)((float *)own)[n] : ((double *)own)[n];
    } else if (single) {
        ((float *)own)[n] = (float)*canonical;
    } else {
        ((double *)own)[n] = *canonical;
    }
}

struct exchange {
    const struct patch_copy *copy;
    struct run_state *state;
};

static void exchange_row(void *context, const struct patch_row *row)
{
    const struct exchange *exchange = context;
    const struct patch_copy *copy = exchange->copy;
    const bool single = copy->problem->precision == PW_SINGLE;
    double *canonical = array_of(copy->problem, exchange->state, row->array) + place_of(copy->problem, row);
    struct patch_row rest = *row;
    for (int done = 0; done < row->count; done += rest.count) {
        rest.i = row->i + done;
        rest.count = row->count - done;
        void *own = copy->locate(copy->run, &rest);
        for (int n = 0; n < rest.count; n++) {
            exchange_value(single, own, n, &canonical[done + n], copy->store);
        }
    }
}

/* The arrays that a state has. */
static uint32_t arrays_of(const struct problem *problem, struct run_state *state)
{
    const int fields = problem->formulation == FORMULATION_MAXWELL3D ? STATE_POLES : STATE_EDGES;
    uint32_t arrays = 0;
    for (int array = 0; array <= STATE_POLES; array++) {
        const bool known = array < fields || run_memory_of(problem, array) != NULL;
        arrays |= known && array_of(problem, state, array) != NULL ? 1u << array : 0;
    }
    return arrays;
}

void state_exchange(const struct patch_copy *copy, struct run_state *state)
{
    struct exchange exchange = {copy, state};
    struct patch grid = patch_of_grid(copy->problem);
    grid.arrays = arrays_of(copy->problem, state);
    if (grid.arrays != 0) {
        patch_walk(copy->problem, &grid, exchange_row, &exchange);
    }
}

struct run_state state_of_field(const struct problem *problem, double *e)
{
    struct run_state state = {0};
    if (problem->formulation != FORMULATION_MAXWELL3D) {
        state.ez = e;
        return state;
    }
    for (int c = 0; c < 3; c++) {
        state.field[c] = e + c * problem_nodes(problem);
    }
    return state;
}

/* ---- patches ----------------------------------------------------------------------------------------------------- */

/* Where the state has the row; NULL when it leaves the array out. *first and *last: which values of the row it has. */
static double *locate(const struct copying *copying, const struct patch_row *row, int *first, int *last)
{
    const int64_t place = place_of(copying->problem, row);
    *first = 0;
    *last = row->count;
    if (copying->rows == NULL) {
        double *array = array_of(copying->problem, copying->state, row->array);
        return array != NULL ? array + place : NULL;
    }
    const struct state_rows *rows = copying->rows;
    if (row->array != rows->array || place >= rows->to || place + row->count <= rows->from) {
        return NULL;
    }
    *first = place < rows->from ? (int)(rows->from - place) : 0;
    *last = place + row->count > rows->to ? (int)(rows->to - place) : row->count;
    return rows->values + (place - rows->from);
}

static void copy_row(void *context, const struct patch_row *row)
{
    struct copying *copying = context;
    const bool single = copying->problem->precision == PW_SINGLE;
    int first, last;
    double *own = locate(copying, row, &first, &last);
    for (int n = 0; n < row->count; n++) {
        void *value = copying->values;
        const bool has = own != NULL && n >= first && n < last;
        copying->values += problem_value_size(copying->problem);
        if (!has && copying->rows != NULL) {
            continue;
        }
        if (has) {
            exchange_value(single, value, 0, &own[n], !copying->store);
        } else if (copying->store) {
            memset(value, 0, problem_value_size(copying->problem));
        }
    }
}

void state_patch(const struct problem *problem, struct run_state *state, const struct patch *patch, void *values,
                 bool store)
{
    struct copying copying = {.problem = problem, .state = state, .values = values, .store = store};
    patch_walk(problem, patch, copy_row, &copying);
}

/* ---- a stretch of one array -------------------------------------------------------------------------------------- */

void state_rows_patch(const struct problem *problem, const struct state_rows *rows, const struct patch *patch,
                      void *values, bool store)
{
    struct copying copying = {.problem = problem, .rows = rows, .values = values, .store = store};
    struct patch alone = *patch;
    alone.arrays &= 1u << rows->array;
    patch_walk(problem, &alone, copy_row, &copying);
}

/* The axis along which an array has the nodes with a filter alone; -1: it has all nodes. */
static int axis_of_array(const struct problem *problem, int array)
{
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const int first = volume ? STATE_FILTER : STATE_X_HALF;
    return array < first ? -1 : (array - first) / (volume ? 4 : 2);
}

/* The node at a place among the nodes with a filter. */
static int64_t node_of_slot(const struct axis *axis, int64_t slot)
{
    return slot < axis->low.cells ? slot : axis->count - axis->high.cells + slot - axis->low.cells;
}

static void include(struct patch *box, int axis, int64_t first, int64_t last)
{
    box->first[axis] = (int)first;
    box->count[axis] = (int)(last + 1 - first);
}

struct patch state_rows_box(const struct problem *problem, const struct state_rows *rows)
{
    struct patch box = {.arrays = 1u << rows->array};
    for (int a = 0; a < 3; a++) {
        box.count[a] = problem->axis[a].count;
    }
    const struct run_memory *memory = run_memory_of(problem, rows->array);
    if (memory != NULL) {
        if (memory->narrow != NULL) {
            memory->narrow(problem, rows, &box);
        }
        return box;
    }
    const int axis = axis_of_array(problem, rows->array);
    int64_t shape[3];
    for (int a = 0; a < 3; a++) {
        shape[a] = a == axis ? run_state_filters(problem, a) : problem->axis[a].count;
    }
    const int64_t first = rows->from / shape[0], last = (rows->to - 1) / shape[0];
    int64_t plane[2] = {first / shape[1], last / shape[1]}, row[2] = {first % shape[1], last % shape[1]};
    for (int end = 0; end < 2; end++) {
        plane[end] = axis == 2 ? node_of_slot(&problem->axis[2], plane[end]) : plane[end];
        row[end] = axis == 1 ? node_of_slot(&problem->axis[1], row[end]) : row[end];
    }
    include(&box, 2, plane[0], plane[1]);
    if (plane[0] == plane[1]) {
        include(&box, 1, row[0], row[1]);
    }
    return box;
}

bool stepper_has_rows(const struct stepper *stepper, bool store)
{
    const struct solver *solver = stepper->solver;
    return solver->rows != NULL || (store && solver->patch != NULL && solver->rows_by_patch);
}

pw_status stepper_rows(struct stepper *stepper, const struct problem *problem, int run, const struct state_rows *rows,
                       bool store, pw_error *error)
{
    if (stepper->solver->rows != NULL) {
        return stepper->solver->rows(stepper->state, run, rows, store, error);
    }
    const struct patch box = state_rows_box(problem, rows);
    OWNED void *values =
        allocate((size_t)patch_values(problem, &box), problem_value_size(problem), "a part of a state", error);
    TRY_MADE(values);
    TRY(stepper->solver->patch(stepper->state, run, &box, values, true, error));
    state_rows_patch(problem, rows, &box, values, false);
    return PW_OK;
}
