/* Perfect conductors whose surface lies between the nodes. A node is either held at zero or free, so metal by itself is
 * a staircase: first order. Here every node nearer to metal, along a link, than about one cell is held at zero; the
 * mirror then stands too near, and extra permittivity on the free nodes before it moves it back to where the metal is.
 *
 * Before a mirror Ez grows in proportion to the distance. In one dimension, node 0 the last free one and all beyond it
 * zero, the static solution of L Ez = 0 is p + place far away at node -p: the mirror stands `place` cells beyond node 0
 * (yee 1; wide stencils, which miss the image behind, a little less). A stiffness s = k^2 cell^2 a taken from the
 * centre of node 0, a the permittivity added there, moves it to f cells, exactly: of a static field s(f) = (1 - 1/(1 +
 * f - place)) / compliance, compliance being Ez at node 0 per unit of force there (for yee s = 1 - 1/f, the difference
 * of the true slope Ez/f and the scheme's); of a wave that turns by t a cell the s that leaves sin t (p + f) at node -p
 * (for yee sin t(f - 1)/sin tf). Each link of a node counts by its own distance. Permittivity is never taken away, so
 * that stability does not change.
 *
 * Permittivity is a stiffness at one frequency, the band's centre; off it the mirror stands f (f - place)
 * ((w/w_centre)^2 - 1) cells off, about. So over a band it is better not to move mirrors far, and to leave those that
 * stand up to `slack` cells too near where they are: mirror_slack. A static stiffness would do better, but nodes made
 * of permittivity and conductivity have none.
 *
 * Sheets are held on as many rows as the scheme's stencil cannot pass, metal_planes(); of the rows that are added, each
 * stands where metal is nearer. */
#ifndef METAL_SURFACE_H
#define METAL_SURFACE_H

#include "medium/mixture.h"
#include "problem/stencil.h"

/* Sets the nodes of `index` (ny, nx) at metal: zero or raised permittivity. `touched` (ny, nx): nodes whose box holds
 * some metal. Nothing is done without grid->stencil and a wave number above 0. */
pw_status mirror_place(const struct floorplan *plan, const struct raster_grid *grid, const uint8_t *touched,
                       struct mixture_table *table, uint32_t *index, pw_error *error);

#endif
