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

/* Place of the first value of a row in its array. */
static int64_t place_of(const struct problem *problem, const struct patch_row *row)
{
    const struct run_memory *memory = run_memory_of(problem, row->array);
    if (memory != NULL) {
        return memory->place(problem, row);
    }
    const int axis = state_array_axis(problem, row->array);
    int64_t at[3] = {row->i, row->j, row->k}, extent[3];
    state_array_extent(problem, row->array, extent);
    if (axis >= 0) {
        at[axis] = axis_filter_slot(&problem->axis[axis], (int)at[axis]);
    }
    return (at[2] * extent[1] + at[1]) * extent[0] + at[0];
}

static double *array_of(const struct problem *problem, struct run_state *state, int array)
{
    const struct run_memory *memory = run_memory_of(problem, array);
    return memory != NULL ? *run_memory_in(memory, state) : *state_array(problem, state, array);
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
    uint32_t arrays = 0;
    for (int array = 0; array <= STATE_POLES; array++) {
        const bool known = array < state_array_count(problem) || run_memory_of(problem, array) != NULL;
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
    const int axis = state_array_axis(problem, rows->array);
    int64_t shape[3];
    state_array_extent(problem, rows->array, shape);
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
