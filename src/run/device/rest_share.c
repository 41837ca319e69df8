/* See rest_share.h. The CUDA backend steps columns of three dimensions in bricks of 64 x 64, beginning when something
 * has come to a brick beside them (kernels/volume/rest/volume_rest.h). What comes first has gone straight through the
 * air; rounding lets traces of it run up to a hundred cells ahead. Leaves out walls, behind which it comes a little
 * later.
 */
#include "run/device/rest_share.h"

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

double rest_share(const struct problem *problem, int source, double steps)
{
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    const double speed = SPEED_OF_LIGHT * problem->time_step / problem->axis[0].spacing; /* cells a step */
    const struct source *own = &problem->sources[source];
    double rest = 0;
    if (problem->formulation != FORMULATION_MAXWELL3D || problem->axis[2].uniform || own->count < 1 || !(steps > 0)) {
        return 0;
    }
    const int64_t node = own->node[0] % problem_nodes(problem);
    for (int j = 0; j < ny; j += BRICK) {
        for (int i = 0; i < nx; i += BRICK) {
            const double away = hypot(cells_between((int)(node % nx), i), cells_between((int)(node / nx % ny), j)),
                         cells = fmin(BRICK, nx - i) * fmin(BRICK, ny - j);
            rest += cells * fmin(1, fmax(0, away - cells_ahead(problem)) / speed / steps);
        }
    }
    return rest / ((double)nx * ny);
}
