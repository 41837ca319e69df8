/* Where metal is near: what is worked out beside it takes long, and most nodes are far from any. */
#ifndef METAL_BESIDE_H
#define METAL_BESIDE_H

#include "medium/metal/metal_volume.h"

/* Nodes (ny, nx) of a level that have an edge or a face, on it or beside it, of which metal takes a part, or, with
 * `masses`, whose mass is not 1: all others are as in air. Owned by the caller; NULL: no memory. */
uint8_t *beside_metal(const struct metal_volume *cuts, int k, bool masses, pw_error *error);

#endif
