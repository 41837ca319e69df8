/* Mur's absorbing boundary: its reflection by angle against the closed forms of the first and the second order, that of
 * the discrete equations with yee to rounding; no growth in 20 000 steps from a field of every wave number, at each
 * scheme's default Courant number, in both precisions, beside materials and in corners with other walls; and the same
 * bits on every solver, through a checkpoint. */
#include "tests/boundary/boundary_runs.h"

#include <complex.h>

/* ---- reflection -------------------------------------------------------------------------------------------------- */

/* A wave guide between two PEC walls: the mode sin(pi j/ACROSS) is two plane waves at an angle whose sine is the cutoff
 * frequency over the frequency, for every scheme. A pulse goes from SOURCE to the edge at the high end of x and comes
 * back; what a longer guide has at the probe is the pulse without its reflection. */
enum { ACROSS = 20, SHORT = 980, LONG = 1850, SOURCE = 900, PROBE = 905, GUIDE_STEPS = 2500 };

static const double PI = 3.14159265358979323846, LIGHT = 299792458.0, CELL = 0.01;

/* In vacuum, at the default Courant number. */
static struct problem empty_problem(enum scheme scheme, pw_precision precision, int nx, int ny, int64_t steps)
{
    struct random_problem_options options = {.scheme = scheme,
                                             .precision = precision,
                                             .nx = nx,
                                             .ny = ny,
                                             .palette = 1,
                                             .steps = steps,
                                             .sources = 1,
                                             .probes = 1};
    struct problem problem = random_problem(options);
    struct stencil stencil = stencil_get(scheme, &STENCIL_USUAL_BAND);
    double courant = 0.99 * fmin(1, stencil.courant_limit);
    problem_coefficient(&problem, 0)[COEFFICIENT_CB] = courant * courant / 2 * stencil.laplacian[0];
    problem.axis[0].spacing = problem.axis[1].spacing = CELL;
    problem.time_step = courant * CELL / (LIGHT * sqrt(2));
    problem.sources[0].count = 0;
    return problem;
}

/* Ez at the probe. The caller frees it. */
static double *guide_series(enum scheme scheme, int order, int length)
{
    struct problem problem = empty_problem(scheme, PW_DOUBLE, length, ACROSS, GUIDE_STEPS);
    struct source *source = &problem.sources[0];
    struct run_state end;
    pw_error error;
    problem.axis[0].high.one_way = order;
    problem.probes[0].node = (int64_t)(ACROSS / 2) * length + PROBE;
    source->count = ACROSS - 1;
    source->node = realloc(source->node, ACROSS * sizeof *source->node);
    source->weight = realloc(source->weight, ACROSS * sizeof *source->weight);
    for (int j = 1; j < ACROSS; j++) {
        source->node[j - 1] = (int64_t)j * length + SOURCE;
        source->weight[j - 1] = sin(PI * j / ACROSS);
    }
    double centre = LIGHT / (25 * CELL), width = 2.5 / centre; /* nothing at the cutoff */
    for (int64_t n = 0; n < problem.steps; n++) {
        double t = (double)n * problem.time_step - 5 * width;
        source->drive[n] = exp(-t * t / (width * width)) * sin(2 * PI * centre * t);
    }
    assert_int_equal(boundary_run(&problem, BOUNDARY_REFERENCE, &end, &error), PW_OK);
    double *series = calloc(GUIDE_STEPS, sizeof *series);
    memcpy(series, end.probes, GUIDE_STEPS * sizeof *series);
    run_state_free(&end);
    problem_free(&problem);
    return series;
}

/* At a frequency with a little growth, so that what comes after the last step weighs less than 1e-6. */
static double complex step_factor(double phase_a_step)
{
    return cexp(14.0 / GUIDE_STEPS + I * phase_a_step);
}

static double complex spectrum(const double *series, double complex z)
{
    double complex sum = 0;
    for (int n = 0; n < GUIDE_STEPS; n++) {
        sum += series[n] * cpow(z, -n);
    }
    return sum;
}

/* What Mur's discrete equation leaves of a wave z^n whose value at the inner node is q times that at the edge node. */
static double complex residue(int order, double k, double bend, double complex z, double complex q)
{
    double fade = (k - 1) / (k + 1), grow = 2 * k / (k + 1), turn = k * k / (2 * (k + 1));
    double complex memory = order == 2 ? turn * bend * (1 + q) / (1 - 1 / z) : 0;
    return (z - 1) - grow * (q - 1) - fade * q * (z - 1) - memory;
}

/* Wave number along x, times the cell, from the scheme's dispersion relation, by Newton's method. */
static double complex along(enum scheme scheme, double k, double complex z)
{
    struct stencil stencil = stencil_get(scheme, &STENCIL_USUAL_BAND);
    double across = stencil_symbol(&stencil, PI / ACROSS);
    double complex wanted = (2 - z - 1 / z) / (4 * k * k) - across * across, theta = 2 * casin(csqrt(wanted));
    for (int n = 0; n < 20; n++) {
        double complex symbol = 0, slope = 0;
        for (int l = 0; l < stencil.reach; l++) {
            symbol += stencil.difference[l] * csin((l + 0.5) * theta);
            slope += stencil.difference[l] * (l + 0.5) * ccos((l + 0.5) * theta);
        }
        theta -= (symbol * symbol - wanted) / (2 * symbol * slope);
    }
    return theta;
}

static double discrete_reflection(int order, double k, double complex z)
{
    double across = sin(0.5 * PI / ACROSS);
    double complex theta = along(SCHEME_YEE, k, z);
    return cabs(residue(order, k, -4 * across * across, z, cexp(I * theta)) /
                residue(order, k, -4 * across * across, z, cexp(-I * theta)));
}

/* Whatever the scheme, the nodes next to the edge step as yee does. */
static void check_reflection(enum scheme scheme, int order)
{
    static const double WAVELENGTHS[] = {20, 23, 26, 30, 34}; /* cells: 30 to 58 degrees */
    struct problem problem = empty_problem(scheme, PW_DOUBLE, LONG, ACROSS, 1);
    double k = LIGHT * problem.time_step / CELL;
    problem_free(&problem);
    double *with = guide_series(scheme, order, SHORT), *without = guide_series(scheme, 0, LONG);
    double *back = calloc(GUIDE_STEPS, sizeof *back);
    for (int n = 0; n < GUIDE_STEPS; n++) {
        back[n] = with[n] - without[n];
    }
    for (size_t w = 0; w < sizeof WAVELENGTHS / sizeof WAVELENGTHS[0]; w++) {
        double complex z = step_factor(2 * PI * k / WAVELENGTHS[w]), wave_number = -I * clog(z) / k;
        double measured = cabs(spectrum(back, z) / spectrum(without, z)) *
                          exp(-2 * (SHORT - 1 - PROBE) * cimag(along(scheme, k, z))); /* at the edge */
        double complex cosine = csqrt(1 - cpow(PI / ACROSS / wave_number, 2));
        double first = cabs((1 - cosine) / (1 + cosine)), closed = order == 1 ? first : first * first;
        double discrete = discrete_reflection(order, k, z);
        printf("%s order %d, %.1f degrees: %.6f, closed form %.6f, discrete %.6f\n", scheme_name(scheme), order,
               creal(cacos(cosine)) * 180 / PI, measured, closed, discrete);
        double coarseness = pow(2 * PI / WAVELENGTHS[w], 2) / 12; /* of second-order differences */
        assert_true(fabs(discrete - closed) < 2 * coarseness);
        assert_true(fabs(measured - discrete) < (scheme == SCHEME_YEE ? 1e-5 : coarseness));
    }
    free(with);
    free(without);
    free(back);
}

static void test_reflection_by_angle(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        check_reflection((enum scheme)scheme, 1);
        check_reflection((enum scheme)scheme, 2);
    }
}

/* ---- stability --------------------------------------------------------------------------------------------------- */

/* Which ends obey Mur's condition; the others are walls. */
struct ends {
    const char *name;
    bool x_low, x_high, y_low, y_high, x_symmetric;
};

static double energy_of(const struct problem *problem, const struct run_state *state)
{
    double sum = 0;
    for (int64_t n = 0; n < problem_nodes(problem); n++) {
        sum += state->ez[n] * state->ez[n];
    }
    return sum;
}

static void set_ends(struct problem *problem, const struct ends *ends, int order)
{
    problem->axis[0].low.one_way = ends->x_low ? order : 0;
    problem->axis[0].high.one_way = ends->x_high ? order : 0;
    problem->axis[1].low.one_way = ends->y_low ? order : 0;
    problem->axis[1].high.one_way = ends->y_high ? order : 0;
    problem->axis[0].low.symmetric = ends->x_symmetric;
}

static void check_stability(enum scheme scheme, int order, pw_precision precision, const struct ends *ends)
{
    struct problem problem = empty_problem(scheme, precision, 34, 31, 20000);
    struct stepper *stepper = NULL;
    struct run_state state;
    pw_error error;
    double energy[3];
    static const int64_t STEPS[] = {2000, 18000};
    set_ends(&problem, ends, order);
    assert_int_equal(run_state_create(&problem, problem.steps, &state, &error), PW_OK);
    random_snapshot(&problem, &state, 5);
    energy[0] = energy_of(&problem, &state);
    assert_int_equal(stepper_create(&backend_reference, &problem, 0, 1, NULL, &stepper, &error), PW_OK);
    assert_int_equal(stepper_load(stepper, 0, &state, &error), PW_OK);
    for (int part = 0; part < 2; part++) {
        assert_int_equal(stepper_advance(stepper, STEPS[part], &error), PW_OK);
        assert_int_equal(stepper_energy(stepper, 0, &energy[1 + part], &error), PW_OK);
    }
    printf("%s order %d precision %d %s: %g %g %g\n", scheme_name(scheme), order, precision, ends->name, energy[0],
           energy[1], energy[2]);
    /* What no edge takes swings between Ez and h. */
    assert_true(energy[1] < energy[0] && energy[2] < energy[0] && energy[2] < 2 * energy[1]);
    stepper_destroy(stepper);
    run_state_free(&state);
    problem_free(&problem);
}

static void test_nothing_grows(void **unused)
{
    (void)unused;
    static const struct ends ENDS[] = {{"all", true, true, true, true, false},
                                       {"one", false, true, false, false, false},
                                       {"beside a symmetry plane", false, true, true, true, true}};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (int order = 1; order <= 2; order++) {
            check_stability((enum scheme)scheme, order, PW_DOUBLE, &ENDS[0]);
            check_stability((enum scheme)scheme, order, PW_SINGLE, &ENDS[0]);
            check_stability((enum scheme)scheme, order, PW_SINGLE, &ENDS[1 + scheme % 2]);
        }
    }
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

/* Random media up to the edges, one of them a perfect conductor; sources, probes and spectra clear of the edges. */
static void test_solvers_agree(void **unused)
{
    (void)unused;
    static const struct ends ENDS[] = {{"all", true, true, true, true, false},
                                       {"one", false, false, false, true, false},
                                       {"beside a symmetry plane", false, true, true, false, true}};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (int variant = 0; variant < 6; variant++) {
            struct random_problem_options options = random_problem_usual((enum scheme)scheme, PW_SINGLE, 0);
            options.symmetric[0] = ENDS[variant / 2].x_symmetric;
            options.nx = 61;
            options.ny = 57;
            struct problem problem = random_problem(options);
            set_ends(&problem, &ENDS[variant / 2], 1 + variant % 2);
            for (int p = 0; p < problem.probe_count; p++) {
                problem.probes[p].node = (int64_t)(20 + p) * options.nx + 30 + p;
            }
            problem.spectra.x0 = problem.spectra.y0 = 20;
            problem.spectra.columns = 21;
            problem.spectra.rows = 15;
            boundary_check_solvers(&problem);
            problem_free(&problem);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reflection_by_angle),
        cmocka_unit_test(test_nothing_grows),
        cmocka_unit_test(test_solvers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
