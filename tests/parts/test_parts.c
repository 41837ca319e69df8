/* A grid in parts gives the bits of the whole grid: every array of the state, what is recorded, the energy; for all
 * schemes, absorbers, media with poles, edges, symmetry planes, metal and tensors, in two and three dimensions, cut
 * along one axis and along several, on the reference backend and on the cpu's solvers; and a state that one cut leaves
 * is taken up by another, and by none. All parts are in this process here; what is between processes is tested in
 * test_ranks.sh. */
#include "base/constants.h"
#include "problem/physics/problem_bytes.h"
#include "tests/parts/parts_cases.h"

/* On the reference and on solvers of the cpu, each against itself whole, by one cut and then another. */
static void compare(struct problem problem, const struct run_state *start, const char *const *solvers,
                    const int parts[3], int depth)
{
    const struct way cpu_then = {.backend = &backend_cpu, .parts = {1, 2, 1}};
    const struct way reference_whole = {.backend = &backend_reference};
    struct outcome wanted = solve(&problem, start, &reference_whole, NULL);
    for (int s = 0; solvers[s] != NULL; s++) {
        const struct backend *backend = strcmp(solvers[s], "reference") == 0 ? &backend_reference : &backend_cpu;
        const char *solver = backend == &backend_cpu && solvers[s][0] != '\0' ? solvers[s] : NULL;
        const struct way way = {
            .backend = backend, .solver = solver, .parts = {parts[0], parts[1], parts[2]}, .depth = depth};
        const struct way whole = {.backend = backend, .solver = solver};
        struct outcome found = solve(&problem, start, &way, s == 1 ? &cpu_then : s == 2 ? &whole : NULL);
        assert_same_outcome(&problem, &wanted, &found, 0);
        outcome_free(&found);
    }
    outcome_free(&wanted);
    problem_free(&problem);
}

/* "" is the solver that this machine takes by itself. */
static const char *const PLANE_SOLVERS[] = {"reference", "", "simple", NULL};
static const char *const VOLUME_SOLVERS[] = {"reference", "", NULL};
static const char *const PLAIN_TILES[] = {"baseline:3x7x32", NULL};

/* ---- two dimensions ---------------------------------------------------------------------------------------------- */

static void compare_plane(struct random_problem_options options, int spans, int x, int y, int depth)
{
    options.steps = 61;
    struct problem problem = random_problem(options);
    if (spans > 0) {
        random_poles(&problem, spans, 5);
    }
    struct run_state start = empty_state(&problem);
    random_snapshot(&problem, &start, 3);
    compare(problem, &start, y == 13 ? PLAIN_TILES : PLANE_SOLVERS, (int[]){x, y, 1}, depth);
    run_state_free(&start);
}

static void test_all_schemes_in_two_dimensions(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        compare_plane(random_problem_usual((enum scheme)scheme, PW_SINGLE, 9), 0, 1 + scheme % 2, 3, 1 + scheme % 4);
    }
}

static void test_cuts_in_two_dimensions(void **unused)
{
    (void)unused;
    const int cuts[][3] = {{1, 2, 1}, {4, 1, 2}, {2, 2, 5}, {3, 5, 1}, {1, 13, 3}, {7, 1, 1}};
    for (size_t c = 0; c < sizeof cuts / sizeof cuts[0]; c++) {
        struct random_problem_options options = random_problem_usual(SCHEME_DD2, PW_SINGLE, c % 2 ? 0 : 11);
        options.every = 1 + (int)c;
        options.spacing = 1 + (int)c % 3;
        compare_plane(options, 0, cuts[c][0], cuts[c][1], cuts[c][2]);
    }
}

static void test_walls_in_two_dimensions(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        struct random_problem_options options = random_problem_usual(kind % 2 ? SCHEME_FD4 : SCHEME_YEE, PW_SINGLE, 8);
        struct absorber absorber =
            kind == 1   ? absorber_usual(&absorber_cpml, 8)
            : kind == 2 ? absorber_usual(&absorber_berenger, 8)
                        : (struct absorber){.kind = ABSORBER_UPML, .cells = 8, .order = 4, .reflection = 1e-7};
        options.absorber = &absorber;
        options.symmetric[0] = kind == 3;
        options.symmetric[1] = kind >= 2;
        options.hard = kind == 1;
        options.further = kind == 0 ? 2 : 0;
        compare_plane(options, 0, 2, 2, 3);
    }
}

static void test_one_way_edges(void **unused)
{
    (void)unused;
    for (int order = 1; order <= 2; order++) {
        struct problem problem =
            one_way_problem(random_problem_usual(order == 1 ? SCHEME_YEE : SCHEME_FD4, PW_SINGLE, 0), order);
        struct run_state start = empty_state(&problem);
        random_snapshot(&problem, &start, 3);
        compare(problem, &start, (const char *const[]){"reference", "simple", NULL}, (int[]){2, 3, 1}, 2);
        run_state_free(&start);
    }
}

static void test_poles_in_two_dimensions(void **unused)
{
    (void)unused;
    compare_plane(random_problem_usual(SCHEME_YEE, PW_SINGLE, 9), 300, 2, 3, 4);
    compare_plane(random_problem_usual(SCHEME_DD4, PW_DOUBLE, 9), 300, 3, 1, 1);
}

/* ---- three dimensions -------------------------------------------------------------------------------------------- */

static void compare_volume(struct random_volume_options options, int spans, int x, int y, int z, int depth)
{
    struct problem problem = random_volume(options);
    if (spans > 0) {
        random_poles(&problem, spans, 7);
    }
    struct run_state start = empty_state(&problem);
    random_volume_start(&problem, &start, 3);
    compare(problem, &start, VOLUME_SOLVERS, (int[]){x, y, z}, depth);
    run_state_free(&start);
}

static void test_all_schemes_in_three_dimensions(void **unused)
{
    (void)unused;
    volumes_of_all_schemes(compare_volume);
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

/* ---- what cannot be done ----------------------------------------------------------------------------------------- */

static void test_a_grid_has_only_so_many_rows(void **unused)
{
    (void)unused;
    struct problem problem = random_problem(random_problem_usual(SCHEME_YEE, PW_SINGLE, 9));
    struct cut cut;
    pw_error error = {{0}};
    assert_int_equal(cut_choose(&problem, &(struct cut_request){.count = 97}, &cut, &error), PW_OK);
    assert_int_equal(cut_choose(&problem, &(struct cut_request){.count = 1009}, &cut, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "a grid of 123 x 97 x 1 cells cannot be cut into 1009 parts"));
    assert_int_equal(cut_choose(&problem, &(struct cut_request){.count = 4, .parts = {3, 0, 0}}, &cut, &error),
                     PW_USAGE);
    problem_free(&problem);
}

/* Every node has one owner, and every part has all that its nodes need. */
static void test_boxes_cover_the_grid(void **unused)
{
    (void)unused;
    struct problem problem = random_problem(random_problem_usual(SCHEME_DD4, PW_SINGLE, 9));
    const int counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 49};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const int count = counts[c];
        struct cut cut;
        pw_error error = {{0}};
        int64_t owned = 0;
        assert_int_equal(cut_choose(&problem, &(struct cut_request){.count = count}, &cut, &error), PW_OK);
        for (int p = 0; p < count; p++) {
            const struct part_box box = cut_box(&cut, p);
            for (int a = 0; a < 2; a++) {
                assert_true(box.first[a] >= 0 && box.end[a] <= cut.grid[a] && box.own[a] < box.own_end[a]);
                assert_true(box.first[a] == 0 || box.own[a] - box.valid[a] >= cut.depth * cut.creep);
                assert_true(box.end[a] == cut.grid[a] || box.valid_end[a] - box.own_end[a] >= cut.depth * cut.creep);
            }
            owned += (int64_t)(box.own_end[0] - box.own[0]) * (box.own_end[1] - box.own[1]);
        }
        assert_int_equal(owned, problem_nodes(&problem));
    }
    problem_free(&problem);
}

/* On two GPUs depths are chosen at which two of them lost least (validation/scaling.md), within 2 %. */
static void test_depths_of_gpus(void **unused)
{
    (void)unused;
    static const struct {
        enum formulation formulation;
        int reach, cells, levels, least, most;
    } MEASURED[] = {{FORMULATION_MAXWELL3D, 1, 1024, 1024, 3, 12}, {FORMULATION_MAXWELL3D, 2, 768, 768, 4, 4},
                    {FORMULATION_MAXWELL3D, 3, 512, 512, 3, 3},    {FORMULATION_MAXWELL3D, 4, 512, 512, 1, 2},
                    {FORMULATION_MAXWELL3D, 7, 512, 512, 1, 2},    {FORMULATION_TM2D, 1, 32768, 1, 16, 192},
                    {FORMULATION_TM2D, 7, 32768, 1, 12, 48}};
    for (size_t m = 0; m < sizeof MEASURED / sizeof MEASURED[0]; m++) {
        struct problem problem = {.formulation = MEASURED[m].formulation, .reach = MEASURED[m].reach};
        struct cut cut;
        pw_error error = {{0}};
        problem.axis[0].count = problem.axis[1].count = MEASURED[m].cells;
        problem.axis[2].count = MEASURED[m].levels;
        assert_int_equal(cut_choose(&problem, &(struct cut_request){.count = 2, .gpus = true}, &cut, &error), PW_OK);
        print_message("reach %d: %d steps from exchange to exchange\n", problem.reach, cut.depth);
        assert_in_range(cut.depth, MEASURED[m].least, MEASURED[m].most);
    }
}

/* The grid of an office whose transmitter stands near the left end, at half the depth. Waves make 0.42 cells a step. */
static struct cut office_cut(double steps, const int parts[3], bool gpus)
{
    const int64_t node = 185 + (int64_t)1270 * 357;
    struct source source = {.count = 1, .node = (int64_t *)&node};
    struct problem problem = {.formulation = FORMULATION_MAXWELL3D, .reach = 2, .sources = &source, .source_count = 1};
    struct cut cut;
    pw_error error = {{0}};
    problem_set_volume(&problem, 1270, 715, 149, 0.01);
    problem.time_step = 0.42 * 0.01 / SPEED_OF_LIGHT;
    const struct cut_request request = {
        .count = 2, .parts = {parts[0], parts[1], parts[2]}, .gpus = gpus, .steps = steps};
    assert_int_equal(cut_choose(&problem, &request, &cut, &error), PW_OK);
    print_message("%g steps: %d x %d x %d parts, %.3f of what there is to step\n", steps, cut.parts[0], cut.parts[1],
                  cut.parts[2], cut.stepped);
    return cut;
}

/* GPUs leave out what no wave has reached: in a short run both halves have the transmitter, in a long one, and where
 * nothing is left out, what is exchanged decides. */
static void test_cuts_ask_where_the_wave_begins(void **unused)
{
    (void)unused;
    const int any[3] = {0};
    assert_int_equal(office_cut(1478, any, true).parts[1], 2);
    assert_int_equal(office_cut(500, any, true).parts[1], 2);
    assert_int_equal(office_cut(100000, any, true).parts[0], 2);
    assert_int_equal(office_cut(0, any, true).parts[0], 2);
    assert_int_equal(office_cut(1478, any, false).parts[0], 2);
    assert_true(office_cut(1478, any, false).stepped == 1 && office_cut(0, any, true).stepped == 1);
}

/* Parts wait for each other. Here is a corridor of 6400 cells, whose source stands at the left end. Cut in the middle,
 * the left half has the most to step: x / 3200 of it when the wave has come to cell x, and all of it when the wave has
 * left it. Cut lengthwise, each half has x / 6400 to step. The wave is looked for some 164 to 228 cells ahead. What is
 * sent costs a few percent. */
static void test_parts_wait_for_the_slowest(void **unused)
{
    (void)unused;
    const double cells = 6400, steps = cells / 0.4;
    const int64_t node = 0;
    const int ways[2][3] = {{2, 1, 1}, {1, 2, 1}};
    const double share[2] = {0.75, 0.5};
    struct source source = {.count = 1, .node = (int64_t *)&node};
    struct problem problem = {.formulation = FORMULATION_MAXWELL3D, .reach = 1, .sources = &source, .source_count = 1};
    problem_set_volume(&problem, (int)cells, 512, 256, 0.01);
    problem.time_step = 0.4 * 0.01 / SPEED_OF_LIGHT;
    for (int w = 0; w < 2; w++) {
        const struct cut_request request = {
            .count = 2, .parts = {ways[w][0], ways[w][1], ways[w][2]}, .gpus = true, .steps = steps};
        struct cut cut;
        pw_error error = {{0}};
        assert_int_equal(cut_choose(&problem, &request, &cut, &error), PW_OK);
        print_message("%.3f, by the law %.3f and a little more\n", cut.stepped, share[w]);
        assert_true(cut.stepped > share[w] + 100 / cells && cut.stepped < share[w] + 600 / cells);
    }
}

/* A problem survives its way to another process, and one that is cut short is refused. */
static void test_problems_as_bytes(void **unused)
{
    (void)unused;
    struct problem problem = random_problem(random_problem_usual(SCHEME_FD4, PW_SINGLE, 9)), copy;
    char *bytes, *again;
    size_t size, size_again;
    pw_error error = {{0}};
    random_poles(&problem, 50, 3);
    assert_int_equal(problem_to_bytes(&problem, &bytes, &size, &error), PW_OK);
    assert_int_equal(problem_from_bytes(bytes, size, &copy, &error), PW_OK);
    assert_int_equal(problem_to_bytes(&copy, &again, &size_again, &error), PW_OK);
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes + sizeof problem, again + sizeof problem, 64);
    problem_free(&copy);
    for (size_t short_of = 1; short_of < size; short_of += size / 17) {
        assert_int_equal(problem_from_bytes(bytes, size - short_of, &copy, &error), PW_NUMERICAL);
        problem_free(&copy);
    }
    free(bytes);
    free(again);
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_schemes_in_two_dimensions),
        cmocka_unit_test(test_cuts_in_two_dimensions),
        cmocka_unit_test(test_walls_in_two_dimensions),
        cmocka_unit_test(test_one_way_edges),
        cmocka_unit_test(test_poles_in_two_dimensions),
        cmocka_unit_test(test_all_schemes_in_three_dimensions),
        cmocka_unit_test(test_cuts_in_three_dimensions),
        cmocka_unit_test(test_a_layer),
        cmocka_unit_test(test_a_grid_has_only_so_many_rows),
        cmocka_unit_test(test_boxes_cover_the_grid),
        cmocka_unit_test(test_depths_of_gpus),
        cmocka_unit_test(test_cuts_ask_where_the_wave_begins),
        cmocka_unit_test(test_parts_wait_for_the_slowest),
        cmocka_unit_test(test_problems_as_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
