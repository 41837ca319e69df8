/* What a problem can compute about itself: its normalised stencil. And its end. */
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Rounds the weights to single precision so that a constant stays one and the wave speed of long waves is exact:
 * rounding by itself, and the rings left out, would shift both by some 1e-6. The second and third ring take up what the
 * others lose: centre + 2 sum r(m) = 0,   sum m^2 r(m) = 1/ring(1). */
static void round_consistently(struct problem *problem, const struct stencil *stencil)
{
    double sum = 0, moment = 0;
    problem->centre = (float)problem->centre;
    for (int m = 1; m <= problem->ring_count; m++) {
        if (m != 2 && m != 3) {
            problem->ring[m - 1] = (float)problem->ring[m - 1];
            sum += problem->ring[m - 1];
            moment += m * m * problem->ring[m - 1];
        }
    }
    double rest = -0.5 * problem->centre - sum, rest_moment = 1 / stencil->ring[0] - moment;
    double third = (rest_moment - 4 * rest) / 5;
    problem->ring[1] = (float)(rest - third);
    problem->ring[2] = (float)(rest - problem->ring[1]); /* the finer of the two closes the sum */
}

void problem_set_stencil(struct problem *problem, const struct stencil *stencil)
{
    double epsilon = problem->precision == PW_SINGLE ? FLT_EPSILON : DBL_EPSILON;
    double negligible = 0.5 * epsilon * fabs(2 * stencil->centre), magnitude = 0;
    int rings = 2 * stencil->reach - 1;
    /* A ring has four neighbours; those left out must together stay under the rounding of the centre term. */
    while (rings > 1 && magnitude + 4 * fabs(stencil->ring[rings - 1]) < negligible) {
        magnitude += 4 * fabs(stencil->ring[rings - 1]);
        rings--;
    }
    problem->reach = stencil->reach;
    problem->ring_count = rings;
    problem->centre = stencil->centre / stencil->ring[0];
    for (int m = 0; m < rings; m++) {
        problem->ring[m] = stencil->ring[m] / stencil->ring[0];
    }
    if (problem->precision == PW_SINGLE && rings >= 3) {
        round_consistently(problem, stencil);
    }
    for (int l = 0; l < stencil->reach; l++) {
        problem->difference[l] = stencil->difference[l] / sqrt(stencil->ring[0]);
    }
}

void problem_free(struct problem *problem)
{
    for (int s = 0; s < problem->source_count; s++) {
        free(problem->sources[s].node);
        free(problem->sources[s].weight);
        free(problem->sources[s].drive);
        free(problem->sources[s].current);
    }
    free(problem->sources);
    free(problem->retention);
    free(problem->coupling);
    free(problem->material);
    free(problem->x_half);
    free(problem->x_node);
    free(problem->y_half);
    free(problem->y_node);
    free(problem->probe_node);
    free(problem->spectra.frequency);
    free(problem->spectra.omega);
    *problem = (struct problem){0};
}
