/* Metal thinner than a cell in three dimensions, solved: a closed box of it lets nothing through, aligned or turned,
 * and a sheet reflects as its image does, wherever it lies between the nodes. */
#include "tests/support/solve.h"

static const double CENTRE = 1e9, CELL = 0.03, SPEED = 299792458; /* Hz, m, m/s */

enum { PLACES = 4 };

/* Of each receiver's three components over all steps. */
static void receiver_energies(const struct solved *solved, double energy[PLACES])
{
    const size_t steps = (size_t)solved->simulation->step;
    double *series = calloc(PLACES * 3 * steps, sizeof *series);
    pw_error error = {{0}};
    SOLVE_CHECK(pw_simulation_receiver_components(solved->simulation, 0, series, &error), &error);
    for (int r = 0; r < PLACES; r++) {
        energy[r] = 0;
        for (size_t n = 0; n < 3 * steps; n++) {
            energy[r] += pow(series[(size_t)r * 3 * steps + n], 2);
        }
    }
    free(series);
}

/* The energy outside of a box of 2 mm, 0.5 m wide and turned by `degrees`, over that inside [dB]: the largest of three
 * places, beside a face, over the lid, and off a corner. */
static double box_leak(const char *scheme, double degrees, double off)
{
    const double angle = degrees * M_PI / 180, half = 0.25;
    double at[5][2];
    for (int n = 0; n < 5; n++) {
        const double u = half * (n == 1 || n == 2 ? 1 : -1), v = half * (n == 2 || n == 3 ? 1 : -1);
        at[n][0] = 0.5 + off + u * cos(angle) - v * sin(angle);
        at[n][1] = 0.5 + u * sin(angle) + v * cos(angle);
    }
    char text[4096];
    int used = snprintf(text, sizeof text, "dimensions: 3\nplan:\n  size: [1, 1]\n  storey: {height: 1}\n  walls:\n");
    for (int n = 0; n < 4; n++) {
        used +=
            snprintf(text + used, sizeof text - (size_t)used,
                     "    - {from: [%.9g, %.9g], to: [%.9g, %.9g], thickness: 0.002, material: metal, z: [%g, %g]}\n",
                     at[n][0], at[n][1], at[n + 1][0], at[n + 1][1], 0.25 + off, 0.75 + off);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "  polygons:\n");
    for (int lid = 0; lid < 2; lid++) {
        const double z = (lid == 0 ? 0.25 : 0.75) + off;
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "    - {points: [[%.9g, %.9g], [%.9g, %.9g], [%.9g, %.9g], [%.9g, %.9g]], material: metal, z: "
                         "[%.9g, %.9g]}\n",
                         at[0][0], at[0][1], at[1][0], at[1][1], at[2][0], at[2][1], at[3][0], at[3][1], z - 0.001,
                         z + 0.001);
    }
    snprintf(text + used, sizeof text - (size_t)used,
             "band: {centre: 1e9, width: 4e8}\ngrid: {scheme: %s, cell: %g, absorber: {cells: 8}}\n"
             "transmitters: [{at: [0.46, 0.53, 0.48], polarisation: [1, 1, 1]}]\n"
             "receivers: [{at: [0.55, 0.4, 0.6]}, {at: [0.05, 0.5, 0.55]}, {at: [0.5, 0.45, 0.95]}, "
             "{at: [0.92, 0.92, 0.9]}]\nspectra: {count: 2, spacing: 8 cells, heights: [0.5]}\nstop: {after: 11 ns}\n",
             scheme, CELL);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    double energy[PLACES];
    receiver_energies(&solved, energy);
    solve_free(&solved);
    assert_true(energy[0] > 0);
    return 10 * log10(fmax(fmax(energy[1], energy[2]), energy[3]) / energy[0] + 1e-30);
}

static void test_boxes_shield(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        double degrees, off;
    } BOXES[] = {{"fd4o", 0, 0}, {"fd4o", 30, 0.005}, {"fd4o", 0, 0.013}, {"yee", 45, 0.011}, {"dd4", 0, 0.01}};
    for (size_t n = 0; n < sizeof BOXES / sizeof BOXES[0]; n++) {
        const double leak = box_leak(BOXES[n].scheme, BOXES[n].degrees, BOXES[n].off);
        print_message("%s, turned by %g degrees: %.0f dB\n", BOXES[n].scheme, BOXES[n].degrees, leak);
        assert_true(leak < -140); /* nothing but rounding */
    }
}

/* The relative error of Ez before a sheet through (1.2 + off, 1) m that is turned by `degrees`, in a gap of four cells
 * between two plates, where an upright dipole sends as a line does; the sheet's face before stands there, whatever its
 * thickness. */
static double sheet_error(const char *scheme, double degrees, double off, double thickness)
{
    const double angle = degrees * M_PI / 180, normal[2] = {cos(angle), sin(angle)}, gap = 4 * CELL;
    static const double across[3] = {-0.6, -0.5, 0}, along[3] = {-0.2, 0.4, 10};
    double at[4][2];
    for (int n = 0; n < 4; n++) {
        const double u = n < 3 ? across[n] : 0, v = n < 3 ? along[n] : -10, shift = n < 2 ? 0 : 0.5 * thickness - 0.001;
        at[n][0] = 1.2 + off + (u + shift) * normal[0] - v * normal[1];
        at[n][1] = 1 + (u + shift) * normal[1] + v * normal[0];
    }
    char text[1024];
    snprintf(
        text, sizeof text,
        "dimensions: 3\nplan: {size: [2.4, 2], storey: {height: %g}, walls: [{from: [%.9g, %.9g], to: [%.9g, %.9g], "
        "thickness: %g, material: metal}]}\nband: {centre: 1e9, width: 1.6e8}\n"
        "grid: {scheme: %s, cell: %g, absorber: {sides: {z_low: pec, z_high: pec}}}\n"
        "transmitters: [{at: [%.9g, %.9g, %g]}]\nreceivers: [{at: [%.9g, %.9g, %g]}]\n"
        "spectra: {count: 3, heights: [%g], spacing: 8 cells}\nstop: {after: 70 ns}\n",
        gap, at[2][0], at[2][1], at[3][0], at[3][1], thickness, scheme, CELL, at[0][0], at[0][1], 0.5 * gap, at[1][0],
        at[1][1], 0.5 * gap, 0.5 * gap);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    double *series = solve_series(&solved, 0, 0);
    /* Of a line, before solve_channel() sets it in relation to one at 1 m; the gap shares the current among its height.
     */
    const double k = 2 * M_PI * CENTRE / SPEED;
    const double complex found = solve_channel(&solved, 0, series, 1) * solve_hankel(k) * gap;
    const double complex image = solve_hankel(k * hypot(0.1, 0.6)) - solve_hankel(k * hypot(1.098, 0.6));
    free(series);
    solve_free(&solved);
    return cabs(found - image) / cabs(image);
}

/* At 10 cells a wavelength, at the band's centre. */
static void test_sheets_and_walls_reflect(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        double degrees, off, thickness, most;
    } SHEETS[] = {{"fd4o", 0, 0.018, 0.002, 0.02},
                  {"fd4o", 20, 0, 0.002, 0.15},
                  {"fd4o", 0, 0.02, 0.2, 0.02},
                  {"fd6", 0, 0.01, 0.002, 0.03}};
    for (size_t n = 0; n < sizeof SHEETS / sizeof SHEETS[0]; n++) {
        const double error = sheet_error(SHEETS[n].scheme, SHEETS[n].degrees, SHEETS[n].off, SHEETS[n].thickness);
        print_message("%s, turned by %g degrees, %g m thick, %g m off: %.1f %%\n", SHEETS[n].scheme, SHEETS[n].degrees,
                      SHEETS[n].thickness, SHEETS[n].off, 100 * error);
        assert_true(error < SHEETS[n].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_shield),
        cmocka_unit_test(test_sheets_and_walls_reflect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
