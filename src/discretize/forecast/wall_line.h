/* What a wall of layers lets through on a grid, against what it lets through. A plane wave at the band's frequencies
 * meets a line of nodes across the wall, with the media that averaging leaves there, and that is solved: it is what a
 * run tends to. E lies along the wall. With H along it layers that are thinner than some wavelengths err alike.
 *
 * A pane of glass that lies between two nodes is shared by them, and what it reflects is too little: up to half of it
 * at the coarsest cells. Two panes, whose echoes add, can let 6 dB too much through (validation/walls.md). */
#pragma once

#include "medium/averaging_weight.h"
#include "problem/stencil.h"

#include <complex.h>

enum { WALL_LAYERS = 16, WALL_FREQUENCIES = 3 /* of the band: its low end, its centre, its high end */ };

/* Layers without air before the first and behind the last. */
struct layered_wall {
    int count;
    double thickness[WALL_LAYERS];                              /* m */
    double complex permittivity[WALL_LAYERS][WALL_FREQUENCIES]; /* relative, with what conducts */
};

struct wall_grid {
    const struct stencil *stencil;
    const struct averaging_weight *weight;
    double cell;          /* m */
    double centre, width; /* Hz, of the band */
    bool by_points;       /* a node has the medium at its place */
    bool variance;        /* of band-limited averaging: some of it is added to the permittivity (medium/raster.c) */
    bool as_drawn;        /* nodes keep the averages, without grid_medium.h */
};

/* Of a wave that meets the wall at asin(sine): the field that `count` nodes let through, over what came. `turn`: phase
 * of a wave in air from node to node [rad]. NAN: no wave runs on this grid. */
double complex wall_line_through(const struct stencil *stencil, double turn, double sine, int count,
                                 const double complex *permittivity);

/* The same of the wall itself at frequency number f, by the transfer matrix. */
double complex wall_through(const struct layered_wall *wall, const struct wall_grid *grid, int f, double sine);

/* dB that the wall takes from a wave at the band's centre that meets it straight. */
double wall_loss(const struct layered_wall *wall, const struct wall_grid *grid);

/* dB of the power that the wall lets through, on the grid over what is right: root mean square over angles up to 60
 * degrees, negative where too little passes; of the mean over the band, or at its high end. The wall's first face lies
 * `place` [0, 1] of a cell behind a node; of a negative place the root mean square over places. 0: the wall is too
 * thick to be looked at. */
double wall_line_error(const struct layered_wall *wall, const struct wall_grid *grid, double place, bool high_end);

/* Frequency number f [Hz]. */
static inline double wall_frequency(const struct wall_grid *grid, int f)
{
    return grid->centre + 0.5 * (f - 1) * grid->width;
}
