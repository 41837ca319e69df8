/* Metal between the nodes of Ez (physics.md section 1), from the scenario to the field: modes of cavities in metal
 * against their closed forms, with walls at any place within a cell, at any tilt, and round; that nothing grows; that a
 * sheet shields; the same bits on reference and cpu. */
#include "tests/metal/metal_cavity.h"

#include "problem/mur/mur.h"

static const double CELL_SIZE = 0.02, PLAN = 1.4, METAL = 0.36; /* m: the plan, and where its metal begins */

/* Its mode at (x, y) from the middle [m]. */
static double mode_at(const struct cavity *cavity, double x, double y)
{
    double along[2];
    cavity_place(cavity, x, y, along);
    if (cavity->radius > 0) {
        const double part = hypot(x, y) / cavity->radius;
        return part < 1 ? j0(2.404825557695773 * part) : 0;
    }
    const bool inside = fabs(along[0]) < 0.5 * cavity->length && fabs(along[1]) < 0.5 * cavity->width;
    return inside ? cos(M_PI * along[0] / cavity->length) * cos(M_PI * along[1] / cavity->width) : 0;
}

/* Its lowest mode. */
static struct cavity box_of(double x, double y, double length, double width, double degrees)
{
    struct cavity cavity = box_cavity(x, y, length, width, degrees);
    cavity.frequency = 0.5 * SPEED_OF_LIGHT * hypot(1 / length, 1 / width);
    return cavity;
}

static struct cavity round_of(double x, double y, double radius)
{
    struct cavity cavity = round_cavity(x, y, radius);
    cavity.frequency = 2.404825557695773 * SPEED_OF_LIGHT / (2 * M_PI * radius);
    return cavity;
}

static pw_setup *set_up(const struct cavity *cavity, const char *scheme, pw_precision precision, int steps,
                        pw_scenario **scenario)
{
    pw_setup *setup =
        cavity_setup(&(struct cavity_site){"", PLAN, METAL, CELL_SIZE}, cavity, scheme, precision, steps, scenario);
    silence(setup);
    return setup;
}

static bool is_free(const struct setup *setup, int64_t node)
{
    return !setup->medium.palette[setup->problem.coefficient_index[node]].perfect_conductor;
}

/* The mode at all free nodes, at rest. */
static struct run_state mode_start(const struct setup *setup, const struct cavity *cavity)
{
    const struct problem *problem = &setup->problem;
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    struct run_state start;
    pw_error error;
    assert_int_equal(run_state_create(problem, problem->steps, &start, &error), PW_OK);
    for (int64_t n = 0; n < (int64_t)nx * ny; n++) {
        const double x = setup->origin.x + (double)(n % nx) * CELL_SIZE,
                     y = setup->origin.y + (double)(n / nx) * CELL_SIZE;
        const double value = is_free(setup, n) ? mode_at(cavity, x - cavity->x, y - cavity->y) : 0;
        start.ez[n] = problem->precision == PW_SINGLE ? (double)(float)value : value;
    }
    return start;
}

/* By the volumes of the nodes, in which modes are orthogonal. */
static double share_of(const pw_setup *setup, const struct run_state *start, const struct run_state *now)
{
    double sum = 0;
    for (int64_t n = 0; n < problem_nodes(&setup->problem); n++) {
        sum += start->ez[n] * ez_share(&setup->shares, n) * now->ez[n];
    }
    return sum;
}

static double resonance(const struct cavity *cavity, const char *scheme)
{
    pw_scenario *scenario;
    pw_setup *setup = set_up(cavity, scheme, PW_DOUBLE, 150, &scenario);
    struct run_state start = mode_start(setup, cavity);
    const double frequency = resonance_from(setup, &start, share_of);
    run_state_free(&start);
    drop(setup, scenario);
    return frequency;
}

static double law(const struct cavity *cavity, const char *scheme)
{
    return frequency_on_grid(cavity, CELL_SIZE, scheme, atan2(cavity->length, cavity->width));
}

/* A wall that is off by d cells shifts the frequency of a mode half a wave long between two such walls by 2 d over
 * their distance: of 13 cells 0.2 % are 0.013 cells. The differences of dd3 and dd4 reach five and seven cells, from
 * both walls to the middle of a cavity: 0.02 and 0.07 cells. */
static double tolerance(const char *scheme)
{
    return strcmp(scheme, "yee") == 0   ? 0.0035
           : strcmp(scheme, "dd3") == 0 ? 0.003
           : strcmp(scheme, "dd4") == 0 ? 0.011
                                        : 0.002;
}

static void check_cavity(const struct cavity *cavity)
{
    for (size_t s = 0; s < SCHEMES_TRIED_COUNT; s++) {
        const char *scheme = SCHEMES_TRIED[s];
        const double off = resonance(cavity, scheme) / law(cavity, scheme) - 1;
        if (!(fabs(off) < tolerance(scheme))) {
            fail_msg("%s, %s: off by %g", scheme, cavity->shape, off);
        }
    }
}

static void test_flat_walls_anywhere_in_a_cell(void **unused)
{
    (void)unused;
    for (int p = 0; p < 8; p++) {
        const struct cavity cavity = box_of(0.7013 + 0.0041 * p, 0.707, 0.26 + 0.0031 * p, 0.24, 0);
        check_cavity(&cavity);
    }
}

static void test_tilted_walls(void **unused)
{
    (void)unused;
    const double degrees[] = {7, 18, 30, 45};
    for (int t = 0; t < 4; t++) {
        const struct cavity cavity = box_of(0.7013, 0.707, 0.26, 0.24, degrees[t]);
        check_cavity(&cavity);
    }
}

static void test_round_walls(void **unused)
{
    (void)unused;
    for (int p = 0; p < 4; p++) {
        const struct cavity cavity = round_of(0.7 + 0.0013 * p, 0.7 + 0.0077 * p, 0.14 + 0.011 * p);
        check_cavity(&cavity);
    }
}

/* ---- what must not happen ---------------------------------------------------------------------------------------- */

/* A tilted cavity with a round post, a square one, a sheet that ends and a small wire in it, all without loss, from
 * random Ez at every node and no constant part: in 64 000 steps nothing makes energy. So many modes beat that the mean
 * wavers by 2 %. */
static void test_energy_does_not_grow(void **unused)
{
    (void)unused;
    struct cavity cavity = box_of(0.7013, 0.707, 0.37, 0.31, 24);
    strcat(cavity.shape, ", circles: [{centre: [0.713, 0.7017], radius: 0.0437, material: metal}, "
                         "{centre: [0.633, 0.6617], radius: 0.003, material: metal}], "
                         "walls: [{from: [0.60, 0.75], to: [0.66, 0.79], thickness: 1 mm, material: metal}, "
                         "{from: [0.77, 0.75], to: [0.7755, 0.75], thickness: 4.7 mm, material: metal}]");
    const char *schemes[] = {"yee", "fd4o", "fd8", "dd4"};
    for (int s = 0; s < 4; s++) {
        pw_scenario *scenario;
        pw_setup *setup = set_up(&cavity, schemes[s], PW_SINGLE, 68000, &scenario);
        struct run_state start = mode_start(setup, &cavity);
        unsigned seed = 5;
        for (int64_t n = 0; n < problem_nodes(&setup->problem); n++) {
            start.ez[n] = start.ez[n] != 0 ? (double)(float)(random_unit(&seed) - 0.5) : 0;
        }
        check_energy_from(setup, &start, schemes[s], 64000);
        run_state_free(&start);
        drop(setup, scenario);
    }
}

static const char ROOM[] = "plan: {size: [1.8, 1.8]}\n"
                           "grid: {cell: 2 cm, absorber: {cells: 8}}\n"
                           "band: {centre: 1 GHz, width: 0.2 GHz}\n"
                           "transmitters: [{name: t, at: [0.51, 0.53]}]\nspectra: off\n"
                           "receivers: [{name: r, at: [0.913, 0.907]}]\nstop: {steps: 500, decay: off}\n";

static const char *const BOXES[] = {
    "plan.walls=[{from: [0.707, 0.707], to: [1.107, 0.707], thickness: 6 mm, material: metal}, "
    "{from: [1.107, 0.704], to: [1.107, 1.11], thickness: 6 mm, material: metal}, "
    "{from: [1.11, 1.107], to: [0.704, 1.107], thickness: 6 mm, material: metal}, "
    "{from: [0.707, 1.11], to: [0.707, 0.704], thickness: 6 mm, material: metal}]",
    "plan.polygons=[{points: [[0.903, 0.657], [1.147, 0.903], [0.903, 1.149], [0.657, 0.903]], material: metal}, "
    "{points: [[0.903, 0.665], [1.139, 0.903], [0.903, 1.141], [0.665, 0.903]], material: air}]"};

static const char METAL_THINGS[] =
    "plan.rectangles=[{from: [0.6, 1], to: [0.9, 1.11], material: {relative_permittivity: 4, conductivity: 0.02}}, "
    "{from: [0.7, -1], to: [0.703, 0.8], material: metal}, {from: [0.71, 1.033], to: [0.772, 1.06], material: metal}]";

/* A box of sheets 0.3 cells thick, along the axes and tilted: nothing comes inside, by wide stencils either. */
static void test_a_sheet_shields(void **unused)
{
    (void)unused;
    const char *schemes[] = {"yee", "fd4o", "dd4"};
    for (int b = 0; b < 2; b++) {
        for (int s = 0; s < 3; s++) {
            pw_scenario *scenarios[2];
            size_t count;
            pw_setup *open = text_setup(ROOM, schemes[s], NULL, &scenarios[0]),
                     *closed = text_setup(ROOM, schemes[s], BOXES[b], &scenarios[1]);
            double *free_field = records(open, &backend_cpu, &count), *inside = records(closed, &backend_cpu, &count);
            assert_true(largest_of(inside, count) < 1e-9 * largest_of(free_field, count));
            free(free_field);
            free(inside);
            drop(open, scenarios[0]);
            drop(closed, scenarios[1]);
        }
    }
}

/* What node `from` answers node `to`, times what it weighs: its row and the usual stencil; outside of the absorber. */
static double answer(const struct setup *setup, int64_t from, int64_t to)
{
    const struct problem *problem = &setup->problem;
    const int64_t nx = problem->axis[0].count, dx = llabs(to % nx - from % nx), dy = llabs(to / nx - from / nx);
    const double cb = problem_coefficient(problem, problem->coefficient_index[from])[COEFFICIENT_CB];
    double value = dx == 0 && dy <= problem->laplacian_taps && dy > 0   ? cb * problem->laplacian[dy - 1]
                   : dy == 0 && dx <= problem->laplacian_taps && dx > 0 ? cb * problem->laplacian[dx - 1]
                                                                        : 0;
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        const struct metal_row *row = &problem->metal_rows[r];
        for (int64_t t = row->first; row->place == from && t < row->first + row->count; t++) {
            value += problem->metal_terms[t].place == to ? problem->metal_terms[t].weight : 0;
        }
    }
    return is_free(setup, from) && is_free(setup, to) ? value * ez_share(&setup->shares, from) / cb : 0;
}

/* Two nodes answer each other alike, in a box of sheets: then energy is conserved and receivers may send. */
/* Whether along an axis neither node stands in the absorber, or beyond the grid. */
static bool is_open_line(const struct problem *problem, int axis, int64_t here, int64_t there)
{
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
    const bool inside = there >= 0 && there < nx * ny && (axis == 1 || there / nx == here / nx);
    return inside &&
           !problem_in_absorber_region(problem, &problem->axis[axis], (int)(axis == 0 ? here % nx : here / nx)) &&
           !problem_in_absorber_region(problem, &problem->axis[axis], (int)(axis == 0 ? there % nx : there / nx));
}

static void check_symmetry(const char *scheme, const char *things)
{
    pw_scenario *scenario;
    pw_setup *setup = text_setup(ROOM, scheme, things, &scenario);
    const struct problem *problem = &setup->problem;
    const int64_t nx = problem->axis[0].count, far = problem->laplacian_taps;
    assert_true(problem->metal_row_count > 0);
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        const int64_t here = problem->metal_rows[r].place;
        for (int64_t m = -far; m <= far; m++) {
            const int64_t there[2] = {here + m, here + m * nx};
            for (int a = 0; a < 2; a++) {
                if (!is_open_line(problem, a, here, there[a])) {
                    continue;
                }
                const double one = answer(setup, here, there[a]), other = answer(setup, there[a], here);
                if (!(fabs(one - other) < 1e-8)) {
                    fail_msg("%s: nodes (%d, %d) and (%d, %d) answer %g and %g", scheme, (int)(here % nx),
                             (int)(here / nx), (int)(there[a] % nx), (int)(there[a] / nx), one, other);
                }
            }
        }
    }
    drop(setup, scenario);
}

static void test_nodes_answer_each_other_alike(void **unused)
{
    (void)unused;
    const char *schemes[] = {"yee", "fd4o", "fd6"};
    for (int s = 0; s < 3; s++) {
        check_symmetry(schemes[s], BOXES[0]);
        check_symmetry(schemes[s], BOXES[1]);
        check_symmetry(schemes[s], METAL_THINGS);
    }
}

/* Posts, a sheet in the absorber and metal beside a wall: reference and cpu agree in every bit of single precision. */
static void test_backends_agree(void **unused)
{
    (void)unused;
    const char *schemes[] = {"yee", "fd4o", "fd6", "dd4"};
    for (int s = 0; s < 4; s++) {
        char set[64];
        snprintf(set, sizeof set, "grid.scheme=%s", schemes[s]);
        const char *overrides[] = {set, METAL_THINGS};
        pw_scenario *scenario;
        size_t count;
        pw_setup *setup = text_setup_take(ROOM, PW_SINGLE, overrides, 2, &scenario);
        assert_true(setup->problem.metal_row_count > 0);
        double *cpu = records(setup, &backend_cpu, &count), *reference = records(setup, &backend_reference, &count);
        assert_memory_equal(cpu, reference, count * sizeof *cpu);
        free(cpu);
        free(reference);
        drop(setup, scenario);
    }
}

/* A sheet that runs to edges with Mur's condition: no row stands where the edge steps the nodes itself, and the
 * backends agree. */
static void test_a_sheet_meets_an_edge(void **unused)
{
    (void)unused;
    static const char SHEET[] = "plan.rectangles=[{from: [0.703, -1], to: [0.706, 3], material: metal}]";
    const char *schemes[] = {"yee", "fd4o", "dd2"};
    for (int s = 0; s < 3; s++) {
        char set[64];
        snprintf(set, sizeof set, "grid.scheme=%s", schemes[s]);
        const char *overrides[] = {set, "grid.absorber={kind: mur}", SHEET};
        pw_scenario *scenario;
        size_t count;
        pw_setup *setup = text_setup_take(ROOM, PW_SINGLE, overrides, 3, &scenario);
        const struct problem *problem = &setup->problem;
        const struct mur_plan plan = mur_plan(problem);
        const int64_t nx = problem->axis[0].count;
        assert_true(problem_has_mur(problem) && problem->metal_row_count > 0);
        for (int64_t r = 0; r < problem->metal_row_count; r++) {
            const int64_t node = problem->metal_rows[r].place;
            assert_false(mur_takes(&plan, (int)(node % nx), (int)(node / nx)));
        }
        double *cpu = records(setup, &backend_cpu, &count), *reference = records(setup, &backend_reference, &count);
        assert_memory_equal(cpu, reference, count * sizeof *cpu);
        free(cpu);
        free(reference);
        drop(setup, scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_walls_anywhere_in_a_cell),
        cmocka_unit_test(test_tilted_walls),
        cmocka_unit_test(test_round_walls),
        cmocka_unit_test(test_energy_does_not_grow),
        cmocka_unit_test(test_a_sheet_shields),
        cmocka_unit_test(test_backends_agree),
        cmocka_unit_test(test_a_sheet_meets_an_edge),
        cmocka_unit_test(test_nodes_answer_each_other_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
