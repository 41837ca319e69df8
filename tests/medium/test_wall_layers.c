/* Walls of layers, solved behind them, against the closed form: a line source before an endless wall, the transfer
 * matrix summed over the angular spectrum. On the cells that planwave chooses windows of two and three panes are right
 * within what is told; on cells that are given a warning tells how far each wall is off at its place between the nodes.
 */
#include "tests/support/solve.h"

#include "discretize/forecast/wall_line.h"

#include <string.h>

enum { FREQUENCIES = 3, SAMPLES = 6000, MOST_LAYERS = 5 };
static const double LIGHT = 299792458, EMPTY = 8.8541878128e-12, GLASS = 6.31;

struct wall {
    int layers; /* odd; every other one is air */
    double millimetres[MOST_LAYERS];
    double permittivity, conductivity /* S/m */, gigahertz;
    bool horizontal;
};

static double glass_loss(double gigahertz)
{
    return 0.0036 * pow(gigahertz, 1.3394);
}

static double whole(const struct wall *wall)
{
    double sum = 0;
    for (int l = 0; l < wall->layers; l++) {
        sum += 1e-3 * wall->millimetres[l];
    }
    return sum;
}

/* T at a complex angle, times the phase that air has in the wall's place. */
static double complex through(const struct wall *wall, double frequency, double complex angle)
{
    const double k = 2 * M_PI * frequency / LIGHT;
    const double complex across = ccos(angle), along = csin(angle);
    const double complex air = wall->horizontal ? 1 / across : across;
    double complex e = 1, h = air;
    for (int l = wall->layers - 1; l >= 0; l--) {
        const double complex dense =
            l % 2 == 0 ? wall->permittivity - I * wall->conductivity / (2 * M_PI * frequency * EMPTY) : 1;
        const double complex index = csqrt(dense - along * along),
                             admittance = wall->horizontal ? dense / index : index,
                             phase = k * 1e-3 * wall->millimetres[l] * index, before = e;
        e = before * ccos(phase) + I * h / admittance * csin(phase);
        h = h * ccos(phase) + I * before * admittance * csin(phase);
    }
    return 2 / (e + h / air) * cexp(I * k * whole(wall) * across);
}

/* dB that the wall takes, from -pi/2 - j inf to pi/2 + j inf, where all decays. */
static double right_loss(const struct wall *wall, const double *frequency, int count, double distance, double aside)
{
    double with = 0, without = 0;
    for (int f = 0; f < count; f++) {
        double complex behind = 0, open = 0;
        for (int n = 0; n < SAMPLES; n++) {
            const double k = 2 * M_PI * frequency[f] / LIGHT, w = 4.5 * (2 * (n + 0.5) / SAMPLES - 1);
            const double complex angle = atan(sinh(w)) + 0.25 * I * w, weight = 1 / cosh(w) + 0.25 * I;
            const double complex wave = weight * cexp(-I * k * (distance * ccos(angle) + aside * csin(angle)));
            behind += wave * through(wall, frequency[f], angle);
            open += wave;
        }
        with += pow(cabs(behind), 2);
        without += pow(cabs(open), 2);
    }
    return 10 * log10(without / with);
}

/* What is solved behind a wall, at two places. */
struct behind {
    double cell, told, warned; /* m; dB: forecast of local means; of the warning, 0: there is none */
    double frequency[FREQUENCIES], field[2][FREQUENCIES], power[2];
};

static const double CLEAR = 5, ASIDE[2] = {0, 4}; /* wavelengths */

static double warned_of(const struct solved *solved)
{
    double most = 0;
    for (size_t w = 0; w < pw_setup_warning_count(solved->setup); w++) {
        const char *at = strstr(pw_setup_warning(solved->setup, w), " lets through ");
        most = at != NULL ? strtod(at + strlen(" lets through "), NULL) : most;
    }
    return most;
}

/* `band`: its width over its centre. */
static struct behind solve_band(const struct wall *wall, bool there, double cell, double off, double band)
{
    char text[2048], walls[1024] = "", grid[64] = "";
    const double wavelength = 0.299792458 / wall->gigahertz, clear = CLEAR * wavelength, margin = 3 * wavelength,
                 width = 2 * (clear + margin) + whole(wall) + 0.02, height = 6 * margin;
    double face = margin + clear + off;
    for (int l = 0; l < wall->layers && there; l++) {
        const size_t used = strlen(walls);
        if (l % 2 == 0) {
            snprintf(walls + used, sizeof walls - used,
                     "%s{from: [%.9g, -1], to: [%.9g, 5], material: {relative_permittivity: %g, conductivity: %.9g}}",
                     l == 0 ? ", rectangles: [" : ", ", face, face + 1e-3 * wall->millimetres[l], wall->permittivity,
                     wall->conductivity);
        }
        face += 1e-3 * wall->millimetres[l];
    }
    if (cell > 0) {
        snprintf(grid, sizeof grid, "grid: {cell: %.17g}\n", cell);
    }
    snprintf(text, sizeof text,
             "%splan: {size: [%.9g, %.9g]%s%s}\nband: {centre: %g GHz, width: %g GHz}\ntransmitters: [{at: [%.9g, "
             "%.9g]}]\nreceivers: [{at: [%.9g, %.9g]}, {at: [%.9g, %.9g]}]\nspectra: {count: %d}\n%s",
             wall->horizontal ? "polarisation: horizontal\n" : "", width, height, walls, there ? "]" : "",
             wall->gigahertz, band * wall->gigahertz, margin, 2 * margin, width - margin,
             2 * margin + ASIDE[0] * wavelength, width - margin, 2 * margin + ASIDE[1] * wavelength, FREQUENCIES, grid);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    struct behind behind = {.cell = solved.setup->problem.axis[0].spacing,
                            .told = solved.setup->error.local_mean,
                            .warned = warned_of(&solved)};
    for (int r = 0; r < 2; r++) {
        double *series = solve_series(&solved, 0, r);
        for (int f = 0; f < FREQUENCIES; f++) {
            behind.frequency[f] = solved.setup->frequency[f];
            behind.field[r][f] = cabs(solve_channel(&solved, 0, series, f));
            behind.power[r] += pow(behind.field[r][f], 2);
        }
        free(series);
    }
    solve_free(&solved);
    return behind;
}

static struct behind solve_behind(const struct wall *wall, bool there, double cell, double off)
{
    return solve_band(wall, there, cell, off, 0.02);
}

struct trial {
    double error[2];           /* dB, at both places: what passes, solved over right */
    double cell, told, warned; /* as of struct behind */
};

static struct trial wall_try(const struct wall *wall, double cell, double off)
{
    const struct behind with = solve_behind(wall, true, cell, off), without = solve_behind(wall, false, with.cell, off);
    const double wavelength = 0.299792458 / wall->gigahertz, distance = 2 * CLEAR * wavelength + whole(wall) + 0.02;
    struct trial trial = {.cell = with.cell, .told = with.told, .warned = with.warned};
    for (int r = 0; r < 2; r++) {
        trial.error[r] = right_loss(wall, with.frequency, FREQUENCIES, distance, ASIDE[r] * wavelength) -
                         10 * log10(without.power[r] / with.power[r]);
    }
    print_message("%d layers of %g mm, permittivity %g, %g GHz, %s, cells of %.3g mm: %.2f and %.2f dB, told %.2f, "
                  "warned of %.2f\n",
                  wall->layers, wall->millimetres[0], wall->permittivity, wall->gigahertz,
                  wall->horizontal ? "horizontal" : "vertical", 1e3 * with.cell, trial.error[0], trial.error[1],
                  with.told, with.warned);
    return trial;
}

static struct wall window_of(int panes, double gap, double gigahertz, bool horizontal)
{
    struct wall wall = {2 * panes - 1, {4, gap, 4, gap, 4}, GLASS, glass_loss(gigahertz), gigahertz, horizontal};
    return wall;
}

/* They let 6 dB too much through on cells of 7 mm, and 0.7 dB was told. */
static void test_windows_on_chosen_cells(void **state)
{
    (void)state;
    const struct wall walls[] = {
        window_of(2, 16, 5.5, false),  window_of(2, 12, 6.5, false), window_of(3, 12, 5.8, false),
        window_of(2, 16, 5.5, true),   window_of(1, 0, 5.5, false),  {1, {5}, 20, 0, 2.4, false},
        {1, {3}, 50, 1.7, 2.4, false}, {1, {30}, 10, 5, 2.4, false},
    };
    for (size_t n = 0; n < sizeof walls / sizeof walls[0]; n++) {
        const struct trial trial = wall_try(&walls[n], 0, 0.0013 * (double)n);
        for (int r = 0; r < 2; r++) {
            assert_true(fabs(trial.error[r]) < fmax(2 * fmax(trial.told, 0.5), 1.3 * trial.warned));
            assert_true(fabs(trial.error[r]) < 3);
        }
    }
}

/* At four places between the nodes of given cells. */
static void test_what_is_told_of_given_cells(void **state)
{
    (void)state;
    double most = 0;
    for (int place = 0; place < 8; place++) {
        const struct wall wall = place < 4 ? window_of(2, 16, 5.5, false) : window_of(1, 0, 5.5, false);
        const struct trial trial = wall_try(&wall, 0.0071, 0.0071 * place / 4);
        const double error = sqrt(0.5 * (pow(trial.error[0], 2) + pow(trial.error[1], 2)));
        assert_true(trial.warned == 0 ? error < 2 * fmax(trial.told, 0.6)
                                      : fabs(trial.warned - error) < 0.15 * error + 0.1);
        most = fmax(most, error);
    }
    assert_true(most > 4);
}

/* The forecast is of the mean over the band. What passes at the high end of a wide one was off by more, and nobody
 * said.
 */
static void test_the_high_end_of_a_wide_band(void **state)
{
    (void)state;
    const struct wall wall = {1, {200}, 5.24, 0.12, 3.5, false};
    struct behind with = solve_band(&wall, true, 0.0068, 0, 1.14), without = solve_band(&wall, false, 0.0068, 0, 1.14);
    const double wavelength = 0.299792458 / wall.gigahertz, distance = 2 * CLEAR * wavelength + whole(&wall) + 0.02;
    const int end = FREQUENCIES - 1;
    double error = 0;
    for (int r = 0; r < 2; r++) {
        const double right = right_loss(&wall, &with.frequency[end], 1, distance, ASIDE[r] * wavelength);
        error += 0.5 * (right - 20 * log10(without.field[r][end] / with.field[r][end]));
    }
    print_message("%.2f dB at %g GHz, told %.2f, warned of %.2f\n", error, 1e-9 * with.frequency[end], with.told,
                  with.warned);
    assert_true(fabs(error) > 2 * with.told && fabs(fabs(error) - with.warned) < 0.3 * fabs(error));
}

static struct layered_wall glass_pair(double gap)
{
    const double complex glass = GLASS - 0.1 * I;
    return (struct layered_wall){3, {0.004, gap, 0.004}, {{glass, glass, glass}, {1, 1, 1}, {glass, glass, glass}}};
}

/* Order two, of yee, leaves a sixteenth of the error where cells are a quarter as large. */
static void test_finer_cells_converge(void **state)
{
    (void)state;
    static const enum scheme schemes[] = {SCHEME_YEE, SCHEME_FD4O, SCHEME_DD4};
    struct averaging_weight moment, box = weight_box();
    pw_error error = {{0}};
    assert_int_equal(weight_moment(&moment, &error), PW_OK);
    const struct layered_wall wall = glass_pair(0.016);
    for (int s = 0; s < 3; s++) {
        double off[2];
        for (int n = 0; n < 2; n++) {
            const double cell = n == 0 ? 0.0028 : 0.0007;
            const struct stencil_band band = {LIGHT / (5.5e9 * cell), 0.02, 2};
            const struct stencil stencil = stencil_get(schemes[s], &band);
            const struct wall_grid grid = {&stencil, s == 0 ? &box : &moment, cell, 5.5e9, 1e8, false, false, false};
            off[n] = fabs(wall_line_error(&wall, &grid, -1, false));
        }
        print_message("scheme %d: %.3f dB on 2.8 mm, %.4f on 0.7 mm\n", (int)schemes[s], off[0], off[1]);
        assert_true(off[0] < 1 && off[1] < off[0] / 12);
    }
    weight_free(&moment);
}

/* Whether a set-up on cells of 7.1 mm warns of one of its shapes. */
static bool warns_of(const char *list, const char *shapes)
{
    char text[1024];
    snprintf(text, sizeof text,
             "plan: {size: [1, 1], %s: [%s]}\nband: 5.5 GHz\ngrid: {cell: 7.1 mm}\n"
             "transmitters: [{at: [0.2, 0.25]}]\n",
             list, shapes);
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {{0}};
    assert_int_equal(pw_scenario_parse("walls", text, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    const bool told = warned_of(&(struct solved){.setup = setup}) > 0;
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return told;
}

static bool warns(const char *walls)
{
    return warns_of("walls", walls);
}

#define PANES(gap)                                                                                                     \
    "[{material: glass, thickness: 4 mm}, {material: air, thickness: " gap "}, {material: glass, thickness: 4 mm}]"

static void test_which_walls_are_looked_at(void **state)
{
    (void)state;
    assert_true(warns("{from: [0.5015, 0], to: [0.5015, 1], layers: " PANES("16 mm") "}"));
    assert_true(warns("{from: [0, 0.5015], to: [1, 0.5015], layers: " PANES("16 mm") "}"));
    assert_true(warns("{from: [0.3, 0], to: [0.7, 1], layers: " PANES("16 mm") "}"));
    assert_false(warns("{from: [0.4975, 0], to: [0.4975, 1], thickness: 12.5 mm, material: plasterboard}"));
    assert_false(warns("{from: [0.012, 0], to: [0.012, 1], layers: " PANES("16 mm") "}"));
    /* Nothing passes with the metal, and what is drawn over the window is all that is met. */
    assert_false(warns("{from: [0.5, 0], to: [0.5, 1], layers: " PANES("16 mm") "}, {from: [0.5, 0], to: [0.5, 1], "
                                                                                "thickness: 1 cm, material: metal}"));
    assert_false(warns("{from: [0.5, 0], to: [0.5, 1], layers: " PANES("16 mm") "}, {from: [0.5, 0], to: [0.5, 1], "
                                                                                "thickness: 4 cm, material: air}"));
}

/* A strip is a wall, whichever points its outline repeats or has on a side; a wall with a corner more is none. */
static void test_outlines_of_walls(void **state)
{
    (void)state;
#define STRIP(points) "{points: [[0.5, 0], [0.505, 0], " points "], material: glass}"
    assert_true(warns_of("polygons", STRIP("[0.505, 1], [0.5, 1]")));
    assert_true(warns_of("polygons", STRIP("[0.505, 1], [0.5, 1], [0.5, 0]")));
    assert_true(warns_of("polygons", STRIP("[0.505, 0], [0.505, 1], [0.5, 1]")));
    assert_true(warns_of("polygons", STRIP("[0.505, 0.3], [0.505, 0.6], [0.505, 1], [0.5, 1], [0.5, 0.2]")));
    assert_false(warns_of("polygons", STRIP("[0.505, 0.5], [0.53, 0.5], [0.53, 1], [0.5, 1]")));
    assert_false(warns_of("polygons", STRIP("[0.5025, 1]")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_on_chosen_cells),     cmocka_unit_test(test_what_is_told_of_given_cells),
        cmocka_unit_test(test_the_high_end_of_a_wide_band), cmocka_unit_test(test_finer_cells_converge),
        cmocka_unit_test(test_which_walls_are_looked_at),   cmocka_unit_test(test_outlines_of_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
