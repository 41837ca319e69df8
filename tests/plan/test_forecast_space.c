/* The forecast in three dimensions, and between walls at the ends of the grid: things are met at their heights, whether
 * they lie or stand; and energy that metal or a plane of symmetry sends back stays on the plan. */
#include "tests/support/check.h"

#include "base/constants.h"
#include "discretize/forecast/error_law.h"
#include "discretize/setup.h"

#include <math.h>
#include <stdio.h>

struct seen {
    double local_mean, field, decay; /* dB, relative, s for 50 dB */
};

static struct seen seen_in(const char *text)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {{0}};
    if (pw_scenario_parse("space", text, NULL, 0, &scenario, &error) != PW_OK ||
        pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    const struct seen seen = {setup->error.local_mean, setup->error.field,
                              energy_transport_decay_time(setup->transport, 1e-5)};
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return seen;
}

/* A cube of 1.6 m with one thing in it, which the transmitter's own height does not cut where it lies. */
static struct seen cube_with(const char *shapes, const char *material)
{
    char text[1024], thing[512];
    snprintf(thing, sizeof thing, shapes, material);
    snprintf(text, sizeof text,
             "dimensions: 3\nplan: {size: [1.6 m, 1.6 m], storey: {height: 1.6 m}, %s}\nband: 1 GHz\n"
             "grid: {cell: 4.5 cm}\ntransmitters: [{name: a, at: [0.7 m, 0.35 m, 0.6 m], polarisation: y}]\n",
             thing);
    return seen_in(text);
}

/* Turning a plan changes nothing but which way things lie: a bar errs as a post does. Before, what the cut at the
 * transmitter's height does not meet was not there, and the error of a bar 0.3 % of the field. */
static void bars_err_as_posts_do(void **state)
{
    (void)state;
    static const char *const MATERIALS[] = {"metal", "concrete"};
    for (int m = 0; m < 2; m++) {
        const struct seen post = cube_with("rectangles: [{from: [0.65, 0.75], to: [0.95, 1.05], material: %s}]",
                                           MATERIALS[m]),
                          bar = cube_with("boxes: [{from: [0, 0.75, 0.65], to: [1.6, 1.05, 0.95], material: %s}]",
                                          MATERIALS[m]),
                          beam = cube_with("boxes: [{from: [0.65, 0, 0.75], to: [0.95, 1.6, 1.05], material: %s}]",
                                           MATERIALS[m]);
        print_message("%s: post %.3g dB, %.2g %%; bar %.3g, %.2g; beam %.3g, %.2g\n", MATERIALS[m], post.local_mean,
                      100 * post.field, bar.local_mean, 100 * bar.field, beam.local_mean, 100 * beam.field);
        assert_true(bar.field > post.field / 2 && bar.field < post.field * 2);
        assert_true(beam.field > post.field / 2 && beam.field < post.field * 2);
        assert_true(bar.local_mean > post.local_mean / 2 && bar.local_mean < post.local_mean * 2);
    }
}

/* A plate lies as a ceiling of the same metal does. */
static void plates_err_as_ceilings_do(void **state)
{
    (void)state;
    const struct seen ceiling =
        seen_in("dimensions: 3\nplan: {size: [2 m, 2 m], storey: {height: 1.2 m, ceiling: {material: metal, thickness: "
                "20 cm}}}\n"
                "band: 1 GHz\ngrid: {cell: 4.5 cm}\ntransmitters: [{name: a, at: [0.7 m, 0.65 m, 0.6 m]}]\n");
    const struct seen plate = seen_in(
        "dimensions: 3\nplan: {size: [2 m, 2 m], storey: {height: 1.6 m}, boxes: [{from: [0, 0, 1.2], to: [2, 2, "
        "1.4], material: metal}]}\n"
        "band: 1 GHz\ngrid: {cell: 4.5 cm}\ntransmitters: [{name: a, at: [0.7 m, 0.65 m, 0.6 m]}]\n");
    print_message("ceiling %.3g dB, %.2g %%; plate %.3g, %.2g\n", ceiling.local_mean, 100 * ceiling.field,
                  plate.local_mean, 100 * plate.field);
    assert_true(plate.field > 0.67 * ceiling.field && plate.field < 1.5 * ceiling.field);
}

/* Poynting's theorem, with metal at all ends of the grid: energy falls as exp(-s t / e). */
static void boxes_decay_by_their_conductivity(void **state)
{
    (void)state;
    const double right = 2 * FREE_SPACE_PERMITTIVITY / 1e-3 * log(1e5);
    const struct seen flat =
        seen_in("plan: {size: [4 m, 3 m], rectangles: [{from: [0, 0], to: [4, 3], material: {relative_permittivity: 2, "
                "conductivity: 1 mS/m}}]}\nband: 1 GHz\ngrid: {cell: 5 cm, absorber: {kind: pec}}\n"
                "transmitters: [{name: a, at: [0.7 m, 0.35 m]}]\n");
    const struct seen space = seen_in(
        "dimensions: 3\nplan: {size: [1.5 m, 1 m], storey: {height: 1 m}, rectangles: [{from: [0, 0], to: [1.5, 1], "
        "material: {relative_permittivity: 2, conductivity: 1 mS/m}}]}\nband: 1 GHz\n"
        "grid: {cell: 5 cm, absorber: {kind: pec}}\ntransmitters: [{name: a, at: [0.7 m, 0.35 m, 0.4 m]}]\n");
    print_message("decay in %.3g and %.3g ns, right %.3g\n", 1e9 * flat.decay, 1e9 * space.decay, 1e9 * right);
    assert_true(fabs(flat.decay / right - 1) < 0.05);
    assert_true(fabs(space.decay / right - 1) < 0.05);
}

/* The half of a plan beside its plane of symmetry keeps its energy as long as the whole. */
static void halves_decay_as_the_whole(void **state)
{
    (void)state;
    const char *const form =
        "plan: {size: [%g m, 6 m], walls: [{from: [%g, 0], to: [%g, 6], thickness: 20 cm, material: "
        "concrete}%s]}\nband: 1 GHz\ngrid: {cell: 4 cm, symmetry: [%s]}\n"
        "transmitters: [{name: a, at: [%g m, 2.35 m]}]\n";
    char text[1024];
    snprintf(text, sizeof text, form, 4.0, 3.5, 3.5, "", "x", 0.0);
    const struct seen half = seen_in(text);
    snprintf(text, sizeof text, form, 8.0, 7.5, 7.5,
             ", {from: [0.5, 0], to: [0.5, 6], thickness: 20 cm, material: concrete}", "", 4.0);
    const struct seen whole = seen_in(text);
    print_message("half %.3g ns, whole %.3g\n", 1e9 * half.decay, 1e9 * whole.decay);
    assert_true(fabs(half.decay / whole.decay - 1) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_err_as_posts_do), cmocka_unit_test(plates_err_as_ceilings_do),
        cmocka_unit_test(boxes_decay_by_their_conductivity), cmocka_unit_test(halves_decay_as_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
