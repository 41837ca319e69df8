/* What stands where in a plan, for pictures of it. */
#ifndef PLAN_PIXELS_H
#define PLAN_PIXELS_H

#include "plan/floorplan.h"

/* Materials at the middles of squares of side `step` [m] from the plan's lower left corner on: (height, width), row 0
 * at the bottom, air outside. With `parts` over 1 so many points squared are looked at in each square, and the first
 * that is not air counts, so that a wall thinner than a square is still there. */
pw_status plan_pixels(const struct floorplan *plan, double step, int parts, int width, int height, uint16_t *materials,
                      pw_error *error);

#endif
