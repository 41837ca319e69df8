/* Previews: a set-up that takes the plan and the forecast of another has the same medium as one of its own, the plan
 * comes back from it; what did not change is not solved again, and what is kept makes the maps that all solved anew
 * would make; and a preview's map lies as near the full one as it says, at the far end of a long plan too. */
#include "tests/support/check.h"

#include "api/run.h"
#include "run/preview/previews.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM                                                                                                           \
    "plan:\n"                                                                                                          \
    "  size: [6 m, 5 m]\n"                                                                                             \
    "  walls:\n"                                                                                                       \
    "    - {from: [0 m, 0.5 m], to: [6 m, 0.5 m], thickness: 20 cm, material: brick}\n"                                \
    "    - {from: [0 m, 4.5 m], to: [6 m, 4.5 m], thickness: 20 cm, material: brick}\n"                                \
    "    - {from: [0.5 m, 0 m], to: [0.5 m, 5 m], thickness: 20 cm, material: brick}\n"                                \
    "    - {from: [5.5 m, 0 m], to: [5.5 m, 5 m], thickness: 20 cm, material: brick}\n"                                \
    "    - {from: [3.2 m, 0.5 m], to: [3.2 m, 3 m], thickness: 10 cm, material: wood}\n"                               \
    "band: {centre: 1.5 GHz, width: 300 MHz}\n"                                                                        \
    "receivers: [{name: r, at: [4 m, 2 m]}]\n"                                                                         \
    "transmitters:\n"
#define WEST(x)     "  - {name: west, at: [" x " m, 1.5 m]}\n"
#define EAST(power) "  - {name: east, at: [4.7 m, 3.3 m], power: " power " dBm}\n"

static const char SCENARIO[] = ROOM WEST("1.5") EAST("20");
static const double BRICK = 3.91; /* ITU-R P.2040-4 table 3 */

/* Long and open: the energy has left at the sides long before the wave is at the other end. */
static const char PATH[] = "plan: {size: [22 m, 1.6 m]}\n"
                           "band: {centre: 2.4 GHz, width: 200 MHz}\n"
                           "transmitters: [{name: end, at: [0.5 m, 0.8 m]}]\n";

static void must(pw_status status, const pw_error *error)
{
    if (status != PW_OK) {
        fail_msg("%s", error->message);
    }
}

static pw_previews *begin(void)
{
    pw_error error = {""};
    pw_previews *previews;
    must(pw_previews_create(&(pw_compute){.backend = "cpu", .threads = 2}, &previews, &error), &error);
    return previews;
}

static pw_preview_facts update(pw_previews *previews, const char *text, uint32_t plan)
{
    pw_error error = {""};
    pw_preview_facts facts;
    must(pw_previews_solve(previews, &(pw_preview_task){"room", text, plan}, NULL, &facts, &error), &error);
    return facts;
}

struct values {
    pw_map_shape shape;
    double *value; /* owned */
};

static pw_map_options options_of(pw_quantity quantity, const char *transmitter)
{
    pw_map_options options = pw_map_options_default();
    options.quantity = quantity;
    options.transmitter = transmitter;
    options.local_mean = true;
    return options;
}

static struct values map_of(pw_previews *previews, pw_quantity quantity, const char *transmitter)
{
    pw_error error = {""};
    struct values map;
    const pw_map_options options = options_of(quantity, transmitter);
    must(pw_previews_map(previews, &options, &map.shape, &map.value, &error), &error);
    return map;
}

static size_t cells(const struct values *map)
{
    return (size_t)map->shape.rows * (size_t)map->shape.columns;
}

static void quick_begin(struct quick_plan *plan, uint32_t number, int only, struct quick *quick)
{
    pw_error error = {""};
    must(quick_read(plan, &(pw_preview_task){"room", SCENARIO, number}, QUICK_MAP, NULL, NULL, quick, &error), &error);
    quick_leave(quick, only, QUICK_MAP);
    must(quick_set_up(quick, QUICK_MAP, &error), &error);
}

static void test_takes_the_plan_of_another(void **state)
{
    (void)state;
    struct quick_plan plan = {0}, other = {0};
    struct quick first, second, own;
    quick_begin(&plan, 1, 0, &first);
    assert_false(plan.common.has_plan); /* the set-up has it */
    quick_free(&first);
    assert_true(plan.common.has_plan);
    assert_true(plan.common.medium.there);
    assert_true(fabs(plan.largest_permittivity - BRICK) < 1e-9);
    const uint16_t *kept = plan.common.medium.medium.index;
    quick_begin(&plan, 1, 0, &second);
    assert_ptr_equal(second.setup->medium.index, kept); /* not made anew */
    quick_begin(&other, 1, 0, &own);
    const struct medium *a = &second.setup->medium, *b = &own.setup->medium;
    size_t nodes = (size_t)a->nx * (size_t)a->ny;
    assert_int_equal(nodes, (size_t)b->nx * (size_t)b->ny);
    assert_int_equal(a->palette_count, b->palette_count);
    assert_memory_equal(a->index, b->index, nodes * sizeof *a->index);
    assert_int_equal(second.setup->problem.steps, own.setup->problem.steps);
    assert_int_equal(second.setup->problem.probe_count, 0); /* nobody looks at receivers */
    quick_free(&second);
    quick_free(&own);
    quick_begin(&plan, 2, 1, &first); /* another plan: the old one is dropped */
    assert_string_equal(first.setup->chosen.transmitters[0].name, "east");
    assert_int_equal(first.setup->problem.source_count, 1);
    quick_free(&first);
    quick_plan_free(&plan);
    quick_plan_free(&other);
}

/* Each step: what was changed, and how many transmitters are to be solved for it. */
static void test_keeps_what_did_not_change(void **state)
{
    (void)state;
    pw_previews *previews = begin();
    static const struct {
        const char *text;
        uint32_t plan;
        int solved;
    } steps[] = {
        {SCENARIO, 1, 2},
        {SCENARIO, 1, 0},
        {ROOM WEST("1.7") EAST("20"), 1, 1},
        {ROOM WEST("1.7") EAST("14"), 1, 1},                                        /* another power */
        {ROOM EAST("14") WEST("1.7"), 1, 0},                                        /* another order */
        {ROOM EAST("14"), 1, 0},                                                    /* one is gone */
        {ROOM EAST("14") "  - {name: third, at: [2 m, 4 m]}\n" WEST("1.7"), 1, 2},  /* dropped: solved again */
        {ROOM EAST("14") "  - {name: fourth, at: [2 m, 4 m]}\n" WEST("1.7"), 1, 1}, /* the name is in the file */
        {ROOM EAST("14") "  - {name: fourth, at: [2 m, 4 m]}\n" WEST("1.7"), 2, 3}, /* another plan */
    };
    for (size_t n = 0; n < sizeof steps / sizeof steps[0]; n++) {
        const int solved = update(previews, steps[n].text, steps[n].plan).solved;
        if (solved != steps[n].solved) {
            fail_msg("step %zu: %d solved, not %d", n, solved, steps[n].solved);
        }
        if (n == 3) { /* what was kept from two versions has the bits of what is solved at once */
            pw_previews *anew = begin();
            update(anew, steps[n].text, 1);
            struct values kept = map_of(previews, PW_SINR, "best"), whole = map_of(anew, PW_SINR, "best");
            assert_int_equal(cells(&kept), cells(&whole));
            assert_memory_equal(kept.value, whole.value, cells(&kept) * sizeof *kept.value);
            free(kept.value);
            free(whole.value);
            pw_previews_free(anew);
        }
    }
    pw_previews_free(previews);
}

static bool stop_at_once(double done, void *user)
{
    (void)done;
    ++*(int *)user;
    return false;
}

/* What was asked to stop leaves no maps; what it had is kept, and delays have no preview. */
static void test_stops(void **state)
{
    (void)state;
    int asked = 0;
    pw_preview_facts facts;
    pw_map_shape shape;
    double *values;
    pw_error error = {""};
    pw_map_options options = options_of(PW_RECEIVED_POWER, "best");
    pw_previews *previews = begin();
    const pw_preview_task task = {"room", SCENARIO, 1};
    assert_int_equal(pw_previews_map(previews, &options, &shape, &values, &error), PW_USAGE);
    assert_int_equal(pw_previews_solve(previews, &task, &(pw_monitor){stop_at_once, &asked}, &facts, &error),
                     PW_INTERRUPTED);
    assert_true(asked > 0);
    assert_int_equal(pw_previews_map(previews, &options, &shape, &values, &error), PW_USAGE);
    assert_int_equal(update(previews, SCENARIO, 1).solved, 2);
    options.quantity = PW_RMS_DELAY_SPREAD;
    assert_int_equal(pw_previews_map(previews, &options, &shape, &values, &error), PW_USAGE);
    pw_previews_free(previews);
}

/* The film's set-up has the one transmitter, and outlives what else the previews do. */
static void test_sets_up_a_film(void **state)
{
    (void)state;
    pw_error error = {""};
    pw_scenario *scenario;
    pw_setup *setup;
    pw_previews *previews = begin();
    must(pw_previews_film(previews, &(pw_preview_task){"room", SCENARIO, 1}, 1, &scenario, &setup, &error), &error);
    update(previews, ROOM WEST("1.7"), 2);
    pw_previews_free(previews);
    const pw_facts facts = pw_setup_facts(setup);
    assert_int_equal(facts.transmitter_count, 1);
    assert_int_equal(facts.receiver_count, 0);
    assert_string_equal(pw_scenario_describe_transmitter(scenario, 0).name, "east");
    assert_int_equal(facts.frequency_count, 0);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

/* SNR, SINR, the best server and the best power by their definitions, from each transmitter's own received power. */
static void test_sets_transmitters_against_each_other(void **state)
{
    (void)state;
    pw_previews *previews = begin();
    update(previews, SCENARIO, 1);
    struct values west = map_of(previews, PW_RECEIVED_POWER, "west"),
                  east = map_of(previews, PW_RECEIVED_POWER, "east"),
                  best = map_of(previews, PW_RECEIVED_POWER, "best"), server = map_of(previews, PW_BEST_SERVER, NULL),
                  snr = map_of(previews, PW_SNR, "west"), sinr = map_of(previews, PW_SINR, "best"),
                  loss = map_of(previews, PW_PATH_LOSS, "best"), gain = map_of(previews, PW_PATH_GAIN, "best");
    const double noise = 10 * log10(1.380649e-23 * 290 * 20e6 / 1e-3) + 7; /* dBm: 20 MHz, a noise figure of 7 dB */
    assert_int_equal(best.shape.transmitter, -1);
    assert_int_equal(east.shape.transmitter, 1);
    for (size_t n = 0; n < cells(&west); n++) {
        double high = fmax(west.value[n], east.value[n]), low = fmin(west.value[n], east.value[n]);
        assert_true(best.value[n] == high);
        assert_true(server.value[n] == (west.value[n] >= east.value[n] ? 0 : 1));
        assert_true(fabs(snr.value[n] - (west.value[n] - noise)) < 1e-9);
        assert_true(fabs(sinr.value[n] - (high - 10 * log10(pow(10, noise / 10) + pow(10, low / 10)))) < 1e-9);
        assert_true(fabs(loss.value[n] + best.value[n] - 20) < 1e-9); /* dBm EIRP */
        assert_true(fabs(gain.value[n] - gain.value[0] - best.value[n] + best.value[0]) < 1e-9);
    }
    struct values *all[] = {&west, &east, &best, &server, &snr, &sinr, &loss, &gain};
    for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) {
        free(all[n]->value);
    }
    pw_previews_free(previews);
}

/* Root mean square of the difference to the full map over the places in between [m]. */
static double difference(const struct values *a, const struct values *b, struct point low, struct point high)
{
    double sum = 0, count = 0;
    for (int row = 0; low.y + 0.1 * row < high.y; row++) {
        for (int column = 0; low.x + 0.1 * column < high.x; column++) {
            const double x = low.x + 0.1 * column, y = low.y + 0.1 * row;
            sum += pow(pw_map_value_at(&a->shape, a->value, x, y) - pw_map_value_at(&b->shape, b->value, x, y), 2);
            count++;
        }
    }
    return sqrt(sum / count);
}

/* The map of a run. */
static struct values full_map(const char *text)
{
    pw_error error = {""};
    char path[64];
    pw_scenario *scenario;
    pw_setup *setup;
    pw_result *result;
    struct values map;
    const pw_map_options options = options_of(PW_RECEIVED_POWER, "best");
    snprintf(path, sizeof path, "/tmp/test-previews-%ld.h5", (long)getpid());
    must(pw_scenario_parse("room", text, NULL, 0, &scenario, &error), &error);
    must(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), &error);
    must(pw_run(setup, &(pw_run_options){.compute.backend = "cpu", .compute.threads = 2}, path, &error), &error);
    must(pw_result_open(path, &result, &error), &error);
    must(pw_map_describe(result, &options, &map.shape, &error), &error);
    map.value = calloc(cells(&map), sizeof *map.value);
    must(pw_map_compute(result, &options, map.value, NULL, &error), &error);
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    (void)unlink(path);
    return map;
}

/* A map of a preview is no farther from the full one than the page says. */
static void compare(const char *text, struct point low, struct point high)
{
    pw_previews *previews = begin();
    struct values full = full_map(text);
    const double said = update(previews, text, 1).error;
    struct values preview = map_of(previews, PW_RECEIVED_POWER, "best");
    const double found = difference(&preview, &full, low, high);
    print_message("preview: %.2f dB from the full map, its forecast is %.2f dB\n", found, said);
    assert_true(found <= said);
    free(full.value);
    free(preview.value);
    pw_previews_free(previews);
}

static void test_is_as_near_as_it_says(void **state)
{
    (void)state;
    compare(SCENARIO, (struct point){0.8, 0.8}, (struct point){5.3, 4.3});
}

static void test_sees_the_far_end(void **state)
{
    (void)state;
    compare(PATH, (struct point){15, 0.2}, (struct point){21.8, 1.4});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_takes_the_plan_of_another),
        cmocka_unit_test(test_keeps_what_did_not_change),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_sets_up_a_film),
        cmocka_unit_test(test_sets_transmitters_against_each_other),
        cmocka_unit_test(test_is_as_near_as_it_says),
        cmocka_unit_test(test_sees_the_far_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
