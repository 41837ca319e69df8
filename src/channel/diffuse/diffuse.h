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
 * or ceiling in a metre. A face of a wall resists with 4r/(1 - r).
 *
 * When it arrives. L is the mean way over the plan of the waves that were solved at a place, and q is sent out there at
 * sqrt(L^2 + h^2/4). The scattered waves fly straight from face to face by Lambert's law. Walls on the way reflect r of
 * them, take exp(-a), and let the rest through. A flight ends where it is received, half way up. All flights together
 * give the mean delay of a place. Nothing arrives before sqrt(d^2 + h^2), the way to floor or ceiling and from there to
 * a receiver at a distance d. From there on the power falls as an exponential of that mean. Of all laws that begin
 * there and have that mean, the exponential supposes least. */
#pragma once

#include "base/status.h"
#include "channel/slant/direct_path.h"
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

/* Squares of the plan, of some blocks each, over which scattered waves fly. */
enum {
    DIFFUSE_DEPTH,    /* what walls lose of a flight over as much as a side: exp(-depth) is left */
    DIFFUSE_FACES,    /* what is not reflected of one along a row: exp(-faces) */
    DIFFUSE_FACES_UP, /* and along a column */
    DIFFUSE_POWER,    /* what floor and ceiling scatter */
    DIFFUSE_MOMENT,   /* [m]: the same times how far it has come */
    DIFFUSE_TRAVEL,   /* m: how far they have come when they are received, in the mean */
    DIFFUSE_SQUARE_VALUES
};
struct diffuse_squares {
    int rows, columns, side;              /* side: in blocks */
    double step;                          /* m */
    double *value[DIFFUSE_SQUARE_VALUES]; /* (rows, columns), owned: of the kinds above */
};
pw_status diffuse_squares_create(const struct diffuse_floor *blocks, double height, struct diffuse_squares *squares,
                                 pw_error *error);
void diffuse_squares_free(struct diffuse_squares *squares);
/* The square of block n. */
static inline int diffuse_square(const struct diffuse_squares *squares, const struct diffuse_floor *floor, int n)
{
    return n / floor->columns / squares->side * squares->columns + n % floor->columns / squares->side;
}
/* Fills DIFFUSE_TRAVEL for receivers half way up a storey of `height` [m]. Power and moment, given of what is scattered
 * for the first time, become those of all. */
pw_status diffuse_travel(struct diffuse_squares *squares, double height, double reflection, pw_error *error);

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
    struct diffuse_floor floor;     /* owned */
    double first[2];                /* m: x and y of the first block's middle */
    bool *air;                      /* (rows, columns), owned: the middle of the block is air */
    double *density;                /* (rows, columns), owned: w */
    double height;                  /* m, of the storey */
    struct diffuse_squares squares; /* owned */
};

struct channel_band;
pw_status diffuse_create(const struct result *result, int transmitter, const struct storey *storey,
                         const struct channel_band *band, struct diffuse **diffuse, pw_error *error);
/* NULL is allowed. */
void diffuse_free(struct diffuse *diffuse);

/* Power gain of what an antenna of one polarisation takes in of them at a place [m]. */
double diffuse_at(const struct diffuse *diffuse, const double place[2]);

/* The same by delay: gain/excess exp(-(t - onset)/excess), from the onset on. */
struct diffuse_late {
    double gain, onset, excess; /* linear; s since emission; s */
};
/* At a place `distance` [m] over the plan from the transmitter. */
struct diffuse_late diffuse_late(const struct diffuse *diffuse, const double place[2], double distance);

/* Where its bins lie: `first` s the first of `count` delays, `bin` s apart, of which the last comes before the first
 * again, as it is of a Fourier transform. */
struct diffuse_bins {
    double first, bin;
    int count;
};
/* Its profile, as the window's pulse spreads it: (bins->count), whose sum is `sum` and whose mean is exact. */
void diffuse_profile(const struct diffuse_late *late, const struct pulse *pulse, const struct diffuse_bins *bins,
                     double sum, double *profile);
