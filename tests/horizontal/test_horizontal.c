/* Horizontal polarisation in two dimensions from the scenario to the channel (physics.md section 11): what is refused,
 * what is written back, transfer functions and maps of a result in free space against the Hankel function, components
 * at receivers and at points of the spectra, and that vertical polarisation knows nothing of it. */
#include "tests/result/result_files.h"

#include "api/map.h"
#include "base/constants.h"
#include "scenario/scenario.h"
#include "tests/volume/text_setup.h"

static const char ROOM[] = "polarisation: horizontal\n"
                           "plan: {size: [1.2, 1]}\n"
                           "grid: {cell: 2 cm, scheme: fd4o, absorber: {cells: 12}}\n"
                           "band: {centre: 1 GHz, width: 0.2 GHz}\n"
                           "transmitters: [{name: loop, at: [0.31, 0.5]}, {name: dipole, at: [0.31, 0.5], "
                           "polarisation: y}]\n"
                           "receivers:\n"
                           "  - {name: h, at: [1.01, 0.5]}\n"
                           "  - {name: ey, at: [1.01, 0.5], polarisation: y}\n"
                           "  - {name: ex, at: [1.01, 0.5], polarisation: x}\n"
                           "  - {name: slanted, at: [1.01, 0.5], polarisation: [3, 4]}\n"
                           "  - {name: kept, at: [1.01, 0.5], polarisation: y, record: spectra}\n"
                           "spectra: {count: 9, spacing: 1, components: [ex, ey, hz]}\n";

static void refuses(const char *set, const char *named)
{
    pw_scenario *scenario = NULL;
    pw_error error = {{0}};
    assert_int_equal(pw_scenario_parse("room", ROOM, &set, 1, &scenario, &error), PW_BAD_INPUT);
    if (strstr(error.message, named) == NULL) {
        fail_msg("'%s' is not in the message for '%s': %s", named, set, error.message);
    }
}

static void test_nonsense_is_refused(void **unused)
{
    (void)unused;
    refuses("polarisation=diagonal", "horizontal");
    refuses("polarisation=vertical", "polarisation: horizontal");
    refuses("transmitters[0].polarisation=vertical", "loop");
    refuses("transmitters[0].polarisation=[0, 0]", "direction");
    refuses("transmitters[0].polarisation=[1, 0, 0]", "two numbers");
    refuses("transmitters[0].source=hard", "soft");
    refuses("transmitters[0].antenna=half-wave", "three dimensions");
    refuses("spectra.components=[ez]", "hz");
    const char *averaging = "grid.averaging=bandlimited";
    pw_scenario *scenario = NULL;
    pw_error error = {{0}};
    assert_null(text_setup_try(ROOM, PW_SINGLE, &averaging, 1, &scenario, &error));
    assert_non_null(strstr(error.message, "vertical polarisation"));
    pw_scenario_free(scenario);
    const char *volume[] = {"dimensions=3", "plan.storey={height: 2 m}"};
    assert_int_equal(pw_scenario_parse("room", ROOM, volume, 2, &scenario, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "each transmitter"));
}

static void test_the_resolved_scenario_reads_back(void **unused)
{
    (void)unused;
    pw_scenario *scenario, *again;
    pw_error error = {{0}};
    pw_setup *setup = text_setup_take(ROOM, PW_SINGLE, NULL, 0, &scenario), *second;
    assert_int_equal(pw_scenario_parse("again", pw_setup_scenario_text(setup), NULL, 0, &again, &error), PW_OK);
    assert_true(again->horizontal && again->transmitters[0].polarisation.z == 1);
    assert_true(again->transmitters[1].polarisation.y == 1 && again->receivers[3].polarisation.y == 0.8);
    assert_int_equal(pw_setup_create(again, PW_SINGLE, false, &second, &error), PW_OK);
    assert_string_equal(pw_setup_scenario_text(setup) + strlen("title: 'room'\n"),
                        pw_setup_scenario_text(second) + strlen("title: 'room'\n"));
    drop(setup, scenario);
    drop(second, again);
}

/* Whether the set-up of the room with this metal in its plan warns of a staircase: metal thinner than a cell of 2 cm,
 * and without averages all that is off the nodes. */
static bool warns_of_staircase(const char *metal, const char *const *more)
{
    char plan[200];
    snprintf(plan, sizeof plan, "plan.%s", metal);
    const char *set[] = {plan, more[0], more[1], more[2], more[3]};
    pw_scenario *scenario;
    pw_setup *setup = text_setup_take(ROOM, PW_SINGLE, set, more[0] == NULL ? 1 : 5, &scenario);
    bool warned = false;
    for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
        warned = warned || strstr(pw_setup_warning(setup, w), "staircase of held edges") != NULL;
    }
    drop(setup, scenario);
    return warned;
}

static void test_metal_off_the_nodes_is_told(void **unused)
{
    (void)unused;
    const char *const horizontal[] = {NULL, NULL, NULL, NULL};
    const char *const vertical[] = {"polarisation=vertical", "transmitters=[{at: [0.31, 0.5]}]", "receivers=[]",
                                    "spectra.components=[ez]"};
    const char *round = "circles=[{centre: [0.6, 0.8], radius: 0.1, material: metal}]";
    const char *const point[] = {"grid.averaging=point", "title=a", "title=b", "title=c"};
    const char *slanted = "walls=[{from: [0.5, 0.7], to: [0.7, 0.9], thickness: 0.1, material: metal}]";
    const char *off = "rectangles=[{from: [0.5, 0.7], to: [0.61, 0.9], material: metal}]";
    const char *on = "rectangles=[{from: [0.5, 0.7], to: [0.6, 0.9], material: metal}]";
    assert_false(warns_of_staircase(round, horizontal));
    assert_false(warns_of_staircase(off, horizontal));
    assert_false(warns_of_staircase(on, horizontal));
    /* Thinner than a cell: such metal stands at its place too. */
    assert_false(
        warns_of_staircase("rectangles=[{from: [0.5, 0.705], to: [0.6, 0.715], material: metal}]", horizontal));
    assert_false(
        warns_of_staircase("walls=[{from: [0.5, 0.7], to: [0.7, 0.9], thickness: 0.01, material: metal}]", horizontal));
    assert_true(warns_of_staircase(round, point));
    assert_true(warns_of_staircase(slanted, point));
    assert_true(warns_of_staircase(off, point));
    assert_false(warns_of_staircase(on, point));
    assert_false(warns_of_staircase("circles=[{centre: [0.6, 0.8], radius: 0.1, material: brick}]", horizontal));
    assert_false(warns_of_staircase(round, vertical));
}

static int room_solve(void **state)
{
    pw_scenario *scenario;
    pw_error error = {{0}};
    if (folder_create(state) != 0) {
        return -1;
    }
    pw_setup *setup = text_setup_take(ROOM, PW_DOUBLE, NULL, 0, &scenario);
    const pw_run_options options = {.compute.backend = "cpu", .compute.threads = 1, .force = true};
    pw_status status = pw_run(setup, &options, path, &error);
    drop(setup, scenario);
    if (status != PW_OK) {
        print_error("%s\n", error.message);
    }
    return status == PW_OK ? 0 : -1;
}

/* |G| of a channel, mean over the band; NAN: refused. */
static double gain_of(const char *transmitter, const char *receiver, const double *at, pw_component component)
{
    pw_result *result = open_made(path);
    pw_channel_options options = pw_channel_options_default();
    pw_channel *channel = NULL;
    pw_error error = {""};
    double gain = NAN;
    options.component = component;
    options.spreading = PW_SPREADING_NONE;
    if (pw_channel_create(result, transmitter, receiver, at, &options, &channel, &error) == PW_OK) {
        gain = pow(10, pw_channel_metrics(channel).path_gain_db / 20);
        pw_channel_free(channel);
    }
    pw_result_close(result);
    return gain;
}

/* H0 and, of dipoles, its near field, 0.7 m away, over that of a line current at 1 m. */
static double law(bool near)
{
    double sum = 0;
    for (int f = 0; f < 9; f++) {
        const double k = 2 * M_PI * (0.9e9 + 0.025e9 * f) / SPEED_OF_LIGHT, x = 0.7 * k;
        double re = j0(x), im = -y0(x);
        if (near) {
            re = j0(x) - j1(x) / x;
            im = -(y0(x) - y1(x) / x);
        }
        sum += (re * re + im * im) / (j0(k) * j0(k) + y0(k) * y0(k)) / 9;
    }
    return sqrt(sum);
}

static double hankel_one(void)
{
    double sum = 0;
    for (int f = 0; f < 9; f++) {
        const double k = 2 * M_PI * (0.9e9 + 0.025e9 * f) / SPEED_OF_LIGHT, x = 0.7 * k;
        sum += (j1(x) * j1(x) + y1(x) * y1(x)) / (j0(k) * j0(k) + y0(k) * y0(k)) / 9;
    }
    return sqrt(sum);
}

static void is_near(double found, double wanted, double part)
{
    if (!(fabs(found - wanted) <= part * wanted)) {
        fail_msg("%.6g is not %.6g within %g of it", found, wanted, part);
    }
}

static void test_channels_are_those_of_hankel_functions(void **unused)
{
    (void)unused;
    const double part = 2e-3, at[] = {1.01, 0.5};
    is_near(gain_of("loop", "h", NULL, PW_COMPONENT_OWN), law(false), part);
    is_near(gain_of("loop", "ey", NULL, PW_COMPONENT_OWN), hankel_one(), part);
    is_near(gain_of("dipole", "ey", NULL, PW_COMPONENT_OWN), law(true), part);
    is_near(gain_of("dipole", "h", NULL, PW_COMPONENT_OWN), hankel_one(), part);
    is_near(gain_of("loop", "slanted", NULL, PW_COMPONENT_OWN), 0.8 * hankel_one(), part);
    is_near(gain_of("loop", "slanted", NULL, PW_COMPONENT_EY), hankel_one(), part);
    is_near(gain_of("loop", "slanted", NULL, PW_COMPONENT_HZ), law(false), part);
    assert_true(gain_of("loop", "ex", NULL, PW_COMPONENT_OWN) < 1e-6);
    /* From the spectra: interpolated receivers, and points of components that stand half a cell apart. */
    is_near(gain_of("loop", "kept", NULL, PW_COMPONENT_OWN), hankel_one(), 2e-2);
    is_near(gain_of("loop", NULL, at, PW_COMPONENT_EY), hankel_one(), 3e-2);
    is_near(gain_of("loop", NULL, at, PW_COMPONENT_OWN), law(false), 3e-2);
    assert_true(isnan(gain_of("loop", "h", NULL, PW_COMPONENT_EZ)));
    assert_true(isnan(gain_of("loop", NULL, at, PW_COMPONENT_TOTAL)));
}

/* Of a receiver in the run and of the same place in the spectra, both of Hz: with their phases. */
static void test_phases_of_records_and_spectra_agree(void **unused)
{
    (void)unused;
    pw_result *result = open_made(path);
    pw_channel_options options = pw_channel_options_default();
    pw_error error = {""};
    const double at[] = {1.01, 0.51}; /* a node of Hz stands there */
    pw_channel *channel[2] = {NULL, NULL};
    double transfer[2][18];
    assert_int_equal(pw_channel_create(result, "loop", "h", NULL, &options, &channel[0], &error), PW_OK);
    assert_int_equal(pw_channel_create(result, "loop", NULL, at, &options, &channel[1], &error), PW_OK);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(pw_channel_transfer(channel[n], NULL, transfer[n], &error), PW_OK);
        pw_channel_free(channel[n]);
    }
    for (int f = 0; f < 18; f += 2) {
        const double re = transfer[0][f] - transfer[1][f], im = transfer[0][f + 1] - transfer[1][f + 1];
        assert_true(hypot(re, im) < 5e-3 * hypot(transfer[0][f], transfer[0][f + 1]));
    }
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_the_resolved_scenario_reads_back),
        cmocka_unit_test(test_metal_off_the_nodes_is_told),
        cmocka_unit_test(test_channels_are_those_of_hankel_functions),
        cmocka_unit_test(test_phases_of_records_and_spectra_agree),
    };
    return cmocka_run_group_tests(tests, room_solve, folder_remove);
}
