/* The medium that stands on the grid, by the scheme's own symbol: of media without loss, and of those with next to none
 * (problem/grid_medium.h). */
#include "problem/grid_medium.h"
#include "tests/support/solve.h"

enum { PERMITTIVITIES = 6, TURNS = 3, SCHEMES = 3 };
static const double PERMITTIVITY[PERMITTIVITIES] = {1.25, 2, 4, 5.24, 7, 30},
                    TURN[TURNS] = {0.1, 0.5, 0.9}; /* 63, 13 and 7 cells a wavelength in air */
static const enum scheme SCHEME[SCHEMES] = {SCHEME_YEE, SCHEME_FD4, SCHEME_FD4O};

static void assert_near(double found, double right, double most)
{
    if (!(fabs(found - right) <= most)) {
        fail_msg("%.17g, right %.17g", found, right);
    }
}

/* Calls `check` with every medium that turns less than 2.6 rad in a cell, which the law follows as it is. */
static void each(void (*check)(const struct stencil *stencil, double turn, double permittivity))
{
    for (int n = 0; n < PERMITTIVITIES * TURNS * SCHEMES; n++) {
        const struct stencil stencil = stencil_get(SCHEME[n % SCHEMES], &STENCIL_USUAL_BAND);
        const double turn = TURN[n / SCHEMES % TURNS], permittivity = PERMITTIVITY[n / SCHEMES / TURNS];
        if (turn * sqrt(permittivity) < 2.6) {
            check(&stencil, turn, permittivity);
        }
    }
}

/* (2 S)^2 of the waves along the wall and across it, for a wave that meets it from air at 37 degrees: in its place the
 * equation of the grid has (k0 cell)^2 times the permittivity of the node. */
static double law(const struct stencil *stencil, double turn, double permittivity)
{
    const double along = 2 * stencil_symbol(stencil, 0.6 * turn),
                 across = 2 * stencil_symbol(stencil, sqrt(permittivity - 0.36) * turn);
    return (along * along + across * across) / (turn * turn);
}

static void check_law(const struct stencil *stencil, double turn, double permittivity)
{
    double found = permittivity, loss = 0;
    grid_medium(stencil, turn, &found, &loss);
    assert_near(found, law(stencil, turn, permittivity), 1e-12 * permittivity);
    assert_true(loss == 0);
}

/* A loss of a millionth changes the permittivity by a millionth of a millionth. Itself it is changed as a small
 * imaginary part of the argument is: by the law's derivative. */
static void check_limit(const struct stencil *stencil, double turn, double permittivity)
{
    const double step = 1e-5,
                 derivative =
                     (law(stencil, turn, permittivity + step) - law(stencil, turn, permittivity - step)) / (2 * step);
    double without = permittivity, with = permittivity, none = 0, some = 1e-6;
    grid_medium(stencil, turn, &without, &none);
    grid_medium(stencil, turn, &with, &some);
    assert_near(with, without, 1e-10);
    assert_near(some / 1e-6, derivative, 1e-7);
}

/* What gradients of the channel go by. */
static void check_derivative(const struct stencil *stencil, double turn, double permittivity)
{
    const double step = 1e-5, loss = 1e-9;
    double slope[2];
    for (int lossy = 0; lossy < 2; lossy++) {
        double high = permittivity + step, low = permittivity - step, high_loss = lossy * loss, low_loss = lossy * loss;
        grid_medium(stencil, turn, &high, &high_loss);
        grid_medium(stencil, turn, &low, &low_loss);
        slope[lossy] = (high - low) / (2 * step);
    }
    const double right =
        (law(stencil, turn, permittivity + step) - law(stencil, turn, permittivity - step)) / (2 * step);
    assert_near(slope[0], right, 1e-9);
    assert_near(slope[1], right, 1e-9);
}

static void check_inverse(const struct stencil *stencil, double turn, double permittivity)
{
    double found = permittivity, loss = 0;
    grid_medium_inverse(stencil, turn, &found, &loss);
    grid_medium(stencil, turn, &found, &loss);
    assert_near(found, permittivity, 1e-9 * permittivity);
    assert_true(loss == 0);
}

static void test_medium_without_loss_has_the_law(void **state)
{
    (void)state;
    each(check_law);
}

static void test_loss_goes_to_nothing(void **state)
{
    (void)state;
    each(check_limit);
}

static void test_derivative_to_the_permittivity(void **state)
{
    (void)state;
    each(check_derivative);
}

static void test_inverse_without_loss(void **state)
{
    (void)state;
    each(check_inverse);
}

static void test_air_stays(void **state)
{
    (void)state;
    const struct stencil stencil = stencil_get(SCHEME_FD4O, &STENCIL_USUAL_BAND);
    double permittivity = 1, loss = 0;
    grid_medium(&stencil, 0.9, &permittivity, &loss);
    assert_true(permittivity == 1 && loss == 0 && grid_medium_share(1, 0) == 0);
    assert_true(grid_medium_share(4, 0) == 1 && grid_medium_share(4, 4) == 0);
}

/* The time step is that of air. On 2.5 cells a wavelength the law would have a permittivity of 1.25 at 0.8, and what
 * was solved grew without end. */
static void test_media_are_no_thinner_than_air(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        char text[512];
        snprintf(text, sizeof text,
                 "plan: {size: [2, 2], rectangles: [{from: [0.9, -1], to: [1.4, 3], material: {relative_permittivity: "
                 "1.25, conductivity: %g S/m}}]}\nband: {centre: 3.5e9, width: 1e8}\ngrid: {scheme: yee, cell: 0.03}\n"
                 "transmitters: [{at: [0.5, 1]}]\nreceivers: [{at: [1.7, 1]}]\nspectra: {count: 3}\n",
                 n * 1e-9);
        struct solved solved = solve(text, PW_SINGLE, "cpu");
        double *series = solve_series(&solved, 0, 0);
        assert_true(cabs(solve_channel(&solved, 0, series, 1)) < 2);
        free(series);
        solve_free(&solved);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_medium_without_loss_has_the_law),
                                       cmocka_unit_test(test_loss_goes_to_nothing),
                                       cmocka_unit_test(test_derivative_to_the_permittivity),
                                       cmocka_unit_test(test_inverse_without_loss),
                                       cmocka_unit_test(test_air_stays),
                                       cmocka_unit_test(test_media_are_no_thinner_than_air)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
