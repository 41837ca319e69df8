/* Transmitters with a pattern in two dimensions: what the array radiates in free space, as it was solved, against the
 * cut it was made from, at the centre of the band and at its edges; walls around it; and what is refused. */
#include "discretize/setup.h"
#include "tests/support/solve.h"

#include <string.h>

enum { DIRECTIONS = 24 };

static double sector_loss(double degrees, double width)
{
    double off = fmod(degrees + 540, 360) - 180;
    return fmin(12 * (off / width) * (off / width), 25);
}

static double dipole_loss(double degrees)
{
    return fmin(-20 * log10(fabs(cos(degrees * M_PI / 180)) + 1e-9), 60);
}

/* A scenario of 2 m x 2 m with this pattern (0: a dipole in azimuth), bearing 70 degrees, receivers at 0.8 m around. */
static void write_scenario(char *text, size_t size, double width, const char *band, const char *plan)
{
    size_t used =
        (size_t)snprintf(text, size, "plan: {size: [2 m, 2 m]%s}\nband: %s\nantennas:\n  - name: p\n", plan, band);
    for (int cut = 0; cut < 2; cut++) {
        used += (size_t)snprintf(text + used, size - used, "    %s: \"", cut == 0 ? "horizontal" : "vertical");
        for (int n = 0; n < 120; n++) {
            used += (size_t)snprintf(text + used, size - used, "%.6f ",
                                     width > 0 ? sector_loss(3 * n, width) : dipole_loss(3 * n));
        }
        used += (size_t)snprintf(text + used, size - used, "\"\n");
    }
    used += (size_t)snprintf(text + used, size - used,
                             "transmitters: [{name: a, at: [1.007, 0.991], antenna: {pattern: p, bearing: 70 deg}}]\n"
                             "spectra: {count: 3}\nstop: {after: 16 ns}\nreceivers:\n");
    for (int n = 0; n < DIRECTIONS; n++) {
        double angle = (70 + 360.0 * n / DIRECTIONS) * M_PI / 180; /* clockwise from y */
        used += (size_t)snprintf(text + used, size - used, "  - {at: [%.9f, %.9f]}\n", 1.007 + 0.8 * sin(angle),
                                 0.991 + 0.8 * cos(angle));
    }
}

static void check_radiated(double width)
{
    static char text[16384];
    write_scenario(text, sizeof text, width, "{centre: 2.4 GHz, width: 600 MHz}", "");
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    const struct array_report *report = &solved.setup->arrays[0];
    assert_true(report->count >= 4 && report->error <= 0.2 && report->error_centre <= report->error);
    assert_true(report->current < 20 && report->radius <= 1.31 * 0.125);
    for (int n = 0; n < DIRECTIONS; n++) {
        double degrees = 360.0 * n / DIRECTIONS, loss = width > 0 ? sector_loss(degrees, width) : dipole_loss(degrees);
        double *ez = solve_series(&solved, 0, n);
        for (int f = 0; f < 3; f++) {
            double w = 2 * M_PI * solved.setup->frequency[f] / 299792458.0;
            double free_space = cabs(solve_hankel(0.8 * w) / solve_hankel(w));
            double level = 20 * log10(cabs(solve_channel(&solved, 0, ez, f)) / free_space);
            if (loss <= 15 && !(fabs(level + loss) <= 0.5)) {
                fail_msg("width %g, %g deg, frequency %d: %.2f dB in place of %.2f", width, degrees, f, level, -loss);
            }
            assert_true(loss <= 15 || level < -13);
        }
        free(ez);
    }
    solve_free(&solved);
}

static void test_radiated_patterns(void **state)
{
    (void)state;
    check_radiated(65);
    check_radiated(0);
}

/* All engines give the same bits. */
static void test_engines_agree(void **state)
{
    (void)state;
    static char text[16384];
    write_scenario(text, sizeof text, 65, "{centre: 2.4 GHz, width: 1200 MHz}", "");
    strcat(text, "grid: {cell: 1.5 cm}\n");
    struct solved cpu = solve(text, PW_SINGLE, "cpu"), reference = solve(text, PW_SINGLE, "reference");
    assert_true(cpu.setup->problem.sources[0].further >= 1);
    for (int r = 0; r < DIRECTIONS; r += 5) {
        double *one = solve_series(&cpu, 0, r), *other = solve_series(&reference, 0, r);
        assert_memory_equal(one, other, (size_t)cpu.simulation->step * sizeof(double));
        free(one);
        free(other);
    }
    solve_free(&cpu);
    solve_free(&reference);
}

/* Beside a wall the currents stand in the air before it; within metal there is no place for them. */
static void test_walls_around(void **state)
{
    (void)state;
    static char text[16384];
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {""};
    write_scenario(text, sizeof text, 65, "2.4 GHz",
                   ", rectangles: [{from: [0.8, 0], to: [0.98, 2], material: concrete}]");
    assert_int_equal(pw_scenario_parse("test", text, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    const struct source *source = &setup->problem.sources[0];
    for (int64_t k = 0; k < source->count; k++) {
        double x =
            setup->origin.x + (double)(source->node[k] % setup->problem.axis[0].count) * setup->problem.axis[0].spacing;
        assert_true(x > 0.98);
    }
    bool warned = false;
    for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
        warned = warned || strstr(pw_setup_warning(setup, w), "in its near field") != NULL;
    }
    assert_true(warned && setup->arrays[0].error < 1);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    write_scenario(text, sizeof text, 65, "2.4 GHz",
                   ", rectangles: [{from: [0.6, 0.6], to: [1.4, 1.4], material: concrete}]");
    assert_int_equal(pw_scenario_parse("test", text, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "needs air around it"));
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_radiated_patterns), cmocka_unit_test(test_engines_agree),
                                       cmocka_unit_test(test_walls_around)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
