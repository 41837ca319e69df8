/* Walls on the cell that planwave chooses, solved, against the closed form: a line source before an endless wall, the
 * slab's transmission summed over the angular spectrum. Lossy and thick walls are held to 2 % of the decibels, or 0.5
 * dB. Walls without loss are held to what the forecast tells, and are the limit of walls with a little loss. */
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

/* The wave behind the wall, and that of free space, as a sum over angles from -pi/2 - j inf to pi/2 + j inf, where all
 * decays. */
static void right_waves(const struct wall *wall, double frequency, double complex *with, double complex *without)
{
    const double distance = 2 * wall->clear + wall->thickness, k = 2 * M_PI * frequency / LIGHT;
    *with = *without = 0;
    for (int n = 0; n < SAMPLES; n++) {
        const double w = 4.5 * (2 * (n + 0.5) / SAMPLES - 1);
        const double complex angle = atan(sinh(w)) + 0.25 * I * w, weight = 1 / cosh(w) + 0.25 * I;
        const double complex wave = weight * cexp(-I * k * (distance * ccos(angle) + wall->aside * csin(angle)));
        *with += wave * wall_through(wall, frequency, angle);
        *without += wave;
    }
}

/* What was solved behind a wall. */
struct behind {
    double cell;             /* m */
    double told, told_field; /* what the forecast tells: of local means [dB], of the field, relative */
    double frequency[FREQUENCIES], power;
    double complex channel[FREQUENCIES];
};

/* `power` is that of the frequencies together; `cell` 0: as planwave chooses. */
static struct behind solve_behind(const struct wall *wall, bool there, double cell)
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
    if (cell > 0) {
        snprintf(grid, sizeof grid, "grid: {cell: %.17g}\n", cell);
    }
    snprintf(text, sizeof text,
             "%splan: {size: [%.9g, %.9g]%s}\nband: {centre: %g, width: %g}\ntransmitters: [{at: [%.9g, %.9g]}]\n"
             "receivers: [{at: [%.9g, %.9g]}]\nspectra: {count: %d}\n%s",
             wall->horizontal ? "polarisation: horizontal\n" : "", width, wall->aside + 4 * margin, shape, centre,
             0.03 * centre, margin, 2 * margin, width - margin, 2 * margin + wall->aside, FREQUENCIES, grid);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    struct behind behind = {.cell = solved.setup->problem.axis[0].spacing,
                            .told = solved.setup->error.local_mean,
                            .told_field = solved.setup->error.field};
    double *series = solve_series(&solved, 0, 0);
    for (int f = 0; f < FREQUENCIES; f++) {
        behind.frequency[f] = solved.setup->frequency[f];
        behind.channel[f] = solve_channel(&solved, 0, series, f);
        behind.power += pow(cabs(behind.channel[f]), 2);
    }
    free(series);
    solve_free(&solved);
    return behind;
}

/* How a wall is solved. */
struct trial {
    double error, right, told; /* dB: of the power of the frequencies together; the wall's own; as told */
    double field, told_field;  /* of the field at the centre, relative; as told */
};

static struct trial wall_try(const struct wall *wall)
{
    const struct behind with = solve_behind(wall, true, 0), without = solve_behind(wall, false, with.cell);
    double complex wave[FREQUENCIES], open[FREQUENCIES];
    double power = 0, open_power = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        right_waves(wall, with.frequency[f], &wave[f], &open[f]);
        power += pow(cabs(wave[f]), 2);
        open_power += pow(cabs(open[f]), 2);
    }
    const int c = FREQUENCIES / 2;
    const double found = 10 * log10(without.power / with.power), right = 10 * log10(open_power / power),
                 field = cabs(with.channel[c] / without.channel[c] / (wave[c] / open[c]) - 1);
    print_message("permittivity %g, %g cm, %g GHz, %g m aside, %s, cells of %.3g mm: %.2f dB, right %.2f, told %.2f; "
                  "field %.2f off, told %.2f\n",
                  wall->permittivity, 100 * wall->thickness, wall->gigahertz, wall->aside,
                  wall->horizontal ? "horizontal" : "vertical", 1e3 * with.cell, found, right, with.told, field,
                  with.told_field);
    return (struct trial){found - right, right, with.told, field, with.told_field};
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
        const struct trial trial = wall_try(&walls[n]);
        assert_true(fabs(trial.error) < fmax(ENOUGH, SHARE * trial.right));
    }
}

/* The waves that go to and fro in a wall without loss meet in its phase, so that one wall is right or wrong by chance:
 * walls of several thicknesses are taken together. The forecast says of itself that half or twice as much is possible.
 */
static void test_walls_without_loss_keep_their_forecast(void **state)
{
    (void)state;
    static const double permittivities[] = {2, 4, 7}, thicknesses[] = {0.1, 0.15, 0.22, 0.3};
    for (int e = 0; e < 3; e++) {
        struct trial sum = {0};
        for (int n = 0; n < 12; n++) {
            const struct wall wall = {permittivities[e],      0,         thicknesses[n / 3], 3.5, 0.6,
                                      n % 3 == 1 ? 1.8 : 0.0, n % 3 == 2};
            const struct trial trial = wall_try(&wall);
            sum.error += trial.error * trial.error / 12;
            sum.told += trial.told * trial.told / 12;
            sum.field += trial.field * trial.field / 12;
            sum.told_field += trial.told_field * trial.told_field / 12;
        }
        print_message("permittivity %g: %.2f dB off, told %.2f; field %.2f off, told %.2f\n", permittivities[e],
                      sqrt(sum.error), sqrt(sum.told), sqrt(sum.field), sqrt(sum.told_field));
        assert_true(sum.error < 4 * sum.told && sum.field < 4 * sum.told_field);
    }
}

/* Without loss a wall is what it is with next to none. */
static void test_channels_are_continuous_in_the_conductivity(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct wall wall = {n < 2 ? 4 : 1.5, 0, 0.1, 3.5, 0.5, 0.3, n % 2 == 1};
        const struct behind without = solve_behind(&wall, true, 0);
        wall.conductivity = 1e-9;
        const struct behind with = solve_behind(&wall, true, 0);
        assert_true(with.cell == without.cell && fabs(with.told / without.told - 1) < 1e-4 &&
                    fabs(with.told_field / without.told_field - 1) < 1e-4);
        for (int f = 0; f < FREQUENCIES; f++) {
            assert_true(cabs(with.channel[f] - without.channel[f]) < 1e-4 * cabs(without.channel[f]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walls_take_their_decibels),
                                       cmocka_unit_test(test_walls_without_loss_keep_their_forecast),
                                       cmocka_unit_test(test_channels_are_continuous_in_the_conductivity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
