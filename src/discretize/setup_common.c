/* Plan and medium that set-ups hand from one to the next (setup_common.h). */
#include "discretize/setup_common.h"

#include "base/constants.h"
#include "problem/grid_medium.h"

#include <math.h>
#include <string.h>

static bool stencils_equal(const struct stencil *a, const struct stencil *b)
{
    return a->reach == b->reach && a->order == b->order && a->centre == b->centre &&
           memcmp(a->difference, b->difference, sizeof a->difference) == 0 &&
           memcmp(a->laplacian, b->laplacian, sizeof a->laplacian) == 0;
}

static bool grids_equal(const struct raster_grid *a, const struct raster_grid *b)
{
    return a->nx == b->nx && a->ny == b->ny && a->cell == b->cell && a->origin.x == b->origin.x &&
           a->origin.y == b->origin.y && a->wave_number == b->wave_number &&
           memcmp(a->clear, b->clear, sizeof a->clear) == 0 && a->clear_of_edges == b->clear_of_edges;
}

bool setup_medium_take(struct setup *setup, const struct raster_grid *grid, struct setup_common *common)
{
    if (common == NULL) {
        return false;
    }
    struct setup_medium *kept = &common->medium;
    const enum averaging averaging = setup->scenario->grid.averaging;
    bool same = kept->there && kept->averaging == averaging && grids_equal(&kept->grid, grid) &&
                stencils_equal(&kept->stencil, grid->stencil);
    if (same) {
        setup->medium = kept->medium;
    } else if (kept->there) {
        medium_free(&kept->medium);
    }
    *kept = (struct setup_medium){.grid = *grid, .stencil = *grid->stencil, .averaging = averaging};
    kept->grid.stencil = NULL; /* the set-up's, which may go first, and its scenario too */
    kept->grid.asked_for = NULL;
    return same;
}

/* A set-up that failed may have a plan and no medium, or half of one, which is of no use. */
void setup_give_back(struct setup *setup, struct setup_common *common)
{
    if (common != NULL && !common->has_plan && setup->plan.materials != NULL) {
        common->plan = setup->plan;
        common->has_plan = true;
        setup->plan = (struct floorplan){0};
        if (!common->medium.there && setup->medium.index != NULL && setup->medium.layer[2] == NULL) {
            common->medium.medium = setup->medium;
            common->medium.there = true;
            setup->medium = (struct medium){0};
        }
    }
}

void setup_common_free(struct setup_common *common)
{
    if (common->has_plan) {
        floorplan_free(&common->plan);
    }
    if (common->medium.there) {
        medium_free(&common->medium.medium);
    }
    *common = (struct setup_common){0};
}

void setup_grid_medium(const struct setup *setup, double *permittivity, double *conductivity)
{
    const struct floorplan *plan = &setup->building.bands[0];
    const double omega = 2 * M_PI * setup->scenario->band_centre, unit = omega * FREE_SPACE_PERMITTIVITY;
    if (!materials_have_poles(plan->materials, plan->material_count)) {
        double loss = *conductivity / unit;
        const double before = loss;
        grid_medium(&setup->stencil, omega * setup->problem.axis[0].spacing / SPEED_OF_LIGHT, permittivity, &loss);
        *conductivity *= before > 0 ? loss / before : 1;
    }
}
