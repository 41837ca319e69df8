/* Absorbers at the ends of an axis. A kind is a file of its own (layers/absorber_upml.c) with one struct
 * absorber_model, a value of enum absorber_kind and a line in the table of absorber.c. What a kind offers is the filter
 * of the stretched coordinate at a given depth, so every solver takes every kind without knowing it. Leaves out how a
 * scenario writes a kind down (scenario_grid.c) and how a solver applies the filters (cell.h). */
#pragma once

#include "api/setup.h"
#include "base/status.h"

/* The wall itself is zero: an axis without an absorber ends on a perfect conductor. */
enum absorber_kind { ABSORBER_PEC, ABSORBER_UPML, ABSORBER_CPML, ABSORBER_BERENGER, ABSORBER_MUR };

/* What a scenario asks for. */
struct absorber {
    enum absorber_kind kind;
    int cells;         /* thickness of the layer; 0 for kinds without one */
    double order;      /* m of the grading (d/D)^m; of mur, 1 or 2 */
    double reflection; /* R(0), of a wave that falls in perpendicularly */
    double kappa;      /* cpml: real part of the stretch at the wall, 1 where the layer begins */
    double alpha;      /* cpml: shifted pole: multiples of c/D, or S/m: */
    bool alpha_in_siemens;
    /* `by_side`: side[axis] has kinds of their own at the low and the high end of x, y, z; else `kind` is that of all.
     */
    bool by_side;
    enum absorber_kind side[3][2];
};

/* Filter 1/s at one place: out = gain in + state, next state = pole (out - in) + feed in. Where there is none: gain =
 * pole = 1, feed = 0, which changes nothing. */
struct absorber_filter {
    double gain, pole, feed;
};

/* An axis whose filters are wanted. The precision is that of the run, which rounds what a filter is made of. */
struct absorber_axis {
    int number;             /* 0 to 2: x, y, z */
    int count;              /* cells */
    double cell, time_step; /* m, s */
    pw_precision precision;
};

/* One kind of absorber. */
struct absorber_model {
    const char *name;        /* as written in a scenario */
    const char *description; /* a clause for help texts */
    bool layered;            /* it has cells; else it is the wall itself, and has no filter */
    bool one_way;            /* the outermost nodes obey a one-way wave equation (mur/mur.h) */
    bool planar;             /* for two dimensions alone */
    struct absorber usual;   /* the kind, and what a scenario gets that names the kind and nothing else; a reflection of
                                0 and an alpha of 0: by the cells of the layer (layers/absorber_depth.h) */
    /* The filter at `depth` cells (> 0) inside the layer; NULL without one. */
    struct absorber_filter (*filter)(const struct absorber *absorber, double depth, const struct absorber_axis *axis);
};

extern const struct absorber_model absorber_pec, absorber_upml, absorber_cpml, absorber_berenger, absorber_mur;

const struct absorber_model *absorber_model(enum absorber_kind kind);

/* The table in the order in which help texts and messages list it; NULL after its end. The first is the default. */
const struct absorber_model *absorber_listed(size_t index);

/* Some end has this kind, of the axes that `dimensions` have. */
bool absorber_has(const struct absorber *absorber, enum absorber_kind kind, int dimensions);

/* The kind at the low (0) or high (1) end of an axis, and the cells of its layer there. */
enum absorber_kind absorber_kind_at(const struct absorber *absorber, int axis, int end);
int absorber_cells_at(const struct absorber *absorber, int axis, int end);

/* sigma(d) = sigma_max (d/D)^m with sigma_max = -(m+1) ln R(0) / (2 eta0 D), in S/m, `depth` cells inside the layer. */
double absorber_conductivity(const struct absorber *absorber, double depth, double cell);

/* Fills half[i] (at i+1/2) and node[i] (at i) for i = 0..count-1 of an axis with the absorber at its ends. */
void absorber_profile(const struct absorber *absorber, const struct absorber_axis *axis, struct absorber_filter *half,
                      struct absorber_filter *node);
