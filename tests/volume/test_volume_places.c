/* Receivers that are taken from the spectra in three dimensions: which planes are kept for them, how far away their
 * field is taken, what is refused; and that the field is that of their place, between the points, for every component:
 * against the closed form of a dipole in free space, and against receivers that are recorded. */
#include "tests/result/result_files.h"

#include "discretize/setup.h"
#include "tests/volume/dipole.h"
#include "tests/volume/text_setup.h"

#include "api/pairs.h"
#include "planwave.h"

#include <stdio.h>
#include <string.h>

/* 12 cells a wavelength at the upper band edge, 0.6 GHz. */
static const char BOX[] = "dimensions: 3\n"
                          "plan: {size: [1.6 m, 1.2 m], storey: {height: 1.2 m}}\n"
                          "band: {centre: 500 MHz, width: 200 MHz}\n"
                          "grid: {scheme: fd4, cell: 4 cm, absorber: {cells: 8}}\n"
                          "transmitters: [{name: tx, at: [0.3, 0.57, 0.61]}]\n"
                          "receivers:\n"
                          "  - {name: up, at: [1.27, 0.53, 0.75], record: spectra}\n"
                          "  - {name: x, at: [1.27, 0.53, 0.75], record: spectra, polarisation: x}\n"
                          "  - {name: flat, at: [1.1, 0.95, 0.75], record: spectra, polarisation: [1, 1, 0]}\n"
                          "  - {name: usual, at: [0.9, 0.3, 0.33], record: spectra}\n"
                          "spectra: {count: 5}\n"
                          "stop: {after: 45 ns, decay: off}\n";

static pw_setup *try_setup(const char *const *overrides, size_t count, pw_scenario **scenario, pw_error *error)
{
    return text_setup_try(BOX, PW_SINGLE, overrides, count, scenario, error);
}

static pw_setup *take(const char *const *overrides, size_t count, pw_scenario **scenario)
{
    return text_setup_take(BOX, PW_SINGLE, overrides, count, scenario);
}

static bool warned(const pw_setup *setup, const char *word)
{
    for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
        if (strstr(pw_setup_warning(setup, w), word) != NULL) {
            return true;
        }
    }
    return false;
}

/* Where nothing is said of planes, every receiver has one within half a cell, with the component that it takes in. */
static void planes_are_kept_for_the_receivers(void **state)
{
    (void)state;
    pw_scenario *scenario;
    static const char *const cut[] = {"spectra.cuts=[{from: [0, 0.6], to: [1.6, 0.6]}]"};
    for (size_t n = 0; n < 2; n++) {
        pw_setup *setup = take(cut, n, &scenario);
        assert_int_equal(setup->scenario->spectra.height_count, 2);
        assert_true(setup->scenario->spectra.heights[0] == 0.33 && setup->scenario->spectra.heights[1] == 0.75);
        const bool *kept = setup->scenario->spectra.components;
        assert_true(kept[0] && kept[1] && kept[2]);
        assert_int_equal(setup->scenario->spectra.spacing, 2);
        assert_true(setup->lattice_offset <= 0.02 + 1e-9);
        assert_false(warned(setup, "above or below") || warned(setup, "share a point") || warned(setup, "slanted"));
        drop(setup, scenario);
    }
}

static void a_plane_that_is_not_near_is_told(void **state)
{
    (void)state;
    pw_scenario *scenario;
    static const char *const apart[] = {"spectra.heights=[0.33 m, 0.9 m]", "spectra.components=[ex, ey, ez]"};
    pw_setup *setup = take(apart, 2, &scenario);
    assert_true(setup->lattice_offset >= 0.13 && setup->lattice_offset <= 0.17 + 1e-9);
    assert_true(warned(setup, "3 of 4 receivers of the spectra stand over 0.1 wavelengths above or below"));
    drop(setup, scenario);
    static const char *const near[] = {"spectra.heights=[0.33 m, 0.77 m]", "spectra.components=[ex, ey, ez]"};
    setup = take(near, 2, &scenario);
    assert_true(setup->lattice_offset > 0.01 && !warned(setup, "above or below"));
    drop(setup, scenario);
}

static void what_no_plane_serves_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *override, *words[3];
    } cases[] = {
        {"spectra.heights=[0.3 m, 0.4 m]", {"receiver 'up' at a height of 0.75 m", "0.3 m, 0.4 m", "record: steps"}},
        {"spectra.components=[ez]", {"receiver 'x' takes in Ex", "ex to spectra.components", "record: steps"}},
        {"receivers[3].at=[0.9, 0.3, 7]", {"height 7 m", "outside the plan", "allowed"}},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        pw_scenario *scenario;
        pw_error error = {{0}};
        pw_setup *setup = try_setup(&cases[n].override, 1, &scenario, &error);
        assert_null(setup);
        for (int w = 0; w < 3; w++) {
            if (strstr(error.message, cases[n].words[w]) == NULL) {
                fail_msg("'%s' says: %s", cases[n].override, error.message);
            }
        }
        pw_scenario_free(scenario);
    }
}

static void what_is_not_at_one_point_is_told(void **state)
{
    (void)state;
    pw_scenario *scenario;
    static const char *const slanted[] = {"receivers[2].polarisation=[1, 0, 1]"};
    pw_setup *setup = take(slanted, 1, &scenario);
    assert_true(warned(setup, "1 of 4 receivers of the spectra have slanted polarisations"));
    drop(setup, scenario);
    static const char *const coarse[] = {"spectra.spacing=4 cells"};
    setup = take(coarse, 1, &scenario);
    assert_true(warned(setup, "spectra.spacing: 3 cells interpolates") && setup->lattice_offset > 0.03);
    drop(setup, scenario);
}

static void solve(const char *const *overrides, size_t count, const char *name)
{
    pw_scenario *scenario;
    pw_error error = {{0}};
    pw_setup *setup = take(overrides, count, &scenario);
    const pw_run_options options = {.compute.backend = "cpu", .force = true};
    if (pw_run(setup, &options, name, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    drop(setup, scenario);
}

static pw_channel *channel_of(const pw_result *result, const char *receiver, const double *at, pw_component component)
{
    pw_channel_options options = pw_channel_options_default();
    options.component = component;
    pw_channel *channel = NULL;
    pw_error error = {{0}};
    if (pw_channel_create(result, NULL, receiver, at, &options, &channel, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return channel;
}

/* The largest error of the transfer function against E.p of the dipole at the channel's place, over the largest. */
static double error_of(const pw_channel *channel, const double along[3])
{
    double frequency[5], worst = 0, most = 0;
    double complex transfer[5];
    pw_error error;
    pw_channel_facts facts = pw_channel_describe(channel);
    assert_int_equal(pw_channel_transfer(channel, frequency, (double *)transfer, &error), PW_OK);
    for (int f = 0; f < 5; f++) {
        const double up[3] = {0, 0, 1}, r[3] = {facts.x - 0.3, facts.y - 0.57, facts.height - 0.61};
        const double broadside[3] = {1, 0, 0};
        double complex unit = dipole_component(up, broadside, 2, frequency[f]), sum = 0;
        double k = 2 * M_PI * frequency[f] / speed; /* the far field alone is the reference */
        unit /= 1 + 1 / (I * k) - 1 / (k * k);
        for (int c = 0; c < 3; c++) {
            sum += along[c] * dipole_component(up, r, c, frequency[f]) / unit;
        }
        worst = fmax(worst, cabs(transfer[f] - sum));
        most = fmax(most, cabs(sum));
    }
    return worst / most;
}

static void the_field_is_that_of_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double along[3], x, y;
    } cases[] = {{"up", {0, 0, 1}, 1.27, 0.53},
                 {"x", {1, 0, 0}, 1.27, 0.53},
                 {"flat", {0.70710678, 0.70710678, 0}, 1.1, 0.95},
                 {"usual", {0, 0, 1}, 0.9, 0.3}};
    solve(NULL, 0, path);
    pw_result *result = open_made(path);
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        pw_channel *channel = channel_of(result, cases[n].name, NULL, PW_COMPONENT_OWN);
        pw_channel_facts facts = pw_channel_describe(channel);
        assert_true(facts.x == cases[n].x && facts.y == cases[n].y);
        double error = error_of(channel, cases[n].along);
        if (!(error < 0.02)) {
            fail_msg("receiver '%s' is off by %.3g", cases[n].name, error);
        }
        pw_channel_free(channel);
    }
    /* At a point of the plane each component is that of the place that is named, and height apart by half a cell. */
    const double at[2] = {1.27, 0.53};
    pw_channel *channel = channel_of(result, NULL, at, PW_COMPONENT_EZ);
    assert_true(error_of(channel, (const double[]){0, 0, 1}) < 0.02);
    pw_channel_free(channel);
    pw_result_close(result);
}

/* The same places recorded at every step, at the height of the plane; and the same numbers in the file of pairs. */
static void recorded_receivers_agree(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    pw_channel *taken = channel_of(result, "up", NULL, PW_COMPONENT_OWN);
    double height = pw_channel_describe(taken).height, frequency[5];
    double complex one[5], other_one[5], response[4][3][5];
    char place[80];
    pw_error error;
    snprintf(place, sizeof place, "receivers=[{name: up, at: [1.27, 0.53, %.17g]}]", height);
    const char *overrides[] = {place};
    solve(overrides, 1, other);
    pw_result *steps = open_made(other);
    pw_channel *recorded = channel_of(steps, "up", NULL, PW_COMPONENT_OWN);
    assert_int_equal(pw_channel_transfer(taken, frequency, (double *)one, &error), PW_OK);
    assert_int_equal(pw_channel_transfer(recorded, frequency, (double *)other_one, &error), PW_OK);
    pw_pairs pairs = {.response = (double *)response};
    pw_pairs_options options = pw_pairs_options_default();
    options.channel.component = PW_COMPONENT_OWN;
    assert_int_equal(pw_pairs_compute(result, &options, &pairs, &error), PW_OK);
    double complex direct[5];
    assert_int_equal(pw_channel_response(taken, frequency, (double *)direct, &error), PW_OK);
    for (int f = 0; f < 5; f++) {
        assert_true(cabs(one[f] - other_one[f]) < 0.01 * cabs(other_one[f]));
        assert_true(cabs(response[0][2][f] - direct[f]) < 1e-9 * cabs(direct[f]));
    }
    pw_channel_free(taken);
    pw_channel_free(recorded);
    pw_result_close(steps);
    pw_result_close(result);
}

/* A grid without a height stands at the usual one, and its result can be read. */
static void the_usual_height_is_written(void **state)
{
    (void)state;
    static const char *const grid[] = {
        "plan.storey={height: 2.4 m}",
        "receivers=[{grid: {from: [0.9, 0.5], to: [1.1, 0.7], spacing: 10 cm}, record: spectra}]", "stop.after=2 ns"};
    solve(grid, 3, other);
    pw_result *result = open_made(other);
    assert_int_equal(result->transmitters[0].receiver_count, 9);
    assert_true(fabs(result->transmitters[0].receivers[0].height - 1.5) < 0.03);
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_are_kept_for_the_receivers), cmocka_unit_test(a_plane_that_is_not_near_is_told),
        cmocka_unit_test(what_no_plane_serves_is_refused),   cmocka_unit_test(what_is_not_at_one_point_is_told),
        cmocka_unit_test(the_field_is_that_of_the_place),    cmocka_unit_test(recorded_receivers_agree),
        cmocka_unit_test(the_usual_height_is_written),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
