/* A grid in parts on a GPU gives the bits of the whole grid on the reference backend: all schemes, absorbers, media
 * with poles, edges, symmetry planes, metal and tensors, in two and three dimensions, with every solver of the CUDA
 * backend; parts on one device and on several; a state that parts leave is taken up
 * by the whole grid, on the device or the host, and the other way around. Skipped where no GPU works. */
#include "tests/parts/parts_cases.h"
#include "tests/support/gpu/gpu_works.h"

static int comparisons;

/* A state to begin with that belongs to the problem. */
static struct run_state start_of(const struct problem *problem)
{
    struct run_state start = empty_state(problem);
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        random_volume_start(problem, &start, 3);
        return start;
    }
    random_snapshot(problem, &start, 3);
    for (int64_t s = 0; s < problem->pole_span_count;
         s++) { /* what poles remember of the step before is the increment */
        const struct pole_span *span = &problem->pole_spans[s];
        for (int n = 0; n < span->count; n++) {
            start.poles[span->state + n] = start.increment[span->place + n];
        }
    }
    return start;
}

/* Each way, and half of it, then on by something else. */
static void compare_ways(struct problem problem, const struct way *ways, int count)
{
    const struct way reference_whole = {.backend = &backend_reference}, whole = {.backend = &backend_cuda},
                     cpu_parts = {.backend = &backend_cpu, .parts = {1, 2, 1}};
    const struct way *const then[] = {NULL, &cpu_parts, &whole, &ways[0]};
    struct run_state start = start_of(&problem);
    struct outcome wanted = solve(&problem, &start, &reference_whole, NULL);
    for (int w = 0; w < count; w++) {
        struct outcome found = solve(&problem, &start, &ways[w], then[w % 4]);
        assert_same_outcome(&problem, &wanted, &found, 1e-12);
        outcome_free(&found);
        comparisons++;
    }
    outcome_free(&wanted);
    run_state_free(&start);
    problem_free(&problem);
}

/* Parts on one device, and at once on several, if there are; what they exchange written into each other's memory, and
 * copied. */
static void compare(struct problem problem, const char *const *solvers, const int parts[3], int depth)
{
    struct way ways[16];
    int count = 0;
    for (int s = 0; solvers[s] != NULL; s++) {
        for (int at_once = 0; at_once < 3; at_once++) {
            ways[count++] = (struct way){.backend = &backend_cuda,
                                         .solver = solvers[s][0] != '\0' ? solvers[s] : NULL,
                                         .parts = {parts[0], parts[1], parts[2]},
                                         .depth = depth,
                                         .together = at_once > 0 ? parts[0] * parts[1] * parts[2] : 0,
                                         .copies = at_once == 2};
        }
    }
    compare_ways(problem, ways, count);
}

/* Parts in turns, across the slowest axis, as many as `parts` if the grid is large enough for them, as deep as they may
 * be up to `depth`. */
static void compare_turns(struct problem problem, const char *const *solvers, int parts, int depth)
{
    const int axis = problem.formulation == FORMULATION_MAXWELL3D && problem.axis[2].count > 1 ? 2 : 1;
    const int margin = problem.formulation == FORMULATION_MAXWELL3D ? 0 : problem_layer(&problem);
    const int least = 2 * margin + 6 * problem.reach + 2, most = problem.axis[axis].count / least;
    parts = parts < most ? parts : most > 0 ? most : 1;
    const int own = problem.axis[axis].count / parts, creep = 2 * problem.reach + (problem.tensor_count > 0 ? 5 : 2);
    struct way ways[8];
    int count = 0;
    for (int s = 0; solvers[s] != NULL; s++) {
        for (int then = 0; then < 2; then++) {
            ways[count] = (struct way){.backend = &backend_cuda,
                                       .solver = solvers[s][0] != '\0' ? solvers[s] : NULL,
                                       .parts = {1, 1, 1},
                                       .depth = depth * creep > own ? own / creep : depth,
                                       .turns = (uint64_t)384 << 20};
            ways[count].parts[axis] = parts;
            ways[count].depth = ways[count].depth < 1 ? 1 : ways[count].depth;
            count++;
        }
    }
    compare_ways(problem, ways, count);
}

static const char *const EVERY_SOLVER[] = {"", "plain", "tile", NULL}, *const PLAIN[] = {"", "plain", NULL};

/* ---- two dimensions ---------------------------------------------------------------------------------------------- */

static struct random_problem_options plane_usual(enum scheme scheme, int layer)
{
    struct random_problem_options options = random_problem_usual(scheme, PW_SINGLE, layer);
    options.steps = 61;
    return options;
}

static void compare_plane(struct random_problem_options options, int spans, const char *const *solvers, int x, int y,
                          int depth)
{
    struct problem problem = random_problem(options);
    if (spans > 0) {
        random_poles(&problem, spans, 5);
    }
    compare(problem, solvers, (int[]){x, y, 1}, depth);
}

static void test_all_schemes_in_two_dimensions(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        compare_plane(plane_usual((enum scheme)scheme, 9), 0, EVERY_SOLVER, 1 + scheme % 2, 3, 1 + scheme % 4);
    }
}

/* Grids that leave room for a march in each part, and parts that stay on the chip. */
static void test_large_parts(void **unused)
{
    static const char *const marches[] = {"march", "", NULL}, *const chips[] = {"resident", NULL},
                             *const streams[] = {"streamed", NULL};
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme += 2) {
        struct random_problem_options options = plane_usual((enum scheme)scheme, 16);
        options.nx = 1301;
        options.ny = 903;
        options.steps = 70;
        options.every = 2;
        options.spacing = 3;
        compare_plane(options, 0, marches, 1, 2, 5);
        options.every = 1;
        compare_plane(options, 0, chips, 1, 4, 3);
    }
    struct random_problem_options options = plane_usual(SCHEME_FD4, 9);
    options.nx = 613;
    options.ny = 301;
    compare_plane(options, 0, streams, 1, 2, 3);
    options.scheme = SCHEME_YEE;
    compare_plane(options, 2000, marches, 1, 2, 8);
}

static void test_cuts_in_two_dimensions(void **unused)
{
    (void)unused;
    const int cuts[][3] = {{1, 2, 1}, {4, 1, 2}, {2, 2, 5}, {3, 5, 1}, {1, 13, 3}, {7, 1, 1}};
    for (size_t c = 0; c < sizeof cuts / sizeof cuts[0]; c++) {
        struct random_problem_options options = plane_usual(SCHEME_DD2, c % 2 ? 0 : 11);
        options.every = 1 + (int)c;
        options.spacing = 1 + (int)c % 3;
        compare_plane(options, 0, PLAIN, cuts[c][0], cuts[c][1], cuts[c][2]);
    }
}

static void test_walls_in_two_dimensions(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        struct random_problem_options options = plane_usual(kind % 2 ? SCHEME_FD4 : SCHEME_YEE, 8);
        struct absorber absorber =
            kind == 1   ? absorber_usual(&absorber_cpml, 8)
            : kind == 2 ? absorber_usual(&absorber_berenger, 8)
                        : (struct absorber){.kind = ABSORBER_UPML, .cells = 8, .order = 4, .reflection = 1e-7};
        options.absorber = &absorber;
        options.symmetric[0] = kind == 3;
        options.symmetric[1] = kind >= 2;
        options.hard = kind == 1;
        options.further = kind == 0 ? 2 : 0;
        compare_plane(options, 0, PLAIN, 2, 2, 3);
    }
}

static void test_one_way_edges(void **unused)
{
    (void)unused;
    for (int order = 1; order <= 2; order++) {
        struct problem problem = one_way_problem(plane_usual(order == 1 ? SCHEME_YEE : SCHEME_FD4, 0), order);
        compare(problem, PLAIN, (int[]){2, 3, 1}, 2);
    }
}

static void test_poles_in_two_dimensions(void **unused)
{
    (void)unused;
    compare_plane(plane_usual(SCHEME_YEE, 9), 300, EVERY_SOLVER, 2, 3, 4);
    compare_plane(plane_usual(SCHEME_DD4, 9), 300, EVERY_SOLVER, 3, 1, 1);
}

/* ---- three dimensions -------------------------------------------------------------------------------------------- */

static void compare_volume(struct random_volume_options options, int spans, int x, int y, int z, int depth)
{
    static const char *const sweep[] = {"", "volume", "sweep", NULL}, *const volume[] = {"", NULL};
    struct problem problem = random_volume(options);
    if (spans > 0) {
        random_poles(&problem, spans, 7);
    }
    const bool sweeps = options.scheme == SCHEME_YEE && spans == 0 && !options.flat && options.metal == 0;
    compare(problem, sweeps ? sweep : volume, (int[]){x, y, z}, depth);
}

static void test_all_schemes_in_three_dimensions(void **unused)
{
    (void)unused;
    volumes_of_all_schemes(compare_volume);
}

/* A wave that spreads from part to part through what is at rest. */
static void test_rest_in_three_dimensions(void **unused)
{
    (void)unused;
    for (int scheme = SCHEME_YEE; scheme <= SCHEME_FD4O; scheme += SCHEME_FD4O - SCHEME_YEE) {
        struct random_volume_options options = {.scheme = (enum scheme)scheme,
                                                .n = {330, 210, 6},
                                                .absorber = {6, 5, 0},
                                                .palette = 4,
                                                .layers = 2,
                                                .steps = 300,
                                                .sources = 1,
                                                .places = 1,
                                                .probes = 20,
                                                .frequencies = 2,
                                                .every = 3,
                                                .seed = 8};
        struct problem problem = random_volume(options);
        const struct way reference = {.backend = &backend_reference}, whole = {.backend = &backend_cuda},
                         parts = {.backend = &backend_cuda, .parts = {2, 2, 1}, .depth = 3, .together = 4};
        struct outcome wanted = solve(&problem, NULL, &reference, NULL);
        struct outcome found[] = {solve(&problem, NULL, &parts, NULL), solve(&problem, NULL, &parts, &whole)};
        for (int w = 0; w < 2; w++) {
            assert_same_outcome(&problem, &wanted, &found[w], 1e-12);
            outcome_free(&found[w]);
            comparisons++;
        }
        outcome_free(&wanted);
        problem_free(&problem);
    }
}

static void test_cuts_in_three_dimensions(void **unused)
{
    (void)unused;
    volumes_cut(compare_volume);
}

static void test_a_layer(void **unused)
{
    (void)unused;
    volumes_of_one_layer(compare_volume);
}

/* Columns and rows beyond 65535. */
static void test_long_grids(void **unused)
{
    static const struct way whole = {.backend = &backend_cpu}, march = {.backend = &backend_cuda, .solver = "march"};
    (void)unused;
    for (int kind = 0; kind < 6; kind++) {
        const enum scheme schemes[] = {SCHEME_DD4, SCHEME_FD4O, SCHEME_YEE};
        struct random_problem_options options = plane_usual(schemes[kind / 2], 9);
        options.nx = kind % 2 == 0 ? 66301 : 533;
        options.ny = kind % 2 == 0 ? 120 : 66301;
        options.steps = 9;
        options.frequencies = 0;
        struct problem problem = random_problem(options);
        struct run_state start = start_of(&problem);
        struct outcome wanted = solve(&problem, &start, &whole, NULL);
        struct outcome found = solve(&problem, &start, &march, NULL);
        assert_same_outcome(&problem, &wanted, &found, 1e-12);
        outcome_free(&wanted);
        outcome_free(&found);
        run_state_free(&start);
        problem_free(&problem);
        comparisons++;
    }
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

static void test_turns_in_two_dimensions(void **unused)
{
    static const char *const marches[] = {"", "march", "tile", NULL};
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        struct random_problem_options options = plane_usual((enum scheme)scheme, 9);
        options.ny = 331;
        options.every = 1 + scheme % 3;
        options.spacing = 1 + scheme % 2;
        compare_turns(random_problem(options), EVERY_SOLVER, 1 + scheme % 5, 9);
    }
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme += 3) {
        struct random_problem_options options = plane_usual((enum scheme)scheme, 16);
        options.nx = 701;
        options.ny = 903;
        options.every = 1 + scheme;
        compare_turns(random_problem(options), marches, 4 + scheme % 3, 17);
    }
}

/* Many frequencies, each point with its samples; double precision is for `plain`. */
static void test_spectra_in_turns(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        struct random_problem_options options = plane_usual(SCHEME_DD2, 9);
        options.nx = 160; /* samples laid out as fields are */
        options.frequencies = kind % 2 == 0 ? 70 : 20;
        options.every = 1;
        options.steps = kind % 2 == 0 ? 600 : 90;
        options.spacing = kind < 2 ? 1 : 3;
        compare_turns(random_problem(options), PLAIN, 3, 7);
    }
}

static void test_walls_in_turns(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        struct random_problem_options options = plane_usual(kind % 2 ? SCHEME_FD4 : SCHEME_YEE, 8);
        struct absorber absorber = absorber_usual(kind == 1 ? &absorber_cpml : &absorber_upml, 8);
        options.absorber = &absorber;
        options.symmetric[0] = kind == 3;
        options.symmetric[1] = kind >= 2;
        options.hard = kind == 1;
        options.further = kind == 0 ? 2 : 0;
        compare_turns(random_problem(options), PLAIN, 3, 4);
    }
    for (int order = 1; order <= 2; order++) {
        struct problem problem = one_way_problem(plane_usual(order == 1 ? SCHEME_YEE : SCHEME_FD4, 0), order);
        compare_turns(problem, PLAIN, 4, 4);
    }
}

static void test_poles_in_turns(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme <= SCHEME_DD4; scheme += SCHEME_DD4) {
        struct problem problem = random_problem(plane_usual((enum scheme)scheme, 9));
        random_poles(&problem, 300, 5);
        compare_turns(problem, EVERY_SOLVER, 3, 3);
    }
    struct problem problem = random_volume(volume_usual(SCHEME_FD4));
    random_poles(&problem, 1200, 7);
    compare_turns(problem, (const char *const[]){"", NULL}, 3, 2);
}

static void test_turns_in_three_dimensions(void **unused)
{
    static const char *const volume[] = {"", NULL}, *const sweep[] = {"", "sweep", "volume", NULL};
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        struct random_volume_options options = volume_usual((enum scheme)scheme);
        options.n[0] = 31;
        options.n[2] = 113;
        compare_turns(random_volume(options), scheme == SCHEME_YEE ? sweep : volume, 1 + scheme % 5, 3);
    }
    struct random_volume_options options = volume_usual(SCHEME_FD4);
    options.n[2] = 60;
    options.stretched = options.extruded = true;
    options.symmetric[1] = true;
    options.tensors = 20;
    compare_turns(random_volume(options), volume, 3, 1);
    for (int metal = 0; metal <= 40; metal += 40) {
        options = volume_usual(metal > 0 ? SCHEME_YEE : SCHEME_FD6);
        options.flat = true;
        options.n[0] = 83;
        options.n[1] = 131;
        options.n[2] = 1;
        options.absorber[2] = 0;
        options.metal = metal;
        compare_turns(random_volume(options), volume, 3, 2);
    }
}

/* A state goes into parts that have gone on, the first of which may be on its way to the device by then. */
static void go_back(struct problem problem, int axis)
{
    const struct way reference_whole = {.backend = &backend_reference};
    struct way turns = {.backend = &backend_cuda, .parts = {1, 1, 1}, .depth = 3, .turns = (uint64_t)384 << 20};
    const int64_t half = problem.steps / 2;
    struct outcome wanted = solve(&problem, NULL, &reference_whole, NULL);
    pw_error error = {{0}};
    turns.parts[axis] = 4;
    for (int whole = 0; whole < 2; whole++) {
        struct outcome found = {.state = empty_state(&problem)};
        struct run_state saved = empty_state(&problem);
        struct stepper *stepper = create(&problem, &turns);
        advance(stepper, &problem, 0, half, found.energy);
        assert_int_equal(stepper_save(stepper, 0, &saved, &error), PW_OK);
        assert_int_equal(stepper_advance(stepper, 7, &error), PW_OK);
        if (whole) {
            assert_int_equal(stepper_load(stepper, 0, &saved, &error), PW_OK);
        } else {
            load_saved(stepper, &problem, 0, &saved);
        }
        advance(stepper, &problem, half, problem.steps, found.energy);
        assert_int_equal(stepper_save(stepper, 0, &found.state, &error), PW_OK);
        assert_same_outcome(&problem, &wanted, &found, 1e-12);
        stepper_destroy(stepper);
        run_state_free(&saved);
        outcome_free(&found);
        comparisons++;
    }
    outcome_free(&wanted);
    problem_free(&problem);
}

static void test_going_back_in_turns(void **unused)
{
    (void)unused;
    for (int scheme = SCHEME_YEE; scheme <= SCHEME_DD4; scheme += SCHEME_DD4 - SCHEME_YEE) {
        struct random_problem_options options = plane_usual((enum scheme)scheme, 9);
        options.ny = 431;
        options.every = 2;
        struct problem problem = random_problem(options);
        random_poles(&problem, 100, 5);
        go_back(problem, 1);
    }
    struct random_volume_options volume = volume_usual(SCHEME_YEE);
    volume.n[2] = 131;
    go_back(random_volume(volume), 2);
}

static void test_too_little_memory_for_turns(void **unused)
{
    (void)unused;
    struct problem problem = random_problem(plane_usual(SCHEME_YEE, 9));
    const struct parted_options parted = {.cut = {.count = 3, .parts = {1, 3, 1}, .depth = 2}};
    struct part_options part = {.backend = "cuda", .runs = 1, .turn_memory = 100000};
    struct stepper *stepper = NULL;
    pw_error error = {{0}};
    assert_int_equal(parted_create(&problem, &parted, &part, &stepper, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "a part of the grid needs"));
    part.turn_memory = (uint64_t)384 << 20;
    const struct parted_options deep = {.cut = {.count = 3, .parts = {1, 3, 1}, .depth = 60}};
    assert_int_equal(parted_create(&problem, &deep, &part, &stepper, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "reach beyond their neighbours"));
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_schemes_in_two_dimensions),
        cmocka_unit_test(test_large_parts),
        cmocka_unit_test(test_long_grids),
        cmocka_unit_test(test_cuts_in_two_dimensions),
        cmocka_unit_test(test_walls_in_two_dimensions),
        cmocka_unit_test(test_one_way_edges),
        cmocka_unit_test(test_poles_in_two_dimensions),
        cmocka_unit_test(test_all_schemes_in_three_dimensions),
        cmocka_unit_test(test_cuts_in_three_dimensions),
        cmocka_unit_test(test_rest_in_three_dimensions),
        cmocka_unit_test(test_a_layer),
        cmocka_unit_test(test_turns_in_two_dimensions),
        cmocka_unit_test(test_spectra_in_turns),
        cmocka_unit_test(test_walls_in_turns),
        cmocka_unit_test(test_poles_in_turns),
        cmocka_unit_test(test_turns_in_three_dimensions),
        cmocka_unit_test(test_going_back_in_turns),
        cmocka_unit_test(test_too_little_memory_for_turns),
    };
    if (!gpu_works()) {
        return 0;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d comparisons\n", comparisons);
    return failed;
}
