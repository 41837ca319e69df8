/* PMC walls in two dimensions, which are planes of symmetry: half and a quarter of a problem that is its own mirror
 * image give the same as the whole for every scheme and precision: bit for bit between walls; beside the absorber,
 * whose regions are a node wider at high ends, to rounding. And all solvers of the host give the same bits, through a
 * checkpoint. Leaves out what a scenario makes of `symmetry` (test_planes.sh).
 */
#include "tests/boundary/boundary_runs.h"

enum { PLANE_X = 45, PLANE_Y = 38 }; /* nodes of the whole problem on which the planes lie */

static struct random_problem_options usual(enum scheme scheme, pw_precision precision, int layer)
{
    struct random_problem_options options = random_problem_usual(scheme, precision, layer);
    options.nx = 2 * PLANE_X;
    options.ny = 2 * PLANE_Y;
    options.steps = 150; /* long enough to come back from the far walls */
    options.frequencies = 0;
    options.probes = 0;
    return options;
}

/* Copies the medium beyond the plane of an axis to the nodes before it. Node 0 is on the opposite wall. */
static void mirror_medium(struct problem *problem)
{
    int nx = problem->axis[0].count, ny = problem->axis[1].count;
    uint16_t *index = problem->coefficient_index;
    for (int j = 1; j < ny; j++) {
        for (int i = 1; i < nx; i++) {
            int x = i < PLANE_X ? 2 * PLANE_X - i : i, y = j < PLANE_Y ? 2 * PLANE_Y - j : j;
            index[(ptrdiff_t)j * nx + i] = index[(ptrdiff_t)y * nx + x];
        }
    }
}

/* A current at a distance from the planes, and its images. */
static void mirror_source(struct problem *problem, bool x_plane, bool y_plane)
{
    static double weights[] = {0.7, 0.7, 0.7, 0.7};
    struct source *source = &problem->sources[0];
    const int x = 5, y = 3, nx = problem->axis[0].count;
    const int x0 = x_plane ? 0 : PLANE_X, y0 = y_plane ? 0 : PLANE_Y;
    source->node = realloc(source->node, 4 * sizeof *source->node);
    source->weight = realloc(source->weight, sizeof weights);
    memcpy(source->weight, weights, sizeof weights);
    source->count = 0;
    for (int up = y_plane ? 1 : -1; up <= 1; up += 2) {
        for (int right = x_plane ? 1 : -1; right <= 1; right += 2) {
            source->node[source->count++] = (int64_t)(y0 + up * y) * nx + x0 + right * x;
        }
    }
}

/* The part of the whole problem beyond its planes. */
static struct problem part_of(const struct problem *whole, struct random_problem_options options, bool x_plane,
                              bool y_plane)
{
    int x0 = x_plane ? PLANE_X : 0, y0 = y_plane ? PLANE_Y : 0, nx = options.nx;
    options.nx -= x0;
    options.ny -= y0;
    options.symmetric[0] = x_plane;
    options.symmetric[1] = y_plane;
    struct problem part = random_problem(options);
    for (int j = 0; j < options.ny; j++) {
        memcpy(part.coefficient_index + (ptrdiff_t)j * options.nx,
               whole->coefficient_index + (ptrdiff_t)(y0 + j) * nx + x0, (size_t)options.nx * sizeof(uint16_t));
    }
    memcpy(part.coefficients, whole->coefficients,
           (size_t)(whole->coefficient_count * COEFFICIENT_WIDTH) * sizeof(double));
    mirror_source(&part, x_plane, y_plane);
    return part;
}

static void check_part(const struct problem *whole, const struct run_state *all,
                       const struct random_problem_options *options, bool x_plane, bool y_plane)
{
    struct problem part = part_of(whole, *options, x_plane, y_plane);
    struct run_state state;
    pw_error error;
    int nx = part.axis[0].count, x0 = x_plane ? PLANE_X : 0, y0 = y_plane ? PLANE_Y : 0;
    double peak = 0, worst = 0;
    assert_int_equal(boundary_run(&part, BOUNDARY_REFERENCE, &state, &error), PW_OK);
    for (int j = 0; j < part.axis[1].count; j++) {
        const double *row = all->ez + (ptrdiff_t)(y0 + j) * whole->axis[0].count + x0;
        for (int i = 0; i < nx; i++) {
            peak = fmax(peak, fabs(row[i]));
            worst = fmax(worst, fabs(row[i] - state.ez[(ptrdiff_t)j * nx + i]));
        }
    }
    assert_true(peak > 1e-3);
    assert_true(worst <= peak * (options->layer == 0 ? 0 : options->precision == PW_SINGLE ? 1e-5 : 1e-12));
    run_state_free(&state);
    boundary_check_solvers(&part);
    problem_free(&part);
}

static void test_half_and_quarter_are_the_whole(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (int variant = 0; variant < 4; variant++) {
            struct random_problem_options options =
                usual((enum scheme)scheme, variant % 2 == 0 ? PW_SINGLE : PW_DOUBLE, variant < 2 ? 9 : 0);
            struct problem whole = random_problem(options);
            mirror_medium(&whole);
            mirror_source(&whole, false, false);
            struct run_state all;
            pw_error error;
            assert_int_equal(boundary_run(&whole, BOUNDARY_REFERENCE, &all, &error), PW_OK);
            check_part(&whole, &all, &options, true, false);
            check_part(&whole, &all, &options, false, true);
            check_part(&whole, &all, &options, true, true);
            run_state_free(&all);
            problem_free(&whole);
        }
    }
}

/* Probes, spectra and odd sizes; grids hardly larger than the absorber; and so small ones that the march declines. */
static void test_solvers_agree(void **unused)
{
    (void)unused;
    static const struct {
        int nx, ny, layer;
        bool x_plane, y_plane;
    } CASES[] = {
        {123, 97, 16, true, true}, {40, 33, 11, true, false}, {33, 40, 11, false, true}, {25, 25, 11, true, true}};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
            struct random_problem_options options =
                random_problem_usual((enum scheme)scheme, PW_SINGLE, CASES[k].layer);
            options.nx = CASES[k].nx;
            options.ny = CASES[k].ny;
            options.symmetric[0] = CASES[k].x_plane;
            options.symmetric[1] = CASES[k].y_plane;
            struct problem problem = random_problem(options);
            boundary_check_solvers(&problem);
            problem_free(&problem);
        }
    }
}

/* The cpu solvers say from which size on they take a symmetry plane. */
static void test_too_few_cells(void **unused)
{
    (void)unused;
    struct random_problem_options options = random_problem_usual(SCHEME_DD4, PW_SINGLE, 16);
    options.nx = 29;
    options.symmetric[0] = true;
    struct problem problem = random_problem(options);
    struct run_state state;
    pw_error error = {{0}};
    assert_int_equal(boundary_run(&problem, (struct boundary_solver){&backend_cpu, "simple"}, &state, &error),
                     PW_USAGE);
    assert_non_null(strstr(error.message, "at least 30 cells"));
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_and_quarter_are_the_whole),
        cmocka_unit_test(test_solvers_agree),
        cmocka_unit_test(test_too_few_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
