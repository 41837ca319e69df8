/* What Ez looks like right beside metal: the solution of the wave equation that vanishes there and grows the slowest.
 * Before a face it is sin(k d), d the distance; at a corner or an end that opens over the angle a,
 * J_(pi/a)(k r) sin(pi phi/a); around a round post J0(k r) Y0(k a) - Y0(k r) J0(k a). Only ratios of its values count.
 * Farther from a face than 2.4/k, where sin(k d) may vanish again, it is a standing wave with its largest
 * value at the node. */
#pragma once

#include "medium/metal/metal_edges.h"

enum metal_form { METAL_FACE, METAL_CORNER, METAL_POST, METAL_WAVE };

struct metal_solution {
    enum metal_form form;
    struct point at;      /* cells: on the face; the corner; the post's centre; METAL_WAVE: the node */
    double normal[2];     /* METAL_FACE, METAL_WAVE: into free space */
    double face, opening; /* METAL_CORNER: rad */
    double radius;        /* METAL_POST: cells */
    bool hole;            /* METAL_POST: the field is inside, and metal around it */
};

/* Its value at a place, `turn` being k times a cell; zero in metal. */
double metal_solution_at(const struct metal_solution *solution, struct point place, double turn);

/* J of any order >= 0 up to a constant factor, for x up to 12. */
double metal_bessel(double order, double x);
