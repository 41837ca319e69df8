/* See rest_share.h. The CUDA backend steps columns of three dimensions in bricks of 64 x 64, beginning when something
 * has come to a brick beside them (kernels/volume/rest/volume_rest.h). What comes first has gone straight through the
 * air; rounding lets traces of it run up to a hundred cells ahead. Leaves out walls, behind which it comes a little
 * later.
 */
#include "backend/parts/rest_share.h"

#include "base/constants.h"

#include <math.h>

enum { BRICK = 64 };

/* Cells by which traces run ahead: until they are under 1e-45, in double under 1e-324. */
static double cells_ahead(const struct problem *problem)
{
    return problem->precision == PW_SINGLE ? 100 : 400;
}

/* Cells from place `at` to the brick, or one beside it, that begins at `first`. */
static double cells_between(int at, int first)
{
    return fmax(0, fmax(first - BRICK - at, at - (first + 2 * BRICK - 1)));
}

/* Whether anything of such a problem can be left out. */
static bool may_rest(const struct problem *problem, int source, double steps)
{
    return problem->formulation == FORMULATION_MAXWELL3D && !problem->axis[2].uniform &&
           problem->sources[source].count > 0 && steps > 0;
}

/* The step after which a brick is stepped whose first column is (i, j). */
static double arrival(const struct problem *problem, int source, int i, int j)
{
    const double speed = SPEED_OF_LIGHT * problem->time_step / problem->axis[0].spacing; /* cells a step */
    const int64_t node = problem->sources[source].node[0] % problem_nodes(problem), nx = problem->axis[0].count,
                  ny = problem->axis[1].count;
    const double away = hypot(cells_between((int)(node % nx), i), cells_between((int)(node / nx % ny), j));
    return fmax(0, away - cells_ahead(problem)) / speed;
}

double rest_share(const struct problem *problem, int source, double steps)
{
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    double rest = 0;
    for (int j = 0; j < ny && may_rest(problem, source, steps); j += BRICK) {
        for (int i = 0; i < nx; i += BRICK) {
            const double cells = fmin(BRICK, nx - i) * fmin(BRICK, ny - j);
            rest += cells * fmin(1, arrival(problem, source, i, j) / steps);
        }
    }
    return rest / ((double)nx * ny);
}

void reached_share(const struct problem *problem, int source, const int first[2], const int end[2], double steps,
                   int slices, double *share)
{
    const bool rests = may_rest(problem, source, steps);
    for (int s = 0; s < slices; s++) {
        share[s] = rests ? 0 : 1;
    }
    for (int j = first[1]; j < end[1] && rests; j += BRICK) {
        for (int i = first[0]; i < end[0]; i += BRICK) {
            const double cells = fmin(BRICK, end[0] - i) * fmin(BRICK, end[1] - j),
                         slice = arrival(problem, source, i, j) / steps * slices - 0.5;
            for (int s = (int)fmin(slices, fmax(ceil(slice), 0)); s < slices; s++) {
                share[s] += cells;
            }
        }
    }
    for (int s = 0; s < slices && rests; s++) {
        share[s] /= (double)(end[0] - first[0]) * (end[1] - first[1]);
    }
}
