/* Waves that floor and ceiling scatter, in a result of two dimensions (physics.md section 6). Floors carry furniture
 * and ceilings carry lamps and ducts, so what they reflect goes into all directions: a power without phases, which
 * spreads over the plan as heat does (diffusion, Flintoft and others, IEEE Trans. EMC 59 (2017) 1048), is lost in floor
 * and ceiling, passes walls and goes round them. No number is fitted: storey and materials are those of the plan.
 *
 * With c = 1, w the power gain of the scattered waves in all polarisations, h the height of the storey, r a mean
 * reflection of a face over all directions and both polarisations:
 *
 *     -div(D grad w) + m w = q,   in air D = 2h/3, m = (2 - r_floor - r_ceiling)/(4h),
 *                                 in walls D = 1/(2a), m = a/2, a their attenuation in power [1/m],
 *     q = P L/(L^2 + h^2/4) (r_floor + r_ceiling)/2
 *
 * where P is the gain of the waves that were solved, by distance, and L/(L^2 + h^2/4) the part of them that meets floor
 * or ceiling in a metre. A face of a wall resists with 4r/(1 - r). */
#pragma once

#include "base/status.h"
#include "channel/storey/storey.h"
#include "result/result.h"

/* Blocks of the plan, (rows, columns), of `step` [m]. */
struct diffuse_floor {
    int rows, columns;
    double step;
    double *loss;  /* (rows, columns) [1/m], owned: of a block, in a metre */
    double *right; /* (rows, columns) [1/m], owned: exchanged with the block beside, in the next column */
    double *above; /* (rows, columns) [1/m], owned: with that in the next row */
};

/* w of a source q [1/m], both (rows, columns). Each block's losses and its flow to the blocks around make up for q. */
pw_status diffuse_solve(const struct diffuse_floor *floor, const double *source, double *density, pw_error *error);

/* Mean reflection, 0 to 1, of the face of a half space. */
double diffuse_reflection(struct permittivity inside);

/* A node of the grid. */
struct diffuse_node {
    float spread, loss; /* D [m], 0: metal; m [1/m] */
    float face;         /* 4r/(1 - r) of a wall; 0: air */
};
/* Flow from the first of `count` nodes to the last, `cell` [m] apart, `stride` from one to the next, against the
 * difference of w. */
double diffuse_exchange(const struct diffuse_node *nodes, int count, size_t stride, double cell);

/* The scattered waves of a transmitter. */
struct diffuse {
    struct diffuse_floor floor; /* owned */
    double first[2];            /* m: x and y of the first block's middle */
    bool *air;                  /* (rows, columns), owned: the middle of the block is air */
    double *density;            /* (rows, columns), owned: w */
};

struct channel_band;
pw_status diffuse_create(const struct result *result, int transmitter, const struct storey *storey,
                         const struct channel_band *band, struct diffuse **diffuse, pw_error *error);
/* NULL is allowed. */
void diffuse_free(struct diffuse *diffuse);

/* Power gain of what an antenna of one polarisation takes in of them at a place [m]. */
double diffuse_at(const struct diffuse *diffuse, const double place[2]);
