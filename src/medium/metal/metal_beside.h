/* Where metal is near: what is worked out beside it takes long, and most nodes are far from any. */
#pragma once

#include "medium/metal/metal_volume.h"

/* Nodes (ny, nx) of a level that have an edge or a face of which metal takes a part within a node of them. `cubes`: of
 * the cube that begins at the node alone, but also one that is of the staircase, or has a mass that is not 1. All
 * others are as in air. Owned by the caller; NULL: no memory. */
uint8_t *beside_metal(const struct metal_volume *cuts, int k, bool cubes, pw_error *error);
