/* A grid in parts gives the bits of the whole grid: every array of the state, what is recorded, the energy; for all
 * schemes, absorbers, media with poles, edges, symmetry planes, metal and tensors, in two and three dimensions, cut
 * along one axis and along several, on the reference backend and on the cpu's solvers; and a state that one cut leaves
 * is taken up by another, and by none. All parts are in this process here; what is between processes is tested in
 * test_ranks.sh. */
#include "backend/parts/parted.h"
#include "backend/parts/problem/problem_bytes.h"
#include "tests/volume/random_volume.h"

#include "tests/poles/random_poles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- solving ----------------------------------------------------------------------------------------------------- */

struct way {
    const struct backend *backend;
    const char *solver;
    int parts[3], depth; /* parts[0] == 0: whole */
};

static struct stepper *create(const struct problem *problem, const struct way *way)
{
    struct stepper *stepper = NULL;
    pw_error error = {{0}};
    struct parted_options parted = {.cut = {.count = way->parts[0] * way->parts[1] * way->parts[2],
                                            .parts = {way->parts[0], way->parts[1], way->parts[2]},
                                            .depth = way->depth}};
    const struct backend_options options = {.threads = 2, .solver = way->solver};
    struct part_options part = {.threads = 2, .runs = problem->source_count};
    snprintf(part.backend, sizeof part.backend, "%s", way->backend->name);
    snprintf(part.solver, sizeof part.solver, "%s", way->solver != NULL ? way->solver : "");
    pw_status status =
        way->parts[0] > 0 ? parted_create(problem, &parted, &part, &stepper, &error)
                          : stepper_create(way->backend, problem, 0, problem->source_count, &options, &stepper, &error);
    if (status != PW_OK) {
        fail_msg("%s", error.message);
    }
    return stepper;
}

static struct run_state empty_state(const struct problem *problem)
{
    struct run_state state;
    pw_error error = {{0}};
    assert_int_equal(run_state_create(problem, problem->steps, &state, &error), PW_OK);
    return state;
}

/* What a run is after all its steps: its state and its energy at each look. */
struct outcome {
    struct run_state state;
    double energy[8];
};

static void advance(struct stepper *stepper, const struct problem *problem, int64_t from, int64_t to, double *energy)
{
    const int64_t batches[] = {1, 7, 13, 3, 29};
    pw_error error = {{0}};
    for (int b = 0; from < to; b++) {
        int64_t some = batches[b % 5] < to - from ? batches[b % 5] : to - from;
        if (stepper_advance(stepper, some, &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(stepper_energy(stepper, problem->source_count - 1, &energy[b % 8], &error), PW_OK);
        from += some;
    }
}

/* An array of a state and its size; NULL for one that the problem has not. */
static double *array_of(const struct problem *problem, const struct run_state *state, int array, int64_t *count)
{
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const int first = volume ? STATE_FILTER : STATE_X_HALF, axis = (array - first) / (volume ? 4 : 2);
    double *const plane[] = {state->ez,     state->increment, state->x_half, state->x_node,
                             state->y_half, state->y_node,    state->edges};
    *count = problem_nodes(problem);
    if (array == STATE_POLES) {
        *count = problem->pole_state_count;
        return state->poles;
    }
    if (!volume && array == STATE_EDGES) {
        *count = 2 * (problem->axis[0].count + problem->axis[1].count);
        return state->edges;
    }
    if (array >= first && axis < 3) {
        *count = *count / problem->axis[axis].count * run_state_filters(problem, axis);
    }
    return !volume                ? (array < STATE_EDGES ? plane[array] : NULL)
           : array < STATE_FILTER ? state->field[array]
                                  : state->filter[axis][(array - STATE_FILTER) % 4];
}

/* The state in pieces: out of the run it is `state`, to the bit; into a run (`store` false) it is put piece by piece.
 */
static void move_pieces(struct stepper *stepper, const struct problem *problem, int run, const struct run_state *state,
                        bool store)
{
    enum { PIECE = 1009 };
    double piece[PIECE];
    pw_error error = {{0}};
    for (int a = 0; a <= STATE_POLES; a++) {
        int64_t count = 0;
        double *array = array_of(problem, state, a, &count);
        for (int64_t from = 0; array != NULL && from < count; from += PIECE) {
            const int64_t to = from + PIECE < count ? from + PIECE : count;
            const struct state_rows rows = {a, from, to, piece};
            memset(piece, 0x7f, sizeof piece);
            if (!store) {
                memcpy(piece, array + from, (size_t)(to - from) * sizeof *piece);
            }
            assert_int_equal(stepper_rows(stepper, problem, run, &rows, store, &error), PW_OK);
            for (int64_t n = from; n < to; n++) {
                if (piece[n - from] != array[n]) {
                    fail_msg("array %d [%lld]: whole %.17g, in pieces %.17g", a, (long long)n, array[n],
                             piece[n - from]);
                }
            }
        }
    }
}

/* A saved state into a run: in pieces where the solver takes them. */
static void load_saved(struct stepper *stepper, const struct problem *problem, int run, const struct run_state *saved)
{
    pw_error error = {{0}};
    const bool pieces = stepper_has_rows(stepper, false);
    const struct run_state records = {
        .step = saved->step, .spectra = saved->spectra, .samples = saved->samples, .probes = saved->probes};
    assert_int_equal(stepper_load(stepper, run, pieces ? &records : saved, &error), PW_OK);
    if (pieces) {
        move_pieces(stepper, problem, run, saved, false);
    }
}

/* Half of the way by `way`, the other half, from the state that this leaves, by `then`. */
static struct outcome solve(const struct problem *problem, const struct run_state *start, const struct way *way,
                            const struct way *then)
{
    struct outcome outcome = {.state = empty_state(problem)};
    const int64_t half = problem->steps / 2;
    const int last = problem->source_count - 1;
    pw_error error = {{0}};
    struct stepper *stepper = create(problem, way);
    if (start != NULL) {
        assert_int_equal(stepper_load(stepper, last, start, &error), PW_OK);
    }
    advance(stepper, problem, 0, half, outcome.energy);
    if (then != NULL) {
        struct run_state saved = empty_state(problem);
        assert_int_equal(stepper_save(stepper, last, &saved, &error), PW_OK);
        assert_true(stepper_has_rows(stepper, true));
        move_pieces(stepper, problem, last, &saved, true);
        stepper_destroy(stepper);
        stepper = create(problem, then);
        load_saved(stepper, problem, last, &saved);
        run_state_free(&saved);
    }
    advance(stepper, problem, half, problem->steps, outcome.energy);
    assert_int_equal(stepper_save(stepper, last, &outcome.state, &error), PW_OK);
    stepper_destroy(stepper);
    return outcome;
}

static void outcome_free(struct outcome *outcome)
{
    run_state_free(&outcome->state);
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* Bits, so that NaNs and signs of zeros count; true when something in it is not zero. */
static bool assert_same(const char *what, const double *a, const double *b, size_t count)
{
    bool any = false;
    for (size_t n = 0; a != NULL && n < count; n++) {
        any = any || a[n] != 0;
        if (a[n] != b[n] || !isfinite(a[n])) {
            fail_msg("%s[%zu]: whole %.17g, in parts %.17g", what, n, a[n], b[n]);
        }
    }
    return any;
}

static void assert_same_fields(const struct problem *problem, const struct run_state *a, const struct run_state *b)
{
    const size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    const size_t nodes = (size_t)problem_nodes(problem);
    const size_t x = (size_t)run_state_filters(problem, 0), y = (size_t)run_state_filters(problem, 1);
    if (problem->formulation != FORMULATION_MAXWELL3D) {
        assert_true(assert_same("ez", a->ez, b->ez, nodes));
        assert_same("increment", a->increment, b->increment, nodes);
        assert_same("x_half", a->x_half, b->x_half, ny * x);
        assert_same("x_node", a->x_node, b->x_node, ny * x);
        assert_same("y_half", a->y_half, b->y_half, nx * y);
        assert_same("y_node", a->y_node, b->y_node, nx * y);
        assert_true(a->edges == NULL || assert_same("edges", a->edges, b->edges, 2 * (nx + ny)));
        return;
    }
    for (int c = 0; c < 6; c++) {
        assert_same("field", a->field[c], b->field[c], nodes);
    }
    for (int axis = 0; axis < 3; axis++) {
        size_t filters = nodes / (size_t)problem->axis[axis].count * (size_t)run_state_filters(problem, axis);
        for (int q = 0; q < 4; q++) {
            assert_same("filter", a->filter[axis][q], b->filter[axis][q], filters);
        }
    }
}

static void assert_same_outcome(const struct problem *problem, const struct outcome *a, const struct outcome *b)
{
    const struct spectra *spectra = &problem->spectra;
    const size_t points = (size_t)spectra->rows * (size_t)spectra->columns;
    assert_same_fields(problem, &a->state, &b->state);
    assert_true(assert_same("poles", a->state.poles, b->state.poles, (size_t)problem->pole_state_count) ||
                problem->pole_state_count == 0);
    assert_same("probes", a->state.probes, b->state.probes, (size_t)(problem->steps * problem->probe_count));
    if (spectra->frequency_count > 0) {
        assert_true(
            assert_same("spectra", a->state.spectra, b->state.spectra, 2 * (size_t)spectra->frequency_count * points));
        assert_same("samples", a->state.samples, b->state.samples,
                    (size_t)spectra_waiting(spectra, problem->steps) * points);
    }
    assert_true(assert_same("energy", a->energy, b->energy, 8));
}

/* On the reference and on solvers of the cpu, each against itself whole, by one cut and then another. */
static void compare(struct problem problem, const struct run_state *start, const char *const *solvers, int parts[3],
                    int depth)
{
    const struct way cpu_then = {&backend_cpu, NULL, {1, 2, 1}, 0};
    const struct way reference_whole = {.backend = &backend_reference};
    struct outcome wanted = solve(&problem, start, &reference_whole, NULL);
    for (int s = 0; solvers[s] != NULL; s++) {
        const struct backend *backend = strcmp(solvers[s], "reference") == 0 ? &backend_reference : &backend_cpu;
        const char *solver = backend == &backend_cpu && solvers[s][0] != '\0' ? solvers[s] : NULL;
        const struct way way = {backend, solver, {parts[0], parts[1], parts[2]}, depth};
        const struct way whole = {.backend = backend, .solver = solver};
        struct outcome found = solve(&problem, start, &way, s == 1 ? &cpu_then : s == 2 ? &whole : NULL);
        assert_same_outcome(&problem, &wanted, &found);
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
        struct random_problem_options options =
            random_problem_usual(order == 1 ? SCHEME_YEE : SCHEME_FD4, PW_SINGLE, 0);
        options.probes = 0;
        options.frequencies = 0;
        struct problem problem = random_problem(options);
        for (int a = 0; a < 2; a++) {
            problem.axis[a].low.one_way = problem.axis[a].high.one_way = order;
        }
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

static struct random_volume_options volume_usual(enum scheme scheme)
{
    return (struct random_volume_options){.scheme = scheme,
                                          .precision = PW_SINGLE,
                                          .n = {53, 29, 27},
                                          .absorber = {5, 4, 6},
                                          .palette = 7,
                                          .layers = 5,
                                          .steps = 31,
                                          .sources = 1,
                                          .places = 4,
                                          .probes = 8,
                                          .frequencies = 3,
                                          .every = 2,
                                          .seed = 3};
}

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
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        compare_volume(volume_usual((enum scheme)scheme), 0, 1, 1 + scheme % 2, 2, 1 + scheme % 3);
    }
}

static void test_cuts_in_three_dimensions(void **unused)
{
    (void)unused;
    compare_volume(volume_usual(SCHEME_YEE), 0, 3, 1, 1, 2);
    compare_volume(volume_usual(SCHEME_YEE), 0, 2, 2, 2, 3);
    compare_volume(volume_usual(SCHEME_FD4), 1200, 1, 3, 2, 1);
    struct random_volume_options options = volume_usual(SCHEME_FD4);
    options.stretched = options.extruded = true;
    options.symmetric[1] = true;
    options.tensors = 20;
    compare_volume(options, 0, 1, 2, 2, 1);
}

/* Horizontal polarisation: one layer, with rows beside metal. */
static void test_a_layer(void **unused)
{
    (void)unused;
    for (int metal = 0; metal <= 40; metal += 40) {
        struct random_volume_options options = volume_usual(metal > 0 ? SCHEME_YEE : SCHEME_FD6);
        options.flat = true;
        options.n[0] = 83;
        options.n[1] = 71;
        options.n[2] = 1;
        options.absorber[2] = 0;
        options.metal = metal;
        compare_volume(options, 0, 2, 3, 1, 2);
        compare_volume(options, 0, 1, 2, 1, 5);
    }
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
        cmocka_unit_test(test_problems_as_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
