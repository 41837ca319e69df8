/* Perfect conductors whose surface lies between the nodes. A node is either held at zero or free, so metal by itself is
 * a staircase: first order. Here every node nearer to metal, along a link, than about one cell is held at zero; the
 * mirror then stands too near, and extra permittivity on the free nodes before it moves it back to where the metal is.
 *
 * Before a mirror Ez grows in proportion to the distance. In one dimension, node 0 the last free one and all beyond it
 * zero, the static solution of L Ez = 0 is p + place far away at node -p: the mirror stands `place` cells beyond node 0
 * (yee 1; wide stencils, which miss the image behind, a little less). A stiffness s = k^2 cell^2 a taken from the
 * centre of node 0, a the permittivity added there, moves it to f cells, exactly, with s(f) = (1 - 1/(1 + f - place)) /
 * compliance, compliance being Ez at node 0 per unit of force there; for yee s = 1 - 1/f, the difference of the true
 * slope Ez/f and the scheme's. Each link of a node counts by its own distance: for yee exact at any angle. Permittivity
 * is never taken away, so that stability does not change.
 *
 * Permittivity is a stiffness at one frequency, the band's centre; off it the mirror stands f (f - place)
 * ((w/w_centre)^2 - 1) cells off, about. So over a band it is better not to move mirrors far, and to leave those that
 * stand up to `slack` cells too near where they are: mirror_slack. A static stiffness would do better, but nodes made
 * of permittivity and conductivity have none. */
#ifndef METAL_SURFACE_H
#define METAL_SURFACE_H

#include "medium/mixture.h"
#include "problem/stencil.h"

struct mirror_law {
    double place;      /* cells beyond the last free node */
    double compliance; /* Ez per unit of (cell^2 L Ez) at that node */
};

struct mirror_law mirror_law_of(const struct stencil *stencil);

/* k^2 cell^2 times the permittivity to add when the metal is `distance` cells away along a link; >= 0. */
double mirror_stiffness(const struct mirror_law *law, double distance);

/* The slack [cells] that makes the mean square over the band and all places of the metal least, for a band of
 * +-`half_band` times its centre; at 1/2 and above, where added permittivity is wrong at the upper edge by more than
 * itself, 1/2: the nearest node. */
double mirror_slack(double half_band);

/* Half the band over its centre, below which sheets of one row of nodes are held on three; else the mirrors of the
 * thicker sheet would be farther off than it is worth. */
#define MIRRORED_SHEETS 0.25

/* Sets the nodes of `index` (ny, nx) at metal: zero or raised permittivity. `touched` (ny, nx): nodes whose box holds
 * some metal. Nothing is done without grid->stencil and a wave number above 0. */
pw_status mirror_place(const struct floorplan *plan, const struct raster_grid *grid, const uint8_t *touched,
                       struct mixture_table *table, uint32_t *index, pw_error *error);

#endif
