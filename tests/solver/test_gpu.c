/* The CUDA backend against the reference: every scheme, every solver, sizes that are no multiple of any tile, absorber
 * or walls, materials, sources, probes and spectra; bit for bit in single precision (gpu_compare.h). Skipped, with a
 * line that says so and status 0, where no GPU works. Leaves out: physics, which the other tests and validation/ answer
 * for, and what happens to a state (test_gpu_state.c). */
#include "tests/support/gpu/gpu_compare.h"

static void test_small_grids(void **state)
{
    static const int sizes[][3] = {
        {1, 1, 0},   {1, 9, 0},    {7, 1, 0},    {2, 3, 0},      {13, 5, 0},   {31, 29, 0},
        {33, 37, 4}, {40, 23, 11}, {67, 41, 16}, {101, 130, 16}, {230, 333, 9}}; /* the last: boxes at an absorber need
                                                                                    more than those in the middle */
    static const char *const solvers[] = {"plain", "tile:1", "tile:2", "tile:4", NULL};
    int failures = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct random_options o = usual(scheme_of(state), sizes[k][0], sizes[k][1], sizes[k][2]);
        o.stretched = k % 2 == 1;
        failures += check_solvers(&o, solvers, 5);
    }
    assert_int_equal(failures, 0);
}

/* The resident solver of yee: one tile and the most that it holds, a node more, tiles that are nothing but absorber,
 * few and many, turned ones beside the walls, ragged at the walls, layers thin, thick and none; so many sources and
 * probes that they lie on every edge, more probes than threads; batches of one step and of none. */
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
        o.stretched = k % 2 == 1;
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
        o.stretched = k % 2 == 1;
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

/* The solver with Ez alone on the chip: tiles of one round and of several, ragged at the walls, in one column and in
 * many; layers thin, thick and none; so many sources and probes that they lie on every border, and several runs. */
static void test_streamed(void **state)
{
    static const int sizes[][3] = {{48, 51, 16},     {61, 70, 9},     {97, 60, 0},     {24, 29, 0},
                                   {101, 130, 16},   {230, 333, 9},   {131, 257, 1},   {402, 95, 22},
                                   {768, 301, 16},   {613, 149, 0},   {1003, 917, 16}, {170, 2051, 5},
                                   {1537, 1402, 20}, {1333, 1501, 0}, {2048, 2048, 16}};
    static const char *const solvers[] = {"streamed", "streamed:1"};
    enum scheme scheme = scheme_of(state);
    int failures = 0;
    for (size_t k = 0; scheme != SCHEME_YEE && k < sizeof sizes / sizeof sizes[0]; k++) {
        struct random_options o = usual(scheme, sizes[k][0], sizes[k][1], sizes[k][2]);
        o.stretched = k % 2 == 1;
        o.steps = k < 10 ? 37 + (int)k : 15;
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
        o.stretched = k % 2 == 1;
        o.materials = k == 0 ? MATERIALS_ROOMS : MATERIALS_RANDOM;
        o.room = 50;
        o.every = k == 0 ? 12 : 5;
        failures += check_solvers(&o, solvers, scheme_of(state) == SCHEME_YEE ? 10 : 4);
    }
    assert_int_equal(failures, 0);
}

/* Borders that blocks in registers do, and such as are too thick for them; domains hardly larger than two borders;
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

/* Marches of yee with every kind of border, samples of the spectra on any step of a pass, and more of them and more
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

static void test_several_runs(void **state)
{
    static const char *const solvers[] = {"plain", "tile", "march", "resident", NULL};
    struct random_options o = usual(scheme_of(state), 620, 131, 16);
    o.runs = 3;
    o.hard = true;
    o.palette_count = 3000; /* more than the marches hold in shared memory */
    assert_int_equal(check_solvers(&o, solvers, 5), 0);
}

/* Nodes that differ in phase: several drives, of many nodes and few; solvers that do not take them are passed over. */
static void test_several_drives(void **state)
{
    static const char *const solvers[] = {"plain", "tile", NULL};
    int failures = 0;
    for (int k = 0; k < 4; k++) {
        struct random_options o = usual(scheme_of(state), 131 + 60 * k, 97, k % 2 == 0 ? 16 : 0);
        o.further = 1 + k;
        o.source_nodes = k % 2 == 0 ? 300 : 9;
        o.runs = 1 + k % 2;
        failures += check_solvers(&o, solvers, 3);
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

/* Nodes beside metal, in the box and in its halo, by one step a pass and by several; so many that every box of a march
 * sees some, and so few that most do not. */
static void test_metal_rows(void **state)
{
    static const struct {
        int nx, ny, layer, metal, runs;
        bool planes;
    } cases[] = {{67, 41, 16, 3, 1, false},      {101, 130, 16, 7, 2, false},   {230, 333, 9, 11, 1, false},
                 {402, 95, 24, 15, 2, false},    {613, 449, 0, 19, 1, false},   {820, 260, 16, 7, 1, false},
                 {1010, 301, 16, 900, 1, false}, {700, 420, 9, 1300, 3, false}, {690, 190, 16, 30, 1, true}};
    static const char *const solvers[] = {"plain",   "tile:1",  "tile:2",  "tile:4",  "march:1", "march:2",
                                          "march:3", "march:4", "march:6", "march:8", NULL};
    int failures = 0;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct random_options o = usual(scheme_of(state), cases[k].nx, cases[k].ny, cases[k].layer);
        o.metal = cases[k].metal;
        o.runs = cases[k].runs;
        o.symmetric[0] = o.symmetric[1] = cases[k].planes;
        o.palette_count = k == 5 ? 3000 : o.palette_count; /* more than the marches hold in shared memory */
        failures += check_solvers(&o, solvers, sizeof solvers / sizeof solvers[0]);
    }
    struct random_options o = usual(scheme_of(state), 131, 97, 16);
    o.metal = 5;
    o.precision = PW_DOUBLE;
    static const char *const both[] = {"plain", NULL};
    failures += check_solvers(&o, both, 2);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    static const struct scheme_test kinds[] = {{"small grids", test_small_grids},
                                               {"nodes beside metal", test_metal_rows},
                                               {"resident, yee", test_yee_resident},
                                               {"resident, wide", test_wide_resident},
                                               {"streamed", test_streamed},
                                               {"marches", test_march},
                                               {"borders", test_borders},
                                               {"several runs", test_several_runs},
                                               {"several drives", test_several_drives},
                                               {"samples", test_samples},
                                               {"double", test_double}};
    return run_scheme_tests("gpu", kinds, sizeof kinds / sizeof kinds[0], argc, argv);
}
