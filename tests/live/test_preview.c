/* Previews: a set-up that takes the plan and the forecast of another has the same medium as one of its own, the plan
 * comes back from it, and a preview's map lies as near the full one as it says. */
#include "tests/support/check.h"

#include "live/solve/solve.h"
#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SCENARIO[] = "plan:\n"
                               "  size: [6 m, 5 m]\n"
                               "  walls:\n"
                               "    - {from: [0 m, 0.5 m], to: [6 m, 0.5 m], thickness: 20 cm, material: brick}\n"
                               "    - {from: [0 m, 4.5 m], to: [6 m, 4.5 m], thickness: 20 cm, material: brick}\n"
                               "    - {from: [0.5 m, 0 m], to: [0.5 m, 5 m], thickness: 20 cm, material: brick}\n"
                               "    - {from: [5.5 m, 0 m], to: [5.5 m, 5 m], thickness: 20 cm, material: brick}\n"
                               "    - {from: [3.2 m, 0.5 m], to: [3.2 m, 3 m], thickness: 10 cm, material: wood}\n"
                               "band: {centre: 1.5 GHz, width: 300 MHz}\n"
                               "transmitters:\n"
                               "  - {name: west, at: [1.5 m, 1.5 m]}\n"
                               "  - {name: east, at: [4.7 m, 3.3 m]}\n"
                               "receivers: [{name: r, at: [4 m, 2 m]}]\n";

struct fixture {
    pthread_mutex_t files;
    struct solve_choices choices;
    struct quick_plan plan;
    struct solve_task task;
};

static bool go_on(double done, double seconds_left, void *user)
{
    (void)done;
    (void)seconds_left;
    (void)user;
    return true;
}

static void begin(struct fixture *fixture)
{
    pthread_mutex_init(&fixture->files, NULL);
    fixture->task = (struct solve_task){.name = "room",
                                        .text = SCENARIO,
                                        .plan_revision = 1,
                                        .largest_permittivity = 3.91, /* brick, ITU-R P.2040-3 table 3 */
                                        .backend = "cpu",
                                        .threads = 2,
                                        .files = &fixture->files,
                                        .choices = &fixture->choices,
                                        .plan = &fixture->plan,
                                        .go_on = go_on};
}

static void end(struct fixture *fixture)
{
    quick_plan_free(&fixture->plan);
    free(fixture->choices.transport);
    pthread_mutex_destroy(&fixture->files);
}

static void solve(struct fixture *fixture, bool full, struct solved *solved)
{
    pw_error error = {""};
    char path[64];
    snprintf(path, sizeof path, "/tmp/test-preview-%ld-%d.h5", (long)getpid(), full);
    fixture->task.full = full;
    fixture->task.path = path;
    if (solve_run(&fixture->task, solved, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

static void quick(struct fixture *fixture, int only, struct quick *made)
{
    pw_error error = {""};
    if (quick_create(&fixture->task, only, made, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

static void test_takes_the_plan_of_another(void **state)
{
    (void)state;
    struct fixture fixture = {0}, alone = {0};
    struct quick first, second, own;
    begin(&fixture);
    begin(&alone);
    quick(&fixture, -1, &first);
    assert_false(fixture.plan.common.has_plan); /* the set-up has it */
    quick_free(&first);
    assert_true(fixture.plan.common.has_plan);
    quick(&fixture, -1, &second);
    quick(&alone, -1, &own);
    const struct medium *a = &second.setup->medium, *b = &own.setup->medium;
    size_t nodes = (size_t)a->nx * (size_t)a->ny;
    assert_int_equal(nodes, (size_t)b->nx * (size_t)b->ny);
    assert_int_equal(a->palette_count, b->palette_count);
    assert_memory_equal(a->index, b->index, nodes * sizeof *a->index);
    assert_int_equal(second.setup->problem.steps, own.setup->problem.steps);
    assert_int_equal(second.setup->problem.probe_count, 0); /* nobody looks at receivers */
    quick_free(&second);
    quick_free(&own);
    fixture.task.plan_revision = 2; /* another plan: the old one is dropped */
    quick(&fixture, 1, &first);
    assert_string_equal(first.setup->chosen.transmitters[0].name, "east");
    assert_int_equal(first.setup->problem.source_count, 1);
    quick_free(&first);
    end(&fixture);
    end(&alone);
}

/* A forecast is within a factor of two for nine plans in ten; two maps differ by both their errors. */
static void test_is_as_near_as_it_says(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    struct solved full, preview;
    struct map of_full, of_preview;
    pw_map_options options = pw_map_options_default();
    double sum = 0, count = 0;
    begin(&fixture);
    options.quantity = PW_RECEIVED_POWER;
    options.local_mean = true;
    solve(&fixture, true, &full);
    solve(&fixture, false, &preview);
    assert_int_equal(map_compute(full.result, &options, &of_full, NULL), PW_OK);
    assert_int_equal(map_compute(preview.result, &options, &of_preview, NULL), PW_OK);
    for (double y = 0.8; y < 4.3; y += 0.1) {
        for (double x = 0.8; x < 5.3; x += 0.1) {
            double difference = map_value_at(&of_preview, x, y) - map_value_at(&of_full, x, y);
            sum += difference * difference;
            count++;
        }
    }
    double said = 2 * hypot(preview.error_db, full.error_db), found = sqrt(sum / count);
    print_message("preview: %.2f dB from the full map, twice its forecast is %.2f dB\n", found, said);
    assert_true(found <= said);
    map_free(&of_full);
    map_free(&of_preview);
    solved_close(&full);
    solved_close(&preview);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_takes_the_plan_of_another),
                                       cmocka_unit_test(test_is_as_near_as_it_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
