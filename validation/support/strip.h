/* A strip along x between two PEC walls, driven across by the profile of one of its modes: two plane waves at +-angle
 * to the x axis, as one number per cross-section. Walls across it see oblique incidence at a known angle, and there is
 * a closed form for them. The absorber is at the two ends only. */
#ifndef STRIP_H
#define STRIP_H

#include "validation/support/case.h"

enum { STRIP_RECEIVERS = 8 };

struct strip {
    const char *scheme, *averaging; /* of physics.md sections 1 and 2 */
    bool horizontal;                /* polarisation: Ey is driven and received, in place of Ez */
    double cell;                    /* m */
    double frequency, width;        /* Hz, band */
    /* rad, wanted at the band's centre; strip_angle() tells the one that is. 0 with horizontal polarisation alone,
     * which has a mode without half waves */
    double angle;
    double length;            /* m, between the absorbers */
    double source;            /* m, where the line of currents stands */
    int layer;                /* cells of absorber */
    double order, reflection; /* of its profile; 0: 4 and 1e-10 */
    const char *wall;         /* "{relative_permittivity: ..., conductivity: ...}"; NULL: none */
    double face, thickness;   /* m, of the wall */
    int receiver_count;
    double receiver[STRIP_RECEIVERS]; /* m along x */
    double duration;                  /* s; 0: by the band */
    double pulse;                     /* s: half width of the Gaussian's envelope to 1/e; 0: by the band */
};

/* Wave number across [rad/m]: half_waves pi / (across cell). */
double strip_wave_number_across(const struct strip *strip);
double strip_angle(const struct strip *strip, double frequency);

/* A mode of that many half waves across `across` cells between PEC walls: Ez at node `row`, or with horizontal
 * polarisation Ey half a cell further. */
double strip_profile(bool horizontal, int half_waves, int across, int row);

/* The source at one node becomes a row of them across the whole grid, with the profile of such a mode. */
void strip_spread_source(const struct problem *problem, bool horizontal, int half_waves, struct source *source);

/* Ez (Ey) at each receiver at each frequency [Hz] over the current's spectrum, warped: transfer[receiver * count + f].
 */
void strip_solve(const struct strip *strip, const char *backend, int count, const double *frequency,
                 double complex *transfer);

#endif
