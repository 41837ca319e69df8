/* The cpu backend in three dimensions against the reference: the same bits in single precision and in double for every
 * scheme, instruction set, tile, number of threads and division of the run into batches; fields, filter states, probes
 * and spectra. And the memory it takes. */
#include "tests/volume/volume_compare.h"

/* Everything at once, from random fields or from rest. */
static struct random_volume_options busy(enum scheme scheme, pw_precision precision)
{
    struct random_volume_options options = volume_usual(scheme, precision);
    options.n[0] = 35;
    options.n[1] = 27;
    options.n[2] = 23;
    options.steps = 19;
    options.tensors = scheme == SCHEME_FD4 || scheme == SCHEME_YEE ? 20 : 0;
    options.metal = 300;
    options.seed = 3 + scheme;
    return options;
}

static void test_every_scheme_and_instruction_set(void **unused)
{
    (void)unused;
    compare_instruction_sets(busy);
}

static void test_any_tile_and_number_of_threads(void **unused)
{
    (void)unused;
    const char *tiles[] = {"1x1", "3x2", "5x7", "2x64", "8x3", "23x16", "40x5"};
    const enum scheme schemes[] = {SCHEME_YEE, SCHEME_FD4O, SCHEME_FD6};
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++) {
        for (int s = 0; s < 3; s++) {
            char solver[32];
            struct random_volume_options options = busy(schemes[s], PW_SINGLE);
            options.tensors = t % 2 ? 20 : 0;
            options.seed = (unsigned)t;
            snprintf(solver, sizeof solver, "%s:%s", tiled_solver(&options), tiles[t]);
            compare_with_cpu(&options, solver, 1, 0, true);
            compare_with_cpu(&options, solver, 2, 0, true);
            compare_with_cpu(&options, solver, 5, 5, false);
        }
    }
}

/* Whole blocks of columns of air, which fetch no coefficients, beside blocks with a wall in them; with filters along y
 * and z and without. */
static void test_rows_of_air_between_walls(void **unused)
{
    (void)unused;
    const enum scheme schemes[] = {SCHEME_YEE, SCHEME_FD4O, SCHEME_DD4};
    for (int trial = 0; trial < 12; trial++) {
        struct random_volume_options options = busy(schemes[trial % 3], trial < 9 ? PW_SINGLE : PW_DOUBLE);
        options.n[0] = 70 + trial;
        options.palette = 1 + trial % 4;
        options.extruded = true;
        options.tensors = 0;
        options.seed = 40 + (unsigned)trial;
        for (int a = 0; a < 3; a++) {
            options.absorber[a] = trial % 5;
        }
        compare_with_cpu(&options, NULL, 1 + trial % 2, 0, true);
    }
}

/* Odd sizes, thick and thin, walls, symmetry planes, absorbers here and there. */
static void test_random_volumes(void **unused)
{
    (void)unused;
    unsigned seed = 17;
    for (int trial = 0; trial < 60; trial++) {
        struct random_volume_options options = {.scheme = (enum scheme)random_between(&seed, 0, SCHEME_COUNT - 1),
                                                .precision = trial % 4 == 0 ? PW_DOUBLE : PW_SINGLE,
                                                .palette = random_between(&seed, 1, 9),
                                                .layers = random_between(&seed, 1, 6),
                                                .extruded = trial % 3 == 0,
                                                .steps = random_between(&seed, 1, 40),
                                                .sources = 1,
                                                .places = random_between(&seed, 1, 6),
                                                .hard = trial % 5 == 0,
                                                .probes = random_between(&seed, 0, 7),
                                                .frequencies = random_between(&seed, 0, 9),
                                                .every = random_between(&seed, 1, 3),
                                                .tensors = random_between(&seed, 0, 2) * 8,
                                                .metal = trial % 3 == 1 ? 200 : 0,
                                                .seed = (unsigned)trial};
        for (int a = 0; a < 3; a++) {
            options.n[a] = trial % 2 ? random_between(&seed, 1, 20) : random_between(&seed, 15, 45);
            options.absorber[a] = random_between(&seed, 0, 1) ? random_between(&seed, 0, options.n[a] / 2) : 0;
            options.symmetric[a] = random_between(&seed, 0, 3) == 0;
        }
        compare_with_cpu(&options, NULL, random_between(&seed, 1, 4), random_between(&seed, 0, 9), trial % 2 == 0);
    }
}

/* Two runs of one stepper, energy and the parts that reads hand out. */
static void test_reads_are_those_of_the_reference(void **unused)
{
    (void)unused;
    struct random_volume_options options = busy(SCHEME_FD4O, PW_SINGLE);
    options.sources = 2;
    options.steps = 60;
    struct problem problem = random_volume(options);
    const struct backend *backends[] = {&backend_reference, &backend_cpu};
    size_t nodes = (size_t)problem_nodes(&problem), points = (size_t)problem.spectra.rows;
    double *field[2], *part[2], energy[2];
    for (int b = 0; b < 2; b++) {
        struct stepper *stepper = NULL;
        pw_error error;
        assert_int_equal(stepper_create(backends[b], &problem, 0, 2, NULL, &stepper, &error), PW_OK);
        volume_advance(stepper, options.steps);
        field[b] = calloc(3 * nodes, sizeof(double));
        part[b] = calloc(1000 + 6 * points, sizeof(double));
        assert_int_equal(stepper_energy(stepper, 1, &energy[b], &error), PW_OK);
        assert_int_equal(stepper_read_field(stepper, 1, field[b], &error), PW_OK);
        assert_int_equal(stepper_read_spectra(stepper, 1, 3, 11, part[b], &error), PW_OK);
        assert_int_equal(stepper_read_samples(stepper, 1, 3, 11, part[b] + 100, &error), PW_OK);
        assert_int_equal(stepper_read_probes(stepper, 1, part[b] + 500, &error), PW_OK);
        stepper_destroy(stepper);
    }
    assert_same_values("field", field[0], field[1], 3 * nodes);
    assert_same_values("parts", part[0], part[1], 1000);
    assert_true(energy[0] > 0 && fabs(energy[0] - energy[1]) < 1e-12 * energy[0]);
    for (int b = 0; b < 2; b++) {
        free(field[b]);
        free(part[b]);
    }
    problem_free(&problem);
}

/* As large a floor plan as a laptop solves: walls that run along x, four bands of height. */
static void test_memory_stays_within_50_bytes_a_cell(void **unused)
{
    (void)unused;
    struct random_volume_options options = {.scheme = SCHEME_FD4O,
                                            .n = {400, 300, 120},
                                            .absorber = {16, 16, 16},
                                            .palette = 20,
                                            .layers = 24,
                                            .extruded = true,
                                            .steps = 1,
                                            .sources = 1};
    struct problem problem = random_volume(options);
    uint64_t host, device;
    backend_memory(&backend_cpu, &problem, 1, &host, &device);
    assert_true(device == 0 && host > 24 * (uint64_t)problem_nodes(&problem));
    assert_true((double)host < 50.0 * (double)problem_nodes(&problem));
    problem_free(&problem);
}

static void test_what_the_solvers_decline(void **unused)
{
    (void)unused;
    struct problem problem = random_volume(busy(SCHEME_YEE, PW_SINGLE));
    const char *named[][2] = {{"baseline", "it solves tm2d only"}, {"baseline-3d:4", "levels x rows"}};
    for (int n = 0; n < 2; n++) {
        struct backend_options options = {.solver = named[n][0]};
        struct stepper *stepper = NULL;
        pw_error error = {{0}};
        assert_int_equal(stepper_create(&backend_cpu, &problem, 0, 1, &options, &stepper, &error), PW_USAGE);
        assert_non_null(strstr(error.message, named[n][1]));
    }
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scheme_and_instruction_set),
        cmocka_unit_test(test_any_tile_and_number_of_threads),
        cmocka_unit_test(test_rows_of_air_between_walls),
        cmocka_unit_test(test_random_volumes),
        cmocka_unit_test(test_reads_are_those_of_the_reference),
        cmocka_unit_test(test_memory_stays_within_50_bytes_a_cell),
        cmocka_unit_test(test_what_the_solvers_decline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
