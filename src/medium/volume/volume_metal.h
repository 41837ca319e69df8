/* Which components of E perfect conductors hold at zero in three dimensions. Every face of metal goes to the nearest
 * plane of nodes (halfway: to the lower one), and the edges of the lattice on the metal's surface and inside it are
 * held: tangential E is zero on it and normal E outside is free. Metal thinner than a cell becomes a plane, so that it
 * still shields. Along the edge itself that asks for metal at its middle; across it, for metal within half a cell.
 *
 * A face along neither axis becomes a staircase about it: there Ez is held where metal stands within half a cell along
 * x or y, and not merely over the corner. Metal that is thinner than the stencil's reach, and mirrors that stand off
 * their place, are medium/metal's. */
#pragma once

#include "medium/volume/volume_side.h"

/* work->holds and work->metal for the rows at hand and every band that is used: the edges upright, or those along y. */
void volume_metal_rows(const struct volume_side *side, bool upright, struct side_work *work);
