/* What a problem can compute about itself: its normalised stencil, the filters of its absorber.
 * Leaves out every choice: discretize/setup.c makes them; and what is done to all that it is made of:
 * physics/physics.c. */
#include "problem/problem.h"

#include <float.h>
#include <math.h>

void problem_set_grid(struct problem *problem, int nx, int ny, double cell)
{
    problem->formulation = FORMULATION_TM2D;
    problem->axis[0] = (struct axis){.count = nx, .spacing = cell};
    problem->axis[1] = (struct axis){.count = ny, .spacing = cell};
    problem->axis[2] = (struct axis){.count = 1};
    problem->layer_count = 1;
    problem->spectra.component = COMPONENT_EZ;
}

void problem_set_volume(struct problem *problem, int nx, int ny, int nz, double cell)
{
    problem->formulation = FORMULATION_MAXWELL3D;
    problem->axis[0] = (struct axis){.count = nx, .spacing = cell};
    problem->axis[1] = (struct axis){.count = ny, .spacing = cell};
    problem->axis[2] = (struct axis){.count = nz, .spacing = cell};
    problem->spectra.component = COMPONENT_EZ;
}

void problem_set_layer(struct problem *problem, int nx, int ny, double cell)
{
    problem_set_volume(problem, nx, ny, 1, cell);
    problem->axis[2].uniform = true;
}

/* A symmetry plane has no absorber. */
static void open_symmetry_plane(struct axis *axis, int cells)
{
    axis->low = (struct boundary){.symmetric = true};
    for (int i = 0; i < cells && i < axis->count - cells; i++) {
        axis->half[i] = axis->node[i] = (struct absorber_filter){1, 1, 0};
    }
}

/* In tm2d filters stand at every end once there is a layer at one, since solvers take ends that are equally thick:
 * those at a wall change nothing. */
static struct boundary boundary_at(const struct problem *problem, const struct absorber *absorber, int axis, int end)
{
    int cells = absorber_cells_at(absorber, axis, end);
    for (int side = 0; problem->formulation == FORMULATION_TM2D && side < 4; side++) {
        int other = absorber_cells_at(absorber, side / 2, side % 2);
        cells = other > cells ? other : cells;
    }
    const enum absorber_kind kind = absorber_kind_at(absorber, axis, end);
    return (struct boundary){
        .kind = kind, .cells = cells, .one_way = absorber_model(kind)->one_way ? (int)absorber->order : 0};
}

pw_status problem_set_absorber(struct problem *problem, const struct absorber *absorber, pw_error *error)
{
    for (struct axis *axis = problem->axis; axis < problem->axis + 3 && axis->spacing > 0; axis++) {
        size_t count = (size_t)axis->count;
        bool symmetric = axis->low.symmetric;
        const struct absorber none = {.kind = ABSORBER_PEC}, *wanted = axis->uniform ? &none : absorber;
        const int number = (int)(axis - problem->axis);
        axis->low = boundary_at(problem, wanted, number, 0);
        axis->high = boundary_at(problem, wanted, number, 1);
        axis->half = allocate(count, sizeof *axis->half, "the absorber", error);
        axis->node = allocate(count, sizeof *axis->node, "the absorber", error);
        TRY_MADE(axis->half != NULL && axis->node != NULL);
        const struct absorber_axis line = {number, axis->count, axis->spacing, problem->time_step, problem->precision};
        absorber_profile(wanted, &line, axis->half, axis->node);
        if (symmetric) {
            open_symmetry_plane(axis, absorber->cells);
        }
    }
    return PW_OK;
}

pw_status problem_allocate_coefficients(struct problem *problem, int count, pw_error *error)
{
    problem->coefficient_count = count;
    problem->coefficients = allocate((size_t)count * COEFFICIENT_WIDTH, sizeof(double), "the coefficients", error);
    return problem->coefficients != NULL ? PW_OK : PW_NO_RESOURCE;
}

/* Rounds the weights to single precision so that a constant stays one and the wave speed of long waves is exact:
 * rounding by itself, and the taps left out, would shift both by some 1e-6. The second and third tap take up what the
 * others lose: centre + 2 sum laplacian(m) = 0,   sum m^2 laplacian(m) = second_moment/laplacian(1), the
 * stencil's own. */
static void round_consistently(struct problem *problem, const struct stencil *stencil)
{
    double sum = 0, moment = 0;
    problem->centre = (float)problem->centre;
    for (int m = 1; m <= problem->laplacian_taps; m++) {
        if (m != 2 && m != 3) {
            problem->laplacian[m - 1] = (float)problem->laplacian[m - 1];
            sum += problem->laplacian[m - 1];
            moment += m * m * problem->laplacian[m - 1];
        }
    }
    double rest = -0.5 * problem->centre - sum, rest_moment = stencil->second_moment / stencil->laplacian[0] - moment;
    double third = (rest_moment - 4 * rest) / 5;
    problem->laplacian[1] = (float)(rest - third);
    problem->laplacian[2] = (float)(rest - problem->laplacian[1]); /* the finer of the two closes the sum */
}

/* maxwell3d: taps relative to the first. */
static void set_curl_stencil(struct problem *problem, const struct stencil *stencil)
{
    problem->reach = stencil->reach;
    problem->laplacian_taps = 0;
    for (int l = 0; l < stencil->reach; l++) {
        problem->difference[l] = stencil->difference[l] / stencil->difference[0];
    }
}

void problem_set_stencil(struct problem *problem, const struct stencil *stencil)
{
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        set_curl_stencil(problem, stencil);
        return;
    }
    double epsilon = problem->precision == PW_SINGLE ? FLT_EPSILON : DBL_EPSILON;
    double negligible = 0.5 * epsilon * fabs(2 * stencil->centre), magnitude = 0;
    int taps = 2 * stencil->reach - 1;
    /* A tap has four neighbours; those left out must together stay under the rounding of the centre term. */
    while (taps > 1 && magnitude + 4 * fabs(stencil->laplacian[taps - 1]) < negligible) {
        magnitude += 4 * fabs(stencil->laplacian[taps - 1]);
        taps--;
    }
    problem->reach = stencil->reach;
    problem->laplacian_taps = taps;
    problem->centre = stencil->centre / stencil->laplacian[0];
    for (int m = 0; m < taps; m++) {
        problem->laplacian[m] = stencil->laplacian[m] / stencil->laplacian[0];
    }
    if (problem->precision == PW_SINGLE && taps >= 3) {
        round_consistently(problem, stencil);
    }
    for (int l = 0; l < stencil->reach; l++) {
        problem->difference[l] = stencil->difference[l] / sqrt(stencil->laplacian[0]);
    }
}
