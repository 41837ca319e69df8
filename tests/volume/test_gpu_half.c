/* Three dimensions on a GPU with fields in 16 bits (problem/half.h): what the solver "half" hands out is what the
 * reference hands out, bit for bit, for every scheme that it is for: grids of less than a tile and of several, whose
 * rows end within a unit and with one, walls, absorbers, planes of symmetry, rows beside metal; from fields that are
 * everywhere, and from rest; in passes of one to four steps; and a run that is saved half way goes on. What it cannot
 * do it says. Skipped where no GPU works. */
#include "tests/support/gpu/gpu_works.h"
#include "tests/volume/volume_compare.h"

static int comparisons;

static struct random_volume_options kept_in_half(enum scheme scheme)
{
    struct random_volume_options options = volume_usual(scheme, PW_SINGLE);
    options.half = true;
    return options;
}

/* Tests go on after what differs, and fail at their end. */
static int differing;

static void compare_states(const char *what, const struct problem *problem, const struct run_state *found,
                           const struct run_state *wanted)
{
    const bool differ = volume_states_differ(problem, found, wanted);
    print_message("%s %s, reach %d, %d x %d x %d, metal %lld\n", differ ? "DIFFERS" : "same   ", what, problem->reach,
                  problem->axis[0].count, problem->axis[1].count, problem->axis[2].count,
                  (long long)problem->metal_row_count);
    comparisons++;
    differing += differ ? 1 : 0;
}

static void assert_none_differ(void)
{
    const int some = differing;
    differing = 0;
    if (some > 0) {
        fail_msg("%d comparisons differ", some);
    }
}

/* From fields that are everywhere, in advances of `batch` steps. */
static void compare_with(struct random_volume_options options, const char *const *solvers, int64_t batch)
{
    struct problem problem = random_volume(options);
    struct run_state start;
    pw_error error;
    assert_int_equal(run_state_create(&problem, 0, &start, &error), PW_OK);
    random_volume_start(&problem, &start, options.seed + 1);
    struct run_state wanted = volume_solve(&backend_reference, &problem, NULL, &start, 0);
    for (int s = 0; solvers[s] != NULL; s++) {
        const struct backend_options engine = {.solver = solvers[s]};
        struct run_state found = volume_solve(&backend_cuda, &problem, &engine, &start, batch);
        compare_states(solvers[s], &problem, &found, &wanted);
        run_state_free(&found);
    }
    run_state_free(&start);
    run_state_free(&wanted);
    problem_free(&problem);
}

static const enum scheme SCHEMES[] = {SCHEME_FD4O, SCHEME_FD6, SCHEME_FD8, SCHEME_DD3};
enum { SCHEME_LIST = sizeof SCHEMES / sizeof SCHEMES[0] };

/* Nothing but walls at first, where a mistake is easiest to read: rows that end with a unit, within it, within a quad.
 */
static void small_rooms_are_the_reference(void **state)
{
    (void)state;
    for (int columns = 16; columns <= 24; columns++) {
        for (int s = 0; s < SCHEME_LIST; s++) {
            struct random_volume_options options = kept_in_half(SCHEMES[s]);
            options.n[0] = columns;
            options.n[1] = 15;
            options.n[2] = 17;
            options.absorber[0] = options.absorber[1] = options.absorber[2] = 0;
            options.symmetric[columns % 3] = columns % 2 == 0;
            options.seed = (unsigned)(columns + 100 * s);
            compare_with(options, (const char *[]){"half:1", "half:4", "half", NULL}, 16);
        }
    }
    assert_none_differ();
}

/* One thing more each: rows beside metal in one tile, a source that sets what it drives, tiles beside each other along
 * x and along y, and slabs of levels. */
static void what_is_added_one_by_one_is_the_reference(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int n[3], metal;
        bool hard;
    } CASES[] = {
        {"metal in one tile", {24, 15, 17}, 3000, false},
        {"metal in one tile, part of a unit", {29, 15, 17}, 3000, false},
        {"a hard source", {24, 15, 17}, 0, true},
        {"tiles along x", {65, 15, 17}, 0, false},
        {"tiles along x, whole", {160, 15, 17}, 0, false},
        {"tiles along y", {24, 75, 17}, 0, false},
        {"slabs", {24, 15, 300}, 0, false},
        {"tiles along x and y and slabs", {101, 75, 150}, 0, false},
        {"tiles along x and y, metal", {101, 75, 17}, 20000, false},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        print_message("%s\n", CASES[c].name);
        for (int s = 0; s < SCHEME_LIST; s++) {
            struct random_volume_options options = kept_in_half(SCHEMES[s]);
            for (int a = 0; a < 3; a++) {
                options.n[a] = CASES[c].n[a];
                options.absorber[a] = 0;
            }
            options.metal = CASES[c].metal;
            options.hard = CASES[c].hard;
            options.places = 30;
            options.steps = 12;
            options.seed = (unsigned)(300 + 10 * (int)c + s);
            compare_with(options, (const char *[]){"half:1", "half:4", NULL}, 12);
        }
    }
    assert_none_differ();
}

static void every_grid_is_the_reference(void **state)
{
    (void)state;
    static const struct {
        int n[3], absorber[3];
        bool symmetric[3];
        int metal;
    } CASES[] = {
        {{14, 15, 17}, {0, 0, 0}, {true, false, true}, 0},
        {{21, 19, 61}, {4, 4, 7}, {false, false, false}, 0},
        {{65, 33, 24}, {5, 0, 7}, {false, true, false}, 9000},
        {{133, 77, 70}, {1, 2, 3}, {true, true, true}, 5000},
        {{190, 91, 120}, {6, 5, 16}, {false, false, false}, 70000},
        {{97, 57, 29}, {0, 9, 0}, {true, false, false}, 0},
        {{231, 113, 57}, {16, 16, 4}, {false, false, true}, 400},
        {{128, 84, 66}, {8, 8, 8}, {false, false, false}, 0},
    };
    for (int s = 0; s < SCHEME_LIST; s++) {
        for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
            struct random_volume_options options = kept_in_half(SCHEMES[s]);
            const bool large = (long)CASES[c].n[0] * CASES[c].n[1] * CASES[c].n[2] > 500000;
            for (int a = 0; a < 3; a++) {
                options.n[a] = CASES[c].n[a];
                options.absorber[a] = CASES[c].absorber[a];
                options.symmetric[a] = CASES[c].symmetric[a];
            }
            options.metal = CASES[c].metal;
            options.stretched = c % 2 == 1;
            options.hard = c == 2;
            options.places = 30;
            options.probes = 40;
            options.every = 5;
            options.frequencies = c % 2 == 0 ? 3 : 70;
            options.steps = large ? 13 : 40;
            options.seed = (unsigned)(171 + 10 * s + (int)c);
            compare_with(options, (const char *[]){"half", "half:1", "half:2", "half:3", "half:4", NULL},
                         large ? 13 : 16);
        }
    }
    assert_none_differ();
}

/* Waves that spread from one place through a wide grid at rest; half way the state goes into another stepper, and back
 * into the first. */
static void what_is_at_rest_is_the_reference(void **state)
{
    (void)state;
    static const struct {
        int columns, rows, metal;
        const char *solver;
    } CASES[] = {{450, 130, 30000, "half"}, {450, 130, 0, "half:1"}, {201, 333, 0, "half:3"}};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        struct random_volume_options options = kept_in_half(c == 2 ? SCHEME_FD8 : SCHEME_FD4O);
        const struct backend_options engine = {.solver = CASES[c].solver};
        options.n[0] = CASES[c].columns, options.n[1] = CASES[c].rows, options.n[2] = 9;
        options.absorber[2] = 0;
        options.metal = CASES[c].metal;
        options.places = 1;
        options.probes = 30;
        options.steps = 300;
        options.seed = (unsigned)(41 + c);
        struct problem problem = random_volume(options);
        struct run_state wanted = volume_reference(&problem);
        struct volume_runs found = volume_run_thrice(&backend_cuda, &problem, &engine); /* put back: nothing rests */
        compare_states("all at once", &problem, &found.at_once, &wanted);
        compare_states("in another stepper", &problem, &found.elsewhere, &wanted);
        compare_states("in the same again", &problem, &found.again, &wanted);
        run_state_free(&wanted);
        volume_runs_free(&found);
        problem_free(&problem);
    }
    assert_none_differ();
}

/* Between backends, with samples that wait for the rest of their group. */
static void a_saved_run_goes_on(void **state)
{
    (void)state;
    struct random_volume_options options = kept_in_half(SCHEME_FD6);
    options.frequencies = 5;
    options.n[0] = 43;
    struct problem problem = random_volume(options);
    struct run_state wanted = volume_reference(&problem);
    struct stepper *first = volume_stepper(&backend_cuda, &problem, NULL);
    volume_advance(first, 29);
    struct run_state half_way = volume_state(&problem, first);
    stepper_destroy(first);
    const struct backend *const backends[] = {&backend_cuda, &backend_cpu, &backend_reference};
    for (int b = 0; b < 3; b++) {
        struct run_state found = volume_solve(backends[b], &problem, NULL, &half_way, 0);
        compare_states(b == 0   ? "on the device"
                       : b == 1 ? "on the processor"
                                : "on the reference",
                       &problem, &found, &wanted);
        run_state_free(&found);
    }
    run_state_free(&half_way);
    run_state_free(&wanted);
    problem_free(&problem);
    assert_none_differ();
}

static void runs_go_side_by_side(void **state)
{
    (void)state;
    struct random_volume_options options = kept_in_half(SCHEME_FD4O);
    options.sources = 3;
    struct problem problem = random_volume(options);
    struct stepper *steppers[2];
    pw_error error;
    assert_int_equal(stepper_create(&backend_reference, &problem, 1, 2, NULL, &steppers[0], &error), PW_OK);
    assert_int_equal(stepper_create(&backend_cuda, &problem, 1, 2, NULL, &steppers[1], &error), PW_OK);
    for (int run = 0; run < 4; run++) {
        volume_advance(steppers[run % 2], problem.steps / 2);
    }
    for (int run = 0; run < 2; run++) {
        double energy[2];
        struct run_state states[2];
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

/* A field that is no number any more is seen by the watch over the energy. */
static void growth_is_seen(void **state)
{
    (void)state;
    struct problem problem = random_volume(kept_in_half(SCHEME_FD4O));
    struct run_state start;
    double energy = 0;
    pw_error error;
    assert_int_equal(run_state_create(&problem, 0, &start, &error), PW_OK);
    start.field[0][problem_nodes(&problem) / 2] = 1e37;
    struct stepper *stepper = volume_stepper(&backend_cuda, &problem, NULL);
    assert_int_equal(stepper_load(stepper, 0, &start, &error), PW_OK);
    volume_advance(stepper, 4);
    assert_int_equal(stepper_energy(stepper, 0, &energy, &error), PW_OK);
    assert_true(isnan(energy) || isinf(energy));
    stepper_destroy(stepper);
    run_state_free(&start);
    problem_free(&problem);
}

/* Half the bytes of a field and no ghosts. */
static void memory_is_less(void **state)
{
    (void)state;
    struct random_volume_options options = kept_in_half(SCHEME_FD4O);
    options.n[0] = options.n[1] = options.n[2] = 128;
    options.probes = options.frequencies = 0;
    for (int a = 0; a < 3; a++) {
        options.absorber[a] = 0;
    }
    struct problem problem = random_volume(options);
    uint64_t host = 0, device = 0;
    backend_memory(&backend_cuda, &problem, 1, &host, &device);
    print_message("%.2f bytes a cell\n", (double)device / (double)problem_nodes(&problem));
    assert_true((double)device <= 16.0 * (double)problem_nodes(&problem));
    problem_free(&problem);
}

/* yee, the farthest reach, tilted walls, a grid narrower than two reaches. */
static void what_it_cannot_do_it_says(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        struct random_volume_options options = kept_in_half(c == 0 ? SCHEME_YEE : c == 1 ? SCHEME_DD4 : SCHEME_FD4O);
        options.tensors = c == 2 ? 20 : 0;
        options.n[2] = c == 3 ? 3 : 40;
        options.absorber[2] = 0;
        struct problem problem = random_volume(options);
        const char *const solvers[] = {"half", "volume", "relay", "sweep"};
        for (int s = 0; s < 4; s++) {
            const struct backend_options engine = {.solver = solvers[s]};
            struct stepper *stepper = NULL;
            pw_error error = {{0}};
            assert_int_equal(stepper_create(&backend_cuda, &problem, 0, 1, &engine, &stepper, &error), PW_USAGE);
            assert_non_null(strstr(error.message, solvers[s]));
            print_message("%s\n", error.message);
        }
        problem_free(&problem);
    }
}

int main(void)
{
    if (!gpu_works()) {
        return 0;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* what there is, also of a run that is ended */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_rooms_are_the_reference),
        cmocka_unit_test(what_is_added_one_by_one_is_the_reference),
        cmocka_unit_test(every_grid_is_the_reference),
        cmocka_unit_test(what_is_at_rest_is_the_reference),
        cmocka_unit_test(a_saved_run_goes_on),
        cmocka_unit_test(runs_go_side_by_side),
        cmocka_unit_test(growth_is_seen),
        cmocka_unit_test(memory_is_less),
        cmocka_unit_test(what_it_cannot_do_it_says),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d comparisons with the reference, fields in 16 bits\n", comparisons);
    return failed;
}
