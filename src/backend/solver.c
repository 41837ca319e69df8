/* What solvers share: the canonical state that they exchange, and the kind of problem that all of them take. */
#include "backend/solver.h"
#include "backend/run_memory.h"

#include "problem/physics/physics.h"

#include <stdlib.h>
#include <string.h>

pw_status solver_takes(const struct solver *solver, const struct problem *problem, pw_error *error)
{
    const struct physics *beyond = physics_beyond(problem, solver->takes);
    return beyond == NULL ? PW_OK : fail(error, PW_USAGE, "%s", beyond->declined);
}

pw_status solver_takes_tm2d(const struct problem *problem, pw_error *error)
{
    FAIL_IF(problem->formulation != FORMULATION_TM2D, error, PW_USAGE, "it solves tm2d only");
    FAIL_IF(problem->axis[0].spacing != problem->axis[1].spacing, error, PW_USAGE, "it needs square cells");
    return PW_OK;
}

pw_status solver_takes_maxwell3d(const struct problem *problem, pw_error *error)
{
    const struct axis *axis = problem->axis;
    FAIL_IF(problem->formulation != FORMULATION_MAXWELL3D, error, PW_USAGE, "it solves maxwell3d only");
    FAIL_IF(axis[0].spacing != axis[1].spacing || axis[0].spacing != axis[2].spacing, error, PW_USAGE,
            "it needs cubes as cells");
    return PW_OK;
}

pw_status solver_takes_even_tm2d(const struct problem *problem, pw_error *error)
{
    const struct axis *x = &problem->axis[0], *y = &problem->axis[1];
    TRY(solver_takes_tm2d(problem, error));
    FAIL_IF(x->high.cells != y->high.cells || (x->low.cells != x->high.cells && !x->low.symmetric) ||
                (y->low.cells != y->high.cells && !y->low.symmetric),
            error, PW_USAGE, "it needs an absorber that is equally thick on every side");
    return PW_OK;
}

/* No filtered difference has an image about the plane then, and no node one of an image. */
pw_status solver_takes_far_planes(const struct problem *problem, pw_error *error)
{
    for (const struct axis *axis = problem->axis; axis < problem->axis + 2; axis++) {
        int least = axis->high.cells + 2 * problem->reach;
        FAIL_IF(axis->low.symmetric && axis->count < least, error, PW_USAGE,
                "it needs at least %d cells from a symmetry plane to the opposite wall", least);
    }
    return PW_OK;
}

pw_status solver_check_advance(const struct problem *problem, int64_t done, int64_t steps, pw_error *error)
{
    return steps >= 0 && done + steps <= problem->steps
               ? PW_OK
               : fail(error, PW_USAGE, "cannot advance %lld steps from step %lld: the problem has %lld",
                      (long long)steps, (long long)done, (long long)problem->steps);
}

pw_status solver_check_load(const struct problem *problem, const struct run_state *from, pw_error *error)
{
    return from->step >= 0 && from->step <= problem->steps
               ? PW_OK
               : fail(error, PW_USAGE, "a state at step %lld of a problem of %lld steps", (long long)from->step,
                      (long long)problem->steps);
}

int run_state_filters(const struct problem *problem, int axis)
{
    return problem->axis[axis].low.cells + problem->axis[axis].high.cells;
}

double **state_array(const struct problem *problem, struct run_state *state, int array)
{
    double **const plane[] = {&state->ez,     &state->increment, &state->x_half,
                              &state->x_node, &state->y_half,    &state->y_node};
    const int filter = array - STATE_FILTER;
    return problem->formulation != FORMULATION_MAXWELL3D ? plane[array]
           : filter < 0                                  ? &state->field[array - STATE_FIELD]
                                                         : &state->filter[filter / 4][filter % 4];
}

void state_array_extent(const struct problem *problem, int array, int64_t extent[3])
{
    const int filtered = state_array_axis(problem, array);
    for (int a = 0; a < 3; a++) {
        extent[a] = a == filtered ? run_state_filters(problem, a) : problem->axis[a].count;
    }
}

/* An array of the state and how many values it has. */
struct state_part {
    double **array;
    size_t count;
};
enum { PART_LIMIT = 32 };

/* `fields`: with fields, filters and what is remembered. */
static pw_status create_state(const struct problem *problem, int64_t steps, bool fields, struct run_state *state,
                              pw_error *error)
{
    const struct spectra *spectra = &problem->spectra;
    size_t lattice = spectra->frequency_count > 0 ? (size_t)spectra->rows * (size_t)spectra->columns : 0;
    struct state_part parts[PART_LIMIT];
    int count = 0;
    *state = (struct run_state){0};
    if (fields) {
        for (; count < state_array_count(problem); count++) {
            int64_t extent[3];
            state_array_extent(problem, count, extent);
            parts[count] = (struct state_part){state_array(problem, state, count),
                                               (size_t)extent[0] * (size_t)extent[1] * (size_t)extent[2]};
        }
        for (const struct run_memory *const *memory = RUN_MEMORIES; *memory != NULL; memory++) {
            parts[count++] = (struct state_part){run_memory_in(*memory, state), (size_t)(*memory)->count(problem)};
        }
    }
    parts[count++] = (struct state_part){&state->spectra, 2 * (size_t)spectra->frequency_count * lattice};
    parts[count++] = (struct state_part){&state->samples, (size_t)spectra_group(spectra) * lattice};
    if (problem->probe_slots == 0) {
        parts[count++] = (struct state_part){&state->probes, (size_t)steps * (size_t)problem->probe_count};
    }
    for (int p = 0; p < count; p++) {
        if (parts[p].count > 0) {
            *parts[p].array = allocate(parts[p].count, sizeof(double), "a copy of the fields", error);
            if (*parts[p].array == NULL) {
                run_state_free(state);
                return PW_NO_RESOURCE;
            }
        }
    }
    return PW_OK;
}

pw_status run_state_create(const struct problem *problem, int64_t steps, struct run_state *state, pw_error *error)
{
    return create_state(problem, steps, true, state, error);
}

pw_status run_state_records(const struct problem *problem, int64_t steps, struct run_state *state, pw_error *error)
{
    return create_state(problem, steps, false, state, error);
}

void run_state_free(struct run_state *state)
{
    FREE_ALL(state->ez, state->increment, state->x_half, state->x_node, state->y_half, state->y_node);
    for (int c = 0; c < 6; c++) {
        free(state->field[c]);
    }
    for (int a = 0; a < 3; a++) {
        for (int q = 0; q < 4; q++) {
            free(state->filter[a][q]);
        }
    }
    for (const struct run_memory *const *memory = RUN_MEMORIES; *memory != NULL; memory++) {
        free(*run_memory_in(*memory, state));
    }
    FREE_ALL(state->spectra, state->samples, state->probes, state->series);
    *state = (struct run_state){0};
}
