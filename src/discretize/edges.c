/* See edges.h. */
#include "discretize/edges.h"

#include "problem/mur/mur.h"

/* A place between nodes is spread over nodes up to this many beyond it (placement.h). */
enum { PLACEMENT_REACH = 4 };

pw_status edges_check_grid(const struct setup *setup, pw_error *error)
{
    const struct absorber *absorber = &setup->scenario->grid.absorber;
    const struct mur_plan plan = mur_plan(&setup->problem);
    int least = mur_clearance(&plan) + PLACEMENT_REACH;
    if (!absorber_has(absorber, ABSORBER_MUR, 2) || absorber->cells >= least) {
        return PW_OK;
    }
    return fail(error, PW_BAD_INPUT,
                "%s: grid.absorber.cells: %d: with the scheme %s the edges of mur must stand at least %d cells off the "
                "plan",
                setup->scenario->file, absorber->cells, setup->stencil.name, least);
}

/* Whether a material of the plan runs on to an edge. */
static bool edge_has_material(const struct setup *setup, const struct mur_plan *plan)
{
    const struct problem *problem = &setup->problem;
    const int nx = plan->count[0], ny = plan->count[1];
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < nx; i += j == 0 || j == ny - 1 || nx == 1 ? 1 : nx - 1) {
            if ((mur_depth(plan, 0, i) == 0 || mur_depth(plan, 1, j) == 0) &&
                problem->coefficient_index[(ptrdiff_t)j * nx + i] != 0) {
                return true;
            }
        }
    }
    return false;
}

pw_status edges_check_medium(struct setup *setup, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    if (!problem_has_mur(problem)) {
        return PW_OK;
    }
    const struct mur_plan plan = mur_plan(problem);
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        int i = (int)(span->place % plan.count[0]), j = (int)(span->place / plan.count[0]);
        FAIL_IF(!mur_is_clear(&plan, i, j) || !mur_is_clear(&plan, i + span->count - 1, j), error, PW_BAD_INPUT,
                "%s: grid.absorber: mur: a dispersive material touches the edge of the plan, where Mur's "
                "condition needs one speed; end it before the edge or take upml",
                setup->scenario->file);
    }
    if (edge_has_material(setup, &plan)) {
        warn(&setup->warnings, "materials touch the edge of the plan. Mur's condition ignores their conductivity and "
                               "reflects where a face meets the edge. Leave air at the edge or use 'absorber: upml'");
    }
    return PW_OK;
}

pw_status edges_check_planes(struct setup *setup, const struct raster_grid *grid, pw_error *error)
{
    const bool *symmetric = setup->scenario->grid.symmetric;
    double reach;
    if ((!symmetric[0] && !symmetric[1]) || setup->scenario->grid.averaging == AVERAGING_POINT) {
        return PW_OK;
    }
    TRY(raster_near_planes(&setup->plan, grid, setup->scenario->grid.averaging, symmetric, &reach, error));
    if (reach > 0) {
        warn(&setup->warnings,
             "a material begins or ends within %.3g cells of a plane of symmetry. The medium next to the plane differs "
             "slightly from that of the whole plan. Move the face away or use a smaller grid.cell",
             reach);
    }
    return PW_OK;
}
