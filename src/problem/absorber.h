/* Absorbers at the ends of an axis: one line each in the table of absorber.c. What a kind needs to offer is the filter
 * of the stretched coordinate at a given depth, so every solver takes every kind without knowing it.
 *
 * upml (physics.md section 3): Gedney's UPML, PEC backed, in stretched-coordinate form.
 *
 * Dividing the UPML equations by s_x s_y leaves
 *     jw (jw eps_r + sigma/eps0) E = c^2 [ (1/s_x) d_x (1/s_x) d_x + (1/s_y) d_y (1/s_y) d_y ] E,
 * so the layer is two first-order filters 1/s per direction: one on the first difference (half nodes), one on the
 * second (nodes). With the trapezoidal rule in time that is algebraically the same recursion as Gedney's D/B form, with
 * less to store (tests/test_reference.c).
 *
 * The pole of s is shifted off zero frequency (Kuzuoglu and Mittra 1996): s = 1 + (sigma_layer/eps0) / (alpha + jw),
 * alpha = 0.05 c/D for a layer of thickness D, far under any band of use (10 MHz for 16 cells of 2 cm). Without the
 * shift the layer has no restoring force on constant fields, and what rounding leaves there grows linearly with time:
 * in single precision to 4e-3 of the peak after 64 000 steps of dd4. With it nothing grows. */
#ifndef ABSORBER_H
#define ABSORBER_H

#include "base/status.h"

enum absorber_kind { ABSORBER_PEC, ABSORBER_UPML, ABSORBER_KIND_COUNT };

/* What a scenario asks for. */
struct absorber {
    enum absorber_kind kind;
    int cells;         /* thickness of the layer; 0 for kinds without one */
    double order;      /* m of the grading (d/D)^m */
    double reflection; /* R(0), of a wave that falls in perpendicularly */
};

/* Filter 1/s at one place: out = gain in + state, next state = pole (out - in) + (gain - 1) in. Where sigma = 0: gain =
 * pole = 1. */
struct absorber_filter {
    double gain, pole;
};

/* One kind of absorber. */
struct absorber_model {
    const char *name;        /* as written in a scenario */
    const char *description; /* a clause for help texts */
    bool layered;            /* it has cells; else it is the wall itself, and has no filter */
    /* The filter at `depth` cells (> 0) inside the layer of a grid of `cell` metres. */
    struct absorber_filter (*filter)(const struct absorber *absorber, double depth, double cell, double time_step);
};

/* The table, in the order of enum absorber_kind. */
const struct absorber_model *absorber_model(enum absorber_kind kind);
/* False when the name is unknown. */
bool absorber_kind_from_name(const char *name, enum absorber_kind *kind);
/* "upml and pec": for messages and help. */
const char *absorber_kind_names(void);

/* Fills half[i] (at i+1/2) and node[i] (at i) for i = 0..n-1 of an axis of n cells with the absorber at both ends. */
void absorber_profile(const struct absorber *absorber, int n, double cell, double time_step,
                      struct absorber_filter *half, struct absorber_filter *node);

#endif
