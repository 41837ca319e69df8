/* Parts of a grid that take turns on a device, since it has not room for all of them: a part comes, makes some steps
 * and goes, and the state of the whole grid is on the host (whole_state.h). Three parts are on the device, one that
 * comes, one that steps and one that goes, at the same time, in shares of its memory of equal size; part p has share p
 * % 3, whenever its turn comes, so that what its solver keeps there stays at its addresses (device_arena). */
#ifndef TURNS_H
#define TURNS_H

#include "kernels/turns/turn_engine.h"
#include "kernels/turns/whole_state.h"

extern "C" {
#include "backend/backend.h"
#include "backend/parts/crew.h"
#include "problem/mur/mur.h"
}

enum { TURN_SHARES = 3 };

extern const struct turn_functions cuda_turns;

/* turn_plan.cu: how a grid is cut for turns, and what that takes. */
pw_status turns_plan(const struct problem *problem, const struct turn_request *request, struct turn_plan *plan,
                     pw_error *error);

#endif
