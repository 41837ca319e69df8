/* The layered absorbers: each filter against the stretch that it stands for; Berenger's against his split field; every
 * kind, and walls at single sides, with the same bits in the reference and the cpu backend; a wall at one side against
 * the image that it makes. What they reflect is in validation/. */
#include <complex.h>

#include "tests/support/check.h"
#include "tests/support/random_problem.h"
#include "tests/volume/volume_compare.h"

#define CELL(name) name##_double
#define REAL       double
#define FMA        fma
#include "problem/cell.h"
#undef CELL
#undef REAL
#undef FMA

static const double c0 = 299792458.0, eps0 = 8.8541878128e-12, pi = 3.14159265358979323846;
static const struct absorber CPML = {
    .kind = ABSORBER_CPML, .cells = 9, .order = 3, .reflection = 1e-8, .kappa = 7, .alpha = 0.3};
static const struct absorber BERENGER = {.kind = ABSORBER_BERENGER, .cells = 9, .order = 3, .reflection = 1e-8};
static const struct absorber UPML = {.kind = ABSORBER_UPML, .cells = 9, .order = 3, .reflection = 1e-8};

static struct absorber_axis axis_of(double time_step)
{
    return (struct absorber_axis){
        .number = 0, .count = 60, .cell = 0.02, .time_step = time_step, .precision = PW_DOUBLE};
}

/* out/in of what cell_filter does at z = exp(jw dt): the transform of its answer to one sample. */
static double complex response(const struct absorber_filter *filter, double phase)
{
    double complex sum = 0;
    double state = 0;
    for (int n = 0; n < 40000; n++) {
        double out = cell_filter_double(n == 0, filter->gain, filter->pole, filter->feed, &state);
        sum += out * cexp(-I * phase * n);
    }
    return sum;
}

/* sigma/eps0 at the depth `part` of the thickness. */
static double rate_at(const struct absorber *absorber, double part)
{
    double thickness = absorber->cells * 0.02;
    return pow(part, absorber->order) * -(absorber->order + 1) * log(absorber->reflection) /
           (2 * 376.730313668 * thickness) / eps0;
}

/* 1/s of the kind at a complex frequency, jw or what stands for it. */
static double complex stretch(const struct absorber *absorber, double part, double complex at)
{
    double thickness = absorber->cells * 0.02, rate = rate_at(absorber, part);
    bool cpml = absorber->kind == ABSORBER_CPML;
    double kappa = cpml ? 1 + (absorber->kappa - 1) * pow(part, absorber->order) : 1;
    double alpha = cpml ? absorber->alpha * c0 / thickness * (1 - part) : 0.05 * c0 / thickness;
    return 1 / (kappa + rate / (alpha + at));
}

/* The trapezoidal rule is exact at 2/dt tan(w dt/2) instead of w. Depths at nodes and at half nodes. */
static void test_filters_are_the_stretch(void **unused)
{
    (void)unused;
    const struct absorber *kinds[] = {&UPML, &CPML};
    const double time_step = 2e-11, phases[] = {0.01, 0.1, 0.4, 1.5};
    struct absorber_axis axis = axis_of(time_step);
    struct absorber_filter half[60], node[60];
    for (int k = 0; k < 2; k++) {
        absorber_profile(kinds[k], &axis, half, node);
        for (int p = 0; p < 4; p++) {
            double complex at = I * 2 / time_step * tan(phases[p] / 2);
            for (int i = 0; i < 7; i++) {
                double cells = kinds[k]->cells;
                double complex wanted[] = {stretch(kinds[k], (cells - i) / cells, at),
                                           stretch(kinds[k], (cells - i - 0.5) / cells, at)};
                assert_true(cabs(response(&node[i], phases[p]) - wanted[0]) < 1e-11);
                assert_true(cabs(response(&half[i], phases[p]) - wanted[1]) < 1e-11);
                assert_true(cabs(response(&half[59 - i], phases[p]) - wanted[1]) < 1e-11);
            }
        }
    }
    /* alpha in S/m is alpha/eps0 in rad/s. */
    struct absorber siemens = CPML;
    siemens.alpha_in_siemens = true;
    siemens.alpha = CPML.alpha * c0 / (9 * 0.02) * eps0;
    struct absorber_filter other[60];
    absorber_profile(&CPML, &axis, half, node);
    absorber_profile(&siemens, &axis, half, other);
    assert_true(fabs(other[3].pole - node[3].pole) < 1e-9 && fabs(other[3].feed - node[3].feed) < 1e-9);
}

/* Exponential stepping: of second order in the time step, jw/(jw + sigma/eps0) in the limit. */
static void test_berenger_is_of_second_order(void **unused)
{
    (void)unused;
    double worst[2] = {0};
    for (int finer = 0; finer < 2; finer++) {
        double time_step = finer ? 1e-11 : 2e-11;
        struct absorber_axis axis = axis_of(time_step);
        struct absorber_filter half[60], node[60];
        absorber_profile(&BERENGER, &axis, half, node);
        for (int i = 0; i < 8; i++) {
            double frequency = 2e9, omega = 2 * pi * frequency;
            double complex wanted = I * omega / (I * omega + rate_at(&BERENGER, (9.0 - i) / 9));
            worst[finer] = fmax(worst[finer], cabs(response(&node[i], omega * time_step) - wanted));
        }
    }
    assert_true(worst[0] < 0.02 && worst[0] / worst[1] > 3.8 && worst[0] / worst[1] < 4.2);
}

/* ---- Berenger's own form ---- */

enum { NX = 34, NY = 31 };

/* Ez = ezx + ezy, hx, hy on one grid; p and q of Berenger's update at nodes and half nodes of each axis. */
struct split {
    double ezx[NY + 1][NX + 1], ezy[NY + 1][NX + 1], hx[NY + 1][NX + 1], hy[NY + 1][NX + 1];
    double p[2][2][NX + 1], q[2][2][NX + 1]; /* [axis][half] */
};

static void split_profile(struct split *split, double time_step)
{
    const int counts[] = {NX, NY};
    for (int a = 0; a < 2; a++) {
        for (int half = 0; half < 2; half++) {
            for (int i = 0; i <= counts[a]; i++) {
                double place = i + 0.5 * half, depth = fmax(9 - place, place - (counts[a] - 9));
                double loss = depth > 0 ? rate_at(&BERENGER, depth / 9) * time_step : 0;
                split->p[a][half][i] = exp(-loss);
                split->q[a][half][i] = loss > 0 ? (1 - exp(-loss)) / loss : 1;
            }
        }
    }
}

static double split_ez(const struct split *s, int i, int j)
{
    return i == 0 || j == 0 || i == NX || j == NY ? 0 : s->ezx[j][i] + s->ezy[j][i];
}

static void split_step(struct split *s, double k)
{
    for (int j = 0; j < NY; j++) {
        for (int i = 0; i < NX; i++) {
            s->hy[j][i] = s->p[0][1][i] * s->hy[j][i] + s->q[0][1][i] * k * (split_ez(s, i + 1, j) - split_ez(s, i, j));
            s->hx[j][i] = s->p[1][1][j] * s->hx[j][i] - s->q[1][1][j] * k * (split_ez(s, i, j + 1) - split_ez(s, i, j));
        }
    }
    for (int j = 1; j < NY; j++) {
        for (int i = 1; i < NX; i++) {
            s->ezx[j][i] = s->p[0][0][i] * s->ezx[j][i] + s->q[0][0][i] * k * (s->hy[j][i] - s->hy[j][i - 1]);
            s->ezy[j][i] = s->p[1][0][j] * s->ezy[j][i] - s->q[1][0][j] * k * (s->hx[j][i] - s->hx[j - 1][i]);
        }
    }
}

static void test_berenger_is_the_split_field(void **unused)
{
    (void)unused;
    struct problem problem = random_problem((struct random_problem_options){.scheme = SCHEME_YEE,
                                                                            .precision = PW_DOUBLE,
                                                                            .nx = NX,
                                                                            .ny = NY,
                                                                            .layer = 9,
                                                                            .absorber = &BERENGER,
                                                                            .palette = 1,
                                                                            .steps = 200,
                                                                            .sources = 1,
                                                                            .every = 1,
                                                                            .seed = 3});
    struct source *source = &problem.sources[0];
    source->count = 1;
    source->node[0] = 14 * NX + 16;
    source->weight[0] = 1;
    struct split *split = calloc(1, sizeof *split);
    split_profile(split, problem.time_step);
    double k = c0 * problem.time_step / 0.02, current = 0, peak = 0, worst = 0;
    for (int n = 0; n < problem.steps; n++) {
        source->drive[n] = n < 40 ? sin(0.3 * n) : n == 40 ? -current : 0;
        split_step(split, k);
        current += source->drive[n];
        split->ezx[14][16] += current;
    }
    struct run_state state = volume_solve(&backend_reference, &problem, NULL, NULL, 0);
    for (int j = 0; j < NY; j++) {
        for (int i = 0; i < NX; i++) {
            peak = fmax(peak, fabs(split_ez(split, i, j)));
            worst = fmax(worst, fabs(state.ez[j * NX + i] - split_ez(split, i, j)));
        }
    }
    printf("Berenger: at most %.2g of %.3g apart after %d steps\n", worst, peak, (int)problem.steps);
    assert_true(peak > 1e-6 && worst < 1e-12);
    free(split);
    run_state_free(&state);
    problem_free(&problem);
}

/* ---- the same bits ---- */

static void same_state(const struct problem *problem)
{
    struct run_state ends[] = {volume_solve(&backend_reference, problem, NULL, NULL, 0),
                               volume_solve(&backend_cpu, problem, NULL, NULL, 0)};
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        assert_same_states(problem, &ends[0], &ends[1]);
    } else {
        size_t count = (size_t)problem_nodes(problem),
               rows = (size_t)problem->axis[1].count * (size_t)run_state_filters(problem, 0),
               columns = (size_t)problem->axis[0].count * (size_t)run_state_filters(problem, 1);
        assert_same_values("ez", ends[0].ez, ends[1].ez, count);
        assert_same_values("increment", ends[0].increment, ends[1].increment, count);
        assert_same_values("x_half", ends[0].x_half, ends[1].x_half, rows);
        assert_same_values("x_node", ends[0].x_node, ends[1].x_node, rows);
        assert_same_values("y_half", ends[0].y_half, ends[1].y_half, columns);
        assert_same_values("y_node", ends[0].y_node, ends[1].y_node, columns);
    }
    run_state_free(&ends[0]);
    run_state_free(&ends[1]);
}

static const struct absorber MIXED = {
    .kind = ABSORBER_CPML,
    .cells = 9,
    .order = 3,
    .reflection = 1e-8,
    .kappa = 7,
    .alpha = 0.3,
    .by_side = true,
    .side = {{ABSORBER_PEC, ABSORBER_CPML}, {ABSORBER_BERENGER, ABSORBER_UPML}, {ABSORBER_CPML, ABSORBER_PEC}}};

static void test_the_same_bits_in_two_dimensions(void **unused)
{
    (void)unused;
    const struct absorber *kinds[] = {&CPML, &BERENGER, &MIXED};
    for (int k = 0; k < 3; k++) {
        for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
            for (int precision = 0; precision < 2; precision++) {
                struct random_problem_options options =
                    random_problem_usual((enum scheme)scheme, (pw_precision)precision, 9);
                options.absorber = kinds[k];
                options.nx = 61;
                options.ny = 53;
                struct problem problem = random_problem(options);
                same_state(&problem);
                problem_free(&problem);
            }
        }
    }
}

static void test_the_same_bits_in_three_dimensions(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (int precision = 0; precision < 2; precision++) {
            struct random_volume_options options = volume_usual((enum scheme)scheme, (pw_precision)precision);
            options.stretched = true;
            options.steps = 30;
            struct problem problem = random_volume(options);
            same_state(&problem);
            problem_free(&problem);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_are_the_stretch),
        cmocka_unit_test(test_berenger_is_of_second_order),
        cmocka_unit_test(test_berenger_is_the_split_field),
        cmocka_unit_test(test_the_same_bits_in_two_dimensions),
        cmocka_unit_test(test_the_same_bits_in_three_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
