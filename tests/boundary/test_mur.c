/* Mur's absorbing boundary: its reflection by angle against the closed forms of the first and the second order, that of
 * the discrete equations with yee to rounding; no growth in 20 000 steps from a field of every wave number, at each
 * scheme's default Courant number, in both precisions, beside materials and in corners with other walls; and the same
 * bits on every solver, through a checkpoint. */
#include "tests/boundary/boundary_runs.h"
#include "tests/support/sanitized.h"

#include <complex.h>

/* What takes long goes through yee, dd4 and fd8 alone where the sanitizers watch. */
enum { SCHEME_STRIDE = SANITIZED ? 3 : 1 };

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
    assert_int_equal(boundary_run(&problem, BOUNDARY_FAST, &end, &error), PW_OK);
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

/* Wave number along x, times the cell, from the scheme's dispersion relation, by Newton's method. */
static double complex along(enum scheme scheme, int cells, double k, double complex z)
{
    struct stencil stencil = stencil_get(scheme, &STENCIL_USUAL_BAND);
    double across = stencil_symbol(&stencil, PI / cells);
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

/* The guide in the frequency domain, z^n in time: what its equations ask of the nodes 0 (the edge), 1, 2 ... inward. */
struct harmonic {
    struct stencil stencil;
    int order, cells; /* cells: across the guide */
    double k;
    double complex z;
};

/* The first difference of a straight line over its slope: 1 but for taps tuned to a band, which are off in long waves.
 * The edge and the nodes next to it keep the speed that the scheme has there. */
static double long_wave_speed(const struct stencil *stencil)
{
    double slope = 0;
    for (int l = 0; l < stencil->reach; l++) {
        slope += (2 * l + 1) * stencil->difference[l];
    }
    return slope;
}

/* Adds equation d to the row: its factor of each node. */
static void harmonic_equation(const struct harmonic *guide, int d, double complex *row)
{
    const struct stencil *stencil = &guide->stencil;
    const double complex z = guide->z, across = stencil_symbol(stencil, PI / guide->cells);
    const double speed = long_wave_speed(stencil), k = guide->k * speed, turn = sin(0.5 * PI / guide->cells);
    const int depth = 2 * stencil->reach - 1;
    if (d == 0) { /* Mur's */
        double complex memory = guide->order == 2 ? -2 * turn * turn * k * k / (k + 1) / (1 - 1 / z) : 0;
        row[0] += (z - 1) + 2 * k / (k + 1) - memory;
        row[1] += -2 * k / (k + 1) - (k - 1) / (k + 1) * (z - 1) - memory;
        return;
    }
    row[d] += (z - 2 + 1 / z) / (guide->k * guide->k) + 4 * across * across;
    if (d < depth) { /* yee's second difference */
        row[d] += 2 * speed * speed;
        row[d - 1] -= speed * speed;
        row[d + 1] -= speed * speed;
        return;
    }
    for (int from = -stencil->reach; from < stencil->reach; from++) { /* the first difference of the first one */
        double outer = from < 0 ? -stencil->difference[-1 - from] : stencil->difference[from];
        for (int to = -stencil->reach; to < stencil->reach; to++) {
            double inner = to < 0 ? -stencil->difference[-1 - to] : stencil->difference[to];
            row[d + from + to + 1] -= outer * inner;
        }
    }
}

/* Solves the square system of `count` rows with the right hand side in column `count`, by elimination with pivots. */
static void solve(int count, double complex *rows, double complex *unknown)
{
    const int width = count + 1;
    for (int c = 0; c < count; c++) {
        int pivot = c;
        for (int r = c + 1; r < count; r++) {
            pivot = cabs(rows[r * width + c]) > cabs(rows[pivot * width + c]) ? r : pivot;
        }
        for (int i = 0; i < width; i++) {
            double complex keep = rows[c * width + i];
            rows[c * width + i] = rows[pivot * width + i];
            rows[pivot * width + i] = keep;
        }
        for (int r = c + 1; r < count; r++) {
            double complex factor = rows[r * width + c] / rows[c * width + c];
            for (int i = c; i < width; i++) {
                rows[r * width + i] -= factor * rows[c * width + i];
            }
        }
    }
    for (int r = count - 1; r >= 0; r--) {
        unknown[r] = rows[r * width + count];
        for (int i = r + 1; i < count; i++) {
            unknown[r] -= rows[r * width + i] * unknown[i];
        }
        unknown[r] /= rows[r * width + r];
    }
}

/* The discrete equations themselves: NEAR nodes at the edge are free, beyond them stand the incident wave and R times
 * the reflected one; what else a wide stencil carries has died out by then. The last unknown is R. */
static double discrete_reflection(enum scheme scheme, int order, int cells, double k, double complex z)
{
    enum { NEAR = 60, COUNT = NEAR + 1, ALL = NEAR + 2 * REACH_LIMIT };
    struct harmonic guide = {stencil_get(scheme, &STENCIL_USUAL_BAND), order, cells, k, z};
    double complex theta = along(scheme, cells, k, z), unknown[COUNT];
    double complex *rows = calloc((size_t)COUNT * (COUNT + 1), sizeof *rows);
    for (int d = 0; d < COUNT; d++) {
        double complex row[ALL] = {0}, *own = rows + (ptrdiff_t)d * (COUNT + 1);
        harmonic_equation(&guide, d, row);
        memcpy(own, row, NEAR * sizeof *row);
        for (int i = NEAR; i < ALL; i++) {
            own[NEAR] += row[i] * cexp(-I * theta * i);
            own[COUNT] -= row[i] * cexp(I * theta * i);
        }
    }
    solve(COUNT, rows, unknown);
    free(rows);
    return cabs(unknown[NEAR]);
}

/* Of the differential equations, for a wave of that many cells in a guide so many cells across. */
static double closed_reflection(int order, int cells, double wavelength)
{
    double cosine = sqrt(1 - pow(wavelength / (2 * cells), 2)), first = (1 - cosine) / (1 + cosine);
    return order == 1 ? first : first * first;
}

static const double WAVELENGTHS[] = {20, 23, 26, 30, 34}; /* cells: 30 to 58 degrees */
enum { WAVELENGTH_COUNT = sizeof WAVELENGTHS / sizeof WAVELENGTHS[0] };

static double courant_of(enum scheme scheme)
{
    struct problem problem = empty_problem(scheme, PW_DOUBLE, LONG, ACROSS, 1);
    double k = LIGHT * problem.time_step / CELL;
    problem_free(&problem);
    return k;
}

/* `without`: the series in a guide so long that no echo comes back. */
static void check_reflection(enum scheme scheme, int order, const double *without)
{
    double k = courant_of(scheme), *with = guide_series(scheme, order, SHORT);
    double *back = calloc(GUIDE_STEPS, sizeof *back);
    for (int n = 0; n < GUIDE_STEPS; n++) {
        back[n] = with[n] - without[n];
    }
    for (int w = 0; w < WAVELENGTH_COUNT; w++) {
        double complex z = step_factor(2 * PI * k / WAVELENGTHS[w]);
        double measured = cabs(spectrum(back, z) / spectrum(without, z)) *
                          exp(-2 * (SHORT - 1 - PROBE) * cimag(along(scheme, ACROSS, k, z))); /* at the edge */
        double discrete = discrete_reflection(scheme, order, ACROSS, k, z);
        printf("%s order %d, wave of %g cells: %.7f, by the discrete equations %.7f\n", scheme_name(scheme), order,
               WAVELENGTHS[w], measured, discrete);
        assert_true(fabs(measured - discrete) < 1e-5);
    }
    free(with);
    free(back);
}

static void test_reflection_by_angle(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme += SCHEME_STRIDE) {
        double *without = guide_series((enum scheme)scheme, 0, LONG);
        check_reflection((enum scheme)scheme, 1, without);
        check_reflection((enum scheme)scheme, 2, without);
        free(without);
    }
}

/* What the grid changes of the closed form is of the second order in the cell, whatever the scheme: the edge and the
 * nodes next to it are. Halving the cell quarters it, but for what is of the fourth order. */
static void test_reflection_nears_the_closed_form(void **unused)
{
    (void)unused;
    for (int turn = 0; turn < 2 * SCHEME_COUNT * WAVELENGTH_COUNT; turn++) {
        enum scheme scheme = (enum scheme)(turn / 2 % SCHEME_COUNT);
        int order = 1 + turn % 2, w = turn / 2 / SCHEME_COUNT;
        struct stencil stencil = stencil_get(scheme, &STENCIL_USUAL_BAND);
        double k = courant_of(scheme), off[2];
        for (int fine = 0; fine < 2; fine++) {
            int finer = fine == 0 ? 16 : 32, cells = finer * ACROSS;
            double wavelength = finer * WAVELENGTHS[w];
            off[fine] = discrete_reflection(scheme, order, cells, k, cexp(I * 2 * PI * k / wavelength)) -
                        closed_reflection(order, cells, wavelength * long_wave_speed(&stencil));
        }
        printf("%s order %d, wave of %g cells: off by %.3g, with half the cell by %.3g\n", scheme_name(scheme), order,
               16 * WAVELENGTHS[w], off[0], off[1]);
        double step = 2 * PI / (16 * WAVELENGTHS[w]);
        assert_true(fabs(off[1] - off[0] / 4) < 0.03 * fabs(off[0]) + pow(step, 4));
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

/* Skips as many steps as it then takes the mean of: that of the squares swings with every pair of modes that no edge
 * takes, and its mean does not. */
static double mean_energy(struct stepper *stepper, int64_t steps)
{
    enum { STRIDE = 5 };
    pw_error error;
    double sum = 0, energy;
    assert_int_equal(stepper_advance(stepper, steps, &error), PW_OK);
    for (int64_t n = 0; n < steps; n += STRIDE) {
        assert_int_equal(stepper_advance(stepper, STRIDE, &error), PW_OK);
        assert_int_equal(stepper_energy(stepper, 0, &energy, &error), PW_OK);
        sum += energy;
    }
    return sum * STRIDE / (double)steps;
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
    double early = 0, late = 0;
    set_ends(&problem, ends, order);
    problem.probes[0].node = 15 * 34 + 17; /* clear of the edges, as the fast solver asks */
    assert_int_equal(run_state_create(&problem, problem.steps, &state, &error), PW_OK);
    random_snapshot(&problem, &state, 5);
    const double first = energy_of(&problem, &state);
    const struct backend_options options = {.threads = 1, .solver = BOUNDARY_FAST.name};
    assert_int_equal(stepper_create(BOUNDARY_FAST.backend, &problem, 0, 1, &options, &stepper, &error), PW_OK);
    assert_int_equal(stepper_load(stepper, 0, &state, &error), PW_OK);
    early = mean_energy(stepper, 2000);
    assert_int_equal(stepper_advance(stepper, 12000, &error), PW_OK);
    late = mean_energy(stepper, 2000);
    printf("%s order %d precision %d %s: %g, mean %g, later %g\n", scheme_name(scheme), order, precision, ends->name,
           first, early, late);
    assert_true(early < first && late < 1.001 * early);
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
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme += SCHEME_STRIDE) {
        for (int order = 1; order <= 2; order++) {
            check_stability((enum scheme)scheme, order, PW_DOUBLE, &ENDS[0]);
            check_stability((enum scheme)scheme, order, PW_SINGLE, &ENDS[0]);
            check_stability((enum scheme)scheme, order, PW_SINGLE, &ENDS[1 + scheme % 2]);
        }
    }
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

/* Half of a vacuum that is its own mirror image, between three edges and a wall on the mirror: a PEC wall for opposite
 * currents on its two sides, a PMC wall for equal ones. */
static struct problem mirror_part(enum scheme scheme, int order, bool magnetic, bool whole)
{
    enum { HALF = 31, ACROSS_HALF = 33, OFF = 7 };
    int nx = whole ? 2 * HALF + 1 : HALF + 1, centre = whole ? HALF : 0;
    struct problem problem = empty_problem(scheme, PW_DOUBLE, nx, ACROSS_HALF, 150);
    struct source *source = &problem.sources[0];
    set_ends(&problem, &(struct ends){"", whole, true, true, true, !whole && magnetic}, order);
    source->node = realloc(source->node, 2 * sizeof *source->node);
    source->weight = realloc(source->weight, 2 * sizeof *source->weight);
    source->count = whole ? 2 : 1;
    for (int s = 0; s < source->count; s++) {
        source->node[s] = (int64_t)15 * nx + centre + (s == 0 ? OFF : -OFF);
        source->weight[s] = s == 0 || magnetic ? 1 : -1;
    }
    return problem;
}

static void test_a_wall_is_the_mirror(void **unused)
{
    (void)unused;
    for (int turn = 0; turn < 4 * SCHEME_COUNT; turn++) {
        enum scheme scheme = (enum scheme)(turn / 4);
        struct problem whole = mirror_part(scheme, 1 + turn % 2, turn / 2 % 2 == 1, true),
                       half = mirror_part(scheme, 1 + turn % 2, turn / 2 % 2 == 1, false);
        struct run_state all, part;
        pw_error error;
        double peak = 0, worst = 0;
        assert_int_equal(boundary_run(&whole, BOUNDARY_REFERENCE, &all, &error), PW_OK);
        assert_int_equal(boundary_run(&half, BOUNDARY_REFERENCE, &part, &error), PW_OK);
        int nx = half.axis[0].count, beyond = whole.axis[0].count - nx;
        for (int64_t n = 0; n < problem_nodes(&half); n++) {
            double wanted = all.ez[n / nx * whole.axis[0].count + beyond + n % nx];
            peak = fmax(peak, fabs(wanted));
            worst = fmax(worst, fabs(part.ez[n] - wanted));
        }
        printf("%s order %d, %s: %.2g of %.2g apart\n", scheme_name(scheme), 1 + turn % 2,
               turn / 2 % 2 == 1 ? "PMC" : "PEC", worst, peak);
        assert_true(peak > 1e-4 && worst < 1e-12 * peak);
        run_state_free(&all);
        run_state_free(&part);
        problem_free(&whole);
        problem_free(&half);
    }
}

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

/* A current beside an edge of yee: a solver has the reference's bits, or says that it does not take it. */
static void test_a_source_beside_the_edge(void **unused)
{
    (void)unused;
    static const struct ends ENDS = {"all", true, true, true, true, false};
    struct random_problem_options options = random_problem_usual(SCHEME_YEE, PW_SINGLE, 0);
    options.frequencies = 0;
    options.probes = 0;
    for (int off = 1; off <= 2; off++) {
        struct problem problem = random_problem(options);
        struct run_state expected, state;
        pw_error error = {{0}};
        set_ends(&problem, &ENDS, 2);
        problem.sources[0].count = 1;
        problem.sources[0].node[0] = (int64_t)40 * options.nx + off;
        assert_int_equal(boundary_run(&problem, BOUNDARY_REFERENCE, &expected, &error), PW_OK);
        pw_status status = boundary_run(&problem, (struct boundary_solver){&backend_cpu, "simple"}, &state, &error);
        assert_int_equal(status, off == 1 ? PW_USAGE : PW_OK);
        if (status == PW_OK) {
            assert_true(boundary_same_states(&problem, &expected, &state));
            run_state_free(&state);
        } else {
            assert_non_null(strstr(error.message, "nearer to a one-way edge (mur) than 2 nodes"));
        }
        run_state_free(&expected);
        problem_free(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reflection_by_angle), cmocka_unit_test(test_reflection_nears_the_closed_form),
        cmocka_unit_test(test_nothing_grows),       cmocka_unit_test(test_a_wall_is_the_mirror),
        cmocka_unit_test(test_solvers_agree),       cmocka_unit_test(test_a_source_beside_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
