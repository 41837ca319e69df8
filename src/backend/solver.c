/* What solvers share: the canonical state that they exchange, and the kind of problem that all of them take. */
#include "backend/solver.h"

#include "problem/mur/mur.h"

#include <stdlib.h>
#include <string.h>

pw_status solver_takes_tm2d(const struct problem *problem, pw_error *error)
{
    if (problem->formulation != FORMULATION_TM2D) {
        return fail(error, PW_USAGE, "it solves tm2d only");
    }
    if (problem->axis[0].spacing != problem->axis[1].spacing) {
        return fail(error, PW_USAGE, "it needs square cells");
    }
    return PW_OK;
}

pw_status solver_takes_one_drive(const struct problem *problem, pw_error *error)
{
    for (int s = 0; s < problem->source_count; s++) {
        if (problem->sources[s].further > 0) {
            return fail(error, PW_USAGE, "it takes no source whose nodes differ in phase (an antenna's pattern)");
        }
    }
    return PW_OK;
}

pw_status solver_takes_maxwell3d(const struct problem *problem, pw_error *error)
{
    const struct axis *axis = problem->axis;
    if (problem->formulation != FORMULATION_MAXWELL3D) {
        return fail(error, PW_USAGE, "it solves maxwell3d only");
    }
    if (axis[0].spacing != axis[1].spacing || axis[0].spacing != axis[2].spacing) {
        return fail(error, PW_USAGE, "it needs cubes as cells");
    }
    return solver_takes_one_drive(problem, error);
}

pw_status solver_takes_plain_media(const struct problem *problem, pw_error *error)
{
    return problem->pole_span_count == 0 ? PW_OK : fail(error, PW_USAGE, "it takes only media without poles");
}

pw_status solver_takes_even_tm2d(const struct problem *problem, pw_error *error)
{
    const struct axis *x = &problem->axis[0], *y = &problem->axis[1];
    TRY(solver_takes_tm2d(problem, error));
    if (x->high.cells != y->high.cells || (x->low.cells != x->high.cells && !x->low.symmetric) ||
        (y->low.cells != y->high.cells && !y->low.symmetric)) {
        return fail(error, PW_USAGE, "it needs an absorber that is equally thick on every side");
    }
    return PW_OK;
}

pw_status solver_takes_no_metal(const struct problem *problem, pw_error *error)
{
    return problem->metal_row_count == 0 ? PW_OK : fail(error, PW_USAGE, "it has no rows beside metal");
}

pw_status solver_takes_no_edges(const struct problem *problem, pw_error *error)
{
    return problem_has_mur(problem) ? fail(error, PW_USAGE, "it takes no one-way edges (mur)") : PW_OK;
}

pw_status solver_takes_conducting_walls(const struct problem *problem, pw_error *error)
{
    TRY(solver_takes_no_edges(problem, error));
    return problem->axis[0].low.symmetric || problem->axis[1].low.symmetric
               ? fail(error, PW_USAGE, "it takes no symmetry planes")
               : PW_OK;
}

/* No filtered difference has an image about the plane then, and no node one of an image. */
pw_status solver_takes_far_planes(const struct problem *problem, pw_error *error)
{
    for (const struct axis *axis = problem->axis; axis < problem->axis + 2; axis++) {
        int least = axis->high.cells + 2 * problem->reach;
        if (axis->low.symmetric && axis->count < least) {
            return fail(error, PW_USAGE, "it needs at least %d cells from a symmetry plane to the opposite wall",
                        least);
        }
    }
    return PW_OK;
}

/* A lattice is clear when its corners are: it reaches no further. */
static bool lattice_is_clear(const struct mur_plan *plan, const struct spectra *spectra)
{
    int right = spectra->x0 + (spectra->columns - 1) * spectra->spacing,
        top = spectra->y0 + (spectra->rows - 1) * spectra->spacing;
    return spectra->frequency_count == 0 || !(mur_takes(plan, spectra->x0, spectra->y0) || mur_takes(plan, right, top));
}

pw_status solver_takes_clear_edges(const struct problem *problem, pw_error *error)
{
    if (!problem_has_mur(problem)) {
        return PW_OK;
    }
    const struct mur_plan plan = mur_plan(problem);
    const int64_t nx = plan.count[0];
    bool clear = lattice_is_clear(&plan, &problem->spectra);
    for (int s = 0; s < problem->source_count; s++) {
        for (int64_t k = 0; k < problem->sources[s].count; k++) {
            int64_t n = problem->sources[s].node[k];
            clear = clear && mur_is_clear(&plan, (int)(n % nx), (int)(n / nx));
        }
    }
    for (int p = 0; p < problem->probe_count; p++) {
        int64_t n = problem->probes[p].node;
        clear = clear && !mur_takes(&plan, (int)(n % nx), (int)(n / nx));
    }
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        clear = clear && mur_is_clear(&plan, (int)(span->place % nx), (int)(span->place / nx)) &&
                mur_is_clear(&plan, (int)(span->place % nx) + span->count - 1, (int)(span->place / nx));
    }
    return clear ? PW_OK
                 : fail(error, PW_USAGE,
                        "it takes no source, receiver, spectra or pole nearer to a one-way edge (mur) than %d nodes",
                        mur_clearance(&plan));
}

pw_status solver_takes_plain_tm2d(const struct problem *problem, pw_error *error)
{
    TRY(solver_takes_even_tm2d(problem, error));
    TRY(solver_takes_conducting_walls(problem, error));
    return solver_takes_plain_media(problem, error);
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

/* An array of the state and how many values it has. */
struct state_part {
    double **array;
    size_t count;
};
enum { PART_LIMIT = 24 };

static int parts_of_tm2d(const struct problem *problem, struct run_state *state, struct state_part *parts)
{
    size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    size_t x_filters = (size_t)run_state_filters(problem, 0), y_filters = (size_t)run_state_filters(problem, 1);
    const struct state_part own[] = {
        {&state->ez, nx * ny},
        {&state->increment, nx * ny},
        {&state->x_half, ny * x_filters},
        {&state->x_node, ny * x_filters},
        {&state->y_half, y_filters * nx},
        {&state->y_node, y_filters * nx},
        {&state->edges, (size_t)mur_memory(problem)},
    };
    memcpy(parts, own, sizeof own);
    return (int)(sizeof own / sizeof own[0]);
}

static int parts_of_maxwell3d(const struct problem *problem, struct run_state *state, struct state_part *parts)
{
    size_t nodes = (size_t)problem_nodes(problem);
    int count = 0;
    for (int c = 0; c < 6; c++) {
        parts[count++] = (struct state_part){&state->field[c], nodes};
    }
    for (int a = 0; a < 3; a++) {
        size_t filters = nodes / (size_t)problem->axis[a].count * (size_t)run_state_filters(problem, a);
        for (int q = 0; q < 4; q++) {
            parts[count++] = (struct state_part){&state->filter[a][q], filters};
        }
    }
    return count;
}

/* `fields`: with fields, filters, edges and poles. */
static pw_status create_state(const struct problem *problem, int64_t steps, bool fields, struct run_state *state,
                              pw_error *error)
{
    const struct spectra *spectra = &problem->spectra;
    size_t lattice = spectra->frequency_count > 0 ? (size_t)spectra->rows * (size_t)spectra->columns : 0;
    struct state_part parts[PART_LIMIT];
    int count = 0;
    *state = (struct run_state){0};
    if (fields) {
        count = problem->formulation == FORMULATION_MAXWELL3D ? parts_of_maxwell3d(problem, state, parts)
                                                              : parts_of_tm2d(problem, state, parts);
        parts[count++] = (struct state_part){&state->poles, (size_t)problem->pole_state_count};
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
    free(state->ez);
    free(state->increment);
    free(state->x_half);
    free(state->x_node);
    free(state->y_half);
    free(state->y_node);
    for (int c = 0; c < 6; c++) {
        free(state->field[c]);
    }
    for (int a = 0; a < 3; a++) {
        for (int q = 0; q < 4; q++) {
            free(state->filter[a][q]);
        }
    }
    free(state->edges);
    free(state->poles);
    free(state->spectra);
    free(state->samples);
    free(state->probes);
    free(state->series);
    *state = (struct run_state){0};
}
