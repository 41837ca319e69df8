/* Slabs of dispersive media, and how they are written into a scenario; the cases that solve them in two and in three
 * dimensions share this. It shares nothing with the solver but the names of its poles. */
#ifndef DISPERSIVE_H
#define DISPERSIVE_H

#include "problem/poles/pole.h"
#include "validation/support/case.h"

enum { DISPERSIVE_POLES = 3, DISPERSIVE_SLABS = 5 };

struct dispersive_slab {
    const char *name;
    double permittivity, conductivity; /* without the poles; -, S/m */
    int pole_count;
    struct pole poles[DISPERSIVE_POLES];
    double thickness; /* m */
    bool opaque;      /* waves inside fade within few of the usual cells, so that its order shows with finer ones */
};

/* For a band about 1 GHz: Debye, Lorentz, Drude above and below its plasma frequency, and a sum of them all. */
extern const struct dispersive_slab DISPERSIVE_SLAB[DISPERSIVE_SLABS];

double complex dispersive_permittivity(const struct dispersive_slab *slab, double frequency);

/* The shortest wavelength inside from `low` to `high` [Hz], or 2 pi times the shortest depth; no longer than in air. */
double dispersive_wavelength(const struct dispersive_slab *slab, double low, double high);

/* The material in braces, as a scenario has it. */
void dispersive_write(const struct dispersive_slab *slab, struct text *text);

#endif
