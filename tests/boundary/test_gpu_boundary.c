/* The CUDA backend beside walls that are neither conductors nor absorbers, against the reference: symmetry planes (PMC)
 * on every solver that takes them, and edges that obey Mur's condition on the plain one; bit for bit in single
 * precision, within 1e-13 in double (gpu_compare.h). With sources on the planes and in their corner, probes and spectra
 * up to them; states that go from the host to the device and back. Skipped, with a line that says so and status 0,
 * where no GPU works. Leaves out: what the conditions do (test_pmc.c, test_mur.c). */
#include "tests/support/gpu/gpu_compare.h"

static void set_planes(struct random_options *o, int planes)
{
    o->symmetric[0] = planes % 2 == 1;
    o->symmetric[1] = planes / 2 == 1;
}

/* Odd sizes, layers thin, thick and none, and such grids that a plane is hardly further from the opposite wall than the
 * layer is deep, which only the plain solver takes. */
static void test_planes(void **state)
{
    static const int sizes[][3] = {{33, 37, 4},    {40, 31, 11},  {67, 41, 16}, {29, 131, 0},
                                   {101, 130, 16}, {230, 333, 9}, {29, 25, 16}};
    static const char *const solvers[] = {"plain", "tile:1", "tile:2", "tile:4", NULL};
    int failures = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (int planes = sizes[k][0] < 2 * sizes[k][2] ? 3 : 1; planes <= 3; planes++) {
            struct random_options o = usual(scheme_of(state), sizes[k][0], sizes[k][1], sizes[k][2]);
            set_planes(&o, planes);
            o.stretched = k % 2 == 1;
            o.source_nodes = k % 2 == 0 ? 9 : 300;
            o.hard = k % 3 == 0;
            o.probes = k % 2 == 0 ? 300 : 9;
            o.whole = k % 2 == 0;
            o.spacing = 1 + (int)k % 3;
            failures += check_solvers(&o, solvers, 5);
        }
    }
    assert_int_equal(failures, 0);
}

static void test_planes_of_marches(void **state)
{
    static const char *const solvers[] = {"march", "march:1", "march:2", "march:3", "march:4", "march:8", "tile"};
    static const int sizes[][3] = {{611, 157, 16}, {613, 149, 0}, {621, 131, 3}};
    int failures = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (int planes = 1; planes <= 3; planes++) {
            struct random_options o = usual(scheme_of(state), sizes[k][0], sizes[k][1], sizes[k][2]);
            set_planes(&o, planes);
            o.materials = planes == 3 ? MATERIALS_ROOMS : MATERIALS_RANDOM;
            o.room = 50;
            o.runs = planes == 2 ? 2 : 1;
            o.source_nodes = planes == 1 ? 300 : 9;
            o.hard = k % 2 == 1;
            o.probes = 40;
            o.every = k == 0 ? 12 : 5;
            failures += check_solvers(&o, solvers, scheme_of(state) == SCHEME_YEE ? 7 : 4);
        }
    }
    assert_int_equal(failures, 0);
}

static void test_planes_otherwise(void **state)
{
    static const char *const solvers[] = {"plain", "tile", "march", NULL};
    struct random_options o = usual(scheme_of(state), 301, 217, 9);
    set_planes(&o, 1);
    transform_spectra(&o);
    assert_int_equal(check_solvers(&o, solvers, 4), 0);
    o = usual(scheme_of(state), 67, 53, 9);
    set_planes(&o, 3);
    o.precision = PW_DOUBLE;
    assert_int_equal(check_solvers(&o, solvers, 1), 0);
}

/* ---- Mur --------------------------------------------------------------------------------------------------------- */

/* Orders of the ends, and planes. */
static const struct {
    int one_way[2][2], planes;
} EDGES[] = {{{{1, 1}, {1, 1}}, 0}, {{{2, 2}, {2, 2}}, 0}, {{{0, 0}, {0, 2}}, 0},
             {{{2, 0}, {0, 0}}, 0}, {{{0, 2}, {2, 1}}, 1}, {{{0, 1}, {0, 2}}, 3}};
enum { EDGES_COUNT = sizeof EDGES / sizeof EDGES[0] };

static struct random_options edge_options(enum scheme scheme, int k)
{
    struct random_options o = usual(scheme, 97 - 5 * k, 61 + 7 * k, k % 2 == 0 ? 0 : 9);
    memcpy(o.one_way, EDGES[k].one_way, sizeof o.one_way);
    set_planes(&o, EDGES[k].planes);
    o.runs = 1 + k % 3;
    o.source_nodes = k % 2 == 0 ? 9 : 300;
    o.hard = k % 2 == 1;
    o.probes = 60;
    o.spacing = 1 + k % 2;
    return o;
}

static void test_edges(void **state)
{
    static const char *const solvers[] = {"plain", NULL};
    int failures = 0;
    for (int k = 0; k < EDGES_COUNT; k++) {
        struct random_options o = edge_options(scheme_of(state), k);
        failures += check_solvers(&o, solvers, 2);
        o.precision = PW_DOUBLE;
        failures += check_solvers(&o, solvers, 1);
    }
    struct random_options o = edge_options(scheme_of(state), 1);
    transform_spectra(&o);
    failures += check_solvers(&o, solvers, 1);
    assert_int_equal(failures, 0);
}

/* What keeps fields on the chip or does several steps at once says why not; a source at the edge suits no solver. */
static void test_declined(void **state)
{
    static const char *const solvers[] = {"resident", "streamed", "march", "tile"};
    struct random_options o = edge_options(scheme_of(state), 0);
    struct problem p;
    for (int turn = 0; turn < 5; turn++) {
        struct backend_options options = {.solver = turn < 4 ? solvers[turn] : "plain"};
        struct stepper *stepper = NULL;
        pw_error error = {{0}};
        random_problem(&o, &p);
        if (turn == 4) {
            p.sources[0].node[0] = 20 * (int64_t)o.nx + 1;
        }
        assert_int_equal(stepper_create(&backend_cuda, &p, 0, 1, &options, &stepper, &error), PW_USAGE);
        if (strstr(error.message, turn < 4 ? "no one-way edges (mur)" : "nearer to a one-way edge (mur)") == NULL) {
            fail_msg("%s: '%s'", options.solver, error.message);
        }
        problem_free(&p);
    }
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* The first part on one backend, the rest on the other from its state, and back for the last. */
static int moves(const struct random_options *o, const struct backend *const way[3], const char *solver)
{
    struct problem p;
    struct outcome wanted, got;
    struct run_state part;
    pw_error error = {{0}};
    random_problem(o, &p);
    solve(&backend_reference, &p, NULL, 1, &wanted);
    if (run_state_create(&p, p.steps, &part, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    random_fields(&p, 77, &part); /* as solve() does */
    for (int k = 0; k < 3; k++) {
        const struct backend_options options = {.solver = way[k] == &backend_cuda ? solver : NULL};
        struct stepper *stepper = NULL;
        int64_t steps = k < 2 ? p.steps / 3 : p.steps - 2 * (p.steps / 3);
        if (stepper_create(way[k], &p, 0, 1, &options, &stepper, &error) != PW_OK ||
            stepper_load(stepper, 0, &part, &error) != PW_OK || stepper_advance(stepper, steps, &error) != PW_OK ||
            stepper_save(stepper, 0, &part, &error) != PW_OK) {
            fail_msg("%s: %s", way[k]->name, error.message);
        }
        if (k == 2) {
            collect(&p, stepper, 0, &got);
        }
        stepper_destroy(stepper);
    }
    struct comparison c = {.label = way[0] == &backend_cuda ? "cuda, cpu, cuda" : "cpu, cuda, cpu"};
    compare_outcomes(&c, &p, &got, &wanted);
    outcome_free(&got);
    outcome_free(&wanted);
    run_state_free(&part);
    problem_free(&p);
    cases_run++;
    return c.failures;
}

static void test_states_move(void **state)
{
    const struct backend *const ways[2][3] = {{&backend_cpu, &backend_cuda, &backend_cpu},
                                              {&backend_cuda, &backend_cpu, &backend_cuda}};
    int failures = 0;
    for (int w = 0; w < 2; w++) {
        struct random_options o = edge_options(scheme_of(state), 4);
        o.runs = 1;
        failures += moves(&o, ways[w], NULL);
        o = usual(scheme_of(state), 611, 157, 16);
        set_planes(&o, 1 + w);
        failures += moves(&o, ways[w], "march");
        failures += moves(&o, ways[w], "tile");
    }
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    static const struct scheme_test kinds[] = {{"planes", test_planes},
                                               {"planes of marches", test_planes_of_marches},
                                               {"planes otherwise", test_planes_otherwise},
                                               {"edges", test_edges},
                                               {"declined", test_declined},
                                               {"states move", test_states_move}};
    return run_scheme_tests("gpu boundary", kinds, sizeof kinds / sizeof kinds[0], argc, argv);
}
