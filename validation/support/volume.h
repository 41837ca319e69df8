/* A problem in three dimensions made by hand: a box of cells whose six ends are absorbers or walls, currents and field
 * probes anywhere, one pulse; for cases that want a plain law and nothing between it and the solver. The plan, where
 * there is one, is that of a scenario, and is averaged as users have it (src/medium). Leaves out what the set-up of a
 * scenario decides; cases about that run scenarios. */
#ifndef VALIDATION_VOLUME_H
#define VALIDATION_VOLUME_H

#include "medium/raster.h"
#include "validation/support/case.h"

enum volume_end { END_ABSORBER, END_PEC, END_PMC /* at low ends */ };

struct place3 {
    double x, y, z; /* m from the low corner of the box inside the absorbers */
};

struct volume {
    const char *scheme;
    double cell;               /* m */
    int cells[3];              /* of the box inside the absorbers */
    enum volume_end end[3][2]; /* of x, y, z: low, high */
    const char *absorber;      /* its kind; NULL: a scenario's default */
    int layer;                 /* cells of absorber; 0: as many as a scenario gets */
    double order, reflection;  /* of its profile; 0: likewise */
    double frequency, width;   /* Hz: of the band, which the stencil is tuned to and the pulse has */
    double courant;            /* part of the largest stable time step; 0: 0.99 */
    double duration;           /* s */
    pw_precision precision;
    const char *plan;      /* what stands under `plan:` in a scenario, in braces; NULL: air */
    const char *averaging; /* of the plan; NULL: moment */
    struct place3 plan_at; /* plan coordinates of the low corner of the box */

    /* From volume_begin on. A case may overwrite the drive and the current of the one source. */
    struct problem problem;
    struct stencil stencil;
    int first[3];     /* cells between the corner of the grid and that of the box */
    double *series;   /* (steps, probe_count), owned; from volume_solve on */
    int source_limit; /* room in the source */
    int place_count;  /* of all probes */
};

/* Grid, time step, absorber, medium and pulse from the first block of members; the rest zero. */
void volume_begin(struct volume *volume);
/* Where node (i, j, k) of a component stands, counted from the low corner of the box. */
struct place3 volume_place(const struct volume *volume, enum component component, int i, int j, int k);
/* A current moment [A m] along a component of E: on one node, or on those around a place between nodes by Lagrange's
 * polynomial through 8 of them along each axis. */
void volume_add_dipole(struct volume *volume, enum component component, struct place3 at, double moment);
/* A probe of E or H, likewise; returns its index. */
int volume_add_probe(struct volume *volume, enum component component, struct place3 at);
/* From rest to the end. On the reference, whose loops are plain, problems of more than 6e9 cell updates are solved for
 * the first twentieth of their steps; where the cpu backend has the same bits at every probe, its answer is taken. */
void volume_solve(struct volume *volume, const char *backend);
/* E [V/m] or H [A/m] of every probe at each frequency [Hz], warped, over the spectrum of the pulse, whose peak is 1 A:
 * transfer[probe * count + f]. */
void volume_transfer(const struct volume *volume, int count, const double *frequency, double complex *transfer);
void volume_free(struct volume *volume);

/* Field of a Hertzian dipole of moment 1 A m along component 0..2 (x, y, z) in free space at `r` from it: E [V/m] and H
 * [A/m] as Ex, Ey, Ez, Hx, Hy, Hz. */
void volume_dipole_law(double frequency, int along, struct place3 r, double complex field[6]);

#endif
