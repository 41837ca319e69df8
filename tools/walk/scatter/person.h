/* What a person is to waves: a cylinder of tissue, upright, with an electric or a magnetic field along it. */
#pragma once

#include "ground.h"

#include <complex.h>

/* Relative permittivity of muscle, eps' - j eps'': the four dispersions of S. Gabriel, R. W. Lau, C. Gabriel, Phys.
 * Med. Biol. 41 (1996) 2271. */
double complex muscle_permittivity(double frequency);

/* The same over a band as a scenario says it, of one Debye pole and a conductivity; *off is how far that is off the
 * four dispersions at most, relative. */
enum { MATERIAL_SIZE = 200 };
void muscle_material(double low, double high, char material[MATERIAL_SIZE], double *off);

/* How a cylinder of `radius` [m] answers waves around its axis: to J_m(k r) e^{jm phi} with response[m] H_m^(2)(k r)
 * e^{jm phi}, for m and -m alike, m = 0 ... orders. */
struct cylinder {
    double radius;
    double complex permittivity;
    bool across; /* H lies along it, and E across: horizontal polarisation */
};
void cylinder_response(const struct cylinder *cylinder, double k, int orders, double complex *response);
