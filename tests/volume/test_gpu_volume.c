/* Three dimensions on a GPU: what the solver "volume" hands out is what the reference hands out, bit for bit in single
 * precision and within 1e-13 in double, for every scheme, odd sizes, absorbers, planes of symmetry, tensor nodes, rows
 * beside metal, few and many frequencies; likewise "sweep", which takes several steps a pass, from grids smaller than a
 * tile to such with tiles that touch no wall; "relay", whose blocks wait for each other within a step; and a run that
 * is saved half way goes on with the same bits. Skipped where no GPU works. */
#include "tests/support/gpu/gpu_works.h"
#include "tests/volume/volume_compare.h"

static int comparisons;

static void assert_near_states(const struct problem *problem, const struct run_state *a, const struct run_state *b)
{
    size_t nodes = (size_t)problem_nodes(problem);
    for (int c = 0; c < 6; c++) {
        assert_true(largest_difference(a->field[c], b->field[c], 1, nodes) <= 1e-13 * largest_of(b->field[c], nodes));
    }
    size_t probes = (size_t)a->step * (size_t)problem->probe_count;
    assert_true(largest_difference(a->probes, b->probes, 1, probes) <= 1e-13 * largest_of(b->probes, probes));
    size_t sums = 2 * (size_t)problem->spectra.frequency_count * (size_t)problem->spectra.rows;
    assert_true(largest_difference(a->spectra, b->spectra, 1, sums) <= 1e-12 * largest_of(b->spectra, sums) + 1e-300);
}

/* From fields that are everywhere, in advances of so many steps, by each of the solvers named up to the first NULL. */
static void compare_each(struct random_volume_options options, const char *const *solvers, int64_t batch)
{
    struct problem problem = random_volume(options);
    struct run_state start;
    pw_error error;
    assert_int_equal(run_state_create(&problem, 0, &start, &error), PW_OK);
    random_volume_start(&problem, &start, options.seed + 1);
    struct run_state wanted = volume_solve(&backend_reference, &problem, NULL, &start, 0);
    for (int s = 0; s == 0 || solvers[s] != NULL; s++) {
        const struct backend_options engine = {.solver = solvers[s]};
        struct run_state found = volume_solve(&backend_cuda, &problem, &engine, &start, batch);
        if (options.precision == PW_SINGLE) {
            assert_same_states(&problem, &found, &wanted);
        } else {
            assert_near_states(&problem, &found, &wanted);
        }
        comparisons++;
        run_state_free(&found);
    }
    run_state_free(&start);
    run_state_free(&wanted);
    problem_free(&problem);
}

/* By the one that is named, or (NULL) the backend's choice. */
static void compare_with(struct random_volume_options options, const char *solver, int64_t batch)
{
    compare_each(options, (const char *[]){solver, NULL}, batch);
}

static void compare(struct random_volume_options options)
{
    compare_with(options, NULL, 7);
}

static void every_scheme_is_the_reference(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (int precision = PW_SINGLE; precision <= PW_DOUBLE; precision++) {
            struct random_volume_options options = volume_usual((enum scheme)scheme, (pw_precision)precision);
            compare(options);
            options.tensors = 40;
            options.n[0] = 37, options.n[1] = 41, options.n[2] = 33;
            options.frequencies = 70;
            options.every = 1;
            options.steps = 300;
            compare(options);
        }
    }
}

static void every_wall_is_the_reference(void **state)
{
    (void)state;
    static const int SIZES[][3] = {{3, 4, 5}, {65, 5, 26}, {64, 33, 24}, {131, 9, 49}, {40, 70, 25}};
    unsigned seed = 11;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++) {
            struct random_volume_options options = volume_usual((enum scheme)scheme, PW_SINGLE);
            for (int a = 0; a < 3; a++) {
                options.n[a] = SIZES[s][a];
                options.absorber[a] = SIZES[s][a] > 20 ? (int)(s + (size_t)a) % 3 * 4 : 0;
                options.symmetric[a] = (int)s % 2 == a % 2;
            }
            options.stretched = s % 2 == 1;
            options.hard = s == 2;
            options.seed = seed++;
            compare(options);
        }
    }
}

/* Several steps a pass. The last grids have tiles beside no wall, and slabs of levels; the last two layers deeper than
 * a tile along y and nearly as wide as one along x, and layers thinner than a quad beside planes of symmetry; the fifth
 * has its layers along x at places that are no multiple of 4. */
static void several_steps_are_the_reference(void **state)
{
    (void)state;
    static const struct {
        int n[3], absorber[3];
        bool symmetric[3];
        int every;
    } CASES[] = {
        {{3, 4, 5}, {0, 0, 0}, {false, false, false}, 1},
        {{21, 19, 23}, {4, 4, 4}, {false, false, false}, 2},
        {{65, 5, 26}, {5, 0, 7}, {false, true, false}, 6},
        {{64, 33, 24}, {0, 8, 0}, {true, false, true}, 5},
        {{131, 9, 49}, {7, 0, 4}, {false, false, false}, 3},
        {{40, 70, 25}, {0, 0, 0}, {true, true, true}, 4},
        {{190, 91, 120}, {6, 5, 4}, {false, false, false}, 6},
        {{187, 90, 330}, {16, 3, 0}, {false, true, false}, 12},
        {{150, 118, 77}, {49, 37, 20}, {false, false, false}, 7},
        {{133, 77, 70}, {1, 2, 3}, {true, true, true}, 5},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        struct random_volume_options options = volume_usual(SCHEME_YEE, PW_SINGLE);
        for (int a = 0; a < 3; a++) {
            options.n[a] = CASES[c].n[a];
            options.absorber[a] = CASES[c].absorber[a];
            options.symmetric[a] = CASES[c].symmetric[a];
        }
        const bool large = c >= sizeof CASES / sizeof CASES[0] - 4;
        options.every = CASES[c].every;
        options.probes = large ? 200 : 40;
        options.places = 40;
        options.stretched = c % 2 == 1;
        options.hard = c == 3;
        options.steps = large ? 17 : 60;
        options.seed = (unsigned)(91 + c);
        compare_with(options, "sweep:3", large ? 17 : 7);
        options.frequencies = 0;
        options.steps = large ? 8 : 40;
        compare_with(options, "sweep:2", large ? 8 : 10);
        options.steps = large ? 6 : 30;
        compare_with(options, "sweep:3", 0);
    }
}

/* One step and several as one launch, of every scheme that it is for: less than a tile, tiles of which little is in the
 * grid, several tiles and slabs of levels, walls and absorbers beside their ends, tilted walls, few and many rows
 * beside metal. */
static void one_launch_is_the_reference(void **state)
{
    (void)state;
    static const struct {
        int n[3], absorber[3];
        bool symmetric[3];
        int tensors, metal;
    } CASES[] = {
        {{14, 15, 17}, {0, 0, 0}, {true, false, true}, 0, 0},
        {{21, 19, 61}, {4, 4, 7}, {false, false, false}, 20, 0},
        {{65, 33, 24}, {5, 0, 7}, {false, true, false}, 0, 9000},
        {{133, 77, 70}, {1, 2, 3}, {true, true, true}, 60, 5000},
        {{190, 91, 120}, {6, 5, 16}, {false, false, false}, 0, 70000},
        {{97, 57, 29}, {0, 9, 0}, {true, false, false}, 0, 0},
        {{231, 113, 57}, {16, 16, 4}, {false, false, true}, 0, 400},
    };
    static const enum scheme SCHEMES[] = {SCHEME_FD4O, SCHEME_FD6, SCHEME_FD8, SCHEME_DD3, SCHEME_DD4};
    for (size_t s = 0; s < sizeof SCHEMES / sizeof SCHEMES[0]; s++) {
        for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
            struct random_volume_options options = volume_usual(SCHEMES[s], PW_SINGLE);
            const bool large = (long)CASES[c].n[0] * CASES[c].n[1] * CASES[c].n[2] > 500000;
            for (int a = 0; a < 3; a++) {
                options.n[a] = CASES[c].n[a];
                options.absorber[a] = CASES[c].absorber[a];
                options.symmetric[a] = CASES[c].symmetric[a];
            }
            options.tensors = CASES[c].tensors;
            options.metal = CASES[c].metal;
            options.stretched = c % 2 == 1;
            options.hard = c == 2;
            options.places = 30;
            options.probes = 40;
            options.every = 5;
            options.steps = large ? 13 : 40;
            options.seed = (unsigned)(171 + 10 * s + c);
            static const char *const SOLVERS[] = {"relay", "relay:1", "relay:2", "relay:3", "relay:4", NULL};
            compare_each(options, SOLVERS, large ? 13 : 16);
        }
    }
}

/* Waves that spread from one place through a wide grid at rest; with tensor nodes they spread faster. Half way the
 * state goes into another stepper, which has to find out what is at rest, and back into the first. */
static void what_is_at_rest_is_the_reference(void **state)
{
    (void)state;
    static const struct {
        enum scheme scheme;
        const char *solver;
        int tensors, columns, rows, metal;
    } CASES[] = {{SCHEME_YEE, "volume", 0, 330, 200, 0},    {SCHEME_YEE, "sweep:3", 0, 450, 130, 0},
                 {SCHEME_YEE, "sweep:2", 0, 200, 333, 0},   {SCHEME_FD4O, "volume", 0, 450, 130, 0},
                 {SCHEME_FD4O, "volume", 300, 200, 333, 0}, {SCHEME_FD8, "volume", 0, 330, 200, 0},
                 {SCHEME_DD4, "volume", 0, 450, 130, 0},    {SCHEME_FD4O, "relay", 0, 450, 130, 30000},
                 {SCHEME_FD4O, "relay:1", 0, 450, 130, 0},  {SCHEME_FD4O, "relay", 300, 200, 333, 0},
                 {SCHEME_DD4, "relay:3", 0, 200, 333, 0}};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        struct random_volume_options options = volume_usual(CASES[c].scheme, PW_SINGLE);
        const struct backend_options engine = {.solver = CASES[c].solver};
        options.n[0] = CASES[c].columns, options.n[1] = CASES[c].rows,
        options.n[2] = strncmp(CASES[c].solver, "relay", 5) == 0 ? CASES[c].scheme == SCHEME_DD4 ? 15 : 9 : 6;
        options.absorber[2] = 0;
        options.tensors = CASES[c].tensors;
        options.metal = CASES[c].metal;
        options.places = 1;
        options.probes = 30;
        options.steps = 300;
        options.seed = (unsigned)(41 + c);
        struct problem problem = random_volume(options);
        struct run_state wanted = volume_reference(&problem);
        struct volume_runs found = volume_run_thrice(&backend_cuda, &problem, &engine); /* put back: nothing rests */
        assert_same_states(&problem, &found.at_once, &wanted);
        assert_same_states(&problem, &found.elsewhere, &wanted);
        assert_same_states(&problem, &found.again, &wanted);
        comparisons += 3;
        run_state_free(&wanted);
        volume_runs_free(&found);
        problem_free(&problem);
    }
}

/* What several steps a pass cannot do is said, and left to the other solver. */
static void several_steps_have_limits(void **state)
{
    (void)state;
    const struct backend_options engine = {.solver = "sweep"};
    for (int c = 0; c < 4; c++) { /* scheme, precision, tilted walls, layers in one quad */
        struct random_volume_options options =
            volume_usual(c == 0 ? SCHEME_FD4O : SCHEME_YEE, c == 1 ? PW_DOUBLE : PW_SINGLE);
        options.tensors = c == 2 ? 10 : 0;
        options.n[0] = c == 3 ? 6 : options.n[0];
        options.absorber[0] = c == 3 ? 3 : options.absorber[0];
        struct problem problem = random_volume(options);
        struct stepper *stepper = NULL;
        pw_error error;
        assert_int_equal(stepper_create(&backend_cuda, &problem, 0, 1, &engine, &stepper, &error), PW_USAGE);
        assert_non_null(strstr(error.message, "sweep"));
        problem_free(&problem);
        compare(options);
    }
}

/* And so is what one launch a step cannot. */
static void one_launch_has_limits(void **state)
{
    (void)state;
    const struct backend_options engine = {.solver = "relay"};
    for (int c = 0; c < 4; c++) { /* scheme, precision, a grid narrower than two reaches, a row in another order */
        struct random_volume_options options =
            volume_usual(c == 0 ? SCHEME_YEE : SCHEME_FD4O, c == 1 ? PW_DOUBLE : PW_SINGLE);
        options.n[2] = c == 2 ? 3 : options.n[2];
        options.absorber[2] = c == 2 ? 0 : options.absorber[2];
        options.metal = c == 3 ? 100 : 0;
        struct problem problem = random_volume(options);
        for (int64_t r = 0; r < problem.metal_row_count; r++) {
            struct metal_term *term = problem.metal_terms + problem.metal_rows[r].first;
            const struct metal_term first = term[0];
            term[0] = term[problem.metal_rows[r].count - 1];
            term[problem.metal_rows[r].count - 1] = first;
        }
        struct stepper *stepper = NULL;
        pw_error error;
        assert_int_equal(stepper_create(&backend_cuda, &problem, 0, 1, &engine, &stepper, &error), PW_USAGE);
        assert_non_null(strstr(error.message, "relay"));
        problem_free(&problem);
        compare(options);
    }
}

/* Rows beside metal, of all components. */
static void metal_is_the_reference(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (int precision = 0; precision < 2; precision++) {
            struct random_volume_options options = volume_usual((enum scheme)scheme, (pw_precision)precision);
            options.metal = 400;
            options.tensors = scheme % 2 ? 20 : 0;
            compare(options);
        }
    }
}

/* One layer in which nothing changes along z. */
static void every_layer_is_the_reference(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (int size = 0; size < 3; size++) {
            struct random_volume_options options = volume_usual((enum scheme)scheme, PW_SINGLE);
            options.n[0] = 37 + 90 * size;
            options.n[1] = 61 - 23 * size;
            options.n[2] = 1;
            options.absorber[2] = 0;
            options.flat = true;
            options.tensors = size == 1 ? 20 : 0;
            options.symmetric[size % 2] = size > 0;
            options.seed = (unsigned)(31 + size);
            compare(options);
            options.metal = 80;
            compare(options);
        }
    }
}

static void save_half_way(enum scheme scheme, const char *solver)
{
    struct random_volume_options options = volume_usual(scheme, PW_SINGLE);
    const struct backend_options engine = {.solver = solver};
    options.frequencies = 5;
    struct problem problem = random_volume(options);
    struct run_state wanted = volume_reference(&problem);
    struct stepper *first = volume_stepper(&backend_cuda, &problem, &engine);
    volume_advance(first, 29);
    struct run_state half = volume_state(&problem, first);
    stepper_destroy(first);
    struct run_state found = volume_solve(&backend_cuda, &problem, NULL, &half, 0);
    struct run_state alike = volume_solve(&backend_cuda, &problem, &engine, &half, 0);
    struct run_state crossed = volume_solve(&backend_reference, &problem, NULL, &half, 0);
    assert_same_states(&problem, &found, &wanted);
    assert_same_states(&problem, &alike, &wanted);
    assert_same_states(&problem, &crossed, &wanted);
    run_state_free(&wanted);
    run_state_free(&half);
    run_state_free(&found);
    run_state_free(&alike);
    run_state_free(&crossed);
    problem_free(&problem);
}

static void a_saved_run_goes_on(void **state)
{
    (void)state;
    save_half_way(SCHEME_FD4O, NULL);
    save_half_way(SCHEME_YEE, "sweep:3");
    save_half_way(SCHEME_FD6, "relay");
}

static void go_side_by_side(enum scheme scheme, const char *solver)
{
    struct random_volume_options options = volume_usual(scheme, PW_SINGLE);
    const struct backend_options engine = {.solver = solver};
    options.sources = 3;
    struct problem problem = random_volume(options);
    struct stepper *steppers[2];
    pw_error error;
    assert_int_equal(stepper_create(&backend_reference, &problem, 1, 2, NULL, &steppers[0], &error), PW_OK);
    assert_int_equal(stepper_create(&backend_cuda, &problem, 1, 2, &engine, &steppers[1], &error), PW_OK);
    for (int b = 0; b < 2; b++) {
        volume_advance(steppers[b], problem.steps);
    }
    for (int run = 0; run < 2; run++) {
        struct run_state states[2];
        double energy[2];
        for (int b = 0; b < 2; b++) {
            assert_int_equal(run_state_create(&problem, problem.steps, &states[b], &error), PW_OK);
            assert_int_equal(stepper_save(steppers[b], run, &states[b], &error), PW_OK);
            assert_int_equal(stepper_energy(steppers[b], run, &energy[b], &error), PW_OK);
        }
        assert_same_states(&problem, &states[1], &states[0]);
        assert_true(fabs(energy[1] / energy[0] - 1) < 1e-12);
        run_state_free(&states[0]);
        run_state_free(&states[1]);
    }
    stepper_destroy(steppers[0]);
    stepper_destroy(steppers[1]);
    problem_free(&problem);
}

static void runs_go_side_by_side(void **state)
{
    (void)state;
    go_side_by_side(SCHEME_YEE, NULL);
    go_side_by_side(SCHEME_YEE, "sweep");
    go_side_by_side(SCHEME_FD4O, "relay");
}

int main(void)
{
    if (!gpu_works()) {
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_is_the_reference),
        cmocka_unit_test(every_wall_is_the_reference),
        cmocka_unit_test(several_steps_are_the_reference),
        cmocka_unit_test(one_launch_is_the_reference),
        cmocka_unit_test(what_is_at_rest_is_the_reference),
        cmocka_unit_test(several_steps_have_limits),
        cmocka_unit_test(one_launch_has_limits),
        cmocka_unit_test(metal_is_the_reference),
        cmocka_unit_test(every_layer_is_the_reference),
        cmocka_unit_test(a_saved_run_goes_on),
        cmocka_unit_test(runs_go_side_by_side),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d comparisons with the reference in three dimensions\n", comparisons);
    return failed;
}
