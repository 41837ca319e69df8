/* Levels whose ends of metal are settled (metal_ends.h): of levels with the same upright edges the first. */
#pragma once

#include "medium/metal/metal_volume.h"

/* Which levels, in order, into levels (nz); how many. */
int end_levels_find(const struct metal_volume *cuts, int *levels);

/* Whether no two of them have a layer of faces in common, so that they may be settled beside each other. */
bool end_levels_are_apart(const struct metal_volume *cuts, const int *levels, int count);
