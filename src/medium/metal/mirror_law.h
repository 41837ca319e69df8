/* What a scheme's nodes before a plane of metal see of it: physics.md section 1, "Metal between nodes". */
#ifndef MIRROR_LAW_H
#define MIRROR_LAW_H

#include "problem/stencil.h"

/* Of the wave number, what counts along the normal in the mean of its square over all angles of incidence, cos^2 times
 * weighted: (3/4)^(1/2). */
#define MEAN_TURN 0.866

struct mirror_law {
    double place;              /* cells beyond the last free node */
    double compliance;         /* Ez per unit of (cell^2 L Ez) at that node */
    double turn;               /* rad, of a wave from node to node */
    double force[2], field[2]; /* of sin (turn p) and of cos (turn p) at nodes -p: force and Ez at node 0 */
};

/* `turn`: k cell of the wave that is to be reflected as the metal does; 0: the static law alone. */
struct mirror_law mirror_law_of(const struct stencil *stencil, double turn);

/* k^2 cell^2 times the permittivity to add when the metal is `distance` cells away along a link; >= 0. */
double mirror_stiffness(const struct mirror_law *law, double distance);

/* The slack [cells] that makes the mean square over the band and all places of the metal least, for a band of
 * +-`half_band` times its centre; at 1/2 and above, where added permittivity is wrong at the upper edge by more than
 * itself, 1/2: the nearest node. */
double mirror_slack(double half_band);

/* On how many rows (in three dimensions planes) of nodes, one after the other, a sheet has to be held so that no more
 * than about -46 dB pass through it: yee 1, fd4 and fd4o 2, fd6, fd8 and dd2 3, dd3 4, dd4 5. Beyond n such rows a
 * wave couples by the taps of the second difference that reach over them, sum (m - n) |laplacian(m)| over m > n of what
 * the nearest neighbour has; that is what passes at about 15 cells a wavelength, and twice as much at 7. */
int metal_planes(const struct stencil *stencil);

/* Of sheets that do not go on straight for so many lines to both sides, a plane more. */
enum { METAL_STRAIGHT = 3 };

#endif
