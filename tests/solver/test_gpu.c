/* The CUDA backend against the reference: every scheme, every solver, sizes that are no multiple of any tile, absorber
 * or walls, materials, sources, probes and spectra. Single precision must agree bit for bit, double within 1e-13 of the
 * largest value. Skipped, with a line that says so and status 0, where no GPU works. Leaves out: physics, which the
 * other tests and validation/ answer for. */
#include "tests/support/random_rooms.h" /* before cmocka, which has a macro fail() */

#include <pthread.h>

#include "tests/support/check.h"

/* Everything one run hands back. */
struct outcome {
    struct run_state state;
    double *spectra;
    double energy;
};

static void outcome_free(struct outcome *o)
{
    run_state_free(&o->state);
    free(o->spectra);
}

static size_t spectrum_values(const struct problem *p)
{
    return 2 * (size_t)p->spectra.frequency_count * (size_t)p->spectra.rows * (size_t)p->spectra.columns;
}

static void collect(const struct problem *p, struct stepper *state, int run, struct outcome *o)
{
    pw_error error = {0};
    if (run_state_create(p, p->steps, &o->state, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    if (stepper_save(state, run, &o->state, &error) != PW_OK ||
        stepper_energy(state, run, &o->energy, &error) != PW_OK) {
        fail_msg("%s: %s", state->solver->name, error.message);
    }
    o->spectra = random_array(spectrum_values(p), sizeof(double));
    if (p->spectra.frequency_count > 0 &&
        stepper_read_spectra(state, run, 0, p->spectra.rows, o->spectra, &error) != PW_OK) {
        fail_msg("%s: %s", state->solver->name, error.message);
    }
}

/* Steps in three unequal advances, so that passes of every length occur, and looks at the spectra on the way, which
 * must change nothing. PW_USAGE when the solver does not suit the grid. */
static pw_status solve(const struct backend *backend, const struct problem *p, const char *solver, int runs,
                       struct outcome *outcomes)
{
    pw_error error = {0};
    struct backend_options options = {.solver = solver};
    struct stepper *state = NULL;
    pw_status status = stepper_create(backend, p, 0, runs, &options, &state, &error);
    if (status == PW_USAGE && solver != NULL) {
        return status;
    }
    if (status != PW_OK) {
        fail_msg("%s %s: %s", backend->name, solver != NULL ? solver : "auto", error.message);
    }
    for (int r = 0; r < runs; r++) {
        struct run_state start;
        if (run_state_create(p, 0, &start, &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
        random_fields(p, 77 + (uint64_t)r, &start);
        if (stepper_load(state, r, &start, &error) != PW_OK) {
            fail_msg("%s: %s", backend->name, error.message);
        }
        run_state_free(&start);
    }
    int64_t parts[3] = {p->steps / 7, p->steps / 2, 0};
    parts[2] = p->steps - parts[0] - parts[1];
    for (int k = 0; k < 3; k++) {
        if (stepper_advance(state, parts[k], &error) != PW_OK) {
            fail_msg("%s %s: %s", backend->name, solver != NULL ? solver : "auto", error.message);
        }
        if (k == 0 && p->spectra.frequency_count > 0) {
            double *early = random_array(spectrum_values(p), sizeof *early);
            assert_int_equal(stepper_read_spectra(state, 0, 0, p->spectra.rows, early, &error), PW_OK);
            free(early);
        }
    }
    for (int r = 0; r < runs; r++) {
        collect(p, state, r, &outcomes[r]);
    }
    stepper_destroy(state);
    return PW_OK;
}

struct comparison {
    const char *label;
    double allowed; /* relative to the largest value; 0: the same bits (zeros of either sign are equal) */
    int failures;
};

static void compare(struct comparison *c, const char *what, size_t row, const double *got, const double *wanted,
                    size_t count)
{
    double scale = 0;
    for (size_t k = 0; k < count; k++) {
        scale = fmax(scale, fabs(wanted[k]));
    }
    size_t wrong = 0, first = 0;
    for (size_t k = 0; k < count; k++) {
        bool same = c->allowed > 0 ? fabs(got[k] - wanted[k]) <= c->allowed * scale : got[k] == wanted[k];
        if (!same) {
            first = wrong == 0 ? k : first;
            wrong++;
        }
    }
    if (wrong > 0) {
        c->failures++;
        printf("    %s: %s: %zu of %zu differ, first [%zu][%zu]: %.9g, wanted %.9g\n", c->label, what, wrong, count,
               first / row, first % row, got[first], wanted[first]);
    }
}

static void compare_outcomes(struct comparison *c, const struct problem *p, const struct outcome *got,
                             const struct outcome *wanted)
{
    size_t nx = (size_t)p->axis[0].count, ny = (size_t)p->axis[1].count, layers = 2 * (size_t)problem_layer(p);
    compare(c, "Ez", nx, got->state.ez, wanted->state.ez, nx * ny);
    compare(c, "increment", nx, got->state.increment, wanted->state.increment, nx * ny);
    if (problem_layer(p) > 0) {
        compare(c, "x_half", layers, got->state.x_half, wanted->state.x_half, layers * ny);
        compare(c, "x_node", layers, got->state.x_node, wanted->state.x_node, layers * ny);
        compare(c, "y_half", nx, got->state.y_half, wanted->state.y_half, layers * nx);
        compare(c, "y_node", nx, got->state.y_node, wanted->state.y_node, layers * nx);
    }
    if (p->probe_count > 0) {
        compare(c, "probes", (size_t)p->probe_count, got->state.probes, wanted->state.probes,
                (size_t)p->steps * (size_t)p->probe_count);
    }
    if (p->spectra.frequency_count > 0) {
        const struct spectra *s = &p->spectra;
        compare(c, "spectra", 2 * (size_t)s->columns, got->spectra, wanted->spectra, spectrum_values(p));
        compare(c, "samples", (size_t)s->columns, got->state.samples, wanted->state.samples,
                (size_t)spectra_waiting(s, p->steps) * (size_t)s->rows * (size_t)s->columns);
    }
    struct comparison loose = *c;
    loose.allowed = 1e-12;
    compare(&loose, "energy", 1, &got->energy, &wanted->energy, 1);
    c->failures = loose.failures;
}

static int cases_run, cases_unsuited;

/* One problem on the reference and on all the named solvers. */
static int check_solvers(const struct random_options *o, const char *const *solvers, int solver_count)
{
    struct problem p;
    random_problem(o, &p);
    struct outcome *wanted = random_array((size_t)o->runs, sizeof *wanted),
                   *got = random_array((size_t)o->runs, sizeof *got);
    solve(&backend_reference, &p, NULL, o->runs, wanted);
    int failures = 0;
    for (int k = 0; k < solver_count; k++) {
        if (solve(&backend_cuda, &p, solvers[k], o->runs, got) != PW_OK) {
            cases_unsuited++;
            continue;
        }
        cases_run++;
        char label[160];
        snprintf(label, sizeof label, "%s %d x %d, layer %d, materials %d, solver %s", scheme_name(o->scheme), o->nx,
                 o->ny, o->layer, (int)o->materials, solvers[k] != NULL ? solvers[k] : "auto");
        struct comparison c = {.label = label, .allowed = o->precision == PW_DOUBLE ? 1e-13 : 0};
        for (int r = 0; r < o->runs; r++) {
            compare_outcomes(&c, &p, &got[r], &wanted[r]);
            outcome_free(&got[r]);
        }
        failures += c.failures;
    }
    for (int r = 0; r < o->runs; r++) {
        outcome_free(&wanted[r]);
    }
    free(wanted);
    free(got);
    problem_free(&p);
    return failures;
}

static struct random_options usual(enum scheme scheme, int nx, int ny, int layer)
{
    return (struct random_options){.scheme = scheme,
                                   .nx = nx,
                                   .ny = ny,
                                   .layer = layer,
                                   .steps = 45,
                                   .runs = 1,
                                   .materials = MATERIALS_RANDOM,
                                   .palette_count = 11,
                                   .source_nodes = nx * ny < 50 ? 1 : 9,
                                   .probes = 5,
                                   .frequencies = 3,
                                   .spacing = 3,
                                   .every = 5,
                                   .seed = (uint64_t)(1000 * (int)scheme + nx + 7 * ny)};
}

static enum scheme scheme_of(void **state)
{
    return *(const enum scheme *)*state;
}

static void test_small_grids(void **state)
{
    static const int sizes[][3] = {
        {1, 1, 0},   {1, 9, 0},    {7, 1, 0},    {2, 3, 0},      {13, 5, 0},   {31, 29, 0},
        {33, 37, 4}, {40, 23, 11}, {67, 41, 16}, {101, 130, 16}, {230, 333, 9}}; /* the last: boxes at a zone need more
                                                                                    than those in the middle */
    static const char *const solvers[] = {"plain", "tile:1", "tile:2", "tile:4", NULL};
    int failures = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct random_options o = usual(scheme_of(state), sizes[k][0], sizes[k][1], sizes[k][2]);
        failures += check_solvers(&o, solvers, 5);
    }
    assert_int_equal(failures, 0);
}

/* The resident solver of yee: one tile and the most that it holds, a node more, tiles that are nothing but zone, few
 * and many, turned ones beside the walls, ragged at the walls, layers thin, thick and none; so many sources and probes
 * that they lie on every edge, more probes than threads; batches of one step and of none. */
static void test_yee_resident(void **state)
{
    static const int sizes[][3] = {{1, 1, 0},      {1, 9, 0},      {7, 1, 0},     {62, 96, 0},    {63, 97, 0},
                                   {31, 29, 0},    {97, 60, 0},    {125, 193, 0}, {30, 41, 12},   {34, 34, 16},
                                   {35, 60, 16},   {61, 64, 16},   {40, 23, 11},  {45, 47, 16},   {101, 130, 16},
                                   {230, 333, 9},  {131, 257, 1},  {402, 95, 24}, {133, 700, 29}, {512, 256, 32},
                                   {768, 301, 16}, {387, 766, 16}, {613, 149, 0}, {768, 768, 16}};
    static const char *const solvers[] = {"resident", "resident:1"};
    static const int steps[] = {2, 3, 7, 38, 45};
    int failures = 0;
    for (size_t k = 0; scheme_of(state) == SCHEME_YEE && k < sizeof sizes / sizeof sizes[0]; k++) {
        struct random_options o = usual(SCHEME_YEE, sizes[k][0], sizes[k][1], sizes[k][2]);
        o.steps = k < 14 ? 45 : steps[k % 5];
        o.source_nodes = k % 2 == 0 || k < 3 ? o.source_nodes : 300;
        o.hard = k % 3 == 0;
        o.probes = k % 2 == 0 ? 1500 : 9;
        o.every = 1 + (int)k % 4;
        o.spacing = 1 + (int)k % 3;
        failures += check_solvers(&o, solvers, k % 4 == 0 ? 2 : 1);
    }
    assert_int_equal(failures, 0);
}

/* The resident solver of the wide stencils: one block, few and many; ragged at the walls; layers thin, thick and none;
 * so many sources and probes that they lie on every border. */
static void test_wide_resident(void **state)
{
    static const int sizes[][3] = {{24, 29, 0},    {64, 72, 16},   {61, 70, 9},   {97, 60, 0},
                                   {101, 130, 16}, {230, 333, 9},  {131, 257, 1}, {402, 95, 24},
                                   {768, 301, 16}, {387, 766, 16}, {613, 149, 0}};
    static const char *const solvers[] = {"resident", "resident:1"};
    int failures = 0;
    for (size_t k = 0; scheme_of(state) != SCHEME_YEE && k < sizeof sizes / sizeof sizes[0]; k++) {
        struct random_options o = usual(scheme_of(state), sizes[k][0], sizes[k][1], sizes[k][2]);
        o.steps = 37 + (int)k;
        o.source_nodes = k % 2 == 0 ? 300 : 2;
        o.hard = k % 3 == 0;
        o.probes = k % 2 == 0 ? 9 : 1500;
        o.every = 1 + (int)k % 4;
        o.spacing = 1 + (int)k % 3;
        failures += check_solvers(&o, solvers, k % 4 == 0 ? 2 : 1);
    }
    assert_int_equal(failures, 0);
}

static void test_march(void **state)
{
    static const char *const solvers[] = {"march",   "march:1", "march:2", "march:3",  "march:4",
                                          "march:6", "march:8", "tile",    "resident", "resident:1"};
    static const int sizes[][3] = {{611, 157, 16}, {613, 149, 0}};
    int failures = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct random_options o = usual(scheme_of(state), sizes[k][0], sizes[k][1], sizes[k][2]);
        o.materials = k == 0 ? MATERIALS_ROOMS : MATERIALS_RANDOM;
        o.room = 50;
        o.every = k == 0 ? 12 : 5;
        failures += check_solvers(&o, solvers, scheme_of(state) == SCHEME_YEE ? 10 : 4);
    }
    assert_int_equal(failures, 0);
}

/* Frames that blocks on the chip do, and such that are too thick for them; domains hardly larger than two frames;
 * layers thin and none; so many sources and probes that they lie on every border and in every halo, of several runs. */
static void test_borders(void **state)
{
    static const char *const solvers[] = {"march", "march:1", "march:2", "march:3"};
    static const struct {
        int nx, ny, layer, sources, probes, runs;
    } cases[] = {{620, 65, 16, 300, 9, 1}, {621, 131, 1, 2, 1500, 1}, {618, 149, 0, 300, 40, 2},
                 {641, 131, 32, 9, 40, 1}, {733, 197, 20, 40, 40, 3}, {642, 90, 9, 5000, 5, 1},
                 {655, 257, 5, 1, 1, 1}};
    int failures = 0;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct random_options o = usual(scheme_of(state), cases[k].nx, cases[k].ny, cases[k].layer);
        o.steps = 33 + (int)k;
        o.source_nodes = cases[k].sources;
        o.hard = k % 2 == 0;
        o.probes = cases[k].probes;
        o.runs = cases[k].runs;
        o.every = 1 + (int)k % 4;
        o.whole = k % 3 == 0;
        o.spacing = 1 + (int)k % 2;
        failures += check_solvers(&o, solvers, k % 3 == 0 ? 4 : 2);
    }
    assert_int_equal(failures, 0);
}

static int spectra_group_of(int frequencies)
{
    const struct spectra spectra = {.frequency_count = frequencies};
    return spectra_group(&spectra);
}

/* As many frequencies as are transformed, and steps for a whole group. */
static void transform_spectra(struct random_options *o)
{
    o->frequencies = 70;
    o->every = 1;
    o->steps = 300;
}

/* Walks of yee with every kind of frame, samples of the spectra on any step of a pass, and more of them and more
 * frequencies than are added at once; planes of samples that are the field's own and such that are not. */
static void test_samples(void **state)
{
    static const char *const yee_solvers[] = {"march",    "march:6", "march:4", "march:1",
                                              "resident", "tile",    "plain",   NULL};
    static const char *const wide_solvers[] = {"march", "tile", "plain", NULL};
    static const struct {
        int nx, ny, layer, spacing, every, frequencies, runs;
        bool whole;
    } cases[] = {
        {613, 157, 16, 1, 3, 19, 1, false}, {300, 420, 0, 1, 1, 1, 1, false},  {301, 217, 9, 2, 5, 40, 2, false},
        {502, 400, 24, 1, 12, 5, 1, true},  {399, 333, 16, 4, 7, 3, 3, false}, {512, 256, 32, 1, 2, 16, 1, false},
        {320, 321, 8, 1, 8, 4, 1, true},    {287, 290, 2, 1, 4, 33, 1, true},  {318, 290, 16, 1, 1, 12, 1, true},
        {318, 290, 16, 1, 1, 64, 1, true},  {233, 217, 9, 2, 1, 150, 2, false}};
    bool yee = scheme_of(state) == SCHEME_YEE;
    int failures = 0;
    for (size_t k = yee ? 0 : 5; k < sizeof cases / sizeof cases[0]; k++) {
        struct random_options o = usual(scheme_of(state), cases[k].nx, cases[k].ny, cases[k].layer);
        o.spacing = cases[k].spacing;
        o.every = cases[k].every;
        o.frequencies = cases[k].frequencies;
        o.runs = cases[k].runs;
        o.whole = cases[k].whole;
        o.steps = spectra_group_of(o.frequencies) == 256 ? 600 : yee ? 211 : 99;
        o.probes = 40;
        failures += check_solvers(&o, yee ? yee_solvers : wide_solvers, yee ? 8 : 4);
    }
    assert_int_equal(failures, 0);
}

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

static void test_several_runs(void **state)
{
    static const char *const solvers[] = {"plain", "tile", "march", "resident", NULL};
    struct random_options o = usual(scheme_of(state), 620, 131, 16);
    o.runs = 3;
    o.hard = true;
    o.palette_count = 3000; /* more than the walks keep in shared memory */
    assert_int_equal(check_solvers(&o, solvers, 5), 0);
}

/* A simulation that steps in a thread of its own. */
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

static void test_double(void **state)
{
    static const char *const solvers[] = {"plain", NULL};
    struct random_options o = usual(scheme_of(state), 67, 53, 9);
    o.precision = PW_DOUBLE;
    assert_int_equal(check_solvers(&o, solvers, 2), 0);
    transform_spectra(&o);
    assert_int_equal(check_solvers(&o, solvers, 2), 0);
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
    char device[128];
    pw_error error = {0};
    pw_status status = backend_cuda.probe(device, sizeof device, &error);
    if (status != PW_OK) {
        printf("skipped: %s\n", error.message);
        return 0;
    }
    printf("device: %s\n", device);
    static enum scheme schemes[SCHEME_COUNT];
    enum { KINDS = 9 };
    static char names[KINDS * SCHEME_COUNT][64];
    static const struct {
        const char *name;
        void (*run)(void **);
    } kinds[KINDS] = {{"small grids", test_small_grids},
                      {"resident, yee", test_yee_resident},
                      {"small wide", test_wide_resident},
                      {"walks", test_march},
                      {"frames", test_borders},
                      {"several runs", test_several_runs},
                      {"samples", test_samples},
                      {"double", test_double},
                      {"resume", test_resume}};
    struct CMUnitTest tests[KINDS * SCHEME_COUNT + 4];
    int count = 0;
    for (int s = 0; s < SCHEME_COUNT; s++) {
        schemes[s] = (enum scheme)s;
        for (int k = 0; k < KINDS; k++) {
            if ((argc > 1 && strcmp(argv[1], scheme_name(schemes[s])) != 0) ||
                (argc > 2 && strcmp(argv[2], kinds[k].name) != 0)) {
                continue;
            }
            snprintf(names[count], sizeof names[count], "%s: %s", scheme_name(schemes[s]), kinds[k].name);
            tests[count] =
                (struct CMUnitTest){.name = names[count], .test_func = kinds[k].run, .initial_state = &schemes[s]};
            count++;
        }
    }
    if (argc < 3) {
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_misuse);
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_nan_shows);
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_threads);
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_spectra_beyond_the_device);
    }
    int failed = _cmocka_run_group_tests("gpu", tests, (size_t)count, NULL, NULL);
    printf("%d comparisons with the reference, %d solvers did not suit their grid\n", cases_run, cases_unsuited);
    return failed;
}
