/* Shares of volume beside metal in three dimensions, and the time step. */
#pragma once

#include "medium/metal/metal_volume.h"

/* Fills in cuts->mass: so that metal reflects as it does at its place, and so that no time step of the scheme is too
 * long (physics.md section 9), by the grid's stencil and wave number. */
pw_status metal_mass_settle(struct metal_volume *cuts, const struct building *building, const struct raster_grid *grid,
                            pw_error *error);
