/* The reference backend in three dimensions: laws that hold to the last bit or to rounding (physics.md section 9).
 * Closed forms are in test_volume_exact.c, what is recorded in test_volume_records.c. */
#include "tests/volume/volume_compare.h"

/* ---- linearity and reciprocity ------------------------------------------------------------------------------------
 */

static void test_fields_are_linear_in_the_source(void **unused)
{
    (void)unused;
    struct random_volume_options options = volume_usual(SCHEME_FD4, PW_SINGLE);
    options.tensors = 12;
    struct problem problem = random_volume(options);
    struct run_state once = volume_reference(&problem);
    for (int64_t s = 0; s < problem.sources[0].count; s++) {
        problem.sources[0].weight[s] *= -4;
    }
    struct run_state fourfold = volume_reference(&problem);
    size_t nodes = (size_t)problem_nodes(&problem);
    for (int c = 0; c < 6; c++) {
        assert_true(largest_of(once.field[c], nodes) > 1e-4);
        for (size_t n = 0; n < nodes; n++) {
            once.field[c][n] *= -4; /* a power of two: no rounding differs */
        }
        assert_same_values("linear", once.field[c], fourfold.field[c], nodes);
    }
    run_state_free(&once);
    run_state_free(&fourfold);
    problem_free(&problem);
}

/* What a probe at one place records when a current flows at another; cb turns a current into the source's weight. */
static struct run_state transfer(struct problem *problem, const struct tensor_node *place)
{
    struct source *source = &problem->sources[0];
    int64_t nodes = problem_nodes(problem);
    int i = (int)(place[0].node % problem->axis[0].count),
        j = (int)(place[0].node / problem->axis[0].count) % problem->axis[1].count;
    int k = (int)(place[0].node / problem->axis[0].count / problem->axis[1].count);
    uint16_t medium = problem_coefficient_at(problem, (int)place[0].from, i, j, k);
    source->count = 1;
    source->node[0] = place[0].from * nodes + place[0].node;
    source->weight[0] = problem_coefficient(problem, medium)[COEFFICIENT_CB];
    problem->probes[0] = (struct probe){.component = place[1].from, .node = place[1].node};
    return volume_reference(problem);
}

static void check_reciprocity(enum scheme scheme, bool lossless)
{
    struct random_volume_options options = volume_usual(scheme, PW_DOUBLE);
    options.lossless = lossless; /* a tensor node is reciprocal where no current flows beside it */
    options.palette = 3;
    options.steps = 150;
    options.probes = 1;
    options.frequencies = 0;
    struct problem problem = random_volume(options);
    unsigned seed = 3;
    random_volume_tensors(&problem, lossless ? 10 : 0, &seed);
    struct tensor_node ends[2] = {{.node = volume_place(&problem, 0, 6, 12, 5), .from = COMPONENT_EX},
                                  {.node = volume_place(&problem, 0, 15, 5, 17), .from = COMPONENT_EZ}};
    struct tensor_node reversed[2] = {ends[1], ends[0]};
    struct run_state there = transfer(&problem, ends), back = transfer(&problem, reversed);
    double peak = largest_of(there.probes, (size_t)options.steps);
    assert_true(peak > 1e-7);
    assert_true(largest_difference(there.probes, back.probes, 1, (size_t)options.steps) < 1e-12 * peak);
    run_state_free(&there);
    run_state_free(&back);
    problem_free(&problem);
}

static void test_places_answer_each_other(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        check_reciprocity((enum scheme)scheme, false);
        check_reciprocity((enum scheme)scheme, true);
    }
}

/* ---- symmetries: the same bits in another order --------------------------------------------------------------------
 */

/* Every axis becomes the next one: x of the old problem is y of the new, and so on. */
static int64_t turn_node(const struct problem *from, int64_t node)
{
    int64_t nx = from->axis[0].count, ny = from->axis[1].count, nz = from->axis[2].count;
    int64_t i = node % nx, j = node / nx % ny, k = node / nx / ny;
    return (j * nx + i) * nz + k; /* new x: old z, new y: old x, new z: old y */
}

static int64_t turn_place(const struct problem *from, int64_t place)
{
    int64_t nodes = problem_nodes(from), component = place / nodes;
    return (component / 3 * 3 + (component + 1) % 3) * nodes + turn_node(from, place % nodes);
}

/* Every level of every component has a layer of its own, since a turned layer is no layer. */
static void turn_media(const struct problem *from, struct problem *to)
{
    size_t plane = (size_t)to->axis[0].count * (size_t)to->axis[1].count, nodes = (size_t)problem_nodes(to);
    int nz = to->axis[2].count, at[3];
    free(to->coefficient_index);
    to->layer_count = 3 * nz;
    to->coefficient_index = calloc(3 * nodes, sizeof(uint16_t));
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < nz; k++) {
            to->layer[c][k] = c * nz + k;
        }
        for (size_t n = 0; n < nodes; n++) {
            at[2] = (int)(n % (size_t)to->axis[0].count);
            at[0] = (int)(n / (size_t)to->axis[0].count) % to->axis[1].count;
            at[1] = (int)(n / plane);
            to->coefficient_index[(size_t)c * nodes + n] =
                problem_coefficient_at(from, (c + 2) % 3, at[0], at[1], at[2]);
        }
    }
}

static void test_axes_are_equal(void **unused)
{
    (void)unused;
    for (int scheme = SCHEME_YEE; scheme <= SCHEME_FD4; scheme += SCHEME_FD4 - SCHEME_YEE) {
        struct random_volume_options options = volume_usual((enum scheme)scheme, PW_SINGLE), turned_options = options;
        options.frequencies = turned_options.frequencies = 0;
        options.absorber[1] = 0;
        for (int a = 0; a < 3; a++) {
            turned_options.n[(a + 1) % 3] = options.n[a];
            turned_options.absorber[(a + 1) % 3] = options.absorber[a];
        }
        struct problem problem = random_volume(options), turned = random_volume(turned_options);
        unsigned seed = 8;
        random_volume_tensors(&problem, 1, &seed); /* of several, the order would turn as well */
        turned.tensor_nodes = calloc(1, sizeof *turned.tensor_nodes);
        turned.tensor_count = 1;
        turned.tensor_nodes[0] = problem.tensor_nodes[0];
        turned.tensor_nodes[0].node = turn_node(&problem, problem.tensor_nodes[0].node);
        turned.tensor_nodes[0].from = (problem.tensor_nodes[0].from + 1) % 3;
        turned.tensor_nodes[0].to = (problem.tensor_nodes[0].to + 1) % 3;
        memcpy(turned.coefficients, problem.coefficients, 12 * sizeof(double));
        turn_media(&problem, &turned);
        turned.sources[0].count = problem.sources[0].count;
        memcpy(turned.sources[0].weight, problem.sources[0].weight, 5 * sizeof(double));
        for (int64_t s = 0; s < problem.sources[0].count; s++) {
            turned.sources[0].node[s] = turn_place(&problem, problem.sources[0].node[s]);
        }
        struct run_state straight = volume_reference(&problem), end = volume_reference(&turned);
        int64_t nodes = problem_nodes(&problem);
        for (int64_t place = 0; place < 6 * nodes; place++) {
            int64_t to = turn_place(&problem, place);
            assert_same_values("turned", &straight.field[place / nodes][place % nodes],
                               &end.field[to / nodes][to % nodes], 1);
        }
        run_state_free(&straight);
        run_state_free(&end);
        problem_free(&problem);
        problem_free(&turned);
    }
}

/* Around a symmetry plane of x, which lies at node `plane`: the half of a problem with a magnetic wall there. */
static struct problem upper_half(const struct problem *whole, const struct random_volume_options *options, int plane)
{
    struct random_volume_options half_options = *options;
    half_options.n[0] = options->n[0] - plane;
    half_options.symmetric[0] = true;
    struct problem half = random_volume(half_options);
    int nx = whole->axis[0].count, ny = whole->axis[1].count, n = half.axis[0].count;
    memcpy(half.coefficients, whole->coefficients, 2 * (size_t)whole->coefficient_count * sizeof(double));
    for (int row = 0; row < ny * whole->layer_count; row++) {
        memcpy(half.coefficient_index + (ptrdiff_t)row * n, whole->coefficient_index + (ptrdiff_t)row * nx + plane,
               (size_t)n * sizeof(uint16_t));
    }
    for (int c = 0; c < 3; c++) {
        memcpy(half.layer[c], whole->layer[c], (size_t)half.axis[2].count * sizeof(int));
    }
    return half;
}

/* A dipole on the plane, along it. */
static void set_dipole(struct problem *problem, int i)
{
    struct source *source = &problem->sources[0];
    source->count = 1;
    source->node[0] = volume_place(problem, COMPONENT_EZ, i, 9, 11);
    source->weight[0] = 0.7;
}

static void check_symmetry_plane(enum scheme scheme)
{
    enum { PLANE = 12 };
    struct random_volume_options options = volume_usual(scheme, PW_SINGLE);
    options.n[0] = 2 * PLANE;
    options.frequencies = 0;
    options.layers = 2; /* one for Ex at half nodes, one for Ey and Ez at nodes */
    struct problem whole = random_volume(options);
    for (int k = 0; k < options.n[2]; k++) {
        whole.layer[0][k] = 0;
        whole.layer[1][k] = whole.layer[2][k] = 1;
    }
    for (int layer = 0; layer < 2; layer++) {
        for (int j = 0; j < options.n[1]; j++) {
            uint16_t *row = whole.coefficient_index + (ptrdiff_t)(layer * options.n[1] + j) * 2 * PLANE;
            for (int i = 1; i <= PLANE; i++) {
                row[PLANE - i] = layer == 0 ? row[PLANE + i - 1] : i < PLANE ? row[PLANE + i] : (uint16_t)0;
            }
        }
    }
    struct problem half = upper_half(&whole, &options, PLANE);
    set_dipole(&whole, PLANE);
    set_dipole(&half, 0);
    struct run_state all = volume_reference(&whole), upper = volume_reference(&half);
    for (int c = 0; c < 6; c++) {
        size_t rows = (size_t)options.n[1] * (size_t)options.n[2];
        assert_true(largest_of(upper.field[c], rows * PLANE) > 1e-4);
        for (size_t row = 0; row < rows; row++) {
            double *line = all.field[c] + row * 2 * PLANE;
            assert_same_values("half", line + PLANE, upper.field[c] + row * PLANE, PLANE);
            for (int i = 0; i < PLANE - 1; i++) { /* and the whole is its own mirror image */
                bool on_node = (c % 3 == 0) == (c >= COMPONENT_HX),
                     odd = c == COMPONENT_EX || c == COMPONENT_HY || c == COMPONENT_HZ;
                double own = line[PLANE + i + (on_node ? 1 : 0)], below = line[PLANE - 1 - i];
                double image = odd ? -below : below;
                assert_same_values("mirror", &own, &image, 1);
            }
        }
    }
    run_state_free(&all);
    run_state_free(&upper);
    problem_free(&whole);
    problem_free(&half);
}

static void test_magnetic_wall_is_a_symmetry_plane(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        check_symmetry_plane((enum scheme)scheme);
    }
}

/* ---- tensor nodes -------------------------------------------------------------------------------------------------
 */

static double curl_at(const struct problem *problem, const struct run_state *state, int c, const int *at)
{
    double part[2] = {0, 0};
    int64_t stride[3] = {1, problem->axis[0].count, (int64_t)problem->axis[0].count * problem->axis[1].count};
    for (int p = 0; p < 2; p++) {
        int axis = (c + 1 + p) % 3, component = COMPONENT_HX + (c + 2 - p) % 3;
        const double *h = state->field[component] + volume_place(problem, 0, at[0], at[1], at[2]);
        for (int l = 0; l < problem->reach; l++) {
            part[p] += problem->difference[l] * (h[l * stride[axis]] - h[-(l + 1) * stride[axis]]);
        }
    }
    return part[0] - part[1];
}

/* The definition (problem.h), from the fields of one step with and without one tensor node. */
static void test_a_tensor_node_couples_two_components(void **unused)
{
    (void)unused;
    struct random_volume_options options = volume_usual(SCHEME_FD4, PW_DOUBLE);
    options.steps = 1;
    options.frequencies = 0;
    struct problem problem = random_volume(options);
    problem.tensor_nodes = calloc(1, sizeof *problem.tensor_nodes);
    problem.tensor_nodes[0] =
        (struct tensor_node){volume_place(&problem, 0, 10, 9, 11), COMPONENT_EZ, COMPONENT_EY, 0.02};
    struct run_state start;
    pw_error error;
    assert_int_equal(run_state_create(&problem, 1, &start, &error), PW_OK);
    random_volume_start(&problem, &start, 2);
    struct run_state without = volume_solve(&backend_reference, &problem, NULL, &start, 0);
    problem.tensor_count = 1;
    struct run_state with = volume_solve(&backend_reference, &problem, NULL, &start, 0);
    double mean_z =
        0.5 * (curl_at(&problem, &with, 2, (int[]){10, 9, 11}) + curl_at(&problem, &with, 2, (int[]){10, 9, 10}));
    double mean_y =
        0.5 * (curl_at(&problem, &with, 1, (int[]){10, 9, 11}) + curl_at(&problem, &with, 1, (int[]){10, 8, 11}));
    struct {
        int component, i, j, k;
        double gain;
    } gains[] = {{COMPONENT_EY, 10, 9, 11, mean_z},
                 {COMPONENT_EY, 10, 8, 11, mean_z},
                 {COMPONENT_EZ, 10, 9, 11, mean_y},
                 {COMPONENT_EZ, 10, 9, 10, mean_y}};
    for (int g = 0; g < 4; g++) {
        int64_t node = volume_place(&problem, 0, gains[g].i, gains[g].j, gains[g].k);
        double *after = &with.field[gains[g].component][node], before = without.field[gains[g].component][node];
        assert_true(fabs(gains[g].gain) > 0.01);
        assert_true(fabs(*after - before - 0.01 * gains[g].gain) < 1e-14);
        *after = before; /* and nothing else has changed */
    }
    assert_same_states(&problem, &without, &with);
    run_state_free(&start);
    run_state_free(&with);
    run_state_free(&without);
    problem_free(&problem);
}

/* ---- late times ----------------------------------------------------------------------------------------------------
 */

/* Lossy walls that run into the absorber: what is left after the pulse keeps falling. */
static void test_nothing_grows_late(void **unused)
{
    (void)unused;
    for (int scheme = SCHEME_YEE; scheme <= SCHEME_FD4; scheme += SCHEME_FD4 - SCHEME_YEE) {
        struct random_volume_options options = volume_usual((enum scheme)scheme, PW_SINGLE);
        const int64_t looks[] = {40, 1500, 3000};
        double energy[3];
        options.frequencies = options.probes = 0;
        options.extruded = true;
        options.palette = 3;
        options.steps = looks[2];
        struct problem problem = random_volume(options);
        struct stepper *stepper = volume_stepper(&backend_reference, &problem, NULL);
        pw_error error;
        for (int look = 0; look < 3; look++) {
            volume_advance(stepper, looks[look] - (look > 0 ? looks[look - 1] : 0));
            assert_int_equal(stepper_energy(stepper, 0, &energy[look], &error), PW_OK);
        }
        assert_true(energy[0] > 0 && energy[2] < 1e-6 * energy[0] && energy[2] <= energy[1]);
        stepper_destroy(stepper);
        problem_free(&problem);
    }
}

/* Grids smaller than the stencil, one cell thin along any axis: images of images. */
static void test_tiny_grids(void **unused)
{
    (void)unused;
    const int sizes[][3] = {{1, 5, 4}, {4, 1, 5}, {5, 4, 1}, {2, 3, 2}, {1, 1, 1}};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            struct random_volume_options options = volume_usual((enum scheme)scheme, PW_DOUBLE);
            memcpy(options.n, sizes[s], sizeof options.n);
            memset(options.absorber, 0, sizeof options.absorber);
            options.frequencies = 0;
            struct problem problem = random_volume(options);
            struct run_state end = volume_reference(&problem);
            for (int c = 0; c < 6; c++) {
                assert_true(largest_of(end.field[c], (size_t)problem_nodes(&problem)) < 100);
            }
            run_state_free(&end);
            problem_free(&problem);
        }
    }
}

static void test_what_the_solver_declines(void **unused)
{
    (void)unused;
    struct problem problem = random_volume(volume_usual(SCHEME_YEE, PW_SINGLE));
    struct stepper *stepper = NULL;
    struct backend_options options = {.solver = "tm2d"};
    pw_error error = {{0}};
    assert_int_equal(stepper_create(&backend_reference, &problem, 0, 1, &options, &stepper, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "it solves tm2d only"));
    problem.axis[1].spacing *= 2;
    assert_int_equal(stepper_create(&backend_reference, &problem, 0, 1, NULL, &stepper, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "cubes"));
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_are_linear_in_the_source),
        cmocka_unit_test(test_places_answer_each_other),
        cmocka_unit_test(test_axes_are_equal),
        cmocka_unit_test(test_magnetic_wall_is_a_symmetry_plane),
        cmocka_unit_test(test_a_tensor_node_couples_two_components),
        cmocka_unit_test(test_nothing_grows_late),
        cmocka_unit_test(test_tiny_grids),
        cmocka_unit_test(test_what_the_solver_declines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
