/* Lossy and thick walls on the cell that planwave chooses, solved, against the closed form: a line source before an
 * endless wall, the slab's transmission summed over the angular spectrum. The gate is 2 % of the decibels, or 0.5 dB.
 */
#include "tests/support/solve.h"

#include <complex.h>

static const double LIGHT = 299792458, EMPTY = 8.8541878128e-12, SHARE = 0.02, ENOUGH = 0.5 /* dB */;
enum { FREQUENCIES = 3, SAMPLES = 6000 };

struct wall {
    double permittivity, conductivity /* S/m */, thickness, gigahertz;
    double clear, aside; /* m: air on the straight way to the receiver, on either side; how far aside it stands */
    bool horizontal;     /* polarisation: Hz in place of Ez */
};

/* T of the slab at a complex angle (ITU-R P.2040), times the phase that air has in its place. */
static double complex wall_through(const struct wall *wall, double frequency, double complex angle)
{
    const double k = 2 * M_PI * frequency / LIGHT;
    const double complex across = ccos(angle), along = csin(angle),
                         inside = csqrt(wall->permittivity - I * wall->conductivity / (2 * M_PI * frequency * EMPTY) -
                                        along * along);
    const double complex dense = wall->permittivity - I * wall->conductivity / (2 * M_PI * frequency * EMPTY),
                         admittance = wall->horizontal ? inside / dense : inside,
                         face = (across - admittance) / (across + admittance),
                         echo = cexp(-I * k * wall->thickness * inside);
    return (1 - face * face) * echo / (1 - face * face * echo * echo) * cexp(I * k * wall->thickness * across);
}

/* The power behind the wall over that in free space [dB], of the frequencies together. */
static double right_loss(const struct wall *wall, const double *frequency)
{
    const double distance = 2 * wall->clear + wall->thickness;
    double power = 0, open = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        const double k = 2 * M_PI * frequency[f] / LIGHT;
        double complex with = 0, without = 0;
        for (int n = 0; n < SAMPLES; n++) { /* from -pi/2 - j inf to pi/2 + j inf, where all decays */
            const double w = 4.5 * (2 * (n + 0.5) / SAMPLES - 1);
            const double complex angle = atan(sinh(w)) + 0.25 * I * w, weight = 1 / cosh(w) + 0.25 * I;
            const double complex wave = weight * cexp(-I * k * (distance * ccos(angle) + wall->aside * csin(angle)));
            with += wave * wall_through(wall, frequency[f], angle);
            without += wave;
        }
        power += pow(cabs(with), 2);
        open += pow(cabs(without), 2);
    }
    return 10 * log10(open / power);
}

/* The power behind the wall, of the frequencies together; `cell` 0: as planwave chooses. */
static double solved_power(const struct wall *wall, bool there, double *cell, double *frequency)
{
    char text[1024], shape[256] = "", grid[64] = "";
    const double margin = 0.5 * wall->clear, width = 2 * (wall->clear + margin) + wall->thickness,
                 face = wall->clear + margin, centre = 1e9 * wall->gigahertz;
    if (there) {
        snprintf(shape, sizeof shape,
                 ", rectangles: [{from: [%.9g, -9], to: [%.9g, 9], material: {relative_permittivity: %g, conductivity: "
                 "%.9g S/m}}]",
                 face, face + wall->thickness, wall->permittivity, wall->conductivity);
    }
    if (*cell > 0) {
        snprintf(grid, sizeof grid, "grid: {cell: %.17g}\n", *cell);
    }
    snprintf(text, sizeof text,
             "%splan: {size: [%.9g, %.9g]%s}\nband: {centre: %g, width: %g}\ntransmitters: [{at: [%.9g, %.9g]}]\n"
             "receivers: [{at: [%.9g, %.9g]}]\nspectra: {count: %d}\n%s",
             wall->horizontal ? "polarisation: horizontal\n" : "", width, wall->aside + 4 * margin, shape, centre,
             0.03 * centre, margin, 2 * margin, width - margin, 2 * margin + wall->aside, FREQUENCIES, grid);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    double *series = solve_series(&solved, 0, 0), power = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = solved.setup->frequency[f];
        power += pow(cabs(solve_channel(&solved, 0, series, f)), 2);
    }
    *cell = solved.setup->problem.axis[0].spacing;
    free(series);
    solve_free(&solved);
    return power;
}

/* Off by so many times the gate. */
static double wall_over_gate(const struct wall *wall)
{
    double cell = 0, frequency[FREQUENCIES];
    const double with = solved_power(wall, true, &cell, frequency),
                 without = solved_power(wall, false, &cell, frequency);
    const double found = 10 * log10(without / with), right = right_loss(wall, frequency);
    print_message("permittivity %g, %g cm, %g GHz, %g m aside, %s, cells of %.3g mm: %.2f dB, right %.2f\n",
                  wall->permittivity, 100 * wall->thickness, wall->gigahertz, wall->aside,
                  wall->horizontal ? "horizontal" : "vertical", 1e3 * cell, found, right);
    return fabs(found - right) / fmax(ENOUGH, SHARE * right);
}

/* ITU-R P.2040: concrete 5.24, 0.0462 f^0.7822; brick 3.91, 0.0238 f^0.16; wood 1.99, 0.0047 f^1.0718. */
static void test_walls_take_their_decibels(void **state)
{
    (void)state;
    const double concrete = 0.0462 * pow(3.5, 0.7822), concrete_high = 0.0462 * pow(28, 0.7822),
                 brick = 0.0238 * pow(2.4, 0.16), wood = 0.0047 * pow(60, 1.0718);
    const struct wall walls[] = {
        {5.24, concrete, 0.2, 3.5, 1, 0, false},
        {5.24, concrete, 0.4, 3.5, 1, 1.5, false},
        {5.24, concrete, 0.2, 3.5, 1, 0, true},
        {5.24, concrete_high, 0.2, 28, 0.2, 0, false},
        {5.24, concrete_high, 0.1, 28, 0.2, 0.3, false},
        {5.24, concrete_high, 0.2, 28, 0.2, 0, true},
        {3.91, brick, 1, 2.4, 1, 0, false},
        {1.99, wood, 0.1, 60, 0.08, 0, false},
        {1.99, wood, 0.1, 60, 0.08, 0.2, false},
        {1.99, wood, 0.1, 60, 0.08, 0, true},
    };
    for (size_t n = 0; n < sizeof walls / sizeof walls[0]; n++) {
        assert_true(wall_over_gate(&walls[n]) < 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walls_take_their_decibels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
