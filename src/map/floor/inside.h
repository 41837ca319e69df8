/* The inside of a building, told from the plan alone: what air cannot reach from the plan's rim through openings wider
 * than a door or a window. */
#pragma once

#include "api/map.h"
#include "map/floor/walls.h"

/* Fills `inside` (rows, columns): 1 where a node belongs to the building, its walls included. Where no building can be
 * told from its outside every node does, and the kind says why. */
pw_status inside_find(const struct plan_walls *walls, uint8_t *inside, pw_floor_kind *kind, pw_error *error);
