/* The field of a Hertzian dipole in an air gap between layers of other media: Sommerfeld integrals of the transmission
 * line equivalents of plane waves (Michalski and Mosig, IEEE Trans. Antennas Propag. 45(3), 508-519, 1997). It shares
 * nothing with the solver. All layers lie across z. */
#ifndef LAYERED_H
#define LAYERED_H

#include "validation/support/volume.h"

enum { LAYERED_LIMIT = 4 };

struct layer {
    double thickness, permittivity, conductivity; /* m, -, S/m */
};

/* Air from z = low to z = high, where the first layers above and below begin; air again behind the last ones. No
 * layers: air goes on. */
struct layered {
    double low, high;
    int below_count, above_count;
    struct layer below[LAYERED_LIMIT], above[LAYERED_LIMIT]; /* from the gap outwards */
};

/* E along the faces (TE, TM: its part across the wave's own normal) that the first face of layers reflects, over what
 * falls in; `through`: that behind the last face over the sum at the first. `radial`: wave number along the faces
 * [rad/m]. H along the faces is reflected with the other sign. */
double complex layered_reflect(const struct layer *layers, int count, double frequency, double complex radial, bool tm,
                               double complex *through);

/* E [V/m] as Ex, Ey, Ez at `to` of a dipole of 1 A m along component `along` at `from`, in the gap; `to` lies in the
 * gap or above all layers above it. `points`: of the quadrature for each wave of the spectrum's oscillation; 16 give
 * nine digits. */
void layered_field(const struct layered *layered, double frequency, int along, struct place3 from, struct place3 to,
                   int points, double complex field[3]);

#endif
