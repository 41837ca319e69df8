/* Previews: a set-up that takes the plan and the forecast of another has the same medium as one of its own, the plan
 * comes back from it; what did not change is not solved again, and what is kept makes the maps that all solved anew
 * would make; and a preview's map lies as near the full one as it says, at the far end of a long plan too. */
#include "tests/support/check.h"

#include "serve/planwave_serve.h"

#include "map/map.h"
#include "serve/solve/previews.h"

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

struct fixture {
    pthread_mutex_t files;
    struct solve_choices choices;
    struct quick_plan plan;
    struct previews previews;
    struct solve_task task;
};

static const pw_compute COMPUTE = {.backend = "cpu", .threads = 2};

static bool go_on(double done, double seconds_left, void *user)
{
    (void)done;
    (void)seconds_left;
    (void)user;
    return true;
}

static void begin(struct fixture *fixture, const char *text, double width, double height)
{
    pthread_mutex_init(&fixture->files, NULL);
    fixture->task = (struct solve_task){.of = {.name = "room",
                                               .text = text,
                                               .plan_revision = 1,
                                               .width = width,
                                               .height = height,
                                               .largest_permittivity = BRICK,
                                               .choices = &fixture->choices,
                                               .plan = &fixture->plan},
                                        .compute = &COMPUTE,
                                        .files = &fixture->files,
                                        .go_on = go_on};
}

static void end(struct fixture *fixture)
{
    previews_free(&fixture->previews);
    quick_plan_free(&fixture->plan);
    free(fixture->choices.transport);
    pthread_mutex_destroy(&fixture->files);
}

static void must(pw_status status, const pw_error *error)
{
    if (status != PW_OK) {
        fail_msg("%s", error->message);
    }
}

static void quick(struct fixture *fixture, int only, struct quick *made)
{
    pw_error error = {""};
    must(quick_create(&fixture->task.of, only, QUICK_MAP, made, &error), &error);
}

static void update(struct fixture *fixture, const char *text)
{
    pw_error error = {""};
    fixture->task.of.text = text;
    must(previews_update(&fixture->previews, &fixture->task, 1, &error), &error);
}

static struct map map_of(struct fixture *fixture, pw_quantity quantity, const char *transmitter)
{
    pw_error error = {""};
    struct map map;
    pw_map_options options = pw_map_options_default();
    options.quantity = quantity;
    options.transmitter = transmitter;
    options.local_mean = true;
    must(previews_map(&fixture->previews, &options, &map, &error), &error);
    return map;
}

static size_t cells(const struct map *map)
{
    return (size_t)map->rows * (size_t)map->columns;
}

static void test_takes_the_plan_of_another(void **state)
{
    (void)state;
    struct fixture fixture = {0}, alone = {0};
    struct quick first, second, own;
    begin(&fixture, SCENARIO, 6, 5);
    begin(&alone, SCENARIO, 6, 5);
    quick(&fixture, 0, &first);
    assert_false(fixture.plan.common.has_plan); /* the set-up has it */
    quick_free(&first);
    assert_true(fixture.plan.common.has_plan);
    assert_true(fixture.plan.common.medium.there);
    const uint16_t *kept = fixture.plan.common.medium.medium.index;
    quick(&fixture, 0, &second);
    assert_ptr_equal(second.setup->medium.index, kept); /* not made anew */
    quick(&alone, 0, &own);
    const struct medium *a = &second.setup->medium, *b = &own.setup->medium;
    size_t nodes = (size_t)a->nx * (size_t)a->ny;
    assert_int_equal(nodes, (size_t)b->nx * (size_t)b->ny);
    assert_int_equal(a->palette_count, b->palette_count);
    assert_memory_equal(a->index, b->index, nodes * sizeof *a->index);
    assert_int_equal(second.setup->problem.steps, own.setup->problem.steps);
    assert_int_equal(second.setup->problem.probe_count, 0); /* nobody looks at receivers */
    quick_free(&second);
    quick_free(&own);
    fixture.task.of.plan_revision = 2; /* another plan: the old one is dropped */
    quick(&fixture, 1, &first);
    assert_string_equal(first.setup->chosen.transmitters[0].name, "east");
    assert_int_equal(first.setup->problem.source_count, 1);
    quick_free(&first);
    end(&fixture);
    end(&alone);
}

/* Each step: what was changed, and how many transmitters are to be solved for it. */
static void test_keeps_what_did_not_change(void **state)
{
    (void)state;
    struct fixture fixture = {0}, anew = {0};
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
    begin(&fixture, SCENARIO, 6, 5);
    for (size_t n = 0; n < sizeof steps / sizeof steps[0]; n++) {
        fixture.task.of.plan_revision = steps[n].plan;
        update(&fixture, steps[n].text);
        if (fixture.previews.solved_last != steps[n].solved) {
            fail_msg("step %zu: %d solved, not %d", n, fixture.previews.solved_last, steps[n].solved);
        }
        if (n == 3) { /* what was kept from two versions has the bits of what is solved at once */
            begin(&anew, steps[n].text, 6, 5);
            update(&anew, steps[n].text);
            struct map kept = map_of(&fixture, PW_SINR, "best"), whole = map_of(&anew, PW_SINR, "best");
            assert_int_equal(cells(&kept), cells(&whole));
            assert_memory_equal(kept.value, whole.value, cells(&kept) * sizeof *kept.value);
            map_free(&kept);
            map_free(&whole);
            end(&anew);
        }
    }
    end(&fixture);
}

/* SNR, SINR, the best server and the best power by their definitions, from each transmitter's own received power. */
static void test_sets_transmitters_against_each_other(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    begin(&fixture, SCENARIO, 6, 5);
    update(&fixture, SCENARIO);
    struct map west = map_of(&fixture, PW_RECEIVED_POWER, "west"), east = map_of(&fixture, PW_RECEIVED_POWER, "east"),
               best = map_of(&fixture, PW_RECEIVED_POWER, "best"), server = map_of(&fixture, PW_BEST_SERVER, NULL),
               snr = map_of(&fixture, PW_SNR, "west"), sinr = map_of(&fixture, PW_SINR, "best"),
               loss = map_of(&fixture, PW_PATH_LOSS, "best"), gain = map_of(&fixture, PW_PATH_GAIN, "best");
    const double noise = 10 * log10(1.380649e-23 * 290 * 20e6 / 1e-3) + 7; /* dBm: 20 MHz, a noise figure of 7 dB */
    assert_int_equal(best.transmitter, -1);
    assert_int_equal(east.transmitter, 1);
    for (size_t n = 0; n < cells(&west); n++) {
        double high = fmax(west.value[n], east.value[n]), low = fmin(west.value[n], east.value[n]);
        assert_true(best.value[n] == high);
        assert_true(server.value[n] == (west.value[n] >= east.value[n] ? 0 : 1));
        assert_true(fabs(snr.value[n] - (west.value[n] - noise)) < 1e-9);
        assert_true(fabs(sinr.value[n] - (high - 10 * log10(pow(10, noise / 10) + pow(10, low / 10)))) < 1e-9);
        assert_true(fabs(loss.value[n] + best.value[n] - 20) < 1e-9); /* dBm EIRP */
        assert_true(fabs(gain.value[n] - gain.value[0] - best.value[n] + best.value[0]) < 1e-9);
    }
    struct map *all[] = {&west, &east, &best, &server, &snr, &sinr, &loss, &gain};
    for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) {
        map_free(all[n]);
    }
    end(&fixture);
}

/* Root mean square of the difference to the full map over the places in between [m]. */
static double difference(const struct map *a, const struct map *b, struct point low, struct point high)
{
    double sum = 0, count = 0;
    for (double y = low.y; y < high.y; y += 0.1) {
        for (double x = low.x; x < high.x; x += 0.1) {
            sum += pow(map_value_at(a, x, y) - map_value_at(b, x, y), 2);
            count++;
        }
    }
    return sqrt(sum / count);
}

/* A map of a preview is no farther from the full one than the page says. */
static void compare(struct fixture *fixture, struct point low, struct point high)
{
    struct solved full;
    struct map of_full;
    pw_error error = {""};
    pw_map_options options = pw_map_options_default();
    char path[64];
    options.quantity = PW_RECEIVED_POWER;
    options.local_mean = true;
    snprintf(path, sizeof path, "/tmp/test-preview-%ld.h5", (long)getpid());
    must(solve_full(&fixture->task, path, &full, &error), &error);
    must(map_compute(full.result, &options, &of_full, &error), &error);
    update(fixture, fixture->task.of.text);
    struct map preview = map_of(fixture, PW_RECEIVED_POWER, "best");
    double said = fixture->previews.error_db, found = difference(&preview, &of_full, low, high);
    print_message("preview: %.2f dB from the full map, its forecast is %.2f dB\n", found, said);
    assert_true(found <= said);
    map_free(&of_full);
    map_free(&preview);
    solved_close(&full);
}

static void test_is_as_near_as_it_says(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    begin(&fixture, SCENARIO, 6, 5);
    compare(&fixture, (struct point){0.8, 0.8}, (struct point){5.3, 4.3});
    end(&fixture);
}

static void test_sees_the_far_end(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    begin(&fixture, PATH, 22, 1.6);
    fixture.task.of.largest_permittivity = 1;
    compare(&fixture, (struct point){15, 0.2}, (struct point){21.8, 1.4});
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_takes_the_plan_of_another),
        cmocka_unit_test(test_keeps_what_did_not_change),
        cmocka_unit_test(test_sets_transmitters_against_each_other),
        cmocka_unit_test(test_is_as_near_as_it_says),
        cmocka_unit_test(test_sees_the_far_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
