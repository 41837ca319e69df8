/* What happens to a state of the CUDA backend: it is saved and resumed by another backend, stepped by two threads at
 * once, recorded into spectra that the device has no room for, misused, and looked at when it holds a NaN. Skipped,
 * with a line that says so and status 0, where no GPU works. Leaves out: every solver on every grid (test_gpu.c), and
 * calls that fail (test_gpu_faults.c). */
#include "tests/support/gpu/gpu_compare.h"

#include <pthread.h>

/* Takes all but about `left` bytes of the device's memory, by spectra of many frequencies on a small grid. */
static void *hold_memory(uint64_t left, struct problem *p)
{
    struct random_options o = usual(SCHEME_YEE, 512, 512, 0);
    uint64_t available = backend_cuda.device_free();
    pw_error error = {0};
    struct stepper *state = NULL;
    o.spacing = 1;
    o.frequencies = 1;
    random_problem(&o, p);
    int least = 1, most = 1 << 20;
    while (most - least > 1) {
        uint64_t host = 0, device = 0;
        int middle = (least + most) / 2;
        p->spectra.frequency_count = middle;
        backend_memory(&backend_cuda, p, 1, &host, &device);
        *(host == 0 && device <= available - left ? &least : &most) = middle;
    }
    p->spectra.frequency_count = 1;
    problem_free(p);
    o.frequencies = least;
    random_problem(&o, p);
    if (stepper_create(&backend_cuda, p, 0, 1, NULL, &state, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return state;
}

/* Spectra that do not fit the device are added over the host's memory, with the same bits. */
static void test_spectra_beyond_the_device(void **state)
{
    (void)state;
    static const char *const solvers[] = {"plain", "march", NULL};
    static const struct {
        int frequencies;
        uint64_t left; /* room for samples */
    } cases[] = {{60, 300000000}, {150, 1000000000}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct random_options o = usual(SCHEME_YEE, 700, 500, 16);
        struct problem p, held;
        uint64_t host = 0, device = 0;
        o.spacing = 1;
        o.every = 1;
        o.steps = 290;
        o.frequencies = cases[k].frequencies;
        o.runs = 2;
        random_problem(&o, &p);
        backend_memory(&backend_cuda, &p, 2, &host, &device);
        assert_int_equal(host, 0);
        void *hog = hold_memory(cases[k].left, &held);
        backend_memory(&backend_cuda, &p, 2, &host, &device);
        assert_true(host >= 16 * (uint64_t)o.frequencies * (uint64_t)p.spectra.columns * (uint64_t)p.spectra.rows);
        assert_true(device < backend_cuda.device_free());
        assert_int_equal(check_solvers(&o, solvers, 3), 0);
        stepper_destroy(hog);
        problem_free(&held);
        problem_free(&p);
    }
}

/* A solve of its own, for a thread. */
struct solving_thread {
    struct random_options options;
    const char *solver;
    struct problem problem;
    struct stepper *state;
    pw_status status;
    pw_error error;
};

static bool thread_create(struct solving_thread *s)
{
    struct backend_options options = {.solver = s->solver};
    struct run_state start;
    random_problem(&s->options, &s->problem);
    pw_status status = stepper_create(&backend_cuda, &s->problem, 0, 1, &options, &s->state, &s->error);
    if (status == PW_USAGE) {
        cases_unsuited++;
        return false;
    }
    if (status != PW_OK || run_state_create(&s->problem, 0, &start, &s->error) != PW_OK) {
        fail_msg("%s: %s", s->solver, s->error.message);
    }
    random_fields(&s->problem, 77, &start); /* as solve() does */
    assert_int_equal(stepper_load(s->state, 0, &start, &s->error), PW_OK);
    run_state_free(&start);
    return true;
}

static void *thread_run(void *given)
{
    struct solving_thread *s = given;
    const int64_t part = 3;
    for (int64_t left = s->problem.steps; left > 0 && s->status == PW_OK; left -= part) {
        s->status = stepper_advance(s->state, left < part ? left : part, &s->error);
    }
    return NULL;
}

static int thread_compare(struct solving_thread *s)
{
    struct outcome got, wanted;
    struct comparison c = {.label = s->solver};
    if (s->status != PW_OK) {
        fail_msg("%s: %s", s->solver, s->error.message);
    }
    collect(&s->problem, s->state, 0, &got);
    solve(&backend_reference, &s->problem, NULL, 1, &wanted);
    compare_outcomes(&c, &s->problem, &got, &wanted);
    outcome_free(&got);
    outcome_free(&wanted);
    cases_run++;
    return c.failures;
}

/* Two simulations in two threads, of kernels that both use, with shared memory of different sizes, and of different
 * ones. */
static void test_threads(void **state)
{
    (void)state;
    static const struct {
        enum scheme scheme;
        int nx, ny, layer;
        const char *solver;
    } pairs[][2] = {{{SCHEME_DD4, 101, 130, 16, "tile:2"}, {SCHEME_DD4, 230, 333, 9, "tile:1"}},
                    {{SCHEME_YEE, 90, 83, 12, "tile:4"}, {SCHEME_YEE, 230, 333, 9, "tile:2"}},
                    {{SCHEME_YEE, 611, 157, 16, "march"}, {SCHEME_YEE, 733, 197, 20, "march:6"}},
                    {{SCHEME_YEE, 613, 149, 0, "march"}, {SCHEME_DD4, 620, 157, 9, "march"}},
                    {{SCHEME_YEE, 768, 301, 16, "resident"}, {SCHEME_DD2, 402, 95, 24, "resident"}},
                    {{SCHEME_FD8, 387, 366, 16, "resident"}, {SCHEME_DD3, 620, 131, 9, "march"}}};
    int failures = 0;
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        struct solving_thread solving[2] = {0};
        pthread_t threads[2];
        int made = 0;
        for (; made < 2; made++) {
            struct solving_thread *s = &solving[made];
            s->solver = pairs[k][made].solver;
            s->options = usual(pairs[k][made].scheme, pairs[k][made].nx, pairs[k][made].ny, pairs[k][made].layer);
            s->options.steps = 120;
            s->options.palette_count = made == 0 ? 11 : 2000;
            if (!thread_create(s)) {
                break;
            }
        }
        for (int n = 0; made == 2 && n < 2; n++) {
            assert_int_equal(pthread_create(&threads[n], NULL, thread_run, &solving[n]), 0);
        }
        for (int n = 0; made == 2 && n < 2; n++) {
            assert_int_equal(pthread_join(threads[n], NULL), 0);
        }
        for (int n = 0; n < 2 && solving[n].state != NULL; n++) {
            failures += made == 2 ? thread_compare(&solving[n]) : 0;
            stepper_destroy(solving[n].state);
        }
        for (int n = 0; n < 2 && n <= made; n++) {
            problem_free(&solving[n].problem);
        }
    }
    assert_int_equal(failures, 0);
}

/* A state saved by the reference goes on here, and the other way round, as if nothing had happened. */
static void check_resume(const struct random_options *o)
{
    struct problem p;
    random_problem(o, &p);
    const struct backend *order[2] = {&backend_reference, &backend_cuda};
    struct outcome whole, parts;
    solve(&backend_reference, &p, NULL, 1, &whole);
    for (int first = 0; first < 2; first++) {
        pw_error error = {0};
        struct run_state middle;
        struct stepper *a = NULL, *b = NULL;
        assert_int_equal(run_state_create(&p, p.steps, &middle, &error), PW_OK);
        random_fields(&p, 77, &middle);
        assert_int_equal(stepper_create(order[first], &p, 0, 1, NULL, &a, &error), PW_OK);
        assert_int_equal(stepper_load(a, 0, &middle, &error), PW_OK);
        assert_int_equal(stepper_advance(a, 18, &error), PW_OK);
        assert_int_equal(stepper_save(a, 0, &middle, &error), PW_OK);
        assert_int_equal(stepper_create(order[1 - first], &p, 0, 1, NULL, &b, &error), PW_OK);
        assert_int_equal(stepper_load(b, 0, &middle, &error), PW_OK);
        assert_int_equal(stepper_advance(b, p.steps - 18, &error), PW_OK);
        collect(&p, b, 0, &parts);
        struct comparison c = {.label = first == 0 ? "reference then cuda" : "cuda then reference"};
        compare_outcomes(&c, &p, &parts, &whole);
        outcome_free(&parts);
        run_state_free(&middle);
        stepper_destroy(a);
        stepper_destroy(b);
        assert_int_equal(c.failures, 0);
    }
    outcome_free(&whole);
    problem_free(&p);
}

static void test_resume(void **state)
{
    struct random_options o = usual(scheme_of(state), 90, 83, 12);
    o.every = 4;
    check_resume(&o);
    transform_spectra(&o);
    check_resume(&o);
}

static void test_misuse(void **state)
{
    (void)state;
    struct random_options o = usual(SCHEME_YEE, 40, 40, 4);
    struct problem p;
    random_problem(&o, &p);
    pw_error error = {0};
    struct stepper *made = NULL;
    struct backend_options odd = {.solver = "fastest"};
    assert_int_equal(stepper_create(&backend_cuda, &p, 0, 1, &odd, &made, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "fastest"));
    assert_int_equal(stepper_create(&backend_cuda, &p, 0, 1, NULL, &made, &error), PW_OK);
    assert_int_equal(stepper_advance(made, p.steps + 1, &error), PW_USAGE);
    assert_int_equal(stepper_advance(made, -1, &error), PW_USAGE);
    stepper_destroy(made);
    /* far more memory than any device has: said before anything is allocated */
    struct problem huge = p;
    huge.spectra.frequency_count = 1000000;
    huge.spectra.columns = huge.spectra.rows = 100000;
    assert_int_equal(stepper_create(&backend_cuda, &huge, 0, 1, NULL, &made, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "GB"));
    problem_free(&p);
}

static void test_nan_shows(void **state)
{
    (void)state;
    struct random_options o = usual(SCHEME_DD2, 50, 40, 4);
    struct problem p;
    random_problem(&o, &p);
    p.sources[0].drive[7] = NAN;
    pw_error error = {0};
    struct stepper *made = NULL;
    double energy = 0;
    assert_int_equal(stepper_create(&backend_cuda, &p, 0, 1, NULL, &made, &error), PW_OK);
    assert_int_equal(stepper_advance(made, 7, &error), PW_OK);
    assert_int_equal(stepper_energy(made, 0, &energy, &error), PW_OK);
    assert_true(energy < INFINITY);
    assert_int_equal(stepper_advance(made, 1, &error), PW_OK);
    assert_int_equal(stepper_energy(made, 0, &energy, &error), PW_OK);
    assert_true(!(energy < INFINITY));
    stepper_destroy(made);
    problem_free(&p);
}

int main(int argc, char **argv)
{
    static const struct scheme_test kinds[] = {{"resume", test_resume}};
    struct CMUnitTest tests[SCHEME_TEST_LIMIT * SCHEME_COUNT + 4];
    if (!gpu_works()) {
        return 0;
    }
    int count = add_scheme_tests(kinds, sizeof kinds / sizeof kinds[0], argc, argv, tests);
    if (argc < 3) {
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_misuse);
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_nan_shows);
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_threads);
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_spectra_beyond_the_device);
    }
    return run_group("gpu state", tests, count);
}
