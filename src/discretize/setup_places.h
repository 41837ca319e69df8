/* Where transmitters and receivers stand: inside the plan, and in which wall. Private to the second half of the set-up.
 */
#pragma once

#include "discretize/setup.h"

/* PW_BAD_INPUT with what is allowed: outside the plan, or in three dimensions over or under the building. A height of
 * NAN stands for the usual one. */
pw_status place_check_inside(struct setup *setup, const char *what, const char *name, int line, struct point at,
                             pw_error *error);
pw_status place_check_height(struct setup *setup, const char *what, const char *name, int line, double height,
                             pw_error *error);

/* Warns of what stands inside a wall; few receivers are named, of many the first. */
void place_warn_in_wall(struct setup *setup, const char *what, const char *name, struct point at, double height);
void place_warn_receivers(struct setup *setup, const struct receiver_choice *receivers, int count);

/* Two dimensions: warns of what stands in another storey than the cut of the plan. */
void place_warn_storeys(struct setup *setup);
/* Says that the plan has a second cut, which pw_run solves as well. PW_BAD_INPUT: it cannot be. */
pw_status place_check_over(struct setup *setup, pw_error *error);

/* Warns of a plan so narrow against its length that waves along it fool the absorber on its long sides, and says by how
 * much the field may be off. It takes the plan for free space: walls along the sides, which reflect the waves before
 * the absorber does, make that an upper bound. The absorber must be set. */
void place_warn_narrow(struct setup *setup);

/* In cells from node (0, 0). */
double place_column(const struct setup *setup, double x);
double place_row(const struct setup *setup, double y);
