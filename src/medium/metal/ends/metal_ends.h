/* Ends, corners and thin posts of metal in three dimensions: the parts of faces and the shares of volume of upright
 * edges around them (physics.md section 9). */
#pragma once

#include "medium/metal/metal_volume.h"

/* Where one band of the building has all of the space over a level, so that nothing changes along z there. Needs the
 * numbers that walls have. */
pw_status metal_ends_settle(struct metal_volume *cuts, const struct building *building, const struct raster_grid *grid,
                            pw_error *error);
