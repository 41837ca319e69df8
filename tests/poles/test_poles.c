/* Dispersive nodes: the law of a pole in frequency and in steps, the same bits on the reference and the cpu backend in
 * two and three dimensions, resuming, and no growth. */
#include <complex.h>

#include "tests/volume/volume_compare.h"

#include "tests/poles/random_poles.h"

static const double TWO_PI = 6.28318530717958647692;

static struct pole some_pole(enum pole_kind kind)
{
    return (struct pole){.kind = kind, .strength = 2.5, .relaxation = 80e-12, .frequency = 2e9, .damping = 0.3e9};
}

static double complex susceptibility(const struct pole *pole, double f)
{
    double complex s = I * TWO_PI * f, w0 = TWO_PI * pole->frequency, damping = TWO_PI * pole->damping;
    return pole->kind == POLE_DEBYE     ? pole->strength / (1 + s * pole->relaxation)
           : pole->kind == POLE_LORENTZ ? pole->strength * w0 * w0 / (w0 * w0 + s * s + s * damping)
                                        : w0 * w0 / (s * s + s * damping);
}

static void test_law_of_each_kind(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < POLE_KINDS; kind++) {
        struct pole pole = some_pole((enum pole_kind)kind);
        for (double f = 0.1e9; f < 10e9; f *= 1.3) {
            struct permittivity found = pole_at(&pole, f);
            double complex wanted = susceptibility(&pole, f);
            assert_true(fabs(found.real - creal(wanted)) < 1e-12 * cabs(wanted));
            assert_true(fabs(found.loss + cimag(wanted)) < 1e-12 * cabs(wanted));
            assert_true(found.loss > 0);
        }
    }
}

/* A field that turns by `angle` a step through the functions of a cell: what the poles take is j w susceptibility of
 * the frequency that the trapezoidal rule sees. */
static double complex taken_by(const struct pole *pole, double dt, double angle)
{
    struct pole_step step = pole_step_of(pole, 1, dt);
    double complex turn = cexp(I * angle), p, current = 0;
    if (pole->kind == POLE_DEBYE) { /* p (turn - 1) = field (turn + 1) - rate p */
        p = step.field * (turn + 1) / (turn - 1 + step.polarisation);
        return (turn - 1) * p;
    }
    /* current (turn - 1) = 2 change, p (turn - 1) = current + change = current (turn + 1)/2 */
    double complex ratio = 0.5 * (turn + 1) / (turn - 1); /* p over current */
    current = 2 * step.field * (turn + 1) / (turn - 1 + 2 * step.current + 2 * step.polarisation * ratio);
    return current * 0.5 * (turn + 1);
}

static void test_steps_see_the_tangent_of_the_frequency(void **unused)
{
    (void)unused;
    const double dt = 20e-12;
    for (int kind = 0; kind < POLE_KINDS; kind++) {
        struct pole pole = some_pole((enum pole_kind)kind);
        for (double angle = 0.05; angle < 3; angle += 0.05) {
            double f = 2 / dt * tan(0.5 * angle) / TWO_PI;
            /* dt s chi(s) times the mean of the field before and after */
            double complex wanted = dt * I * TWO_PI * f * susceptibility(&pole, f) * 0.5 * (cexp(I * angle) + 1);
            assert_true(cabs(taken_by(&pole, dt, angle) - wanted) < 1e-11 * cabs(wanted));
        }
    }
}

/* ---- the same bits ------------------------------------------------------------------------------------------------
 */

static struct problem flat_problem(enum scheme scheme, pw_precision precision, int spans)
{
    struct problem problem = random_problem(random_problem_usual(scheme, precision, 9));
    random_poles(&problem, spans, 5 + (unsigned)scheme);
    return problem;
}

static void assert_same_numbers(const char *what, const double *a, const double *b, size_t count)
{
    double largest = 0;
    for (size_t n = 0; n < count; n++) {
        largest = fmax(largest, fabs(a[n]));
        if (a[n] != b[n]) {
            fail_msg("%s[%zu]: %.17g and %.17g", what, n, a[n], b[n]);
        }
    }
    assert_true(largest > 0 && isfinite(largest));
}

static void compare_flat(const struct problem *problem, const char *solver, int threads, int64_t batch)
{
    struct backend_options engine = {.threads = threads, .solver = solver};
    struct run_state wanted = volume_solve(&backend_reference, problem, NULL, NULL, 0);
    struct run_state found = volume_solve(&backend_cpu, problem, &engine, NULL, batch);
    size_t nodes = (size_t)problem_nodes(problem);
    assert_same_numbers("ez", wanted.ez, found.ez, nodes);
    assert_same_numbers("increment", wanted.increment, found.increment, nodes);
    assert_same_numbers("poles", wanted.poles, found.poles, (size_t)problem->pole_state_count);
    assert_same_numbers("probes", wanted.probes, found.probes, (size_t)(problem->steps * problem->probe_count));
    run_state_free(&wanted);
    run_state_free(&found);
}

static void test_two_dimensions_on_cpu(void **unused)
{
    (void)unused;
    const enum scheme schemes[] = {SCHEME_YEE, SCHEME_DD4, SCHEME_FD4O};
    const char *solvers[] = {"avx2", "avx2:3x7x32", "simple", "baseline"};
    for (int s = 0; s < 3; s++) {
        for (int precision = 0; precision < 2; precision++) {
            struct problem problem = flat_problem(schemes[s], (pw_precision)precision, 300);
            for (int v = 0; v < 4; v++) {
                compare_flat(&problem, solvers[v], v + 1, v == 1 ? 7 : 0);
            }
            problem_free(&problem);
        }
    }
}

static struct problem deep_problem(enum scheme scheme, pw_precision precision)
{
    struct random_volume_options options = volume_usual(scheme, precision);
    options.n[0] = 35;
    options.tensors = scheme == SCHEME_FD4 ? 20 : 0;
    struct problem problem = random_volume(options);
    random_poles(&problem, 1500, 2);
    return problem;
}

static void test_three_dimensions_on_cpu(void **unused)
{
    (void)unused;
    const enum scheme schemes[] = {SCHEME_YEE, SCHEME_FD4, SCHEME_FD8};
    const char *solvers[] = {"avx2-3d", "avx2-3d:3x5", "baseline-3d"};
    for (int s = 0; s < 3; s++) {
        for (int precision = 0; precision < 2; precision++) {
            struct problem problem = deep_problem(schemes[s], (pw_precision)precision);
            struct run_state wanted = volume_reference(&problem);
            for (int v = 0; v < 3; v++) {
                struct backend_options engine = {.threads = v + 1, .solver = solvers[v]};
                struct run_state found = volume_solve(&backend_cpu, &problem, &engine, NULL, v == 1 ? 7 : 0);
                assert_same_states(&problem, &wanted, &found);
                assert_same_numbers("poles", wanted.poles, found.poles, (size_t)problem.pole_state_count);
                run_state_free(&found);
            }
            run_state_free(&wanted);
            problem_free(&problem);
        }
    }
}

/* As beside the faces of walls: nearly every column has a medium of its own, with other poles than the next. */
static void test_neighbours_of_other_media(void **unused)
{
    (void)unused;
    for (int precision = 0; precision < 2; precision++) {
        struct problem flat = random_problem(random_problem_usual(SCHEME_YEE, (pw_precision)precision, 9));
        random_pole_spans(&flat, 4000, 2, 3);
        compare_flat(&flat, NULL, 2, 0);
        compare_flat(&flat, "baseline", 1, 7);
        problem_free(&flat);
        struct problem deep = random_volume(volume_usual(SCHEME_YEE, (pw_precision)precision));
        random_pole_spans(&deep, 9000, 2, 3);
        struct run_state wanted = volume_reference(&deep);
        struct run_state found = volume_solve(&backend_cpu, &deep, NULL, NULL, 7);
        assert_same_states(&deep, &wanted, &found);
        assert_same_numbers("poles", wanted.poles, found.poles, (size_t)deep.pole_state_count);
        run_state_free(&wanted);
        run_state_free(&found);
        problem_free(&deep);
    }
}

/* Half of the steps on one backend, the rest on the other from its state. */
static void assert_resumes(const struct problem *problem)
{
    struct problem half = *problem;
    half.steps = problem->steps / 2;
    struct run_state whole = volume_solve(&backend_reference, problem, NULL, NULL, 0);
    struct stepper *stepper = volume_stepper(&backend_cpu, problem, NULL);
    volume_advance(stepper, half.steps);
    struct run_state middle = volume_state(problem, stepper);
    stepper_destroy(stepper);
    struct run_state end = volume_solve(&backend_reference, problem, NULL, &middle, 0);
    assert_same_numbers("poles", whole.poles, end.poles, (size_t)problem->pole_state_count);
    assert_same_numbers("probes", whole.probes, end.probes, (size_t)(problem->steps * problem->probe_count));
    run_state_free(&whole);
    run_state_free(&middle);
    run_state_free(&end);
}

static void test_resuming(void **unused)
{
    (void)unused;
    struct problem problem = flat_problem(SCHEME_DD4, PW_SINGLE, 300);
    assert_resumes(&problem);
    problem_free(&problem);
    problem = deep_problem(SCHEME_YEE, PW_SINGLE);
    assert_resumes(&problem);
    problem_free(&problem);
}

/* Whatever machine this is, "auto" finds a backend that takes poles, and plain solvers say why they do not. */
static void test_choice_of_backend(void **unused)
{
    (void)unused;
    struct problem problem = flat_problem(SCHEME_YEE, PW_SINGLE, 300);
    pw_error error = {{0}};
    const struct backend *found = backend_find_for("auto", &problem, &error);
    struct solver_request request = {.problem = &problem, .count = 1};
    const struct solver plain = {.name = "plain"};
    assert_non_null(found);
    assert_int_equal(backend_choose(found, &request, &error), PW_OK);
    assert_ptr_equal(backend_find_for("reference", &problem, &error), &backend_reference);
    assert_int_equal(solver_takes(&plain, &problem, &error), PW_USAGE);
    assert_string_equal(error.message, "it takes only media without poles");
    problem_free(&problem);
    problem = deep_problem(SCHEME_YEE, PW_SINGLE);
    assert_int_equal(solver_takes(&plain, &problem, &error), PW_USAGE);
    assert_string_equal(error.message, "it takes only media without poles");
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law_of_each_kind),          cmocka_unit_test(test_steps_see_the_tangent_of_the_frequency),
        cmocka_unit_test(test_two_dimensions_on_cpu),     cmocka_unit_test(test_three_dimensions_on_cpu),
        cmocka_unit_test(test_neighbours_of_other_media), cmocka_unit_test(test_resuming),
        cmocka_unit_test(test_choice_of_backend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
