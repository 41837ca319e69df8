/* How long a run takes whose parts take turns on a device. */
#pragma once

#include "backend/backend.h"

/* Seconds of the first `steps` steps of one run. `rate`: cells a second of the device with all of a grid there. */
pw_status turn_forecast(const struct problem *problem, const struct turn_plan *plan, double rate, double steps,
                        double *seconds, pw_error *error);

/* Nodes of the largest part along each axis, overlaps included. */
pw_status turn_part_size(const struct problem *problem, const struct turn_plan *plan, int size[3], pw_error *error);
