/* The grid's phase over the straight line, and delays of a plan that falls silent as soon as the wave has passed. An
 * empty plan has one path, whose delay is the distance over c; shared/cases/delay-false-alarm. */
#include "tests/result/result_files.h"
#include "tests/support/text_solve.h"

#include "channel/place/grid_phase.h"
#include "planwave.h"

static const double C = 299792458.0;

static pw_result *solve(const char *override)
{
    static const char TEXT[] = "plan: {size: [34 m, 4 m]}\nband: {centre: 2.4 GHz, width: 400 MHz}\n"
                               "transmitters: [{name: a, at: [2, 2], power: 20 dBm}]\nreceivers: [{name: b, at: [32, "
                               "2]}]\nspectra: {region: [30, 1, 33, 3]}\n";
    assert_true(text_solve(TEXT, &override, override != NULL, PW_SINGLE, "cpu", path));
    return open_made(path);
}

/* Arrival within 0.1 ns of distance/c, and no alarm. */
static void link_is_right(const pw_result *result, const char *receiver, const double *at)
{
    pw_error error = {""};
    pw_channel *channel = NULL;
    double delay[64], away = HUGE_VAL;
    assert_int_equal(pw_channel_create(result, NULL, receiver, at, NULL, &channel, &error), PW_OK);
    pw_metrics metrics = pw_channel_metrics(channel);
    assert_int_equal(metrics.delay_cause, PW_DELAY_SOUND);
    assert_true(metrics.rms_error < 0.1 && metrics.mean_error < 0.1);
    assert_int_equal(pw_channel_describe(channel).path_count, 1);
    assert_int_equal(pw_channel_paths(channel, delay, NULL, &error), PW_OK);
    away = fabs(delay[0] - metrics.distance / C);
    assert_true(away < 0.1e-9);
    pw_channel_free(channel);
}

static void an_empty_plan_has_no_alarm(void **state)
{
    (void)state;
    static const char *const OVERRIDES[] = {NULL, "band.width=40 MHz", "receivers=[{name: b, at: [33.8, 0.2]}]",
                                            "polarisation=horizontal"};
    for (size_t k = 0; k < sizeof OVERRIDES / sizeof OVERRIDES[0]; k++) {
        pw_result *result = solve(OVERRIDES[k]);
        link_is_right(result, "b", NULL);
        link_is_right(result, NULL, (const double[]){32.5, 2.4});
        pw_result_close(result);
    }
}

/* In the plane of x and y it is the wave number of the scheme's own dispersion relation, and along z that along x. */
static void wave_numbers_along_directions(void **state)
{
    (void)state;
    const double cell = 0.02, stepped = 2 * M_PI / (8 * cell);
    for (int s = 0; s < SCHEME_COUNT; s++) {
        const struct stencil stencil = stencil_get((enum scheme)s, &STENCIL_USUAL_BAND);
        for (int a = 0; a <= 8; a++) {
            double angle = a * M_PI / 16, law = stencil_wave_number(&stencil, cell, 0, stepped * C, angle);
            double found = stencil_wave_number_along(&stencil, cell, stepped, (double[]){cos(angle), sin(angle), 0});
            assert_true(fabs(found / law - 1) < 1e-6);
        }
        double up = stencil_wave_number_along(&stencil, cell, stepped, (double[]){0, 0, 1});
        assert_true(fabs(up / stencil_wave_number(&stencil, cell, 0, stepped * C, 0) - 1) < 1e-6);
    }
}

/* A factor of magnitude one; nothing at the transmitter itself. */
static void magnitudes_stay(void **state)
{
    (void)state;
    double frequency[2] = {2.3e9, 2.5e9}, omega[2] = {2 * M_PI * 2.3e9, 2 * M_PI * 2.5e9};
    char scheme[] = "fd4o";
    const struct result result = {.dimensions = 2,
                                  .cell = 0.02,
                                  .time_step = 1e-13,
                                  .band_centre = 2.4e9,
                                  .band_width = 0.2e9,
                                  .frequency_count = 2,
                                  .frequency = frequency,
                                  .omega = omega,
                                  .scheme = scheme};
    const struct result_transmitter from = {.x = 1, .y = 1};
    const struct grid_phase phase = grid_phase_find(&result);
    const struct place far = {.x = 31, .y = 5}, here = {.x = 1, .y = 1};
    double field[4] = {3, 4, -1, 2}, same[4] = {3, 4, -1, 2};
    assert_true(phase.known);
    grid_phase_remove(&phase, &result, &from, &far, 1, field);
    grid_phase_remove(&phase, &result, &from, &here, 1, same);
    assert_true(fabs(hypot(field[0], field[1]) - 5) < 1e-12 && fabs(hypot(field[2], field[3]) - sqrt(5)) < 1e-12);
    assert_true(fabs(field[0] - 3) > 1e-3);
    assert_true(same[0] == 3 && same[1] == 4 && same[2] == -1 && same[3] == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_plan_has_no_alarm),
        cmocka_unit_test(wave_numbers_along_directions),
        cmocka_unit_test(magnitudes_stay),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
