/* The reference backend against a textbook solver written here on its own: leapfrog of Ez, Hx, Hy with Gedney's UPML in
 * D/B form (physics.md sections 1 and 3) with the shifted pole of absorber_upml.c, image theory at the walls, every
 * scheme. The reference steps Ez and its increment with filters in stretched coordinates; the two must agree to
 * rounding. */
#include <stdio.h>

#include "tests/support/check.h"

#include "tests/support/random_problem.h"

/* Textbook state: everything (ny, nx); hx, bx at (i, j+1/2), hy, by at (i+1/2, j). */
struct textbook {
    const struct problem *problem;
    struct stencil stencil;
    int nx, ny;
    double k;                                        /* c dt / cell */
    double *e, *p, *q, *hx, *hy, *bx, *by, *dx, *dy; /* dx, dy: the fluxes before division by s */
    struct stretch *sx, *sx_half, *sy, *sy_half;     /* along the axes */
};

static double *zeros(int nx, int ny)
{
    return calloc((size_t)nx * (size_t)ny, sizeof(double));
}

/* s = 1 + loss/(shift + jw), jw by the trapezoidal rule: the halves of loss dt and shift dt, as the profile has them.
 * Derived here from the formulas of the layer, not from the filters under test. */
struct stretch {
    double loss, shift;
};

static struct stretch stretch_at(double depth, int layer, double cell, double time_step)
{
    struct stretch s = {0, 0};
    if (depth > 0) {
        double thickness = layer * cell, sigma_max = 5 * log(1 / 1.125e-7) / (2 * 376.730313668 * thickness);
        s.loss = sigma_max * pow(depth / layer, 4) * time_step / (2 * 8.8541878128e-12);
        s.shift = 0.05 * 299792458.0 / thickness * time_step / 2;
    }
    return s;
}

/* y = s x and y = x / s, one step: (1 + shift) y - (1 - shift) y' = (1 + shift + loss) x - (1 - shift - loss) x'. */
static double times_s(struct stretch s, double y_before, double x, double x_before)
{
    return ((1 - s.shift) * y_before + (1 + s.shift + s.loss) * x - (1 - s.shift - s.loss) * x_before) / (1 + s.shift);
}

static double over_s(struct stretch s, double y_before, double x, double x_before)
{
    return ((1 - s.shift - s.loss) * y_before + (1 + s.shift) * x - (1 - s.shift) * x_before) / (1 + s.shift + s.loss);
}

static struct stretch *stretch_axis(const struct problem *problem, int a, double offset)
{
    const struct axis *axis = &problem->axis[a];
    int n = axis->count, low = axis->low.cells, high = axis->high.cells;
    struct stretch *stretch = calloc((size_t)n, sizeof *stretch);
    for (int i = 0; i < n; i++) {
        double from_low = low - (i + offset), from_high = i + offset - (n - high);
        bool at_low = from_low > from_high;
        stretch[i] = stretch_at(at_low ? from_low : from_high, at_low ? low : high, axis->spacing, problem->time_step);
    }
    return stretch;
}

static struct textbook textbook_create(const struct problem *problem, enum scheme scheme)
{
    int nx = problem->axis[0].count, ny = problem->axis[1].count;
    struct textbook t = {.problem = problem,
                         .stencil = stencil_get(scheme, &STENCIL_USUAL_BAND),
                         .nx = nx,
                         .ny = ny,
                         .k = 299792458.0 * problem->time_step / problem->axis[0].spacing};
    double **arrays[] = {&t.e, &t.p, &t.q, &t.hx, &t.hy, &t.bx, &t.by, &t.dx, &t.dy};
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
        *arrays[a] = zeros(nx, ny);
    }
    t.sx = stretch_axis(problem, 0, 0);
    t.sx_half = stretch_axis(problem, 0, 0.5);
    t.sy = stretch_axis(problem, 1, 0);
    t.sy_half = stretch_axis(problem, 1, 0.5);
    return t;
}

static void textbook_free(struct textbook *t)
{
    void *arrays[] = {t->e, t->p, t->q, t->hx, t->hy, t->bx, t->by, t->dx, t->dy, t->sx, t->sx_half, t->sy, t->sy_half};
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
        free(arrays[a]);
    }
}

/* Ez: odd about walls at 0 and n along one axis. */
static double odd(const double *line, int stride, int n, int i)
{
    int k = ((i % (2 * n)) + 2 * n) % (2 * n);
    return k == 0 || k == n ? 0 : k < n ? line[k * stride] : -line[(2 * n - k) * stride];
}

/* Tangential H: even about the same walls. */
static double even(const double *line, int stride, int n, int i)
{
    int k = ((i % (2 * n)) + 2 * n) % (2 * n);
    return line[(k < n ? k : 2 * n - 1 - k) * stride];
}

static void textbook_step_h(struct textbook *t)
{
    for (int j = 0; j < t->ny; j++) {
        for (int i = 0; i < t->nx; i++) {
            double dx = 0, dy = 0;
            int n = j * t->nx + i;
            for (int l = 0; l < t->stencil.reach; l++) {
                double a = t->stencil.difference[l];
                dx += a * (odd(t->e + j * t->nx, 1, t->nx, i + 1 + l) - odd(t->e + j * t->nx, 1, t->nx, i - l));
                dy += a * (odd(t->e + i, t->nx, t->ny, j + 1 + l) - odd(t->e + i, t->nx, t->ny, j - l));
            }
            /* jw s_y bx = -c dy Ez, hx = s_x bx; jw s_x by = c dx Ez, hy = s_y by */
            double flux_x = t->dx[n] - t->k * dy, flux_y = t->dy[n] + t->k * dx;
            double bx = over_s(t->sy_half[j], t->bx[n], flux_x, t->dx[n]);
            double by = over_s(t->sx_half[i], t->by[n], flux_y, t->dy[n]);
            t->hx[n] = times_s(t->sx[i], t->hx[n], bx, t->bx[n]);
            t->hy[n] = times_s(t->sy[j], t->hy[n], by, t->by[n]);
            t->bx[n] = bx;
            t->by[n] = by;
            t->dx[n] = flux_x;
            t->dy[n] = flux_y;
        }
    }
}

static void textbook_step_e(struct textbook *t, const double *curl_gain)
{
    for (int j = 0; j < t->ny; j++) {
        for (int i = 0; i < t->nx; i++) {
            double curl = 0;
            int n = j * t->nx + i, m = t->problem->coefficient_index[n];
            for (int l = 0; l < t->stencil.reach; l++) {
                double a = t->stencil.difference[l];
                curl += a * (even(t->hy + j * t->nx, 1, t->nx, i + l) - even(t->hy + j * t->nx, 1, t->nx, i - 1 - l));
                curl -= a * (even(t->hx + i, t->nx, t->ny, j + l) - even(t->hx + i, t->nx, t->ny, j - 1 - l));
            }
            /* (jw eps + sigma/eps0) q = curl, s_x p = q, s_y Ez = p */
            double q = problem_coefficient(t->problem, m)[COEFFICIENT_CA] * t->q[n] + curl_gain[m] * curl;
            double p = over_s(t->sx[i], t->p[n], q, t->q[n]);
            double e = over_s(t->sy[j], t->e[n], p, t->p[n]);
            bool wall = i == 0 || j == 0;
            t->q[n] = wall ? 0 : q;
            t->p[n] = wall ? 0 : p;
            t->e[n] = wall ? 0 : e;
        }
    }
}

/* s_x s_y-shaped current in the layer would differ; sources stand outside of it, where s = 1. */
static void textbook_drive(struct textbook *t, const struct source *source, int64_t step)
{
    for (int64_t s = 0; s < source->count; s++) {
        int64_t n = source->node[s];
        double kick = source->weight[s] * source->current[step];
        t->q[n] += kick;
        t->p[n] += kick;
        t->e[n] += kick;
    }
}

static struct random_problem_options textbook_options(enum scheme scheme, int nx, int ny, int layer, int64_t steps)
{
    return (struct random_problem_options){.scheme = scheme,
                                           .precision = PW_DOUBLE,
                                           .nx = nx,
                                           .ny = ny,
                                           .layer = layer,
                                           .palette = 6,
                                           .steps = steps,
                                           .sources = 1,
                                           .seed = 5};
}

/* Another thickness at one end of an axis; the other end stays. */
static void set_layer(struct problem *problem, int axis, bool high, int layer)
{
    struct problem other = random_problem(
        textbook_options(SCHEME_YEE, problem->axis[0].count, problem->axis[1].count, layer, problem->steps));
    struct axis *to = &problem->axis[axis], *from = &other.axis[axis];
    int half = to->count / 2;
    other.time_step = problem->time_step;
    for (int a = 0; a < 2; a++) {
        free(other.axis[a].half);
        free(other.axis[a].node);
    }
    assert_int_equal(problem_set_absorber(
                         &other,
                         &(struct absorber){.kind = ABSORBER_UPML, .cells = layer, .order = 4, .reflection = 1.125e-7},
                         NULL),
                     PW_OK);
    for (int i = high ? half : 0; i < (high ? to->count : half); i++) {
        to->half[i] = from->half[i];
        to->node[i] = from->node[i];
    }
    *(high ? &to->high : &to->low) = high ? from->high : from->low;
    problem_free(&other);
}

/* Steps the problem with both, compares and frees it. */
static void compare_with_textbook(struct problem problem, enum scheme scheme)
{
    int nx = problem.axis[0].count, ny = problem.axis[1].count, layer = problem_layer(&problem);
    int64_t steps = problem.steps;
    struct textbook t = textbook_create(&problem, scheme);
    double curl_gain[6];
    for (int p = 0; p < 6; p++) {
        curl_gain[p] =
            problem_coefficient(&problem, p)[COEFFICIENT_CB] / (t.stencil.laplacian[0] * t.k); /* K / (eps (1+a)) */
    }
    /* Not on a conductor, which the two forms treat differently. */
    for (int64_t s = 0; s < problem.sources[0].count; s++) {
        problem.coefficient_index[problem.sources[0].node[s]] = 1;
    }
    struct stepper *stepper = NULL;
    pw_error error;
    assert_int_equal(stepper_create(&backend_reference, &problem, 0, 1, NULL, &stepper, &error), PW_OK);
    assert_int_equal(stepper_advance(stepper, steps, &error), PW_OK);
    for (int64_t n = 0; n < steps; n++) {
        textbook_step_h(&t);
        textbook_step_e(&t, curl_gain);
        textbook_drive(&t, &problem.sources[0], n);
    }
    double *ez = zeros(nx, ny), worst = 0, peak = 0;
    assert_int_equal(stepper_read_field(stepper, 0, ez, &error), PW_OK);
    for (int n = 0; n < nx * ny; n++) {
        worst = fmax(worst, fabs(ez[n] - t.e[n]));
        peak = fmax(peak, fabs(t.e[n]));
    }
    printf("%s %dx%d layer %d: peak %.3g, worst difference %.2e of it\n", t.stencil.name, nx, ny, layer, peak,
           worst / peak);
    assert_true(peak > 1e-3);
    assert_true(worst < 1e-11 * peak);
    free(ez);
    stepper_destroy(stepper);
    textbook_free(&t);
    problem_free(&problem);
}

static void test_matches_textbook_with_absorber(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        compare_with_textbook(random_problem(textbook_options((enum scheme)scheme, 71, 67, 10, 250)),
                              (enum scheme)scheme);
    }
}

static void test_matches_textbook_with_another_absorber_on_every_side(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        struct problem problem = random_problem(textbook_options((enum scheme)scheme, 71, 67, 10, 250));
        set_layer(&problem, 0, true, 6);
        set_layer(&problem, 1, false, 0);
        set_layer(&problem, 1, true, 13);
        compare_with_textbook(problem, (enum scheme)scheme);
    }
}

static void test_matches_textbook_in_a_conducting_box(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        compare_with_textbook(random_problem(textbook_options((enum scheme)scheme, 37, 31, 0, 400)),
                              (enum scheme)scheme);
    }
}

static void test_tiny_grids_stay_finite(void **unused)
{
    (void)unused;
    int sizes[] = {1, 2, 3, 5, 7, 11};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (int a = 0; a < 6; a++) {
            for (int layer = 0; layer <= 2; layer += 2) {
                struct problem problem = random_problem((struct random_problem_options){.scheme = (enum scheme)scheme,
                                                                                        .nx = sizes[a],
                                                                                        .ny = sizes[5 - a],
                                                                                        .layer = layer,
                                                                                        .palette = 4,
                                                                                        .steps = 60,
                                                                                        .sources = 1,
                                                                                        .probes = 2,
                                                                                        .frequencies = 2,
                                                                                        .every = 3,
                                                                                        .seed = 3});
                struct stepper *stepper = NULL;
                double energy = NAN;
                assert_int_equal(stepper_create(&backend_reference, &problem, 0, 1, NULL, &stepper, NULL), PW_OK);
                assert_int_equal(stepper_advance(stepper, 60, NULL), PW_OK);
                assert_int_equal(stepper_energy(stepper, 0, &energy, NULL), PW_OK);
                assert_true(isfinite(energy));
                stepper_destroy(stepper);
                problem_free(&problem);
            }
        }
    }
}

/* What single precision does to the stencil: sum and second moment must stay, and k^2 of waves of 8 to 60 cells must be
 * right to 3e-6. */
static void test_single_precision_stencil_is_consistent(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        struct stencil stencil = stencil_get((enum scheme)scheme, &STENCIL_USUAL_BAND);
        struct problem problem = {.precision = PW_SINGLE};
        problem_set_stencil(&problem, &stencil);
        double sum = (float)problem.centre, moment = 0, worst = 0;
        for (int m = 1; m <= problem.laplacian_taps; m++) {
            sum += 2 * (double)(float)problem.laplacian[m - 1];
            moment += m * m * (double)(float)problem.laplacian[m - 1] * stencil.laplacian[0];
        }
        for (double cells = 8; cells < 60; cells += 0.5) {
            double theta = 2 * 3.14159265358979 / cells, exact = 2 * stencil_symbol(&stencil, theta),
                   own = (float)problem.centre;
            for (int m = 1; m <= problem.laplacian_taps; m++) {
                own += 2 * (double)(float)problem.laplacian[m - 1] * cos(m * theta);
            }
            worst = fmax(worst, fabs(-own * stencil.laplacian[0] / (exact * exact) - 1));
        }
        print_message("%s: %d taps, sum %.1e, second moment off by %.1e, k^2 by %.1e\n", stencil.name,
                      problem.laplacian_taps, sum, moment - stencil.second_moment, worst);
        assert_true(fabs(sum) < 1e-8);
        assert_true(fabs(moment - stencil.second_moment) < 2e-7);
        assert_true(worst < 3e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches_textbook_with_absorber),
        cmocka_unit_test(test_matches_textbook_with_another_absorber_on_every_side),
        cmocka_unit_test(test_matches_textbook_in_a_conducting_box),
        cmocka_unit_test(test_tiny_grids_stay_finite),
        cmocka_unit_test(test_single_precision_stencil_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
