/* Which nodes of Ez metal holds at zero, in two dimensions. Where the solver has rows beside metal (raster_grid.clear)
 * these are the nodes inside of metal, and on it: what stands outside of them sees metal at its place through its row
 * (discretize/metal). Along an axis of the absorber there are no such rows, and metal is a staircase: nodes within half
 * a cell of it are held, and both nodes of a link that thin metal crosses, so that a wide stencil does not step over
 * it. */
#pragma once

#include "medium/raster.h"

/* Nodes nearer to metal than this along a link are held [cells]: their row would be as stiff as 1/distance. In the
 * absorber, where a row cannot give its node a larger share of volume, they are held from farther on. */
#define METAL_CLOSE          0.02
#define METAL_CLOSE_ABSORBER 0.2

/* Sets nodes of `index` (ny, nx) to `conductor`; `touched` (ny, nx) is of enum metal_touch. */
void metal_hold(const struct floorplan *plan, const struct raster_grid *grid, const uint8_t *touched,
                uint32_t conductor, uint32_t *index);
