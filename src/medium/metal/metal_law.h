/* Shares of volume of edges along flat metal, and what faces there weigh, before the time step is looked at. */
#pragma once

#include "medium/metal/metal_volume.h"
#include "medium/metal/metal_wall.h"

/* Fills in cuts->mass and cuts->face_mass, which are 1. */
pw_status metal_law_settle(const struct metal_volume *cuts, const struct metal_wall *wall, pw_error *error);
