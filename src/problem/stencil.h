/* The spatial schemes (physics.md section 2). A scheme is a value of enum scheme and a row of the table in stencil.c;
 * messages, help texts and benchmarks list the table. Here is what follows from a row: staggered first differences from
 * exact rationals, their Courant limits and their dispersion, and the second difference that the solver steps with. */
#pragma once

#include "base/status.h"

enum scheme {
    SCHEME_YEE,
    SCHEME_DD2,
    SCHEME_DD3,
    SCHEME_DD4,
    SCHEME_FD4,
    SCHEME_FD6,
    SCHEME_FD8,
    SCHEME_FD4O,
    SCHEME_COUNT
};

enum { REACH_LIMIT = 7, LAPLACIAN_LIMIT = 2 * REACH_LIMIT - 1 };

/* df at the half point = (1/cell) sum_l a(l) [f(+l+1/2) - f(-l-1/2)], l = 0..reach-1.
 * Applied twice: d2f at the node = (1/cell^2) [centre f(0) + sum_m laplacian(m) (f(+m) + f(-m))], m = 1..2 reach - 1.
 */
struct stencil {
    const char *name;
    int reach;
    double difference[REACH_LIMIT]; /* a(l) */
    double centre;
    double laplacian[LAPLACIAN_LIMIT]; /* laplacian[m-1] */
    double courant_limit;              /* 1 / max_theta |sum a(l) sin((l+1/2) theta)| */
    double second_moment;              /* sum m^2 laplacian(m) = (sum (2l+1) a(l))^2: 1 but for a tuned scheme */
    int order;                         /* of accuracy in space */
};

/* What a tuned scheme is fitted to. The others do not look at it. */
struct stencil_band {
    double cells_per_wavelength; /* in air, at the centre of the band */
    double relative_width;       /* width of the band over its centre */
    int dimensions;              /* 2 or 3: which directions waves take */
};

struct stencil stencil_get(enum scheme scheme, const struct stencil_band *band);
/* The band that stands for all where none is known, in benchmarks and in tests: 12 cells a wavelength, narrow, in two
 * dimensions. */
extern const struct stencil_band STENCIL_USUAL_BAND;
const char *scheme_name(enum scheme scheme);
/* A clause for help texts. */
const char *scheme_description(enum scheme scheme);
/* Every name, comma separated, into `text`, which is returned. */
const char *scheme_names(char *text, size_t size);
/* False when the name is unknown. */
bool scheme_from_name(const char *name, enum scheme *scheme);

/* sum_l a(l) sin((l+1/2) theta): half the symbol of the difference; k cell / 2 for an exact one. */
double stencil_symbol(const struct stencil *stencil, double theta);
/* The phase theta [rad] of a wave from node to node at which that sum is `wanted`. NAN: no wave runs. */
double stencil_phase(const struct stencil *stencil, double wanted);
/* Coefficients (reach) of the polynomial p by which the difference of taps a(l) is S p(z), with S the difference of
 * neighbours and z = S^T S. */
void stencil_polynomial(const double *difference, int reach, double *polynomial);

/* Numerical wave number [rad/m] of a plane wave at angle `angle` [rad] to the x axis in vacuum: the root k of the
 * dispersion relation of physics.md section 2 at frequency `omega` [rad/s]; time_step 0 means the limit of exact time
 * stepping. NAN beyond cut-off. */
double stencil_wave_number(const struct stencil *stencil, double cell, double time_step, double omega, double angle);

/* The same in any direction (of unit length), from the wave number [rad/m] that the time stepping has, 2 sin(w dt/2)/(c
 * dt). NAN beyond cut-off. */
double stencil_wave_number_along(const struct stencil *stencil, double cell, double stepped, const double direction[3]);
