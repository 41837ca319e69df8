/* Where metal is near: what is worked out beside it takes long, and most nodes are far from any. */
#pragma once

#include "medium/metal/metal_volume.h"

/* Nodes that have an edge or a face of which metal takes a part within a node of them. `cubes`: of the cube that begins
 * at the node alone, but also one that is of the staircase, or has a mass that is not 1. All others are as in air.
 * Every level k with wanted[k] gets beside[k] (ny, nx); the others keep NULL. Both have nz entries. After a failure
 * too, metal_beside_free. */
pw_status metal_beside_find(const struct metal_volume *cuts, const bool *wanted, bool cubes, uint8_t **beside,
                            pw_error *error);
void metal_beside_free(const struct metal_volume *cuts, uint8_t **beside);

/* Levels to be looked at: those with metal in them or at the next level, of levels that look alike the first. `first`
 * and `last`: as metal_levels_alike. (nz), owned by the caller; NULL: no memory. */
bool *metal_levels_apart(const struct metal_volume *cuts, int first, int last, pw_error *error);
