/* The linear part of a joint fit: offsets, slope and exponent, and steps of the other parameters as far as a linear
 * response tells, inside their ranges. */
#pragma once

#include "calibrate/joint/regression.h"
#include "calibrate/joint/trials.h"

/* A trial with its responses, and which parameters move. */
struct linear {
    const struct fit *fit;
    const struct trial *base;
    const double *responses;           /* (parameters, cells): dB for a unit of the coordinate, of plan and height */
    bool moves[PW_JOINT_PARAMETERS];   /* of plan and height */
    bool walls_alike;                  /* walls that have priors are left as their materials */
    double reach[PW_JOINT_PARAMETERS]; /* how far a coordinate may move; INFINITY: as far as its range */
    double slope, alike;               /* about what they are of the solution, for what was known before; 0: 1 */
};

enum { LINEAR_EXTRAS = 2 };

/* What was found; offsets are those of stations. */
struct solution {
    double coordinates[PW_JOINT_PARAMETERS]; /* slope and exponent too, fitted or not */
    double slope, extra[LINEAR_EXTRAS];      /* what is added to a level: exponent and body */
    double *offsets;                         /* (stations), owned */
    double *devices;                         /* (devices): beside the first, which has 0; part of offsets' memory */
    double scale;                            /* dB */
    double alike;                            /* so many cells tell as much as one (regression.h) */
};
pw_status solution_create(const struct fit *fit, struct solution *solution, pw_error *error);
void solution_free(struct solution *solution);
void solution_copy(const struct fit *fit, const struct solution *from, struct solution *to);

/* Fits to the cells that are fitted and not left out. `fold`: of the cells, left out; -1: none. */
pw_status linear_solve(const struct linear *linear, int fold, struct solution *solution, pw_error *error);

/* What is added to the sum of losses, in squares of the scale, for parameters that are off what was known of them. */
double linear_prior_loss(const struct linear *linear, const double *coordinates);

/* Level [dBm] of cell n by a solution. */
double linear_level(const struct linear *linear, const struct solution *solution, int cell);

/* Variances of the parameters, (parameters, parameters), and standard errors of the stations' offsets (stations) and of
 * the devices' behind them (devices). */
pw_status linear_errors(const struct linear *linear, const struct solution *solution, double *covariance,
                        double *offset_errors, double *freedom, pw_error *error);
