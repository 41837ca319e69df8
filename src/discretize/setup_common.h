/* What set-ups of one plan hand from one to the next (struct setup_common). Private to discretize. */
#pragma once

#include "discretize/setup.h"

/* Moves the medium of `common` into the set-up when it is that of this grid; else false. In either case `common`, which
 * may be NULL, notes what the set-up's medium is made from, so that it can be given back. */
bool setup_medium_take(struct setup *setup, const struct raster_grid *grid, struct setup_common *common);

/* Moves plan and medium of a set-up, which is about to be freed, into `common`, which may be NULL. */
void setup_give_back(struct setup *setup, struct setup_common *common);
