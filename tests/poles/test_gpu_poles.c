/* Dispersive nodes on a GPU: every solver that takes them hands out what the reference hands out, bit for bit in single
 * precision and within 1e-13 in double, in two and three dimensions, in passes of one step and of several; a run that
 * is saved half way goes on with the same bits on another backend; and what keeps its fields on the chip says that it
 * does not take poles. With the name of a scheme as argument, problems of many schemes are of that one alone. Skipped
 * where no GPU works. */
#include "tests/support/gpu/gpu_works.h"
#include "tests/volume/volume_compare.h"

#include "tests/poles/random_poles.h"

static int comparisons;
static int first_scheme = 0, last_scheme = SCHEME_COUNT - 1; /* of the tests that run all */

static const double ALLOWED = 1e-13; /* in double, of the largest value */

/* Media with poles in a plan that suits a march, with as many probes that some are in them. */
static struct problem flat_problem(enum scheme scheme, pw_precision precision, int spacing)
{
    struct random_problem_options options = random_problem_usual(scheme, precision, 9);
    options.nx = 640;
    options.ny = 170;
    options.probes = 60;
    options.sources = 2;
    options.spacing = spacing;
    struct problem problem = random_problem(options);
    random_poles(&problem, 6000, 5 + (unsigned)scheme);
    return problem;
}

/* Passes of several steps: sizes that are no multiple of anything, layers thick, thin and none, walls that fill the
 * rows of a warp and such that leave most of them alone, with probes, driven nodes and the borders of strips among
 * them, and samples so far apart that the deepest passes find room between them. */
struct passes_case {
    int nx, ny, layer, spans, every, probes;
    unsigned longest;
    struct random_pole_kinds kinds;
};

static const struct passes_case PASSES[] = {
    {643, 171, 9, 6000, 40, 60, 90, {.most = 1, .debye = true}},
    {1011, 203, 16, 500, 16, 300, 30, {.most = 1, .debye = true}},
    {617, 149, 0, 300, 5, 40, 700, {.most = 1, .debye = true}},
    {643, 171, 9, 3000, 40, 60, 40, {.most = 1}},
    {645, 171, 5, 2000, 16, 60, 90, {.most = 2, .debye = true}},
    {821, 170, 16, 1500, 24, 60, 20, {.most = 4}},
    {643, 171, 9, 900, 24, 60, 90, {.most = 4, .many = POLE_LIMIT}},
};

static struct problem passes_problem(enum scheme scheme, const struct passes_case *c)
{
    struct random_problem_options options = random_problem_usual(scheme, PW_SINGLE, c->layer);
    options.nx = c->nx;
    options.ny = c->ny;
    options.probes = c->probes;
    options.sources = 2;
    options.every = c->every;
    options.spacing = 1 + c->layer % 2;
    struct problem problem = random_problem(options);
    random_pole_spans_of(&problem, c->kinds, c->spans, c->longest, 3 + (unsigned)scheme);
    return problem;
}

static struct problem deep_problem(enum scheme scheme, pw_precision precision)
{
    struct random_volume_options options = volume_usual(scheme, precision);
    options.n[0] = 35;
    options.sources = 2;
    options.probes = 30;
    options.tensors = scheme == SCHEME_FD4 ? 20 : 0;
    struct problem problem = random_volume(options);
    random_poles(&problem, 1500, 2 + (unsigned)scheme);
    return problem;
}

static int probes_in_poles(const struct problem *problem)
{
    int found = 0;
    for (int p = 0; p < problem->probe_count; p++) {
        for (int64_t s = 0; s < problem->pole_span_count; s++) {
            const struct pole_span *span = &problem->pole_spans[s];
            found += problem->probes[p].node >= span->place && problem->probes[p].node < span->place + span->count;
        }
    }
    return found;
}

static void assert_same_numbers(const char *solver, const char *what, pw_precision precision, const double *a,
                                const double *b, size_t count)
{
    double largest = largest_of(b, count), allowed = precision == PW_DOUBLE ? ALLOWED * largest : 0;
    assert_true(isfinite(largest) && (largest > 0 || count == 0));
    for (size_t n = 0; n < count; n++) {
        if (!(fabs(a[n] - b[n]) <= allowed)) {
            fail_msg("%s: %s[%zu]: %.17g, wanted %.17g", solver, what, n, a[n], b[n]);
        }
    }
}

/* Everything that the solver hands out of run 0 or 1 of this problem. */
static void assert_same_runs(const char *solver, const struct problem *problem, const struct run_state *found,
                             const struct run_state *wanted)
{
    const struct spectra *spectra = &problem->spectra;
    pw_precision precision = problem->precision;
    size_t nodes = (size_t)problem_nodes(problem), lattice = (size_t)spectra->rows * (size_t)spectra->columns;
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        for (int c = 0; c < 6; c++) {
            assert_same_numbers(solver, c < 3 ? "E" : "h", precision, found->field[c], wanted->field[c], nodes);
        }
    } else {
        assert_same_numbers(solver, "ez", precision, found->ez, wanted->ez, nodes);
        assert_same_numbers(solver, "increment", precision, found->increment, wanted->increment, nodes);
    }
    assert_same_numbers(solver, "poles", precision, found->poles, wanted->poles, (size_t)problem->pole_state_count);
    assert_same_numbers(solver, "probes", precision, found->probes, wanted->probes,
                        (size_t)(wanted->step * problem->probe_count));
    if (spectra_samples(spectra, wanted->step) >= spectra_group(spectra)) {
        assert_same_numbers(solver, "spectra", precision, found->spectra, wanted->spectra,
                            2 * (size_t)spectra->frequency_count * lattice);
    }
    assert_same_numbers(solver, "samples", precision, found->samples, wanted->samples,
                        (size_t)spectra_waiting(spectra, wanted->step) * lattice);
    comparisons++;
}

/* Both runs, in advances of unequal length. */
static void solve_two(const struct backend *backend, const struct problem *problem, const char *solver,
                      struct run_state states[2])
{
    struct backend_options options = {.solver = solver};
    struct stepper *stepper = NULL;
    pw_error error = {{0}};
    if (stepper_create(backend, problem, 0, 2, &options, &stepper, &error) != PW_OK) {
        fail_msg("%s: %s", solver != NULL ? solver : "auto", error.message);
    }
    for (int64_t done = 0, some = 1; done < problem->steps; done += some, some = 3 * some) {
        some = some < problem->steps - done ? some : problem->steps - done;
        volume_advance(stepper, some);
    }
    for (int run = 0; run < 2; run++) {
        assert_int_equal(run_state_create(problem, problem->steps, &states[run], &error), PW_OK);
        assert_int_equal(stepper_save(stepper, run, &states[run], &error), PW_OK);
    }
    stepper_destroy(stepper);
}

static void compare_solvers(const struct problem *problem, const char *const *solvers, int count)
{
    struct run_state wanted[2], found[2];
    solve_two(&backend_reference, problem, NULL, wanted);
    for (int s = 0; s < count; s++) {
        solve_two(&backend_cuda, problem, solvers[s], found);
        for (int run = 0; run < 2; run++) {
            assert_same_runs(solvers[s] != NULL ? solvers[s] : "auto", problem, &found[run], &wanted[run]);
            run_state_free(&found[run]);
        }
    }
    run_state_free(&wanted[0]);
    run_state_free(&wanted[1]);
}

static void two_dimensions_are_the_reference(void **state)
{
    (void)state;
    static const char *const solvers[] = {"plain", NULL, "tile", "tile:1", "march", "march:1"};
    for (int scheme = first_scheme; scheme <= last_scheme; scheme++) {
        for (int spacing = 1; spacing <= 2; spacing++) {
            struct problem problem = flat_problem((enum scheme)scheme, PW_SINGLE, spacing);
            assert_true(probes_in_poles(&problem) > 5);
            compare_solvers(&problem, solvers, 6);
            problem_free(&problem);
        }
        struct problem problem = flat_problem((enum scheme)scheme, PW_DOUBLE, 1);
        compare_solvers(&problem, solvers, 2);
        problem_free(&problem);
    }
}

static void passes_of_several_steps_are_the_reference(void **state)
{
    (void)state;
    static const char *const solvers[] = {NULL,      "march",   "march:6", "march:4", "march:3",
                                          "march:2", "march:1", "tile",    "tile:3",  "tile:2"};
    for (int scheme = first_scheme; scheme <= last_scheme; scheme++) {
        for (size_t k = 0; k < sizeof PASSES / sizeof PASSES[0]; k++) {
            struct problem problem = passes_problem((enum scheme)scheme, &PASSES[k]);
            const bool march = PASSES[k].kinds.many == 0; /* else one step a pass is the most of "march" */
            compare_solvers(&problem, solvers, scheme == SCHEME_YEE && march ? 10 : march ? 5 : 2);
            problem_free(&problem);
        }
    }
}

static void three_dimensions_are_the_reference(void **state)
{
    (void)state;
    static const char *const solvers[] = {NULL};
    for (int scheme = first_scheme; scheme <= last_scheme; scheme++) {
        for (int precision = PW_SINGLE; precision <= PW_DOUBLE; precision++) {
            struct problem problem = deep_problem((enum scheme)scheme, (pw_precision)precision);
            compare_solvers(&problem, solvers, 1);
            problem_free(&problem);
        }
    }
}

/* The first part on one backend, the rest on the other from its state, and back for the last. */
static void assert_moves(const struct problem *problem)
{
    const struct backend *ways[2][3] = {{&backend_cpu, &backend_cuda, &backend_cpu},
                                        {&backend_cuda, &backend_cpu, &backend_cuda}};
    struct run_state wanted = volume_solve(&backend_reference, problem, NULL, NULL, 0);
    for (int w = 0; w < 2; w++) {
        struct run_state state = {0};
        for (int part = 0; part < 3; part++) {
            struct stepper *stepper = volume_stepper(ways[w][part], problem, NULL);
            pw_error error;
            if (part > 0) {
                assert_int_equal(stepper_load(stepper, 0, &state, &error), PW_OK);
                run_state_free(&state);
            }
            int64_t third = problem->steps / 3;
            volume_advance(stepper, part < 2 ? third : problem->steps - 2 * third);
            state = volume_state(problem, stepper);
            stepper_destroy(stepper);
        }
        assert_same_runs(w == 0 ? "cpu, cuda, cpu" : "cuda, cpu, cuda", problem, &state, &wanted);
        run_state_free(&state);
    }
    run_state_free(&wanted);
}

static void runs_move_between_backends(void **state)
{
    (void)state;
    const enum scheme schemes[] = {SCHEME_YEE, SCHEME_DD4};
    for (int s = 0; s < 2; s++) {
        struct problem problem = flat_problem(schemes[s], PW_SINGLE, 1);
        assert_moves(&problem);
        problem_free(&problem);
        problem = passes_problem(schemes[s], &PASSES[3]);
        assert_moves(&problem);
        problem_free(&problem);
        problem = deep_problem(schemes[s], PW_SINGLE);
        assert_moves(&problem);
        problem_free(&problem);
    }
}

/* A state whose poles remember another increment than its field has belongs to no run. */
static void states_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct problem problem = passes_problem(SCHEME_YEE, &PASSES[0]);
    struct run_state saved = volume_solve(&backend_cpu, &problem, NULL, NULL, 0);
    struct stepper *stepper = volume_stepper(&backend_cuda, &problem, NULL);
    pw_error error = {{0}};
    saved.poles[problem.pole_spans[7].state] += 1;
    assert_int_equal(stepper_load(stepper, 0, &saved, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "remember another increment"));
    saved.poles[problem.pole_spans[7].state] = saved.increment[problem.pole_spans[7].place];
    assert_int_equal(stepper_load(stepper, 0, &saved, &error), PW_OK);
    stepper_destroy(stepper);
    run_state_free(&saved);
    problem_free(&problem);
}

/* What keeps fields on the chip says why not, and "auto" takes the GPU all the same. */
static void fields_on_the_chip_decline(void **state)
{
    (void)state;
    static const char *const solvers[] = {"resident", "streamed"};
    struct problem problem = flat_problem(SCHEME_YEE, PW_SINGLE, 1);
    for (int s = 0; s < 2; s++) {
        struct backend_options options = {.solver = solvers[s]};
        struct stepper *stepper = NULL;
        pw_error error = {{0}};
        assert_int_equal(stepper_create(&backend_cuda, &problem, 0, 1, &options, &stepper, &error), PW_USAGE);
        if (strstr(error.message, "media with") == NULL && strstr(error.message, "media without") == NULL) {
            fail_msg("%s: '%s'", solvers[s], error.message);
        }
    }
    pw_error error = {{0}};
    assert_ptr_equal(backend_find_for("auto", &problem, &error), &backend_cuda);
    problem_free(&problem);
}

int main(int argc, char **argv)
{
    enum scheme only;
    if (!gpu_works()) {
        return 0;
    }
    if (argc > 1 && scheme_from_name(argv[1], &only)) {
        first_scheme = last_scheme = (int)only;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_dimensions_are_the_reference),
        cmocka_unit_test(passes_of_several_steps_are_the_reference),
        cmocka_unit_test(three_dimensions_are_the_reference),
        cmocka_unit_test(runs_move_between_backends),
        cmocka_unit_test(states_that_do_not_fit_are_refused),
        cmocka_unit_test(fields_on_the_chip_decline),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d comparisons of media with poles\n", comparisons);
    return failed;
}
