/* The reference backend in three dimensions against what is known exactly, in double (physics.md section 9): the modes
 * of a conducting box, which obey the discrete dispersion relation, and extruded rooms between a conducting floor and
 * ceiling, which the two-dimensional solver knows. Every scheme. */
#include "tests/volume/volume_compare.h"

static const double PI = 3.14159265358979323846;

/* ---- modes of a box ---------------------------------------------------------------------------------------------- */

/* A mode with half waves mode[a] along axis a: component c of E goes as amplitude[c] times cosine along its own axis,
 * at half nodes, and sine along the others; h the other way round. */
struct box_mode {
    const struct problem *problem;
    double number[3];    /* pi mode/n */
    double amplitude[3]; /* of E, perpendicular to the discrete wave vector */
    double magnetic[3];  /* of h half a step before E is largest */
    double turn;         /* omega dt */
};

static struct box_mode box_mode(const struct problem *problem, enum scheme scheme, const int *mode)
{
    struct stencil stencil = stencil_get(scheme, &(struct stencil_band){12, 0, 3});
    struct box_mode box = {.problem = problem};
    const double wish[3] = {0.3, -0.5, 1};
    double symbol[3], square = 0, along = 0, k = SPEED_OF_LIGHT * problem->time_step / problem->axis[0].spacing;
    for (int a = 0; a < 3; a++) {
        box.number[a] = PI * mode[a] / problem->axis[a].count;
        symbol[a] = stencil_symbol(&stencil, box.number[a]);
        square += symbol[a] * symbol[a];
        along += symbol[a] * wish[a];
    }
    for (int a = 0; a < 3; a++) {
        box.amplitude[a] = wish[a] - along / square * symbol[a];
    }
    for (int c = 0; c < 3; c++) { /* h is divided by K a(0) */
        int next = (c + 1) % 3, last = (c + 2) % 3;
        box.magnetic[c] =
            (symbol[next] * box.amplitude[last] - symbol[last] * box.amplitude[next]) / stencil.difference[0];
    }
    box.turn = 2 * asin(k * sqrt(square));
    return box;
}

static double mode_shape(const struct box_mode *box, int component, int i, int j, int k)
{
    const int at[3] = {i, j, k};
    double product = component < 3 ? box->amplitude[component] : box->magnetic[component - 3];
    for (int a = 0; a < 3; a++) {
        bool half = (a == component % 3) == (component < 3);
        double phase = box->number[a] * (at[a] + (half ? 0.5 : 0));
        product *= half ? cos(phase) : sin(phase);
    }
    return product;
}

static void fill_mode(const struct box_mode *box, int component, double *value)
{
    const struct axis *axis = box->problem->axis;
    for (int k = 0; k < axis[2].count; k++) {
        for (int j = 0; j < axis[1].count; j++) {
            for (int i = 0; i < axis[0].count; i++) {
                *value++ = mode_shape(box, component, i, j, k);
            }
        }
    }
}

static void check_mode(enum scheme scheme, const int *mode)
{
    struct problem problem = random_volume(
        (struct random_volume_options){.scheme = scheme, .precision = PW_DOUBLE, .n = {9, 7, 8}, .steps = 100});
    problem.source_count = 1;
    struct box_mode box = box_mode(&problem, scheme, mode);
    struct run_state start, wanted;
    pw_error error;
    random_volume_source(&problem.sources[0], &problem, &(struct random_volume_options){.places = 1}, &(unsigned){1});
    problem.sources[0].weight[0] = 0;
    assert_int_equal(run_state_create(&problem, problem.steps, &start, &error), PW_OK);
    assert_int_equal(run_state_create(&problem, problem.steps, &wanted, &error), PW_OK);
    for (int c = 0; c < 6; c++) {
        fill_mode(&box, c, start.field[c]);
        fill_mode(&box, c, wanted.field[c]);
    }
    struct run_state end = volume_solve(&backend_reference, &problem, NULL, &start, 0);
    size_t nodes = (size_t)problem_nodes(&problem);
    /* h goes as -sine, and was taken at minus half a step. */
    double electric = cos(box.turn * (double)problem.steps);
    double magnetic = -sin(box.turn * ((double)problem.steps - 0.5)) / sin(0.5 * box.turn);
    for (int c = 0; c < 6; c++) {
        double scale = c < 3 ? electric : magnetic;
        double difference = largest_difference(end.field[c], wanted.field[c], scale, nodes);
        assert_true(difference < 1e-12 * fmax(1, fabs(scale) * largest_of(wanted.field[c], nodes)));
    }
    run_state_free(&start);
    run_state_free(&wanted);
    run_state_free(&end);
    problem_free(&problem);
}

static void test_modes_of_a_box(void **unused)
{
    (void)unused;
    const int modes[][3] = {{1, 1, 0}, {2, 1, 3}, {0, 3, 1}, {1, 0, 2}, {8, 6, 7}};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
            check_mode((enum scheme)scheme, modes[m]);
        }
    }
}

/* ---- extruded rooms ---------------------------------------------------------------------------------------------- */

/* The room of a two-dimensional problem between a conducting floor and ceiling, nz cells apart: the same media at every
 * level, every driven node a line of places, the probes at one level. */
static struct problem extrude(const struct problem *flat, enum scheme scheme, int nz, int probe_level)
{
    struct stencil stencil = stencil_get(scheme, &STENCIL_USUAL_BAND);
    int nx = flat->axis[0].count, ny = flat->axis[1].count;
    struct random_volume_options options = {
        .scheme = scheme, .precision = flat->precision, .n = {nx, ny, nz}, .steps = flat->steps};
    options.absorber[0] = options.absorber[1] = flat->axis[0].low.cells;
    struct problem room = random_volume(options);
    room.time_step = flat->time_step;
    problem_set_stencil(&room, &stencil);
    for (int a = 0; a < 2; a++) {
        memcpy(room.axis[a].half, flat->axis[a].half, (size_t)flat->axis[a].count * sizeof *flat->axis[a].half);
        memcpy(room.axis[a].node, flat->axis[a].node, (size_t)flat->axis[a].count * sizeof *flat->axis[a].node);
    }
    free(room.coefficients);
    pw_error error;
    assert_int_equal(problem_allocate_coefficients(&room, flat->coefficient_count, &error), PW_OK);
    for (int p = 0; p < flat->coefficient_count; p++) {
        problem_coefficient(&room, p)[COEFFICIENT_CA] = problem_coefficient(flat, p)[COEFFICIENT_CA];
        problem_coefficient(&room, p)[COEFFICIENT_CB] = problem_coefficient(flat, p)[COEFFICIENT_CB] /
                                                        stencil.laplacian[0] * stencil.difference[0] *
                                                        stencil.difference[0];
    }
    memcpy(room.coefficient_index, flat->coefficient_index, (size_t)nx * (size_t)ny * sizeof *room.coefficient_index);
    const struct source *line = &flat->sources[0];
    struct source *source = room.sources;
    room.source_count = 1;
    *source = (struct source){.component = COMPONENT_EZ, .count = line->count * nz};
    source->node = calloc((size_t)source->count, sizeof(int64_t));
    source->weight = calloc((size_t)source->count, sizeof(double));
    source->drive = calloc((size_t)flat->steps, sizeof(double));
    memcpy(source->drive, line->current, (size_t)flat->steps * sizeof(double));
    for (int64_t s = 0; s < source->count; s++) {
        source->node[s] = volume_place(&room, COMPONENT_EZ, 0, 0, 0) + line->node[s % line->count] +
                          s / line->count * (int64_t)nx * ny;
        source->weight[s] = line->weight[s % line->count];
    }
    free(room.probes);
    room.probe_count = flat->probe_count;
    room.probes = calloc((size_t)flat->probe_count + 1, sizeof *room.probes);
    for (int p = 0; p < flat->probe_count; p++) {
        room.probes[p] =
            (struct probe){.component = COMPONENT_EZ, .node = flat->probes[p].node + (int64_t)probe_level * nx * ny};
    }
    return room;
}

static void check_extruded(enum scheme scheme, int layer)
{
    struct problem flat = random_problem((struct random_problem_options){.scheme = scheme,
                                                                         .precision = PW_DOUBLE,
                                                                         .nx = 43,
                                                                         .ny = 37,
                                                                         .layer = layer,
                                                                         .palette = 6,
                                                                         .steps = 120,
                                                                         .sources = 1,
                                                                         .probes = 5,
                                                                         .seed = 4});
    struct problem room = extrude(&flat, scheme, 4, 2);
    struct run_state plane = volume_solve(&backend_reference, &flat, NULL, NULL, 0);
    struct run_state volume = volume_solve(&backend_reference, &room, NULL, NULL, 0);
    size_t nodes = (size_t)problem_nodes(&flat);
    double scale = largest_of(plane.ez, nodes);
    assert_true(scale > 1e-3);
    for (int k = 0; k < room.axis[2].count; k++) {
        assert_true(largest_difference(volume.field[COMPONENT_EZ] + (size_t)k * nodes, plane.ez, 1, nodes) <
                    1e-11 * scale);
        for (int c = COMPONENT_EX; c <= COMPONENT_EY; c++) { /* the wave stays vertically polarised */
            assert_true(largest_of(volume.field[c] + (size_t)k * nodes, nodes) < 1e-11 * scale);
        }
    }
    size_t recorded = (size_t)flat.steps * (size_t)flat.probe_count;
    assert_true(largest_difference(volume.probes, plane.probes, 1, recorded) <
                1e-11 * largest_of(plane.probes, recorded));
    run_state_free(&plane);
    run_state_free(&volume);
    problem_free(&flat);
    problem_free(&room);
}

static void test_extruded_room(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        check_extruded((enum scheme)scheme, 0);
        check_extruded((enum scheme)scheme, 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes_of_a_box),
        cmocka_unit_test(test_extruded_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
