/* The choice of a backend and of one of its solvers: what they refuse and in which words, and that the cheapest
 * applicable solver is taken. And the halo of a problem that stands alone. */
#include "tests/support/check.h"

#include "tests/support/random_problem.h"
#include "tests/volume/random_volume.h"

static struct problem plain_problem(void)
{
    return random_problem((struct random_problem_options){
        .scheme = SCHEME_YEE, .nx = 40, .ny = 30, .layer = 4, .palette = 2, .steps = 10, .sources = 1});
}

static void assert_refused(const struct backend *backend, const struct problem *problem, const char *solver,
                           const char *phrase)
{
    struct backend_options options = {.solver = solver};
    struct stepper *stepper = NULL;
    pw_error error = {{0}};
    assert_int_equal(stepper_create(backend, problem, 0, 1, &options, &stepper, &error), PW_USAGE);
    assert_null(stepper);
    if (strstr(error.message, phrase) == NULL) {
        print_error("wanted '%s', got: %s\n", phrase, error.message);
    }
    assert_non_null(strstr(error.message, phrase));
}

static void test_unknown_names_are_answered_with_the_known(void **unused)
{
    (void)unused;
    struct problem problem = plain_problem();
    pw_error error = {{0}};
    assert_refused(&backend_cpu, &problem, "avx", "allowed are avx512, avx2, baseline, simple");
    assert_refused(&backend_reference, &problem, "plain", "allowed are tm2d");
    assert_null(backend_find("gpu", &error));
    assert_non_null(strstr(error.message, "unknown backend 'gpu': allowed are auto, reference, cpu, cuda"));
    problem_free(&problem);
}

/* A problem that no solver takes yet, and the clause with which both backends and all their solvers of two dimensions
 * refuse it. */
static void assert_refused_by_all(const struct problem *problem, const char *phrase)
{
    const struct backend *backends[] = {&backend_reference, &backend_cpu};
    for (int b = 0; b < 2; b++) {
        uint64_t host = 1, device = 1;
        assert_refused(backends[b], problem, NULL, phrase);
        for (size_t s = 0; backends[b]->solvers[s] != NULL; s++) {
            if (backends[b]->solvers[s]->formulation == FORMULATION_TM2D) {
                assert_refused(backends[b], problem, backends[b]->solvers[s]->name, phrase);
            }
        }
        backend_memory(backends[b], problem, 1, &host, &device);
        assert_true(host == 0 && device == 0);
    }
}

static void test_solvers_refuse_what_they_cannot_do(void **unused)
{
    (void)unused;
    struct problem problem = plain_problem();
    problem.axis[1].spacing *= 1.5;
    assert_refused_by_all(&problem, "it needs square cells");
    problem.axis[1].spacing = problem.axis[0].spacing;
    problem.axis[0].high.cells++;
    assert_refused(&backend_cpu, &problem, NULL, "it needs an absorber that is equally thick on every side");
    problem.axis[0].high.cells--;
    problem_free(&problem);
}

/* ---- a backend of solvers that only say what they are ------------------------------------------------------------ */

struct made_up {
    double cost;
    bool works;
};

static int asked; /* how many solvers had to say whether they are applicable */

static pw_status made_up_applicable(const struct solver_request *request, pw_error *error)
{
    const struct made_up *own = request->solver->parameters;
    asked++;
    return own->works ? PW_OK : fail(error, PW_USAGE, "%s never works", request->solver->name);
}

static double made_up_cost(const struct solver_request *request)
{
    return ((const struct made_up *)request->solver->parameters)->cost;
}

#define MADE_UP(NAME, COST, WORKS)                                                                                     \
    {                                                                                                                  \
        .name = NAME, .parameters = &(const struct made_up){COST, WORKS}, .applicable = made_up_applicable,            \
        .cost = made_up_cost                                                                                           \
    }

static const struct solver SLOW = MADE_UP("slow", 3, true), FAST = MADE_UP("fast", 2, true),
                           BROKEN = MADE_UP("broken", 1, false), DEAR = MADE_UP("dear", 4, true);
static const struct solver *const ALL[] = {&SLOW, &FAST, &BROKEN, &DEAR, NULL}, *const BAD[] = {&BROKEN, NULL};

static void test_the_cheapest_that_is_applicable_is_taken(void **unused)
{
    (void)unused;
    struct backend backend = {.name = "made-up", .solvers = ALL};
    struct problem problem = plain_problem();
    struct solver_request request = {.problem = &problem, .count = 1};
    pw_error error = {{0}};
    assert_int_equal(backend_choose(&backend, &request, &error), PW_OK);
    assert_ptr_equal(request.solver, &FAST);
    assert_int_equal(asked, 3); /* a dear one need not find out whether it could */
    request.name = "slow:with a detail";
    assert_int_equal(backend_choose(&backend, &request, &error), PW_OK);
    assert_ptr_equal(request.solver, &SLOW);
    request.name = "broken";
    assert_int_equal(backend_choose(&backend, &request, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "the solver 'broken' does not suit a grid of 40 x 30: broken never works"));
    request.name = NULL;
    backend.solvers = BAD;
    assert_int_equal(backend_choose(&backend, &request, &error), PW_USAGE);
    assert_null(request.solver);
    assert_non_null(strstr(error.message, "no solver of the made-up backend takes this problem: broken never works"));
    problem_free(&problem);
}

/* No solver steps past the last step, and none takes a state from beyond it. */
static void test_no_solver_leaves_the_steps_of_the_problem(void **unused)
{
    (void)unused;
    const struct backend *backends[] = {&backend_reference, &backend_cpu};
    struct problem problems[] = {plain_problem(), random_volume((struct random_volume_options){
                                                      .n = {8, 8, 8}, .palette = 1, .steps = 10, .sources = 1})};
    for (int p = 0; p < 4; p++) {
        const struct problem *problem = &problems[p / 2];
        struct stepper *stepper = NULL;
        struct run_state state;
        pw_error error = {{0}};
        assert_int_equal(stepper_create(backends[p % 2], problem, 0, 1, NULL, &stepper, &error), PW_OK);
        assert_int_equal(run_state_create(problem, problem->steps, &state, &error), PW_OK);
        assert_int_equal(stepper_advance(stepper, 4, &error), PW_OK);
        assert_int_equal(stepper_advance(stepper, 7, &error), PW_USAGE);
        assert_string_equal(error.message, "cannot advance 7 steps from step 4: the problem has 10");
        assert_int_equal(stepper_advance(stepper, -1, &error), PW_USAGE);
        state.step = 11;
        assert_int_equal(stepper_load(stepper, 0, &state, &error), PW_USAGE);
        assert_string_equal(error.message, "a state at step 11 of a problem of 10 steps");
        run_state_free(&state);
        stepper_destroy(stepper);
    }
    problem_free(&problems[0]);
    problem_free(&problems[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_names_are_answered_with_the_known),
        cmocka_unit_test(test_solvers_refuse_what_they_cannot_do),
        cmocka_unit_test(test_the_cheapest_that_is_applicable_is_taken),
        cmocka_unit_test(test_no_solver_leaves_the_steps_of_the_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
