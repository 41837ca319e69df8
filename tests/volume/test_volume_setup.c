/* Setting up three dimensions: the grid holds the building with air around it, dipoles have the moment that was asked
 * for wherever they stand between the nodes, receivers interpolate a smooth field, and sheets stand where they say. */
#include "tests/volume/text_setup.h"

#include "base/constants.h"
#include "discretize/volume/volume.h"
#include "planwave.h"
#include "problem/physics/physics.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static const char ROOM[] = "dimensions: 3\n"
                           "plan:\n"
                           "  size: [1.2 m, 0.9 m]\n"
                           "  storey: {height: 1 m, floor: {material: concrete, thickness: 10 cm}, ceiling: {material: "
                           "concrete, thickness: 8 cm}}\n"
                           "  walls: [{from: [0.6, 0], to: [0.6, 0.5], thickness: 0.1, material: brick}]\n"
                           "band: {centre: 1 GHz, width: 100 MHz}\n"
                           "grid: {cell: 3 cm, absorber: {cells: 6}}\n"
                           "transmitters: [{name: a, at: [0.31, 0.42, 0.53]}]\n"
                           "receivers: [{name: r, at: [0.9, 0.5, 0.4]}]\n"
                           "spectra: {count: 4, heights: [0.5 m], components: [ex, ey, ez]}\n"
                           "stop: {steps: 40}\n";

static pw_setup *try_setup(const char *override, pw_scenario **scenario, pw_error *error)
{
    return text_setup_try(ROOM, PW_DOUBLE, &override, override != NULL, scenario, error);
}

static pw_setup *take(const char *override, pw_scenario **scenario)
{
    return text_setup_take(ROOM, PW_DOUBLE, &override, override != NULL, scenario);
}

static void the_grid_holds_the_building(void **state)
{
    (void)state;
    pw_scenario *scenario;
    pw_setup *setup = take(NULL, &scenario);
    const struct problem *problem = &setup->problem;
    double cell = problem->axis[0].spacing, layer = 6 * cell;
    double top = setup->origin_z + problem->axis[2].count * cell;
    assert_int_equal(problem->formulation, FORMULATION_MAXWELL3D);
    assert_int_equal(problem->axis[0].count, 40 + 12);
    assert_int_equal(problem->axis[1].count, 30 + 12);
    /* The weights of the averaging reach three cells: so far nothing of the building may lie in the absorber. */
    assert_true(setup->origin_z + layer + 3 * cell <= -0.1 && top - layer - 3 * cell >= 1.08);
    assert_true(problem->time_step <= setup->stencil.courant_limit * cell / (SPEED_OF_LIGHT * sqrt(3.0)));
    /* Concrete in the slab, air in the room, for every component. */
    for (int c = 0; c < 3; c++) {
        int slab = (int)lround((-0.05 - setup->origin_z) / cell), air = (int)lround((0.5 - setup->origin_z) / cell);
        const struct medium *medium = &setup->medium;
        double below = medium->palette[problem_coefficient_at(problem, c, 10, 10, slab)].relative_permittivity;
        double inside = medium->palette[problem_coefficient_at(problem, c, 10, 10, air)].relative_permittivity;
        assert_true(fabs(below - 5.24) < 1.0 && fabs(inside - 1) < 1e-9);
    }
    drop(setup, scenario);
}

/* What is said to fit into a third of the memory does: the absorber has as many cells of any size, so that the cube
 * root alone is too little; and it is not much coarser than it must be. */
static void what_is_said_to_fit_fits(void **state)
{
    (void)state;
    pw_scenario *scenario;
    pw_setup *setup = take("stop.steps=1", &scenario);
    const double cells = (double)problem_nodes(&setup->problem), needed = 32 * cells, usable = needed / 3;
    char advice[256], override[64];
    double cell = 0, band = 0, fitting;
    assert_true(volume_say_what_fits(setup, needed, usable, advice, sizeof advice));
    assert_int_equal(sscanf(advice, "cells of %lf cm would fit, or a band around %lf MHz", &cell, &band), 2);
    assert_true(fabs(band * cell - 1000 * 3) < 0.01 * band * cell);
    assert_false(volume_say_what_fits(setup, needed, 1, advice, sizeof advice));
    drop(setup, scenario);
    snprintf(override, sizeof override, "grid.cell=%.3g cm", cell);
    setup = take(override, &scenario);
    fitting = 32 * (double)problem_nodes(&setup->problem);
    assert_true(fitting <= usable && fitting > 0.8 * usable);
    drop(setup, scenario);
    setup = take("dimensions=2", &scenario);
    assert_false(volume_say_what_fits(setup, needed, usable, advice, sizeof advice));
    drop(setup, scenario);
}

/* The field that the places of a source gain in one step by a unit of drive, -dt p/(eps0 cell^3), summed. */
static void check_moment(const char *override, const double moment[3])
{
    pw_scenario *scenario;
    pw_setup *setup = take(override, &scenario);
    const struct problem *problem = &setup->problem;
    const struct source *source = &problem->sources[0];
    double cell = problem->axis[0].spacing, sum[3] = {0, 0, 0};
    double unit = -problem->time_step / (FREE_SPACE_PERMITTIVITY * cell * cell * cell);
    for (int64_t k = 0; k < source->count; k++) {
        assert_true(k == 0 || source->node[k] > source->node[k - 1]);
        sum[source->node[k] / problem_nodes(problem)] += source->weight[k] / unit;
    }
    for (int c = 0; c < 3; c++) {
        assert_true(fabs(sum[c] - moment[c]) < 1e-12);
    }
    drop(setup, scenario);
}

static void dipoles_have_their_moment(void **state)
{
    (void)state;
    check_moment(NULL, (double[]){0, 0, 1});
    check_moment("transmitters[0].polarisation=x", (double[]){1, 0, 0});
    check_moment("transmitters[0].polarisation=[3, 0, 4]", (double[]){0.6, 0, 0.8});
    check_moment("transmitters[0].antenna=half-wave", (double[]){0, 0, 1});
}

/* cos(k.r) of 12 cells a wavelength. */
static double wave(const double at[3])
{
    const double k = 2 * M_PI / 0.36;
    return cos(k * (0.36 * at[0] + 0.48 * at[1] + 0.8 * at[2]) + 0.7);
}

static void receivers_interpolate(void **state)
{
    (void)state;
    pw_scenario *scenario;
    pw_setup *setup = take(NULL, &scenario);
    const struct problem *problem = &setup->problem;
    const double cell = problem->axis[0].spacing, here[] = {0.9, 0.5, 0.4};
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    for (int c = 0; c < 3; c++) {
        const struct probe *probe = &problem->probes[setup->receivers[0].probe[c]];
        double sum = 0;
        for (int k = 0; k < probe->count; k++) {
            int64_t node = probe->place[k] - c * problem_nodes(problem);
            const double at[] = {setup->origin.x + ((double)(node % nx) + (c == 0 ? 0.5 : 0)) * cell,
                                 setup->origin.y + ((double)(node / nx % ny) + (c == 1 ? 0.5 : 0)) * cell,
                                 setup->origin_z + ((double)(node / nx / ny) + (c == 2 ? 0.5 : 0)) * cell};
            sum += probe->weight[k] * wave(at);
        }
        assert_true(fabs(sum - wave(here)) < 3e-4);
    }
    drop(setup, scenario);
}

static void sheets_stand_where_they_say(void **state)
{
    (void)state;
    pw_scenario *scenario;
    pw_setup *setup = take(NULL, &scenario);
    const struct problem *problem = &setup->problem;
    const double cell = problem->axis[0].spacing;
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    int64_t points = 0;
    assert_int_equal(problem->spectra.sheet_count, 3);
    for (int s = 0; s < 3; s++) {
        const struct setup_sheet *sheet = &setup->sheets[s];
        const struct spectra_sheet *solved = &problem->spectra.sheets[s];
        int c = (int)sheet->component;
        int64_t node = solved->first - c * problem_nodes(problem);
        assert_true(fabs(sheet->position - 0.5) <= 0.5 * cell + 1e-9);
        assert_true(fabs(setup->origin.x + ((double)(node % nx) + (c == 0 ? 0.5 : 0)) * cell - sheet->column_first) <
                    1e-9);
        assert_true(fabs(setup->origin.y + ((double)(node / nx % ny) + (c == 1 ? 0.5 : 0)) * cell - sheet->row_first) <
                    1e-9);
        assert_true(fabs(setup->origin_z + ((double)(node / nx / ny) + (c == 2 ? 0.5 : 0)) * cell - sheet->position) <
                    1e-9);
        assert_true(sheet->column_first >= -1e-9 && sheet->row_first >= -1e-9);
        assert_true(sheet->column_first + (sheet->columns - 1) * sheet->pitch <= 1.2 + 1e-9);
        assert_int_equal(sheet->first_point, points);
        points += (int64_t)sheet->columns * sheet->rows;
    }
    assert_int_equal(problem->spectra.rows, points);
    assert_int_equal(problem->spectra.columns, 1);
    drop(setup, scenario);
}

static void places_outside_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *override, *word;
    } CASES[] = {{"transmitters[0].at=[0.3, 0.4, 5]", "1.08 m"},
                 {"receivers[0].at=[0.3, 0.4, -2]", "1.08 m"},
                 {"spectra.heights=[7 m]", "1.08 m"},
                 {"spectra.cuts=[{from: [0, 7], to: [1, 7]}]", "spectra.cuts[0]: from (0 m, 7 m) to (1 m, 7 m)"},
                 {"spectra.cuts=[{from: [-1, 0.5], to: [1, 0.5]}]", "allowed are 0 to 1.2 m and 0 to 0.9 m"},
                 {"spectra.region=[2, 2, 3, 3]", "spectra.region: from (2 m, 2 m) to (3 m, 3 m)"},
                 {"spectra.region=[-2, -2, -1, -1]", "nothing of it lies in the plan"},
                 {"transmitters[0].source=hard", "two dimensions"},
                 {"grid.cell=0.9 um", "over a plan of 1.2 m x 0.9 m x 1.18 m makes 1333346 x 1000012 x 1311132 cells"},
                 {"grid.averaging=bandlimited", "bandlimited"}};
    for (size_t n = 0; n < sizeof CASES / sizeof CASES[0]; n++) {
        pw_scenario *scenario;
        pw_error error = {{0}};
        pw_setup *setup = try_setup(CASES[n].override, &scenario, &error);
        assert_null(setup);
        if (strstr(error.message, CASES[n].word) == NULL) {
            fail_msg("'%s' says: %s", CASES[n].override, error.message);
        }
        pw_scenario_free(scenario);
    }
}

static void a_receiver_in_a_slab_warns(void **state)
{
    (void)state;
    pw_scenario *scenario;
    pw_setup *setup = take("receivers[0].at=[0.3, 0.4, -0.05]", &scenario);
    bool found = false;
    for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
        found = found || strstr(pw_setup_warning(setup, w), "concrete") != NULL;
    }
    assert_true(found);
    drop(setup, scenario);
}

/* A tilted wall that goes on into the absorber has its tensors in the inside alone: no stencil of one meets a filter.
 */
static void tensors_keep_clear_of_the_absorber(void **state)
{
    (void)state;
    pw_scenario *scenario;
    pw_setup *setup =
        take("plan.walls=[{from: [-0.3, -0.2], to: [1.5, 1.1], thickness: 0.1, material: brick}]", &scenario);
    const struct problem *problem = &setup->problem;
    int64_t nearest = INT64_MAX;
    assert_true(problem->tensor_count > 0);
    for (int64_t t = 0; t < problem->tensor_count; t++) {
        int64_t node = problem->tensor_nodes[t].node;
        const int64_t at[3] = {node % problem->axis[0].count, node / problem->axis[0].count % problem->axis[1].count,
                               node / problem->axis[0].count / problem->axis[1].count};
        for (int a = 0; a < 3; a++) {
            const struct axis *axis = &problem->axis[a];
            int64_t low = at[a] - axis->low.cells, high = axis->count - axis->high.cells - 1 - at[a];
            nearest = low < nearest ? low : nearest;
            nearest = high < nearest ? high : nearest;
        }
    }
    assert_int_equal(nearest, problem->reach);
    drop(setup, scenario);
}

/* Metal aslant, across levels and as a post and a tilted wall: whatever threads take, the problem has the
 * same bits. */
static void threads_make_the_same_problem(void **state)
{
    (void)state;
    static const char *const METAL =
        "plan={size: [1.2 m, 0.9 m], storey: {height: 1 m, floor: {material: concrete, thickness: 10 cm}}, walls: ["
        "{from: [0.3, 0.3], to: [0.6, 0.5], thickness: 0.1, material: metal, z: [0.2 m, 0.63 m]}, "
        "{from: [0.7, 0.2], to: [1, 0.4], thickness: 0.1, material: brick}], "
        "circles: [{centre: [0.8, 0.7], radius: 1 cm, material: metal}]}";
    uint32_t sum[2];
    for (int several = 0; several < 2; several++) {
        pw_scenario *scenario;
        const int before = omp_get_max_threads();
        omp_set_num_threads(several != 0 ? 3 : 1);
        struct setup *setup = text_setup_take(ROOM, PW_SINGLE, &METAL, 1, &scenario);
        omp_set_num_threads(before);
        assert_true(setup->problem.metal_row_count > 0 && setup->problem.tensor_count > 0);
        sum[several] = problem_checksum(&setup->problem);
        drop(setup, scenario);
    }
    assert_int_equal(sum[1], sum[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_holds_the_building),   cmocka_unit_test(what_is_said_to_fit_fits),
        cmocka_unit_test(dipoles_have_their_moment),     cmocka_unit_test(receivers_interpolate),
        cmocka_unit_test(sheets_stand_where_they_say),   cmocka_unit_test(places_outside_are_refused),
        cmocka_unit_test(a_receiver_in_a_slab_warns),    cmocka_unit_test(tensors_keep_clear_of_the_absorber),
        cmocka_unit_test(threads_make_the_same_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
