/* A guide along x between two PEC walls that ends in an absorber: one of its modes is two plane waves whose sine of the
 * angle is the wave number across over that in air, at every scheme's own wave number across; over 1 the mode is below
 * its cutoff and falls off along the guide. Measured by the solver that users run; set up as a scenario, but for the
 * source, which gets the mode's profile, and for the sides of `mur`, which become walls. */
#ifndef GUIDE_H
#define GUIDE_H

#include "validation/support/strip.h"

struct guide {
    const char *scheme, *kind; /* of the absorber; "pec": the far end is a wall, the near one has upml */
    int layer;                 /* cells of the absorber; of mur no matter */
    int order;                 /* of mur: 1 or 2 */
    double reflection;         /* R(0) of an order 4; 0: the kind's default */
    double cells, sine;        /* a wavelength, about; of the angle */
};

/* What of it was solved, the nearest that whole cells across make. */
struct guide_outcome {
    double reflection; /* |reflected| / |incident| where the layer begins; of mur half a cell before the edge, of pec at
                          the wall */
    double cells;      /* a wavelength */
    int across, half_waves;
    double courant; /* c dt / cell */
};

struct guide_outcome guide_solve(const struct guide *guide, const char *backend);

#endif
