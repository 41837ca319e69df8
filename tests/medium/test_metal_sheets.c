/* Metal thinner than a cell, solved: a closed sheet lets nothing through, wherever it lies between the nodes and
 * however it is turned, and it reflects as its image does. */
#include "tests/support/solve.h"

#include <string.h>

static const double CENTRE = 1e9, STEP = 25e6; /* Hz */
enum { FREQUENCIES = 3 };

static double complex free_space(double frequency, double distance)
{
    const double k = 2 * M_PI * frequency / 299792458;
    return solve_hankel(k * distance) / solve_hankel(k);
}

/* What a sheet through (3 + off, 2.5) m, turned by `degrees`, lets through to a point 1.1 m behind it, over what comes
 * there without it [dB], and the relative error of the field before it. */
struct sheet_answer {
    double through, reflected;
};

static void place(double degrees, double off, double across, double along, double *at)
{
    const double angle = degrees * M_PI / 180;
    at[0] = 3 + off + across * cos(angle) - along * sin(angle);
    at[1] = 2.5 + across * sin(angle) + along * cos(angle);
}

static struct sheet_answer sheet_solve(const char *scheme, double cell, double degrees, double off, double thickness)
{
    double end[2][2], from[2], behind[2], before[2];
    place(degrees, off, 0, -20, end[0]);
    place(degrees, off, 0, 20, end[1]);
    place(degrees, off, -1.5, -0.3, from);
    place(degrees, off, 1.1, 0.5, behind);
    place(degrees, off, -0.9, 0.8, before);
    char text[1024];
    snprintf(text, sizeof text,
             "plan: {size: [6, 5], walls: [{from: [%.9g, %.9g], to: [%.9g, %.9g], thickness: %.9g, material: metal}]}\n"
             "band: {centre: %g, width: %g}\ngrid: {scheme: %s, cell: %g}\ntransmitters: [{at: [%.9g, %.9g]}]\n"
             "receivers: [{at: [%.9g, %.9g]}, {at: [%.9g, %.9g]}]\nspectra: {count: %d}\n",
             end[0][0], end[0][1], end[1][0], end[1][1], thickness, CENTRE, STEP * (FREQUENCIES - 1), scheme, cell,
             from[0], from[1], behind[0], behind[1], before[0], before[1], FREQUENCIES);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    double *through = solve_series(&solved, 0, 0), *back = solve_series(&solved, 0, 1), power = 0, open = 0, error = 0,
           size = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        const double frequency = CENTRE + (f - 0.5 * (FREQUENCIES - 1)) * STEP;
        const double complex h = solve_channel(&solved, 0, through, f);
        const double complex g = solve_channel(&solved, 0, back, f);
        const double complex image =
            free_space(frequency, hypot(0.6, 1.1)) - free_space(frequency, hypot(2.4 - thickness, 1.1));
        power += pow(cabs(h), 2);
        open += pow(cabs(free_space(frequency, hypot(2.6, 0.8))), 2);
        error += pow(cabs(g - image), 2);
        size += pow(cabs(image), 2);
    }
    free(through);
    free(back);
    solve_free(&solved);
    return (struct sheet_answer){10 * log10(power / open + 1e-30), sqrt(error / size)};
}

/* At 15 cells a wavelength. */
static void test_sheets_shield_and_reflect(void **state)
{
    (void)state;
    static const double turns[] = {0, 10, 37, 45}; /* degrees */
    for (int t = 0; t < 4; t++) {
        for (int place = 0; place < 2; place++) { /* on a row of nodes, where it is aligned, and between two */
            struct sheet_answer answer = sheet_solve("fd4o", 0.02, turns[t], 0.0075 * place, 0.002);
            print_message("turned by %2.0f degrees: %.0f dB through, field before it off by %.1f %%\n", turns[t],
                          answer.through, 100 * answer.reflected);
            assert_true(answer.through < -45);
            assert_true(answer.reflected < 0.03);
        }
    }
}

/* Foil far thinner than the steps in which metal is looked for, on cells of 7.5 a wavelength. */
static void test_foil_shields(void **state)
{
    (void)state;
    assert_true(sheet_solve("fd4o", 0.04, 0, 0.013, 0.0001).through < -40);
    assert_true(sheet_solve("fd4o", 0.04, 23, 0, 0.0001).through < -40);
    assert_true(sheet_solve("fd4o", 0.04, 67, 0, 0.0001).through < -40); /* it leaves the plan by the other edges */
    assert_true(sheet_solve("yee", 0.04, 23, 0, 0.0001).through < -40);
    assert_true(sheet_solve("dd4", 0.04, 0, 0, 0.0001).through < -40);
    assert_true(sheet_solve("fd8", 0.04, 23, 0.01, 0.0001).through < -40);
}

/* Whether a wall of 5 cm of this conductivity, on cells of 4 cm, draws a warning. */
static bool warns_of_depth(double conductivity)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "plan: {size: [2, 2], walls: [{from: [1, 0], to: [1, 2], thickness: 0.05, material: {relative_permittivity: "
        "3, conductivity: %g S/m}}]}\nband: 1 GHz\ngrid: {cell: 4 cm}\ntransmitters: [{at: [0.5, 1]}]\n",
        conductivity);
    struct solved solved = solve_prepare(text, PW_SINGLE, "cpu");
    bool told = false;
    for (size_t n = 0; n < pw_setup_warning_count(solved.setup); n++) {
        told = told || strstr(pw_setup_warning(solved.setup, n), "waves enter it") != NULL;
    }
    solve_free(&solved);
    return told;
}

/* 100 S/m lets -240 dB through 5 cm; on such cells it is -50. */
static void test_good_conductors_are_told(void **state)
{
    (void)state;
    assert_false(warns_of_depth(0) || warns_of_depth(0.05) || warns_of_depth(1));
    assert_true(warns_of_depth(100) && warns_of_depth(1e7));
}

static bool warns_of(const char *text, const char *words)
{
    struct solved solved = solve_prepare(text, PW_SINGLE, "cpu");
    bool told = false;
    for (size_t n = 0; n < pw_setup_warning_count(solved.setup); n++) {
        told = told || strstr(pw_setup_warning(solved.setup, n), words) != NULL;
    }
    solve_free(&solved);
    return told;
}

/* What is said of a metal wall of this thickness on cells of 4 cm, with a receiver so far before its face. */
static bool warns_of_sheet(const char *grid, double thickness, double before, const char *words)
{
    char text[512];
    snprintf(text, sizeof text,
             "plan: {size: [2, 2], walls: [{from: [1, 0], to: [1, 2], thickness: %g, material: metal}]}\nband: 1 GHz\n"
             "grid: {scheme: %s, cell: 4 cm}\ntransmitters: [{at: [0.4, 1]}]\nreceivers: [{at: [%.9g, 1]}]\n",
             thickness, grid, 1 - 0.5 * thickness - before);
    return warns_of(text, words);
}

/* Metal that a scheme reaches over is told of where it stands on the nodes; else it stands at its place and shields. */
static void test_thin_sheets_are_told(void **state)
{
    (void)state;
    assert_true(warns_of_sheet("dd4, averaging: point", 0.002, 0.4, "reaches over it"));
    assert_false(warns_of_sheet("fd4o", 0.002, 0.4, "metal"));
    assert_false(warns_of_sheet("dd4", 0.002, 0.4, "metal"));
    assert_false(warns_of_sheet("yee", 0.002, 0.4, "metal"));
    assert_false(warns_of_sheet("fd4o", 0.16, 0.4, "metal 1"));
    assert_false(warns_of_sheet("dd4", 0.24, 0.4, "metal 2"));
}

/* A worse sheet is told of although a better one comes first. */
static void test_the_worst_sheet_is_told(void **state)
{
    (void)state;
    assert_true(warns_of("plan: {size: [2, 2], walls: [{from: [0.5, 0], to: [0.5, 2], thickness: 0.3, material: metal},"
                         " {from: [1, 0], to: [1, 2], thickness: 0.002, material: metal}]}\nband: 1 GHz\n"
                         "grid: {scheme: fd4o, cell: 4 cm, averaging: point}\ntransmitters: [{at: [0.8, 1]}]\n",
                         "reaches over it"));
}

/* What stands less than a cell before metal. */
static void test_places_before_thin_metal_are_told(void **state)
{
    (void)state;
    assert_true(warns_of_sheet("dd4", 0.002, 0.03, "metal"));
    assert_false(warns_of_sheet("dd4", 0.002, 0.2, "metal"));
    assert_false(warns_of_sheet("yee", 0.002, 0.05, "metal"));
    assert_true(warns_of_sheet("dd4", 0.24, -0.1, "inside a wall (metal)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheets_shield_and_reflect), cmocka_unit_test(test_foil_shields),
        cmocka_unit_test(test_good_conductors_are_told),  cmocka_unit_test(test_thin_sheets_are_told),
        cmocka_unit_test(test_the_worst_sheet_is_told),   cmocka_unit_test(test_places_before_thin_metal_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
