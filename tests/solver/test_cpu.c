/* The cpu backend against the reference: the same bits for every scheme, instruction set, tile, number of threads and
 * division of the run into batches; fields, filter states, probes and spectra. And its own refusals. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

#include "tests/support/random_problem.h"

/* Everything a backend can hand out, compared bit by bit. A zero's sign may differ where no wave has come. */
static void assert_same(const char *what, const double *a, const double *b, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (memcmp(&a[n], &b[n], sizeof *a) != 0 && !(a[n] == 0 && b[n] == 0)) {
            printf("%s[%zu]: %.17g and %.17g\n", what, n, a[n], b[n]);
            assert_true(false);
        }
    }
}

struct tiling {
    const char *solver;
    int threads;
    int64_t batch; /* steps per advance; 0: all at once */
};

static void advance_in_batches(struct stepper *stepper, int64_t steps, int64_t batch)
{
    pw_error error;
    for (int64_t done = 0; done < steps;) {
        int64_t some = batch > 0 && batch < steps - done ? batch : steps - done;
        assert_int_equal(stepper_advance(stepper, some, &error), PW_OK);
        done += some;
    }
}

static void compare_states(const struct problem *problem, const struct run_state *a, const struct run_state *b)
{
    size_t cells = (size_t)problem->axis[0].count * (size_t)problem->axis[1].count,
           layers = 2 * (size_t)problem_layer(problem);
    const struct spectra *spectra = &problem->spectra;
    assert_int_equal(a->step, b->step);
    assert_same("ez", a->ez, b->ez, cells);
    assert_same("increment", a->increment, b->increment, cells);
    assert_same("x_half", a->x_half, b->x_half, layers * (size_t)problem->axis[1].count);
    assert_same("x_node", a->x_node, b->x_node, layers * (size_t)problem->axis[1].count);
    assert_same("y_half", a->y_half, b->y_half, layers * (size_t)problem->axis[0].count);
    assert_same("y_node", a->y_node, b->y_node, layers * (size_t)problem->axis[0].count);
    assert_same("probes", a->probes, b->probes, (size_t)a->step * (size_t)problem->probe_count);
    assert_same("spectra", a->spectra, b->spectra,
                2 * (size_t)spectra->frequency_count * (size_t)spectra->rows * (size_t)spectra->columns);
    assert_same("samples", a->samples, b->samples,
                (size_t)spectra_waiting(spectra, a->step) * (size_t)spectra->rows * (size_t)spectra->columns);
}

/* Runs both engines from rest, or from random fields, and compares all they hold. */
static void compare_engines(const struct random_problem_options *options, struct tiling tiling, bool random_start)
{
    struct problem problem = random_problem(*options);
    struct backend_options engine = {.threads = tiling.threads, .solver = tiling.solver};
    const struct backend *backends[] = {&backend_reference, &backend_cpu};
    struct run_state ends[2];
    for (int b = 0; b < 2; b++) {
        struct stepper *stepper = NULL;
        pw_error error;
        assert_int_equal(stepper_create(backends[b], &problem, 0, 1, b == 0 ? NULL : &engine, &stepper, &error), PW_OK);
        assert_int_equal(run_state_create(&problem, problem.steps, &ends[b], &error), PW_OK);
        if (random_start) {
            random_snapshot(&problem, &ends[b], 3);
            assert_int_equal(stepper_load(stepper, 0, &ends[b], &error), PW_OK);
        }
        advance_in_batches(stepper, problem.steps, b == 0 ? 0 : tiling.batch);
        assert_int_equal(stepper_save(stepper, 0, &ends[b], &error), PW_OK);
        stepper_destroy(stepper);
    }
    compare_states(&problem, &ends[0], &ends[1]);
    run_state_free(&ends[0]);
    run_state_free(&ends[1]);
    problem_free(&problem);
}

static bool solver_works(const char *solver)
{
    return cpu_solver_works(random_problem((struct random_problem_options){
                                .scheme = SCHEME_YEE, .nx = 8, .ny = 8, .palette = 1, .steps = 1, .sources = 1}),
                            solver);
}

/* A tile for the fastest instruction set that works here. Tiles are the same code in all sets, and the baseline is some
 * ten times slower. */
static const char *tile_of_fastest(const char *tile)
{
    static const char *const NAMES[] = {"avx512", "avx2", "baseline"};
    static char name[48];
    for (int n = 0; n < 3; n++) {
        if (solver_works(NAMES[n])) {
            snprintf(name, sizeof name, "%s:%s", NAMES[n], tile);
            break;
        }
    }
    return name;
}

static void test_every_scheme_and_instruction_set(void **unused)
{
    (void)unused;
    const char *solvers[] = {"avx512", "avx2", "baseline", "simple"};
    for (int r = 0; r < 4; r++) {
        if (!solver_works(solvers[r])) {
            continue;
        }
        for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
            for (int layer = 0; layer <= 9; layer += 9) {
                for (int precision = 0; precision < 2; precision++) {
                    struct random_problem_options options =
                        random_problem_usual((enum scheme)scheme, (pw_precision)precision, layer);
                    if (strcmp(solvers[r], "baseline") == 0) { // ten times slower, and the same lines: fewer steps
                        options.steps = 31;
                    } else {
                        compare_engines(&options, (struct tiling){solvers[r], 1, 0}, layer == 0);
                    }
                    compare_engines(&options, (struct tiling){solvers[r], 2, 30}, layer != 0);
                }
            }
        }
    }
}

static void test_any_tile_and_number_of_threads(void **unused)
{
    (void)unused;
    const char *tiles[] = {"1x1x16", "3x5x16", "7x2x32", "16x40x64", "4x97x512", "40x13x48", "100x200x16"};
    enum scheme schemes[] = {SCHEME_YEE, SCHEME_FD6, SCHEME_DD4};
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++) {
        const char *tile = tile_of_fastest(tiles[t]);
        for (int s = 0; s < 3; s++) {
            struct random_problem_options options = random_problem_usual(schemes[s], PW_SINGLE, 6);
            compare_engines(&options, (struct tiling){tile, 1, 0}, true);
            compare_engines(&options, (struct tiling){tile, 3, 0}, true);
            compare_engines(&options, (struct tiling){tile, 5, 17}, false);
        }
    }
}

/* Tall grids, so that bands border on each other; with no wait left out, more threads than processors must not change
 * a bit. */
static void test_any_bands(void **unused)
{
    (void)unused;
    const char *tiles[] = {"2x8x32x9", "4x5x16x4", "11x16x64x7", "3x40x16x2"};
    enum scheme schemes[] = {SCHEME_YEE, SCHEME_DD2, SCHEME_DD4};
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++) {
        const char *tile = tile_of_fastest(tiles[t]);
        for (int s = 0; s < 3; s++) {
            struct random_problem_options options = random_problem_usual(schemes[s], PW_SINGLE, t % 2 == 0 ? 6 : 0);
            options.nx = 50;
            options.ny = 500;
            options.steps = 61;
            compare_engines(&options, (struct tiling){tile, 7, 0}, true);
            compare_engines(&options, (struct tiling){tile, 2, 25}, false);
        }
    }
}

static void test_odd_sizes(void **unused)
{
    (void)unused;
    int sizes[][2] = {{1, 1}, {2, 9}, {16, 16}, {17, 5}, {31, 64}, {47, 33}, {48, 31}, {61, 62}, {64, 200}, {203, 45}};
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
        for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
            struct random_problem_options options = random_problem_usual((enum scheme)scheme, PW_SINGLE, 0);
            options.nx = sizes[n][0];
            options.ny = sizes[n][1];
            options.steps = 40;
            compare_engines(&options, (struct tiling){NULL, 2, 0}, true);
            compare_engines(&options, (struct tiling){NULL, 1, 7}, false);
            options.layer = 5;
            if (options.nx > 10 && options.ny > 10) {
                compare_engines(&options, (struct tiling){NULL, 2, 0}, true);
                compare_engines(&options, (struct tiling){NULL, 2, 0}, false);
            }
        }
    }
}

static void test_hard_sources_and_coarse_lattices(void **unused)
{
    (void)unused;
    for (int spacing = 1; spacing <= 5; spacing += 2) {
        struct random_problem_options options = random_problem_usual(SCHEME_DD2, PW_SINGLE, 4);
        options.hard = true;
        options.spacing = spacing;
        options.every = spacing;
        options.frequencies = 17;
        options.steps = 211;
        compare_engines(&options, (struct tiling){NULL, 2, 50}, false);
    }
}

/* Groups of few and of many samples, on lattices that fill the grid or not. */
/* Nodes with several drives, on blocks and bands that cut through them. */
static void test_nodes_that_differ_in_phase(void **unused)
{
    (void)unused;
    const char *tiles[] = {"baseline:3x5x16", "baseline:40x13x48", "simple"};
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++) {
        for (int further = 1; further <= 3; further += 2) {
            struct random_problem_options options = random_problem_usual(SCHEME_FD4, (pw_precision)(t % 2), 6);
            options.further = further;
            compare_engines(&options, (struct tiling){tiles[t], 3, 0}, false);
        }
    }
}

static void test_any_number_of_frequencies(void **unused)
{
    (void)unused;
    const char *solvers[] = {"avx512", "avx2", "baseline"};
    const int frequencies[] = {9, 31, 64, 101};
    for (int k = 0; k < 3 * 4 * 2 * 2; k++) {
        struct random_problem_options options =
            random_problem_usual(SCHEME_YEE, k / 12 % 2 == 0 ? PW_SINGLE : PW_DOUBLE, 4);
        options.frequencies = frequencies[k / 3 % 4];
        options.spacing = k / 24 == 0 ? 1 : 3;
        options.nx = 37;
        options.ny = 21;
        options.every = 1;
        options.steps = 2 * 256 + 45;
        const bool slow = strcmp(solvers[k % 3], "baseline") == 0 && k / 12 % 2 != k / 24;
        if (!slow && solver_works(solvers[k % 3])) {
            compare_engines(&options, (struct tiling){solvers[k % 3], 1 + k / 3 % 2, 101}, false);
        }
    }
}

/* Several sources are runs of their own; reading in between changes nothing. */
static void test_runs_are_independent(void **unused)
{
    (void)unused;
    struct random_problem_options options = random_problem_usual(SCHEME_DD3, PW_SINGLE, 5);
    options.sources = 3;
    struct problem problem = random_problem(options);
    size_t cells = (size_t)problem.axis[0].count * (size_t)problem.axis[1].count;
    double *a = calloc(cells, sizeof *a), *b = calloc(cells, sizeof *b), energy = NAN, expected = NAN;
    struct stepper *together = NULL;
    assert_int_equal(stepper_create(&backend_cpu, &problem, 1, 2, NULL, &together, NULL), PW_OK);
    for (int k = 0; k < 8; k++) {
        assert_int_equal(stepper_advance(together, 10, NULL), PW_OK);
        assert_int_equal(stepper_energy(together, k % 2, &energy, NULL), PW_OK);
    }
    for (int run = 0; run < 2; run++) {
        struct stepper *alone = NULL;
        assert_int_equal(stepper_create(&backend_reference, &problem, 1 + run, 1, NULL, &alone, NULL), PW_OK);
        assert_int_equal(stepper_advance(alone, 80, NULL), PW_OK);
        assert_int_equal(stepper_read_field(alone, 0, a, NULL), PW_OK);
        assert_int_equal(stepper_read_field(together, run, b, NULL), PW_OK);
        assert_same("ez", a, b, cells);
        assert_int_equal(stepper_energy(alone, 0, &expected, NULL), PW_OK);
        assert_int_equal(stepper_energy(together, run, &energy, NULL), PW_OK);
        assert_true(expected > 0 && fabs(energy - expected) < 1e-12 * expected);
        stepper_destroy(alone);
    }
    stepper_destroy(together);
    free(a);
    free(b);
    problem_free(&problem);
}

/* One thread means one, in reading too: a child does not inherit the threads of its parent, and would wait for them for
 * ever. */
static void test_one_thread_reads_alone(void **unused)
{
    (void)unused;
    struct random_problem_options options = random_problem_usual(SCHEME_YEE, PW_SINGLE, 4);
    struct problem problem = random_problem(options);
    struct backend_options several = {.threads = 2}, one = {.threads = 1};
    struct run_state whole;
    struct stepper *stepper = NULL;
    assert_int_equal(run_state_create(&problem, problem.steps, &whole, NULL), PW_OK);
    assert_int_equal(stepper_create(&backend_cpu, &problem, 0, 1, &several, &stepper, NULL), PW_OK);
    assert_int_equal(stepper_advance(stepper, problem.steps, NULL), PW_OK); /* the parent has threads now */
    stepper_destroy(stepper);
    pid_t child = fork();
    if (child == 0) {
        int rows = problem.spectra.rows;
        alarm(20);
        bool done = stepper_create(&backend_cpu, &problem, 0, 1, &one, &stepper, NULL) == PW_OK &&
                    stepper_advance(stepper, problem.steps, NULL) == PW_OK &&
                    stepper_read_field(stepper, 0, whole.ez, NULL) == PW_OK &&
                    stepper_read_spectra(stepper, 0, 0, rows, whole.spectra, NULL) == PW_OK &&
                    stepper_read_samples(stepper, 0, 0, rows, whole.samples, NULL) == PW_OK;
        _exit(done ? 0 : 1);
    }
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    run_state_free(&whole);
    problem_free(&problem);
}

/* Half a run on one engine, the rest on the other, equals the whole on one. */
static void test_resumes_a_state_of_the_reference(void **unused)
{
    (void)unused;
    struct random_problem_options options = random_problem_usual(SCHEME_DD4, PW_SINGLE, 8);
    options.every = 5;
    struct problem problem = random_problem(options);
    struct run_state half, whole, resumed;
    struct stepper *stepper = NULL;
    assert_int_equal(run_state_create(&problem, problem.steps, &half, NULL), PW_OK);
    assert_int_equal(run_state_create(&problem, problem.steps, &whole, NULL), PW_OK);
    assert_int_equal(run_state_create(&problem, problem.steps, &resumed, NULL), PW_OK);
    assert_int_equal(stepper_create(&backend_reference, &problem, 0, 1, NULL, &stepper, NULL), PW_OK);
    assert_int_equal(stepper_advance(stepper, 33, NULL), PW_OK);
    assert_int_equal(stepper_save(stepper, 0, &half, NULL), PW_OK);
    assert_int_equal(stepper_advance(stepper, problem.steps - 33, NULL), PW_OK);
    assert_int_equal(stepper_save(stepper, 0, &whole, NULL), PW_OK);
    stepper_destroy(stepper);
    assert_int_equal(stepper_create(&backend_cpu, &problem, 0, 1, NULL, &stepper, NULL), PW_OK);
    assert_int_equal(stepper_advance(stepper, 7, NULL), PW_OK); /* leftovers must not matter */
    assert_int_equal(stepper_load(stepper, 0, &half, NULL), PW_OK);
    assert_int_equal(stepper_advance(stepper, problem.steps - 33, NULL), PW_OK);
    assert_int_equal(stepper_save(stepper, 0, &resumed, NULL), PW_OK);
    stepper_destroy(stepper);
    compare_states(&problem, &whole, &resumed);
    run_state_free(&half);
    run_state_free(&whole);
    run_state_free(&resumed);
    problem_free(&problem);
}

static void test_refuses_nonsense(void **unused)
{
    (void)unused;
    struct random_problem_options options = random_problem_usual(SCHEME_YEE, PW_SINGLE, 4);
    struct problem problem = random_problem(options);
    const char *solvers[] = {"sse",
                             "",
                             "baseline:",
                             "baseline:1x2",
                             "baseline:0x1x16",
                             "baseline:1x1x17",
                             "baseline:1x1x16x",
                             "baseline:1x1x16x0",
                             "baseline:1x1x16x2x",
                             "simple:1x1x16"};
    struct stepper *stepper = NULL;
    pw_error error;
    for (size_t r = 0; r < sizeof solvers / sizeof solvers[0]; r++) {
        struct backend_options engine = {.solver = solvers[r]};
        pw_status status = stepper_create(&backend_cpu, &problem, 0, 1, &engine, &stepper, &error);
        assert_int_equal(status, PW_USAGE);
        assert_null(stepper);
        assert_non_null(strstr(error.message, solvers[r]));
    }
    assert_int_equal(stepper_create(&backend_cpu, &problem, 0, 1, NULL, &stepper, &error), PW_OK);
    assert_int_equal(stepper_advance(stepper, -1, &error), PW_USAGE);
    assert_int_equal(stepper_advance(stepper, problem.steps + 1, &error), PW_USAGE);
    assert_int_equal(stepper_advance(stepper, 0, &error), PW_OK);
    stepper_destroy(stepper);
    stepper_destroy(NULL);
    problem_free(&problem);
}

static void test_memory_stays_within_40_bytes_a_cell(void **unused)
{
    (void)unused;
    struct random_problem_options options = random_problem_usual(SCHEME_DD4, PW_SINGLE, 16);
    options.nx = options.ny = 1024;
    options.frequencies = options.probes = 0;
    struct problem problem = random_problem(options);
    uint64_t host = 0, device = 1;
    backend_memory(&backend_cpu, &problem, 1, &host, &device);
    assert_int_equal(device, 0);
    printf("%.1f bytes a cell\n", (double)host / (1024.0 * 1024.0));
    assert_true(host >= 20 * 1024 * 1024 && host + sizeof(uint16_t) * 1024 * 1024 <= 40 * 1024 * 1024);
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scheme_and_instruction_set),
        cmocka_unit_test(test_any_tile_and_number_of_threads),
        cmocka_unit_test(test_any_bands),
        cmocka_unit_test(test_odd_sizes),
        cmocka_unit_test(test_hard_sources_and_coarse_lattices),
        cmocka_unit_test(test_nodes_that_differ_in_phase),
        cmocka_unit_test(test_any_number_of_frequencies),
        cmocka_unit_test(test_runs_are_independent),
        cmocka_unit_test(test_one_thread_reads_alone),
        cmocka_unit_test(test_resumes_a_state_of_the_reference),
        cmocka_unit_test(test_refuses_nonsense),
        cmocka_unit_test(test_memory_stays_within_40_bytes_a_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
