/* What Mur's edges remember: a number a node along each edge of the second order (mur.h); and what has to stay clear of
 * them. */
#include "backend/run_memory.h"
#include "problem/mur/mur.h"

/* The numbers that the nodes on Mur's edges remember. */
static void visit_edges(const struct problem *problem, const struct patch *patch, patch_visit *visit, void *context)
{
    const struct mur_plan plan = mur_plan(problem);
    for (int side = 0; side < 4; side++) {
        int axis = side / 2, end = side % 2, along = 1 - axis, edge = end == 0 ? 0 : plan.count[axis] - 1;
        bool inside = edge >= patch->first[axis] && edge < patch->first[axis] + patch->count[axis];
        if (plan.order[axis][end] == 2 && inside) {
            struct patch_row row = {.array = STATE_EDGES,
                                    .i = (int)plan.first[axis][end] + patch->first[along],
                                    .count = patch->count[along]};
            visit(context, &row);
        }
    }
}

static int64_t count_edges(const struct problem *problem)
{
    return problem->formulation == FORMULATION_TM2D ? mur_memory(problem) : 0;
}

static int64_t edge_place(const struct problem *problem, const struct patch_row *row)
{
    (void)problem;
    return row->i;
}

const struct run_memory memory_edges = {.name = "edges",
                                        .array = STATE_EDGES,
                                        .member = offsetof(struct run_state, edges),
                                        .count = count_edges,
                                        .visit = visit_edges,
                                        .place = edge_place};

/* ---- what stays clear of them ------------------------------------------------------------------------------------ */

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
