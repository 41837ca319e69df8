/* Thin conducting layers on the staggered grid of E and H, beside what they let through (test_sheets.c): fields in a
 * closed room with them never grow, and the cpu has the bits of the reference, beside metal too. */
#include "tests/metal/metal_cavity.h"

/* Coated glass along the grid and turned, a layer drawn by hand, and one that ends in the room. */
#define PANES                                                                                                          \
    "walls: [{from: [0.313, 0], to: [0.313, 0.8], layers: [{material: glass, thickness: 6 mm, coating: 5 ohm}]}, "     \
    "{from: [0.5, 0.2], to: [0.7, 0.31], layers: [{material: glass, thickness: 4 mm, coating: 1 ohm}]}, {from: [0, "   \
    "0.557], to: [0.6, 0.557], thickness: 1 mm, material: {relative_permittivity: 1, conductivity: 200 S/m}}]"
static const char METAL[] = ", circles: [{centre: [0.61, 0.43], radius: 0.057, material: metal}]";

/* In three dimensions all stands between air below and above, so that its ends are in the room as well. */
static pw_setup *room_of(bool space, const char *more, const char *absorber, const char *scheme, pw_precision precision,
                         int steps, pw_scenario **scenario)
{
    char text[2000];
    snprintf(text, sizeof text,
             "%splan: {size: [0.8, 0.8], %s" PANES "%s%s}\ngrid: {cell: 2 cm, scheme: %s, absorber: {%s}}\n"
             "band: {centre: 1.2 GHz, width: 0.2 GHz}\ntransmitters: [{name: t, at: [0.15, 0.4]%s}]\n"
             "receivers: [{name: r, at: [0.45, 0.45]%s}]\nspectra: off\nstop: {steps: %d, decay: off}\n",
             space ? "dimensions: 3\n" : "polarisation: horizontal\n",
             space ? "storeys: [{height: 0.08}, {height: 0.3, " : "", more, space ? "}, {height: 0.08}]" : "", scheme,
             absorber, space ? ", height: 0.18" : "", space ? ", height: 0.28" : "", steps);
    pw_setup *setup = text_setup_take(text, precision, NULL, 0, scenario);
    silence(setup);
    return setup;
}

/* What leapfrog keeps without loss: of E after a step, and of h half a step before and after it; up to what faces lend
 * each other beside cut ones. A step is done. */
static double energy_of(const struct setup *setup, struct stepper *stepper)
{
    const struct problem *problem = &setup->problem;
    const struct metal_cells *cells = &setup->metal;
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    struct run_state now = volume_state(problem, stepper);
    volume_advance(stepper, 1);
    struct run_state next = volume_state(problem, stepper);
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        for (int64_t n = 0; n < problem_nodes(problem); n++) {
            const uint16_t entry =
                problem_coefficient_at(problem, c, (int)(n % nx), (int)(n / nx % ny), (int)(n / nx / ny));
            const double cb = problem_coefficient(problem, entry)[COEFFICIENT_CB];
            const double part = c < 2 && cells->edge[c] != NULL && cells->edge[c][n] >= 0 ? cells->edge[c][n] : 1,
                         area = c == 2 && cells->area != NULL ? cells->area[n] : 1;
            sum += cb > 0 ? part * pow(now.field[c][n], 2) / cb : 0;
            sum += area * now.field[COMPONENT_HX + c][n] * next.field[COMPONENT_HX + c][n];
        }
    }
    run_state_free(&now);
    run_state_free(&next);
    return sum;
}

/* Something everywhere that no wall and no metal holds at zero; in two dimensions hz. */
static void fields_start(const struct setup *setup, bool space, struct run_state *start)
{
    const struct problem *problem = &setup->problem;
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    unsigned seed = 11;
    if (space) {
        random_volume_start(problem, start, seed);
    }
    for (int64_t n = 0; n < problem_nodes(problem); n++) {
        start->field[COMPONENT_HZ][n] = space ? start->field[COMPONENT_HZ][n] : (float)(random_unit(&seed) - 0.5);
        for (int c = 0; c < 3; c++) {
            const uint16_t entry =
                problem_coefficient_at(problem, c, (int)(n % nx), (int)(n / nx % ny), (int)(n / nx / ny));
            if (setup->medium.palette[entry].perfect_conductor) {
                start->field[c][n] = 0;
            }
        }
    }
}

static void check_decay(bool space, const char *more, const char *scheme, pw_precision precision, int steps)
{
    pw_scenario *scenario;
    pw_error error;
    pw_setup *setup = room_of(space, more, "kind: pec", scheme, precision, 3 * steps + 10, &scenario);
    struct run_state start;
    assert_true(setup->problem.metal_row_count > 0 || setup->problem.reach == 1);
    assert_int_equal(run_state_create(&setup->problem, setup->problem.steps, &start, &error), PW_OK);
    fields_start(setup, space, &start);
    struct stepper *stepper = volume_stepper(&backend_cpu, &setup->problem, &ONE_THREAD);
    assert_int_equal(stepper_load(stepper, 0, &start, &error), PW_OK);
    double before = energy_of(setup, stepper);
    for (int round = 0; round < 2; round++) {
        volume_advance(stepper, steps);
        const double after = energy_of(setup, stepper);
        if (!(after < 1.02 * before)) {
            fail_msg("%s, %d dimensions: energy %g, after %d steps %g", scheme, space ? 3 : 2, before, steps, after);
        }
        before = after;
    }
    stepper_destroy(stepper);
    run_state_free(&start);
    drop(setup, scenario);
}

static void test_fields_never_grow(void **unused)
{
    (void)unused;
    static const char *const SCHEMES[] = {"yee", "fd4o", "dd4"};
    for (int s = 0; s < 3; s++) {
        for (int metal = 0; metal < 2; metal++) {
            check_decay(false, metal ? METAL : "", SCHEMES[s], PW_DOUBLE, 4000);
            check_decay(true, metal ? METAL : "", SCHEMES[s], PW_DOUBLE, 400);
        }
    }
    check_decay(false, METAL, "fd4o", PW_SINGLE, 32000);
    check_decay(true, METAL, "fd4o", PW_SINGLE, 2000);
}

static void test_all_backends_agree(void **unused)
{
    (void)unused;
    static const char *const SCHEMES[] = {"yee", "fd4o", "dd4"};
    for (int s = 0; s < 3; s++) {
        for (int n = 0; n < 8; n++) {
            /* In three dimensions half of them, so that any two of scheme, metal and precision meet. */
            if (n % 2 != 0 && (n / 2 + n / 4 + s) % 2 != 0) {
                continue;
            }
            pw_scenario *scenario;
            pw_setup *setup = room_of(n % 2 != 0, n / 2 % 2 != 0 ? METAL : "", "cells: 6", SCHEMES[s],
                                      n / 4 != 0 ? PW_DOUBLE : PW_SINGLE, 60, &scenario);
            struct run_state one = volume_reference(&setup->problem),
                             other = volume_solve(&backend_cpu, &setup->problem, &ONE_THREAD, NULL, 0);
            assert_same_states(&setup->problem, &one, &other);
            run_state_free(&one);
            run_state_free(&other);
            drop(setup, scenario);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_never_grow),
        cmocka_unit_test(test_all_backends_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
