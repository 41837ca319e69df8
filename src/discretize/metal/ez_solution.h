/* What Ez looks like right beside metal: the solution of the wave equation that vanishes there and grows the slowest.
 * Before a face it is sin(k d), d the distance; at a corner or an end that opens over the angle a,
 * J_(pi/a)(k r) sin(pi phi/a); around a round post J0(k r) Y0(k a) - Y0(k r) J0(k a). Only ratios of its values count.
 * Farther from a face than 2.4/k, where sin(k d) may vanish again, it is a standing wave with its largest
 * value at the node. */
#ifndef EZ_SOLUTION_H
#define EZ_SOLUTION_H

#include "medium/metal/metal_edges.h"

enum ez_form { EZ_FACE, EZ_CORNER, EZ_POST, EZ_WAVE };

struct ez_solution {
    enum ez_form form;
    struct point at;      /* cells: on the face; the corner; the post's centre; EZ_WAVE: the node */
    double normal[2];     /* EZ_FACE, EZ_WAVE: into free space */
    double face, opening; /* EZ_CORNER: rad */
    double radius;        /* EZ_POST: cells */
    bool hole;            /* EZ_POST: the field is inside, and metal around it */
};

/* Its value at a place, `turn` being k times a cell; zero in metal. */
double ez_solution_at(const struct ez_solution *solution, struct point place, double turn);

#endif
