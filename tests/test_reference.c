/* The reference backend against a textbook solver written here on its own: leapfrog of Ez, Hx, Hy with Gedney's UPML in D/B form
 * (physics.md sections 1 and 3), image theory at the walls, every scheme. The reference steps Ez and its increment with filters in
 * stretched coordinates; the two must agree to rounding. */
#include <stdio.h>

#include "check.h"

#include "random_problem.h"

/* Textbook state: everything (ny, nx); hx, bx at (i, j+1/2), hy, by at (i+1/2, j). */
struct textbook {
    const struct problem *problem;
    struct stencil stencil;
    int nx, ny;
    double k; /* c dt / cell */
    double *e, *p, *q, *hx, *hy, *bx, *by;
    double *ax, *ax_half, *ay, *ay_half; /* sigma dt / (2 eps0) along the axes */
};

static double *zeros(int nx, int ny)
{
    return calloc((size_t)nx * (size_t)ny, sizeof(double));
}

static double loss_of(struct absorber_filter filter)
{
    return 1 / filter.gain - 1;
}

static struct textbook textbook_create(const struct problem *problem, enum scheme scheme)
{
    int nx = problem->nx, ny = problem->ny;
    struct textbook t = {problem,
                         stencil_get(scheme),
                         nx,
                         ny,
                         299792458.0 * problem->time_step / problem->cell,
                         zeros(nx, ny),
                         zeros(nx, ny),
                         zeros(nx, ny),
                         zeros(nx, ny),
                         zeros(nx, ny),
                         zeros(nx, ny),
                         zeros(nx, ny),
                         zeros(nx, 1),
                         zeros(nx, 1),
                         zeros(ny, 1),
                         zeros(ny, 1)};
    for (int i = 0; i < nx; i++) {
        t.ax[i] = loss_of(problem->x_node[i]);
        t.ax_half[i] = loss_of(problem->x_half[i]);
    }
    for (int j = 0; j < ny; j++) {
        t.ay[j] = loss_of(problem->y_node[j]);
        t.ay_half[j] = loss_of(problem->y_half[j]);
    }
    return t;
}

static void textbook_free(struct textbook *t)
{
    double *arrays[] = {t->e, t->p, t->q, t->hx, t->hy, t->bx, t->by, t->ax, t->ax_half, t->ay, t->ay_half};
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
            double bx = ((1 - t->ay_half[j]) * t->bx[n] - t->k * dy) / (1 + t->ay_half[j]);
            double by = ((1 - t->ax_half[i]) * t->by[n] + t->k * dx) / (1 + t->ax_half[i]);
            t->hx[n] += (1 + t->ax[i]) * bx - (1 - t->ax[i]) * t->bx[n];
            t->hy[n] += (1 + t->ay[j]) * by - (1 - t->ay[j]) * t->by[n];
            t->bx[n] = bx;
            t->by[n] = by;
        }
    }
}

static void textbook_step_e(struct textbook *t, const double *retention, const double *curl_gain)
{
    for (int j = 0; j < t->ny; j++) {
        for (int i = 0; i < t->nx; i++) {
            double curl = 0;
            int n = j * t->nx + i, m = t->problem->material[n];
            for (int l = 0; l < t->stencil.reach; l++) {
                double a = t->stencil.difference[l];
                curl += a * (even(t->hy + j * t->nx, 1, t->nx, i + l) - even(t->hy + j * t->nx, 1, t->nx, i - 1 - l));
                curl -= a * (even(t->hx + i, t->nx, t->ny, j + l) - even(t->hx + i, t->nx, t->ny, j - 1 - l));
            }
            /* (jw eps + sigma/eps0) q = curl, s_x p = q, s_y Ez = p */
            double q = retention[m] * t->q[n] + curl_gain[m] * curl;
            double p = ((1 - t->ax[i]) * t->p[n] + q - t->q[n]) / (1 + t->ax[i]);
            double e = ((1 - t->ay[j]) * t->e[n] + p - t->p[n]) / (1 + t->ay[j]);
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

static void compare_with_textbook(enum scheme scheme, int nx, int ny, int layer, int64_t steps)
{
    struct problem problem = random_problem((struct random_problem_options){.scheme = scheme,
                                                                            .precision = PW_DOUBLE,
                                                                            .nx = nx,
                                                                            .ny = ny,
                                                                            .layer = layer,
                                                                            .palette = 6,
                                                                            .steps = steps,
                                                                            .sources = 1,
                                                                            .seed = 5});
    struct textbook t = textbook_create(&problem, scheme);
    double curl_gain[6];
    for (int p = 0; p < 6; p++) {
        curl_gain[p] = problem.coupling[p] / (t.stencil.ring[0] * t.k); /* K / (eps (1+a)) */
    }
    /* Not on a conductor, which the two forms treat differently. */
    for (int64_t s = 0; s < problem.sources[0].count; s++) {
        problem.material[problem.sources[0].node[s]] = 1;
    }
    void *state = NULL;
    pw_error error;
    assert_int_equal(backend_reference.create(&problem, 0, 1, NULL, &state, &error), PW_OK);
    assert_int_equal(backend_reference.advance(state, steps, &error), PW_OK);
    for (int64_t n = 0; n < steps; n++) {
        textbook_step_h(&t);
        textbook_step_e(&t, problem.retention, curl_gain);
        textbook_drive(&t, &problem.sources[0], n);
    }
    double *ez = zeros(nx, ny), worst = 0, peak = 0;
    assert_int_equal(backend_reference.read_field(state, 0, ez, &error), PW_OK);
    for (int n = 0; n < nx * ny; n++) {
        worst = fmax(worst, fabs(ez[n] - t.e[n]));
        peak = fmax(peak, fabs(t.e[n]));
    }
    printf("%s %dx%d layer %d: peak %.3g, worst difference %.2e of it\n", t.stencil.name, nx, ny, layer, peak,
           worst / peak);
    assert_true(peak > 1e-3);
    assert_true(worst < 1e-11 * peak);
    free(ez);
    backend_reference.destroy(state);
    textbook_free(&t);
    problem_free(&problem);
}

static void test_matches_textbook_with_absorber(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        compare_with_textbook((enum scheme)scheme, 71, 67, 10, 250);
    }
}

static void test_matches_textbook_in_a_conducting_box(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        compare_with_textbook((enum scheme)scheme, 37, 31, 0, 400);
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
                void *state = NULL;
                double energy = NAN;
                assert_int_equal(backend_reference.create(&problem, 0, 1, NULL, &state, NULL), PW_OK);
                assert_int_equal(backend_reference.advance(state, 60, NULL), PW_OK);
                assert_int_equal(backend_reference.energy(state, 0, &energy, NULL), PW_OK);
                assert_true(isfinite(energy));
                backend_reference.destroy(state);
                problem_free(&problem);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches_textbook_with_absorber),
        cmocka_unit_test(test_matches_textbook_in_a_conducting_box),
        cmocka_unit_test(test_tiny_grids_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
