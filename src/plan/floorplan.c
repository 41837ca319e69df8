/* Floor plans ready to be sampled (floorplan.h). They are put together in plan_cut.c; averaging over cells is the
 * raster's work. */
#include "plan/floorplan.h"

#include <math.h>

/* m: positions that differ by less are the same point, so that rounding decides nothing at a face. */
static const double SAME_PLACE = 1e-9;

void floorplan_free(struct floorplan *plan)
{
    for (int s = 0; s < plan->shape_count && plan->outlines != NULL; s++) {
        outline_free(&plan->outlines[s]);
    }
    FREE_ALL(plan->outlines, plan->shape_material, plan->pixels);
    mixed_pixels_free(&plan->mixed);
    colour_tally_free(&plan->inexact);
    FREE_ALL(plan->materials, plan->colours);
    *plan = (struct floorplan){0};
}

uint16_t floorplan_material_at(const struct floorplan *plan, double x, double y)
{
    /* A step into the shape that owns a face, but not out of the plan. */
    x = fmin(fmax(x, 0) + SAME_PLACE, plan->width - SAME_PLACE);
    y = fmin(fmax(y, 0) + SAME_PLACE, plan->height - SAME_PLACE);
    for (int s = plan->shape_count - 1; s >= 0; s--) {
        if (outline_contains(&plan->outlines[s], x, y)) {
            return plan->shape_material[s];
        }
    }
    if (plan->pixels == NULL) {
        return 0;
    }
    int column = (int)fmin(fmax(x / plan->pixel, 0), plan->pixel_columns - 1);
    int row = (int)fmin(fmax(y / plan->pixel, 0), plan->pixel_rows - 1);
    const struct mixed_pixel *mixed = mixed_pixel_find(&plan->mixed, row, column);
    if (mixed != NULL && mixed_pixel_is_other(mixed, x / plan->pixel - column, y / plan->pixel - row)) {
        return mixed->other;
    }
    return plan->pixels[(size_t)row * (size_t)plan->pixel_columns + (size_t)column];
}
