/* A receiver's own decay, where it was recorded: in one room it is that of the energy in the grid, since a diffuse
 * field decays alike everywhere; in a cavity of metal beside an open transmitter it is slower, and the guard on delays
 * hears of it. */
#include "tests/result/result_files.h"
#include "tests/support/text_solve.h"

#include "channel/delay_guard.h"
#include "channel/link.h"
#include "channel/place/own_decay.h"

#include "api/pairs.h"
#include "planwave.h"

/* A room of brick; and a cavity of metal with a slit, which the transmitter stands outside of. */
#define PLAN(SHAPES)                                                                                                   \
    "plan: {size: [3.4 m, 2.8 m], rectangles: [" SHAPES "]}\n"                                                         \
    "grid: {scheme: fd4, cell: 4 cm, absorber: {cells: 8}}\n"                                                          \
    "band: {centre: 900 MHz, width: 200 MHz}\n"                                                                        \
    "transmitters: [{name: tx, at: [0.7 m, 1.1 m]}]\n"                                                                 \
    "receivers: [{name: rx, at: [2.4 m, 1.7 m]}]\n"                                                                    \
    "spectra: {count: 24, spacing: 4 cells}\n"                                                                         \
    "stop: {after: 400 ns, decay: off}\n"
#define ROOM                                                                                                           \
    "{from: [0.1, 0.1], to: [3.3, 0.3], material: brick}, {from: [0.1, 2.5], to: [3.3, 2.7], material: brick}, "       \
    "{from: [0.1, 0.1], to: [0.3, 2.7], material: brick}, {from: [3.1, 0.1], to: [3.3, 2.7], material: brick}"
#define CAVITY                                                                                                         \
    "{from: [1.8, 1.0], to: [3, 1.1], material: metal}, {from: [1.8, 2.2], to: [3, 2.3], material: metal}, "           \
    "{from: [1.8, 1.0], to: [1.9, 1.5], material: metal}, {from: [1.8, 1.7], to: [1.9, 2.3], material: metal}, "       \
    "{from: [2.9, 1.0], to: [3, 2.3], material: metal}"

static pw_result *solve(const char *text)
{
    assert_true(text_solve(text, NULL, 0, PW_SINGLE, "cpu", path));
    return open_made(path);
}

/* Of the grid and of the receiver's own, in dB lost between two delays. */
static void losses(const pw_result *result, double from, double to, double loss[2])
{
    const pw_channel_options options = pw_channel_options_default();
    struct channel_band band[2];
    struct place place;
    pw_error error = {""};
    assert_int_equal(place_of_receiver(result, 0, 0, PW_COMPONENT_OWN, &place, &error), PW_OK);
    assert_int_equal(link_band_create(result, 0, &options, &band[0], &error), PW_OK);
    assert_int_equal(own_band_create(result, 0, &place, &options, &band[1], &error), PW_OK);
    for (int n = 0; n < 2; n++) {
        assert_true(band[n].observed);
        loss[n] = 10 * log10(band[n].energy[(int)(from / band[n].bin)] / band[n].energy[(int)(to / band[n].bin)]);
        channel_band_free(&band[n]);
    }
}

static void one_room_decays_alike(void **state)
{
    (void)state;
    double loss[2];
    pw_result *result = solve(PLAN(ROOM));
    losses(result, 30e-9, 150e-9, loss);
    assert_true(loss[0] > 30 && fabs(loss[1] - loss[0]) < 0.15 * loss[0]);
    pw_result_close(result);
}

/* The estimate of a link is never better than that of the grid alone, but for rounding, and pairs have the same one. */
static void a_cavity_keeps_what_the_grid_has_lost(void **state)
{
    (void)state;
    double loss[2];
    pw_error error = {""};
    pw_result *result = solve(PLAN(CAVITY));
    losses(result, 5e-9, 60e-9, loss);
    assert_true(loss[1] < loss[0] - 3);
    pw_channel *channel = NULL;
    assert_int_equal(pw_channel_create(result, NULL, "rx", NULL, NULL, &channel, &error), PW_OK);
    pw_metrics alone = pw_channel_metrics(channel), paired;
    struct delay_doubt grid = delay_guard(&channel->band, &channel->channel, &channel->delays);
    assert_true(alone.rms_error >= (1 - 1e-3) * grid.rms_error && alone.mean_error >= (1 - 1e-3) * grid.mean_error);
    pw_channel_free(channel);
    pw_pairs pairs = {.metrics = &paired};
    assert_int_equal(pw_pairs_compute(result, NULL, &pairs, &error), PW_OK);
    assert_true(paired.rms_error == alone.rms_error && paired.delay_cause == alone.delay_cause);
    pw_result_close(result);
}

/* Behind an endless wall comes what the wall lets through and nothing else, with the default end of the run. The spread
 * is that of a longer run, and nothing is doubted. */
static void behind_a_wall_all_has_come(void **state)
{
    (void)state;
    static const char wall[] = "plan: {size: [3 m, 2 m], walls: [{from: [1.5, -1], to: [1.5, 3], thickness: 20 cm, "
                               "material: concrete}]}\nband: {centre: 3.5 GHz, width: 100 MHz}\n"
                               "grid: {cell: 1.2 cm}\ntransmitters: [{name: tx, at: [0.5, 1]}]\n"
                               "receivers: [{name: rx, at: [2.5, 1]}]\n";
    double spread[2];
    for (size_t n = 0; n < 2; n++) {
        const char *longer[] = {"stop={decay: off, after: 80 ns}"};
        assert_true(text_solve(wall, longer, n, PW_SINGLE, "cpu", path));
        pw_result *result = open_made(path);
        pw_channel *channel = NULL;
        pw_error error = {""};
        assert_int_equal(pw_channel_create(result, NULL, "rx", NULL, NULL, &channel, &error), PW_OK);
        const pw_metrics metrics = pw_channel_metrics(channel);
        spread[n] = metrics.rms_delay_spread;
        assert_int_equal(metrics.delay_cause, PW_DELAY_SOUND);
        assert_true(metrics.rms_error <= 0.01);
        pw_channel_free(channel);
        pw_result_close(result);
    }
    assert_true(fabs(spread[0] / spread[1] - 1) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behind_a_wall_all_has_come),
        cmocka_unit_test(one_room_decays_alike),
        cmocka_unit_test(a_cavity_keeps_what_the_grid_has_lost),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
