/* Steps of parts on devices for which the host does not wait: it puts steps and exchanges of all parts on the queues of
 * their devices, which wait for each other where one needs what another has packed. */
#pragma once

#include "backend/parts/crew.h"

/* Whether all parts of the grid are of this crew, and their solvers can do so. */
bool crew_defers(const struct part_crew *crew);

/* part_crew_advance for such a crew; done when it returns. */
pw_status crew_advance_deferred(struct part_crew *crew, int64_t steps, pw_error *error);
