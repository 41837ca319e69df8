/* Shapes of metal solved at places between the nodes, and how far off the field is. */
#ifndef METAL_CASE_H
#define METAL_CASE_H

#include "validation/support/metal/metal_shape.h"

/* METAL_FEW: a depth of which there are fewer points has no figure. */
enum { METAL_BINS = 4, METAL_POSITIONS = 16, METAL_FEW = 10 };

/* One solve: where the metal lies, and how it is computed. */
struct metal_solve {
    const char *scheme, *averaging, *backend; /* averaging NULL: the scheme's own */
    double cells;                             /* a wavelength in air, at the band's centre */
    double shift_x, shift_y;                  /* cells: the metal's corner from a node */
    double turn;                              /* rad */
    bool horizontal, volume;                  /* volume: in three dimensions */
    bool staircase; /* every node that metal or, of thin metal, half a cell of it covers is held, no other is changed */
};

/* How far off, outside one cell of metal and a wavelength of the source. `shadow`: root mean square of decibels where
 * metal hides the source and the field is 10 to 20, 20 to 30, 30 to 35, 35 to 40 dB under that of the source alone. */
struct metal_score {
    double rms, ninety_ninth; /* of the incident field there */
    double shadow[METAL_BINS];
    int shadow_points[METAL_BINS], points;
};

/* Where the metal lies between the nodes, the `position`-th of METAL_POSITIONS places. */
void metal_position(int position, struct metal_solve *solve);

/* `staircase`: not NULL to have that of held nodes alone as well. `field` must be that of the shape and the
 * polarisation. `map`: a file for the error over the floor at the band's centre, lines x, y [m], error [% of incident],
 * depth [dB]; NULL: none. */
void metal_case_solve(const struct metal_shape *shape, struct metal_field *field, const struct metal_solve *solve,
                      const char *map, struct metal_score *score, struct metal_score *staircase);

/* Worst of every figure. */
void metal_worst(struct metal_score *worst, const struct metal_score *score);

/* The largest of the figures, each over its gate at this number of cells a wavelength: 1 % (99 of 100 points 4 %) and
 * 1.5 dB down to -35 dB, from 12 cells on 0.5 % and 0.7 dB down to -40 dB. */
double metal_over_gate(const struct metal_score *score, double cells);

#endif
