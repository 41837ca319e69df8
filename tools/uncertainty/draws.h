/* Draws of what is not known: spreads by name turned into numbers of standard form, one a dimension, and these into a
 * changed scenario.
 *
 * A dimension's number is normal (mean 0, variance 1), or uniform from -1 to 1. Draws are a Latin hypercube (M. D.
 * McKay et al., Technometrics 21, 239, 1979): each dimension alone is stratified, one draw in each of its equally
 * likely parts, and the dimensions are paired at random. */
#pragma once

#include "tools/ground.h"
#include "uncertainty/planwave_uncertainty.h"

enum { DIMENSION_LIMIT = 2 * PW_SPREADS };

struct dimension {
    int spread; /* of the options, which it belongs to */
    bool uniform;
    double width;
    bool is_position;
    bool is_seed;                   /* of clutter: a number is a draw of its own, and a width has no meaning */
    pw_parameter parameter;         /* of materials */
    char transmitter[PW_NAME_SIZE]; /* of positions */
    bool along_y;
};

struct draws {
    int dimensions, count;
    struct dimension dimension[DIMENSION_LIMIT];
    double *number; /* (count, dimensions), owned */
};

/* Reads the spreads and looks them up in the scenario. PW_USAGE: a width out of its range, a name given twice;
 * PW_BAD_INPUT: what the scenario does not have. Makes `count` draws; 0: the steps of the first order. Free with
 * draws_free. */
pw_status draws_create(const pw_scenario *scenario, const pw_spread *spreads, int spread_count, int count,
                       uint64_t seed, struct draws *draws, pw_error *error);
void draws_free(struct draws *draws);

/* Steps of the first order: of each dimension its P90, then its P10, with the others as written; 2 dimensions draws. */
void draws_step(struct draws *draws);

/* Whether some dimension is a seed, of which no polynomial tells anything. */
bool draws_have_seeds(const struct draws *draws);

/* Fills `number` (count, dimensions). */
pw_status draws_fill(const struct draws *draws, int count, uint64_t seed, double *number, pw_error *error);

/* Makes the scenario that of the numbers (dimensions). */
pw_status draw_apply(const struct draws *draws, const double *number, pw_scenario *scenario, pw_error *error);

/* The value under which a normal number lies with probability `p` in (0, 1). */
double normal_quantile(double p);
