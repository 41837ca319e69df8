/* Floor plans at a height: the cut that a run in two dimensions takes, and the bands of a building. */
#pragma once

#include "plan/plan_parts.h"

/* The height at which a plan with storeys is cut [m over the lowest floor]: plan.cut, or that of the first transmitter,
 * or 1.2 m. In three dimensions it is moved into the nearest storey; in two a transmitter in a slab is refused. Without
 * storeys the height has no meaning. */
pw_status floorplan_cut_height(const struct scenario *scenario, double *height, pw_error *error);

/* The plan at height z, of parts that hold what is met there. */
pw_status floorplan_at(const struct plan_parts *parts, double z, struct floorplan *plan, pw_error *error);

/* Where a second cut, plan.over, differs from the first: `from` [m over the lowest floor], the highest top under it.
 * Its height is NAN where the scenario has none, or three dimensions. PW_BAD_INPUT: both cuts are the same plan. */
struct plan_over {
    double height, from;
};
pw_status floorplan_over(const struct scenario *scenario, struct plan_over *over, pw_error *error);
/* Raises `tops` (count) [mm over the lowest floor] at points, `at` [m], to where shapes there end of which one of the
 * two cuts alone meets something; points within `near` [m] of a shape count as in it. */
pw_status floorplan_tops(const struct scenario *scenario, const struct point *at, size_t count, double near,
                         uint16_t *tops, pw_error *error);
