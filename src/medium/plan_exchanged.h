/* A floor plan with x and y exchanged, so that what is written for rows serves for columns too. */
#pragma once

#include "plan/floorplan.h"

/* `exchanged` borrows materials from `plan`, which must live as long. It can be sampled and cut into lines; its shapes
 * are outlines alone. After a failure too, plan_exchanged_free. */
pw_status plan_exchanged_create(const struct floorplan *plan, struct floorplan *exchanged, pw_error *error);
void plan_exchanged_free(struct floorplan *exchanged);
