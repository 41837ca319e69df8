/* Poles in a scenario: what is read, written back and refused; which nodes have them; that fields die away; and a wall
 * in three dimensions against the closed form. */
#include <string.h>

#include "discretize/setup.h"
#include "tests/support/sanitized.h"
#include "tests/support/solve.h"

static const char WET[] = "{relative_permittivity: 5.2, poles: [{kind: debye, strength: 10, relaxation_time: 30 ps}]}";

/* A plan of one wall of this material. */
static char *plan_of(const char *material)
{
    char *text = NULL;
    if (asprintf(&text,
                 "plan:\n  size: [0.4, 0.3]\n  rectangles: [{from: [0.2, 0], to: [0.253, 0.3], material: %s}]\n"
                 "band: {centre: 3 GHz, width: 1 GHz}\ngrid: {cell: 5 mm, scheme: fd4, absorber: {cells: 8}}\n"
                 "transmitters: [{name: t, at: [0.1, 0.15]}]\nspectra: off\nstop: {steps: 40, decay: off}\n"
                 "receivers: [{name: r, at: [0.3, 0.15]}]\n",
                 material) < 0) {
        abort();
    }
    return text;
}

/* The message with which the material is refused, when it is read or when it is set up. */
static void assert_refused(const char *material, const char *part)
{
    char *text = plan_of(material);
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {{0}};
    pw_status status = pw_scenario_parse("bad", text, NULL, 0, &scenario, &error);
    if (status == PW_OK) {
        status = pw_setup_create(scenario, PW_SINGLE, false, &setup, &error);
    }
    if (status != PW_BAD_INPUT || strstr(error.message, part) == NULL) {
        fail_msg("%s: status %d, '%s' has not '%s'", material, (int)status, error.message, part);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    free(text);
}

static void test_what_is_refused(void **unused)
{
    (void)unused;
    assert_refused("{relative_permittivity: 2, poles: [{kind: debye, strength: -1, relaxation_time: 1 ps}]}",
                   "strength");
    assert_refused("{relative_permittivity: 2, poles: [{kind: debye, strength: 0, relaxation_time: 1 ps}]}",
                   "strength");
    assert_refused("{relative_permittivity: 2, poles: [{kind: debye, strength: 1}]}", "relaxation_time");
    assert_refused("{relative_permittivity: 2, poles: [{kind: debye, strength: 1, relaxation_time: 0 s}]}",
                   "relaxation_time");
    assert_refused("{relative_permittivity: 2, poles: [{kind: lorentz, strength: 1, frequency: 3 GHz, damping: 0 Hz}]}",
                   "damping");
    assert_refused("{relative_permittivity: 2, poles: [{kind: drude, frequency: 3 GHz, damping: -1 Hz}]}", "damping");
    assert_refused("{relative_permittivity: 2, poles: [{kind: drude, frequency: 0 Hz, damping: 1 Hz}]}", "frequency");
    assert_refused("{relative_permittivity: 2, poles: [{kind: drude, frequency: 1 GHz, damping: 0, strength: 2}]}",
                   "strength");
    assert_refused("{relative_permittivity: 2, poles: [{kind: conductivity, conductivity: -0.1 S/m}]}", "conductivity");
    assert_refused("{relative_permittivity: 2, conductivity: -1 S/m}", "conductivity");
    assert_refused("{relative_permittivity: 0.5, poles: [{kind: drude, frequency: 1 GHz, damping: 0}]}",
                   "relative_permittivity");
    assert_refused("{relative_permittivity: 2, poles: [{kind: gauss, strength: 1}]}", "kind");
    assert_refused("{relative_permittivity: 2, poles: [debye]}", "map");
    assert_refused("{perfect_conductor: true, poles: [{kind: drude, frequency: 1 GHz, damping: 0}]}",
                   "perfect conductor");
    assert_refused(
        "{relative_permittivity: 2, poles: [{kind: lorentz, strength: 1, frequency: 300 GHz, damping: 1 GHz}]}",
        "resonance of its pole 1");
    assert_refused("{relative_permittivity: 2, poles: [{kind: debye, strength: 1, relaxation_time: 0.1 ps}]}",
                   "relaxation of its pole 1");
    assert_refused("{relative_permittivity: 1, poles: [{kind: drude, frequency: 1 THz, damping: 0}]}",
                   "plasma frequency of its pole 1");
}

static void test_reading_and_writing(void **unused)
{
    (void)unused;
    char *text =
        plan_of("{name: wall, relative_permittivity: 2.5, conductivity: 0.01 S/m, poles: [{kind: debye, strength: "
                "1.3, relaxation_time: 8.3 ps}, {kind: lorentz, strength: 0.7, frequency: 4.1 GHz, damping: 0.3 "
                "GHz}, {kind: conductivity, conductivity: 0.02 S/m}, {kind: drude, frequency: 1.7 GHz, damping: "
                "0}]}");
    struct solved solved = solve_prepare(text, PW_SINGLE, "reference");
    const struct material_choice *found = &solved.scenario->plan.shapes[0].material;
    assert_int_equal(found->pole_count, 3);
    assert_true(found->conductivity == 0.01 + 0.02);
    assert_true(found->poles[0].kind == POLE_DEBYE && found->poles[0].relaxation == 8.3e-12);
    assert_true(found->poles[1].kind == POLE_LORENTZ && found->poles[1].frequency == 4.1e9 &&
                found->poles[1].damping == 0.3e9);
    assert_true(found->poles[2].kind == POLE_DRUDE && found->poles[2].damping == 0);
    pw_scenario *again = NULL;
    pw_error error = {{0}};
    assert_int_equal(pw_scenario_parse("again", pw_setup_scenario_text(solved.setup), NULL, 0, &again, &error), PW_OK);
    assert_true(material_choices_equal(found, &again->plan.shapes[0].material));
    assert_string_equal(again->plan.shapes[0].material.name, "wall");
    pw_scenario_free(again);
    solve_free(&solved);
    free(text);
}

/* The wall is 10.6 cells thick: 9 or 10 nodes of it alone in each row, and the two beside its faces in part; each with
 * the permittivity of water at the band's centre. */
static void test_nodes_that_have_poles(void **unused)
{
    (void)unused;
    char *text = plan_of(WET);
    struct solved solved = solve_prepare(text, PW_SINGLE, "reference");
    const struct problem *problem = &solved.setup->problem;
    int64_t nodes = 0;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        nodes += span->count;
        assert_true(s == 0 || span->place >= problem->pole_spans[s - 1].place + problem->pole_spans[s - 1].count);
        assert_true(span->place / problem->axis[0].count == (span->place + span->count - 1) / problem->axis[0].count);
    }
    assert_true(nodes >= 11 * problem->axis[1].count && nodes <= 12 * problem->axis[1].count);
    assert_int_equal(problem->pole_state_count, 2 * nodes);
    solve_free(&solved);
    free(text);
}

/* Energy after 64 000 steps (8000 under the sanitizers, where the bits are the same) against that after 4000, in single
 * precision at the largest time step: every kind of pole in walls that run into the absorber, beside metal and across
 * corners. */
static void assert_dies_away(const char *text, const char *backend)
{
    struct solved solved = solve_prepare(text, PW_SINGLE, backend);
    pw_error error = {{0}};
    double energy[2];
    int64_t steps[2] = {4000, SANITIZED ? 4000 : 60000};
    for (int look = 0; look < 2; look++) {
        assert_int_equal(stepper_advance(solved.simulation->stepper, steps[look], &error), PW_OK);
        assert_int_equal(stepper_energy(solved.simulation->stepper, 0, &energy[look], &error), PW_OK);
    }
    /* What rounding has left at rest is still there, and a few per cent of it waver when it has just come to rest. */
    if (!(energy[1] < 1.05 * energy[0] && energy[0] > 0)) {
        fail_msg("energy %g after %d steps, %g after %d more", energy[0], (int)steps[0], energy[1], (int)steps[1]);
    }
    solve_free(&solved);
}

static const char MEDIA[] =
    "  rectangles:\n"
    "    - {from: [0.05, 0], to: [0.083, 0.2], material: {relative_permittivity: 5.2, poles: [{kind: debye, strength: "
    "12, relaxation_time: 20 ps}]}}\n"
    "    - {from: [0, 0.1], to: [0.2, 0.133], material: {relative_permittivity: 1, poles: [{kind: drude, frequency: 5 "
    "GHz, "
    "damping: 0}]}}\n"
    "    - {from: [0.12, 0], to: [0.15, 0.2], material: {relative_permittivity: 2, poles: [{kind: lorentz, strength: "
    "2, "
    "frequency: 4.6 GHz, damping: 0.02 GHz}, {kind: debye, strength: 1, relaxation_time: 60 ps}]}}\n"
    "    - {from: [0.17, 0.17], to: [0.2, 0.2], material: metal}\n";

static void test_no_growth_in_two_dimensions(void **unused)
{
    (void)unused;
    const char *schemes[] = {"fd4o", "dd4"};
    for (int s = 0; s < 2; s++) {
        char *text = NULL;
        assert_true(
            asprintf(&text,
                     "plan:\n  size: [0.2, 0.2]\n%sband: {centre: 2 GHz, width: 1 GHz}\n"
                     "grid: {cell: 8 mm, scheme: %s, absorber: {cells: 6}}\n"
                     "transmitters: [{name: t, at: [0.1, 0.05]}]\nspectra: off\nstop: {steps: 64000, decay: off}\n",
                     MEDIA, schemes[s]) > 0);
        assert_dies_away(text, "cpu");
        free(text);
    }
}

static void test_no_growth_in_three_dimensions(void **unused)
{
    (void)unused;
    char *text = NULL;
    assert_true(
        asprintf(&text,
                 "dimensions: 3\nplan:\n  size: [0.08, 0.06]\n  storey: {height: 0.06, floor: {material: "
                 "{relative_permittivity: 3, poles: [{kind: debye, strength: 2, relaxation_time: 60 ps}]}, thickness: "
                 "0.02}}\n"
                 "  rectangles:\n    - {from: [0.03, 0], to: [0.053, 0.06], material: {relative_permittivity: 1, "
                 "poles: [{kind: drude, frequency: 5 GHz, damping: 0.2 GHz}]}}\n"
                 "    - {from: [0.06, 0], to: [0.073, 0.06], z: [0, 0.04], material: {relative_permittivity: 2, poles: "
                 "[{kind: lorentz, strength: 2, frequency: 4.6 GHz, damping: 0.02 GHz}]}}\n"
                 "band: {centre: 3 GHz, width: 2 GHz}\ngrid: {cell: 10 mm, scheme: fd4o, absorber: {cells: 4}}\n"
                 "transmitters: [{name: t, at: [0.02, 0.03], height: 0.03}]\nspectra: off\n"
                 "stop: {steps: 64000, decay: off}\n") > 0);
    assert_dies_away(text, "cpu");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_reading_and_writing),
        cmocka_unit_test(test_nodes_that_have_poles),
        cmocka_unit_test(test_no_growth_in_two_dimensions),
        cmocka_unit_test(test_no_growth_in_three_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
